"""The benchmark: its work is pinned, its statistics are sound on synthetic noise, and its files and options are checked."""

from __future__ import annotations

import gc
import json
import re
from dataclasses import replace
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from deepcrew.cli import cli
from deepcrew.solver import benchmark, comparison
from deepcrew.solver.benchmark import SUITES, VERSION, Case, SuiteScore, Timing, check_suites, measure, run_benchmark
from deepcrew.solver.comparison import (
    FASTER,
    MARGIN,
    SAME,
    SLOWER,
    compare,
    compare_suites,
    parse_limit,
    rank_for,
    read_result,
    too_slow,
)
from deepcrew.solver.errors import InputError

DOCS = Path(__file__).parent.parent / "docs" / "bench.md"


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(cli, ["bench", *arguments], env={"DEEPCREW_DEBUG": "1"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refused(*arguments: str) -> str:
    """The sentence with which a run ends in exit code 2."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    return result.stderr.splitlines()[-1].removeprefix("Error: ")


# The work.

WORK: dict[str, list[dict[str, int]]] = {
    "kernels": [
        {"nodes": 53428, "found": 299},
        {"nodes": 10716, "found": 60},
        {"nodes": 42663, "lost": 1},
        {"nodes": 58993, "lost": 1},
    ],
    "verdicts": [
        {"deals": 20, "winnable": 20, "by_sat": 0, "nodes": 4461},
        {"deals": 20, "winnable": 20, "by_sat": 0, "nodes": 1180},
        {"deals": 3, "winnable": 2, "by_sat": 1, "nodes": 19294},
        {"deals": 8, "winnable": 8, "by_sat": 0, "nodes": 907},
    ],
    "batch": [
        {"deals": 500, "winnable": 500, "by_sat": 0, "nodes": 101009},
        {"deals": 700, "winnable": 700, "by_sat": 0, "nodes": 51651},
        {"deals": 100, "winnable": 100, "by_sat": 0, "nodes": 16026},
    ],
    "sat": [
        {"formulas": 5, "clauses": 34425},
        {"formulas": 2, "clauses": 18617},
        {"formulas": 1, "winnable": 1},
        {"formulas": 1, "winnable": 0},
        {"formulas": 1, "winnable": 1},
    ],
}
"""What every case does. Where it asks for something else now (other deals, other verdicts), raise benchmark.VERSION; where the same
question takes other effort (nodes, by_sat, clauses), because search or formula have changed on purpose, only write the new
figures here."""


def test_the_work_of_version_1_is_pinned() -> None:
    assert VERSION == 1
    assert {suite: [case.prepare()() for case in cases] for suite, cases in SUITES.items()} == WORK


def test_the_reference_of_version_1_is_pinned() -> None:
    reference = benchmark.Reference()
    assert reference.run() == reference.run() == (837499, 19669250)


def test_names_of_cases_are_unique_in_their_suite() -> None:
    assert all(len({case.name for case in cases}) == len(cases) for cases in SUITES.values())


# Measuring.


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two suites of next to nothing."""

    def work(number: int) -> Any:
        return lambda: lambda: {"sum": sum(range(number))}

    suites = {"one": (Case("a", work(3000)), Case("b", work(6000))), "two": (Case("a", work(9000)),)}
    monkeypatch.setattr(benchmark, "SUITES", suites)


@pytest.mark.usefixtures("small")
def test_rounds_are_measured() -> None:
    told: list[int] = []
    timings = measure(["one", "two"], 3, told.append)
    assert told == [1, 2, 3]
    assert list(timings) == ["one", "two"]
    for timing in (timing for cases in timings.values() for timing in cases.values()):
        assert len(timing.ratios) == len(timing.seconds) == 3
        assert min(timing.ratios) > 0
    assert gc.isenabled()


@pytest.mark.usefixtures("small")
def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    result = run_benchmark(rounds=7, processes=1)
    assert [(suite.name, len(suite.rounds), len(suite.rounds[0])) for suite in result.suites] == [("one", 1, 7), ("two", 1, 7)]
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result.to_json()), "utf-8")
    back = read_result(path)
    assert back.to_json()["machine"] == result.machine
    assert [suite.name for suite in back.suites] == ["one", "two"]
    for one, other in zip(back.suites, result.suites, strict=True):
        assert np.allclose(one.rounds, other.rounds, atol=0.0006)
        assert [case.work for case in one.cases] == [case.work for case in other.cases]
    assert [change.verdict for change in compare(back, result)] == [SAME, SAME]
    assert comparison.notes(back, result) == []


def test_work_that_changes_between_rounds_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = iter(range(100))
    monkeypatch.setattr(benchmark, "SUITES", {"one": (Case("a", lambda: lambda: {"count": next(counter)}),)})
    with pytest.raises(RuntimeError, match=r"one, a: .*'count': 1.* before"):
        measure(["one"], 1)
    assert gc.isenabled()


def test_scores() -> None:
    suite = benchmark._scores("s", [{"a": Timing({}, [1.0, 4.0], [1, 1]), "b": Timing({}, [4.0, 4.0], [1, 1])}] * 2)
    assert np.allclose(suite.rounds, ((200, 400), (200, 400)))
    assert suite.score == pytest.approx(300)
    assert suite.quartiles == pytest.approx((200, 400))
    assert suite.mad == 0
    assert [case.score for case in suite.cases] == pytest.approx([250, 400])
    assert SuiteScore("s", ((90.0,), (100.0,), (110.0,))).mad == pytest.approx(0.1)


def test_a_process_that_fails_is_a_fault() -> None:
    with pytest.raises(RuntimeError, match=r"a process that measures ended with 1: .*KeyError"):
        benchmark._in_another_process(["none"], 1)


# The statistics.


def _normal(random: np.random.Generator, mean: float, rounds: int, processes: int, between: float, within: float) -> SuiteScore:
    """Synthetic scores: each process has an offset of its own, its rounds noise with outliers."""
    values = np.log(mean) + between * random.standard_normal((processes, 1)) + within * random.standard_t(3, (processes, rounds))
    return SuiteScore("s", tuple(map(tuple, np.exp(values).tolist())))


@pytest.mark.parametrize(("one", "other"), [(3, 4), (5, 5), (2, 6), (4, 4)])
def test_the_distribution_of_ranks_against_enumeration(one: int, other: int) -> None:
    counts = [0] * (one * other + 1)
    for places in combinations(range(one + other), one):
        counts[sum(places) - one * (one - 1) // 2] += 1
    assert comparison._cumulated(one, other) == np.cumsum(counts).tolist()


def test_ranks() -> None:
    # Two-sided 5%, from the tables of Mann and Whitney: critical values of U, one below our rank.
    assert [rank_for(n, n, 0.05) - 1 for n in (4, 5, 6, 8, 10, 20)] == [0, 2, 5, 13, 23, 127]
    assert rank_for(3, 3, 0.05) == 0
    assert rank_for(5, 5, 0.05 / 4) > 0
    # where the normal distribution takes over
    assert rank_for(100, 101, 0.05) == pytest.approx(sum(np.array(comparison._cumulated(100, 101)) <= 0.025 * comb(201, 100)), abs=3)


@pytest.mark.parametrize(("processes", "rounds", "between", "within", "slower"), [(8, 8, 0.015, 0.04, 0.10), (1, 20, 0.0, 0.03, 0.16)])
def test_false_alarms_and_power_on_synthetic_noise(processes: int, rounds: int, between: float, within: float, slower: float) -> None:
    """Four suites: in at most 5% of the comparisons of equal builds any is called changed, and a slowdown is found in 90%."""
    random = np.random.default_rng(1)
    times, alarms, found = 300, 0, 0
    for _ in range(times):
        old = [_normal(random, 100, rounds, processes, between, within) for _ in range(4)]
        new = [_normal(random, 100, rounds, processes, between, within) for _ in range(4)]
        alarms += any(compare_suites(one, other, 4).verdict != SAME for one, other in zip(old, new, strict=True))
        slow = _normal(random, 100 / (1 + slower), rounds, processes, between, within)
        found += compare_suites(old[0], slow, 4).verdict == SLOWER
    assert alarms <= 0.05 * times
    assert found >= 0.9 * times


def test_false_alarms_at_the_edge_of_what_matters() -> None:
    """A whole run that is off by just what does not matter: still at most 5%, over four suites."""
    random = np.random.default_rng(2)
    alarms = 0
    for _ in range(400):
        pairs = [[_normal(random, mean, 8, 8, 0.015, 0.04) for mean in (100, 100 / (1 + MARGIN))] for _ in range(4)]
        alarms += any(compare_suites(old, new, 4).verdict != SAME for old, new in pairs)
    assert alarms <= 0.05 * 400


def test_intervals_hold_the_truth() -> None:
    random = np.random.default_rng(3)
    held = 0
    for _ in range(1000):
        old, new = (_normal(random, mean, 8, 8, 0.03, 0.05) for mean in (100, 80))
        change = compare_suites(old, new)
        assert change.units == "processes"
        held += change.low <= 0.25 <= change.high
    assert 0.93 <= held / 1000 <= 0.97  # 95.0% by the distribution; three standard errors


def _steady(score: float, processes: int = 6) -> SuiteScore:
    return SuiteScore("kernels", tuple((score * (1 + 0.001 * place),) * 3 for place in range(processes)))


def test_verdicts_in_words() -> None:
    slower, faster = (compare_suites(_steady(100), _steady(score)) for score in (80, 125))
    same = compare_suites(_steady(100), _steady(100))
    assert (slower.verdict, faster.verdict, same.verdict) == (SLOWER, FASTER, SAME)
    assert slower.text() == "kernels: slower by 25.0%, interval +24.6% to +25.4% of the time"
    assert faster.text().startswith("kernels: faster by 20.0%, interval -20.")
    assert same.text().startswith("kernels: same (+0.0%), interval ")
    assert too_slow([slower, faster, same], 0.1) == ["kernels"]
    assert too_slow([slower, faster, same], 0.3) == []
    assert compare_suites(_steady(100), _steady(98)).verdict == SAME  # sure, and too little to matter
    coarse = compare_suites(_steady(100), _steady(94, 2))
    assert (coarse.units, coarse.margin, coarse.verdict) == ("rounds", 0.1, SAME)
    assert "up to 10% counts as same, rounds compared" in comparison.comparison_text([coarse])


def test_too_few_rounds() -> None:
    few = SuiteScore("sat", ((100.0, 101.0),))
    with pytest.raises(InputError, match="2 and 2 rounds of sat are too few to tell a difference"):
        compare_suites(few, few)


# The command.


@pytest.fixture
def result(small: None) -> dict[str, Any]:
    """A result of the small suites, of six steady processes."""
    made: dict[str, Any] = run_benchmark(rounds=2, processes=1).to_json()
    for suite in made["suites"].values():
        suite["rounds"] = [[suite["score"] * (1 + 0.001 * place)] * 3 for place in range(6)]
    return made


def _written(tmp_path: Path, value: Any) -> str:
    path = tmp_path / "old.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return str(path)


@pytest.mark.usefixtures("small")
def test_the_command_prints_a_table_or_json(tmp_path: Path) -> None:
    text = run("--quick").stdout
    assert re.search(r"^one +[\d.]+ +[\d.]+ to [\d.]+$", text, re.MULTILINE)
    assert "1 process of 6 rounds" in text
    out = tmp_path / "out.json"
    answer = run("--quick", "--suite", "two", "--rounds", "7", "--json", "--out", str(out))
    whole = json.loads(answer.stdout)
    assert list(whole["suites"]) == ["two"]
    assert len(whole["suites"]["two"]["rounds"][0]) == 7
    assert set(whole["suites"]["two"]) == {"score", "median", "quartiles", "mad", "rounds", "cases"}
    assert json.loads(out.read_text("utf-8")) == whole
    assert all(f"`{key}`" in DOCS.read_text("utf-8") for key in [*whole, *whole["suites"]["two"], *whole["suites"]["two"]["cases"]["a"]])
    again = run("--quick", "--compare", str(out), "--json")
    change = json.loads(again.stdout)["comparison"]
    assert [each["suite"] for each in change] == ["two"]
    assert "not compared, for only one of the runs has them: one" in again.stderr


def test_failing_when_slower(tmp_path: Path, result: dict[str, Any]) -> None:
    for suite in result["suites"].values():
        suite["rounds"] = [[100 * value for value in rounds] for rounds in suite["rounds"]]
    old = _written(tmp_path, result)
    answer = run("--quick", "--compare", old, "--fail-if-slower", "10%")
    assert answer.exit_code == 1
    assert "one: slower by" in answer.stdout
    assert answer.stderr.endswith("Slower by 10% or more: one, two\n")
    assert run("--quick", "--compare", old).exit_code == 0
    for suite in result["suites"].values():
        suite["rounds"] = [[value / 10_000 for value in rounds] for rounds in suite["rounds"]]
    faster = run("--quick", "--compare", _written(tmp_path, result), "--fail-if-slower", "10%")
    assert faster.exit_code == 0
    assert "one: faster by 9" in faster.stdout


def test_notes_on_what_differs(tmp_path: Path, result: dict[str, Any]) -> None:
    result["machine"]["cores"], result["versions"]["numba"], result["clock"] = 999, "0.1", "sundial"
    result["suites"]["one"]["cases"]["a"]["work"] = {"sum": 7}
    errors = run("--quick", "--compare", _written(tmp_path, result)).stderr
    assert "not the same machine: cores 999 -> " in errors
    assert "not the same versions: numba 0.1 -> " in errors
    assert "not the same clock: sundial -> " in errors
    assert "one, a: not the same effort: sum 7 -> " in errors


def test_wrong_files(tmp_path: Path, result: dict[str, Any]) -> None:
    def refusal(value: Any) -> str:
        return refused("--quick", "--compare", _written(tmp_path, value))

    for no_result in ("", "hello", "[]", "{}", '{"benchmark": "other"}', "[" * 100_000):
        assert refusal(no_result).endswith("old.json' is no result of deepcrew bench --json")
    other = refusal({**result, "version": VERSION + 1})
    assert f"is of version {VERSION + 1} of the suites, this deepcrew has {VERSION}" in other
    for suites in ({}, {"one": {}}, {"one": 3}, [], {"one": {"rounds": [], "cases": {}}}, {"one": {"rounds": [[1, 1e300]], "cases": {}}}):
        assert "is a damaged result" in refusal({**result, "suites": suites})
    assert refusal({key: value for key, value in result.items() if key != "machine"}).endswith("bench --json: 'machine' is missing")
    assert "cannot read" in refused("--compare", str(tmp_path / "none.json"))
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    assert refused("--compare", str(tmp_path / "bytes")).endswith("it is no text")
    only_one = {**result, "suites": {"one": result["suites"]["one"]}}
    assert refused("--compare", _written(tmp_path, only_one), "--suite", "two") == "nothing to compare: the file has one, asked for is two"
    single = {**result, "suites": {"one": {"rounds": [[1.0]], "cases": {}}}}
    assert "too few" in refused("--quick", "--rounds", "1", "--compare", _written(tmp_path, single))


def test_wrong_options(tmp_path: Path) -> None:
    assert refused("--suite", "kernel") == "unknown suite 'kernel', did you mean 'kernels'?"
    assert refused("--suite", "xyz") == "unknown suite 'xyz': known are kernels, verdicts, batch, sat"
    assert refused("--fail-if-slower", "10%") == "--fail-if-slower goes with --compare"
    assert refused("--quick", "--processes", "3") == "--quick is of one process: leave out --processes"
    assert refused("--rounds", "0") == "0 rounds cannot be run: rounds must be 1 to 1000"
    assert refused("--processes", "1001") == "1001 processes cannot be run: processes must be 1 to 1000"
    assert "together they can be 10,000" in refused("--rounds", "1000", "--processes", "11")
    assert "cannot write" in refused("--quick", "--out", str(tmp_path / "none" / "out.json"))
    assert refused("--compare", str(tmp_path), "--fail-if-slower", "x") == "--fail-if-slower 'x' is no percentage: write it as 10%"


def test_nothing_compiled_is_nothing_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with pytest.raises(InputError, match="NUMBA_DISABLE_JIT is set"):
        run_benchmark(["sat"])


def test_limits_and_names() -> None:
    assert parse_limit("10%") == parse_limit(" 10 ") == 0.1
    for text in ("0", "-1%", "nan", "inf%", "", "ten"):
        with pytest.raises(InputError):
            parse_limit(text)
    assert check_suites(["sat", "kernels"]) == ("kernels", "sat")
    assert check_suites([]) == tuple(SUITES)


@pytest.mark.usefixtures("small")
def test_differing_processes_are_a_fault() -> None:
    timing = Timing({"n": 1}, [1.0], [1.0])
    with pytest.raises(RuntimeError, match="processes do different work"):
        benchmark._scores("s", [{"a": timing}, {"a": replace(timing, work={"n": 2})}])


@pytest.mark.long
def test_a_run_of_several_processes() -> None:
    """The real suites, twice: the same build is called the same."""
    one, other = (run_benchmark(rounds=6) for _ in range(2))
    assert all(len(suite.rounds) == benchmark.PROCESSES for suite in one.suites)
    changes = compare(one, other)
    assert [change.verdict for change in changes] == [SAME] * len(SUITES)
    assert {change.units for change in changes} == {"processes"}


def test_the_page_names_suites_and_options() -> None:
    page = DOCS.read_text("utf-8")
    assert all(f"| `{suite}` |" in page for suite in SUITES)
    options = {name for option in cli.commands["bench"].params for name in option.opts}
    assert set(re.findall(r"--[a-z][a-z-]*", page)) - {"--help"} <= options
