"""Programs: traced models, in memory and in archives; and the functions save and load."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple, TypeAlias, Union

from . import _C, _state
from ._C import ArgumentError, IndexError, Tensor
from ._types import DeviceLike
from .nn import Module

Path: TypeAlias = Union[str, "os.PathLike[str]"]
Dynamic: TypeAlias = Mapping[Union[str, int], Mapping[int, str]]

ZIP_START = b"PK"


class Method(NamedTuple):
    """A further method of what `trace` makes: a function, with examples of its own."""

    fn: Callable[..., Any]
    example_inputs: Tensor | Sequence[Tensor]
    dynamic: Dynamic | None = None
    input_names: Sequence[str] | None = None
    output_names: Sequence[str] | None = None
    state: Mapping[str, str] | None = None


class Program:
    """A traced or loaded model: calling it runs its method `forward`, without its Python code.

    It runs on one thread at a time. Gradients are recorded as for any call: with respect to inputs
    that require them, and to its parameters once it is trained.
    """

    def __init__(self, path: str, *, temporary: bool = False, copy: bool = False) -> None:
        if temporary:  # before loading, so that a file that cannot be loaded goes too
            weakref.finalize(self, os.unlink, path)
        self._native = _C.load_archive(path, copy)
        self._mode = "eval"

    def __call__(self, *inputs: Tensor) -> Any:
        return self.run("forward", *inputs)

    def run(
        self,
        method: str,
        *inputs: Tensor,
        timeout: float | None = None,
        max_work: float | None = None,
    ) -> Any:
        """The result of a method; a tuple if there are several.

        A run that lasts longer than `timeout` seconds ends with a DeadlineError. `max_work` bounds
        what it may cost, in elements that ops touch and multiplications of products: an op that
        would exceed it is not run and ends the run with an UnsupportedError.
        """
        if timeout is not None and not timeout > 0:
            raise ArgumentError(f"run: timeout is {timeout}; expected a positive number of seconds")
        if max_work is not None and not max_work > 0:
            raise ArgumentError(f"run: max_work is {max_work}; expected a positive number")
        outputs = self._native.run(
            method, list(inputs), self._mode, timeout or 0.0, max_work or 0.0
        )
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def cancel(self) -> None:
        """Ends the run that is under way in another thread, if one is, with a CancelledError."""
        self._native.cancel()

    def manual_seed(self, seed: int) -> Program:
        """Starts the random numbers that belong to `seed`; every program begins with seed 0."""
        self._native.set_seed(seed)
        return self

    def train(self, mode: bool = True) -> Program:
        """Runs the bodies for training from now on, with parameters of its own that can be trained."""
        if mode:
            self._native.make_trainable()
        self._mode = "train" if mode else "eval"
        return self

    def eval(self) -> Program:
        return self.train(False)

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """The parameters that were trainable when they were saved, as leaves of this program."""
        self._native.make_trainable()
        return iter(self._native.parameters())

    def parameters(self) -> Iterator[Tensor]:
        return (parameter for _, parameter in self.named_parameters())

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients, or sets them to 0."""
        for parameter in self.parameters():
            if parameter.grad is not None:
                parameter.grad = None if set_to_none else parameter.grad * 0

    def signature(self) -> dict[str, Any]:
        """For each method its inputs, outputs, state, guards, and why its rows are not independent."""
        return self._native.signature()

    def code(self, method: str = "forward") -> str:
        """The graph of a method as text."""
        return self._native.code(method)

    def state_dict(self) -> dict[str, Tensor]:
        """Parameters and buffers; those that cannot be trained lie in the archive and are read-only."""
        return {name: tensor.detach() for name, tensor in self._native.tensors().items()}

    def load_state_dict(self, state_dict: Mapping[str, Tensor]) -> None:
        """Copies values into parameters and buffers, all of them."""
        known = self._native.tensors()
        missing = sorted(known.keys() - state_dict.keys())
        unexpected = sorted(state_dict.keys() - known.keys())
        if missing or unexpected:
            raise ArgumentError(
                f"load_state_dict: missing: {', '.join(missing) or 'none'}; "
                f"unexpected: {', '.join(unexpected) or 'none'}"
            )
        for name, tensor in state_dict.items():
            self._native.set_tensor(name, tensor)

    def verify(self) -> list[str]:
        """Runs the examples that the archive holds; what differs, in words."""
        return self._native.verify()

    def save(self, path: Path) -> None:
        """Writes the archive with the values of now; the file appears whole or not at all."""
        self._native.save(os.fspath(path))

    def __repr__(self) -> str:
        return f"Program(methods={list(self.signature())})"


def _input_names(function: Callable[..., Any], count: int) -> list[str]:
    """The names of the function's parameters; x0, x1 and so on where they are not known."""
    import inspect  # slow to import, as are the others that stand inside of functions

    target = function.forward if isinstance(function, Module) else function
    try:
        names = list(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        names = []
    return names[:count] if len(names) >= count else [f"x{i}" for i in range(count)]


def _dynamic_rows(
    dynamic: Dynamic | None, names: list[str], inputs: Sequence[Tensor]
) -> list[tuple[int, int, str]]:
    """(place of the input, axis counted from 0, symbol) for each axis whose size may differ."""
    rows = []
    for key, axes in (dynamic or {}).items():
        if key not in names and key not in range(len(inputs)):
            raise ArgumentError(f"trace: dynamic names {key!r}; the inputs are {', '.join(names)}")
        place = names.index(key) if isinstance(key, str) else key
        if not isinstance(axes, Mapping) or not all(
            isinstance(axis, int) and isinstance(symbol, str) for axis, symbol in axes.items()
        ):
            raise ArgumentError(
                f"trace: dynamic gives {axes!r} for '{names[place]}'; expected names of axes, "
                'such as {0: "batch"}'
            )
        rank = len(inputs[place].shape)
        for axis, symbol in axes.items():
            if not -rank <= axis < rank:
                raise IndexError(
                    f"trace: dynamic names axis {axis} of '{names[place]}'; "
                    f"expected {-rank} to {rank - 1} for rank {rank}"
                )
            rows.append((place, axis % rank, symbol))
    return rows


def _members(function: Callable[..., Any]) -> list[tuple[str, Tensor, str]]:
    """The tensors of a module, also of one whose method is traced."""
    module = function if isinstance(function, Module) else getattr(function, "__self__", None)
    if not isinstance(module, Module):
        return []
    parameters = module.named_parameters(remove_duplicate=False)
    buffers = module.named_buffers(remove_duplicate=False)
    return [(name, p, "parameter") for name, p in parameters] + [
        (name, b, "buffer") for name, b in buffers
    ]


class _Modes:
    """Puts a module into a mode before each of its methods is traced, and back at the end."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._module = fn if isinstance(fn, Module) else None
        modules = [] if self._module is None else list(self._module.modules())
        self._before = [(module, module.training) for module in modules]

    def __enter__(self) -> _Modes:
        return self

    def __exit__(self, *error: object) -> None:
        for module, training in self._before:
            module.training = training

    def wrap(self, fn: Callable[..., Any], mode: str) -> Callable[..., Any]:
        def run(*inputs: Tensor) -> Any:
            self.__exit__()
            if self._module is not None and self._module.training != (mode == "train"):
                self._module.train(mode == "train")
            return fn(*inputs)

        return fn if self._module is None else run


def _method_row(name: str, method: Method, modes: list[str], modules: _Modes) -> dict[str, Any]:
    given = method.example_inputs
    inputs = [given] if isinstance(given, Tensor) else list(given)
    chosen = method.input_names
    names = list(chosen) if chosen is not None else _input_names(method.fn, len(inputs))
    if len(names) != len(inputs):
        raise ArgumentError(
            f"trace: {len(names)} names for {len(inputs)} inputs; expected one for each"
        )
    return {
        "name": name,
        "function": modules.wrap(method.fn, modes[0]),
        "inputs": inputs,
        "dynamic": _dynamic_rows(method.dynamic, names, inputs),
        "input_names": names,
        "output_names": None if method.output_names is None else list(method.output_names),
        "state": list((method.state or {}).items()),
        "modes": modes,
    }


MODES = {"eval": ["eval"], "train": ["train"], "both": ["eval", "train"]}


def trace(
    fn: Callable[..., Any],
    example_inputs: Tensor | Sequence[Tensor],
    dynamic: Dynamic | None = None,
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    mode: str = "eval",
    methods: Mapping[str, Method] | None = None,
    state: Mapping[str, str] | None = None,
) -> Program:
    """Runs `fn` (a module or a function) on examples; what it did becomes a program.

    `dynamic` names axes whose sizes may differ at each call: {"x": {0: "batch"}}. A module is
    traced in the `mode` "eval", "train" or "both"; functions are for both. `methods` are further
    functions of the same module, such as its loss, {"loss": rondo.jit.Method(loss, examples)};
    `fn` itself is the method `forward`. `state`
    declares outputs that are inputs of the next call, {"hidden_out": "hidden"}, for the loop of who
    runs the program. A host read of a traced value is an error that names the line.
    """
    if mode not in MODES:
        raise ArgumentError(f"trace: mode is '{mode}'; expected 'eval', 'train' or 'both'")
    for name, method in (methods or {}).items():
        if not isinstance(method, Method):
            raise ArgumentError(
                f"trace: method '{name}' is {type(method).__name__}; expected rondo.jit.Method(fn, example_inputs)"
            )
    forward = Method(fn, example_inputs, dynamic, input_names, output_names, state)
    members = {"forward": forward, **(methods or {})}
    passes = [[m] for m in MODES[mode]] if isinstance(fn, Module) else [["eval", "train"]]
    import tempfile

    handle, path = tempfile.mkstemp(suffix=".rondo")
    os.close(handle)
    try:
        with _Modes(fn) as modules:
            rows = [
                _method_row(name, m, modes, modules) for modes in passes for name, m in members.items()
            ]
            _C.export_archive(path, rows, _members(fn))
    except BaseException:
        os.unlink(path)
        raise
    program = Program(path, temporary=True)
    return program.train() if mode == "train" else program


def save(obj: Any, f: Path | BinaryIO) -> None:
    """Writes a program as an archive, or a state dict as a safetensors file. Never code."""
    if isinstance(obj, Module):
        raise ArgumentError(
            f"save: the object is a {type(obj).__name__}; save its state_dict(), or what "
            "rondo.trace makes of it"
        )
    if not isinstance(f, (str, os.PathLike)):
        import shutil
        import tempfile

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
    map_location: DeviceLike = None,
    *,
    weights: str | None = None,
    weights_only: bool = True,
) -> Any:
    """Reads what save wrote: a Program from an archive, else a state dict.

    With weights="map" tensors lie in the file and are read-only, as those of archives do if nothing
    is said; the file may be replaced by a rename, not overwritten in place. With weights="copy", as
    for state dicts, they are read into memory. A state dict goes to the device `map_location`, or
    stays on the host, whatever it was saved from; programs run on the host.
    """
    if weights not in (None, "copy", "map"):
        raise ArgumentError(f"load: weights is '{weights}'; expected 'copy' or 'map'")
    if not isinstance(f, (str, os.PathLike)):
        import shutil
        import tempfile

        handle, path = tempfile.mkstemp()
        kept = False
        try:
            with os.fdopen(handle, "wb") as content:
                shutil.copyfileobj(f, content)
            kept = _is_archive(path)
            if kept:
                return Program(path, temporary=True)
            return _state.read(path, False, map_location)
        finally:
            if not kept:
                os.unlink(path)
    path = os.fspath(f)
    if _is_archive(path):
        return Program(path, copy=weights == "copy")
    return _state.read(path, weights == "map", map_location)


def _is_archive(path: str) -> bool:
    if not os.path.isfile(path):
        return False  # the reader says why
    with open(path, "rb") as content:
        return content.read(2) == ZIP_START
