"""Runs: rates of many deals that are kept on disk, survive being killed at any moment, and can grow.

A run is a directory. ``manifest.json`` says what is dealt in each cell (a load, a number of players, a draft, a range of deals)
and which code and data decided it; ``parts/CELL-START.parquet`` has a row for each deal of one chunk of a cell. Chunks begin at
multiples of the chunk size from the first deal of the cell, and nothing in a part depends on clock, machine or number of
workers, so a run ends with the same bytes however often it was interrupted. A part appears when it is complete and on disk, or
not at all; one that was damaged later is found by the digest of its rows, and decided again.

Refuses to know how a deal is decided (``outcomes.py``), who works (``workers.py``, ``cluster.py``), and how anything is shown.
"""

from __future__ import annotations

import errno
import fcntl
import json
import operator
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .cases import case_from_position
from .errors import DataError, InputError
from .goals import CrewGoal, GoalForm, Role, goal_form
from .loads import Load
from .missions import Mission, find_missions, mission_from, read_with
from .outcomes import VERDICTS, WAYS, Job, Outcomes, decide_range
from .positions import DIRECTIONS, Exchange, Position
from .rates import Progress, Rate, Tally, bounds, check_workers, checked_job, rate_of, tally_of
from .sequential import look_at, looks_within
from .taskcards import load_task_cards
from .verdicts import UNWINNABLE, WINNABLE
from .workers import Pool, open_pool

if TYPE_CHECKING:
    import polars

FORMAT = 1
MOST = 10**15
"""Deals of a cell, and the cap where a run goes on until an interval is narrow."""
LONGEST_CHUNK = 1_000_000
_CHUNK = 50_000
_PARTS = 50
"""A cell is cut into about so many chunks, unless they would be longer than _CHUNK."""
_FEWEST = 100
_UNTIL_CHUNK = 1000
_DECIDING = (
    "cards", "deals", "drafts", "exclusions", "goals", "judge", "loads", "missions", "outcomes", "positions", "referee", "sat", "tables",
    "takes", "taskcards", "tokens", "verdicts",
)  # fmt: skip
"""The modules of solver that verdicts depend on, beside all kernels."""
_LIBRARIES = ("python-sat", "polars")
"""Libraries on whose version a verdict, or the bytes of a part, may depend."""
_DIGEST = "deepcrew.rows"
COLUMNS = ("cell", "seed", "index", "verdict", "decided_by", "nodes", "redealt", "replaced", "gained", "chance")
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "=": operator.eq, "<": operator.lt, ">": operator.gt,
}  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One line of a table of rates: what is dealt in it and how it is decided, as the arguments of ``rates.rate``.

    ``deals`` is how many there shall be; with ``until``, the width that its interval shall reach, the most there may be.
    ``number`` is its place in the run.
    """

    load: Load
    players: int
    draft: str = "best"
    seed: int = 1
    first: int = 0
    deals: int = 10_000
    engine: str = "auto"
    limit_nodes: int | None = None
    distress: str | None = None
    five_player_rule: bool = True
    until: float | None = None
    number: int = 0

    @cached_property
    def job(self) -> Job:
        """What workers need to know. Raises InputError for values out of range."""
        return checked_job(
            self.load, self.players, seed=self.seed, first=self.first, deals=self.deals, draft=self.draft, engine=self.engine,
            limit_nodes=self.limit_nodes, five_player_rule=self.five_player_rule, distress=self.distress, until=self.until,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """The cell, ready for ``json.dumps``."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("load", "number")}
        return {"load": load_to_json(self.load), **values}

    @classmethod
    def from_json(cls, value: Any, number: int) -> Cell:
        """The cell that ``to_json`` wrote. Raises InputError for one that cannot be."""
        try:
            cell = cls(load_from_json(value["load"]), number=number, **{key: item for key, item in value.items() if key != "load"})
            _ = cell.job
        except (KeyError, TypeError, ValueError, DataError) as error:  # InputError is a ValueError
            raise InputError(f"cell {number} of the manifest cannot be read: {error}") from None
        return cell


class Where(NamedTuple):
    """A condition on rows, such as nodes > 1000."""

    column: str
    sign: str
    value: Any

    def rows(self, frame: Any) -> Any:
        """The rows of a polars frame that meet it."""
        import polars as pl

        return frame.filter(_OPERATORS[self.sign](pl.col(self.column), self.value))


class Missing(NamedTuple):
    """Deals that are still to be decided: ``first`` to ``first + deals - 1`` of a cell."""

    cell: int
    first: int
    deals: int


class Done(NamedTuple):
    """How far a cell is: deals decided of those wanted, which may become more where a width is to be reached."""

    cell: int
    done: int
    deals: int
    complete: bool


# The load as JSON.


def load_to_json(load: Load) -> dict[str, Any]:
    """Everything of a load, ready for ``json.dumps``: a mission by its name, variant and readings, one of a designer's file by
    its own table. Raises InputError for a load that cannot be written down."""
    value = {field.name: getattr(load, field.name) for field in fields(load)}
    mission = load.mission
    value["mission"] = None if mission is None else _mission_to_json(mission)
    value["crew"] = None if mission is not None and load.crew == mission.crew_goals else [_goal_to_json(goal) for goal in load.crew]
    value = json.loads(json.dumps(value))
    if load_from_json(value) != load:
        raise InputError(f"this load cannot be written into a manifest: {load}")
    return dict(value)


def load_from_json(value: dict[str, Any]) -> Load:
    """The load that ``load_to_json`` wrote. Raises InputError or DataError for one that cannot be."""
    mission = None if value["mission"] is None else _mission_from_json(value["mission"])
    crew = mission.crew_goals if value["crew"] is None and mission is not None else tuple(map(_goal_from_json, value["crew"] or ()))
    lists = {key: tuple(value[key]) for key in ("tokens", "task_cards", "readings")}
    return Load(**{**value, **lists, "mission": mission, "crew": crew})


def _mission_to_json(mission: Mission) -> dict[str, Any]:
    variant = None if not mission.variants else "untimed" if mission.seconds is None else "timed"
    value: dict[str, Any] = {"name": mission.name, "variant": variant, "readings": list(mission.readings)}
    if mission.book:
        value |= {"book": mission.book, "game": mission.game, "file": mission.file, "table": mission.source}
    return value


def _mission_from_json(value: dict[str, Any]) -> Mission:
    if "book" in value:
        slugs = [card.slug for card in load_task_cards()]
        mission = replace(mission_from(value["table"], value["game"], slugs, value["file"]), book=value["book"])
    else:
        (mission,) = find_missions(value["name"])
    if value["variant"] == "untimed":
        mission = mission.variant("untimed")
    return read_with(mission, value["readings"])


def _goal_to_json(goal: CrewGoal) -> dict[str, Any]:
    def thawed(item: Any) -> Any:
        return dict(item) if isinstance(item, tuple) and item and isinstance(item[0], tuple) else item

    conditions = [{key: thawed(item) for key, item in entry} for entry in goal.form.entries]
    form = {"any_of": conditions} if goal.form.any_of else conditions
    return {"who": goal.who, "goal": form, "role": None if goal.role is None else asdict(goal.role)}


def _goal_from_json(value: dict[str, Any]) -> CrewGoal:
    form: GoalForm = goal_form(value["goal"], "the manifest")
    role = None if value["role"] is None else Role(**{**value["role"], "answers": tuple(value["role"]["answers"])})
    return CrewGoal(value["who"], form, role)


# What decides.


@cache
def made_with() -> dict[str, Any]:
    """What verdicts depend on beside the parameters: digests of the code and the data, versions of libraries."""
    home = Path(__file__).parent.parent
    code = sorted([*(home / "kernels").glob("*.py"), *(home / "solver" / f"{name}.py" for name in _DECIDING)])
    data = sorted((home / "data").glob("*.toml"))
    return {
        "code": sha256(b"\0".join(path.read_bytes() for path in code)).hexdigest(),
        "data": {path.name: sha256(path.read_bytes()).hexdigest() for path in data},
        "libraries": {name: version(name) for name in _LIBRARIES},
    }


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """In words, in what two results of ``made_with`` differ."""
    words = ["the code that decides"] if one.get("code") != other.get("code") else []
    for kind, what in (("data", "{}"), ("libraries", "{} ({} there, {} here)")):
        there, here = one.get(kind) or {}, other.get(kind) or {}
        words += [
            what.format(name, there.get(name), here.get(name)) for name in sorted({*there, *here}) if there.get(name) != here.get(name)
        ]
    return words


# Files.


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(path: Path, data: bytes) -> None:
    """Put a file there that is complete and on disk, or leave things as they are. Raises OSError."""
    part = path.with_name(f".{path.name}.tmp")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    _sync_directory(path.parent)


def _part_name(cell: int, start: int) -> str:
    return f"{cell:04}-{start:015}.parquet"


def _digest_of(columns: Sequence[Any]) -> str:
    digest = sha256()
    for column in columns:
        digest.update(np.ascontiguousarray(column, np.dtype(column.dtype).newbyteorder("<")).tobytes())
    return digest.hexdigest()


def _encoded(cell: Cell, start: int, outcomes: Outcomes) -> bytes:
    """The rows of a chunk as Parquet: the same bytes for the same rows."""
    import polars as pl

    deals = len(outcomes.verdict)
    index = np.arange(start, start + deals, dtype=np.int64)
    words = [
        pl.Series(codes).replace_strict(range(len(names)), names, return_dtype=pl.String)
        for codes, names in ((outcomes.verdict, VERDICTS), (outcomes.decided_by, WAYS))
    ]
    chances = pl.Series(outcomes.chance).fill_nan(None)
    values = [
        pl.Series(np.full(deals, cell.number, np.int32)), pl.Series(np.full(deals, cell.seed, np.int64)), pl.Series(index), *words,
        pl.Series(outcomes.nodes), pl.Series(outcomes.redealt), pl.Series(outcomes.replaced), pl.Series(outcomes.gained), chances,
    ]  # fmt: skip
    frame = pl.DataFrame([series.alias(name) for name, series in zip(COLUMNS, values, strict=True)])
    buffer = BytesIO()
    frame.write_parquet(
        buffer, compression="zstd", compression_level=3, row_group_size=LONGEST_CHUNK, metadata={_DIGEST: _digest_of(outcomes[:-1])}
    )
    return buffer.getvalue()


class _Damaged(Exception):
    """A part whose rows cannot be read, or are not those that were written."""


def _decoded(path: Path, cell: Cell, start: int) -> Outcomes:
    """The rows of a part. Raises _Damaged."""
    import polars as pl

    try:
        data = path.read_bytes()
        if len(data) < 12 or data[:4] != b"PAR1" or data[-4:] != b"PAR1":
            raise _Damaged("it is cut off")
        metadata, frame = pl.read_parquet_metadata(BytesIO(data)), pl.read_parquet(BytesIO(data))
        codes = [
            frame[name].replace_strict(names, range(len(names)), return_dtype=pl.Int8).to_numpy()
            for name, names in (("verdict", VERDICTS), ("decided_by", WAYS))
        ]
        numbers = [frame[name].to_numpy() for name in COLUMNS[5:9]]
        chance = frame["chance"].fill_null(float("nan")).to_numpy()
        outcomes = Outcomes(*[*codes, *numbers, chance, np.zeros(frame.height)])
        index = np.arange(start, start + frame.height)
        placed = (frame["index"].to_numpy() == index).all() and (frame["cell"] == cell.number).all() and (frame["seed"] == cell.seed).all()
    except (KeyboardInterrupt, SystemExit, MemoryError, _Damaged):
        raise
    except OSError as error:
        raise _Damaged(error.strerror or str(error)) from None
    except BaseException as error:  # of many kinds; what panics in polars is no Exception
        raise _Damaged("it is no Parquet file of a run") from error
    if metadata.get(_DIGEST) != _digest_of(outcomes[:-1]):
        raise _Damaged("its rows are not those that were written")
    if not placed or not frame.height:
        raise _Damaged("its rows belong elsewhere")
    return outcomes


# Runs.


@dataclass
class _Chunks:
    """What is known of the chunks of a cell: their counts by the number of the first deal."""

    cell: Cell
    size: int
    found: dict[int, Tally]

    def __post_init__(self) -> None:
        # in until: deals in whole chunks from the first on, with their sum, and how many looks these allow
        self._whole, self._sum = 0, Tally()
        self._looked, self._look = 0, 0
        self._width = 1.0
        self._at_look = Tally()

    def wanted(self) -> int:
        """How many deals there shall be, as far as is known by now."""
        if self.cell.until is None:
            return self.cell.deals
        self._advance()
        last = looks_within(self.cell.deals, self.size)
        if self._look and (self._width <= self.cell.until or self._look >= last):
            return self._looked
        return look_at(self._look + 1, self.size)

    def _advance(self) -> None:
        """Look at what has become complete."""
        last = looks_within(self.cell.deals, self.size)
        while (tally := self.found.get(self.cell.first + self._whole)) is not None and tally.deals == self.size and self._look < last:
            self._sum.add(tally)
            self._whole += self.size
            if self._whole == look_at(self._look + 1, self.size):
                self._look, self._looked, self._at_look = self._look + 1, self._whole, replace(self._sum)
                low, high = bounds(self._at_look, self._look)
                self._width = high - low

    def missing(self) -> Iterator[tuple[int, int]]:
        """The chunks that are still to be decided, first and number of deals, as far as is known by now."""
        wanted = self.wanted()
        for offset in range(0, wanted, self.size):
            start, deals = self.cell.first + offset, min(self.size, wanted - offset)
            tally = self.found.get(start)
            if tally is None or tally.deals != deals:
                yield start, deals

    def counted(self) -> tuple[Tally, int]:
        """What is counted in the rate, and the number of the look."""
        if self.cell.until is not None:
            self._advance()
            return self._at_look, self._look
        total = Tally()
        for tally in self.found.values():
            total.add(tally)
        return total, 0

    def done(self) -> Done:
        """How far the cell is."""
        wanted = self.wanted()
        done = sum(tally.deals for start, tally in self.found.items() if start < self.cell.first + wanted)
        return Done(self.cell.number, done, wanted, done >= wanted)


class Run:
    """A run on disk, as it is now; it may be incomplete, and another process may be at work on it.

    ``damaged`` names the parts that could not be read, each with the reason, once they have been looked at.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self.cells = [Cell.from_json(value, number) for number, value in enumerate(manifest["cells"])]
        self.damaged: dict[str, str] = {}
        self._tallied: dict[tuple[str, int, int], Tally] = {}

    @property
    def chunk(self) -> int:
        """Deals in a part."""
        return int(self.manifest["chunk"])

    def cell(self, number: int) -> Cell:
        """The cell of this number. Raises InputError when there is none."""
        if not 0 <= number < len(self.cells):
            raise InputError(f"unknown cell {number}: {str(self.path)!r} has cells 0 to {len(self.cells) - 1}")
        return self.cells[number]

    def parts(self, cell: int | None = None) -> list[tuple[Cell, int, Path]]:
        """The parts there are, in order: cell, number of the first deal, and file."""
        found = []
        with suppress(FileNotFoundError):
            for path in (self.path / "parts").iterdir():
                match = re.fullmatch(r"([0-9]{4,})-([0-9]{15,})\.parquet", path.name)
                if match and int(match[1]) < len(self.cells) and cell in (None, int(match[1])):
                    found.append((self.cells[int(match[1])], int(match[2]), path))
        return sorted(found, key=lambda part: (part[0].number, part[1]))

    def outcomes(self, cell: int) -> Iterator[tuple[int, Outcomes]]:
        """What became of the deals of a cell, part by part with the number of the first deal; damaged parts are left out."""
        for of, start, path in self.parts(cell):
            try:
                yield start, _decoded(path, of, start)
            except _Damaged as reason:
                self.damaged[path.name] = str(reason)

    def _tallies(self, parts: Iterable[tuple[Cell, int, Path]]) -> dict[int, Tally]:
        """The counts of parts by the number of the first deal. A part that was read before and is still the same is not read again;
        damaged ones are left out."""
        found = {}
        for cell, start, path in parts:
            try:
                now = path.stat()
                known = (path.name, now.st_mtime_ns, now.st_size)
                if known not in self._tallied:
                    self._tallied[known] = tally_of(_decoded(path, cell, start), start)
                found[start] = self._tallied[known]
            except (OSError, _Damaged) as reason:
                self.damaged[path.name] = str(reason)
        return found

    def _chunks(self) -> list[_Chunks]:
        """All cells with the counts of their chunks. Reads every part that is new."""
        parts: dict[int, list[tuple[Cell, int, Path]]] = {cell.number: [] for cell in self.cells}
        for part in self.parts():
            parts[part[0].number].append(part)
        return [_Chunks(cell, self.chunk, self._tallies(parts[cell.number])) for cell in self.cells]

    def rate(self, cell: int) -> Rate | None:
        """The rate of a cell, of the deals that are decided; None when there are none. Its ``seconds`` are 0.

        With ``until`` it is that of the last look, as sequential.py explains. Raises InputError when there is no such cell.
        """
        found = self._tallies(self.parts(self.cell(cell).number))
        return _rate(_Chunks(self.cells[cell], self.chunk, found))

    def rates(self) -> list[Rate]:
        """The rates of all cells of which deals are decided, in order."""
        return [rate for rate in map(_rate, self._chunks()) if rate is not None]

    def frame(self, cell: int | None = None) -> polars.LazyFrame:
        """The rows of all parts, or those of one cell, for polars, with the columns of COLUMNS."""
        import polars as pl

        paths = [path for _, _, path in self.parts(cell)]
        if paths:
            return pl.scan_parquet(paths)
        whole = {"verdict": pl.String, "decided_by": pl.String, "gained": pl.Boolean, "chance": pl.Float64}
        whole |= dict.fromkeys(("cell", "redealt", "replaced"), pl.Int32)
        return pl.LazyFrame(schema={name: whole.get(name, pl.Int64) for name in COLUMNS})

    def position(self, cell: int, index: int) -> Position:
        """The deal of this number in a cell, as it is dealt. Raises InputError when there is no such cell."""
        return self.cell(cell).job.position(index)

    def case(self, cell: int, index: int, gained: bool = False) -> dict[str, Any]:
        """The same as a case; with the distress signal where the deal was ``gained`` by it."""
        position, of = self.position(cell, index), self.cell(cell)
        if gained and of.distress:
            position = replace(position, exchanges=(Exchange(0, DIRECTIONS[of.distress]), *position.exchanges))
        return case_from_position(position) | {"seed": of.seed, "index": index}

    def rows(self, wheres: Sequence[Where] = (), cell: int | None = None) -> Iterator[dict[str, Any]]:
        """The rows that meet all conditions, in order, part by part."""
        import polars as pl

        for _, _, path in self.parts(cell):
            try:
                frame = pl.read_parquet(path)
            except Exception as error:
                self.damaged[path.name] = " ".join(str(error).split())
                continue
            for where in wheres:
                frame = where.rows(frame)
            yield from frame.iter_rows(named=True)

    def missing(self) -> list[Missing]:
        """The deals that are still to be decided, as far as is known by now, neighbours together. Reads every part that is new."""
        ranges: list[Missing] = []
        for chunks in self._chunks():
            for start, deals in chunks.missing():
                last = ranges[-1] if ranges else None
                if last is not None and last.cell == chunks.cell.number and last.first + last.deals == start:
                    ranges[-1] = last._replace(deals=last.deals + deals)
                else:
                    ranges.append(Missing(chunks.cell.number, start, deals))
        return ranges

    @property
    def progress(self) -> list[Done]:
        """How far each cell is. Reads every part that is new."""
        return [chunks.done() for chunks in self._chunks()]

    def check_made_with(self) -> None:
        """Raise InputError when other code, data or libraries than here decided this run."""
        words = differences(self.manifest.get("made_with") or {}, made_with())
        if words:
            raise InputError(
                f"{str(self.path)!r} was made with other versions of {', '.join(words)}: its deals might be decided differently "
                "now; go on with --anyway, or begin another run"
            )


def _rate(chunks: _Chunks) -> Rate | None:
    tally, look = chunks.counted()
    cell = chunks.cell
    if not tally.deals:
        return None
    return rate_of(tally, cell.job, cell.first, cell.five_player_rule, cell.until, look, 0.0)


def open_run(path: str | Path) -> Run:
    """The run in this directory. Raises InputError for what is no run, or one of another format."""
    path = Path(path)
    name = str(path)
    try:
        text = (path / "manifest.json").read_text("utf-8")
    except FileNotFoundError:
        if not path.exists():
            raise InputError(f"there is no run {name!r}") from None
        raise InputError(f"{name!r} is no run: it has no manifest.json") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name!r} is no run: manifest.json cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        manifest = json.loads(text)
    except ValueError as error:
        raise InputError(f"the manifest of {name!r} is damaged: it is no JSON: {error}") from None
    if not isinstance(manifest, dict) or "format" not in manifest:
        raise InputError(f"{name!r} is no run: manifest.json has no format")
    if manifest["format"] != FORMAT:
        raise InputError(f"{name!r} is a run of format {manifest['format']!r}, but this version of deepcrew reads format {FORMAT}")
    chunk = manifest.get("chunk")
    if type(chunk) is not int or not 1 <= chunk <= LONGEST_CHUNK or not isinstance(manifest.get("cells"), list):
        raise InputError(f"the manifest of {name!r} is damaged: chunk must be 1 to {LONGEST_CHUNK} deals and cells a list")
    return Run(path, manifest)


def usual_chunk(cells: Sequence[Cell]) -> int:
    """A chunk size for these cells: about a fiftieth of the longest, and no more than a worker is busy with for some seconds."""
    if any(cell.until is not None for cell in cells):
        return _UNTIL_CHUNK
    aim = max(max(cell.deals for cell in cells) // _PARTS, _FEWEST)
    sizes = [digit * power for power in (100, 1000, 10_000) for digit in (1, 2, 5)]
    return min(max(size for size in sizes if size <= aim), _CHUNK)


def start_run(path: str | Path, cells: Sequence[Cell], *, chunk: int | None = None, command: str = "") -> Run:
    """Make the directory of a run, with its manifest and no parts yet.

    ``command`` is the command line, for the manifest. Raises InputError when something is there already, when the directory
    cannot be made, and for values out of range.
    """
    path = Path(path)
    if not cells:
        raise InputError("a run needs at least one cell")
    cells = [replace(cell, number=number) for number, cell in enumerate(cells)]
    chunk = usual_chunk(cells) if chunk is None else chunk
    if not 1 <= chunk <= LONGEST_CHUNK:
        raise InputError(f"a chunk of {chunk} deals cannot be: it can be 1 to {LONGEST_CHUNK}")
    for cell in cells:
        _ = cell.job
        _check_until(cell, chunk)
    check_new(path)
    manifest = {
        "format": FORMAT,
        "deepcrew": _version(),
        "command": command,
        "chunk": chunk,
        "made_with": made_with(),
        "cells": [cell.to_json() for cell in cells],
    }
    try:
        (path / "parts").mkdir(parents=True, exist_ok=True)
        _write_manifest(path, manifest)
        _sync_directory(path.parent)
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
    return open_run(path)


def check_new(path: str | Path) -> None:
    """Raise InputError when a run cannot begin there because something is there already."""
    path = Path(path)
    if (path / "manifest.json").exists():
        raise InputError(f"the run {str(path)!r} exists already: go on with it by deepcrew resume {path}, or name another directory")
    try:
        entries = [entry.name for entry in path.iterdir()]
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"cannot make a run of {str(path)!r}: {error.strerror or error}") from None
    if set(entries) - {"parts", ".lock", ".manifest.json.tmp"}:  # what is left when a run is cut at its very beginning
        raise InputError(f"{str(path)!r} exists already and is no run: name another directory")


def _version() -> str:
    from .. import __version__

    return __version__


def _write_manifest(path: Path, manifest: dict[str, Any]) -> None:
    _write(path / "manifest.json", (json.dumps(manifest, indent=1) + "\n").encode())


def _check_until(cell: Cell, chunk: int) -> None:
    if cell.until is not None and looks_within(cell.deals, chunk) == 0:
        first = look_at(1, chunk)
        raise InputError(f"{cell.deals} deals are too few to stop by precision: the first look comes after {first:,}")


@contextmanager
def locked(run: Run) -> Iterator[int]:
    """Nobody else works on the run meanwhile; gives the descriptor that workers must not hold open. The lock ends with the
    process, however that does. Raises InputError when another process has it."""
    try:
        descriptor = os.open(run.path / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"cannot write {str(run.path)!r}: {error.strerror or error}") from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            raise InputError(f"another process is at work on {str(run.path)!r}: wait for it, or stop it") from None
        yield descriptor
    finally:
        os.close(descriptor)


def extend(run: Run, *, deals: int | None = None, until: float | None = None, anyway: bool = False) -> Run:
    """The run with more deals in every cell, or a narrower interval to be reached; nothing is decided yet.

    With ``until`` and no ``deals``, cells may grow as long as they must. ``anyway`` keeps a run that was made with other
    code or data. Raises InputError for less than there is already, and for another process at work on the run.
    """
    with locked(run):
        if not anyway:
            run.check_made_with()
        cells = []
        for cell in run.cells:
            if deals is not None and deals < cell.deals and (cell.until is None or until is None) and cell.deals != MOST:
                raise InputError(f"cell {cell.number} has {cell.deals} deals already: a run cannot shrink to {deals}")
            if until is not None and cell.until is not None and until > cell.until:
                raise InputError(f"cell {cell.number} goes on until {cell.until:g} already: a run cannot shrink to {until:g}")
            most = MOST if until is not None or cell.until is not None else cell.deals
            cells.append(replace(cell, deals=most if deals is None else max(deals, 1), until=cell.until if until is None else until))
            _ = cells[-1].job
            _check_until(cells[-1], run.chunk)
        manifest = {**run.manifest, "cells": [cell.to_json() for cell in cells]}
        if manifest != run.manifest:
            _write_manifest(run.path, manifest)
    return open_run(run.path)


class _Task(NamedTuple):
    """A chunk for a worker."""

    job: Job
    cell: int
    first: int
    deals: int


class Result(NamedTuple):
    """What a worker made of a chunk; ``refused``, why one of its deals cannot be dealt."""

    cell: int
    first: int
    outcomes: Outcomes | None
    refused: str = ""


def decide_task(task: _Task) -> Result:
    """The work of a worker."""
    try:
        outcomes = decide_range(task.job, task.first, task.deals)
    except InputError as error:
        return Result(task.cell, task.first, None, str(error))
    return Result(task.cell, task.first, outcomes._replace(seconds=np.zeros(0)))


@dataclass
class Observer:
    """What wants to know how a run goes on; each is called in the process that works on the run.

    ``progress``: after every chunk, with the number of its cell. ``cell_done``: once for each cell, in order, when all before it
    are done too; with its rate, or why it is left out. ``note``: a sentence to be shown.
    """

    progress: Callable[[int, Progress], None] = lambda cell, progress: None
    cell_done: Callable[[Cell, Rate | str], None] = lambda cell, rate: None
    note: Callable[[str], None] = lambda sentence: None


def carry_out(
    run: Run,
    workers: int | None = None,
    progress: Callable[[int, Progress], None] | None = None,
    *,
    observer: Observer | None = None,
    cluster: str | None = None,
    anyway: bool = False,
) -> None:
    """Decide what is missing in a run. Ctrl-C, a kill or a full disk loses only the chunks that are being decided.

    ``workers``: processes, all cores by default. ``cluster``: the address of a Dask scheduler, or ``local`` for one that is
    started here. ``progress`` is a short way to observe only that. ``anyway`` goes on though other code or data made the run.

    Raises InputError when another process is at work on it or other code made it, OSError when it cannot be written.
    """
    observer = observer or Observer()
    if progress is not None:
        observer = replace(observer, progress=progress)
    check_workers(workers)
    if not anyway:
        run.check_made_with()
    workers = workers or os.cpu_count() or 1
    with locked(run) as lock, _pool(cluster, workers, lock, observer.note) as pool:
        _clean(run)
        _Work(run, pool, observer).do()


def _pool(cluster: str | None, workers: int, lock: int, note: Callable[[str], None]) -> Pool[_Task, Result]:
    if cluster is None:
        return open_pool(decide_task, workers, (lock,))
    from .cluster import open_cluster

    return open_cluster(decide_task, cluster, workers, note)


def _clean(run: Run) -> None:
    """Remove what writing has left when it was cut."""
    for path in [*run.path.glob(".*.tmp"), *(run.path / "parts").glob(".*.tmp")]:
        path.unlink(missing_ok=True)
    (run.path / "parts").mkdir(exist_ok=True)


class _Work:
    """A run being carried out."""

    def __init__(self, run: Run, pool: Pool[_Task, Result], observer: Observer) -> None:
        self.run, self.pool, self.observer = run, pool, observer
        self.cells = run._chunks()
        self.before = [sum(tally.deals for tally in chunks.found.values()) for chunks in self.cells]
        self.counts = [chunks.counted()[0] if chunks.cell.until is None else _total(chunks) for chunks in self.cells]
        self.refused: dict[int, str] = {}
        self.out: dict[int, int] = dict.fromkeys(range(len(self.cells)), 0)
        self.start = self.cell_start = perf_counter()
        self.told = 0
        for name, reason in sorted(run.damaged.items()):
            observer.note(f"the part {name} is damaged and will be decided again: {reason}")

    def do(self) -> None:
        """Decide everything that is missing."""
        tasks = self._tasks()
        self._tell()
        while True:
            while self.pool.room and (task := next(tasks)) is not None:
                self.out[task.cell] += 1
                self.pool.submit(task)
            if not self.pool.pending:
                break
            for result in self.pool.finished():
                self._take(result)
            self._tell()
        for number in self.refused:  # the others of its parts would depend on who was how quick
            for _, _, path in self.run.parts(number):
                path.unlink()

    def _tasks(self) -> Iterator[_Task | None]:
        """What to hand out next, cell by cell; None while it depends on what is still out, and for ever when all is done."""
        waiting = {chunks.cell.number: chunks.missing() for chunks in self.cells}
        while True:
            task = None
            for number, missing in list(waiting.items()):
                chunks = self.cells[number]
                found = None if number in self.refused else next(missing, None)
                if found is not None:
                    task = _Task(chunks.cell.job, number, *found)
                    break
                if number in self.refused or chunks.cell.until is None:
                    del waiting[number]
                elif not self.out[number]:
                    waiting[number] = chunks.missing()
                    if next(chunks.missing(), None) is None:
                        del waiting[number]
                    else:
                        task = _Task(chunks.cell.job, number, *next(waiting[number]))
                        break
            yield task

    def _take(self, result: Result) -> None:
        """Keep what a worker has made."""
        chunks = self.cells[result.cell]
        self.out[result.cell] -= 1
        if result.outcomes is None:
            self.refused[result.cell] = min(self.refused.get(result.cell, result.refused), result.refused)
            return
        if result.cell in self.refused:
            return
        path = self.run.path / "parts" / _part_name(result.cell, result.first)
        try:
            _write(path, _encoded(chunks.cell, result.first, result.outcomes))
        except OSError as error:
            kept = f"what is finished is kept, go on with: deepcrew resume {self.run.path}"
            reason = f"{error.strerror or error}: {path} cannot be written; {kept}"
            raise OSError(error.errno, reason) from None
        tally = tally_of(result.outcomes, result.first)
        if (short := chunks.found.get(result.first)) is not None:
            self.counts[result.cell] = _total(chunks, result.first)
            self.before[result.cell] -= short.deals
        chunks.found[result.first] = tally
        total = self.counts[result.cell]
        total.add(tally)
        look = None if chunks.cell.until is None else chunks.counted()[1]
        low, high = bounds(chunks.counted()[0] if look else total, look)
        seconds, before = perf_counter() - self.cell_start, self.before[result.cell]
        wanted = max(chunks.wanted(), total.deals)
        self.observer.progress(
            result.cell,
            Progress(
                total.deals, wanted, total.winnable, total.unwinnable, total.undecided, total.by_sat, seconds, low, high, before,
                chunks.cell.until,
            ),
        )  # fmt: skip

    def _tell(self) -> None:
        """Report the cells that are done, in order."""
        while self.told < len(self.cells):
            chunks = self.cells[self.told]
            refused = self.refused.get(self.told)
            if self.out[self.told] or (refused is None and next(chunks.missing(), None) is not None):
                return
            # the chunks of neighbouring cells are decided side by side, so a cell has no time of its own
            rate = None if refused is not None else _rate(chunks)
            self.observer.cell_done(chunks.cell, rate if rate is not None else refused or "no deals")
            self.told += 1
            self.cell_start = perf_counter()


def _total(chunks: _Chunks, without: int = -1) -> Tally:
    total = Tally()
    for start, tally in chunks.found.items():
        if start != without:
            total.add(tally)
    return total


# Choosing deals.


def parse_where(text: str) -> Where:
    """Read ``verdict=unwinnable`` or ``nodes>1000``. Raises InputError, naming what can be written."""
    match = re.fullmatch(r"\s*(\w+)\s*(!=|<=|>=|=|<|>)\s*(.+?)\s*", text)
    if not match:
        raise InputError(f"malformed --where {text!r}: write a column, one of = != < <= > >= and a value, such as verdict=unwinnable")
    column, sign, value = match.groups()
    if column not in COLUMNS:
        raise InputError(f"unknown column {column!r} in --where {text!r}: the columns are {', '.join(COLUMNS)}")
    words = {"verdict": VERDICTS, "decided_by": WAYS, "gained": ("true", "false")}.get(column)
    if words is not None:
        if value not in words:
            raise InputError(f"unknown {column} {value!r} in --where {text!r}: it is {' or '.join(words)}")
        if sign not in ("=", "!="):
            raise InputError(f"{column} is not compared by {sign!r} in --where {text!r}: write = or !=")
        return Where(column, sign, value == "true" if column == "gained" else value)
    try:
        return Where(column, sign, float(value) if column == "chance" else int(value.replace("_", "")))
    except ValueError:
        raise InputError(f"{column} is a number, not {value!r}, in --where {text!r}") from None


# Comparisons.


@dataclass(frozen=True)
class Comparison:
    """Two cells on the deals they share, or one cell with its distress signal and without (``other`` None).

    Of ``deals`` pairs ``both`` are winnable in both, ``one_only`` in the first only, ``other_only`` in the second only, and
    ``neither`` in none; ``undecided`` in at least one of them. ``difference`` is the share winnable in the first less that in
    the second, with its paired 95% interval by Tango (1998), widened by what is undecided.
    """

    one: Cell
    other: Cell | None
    deals: int
    both: int
    one_only: int
    other_only: int
    neither: int
    undecided: int
    difference: float
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        """The comparison, ready for ``json.dumps``."""
        value = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**value, "one": self.one.number, "other": None if self.other is None else self.other.number}


def pairs(run: Run) -> list[tuple[int, int | None]]:
    """The comparisons that suggest themselves: every cell with the first that has its deals, that is its players, seed and first
    deal; and every cell with a distress signal with itself without."""
    groups: dict[tuple[int, int, int, int], int] = {}
    found: list[tuple[int, int | None]] = []
    for cell in run.cells:
        leader = groups.setdefault((cell.players, cell.seed, cell.first, cell.load.deck), cell.number)
        if leader != cell.number:
            found.append((leader, cell.number))
        if cell.distress:
            found.append((cell.number, None))
    return found


def compare(run: Run, one: int, other: int | None) -> Comparison:
    """Compare two cells on the deals that both have decided; with ``other`` None, one cell with its signal and without.

    Raises InputError for cells that do not have their deals in common.
    """
    first, second = run.cell(one), None if other is None else run.cell(other)
    if second is None and not first.distress:
        raise InputError(f"cell {one} has no distress signal: name another cell to compare it with")
    if second is not None:
        for name in ("players", "seed"):
            if getattr(first, name) != getattr(second, name):
                values = f"{name} {getattr(first, name)} and {getattr(second, name)}"
                raise InputError(f"cells {one} and {other} do not share their deals: they have {values}")
        if first.load.deck != second.load.deck:
            raise InputError(f"cells {one} and {other} do not share their deals: only one is dealt with the challenge deck")
    table = np.zeros((3, 3), np.int64)
    others = iter(()) if other is None else run.outcomes(other)
    waiting: tuple[int, Any] | None = None
    for start, outcomes in run.outcomes(one):
        verdicts = outcomes.verdict
        if other is None:
            without = np.where(outcomes.gained, VERDICTS.index(UNWINNABLE), verdicts)
            np.add.at(table, (verdicts, without), 1)
            continue
        while True:  # both come in order
            if waiting is None:
                found = next(others, None)
                if found is None:
                    break
                waiting = (found[0], found[1].verdict)
            low, high = max(start, waiting[0]), min(start + len(verdicts), waiting[0] + len(waiting[1]))
            if low < high:
                np.add.at(table, (verdicts[low - start : high - start], waiting[1][low - waiting[0] : high - waiting[0]]), 1)
            if waiting[0] + len(waiting[1]) > start + len(verdicts):
                break
            waiting = None
    return _comparison(first, second, table)


def _comparison(one: Cell, other: Cell | None, table: Any) -> Comparison:
    from .intervals import paired_difference

    win, lose, open_ = VERDICTS.index(WINNABLE), VERDICTS.index(UNWINNABLE), 2
    counts = table.tolist()
    deals = int(table.sum())
    both, one_only, other_only, neither = counts[win][win], counts[win][lose], counts[lose][win], counts[lose][lose]
    if not deals:
        raise InputError("these cells have decided no deals in common yet")
    more_one = counts[win][open_] + counts[open_][lose] + counts[open_][open_]
    more_other = counts[open_][win] + counts[lose][open_] + counts[open_][open_]
    # The estimate leaves out the undecided pairs; the interval has room for all that they can be.
    _, low, high = paired_difference(one_only, other_only, deals, (more_one, more_other))
    undecided = deals - both - one_only - other_only - neither
    known = deals - undecided
    difference = (one_only - other_only) / known if known else 0.0
    return Comparison(one, other, deals, both, one_only, other_only, neither, undecided, difference, low, high)
