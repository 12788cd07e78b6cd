#!/usr/bin/env python3
"""Checks that no file of the tree has more lines than its kind may have. Run by ctest."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["core", "codegen", "tracer", "serialize", "jit", "bindings", "tests", "benchmarks",
           "examples", "tools"]
LIMIT = 500  # lines
SUFFIXES = {".h", ".hpp", ".cpp", ".cc", ".cu", ".py", ".pyi", ".sh", ".cmake"}


def main():
    faults = 0
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            lines = len(path.read_text().splitlines())
            if lines > LIMIT:
                print(f"{path.relative_to(ROOT)}: {lines} lines; at most {LIMIT} are allowed")
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
