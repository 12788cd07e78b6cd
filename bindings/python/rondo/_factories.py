"""New tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _C
from ._C import ArgumentError, Generator, Tensor, dtype as Dtype, ops
from ._errors import named
from ._types import DeviceLike, Number, TensorLike, check_device, sizes_of

_float32 = _C.float32


def _finish(tensor: Tensor, device: DeviceLike, requires_grad: bool) -> Tensor:
    if device is not None:
        check_device(device)
    return tensor.requires_grad_(True) if requires_grad else tensor


def tensor(
    data: Any,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A copy of numbers, nested lists, arrays or tensors."""
    return _finish(_C.tensor(data, dtype), device, requires_grad)


@named
def scalar_tensor(
    s: Number, *, dtype: Dtype | None = None, device: DeviceLike = None, requires_grad: bool = False
) -> Tensor:
    """A tensor without axes, float32 by default."""
    return _finish(ops.full((), s, dtype or _float32), device, requires_grad)


@named
def as_tensor(data: Any, dtype: Dtype | None = None, device: DeviceLike = None) -> Tensor:
    """A tensor over the same memory where that is possible, else a copy."""
    check_device(device)
    if isinstance(data, Tensor):
        return data if dtype is None or dtype == data.dtype else data.to(dtype)
    if hasattr(data, "__array_struct__") and getattr(data, "ndim", 0) > 0:
        shared = _C.from_numpy(data)
        return shared if dtype is None or dtype == shared.dtype else shared.to(dtype)
    return _C.tensor(data, dtype)


asarray = as_tensor


def empty(
    *size: Any,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    **extra: Any,
) -> Tensor:
    """Uninitialised."""
    shape = sizes_of("empty", (extra.pop("size"),) if "size" in extra else size)
    made = _C.empty(shape, dtype or _float32, check_device(device))
    return _finish(made, None, requires_grad)


def full(
    size: Sequence[int] | int,
    fill_value: TensorLike,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Every element is `fill_value`."""
    return _finish(ops.full(size, fill_value, dtype), device, requires_grad)


@named
def zeros(
    *size: Any,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    **extra: Any,
) -> Tensor:
    shape = sizes_of("zeros", (extra.pop("size"),) if "size" in extra else size)
    return _finish(ops.full(shape, 0, dtype or _float32), device, requires_grad)


@named
def ones(
    *size: Any,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    **extra: Any,
) -> Tensor:
    shape = sizes_of("ones", (extra.pop("size"),) if "size" in extra else size)
    return _finish(ops.full(shape, 1, dtype or _float32), device, requires_grad)


@named
def empty_like(
    input: Tensor,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    return empty(input.shape, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)


@named
def full_like(
    input: Tensor,
    fill_value: TensorLike,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    made = ops.full(input.shape, fill_value, dtype or input.dtype)
    return _finish(made, device, requires_grad)


@named
def zeros_like(
    input: Tensor,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    return full_like(input, 0, dtype=dtype, device=device, requires_grad=requires_grad)


@named
def ones_like(
    input: Tensor,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    return full_like(input, 1, dtype=dtype, device=device, requires_grad=requires_grad)


def arange(
    start: Number,
    end: Number | None = None,
    step: Number = 1,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """start, start + step, ... below end; arange(n) starts at 0."""
    first, last = (0, start) if end is None else (start, end)
    return _finish(ops.arange(first, last, step, dtype), device, requires_grad)


def linspace(
    start: float,
    end: float,
    steps: int,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """`steps` numbers from start to end, at equal distances, both ends exact."""
    return _finish(ops.linspace(start, end, steps, dtype or _float32), device, requires_grad)


def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """1 on the diagonal, 0 elsewhere."""
    return _finish(ops.eye(n, m, dtype or _float32), device, requires_grad)


def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    **extra: Any,
) -> Tensor:
    """Uniform in [0, 1)."""
    shape = sizes_of("rand", (extra.pop("size"),) if "size" in extra else size)
    made = ops.rand(shape, dtype or _float32, generator=generator)
    return _finish(made, device, requires_grad)


def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    **extra: Any,
) -> Tensor:
    """Normal with mean 0 and variance 1."""
    shape = sizes_of("randn", (extra.pop("size"),) if "size" in extra else size)
    made = ops.randn(shape, dtype or _float32, generator=generator)
    return _finish(made, device, requires_grad)


def randint(
    *args: Any,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """randint(high, size) or randint(low, high, size): integers in [low, high)."""
    values = list(args)
    size = named.pop("size") if "size" in named else values.pop()
    high = named.pop("high") if "high" in named else values.pop()
    low = named.pop("low") if "low" in named else (values.pop() if values else 0)
    if values or named:
        raise ArgumentError("randint: too many arguments; expected low, high and size")
    made = ops.randint(low, high, size, dtype or _C.int64, generator=generator)
    return _finish(made, device, requires_grad)


@named
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
) -> Tensor:
    """The numbers 0 to n - 1 in random order."""
    if generator is None:
        order = ops.randperm(n)
    else:
        order = ops.argsort(ops.rand((n,), _C.float64, generator=generator))
    check_device(device)
    return order if dtype is None else order.to(dtype)


@named
def normal(
    mean: TensorLike,
    std: TensorLike = 1.0,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Normal numbers with the given means and deviations."""
    if size is None:
        both = mean + std
        size = both.shape if isinstance(both, Tensor) else ()
    return ops.randn(size, generator=generator) * std + mean


@named
def rand_like(input: Tensor, *, dtype: Dtype | None = None, device: DeviceLike = None) -> Tensor:
    return rand(input.shape, dtype=dtype or input.dtype, device=device)


@named
def randn_like(input: Tensor, *, dtype: Dtype | None = None, device: DeviceLike = None) -> Tensor:
    return randn(input.shape, dtype=dtype or input.dtype, device=device)


@named
def randint_like(
    input: Tensor, low: int, high: int | None = None, *, dtype: Dtype | None = None
) -> Tensor:
    bounds = (0, low) if high is None else (low, high)
    return randint(*bounds, input.shape, dtype=dtype or input.dtype)
