"""Runs on many machines: the chunks of a run are handed to a Dask scheduler, whose workers decide them.

Only this process writes; a worker gets a chunk and sends back what became of its deals. When a worker dies, the scheduler gives
its chunks to others; a chunk counts once, when it has been written. Needs the package ``distributed``, an optional dependency.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from importlib import import_module
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import Any, Generic, TypeVar

from .errors import InputError

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")
_WAITING = 4
_TRIES = 20
"""How often a chunk is handed out again when whoever had it died, before that is the fault of the chunk."""
CONNECT_SECONDS = 10.0
WORKER_SECONDS = 60.0
_turn = Lock()


class _OtherVersion(Exception):
    """A worker has other code, data or libraries."""


def _work_here(work: Callable[[_Job], _Result], job: _Job, made_with: dict[str, Any]) -> _Result:
    """What a worker does. One chunk at a time, for the kernels' memory belongs to the process."""
    from . import runs

    words = runs.differences(made_with, runs.made_with())
    if words:
        address = import_module("distributed").get_worker().address
        raise _OtherVersion(f"the worker {address} has other versions of {', '.join(words)}")
    with _turn:
        return work(job)


class _Cluster(Generic[_Job, _Result]):
    """The workers of a Dask scheduler, as a pool (see workers.Pool)."""

    def __init__(self, work: Callable[[_Job], _Result], address: str, workers: int, note: Callable[[str], None]) -> None:
        from .runs import made_with

        distributed: Any = import_module("distributed")

        self._work, self._address, self._note = work, address, note
        self._made_with = made_with()
        self._cluster: Any = None
        if address == "local":
            self._cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50, scheduler_port=0
            )
        try:
            self._client: Any = distributed.Client(self._cluster or address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, ImportError, TypeError, KeyError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise InputError(f"no Dask scheduler answers at {address!r}: {reason}") from None
        self._done: SimpleQueue[Any] = SimpleQueue()
        self._jobs: dict[Any, _Job] = {}
        self._tries: dict[Any, int] = {}
        self._limit, self._counted = 0, float("-inf")

    def _places(self) -> int:
        """How many chunks may be out: some for each thread of each worker, counted anew every few seconds."""
        if monotonic() - self._counted > 3:
            threads = sum(self._client.nthreads().values())
            if not threads:
                self._note(f"the scheduler at {self._address!r} has no workers yet; waiting for {WORKER_SECONDS:.0f} s at most")
                try:
                    self._client.wait_for_workers(1, timeout=WORKER_SECONDS)
                except TimeoutError:
                    raise InputError(f"the scheduler at {self._address!r} has no workers: start some with: dask worker ADDRESS") from None
                threads = sum(self._client.nthreads().values())
            self._limit, self._counted = max(1, _WAITING * threads), monotonic()
        return self._limit

    @property
    def room(self) -> bool:
        return len(self._jobs) < self._places()

    @property
    def pending(self) -> int:
        return len(self._jobs)

    def submit(self, job: _Job, tries: int = 0) -> None:
        future = self._client.submit(_work_here, self._work, job, self._made_with, pure=False)
        self._jobs[future], self._tries[future] = job, tries
        future.add_done_callback(self._done.put)

    def finished(self) -> list[_Result]:
        while True:
            try:
                future = self._done.get(timeout=5)
            except Empty:
                self._check()
                self._places()
                continue
            job, tries = self._jobs.pop(future), self._tries.pop(future)
            try:
                return [future.result()]
            except _OtherVersion as error:
                raise InputError(f"{error}: install the same deepcrew there") from None
            except (Exception, CancelledError) as error:
                self._check()
                lost = type(error).__name__ == "KilledWorker" or future.status in ("cancelled", "lost")
                if not lost or tries >= _TRIES:
                    raise
                self.submit(job, tries + 1)
            finally:
                future.release()

    def _check(self) -> None:
        """Raise InputError when the scheduler is gone."""
        if self._client.status != "running":
            raise InputError(f"the scheduler at {self._address!r} answers no more; what is finished is kept")

    def __enter__(self) -> _Cluster[_Job, _Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for future in self._jobs:
            future.release()
        self._client.close(timeout=5)
        if self._cluster is not None:
            self._cluster.close(timeout=5)


def open_cluster(
    work: Callable[[_Job], _Result], address: str, workers: int, note: Callable[[str], None] = lambda sentence: None
) -> _Cluster[_Job, _Result]:
    """The workers of the scheduler at this address, such as ``tcp://host:8786``; ``local`` starts one here, with so many workers.

    Raises InputError when the package ``distributed`` is missing, and when no scheduler answers.
    """
    check_cluster()
    return _Cluster(work, address, workers, note)


def check_cluster() -> None:
    """Raise InputError when the package that clusters need is not installed."""
    if find_spec("distributed") is None:
        raise InputError("--cluster needs the package distributed: pip install deepcrew[cluster]")
