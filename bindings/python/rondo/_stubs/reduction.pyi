"""Ops as functions: reduction.

Written by tools/make_stubs.py from the op table; do not edit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .._C import Generator, Tensor, dtype as Dtype
from .._types import Ints, TensorLike

def all(input: TensorLike, dim: Ints | None = ..., keepdim: bool = ...) -> Tensor: ...
def amax(input: TensorLike, dim: Ints | None = ..., keepdim: bool = ...) -> Tensor: ...
def amin(input: TensorLike, dim: Ints | None = ..., keepdim: bool = ...) -> Tensor: ...
def any(input: TensorLike, dim: Ints | None = ..., keepdim: bool = ...) -> Tensor: ...
def argmax(input: TensorLike, dim: int | None = ..., keepdim: bool = ...) -> Tensor: ...
def argmin(input: TensorLike, dim: int | None = ..., keepdim: bool = ...) -> Tensor: ...
def mean(
    input: TensorLike,
    dim: Ints | None = ...,
    keepdim: bool = ...,
    dtype: Dtype | None = ...,
) -> Tensor: ...
def mean_corrected(
    input: TensorLike,
    correction: TensorLike,
    dim: Ints | None = ...,
    keepdim: bool = ...,
) -> Tensor: ...
def norm2(input: TensorLike, dim: Ints | None = ..., keepdim: bool = ...) -> Tensor: ...
def prod(
    input: TensorLike,
    dim: Ints | None = ...,
    keepdim: bool = ...,
    dtype: Dtype | None = ...,
) -> Tensor: ...
def row_max(input: TensorLike, dim: Ints | None = ..., keepdim: bool = ...) -> Tensor: ...
def sum(
    input: TensorLike,
    dim: Ints | None = ...,
    keepdim: bool = ...,
    dtype: Dtype | None = ...,
) -> Tensor: ...
