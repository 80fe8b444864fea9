"""Is one run of the benchmark faster than another? Rank tests over processes, with an effect that is too small to matter.

For every suite the logarithms of two runs' scores are compared under the shift model of Mann and Whitney: all differences between
one of each run are put in order; their median estimates the change (Hodges and Lehmann 1963), and those at the ranks that
the exact distribution of Mann and Whitney's U gives are an interval for it (Moses 1965). The confidences of all suites together are
95%: each interval has a share of the remaining 5% (Bonferroni). A suite is faster or slower when its whole interval lies beyond
the effect that matters, else it is the same: so the same build is called changed in at most 5% of the comparisons, even where
the machine shifts all processes of one run by less than that effect.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, exp, floor, log, sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from .benchmark import MOST_ROUNDS, NAME, VERSION, CaseScore, Result, SuiteScore
from .errors import InputError

ALPHA = 0.05
"""Of all suites together."""
MARGIN = 0.03
"""Changes up to this matter to nobody."""
COARSE_MARGIN = 0.10
"""The same for runs of too few processes, whose rounds are compared instead: one process can be faster or slower as a whole."""
FASTER, SLOWER, SAME = "faster", "slower", "same"
_EXACT = 10_000
"""Pairs up to which the distribution of U is counted; beyond, it is as good as normal."""


@dataclass(frozen=True)
class Change:
    """How one suite changed from an old run to a new one.

    ``verdict`` is faster, slower or same. ``change`` is that of the time a fixed piece of work takes, as a share: 0.1 is 10% more.
    ``low`` and ``high`` are its interval, ``margin`` what is too little to matter. ``units`` says what was compared, processes
    or rounds.
    """

    suite: str
    verdict: str
    change: float
    low: float
    high: float
    margin: float
    units: str

    def to_json(self) -> dict[str, Any]:
        """The change, ready for ``json.dumps``."""
        shares = {name: round(getattr(self, name), 5) for name in ("change", "low", "high", "margin")}
        return {"suite": self.suite, "verdict": self.verdict, **shares, "units": self.units}

    def text(self) -> str:
        """The change in words."""
        words = {FASTER: f"faster by {-self.change:.1%}", SLOWER: f"slower by {self.change:.1%}", SAME: f"same ({self.change:+.1%})"}
        return f"{self.suite}: {words[self.verdict]}, interval {self.low:+.1%} to {self.high:+.1%} of the time"


def _cumulated(one: int, other: int) -> list[int]:
    """How many of the arrangements of two samples have a U of at most 0, 1, 2 ...: sums of the Gaussian binomial's coefficients."""
    size = one * other + 1
    counts = [1] + [0] * (size - 1)
    for factor in range(1, one + 1):
        for at in range(size - 1, other + factor - 1, -1):
            counts[at] -= counts[at - other - factor]
        for at in range(factor, size):
            counts[at] += counts[at - factor]
    total = 0
    return [total := total + count for count in counts]


@lru_cache(maxsize=64)
def rank_for(one: int, other: int, alpha: float) -> int:
    """Which difference, counted from either end, bounds the interval of two samples of these sizes; 0 where none does, because
    the samples are too small for an error of ``alpha``."""
    if one * other > _EXACT:
        deviation = sqrt(one * other * (one + other + 1) / 12)
        return max(0, floor(one * other / 2 + NormalDist().inv_cdf(alpha / 2) * deviation))
    most = alpha / 2 * comb(one + other, one)
    return sum(count <= most for count in _cumulated(one, other))


def _pick(old: SuiteScore, new: SuiteScore, alpha: float) -> tuple[list[float], list[float], int, str]:
    """What is compared of two runs, the rank of the interval's ends, and its name: processes where there are enough, else rounds."""
    rank = rank_for(len(old.rounds), len(new.rounds), alpha)
    if rank:
        return old.by_process, new.by_process, rank, "processes"
    return old.every_round, new.every_round, rank_for(len(old.every_round), len(new.every_round), alpha), "rounds"


def compare_suites(old: SuiteScore, new: SuiteScore, suites: int = 1, margin: float | None = None) -> Change:
    """How a suite changed, as one of so many that are compared. ``margin``: the share too small to matter, MARGIN or, for runs of
    few processes, COARSE_MARGIN where nothing is said.

    Raises InputError when there are too few rounds to tell.
    """
    before, after, rank, units = _pick(old, new, ALPHA / suites)
    if not rank:
        counts = f"{len(before)} and {len(after)} rounds"
        raise InputError(f"{counts} of {new.name} are too few to tell a difference: both runs need 6 or more")
    if margin is None:
        margin = MARGIN if units == "processes" else COARSE_MARGIN
    # The score is the inverse of a time.
    differences = np.sort(np.subtract.outer(np.log(before), np.log(after)), axis=None)
    low, high = float(differences[rank - 1]), float(differences[-rank])
    verdict = SLOWER if low > log(1 + margin) else FASTER if high < -log(1 + margin) else SAME
    change, low, high = (exp(value) - 1 for value in (float(np.median(differences)), low, high))
    return Change(new.name, verdict, change, low, high, margin, units)


def check_comparable(old: Result, suites: Sequence[str], rounds: int, processes: int) -> tuple[str, ...]:
    """The suites that both an old run and a planned one have. Raises InputError where none, or too few rounds, can be compared."""
    both = [suite for suite in old.suites if suite.name in suites]
    if not both:
        raise InputError(
            f"nothing to compare: the file has {', '.join(suite.name for suite in old.suites)}, asked for is {', '.join(suites)}"
        )
    for suite in both:
        compare_suites(suite, SuiteScore(suite.name, ((1.0,) * rounds,) * processes), len(both))
    return tuple(suite.name for suite in both)


def compare(old: Result, new: Result) -> list[Change]:
    """How the suites that both runs have changed. Raises InputError where there are none or too few rounds."""
    first = new.suites[0]
    names = check_comparable(old, [suite.name for suite in new.suites], len(first.rounds[0]), len(first.rounds))
    pairs = [(one, other) for other in new.suites for one in old.suites if one.name == other.name]
    return [compare_suites(one, other, len(names)) for one, other in pairs]


def notes(old: Result, new: Result) -> list[str]:
    """What a reader of a comparison should know: other machines, other versions, other effort."""
    found = []
    for what, one, other in (("machine", old.machine, new.machine), ("versions", old.versions, new.versions)):
        changed = [
            f"{key} {one.get(key, 'none')} -> {other.get(key, 'none')}" for key in {**one, **other} if one.get(key) != other.get(key)
        ]
        if changed:
            found.append(f"not the same {what}: {', '.join(changed)}")
    if old.clock != new.clock:
        found.append(f"not the same clock: {old.clock} -> {new.clock}")
    effort = {(suite.name, case.name): case.work for suite in old.suites for case in suite.cases}
    for suite in new.suites:
        for case in suite.cases:
            before = effort.get((suite.name, case.name), case.work)
            changed = [f"{key} {before.get(key)} -> {value}" for key, value in case.work.items() if before.get(key) != value]
            if changed:
                found.append(f"{suite.name}, {case.name}: not the same effort: {', '.join(changed)}")
    names = [suite.name for suite in new.suites]
    missing = [suite.name for suite in old.suites if suite.name not in names]
    added = [name for name in names if name not in [suite.name for suite in old.suites]]
    if missing or added:
        found.append(f"not compared, for only one of the runs has them: {', '.join(missing + added)}")
    return found


def comparison_text(changes: Sequence[Change]) -> str:
    """The changes in words, one line each."""
    margins = sorted({(change.margin, change.units) for change in changes})
    foot = "; ".join(f"up to {margin:.0%} counts as same, {units} compared" for margin, units in margins)
    return "\n".join([*(change.text() for change in changes), f"intervals hold together with 95%; {foot}"])


def too_slow(changes: Sequence[Change], limit: float) -> list[str]:
    """The suites found slower whose estimate is at this share of the time or beyond."""
    return [change.suite for change in changes if change.verdict == SLOWER and change.change >= limit]


def parse_limit(text: str) -> float:
    """``10%`` or ``10`` as the share 0.1. Raises InputError unless it is above 0."""
    try:
        percent = float(text.strip().removesuffix("%"))
    except ValueError:
        percent = math.nan
    if not 0 < percent < math.inf:
        raise InputError(f"--fail-if-slower {text!r} is no percentage: write it as 10%")
    return percent / 100


# Files.


def read_result(path: Path) -> Result:
    """A result that ``deepcrew bench --json`` has printed.

    Raises InputError for a file that cannot be read, is no such result, or is one of other suites.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InputError(f"cannot read {str(path)!r}: {reason}") from None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or value.get("benchmark") != NAME:
        raise InputError(f"{str(path)!r} is no result of deepcrew bench --json")
    if value.get("version") != VERSION:
        raise InputError(
            f"{str(path)!r} is of version {value.get('version')!r} of the suites, this deepcrew has {VERSION}: "
            "their work differs, so they do not compare; run the benchmark with both builds"
        )
    try:
        suites = tuple(_suite(name, suite) for name, suite in value["suites"].items())
        machine, versions = dict(value["machine"]), dict(value["versions"])
        if not suites:
            raise ValueError("it has no suites")
        return Result(suites, machine, versions, clock=str(value["clock"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{str(path)!r} is a damaged result of deepcrew bench --json: {what}") from None


def _suite(name: str, value: dict[str, Any]) -> SuiteScore:
    """One suite of a file; ValueError, KeyError, TypeError or AttributeError where it is damaged."""
    rounds = tuple(tuple(float(number) for number in process) for process in value["rounds"])
    if not rounds or not all(rounds) or not all(1e-6 < number < 1e9 for process in rounds for number in process):
        raise ValueError(f"the rounds of {name} are not lists of scores")
    if sum(map(len, rounds)) > MOST_ROUNDS:
        raise ValueError(f"{name} has more than {MOST_ROUNDS:,} rounds")
    cases = tuple(CaseScore(case, float(each["score"]), float(each["ms"]), dict(each["work"])) for case, each in value["cases"].items())
    return SuiteScore(name, rounds, cases)
