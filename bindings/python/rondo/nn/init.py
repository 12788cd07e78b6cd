"""Filling parameters before training."""

from __future__ import annotations

import math

from .._C import ArgumentError, Generator, Tensor, ops
from .._types import beside
from .._grad_mode import no_grad

_GAINS = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "sigmoid": 1.0,
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps the variance through an activation function."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise ArgumentError(f"calculate_gain: unknown nonlinearity '{nonlinearity}'")
    return _GAINS[nonlinearity]


def calculate_fans(tensor: Tensor) -> tuple[int, int]:
    """How many numbers an output is made of, and how many outputs a number goes into."""
    if tensor.ndim < 2:
        raise ArgumentError(f"init: the shape is {list(tensor.shape)}; expected at least two axes")
    window = math.prod(tensor.shape[2:])
    return tensor.size(1) * window, tensor.size(0) * window


def _fan(tensor: Tensor, mode: str) -> int:
    fan_in, fan_out = calculate_fans(tensor)
    if mode not in ("fan_in", "fan_out"):
        raise ArgumentError(f"init: mode is '{mode}'; expected 'fan_in' or 'fan_out'")
    return fan_in if mode == "fan_in" else fan_out


@no_grad()
def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Uniform in [a, b)."""
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Normal with mean `mean` and deviation `std`."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Normal numbers; those outside of [a, b] are drawn again."""
    tensor.normal_(mean, std, generator=generator)
    for _ in range(1000):
        outside = (tensor < a) | (tensor > b)
        if not bool(outside.any()):
            return tensor
        drawn = beside(tensor, ops.randn, tensor.shape, tensor.dtype, generator=generator)
        fresh = drawn * std + mean
        tensor.copy_(ops.where(outside, fresh, tensor))
    raise ArgumentError(f"trunc_normal_: [{a}, {b}] has next to no part of the distribution")


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """`val` everywhere."""
    return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """0 everywhere."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """1 everywhere."""
    return constant_(tensor, 1.0)


@no_grad()
def eye_(tensor: Tensor) -> Tensor:
    """1 on the diagonal of a matrix, 0 elsewhere."""
    return tensor.copy_(beside(tensor, ops.eye, *tensor.shape))


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Uniform, with variance 2 gain^2 / (fan_in + fan_out). Source: Glorot and Bengio 2010."""
    bound = gain * math.sqrt(6.0 / sum(calculate_fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Normal, with variance 2 gain^2 / (fan_in + fan_out). Source: Glorot and Bengio 2010."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(calculate_fans(tensor))), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Uniform, with variance gain^2 / fan. Source: He et al. 2015, arXiv:1502.01852.

    `a` is the slope of a leaky_relu, `mode` says which fan.
    """
    bound = math.sqrt(3.0 / _fan(tensor, mode)) * calculate_gain(nonlinearity, a)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Normal, with variance gain^2 / fan. Source: He et al. 2015, arXiv:1502.01852."""
    std = calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    return normal_(tensor, 0.0, std, generator)


@no_grad()
def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Rows (or columns, whichever are fewer) at right angles, of length `gain`: Gram-Schmidt."""
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    shape = max(rows, columns), min(rows, columns)
    tall = beside(tensor, ops.randn, shape, generator=generator)
    basis: list[Tensor] = []
    for vector in tall.T:
        for _ in range(2):  # the second pass removes what rounding left
            for other in basis:
                vector = vector - (vector * other).sum() * other
        basis.append(vector / ops.norm(vector))
    made = ops.stack(basis, 0 if rows < columns else 1)
    return tensor.copy_((made * gain).reshape(tensor.shape))
