"""Intervals for shares of deals."""

from __future__ import annotations

from math import exp, lgamma, log, log1p, sqrt

Z95 = 1.959963984540054
"""Two-sided 95% point of the normal distribution."""


def wilson(successes: int, trials: int, unknown: int = 0) -> tuple[float, float]:
    """The 95% Wilson score interval (Wilson 1927) for a share; (0, 1) without trials.

    ``unknown`` trials, counted in ``trials`` but not in ``successes``, may be either: they widen the interval
    at both ends, the low end as if all had failed, the high end as if all had succeeded.
    """
    if trials == 0:
        return 0.0, 1.0

    def end(count: int, sign: int) -> float:
        share = count / trials
        square = Z95 * Z95 / trials
        spread = Z95 * sqrt(share * (1 - share) / trials + square / (4 * trials))
        return (share + square / 2 + sign * spread) / (1 + square)

    low = 0.0 if successes == 0 else max(0.0, end(successes, -1))
    high = 1.0 if successes + unknown == trials else min(1.0, end(successes + unknown, 1))
    return low, high


def clopper_pearson(successes: int, trials: int, error: float, unknown: int = 0) -> tuple[float, float]:
    """The exact interval (Clopper & Pearson 1934) for a share, which misses it with probability ``error`` at most, whatever it is.

    ``unknown`` as in ``wilson``.
    """
    if trials == 0:
        return 0.0, 1.0
    failures = trials - successes - unknown
    low = 0.0 if successes == 0 else _beta_point(error / 2, successes, trials - successes + 1)
    high = 1.0 if failures == 0 else 1 - _beta_point(error / 2, failures, trials - failures + 1)
    return low, high


def _beta_point(share: float, a: float, b: float) -> float:
    """Where the distribution function of Beta(a, b) is ``share``, for a share below one half: by halving the interval."""
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if _beta_share(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return low


def _beta_share(x: float, a: float, b: float) -> float:
    """The distribution function of Beta(a, b), by Lentz's method for its continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x > (a + 1) / (a + b + 2):
        return 1 - front * _fraction(1 - x, b, a) / b
    return front * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 1_000_000):
        for factor in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            c, d = 1 + factor / c, 1 + factor * d
            c, d = c if abs(c) > tiny else tiny, 1 / (d if abs(d) > tiny else tiny)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def paired_difference(one: int, other: int, pairs: int, unknown: tuple[int, int] = (0, 0)) -> tuple[float, float, float]:
    """The difference of two shares among the same ``pairs``, with its 95% score interval by Tango (1998).

    ``one`` pairs have the property in the first only, ``other`` in the second only. The interval holds the differences that the
    score test of paired shares does not reject; it is sound where few pairs differ. ``unknown``: pairs that may belong to
    ``one`` and to ``other`` besides, because they are undecided; they widen the interval.
    """
    if pairs == 0:
        return 0.0, -1.0, 1.0
    low = -_highest_difference(other + unknown[1], one, pairs)
    return (one - other) / pairs, low, _highest_difference(one + unknown[0], other, pairs)


def _highest_difference(one: int, other: int, pairs: int) -> float:
    """The upper end of Tango's interval, by halving: above it the score is below the 2.5% point."""
    low, high = (one - other) / pairs, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        b = -one - other + (2 * pairs - one + other) * middle
        c = -other * middle * (1 - middle)
        second = max(
            (sqrt(max(b * b - 8 * pairs * c, 0.0)) - b) / (4 * pairs), 0.0
        )  # the likeliest share of ``other``, given the difference
        variance = pairs * (2 * second + middle * (1 - middle))
        if one - other - pairs * middle > -Z95 * sqrt(max(variance, 0.0)):
            low = middle
        else:
            high = middle
    return high
