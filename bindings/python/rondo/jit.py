"""rondo.jit: a decorator, as people expect it, and the place of trace, save and load.

What repeats is compiled without being marked, so the decorator gives the function back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, TypeVar

from . import _C
from ._program import Method, Program, load, save, trace

F = TypeVar("F", bound=Callable[..., Any])


class _CallableModule(ModuleType):
    def __call__(self, function: F | None = None, **_options: Any) -> Any:
        return function if function is not None else lambda f: f


@contextmanager
def tracing(enabled: bool) -> Iterator[None]:
    """Turns the tracer of this thread on or off for a `with` block. Results are the same bits."""
    before = _C.set_tracing(enabled)
    try:
        yield
    finally:
        _C.set_tracing(before)


def wait_for_compiles() -> None:
    """Waits until the background has compiled what is queued; never needed for right results."""
    _C.wait_for_compiles()


sys.modules[__name__].__class__ = _CallableModule

__all__ = ["Method", "Program", "load", "save", "trace", "tracing", "wait_for_compiles"]
