"""Loads: what is dealt for every deal of a rate, and the deals themselves, by number.

Deal ``index`` of ``seed`` is always the same, alone and in a rate, so any deal of a published rate can be rebuilt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ..kernels import batch
from ..kernels import layout as at
from ..kernels.batch import AGAINST_CAPTAIN, COLUMNS, Deals, LoadTable, make_deal
from ..kernels.layout import MAX_CARDS, MAX_SEATS
from .cards import FULL_DECK, TRUMP, cards_of, parse_hand, suit_of
from .drafts import allowed_counts, check_distribution, default_distribution, with_one_move
from .errors import InputError
from .exclusions import load_exclusions
from .goals import TOGETHER, Condition, CrewGoal
from .missions import Mission
from .positions import CHALLENGE_DECK, LEFT, RIGHT, Exchange, Position, Task, check_game
from .tables import is_special, precedence
from .taskcards import EDITIONS, TaskCard, find_task_card, load_task_cards
from .tokens import ABSOLUTE, check_tokens

TASK_CARDS = sum(suit_of(card) != TRUMP for card in cards_of(FULL_DECK))
THIRD_SEAT = 2
"""Where the third hand sits when two play and nothing is said."""
TAKES = {"seeded": batch.SEEDED, "best": batch.FREE, "expected": batch.FREE}
_STUCK = {"captain-passes": batch.PASS, "no-exchange": batch.DRAW_AGAIN}
"""What becomes of a captain for whom nothing is left that it may take, by the reading."""
_HARDEST = {
    "captain-hardest-first": batch.HARDEST,
    "captain-hardest-leftmost": batch.HARDEST_LEFTMOST,
    "captain-hardest-only": batch.HARDEST_ONLY,
}
HARDEST = 25
"""The highest difficulty for which cards are drawn: the search has room for no more goals."""


@dataclass(frozen=True)
class Load:
    """What is dealt for each deal: how many task cards, the tokens on the first of them, and who may own them.

    In Deep Sea either ``difficulty``, to which task cards are drawn, or ``task_cards``, the slugs that are always there.
    ``crew`` are goals of the whole crew; ``edition`` the print of the task cards, where prints differ; ``distribution`` is
    the usual one of the game where nothing is said. ``setup``, ``five_player_rule`` and ``ends_with_tasks`` are as in
    Position. ``pass_after``: when so many tricks are over, every seat passes a card, ``pass_to`` the LEFT or RIGHT; which one
    ``takes`` says: ``seeded`` (drawn with the deal), ``best`` (the crew wants), or ``expected`` (not known beforehand: beside
    whether the deal can be won at best, how often it is, see takes.py).

    ``challenge``: the deck without green and trump 1, for three seats. ``third_seat``: the seat of the third hand when two
    play. ``readings`` are as in Position.

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
    setup: str = ""
    five_player_rule: bool = False
    ends_with_tasks: bool = False
    pass_after: int = 0
    pass_to: int = LEFT
    takes: str = "seeded"
    challenge: bool = False
    third_seat: int = THIRD_SEAT
    readings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_game(self.game)
        if self.takes not in TAKES:
            raise InputError(f"unknown takes {self.takes!r}: they are {' or '.join(TAKES)}")
        if not 0 <= self.third_seat < 3:
            raise InputError(f"the third hand cannot be at seat {self.third_seat}: seats are 0 to 2")
        if self.challenge and self.game != "planet-nine":
            raise InputError(f"the challenge deck belongs to planet-nine, not to {self.game}")
        object.__setattr__(self, "distribution", self.distribution or default_distribution(self.game))
        check_distribution(self.distribution, self.game)
        if self.game == "deep-sea":
            object.__setattr__(self, "tasks", len(self.task_cards))
            self._check_cards()
        check_load(self.tasks, self.tokens, self.deck)

    @property
    def deck(self) -> int:
        """The card set that is dealt."""
        return CHALLENGE_DECK if self.challenge else FULL_DECK

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
        event = mission.events[0] if mission.events else None
        return cls(
            0 if mission.game == "deep-sea" else mission.tasks, mission.tokens, mission.distribution or "", mission, mission.game,
            mission.difficulty, mission.task_cards, mission.crew_goals, edition, mission.setup, mission.five_player_rule,
            mission.ends_with_tasks, event.after_trick if event else 0, LEFT if event is None or event.source == "right" else RIGHT,
            readings=mission.readings,
        )  # fmt: skip

    def check_players(self, players: int) -> None:
        """Raise InputError when this load is not for so many players."""
        if self.challenge and players > 3:
            raise InputError(f"the challenge deck is for 3 players or 2, not for {players}")

    @property
    def all_tokens(self) -> tuple[str | None, ...]:
        """A token or None for each task, in the order drawn."""
        return (*self.tokens, *[None] * (self.tasks - len(self.tokens)))


def check_load(tasks: int, tokens: tuple[str, ...] | list[str], deck: int = FULL_DECK) -> None:
    """Raise InputError unless this many task cards can be drawn and the tokens laid on the first of them."""
    cards = sum(suit_of(card) != TRUMP for card in cards_of(deck))
    if not 0 <= tasks <= cards:
        raise InputError(f"{tasks} tasks cannot be drawn: there are {cards} task cards")
    if len(tokens) > tasks:
        raise InputError(f"the tokens {' '.join(tokens)} need a task each: the number of tasks is {tasks}")
    check_tokens([*tokens, *[None] * (tasks - len(tokens))])


def seats_of(players: int) -> int:
    """Number of seats: two players play with a third hand."""
    return max(players, 3)


def tricks_of(players: int, deck: int = FULL_DECK) -> int:
    """Number of tricks of a full hand."""
    return deck.bit_count() // seats_of(players)


def drawn(load: Load, draft: str) -> Load:
    """The load by which deals are made: owners are drawn before a task moves."""
    return replace(load, five_player_rule=False) if draft == "random" else load


@lru_cache(maxsize=64)
def load_table(load: Load, players: int) -> LoadTable:
    """The load for this many players as the arrays that batches read (see kernels.batch)."""
    stack = load_task_cards() if load.game == "deep-sea" and (load.difficulty is not None or load.task_cards) else ()
    seats, tricks = seats_of(players), tricks_of(players, load.deck)
    tokens = {token: 1 << batch.TOKEN_BIT + place for place, token in enumerate(load.tokens)}
    crew = [row for goal in load.crew for row in _crew_rows(goal, seats)]
    goals = [card.form.resolve(seats, tricks, AGAINST_CAPTAIN) for card in stack]
    for goal in load.crew:
        resolved = goal.form.resolve(seats, tricks, AGAINST_CAPTAIN, load.deck, tokens)
        if goal.who == "together":
            resolved = resolved._replace(conditions=tuple(condition._replace(against=TOGETHER) for condition in resolved.conditions))
        goals += [resolved] * len(_crew_rows(goal, seats))
    start = np.cumsum([0, *(len(goal.conditions) for goal in goals)])
    rows = [(*condition, is_special(condition, tricks)) for goal in goals for condition in goal.conditions]
    before, counted = precedence(range(load.tasks), load.all_tokens, 0)
    places = {card.slug: place for place, card in enumerate(stack)}
    counts = range(1, at.MAX_GOALS - MAX_SEATS + 1) if load.difficulty is not None else range(load.tasks, load.tasks + 1)
    apart, captain_from = _must_differ(load.distribution, seats)
    return LoadTable(
        count=load.tasks,
        before=np.array(before, np.int64),
        rank=np.array([int(token) if token in ABSOLUTE else 0 for token in load.all_tokens], np.int64),
        counted=int(counted),
        allowed=_allowed(load.distribution, counts, seats, load.five_player_rule and seats == 5),
        fewest=counts[0],
        values=np.array([card.difficulty_for(players, load.edition) for card in stack], np.int64),
        total=-1 if load.difficulty is None else load.difficulty,
        fixed=np.array([places[slug] for slug in load.task_cards], np.int64),
        start=start.astype(np.int64),
        conditions=np.array(rows, np.int64).reshape(len(rows), len(Condition._fields) + 1),
        any_of=np.array([goal.any_of for goal in goals], np.int64),
        barred=np.array([card.not_for_captain for card in stack], np.int64),
        redeal=np.array([(places[card.slug], cards) for card in stack for cards in card.redeal], np.int64).reshape(-1, 2),
        exclusive=_pairs(stack, seats, same_owner=False),
        contrary=_pairs(stack, seats, same_owner=True),
        apart=apart,
        captain_from=captain_from,
        stuck=next((_STUCK[name] for name in load.readings if name in _STUCK), batch.EXCHANGE),
        passed=_allowed("captain-excluded", counts, seats, False) if stack else np.zeros((0, 0, 0, 0), np.int64),
        hardest=_HARDEST.get(load.distribution, 0),
        crew=np.array(crew, np.int64).reshape(len(crew), 4),
        ends=int(load.ends_with_tasks),
        third=load.third_seat if players == 2 else -1,
        pass_after=load.pass_after,
        pass_to=load.pass_to,
        pass_by=TAKES[load.takes] if load.pass_after else 0,
    )


def _crew_rows(goal: CrewGoal, seats: int) -> list[tuple[int, int, int, int]]:
    """Who has to fulfil a goal of the crew, in rows as LoadTable wants them: one goal for each."""
    everyone = (1 << seats) - 1
    if goal.who == "everyone":
        return [(batch.SEATS, 1 << seat, 0, 0) for seat in range(seats)]
    if goal.role is None:
        return [(batch.CAPTAIN, 0, 0, 0) if goal.who == "captain" else (batch.SEATS, everyone, 0, 0)]
    if goal.role.left_of is None:
        return [(batch.OTHERS, 0, 0, 1) if goal.role.among == "others" else (batch.SEATS, everyone, 0, 1)]
    (card,) = cards_of(parse_hand(goal.role.left_of))
    return [(batch.HOLDER_OF, card, steps, 0) for steps in (range(2, seats + 1) if goal.who.startswith("not ") else (1,))]


def _must_differ(distribution: str, players: int) -> tuple[int, int]:
    """Up to how many tasks they have to be at different owners, and from how many on the captain has to take one."""
    return {
        "round-robin-with-passing": (players, players),
        **dict.fromkeys(_HARDEST, (players, 1)),
        "captain-excluded": (players - 1, 99),
        "two-volunteers": (2, 99),
    }.get(distribution, (0, 99))


def _allowed(distribution: str, tasks: range, players: int, one_moves: bool) -> np.ndarray:
    vectors = [[allowed_counts(distribution, number, players, captain) for captain in range(players)] for number in tasks]
    if one_moves:
        vectors = [[with_one_move(rows) for rows in by_captain] for by_captain in vectors]
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


def new_deals(number: int, players: int, deck: int = FULL_DECK) -> Deals:
    """Room for this many deals."""
    wide = TASK_CARDS
    return Deals(
        np.zeros(number, np.int64), np.zeros(number, np.int64), np.zeros((number, MAX_SEATS), np.int64), np.zeros(number, np.int64),
        np.zeros((number, wide), np.int64), np.full((number, wide), -1, np.int64),
        np.zeros((number, tricks_of(players, deck) * seats_of(players)), np.int8), np.zeros(number, np.int64), np.zeros(number, np.int64),
        np.full((number, COLUMNS), -1, np.int64), np.zeros((number, MAX_CARDS), np.int64),
    )  # fmt: skip


def deal_load(load: Load, players: int, seed: int, index: int, draft: str = "best") -> Position:
    """Deal number ``index`` of ``seed`` for a load; with draft ``random`` its tasks have owners.

    Raises InputError when no legal owners can be drawn.
    """
    load.check_players(players)
    deals = new_deals(1, players, load.deck)
    table = load_table(drawn(load, draft), players)
    seats = seats_of(players)
    if not make_deal(seed, index, seats, load.deck, table, draft == "random", deals, 0):
        raise cannot_deal(seed, index)
    stack = load_task_cards() if len(table.values) else None
    tokens = load.all_tokens
    tasks = []
    for place in range(int(deals.count[0])):
        card, owner = int(deals.tasks[0, place]), int(deals.owners[0, place])
        token = tokens[place] if stack is None else None
        tasks.append(Task(card if stack is None else stack[card].slug, None if owner < 0 else owner, token))
    hands = tuple(int(hand) for hand in deals.hands[0, :seats])
    half = COLUMNS // 2
    columns = zip(deals.columns[0, :half].tolist(), deals.columns[0, half:].tolist(), strict=True)
    order = tuple(deals.orders[0].tolist()) if load.takes == "seeded" else ()
    number = None if load.mission is None else load.mission.key
    position = Position(
        hands, (), (), load.distribution, None, load.game, load.deck, load.crew, load.edition,
        columns=tuple(column for column in columns if column[0] >= 0),
        exchanges=(Exchange(load.pass_after, load.pass_to, order),) if load.pass_after else (),
        setup=load.setup, five_player_rule=load.five_player_rule, ends_with_tasks=load.ends_with_tasks, readings=load.readings,
    )  # fmt: skip
    if load.mission is not None:
        position = replace(position, text=load.mission.text, open_points=load.mission.open_points)
    return replace(position, tasks=tuple(tasks), mission=number)


def cannot_deal(seed: int, index: int) -> InputError:
    """What to say about a deal whose tasks or owners cannot be drawn."""
    return InputError(f"deal {index} of seed {seed}: no tasks, or no owners for them, can be drawn that the rules allow")
