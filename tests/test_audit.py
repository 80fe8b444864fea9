"""The audit: its verdicts against ``solve``, its measures by hand, its statistics against textbook values, its tables."""

from __future__ import annotations

import json
from itertools import pairwise
from math import atanh, sqrt, tanh
from pathlib import Path
from random import Random

import polars
import pytest
from click.testing import CliRunner, Result
from deepcrew.cli import cli
from deepcrew.solver import audit as audits
from deepcrew.solver.audit import (
    MEASURES,
    CardAudit,
    DealFormula,
    audit,
    audit_pairs,
    check_file,
    compared,
    correlation,
    decide_seats,
    expected_shares,
    fulfils,
    random_line,
    ranks,
    spearman,
    write_table,
)
from deepcrew.solver.deals import deal
from deepcrew.solver.errors import InputError
from deepcrew.solver.exclusions import load_exclusions
from deepcrew.solver.loads import Load, deal_load, tricks_of
from deepcrew.solver.positions import Position, Task
from deepcrew.solver.referee import Referee
from deepcrew.solver.taskcards import find_task_card, load_task_cards
from deepcrew.solver.verdicts import solve

CARDS = ("zero_tricks", "win_all_9s", "win_S1_only_sub", "win_5_with_7", "exactly_two_B", "fewer_than_captain", "first_trick")
COMPARISONS = tuple(card.slug for card in load_task_cards() if card.not_for_captain)


def _cards() -> tuple[str, ...]:
    known = [card.slug for card in load_task_cards()]
    return tuple(slug for slug in known if slug in CARDS or slug in COMPARISONS)


def _dealt(slug: str, players: int, index: int, seed: int = 1) -> Position:
    return deal_load(Load(game="deep-sea", task_cards=(slug,)), players, seed, index)


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["audit", *args])


def row(card: str = "a", players: int = 4, printed: int = 1, random: float = 0.5, **others: float) -> CardAudit:
    values = dict.fromkeys(field for field in CardAudit.__dataclass_fields__)
    values |= {"card": card, "group": "tricks", "players": players, "printed": printed, "random": random, "effort": 1.0, "by": "random"}
    return CardAudit(**(values | others))  # type: ignore[arg-type]


# --- verdicts ---


@pytest.mark.parametrize("players", [3, 4, 5])
def test_every_seat_agrees_with_solve(players: int) -> None:
    cards = _cards()
    found = decide_seats(cards, players, 1, 3, 4)
    for index, slug in enumerate(cards):
        for place in range(4):
            position = _dealt(slug, players, 3 + place)
            assert found.captain[index, place] == position.captain
            for seat in range(players):
                if slug in COMPARISONS and seat == position.captain:
                    assert found.can[index, place, seat] == -1
                    continue
                verdict = solve(position.with_owners([seat])).verdict
                assert found.can[index, place, seat] == (verdict == "winnable"), (slug, place, seat)


def test_verdicts_do_not_depend_on_how_many_nodes_the_dives_get(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = decide_seats(_cards(), 4, 7, 0, 3)
    monkeypatch.setattr(audits, "NODES", 1)
    by_sat = decide_seats(_cards(), 4, 7, 0, 3)
    assert (usual.can == by_sat.can).all()
    assert by_sat.by_sat > usual.by_sat


def test_what_keeps_sat_busy_is_decided_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = decide_seats(("win_5_with_7", "zero_tricks"), 4, 7, 0, 2, 2)
    monkeypatch.setattr(audits, "NODES", 1)
    monkeypatch.setattr(audits, "CONFLICTS", 0)
    other = decide_seats(("win_5_with_7", "zero_tricks"), 4, 7, 0, 2, 2)
    assert (usual.can == other.can).all()
    assert (usual.survived == other.survived).all()


def test_a_redeal_gives_the_hands_that_deal_load_gives() -> None:
    slug = next(card.slug for card in load_task_cards() if card.redeal)
    found = decide_seats((slug,), 3, 1, 0, 40)
    assert found.redealt.sum() > 0
    for index in range(40):
        assert found.captain[0, index] == _dealt(slug, 3, index).captain


def test_measures_follow_from_the_verdicts_of_each_seat() -> None:
    deals, players = 6, 4
    for measured in audit((players,), deals, 2, task_cards=_cards(), tightness_deals=0, workers=1).rows:
        can, captains = [], []
        for index in range(deals):
            position = _dealt(measured.card, players, index, 2)
            seats = [seat for seat in range(players) if measured.card not in COMPARISONS or seat != position.captain]
            verdicts = {seat: solve(position.with_owners([seat])).verdict == "winnable" for seat in seats}
            can.append(list(verdicts.values()))
            captains.append(verdicts.get(position.captain))
        assert measured.random == pytest.approx(sum(sum(seats) / len(seats) for seats in can) / deals)
        assert measured.best == sum(map(any, can)) / deals
        assert measured.every == sum(map(all, can)) / deals
        assert measured.captain == (None if measured.card in COMPARISONS else sum(filter(None, captains)) / deals)
        assert (measured.survived, measured.by_chance, measured.tightness_deals) == (None, None, 0)


# --- a small run of all cards ---


@pytest.fixture(scope="module")
def small() -> audits.Audit:
    return audit((3, 5), 6, 1, tightness_deals=2, workers=2)


def test_a_small_run_has_a_row_for_every_card(small: audits.Audit) -> None:
    assert len(small.rows) == 2 * 96
    for players in (3, 5):
        assert {row.card for row in small.rows if row.players == players} == {card.slug for card in load_task_cards()}
    assert small.verdicts == sum(6 * (row.players - (row.card in COMPARISONS)) for row in small.rows)
    for one in small.rows:
        assert one.printed == find_task_card(one.card).difficulty_for(one.players)


def test_shares_are_in_order_and_inside_their_intervals(small: audits.Audit) -> None:
    for one in small.rows:
        assert 1 >= one.best >= one.random >= one.every >= 0
        assert (one.captain is None) == (one.card in COMPARISONS)
        for name in ("random", "best", "captain", "every", "by_chance"):
            share, low, high = (getattr(one, name + end) for end in ("", "_low", "_high"))
            assert (share is None) == (low is None) == (high is None)
            assert share is None or 0 <= low <= share <= high <= 1
            assert share is None or high - low > 0.2  # six deals say little
    assert len(COMPARISONS) == 3


def test_tightness_is_bounded(small: audits.Audit) -> None:
    for one in small.rows:
        if one.survived is None:
            assert one.tightness_deals == 0
            continue
        assert one.by_chance is not None
        assert one.tricks_survived is not None
        assert one.by_chance <= one.survived <= 1
        assert one.survived == pytest.approx(one.tricks_survived / tricks_of(one.players))
        assert 1 <= one.tightness_deals <= 2


def test_workers_do_not_matter() -> None:
    alone, shared = (audit((4,), 11, 3, task_cards=_cards(), tightness_deals=3, workers=workers) for workers in (1, 2))
    assert alone.rows == shared.rows
    assert alone.correlations == shared.correlations


def test_golden() -> None:
    rows = {one.card: one for one in audit((4,), 20, 1, task_cards=("zero_tricks", "win_S3"), tightness_deals=10, workers=1).rows}
    assert {card: (one.random, one.best, one.captain, one.every) for card, one in rows.items()} == GOLDEN
    assert {card: (one.tricks_survived, one.by_chance) for card, one in rows.items()} == GOLDEN_TIGHTNESS


GOLDEN = {"win_S3": (0.4375, 1.0, 1.0, 0.0), "zero_tricks": (0.6875, 1.0, 0.0, 0.0)}
GOLDEN_TIGHTNESS = {"win_S3": (7.4, 0.5), "zero_tricks": (2.0, 0.0)}


# --- tightness ---


def test_random_lines_are_legal_and_whole() -> None:
    for players in (3, 4, 5):
        position = deal(4, players, players)
        line = random_line(position.hands, Random(1))
        referee = Referee(position)
        for card in line:
            referee.play(card)
        assert not referee.tricks_left


@pytest.mark.parametrize(("players", "slug"), [(3, "exactly_two_B"), (4, "win_5_with_7"), (4, "zero_tricks"), (5, "fewer_than_each_other")])
def test_survived_is_what_solve_says_trick_by_trick(players: int, slug: str) -> None:
    card, checked = find_task_card(slug), 0
    for index in range(4):
        hands = _dealt(slug, players, index).hands
        line = random_line(hands, Random(index))
        tricks = [line[start : start + players] for start in range(0, len(line), players)]
        with DealFormula(hands) as formula:
            for seat in range(players):
                task = (Task(slug, seat),)
                verdicts = [
                    solve(Position(hands, task, tuple(tricks[:played]), game="deep-sea")).verdict == "winnable"
                    for played in range(len(tricks) + 1)
                ]
                if not verdicts[0]:
                    continue
                checked += 1
                assert all(before >= after for before, after in pairwise(verdicts))
                assert formula.survived(card, seat, line) == sum(verdicts) - 1
    assert checked


def test_the_first_trick_is_lost_at_once_or_never() -> None:
    slug, players = "first_trick", 4
    found = decide_seats((slug,), players, 1, 0, 12, 12)
    assert set(found.survived[0].tolist()) <= {-1, 0, tricks_of(players)}


def test_a_line_is_judged_as_the_referee_does() -> None:
    for index in range(20):
        position = deal(9, index, 4)
        line = random_line(position.hands, Random(index))
        for slug in ("exactly_1_trick", "first_trick", "more_than_captain"):
            for seat in range(4):
                card = find_task_card(slug)
                if card.not_for_captain and seat == position.captain:
                    continue
                referee = Referee(Position(position.hands, (Task(slug, seat),), game="deep-sea"))
                for play in line:
                    referee.play(play)
                goal = card.form.resolve(4, tricks_of(4), position.captain)
                assert fulfils(goal, seat, position.captain, line, 4) == referee.won


# --- statistics ---


def test_ranks_average_ties() -> None:
    assert ranks([10, 20, 20, 5]) == [2, 3.5, 3.5, 1]


def test_spearman_by_hand() -> None:
    # ranks 1 2.5 2.5 4 against 4 3 2 1: deviations -1.5 0 0 1.5 and 1.5 0.5 -0.5 -1.5
    rho, low, high = spearman([1, 2, 2, 3], [9, 7, 5, 1])
    assert rho == pytest.approx(-4.5 / sqrt(4.5 * 5))
    error = 1.959963984540054 * sqrt(1 + 4.5 / 10)  # rho squared is 4.5 / 5
    assert (low, high) == (pytest.approx(tanh(atanh(rho) - error)), pytest.approx(tanh(atanh(rho) + error)))


def test_spearman_without_ties_is_the_sum_of_squares_formula() -> None:
    one, other = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6], [2.0, 7.0, 1.0, 8.0, 3.0, 5.0]
    squares = sum((a - b) ** 2 for a, b in zip(ranks(one), ranks(other), strict=True))
    assert spearman(one, other)[0] == pytest.approx(1 - 6 * squares / (6 * 35))


def test_spearman_at_its_ends() -> None:
    assert spearman([1, 2, 3, 4], [1, 2, 3, 4]) == (1, 1, 1)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == (-1, -1, -1)
    assert spearman([1, 1, 1, 1], [4, 3, 2, 1]) == (None, -1, 1)
    assert spearman([1, 2, 3], [3, 1, 2]) == (-0.5, -1, 1)
    assert spearman([1], [3]) == (None, -1, 1)


def test_a_correlation_leaves_out_cards_without_the_measure() -> None:
    rows = [row(printed=number, captain=None if number == 3 else 1 - number / 10) for number in range(1, 7)]
    found = correlation(rows, 4, "captain")
    assert (found.cards, found.rho) == (5, -1)
    assert correlation(rows, 3, "captain").rho is None


def test_expected_shares_pool_what_rises() -> None:
    assert expected_shares([1, 2, 3], [0.9, 0.5, 0.1]) == {1: 0.9, 2: 0.5, 3: 0.1}
    fit = expected_shares([1, 2, 2, 3], [0.5, 0.8, 1.0, 0.1])
    assert fit == {1: pytest.approx(2.3 / 3), 2: pytest.approx(2.3 / 3), 3: 0.1}
    fit = expected_shares([1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4])
    assert list(fit.values()) == [pytest.approx(0.25)] * 4


def test_a_card_is_compared_with_the_others() -> None:
    plain = [row(f"{number}{letter}", printed=number, random=1 - number / 10) for number in (1, 2, 3, 4) for letter in "ab"]
    odd = row("odd", printed=4, random=0.9)
    found = {one.card: one for one in compared([*plain, odd])}
    assert (found["odd"].expected, found["odd"].off, found["odd"].like) == (pytest.approx(0.6), pytest.approx(0.3), 1)
    between = compared([row("a", printed=1, random=0.9), row("b", printed=3, random=0.5), row("c", printed=2, random=0.7)])
    assert between[2].expected == pytest.approx(0.7)  # nobody else has a 2
    (alone,) = compared([odd])
    assert (alone.expected, alone.off, alone.like) == (None, None, None)


def test_outliers_are_in_order(small: audits.Audit) -> None:
    for players in (3, 5):
        off = [abs(one.off or 0) for one in small.outliers(players)]
        assert len(off) == 10
        assert off == sorted(off, reverse=True)
        assert off[-1] >= max(abs(one.off or 0) for one in small.rows[:] if one.players == players and one not in small.outliers(players))


# --- pairs ---


def test_pairs_are_the_proved_ones() -> None:
    rows = audit_pairs((3, 4, 5))
    assert len(rows) == 3 * 96 * 95 // 2
    for players in (3, 4, 5):
        own = [one for one in rows if one.players == players]
        assert {frozenset((one.card, one.other)) for one in own if one.excluded_different} == load_exclusions(players, same_owner=False)
        assert {frozenset((one.card, one.other)) for one in own if one.excluded_one} == load_exclusions(players, same_owner=True)
    assert all(one.different is None and one.one is None for one in rows)


def test_sampled_pairs_agree_with_solve() -> None:
    pair = ("zero_tricks", "exactly_1_trick")
    (one,) = audit_pairs((4,), 5, 1, task_cards=pair, workers=1)
    apart = 0
    for index in range(5):
        position = deal_load(Load(game="deep-sea", task_cards=(one.card, one.other), distribution="free"), 4, 1, index)
        ways = [(a, b) for a in range(4) for b in range(4) if a != b]
        apart += any(solve(position.with_owners(way)).verdict == "winnable" for way in ways)
    assert one.different == apart / 5
    assert (one.excluded_one, one.one) == (True, 0)
    assert one.different_low <= one.different <= one.different_high  # type: ignore[operator]


def test_pairs_of_the_cards_named() -> None:
    assert len(audit_pairs((4,), task_cards=("zero_tricks",))) == 95
    assert len(audit_pairs((4,), task_cards=("zero_tricks", "win_S3", "no_S"))) == 3


# --- tables ---


def test_tables_come_back_as_they_were(small: audits.Audit, tmp_path: Path) -> None:
    write_table(small.rows, tmp_path / "audit.csv", "csv")
    write_table(small.rows, tmp_path / "audit.parquet", "parquet")
    rows = [one.to_json() for one in small.rows]
    assert polars.read_parquet(tmp_path / "audit.parquet").to_dicts() == rows
    schema = polars.read_parquet_schema(tmp_path / "audit.parquet")
    assert polars.read_csv(tmp_path / "audit.csv", schema_overrides=schema).to_dicts() == rows
    assert sorted(path.name for path in tmp_path.iterdir()) == ["audit.csv", "audit.parquet"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: polars.DataFrame, file: Path) -> None:
        file.write_text("half")
        raise OSError(28, "No space left on device")

    path = tmp_path / "audit.csv"
    path.write_text("old")
    monkeypatch.setattr(polars.DataFrame, "write_csv", fail)
    with pytest.raises(InputError, match="No space left"):
        write_table(audit_pairs((4,), task_cards=("zero_tricks",)), path, "csv")
    assert [one.read_text() for one in tmp_path.iterdir()] == ["old"]


def test_a_file_is_checked_before_the_work(tmp_path: Path) -> None:
    check_file(tmp_path / "new.csv")
    assert not list(tmp_path.iterdir())
    for path in (tmp_path, tmp_path / "no" / "such.csv"):
        with pytest.raises(InputError, match="cannot write"):
            check_file(path)


# --- the command ---

FEW = ("--task", "zero_tricks", "--task", "win_S3", "--task", "no_S", "--task", "first_trick")


def test_command_prints_a_table_and_writes_files(tmp_path: Path) -> None:
    path = tmp_path / "audit.csv"
    result = run(*FEW, "--players", "4", "--deals", "3", "--workers", "1", "--csv", str(path))
    assert result.exit_code == 0, result.output
    head, *lines = result.stdout.splitlines()
    assert head.split()[:4] == ["card", "players", "printed", "random"]
    assert {line.split()[0] for line in lines[:4]} == {"zero_tricks", "win_S3", "no_S", "first_trick"}
    assert len(polars.read_csv(path)) == 4


def test_command_prints_json() -> None:
    result = run(*FEW, "--players", "3,4", "--deals", "2", "--workers", "1", "--json")
    objects = [json.loads(line) for line in result.stdout.splitlines()]
    rows = [one for one in objects if "card" in one]
    assert {(one["players"], one["measure"]) for one in objects if "rho" in one} == {(p, m) for p in (3, 4) for m in MEASURES}
    assert sorted((one["players"], one["card"]) for one in rows) == sorted((p, s) for p in (3, 4) for s in FEW[1::2])
    assert set(rows[0]) == set(CardAudit.__dataclass_fields__)


def test_command_lists_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.parquet"
    result = run("--pairs", "--players", "3,4,5", "--parquet", str(path))
    assert result.exit_code == 0, result.output
    for line, players in zip(result.stdout.splitlines()[1:4], (3, 4, 5), strict=True):
        numbers = [len(load_exclusions(players, same_owner=same_owner)) for same_owner in (False, True)]
        assert [int(word.replace(",", "")) for word in line.split()[:4]] == [players, 4560, *numbers]
    assert len(polars.read_parquet(path)) == 3 * 4560


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--task", "win_al_9s"], "did you mean 'win_all_9s'?"),
        (["--deals", "0"], "0 deals cannot be counted"),
        (["--players", "2", "--deals", "0"], "2 players"),
        (["--players", "6"], "the number of players must be 2, 3, 4 or 5, not 6"),
        (["--deals", "3", "--tightness-deals", "4"], "the tightness of 4 deals"),
        (["--csv", "/no/such/dir/audit.csv"], "cannot write"),
        (["--pairs", "--pair-deals", "0"], "0 deals cannot be counted"),
        (["--pair-deals", "10"], "--pair-deals goes with --pairs"),
        (["--pairs", "--deals", "10"], "do not go with --pairs"),
        (["--edition", "french"], "unknown edition 'french'"),
        (["--by", "luck"], "cards cannot be compared by 'luck'"),
        (["--workers", "0"], "workers"),
    ],
)
def test_wrong_input_is_named(args: list[str], says: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert says in result.output
