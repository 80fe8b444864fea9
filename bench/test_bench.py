"""Benchmarks on fixed seeds: kernels, whole verdicts, SAT alone, and the front door against SAT alone."""

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
from deepcrew.solver.missions import find_missions
from deepcrew.solver.rates import Load, count_deals
from deepcrew.solver.referee import Referee
from deepcrew.solver.tables import problem_from
from deepcrew.solver.verdicts import DIVE_NODES, DIVE_NOISE, DIVES

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


@pytest.mark.parametrize(("tasks", "draft", "repeats"), [(5, "best", 20), (10, "random", 1)])
def test_front_door_against_sat_alone(benchmark: Any, capsys: Any, tasks: int, draft: str, repeats: int) -> None:
    deals, load = 100, Load(tasks)
    count_deals(load, 4, 0, 1, draft=draft)
    front, alone = [], []
    for _ in range(3):
        start = perf_counter()
        for _ in range(repeats):
            quick = count_deals(load, 4, 0, deals, draft=draft)
        front.append((perf_counter() - start) / repeats / deals)
        start = perf_counter()
        slow = count_deals(load, 4, 0, deals, draft=draft, engine="sat")
        alone.append((perf_counter() - start) / deals)
        assert quick.winnable == slow.winnable
    ours, theirs = float(np.median(front)), float(np.median(alone))
    times = f"front door {ours * 1e3:.3f} ms, SAT alone {theirs * 1e3:.2f} ms a deal"
    line = f"4 players, {tasks} tasks, {draft}: {times}, ratio {theirs / ours:.1f}"
    benchmark.extra_info |= {"front door, s a deal": ours, "SAT alone, s a deal": theirs, "ratio": theirs / ours}
    with capsys.disabled():
        print("\n" + line)
    # The row in the table is one more pass of the front door; the ratio is the line above and in the extra info.
    benchmark.pedantic(count_deals, (load, 4, 0, deals), {"draft": draft}, rounds=1)
