#!/usr/bin/env python3
"""Checks that librondo exports the functions listed in bindings/c/symbols.txt. Run by ctest.

Usage: symbols.py LIBRARY [--write]
Lines may be added with a new function; removing one breaks programs that are linked already.
"""

import subprocess
import sys
from pathlib import Path

LIST = Path(__file__).resolve().parent.parent / "bindings" / "c" / "symbols.txt"


def exported(library):
    text = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    return sorted(line.split()[-1] for line in text.splitlines() if line)


def main():
    symbols = exported(sys.argv[1])
    if "--write" in sys.argv:
        LIST.write_text("".join(f"{symbol}\n" for symbol in symbols))
        return 0
    listed = LIST.read_text().split()
    for symbol in sorted(set(listed) - set(symbols)):
        print(f"{symbol} is listed and no longer exported")
    for symbol in sorted(set(symbols) - set(listed)):
        print(f"{symbol} is exported and not listed: add it to bindings/c/symbols.txt")
    return 0 if listed == symbols else 1


if __name__ == "__main__":
    sys.exit(main())
