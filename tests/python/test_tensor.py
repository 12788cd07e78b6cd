"""Tensors as Python objects: making them, reading them, their identity and text."""

import copy
import gc
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest
from whole_errors import raises

import rondo


def test_numbers_and_nested_lists_become_tensors_of_the_dtype_that_pytorch_gives():
    assert rondo.tensor(3).dtype == rondo.int64
    assert rondo.tensor(3.0).dtype == rondo.float32
    assert rondo.tensor(True).dtype == rondo.bool
    assert rondo.tensor([1, 2.5]).dtype == rondo.float32
    assert rondo.tensor([True, 2]).dtype == rondo.int64
    assert rondo.tensor([]).dtype == rondo.float32
    assert rondo.tensor([[1, 2], [3, 4]]).shape == (2, 2)
    assert rondo.tensor([[1, 2], [3, 4]], dtype=rondo.float64).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert rondo.tensor(np.float64(2.0)).item() == 2.0
    assert rondo.tensor([rondo.tensor(1), rondo.tensor(2)]).tolist() == [1, 2]


def test_ragged_lists_are_an_error_that_names_the_place():
    with raises(rondo.ShapeError, "tensor: a list of 1 stands where one of 2 is expected, at depth 1"):
        rondo.tensor([[1, 2], [3]])
    with raises(ValueError, "tensor: a number stands where a list of 2 is expected"):
        rondo.tensor([[1, 2], 3])


def test_the_same_tensor_is_the_same_object_while_it_lives():
    x = rondo.ones(3, requires_grad=True)
    (x * 2).sum().backward()
    assert x.grad is x.grad
    assert x.requires_grad_() is x
    assert x.contiguous() is x


def test_tensors_take_attributes_and_weak_references_and_are_collected_in_cycles():
    x = rondo.ones(3)
    x.note = x
    reference = weakref.ref(x)
    del x
    gc.collect()
    assert reference() is None


def test_hooks_that_refer_to_their_tensor_are_collected():
    x = rondo.ones(3, requires_grad=True)
    x.register_hook(lambda g: g * x)
    reference = weakref.ref(x)
    del x
    gc.collect()
    assert reference() is None


def test_shapes_are_tuples_with_a_name():
    x = rondo.zeros(2, 3)
    assert x.shape == (2, 3) and isinstance(x.shape, tuple)
    assert repr(x.shape) == "rondo.Size([2, 3])"
    assert x.shape.numel() == 6 and rondo.Size((2**40, 2**40)).numel() == 2**80
    with pytest.raises(TypeError):
        rondo.Size(("a",)).numel()
    assert x.size() == x.shape and x.size(-1) == 3 and x.stride() == (3, 1) and x.stride(0) == 3
    assert x.dim() == x.ndim == 2 and x.numel() == 6 and len(x) == 2


def test_one_element_converts_to_python_numbers():
    assert float(rondo.tensor([2.5])) == 2.5
    assert int(rondo.tensor(7.9)) == 7
    assert bool(rondo.tensor([0])) is False
    assert [10, 20, 30][rondo.tensor(1)] == 20
    assert rondo.tensor(4).item() == 4
    with raises(
        rondo.ArgumentError,
        "bool: the truth of a tensor of shape [2] is ambiguous; use any() or all()",
    ):
        bool(rondo.ones(2))
    with raises(TypeError, "index: a tensor of dtype float32 is used as an index; expected an integer"):
        [1, 2][rondo.tensor(1.0)]


def test_len_and_iteration_go_over_the_first_axis():
    assert [row.tolist() for row in rondo.tensor([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    with raises(rondo.ArgumentError, "iter: a tensor of rank 0 cannot be iterated over"):
        iter(rondo.tensor(1))
    with raises(TypeError, "len: a tensor of rank 0 has no length"):
        len(rondo.tensor(1))


def test_membership_and_equality_are_elementwise_but_none_is_never_equal():
    x = rondo.tensor([1, 2, 3])
    assert 2 in x and 5 not in x
    assert (x == 2).tolist() == [False, True, False]
    assert (x == None) is False and (x != None) is True  # noqa: E711
    assert len({x, x, rondo.tensor([1, 2, 3])}) == 2


REPRS = [
    (lambda: rondo.tensor([1.0, 2.0, 3.0]), "tensor([1., 2., 3.])"),
    (lambda: rondo.tensor([1.5, -2.25]), "tensor([ 1.5000, -2.2500])"),
    (lambda: rondo.tensor([[1, 20], [300, 4]]), "tensor([[  1,  20],\n        [300,   4]])"),
    (lambda: rondo.tensor([True, False]), "tensor([ True, False])"),
    (lambda: rondo.tensor(2.0), "tensor(2.)"),
    (lambda: rondo.tensor([]), "tensor([])"),
    (lambda: rondo.zeros(0, 3), "tensor([], size=(0, 3))"),
    (lambda: rondo.tensor([1.0, float("nan"), float("inf")]), "tensor([1., nan, inf])"),
    (lambda: rondo.tensor([1e-8, 1.0]), "tensor([1.0000e-08, 1.0000e+00])"),
    (lambda: rondo.tensor([1.0], dtype=rondo.float64), "tensor([1.], dtype=rondo.float64)"),
    (lambda: rondo.arange(1001), "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    (lambda: rondo.ones(1, requires_grad=True), "tensor([1.], requires_grad=True)"),
    (lambda: rondo.ones(1, requires_grad=True) * 2, "tensor([2.], grad_fn=<MulBackward0>)"),
    (lambda: rondo.ones(1, 1, 2), "tensor([[[1., 1.]]])"),
    (
        lambda: rondo.zeros(2, 1, 1),
        "tensor([[[0.]],\n\n        [[0.]]])",
    ),
]


@pytest.mark.parametrize("make, text", REPRS, ids=[text[:30] for _, text in REPRS])
def test_repr_is_pytorchs(make, text):
    assert repr(make()) == text


def test_long_rows_are_broken_at_80_characters():
    text = repr(rondo.arange(40.0))
    assert all(len(line) <= 80 for line in text.split("\n"))
    assert text.split("\n")[1].startswith("        ")


def test_the_middle_of_large_tensors_is_left_out():
    lines = repr(rondo.zeros(100, 100)).split("\n")
    assert len(lines) == 7 and lines[3] == "        ...,"
    assert lines[0] == "tensor([[0., 0., 0.,  ..., 0., 0., 0.],"


def test_numbers_are_formatted_as_numbers():
    assert f"{rondo.tensor(3.14159):.2f}" == "3.14"
    assert f"{rondo.tensor([1.0])}" == "tensor([1.])"


def test_copies_and_pickles_keep_everything():
    x = rondo.tensor([[1.0, 2.0]], requires_grad=True)
    x.grad = rondo.ones(1, 2)
    x.note = "n"
    twin = copy.deepcopy(x)
    assert twin is not x and twin.tolist() == x.tolist() and twin.requires_grad
    assert twin.grad.tolist() == [[1.0, 1.0]] and twin.note == "n"
    loaded = pickle.loads(pickle.dumps(x))
    assert loaded.tolist() == x.tolist() and loaded.requires_grad and loaded.note == "n"
    assert pickle.loads(pickle.dumps([x, x]))[0] is not x
    pair = pickle.loads(pickle.dumps([x, x]))
    assert pair[0] is pair[1]
    for dtype in (rondo.bfloat16, rondo.bool, rondo.int8):
        assert pickle.loads(pickle.dumps(dtype)) is dtype
    with raises(rondo.ArgumentError, "deepcopy: the tensor is a result with history; use clone()"):
        copy.deepcopy(x * 2)


def test_data_can_be_replaced():
    x = rondo.ones(2, requires_grad=True)
    x.data = rondo.zeros(3)
    assert x.shape == (3,) and x.requires_grad and x.tolist() == [0.0, 0.0, 0.0]
    x.data.fill_(5)
    assert x.tolist() == [5.0, 5.0, 5.0]


def test_to_and_its_short_forms_change_the_dtype():
    x = rondo.tensor([1.7, -2.0])
    assert x.to(rondo.int32).tolist() == [1, -2]
    assert x.to("cpu") is x and x.cpu() is x and x.to(rondo.float32) is x
    assert x.long().dtype == rondo.int64 and x.half().dtype == rondo.float16
    assert x.bool().tolist() == [True, True]
    assert x.to(rondo.zeros(1, dtype=rondo.float64)).dtype == rondo.float64
    assert x.type_as(rondo.tensor(1)).dtype == rondo.int64
    assert x.type() == "rondo.float32"


def test_tensors_live_on_the_cpu_and_a_missing_plug_in_is_told():
    assert str(rondo.ones(1).device) == "cpu"
    assert rondo.device("cpu") == rondo.ones(1).device
    assert repr(rondo.device("cuda", 1)) == "device(type='cuda', index=1)"
    assert repr(rondo.device("cuda")) == "device(type='cuda', index=0)"
    with pytest.raises(rondo.DeviceError) as error:
        rondo.device("cuda", 300)
    assert str(error.value) == "device: index 300 of cuda:0; expected 0, or 0 to 127 for cuda"
    for make in (lambda: rondo.ones(1).to("meta"), lambda: rondo.zeros(2, device="meta")):
        with raises(
            rondo.DeviceError, "device: meta is not usable: no plug-in for it is installed"
        ):
            make()


def test_a_missing_name_is_told_with_the_nearest_one():
    with raises(AttributeError, "module 'rondo' has no attribute 'zeross'; did you mean 'zeros'?"):
        rondo.zeross  # noqa: B018
    for module, name, near in [
        (rondo.nn, "Linaer", "Linear"),
        (rondo.nn.functional, "rellu", "relu"),
        (rondo.optim, "Adm", "Adam"),
    ]:
        text = f"module '{module.__name__}' has no attribute '{name}'; did you mean '{near}'?"
        with raises(AttributeError, text):
            getattr(module, name)


@pytest.mark.parametrize(
    "thing, name, near",
    [
        ("rondo.ones(1)", "shapee", "shape"),
        ("rondo.ones(1)", "backwrd", "backward"),
        ("rondo.nn.Linear(1, 1)", "wieght", "weight"),
        ("rondo", "zeross", "zeros"),
    ],
)
def test_what_python_prints_of_a_missing_name_has_the_nearest_one_once(thing, name, near):
    command = [sys.executable, "-c", f"import rondo; {thing}.{name}"]
    printed = subprocess.run(command, capture_output=True, text=True).stderr.splitlines()[-1]
    assert printed.startswith("AttributeError") and f"has no attribute '{name}'" in printed
    assert printed.lower().count("did you mean") == 1 and f"'{near}'" in printed
