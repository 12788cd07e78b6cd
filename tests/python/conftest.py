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
