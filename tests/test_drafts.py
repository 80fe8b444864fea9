"""Task counts per seat against going through the motions of the draft."""

from __future__ import annotations

from collections import Counter

import naive
import pytest
from deepcrew.solver.drafts import DISTRIBUTIONS, allowed_counts, check_distribution, default_distribution, remaining_counts
from deepcrew.solver.errors import InputError

TABLES = [(players, captain) for players in (2, 3, 4, 5) for captain in range(players)]


def counts_of(owners, players: int) -> tuple[int, ...]:
    return tuple(owners.count(seat) for seat in range(players))


def within(allowed, tasks: int, players: int) -> set[tuple[int, ...]]:
    """The counts of so many tasks that stay within one row of ``allowed``, seat by seat."""
    possible = [counts for counts in naive.product(range(tasks + 1), repeat=players) if sum(counts) == tasks]
    return {counts for counts in possible if any(all(n <= most for n, most in zip(counts, row, strict=True)) for row in allowed)}


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize(("players", "captain"), TABLES)
def test_what_stays_within_the_allowed_counts_are_all_drafts(distribution, players, captain):
    for tasks in range(7 if players < 4 else 6):
        allowed = allowed_counts(distribution, tasks, players, captain)
        assert len(set(allowed)) == len(allowed)
        drafts = set(naive.drafts(distribution, tasks, players, captain))
        counts = within(allowed, tasks, players)
        assert counts == {counts_of(owners, players) for owners in drafts}
        # which tasks a seat takes is free, so every assignment with these counts is a draft
        assert drafts == {owners for owners in naive.product(range(players), repeat=tasks) if counts_of(owners, players) in counts}


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize(("players", "captain"), [(2, 1), (3, 0), (4, 2), (5, 4)])
def test_every_row_is_reached_by_equally_many_assignments_and_no_assignment_by_two_rows(distribution, players, captain):
    for tasks in range(6):
        reached: Counter[tuple[int, ...]] = Counter()
        allowed = allowed_counts(distribution, tasks, players, captain)
        for owners in set(naive.drafts(distribution, tasks, players, captain)):
            counts = counts_of(owners, players)
            (row,) = (row for row in allowed if all(n <= most for n, most in zip(counts, row, strict=True)))
            reached[row] += 1
        assert len(set(reached.values())) <= 1


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize(("players", "captain"), [(2, 0), (3, 1), (4, 3)])
def test_remaining_counts_are_those_of_all_drafts_that_agree_with_the_owners_given(distribution, players, captain):
    for tasks in range(5):
        drafts = set(naive.drafts(distribution, tasks, players, captain))
        allowed = allowed_counts(distribution, tasks, players, captain)
        for given in naive.product([None, *range(players)], repeat=tasks):
            fitting = [owners for owners in drafts if all(g in (None, o) for g, o in zip(given, owners, strict=True))]
            free = [[o for g, o in zip(given, owners, strict=True) if g is None] for owners in fitting]
            left = remaining_counts(allowed, given)
            assert len(set(left)) == len(left)
            assert within(left, given.count(None), players) == {counts_of(owners, players) for owners in free}


def test_round_robin_starts_with_the_captain():
    assert allowed_counts("round-robin", 6, 4, 3) == [(2, 1, 1, 2)]
    assert allowed_counts("round-robin", 10, 3, 1) == [(3, 4, 3)]
    assert allowed_counts("round-robin", 1, 5, 2) == [(0, 0, 1, 0, 0)]


def test_the_captain_decides_for_one_other_member():
    assert allowed_counts("captain-decision", 3, 3, 1) == [(3, 0, 0), (0, 0, 3)]


def test_the_captain_may_take_part_in_an_even_distribution():
    assert sorted(allowed_counts("captain-distribution", 4, 3, 0)) == [(1, 1, 2), (1, 2, 1), (2, 1, 1)]


IN_TURN = ("round-robin-with-passing", "captain-hardest-first", "captain-excluded")


@pytest.mark.parametrize(
    ("tasks", "players", "captain", "with_passing", "hardest_first", "excluded"),
    [
        (1, 3, 1, {"100", "010", "001"}, {"010"}, {"100", "001"}),
        (2, 3, 0, {"110", "101", "011"}, {"110", "101"}, {"011"}),
        (3, 3, 2, {"111"}, {"111"}, {"210"}),
        (4, 3, 1, {"121"}, {"121"}, {"202"}),
        (5, 3, 0, {"221"}, {"221"}, {"032"}),
        (3, 4, 3, {"1110", "1101", "1011", "0111"}, {"1101", "1011", "0111"}, {"1110"}),
        (4, 4, 0, {"1111"}, {"1111"}, {"0211"}),
        (5, 4, 2, {"1121"}, {"1121"}, {"2102"}),
        (1, 5, 4, {"10000", "01000", "00100", "00010", "00001"}, {"00001"}, {"10000", "01000", "00100", "00010"}),
        (4, 5, 1, {"11110", "11101", "11011", "10111", "01111"}, {"11110", "11101", "11011", "01111"}, {"10111"}),
        (5, 5, 1, {"11111"}, {"11111"}, {"10211"}),
        (7, 5, 4, {"21112"}, {"21112"}, {"22210"}),
    ],
)
def test_turns_by_hand(tasks, players, captain, with_passing, hardest_first, excluded):
    for distribution, right in zip(IN_TURN, (with_passing, hardest_first, excluded), strict=True):
        counts = allowed_counts(distribution, tasks, players, captain)
        assert {"".join(map(str, row)) for row in counts} == right


@pytest.mark.parametrize("distribution", ["crew-picks-one", "captain-all-or-pass-all", "one-volunteer"])
def test_one_seat_takes_all_the_captain_too(distribution):
    for captain in range(3):
        assert sorted(allowed_counts(distribution, 4, 3, captain)) == [(0, 0, 4), (0, 4, 0), (4, 0, 0)]
    assert len(allowed_counts(distribution, 2, 5, 0)) == 5


def test_a_free_distribution_allows_any_split():
    assert allowed_counts("free", 3, 4, 1) == [(3, 3, 3, 3)]


def test_two_volunteers_take_at_least_one_each():
    assert sorted(allowed_counts("two-volunteers", 4, 3, 0)) == [(0, 3, 3), (3, 0, 3), (3, 3, 0)]
    assert len(allowed_counts("two-volunteers", 2, 5, 0)) == 10
    assert allowed_counts("two-volunteers", 1, 4, 0) == []


def test_distributions_belong_to_their_game():
    assert default_distribution("planet-nine") == "round-robin"
    assert default_distribution("deep-sea") == "round-robin-with-passing"
    check_distribution("free", "deep-sea")
    for distribution, game in (("free", "planet-nine"), ("round-robin", "deep-sea"), ("captain-decision", "deep-sea")):
        with pytest.raises(InputError, match=f"unknown distribution '{distribution}' of {game}"):
            check_distribution(distribution, game)


def test_no_tasks_leave_one_empty_distribution():
    for distribution in DISTRIBUTIONS:
        assert allowed_counts(distribution, 0, 4, 0) == [(0, 0, 0, 0)]


def test_owners_that_fit_no_distribution_leave_nothing():
    assert remaining_counts([(1, 1, 0)], [2, None]) == []
    assert remaining_counts([(1, 1, 0)], [0, 0]) == []
    assert remaining_counts([(1, 1, 0)], [0, None]) == [(0, 1, 0)]


@pytest.mark.parametrize("name", ["", "best", "Round-Robin", "round robin"])
def test_an_unknown_distribution_is_named(name):
    with pytest.raises(InputError) as error:
        allowed_counts(name, 3, 4, 0)
    assert repr(name) in str(error.value)
    assert all(known in str(error.value) for known in DISTRIBUTIONS)
