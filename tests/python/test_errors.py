"""The exception classes, and the texts that a call with wrong arguments gives."""

import pytest

import rondo
import rondo.nn.functional as F
from rondo import nn

FURTHER_BASES = {
    "ShapeError": ValueError,
    "DtypeError": TypeError,
    "DeviceError": RuntimeError,
    "IndexError": IndexError,
    "ArgumentError": ValueError,
    "OutOfMemoryError": MemoryError,
    "UnsupportedError": NotImplementedError,
    "CancelledError": RuntimeError,
    "IoError": OSError,
    "FormatError": ValueError,
    "CompileError": RuntimeError,
    "InternalError": RuntimeError,
    "DeadlineError": TimeoutError,
}


@pytest.mark.parametrize("name", FURTHER_BASES)
def test_each_kind_is_a_class_that_code_catches_by_pythons_names(name):
    kind = getattr(rondo, name)
    assert issubclass(kind, rondo.Error) and issubclass(kind, RuntimeError)
    assert issubclass(kind, FURTHER_BASES[name])
    assert kind.__module__ == "rondo" and kind.__name__ == name


CALLS = [
    (lambda x: x.add(), "add: other is missing; expected Tensor"),
    (lambda x: x.mul(1, 2), "mul: 3 arguments; at most 2 are taken"),
    (lambda x: x.mul(1, foo=2), "mul: unexpected keyword 'foo'; it takes input, other"),
    (lambda x: rondo.mul(x, x, other=x), "mul: other is given twice; give it once"),
    (lambda x: x.mul("a"), "mul: other is str; expected Tensor"),
    (lambda x: x.permute("a", 0), "permute: 3 arguments; at most 2 are taken"),
    (lambda x: x.permute((0, "a")), "permute: dims is tuple; expected int or ints"),
    (lambda x: x.sum(keepdim=3), "sum: keepdim is int; expected bool"),
    (lambda x: x.sum(dtype="float"), "sum: dtype is str; expected dtype"),
    (lambda x: x.softmax(None), "softmax: dim is None; expected int"),
    (lambda x: rondo.cat(x), "cat: tensors is Tensor; expected list of Tensors"),
    (lambda x: rondo.cat([x, "a"]), "cat: tensors[1] is str; expected Tensor"),
    (lambda x: x.unsqueeze(1.5), "unsqueeze: dim is float; expected int"),
]


@pytest.mark.parametrize("call, text", CALLS, ids=[text for _, text in CALLS])
def test_wrong_arguments_are_told_with_the_name_and_what_was_expected(call, text):
    with pytest.raises(rondo.ArgumentError) as error:
        call(rondo.ones(2, 2))
    assert str(error.value) == text


def test_shape_errors_come_at_the_call_with_the_text_of_the_core():
    with pytest.raises(rondo.ShapeError) as error:
        rondo.ones(2, 3) @ rondo.ones(4, 5)
    assert str(error.value) == (
        "matmul: inner sizes differ: a is [2, 3], b is [4, 5]; a.shape[-1] must equal b.shape[-2]"
    )


def test_operators_with_foreign_objects_are_pythons_type_errors():
    with pytest.raises(TypeError, match="unsupported operand"):
        rondo.ones(1) + "a"
    with pytest.raises(TypeError, match="can only concatenate list"):
        [] + rondo.ones(1)


def test_integers_beyond_64_bits_are_refused():
    with pytest.raises(rondo.ArgumentError, match="does not fit in 64 bits"):
        rondo.ones(1) + 2**64


# Functions that are made of ops of other names.
MADE = {
    "zeros: negative size": lambda x: rondo.zeros(-1),
    "ones: dtype is str": lambda x: rondo.ones(2, dtype="float32"),
    "full_like: fill_value is str": lambda x: rondo.full_like(x, "a"),
    "fill_: src is str": lambda x: x.fill_("a"),
    "mm: inner sizes differ": lambda x: rondo.mm(x, x),
    "max: axis out of range": lambda x: x.max(4),
    "std_mean: axis out of range": lambda x: rondo.std_mean(x, 4),
    "flatten: axis out of range": lambda x: x.flatten(3),
    "unflatten: .2, 3. to .2, 2, 2.": lambda x: x.unflatten(1, (2, 2)),
    "narrow: 5 elements from 2 on, of 3": lambda x: x.narrow(1, 2, 5),
    "view: .2, 3. to .7.": lambda x: x.view(7),
    "view_as: .2, 3. to .5.": lambda x: x.view_as(rondo.ones(5)),
    "index: index 2 is out of range for axis 0": lambda x: x[2],
    "index: index 5 is out of range for axis 0": lambda x: x[rondo.tensor([5])],
    "index: an index is str": lambda x: x["a"],
    "index: shapes do not broadcast": lambda x: x.__setitem__(0, rondo.ones(4)),
    "cross_entropy: target 5 is out of range": lambda x: F.cross_entropy(x, rondo.tensor([0, 5])),
    "nll_loss: target is float32": lambda x: F.nll_loss(x, rondo.ones(2)),
    "mse_loss: shapes do not broadcast": lambda x: F.mse_loss(x, rondo.ones(4)),
    "l1_loss: shapes do not broadcast": lambda x: F.l1_loss(x, rondo.ones(4)),
    "binary_cross_entropy: shapes": lambda x: F.binary_cross_entropy(x, rondo.ones(4)),
    "cosine_similarity: shapes": lambda x: F.cosine_similarity(x, rondo.ones(4)),
    "normalize: axis out of range": lambda x: F.normalize(x, dim=4),
    "linear: input is .2, 3., weight is .2, 4.": lambda x: nn.Linear(4, 2)(x),
    "conv2d: input has 4 channels": lambda x: nn.Conv2d(3, 2, 3)(rondo.ones(1, 4, 5, 5)),
    "conv1d: input has 4 channels": lambda x: nn.Conv1d(3, 2, 3)(rondo.ones(1, 4, 5)),
    "max_pool2d: input is .2, 3.": lambda x: F.max_pool2d(x, 2),
    "conv_transpose2d: input is .2, 3.": lambda x: F.conv_transpose2d(x, x),
    "MultiheadAttention: query is .2, 3.": lambda x: nn.MultiheadAttention(4, 2)(x, x, x),
    "scaled_dot_product_attention: query is .2, 3.": lambda x: F.scaled_dot_product_attention(
        x, rondo.ones(2, 4), x
    ),
}


@pytest.mark.parametrize("text", MADE)
def test_an_error_names_the_function_that_was_called(text):
    with pytest.raises(rondo.Error, match="^" + text):
        MADE[text](rondo.ones(2, 3))


def test_the_name_of_a_dtype_as_text_is_told():
    for thing in (rondo.ones(1), nn.Linear(1, 1)):
        with pytest.raises(rondo.ArgumentError) as error:
            thing.to("float16")
        assert str(error.value) == "to: 'float16' is the name of a dtype; pass rondo.float16"


def test_a_view_that_strides_do_not_allow_is_an_error_and_reshape_copies():
    x = rondo.tensor([[1, 2, 3], [4, 5, 6]])
    with pytest.raises(RuntimeError) as error:
        x.t().view(6)
    assert str(error.value) == (
        "view: the strides [1, 3] of shape [3, 2] allow no view of shape [6]; use reshape, "
        "which copies"
    )
    assert x.t().reshape(6).tolist() == [1, 4, 2, 5, 3, 6]
    x.view(-1)[0] = 9
    assert x[0, 0].item() == 9 and x.t().view(3, 2, 1).shape == (3, 2, 1)
