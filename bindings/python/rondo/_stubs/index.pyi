"""Ops as functions: index.

Written by tools/make_stubs.py from the op table; do not edit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .._C import Generator, Tensor, dtype as Dtype
from .._types import Ints, TensorLike

class _NllTerms(NamedTuple):
    losses: Tensor
    weights: Tensor

def as_strided_scatter(
    input: TensorLike,
    src: TensorLike,
    size: Ints,
    stride: Ints,
    storage_offset: int = ...,
) -> Tensor: ...
def concatenate(tensors: Sequence[Tensor], dim: int) -> Tensor: ...
def embedding(input: TensorLike, weight: TensorLike, padding_idx: int | None = ...) -> Tensor: ...
def embedding_backward(
    grad: TensorLike,
    input: TensorLike,
    size: Ints,
    padding_idx: int | None = ...,
) -> Tensor: ...
def gather(input: TensorLike, dim: int, index: TensorLike) -> Tensor: ...
def gather_backward(grad: TensorLike, dim: int, index: TensorLike, size: Ints) -> Tensor: ...
def index_add(input: TensorLike, dim: int, index: TensorLike, source: TensorLike) -> Tensor: ...
def index_add_(input: TensorLike, dim: int, index: TensorLike, source: TensorLike) -> Tensor: ...
def index_replace(
    input: TensorLike,
    values: TensorLike,
    accumulate: bool,
    indices: Sequence[Tensor],
) -> Tensor: ...
def index_select(input: TensorLike, dim: int, index: TensorLike) -> Tensor: ...
def index_take(input: TensorLike, indices: Sequence[Tensor]) -> Tensor: ...
def nll_terms(
    input: TensorLike,
    target: TensorLike,
    weight: TensorLike | None = ...,
    *,
    ignore_index: int,
) -> _NllTerms: ...
def nll_terms_backward(
    grad: TensorLike,
    target: TensorLike,
    weight: TensorLike | None = ...,
    *,
    size: Ints,
    ignore_index: int,
) -> Tensor: ...
def nonzero(input: TensorLike) -> Tensor: ...
def one_hot(input: TensorLike, num_classes: int = ...) -> Tensor: ...
def pad(input: TensorLike, pad: Ints, mode: str = ..., value: TensorLike = ...) -> Tensor: ...
def scatter(input: TensorLike, dim: int, index: TensorLike, src: TensorLike) -> Tensor: ...
def scatter_(input: TensorLike, dim: int, index: TensorLike, src: TensorLike) -> Tensor: ...
def scatter_add(input: TensorLike, dim: int, index: TensorLike, src: TensorLike) -> Tensor: ...
def scatter_add_(input: TensorLike, dim: int, index: TensorLike, src: TensorLike) -> Tensor: ...
def slice_scatter(
    input: TensorLike,
    src: TensorLike,
    dim: int = ...,
    start: int | None = ...,
    end: int | None = ...,
    step: int = ...,
) -> Tensor: ...
