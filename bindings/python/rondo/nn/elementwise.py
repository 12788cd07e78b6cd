"""Activations as functions, also in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._C import ArgumentError, Tensor, is_grad_enabled, ops
from .._errors import named


def write_over(function: Callable[..., Tensor], input: Tensor, *rest: Any) -> Tensor:
    """The input takes function(input, *rest).

    A gradient is of what the input held before, which is kept for it.
    """
    recorded = input.requires_grad and is_grad_enabled()
    return input.copy_(function(input.clone() if recorded else input, *rest))


def _applied(
    function: Callable[..., Tensor], inplace: bool, input: Tensor, *rest: Any
) -> Tensor:
    return write_over(function, input, *rest) if inplace else function(input, *rest)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0)."""
    return ops.relu_(input) if inplace else ops.relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input limited to [0, 6]."""
    return _applied(ops.relu6, inplace, input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input * sigmoid(input). Source: Elfwing et al. 2018, arXiv:1702.03118."""
    return _applied(ops.silu, inplace, input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * tanh(softplus(input)). Source: Misra 2019, arXiv:1908.08681."""
    return _applied(ops.mish, inplace, input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input above 0, negative_slope * input elsewhere."""
    return _applied(ops.leaky_relu, inplace, input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input above 0, alpha * (exp(input) - 1) elsewhere. Source: arXiv:1511.07289."""
    return _applied(ops.elu, inplace, input, alpha)


@named
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """elu(input / alpha) * alpha. Source: Barron 2017, arXiv:1704.07483."""

    def function(x: Tensor) -> Tensor:
        return ops.elu(x / alpha) * alpha

    return _applied(function, inplace, input)


@named
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with constants that keep mean and variance. Source: arXiv:1706.02515."""
    alpha = 1.6732632423543772848170429916717
    scale = 1.0507009873554804934193349852946

    def function(x: Tensor) -> Tensor:
        return ops.elu(x, alpha) * scale

    return _applied(function, inplace, input)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """input limited to [min_val, max_val]."""
    return _applied(ops.hardtanh, inplace, input, min_val, max_val)


def _hardsigmoid(input: Tensor) -> Tensor:
    return ops.clamp(input / 6 + 0.5, 0, 1)


def _hardswish(input: Tensor) -> Tensor:
    return input * _hardsigmoid(input)


@named
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """input / 6 + 1 / 2 limited to [0, 1]."""
    return _applied(_hardsigmoid, inplace, input)


@named
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * hardsigmoid(input). Source: Howard et al. 2019, arXiv:1905.02244."""
    return _applied(_hardswish, inplace, input)


@named
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """The elements above a number and NaN, `value` for the others."""

    def function(x: Tensor) -> Tensor:
        return ops.where(x <= threshold, value, x)

    return _applied(function, inplace, input)


@named
def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)."""
    return input / (1 + input.abs())


@named
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input where |input| is above `lambd` or input is NaN, else 0."""
    return ops.where(ops.abs(input) <= lambd, 0, input)


@named
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input moved towards 0 by `lambd`, as far as 0. Errors: ArgumentError if lambd is negative."""
    if lambd < 0:
        raise ArgumentError(f"softshrink: lambd is {lambd}; it must not be negative")
    return ops.sign(input) * ops.relu(ops.abs(input) - lambd)


@named
def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input)."""
    return input - ops.tanh(input)
