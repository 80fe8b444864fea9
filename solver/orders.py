"""In which order the tasks of a position can be completed, tokens or not; and which token breaks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from .errors import InputError
from .positions import Position
from .questions import Conflict, Demand, Questions, demands_of
from .referee import Referee

MOST_LISTED = 5
"""Open tasks up to which the possible orders are counted one by one."""
BY_TOKENS = ("order", "rank", "tokens")
"""The kinds of demands that tokens make."""


@dataclass(frozen=True)
class Timing:
    """The first and the last trick, by number, in which a task can be completed; ``done``: it is completed already."""

    task: int
    earliest: int
    latest: int
    done: bool = False


@dataclass(frozen=True)
class Pair:
    """Two open tasks: whether the first can be completed in an earlier trick than the other, in the same one, in a later one."""

    task: int
    other: int
    earlier: bool
    same: bool
    later: bool

    @property
    def forced(self) -> tuple[int, int] | None:
        """The tasks as they must come, one not after the other; None when both ways are possible, or neither."""
        if self.earlier == self.later:
            return None
        return (self.task, self.other) if self.earlier else (self.other, self.task)


@dataclass(frozen=True)
class Order:
    """What is known about the order of completing tasks, leaving their tokens aside.

    ``possible``: whether all tasks can be completed at all, without tokens; if not, nothing else is said but ``lost``, how the
    plays have lost the mission, if they have. ``orders`` are all
    possible orders of the open tasks, by index, None for more than MOST_LISTED; tasks completed in one trick count in either
    order. ``chain`` are the forced pairs that do not follow from others. With tokens, ``kept`` says whether they can be
    kept, None when that is not known or there are none; if not, ``conflict`` are demands of theirs that cannot be met together, and
    ``breaking`` the tasks each of whose tokens, left out alone, would make it winnable.
    """

    position: Position
    possible: bool
    timings: tuple[Timing, ...] = ()
    pairs: tuple[Pair, ...] = ()
    chain: tuple[tuple[int, int], ...] = ()
    orders: tuple[tuple[int, ...], ...] | None = None
    kept: bool | None = None
    conflict: Conflict | None = None
    breaking: tuple[int, ...] = ()
    unanswered: int = 0
    lost: str | None = None


def order(position: Position) -> Order:
    """Find out in which orders the tasks of a position can be completed, from where its plays end.

    Raises InputError for illegal plays, and for a position without tasks that show a card: only those are completed in a trick
    of their own.
    """
    if not any(task.target >= 0 for task in position.tasks):
        raise InputError(
            "there is no order to look at: the position has no task that shows a card, and other goals hold or fail at the end"
        )
    referee = Referee(position)
    if referee.failure is not None:
        return Order(position, False, lost=referee.failure)
    with Questions(position) as questions:
        given = [demand for demand in questions.demands if demand.kind not in BY_TOKENS]
        by_tokens = [demand for demand in questions.demands if demand.kind in BY_TOKENS]
        if questions.ask(given) is False:
            return Order(position, False)
        timings = [_timing(questions, given, index, done) for index, done in enumerate(referee.completed)]
        if not all(timings):  # not seen in one question, but in many
            return Order(position, False, unanswered=questions.unanswered)
        still_open = [index for index, done in enumerate(referee.completed) if done is None]
        pairs = tuple(_pair(questions, given, one, other) for one, other in combinations(still_open, 2))
        orders = tuple(_orders(questions, given, (), still_open)) if len(still_open) <= MOST_LISTED else None
        kept, conflict, breaking = None, None, []
        if referee.won:
            kept = True if any(task.token for task in position.tasks) else None
        elif by_tokens:
            answer = questions.ask(questions.demands)
            kept = None if answer is None else answer is not False
            if kept is False:
                conflict = questions.conflict(by_tokens, given)
                breaking = [index for index in still_open if position.tasks[index].token and _kept_without(questions, given, index)]
        known = tuple(filter(None, timings))
        return Order(
            position, True, known, pairs, _chain(pairs), orders, kept, conflict, tuple(breaking), unanswered=questions.unanswered
        )  # fmt: skip


def _timing(questions: Questions, given: Sequence[Demand], task: int, done: int | None) -> Timing | None:
    """When the task can be completed; None when it cannot."""
    if done is not None:
        return Timing(task, done, done, True)
    numbers = range(len(questions.referee.history) + 1, questions.position.tricks + 1)
    possible = (number for number in numbers if questions.can(given, Demand("trick", task, number=number)))
    earliest = next(possible, None)
    if earliest is None:
        return None
    latest = (number for number in reversed(numbers) if questions.can(given, Demand("trick", task, number=number)))
    return Timing(task, earliest, next(latest, earliest))


def _pair(questions: Questions, given: Sequence[Demand], one: int, other: int) -> Pair:
    earlier = questions.can(given, Demand("before", one, other))
    later = questions.can(given, Demand("before", other, one))
    return Pair(one, other, earlier, questions.can(given, Demand("together", one, other)), later)


def _chain(pairs: Sequence[Pair]) -> tuple[tuple[int, int], ...]:
    """The forced pairs without those that follow from two others."""
    forced = {pair.forced for pair in pairs if pair.forced is not None}
    tasks = {task for pair in forced for task in pair}
    return tuple(sorted(pair for pair in forced if not any({(pair[0], task), (task, pair[1])} <= forced for task in tasks)))


def _orders(questions: Questions, given: Sequence[Demand], first: tuple[int, ...], left: Sequence[int]) -> list[tuple[int, ...]]:
    """The possible orders that begin like this."""
    if not left:
        return [first]
    found = []
    for task in left:
        rest = [other for other in left if other != task]
        demands = [*given, *(Demand("order", task, other) for other in rest)]
        if questions.ask(demands) is not False:
            found += _orders(questions, demands, (*first, task), rest)
    return found


def _kept_without(questions: Questions, given: Sequence[Demand], index: int) -> bool:
    """Whether the tokens can be kept when the one of this task is left out."""
    position = questions.position
    tasks = [replace(task, token=None) if place == index else task for place, task in enumerate(position.tasks)]
    try:
        changed = replace(position, tasks=tuple(tasks))
    except InputError:  # an arrow that has lost its predecessor
        return False
    left = [demand for demand in demands_of(changed, Referee(changed)) if demand.kind in ("order", "rank")]
    return questions.ask([*given, *left]) not in (False, None)
