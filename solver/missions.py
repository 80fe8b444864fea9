"""The missions: read from the data files, checked, found by name and put into words.

Knows what a mission asks for, as data, and which of those rules can be played so far. Refuses to know how any rule is played
or searched: that is the referee's and the kernels'. The keys of a mission are explained at the top of the files in ``data``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from .cards import FULL_DECK, RANKS, SUIT_MASKS, SUIT_NAMES, TRUMP, format_hand, mask_of
from .drafts import DISTRIBUTIONS
from .errors import DataError, InputError
from .goals import CrewGoal, goal_form
from .positions import Task
from .schema import card_set, check_at_least, check_choice, check_table, nearest
from .taskcards import find_task_card
from .tokens import TOKENS, check_tokens

GAMES = ("planet-nine", "deep-sea")
"""The games whose missions are known."""
COMMUNICATION_MODES = ("normal", "dead-zone", "disruption", "currents", "rapture", "unknown-terrain", "none")
ENDS = ("tasks", "goal", "full-hand", "last-trick")
TASK_CARDS = 4 * RANKS


@dataclass(frozen=True)
class Communication:
    """How the crew may communicate: the mode, the first trick before which it may, the role that may not, and the limit
    that comes with tasks which the captain has passed on."""

    mode: str = "normal"
    from_trick: int = 1
    muted: str | None = None
    passed_on: str | None = None


@dataclass(frozen=True)
class Role:
    """A member the goals speak about: decided ``by`` somebody ``among`` some, or the seat ``left_of`` the holder of a card."""

    name: str
    by: str | None = None
    among: str | None = None
    answers: tuple[str, ...] = ()
    left_of: str | None = None


@dataclass(frozen=True)
class Goal:
    """A goal of the whole crew. ``kind`` says which of the other fields matter; ``cards`` is a card set."""

    kind: str
    who: str | None = None
    cards: int = 0
    op: str | None = None
    n: int = 0
    tricks: tuple[int | str, ...] = ()
    only: bool = False
    order: str | None = None
    token: str | None = None


@dataclass(frozen=True)
class Event:
    """Something that happens during play: ``count`` cards move from the neighbour named by ``source`` after a trick."""

    kind: str
    after_trick: int
    source: str
    count: int


@dataclass(frozen=True)
class Special:
    """The special rule of a mission; all empty when it has none."""

    roles: tuple[Role, ...] = ()
    goals: tuple[Goal, ...] = ()
    setup: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class OpenQuestion:
    """A point the rules leave open: our reading and the others."""

    question: str
    default: str
    alternatives: tuple[str, ...]


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
    vocabulary of the task cards, those of Planet Nine are in ``special``. ``seconds`` is the time limit, ``variants``
    are the ways to play when there is a choice, this mission itself being the first. ``by_players`` says what a number
    of players means for it.
    """

    game: str
    number: int
    tasks: int
    tokens: tuple[str, ...]
    distribution: str | None
    communication: Communication
    special: Special
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

    @property
    def name(self) -> str:
        """The name a user types: ``planet-nine/12``."""
        return f"{self.game}/{self.number}"

    def variant(self, name: str) -> Mission:
        """The mission played in the variant of this name. Raises InputError when it has none of that name."""
        for variant in self.variants:
            if variant.name == name:
                return replace(self, difficulty=variant.difficulty, seconds=variant.seconds, communication=variant.communication)
        raise InputError(f"{self.name} has no variant {name!r}{nearest(name, [variant.name for variant in self.variants])}")


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
    "roles": [dict], "goals": [dict], "setup": [str], "events": [dict], "open": [dict],
    "difficulty": int, "task_cards": [str], "crew_goals": [dict], "seconds": int, "untimed": dict, "by_players": dict,
}  # fmt: skip
_COMMUNICATION = {"mode": str, "from_trick": int, "muted": str, "passed_on": str}
_ROLE = {"name": str, "by": str, "among": str, "answers": [str], "left_of": str}
_GOAL = {
    "kind": str, "who": str, "cards": str, "op": str, "n": int, "tricks": list, "only": bool, "order": str, "token": str,
}  # fmt: skip
_EVENT = {"kind": str, "after_trick": int, "from": str, "count": int}
_CREW_GOAL = {"who": str, "goal": object}
_UNTIMED = {"difficulty": int, "communication": dict}
_BY_PLAYERS = {"2": str, "3": str, "4": str, "5": str}
_OPEN = {"question": str, "default": str, "alternatives": [str]}

_GOAL_KINDS: dict[str, tuple[set[str], set[str]]] = {
    "tricks-won-with": ({"cards", "op", "n"}, {"who"}),
    "each-card-wins": ({"cards"}, {"order"}),
    "trick-count": ({"who", "op", "n"}, set()),
    "trick-balance": ({"n"}, set()),
    "wins-tricks": ({"who", "tricks"}, {"only"}),
    "wins-cards": ({"who", "cards"}, set()),
    "task-in-trick": ({"token", "tricks"}, set()),
}
"""Each kind of goal with the keys it must have and the keys it may have."""

_SETUP = {"swap-two-tokens": "swap of two tokens", "move-token": "move of one token to a task without one"}


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
    if set(table) - {"name", "answers"} != {"by", "among"} and set(table) != {"name", "left_of"}:
        raise DataError(f"{where}: a role has by and among, or left_of instead")
    if card_set(table, "left_of", where).bit_count() > 1:
        raise DataError(f"{where}: left_of must be one card, not {table['left_of']!r}")
    return Role(**table | {"answers": tuple(table.get("answers", ()))})


def _goal_from(value: Any, roles: Collection[str], tokens: Collection[str], where: str) -> Goal:
    table = check_table(value, _GOAL, {"kind"}, where)
    check_choice(table, "kind", _GOAL_KINDS, where)
    required, optional = _GOAL_KINDS[table["kind"]]
    where = f"{where} ({table['kind']})"
    check_table(table, {key: _GOAL[key] for key in ("kind", *sorted(required | optional))}, required, where)
    check_choice(table, "who", ("captain", *roles), where)
    check_choice(table, "op", ("exactly", "at-least", "at-most"), where)
    check_choice(table, "order", ("ascending",), where)
    check_choice(table, "token", tokens, where)
    check_at_least(table, "n", 0, where)
    tricks = tuple(table.get("tricks", ()))
    if "tricks" in table and not (tricks and all(trick == "last" or (type(trick) is int and trick >= 1) for trick in tricks)):
        raise DataError(f"{where}: tricks must be numbers from 1 or 'last', not {list(tricks)!r}")
    return Goal(**table | {"cards": card_set(table, "cards", where), "tricks": tricks})


def _event_from(value: Any, where: str) -> Event:
    table = check_table(value, _EVENT, _EVENT, where)
    check_choice(table, "kind", ("random-take",), where)
    check_choice(table, "from", ("left", "right"), where)
    check_at_least(table, "after_trick", 1, where)
    check_at_least(table, "count", 1, where)
    return Event(table["kind"], table["after_trick"], table["from"], table["count"])


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


def _special_from(table: Mapping[str, Any], tokens: Collection[str], where: str) -> Special:
    roles = tuple(_role_from(entry, f"{where}: roles[{i}]") for i, entry in enumerate(table.get("roles", ())))
    names = [role.name for role in roles]
    if len(set(names)) < len(names) or "captain" in names:
        raise DataError(f"{where}: roles must have different names, none of them 'captain'")
    for option in table.get("setup", ()):
        check_choice({"setup": option}, "setup", _SETUP, where)
    return Special(
        roles,
        tuple(_goal_from(entry, names, tokens, f"{where}: goals[{i}]") for i, entry in enumerate(table.get("goals", ()))),
        tuple(table.get("setup", ())),
        tuple(_event_from(entry, f"{where}: events[{i}]") for i, entry in enumerate(table.get("events", ()))),
    )


def _crew_goal_from(value: Any, where: str) -> CrewGoal:
    table = check_table(value, _CREW_GOAL, _CREW_GOAL, where)
    check_choice(table, "who", ("everyone", "anyone"), where)
    return CrewGoal(table["who"], goal_form(table["goal"], f"{where}: goal"))


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
        Variant("timed", difficulty, table["seconds"], timed),
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


def _open_from(value: Any, where: str) -> OpenQuestion:
    table = check_table(value, _OPEN, _OPEN, where)
    return OpenQuestion(table["question"], table["default"], tuple(table["alternatives"]))


def _mission_from(table: Any, game: str, slugs: Collection[str], where: str) -> Mission:
    check_table(table, _MISSION, {"number", "end"}, where)
    check_at_least(table, "number", 1, where)
    _check_tasks(table, slugs, where)
    tasks = table.get("tasks", len(table.get("task_cards", ())))
    has_tasks = tasks > 0 or "difficulty" in table
    if ("distribution" in table) != has_tasks:
        raise DataError(f"{where}: distribution belongs to missions with tasks, and those need it")
    check_choice(table, "distribution", DISTRIBUTIONS, where)
    check_choice(table, "end", ENDS, where)
    check_at_least(table, "seconds", 1, where)
    if ("seconds" in table) != ("untimed" in table):
        raise DataError(f"{where}: seconds and untimed go together")
    tokens = _tokens_from(table, tasks, where)
    special = _special_from(table, tokens, where)
    crew_goals = tuple(_crew_goal_from(entry, f"{where}: crew_goals[{i}]") for i, entry in enumerate(table.get("crew_goals", ())))
    if not has_tasks and not special.goals and not crew_goals:
        raise DataError(f"{where}: goals must not be empty without tasks")
    if (table["end"] == "tasks" and not has_tasks) or (table["end"] == "goal" and not (special.goals or crew_goals)):
        raise DataError(f"{where}: end {table['end']!r} needs {table['end'].rstrip('s')}s")
    if (special != Special() or crew_goals) and "text" not in table:
        raise DataError(f"{where}: text must say the special rule in plain words")
    roles = [role.name for role in special.roles]
    communication = _communication_from(table.get("communication", {}), roles, f"{where}: communication")
    by_players = check_table(table.get("by_players", {}), _BY_PLAYERS, (), f"{where}: by_players")
    return Mission(
        game=game,
        number=table["number"],
        tasks=tasks,
        tokens=tokens,
        distribution=table.get("distribution"),
        communication=communication,
        special=special,
        end=table["end"],
        five_player_rule=table.get("five_player_rule", False),
        text=table.get("text", ""),
        note=table.get("note", ""),
        challenge=table.get("challenge", ""),
        jarvis=table.get("jarvis", ""),
        open_questions=tuple(_open_from(entry, f"{where}: open[{i}]") for i, entry in enumerate(table.get("open", ()))),
        difficulty=table.get("difficulty"),
        task_cards=tuple(table.get("task_cards", ())),
        crew_goals=crew_goals,
        seconds=table.get("seconds"),
        variants=_variants_from(table, communication, where),
        by_players=tuple((int(players), text) for players, text in sorted(by_players.items())),
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
        missions.append(_mission_from(entry, table["game"], slugs, f"{source}, {where}"))
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


def find_missions(text: str) -> list[Mission]:
    """The missions a user names: ``planet-nine/23``, ``planet-nine/1-50``, ``planet-nine/1-5,8``, or ``planet-nine`` for all.

    They come in the order named, each once. Raises InputError for an unknown game or mission and a malformed range.
    """
    game, slash, ranges = text.strip().partition("/")
    missions = {mission.number: mission for mission in load_missions(game)}
    if not slash:
        return list(missions.values())
    found: dict[int, Mission] = {}
    for part in ranges.split(","):
        if not (match := re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", part.strip())):
            raise InputError(f"malformed mission {part.strip()!r} in {text!r}: write {game}/23, {game}/1-50 or {game}/1-5,8")
        first, last = int(match[1]), int(match[2] or match[1])
        for number in (first, last):
            if number not in missions:
                raise InputError(f"unknown mission {game}/{number}: {game} has missions {min(missions)} to {max(missions)}")
        if first > last:
            raise InputError(f"malformed range {part.strip()!r} in {text!r}: the lower number comes first, {last}-{first}")
        found |= {number: mission for number, mission in missions.items() if first <= number <= last}
    return list(found.values())


def unbuilt_rules(mission: Mission, players: int, five_player_rule: bool = True) -> list[str]:
    """The rules of a mission that cannot be played yet, in plain words; empty when it is playable.

    Task cards, tokens, distributions and ``crew_goals`` are built, and communication and clocks have no effect with open
    hands; the goals in ``special``, setup options, events and the five-player rule are not. ``five_player_rule`` False
    plays without that one.
    """
    special = mission.special
    rules = [_goal_words(goal) for goal in special.goals]
    rules += [_SETUP[option] for option in special.setup]
    rules += [f"random take after trick {event.after_trick}" for event in special.events]
    if mission.five_player_rule and players == 5 and five_player_rule:
        rules.append("five-player rule (one task may move)")
    return rules


def check_built(mission: Mission, players: int, five_player_rule: bool = True) -> None:
    """Raise InputError, naming the mission and the rules, when ``unbuilt_rules`` finds any."""
    rules = unbuilt_rules(mission, players, five_player_rule)
    if rules:
        moving = mission.five_player_rule and players == 5 and five_player_rule
        hint = "; --without-five-player-rule plays without the five-player rule" if moving else ""
        raise InputError(f"{mission.name} with {players} players cannot be played yet, these rules are missing: {', '.join(rules)}{hint}")


def mission_for_case(
    game: str, mission: object, players: int, tasks: Sequence[Task], five_player_rule: bool = True, edition: str | None = None
) -> Mission:
    """The mission a case names, by its number or a name such as ``planet-nine/12``, checked against the tasks of the case.

    When a mission can be played with several difficulties, it is returned in the first variant that the tasks fit. ``edition``
    is the print of the task cards.

    Raises InputError when there is no such mission, when rules of it are not built, and when the tasks are not the
    mission's: their number and the set of their tokens, or the sum of their difficulties, or the task cards themselves.
    """
    if type(mission) not in (int, str):
        raise InputError(f"mission must be a number or a name such as '{game}/12', not {mission!r}")
    found = find_missions(mission if isinstance(mission, str) else f"{game}/{mission}")
    if len(found) != 1:
        raise InputError(f"mission {mission!r} names {len(found)} missions: a case has one")
    rules = found[0]
    if rules.game != game:
        raise InputError(f"mission {mission!r} belongs to {rules.game}, but the game of the case is {game}")
    check_built(rules, players, five_player_rule)
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


def _cards_words(article: str, cards: int) -> str:
    """A card set as a player says it: ``a 9``, ``every pink card``, ``each of P1 B2``."""
    if cards in SUIT_MASKS:
        return f"{article} {SUIT_NAMES[SUIT_MASKS.index(cards)]} card"
    for rank in range(1, RANKS + 1):
        if cards == mask_of(suit * RANKS + rank - 1 for suit in range(TRUMP)):
            return f"{article} {rank}"
    return f"{'one' if article == 'a' else article} of {format_hand(cards)}"


def _goal_words(goal: Goal) -> str:
    by = f" by the {goal.who}" if goal.who else ""
    count = "no trick" if (goal.op, goal.n) == ("exactly", 0) else f"{(goal.op or '').replace('-', ' ')} {_counted(goal.n, 'trick')}"
    tricks = _listed(["the last trick" if trick == "last" else f"trick {trick}" for trick in goal.tricks])
    match goal.kind:
        case "tricks-won-with":
            return f"{count} won with {_cards_words('a', goal.cards)}{by}"
        case "each-card-wins":
            return f"a trick won with {_cards_words('each', goal.cards)}{', lowest first' if goal.order else ''}"
        case "trick-count":
            return f"{count} won{by}"
        case "trick-balance":
            return f"nobody more than {_counted(goal.n, 'trick')} ahead of another"
        case "wins-tricks":
            return f"{tricks} won{by}{' and no other' if goal.only else ''}"
        case "wins-cards":
            return f"{_cards_words('every', goal.cards)} won{by}"
        case _:
            return f"task {goal.token} completed in {tricks}"
