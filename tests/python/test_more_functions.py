"""Bounds, distances, products, orders and places: values and gradients by their definitions in NumPy."""

import math

import numpy as np
import pytest
from whole_errors import raises

import rondo

X = np.array([[0.3, -0.75, 0.9, 1.6], [-0.2, 2.6, -1.0, 0.4]])
Y = np.array([[1.5, -0.5, 0.7, -1.2], [0.25, 2.0, -3.0, 1.1]])
DTYPES = [rondo.float32, rondo.float64, rondo.int32, rondo.uint8]


def test_aminmax_is_the_least_and_the_largest(agrees, same):
    x = rondo.tensor(X)
    agrees(lambda x: rondo.stack(tuple(rondo.aminmax(x))), lambda x: np.stack([x.min(), x.max()]), X)
    agrees(lambda x: rondo.stack(tuple(x.aminmax(dim=1))), lambda x: np.stack([x.min(1), x.max(1)]), X)
    found = rondo.aminmax(x, dim=-2, keepdim=True)
    same(found.min, X.min(0, keepdims=True))
    same(found.max, X.max(0, keepdims=True))
    assert [t.item() for t in rondo.aminmax(rondo.tensor(3))] == [3, 3]
    assert rondo.aminmax(rondo.tensor([2, 1, 3], dtype=rondo.uint8)).max.dtype == rondo.uint8
    assert all(t.isnan().item() for t in rondo.aminmax(rondo.tensor([1.0, math.nan])))
    assert rondo.aminmax(rondo.ones(0, 3), dim=1).min.shape == (0,)
    with raises(rondo.ArgumentError, "aminmax: axis 0 of shape [0] is empty; it needs at least one element"):
        rondo.aminmax(rondo.ones(0))
    with raises(rondo.IndexError, "aminmax: axis out of range: 5; expected -2 to 1 for rank 2"):
        x.aminmax(dim=5)


@pytest.mark.parametrize("name, function", [("clamp_min", np.maximum), ("clamp_max", np.minimum)])
def test_one_sided_bounds(name, function, agrees, same):
    agrees(lambda x: getattr(rondo, name)(x, 0.25), lambda x: function(x, 0.25), X)
    agrees(getattr(rondo.Tensor, name), function, X, Y)
    agrees(getattr(rondo, name), function, X, Y[:, :1])
    bounds = {"min" if name == "clamp_min" else "max": 0.5}
    same(getattr(rondo.tensor(X), name)(**bounds), function(X, 0.5))
    whole = getattr(rondo.tensor([1, 5, 9]), name)(5)
    assert whole.dtype == rondo.int64 and whole.tolist() == function([1, 5, 9], 5).tolist()
    assert math.isnan(getattr(rondo, name)(rondo.tensor(math.nan), 1.0).item())
    assert getattr(rondo, name)(rondo.ones(0, 2), 1.0).shape == (0, 2)
    with raises(rondo.ArgumentError, f"{name}: {name[-3:]} is str; expected Tensor"):
        getattr(rondo, name)(rondo.ones(2), "a")
    with raises(
        rondo.ShapeError,
        f"{name}: shapes do not broadcast: [2] and [3]; sizes must be equal or 1 at axis 0",
    ):
        getattr(rondo, name)(rondo.ones(2), rondo.ones(3))


@pytest.mark.parametrize("p", [1, 2, 3.5])
def test_dist_is_a_norm_of_the_difference(p, agrees):
    agrees(lambda a, b: rondo.dist(a, b, p), lambda a, b: (np.abs(a - b) ** p).sum() ** (1 / p), X, Y)
    agrees(lambda a, b: a.dist(b, p), lambda a, b: (np.abs(a - b) ** p).sum() ** (1 / p), X, Y[:1])


def test_dist_by_other_norms_and_of_equal_tensors(same):
    x, y = rondo.tensor(X), rondo.tensor(Y)
    same(rondo.dist(x, y), np.linalg.norm(X - Y), 1e-12)
    same(rondo.dist(x, y, 0), 8.0)
    same(rondo.dist(x, y, math.inf), np.abs(X - Y).max())
    same(rondo.dist(x, y, -math.inf), np.abs(X - Y).min())
    same(rondo.dist(x[0, 0], y[0, 0]), 1.2, 1e-12)
    assert rondo.dist(rondo.ones(0), rondo.ones(0)).item() == 0
    z = rondo.ones(3, requires_grad=True)
    rondo.dist(z, rondo.ones(3)).backward()
    assert z.grad.tolist() == [0, 0, 0]
    with raises(
        rondo.ShapeError,
        "dist: shapes do not broadcast: [2, 4] and [3]; sizes must be equal or 1 at axis 1",
    ):
        rondo.dist(x, rondo.ones(3))


def test_products_of_vectors_and_matrices(agrees):
    agrees(rondo.vdot, np.vdot, X[0], Y[0])
    agrees(rondo.Tensor.vdot, np.vdot, X[0], X[1])
    agrees(rondo.mv, np.matmul, X, Y[0])
    agrees(rondo.Tensor.mv, np.matmul, X, Y[1])
    square = Y[:, :2] @ np.ones((2, 4))
    agrees(rondo.addmm, lambda x, a, b: x + a @ b, square, X[:, :2], Y)
    agrees(lambda x, a, b: x.addmm(a, b, beta=0.5, alpha=2.0), lambda x, a, b: 0.5 * x + 2 * a @ b,
           X[0], X[:, :2], Y)  # fmt: skip
    assert rondo.vdot(rondo.tensor([1, 2]), rondo.tensor([3, 4])).item() == 11
    assert rondo.vdot(rondo.ones(0), rondo.ones(0)).item() == 0
    calls = {
        "vdot: input is [2], tensor is [3]; expected [n] twice": lambda: rondo.vdot(rondo.ones(2), rondo.ones(3)),
        "mv: the shape is [2]; expected 2 axes": lambda: rondo.mv(rondo.ones(2), rondo.ones(2)),
        "addmm: the shape is [2]; expected 2 axes": lambda: rondo.addmm(rondo.ones(2), rondo.ones(2), rondo.ones(2, 2)),
    }
    for text, call in calls.items():
        with raises(rondo.ShapeError, text):
            call()


def test_dsplit_cuts_the_third_axis(same):
    array = np.arange(24.0).reshape(2, 2, 6)
    x = rondo.tensor(array)
    for cut in (3, (1, 4), [2]):
        for call in (rondo.dsplit, rondo.Tensor.dsplit):
            for ours, numpys in zip(call(x, cut), np.dsplit(array, cut), strict=True):
                same(ours, numpys)
    x.dsplit(2)[0].fill_(-1.0)
    assert x[..., :3].eq(-1).all() and not x[..., 3:].eq(-1).any()
    calls = {
        "dsplit: 6 elements do not divide into 4 parts": lambda: rondo.dsplit(x, 4),
        "dsplit: the shape is [2, 6]; expected 3 axes or more": lambda: rondo.dsplit(x[0], 2),
        "vsplit: the shape is []; expected 1 axes or more": lambda: rondo.vsplit(x[0, 0, 0], 1),
    }
    for text, call in calls.items():
        with raises(rondo.ShapeError, text):
            call()


def test_float_power_computes_in_float64(same):
    base = np.abs(X) + 0.5
    x = rondo.tensor(base, requires_grad=True)
    found = rondo.float_power(x, rondo.tensor(Y))
    same(found, np.float_power(base, Y), 1e-12)
    found.sum().backward()
    same(x.grad, Y * base ** (Y - 1), 1e-10)
    whole = rondo.tensor([1, 2, 3])
    for made, expected in (
        (whole.float_power(2), [1, 4, 9]),
        (rondo.float_power(whole, rondo.tensor([2, 0, -1])), [1, 1, 1 / 3]),
        (rondo.float_power(2, whole), [2, 4, 8]),
        (rondo.float_power(rondo.tensor([1, 4, 9], dtype=rondo.float16), 0.5), [1, 2, 3]),
    ):
        assert made.dtype == rondo.float64
        same(made, np.array(expected, dtype=float), 1e-12)
    assert rondo.float_power(rondo.ones(0), 2).dtype == rondo.float64
    with raises(
        rondo.ShapeError,
        "float_power: shapes do not broadcast: [2] and [3]; sizes must be equal or 1 at axis 0",
    ):
        rondo.float_power(rondo.ones(2), rondo.ones(3))


def test_msort_sorts_along_the_first_axis(agrees):
    agrees(rondo.msort, lambda x: np.sort(x, 0), np.concatenate([X, Y]))
    agrees(rondo.Tensor.msort, lambda x: np.sort(x, 0), X[0])
    assert rondo.msort(rondo.tensor([[3, 1], [1, 2]])).tolist() == [[1, 1], [3, 2]]
    assert rondo.msort(rondo.ones(0, 2)).shape == (0, 2)


def test_positive_gives_back_numbers():
    x = rondo.tensor(X)
    assert rondo.positive(x) is x and x.positive() is x and +x is x
    with raises(rondo.DtypeError, "positive: input is bool; expected numbers"):
        rondo.positive(rondo.tensor([True]))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_index_copy_in_place_writes_slices_at_their_places(dtype, same):
    array = np.arange(12).reshape(4, 3)
    x, source = rondo.tensor(array, dtype=dtype), rondo.tensor(array[:2] + 50, dtype=dtype)
    expected = array.copy()
    expected[[3, 0]] = array[:2] + 50
    assert x.index_copy_(0, rondo.tensor([3, 0]), source) is x
    same(x, expected)
    columns = rondo.tensor(array, dtype=dtype)
    rondo.index_copy_(columns, -1, rondo.tensor([1]), columns[:, 2:] * 1)
    same(columns, array[:, [0, 2, 2]])
    assert x.index_copy_(0, rondo.tensor([], dtype=rondo.int64), source[:0]).tolist() == expected.tolist()


def test_the_gradient_of_index_copy_in_place(same):
    x, source = rondo.tensor(X, requires_grad=True), rondo.tensor(Y[:, :1], requires_grad=True)
    weights = np.linspace(0.5, 2, X.size).reshape(X.shape)
    ((x * 1).index_copy_(1, rondo.tensor([2]), source) * rondo.tensor(weights)).sum().backward()
    same(source.grad, weights[:, 2:3])
    weights[:, 2] = 0
    same(x.grad, weights)


def test_what_index_copy_refuses():
    x = rondo.zeros(3, 2)
    calls = {
        "index_copy_: source is [1, 2]; expected [2, 2]":
            lambda: x.index_copy_(0, rondo.tensor([0, 2]), rondo.ones(1, 2)),
        "index_copy: source is [2]; expected [1, 2]": lambda: x.index_copy(0, rondo.tensor([0]), rondo.ones(2)),
        "index_copy_: index 5 is out of range for axis 0 of size 3; expected -3 to 2":
            lambda: x.index_copy_(0, rondo.tensor([5]), rondo.ones(1, 2)),
        "index_copy_: axis out of range: 2; expected -2 to 1 for rank 2":
            lambda: x.index_copy_(2, rondo.tensor([0]), rondo.ones(1, 2)),
    }  # fmt: skip
    for text, call in calls.items():
        with raises(rondo.Error, text):
            call()
    assert not x.any()


def test_closeness_of_infinities_is_equality():
    inf, nan = math.inf, math.nan
    a, b = [1.0, inf, inf, -inf, nan, 1.0, 1e8], [inf, 1.0, inf, inf, nan, 1.0 + 1e-6, 1e8 + 500]
    for equal_nan in (False, True):
        expected = np.isclose(a, b, equal_nan=equal_nan).tolist()
        ours = rondo.isclose(*(rondo.tensor(x, dtype=rondo.float64) for x in (a, b)), equal_nan=equal_nan)
        assert ours.tolist() == expected
    assert not rondo.allclose(rondo.tensor([1.0]), rondo.tensor([inf]))
    assert rondo.tensor([1, 2]).isclose(rondo.tensor([1, 3])).tolist() == [True, False]
    assert rondo.isclose(rondo.tensor(1.0), rondo.tensor([1.2, 0.5]), rtol=0.1, atol=0.1).tolist() == [True, False]
    assert rondo.isclose(rondo.ones(0), rondo.ones(0)).shape == (0,)


def test_variances_with_means(agrees, same):
    x = rondo.tensor(X)
    for name, function in (("var_mean", np.var), ("std_mean", np.std)):
        call = getattr(rondo, name)
        agrees(lambda x: rondo.stack(call(x, 1)), lambda x: np.stack([function(x, 1, ddof=1), x.mean(1)]), X)
        for found, expected in zip(call(x), (function(X, ddof=1), X.mean()), strict=True):
            same(found, expected, 1e-12)
        spread, mean = call(x, dim=0, correction=0, keepdim=True)
        same(spread, function(X, 0, keepdims=True), 1e-12)
        same(mean, X.mean(0, keepdims=True), 1e-12)
        with raises(rondo.IndexError, f"{name}: axis out of range: 3; expected -2 to 1 for rank 2"):
            call(x, 3)


def test_the_area_below_points(agrees):
    places = np.array([0.0, 0.5, 2.0, 2.5])
    trapezoid = getattr(np, "trapezoid", None) or np.trapz
    agrees(lambda y: rondo.trapz(y, dx=0.5), lambda y: trapezoid(y, dx=0.5), X)
    agrees(lambda y, x: rondo.trapezoid(y, x), lambda y, x: trapezoid(y, x), X, places)
    agrees(lambda y: rondo.trapz(y, dim=0), lambda y: trapezoid(y, axis=0), X)


def test_views_in_one_and_along_one_axis(same):
    x = rondo.tensor(X)
    same(rondo.ravel(x), X.ravel())
    assert x.ravel().data_ptr() == x.data_ptr() and x.T.ravel().tolist() == X.T.ravel().tolist()
    for dim in (0, 1, -1):
        for ours, numpys in zip(rondo.unbind(x, dim), np.moveaxis(X, dim, 0), strict=True):
            same(ours, numpys)
    x.unbind(1)[2].zero_()
    assert x[:, 2].tolist() == [0, 0] and rondo.ones(0, 2).unbind() == ()
    with raises(rondo.IndexError, "unbind: axis out of range: 2; expected -2 to 1 for rank 2"):
        x.unbind(2)


def test_shapes_as_those_of_others():
    x, other = rondo.tensor(X), rondo.ones(4, 2)
    assert x.reshape_as(other).shape == (4, 2) and x.reshape_as(other).tolist() == X.reshape(4, 2).tolist()
    assert x.T.reshape_as(x).tolist() == X.T.reshape(2, 4).tolist()
    assert rondo.ones(2, 1).expand_as(x).shape == (2, 4) and rondo.ones(()).expand_as(x).sum().item() == 8
    assert rondo.is_same_size(x, rondo.ones(2, 4)) and not x.is_same_size(other)
    with raises(rondo.ShapeError, "reshape_as: [2, 4] to [3]; the number of elements must stay 8"):
        x.reshape_as(rondo.ones(3))
    with raises(rondo.ShapeError, "expand_as: shape [2, 4] to [4, 2]; sizes must be equal, or 1 before, at axis 0"):
        x.expand_as(other)


def test_transposes_of_matrices(same):
    x = rondo.tensor(X)
    same(x.H, X.T)
    same(x.mH, X.T)
    stack = np.stack([X, Y])
    same(rondo.tensor(stack).mH, stack.swapaxes(-1, -2))
    assert rondo.tensor(1.5).H.item() == 1.5 and rondo.ones(0, 3).mH.shape == (3, 0)
    x.H[0, 1] = 9.0
    assert x[1, 0].item() == 9.0
    with raises(rondo.ShapeError, "t: the shape is [2, 2, 4]; expected at most two axes"):
        rondo.tensor(stack).H
    with raises(rondo.ShapeError, "mT: the shape is [3]; at least two axes are required"):
        rondo.ones(3).mH
