#!/usr/bin/env python3
"""Checks the pages docs/behaviours*.md: each line of their tables names tests that exist. Run by ctest.

A table begins with the header `| line | test | result |`. Tests stand in backticks: `Suite.Name` of a C++
test, `file.py::name` of a Python test, `ctest:name` of an entry of tests/CMakeLists.txt. A line that
does not hold yet has a result that begins with "not yet:" and may name no test. --self-test checks the
check.
"""

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# How many numbered lines each part has, once a page speaks of it.
PARTS = {"A": 6, "B": 7, "C": 6, "D": 2, "E": 6}

CPP_TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
PYTHON_TEST = re.compile(r"^\s*(?:async )?def (test_\w+)\(", re.MULTILINE)
CTEST_ENTRY = re.compile(r"(?:add_test\(NAME|rondo_add_static_check\()\s*([\w.]+)")
FUZZER = re.compile(r"rondo_add_fuzzer\((\w+)")


def known_tests(root):
    """Every test that a page may name."""
    known = set()
    for path in (root / "tests").rglob("*.cpp"):
        known.update(f"{suite}.{name}" for suite, name in CPP_TEST.findall(path.read_text()))
    for path in (root / "tests").rglob("test_*.py"):
        known.update(f"{path.name}::{name}" for name in PYTHON_TEST.findall(path.read_text()))
    for path in (root / "tests").rglob("CMakeLists.txt"):
        text = path.read_text()
        known.update(f"ctest:{name}" for name in CTEST_ENTRY.findall(text))
        known.update(f"ctest:fuzz.{name}" for name in FUZZER.findall(text))
    return known


def table_rows(text):
    """(number of the line, cells) of each row of the tables of behaviours."""
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if [cell.lower() for cell in cells] == ["line", "test", "result"]:
            inside = True
        elif not cells:
            inside = False
        elif inside and not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            yield number, cells


def check_row(cells, known):
    """What is wrong with a row, as a list of texts."""
    if len(cells) != 3:
        return [f"it has {len(cells)} cells; expected line, test, result"]
    tests = re.findall(r"`([^`]+)`", cells[1])
    faults = [f"there is no test {test}" for test in tests if test not in known]
    if not tests and not cells[2].startswith("not yet:"):
        faults.append("it names no test, and its result does not begin with 'not yet:'")
    if not cells[2]:
        faults.append("it has no result")
    return faults


def check_tree(root):
    """All faults as lines, the number of rows, and of those that do not hold yet."""
    known = known_tests(root)
    faults, rows, waiting, numbers = [], 0, 0, set()
    for page in sorted((root / "docs").glob("behaviours*.md")):
        for number, cells in table_rows(page.read_text()):
            rows += 1
            waiting += cells[-1].startswith("not yet:")
            place = f"{page.relative_to(root)}:{number}"
            faults += [f"{place}: {fault}" for fault in check_row(cells, known)]
            found = re.match(r"([A-Z])(\d+)\b", cells[0])
            if found:
                numbers.add((found[1], int(found[2])))
            else:
                faults.append(f"{place}: the line does not begin with its number, such as C1")
    for part in sorted({part for part, _ in numbers}):
        missing = set(range(1, PARTS.get(part, 0) + 1)) - {n for p, n in numbers if p == part}
        faults += [f"docs: no row is of {part}{number}" for number in sorted(missing)]
    return faults, rows, waiting


def self_test():
    """Runs the check on made-up pages with one fault of each sort."""
    page = """# Behaviours
| line | test | result |
| --- | --- | --- |
| D1: first | `Suite.Name`, `test_a.py::test_it`, `ctest:layers` | holds |
| D1: second | `Suite.Other` | holds |
| D1: third | | holds |
| D1: fourth | | not yet: it waits |
| D1: fifth | `ctest:layers` | |
| a line | `ctest:layers` | holds |

| other | table |
| --- | --- |
| of | things |
"""
    expected = [
        "docs/behaviours.md:5: there is no test Suite.Other",
        "docs/behaviours.md:6: it names no test, and its result does not begin with 'not yet:'",
        "docs/behaviours.md:8: it has no result",
        "docs/behaviours.md:9: the line does not begin with its number, such as C1",
        "docs: no row is of D2",
    ]
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "docs").mkdir()
        (root / "tests").mkdir()
        (root / "docs" / "behaviours.md").write_text(page)
        (root / "tests" / "a_test.cpp").write_text("TEST_F(Suite, Name) {\n}\n")
        (root / "tests" / "test_a.py").write_text("def test_it():\n    pass\n")
        (root / "tests" / "CMakeLists.txt").write_text("rondo_add_static_check(layers layers.py)\n")
        found, rows, waiting = check_tree(root)
    wrong = [f"not found: {fault}" for fault in expected if fault not in found]
    wrong += [f"found for no reason: {fault}" for fault in found if fault not in expected]
    if (rows, waiting) != (6, 1):
        wrong.append(f"{rows} rows, {waiting} waiting; expected 6 and 1")
    return wrong


def main():
    if "--self-test" in sys.argv:
        faults = self_test()
    else:
        faults, rows, waiting = check_tree(ROOT)
        print(f"{rows} behaviours; not yet: {waiting}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
