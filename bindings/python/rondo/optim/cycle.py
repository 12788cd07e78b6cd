"""Schedules that go up and down, and schedules one after the other."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from .._C import ArgumentError
from .optimizer import Optimizer
from .schedule import LRScheduler


def _cosine(start: float, end: float, part: float) -> float:
    return end + (start - end) / 2 * (1 + math.cos(math.pi * part))


def _line(start: float, end: float, part: float) -> float:
    return (end - start) * part + start


_CURVES = {"cos": _cosine, "linear": _line}


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosines to `eta_min` that start anew, each `T_mult` times as long as the one before.

    Source: Loshchilov and Hutter, arXiv:1608.03983.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 < 1 or T_mult < 1:
            raise ArgumentError(
                f"CosineAnnealingWarmRestarts: T_0 is {T_0}, T_mult is {T_mult}; both must be "
                "positive"
            )
        self.T_0 = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        place, length = self.last_epoch, self.T_0
        while place >= length:
            place -= length
            length *= self.T_mult
        return [_cosine(base, self.eta_min, place / length) for base in self.base_lrs]


class OneCycleLR(LRScheduler):
    """Up to `max_lr` and down again, one step a batch. Source: Smith and Topin, arXiv:1708.07120."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ArgumentError(
                    "OneCycleLR: the length is missing; give total_steps, or epochs and "
                    "steps_per_epoch"
                )
            total_steps = epochs * steps_per_epoch
        if total_steps < 1 or not 0 <= pct_start <= 1 or anneal_strategy not in _CURVES:
            raise ArgumentError(
                f"OneCycleLR: total_steps is {total_steps}, pct_start {pct_start}, "
                f"anneal_strategy '{anneal_strategy}'; expected a positive number, one from 0 to "
                "1, and 'cos' or 'linear'"
            )
        groups = optimizer.param_groups
        peaks = list(max_lr) if isinstance(max_lr, Sequence) else [max_lr] * len(groups)
        if len(peaks) != len(groups):
            raise ArgumentError(
                f"OneCycleLR: {len(peaks)} rates for {len(groups)} groups; there must be one for each"
            )
        if cycle_momentum and not any(name in optimizer.defaults for name in ("momentum", "betas")):
            raise ArgumentError(
                "OneCycleLR: the optimizer has no momentum; pass cycle_momentum=False"
            )
        self.total_steps = total_steps
        self.anneal_strategy = anneal_strategy
        self.cycle_momentum = cycle_momentum
        self.momenta = (base_momentum, max_momentum)
        self.ends = _ends(total_steps, pct_start, three_phase)
        self.rates = []
        for group, peak in zip(groups, peaks):
            first = peak / div_factor
            last = first / final_div_factor
            self.rates.append([first, peak, first, last] if three_phase else [first, peak, last])
            if last_epoch == -1:
                group["initial_lr"] = first
        super().__init__(optimizer, last_epoch)

    def _at(self, corners: Sequence[float]) -> float:
        """The curve through `corners`, which lie at the start and at the ends of the phases."""
        step = self.last_epoch
        curve = _CURVES[self.anneal_strategy]
        start = 0.0
        for i, end in enumerate(self.ends):
            if step <= end or i == len(self.ends) - 1:
                part = (step - start) / (end - start) if end > start else 1.0
                return curve(corners[i], corners[i + 1], part)
            start = end
        return corners[-1]

    def get_lr(self) -> list[float]:
        if self.last_epoch > self.total_steps:
            raise ArgumentError(
                f"OneCycleLR: step {self.last_epoch} of {self.total_steps}; the cycle is over"
            )
        if self.cycle_momentum:
            low, high = self.momenta
            corners = [high, low, high, high][: len(self.ends) + 1]
            self._set_momentum(self._at(corners))
        return [self._at(corners) for corners in self.rates]

    def _set_momentum(self, momentum: float) -> None:
        for group in self.optimizer.param_groups:
            if "betas" in group:
                group["betas"] = (momentum, *group["betas"][1:])
            else:
                group["momentum"] = momentum


def _ends(total: int, part: float, three_phase: bool) -> list[float]:
    """The steps at which the phases end."""
    if three_phase:
        return [part * total - 1, 2 * part * total - 2, total - 1]
    return [part * total - 1, total - 1]


class SequentialLR(LRScheduler):
    """One schedule after the other; the next begins at each milestone."""

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        if len(schedulers) != len(milestones) + 1:
            raise ArgumentError(
                f"SequentialLR: {len(schedulers)} schedules with {len(milestones)} milestones; "
                "there must be one milestone between two schedules"
            )
        if any(schedule.optimizer is not optimizer for schedule in schedulers):
            raise ArgumentError("SequentialLR: a schedule belongs to another optimizer")
        self.schedulers = list(schedulers)
        self.milestones = list(milestones)
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        super().__init__(optimizer, last_epoch)

    def step(self, epoch: int | None = None) -> None:
        """Goes to the next epoch; to one that is given it cannot."""
        if epoch is not None:
            raise ArgumentError("SequentialLR: step takes no epoch")
        self.last_epoch += 1
        place = bisect_right(self.milestones, self.last_epoch)
        schedule = self.schedulers[place]
        begins = self.last_epoch == (self.milestones[place - 1] if place > 0 else 0)
        schedule.step(0 if begins else None)
        self._last_lr = schedule.get_last_lr()

    def get_lr(self) -> list[float]:
        return self._last_lr

    def _left_out(self) -> Sequence[str]:
        return ("optimizer", "schedulers")

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "schedulers": [s.state_dict() for s in self.schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        own = dict(state_dict)
        for schedule, state in zip(self.schedulers, own.pop("schedulers")):
            schedule.load_state_dict(state)
        super().load_state_dict(own)
