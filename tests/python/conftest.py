"""What the Python tests share."""

import signal

import numpy as np
import pytest
from example_models import TRAIN, example

import rondo

# A shell starts background jobs with Ctrl-C ignored, which programs inherit: those that tests start must not.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def seeds():
    rondo.manual_seed(0)
    np.random.seed(0)


@pytest.fixture(scope="session", params=list(TRAIN))
def exported_example(request, tmp_path_factory):
    """The archive of an example's trained model, 64 inputs for it, and the model's output for each alone."""
    module = example(request.param)
    model, _ = TRAIN[request.param](10)
    model.eval()
    random = np.random.default_rng(5)
    if request.param == "digits":
        rows = random.random((64, 1, 8, 8), dtype=np.float32)
    else:
        rows = random.integers(0, model.head.bias.shape[0], (64, module.CONTEXT))
    path = tmp_path_factory.mktemp("archive") / f"{request.param}.rondo"
    module.export(model, rondo.tensor(rows[:2]), str(path))
    with rondo.no_grad():
        alone = np.concatenate([model(rondo.tensor(row[None])).numpy() for row in rows])
    return path, rows, alone


def assert_same(tensor, expected, tolerance=1e-6):
    """Shape and values of a tensor against an array or nested lists."""
    expected = np.asarray(expected)
    actual = np.asarray(tensor.detach().tolist(), dtype=expected.dtype).reshape(tensor.shape)
    assert actual.shape == expected.shape, f"{actual.shape} instead of {expected.shape}"
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@pytest.fixture
def same():
    return assert_same
