"""Compiles a position, as the referee left it, into the flat tables that the search kernel reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kernels import layout as at
from ..kernels.goals import count_past
from ..kernels.layout import COUNT_BITS
from .cards import FULL_DECK, mask_of
from .drafts import Counts
from .errors import InputError
from .exclusions import load_exclusions
from .goals import EACH_OTHER, NOBODY, OPENINGS, OTHERS_TOGETHER, TOGETHER, TRICKS, Condition, Duty
from .positions import Position
from .referee import Referee, condition_holds
from .tokens import ABSOLUTE, ARROWS, OMEGA


def precedence(cards: Sequence[int], tokens: Sequence[str | None], done: int) -> tuple[list[int], bool]:
    """What the tokens of the open tasks ask for, as sets.

    ``done`` is the number of tasks completed before. Returns per task the set of task cards that must be
    completed in the same trick or earlier, and whether the absolute ranks must be counted as well: they need
    not when the open absolute tokens are the next ones in a row, for then "k-th of all" says no more than
    "after every lower token, and every task without an absolute token after all of them".
    """
    rank = [int(token) - done if token in ABSOLUTE else 0 for token in tokens]
    counted = sorted(filter(None, rank)) != list(range(1, len([r for r in rank if r]) + 1))
    before = []
    for this, token in enumerate(tokens):
        earlier = [
            cards[other]
            for other, lower in enumerate(tokens)
            if other != this
            and (
                token == OMEGA
                or (token in ARROWS and lower in ARROWS and len(str(lower)) < len(str(token)))
                or (rank[other] and (rank[other] < rank[this] or (not rank[this] and not counted)))
            )
        ]
        before.append(mask_of(earlier))
    return before, counted


def pack(counts: Counts) -> int:
    """Task counts per seat in one number, as the kernel wants them."""
    return sum(count << COUNT_BITS * seat for seat, count in enumerate(counts))


def problem_from(referee: Referee) -> np.ndarray:
    """The kernel's problem (int64, see kernels.layout): complete the open tasks from where the referee stands."""
    position = referee.position
    players = position.players
    open_tasks = [index for index, task in enumerate(position.tasks) if task.target >= 0 and referee.completed[index] is None]
    completed = sum(task.target >= 0 for task in position.tasks) - len(open_tasks)
    cards = [position.tasks[index].target for index in open_tasks]
    before, counted = precedence(cards, [position.tasks[index].token for index in open_tasks], completed)
    tally = [0] * players
    for task, owner in zip(position.tasks, referee.owners, strict=True):
        if task.target >= 0 and task.owner is None and owner is not None:
            tally[owner] += 1
    problem = at.new_problem(max(1, len(position.counts)))
    problem[at.PLAYERS], problem[at.LEADER], problem[at.PLAYED] = players, referee.leader, len(referee.trick)
    problem[at.TRICKS], problem[at.COUNTED], problem[at.COMPLETED] = referee.tricks_left, counted, completed
    problem[at.TALLY], problem[at.OPEN_TASKS] = pack(tuple(tally)), mask_of(cards)
    problem[at.HANDS : at.HANDS + players] = referee.hands
    problem[at.TRICK : at.TRICK + len(referee.trick)] = referee.trick
    for index, card, earlier in zip(open_tasks, cards, before, strict=True):
        task = position.tasks[index]
        if task.owner is None:
            problem[at.FREE_TASKS] |= 1 << card
            problem[at.OWNERS + card] = sum(1 << seat for seat in range(players) if any(counts[seat] for counts in position.counts))
        else:
            problem[at.OWNERS + card] = 1 << task.owner
        problem[at.BEFORE + card] = earlier
        problem[at.RANK + card] = int(task.token) if task.token in ABSOLUTE else 0
    problem[at.ALLOWED :] = [pack(counts) for counts in position.counts] or [0]
    problem[at.TRICKS_BEFORE] = len(referee.history)
    _write_hands(problem, referee)
    if position.duties:
        seats = {duty: mask_of(referee.seats_of(duty)) for duty in position.duties if duty.holder_of >= 0}
        duties = [duty._replace(seats=seats.get(duty, duty.seats)) for duty in position.duties]
        write_goals(problem, duties, [task.owner is None for task in position.tasks], position.hardest, position.captain)
        _write_exclusions(problem, position)
        if referee.history:
            tricks = zip(referee.history, referee.led_from, strict=False)  # of a trick begun the leader is known too
            columns = zip(*((cards, leader, winner, choice) for (leader, cards, winner, _), choice in tricks), strict=True)
            count_past(problem, at.new_memory(4).work, *(np.array(column, np.int64) for column in columns))
            _write_broken(problem, referee)
    return problem


def _write_hands(problem: np.ndarray, referee: Referee) -> None:
    """Write what changes in the hands: columns, and exchanges to come."""
    problem[at.ENDS] = referee.position.ends_with_tasks
    problem[at.BENEATH : at.BENEATH + at.MAX_CARDS] = -1
    problem[at.PASSED : at.PASSED + at.MAX_SEATS] = -1
    problem[at.HASHED] = bool(referee.hidden or referee.exchanges)
    for seat, hand in enumerate(referee.hands):
        if hand & referee.hidden:
            problem[at.THIRD], problem[at.HIDDEN] = seat, referee.hidden
    for card, hidden in referee.columns:
        if hidden >= 0:
            problem[at.BENEATH + card] = hidden
    for exchange in referee.exchanges:
        if exchange.after == len(referee.history):
            problem[at.PASS_NOW] = at.PASS_ANY if exchange.after else at.PASS_COLOURS
            problem[at.PASS_NOW_TO] = exchange.to
        else:
            problem[at.PASS_AFTER], problem[at.PASS_TO] = exchange.after - len(referee.history), exchange.to
            problem[at.PASS_DRAWN] = not exchange.order
            problem[at.PRIORITY : at.PRIORITY + at.MAX_CARDS] = at.MAX_CARDS
            for place, card in enumerate(exchange.order):
                problem[at.PRIORITY + card] = place


def write_goals(problem: np.ndarray, duties: Sequence[Duty], free: Sequence[bool], hardest: Sequence[int], captain: int) -> None:
    """Write the goals into a problem. ``free`` says of each task whether its owner is up to the draft; ``hardest`` are the
    tasks of which the captain must own one.

    Raises InputError for more goals or conditions than the kernel has room for.
    """
    if len(duties) > at.MAX_GOALS or sum(len(duty.goal.conditions) for duty in duties) > at.MAX_CONDITIONS:
        raise InputError(f"{len(duties)} goals are too many: the search takes {at.MAX_GOALS}, with {at.MAX_CONDITIONS} conditions in all")
    first, tricks = 0, int(problem[at.TRICKS] + problem[at.TRICKS_BEFORE])
    for goal, duty in enumerate(duties):
        row = at.GOAL + at.GOAL_ROW * goal
        together = any(condition.against == TOGETHER for condition in duty.goal.conditions)
        seats = (1 << int(problem[at.PLAYERS])) - 1 if together else duty.seats  # whoever is aimed at, it counts for all
        single = seats & (seats - 1) == 0
        problem[row + at.G_OWNER] = seats.bit_length() - 1 if single else -1
        problem[row + at.G_FIRST], problem[row + at.G_NUMBER] = first, len(duty.goal.conditions)
        problem[row + at.G_ALL_FIRST], problem[row + at.G_ALL_NUMBER] = first, len(duty.goal.conditions)
        problem[row + at.G_ANY], problem[row + at.G_SEATS] = duty.goal.any_of, seats
        if duty.holder_of >= 0:
            problem[row + at.G_HOLDER_OF], problem[row + at.G_STEPS] = duty.holder_of, duty.steps
        for other, theirs in enumerate(duties if duty.role else ()):
            problem[row + at.G_NOT_TOGETHER] |= (bool(theirs.role) and other != goal) << other
        problem[row + at.G_FREE] = duty.task >= 0 and free[duty.task]
        for condition in duty.goal.conditions:
            start = at.CONDITION + at.CONDITION_ROW * first
            problem[start : start + at.CONDITION_ROW] = (*condition, is_special(condition, tricks), 0, 0)
            first += 1
    problem[at.GOALS], problem[at.CONDITIONS] = len(duties), first
    if hardest:
        problem[at.MUST_OWN] = sum(1 << goal for goal, duty in enumerate(duties) if duty.task in hardest)
        problem[at.MUST_OWNER] = captain


def _write_broken(problem: np.ndarray, referee: Referee) -> None:
    """Write for which seats a condition that has to hold after every trick has not; the referee says so."""
    leaders = [leader for leader, _, _, _ in referee.history]
    winners = [winner for _, _, winner, _ in referee.history]
    line = [card for _, cards, _, _ in referee.history for card in cards]
    players = referee.position.players
    conditions = [condition for duty in referee.position.duties for condition in duty.goal.conditions]
    for index, condition in enumerate(conditions):
        for seat in range(players if condition.always else 0):
            if not condition_holds(condition, seat, leaders, winners, referee.led_from, line, players, len(leaders)):
                problem[at.CONDITION + at.CONDITION_ROW * index + at.C_BROKEN] |= 1 << seat


def _write_exclusions(problem: np.ndarray, position: Position) -> None:
    """Write which goals of tasks exclude each other whatever the deal. Only for the full deck and
    hands that stay as they are: the proofs are about that."""
    if position.deck != FULL_DECK or position.columns or position.exchanges:
        return
    for same_owner, field in ((False, at.G_NOT_APART), (True, at.G_NOT_TOGETHER)):
        pairs = load_exclusions(position.players, same_owner=same_owner)
        for goal, duty in enumerate(position.duties):
            for other, theirs in enumerate(position.duties):
                if min(duty.task, theirs.task) >= 0 and duty.task != theirs.task:
                    slugs = frozenset(str(position.tasks[task].card) for task in (duty.task, theirs.task))
                    problem[at.GOAL + at.GOAL_ROW * goal + field] |= int(slugs in pairs) << other


def is_special(condition: Condition, tricks: int) -> bool:
    """Whether the kernel has to count the tricks one by one: they must have some property, or be certain ones of the
    ``tricks`` of an attempt in a comparison, or it counts openings."""
    usual = Condition(TRICKS)
    plain = all(getattr(condition, name) == getattr(usual, name) for name in _PROPERTIES)
    some = condition.against != NOBODY and condition.numbers & (1 << tricks) - 1 != (1 << tricks) - 1
    return condition.count == OPENINGS or (condition.count == TRICKS and (some or not plain))


_PROPERTIES = ("won_with", "captures", "holds", "only", "sum_low", "sum_high", "equal", "equal_to", "closed_with", "after")
assert (NOBODY, EACH_OTHER, OTHERS_TOGETHER, TOGETHER) == (at.AGAINST_NOBODY, at.AGAINST_EACH, at.AGAINST_TOGETHER, at.TOGETHER)
