"""The slow, obvious twins: complete enumeration, random positions, exact counts of legal lines.

Written from the rules alone. Of the package only the card numbers and the Position it describes are used, never
the referee, the drafts or the kernels, so that what is compared with this file was thought twice.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import permutations, product
from typing import NamedTuple

from deepcrew.solver.cards import CAPTAIN_CARD, FULL_DECK, cards_of, mask_of, parse_card, parse_hand
from deepcrew.solver.errors import InputError
from deepcrew.solver.positions import Position, Task

SMALL_DECK = mask_of([0, 1, 2, 3, 9, 10, 11, 12, 38, 39])
"""P1-4 B1-4 R3 R4: ten cards, for 2 to 5 seats (5/5, 4/3/3, 3/3/2/2, 2/2/2/2/2)."""

DISTRIBUTIONS = ("round-robin", "captain-decision", "captain-distribution")

Hands = tuple[frozenset[int], ...]
Owners = tuple[int, ...]


# --- the rules of a trick -----------------------------------------------------------------------------------------


def suit(card: int) -> int:
    """0-3 for the colours, 4 for trump."""
    return card // 9


def playable(hand: frozenset[int], trick: Sequence[int]) -> list[int]:
    """The cards of a hand that may be played to a trick: follow the led suit if you can."""
    following = [card for card in sorted(hand) if trick and suit(card) == suit(trick[0])]
    return following or sorted(hand)


def winning_place(trick: Sequence[int]) -> int:
    """Which card of a finished trick wins it: the highest trump, else the highest card of the led suit."""
    trumps = [card for card in trick if suit(card) == 4]
    candidates = trumps or [card for card in trick if suit(card) == suit(trick[0])]
    return list(trick).index(max(candidates))


class Table(NamedTuple):
    """What everybody sees between two plays. ``tricks`` counts those still to be finished."""

    hands: Hands
    leader: int
    trick: tuple[int, ...]
    tricks: int

    @property
    def turn(self) -> int:
        return (self.leader + len(self.trick)) % len(self.hands)

    def choices(self) -> list[int]:
        return playable(self.hands[self.turn], self.trick) if self.tricks else []

    def after(self, card: int) -> Table:
        """The table once ``card`` is played; a full trick is left lying for ``cleared``."""
        if card not in self.choices():
            raise ValueError(f"illegal card {card}")
        hands = tuple(hand - {card} if seat == self.turn else hand for seat, hand in enumerate(self.hands))
        return Table(hands, self.leader, (*self.trick, card), self.tricks)

    @property
    def full(self) -> bool:
        return len(self.trick) == len(self.hands)

    def winner(self) -> int:
        return (self.leader + winning_place(self.trick)) % len(self.hands)

    def cleared(self) -> Table:
        """The table after a full trick was taken by its winner."""
        return Table(self.hands, self.winner(), (), self.tricks - 1)


def table_of(hands: Sequence[int]) -> Table:
    """The table after the deal: trump 4 leads."""
    sets = tuple(frozenset(cards_of(hand)) for hand in hands)
    captain = next(seat for seat, hand in enumerate(sets) if CAPTAIN_CARD in hand)
    return Table(sets, captain, (), min(len(hand) for hand in sets))


# --- who may own what ---------------------------------------------------------------------------------------------


def drafts(distribution: str, tasks: int, players: int, captain: int) -> Iterator[Owners]:
    """Every way to hand out the tasks, one owner per task, by going through the motions. May repeat itself."""
    if distribution == "round-robin":
        for picks in permutations(range(tasks)):
            taken: dict[int, int] = {}
            seat = captain
            for task in picks:
                taken[task] = seat
                seat = (seat + 1) % players
            yield tuple(taken[task] for task in range(tasks))
    elif distribution == "captain-decision":
        for seat in range(players):
            if seat != captain:
                yield (seat,) * tasks
    else:
        for owners in product(range(players), repeat=tasks):
            counts = [owners.count(seat) for seat in range(players)]
            if max(counts) - min(counts) <= 1:
                yield owners


def owners_allowed(position: Position) -> set[Owners]:
    """The owners a position still allows: those given if all are given, else every draft that agrees with them."""
    given = [task.owner for task in position.tasks]
    if None not in given:
        return {tuple(owner for owner in given if owner is not None)}
    captain = table_of(position.hands).leader
    return {
        owners
        for owners in drafts(position.distribution, len(given), len(position.hands), captain)
        if all(mine is None or mine == owner for mine, owner in zip(given, owners, strict=True))
    }


# --- order tokens -------------------------------------------------------------------------------------------------


def in_order(sequence: Sequence[int], start: int, tokens: Sequence[str | None]) -> bool:
    """Whether the tasks of ``sequence`` from index ``start`` on were completed at a time their tokens allow."""
    for index in range(start, len(sequence)):
        token = tokens[sequence[index]]
        if token is None:
            continue
        if token.isdigit() and index + 1 != int(token):
            return False
        if token == "omega" and index + 1 != len(tokens):
            return False
        if token[0] == ">":
            lower = [task for task, other in enumerate(tokens) if other is not None and other[0] == ">" and len(other) < len(token)]
            if any(task not in sequence[:index] for task in lower):
                return False
    return True


def some_order_fits(before: Iterable[int], now: Sequence[int], tokens: Sequence[str | None]) -> bool:
    """Whether the tasks of one trick can be put in an order that satisfies every token of theirs.

    A token whose place was taken by another task is noticed when its own task is completed, too late for it.
    """
    before = tuple(before)
    return any(in_order(before + order, len(before), tokens) for order in permutations(now))


# --- complete enumeration -----------------------------------------------------------------------------------------


def winnable(position: Position) -> bool:
    """Whether some legal play fulfils every task, with some owners the position allows. For small decks only."""
    return any(winnable_with(position, owners) for owners in owners_allowed(position))


def winnable_with(position: Position, owners: Owners) -> bool:
    """Whether some legal play fulfils every task of these owners. Raises ValueError when the plays so far are illegal."""
    cards = [task.card for task in position.tasks]
    tokens = [task.token for task in position.tasks]

    def judge(table: Table, done: frozenset[int]) -> frozenset[int] | None:
        """The tasks completed after a full trick, None when it breaks a rule."""
        now = [task for task, card in enumerate(cards) if card in table.trick]
        if any(owners[task] != table.winner() for task in now) or not some_order_fits(done, now, tokens):
            return None
        return done | set(now)

    @cache
    def possible(table: Table, done: frozenset[int]) -> bool:
        if len(done) == len(cards):
            return True
        for card in table.choices():
            later, completed = table.after(card), done
            if later.full:
                judged = judge(later, done)
                if judged is None:
                    continue
                later, completed = later.cleared(), judged
            if possible(later, completed):
                return True
        return False

    table, done = table_of(position.hands), frozenset[int]()
    for card in (card for trick in position.plays for card in trick):
        table = table.after(card)
        if table.full:
            if len(done) < len(cards):
                judged = judge(table, done)
                if judged is None:
                    return False
                done = judged
            table = table.cleared()
    return possible(table, done)


def count_lines(hands: Sequence[int], leader: int | None = None, depth: int | None = None) -> int:
    """The number of legal sequences of ``depth`` plays, or of plays to the end of the last trick.

    The holder of trump 4 leads, or ``leader`` where the deal has no captain. Card play only: no tasks.
    """
    sets = tuple(frozenset(cards_of(hand)) for hand in hands)
    tricks = min(len(hand) for hand in sets)

    def count(table: Table, left: int) -> int:
        if left == 0:
            return 1
        total = 0
        for card in table.choices():
            later = table.after(card)
            total += count(later.cleared() if later.full else later, left - 1)
        return total

    plays = tricks * len(sets) if depth is None else min(depth, tricks * len(sets))
    return count(table_of(hands) if leader is None else Table(sets, leader, (), tricks), plays)


# --- random positions ---------------------------------------------------------------------------------------------


def random_deal(rng: random.Random, deck: int, players: int) -> tuple[int, ...]:
    """Shuffle, deal clockwise from a random seat."""
    cards = list(cards_of(deck))
    rng.shuffle(cards)
    start = rng.randrange(players)
    return tuple(mask_of(cards[(seat - start) % players :: players]) for seat in range(players))


def random_line(rng: random.Random, hands: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
    """A random legal attempt to its end: (winner, cards in play order) of every trick."""
    table, tricks = table_of(hands), []
    while table.tricks:
        table = table.after(rng.choice(table.choices()))
        if table.full:
            tricks.append((table.winner(), table.trick))
            table = table.cleared()
    return tricks


def random_tokens(rng: random.Random, tasks: int) -> list[str]:
    """A sound set of tokens for at most ``tasks`` tasks: numbers with gaps, omega, arrows, or a mixture."""
    numbers = [str(number) for number in range(1, min(tasks, 5) + 1)]
    tokens = rng.sample(numbers, rng.randint(0, len(numbers))) if rng.random() < 0.5 else []
    if len(tokens) < tasks and rng.random() < 0.3:
        tokens.append("omega")
    if rng.random() < 0.4:
        tokens += [">" * arrow for arrow in range(1, rng.randint(0, min(4, tasks - len(tokens))) + 1)]
    return tokens


def random_draft(rng: random.Random, distribution: str, tasks: int, players: int, captain: int) -> list[int]:
    """One way to hand out the tasks."""
    seats = [seat for seat in range(players) if seat != captain]
    if distribution == "captain-decision":
        return [rng.choice(seats)] * tasks
    order = [(captain + place) % players for place in range(players)]
    if distribution == "captain-distribution":
        rng.shuffle(order)
    owners = [order[place % players] for place in range(tasks)]
    rng.shuffle(owners)
    return owners


def random_position(
    rng: random.Random,
    *,
    deck: int = FULL_DECK,
    players: Sequence[int] = (3, 4, 5),
    tasks: Sequence[int] = (1, 2, 3, 4, 5),
    tokens: bool = True,
    owners: Sequence[str] = ("fixed", "free", "mixed"),
    distributions: Sequence[str] = DISTRIBUTIONS,
    midgame: float = 0.5,
    planted: float = 0.4,
) -> Position:
    """A random valid position of a deck.

    ``players``, ``tasks`` (numbers of tasks), ``owners`` and ``distributions`` are what is chosen from; ``midgame``
    is how often cards have been played already, up to any point and within a trick too; ``planted`` is how often the
    tasks are read off a legal line that begins with those plays, so that the position is certainly winnable: with
    ``planted=1`` every one is. Without planting the plays are random and often have lost already.
    """
    while True:
        try:
            return _draw(
                rng,
                deck=deck,
                players=rng.choice(players),
                count=rng.choice(tasks),
                with_tokens=tokens,
                ownership=rng.choice(owners),
                distribution=rng.choice(distributions),
                midgame=rng.random() < midgame,
                planted=rng.random() < planted,
            )
        except InputError:
            continue


def _draw(
    rng: random.Random,
    *,
    deck: int,
    players: int,
    count: int,
    with_tokens: bool,
    ownership: str,
    distribution: str,
    midgame: bool,
    planted: bool,
) -> Position:
    hands = random_deal(rng, deck, players)
    captain = table_of(hands).leader
    line = random_line(rng, hands)
    winner_of = {card: winner for winner, trick in line for card in trick}
    colours = [card for card in cards_of(deck) if suit(card) != 4]
    sequence = [card for _, trick in line for card in rng.sample(trick, players) if card in colours]
    if planted:
        # the tasks are won by who wins them in the line, in the order of the line
        if ownership == "fixed":
            chosen = rng.sample(sequence, min(count, len(sequence)))
        else:
            chosen = _fitting(rng, sequence, winner_of, random_draft(rng, distribution, count, players, captain))
        cards = [card for card in sequence if card in chosen]
        seats = [winner_of[card] for card in cards]
        marks = _planted_tokens(random_tokens(rng, len(cards)) if with_tokens else [], len(cards), rng)
    else:
        cards = rng.sample(colours, min(count, len(colours)))
        if ownership == "free" or rng.random() < 0.5:
            seats = random_draft(rng, distribution, len(cards), players, captain)
        else:
            seats = [rng.randrange(players) for _ in cards]
        marks = [*(random_tokens(rng, len(cards)) if with_tokens else []), *[None] * len(cards)][: len(cards)]
        rng.shuffle(marks)
    hide = {"fixed": 0.0, "mixed": 0.5, "free": 1.0}[ownership]
    drawn = [Task(card, None if rng.random() < hide else seat, token) for card, seat, token in zip(cards, seats, marks, strict=True)]
    rng.shuffle(drawn)
    played = [card for _, trick in line for card in trick][: rng.randint(1, len(line) * players) if midgame else 0]
    plays = tuple(tuple(played[start : start + players]) for start in range(0, len(played), players))
    return Position(hands, tuple(drawn), plays, distribution, deck=deck)


def _fitting(rng: random.Random, sequence: Sequence[int], winner_of: dict[int, int], seats: Sequence[int]) -> list[int]:
    """One card per seat of a draft, each won by that seat. Raises InputError when the line has no such cards."""
    chosen: list[int] = []
    for seat in seats:
        won = [card for card in sequence if winner_of[card] == seat and card not in chosen]
        if not won:
            raise InputError(f"seat {seat} wins too few cards")
        chosen.append(rng.choice(won))
    return chosen


def _planted_tokens(tokens: Sequence[str], tasks: int, rng: random.Random) -> list[str | None]:
    """Lay tokens on tasks that are completed in the order 0, 1, 2 ... so that each of them comes true."""
    marks: list[str | None] = [None] * tasks
    for token in tokens:
        place = tasks - 1 if token == "omega" else int(token) - 1 if token.isdigit() else None
        if place is not None and marks[place] is None:
            marks[place] = token
    free = [place for place, token in enumerate(marks) if token is None]
    arrows = sorted(token for token in tokens if token[0] == ">")
    for place, token in zip(sorted(rng.sample(free, min(len(free), len(arrows)))), arrows, strict=False):
        marks[place] = token
    return marks


def written_position(hands: str, tasks: str) -> Position:
    """A position from hands separated by `` | `` and tasks written card:owner/token; owner and token may be left out."""
    marks = []
    for text in tasks.split():
        card, _, token = text.partition("/")
        card, _, owner = card.partition(":")
        marks.append(Task(parse_card(card), int(owner) if owner else None, token or None))
    return Position(tuple(parse_hand(hand) for hand in hands.split(" | ")), tuple(marks))
