"""The exception classes, and the texts that a call with wrong arguments gives."""

import pytest
from whole_errors import raises

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
    (lambda x: x.requires_grad_(on=True),
     "requires_grad_: unexpected keyword 'on'; it takes requires_grad"),
    (lambda x: rondo.tensor("1.5"),
     "tensor: an element is str; expected a number or a list of numbers"),
    (lambda x: rondo.trace(lambda a: 5.0, x),
     "trace: the function gave float; expected a Tensor, or a tuple or list of them"),
    (lambda x: rondo.trace(lambda a: (a, 1), x),
     "trace: a result of the function is int; expected Tensor"),
]


@pytest.mark.parametrize("call, text", CALLS, ids=[text for _, text in CALLS])
def test_wrong_arguments_are_told_with_the_name_and_what_was_expected(call, text):
    with raises(rondo.ArgumentError, text):
        call(rondo.ones(2, 2))


def test_shape_errors_come_at_the_call_with_the_text_of_the_core():
    with raises(
        rondo.ShapeError,
        "matmul: inner sizes differ: a is [2, 3], b is [4, 5]; a.shape[-1] must equal "
        "b.shape[-2]",
    ):
        rondo.ones(2, 3) @ rondo.ones(4, 5)


def test_an_error_about_values_is_not_hidden_by_arguments_that_no_schema_has():
    with pytest.raises(rondo.DtypeError) as error:
        rondo.var(rondo.arange(3), unbiased=True)
    assert str(error.value) == (
        "var: input is int64; expected float16, bfloat16, float32 or float64"
    )


def test_operators_with_foreign_objects_are_pythons_type_errors():
    with pytest.raises(TypeError, match="unsupported operand"):
        rondo.ones(1) + "a"
    with pytest.raises(TypeError, match="can only concatenate list"):
        [] + rondo.ones(1)


def test_integers_beyond_64_bits_are_refused():
    with raises(rondo.ArgumentError, "number: an int does not fit in 64 bits; use a float"):
        rondo.ones(1) + 2**64


# Functions that are made of ops of other names.
MADE = [
    (lambda x: rondo.zeros(-1), "zeros: negative size: [-1]; sizes must be 0 or more"),
    (lambda x: rondo.ones(2, dtype="float32"), "ones: dtype is str; expected dtype"),
    (lambda x: rondo.full_like(x, "a"), "full_like: fill_value is str; expected number"),
    (lambda x: x.fill_("a"), "fill_: src is str; expected Tensor"),
    (
        lambda x: rondo.mm(x, x),
        "mm: inner sizes differ: a is [2, 3], b is [2, 3]; a.shape[-1] must equal b.shape[-2]",
    ),
    (lambda x: x.max(4), "max: axis out of range: 4; expected -2 to 1 for rank 2"),
    (lambda x: rondo.std_mean(x, 4), "std_mean: axis out of range: 4; expected -2 to 1 for rank 2"),
    (lambda x: x.flatten(3), "flatten: axis out of range: 3; expected -2 to 1 for rank 2"),
    (lambda x: x.unflatten(1, (2, 2)), "unflatten: [2, 3] to [2, 2, 2]; the number of elements must stay 6"),
    (lambda x: x.narrow(1, 2, 5), "narrow: 5 elements from 2 on, of 3; they must lie within the axis"),
    (lambda x: x.view(7), "view: [2, 3] to [7]; the number of elements must stay 6"),
    (lambda x: x.view_as(rondo.ones(5)), "view_as: [2, 3] to [5]; the number of elements must stay 6"),
    (lambda x: x[2], "index: index 2 is out of range for axis 0 of shape [2, 3]; expected -2 to 1"),
    (lambda x: x[rondo.tensor([5])], "index: index 5 is out of range for axis 0 of size 2; expected -2 to 1"),
    (lambda x: x["a"], "index: an index is str; expected integers, bool, slices, None or ..."),
    (
        lambda x: x.__setitem__(0, rondo.ones(4)),
        "index: shapes do not broadcast: [3] and [4]; sizes must be equal or 1 at axis 0",
    ),
    (
        lambda x: F.cross_entropy(x, rondo.tensor([0, 5])),
        "cross_entropy: target 5 is out of range for axis 1 of size 3; expected 0 to 2, or -100 to "
        "ignore it",
    ),
    (lambda x: F.nll_loss(x, rondo.ones(2)), "nll_loss: target is float32; expected int32 or int64"),
    (
        lambda x: F.mse_loss(x, rondo.ones(4)),
        "mse_loss: shapes do not broadcast: [2, 3] and [4]; sizes must be equal or 1 at axis 1",
    ),
    (
        lambda x: F.l1_loss(x, rondo.ones(4)),
        "l1_loss: shapes do not broadcast: [2, 3] and [4]; sizes must be equal or 1 at axis 1",
    ),
    (
        lambda x: F.binary_cross_entropy(x, rondo.ones(4)),
        "binary_cross_entropy: shapes do not broadcast: [4] and [2, 3]; sizes must be equal or 1 "
        "at axis 1",
    ),
    (
        lambda x: F.cosine_similarity(x, rondo.ones(4)),
        "cosine_similarity: shapes do not broadcast: [2, 3] and [4]; sizes must be equal or 1 at "
        "axis 1",
    ),
    (lambda x: F.normalize(x, dim=4), "normalize: axis out of range: 4; expected -2 to 1 for rank 2"),
    (lambda x: nn.Linear(4, 2)(x), "linear: input is [2, 3], weight is [2, 4]; expected [..., k] and [n, k]"),
    (
        lambda x: nn.Conv2d(3, 2, 3)(rondo.ones(1, 4, 5, 5)),
        "conv2d: input has 4 channels, weight takes 3 in each of 1 groups; the products must be "
        "equal",
    ),
    (
        lambda x: nn.Conv1d(3, 2, 3)(rondo.ones(1, 4, 5)),
        "conv1d: input has 4 channels, weight takes 3 in each of 1 groups; the products must be "
        "equal",
    ),
    (lambda x: F.max_pool2d(x, 2), "max_pool2d: input is [2, 3]; expected three or four axes"),
    (
        lambda x: F.conv_transpose2d(x, x),
        "conv_transpose2d: input is [2, 3], weight is [2, 3]; expected [n, c, h, w] and [c, out / "
        "groups, kh, kw]",
    ),
    (
        lambda x: nn.MultiheadAttention(4, 2)(x, x, x),
        "MultiheadAttention: query is [2, 3]; expected 2 or 3 axes, the last of size 4",
    ),
    (
        lambda x: F.scaled_dot_product_attention(x, rondo.ones(2, 4), x),
        "scaled_dot_product_attention: query is [2, 3], key is [2, 4], value is [2, 3]; expected "
        "[..., l, e], [..., s, e] and [..., s, v]",
    ),
    (
        lambda x: rondo.einsum("ij,jk->ik", x, rondo.ones(4, 5)),
        "einsum: sizes of j differ in 'ij,jk->ik': 3 and 4; they must be equal or 1",
    ),
    (
        lambda x: rondo.einsum("ii", x),
        "einsum: sizes of i differ in 'ii': 2 and 3; they must be equal or 1",
    ),
    (
        lambda x: rondo.einsum("...j,...->j", x, rondo.ones(5)),
        "einsum: sizes of ... differ in '...j,...->j': 2 and 5; they must be equal or 1",
    ),
    (
        lambda x: F.gaussian_nll_loss(x, x, x, reduction="x"),
        "gaussian_nll_loss: reduction is 'x'; expected none, mean or sum",
    ),
]


@pytest.mark.parametrize("call, text", MADE, ids=[text for _, text in MADE])
def test_an_error_names_the_function_that_was_called(call, text):
    with raises(rondo.Error, text):
        call(rondo.ones(2, 3))


def test_the_name_of_a_dtype_as_text_is_told():
    for thing in (rondo.ones(1), nn.Linear(1, 1)):
        with raises(rondo.ArgumentError, "to: 'float16' is the name of a dtype; pass rondo.float16"):
            thing.to("float16")


def test_a_view_that_strides_do_not_allow_is_an_error_and_reshape_copies():
    x = rondo.tensor([[1, 2, 3], [4, 5, 6]])
    with raises(
        RuntimeError,
        "view: the strides [1, 3] of shape [3, 2] allow no view of shape [6]; use reshape, "
        "which copies",
    ):
        x.t().view(6)
    assert x.t().reshape(6).tolist() == [1, 4, 2, 5, 3, 6]
    x.view(-1)[0] = 9
    assert x[0, 0].item() == 9 and x.t().view(3, 2, 1).shape == (3, 2, 1)
