"""Convolutions."""

from __future__ import annotations

import math
from typing import Any

from .._C import ArgumentError, Tensor, dtype as Dtype, ops
from .._factories import empty
from .._types import DeviceLike, Ints
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


class _Conv(Module):
    """What the convolutions have in common; `_axes` is the number of axes of an image."""

    weight: Parameter
    bias: Parameter | None
    _axes = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Any = 0,
        dilation: Ints = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if in_channels % groups or out_channels % groups:
            raise ArgumentError(
                f"{name}: {in_channels} and {out_channels} channels do not divide into "
                f"{groups} groups"
            )
        if padding_mode != "zeros":
            raise ArgumentError(f"{name}: padding_mode is '{padding_mode}'; expected 'zeros'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = self._per_axis(kernel_size)
        self.stride = self._per_axis(stride)
        self.padding = padding if isinstance(padding, str) else self._per_axis(padding)
        self.dilation = self._per_axis(dilation)
        self.groups = groups
        self.padding_mode = padding_mode
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        made = Parameter(empty(out_channels, device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def _per_axis(self, value: Ints) -> tuple[int, ...]:
        return (value,) * self._axes if isinstance(value, int) else tuple(value)

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init.calculate_fans(self.weight)
            if fan_in:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def extra_repr(self) -> str:
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        zeros, ones = (0,) * self._axes, (1,) * self._axes
        usual_values = {
            "padding": zeros, "dilation": ones, "output_padding": zeros, "groups": 1
        }
        for name, usual in usual_values.items():
            value = getattr(self, name, usual)
            if value != usual:
                text += f", {name}={value}" if value != "same" else f", {name}='same'"
        return text if self.bias is not None else text + ", bias=False"


class Conv1d(_Conv):
    """Convolution of [n, channels, length]."""

    _axes = 1

    def forward(self, input: Tensor) -> Tensor:
        return F.conv1d(
            input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        )


class Conv2d(_Conv):
    """Convolution of [n, channels, height, width]."""

    _axes = 2

    def forward(self, input: Tensor) -> Tensor:
        if isinstance(self.padding, str):
            return F.conv2d(
                input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
            )
        return ops.conv2d(
            input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        )
