"""Data sets, samplers and the loader with and without workers."""

import os
import random
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
import pytest
from whole_errors import raises

import rondo
from rondo.utils import data
from rondo.utils.data import DataLoader


class Squares(data.Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return rondo.tensor(i), i * i


def firsts(loader):
    return [batch[0].tolist() for batch in loader]


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_come_in_order(workers):
    loader = DataLoader(Squares(7), batch_size=3, num_workers=workers)
    assert firsts(loader) == [[0, 1, 2], [3, 4, 5], [6]]
    assert len(loader) == 3
    dropped = DataLoader(Squares(7), batch_size=3, num_workers=workers, drop_last=True)
    assert firsts(dropped) == [[0, 1, 2], [3, 4, 5]] and len(dropped) == 2
    single = DataLoader(Squares(2), batch_size=None, num_workers=workers)
    assert [item[1] for item in single] == [0, 1]


@pytest.mark.parametrize("workers", [0, 2])
def test_shuffling_follows_the_generator(workers):
    def order(seed):
        g = rondo.Generator().manual_seed(seed)
        return firsts(DataLoader(Squares(20), 4, shuffle=True, generator=g, num_workers=workers))

    assert order(1) == order(1) != order(2)
    assert sorted(i for batch in order(1) for i in batch) == list(range(20))
    loader = DataLoader(Squares(20), 20, shuffle=True)
    assert firsts(loader) != firsts(loader)


@pytest.mark.parametrize("workers", [0, 2])
def test_pinned_memory_is_accepted(workers):
    loader = DataLoader(Squares(4), batch_size=2, num_workers=workers, pin_memory=True)
    assert firsts(loader) == [[0, 1], [2, 3]]


class Draws(data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        info = data.get_worker_info()
        return info.id, random.random(), np.random.rand(), rondo.rand(1).item()


def test_workers_have_seeds_that_differ_and_repeat():
    def draws():
        rondo.manual_seed(7)
        return [tuple(map(float, map(sum, batch))) for batch in DataLoader(Draws(), 1, num_workers=2)]

    first = draws()
    assert first == draws()
    assert len({values[1:] for values in first}) == 4
    assert data.get_worker_info() is None


class Faulty(data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        if i == 2:
            raise KeyError("item 2 is broken")
        return i


def test_an_error_in_a_worker_reaches_the_caller_with_its_traceback():
    with pytest.raises(KeyError) as error:
        list(DataLoader(Faulty(), num_workers=2))
    text = str(error.value)
    assert "in worker 0 of a DataLoader" in text and "item 2 is broken" in text
    assert "__getitem__" in text


class Fatal(data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        os._exit(3)


def test_a_worker_that_dies_is_an_error():
    with raises(rondo.Error, "DataLoader: worker 0 ended with exit code 3"):
        list(DataLoader(Fatal(), num_workers=1))


def test_workers_are_gone_after_an_epoch_or_when_the_loop_is_left():
    loader = DataLoader(Squares(100), num_workers=2)
    batches = iter(loader)
    next(batches)
    before = children()
    assert len(before) >= 2
    del batches
    assert not children() & before
    kept = DataLoader(Squares(4), num_workers=1, persistent_workers=True)
    assert firsts(kept) == firsts(kept)
    workers = kept._workers
    assert workers is not None
    workers.stop()


def children():
    import multiprocessing

    return {p.pid for p in multiprocessing.active_children()}


class Stream(data.IterableDataset):
    def __iter__(self):
        info = data.get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(start, 7, step))


@pytest.mark.parametrize("workers", [0, 2])
def test_streams_are_loaded_too(workers):
    batches = [b.tolist() for b in DataLoader(Stream(), 2, num_workers=workers)]
    assert sorted(i for batch in batches for i in batch) == list(range(7))


class Point(NamedTuple):
    x: float
    y: float


def test_collating_goes_into_structures():
    batch = data.default_collate([{"a": 1, "b": (np.zeros(2), "s")}, {"a": 2, "b": (np.ones(2), "t")}])
    assert batch["a"].tolist() == [1, 2]
    assert batch["b"][0].tolist() == [[0, 0], [1, 1]] and batch["b"][1] == ["s", "t"]
    points = data.default_collate([Point(1.0, 2.0), Point(3.0, 4.0)])
    assert isinstance(points, Point) and points.x.dtype == rondo.float64
    with raises(
        rondo.ArgumentError,
        "default_collate: a sample is object; expected tensors, arrays, numbers, str, or tuples, lists "
        "and mappings of them",
    ):
        data.default_collate([object()])
    loader = DataLoader(Squares(4), 2, collate_fn=lambda items: len(items))
    assert list(loader) == [2, 2]


def test_data_sets_are_split_joined_and_selected():
    whole = data.TensorDataset(rondo.arange(10), rondo.arange(10) * 2)
    assert whole[3][1].item() == 6 and len(whole) == 10
    parts = data.random_split(whole, [0.7, 0.3], rondo.Generator().manual_seed(1))
    assert [len(p) for p in parts] == [7, 3]
    assert sorted(p[i][0].item() for p in parts for i in range(len(p))) == list(range(10))
    joined = parts[0] + parts[1]
    assert len(joined) == 10 and joined[-1][0].item() == parts[1][2][0].item()
    assert data.Subset(whole, [5, 6])[1][0].item() == 6
    with raises(rondo.ShapeError, "TensorDataset: lengths [2, 3]; expected one for all"):
        data.TensorDataset(rondo.ones(2), rondo.ones(3))


def test_samplers_draw_what_they_promise():
    assert list(data.SequentialSampler(range(3))) == [0, 1, 2]
    drawn = list(data.RandomSampler(range(5), replacement=True, num_samples=50))
    assert len(drawn) == 50 and set(drawn) <= set(range(5))
    assert sorted(data.SubsetRandomSampler([4, 7])) == [4, 7]
    heavy = list(data.WeightedRandomSampler([0.0, 1.0], 10))
    assert heavy == [1] * 10
    assert data.WeightedRandomSampler([0.1, 0.2], 1).weights.tolist() == [0.1, 0.2]
    batches = data.BatchSampler(data.SequentialSampler(range(5)), 2, True)
    assert list(batches) == [[0, 1], [2, 3]] and len(batches) == 2


def test_workers_need_a_batch_to_work_on():
    with pytest.raises(rondo.ArgumentError) as error:
        data.DataLoader([1, 2, 3], num_workers=1, prefetch_factor=0)
    assert str(error.value) == "DataLoader: prefetch_factor is 0; expected 1 or more"


@pytest.mark.parametrize("workers", [0, 2])
def test_an_epoch_goes_on_in_another_loader(workers):
    rondo.manual_seed(11)
    whole = firsts(DataLoader(Squares(12), 2, shuffle=True, num_workers=workers))
    after = rondo.get_rng_state().tolist()
    rondo.manual_seed(11)
    loader = DataLoader(Squares(12), 2, shuffle=True, num_workers=workers)
    batches = iter(loader)
    begun = [next(batches)[0].tolist() for _ in range(2)]
    state = loader.state_dict()
    rng = rondo.get_rng_state()
    rondo.manual_seed(99)
    other = DataLoader(Squares(12), 2, shuffle=True, num_workers=workers)
    other.load_state_dict(state)
    rondo.set_rng_state(rng)
    assert begun + firsts(other) == whole
    assert rondo.get_rng_state().tolist() == after


PROGRAM = """
import sys, time
from rondo.utils.data import DataLoader, Dataset
class Slow(Dataset):
    def __len__(self): return 1000
    def __getitem__(self, i): time.sleep(0.05); return i
loader = DataLoader(Slow(), num_workers=2)
batches = iter(loader)
next(batches)
import multiprocessing
print(*[p.pid for p in multiprocessing.active_children()], flush=True)
for batch in batches:
    pass
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_its_program(how):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    workers = [int(pid) for pid in process.stdout.readline().split()]
    assert len(workers) == 2
    process.send_signal(how)
    errors = process.communicate(timeout=20)[1]
    if how == signal.SIGINT:
        assert "KeyboardInterrupt" in errors
    deadline = time.monotonic() + 20
    while any(is_alive(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(is_alive(pid) for pid in workers)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
