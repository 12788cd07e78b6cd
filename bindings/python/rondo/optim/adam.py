"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import _C
from .._C import ArgumentError, Tensor
from .._factories import zeros_like
from .optimizer import Optimizer, Parameters, check_settings


_STATE = ("exp_avg", "exp_avg_sq")
_AMSGRAD_STATE = (*_STATE, "max_exp_avg_sq")


class Adam(Optimizer):
    """Steps scaled by running moments. Source: Kingma and Ba 2015, arXiv:1412.6980."""

    _decoupled = False

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        name = type(self).__name__
        check_settings(name, lr=lr, eps=eps, weight_decay=weight_decay)
        if not (0 <= betas[0] < 1 and 0 <= betas[1] < 1):
            raise ArgumentError(f"{name}: betas are {betas}; expected numbers from 0 to below 1")
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )

    def _start(self, parameter: Tensor, amsgrad: bool) -> dict[str, Any]:
        state = self.state[parameter]
        state["step"] = 0
        state["exp_avg"] = zeros_like(parameter)
        state["exp_avg_sq"] = zeros_like(parameter)
        if amsgrad:
            state["max_exp_avg_sq"] = zeros_like(parameter)
        return state

    def _gather(self, group: dict[str, Any]) -> Iterator[tuple[int, tuple[list[Any], ...]]]:
        """Counts of steps with the columns of the parameters that have made as many."""
        names = _AMSGRAD_STATE if group["amsgrad"] else _STATE
        gathered = _C.gather_columns(group["params"], self.state, names)
        if gathered is not None:
            yield gathered[0], gathered[1:]
            return
        by_step: dict[int, tuple[list[Any], ...]] = {}
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            state = self.state[parameter] or self._start(parameter, group["amsgrad"])
            state["step"] = int(state["step"]) + 1
            columns = by_step.setdefault(state["step"], tuple([] for _ in range(len(names) + 2)))
            row = (parameter, *(state[name] for name in names), parameter.grad)
            for column, item in zip(columns, row):
                column.append(item)
        yield from by_step.items()

    def _step_group(self, group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        name = "amsgrad_step" if group["amsgrad"] else "adam_step"
        for step, columns in self._gather(group):
            if not columns[0]:
                continue
            rest = (
                group["lr"],
                beta1,
                beta2,
                group["eps"],
                group["weight_decay"],
                1 - beta1**step,
                1 - beta2**step,
                self._decoupled,
                group["maximize"],
            )
            _C.step_all(name, columns, rest)


class AdamW(Adam):
    """Adam with weight decay beside the gradient. Source: Loshchilov and Hutter, arXiv:1711.05101."""

    _decoupled = True

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **options)
