"""Padding and changes of places, as modules."""

from __future__ import annotations

from .._C import Tensor, ops
from .._types import Ints
from .images import pixel_shuffle, pixel_unshuffle
from .module import Module
from .resize import pad


class _Pad(Module):
    """Elements around the last `_axes` axes: `padding` is a number, or two for each axis."""

    _axes = 0

    def __init__(self, padding: Ints) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self._axes) if isinstance(padding, int) else tuple(padding)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    """Elements of one value."""

    def __init__(self, padding: Ints, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return ops.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    _axes = 1


class ConstantPad2d(_ConstantPad):
    _axes = 2


class ZeroPad2d(ConstantPad2d):
    def __init__(self, padding: Ints) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ContinuedPad(_Pad):
    """Elements that continue what is there."""

    _mode = ""

    def forward(self, input: Tensor) -> Tensor:
        return pad(input, self.padding, self._mode)


class ReflectionPad1d(_ContinuedPad):
    _axes, _mode = 1, "reflect"


class ReflectionPad2d(_ContinuedPad):
    _axes, _mode = 2, "reflect"


class ReplicationPad1d(_ContinuedPad):
    _axes, _mode = 1, "replicate"


class ReplicationPad2d(_ContinuedPad):
    _axes, _mode = 2, "replicate"


class CircularPad1d(_ContinuedPad):
    _axes, _mode = 1, "circular"


class CircularPad2d(_ContinuedPad):
    _axes, _mode = 2, "circular"


class PixelShuffle(Module):
    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
