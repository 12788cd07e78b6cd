"""gradcheck: gradients compared with differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _C
from ._C import ArgumentError, Error, Tensor, ops
from ._grad_mode import no_grad


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Whether the gradients of a function are those of central differences; best in float64."""
    args = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    watched = [
        i for i, a in enumerate(args) if isinstance(a, Tensor) and a.requires_grad
    ]
    if not watched:
        raise ArgumentError("gradcheck: no input requires a gradient; set requires_grad first")
    results = _results(func, args)
    for number, result in enumerate(results):
        for i in watched:
            analytical = _analytical(func, args, number, i)
            numerical = _numerical(func, args, number, i, eps, result.numel())
            far = ops.amax(ops.abs(analytical - numerical) - rtol * ops.abs(numerical))
            if analytical.numel() and float(far) > atol:
                if not raise_exception:
                    return False
                raise Error(
                    f"gradcheck: result {number} with respect to input {i}: the gradient is\n"
                    f"{analytical}\ndifferences give\n{numerical}"
                )
    return True


def _results(func: Callable[..., Any], args: list[Any]) -> list[Tensor]:
    results = func(*args)
    listed = results if isinstance(results, (tuple, list)) else [results]
    return [r for r in listed if isinstance(r, Tensor) and r.is_floating_point()]


def _analytical(func: Callable[..., Any], args: list[Any], number: int, place: int) -> Tensor:
    """The matrix of derivatives: a row for each element of the result."""
    result = _results(func, args)[number]
    rows = []
    for k in range(result.numel()):
        weight = result.new_zeros(result.numel())
        weight[k] = 1
        given = weight.reshape(result.shape)
        (row,) = _C.grad((result,), (args[place],), (given,), True, False, True)
        rows.append(
            args[place].new_zeros(args[place].numel()) if row is None else row.reshape(-1)
        )
    return ops.stack(rows) if rows else ops.full((0, args[place].numel()), 0, result.dtype)


@no_grad()
def _numerical(
    func: Callable[..., Any], args: list[Any], number: int, place: int, eps: float, count: int
) -> Tensor:
    columns = []
    for k in range(args[place].numel()):
        ends = []
        for step in (eps, -eps):
            flat = args[place].detach().clone().reshape(-1)
            flat[k] += step
            moved = [*args[:place], flat.reshape(args[place].shape), *args[place + 1 :]]
            ends.append(_results(func, moved)[number].reshape(-1))
        columns.append((ends[0] - ends[1]) / (2 * eps))
    return ops.stack(columns, 1) if columns else ops.full((count, 0), 0, args[place].dtype)
