"""Ops as functions: composite.

Written by tools/make_stubs.py from the op table; do not edit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .._C import Generator, Tensor, dtype as Dtype
from .._types import Ints, TensorLike

class _MaxDim(NamedTuple):
    values: Tensor
    indices: Tensor

class _MinDim(NamedTuple):
    values: Tensor
    indices: Tensor

class _Standardize(NamedTuple):
    output: Tensor
    mean: Tensor
    variance: Tensor

def adaptive_avg_pool2d(input: TensorLike, output_size: Ints) -> Tensor: ...
def argsort(input: TensorLike, dim: int = ..., descending: bool = ...) -> Tensor: ...
def batch_norm(
    input: TensorLike,
    running_mean: TensorLike | None = ...,
    running_var: TensorLike | None = ...,
    weight: TensorLike | None = ...,
    bias: TensorLike | None = ...,
    training: bool = ...,
    momentum: TensorLike = ...,
    eps: TensorLike = ...,
) -> Tensor: ...
def binary_cross_entropy(
    input: TensorLike,
    target: TensorLike,
    weight: TensorLike | None = ...,
    reduction: str = ...,
) -> Tensor: ...
def binary_cross_entropy_with_logits(
    input: TensorLike,
    target: TensorLike,
    weight: TensorLike | None = ...,
    reduction: str = ...,
    pos_weight: TensorLike | None = ...,
) -> Tensor: ...
def bmm(input: TensorLike, mat2: TensorLike) -> Tensor: ...
def cat(tensors: Sequence[Tensor], dim: int = ...) -> Tensor: ...
def conv1d(
    input: TensorLike,
    weight: TensorLike,
    bias: TensorLike | None = ...,
    stride: Ints = ...,
    padding: Ints = ...,
    dilation: Ints = ...,
    groups: int = ...,
) -> Tensor: ...
def conv2d(
    input: TensorLike,
    weight: TensorLike,
    bias: TensorLike | None = ...,
    stride: Ints = ...,
    padding: Ints = ...,
    dilation: Ints = ...,
    groups: int = ...,
) -> Tensor: ...
def count_nonzero(input: TensorLike, dim: Ints | None = ...) -> Tensor: ...
def cross_entropy(
    input: TensorLike,
    target: TensorLike,
    weight: TensorLike | None = ...,
    ignore_index: int = ...,
    reduction: str = ...,
    label_smoothing: TensorLike = ...,
) -> Tensor: ...
def cumsum(input: TensorLike, dim: int, dtype: Dtype | None = ...) -> Tensor: ...
def dot(input: TensorLike, tensor: TensorLike) -> Tensor: ...
def elu_backward(grad: TensorLike, input: TensorLike, alpha: TensorLike) -> Tensor: ...
def flip(input: TensorLike, dims: Ints) -> Tensor: ...
def gelu_backward(grad: TensorLike, input: TensorLike, approximate: str = ...) -> Tensor: ...
def group_norm(
    input: TensorLike,
    num_groups: int,
    weight: TensorLike | None = ...,
    bias: TensorLike | None = ...,
    eps: TensorLike = ...,
) -> Tensor: ...
def huber_loss(
    input: TensorLike,
    target: TensorLike,
    reduction: str = ...,
    delta: TensorLike = ...,
) -> Tensor: ...
def index(input: TensorLike, indices: Sequence[Tensor]) -> Tensor: ...
def index_put(
    input: TensorLike,
    values: TensorLike,
    accumulate: bool = ...,
    *,
    indices: Sequence[Tensor],
) -> Tensor: ...
def index_put_(
    input: TensorLike,
    values: TensorLike,
    accumulate: bool = ...,
    *,
    indices: Sequence[Tensor],
) -> Tensor: ...
def kl_div(
    input: TensorLike,
    target: TensorLike,
    reduction: str = ...,
    log_target: bool = ...,
) -> Tensor: ...
def l1_loss(input: TensorLike, target: TensorLike, reduction: str = ...) -> Tensor: ...
def layer_norm(
    input: TensorLike,
    normalized_shape: Ints,
    weight: TensorLike | None = ...,
    bias: TensorLike | None = ...,
    eps: TensorLike = ...,
) -> Tensor: ...
def linear(input: TensorLike, weight: TensorLike, bias: TensorLike | None = ...) -> Tensor: ...
def log_softmax(input: TensorLike, dim: int, dtype: Dtype | None = ...) -> Tensor: ...
def log_softmax_backward(grad: TensorLike, output: TensorLike, dim: int) -> Tensor: ...
def logsumexp(input: TensorLike, dim: Ints, keepdim: bool = ...) -> Tensor: ...
def masked_select(input: TensorLike, mask: TensorLike) -> Tensor: ...
def max_dim(input: TensorLike, dim: int, keepdim: bool = ...) -> _MaxDim: ...
def max_pool2d(
    input: TensorLike,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Ints = ...,
    dilation: Ints = ...,
    ceil_mode: bool = ...,
) -> Tensor: ...
def min_dim(input: TensorLike, dim: int, keepdim: bool = ...) -> _MinDim: ...
def mish_backward(grad: TensorLike, input: TensorLike) -> Tensor: ...
def mse_loss(input: TensorLike, target: TensorLike, reduction: str = ...) -> Tensor: ...
def multinomial(input: TensorLike, num_samples: int, replacement: bool = ...) -> Tensor: ...
def nll_loss(
    input: TensorLike,
    target: TensorLike,
    weight: TensorLike | None = ...,
    ignore_index: int = ...,
    reduction: str = ...,
) -> Tensor: ...
def norm(
    input: TensorLike,
    p: TensorLike = ...,
    dim: Ints | None = ...,
    keepdim: bool = ...,
) -> Tensor: ...
def outer(input: TensorLike, vec2: TensorLike) -> Tensor: ...
def relu6(input: TensorLike) -> Tensor: ...
def rms_norm(
    input: TensorLike,
    normalized_shape: Ints,
    weight: TensorLike | None = ...,
    eps: TensorLike | None = ...,
) -> Tensor: ...
def roll(input: TensorLike, shifts: Ints, dims: Ints | None = ...) -> Tensor: ...
def scale_to_unit(
    input: TensorLike,
    weight: TensorLike | None = ...,
    *,
    eps: TensorLike,
    dims: Ints,
) -> Tensor: ...
def scaled_dot_product_attention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    attn_mask: TensorLike | None = ...,
    dropout_p: TensorLike = ...,
    is_causal: bool = ...,
    scale: TensorLike | None = ...,
) -> Tensor: ...
def silu_backward(grad: TensorLike, input: TensorLike) -> Tensor: ...
def smooth_l1_loss(
    input: TensorLike,
    target: TensorLike,
    reduction: str = ...,
    beta: TensorLike = ...,
) -> Tensor: ...
def softmax(input: TensorLike, dim: int, dtype: Dtype | None = ...) -> Tensor: ...
def softmax_backward(grad: TensorLike, output: TensorLike, dim: int) -> Tensor: ...
def softplus_backward(
    grad: TensorLike,
    input: TensorLike,
    beta: TensorLike,
    threshold: TensorLike,
) -> Tensor: ...
def stack(tensors: Sequence[Tensor], dim: int = ...) -> Tensor: ...
def standardize(
    input: TensorLike,
    weight: TensorLike | None = ...,
    bias: TensorLike | None = ...,
    *,
    eps: TensorLike,
    dims: Ints,
) -> _Standardize: ...
def standardize_backward(
    grad: TensorLike,
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    weight: TensorLike | None = ...,
    *,
    eps: TensorLike,
    dims: Ints,
) -> Tensor: ...
def standardize_weight_backward(
    grad: TensorLike,
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    eps: TensorLike,
    dims: Ints,
) -> Tensor: ...
def standardize_with(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    weight: TensorLike | None = ...,
    bias: TensorLike | None = ...,
    *,
    eps: TensorLike,
) -> Tensor: ...
def std(
    input: TensorLike,
    dim: Ints | None = ...,
    correction: TensorLike = ...,
    keepdim: bool = ...,
) -> Tensor: ...
def take_along_dim(input: TensorLike, indices: TensorLike, dim: int | None = ...) -> Tensor: ...
def tril(input: TensorLike, diagonal: int = ...) -> Tensor: ...
def tril_(input: TensorLike, diagonal: int = ...) -> Tensor: ...
def triu(input: TensorLike, diagonal: int = ...) -> Tensor: ...
def triu_(input: TensorLike, diagonal: int = ...) -> Tensor: ...
def var(
    input: TensorLike,
    dim: Ints | None = ...,
    correction: TensorLike = ...,
    keepdim: bool = ...,
) -> Tensor: ...
def view(input: TensorLike, size: Ints) -> Tensor: ...
