"""Work shared among processes: jobs in, results out, in any order. Knows nothing of deals."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from threading import Thread
from time import sleep
from typing import TypeVar

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")
_WAITING = 4
"""Jobs handed out for each worker: enough that none is idle, few enough to keep memory flat."""


def _start_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end when the parent has ended, however it did."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            sleep(0.5)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def spread(work: Callable[[_Job], _Result], jobs: Iterable[_Job], workers: int) -> Iterator[_Result]:
    """The results of all jobs, in any order, from so many processes; from this one when it is one.

    Raises RuntimeError when a worker was killed, and what ``work`` raises.
    """
    if workers == 1:
        yield from map(work, jobs)
        return
    # Forked workers inherit the compiled kernels; elsewhere each loads them from the cache.
    context = get_context("fork" if os.name == "posix" and os.uname().sysname == "Linux" else "spawn")
    with ProcessPoolExecutor(workers, context, _start_worker, (os.getpid(),)) as pool:
        pending: set[Future[_Result]] = set()
        try:
            for job in jobs:
                pending.add(pool.submit(work, job))
                if len(pending) >= _WAITING * workers:
                    finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in finished)
            while pending:
                finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
        except BaseException as error:
            processes = list((pool._processes or {}).values())  # shutdown forgets them, and would wait for their jobs
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()
            if isinstance(error, BrokenProcessPool):
                raise RuntimeError("a worker process was killed from outside, perhaps for lack of memory") from error
            raise
