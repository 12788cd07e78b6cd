"""What the build needs and does not find is named, all of it at once, with the package that holds it."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def configure(folder, *options):
    if shutil.which("cmake") is None or shutil.which("c++") is None:
        pytest.skip("cmake or a C++ compiler is not installed")
    command = ["cmake", "-S", str(ROOT), "-B", str(folder), "-DRONDO_TESTS=OFF", "-DRONDO_LLVM=OFF", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, " ".join(done.stderr.split())


def test_missing_build_tools_are_named(tmp_path):
    status, text = configure(
        tmp_path / "libraries", "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON", "-DCMAKE_IGNORE_PATH=/usr/include"
    )
    assert status != 0
    assert (
        "Rondo's build needs what is not there: fmt (libfmt-dev), nlohmann/json.hpp "
        "(nlohmann-json3-dev), xxhash.h (libxxhash-dev)."
    ) in text


def test_a_missing_compiler_is_named(tmp_path):
    status, text = configure(tmp_path / "compiler", "-DCMAKE_CXX_COMPILER=no-such-compiler")
    assert status != 0
    assert "no-such-compiler" in text and "CMAKE_CXX_COMPILER" in text
