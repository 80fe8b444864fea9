"""Missions that a designer writes: files in the schema of ``data``, read with every fault named by its line.

A file ``my.toml`` names a game, and its missions are called ``my/1``, ``my/2`` and so on. What may be left out there, and what
the keys mean, is explained in ``docs/goals.md``. Refuses to know what a rule means in play.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .contradictions import Setting, contradictions, possible_somewhere, settings_of
from .drafts import DEEP_SEA, PLANET_NINE, default_distribution
from .errors import DataError, InputError
from .missions import GAMES, Mission, mission_from
from .schema import Faults, check_choice, check_table
from .taskcards import load_task_cards
from .toml_lines import find_line, lines_of

_FILE = {"game": str, "mission": [dict]}
_ONLY_IN = {"planet-nine": ("tokens", "setup", "five_player_rule", "challenge", "jarvis"), "deep-sea": ("difficulty", "task_cards")}
HARDEST = 25
"""The highest difficulty that can be drawn, as in ``loads.py``, which takes long to import."""


@dataclass(frozen=True)
class Report:
    """What a check of a file has found: its missions, as far as they are sound; the errors, each one sentence that begins with
    file and line; notes on missions that cannot be won with some numbers of players."""

    missions: tuple[Mission, ...]
    errors: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_mission_files(paths: Sequence[str | Path]) -> tuple[Mission, ...]:
    """The missions of several files. Raises InputError as ``read_mission_file``, and for two files of one name."""
    missions: list[Mission] = []
    for path in paths:
        found = read_mission_file(path)
        if any(mission.book == found[0].book for mission in missions):
            raise InputError(f"two mission files are called {found[0].book!r}: their missions would have the same names")
        missions += found
    return tuple(missions)


def read_mission_file(path: str | Path) -> tuple[Mission, ...]:
    """The missions of a file, in its order, named by the stem of the file: ``my/1`` of ``my.toml``.

    Raises InputError for a file that cannot be read or whose name no mission can have, for the first fault in it, and for a
    mission that is proved impossible with any number of players.
    """
    read = _read(path)
    for place, mission in enumerate(read.missions):
        if not read.errors and not possible_somewhere(mission):
            return _raise(_contradictory(read, place, contradictions(mission))[0])
    return _raise(read.errors[0]) if read.errors else read.missions


def _raise(error: str) -> tuple[Mission, ...]:
    raise InputError(error)


def check_mission_file(path: str | Path) -> Report:
    """Everything that is wrong with a file, contradictions among the goals of its missions included.

    Raises InputError for a file that cannot be read at all or whose name no mission can have.
    """
    read = _read(path)
    errors, notes = list(read.errors), list[str]()
    for place, mission in enumerate(read.missions):
        late = [setting.name for event in mission.events for setting in settings_of(mission) if event.after_trick >= setting.tricks]
        if late:
            message = f"events[0]: after_trick {mission.events[0].after_trick} is never over before the end with {' or '.join(late)}"
            notes.append(read.about(read.places[place], f"mission {mission.number}", message))
        found = contradictions(mission)
        if found:
            (errors if len(found) == len(settings_of(mission)) else notes).extend(_contradictory(read, place, found))
    return Report(read.missions, tuple(errors), tuple(notes))


@dataclass(frozen=True)
class _Read:
    path: str
    lines: Mapping[tuple[str | int, ...], int]
    missions: tuple[Mission, ...]
    places: tuple[int, ...]
    errors: tuple[str, ...]

    def about(self, block: int, mission: str, message: str) -> str:
        """The message with file and line before it; ``block`` counts the [[mission]] blocks from 0."""
        return f"{self.path}, line {find_line(self.lines, ('mission', block), message)}: {mission}: {message}"


def _contradictory(read: _Read, place: int, found: Mapping[Setting, str]) -> list[str]:
    """Why a mission is impossible: one sentence if it always is, else one for each reason, with the numbers of players."""
    mission, reasons = read.missions[place], list(dict.fromkeys(found.values()))
    sentences = [f"{reason}, so nobody can win it {_with(found, reason)}" for reason in reasons]
    if len(found) == len(settings_of(mission)):
        first = next(iter(found)).name
        more = f" with {first}, and other numbers do not help" if len(reasons) > 1 else ""
        sentences = [f"{reasons[0]}{more}, so nobody can ever win it"]
    return [read.about(read.places[place], f"mission {mission.number}", sentence) for sentence in sentences]


def _with(found: Mapping[Setting, str], reason: str) -> str:
    return f"with {' or '.join(setting.name for setting in found if found[setting] == reason)}"


def _read(path: str | Path) -> _Read:
    """Read a file, gathering what is wrong in it. Raises InputError when it cannot be read or is not TOML."""
    book, text = _book(path), _text(path)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, at = re.sub(r" \(at .*\)$", "", str(error)), re.search(r"line (\d+), column (\d+)", str(error))
        line = at[1] if at else str(text.rstrip().count("\n") + 1)
        raise InputError(f"{path}, line {line}: this is not TOML: {what}" + (f" (column {at[2]})" if at else "")) from None
    lines = lines_of(text)
    faults = Faults()
    with faults:
        check_table(table, _FILE, {"game"}, "the file")
    with faults:
        check_choice(table if type(table.get("game")) is str else {}, "game", GAMES, "the file")
    if "mission" not in table and not faults.errors:
        raise InputError(f"{path}: there is no [[mission]] in this file: each mission is a block that begins with that line")
    errors = []
    for fault in faults.errors:
        message = str(fault).removeprefix("the file: ")
        errors.append(f"{path}, line {find_line(lines, (), message)}: {message}")
    missions: list[Mission] = []
    places: list[int] = []
    read = _Read(str(path), lines, (), (), ())
    entries = table.get("mission", []) if not errors else []
    for place, entry in enumerate(entries):
        where = f"mission {entry['number']}" if type(entry.get("number")) is int else f"mission block {place + 1}"
        faults = Faults()
        with faults:
            mission = _mission(entry, table["game"], where)
            if any(mission.number == earlier.number for earlier in missions):
                raise DataError(f"{where}: number {mission.number} is taken by an earlier mission")
            missions.append(replace(mission, book=book, file=f"{path}, {where}"))
            places.append(place)
        errors += [read.about(place, where, str(fault).removeprefix(f"{where}: ")) for fault in faults.errors]
    return replace(read, missions=tuple(missions), places=tuple(places), errors=tuple(dict.fromkeys(errors)))


def _mission(entry: dict[str, Any], game: str, where: str) -> Mission:
    """The mission of a block, with what may be left out in it. Raises DataError or ManyFaults."""
    faults = Faults()
    other = GAMES[1 - GAMES.index(game)]
    for key in _ONLY_IN[other]:
        with faults:
            if key in entry:
                raise DataError(f"{where}: {key} belongs to {other}, and the game of this file is {game}")
    with faults:
        if game == "deep-sea" and entry.get("tasks"):
            raise DataError(f"{where}: tasks must be 0 in deep-sea: its task cards are drawn to a difficulty, or named in task_cards")
    with faults:
        check_choice(entry, "distribution", PLANET_NINE if game == "planet-nine" else DEEP_SEA, where)
    with faults:
        if type(entry.get("difficulty")) is int and entry["difficulty"] > HARDEST:
            raise DataError(f"{where}: difficulty must be at most {HARDEST}, not {entry['difficulty']}")
    has_tasks = bool(entry.get("tasks") or entry.get("task_cards") or "difficulty" in entry)
    usual: dict[str, Any] = {"end": "tasks" if has_tasks else "full-hand"}
    if has_tasks:
        usual["distribution"] = default_distribution(game)
    elif not any(key in entry for key in ("tasks", "task_cards", "difficulty")) and "crew_goals" in entry:
        usual["tasks"] = 0
    mission = None
    slugs = [card.slug for card in load_task_cards()] if game == "deep-sea" else []
    with faults:
        mission = mission_from({**usual, **entry}, game, slugs, where)
        for question in mission.open_questions:
            for reading in question.alternatives:
                with faults:
                    _read_as(mission, reading.name, where)
    faults.check()
    assert mission is not None
    return mission


def _read_as(mission: Mission, name: str, where: str) -> None:
    """Try another reading of a mission. Raises a DataError that names it."""
    try:
        mission.read_as(name)
    except DataError as error:
        raise DataError(f"{where}: open: reading {name!r}: {str(error).removeprefix(f'{where}: ')}") from None


def _book(path: str | Path) -> str:
    """The first half of the names of a file's missions. Raises InputError when that cannot be typed, or is taken."""
    stem = Path(path).stem
    if stem in GAMES:
        raise InputError(f"a mission file cannot be called {stem!r}: that is the name of a game; give it another name than {str(path)!r}")
    if not re.fullmatch(r"[^\W\d][\w.-]*", stem):
        raise InputError(
            f"a mission file cannot be called {stem!r}, for its missions would be named {stem}/1: "
            "its name must begin with a letter and have letters, digits, '-', '_' and '.' only"
        )
    return stem


def _text(path: str | Path) -> str:
    """What is in the file. Raises InputError when it cannot be read."""
    try:
        data = Path(path).read_bytes()
    except IsADirectoryError:
        raise InputError(f"{str(path)!r} is a directory: a mission file is a file in TOML") from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the mission file {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: this is not text in UTF-8, as TOML must be") from None
    if not text.strip():
        raise InputError(f"{path}: the file is empty: a mission file names a game and has [[mission]] blocks")
    return text
