"""Pooling when nobody reads the places of the largest elements, against pooling that gives them."""

import numpy as np
import pytest

import rondo
import rondo.nn.functional as F


def plane_of_special_values(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Few different values, so that windows hold equal ones, zeros of both signs and NaN."""
    values = np.array([0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 2.5], dtype=np.float32)
    return values[random.choice(8, shape, p=[0.25, 0.25, 0.2, 0.2, 0.02, 0.03, 0.03, 0.02])]


def bits(tensor: rondo.Tensor) -> np.ndarray:
    """The bits, with one pattern for all NaN."""
    array = tensor.numpy()
    return np.where(np.isnan(array), np.float32(np.nan), array).view(np.uint32)


@pytest.mark.parametrize("width", [4, 5, 9, 28, 31])
@pytest.mark.parametrize("kernel, stride, padding, dilation", [
    (2, 2, 0, 1), (3, 2, 1, 1), (3, 1, 1, 1), (2, 1, 0, 2), (3, 3, 0, 1), ((1, 4), (1, 4), 0, 1),
])  # fmt: skip
def test_values_alone_have_the_bits_of_values_with_places(width, kernel, stride, padding, dilation):
    random = np.random.default_rng(width)
    inputs = [rondo.from_numpy(plane_of_special_values(random, (2, 3, 7, width))) for _ in range(30)]
    options = {"stride": stride, "padding": padding, "dilation": dilation}

    def pool(x, with_places):
        if with_places:
            return F.max_pool2d(x, kernel, return_indices=True, **options)[0] * 1
        return F.max_pool2d(x, kernel, **options) * 1

    with rondo.jit.tracing(False):
        expected = [bits(pool(x, True)) for x in inputs]
    for x, wanted in zip(inputs, expected, strict=True):  # captured after a few: the places are dead
        assert np.array_equal(bits(pool(x, False)), wanted)


def test_one_axis_is_pooled_with_places_too():
    x = rondo.tensor([[[3.0, 1.0, 2.0, 5.0]]])
    values, places = rondo.nn.MaxPool1d(2, return_indices=True)(x)
    assert values.tolist() == [[[3.0, 5.0]]] and places.tolist() == [[[0, 3]]]
    assert F.max_pool1d(x, 2).tolist() == [[[3.0, 5.0]]]
