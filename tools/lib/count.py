"""Prints what all suites of a run of tools/test gave, as one closing line.

Usage: count.py RESULTS_FOLDER STAGE_RESULT...: adds up the JUnit files of the folder; a stage that
failed without a failed test in any file (a check, a build) counts as one failure.
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


def main():
    folder, *stages = sys.argv[1:]
    counts = [count_file(path) for path in sorted(Path(folder).glob("*.xml"))]
    passed, failed, skipped = (sum(column) for column in zip(*counts, (0, 0, 0)))
    checks = len(stages) - len(counts)
    failed_suites = sum(1 for count in counts if count[1])
    failed_checks = max(0, stages.count("FAILED") - failed_suites)
    print(f"{passed + checks - failed_checks} passed, {failed + failed_checks} failed, {skipped} skipped")


if __name__ == "__main__":
    main()
