"""Gets the kernels ready, and says so when that takes long: the first time they are compiled.

Half of them is compiled by a second process meanwhile, and found in the cache by this one.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

MESSAGE = "compiling the kernels for this machine, once, for about a minute ..."


@contextmanager
def announced(announce: Callable[[str], None]) -> Iterator[None]:
    """``announce`` is called once, with MESSAGE, if what is done meanwhile is not quick."""
    timer = Timer(2.0, announce, (MESSAGE,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _SecondProcess:
    """Compiles its half, once told to start."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        quiet = subprocess.DEVNULL
        # its own session: Ctrl-C reaches this process alone, which then stops it
        self._process = subprocess.Popen(
            [sys.executable, "-m", "deepcrew.solver.warmup"], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
        )

    def finish(self) -> None:
        """Wait for its end; what it may have failed to compile is compiled here."""
        if self._process is not None:
            self._process.wait()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def warm_up(announce: Callable[[str], None]) -> None:
    """Load the compiled kernels from the cache, or compile them; ``announce`` is called once if that is not quick."""
    second = _SecondProcess()

    def slow(message: str) -> None:
        second.start()
        announce(message)

    try:
        with announced(slow):
            from ..kernels.layout import new_memory, new_problem
            from ..kernels.search import dive
            from .loads import Load
            from .rates import count_deals

            dive(new_problem(), new_memory(4), 0, 0, 0, 0, 1)  # no attempt at all, but compiled with everything below it
            second.finish()
            count_deals(Load(1), 4, 0, 1)
    finally:
        second.stop()


def _compile_second_half() -> None:
    """Compile what ``count_deals`` needs beside the search, after that part of the search to which the first process comes last.

    Only types matter to what is compiled: one array stands for all of its kind.
    """
    from numba import typeof

    from ..kernels.batch import finish_line, make_deal, write_problem
    from ..kernels.moves import list_moves, plan_trick
    from .loads import Load, load_table, new_deals
    from .rates import refuse_lines

    table, deals = load_table(Load(1), 4), new_deals(1, 4)
    row, number, flag = deals.orders[0], 0, False
    for kernel, arguments in (
        (plan_trick, (row, row, number, number, number)),
        (list_moves, (row, row, number, number, number, number, number)),
        (refuse_lines, (deals, number, row, table)),
        (make_deal, (number, number, number, number, table, flag, deals, number)),
        (write_problem, (row, number, number, table, flag, deals, number)),
        (finish_line, (row, number, number, deals.lines[0], number, row, table, row, row)),
    ):
        kernel.compile(tuple(typeof(argument) for argument in arguments))  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    _compile_second_half()
