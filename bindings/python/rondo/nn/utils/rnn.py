"""Sequences of different lengths in one tensor."""

from __future__ import annotations

from collections.abc import Sequence

from ..._C import Tensor, ops


def pad_sequence(
    sequences: Sequence[Tensor], batch_first: bool = False, padding_value: float = 0.0
) -> Tensor:
    """Sequences side by side, the shorter ones filled up at the end."""
    longest = max(sequence.size(0) for sequence in sequences)
    padded = []
    for sequence in sequences:
        shape = (longest - sequence.size(0), *sequence.shape[1:])
        padded.append(ops.cat([sequence, sequence.new_full(shape, padding_value)]))
    return ops.stack(padded, 0 if batch_first else 1)


__all__ = ["pad_sequence"]
