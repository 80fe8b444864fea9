"""The slow, obvious twins: complete enumeration, random positions, exact counts of legal lines.

Written from the rules alone. Of the package only the card numbers, the Position it describes and the written form of
goals are used, never the referee, the drafts or the kernels, so that what is compared with this file was thought twice.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import groupby, permutations, product
from typing import Any, NamedTuple

from deepcrew.solver.cards import CAPTAIN_CARD, FULL_DECK, cards_of, format_card, mask_of, parse_card, parse_hand, rank_of
from deepcrew.solver.errors import InputError
from deepcrew.solver.goals import (
    CARDS,
    COUNTS,
    EACH_OTHER,
    OPENINGS,
    OTHERS_TOGETHER,
    RUN,
    TOGETHER,
    Condition,
    CrewGoal,
    Goal,
    GoalForm,
    Role,
    goal_form,
)
from deepcrew.solver.positions import EITHER, LEFT, RIGHT, SETUPS, Exchange, Position, Task
from deepcrew.solver.taskcards import TaskCard, find_task_card, load_task_cards

SMALL_DECK = mask_of([0, 1, 2, 3, 9, 10, 11, 12, 38, 39])
"""P1-4 B1-4 R3 R4: ten cards, for 2 to 5 seats (5/5, 4/3/3, 3/3/2/2, 2/2/2/2/2)."""

DISTRIBUTIONS = ("round-robin", "captain-decision", "captain-distribution")
ONE_TAKES_ALL = ("crew-picks-one", "captain-all-or-pass-all", "one-volunteer")
HARDEST = ("captain-hardest-first", "captain-hardest-leftmost", "captain-hardest-only")
IN_TURN = ("round-robin-with-passing", *HARDEST, "captain-excluded")
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
    """What everybody sees between two plays. ``tricks`` counts those still to be finished.

    ``columns`` are the cards of a third hand as (open, under it), -1 where there is none; all of them are in its hand too.
    """

    hands: Hands
    leader: int
    trick: tuple[int, ...]
    tricks: int
    columns: tuple[tuple[int, int], ...] = ()

    @property
    def turn(self) -> int:
        return (self.leader + len(self.trick)) % len(self.hands)

    def covered(self) -> frozenset[int]:
        """The cards that lie under another one."""
        return frozenset(under for _, under in self.columns if under >= 0)

    def choices(self) -> list[int]:
        return playable(self.hands[self.turn] - self.covered(), self.trick) if self.tricks else []

    def after(self, card: int) -> Table:
        """The table once ``card`` is played; a full trick is left lying for ``cleared``."""
        if card not in self.choices():
            raise ValueError(f"illegal card {card}")
        hands = tuple(hand - {card} if seat == self.turn else hand for seat, hand in enumerate(self.hands))
        return Table(hands, self.leader, (*self.trick, card), self.tricks, self.columns)

    @property
    def full(self) -> bool:
        return len(self.trick) == len(self.hands)

    def winner(self) -> int:
        return (self.leader + winning_place(self.trick)) % len(self.hands)

    def cleared(self) -> Table:
        """The table after a full trick was taken by its winner, with the card turned up that lay under one of it."""
        columns = tuple((under, -1) if top in self.trick else (top, under) for top, under in self.columns)
        return Table(self.hands, self.winner(), (), self.tricks - 1, columns)

    def finished(self) -> Trick:
        """The full trick on the table."""
        led = self.hands[self.leader] | {self.trick[0]}
        return Trick(self.leader, self.trick, self.winner(), led - self.covered())


def table_of(hands: Sequence[int], columns: Sequence[tuple[int, int]] = ()) -> Table:
    """The table after the deal: trump 4 leads."""
    sets = tuple(frozenset(cards_of(hand)) for hand in hands)
    captain = next(seat for seat, hand in enumerate(sets) if CAPTAIN_CARD in hand)
    return Table(sets, captain, (), min(len(hand) for hand in sets), tuple(columns))


def may_go(table: Table, exchange: Exchange) -> list[list[int]]:
    """The cards of each hand of which one may be passed. With the distress signal, before the first trick, a colour card that is
    seen; later any card, but of columns one that is not seen. Where the cards are named, the first that is among these.

    Raises ValueError when there is none.
    """
    offers: list[list[int]] = []
    for hand in table.hands:
        seen, unseen = hand - table.covered(), hand & table.covered()
        may = {card for card in seen if suit(card) != 4} if exchange.after == 0 else unseen or seen
        named = [card for card in exchange.order if card in may]
        if not may or (exchange.order and not named):
            raise ValueError("a seat has no such card to pass")
        offers.append(named[:1] or sorted(may))
    return offers


def passing(table: Table, exchange: Exchange) -> Iterator[tuple[int, tuple[int, ...], Table]]:
    """Every way in which each seat passes one card to the neighbour on one side, all at once: direction, the card of each seat, and
    the table then. What comes to a hand of columns lies where the other card lay."""
    players = len(table.hands)
    for to in (LEFT, RIGHT) if exchange.to == EITHER else (exchange.to,):
        for gone in product(*may_go(table, exchange)):
            come = [0] * players
            for seat, card in enumerate(gone):
                come[(seat + to) % players] = card
            hands = tuple((hand - {gone[seat]}) | {come[seat]} for seat, hand in enumerate(table.hands))
            instead = dict(zip(gone, come, strict=True))
            columns = tuple((instead.get(top, top), instead.get(under, under)) for top, under in table.columns)
            yield to, gone, table._replace(hands=hands, columns=columns)


def passed(position: Position, table: Table) -> list[Table]:
    """The tables between two tricks once cards have changed hands, if they do so now: one for each choice of cards."""
    finished = min(hand.bit_count() for hand in position.hands) - table.tricks
    tables = [table]
    for exchange in position.exchanges:
        if exchange.after == finished and table.tricks:
            tables = [later for before in tables for _, _, later in passing(before, exchange)]
    return tables


# --- goals --------------------------------------------------------------------------------------------------------


class Trick(NamedTuple):
    """A finished trick: who led, the cards in play order, who won. ``choice`` are the cards that could be led, None if unknown."""

    leader: int
    cards: tuple[int, ...]
    winner: int
    choice: frozenset[int] | None = None

    @property
    def best(self) -> int:
        """The card that won."""
        return self.cards[winning_place(self.cards)]


def tricks_of(captain: int, line: Iterable[Sequence[int]]) -> list[Trick]:
    """The tricks of a legal line; the captain leads the first. What else could be led is left open."""
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
        opened = [trick for trick in tricks if trick.leader == seat and trick.cards[0] in wanted]
        return len([trick for trick in opened if not condition.by_choice or had_another(trick, wanted)])
    if condition.count == RUN:
        rows = groupby(trick.winner for trick in tricks)
        return max((len(list(row)) for winner, row in rows if winner == seat), default=0)
    number = 0
    for index, trick in enumerate(tricks):
        earlier = {card for before in tricks[:index] for card in before.cards}
        if trick.winner == seat and trick_suits(condition, index + 1, trick) and members(condition.after) <= earlier:
            number += 1
    return number


def had_another(trick: Trick, wanted: frozenset[int]) -> bool:
    """Whether the leader of a trick could have led a card that is not one of these."""
    if trick.choice is None:
        raise ValueError("it is not known what could be led")
    return bool(trick.choice - wanted)


def holds_now(condition: Condition, seat: int, tricks: Sequence[Trick], players: int) -> bool:
    """Whether the number is right after these tricks."""
    mine = counted(condition, seat, tricks)
    if condition.against >= 0:
        differences = [mine - counted(condition, condition.against, tricks)]
    elif condition.against in (EACH_OTHER, OTHERS_TOGETHER, TOGETHER):
        others = [counted(condition, someone, tricks) for someone in range(players) if someone != seat]
        together = {OTHERS_TOGETHER: [mine - sum(others)], TOGETHER: [mine + sum(others)]}
        differences = together.get(condition.against, [mine - number for number in others])
    else:
        differences = [mine]
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
    tokens = {task.token: 1 << task.card for task in position.tasks if task.token is not None and isinstance(task.card, int)}
    return form.resolve(len(position.hands), table.tricks, table.leader, position.deck, tokens)


def crew_content(position: Position, tricks: Sequence[Trick]) -> bool:
    """Whether these tricks, a whole attempt, fulfil the goals of the crew."""
    players, captain = len(position.hands), table_of(position.hands).leader
    everyone = set(range(players))
    cast: dict[str, set[int]] = {}
    for who, form, role in position.crew:
        goal = form_for(form, position)
        if who == "together":
            goal = Goal(tuple(condition._replace(against=TOGETHER) for condition in goal.conditions), goal.any_of)
        happy = {seat for seat in everyone if fulfilled(goal, seat, tricks, players)}
        if role is not None and role.left_of is None:
            may = everyone - {captain} if role.among == "others" else everyone
            cast[role.name] = cast.get(role.name, may & {dict(position.roles).get(role.name, seat) for seat in everyone}) & happy
        elif who == "anyone":
            if not happy:
                return False
        elif not asked(position, who, role) <= happy:
            return False
    return any(len(set(seats)) == len(seats) for seats in product(*cast.values()))


def asked(position: Position, who: str, role: Role | None) -> set[int]:
    """The seats that must all fulfil a goal of the crew."""
    players = len(position.hands)
    if who == "captain":
        return {table_of(position.hands).leader}
    if role is None or role.left_of is None:
        return set(range(players))
    hands = table_of(position.hands).hands if role.as_dealt else hands_at_start(position)
    holder = next(seat for seat, hand in enumerate(hands) if parse_card(role.left_of) in hand)
    collector = {(holder + 1) % players}
    return set(range(players)) - collector if who.startswith("not ") else collector


@lru_cache
def hands_at_start(position: Position) -> Hands:
    """The hands with which the first trick is played. Raises ValueError when the crew has not said yet which cards it passes."""
    tables = passed(position, table_of(position.hands, position.columns))
    if len(tables) > 1:
        raise ValueError("it is not said which cards are passed")
    return tables[0].hands


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
    elif distribution in HARDEST:
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
    """The owners with whom a position may be played: those given if all are given, else every draft that agrees with them.

    By the five-player rule one task may have moved after the draft, and as long as nothing is played a task of a given owner
    may move still, if it is the draft that gave it.
    """
    given = [task.owner for task in position.tasks]
    players, captain = len(position.hands), table_of(position.hands).leader

    def agree(owners: Owners) -> bool:
        return all(mine is None or mine == owner for mine, owner in zip(given, owners, strict=True))

    rule = position.five_player_rule and players == 5
    if None not in given and not (rule and position.moved is None and not position.plays):
        return {tuple(owner for owner in given if owner is not None)}
    drafted = set(drafts(position.distribution, len(given), players, captain))
    owned = {owners for draft in drafted for owners in one_move(draft, players)} if rule and position.moved is None else drafted
    if position.moved is not None:
        task, giver = position.moved
        owned = {(*draft[:task], given[task] or 0, *draft[task + 1 :]) for draft in drafted if draft[task] == giver}
    allowed = {owners for owners in owned if agree(owners)}
    if None not in given:
        allowed = {tuple(owner for owner in given if owner is not None)}
    if rule and position.moved is None and not position.plays:
        allowed |= {owners for draft in drafted if agree(draft) for owners in one_move(draft, players)}
    return {
        owners
        for owners in allowed
        if captain_may(position, [task for task, owner in zip(position.tasks, owners, strict=True) if owner == captain])
    }


def one_move(owners: Owners, players: int) -> set[Owners]:
    """These owners, and those when one task has moved."""
    moved = {(*owners[:task], seat, *owners[task + 1 :]) for task in range(len(owners)) for seat in range(players)}
    return {owners, *moved}


def captain_may(position: Position, taken: Sequence[Task]) -> bool:
    """Whether the captain may take these tasks: no comparison with itself, and where the distribution says so a hardest one."""
    cards = [find_task_card(task.card) for task in position.tasks if isinstance(task.card, str)]
    possible = [card for card in cards if not compares_with_captain(card)]
    mine = [card for card in cards if card.slug in [task.card for task in taken]]
    if any(card not in possible for card in mine):
        return False
    if position.distribution not in HARDEST or not possible:
        return True
    among = cards if position.distribution == "captain-hardest-only" else possible
    difficulty = [card.difficulty_for(len(position.hands), position.edition) for card in among]
    hardest = [card for card, number in zip(among, difficulty, strict=True) if number == max(difficulty)]
    return any(card in mine for card in (hardest[:1] if position.distribution == "captain-hardest-leftmost" else hardest))


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
    """Whether some legal play fulfils every task and goal, with some owners the position allows, and whatever else the crew may
    choose: the tokens, the cards passed. For small decks only."""
    for ready in signals(position):
        ways = token_ways(ready)
        if has_goals(position):
            if any(winners_of(way, tricks) for tricks in attempts(ready) for way in ways):
                return True
        elif any(winnable_with(way, owners) for way in ways for owners in owners_allowed(way)):
            return True
    return False


def has_goals(position: Position) -> bool:
    return bool(position.crew) or any(isinstance(task.card, str) for task in position.tasks)


def token_ways(position: Position) -> list[Position]:
    """The position for every way in which the tokens may lie when the first task is taken."""
    tokens = [task.token for task in position.tasks]
    ways = [tokens]
    if position.setup and not position.plays and any(task.owner is None for task in position.tasks):
        for one, other in permutations(range(len(tokens)), 2):
            swap = position.setup == "swap-two-tokens" and tokens[one] and tokens[other]
            move = position.setup == "move-token" and tokens[one] and not tokens[other]
            if swap or move:
                ways.append(list(tokens))
                ways[-1][one], ways[-1][other] = tokens[other], tokens[one]
    laid = [tuple(replace(task, token=token) for task, token in zip(position.tasks, way, strict=True)) for way in ways]
    return [replace(position, tasks=tasks, setup="") for tasks in dict.fromkeys(laid)]


def signals(position: Position) -> Iterator[Position]:
    """The position for every way to send the distress signal, if there is one, with the cards and the direction said."""
    signal = next((exchange for exchange in position.exchanges if exchange.after == 0), None)
    if signal is None:
        yield position
        return
    rest = tuple(exchange for exchange in position.exchanges if exchange is not signal)
    for to, gone, _ in passing(table_of(position.hands, position.columns), signal):
        yield replace(position, exchanges=(Exchange(0, to, gone), *rest))


def attempts(position: Position) -> Iterator[list[Trick]]:
    """Every legal attempt to its end that begins with the plays so far. Raises ValueError when those are illegal."""
    played = [card for trick in position.plays for card in trick]

    def on(table: Table, tricks: list[Trick], number: int) -> Iterator[list[Trick]]:
        if table.full:
            for later in passed(position, table.cleared()):
                yield from on(later, [*tricks, table.finished()], number)
        elif not table.tricks:
            yield tricks
        else:
            for card in played[number : number + 1] or table.choices():
                yield from on(table.after(card), tricks, number + 1)

    for table in passed(position, table_of(position.hands, position.columns)):
        yield from on(table, [], 0)


def replayed(position: Position, line: Iterable[int]) -> list[Trick]:
    """The tricks of a line from the deal on. Raises ValueError when it is illegal or does not say which cards are passed."""
    (table,) = passed(position, table_of(position.hands, position.columns))
    tricks = []
    for card in line:
        table = table.after(card)
        if table.full:
            tricks.append(table.finished())
            (table,) = passed(position, table.cleared())
    return tricks


def winners_of(position: Position, tricks: Sequence[Trick]) -> set[Owners]:
    """The owners, of those allowed, with whom this whole attempt wins. For games of any kind, tokens too.

    The tokens and the cards of a distress signal are as the position says.
    """
    entries = [dict(entry) for goal in position.crew for entry in goal.form.entries]
    if any(trick.choice is None for trick in tricks) and any("by_choice" in entry for entry in entries):
        tricks = replayed(position, [card for trick in tricks for card in trick.cards])
    if position.ends_with_tasks and all(isinstance(task.card, int) for task in position.tasks):
        ends = range(1, len(tricks) + 1)
        return {owners for end in ends for owners in winners_at_the_end(position, tricks[:end])}
    return winners_at_the_end(position, tricks)


def winners_at_the_end(position: Position, tricks: Sequence[Trick]) -> set[Owners]:
    """The owners with whom the mission is won when these tricks are over and no more are to come."""
    done: set[int] = set()
    good: list[set[int]] = [set() for _ in position.tasks]
    for trick in tricks:
        now = [index for index, task in enumerate(position.tasks) if task.card in trick.cards]
        if not some_order_fits(done, now, [task.token for task in position.tasks]):
            return set()
        done |= set(now)
        for index in now:
            good[index] = {trick.winner}
    for index, task in enumerate(position.tasks):
        if isinstance(task.card, str):
            goal = form_for(find_task_card(task.card).form, position)
            good[index] = {seat for seat in range(len(position.hands)) if fulfilled(goal, seat, tricks, len(position.hands))}
    if not all(good):
        return set()
    owned = {owners for owners in owners_allowed(position) if all(owner in seats for owner, seats in zip(owners, good, strict=True))}
    return owned if owned and crew_content(position, tricks) else set()


def winnable_with(position: Position, owners: Owners) -> bool:
    """Whether some legal play fulfils every task of these owners, and the goals of the crew, with the tokens as they lie.

    Raises ValueError when the plays so far are illegal.
    """
    tasks = tuple(replace(task, owner=owner) for task, owner in zip(position.tasks, owners, strict=True))
    owned = replace(position, tasks=tasks, mission=None, setup="", five_player_rule=False, moved=None)
    if has_goals(position):
        return any(winners_of(ready, tricks) for ready in signals(owned) for tricks in attempts(ready))
    cards = [task.card for task in position.tasks]
    tokens = [task.token for task in position.tasks]
    played = [card for trick in position.plays for card in trick]

    def judge(table: Table, done: frozenset[int]) -> frozenset[int] | None:
        """The tasks completed after a full trick, None when it breaks a rule."""
        now = [task for task, card in enumerate(cards) if card in table.trick]
        if len(done) < len(cards) and (any(owners[task] != table.winner() for task in now) or not some_order_fits(done, now, tokens)):
            return None
        return done | set(now)

    @cache
    def possible(table: Table, done: frozenset[int], number: int) -> bool:
        """Whether it can be won after so many plays."""
        if number >= len(played) and len(done) == len(cards):
            return True
        for card in played[number : number + 1] or table.choices():
            later, completed = table.after(card), done
            tables = [later]
            if later.full:
                judged = judge(later, done)
                if judged is None:
                    continue
                tables, completed = passed(position, later.cleared()), judged
            if any(possible(table, completed, number + 1) for table in tables):
                return True
        return False

    return any(possible(table, frozenset(), 0) for table in passed(owned, table_of(position.hands, position.columns)))


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


def random_condition(rng: random.Random, deck: int, players: int, extended: bool = True) -> dict[str, Any]:
    """A condition table that makes sense in this deck, though it may be hard or void. ``extended``: with `after`, `by_choice`, `all`."""
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
    if extended:
        _extend(rng, deck, table)
    return table


def _extend(rng: random.Random, deck: int, table: dict[str, Any]) -> None:
    """Sometimes add what only goals of the crew ask for."""
    if table["count"] == "tricks" and rng.random() < 0.3:
        table["after"] = " ".join(format_card(card) for card in rng.sample(list(cards_of(deck)), rng.randint(1, 2)))
    if table["count"] == "openings" and rng.random() < 0.5:
        table["by_choice"] = rng.random() < 0.8
    if table["count"] == "cards" or "won_with" in table:
        for key in {"at_least", "exactly"} & set(table):
            if rng.random() < 0.15:
                table[key] = "all"


def random_form(rng: random.Random, deck: int, players: int, extended: bool = True) -> GoalForm:
    """One condition, or some that all or of which any must hold."""
    tables = [random_condition(rng, deck, players, extended) for _ in range(rng.choice((1, 1, 2, 3)))]
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
    extended: bool = True,
) -> Position:
    """A random valid position with goals: tasks of Deep Sea, random goals of the crew, or both.

    In Planet Nine the tasks are those of ``random_position``, with goals of the crew added. ``crew`` are numbers of goals of
    the crew, ``extended`` as in ``random_condition``; the rest is as in ``random_position``; planted positions are winnable.
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
            position = _with_crew(rng, drawn, count, plant, extended)
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


def _with_crew(rng: random.Random, position: Position, count: int, planted: bool, extended: bool) -> Position:
    """The position with random goals of the crew; with ``planted`` some way to win it is left, if it was winnable."""
    deck, players = position.deck, len(position.hands)
    crew: list[CrewGoal] = []
    way = next((tricks for tricks in attempts(position) if winners_of(position, tricks)), None) if planted and count else None
    while len(crew) < count:
        goal = CrewGoal(rng.choice(("everyone", "anyone")), random_form(rng, deck, players, extended))
        trial = Position(position.hands, position.tasks, (), position.distribution, None, position.game, deck, (goal,))
        if way is None or crew_content(trial, way):
            crew.append(goal)
    parts = (position.hands, position.tasks, position.plays, position.distribution, position.mission, position.game, deck, tuple(crew))
    return Position(*parts)


# --- random tables ------------------------------------------------------------------------------------------------

WIDE_DECK = mask_of([0, 1, 2, 3, 9, 10, 11, 12, 18, 19, 20, 21, 37, 38, 39])
"""P1-4 B1-4 G1-4 R2-4: fifteen cards, three tricks for five seats."""


class Features(NamedTuple):
    """What a random table may have; the numbers say how often."""

    columns: float
    signal: float
    exchange: float
    orders: Sequence[str]
    ends_with_tasks: float
    roles: float
    setup: float
    five_player_rule: float
    extended: bool
    midgame: float
    planted: float


def random_table_position(
    rng: random.Random,
    *,
    deck: int | None = None,
    players: Sequence[int] = (3, 3, 4, 5),
    tasks: Sequence[int] = (0, 1, 2, 3),
    crew: Sequence[int] = (0, 1, 1, 2),
    tokens: bool = True,
    owners: Sequence[str] = ("fixed", "free", "mixed"),
    distributions: Sequence[str] = DISTRIBUTIONS,
    columns: float = 0.3,
    signal: float = 0.3,
    exchange: float = 0.3,
    orders: Sequence[str] = ("named", "all", "free"),
    ends_with_tasks: float = 0.4,
    roles: float = 0.6,
    setup: float = 0.4,
    five_player_rule: float = 0.5,
    extended: bool = True,
    midgame: float = 0.6,
    planted: float = 0.5,
) -> Position:
    """A random valid position of Planet Nine with everything that a table can have.

    ``columns``, ``signal`` (a distress signal), ``exchange`` (cards passed after a later trick), ``ends_with_tasks``, ``setup``,
    ``five_player_rule`` are how often a position has that, 0 for never; ``roles`` is how often a goal of the crew speaks of a
    role rather than of everyone, anyone, the captain or all together. ``orders`` is what is said of the cards passed: ``named``
    one from each hand (of a later exchange only once that trick is over), ``all`` a whole order, ``free`` nothing, so that the
    crew chooses. ``crew`` are numbers of goals of the crew; the rest is as in ``random_position``. The default deck is SMALL_DECK,
    for five sometimes WIDE_DECK. With ``planted=1`` every position is winnable.
    """
    features = Features(
        columns, signal, exchange, orders, ends_with_tasks, roles, setup, five_player_rule, extended, midgame, rng.random() < planted
    )
    while True:
        seats = rng.choice(players)
        cards = deck or (WIDE_DECK if seats == 5 and rng.random() < 0.5 else SMALL_DECK)
        parts = rng.choice(tasks), rng.choice(crew), tokens, rng.choice(owners), rng.choice(distributions)
        try:
            drawn = _draw_table(rng, cards, seats, *parts, features)
        except (InputError, ValueError):
            continue
        if deck or cards != WIDE_DECK or drawn.plays or all(each.order for each in drawn.exchanges):
            return drawn  # there are not too many attempts


def _draw_table(
    rng: random.Random,
    deck: int,
    players: int,
    count: int,
    crew: int,
    tokens: bool,
    ownership: str,
    distribution: str,
    has: Features,
) -> Position:
    hands = random_deal(rng, deck, players)
    columns = _random_columns(rng, hands) if rng.random() < has.columns else ()
    tricks = table_of(hands).tricks
    exchanges = []
    if rng.random() < has.signal:
        exchanges.append(_random_exchange(rng, hands, 0, rng.choice((LEFT, RIGHT, EITHER)), has.orders))
    if rng.random() < has.exchange and tricks > 1:
        exchanges.append(_random_exchange(rng, hands, rng.randint(1, tricks - 1), rng.choice((LEFT, RIGHT)), has.orders))
    bare = Position(hands, (), (), distribution, deck=deck, columns=columns, exchanges=tuple(exchanges))
    line, passes = random_attempt(rng, bare)
    plays = _cut(rng, line, players) if rng.random() < has.midgame else ()
    said = replace(
        bare,
        plays=plays,
        exchanges=tuple(_said(rng, each, passes, len(plays), has.orders, deck) for each in exchanges),
        setup=rng.choice(SETUPS) if rng.random() < has.setup else "",
        five_player_rule=rng.random() < has.five_player_rule,
        ends_with_tasks=bool(count) and rng.random() < has.ends_with_tasks,
    )
    whole = replace(bare, exchanges=tuple(Exchange(*passes[each.after]) for each in exchanges), ends_with_tasks=said.ends_with_tasks)
    drawn, owned = _draw_tasks(rng, said, line, count, tokens, ownership, has.planted)
    said, whole = replace(said, tasks=drawn), replace(whole, tasks=owned)
    if has.planted and rng.random() < 0.7:
        said = replace(said, tasks=rng.choice(token_ways(said)).tasks)  # to be won once the crew has used its right
    goals: list[CrewGoal] = []
    names = [Role("opener", "crew", "all"), Role("ill", "captain", "others"), Role("closer", "captain", rng.choice(("all", "others")))]
    for _ in range(100 * crew):
        if len(goals) < crew:
            goal = _random_crew_goal(rng, said, names, has)
            if not has.planted or winners_of(replace(whole, crew=(*goals, goal)), line):
                goals.append(goal)
                names = [role for role in names if role != goal.role]
    if len(goals) < crew:
        raise InputError("no such goals")
    said, whole = replace(said, crew=tuple(goals)), replace(whole, crew=tuple(goals))
    given = _random_roles(rng, whole, line if has.planted else None)
    return replace(said, roles=given)


def _random_columns(rng: random.Random, hands: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The cards of a hand of most cards without trump 4 in columns of two, and one of one for an odd card."""
    most = max(hand.bit_count() for hand in hands)
    possible = [hand for hand in hands if not hand >> CAPTAIN_CARD & 1 and hand.bit_count() == most]
    if not possible:
        raise InputError("the captain has most cards")
    cards = list(cards_of(rng.choice(possible)))
    rng.shuffle(cards)
    half = (len(cards) + 1) // 2
    return tuple(zip(cards[:half], [*cards[half:], -1][:half], strict=True))


def _random_exchange(rng: random.Random, hands: Sequence[int], after: int, to: int, orders: Sequence[str]) -> Exchange:
    cards = [card for card in cards_of(sum(hands)) if after or suit(card) != 4]
    return Exchange(after, to, tuple(rng.sample(cards, len(cards))) if rng.choice(orders) == "all" else ())


def _said(
    rng: random.Random,
    exchange: Exchange,
    passes: dict[int, tuple[int, int, tuple[int, ...]]],
    tricks: int,
    orders: Sequence[str],
    deck: int,
) -> Exchange:
    """The exchange as a position says it that has plays in so many tricks: once it must have been made, the cards and the side."""
    after, to, gone = passes[exchange.after]
    order = exchange.order
    if not order and (tricks > after or "free" not in orders):
        order = tuple(rng.sample(gone, len(gone)))
        if tricks <= after and after:
            rest = [card for card in cards_of(deck) if card not in gone]
            order += tuple(rng.sample(rest, len(rest)))
    return Exchange(after, to if tricks else exchange.to, order)


def random_attempt(rng: random.Random, position: Position) -> tuple[list[Trick], dict[int, tuple[int, int, tuple[int, ...]]]]:
    """A random legal attempt from the deal to its end, and the exchanges made: (tricks before, direction, card of each seat)."""
    table, tricks = table_of(position.hands, position.columns), list[Trick]()
    passes: dict[int, tuple[int, int, tuple[int, ...]]] = {}
    while table.tricks:
        if not table.trick:
            for exchange in position.exchanges:
                if exchange.after == len(tricks):
                    to, gone, table = rng.choice(list(passing(table, exchange)))
                    passes[exchange.after] = (exchange.after, to, gone)
        table = table.after(rng.choice(table.choices()))
        if table.full:
            tricks.append(table.finished())
            table = table.cleared()
    return tricks, passes


def _cut(rng: random.Random, line: Sequence[Trick], players: int) -> tuple[tuple[int, ...], ...]:
    played = [card for trick in line for card in trick.cards][: rng.randint(1, len(line) * players)]
    return tuple(tuple(played[start : start + players]) for start in range(0, len(played), players))


def _draw_tasks(
    rng: random.Random, said: Position, line: Sequence[Trick], count: int, tokens: bool, ownership: str, planted: bool
) -> tuple[tuple[Task, ...], tuple[Task, ...]]:
    """Tasks as a position shows them, and the same with all owners, as they are in the end."""
    players, captain = len(said.hands), table_of(said.hands).leader
    winner_of = {card: trick.winner for trick in line for card in trick.cards}
    sequence = [card for trick in line for card in rng.sample(trick.cards, players) if suit(card) != 4]
    draft = random_draft(rng, said.distribution, count, players, captain)
    final = list(draft)
    if said.five_player_rule and players == 5 and count and rng.random() < 0.7:
        final[rng.randrange(count)] = rng.randrange(players)
    if planted and ownership == "fixed" and rng.random() < 0.5:
        cards = sorted(rng.sample(sequence, min(count, len(sequence))), key=sequence.index)
        final = draft = [winner_of[card] for card in cards]
    elif planted:
        chosen = _fitting(rng, sequence, winner_of, final)
        places = sorted(range(count), key=lambda place: sequence.index(chosen[place]))
        cards, draft, final = ([values[place] for place in places] for values in (chosen, draft, final))
    else:
        cards = rng.sample([card for card in cards_of(said.deck) if suit(card) != 4], count)
    wanted = random_tokens(rng, len(cards)) if tokens else []
    marks: list[str | None] = [*wanted, *[None] * len(cards)][: len(cards)]
    if planted:
        marks = _planted_tokens(wanted, len(cards), rng)
    else:
        rng.shuffle(marks)
    hide = {"fixed": 0.0, "mixed": 0.5, "free": 1.0}[ownership]
    places = rng.sample(range(len(cards)), len(cards))
    owned = tuple(Task(cards[place], final[place], marks[place]) for place in places)
    seats = draft if not said.plays and rng.random() < 0.7 else final  # a task may still be where the draft gave it
    shown = [None if rng.random() < hide else seats[place] for place in places]
    return tuple(replace(task, owner=owner) for task, owner in zip(owned, shown, strict=True)), owned


def _random_crew_goal(rng: random.Random, said: Position, names: Sequence[Role], has: Features) -> CrewGoal:
    deck, players = said.deck, len(said.hands)
    laid = [task.token for task in said.tasks if task.token is not None]
    form = random_form(rng, deck, players, has.extended)
    if has.extended and laid and rng.random() < 0.2:
        numbers = rng.sample([1, 2, "last"], rng.randint(1, 2))
        form = goal_form({"count": "tricks", "numbers": numbers, "holds": f"token {rng.choice(laid)}", "exactly": 1}, "random goal")
    if rng.random() < has.roles:
        if rng.random() < 0.5:
            role = rng.choice(names)
            return CrewGoal(role.name, form, role)
        role = Role("collector", left_of=format_card(rng.choice(list(cards_of(deck)))), as_dealt=rng.random() < 0.3)
        return CrewGoal(rng.choice(("collector", "not collector")), form, role)
    who = rng.choice(("everyone", "anyone", "captain", "together"))
    while who == "together" and any("against" in dict(entry) or dict(entry)["count"] == "run" for entry in form.entries):
        form = random_form(rng, deck, players, has.extended)
    return CrewGoal(who, form)


def _random_roles(rng: random.Random, position: Position, line: Sequence[Trick] | None) -> tuple[tuple[str, int], ...]:
    """Seats for some of the roles that are chosen, with which this attempt is still won if one is given."""
    given: list[tuple[str, int]] = []
    for goal in position.crew:
        if goal.role is None or goal.role.left_of is not None or rng.random() < 0.6:
            continue
        seats = [seat for seat in range(len(position.hands)) if seat not in dict(given).values()]
        for seat in rng.sample(seats, len(seats)):
            try:
                trial = replace(position, roles=(*given, (goal.role.name, seat)))
            except InputError:
                continue
            if line is None or winners_of(trial, line):
                given.append((goal.role.name, seat))
                break
    return tuple(given)
