"""Ops as functions: random.

Written by tools/make_stubs.py from the op table; do not edit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .._C import Generator, Tensor, dtype as Dtype
from .._types import Ints, TensorLike

def bernoulli(
    input: TensorLike,
    seed: TensorLike | None = ...,
    offset: TensorLike | None = ...,
    generator: Generator | None = ...,
) -> Tensor: ...
def dropout(
    input: TensorLike,
    p: TensorLike = ...,
    seed: TensorLike | None = ...,
    offset: TensorLike | None = ...,
    generator: Generator | None = ...,
) -> Tensor: ...
