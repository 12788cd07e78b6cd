#!/usr/bin/env python3
"""Checks what programs that link librondo rely on: its SONAME, what it needs, its size. Run by ctest.

Usage: library.py LIBRARY
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

SONAME = "librondo.so.0"
# The C and C++ run time and nothing else.
NEEDED = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2"}
MOST_BYTES = 10_000_000  # stripped


def main():
    library = sys.argv[1]
    text = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    faults = []
    soname = re.findall(r"\(SONAME\).*\[(.*)\]", text)
    if soname != [SONAME]:
        faults.append(f"the SONAME is {soname}; expected {SONAME}")
    foreign = sorted(set(re.findall(r"\(NEEDED\).*\[(.*)\]", text)) - NEEDED)
    if foreign:
        faults.append(f"it needs {', '.join(foreign)}")
    with tempfile.TemporaryDirectory() as folder:
        stripped = Path(folder) / "librondo.so"
        subprocess.run(["strip", "-o", stripped, library], check=True)
        size = stripped.stat().st_size
    if size >= MOST_BYTES:
        faults.append(f"it has {size} bytes stripped; expected less than {MOST_BYTES}")
    print("\n".join(faults) or f"{soname[0]}: {size} bytes stripped")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
