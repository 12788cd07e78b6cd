"""State dicts in files: safetensors with, where a state is nested, its structure in the metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from . import _C
from ._C import ArgumentError, FormatError, Tensor
from ._types import DeviceLike, check_device

STRUCTURE = "rondo.structure"
TENSOR = "tensor"
TUPLE = "tuple"
ITEMS = "items"


def _is_flat(state: Any) -> bool:
    """A plain state dict: one name for each tensor."""
    return isinstance(state, Mapping) and all(
        isinstance(name, str) and isinstance(value, Tensor) for name, value in state.items()
    )


def _take_apart(value: Any, path: str, tensors: dict[str, Tensor]) -> Any:
    """The structure of `value` as JSON; its tensors go into `tensors` under their paths."""
    if isinstance(value, Tensor):
        while path in tensors:  # the keys "a.b" and "b" of "a", or 0 and "0"
            path += "'"
        tensors[path] = value
        return {TENSOR: path}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if getattr(value, "shape", None) == () and hasattr(value, "item"):  # a number of NumPy
        return _take_apart(value.item(), path, tensors)
    if isinstance(value, Mapping):
        pairs = []
        for key, item in value.items():
            if not isinstance(key, (str, int)):
                raise ArgumentError(f"save: a key at '{path}' is {type(key).__name__}")
            pairs.append([key, _take_apart(item, f"{path}.{key}" if path else str(key), tensors)])
        return {ITEMS: pairs}
    if isinstance(value, (list, tuple)):
        parts = [_take_apart(item, f"{path}.{i}", tensors) for i, item in enumerate(value)]
        return {TUPLE: parts} if isinstance(value, tuple) else parts
    place = f"'{path}'" if path else "the object"
    raise ArgumentError(
        f"save: {place} is {type(value).__name__}; expected tensors, numbers, str, and lists, "
        "tuples and dicts of them (files hold no code)"
    )


def _put_together(structure: Any, tensors: dict[str, Tensor]) -> Any:
    if isinstance(structure, list):
        return [_put_together(item, tensors) for item in structure]
    if isinstance(structure, dict):
        if TENSOR in structure:
            return tensors[structure[TENSOR]]
        if TUPLE in structure:
            return tuple(_put_together(item, tensors) for item in structure[TUPLE])
        return {key: _put_together(item, tensors) for key, item in structure[ITEMS]}
    return structure


def write(state: Any, path: str) -> None:
    if _is_flat(state):
        _C.write_state(path, dict(state), {})
        return
    tensors: dict[str, Tensor] = {}
    structure = _take_apart(state, "", tensors)
    _C.write_state(path, tensors, {STRUCTURE: json.dumps(structure)})


def read(path: str, mapped: bool, device: DeviceLike) -> Any:
    tensors, metadata = _C.read_state(path, mapped)
    if device is not None:
        place = check_device(device)
        tensors = {name: _C.to_device(tensor, place) for name, tensor in tensors.items()}
    if STRUCTURE not in metadata:
        return tensors
    try:
        return _put_together(json.loads(metadata[STRUCTURE]), tensors)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"load: {path}: the structure does not fit the tensors: {error}") from None
