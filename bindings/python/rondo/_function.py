"""autograd.Function: a function with a gradient of its own, both written in Python."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from . import _C
from ._C import ArgumentError, Tensor
from ._factories import zeros
from ._grad_mode import no_grad

F = TypeVar("F", bound=Callable[..., Any])


class FunctionCtx:
    """What forward leaves for backward."""

    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        self.saved_tensors: tuple[Tensor, ...] = ()  # in backward; forward keeps them elsewhere
        self._to_save: tuple[Tensor | None, ...] = ()
        self._plain: tuple[Tensor, ...] = ()
        self._dirty: tuple[Tensor, ...] = ()
        self._materialize = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors (or None) for `saved_tensors`; one written in place since is an error."""
        self._to_save = tensors

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        self._plain = outputs

    def mark_dirty(self, *inputs: Tensor) -> None:
        """Says which inputs forward has written in place."""
        self._dirty = inputs

    def set_materialize_grads(self, value: bool) -> None:
        """Whether a gradient that did not come is zeros in backward (the default), or None."""
        self._materialize = value


def _is_among(tensor: Any, group: tuple[Any, ...]) -> bool:
    return any(tensor is other for other in group)


class Function:
    """Base of functions with `forward(ctx, *args)` and `backward(ctx, *grads)`; called by `apply`.

    With a `setup_context(ctx, inputs, output)`, forward takes no ctx.
    """

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("Function: forward is missing; write it as a static method")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise NotImplementedError("Function: backward is missing; write it as a static method")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        records = _C.is_grad_enabled() and any(ctx.needs_input_grad)
        with no_grad():
            output = cls._run(ctx, args)
            results = output if isinstance(output, tuple) else (output,)
            results = tuple(_own(ctx, r, args) for r in results)
        if records:
            _record(cls, ctx, args, results)
        return results if isinstance(output, tuple) else results[0]

    @classmethod
    def _run(cls, ctx: FunctionCtx, args: tuple[Any, ...]) -> Any:
        setup = getattr(cls, "setup_context", None)
        if setup is None:
            return cls.forward(ctx, *args)
        output = cls.forward(*args)
        setup(ctx, args, output)
        return output


def _own(ctx: FunctionCtx, result: Any, args: tuple[Any, ...]) -> Any:
    """A result that is an input gets an object of its own, unless it was written in place."""
    if isinstance(result, Tensor) and _is_among(result, args) and not _is_among(result, ctx._dirty):
        return result.detach()
    return result


def _record(
    cls: type[Function], ctx: FunctionCtx, args: tuple[Any, ...], results: tuple[Any, ...]
) -> None:
    name = cls.__name__
    outputs = [
        r for r in results
        if isinstance(r, Tensor) and r.is_floating_point() and not _is_among(r, ctx._plain)
    ]
    places = [isinstance(r, Tensor) and _is_among(r, tuple(outputs)) for r in results]
    shapes = [(r.shape, r.dtype, r.device) for r in outputs]
    inputs = [a for a in args if isinstance(a, Tensor)]
    saved = [t for t in ctx._to_save if t is not None]
    filled = [t is not None for t in ctx._to_save]
    ctx._to_save = ctx._plain = ctx._dirty = ()

    def backward(kept: tuple[Tensor, ...], grads: tuple[Any, ...]) -> tuple[Tensor | None, ...]:
        remaining = iter(kept)
        ctx.saved_tensors = tuple(next(remaining) if f else None for f in filled)  # type: ignore[misc]
        if ctx._materialize:
            grads = tuple(
                zeros(shape, dtype=dtype, device=device) if g is None else g
                for g, (shape, dtype, device) in zip(grads, shapes)
            )
        given = iter(grads)
        try:
            found = cls.backward(ctx, *(next(given) if place else None for place in places))
        finally:
            ctx.saved_tensors = ()
        return _checked(name, found, args_are_tensors)

    args_are_tensors = [isinstance(a, Tensor) for a in args]
    _C.record_function(name, backward, inputs, outputs, saved)


def _checked(name: str, found: Any, tensors: list[bool]) -> tuple[Tensor | None, ...]:
    listed = found if isinstance(found, tuple) else (found,)
    if len(listed) < len(tensors) or any(g is not None for g in listed[len(tensors) :]):
        raise ArgumentError(
            f"{name}: backward gave {len(listed)} gradients; expected one for each of "
            f"{len(tensors)} arguments of forward, None where there is none"
        )
    for i, gradient in enumerate(listed[: len(tensors)]):
        if gradient is not None and not (tensors[i] and isinstance(gradient, Tensor)):
            wanted = "Tensor or None" if tensors[i] else "None, since the argument is no Tensor"
            raise ArgumentError(
                f"{name}: backward gave {type(gradient).__name__} for argument {i}; "
                f"expected {wanted}"
            )
    return tuple(g for g, is_tensor in zip(listed, tensors) if is_tensor)


def once_differentiable(function: F) -> F:
    """A backward that is not differentiated again: its results have no history."""

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        with no_grad():
            return function(*args)

    return call  # type: ignore[return-value]
