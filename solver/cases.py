"""The case: the JSON form of a position, read and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from .cards import FULL_DECK, TRUMP_LETTERS, format_card, format_hand, mask_of, parse_card, parse_hand
from .drafts import check_distribution, default_distribution
from .errors import InputError
from .missions import Mission, check_readings, mission_for_case, read_with
from .positions import CHALLENGE_DECK, DIRECTIONS, LEFT, RIGHT, Exchange, Position, Task, check_game
from .taskcards import EDITIONS, find_task_card
from .tokens import parse_token


def _shown(value: Any) -> str:
    """A value in an error message, short and safe whatever it is."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


_KEYS = (
    "game", "players", "hands", "tasks", "mission", "plays", "distribution", "edition", "challenge", "roles", "takes", "distress", "passes",
    "readings",
)  # fmt: skip
_REMARKS = (
    "id", "seed", "index", "comment", "note", "verdict", "line", "owners", "won_after", "decided_by", "nodes", "ms", "reason",
    "moved", "tokens",
)  # fmt: skip
"""What cases carry besides and what answers to them say: it changes nothing."""


_TWICE = None
"""The key under which an object that has a key twice names it; those of JSON are text."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str | None, Any]:
    found: dict[str | None, Any] = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        found[_TWICE] = next(name for name in names if names.count(name) > 1)
    return found


def _check_once(entry: dict[str | None, Any], where: str) -> None:
    if _TWICE in entry:
        raise InputError(f"the key {entry[_TWICE]!r} stands twice in {where}")


def ignored_keys(case: dict[str, Any]) -> list[str]:
    """The keys of a case that mean nothing here and are no usual remark either, such as an id or a verdict."""
    return [key for key in case if key not in _KEYS and key not in _REMARKS]


def _loads(text: str, first_line: int = 1) -> Any:
    if isinstance(text, str) and any("\udc80" <= letter <= "\udcff" for letter in text):
        raise InputError(f"malformed JSON at line {first_line}: not text in UTF-8")
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise InputError(f"malformed JSON at line {first_line + error.lineno - 1} column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise InputError(f"malformed JSON at line {first_line}: nested too deeply") from None
    except ValueError as error:  # bytes that are no text, numbers of thousands of digits, of which Python says more than we want
        raise InputError(f"malformed JSON at line {first_line}: {str(error).partition(';')[0]}") from None


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
    _check_once(entry, "a task")
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


def parse_columns(text: str) -> tuple[tuple[int, int], ...]:
    """Read a hand of columns, an open card, a slash and the hidden one for each: ``P1/B2 P3/G4``; a card alone lies on none.

    Raises InputError.
    """
    columns = []
    for word in text.replace(",", " ").split():
        shown, slash, hidden = word.partition("/")
        if not shown or (slash and not hidden) or (not slash and len(shown) > 2):
            raise InputError(f"malformed column {word!r}: write an open card, a slash and the hidden one, such as P1/B2")
        columns.append((parse_card(shown), parse_card(hidden) if slash else -1))
    return tuple(columns)


def format_columns(columns: Iterable[tuple[int, int]], game: str) -> str:
    """Columns as ``parse_columns`` reads them."""
    return " ".join("/".join(format_card(card, game) for card in column if card >= 0) for column in columns)


def position_from_case(
    case: Any, *, five_player_rule: bool = True, takes: str = "seeded", readings: Sequence[str] = (), catalogue: Sequence[Mission] = ()
) -> Position:
    """Build a position from a case, an object with ``hands``, ``tasks`` and, where they apply, ``game``,
    ``players``, ``mission``, ``distribution``, ``plays``, ``edition``, ``challenge``, ``roles``, ``takes``, ``distress``,
    ``passes`` and ``readings``. Keys of other kinds (ids, verdicts) are ignored, unless they look like a slip of the pen.

    A task is a card such as ``P9``, in Deep Sea the slug of a task card such as ``win_all_9s``. The goals of the crew
    are those of the mission, ``roles`` the seats of the roles in them that are known. Two ``players`` have three
    hands, one in columns (see ``parse_columns``). ``takes`` are the cards of which, in a mission where cards are taken
    during play, from each hand the first that it holds is taken; without them, or when the argument ``takes`` is not
    ``seeded``, the crew chooses. ``distress`` is left, right or any: a signal before trick 1, in which every seat passes the card
    that ``passes`` says, or the crew chooses. ``readings`` are the names of other readings of the mission's open questions,
    beside those of the argument, which are left out where the mission has none of that name.
    Without ``five_player_rule`` a mission with five players is played as if no task could move. ``catalogue`` are
    missions known beside those of the games.

    Raises InputError when the case is malformed or impossible.
    """
    case = _typed(case, dict, "a case")
    _check_once(case, "a case")
    for key in case:
        likely = get_close_matches(key.lower(), _KEYS, 1, 0.8) if isinstance(key, str) and key not in _KEYS else []
        if likely:
            raise InputError(f"unknown key {key!r} in a case: did you mean {likely[0]!r}?")
    if "hands" not in case:
        raise InputError('a case needs "hands": a list of hands, seat 0 first')
    game = _typed(case.get("game", _game_of(case.get("mission"), catalogue)), str, "game")
    check_game(game)
    hands, columns = _hands_from(case)
    tasks = tuple(_task_from(entry, game) for entry in _typed(case.get("tasks", []), list, "tasks"))
    plays = parse_plays(_typed(case.get("plays", []), list, "plays"))
    edition = _edition_from(case.get("edition"), game)
    distribution = case.get("distribution")
    deck = _deck_from(case, hands)
    own = [_typed(name, str, "a reading") for name in _typed(case.get("readings", []), list, "readings")]
    names = tuple(dict.fromkeys([*own, *readings]))
    mission: Mission | None = None
    if case.get("mission") is not None:
        mission = read_with(mission_for_case(game, case["mission"], len(hands), tasks, edition=edition, extra=catalogue), names)
    check_readings(names, game, [] if mission is None else [mission])
    if mission is not None:
        if distribution not in (None, mission.distribution):
            raise InputError(f"distribution {distribution!r} contradicts {mission.name}, whose distribution is {mission.distribution}")
        distribution = mission.distribution
    if distribution is not None:
        check_distribution(_typed(distribution, str, "distribution"), game)
    return Position(
        hands, tasks, plays, distribution or "", None if mission is None else mission.key, game, deck,
        () if mission is None else mission.crew_goals, edition, _roles_from(case), columns,
        (*_signal_from(case), *_takes_from(case, mission, takes)),
        "" if mission is None else mission.setup,
        mission is not None and mission.five_player_rule and five_player_rule,
        ends_with_tasks=mission is not None and mission.ends_with_tasks,
        readings=names,
        text="" if mission is None else mission.text,
        open_points=() if mission is None else mission.open_points,
    )  # fmt: skip


def _game_of(mission: Any, catalogue: Sequence[Mission]) -> str:
    """The game of a case that does not say it: that of the mission's name."""
    book = mission.partition("/")[0].strip() if isinstance(mission, str) else ""
    return next((own.game for own in catalogue if own.book == book), book if book in TRUMP_LETTERS else "planet-nine")


def _hands_from(case: dict[str, Any]) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """The hands, and the columns of that which is written in them."""
    hands: list[int] = []
    columns: tuple[tuple[int, int], ...] = ()
    for text in _typed(case["hands"], list, "hands"):
        if "/" in _typed(text, str, "a hand"):
            if columns:
                raise InputError("two hands are written in columns: only the third hand of two players is")
            columns = parse_columns(text)
            hands.append(mask_of(card for column in columns for card in column if card >= 0))
        else:
            hands.append(parse_hand(text))
    players = case.get("players")
    seats = len(hands)
    if players is not None and _typed(players, int, "players") != (seats - 1 if columns else seats):
        if players == 2 and not columns:
            raise InputError("two players have a third hand in columns: write an open card, a slash and the hidden one, such as P1/B2")
        raise InputError(f"players is {players}, but {seats} hands are given{', one of them in columns' if columns else ''}")
    return tuple(hands), columns


def _deck_from(case: dict[str, Any], hands: Sequence[int]) -> int:
    """The deck: that of the challenge where the case says so, or has just its cards."""
    challenge = case.get("challenge")
    if challenge is None:
        challenge = len(hands) == 3 and sum(hands) == CHALLENGE_DECK
    elif not isinstance(challenge, bool):
        raise InputError(f"challenge must be true or false, not {_shown(challenge)}")
    elif challenge and case.get("game", "planet-nine") != "planet-nine":
        raise InputError("the challenge deck belongs to planet-nine")
    elif challenge and len(hands) != 3:
        raise InputError(f"the challenge deck is for three hands, but {len(hands)} are given")
    return CHALLENGE_DECK if challenge else FULL_DECK


def _roles_from(case: dict[str, Any]) -> tuple[tuple[str, int], ...]:
    roles = _typed(case.get("roles", {}), dict, "roles")
    return tuple((name, _typed(seat, int, f"the seat of the {name}")) for name, seat in roles.items())


def _cards_from(value: Any, what: str) -> tuple[int, ...]:
    words = value.replace(",", " ").split() if isinstance(value, str) else _typed(value, list, what)
    cards = tuple(parse_card(_typed(word, str, f"a card of {what}")) for word in words)
    for card in cards:
        if cards.count(card) > 1:
            raise InputError(f"duplicate card {format_card(card)} in {what}")
    return cards


def _signal_from(case: dict[str, Any]) -> tuple[Exchange, ...]:
    direction, passes = case.get("distress"), case.get("passes")
    if direction is None:
        if passes is not None:
            raise InputError("passes need a distress signal: say to which side it goes, left or right")
        return ()
    if not isinstance(direction, str) or direction not in DIRECTIONS:
        raise InputError(f"unknown distress {_shown(direction)}: it is left, right or any")
    cards = () if passes is None else _cards_from(passes, "passes")
    if passes is not None and len(cards) != len(case["hands"]):
        raise InputError(f"{len(cards)} cards are passed: every one of {len(case['hands'])} seats passes one")
    for seat, (card, hand) in enumerate(zip(cards, _hands_from(case)[0], strict=False)):
        if not hand >> card & 1:
            raise InputError(f"passes: seat {seat} passes {format_card(card)}, which it does not hold")
    return (Exchange(0, DIRECTIONS[direction], cards),)


def _takes_from(case: dict[str, Any], mission: Mission | None, takes: str) -> tuple[Exchange, ...]:
    if mission is None or not mission.events:
        if case.get("takes") is not None:
            raise InputError("takes belong to a mission in which cards are taken during play, such as planet-nine/12")
        return ()
    event = mission.events[0]
    order = () if takes != "seeded" or case.get("takes") is None else _cards_from(case["takes"], "takes")
    return (Exchange(event.after_trick, LEFT if event.source == "right" else RIGHT, order),)


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
        "players": position.players - bool(position.columns),
        "hands": [hand_text(position, hand) for hand in position.hands],
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
    if position.deck == CHALLENGE_DECK:
        case["challenge"] = True
    if position.readings:
        case["readings"] = list(position.readings)
    if position.roles:
        case["roles"] = dict(position.roles)
    for exchange in position.exchanges:
        cards = " ".join(format_card(card, position.game) for card in exchange.order)
        if exchange.after == 0:
            case["distress"] = next(name for name, to in DIRECTIONS.items() if to == exchange.to)
        if cards:
            case["takes" if exchange.after else "passes"] = cards
    if position.plays:
        case["plays"] = [" ".join(format_card(card, position.game) for card in trick) for trick in position.plays]
    return case


def hand_text(position: Position, hand: int) -> str:
    """A hand of the position in notation, that of columns as columns."""
    mine = [column for column in position.columns if hand >> column[0] & 1]
    return format_columns(mine, position.game) if mine else format_hand(hand, position.game)


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
