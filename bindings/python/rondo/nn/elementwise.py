"""Activations as functions, also in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._C import Tensor, is_grad_enabled, ops
from .._errors import named


def write_over(function: Callable[..., Tensor], input: Tensor, *rest: Any) -> Tensor:
    """The input takes function(input, *rest).

    A gradient is of what the input held before, which is kept for it.
    """
    recorded = input.requires_grad and is_grad_enabled()
    return input.copy_(function(input.clone() if recorded else input, *rest))


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    return ops.relu_(input) if inplace else ops.relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    return write_over(ops.relu6, input) if inplace else ops.relu6(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    return write_over(ops.silu, input) if inplace else ops.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    return write_over(ops.mish, input) if inplace else ops.mish(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    return write_over(ops.leaky_relu, input, negative_slope) if inplace else ops.leaky_relu(input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return write_over(ops.elu, input, alpha) if inplace else ops.elu(input, alpha)


@named
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    def function(x: Tensor) -> Tensor:
        return ops.elu(x / alpha) * alpha

    return write_over(function, input) if inplace else function(input)


@named
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    alpha = 1.6732632423543772848170429916717
    scale = 1.0507009873554804934193349852946

    def function(x: Tensor) -> Tensor:
        return ops.elu(x, alpha) * scale

    return write_over(function, input) if inplace else function(input)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    return write_over(ops.hardtanh, input, min_val, max_val) if inplace else ops.hardtanh(input, min_val, max_val)


def _hardsigmoid(input: Tensor) -> Tensor:
    return ops.clamp(input / 6 + 0.5, 0, 1)


def _hardswish(input: Tensor) -> Tensor:
    return input * _hardsigmoid(input)


@named
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    return write_over(_hardsigmoid, input) if inplace else _hardsigmoid(input)


@named
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    return write_over(_hardswish, input) if inplace else _hardswish(input)


@named
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """The elements above a number, `value` for the others."""

    def function(x: Tensor) -> Tensor:
        return ops.where(x > threshold, x, value)

    return write_over(function, input) if inplace else function(input)


@named
def softsign(input: Tensor) -> Tensor:
    return input / (1 + input.abs())


@named
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    return ops.where(ops.abs(input) > lambd, input, 0)


@named
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    return ops.sign(input) * ops.relu(ops.abs(input) - lambd)


@named
def tanhshrink(input: Tensor) -> Tensor:
    return input - ops.tanh(input)
