"""Optimizer: groups of parameters with their settings, and what is remembered for each parameter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any, TypeAlias, Union

from .._C import ArgumentError, Tensor
from .._grad_mode import enable_grad

Parameters: TypeAlias = Union[Iterable[Tensor], Iterable[Mapping[str, Any]], Iterable[Any]]


class Optimizer:
    """Base of the optimizers; a step is `_step_group` for each group."""

    def __init__(self, params: Parameters, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: dict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        if isinstance(params, Tensor):
            raise ArgumentError("optimizer: params is a Tensor; expected a list of them")
        groups = list(params)
        if not groups:
            raise ArgumentError("optimizer: there are no parameters")
        if isinstance(groups[0], tuple):  # named_parameters()
            groups = [parameter for _, parameter in groups]
        if not isinstance(groups[0], Mapping):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        group = {**self.defaults, **param_group}
        given = group["params"]
        group["params"] = [given] if isinstance(given, Tensor) else list(given)
        known = {id(p) for other in self.param_groups for p in other["params"]}
        for parameter in group["params"]:
            if not isinstance(parameter, Tensor):
                raise ArgumentError(
                    f"optimizer: a parameter is {type(parameter).__name__}; expected Tensor"
                )
            if not parameter.is_leaf:
                raise ArgumentError("optimizer: a parameter is a result; expected a leaf")
            if id(parameter) in known:
                raise ArgumentError("optimizer: a parameter stands in two groups")
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients, or sets them to 0."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if set_to_none:
                    parameter.grad = None
                elif parameter.grad is not None:
                    parameter.grad.detach().zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes the parameters by their gradients; a closure computes loss and gradients first."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            self._step_group(group)
        return loss

    def _step_group(self, group: dict[str, Any]) -> None:
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """State and settings, with numbers in the place of parameters."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
            settings = {k: v for k, v in group.items() if k != "params"}
            groups.append({**settings, "params": [numbers[id(p)] for p in group["params"]]})
        state = {numbers[id(p)]: dict(values) for p, values in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes a copy of a state; groups must have as many parameters as when it was saved."""
        saved = state_dict["param_groups"]
        ours = [len(group["params"]) for group in self.param_groups]
        theirs = [len(group["params"]) for group in saved]
        if ours != theirs:
            raise ArgumentError(
                f"load_state_dict: groups of {theirs} parameters; the optimizer has groups of {ours}"
            )
        parameters: dict[Any, Tensor] = {}
        for group, new in zip(self.param_groups, saved):
            parameters.update(zip(new["params"], group["params"]))
            group.update({k: deepcopy(v) for k, v in new.items() if k != "params"})
        self.state.clear()
        for number, values in state_dict["state"].items():
            parameter = parameters[int(number)]
            self.state[parameter] = {k: _copy_of(v, parameter) for k, v in values.items()}

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            settings = sorted((k, v) for k, v in group.items() if k != "params")
            lines += [f"    {name}: {value}" for name, value in settings]
        return "\n".join([*lines, ")"])

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["state"] = dict(self.state)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.state = defaultdict(dict, state["state"])


def _copy_of(value: Any, parameter: Tensor) -> Any:
    if isinstance(value, Tensor):
        return value.detach().to(parameter.device, copy=True)
    return deepcopy(value)


def check_settings(name: str, **settings: float) -> None:
    """All of them must be 0 or more."""
    for setting, value in settings.items():
        if not isinstance(value, Tensor) and not value >= 0:
            raise ArgumentError(f"{name}: {setting} is {value}; it must not be negative")
