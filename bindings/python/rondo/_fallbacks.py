"""Arguments of PyTorch that an op's schema has not, answered by other ops.

The native callable of an op tries its schema first; what does not fit comes here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _C
from ._C import ArgumentError, Generator, Tensor, ops
from ._types import Number, TensorLike, beside


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
        "where": _where,
        "nonzero": _nonzero,
        "multinomial": _multinomial,
    }
    for name, function in table.items():
        _C.set_fallback(getattr(ops, name), function)
