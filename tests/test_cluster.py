"""Runs on a Dask scheduler: the same bytes as alone, though workers die; and what is said when something is missing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from click.testing import CliRunner
from deepcrew.cli import cli
from deepcrew.solver import cluster, runs
from deepcrew.solver.errors import InputError
from deepcrew.solver.loads import Load
from deepcrew.solver.runs import Cell, Observer, carry_out, open_run, start_run

pytest.importorskip("distributed")

Start = Callable[..., "subprocess.Popen[bytes]"]


def _cells() -> list[Cell]:
    return [Cell(Load(5), 4, deals=1500), Cell(Load(6, ("1",)), 3, deals=600)]


def _parts(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (path / "parts").iterdir()}


def _wait(ready: Callable[[], Any], process: subprocess.Popen[bytes] | None = None) -> None:
    limit = monotonic() + 90
    while not ready():
        assert process is None or process.poll() is None, process.communicate()
        assert monotonic() < limit
        sleep(0.02)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts ``dask`` with these words as a process of its own."""
    started = []

    def begin(*words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *words, "--scheduler-file", str(tmp_path / "scheduler.json")]
        started.append(subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def address(start: Start, tmp_path: Path) -> str:
    """The address of a scheduler."""
    process = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--dashboard-address", ":0")
    _wait((tmp_path / "scheduler.json").exists, process)
    return str(json.loads((tmp_path / "scheduler.json").read_text())["address"])


def _worker(start: Start) -> subprocess.Popen[bytes]:
    return start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")


def test_a_worker_dies_and_the_run_is_the_same(start: Start, address: str, tmp_path: Path) -> None:
    alone = start_run(tmp_path / "alone", _cells(), chunk=20)
    carry_out(alone, 1)
    first, _ = _worker(start), _worker(start)
    start_run(tmp_path / "run", _cells(), chunk=20)
    command = [sys.executable, "-m", "deepcrew.cli", "resume", str(tmp_path / "run"), "--cluster", address, "--json"]
    process = subprocess.Popen(command, cwd="/tmp", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _wait(lambda: any((tmp_path / "run" / "parts").glob("*.parquet")), process)
    first.send_signal(signal.SIGKILL)
    first.wait()
    at_kill = len(_parts(tmp_path / "run"))
    _worker(start)
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert at_kill < len(_parts(alone.path))
    assert _parts(tmp_path / "run") == _parts(alone.path)
    assert [json.loads(line)["deals"] for line in out.splitlines()] == [1500, 600]
    assert [rate.winnable for rate in open_run(tmp_path / "run").rates()] == [rate.winnable for rate in alone.rates()]


def test_a_cluster_of_this_machine(tmp_path: Path) -> None:
    words = ["rate", "--tasks", "3,4", "--deals", "300", "--json", "--workers", "2"]
    command = [sys.executable, "-m", "deepcrew.cli", *words, "--cluster", "local", "--out", str(tmp_path / "run")]
    done = subprocess.run(command, cwd="/tmp", capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    carry_out(start_run(tmp_path / "alone", [Cell(Load(tasks), 4, deals=300) for tasks in (3, 4)]), 1)
    assert _parts(tmp_path / "run") == _parts(tmp_path / "alone")


def test_a_worker_with_other_code_is_refused(start: Start, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _worker(start)
    run = start_run(tmp_path / "run", _cells(), chunk=20)
    other = {**runs.made_with(), "code": "0" * 64}
    monkeypatch.setattr(runs, "made_with", lambda: other)
    with pytest.raises(InputError, match=r"the worker tcp://.* has other versions of the code that decides"):
        carry_out(run, anyway=True, cluster=address)


def test_no_workers(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WORKER_SECONDS", 0.5)
    notes: list[str] = []
    with pytest.raises(InputError, match="has no workers"):
        carry_out(start_run(tmp_path / "run", _cells()), cluster=address, observer=Observer(note=notes.append))
    assert "no workers yet" in notes[0]


@pytest.mark.parametrize("nowhere", ["tcp://127.0.0.1:9", "nonsense", "http://127.0.0.1:1"])
def test_nobody_answers(nowhere: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1.0)
    run = start_run(tmp_path / "run", _cells())
    with pytest.raises(InputError, match="no Dask scheduler answers at"):
        carry_out(run, cluster=nowhere)
    with runs.locked(run):
        pass


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    words = ["rate", "--tasks", "3", "--out", str(tmp_path / "run"), "--cluster", "local"]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 2
    assert "pip install deepcrew[cluster]" in result.stderr
    assert not (tmp_path / "run").exists()
    assert "goes with --out" in CliRunner().invoke(cli, ["rate", "--tasks", "3", "--cluster", "local"]).stderr
