"""Ops as functions: window.

Written by tools/make_stubs.py from the op table; do not edit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .._C import Generator, Tensor, dtype as Dtype
from .._types import Ints, TensorLike

class _MaxPool2dWithIndices(NamedTuple):
    values: Tensor
    indices: Tensor

def avg_pool2d(
    input: TensorLike,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Ints = ...,
    ceil_mode: bool = ...,
    count_include_pad: bool = ...,
) -> Tensor: ...
def avg_pool2d_backward(
    grad: TensorLike,
    size: Ints,
    kernel_size: Ints,
    stride: Ints | None = ...,
    *,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Tensor: ...
def max_pool2d_with_indices(
    input: TensorLike,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Ints = ...,
    dilation: Ints = ...,
    ceil_mode: bool = ...,
) -> _MaxPool2dWithIndices: ...
