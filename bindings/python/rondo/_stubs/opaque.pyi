"""Ops as functions: opaque.

Written by tools/make_stubs.py from the op table; do not edit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .._C import Generator, Tensor, dtype as Dtype
from .._types import Ints, TensorLike

class _Sort(NamedTuple):
    values: Tensor
    indices: Tensor

class _Topk(NamedTuple):
    values: Tensor
    indices: Tensor

def multinomial_pick(input: TensorLike, uniform: TensorLike, replacement: bool) -> Tensor: ...
def sort(input: TensorLike, dim: int = ..., descending: bool = ...) -> _Sort: ...
def topk(
    input: TensorLike,
    k: int,
    dim: int = ...,
    largest: bool = ...,
    sorted: bool = ...,
) -> _Topk: ...
