"""The front door: a position in, a verdict out.

A guided search looks for a line; SAT decides what resists; what keeps SAT busy falls to exhausting a relaxed game,
which tells only some suits apart, or the real one. A ``winnable`` is returned only with a line that the
referee has accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, product
from math import prod
from time import perf_counter
from typing import Any

import numpy as np

from ..kernels.layout import FREE_TASKS, G_OWNER, GOAL, GOAL_ROW, LINE, LINE_LENGTH, MAX_CARDS, PASSED, PRIORITY, Memory, new_memory
from ..kernels.search import LOST, OUT_OF_NODES, WON, dive, search
from ..kernels.table import EXACT, forget
from . import sat
from .cards import FULL_DECK, RANKS, SUIT_NAMES, TRUMP, cards_of, format_card, suit_of
from .counting import too_few_tricks
from .errors import InputError
from .exclusions import load_exclusions
from .positions import LEFT, Position
from .referee import Referee
from .tables import problem_from

ENGINES = ("auto", "search", "sat")
WINNABLE, UNWINNABLE, UNDECIDED = "winnable", "unwinnable", "undecided"

DIVES = 24
DIVE_NODES = 200
DIVE_NOISE = 24
"""The first searches of a position: many short ones, since run times are heavy-tailed."""
GOAL_DIVES = 400
GOAL_DIVE_NODES = 60
GOAL_NODES = 10_000
"""The same with goals, each with owners of its own: even shorter and more."""
MOST_CHOICES = 20_000
"""Owners are tried one by one up to so many ways to choose them."""


@dataclass(frozen=True)
class Verdict:
    """The answer to one position.

    ``verdict`` is winnable, unwinnable or undecided (only under a limit). ``line`` is every card of every trick of a
    winning attempt in play order, the plays given included; ``won_after`` is the number of the trick that
    completes the last task, after which any legal plays do; ``owners`` is the owner of each task in it. ``decided_by``
    is search, sat, plays (the plays given decide it) or limit; ``nodes`` counts cards placed by the search; ``reason``
    says in words what already makes it impossible, where that is known.

    What the crew decided besides, where it had a choice: ``tokens`` of the tasks, ``moved``, a task by index with the seats
    it went from and to, ``passes`` as (tricks before, direction, card of each seat), ``roles`` with their seats.
    """

    verdict: str
    decided_by: str
    line: tuple[tuple[int, ...], ...] | None = None
    owners: tuple[int, ...] | None = None
    won_after: int | None = None
    nodes: int = 0
    seconds: float = 0.0
    reason: str | None = None
    tokens: tuple[str | None, ...] | None = None
    moved: tuple[int, int, int] | None = None
    passes: tuple[tuple[int, int, tuple[int, ...]], ...] = ()
    roles: tuple[tuple[str, int], ...] = ()

    def to_json(self, game: str = "planet-nine") -> dict[str, Any]:
        """The answer object, ready for ``json.dumps``; cards as in notation, time in milliseconds."""
        line = None if self.line is None else [[format_card(card, game) for card in trick] for trick in self.line]
        choices: dict[str, Any] = {"roles": dict(self.roles)} if self.roles else {}
        if self.tokens is not None:
            choices["tokens"] = list(self.tokens)
        if self.moved is not None:
            choices["moved"] = dict(zip(("task", "from", "to"), self.moved, strict=True))
        if self.passes:
            choices["passes"] = [
                {"after": after, "to": "left" if to == LEFT else "right", "cards": [format_card(card, game) for card in cards]}
                for after, to, cards in self.passes
            ]
        return {
            "verdict": self.verdict,
            "line": line,
            "owners": None if self.owners is None else list(self.owners),
            "won_after": self.won_after,
            "decided_by": self.decided_by,
            "nodes": self.nodes,
            "ms": round(self.seconds * 1000, 3),
            "reason": self.reason,
            **choices,
        }


@lru_cache(maxsize=1)
def _memory() -> Memory:
    """This process's memory for single positions: 4 million lost boundaries."""
    return new_memory(22)


def winning_verdict(
    position: Position, line: Sequence[int], decided_by: str, nodes: int = 0, owners: Sequence[int] | None = None
) -> Verdict:
    """Turn a line (all cards from trick 1, to the win at least) into a verdict, if the referee accepts it.

    ``owners`` are the owners of all tasks, where the line comes with them. Tricks after the win are filled with any
    legal plays. Raises RuntimeError when the referee does not accept:
    that is a fault of ours, never of the input.
    """
    given = [a if a is not None else b for a, b in zip(position.owners, owners or position.owners, strict=True)]
    if owners is not None and (list(owners) != given or (None in position.owners and not position.may_own(owners))):
        raise RuntimeError(f"the distribution does not allow the owners {list(owners)} found by {decided_by}")
    referee = Referee(replace(position.with_owners(given), plays=()))
    try:
        for card in line:
            referee.play(card)
    except InputError as error:
        raise RuntimeError(f"the referee refuses the line found by {decided_by}: {error}") from error
    while plays := referee.legal_plays():
        referee.play(plays[0])
    if not referee.won:
        raise RuntimeError(f"the referee does not accept the line found by {decided_by}: {referee.failure}")
    found = tuple(owner for owner in referee.owners if owner is not None)
    won_after = max((number for number in referee.completed if number is not None), default=0)
    tricks = tuple(cards for _, cards, _, _ in referee.history)
    return Verdict(
        WINNABLE, decided_by, tricks, found, won_after, nodes, passes=tuple(referee.passes), roles=tuple(referee.roles.items())
    )  # fmt: skip


def with_passes(position: Position, referee: Referee, passes: Sequence[Sequence[int]]) -> Position:
    """The position with what is passed in the exchanges that are still to come where the referee stands, one entry for each."""
    if not passes:
        return position
    done = [exchange for exchange in position.exchanges if exchange not in referee.exchanges]
    now = [replace(exchange, order=tuple(cards)) for exchange, cards in zip(referee.exchanges, passes, strict=True)]
    return replace(position, exchanges=(*done, *now))


def dive_budget(free: bool) -> int:
    """Nodes for the dives, before SAT is asked. With free owners nearly every position has a line that more
    dives find; with fixed owners what resists is mostly unwinnable, and dives cannot show that."""
    return 40_000 if free else 16_000


def _levels(referee: Referee) -> list[int]:
    """The games worth exhausting, smallest first: sets of suits with open tasks, then all suits, the real game.

    Goals look at all cards, and so do columns and passes, so with them there is only the real game.
    """
    if referee.position.duties or referee.hidden or referee.exchanges:
        return [EXACT]
    tasks = zip(referee.position.tasks, referee.completed, strict=True)
    suits = sorted({suit_of(task.target) for task, trick in tasks if trick is None and task.target >= 0})
    smaller = [sum(1 << suit for suit in some) for size in range(1, min(len(suits), 3) + 1) for some in combinations(suits, size)]
    return [*smaller, EXACT]


def _reason(level: int) -> str | None:
    if level == EXACT:
        return None
    names = " and ".join(SUIT_NAMES[suit] for suit in range(4) if level >> suit & 1)
    return f"the {names} tasks alone make it impossible, whatever the ranks in the other colours"


def _excluded(position: Position) -> str | None:
    """Two tasks of a full deck whose owners are given and that exclude each other whatever the deal, in words."""
    tasks = [task for task in position.tasks if task.target < 0 and task.owner is not None]
    for one, other in combinations(tasks if position.deck == FULL_DECK else [], 2):
        same = one.owner == other.owner
        if frozenset((str(one.card), str(other.card))) in load_exclusions(position.players, same_owner=same):
            return f"{one.card} and {other.card} exclude each other at {'one owner' if same else 'two owners'}, whatever the deal"
    return None


class Limits:
    """The caller's limits and what is used of them."""

    def __init__(self, nodes: int | None, seconds: float | None) -> None:
        self._nodes, self._seconds = nodes, seconds
        self._start = perf_counter()
        self.used_nodes = 0

    @property
    def used_seconds(self) -> float:
        return perf_counter() - self._start

    @property
    def seconds_left(self) -> float | None:
        """None without a limit."""
        return None if self._seconds is None else max(0.0, self._seconds - self.used_seconds)

    def nodes_for(self, wanted: int) -> int:
        """How many of the nodes wanted may be spent before the next look at the clock; 0 when a limit is reached."""
        if self.seconds_left == 0:
            return 0
        if self._seconds is not None:
            wanted = min(wanted, 100_000)
        return wanted if self._nodes is None else min(wanted, self._nodes - self.used_nodes)


def _owners(referee: Referee, problem: np.ndarray) -> list[int] | None:
    """The owners of the tasks as the search chose them, where all tasks have goals; None where the line tells."""
    duties = [duty.task for duty in referee.position.duties]
    if not referee.position.tasks or any(task not in duties for task in range(len(referee.position.tasks))):
        return None
    return [int(problem[GOAL + GOAL_ROW * duties.index(task) + G_OWNER]) for task in range(len(referee.position.tasks))]


def _choices(referee: Referee) -> list[tuple[int, ...]] | None:
    """All ways to give every goal one seat that has to fulfil it, as the draft allows, one seat per goal; None when
    there are too many to try one by one."""
    position, duties = referee.position, referee.position.duties
    seats = [tuple(referee.seats_of(duty) if duty.holder_of >= 0 else cards_of(duty.seats)) for duty in duties]
    if prod(map(len, seats)) > MOST_CHOICES:
        return None
    ways: Iterable[tuple[int, ...]] = product(*seats)
    goals = [next((goal for goal, duty in enumerate(duties) if duty.task == task), -1) for task in range(len(position.tasks))]
    roles = [goal for goal, duty in enumerate(duties) if duty.role]
    ways = [way for way in ways if len({way[goal] for goal in roles}) == len(roles)]
    if None not in position.owners or -1 in goals:  # owners of card tasks follow from the play
        return ways
    return [way for way in ways if position.may_own([way[goal] for goal in goals])]


def _dive_on(problem: np.ndarray, nodes: int, limits: Limits) -> int | None:
    """More short searches, as long as these nodes last: WON, LOST, OUT_OF_NODES, or None when a limit is reached."""
    memory = _memory()
    forget(memory)
    spent = 0
    while spent < nodes:
        budget = limits.nodes_for(nodes - spent)
        if budget <= 0:
            return None
        status, used = dive(problem, memory, GOAL_DIVES, GOAL_DIVE_NODES, DIVE_NOISE, budget, limits.used_nodes + 1)
        spent += max(int(used), 1)
        limits.used_nodes += max(int(used), 1)
        if status != OUT_OF_NODES:
            return int(status)
    return OUT_OF_NODES


def _exhaust_choices(problem: np.ndarray, choices: list[tuple[int, ...]], level: int, nodes: int, limits: Limits) -> int | None:
    """As ``_exhaust``, for every choice of owners of the goals; the choices shown to be lost leave the list."""
    for choice in list(choices):
        for goal, seat in enumerate(choice):
            problem[GOAL + GOAL_ROW * goal + G_OWNER] = seat
        outcome = _exhaust(problem, level, max(nodes // len(choices), 1000), limits)
        if outcome == LOST:
            choices.remove(choice)
        elif outcome != OUT_OF_NODES:
            return outcome
    return OUT_OF_NODES if choices else LOST


def _exhaust(problem: np.ndarray, level: int, nodes: int, limits: Limits) -> int | None:
    """Search one level with this many nodes: WON, LOST, OUT_OF_NODES, or None when a limit of the caller is reached.

    The level is searched in one go; only the caller's limits cut it into slices, each starting over with
    the lost boundaries of those before.
    """
    memory = _memory()
    forget(memory)
    spent = 0
    while spent < nodes:
        budget = limits.nodes_for(nodes - spent)
        if budget <= 0:
            return None
        status, used = search(problem, memory, level, budget, 0, 1)
        spent += int(used)
        limits.used_nodes += int(used)
        if status != OUT_OF_NODES:
            return int(status)
    return OUT_OF_NODES


def _rounds(referee: Referee) -> Iterator[tuple[int, int]]:
    """Growing budgets for a position that resists: conflicts for SAT, then nodes for each level.

    SAT decides nearly everything in its first round, of a fifth of a second or, with goals, some eight. Rare deals keep it busy
    for minutes and fall to a relaxed game, nearly all of them with three players: there the levels get most of the time, a
    sixth of a second each, and SAT a fiftieth for each level. Since both budgets grow by the same factor,
    whichever method suits the position costs at most a constant factor more than alone. With goals there is no relaxed
    game, and the real one can seldom be exhausted where SAT has trouble. Counted like this, and not by the clock, a
    position is decided by the same method on every machine.
    """
    levels = len(_levels(referee))
    if referee.position.duties:
        conflicts, nodes = 100_000, 1_000_000
    elif referee.position.players == 3 and levels > 1:
        conflicts, nodes = 500 * levels, 1_000_000
    else:
        conflicts, nodes = 8_000, 300_000
    while True:
        yield conflicts, nodes
        conflicts, nodes = conflicts * 4, nodes * 4


def decide(position: Position, engine: str, limits: Limits, dives: int = DIVES) -> Verdict:
    """The verdict on a position; ``dives`` is the number of short searches made first, 0 when they have been made for the
    position as it is.

    Whatever the crew may decide beforehand is tried: first by short searches, then, in the same order, for good. Raises
    InputError for illegal plays.
    """
    # Of many moves one formula decides as fast as of none; the search alone has to go through them.
    together = position.one_may_move and engine != "search" and all(task.target >= 0 for task in position.tasks)
    ways = [_Case(way, engine, limits, together) for way in position.alternatives(moves=not together)]
    tried = []
    for number, case in enumerate(ways):
        verdict = case.at_once() or (case.by_dives(dives if number == 0 else DIVES) if engine != "sat" else None)
        if verdict is not None and verdict.verdict != UNWINNABLE:
            return _with_choices(position, case.position, verdict)
        tried.append(verdict)
    for number, case in enumerate(ways):
        verdict = tried[number] or case.for_good()
        if verdict.verdict != UNWINNABLE:
            return _with_choices(position, case.position, verdict)
        tried[number] = verdict
    first = tried[0]
    assert first is not None
    return replace(first, nodes=limits.used_nodes, reason=first.reason if len(ways) == 1 else None)


def _with_choices(asked: Position, found: Position, verdict: Verdict) -> Verdict:
    """The verdict on one of the alternatives of the position asked for, with what the crew decided."""
    tokens = tuple(task.token for task in found.tasks)
    changed = tokens != tuple(task.token for task in asked.tasks)
    moved = None
    if found.moved is not None:
        task, giver = found.moved
        moved = (task, giver, found.tasks[task].owner or 0)
    return replace(verdict, tokens=tokens if changed else None, moved=moved)


class _Case:
    """One of the alternatives of a position on its way to a verdict."""

    def __init__(self, position: Position, engine: str, limits: Limits, one_moves: bool = False) -> None:
        self.position, self.engine, self.limits, self.one_moves = position, engine, limits, one_moves
        self.referee = Referee(position)
        self.played = [card for _, cards, _, _ in self.referee.history for card in cards]
        self.passing = any(not exchange.order for exchange in self.referee.exchanges)
        self._problem: np.ndarray | None = None

    @property
    def problem(self) -> np.ndarray:
        """What the search kernels work on."""
        if self._problem is None:
            self._problem = problem_from(self.referee)
        return self._problem

    def at_once(self) -> Verdict | None:
        """The verdict, when the plays given decide it, or numbers alone."""
        if self.referee.failure is not None:
            return Verdict(UNWINNABLE, "plays", reason=self.referee.failure)
        if self.engine != "sat" and not self.one_moves and (reason := too_few_tricks(self.referee)):
            return Verdict(UNWINNABLE, "search", reason=reason)
        if self.referee.won:
            # whatever is passed: already won
            passes = [exchange.order or tuple(range(MAX_CARDS if exchange.after else TRUMP * RANKS)) for exchange in self.referee.exchanges]
            return winning_verdict(with_passes(self.position, self.referee, passes), [*self.played, *self.referee.trick], "plays")
        return None

    def by_dives(self, dives: int) -> Verdict | None:
        """The verdict, when so many short searches find one."""
        if not dives:
            return None
        problem, memory = self.problem, _memory()
        forget(memory)
        each, wanted = DIVE_NODES, dive_budget(bool(problem[FREE_TASKS]))
        if self.position.duties or self.passing:
            dives, each, wanted = GOAL_DIVES, GOAL_DIVE_NODES, GOAL_NODES
        status, used = dive(problem, memory, dives, each, DIVE_NOISE, self.limits.nodes_for(wanted), 1)
        self.limits.used_nodes += int(used)
        if status == WON:
            return self._won()
        if status == LOST and not self.one_moves:
            return Verdict(UNWINNABLE, "search", nodes=self.limits.used_nodes, reason=_excluded(self.position))
        return None

    def for_good(self) -> Verdict:
        """The verdict, undecided only when a limit is reached."""
        limits = self.limits
        choices: list[tuple[int, ...]] | None = None
        for conflicts, nodes in _rounds(self.referee):
            if self.engine != "search":
                if limits.seconds_left == 0:
                    return self._undecided()
                most = conflicts if self.engine == "auto" and not self.one_moves else None
                answer = sat.decide(self.referee, seconds=limits.seconds_left, conflicts=most, one_moves=self.one_moves)
                if answer.status == WINNABLE:
                    self._move(answer.owners)
                    owners = answer.owners if self.position.duties else None
                    position = with_passes(self.position, self.referee, answer.passes)
                    return winning_verdict(position, answer.line, "sat", limits.used_nodes, owners)
                if answer.status == UNWINNABLE:
                    return Verdict(UNWINNABLE, "sat", nodes=limits.used_nodes)
            for level in _levels(self.referee) if self.engine != "sat" and not self.one_moves else ():
                choices = choices or _choices(self.referee)
                if choices is not None and not self.passing:
                    outcome = _exhaust_choices(self.problem, choices, level, nodes, limits)
                else:
                    outcome = _dive_on(self.problem, nodes, limits)
                if outcome == LOST:
                    return Verdict(UNWINNABLE, "search", nodes=limits.used_nodes, reason=_reason(level))
                if outcome == WON and level == EXACT:
                    return self._won()
                if outcome is None:
                    return self._undecided()
        raise AssertionError("unreachable: the rounds never end")

    def _move(self, owners: Sequence[int]) -> None:
        """Make the move after which the tasks have these owners, if there is one."""
        for index, (task, owner) in enumerate(zip(self.position.tasks, owners, strict=True)):
            if self.one_moves and task.owner is not None and owner != task.owner:
                tasks = (*self.position.tasks[:index], replace(task, owner=owner), *self.position.tasks[index + 1 :])
                self.position = replace(self.position, tasks=tasks, moved=(index, task.owner))
                return

    def _won(self) -> Verdict:
        """The verdict on the line that the search has left in memory."""
        work = _memory().work
        line = self.played + work[LINE : LINE + work[LINE_LENGTH]].tolist()
        passes = []
        for exchange in self.referee.exchanges:
            if exchange.after == len(self.referee.history):
                passes.append(tuple(self.problem[PASSED : PASSED + self.position.players].tolist()))
            else:
                priority = self.problem[PRIORITY : PRIORITY + MAX_CARDS]
                passes.append(exchange.order or tuple(np.argsort(priority, kind="stable").tolist()))
        return winning_verdict(
            with_passes(self.position, self.referee, passes), line, "search", self.limits.used_nodes, _owners(self.referee, self.problem)
        )

    def _undecided(self) -> Verdict:
        return Verdict(UNDECIDED, "limit", nodes=self.limits.used_nodes)


def check_limits(engine: str, limit_nodes: int | None, limit_seconds: float | None) -> None:
    """Raise InputError for an unknown engine and for a limit that is not positive."""
    if engine not in ENGINES:
        raise InputError(f"unknown engine {engine!r}: it is one of {', '.join(ENGINES)}")
    for name, limit in (("nodes", limit_nodes), ("seconds", limit_seconds)):
        if limit is not None and not limit > 0:
            raise InputError(f"the limit of {limit} {name} must be above 0")


def solve(position: Position, *, engine: str = "auto", limit_nodes: int | None = None, limit_seconds: float | None = None) -> Verdict:
    """Decide whether a position can be won, with every card face up and everyone pulling together.

    ``engine``: ``auto`` (search, completed by SAT), ``search`` or ``sat`` alone. Without limits the answer is always winnable
    or unwinnable; ``limit_nodes`` (cards placed by the search; SAT is not bound by it) and ``limit_seconds`` (wall clock)
    allow undecided.

    Raises InputError for illegal plays, an unknown engine or a limit that is not positive.
    """
    check_limits(engine, limit_nodes, limit_seconds)
    limits = Limits(limit_nodes, limit_seconds)
    if engine == "search" and limit_nodes is limit_seconds is None and any(not exchange.order for exchange in position.exchanges):
        raise InputError("the search alone cannot show that no cards passed win: use SAT with it (auto), or set a limit")
    verdict = decide(position, engine, limits)
    return replace(verdict, seconds=limits.used_seconds)
