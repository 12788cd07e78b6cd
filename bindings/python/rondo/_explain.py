"""explain: what was captured and compiled on this thread, and why not."""

from __future__ import annotations

from typing import Any

from . import _C


class Explanation(dict[str, Any]):
    """Counts, segments and kernels; printed as a short report."""

    def __str__(self) -> str:
        ops = self["ops_compiled"] + self["ops_interpreted"] + self["ops_library"]
        lines = [
            f"{self['calls']} calls of ops, {self['matched']} of them in "
            f"{self['segments']} captured segments ({self['launches']} launches)",
            f"{ops} ops in kernels: {self['ops_compiled']} compiled, "
            f"{self['ops_library']} products, {self['ops_interpreted']} interpreted; "
            f"{self['ops_functions']} as functions",
            f"{self['kernels_compiled']} kernels compiled in {self['compile_ms']:.0f} ms, "
            f"{self['kernels_from_disk']} from disk, {self['kernels_failed']} failed, "
            f"{self['kernels_withdrawn']} withdrawn",
        ]
        if self["ops_on_devices"]:
            lines.append(f"{self['ops_on_devices']} ops in kernels that ran on devices")
        for op, reason, calls in self["fallbacks"]:
            lines.append(f"{calls} calls of {op}: {reason}")
        if self["interpreted_because"] is not None:
            lines.append(f"kernels are interpreted: {self['interpreted_because']}")
        for i, segment in enumerate(self["segment_list"]):
            exits = ", ".join(f"{name} {count}" for name, count in segment["exits"].items())
            lines.append(
                f"segment {i}: {len(segment['ops'])} ops, entered {segment['entries']} times, "
                f"launched {segment['hits']}" + (f"; left early: {exits}" if exits else "")
            )
        for step, runs, milliseconds in self["profile"][:20]:
            lines.append(f"{milliseconds:10.2f} ms in {runs:7} runs: {step}")
        return "\n".join(lines)


def explain() -> Explanation:
    """What the tracer of this thread has captured, and what runs compiled.

    With `RONDO_PROFILE=1` in the environment also `profile`: the steps that took most time.
    """
    return Explanation(_C.explain())
