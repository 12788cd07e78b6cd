"""Errors in the name of the function that was called, where it is made of ops of other names."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ._C import Error, ops

F = TypeVar("F", bound=Callable[..., Any])


_named = {"size"}  # a method whose errors are about an axis that was given to the function


def rename(error: Error, name: str) -> None:
    """Puts `name` in the place of the op that an error begins with; other texts stay."""
    op, colon, rest = str(error).partition(":")
    if colon and op != name and (op in _named or hasattr(ops, op)):
        error.args = (f"{name}:{rest}",)


def named(function: F) -> F:
    """A function of ops whose errors speak of it and not of them."""
    name = function.__name__
    _named.add(name)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Error as error:
            rename(error, name)
            raise

    return call  # type: ignore[return-value]


def missing_attribute(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """What reading a missing name of a module raises: it tells the nearest one."""
    near: list[str] = []
    if not name.startswith("_"):  # such as __path__, which imports ask for
        import difflib  # slow to import, and rarely needed

        near = difflib.get_close_matches(name, [k for k in known if not k.startswith("_")], 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    # With a name and no object, Python does not add a hint of its own.
    return AttributeError(f"module '{module}' has no attribute '{name}'{hint}", name=name)
