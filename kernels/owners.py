"""Owners for goals that have none: distributions that are allowed and not lost before the first card, likely ones first."""

from __future__ import annotations

import numpy as np
from numba import njit

from .bits import lowest, popcount
from .compiled import inner
from .goals import DEAD, assess
from .layout import (
    AGAINST_NOBODY,
    ALLOWED,
    C_AGAINST,
    C_CARDS,
    C_COUNT,
    C_HIGH,
    C_LOW,
    C_NUMBERS,
    C_SPECIAL,
    C_WON_WITH,
    CONDITION,
    CONDITION_ROW,
    COUNT_BITS,
    COUNT_CARDS,
    COUNT_OPENINGS,
    COUNT_TRICKS,
    FIT,
    G_ALL_FIRST,
    G_ALL_NUMBER,
    G_ANY,
    G_FIRST,
    G_FREE,
    G_NOT_APART,
    G_NOT_TOGETHER,
    G_NUMBER,
    G_OWNER,
    G_SEATS,
    GOAL,
    GOAL_ROW,
    GOAL_ROWS,
    GOALS,
    HELD_BY,
    HIDDEN,
    LEADER,
    MAX_SEATS,
    MUST_OWN,
    MUST_OWNER,
    PLAYED,
    PLAYERS,
    T_BROKEN,
    T_HELD,
    T_SAFE,
    TRICK,
    TRICK_ROWS,
    TRICKS,
)
from .passes import with_hidden
from .rules import COLOUR_CARDS, random_below, wrap

GUARDS = sum(1 << (COUNT_BITS * seat + COUNT_BITS - 1) for seat in range(MAX_SEATS))
"""The top bit of each packed count: counts stay below 128, so these bits are free for comparisons."""
FOUND, NONE, GAVE_UP = 1, 0, -1
STEPS = 3000


@inner
def counts_fit(problem: np.ndarray, tally: int) -> bool:
    """Whether some allowed distribution gives every seat at least ``tally``.

    ``(counts | GUARDS) - tally`` keeps a seat's guard bit exactly when the tally of that seat does not exceed it.
    """
    for place in range(ALLOWED, len(problem)):  # noqa: SIM110
        if ((problem[place] | GUARDS) - tally) & GUARDS == GUARDS:
            return True
    return False


@inner
def _strength(hand: int) -> int:
    """Tricks that a hand may win, in quarters."""
    strength = 4 * popcount(hand >> 36)
    for suit in range(4):
        part = hand >> 9 * suit & 511
        strength += 3 * (part >> 8 & 1) + 2 * (part >> 7 & 1) + (part >> 6 & 1)
    return strength


@inner
def guess_fits(problem: np.ndarray, work: np.ndarray) -> None:
    """How well each goal suits each seat's hand, in points: a first guess, corrected by failed attempts."""
    players = problem[PLAYERS]
    for goal in range(problem[GOALS]):
        place = GOAL + GOAL_ROW * goal
        for seat in range(players):
            hand = work[HELD_BY + seat]
            strength = _strength(hand)
            fit = 0
            for index in range(problem[place + G_FIRST], problem[place + G_FIRST] + problem[place + G_NUMBER]):
                row = CONDITION + CONDITION_ROW * index
                low = problem[row + C_LOW]
                high = problem[row + C_HIGH]
                if problem[row + C_COUNT] == COUNT_CARDS:
                    cards = problem[row + C_CARDS]
                    number = max(1, popcount(cards))
                    good = 0
                    left = cards
                    while left:
                        card = lowest(left)
                        left &= left - 1
                        suit = 511 << card // 9 * 9
                        if hand & suit & -(1 << card):
                            good += 1
                    if low > 0:
                        fit += (60 * good // number) + 3 * strength
                    if high < 99:
                        fit -= 30 * popcount(hand & cards) // number + 4 * strength
                elif problem[row + C_COUNT] == COUNT_OPENINGS:
                    fit -= 6 * popcount(hand & problem[row + C_CARDS]) + 3 * strength
                elif problem[row + C_COUNT] == COUNT_TRICKS:
                    if problem[row + C_SPECIAL]:
                        fit += 12 * popcount(hand & problem[row + C_WON_WITH] & COLOUR_CARDS) + strength
                        if not hand & problem[row + C_WON_WITH]:
                            fit -= 500
                    elif problem[row + C_AGAINST] != AGAINST_NOBODY:
                        fit += 4 * strength if low > 0 else -4 * strength
                    elif low > 0 and high < 99:
                        fit -= 4 * abs(strength - 4 * low)
                    elif high < 99:
                        fit -= 4 * strength * popcount(problem[row + C_NUMBERS]) // problem[TRICKS]
                    elif low > 0:
                        fit += 4 * strength
                elif high < 99:
                    fit -= 2 * strength
                else:
                    fit += 3 * strength
            work[FIT + MAX_SEATS * goal + seat] = fit


@inner
def _exclusive(problem: np.ndarray, goal: int, owner: int) -> bool:
    """Whether some other goal that has an owner rules this owner out, whatever the deal."""
    place = GOAL + GOAL_ROW * goal
    for other in range(problem[GOALS]):
        theirs = problem[GOAL + GOAL_ROW * other + G_OWNER]
        if theirs >= 0 and problem[place + (G_NOT_TOGETHER if theirs == owner else G_NOT_APART)] >> other & 1:
            return True
    return False


@inner
def undo(problem: np.ndarray) -> bool:
    """Take back what ``draw`` has settled; returns whether there is anything to settle."""
    free = False
    for goal in range(problem[GOALS]):
        place = GOAL + GOAL_ROW * goal
        seats = problem[place + G_SEATS]
        single = seats & (seats - 1) == 0
        problem[place + G_OWNER] = lowest(seats) if single else -1
        problem[place + G_FIRST] = problem[place + G_ALL_FIRST]
        problem[place + G_NUMBER] = problem[place + G_ALL_NUMBER]
        free = free or not single or (problem[place + G_ANY] != 0 and problem[place + G_NUMBER] > 1)
    return free


@njit(inline="always")  # a level of its own would compile all below it once more
def _draw(problem: np.ndarray, work: np.ndarray, noise: int) -> int:
    """Give every goal that is free an owner, and settle on one condition where one is enough: the first way found, by
    fits with noise, that is allowed and not lost already. To be called after ``lay_out`` and ``guess_fits``.

    Returns FOUND, NONE when there is no such way, or GAVE_UP after STEPS steps.
    """
    players = problem[PLAYERS]
    goals = problem[GOALS]
    undo(problem)
    order = np.empty(goals, np.int64)
    tried = np.zeros(goals, np.int64)
    number = 0
    for goal in range(goals):
        place = GOAL + GOAL_ROW * goal
        if problem[place + G_OWNER] < 0 or (problem[place + G_ANY] and problem[place + G_NUMBER] > 1):
            problem[place + G_OWNER] = -1
            order[number] = goal
            number += 1
    for place in range(number - 1, 0, -1):
        other = random_below(work, place + 1)
        order[place], order[other] = order[other], order[place]
    tally = 0
    for goal in range(goals):
        owner = problem[GOAL + GOAL_ROW * goal + G_OWNER]
        if owner >= 0 and _exclusive(problem, goal, owner):
            return NONE
        if owner >= 0 and problem[GOAL + GOAL_ROW * goal + G_FREE]:  # no owner was given, but only one seat may be it
            tally += 1 << COUNT_BITS * owner
    if tally and not counts_fit(problem, tally):
        return NONE
    if number == 0:
        return FOUND
    # A choice is a seat and, where one condition is enough, the condition: MAX_SEATS choices for each condition.
    points = np.full((number, 8 * MAX_SEATS), -1 << 40)
    for at in range(number):
        place = GOAL + GOAL_ROW * order[at]
        alternatives = min(8, problem[place + G_ALL_NUMBER]) if problem[place + G_ANY] else 1
        for way in range(alternatives):
            for seat in range(players):
                if not problem[place + G_SEATS] >> seat & 1:
                    continue
                fit = work[FIT + MAX_SEATS * order[at] + seat] + (random_below(work, noise) if noise else 0)
                if alternatives > 1:
                    row = CONDITION + CONDITION_ROW * (problem[place + G_ALL_FIRST] + way)
                    fit += 8 * popcount(work[HELD_BY + seat] & problem[row + C_CARDS])
                points[at, MAX_SEATS * way + seat] = fit
    held = work[TRICK_ROWS + T_HELD]
    at = 0
    tried[0] = 0
    for _ in range(STEPS):
        goal = order[at]
        place = GOAL + GOAL_ROW * goal
        owner = problem[place + G_OWNER]
        if owner >= 0:
            if problem[place + G_FREE]:
                tally -= 1 << COUNT_BITS * owner
            problem[place + G_OWNER] = -1
        best = -1
        for choice in range(8 * MAX_SEATS):
            possible = points[at, choice] > -1 << 40 and not tried[at] >> choice & 1
            if possible and (best < 0 or points[at, choice] > points[at, best]):
                best = choice
        if best < 0:
            at -= 1
            if at < 0:
                return NONE
            continue
        tried[at] |= 1 << best
        seat = best % MAX_SEATS
        now = tally + (1 << COUNT_BITS * seat if problem[place + G_FREE] else 0)
        if problem[place + G_FREE] and not counts_fit(problem, now):
            continue
        problem[place + G_OWNER] = seat
        if problem[place + G_ANY] and problem[place + G_ALL_NUMBER] > 1:
            problem[place + G_FIRST] = problem[place + G_ALL_FIRST] + best // MAX_SEATS
            problem[place + G_NUMBER] = 1
        tally = now
        if _exclusive(problem, goal, seat):
            continue
        if at + 1 == number and problem[MUST_OWN]:
            owned = False
            for other in range(goals):
                if problem[MUST_OWN] >> other & 1 and problem[GOAL + GOAL_ROW * other + G_OWNER] == problem[MUST_OWNER]:
                    owned = True
            if not owned:
                continue
        work[GOAL_ROWS + T_SAFE] = 0
        work[GOAL_ROWS + T_BROKEN] = 0
        if assess(problem, work, np.int64(0), problem[TRICKS], held, players) == DEAD:
            continue
        at += 1
        if at == number:
            return FOUND
        tried[at] = 0
    return GAVE_UP


@njit(inline="always")  # a level of its own would compile all below it once more
def draw(problem: np.ndarray, work: np.ndarray, noise: int) -> int:
    """As ``_draw``, for a trick that may have begun: a seat that has played to it holds its card while goals are assessed."""
    for turn in range(problem[PLAYED]):
        work[HELD_BY + wrap(problem[LEADER] + turn, problem[PLAYERS])] |= 1 << problem[TRICK + turn]
    with_hidden(problem, work, problem[HIDDEN])
    outcome = _draw(problem, work, noise)
    with_hidden(problem, work, problem[HIDDEN])
    for turn in range(problem[PLAYED]):
        work[HELD_BY + wrap(problem[LEADER] + turn, problem[PLAYERS])] ^= 1 << problem[TRICK + turn]
    return outcome


@inner
def blame(problem: np.ndarray, work: np.ndarray, points: int) -> None:
    """After a failed attempt: its owners suit a little less."""
    for goal in range(problem[GOALS]):
        place = GOAL + GOAL_ROW * goal
        if problem[place + G_SEATS] & (problem[place + G_SEATS] - 1):
            work[FIT + MAX_SEATS * goal + problem[place + G_OWNER]] -= points
