"""Where everything lies in the two flat int64 arrays that the search kernels pass around.

Flat arrays and constant offsets, because each array handed to a compiled function costs it several words and
each row view a reference count; together they cost more than the search itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MAX_SEATS = 5
MAX_CARDS = 40
MAX_TRICKS = 20
COUNT_BITS = 8

# A problem: what is to be won, from where. Card sets have bit ``card`` set, seat sets bit ``seat``; task counts of
# all seats are packed in one number, COUNT_BITS a seat.
PLAYERS = 0
LEADER = 1
"""The seat that led or leads the current trick."""
PLAYED = 2
"""Number of cards lying in the current trick."""
TRICKS = 3
"""Number of tricks to finish, the current one included."""
COUNTED = 4
"""Whether absolute ranks must be counted: 0 when BEFORE says all that the tokens ask for."""
COMPLETED = 5
"""Number of tasks completed before."""
TALLY = 6
"""Packed counts of the free tasks completed before."""
OPEN_TASKS = 7
"""The set of open task cards."""
FREE_TASKS = 8
"""Those of them that have no owner yet."""
HANDS = 10
"""The card set each seat holds."""
TRICK = HANDS + MAX_SEATS
"""The cards lying in the current trick, in play order."""
OWNERS = TRICK + MAX_SEATS
"""Per task card the seats that may own it."""
BEFORE = OWNERS + MAX_CARDS
"""Per task card the tasks that must be completed in the same trick or earlier."""
RANK = BEFORE + MAX_CARDS
"""Per task card its absolute token, 0 for none."""
ALLOWED = RANK + MAX_CARDS
"""Packed counts of free tasks per seat, one number per allowed distribution, to the end of the array."""

# Working memory. One row per ply (card to be placed) and per trick.
FILLED, RANDOM, ALL_TASKS, LINE_LENGTH = range(4)
HOLDER = 8
HELD_BY = HOLDER + MAX_CARDS
SUIT_LEADERS = HELD_BY + MAX_SEATS
PLAN_VALUE = SUIT_LEADERS + 5
SCORES = PLAN_VALUE + 5
LINE = SCORES + 20
PLIES = MAX_CARDS + 12
PLY = LINE + PLIES
PLY_ROW = 26
BEST, WINNER, MUST, COUNT, NEXT, MOVES = range(6)
TRICK_ROWS = PLY + PLIES * PLY_ROW
TRICK_ROW = 24 + MAX_CARDS
T_LEADER, T_TASKS, T_TALLY, T_WINNERS, T_COMPLETED, T_HELD, T_READY, T_PLAN = range(8)
T_KEEP = 24
CANON = TRICK_ROWS + (MAX_TRICKS + 2) * TRICK_ROW
WORK_SIZE = CANON + 5 * 512


class Memory(NamedTuple):
    """What a search works in, reused from deal to deal: ``work`` int64[WORK_SIZE]; ``table`` int64[2**n], the keys of
    lost trick boundaries, 0 where empty; ``used`` int32, the filled places of the table."""

    work: np.ndarray
    table: np.ndarray
    used: np.ndarray


def new_memory(table_bits: int = 18) -> Memory:
    """Memory with a table of ``2**table_bits`` places, 11 bytes each."""
    work = np.zeros(WORK_SIZE, np.int64)
    work[CANON:] = -1
    return Memory(work, np.zeros(1 << table_bits, np.int64), np.zeros(3 << (table_bits - 2), np.int32))


def new_problem(allowed: int = 1) -> np.ndarray:
    """An empty problem with room for this many allowed distributions."""
    return np.zeros(ALLOWED + allowed, np.int64)
