"""The base of the learning rate schedules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .optimizer import Optimizer


class LRScheduler:
    """Base of the schedules: `get_lr` gives the rate of each group at `last_epoch`."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._last_lr: list[float] = []
        self.step()

    def get_lr(self) -> list[float]:
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Goes to the next epoch, or to the one given."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._last_lr = self.get_lr()
        for group, lr in zip(self.optimizer.param_groups, self._last_lr):
            group["lr"] = lr

    def state_dict(self) -> dict[str, Any]:
        return {name: v for name, v in self.__dict__.items() if name not in self._left_out()}

    def _left_out(self) -> Sequence[str]:
        return ("optimizer",)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.__dict__.update(state_dict)


class Factor(LRScheduler):
    """Base of the schedules whose rates are the first ones times `_factor(epoch)`."""

    def _factor(self, epoch: int) -> float:
        raise NotImplementedError

    def get_lr(self) -> list[float]:
        factor = self._factor(self.last_epoch)
        return [base * factor for base in self.base_lrs]
