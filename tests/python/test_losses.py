"""Losses and distances: values, gradients, reductions and errors, by their definitions in NumPy."""

import numpy as np
import pytest
from whole_errors import raises

import rondo
import rondo.nn.functional as F
from rondo import nn

A = np.array([[0.5, -1.25, 2.0], [3.5, -0.75, 0.25], [-2.0, 0.3, 1.1], [0.9, 1.7, -0.4]])
B = np.array([[1.5, -0.5, -2.0], [0.75, 1.0, -3.0], [-1.8, 0.1, 1.4], [-0.2, 0.6, 2.5]])
C = np.array([[0.2, 0.8, -1.0], [2.5, -0.6, 1.3], [1.0, -1.5, 0.7], [0.1, 2.2, 0.4]])
SIGNS = np.array([1.0, -1.0, 1.0, -1.0])
REDUCTIONS = {"none": lambda x: x, "mean": np.mean, "sum": np.sum}


def cosine(a, b, axis=-1, eps=1e-8):
    lengths = [np.maximum(np.sqrt((x * x).sum(axis)), eps) for x in (a, b)]
    return (a * b).sum(axis) / (lengths[0] * lengths[1])


def distance(a, b, p=2.0, eps=1e-6):
    return (np.abs(a - b + eps) ** p).sum(-1) ** (1 / p)


def cosine_embedding(a, b, margin=0.0):
    return np.where(SIGNS == 1, 1 - cosine(a, b), np.maximum(cosine(a, b) - margin, 0))


def hinge_embedding(a, margin=1.0):
    return np.where(SIGNS[:, None] == 1, a, np.maximum(margin - a, 0))


def margin_ranking(a, b, margin=0.0):
    return np.maximum(-SIGNS[:, None] * (a - b) + margin, 0)


def poisson(a, b, log_input=True, full=False, eps=1e-8):
    loss = np.exp(a) - b * a if log_input else a - b * np.log(a + eps)
    count = np.maximum(b, 1)
    stirling = count * np.log(count) - count + 0.5 * np.log(2 * np.pi * count)
    return loss + np.where(b > 1, stirling, 0) * full


def gaussian(a, b, var, full=False):
    return 0.5 * (np.log(var) + (a - b) ** 2 / var) + full * 0.5 * np.log(2 * np.pi)


def triplet(a, b, c, margin=1.0, p=2.0, eps=1e-6, swap=False):
    far = distance(a, c, p, eps)
    if swap:
        far = np.minimum(far, distance(b, c, p, eps))
    return np.maximum(distance(a, b, p, eps) - far + margin, 0)


def huber(a, b, delta=1.0):
    size = np.abs(a - b)
    return np.where(size <= delta, 0.5 * size**2, delta * (size - 0.5 * delta))


def smooth_l1(a, b, beta=1.0):
    return huber(a, b, beta) / beta


def kl_div(a, b, log_target=False):
    return np.exp(b) * (b - a) if log_target else b * (np.log(b) - a)


def signs(axes):
    return rondo.tensor(SIGNS).reshape((4,) + (1,) * (axes - 1)).expand((4, 3)[:axes])


# Name: module, function, options, the definition, its inputs, and the target that is no input.
LOSSES = {
    "cosine_embedding": (nn.CosineEmbeddingLoss, F.cosine_embedding_loss, {}, cosine_embedding, (A, B), 1),
    "cosine_embedding with a margin": (
        nn.CosineEmbeddingLoss, F.cosine_embedding_loss, {"margin": 0.1}, cosine_embedding, (A, B), 1),
    "hinge_embedding": (nn.HingeEmbeddingLoss, F.hinge_embedding_loss, {}, hinge_embedding, (A,), 2),
    "hinge_embedding with a margin": (
        nn.HingeEmbeddingLoss, F.hinge_embedding_loss, {"margin": 2.1}, hinge_embedding, (A,), 2),
    "margin_ranking": (nn.MarginRankingLoss, F.margin_ranking_loss, {}, margin_ranking, (A, B), 2),
    "margin_ranking with a margin": (
        nn.MarginRankingLoss, F.margin_ranking_loss, {"margin": 0.7}, margin_ranking, (A, B), 2),
    "poisson": (nn.PoissonNLLLoss, F.poisson_nll_loss, {}, poisson, (A, np.abs(B)), 0),
    "poisson of rates": (
        nn.PoissonNLLLoss, F.poisson_nll_loss, {"log_input": False, "eps": 1e-3}, poisson,
        (np.abs(A), np.abs(B)), 0),
    "poisson with Stirling's part": (
        nn.PoissonNLLLoss, F.poisson_nll_loss, {"full": True}, poisson, (A, np.abs(B) + 0.1), 0),
    "gaussian": (nn.GaussianNLLLoss, F.gaussian_nll_loss, {}, gaussian, (A, B, np.abs(C)), 0),
    "gaussian with its constant": (
        nn.GaussianNLLLoss, F.gaussian_nll_loss, {"full": True}, gaussian, (A, B, np.abs(C)), 0),
    "triplet": (nn.TripletMarginLoss, F.triplet_margin_loss, {}, triplet, (A, B, C), 0),
    "triplet with other settings": (
        nn.TripletMarginLoss, F.triplet_margin_loss, {"margin": 2.5, "p": 3.0, "eps": 1e-3, "swap": True},
        triplet, (A, B, C), 0),
    "huber": (nn.HuberLoss, F.huber_loss, {}, huber, (A, B), 0),
    "huber with a delta": (nn.HuberLoss, F.huber_loss, {"delta": 0.4}, huber, (A, B), 0),
    "smooth_l1": (nn.SmoothL1Loss, F.smooth_l1_loss, {}, smooth_l1, (A, B), 0),
    "smooth_l1 with a beta": (nn.SmoothL1Loss, F.smooth_l1_loss, {"beta": 0.4}, smooth_l1, (A, B), 0),
    "kl_div": (nn.KLDivLoss, F.kl_div, {}, kl_div, (A, np.abs(B)), 0),
    "kl_div of logarithms": (nn.KLDivLoss, F.kl_div, {"log_target": True}, kl_div, (A, B), 0),
}  # fmt: skip


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_has_the_values_and_gradients_of_its_definition(name, reduction, agrees):
    module, function, options, definition, arrays, target_axes = LOSSES[name]

    def reference(*inputs):
        return REDUCTIONS[reduction](definition(*inputs, **options))

    for call in (module(**options, reduction=reduction), lambda *x: function(*x, **options, reduction=reduction)):
        if target_axes:
            target = signs(target_axes)
            agrees(lambda *x: call(*x, target.to(x[0].dtype)), reference, *arrays)
        else:
            agrees(call, reference, *arrays)


@pytest.mark.parametrize("name", [name for name in LOSSES if " " not in name])
def test_the_mean_is_the_default_and_of_nothing_nothing_is_left(name):
    module, function, options, definition, arrays, target_axes = LOSSES[name]
    target = (signs(target_axes),) if target_axes else ()
    inputs = [rondo.tensor(array) for array in arrays]
    assert module()(*inputs, *target).item() == pytest.approx(definition(*arrays).mean(), 1e-12)
    assert function(*inputs, *target).item() == pytest.approx(definition(*arrays).mean(), 1e-12)
    empty = [x[:0] for x in (*inputs, *target)]
    assert function(*empty, reduction="none").numel() == 0
    assert function(*empty, reduction="sum").item() == 0 and np.isnan(function(*empty).item())


@pytest.mark.parametrize("name", [name for name in LOSSES if " " not in name])
def test_an_unknown_reduction_is_told_with_the_name_of_the_loss(name):
    module, function, options, definition, arrays, target_axes = LOSSES[name]
    target = (signs(target_axes),) if target_axes else ()
    form = "reduction is 'avg'; expected none, mean or sum"
    if function in (F.huber_loss, F.kl_div, F.smooth_l1_loss):  # ops of the core
        form = 'reduction is "avg"; expected "mean", "sum" or "none"'
    with raises(rondo.ArgumentError, f"{function.__name__}: {form}"):
        function(*map(rondo.tensor, arrays), *target, reduction="avg")


def test_losses_of_single_vectors_and_numbers(same):
    a, b = rondo.tensor(A[0]), rondo.tensor(B[0])
    same(F.cosine_embedding_loss(a, b, rondo.tensor(-1)), max(cosine(A[0], B[0]), 0), 1e-12)
    same(F.margin_ranking_loss(a[0], b[0], rondo.tensor(1.0)), 1.0)
    same(F.hinge_embedding_loss(a[0], rondo.tensor(-1)), 0.5)
    same(F.triplet_margin_loss(a, b, b), 1.0)
    same(F.poisson_nll_loss(a[0], rondo.tensor(2.0)), np.exp(0.5) - 1.0)


def test_targets_of_integers_and_inputs_that_broadcast(same):
    target = rondo.tensor(SIGNS).to(rondo.int64)
    a, b = rondo.tensor(A), rondo.tensor(B)
    same(F.cosine_embedding_loss(a, b, target, reduction="none"), cosine_embedding(A, B), 1e-12)
    same(F.cosine_embedding_loss(a, b[:1], target, reduction="none"), cosine_embedding(A, B[:1]), 1e-12)
    same(F.margin_ranking_loss(a, b[:, :1], target.reshape(4, 1), reduction="none"),
         margin_ranking(A, B[:, :1]))  # fmt: skip
    same(F.gaussian_nll_loss(a, b[0], rondo.tensor(2.0)), gaussian(A, B[0], 2.0).mean(), 1e-6)
    same(F.gaussian_nll_loss(a, b, rondo.tensor([1.0, 2.0, 3.0, 4.0])),
         gaussian(A, B, np.array([[1.0], [2.0], [3.0], [4.0]])).mean(), 1e-7)  # fmt: skip


SHAPES = {
    "cosine_embedding_loss: the shapes are [4], [4, 1]; they must have as many axes each":
        lambda a: F.cosine_embedding_loss(a, a, rondo.ones(4, 1)),
    "cosine_embedding_loss: shapes do not broadcast: [3] and [4]; sizes must be equal or 1 at axis 0":
        lambda a: F.cosine_embedding_loss(a, a, rondo.ones(3)),
    "margin_ranking_loss: the shapes are [4, 3], [4, 3], [3]; they must have as many axes each":
        lambda a: F.margin_ranking_loss(a, a, rondo.ones(3)),
    "triplet_margin_loss: the shapes are [4, 3], [4, 3], [3]; they must have as many axes each":
        lambda a: F.triplet_margin_loss(a, a, rondo.ones(3)),
    "hinge_embedding_loss: shapes do not broadcast: [4] and [4, 3]; sizes must be equal or 1 at axis 1":
        lambda a: F.hinge_embedding_loss(a, rondo.ones(4)),
    "poisson_nll_loss: shapes do not broadcast: [4] and [4, 3]; sizes must be equal or 1 at axis 1":
        lambda a: F.poisson_nll_loss(a, rondo.ones(4)),
    "gaussian_nll_loss: shapes do not broadcast: [4, 3] and [2]; sizes must be equal or 1 at axis 1":
        lambda a: F.gaussian_nll_loss(a, a, rondo.ones(2)),
    "pairwise_distance: shapes do not broadcast: [4, 3] and [4]; sizes must be equal or 1 at axis 1":
        lambda a: F.pairwise_distance(a, rondo.ones(4)),
}  # fmt: skip


@pytest.mark.parametrize("text", SHAPES)
def test_shapes_that_do_not_fit_are_told_with_the_name_of_the_function(text):
    with raises(rondo.ShapeError, text):
        SHAPES[text](rondo.tensor(A))


def test_a_small_variance_counts_as_eps_and_keeps_its_gradient(same):
    var = rondo.tensor([1e-9, 0.0, 4.0], dtype=rondo.float64, requires_grad=True)
    x, zero = rondo.tensor([1.0, 2.0, 3.0], dtype=rondo.float64), rondo.zeros(3, dtype=rondo.float64)
    loss = F.gaussian_nll_loss(x, zero, var, eps=0.5, reduction="none")
    bounded, size = np.array([0.5, 0.5, 4.0]), np.array([1.0, 2.0, 3.0])
    same(loss, gaussian(size, 0, bounded), 1e-12)
    loss.sum().backward()
    same(var.grad, 0.5 / bounded - 0.5 * size**2 / bounded**2, 1e-12)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.5])
def test_pairwise_distances_are_norms_of_differences(p, agrees):
    agrees(lambda a, b: F.pairwise_distance(a, b, p), lambda a, b: distance(a, b, p), A, B)
    agrees(nn.PairwiseDistance(p, 0.1, True), lambda a, b: distance(a, b, p, 0.1)[:, None], A, B)
    agrees(nn.PairwiseDistance(p), lambda a, b: distance(a, b, p), A, B[0])
    agrees(nn.PairwiseDistance(p), lambda a, b: distance(a, b, p), A[0], B[0])


def test_pairwise_distances_by_other_norms(same):
    a, b = rondo.tensor(A), rondo.tensor(B)
    assert nn.PairwiseDistance().p == 2.0 and nn.PairwiseDistance().eps == 1e-6
    same(F.pairwise_distance(a, b, float("inf")), np.abs(A - B + 1e-6).max(-1), 1e-12)
    same(F.pairwise_distance(a, b, 0.0), np.full(4, 3.0))
    assert F.pairwise_distance(a[:0], b[:0]).shape == (0,)


def test_cosine_similarity_bounds_each_length_by_eps(agrees, same):
    agrees(F.cosine_similarity, cosine, A, B)
    agrees(nn.CosineSimilarity(dim=0), lambda a, b: cosine(a, b, 0), A, B)
    agrees(nn.CosineSimilarity(1, 3.0), lambda a, b: cosine(a, b, 1, 3.0), A, B)
    spread = np.broadcast_to(B[:, :1], A.shape)
    same(F.cosine_similarity(rondo.tensor(A), rondo.tensor(B[:, :1])), cosine(A, spread), 1e-12)
    stacked = np.stack([A, B, C])
    same(F.cosine_similarity(rondo.tensor(stacked), rondo.tensor(A), 1), cosine(stacked, A[None], 1), 1e-12)
    zero = rondo.zeros(2, 3, requires_grad=True)
    F.cosine_similarity(zero, rondo.ones(2, 3)).sum().backward()
    assert rondo.isfinite(zero.grad).all()


def test_a_mean_over_the_batch_divides_by_its_size(same):
    a, b = rondo.tensor(A), rondo.tensor(np.abs(B))
    same(nn.KLDivLoss(reduction="batchmean")(a, b), kl_div(A, np.abs(B)).sum() / 4, 1e-12)
    same(F.kl_div(a, b, reduction="batchmean"), kl_div(A, np.abs(B)).sum() / 4, 1e-12)
    same(F.kl_div(rondo.zeros(2), rondo.zeros(2), reduction="sum"), 0.0)
