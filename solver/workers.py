"""Work shared among processes: jobs in, results out, in any order. Knows nothing of deals."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from threading import Thread
from time import sleep
from types import TracebackType
from typing import Generic, Protocol, TypeVar

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")
_JobIn = TypeVar("_JobIn", contravariant=True)
_WAITING = 4
"""Jobs handed out for each worker: enough that none is idle, few enough to keep memory flat."""


def _start_worker(parent: int, close: Sequence[int]) -> None:
    """Leave Ctrl-C to the parent, hold none of its files, and end when the parent has ended, however it did."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in close:
        os.close(number)

    def watch() -> None:
        while os.getppid() == parent:
            sleep(0.5)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _nothing() -> None:
    """A job for workers to start with."""


class Pool(Protocol[_JobIn, _Result]):
    """Those who work: jobs are submitted while there is ``room``, and results fetched in any order. Used in a ``with``,
    at whose end, if that is an exception, what is pending is dropped."""

    @property
    def room(self) -> bool:
        """Whether another job is wanted now."""

    @property
    def pending(self) -> int:
        """Jobs whose results have not been fetched."""

    def submit(self, job: _JobIn) -> None:
        """Hand out a job."""

    def finished(self) -> list[_Result]:
        """Results that there are; waits for one. Raises RuntimeError when a worker was killed, and what the work raises."""

    def __enter__(self) -> Pool[_JobIn, _Result]: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...


class _Alone(Generic[_Job, _Result]):
    """The pool of one worker: this process."""

    def __init__(self, work: Callable[[_Job], _Result]) -> None:
        self._work = work
        self._jobs: deque[_Job] = deque()

    @property
    def room(self) -> bool:
        return not self._jobs

    @property
    def pending(self) -> int:
        return len(self._jobs)

    def submit(self, job: _Job) -> None:
        self._jobs.append(job)

    def finished(self) -> list[_Result]:
        return [self._work(self._jobs.popleft())]

    def __enter__(self) -> _Alone[_Job, _Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._jobs.clear()


class _Processes(Generic[_Job, _Result]):
    """A pool of processes, all started at once: what this process does later, they know nothing of."""

    def __init__(self, work: Callable[[_Job], _Result], workers: int, close: Sequence[int]) -> None:
        # Forked workers inherit the compiled kernels; elsewhere each loads them from the cache.
        forks = os.name == "posix" and os.uname().sysname == "Linux"
        context = get_context("fork" if forks else "spawn")
        self._work, self._workers = work, workers
        self._pool = ProcessPoolExecutor(workers, context, _start_worker, (os.getpid(), tuple(close) if forks else ()))
        self._pending: set[Future[_Result]] = set()
        self._pool.submit(_nothing)

    @property
    def room(self) -> bool:
        return len(self._pending) < _WAITING * self._workers

    @property
    def pending(self) -> int:
        return len(self._pending)

    def submit(self, job: _Job) -> None:
        self._pending.add(self._pool.submit(self._work, job))

    def finished(self) -> list[_Result]:
        done, self._pending = wait(self._pending, return_when=FIRST_COMPLETED)
        return [future.result() for future in done]

    def __enter__(self) -> _Processes[_Job, _Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None:
            self._pool.shutdown()
            return
        processes = list((self._pool._processes or {}).values())  # shutdown forgets them, and would wait for their jobs
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
        if isinstance(error, BrokenProcessPool):
            raise RuntimeError("a worker process was killed from outside, perhaps for lack of memory") from error


def open_pool(work: Callable[[_Job], _Result], workers: int, close: Sequence[int] = ()) -> Pool[_Job, _Result]:
    """So many processes that work; this one when it is one. ``close`` are files of this process that they shall not hold open."""
    return _Alone(work) if workers == 1 else _Processes(work, workers, close)


def spread(work: Callable[[_Job], _Result], jobs: Iterable[_Job], workers: int) -> Iterator[_Result]:
    """The results of all jobs, in any order, from so many processes; from this one when it is one.

    Raises RuntimeError when a worker was killed, and what ``work`` raises.
    """
    with open_pool(work, workers) as pool:
        yield from results(pool, jobs)


def results(pool: Pool[_Job, _Result], jobs: Iterable[_Job]) -> Iterator[_Result]:
    """The results of all jobs, in any order, from a pool that has nothing else to do. Jobs are made when there is room."""
    for job in jobs:
        pool.submit(job)
        while not pool.room:
            yield from pool.finished()
    while pool.pending:
        yield from pool.finished()
