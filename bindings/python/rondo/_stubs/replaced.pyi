"""Ops as functions: replaced.

Written by tools/make_stubs.py from the op table; do not edit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .._C import Generator, Tensor, dtype as Dtype
from .._types import Ints, TensorLike

def arange(
    start: TensorLike,
    end: TensorLike,
    step: TensorLike = ...,
    dtype: Dtype | None = ...,
) -> Tensor: ...
def eye(n: int, m: int | None = ..., dtype: Dtype | None = ...) -> Tensor: ...
def full(size: Ints, fill_value: TensorLike, dtype: Dtype | None = ...) -> Tensor: ...
def linspace(
    start: TensorLike,
    end: TensorLike,
    steps: TensorLike,
    dtype: Dtype | None = ...,
) -> Tensor: ...
def rand(
    size: Ints,
    dtype: Dtype | None = ...,
    seed: TensorLike | None = ...,
    offset: TensorLike | None = ...,
    generator: Generator | None = ...,
) -> Tensor: ...
def randint(
    low: TensorLike,
    high: TensorLike,
    size: Ints,
    dtype: Dtype | None = ...,
    seed: TensorLike | None = ...,
    offset: TensorLike | None = ...,
    generator: Generator | None = ...,
) -> Tensor: ...
def randn(
    size: Ints,
    dtype: Dtype | None = ...,
    seed: TensorLike | None = ...,
    offset: TensorLike | None = ...,
    generator: Generator | None = ...,
) -> Tensor: ...
def randperm(n: int) -> Tensor: ...
