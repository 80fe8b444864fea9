"""Rates: one load, many random deals, how many can be won. Deals are decided in chunks, on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import nlargest
from math import sqrt
from time import perf_counter
from typing import Any

import numpy as np

from .cases import case_from_position
from .deals import check_number, check_players
from .drafts import check_draft
from .errors import InputError
from .intervals import Z95, wilson
from .judge import refuse_lines as refuse_lines
from .loads import Load
from .missions import Mission, find_missions
from .outcomes import VERDICTS, WAYS, Job, Outcomes, decide_range
from .positions import DIRECTIONS
from .sequential import check_width, interval_at, look_at, looks_within
from .verdicts import UNDECIDED, UNWINNABLE, WINNABLE, check_limits
from .workers import Pool, open_pool, results

_LONGEST_CHUNK = 2000
_WHOLE = 232_792_560
"""Divisible by 1 to 20: a share of at most SAMPLES outcomes is a whole number of these parts, and sums of them are exact."""


@dataclass
class Tally:
    """What a chunk of deals came to; ``effort`` holds (seconds, index) of deals that took long; the sums of chances and of their
    squares are exact, in parts of which ``_WHOLE`` are 1."""

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
    chance: int = 0
    chance_squared: int = 0
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
    """How far a rate is; ``seconds`` since its start, ``before`` the deals that had been decided by then. ``low`` and ``high``: the
    interval as it is; ``until`` the width that is asked for."""

    done: int
    deals: int
    winnable: int
    unwinnable: int
    undecided: int
    by_sat: int
    seconds: float
    low: float | None = None
    high: float | None = None
    before: int = 0
    until: float | None = None


@dataclass(frozen=True)
class Rate:
    """How often a load can be won.

    ``rate`` is the share of the decided deals; ``low`` and ``high`` are its 95% Wilson interval, widened at both ends
    by what is undecided. ``redealt`` counts the deals thrown in before one was played, because a task calls them a redeal;
    ``replaced`` the tasks replaced because they excluded another one. ``five_player_rule`` False: one task may not move
    although mission and players would allow it. ``distress`` left, right or any: deals that are lost as they lie may be won
    with a distress signal to that side; ``gained`` counts those that are. ``expected`` is, where the load asks for it, the
    mean share of random cards taken with which the best plan found wins, with its 95% interval (by the spread over the
    deals). ``slowest`` holds (seconds, case) of the deals that took longest, where asked for. ``until`` is the width
    of the interval that was asked for; then the interval is that of the ``looks``-th look, as sequential.py explains.
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
    until: float | None = None
    looks: int = 0

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
            **({} if self.until is None else {"until": self.until, "looks": self.looks}),
        }


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
    job = Job(load, players, seed, draft, engine, limit_nodes, limit_seconds, distress)
    return tally_of(decide_range(job, first, deals), first, slowest)


def tally_of(outcomes: Outcomes, first: int, slowest: int = 0) -> Tally:
    """Count what became of the deals from number ``first`` on, and keep the ``slowest`` of them."""
    verdicts = np.bincount(outcomes.verdict, minlength=len(VERDICTS)).tolist()
    undecided = verdicts[VERDICTS.index(UNDECIDED)]
    by_sat = int(((outcomes.decided_by == WAYS.index("sat")) & (outcomes.verdict != VERDICTS.index(UNDECIDED))).sum())
    deals = len(outcomes.verdict)
    chances = [round(share * _WHOLE) for share in outcomes.chance[~np.isnan(outcomes.chance)].tolist()]
    longest = np.argsort(outcomes.seconds)[::-1][:slowest].tolist() if slowest else []
    return Tally(
        deals, verdicts[VERDICTS.index(WINNABLE)], verdicts[VERDICTS.index(UNWINNABLE)], undecided, deals - undecided - by_sat, by_sat,
        int(outcomes.nodes.sum()), int(outcomes.redealt.sum()), int(outcomes.replaced.sum()), int(outcomes.gained.sum()),
        sum(chances), sum(share * share for share in chances),
        [(float(outcomes.seconds[place]), first + place) for place in longest],
    )  # fmt: skip


def _chunks(first: int, deals: int, workers: int) -> Iterator[tuple[int, int]]:
    """Ranges of deals: (first, number). Short enough for every worker to have several and for progress to show."""
    size = max(20, min(_LONGEST_CHUNK, deals // (workers * 32)))
    for start in range(first, first + deals, size):
        yield start, min(size, first + deals - start)


def _count_chunk(chunk: tuple[Job, int, int, int]) -> Tally:
    job, first, deals, slowest = chunk
    return tally_of(decide_range(job, first, deals), first, slowest)


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
    until: float | None = None,
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
    job = checked_job(
        load, players, seed=seed, first=first, deals=deals, draft=draft, engine=engine, limit_nodes=limit_nodes,
        limit_seconds=limit_seconds, five_player_rule=five_player_rule, distress=distress, until=until,
    )  # fmt: skip
    check_workers(workers)
    if slowest < 0:
        raise InputError(f"{slowest} slowest deals cannot be kept: slowest must be 0 or more")
    start = perf_counter()
    total, look = Tally(), 0
    workers = min(workers or os.cpu_count() or 1, max(1, deals // 40))

    def report(wanted: int) -> None:
        if progress is not None:
            low, high = bounds(total, None if until is None else look)
            seconds = perf_counter() - start
            progress(
                Progress(total.deals, wanted, total.winnable, total.unwinnable, total.undecided, total.by_sat, seconds, low, high, 0, until)
            )

    with open_pool(_count_chunk, workers) as pool:
        if until is None:
            _work(pool, job, first, deals, workers, slowest, total, lambda: report(deals))
        while until is not None and look < looks_within(deals):
            wanted = look_at(look + 1)
            _work(pool, job, first + total.deals, wanted - total.deals, workers, slowest, total, partial(report, wanted))
            look += 1
            low, high = bounds(total, look)
            if high - low <= until:
                break
    cases = [(effort, case_from_position(job.position(index)) | {"seed": seed, "index": index}) for effort, index in total.effort]
    rate = rate_of(total, job, first, five_player_rule, until, look, perf_counter() - start)
    return replace(rate, slowest=cases)


def _work(
    pool: Pool[tuple[Job, int, int, int], Tally], job: Job, first: int, deals: int, workers: int, slowest: int, total: Tally,
    report: Callable[[], None],
) -> None:  # fmt: skip
    """Add what becomes of these deals to the total."""
    jobs = ((job, start, size, slowest) for start, size in _chunks(first, deals, workers))
    for tally in results(pool, jobs):
        total.add(tally, slowest)
        report()


def bounds(tally: Tally, look: int | None = None) -> tuple[float, float]:
    """The 95% interval of what is counted, as in Rate: Wilson's, or that of this look of a series."""
    if look is not None:
        return interval_at(look, tally.winnable, tally.deals, tally.undecided)
    return wilson(tally.winnable, tally.deals, tally.undecided)


def rate_of(
    total: Tally, job: Job, first: int, five_player_rule: bool = True, until: float | None = None, look: int = 0, seconds: float = 0.0
) -> Rate:
    """The rate that the counts of the deals from ``first`` on make."""
    decided = total.winnable + total.unwinnable
    low, high = bounds(total, None if until is None else look)
    expected = None
    if job.expects and total.deals:
        mean, square = total.chance / _WHOLE / total.deals, total.chance_squared / _WHOLE**2 / total.deals
        margin = Z95 * sqrt(max(square - mean * mean, 0.0) / total.deals)
        expected = (mean, max(mean - margin, 0.0), min(mean + margin, 1.0))
    return Rate(
        job.load, job.players, job.draft, job.seed, first, total.deals, total.winnable, total.unwinnable, total.undecided,
        total.winnable / decided if decided else None, low, high, total.by_search, total.by_sat, seconds,
        total.redealt, total.replaced, [], five_player_rule, job.distress, total.gained, expected, until, look,
    )  # fmt: skip


def checked_job(
    load: Load,
    players: int,
    *,
    seed: int,
    first: int,
    deals: int,
    draft: str = "best",
    engine: str = "auto",
    limit_nodes: int | None = None,
    limit_seconds: float | None = None,
    five_player_rule: bool = True,
    distress: str | None = None,
    until: float | None = None,
) -> Job:
    """What workers need to know about a rate with these arguments. Raises InputError for values out of range."""
    check_players(players)
    if not five_player_rule:
        load = replace(load, five_player_rule=False)
    check_number("seed", seed)
    check_number("index", first)
    check_draft(draft)
    check_limits(engine, limit_nodes, limit_seconds)
    if deals < 1:
        raise InputError(f"{deals} deals cannot be counted: deals must be 1 or more")
    check_number("index", first + deals - 1)
    load.check_players(players)
    if distress is not None and distress not in DIRECTIONS:
        raise InputError(f"unknown distress {distress!r}: it is left, right or any")
    if engine == "search" and limit_nodes is limit_seconds is None and (distress or (load.pass_after and load.takes != "seeded")):
        raise InputError("the search alone cannot show that no cards passed win: use SAT with it (auto), or set a limit")
    if until is not None:
        check_width(until)
        if looks_within(deals) == 0:
            raise InputError(f"{deals} deals are too few to stop by precision: the first look comes after {look_at(1):,}")
    return Job(load, players, seed, draft, engine, limit_nodes, limit_seconds, distress)


def check_workers(workers: int | None) -> None:
    """Raise InputError for less than one worker."""
    if workers is not None and workers < 1:
        raise InputError(f"{workers} workers cannot work: workers must be 1 or more")
