"""DataLoader: batches of a data set, loaded here or by worker processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from ... import random as rondo_random
from ..._C import ArgumentError, Error, Generator, default_generator, int64, tensor
from ..._factories import randint
from .collate import default_collate, default_convert
from .dataset import Dataset, IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler
from .worker import Job, WorkerFailure, run_worker

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T_co = TypeVar("T_co", covariant=True)


class DataLoader(Generic[T_co]):
    """Iterates over batches of `dataset`."""

    def __init__(
        self,
        dataset: Dataset[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
    ) -> None:
        if num_workers < 0:
            raise ArgumentError(f"DataLoader: num_workers is {num_workers}; expected 0 or more")
        if prefetch_factor is not None and prefetch_factor < 1:
            raise ArgumentError(
                f"DataLoader: prefetch_factor is {prefetch_factor}; expected 1 or more"
            )
        if sampler is not None and shuffle:
            raise ArgumentError("DataLoader: give sampler or shuffle, not both")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler or drop_last):
            raise ArgumentError("DataLoader: batch_sampler excludes batch_size, shuffle, sampler "
                                "and drop_last")
        self.dataset = dataset
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.generator = generator
        self.prefetch_factor = 2 if prefetch_factor is None else prefetch_factor
        self.persistent_workers = persistent_workers
        self.drop_last = drop_last
        self.batch_size = None if batch_sampler is not None else batch_size
        self._iterable = isinstance(dataset, IterableDataset)
        if not self._iterable and sampler is None:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else (  # type: ignore[arg-type]
                SequentialSampler(dataset))  # type: ignore[arg-type]
        self.sampler = sampler
        if batch_sampler is None and batch_size is not None and not self._iterable:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)  # type: ignore[arg-type]
        self.batch_sampler = batch_sampler
        batched = self.batch_sampler is not None or (self._iterable and batch_size is not None)
        self.collate_fn = collate_fn or (default_collate if batched else default_convert)
        self._fetch = _Fetch(batched, self.collate_fn, self._iterable)
        self._position: dict[str, Any] = {"start": None, "batches": 0}
        self._resume: dict[str, Any] | None = None
        self._workers: _Workers | None = None

    def __len__(self) -> int:
        indices = self.sampler if self.batch_sampler is None else self.batch_sampler
        if indices is None:
            count = len(self.dataset)  # type: ignore[arg-type]
            size = self.batch_size or 1
            return count // size if self.drop_last else -(-count // size)
        return len(indices)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Any]:
        resume, self._resume = self._resume, None
        if resume is not None and resume["start"] is None:  # saved between epochs
            resume = None
        source = self.generator or default_generator
        after = rondo_random.get_rng_state()
        if resume is not None:
            source.set_state(tensor(resume["start"], int64))
        start = source.get_state().tolist()
        seed = int(randint(0, 2**62, (1,), generator=self.generator).item())
        tasks = self._tasks()
        done = resume["batches"] if resume is not None else 0
        for _ in range(done):
            next(tasks, None)
        if resume is not None and self.generator is None:
            rondo_random.set_rng_state(after)  # draws of the model, not of the loader
        self._position = {"start": start, "batches": done}
        return self._count(self._batches(tasks, seed))

    def _tasks(self) -> Iterator[Any]:
        """Indices of one batch after the other; all random numbers are drawn at the first."""
        if self._iterable:
            size = self.batch_size
            return iter(lambda: size, object())
        return iter(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]

    def _count(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            self._position["batches"] += 1
            yield batch
        self._position = {"start": None, "batches": 0}

    def _batches(self, tasks: Iterator[Any], seed: int) -> Iterator[Any]:
        if self.num_workers > 0:
            return self._from_workers(tasks, seed)
        if self._iterable:
            return _from_iterable(self.dataset, self.batch_size, self.drop_last, self.collate_fn)
        return (self._fetch(self.dataset, indices) for indices in tasks)

    def _from_workers(self, tasks: Iterator[Any], seed: int) -> Iterator[Any]:
        workers = self._workers or _Workers(self, seed)
        keep = self.persistent_workers and not self._iterable
        self._workers = workers if keep else None
        finished = False
        try:
            yield from workers.run(tasks)
            finished = True
        finally:
            if not keep or not finished:
                self._workers = None
                workers.stop()

    # The place in an epoch, to go on from in another process.

    def state_dict(self) -> dict[str, Any]:
        """Where the generator was at the start of the epoch, and the batches given since.

        Between epochs, where a generator of the loader's own is; that of the process is saved by
        `get_rng_state`.
        """
        position = dict(self._position)
        if position["start"] is None and self.generator is not None:
            position["start"] = self.generator.get_state().tolist()
        return position

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """The next iteration goes on behind the batches that were given."""
        self._resume = dict(state_dict)


class _Fetch:
    """Makes a batch of indices; in a worker for an IterableDataset, of the next items."""

    def __init__(self, batched: bool, collate: Callable[[Any], Any], iterable: bool) -> None:
        self.batched = batched
        self.collate = collate
        self.iterable = iterable
        self.items: Iterator[Any] | None = None

    def __call__(self, dataset: Any, indices: Any) -> Any:
        if self.iterable:
            return self._next(dataset, indices)
        if not self.batched:
            return self.collate(dataset[indices])
        if hasattr(dataset, "__getitems__"):
            return self.collate(dataset.__getitems__(indices))
        return self.collate([dataset[i] for i in indices])

    def _next(self, dataset: Any, size: int | None) -> Any:
        if self.items is None:
            self.items = iter(dataset)
        items = [item for _, item in zip(range(size or 1), self.items)]
        if not items:
            return _END
        return self.collate(items if size is not None else items[0])


class _End:
    """Says that a worker has no further items."""

    def __reduce__(self) -> str:
        return "_END"


_END = _End()


def _from_iterable(
    dataset: Any, size: int | None, drop_last: bool, collate: Callable[[Any], Any]
) -> Iterator[Any]:
    items = []
    for item in dataset:
        if size is None:
            yield collate(item)
            continue
        items.append(item)
        if len(items) == size:
            yield collate(items)
            items = []
    if items and not drop_last:
        yield collate(items)


class _Workers:
    """Worker processes, each with a pipe; batches come back in the order of their tasks."""

    def __init__(self, loader: DataLoader[Any], seed: int) -> None:
        context = loader.multiprocessing_context
        if context is None or isinstance(context, str):
            import multiprocessing  # slow to import, and most programs have no workers

            context = multiprocessing.get_context(context or "fork")
        self.timeout = loader.timeout or None
        self.ahead = loader.prefetch_factor
        self.processes: list[Any] = []
        self.connections: list[Connection] = []
        count = loader.num_workers
        for i in range(count):
            ours, theirs = context.Pipe()
            job = Job(loader.dataset, loader._fetch, i, count, seed + i, loader.worker_init_fn,
                      os.getpid())
            forked = context.get_start_method() == "fork"
            inherited = [*self.connections, ours] if forked else []
            process = context.Process(target=run_worker, args=(job, theirs, inherited), daemon=True)
            process.start()
            theirs.close()
            self.processes.append(process)
            self.connections.append(ours)

    def run(self, tasks: Iterator[Any]) -> Iterator[Any]:
        """Batches in the order of `tasks`; a few tasks are always on their way."""
        live = list(range(len(self.connections)))
        ready: dict[int, Any] = {}
        sent = given = 0
        owners: dict[int, int] = {}

        def send_next(worker: int) -> None:
            nonlocal sent
            for task in tasks:
                try:
                    self.connections[worker].send((sent, task))
                except (BrokenPipeError, ConnectionResetError):
                    self._ended(worker)
                owners[sent] = worker
                sent += 1
                return

        for _ in range(self.ahead):
            for worker in live:
                send_next(worker)
        while given < sent:
            while given not in ready:
                self._receive(ready)
            batch = ready.pop(given)
            worker = owners.pop(given)
            given += 1
            if isinstance(batch, WorkerFailure):
                batch.reraise()
            if batch is _END:
                if worker in live:
                    live.remove(worker)
                continue
            if worker in live:
                send_next(worker)
            yield batch

    def _receive(self, ready: dict[int, Any]) -> None:
        from multiprocessing.connection import wait

        found = wait(self.connections, self.timeout)
        if not found:
            raise Error(f"DataLoader: no batch came within {self.timeout} s")
        for worker, connection in enumerate(self.connections):
            if connection not in found:
                continue
            try:
                number, batch = connection.recv()
            except (EOFError, ConnectionResetError):
                self._ended(worker)
            ready[number] = batch

    def _ended(self, worker: int) -> NoReturn:
        self.processes[worker].join(1)
        code = self.processes[worker].exitcode
        raise Error(f"DataLoader: worker {worker} ended with exit code {code}") from None

    def stop(self) -> None:
        """Ends the workers, whatever they are doing."""
        for connection in self.connections:
            try:
                connection.send(None)
            except OSError:
                pass
            connection.close()
        for process in self.processes:
            process.join(0.05)
            if process.is_alive():
                process.terminate()
                process.join()
