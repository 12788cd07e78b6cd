"""Tables of what was measured."""

from __future__ import annotations

import os
import platform
import statistics
from typing import Any

from .libraries import TITLES


def machine(threads: int) -> dict[str, Any]:
    """The processor in words, and how busy it is."""
    facts = {}
    with open("/proc/cpuinfo") as file:
        for text in file:
            name, _, value = text.partition(":")
            facts.setdefault(name.strip(), value.strip())
    flags = set(facts.get("flags", "").split())
    vectors = next((f for f in ("avx512f", "avx2", "avx") if f in flags), "no AVX")
    return {
        "processor": facts.get("model name", platform.processor()),
        "family": f"family {facts.get('cpu family')}, model {facts.get('model')}",
        "vectors": vectors,
        "processors": len(os.sched_getaffinity(0)),
        "threads": threads,
        "load": os.getloadavg()[0],
    }


def seconds_until_steady(first: float, groups: list[list[float]], median: float) -> float:
    """From the start of the first step, until the middle one of five groups is within 1.25 times the later median."""
    passed = first
    for i, (count, step) in enumerate(groups):
        if statistics.median(s for _, s in groups[i : i + 5]) <= 1.25 * median:
            break
        passed += count * step
    return passed


def duration(seconds: float) -> str:
    """With three digits, in us, ms or s."""
    for unit, factor in (("us", 1e6), ("ms", 1e3), ("s", 1.0)):
        value = seconds * factor
        if value < 999.5 or unit == "s":
            digits = 2 if value < 10 else 1 if value < 100 else 0
            return f"{value:.{digits}f} {unit}"
    return ""


def _cell(result: dict[str, Any] | None) -> str:
    if result is None:
        return "-"
    if "error" in result:
        return "failed"
    return f"{duration(result['median_s'])} ({duration(result['least_s'])})"


def _ratio(results: dict[str, Any], key: str) -> str:
    """Rondo's figure by the lowest of the others."""
    others = [r[key] for n, r in results.items() if n != "rondo" and key in r]
    if key not in results.get("rondo", {}) or not others:
        return "-"
    return f"{results['rondo'][key] / min(others):.2f}"


def header(names: list[str]) -> str:
    titles = [TITLES[n] for n in names]
    return f"| row | {' | '.join(titles)} | Rondo / best | CPU time / best |\n|{' --- |' * (len(names) + 3)}"


def line(title: str, results: dict[str, Any], names: list[str]) -> str:
    cells = " | ".join(_cell(results.get(n)) for n in names)
    return f"| {title} | {cells} | {_ratio(results, 'median_s')} | {_ratio(results, 'cpu_s')} |"


def _start_line(title: str, results: dict[str, Any], names: list[str]) -> str:
    cells = []
    for name in names:
        r = results.get(name, {})
        known = "steady_s" in r
        cells.append(f"{duration(r['first_s'])}; {duration(r['steady_s'])}" if known else "-")
    return f"| {title} | {' | '.join(cells)} |"


def _facts_line(title: str, results: dict[str, Any]) -> str | None:
    r = results.get("rondo", {})
    facts = r.get("facts")
    if not facts:
        return None
    kernels = sum(facts[f"ops_{k}"] for k in ("compiled", "library", "interpreted"))
    total = kernels + facts["ops_functions"]

    def share(part: float, whole: float) -> str:
        return f"{part / whole:.0%}" if whole else "-"

    steps = sum(x["count"] for x in r["rounds"])
    return (
        f"| {title} | {share(facts['matched'], facts['calls'])} | {share(facts['ops_compiled'], total)} "
        f"| {share(facts['ops_library'], total)} | {share(facts['ops_interpreted'], total)} "
        f"| {share(facts['ops_functions'], total)} | {facts['launches'] / steps:.1f} "
        f"| {r['totals']['kernels_compiled']:.0f} in {r['totals']['compile_ms']:.0f} ms "
        f"| {r['cpu_s'] / r['median_s']:.2f} |"
    )


def _failures(rows: dict[str, Any], titles: dict[str, str]) -> list[str]:
    return [
        f"- {titles[row]}, {TITLES[name]}: {result['error'].splitlines()[0]}"
        for row, results in rows.items()
        for name, result in results.items()
        if "error" in result
    ]


def document(result: dict[str, Any], names: list[str], titles: dict[str, str]) -> list[str]:
    """The page in paragraphs: the machine, figures, starts, what Rondo says about itself, failures."""
    m, rows = result["machine"], result["rows"]
    about = (
        f"{m['processor']} ({m['family']}, {m['vectors']}), {m['processors']} processors, "
        f"{m['threads']} threads, load {m['load']:.1f} before the run. "
        + ", ".join(f"{TITLES[n]} {v}" for n, v in result["versions"].items())
        + "".join(f". {TITLES[n]} is missing: {why}" for n, why in result["missing"].items())
    )
    parts = ["# Rondo beside its peers", about]
    figures = [line(titles[row], results, names) for row, results in rows.items()]
    parts += ["Time of a step: median (least) of the rounds.", "\n".join([header(names), *figures])]
    starts = [_start_line(titles[row], results, names) for row, results in rows.items()]
    head = f"| row | {' | '.join(TITLES[n] for n in names)} |\n|{' --- |' * (len(names) + 1)}"
    parts += [
        "First step; time from its start until steps stay within 1.25 times the median. Caches are empty, imports are apart.",
        "\n".join([head, *starts]),
    ]
    facts = [_facts_line(titles[row], results) for row, results in rows.items()]
    shares = "calls deferred | compiled | products | interpreted | functions | launches a step"
    head = f"| Rondo | {shares} | kernels compiled | CPU / wall |\n|{' --- |' * 9}"
    if any(facts):
        parts += ["Rondo in the rounds: shares of ops.", "\n".join([head, *filter(None, facts)])]
    failed = _failures(rows, titles)
    if failed:
        parts += ["Failed:", "\n".join(failed)]
    return parts
