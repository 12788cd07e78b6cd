"""Archives of the example models: there and back, what unzip says, and calls that do not fit the signature."""

import shutil
import subprocess

import numpy as np
import pytest
from example_models import example

import rondo


def test_a_round_trip_keeps_outputs_and_weights(exported_example, tmp_path):
    path, rows, alone = exported_example
    program = rondo.load(path)
    assert program.verify() == []
    copy = tmp_path / "copy.rondo"
    rondo.save(program, copy)
    assert copy.read_bytes() == path.read_bytes()
    again = rondo.load(copy)
    assert again.signature() == program.signature() and again.code() == program.code()
    assert program(rondo.tensor(rows)).numpy().tobytes() == alone.tobytes()
    assert again(rondo.tensor(rows)).numpy().tobytes() == alone.tobytes()


def test_the_weights_are_those_of_the_model(exported_example, tmp_path):
    path, rows, _ = exported_example
    state = rondo.load(path).state_dict()
    if path.stem == "digits":
        model = example("digits").Net()
    else:
        model = example("characters").Model(state["head.bias"].shape[0])
    model.load_state_dict(state)
    model.eval()
    for name, tensor in model.state_dict().items():
        assert tensor.numpy().tobytes() == state[name].numpy().tobytes(), name
    exported = tmp_path / "again.rondo"
    example(path.stem).export(model, rondo.tensor(rows[:2]), str(exported))
    assert exported.read_bytes() == path.read_bytes()


def test_unzip_finds_no_error(exported_example):
    if shutil.which("unzip") is None:
        pytest.skip("there is no unzip")
    output = subprocess.run(
        ["unzip", "-t", str(exported_example[0])], capture_output=True, text=True, check=True
    ).stdout
    assert "No errors detected in compressed data" in output


def error_of(call):
    with pytest.raises(rondo.Error) as caught:
        call()
    return type(caught.value), str(caught.value)


def test_a_call_that_does_not_fit_names_input_expected_and_got(exported_example):
    path, rows, _ = exported_example
    program = rondo.load(path)
    sizes = ", ".join(map(str, rows.shape[1:]))
    expected = f"forward: input 'x' is invalid: expected [batch, {sizes}] of {rows.dtype}, got "
    assert error_of(lambda: program(rondo.tensor(rows[:3, None]))) == (
        rondo.ShapeError,
        expected + f"[3, 1, {sizes}] of {rows.dtype}",
    )
    assert error_of(lambda: program(rondo.tensor(rows.astype(np.float64)))) == (
        rondo.DtypeError,
        expected + f"[64, {sizes}] of float64",
    )
    x = rondo.tensor(rows)
    assert error_of(lambda: program(x, x)) == (
        rondo.ArgumentError,
        "forward: wrong number of inputs: expected 1 ('x'), got 2",
    )
    assert error_of(lambda: program.run("encode", x)) == (
        rondo.ArgumentError,
        "run: there is no method 'encode'; the archive has forward",
    )
