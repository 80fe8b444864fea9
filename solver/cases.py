"""The case: the JSON form of a position, read and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from .cards import format_card, format_hand, parse_card, parse_hand
from .drafts import check_distribution, default_distribution
from .errors import InputError
from .goals import CrewGoal
from .positions import Position, Task, check_game
from .taskcards import EDITIONS, find_task_card
from .tokens import parse_token


def _shown(value: Any) -> str:
    """A value in an error message, short and safe whatever it is."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


_KEYS = ("game", "players", "hands", "tasks", "mission", "plays", "distribution", "edition")


def _loads(text: str, first_line: int = 1) -> Any:
    if isinstance(text, str) and any("\udc80" <= letter <= "\udcff" for letter in text):
        raise InputError(f"malformed JSON at line {first_line}: not text in UTF-8")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"malformed JSON at line {first_line + error.lineno - 1} column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise InputError(f"malformed JSON at line {first_line}: nested too deeply") from None
    except ValueError as error:  # bytes that are no text, numbers of thousands of digits
        raise InputError(f"malformed JSON at line {first_line}: {error}") from None


def _typed(value: Any, kind: type, what: str) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        names = {str: "a string", int: "a whole number", list: "a list", dict: "an object"}
        raise InputError(f"{what} must be {names[kind]}, not {_shown(value)}")
    return value


def parse_plays(tricks: Iterable[str]) -> tuple[tuple[int, ...], ...]:
    """Read tricks written as cards in play order: ``["P1 P4 P9 P3", "B2 B8"]``."""
    return tuple(tuple(parse_card(card) for card in _typed(trick, str, "a trick of plays").split()) for trick in tricks)


def _task_from(entry: Any, game: str) -> Task:
    entry = {"task": entry} if isinstance(entry, str) else _typed(entry, dict, "a task")
    if unknown := set(entry) - {"task", "owner", "token"}:
        raise InputError(f"unknown key {min(unknown, key=str)!r} in a task: its keys are task, owner and token")
    if "task" not in entry:
        raise InputError(f'a task needs its card: {_shown(entry)} has no "task"')
    owner, token = entry.get("owner"), entry.get("token")
    card = _typed(entry["task"], str, "a task card")
    return Task(
        find_task_card(card).slug if game == "deep-sea" else parse_card(card),
        None if owner is None else _typed(owner, int, "an owner"),
        None if token is None else parse_token(str(token if type(token) is int else _typed(token, str, "a token"))),
    )


def position_from_case(case: Any, *, five_player_rule: bool = True) -> Position:
    """Build a position from a case, an object with ``hands``, ``tasks`` and, where they apply, ``game``,
    ``players``, ``mission``, ``distribution``, ``plays`` and ``edition``. Keys of other kinds (ids, verdicts) are ignored,
    unless they look like a slip of the pen.
    A task is a card such as ``P9``, in Deep Sea the slug of a task card such as ``win_all_9s``. The goals of the crew
    are those of the mission.
    Without ``five_player_rule`` a mission with five players is played as if no task could move.

    Raises InputError when the case is malformed, impossible, or names a mission whose rules are not built.
    """
    from .missions import mission_for_case

    case = _typed(case, dict, "a case")
    for key in case:
        likely = get_close_matches(key, _KEYS, 1, 0.8) if isinstance(key, str) and key not in _KEYS else []
        if likely:
            raise InputError(f"unknown key {key!r} in a case: did you mean {likely[0]!r}?")
    if "hands" not in case:
        raise InputError('a case needs "hands": a list of hands, seat 0 first')
    game = _typed(case.get("game", "planet-nine"), str, "game")
    check_game(game)
    hands = tuple(parse_hand(_typed(hand, str, "a hand")) for hand in _typed(case["hands"], list, "hands"))
    players = case.get("players")
    if players is not None and _typed(players, int, "players") != len(hands):
        raise InputError(f"players is {players}, but {len(hands)} hands are given")
    tasks = tuple(_task_from(entry, game) for entry in _typed(case.get("tasks", []), list, "tasks"))
    plays = parse_plays(_typed(case.get("plays", []), list, "plays"))
    edition = _edition_from(case.get("edition"), game)
    distribution, mission = case.get("distribution"), case.get("mission")
    crew: tuple[CrewGoal, ...] = ()
    if mission is not None:
        rules = mission_for_case(game, mission, len(hands), tasks, five_player_rule, edition)
        if distribution not in (None, rules.distribution):
            raise InputError(f"distribution {distribution!r} contradicts {rules.name}, whose distribution is {rules.distribution}")
        distribution, mission, crew = rules.distribution, rules.number, rules.crew_goals
    if distribution is not None:
        check_distribution(_typed(distribution, str, "distribution"), game)
    return Position(hands, tasks, plays, distribution or "", mission, game, crew=crew, edition=edition)


def _edition_from(value: Any, game: str) -> str | None:
    if value is None:
        return None
    if game != "deep-sea":
        raise InputError(f"edition {_shown(value)} does not go with {game}: only prints of deep-sea differ")
    if _typed(value, str, "edition") not in EDITIONS:
        raise InputError(f"unknown edition {_shown(value)}: it is {' or '.join(EDITIONS)}, or is left out for the usual print")
    return str(value)


def parse_case(text: str, *, five_player_rule: bool = True) -> Position:
    """Read one case from JSON text, as ``position_from_case`` does. Raises InputError."""
    return position_from_case(_loads(text), five_player_rule=five_player_rule)


def case_from_position(position: Position) -> dict[str, Any]:
    """The case of a position, ready for ``json.dumps``. Goals of the crew are written as the mission they belong to."""
    case: dict[str, Any] = {
        "game": position.game,
        "players": position.players,
        "hands": [format_hand(hand, position.game) for hand in position.hands],
        "tasks": [
            {"task": task.name(position.game)}
            | ({} if task.owner is None else {"owner": task.owner})
            | ({} if task.token is None else {"token": task.token})
            for task in position.tasks
        ],
    }
    if position.mission is not None:
        case["mission"] = position.mission
    elif position.distribution != default_distribution(position.game):
        case["distribution"] = position.distribution
    if position.edition is not None:
        case["edition"] = position.edition
    if position.plays:
        case["plays"] = [" ".join(format_card(card, position.game) for card in trick) for trick in position.plays]
    return case


def read_cases(text: str) -> Iterator[tuple[int, Any]]:
    """Split a file into cases: (line number, case or InputError), for one JSON document or JSON lines.

    A malformed line does not stop the others: its InputError is yielded in its place. Bytes that are no UTF-8 are
    taken as ``surrogateescape`` leaves them.
    """
    try:
        whole = _loads(text)
    except InputError:
        pass
    else:
        yield from ((1, case) for case in (whole if isinstance(whole, list) else [whole]))
        return
    for number, line in enumerate(text.split("\n"), start=1):  # splitlines would also split inside JSON strings
        if line.strip():
            try:
                yield number, _loads(line, number)
            except InputError as error:
                yield number, error
