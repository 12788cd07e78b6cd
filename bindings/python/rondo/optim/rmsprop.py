"""RMSprop and Adagrad: steps divided by a measure of past gradients."""

from __future__ import annotations

from typing import Any

from .._C import Tensor
from .._factories import zeros_like
from .._grad_mode import no_grad
from .optimizer import Optimizer, Parameters, check_settings


def _gradient_of(parameter: Tensor, group: dict[str, Any]) -> Tensor:
    """The gradient with the sign and the weight decay of the group."""
    gradient = -parameter.grad if group["maximize"] else parameter.grad
    if group["weight_decay"] != 0:
        gradient = gradient + parameter * group["weight_decay"]
    return gradient  # type: ignore[no-any-return]


class RMSprop(Optimizer):
    """Steps divided by a running root mean square of the gradients. Source: Hinton 2012."""

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
    ) -> None:
        check_settings(
            "RMSprop", lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum
        )
        super().__init__(
            params,
            {
                "lr": lr,
                "alpha": alpha,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "centered": centered,
                "maximize": maximize,
            },
        )

    @no_grad()
    def _step_group(self, group: dict[str, Any]) -> None:
        for parameter in group["params"]:
            if parameter.grad is not None:
                self._step_one(parameter, self._state_of(parameter, group), group)

    def _state_of(self, parameter: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        state = self.state[parameter]
        if not state:
            state["step"] = 0
            state["square_avg"] = zeros_like(parameter)
            if group["momentum"] > 0:
                state["momentum_buffer"] = zeros_like(parameter)
            if group["centered"]:
                state["grad_avg"] = zeros_like(parameter)
        state["step"] += 1
        return state

    def _step_one(
        self, parameter: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        gradient = _gradient_of(parameter, group)
        alpha = group["alpha"]
        squares = state["square_avg"]
        squares.mul_(alpha).add_(gradient * gradient * (1 - alpha))
        mean_square = squares
        if group["centered"]:
            mean = state["grad_avg"]
            mean.mul_(alpha).add_(gradient * (1 - alpha))
            mean_square = squares - mean * mean
        change = gradient / (mean_square.sqrt() + group["eps"])
        if group["momentum"] > 0:
            change = state["momentum_buffer"].mul_(group["momentum"]).add_(change)
        parameter.sub_(change * group["lr"])


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of all squared gradients. Source: Duchi et al. 2011."""

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        check_settings(
            "Adagrad",
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "eps": eps,
                "maximize": maximize,
            },
        )

    @no_grad()
    def _step_group(self, group: dict[str, Any]) -> None:
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            state = self.state[parameter]
            if not state:
                state["step"] = 0
                state["sum"] = zeros_like(parameter) + group["initial_accumulator_value"]
            state["step"] += 1
            gradient = _gradient_of(parameter, group)
            state["sum"].add_(gradient * gradient)
            rate = group["lr"] / (1 + (state["step"] - 1) * group["lr_decay"])
            parameter.sub_(gradient / (state["sum"].sqrt() + group["eps"]) * rate)
