"""autograd.Function: functions whose gradients are written in Python."""

import gc
import weakref

import numpy as np
import pytest
from whole_errors import raises

import rondo
from rondo.autograd import Function, once_differentiable


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * result


class Scale(Function):
    """Several arguments and results, some of which are no tensors."""

    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.factor = factor
        ctx.save_for_backward(x, None, y)
        return x * factor, x * y

    @staticmethod
    def backward(ctx, first, second):
        x, nothing, y = ctx.saved_tensors
        assert nothing is None
        return first * ctx.factor + second * y, None, second * x


def test_a_function_has_the_gradient_that_it_gives(same):
    x = rondo.tensor([0.5, -1.0], requires_grad=True)
    y = Exp.apply(x)
    assert repr(y.grad_fn).startswith("<ExpBackward object") and "grad_fn=<ExpBackward>" in repr(y)
    (y * 3).sum().backward()
    same(x.grad, 3 * np.exp([0.5, -1.0]))


def test_saved_results_are_differentiated_again(same):
    x = rondo.tensor([0.5, -1.0], requires_grad=True)
    (first,) = rondo.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
    (second,) = rondo.autograd.grad(first.sum(), x, create_graph=True)
    (third,) = rondo.autograd.grad(second.sum(), x)
    for gradient in (first, second, third):
        same(gradient, np.exp([0.5, -1.0]))


def test_arguments_and_results_may_be_several(same):
    x = rondo.tensor([1.0, 2.0], requires_grad=True)
    y = rondo.tensor([3.0, 4.0], requires_grad=True)
    first, second = Scale.apply(x, 5, y)
    (first + 2 * second).sum().backward()
    same(x.grad, [5 + 6, 5 + 8])
    same(y.grad, [2, 4])
    x.grad = None
    Scale.apply(x, 5, y)[1].sum().backward()  # the gradient of the other result is zeros
    same(x.grad, [3, 4])


def test_nothing_is_recorded_where_nothing_needs_a_gradient():
    assert Exp.apply(rondo.ones(2)).grad_fn is None
    x = rondo.ones(2, requires_grad=True)
    with rondo.no_grad():
        assert Exp.apply(x).grad_fn is None


def test_setup_context_is_the_other_form(same):
    class Square(Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad * ctx.saved_tensors[0]

    x = rondo.tensor([3.0], requires_grad=True)
    Square.apply(x).backward()
    same(x.grad, [6])


def test_ctx_tells_what_is_needed_and_takes_marks(same):
    class Split(Function):
        @staticmethod
        def forward(ctx, x, y):
            assert ctx.needs_input_grad == (True, False)
            places = x.argmax()
            kept = x.detach() * 1
            ctx.mark_non_differentiable(kept)
            ctx.set_materialize_grads(False)
            return x * y, kept, places

        @staticmethod
        def backward(ctx, grad, of_kept, of_places):
            assert of_kept is None and of_places is None
            return grad, None

    x = rondo.tensor([1.0, 2.0], requires_grad=True)
    product, kept, places = Split.apply(x, rondo.ones(2))
    assert kept.grad_fn is None and places.item() == 1
    product.sum().backward()
    same(x.grad, [1, 1])


def test_an_input_may_be_written_in_place_or_given_back(same):
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 10

    leaf = rondo.tensor([1.0], requires_grad=True)
    middle = leaf * 3
    assert Double.apply(middle) is middle
    assert Same.apply(leaf) is not leaf
    (middle * 5 + Same.apply(leaf)).backward()
    same(middle, [6])
    same(leaf.grad, [30 + 10])


def test_a_saved_tensor_that_was_written_is_an_error():
    class Keep(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    x = rondo.ones(2, requires_grad=True)
    y = x * 1
    z = Keep.apply(y)
    y.mul_(3)
    with pytest.raises(rondo.ArgumentError, match=r"^Keep: a tensor of shape \[2\] .* modified in place"):
        z.sum().backward()
    z = Keep.apply(x).sum()
    z.backward()
    with raises(
        rondo.ArgumentError,
        "backward: the graph of sum has been used and released; pass retain_graph=True to the "
        "first backward to use it again",
    ):
        z.backward()


class Wrong(Function):
    given = None

    @staticmethod
    def forward(ctx, x, number):
        return x * number

    @staticmethod
    def backward(ctx, grad):
        if isinstance(Wrong.given, Exception):
            raise Wrong.given
        return Wrong.given


@pytest.mark.parametrize(
    "given, kind, text",
    [
        (
            1.0,
            ValueError,
            "Wrong: backward gave 1 gradients; expected one for each of 2 arguments of forward, "
            "None where there is none",
        ),
        (("a", None), TypeError, "Wrong: backward gave str for argument 0; expected Tensor or None"),
        (
            (None, rondo.ones(1)),
            ValueError,
            "Wrong: backward gave Tensor for argument 1; expected None, since the argument is no Tensor",
        ),
        (KeyError("mine"), KeyError, "'mine'"),
    ],
)
def test_what_backward_does_wrong_reaches_the_caller(given, kind, text):
    Wrong.given = given
    y = Wrong.apply(rondo.ones(2, requires_grad=True), 3).sum()
    with raises(kind, text):
        y.backward()


def test_once_differentiable_results_have_no_history():
    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            return 3 * grad * ctx.saved_tensors[0] ** 2

    x = rondo.tensor([2.0], requires_grad=True)
    (gradient,) = rondo.autograd.grad(Cube.apply(x), x, create_graph=True)
    assert gradient.item() == 12 and not gradient.requires_grad


def test_saving_a_result_makes_no_cycle():
    x = rondo.ones(2, requires_grad=True)
    y = Exp.apply(x)
    reference = weakref.ref(y)
    gc.disable()
    try:
        del y
        assert reference() is None
    finally:
        gc.enable()


def test_functions_train_inside_of_models_with_the_same_bits_traced_or_not():
    from rondo import nn

    class Clipped(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.clamp(-1, 1)

        @staticmethod
        def backward(ctx, grad):
            return grad * (ctx.saved_tensors[0].abs() <= 1.5)

    def train():
        rondo.manual_seed(3)
        net = nn.Linear(4, 4)
        optimizer = rondo.optim.SGD(net.parameters(), lr=0.1)
        x = rondo.randn(8, 4)
        for _ in range(60):
            optimizer.zero_grad()
            Clipped.apply(net(x)).square().mean().backward()
            optimizer.step()
        return net.weight.tolist()

    traced = train()
    with rondo.jit.tracing(False):
        assert train() == traced


def test_gradcheck_compares_with_differences():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]  # half of what it is

    x = rondo.randn(3, dtype=rondo.float64).requires_grad_()
    assert rondo.autograd.gradcheck(Exp.apply, x)
    assert rondo.autograd.gradcheck(lambda a, b: (a @ b, a.sum()), [x, x.detach().requires_grad_()])
    assert rondo.autograd.gradcheck(Wrong.apply, x, raise_exception=False) is False
    with pytest.raises(rondo.Error, match="gradcheck: result 0 with respect to input 0"):
        rondo.autograd.gradcheck(Wrong.apply, x)
