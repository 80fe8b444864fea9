"""Rates: the same counts however they are divided, the verdicts of single positions, and honest intervals."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from deepcrew.solver.cases import position_from_case
from deepcrew.solver.deals import deal
from deepcrew.solver.drafts import DEEP_SEA, DRAFTS, PLANET_NINE
from deepcrew.solver.errors import InputError
from deepcrew.solver.intervals import wilson
from deepcrew.solver.missions import find_missions, load_missions, unbuilt_rules
from deepcrew.solver.rates import Load, Progress, Rate, Tally, count_deals, rate
from deepcrew.solver.taskcards import load_task_cards
from deepcrew.solver.verdicts import UNDECIDED, UNWINNABLE, WINNABLE, solve

COUNTS = ("deals", "winnable", "unwinnable", "undecided", "by_search", "by_sat")
DEEP_SEA_MISSIONS = load_missions("deep-sea")
TOKENS: tuple[tuple[str, ...], ...] = ((), ("1", "2"), ("3",), ("1", "3"), (">", ">>"), ("omega",), ("2", ">", "omega"))


def _counts(result: Rate | Tally) -> dict[str, int]:
    return {name: getattr(result, name) for name in COUNTS}


def _verdicts(result: Rate | Tally) -> tuple[int, int, int]:
    return result.winnable, result.unwinnable, result.undecided


# The same however divided.


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("players", [3, 4, 5])
def test_workers_do_not_matter(players: int, draft: str) -> None:
    load = Load(4, ("1", "3"))
    alone = rate(load, players, 80, seed=5, draft=draft, workers=1)
    together = rate(load, players, 80, seed=5, draft=draft, workers=2)
    assert _verdicts(alone) == _verdicts(together)
    assert alone.deals == together.deals == 80
    assert (alone.rate, alone.low, alone.high) == (together.rate, together.low, together.high)


@pytest.mark.parametrize("draft", DRAFTS)
def test_pieces_add_up(draft: str) -> None:
    load = Load(5, (">", ">>"))
    whole = count_deals(load, 4, 30, 120, draft=draft)
    for size in (1, 7, 50):
        total = Tally()
        for first in range(30, 150, size):
            total.add(count_deals(load, 4, first, min(size, 150 - first), draft=draft))
        assert _counts(total) == _counts(whole)
        assert total.nodes == whole.nodes
    assert _counts(rate(load, 4, 120, first=30, draft=draft, workers=1)) == _counts(whole)


def test_a_longer_run_begins_with_the_shorter_one() -> None:
    load = Load(6)
    short, rest = rate(load, 4, 60, draft="random", workers=1), rate(load, 4, 40, first=60, draft="random", workers=1)
    both = rate(load, 4, 100, draft="random", workers=1)
    assert [a + b for a, b in zip(_verdicts(short), _verdicts(rest), strict=True)] == list(_verdicts(both))


def test_seeds_matter() -> None:
    assert len({_verdicts(rate(Load(6), 4, 100, seed=seed, draft="random", workers=1)) for seed in range(4)}) > 1


# The same as deal by deal.


def _compare(load: Load, players: int, draft: str, seed: int, numbers: range, engine: str = "auto") -> Tally:
    total = Tally()
    for index in numbers:
        tally = count_deals(load, players, index, 1, seed=seed, draft=draft, engine=engine)
        position = deal(seed, index, players, load=load, draft=draft)
        verdict = solve(position).verdict
        assert _verdicts(tally) == (verdict == WINNABLE, verdict == UNWINNABLE, 0), (load, players, draft, seed, index)
        total.add(tally)
    return total


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("distribution", PLANET_NINE)
def test_batches_agree_with_single_verdicts(distribution: str, draft: str, players: int) -> None:
    total = Tally()
    for tokens in TOKENS:
        for tasks in (3, 4) if players == 3 else (3, 6):
            if tasks == 3 and tokens == ("2", ">", "omega"):
                continue
            total.add(_compare(Load(tasks, tokens, distribution), players, draft, 11, range(6)))
    assert total.winnable > 5


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_engines_count_the_same(draft: str) -> None:
    load = Load(4, ("2",), "captain-distribution")
    expected = _verdicts(count_deals(load, 4, 0, 40, draft=draft))
    search, sat = (count_deals(load, 4, 0, 40, draft=draft, engine=engine) for engine in ("search", "sat"))
    assert _verdicts(search) == _verdicts(sat) == expected
    assert (search.by_search, search.by_sat, sat.by_sat) == (40, 0, 40)


@pytest.mark.long
@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("draft", DRAFTS)
def test_batches_agree_with_single_verdicts_on_many(draft: str, players: int) -> None:
    rng = random.Random(f"rates/{draft}/{players}")
    for seed in range(150):
        tasks = rng.randint(1, 5 if players == 3 else 9)
        tokens = rng.choice([tokens for tokens in TOKENS if len(tokens) <= tasks and f"{tasks}" not in tokens])
        tokens = tokens if all(not token.isdigit() or int(token) <= tasks for token in tokens) else ()
        _compare(Load(tasks, tokens, rng.choice(PLANET_NINE)), players, draft, seed, range(8))


def _sea(difficulty: int | None = None, distribution: str = "", cards: tuple[str, ...] = ()) -> Load:
    return Load(game="deep-sea", difficulty=difficulty, distribution=distribution, task_cards=cards)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("distribution", DEEP_SEA)
def test_batches_of_deep_sea_agree_with_single_verdicts(distribution: str, draft: str, players: int) -> None:
    hardest = 9 if draft == "best" else 7  # above that every deal has two tasks, as two volunteers need
    for difficulty in (hardest - 1, hardest):
        _compare(_sea(difficulty, distribution), players, draft, 11, range(3))


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("draft", DRAFTS)
def test_batches_of_the_missions_of_deep_sea_agree_with_single_verdicts(draft: str, players: int) -> None:
    for mission in [*DEEP_SEA_MISSIONS[:12]] + [m for m in DEEP_SEA_MISSIONS if m.crew_goals or m.task_cards]:
        _compare(Load.of(mission), players, draft, 12, range(2))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_batches_of_single_task_cards_agree_with_single_verdicts(players: int) -> None:
    for card in load_task_cards()[players - 3 :: 3]:
        distribution = "captain-excluded" if card.not_for_captain else "round-robin-with-passing"
        _compare(_sea(distribution=distribution, cards=(card.slug,)), players, "random", 13, range(2))


@pytest.mark.long
@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("draft", DRAFTS)
def test_batches_of_deep_sea_agree_with_single_verdicts_on_many(draft: str, players: int) -> None:
    for mission in DEEP_SEA_MISSIONS:
        if mission.difficulty is None or mission.difficulty <= 12:
            _compare(Load.of(mission), players, draft, 14, range(5))
    for card in load_task_cards():
        _compare(_sea(distribution="free", cards=(card.slug,)), players, draft, 15, range(8))
    rng = random.Random(f"rates/deep-sea/{draft}/{players}")
    for _ in range(60):
        _compare(_sea(rng.randint(6, 10), rng.choice(DEEP_SEA)), players, draft, rng.randrange(1000), range(3))


@pytest.mark.parametrize("draft", DRAFTS)
def test_pieces_of_deep_sea_add_up(draft: str) -> None:
    load = _sea(6)
    whole = count_deals(load, 4, 30, 90, draft=draft)
    assert whole.redealt > 0
    assert whole.replaced > 0
    for size in (7, 40):
        total = Tally()
        for first in range(30, 120, size):
            total.add(count_deals(load, 4, first, min(size, 120 - first), draft=draft))
        assert _verdicts(total) == _verdicts(whole)
        assert (total.deals, total.redealt, total.replaced) == (90, whole.redealt, whole.replaced)
    for workers in (1, 2):
        result = rate(load, 4, 90, first=30, draft=draft, workers=workers)
        assert _verdicts(result) == _verdicts(whole)
        assert (result.redealt, result.replaced) == (whole.redealt, whole.replaced)


def test_the_engines_count_deep_sea_the_same() -> None:
    load = _sea(4)
    expected = _verdicts(count_deals(load, 4, 0, 25, draft="random"))
    assert min(expected[:2]) > 0
    sat = count_deals(load, 4, 0, 25, draft="random", engine="sat")
    assert (_verdicts(sat), sat.by_sat) == (expected, 25)


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("load", [_sea(1, "two-volunteers"), _sea(distribution="captain-hardest-first", cards=("same_as_captain",))])
def test_a_load_that_nobody_may_own_is_refused(load: Load, draft: str) -> None:
    with pytest.raises(InputError):
        count_deals(load, 4, 0, 1, draft=draft)


def test_more_tasks_are_harder_and_a_free_draft_is_easier() -> None:
    shares = [rate(Load(tasks), 4, 80, draft="random", workers=1).winnable for tasks in (1, 4, 8, 12)]
    assert shares[0] > shares[1] > shares[2] > shares[3]
    assert rate(Load(8), 4, 80, draft="best", workers=1).winnable >= shares[2]
    assert rate(Load(0), 4, 50, workers=1).winnable == 50


# Limits and undecided deals.


def test_nothing_is_undecided_without_limits() -> None:
    for draft in DRAFTS:
        result = rate(Load(5), 3, 60, draft=draft, workers=1)
        assert result.undecided == 0
        assert result.winnable + result.unwinnable == result.by_search + result.by_sat == result.deals == 60


def test_undecided_under_a_limit_widens_the_interval() -> None:
    sure = rate(Load(7), 4, 100, draft="random", workers=1)
    limited = rate(Load(7), 4, 100, draft="random", workers=1, engine="search", limit_nodes=40)
    assert 0 < limited.undecided < 100
    assert limited.winnable + limited.unwinnable + limited.undecided == limited.deals == 100
    assert limited.by_search + limited.by_sat == 100 - limited.undecided
    assert limited.winnable <= sure.winnable
    assert limited.unwinnable <= sure.unwinnable
    assert limited.rate == limited.winnable / (limited.winnable + limited.unwinnable)
    assert limited.low == wilson(limited.winnable, 100)[0] <= sure.low
    assert limited.high == wilson(limited.winnable + limited.undecided, 100)[1] >= sure.high


def test_when_nothing_is_decided_there_is_no_rate() -> None:
    result = rate(Load(8), 4, 20, engine="search", limit_nodes=1, workers=1)
    assert _verdicts(result) == (0, 0, 20)
    assert (result.rate, result.low, result.high) == (None, 0.0, 1.0)
    assert UNDECIDED in result.to_json()


def test_a_limit_of_seconds_never_changes_a_verdict() -> None:
    sure = rate(Load(5), 3, 40, draft="random", workers=1)
    limited = rate(Load(5), 3, 40, draft="random", workers=1, limit_seconds=0.001)
    assert limited.winnable <= sure.winnable
    assert limited.unwinnable <= sure.unwinnable
    assert sum(_verdicts(limited)) == 40


# Intervals.


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (1, 10, 0.0179, 0.4042),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))


def test_wilson_at_the_ends() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    for trials in range(1, 60):
        assert wilson(0, trials)[0] == 0.0
        assert wilson(trials, trials)[1] == 1.0
        for successes in range(trials + 1):
            low, high = wilson(successes, trials)
            assert 0 <= low <= successes / trials <= high <= 1
            mirror = wilson(trials - successes, trials)
            assert (1 - high, 1 - low) == (pytest.approx(mirror[0]), pytest.approx(mirror[1]))


def test_wilson_with_unknown_trials() -> None:
    for unknown in range(8):
        assert wilson(3, 10, unknown) == (wilson(3, 10)[0], wilson(3 + unknown, 10)[1])


# What comes out.


def test_to_json() -> None:
    load = Load.of(load_missions()[2])
    result = rate(load, 4, 50, workers=1, seed=3, first=10)
    answer = json.loads(json.dumps(result.to_json()))
    assert set(answer) >= {
        "mission", "players", "draft", "tasks", "deals", "winnable", "unwinnable", "undecided",
        "rate", "low", "high", "by_search", "by_sat", "deals_per_second",
    }  # fmt: skip
    assert load.mission is not None
    assert answer["mission"] == load.mission.name
    assert (answer["players"], answer["draft"], answer["tasks"], answer["seed"], answer["first"]) == (4, "best", load.tasks, 3, 10)
    assert answer["deals"] == answer["winnable"] + answer["unwinnable"] + answer["undecided"] == 50
    assert answer["low"] <= answer["rate"] <= answer["high"]
    assert answer["deals_per_second"] > 0
    assert rate(Load(2), 4, 10, workers=1).to_json()["mission"] is None


def test_to_json_of_deep_sea() -> None:
    load = _sea(5, "free")
    answer = json.loads(json.dumps(rate(load, 4, 40, workers=1, seed=3).to_json()))
    assert (answer["game"], answer["difficulty"], answer["tasks"], answer["task_cards"]) == ("deep-sea", 5, None, [])
    assert (answer["mission"], answer["edition"], answer["distribution"], answer["tokens"]) == (None, None, "free", [])
    tally = count_deals(load, 4, 0, 40, seed=3)
    assert (answer["redealt"], answer["replaced"]) == (tally.redealt, tally.replaced)
    answer = rate(_sea(cards=("no_S", "last_trick")), 4, 5, workers=1).to_json()
    assert (answer["difficulty"], answer["tasks"], answer["task_cards"]) == (None, 2, ["no_S", "last_trick"])
    assert set(answer) == set(rate(Load(2), 4, 5, workers=1).to_json())
    answer = rate("deep-sea/1", 4, 5, workers=1).to_json()
    assert (answer["mission"], answer["game"], answer["replaced"]) == ("deep-sea/1", "deep-sea", 0)


def test_progress_counts_up() -> None:
    seen: list[Progress] = []
    result = rate(Load(4), 4, 100, workers=1, draft="random", progress=seen.append)
    assert len(seen) > 1
    assert [step.done for step in seen] == sorted({step.done for step in seen})
    assert (seen[-1].done, seen[-1].winnable, seen[-1].unwinnable) == (100, result.winnable, result.unwinnable)
    assert all(step.deals == 100 for step in seen)


def test_the_slowest_deals_are_cases() -> None:
    result = rate(Load(5, ("1",)), 4, 60, workers=1, seed=2, draft="random", slowest=4)
    assert len(result.slowest) == 4
    seconds = [effort for effort, _ in result.slowest]
    assert seconds == sorted(seconds, reverse=True)
    for _, case in result.slowest:
        expected = deal(2, case["index"], 4, tasks=5, tokens=("1",), draft="random")
        found = position_from_case({key: value for key, value in case.items() if key not in ("seed", "index")})
        assert case["seed"] == 2
        assert (found.hands, found.tasks) == (expected.hands, expected.tasks)
    assert rate(Load(5), 4, 30, workers=1).slowest == []


# What is refused.


@pytest.mark.parametrize(
    "wrong",
    [
        {"players": 2}, {"players": 6}, {"players": 0}, {"deals": 0}, {"deals": -5}, {"seed": -1}, {"seed": 1 << 62}, {"first": -1},
        {"draft": "x"}, {"engine": "x"}, {"workers": 0}, {"limit_nodes": 0}, {"limit_seconds": 0}, {"slowest": -1},
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        rate(**({"load": Load(3), "players": 4, "deals": 10, "workers": 1} | wrong))


@pytest.mark.parametrize(
    "wrong",
    [
        {"tasks": 37}, {"tasks": -1}, {"tasks": 1, "tokens": ("1", "2")}, {"tasks": 0, "tokens": ("1",)}, {"tasks": 3, "tokens": ("4",)},
        {"tasks": 3, "tokens": (">>",)}, {"tasks": 3, "tokens": ("1", "1")}, {"tasks": 2, "tokens": ("2", "omega")},
        {"tasks": 3, "distribution": "anarchy"},
    ],
)  # fmt: skip
def test_wrong_loads_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Load(**wrong)


def test_unbuilt_missions_are_refused() -> None:
    refused = 0
    for mission in load_missions():
        if unbuilt_rules(mission, 4):
            with pytest.raises(InputError, match="cannot be played yet"):
                rate(Load.of(mission), 4, 1, workers=1)
            refused += 1
        else:
            assert rate(Load.of(mission), 4, 1, workers=1).deals == 1
    assert 0 < refused < len(load_missions())


def test_a_mission_may_be_given_itself_or_by_name() -> None:
    mission = find_missions("planet-nine/3")[0]
    counts = [rate(load, 4, 40, workers=1).winnable for load in (Load.of(mission), mission, "planet-nine/3")]
    assert counts == [counts[0]] * 3
    with pytest.raises(InputError, match="names 2 missions"):
        rate("planet-nine/3-4", 4, 40)


def test_deals_beyond_the_series_are_refused() -> None:
    with pytest.raises(InputError, match="index"):
        rate(Load(1), 4, 10, first=(1 << 62) - 5)


def _children(parent: int) -> list[str]:
    return subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True).stdout.split()


def _runs(process: str) -> bool:
    """Whether a process is there and not merely waiting for somebody to notice its end."""
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="asks ps for the workers")
@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_a_run_that_is_ended(with_signal: signal.Signals) -> None:
    code = "from deepcrew.cli import main; main()"
    options = ["rate", "--tasks", "10", "--draft", "random", "--deals", "100000", "--workers", "2"]
    run = subprocess.Popen([sys.executable, "-c", code, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = monotonic() + 60
    while len(workers := _children(run.pid)) < 2 and monotonic() < deadline:
        sleep(0.1)
    assert len(workers) == 2
    sleep(1)  # let them be in the middle of a chunk
    run.send_signal(with_signal)
    _, errors = run.communicate(timeout=20)  # stderr ends only when no worker holds it
    assert run.returncode == (130 if with_signal == signal.SIGINT else -with_signal)
    assert "Traceback" not in errors
    deadline = monotonic() + 5  # a process that ends closes stderr a moment before it is gone
    while (left := [worker for worker in workers if _runs(worker)]) and monotonic() < deadline:
        sleep(0.05)
    assert not left


def test_ctrl_c_during_sat_is_an_interruption() -> None:
    code = "from deepcrew.cli import main; main()"
    options = ["rate", "--tasks", "12", "--draft", "random", "--deals", "100000", "--engine", "sat", "--workers", "1"]
    run = subprocess.Popen([sys.executable, "-c", code, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.stdout is not None
    run.stdout.readline()  # the header: the kernels are loaded
    sleep(1)
    for _ in range(20):  # now and then the solver's own handler loses a signal: a user would press the keys again
        run.send_signal(signal.SIGINT)
        try:
            _, errors = run.communicate(timeout=2)
            break
        except subprocess.TimeoutExpired:
            continue
    assert (run.returncode, errors) == (130, "Interrupted.\n")
