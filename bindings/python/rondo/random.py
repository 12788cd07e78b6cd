"""The process's generator of random numbers."""

from __future__ import annotations

from contextlib import contextmanager
from collections.abc import Iterator

from ._C import Generator, Tensor, default_generator


def manual_seed(seed: int) -> Generator:
    """Starts the stream of random numbers that belongs to `seed`."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Starts a stream that nobody knows; gives its seed."""
    return default_generator.seed()


def initial_seed() -> int:
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Where the stream is: what set_rng_state goes on from."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: object = None, enabled: bool = True) -> Iterator[None]:
    """Puts the stream back to where it was, at the end of the context."""
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]
