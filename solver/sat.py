"""The SAT opinion on a position: one formula that is satisfiable exactly when the position can be won.

Independent of the search kernels. Every trick that is left is encoded, also those after the win: a legal hand can
always be played to its end. The ideas are the usual ones of planning as satisfiability (Kautz & Selman 1992):
time-stamped actions, here "card c in trick t", and an order encoding "card c before trick t" (Tamura et al. 2009).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, pairwise
from time import monotonic

from pysat.solvers import Solver  # type: ignore[import-untyped]

from .cards import SUIT_MASKS, TRUMP, cards_of, suit_of
from .referee import Referee
from .tokens import ABSOLUTE, ARROWS, OMEGA

SOLVER = "glucose4"
SLICE = 2000

Clauses = list[list[int]]
CARDS = 40
SEATS = 5
SUITS = 5


class Pool:
    """The variables of a formula over ``tricks`` tricks; ``first`` is the number of its first trick (1-based).

    Tricks are counted from 0 here. The common variables have fixed numbers, so that whole clauses can be
    shared between formulas; others are made by ``new``. ``meaning`` translates any variable back.
    """

    def __init__(self, tricks: int, first: int) -> None:
        self.tricks, self.first = tricks, first
        self.top = (4 * CARDS + SEATS + SUITS + 2 * SEATS * SUITS) * tricks
        self.extra: dict[tuple[str | int, ...], int] = {}

    def new(self, *key: str | int) -> int:
        """The variable of a key of its own, made at its first use."""
        if key not in self.extra:
            self.top += 1
            self.extra[key] = self.top
        return self.extra[key]

    def card(self, card: int, trick: int) -> int:
        """The card is played in this trick."""
        return 1 + card * self.tricks + trick

    def gone(self, card: int, trick: int) -> int:
        """The card was played before this trick (1 .. tricks)."""
        return (CARDS + card) * self.tricks + trick

    def wins(self, card: int, trick: int) -> int:
        """The card wins this trick."""
        return 1 + (2 * CARDS + card) * self.tricks + trick

    def high(self, card: int, trick: int) -> int:
        """This card or a higher one of its suit is played in this trick."""
        return 1 + (3 * CARDS + card) * self.tricks + trick

    def seat(self, seat: int, trick: int) -> int:
        """The seat wins this trick."""
        return 1 + (4 * CARDS + seat) * self.tricks + trick

    def led(self, suit: int, trick: int) -> int:
        """The suit is led to this trick."""
        return 1 + (4 * CARDS + SEATS + suit) * self.tricks + trick

    def plays(self, seat: int, suit: int, trick: int) -> int:
        """The seat plays a card of the suit to this trick."""
        return 1 + (4 * CARDS + SEATS + SUITS + seat * SUITS + suit) * self.tricks + trick

    def void(self, seat: int, suit: int, trick: int) -> int:
        """The seat has no card of the suit when this trick begins."""
        return 1 + (4 * CARDS + SEATS + SUITS + SEATS * SUITS + seat * SUITS + suit) * self.tricks + trick


@dataclass
class Encoding:
    pool: Pool
    clauses: Clauses
    @property
    def variables(self) -> int:
        return self.pool.top


@dataclass(frozen=True)
class SatAnswer:
    """``status`` is winnable, unwinnable or undecided."""

    status: str
    line: list[int] = field(default_factory=list)
    owners: tuple[int, ...] = ()


def _at_most_one(literals: Sequence[int]) -> Iterator[list[int]]:
    return ([-a, -b] for a, b in combinations(literals, 2))


@lru_cache(maxsize=8192)
def _card_clauses(tricks: int, card: int, seat: int, above: int | None, trump: int | None, spare: bool) -> Clauses:
    pool = Pool(tricks, 1)
    suit = suit_of(card)
    clauses: Clauses = []
    for t in range(tricks):
        x, after = pool.card(card, t), pool.gone(card, t + 1)
        clauses += [-x, after], [-x, pool.plays(seat, suit, t)], [-x, pool.high(card, t)]
        if t:
            before = pool.gone(card, t)
            clauses += [-before, after], [-x, -before], [-after, before, x]
        else:
            clauses += [[-after, x]]
        w = pool.wins(card, t)
        clauses += [-w, x], [-w, pool.seat(seat, t)]
        best = [-x, w]
        if suit != TRUMP:
            best.append(-pool.led(suit, t))
            clauses.append([-w, pool.led(suit, t)])
            if trump is not None:
                best.append(pool.high(trump, t))
                clauses.append([-w, -pool.high(trump, t)])
        if above is not None:
            best.append(pool.high(above, t))
            clauses += [-w, -pool.high(above, t)], [-pool.high(above, t), pool.high(card, t)], [-pool.high(card, t), x, pool.high(above, t)]
        else:
            clauses.append([-pool.high(card, t), x])
        clauses.append(best)
    if not spare:
        clauses.append([pool.gone(card, tricks)])
    return clauses


def _rules(pool: Pool, hands: Sequence[int], leader: int) -> Clauses:
    tricks, players = pool.tricks, len(hands)
    everything = 0
    for hand in hands:
        everything |= hand
    in_play = [list(cards_of(everything & mask)) for mask in SUIT_MASKS]
    trump = in_play[TRUMP][0] if in_play[TRUMP] else None
    above = {low: high for cards in in_play for low, high in pairwise(cards)}
    clauses: Clauses = []
    for seat, hand in enumerate(hands):
        spare = hand.bit_count() > tricks
        cards = list(cards_of(hand))
        for card in cards:
            clauses += _card_clauses(tricks, card, seat, above.get(card), trump, spare)
        suits = [suit for suit in range(SUITS) if hand & SUIT_MASKS[suit]]
        for t in range(tricks):
            plays = [pool.plays(seat, suit, t) for suit in suits]
            clauses.append(plays)
            clauses += _at_most_one(plays)
            clauses.append([-pool.seat(seat, t), *(pool.wins(card, t) for card in cards)])
        for suit in suits:
            held = list(cards_of(hand & SUIT_MASKS[suit]))
            for t in range(tricks):
                plays, led, void = pool.plays(seat, suit, t), pool.led(suit, t), pool.void(seat, suit, t)
                here = [pool.card(card, t) for card in held]
                clauses.append([-plays, *here])
                clauses += _at_most_one(here)
                if t:
                    gone = [pool.gone(card, t) for card in held]
                    clauses.append([void, *(-g for g in gone)])
                    clauses += [[-void, g] for g in gone]
                    clauses.append([-led, plays, void])
                    clauses.append([-pool.seat(seat, t - 1), -plays, led])
                    clauses.append([-pool.seat(seat, t - 1), plays, -led])
                else:
                    clauses.append([-led, plays])
                    if seat == leader:
                        clauses += [-plays, led], [plays, -led]
    suits = [suit for suit in range(SUITS) if in_play[suit]]
    for t in range(tricks):
        for group in ([pool.seat(seat, t) for seat in range(players)], [pool.led(suit, t) for suit in suits]):
            clauses.append(group)
            clauses += _at_most_one(group)
    return clauses


def encode(referee: Referee) -> Encoding:
    position = referee.position
    pool = Pool(referee.tricks_left, len(referee.history) + 1)
    if referee.failure is not None:
        failed = pool.new("failed")
        return Encoding(pool, [[failed], [-failed]])
    hands = list(referee.hands)
    played = []
    for turn, card in enumerate(referee.trick):
        hands[(referee.leader + turn) % position.players] |= 1 << card
        played.append([pool.card(card, 0)])
    clauses = _rules(pool, hands, referee.leader) + played
    _tasks(referee, pool, clauses)
    _order(referee, pool, clauses)
    return Encoding(pool, clauses)


def _tasks(referee: Referee, pool: Pool, clauses: Clauses) -> None:
    position = referee.position
    free = []
    for index, task in enumerate(position.tasks):
        owner, open_ = referee.owners[index], referee.completed[index] is None
        if open_:
            clauses.append([pool.gone(task.card, pool.tricks)])
        if task.owner is None:
            free.append(index)
            owns = [pool.new("owner", index, seat) for seat in range(position.players)]
            clauses.append(owns)
            clauses += _at_most_one(owns)
            if owner is not None:
                clauses.append([owns[owner]])
            else:
                for t in range(pool.tricks):
                    for seat, own in enumerate(owns):
                        clauses.append([-own, -pool.card(task.card, t), pool.seat(seat, t)])
                        clauses.append([own, -pool.card(task.card, t), -pool.seat(seat, t)])
        elif open_:
            clauses += [[-pool.card(task.card, t), pool.seat(task.owner, t)] for t in range(pool.tricks)]
    if free:
        chosen = [pool.new("counts", number) for number in range(len(position.counts))]
        clauses.append(chosen)
        for seat in range(position.players):
            reached = _counter(pool, clauses, [pool.new("owner", index, seat) for index in free], ("tasks of", seat))
            for number, counts in enumerate(position.counts):
                if counts[seat]:
                    clauses.append([-chosen[number], reached[counts[seat] - 1]])
                if counts[seat] < len(free):
                    clauses.append([-chosen[number], -reached[counts[seat]]])


def _counter(pool: Pool, clauses: Clauses, literals: Sequence[int], key: tuple[str | int, ...]) -> list[int]:
    """Variables "at least 1, 2, ... of the literals", equivalences (sequential counter, Sinz 2005)."""
    reached: list[int] = []
    for number, literal in enumerate(literals, start=1):
        now = [pool.new(*key, number, least) for least in range(1, number + 1)]
        for least, more in enumerate(now):
            same = reached[least] if least < len(reached) else None
            fewer = reached[least - 1] if least else None
            clauses.append([more, -literal] if fewer is None else [more, -literal, -fewer])
            if same is not None:
                clauses.append([more, -same])
            clauses.append([-more, literal] if same is None else [-more, literal, same])
            if fewer is not None:
                clauses.append([-more, fewer] if same is None else [-more, same, fewer])
        reached = now
    return reached


def _order(referee: Referee, pool: Pool, clauses: Clauses) -> None:
    tasks = referee.position.tasks
    open_ = [task for task, done in zip(tasks, referee.completed, strict=True) if done is None]
    done = len(tasks) - len(open_)
    token = {task.token: task.card for task in open_ if task.token is not None}
    absolute = [token[name] for name in ABSOLUTE if name in token]
    others = [task.card for task in open_ if task.token not in ABSOLUTE]
    later = list(pairwise(absolute)) + list(pairwise(token[name] for name in ARROWS if name in token))
    if OMEGA in token:
        later += [(task.card, token[OMEGA]) for task in open_ if task.token != OMEGA]
    numbers = [int(name) - done for name in ABSOLUTE if name in token]
    gapless = numbers == list(range(1, len(numbers) + 1))
    if absolute and gapless:
        later += [(absolute[-1], card) for card in others]
    for t in range(1, pool.tricks + 1):
        clauses += [[-pool.gone(second, t), pool.gone(first, t)] for first, second in later]
        if not gapless:
            reached = _counter(pool, clauses, [pool.gone(task.card, t) for task in open_], ("completed before", t))
            for card, number in zip(absolute, numbers, strict=True):
                clauses += [-pool.gone(card, t), reached[number - 1]], [pool.gone(card, t), -reached[number - 1]]


def decide(referee: Referee, *, seconds: float | None = None) -> SatAnswer:
    if referee.failure is not None:
        return SatAnswer("unwinnable")
    encoding = encode(referee)
    with Solver(SOLVER, bootstrap_with=encoding.clauses) as solver:
        if not solver.solve():
            return SatAnswer("unwinnable")
        model = solver.get_model()
    return _answer(referee, encoding, {v for v in model if v > 0})


def _answer(referee: Referee, encoding: Encoding, true: set[int]) -> SatAnswer:
    pool, players = encoding.pool, referee.position.players
    line = [card for _, cards, _, _ in referee.history for card in cards]
    holder = {card: seat for seat, hand in enumerate(referee.position.hands) for card in cards_of(hand)}
    leader = referee.leader
    for t in range(pool.tricks):
        cards = [card for card in holder if pool.card(card, t) in true]
        line += sorted(cards, key=lambda card: (holder[card] - leader) % players)
        leader = next(seat for seat in range(players) if pool.seat(seat, t) in true)
    owners = tuple(
        owner if owner is not None else next(seat for seat in range(players) if pool.new("owner", index, seat) in true)
        for index, owner in enumerate(referee.owners)
    )
    return SatAnswer("winnable", line, owners)
