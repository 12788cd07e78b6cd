"""Samples to batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ... import _C
from ..._C import ArgumentError, Tensor, ops
from ..._factories import as_tensor


def default_convert(data: Any) -> Any:
    """Arrays inside of `data` become tensors."""
    if hasattr(data, "__array_struct__") and not isinstance(data, (str, bytes)):
        return as_tensor(data)
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(item) for item in data))
    if isinstance(data, (list, tuple)):
        return [default_convert(item) for item in data]
    return data


def default_collate(batch: Sequence[Any]) -> Any:
    """Stacks tensors, arrays and numbers; goes into tuples, lists and mappings."""
    first = batch[0]
    if isinstance(first, Tensor):
        return ops.stack(list(batch))
    if isinstance(first, (bool, int, float)):
        return _C.tensor(list(batch), _C.float64 if isinstance(first, float) else None)
    if hasattr(first, "__array_struct__"):
        return ops.stack([as_tensor(item) for item in batch])
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, Mapping):
        return {key: default_collate([item[key] for item in batch]) for key in first}
    if isinstance(first, (list, tuple)):
        lengths = {len(item) for item in batch}
        if len(lengths) != 1:
            raise ArgumentError(f"default_collate: samples have {sorted(lengths)} parts; expected one count")
        parts = [default_collate(list(part)) for part in zip(*batch)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise ArgumentError(
        f"default_collate: a sample is {type(first).__name__}; expected tensors, arrays, numbers, str, "
        "or tuples, lists and mappings of them"
    )
