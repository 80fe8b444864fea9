"""Hands that change: cards passed to neighbours, and columns whose hidden cards open.

HELD_BY holds what a seat can play; the cards that lie hidden join it when they open. Wherever it matters that a seat
will still get to play them, HELD_BY is widened by them for the moment: see ``with_hidden``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .bits import lowest, popcount
from .compiled import inner
from .layout import (
    BENEATH,
    G_HOLDER_OF,
    G_OWNER,
    G_SEATS,
    G_STEPS,
    GOAL,
    GOAL_ROW,
    GOALS,
    HANDS,
    HELD_BY,
    HIDDEN,
    HOLDER,
    LATER,
    MAX_CARDS,
    PASS_COLOURS,
    PASS_DRAWN,
    PASS_NOW,
    PASS_NOW_TO,
    PASS_TO,
    PASSED,
    PLAYERS,
    PRIORITY,
    THIRD,
    UNDER,
)
from .rules import COLOUR_CARDS, random_below, wrap


@njit(inline="always")
def with_hidden(problem: np.ndarray, work: np.ndarray, hidden: int) -> None:
    """Add the hidden cards to what the third seat holds, or, called again, take them away."""
    work[HELD_BY + problem[THIRD]] ^= hidden


@inner
def opened(work: np.ndarray, lying: int, hidden: int) -> int:
    """The hidden cards that open when the cards ``lying`` in a trick are gone."""
    cards = 0
    while lying:
        under = work[UNDER + lowest(lying)]
        lying &= lying - 1
        if under >= 0 and hidden >> under & 1:
            cards |= 1 << under
    return cards


@inner
def pass_later(problem: np.ndarray, work: np.ndarray, hidden: int, players: int) -> int:
    """Every seat passes the first card of its hand by PRIORITY, of columns a hidden one; returns what is hidden then.

    HELD_BY must hold open cards only. Noted in LATER, for ``take_back``. Returns -1, with nothing passed, when some hand
    has no card that may go.
    """
    third = problem[THIRD]
    for seat in range(players):
        choices = work[HELD_BY + seat]
        if hidden and seat == third:
            choices = hidden
        first = -1
        while choices:
            card = lowest(choices)
            choices &= choices - 1
            if first < 0 or problem[PRIORITY + card] < problem[PRIORITY + first]:
                first = card
        if first < 0 or problem[PRIORITY + first] == MAX_CARDS:
            work[LATER] = -1
            return -1
        work[LATER + seat] = first
    return _move(work, LATER, problem[PASS_TO], third, hidden, players)


@inner
def take_back(problem: np.ndarray, work: np.ndarray, hidden: int, players: int) -> int:
    """Undo ``pass_later``; ``hidden`` is what it returned. Returns what was hidden before."""
    to = problem[PASS_TO]
    came = np.empty(players, np.int64)
    for seat in range(players):
        came[seat] = work[LATER + wrap(seat - to, players)]
    for seat in range(players):
        work[LATER + seat] = came[seat]
    hidden = _move(work, LATER, -to, problem[THIRD], hidden, players)
    work[LATER] = -1
    return hidden


@inner
def _move(work: np.ndarray, passed: int, to: int, third: int, hidden: int, players: int) -> int:
    """Move the cards noted from ``passed`` on to the neighbours; one that comes for a hidden one lies hidden in its place."""
    for seat in range(players):
        card = work[passed + seat]
        came = work[passed + wrap(seat - to, players)]
        if seat == third and hidden >> card & 1:
            hidden ^= 1 << card | 1 << came
            _rename_under(work, card, came)
        else:
            work[HELD_BY + seat] ^= 1 << card | 1 << came
        work[HOLDER + came] = seat
    return hidden


@inner
def _rename_under(work: np.ndarray, old: int, new: int) -> None:
    for card in range(MAX_CARDS):
        if work[UNDER + card] == old:
            work[UNDER + card] = new


@inner
def draw_passes(problem: np.ndarray, work: np.ndarray) -> None:
    """Draw what is up to the crew: the cards passed before the search goes on, written into its hands, and the priority of
    those passed later. What was drawn before is taken back."""
    players = problem[PLAYERS]
    third = problem[THIRD]
    hidden = problem[HIDDEN]
    if problem[PASS_DRAWN]:
        for card in range(MAX_CARDS):
            problem[PRIORITY + card] = random_below(work, 1 << 20) << 6 | card
    if not problem[PASS_NOW]:
        return
    undo_passes(problem)
    hidden = problem[HIDDEN]
    for seat in range(players):
        choices = problem[HANDS + seat]
        if problem[PASS_NOW] == PASS_COLOURS:
            choices &= COLOUR_CARDS & ~hidden
        elif choices & hidden:
            choices &= hidden
        skip = random_below(work, popcount(choices))
        while skip:
            choices &= choices - 1
            skip -= 1
        problem[PASSED + seat] = lowest(choices)
    _move_now(problem, problem[PASS_NOW_TO], third)


@inner
def undo_passes(problem: np.ndarray) -> None:
    """Give the cards passed before the search goes on back to the seats that passed them."""
    if not problem[PASS_NOW] or problem[PASSED] < 0:
        return
    players = problem[PLAYERS]
    to = problem[PASS_NOW_TO]
    back = np.empty(players, np.int64)
    for seat in range(players):
        back[seat] = problem[PASSED + wrap(seat - to, players)]
    for seat in range(players):
        problem[PASSED + seat] = back[seat]
    _move_now(problem, -to, problem[THIRD])
    problem[PASSED] = -1


@inner
def _move_now(problem: np.ndarray, to: int, third: int) -> None:
    """Move the cards PASSED to the neighbours, each into the place that the card passed on leaves, and find the owners of
    goals that depend on who holds a card."""
    players = problem[PLAYERS]
    for seat in range(players):
        card = problem[PASSED + seat]
        came = problem[PASSED + wrap(seat - to, players)]
        problem[HANDS + seat] ^= 1 << card | 1 << came
        if seat == third:
            if problem[HIDDEN] >> card & 1:
                problem[HIDDEN] ^= 1 << card | 1 << came
                for place in range(MAX_CARDS):
                    if problem[BENEATH + place] == card:
                        problem[BENEATH + place] = came
            else:
                problem[BENEATH + came] = problem[BENEATH + card]
                problem[BENEATH + card] = -1
    for goal in range(problem[GOALS]):
        place = GOAL + GOAL_ROW * goal
        if problem[place + G_STEPS]:
            for seat in range(players):
                if problem[HANDS + seat] >> problem[place + G_HOLDER_OF] & 1:
                    owner = wrap(wrap(seat + problem[place + G_STEPS], players), players)
                    problem[place + G_SEATS] = 1 << owner
                    problem[place + G_OWNER] = owner
