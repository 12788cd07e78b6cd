"""What the process may take: a limit on the memory of tensors."""

from __future__ import annotations

from . import _C


def set_memory_limit(bytes: int | None) -> int | None:
    """The most that tensors of the process may take, mapped files apart; what needs more is an
    OutOfMemoryError. None, as at first: no limit. Returns what was set before."""
    return _C.set_memory_limit(bytes or 0) or None


def memory_in_use() -> int:
    """The bytes that tensors take now."""
    return _C.memory_in_use()
