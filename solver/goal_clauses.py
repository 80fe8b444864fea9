"""Goals as clauses.

A goal counts: cards, tricks, openings. What is counted is a row of literals, a bound on the number is a unary counter over
it. Only those halves of a definition are written that the bounds need, and all seats and goals share them. Where the
attempt may end before the last trick, the formula chooses after which: each goal is then written once for each trick.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .cards import FULL_DECK, SUIT_MASKS, cards_of, format_card, format_hand, mask_of, rank_of
from .goals import CARDS as COUNT_CARDS
from .goals import EACH_OTHER, NOBODY, OPENINGS, OTHERS_TOGETHER, RUN, TOGETHER, TRICKS, UNBOUNDED, Condition, Duty, Goal
from .play_clauses import Changes, exchanges_to_come
from .pool import Clauses, Pool, Writer
from .referee import Referee


def may_end_early(referee: Referee) -> bool:
    """Whether the trick after which goals are judged is open. A task with a goal is completed after the last trick only."""
    position = referee.position
    by_card = all(task.target >= 0 for task in position.tasks)
    return position.ends_with_tasks and by_card and bool(position.duties) and referee.tricks_left > 0


def goes_on(pool: Pool, t: int) -> int:
    """The attempt is not over before this trick, which is 1 .. ``tricks`` - 1: the first one left is always played."""
    return pool.new(f"the attempt goes on to trick {pool.first + t}")


def end_of_attempt(referee: Referee, pool: Pool) -> Clauses:
    """The attempt is over after some trick, no open task later than that."""
    clauses: Clauses = [[-goes_on(pool, t), goes_on(pool, t - 1)] for t in range(2, pool.tricks)]
    for task, done in zip(referee.position.tasks, referee.completed, strict=True):
        if done is None:
            clauses += ([-pool.card(task.target, t), goes_on(pool, t)] for t in range(1, pool.tricks))
    return clauses


@dataclass(frozen=True)
class _Row:
    """Literals to be counted, and what they say: ``name`` reads on from "3 or more of"."""

    name: str
    literals: tuple[int, ...]

    def __add__(self, other: _Row) -> _Row:
        if not self.literals or not other.literals:
            return self if self.literals else other
        names = (f"the first {len(row.literals)} of {row.name}" for row in (self, other))
        return _Row(" and ".join(names), self.literals + other.literals)


_NOTHING = _Row("", ())


class Goals(Writer):
    """Writes the duties of a position as ``clauses``.

    Tricks are counted from 0 at the start of the formula; what happened before is counted by hand, as a number. A seat
    may be TOGETHER, for all seats as if they were one.
    """

    def __init__(self, referee: Referee, pool: Pool, hands: Sequence[int], changes: Changes | None = None, demanded: bool = True) -> None:
        super().__init__(pool)
        self.referee, self.hands, self.changes = referee, hands, changes
        self.players = len(hands)
        self.past = len(referee.history)
        self.may_end_early = may_end_early(referee)
        everything = sum(hands)
        self.in_play = [everything & mask for mask in SUIT_MASKS]
        self._diagrams: dict[tuple[int, int, int, tuple[int, ...]], _Diagram] = {}
        self._cast: list[Mapping[int, int]] = []
        for number, duty in enumerate(referee.position.duties if demanded else ()):
            self.duty(number, duty, self.true)

    # --- duties and conditions ---

    def duty(self, number: int, duty: Duty, demanded: int) -> None:
        """The literal ``demanded`` implies the duty of this number."""
        tasks = self.referee.position.tasks
        seats = list(cards_of(duty.seats))  # a set of seats is read as a set of cards is
        if duty.task >= 0 and tasks[duty.task].owner is None:
            fulfils = {seat: self.pool.owner(duty.task, seat) for seat in seats}
        elif duty.holder_of >= 0:
            holders = self._holders_at_the_start(duty.holder_of)
            demanded_of = f"goal {number} is demanded of seat"
            fulfils = {
                (holder + duty.steps) % self.players: self._both(f"{demanded_of} {(holder + duty.steps) % self.players}", holds, demanded)
                for holder, holds in holders.items()
            }
        elif len(seats) == 1:
            fulfils = {seats[0]: demanded}
        else:
            fulfils = {seat: self.pool.new(f"seat {seat} fulfils goal {number}") for seat in seats}
            self._add(-demanded, *fulfils.values())
        if duty.role:
            for other in self._cast:
                for seat in fulfils.keys() & other.keys():
                    self._add(-fulfils[seat], -other[seat])
            self._cast.append(fulfils)
        for seat, when in fulfils.items():
            self.ask(when, seat, duty.goal, f"goal {number}")

    def _holders_at_the_start(self, card: int) -> Mapping[int, int]:
        """The seats that may hold the card when trick 1 starts, each with the literal that it does."""
        signals = sum(exchange.after == 0 for _, exchange in exchanges_to_come(self.referee))
        if self.changes is not None and signals:
            return self.changes.holders(card, signals)
        holder = next(seat for seat, hand in enumerate(self.referee.position.hands) if hand >> card & 1)
        for after, to, passed in self.referee.passes:
            if after == 0 and passed[holder] == card:
                holder = (holder + to) % self.players
        return {holder: self.true}

    def ask(self, when: int, seat: int, goal: Goal, name: str) -> None:
        """The literal ``when`` implies the goal for this seat; ``name`` is the goal's in the meanings of variables."""
        ways = [when] * len(goal.conditions)
        if goal.any_of:
            ways = [self.pool.new(f"seat {seat} fulfils condition {place} of {name}") for place in range(len(goal.conditions))]
            self._add(-when, *ways)
        for way, condition in zip(ways, goal.conditions, strict=True):
            self._condition(way, seat, condition)

    def _condition(self, when: int, seat: int, condition: Condition) -> None:
        """The literal ``when`` implies the condition for this seat."""
        total = self.referee.position.tricks
        first = 1 if condition.always else self.past + 1 if self.may_end_early else total
        for finished in range(first, total + 1):
            judged = self._judged(when, finished, condition.always != 0) if self.may_end_early else when
            if condition.against == EACH_OTHER:
                for other in range(self.players):
                    if other != seat:
                        self._between(judged, seat, condition, [other], finished)
            elif condition.against == OTHERS_TOGETHER:
                self._between(judged, seat, condition, [other for other in range(self.players) if other != seat], finished)
            elif condition.against == TOGETHER:
                self._between(judged, TOGETHER, condition, [], finished)
            else:
                self._between(judged, seat, condition, [condition.against] if condition.against != NOBODY else [], finished)

    def _judged(self, when: int, finished: int, always: bool) -> int:
        """A literal that follows when ``when`` holds and the attempt is over after so many tricks, or with ``always`` not before."""
        t = finished - self.past  # the first trick that is not counted
        so = [goes_on(self.pool, t - 1)] if t > 1 else []
        so += [-goes_on(self.pool, t)] if 0 < t < self.pool.tricks and not always else []
        if not so:
            return when
        over = "it goes on to" if always else "it ends with"
        wanted = self.pool.meaning(abs(when))
        judged, fresh = self._new(f"{over} trick {finished}, and {wanted if when > 0 else f'not: {wanted}'}", False)
        if fresh:
            self._add(-when, judged, *(-literal for literal in so))
        return judged

    def _between(self, when: int, seat: int, condition: Condition, others: list[int], finished: int) -> None:
        """The number for this seat less those of the others lies between the bounds after so many tricks of the attempt."""
        low, high = condition.low, condition.high
        if condition.count == RUN and not others and seat != TOGETHER:
            if low > 0:
                self._add(-when, self._run(seat, low, finished, True))
            if high < finished:
                self._add(-when, -self._run(seat, high + 1, finished, False))
            return
        if len(others) == self.players - 1 and seat not in others and _asks_for_nothing(condition):  # the others won all other tricks
            tricks = (condition.numbers & ((1 << finished) - 1)).bit_count()
            low, high, others = -(-(low + tricks) // 2), (high + tricks) // 2, []
        if low > -UNBOUNDED // 2:
            given, plus, minus = self._number(seat, condition, others, finished, True)
            self._at_least(when, plus, minus, low - given)
        if high < UNBOUNDED // 2:
            given, plus, minus = self._number(seat, condition, others, finished, False)
            self._at_least(when, minus, plus, given - high)

    def _number(self, seat: int, condition: Condition, others: list[int], finished: int, holds: bool) -> tuple[int, _Row, _Row]:
        """The number is the first, more by one for each literal true of the second, less by one for each of the third.

        With ``holds`` to be bounded from below, without from above.
        """
        given, plus, minus = self._own_number(seat, condition, finished, holds)
        for other in others:
            theirs, theirs_plus, theirs_minus = self._own_number(other, condition, finished, not holds)
            given, plus, minus = given - theirs, plus + theirs_minus, minus + theirs_plus
        return given, plus, minus

    def _own_number(self, seat: int, condition: Condition, finished: int, holds: bool) -> tuple[int, _Row, _Row]:
        if condition.count == COUNT_CARDS:
            counted, less = condition.cards & ~condition.minus, condition.minus & ~condition.cards
            given, plus = self._cards(seat, counted, finished, holds)
            taken, minus = self._cards(seat, less, finished, not holds)
            return given - taken, plus, minus
        if condition.count == TRICKS:
            return (*self._tricks(seat, condition, finished, holds), _NOTHING)
        if condition.count == OPENINGS:
            return (*self._openings(seat, condition, finished, holds), _NOTHING)
        seats = range(self.players) if seat == TOGETHER else [seat]
        lengths = tuple(self._run(one, length, finished, holds) for one in seats for length in range(1, finished + 1))
        return 0, _Row(f"the lengths of runs of {_who(seat)} up to trick {finished}", lengths), _NOTHING

    # --- counting ---

    def _at_least(self, when: int, plus: _Row, minus: _Row, least: int) -> None:
        """``when`` implies that at least ``least`` more of the literals of ``plus`` are true than of ``minus``."""
        for number in range(len(minus.literals) + 1):  # if so many of minus, then so many more of plus
            wanted = number + least
            if wanted <= 0:
                continue
            if number == 1 and len(minus.literals) > 1 and wanted > len(plus.literals):  # none of minus
                for literal in minus.literals:
                    self._add(-when, -literal)
                return
            if_so = (-when, -self._reached(minus, number, False)) if number else (-when,)
            if wanted > len(plus.literals):
                self._add(*if_so)
                return
            if wanted == 1:
                self._add(*if_so, *plus.literals)
            elif wanted == len(plus.literals):
                for literal in plus.literals:
                    self._add(*if_so, literal)
            else:
                self._add(*if_so, self._reached(plus, wanted, True))

    def _reached(self, row: _Row, least: int, holds: bool) -> int:
        """The literal "``least`` or more of the row" (sequential counter, Sinz 2005), ``least`` from 1 to all."""
        return self._reached_by(row, len(row.literals), least, holds)

    def _reached_by(self, row: _Row, first: int, least: int, holds: bool) -> int:
        if least <= 0:
            return self.true
        if least > first:
            return -self.true
        literal = row.literals[first - 1]
        if first == 1:
            return literal
        this, fresh = self._new(f"{least} or more of the first {first} of {row.name}", holds)
        if fresh:
            same, fewer = self._reached_by(row, first - 1, least, holds), self._reached_by(row, first - 1, least - 1, holds)
            if holds:
                self._add(-this, literal, same)
                self._add(-this, fewer, same)
            else:
                self._add(this, -literal, -fewer)
                self._add(this, -same)
        return this

    # --- what is counted: the number so far, and a literal for each that may come ---

    def _cards(self, seat: int, cards: int, finished: int, holds: bool) -> tuple[int, _Row]:
        """The cards of a set that the seat has won."""
        given = 0
        for _, trick, winner, _ in self.referee.history[:finished]:
            given += (mask_of(trick) & cards).bit_count() if seat in (winner, TOGETHER) else 0
        left = finished - self.past
        if left <= 0:
            return given, _NOTHING
        still = sum(self.in_play) & cards
        when = "" if left == self.pool.tricks else f" up to trick {finished}"
        literals = tuple(self._won(card, seat, left, holds) for card in cards_of(still))
        return given, _Row(f"{format_hand(still)} won by {_who(seat)}{when}", literals)

    def _won(self, card: int, seat: int, left: int, holds: bool) -> int:
        """The seat wins the card in one of the next ``left`` tricks."""
        pool = self.pool
        if left == 0:
            return -self.true
        if seat == TOGETHER:
            return pool.gone(card, left)
        at_last = left == pool.tricks
        when = "" if at_last else f" up to trick {self.past + left}"
        this, fresh = self._new(f"seat {seat} wins card {format_card(card)}{when}", holds)
        if fresh and at_last:
            for t in range(left):
                here, wins = pool.card(card, t), pool.seat(seat, t)
                self.clauses.append([-this, -here, wins] if holds else [this, -here, -wins])
            if holds:
                self.clauses.append([-this, pool.gone(card, left)])
        elif fresh:
            here, wins, before = pool.card(card, left - 1), pool.seat(seat, left - 1), self._won(card, seat, left - 1, holds)
            if holds:
                self._add(-this, before, here)
                self._add(-this, before, wins)
            else:
                self._add(this, -before)
                self._add(this, -here, -wins)
        return this

    def _tricks(self, seat: int, condition: Condition, finished: int, holds: bool) -> tuple[int, _Row]:
        """The tricks that the seat has won, of the numbers and with the properties asked for."""
        given = before = 0
        for number, (leader, trick, winner, _) in enumerate(self.referee.history[:finished]):
            counts = condition.numbers >> number & 1 == 1 and _counts_trick(condition, leader, trick, winner)
            given += seat in (winner, TOGETHER) and counts and not condition.after & ~before
            before |= mask_of(trick)
        matching = condition._replace(count=TRICKS, numbers=-1, against=NOBODY, low=0, high=0, always=0)
        tricks = [t for t in range(max(finished - self.past, 0)) if condition.numbers >> self.past + t & 1]
        literals = [self._match(seat, t, matching, holds) for t in tricks]
        name = f"the tricks{_numbers(condition.numbers, self.referee.position.tricks)} won by {_who(seat)}{_words(matching)}"
        return given, _Row(name, self._possible(literals))

    def _openings(self, seat: int, condition: Condition, finished: int, holds: bool) -> tuple[int, _Row]:
        """The tricks that the seat has opened with a card of the set, and where that is asked could have opened with another."""
        cards, by_choice = condition.cards, condition.by_choice != 0
        past = zip(self.referee.history[:finished], self.referee.led_from, strict=False)
        given = sum(
            seat in (leader, TOGETHER) and cards >> trick[0] & 1 and not (by_choice and not led_from & ~cards)
            for (leader, trick, _, _), led_from in past
        )
        literals = []
        for t in range(finished - self.past):
            if seat != TOGETHER:
                literals.append(self._opens(seat, cards, by_choice, t, holds))
                continue
            ways = self._possible([self._opens(one, cards, by_choice, t, holds) for one in range(self.players)])
            meaning = f"trick {self.pool.first + t} is opened with one of {_named(cards, by_choice)}"
            literals.append(self._any(meaning, ways, holds) if ways else -self.true)
        return given, _Row(f"the tricks opened by {_who(seat)} with {_named(cards, by_choice)}", self._possible(literals))

    def _possible(self, literals: Sequence[int]) -> tuple[int, ...]:
        return tuple(literal for literal in literals if literal != -self.true)

    def _opens(self, seat: int, cards: int, by_choice: bool, t: int, holds: bool) -> int:
        leads = self._leads(seat, t)
        some = self._played_by(seat, cards, t)
        if leads == -self.true or not some:
            return -self.true
        this, fresh = self._new(f"seat {seat} opens trick {self.pool.first + t} with one of {_named(cards, by_choice)}", holds)
        if not fresh:
            return this
        choices = [self._could_lead_other(seat, cards, t, holds)] if by_choice else []
        if holds:
            self._add(-this, leads)
            self._add(-this, *some)
            for choice in choices:
                self._add(-this, choice)
        else:
            for played in some:
                self._add(this, -leads, -played, *(-choice for choice in choices))
        return this

    def _could_lead_other(self, seat: int, cards: int, t: int, holds: bool) -> int:
        """The seat can lead a card outside the set to this trick, if it leads."""
        others = cards_of(self._may_hold(seat, t) & ~cards)
        if self.changes is not None:
            ways = [self.changes.could_lead(seat, card, t) for card in others]
        else:
            ways = [-self.pool.gone(card, t) if t else self.true for card in others]
        return self._any(f"seat {seat} could lead another card than {_named(cards)} to trick {self.pool.first + t}", ways, holds)

    def _run(self, seat: int, length: int, finished: int, holds: bool) -> int:
        """The seat wins so many tricks in a row, within the first tricks of the attempt that are ``finished``."""
        if length <= 0 or length > finished:
            return self.true if length <= 0 else -self.true
        this, fresh = self._new(f"seat {seat} wins {length} tricks in a row up to trick {finished}", holds)
        if not fresh:
            return this
        wins = [self.true if winner == seat else -self.true for _, _, winner, _ in self.referee.history[:finished]]
        wins += [self.pool.seat(seat, t) for t in range(finished - self.past)]
        starts = []
        for start in range(finished + 1 - length):
            window = wins[start : start + length]
            if not holds:
                self._add(this, *(-won for won in window))
            elif length == 1:
                starts += window
            elif -self.true not in window:
                starts.append(self.pool.new(f"seat {seat} wins {length} tricks in a row from trick {start + 1} on"))
                for won in window:
                    self._add(-starts[-1], won)
        if holds:
            self._add(-this, *starts)
        return this

    # --- one trick ---

    def _leads(self, seat: int, t: int) -> int:
        if t == 0:
            return self.true if seat == self.referee.leader else -self.true
        return self.pool.seat(seat, t - 1)

    def wins(self, card: int, t: int) -> int:
        """The card wins this trick."""
        this = self.pool.wins(card, t)
        if not (self.changes is not None and self.changes.exchanges) and self._fresh(this, True):
            holder = next(seat for seat, hand in enumerate(self.hands) if hand >> card & 1)
            here, seat_wins = self.pool.card(card, t), self.pool.seat(holder, t)
            self.clauses += [-this, here], [-this, seat_wins], [this, -here, -seat_wins]
        return this

    def _may_hold(self, seat: int, t: int) -> int:
        """The cards that the seat may hold in this trick, of all seats for TOGETHER."""
        if seat == TOGETHER:
            return sum(self.in_play)
        return self.hands[seat] if self.changes is None else self.changes.may_hold(seat, t)

    def _plays(self, seat: int, card: int, t: int) -> int:
        """The seat, which may hold the card, plays it to this trick."""
        return self.pool.card(card, t) if self.changes is None else self.changes.plays(seat, card, t)

    def _played_by(self, seat: int, cards: int, t: int) -> list[int]:
        """Literals of which one holds when the seat plays a card of the set."""
        literals = []
        for suit, mask in enumerate(SUIT_MASKS):
            held = self._may_hold(seat, t) & mask
            if held and held & cards == held:
                literals.append(self.pool.plays(seat, suit, t))
            else:
                literals += [self._plays(seat, card, t) for card in cards_of(held & cards)]
        return literals

    def _some_of(self, cards: int, t: int) -> list[int]:
        """Literals of which one holds when the trick holds a card of the set."""
        literals = []
        for suit, held in enumerate(self.in_play):
            if held and held & cards == held:
                seats = [seat for seat in range(self.players) if self._may_hold(seat, t) & held]
                literals += [self.pool.plays(seat, suit, t) for seat in seats]
            else:
                literals += [self.pool.card(card, t) for card in cards_of(held & cards)]
        return literals

    def _match(self, seat: int, t: int, condition: Condition, holds: bool) -> int:
        """The seat wins this trick, and it counts for the condition."""
        pool = self.pool
        condition = condition._replace(after=self._still(condition.after))
        if condition.after and (t == 0 or condition.after & ~sum(self.in_play)):  # not all of them played before
            return -self.true
        seat_wins = self.true if seat == TOGETHER else pool.seat(seat, t)
        if _asks_for_nothing(condition):
            return seat_wins
        hand = self._may_hold(seat, t)
        any_card = not hand & ~condition.won_with
        winning = [seat_wins] if any_card else [self.wins(card, t) for card in cards_of(hand & condition.won_with)]
        if not winning:
            return -self.true
        counts = self._counts(t, condition._replace(won_with=FULL_DECK), holds)
        # where hands change, the card that wins does not say which seat does
        who = [seat_wins] if not any_card and seat != TOGETHER and self.changes is not None and self.changes.exchanges else []
        if counts == self.true and len(winning) == 1 and not who:
            return winning[0]
        this, fresh = self._new(f"{_who(seat)} wins trick {pool.first + t}{_words(condition)}", holds)
        if fresh and holds:
            self._add(-this, seat_wins)
            self._add(-this, counts)
            if not any_card:
                self._add(-this, *winning)
        elif fresh:
            for wins in winning:
                self._add(this, -wins, -counts, *(-seat_wins for seat_wins in who))
        return this

    def _still(self, cards: int) -> int:
        """The cards of the set that had not been played in the tricks finished."""
        return cards & ~mask_of(card for _, trick, _, _ in self.referee.history for card in trick)

    def _counts(self, t: int, condition: Condition, holds: bool) -> int:
        """The trick counts for the condition, whoever wins it with whatever card."""
        if _asks_for_nothing(condition):
            return self.true
        this, fresh = self._new(f"trick {self.pool.first + t} is one{_words(condition)}", holds)
        if not fresh:
            return this
        parts: list[int] = []
        if condition.captures:
            parts.append(self._captures(t, condition.captures, holds))
        if condition.holds:
            some = self._some_of(condition.holds, t)
            parts.append(self._any(f"trick {self.pool.first + t} holds one of {_named(condition.holds)}", some, holds))
        if condition.closed_with & FULL_DECK != FULL_DECK:
            parts.append(self._closed(t, condition.closed_with, holds))
        if condition.equal:
            parts.append(self._equal(t, condition.equal, condition.equal_to, holds))
        if condition.sum_low > 0 or condition.sum_high < UNBOUNDED:
            parts.append(self._sum(t, condition.sum_low, condition.sum_high, condition.only, holds))
        parts += [self.pool.gone(card, t) for card in cards_of(condition.after)]
        foreign = self._some_of(~condition.only, t)
        if holds:
            for part in [*parts, *(-card for card in foreign)]:
                self._add(-this, part)
        else:
            self._add(this, *foreign, *(-part for part in parts))
        return this

    def _captures(self, t: int, cards: int, holds: bool) -> int:
        """Some other card than the winning one is of the set."""
        losers = [self._loses(card, t, holds) for card in cards_of(cards & sum(self.in_play))]
        return self._any(f"trick {self.pool.first + t} captures one of {format_hand(cards)}", losers, holds)

    def _loses(self, card: int, t: int, holds: bool) -> int:
        this, fresh = self._new(f"card {format_card(card)} is played to trick {self.pool.first + t} and does not win it", holds)
        here, wins = self.pool.card(card, t), self.wins(card, t)
        if fresh and holds:
            self._add(-this, here)
            self._add(-this, -wins)
        elif fresh:
            self._add(this, -here, wins)
        return this

    def _closed(self, t: int, cards: int, holds: bool) -> int:
        """The card played last is of the set."""
        this, fresh = self._new(f"trick {self.pool.first + t} is closed with one of {format_hand(cards)}", holds)
        for leader in range(self.players) if fresh else ():
            leads, last = self._leads(leader, t), self._played_by((leader - 1) % self.players, cards, t)
            if holds:
                self._add(-this, -leads, *last)
            else:
                for played in last:
                    self._add(this, -leads, -played)
        return this

    def _equal(self, t: int, cards: int, others: int, holds: bool) -> int:
        """The trick holds equally many cards of two sets, at least one of each."""
        this, fresh = self._new(f"trick {self.pool.first + t} has as many of {format_hand(cards)} as of {format_hand(others)}", holds)
        if not fresh:
            return this
        one, two = self._held(t, cards), self._held(t, others)
        most = max(len(one.literals), len(two.literals), 1)
        for number in range(1, most + 1):
            yes, no, no_less, no_more = (
                [self._reached_by(row, len(row.literals), least, way) for row in (one, two)]
                for least, way in ((number, True), (number, False), (number, holds), (number + 1, not holds))
            )
            if holds and number == 1:
                self._add(-this, yes[0])
                self._add(-this, yes[1])
            elif holds:
                self._add(-this, -no[0], yes[1])
                self._add(-this, -no[1], yes[0])
            else:
                self._add(this, -no_less[0], -no_less[1], no_more[0], no_more[1])
        return this

    def _held(self, t: int, cards: int) -> _Row:
        """For each seat that could: it plays a card of the set to this trick."""
        trick = self.pool.first + t
        literals = []
        for seat in range(self.players):
            some = self._played_by(seat, cards, t)
            if len(some) > 1:
                meaning = f"seat {seat} plays one of {format_hand(cards)} to trick {trick}"
                some = [self._any(meaning, some, holds) for holds in (True, False)][:1]
            literals += some
        return _Row(f"the seats that play one of {format_hand(cards)} to trick {trick}", tuple(literals))

    def _sum(self, t: int, low: int, high: int, only: int, holds: bool) -> int:
        """The ranks in this trick sum up to between the bounds, if all its cards are of the set ``only``."""
        hands = tuple(self._may_hold(seat, t) for seat in range(self.players))
        if (low, high, only, hands) not in self._diagrams:
            self._diagrams[low, high, only, hands] = _sum_diagram(hands, low, high, only)
        diagram = self._diagrams[low, high, only, hands]
        literals, trick, of = {_SURE: self.true, _NEVER: -self.true}, self.pool.first + t, format_hand(only & FULL_DECK)
        fresh = False  # in the end, whether the top node is
        for node in diagram.rows:
            seats = f"seats {node[0]} to {self.players - 1}"
            literals[node], fresh = self._new(f"{seats} play {node[1]} to {node[2]} to trick {trick}, of {of}", holds)
        for node, rows in diagram.rows.items() if fresh else ():
            for card, rest in rows:
                here = self._plays(node[0], card, t)
                if holds:
                    self._add(-literals[node], -here, literals[rest])
                else:
                    self._add(literals[node], -here, -literals[rest])
        return literals[diagram.top]


_Sum = tuple[int, int, int]
"""A node of the diagram of a sum: the ranks from this seat on sum up to at least this and at most that."""
_SURE, _NEVER = (-1, 0, 0), (-1, 1, 0)


@dataclass(frozen=True)
class _Diagram:
    """A decision diagram of a sum, seat by seat: where each card leads from each node. The top node is ``top`` and, unless
    it is _SURE or _NEVER, the last of ``rows``."""

    top: _Sum
    rows: dict[_Sum, list[tuple[int, _Sum]]]


def _sum_diagram(hands: Sequence[int], low: int, high: int, only: int) -> _Diagram:
    """The diagram of the sums from ``low`` to ``high`` of one card of each hand, each of the set ``only``."""
    cards = [[(card, rank_of(card)) for card in cards_of(hand & only)] for hand in hands]
    ranks = [[rank for _, rank in held] or [0] for held in cards]
    spans = [(sum(map(min, ranks[seat:])), sum(map(max, ranks[seat:]))) for seat in range(len(hands) + 1)]
    rows: dict[_Sum, list[tuple[int, _Sum]]] = {}

    def node(seat: int, low: int, high: int) -> _Sum:
        """The node for this sum, made when it is new: one for all sums that come to the same."""
        least, most = spans[seat]
        low, high = max(low, least), min(high, most)
        if low > high:
            return _NEVER
        if (low, high) == (least, most):
            return _SURE
        if (seat, low, high) not in rows:
            rows[seat, low, high] = [(card, node(seat + 1, low - rank, high - rank)) for card, rank in cards[seat]]
        return seat, low, high

    return _Diagram(node(0, low, high), rows)


def _who(seat: int) -> str:
    return "the crew" if seat == TOGETHER else f"seat {seat}"


def _named(cards: int, by_choice: bool = False) -> str:
    """A set of cards, of which there may be none in any deck."""
    return (format_hand(cards) or "no card") + (" by choice" if by_choice else "")


def _asks_for_nothing(condition: Condition) -> bool:
    """Whether every trick won, of the right number, counts for the condition."""
    return condition.count == TRICKS and not _words(condition)


def _counts_trick(condition: Condition, leader: int, trick: Sequence[int], winner: int) -> bool:
    """Whether a finished trick has the properties that the condition asks for, whatever was played before."""
    best = trick[(winner - leader) % len(trick)]
    cards, total = mask_of(trick), sum(map(rank_of, trick))
    equal = (cards & condition.equal).bit_count()
    return (
        condition.won_with >> best & 1 == 1
        and not (condition.captures and not condition.captures & cards & ~(1 << best))
        and not (condition.holds and not condition.holds & cards)
        and not cards & ~condition.only
        and condition.sum_low <= total <= condition.sum_high
        and not (condition.equal and (not equal or equal != (cards & condition.equal_to).bit_count()))
        and condition.closed_with >> trick[-1] & 1 == 1
    )


@lru_cache(maxsize=1024)
def _words(condition: Condition) -> str:
    """What the condition asks of a trick, to be read on from "trick 3 is one"; empty for nothing."""
    words = ""
    if FULL_DECK & ~condition.won_with:
        words += f", won with one of {format_hand(condition.won_with & FULL_DECK)}"
    if condition.captures:
        words += f", with another card of {format_hand(condition.captures)}"
    if condition.holds:
        words += f", with one of {_named(condition.holds)}"
    if FULL_DECK & ~condition.only:
        words += f", only of {format_hand(condition.only & FULL_DECK)}"
    if condition.sum_low > 0 or condition.sum_high < UNBOUNDED:
        words += f", with a sum of {condition.sum_low} to {condition.sum_high}"
    if condition.equal:
        words += f", with as many of {format_hand(condition.equal)} as of {format_hand(condition.equal_to)}"
    if FULL_DECK & ~condition.closed_with:
        words += f", closed with one of {format_hand(condition.closed_with & FULL_DECK)}"
    if condition.after:
        words += f", after all of {_named(condition.after)}"
    return words


@lru_cache(maxsize=1024)
def _numbers(numbers: int, tricks: int) -> str:
    """A set of trick numbers, to be read on from "the tricks"; empty for all."""
    named = [number for number in range(1, tricks + 1) if numbers >> number - 1 & 1]
    return "" if len(named) == tricks else f" {', '.join(map(str, named))}"
