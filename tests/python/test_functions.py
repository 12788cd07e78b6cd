"""Functions that are made of ops: values against NumPy, gradients against differences."""

import numpy as np
import pytest
from whole_errors import raises

import rondo
import rondo.nn.functional as F

X = np.array([[0.5, -1.25, 2.0], [3.5, -0.75, 0.25]], dtype=np.float32)
Y = np.array([[1.5, -0.5, -2.0], [0.75, 1.0, -3.0]], dtype=np.float32)

ELEMENTS = {
    "acosh": lambda x: np.arccosh(np.abs(x) + 1.5),
    "asinh": np.arcsinh,
    "atanh": lambda x: np.arctanh(x / 4),
    "deg2rad": np.deg2rad,
    "rad2deg": np.rad2deg,
    "frac": lambda x: x - np.trunc(x),
    "sinc": np.sinc,
    "signbit": np.signbit,
    "isposinf": np.isposinf,
    "isneginf": np.isneginf,
}
ARGUMENTS = {"acosh": lambda x: x.abs() + 1.5, "atanh": lambda x: x / 4}


@pytest.mark.parametrize("name", ELEMENTS)
def test_functions_of_elements_are_numpys(name, same):
    x = ARGUMENTS.get(name, lambda x: x)(rondo.tensor(X))
    same(getattr(rondo, name)(x), ELEMENTS[name](X), 1e-6)
    same(getattr(x, name)(), ELEMENTS[name](X), 1e-6)


PAIRS = {
    "hypot": np.hypot,
    "logaddexp": np.logaddexp,
    "logaddexp2": np.logaddexp2,
    "copysign": np.copysign,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "heaviside": np.heaviside,
    "inner": np.inner,
    "kron": np.kron,
}


@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_tensors_are_numpys(name, same):
    same(getattr(rondo, name)(rondo.tensor(X), rondo.tensor(Y)), PAIRS[name](X, Y), 1e-6)


def test_functions_of_extreme_numbers_do_not_overflow_on_the_way(same):
    huge = rondo.tensor([3e38, 1e30, 0.0, float("inf")])
    same(rondo.hypot(huge, huge * 0.5), np.hypot([3e38, 1e30, 0.0, np.inf], [1.5e38, 5e29, 0, np.inf]))
    same(rondo.asinh(rondo.tensor([1e30, -1e30, 1e-30])), np.arcsinh([1e30, -1e30, 1e-30]))
    same(rondo.acosh(rondo.tensor([1e30, 1.0])), np.arccosh([1e30, 1.0]))
    ends = rondo.tensor([float("-inf"), float("inf"), 500.0])
    same(rondo.logaddexp(ends, ends), [-np.inf, np.inf, 500 + np.log(2)])
    nothing = rondo.tensor([0.0, 0.0])
    same(rondo.xlogy(nothing, rondo.tensor([0.0, float("nan")])), [0.0, np.nan])


SMOOTH = {
    "asinh": lambda x: rondo.asinh(x),
    "acosh": lambda x: rondo.acosh(x.abs() + 1.5),
    "atanh": lambda x: rondo.atanh(x / 4),
    "sinc": lambda x: rondo.sinc(x),
    "hypot": lambda x: rondo.hypot(x, x * 0.5 + 1),
    "logaddexp": lambda x: rondo.logaddexp(x, 2 * x + 1),
    "logit": lambda x: rondo.logit(x.sigmoid()),
    "xlogy": lambda x: rondo.xlogy(x, x.abs() + 1),
    "diag": lambda x: rondo.diag(x.reshape(-1), 1),
    "diagonal": lambda x: rondo.diag(x, 1),
    "kron": lambda x: rondo.kron(x, x),
    "tensordot": lambda x: rondo.tensordot(x, x, 2),
    "cdist": lambda x: rondo.cdist(x, x + 1),
    "cov": lambda x: rondo.cov(x),
    "unfold": lambda x: x.unfold(1, 2, 1),
    "quantile": lambda x: rondo.quantile(x, 0.3, 1),
    "matrix_power": lambda x: rondo.matrix_power(x @ x.T, 3),
    "trapezoid": lambda x: rondo.trapezoid(x),
    "conv_transpose2d": lambda x: F.conv_transpose2d(
        x.reshape(1, 1, 2, 3), x.reshape(1, 1, 2, 3), stride=2, padding=1, output_padding=1
    ),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x.reshape(1, 6, 1)[:, :4].reshape(4, 1, 1), 2),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_their_gradients_are_those_of_differences(name, same):
    function = SMOOTH[name]
    x = rondo.tensor(X, dtype=rondo.float64, requires_grad=True)
    weights = rondo.linspace(0.5, 2.0, function(x).numel(), dtype=rondo.float64)
    (function(x).reshape(-1) * weights).sum().backward()
    step = 1e-6
    expected = np.zeros(X.shape)
    for place in np.ndindex(*X.shape):
        ends = []
        for sign in (1, -1):
            moved = X.astype(np.float64)
            moved[place] += sign * step
            ends.append((function(rondo.tensor(moved)).reshape(-1) * weights).sum().item())
        expected[place] = (ends[0] - ends[1]) / (2 * step)
    same(x.grad, expected, 1e-5)


def test_diagonals_and_triangles_are_numpys(same):
    x, v = rondo.tensor(X), rondo.tensor([1.0, 2.0])
    same(rondo.diag(v, -1), np.diag([1.0, 2.0], -1))
    same(rondo.diag(x, 1), np.diag(X, 1))
    same(rondo.diagflat(x), np.diagflat(X))
    same(rondo.diag_embed(x), np.stack([np.diag(row) for row in X]))
    same(rondo.block_diag(v, x), np.block([[np.array([[1.0, 2.0]]), np.zeros((1, 3))],
                                           [np.zeros((2, 2)), X]]))
    same(rondo.tril_indices(3, 4, 1), np.stack(np.tril_indices(3, 1, 4)))
    same(rondo.triu_indices(3, 4, -1), np.stack(np.triu_indices(3, -1, 4)))
    with raises(rondo.ShapeError, "diag: the shape is [1, 1, 1]; expected one or two axes"):
        rondo.diag(rondo.ones(1, 1, 1))


def test_spreading_cutting_and_joining_are_numpys(same):
    x, v = rondo.tensor(X), rondo.tensor([1.0, 2.0, 3.0])
    assert rondo.broadcast_shapes((3, 1), (2,), (1,)) == (3, 2)
    with raises(rondo.ShapeError, "broadcast_shapes: [2] and [3]; sizes must be equal or 1 at axis 0"):
        rondo.broadcast_shapes((2,), (3,))
    same(rondo.broadcast_to(v, (2, 3)), np.broadcast_to([1.0, 2.0, 3.0], (2, 3)))
    assert [t.shape for t in rondo.broadcast_tensors(v, x)] == [(2, 3), (2, 3)]
    assert rondo.atleast_1d(rondo.tensor(1.0)).shape == (1,)
    assert [t.shape for t in rondo.atleast_2d(v, rondo.tensor(1.0))] == [(1, 3), (1, 1)]
    assert rondo.atleast_3d(x).shape == (2, 3, 1)
    for ours, numpys in zip(rondo.tensor_split(v, 2), np.array_split([1.0, 2.0, 3.0], 2)):
        same(ours, numpys)
    assert [t.shape for t in rondo.tensor_split(x, (1,), 1)] == [(2, 1), (2, 2)]
    assert [t.shape for t in rondo.hsplit(x, 3)] == [(2, 1)] * 3 and len(rondo.vsplit(x, 2)) == 2
    with raises(rondo.ShapeError, "vsplit: 2 elements do not divide into 3 parts"):
        rondo.vsplit(x, 3)
    assert [t.shape for t in rondo.split(rondo.zeros(0, 3), 2)] == [(0, 3)]
    assert [t.shape for t in rondo.split(v, (2, 0, 1))] == [(2,), (0,), (1,)]
    with pytest.raises(rondo.ArgumentError) as error:
        rondo.split(v, (5, -2))
    assert str(error.value) == "split: the sizes are (5, -2); they must be 0 or more"
    same(rondo.column_stack([v, v]), np.column_stack([[1.0, 2.0, 3.0]] * 2))
    same(rondo.dstack([x, x]), np.dstack([X, X]))
    same(rondo.row_stack([x, v]), np.vstack([X, [1.0, 2.0, 3.0]]))
    same(rondo.fliplr(x), np.fliplr(X))
    same(rondo.flipud(x), np.flipud(X))
    for k in range(-1, 5):
        same(rondo.rot90(x, k), np.rot90(X, k))
    same(x.unfold(1, 2, 1), [[[0.5, -1.25], [-1.25, 2.0]], [[3.5, -0.75], [-0.75, 0.25]]])
    same(rondo.cartesian_prod(rondo.tensor([1, 2]), rondo.tensor([3, 4])), [[1, 3], [1, 4], [2, 3], [2, 4]])
    same(rondo.logspace(0, 2, 3), [1.0, 10.0, 100.0])


def test_elements_are_taken_and_written_by_their_places(same):
    x = rondo.tensor(X)
    same(x.take(rondo.tensor([0, 5])), X.reshape(-1)[[0, 5]])
    same(x.index_fill(1, rondo.tensor([0, 2]), 9.0), [[9, -1.25, 9], [9, -0.75, 9]])
    same(x.index_copy(0, rondo.tensor([1]), rondo.zeros(1, 3)), [X[0], [0, 0, 0]])
    same(x.select_scatter(rondo.zeros(2), 1, 1), [[0.5, 0, 2], [3.5, 0, 0.25]])
    same(x, X)
    assert x.index_fill_(0, rondo.tensor([0]), 1.0) is x
    same(rondo.argwhere(rondo.tensor([0, 3])), [[1]])


def test_further_products_are_numpys(same):
    x, y = rondo.tensor(X), rondo.tensor(Y)
    same(rondo.tensordot(x, y, ([1], [1])), np.tensordot(X, Y, ([1], [1])), 1e-6)
    same(rondo.cross(x, y), np.cross(X, Y), 1e-6)
    same(rondo.cdist(x, y), np.linalg.norm(X[:, None] - Y[None], axis=-1), 1e-6)
    same(rondo.cov(x), np.cov(X), 1e-5)
    same(rondo.corrcoef(x), np.corrcoef(X), 1e-5)
    square = X[:, :2]
    same(rondo.matrix_power(rondo.tensor(square), 3), np.linalg.matrix_power(square, 3), 1e-5)
    v = rondo.tensor([1.0, 2.0])
    same(rondo.addmv(v, x, rondo.ones(3), alpha=2), [1, 2] + 2 * X.sum(1), 1e-6)
    same(rondo.addr(rondo.zeros(2, 2), v, v), np.outer([1, 2], [1, 2]))
    b = rondo.ones(1, 2, 2)
    same(rondo.baddbmm(b, b, b, beta=2), [[[4, 4], [4, 4]]])
    with raises(
        rondo.ShapeError,
        "tensordot: axes [0] of [2, 3] and [1] of [2, 3]; their sizes must be equal",
    ):
        rondo.tensordot(x, y, ([0], [1]))


def test_order_and_counts_are_numpys(same):
    x = rondo.tensor(X)
    for method in ("linear", "lower", "higher", "nearest", "midpoint"):
        same(rondo.quantile(x, 0.3, 1, interpolation=method), np.quantile(X, 0.3, 1, method=method))
    same(rondo.quantile(x, rondo.tensor([0.0, 0.5])), np.quantile(X, [0.0, 0.5]))
    assert rondo.median(rondo.tensor([4, 1, 3, 2])).item() == 2
    assert x.median(1).values.tolist() == [0.5, 0.25] and x.kthvalue(3, 1).indices.tolist() == [2, 0]
    same(rondo.diff(x), np.diff(X))
    same(rondo.nansum(rondo.tensor([1.0, float("nan")])), 1.0)
    same(rondo.nanmean(rondo.tensor([1.0, float("nan"), 3.0])), 2.0)
    numbers = [3, 1, 1, 5]
    same(rondo.bincount(rondo.tensor(numbers), minlength=8), np.bincount(numbers, minlength=8))
    same(rondo.bincount(rondo.tensor(numbers), rondo.ones(4)), np.bincount(numbers, np.ones(4)))
    same(rondo.histc(x, 4, -2, 4), np.histogram(X, 4, (-2, 4))[0].astype(np.float32))
    same(rondo.isin(rondo.tensor(numbers), rondo.tensor([1, 5])), [False, True, True, True])
    found = rondo.unique(rondo.tensor([[3, 1], [1, 5]]), return_inverse=True, return_counts=True)
    for ours, numpys in zip(found, np.unique([[3, 1], [1, 5]], return_inverse=True, return_counts=True)):
        same(ours.reshape(-1), numpys.reshape(-1))
    with raises(rondo.ArgumentError, "bincount: a number is negative; expected 0 or more"):
        rondo.bincount(rondo.tensor([-1]))


@pytest.mark.parametrize("right", [False, True])
def test_places_in_sorted_numbers_are_numpys(right, same):
    edges, values = [1.0, 2.0, 2.0, 3.5], np.array([[0.5, 1.0, 2.0], [3.0, 3.5, 9.0]], np.float32)
    expected = np.searchsorted(np.array(edges, np.float32), values, "right" if right else "left")
    same(rondo.searchsorted(rondo.tensor(edges), rondo.tensor(values), right=right), expected)
    same(rondo.bucketize(rondo.tensor(values), rondo.tensor(edges), right=right), expected)
    assert rondo.searchsorted(rondo.tensor(edges), 2.5).item() == 3


def test_runs_of_equal_elements_become_one_with_their_counts(same):
    found = rondo.unique_consecutive(
        rondo.tensor([1, 1, 2, 2, 1]), return_inverse=True, return_counts=True
    )
    for ours, expected in zip(found, ([1, 2, 1], [0, 0, 1, 1, 2], [2, 2, 1])):
        same(ours, expected)


def test_further_methods_give_pytorchs_results(same):
    x = rondo.tensor(X)
    same(x[:, :2].trace(), np.trace(X[:, :2]))
    same(rondo.ones(2, 3, 4).sum_to_size(3, 1), np.full((3, 1), 8.0))
    same(rondo.zeros(2, 2).fill_diagonal_(3.0), np.eye(2) * 3)
    assert x.is_cpu and not x.is_sparse and x.get_device() == -1 and x.is_signed()
    assert rondo.is_nonzero(rondo.tensor([2])) and rondo.scalar_tensor(3).dtype == rondo.float32
    assert [t.shape for t in x.split_with_sizes([1, 2], 1)] == [(2, 1), (2, 2)]
    drawn = rondo.empty(2000).exponential_(2.0)
    assert drawn.min().item() >= 0 and abs(drawn.mean().item() - 0.5) < 0.1
    assert set(rondo.empty(100, dtype=rondo.int32).random_(2, 5).tolist()) == {2, 3, 4}


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_finfo_is_numpys(name):
    ours, numpys = rondo.finfo(getattr(rondo, name)), np.finfo(name)
    for field in ("bits", "eps", "max", "min", "tiny", "smallest_normal"):
        assert getattr(ours, field) == getattr(numpys, field), field


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64"])
def test_iinfo_is_numpys(name):
    ours, numpys = rondo.iinfo(getattr(rondo, name)), np.iinfo(name)
    assert (ours.min, ours.max, ours.bits) == (numpys.min, numpys.max, numpys.bits)
    text = f"finfo: the dtype is rondo.{name}; expected a floating one, or use iinfo"
    with raises(rondo.DtypeError, text):
        rondo.finfo(getattr(rondo, name))


def test_the_default_dtype_is_float32():
    assert rondo.get_default_dtype() is rondo.float32
    rondo.set_default_dtype(rondo.float32)
    with raises(
        rondo.ArgumentError,
        "set_default_dtype: the dtype is rondo.float64; only rondo.float32 is supported; pass "
        "dtype= to the functions that make tensors",
    ):
        rondo.set_default_dtype(rondo.float64)
    assert rondo.can_cast(rondo.int32, rondo.float16) and not rondo.can_cast(rondo.float32, rondo.int64)


def test_a_transposed_convolution_is_the_gradient_of_a_convolution(same):
    images = rondo.randn(2, 3, 7, 6, requires_grad=True)
    weight = rondo.randn(4, 3, 3, 2)
    result = F.conv2d(images, weight, stride=2, padding=1)
    grad = rondo.randn(result.shape)
    result.backward(grad)
    for output_padding in ((0, 0), (0, 1)):
        made = F.conv_transpose2d(grad, weight, None, 2, 1, output_padding)
        height, width = made.shape[-2:]
        same(made[..., :7, :6], images.grad[..., :height, :width].numpy(), 1e-5)
    layer = rondo.nn.ConvTranspose2d(4, 3, (3, 2), 2, 1)
    assert layer(grad, output_size=(7, 6)).shape == (2, 3, 7, 6)
    assert repr(layer) == "ConvTranspose2d(4, 3, kernel_size=(3, 2), stride=(2, 2), padding=(1, 1))"
    line = rondo.nn.ConvTranspose1d(4, 2, 3, stride=2)
    assert line(rondo.ones(1, 4, 5)).shape == (1, 2, 11)
