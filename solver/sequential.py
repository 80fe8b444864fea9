"""Stopping by precision, with honest coverage: how many deals until an interval is as narrow as asked.

To stop at the first moment when an ordinary 95% interval looks narrow enough is to look often, and one of many looks misses
too easily. Here the looks are few and planned: the k-th comes after 1000 * 2^(k-1) deals, and its interval is the exact one of
Clopper and Pearson at confidence 1 - alpha_k with alpha_k = 0.05 / (k (k + 1)). These errors add up to 5% over all looks there
can ever be (Bonferroni), so with 95% probability at least no interval at any look misses: neither that at which a run stops,
however the width was chosen, nor that at which it stops again when it is extended to a narrower one. The price is deals: about
three times as many as a single look at the right moment would need, and up to twice that for looking at doublings only.
"""

from __future__ import annotations

import re
from math import isfinite

from .errors import InputError
from .intervals import clopper_pearson

ERROR = 0.05
FIRST_LOOK = 1000
"""Deals before the first look."""
_NARROWEST = 1e-7


def look_at(number: int, chunk: int = 1) -> int:
    """The deals after which look ``number``, counted from 1, comes: whole chunks of this size."""
    return -(-(FIRST_LOOK << number - 1) // chunk) * chunk


def looks_within(deals: int, chunk: int = 1) -> int:
    """How many looks there are at no more deals than these."""
    number = 0
    while look_at(number + 1, chunk) <= deals:
        number += 1
    return number


def interval_at(number: int, successes: int, trials: int, unknown: int = 0) -> tuple[float, float]:
    """The interval of look ``number``; ``unknown`` as in ``intervals.wilson``. (0, 1) before the first look."""
    if number < 1:
        return 0.0, 1.0
    return clopper_pearson(successes, trials, ERROR / (number * (number + 1)), unknown)


def check_width(width: float) -> None:
    """Raise InputError unless an interval can be so wide."""
    if not (isfinite(width) and _NARROWEST <= width < 1):
        raise InputError(f"an interval {width:g} wide cannot be reached: until must be below 1 (100%) and at least {_NARROWEST:g}")


def parse_width(text: str) -> float:
    """Read ``0.1%`` or ``0.001``. Raises InputError."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+|[0-9]+\.)\s*(%?)\s*", text)
    if not match:
        raise InputError(f"malformed --until {text!r}: write the width of the interval, such as 0.1% or 0.001")
    width = float(match[1]) / (100 if match[2] else 1)
    check_width(width)
    return width
