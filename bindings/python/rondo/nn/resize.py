"""Images of other sizes: interpolation, and padding that continues what is there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._C import ArgumentError, ShapeError, Tensor, float64, int64, ops
from .._errors import named
from .._types import beside

_AXES = {"nearest": (1, 2), "linear": (1,), "bilinear": (2,)}


@named
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """[n, channels, length] or [n, channels, height, width] at another size."""
    axes = input.ndim - 2
    if mode not in _AXES or axes not in _AXES[mode]:
        raise ArgumentError(
            f"interpolate: mode is '{mode}', input is {list(input.shape)}; expected 'nearest', "
            "'linear' for three axes or 'bilinear' for four"
        )
    if (size is None) == (scale_factor is None):
        raise ArgumentError("interpolate: give size or scale_factor, and not both")
    factors: list[float | None] = [None] * axes
    if size is None:
        listed = scale_factor if isinstance(scale_factor, (tuple, list)) else [scale_factor] * axes
        factors = [float(factor) for factor in listed]
        wanted = [math.floor(n * f) for n, f in zip(input.shape[2:], factors)]  # type: ignore[operator]
    else:
        wanted = [int(n) for n in (size if isinstance(size, (tuple, list)) else [size] * axes)]
    for i, (count, factor) in enumerate(zip(wanted, factors)):
        if mode == "nearest":
            input = _nearest(input, 2 + i, count, factor)
        else:
            input = _linear(input, 2 + i, count, factor, bool(align_corners))
    return input


def _nearest(input: Tensor, axis: int, count: int, factor: float | None) -> Tensor:
    have = input.size(axis)
    step = have / count if factor is None else 1 / factor
    places = beside(input, ops.arange, 0, count, 1, float64)
    places = ops.clamp(ops.floor(places * step), 0, have - 1)
    return ops.index_select(input, axis, places.to(int64))


def _linear(input: Tensor, axis: int, count: int, factor: float | None, corners: bool) -> Tensor:
    have = input.size(axis)
    place = beside(input, ops.arange, 0, count, 1, float64)
    if corners:
        place = place * ((have - 1) / (count - 1) if count > 1 else 0.0)
    else:
        step = have / count if factor is None else 1 / factor
        place = ops.clamp((place + 0.5) * step - 0.5, 0)
    low = ops.clamp(ops.floor(place), None, have - 1)
    weight = (place - low).to(input.dtype).reshape([-1] + [1] * (input.ndim - axis - 1))
    first = low.to(int64)
    one = ops.index_select(input, axis, first)
    two = ops.index_select(input, axis, ops.clamp(first + 1, None, have - 1))
    return one * (1 - weight) + two * weight


@named
def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """Elements around the last axes: of one value, or by "reflect", "replicate" or "circular"."""
    if mode == "constant":
        return ops.pad(input, pad, mode, 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise ArgumentError(
            f"pad: mode is '{mode}'; expected 'constant', 'reflect', 'replicate' or 'circular'"
        )
    if len(pad) % 2 or len(pad) > 2 * input.ndim:
        raise ArgumentError(
            f"pad: {len(pad)} numbers for shape {list(input.shape)}; two for each of the last axes "
            "are required"
        )
    for i in range(0, len(pad), 2):
        input = _continued(input, input.ndim - 1 - i // 2, pad[i], pad[i + 1], mode)
    return input


def _continued(input: Tensor, axis: int, before: int, after: int, mode: str) -> Tensor:
    size = input.size(axis)
    most = {"reflect": size - 1, "circular": size}.get(mode)
    if most is not None and max(before, after) > most:
        raise ShapeError(
            f"pad: {before} and {after} elements by '{mode}' at an axis of {size}; at most {most} "
            "are possible"
        )
    places = beside(input, ops.arange, -before, size + after)
    if mode == "replicate":
        places = ops.clamp(places, 0, size - 1)
    elif mode == "circular":
        places = ops.remainder(places, size)
    else:
        places = (size - 1) - ops.abs((size - 1) - ops.abs(places))
    return ops.index_select(input, axis, places)
