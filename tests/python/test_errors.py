"""The exception classes, and the texts that a call with wrong arguments gives."""

import pytest

import rondo

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
