"""Module: the base of all layers and models.

Parameters, buffers and submodules are plain attributes, so that reading one costs no more than any
other; the module keeps their names in order beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .._C import ArgumentError, Tensor, dtype as Dtype
from .._C import bfloat16, float16, float32, float64
from .._grad_mode import no_grad
from .._types import DeviceLike, check_device, where_to
from . import module_hooks
from .hooks import Hooks, RemovableHandle
from .parameter import Buffer, Parameter

M = TypeVar("M", bound="Module")
T = TypeVar("T")


class IncompatibleKeys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class _Members(MutableMapping[str, Any]):
    """The parameters, buffers or submodules of a module, by their names."""

    def __init__(self, module: Module, names: str) -> None:
        self._module = module
        self._attributes = module.__dict__
        self._names: dict[str, None] = module.__dict__[names]

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return self._attributes[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._names[name] = None
        self._attributes[name] = value

    def __delitem__(self, name: str) -> None:
        del self._names[name]
        del self._attributes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._names))

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))


def _check_kind(what: str, name: str, value: object, kind: type) -> None:
    if value is not None and not isinstance(value, kind):
        raise ArgumentError(
            f"{what}: '{name}' is {type(value).__name__}; expected {kind.__name__} or None"
        )


class Module:
    """Base of layers and models: `forward` is what calling it does."""

    training: bool
    _parameter_names: dict[str, None]
    _buffer_names: dict[str, None]
    _module_names: dict[str, None]
    _transient_buffers: set[str]

    def __init__(self) -> None:
        self.__dict__.update(
            training=True,
            _parameter_names={},
            _buffer_names={},
            _module_names={},
            _transient_buffers=set(),
            _forward_pre_hooks=None,
            _forward_hooks=None,
            _backward_hooks=None,
            _hooked=False,
        )

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._hooked:
            return module_hooks.call(self, args, kwargs)
        return self.forward(*args, **kwargs)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    # Members.

    @property
    def _parameters(self) -> _Members:
        return _Members(self, "_parameter_names")

    @property
    def _buffers(self) -> _Members:
        return _Members(self, "_buffer_names")

    @property
    def _modules(self) -> _Members:
        return _Members(self, "_module_names")

    def __setattr__(self, name: str, value: Any) -> None:
        attributes = self.__dict__
        if "_module_names" not in attributes:
            if isinstance(value, (Parameter, Module)):
                raise AttributeError(
                    f"{type(self).__name__}: '{name}' is assigned before super().__init__() ran"
                )
            object.__setattr__(self, name, value)
        elif isinstance(value, Parameter):
            self._register("_parameter_names", name, value)
        elif isinstance(value, Module):
            self._register("_module_names", name, value)
        elif isinstance(value, Buffer):
            self.register_buffer(name, value.data, value.persistent)
        elif name in self._parameter_names:
            self._replace(name, value, type(None), "a parameter; assign a Parameter or None")
        elif name in self._module_names:
            self._replace(name, value, type(None), "a module; assign a Module or None")
        elif name in self._buffer_names:
            self._replace(name, value, (Tensor, type(None)), "a buffer; assign a Tensor or None")
        else:
            object.__setattr__(self, name, value)

    def _register(self, names: str, name: str, value: Any) -> None:
        for other in ("_parameter_names", "_buffer_names", "_module_names"):
            if other != names:
                self.__dict__[other].pop(name, None)
        self.__dict__[names][name] = None
        self.__dict__[name] = value

    def _replace(self, name: str, value: Any, kinds: Any, what: str) -> None:
        if not isinstance(value, kinds):
            raise ArgumentError(f"{type(self).__name__}: '{name}' is {what}")
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        for names in ("_parameter_names", "_buffer_names", "_module_names"):
            self.__dict__[names].pop(name, None)
        self._transient_buffers.discard(name)
        object.__delattr__(self, name)

    def _check_name(self, what: str, name: str) -> None:
        if name == "" or "." in name:
            raise ArgumentError(f"{what}: the name '{name}' is empty or has a dot")
        members = (*self._parameter_names, *self._buffer_names, *self._module_names)
        if hasattr(self, name) and name not in members:
            raise ArgumentError(f"{what}: '{name}' is an attribute already; use another name")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        self._check_name("register_parameter", name)
        _check_kind("register_parameter", name, param, Parameter)
        self._register("_parameter_names", name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """A tensor that belongs to the state but is not trained."""
        self._check_name("register_buffer", name)
        _check_kind("register_buffer", name, tensor, Tensor)
        self._register("_buffer_names", name, tensor)
        (self._transient_buffers.discard if persistent else self._transient_buffers.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        self._check_name("add_module", name)
        _check_kind("add_module", name, module, Module)
        self._register("_module_names", name, module)

    register_module = add_module

    # Walking over members.

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """The module itself and all below it, each once."""
        seen: set[Module] = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        for name, module in self._named("_module_names"):
            below = f"{prefix}.{name}" if prefix else name
            yield from module.named_modules(seen, below, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        for _, module in self.named_modules():
            yield module

    def _named(self, names: str) -> Iterator[tuple[str, Any]]:
        attributes = self.__dict__
        for name in list(attributes[names]):
            value = attributes[name]
            if value is not None:
                yield name, value

    def named_children(self) -> Iterator[tuple[str, Module]]:
        seen: set[Module] = set()
        for name, module in self._named("_module_names"):
            if module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        for _, module in self.named_children():
            yield module

    def _named_members(
        self, names: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        own = [(prefix, self)]
        modules = self.named_modules(None, prefix, remove_duplicate) if recurse else own
        for path, module in modules:
            for name, value in module._named(names):
                if id(value) not in seen:
                    if remove_duplicate:
                        seen.add(id(value))
                    yield f"{path}.{name}" if path else name, value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        return self._named_members("_parameter_names", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        return self._named_members("_buffer_names", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        module = self
        for part in target.split(".") if target else ():
            found = module.__dict__.get(part)
            if not isinstance(found, Module):
                raise AttributeError(f"{type(module).__name__} has no submodule '{part}'")
            module = found
        return module

    def _get_member(self, target: str, names: str, what: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in module.__dict__[names]:
            raise AttributeError(f"{type(module).__name__} has no {what} '{name}'")
        return module.__dict__[name]

    def get_parameter(self, target: str) -> Parameter:
        return self._get_member(target, "_parameter_names", "parameter")  # type: ignore[no-any-return]

    def get_buffer(self, target: str) -> Tensor:
        return self._get_member(target, "_buffer_names", "buffer")  # type: ignore[no-any-return]

    # Changing all of it.

    def apply(self: M, fn: Callable[[Module], Any]) -> M:
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def train(self: M, mode: bool = True) -> M:
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self: M) -> M:
        return self.train(False)

    def requires_grad_(self: M, requires_grad: bool = True) -> M:
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters():
            if parameter.grad is not None:
                if set_to_none:
                    parameter.grad = None
                else:
                    parameter.grad.detach().zero_()

    def _apply(self: M, fn: Callable[[Tensor], Tensor]) -> M:
        """Puts fn(tensor) in the place of every parameter, gradient and buffer."""
        done: set[int] = set()
        for module in self.modules():
            for _, parameter in module._named("_parameter_names"):
                if id(parameter) not in done:
                    done.add(id(parameter))
                    gradient = parameter.grad
                    parameter.grad = None
                    parameter.data = fn(parameter.data)
                    parameter.grad = None if gradient is None else fn(gradient)
            for name, buffer in module._named("_buffer_names"):
                module.__dict__[name] = fn(buffer)
        return self

    def to(self: M, *args: Any, **named: Any) -> M:
        """to(dtype), to(device), to(device, dtype) or to(tensor); integers keep their dtype."""
        dtype, device = where_to(args, named)
        if dtype is not None:
            self._cast(dtype)
        return self if device is None else self._move(device)

    def _move(self: M, device: DeviceLike) -> M:
        place = check_device(device)
        return self._apply(lambda t: t.to(place))

    def _cast(self: M, dtype: Dtype) -> M:
        if not dtype.is_floating_point:
            raise ArgumentError(f"to: parameters cannot become {dtype.name}; expected a float")
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self: M) -> M:
        return self._cast(float32)

    def double(self: M) -> M:
        return self._cast(float64)

    def half(self: M) -> M:
        return self._cast(float16)

    def bfloat16(self: M) -> M:
        return self._cast(bfloat16)

    def cpu(self: M) -> M:
        return self._move("cpu")

    def cuda(self: M, device: DeviceLike = None) -> M:
        return self._move("cuda" if device is None else device)

    # State.

    def state_dict(
        self,
        destination: dict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Any]:
        """All parameters and persistent buffers by their full names; the data is shared."""
        state: dict[str, Any] = {} if destination is None else destination
        for name, value in self._state_members():
            state[prefix + name] = value if keep_vars else value.detach()
        for name, module in self._named("_module_names"):
            module.state_dict(state, f"{prefix}{name}.", keep_vars)
        return state

    def _state_members(self) -> Iterator[tuple[str, Tensor]]:
        yield from self._named("_parameter_names")
        for name, buffer in self._named("_buffer_names"):
            if name not in self._transient_buffers:
                yield name, buffer

    def _state_targets(self, prefix: str = "") -> Iterator[tuple[str, Module, str]]:
        for name, _ in self._state_members():
            yield prefix + name, self, name
        for name, module in self._named("_module_names"):
            yield from module._state_targets(f"{prefix}{name}.")

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copies the state in; everything that does not fit is named in one error."""
        targets = {path: (module, name) for path, module, name in self._state_targets()}
        missing = [path for path in targets if path not in state_dict]
        unexpected = [path for path in state_dict if path not in targets]
        faults = []
        if strict and missing:
            faults.append("missing: " + ", ".join(missing))
        if strict and unexpected:
            faults.append("unexpected: " + ", ".join(unexpected))
        for path, (module, name) in targets.items():
            if path in state_dict:
                given, wanted = list(state_dict[path].shape), list(module.__dict__[name].shape)
                if given != wanted:
                    faults.append(f"{path}: {given} in the state; the model has {wanted}")
        if faults:
            raise ArgumentError(
                f"load_state_dict: the state does not fit {type(self).__name__}:\n  "
                + "\n  ".join(faults)
            )
        with no_grad():
            for path, (module, name) in targets.items():
                if path in state_dict:
                    module._load_member(name, state_dict[path], assign)
        return IncompatibleKeys(missing, unexpected)

    def _load_member(self, name: str, value: Any, assign: bool) -> None:
        member = self.__dict__[name]
        if not assign:
            member.copy_(value)
        elif isinstance(member, Parameter):
            self.__dict__[name] = Parameter(value.detach(), member.requires_grad)
        else:
            self.__dict__[name] = value

    # Hooks.

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """hook(module, args) before forward; what it returns replaces the arguments."""
        return module_hooks.register(self, "_forward_pre_hooks", (hook, with_kwargs), prepend)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """hook(module, args, output) after forward; what it returns replaces the output."""
        return module_hooks.register(self, "_forward_hooks", (hook, with_kwargs), prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """hook(module, grad_input, grad_output) when the gradients of the inputs are known."""
        return module_hooks.register(self, "_backward_hooks", (hook, False), prepend)

    # Text.

    def extra_repr(self) -> str:
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr().split("\n")
        head = [line for line in extra if line]
        children = []
        for name in self._module_names:
            text = repr(self.__dict__[name]).split("\n")
            children.append(f"({name}): " + "\n  ".join(text))
        if not children and len(head) <= 1:
            return f"{self._get_name()}({''.join(head)})"
        return f"{self._get_name()}(\n  " + "\n  ".join(head + children) + "\n)"


__all__ = ["Hooks", "IncompatibleKeys", "Module", "RemovableHandle"]
