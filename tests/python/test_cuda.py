"""CUDA: programs on the stand-in driver of the tests, and what is said where there is no GPU."""

import os
import subprocess
import sys
from pathlib import Path

import cuda_programs
import pytest

import rondo

# Beside the package in the build tree; see tests/support/stand_in.
STAND_IN = Path(rondo.__file__).parent.parent.parent / "tests" / "stand_in"


def run(code, **environment):
    return subprocess.run(
        [sys.executable, *code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("name", cuda_programs.PROGRAMS)
def test_on_the_stand_in(name):
    if not (STAND_IN / "libcuda.so.1").exists():
        pytest.skip(f"the stand-in driver is not built: {STAND_IN}")
    process = run([cuda_programs.__file__, name], RONDO_CUDA_PATH=str(STAND_IN))
    if "cuda: kernels cannot be compiled: nvrtc:" in process.stderr:
        pytest.skip(process.stderr.strip().splitlines()[-1])
    assert process.stdout == "done\n", process.stderr


MISSING = """
import rondo
print(rondo.cuda.is_available(), rondo.cuda.device_count())
for make in (
    lambda: rondo.ones(1).to("cuda"),
    lambda: rondo.zeros(2, device="cuda:0"),
    lambda: rondo.nn.Linear(2, 2).cuda(),
    lambda: rondo.cuda.current_device(),
):
    try:
        make()
    except rondo.DeviceError as error:
        print(error)
"""


def test_a_driver_that_is_too_old_is_named():
    if not (STAND_IN / "libcuda.so.1").exists():
        pytest.skip(f"the stand-in driver is not built: {STAND_IN}")
    process = run(
        ["-c", MISSING], RONDO_CUDA_PATH=str(STAND_IN), RONDO_STAND_IN_VERSION="11080"
    )
    text = (
        f"device: cuda:0 is not usable: cuda: the driver {STAND_IN}/libcuda.so.1 is for CUDA 11.8; "
        "CUDA 12.0 or later is required; install a newer driver\n"
    )
    assert process.stdout == "False 0\n" + text * 4, process.stderr


def test_a_missing_driver_or_plug_in_is_named():
    first, *lines = run(["-c", MISSING]).stdout.splitlines()
    if first != "False 0":
        pytest.skip("this machine has a GPU")
    assert len(lines) == 4 and len(set(lines)) == 1
    assert lines[0].startswith(
        ("device: cuda:0 is not usable: cuda: no driver: ", "device: cuda:0 is not usable: plug-in")
    )
