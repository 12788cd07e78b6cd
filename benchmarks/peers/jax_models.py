"""Rows of whole training steps, for JAX: loss, gradients and optimizer in one jitted function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .libraries import Jax, Work


def _training(t: Jax, params: Any, loss_of: Callable[..., Any], *data: Any, **options) -> Work:
    """`loss_of(params, *data)` gives the loss, or the loss and new running statistics to be merged into params."""
    jax, jnp = t.jax, t.jax.numpy
    decay, rate, beta1, beta2 = options.get("weight_decay", 0.0), 1e-3, 0.9, 0.999
    tree_map = jax.tree_util.tree_map

    def step_of(params, m, v, count, *data):
        loss, grads = jax.value_and_grad(loss_of)(params, *data)
        count = count + 1
        m = tree_map(lambda m, g: beta1 * m + (1 - beta1) * g, m, grads)
        v = tree_map(lambda v, g: beta2 * v + (1 - beta2) * g * g, v, grads)
        rate1, rate2 = 1 - beta1**count, 1 - beta2**count

        def updated(p, m, v):
            return p * (1 - rate * decay) - rate / rate1 * m / (jnp.sqrt(v / rate2) + 1e-8)

        return tree_map(updated, params, m, v), m, v, count, loss

    compiled = jax.jit(step_of, donate_argnums=(0, 1, 2, 3))
    params = tree_map(jnp.asarray, params)
    state = [
        params,
        tree_map(jnp.zeros_like, params),
        tree_map(jnp.zeros_like, params),
        jnp.zeros((), jnp.float32),
    ]
    last: list[Any] = []

    def step():
        *state[:], loss = compiled(*state, *data)
        last[:] = [loss]

    return Work(step, lambda: float(last[0]))


def _weight(t: Jax, *shape: int) -> np.ndarray:
    """As Library.fill."""
    return t.array(*shape) * np.float32(1 / np.sqrt(np.prod(shape[1:])))


def _linear(t: Jax, sizes) -> list[Any]:
    return [(_weight(t, o, i), np.zeros(o, np.float32)) for i, o in zip(sizes, sizes[1:])]


def _mlp(params, x, activation):
    for w, b in params[:-1]:
        x = activation(x @ w.T + b)
    w, b = params[-1]
    return x @ w.T + b


def _labels(t: Jax, classes: int, *shape: int):
    return t.jax.numpy.asarray(t.random.integers(0, classes, shape).astype(np.int32))


def _cross_entropy(t: Jax, scores, labels):
    chances = t.jax.nn.log_softmax(scores)
    return -t.jax.numpy.take_along_axis(chances, labels[:, None], 1).mean()


def small_mlp(t: Jax) -> Work:
    def loss_of(params, x, y):
        return ((_mlp(params, x, t.jax.numpy.tanh) - y) ** 2).mean()

    x, y = t.tensor(16, 16), t.tensor(16, 1)
    return _training(t, _linear(t, (16, 32, 32, 1)), loss_of, x, y)


def mlp(t: Jax) -> Work:
    def loss_of(params, x, y):
        return _cross_entropy(t, _mlp(params, x, t.jax.nn.relu), y)

    x, y = t.tensor(64, 784), _labels(t, 10, 64)
    return _training(t, _linear(t, (784, 512, 256, 10)), loss_of, x, y)


def cnn(t: Jax) -> Work:
    """Without the running mean and variance, which the gradient does not need."""
    lax = t.jax.lax

    def layer(x, w, b, scale, shift):
        x = lax.conv_general_dilated(x, w, (1, 1), "SAME") + b[:, None, None]
        mean = x.mean((0, 2, 3), keepdims=True)
        factor = lax.rsqrt(x.var((0, 2, 3), keepdims=True) + 1e-5) * scale[:, None, None]
        x = t.jax.nn.relu((x - mean) * factor + shift[:, None, None])
        return lax.reduce_window(x, -math.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def loss_of(params, x, y):
        for convolution in params[0]:
            x = layer(x, *convolution)
        return _cross_entropy(t, _mlp(params[1], x.reshape(x.shape[0], -1), None), y)

    x, y = t.tensor(64, 1, 28, 28), _labels(t, 10, 64)
    zeros, ones = (lambda n: np.zeros(n, np.float32)), (lambda n: np.ones(n, np.float32))
    convolutions = [
        (_weight(t, o, i, 3, 3), zeros(o), ones(o), zeros(o)) for i, o in ((1, 16), (16, 32))
    ]
    return _training(t, (convolutions, _linear(t, (32 * 7 * 7, 10))), loss_of, x, y)


def gpt(t: Jax, layers=4, width=128, heads=4, length=64, letters=65) -> Work:
    jax, jnp = t.jax, t.jax.numpy
    mask = np.triu(np.full((length, length), -np.inf, np.float32), 1)

    def norm(x, scale, shift):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale + shift

    def attention(h, qkv):
        batch = h.shape[0]
        parts = (h @ qkv[0].T + qkv[1]).reshape(batch, length, 3, heads, width // heads)
        q, k, v = (parts[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
        scores = q @ k.transpose(0, 1, 3, 2) * (width // heads) ** -0.5 + mask
        mixed = jax.nn.softmax(scores) @ v
        return mixed.transpose(0, 2, 1, 3).reshape(batch, length, width)

    def loss_of(params, x, y):
        h = params["letters"][x] + params["places"]
        for b in params["blocks"]:
            mixed = attention(norm(h, *b["norm1"]), b["qkv"])
            h = h + mixed @ b["project"][0].T + b["project"][1]
            wide = norm(h, *b["norm2"]) @ b["widen"][0].T + b["widen"][1]
            h = h + jax.nn.gelu(wide, approximate=False) @ b["narrow"][0].T + b["narrow"][1]
        scores = norm(h, *params["norm"]) @ params["head"].T
        return _cross_entropy(t, scores.reshape(-1, letters), y)

    def layer(i, o):
        return _weight(t, o, i), np.zeros(o, np.float32)

    def identity():
        return np.ones(width, np.float32), np.zeros(width, np.float32)

    x, y = _labels(t, letters, 12, length), _labels(t, letters, 12 * length)
    params = {"letters": _weight(t, letters, width), "places": _weight(t, length, width)}
    params["blocks"] = [
        {
            "norm1": identity(),
            "qkv": layer(width, 3 * width),
            "project": layer(width, width),
            "norm2": identity(),
            "widen": layer(width, 4 * width),
            "narrow": layer(4 * width, width),
        }
        for _ in range(layers)
    ]
    params |= {"norm": identity(), "head": _weight(t, letters, width)}
    return _training(t, params, loss_of, x, y, weight_decay=0.1)


def _lstm(t: Jax, steps: int, batch: int, inputs: int, width: int) -> Work:
    """The input's part of the gates is one product before the scan."""
    jax, jnp = t.jax, t.jax.numpy

    def loss_of(params, x, y):
        def cell(carry, gates):
            h, c = carry
            i, f, g, o = jnp.split(gates + h @ params["state"].T + params["bias2"], 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        zero = jnp.zeros((batch, width))
        (h, _), _ = jax.lax.scan(cell, (zero, zero), x @ params["input"].T + params["bias1"])
        return ((h @ params["head"].T + params["bias3"] - y) ** 2).mean()

    x, y = t.tensor(steps, batch, inputs), t.tensor(batch, 1)
    params = {
        "input": _weight(t, 4 * width, inputs),
        "bias1": np.zeros(4 * width, np.float32),
        "state": _weight(t, 4 * width, width),
        "bias2": np.zeros(4 * width, np.float32),
        "head": _weight(t, 1, width),
        "bias3": np.zeros(1, np.float32),
    }
    return _training(t, params, loss_of, x, y)


def lstm_by_hand(t: Jax) -> Work:
    return _lstm(t, 25, 32, 64, 64)


def lstm(t: Jax) -> Work:
    return _lstm(t, 50, 32, 128, 128)


def pinn(t: Jax) -> Work:
    jax, jnp = t.jax, t.jax.numpy
    points = np.linspace(-1, 1, 1024, dtype=np.float32)
    ends = np.array([[-1], [1]], dtype=np.float32)
    force = (-math.pi**2 * np.sin(math.pi * points)).astype(np.float32)

    def loss_of(params, x, force, ends):
        def u(point):
            return _mlp(params, point[None], jnp.tanh)[0]

        bend = jax.vmap(jax.grad(jax.grad(u)))(x)
        return ((bend - force) ** 2).mean() + (_mlp(params, ends, jnp.tanh) ** 2).mean()

    return _training(t, _linear(t, (1, 64, 64, 64, 1)), loss_of, points, force, ends)
