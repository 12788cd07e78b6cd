#!/usr/bin/env python3
"""Builds the wheel from a copy of the tree, deletes the copy, and uses the wheel alone in a new environment.

Usage: wheel.py FOLDER, where the copy, the build, the wheel and the environment go. Run by ctest.
"""

import email
import os
import shutil
import struct
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# What a wheel must hold, by the end of its names.
CONTENT = ["rondo/__init__.py", "rondo/librondo_llvm.so", "rondo/librondo_cuda.so",
           "/LICENSE", "/NOTICE", "rondo/py.typed",
           "rondo/_C.pyi", "rondo/_ops.pyi", "rondo/_tensor_ops.pyi", "/scripts/rondo"]

# What is linked into the wheel's files, by the names that NOTICE gives it.
LINKED = ["LLVM", "zlib", "Zstandard", "fmt", "xxHash", "pybind11", "JSON for Modern C++", "cpp-httplib"]

# Run without NumPy, which the environment has not.
USE = """
import sys, time
begin = time.process_time()
import rondo
seconds = time.process_time() - begin
from rondo import nn
assert rondo.__file__.startswith(sys.prefix), rondo.__file__
assert "numpy" not in sys.modules
try:
    import numpy
except ImportError:
    pass
else:
    raise AssertionError("the environment was to be without NumPy")
rondo.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
optimizer = rondo.optim.Adam(net.parameters())
x = rondo.randn(16, 3)
for _ in range(100):
    optimizer.zero_grad()
    net(x).square().mean().backward()
    optimizer.step()
rondo.jit.wait_for_compiles()
report = rondo.explain()
assert report["segments"] > 0, report
assert report["kernels_compiled"] > 0 and report["interpreted_because"] is None, str(report)
program = rondo.trace(net.eval(), x[:2], {"input": {0: "batch"}}, output_names=["y"])
rondo.save(program, sys.argv[1])
print(seconds, *net(rondo.tensor([[1.0, 2.0, 3.0]]))[0].tolist())
"""

# Python's own client of the server's JSON protocol.
ASK = """
import json, sys, urllib.request
body = {"inputs": [{"name": "input", "shape": [1, 3], "datatype": "FP32", "data": [1.0, 2.0, 3.0]}]}
url = f"http://127.0.0.1:{sys.argv[1]}/v2/models/net/infer"
answer = json.load(urllib.request.urlopen(url, json.dumps(body).encode()))
print(*answer["outputs"][0]["data"])
"""

TYPED = """
import rondo
from rondo import Tensor, nn


class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return rondo.relu(x).sum(dim=0)


y: Tensor = Net()(rondo.ones(2))
"""


def environment_variables(**more):
    return {**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, **more}


def run(folder, *command, **variables):
    """Runs a command where nothing of the tree can be found: elsewhere, without PYTHONPATH."""
    print("$", *(str(part)[:100] for part in command), flush=True)
    done = subprocess.run(
        [str(part) for part in command],
        check=True, cwd=folder, env=environment_variables(**variables), stdout=subprocess.PIPE, text=True,
    )
    return done.stdout


def copy_tree(target):
    """The files that git knows, or all but builds where there is no git."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, text=True
    )
    if listed.returncode != 0:
        shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns("build*", ".venv", ".git"))
        return
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def check_content(wheel):
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    missing = [end for end in CONTENT if not any(name.endswith(end) for name in names)]
    if missing:
        sys.exit(f"{wheel.name} lacks {', '.join(missing)}; it holds\n  " + "\n  ".join(names))
    notice = archive.read(next(n for n in names if n.endswith("/NOTICE"))).decode()
    unnamed = [work for work in LINKED if work not in notice]
    if unnamed:
        sys.exit(f"NOTICE does not name {', '.join(unnamed)}")
    metadata = email.message_from_bytes(archive.read(next(n for n in names if n.endswith("/METADATA"))))
    prefix = "Programming Language :: Python :: 3."
    named = [c.removeprefix("Programming Language :: Python :: ")
             for c in metadata.get_all("Classifier") if c.startswith(prefix)]
    tested = f"{sys.version_info.major}.{sys.version_info.minor}"
    if named != [tested]:
        sys.exit(f"the wheel names Python {', '.join(named)}; it is tested with {tested}")


def check_server(folder, environment, archive, expected):
    """The wheel's command serves the archive with the bits that Python computed."""
    command = [environment / "bin" / "rondo", "serve", archive, "--port", "0"]
    server = subprocess.Popen(
        [str(part) for part in command], cwd=folder, env=environment_variables(),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    try:
        line = server.stdout.readline()
        port = line.strip().rsplit(":", 1)[-1].split("/")[0].split()[0]
        assert port.isdigit(), line
        answer = run(folder, environment / "bin" / "python", "-c", ASK, port)
    finally:
        server.terminate()
        server.wait(30)

    def bits(texts):
        return [struct.pack("f", float(text)) for text in texts]

    assert bits(answer.split()) == bits(expected), (answer, expected)


def main():
    folder = Path(sys.argv[1]).resolve()
    build = folder / "build"  # is kept, so that another run compiles what has changed
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path != build:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    source = folder / "source"
    source.mkdir()
    copy_tree(source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    options = ["--no-deps", "--no-build-isolation", f"--config-settings=build-dir={build}", "-w", folder]
    run(folder, *pip, "wheel", *options, source)
    shutil.rmtree(source)
    (wheel,) = folder.glob("rondo-*.whl")
    check_content(wheel)
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"].get("dependencies", []) == []
    environment = folder / "environment"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    run(folder, *pip, "--python", python, "install", "--no-deps", wheel)
    archive = folder / "net.rondo"
    times = []
    for i in range(5):
        cache = folder / f"cache{i}"
        seconds, *outputs = run(folder, python, "-c", USE, archive, RONDO_CACHE_DIR=str(cache)).split()
        times.append(float(seconds))
    print(f"import rondo: {min(times) * 1e3:.0f} ms of the processor, the least of {len(times)}")
    assert min(times) < 0.15, times
    run(folder, environment / "bin" / "rondo", "--version")
    check_server(folder, environment, archive, outputs)
    (folder / "typed.py").write_text(TYPED)
    try:
        import mypy  # noqa: F401
    except ImportError:
        print("mypy is not installed: the wheel's stubs are not checked")
    else:
        run(folder, sys.executable, "-m", "mypy", "--strict", "--python-executable", python, "typed.py")


if __name__ == "__main__":
    main()
