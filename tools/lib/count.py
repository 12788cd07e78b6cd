"""Prints what the tests of one suite, or of all suites of a run of tools/test, gave.

Usage: count.py FILE.xml
       count.py FOLDER STAGE_RESULT...
The first counts one JUnit file. The second adds up all of a folder and the stages that are no
suites: a stage without a file, or one that failed with no failed test in its file, counts as one.
"""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def count_file(path):
    """(passed, failed, skipped) of one JUnit file."""
    passed = failed = skipped = 0
    for case in xml.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def count_all(folder, stages):
    counts = [count_file(path) for path in sorted(folder.glob("*.xml"))]
    passed, failed, skipped = (sum(column) for column in zip(*counts, (0, 0, 0)))
    suites_with_failures = sum(1 for count in counts if count[1])
    other_failures = max(0, stages.count("FAILED") - suites_with_failures)
    other_passes = max(0, len(stages) - len(counts) - other_failures)
    return passed + other_passes, failed + other_failures, skipped


def main():
    path = Path(sys.argv[1])
    counts = count_file(path) if path.is_file() else count_all(path, sys.argv[2:])
    print("{} passed, {} failed, {} skipped".format(*counts))


if __name__ == "__main__":
    main()
