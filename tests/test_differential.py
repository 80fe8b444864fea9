"""Search, SAT and referee held against each other on random positions of all games.

The two solvers decide each position on their own. Every line either of them finds is played through by the referee, or the
verdict does not come at all. CI compares a slice; all of it takes about twenty minutes on two cores:

    ./go test -m long tests/test_differential.py -s
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from random import Random
from time import perf_counter

import pytest
from deepcrew.solver.cards import FULL_DECK
from deepcrew.solver.errors import InputError
from deepcrew.solver.loads import Load, deal_load
from deepcrew.solver.missions import load_missions
from deepcrew.solver.positions import Position
from deepcrew.solver.verdicts import solve
from deepcrew.solver.workers import spread
from naive import SMALL_DECK, random_goal_position, random_position, random_table_position

NODES = 300_000
SECONDS = 20.0
"""Limits for the search and for SAT: what takes longer is undecided, counted, and compared with nothing."""
BLOCK = 100


def _small(rng: Random) -> Position:
    return random_position(rng, deck=SMALL_DECK, players=(2, 3, 4, 5))


def _deep_sea(rng: Random) -> Position:
    return random_goal_position(rng, deck=FULL_DECK, players=(3, 4, 5), games=("deep-sea",), tasks=(1, 2, 3, 4), crew=(0,))


def _mission(rng: Random) -> Position:
    """A deal of a random mission, with any number of players."""
    while True:
        load = Load.of(rng.choice([*load_missions("planet-nine"), *load_missions("deep-sea")]))
        try:
            return deal_load(load, rng.choice((2, 3, 4, 5)), 7, rng.randrange(10**9), rng.choice(("best", "random")))
        except InputError:  # not for so many players
            continue


KINDS: dict[str, tuple[Callable[[Random], Position], int]] = {
    "small decks, card tasks": (_small, 40_000),
    "small decks, tables": (random_table_position, 20_000),
    "small decks, goals": (random_goal_position, 20_000),
    "Planet Nine": (random_position, 12_000),
    "Deep Sea": (_deep_sea, 6_000),
    "missions of both": (_mission, 4_000),
}
"""What is drawn, and how many of it are compared in all."""


def compare(block: tuple[str, int]) -> Counter[str]:
    """Compare a block of positions of one kind; counts by outcome. ``block`` is the kind and the number of the block."""
    kind, number = block
    rng = Random(f"{kind} {number}")
    counts: Counter[str] = Counter()
    for _ in range(min(BLOCK, KINDS[kind][1] - number * BLOCK)):
        position = KINDS[kind][0](rng)
        search = solve(position, engine="search", limit_nodes=NODES).verdict
        by_sat = solve(position, engine="sat", limit_seconds=SECONDS).verdict
        if "undecided" in (search, by_sat):
            counts["search undecided"] += search == "undecided"
            counts["SAT undecided"] += by_sat == "undecided"
            counts[by_sat if search == "undecided" else search] += 1
        else:
            counts[search] += 1
            counts["compared"] += 1
            if search != by_sat:
                counts["disagreements"] += 1
                print(f"{kind}, block {number}: search says {search}, SAT {by_sat}: {position}")
        counts["positions"] += 1
    return counts


def _report(kind: str, counts: Counter[str], seconds: float) -> None:
    print(f"{kind}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) + f"; {seconds:.0f} s")


@pytest.mark.parametrize("kind", KINDS)
def test_search_and_sat_agree(kind: str) -> None:
    counts = compare((kind, 0))
    assert counts["positions"] == BLOCK
    assert counts["disagreements"] == 0
    assert counts["compared"] > BLOCK // 2
    assert min(counts["winnable"], counts["unwinnable"]) > 0


@pytest.mark.long
def test_search_and_sat_agree_on_a_hundred_thousand() -> None:
    total: Counter[str] = Counter()
    for kind, (_, count) in KINDS.items():
        start = perf_counter()
        counts: Counter[str] = Counter()
        for found in spread(compare, [(kind, number) for number in range(count // BLOCK)], os.cpu_count() or 1):
            counts.update(found)
        _report(kind, counts, perf_counter() - start)
        total.update(counts)
    _report("all", total, 0)
    assert total["positions"] >= 100_000
    assert total["disagreements"] == 0
