"""Arguments that PyTorch's functions take beyond the schema of an op, by keyword and by place."""

import math

import numpy as np
import pytest
from whole_errors import raises

import rondo
from rondo import nn

X = np.array([[1.25, -2.5, 3.75], [0.5, 4.0, -1.0]])
INDEX = np.array([[0, 2, 1], [1, 1, 0]])


def test_where_as_a_method_keeps_its_tensor_where_the_condition_holds(agrees, same):
    agrees(lambda x, y: x.where(x > 0.7, y), lambda x, y: np.where(x > 0.7, x, y), X, X * 10)
    same(rondo.tensor(X).where(rondo.tensor([True, False, True]), 0), X * [1, 0, 1])
    flags = rondo.tensor([True, False])
    assert flags.where(rondo.tensor([False, True]), rondo.tensor([False, True])).tolist() == [False, False]
    with raises(rondo.DtypeError, "where: condition is float64; expected bool"):
        rondo.tensor(X).where(rondo.tensor(X), 0)
    with raises(
        rondo.ShapeError,
        "where: shapes do not broadcast: [2] and [2, 3]; sizes must be equal or 1 at axis 1",
    ):
        rondo.tensor(X).where(rondo.tensor([True, False]), 0)


def test_scatter_takes_numbers_and_sums(same):
    x, index = rondo.tensor(X), rondo.tensor(INDEX)
    filled = X.copy()
    np.put_along_axis(filled, INDEX, 7.0, 1)
    for made in (x.scatter(1, index, 7.0), x.scatter(1, index, value=7), x.clone().scatter_(1, index, value=7.0)):
        same(made, filled)
    sums = X.copy()
    np.add.at(sums, (np.arange(2)[:, None], INDEX), X)
    same(x.scatter(1, index, x, reduce="add"), sums)
    same(x.clone().scatter_(dim=1, index=index, src=x, reduce="add"), sums)
    counts = rondo.zeros(2, 3).scatter_(1, index, value=1.0, reduce="add")
    assert counts.tolist() == [[1, 1, 1], [1, 2, 0]]
    with raises(rondo.ArgumentError, "scatter: reduce is 'prod'; expected None or 'add'"):
        x.scatter(1, index, x, reduce="prod")
    with raises(rondo.ArgumentError, "scatter: src is missing; expected Tensor"):
        x.scatter(1, index)


def test_further_keywords(same):
    x = rondo.tensor(X)
    assert x.clone().copy_(x * 2, non_blocking=True).tolist() == (X * 2).tolist()
    assert x.clone().copy_(x * 2, True).tolist() == (X * 2).tolist()
    same(x.index_add(0, rondo.tensor([1]), x[:1], alpha=2), X + [[0, 0, 0], 2 * X[0]])
    same(x.clone().index_add_(0, rondo.tensor([1]), x[:1], alpha=-1), X - [[0, 0, 0], X[0]])
    for call in (x.norm, lambda p=2: rondo.norm(x, p), lambda p=2: rondo.norm(x, p=p, dim=(0, 1))):
        same(call("fro") if call is not x.norm else call(p="fro"), np.linalg.norm(X))
    assert rondo.norm(x.float(), dtype=rondo.float64).dtype == rondo.float64
    for function in (rondo.sort, rondo.argsort):
        plain, stable = function(x, 1, True), function(x, dim=1, descending=True, stable=True)
        assert [t.tolist() for t in plain] == [t.tolist() for t in stable]
    ties = rondo.tensor([2, 1, 2, 1, 2, 1])
    assert rondo.sort(ties, stable=True).indices.tolist() == [1, 3, 5, 0, 2, 4]
    with raises(rondo.ArgumentError, "norm: p is 'nuc'; expected a number or 'fro'"):
        x.norm("nuc")
    with raises(rondo.ArgumentError, "norm: unexpected keyword 'beta'; it takes input, p, dim, keepdim"):
        x.norm(beta=2)


def test_rounding_to_decimals(same):
    numbers = np.array([1.2345, -2.675, 1234.5, 0.005, math.inf])
    x = rondo.tensor(numbers)
    for decimals in (0, 1, 2, 3, -1, -2):
        same(rondo.round(x, decimals=decimals), np.round(numbers, decimals), 1e-12)
        assert x.clone().round_(decimals=decimals).tolist() == x.round(decimals=decimals).tolist()


def test_new_tensors_by_further_arguments():
    assert rondo.arange(end=3).tolist() == [0, 1, 2] and rondo.arange(start=1, end=3).tolist() == [1, 2]
    assert rondo.arange(end=2, step=0.5).tolist() == [0, 0.5, 1, 1.5]
    with raises(rondo.ArgumentError, "arange: end is missing; expected number"):
        rondo.arange()
    x = rondo.ones(2)
    assert rondo.rand_like(x, requires_grad=True).requires_grad and rondo.randn_like(x, requires_grad=True).is_leaf


def test_variances_by_their_older_arguments(same):
    x = rondo.tensor(X)
    for function, numpys in ((rondo.var_mean, np.var), (rondo.std_mean, np.std)):
        for ddof, unbiased in ((1, True), (0, False)):
            for found in (function(x, 0, unbiased), function(x, dim=0, unbiased=unbiased)):
                same(found[0], numpys(X, 0, ddof=ddof), 1e-12)
            same(function(x, unbiased)[0], numpys(X, ddof=ddof), 1e-12)
        assert [t.shape for t in function(x, 1, True, True)] == [(2, 1), (2, 1)]


def test_differences_and_places_with_further_arguments(agrees, same):
    agrees(lambda x, a, b: rondo.diff(x, prepend=a, append=b), lambda x, a, b: np.diff(x, prepend=a, append=b),
           X, X[:, :1] * 2, X[:, :2])  # fmt: skip
    same(rondo.diff(rondo.tensor(X), 2, 0, append=rondo.tensor(X)), np.diff(X, 2, 0, append=X))
    edges, values = rondo.tensor([1.0, 2.0]), rondo.tensor([0.5, 2.0, 9.0])
    for made in (rondo.searchsorted(edges, values, out_int32=True), rondo.bucketize(values, edges, out_int32=True)):
        assert made.dtype == rondo.int32 and made.tolist() == [0, 1, 2]


def test_a_number_of_repeats_for_each_index(agrees):
    counts = rondo.tensor([2, 0, 3])
    agrees(lambda x: x.repeat_interleave(counts, 1), lambda x: np.repeat(x, [2, 0, 3], 1), X)
    agrees(lambda x: rondo.repeat_interleave(x, rondo.tensor([2])), lambda x: np.repeat(x, 2), X)
    assert rondo.repeat_interleave(rondo.ones(0, 2), rondo.tensor([], dtype=rondo.int64), 0).shape == (0, 2)
    with raises(
        rondo.ShapeError,
        "repeat_interleave: 3 repeats for an axis of 2; expected one, or one for each index",
    ):
        rondo.tensor(X).repeat_interleave(counts, 0)


def test_attention_has_pytorchs_order_of_arguments(same):
    layer = nn.MultiheadAttention(8, 2, 0.0, True, False, False, None, 8, True, dtype=rondo.float64)
    assert layer.batch_first and {p.dtype for p in layer.parameters()} == {rondo.float64}
    with raises(
        rondo.ArgumentError,
        "MultiheadAttention: add_bias_kv, add_zero_attn and a kdim or vdim other than embed_dim are not supported; "
        "leave them out",
    ):
        nn.MultiheadAttention(8, 2, kdim=4)
    part = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True)
    x = rondo.randn(2, 3, 8)
    plain = nn.TransformerEncoder(part, 1, None, enable_nested_tensor=False, mask_check=False)
    same(plain(x), part(x).detach().numpy())


MISFITS = {
    "add: other is str; expected Tensor": lambda x: x.add("a"),
    "sub: other is str; expected Tensor": lambda x: x.sub_("a"),
    "div: other is str; expected Tensor": lambda x: x.div("a"),
    "copy: src is str; expected Tensor": lambda x: x.copy_("a"),
    "sort: dim is str; expected int": lambda x: x.sort("a"),
    "norm: p is list; expected number": lambda x: x.norm([]),
    "index_add: source is str; expected Tensor": lambda x: x.index_add(0, rondo.tensor([0]), "a"),
    "multinomial: num_samples is str; expected int": lambda x: x.multinomial("a"),
}


@pytest.mark.parametrize("text", MISFITS)
def test_what_fits_neither_the_schema_nor_the_further_arguments_is_told_once(text):
    with raises(rondo.ArgumentError, text):
        MISFITS[text](rondo.ones(2, 2))
    assert rondo.ones(2).add(1, alpha=2).tolist() == [3, 3]
