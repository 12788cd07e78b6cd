"""Names for the types of arguments, and the checks that several functions share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, Union

from ._C import ArgumentError, DeviceError, Tensor, device, dtype

Number: TypeAlias = Union[bool, int, float]
TensorLike: TypeAlias = Union[Tensor, Number]
Ints: TypeAlias = Union[int, Sequence[int]]
DeviceLike: TypeAlias = Union[device, str, None]

CPU = device("cpu")


def check_device(wanted: DeviceLike) -> device:
    """The device, if this build can hold tensors there."""
    if wanted is None:
        return CPU
    found = wanted if isinstance(wanted, device) else device(wanted)
    if found.type != "cpu":
        raise DeviceError(
            f"device: {found} needs a plug-in for {found.type}, and none is installed; "
            "tensors of this build live on cpu"
        )
    return found


def sizes_of(op: str, size: tuple[Any, ...]) -> tuple[int, ...]:
    """The sizes of `op(2, 3)` and of `op((2, 3))`."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        return tuple(size[0])
    for part in size:
        if not hasattr(part, "__index__"):
            raise ArgumentError(f"{op}: size is {type(part).__name__}; expected int or ints")
    return size


def pair(value: Ints) -> tuple[int, ...]:
    """A number for each of two axes."""
    return (value, value) if isinstance(value, int) else tuple(value)


__all__ = ["CPU", "DeviceLike", "Ints", "Number", "TensorLike", "check_device", "dtype", "pair",
           "sizes_of"]
