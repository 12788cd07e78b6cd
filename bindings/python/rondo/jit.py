"""rondo.jit: a decorator, as people expect it, and the place of trace, save and load.

What repeats is compiled without being marked, so the decorator gives the function back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

from ._program import Program, load, save, trace

F = TypeVar("F", bound=Callable[..., Any])


class _CallableModule(ModuleType):
    def __call__(self, function: F | None = None, **_options: Any) -> Any:
        return function if function is not None else lambda f: f


sys.modules[__name__].__class__ = _CallableModule

__all__ = ["Program", "load", "save", "trace"]
