"""Activations, gates and dropout of channels: values, gradients and errors, by their definitions in NumPy."""

import math

import numpy as np
import pytest
from whole_errors import raises

import rondo
import rondo.nn.functional as F
from rondo import nn

X = np.array([[0.3, -1.25, 2.0, -0.1], [3.5, -0.75, 0.25, -4.0]])


def softmax(x, axis):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def selu(x, alpha=1.6732632423543772, scale=1.0507009873554805):
    return scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


# Name: module, function, definition.
ACTIVATIONS = {
    "hardshrink": (nn.Hardshrink(), F.hardshrink, lambda x: np.where(abs(x) > 0.5, x, 0)),
    "hardshrink 1": (nn.Hardshrink(1.0), lambda x: F.hardshrink(x, 1.0), lambda x: np.where(abs(x) > 1, x, 0)),
    "softshrink": (nn.Softshrink(), F.softshrink, lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0)),
    "softshrink 1": (
        nn.Softshrink(1.0), lambda x: F.softshrink(x, 1.0), lambda x: np.sign(x) * np.maximum(abs(x) - 1, 0)),
    "tanhshrink": (nn.Tanhshrink(), F.tanhshrink, lambda x: x - np.tanh(x)),
    "threshold": (nn.Threshold(0.2, 9.0), lambda x: F.threshold(x, 0.2, 9.0), lambda x: np.where(x > 0.2, x, 9)),
    "softmin": (nn.Softmin(0), lambda x: F.softmin(x, 0), lambda x: softmax(-x, 0)),
    "softmin -1": (nn.Softmin(dim=-1), lambda x: F.softmin(x, -1), lambda x: softmax(-x, -1)),
    "softsign": (nn.Softsign(), F.softsign, lambda x: x / (1 + abs(x))),
    "glu": (nn.GLU(), F.glu, lambda x: x[:, :2] * sigmoid(x[:, 2:])),
    "glu 0": (nn.GLU(0), lambda x: F.glu(x, 0), lambda x: x[:1] * sigmoid(x[1:])),
    "selu": (nn.SELU(), F.selu, selu),
    "celu": (
        nn.CELU(2.0), lambda x: F.celu(x, 2.0), lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2))),
    "hardsigmoid": (nn.Hardsigmoid(), F.hardsigmoid, lambda x: np.clip(x / 6 + 0.5, 0, 1)),
    "hardswish": (nn.Hardswish(), F.hardswish, lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_an_activation_has_the_values_and_gradients_of_its_definition(name, agrees):
    module, function, definition = ACTIVATIONS[name]
    agrees(module, definition, X)
    agrees(function, definition, X)


@pytest.mark.parametrize("name", [n for n in ACTIVATIONS if not n.startswith(("softmin", "glu"))])
def test_activations_take_numbers_nothing_nan_and_half_floats(name, same):
    module, _, definition = ACTIVATIONS[name]
    same(module(rondo.tensor(-1.25)), definition(np.float64(-1.25)), 1e-6)
    assert module(rondo.ones(0, 3)).shape == (0, 3)
    assert math.isnan(module(rondo.tensor(math.nan)).item())
    half = module(rondo.tensor(X, dtype=rondo.bfloat16))
    assert half.dtype == rondo.bfloat16
    same(half.double(), definition(X), 0.03)


def test_the_bounds_of_shrinking_belong_to_the_middle():
    edges = rondo.tensor([-0.5, 0.5, -0.0, math.inf, -math.inf])
    assert F.hardshrink(edges).tolist() == [0, 0, 0, math.inf, -math.inf]
    assert F.softshrink(edges).tolist() == [0, 0, 0, math.inf, -math.inf]
    assert F.threshold(rondo.tensor([0.2, 0.3]), 0.2, 7.0).tolist()[0] == 7.0
    with raises(rondo.ArgumentError, "softshrink: lambd is -1.0; it must not be negative"):
        F.softshrink(edges, -1.0)


def test_softmin_needs_an_axis_and_takes_a_dtype(same):
    half = rondo.tensor(X, dtype=rondo.float16)
    made = F.softmin(half, 1, dtype=rondo.float64)
    assert made.dtype == rondo.float64
    same(made, softmax(-half.double().numpy(), 1), 1e-3)
    assert F.softmin(rondo.ones(0, 3), 1).shape == (0, 3)
    with raises(rondo.ArgumentError, "softmin: dim is missing; expected int"):
        nn.Softmin()(half)
    with raises(rondo.IndexError, "softmin: axis out of range: 4; expected -2 to 1 for rank 2"):
        F.softmin(half, 4)


def test_a_gate_needs_an_even_axis():
    assert F.glu(rondo.ones(0, 4)).shape == (0, 2)
    with raises(rondo.ShapeError, "glu: axis -1 of [2, 3]; its size must be even"):
        F.glu(rondo.ones(2, 3))


def test_prelu_has_a_slope_for_all_or_one_for_each_channel(agrees):
    slopes = np.array([0.1, 0.2, 0.3])
    images = np.arange(-9.0, 9.0).reshape(2, 3, 3) + 0.25

    def definition(x, w):
        return np.where(x > 0, x, w.reshape(-1, 1) * x if w.size > 1 else w * x)

    agrees(F.prelu, definition, images, slopes)
    agrees(F.prelu, definition, images, np.array([0.4]))
    agrees(F.prelu, lambda x, w: np.where(x > 0, x, w * x), images[:, :, 0], slopes)
    agrees(F.prelu, lambda x, w: np.where(x > 0, x, w.sum() * x), np.array(-2.0), np.array([0.4]))
    layer = nn.PReLU()
    assert layer.weight.tolist() == [0.25] and repr(layer) == "PReLU(num_parameters=1)"
    assert nn.PReLU(3, 0.5).weight.tolist() == [0.5] * 3
    with raises(
        rondo.ShapeError,
        "prelu: shapes do not broadcast: [3] and [2, 4]; sizes must be equal or 1 at axis 1",
    ):
        F.prelu(rondo.ones(2, 4), rondo.ones(3))


def test_text_tells_the_settings():
    assert repr(nn.Hardshrink()) == "Hardshrink(0.5)" and repr(nn.Softshrink(1.0)) == "Softshrink(1.0)"
    assert repr(nn.Threshold(0.1, 20.0)) == "Threshold(threshold=0.1, value=20.0)"
    assert repr(nn.Threshold(0.1, 20.0, True)) == "Threshold(threshold=0.1, value=20.0, inplace=True)"
    assert repr(nn.Softmin(1)) == "Softmin(dim=1)" and repr(nn.Tanhshrink()) == "Tanhshrink()"
    assert repr(nn.GLU()) == "GLU(dim=-1)"


def test_a_threshold_in_place_changes_its_input():
    x = rondo.tensor([1.0, -1.0])
    assert nn.Threshold(0.0, 5.0, inplace=True)(x) is x and x.tolist() == [1.0, 5.0]


# Dropout of whole channels: layer, function, shape, the axes that are dropped together.
CHANNELS = {
    "Dropout1d": (nn.Dropout1d, F.dropout1d, (20, 30, 5), (2,)),
    "Dropout1d without a batch": (nn.Dropout1d, F.dropout1d, (300, 5), (1,)),
    "Dropout2d": (nn.Dropout2d, F.dropout2d, (20, 30, 2, 3), (2, 3)),
    "Dropout2d of [n, channels, length]": (nn.Dropout2d, F.dropout2d, (20, 30, 5), (2,)),
}


@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize("inplace", [False, True])
def test_channels_are_dropped_as_a_whole(name, inplace):
    layer, function, shape, together = CHANNELS[name]
    x = rondo.ones(shape, requires_grad=True)
    made = layer(0.25, inplace)(x * 1)
    array = made.detach().numpy()
    scale = np.float32(1 / 0.75)
    assert (array.min(together) == array.max(together)).all() and set(array.reshape(-1)) == {0, scale}
    assert 0.6 < (array > 0).mean() < 0.9
    made.sum().backward()
    assert x.grad.tolist() == array.tolist()
    y = rondo.ones(shape)
    assert (function(y, 0.5, True, inplace) is y) == inplace and bool((y == 1).all()) != inplace
    assert layer().eval()(y) is y and function(y, training=False) is y
    assert layer().p == 0.5 and function(y, 0.0).tolist() == y.tolist()
    with raises(rondo.ArgumentError, f"{function.__name__}: p is 1.5; it must be from 0 to 1"):
        function(y, 1.5)


def test_gumbel_softmax_chooses_with_the_probabilities_of_its_logits(same):
    logits = rondo.tensor([0.1, 0.6, 0.3]).log().expand(6000, 3)
    soft = F.gumbel_softmax(logits, tau=0.5)
    same(soft.sum(-1), np.ones(6000), 1e-5)
    hard = F.gumbel_softmax(logits, 1, True, 1e-10, -1)
    assert set(hard.round().reshape(-1).tolist()) == {0.0, 1.0}
    same(hard.mean(0), [0.1, 0.6, 0.3], 0.03)
    columns = F.gumbel_softmax(logits.T, hard=True, dim=0)
    same(columns.mean(1), [0.1, 0.6, 0.3], 0.03)
    x = rondo.zeros(4, requires_grad=True)
    (F.gumbel_softmax(x, hard=True) * rondo.arange(4.0)).sum().backward()
    assert abs(x.grad.sum().item()) < 1e-6 and x.grad.abs().max().item() > 0
    with raises(rondo.IndexError, "gumbel_softmax: axis out of range: 2; expected -1 to 0 for rank 1"):
        F.gumbel_softmax(x, dim=2)
