"""Task counts per seat against going through the motions of the draft."""

from __future__ import annotations

from collections import Counter

import naive
import pytest
from deepcrew.solver.drafts import DISTRIBUTIONS, allowed_counts, remaining_counts
from deepcrew.solver.errors import InputError

TABLES = [(players, captain) for players in (2, 3, 4, 5) for captain in range(players)]


def counts_of(owners, players: int) -> tuple[int, ...]:
    return tuple(owners.count(seat) for seat in range(players))


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize(("players", "captain"), TABLES)
def test_allowed_counts_are_those_of_all_drafts(distribution, players, captain):
    for tasks in range(7 if players < 4 else 6):
        allowed = allowed_counts(distribution, tasks, players, captain)
        assert len(set(allowed)) == len(allowed)
        assert set(allowed) == {counts_of(owners, players) for owners in naive.drafts(distribution, tasks, players, captain)}


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize(("players", "captain"), [(2, 1), (3, 0), (4, 2), (5, 4)])
def test_every_count_vector_is_reached_by_equally_many_assignments(distribution, players, captain):
    for tasks in range(6):
        assignments = set(naive.drafts(distribution, tasks, players, captain))
        assert len(set(Counter(counts_of(owners, players) for owners in assignments).values())) == 1


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
            assert set(left) == {counts_of(owners, players) for owners in free}


def test_round_robin_starts_with_the_captain():
    assert allowed_counts("round-robin", 6, 4, 3) == [(2, 1, 1, 2)]
    assert allowed_counts("round-robin", 10, 3, 1) == [(3, 4, 3)]
    assert allowed_counts("round-robin", 1, 5, 2) == [(0, 0, 1, 0, 0)]


def test_the_captain_decides_for_one_other_member():
    assert allowed_counts("captain-decision", 3, 3, 1) == [(3, 0, 0), (0, 0, 3)]


def test_the_captain_may_take_part_in_an_even_distribution():
    assert sorted(allowed_counts("captain-distribution", 4, 3, 0)) == [(1, 1, 2), (1, 2, 1), (2, 1, 1)]


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
