"""Arguments of PyTorch that an op's schema has not, answered by other ops.

The native callable of an op tries its schema first; what does not fit comes here.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from . import _C
from ._C import ArgumentError, Generator, Tensor, dtype as Dtype, ops
from ._types import Number, TensorLike, beside


def _once(function: Callable[..., Any]) -> Callable[..., Any]:
    """A fallback whose own call of its op does not fit either ends there, with the op's text."""
    running = threading.local()

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if getattr(running, "inside", False):
            raise TypeError("neither the op nor its fallback takes the arguments")
        running.inside = True
        try:
            return function(*args, **kwargs)
        finally:
            running.inside = False

    return call


def _with_alpha(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def call(input: TensorLike, other: TensorLike, *, alpha: Number = 1) -> Tensor:
        return function(input, other if alpha == 1 else other * alpha)

    return call


def _with_rounding(suffix: str) -> Callable[..., Tensor]:
    def call(
        input: TensorLike, other: TensorLike, *, rounding_mode: str | None = None
    ) -> Tensor:
        if rounding_mode == "floor":
            return getattr(ops, "floor_divide" + suffix)(input, other)  # type: ignore[no-any-return]
        quotient = getattr(ops, "div" + suffix)(input, other)
        if rounding_mode is None:
            return quotient  # type: ignore[no-any-return]
        if rounding_mode != "trunc":
            raise ArgumentError(
                f"div: rounding_mode is '{rounding_mode}'; expected None, 'trunc' or 'floor'"
            )
        return getattr(ops, "trunc" + suffix)(quotient)  # type: ignore[no-any-return]

    return call


def _with_unbiased(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def call(
        input: Tensor,
        dim: Any = None,
        unbiased: bool = True,
        keepdim: bool = False,
        correction: Number | None = None,
    ) -> Tensor:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        degrees = int(unbiased) if correction is None else correction
        return function(input, dim, degrees, keepdim)

    return call


def _copy_into(input: Tensor, src: TensorLike, non_blocking: bool = False) -> Tensor:
    return ops.copy_(input, src)


def _scatter_with(suffix: str) -> Callable[..., Tensor]:
    def call(
        input: Tensor,
        dim: int,
        index: Tensor,
        src: TensorLike | None = None,
        *,
        value: Number | None = None,
        reduce: str | None = None,
    ) -> Tensor:
        given = value if src is None else src
        if reduce not in (None, "add"):
            raise ArgumentError(f"scatter{suffix}: reduce is '{reduce}'; expected None or 'add'")
        if given is None or reduce is None:
            return getattr(ops, "scatter" + suffix)(input, dim, index, given)  # type: ignore[no-any-return]
        amounts = given if isinstance(given, Tensor) else ops.full(index.shape, given, input.dtype)
        return getattr(ops, "scatter_add" + suffix)(input, dim, index, amounts)  # type: ignore[no-any-return]

    return call


def _index_add_with_alpha(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def call(
        input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1
    ) -> Tensor:
        return function(input, dim, index, source if alpha == 1 else source * alpha)

    return call


def _round(input: Tensor, *, decimals: int = 0) -> Tensor:
    scale = 10.0 ** abs(decimals)
    if decimals < 0:
        return ops.round(input / scale) * scale
    return ops.round(input * scale) / scale


def _round_into(input: Tensor, *, decimals: int = 0) -> Tensor:
    return ops.copy_(input, _round(input, decimals=decimals))


def _stable(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = True) -> Any:
        return function(input, dim, descending)  # equal elements keep their order anyway

    return call


def _norm(
    input: Tensor,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    dtype: Dtype | None = None,
) -> Tensor:
    if isinstance(p, str) and p != "fro":
        raise ArgumentError(f"norm: p is '{p}'; expected a number or 'fro'")
    numbers = input if dtype is None else input.to(dtype)
    return ops.norm(numbers, 2 if p in (None, "fro") else p, dim, keepdim)


def _where(condition: Tensor) -> tuple[Tensor, ...]:
    return _nonzero(condition, as_tuple=True)  # type: ignore[return-value]


def _nonzero(input: Tensor, *, as_tuple: bool = False) -> Tensor | tuple[Tensor, ...]:
    places = ops.nonzero(input)
    return places.unbind(1) if as_tuple else places


def _multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    if generator is None:
        return ops.multinomial(input, num_samples, replacement)
    shape = (*input.shape[:-1], num_samples)
    uniform = beside(input, ops.rand, shape, _C.float64, generator=generator)
    return ops.multinomial_pick(input, uniform, replacement)


def install() -> None:
    table: dict[str, Callable[..., Any]] = {
        "add": _with_alpha(ops.add),
        "add_": _with_alpha(ops.add_),
        "sub": _with_alpha(ops.sub),
        "sub_": _with_alpha(ops.sub_),
        "div": _with_rounding(""),
        "div_": _with_rounding("_"),
        "var": _with_unbiased(ops.var),
        "std": _with_unbiased(ops.std),
        "copy_": _copy_into,
        "scatter": _scatter_with(""),
        "scatter_": _scatter_with("_"),
        "index_add": _index_add_with_alpha(ops.index_add),
        "index_add_": _index_add_with_alpha(ops.index_add_),
        "round": _round,
        "round_": _round_into,
        "sort": _stable(ops.sort),
        "argsort": _stable(ops.argsort),
        "norm": _norm,
        "where": _where,
        "nonzero": _nonzero,
        "multinomial": _multinomial,
    }
    for name, function in table.items():
        _C.set_fallback(getattr(ops, name), _once(function))
