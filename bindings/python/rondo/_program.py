"""Programs: traced models, in memory and in archives; and the functions save and load."""

from __future__ import annotations

import inspect
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO, TypeAlias, Union

from . import _C, _state
from ._C import ArgumentError, Tensor
from .nn import Module

Path: TypeAlias = Union[str, "os.PathLike[str]"]
Dynamic: TypeAlias = Mapping[Union[str, int], Mapping[int, str]]

ZIP_START = b"PK"


class Program:
    """A traced or loaded model: calling it runs its method `forward`, without its Python code."""

    def __init__(self, path: str, *, temporary: bool = False) -> None:
        self._path = path
        self._native = _C.load_archive(path)
        self._mode = "eval"
        if temporary:
            weakref.finalize(self, os.unlink, path)

    def __call__(self, *inputs: Tensor) -> Any:
        return self.run("forward", *inputs)

    def run(self, method: str, *inputs: Tensor) -> Any:
        """The result of a method; a tuple if there are several."""
        outputs = self._native.run(method, list(inputs), self._mode)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def train(self, mode: bool = True) -> Program:
        self._mode = "train" if mode else "eval"
        return self

    def eval(self) -> Program:
        return self.train(False)

    def signature(self) -> dict[str, Any]:
        """For each method its inputs, outputs, and why its rows are not independent, if so."""
        return self._native.signature()

    def code(self, method: str = "forward") -> str:
        """The graph of a method as text."""
        return self._native.code(method)

    def state_dict(self) -> dict[str, Tensor]:
        """Parameters and buffers; they lie in the archive and are read-only."""
        return self._native.tensors()

    def verify(self) -> list[str]:
        """Runs the examples that the archive holds; what differs, in words."""
        return self._native.verify()

    def save(self, path: Path) -> None:
        """Writes the archive; the file appears whole or not at all."""
        target = os.fspath(path)
        beside = f"{target}.{os.getpid()}.part"
        shutil.copyfile(self._path, beside)
        os.replace(beside, target)

    def __repr__(self) -> str:
        return f"Program(methods={list(self.signature())})"


def _input_names(function: Callable[..., Any], count: int) -> list[str]:
    """The names of the function's parameters; x0, x1 and so on where they are not known."""
    target = function.forward if isinstance(function, Module) else function
    try:
        names = list(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        names = []
    return names[:count] if len(names) >= count else [f"x{i}" for i in range(count)]


def _dynamic_rows(dynamic: Dynamic | None, names: list[str]) -> list[tuple[int, int, str]]:
    rows = []
    for key, axes in (dynamic or {}).items():
        if isinstance(key, str) and key not in names:
            raise ArgumentError(f"trace: dynamic names '{key}'; the inputs are {', '.join(names)}")
        place = names.index(key) if isinstance(key, str) else key
        rows += [(place, axis, symbol) for axis, symbol in axes.items()]
    return rows


def _members(function: Callable[..., Any]) -> list[tuple[str, Tensor, str]]:
    if not isinstance(function, Module):
        return []
    parameters = function.named_parameters(remove_duplicate=False)
    buffers = function.named_buffers(remove_duplicate=False)
    return [(name, p, "parameter") for name, p in parameters] + [
        (name, b, "buffer") for name, b in buffers
    ]


def trace(
    fn: Callable[..., Any],
    example_inputs: Tensor | Sequence[Tensor],
    dynamic: Dynamic | None = None,
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    mode: str | None = None,
) -> Program:
    """Runs `fn` (a module or a function) once on examples; what it did becomes a program.

    `dynamic` names axes whose sizes may differ at each call: {"x": {0: "batch"}}. A module is
    traced in eval mode unless `mode` is "train". A host read of a traced value is an error that
    names the line.
    """
    inputs = [example_inputs] if isinstance(example_inputs, Tensor) else list(example_inputs)
    names = list(input_names) if input_names is not None else _input_names(fn, len(inputs))
    if len(names) != len(inputs):
        raise ArgumentError(f"trace: {len(names)} names for {len(inputs)} inputs")
    wanted = mode or "eval"
    method = {
        "name": "forward",
        "function": fn,
        "inputs": inputs,
        "dynamic": _dynamic_rows(dynamic, names),
        "input_names": names,
        "output_names": None if output_names is None else list(output_names),
        "mode": wanted,
    }
    handle, path = tempfile.mkstemp(suffix=".rondo")
    os.close(handle)
    training = fn.training if isinstance(fn, Module) else False
    try:
        if isinstance(fn, Module):
            fn.train(wanted == "train")
        _C.export_archive(path, [method], _members(fn))
        return Program(path, temporary=True).train(wanted == "train")
    except BaseException:
        os.unlink(path)
        raise
    finally:
        if isinstance(fn, Module):
            fn.train(training)


def save(obj: Any, f: Path | BinaryIO) -> None:
    """Writes a program as an archive, or a state dict as a safetensors file. Never code."""
    if isinstance(obj, Module):
        raise ArgumentError(
            f"save: the object is a {type(obj).__name__}; save its state_dict(), or what "
            "rondo.trace makes of it"
        )
    if not isinstance(f, (str, os.PathLike)):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "content")
            save(obj, path)
            with open(path, "rb") as content:
                shutil.copyfileobj(content, f)
        return
    if isinstance(obj, Program):
        obj.save(f)
    else:
        _state.write(obj, os.fspath(f))


def load(
    f: Path | BinaryIO,
    map_location: Any = None,
    *,
    weights: str = "copy",
    weights_only: bool = True,
) -> Any:
    """Reads what save wrote: a Program from an archive, else a state dict.

    With weights="map" the tensors of a state dict lie in the file and are read-only.
    """
    if weights not in ("copy", "map"):
        raise ArgumentError(f"load: weights is '{weights}'; expected 'copy' or 'map'")
    if not isinstance(f, (str, os.PathLike)):
        handle, path = tempfile.mkstemp()
        with os.fdopen(handle, "wb") as content:
            shutil.copyfileobj(f, content)
        if _is_archive(path):
            return Program(path, temporary=True)
        try:
            return _state.read(path, False)
        finally:
            os.unlink(path)
    path = os.fspath(f)
    return Program(path) if _is_archive(path) else _state.read(path, weights == "map")


def _is_archive(path: str) -> bool:
    if not os.path.isfile(path):
        return False  # the reader says why
    with open(path, "rb") as content:
        return content.read(2) == ZIP_START
