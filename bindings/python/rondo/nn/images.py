"""Functions of images that are made of ops: transposed convolutions, pixels and channels."""

from __future__ import annotations

from .._C import ArgumentError, ShapeError, Tensor, ops
from .._errors import named
from .._types import Ints, pair


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
    if any(m >= max(s, d) for m, s, d in zip(more, steps, holes)):
        raise ArgumentError(
            f"conv_transpose2d: output_padding is {more}; it must be below the stride {steps} or "
            f"the dilation {holes}"
        )
    size = [images.size(0), weight.size(1) * groups]
    for i in range(2):
        reach = holes[i] * (weight.size(2 + i) - 1) + 1
        size.append((images.size(2 + i) - 1) * steps[i] - 2 * edges[i] + reach + more[i])
    made = ops.convolution_input(images, weight, size, steps, edges, holes, groups)
    if bias is not None:
        made = made + bias.reshape(-1, 1, 1)
    return ops.squeeze(made, 0) if lone else made


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

    def flat(value: Ints) -> int:
        return value if isinstance(value, int) else value[0]

    made = conv_transpose2d(
        ops.unsqueeze(input, -2),
        ops.unsqueeze(weight, -2),
        bias,
        (1, flat(stride)),
        (0, flat(padding)),
        (0, flat(output_padding)),
        groups,
        (1, flat(dilation)),
    )
    return ops.squeeze(made, -2)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Groups of channels become blocks of pixels. Source: Shi et al. 2016, arXiv:1609.05158."""
    factor = upscale_factor
    *lead, channels, height, width = input.shape
    if channels % (factor * factor):
        raise ShapeError(
            f"pixel_shuffle: {channels} channels; their number must be a multiple of {factor}**2"
        )
    blocks = input.reshape(-1, channels // factor**2, factor, factor, height, width)
    placed = ops.permute(blocks, (0, 1, 4, 2, 5, 3))
    return placed.reshape(*lead, channels // factor**2, height * factor, width * factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Blocks of pixels become groups of channels."""
    factor = downscale_factor
    *lead, channels, height, width = input.shape
    if height % factor or width % factor:
        raise ShapeError(
            f"pixel_unshuffle: an image of {height} by {width}; both must be multiples of {factor}"
        )
    blocks = input.reshape(-1, channels, height // factor, factor, width // factor, factor)
    placed = ops.permute(blocks, (0, 1, 3, 5, 2, 4))
    return placed.reshape(*lead, channels * factor**2, height // factor, width // factor)
