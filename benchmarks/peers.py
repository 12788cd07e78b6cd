"""Rows of the table of peers: Rondo, and PyTorch (eager) where it is importable, in one run.

    PYTHONPATH=build/release/python python benchmarks/peers.py [row ...]

Prints the median of each row and the ratio Rondo / PyTorch. Peers that are missing are named, not measured.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import rondo

try:
    import torch
except ImportError as error:
    torch = None
    print(f"PyTorch is not measured: {error}")

THREADS = 2


def median(run: Callable[[int], None], count: int, rounds: int = 9) -> float:
    """Seconds for one of `count` repetitions: the median over rounds, after a warm-up."""
    run(count)
    run(count)
    rondo.jit.wait_for_compiles()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        run(count)
        times.append((time.perf_counter() - begin) / count)
    return statistics.median(times)


def elementwise(lib, make):
    a, b = make((4, 4)), make((4, 4))

    def run(n):
        for _ in range(n):
            c = a + b
        return float(c.sum())

    return run, 20000


def tanh_chain(lib, make):
    x, a, b = make((4, 4)), make((4, 4)), make((4, 4))

    def run(n):
        for _ in range(n):
            y = x
            for _ in range(10):
                y = lib.tanh(y * b + a)
        return float(y.sum())

    return run, 1000


def memory_chain(lib, make):
    x, y = make((1 << 22,)), make((1 << 22,))

    def run(n):
        for _ in range(n):
            z = (x * 0.5 + y) * x - y * y + x
            float(z[0])

    return run, 8


def function_chain(lib, make):
    x, y = make((1 << 22,)), make((1 << 22,))

    def run(n):
        for _ in range(n):
            z = lib.tanh(x * 0.5 + y) * lib.erf(x) - lib.exp(-y * y) + x / (1 + y * y)
            float(z[0])

    return run, 4


def softmax(lib, make):
    x = make((4096, 1024))

    def run(n):
        for _ in range(n):
            float(lib.softmax(x, dim=1)[0, 0])

    return run, 10


def layer_norm(lib, make):
    x = make((4096, 1024))
    norm = lib.nn.functional.layer_norm

    def run(n):
        for _ in range(n):
            float(norm(x, (1024,))[0, 0])

    return run, 10


def column_sum(lib, make):
    w = make((4096, 1024))

    def run(n):
        for _ in range(n):
            float((w * w).sum(0)[0])

    return run, 10


def small_network(lib, make, sizes=(16, 32, 32, 1), batch=16):
    layers = []
    for i, o in zip(sizes, sizes[1:]):
        layers += [lib.nn.Linear(i, o), lib.nn.Tanh()]
    model = lib.nn.Sequential(*layers[:-1])
    optimizer = lib.optim.Adam(model.parameters(), lr=1e-3)
    x, y = make((batch, sizes[0])), make((batch, sizes[-1]))

    def run(n):
        for _ in range(n):
            loss = lib.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        float(loss)

    return run, 200


ROWS = {
    "a + b, 4x4": elementwise,
    "ten times tanh(x * b + a), 4x4": tanh_chain,
    "(x * 0.5 + y) * x - y * y + x, 4 Mi": memory_chain,
    "tanh, erf, exp chain, 4 Mi": function_chain,
    "softmax 4096x1024": softmax,
    "layer norm 4096x1024": layer_norm,
    "(w * w).sum(0) 4096x1024": column_sum,
    "MLP 16-32-32-1 tanh, batch 16, Adam: step": small_network,
}


def main() -> None:
    wanted = sys.argv[1:]
    rondo.set_num_threads(THREADS)
    if torch is not None:
        torch.set_num_threads(THREADS)
    print("| row | Rondo, us | PyTorch eager, us | ratio |\n| --- | --- | --- | --- |")
    for name, row in ROWS.items():
        if wanted and not any(w in name for w in wanted):
            continue
        random = np.random.default_rng(0)

        def data(shape):
            return (random.random(shape, dtype=np.float32) - 0.5) * 2

        ours = median(*row(rondo, lambda shape: rondo.tensor(data(shape)))) * 1e6
        theirs = None
        if torch is not None:
            theirs = median(*row(torch, lambda shape: torch.tensor(data(shape).tolist()))) * 1e6
        ratio = "" if theirs is None else f"{ours / theirs:.2f}"
        print(f"| {name} | {ours:.2f} | {'' if theirs is None else f'{theirs:.2f}'} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
