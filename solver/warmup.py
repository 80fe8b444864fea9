"""Gets the kernels ready, and says so when that takes long: the first time they are compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

MESSAGE = "compiling the kernels for this machine, once, for a minute or two ..."


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


def warm_up(announce: Callable[[str], None]) -> None:
    """Load the compiled kernels from the cache, or compile them; ``announce`` is called once if that is not quick."""
    with announced(announce):
        from .loads import Load
        from .positions import Position
        from .rates import count_deals
        from .verdicts import solve

        count_deals(Load(1), 4, 0, 1)
        deck = 0b1111 | 0b1100 << 36
        solve(Position((0b0011 | 1 << 38, 0b1100 | 1 << 39), (), deck=deck), engine="search")
