"""Triton's own client against `rondo serve`: metadata, requests in JSON and binary, errors.

The client is no requirement: tritonclient[http] in this environment, or in that of the interpreter which
RONDO_TRITON_PYTHON names, runs the tests.
"""

import importlib.util
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

import numpy as np
import pytest
from example_models import example

import rondo
from rondo import nn

CLIENT = """
import json, sys
import numpy as np
import tritonclient.http as triton
from tritonclient.utils import InferenceServerException

client = triton.InferenceServerClient(sys.argv[1])
x = np.load(sys.argv[2])

def infer(binary_input, binary_output, data=x, name="x", model="model", **options):
    given = triton.InferInput(name, data.shape, "FP32")
    given.set_data_from_numpy(data, binary_data=binary_input)
    wanted = triton.InferRequestedOutput("y", binary_data=binary_output)
    return client.infer(model, [given], outputs=[wanted], **options)

def error(call):
    try:
        call()
    except InferenceServerException as caught:
        return [caught.status(), caught.message()]

report = {
    "live": client.is_server_live(),
    "ready": client.is_server_ready(),
    "model_ready": client.is_model_ready("model"),
    "other_ready": client.is_model_ready("other"),
    "server": client.get_server_metadata(),
    "model": client.get_model_metadata("model"),
    "results": {},
}
for binary_input in (False, True):
    for binary_output in (False, True):
        result = infer(binary_input, binary_output, request_id="r7")
        assert result.get_response()["id"] == "r7"
        report["results"][f"{binary_input}{binary_output}"] = result.as_numpy("y").tobytes().hex()
both = triton.InferInput("x", x.shape, "FP32")
both.set_data_from_numpy(x)
report["default"] = client.infer("model", [both]).as_numpy("y").tobytes().hex()
waiting = [client.async_infer("model", [both]) for _ in range(4)]
report["async"] = [r.get_result().as_numpy("y").tobytes().hex() for r in waiting]
report["errors"] = {
    "shape": error(lambda: infer(True, True, x[:, :2])),
    "name": error(lambda: infer(True, True, name="z")),
    "model": error(lambda: infer(True, True, model="other")),
}
print(json.dumps(report))
"""


def client_python():
    if importlib.util.find_spec("tritonclient") is not None:
        return sys.executable
    return os.environ.get("RONDO_TRITON_PYTHON")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    python = client_python()
    if python is None:
        pytest.skip("tritonclient[http] is not installed, and RONDO_TRITON_PYTHON names no interpreter with it")
    command = example("digits").find_command()
    if command is None:
        pytest.skip("the command `rondo` was not built")
    folder = tmp_path_factory.mktemp("triton")
    rondo.manual_seed(3)
    x = rondo.randn(5, 3)
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
    program = rondo.trace(
        model, x[:2], {"x": {0: "batch"}}, input_names=["x"], output_names=["y"]
    )
    program.save(folder / "model.rondo")
    np.save(folder / "x.npy", x.numpy())
    server = subprocess.Popen(
        [command, "serve", str(folder / "model.rondo"), "--port", "0", "--warm", "1"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        port = server.stdout.readline().rsplit(":", 1)[1].strip()
        wait_until_ready(port)
        output = subprocess.run(
            [python, "-c", CLIENT, f"127.0.0.1:{port}", str(folder / "x.npy")],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert output.returncode == 0, output.stderr
        result = json.loads(output.stdout)
        result["expected"] = program(x).numpy().tobytes().hex()
        yield result
    finally:
        server.terminate()
        server.wait(timeout=30)
        server.stdout.close()


def wait_until_ready(port):
    for _ in range(1000):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/v2/health/ready", timeout=10).close()
            return
        except urllib.error.HTTPError:
            time.sleep(0.01)
    raise AssertionError("the server does not get ready")


def test_health_and_metadata_are_what_the_client_expects(report):
    assert report["live"] and report["ready"] and report["model_ready"]
    assert not report["other_ready"]
    assert report["server"]["name"] == "rondo" and report["server"]["extensions"] == ["binary_tensor_data"]
    model = report["model"]
    assert model["name"] == "model" and model["platform"] == "rondo"
    assert model["inputs"] == [{"name": "x", "datatype": "FP32", "shape": [-1, 3]}]
    assert model["outputs"] == [{"name": "y", "datatype": "FP32", "shape": [-1, 2]}]


def test_json_and_binary_requests_give_the_bits_of_python(report):
    assert report["results"] == dict.fromkeys(
        ["FalseFalse", "FalseTrue", "TrueFalse", "TrueTrue"], report["expected"]
    )
    assert report["default"] == report["expected"]
    assert report["async"] == [report["expected"]] * 4


def test_errors_reach_the_client_with_their_status_and_text(report):
    assert report["errors"] == {
        "shape": [
            "400",
            "forward: input 'x' is invalid: expected [batch, 3] of float32, got [5, 2] of float32",
        ],
        "name": ["400", "request: inputs[0].name: there is no 'z'; expected x"],
        "model": ["404", "there is no model 'other'; this server has 'model'"],
    }
