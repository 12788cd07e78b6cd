"""Distances between vectors, and losses that are made of ops."""

from __future__ import annotations

import math

from .._C import ArgumentError, ShapeError, Tensor, ops
from .._errors import named


@named
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosines between vectors along `dim`, which goes; other axes broadcast.

    Each length is at least `eps`.
    """
    products = x1 * x2
    lengths = [ops.norm(ops.expand(x, products.shape), 2, dim) for x in (x1, x2)]
    return ops.sum(products, dim) / (ops.clamp(lengths[0], eps) * ops.clamp(lengths[1], eps))


@named
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norms of x1 - x2 + eps along the last axis."""
    return ops.norm(x1 - x2 + eps, p, -1, keepdim)


def _reduced(op: str, loss: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return loss
    if reduction not in ("mean", "sum"):
        raise ArgumentError(f"{op}: reduction is '{reduction}'; expected none, mean or sum")
    return loss.mean() if reduction == "mean" else loss.sum()


def _check_ranks(op: str, *tensors: Tensor) -> None:
    """[n] and [n, 1] would broadcast to pairs that nobody means."""
    if len({t.ndim for t in tensors}) > 1:
        shapes = ", ".join(str(list(t.shape)) for t in tensors)
        raise ShapeError(f"{op}: the shapes are {shapes}; they must have as many axes each")


@named
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """(log(var) + (input - target)^2 / var) / 2, with `var` at least `eps`.

    Gradients do not notice that bound. With `full` also log(2 pi) / 2. `var` is of the shape of
    input, or without its last axis, or broadcasts.
    """
    spread = var.unsqueeze(-1) if var.shape == input.shape[:-1] and input.ndim else var
    bounded = ops.where(spread < eps, spread - spread.detach() + eps, spread)
    loss = 0.5 * (ops.log(bounded) + (input - target) ** 2 / bounded)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduced("gaussian_nll_loss", loss, reduction)


@named
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """input where target is 1, relu(margin - input) where it is -1."""
    loss = ops.where(target == 1, input, ops.relu(margin - input))
    return _reduced("hinge_embedding_loss", loss, reduction)


@named
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """relu(margin - target * (input1 - input2)); target is 1 or -1.

    Errors: ShapeError if the three have different numbers of axes.
    """
    _check_ranks("margin_ranking_loss", input1, input2, target)
    loss = ops.relu(-target * (input1 - input2) + margin)
    return _reduced("margin_ranking_loss", loss, reduction)


@named
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """1 - cosine where target is 1, relu(cosine - margin) where it is -1; vectors are rows.

    Errors: ShapeError if target has not one axis fewer than the inputs.
    """
    nearness = cosine_similarity(input1, input2, -1)
    _check_ranks("cosine_embedding_loss", nearness, target)
    loss = ops.where(target == 1, 1 - nearness, ops.relu(nearness - margin))
    return _reduced("cosine_embedding_loss", loss, reduction)


@named
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """exp(input) - target * input; without `log_input` input - target * log(input + eps).

    With `full` also Stirling's approximation of log(target!), for targets above 1.
    """
    if log_input:
        loss = ops.exp(input) - target * input
    else:
        loss = input - target * ops.log(input + eps)
    if full:
        count = ops.where(target > 1, target, 1)
        stirling = count * ops.log(count) - count + 0.5 * ops.log(2 * math.pi * count)
        loss = loss + ops.where(target > 1, stirling, 0)
    return _reduced("poisson_nll_loss", loss, reduction)


@named
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """relu(|anchor - positive| - |anchor - negative| + margin) of rows, with p-norms.

    `eps` is added to each difference. With `swap` the negative is compared with the nearer one of
    anchor and positive. Errors: ShapeError if the three have different numbers of axes.
    """
    _check_ranks("triplet_margin_loss", anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced("triplet_margin_loss", ops.relu(near - far + margin), reduction)
