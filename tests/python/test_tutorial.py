"""The tutorial and the README's Python, run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def python_blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)


def assert_runs(text, folder):
    program = folder / "program.py"
    program.write_text(text)
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=300, cwd=folder
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_blocks_of_the_tutorial_run_in_order(tmp_path):
    blocks = python_blocks("docs/tutorial.md")
    assert len(blocks) >= 8
    assert_runs("\n\n".join(blocks), tmp_path)


def test_the_python_of_the_readme_runs(tmp_path):
    blocks = python_blocks("README.md")
    assert blocks
    assert_runs("\n\n".join(blocks).replace("range(5000)", "range(100)"), tmp_path)


NOTEBOOK_CELLS = [
    "import rondo\nfrom rondo import nn\nx = rondo.arange(3.0)\nx",
    "model = nn.Sequential(nn.Linear(3, 2), nn.ReLU())\nmodel",
    "optimizer = rondo.optim.SGD(model.parameters(), lr=0.1)\n"
    "for step in range(50):\n"
    "    optimizer.zero_grad()\n"
    "    model(x).square().sum().backward()\n"
    "    optimizer.step()\n"
    "print(rondo.explain()['calls'] > 0)",
    "try:\n    rondo.zeross\nexcept AttributeError as error:\n    print(error)",
]


def test_a_notebook_runs_through_nbconvert(tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="nbconvert is not installed")
    pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    from jupyter_client.kernelspec import KernelSpecManager

    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(source) for source in NOTEBOOK_CELLS]
    path = tmp_path / "book.ipynb"
    nbformat.write(book, path)
    if "python3" not in KernelSpecManager().find_kernel_specs():
        pytest.skip("no kernel python3 is installed")
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace"]
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, timeout=180, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    cells = nbformat.read(path, as_version=4).cells
    texts = [
        "".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in cell.outputs)
        for cell in cells
    ]
    assert texts[0] == "tensor([0., 1., 2.])"
    assert texts[1].startswith("Sequential(\n  (0): Linear(in_features=3")
    assert texts[2] == "True\n"
    assert texts[3] == "module 'rondo' has no attribute 'zeross'; did you mean 'zeros'?\n"


def test_tqdm_goes_over_a_loader_and_shows_its_length(capsys):
    tqdm = pytest.importorskip("tqdm", reason="tqdm is not installed")
    import rondo
    from rondo.utils.data import DataLoader, TensorDataset

    loader = DataLoader(TensorDataset(rondo.arange(10.0)), batch_size=4)
    bar = tqdm.tqdm(loader)
    seen = []
    for (batch,) in bar:
        seen.append(batch.sum().item())
        bar.set_postfix(loss=batch.mean(), sum=batch.sum().item())
    assert seen == [6.0, 22.0, 17.0]
    assert "3/3" in capsys.readouterr().err
    assert [row.item() for row in tqdm.tqdm(rondo.arange(3))] == [0, 1, 2]
