"""What programs ask about GPUs before they use one."""

from __future__ import annotations


def is_available() -> bool:
    """Whether tensors can live on a GPU: not in this build."""
    return False


def device_count() -> int:
    return 0


def manual_seed(seed: int) -> None:
    """There is no generator on a GPU to seed."""


def manual_seed_all(seed: int) -> None:
    """There is no generator on a GPU to seed."""


def synchronize() -> None:
    """There is no GPU to wait for."""


def empty_cache() -> None:
    """There is no GPU whose memory is cached."""
