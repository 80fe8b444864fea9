"""The missions: read from the data files, checked, found by name and put into words.

Knows what a mission asks for, as data. Refuses to know how any rule is played or searched: that is the referee's and the
kernels'. The keys of a mission are explained at the top of the files in ``data`` and, for those who write missions of their
own (``mission_files.py``), in ``docs/goals.md``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from .cards import FULL_DECK, RANKS
from .drafts import DISTRIBUTIONS
from .errors import DataError, InputError
from .goals import CrewGoal, GoalForm, Role, goal_form
from .positions import SETUPS, Task
from .schema import Faults, card_set, check_at_least, check_at_most, check_choice, check_table, nearest, sound_part
from .taskcards import find_task_card, load_task_cards
from .tokens import TOKENS, check_tokens

GAMES = ("planet-nine", "deep-sea")
"""The games whose missions are known."""
COMMUNICATION_MODES = ("normal", "dead-zone", "disruption", "currents", "rapture", "unknown-terrain", "none")
ENDS = ("tasks", "goal", "full-hand", "last-trick")
TASK_CARDS = 4 * RANKS
TRICKS = 13
"""The most that are played, with three players."""


@dataclass(frozen=True)
class Communication:
    """How the crew may communicate: the mode, the first trick before which it may, the role that may not, and the limit
    that comes with tasks which the captain has passed on."""

    mode: str = "normal"
    from_trick: int = 1
    muted: str | None = None
    passed_on: str | None = None


@dataclass(frozen=True)
class Event:
    """Something that happens during play: every member takes a card, unseen, from the neighbour named by ``source``."""

    kind: str
    after_trick: int
    source: str


@dataclass(frozen=True)
class Reading:
    """Another reading of an open question: its ``name``, what it says, and the keys of a mission that are different then."""

    name: str
    text: str
    change: tuple[tuple[str, Any], ...] = field(default=(), hash=False)


@dataclass(frozen=True)
class OpenQuestion:
    """A point the rules leave open: our reading and the others. ``read_as`` is the name of the other reading chosen."""

    question: str
    default: str
    alternatives: tuple[Reading, ...]
    read_as: str | None = None

    @property
    def reading(self) -> str:
        """The reading that is used, in words."""
        return next((other.text for other in self.alternatives if other.name == self.read_as), self.default)


@dataclass(frozen=True)
class Variant:
    """A way to play a mission: against a clock of so many ``seconds``, or without (None), and what goes with it."""

    name: str
    difficulty: int | None
    seconds: int | None
    communication: Communication


@dataclass(frozen=True)
class Mission:
    """One mission. ``tokens`` lie on the first tasks drawn, in order; ``distribution`` is None without tasks.

    In Deep Sea a mission with a ``difficulty`` draws task cards until theirs sum to it, so their number is not fixed
    and ``tasks`` is 0; one with ``task_cards`` always has those, by slug. ``crew_goals`` are goals of the whole crew in the
    vocabulary of the task cards, ``roles`` the members they speak about, ``setup`` what the crew may do with the
    tokens before the draft, ``events`` what happens during play. ``seconds`` is the time limit, ``variants``
    are the ways to play when there is a choice, this mission itself being the first. ``by_players`` says what a number
    of players means for it. ``source`` is its block in the file, from which other readings are made. ``book`` is the first
    half of its name where that is not the game: the name of the file that a designer wrote it in.
    """

    game: str
    number: int
    tasks: int
    tokens: tuple[str, ...]
    distribution: str | None
    communication: Communication
    roles: tuple[Role, ...]
    setup: str
    events: tuple[Event, ...]
    end: str
    five_player_rule: bool
    text: str
    note: str
    challenge: str
    jarvis: str
    open_questions: tuple[OpenQuestion, ...]
    difficulty: int | None = None
    task_cards: tuple[str, ...] = ()
    crew_goals: tuple[CrewGoal, ...] = ()
    seconds: int | None = None
    variants: tuple[Variant, ...] = ()
    by_players: tuple[tuple[int, str], ...] = ()
    file: str = ""
    source: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False, hash=False)
    book: str = ""

    @property
    def ends_with_tasks(self) -> bool:
        """Whether the goals of the crew have to hold when the last task is completed, not when the last trick is over."""
        return self.end == "tasks" and bool(self.crew_goals)

    @property
    def name(self) -> str:
        """The name a user types: ``planet-nine/12``, or ``my/3`` for the third mission of ``my.toml``."""
        return f"{self.book or self.game}/{self.number}"

    @property
    def key(self) -> int | str:
        """What a case says of it beside its game: the number, or the name of a mission that is of no game."""
        return self.name if self.book else self.number

    @property
    def readings(self) -> tuple[str, ...]:
        """The names of the other readings that it follows."""
        return tuple(question.read_as for question in self.open_questions if question.read_as is not None)

    @property
    def open_points(self) -> tuple[str, ...]:
        """What the rules leave open, each with the reading used here, in a sentence or two."""
        return tuple(f"{question.question} Here: {question.reading}." for question in self.open_questions)

    @property
    def special(self) -> bool:
        """Whether it has a rule beyond its tasks, their distribution and communication."""
        return bool(self.roles or self.crew_goals or self.events or self.setup)

    def variant(self, name: str) -> Mission:
        """The mission played in the variant of this name. Raises InputError when it has none of that name."""
        for variant in self.variants:
            if variant.name == name:
                return replace(self, difficulty=variant.difficulty, seconds=variant.seconds, communication=variant.communication)
        raise InputError(f"{self.name} has no variant {name!r}{nearest(name, [variant.name for variant in self.variants])}")

    def read_as(self, name: str) -> Mission:
        """The mission with another reading of one of its open questions. Raises InputError when it has none of that name."""
        for question in self.open_questions:
            for reading in question.alternatives:
                if reading.name == name:
                    slugs = [card.slug for card in load_task_cards()] if self.task_cards else []
                    changed = mission_from({**self.source, **dict(reading.change)}, self.game, slugs, self.file)
                    if self.variants and self.seconds is None:
                        changed = changed.variant("untimed")
                    questions = tuple(replace(one, read_as=name) if one is question else one for one in self.open_questions)
                    return replace(changed, open_questions=questions, book=self.book)
        known = [reading.name for question in self.open_questions for reading in question.alternatives]
        raise InputError(f"{self.name} has no reading {name!r}{nearest(name, known)}")


@dataclass(frozen=True)
class Deck:
    """Who holds how many cards. ``without`` is the card set taken out; ``variant`` is None for the base game."""

    players: int
    hands: tuple[int, ...]
    tricks: int
    unplayed: int
    variant: str | None
    without: int


# The schema: for every table its keys with their types ([str] is a list of strings), and which of them it must have.

_FILE = {"game": str, "task": [dict], "open": [dict], "deck": [dict], "mission": [dict]}
_DECK = {"players": int, "hands": [int], "tricks": int, "unplayed": int, "variant": str, "without": str}
_MISSION = {
    "number": int, "tasks": int, "tokens": [str], "distribution": str, "communication": dict, "end": str, "five_player_rule": bool,
    "text": str, "note": str, "challenge": str, "jarvis": str,
    "roles": [dict], "setup": str, "events": [dict], "open": [dict],
    "difficulty": int, "task_cards": [str], "crew_goals": [dict], "seconds": int, "untimed": dict, "by_players": dict,
}  # fmt: skip
_COMMUNICATION = {"mode": str, "from_trick": int, "muted": str, "passed_on": str}
_ROLE = {"name": str, "by": str, "among": str, "answers": [str], "left_of": str, "as_dealt": bool}
_EVENT = {"kind": str, "after_trick": int, "from": str}
_CREW_GOAL = {"who": str, "goal": object}
_UNTIMED = {"difficulty": int, "communication": dict}
_BY_PLAYERS = {"2": str, "3": str, "4": str, "5": str}
_OPEN = {"question": str, "default": str, "alternatives": [dict]}
_READING = {"name": str, "text": str, "change": dict}

_WHO = ("everyone", "anyone", "together", "captain")
_SOUND_CONDITION = {"count": "tricks", "at_least": 0}


def _deck_from(value: Any, where: str) -> Deck:
    table = check_table(value, _DECK, {"players", "hands", "tricks", "unplayed"}, where)
    check_choice(table, "variant", ("challenge", "jarvis", "tonoja"), where)
    deck = Deck(
        players=table["players"],
        hands=tuple(table["hands"]),
        tricks=table["tricks"],
        unplayed=table["unplayed"],
        variant=table.get("variant"),
        without=card_set(table, "without", where),
    )
    if sum(deck.hands) + deck.without.bit_count() != FULL_DECK.bit_count():
        raise DataError(f"{where}: hands and without must add up to the {FULL_DECK.bit_count()} cards of the deck")
    if sum(deck.hands) != len(deck.hands) * deck.tricks + deck.unplayed:
        raise DataError(f"{where}: unplayed must be the cards that are left after {deck.tricks} tricks of {len(deck.hands)} cards")
    return deck


def _communication_from(value: Any, roles: Collection[str], where: str) -> Communication:
    table = check_table(value, _COMMUNICATION, (), where)
    check_choice(table, "mode", COMMUNICATION_MODES, where)
    check_choice(table, "muted", roles, where)
    check_at_least(table, "from_trick", 2, where)
    check_choice(table, "passed_on", ("before-trick-1",), where)
    mode = table.get("mode")
    if (mode == "disruption") > ("from_trick" in table) or ("from_trick" in table) > (mode in ("disruption", "unknown-terrain")):
        raise DataError(f"{where}: from_trick belongs to mode 'disruption', which needs it, or to 'unknown-terrain'")
    return Communication(**table)


def _role_from(value: Any, where: str) -> Role:
    table = check_table(value, _ROLE, {"name"}, where)
    check_choice(table, "by", ("captain", "crew"), where)
    check_choice(table, "among", ("others", "all"), where)
    if set(table) - {"name", "answers"} != {"by", "among"} and set(table) - {"as_dealt"} != {"name", "left_of"}:
        raise DataError(f"{where}: a role has by and among, or left_of instead")
    if card_set(table, "left_of", where).bit_count() > 1:
        raise DataError(f"{where}: left_of must be one card, not {table['left_of']!r}")
    return Role(**table | {"answers": tuple(table.get("answers", ()))})


def _event_from(value: Any, where: str) -> Event:
    table = check_table(value, _EVENT, _EVENT, where)
    check_choice(table, "kind", ("random-take",), where)
    check_choice(table, "from", ("left", "right"), where)
    check_at_least(table, "after_trick", 1, where)
    check_at_most(table, "after_trick", TRICKS - 1, where)
    return Event(table["kind"], table["after_trick"], table["from"])


def _tokens_from(table: Mapping[str, Any], tasks: int, where: str) -> tuple[str, ...]:
    tokens = tuple(table.get("tokens", ()))
    for token in tokens:
        if token not in TOKENS:
            raise DataError(f"{where}: tokens: unknown token {token!r}: tokens are 1-5, omega and > to >>>>")
    if len(tokens) > tasks:
        raise DataError(f"{where}: tokens: there are {len(tokens)}, but only {tasks} tasks")
    try:
        check_tokens([*tokens, *[None] * (tasks - len(tokens))])
    except InputError as error:
        raise DataError(f"{where}: tokens: {error}") from None
    return tokens


def _roles_from(table: Mapping[str, Any], faults: Faults, where: str) -> tuple[Role, ...]:
    """The roles; one that is wrong is among them with no more than its name, so that the goals can still be checked."""
    roles = []
    for i, entry in enumerate(table.get("roles", ())):
        role = Role(str(entry.get("name", "")))
        with faults:
            role = _role_from(entry, f"{where}: roles[{i}]")
        roles.append(role)
    names = [role.name for role in roles]
    with faults:
        if len(set(names)) < len(names) or set(names) & set(_WHO):
            raise DataError(f"{where}: roles must have different names, none of them {' or '.join(map(repr, _WHO))}")
    return tuple(roles)


def _crew_goals_from(
    table: Mapping[str, Any], roles: Sequence[Role], tokens: Sequence[str], faults: Faults, where: str
) -> tuple[CrewGoal, ...]:
    goals = []
    for i, entry in enumerate(table.get("crew_goals", ())):
        with faults:
            goals.append(_crew_goal_from(entry, roles, tokens, f"{where}: crew_goals[{i}]"))
    chosen = [goal.who for goal in goals if goal.role is not None and goal.role.left_of is None]
    for name in sorted(set(chosen)):
        with faults:
            if chosen.count(name) > 1:
                raise DataError(f"{where}: crew_goals: the {name} has {chosen.count(name)} goals: write them as one, a list of conditions")
    return tuple(goals)


def _crew_goal_from(value: Any, roles: Sequence[Role], tokens: Sequence[str], where: str) -> CrewGoal:
    table = check_table(value, _CREW_GOAL, _CREW_GOAL, where)
    names = {role.name: role for role in roles} | {f"not {role.name}": role for role in roles if role.left_of is not None}
    check_choice(table, "who", (*_WHO, *names), where)
    form = _form(table["goal"], f"{where}: goal")
    for entry in map(dict, form.entries):
        if table["who"] == "together" and ("against" in entry or entry["count"] == "run"):
            raise DataError(f"{where}: goal: the crew together has nobody to compare with and no runs")
        token = str(entry.get("holds", ""))
        if token.startswith("token ") and token.removeprefix("token ") not in tokens:
            raise DataError(f"{where}: goal: holds {token!r}, but no task of the mission carries that token")
    return CrewGoal(table["who"], form, names.get(table["who"]))


def _form(goal: Any, where: str) -> GoalForm:
    """The goal, checked condition by condition, so that every condition that is wrong is named."""
    faults = Faults()
    conditions = goal if isinstance(goal, list) else []
    for i, condition in enumerate(conditions):
        with faults:
            goal_form([_SOUND_CONDITION] * i + [condition], where)
    faults.check()
    return goal_form(goal, where)


def _variants_from(table: Mapping[str, Any], timed: Communication, where: str) -> tuple[Variant, ...]:
    """With and without a clock, for a mission that has one."""
    if "untimed" not in table:
        return ()
    check_table(table["untimed"], _UNTIMED, (), f"{where}: untimed")
    check_at_least(table["untimed"], "difficulty", 1, f"{where}: untimed")
    difficulty, untimed = table.get("difficulty"), timed
    if "communication" in table["untimed"]:
        untimed = _communication_from(table["untimed"]["communication"], (), f"{where}: untimed: communication")
    return (
        Variant("timed", difficulty, table.get("seconds"), timed),
        Variant("untimed", table["untimed"].get("difficulty", difficulty), None, untimed),
    )


def _check_tasks(table: Mapping[str, Any], slugs: Collection[str], where: str) -> None:
    """A mission has a number of tasks, or task cards drawn up to a difficulty, or the task cards it names."""
    ways = [key for key in ("tasks", "difficulty", "task_cards") if key in table]
    if not ways:
        raise DataError(f"{where}: key 'tasks' is missing, or 'difficulty' or 'task_cards' instead of it")
    if len(ways) > 1:
        raise DataError(f"{where}: {ways[1]} does not go with {ways[0]}")
    if not 0 <= table.get("tasks", 0) <= TASK_CARDS:
        raise DataError(f"{where}: tasks must be 0 to {TASK_CARDS}, not {table['tasks']}")
    check_at_least(table, "difficulty", 1, where)
    for slug in table.get("task_cards", ()):
        check_choice({"task_cards": slug}, "task_cards", slugs, where)
    if len(set(table.get("task_cards", "1"))) != len(table.get("task_cards", "1")) or not table.get("task_cards", "1"):
        raise DataError(f"{where}: task_cards must name different task cards, at least one")


def _check_setup(table: Mapping[str, Any], tokens: Sequence[str], tasks: int, where: str) -> None:
    setup = table.get("setup")
    if setup == "swap-two-tokens" and len(tokens) < 2:
        raise DataError(f"{where}: setup {setup!r} needs two tokens, but there {_is(len(tokens))}")
    if setup == "move-token" and not 0 < len(tokens) < tasks:
        raise DataError(f"{where}: setup {setup!r} needs a task with a token and one without, but {len(tokens)} of {tasks} tasks have one")


def _is(number: int) -> str:
    return f"{'is' if number == 1 else 'are'} {number}"


def _check_together(table: Mapping[str, Any], has_tasks: bool, where: str) -> None:
    """What has to go together in a mission: tasks and distribution, an end and what it waits for, a clock and its absence."""
    faults = Faults()
    with faults:
        if ("distribution" in table) != has_tasks:
            raise DataError(f"{where}: distribution belongs to missions with tasks, and those need it")
    with faults:
        if ("seconds" in table) != ("untimed" in table):
            raise DataError(f"{where}: seconds and untimed go together")
    crew_goals = bool(table.get("crew_goals"))
    with faults:
        if not has_tasks and not crew_goals:
            raise DataError(f"{where}: crew_goals must not be empty without tasks")
    with faults:
        if (table["end"] == "tasks" and not has_tasks) or (table["end"] == "goal" and not crew_goals):
            raise DataError(f"{where}: end {table['end']!r} needs {'tasks' if table['end'] == 'tasks' else 'crew_goals'}")
    faults.check()


def _open_from(value: Any, where: str) -> OpenQuestion:
    table = check_table(value, _OPEN, _OPEN, where)
    readings = []
    for i, entry in enumerate(table["alternatives"]):
        check_table(entry, _READING, {"name", "text"}, f"{where}: alternatives[{i}]")
        readings.append(Reading(entry["name"], entry["text"], tuple(sorted(entry.get("change", {}).items()))))
    return OpenQuestion(table["question"], table["default"], tuple(readings))


def mission_from(table: Any, game: str, slugs: Collection[str], where: str) -> Mission:
    """The mission that a block describes; ``slugs`` are the task cards there are.

    Raises DataError, or ManyFaults of all that can be told apart, each beginning with ``where``.
    """
    faults = Faults()
    with faults:
        check_table(table, _MISSION, {"number", "end"}, where)
    incomplete = bool(faults.errors)
    table = sound_part(table, _MISSION)
    tasks = table.get("tasks", len(table.get("task_cards", ())))
    has_tasks = tasks > 0 or "difficulty" in table
    tokens: tuple[str, ...] = ()
    with faults:
        check_at_least(table, "number", 1, where)
    with faults:
        check_choice(table, "distribution", DISTRIBUTIONS, where)
    with faults:
        check_choice(table, "end", ENDS, where)
    with faults:
        check_at_least(table, "seconds", 1, where)
    with faults:
        check_choice(table, "setup", SETUPS, where)
    if not incomplete:
        before = len(faults.errors)
        with faults:
            _check_tasks(table, slugs, where)
        if len(faults.errors) == before:
            with faults:
                tokens = _tokens_from(table, tasks, where)
            with faults:
                _check_setup(table, tokens, tasks, where)
            with faults:
                _check_together(table, has_tasks, where)
    roles = _roles_from(table, faults, where)
    crew_goals = _crew_goals_from(table, roles, table.get("tokens", ()), faults, where)
    events = []
    for i, entry in enumerate(table.get("events", ())):
        with faults:
            events.append(_event_from(entry, f"{where}: events[{i}]"))
    with faults:
        if len(events) > 1:
            raise DataError(f"{where}: events: there are {len(events)}, but one is the most that can be played")
    communication = Communication()
    variants: tuple[Variant, ...] = ()
    with faults:
        names = [role.name for role in roles]
        communication = _communication_from(table.get("communication", {}), names, f"{where}: communication")
    with faults:
        variants = _variants_from(table, communication, where)
    by_players: Mapping[str, str] = {}
    with faults:
        by_players = check_table(table.get("by_players", {}), _BY_PLAYERS, (), f"{where}: by_players")
    questions = []
    for i, entry in enumerate(table.get("open", ())):
        with faults:
            questions.append(_open_from(entry, f"{where}: open[{i}]"))
    with faults:
        known = [reading.name for question in questions for reading in question.alternatives]
        for name in known:
            if known.count(name) > 1:
                raise DataError(f"{where}: open: two readings have the name {name!r}")
    faults.check()
    return Mission(
        game=game,
        number=table["number"],
        tasks=tasks,
        tokens=tokens,
        distribution=table.get("distribution"),
        communication=communication,
        roles=roles,
        setup=table.get("setup", ""),
        events=tuple(events),
        end=table["end"],
        five_player_rule=table.get("five_player_rule", False),
        text=table.get("text", ""),
        note=table.get("note", ""),
        challenge=table.get("challenge", ""),
        jarvis=table.get("jarvis", ""),
        open_questions=tuple(questions),
        difficulty=table.get("difficulty"),
        task_cards=tuple(table.get("task_cards", ())),
        crew_goals=crew_goals,
        seconds=table.get("seconds"),
        variants=variants,
        by_players=tuple((int(players), text) for players, text in sorted(by_players.items())),
        file=where,
        source=table,
    )


def read_missions(text: str, source: str) -> tuple[tuple[Deck, ...], tuple[Mission, ...]]:
    """Read a mission file: its decks and its missions, in the order of the file; task cards are for ``taskcards.py``.

    ``text`` is TOML as explained at the top of the files in ``data``; ``source`` names the file in errors.

    Raises DataError, naming file, mission and key, for everything that breaks the schema.
    """
    return _read(text, source)[:2]


def _read(text: str, source: str) -> tuple[tuple[Deck, ...], tuple[Mission, ...], tuple[OpenQuestion, ...]]:
    try:
        table = check_table(tomllib.loads(text), _FILE, {"game", "mission"}, source)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{source} is not TOML: {error}") from None
    decks = tuple(_deck_from(entry, f"{source}, deck block {i}") for i, entry in enumerate(table.get("deck", ()), start=1))
    slugs = [entry["slug"] for entry in table.get("task", ()) if type(entry.get("slug")) is str]
    missions = []
    for i, entry in enumerate(table["mission"], start=1):
        where = f"mission {entry['number']}" if type(entry.get("number")) is int else f"mission block {i}"
        missions.append(mission_from(entry, table["game"], slugs, f"{source}, {where}"))
        if missions[-1].special and not missions[-1].text:
            raise DataError(f"{source}, {where}: text must say the special rule in plain words")
        if any(earlier.number == missions[-1].number for earlier in missions[:-1]):
            raise DataError(f"{source}, {where}: number {missions[-1].number} is taken by an earlier mission")
    return decks, tuple(missions), tuple(_open_from(entry, f"{source}: open[{i}]") for i, entry in enumerate(table.get("open", ())))


@cache
def _load(game: str) -> tuple[tuple[Deck, ...], tuple[Mission, ...], tuple[OpenQuestion, ...]]:
    if game not in GAMES:
        raise InputError(f"no missions are known for the game {game!r}{nearest(game, GAMES)}")
    name = f"{game.replace('-', '_')}.toml"
    return _read(files("deepcrew.data").joinpath(name).read_text("utf-8"), name)


def load_missions(game: str = "planet-nine") -> tuple[Mission, ...]:
    """All missions of a game, read once. Raises InputError for a game without missions, DataError for a broken data file."""
    return _load(game)[1]


def load_decks(game: str = "planet-nine") -> tuple[Deck, ...]:
    """The decks of a game: hand sizes for every number of players and variant. Raises as ``load_missions``."""
    return _load(game)[0]


def load_open_questions(game: str) -> tuple[OpenQuestion, ...]:
    """The open points of a game that belong to no single mission. Raises as ``load_missions``."""
    return _load(game)[2]


def find_missions(text: str, extra: Sequence[Mission] = ()) -> list[Mission]:
    """The missions a user names: ``planet-nine/23``, ``planet-nine/1-50``, ``planet-nine/1-5,8``, or ``planet-nine`` for all.

    ``extra`` are missions of files that a designer wrote, named ``my/1`` and so on. The missions come in the order named, each
    once. Raises InputError for an unknown game or mission and a malformed range.
    """
    game, slash, ranges = text.strip().partition("/")
    books = list(dict.fromkeys(mission.book for mission in extra))
    if game not in (*GAMES, *books):
        hint = nearest(game, (*GAMES, *books))
        own = "" if books or hint.endswith("?") else "; those of a file of your own need --mission-file FILE"
        raise InputError(f"no missions are known for the game {game!r}{hint}{own}")
    found_in = load_missions(game) if game in GAMES else [mission for mission in extra if mission.book == game]
    missions = {mission.number: mission for mission in found_in}
    if not slash:
        return list(missions.values())
    found: dict[int, Mission] = {}
    for part in ranges.split(","):
        if not (match := re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", part.strip())):
            raise InputError(f"malformed mission {part.strip()!r} in {text!r}: write {game}/23, {game}/1-50 or {game}/1-5,8")
        first, last = int(match[1]), int(match[2] or match[1])
        for number in (first, last):
            if number not in missions:
                raise InputError(f"unknown mission {game}/{number}: {game} has {_missions_words(sorted(missions))}")
        if first > last:
            raise InputError(f"malformed range {part.strip()!r} in {text!r}: the lower number comes first, {last}-{first}")
        found |= {number: mission for number, mission in missions.items() if first <= number <= last}
    return list(found.values())


def _missions_words(numbers: Sequence[int]) -> str:
    if len(numbers) > 1 and numbers[-1] - numbers[0] + 1 == len(numbers):
        return f"missions {numbers[0]} to {numbers[-1]}"
    return f"mission{'s' * (len(numbers) > 1)} {_listed([str(number) for number in numbers])}"


def read_with(mission: Mission, names: Sequence[str]) -> Mission:
    """The mission with those of the readings named that it has."""
    for name in names:
        if any(reading.name == name for question in mission.open_questions for reading in question.alternatives):
            mission = mission.read_as(name)
    return mission


def check_readings(names: Sequence[str], game: str, missions: Sequence[Mission]) -> None:
    """Raise InputError for the name of a reading that neither one of the missions has nor the game as a whole."""
    questions = [*load_open_questions(game), *(question for mission in missions for question in mission.open_questions)]
    known = list(dict.fromkeys(reading.name for question in questions for reading in question.alternatives))
    for name in names:
        if name not in known:
            raise InputError(f"unknown reading {name!r}{nearest(name, known)}")


def mission_for_case(
    game: str,
    mission: object,
    players: int,
    tasks: Sequence[Task],
    edition: str | None = None,
    extra: Sequence[Mission] = (),
) -> Mission:
    """The mission a case names, by its number or a name such as ``planet-nine/12``, checked against the tasks of the case.

    When a mission can be played with several difficulties, it is returned in the first variant that the tasks fit. ``edition``
    is the print of the task cards, ``extra`` as in ``find_missions``.

    Raises InputError when there is no such mission, and when the tasks are not the mission's: their number and the set of
    their tokens, or the sum of their difficulties, or the task cards themselves.
    """
    if type(mission) not in (int, str):
        raise InputError(f"mission must be a number or a name such as '{game}/12', not {mission!r}")
    found = find_missions(mission if isinstance(mission, str) else f"{game}/{mission}", extra)
    if len(found) != 1:
        raise InputError(f"mission {mission!r} names {len(found)} missions: a case has one")
    rules = found[0]
    if rules.game != game:
        raise InputError(f"mission {mission!r} belongs to {rules.game}, but the game of the case is {game}")
    if rules.difficulty is not None:
        return _variant_for(rules, players, tasks, edition)
    if rules.task_cards:
        given = [str(task.card) for task in tasks]
        if sorted(given) != sorted(rules.task_cards):
            named = _listed(given) or "none"
            raise InputError(f"{rules.name} has the tasks {_listed(rules.task_cards)}, but the case has {named}")
        return rules
    tokens = sorted(task.token for task in tasks if task.token is not None)
    if len(tasks) != rules.tasks or tokens != sorted(rules.tokens):
        raise InputError(f"{rules.name} has {_tasks_words(rules.tasks, rules.tokens)}, but the case has {_tasks_words(len(tasks), tokens)}")
    return rules


def _variant_for(mission: Mission, players: int, tasks: Sequence[Task], edition: str | None) -> Mission:
    """The mission, or the first variant of it, whose difficulty is the sum of these task cards."""
    total = sum(find_task_card(str(task.card)).difficulty_for(players, edition) for task in tasks)
    ways = [mission, *(mission.variant(variant.name) for variant in mission.variants)]
    for way in ways:
        if way.difficulty == total:
            return way
    numbers = " or ".join(str(number) for number in dict.fromkeys(way.difficulty for way in ways))
    raise InputError(f"{mission.name} has difficulty {numbers}, but the tasks of the case sum to {total} with {players} players")


def describe(mission: Mission) -> str:
    """The rules of a mission in one to three short plain sentences."""
    rest = [
        words
        for words in (
            _DISTRIBUTION_WORDS.get(mission.distribution or ""),
            _communication_words(mission.communication),
            _clock_words(mission),
            "with five players one task may move" if mission.five_player_rule else "",
            _END_WORDS[mission.end],
        )
        if words
    ]
    sentences = [_laid_words(mission), ", ".join(rest), mission.text]
    return " ".join(sentence[0].upper() + sentence[1:].rstrip(".") + "." for sentence in sentences if sentence)


# Wording.

_DISTRIBUTION_WORDS = {
    "round-robin": "dealt out one by one from the captain",
    "captain-decision": "all for one member of the captain's choice, unseen",
    "captain-distribution": "given out evenly by the captain, as they turn up",
    "round-robin-with-passing": "chosen one by one from the captain, passing only with fewer tasks than members",
    "captain-hardest-first": "chosen one by one from the captain, who has to begin with the hardest",
    "captain-hardest-leftmost": "chosen one by one from the captain, who has to begin with the hardest, of equals the leftmost",
    "captain-hardest-only": "chosen one by one from the captain, who has to begin with the hardest of all",
    "captain-excluded": "chosen one by one by the others from the captain's left, none for the captain",
    "free": "given out as the crew agrees, in any split",
    "crew-picks-one": "all for one member of the crew's choice",
    "captain-all-or-pass-all": "all for the captain, or all for one willing member",
    "one-volunteer": "all for the first who volunteers",
    "two-volunteers": "split by the first two who volunteer, at least one each",
}
_MODE_WORDS = {
    "dead-zone": "dead zone",
    "currents": "currents",
    "rapture": "rapture of the deep",
    "unknown-terrain": "unknown terrain",
    "none": "no communication",
}
_END_WORDS = {
    "tasks": "",
    "goal": "won as soon as the goal is reached",
    "full-hand": "decided over the full hand",
    "last-trick": "decided by the last trick",
}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ORDINALS = {1: "first", 2: "second", 3: "third"}


def _number(n: int) -> str:
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)


def _counted(n: int, noun: str) -> str:
    return f"{_number(n)} {noun}{'' if n == 1 else 's'}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _tokens_words(tokens: Sequence[str]) -> str:
    return f"token{'s' * (len(tokens) > 1)} {_listed(tokens)}"


def _tasks_words(tasks: int, tokens: Sequence[str]) -> str:
    return _counted(tasks, "task") + (f" with {_tokens_words(tokens)}" if tokens else " without tokens" if tasks else "")


def _laid_words(mission: Mission) -> str:
    if mission.difficulty is not None:
        return f"tasks of difficulty {mission.difficulty} in all"
    if mission.task_cards:
        return f"always the {_counted(mission.tasks, 'task')} {_listed(mission.task_cards)}"
    if not mission.tasks:
        return "no task cards"
    if len(mission.tokens) in (0, mission.tasks):
        return _counted(mission.tasks, "task") + (f" with {_tokens_words(mission.tokens)}" if mission.tokens else "")
    first = "the first carries" if len(mission.tokens) == 1 else f"the first {_number(len(mission.tokens))} carry"
    return f"{_counted(mission.tasks, 'task')}, {first} {_tokens_words(mission.tokens)}"


def _communication_words(communication: Communication) -> str:
    words = [_MODE_WORDS.get(communication.mode, "")]
    if communication.from_trick > 1:
        trick = communication.from_trick
        words.append(f"no communication before the {_ORDINALS.get(trick, f'{trick}th')} trick")
    if communication.passed_on:
        words.append("communication only before the first trick when the tasks are passed on")
    return ", ".join(filter(None, words))


def _clock_words(mission: Mission) -> str:
    """The time limit, and what is different for those who play without."""
    if mission.seconds is None:
        return ""
    untimed = mission.variant("untimed")
    other = [f"difficulty {untimed.difficulty}"] if untimed.difficulty != mission.difficulty else []
    other += [_communication_words(untimed.communication)] if untimed.communication != mission.communication else []
    return f"within {mission.seconds // 60}:{mission.seconds % 60:02} minutes or, without a clock, with {_listed(other)}"
