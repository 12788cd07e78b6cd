"""New tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _C
from ._C import ArgumentError, Generator, Tensor, dtype as Dtype, ops
from ._errors import named
from ._types import DeviceLike, Number, TensorLike, check_device, on_device, sizes_of

_float32 = _C.float32


def _finish(tensor: Tensor, device: DeviceLike, requires_grad: bool) -> Tensor:
    if device is not None:
        tensor = _C.to_device(tensor, check_device(device))
    return tensor.requires_grad_(True) if requires_grad else tensor


def _make(
    device: DeviceLike, requires_grad: bool, op: Callable[..., Tensor], *args: Any, **named: Any
) -> Tensor:
    """What op(*args) gives when it runs on the device."""
    if device is None:
        made = op(*args, **named)
        return made.requires_grad_(True) if requires_grad else made
    with on_device(device):
        made = op(*args, **named)
    return _finish(made, device, requires_grad)


def like(input: Tensor, device: DeviceLike) -> DeviceLike:
    """The device that was asked for, or that of the tensor; None for the host."""
    return input.device if device is None and not input.is_cpu else device


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
    return _make(device, requires_grad, ops.full, (), s, dtype or _float32)


@named
def as_tensor(data: Any, dtype: Dtype | None = None, device: DeviceLike = None) -> Tensor:
    """A tensor over the same memory where that is possible, else a copy."""
    if isinstance(data, Tensor):
        return data.to(device, dtype)
    if hasattr(data, "__array_struct__") and getattr(data, "ndim", 0) > 0:
        return _C.from_numpy(data).to(device, dtype)
    return _finish(_C.tensor(data, dtype), device, False)


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
    return _make(device, requires_grad, ops.full, size, fill_value, dtype)


@named
def zeros(
    *size: Any,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    **extra: Any,
) -> Tensor:
    shape = sizes_of("zeros", (extra.pop("size"),) if "size" in extra else size)
    return _make(device, requires_grad, ops.full, shape, 0, dtype or _float32)


@named
def ones(
    *size: Any,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    **extra: Any,
) -> Tensor:
    shape = sizes_of("ones", (extra.pop("size"),) if "size" in extra else size)
    return _make(device, requires_grad, ops.full, shape, 1, dtype or _float32)


@named
def empty_like(
    input: Tensor,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    place = like(input, device)
    return empty(input.shape, dtype=dtype or input.dtype, device=place, requires_grad=requires_grad)


@named
def full_like(
    input: Tensor,
    fill_value: TensorLike,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    place, kind = like(input, device), dtype or input.dtype
    return _make(place, requires_grad, ops.full, input.shape, fill_value, kind)


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
    start: Number | None = None,
    end: Number | None = None,
    step: Number = 1,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """start, start + step, ... below end; arange(n) starts at 0."""
    first, last = (0, start) if end is None else (start or 0, end)
    if last is None:
        raise ArgumentError("arange: end is missing; expected number")
    return _make(device, requires_grad, ops.arange, first, last, step, dtype)


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
    return _make(device, requires_grad, ops.linspace, start, end, steps, dtype or _float32)


def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """1 on the diagonal, 0 elsewhere."""
    return _make(device, requires_grad, ops.eye, n, m, dtype or _float32)


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
    kind = dtype or _float32
    return _make(device, requires_grad, ops.rand, shape, kind, generator=generator)


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
    kind = dtype or _float32
    return _make(device, requires_grad, ops.randn, shape, kind, generator=generator)


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
    kind = dtype or _C.int64
    return _make(device, requires_grad, ops.randint, low, high, size, kind, generator=generator)


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
    return order.to(device, dtype)


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
    place = next((t.device for t in (mean, std) if isinstance(t, Tensor)), None)
    return randn(size, generator=generator, device=place) * std + mean


@named
def rand_like(
    input: Tensor,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    place = like(input, device)
    return rand(input.shape, dtype=dtype or input.dtype, device=place, requires_grad=requires_grad)


@named
def randn_like(
    input: Tensor,
    *,
    dtype: Dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    place = like(input, device)
    return randn(input.shape, dtype=dtype or input.dtype, device=place, requires_grad=requires_grad)


@named
def randint_like(
    input: Tensor, low: int, high: int | None = None, *, dtype: Dtype | None = None
) -> Tensor:
    bounds = (0, low) if high is None else (low, high)
    return randint(*bounds, input.shape, dtype=dtype or input.dtype, device=like(input, None))
