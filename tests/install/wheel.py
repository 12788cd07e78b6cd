#!/usr/bin/env python3
"""Builds the wheel, installs it alone into a new virtual environment and uses it from there.

Usage: wheel.py FOLDER, where the wheel and the environment go. Run by ctest.
"""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# What a wheel must hold, by the end of its names.
CONTENT = ["rondo/__init__.py", "rondo/librondo_llvm.so", "rondo/librondo_cuda.so",
           "/LICENSE", "/NOTICE", "rondo/py.typed",
           "rondo/_C.pyi", "/scripts/rondo"]

USE = """
import sys
import rondo
assert rondo.__file__.startswith(sys.prefix), rondo.__file__
assert "numpy" not in sys.modules
x = rondo.ones(3)
for _ in range(100):
    y = rondo.exp(x * 2.0 + 1.0) - x
assert y.tolist() == (rondo.exp(rondo.tensor([3.0, 3.0, 3.0])) - 1.0).tolist()
"""


def run(folder, *command):
    """Runs a command where nothing of the tree can be found: elsewhere, without PYTHONPATH."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    print("$", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, cwd=folder, env=env)


def main():
    folder = Path(sys.argv[1]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    run(folder, *pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, ROOT)
    (wheel,) = folder.glob("rondo-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    missing = [end for end in CONTENT if not any(name.endswith(end) for name in names)]
    if missing:
        sys.exit(f"{wheel.name} lacks {', '.join(missing)}; it holds\n  " + "\n  ".join(names))
    environment = folder / "environment"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    run(folder, *pip, "--python", python, "install", "--no-deps", wheel)
    run(folder, python, "-c", USE)
    run(folder, environment / "bin" / "rondo", "--version")


if __name__ == "__main__":
    main()
