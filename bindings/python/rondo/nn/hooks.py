"""Handles of the functions that hang on modules."""

from __future__ import annotations

import itertools
import weakref
from types import TracebackType
from typing import Any

_next_id = itertools.count()


class RemovableHandle:
    """What registering a function gives: `remove` takes it away again."""

    def __init__(self, hooks: dict[int, Any]) -> None:
        self.id = next(_next_id)
        self._hooks = weakref.ref(hooks)

    def remove(self) -> None:
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.remove()


class Hooks(dict[int, Any]):
    """Functions in the order in which they were registered."""

    __slots__ = ("__weakref__",)

    def add(self, function: Any, first: bool = False) -> RemovableHandle:
        handle = RemovableHandle(self)
        others = dict(self) if first else {}
        if first:
            self.clear()
        self[handle.id] = function
        self.update(others)
        return handle

    def __reduce__(self) -> Any:
        return (Hooks, (dict(self),))
