"""no_grad and its relatives: contexts, and decorators of functions and generators."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, cast

from ._C import is_grad_enabled
from ._C import set_grad_enabled as _set

F = TypeVar("F", bound=Callable[..., Any])

_GENERATOR = 0x20  # inspect.CO_GENERATOR; importing inspect takes long


class _Mode:
    """Sets the recording mode of the thread on entry and puts back the old one on exit."""

    __slots__ = ("_before", "_enabled")

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(_set(self._enabled))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _set(self._before.pop())

    def __call__(self, function: F) -> F:
        enabled = self._enabled
        code = getattr(function, "__code__", None)
        if code is not None and code.co_flags & _GENERATOR:
            return cast(F, _wrap_generator(function, enabled))

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            before = _set(enabled)
            try:
                return function(*args, **kwargs)
            finally:
                _set(before)

        return cast(F, wrapper)


def _wrap_generator(function: Callable[..., Any], enabled: bool) -> Callable[..., Any]:
    """The mode holds inside the generator, not in the code between its values."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        send: Any = None
        while True:
            before = _set(enabled)
            try:
                value = generator.send(send)
            except StopIteration as stop:
                return stop.value
            finally:
                _set(before)
            send = yield value

    return wrapper


class no_grad(_Mode):
    """Nothing is recorded for gradients."""

    __slots__ = ()

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        mode = object.__new__(cls)
        if function is None:
            return mode
        mode.__init__()  # type: ignore[misc]
        return mode(function)  # @no_grad without brackets

    def __init__(self) -> None:
        super().__init__(False)


class inference_mode(_Mode):
    """no_grad by its other name; `mode=False` records."""

    __slots__ = ()

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode)


class enable_grad(_Mode):
    """Records, also inside of no_grad."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(True)


class set_grad_enabled(_Mode):
    """Records or not from this call on; as a context, until its end."""

    __slots__ = ()

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)
        self._before.append(_set(mode))

    def __enter__(self) -> None:
        return None


__all__ = ["enable_grad", "inference_mode", "is_grad_enabled", "no_grad", "set_grad_enabled"]
