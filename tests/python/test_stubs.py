"""Type stubs: current, complete, and clean under mypy --strict."""

import subprocess
import sys
from pathlib import Path

import pytest

import rondo

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = Path(rondo.__file__).parent

USER_FILE = '''
from collections.abc import Iterator

import rondo
import rondo.nn.functional as F
from rondo import Tensor, nn, optim
from rondo.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, width), nn.ReLU(), nn.Linear(width, 1))
        self.scale = nn.Parameter(rondo.ones(1))

    def forward(self, x: Tensor) -> Tensor:
        hidden: Tensor = self.layers(x)
        return hidden * self.scale + rondo.tanh(x).sum(dim=1, keepdim=True)


def train(steps: int) -> Iterator[float]:
    rondo.manual_seed(0)
    net = Net(8)
    optimizer = optim.AdamW(net.parameters(), lr=1e-3)
    schedule = optim.lr_scheduler.StepLR(optimizer, 10)
    x, y = rondo.randn(32, 2), rondo.zeros(32, 1, dtype=rondo.float32)
    loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
    for _ in range(steps):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = F.mse_loss(net(inputs), targets)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            yield loss.item()
        schedule.step()
    with rondo.no_grad():
        values, indices = rondo.topk(x.flatten(), 3)
        print(values.shape, indices.tolist(), x[0, :].view(1, 2), x.max(1).values, -x @ x.T)
'''


def test_the_stubs_of_the_ops_are_those_of_the_table():
    tool = ROOT / "tools" / "make_stubs.py"
    run = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_program_is_clean_under_mypy_strict(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "program.py").write_text(USER_FILE)
    run = mypy("--strict", str(tmp_path / "program.py"), cwd=tmp_path)
    assert run.returncode == 0, run.stdout


def test_the_package_itself_is_clean_under_mypy_strict(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    run = mypy("--strict", "-p", "rondo", cwd=tmp_path)
    assert run.returncode == 0, run.stdout


def mypy(*args, cwd):
    path = {"MYPYPATH": str(PACKAGE.parent), "PATH": ""}
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(cwd), *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=path)


def test_every_public_name_of_tensor_is_in_its_stub():
    text = (PACKAGE / "_C.pyi").read_text() + (PACKAGE / "_tensor_ops.pyi").read_text()
    missing = [
        name
        for name in vars(rondo.Tensor)
        if not name.startswith("_") and f"def {name}(" not in text and f"    {name}:" not in text
    ]
    assert missing == []
