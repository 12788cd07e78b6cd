"""L-BFGS: steps along a direction that past gradients have made better than the steepest one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from .._C import ArgumentError, Tensor, ops
from .._grad_mode import enable_grad, no_grad
from .._types import beside
from .optimizer import Optimizer, Parameters, check_settings


class _Point(NamedTuple):
    """A place on the line that is searched: loss, gradient and slope there."""

    step: float
    loss: float
    gradient: Tensor
    slope: float


class LBFGS(Optimizer):
    """For smooth losses of few parameters. Source: Nocedal and Wright 2006, chapters 3 and 7.

    `step` calls its closure several times; there is one group of parameters.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_settings("LBFGS", lr=lr)
        if line_search_fn not in (None, "strong_wolfe"):
            raise ArgumentError(
                f"LBFGS: line_search_fn is '{line_search_fn}'; expected None or 'strong_wolfe'"
            )
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )
        if len(self.param_groups) != 1:
            raise ArgumentError(
                f"LBFGS: there are {len(self.param_groups)} groups of parameters; expected one"
            )
        self._params: list[Tensor] = self.param_groups[0]["params"]

    # The parameters as one vector.

    def _gradient(self) -> Tensor:
        return ops.cat([
            (beside(p, ops.full, p.shape, 0, p.dtype) if p.grad is None else p.grad).reshape(-1)
            for p in self._params
        ])

    def _move(self, direction: Tensor, step: float) -> None:
        start = 0
        for parameter in self._params:
            part = ops.slice(direction, 0, start, start + parameter.numel())
            parameter.add_(part.reshape(parameter.shape) * step)
            start += parameter.numel()

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """At most `max_iter` steps. The closure clears the gradients, computes loss and gradients."""
        if closure is None:
            raise ArgumentError("LBFGS: step needs a closure that computes loss and gradients")
        run = _Run(self, closure)
        loss = run.evaluate_here()
        settings = self.param_groups[0]
        memory: dict[str, Any] = self.state[self._params[0]]
        memory.setdefault("n_iter", 0)
        for _ in range(settings["max_iter"]):
            if run.is_done(settings):
                break
            self._choose_direction(memory, run.gradient, settings["history_size"])
            if not run.advance(memory, settings):
                break
        return loss

    def _choose_direction(self, memory: dict[str, Any], gradient: Tensor, size: int) -> None:
        memory["n_iter"] += 1
        if memory["n_iter"] == 1:
            memory.update(d=-gradient, steps=[], changes=[], scale=1.0)
        else:
            change = gradient - memory["gradient"]
            step = memory["d"] * memory["t"]
            product = float(change.dot(step))
            if product > 1e-10:
                memory["steps"] = [*memory["steps"], step][-size:]
                memory["changes"] = [*memory["changes"], change][-size:]
                memory["scale"] = product / float(change.dot(change))
            memory["d"] = _two_loops(gradient, memory)
        memory["gradient"] = gradient


def _two_loops(gradient: Tensor, memory: dict[str, Any]) -> Tensor:
    """-H * gradient. Source: Nocedal and Wright 2006, algorithm 7.4."""
    steps, changes = memory["steps"], memory["changes"]
    factors = [1.0 / float(y.dot(s)) for s, y in zip(steps, changes)]
    q = -gradient
    weights = []
    for s, y, factor in zip(reversed(steps), reversed(changes), reversed(factors)):
        weight = float(s.dot(q)) * factor
        weights.append(weight)
        q = q - y * weight
    r: Tensor = q * memory["scale"]
    for s, y, factor, weight in zip(steps, changes, factors, reversed(weights)):
        r = r + s * (weight - float(y.dot(r)) * factor)
    return r


class _Run:
    """One call of `step`: where the parameters are, and how often the closure was called."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Any]) -> None:
        self.optimizer = optimizer
        self.closure = closure
        self.evaluations = 0
        self.loss = math.nan
        self.gradient: Tensor = Tensor()

    def evaluate_here(self) -> Any:
        with enable_grad():
            loss = self.closure()
        self.evaluations += 1
        self.loss = float(loss)
        self.gradient = self.optimizer._gradient()
        return loss

    def is_done(self, settings: dict[str, Any]) -> bool:
        largest = float(self.gradient.abs().max()) if self.gradient.numel() else 0.0
        spent = self.evaluations >= settings["max_eval"]
        return spent or not math.isfinite(self.loss) or largest <= settings["tolerance_grad"]

    def advance(self, memory: dict[str, Any], settings: dict[str, Any]) -> bool:
        """Moves along the direction; False where going on would change nothing."""
        direction = memory["d"]
        slope = float(self.gradient.dot(direction))
        if slope > -settings["tolerance_change"]:
            return False
        step = settings["lr"]
        if memory["n_iter"] == 1:
            step *= min(1.0, 1.0 / float(self.gradient.abs().sum()))
        before = self.loss
        if settings["line_search_fn"] is None:
            self.optimizer._move(direction, step)
            self.evaluate_here()
        else:
            step = self._search(direction, step, slope)
        memory["t"] = step
        moved = float((direction * step).abs().max())
        small = settings["tolerance_change"]
        return bool(moved > small and abs(self.loss - before) >= small)

    # The line search. Source: Nocedal and Wright 2006, algorithms 3.5 and 3.6.

    def _search(self, direction: Tensor, step: float, slope: float) -> float:
        origin = _Point(0.0, self.loss, self.gradient, slope)
        place = 0.0

        def at(wanted: float) -> _Point:
            nonlocal place
            self.optimizer._move(direction, wanted - place)
            place = wanted
            self.evaluate_here()
            return _Point(wanted, self.loss, self.gradient, float(self.gradient.dot(direction)))

        best = _strong_wolfe(at, origin, step)
        self.optimizer._move(direction, best.step - place)
        self.loss, self.gradient = best.loss, best.gradient
        return best.step


_DECREASE = 1e-4
_CURVATURE = 0.9
_MAX_TRIES = 25


def _strong_wolfe(at: Callable[[float], _Point], origin: _Point, step: float) -> _Point:
    """A point with enough less loss and a slope that is flat enough, or the best one found."""
    before = origin
    for tries in range(_MAX_TRIES):
        point = at(step)
        if _rises(point, origin) or (tries > 0 and point.loss >= before.loss):
            return _zoom(at, origin, before, point)
        if abs(point.slope) <= -_CURVATURE * origin.slope:
            return point
        if point.slope >= 0:
            return _zoom(at, origin, point, before)
        before, step = point, 2 * step
    return before


def _rises(point: _Point, origin: _Point) -> bool:
    return not point.loss <= origin.loss + _DECREASE * point.step * origin.slope


def _zoom(at: Callable[[float], _Point], origin: _Point, low: _Point, high: _Point) -> _Point:
    """Narrows an interval that holds a good point; `low` is the end with less loss."""
    for _ in range(_MAX_TRIES):
        if abs(high.step - low.step) < 1e-12:
            break
        point = at(_between(low, high))
        if _rises(point, origin) or point.loss >= low.loss:
            high = point
            continue
        if abs(point.slope) <= -_CURVATURE * origin.slope:
            return point
        if point.slope * (high.step - low.step) >= 0:
            high = low
        low = point
    return low


def _between(one: _Point, other: _Point) -> float:
    """The least of the cubic through both points, or the middle where it is too near an end."""
    middle = (one.step + other.step) / 2
    width = other.step - one.step
    first = one.slope + other.slope - 3 * (other.loss - one.loss) / width
    square = first * first - one.slope * other.slope
    if not square >= 0:
        return middle
    root = math.copysign(math.sqrt(square), width)
    below = other.slope - one.slope + 2 * root
    if below == 0:
        return middle
    found = other.step - width * (other.slope + root - first) / below
    near, far = sorted((one.step + 0.1 * width, other.step - 0.1 * width))
    return found if near <= found <= far else middle
