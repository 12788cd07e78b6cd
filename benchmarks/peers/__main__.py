"""The table of peers: every row for every library, in one run.

    PYTHONPATH=build/release/python python -m benchmarks.peers [row ...] [--libraries rondo,torch] [--out FOLDER]

Each library runs each row in a process of its own, because libraries that share one would share or fight over thread
pools (OpenMP's threads spin after a region) and because what is captured or cached for one row would be there for the
next. Their rounds take turns, so that all see the same noise. Peers that are missing are named with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from . import report
from .libraries import TITLES
from .rows import ROWS

LIMIT_SECONDS = 300  # for one answer of a worker


class Worker:
    """A process that holds one row of one library."""

    def __init__(self, name: str, row: str, threads: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        # Empty caches: the first step is measured as a user meets it for the first time.
        caches = {
            "RONDO_CACHE_DIR": self.folder.name,
            "TORCHINDUCTOR_CACHE_DIR": self.folder.name,
            "OMP_NUM_THREADS": str(threads),
        }
        command = [sys.executable, "-m", "benchmarks.peers.worker", name, row, str(threads)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if not os.environ.get("RONDO_PEERS_STDERR") else None,
            text=True,
            env={**os.environ, **caches},
        )
        self.errors = ""

    def ask(self, **order: Any) -> dict[str, Any]:
        """The answer; {"error": text} if it failed, died or took too long."""
        try:
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], LIMIT_SECONDS)
            line = self.process.stdout.readline() if ready else None
        except BrokenPipeError:
            line = ""
        if line is None:
            return {"error": f"no answer in {LIMIT_SECONDS} s"}
        return json.loads(line) if line else {"error": f"ended with {self.process.wait()}"}

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()


def available(names: list[str], threads: int) -> tuple[dict[str, str], dict[str, str]]:
    """Versions of the libraries that can be imported, and why the others cannot."""
    versions, missing = {}, {}
    for name in names:
        worker = Worker(name, "add", threads)
        answer = worker.ask(do="open")
        worker.close()
        if "error" in answer:
            missing[name] = answer["error"]
        else:
            versions[name] = answer["version"]
    return versions, missing


def measure(row: str, names: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Everything about one row, by library."""
    results: dict[str, Any] = {}
    workers: dict[str, Worker] = {}
    try:
        for name in names:
            if not ROWS[row].applies(name):
                continue
            workers[name] = Worker(name, row, options.threads)
            answer = workers[name].ask(do="open")
            if "error" not in answer:
                answer |= workers[name].ask(do="warm", seconds=options.warm)
            results[name] = answer
        running = [name for name in workers if "error" not in results[name]]
        rounds: dict[str, list[Any]] = {name: [] for name in running}
        for i in range(options.rounds + 1):
            for name in running if i % 2 else reversed(running):
                rounds[name].append(workers[name].ask(do="round", seconds=options.seconds))
        for name in running:
            failed = [r for r in rounds[name] if "error" in r]
            if failed:
                results[name] |= failed[0]
                continue
            results[name] |= workers[name].ask(do="end")
            results[name]["rounds"] = rounds[name][1:]
            summarize(results[name])
    finally:
        for worker in workers.values():
            worker.close()
    return results


def summarize(result: dict[str, Any]) -> None:
    """Median, minimum, processor time, and when the step became steady."""
    walls = [r["wall_s"] for r in result["rounds"]]
    result["median_s"] = statistics.median(walls)
    result["least_s"] = min(walls)
    result["cpu_s"] = statistics.median(r["cpu_s"] for r in result["rounds"])
    result["steady_s"] = report.seconds_until_steady(
        result["first_s"], result.pop("groups"), result["median_s"]
    )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rows", nargs="*", choices=[[], *ROWS], help="default: all")
    parser.add_argument("--libraries", default=",".join(TITLES))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.2, help="of one round")
    parser.add_argument("--warm", type=float, default=3.0, help="seconds of steps before the rounds")
    parser.add_argument("--out", help="folder for peers.md and peers.json")
    return parser.parse_args()


def main() -> None:
    options = parse()
    names = options.libraries.split(",")
    versions, missing = available(names, options.threads)
    for name, reason in missing.items():
        print(f"{TITLES[name]} is not measured: {reason}")
    names = [name for name in names if name in versions]
    result = {"machine": report.machine(options.threads), "versions": versions, "missing": missing}
    result["rows"] = {}
    print(report.header(names), flush=True)
    for row in options.rows or ROWS:
        result["rows"][row] = measure(row, names, options)
        print(report.line(ROWS[row].title, result["rows"][row], names), flush=True)
    page = report.document(result, names, {row: ROWS[row].title for row in ROWS})
    print("", *page[4:], sep="\n\n")
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        with open(os.path.join(options.out, "peers.md"), "w") as file:
            file.write("\n\n".join(page) + "\n")
        with open(os.path.join(options.out, "peers.json"), "w") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
