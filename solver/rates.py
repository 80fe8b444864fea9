"""Rates: one load, many random deals, how many can be won. Deals are decided in chunks, on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import nlargest
from math import sqrt
from time import perf_counter
from typing import Any

import numpy as np
from numba import njit

from ..kernels.batch import AGAINST_CAPTAIN, CAPTAIN, COLUMNS, HOLDER_OF, OTHERS, PASS, TOKEN_BIT, decide_deals
from ..kernels.layout import Memory, new_memory
from ..kernels.search import OUT_OF_NODES, WON
from .cases import case_from_position
from .deals import check_number, check_players
from .drafts import check_draft
from .errors import InputError
from .intervals import Z95, wilson
from .loads import Load, cannot_deal, deal_load, drawn, load_table, new_deals, seats_of
from .missions import Mission, find_missions
from .positions import DIRECTIONS, Exchange, Position
from .referee import AGAINST, HOLDS, TOKEN_CODES, counts_allowed, fulfilling, play_out, seats_fit, tricks_to_win
from .takes import chance
from .verdicts import (
    DIVE_NODES,
    DIVE_NOISE,
    DIVES,
    GOAL_DIVE_NODES,
    GOAL_DIVES,
    GOAL_NODES,
    UNDECIDED,
    UNWINNABLE,
    WINNABLE,
    Limits,
    check_limits,
    decide,
    dive_budget,
)
from .workers import spread

_LONGEST_CHUNK = 2000
_SAMPLES = 20
"""Random cards taken, for each deal whose worth is expected: the mean over the deals needs few for each."""


@dataclass
class Tally:
    """What a chunk of deals came to; ``effort`` holds (seconds, index) of deals that took long."""

    deals: int = 0
    winnable: int = 0
    unwinnable: int = 0
    undecided: int = 0
    by_search: int = 0
    by_sat: int = 0
    nodes: int = 0
    redealt: int = 0
    replaced: int = 0
    gained: int = 0
    chance: float = 0.0
    chance_squared: float = 0.0
    effort: list[tuple[float, int]] = field(default_factory=list)

    def add(self, other: Tally, slowest: int = 0) -> None:
        """Add another chunk, keeping the ``slowest`` deals of both."""
        for name in (
            "deals",
            "winnable",
            "unwinnable",
            "undecided",
            "by_search",
            "by_sat",
            "nodes",
            "redealt",
            "replaced",
            "gained",
            "chance",
            "chance_squared",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.effort = nlargest(slowest, [*self.effort, *other.effort])


@dataclass(frozen=True)
class Progress:
    """How far a rate is; ``seconds`` since its start."""

    done: int
    deals: int
    winnable: int
    unwinnable: int
    undecided: int
    by_sat: int
    seconds: float


@dataclass(frozen=True)
class Rate:
    """How often a load can be won.

    ``rate`` is the share of the decided deals; ``low`` and ``high`` are its 95% Wilson interval, widened at both ends
    by what is undecided. ``redealt`` counts the deals thrown in before one was played, because a task calls them a redeal;
    ``replaced`` the tasks replaced because they excluded another one. ``five_player_rule`` False: one task may not move
    although mission and players would allow it. ``distress`` left, right or any: deals that are lost as they lie may be won
    with a distress signal to that side; ``gained`` counts those that are. ``expected`` is, where the load asks for it, the
    mean share of random cards taken with which the best plan found wins, with its 95% interval (by the spread over the
    deals). ``slowest`` holds (seconds, case) of the deals that took longest, where asked for.
    """

    load: Load
    players: int
    draft: str
    seed: int
    first: int
    deals: int
    winnable: int
    unwinnable: int
    undecided: int
    rate: float | None
    low: float
    high: float
    by_search: int
    by_sat: int
    seconds: float
    redealt: int = 0
    replaced: int = 0
    slowest: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    five_player_rule: bool = True
    distress: str | None = None
    gained: int = 0
    expected: tuple[float, float, float] | None = None

    @property
    def deals_per_second(self) -> float:
        """Deals decided per second of wall clock."""
        return self.deals / self.seconds if self.seconds > 0 else 0.0

    def to_json(self) -> dict[str, Any]:
        """The rate object, ready for ``json.dumps``."""
        return {
            "mission": None if self.load.mission is None else self.load.mission.name,
            "players": self.players,
            "draft": self.draft,
            "distribution": self.load.distribution,
            "tasks": None if self.load.difficulty is not None else self.load.tasks,
            "game": self.load.game,
            "difficulty": self.load.difficulty,
            "task_cards": list(self.load.task_cards),
            "edition": self.load.edition,
            "redealt": self.redealt,
            "replaced": self.replaced,
            "tokens": list(self.load.tokens),
            "five_player_rule": self.five_player_rule,
            "challenge": self.load.challenge,
            "takes": self.load.takes if self.load.pass_after else None,
            "distress": self.distress,
            "gained": None if self.distress is None else self.gained,
            "expected": None if self.expected is None else dict(zip(("mean", "low", "high"), self.expected, strict=True)),
            "seed": self.seed,
            "first": self.first,
            "deals": self.deals,
            "winnable": self.winnable,
            "unwinnable": self.unwinnable,
            "undecided": self.undecided,
            "rate": self.rate,
            "low": self.low,
            "high": self.high,
            "by_search": self.by_search,
            "by_sat": self.by_sat,
            "seconds": round(self.seconds, 3),
            "deals_per_second": round(self.deals_per_second, 1),
        }


@dataclass(frozen=True)
class _Job:
    """Everything a worker needs to know about a rate."""

    load: Load
    players: int
    seed: int
    draft: str
    engine: str
    limit_nodes: int | None
    limit_seconds: float | None
    slowest: int
    distress: str | None = None


@lru_cache(maxsize=1)
def _memory() -> Memory:
    """This process's memory for batches: small enough to stay in the processor's cache."""
    return new_memory(17)


@njit(cache=True)
def refuse_lines(deals, players, tokens, table) -> int:  # type: ignore[no-untyped-def]
    """The first deal whose line the referee's rules refuse, or -1: the referee's own functions, compiled."""
    for row in range(len(deals.status)):
        if deals.status[row] == WON and not _accepts(deals, row, players, tokens, table):
            return row
    return -1


@njit(cache=True)
def _accepts(deals, row, players, tokens, table) -> bool:  # type: ignore[no-untyped-def]
    with_cards = len(table.values) == 0  # tasks that show the card to be won
    hands = deals.hands[row, :players].copy()
    captain = 0
    while not hands[captain] >> 39 & 1:
        captain += 1
    count = deals.count[row]
    tasks = deals.tasks[row, :count]
    owners = deals.owners[row, :count]
    line = deals.lines[row]
    total = len(line) // players
    leaders, winners, led_from = np.zeros(total, np.int64), np.zeros(total, np.int64), np.zeros(total, np.int64)
    columns = deals.columns[row].copy().reshape(2, COLUMNS // 2).T.copy()
    if not play_out(hands, columns, table.pass_after, table.pass_to, deals.orders[row], captain, line, leaders, winners, led_from):
        return False
    won_after = tricks_to_win(players, winners, line, tasks if with_cards else np.full(count, -1), owners, tokens)
    if won_after < 0 or not _owners_allowed(deals, row, captain, table):
        return False
    if with_cards and len(table.crew) == 0:
        return True
    conditions = table.conditions.copy()
    for place in range(len(conditions)):
        if conditions[place, AGAINST] == AGAINST_CAPTAIN:
            conditions[place, AGAINST] = captain
        for task in range(count):
            if conditions[place, HOLDS] == 1 << (TOKEN_BIT + task):
                conditions[place, HOLDS] = 1 << tasks[task]
    for task in range(0 if with_cards else count):
        card = tasks[task]
        rows = conditions[table.start[card] : table.start[card + 1]]
        if not fulfilling(rows, table.any_of[card], 1 << owners[task], leaders, winners, led_from, line, players, total):
            return False
    for end in range(won_after if table.ends else total, total + 1):
        if _crew_content(deals.hands[row], captain, table, conditions, leaders, winners, led_from, line, players, end):
            return True
    return False


@njit(cache=True)
def _owners_allowed(deals, row, captain, table) -> bool:  # type: ignore[no-untyped-def]
    """Whether the distribution gives the tasks to their owners, and the captain what it may and must take."""
    count = deals.count[row]
    tasks = deals.tasks[row, :count]
    owners = deals.owners[row, :count]
    barred = 0
    for task in range(count if len(table.values) else 0):
        if table.barred[tasks[task]]:
            barred += 1
            if owners[task] == captain:
                return False
    passes = table.stuck == PASS and count > 0 and barred == count and count >= table.captain_from
    allowed = (table.passed if passes else table.allowed)[count - table.fewest, captain]
    rows = 0
    while rows < len(allowed) and allowed[rows, 0] >= 0:
        rows += 1
    if count and not counts_allowed(owners, allowed[:rows]):
        return False
    if not table.hardest or barred == count:
        return True
    best = -1
    for task in range(count):
        if table.hardest == 3 or not table.barred[tasks[task]]:
            best = max(best, table.values[tasks[task]])
    for task in range(count):
        if table.values[tasks[task]] == best and not table.barred[tasks[task]]:
            if owners[task] == captain:
                return True
            if table.hardest == 2:  # only the first of them will do
                return False
    return False


@njit(cache=True)
def _crew_content(hands, captain, table, conditions, leaders, winners, led_from, line, players, end) -> bool:  # type: ignore[no-untyped-def]
    """Whether the goals of the crew hold, if the attempt ends after so many tricks, the roles at different seats."""
    roles = np.zeros(len(table.crew), np.int64)
    number = 0
    for goal in range(len(table.crew)):
        card = len(table.start) - 1 - len(table.crew) + goal
        who = table.crew[goal, 0]
        seats = table.crew[goal, 1]
        if who == CAPTAIN:
            seats = 1 << captain
        elif who == OTHERS:
            seats = ((1 << players) - 1) ^ 1 << captain
        elif who == HOLDER_OF:
            for seat in range(players):
                if hands[seat] >> table.crew[goal, 1] & 1:
                    seats = 1 << (seat + table.crew[goal, 2]) % players
        rows = conditions[table.start[card] : table.start[card + 1]]
        fulfil = fulfilling(rows, table.any_of[card], seats, leaders, winners, led_from, line, players, end)
        if not fulfil:
            return False
        if table.crew[goal, 3]:
            roles[number] = fulfil
            number += 1
    return seats_fit(roles[:number])


def count_deals(
    load: Load,
    players: int,
    first: int,
    deals: int,
    *,
    seed: int = 1,
    draft: str = "best",
    engine: str = "auto",
    limit_nodes: int | None = None,
    limit_seconds: float | None = None,
    slowest: int = 0,
    distress: str | None = None,
) -> Tally:
    """Decide deals ``first`` to ``first + deals - 1`` in this process and count.

    Raises RuntimeError when the referee refuses a line: a fault of ours.
    """
    return _count(_Job(load, players, seed, draft, engine, limit_nodes, limit_seconds, slowest, distress), first, deals)


def _count(job: _Job, first: int, deals: int) -> Tally:
    tally = Tally()
    if job.engine == "sat":
        for index in range(first, first + deals):
            _resolve(job, index, tally, 0)
        return tally
    load, players = job.load, job.players
    table, made = load_table(drawn(load, job.draft), players), new_deals(deals, players, load.deck)
    status, nodes = made.status, made.nodes
    goals = load.game == "deep-sea" or bool(load.crew) or load.pass_after > 0
    dives, each, budget = (GOAL_DIVES, GOAL_DIVE_NODES, GOAL_NODES) if goals else (DIVES, DIVE_NODES, dive_budget(job.draft == "best"))
    if job.limit_nodes is not None:
        budget = min(budget, job.limit_nodes)
    start = perf_counter()
    random = job.draft == "random"
    impossible = decide_deals(
        job.seed, first, seats_of(players), load.deck, table, random, dives, each, DIVE_NOISE, budget, _memory(), made
    )
    if impossible >= 0:
        raise cannot_deal(job.seed, first + impossible)
    seconds_per_node = (perf_counter() - start) / max(1, int(nodes.sum()))
    codes = np.array([TOKEN_CODES[token] for token in load.all_tokens], np.int64)
    refused = refuse_lines(made, seats_of(players), codes, table)
    if refused >= 0:
        raise RuntimeError(f"the referee refuses the line found for deal {first + refused} of seed {job.seed}")
    # What is lost as it lies can still be won by what the crew decides beforehand.
    choices = bool(load.setup or job.distress) or (load.five_player_rule and players == 5 and random)
    decided = (status == WON) if choices else (status != OUT_OF_NODES)
    tally.deals = tally.by_search = int(decided.sum())
    tally.winnable = int((status == WON).sum())
    tally.unwinnable = tally.deals - tally.winnable
    tally.nodes = int(nodes.sum())
    tally.redealt, tally.replaced = int(made.redealt.sum()), int(made.replaced.sum())
    if job.slowest:
        longest = np.argsort(nodes)[::-1][: job.slowest]
        tally.effort = [(float(nodes[place]) * seconds_per_node, first + int(place)) for place in longest if decided[place]]
    for place in np.flatnonzero(~decided):
        _resolve(job, first + int(place), tally, int(nodes[place]))
    if load.takes == "expected" and load.pass_after:
        for index in range(first, first + deals):
            share = chance(_position(job, index), samples=_SAMPLES, seed=job.seed << 62 | index).share
            tally.chance += share
            tally.chance_squared += share * share
    tally.effort = nlargest(job.slowest, tally.effort)
    return tally


def _resolve(job: _Job, index: int, tally: Tally, used: int) -> None:
    """Decide one deal outside the kernel, where the dives did not, and count it."""
    position = _position(job, index)
    limits = Limits(job.limit_nodes, job.limit_seconds)
    limits.used_nodes = used
    verdict = decide(position, job.engine, limits, dives=0)
    if job.distress and verdict.verdict == UNWINNABLE:
        signal = Exchange(0, DIRECTIONS[job.distress])
        verdict = decide(replace(position, exchanges=(signal, *position.exchanges)), job.engine, limits)
        tally.gained += verdict.verdict == WINNABLE
    tally.deals += 1
    tally.nodes += limits.used_nodes - used
    if verdict.verdict == UNDECIDED:
        tally.undecided += 1
    else:
        tally.winnable += verdict.verdict == WINNABLE
        tally.unwinnable += verdict.verdict != WINNABLE
        tally.by_sat += verdict.decided_by == "sat"
        tally.by_search += verdict.decided_by != "sat"
    if job.slowest:
        tally.effort.append((limits.used_seconds, index))


def _position(job: _Job, index: int) -> Position:
    return deal_load(job.load, job.players, job.seed, index, job.draft)


def _chunks(first: int, deals: int, workers: int) -> Iterator[tuple[int, int]]:
    """Ranges of deals: (first, number). Short enough for every worker to have several and for progress to show."""
    size = max(20, min(_LONGEST_CHUNK, deals // (workers * 32)))
    for start in range(first, first + deals, size):
        yield start, min(size, first + deals - start)


def _count_chunk(chunk: tuple[_Job, int, int]) -> Tally:
    return _count(*chunk)


def rate(
    load: Load | Mission | str,
    players: int,
    deals: int,
    *,
    seed: int = 1,
    first: int = 0,
    draft: str = "best",
    engine: str = "auto",
    workers: int | None = None,
    limit_nodes: int | None = None,
    limit_seconds: float | None = None,
    slowest: int = 0,
    five_player_rule: bool = True,
    distress: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Rate:
    """How often a load, or a mission (also by name, ``"planet-nine/22"``), can be won in deals ``first`` to ``first + deals - 1``
    of ``seed``.

    ``draft``: ``best`` (any distribution the load allows may be used) or ``random`` (one is drawn uniformly per deal).
    ``workers``: processes, all cores by default. The limits are per deal and allow undecided. All counts depend on seed
    and indexes alone, not on workers or chunks, unless ``limit_seconds`` is set. ``distress``: left, right or any, the side
    to which a distress signal goes in deals that cannot be won without. ``progress`` is called after every chunk.

    Raises InputError for values out of range and for a mission whose rules are not built.
    """
    if isinstance(load, str):
        found = find_missions(load)
        if len(found) != 1:
            raise InputError(f"{load!r} names {len(found)} missions: a rate is of one")
        load = found[0]
    if isinstance(load, Mission):
        load = Load.of(load)
    check_players(players)
    if not five_player_rule:
        load = replace(load, five_player_rule=False)
    _check(players, deals, seed, first, draft, engine, workers, limit_nodes, limit_seconds, slowest)
    load.check_players(players)
    if distress is not None and distress not in DIRECTIONS:
        raise InputError(f"unknown distress {distress!r}: it is left, right or any")
    if engine == "search" and limit_nodes is limit_seconds is None and (distress or (load.pass_after and load.takes == "best")):
        raise InputError("the search alone cannot show that no cards passed win: use SAT with it (auto), or set a limit")
    job = _Job(load, players, seed, draft, engine, limit_nodes, limit_seconds, slowest, distress)
    start = perf_counter()
    total = Tally()
    workers = min(workers or os.cpu_count() or 1, max(1, deals // 40))
    chunks = ((job, start_at, size) for start_at, size in _chunks(first, deals, workers))
    for tally in spread(_count_chunk, chunks, workers):
        total.add(tally, slowest)
        if progress is not None:
            seconds = perf_counter() - start
            progress(Progress(total.deals, deals, total.winnable, total.unwinnable, total.undecided, total.by_sat, seconds))
    seconds = perf_counter() - start
    decided = total.winnable + total.unwinnable
    low, high = wilson(total.winnable, total.deals, total.undecided)
    expected = None
    if load.takes == "expected" and load.pass_after:
        mean = total.chance / total.deals
        margin = Z95 * sqrt(max(total.chance_squared / total.deals - mean * mean, 0.0) / total.deals)
        expected = (mean, max(mean - margin, 0.0), min(mean + margin, 1.0))
    cases = [(effort, case_from_position(_position(job, index)) | {"seed": seed, "index": index}) for effort, index in total.effort]
    return Rate(
        load, players, draft, seed, first, total.deals, total.winnable, total.unwinnable, total.undecided,
        total.winnable / decided if decided else None, low, high, total.by_search, total.by_sat, seconds,
        total.redealt, total.replaced, cases, five_player_rule, distress, total.gained, expected,
    )  # fmt: skip


def _check(
    players: int, deals: int, seed: int, first: int, draft: str, engine: str, workers: int | None,
    limit_nodes: int | None, limit_seconds: float | None, slowest: int,
) -> None:  # fmt: skip
    check_players(players)
    check_number("seed", seed)
    check_number("index", first)
    check_draft(draft)
    check_limits(engine, limit_nodes, limit_seconds)
    if deals < 1:
        raise InputError(f"{deals} deals cannot be counted: deals must be 1 or more")
    check_number("index", first + deals - 1)
    if slowest < 0:
        raise InputError(f"{slowest} slowest deals cannot be kept: slowest must be 0 or more")
    if workers is not None and workers < 1:
        raise InputError(f"{workers} workers cannot work: workers must be 1 or more")
