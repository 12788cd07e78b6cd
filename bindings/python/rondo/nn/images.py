"""Functions of images that are made of ops: transposed convolutions, pixels and channels."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .._C import ArgumentError, ShapeError, Tensor, ops
from .._errors import named
from .._types import Ints, pair, single


@named
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """The gradient of conv2d with respect to its input: weight is [channels, out / groups, h, w]."""
    lone = input.ndim == 3
    images = ops.unsqueeze(input, 0) if lone else input
    steps, edges, holes, more = (pair(v) for v in (stride, padding, dilation, output_padding))
    if images.ndim != 4 or weight.ndim != 4 or images.size(1) != weight.size(0):
        raise ArgumentError(
            f"conv_transpose2d: input is {list(input.shape)}, weight is {list(weight.shape)}; "
            "expected [n, c, h, w] and [c, out / groups, kh, kw]"
        )
    if any(not 0 <= m < max(s, d) for m, s, d in zip(more, steps, holes)):
        raise ArgumentError(
            f"conv_transpose2d: output_padding is {more}; it must not be negative, and be below "
            f"the stride {steps} or the dilation {holes}"
        )
    cut: list[int] = []
    if any(m >= s for m, s in zip(more, steps)):  # beyond what a convolution reads
        cut = [n for e, m in zip(edges[::-1], more[::-1]) for n in (-e, m - e)]
        edges = more = (0, 0)
    size = [images.size(0), weight.size(1) * groups]
    for i in range(2):
        reach = holes[i] * (weight.size(2 + i) - 1) + 1
        size.append((images.size(2 + i) - 1) * steps[i] - 2 * edges[i] + reach + more[i])
    made = ops.convolution_input(images, weight, size, steps, edges, holes, groups)
    if cut:
        made = ops.pad(made, cut)
    if bias is not None:
        made = made + bias.reshape(-1, 1, 1)
    return ops.squeeze(made, 0) if lone else made


@named
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """Likewise over one axis: weight is [channels, out / groups, w]."""
    if input.ndim not in (2, 3) or weight.ndim != 3 or input.size(-2) != weight.size(0):
        raise ArgumentError(
            f"conv_transpose1d: input is {list(input.shape)}, weight is {list(weight.shape)}; "
            "expected [n, c, length] and [c, out / groups, k]"
        )
    made = conv_transpose2d(
        ops.unsqueeze(input, -2),
        ops.unsqueeze(weight, -2),
        bias,
        (1, single(stride)),
        (0, single(padding)),
        (0, single(output_padding)),
        groups,
        (1, single(dilation)),
    )
    return ops.squeeze(made, -2)


def _planes(op: str, input: Tensor, factor: int) -> tuple[Sequence[int], Sequence[int]]:
    """The sizes before the channels, and those of channels, height and width."""
    if input.ndim < 3 or factor < 1:
        raise ArgumentError(
            f"{op}: input is {list(input.shape)}, the factor is {factor}; expected at least three "
            "axes and a positive factor"
        )
    return input.shape[:-3], input.shape[-3:]


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Groups of channels become blocks of pixels. Source: Shi et al. 2016, arXiv:1609.05158."""
    factor = upscale_factor
    lead, (channels, height, width) = _planes("pixel_shuffle", input, factor)
    if channels % (factor * factor):
        raise ShapeError(
            f"pixel_shuffle: {channels} channels; their number must be a multiple of {factor}**2"
        )
    count = math.prod(lead)
    blocks = input.reshape(count, channels // factor**2, factor, factor, height, width)
    placed = ops.permute(blocks, (0, 1, 4, 2, 5, 3))
    return placed.reshape(*lead, channels // factor**2, height * factor, width * factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Blocks of pixels become groups of channels."""
    factor = downscale_factor
    lead, (channels, height, width) = _planes("pixel_unshuffle", input, factor)
    if height % factor or width % factor:
        raise ShapeError(
            f"pixel_unshuffle: an image of {height} by {width}; both must be multiples of {factor}"
        )
    count = math.prod(lead)
    blocks = input.reshape(count, channels, height // factor, factor, width // factor, factor)
    placed = ops.permute(blocks, (0, 1, 3, 5, 2, 4))
    return placed.reshape(*lead, channels * factor**2, height // factor, width // factor)
