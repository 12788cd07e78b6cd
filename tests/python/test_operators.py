"""Operators and ops as functions and methods, compared with NumPy."""

import operator

import numpy as np
import pytest
from whole_errors import raises

import rondo

BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
]


@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_binary_operators_work_on_tensors_numbers_and_arrays_on_either_side(function, same):
    a = np.array([[1.5, 2.0], [3.0, 4.5]], dtype=np.float32)
    b = np.array([2.0, 3.0], dtype=np.float32)
    x, y = rondo.tensor(a), rondo.tensor(b)
    same(function(x, y), function(a, b), 1e-5)
    same(function(x, 2), function(a, 2), 1e-5)
    same(function(2.0, x), function(np.float32(2.0), a), 1e-5)
    same(function(x, b), function(a, b), 1e-5)
    same(function(b, x), function(b, a), 1e-5)
    same(function(np.float32(2), x), function(np.float32(2), a), 1e-5)
    assert isinstance(function(b, x), rondo.Tensor)


@pytest.mark.parametrize("function", [operator.and_, operator.or_, operator.xor])
def test_bitwise_operators_are_pythons_on_each_element(function):
    a, b = [True, True, False], [True, False, False]
    expected = [function(p, q) for p, q in zip(a, b)]
    assert function(rondo.tensor(a), rondo.tensor(b)).tolist() == expected
    assert function(rondo.tensor([6, 5]), 3).tolist() == [function(6, 3), function(5, 3)]
    assert (~rondo.tensor([True, False])).tolist() == [False, True]
    assert (rondo.tensor([1, 2]) << 2).tolist() == [4, 8]
    assert (rondo.tensor([8, 16]) >> 2).tolist() == [2, 4]


def test_unary_operators_are_pythons_on_each_element(same):
    x = rondo.tensor([-1.5, 2.0])
    same(-x, [1.5, -2.0])
    same(abs(x), [1.5, 2.0])
    assert +x is x


def test_matmul_is_numpys(same):
    a, b = np.random.rand(2, 3, 4), np.random.rand(4, 5)
    same(rondo.tensor(a) @ rondo.tensor(b), a @ b, 1e-6)
    same(rondo.tensor(b[:, 0]) @ rondo.tensor(b), b[:, 0] @ b, 1e-6)


def test_python_numbers_give_way_and_tensors_promote_as_in_pytorch():
    half = rondo.ones(2, dtype=rondo.float16)
    assert (half + 1.5).dtype == rondo.float16
    assert (rondo.tensor([1]) + 1.5).dtype == rondo.float32
    assert (rondo.tensor([True]) + 1).dtype == rondo.int64
    assert (half + rondo.ones(2)).dtype == rondo.float32
    assert (rondo.tensor([1]) / 2).dtype == rondo.float32
    assert (half + rondo.tensor(1.0, dtype=rondo.float64)).dtype == rondo.float16
    assert rondo.promote_types(rondo.int8, rondo.uint8) == rondo.int16
    assert rondo.result_type(half, 1) == rondo.float16


def test_in_place_operators_write_into_the_tensor():
    x = rondo.ones(3)
    y = x
    x += 1
    x *= rondo.tensor([1.0, 2.0, 3.0])
    x -= 1
    x /= 2
    assert x is y and x.tolist() == [0.5, 1.5, 2.5]
    version = x._version
    assert x.add_(1) is x and x._version == version + 1
    with raises(
        rondo.ShapeError,
        "add_: the result does not fit in place: [2, 3] into [3]; shapes must be equal",
    ):
        x += rondo.ones(2, 3)
    with raises(
        rondo.DtypeError,
        "div_: the result is float32, the tensor is int64; it cannot hold a fraction",
    ):
        rondo.tensor([1]).div_(2)


def test_axes_are_named_dim_or_axis_and_sizes_need_no_brackets(same):
    a = np.random.rand(2, 3, 4).astype(np.float32)
    x = rondo.tensor(a)
    for result in (x.sum(1), x.sum(dim=1), x.sum(axis=1), x.sum((1,)), rondo.sum(x, axis=[1])):
        same(result, a.sum(1), 1e-5)
    same(x.sum(0, 2), a.sum((0, 2)), 1e-5)
    same(x.sum((0, -1), keepdim=True), a.sum((0, 2), keepdims=True), 1e-5)
    assert x.view(6, 4).shape == x.view((6, 4)).shape == x.reshape(6, -1).shape == (6, 4)
    assert x.permute(2, 0, 1).shape == x.permute((2, 0, 1)).shape == (4, 2, 3)
    assert x.view(*x.shape[:1], rondo.tensor(12)).shape == (2, 12)
    same(x.transpose(0, 2), a.transpose(2, 1, 0))
    same(x.T, a.T)
    same(x.mT, a.swapaxes(-1, -2))


def test_results_with_several_parts_have_names():
    values, indices = rondo.tensor([3.0, 1.0, 2.0]).sort()
    assert values.tolist() == [1.0, 2.0, 3.0] and indices.tolist() == [1, 2, 0]
    top = rondo.tensor([3.0, 1.0, 2.0]).topk(2)
    assert top.values.tolist() == [3.0, 2.0] and top.indices.tolist() == [0, 2]
    assert type(top).__name__ == "topk"
    assert repr(top).startswith("rondo.return_types.topk(") and "values=tensor(" in repr(top)
    assert rondo.tensor([[1, 5], [7, 2]]).max(dim=1).indices.tolist() == [1, 0]
    assert rondo.tensor([[1, 5], [7, 2]]).max().item() == 7
    assert rondo.tensor([1, 5]).max(rondo.tensor([3, 3])).tolist() == [3, 5]


def test_arguments_of_pytorch_beyond_the_schema():
    x = rondo.tensor([1.0, 2.0])
    assert x.add(x, alpha=2).tolist() == [3.0, 6.0]
    assert x.clone().add_(x, alpha=-1).tolist() == [0.0, 0.0]
    assert rondo.div(rondo.tensor([-7.0]), 2, rounding_mode="floor").tolist() == [-4.0]
    assert rondo.div(rondo.tensor([-7.0]), 2, rounding_mode="trunc").tolist() == [-3.0]
    assert x.var(unbiased=False).item() == 0.25
    assert [t.tolist() for t in rondo.where(x > 1)] == [[1]]
    assert x.nonzero(as_tuple=True)[0].tolist() == [0, 1]
    with raises(TypeError, "add: unexpected keyword 'beta'; it takes input, other"):
        x.add(x, beta=2)


def test_splitting_and_joining_are_numpys(same):
    a = np.arange(20.0).reshape(4, 5)
    x = rondo.tensor(a)
    for got, expected in zip(x.split(2, 1), (a[:, :2], a[:, 2:4], a[:, 4:])):
        same(got, expected)
    for got, expected in zip(x.split([1, 3]), (a[:1], a[1:])):
        same(got, expected)
    assert [p.shape for p in x.chunk(3, 1)] == [(4, 2), (4, 2), (4, 1)]
    same(rondo.cat([x, x], 1), np.concatenate([a, a], 1))
    same(rondo.stack([x, x], dim=-1), np.stack([a, a], -1))
    same(rondo.hstack([x, x]), np.hstack([a, a]))
    same(rondo.vstack([x[0], x[1]]), np.vstack([a[0], a[1]]))
    with raises(rondo.ShapeError, "split: the sizes (1, 2) add up to 3; expected 4"):
        x.split([1, 2])


def test_repeats_and_reshapes_are_numpys(same):
    a = np.arange(6.0).reshape(2, 3)
    x = rondo.tensor(a)
    same(x.repeat(2, 2), np.tile(a, (2, 2)))
    same(x.repeat(2, 1, 1), np.tile(a, (2, 1, 1)))
    same(x.tile(3), np.tile(a, 3))
    same(x.repeat_interleave(2, 1), np.repeat(a, 2, 1))
    same(x.repeat_interleave(2), np.repeat(a, 2))
    same(x.flatten(), a.reshape(-1))
    same(rondo.zeros(2, 3, 4, 5).flatten(1, 2), np.zeros((2, 12, 5)))
    same(x.unflatten(1, (3, 1)), a.reshape(2, 3, 1))
    same(rondo.zeros(2, 3, 4).movedim(0, -1), np.moveaxis(np.zeros((2, 3, 4)), 0, -1))
    for got, expected in zip(
        rondo.meshgrid(rondo.arange(2), rondo.arange(3), indexing="xy"),
        np.meshgrid(np.arange(2), np.arange(3)),
    ):
        same(got, expected)


EINSUMS = ["ij,jk->ik", "bij,bjk->bik", "ij->ji", "ii->i", "ij->", "i,j->ij", "...ij,...jk->...ik"]


@pytest.mark.parametrize("equation", EINSUMS)
def test_einsum_is_numpys(equation, same):
    sizes = {"i": 3, "j": 4, "k": 5, "b": 2}
    if equation == "ii->i":
        sizes["i"] = 3
    terms = equation.split("->")[0].split(",")
    shapes = [[2] * ("..." in t) + [sizes[c] for c in t.replace("...", "")] for t in terms]
    arrays = [np.random.rand(*shape) for shape in shapes]
    same(rondo.einsum(equation, *map(rondo.tensor, arrays)), np.einsum(equation, *arrays), 1e-6)


def test_tensors_are_made_as_by_numpy(same):
    same(rondo.linspace(0, 1, 5), np.linspace(0, 1, 5))
    assert rondo.linspace(2, 3, 1).tolist() == [2.0]
    same(rondo.eye(2, 3), np.eye(2, 3))
    same(rondo.arange(1, 2, 0.25), np.arange(1, 2, 0.25))
    assert rondo.full((2,), 7).dtype == rondo.int64
    assert rondo.zeros((2, 3)).shape == rondo.zeros(2, 3).shape == rondo.empty([2, 3]).shape
    assert rondo.ones_like(rondo.tensor([1, 2])).dtype == rondo.int64
    assert rondo.tensor([1.0]).new_zeros(2, 3).shape == (2, 3)
    assert rondo.zeros(()).shape == ()


def test_allclose_allows_a_tolerance_and_equal_none():
    x = rondo.tensor([1.0, 2.0])
    assert rondo.allclose(x, x + 1e-9) and not rondo.allclose(x, x + 1)
    assert x.equal(x.clone()) and not x.equal(x + 1)
    nan = rondo.tensor([float("nan")])
    assert not rondo.allclose(nan, nan) and rondo.allclose(nan, nan, equal_nan=True)


def test_ops_have_documentation_and_can_be_pickled():
    import pickle

    assert rondo.relu.__doc__.startswith("relu(input)")
    assert pickle.loads(pickle.dumps(rondo.relu)) is rondo.relu
    assert repr(rondo.relu) == "<op relu>"
    assert rondo.Tensor.relu is rondo.relu
