"""The SAT opinion on a position: a formula that is satisfiable exactly when the position can be won.

Independent of the search kernels; knows the rules only as clauses. All tricks that are left are encoded, those
after the win too: whoever has won can always play on legally, so that changes nothing.

The base is planning as satisfiability (Kautz and Selman 1992), "card c in trick t", with an order encoding
beside it, "card c before trick t" (Tamura et al. 2009). What makes it fast is a second, coarser layer that
knows only suits and numbers: how many cards of a suit a seat has played, who plays, leads and wins in which suit.
Conflicts that do not depend on ranks are learnt there once instead of once for every choice of cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from time import monotonic
from typing import Literal

from pysat.solvers import Solver  # type: ignore[import-untyped]

from .cards import SUIT_MASKS, SUIT_NAMES, TRUMP, cards_of, format_card, suit_of
from .referee import Referee
from .tokens import ABSOLUTE, ARROWS, OMEGA

SOLVER = "glucose4"
"""By measurement on random deals with 6-10 tasks: MiniSat 2.2 is 10-20% faster on the easy ones, but takes up to twice as
long on the worst 3-player deals; CaDiCaL 1.9.5 is as good on those and 1.5 times slower on the others."""
SLICE = 500
"""Conflicts between two looks at the clock, some 10-60 ms. Budgets work with every solver of PySAT and
need no timer thread; interrupts exist in only some of them."""

Clauses = list[list[int]]
CARDS, SEATS, SUITS = 40, 5, 5
_BLOCKS = (("card", CARDS), ("gone", CARDS), ("wins", CARDS), ("high", CARDS), ("played", CARDS),
           ("seat", SEATS), ("led", SUITS), ("plays", SEATS * SUITS))  # fmt: skip
_START = {name: sum(rows for _, rows in _BLOCKS[:index]) for index, (name, _) in enumerate(_BLOCKS)}


class Pool:
    """The variables of a formula over ``tricks`` tricks, counted from 0; ``first`` is the number the first one
    has in the attempt (from 1).

    Common variables have fixed numbers, a row of ``tricks`` for each card, seat or suit, so that whole
    clauses are shared between formulas; a row no clause uses does no harm. All others are made by ``new``.
    """

    def __init__(self, tricks: int, first: int = 1) -> None:
        self.tricks, self.first = tricks, first
        self.top = self._fixed = sum(rows for _, rows in _BLOCKS) * tricks
        self._extra: dict[str, int] = {}

    def new(self, meaning: str) -> int:
        """The variable with a meaning of its own; made at its first use."""
        if meaning not in self._extra:
            self.top += 1
            self._extra[meaning] = self.top
        return self._extra[meaning]

    def card(self, card: int, trick: int) -> int:
        """The card is played in this trick."""
        return 1 + card * self.tricks + trick

    def gone(self, card: int, trick: int) -> int:
        """The card is played before this trick, which is 1 .. ``tricks``."""
        return (_START["gone"] + card) * self.tricks + trick

    def wins(self, card: int, trick: int) -> int:
        """The card wins this trick."""
        return 1 + (_START["wins"] + card) * self.tricks + trick

    def high(self, card: int, trick: int) -> int:
        """The card or a higher one of its suit is played in this trick."""
        return 1 + (_START["high"] + card) * self.tricks + trick

    def played(self, card: int, trick: int) -> int:
        """Before this trick (1 .. ``tricks``) the holder has played n cards of the suit, whichever, where the card
        is the n-th lowest it holds. For its highest card of the suit: it is void."""
        return (_START["played"] + card) * self.tricks + trick

    def seat(self, seat: int, trick: int) -> int:
        """The seat wins this trick, and so leads the next."""
        return 1 + (_START["seat"] + seat) * self.tricks + trick

    def led(self, suit: int, trick: int) -> int:
        """The suit is led to this trick."""
        return 1 + (_START["led"] + suit) * self.tricks + trick

    def plays(self, seat: int, suit: int, trick: int) -> int:
        """The seat plays a card of the suit to this trick."""
        return 1 + (_START["plays"] + seat * SUITS + suit) * self.tricks + trick

    def meaning(self, variable: int) -> str:
        """What a variable says, in words. Raises ValueError for a number outside the pool."""
        if not 1 <= variable <= self.top:
            raise ValueError(f"there is no variable {variable}: the pool has 1 to {self.top}")
        if variable > self._fixed:
            return next(meaning for meaning, extra in self._extra.items() if extra == variable)
        row, trick = divmod(variable - 1, self.tricks)
        name = next(name for name, _ in reversed(_BLOCKS) if _START[name] <= row)
        row, trick = row - _START[name], trick + self.first
        card, suit = format_card(row) if row < CARDS else "", SUIT_NAMES[row % SUITS]
        return {
            "card": f"card {card} in trick {trick}",
            "gone": f"card {card} in trick {trick} or before",
            "wins": f"card {card} wins trick {trick}",
            "high": f"card {card} or a higher one of its suit in trick {trick}",
            "played": f"up to trick {trick} as many of that suit from the holder of {card} as the place of {card} in its hand",
            "seat": f"seat {row} wins trick {trick}",
            "led": f"{suit} is led to trick {trick}",
            "plays": f"seat {row // SUITS} plays {suit} to trick {trick}",
        }[name]


@dataclass(frozen=True)
class Encoding:
    """A formula in conjunctive normal form and its variables. Treat the clauses as read-only: they are shared."""

    pool: Pool
    clauses: Clauses

    @property
    def variables(self) -> int:
        """The highest variable number."""
        return self.pool.top


@dataclass(frozen=True)
class SatAnswer:
    """What SAT says. For ``winnable``: the ``line``, every card from trick 1 to the last trick, and the owner of each task."""

    status: Literal["winnable", "unwinnable", "undecided"]
    line: tuple[int, ...] = ()
    owners: tuple[int, ...] = ()


def _at_most_one(literals: Sequence[int]) -> Iterator[list[int]]:
    return ([-a, -b] for a, b in combinations(literals, 2))


@lru_cache(maxsize=1024)
def _card_clauses(tricks: int, card: int, seat: int, above: int | None, trump: int | None) -> Clauses:
    """All that concerns one card. ``above`` is the next higher card of its suit in play, ``trump`` the lowest trump."""
    pool, suit = Pool(tricks), suit_of(card)
    clauses: Clauses = []
    for t in range(tricks):
        here, wins, high = pool.card(card, t), pool.wins(card, t), pool.high(card, t)
        after = pool.gone(card, t + 1)
        if t:
            clauses += [-pool.gone(card, t), after], [-here, -pool.gone(card, t)], [-after, pool.gone(card, t), here]
        else:
            clauses.append([-after, here])
        clauses += [-here, after], [-here, pool.plays(seat, suit, t)], [-here, high], [-wins, here], [-wins, pool.seat(seat, t)]
        best = [-here, wins]  # a card wins unless another suit was led or something higher is there
        if above is not None:
            higher = pool.high(above, t)
            clauses += [-higher, high], [-high, here, higher], [-wins, -higher]
            best.append(higher)
        else:
            clauses.append([-high, here])
        if suit != TRUMP:
            clauses.append([-wins, pool.led(suit, t)])
            best.append(-pool.led(suit, t))
            if trump is not None:
                clauses.append([-wins, -pool.high(trump, t)])
                best.append(pool.high(trump, t))
        clauses.append(best)
    return clauses


@lru_cache(maxsize=2048)
def _count_clauses(tricks: int, card: int, seat: int, below: int | None) -> Clauses:
    """The number of cards of a suit a seat has played, one rung: ``below`` is its next lower card of the suit."""
    pool, suit = Pool(tricks), suit_of(card)
    clauses: Clauses = []
    for t in range(tricks):
        plays, now = pool.plays(seat, suit, t), pool.played(card, t + 1)
        before = [pool.played(card, t)] if t else []  # empty: false
        clauses.append([-now, plays, *before])
        clauses += ([-b, now] for b in before)
        if below is None:
            clauses.append([-plays, now])
        elif t:
            clauses += [-now, pool.played(below, t)], [-plays, -pool.played(below, t), now]  # one card a trick
        else:
            clauses.append([-now])
    return clauses


def _rules(pool: Pool, hands: Sequence[int], leader: int) -> Clauses:
    """The rules of play for these hands, the cards of a trick already begun included."""
    tricks = pool.tricks
    everything = sum(hands)  # disjoint sets
    in_play = [list(cards_of(everything & mask)) for mask in SUIT_MASKS]
    above = {low: high for cards in in_play for low, high in pairwise(cards)}
    trump = in_play[TRUMP][0] if in_play[TRUMP] else None
    clauses: Clauses = []
    for seat, hand in enumerate(hands):
        spare = hand.bit_count() > tricks  # one card stays over
        held = [(suit, list(cards_of(hand & mask))) for suit, mask in enumerate(SUIT_MASKS) if hand & mask]
        for suit, cards in held:
            below: int | None = None
            for card in cards:
                clauses += _card_clauses(tricks, card, seat, above.get(card), trump)
                clauses += _count_clauses(tricks, card, seat, below)
                below = card
            if not spare:
                clauses += ([pool.gone(card, tricks)] for card in cards)
            if not spare or len(cards) > 1:
                clauses.append([pool.played(cards[-1 if not spare else -2], tricks)])
            for t in range(tricks):
                here = [pool.card(card, t) for card in cards]
                plays, led = pool.plays(seat, suit, t), pool.led(suit, t)
                clauses.append([-plays, *here])
                clauses += _at_most_one(here)
                if t:
                    void, gone = pool.played(cards[-1], t), [pool.gone(card, t) for card in cards]
                    clauses += ([-void, card] for card in gone)
                    clauses.append([void, *(-card for card in gone)])
                    leads = pool.seat(seat, t - 1)
                    clauses += [-led, plays, void], [-leads, -plays, led], [-leads, plays, -led]
                else:
                    clauses.append([-led, plays])
                    if seat == leader:
                        clauses.append([-plays, led])
        for t in range(tricks):
            plays_any = [pool.plays(seat, suit, t) for suit, _ in held]
            clauses.append(plays_any)
            clauses += _at_most_one(plays_any)
            wins = pool.seat(seat, t)
            clauses.append([-wins, *(pool.wins(card, t) for card in cards_of(hand))])
            # who wins, by suits alone (implied): with trump if there is any, else with the suit that was led
            for suit, _ in held:
                if suit != TRUMP:
                    clauses.append([-wins, -pool.plays(seat, suit, t), pool.led(suit, t)])
            if trump is not None:
                trumped = pool.high(trump, t)
                if hand & SUIT_MASKS[TRUMP]:
                    clauses += [-wins, -trumped, pool.plays(seat, TRUMP, t)], [-pool.plays(seat, TRUMP, t), trumped]
                else:
                    clauses.append([-wins, -trumped])
    for t in range(tricks):
        for group in ([pool.seat(seat, t) for seat in range(len(hands))], [pool.led(suit, t) for suit in range(SUITS) if in_play[suit]]):
            clauses.append(group)
            clauses += _at_most_one(group)
    return clauses


def _counter(pool: Pool, clauses: Clauses, literals: Sequence[int], name: str) -> list[int]:
    """Variables for "at least 1, 2, ... of the literals", equivalent to it (sequential counter, Sinz 2005)."""
    reached: list[int] = []
    for number, literal in enumerate(literals, start=1):
        now = [pool.new(f"{least} or more of the first {number} {name}") for least in range(1, number + 1)]
        for least, this in enumerate(now):
            same = reached[least : least + 1]  # empty: false
            fewer = reached[least - 1 : least] if least else []  # empty: true
            clauses += [this, -literal, *(-f for f in fewer)], [-this, literal, *same]
            clauses += ([this, -s] for s in same)
            clauses += ([-this, f, *same] for f in fewer)
        reached = now
    return reached


def _owner(pool: Pool, task: int, seat: int) -> int:
    return pool.new(f"task {task} belongs to seat {seat}")


def _tasks(referee: Referee, pool: Pool) -> Clauses:
    """Open tasks are won by their owners; owners who are not given take numbers of tasks that the distribution allows."""
    position = referee.position
    clauses: Clauses = []
    free = [index for index, task in enumerate(position.tasks) if task.owner is None]
    for index, task in enumerate(position.tasks):
        owner, still_open = referee.owners[index], referee.completed[index] is None
        if still_open:
            clauses.append([pool.gone(task.card, pool.tricks)])
        if still_open and owner is not None:
            clauses += ([-pool.card(task.card, t), pool.seat(owner, t)] for t in range(pool.tricks))
        if task.owner is not None:
            continue
        owns = [_owner(pool, index, seat) for seat in range(position.players)]
        if owner is not None:
            clauses += ([own if seat == owner else -own] for seat, own in enumerate(owns))
            continue
        for t in range(pool.tricks):
            for seat, own in enumerate(owns):
                wins = pool.seat(seat, t)
                clauses += [-own, -pool.card(task.card, t), wins], [own, -pool.card(task.card, t), -wins]
        clauses.append(owns)
        clauses += _at_most_one(owns)
    if free:
        chosen = [pool.new(f"task counts {counts}") for counts in position.counts]
        clauses.append(chosen)
        for seat in range(position.players):
            reached = _counter(pool, clauses, [_owner(pool, index, seat) for index in free], f"free tasks belong to seat {seat}")
            for choice, counts in zip(chosen, position.counts, strict=True):
                clauses += ([-choice, more if number < counts[seat] else -more] for number, more in enumerate(reached))
    return clauses


def _order(referee: Referee, pool: Pool) -> Clauses:
    """The tokens of the open tasks, said with "gone": all tasks get completed, so a task is completed with its card.

    Absolute token k: before any trick the task is completed exactly if k tasks are. When the tokens 1 .. m all lie on
    tasks, that is the chain 1, 2, .., m, all others; only a gap needs counting. One trick may complete several links.
    """
    tasks = referee.position.tasks
    still_open = [task for task, done in zip(tasks, referee.completed, strict=True) if done is None]
    card = {task.token: task.card for task in still_open if task.token is not None}
    absolute = [token for token in ABSOLUTE if token in card]
    numbers = [int(token) - (len(tasks) - len(still_open)) for token in absolute]
    gap = numbers != list(range(1, len(numbers) + 1))
    chains = [pairwise(absolute), pairwise(token for token in ARROWS if token in card)]
    order = [(card[first], card[second]) for chain in chains for first, second in chain]
    if OMEGA in card:
        order += [(task.card, card[OMEGA]) for task in still_open if task.token != OMEGA]
    if absolute and not gap:
        order += [(card[absolute[-1]], task.card) for task in still_open if task.token not in ABSOLUTE]
    clauses: Clauses = []
    for t in range(1, pool.tricks + 1):
        clauses += ([-pool.gone(second, t), pool.gone(first, t)] for first, second in order)
        if gap:
            cards = [pool.gone(task.card, t) for task in still_open]
            reached = _counter(pool, clauses, cards, f"open tasks are completed before trick {pool.first + t}")
            for token, number in zip(absolute, numbers, strict=True):
                done = pool.gone(card[token], t)
                clauses += [-done, reached[number - 1]], [done, -reached[number - 1]]
    return clauses


def encode(referee: Referee) -> Encoding:
    """The formula "from where this referee stands all tasks can be completed". Contradictory for a lost mission."""
    pool = Pool(referee.tricks_left, len(referee.history) + 1)
    if referee.failure is not None:
        failed = pool.new("the mission is lost")
        return Encoding(pool, [[failed], [-failed]])
    hands = list(referee.hands)
    for turn, card in enumerate(referee.trick):
        hands[(referee.leader + turn) % len(hands)] |= 1 << card
    clauses = [[pool.card(card, 0)] for card in referee.trick]
    clauses += _rules(pool, hands, referee.leader)
    clauses += _tasks(referee, pool)
    clauses += _order(referee, pool)
    return Encoding(pool, clauses)


def _solve_slice(solver: Solver) -> bool | None:
    """One slice of conflicts; None when it did not suffice. Ctrl-C reaches us as PySAT's own error."""
    solver.conf_budget(SLICE)
    try:
        return solver.solve_limited()  # type: ignore[no-any-return]
    except Exception as error:
        if "keyboard interrupt" in str(error):
            raise KeyboardInterrupt from None
        raise


def decide(referee: Referee, *, seconds: float | None = None) -> SatAnswer:
    """Decide the position this referee stands in, which is left as it is.

    ``undecided`` only when ``seconds`` ran out, building the formula included.
    """
    end = None if seconds is None else monotonic() + seconds
    if referee.failure is not None:
        return SatAnswer("unwinnable")
    encoding = encode(referee)
    with Solver(name=SOLVER, bootstrap_with=encoding.clauses) as solver:
        solved: bool | None = None
        while solved is None:
            if end is not None and monotonic() >= end:
                return SatAnswer("undecided")
            solved = _solve_slice(solver)
        return _winning(referee, encoding.pool, solver.get_model()) if solved else SatAnswer("unwinnable")


def _winning(referee: Referee, pool: Pool, model: Sequence[int]) -> SatAnswer:
    """Read the line and the owners off a model, which lists the variables in order, negated where false."""
    seats = range(referee.position.players)
    line = [*(card for _, cards, _, _ in referee.history for card in cards), *referee.trick]
    hands, leader = list(referee.hands), referee.leader
    for t in range(pool.tricks):
        for turn in range(len(referee.trick) if t == 0 else 0, len(seats)):
            seat = (leader + turn) % len(seats)
            line.append(next(card for card in cards_of(hands[seat]) if model[pool.card(card, t) - 1] > 0))
        leader = next(seat for seat in seats if model[pool.seat(seat, t) - 1] > 0)
    owners = (
        next(seat for seat in seats if model[_owner(pool, index, seat) - 1] > 0) if owner is None else owner
        for index, owner in enumerate(referee.owners)
    )
    return SatAnswer("winnable", tuple(line), tuple(owners))
