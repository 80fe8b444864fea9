"""The task cards of Mission Deep Sea: read from ``data/deep_sea.toml``, checked, found by their slug.

A task card is a goal with a difficulty for each number of players. Refuses to know what its goal means in play
(``goals.py`` and those who interpret it) and how task cards are drawn and handed out.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from typing import Any

from .errors import DataError, InputError
from .goals import GoalForm, goal_form
from .schema import card_set, check_choice, check_table, nearest

SOURCE = "deep_sea.toml"
GROUPS = (
    "cards", "counts", "winning-card", "avoid", "first-last", "tricks", "compare",
    "trick-value", "predict", "equal", "more", "collect", "parity", "openings",
)  # fmt: skip
"""The fourteen kinds of task cards, in the order of the file."""
EDITIONS = ("german-first",)
"""The prints that give some card another difficulty than the rest of them."""

Difficulty = tuple[int, int, int]
"""The difficulty with 3, 4 and 5 players."""


@dataclass(frozen=True)
class TaskCard:
    """One task card.

    ``slug`` is its name here, the cards themselves carry none. ``form`` is its goal. ``redeal``: the card sets that are
    dealt anew, free of charge, when one hand holds one of them whole, since then nobody can fulfil the task; each is a
    set with bit ``card``. ``prints``: the editions with another difficulty. ``note``: what readers get wrong, or empty.
    """

    slug: str
    group: str
    text: str
    form: GoalForm
    difficulty: Difficulty
    redeal: tuple[int, ...]
    prints: tuple[tuple[str, Difficulty], ...]
    note: str

    @property
    def not_for_captain(self) -> bool:
        """Whether the captain may not own it, because it compares its owner with the captain."""
        return self.form.against_captain

    def difficulty_for(self, players: int, edition: str | None = None) -> int:
        """The difficulty with this many players; two play by the numbers for three. ``edition`` None is the usual print.

        Raises InputError for an unknown edition and a number of players that the game does not have.
        """
        if edition is not None and edition not in EDITIONS:
            raise InputError(f"unknown edition {edition!r}{nearest(edition, EDITIONS)}")
        if players not in (2, 3, 4, 5):
            raise InputError(f"task cards have no difficulty for {players} players: 2 to 5 can play")
        return dict(self.prints).get(edition or "", self.difficulty)[max(players, 3) - 3]


_FILE = {"game": str, "open": [dict], "task": [dict], "deck": [dict], "mission": [dict]}
_TASK = {
    "slug": str, "group": str, "text": str, "goal": object, "difficulty": [int],
    "redeal": [str], "difficulty_prints": dict, "note": str,
}  # fmt: skip


def read_task_cards(text: str, source: str) -> tuple[TaskCard, ...]:
    """Read the task cards of a game file, in its order; its other blocks are for ``missions.py``.

    ``text`` is TOML as explained at the top of ``data/deep_sea.toml``; ``source`` names the file in errors.

    Raises DataError, naming file, card and key, for everything that breaks the schema.
    """
    try:
        table = check_table(tomllib.loads(text), _FILE, {"task"}, source)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{source} is not TOML: {error}") from None
    cards: dict[str, TaskCard] = {}
    for i, entry in enumerate(table["task"], start=1):
        name = f"task {entry['slug']}" if type(entry.get("slug")) is str else f"task block {i}"
        card = _task_card_from(entry, f"{source}, {name}")
        if card.slug in cards:
            raise DataError(f"{source}, {name}: slug {card.slug!r} is taken by an earlier card")
        cards[card.slug] = card
    return tuple(cards.values())


def _task_card_from(value: Any, where: str) -> TaskCard:
    table = check_table(value, _TASK, {"slug", "group", "text", "goal", "difficulty"}, where)
    if not re.fullmatch(r"\w+", table["slug"], re.ASCII):
        raise DataError(f"{where}: slug must be letters, digits and underscores, not {table['slug']!r}")
    check_choice(table, "group", GROUPS, where)
    if not table["text"]:
        raise DataError(f"{where}: text must say the condition in plain words")
    prints = check_table(table.get("difficulty_prints", {}), {edition: [int] for edition in EDITIONS}, (), f"{where}: difficulty_prints")
    return TaskCard(
        slug=table["slug"],
        group=table["group"],
        text=table["text"],
        form=goal_form(table["goal"], f"{where}: goal"),
        difficulty=_difficulty(table["difficulty"], f"{where}: difficulty"),
        redeal=tuple(card_set({"redeal": hand}, "redeal", where) for hand in table.get("redeal", ())),
        prints=tuple((edition, _difficulty(values, f"{where}: difficulty_prints: {edition}")) for edition, values in prints.items()),
        note=table.get("note", ""),
    )


def _difficulty(values: list[int], where: str) -> Difficulty:
    if len(values) != 3 or min(values) < 1:
        raise DataError(f"{where} must be three numbers from 1, for 3, 4 and 5 players, not {values!r}")
    return (values[0], values[1], values[2])


@cache
def _by_slug() -> dict[str, TaskCard]:
    text = files("deepcrew.data").joinpath(SOURCE).read_text("utf-8")
    return {card.slug: card for card in read_task_cards(text, SOURCE)}


def load_task_cards() -> tuple[TaskCard, ...]:
    """All task cards, read once, in the order of the file. Raises DataError for a broken data file."""
    return tuple(_by_slug().values())


def find_task_card(slug: str) -> TaskCard:
    """The task card with this slug. Raises InputError for an unknown slug, with the nearest one."""
    cards = _by_slug()
    if slug not in cards:
        likeness = {known: SequenceMatcher(a=known.lower(), b=slug.lower()).ratio() for known in cards}
        closest = max(cards, key=lambda known: likeness[known])
        hint = f", did you mean {closest!r}?" if likeness[closest] >= 0.5 else ": deepcrew tasks lists them all"
        raise InputError(f"unknown task card {slug!r}{hint}")
    return cards[slug]
