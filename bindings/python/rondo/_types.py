"""Names for the types of arguments, and the checks that several functions share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, Union

from . import _C
from ._C import ArgumentError, IndexError, Tensor, device, dtype

Number: TypeAlias = Union[bool, int, float]
TensorLike: TypeAlias = Union[Tensor, Number]
Ints: TypeAlias = Union[int, Sequence[int]]
DeviceLike: TypeAlias = Union[device, str, int, None]

CPU = device("cpu")


def check_device(wanted: DeviceLike) -> device:
    """The device, if tensors can live there: an int is the number of a GPU."""
    if wanted is None:
        return CPU
    if isinstance(wanted, int):
        found = device("cuda", wanted)
    else:
        found = wanted if isinstance(wanted, device) else device(wanted)
    _C.check_device(found)
    return found


class on_device:
    """For a scope: calls without tensors put their results on a device."""

    def __init__(self, wanted: DeviceLike) -> None:
        self._device = check_device(wanted)

    def __enter__(self) -> None:
        self._before = _C.set_default_device(self._device)

    def __exit__(self, *_: object) -> None:
        _C.set_default_device(self._before)


def beside(tensor: Tensor, op: Callable[..., Tensor], *args: Any, **named: Any) -> Tensor:
    """What op(*args), which takes no tensor, gives on the device of `tensor`."""
    if not tensor.is_cuda:
        return op(*args, **named)
    with on_device(tensor.device):
        return op(*args, **named)


def where_to(args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, DeviceLike]:
    """The dtype and the device among the arguments of `to`, each None where none is given."""
    dtype_, device_ = options.get("dtype"), options.get("device")
    for arg in args:
        if isinstance(arg, Tensor):
            dtype_, device_ = arg.dtype, arg.device
        elif isinstance(arg, dtype) or arg in (float, int, bool):
            dtype_ = arg
        elif isinstance(arg, (str, device)) or (isinstance(arg, int) and not isinstance(arg, bool)):
            device_ = arg
        elif arg is not None and not isinstance(arg, bool):  # bool: non_blocking, copy
            raise ArgumentError(
                f"to: an argument is {type(arg).__name__}; expected dtype, device or Tensor"
            )
    for text in (dtype_, device_):
        if isinstance(text, str) and isinstance(getattr(_C, text, None), dtype):
            raise ArgumentError(f"to: '{text}' is the name of a dtype; pass rondo.{text}")
    return dtype_, device_


def sizes_of(op: str, size: tuple[Any, ...]) -> tuple[int, ...]:
    """The sizes of `op(2, 3)` and of `op((2, 3))`."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        return tuple(size[0])
    for part in size:
        if not hasattr(part, "__index__"):
            raise ArgumentError(f"{op}: size is {type(part).__name__}; expected int or ints")
    return size


def axis_of(op: str, dim: int, rank: int) -> int:
    """The axis counted from 0."""
    if not -rank <= dim < rank:
        raise IndexError(
            f"{op}: axis out of range: {dim}; expected {-rank} to {rank - 1} for rank {rank}"
        )
    return dim % rank


def single(value: Ints) -> int:
    """The number for the only axis."""
    return value if isinstance(value, int) else value[0]


def pair(value: Ints) -> tuple[int, ...]:
    """A number for each of two axes."""
    return (value, value) if isinstance(value, int) else tuple(value)


__all__ = ["CPU", "DeviceLike", "Ints", "Number", "TensorLike", "axis_of", "beside", "check_device",
           "dtype", "on_device", "pair", "single", "sizes_of", "where_to"]
