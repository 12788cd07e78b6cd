"""Functions of networks, without state of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._C import ArgumentError, Generator, ShapeError, Tensor, dtype as Dtype, ops
from .._errors import missing_attribute, named
from .._functions import max as _max
from .._types import Ints, Number, beside, single
from .elementwise import (
    celu as celu,
    elu as elu,
    hardshrink as hardshrink,
    hardsigmoid as hardsigmoid,
    hardswish as hardswish,
    hardtanh as hardtanh,
    leaky_relu as leaky_relu,
    mish as mish,
    relu as relu,
    relu6 as relu6,
    selu as selu,
    silu as silu,
    softshrink as softshrink,
    softsign as softsign,
    tanhshrink as tanhshrink,
    threshold as threshold,
)
from .images import (
    conv_transpose1d as conv_transpose1d,
    conv_transpose2d as conv_transpose2d,
    pixel_shuffle as pixel_shuffle,
    pixel_unshuffle as pixel_unshuffle,
)
from .loss_functions import (
    cosine_embedding_loss as cosine_embedding_loss,
    cosine_similarity as cosine_similarity,
    gaussian_nll_loss as gaussian_nll_loss,
    hinge_embedding_loss as hinge_embedding_loss,
    margin_ranking_loss as margin_ranking_loss,
    pairwise_distance as pairwise_distance,
    poisson_nll_loss as poisson_nll_loss,
    triplet_margin_loss as triplet_margin_loss,
)
from .resize import interpolate as interpolate, pad as pad

# What is an op is that op.
avg_pool2d = ops.avg_pool2d
binary_cross_entropy = ops.binary_cross_entropy
binary_cross_entropy_with_logits = ops.binary_cross_entropy_with_logits
cross_entropy = ops.cross_entropy
gelu = ops.gelu
group_norm = ops.group_norm
huber_loss = ops.huber_loss
kl_div = ops.kl_div
l1_loss = ops.l1_loss
layer_norm = ops.layer_norm
logsigmoid = ops.logsigmoid
mse_loss = ops.mse_loss
nll_loss = ops.nll_loss
one_hot = ops.one_hot
relu_ = ops.relu_
rms_norm = ops.rms_norm
scaled_dot_product_attention = ops.scaled_dot_product_attention
sigmoid = ops.sigmoid
smooth_l1_loss = ops.smooth_l1_loss
softplus = ops.softplus
tanh = ops.tanh


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None
) -> Tensor:
    """exp(input) divided by its sum along `dim`, which must be given; computed in `dtype`."""
    return ops.softmax(input, _given_axis("softmax", dim), dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None
) -> Tensor:
    """The logarithm of softmax along `dim`, which must be given."""
    return ops.log_softmax(input, _given_axis("log_softmax", dim), dtype)


@named
def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None
) -> Tensor:
    """softmax(-input) along `dim`, which must be given; `_stacklevel` has no effect."""
    return ops.softmax(-input, _given_axis("softmin", dim), dtype)


def _given_axis(op: str, dim: int | None) -> int:
    if dim is None:
        raise ArgumentError(f"{op}: dim is missing; expected int")
    return dim


@named
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of axis `dim` times the sigmoid of the second. Source: arXiv:1612.08083.

    Errors: ShapeError if the size of the axis is odd.
    """
    half, rest = divmod(input.size(dim), 2)
    if rest:
        raise ShapeError(f"glu: axis {dim} of {list(input.shape)}; its size must be even")
    gate = ops.slice(input, dim, half, 2 * half)
    return ops.slice(input, dim, 0, half) * ops.sigmoid(gate)


@named
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input above 0, weight * input elsewhere; `weight` is one number or one a channel (axis 1).

    Source: He et al. 2015, arXiv:1502.01852.
    """
    channels = weight.numel() > 1 and input.ndim > 1
    slope = weight.reshape([-1] + [1] * (input.ndim - 2) if channels else [-1] * min(input.ndim, 1))
    return ops.where(input > 0, input, slope * input)


@named
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """input divided by its p-norms along `dim`, or by `eps` where they are less."""
    return input / ops.clamp(ops.norm(input, p, dim, True), eps)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias."""
    return ops.linear(input, weight, bias)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of `weight`."""
    if max_norm is not None or scale_grad_by_freq or sparse:
        raise ArgumentError(
            "embedding: max_norm, scale_grad_by_freq and sparse are not supported; leave them out"
        )
    return ops.embedding(input, weight, padding_idx)


def dropout(
    input: Tensor,
    p: float = 0.5,
    training: bool = True,
    inplace: bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """Zeroes elements with probability p and scales the others, while training."""
    if not training:
        if not 0 <= p <= 1:
            raise ArgumentError(f"dropout: p is {p}; expected 0 to 1")
        return input
    dropped = ops.dropout(input, p, generator=generator)
    return input.copy_(dropped) if inplace else dropped


def _dropout_axes(input: Tensor, p: float, training: bool, inplace: bool, axes: int) -> Tensor:
    if not training:
        return input
    kept = tuple(input.shape[: input.ndim - axes]) + (1,) * axes
    dropped = input * ops.dropout(input.new_ones(kept), p)
    return input.copy_(dropped) if inplace else dropped


@named
def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Whole channels of [n, channels, length] or [channels, length] at once."""
    return _dropout_axes(input, p, training, inplace, 1)


@named
def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Whole channels of [n, channels, height, width] or [n, channels, length] at once."""
    return _dropout_axes(input, p, training, inplace, 1 if input.ndim == 3 else 2)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel (axis 1) with mean 0 and variance 1, then weight and bias.

    While training the statistics are those of the batch, and the running ones move towards them by
    `momentum`; else they are the running ones. Source: arXiv:1502.03167.
    """
    return ops.batch_norm(
        input, running_mean, running_var, weight, bias, training, momentum, eps
    )


@named
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel of each sample with mean 0 and variance 1: input is [n, channels, ..].

    `momentum` has no effect. Errors: ArgumentError if `running_mean` or `running_var` is given or
    `use_input_stats` is False.
    """
    if running_mean is not None or running_var is not None or not use_input_stats:
        raise ArgumentError(
            "instance_norm: running_mean, running_var and use_input_stats=False are not "
            "supported; leave them out"
        )
    return ops.group_norm(input, input.size(1), weight, bias, eps)


@named
def max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest elements of windows: [.., height, width] -> [.., out_height, out_width].

    With `return_indices` a pair with their places in the image, in row-major order.
    """
    pool = ops.max_pool2d_with_indices if return_indices else ops.max_pool2d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


@named
def max_pool1d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """max_pool2d over one axis: [.., length] -> [.., out_length].

    With `return_indices` a pair with their places on the axis.
    """
    size, edge, hole = single(kernel_size), single(padding), single(dilation)
    step = size if stride is None else single(stride)
    window = ((1, size), (1, step), (0, edge), (1, hole), ceil_mode)
    wide = input.unsqueeze(-2)
    if return_indices:
        return tuple(t.squeeze(-2) for t in ops.max_pool2d_with_indices(wide, *window))
    return ops.max_pool2d(wide, *window).squeeze(-2)


@named
def avg_pool1d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The means of windows: [.., length] -> [.., out_length]."""
    size, edge = single(kernel_size), single(padding)
    step = size if stride is None else single(stride)
    wide = input.unsqueeze(-2)
    pooled = ops.avg_pool2d(wide, (1, size), (1, step), (0, edge), ceil_mode, count_include_pad)
    return pooled.squeeze(-2)


@named
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Means of windows that cover the image in a grid of the given size; None keeps a size."""
    if isinstance(output_size, int):
        output_size = (output_size, output_size)
    shape = input.shape[-2:]
    sizes = [have if want is None else want for want, have in zip(output_size, shape)]
    return ops.adaptive_avg_pool2d(input, sizes)


@named
def adaptive_avg_pool1d(input: Tensor, output_size: Ints) -> Tensor:
    """Means of windows that cover the axis: [.., length] -> [.., output_size]."""
    return ops.adaptive_avg_pool2d(input.unsqueeze(-2), (1, single(output_size))).squeeze(-2)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Any = 0,
    dilation: Ints = 1,
    groups: int = 1,
) -> Tensor:
    """input [n, c, h, w], weight [out, c / groups, kh, kw] -> [n, out, h', w'].

    `padding` may be "valid", or "same" with a stride of 1 and odd kernels. Errors: ArgumentError
    for another text; ShapeError.
    """
    if isinstance(padding, str):
        padding = _same_padding("conv2d", padding, weight.shape[2:], stride, dilation)
    return ops.conv2d(input, weight, bias, stride, padding, dilation, groups)


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Any = 0,
    dilation: Ints = 1,
    groups: int = 1,
) -> Tensor:
    """The same over one axis: input [n, c, length], weight [out, c / groups, k]."""
    if isinstance(padding, str):
        padding = _same_padding("conv1d", padding, weight.shape[2:], stride, dilation)
    return ops.conv1d(input, weight, bias, stride, padding, dilation, groups)


def _same_padding(
    op: str, padding: str, kernel: Sequence[int], stride: Ints, dilation: Ints
) -> list[int]:
    if padding == "valid":
        return [0] * len(kernel)
    steps = [stride] if isinstance(stride, int) else list(stride)
    if padding != "same" or any(s != 1 for s in steps):
        raise ArgumentError(f"{op}: padding is '{padding}'; expected ints, 'valid', or 'same' "
                            "with a stride of 1")
    spread = [dilation] * len(kernel) if isinstance(dilation, int) else list(dilation)
    totals = [d * (k - 1) for d, k in zip(spread, kernel)]
    if any(total % 2 for total in totals):
        raise ArgumentError(f"{op}: padding 'same' needs odd kernels, not {list(kernel)}")
    return [total // 2 for total in totals]


@named
def gumbel_softmax(
    logits: Tensor, tau: Number = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Random softmax samples of `logits`, one-hot with `hard`. Source: arXiv:1611.01144.

    The gradient of the hard ones is that of the soft ones. `eps` has no effect, as in PyTorch.
    """
    uniform = beside(logits, ops.rand, logits.shape, logits.dtype)
    noise = -ops.log(-ops.log(uniform + 1e-20) + 1e-20)
    soft = ops.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    places = _max(soft, dim, True).indices
    zeros, ones = soft.new_zeros(soft.shape), soft.new_ones(places.shape)
    chosen = ops.scatter(zeros, dim, places, ones)
    return chosen - soft.detach() + soft


def __getattr__(name: str) -> Any:
    raise missing_attribute("rondo.nn.functional", name, globals())
