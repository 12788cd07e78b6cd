"""Ops as functions: contraction.

Written by tools/make_stubs.py from the op table; do not edit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .._C import Generator, Tensor, dtype as Dtype
from .._types import Ints, TensorLike

def convolution(
    input: TensorLike,
    weight: TensorLike,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> Tensor: ...
def convolution_input(
    grad: TensorLike,
    weight: TensorLike,
    size: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> Tensor: ...
def convolution_weight(
    grad: TensorLike,
    input: TensorLike,
    size: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> Tensor: ...
def matmul(input: TensorLike, other: TensorLike) -> Tensor: ...
