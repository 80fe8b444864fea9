"""The slow, obvious twins: complete enumeration, random positions, exact counts of legal lines.

Written from the rules alone. Of the package only the card numbers, the Position it describes and the written form of
goals are used, never the referee, the drafts or the kernels, so that what is compared with this file was thought twice.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby, permutations, product
from typing import Any, NamedTuple

from deepcrew.solver.cards import CAPTAIN_CARD, FULL_DECK, cards_of, format_card, mask_of, parse_card, parse_hand, rank_of
from deepcrew.solver.errors import InputError
from deepcrew.solver.goals import CARDS, COUNTS, EACH_OTHER, OPENINGS, OTHERS_TOGETHER, RUN, Condition, CrewGoal, Goal, GoalForm, goal_form
from deepcrew.solver.positions import Position, Task
from deepcrew.solver.taskcards import TaskCard, find_task_card, load_task_cards

SMALL_DECK = mask_of([0, 1, 2, 3, 9, 10, 11, 12, 38, 39])
"""P1-4 B1-4 R3 R4: ten cards, for 2 to 5 seats (5/5, 4/3/3, 3/3/2/2, 2/2/2/2/2)."""

DISTRIBUTIONS = ("round-robin", "captain-decision", "captain-distribution")
ONE_TAKES_ALL = ("crew-picks-one", "captain-all-or-pass-all", "one-volunteer")
IN_TURN = ("round-robin-with-passing", "captain-hardest-first", "captain-excluded")
DEEP_SEA_DISTRIBUTIONS = (*IN_TURN, "free", *ONE_TAKES_ALL, "two-volunteers")

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


# --- goals --------------------------------------------------------------------------------------------------------


class Trick(NamedTuple):
    """A finished trick: who led, the cards in play order, who won."""

    leader: int
    cards: tuple[int, ...]
    winner: int

    @property
    def best(self) -> int:
        """The card that won."""
        return self.cards[winning_place(self.cards)]


def tricks_of(captain: int, line: Iterable[Sequence[int]]) -> list[Trick]:
    """The tricks of a legal line; the captain leads the first."""
    tricks: list[Trick] = []
    for cards in line:
        leader = tricks[-1].winner if tricks else captain
        tricks.append(Trick(leader, tuple(cards), (leader + winning_place(cards)) % len(cards)))
    return tricks


@cache
def members(mask: int) -> frozenset[int]:
    """A card set as a set."""
    return frozenset(cards_of(mask))


def trick_suits(condition: Condition, number: int, trick: Trick) -> bool:
    """Whether the trick with this number, from 1, is of the kind that a condition on tricks counts."""
    cards, total = set(trick.cards), sum(rank_of(card) for card in trick.cards)
    one, other = (cards & members(mask) for mask in (condition.equal, condition.equal_to))
    wishes = [
        condition.numbers >> (number - 1) & 1,
        trick.best in members(condition.won_with),
        not condition.captures or cards - {trick.best} & members(condition.captures),
        not condition.holds or cards & members(condition.holds),
        cards <= members(condition.only),
        condition.sum_low <= total <= condition.sum_high,
        not condition.equal or (one and len(one) == len(other)),
        trick.cards[-1] in members(condition.closed_with),
    ]
    return all(wishes)


def counted(condition: Condition, seat: int, tricks: Sequence[Trick]) -> int:
    """The number that a condition speaks about, for one seat."""
    won = {card for trick in tricks if trick.winner == seat for card in trick.cards}
    wanted, unwanted = members(condition.cards), members(condition.minus)
    if condition.count == CARDS:
        return len(won & wanted) - len(won & unwanted)
    if condition.count == OPENINGS:
        return len([trick for trick in tricks if trick.leader == seat and trick.cards[0] in wanted])
    if condition.count == RUN:
        rows = groupby(trick.winner for trick in tricks)
        return max((len(list(row)) for winner, row in rows if winner == seat), default=0)
    numbered = enumerate(tricks, start=1)
    return len([trick for number, trick in numbered if trick.winner == seat and trick_suits(condition, number, trick)])


def holds_now(condition: Condition, seat: int, tricks: Sequence[Trick], players: int) -> bool:
    """Whether the number is right after these tricks."""
    numbers = [counted(condition, someone, tricks) for someone in range(players)]
    others = numbers[:seat] + numbers[seat + 1 :]
    if condition.against == EACH_OTHER:
        differences = [numbers[seat] - number for number in others]
    elif condition.against == OTHERS_TOGETHER:
        differences = [numbers[seat] - sum(others)]
    elif condition.against >= 0:
        differences = [numbers[seat] - numbers[condition.against]]
    else:
        differences = [numbers[seat]]
    return all(condition.low <= number <= condition.high for number in differences)


def fulfilled(goal: Goal, seat: int, tricks: Sequence[Trick], players: int) -> bool:
    """Whether a seat has fulfilled a goal, when these tricks were the whole attempt."""
    moments = [tricks[: number + 1] for number in range(len(tricks))]
    fine = [
        all(holds_now(condition, seat, moment, players) for moment in (moments if condition.always else [tricks]))
        for condition in goal.conditions
    ]
    return any(fine) if goal.any_of else all(fine)


@lru_cache
def form_for(form: GoalForm, position: Position) -> Goal:
    """The goal that is meant at this table."""
    table = table_of(position.hands)
    return form.resolve(len(position.hands), table.tricks, table.leader)


def crew_content(position: Position, tricks: Sequence[Trick]) -> bool:
    """Whether these tricks, a whole attempt, fulfil the goals of the crew."""
    everyone = range(len(position.hands))
    for who, form in position.crew:
        happy = [fulfilled(form_for(form, position), seat, tricks, len(position.hands)) for seat in everyone]
        if not (all(happy) if who == "everyone" else any(happy)):
            return False
    return True


# --- who may own what ---------------------------------------------------------------------------------------------


def drafts(distribution: str, tasks: int, players: int, captain: int) -> Iterator[Owners]:
    """Every way to hand out the tasks, one owner per task, by going through the motions. May repeat itself."""
    clockwise = [(captain + place) % players for place in range(players)]
    if tasks == 0:
        yield ()
    elif distribution == "round-robin":
        yield from _in_turn(clockwise, tasks, may_pass=())
    elif distribution == "round-robin-with-passing":
        yield from _in_turn(clockwise, tasks, may_pass=clockwise)
    elif distribution == "captain-hardest-first":
        yield from _in_turn(clockwise, tasks, may_pass=clockwise[1:])
    elif distribution == "captain-excluded":
        yield from _in_turn(clockwise[1:], tasks, may_pass=clockwise[1:])
    elif distribution == "captain-decision":
        for seat in clockwise[1:]:
            yield (seat,) * tasks
    elif distribution in ONE_TAKES_ALL:
        for seat in clockwise:
            yield (seat,) * tasks
    else:
        for owners in product(range(players), repeat=tasks):
            counts = [owners.count(seat) for seat in range(players)]
            if distribution == "captain-distribution" and max(counts) - min(counts) > 1:
                continue
            if distribution == "two-volunteers" and len(set(owners)) != 2:
                continue
            yield owners


def _in_turn(seats: Sequence[int], tasks: int, may_pass: Sequence[int]) -> Iterator[Owners]:
    """Seats take a task each in turn, round after round, until none is left.

    A seat may pass when there are fewer tasks than seats, and then one round must be enough.
    """

    def on(place: int, left: frozenset[int], taken: dict[int, int]) -> Iterator[Owners]:
        if not left:
            yield tuple(taken[task] for task in range(tasks))
        elif place < len(seats) or tasks >= len(seats):
            seat = seats[place % len(seats)]
            for task in left:
                yield from on(place + 1, left - {task}, {**taken, task: seat})
            if tasks < len(seats) and seat in may_pass:
                yield from on(place + 1, left, taken)

    return on(0, frozenset(range(tasks)), {})


@lru_cache
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
        and captain_may(position, [task for task, owner in zip(position.tasks, owners, strict=True) if owner == captain])
    }


def captain_may(position: Position, taken: Sequence[Task]) -> bool:
    """Whether the captain may take these tasks: no comparison with itself, and where the distribution says so a hardest one."""
    cards = [find_task_card(task.card) for task in position.tasks if isinstance(task.card, str)]
    possible = [card for card in cards if not compares_with_captain(card)]
    mine = [card for card in cards if card.slug in [task.card for task in taken]]
    if any(card not in possible for card in mine):
        return False
    if position.distribution != "captain-hardest-first" or not possible:
        return True
    hardest = max(card.difficulty_for(len(position.hands), position.edition) for card in possible)
    return any(card.difficulty_for(len(position.hands), position.edition) == hardest for card in mine)


def compares_with_captain(card: TaskCard) -> bool:
    return card.slug in ("more_than_captain", "fewer_than_captain", "same_as_captain")


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
    """Whether some legal play fulfils every task and goal, with some owners the position allows. For small decks only."""
    if has_goals(position):
        return any(winners_of(position, tricks) for tricks in attempts(position))
    return any(winnable_with(position, owners) for owners in owners_allowed(position))


def has_goals(position: Position) -> bool:
    return bool(position.crew) or any(isinstance(task.card, str) for task in position.tasks)


def attempts(position: Position) -> Iterator[list[Trick]]:
    """Every legal attempt to its end that begins with the plays so far. Raises ValueError when those are illegal."""

    def on(table: Table, tricks: list[Trick]) -> Iterator[list[Trick]]:
        if table.full:
            tricks = [*tricks, Trick(table.leader, table.trick, table.winner())]
            table = table.cleared()
        if not table.tricks:
            yield tricks
        for card in table.choices():
            yield from on(table.after(card), tricks)

    table, tricks = table_of(position.hands), []
    for card in (card for trick in position.plays for card in trick):
        if table.full:
            tricks.append(Trick(table.leader, table.trick, table.winner()))
            table = table.cleared()
        table = table.after(card)
    return on(table, tricks)


def winners_of(position: Position, tricks: Sequence[Trick]) -> set[Owners]:
    """The owners, of those allowed, with whom this whole attempt wins. For games of any kind, tokens too."""
    done: set[int] = set()
    for trick in tricks:
        now = [index for index, task in enumerate(position.tasks) if task.card in trick.cards]
        if not some_order_fits(done, now, [task.token for task in position.tasks]):
            return set()
        done |= set(now)
    if not crew_content(position, tricks):
        return set()
    good = [
        {
            seat
            for seat in range(len(position.hands))
            if (
                fulfilled(form_for(find_task_card(task.card).form, position), seat, tricks, len(position.hands))
                if isinstance(task.card, str)
                else any(task.card in trick.cards and trick.winner == seat for trick in tricks)
            )
        }
        for task in position.tasks
    ]
    if not all(good):
        return set()
    return {owners for owners in owners_allowed(position) if all(owner in seats for owner, seats in zip(owners, good, strict=True))}


def winnable_with(position: Position, owners: Owners) -> bool:
    """Whether some legal play fulfils every task of these owners, and the goals of the crew.

    Raises ValueError when the plays so far are illegal.
    """
    if has_goals(position):
        owned = position.with_owners(owners)
        return any(winners_of(owned, tricks) for tricks in attempts(owned))
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


# --- random goals -------------------------------------------------------------------------------------------------


def random_cards(rng: random.Random, deck: int) -> str:
    """A set with cards of the deck, as a data file writes it."""
    some = rng.sample(list(cards_of(deck)), min(rng.randint(1, 4), deck.bit_count()))
    kind = rng.choice(("suit", "ranks", "cards", "colours"))
    if kind == "suit":
        return format_card(some[0])[0]
    if kind == "ranks" and any(suit(card) < 4 for card in some):
        return " ".join(sorted({f"{rank_of(card)}s" for card in some if suit(card) < 4}))
    return " ".join(format_card(card) for card in some) if kind == "cards" else "colours"


def random_condition(rng: random.Random, deck: int, players: int) -> dict[str, Any]:
    """A condition table that makes sense in this deck, though it may be hard or void."""
    tricks = deck.bit_count() // players
    table: dict[str, Any] = {"count": rng.choice(COUNTS)}
    if table["count"] in ("cards", "openings"):
        table["cards"] = random_cards(rng, deck)
    if table["count"] == "cards" and rng.random() < 0.4:
        table["minus"] = random_cards(rng, deck)
    if table["count"] == "tricks":
        wishes = {
            "numbers": rng.sample([*range(1, tricks + 1), "last"], rng.randint(1, tricks)),
            "won_with": random_cards(rng, deck),
            "captures": random_cards(rng, deck),
            "holds": random_cards(rng, deck),
            "only": random_cards(rng, deck),
            "sum_at_least": rng.randint(1, 4 * players),
            "sum_at_most": rng.randint(players, 4 * players),
            "equal": [random_cards(rng, deck), random_cards(rng, deck)],
            "closed_with": random_cards(rng, deck),
        }
        table |= {key: wishes[key] for key in rng.sample(list(wishes), rng.choice((0, 1, 1, 2)))}
    if rng.random() < 0.35:
        table["against"] = rng.choice(
            ("captain", "each-other", "others-together") if table["count"] != "run" else ("captain", "each-other")
        )
    number = rng.randint(-2, 2) if "against" in table or "minus" in table else rng.randint(0, tricks)
    table |= rng.choice(({"exactly": number}, {"at_least": number}, {"at_most": number}, {"at_least": number, "at_most": number + 1}))
    if rng.random() < 0.2:
        table["always"] = True
    return table


def random_form(rng: random.Random, deck: int, players: int) -> GoalForm:
    """One condition, or some that all or of which any must hold."""
    tables = [random_condition(rng, deck, players) for _ in range(rng.choice((1, 1, 2, 3)))]
    return goal_form({"any_of": tables} if rng.random() < 0.3 else tables, "random goal")


def cards_in(deck: int) -> list[TaskCard]:
    """The task cards that can be fulfilled in this deck as far as their card sets tell: each has some card in it."""

    def fits(card: TaskCard) -> bool:
        goal = card.form.resolve(4, 10, 0)
        sets = [mask for c in goal.conditions for mask in (c.cards, c.won_with, c.captures, c.holds, c.only, c.equal, c.equal_to) if mask]
        return (any if goal.any_of else all)(mask & deck for mask in sets)

    return [card for card in load_task_cards() if fits(card)]


def random_goal_position(
    rng: random.Random,
    *,
    deck: int = SMALL_DECK,
    players: Sequence[int] = (2, 3, 4, 5),
    games: Sequence[str] = ("planet-nine", "deep-sea"),
    tasks: Sequence[int] = (0, 1, 2, 3),
    crew: Sequence[int] = (0, 1, 2),
    owners: Sequence[str] = ("fixed", "free", "mixed"),
    distributions: Sequence[str] = DEEP_SEA_DISTRIBUTIONS,
    midgame: float = 0.5,
    planted: float = 0.5,
) -> Position:
    """A random valid position with goals: tasks of Deep Sea, random goals of the crew, or both.

    In Planet Nine the tasks are those of ``random_position``, with goals of the crew added. ``crew`` are numbers of goals of
    the crew; the rest is as in ``random_position``; planted positions are winnable.
    """
    while True:
        game, plant, count = rng.choice(games), rng.random() < planted, rng.choice(crew)
        try:
            if game == "deep-sea":
                drawn = _draw_deep_sea(
                    rng,
                    deck=deck,
                    players=rng.choice(players),
                    count=rng.choice(tasks),
                    ownership=rng.choice(owners),
                    distribution=rng.choice(distributions),
                    midgame=midgame,
                    planted=plant,
                )
            else:
                drawn = random_position(rng, deck=deck, players=players, tasks=tasks, owners=owners, midgame=midgame, planted=float(plant))
            position = _with_crew(rng, drawn, count, plant)
        except InputError:
            continue
        if has_goals(position):
            return position


def _draw_deep_sea(
    rng: random.Random, *, deck: int, players: int, count: int, ownership: str, distribution: str, midgame: float, planted: bool
) -> Position:
    hands = random_deal(rng, deck, players)
    captain = table_of(hands).leader
    line = random_line(rng, hands)
    tricks = tricks_of(captain, [cards for _, cards in line])
    ways = sorted(set(drafts(distribution, count, players, captain)))
    if not ways:
        raise InputError("nobody can take so many tasks")
    seats = rng.choice(ways)
    tasks: list[Task] = []
    for seat in seats:
        possible = [
            card
            for card in cards_in(deck)
            if card.slug not in [task.card for task in tasks]
            and not (seat == captain and compares_with_captain(card))
            and (not planted or fulfilled(card.form.resolve(players, len(tricks), captain), seat, tricks, players))
        ]
        if not possible:
            raise InputError("no such task")
        tasks.append(Task(rng.choice(possible).slug, seat))
    played = [card for trick in tricks for card in trick.cards][: rng.randint(1, len(tricks) * players) if rng.random() < midgame else 0]
    plays = tuple(tuple(played[start : start + players]) for start in range(0, len(played), players))
    whole = Position(hands, tuple(tasks), plays, distribution, None, "deep-sea", deck)
    if not captain_may(whole, [task for task in tasks if task.owner == captain]):
        raise InputError("not for the captain")
    hide = {"fixed": 0.0, "mixed": 0.5, "free": 1.0}[ownership]
    return whole.with_owners([None if rng.random() < hide else seat for seat in seats])


def _with_crew(rng: random.Random, position: Position, count: int, planted: bool) -> Position:
    """The position with random goals of the crew; with ``planted`` some way to win it is left, if it was winnable."""
    deck, players = position.deck, len(position.hands)
    crew: list[CrewGoal] = []
    way = next((tricks for tricks in attempts(position) if winners_of(position, tricks)), None) if planted and count else None
    while len(crew) < count:
        goal = CrewGoal(rng.choice(("everyone", "anyone")), random_form(rng, deck, players))
        trial = Position(position.hands, position.tasks, (), position.distribution, None, position.game, deck, (goal,))
        if way is None or crew_content(trial, way):
            crew.append(goal)
    parts = (position.hands, position.tasks, position.plays, position.distribution, position.mission, position.game, deck, tuple(crew))
    return Position(*parts)
