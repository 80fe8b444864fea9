"""What becomes of random deals, one by one: verdict, who decided it, and the effort. The same on every machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ..kernels.batch import decide_deals
from ..kernels.layout import Memory, new_memory
from ..kernels.search import OUT_OF_NODES, WON
from .judge import refuse_lines
from .loads import Load, cannot_deal, deal_load, drawn, load_table, new_deals, seats_of
from .positions import DIRECTIONS, Exchange, Position
from .referee import TOKEN_CODES
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
    decide,
    dive_budget,
)

VERDICTS = (WINNABLE, UNWINNABLE, UNDECIDED)
WAYS = ("search", "sat", "plays", "limit")
"""What a deal can be decided by."""
SAMPLES = 20
"""Random cards taken, for each deal whose worth is expected: the mean over the deals needs few for each."""
_BATCH = 2000
"""Deals that are in memory at once."""


@dataclass(frozen=True)
class Job:
    """Everything a worker needs to know about a cell."""

    load: Load
    players: int
    seed: int
    draft: str
    engine: str = "auto"
    limit_nodes: int | None = None
    limit_seconds: float | None = None
    distress: str | None = None

    @property
    def expects(self) -> bool:
        """Whether the mean over random cards taken is asked for."""
        return self.load.takes == "expected" and self.load.pass_after > 0

    def position(self, index: int) -> Position:
        """The deal of this number."""
        return deal_load(self.load, self.players, self.seed, index, self.draft)


class Outcomes(NamedTuple):
    """Arrays with a place for each deal: ``verdict`` and ``decided_by`` as places in VERDICTS and WAYS; ``nodes``, cards
    placed by the search; ``redealt`` and ``replaced`` as in Rate; ``gained``, won only with the distress signal; ``chance``, the
    share of random cards taken with which the best plan wins, NaN where that is not asked for; ``seconds``, which alone depend on
    the clock."""

    verdict: Any
    decided_by: Any
    nodes: Any
    redealt: Any
    replaced: Any
    gained: Any
    chance: Any
    seconds: Any

    @classmethod
    def empty(cls, deals: int) -> Outcomes:
        """Room for so many deals."""
        kinds = (np.int8, np.int8, np.int64, np.int32, np.int32, np.bool_, np.float64, np.float64)
        empty = cls(*(np.zeros(deals, kind) for kind in kinds))
        empty.chance[:] = np.nan
        return empty

    @classmethod
    def joined(cls, parts: Iterable[Outcomes]) -> Outcomes:
        """One after the other."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


@lru_cache(maxsize=1)
def _memory() -> Memory:
    """This process's memory for batches: small enough to stay in the processor's cache."""
    return new_memory(17)


def decide_range(job: Job, first: int, deals: int) -> Outcomes:
    """Decide deals ``first`` to ``first + deals - 1``, in this process; memory does not grow with their number, but for the result.

    Raises InputError when no legal owners can be drawn for one of them, RuntimeError when the referee refuses a line: a
    fault of ours.
    """
    if deals <= _BATCH:
        return _decide_batch(job, first, deals)
    starts = range(first, first + deals, _BATCH)
    return Outcomes.joined(_decide_batch(job, start, min(_BATCH, first + deals - start)) for start in starts)


def _decide_batch(job: Job, first: int, deals: int) -> Outcomes:
    out = Outcomes.empty(deals)
    if job.engine == "sat":
        for place in range(deals):
            _resolve(job, first + place, out, place)
    else:
        _search_batch(job, first, out)
    if job.expects:
        for place in range(deals):
            index = first + place
            out.chance[place] = chance(job.position(index), samples=SAMPLES, seed=job.seed << 62 | index).share
    return out


def _search_batch(job: Job, first: int, out: Outcomes) -> None:
    """Decide deals by the kernel, and those that it leaves open one by one."""
    deals = len(out.verdict)
    load, players = job.load, job.players
    table, made = load_table(drawn(load, job.draft), players), new_deals(deals, players, load.deck)
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
    seconds_per_node = (perf_counter() - start) / max(1, int(made.nodes.sum()))
    codes = np.array([TOKEN_CODES[token] for token in load.all_tokens], np.int64)
    refused = refuse_lines(made, seats_of(players), codes, table)
    if refused >= 0:
        raise RuntimeError(f"the referee refuses the line found for deal {first + refused} of seed {job.seed}")
    # What is lost as it lies can still be won by what the crew decides beforehand.
    choices = bool(load.setup or job.distress) or (load.five_player_rule and players == 5 and random)
    decided = (made.status == WON) if choices else (made.status != OUT_OF_NODES)
    out.verdict[:] = np.where(made.status == WON, VERDICTS.index(WINNABLE), VERDICTS.index(UNWINNABLE))
    out.nodes[:], out.redealt[:], out.replaced[:] = made.nodes, made.redealt, made.replaced
    out.seconds[:] = made.nodes * seconds_per_node
    for place in np.flatnonzero(~decided).tolist():
        _resolve(job, first + place, out, place)


def _resolve(job: Job, index: int, out: Outcomes, place: int) -> None:
    """Decide one deal outside the kernel, where the dives did not."""
    position = job.position(index)
    limits = Limits(job.limit_nodes, job.limit_seconds)
    limits.used_nodes = int(out.nodes[place])
    verdict = decide(position, job.engine, limits, dives=0)
    if job.distress and verdict.verdict == UNWINNABLE:
        signal = Exchange(0, DIRECTIONS[job.distress])
        verdict = decide(replace(position, exchanges=(signal, *position.exchanges)), job.engine, limits)
        out.gained[place] = verdict.verdict == WINNABLE
    out.verdict[place] = VERDICTS.index(verdict.verdict)
    out.decided_by[place] = WAYS.index(verdict.decided_by)
    out.nodes[place] = limits.used_nodes
    out.seconds[place] = limits.used_seconds
