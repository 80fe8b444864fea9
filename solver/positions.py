"""A position: a deal, the cards played so far, and the tasks. Checked when it is made; knows no search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from .cards import CAPTAIN_CARD, FULL_DECK, TRUMP, TRUMP_LETTERS, cards_of, format_card, suit_of
from .drafts import Counts, allowed_counts, check_distribution, default_distribution, hardest_first, remaining_counts
from .errors import InputError
from .goals import CrewGoal, Duty
from .taskcards import find_task_card
from .tokens import check_tokens

PLAYERS = (3, 4, 5)
PLAYED = ("planet-nine", "deep-sea")
"""The games whose rules are built."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task card with its owner.

    ``card`` is the colour card it shows, to be won by the owner, or in Deep Sea its slug, whose goal the owner has to
    fulfil; ``owner`` is a seat, or None when the draft decides; ``token`` is an order token, or None.
    """

    card: int | str
    owner: int | None = None
    token: str | None = None

    @property
    def target(self) -> int:
        """The colour card to be won; -1 for a task with a goal."""
        return self.card if isinstance(self.card, int) else -1

    def name(self, game: str) -> str:
        """The task card in notation, without owner and token."""
        return format_card(self.card, game) if isinstance(self.card, int) else self.card


@dataclass(frozen=True)
class Position:
    """A deal, the plays so far and the tasks.

    ``hands`` are the card sets dealt, seat 0 first (the played cards included); ``plays`` are the tricks so far
    as cards in play order, the last may be partial; ``distribution`` is the rule that binds the owners of tasks
    without one; ``mission`` is the mission's number when the tasks are a mission's; ``deck`` is what must have
    been dealt. The owners given are checked against the distribution where it matters: when some task
    has none, or when a mission is named. ``crew`` are the goals of the whole crew; ``edition`` is the print of the task
    cards, where prints differ.

    Raises InputError when the deal or the tasks are impossible. Illegal plays are found by the referee.
    """

    hands: tuple[int, ...]
    tasks: tuple[Task, ...]
    plays: tuple[tuple[int, ...], ...] = ()
    distribution: str = ""
    mission: int | None = None
    game: str = "planet-nine"
    deck: int = FULL_DECK
    crew: tuple[CrewGoal, ...] = ()
    edition: str | None = None

    def __post_init__(self) -> None:
        check_game(self.game)
        object.__setattr__(self, "distribution", self.distribution or default_distribution(self.game))
        check_distribution(self.distribution, self.game)
        _check_deal(self.hands, self.deck, self.game)
        _check_tasks(self.tasks, self.deck, self.players, self.game)
        for task in self.tasks:
            if task.owner == self.captain and isinstance(task.card, str) and find_task_card(task.card).not_for_captain:
                raise InputError(f"task {task.card} compares its owner with the captain, so the captain, seat {task.owner}, cannot own it")
        if not self._allowed:
            raise InputError(f"the {self.distribution} distribution cannot hand out {len(self.tasks)} tasks")
        if not self.counts and (self.mission is not None or None in self.owners):
            raise InputError(
                f"the owners given do not fit the {self.distribution} distribution: with seat {self.captain} as captain it allows "
                + " or ".join(str(list(c)) for c in self._allowed[:4])
                + " tasks per seat, seat 0 first"
            )
        hardest = [self.owners[index] for index in self.hardest]
        if hardest and not {None, self.captain} & set(hardest) and (self.mission is not None or None in self.owners):
            raise InputError(
                f"the owners given leave the captain, seat {self.captain}, none of the hardest tasks, one of which it must take"
            )

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.hands)

    @property
    def tricks(self) -> int:
        """Number of tricks played to the end: the size of the smallest hand (13, 10, 8 for 3, 4, 5 players)."""
        return min(hand.bit_count() for hand in self.hands)

    @cached_property
    def captain(self) -> int:
        """The seat dealt trump 4; it leads trick 1."""
        return next(seat for seat, hand in enumerate(self.hands) if hand >> CAPTAIN_CARD & 1)

    @property
    def owners(self) -> tuple[int | None, ...]:
        """The owner of each task as given, None where the draft decides."""
        return tuple(task.owner for task in self.tasks)

    @property
    def _allowed(self) -> list[Counts]:
        return allowed_counts(self.distribution, len(self.tasks), self.players, self.captain)

    @cached_property
    def counts(self) -> list[Counts]:
        """How many of the tasks without owner each seat may take at most: the count vectors that are left."""
        return remaining_counts(self._allowed, self.owners)

    @cached_property
    def hardest(self) -> tuple[int, ...]:
        """The tasks, by index, of which the captain must own one: the hardest that the captain may take, where the
        distribution says so; else none."""
        if not hardest_first(self.distribution):
            return ()
        cards = [find_task_card(str(task.card)) for task in self.tasks]
        difficulty = [-1 if card.not_for_captain else card.difficulty_for(self.players, self.edition) for card in cards]
        return tuple(index for index, number in enumerate(difficulty) if number == max(difficulty) and number >= 0)

    @cached_property
    def seats(self) -> tuple[int, ...]:
        """The seats that may own each task as the task and the owner given say, as seat sets."""
        everyone = (1 << self.players) - 1
        return tuple(
            1 << task.owner
            if task.owner is not None
            else everyone ^ (1 << self.captain if isinstance(task.card, str) and find_task_card(task.card).not_for_captain else 0)
            for task in self.tasks
        )

    @cached_property
    def duties(self) -> tuple[Duty, ...]:
        """The goals: one of each task that has a goal, then those of the crew, in the order of ``tasks`` and ``crew``."""
        table = (self.players, self.tricks, self.captain)
        duties = [
            Duty(find_task_card(task.card).form.resolve(*table), seats, index)
            for index, (task, seats) in enumerate(zip(self.tasks, self.seats, strict=True))
            if isinstance(task.card, str)
        ]
        everyone = range(self.players)
        for who, form in self.crew:
            goal = form.resolve(*table)
            sets = [1 << seat for seat in everyone] if who == "everyone" else [(1 << self.players) - 1]
            duties += [Duty(goal, seats, -1) for seats in sets]
        return tuple(duties)

    def may_own(self, owners: Sequence[int]) -> bool:
        """Whether the tasks may belong to these owners, one for each task."""
        fits = all(seats >> owner & 1 for seats, owner in zip(self.seats, owners, strict=True))
        first = not self.hardest or any(owners[index] == self.captain for index in self.hardest)
        return fits and first and bool(remaining_counts(self._allowed, owners))

    def with_owners(self, owners: Sequence[int | None]) -> Position:
        """The same position with these owners for its tasks."""
        tasks = tuple(Task(task.card, owner, task.token) for task, owner in zip(self.tasks, owners, strict=True))
        return replace(self, tasks=tasks)


def check_game(game: str) -> None:
    """Raise InputError unless this is a game whose rules are built."""
    if game not in TRUMP_LETTERS:
        raise InputError(f"unknown game {game!r}: it is one of {', '.join(TRUMP_LETTERS)}")
    if game not in PLAYED:
        raise InputError(f"game {game!r} is not built yet: what can be played is {', '.join(PLAYED)}")


def _check_deal(hands: Sequence[int], deck: int, game: str) -> None:
    players = len(hands)
    if players not in PLAYERS and (deck == FULL_DECK or not 2 <= players <= 5):
        raise InputError(f"{players} hands given: a deal has 3, 4 or 5 (2 players play with JARVIS, which is not built yet)")
    seen = 0
    for seat, hand in enumerate(hands):
        if twice := seen & hand:
            raise InputError(f"duplicate card {format_card(next(cards_of(twice)), game)}: seat {seat} holds it and an earlier seat too")
        seen |= hand
    if missing := deck & ~seen:
        names = " ".join(format_card(card, game) for card in cards_of(missing))
        raise InputError(f"missing card{'s' * (missing.bit_count() > 1)} {names}: the hands must hold the whole deck")
    if not deck >> CAPTAIN_CARD & 1:
        raise InputError(f"missing card {format_card(CAPTAIN_CARD, game)}: its holder is the captain, so every deck has it")
    if foreign := seen & ~deck:
        raise InputError(f"card {format_card(next(cards_of(foreign)), game)} is not in this deck")
    small, extra = divmod(deck.bit_count(), players)
    sizes = [hand.bit_count() for hand in hands]
    if sorted(sizes, reverse=True) != [small + 1] * extra + [small] * (players - extra):
        right = f"{small} cards each" if not extra else f"{small} cards each and one more in {extra} of them"
        raise InputError(f"wrong hand sizes {'/'.join(map(str, sizes))}: with {players} players it is {right}")


def _check_tasks(tasks: Sequence[Task], deck: int, players: int, game: str) -> None:
    seen = 0
    twice: set[tuple[str, int | None]] = set()
    for task in tasks:
        if task.owner is not None and not 0 <= task.owner < players:
            raise InputError(f"owner {task.owner} of task {task.name(game)} is out of range: seats are 0 to {players - 1}")
        if isinstance(task.card, str) != (game == "deep-sea"):
            raise InputError(f"task {task.name(game)} is not a task card of {game}")
        if isinstance(task.card, str):
            find_task_card(task.card)
            # At two seats it asks a sound question, though the box has each card once; anything else is a slip.
            if {(task.card, task.owner), (task.card, None)} & twice or (task.owner is None and task.card in {card for card, _ in twice}):
                raise InputError(f"duplicate task {task.card}: every task card exists once")
            if task.token is not None:
                raise InputError(f"task {task.card} has token {task.token!r}, but Deep Sea has no order tokens")
            twice.add((task.card, task.owner))
            continue
        if not 0 <= task.card < CAPTAIN_CARD + 1:
            raise InputError(f"task card {task.card} is out of range: cards are 0 to {CAPTAIN_CARD}")
        name = format_card(task.card, game)
        if suit_of(task.card) == TRUMP:
            raise InputError(f"task {name} does not exist: task cards show the colours P, B, G and Y")
        if not deck >> task.card & 1:
            raise InputError(f"task {name} names a card that is not in this deck")
        if seen >> task.card & 1:
            raise InputError(f"duplicate task {name}: every task card exists once")
        seen |= 1 << task.card
    check_tokens([task.token for task in tasks])
