"""A position: a deal, the cards played so far, and the tasks. Checked when it is made; knows no search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from .cards import CAPTAIN_CARD, FULL_DECK, SUIT_MASKS, TRUMP, TRUMP_LETTERS, cards_of, format_card, mask_of, suit_of
from .drafts import Counts, allowed_counts, check_distribution, default_distribution, hardest_first, remaining_counts, with_one_move
from .errors import InputError
from .goals import CrewGoal, Duty
from .schema import nearest
from .taskcards import find_task_card
from .tokens import check_tokens

PLAYERS = (2, 3, 4, 5)
"""Two play with a third hand of columns, three seats in all."""
PLAYED = ("planet-nine", "deep-sea")
"""The games whose rules are built."""
CHALLENGE_DECK = FULL_DECK & ~SUIT_MASKS[2] & ~(1 << TRUMP * 9)
"""The challenge for three: no green card and no trump 1."""
SETUPS = ("swap-two-tokens", "move-token")
LEFT, RIGHT, EITHER = 1, -1, 0
DIRECTIONS = {"left": LEFT, "right": RIGHT, "any": EITHER}


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


@dataclass(frozen=True, slots=True)
class Exchange:
    """Every seat passes one card to a neighbour, all at once, when so many tricks are over.

    ``after`` 0 is the distress signal: colour cards only. ``to`` is LEFT (clockwise), RIGHT, or EITHER for whichever the
    crew wants. ``order`` are cards of which from every hand the first one that may go does go; without them the crew chooses.
    """

    after: int
    to: int
    order: tuple[int, ...] = ()

    def choices(self, hand: int, hidden: int) -> int:
        """The cards of a hand of which one may go: at the distress signal a colour card that can be seen, later any card,
        but of a hand of columns one that cannot be seen, as long as there is one."""
        if self.after == 0:
            return hand & ~hidden & ~SUIT_MASKS[TRUMP]
        return hand & hidden or hand


@dataclass(frozen=True)
class Position:
    """A deal, the plays so far and the tasks.

    ``hands`` are the card sets dealt, seat 0 first (the played cards included); ``plays`` are the tricks so far
    as cards in play order, the last may be partial; ``distribution`` is the rule that binds the owners of tasks
    without one; ``mission`` is the mission's number, or its name when it is of no game, when the tasks are a
    mission's; ``deck`` is what must have been dealt. The owners given are checked against the distribution where it
    matters: when some task has none, or when a mission is named. ``crew`` are the goals of the whole crew, ``roles``
    the seats of those roles in them that are given; ``edition`` is the print of the task cards, where prints differ.

    ``columns`` are the (open, hidden) pairs of cards of the third hand that two players play with, hidden -1 where
    nothing lies under a card: only open cards can be played and oblige to follow, and what is hidden opens when the trick
    is over. ``exchanges`` are cards passed to neighbours. ``setup`` is what the crew may do with the tokens before the
    first task is taken (SETUPS, or nothing): up to the draft, so only while some task has no owner and nothing is
    played. ``five_player_rule``: with five players one task may then move to another seat, as long as nothing is played;
    ``moved`` is the task that did, by index, with the seat it came from. ``ends_with_tasks``: the attempt is over,
    and its goals have to hold, when the last task is completed; else they have to when the last trick is over.
    ``readings`` are the names of the other readings of open questions that the position follows; of them it knows
    "captain-passes": a captain for whom nothing is left that it may take owns none, instead of such tasks being impossible.
    ``text`` is the special rule of the mission in words, ``open_points`` what the rules leave open in it, with the reading used.

    Raises InputError when the deal or the tasks are impossible. Illegal plays are found by the referee.
    """

    hands: tuple[int, ...]
    tasks: tuple[Task, ...]
    plays: tuple[tuple[int, ...], ...] = ()
    distribution: str = ""
    mission: int | str | None = None
    game: str = "planet-nine"
    deck: int = FULL_DECK
    crew: tuple[CrewGoal, ...] = ()
    edition: str | None = None
    roles: tuple[tuple[str, int], ...] = ()
    columns: tuple[tuple[int, int], ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    setup: str = ""
    five_player_rule: bool = False
    moved: tuple[int, int] | None = None
    ends_with_tasks: bool = False
    readings: tuple[str, ...] = ()
    text: str = ""
    open_points: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_game(self.game)
        object.__setattr__(self, "distribution", self.distribution or default_distribution(self.game))
        check_distribution(self.distribution, self.game)
        _check_deal(self.hands, self.deck, self.game, self.columns)
        _check_tasks(self.tasks, self.deck, self.players, self.game)
        self._check_roles()
        self._check_exchanges()
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

    def _check_roles(self) -> None:
        known = {goal.role.name: goal.role for goal in self.crew if goal.role is not None and goal.role.left_of is None}
        for name, seat in self.roles:
            if name not in known:
                raise InputError(f"there is no role {name!r} to be given to a seat{nearest(name, known)}")
            if not 0 <= seat < self.players:
                raise InputError(f"seat {seat} of the {name} is out of range: seats are 0 to {self.players - 1}")
            if known[name].among == "others" and seat == self.captain:
                raise InputError(f"the captain, seat {seat}, cannot be the {name}: the rules want another member")
        if len({seat for _, seat in self.roles}) < len(self.roles):
            raise InputError("two roles are given to one seat: different roles go to different members")

    def _check_exchanges(self) -> None:
        for exchange in self.exchanges:
            signal = exchange.after == 0
            if exchange.to == EITHER and not (signal and not self.plays):
                raise InputError("the direction of a distress signal must be given once cards have been played")
            if not exchange.order and len(self.plays) > exchange.after:
                raise InputError(f"cards are passed after {exchange.after} tricks, and more are played: say which cards were passed")
            for card in exchange.order if signal else ():
                if suit_of(card) == TRUMP:
                    raise InputError(f"{format_card(card, self.game)} cannot be passed with the distress signal: only colour cards can")
            for seat, hand in enumerate(self.hands if signal else ()):
                choices = exchange.choices(hand, self.hidden)
                if not choices:
                    raise InputError(f"seat {seat} has no colour card to pass with the distress signal")
                if exchange.order and not choices & mask_of(exchange.order):
                    raise InputError(f"none of the cards passed is a card that seat {seat} can pass")

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.hands)

    @cached_property
    def hidden(self) -> int:
        """The cards that lie under another one at the start."""
        return mask_of(hidden for _, hidden in self.columns if hidden >= 0)

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

    @cached_property
    def _drafted(self) -> list[Counts]:
        """The task counts that the distribution allows, before any task moves."""
        cards = [find_task_card(task.card) for task in self.tasks if isinstance(task.card, str)]
        if "captain-passes" in self.readings and cards and all(card.not_for_captain for card in cards) and self._captain_must_own:
            return allowed_counts("captain-excluded", len(self.tasks), self.players, self.captain)
        return allowed_counts(self.distribution, len(self.tasks), self.players, self.captain)

    @property
    def _captain_must_own(self) -> bool:
        rows = allowed_counts(self.distribution, len(self.tasks), self.players, self.captain)
        return all(counts[self.captain] for counts in rows)

    @cached_property
    def _allowed(self) -> list[Counts]:
        moves = self.five_player_rule and self.players == 5 and self.moved is None
        return with_one_move(self._drafted) if moves else self._drafted

    @cached_property
    def counts(self) -> list[Counts]:
        """How many of the tasks without owner each seat may take at most: the count vectors that are left."""
        return remaining_counts(self._allowed, self._drafted_owners)

    @property
    def _drafted_owners(self) -> tuple[int | None, ...]:
        if self.moved is None:
            return self.owners
        task, giver = self.moved
        return (*self.owners[:task], giver, *self.owners[task + 1 :])

    @cached_property
    def hardest(self) -> tuple[int, ...]:
        """The tasks, by index, of which the captain must own one: the hardest that the captain may take, where the
        distribution says so; else none."""
        if not hardest_first(self.distribution):
            return ()
        cards = [find_task_card(str(task.card)) for task in self.tasks]
        barred = [card.not_for_captain and self.distribution != "captain-hardest-only" for card in cards]
        difficulty = [-1 if out else card.difficulty_for(self.players, self.edition) for out, card in zip(barred, cards, strict=True)]
        hardest = tuple(index for index, number in enumerate(difficulty) if number == max(difficulty) and number >= 0)
        return hardest[:1] if self.distribution == "captain-hardest-leftmost" else hardest

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
        token_cards = {str(task.token): 1 << task.target for task in self.tasks if task.token is not None}
        table = (self.players, self.tricks, self.captain, self.deck, token_cards)
        duties = [
            Duty(find_task_card(task.card).form.resolve(*table), seats, index)
            for index, (task, seats) in enumerate(zip(self.tasks, self.seats, strict=True))
            if isinstance(task.card, str)
        ]
        for goal in self.crew:
            duties += goal.duties(goal.form.resolve(*table), self.players, self.captain, self.hands, dict(self.roles))
        return tuple(duties)

    def may_own(self, owners: Sequence[int]) -> bool:
        """Whether the tasks may belong to these owners, one for each task, without a given owner's task moving."""
        fits = all(seats >> owner & 1 for seats, owner in zip(self.seats, owners, strict=True))
        first = not self.hardest or any(owners[index] == self.captain for index in self.hardest)
        if self.moved is not None:
            task, giver = self.moved
            owners = [*owners[:task], giver, *owners[task + 1 :]]
        return fits and first and bool(remaining_counts(self._allowed, owners))

    def with_owners(self, owners: Sequence[int | None]) -> Position:
        """The same position with these owners for its tasks."""
        tasks = tuple(Task(task.card, owner, task.token) for task, owner in zip(self.tasks, owners, strict=True))
        return replace(self, tasks=tasks)

    @property
    def one_may_move(self) -> bool:
        """Whether all tasks have owners given, as a draft can give them, and one of them may still move."""
        return self._may_move and None not in self.owners

    @property
    def _may_move(self) -> bool:
        """Whether a task with a given owner may still move. Where the owners given are none that a draft gives, one has moved already."""
        rule = self.five_player_rule and self.players == 5 and self.moved is None and not self.plays
        return rule and bool(remaining_counts(self._drafted, self.owners))

    def alternatives(self, moves: bool = True) -> list[Position]:
        """The positions that differ in what the crew decides beforehand, as it is first: how the tokens lie, which task with a
        given owner moves (unless ``moves`` is False), to which side the distress signal goes. The position can be won when
        one of them can."""
        ways = [replace(self, setup="", tasks=tasks) for tasks in self._token_ways()]
        ways = [
            replace(way, tasks=tasks, moved=moved) if moved else way
            for way in ways
            for tasks, moved in (way._moves() if moves else [(way.tasks, None)])
        ]
        return [
            replace(way, exchanges=tuple(replace(exchange, to=exchange.to or to) for exchange in way.exchanges))
            for way in ways
            for to in ((LEFT, RIGHT) if any(exchange.to == EITHER for exchange in way.exchanges) else (LEFT,))
        ]

    def _token_ways(self) -> list[tuple[Task, ...]]:
        """How the tokens may lie, each way as tasks; first as they do."""
        ways = [self.tasks]
        open_draft = None in self.owners and not self.plays
        for one, other in combinations(range(len(self.tasks)), 2) if open_draft and self.setup else ():
            a, b = self.tasks[one], self.tasks[other]
            number = (a.token is not None) + (b.token is not None)
            if number == (2 if self.setup == "swap-two-tokens" else 1):
                tasks = list(self.tasks)
                tasks[one], tasks[other] = replace(a, token=b.token), replace(b, token=a.token)
                ways.append(tuple(tasks))
        return ways

    def _moves(self) -> list[tuple[tuple[Task, ...], tuple[int, int] | None]]:
        """No move, and every move of a task with a given owner, as tasks and ``moved``."""
        ways: list[tuple[tuple[Task, ...], tuple[int, int] | None]] = [(self.tasks, None)]
        if self._may_move:
            for index, task in enumerate(self.tasks):
                for seat in range(5 if task.owner is not None else 0):
                    if task.owner is not None and seat != task.owner:
                        tasks = (*self.tasks[:index], replace(task, owner=seat), *self.tasks[index + 1 :])
                        ways.append((tasks, (index, task.owner)))
        return ways


def check_game(game: str) -> None:
    """Raise InputError unless this is a game whose rules are built."""
    if game not in TRUMP_LETTERS:
        raise InputError(f"unknown game {game!r}: what can be played is {', '.join(PLAYED)}")
    if game not in PLAYED:
        raise InputError(f"game {game!r} is not built yet: what can be played is {', '.join(PLAYED)}")


def _check_deal(hands: Sequence[int], deck: int, game: str, columns: Sequence[tuple[int, int]]) -> None:
    players = len(hands)
    if not 3 <= players <= 5 and (deck == FULL_DECK or not 2 <= players <= 5):
        two = "two players write a third hand in columns, such as P1/B2 P3/G4"
        raise InputError(f"the number of hands is {players}: a deal has 3, 4 or 5; {two}")
    if columns:
        _check_columns(hands, deck, game, columns)
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
    third = mask_of(card for column in columns for card in column if card >= 0)
    if columns and extra and third.bit_count() == small:
        raise InputError(f"the third hand has {small} cards, but it is the one with {small + 1}: {(small + 1) // 2} columns of two")
    sizes = [hand.bit_count() for hand in hands]
    if sorted(sizes, reverse=True) != [small + 1] * extra + [small] * (players - extra):
        right = f"{small} cards each" if not extra else f"{small} cards each and one more in {extra} of them"
        raise InputError(f"wrong hand sizes {'/'.join(map(str, sizes))}: with {players} players it is {right}")


def _check_columns(hands: Sequence[int], deck: int, game: str, columns: Sequence[tuple[int, int]]) -> None:
    if len(hands) != 3 and deck in (FULL_DECK, CHALLENGE_DECK):
        raise InputError(f"the number of hands is {len(hands)}, one of them in columns: two players have a third hand in columns")
    cards = [card for column in columns for card in column if card >= 0]
    third = mask_of(cards)
    if len(cards) > third.bit_count():
        twice = next(card for card in cards if cards.count(card) > 1)
        raise InputError(f"duplicate card {format_card(twice, game)} in the columns of the third hand")
    if third not in hands:
        raise InputError("the columns are not the cards of one hand")
    if third >> CAPTAIN_CARD & 1:
        raise InputError(f"{format_card(CAPTAIN_CARD, game)} cannot lie in the third hand: the captain is one of the two players")
    if any(hidden < 0 for _, hidden in columns) and deck in (FULL_DECK, CHALLENGE_DECK):
        raise InputError("a column of the third hand has one card: every open card lies on a hidden one, such as P1/B2")


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
