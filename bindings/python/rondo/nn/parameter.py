"""Parameter: a tensor that a Module finds in itself."""

from __future__ import annotations

from typing import Any

from .._C import Tensor, empty as _empty, float32


class Parameter(Tensor):
    """A leaf that requires gradients and counts as a part of its module."""

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = _empty((0,), float32, "cpu")
        return cls._make_subclass(data, requires_grad)

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        pass

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class Buffer:
    """Marks a tensor that a Module keeps as a buffer when it is assigned."""

    def __init__(self, data: Tensor, *, persistent: bool = True) -> None:
        self.data = data
        self.persistent = persistent
