"""Data sets: what is indexed or iterated over."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ..._C import ArgumentError, Generator, IndexError, ShapeError, Tensor
from ..._factories import randperm

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Items by number; a subclass defines __getitem__ and __len__."""

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__")

    def __add__(self, other: Dataset[T_co]) -> ConcatDataset[T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """Items one after the other; a subclass defines __iter__."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Rows of tensors of the same length."""

    def __init__(self, *tensors: Tensor) -> None:
        lengths = {tensor.size(0) for tensor in tensors}
        if len(lengths) != 1:
            raise ShapeError(f"TensorDataset: lengths {sorted(lengths)}; expected one for all")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class ConcatDataset(Dataset[T_co]):
    """Several data sets, one behind the other."""

    def __init__(self, datasets: Iterable[Dataset[T_co]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ArgumentError("ConcatDataset: there are no data sets")
        lengths = [len(d) for d in self.datasets]  # type: ignore[arg-type]
        self.cumulative_sizes = list(itertools.accumulate(lengths))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> T_co:
        if not -len(self) <= index < len(self):
            raise IndexError(f"ConcatDataset: index {index} is out of range for {len(self)}")
        index %= len(self)
        part = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[part][index - (self.cumulative_sizes[part - 1] if part else 0)]


class Subset(Dataset[T_co]):
    """Some items of a data set."""

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: int) -> T_co:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[T_co],
    lengths: Sequence[int | float],
    generator: Generator | None = None,
) -> list[Subset[T_co]]:
    """Parts without overlap, drawn at random; fractions that add up to 1 are taken of the whole."""
    total = len(dataset)  # type: ignore[arg-type]
    counts = [int(length) for length in lengths]
    if math.isclose(sum(lengths), 1) and all(0 <= part <= 1 for part in lengths):
        counts = [math.floor(total * part) for part in lengths]
        for i in range(total - sum(counts)):
            counts[i % len(counts)] += 1
    if sum(counts) != total:
        raise ArgumentError(f"random_split: lengths {counts} add up to {sum(counts)}; not {total}")
    order: list[int] = randperm(total, generator=generator).tolist()
    ends = list(itertools.accumulate(counts))
    return [Subset(dataset, order[end - count : end]) for end, count in zip(ends, counts)]
