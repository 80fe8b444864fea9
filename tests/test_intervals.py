"""Intervals cover what they promise to: simulated, and against tables."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from deepcrew.solver.errors import InputError
from deepcrew.solver.intervals import clopper_pearson, paired_difference, wilson
from deepcrew.solver.sequential import ERROR, interval_at, look_at, looks_within, parse_width


def test_clopper_pearson_is_exact() -> None:
    for trials in (1, 7, 30):
        for successes in range(trials + 1):
            for error in (0.05, 1e-4):
                low, high = clopper_pearson(successes, trials, error)
                tail = sum(comb(trials, k) * low**k * (1 - low) ** (trials - k) for k in range(successes, trials + 1))
                assert tail == pytest.approx(error / 2 if successes else 1, rel=1e-8)
                tail = sum(comb(trials, k) * high**k * (1 - high) ** (trials - k) for k in range(successes + 1))
                assert tail == pytest.approx(error / 2 if successes < trials else 1, rel=1e-8)


@pytest.mark.parametrize("trials", [10**5, 10**7, 10**9])
@pytest.mark.parametrize("share", [0.5, 0.03, 0.99])
def test_with_many_deals_it_is_near_wilsons(trials: int, share: float) -> None:
    low, high = clopper_pearson(round(share * trials), trials, 0.05)
    other_low, other_high = wilson(round(share * trials), trials)
    assert low == pytest.approx(other_low, abs=0.02 * (other_high - other_low))
    assert high == pytest.approx(other_high, abs=0.02 * (other_high - other_low))


def test_what_is_unknown_widens_it() -> None:
    assert clopper_pearson(3, 10, 0.05, 2) == (clopper_pearson(3, 10, 0.05)[0], clopper_pearson(5, 10, 0.05)[1])
    assert clopper_pearson(0, 0, 0.05) == (0.0, 1.0)


def test_looks() -> None:
    assert [look_at(number) for number in (1, 2, 3, 10)] == [1000, 2000, 4000, 512_000]
    assert [look_at(number, 300) for number in (1, 2, 3)] == [1200, 2100, 4200]
    assert [looks_within(deals) for deals in (999, 1000, 1999, 2000, 10**6)] == [0, 1, 1, 2, 10]
    assert sum(ERROR / (number * (number + 1)) for number in range(1, 10_000)) < ERROR
    assert interval_at(0, 0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("text", "width"), [("0.1%", 0.001), ("0.001", 0.001), (" 5 % ", 0.05), (".5%", 0.005)])
def test_widths(text: str, width: float) -> None:
    assert parse_width(text) == pytest.approx(width)


@pytest.mark.parametrize("text", ["", "x", "0", "0%", "100%", "-1%", "1e-3", "nan", "1%%"])
def test_widths_that_cannot_be(text: str) -> None:
    with pytest.raises(InputError):
        parse_width(text)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.999, 0.9999, 0.99999, 0.00016, 0.00002])
def test_stopping_when_it_is_narrow_covers(share: float) -> None:
    """Of thousands of runs that stop as soon as a look is narrow enough, 95% have the true rate in their interval; and 95% have it
    in the intervals of all their looks, whichever width is asked for."""
    rng, runs = np.random.default_rng(1), 3000
    known: dict[tuple[int, int], tuple[float, float]] = {}
    missed = dict.fromkeys((0.1, 0.03, 0.01, 0.004), 0)
    missed_once = 0
    for _ in range(runs):
        trials = successes = 0
        open_widths, once = list(missed), False
        for number in range(1, 7):
            more = look_at(number) - trials
            trials, successes = trials + more, successes + int(rng.binomial(more, share))
            if (number, successes) not in known:
                known[number, successes] = interval_at(number, successes, trials)
            low, high = known[number, successes]
            once |= not low <= share <= high
            for width in [width for width in open_widths if high - low <= width or number == 6]:
                open_widths.remove(width)
                missed[width] += not low <= share <= high
        missed_once += once
    assert max(*missed.values(), missed_once) <= 0.05 * runs


@pytest.mark.parametrize("shares", [(0.5, 0.2, 0.1), (0.9, 0.05, 0.01), (0.95, 0.02, 0.02), (0.1, 0.3, 0.3), (0.98, 0.01, 0.0)])
@pytest.mark.parametrize("pairs", [50, 400])
def test_paired_intervals_cover(shares: tuple[float, float, float], pairs: int) -> None:
    both, one, other = shares
    rng, tries, hit = np.random.default_rng(3), 4000, 0
    for table in rng.multinomial(pairs, [both, one, other, 1 - both - one - other], tries).tolist():
        difference, low, high = paired_difference(table[1], table[2], pairs)
        assert low <= difference <= high
        hit += low <= one - other <= high
    assert hit >= 0.93 * tries


def test_the_ends_are_where_the_score_test_rejects() -> None:
    """The likeliest shares under a given difference, found by trying many."""
    for one, other, pairs in ((12, 2, 44), (4, 0, 400), (1, 9, 30)):
        _, low, high = paired_difference(one, other, pairs)
        for difference in (low, high):
            second = np.linspace(max(-difference, 0) + 1e-12, (1 - difference) / 2 - 1e-12, 400_001)
            first = second + difference
            likelihood = one * np.log(first) + other * np.log(second) + (pairs - one - other) * np.log1p(-first - second)
            best = second[np.argmax(likelihood)]
            score = (one - other - pairs * difference) / np.sqrt(pairs * (2 * best + difference - difference**2))
            assert abs(score) == pytest.approx(1.96, abs=0.01)


def test_undecided_pairs_widen_it() -> None:
    _, low, high = paired_difference(10, 4, 100)
    _, low_open, high_open = paired_difference(10, 4, 100, (3, 2))
    assert low_open < low < high < high_open
    assert paired_difference(0, 0, 0) == (0.0, -1.0, 1.0)
