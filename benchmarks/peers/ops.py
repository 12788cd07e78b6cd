"""Rows of single ops and chains of elementwise ops, for Rondo and PyTorch."""

from __future__ import annotations

import random

from .libraries import Library, Work

MANY = 100  # small ops of one step


def add(t: Library) -> Work:
    """Each sum takes the last one, so that none can be left out."""
    a, b = t.tensor(4, 4), t.tensor(4, 4)
    last = [a]

    def step():
        c = last[0]
        for _ in range(MANY):
            c = c + b
        last[0] = c

    return Work(step, lambda: float(last[0][0, 0]), MANY)


def add_with_gradient(t: Library) -> Work:
    a, b = t.tensor(4, 4), t.tensor(4, 4)
    a.requires_grad_()
    last = []

    def step():
        for _ in range(MANY):
            c = a + b
        last[:] = [c]

    return Work(step, lambda: last[0].sum().item(), MANY)


def add_drawn(t: Library) -> Work:
    """Ops and operands in an order that does not repeat: what an op costs before anything is captured."""
    operands = [t.tensor(4, 4) for _ in range(16)]
    ops = [t.lib.add, t.lib.sub, t.lib.mul, t.lib.maximum, t.lib.minimum]
    drawn = random.Random(0)
    order = [(drawn.choice(ops), drawn.choice(operands)) for _ in range(100_003)]
    place, last = [0], [operands[0]]

    def step():
        c, at = last[0], place[0]
        for op, operand in order[at : at + MANY]:
            c = op(c, operand)
        place[0] = (at + MANY) % (len(order) - MANY)
        last[0] = c

    return Work(step, lambda: float(last[0][0, 0]), MANY)


def product(t: Library) -> Work:
    a, b = t.tensor(4, 4), t.tensor(4, 4) * 0.25
    last = [a]

    def step():
        c = last[0]
        for _ in range(MANY):
            c = c @ b
        last[0] = c

    def sync():
        value = float(last[0][0, 0])
        last[0] = a
        return value

    return Work(step, sync, MANY)


def tanh_chain(t: Library) -> Work:
    x, a, b = t.tensor(4, 4), t.tensor(4, 4), t.tensor(4, 4)
    tanh = t.lib.tanh

    @t.compile
    def ten(y):
        for _ in range(10):
            y = tanh(y * b + a)
        return y

    last = [x]

    def step():
        last[0] = ten(last[0])

    return Work(step, lambda: float(last[0][0, 0]))


def copy(t: Library) -> Work:
    x = t.tensor(1 << 22)
    last = []

    def step():
        y = x.clone()
        float(y[0])
        last[:] = [y]

    return Work(step, lambda: float(last[0][1]))


def _read(t: Library, function, *inputs) -> Work:
    """One number of each result is read, so that none can be left out."""
    compiled = t.compile(function)
    last = [0.0]

    def step():
        y = compiled(*inputs)
        last[0] = float(y.reshape(-1)[0])

    return Work(step, lambda: last[0])


def memory_chain(t: Library) -> Work:
    return _read(t, lambda x, y: (x * 0.5 + y) * x - y * y + x, t.tensor(1 << 22), t.tensor(1 << 22))


def function_chain(t: Library) -> Work:
    lib = t.lib

    def chain(x, y):
        return lib.tanh(x * 0.5 + y) * lib.erf(x) - lib.exp(-y * y) + x / (1 + y * y)

    return _read(t, chain, t.tensor(1 << 22), t.tensor(1 << 22))


def softmax(t: Library) -> Work:
    return _read(t, lambda x: t.lib.softmax(x, dim=1), t.tensor(4096, 1024))


def layer_norm(t: Library) -> Work:
    norm = t.lib.nn.functional.layer_norm
    return _read(t, lambda x: norm(x, (1024,)), t.tensor(4096, 1024))


def column_sum(t: Library) -> Work:
    return _read(t, lambda w: (w * w).sum(0), t.tensor(4096, 1024))
