"""Runs: the same bytes however often they are interrupted, extended or damaged, and the same rates as without a run."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copytree, rmtree
from time import monotonic, sleep
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from deepcrew.cli import cli
from deepcrew.solver import runs
from deepcrew.solver.cases import case_from_position, position_from_case
from deepcrew.solver.deals import deal
from deepcrew.solver.errors import InputError
from deepcrew.solver.goals import CrewGoal, goal_form
from deepcrew.solver.loads import Load
from deepcrew.solver.mission_files import read_mission_file
from deepcrew.solver.missions import GAMES, find_missions, load_missions
from deepcrew.solver.rates import Progress, Rate, rate
from deepcrew.solver.runs import Cell, Observer, Run, carry_out, open_run, start_run
from deepcrew.solver.show import cell_progress_text
from deepcrew.solver.verdicts import solve

COMMAND = [sys.executable, "-m", "deepcrew.cli"]
OWN = Path(__file__).parent.parent / "docs" / "my-missions.toml"


def _mission(name: str) -> Load:
    return Load.of(find_missions(name)[0])


def _cells(deals: int = 120) -> list[Cell]:
    return [
        Cell(_mission("planet-nine/22"), 4, deals=deals),
        Cell(_mission("planet-nine/34"), 3, "random", seed=5, first=7, deals=deals),
        Cell(_mission("deep-sea/7"), 3, "random", deals=deals),
    ]


def _bytes(path: Path) -> dict[str, bytes]:
    """All files of a run that are results."""
    return {file.name: file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file() and not file.name.startswith(".")}


def _parts(path: Path) -> dict[str, bytes]:
    return {name: data for name, data in _bytes(path).items() if name.endswith(".parquet")}


def _finish(run: Run, **how: Any) -> list[str]:
    notes: list[str] = []
    carry_out(run, observer=Observer(note=notes.append), **{"workers": 1, **how})
    return notes


def _same(one: Rate, other: Rate) -> None:
    assert replace(one, seconds=0.0) == replace(other, seconds=0.0)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never interrupted."""
    path = tmp_path_factory.mktemp("runs") / "whole"
    _finish(start_run(path, _cells(), chunk=25))
    return path


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return copytree(whole, tmp_path / "copy")


def _run(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    assert result.exit_code == code, result.output + result.stderr
    return result.stderr if code else result.stdout


# The same results as without a run, and for any number of workers.


def test_a_run_has_the_rates_of_its_cells(whole: Path) -> None:
    found = open_run(whole).rates()
    for cell, result in zip(_cells(), found, strict=True):
        _same(result, rate(cell.load, cell.players, 120, seed=cell.seed, first=cell.first, draft=cell.draft, workers=1))


def test_all_that_a_rate_can_be_asked(tmp_path: Path) -> None:
    cells = [
        Cell(_mission("planet-nine/46"), 5, deals=30, distress="any"),
        Cell(_mission("planet-nine/40"), 5, "random", deals=30, five_player_rule=False),
        Cell(replace(_mission("planet-nine/12"), takes="expected"), 4, deals=3),
        Cell(Load(7, ("1",)), 4, deals=30, engine="search", limit_nodes=50),
        Cell(Load(4), 3, deals=5, engine="sat"),
        Cell(Load(3, challenge=True), 2, deals=20),
        Cell(Load(game="deep-sea", difficulty=6, distribution="free", edition="german-first"), 4, deals=20),
    ]
    run = start_run(tmp_path / "run", cells, chunk=8)
    _finish(run)
    for cell, result in zip(cells, open_run(tmp_path / "run").rates(), strict=True):
        same = {name: getattr(cell, name) for name in ("engine", "limit_nodes", "distress", "five_player_rule", "draft")}
        _same(result, rate(cell.load, cell.players, cell.deals, workers=1, **same))
    assert run.rates()[2].expected is not None


def test_workers_do_not_matter(whole: Path, tmp_path: Path) -> None:
    run = start_run(tmp_path / "two", _cells(), chunk=25)
    carry_out(run, 2)
    assert _bytes(tmp_path / "two") == _bytes(whole)


def test_rows_say_what_became_of_each_deal(whole: Path) -> None:
    run = open_run(whole)
    frame = run.frame().collect()
    assert frame.columns == list(runs.COLUMNS)
    assert frame.height == 360
    assert run.frame(1).select(pl.col("index").min()).collect().item() == 7
    for row in run.frame(1).collect().sample(10, seed=1).iter_rows(named=True):
        cell = run.cell(row["cell"])
        position = run.position(row["cell"], row["index"])
        assert position == deal(row["seed"], row["index"], cell.players, draft=cell.draft, load=cell.load)
        verdict = solve(position)
        assert verdict.verdict == row["verdict"]


def test_files_are_named_by_cell_and_first_deal(whole: Path) -> None:
    names = sorted(path.name for path in (whole / "parts").iterdir())
    assert names[:2] == ["0000-000000000000000.parquet", "0000-000000000000025.parquet"]
    assert names[5] == "0001-000000000000007.parquet"
    assert len(names) == 15


# Interrupted, damaged, extended.


def test_what_is_missing_is_decided_and_nothing_else(whole: Path, copy: Path) -> None:
    gone = sorted((copy / "parts").iterdir())[3:9:2]
    for path in gone:
        path.unlink()
    run = open_run(copy)
    missing = run.missing()
    assert [(each.cell, each.first, each.deals) for each in missing] == [(0, 75, 25), (1, 7, 25), (1, 57, 25)]
    assert [done.done for done in run.progress] == [95, 70, 120]
    before = {path: path.stat().st_mtime_ns for path in (copy / "parts").iterdir()}
    assert _finish(run) == []
    assert _bytes(copy) == _bytes(whole)
    assert all(path.stat().st_mtime_ns == before[path] for path in before)
    assert open_run(copy).missing() == []


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 16
    path.write_bytes(data)


def _other_rows(path: Path) -> None:
    frame = pl.read_parquet(path)
    frame.with_columns(pl.lit("unwinnable").alias("verdict")).write_parquet(path, metadata=pl.read_parquet_metadata(path))


def _other_part(path: Path) -> None:
    path.write_bytes((path.parent / "0002-000000000000000.parquet").read_bytes())


def _nonsense(path: Path) -> None:
    path.write_bytes(b"PAR1" + b"nonsense" * 30 + b"PAR1")


@pytest.mark.parametrize("damage", [_cut, _empty, _flip, _other_rows, _other_part, _nonsense])
def test_damaged_parts_are_named_and_decided_again(whole: Path, copy: Path, damage: Any) -> None:
    part = copy / "parts" / "0001-000000000000032.parquet"
    damage(part)
    assert open_run(copy).rates()[1].deals == 95
    notes = _finish(open_run(copy))
    assert len(notes) == 1
    assert part.name in notes[0]
    assert _bytes(copy) == _bytes(whole)


def test_every_flipped_byte_is_noticed_or_harmless(whole: Path, copy: Path) -> None:
    part = copy / "parts" / "0001-000000000000032.parquet"
    good, rng = part.read_bytes(), random.Random("flip")
    expected = open_run(whole).rates()[1]
    for _ in range(60):
        data = bytearray(good)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        part.write_bytes(data)
        found = open_run(copy).rates()[1]
        assert found.deals == 95 or found == expected


def test_what_a_cut_leaves_is_cleaned_up(whole: Path, copy: Path) -> None:
    part = copy / "parts" / "0001-000000000000032.parquet"
    part.rename(part.with_name(f".{part.name}.tmp"))
    (copy / ".manifest.json.tmp").write_text('{"form')
    assert _finish(open_run(copy)) == []
    assert _bytes(copy) == _bytes(whole)
    assert not list(copy.rglob(".*.tmp"))


def test_a_run_cut_at_its_beginning_can_begin_again(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "run" / "parts").mkdir(parents=True)
    (tmp_path / "run" / ".manifest.json.tmp").write_text('{"form')
    with pytest.raises(InputError, match="no manifest"):
        open_run(tmp_path / "run")
    _finish(start_run(tmp_path / "run", _cells(), chunk=25))
    assert _bytes(tmp_path / "run") == _bytes(whole)


def test_a_run_grows_to_what_a_longer_one_is(whole: Path, tmp_path: Path) -> None:
    _finish(start_run(tmp_path / "run", _cells(60), chunk=25))  # the last chunk is a short one
    run = runs.extend(open_run(tmp_path / "run"), deals=120)
    kept = {
        path: path.stat().st_mtime_ns
        for path in (tmp_path / "run" / "parts").iterdir()
        if not path.name.endswith(("50.parquet", "57.parquet"))
    }
    _finish(run)
    assert _bytes(tmp_path / "run") == _bytes(whole)
    assert all(path.stat().st_mtime_ns == kept[path] for path in kept)
    with pytest.raises(InputError, match="cannot shrink to 100"):
        runs.extend(run, deals=100)


def test_until_in_a_run_is_until_in_a_rate(tmp_path: Path) -> None:
    load = Load(5)
    alone = rate(load, 4, 100_000, draft="random", until=0.026, workers=2)
    assert alone.looks > 1
    assert alone.high - alone.low <= 0.026
    run = start_run(tmp_path / "run", [Cell(load, 4, "random", deals=runs.MOST, until=0.04)])
    carry_out(run, 2)
    assert run.progress[0].complete
    assert run.rates()[0].deals < alone.deals
    run = runs.extend(run, until=0.026)
    carry_out(run, 2)
    _same(run.rates()[0], alone)
    assert run.progress[0].complete
    with pytest.raises(InputError, match=r"cannot shrink to 0\.2"):
        runs.extend(run, until=0.2)


def test_until_ends_at_the_most_deals(tmp_path: Path) -> None:
    result = rate(Load(4), 4, 1500, until=0.0001, workers=1)
    assert (result.deals, result.looks) == (1000, 1)
    run = start_run(tmp_path / "run", [Cell(Load(4), 4, deals=1500, until=0.0001)])
    _finish(run)
    _same(run.rates()[0], result)
    assert run.missing() == []


def test_a_full_disk_loses_nothing_that_was_finished(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    start_run(path, _cells(), chunk=25)
    size = max(len(data) for data in _parts(whole).values()) - 1
    assert size > max((path / "manifest.json").stat().st_size, 0) or size > 0

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    failed = subprocess.run(
        [*COMMAND, "resume", str(path), "--workers", "1"], capture_output=True, text=True, preexec_fn=limit, check=False, cwd="/tmp"
    )
    assert failed.returncode == 1
    assert "deepcrew resume" in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert not list(path.rglob(".*.tmp"))
    assert set(_parts(path)) < set(_parts(whole))
    _finish(open_run(path))
    assert _bytes(path) == _bytes(whole)


# Killed.


def _start(path: Path, deals: int = 400, workers: int = 2) -> list[str]:
    loads = ["planet-nine/22", "planet-nine/34", "--players", "3,4", "--deals", str(deals), "--chunk", "25"]
    return [*COMMAND, "rate", *loads, "--workers", str(workers), "--out", str(path)]


def _kill_until_done(path: Path, rng: random.Random, kills: int, longest: float = 1.5) -> int:
    """Start a run and kill it so often, or until it is done; then let it finish. The number of kills."""
    for kill in range(kills + 1):
        begun = (path / "manifest.json").exists()
        known = {file: file.stat().st_mtime_ns for file in path.glob("parts/*.parquet")}
        workers = rng.choice((1, 2))
        command = [*COMMAND, "resume", str(path), "--workers", str(workers)] if begun else _start(path, workers=workers)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd="/tmp")
        if kill < kills:
            limit = monotonic() + 30
            while process.poll() is None and not _busy(path, known) and monotonic() < limit:
                sleep(0.01)
            sleep(rng.uniform(0, longest))
            process.send_signal(signal.SIGKILL)
        _, errors = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), errors
        assert all(file.stat().st_mtime_ns == known[file] for file in known)  # nothing finished is decided again
        if process.returncode == 0:
            return kill
    raise AssertionError("the last one is not killed")


def _busy(path: Path, known: dict[Path, int]) -> bool:
    return len(list(path.glob("parts/*.parquet"))) > len(known)


@pytest.fixture(scope="module")
def never_killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "quiet"
    subprocess.run(_start(path), check=True, stdout=subprocess.DEVNULL, cwd="/tmp")
    return path


def test_killed_at_any_moment_it_ends_the_same(never_killed: Path, tmp_path: Path) -> None:
    rng = random.Random("kill")
    killed = _kill_until_done(tmp_path / "run", rng, 5, 0.05)
    assert killed > 2
    assert _parts(tmp_path / "run") == _parts(never_killed)


@pytest.mark.long
def test_killed_a_hundred_times_it_ends_the_same(never_killed: Path, tmp_path: Path) -> None:
    rng, kills, number = random.Random("kills"), 0, 0
    while kills < 100:
        kills += _kill_until_done(tmp_path / str(number), rng, min(10, 100 - kills), rng.choice((0.02, 0.2)))
        assert _parts(tmp_path / str(number)) == _parts(never_killed)
        number += 1
    print(f"{kills} kills, {number} runs")


def _wait_for_parts(path: Path, process: subprocess.Popen[str]) -> None:
    limit = monotonic() + 60
    while not list(path.glob("parts/*.parquet")):
        assert process.poll() is None
        assert monotonic() < limit
        sleep(0.01)


@pytest.fixture
def at_work(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """A long run that has begun, and its process."""
    path = tmp_path / "long"
    process = subprocess.Popen(
        _start(path, 100_000), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd="/tmp", start_new_session=True
    )
    try:
        _wait_for_parts(path, process)
        yield path, process
    finally:
        process.kill()
        process.communicate()


def test_two_processes_on_one_run(at_work: tuple[Path, subprocess.Popen[str]]) -> None:
    path, process = at_work
    for words in (("resume", path), ("resume", path, "--deals", 200_000)):
        assert "another process is at work" in _run(*words, code=2)
    assert open_run(path).rates()[0].deals > 0  # but it can be looked at
    process.kill()
    process.wait()
    with runs.locked(open_run(path)):  # at once: the workers do not hold the lock
        pass


def test_after_ctrl_c_it_says_how_to_go_on(at_work: tuple[Path, subprocess.Popen[str]]) -> None:
    path, process = at_work
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert f"deepcrew resume {path}" in errors
    assert "Traceback" not in errors
    assert not list(path.rglob(".*.tmp"))


# What is written down.


def _loads() -> Iterator[Load]:
    own = read_mission_file(OWN)
    for mission in [*(mission for game in GAMES for mission in load_missions(game)), *own]:
        yield Load.of(mission)
        for variant in mission.variants:
            yield Load.of(mission.variant(variant.name))
        for question in mission.open_questions:
            for reading in question.alternatives:
                yield Load.of(mission.read_as(reading.name))
    yield replace(Load.of(find_missions("planet-nine/12")[0]), takes="best", third_seat=0)
    yield Load(3, ("1",), "captain-decision", challenge=True)
    yield Load(game="deep-sea", task_cards=("win_all_9s", "zero_tricks"), edition="german-first", readings=("no-exchange",))
    goal = goal_form(
        {"any_of": [{"count": "tricks", "exactly": 1, "numbers": [1, "last"]}, {"count": "cards", "cards": "P9", "exactly": 1}]}, "x"
    )
    yield Load(2, crew=(CrewGoal("anyone", goal),))


def test_every_load_can_be_written_down() -> None:
    number = 0
    for load in _loads():
        value = json.loads(json.dumps(runs.load_to_json(load)))
        again = runs.load_from_json(value)
        assert again == load
        assert runs.load_to_json(again) == value
        number += 1
    assert number > 90


def test_a_designers_mission_needs_its_file_no_more(tmp_path: Path) -> None:
    text = OWN.read_text("utf-8")
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    _run("rate", "--mission-file", tmp_path / "mine.toml", "mine/1", "--deals", 30, "--out", tmp_path / "run", "--workers", 1)
    (tmp_path / "mine.toml").unlink()
    run = open_run(tmp_path / "run")
    assert run.cells[0].load.mission is not None
    assert run.cells[0].load.mission.name == "mine/1"
    _finish(runs.extend(run, deals=60))
    assert open_run(tmp_path / "run").rates()[0].deals == 60


# The command line.


def _json(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def _without_time(rates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in one.items() if key not in ("seconds", "deals_per_second")} for one in rates]


def test_rate_prints_the_same_with_a_run(tmp_path: Path) -> None:
    words = ["rate", "planet-nine/22,34", "--players", "3,4", "--deals", "60", "--workers", "1"]
    kept = _run(*words, "--json", "--out", tmp_path / "run")
    assert _without_time(_json(kept)) == _without_time(_json(_run(*words, "--json")))
    assert _without_time(_json(_run("show", tmp_path / "run", "--json"))) == _without_time(_json(kept))
    table = [line.rsplit(None, 1)[0] for line in _run(*words).splitlines()]
    assert [line.rsplit(None, 1)[0] for line in _run(*words, "--out", tmp_path / "other").splitlines()] == table
    assert [line.rsplit(None, 1)[0] for line in _run("show", tmp_path / "run").splitlines()] == table
    assert [line.rsplit(None, 1)[0] for line in _run("resume", tmp_path / "run").splitlines()] == table


def test_shown_deals_can_be_solved(whole: Path) -> None:
    cases = _json(_run("show", whole, "--where", "verdict=unwinnable", "--limit", 3))
    assert len(cases) == 3
    assert all(solve(position_from_case(case)).verdict == "unwinnable" for case in cases)
    run = open_run(whole)
    every = _json(_run("show", whole, "--deals", "--cell", 1))
    assert every == [case_from_position(run.position(1, index)) | {"seed": 5, "index": index} for index in range(7, 127)]
    hard = _json(_run("show", whole, "--where", "nodes>200", "--where", "decided_by = search"))
    frame = run.frame().filter((pl.col("nodes") > 200) & (pl.col("decided_by") == "search")).collect()
    assert [case["index"] for case in hard] == frame["index"].to_list()


def test_deals_won_with_the_signal_are_shown_with_it(tmp_path: Path) -> None:
    _finish(start_run(tmp_path / "run", [Cell(_mission("planet-nine/46"), 5, deals=80, distress="any")]))
    cases = _json(_run("show", tmp_path / "run", "--where", "gained=true"))
    assert cases
    for case in cases:
        assert solve(position_from_case(case)).verdict == "winnable"
        assert solve(position_from_case({key: value for key, value in case.items() if key != "distress"})).verdict == "unwinnable"
    (found,) = _json(_run("compare", tmp_path / "run", "--json"))
    assert (found["one_only"], found["other_only"], found["other"]) == (len(cases), 0, None)


def test_cells_are_compared_deal_by_deal(tmp_path: Path) -> None:
    cells = [
        Cell(Load(8), 4, draft, deals=deals, first=first)
        for draft, deals, first in (("random", 130, 0), ("best", 100, 30), ("random", 9, 500))
    ]
    cells.append(Cell(Load(8), 3, deals=5))
    _finish(start_run(tmp_path / "run", cells, chunk=25))
    run = open_run(tmp_path / "run")
    found = runs.compare(run, 1, 0)
    one, other = ({row["index"]: row["verdict"] for row in run.rows(cell=cell)} for cell in (1, 0))
    table = [(one[index] == "winnable", other[index] == "winnable") for index in range(30, 130)]
    assert (found.deals, found.both, found.one_only, found.other_only, found.neither) == (
        100, table.count((True, True)), table.count((True, False)), table.count((False, True)), table.count((False, False)),
    )  # fmt: skip
    assert found.one_only > 0
    assert found.low <= found.difference <= found.high
    for words, message in (((0, 2), "no deals in common"), ((0, 3), "players 4 and 3"), ((0, 9), "unknown cell 9"), ((1,), "two cells")):
        assert message in _run("compare", tmp_path / "run", *words, code=2)
    assert "share their deals" in _run("compare", tmp_path / "run", code=2)


def test_the_drafts_of_a_table_are_compared(tmp_path: Path) -> None:
    _run("rate", "--tasks", "6,8", "--draft", "best,random", "--deals", 50, "--workers", 1, "--out", tmp_path / "run")
    assert len(_run("compare", tmp_path / "run").splitlines()) == 5
    found = _json(_run("compare", tmp_path / "run", "--json"))
    assert [(each["one"], each["other"]) for each in found] == [(0, 1), (0, 2), (0, 3)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--where", "verdict"], "malformed --where 'verdict'"),
        (["--where", "colour=1"], "unknown column 'colour'"),
        (["--where", "verdict=lost"], "unknown verdict 'lost'"),
        (["--where", "verdict>winnable"], "not compared by '>'"),
        (["--where", "nodes=many"], "not 'many'"),
        (["--cell", "3"], "unknown cell 3"),
        (["--limit", "3"], "--limit goes with"),
    ],
)
def test_what_cannot_be_shown(whole: Path, words: list[str], message: str) -> None:
    assert message in _run("show", whole, *words, code=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--slowest", "1"], "--slowest"),
        (["--limit-seconds", "1"], "--limit-seconds"),
        (["--chunk", "0"], "--chunk"),
        (["--until", "wide"], "malformed --until 'wide'"),
        (["--until", "0%"], "cannot be reached"),
        (["--until", "1%", "--deals", "900"], "too few"),
    ],
)
def test_what_does_not_go_with_a_run(tmp_path: Path, words: list[str], message: str) -> None:
    assert message in _run("rate", "--tasks", "3", "--out", tmp_path / "run", *words, code=2)
    assert not (tmp_path / "run").exists()


def test_what_a_run_cannot_begin_in(whole: Path, tmp_path: Path) -> None:
    assert "exists already" in _run("rate", "--tasks", "3", "--out", whole, code=2)
    (tmp_path / "notes.txt").write_text("mine")
    assert "is no run" in _run("rate", "--tasks", "3", "--out", tmp_path, code=2)
    assert "cannot make a run" in _run("rate", "--tasks", "3", "--out", tmp_path / "notes.txt", code=2)
    assert "cannot write" in _run("rate", "--tasks", "3", "--out", "/proc/run", code=2)
    assert "goes with --out" in _run("rate", "--tasks", "3", "--chunk", 5, code=2)
    for word in ("resume", "show", "compare"):
        assert "is no run" in _run(word, tmp_path, code=2)
        assert "there is no run" in _run(word, tmp_path / "nowhere", code=2)


def _with_manifest(path: Path, **changes: Any) -> None:
    manifest = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps({**manifest, **changes}))


def test_a_run_of_other_code_is_not_mixed_with_ours(copy: Path) -> None:
    made = json.loads((copy / "manifest.json").read_text())["made_with"]
    (copy / "parts" / "0000-000000000000000.parquet").unlink()
    _with_manifest(copy, made_with={**made, "code": "0" * 64, "data": {**made["data"], "planet_nine.toml": "1"}})
    for words in ((), ("--deals", 500)):
        message = _run("resume", copy, *words, code=2)
        assert "the code that decides, planet_nine.toml" in message
        assert "--anyway" in message
    _run("show", copy)
    _run("resume", copy, "--anyway", "--workers", 1)
    assert open_run(copy).missing() == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 99}, "of format 99"),
        ({"chunk": 0}, "chunk must be"),
        ({"cells": 3}, "cells a list"),
        ({"cells": [{"load": {}}]}, "cell 0 of the manifest"),
    ],
)
def test_manifests_of_other_kinds(copy: Path, changes: dict[str, Any], message: str) -> None:
    _with_manifest(copy, **changes)
    assert message in _run("resume", copy, code=2)


def test_a_manifest_that_is_no_json(copy: Path) -> None:
    _cut(copy / "manifest.json")
    assert "is damaged" in _run("show", copy, code=2)


def test_a_cell_with_a_deal_that_nobody_can_play_is_left_out(tmp_path: Path) -> None:
    load = Load(game="deep-sea", difficulty=1, distribution="two-volunteers")
    cells = [Cell(load, 3, "random", deals=200), Cell(Load(3), 3, deals=50)]
    for workers in (1, 2):
        path = tmp_path / str(workers)
        found: list[Any] = []
        observer = Observer(cell_done=lambda cell, rate, found=found: found.append(rate))
        carry_out(start_run(path, cells, chunk=10), workers, observer=observer)
        assert isinstance(found[0], str)
        assert isinstance(found[1], Rate)
        assert [path.name[:4] for path in (path / "parts").iterdir()] == ["0001"] * 5


def test_progress_counts_what_was_there(copy: Path) -> None:
    for path in sorted((copy / "parts").iterdir())[:2]:
        path.unlink()
    seen: list[tuple[int, Progress]] = []
    carry_out(open_run(copy), 1, lambda cell, progress: seen.append((cell, progress)))
    assert [(cell, progress.done, progress.before) for cell, progress in seen] == [(0, 95, 70), (0, 120, 70)]
    last = seen[-1][1]
    assert last.low is not None
    assert last.high is not None
    assert last.low <= last.winnable / last.done <= last.high


def test_the_progress_line_says_it_all() -> None:
    line = cell_progress_text("x", Progress(3000, 4000, 2400, 590, 10, 60, 10.0, 0.78, 0.83, 1000, 0.04))
    assert line.startswith("x [#########---] 3,000/4,000  5s left  winnable 80.27% 78.00%-83.00% (5% wide, until 4%)")
    assert line.endswith("  200 deals/s  SAT 2.00%  undecided 10")
    assert cell_progress_text("x", Progress(0, 4000, 0, 0, 0, 0, 0.0)) == "x [------------] 0/4,000"


def test_an_empty_run_can_be_read(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run", _cells())
    assert run.rates() == []
    assert run.frame().collect().height == 0
    assert np.array([each.deals for each in run.missing()]).tolist() == [120] * 3
    assert "3 of 3 cells are unfinished" in CliRunner().invoke(cli, ["show", str(tmp_path / "run")]).stderr


def test_the_directory_can_be_moved(copy: Path, tmp_path: Path, whole: Path) -> None:
    (copy / "parts" / "0000-000000000000000.parquet").unlink()
    os.replace(copy, tmp_path / "moved")
    _finish(open_run(tmp_path / "moved"))
    assert _bytes(tmp_path / "moved") == _bytes(whole)
    rmtree(tmp_path / "moved" / "parts")
    _finish(open_run(tmp_path / "moved"))
    assert _bytes(tmp_path / "moved") == _bytes(whole)
