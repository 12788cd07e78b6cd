"""Modules that hold other modules or parameters."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any, TypeVar, overload

from .._C import ArgumentError, IndexError, Tensor
from .module import Module
from .parameter import Parameter

R = TypeVar("R", bound="_Row")


def _place(container: Any, index: int) -> str:
    """The name of the member with that number."""
    count = len(container)
    number = operator.index(index)
    if not -count <= number < count:
        raise IndexError(f"{type(container).__name__}: index {number} is out of range for {count}")
    names: list[str] = list(container._module_names)
    return names[number % count]


class _Row(Module):
    """What containers share whose members have numbers."""

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, _place(self, index), module)

    def _assign(self, modules: Iterable[Module]) -> None:
        """These modules and no others, numbered anew."""
        members = list(modules)
        for name in list(self._module_names):
            delattr(self, name)
        self.extend(members)

    def __len__(self) -> int:
        return len(self._module_names)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def append(self: R, module: Module) -> R:
        self.add_module(str(len(self)), module)
        return self

    def extend(self: R, modules: Iterable[Module]) -> R:
        for module in modules:
            self.append(module)
        return self


class Sequential(_Row):
    """Modules one after the other."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            self.extend(args)

    def forward(self, input: Any) -> Any:
        attributes = self.__dict__
        for name in self._module_names:
            input = attributes[name](input)
        return input

    @overload
    def __getitem__(self, index: slice) -> Sequential: ...
    @overload
    def __getitem__(self, index: int) -> Module: ...
    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            names = list(self._module_names)[index]
            return type(self)({name: self.__dict__[name] for name in names})
        return self.__dict__[_place(self, index)]  # type: ignore[no-any-return]

    def __delitem__(self, index: int) -> None:
        delattr(self, _place(self, index))
        self._assign(self)


class ModuleList(_Row):
    """A list of modules."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    @overload
    def __getitem__(self, index: slice) -> ModuleList: ...
    @overload
    def __getitem__(self, index: int) -> Module: ...
    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self.__dict__[_place(self, index)]  # type: ignore[no-any-return]

    def __delitem__(self, index: int) -> None:
        modules = list(self)
        del modules[index]
        self._assign(modules)

    def insert(self, index: int, module: Module) -> None:
        modules = list(self)
        modules.insert(index, module)
        self._assign(modules)

    def __repr__(self) -> str:
        """Equal modules in a row stand in one line with their number."""
        texts = [repr(module).replace("\n", "\n  ") for module in self]
        lines = []
        for start, text in enumerate(texts):
            if start > 0 and texts[start - 1] == text:
                continue
            end = start
            while end + 1 < len(texts) and texts[end + 1] == text:
                end += 1
            many = f"({start}-{end}): {end - start + 1} x "
            lines.append(("  " + many if end > start else f"  ({start}): ") + text)
        if not lines:
            return f"{self._get_name()}()"
        return f"{self._get_name()}(\n" + "\n".join(lines) + "\n)"

    def pop(self, index: int = -1) -> Module:
        module = self[index]
        del self[index]
        return module


class _Named(Module):
    """What containers share whose members have names; `_members` are those."""

    @property
    def _members(self) -> MutableMapping[str, Any]:
        raise NotImplementedError

    def __getitem__(self, key: str) -> Any:
        return self._members[key]

    def __delitem__(self, key: str) -> None:
        del self._members[key]

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __contains__(self, key: object) -> bool:
        return key in self._members

    def __setitem__(self, key: str, value: Any) -> None:
        raise NotImplementedError

    def keys(self) -> Iterable[str]:
        return self._members.keys()

    def values(self) -> Iterable[Any]:
        return self._members.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        return self._members.items()

    def update(self, members: Mapping[str, Any]) -> None:
        for key, value in members.items():
            self[key] = value

    def pop(self, key: str) -> Any:
        return self._members.pop(key)

    def clear(self) -> None:
        self._members.clear()


class ModuleDict(_Named):
    """Modules by names."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    @property
    def _members(self) -> MutableMapping[str, Any]:
        return self._modules

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)


def _as_parameter(container: Module, value: Any) -> Parameter:
    if isinstance(value, Parameter):
        return value
    if not isinstance(value, Tensor):
        name = type(container).__name__
        raise ArgumentError(f"{name}: an item is {type(value).__name__}; expected Tensor")
    return Parameter(value)


class ParameterList(Module):
    """A list of parameters; tensors become parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self.extend(values or ())

    def __getitem__(self, index: int) -> Parameter:
        return list(self)[index]

    def __setitem__(self, index: int, value: Any) -> None:
        names = list(self._parameter_names)
        self._parameters[names[index]] = _as_parameter(self, value)

    def __len__(self) -> int:
        return len(self._parameter_names)

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self._parameters.values())

    def append(self, value: Any) -> ParameterList:
        self.register_parameter(str(len(self)), _as_parameter(self, value))
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(
            f"({i}): Parameter of shape {list(p.shape)}" for i, p in enumerate(self)
        )


class ParameterDict(_Named):
    """Parameters by names; tensors become parameters."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.update(parameters or {})

    @property
    def _members(self) -> MutableMapping[str, Any]:
        return self._parameters

    def __setitem__(self, key: str, value: Any) -> None:
        self.register_parameter(key, _as_parameter(self, value))

    def extra_repr(self) -> str:
        return "\n".join(
            f"({name}): Parameter of shape {list(p.shape)}" for name, p in self.items()
        )
