"""Helpers for training: clipping gradients, parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable

from ..._C import ArgumentError, ShapeError, Tensor, ops
from ..._grad_mode import no_grad
from . import rnn


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p.grad for p in listed if p.grad is not None]


@no_grad()
def get_total_norm(tensors: Iterable[Tensor], norm_type: float = 2.0) -> Tensor:
    """The norm of all tensors together, as if they were one vector."""
    norms = [ops.norm(t, norm_type) for t in tensors]
    if not norms:
        return ops.full((), 0.0)
    return ops.norm(ops.stack(norms), norm_type)


@no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scales all gradients so that their norm together is at most `max_norm`; gives the norm."""
    gradients = _gradients(parameters)
    total = get_total_norm(gradients, norm_type)
    if error_if_nonfinite and not bool(ops.isfinite(total)):
        raise ArgumentError(f"clip_grad_norm_: the norm of the gradients is {total.item()}")
    factor = ops.clamp(max_norm / (total + 1e-6), None, 1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    return total


@no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Limits each element of the gradients to [-clip_value, clip_value]."""
    for gradient in _gradients(parameters):
        gradient.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements, one parameter after the other."""
    return ops.cat([p.reshape(-1) for p in parameters])


@no_grad()
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """The reverse of parameters_to_vector: copies the elements back."""
    listed = list(parameters)
    count = sum(p.numel() for p in listed)
    if vec.numel() != count:
        raise ShapeError(f"vector_to_parameters: {vec.numel()} elements for {count} parameters")
    start = 0
    for parameter in listed:
        part = ops.slice(vec, 0, start, start + parameter.numel())
        parameter.copy_(part.reshape(parameter.shape))
        start += parameter.numel()


__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "get_total_norm",
    "parameters_to_vector",
    "rnn",
    "vector_to_parameters",
]
