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
MAX_GOALS = 32
MAX_CONDITIONS = 64

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
TRICKS_BEFORE = 9
"""Number of tricks finished before the current one."""
GOALS = 10
"""Number of goals."""
CONDITIONS = 11
"""Number of their conditions."""
MUST_OWN = 12
"""A set of goals of which the seat MUST_OWNER owns at least one; 0 for no such rule."""
MUST_OWNER = 13
ENDS = 14
"""1 when the attempt ends with the last task: then the goals have to hold after the trick that completes it, or a later one."""
HASHED = 15
"""1 when the cards held do not say all about the hands, so that boundaries need a key of their own: see ``goals_key``."""
PASS_NOW = 16
"""Whether every seat passes a card before the search goes on, drawn anew for each dive: 0 no, PASS_COLOURS or PASS_ANY."""
PASS_COLOURS, PASS_ANY = 1, 2
PASS_NOW_TO = 17
"""To which seat, as a number of places to the left."""
PASS_AFTER = 18
"""After how many tricks of the search every seat passes a card, the first of its hand by PRIORITY; 0 for never."""
PASS_TO = 19
PASS_DRAWN = 20
"""1 when the priority is up to the crew, and so drawn anew for each dive."""
THIRD = 21
"""The seat whose hand is columns, where HIDDEN is not empty."""
HIDDEN = 22
"""The cards that lie under another one."""
HANDS = 23
"""The card set each seat holds."""
TRICK = HANDS + MAX_SEATS
"""The cards lying in the current trick, in play order."""
OWNERS = TRICK + MAX_SEATS
"""Per task card the seats that may own it."""
BEFORE = OWNERS + MAX_CARDS
"""Per task card the tasks that must be completed in the same trick or earlier."""
RANK = BEFORE + MAX_CARDS
"""Per task card its absolute token, 0 for none."""
WON_BEFORE = RANK + MAX_CARDS
"""Per seat the card set won in the tricks before."""
TAKEN_BEFORE = WON_BEFORE + MAX_SEATS
"""Per seat the set of tricks won before, bit 0 for the first of the attempt."""
BENEATH = TAKEN_BEFORE + MAX_SEATS
"""Per card the hidden card under it, less than 0 for none."""
PRIORITY = BENEATH + MAX_CARDS
"""Per card its place in the order in which cards are passed later; MAX_CARDS for one that may not go."""
PASSED = PRIORITY + MAX_CARDS
"""Per seat the card it passes before the search goes on, as last drawn; less than 0 for none."""
GOAL = PASSED + MAX_SEATS
"""Per goal a row of: owner (-1 while it has none), first condition, number of conditions, whether one of them is
enough, the seats that may own it, whether it counts as a free task of its owner, the goals that cannot come true at
another owner, and those that cannot at the same. G_ALL_FIRST and G_ALL_NUMBER are all its conditions where one is enough:
short searches settle on one of them beforehand. Where G_STEPS is not 0, the seat is so many places to the left of the holder
of the card G_HOLDER_OF, once cards have been passed."""
(
    G_OWNER, G_FIRST, G_NUMBER, G_ANY, G_SEATS, G_FREE, G_NOT_APART, G_NOT_TOGETHER, G_ALL_FIRST, G_ALL_NUMBER,
    G_HOLDER_OF, G_STEPS, GOAL_ROW,
) = range(13)  # fmt: skip
CONDITION = GOAL + MAX_GOALS * GOAL_ROW
"""Per condition a row: its fields (see C_COUNT and the following), then the tricks or openings that counted for each seat
before, packed."""
(
    C_COUNT, C_CARDS, C_MINUS, C_NUMBERS, C_WON_WITH, C_CAPTURES, C_HOLDS, C_ONLY, C_SUM_LOW, C_SUM_HIGH, C_EQUAL, C_EQUAL_TO,
    C_CLOSED_WITH, C_AGAINST, C_LOW, C_HIGH, C_ALWAYS, C_AFTER, C_BY_CHOICE, C_SPECIAL, C_TALLY, C_BROKEN, CONDITION_ROW,
) = range(23)  # fmt: skip
"""What is counted (COUNT_CARDS ...), of which cards, less which cards; of which tricks (bit 0: first of the attempt), won
with which cards, with which other cards in them, holding which, only which, with which sum, equally many of which two
sets, closed with which; against whom (AGAINST_NOBODY ..., or a seat; TOGETHER adds all seats up); lowest and highest value;
whether it must hold after every trick; after which cards are gone; whether only openings by choice count. C_SPECIAL:
whether the tricks must have some property, so that C_TALLY counts them. C_BROKEN: the seats for which it had to hold after
every trick before, and did not."""
COUNT_CARDS, COUNT_TRICKS, COUNT_OPENINGS, COUNT_RUN = range(4)
AGAINST_NOBODY, AGAINST_EACH, AGAINST_TOGETHER, TOGETHER = -1, -2, -3, -5
ALLOWED = CONDITION + MAX_CONDITIONS * CONDITION_ROW
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
T_HIDDEN, T_APART = 22, 23
"""The cards that lie hidden, and those that equal no other card, before the trick."""
T_KEEP = 24
CANON = TRICK_ROWS + (MAX_TRICKS + 2) * TRICK_ROW
# What goals need beside it: per trick a row; cards told apart, scratch for the bounds of each seat's tricks; weights.
KIND = CANON + 5 * 512
"""Per card a number; cards with the same number are the same to every goal."""
TAKEN_COUNT = KIND + MAX_CARDS
LEAST = TAKEN_COUNT + MAX_SEATS
MOST = LEAST + MAX_SEATS
REACH = MOST + MAX_SEATS
"""Per seat the cards it could still win."""
FORCED = REACH + MAX_SEATS
"""Per seat the cards that nobody else can win, and that will be won."""
WEIGHTS = FORCED + MAX_SEATS
WEIGHT_COUNT = 33
DEFAULT_WEIGHTS = (
    190, 120, 160, 126, 9, 35, 56, 50, 34, 14, -1, 50, 3310, 73, 63, 273, 448, 19,
    85, 300, 171, 402, 42, 236, 122, 78, 74, 1, 20, 100, 16, 40, 4,
)  # fmt: skip
"""What goals want, in points: see kernels.wants for the names. From a hill climb on the mean logarithm of nodes over 840
random deals of difficulty 6 to 16 with free owners; only their proportions matter."""
AIM = WEIGHTS + WEIGHT_COUNT
"""Per condition the cards that the present attempt aims at; 0 for all of them."""
FIT = AIM + MAX_CONDITIONS
"""Per goal and seat how well they suit each other."""
GOAL_ROWS = FIT + MAX_GOALS * MAX_SEATS
T_MAY, T_BANNED, T_SAFE, T_BROKEN = range(4)
T_WON = 4
T_TAKEN = T_WON + MAX_SEATS
T_TALLIES = T_TAKEN + MAX_SEATS
T_MASK = T_TALLIES + MAX_CONDITIONS
T_WANT = T_MASK + MAX_CARDS
TRICK_GOAL_ROW = T_WANT + MAX_SEATS * MAX_CARDS
LATER = GOAL_ROWS + (MAX_TRICKS + 2) * TRICK_GOAL_ROW
"""Per seat the card it passed after PASS_AFTER tricks; less than 0 while that is to come."""
UNDER = LATER + MAX_SEATS
"""BENEATH, as it has become."""
WORK_SIZE = UNDER + MAX_CARDS


class Memory(NamedTuple):
    """What a search works in, reused from deal to deal: ``work`` int64[WORK_SIZE]; ``table`` int64[2**n], the keys of
    lost trick boundaries, 0 where empty; ``used`` int32, the filled places of the table."""

    work: np.ndarray
    table: np.ndarray
    used: np.ndarray


def new_memory(table_bits: int = 18) -> Memory:
    """Memory with a table of ``2**table_bits`` places, 11 bytes each."""
    work = np.zeros(WORK_SIZE, np.int64)
    work[CANON:KIND] = -1
    work[WEIGHTS : WEIGHTS + len(DEFAULT_WEIGHTS)] = DEFAULT_WEIGHTS
    return Memory(work, np.zeros(1 << table_bits, np.int64), np.zeros(3 << (table_bits - 2), np.int32))


def new_problem(allowed: int = 1) -> np.ndarray:
    """An empty problem with room for this many allowed distributions."""
    return np.zeros(ALLOWED + allowed, np.int64)
