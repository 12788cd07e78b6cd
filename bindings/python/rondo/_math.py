"""Functions on elements and reductions that are made of ops: they fuse, and have their gradients."""

from __future__ import annotations

import builtins
import math
from typing import Any, NamedTuple

from ._C import ArgumentError, DtypeError, Tensor, bool as bool_, float64, int32, int64, ops
from ._errors import named
from ._types import Ints, Number, TensorLike, axis_of, beside

# Elements.


@named
def acosh(input: Tensor) -> Tensor:
    """Inverse hyperbolic cosine."""
    above = input - 1
    near = ops.log1p(above + ops.sqrt(above * (above + 2)))
    return ops.where(input > 1e7, ops.log(input) + math.log(2), near)


@named
def asinh(input: Tensor) -> Tensor:
    """Inverse hyperbolic sine."""
    size = ops.abs(input)
    bounded = ops.clamp(size, None, 1e7)
    near = ops.log1p(bounded + bounded * bounded / (1 + ops.sqrt(1 + bounded * bounded)))
    far = ops.log(ops.clamp(size, 1.0)) + math.log(2)
    outside = copysign(ops.where(size > 1e7, far, near), input)
    return ops.where(size < 1e-4, input - input * input * input * (1 / 6), outside)


@named
def atanh(input: Tensor) -> Tensor:
    """Inverse hyperbolic tangent."""
    return 0.5 * (ops.log1p(input) - ops.log1p(-input))


arccosh, arcsinh, arctanh = acosh, asinh, atanh


@named
def deg2rad(input: Tensor) -> Tensor:
    return input * (math.pi / 180)


@named
def rad2deg(input: Tensor) -> Tensor:
    return input * (180 / math.pi)


@named
def frac(input: Tensor) -> Tensor:
    """What is behind the point, with the sign of the number."""
    return input - ops.trunc(input)


@named
def hypot(input: Tensor, other: Tensor) -> Tensor:
    """sqrt(input ** 2 + other ** 2), without overflow on the way."""
    one, two = ops.abs(input), ops.abs(other)
    large, small = ops.maximum(one, two), ops.minimum(one, two)
    ratio = small / ops.where(large == 0, 1, large)
    length = large * ops.sqrt(1 + ratio * ratio)
    return ops.where(ops.isinf(one) | ops.isinf(two), math.inf, length)


@named
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """log(exp(input) + exp(other)), without overflow."""
    largest = ops.maximum(input, other)
    distance = ops.where(input == other, 0, ops.abs(input - other))
    return largest + ops.log1p(ops.exp(-distance))


@named
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """log2(2 ** input + 2 ** other), without overflow."""
    largest = ops.maximum(input, other)
    distance = ops.where(input == other, 0, ops.abs(input - other))
    return largest + ops.log1p(ops.exp2(-distance)) * (1 / math.log(2))


@named
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(input / (1 - input)), the inverse of sigmoid."""
    part = input if eps is None else ops.clamp(input, eps, 1 - eps)
    return ops.log(part) - ops.log1p(-part)


@named
def sinc(input: Tensor) -> Tensor:
    """sin(pi * input) / (pi * input), 1 at 0."""
    angle = ops.where(input == 0, 1, input) * math.pi
    return ops.where(input == 0, 1, ops.sin(angle) / angle)


@named
def xlogy(input: TensorLike, other: TensorLike) -> Tensor:
    """input * log(other), 0 where input is 0."""
    zero = ops.eq(input, 0) & ~ops.isnan(other)
    return input * ops.log(ops.where(zero, 1, other))


def signbit(input: Tensor) -> Tensor:
    """Whether the number is negative; -0.0 is."""
    if not input.is_floating_point():
        return input < 0
    return (input < 0) | ((input == 0) & (1 / input < 0))


@named
def copysign(input: Tensor, other: TensorLike) -> Tensor:
    """The size of `input` with the sign of `other`."""
    if isinstance(other, Tensor):
        return ops.where(signbit(other), -ops.abs(input), ops.abs(input))
    return ops.abs(input) * math.copysign(1, other)


def positive(input: Tensor) -> Tensor:
    if input.dtype == bool_:
        raise DtypeError("positive: input is bool; expected numbers")
    return input


@named
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, 1 above it, `values` at 0."""
    return ops.where(input == 0, values, (input > 0).to(input.dtype))


@named
def float_power(input: TensorLike, exponent: TensorLike) -> Tensor:
    """The power in float64."""
    base = ops.cast(input, float64) if isinstance(input, Tensor) else float(input)
    power = ops.cast(exponent, float64) if isinstance(exponent, Tensor) else float(exponent)
    return ops.pow(base, power)


@named
def fmax(input: Tensor, other: Tensor) -> Tensor:
    """The larger element; of NaN and a number the number."""
    largest = ops.maximum(input, other)
    return ops.where(ops.isnan(input), other, ops.where(ops.isnan(other), input, largest))


@named
def fmin(input: Tensor, other: Tensor) -> Tensor:
    """The smaller element; of NaN and a number the number."""
    least = ops.minimum(input, other)
    return ops.where(ops.isnan(input), other, ops.where(ops.isnan(other), input, least))


@named
def clamp_min(input: Tensor, min: TensorLike) -> Tensor:
    return ops.clamp(input, min)


@named
def clamp_max(input: Tensor, max: TensorLike) -> Tensor:
    return ops.clamp(input, None, max)


@named
def clamp_min_(input: Tensor, min: TensorLike) -> Tensor:
    """The tensor becomes its elements or `min`, whichever is larger."""
    return ops.clamp_(input, min)


@named
def clamp_max_(input: Tensor, max: TensorLike) -> Tensor:
    """The tensor becomes its elements or `max`, whichever is smaller."""
    return ops.clamp_(input, None, max)


def isposinf(input: Tensor) -> Tensor:
    return input == math.inf


def isneginf(input: Tensor) -> Tensor:
    return input == -math.inf


# Reductions.


class MinMaxOfAll(NamedTuple):
    min: Tensor
    max: Tensor


class ValuesIndices(NamedTuple):
    values: Tensor
    indices: Tensor


@named
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> MinMaxOfAll:
    return MinMaxOfAll(ops.amin(input, dim, keepdim), ops.amax(input, dim, keepdim))


@named
def nansum(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Tensor:
    """The sum of what is not NaN."""
    return ops.sum(ops.where(ops.isnan(input), 0, input), dim, keepdim)


@named
def nanmean(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Tensor:
    """The mean of what is not NaN."""
    count = ops.sum((~ops.isnan(input)).to(input.dtype), dim, keepdim)
    return nansum(input, dim, keepdim) / count


@named
def quantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The numbers below which the parts `q` of the elements lie; NaN where an element is NaN."""
    parts = q.tolist() if isinstance(q, Tensor) else q
    listed = parts if isinstance(parts, (list, tuple)) else [parts]
    if any(not 0 <= part <= 1 for part in listed) or interpolation not in _QUANTILES:
        raise ArgumentError(
            f"quantile: q is {parts}, interpolation '{interpolation}'; expected numbers from 0 to "
            f"1, and one of {', '.join(_QUANTILES)}"
        )
    axis = 0 if dim is None else axis_of("quantile", dim, input.ndim)
    source = input.reshape(-1) if dim is None else input
    ordered = ops.sort(source, axis).values
    found = [_part_of(ordered, axis, part, interpolation) for part in listed]
    unknown = ops.any(ops.isnan(source), axis)
    found = [ops.where(unknown, math.nan, value) for value in found]
    if keepdim:
        shape = [1] * input.ndim if dim is None else _with_one(input, axis)
        found = [value.reshape(shape) for value in found]
    return ops.stack(found) if isinstance(parts, (list, tuple)) else found[0]


_QUANTILES = ("linear", "lower", "higher", "nearest", "midpoint")


def _with_one(input: Tensor, axis: int) -> list[int]:
    return [1 if i == axis else size for i, size in enumerate(input.shape)]


def _part_of(ordered: Tensor, axis: int, part: float, interpolation: str) -> Tensor:
    place = part * (ordered.size(axis) - 1)
    low, high = math.floor(place), math.ceil(place)
    if interpolation == "nearest":
        low = high = round(place)
    elif interpolation == "lower":
        high = low
    elif interpolation == "higher":
        low = high
    weight = 0.5 if interpolation == "midpoint" else place - low
    first = ops.select(ordered, axis, low)
    return first if low == high else ops.lerp(first, ops.select(ordered, axis, high), weight)


@named
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle element, the lower one of two; along `dim` values and indices."""
    if dim is None:
        flat = input.reshape(-1)
        return kthvalue(flat, (flat.numel() + 1) // 2).values
    return kthvalue(input, (input.size(dim) + 1) // 2, dim, keepdim)


@named
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """The k-th smallest elements along `dim`, counted from 1, and their places."""
    size = input.size(dim) if input.ndim else 1
    if not 1 <= k <= size:
        raise ArgumentError(f"kthvalue: k is {k}; expected 1 to {size}")
    values, indices = ops.sort(input, dim)
    first, second = ops.select(values, dim, k - 1), ops.select(indices, dim, k - 1)
    if keepdim:
        return ValuesIndices(ops.unsqueeze(first, dim), ops.unsqueeze(second, dim))
    return ValuesIndices(first, second)


@named
def msort(input: Tensor) -> Tensor:
    return ops.sort(input, 0).values


@named
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Each element less the one before, `n` times; what is given stands before or behind them."""
    parts = [part for part in (prepend, input, append) if part is not None]
    input = input if len(parts) == 1 else ops.cat(parts, dim)
    for _ in range(n):
        input = ops.slice(input, dim, 1, None) - ops.slice(input, dim, 0, -1)
    return input


@named
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number = 1, dim: int = -1) -> Tensor:
    """The area below the line through the points."""
    middle = (ops.slice(y, dim, 1, None) + ops.slice(y, dim, 0, -1)) * 0.5
    return ops.sum(middle * (dx if x is None else diff(x, 1, dim if x.ndim > 1 else 0)), dim)


trapz = trapezoid


@named
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    return ops.norm(input - other, p)


# Counting.


@named
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 on occurs, or the sum of its weights."""
    if input.ndim != 1 or input.is_floating_point():
        raise ArgumentError(
            f"bincount: input is {input.dtype} of shape {list(input.shape)}; expected integers of "
            "one axis"
        )
    if input.numel() and int(ops.amin(input)) < 0:
        raise ArgumentError("bincount: a number is negative; expected 0 or more")
    size = builtins.max(int(ops.amax(input)) + 1 if input.numel() else 0, minlength)
    dtype = int64 if weights is None else weights.dtype
    amounts: Any = input.new_ones(input.shape, dtype=dtype) if weights is None else weights
    return ops.scatter_add(input.new_zeros(size, dtype=dtype), 0, input.to(int64), amounts)


@named
def histc(input: Tensor, bins: int = 100, min: Number = 0, max: Number = 0) -> Tensor:
    """How many elements lie in each of `bins` parts of a range; of all elements if it is empty."""
    flat = input.reshape(-1)
    low, high = float(min), float(max)
    if low == high:
        low, high = float(ops.amin(flat)), float(ops.amax(flat))
    if low == high:
        low, high = low - 1, high + 1
    flat = flat[(flat >= low) & (flat <= high)]
    place = ops.clamp(ops.floor((flat - low) * (bins / (high - low))), 0, bins - 1)
    return bincount(place.to(int64), None, bins).to(input.dtype)


@named
def searchsorted(
    sorted_sequence: Tensor,
    values: TensorLike,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
) -> Tensor:
    """Where in a sorted vector each value belongs: before equal elements, with `right` behind them."""
    if sorted_sequence.ndim != 1:
        raise ArgumentError(
            f"searchsorted: sorted_sequence is {list(sorted_sequence.shape)}; expected one axis"
        )
    behind = right or side == "right"
    wanted = values if isinstance(values, Tensor) else beside(sorted_sequence, ops.full, (), values)
    flat = wanted.reshape(-1)
    parts = [sorted_sequence, flat] if behind else [flat, sorted_sequence]
    # Equal elements keep their order, so those that come first in `parts` do so when sorted.
    order = ops.argsort(ops.cat(parts))
    first = 0 if behind else flat.numel()
    known = (order >= first) & (order < first + sorted_sequence.numel())
    before = ops.cumsum(known, 0)
    places = ops.scatter(order.new_zeros(order.shape), 0, order, before)
    start = sorted_sequence.numel() if behind else 0
    found = ops.slice(places, 0, start, start + flat.numel()).reshape(wanted.shape)
    return found.to(int32) if out_int32 else found


@named
def bucketize(
    input: TensorLike, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """The number of the bucket, between sorted boundaries, of each element."""
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@named
def isin(elements: TensorLike, test_elements: TensorLike, *, invert: bool = False) -> Tensor:
    """Which elements are among the others."""
    tested = test_elements.reshape(-1) if isinstance(test_elements, Tensor) else test_elements
    spread = ops.unsqueeze(elements, -1) if isinstance(elements, Tensor) else elements
    found = ops.any(ops.eq(spread, tested), -1)
    return ~found if invert else found


def _starts(flat: Tensor) -> Tensor:
    """Which elements differ from the one before."""
    starts = beside(flat, ops.full, flat.shape, True)
    if flat.numel() > 1:
        starts[1:] = flat[1:] != flat[:-1]
    return starts


@named
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False
) -> Any:
    """The elements without those equal to the one before; also where each went to, and counts."""
    flat = input.reshape(-1)
    starts = _starts(flat)
    inverse = ops.cumsum(starts, 0) - 1
    results = [flat[starts]]
    if return_inverse:
        results.append(inverse.reshape(input.shape))
    if return_counts:
        results.append(bincount(inverse))
    return results[0] if len(results) == 1 else tuple(results)


@named
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Any:
    """The different elements in rising order; also where each went to, and how often each occurs."""
    flat = input.reshape(-1)
    ordered, places = ops.sort(flat)
    starts = _starts(ordered)
    numbers = ops.cumsum(starts, 0) - 1
    inverse = ops.scatter(places.new_zeros(flat.shape), 0, places, numbers)
    results = [ordered[starts]]
    if return_inverse:
        results.append(inverse.reshape(input.shape))
    if return_counts:
        results.append(bincount(inverse))
    return results[0] if len(results) == 1 else tuple(results)


__all__ = [
    "acosh",
    "aminmax",
    "arccosh",
    "arcsinh",
    "arctanh",
    "asinh",
    "atanh",
    "bincount",
    "bucketize",
    "clamp_max",
    "clamp_max_",
    "clamp_min",
    "clamp_min_",
    "copysign",
    "deg2rad",
    "diff",
    "dist",
    "float_power",
    "fmax",
    "fmin",
    "frac",
    "heaviside",
    "histc",
    "hypot",
    "isin",
    "isneginf",
    "isposinf",
    "kthvalue",
    "logaddexp",
    "logaddexp2",
    "logit",
    "median",
    "msort",
    "nanmean",
    "nansum",
    "positive",
    "quantile",
    "rad2deg",
    "searchsorted",
    "signbit",
    "sinc",
    "trapezoid",
    "trapz",
    "unique",
    "unique_consecutive",
    "xlogy",
]
