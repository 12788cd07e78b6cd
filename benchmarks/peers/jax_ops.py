"""Rows of single ops and chains of elementwise ops, for JAX: each function jitted whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .libraries import Jax, Work

MANY = 100  # small ops of one step


def _repeated(function: Callable[..., Any], start: Any, *rest: Any) -> Work:
    """A jitted call after another, each on the last one's result."""
    last = [start]

    def step():
        c = last[0]
        for _ in range(MANY):
            c = function(c, *rest)
        last[0] = c

    def sync():
        value = float(last[0][0, 0])
        last[0] = start
        return value

    return Work(step, sync, MANY)


def add(t: Jax) -> Work:
    return _repeated(t.jax.jit(lambda a, b: a + b), t.tensor(4, 4), t.tensor(4, 4))


def product(t: Jax) -> Work:
    return _repeated(t.jax.jit(lambda a, b: a @ b), t.tensor(4, 4), t.tensor(4, 4) * 0.25)


def tanh_chain(t: Jax) -> Work:
    x, a, b = t.tensor(4, 4), t.tensor(4, 4), t.tensor(4, 4)

    @t.jax.jit
    def ten(y, a, b):
        for _ in range(10):
            y = t.jax.numpy.tanh(y * b + a)
        return y

    last = [x]

    def step():
        last[0] = ten(last[0], a, b)

    return Work(step, lambda: float(last[0][0, 0]))


def _whole(t: Jax, function: Callable[..., Any], *inputs: Any) -> Work:
    compiled = t.jax.jit(function)
    last: list[Any] = []

    def step():
        y = compiled(*inputs)
        y.block_until_ready()
        last[:] = [y]

    return Work(step, lambda: float(last[0].reshape(-1)[0]))


def copy(t: Jax) -> Work:
    return _whole(t, t.jax.numpy.copy, t.tensor(1 << 22))


def memory_chain(t: Jax) -> Work:
    def chain(x, y):
        return (x * 0.5 + y) * x - y * y + x

    return _whole(t, chain, t.tensor(1 << 22), t.tensor(1 << 22))


def function_chain(t: Jax) -> Work:
    jnp, erf = t.jax.numpy, t.jax.scipy.special.erf

    def chain(x, y):
        return jnp.tanh(x * 0.5 + y) * erf(x) - jnp.exp(-y * y) + x / (1 + y * y)

    return _whole(t, chain, t.tensor(1 << 22), t.tensor(1 << 22))


def softmax(t: Jax) -> Work:
    return _whole(t, lambda x: t.jax.nn.softmax(x, axis=1), t.tensor(4096, 1024))


def layer_norm(t: Jax) -> Work:
    def norm(x):
        mean = x.mean(1, keepdims=True)
        return (x - mean) * t.jax.lax.rsqrt(x.var(1, keepdims=True) + 1e-5)

    return _whole(t, norm, t.tensor(4096, 1024))


def column_sum(t: Jax) -> Work:
    return _whole(t, lambda w: (w * w).sum(0), t.tensor(4096, 1024))
