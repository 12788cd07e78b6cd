"""Transposed convolutions: the gradients of convolutions, as layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._C import ArgumentError, Tensor, dtype as Dtype
from .._factories import empty
from .._types import DeviceLike, Ints
from .conv import _Conv
from .images import conv_transpose1d, conv_transpose2d
from .parameter import Parameter


class _ConvTranspose(_Conv):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Ints = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Ints = 1,
        padding_mode: str = "zeros",
        device: DeviceLike = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
            padding_mode, device, dtype,
        )
        self.output_padding = self._per_axis(output_padding)
        shape = (in_channels, out_channels // groups, *self.kernel_size)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        self.reset_parameters()

    def _sizes(self, input: Tensor, output_size: Sequence[int] | None) -> tuple[int, ...]:
        """The padding of the output; `output_size` chooses among the sizes that are possible."""
        if output_size is None:
            return self.output_padding
        found = []
        for i, wanted in enumerate(output_size[-self._axes :]):
            reach = self.dilation[i] * (self.kernel_size[i] - 1) + 1
            least = (input.size(i - self._axes) - 1) * self.stride[i] + reach
            found.append(wanted - (least - 2 * int(self.padding[i])))
        if not all(0 <= more < step for more, step in zip(found, self.stride)):
            least_sizes = [size - more for size, more in zip(output_size[-self._axes :], found)]
            raise ArgumentError(
                f"{type(self).__name__}: output_size is {list(output_size)}; expected {least_sizes} "
                f"or up to the stride {list(self.stride)} less 1 more"
            )
        return tuple(found)

    def _rest(self, input: Tensor, output_size: Sequence[int] | None) -> tuple[Any, ...]:
        more = self._sizes(input, output_size)
        return self.bias, self.stride, self.padding, more, self.groups, self.dilation


class ConvTranspose1d(_ConvTranspose):
    """Transposed convolution of [n, channels, length]."""

    _axes = 1

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return conv_transpose1d(input, self.weight, *self._rest(input, output_size))


class ConvTranspose2d(_ConvTranspose):
    """Transposed convolution of [n, channels, height, width]."""

    _axes = 2

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return conv_transpose2d(input, self.weight, *self._rest(input, output_size))
