"""Loads: what is dealt for every deal of a rate, and the deals themselves, by number.

Deal ``index`` of ``seed`` is always the same, alone and in a rate, so any deal of a published rate can be rebuilt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ..kernels import layout as at
from ..kernels.batch import AGAINST_CAPTAIN, Deals, LoadTable, make_deal
from ..kernels.layout import MAX_CARDS, MAX_SEATS
from .cards import FULL_DECK, TRUMP, cards_of, suit_of
from .drafts import allowed_counts, check_distribution, default_distribution, hardest_first
from .errors import InputError
from .exclusions import load_exclusions
from .goals import Condition, CrewGoal
from .missions import Mission
from .positions import Position, Task, check_game
from .tables import is_special, precedence
from .taskcards import EDITIONS, TaskCard, find_task_card, load_task_cards
from .tokens import ABSOLUTE, check_tokens

TASK_CARDS = sum(suit_of(card) != TRUMP for card in cards_of(FULL_DECK))
HARDEST = 25
"""The highest difficulty for which cards are drawn: the search has room for no more goals."""


@dataclass(frozen=True)
class Load:
    """What is dealt for each deal: how many task cards, the tokens on the first of them, and who may own them.

    In Deep Sea either ``difficulty``, to which task cards are drawn, or ``task_cards``, the slugs that are always there.
    ``crew`` are goals of the whole crew; ``edition`` the print of the task cards, where prints differ; ``distribution`` is
    the usual one of the game where nothing is said.

    Raises InputError for tokens that do not fit, too many tasks, an unknown distribution, a difficulty that cannot be drawn.
    """

    tasks: int = 0
    tokens: tuple[str, ...] = ()
    distribution: str = ""
    mission: Mission | None = None
    game: str = "planet-nine"
    difficulty: int | None = None
    task_cards: tuple[str, ...] = ()
    crew: tuple[CrewGoal, ...] = ()
    edition: str | None = None

    def __post_init__(self) -> None:
        check_game(self.game)
        object.__setattr__(self, "distribution", self.distribution or default_distribution(self.game))
        check_distribution(self.distribution, self.game)
        if self.game == "deep-sea":
            object.__setattr__(self, "tasks", len(self.task_cards))
            self._check_cards()
        check_load(self.tasks, self.tokens)

    def _check_cards(self) -> None:
        if self.tokens:
            raise InputError("Deep Sea has no order tokens")
        if self.edition is not None and self.edition not in EDITIONS:
            raise InputError(f"unknown edition {self.edition!r}: it is {' or '.join(EDITIONS)}, or none for the usual print")
        for slug in self.task_cards:
            find_task_card(slug)
            if self.task_cards.count(slug) > 1:
                raise InputError(f"duplicate task {slug}: every task card exists once")
        if self.difficulty is None:
            return
        if self.task_cards:
            raise InputError(f"give either a difficulty or task cards, not both ({self.difficulty} and {', '.join(self.task_cards)})")
        if self.difficulty < 1:
            raise InputError(f"no draw can reach difficulty {self.difficulty}: the easiest task card has 1")
        most = max(sum(card.difficulty_for(players) for card in load_task_cards()) for players in (3, 4, 5))
        if self.difficulty > most:
            raise InputError(f"no draw can reach difficulty {self.difficulty}: all task cards together have {most} at most")
        if self.difficulty > HARDEST:
            raise InputError(f"difficulty {self.difficulty} is out of range: it can be 1 to {HARDEST}")

    @classmethod
    def of(cls, mission: Mission, edition: str | None = None) -> Load:
        """The load of a mission."""
        return cls(
            0 if mission.game == "deep-sea" else mission.tasks, mission.tokens, mission.distribution or "", mission, mission.game,
            mission.difficulty, mission.task_cards, mission.crew_goals, edition,
        )  # fmt: skip

    @property
    def all_tokens(self) -> tuple[str | None, ...]:
        """A token or None for each task, in the order drawn."""
        return (*self.tokens, *[None] * (self.tasks - len(self.tokens)))


def check_load(tasks: int, tokens: tuple[str, ...] | list[str]) -> None:
    """Raise InputError unless this many task cards can be drawn and the tokens laid on the first of them."""
    if not 0 <= tasks <= TASK_CARDS:
        raise InputError(f"{tasks} tasks cannot be drawn: there are {TASK_CARDS} task cards")
    if len(tokens) > tasks:
        raise InputError(f"{len(tokens)} tokens ({' '.join(tokens)}) need as many tasks, but there are {tasks}")
    check_tokens([*tokens, *[None] * (tasks - len(tokens))])


def tricks_of(players: int) -> int:
    """Number of tricks of a full hand."""
    return MAX_CARDS // players


@lru_cache(maxsize=64)
def load_table(load: Load, players: int) -> LoadTable:
    """The load for this many players as the arrays that batches read (see kernels.batch)."""
    stack = load_task_cards() if load.game == "deep-sea" and (load.difficulty is not None or load.task_cards) else ()
    tricks = tricks_of(players)
    goals = [card.form.resolve(players, tricks, AGAINST_CAPTAIN) for card in stack]
    goals += [goal.form.resolve(players, tricks, AGAINST_CAPTAIN) for goal in load.crew]
    start = np.cumsum([0, *(len(goal.conditions) for goal in goals)])
    rows = [(*condition, is_special(condition, tricks)) for goal in goals for condition in goal.conditions]
    before, counted = precedence(range(load.tasks), load.all_tokens, 0)
    places = {card.slug: place for place, card in enumerate(stack)}
    counts = range(1, at.MAX_GOALS - MAX_SEATS + 1) if load.difficulty is not None else range(load.tasks, load.tasks + 1)
    apart, captain_from = _must_differ(load.distribution, players)
    return LoadTable(
        count=load.tasks,
        before=np.array(before, np.int64),
        rank=np.array([int(token) if token in ABSOLUTE else 0 for token in load.all_tokens], np.int64),
        counted=int(counted),
        allowed=_allowed(load.distribution, counts, players),
        fewest=counts[0],
        values=np.array([card.difficulty_for(players, load.edition) for card in stack], np.int64),
        total=-1 if load.difficulty is None else load.difficulty,
        fixed=np.array([places[slug] for slug in load.task_cards], np.int64),
        start=start.astype(np.int64),
        conditions=np.array(rows, np.int64).reshape(len(rows), len(Condition._fields) + 1),
        any_of=np.array([goal.any_of for goal in goals], np.int64),
        barred=np.array([card.not_for_captain for card in stack], np.int64),
        redeal=np.array([(places[card.slug], cards) for card in stack for cards in card.redeal], np.int64).reshape(-1, 2),
        exclusive=_pairs(stack, players, same_owner=False),
        contrary=_pairs(stack, players, same_owner=True),
        apart=apart,
        captain_from=captain_from,
        hardest=int(hardest_first(load.distribution)),
        crew=len(load.crew),
        everyone=np.array([goal.who == "everyone" for goal in load.crew], np.int64),
    )


def _must_differ(distribution: str, players: int) -> tuple[int, int]:
    """Up to how many tasks they have to be at different owners, and from how many on the captain has to take one."""
    return {
        "round-robin-with-passing": (players, players),
        "captain-hardest-first": (players, 1),
        "captain-excluded": (players - 1, 99),
        "two-volunteers": (2, 99),
    }.get(distribution, (0, 99))


def _allowed(distribution: str, tasks: range, players: int) -> np.ndarray:
    vectors = [[allowed_counts(distribution, number, players, captain) for captain in range(players)] for number in tasks]
    most = max(1, max(len(rows) for by_captain in vectors for rows in by_captain))
    table = np.full((len(tasks), players, most, players), -1, np.int64)
    for number, by_captain in enumerate(vectors):
        for captain, rows in enumerate(by_captain):
            for place, counts in enumerate(rows):
                table[number, captain, place] = counts
    return table


@lru_cache(maxsize=12)
def _pairs(stack: tuple[TaskCard, ...], players: int, same_owner: bool) -> np.ndarray:
    pairs = load_exclusions(players, same_owner=same_owner) if stack else frozenset()
    matrix = [[frozenset((one.slug, other.slug)) in pairs for other in stack] for one in stack]
    return np.array(matrix, np.int64).reshape(len(stack), len(stack))


def new_deals(number: int, players: int) -> Deals:
    """Room for this many deals."""
    wide = TASK_CARDS
    return Deals(
        np.zeros(number, np.int64), np.zeros(number, np.int64), np.zeros((number, MAX_SEATS), np.int64), np.zeros(number, np.int64),
        np.zeros((number, wide), np.int64), np.full((number, wide), -1, np.int64),
        np.zeros((number, tricks_of(players) * players), np.int8), np.zeros(number, np.int64), np.zeros(number, np.int64),
    )  # fmt: skip


def deal_load(load: Load, players: int, seed: int, index: int, draft: str = "best") -> Position:
    """Deal number ``index`` of ``seed`` for a load; with draft ``random`` its tasks have owners.

    Raises InputError when no legal owners can be drawn.
    """
    deals = new_deals(1, players)
    table = load_table(load, players)
    if not make_deal(seed, index, players, FULL_DECK, table, draft == "random", deals, 0):
        raise cannot_deal(seed, index)
    stack = load_task_cards() if len(table.values) else None
    tokens = load.all_tokens
    tasks = []
    for place in range(int(deals.count[0])):
        card, owner = int(deals.tasks[0, place]), int(deals.owners[0, place])
        token = tokens[place] if stack is None else None
        tasks.append(Task(card if stack is None else stack[card].slug, None if owner < 0 else owner, token))
    hands = tuple(int(hand) for hand in deals.hands[0, :players])
    number = None if load.mission is None else load.mission.number
    position = Position(hands, (), (), load.distribution, None, load.game, crew=load.crew, edition=load.edition)
    return replace(position, tasks=tuple(tasks), mission=number)


def cannot_deal(seed: int, index: int) -> InputError:
    """What to say about a deal whose tasks or owners cannot be drawn."""
    return InputError(f"deal {index} of seed {seed}: no tasks, or no owners for them, can be drawn that the rules allow")
