"""One library in a process of its own: sets a row up, warms it up, and runs rounds when it is told to.

Speaks JSON, a line each way: {"row", "threads"} first, then {"do": "warm", "seconds"} or {"do": "round", "seconds"}.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from .libraries import Work, open_library
from .rows import ROWS


def most_resident_bytes() -> int:
    """The most memory that was resident. getrusage would count the starter, from before exec."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def timed(work: Work, count: int) -> tuple[float, float, float]:
    """Seconds of the wall and of all processors for one of `count` steps, and a number of the result."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(count):
        work.step()
    value = work.sync()
    done = count * work.per
    return (time.perf_counter() - wall) / done, (time.process_time() - cpu) / done, value


class Measured:
    """A row of one library: the first step, a warm-up, then rounds of equal length."""

    def __init__(self, name: str, row: str, threads: int) -> None:
        begin = time.perf_counter()
        self.library = open_library(name, threads)
        self.import_seconds = time.perf_counter() - begin
        self.row = ROWS[row]
        self.count = 1
        self.facts: dict[str, float] = {}

    def hello(self) -> dict[str, Any]:
        return {"version": self.library.version, "import_s": self.import_seconds}

    def warm(self, seconds: float) -> dict[str, Any]:
        """The first step alone, then steps in groups of about 10 ms; how long each group took."""
        begin = time.perf_counter()
        self.work = self.row.make(self.library)
        setup = time.perf_counter() - begin
        first, _, first_value = timed(self.work, 1)
        groups, group = [], 1
        begin = time.perf_counter()
        while time.perf_counter() - begin < seconds or len(groups) < 4:
            step, _, _ = timed(self.work, group)
            groups.append((group * self.work.per, step))
            group = max(1, min(10 * group, int(0.01 / (step * self.work.per))))
        self.library.settle()
        return {
            "setup_s": setup,
            "first_s": first * self.work.per,
            "first_value": first_value,
            "groups": groups,
        }

    def round(self, seconds: float) -> dict[str, Any]:
        """One round; the first one only says how many steps the rest have."""
        wall, cpu, value = timed(self.work, self.count)
        if not self.facts:
            self.count = max(1, int(seconds / (wall * self.work.per)))
            timed(self.work, self.count)
            self.library.settle()
            self.facts = {"": 0, **self.library.facts()}
        return {"wall_s": wall, "cpu_s": cpu, "value": value, "count": self.count}

    def end(self) -> dict[str, Any]:
        now = self.library.facts()
        return {
            "rss_bytes": most_resident_bytes(),
            "facts": {k: now[k] - v for k, v in self.facts.items() if k},
            "totals": now,
        }


def main() -> None:
    # What libraries print must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    name, row, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    measured: Measured | None = None
    for line in sys.stdin:
        order = json.loads(line)
        try:
            if order["do"] == "open":
                measured = Measured(name, row, threads)
                answer = measured.hello()
            elif order["do"] == "end":
                answer = measured.end()
            else:
                answer = getattr(measured, order["do"])(order["seconds"])
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
        if order["do"] == "end" or "error" in answer:
            break
    # Threads of a compiler that still run would hold the process.
    os._exit(0)


if __name__ == "__main__":
    main()
