"""Gradients from Python: backward, grad, modes, hooks, nodes."""

import inspect
import threading

import numpy as np
import pytest
from whole_errors import raises

import rondo
from rondo import autograd


def test_backward_adds_to_the_gradients_of_leaves(same):
    x = rondo.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x * x).sum().backward()
    same(x.grad, [2, 4, 6])
    (x * 3).sum().backward()
    same(x.grad, [5, 7, 9])
    y = x * 2
    y.backward(rondo.tensor([1.0, 0.0, 2.0]))
    same(x.grad, [7, 7, 13])


def test_grad_gives_gradients_of_any_order(same):
    x = rondo.tensor(0.7, requires_grad=True)
    y = rondo.tanh(x)
    (first,) = autograd.grad(y, x, create_graph=True)
    (second,) = autograd.grad(first, x, create_graph=True)
    (third,) = autograd.grad(second, x)
    t = np.tanh(0.7)
    s = 1 - t * t
    same(first, s, 1e-5)
    same(second, -2 * t * s, 1e-5)
    same(third, -2 * s * s + 4 * t * t * s, 1e-5)
    assert x.grad is None


def test_unused_inputs_are_none_zeros_or_an_error():
    x, z = rondo.ones(2, requires_grad=True), rondo.ones(3, requires_grad=True)
    y = (x * 2).sum()
    with raises(
        rondo.ArgumentError,
        "grad: input 1 is not used by the outputs; pass allow_unused=True to get None",
    ):
        autograd.grad(y, [x, z])
    y = (x * 2).sum()
    assert autograd.grad(y, [x, z], allow_unused=True)[1] is None
    y = (x * 2).sum()
    assert autograd.grad(y, [x, z], materialize_grads=True)[1].tolist() == [0.0, 0.0, 0.0]


def test_inputs_limit_where_gradients_go():
    x, z = rondo.ones(1, requires_grad=True), rondo.ones(1, requires_grad=True)
    (x * z).backward(inputs=[x])
    assert x.grad.tolist() == [1.0] and z.grad is None


def test_modes_are_contexts_decorators_and_functions():
    x = rondo.ones(1, requires_grad=True)

    @rondo.no_grad()
    def quiet():
        return x * 2

    @rondo.no_grad
    def also_quiet():
        return x * 2

    @rondo.enable_grad()
    def loud():
        return x * 2

    @rondo.no_grad()
    def numbers():
        yield rondo.is_grad_enabled()
        yield rondo.is_grad_enabled()

    assert not quiet().requires_grad and not also_quiet().requires_grad
    with rondo.no_grad():
        assert not (x * 2).requires_grad
        assert loud().requires_grad
        with rondo.set_grad_enabled(True):
            assert rondo.is_grad_enabled()
        assert not rondo.is_grad_enabled()
    with rondo.inference_mode():
        assert not rondo.is_grad_enabled()
    generator = numbers()
    assert next(generator) is False and rondo.is_grad_enabled() and next(generator) is False
    rondo.set_grad_enabled(False)
    assert not rondo.is_grad_enabled()
    rondo.set_grad_enabled(True)


def test_the_mode_belongs_to_the_thread():
    seen = []
    with rondo.no_grad():
        thread = threading.Thread(target=lambda: seen.append(rondo.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_hooks_see_and_replace_gradients(same):
    x = rondo.ones(2, requires_grad=True)
    y = x * 3
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    handle = y.register_hook(lambda g: g * 10)
    y.sum().backward()
    same(x.grad, [30, 30])
    assert seen == [[1.0, 1.0]]
    handle.remove()
    x.grad = None
    z = x * 3
    with z.register_hook(lambda g: g * 10):
        pass
    z.sum().backward()
    same(x.grad, [3, 3])


def test_an_exception_in_a_hook_reaches_the_caller():
    x = rondo.ones(1, requires_grad=True)

    def fail(gradient):
        raise KeyError("from the hook")

    x.register_hook(fail)
    with pytest.raises(KeyError, match="from the hook"):
        (x * 2).backward()
    with raises(rondo.ArgumentError, "register_hook: the result of the hook is int; expected Tensor"):
        y = rondo.ones(1, requires_grad=True)
        y.register_hook(lambda g: 3)
        (y * 2).backward()


def test_results_keep_their_gradient_when_asked():
    x = rondo.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward()
    assert y.grad.tolist() == [4.0, 4.0] and y.retains_grad


def test_nodes_tell_what_they_are():
    x = rondo.ones(2, requires_grad=True)
    y = rondo.log_softmax(x * 2, 0)
    assert y.grad_fn.name() == "LogSoftmaxBackward0"
    mul = y.grad_fn.next_functions[0][0]
    assert mul.name() == "MulBackward0"
    leaf = mul.next_functions[0][0]
    assert leaf.name() == "AccumulateGrad" and leaf.variable is x
    assert x.grad_fn is None and x.is_leaf and not y.is_leaf
    assert y.detach().grad_fn is None and y.detach().is_leaf


def test_what_cannot_be_done_is_an_error():
    x = rondo.ones(2, requires_grad=True)
    with raises(rondo.DtypeError, "requires_grad: the tensor is int64; only floating dtypes have gradients"):
        rondo.tensor([1]).requires_grad_()
    with raises(
        rondo.ArgumentError,
        "backward: output 0 does not require gradients; nothing it depends on does",
    ):
        rondo.ones(1).backward()
    with raises(
        rondo.ArgumentError,
        "backward: output 0 has shape [2]; give its gradient, or reduce it to one element",
    ):
        (x * 2).backward()
    y = (x * x).sum()
    y.backward()
    with raises(
        rondo.ArgumentError,
        "backward: the graph of sum has been used and released; pass retain_graph=True to the "
        "first backward to use it again",
    ):
        y.backward()
    with raises(rondo.ShapeError, "grad: the gradient is [3], the tensor [2]; they must be equal"):
        x.grad = rondo.ones(3)


def test_an_in_place_error_names_both_lines():
    x = rondo.ones(2, requires_grad=True)
    y = x * 2
    line = inspect.currentframe().f_lineno
    z = (y * y).sum()
    y += 1
    with pytest.raises(rondo.ArgumentError) as error:
        z.backward()
    assert str(error.value) == (
        "mul: a tensor of shape [2] that its gradient needs was modified in place at "
        f"{__file__}:{line + 2}, after the call at {__file__}:{line + 1} had saved it: it is at "
        "version 1; version 0 is required"
    )


def test_detach_shares_memory_and_detach_in_place_forgets():
    x = rondo.ones(2, requires_grad=True)
    d = (x * 2).detach()
    d[0] = 9
    assert not d.requires_grad and d.tolist() == [9.0, 2.0]
    y = x * 2
    assert y.detach_() is y and not y.requires_grad


def test_the_third_derivative_of_a_tanh_network_is_the_closed_form():
    """f(x) = v . tanh(W x + b): along u, with t = tanh(z), its third derivative is the sum of v (W u)^3 (1 - t^2)
    (6 t^2 - 2), and the gradient of the second derivative by W is known too. Bound: 100 roundings of the largest term."""
    random = np.random.default_rng(3)
    w, b, v, u = (random.standard_normal(s) for s in [(6, 4), (6,), (6,), (4,)])
    points = random.standard_normal((5, 4))
    x = rondo.tensor(points, requires_grad=True)
    weight = rondo.tensor(w, requires_grad=True)
    direction = rondo.tensor(u)
    values = rondo.tanh(x @ weight.T + rondo.tensor(b)) @ rondo.tensor(v)
    assert values.dtype == rondo.float64

    def along(f):
        (grad,) = autograd.grad(f.sum(), x, create_graph=True)
        return grad @ direction

    first = along(values)
    second = along(first)
    third = along(second)
    (second_by_weight,) = autograd.grad(second.sum(), weight)

    t = np.tanh(points @ w.T + b)
    s = 1 - t * t
    p = w @ u  # dz along u
    bound = 100 * np.finfo(np.float64).eps
    for found, terms in [
        (first, v * p * s),
        (second, v * p**2 * -2 * t * s),
        (third, v * p**3 * s * (6 * t * t - 2)),
    ]:
        assert np.abs(terms).max() > 0.1
        error = np.abs(found.detach().numpy() - terms.sum(1)).max()
        assert error <= bound * np.abs(terms).max()
    expected = np.einsum("h,nh,i->hi", 2 * v * p, -2 * t * s, u)
    expected += np.einsum("h,nh,ni->hi", v * p**2, s * (6 * t * t - 2), points)
    error = np.abs(second_by_weight.numpy() - expected).max()
    assert error <= bound * np.abs(expected).max()
