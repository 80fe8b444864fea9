"""Goals as data: the one vocabulary in which task cards and crew goals are written, and its meaning.

A *goal* speaks about one seat, its owner. It is a list of conditions; all of them must hold, or any one of them.
A *condition* counts something for a seat and says between which bounds the number must lie when the attempt is over:

``cards``     the cards of a set that the seat has won, less those of another set (``minus``)
``tricks``    the tricks the seat has won, of certain numbers and with certain properties (see Condition)
``openings``  the tricks the seat has opened with a card of a set
``run``       the longest run of consecutive tricks the seat has won

Instead of the number itself the condition may speak about its difference to the number of another seat
(``against``): of each other seat, of the other seats together, of the captain. It may speak of all seats together, for
a goal of the crew as one. And it may have to hold after every trick, not only at the end (``always``).

Referee, kernels and SAT interpret these tables each on its own; this module only reads and resolves them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from .cards import FULL_DECK, RANKS, SUIT_MASKS, TRUMP, cards_of, mask_of, parse_hand
from .errors import DataError, InputError
from .tokens import TOKENS

CARDS, TRICKS, OPENINGS, RUN = range(4)
COUNTS = ("cards", "tricks", "openings", "run")
NOBODY, EACH_OTHER, OTHERS_TOGETHER, TOGETHER = -1, -2, -3, -5
UNBOUNDED = 99
NO_CARD = 1 << 47
"""A set of no card that is not empty, for an empty one asks for nothing."""
TOKEN_BIT = 48
"""Where the set of a condition shows tokens in place of cards not known yet: bit TOKEN_BIT + n is the card of the n-th token."""


class Condition(NamedTuple):
    """One condition, for a number of players and tricks: what is counted for a seat, and between which bounds it must lie.

    All fields are ints: card sets have bit ``card`` set, a field that asks for nothing has its default.
    ``count``: CARDS, TRICKS, OPENINGS or RUN. ``cards``: the cards counted, or opened with. ``minus``: the cards
    that count -1. The next fields restrict which tricks count for TRICKS: ``numbers``, a set with bit t for trick t + 1;
    ``won_with``, a set that the winning card is in; ``captures``, a set that some other card of the trick is in;
    ``holds``, a set that some card of the trick, the winning one included, is in; ``only``, a set that all its cards
    are in; ``sum_low`` and ``sum_high``, bounds of the sum of all ranks in it (trump counts its rank); ``equal`` and
    ``equal_to``, two sets of which it holds equally many cards, at least one of each;
    ``closed_with``, a set that the card played last is in; ``after``, a set of which all cards were played in earlier
    tricks. ``by_choice``: 1 when openings count only for a seat that could have led a card outside ``cards``.
    ``against``: NOBODY, EACH_OTHER, OTHERS_TOGETHER or a seat whose number is subtracted; TOGETHER when the numbers of
    all seats are added. ``low`` and ``high``: the bounds, both included. ``always``: 1 when it must hold after every trick.
    """

    count: int  # type: ignore[assignment]  # shadows tuple.count, which nobody wants of a condition
    cards: int = 0
    minus: int = 0
    numbers: int = -1
    won_with: int = FULL_DECK
    captures: int = 0
    holds: int = 0
    only: int = FULL_DECK
    sum_low: int = 0
    sum_high: int = UNBOUNDED
    equal: int = 0
    equal_to: int = 0
    closed_with: int = FULL_DECK
    against: int = NOBODY
    low: int = -UNBOUNDED
    high: int = UNBOUNDED
    always: int = 0
    after: int = 0
    by_choice: int = 0


class Goal(NamedTuple):
    """Conditions on one seat: all must hold, or with ``any_of`` at least one."""

    conditions: tuple[Condition, ...]
    any_of: bool = False


class Duty(NamedTuple):
    """A goal that some seat of the seat set ``seats`` has to fulfil; ``task`` is the index of its task, -1 for a crew goal.

    ``role`` names a role whose seat is chosen; different roles have different seats. When ``holder_of`` is a card, the
    seat is known once trick 1 starts: ``steps`` places to the left of who holds that card then.
    """

    goal: Goal
    seats: int
    task: int
    role: str = ""
    holder_of: int = -1
    steps: int = 0


@dataclass(frozen=True)
class GoalForm:
    """A goal as written in a data file, before players, tricks and captain are known.

    ``entries`` are its condition tables, checked; ``any_of`` as in Goal.
    """

    entries: tuple[tuple[tuple[str, Any], ...], ...]
    any_of: bool = False

    @property
    def against_captain(self) -> bool:
        """Whether it compares its owner with the captain, who then cannot be its owner."""
        return any(dict(entry).get("against") == "captain" for entry in self.entries)

    def resolve(
        self, players: int, tricks: int, captain: int, deck: int = FULL_DECK, token_cards: Mapping[str, int] = MappingProxyType({})
    ) -> Goal:
        """The goal for this many players and tricks, with this seat as captain. ``token_cards`` gives the card set for each
        token on a task; one that no task has stands for no card at all."""
        return Goal(tuple(_resolved(dict(entry), players, tricks, captain, deck, token_cards) for entry in self.entries), self.any_of)


@dataclass(frozen=True)
class Role:
    """A member that goals speak about: chosen ``by`` somebody ``among`` some, or the seat ``left_of`` the holder of a card,
    as it is when trick 1 starts or, ``as_dealt``, when the cards are dealt."""

    name: str
    by: str | None = None
    among: str | None = None
    answers: tuple[str, ...] = ()
    left_of: str | None = None
    as_dealt: bool = False


class CrewGoal(NamedTuple):
    """A goal of the whole crew: ``everyone`` has to fulfil it, each for themselves, or ``anyone``, or the crew ``together``
    as if it were one seat, or the ``captain``, or who has the ``role`` of that name; with ``not`` before the name of a
    role left of somebody, everyone else."""

    who: str
    form: GoalForm
    role: Role | None = None

    def duties(self, goal: Goal, players: int, captain: int, hands: Sequence[int], given: Mapping[str, int]) -> list[Duty]:
        """Who has to fulfil the goal, ``form`` resolved; ``given`` are the seats of the roles that are known."""
        everyone = (1 << players) - 1
        if self.who == "together":
            together = Goal(tuple(condition._replace(against=TOGETHER) for condition in goal.conditions), goal.any_of)
            return [Duty(together, 1, -1)]
        if self.who == "everyone":
            return [Duty(goal, 1 << seat, -1) for seat in range(players)]
        if self.role is None:
            return [Duty(goal, 1 << captain if self.who == "captain" else everyone, -1)]
        if self.role.left_of is None:
            seats = everyone ^ (1 << captain if self.role.among == "others" else 0)
            return [Duty(goal, 1 << given[self.role.name] if self.role.name in given else seats, -1, self.role.name)]
        (card,) = cards_of(parse_hand(self.role.left_of))
        holder = next((seat for seat, hand in enumerate(hands) if hand >> card & 1), 0)
        steps = range(2, players + 1) if self.who.startswith("not ") else range(1, 2)
        fixed = -1 if self.role.as_dealt else card
        return [Duty(goal, 1 << (holder + step) % players, -1, "", fixed, step) for step in steps]


_KEYS: dict[str, Any] = {
    "count": str, "cards": str, "minus": str, "numbers": list, "won_with": str, "captures": str, "holds": str, "only": str,
    "sum_at_least": (int, dict), "sum_at_most": (int, dict), "equal": list, "closed_with": str, "after": str,
    "against": str, "at_least": (int, str), "at_most": int, "exactly": (int, str), "always": bool, "by_choice": bool,
}  # fmt: skip
_TRICK_KEYS = {"numbers", "won_with", "captures", "holds", "only", "sum_at_least", "sum_at_most", "equal", "closed_with", "after"}
_ALLOWED = {
    "cards": {"cards", "minus"},
    "tricks": _TRICK_KEYS,
    "openings": {"cards", "by_choice"},
    "run": set(),
}
_AGAINST = ("captain", "each-other", "others-together")


def parse_card_set(text: str) -> int:
    """Read a set of cards: hand notation (``B123 G5``), a suit letter for the whole suit (``P``; ``S`` is trump), a rank of all
    four colours (``9s``), ``colours`` for every card that is not trump, in any mixture.

    Raises InputError.
    """
    cards = 0
    for word in text.split():
        if word == "colours":
            cards |= FULL_DECK & ~SUIT_MASKS[TRUMP]
        elif len(word) == 2 and word[0] in "123456789" and word[1] == "s":
            cards |= mask_of(suit * RANKS + int(word[0]) - 1 for suit in range(TRUMP))
        elif word in "PBGY":
            cards |= SUIT_MASKS["PBGY".index(word)]
        elif word in "RSH":
            cards |= SUIT_MASKS[TRUMP]
        else:
            cards |= parse_hand(word)
    return cards


def goal_form(value: Any, where: str) -> GoalForm:
    """Check a goal of a data file: one condition table, a list of them that all must hold, or ``{any_of = [...]}``.

    Raises DataError, beginning with ``where``.
    """
    any_of = isinstance(value, dict) and set(value) == {"any_of"}
    tables = value["any_of"] if any_of else value
    tables = tables if isinstance(tables, list) else [tables]
    if not tables:
        raise DataError(f"{where}: a goal needs at least one condition")
    return GoalForm(tuple(_checked(table, f"{where}, condition {i}") for i, table in enumerate(tables, start=1)), any_of)


def _checked(table: Any, where: str) -> tuple[tuple[str, Any], ...]:
    if not isinstance(table, dict):
        raise DataError(f"{where} must be a table, not {table!r}")
    count = table.get("count")
    if count not in COUNTS:
        raise DataError(f"{where}: count must be one of {', '.join(COUNTS)}, not {count!r}")
    allowed = {"count", "against", "at_least", "at_most", "exactly", "always"} | _ALLOWED[count]
    for key, item in table.items():
        if key not in allowed:
            raise DataError(f"{where}: key {key!r} does not go with count {count!r}, which takes {', '.join(sorted(allowed))}")
        if not isinstance(item, _KEYS[key]) or (isinstance(item, bool) and _KEYS[key] is not bool):
            raise DataError(f"{where}: {key} has the wrong type: {item!r}")
    if "cards" in _ALLOWED[count] and "cards" not in table:
        raise DataError(f"{where}: count {count!r} needs cards")
    if table.get("against", "captain") not in _AGAINST:
        raise DataError(f"{where}: against must be one of {', '.join(_AGAINST)}, not {table['against']!r}")
    if not {"at_least", "at_most", "exactly"} & set(table) or ("exactly" in table and {"at_least", "at_most"} & set(table)):
        raise DataError(f"{where}: a condition has at_least, at_most or both, or exactly")
    for key in ("at_least", "exactly"):
        if isinstance(table.get(key), str) and (table[key] != "all" or count not in ("cards", "tricks")):
            raise DataError(f"{where}: {key} must be a number or, for cards and tricks, 'all', not {table[key]!r}")
    if "all" in (table.get("at_least"), table.get("exactly")) and count == "tricks" and "won_with" not in table:
        raise DataError(f"{where}: 'all' tricks means one for each card of won_with, which is missing")
    for key in ("cards", "minus", "won_with", "captures", "holds", "only", "closed_with", "after"):
        if not (key == "holds" and str(table.get(key)).startswith("token ")):
            _card_set(table.get(key, "P"), f"{where}: {key}")
        elif table[key].removeprefix("token ") not in TOKENS:
            raise DataError(f"{where}: holds: unknown token in {table[key]!r}: tokens are 1-5, omega and > to >>>>")
    equal = table.get("equal", ["P", "B"])
    if len(equal) != 2:
        raise DataError(f"{where}: equal must name two card sets, not {equal!r}")
    for text in equal:
        _card_set(text, f"{where}: equal")
    for number in table.get("numbers", ["last"]):
        if number != "last" and not (type(number) is int and 1 <= number <= 13):
            raise DataError(f"{where}: numbers must hold trick numbers from 1 or 'last', not {number!r}")
    for key in ("sum_at_least", "sum_at_most"):
        by_players = table.get(key, 0)
        if isinstance(by_players, dict) and (set(by_players) != {"3", "4", "5"} or any(type(n) is not int for n in by_players.values())):
            raise DataError(f"{where}: {key} must be a number, or one for each of 3, 4 and 5 players")
    return tuple(sorted((key, _frozen(item)) for key, item in table.items()))


def _card_set(text: Any, where: str) -> int:
    try:
        cards = parse_card_set(text) if isinstance(text, str) else 0
    except InputError as error:
        raise DataError(f"{where}: {error}") from None
    if not cards:
        raise DataError(f"{where} must name cards, not {text!r}")
    return cards


def _frozen(item: Any) -> Any:
    if isinstance(item, list):
        return tuple(item)
    return tuple(sorted(item.items())) if isinstance(item, dict) else item


def _resolved(table: Mapping[str, Any], players: int, tricks: int, captain: int, deck: int, token_cards: Mapping[str, int]) -> Condition:
    def cards(key: str, default: int) -> int:
        if str(table.get(key)).startswith("token "):
            return token_cards.get(table[key].removeprefix("token "), NO_CARD)
        return parse_card_set(table[key]) if key in table else default

    def bound(key: str, default: int) -> int:
        value = table.get(key, default)
        return int(value) if value != "all" else (cards("won_with" if table["count"] == "tricks" else "cards", 0) & deck).bit_count()

    def by_players(key: str, default: int) -> int:
        value = table.get(key, default)
        return int(value) if isinstance(value, int) else int(dict(value)[str(max(players, 3))])

    numbers = (1 << tricks) - 1
    if "numbers" in table:
        numbers &= mask_of(tricks - 1 if number == "last" else number - 1 for number in table["numbers"])
    equal = [parse_card_set(text) for text in table.get("equal", ())] or [0, 0]
    against = {None: NOBODY, "captain": captain, "each-other": EACH_OTHER, "others-together": OTHERS_TOGETHER}[table.get("against")]
    exactly = bound("exactly", UNBOUNDED) if "exactly" in table else None
    return Condition(
        COUNTS.index(table["count"]),
        cards("cards", 0),
        cards("minus", 0),
        numbers,
        cards("won_with", FULL_DECK),
        cards("captures", 0),
        cards("holds", 0),
        cards("only", FULL_DECK),
        by_players("sum_at_least", 0),
        by_players("sum_at_most", UNBOUNDED),
        equal[0],
        equal[1],
        cards("closed_with", FULL_DECK),
        against,
        bound("at_least", -UNBOUNDED) if exactly is None else exactly,
        bound("at_most", UNBOUNDED) if exactly is None else exactly,
        int(table.get("always", False)),
        cards("after", 0) & deck,  # what is not in the deck need not be waited for
        int(table.get("by_choice", False)),
    )
