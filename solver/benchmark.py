"""The benchmark for users: fixed suites of work, timed against a fixed reference in the same run, so that a noisy machine matters little.

A round does every case once, each between two passes of the reference, and notes how much of its time the reference takes: other
programs and the clock of the processor slow down both. The rounds of a run are spread over several processes, because where
the code and the data of a process happen to lie in memory makes it a little faster or slower for its whole life (Mytkowicz et
al., "Producing wrong data without doing anything obviously wrong", 2009): a process is the unit that two runs are compared by, see
comparison.py.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from math import exp, log
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np
from numba import njit

from ..kernels.layout import new_memory
from ..kernels.search import dive, search
from ..kernels.table import EXACT, forget
from . import sat
from .deals import deal
from .encoding import encode
from .errors import InputError
from .loads import Load
from .positions import Position
from .rates import count_deals
from .referee import Referee
from .schema import nearest
from .tables import problem_from
from .verdicts import WINNABLE, solve

VERSION = 1
"""Of suites and reference: raised whenever a case asks for something else or the reference changes, so that scores of one
version always compare. Less effort for the same cases (a better search) is what the benchmark is there to show and leaves it."""
PROCESSES, ROUNDS = 8, 8
QUICK_ROUNDS = 6
"""A quick run has so many rounds, in one process."""
MOST_ROUNDS = 10_000
"""Of all processes together, so that all pairs of two runs fit into memory."""
NAME = "deepcrew bench"
_SEED = 1
_CPU = os.name == "posix"  # elsewhere the processor time is counted in steps of 15 ms
CLOCK = "processor time" if _CPU else "wall clock"
"""Processor time does not run while another program has the core."""

Work = dict[str, int]
"""What a case did, the same in every round: nodes, verdicts, clauses."""


@dataclass(frozen=True)
class Case:
    """One piece of work: ``prepare`` builds what it needs, untimed, and returns what is timed."""

    name: str
    prepare: Callable[[], Callable[[], Work]]


@dataclass
class Timing:
    """Rounds of one case in one process: how often it could have been done while the reference was done once, and its seconds."""

    work: Work
    ratios: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


Timings = dict[str, dict[str, Timing]]
"""By suite and case."""


# The suites.


def _positions(load: Load, players: int, deals: Sequence[int], draft: str = "best") -> list[Position]:
    return [deal(_SEED, index, players, load=load, draft=draft) for index in deals]


def _dives(load: Load, deals: int, dives: int, nodes_each: int, noise: int, budget: int) -> Callable[[], Callable[[], Work]]:
    """Short noisy searches, as every verdict begins with, of so many deals for four."""

    def prepare() -> Callable[[], Work]:
        problems = [problem_from(Referee(position)) for position in _positions(load, 4, range(deals))]
        memory = new_memory(17)

        def run() -> Work:
            nodes = won = 0
            for problem in problems:
                forget(memory)
                status, used = dive(problem, memory, dives, nodes_each, noise, budget, 1)
                nodes += int(used)
                won += status == 1
            return {"nodes": nodes, "found": won}

        return run

    return prepare


def _exhaustion(players: int, index: int, level: int) -> Callable[[], Callable[[], Work]]:
    """The search through all of a lost deal of ten tasks, in the game that tells so many suits apart."""

    def prepare() -> Callable[[], Work]:
        problem = problem_from(Referee(deal(_SEED, index, players, tasks=10, draft="random")))
        memory = new_memory(18)

        def run() -> Work:
            forget(memory)
            status, nodes = search(problem, memory, level, 10_000_000, 0, 1)
            return {"nodes": int(nodes), "lost": int(status == 0)}

        return run

    return prepare


def _verdicts(load: Load, players: int, deals: Sequence[int], draft: str = "best") -> Callable[[], Callable[[], Work]]:
    """Deals decided one by one, each with a line that the referee has accepted, as ``solve`` does."""

    def prepare() -> Callable[[], Work]:
        positions = _positions(load, players, deals, draft)

        def run() -> Work:
            verdicts = [solve(position) for position in positions]
            winnable = sum(verdict.verdict == WINNABLE for verdict in verdicts)
            by_sat = sum(verdict.decided_by == "sat" for verdict in verdicts)
            return {"deals": len(verdicts), "winnable": winnable, "by_sat": by_sat, "nodes": sum(verdict.nodes for verdict in verdicts)}

        return run

    return prepare


def _batch(load: Load, players: int, deals: int) -> Callable[[], Callable[[], Work]]:
    """A chunk of a rate: deals made and decided in the kernel, as every worker of ``rate`` does."""

    def prepare() -> Callable[[], Work]:
        def run() -> Work:
            tally = count_deals(load, players, 0, deals, seed=_SEED)
            return {"deals": tally.deals, "winnable": tally.winnable, "by_sat": tally.by_sat, "nodes": tally.nodes}

        return run

    return prepare


def _formulas(load: Load, deals: Sequence[int], draft: str) -> Callable[[], Callable[[], Work]]:
    """The formulas of deals for four, written but not solved."""

    def prepare() -> Callable[[], Work]:
        referees = [Referee(position) for position in _positions(load, 4, deals, draft)]

        def run() -> Work:
            encodings = [encode(referee) for referee in referees]
            return {"formulas": len(encodings), "clauses": sum(len(encoding.clauses) for encoding in encodings)}

        return run

    return prepare


def _by_sat(load: Load, deals: Sequence[int], draft: str) -> Callable[[], Callable[[], Work]]:
    """Deals for four decided by SAT alone, formula included."""

    def prepare() -> Callable[[], Work]:
        referees = [Referee(position) for position in _positions(load, 4, deals, draft)]

        def run() -> Work:
            answers = [sat.decide(referee) for referee in referees]
            return {"formulas": len(answers), "winnable": sum(answer.status == WINNABLE for answer in answers)}

        return run

    return prepare


_FIVE, _TEN, _EIGHT = Load(5), Load(10), Load(game="deep-sea", difficulty=8)
# The numbers of the dives are written out: a new default in verdicts.py must not change what is asked for here.
SUITES: dict[str, tuple[Case, ...]] = {
    "kernels": (
        Case("dives, Planet Nine, 5 tasks", _dives(_FIVE, 300, 24, 200, 24, 4_000)),
        Case("dives, Deep Sea, difficulty 8", _dives(_EIGHT, 60, 400, 60, 24, 10_000)),
        Case("exhausting a lost deal", _exhaustion(4, 14, EXACT)),
        Case("exhausting a relaxed game", _exhaustion(3, 57, 14)),
    ),
    "verdicts": (
        Case("Planet Nine, 4 players, 5 tasks", _verdicts(_FIVE, 4, range(20))),
        Case("Planet Nine, 3 players, 5 tasks", _verdicts(_FIVE, 3, range(20))),
        Case("Planet Nine, 4 players, 10 tasks with owners", _verdicts(_TEN, 4, (0, 1, 2), "random")),
        Case("Deep Sea, 4 players, difficulty 8", _verdicts(_EIGHT, 4, range(8))),
    ),
    "batch": (
        Case("Planet Nine, 4 players, 5 tasks", _batch(_FIVE, 4, 500)),
        Case("Planet Nine, 3 players, 5 tasks", _batch(_FIVE, 3, 700)),
        Case("Deep Sea, 4 players, difficulty 8", _batch(_EIGHT, 4, 100)),
    ),
    "sat": (
        Case("formulas, Planet Nine, 10 tasks with owners", _formulas(_TEN, range(5), "random")),
        Case("formulas, Deep Sea, difficulty 8", _formulas(_EIGHT, range(2), "best")),
        Case("solved, Planet Nine, winnable", _by_sat(_TEN, (1,), "random")),
        Case("solved, Planet Nine, unwinnable", _by_sat(_TEN, (0,), "random")),
        Case("solved, Deep Sea, difficulty 8", _by_sat(_EIGHT, (0,), "best")),
    ),
}


def check_suites(names: Sequence[str]) -> tuple[str, ...]:
    """The suites of these names in the order of the benchmark, all where none is named. Raises InputError for an unknown one."""
    for name in names:
        if name not in SUITES:
            raise InputError(f"unknown suite {name!r}{nearest(name, SUITES)}")
    return tuple(name for name in SUITES if name in names or not names)


# The reference: about equal shares of compiled code and Python. It uses nothing of ours. (A small formula in a SAT solver was
# tried as a third share and left out: its time swings more under load than that of the suites, that of sat included.)

_TABLE = 1 << 16


@njit(cache=True)
def _compiled_reference(table, steps) -> int:  # type: ignore[no-untyped-def]
    """Random look-ups in a table of half a megabyte, with shifts, products and a branch that cannot be foreseen."""
    state = np.uint64(88172645463325252)
    found = 0
    table[:] = 0
    for step in range(steps):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        place = np.int64(state * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(48))
        if table[place] & 1:
            found += 1
            table[place] >>= 1
        else:
            table[place] = step | 1
    return found


class Reference:
    """Fixed work, about 10 ms of it on a laptop, that calls none of the code under test."""

    def __init__(self) -> None:
        self._table = np.zeros(_TABLE, np.int64)

    def run(self) -> tuple[int, int]:
        """Do it once."""
        found = _compiled_reference(self._table, 1_300_000)
        groups: dict[int, list[int]] = {}
        for number in range(20_000):
            groups.setdefault(number * 7919 % 1009, []).append(number ^ 85)
        return int(found), sum(group[-1] for group in groups.values())


# Measuring.


def clock() -> float:
    """Seconds, by CLOCK."""
    return time.process_time() if _CPU else time.perf_counter()


def measure(suites: Sequence[str], rounds: int, progress: Callable[[int], None] | None = None) -> Timings:
    """So many rounds of these suites in this process, after one that is not timed; ``progress`` is told of each.

    Raises RuntimeError when a case does not do the same in every round: a fault of ours.
    """
    reference = Reference()
    cases = [(suite, case.name, case.prepare()) for suite in suites for case in SUITES[suite]]
    timings: Timings = {suite: {} for suite in suites}
    for suite, name, run in cases:
        timings[suite][name] = Timing(run())
    expected = reference.run()
    collecting = gc.isenabled()
    gc.disable()
    try:
        for number in range(rounds):
            gc.collect()
            begun = clock()
            reference.run()
            before = clock() - begun
            for suite, name, run in cases:
                timing = timings[suite][name]
                begun = clock()
                work = run()
                done = clock()
                same = reference.run() == expected
                after = clock() - done
                if work != timing.work or not same:
                    raise RuntimeError(f"{suite}, {name}: {work} in a round, {timing.work} before")
                timing.seconds.append(done - begun)
                timing.ratios.append((before + after) / 2 / (done - begun))
                before = after
            if progress is not None:
                progress(number + 1)
    finally:
        if collecting:
            gc.enable()
    return timings


def _to_json(timings: Timings) -> dict[str, dict[str, Any]]:
    return {suite: {name: vars(timing) for name, timing in cases.items()} for suite, cases in timings.items()}


def _in_another_process(suites: Sequence[str], rounds: int) -> Timings:
    """Measure in a process of its own. Raises RuntimeError when it fails."""
    command = [sys.executable, "-m", "deepcrew.solver.benchmark", json.dumps([suites, rounds])]
    # its own session: Ctrl-C reaches this process alone, which then stops it
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            out, errors = process.communicate()
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise RuntimeError(f"a process that measures ended with {process.returncode}: {errors.strip().splitlines()[-1:]}")
    found = json.loads(out)
    return {suite: {name: Timing(**timing) for name, timing in cases.items()} for suite, cases in found.items()}


@dataclass(frozen=True)
class CaseScore:
    """One case of a run: its score, the median of its milliseconds, what it does in a round."""

    name: str
    score: float
    ms: float
    work: Work


@dataclass(frozen=True)
class SuiteScore:
    """One suite of a run.

    ``rounds`` has a list for every process with a figure for every round: 100 times the geometric mean, over the cases, of how
    often the case could be done in the time of the reference. Higher is better.
    """

    name: str
    rounds: tuple[tuple[float, ...], ...]
    cases: tuple[CaseScore, ...] = ()

    @property
    def by_process(self) -> list[float]:
        """The median round of every process."""
        return [median(rounds) for rounds in self.rounds]

    @property
    def every_round(self) -> list[float]:
        """The rounds of all processes."""
        return [value for rounds in self.rounds for value in rounds]

    @property
    def score(self) -> float:
        """The median over the processes of their median rounds."""
        return median(self.by_process)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Between them lies the middle half of all rounds."""
        low, high = np.quantile(self.every_round, (0.25, 0.75))
        return float(low), float(high)

    @property
    def mad(self) -> float:
        """The median distance of the processes from the score, as a share of it: how steady a run is. 0 with one process."""
        return median(abs(value - self.score) for value in self.by_process) / self.score

    def to_json(self) -> dict[str, Any]:
        """The suite, ready for ``json.dumps``."""
        low, high = self.quartiles
        return {
            "score": round(self.score, 3),
            "median": round(median(self.every_round), 3),
            "quartiles": [round(low, 3), round(high, 3)],
            "mad": round(self.mad, 5),
            "rounds": [[round(value, 3) for value in rounds] for rounds in self.rounds],
            "cases": {
                case.name: {"score": round(case.score, 3), "ms": round(case.ms, 3), "work": case.work} for case in self.cases
            },
        }  # fmt: skip


@dataclass(frozen=True)
class Result:
    """A run of the benchmark. ``machine`` and ``versions`` say where and with what; ``work`` of the suites what was done."""

    suites: tuple[SuiteScore, ...]
    machine: dict[str, Any]
    versions: dict[str, str]
    version: int = VERSION
    clock: str = CLOCK
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The result, ready for ``json.dumps``."""
        return {
            "benchmark": NAME,
            "version": self.version,
            "machine": self.machine,
            "versions": self.versions,
            "clock": self.clock,
            "seconds": round(self.seconds, 1),
            "suites": {suite.name: suite.to_json() for suite in self.suites},
        }


def _scores(name: str, processes: Sequence[dict[str, Timing]]) -> SuiteScore:
    """The scores of one suite from the timings of its cases in all processes."""
    rounds = tuple(
        tuple(100 * geometric_mean(ratios) for ratios in zip(*(timing.ratios for timing in cases.values()), strict=True))
        for cases in processes
    )
    cases = []
    for case, timing in processes[0].items():
        if any(other[case].work != timing.work for other in processes):
            raise RuntimeError(f"{name}, {case}: processes do different work")
        score = exp(median(log(median(other[case].ratios)) for other in processes))
        cases.append(CaseScore(case, 100 * score, 1000 * median(median(other[case].seconds) for other in processes), timing.work))
    return SuiteScore(name, rounds, tuple(cases))


def check_run(rounds: int, processes: int) -> None:
    """Raise InputError for a run that cannot be."""
    for what, number in (("rounds", rounds), ("processes", processes)):
        if not 1 <= number <= 1000:
            raise InputError(f"{number} {what} cannot be run: {what} must be 1 to 1000")
    if rounds * processes > MOST_ROUNDS:
        raise InputError(f"{rounds} rounds of {processes} processes are too many: together they can be {MOST_ROUNDS:,}")
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise InputError("NUMBA_DISABLE_JIT is set, so nothing is compiled: there is nothing to measure without it")


def run_benchmark(
    suites: Sequence[str] = (),
    rounds: int = ROUNDS,
    processes: int = PROCESSES,
    progress: Callable[[int, int], None] | None = None,
) -> Result:
    """Run these suites, all where none is named, so many rounds in each of so many processes, one after the other.

    With one process it is this one. ``progress`` is told how many of how many steps are done.

    Raises InputError for an unknown suite and for numbers out of range.
    """
    names = check_suites(suites)
    check_run(rounds, processes)
    start = time.perf_counter()
    timings = []
    for number in range(processes):
        if progress is not None:
            progress(number, processes)
        timings.append(measure(names, rounds) if processes == 1 else _in_another_process(names, rounds))
    scores = tuple(_scores(name, [each[name] for each in timings]) for name in names)
    return Result(scores, machine(), versions(), seconds=time.perf_counter() - start)


def machine() -> dict[str, Any]:
    """What this machine is, as far as it tells."""
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
        processor = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {"system": platform.system(), "architecture": platform.machine(), "processor": processor, "cores": os.cpu_count() or 1}


def versions() -> dict[str, str]:
    """What ran: deepcrew and what decides its speed."""
    packages = ("deepcrew", "numba", "llvmlite", "numpy", "python-sat")
    return {"python": platform.python_version()} | {package: version(package) for package in packages}


def result_text(result: Result) -> str:
    """The scores as a table, the cases under their suite."""
    rows = [("suite", "score", "middle half", "spread", "ms")]
    for suite in result.suites:
        low, high = suite.quartiles
        spread = f"{suite.mad:.1%}" if len(suite.rounds) > 1 else ""
        rows.append((suite.name, f"{suite.score:.1f}", f"{low:.1f} to {high:.1f}", spread, ""))
        rows += (("  " + case.name, f"{case.score:.1f}", "", "", f"{case.ms:.1f}") for case in suite.cases)
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    processes, rounds = len(result.suites[0].rounds), len(result.suites[0].rounds[0])
    how = f"{processes} process{'es' * (processes > 1)} of {rounds} rounds, {result.clock}, {result.seconds:.0f} s"
    foot = f"suites version {result.version}; 100: as fast as the reference, higher is better; {how}"
    return "\n".join([line.rstrip() for line in lines] + [foot])


if __name__ == "__main__":
    _suites, _rounds = json.loads(sys.argv[1])
    print(json.dumps(_to_json(measure(_suites, _rounds))))
