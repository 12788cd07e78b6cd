"""Ops as functions: scan.

Written by tools/make_stubs.py from the op table; do not edit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .._C import Generator, Tensor, dtype as Dtype
from .._types import Ints, TensorLike

def running_sum(input: TensorLike, dim: int) -> Tensor: ...
