"""save, load and trace: state dicts in safetensors files, programs in archives."""

import gc
import io
import json
import os
import tempfile

import numpy as np
import pytest
from whole_errors import raises

import rondo
from rondo import nn, optim


def net():
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


def test_state_dicts_are_safetensors_files(tmp_path):
    path = tmp_path / "net.safetensors"
    model = net()
    rondo.save(model.state_dict(), path)
    loaded = rondo.load(path)
    other = net()
    other.load_state_dict(loaded)
    x = rondo.randn(5, 3)
    assert other(x).tolist() == model(x).tolist()
    header = path.read_bytes()
    size = int.from_bytes(header[:8], "little")
    assert json.loads(header[8 : 8 + size])["0.weight"]["shape"] == [4, 3]


def test_files_of_the_safetensors_library_are_read_and_ours_by_it(tmp_path):
    library = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed")
    path = str(tmp_path / "a.safetensors")
    arrays = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([1, 2], np.int8)}
    library.save_file(arrays, path)
    loaded = rondo.load(path)
    assert {name: t.tolist() for name, t in loaded.items()} == {
        name: a.tolist() for name, a in arrays.items()
    }
    rondo.save(loaded, path)
    assert library.load_file(path)["a"].tolist() == arrays["a"].tolist()


def test_nested_states_come_back_as_they_were(tmp_path):
    w = nn.Parameter(rondo.ones(2, 2))
    optimizer = optim.Adam([w], lr=0.1)
    w.grad = rondo.ones(2, 2)
    optimizer.step()
    state = {
        "optimizer": optimizer.state_dict(),
        "rng": rondo.get_rng_state(),
        "epoch": 3,
        "history": [1.5, None, (True, "text")],
    }
    path = tmp_path / "checkpoint"
    rondo.save(state, path)
    loaded = rondo.load(path)
    assert loaded["epoch"] == 3 and loaded["history"] == [1.5, None, (True, "text")]
    assert loaded["rng"].tolist() == state["rng"].tolist()
    other = optim.Adam([nn.Parameter(rondo.ones(2, 2))], lr=0.1)
    other.load_state_dict(loaded["optimizer"])
    values = next(iter(other.state.values()))
    assert values["step"] == 1 and values["exp_avg"].tolist() == optimizer.state[w]["exp_avg"].tolist()
    assert other.param_groups[0]["betas"] == (0.9, 0.999)


def test_every_dtype_and_shape_is_kept(tmp_path):
    dtypes = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float64"]
    state = {name: rondo.tensor([1, 0, 1]).to(getattr(rondo, name)) for name in dtypes}
    state |= {"empty": rondo.zeros(0, 3), "number": rondo.tensor(2.5), "view": rondo.eye(3)[:, 1]}
    rondo.save(state, tmp_path / "s")
    for weights in ("copy", "map"):
        loaded = rondo.load(tmp_path / "s", weights=weights)
        for name, tensor in state.items():
            assert loaded[name].dtype == tensor.dtype and loaded[name].shape == tensor.shape
            assert loaded[name].tolist() == tensor.tolist()
    with raises(rondo.ArgumentError, "add_: the tensor is read-only; write into a copy made with clone()"):
        loaded["number"].add_(1)


def test_file_objects_work_too():
    buffer = io.BytesIO()
    rondo.save({"a": rondo.ones(2)}, buffer)
    buffer.seek(0)
    assert rondo.load(buffer)["a"].tolist() == [1, 1]


@pytest.mark.parametrize("content", [b"PK garbage", b"no state"])
def test_a_file_object_that_cannot_be_loaded_leaves_no_file(content, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(rondo.FormatError):
        rondo.load(io.BytesIO(content))
    gc.collect()
    assert os.listdir(tmp_path) == []


def test_tensors_of_keys_that_look_alike_stay_apart(tmp_path):
    state = {"a": {"b": rondo.tensor([1.0])}, "a.b": rondo.tensor([2.0])}
    state[0], state["0"] = rondo.tensor([3.0]), rondo.tensor([4.0])
    rondo.save(state, tmp_path / "state")
    loaded = rondo.load(tmp_path / "state")
    assert loaded["a"]["b"].tolist() == [1.0] and loaded["a.b"].tolist() == [2.0]
    assert loaded[0].tolist() == [3.0] and loaded["0"].tolist() == [4.0]


def test_a_structure_that_is_nested_without_end_is_a_format_error(tmp_path):
    path = str(tmp_path / "deep")
    rondo._C.write_state(path, {}, {"rondo.structure": "[" * 200_000})
    with pytest.raises(rondo.FormatError, match="the structure does not fit the tensors"):
        rondo.load(path)


def test_what_cannot_be_saved_or_loaded_is_an_error(tmp_path):
    with raises(
        rondo.ArgumentError,
        "save: the object is a Sequential; save its state_dict(), or what rondo.trace makes of it",
    ):
        rondo.save(net(), tmp_path / "a")
    with raises(
        rondo.ArgumentError,
        "save: 'a.b' is builtin_function_or_method; expected tensors, numbers, str, and lists, "
        "tuples and dicts of them (files hold no code)",
    ):
        rondo.save({"a": {"b": print}}, tmp_path / "a")
    missing = tmp_path / "missing"
    with raises(OSError, f"open: opening failed: '{missing}': No such file or directory"):
        rondo.load(missing)
    noise = tmp_path / "noise"
    noise.write_bytes(b"\x80\x04not a state at all")
    with raises(
        rondo.FormatError,
        f"safetensors '{noise}': the header is too long: 2333181766412403840 bytes; the limit is "
        "100000000",
    ):
        rondo.load(noise)
    assert sorted(os.listdir(tmp_path)) == ["noise"]


def test_a_traced_model_is_a_program_that_needs_no_python(tmp_path):
    model = net()
    x = rondo.randn(4, 3)
    program = rondo.trace(model, x, dynamic={"input": {0: "batch"}})
    assert model.training
    assert program(x).tolist() == model(x).tolist()
    assert program(x[:1]).tolist() == model(x[:1]).tolist()
    assert program.verify() == []
    path = tmp_path / "net.rondo"
    rondo.save(program, path)
    del program
    loaded = rondo.load(path)
    assert loaded(x).tolist() == model(x).tolist()
    assert loaded.signature()["forward"]["inputs"][0]["shape"] == ["batch", 3]
    assert loaded.state_dict()["0.weight"].tolist() == model[0].weight.tolist()
    assert "matmul" in loaded.code() or "linear" in loaded.code()
    assert repr(loaded) == "Program(methods=['forward'])"


def test_ops_on_large_tensors_are_traced_though_they_release_the_gil():
    x = rondo.randn(1 << 16, 3)
    program = rondo.trace(lambda x: (x * 2).sum(0), x)
    assert program(x).tolist() == (x * 2).sum(0).tolist()


def test_wrong_inputs_of_a_program_are_named():
    program = rondo.trace(net(), rondo.randn(4, 3), dynamic={0: {0: "batch"}})
    with raises(
        rondo.Error,
        "forward: input 'input' is invalid: expected [batch, 3] of float32, got [4, 5] of "
        "float32",
    ):
        program(rondo.randn(4, 5))
    with raises(
        rondo.Error,
        "forward: input 'input' is invalid: expected [batch, 3] of float32, got [4, 3] of int64",
    ):
        program(rondo.ones(4, 3, dtype=rondo.int64))


@pytest.mark.parametrize(
    ("dynamic", "text"),
    [
        ({"z": {0: "batch"}}, "trace: dynamic names 'z'; the inputs are input"),
        ({1: {0: "batch"}}, "trace: dynamic names 1; the inputs are input"),
        (
            {"input": ["batch"]},
            "trace: dynamic gives ['batch'] for 'input'; expected names of axes, such as "
            '{0: "batch"}',
        ),
        (
            {"input": {2: "batch"}},
            "trace: dynamic names axis 2 of 'input'; expected -2 to 1 for rank 2",
        ),
    ],
)
def test_wrong_names_of_axes_are_told(dynamic, text):
    with raises(rondo.Error, text):
        rondo.trace(net(), rondo.randn(4, 3), dynamic)


def test_axes_may_be_counted_from_the_end():
    program = rondo.trace(net(), rondo.randn(4, 3), {"input": {-2: "batch"}})
    assert program.signature()["forward"]["inputs"][0]["shape"] == ["batch", 3]


def test_functions_are_traced_too_and_host_reads_are_told():
    program = rondo.jit.trace(lambda a, b: (a + b, a * b), [rondo.ones(2), rondo.ones(2)])
    total, product = program(rondo.tensor([1.0, 2.0]), rondo.tensor([3.0, 4.0]))
    assert total.tolist() == [4, 6] and product.tolist() == [3, 8]

    def reads(x):
        return x * 2 if x.sum().item() > 0 else x

    with raises(
        rondo.Error,
        f"trace: test_files.py:{reads.__code__.co_firstlineno + 1}: the value of a traced tensor of shape [] "
        "is read on the host; what is exported cannot depend on it",
    ):
        rondo.trace(reads, rondo.ones(2))


def test_jit_is_a_decorator_and_a_place():
    @rondo.jit
    def f(x):
        return x + 1

    @rondo.jit()
    def g(x):
        return x + 2

    assert f(rondo.ones(1)).item() == 2 and g(rondo.ones(1)).item() == 3
    assert rondo.jit.save is rondo.save and rondo.jit.load is rondo.load
    model = net()
    assert rondo.compile(model) is model


def test_explain_tells_what_was_captured():
    text = str(rondo.explain())
    assert "calls of ops" in text and "kernels compiled" in text
