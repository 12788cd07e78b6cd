"""What the Python tests share."""

import signal

import numpy as np
import pytest

import rondo

# A shell starts background jobs with Ctrl-C ignored, which programs inherit: those that tests start must not.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def seeds():
    rondo.manual_seed(0)
    np.random.seed(0)


def assert_same(tensor, expected, tolerance=1e-6):
    """Shape and values of a tensor against an array or nested lists."""
    expected = np.asarray(expected)
    actual = np.asarray(tensor.detach().tolist(), dtype=expected.dtype).reshape(tensor.shape)
    assert actual.shape == expected.shape, f"{actual.shape} instead of {expected.shape}"
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@pytest.fixture
def same():
    return assert_same
