"""Rates: the same counts however they are divided, the verdicts of single positions, and honest intervals."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from deepcrew.solver.cases import case_from_position, position_from_case
from deepcrew.solver.deals import deal
from deepcrew.solver.drafts import DEEP_SEA, DRAFTS, PLANET_NINE
from deepcrew.solver.errors import InputError
from deepcrew.solver.goals import CrewGoal, goal_form
from deepcrew.solver.intervals import wilson
from deepcrew.solver.missions import find_missions, load_missions
from deepcrew.solver.positions import EITHER, Exchange
from deepcrew.solver.rates import Load, Progress, Rate, Tally, count_deals, rate
from deepcrew.solver.taskcards import find_task_card, load_task_cards
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


# Planet Nine, every mission and every table.

SPECIAL = (5, 9, 12, 13, 16, 17, 23, 26, 29, 33, 34, 40, 41, 44, 46, 48, 50)


def _mission(number: int, reading: str | None = None, game: str = "planet-nine") -> Load:
    (mission,) = find_missions(f"{game}/{number}")
    return Load.of(mission.read_as(reading) if reading else mission)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("number", SPECIAL)
def test_batches_of_special_missions_agree_with_single_verdicts(number: int, players: int) -> None:
    for draft in DRAFTS if _mission(number).tasks else DRAFTS[:1]:
        _compare(_mission(number), players, draft, 21, range(6))


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("number", SPECIAL)
def test_many_batches_of_special_missions_agree_with_single_verdicts(number: int, players: int) -> None:
    for draft in DRAFTS if _mission(number).tasks else DRAFTS[:1]:
        _compare(_mission(number), players, draft, 22, range(60))


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_batches_of_all_missions_of_planet_nine_agree_with_single_verdicts(players: int) -> None:
    for mission in load_missions():
        for draft in DRAFTS:
            _compare(Load.of(mission), players, draft, 23, range(6))


@pytest.mark.parametrize("third", [0, 1, 2])
@pytest.mark.parametrize("draft", DRAFTS)
def test_batches_for_two_players_agree_with_single_verdicts(draft: str, third: int) -> None:
    total = Tally()
    for load in (Load(3, ("1",)), Load(5, (">", ">>"), "captain-distribution"), _mission(12), _sea(5), _mission(19, None, "deep-sea")):
        total.add(_compare(replace(load, third_seat=third), 2, draft, 24, range(4)))
    assert min(total.winnable, total.deals) > 5


@pytest.mark.parametrize("players", [2, 3])
def test_batches_of_the_challenge_deck_agree_with_single_verdicts(players: int) -> None:
    for load in (Load(4, ("1",)), _mission(13), _mission(44), _mission(26), _mission(46), _mission(50), _mission(12)):
        for draft in DRAFTS if load.tasks else DRAFTS[:1]:
            _compare(replace(load, challenge=True), players, draft, 25, range(4))


def test_the_challenge_deck_is_for_three_or_two() -> None:
    for players in (4, 5):
        with pytest.raises(InputError, match=f"the challenge deck is for 3 players or 2, not for {players}"):
            rate(Load(3, challenge=True), players, 10)


@pytest.mark.parametrize(
    ("number", "players", "draft"), [(23, 4, "random"), (40, 3, "random"), (17, 2, "best"), (46, 3, "best"), (50, 4, "best")]
)
def test_special_missions_are_the_same_however_divided(number: int, players: int, draft: str) -> None:
    load = _mission(number)
    whole = count_deals(load, players, 10, 70, draft=draft)
    assert whole.undecided == 0
    for size in (9, 40):
        total = Tally()
        for first in range(10, 80, size):
            total.add(count_deals(load, players, first, min(size, 80 - first), draft=draft))
        assert _verdicts(total) == _verdicts(whole)
    assert _verdicts(rate(load, players, 70, first=10, draft=draft, workers=2)) == _verdicts(whole)


def _each(load: Load, players: int, numbers: Iterable[int], draft: str = "best", **options: Any) -> list[bool]:
    """Whether each of these deals can be won."""
    found = []
    for index in numbers:
        tally = count_deals(load, players, index, 1, seed=26, draft=draft, **options)
        assert tally.winnable + tally.unwinnable == 1
        found.append(tally.winnable == 1)
    return found


def _only_gains(less: Sequence[bool], more: Sequence[bool], least: int = 1) -> None:
    """What can be won with less can be won with more, and at least so many deals with more alone."""
    assert all(b for a, b in zip(less, more, strict=True) if a)
    assert sum(more) >= sum(less) + least


@pytest.mark.parametrize("number", [32, 42])
@pytest.mark.parametrize("draft", DRAFTS)
def test_with_the_five_player_rule_no_deal_is_lost(number: int, draft: str) -> None:
    load, numbers = _mission(number), range(25 if number == 32 else 8)
    _only_gains(_each(replace(load, five_player_rule=False), 5, numbers, draft), _each(load, 5, numbers, draft), draft == "random")
    with_rule, without = (rate(load, 5, 10, draft=draft, five_player_rule=rule, workers=1) for rule in (True, False))
    assert with_rule.winnable >= without.winnable
    assert (with_rule.to_json()["five_player_rule"], without.to_json()["five_player_rule"]) == (True, False)


def test_the_five_player_rule_is_for_five() -> None:
    load = _mission(42)
    for players in (3, 4):
        assert _each(load, players, range(8), "random") == _each(replace(load, five_player_rule=False), players, range(8), "random")


@pytest.mark.parametrize(("number", "players"), [(46, 4), (46, 5), (13, 3), (5, 4), (34, 5), (29, 2)])
def test_a_distress_signal_gains_deals_and_loses_none(number: int, players: int) -> None:
    load, numbers = _mission(number), range(16)
    without = _each(load, players, numbers)
    sides = {side: _each(load, players, numbers, distress=side) for side in ("left", "right", "any")}
    _only_gains(without, sides["left"], 0)
    _only_gains(without, sides["right"], 0)
    assert sides["any"] == [left or right for left, right in zip(sides["left"], sides["right"], strict=True)]
    result = rate(load, players, 16, seed=26, distress="any", workers=1)
    assert (result.winnable, result.gained, result.undecided) == (sum(sides["any"]), sum(sides["any"]) - sum(without), 0)
    assert (result.gained > 0) == (number == 46)
    answer = result.to_json()
    assert (answer["distress"], answer["gained"]) == ("any", result.gained)
    answer = rate(load, players, 16, seed=26, workers=1).to_json()
    assert (answer["distress"], answer["gained"]) == (None, None)
    for index in numbers:
        position = deal(26, index, players, load=load)
        signalled = replace(position, exchanges=(Exchange(0, EITHER), *position.exchanges))
        if not without[index]:
            assert (solve(signalled).verdict == WINNABLE) == sides["any"][index]


def test_gained_deals_do_not_depend_on_the_division() -> None:
    load = _mission(46)
    whole = count_deals(load, 4, 0, 60, distress="left")
    total = Tally()
    for first in range(0, 60, 13):
        total.add(count_deals(load, 4, first, min(13, 60 - first), distress="left"))
    together = rate(load, 4, 60, distress="left", workers=2)
    assert {(counts.winnable, counts.unwinnable, counts.gained) for counts in (whole, total, together)} == {
        (whole.winnable, whole.unwinnable, whole.gained)
    }
    assert whole.gained > 0


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_cards_taken_as_the_crew_wants_lose_no_deal(players: int, draft: str) -> None:
    seeded, best = replace(_mission(12), takes="seeded"), replace(_mission(12), takes="best")
    _only_gains(_each(seeded, players, range(10), draft), _each(best, players, range(10), draft), 0)
    assert rate(best, players, 5, draft=draft, workers=1).to_json()["takes"] == "best"


def test_cards_not_known_are_worth_no_more_than_known_ones() -> None:
    load = replace(_mission(12), takes="expected")
    result = rate(load, 3, 6, workers=1)
    assert result.expected is not None
    mean, low, high = result.expected
    assert 0 <= low <= mean <= high <= 1
    assert 0 < mean <= result.winnable / result.deals
    assert result.to_json()["expected"] == {"mean": mean, "low": low, "high": high}
    assert rate(load, 3, 6, workers=1, engine="sat").expected == pytest.approx(result.expected)
    assert rate(_mission(12), 3, 6, workers=1).to_json()["expected"] is None


@pytest.mark.parametrize("takes", ["best", "expected"])
def test_the_search_alone_is_refused_where_it_cannot_end(takes: str) -> None:
    with pytest.raises(InputError, match="search alone cannot show"):
        rate(replace(_mission(12), takes=takes), 4, 5, engine="search", workers=1)
    assert rate(replace(_mission(12), takes="best"), 4, 5, engine="search", limit_nodes=2000, workers=1).deals == 5


def test_the_mission_with_taken_cards_is_seeded_unless_asked() -> None:
    answer = rate("planet-nine/12", 4, 5, workers=1).to_json()
    assert answer["takes"] == "seeded"
    assert rate("planet-nine/11", 4, 5, workers=1).to_json()["takes"] is None


@pytest.mark.parametrize(
    ("number", "reading", "game", "players", "laxer", "deals"),
    [
        (5, "captain-eligible", "planet-nine", 3, True, 150),
        (17, "full-hand", "planet-nine", 3, False, 30),
        (33, "captain-eligible", "planet-nine", 3, True, 60),
        (46, "leftover-harmless", "planet-nine", 3, True, 60),
        (12, "forced-lead-allowed", "deep-sea", 3, True, 20),
        (19, "leftmost", "deep-sea", 4, False, 60),
    ],
)
def test_another_reading_is_laxer_or_stricter(number: int, reading: str, game: str, players: int, laxer: bool, deals: int) -> None:
    draft = "random" if number == 17 else "best"
    usual, other = (_each(_mission(number, name, game), players, range(deals), draft) for name in (None, reading))
    _only_gains(usual, other, 0) if laxer else _only_gains(other, usual, 0)
    if (number, reading) not in {(5, "captain-eligible"), (33, "captain-eligible"), (19, "leftmost"), (17, "full-hand")}:
        assert usual != other
    for index in range(4):
        _compare(_mission(number, reading, game), players, draft, 26, range(index, index + 1))


def test_an_attempt_that_ends_with_its_tasks_is_won_more_often() -> None:
    low = goal_form({"count": "tricks", "won_with": "P89 B89 G89 Y89", "exactly": 0}, "goal")
    full = Load(1, crew=(CrewGoal("together", low),))
    ending = replace(full, ends_with_tasks=True)
    _only_gains(_each(full, 4, range(30), "random"), _each(ending, 4, range(30), "random"))
    for load in (full, ending):
        _compare(load, 4, "random", 26, range(4))


def test_a_mission_set_up_anew_never_leaves_the_captain_without_a_hardest_task() -> None:
    load, usual = _sea(5, "captain-hardest-only"), _sea(5, "captain-hardest-first")
    assert _mission(19, "set-up-anew", "deep-sea").distribution == load.distribution
    changed = 0
    for index in range(300):
        position, other = deal(27, index, 4, load=load), deal(27, index, 4, load=usual)
        cards = [find_task_card(str(task.card)) for task in position.tasks]
        most = max(card.difficulty_for(4) for card in cards)
        assert any(card.difficulty_for(4) == most and not card.not_for_captain for card in cards)
        assert position.hands == other.hands or position.tasks != other.tasks
        changed += position.tasks != other.tasks
    assert changed > 0
    _compare(load, 4, "random", 27, range(4))


@pytest.mark.parametrize("reading", ["captain-passes", "no-exchange"])
def test_a_captain_without_a_task_to_take_passes_or_has_the_tasks_drawn_anew(reading: str) -> None:
    """Difficulty 3 with a hardest task for the captain is now and then a single comparison with the captain."""
    usual = _sea(3, "captain-hardest-first")
    other = replace(usual, readings=(reading,))
    changed = 0
    for index in range(200):
        before, position = (deal(28, index, 4, load=load, draft="random") for load in (usual, other))
        slugs = [str(task.card) for task in position.tasks]
        alone = all(find_task_card(slug).not_for_captain for slug in slugs)
        changed += position.tasks != before.tasks
        assert position.readings == (reading,)
        if reading == "no-exchange":
            assert not alone
        elif alone:
            assert position.captain not in position.owners
            assert position_from_case(case_from_position(position)) == position
            _compare(other, 4, "random", 28, range(index, index + 1))
    assert changed > 0
    _compare(other, 4, "best", 28, range(6))


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
        {"players": 1}, {"players": 6}, {"players": 0}, {"distress": "up"}, {"distress": ""}, {"distress": "any", "engine": "search"},
        {"deals": 0}, {"deals": -5}, {"seed": -1}, {"seed": 1 << 62}, {"first": -1},
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
        {"tasks": 3, "distribution": "anarchy"}, {"takes": "guessed"}, {"third_seat": 3}, {"third_seat": -1},
        {"game": "deep-sea", "challenge": True}, {"game": "chess"},
    ],
)  # fmt: skip
def test_wrong_loads_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Load(**wrong)


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
