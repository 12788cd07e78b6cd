"""What rows need of a library: tensors, compiling, waiting, and what it says about itself."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

#: The columns of the table, in order.
TITLES = {
    "rondo": "Rondo",
    "torch": "PyTorch",
    "torch.compile": "torch.compile",
    "jax": "JAX (jit)",
}


@dataclass
class Work:
    """What a row repeats: `step` is done `per` at a time, `sync` waits for the result and gives a number of it."""

    step: Callable[[], Any]
    sync: Callable[[], float]
    per: int = 1


class Library:
    """Rondo or PyTorch: their rows are the same code, with `lib` for the module."""

    def __init__(self, name: str, threads: int) -> None:
        self.name = name
        self.lib = importlib.import_module(name.split(".")[0])
        self.lib.set_num_threads(threads)
        self.version = self.lib.__version__
        self.random = np.random.default_rng(0)

    def array(self, *shape: int) -> np.ndarray:
        """The same numbers in [-1, 1) for every library."""
        return (self.random.random(shape, dtype=np.float32) - 0.5) * 2

    def tensor(self, *shape: int) -> Any:
        return self.lib.tensor(self.array(*shape))

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self.lib.compile(function) if self.name == "torch.compile" else function

    def fill(self, model: Any) -> None:
        """Gives weights the same values in every library; biases become 0, scales of norms stay 1."""
        with self.lib.no_grad():
            for name, parameter in model.named_parameters():
                shape = tuple(parameter.shape)
                if len(shape) > 1:
                    bound = 1 / np.sqrt(np.prod(shape[1:]))
                    parameter.copy_(self.lib.tensor(self.array(*shape) * np.float32(bound)))
                elif "bias" in name:
                    parameter.zero_()

    def settle(self) -> None:
        """Waits for what is compiled in the background."""
        if self.name == "rondo":
            self.lib.jit.wait_for_compiles()

    def facts(self) -> dict[str, float]:
        """Counts so far; the difference over the rounds is reported."""
        if self.name != "rondo":
            return {}
        return {k: v for k, v in self.lib.explain().items() if isinstance(v, (int, float))}


class Jax:
    """JAX: its rows are written for it."""

    def __init__(self, threads: int) -> None:
        del threads  # XLA takes the processors that the process may use
        self.name = "jax"
        self.jax = importlib.import_module("jax")
        self.version = self.jax.__version__
        self.random = np.random.default_rng(0)

    array = Library.array

    def tensor(self, *shape: int) -> Any:
        return self.jax.numpy.asarray(self.array(*shape))

    def settle(self) -> None:
        pass

    def facts(self) -> dict[str, float]:
        return {}


def limit_processors(threads: int) -> None:
    """Leaves this process `threads` processors, for libraries whose pools cannot be limited otherwise."""
    os.environ["OMP_NUM_THREADS"] = str(threads)
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[:threads])


def open_library(name: str, threads: int) -> Library | Jax:
    limit_processors(threads)
    return Jax(threads) if name == "jax" else Library(name, threads)
