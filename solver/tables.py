"""Compiles a position, as the referee left it, into the flat tables that the search kernel reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kernels import layout as at
from ..kernels.layout import COUNT_BITS
from .cards import mask_of
from .drafts import Counts
from .referee import Referee
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
    open_tasks = [index for index, trick in enumerate(referee.completed) if trick is None]
    completed = len(position.tasks) - len(open_tasks)
    cards = [position.tasks[index].card for index in open_tasks]
    before, counted = precedence(cards, [position.tasks[index].token for index in open_tasks], completed)
    tally = [0] * players
    for task, owner in zip(position.tasks, referee.owners, strict=True):
        if task.owner is None and owner is not None:
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
    return problem
