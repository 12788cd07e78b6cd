"""Forms of functions that change their tensor, and other names of functions, against NumPy."""

import math

import numpy as np
import pytest
from whole_errors import raises

import rondo

X = np.array([[0.3, -0.75, 0.9], [-0.2, 0.6, -1.0]])
POSITIVE = np.abs(X) + 0.1
Y = np.array([[1.5, -0.5, 0.9], [0.25, 2.0, -3.0]])
WHOLE = np.array([[6, -5, 3], [0, 12, -1]])
SHIFT = np.array([[1, 2, 0], [3, 1, 2]])
ERF = np.vectorize(math.erf)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# Name: the tensor, NumPy's function of it and of what follows, and what follows.
FLOATS = {
    "abs_": (X, np.abs),
    "absolute_": (X, np.abs),
    "acos_": (X, np.arccos),
    "arccos_": (X, np.arccos),
    "asin_": (X, np.arcsin),
    "arcsin_": (X, np.arcsin),
    "atan_": (X, np.arctan),
    "arctan_": (X, np.arctan),
    "atan2_": (X, np.arctan2, Y),
    "arctan2_": (X, np.arctan2, Y),
    "add_": (X, np.add, Y),
    "addcdiv_": (X, lambda x, a, b: x + a / b, Y, POSITIVE),
    "addcmul_": (X, lambda x, a, b: x + a * b, Y, POSITIVE),
    "ceil_": (X, np.ceil),
    "clamp_": (X, np.clip, -0.5, 0.5),
    "clip_": (X, np.clip, -0.5, 0.5),
    "copy_": (X, lambda x, y: y, Y),
    "cos_": (X, np.cos),
    "cosh_": (X, np.cosh),
    "div_": (X, np.divide, Y),
    "divide_": (X, np.divide, Y),
    "true_divide_": (X, np.divide, 3.0),
    "elu_": (X, lambda x, a: np.where(x > 0, x, a * np.expm1(np.minimum(x, 0))), 1.5),
    "erf_": (X, ERF),
    "exp_": (X, np.exp),
    "exp2_": (X, np.exp2),
    "expm1_": (X, np.expm1),
    "fix_": (X * 3, np.trunc),
    "floor_": (X, np.floor),
    "floor_divide_": (X * 7.3, np.floor_divide, Y),
    "fmod_": (X * 7.3, np.fmod, Y),
    "gelu_": (X, lambda x: x / 2 * (1 + ERF(x / math.sqrt(2)))),
    "hardtanh_": (X, np.clip, -0.5, 0.25),
    "leaky_relu_": (X, lambda x, slope: np.where(x > 0, x, slope * x), 0.2),
    "lerp_": (X, lambda x, y, w: x + w * (y - x), Y, 0.3),
    "log_": (POSITIVE, np.log),
    "log10_": (POSITIVE, np.log10),
    "log1p_": (POSITIVE, np.log1p),
    "log2_": (POSITIVE, np.log2),
    "logsigmoid_": (X, lambda x: np.log(sigmoid(x))),
    "maximum_": (X, np.maximum, Y),
    "minimum_": (X, np.minimum, Y),
    "mish_": (X, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    "mul_": (X, np.multiply, Y),
    "multiply_": (X, np.multiply, Y),
    "neg_": (X, np.negative),
    "negative_": (X, np.negative),
    "pow_": (POSITIVE, np.power, Y),
    "reciprocal_": (X, np.reciprocal),
    "relu_": (X, lambda x: np.maximum(x, 0)),
    "remainder_": (X * 7.3, np.remainder, Y),
    "round_": (X * 9, np.round),
    "rsqrt_": (POSITIVE, lambda x: 1 / np.sqrt(x)),
    "sgn_": (X, np.sign),
    "sigmoid_": (X, sigmoid),
    "sign_": (X, np.sign),
    "silu_": (X, lambda x: x * sigmoid(x)),
    "sin_": (X, np.sin),
    "sinh_": (X, np.sinh),
    "softplus_": (X, lambda x: np.log1p(np.exp(x))),
    "sqrt_": (POSITIVE, np.sqrt),
    "square_": (X, np.square),
    "sub_": (X, np.subtract, Y),
    "subtract_": (X, np.subtract, Y),
    "tan_": (X, np.tan),
    "tanh_": (X, np.tanh),
    "tril_": (X, np.tril, 1),
    "triu_": (X, np.triu, 1),
    "trunc_": (X * 3, np.trunc),
    "zero_": (X, np.zeros_like),
    "clamp_min_": (X, np.maximum, 0.2),
    "clamp_max_": (X, np.minimum, Y),
}
WHOLES = {
    "bitwise_and_": (WHOLE, np.bitwise_and, SHIFT),
    "bitwise_or_": (WHOLE, np.bitwise_or, SHIFT),
    "bitwise_xor_": (WHOLE, np.bitwise_xor, 5),
    "bitwise_not_": (WHOLE, np.bitwise_not),
    "bitwise_left_shift_": (WHOLE, np.left_shift, SHIFT),
    "bitwise_right_shift_": (WHOLE, np.right_shift, SHIFT),
    "floor_divide_": (WHOLE, np.floor_divide, 4),
    "remainder_": (WHOLE, np.remainder, 4),
    "pow_": (WHOLE, np.power, 2),
    "abs_": (WHOLE, np.abs),
    "sgn_": (WHOLE, np.sign),
}
# Answers of yes and no, which a tensor holds as 1 and 0.
ANSWERS = {
    "eq_": np.equal,
    "ne_": np.not_equal,
    "not_equal_": np.not_equal,
    "lt_": np.less,
    "less_": np.less,
    "le_": np.less_equal,
    "less_equal_": np.less_equal,
    "gt_": np.greater,
    "greater_": np.greater,
    "ge_": np.greater_equal,
    "greater_equal_": np.greater_equal,
    "logical_and_": np.logical_and,
    "logical_or_": np.logical_or,
    "logical_xor_": np.logical_xor,
}


def as_given(value, dtype):
    return rondo.tensor(value, dtype=dtype) if isinstance(value, np.ndarray) else value


def check_in_place(name, array, expected, rest, dtype, same, tolerance):
    method = getattr(rondo.Tensor, name)
    given = [as_given(value, dtype) for value in rest]
    x = rondo.tensor(array, dtype=dtype)
    version = x._version
    assert method(x, *given) is x and x.dtype == dtype and x._version > version
    same(x, expected, tolerance)
    wide = rondo.zeros(3, 4, dtype=dtype)
    part = wide[1:, 1:]
    part.copy_(rondo.tensor(array))
    method(part, *given)
    same(wide[1:, 1:], expected, tolerance)
    assert not wide[0].any() and not wide[:, 0].any()
    if hasattr(rondo, name):
        assert getattr(rondo, name)(part.copy_(rondo.tensor(array)), *given) is part
        same(wide[1:, 1:], expected, tolerance)


@pytest.mark.parametrize("dtype", [rondo.float32, rondo.float64], ids=str)
@pytest.mark.parametrize("name", FLOATS)
def test_a_function_in_place_writes_numpys_values_into_the_tensor(name, dtype, same):
    array, function, *rest = FLOATS[name]
    check_in_place(name, array, function(array, *rest), rest, dtype, same, 1e-5)


@pytest.mark.parametrize("name", WHOLES)
def test_integers_in_place_stay_integers(name, same):
    array, function, *rest = WHOLES[name]
    for dtype in (rondo.int64, rondo.int16):
        check_in_place(name, array, function(array, *rest), rest, dtype, same, 0)


@pytest.mark.parametrize("name", ANSWERS)
def test_comparisons_in_place_keep_the_dtype(name, same):
    for array, other in ((X, Y), (WHOLE, SHIFT), (X, np.where(Y == 0.9, Y, 0.0))):
        dtype = rondo.float32 if array is X else rondo.int32
        check_in_place(name, array, ANSWERS[name](array, other).astype(float), [other], dtype, same, 0)


def test_questions_about_elements_in_place_keep_the_dtype():
    special = [1.0, math.nan, math.inf, 0.0]
    assert rondo.tensor(special).isnan_().tolist() == [0.0, 1.0, 0.0, 0.0]
    assert rondo.tensor(special).isinf_().tolist() == [0.0, 0.0, 1.0, 0.0]
    assert rondo.tensor(special).isfinite_().tolist() == [1.0, 0.0, 0.0, 1.0]
    assert rondo.tensor(special).logical_not_().tolist() == [0.0, 0.0, 0.0, 1.0]
    assert rondo.tensor(special).nan_to_num_(5.0, 6.0).tolist() == [1.0, 5.0, 6.0, 0.0]
    assert rondo.tensor([True, False]).logical_not_().tolist() == [False, True]


def test_places_in_place(same):
    index = np.array([[0, 2, 1], [1, 1, 0]])
    x, y, places = rondo.tensor(X), rondo.tensor(Y), rondo.tensor(index)
    expected = X.copy()
    expected[0, index[0]] = Y[0]
    assert x.scatter_(1, places[:1], y[:1]) is x
    same(x, expected)
    sums = X.copy()
    np.add.at(sums, (np.arange(2)[:, None], index), Y)
    x = rondo.tensor(X)
    assert x.scatter_add_(1, places, y) is x
    same(x, sums, 1e-12)
    sums = X.copy()
    np.add.at(sums, [1, 1], Y)
    x = rondo.tensor(X)
    assert x.index_add_(0, rondo.tensor([1, 1]), y) is x
    same(x, sums, 1e-12)
    x = rondo.tensor(X)
    assert x.index_put_((rondo.tensor([0, 1]), rondo.tensor([2, 2])), rondo.tensor([7.0, 8.0])) is x
    same(x[:, 2], [7.0, 8.0])
    x.index_put_((rondo.tensor([0, 0]), rondo.tensor([2, 2])), rondo.tensor([1.0, 1.0]), accumulate=True)
    same(x[:, 2], [9.0, 8.0])
    x = rondo.tensor(X)
    assert x.masked_fill_(x > 0, -9.0) is x
    same(x, np.where(X > 0, -9.0, X))


@pytest.mark.parametrize("name", ["exp_", "tanh_", "sigmoid_", "mul_", "subtract_", "true_divide_", "negative_"])
def test_the_gradient_in_place_is_that_of_the_function(name, same):
    array, _, *rest = FLOATS[name]
    given = [as_given(value, rondo.float64) for value in rest]
    found = []
    for suffix in ("", "_"):
        x = rondo.tensor(array * 0.9, requires_grad=True)
        y = getattr(x * 1.1, name[:-1] + suffix)(*given)
        (y * y).sum().backward()
        found.append(x.grad)
    same(found[1], found[0].numpy(), 1e-12)


@pytest.mark.parametrize(
    "name, rest", [("sin", ()), ("arcsin", ()), ("clamp_min", (0.1,)), ("square", ()), ("clamp", (-0.2, 0.2))]
)
def test_a_gradient_that_needs_what_was_overwritten_has_a_copy_of_it(name, rest):
    firsts, seconds = [], []
    for suffix in ("", "_"):
        x = rondo.tensor(X, requires_grad=True)
        y = getattr(x * 0.9, name + suffix)(*rest)
        (first,) = rondo.autograd.grad((y * y).sum(), x, create_graph=True)
        (second,) = rondo.autograd.grad((first * first).sum(), x)
        firsts.append(first.tolist())
        seconds.append(second.tolist())
    assert firsts[1] == firsts[0]
    assert seconds[1] == seconds[0]


def test_a_product_with_itself_in_place_has_the_gradient_of_a_square():
    x = rondo.tensor(X, requires_grad=True)
    y = x * 1
    y.mul_(y)
    y.sum().backward()
    assert x.grad.tolist() == (2 * rondo.tensor(X)).tolist()


def test_a_view_written_in_place_keeps_what_its_gradient_needs():
    found = []
    for in_place in (False, True):
        x = rondo.tensor(X, requires_grad=True)
        y = x * 0.9
        if in_place:
            y[0].sin_()
        else:
            y = rondo.cat([rondo.sin(y[:1]), y[1:]])
        (y * y).sum().backward()
        found.append(x.grad.tolist())
    assert found[1] == found[0]


def test_what_does_not_fit_in_place_is_told():
    calls = {
        "asin_: the result is float32, the tensor is int64; it cannot hold a fraction":
            lambda: rondo.tensor([1]).arcsin_(),
        "div_: the result is float32, the tensor is int64; it cannot hold a fraction":
            lambda: rondo.tensor([1]).true_divide_(2),
    }  # fmt: skip
    for text, call in calls.items():
        with raises(rondo.DtypeError, text):
            call()
    with raises(rondo.ShapeError, "mul_: the result does not fit in place: [2, 3] into [3]; shapes must be equal"):
        rondo.ones(3).multiply_(rondo.ones(2, 3))
    with raises(
        rondo.Error,
        "neg_: a leaf that requires gradients is written in place; use no_grad or a copy made with clone()",
    ):
        rondo.ones(3, requires_grad=True).negative_()


# Other names: NumPy's function and what follows the tensor.
ALIASES = {
    "absolute": (np.abs,),
    "arccos": (np.arccos,),
    "arcsin": (np.arcsin,),
    "arctan": (np.arctan,),
    "arctan2": (np.arctan2, Y),
    "clip": (np.clip, -0.5, 0.5),
    "divide": (np.divide, Y),
    "fix": (np.fix,),
    "greater": (np.greater, Y),
    "greater_equal": (np.greater_equal, Y),
    "less": (np.less, Y),
    "less_equal": (np.less_equal, Y),
    "multiply": (np.multiply, Y),
    "negative": (np.negative,),
    "not_equal": (np.not_equal, Y),
    "sgn": (np.sign,),
    "subtract": (np.subtract, Y),
    "swapaxes": (np.swapaxes, 0, 1),
    "swapdims": (np.swapaxes, 0, -1),
    "moveaxis": (np.moveaxis, 0, 1),
    "true_divide": (np.divide, Y),
}


@pytest.mark.parametrize("name", ALIASES)
def test_other_names_are_numpys_functions(name, same):
    function, *rest = ALIASES[name]
    given = [as_given(value, rondo.float64) for value in rest]
    expected = np.asarray(function(X, *rest))
    for call in (getattr(rondo, name), getattr(rondo.Tensor, name)):
        same(call(rondo.tensor(X), *given), expected, 1e-12)
    single = [as_given(value, rondo.float32) for value in rest]
    same(getattr(rondo.tensor(X, dtype=rondo.float32), name)(*single), expected, 1e-5)


def test_concat_is_cat_and_aliases_of_special_values(same):
    x = rondo.tensor(X)
    same(rondo.concat([x, x[:1]], dim=0), np.concatenate([X, X[:1]]))
    assert rondo.arcsin(rondo.tensor([2.0])).isnan().all() and rondo.arccos(rondo.tensor(1.0)).item() == 0
    assert rondo.arcsin(rondo.tensor([1])).dtype == rondo.float32
    same(rondo.arctan2(rondo.tensor([0.0, -0.0, 1.0]), rondo.tensor([-1.0, -1.0, 0.0])),
         [np.pi, -np.pi, np.pi / 2])  # fmt: skip
    same(rondo.fix(rondo.tensor([-1.7, 1.7, math.inf])), [-1.0, 1.0, math.inf])
    assert rondo.sgn(rondo.ones(0)).shape == (0,) and rondo.arctan(rondo.ones(0, 2)).shape == (0, 2)
