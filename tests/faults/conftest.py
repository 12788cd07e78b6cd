"""What the tests of faults share: children with limits, small disks, archives."""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

# What every child can use.
PRELUDE = """
import os, resource, sys
import rondo
from rondo import nn, optim
from rondo.nn import functional as F

def network():
    rondo.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, 8))

def train(model, steps):
    optimizer = optim.Adam(model.parameters(), lr=1e-2)
    generator = rondo.Generator()
    x = rondo.linspace(-1, 1, 16 * 64).reshape(16, 64)
    for _ in range(steps):
        loss = F.mse_loss(model(x), x[:, :8])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss

def bits(tensor):
    return tensor.detach().numpy().tobytes().hex()
"""


def start(code, *arguments, **changes):
    """A child that runs code behind the prelude; `changes` are variables of its environment, None: without."""
    environment = dict(os.environ)
    for name, value in changes.items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = str(value)
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def run(code, *arguments, **changes):
    """What a child prints; it must end with 0."""
    child = start(code, *arguments, **changes)
    output, errors = child.communicate(timeout=120)
    assert child.returncode == 0, f"exit code {child.returncode}\n{output}\n{errors}"
    return output


@pytest.fixture
def cache(tmp_path):
    """A folder of its own for compiled kernels."""
    return tmp_path / "cache"


@contextmanager
def mounted(folder, options):
    """A disk of its own over the new folder, for the block; root alone can mount one."""
    folder.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("no disk can be mounted here: there is no program mount")
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        pytest.skip(f"no disk with {options} can be mounted here: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of 1 MB."""
    with mounted(tmp_path / "disk", "size=1m") as folder:
        yield folder


@pytest.fixture
def read_only_disk(tmp_path):
    """A folder on a disk that cannot be written."""
    with mounted(tmp_path / "read_only", "ro") as folder:
        yield folder
