"""Gradients: backward, grad, and the modes of recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, Union

from . import _C
from ._C import ArgumentError, Tensor
from ._function import Function, once_differentiable
from ._gradcheck import gradcheck
from ._grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

Tensors: TypeAlias = Union[Tensor, Sequence[Tensor]]
Gradients: TypeAlias = Union[Tensor, Sequence[Union[Tensor, None]], None]


def _listed(tensors: Tensors) -> Sequence[Tensor]:
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)


def _gradients(op: str, gradients: Gradients, count: int) -> Sequence[Tensor | None] | None:
    if gradients is None:
        return None
    listed = (gradients,) if isinstance(gradients, Tensor) else tuple(gradients)
    if len(listed) != count:
        raise ArgumentError(
            f"{op}: {len(listed)} gradients for {count} outputs; there must be one for each"
        )
    return listed


def backward(
    tensors: Tensors,
    grad_tensors: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Adds to `grad` of the leaves that `tensors` depend on; with `inputs`, of those alone."""
    outputs = _listed(tensors)
    given = _gradients("backward", grad_tensors, len(outputs))
    retain = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        _C.backward(outputs, given, retain, create_graph)
        return
    leaves = _listed(inputs)
    found = _C.grad(outputs, leaves, given, retain, create_graph, True)
    for leaf, gradient in zip(leaves, found):
        if gradient is not None:
            leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]:
    """The gradients of the sum of `outputs` with respect to `inputs`; no `grad` changes."""
    sources = _listed(outputs)
    targets = _listed(inputs)
    given = _gradients("grad", grad_outputs, len(sources))
    retain = create_graph if retain_graph is None else retain_graph
    unused = materialize_grads if allow_unused is None else allow_unused
    found = _C.grad(sources, targets, given, retain, create_graph, unused)
    if materialize_grads:
        return tuple(
            target.new_zeros(target.shape) if gradient is None else gradient
            for target, gradient in zip(targets, found)
        )
    return found


__all__ = [
    "Function",
    "backward",
    "enable_grad",
    "grad",
    "gradcheck",
    "inference_mode",
    "no_grad",
    "once_differentiable",
    "set_grad_enabled",
]
