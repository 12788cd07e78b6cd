"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from .. import _C
from .._C import ArgumentError
from .._factories import zeros_like
from .optimizer import Optimizer, Parameters, check_settings


class SGD(Optimizer):
    """param -= lr * grad, with momentum if asked for."""

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        fused: bool | None = None,
    ) -> None:
        check_settings("SGD", lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ArgumentError("SGD: nesterov needs a momentum and no dampening")
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
            },
        )

    def _step_group(self, group: dict[str, Any]) -> None:
        params = [p for p in group["params"] if p.grad is not None]
        if not params:
            return
        lr, decay, maximize = group["lr"], group["weight_decay"], group["maximize"]
        momentum = group["momentum"]
        if momentum == 0:
            grads = [p.grad for p in params]
            _C.step_all("sgd_step", (params, grads), (lr, decay, maximize))
            return
        fresh = [p for p in params if "momentum_buffer" not in self.state[p]]
        started = [p for p in params if "momentum_buffer" in self.state[p]]
        for p in fresh:
            self.state[p]["momentum_buffer"] = zeros_like(p)
        # A first step is not damped.
        for part, dampening in ((fresh, 0.0), (started, group["dampening"])):
            if part:
                columns = (
                    part,
                    [self.state[p]["momentum_buffer"] for p in part],
                    [p.grad for p in part],
                )
                rest = (lr, momentum, dampening, decay, group["nesterov"], maximize)
                _C.step_all("sgd_momentum_step", columns, rest)
