"""Which two task cards of Mission Deep Sea exclude each other whatever the deal, at two owners or at one.

An exclusion is proved by a formula in which the deal is free: hands, play and winners are all variables. Without a deal the
rules get short, for who sits where no longer matters: the order in which a trick is filled up decides nothing, only
who leads. So the captain is seat 0, and owners are the captain, seat 1 and seat 2, which stand for all others. If
the formula has no solution, no deal and no play fulfil both tasks; if it has one, that is a deal with a play that
does (``example``). What the formula does not know of a condition it leaves out: then it may miss an exclusion but claims none.

``python -m deepcrew.solver.exclusions`` proves all pairs anew and prints the data file, in about two minutes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import combinations, groupby, product
from operator import itemgetter
from random import Random
from textwrap import wrap
from typing import NamedTuple

from pysat.solvers import Solver  # type: ignore[import-untyped]

from .cards import CAPTAIN_CARD, FULL_DECK, RANKS, SUIT_MASKS, TRUMP, cards_of, mask_of, rank_of
from .errors import DataError, InputError
from .goals import CARDS, EACH_OTHER, NOBODY, OPENINGS, OTHERS_TOGETHER, RUN, TRICKS, UNBOUNDED, Condition, Goal
from .referee import beats, goal_holds, must_follow
from .schema import check_table
from .taskcards import TaskCard, find_task_card, load_task_cards

SOURCE = "deep_sea_exclusions.toml"
SOLVER = "glucose4"
CAPTAIN = 0
_RANDOM_PLAYS = 200  # they spare most of the formulas

Clauses = list[list[int]]
Pair = frozenset[str]
_CARDS = range(FULL_DECK.bit_count())
_SUITS = range(len(SUIT_MASKS))


class Example(NamedTuple):
    """A deal and a play of it, every card in play order, with the owners of two tasks that both fulfil theirs."""

    hands: tuple[int, ...]
    line: tuple[int, ...]
    owners: tuple[int, int]


def excludes(one: str, other: str, players: int, same_owner: bool) -> bool:
    """Whether no deal and no play fulfil both tasks, at one owner or at two different ones. Two play as three.

    Raises InputError for an unknown task card and for an impossible number of players.
    """
    return example(one, other, players, same_owner) is None


def example(one: str, other: str, players: int, same_owner: bool) -> Example | None:
    """A deal with a play that fulfils both tasks at one owner or at two, or None when there is none. The captain is seat 0.

    Raises InputError as ``excludes``.
    """
    cards = find_task_card(one), find_task_card(other)
    table = _table(_seated(players))
    for owners in ((0, 0), (1, 1)) if same_owner else ((0, 1), (1, 0), (1, 2)):
        if any(owner == CAPTAIN and card.not_for_captain for owner, card in zip(owners, cards, strict=True)):
            continue
        formula = Formula(table)
        for owner, card in zip(owners, cards, strict=True):
            formula.add_goal(card.form.resolve(table.players, table.tricks, CAPTAIN), owner)
        with Solver(SOLVER, bootstrap_with=table.rules) as solver:
            solver.append_formula(formula.clauses)
            if solver.solve():
                hands, line = table.read(solver.get_model())
                return Example(hands, line, owners)
    return None


def _seated(players: int) -> int:
    """How many seats play. Raises InputError."""
    if players not in (2, 3, 4, 5):
        raise InputError(f"the number of players must be 2, 3, 4 or 5, not {players!r}")
    return max(players, 3)


class Table:
    """The variables and the rules of an attempt with a free deal, for a number of seats."""

    def __init__(self, players: int) -> None:
        self.players, self.tricks = players, len(_CARDS) // players
        self.top = 0
        seats, tricks = range(players), range(self.tricks)
        self.plays = {key: self._new() for key in product(seats, _CARDS, tricks)}  # the seat plays the card in this trick
        self.holds = {key: self._new() for key in product(seats, _CARDS)}  # the card is dealt to the seat
        self.lies = {key: self._new() for key in product(_CARDS, tricks)}  # the card lies in this trick
        self.best = {key: self._new() for key in product(_CARDS, tricks)}  # the card wins this trick
        self.wins = {key: self._new() for key in product(seats, tricks)}  # the seat wins this trick
        self.takes = {key: self._new() for key in product(seats, _CARDS)}  # the seat wins the card
        self.false = self._new()
        self.rules: Clauses = [[-self.false], *self._cards(), *self._tricks()]

    def _new(self) -> int:
        self.top += 1
        return self.top

    def _cards(self) -> Iterator[list[int]]:
        """Every card has one holder, lies in one trick, but for one left over with three players, and goes to its winner."""
        seats, tricks = range(self.players), range(self.tricks)
        left = [self._new() for _ in _CARDS] if len(_CARDS) % self.players else []
        if left:
            yield from _exactly_one(left)
        for card in _CARDS:
            yield from _exactly_one([self.holds[seat, card] for seat in seats])
            yield from _exactly_one([self.lies[card, t] for t in tricks] + left[card : card + 1])
            yield from _at_most_one([self.takes[seat, card] for seat in seats])
            yield from ([-left[card], -self.takes[seat, card]] for seat in seats if left)
            for seat, t in product(seats, tricks):
                plays, lies, holds = self.plays[seat, card, t], self.lies[card, t], self.holds[seat, card]
                yield from ([-plays, lies], [-plays, holds], [-lies, -holds, plays])
                wins, takes = self.wins[seat, t], self.takes[seat, card]
                yield from ([-lies, -wins, takes], [-lies, -takes, wins])
        yield [self.holds[CAPTAIN, CAPTAIN_CARD]]

    def _tricks(self) -> Iterator[list[int]]:
        """Each seat plays one card a trick and follows suit if it can, the best card wins, its seat leads the next trick."""
        gone = {(card, 0): 0 for card in _CARDS}  # the card was played before this trick
        for t in range(self.tricks):
            led = [self._new() for _ in _SUITS]
            yield from _exactly_one(led)
            yield [self.best[card, t] for card in _CARDS]  # two exclude each other by what follows
            yield from _exactly_one([self.wins[seat, t] for seat in range(self.players)])
            for seat in range(self.players):
                suits = [self._new() for _ in _SUITS]  # it plays a card of this suit
                yield from _exactly_one(suits)
                for suit, mask in enumerate(SUIT_MASKS):
                    plays = [self.plays[seat, card, t] for card in cards_of(mask)]
                    yield [-suits[suit], *plays]
                    yield from ([-play, suits[suit]] for play in plays)
                    yield from _at_most_one(plays)
                    void = self._new()
                    yield [-led[suit], suits[suit], void]
                    for card in cards_of(mask):
                        yield [-void, -self.holds[seat, card], *([gone[card, t]] if t else [])]
                    if t:
                        yield [-self.wins[seat, t - 1], -suits[suit], led[suit]]
                    elif seat == CAPTAIN:
                        yield [-suits[suit], led[suit]]
                yield from ([-self.best[card, t], -self.plays[seat, card, t], self.wins[seat, t]] for card in _CARDS)
            for suit, mask in enumerate(SUIT_MASKS):
                above = 0  # a higher card of the suit lies in the trick
                for card in sorted(cards_of(mask), reverse=True):
                    best, lies, here = self.best[card, t], self.lies[card, t], self._new()
                    yield from ([-best, lies], [-lies, here], [-here, lies, *([above] if above else [])])
                    if above:
                        yield from ([-above, here], [-best, -above])
                    if suit != TRUMP:
                        yield [-best, led[suit]]
                        yield from ([-best, -self.lies[trump, t]] for trump in cards_of(SUIT_MASKS[TRUMP]))
                    above = here
            for card in _CARDS:
                gone[card, t + 1] = after = self._new()
                before = [gone[card, t]] if t else []
                yield from ([-after, self.lies[card, t], *before], [-self.lies[card, t], after])
                yield from ([-gone, after] for gone in before)
                yield from ([-gone, -self.lies[card, t]] for gone in before)

    def read(self, model: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The hands and the line, every card in play order, of a solution."""
        seats = range(self.players)
        hands = tuple(mask_of(card for card in _CARDS if model[self.holds[seat, card] - 1] > 0) for seat in seats)
        leader, line = CAPTAIN, []
        for t in range(self.tricks):
            for seat in ((leader + turn) % self.players for turn in seats):
                line.append(next(card for card in _CARDS if model[self.plays[seat, card, t] - 1] > 0))
            leader = next(seat for seat in seats if model[self.wins[seat, t] - 1] > 0)
        return hands, tuple(line)


@cache
def _table(players: int) -> Table:
    return Table(players)


class Formula:
    """What goals ask of a table, as clauses to be added to its rules. New variables are only implied, never defined: enough,
    because nothing asks for the opposite."""

    def __init__(self, table: Table) -> None:
        self.table, self.top = table, table.top
        self.clauses: Clauses = []

    def _new(self) -> int:
        self.top += 1
        return self.top

    def add_goal(self, goal: Goal, seat: int) -> None:
        """The seat fulfils the goal."""
        choices = [self._new() for _ in goal.conditions] if goal.any_of else []
        if choices:
            self.clauses.append(choices)
        for index, condition in enumerate(goal.conditions):
            unless = [-choices[index]] if choices else []
            self.clauses += (unless + clause for clause in self._condition(condition, seat))
            if choices:
                self.clauses += (unless + clause for clause in self._tricks_for_cards([condition], seat))
        if not choices:
            self.clauses += self._tricks_for_cards(goal.conditions, seat)

    def _tricks_for_cards(self, conditions: Sequence[Condition], seat: int) -> Iterator[list[int]]:
        """How many tricks it takes to win, and to leave to others, so many cards. Implied, but clauses count badly."""
        players, tricks = self.table.players, self.table.tricks
        taken, left, seen = 0, -(len(_CARDS) % players), 0
        for condition in conditions:
            if condition.count == CARDS and condition.against == NOBODY and not condition.minus and not condition.cards & seen:
                seen |= condition.cards
                taken += max(condition.low, 0)
                left += max(condition.cards.bit_count() - condition.high, 0)
        mine = [self.table.wins[seat, t] for t in range(tricks)]
        yield from self._between(mine, -(-taken // players), tricks - -(-max(left, 0) // players))

    def _condition(self, condition: Condition, seat: int) -> Iterator[list[int]]:
        table, low, high = self.table, condition.low, condition.high
        tricks, wins = range(table.tricks), table.wins
        if condition.count == CARDS and condition.against == NOBODY:
            minus = [-table.takes[seat, card] for card in cards_of(condition.minus)]
            counted = [table.takes[seat, card] for card in cards_of(condition.cards)]
            yield from self._between(counted + minus, low + len(minus), high + len(minus))
        elif condition.count == RUN and condition.against == NOBODY:
            if low > 0:
                starts = [self._new() for _ in range(table.tricks - low + 1)]
                yield starts
                yield from ([-start, wins[seat, t + step]] for t, start in enumerate(starts) for step in range(low))
            yield from ([-wins[seat, t + step] for step in range(high + 1)] for t in range(table.tricks - high))
        elif condition.count == OPENINGS and condition.against == NOBODY and high == 0:
            for t, card in product(tricks, cards_of(condition.cards)):
                if t or seat == CAPTAIN:
                    yield [*([-wins[seat, t - 1]] if t else []), -table.plays[seat, card, t]]
        elif condition.count == TRICKS and condition == _plain(condition):
            mine = [wins[seat, t] for t in tricks if condition.numbers >> t & 1]
            if condition.against == NOBODY:
                yield from self._between(mine, low, high)
            elif condition.against == OTHERS_TOGETHER:  # they win what is not mine
                yield from self._between(mine, (low + len(mine) + 1) // 2, (high + len(mine)) // 2)
            else:
                if condition.against == EACH_OTHER:  # implied: the sum over all others, who win what is not mine
                    least, most = ((table.players - 1) * bound + len(mine) for bound in (low, high))
                    yield from self._between(mine, -(-least // table.players), most // table.players)
                rivals = [condition.against] if condition.against >= 0 else [rival for rival in range(table.players) if rival != seat]
                for rival in rivals:
                    not_theirs = [-wins[rival, t] for t in tricks if condition.numbers >> t & 1]
                    yield from self._between(mine + not_theirs, low + len(mine), high + len(mine))
        elif condition.count == TRICKS and condition.against == NOBODY and low == 1:
            yield from self._some_trick(condition, seat)

    def _some_trick(self, condition: Condition, seat: int) -> Iterator[list[int]]:
        """The seat wins a trick that counts. Its cards are variables of their own, equal to those of the trick chosen."""
        table = self.table
        chosen = {t: self._new() for t in range(table.tricks) if condition.numbers >> t & 1}
        yield list(chosen.values())
        cards = {card: self._new() for card in _CARDS}
        captured = {card: self._new() for card in cards_of(condition.captures)}
        for t, choice in chosen.items():
            yield [-choice, table.wins[seat, t]]
            for card, here in cards.items():
                yield from ([-choice, -table.lies[card, t], here], [-choice, table.lies[card, t], -here])
            yield [-choice, *(table.best[card, t] for card in cards_of(condition.won_with))]
            yield from ([-choice, -capture, -table.best[card, t]] for card, capture in captured.items())
        if captured:
            yield list(captured.values())
            yield from ([-capture, cards[card]] for card, capture in captured.items())
        if condition.holds:
            yield [cards[card] for card in cards_of(condition.holds)]
        yield from ([-cards[card]] for card in cards_of(FULL_DECK & ~condition.only))
        yield from ([-here, table.takes[seat, card]] for card, here in cards.items())  # implied
        if condition.sum_low > 0 or condition.sum_high != UNBOUNDED:
            yield from self._sum(condition, chosen, cards)
        if condition.equal:
            both = [[cards[card] for card in cards_of(mask)] for mask in (condition.equal, condition.equal_to)]
            numbers = [self._new() for _ in range(table.players // 2)]
            yield numbers
            for number, choice in enumerate(numbers, start=1):
                for counted in both:
                    yield from ([-choice, *clause] for clause in self._between(counted, number, number))

    def _sum(self, condition: Condition, chosen: Mapping[int, int], cards: Mapping[int, int]) -> Iterator[list[int]]:
        """The ranks in the trick chosen sum to what counts: each seat plays some rank, written as so many ones."""
        ones: list[int] = []
        for seat in range(self.table.players):
            least = [self._new() for _ in range(RANKS)]  # it plays this rank or a higher one
            plays = {card: self._new() for card in _CARDS}
            for card, here in plays.items():
                for t, choice in chosen.items():
                    yield [-choice, -self.table.plays[seat, card, t], here]
                    yield [-choice, self.table.plays[seat, card, t], -here]
                yield from ([-here, one if rank <= rank_of(card) else -one] for rank, one in enumerate(least, start=1))
            for rank, one in enumerate(least, start=1):
                yield [one, *(here for card, here in plays.items() if rank_of(card) < rank)]
                yield [-one, *(here for card, here in plays.items() if rank_of(card) >= rank)]
            yield from ([-here, cards[card]] for card, here in plays.items())
            ones += least
        yield from self._between(ones, condition.sum_low, condition.sum_high)

    def _between(self, literals: Sequence[int], low: int, high: int) -> Iterator[list[int]]:
        """At least ``low`` and at most ``high`` of the literals hold."""
        yield from self._at_most(literals, high)
        yield from self._at_most([-literal for literal in literals], len(literals) - low)

    def _at_most(self, literals: Sequence[int], most: int) -> Iterator[list[int]]:
        """At most ``most`` of the literals hold (sequential counter, Sinz 2005)."""
        if len(literals) <= most:
            return
        if most <= 0:
            yield from ([-literal] for literal in literals) if most == 0 else ([self.table.false],)
            return
        reached: list[int] = []  # so far at least 1, 2, .. of them hold
        for literal in literals:
            now = [self._new() for _ in range(min(most, len(reached) + 1))]
            yield from ([-before, after] for before, after in zip(reached, now, strict=False))
            yield [-literal, now[0]]
            for least, before in enumerate(reached, start=1):
                yield [-literal, -before, *now[least : least + 1]]  # beyond the end: too many
            reached = now


def _plain(condition: Condition) -> Condition:
    """The condition with nothing asked of the tricks but their numbers."""
    return Condition(
        condition.count,
        numbers=condition.numbers,
        against=condition.against,
        low=condition.low,
        high=condition.high,
        always=condition.always,
    )


def _at_most_one(literals: Iterable[int]) -> Iterator[list[int]]:
    return ([-one, -other] for one, other in combinations(literals, 2))


def _exactly_one(literals: Sequence[int]) -> Iterator[list[int]]:
    yield list(literals)
    yield from _at_most_one(literals)


def find_exclusions(players: int) -> dict[bool, list[tuple[str, str]]]:
    """All pairs that exclude each other, by whether they are at one owner (True) or at two (False)."""
    players = _seated(players)
    cards = load_task_cards()
    pairs = list(combinations([card.slug for card in cards], 2))
    possible: dict[bool, set[Pair]] = {False: set(), True: set()}  # seen in some play

    def see(line: Sequence[int]) -> None:
        seats = fulfilled(cards, players, line)
        for one, other in pairs:
            if any(a != b for a in seats[one] for b in seats[other]):
                possible[False].add(Pair((one, other)))
            if seats[one] & seats[other]:
                possible[True].add(Pair((one, other)))

    random = Random(players)
    for _ in range(_RANDOM_PLAYS):
        see(random_play(random, players)[1])
    found: dict[bool, list[tuple[str, str]]] = {False: [], True: []}
    for same_owner, (one, other) in product((False, True), pairs):
        if Pair((one, other)) in possible[same_owner]:
            continue
        shown = example(one, other, players, same_owner)
        if shown is None:
            found[same_owner].append((one, other))
            continue
        see(shown.line)
        assert Pair((one, other)) in possible[same_owner], f"{one} and {other}: the formula is wrong about {shown}"
    return found


def fulfilled(cards: Sequence[TaskCard], players: int, line: Sequence[int]) -> dict[str, set[int]]:
    """Which seats have fulfilled each task card after a whole attempt and may own it; the captain is seat 0.

    ``line`` is every card in play order. Judged by the referee's rules, not by the formula.
    """
    tricks = len(line) // players
    leaders, winners = [CAPTAIN], []
    for t in range(tricks):
        best = 0
        for turn in range(1, players):
            if beats(line[t * players + turn], line[t * players + best]):
                best = turn
        winners.append((leaders[t] + best) % players)
        leaders.append(winners[t])
    seats: dict[str, set[int]] = {}
    for card in cards:
        goal = card.form.resolve(players, tricks, CAPTAIN)
        owners = range(card.not_for_captain, players)
        seats[card.slug] = {
            seat for seat in owners if goal_holds(goal.conditions, goal.any_of, seat, leaders, winners, (), line, players, tricks)
        }
    return seats


def random_play(random: Random, players: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A random deal, the captain in seat 0, and a random play of it: the hands, and every card in play order."""
    deck = list(_CARDS)
    random.shuffle(deck)
    hands = [mask_of(deck[seat::players]) for seat in range(players)]
    captain = next(seat for seat, hand in enumerate(hands) if hand >> CAPTAIN_CARD & 1)
    hands = hands[captain:] + hands[:captain]
    dealt, leader = tuple(hands), CAPTAIN
    line: list[int] = []
    for t in range(len(_CARDS) // players):
        best = 0
        for turn in range(players):
            seat = (leader + turn) % players
            led = line[t * players] if turn else -1
            card = random.choice([card for card in cards_of(hands[seat]) if not turn or not must_follow(hands[seat], led, card)])
            hands[seat] ^= 1 << card
            line.append(card)
            if turn and beats(card, line[t * players + best]):
                best = turn
        leader = (leader + best) % players
    return dealt, tuple(line)


@cache
def _loaded() -> dict[tuple[int, bool], frozenset[Pair]]:
    return read_exclusions(files("deepcrew.data").joinpath(SOURCE).read_text("utf-8"), SOURCE)


def load_exclusions(players: int, same_owner: bool) -> frozenset[Pair]:
    """The pairs of slugs that exclude each other whatever the deal, at one owner or at two different ones; read once.

    Two play as three. Raises InputError for an impossible number of players, DataError for a broken data file.
    """
    return _loaded()[_seated(players), same_owner]


def read_exclusions(text: str, source: str) -> dict[tuple[int, bool], frozenset[Pair]]:
    """Read the data file: pairs by the number of players and whether they are at one owner. ``source`` names it in errors.

    Raises DataError for everything that breaks the schema, which is explained at the top of the file.
    """
    try:
        table = check_table(tomllib.loads(text), {"exclusions": [dict]}, {"exclusions"}, source)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{source} is not TOML: {error}") from None
    known = {card.slug for card in load_task_cards()}
    found: dict[tuple[int, bool], frozenset[Pair]] = {}
    for block in table["exclusions"]:
        where = f"{source}, {block.get('players', '?')} players"
        check_table(block, {"players": int, **{key: [list] for key in _LISTS.values()}}, {"players", *_LISTS.values()}, where)
        for same_owner, key in _LISTS.items():
            for pair in block[key]:
                if len(pair) != 2 or not all(isinstance(slug, str) and slug in known for slug in pair) or pair[0] == pair[1]:
                    raise DataError(f"{where}: {key} must hold pairs of two different task cards, not {pair!r}")
            pairs = frozenset(Pair(pair) for pair in block[key])
            if len(pairs) != len(block[key]) or (block["players"], same_owner) in found:
                raise DataError(f"{where}: {key} names something twice")
            found[block["players"], same_owner] = pairs
    if {players for players, _ in found} != {3, 4, 5}:
        raise DataError(f"{source}: there must be a block for each of 3, 4 and 5 players")
    return found


def write_exclusions() -> Iterator[str]:
    """The lines of the data file, with all pairs proved anew."""
    yield from _HEADER.splitlines()
    for players in (3, 4, 5):
        yield from ("", "[[exclusions]]", f"players = {players}")
        for same_owner, pairs in find_exclusions(players).items():
            yield f"{_LISTS[same_owner]} = ["
            for _, group in groupby(pairs, itemgetter(0)):
                text = ", ".join(f'["{one}",~"{other}"]' for one, other in group) + ","  # no break at ~
                yield from (line.replace("~", " ") for line in wrap(text, 136, initial_indent="    ", subsequent_indent="    "))
            yield "]"


_LISTS = {False: "different_owners", True: "one_owner"}
_HEADER = """\
# Which two task cards of Mission Deep Sea exclude each other whatever the deal.
#
# Made by `python -m deepcrew.solver.exclusions`, which proves all pairs anew; solver/exclusions.py says how. Every pair
# listed is proved: no deal has a play that fulfils both. Of every pair not listed a deal with a play that does was
# found. So the lists are exact. Hands that are dealt anew for a task are not left out; the captain owns no
# comparison with the captain.
#
# [[exclusions]]: a number of players; two play by the lists for three
#   different_owners   pairs that no two different members can fulfil, one each
#   one_owner          pairs that no single member can fulfil together"""


if __name__ == "__main__":
    for _line in write_exclusions():
        print(_line, flush=True)
