"""What the environment switches off, and what a missing compiler says: one line, and explain()."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import rondo

PROGRAM = """
import rondo
x = rondo.linspace(-1, 1, 40)
for _ in range(200):
    y = rondo.tanh(x * 2 + 1) - x
rondo.jit.wait_for_compiles()
for _ in range(50):
    y = rondo.tanh(x * 2 + 1) - x
report = rondo.explain()
print(report["matched"], report["ops_compiled"], report["interpreted_because"], sep="|")
print([line for line in str(report).splitlines() if line.startswith("kernels are interpreted")])
print(y.tolist())
"""


def run(environment, path=None):
    env = {**os.environ, **environment}
    if path is not None:
        env["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout.splitlines(), done.stderr


def test_rondo_jit_0_turns_tracer_and_compiler_off_and_says_so_in_one_line():
    plain, quiet = run({})
    off, said = run({"RONDO_JIT": "0"})
    assert plain[0].split("|")[0] != "0" and plain[0].endswith("|None") and plain[1] == "[]"
    assert quiet == ""
    assert off[0] == "0|0|plug-in: turned off by RONDO_JIT=0"
    assert said == "rondo: RONDO_JIT=0: nothing is traced or compiled; kernels are interpreted\n"
    assert off[2] == plain[2]


def test_a_compiler_that_cannot_be_opened_is_told_once_and_in_explain(tmp_path):
    shutil.copytree(Path(rondo.__file__).parent, tmp_path / "rondo", symlinks=False)
    plugin = tmp_path / "rondo" / "librondo_llvm.so"
    plugin.write_bytes(b"")
    plain, _ = run({})
    without, said = run({}, tmp_path)
    reason = f"plug-in: {plugin}: file too short"
    assert without[0].split("|")[1:] == ["0", reason]
    assert without[1] == str([f"kernels are interpreted: {reason}"])
    assert said == f"rondo: kernels are interpreted: {reason}\n"
    assert without[2] == plain[2]
