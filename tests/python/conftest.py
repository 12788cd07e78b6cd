"""What the Python tests share."""

import signal
from pathlib import Path

import numpy as np
import pytest
from example_models import TRAIN, example

import rondo
from rondo import _C

# Ways of running; "off" is without the tracer, jit/params.h explains the others.
MODES = ["off", "interpreted", "compiled", "switching", "background"]

# A shell starts background jobs with Ctrl-C ignored, which programs inherit: those that tests start must not.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def seeds():
    rondo.manual_seed(0)
    np.random.seed(0)


@pytest.fixture(params=MODES)
def mode(request):
    """The test runs in every way."""
    traced = _C.set_tracing(request.param != "off")
    before = _C.set_jit_mode("background" if request.param == "off" else request.param)
    yield request.param
    _C.set_jit_mode(before)
    _C.set_tracing(traced)


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


@pytest.fixture(scope="session")
def c_library():
    """The path of the librondo that was built together with the module."""
    path = Path(rondo.__file__).parents[2] / "lib" / "librondo.so"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    return path


def assert_same(tensor, expected, tolerance=1e-6):
    """Shape and values of a tensor against an array or nested lists."""
    expected = np.asarray(expected)
    actual = np.asarray(tensor.detach().tolist(), dtype=expected.dtype).reshape(tensor.shape)
    assert actual.shape == expected.shape, f"{actual.shape} instead of {expected.shape}"
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@pytest.fixture
def same():
    return assert_same


def differences(reference, arrays, which, weights):
    """Central differences of the weighted sum of `reference` with respect to one of its arrays."""
    found, step = np.zeros(arrays[which].shape), 1e-6
    for place in np.ndindex(*found.shape):
        ends = []
        for sign in (1, -1):
            moved = [array.copy() for array in arrays]
            moved[which][place] += sign * step
            ends.append((np.asarray(reference(*moved)) * weights).sum())
        found[place] = (ends[0] - ends[1]) / (2 * step)
    return found


def assert_agrees(function, reference, *arrays):
    """Values in float64 and float32, and gradients, of a function against its reference in NumPy."""
    arrays = [np.asarray(array, dtype=np.float64) for array in arrays]
    expected = np.asarray(reference(*arrays))
    single = function(*(rondo.tensor(array, dtype=rondo.float32) for array in arrays))
    assert single.dtype == rondo.float32
    assert_same(single, expected, 2e-5)
    inputs = [rondo.tensor(array, requires_grad=True) for array in arrays]
    result = function(*inputs)
    assert result.dtype == rondo.float64
    assert_same(result, expected, 1e-12)
    weights = np.linspace(0.5, 2.0, expected.size).reshape(expected.shape)
    (result * rondo.tensor(weights)).sum().backward()
    for which, tensor in enumerate(inputs):
        assert_same(tensor.grad, differences(reference, arrays, which, weights), 1e-6)


@pytest.fixture
def agrees():
    return assert_agrees
