"""Intervals for shares of deals."""

from __future__ import annotations

from math import sqrt

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
