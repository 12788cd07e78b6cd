"""The processes that load batches for a DataLoader."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import random as rondo_random

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class WorkerInfo(NamedTuple):
    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """In a worker who it is; None in the main process."""
    return _info


class WorkerFailure(NamedTuple):
    """An exception on its way to the main process."""

    kind: type[BaseException]
    text: str
    worker: int

    def reraise(self) -> None:
        message = f"in worker {self.worker} of a DataLoader:\n{self.text}"
        try:
            error = self.kind(message)
        except Exception:  # a class that wants other arguments
            error = RuntimeError(message)
        raise error


class Job(NamedTuple):
    """What a worker is started with."""

    dataset: Any
    fetch: Callable[[Any, Any], Any]
    worker: int
    num_workers: int
    seed: int
    init: Callable[[int], None] | None
    parent: int


def _read_tasks(connection: Connection, tasks: SimpleQueue[Any], parent: int) -> None:
    """Takes tasks as they come, so that the main process never waits to send one.

    Ends the process when the main process is gone.
    """
    while True:
        try:
            if connection.poll(1.0):
                tasks.put(connection.recv())
            elif os.getppid() != parent:
                os._exit(1)
        except (EOFError, OSError):
            os._exit(0)


def _prepare(job: Job) -> None:
    rondo_random.manual_seed(job.seed)
    random.seed(job.seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(job.seed % 2**32)
    if job.init is not None:
        job.init(job.worker)


def run_worker(job: Job, connection: Connection, others: list[Connection]) -> None:
    """Answers tasks (number, indices) with (number, batch) until a None comes."""
    global _info
    for other in others:  # ends of pipes that fork has copied
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process tells when to stop
    _info = WorkerInfo(job.worker, job.num_workers, job.seed, job.dataset)
    tasks: SimpleQueue[Any] = SimpleQueue()
    reader = threading.Thread(target=_read_tasks, args=(connection, tasks, job.parent), daemon=True)
    reader.start()
    failure = _guarded(job.worker, lambda: _prepare(job))
    while True:
        task = tasks.get()
        if task is None:
            break
        number, indices = task
        result = failure if isinstance(failure, WorkerFailure) else None
        if result is None:
            result = _guarded(job.worker, lambda: job.fetch(job.dataset, indices))
        try:
            connection.send((number, result))
        except (BrokenPipeError, ConnectionResetError):
            break
        except Exception as error:  # the batch cannot be pickled
            connection.send((number, _failure(error, job.worker)))
    os._exit(0)  # without the exit handlers that belong to the main process


def _failure(error: BaseException, worker: int) -> WorkerFailure:
    text = "".join(traceback.format_exception(error))
    return WorkerFailure(type(error), text, worker)


def _guarded(worker: int, function: Callable[[], Any]) -> Any:
    try:
        return function()
    except BaseException as error:
        return _failure(error, worker)
