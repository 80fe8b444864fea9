"""Benchmarks on fixed seeds: kernels, whole verdicts, SAT alone, the front door against SAT alone, reasons and proofs."""

from collections.abc import Callable
from itertools import count, islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from deepcrew.kernels.layout import new_memory
from deepcrew.kernels.sampling import deal_hands
from deepcrew.kernels.search import LOST, dive, search
from deepcrew.kernels.table import EXACT, forget
from deepcrew.solver.cards import FULL_DECK
from deepcrew.solver.deals import deal
from deepcrew.solver.loads import Load, deal_load
from deepcrew.solver.missions import find_missions
from deepcrew.solver.positions import Position
from deepcrew.solver.proofs import check, prove
from deepcrew.solver.rates import count_deals
from deepcrew.solver.reasons import explain
from deepcrew.solver.referee import Referee
from deepcrew.solver.tables import problem_from
from deepcrew.solver.verdicts import DIVE_NODES, DIVE_NOISE, DIVES, UNWINNABLE, solve

EXHAUSTED = 14
"""A deal of seed 1 that the search alone shows to be lost."""


def test_kernel_deals_a_thousand(benchmark: Any) -> None:
    hands = np.zeros(5, np.int64)

    def run() -> None:
        for index in range(1000):
            deal_hands(1, index, 4, FULL_DECK, hands)

    run()
    benchmark(run)


def _note(benchmark: Any, what: str, amount: int) -> None:
    """Record how much one round does, and how much of it a second by the median round."""
    benchmark.extra_info[what] = amount
    benchmark.extra_info[f"{what} a second"] = amount / benchmark.stats.stats.median


def test_kernel_exhausts_an_unwinnable_deal(benchmark: Any) -> None:
    problem = problem_from(Referee(deal(1, EXHAUSTED, 4, tasks=10, draft="random")))
    memory = new_memory(20)

    def run() -> tuple[int, int]:
        forget(memory)
        return search(problem, memory, EXACT, 10_000_000, 0, 1)

    status, nodes = run()
    assert status == LOST
    benchmark(run)
    _note(benchmark, "nodes", int(nodes))


def test_kernel_dives_over_a_corpus(benchmark: Any) -> None:
    problems = [problem_from(Referee(deal(1, index, 4, tasks=5))) for index in range(200)]
    memory = new_memory(17)

    def run() -> int:
        nodes = 0
        for problem in problems:
            forget(memory)
            nodes += dive(problem, memory, DIVES, DIVE_NODES, DIVE_NOISE, 4_000, 1)[1]
        return nodes

    nodes = run()
    benchmark(run)
    _note(benchmark, "nodes", nodes)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("number", [1, 4, 10, 20, 24, 31, 42, 49])
def test_verdicts_by_mission(benchmark: Any, number: int, players: int) -> None:
    mission = find_missions(f"planet-nine/{number}")[0]
    # The five-player rule is not played: say so beside the figure.
    benchmark.extra_info["without five-player rule"] = players == 5 and mission.five_player_rule
    load = Load.of(mission)
    count_deals(load, players, 0, 1)
    benchmark.pedantic(count_deals, (load, players, 0, 1000), rounds=3)
    _note(benchmark, "deals", 1000)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_sat_alone(benchmark: Any, players: int) -> None:
    benchmark.pedantic(count_deals, (Load(5), players, 0, 20), {"engine": "sat"}, rounds=3)
    _note(benchmark, "deals", 20)


def _seconds_a_deal(loads: list[Load], players: int, deals: int, draft: str, engine: str, repeats: int = 1) -> tuple[float, int]:
    start, winnable = perf_counter(), 0
    for _ in range(repeats):
        winnable = sum(count_deals(load, players, 0, deals, draft=draft, engine=engine).winnable for load in loads)
    return (perf_counter() - start) / repeats / deals / len(loads), winnable


def _against_sat(benchmark: Any, capsys: Any, what: str, loads: list[Load], players: int, deals: int, draft: str, repeats: int) -> None:
    """Time the front door and SAT alone in turns on the same deals, three times, and print the ratio of the medians."""
    for load in loads:
        count_deals(load, players, 0, 1, draft=draft)
    front, alone = [], []
    for _ in range(3):
        seconds, quick = _seconds_a_deal(loads, players, deals, draft, "auto", repeats)
        front.append(seconds)
        seconds, slow = _seconds_a_deal(loads, players, deals, draft, "sat")
        alone.append(seconds)
        assert quick == slow
    ours, theirs = float(np.median(front)), float(np.median(alone))
    times = f"front door {ours * 1e3:.3f} ms, SAT alone {theirs * 1e3:.2f} ms a deal"
    benchmark.extra_info |= {"front door, s a deal": ours, "SAT alone, s a deal": theirs, "ratio": theirs / ours}
    with capsys.disabled():
        print(f"\n{players} players, {what}, {draft}: {times}, ratio {theirs / ours:.1f}")
    # The row in the table is one more pass of the front door; the ratio is the line above and in the extra info.
    benchmark.pedantic(_seconds_a_deal, (loads, players, deals, draft, "auto"), rounds=1)


@pytest.mark.parametrize(("tasks", "draft", "repeats"), [(5, "best", 20), (10, "random", 1)])
def test_front_door_against_sat_alone(benchmark: Any, capsys: Any, tasks: int, draft: str, repeats: int) -> None:
    _against_sat(benchmark, capsys, f"{tasks} tasks", [Load(tasks)], 4, 100, draft, repeats)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_front_door_against_sat_alone_by_difficulty(benchmark: Any, capsys: Any, players: int) -> None:
    loads = [Load(game="deep-sea", difficulty=difficulty) for difficulty in range(3, 13)]
    _against_sat(benchmark, capsys, "difficulty 3-12", loads, players, 30, "best", 1)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("difficulty", [3, 8, 12, 16])
def test_verdicts_by_difficulty(benchmark: Any, difficulty: int, players: int) -> None:
    load = Load(game="deep-sea", difficulty=difficulty)
    count_deals(load, players, 0, 1)
    benchmark.pedantic(count_deals, (load, players, 0, 300), rounds=3)
    _note(benchmark, "deals", 300)


def _unwinnable_deals(number: int) -> list[Position]:
    """The first deals of 10 tasks at random owners for 4 players that cannot be won."""
    deals = (deal_load(Load(10), 4, 1, index, "random") for index in count())
    return list(islice((position for position in deals if solve(position).verdict == UNWINNABLE), number))


def _one_by_one(benchmark: Any, capsys: Any, what: str, positions: list[Position], do: Callable[[Position], object]) -> None:
    """Time each position by itself and print the median and the most; the row in the table is one pass over all."""
    seconds = []
    for position in positions:
        start = perf_counter()
        do(position)
        seconds.append(perf_counter() - start)
    with capsys.disabled():
        print(f"\n{what}, {len(positions)} unwinnable deals of 10 tasks: median {median(seconds):.2f} s, most {max(seconds):.2f} s")
    benchmark.pedantic(lambda: [do(position) for position in positions], rounds=1)


def test_explain(benchmark: Any, capsys: Any) -> None:
    _one_by_one(benchmark, capsys, "explain", _unwinnable_deals(30), explain)


def test_prove_and_check(benchmark: Any, capsys: Any, tmp_path: Path) -> None:
    numbers = count()

    def both(position: Position) -> None:
        directory = tmp_path / str(next(numbers))
        prove(position, directory)
        assert check(directory).verdict == UNWINNABLE

    _one_by_one(benchmark, capsys, "prove and check", _unwinnable_deals(30), both)
