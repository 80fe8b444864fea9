"""The table of lost trick boundaries, and the exact keys that let equal situations share an entry.

The holder of every card is known from the deal, so the set of cards still held says everything about the hands.
A *level* is the set of colours (bit per suit) whose cards are told apart; the other suits are *blank*.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .bits import lowest
from .compiled import inner
from .layout import ALL_TASKS, CANON, COUNT_BITS, FILLED, HOLDER, KIND, Memory

EXACT = 15
"""The level of the real game. Trump is told apart at every level."""


@njit(inline="always")
def is_exact(level: int, suit: int) -> int:
    """1 when the cards of ``suit`` are told apart at ``level``, else 0."""
    return (level | 16) >> suit & 1


@njit(cache=True)
def forget(memory: Memory) -> None:
    """Empty the table: to be called before another problem or another level."""
    filled = memory.work[FILLED]
    if filled * 8 > len(memory.table):
        memory.table[:] = 0
    else:
        for place in range(filled):
            memory.table[memory.used[place]] = 0
    if filled:
        memory.work[CANON:KIND] = -1
    memory.work[FILLED] = 0


@inner
def find(table: np.ndarray, key: int) -> int:
    """Where ``key`` is or may go; linear probing. Keys are exact, so no two situations are ever confused."""
    spread = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    last = len(table) - 1
    place = np.int64(spread >> np.uint64(24)) & last
    while table[place] != 0 and table[place] != key:
        place = (place + 1) & last
    return place


@inner
def remember(work: np.ndarray, table: np.ndarray, used: np.ndarray, key: int) -> None:
    """Keep a lost boundary, as long as the table has room; it is never filled beyond three quarters."""
    filled = work[FILLED]
    if filled < len(used):
        place = find(table, key)
        if table[place] == 0:
            table[place] = key
            used[filled] = place
            work[FILLED] = filled + 1


@inner
def _canonical(work: np.ndarray, suit: int, cards: int, exact: int) -> int:
    """The set of ranks that stands for all sets of one suit that are as good as ``cards``.

    In an exact suit only the row of holders matters to the rest of the play, and which cards are open tasks;
    ranks do not. The row is moved down as far as it goes: the leftmost way to find it in the suit as dealt is
    the same for equal rows. In a blank suit only the number of cards of each holder matters: take their lowest.
    """
    size = 9 if suit < 4 else 4
    tasks = work[ALL_TASKS] >> 9 * suit if exact else 0
    holder = HOLDER + 9 * suit
    result = 0
    place = 0
    while cards:
        rank = lowest(cards)
        cards &= cards - 1
        if tasks >> rank & 1:
            place = rank
        else:
            if not exact:
                place = 0
            while place < size:
                if work[holder + place] == work[holder + rank] and not (tasks | result) >> place & 1:
                    break
                place += 1
        result |= 1 << place
        place += 1
    return result


@inner
def boundary_key(work: np.ndarray, held: int, level: int, leader: int, tally: int, players: int, free: int) -> int:
    """An exact, never zero key of a trick boundary: 40 bits of canonical cards, 3 of leader, 20 of task counts.

    ``held`` is the set of cards held, ``tally`` the packed counts of free tasks completed, which matter while some
    are open (``free`` not 0). How many tasks are completed in all follows from the cards, so the counts of all seats
    but the last suffice.
    """
    key = (leader + 1) << 40
    for suit in range(5):
        place = CANON + 512 * suit + (held >> 9 * suit & 511)
        if work[place] < 0:
            work[place] = _canonical(work, suit, held >> 9 * suit & 511, is_exact(level, suit))
        key |= work[place] << 9 * suit
    if free:
        width = 20 // (players - 1)
        for seat in range(players - 1):
            key |= (tally >> COUNT_BITS * seat & ((1 << width) - 1)) << (43 + width * seat)
    return key
