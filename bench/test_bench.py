"""Benchmarks on fixed seeds: kernels, whole verdicts, SAT alone, and the front door against SAT alone."""

from time import perf_counter
from typing import Any

import numpy as np
import pytest
from deepcrew.kernels.layout import new_memory
from deepcrew.kernels.sampling import deal_hands
from deepcrew.kernels.search import search
from deepcrew.kernels.table import EXACT, forget
from deepcrew.solver.cards import FULL_DECK
from deepcrew.solver.deals import deal
from deepcrew.solver.missions import find_missions
from deepcrew.solver.rates import Load, count_deals
from deepcrew.solver.referee import Referee
from deepcrew.solver.tables import problem_from


def test_kernel_deals_a_thousand(benchmark: Any) -> None:
    hands = np.zeros(5, np.int64)

    def run() -> None:
        for index in range(1000):
            deal_hands(1, index, 4, FULL_DECK, hands)

    run()
    benchmark(run)


def test_kernel_exhausts_an_unwinnable_deal(benchmark: Any) -> None:
    problem = problem_from(Referee(deal(1, 9, 4, tasks=10, draft="random")))
    memory = new_memory(20)

    def run() -> int:
        forget(memory)
        return int(search(problem, memory, EXACT, 100_000, 0, 1)[1])

    benchmark.extra_info["nodes"] = run()
    benchmark(run)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("number", [1, 4, 10, 20, 24, 31, 42, 49])
def test_verdicts_by_mission(benchmark: Any, number: int, players: int) -> None:
    load = Load.of(find_missions(f"planet-nine/{number}")[0])
    count_deals(load, players, 0, 1)
    benchmark.extra_info["deals"] = 200
    benchmark.pedantic(count_deals, (load, players, 0, 200), rounds=3)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_sat_alone(benchmark: Any, players: int) -> None:
    benchmark.extra_info["deals"] = 20
    benchmark.pedantic(count_deals, (Load(5), players, 0, 20), {"engine": "sat"}, rounds=3)


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
    benchmark.extra_info["ratio"] = theirs / ours
    with capsys.disabled():
        print("\n" + line)
    benchmark.pedantic(count_deals, (load, 4, 0, deals), {"draft": draft}, rounds=1)
