"""The SAT formula of a position: satisfiable exactly when the position can be won.

Independent of the search kernels; knows the rules only as clauses. All tricks that are left are encoded, those
after the win too: whoever has won can always play on legally, so that changes nothing.

The base is planning as satisfiability (Kautz and Selman 1992), "card c in trick t", with an order encoding
beside it, "card c before trick t" (Tamura et al. 2009). What makes it fast is a second, coarser layer that
knows only suits and numbers: how many cards of a suit a seat has played, who plays, leads and wins in which suit.
Conflicts that do not depend on ranks are learnt there once instead of once for every choice of cards.

Who wins is said of seats: one wins each trick, and none that is beaten, which is a clause for each pair of cards of a suit. That
"card c wins" is written only where a goal asks for it, for with a variable for each card and trick, and one more for "c or a
higher one", half of the propagations go there: solving took 1.3 to 1.5 times as long.

A goal counts: cards, tricks, openings. What is counted is a row of literals, a bound on the number is a unary counter over
it. Only those halves of a definition are written that the bounds need, and all seats and goals share them. Where the
attempt may end before the last trick, the formula chooses after which: each goal is then written once for each trick.

What lies hidden in columns and what is passed in exchanges still to come is one more layer, "seat s holds card c from
then on": see ``Changes``. The coarser layer takes hands for granted, so with such exchanges it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, pairwise, product

from .cards import FULL_DECK, SUIT_MASKS, SUIT_NAMES, TRUMP, cards_of, format_card, format_hand, mask_of, rank_of, suit_of
from .goals import CARDS as COUNT_CARDS
from .goals import EACH_OTHER, NOBODY, OPENINGS, OTHERS_TOGETHER, RUN, TOGETHER, TRICKS, UNBOUNDED, Condition, Duty, Goal
from .positions import Exchange, Position
from .referee import Referee
from .tokens import ABSOLUTE, ARROWS, OMEGA

Clauses = list[list[int]]
CARDS, SEATS, SUITS = 40, 5, 5
_BLOCKS = (("card", CARDS), ("gone", CARDS), ("played", CARDS), ("seat", SEATS), ("led", SUITS), ("plays", SEATS * SUITS))
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
        self._meanings: list[str] = []

    def new(self, meaning: str) -> int:
        """The variable with a meaning of its own; made at its first use."""
        if meaning not in self._extra:
            self.top += 1
            self._extra[meaning] = self.top
            self._meanings.append(meaning)
        return self._extra[meaning]

    def card(self, card: int, trick: int) -> int:
        """The card is played in this trick."""
        return 1 + card * self.tricks + trick

    def gone(self, card: int, trick: int) -> int:
        """The card is played before this trick, which is 1 .. ``tricks``."""
        return (_START["gone"] + card) * self.tricks + trick

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

    def wins(self, card: int, trick: int) -> int:
        """The card wins this trick."""
        return self.new(f"card {format_card(card)} wins trick {self.first + trick}")

    def high(self, card: int, trick: int) -> int:
        """The card or a higher one of its suit is played in this trick."""
        return self.new(f"card {format_card(card)} or a higher one of its suit in trick {self.first + trick}")

    def passed(self, card: int, number: int) -> int:
        """The card is passed in this exchange of those still to come, counted from 0."""
        return self.new(f"card {format_card(card)} is passed in exchange {number + 1}")

    def meaning(self, variable: int) -> str:
        """What a variable says, in words. Raises ValueError for a number outside the pool."""
        if not 1 <= variable <= self.top:
            raise ValueError(f"there is no variable {variable}: the pool has 1 to {self.top}")
        if variable > self._fixed:
            return self._meanings[variable - self._fixed - 1]
        row, trick = divmod(variable - 1, self.tricks)
        name = next(name for name, _ in reversed(_BLOCKS) if _START[name] <= row)
        row, trick = row - _START[name], trick + self.first
        card, suit = format_card(row) if row < CARDS else "", SUIT_NAMES[row % SUITS]
        return {
            "card": f"card {card} in trick {trick}",
            "gone": f"card {card} in trick {trick} or before",
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


def _at_most_one(literals: Sequence[int]) -> Iterator[list[int]]:
    return ([-a, -b] for a, b in combinations(literals, 2))


@lru_cache(maxsize=1024)
def _card_clauses(tricks: int, card: int, seat: int | None) -> Clauses:
    """When one card is played, by its holder ``seat``, None when that may change."""
    pool, suit = Pool(tricks), suit_of(card)
    clauses: Clauses = []
    for t in range(tricks):
        here, after = pool.card(card, t), pool.gone(card, t + 1)
        if t:
            clauses += [-pool.gone(card, t), after], [-here, -pool.gone(card, t)], [-after, pool.gone(card, t), here]
        else:
            clauses.append([-after, here])
        clauses += [[-here, after]] if seat is None else [[-here, after], [-here, pool.plays(seat, suit, t)]]
    return clauses


@lru_cache(maxsize=4096)
def _beaten(tricks: int, low: int, seat: int, high: int) -> Clauses:
    """The seat does not win with the lower of two cards of a suit where the higher one is played."""
    pool = Pool(tricks)
    return [[-pool.seat(seat, t), -pool.card(low, t), -pool.card(high, t)] for t in range(tricks)]


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


def _rules(pool: Pool, hands: Sequence[int], leader: int, changes: Changes | None) -> Clauses:
    """The rules of play for these hands, the cards of a trick already begun included. Hands that change have their own, see
    ``Changes.rules``; here are those for hands of columns."""
    tricks = pool.tricks
    holder = {card: seat for seat, hand in enumerate(hands) for card in cards_of(hand)}
    trumps = [seat for seat, hand in enumerate(hands) if hand & SUIT_MASKS[TRUMP]]
    clauses: Clauses = []
    for low, high in combinations(sorted(holder), 2):
        if suit_of(low) == suit_of(high) and holder[low] != holder[high]:
            clauses += _beaten(tricks, low, holder[low], high)
    for seat, hand in enumerate(hands):
        spare = hand.bit_count() > tricks  # one card stays over
        columns = changes is not None and bool(hand & changes.covered)
        held = [(suit, list(cards_of(hand & mask))) for suit, mask in enumerate(SUIT_MASKS) if hand & mask]
        for suit, cards in held:
            below: int | None = None
            for card in cards:
                clauses += _card_clauses(tricks, card, seat)
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
                    clauses += [] if columns else [[-led, plays, void]]
                    clauses += [-leads, -plays, led], [-leads, plays, -led]
                else:
                    clauses += [] if columns else [[-led, plays]]
                    if seat == leader:
                        clauses.append([-plays, led])
        for t in range(tricks):
            plays_any = [pool.plays(seat, suit, t) for suit, _ in held]
            clauses.append(plays_any)
            clauses += _at_most_one(plays_any)
            # who wins plays trump if anyone does, else the suit led; some seat wins, so that is enough
            wins = pool.seat(seat, t)
            clauses += ([-wins, -pool.plays(seat, suit, t), pool.led(suit, t)] for suit, _ in held if suit != TRUMP)
            trumped = [pool.plays(seat, TRUMP, t)] if seat in trumps else []
            clauses += ([-wins, -pool.plays(other, TRUMP, t), *trumped] for other in trumps if other != seat)
    return clauses + _one_of_each(pool, hands)


def _one_of_each(pool: Pool, hands: Sequence[int]) -> Clauses:
    """One seat wins each trick, one suit is led to it."""
    clauses: Clauses = []
    suits = [suit for suit, mask in enumerate(SUIT_MASKS) if sum(hands) & mask]
    for t in range(pool.tricks):
        for group in ([pool.seat(seat, t) for seat in range(len(hands))], [pool.led(suit, t) for suit in suits]):
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


def owner_variable(pool: Pool, task: int, seat: int) -> int:
    return pool.new(f"task {task} belongs to seat {seat}")


def _tasks(referee: Referee, pool: Pool, one_moves: bool) -> Clauses:
    """Open tasks that show a card are won by their owners; owners who are not given take what the distribution allows.

    When ``one_moves``, which is for positions with all owners given, one task may have another owner."""
    position = referee.position
    clauses: Clauses = []
    if one_moves:
        stays = []
        for index, task in enumerate(position.tasks):
            owns = [owner_variable(pool, index, seat) for seat in range(position.players)]
            stays.append(owns[task.owner or 0])
            clauses += [[pool.gone(task.target, pool.tricks)], owns, *_at_most_one(owns)]
            clauses += ([-own, -pool.card(task.target, t), pool.seat(seat, t)] for t in range(pool.tricks) for seat, own in enumerate(owns))
        return clauses + [[one, other] for one, other in combinations(stays, 2)]
    free = [index for index, task in enumerate(position.tasks) if task.owner is None]
    for index, task in enumerate(position.tasks):
        by_card, owner = task.target >= 0, referee.owners[index]
        still_open = by_card and referee.completed[index] is None
        if still_open:
            clauses.append([pool.gone(task.target, pool.tricks)])
        if still_open and owner is not None:
            clauses += ([-pool.card(task.target, t), pool.seat(owner, t)] for t in range(pool.tricks))
        if task.owner is not None:
            continue
        owns = [owner_variable(pool, index, seat) for seat in range(position.players)]
        if by_card and owner is not None:
            clauses += ([own if seat == owner else -own] for seat, own in enumerate(owns))
            continue
        for t in range(pool.tricks if by_card else 0):
            for seat, own in enumerate(owns):
                wins = pool.seat(seat, t)
                clauses += [-own, -pool.card(task.target, t), wins], [own, -pool.card(task.target, t), -wins]
        clauses += ([-own] for seat, own in enumerate(owns) if not position.seats[index] >> seat & 1)
        clauses.append(owns)
        clauses += _at_most_one(owns)
    if position.hardest and free:  # owners that are all given are not held against the distribution
        captain = position.captain
        if all(position.tasks[index].owner != captain for index in position.hardest):
            clauses.append([owner_variable(pool, index, captain) for index in position.hardest if index in free])
    if free:
        clauses += _counts(pool, free, position.counts)
    return clauses


def _counts(pool: Pool, free: Sequence[int], rows: Sequence[Sequence[int]]) -> Clauses:
    """The seats take as many of these tasks as some row says: at most that many, which is exactly when it sums up to all."""
    clauses: Clauses = []
    chosen = [pool.new(f"task counts {counts}") for counts in rows]
    clauses.append(chosen)
    for seat in range(len(rows[0])):
        if all(counts[seat] >= len(free) for counts in rows):
            continue
        reached = _counter(pool, clauses, [owner_variable(pool, index, seat) for index in free], f"free tasks belong to seat {seat}")
        for choice, counts in zip(chosen, rows, strict=True):
            exact = sum(counts) == len(free)
            clauses += ([-choice, -more] for more in reached[counts[seat] :])
            clauses += ([-choice, more] for more in reached[: counts[seat] if exact else 0])
    return clauses


def token_order(referee: Referee) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """What the tokens of the open tasks ask for: pairs of tasks, the first not completed in a later trick than the second, and
    (task, number), the task completed as the open task of that number.

    Absolute token k: before any trick the task is completed exactly if k tasks are. When the tokens 1 .. m all lie on
    tasks, that is the chain 1, 2, .., m, all others; only a gap needs counting. One trick may complete several links.
    """
    tasks = referee.position.tasks
    still_open = [index for index, done in enumerate(referee.completed) if done is None]
    place = {tasks[index].token: index for index in still_open if tasks[index].token is not None}
    absolute = [token for token in ABSOLUTE if token in place]
    numbers = [int(token) - (len(tasks) - len(still_open)) for token in absolute]
    gap = numbers != list(range(1, len(numbers) + 1))
    chains = [pairwise(absolute), pairwise(token for token in ARROWS if token in place)]
    pairs = [(place[first], place[second]) for chain in chains for first, second in chain]
    if OMEGA in place:
        pairs += [(index, place[OMEGA]) for index in still_open if tasks[index].token != OMEGA]
    if absolute and not gap:
        pairs += [(place[absolute[-1]], index) for index in still_open if tasks[index].token not in ABSOLUTE]
    return pairs, [(place[token], number) for token, number in zip(absolute, numbers, strict=True)] if gap else []


def _order(referee: Referee, pool: Pool) -> Clauses:
    """The tokens of the open tasks, said with "gone": all tasks get completed, so a task is completed with its card."""
    pairs, ranks = token_order(referee)
    target = [task.target for task in referee.position.tasks]
    clauses: Clauses = []
    for t in range(1, pool.tricks + 1):
        clauses += ([-pool.gone(target[second], t), pool.gone(target[first], t)] for first, second in pairs)
        if ranks:
            reached = _completed_before(referee, pool, clauses, t)
            for index, number in ranks:
                done = pool.gone(target[index], t)
                clauses += [-done, reached[number - 1]], [done, -reached[number - 1]]
    return clauses


def _completed_before(referee: Referee, pool: Pool, clauses: Clauses, t: int) -> list[int]:
    """Variables for "at least 1, 2, ... of the open tasks are completed before this trick"."""
    tasks = zip(referee.position.tasks, referee.completed, strict=True)
    cards = [pool.gone(task.target, t) for task, done in tasks if done is None]
    return _counter(pool, clauses, cards, f"open tasks are completed before trick {pool.first + t}")


class _Writer:
    """Writes ``clauses`` about variables that stand for facts.

    ``holds`` asks for the half of a definition that makes the fact follow from the variable, its negation for the half that
    makes the variable follow from the fact; each is written once, when first asked for. Constants are the literals ``true``
    and ``-true``, which are left out of the clauses again.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.clauses: Clauses = []
        self._written: set[tuple[int, bool]] = set()

    @cached_property
    def true(self) -> int:
        """A literal that is true."""
        true = self.pool.new("true")
        self.clauses.append([true])
        return true

    def _add(self, *literals: int) -> None:
        true = self.true
        if true not in literals:
            self.clauses.append([literal for literal in literals if literal != -true] or [-true])

    def _new(self, meaning: str, holds: bool) -> tuple[int, bool]:
        """The variable with this meaning, and whether this half of its definition has still to be written."""
        variable = self.pool.new(meaning)
        return variable, self._fresh(variable, holds)

    def _fresh(self, variable: int, holds: bool) -> bool:
        """This half of the definition of the variable has still to be written."""
        size = len(self._written)
        self._written.add((variable, holds))
        return len(self._written) > size

    def _any(self, meaning: str, literals: Sequence[int], holds: bool) -> int:
        this, fresh = self._new(meaning, holds)
        if fresh and holds:
            self._add(-this, *literals)
        elif fresh:
            for literal in literals:
                self._add(this, -literal)
        return this

    def _either(self, meaning: str, literals: Sequence[int]) -> int:
        """The literal "any of these", both halves; no variable where one of these literals or a constant says it."""
        some = [literal for literal in literals if literal != -self.true]
        if self.true in some or len(some) <= 1:
            return self.true if self.true in some else some[0] if some else -self.true
        self._any(meaning, some, True)
        return self._any(meaning, some, False)

    def _both(self, meaning: str, *literals: int) -> int:
        """The literal "all of these", likewise."""
        return -self._either(f"not: {meaning}", [-literal for literal in literals])


class Changes(_Writer):
    """What hands do not tell: which of their cards lie hidden, and which change hands in exchanges still to come.

    An exchange before trick t finds the hands of one *stage* and leaves those of the next; stage 0 is now. Of every stage,
    ``_held`` says under which literal a seat has a card, for those that it may have; it keeps cards played. ``_columns`` are
    the columns with a hidden card, each as two such tables: what the upper card is and what the lower one; they keep cards
    played too, and what lies under one is open. Where nothing is hidden and nothing will be passed, there is no such object.
    """

    def __init__(self, referee: Referee, pool: Pool, hands: Sequence[int]) -> None:
        super().__init__(pool)
        self.players = len(hands)
        self.hands = hands
        self.covered = referee.hidden
        self.exchanges = exchanges_to_come(referee)
        columns_of = referee.position.columns
        self._third = next((seat for seat, hand in enumerate(referee.position.hands) if columns_of and hand >> columns_of[0][0] & 1), -1)
        self._held: list[list[dict[int, int]]] = [[dict.fromkeys(cards_of(hand), self.true) for hand in hands]]
        pairs = [({upper: self.true}, {lower: self.true}) for upper, lower in referee.columns if lower >= 0]
        self._columns: list[list[tuple[dict[int, int], dict[int, int]]]] = [pairs]
        self._hidden: dict[tuple[int, int, int], int] = {}
        self._open: dict[tuple[int, int, int], int] = {}
        for number, (t, exchange) in enumerate(self.exchanges):
            self._pass(number, t, exchange)
        for t in range(pool.tricks):
            for card in cards_of(sum(hands)):
                if (hidden := self.hidden(card, t)) != -self.true:
                    self._add(-pool.card(card, t), -hidden)
        if self.covered and not self.exchanges:
            self._follow_with_open_cards()

    # --- what holds in which trick ---

    def _stage(self, t: int) -> int:
        return sum(before <= t for before, _ in self.exchanges)

    def may_hold(self, seat: int, t: int) -> int:
        """The cards that the seat may hold in this trick, played ones included."""
        return self.hands[seat] if not self.exchanges else mask_of(self._held[self._stage(t)][seat])

    def holders(self, card: int, stage: int) -> Mapping[int, int]:
        """The seats that may hold the card in this stage, each with the literal that it does."""
        return {seat: held[card] for seat, held in enumerate(self._held[stage]) if card in held}

    def plays(self, seat: int, card: int, t: int) -> int:
        """The seat, which may hold the card, plays it to this trick."""
        held = self._held[self._stage(t)][seat][card]
        return self._both(f"seat {seat} plays {format_card(card)} to trick {self.pool.first + t}", self.pool.card(card, t), held)

    def could_lead(self, seat: int, card: int, t: int) -> int:
        """The seat, which may hold the card, can lead it to this trick, if it leads: it is still there and open."""
        held = self._held[self._stage(t)][seat][card]
        meaning = f"seat {seat} could lead {format_card(card)} to trick {self.pool.first + t}"
        return self._both(meaning, held, -self._gone(card, t), -self.hidden(card, t))

    def hidden(self, card: int, t: int, stage: int | None = None) -> int:
        """The card lies under another one when trick t begins; with a ``stage``, before a later exchange that comes then."""
        stage = self._stage(t) if stage is None else stage
        if (card, stage, t) not in self._hidden:
            parts = []
            for place, (_, lower) in enumerate(self._columns[stage]):
                if card in lower:
                    meaning = f"card {format_card(card)} lies hidden in column {place + 1} {self._when(stage, t)}"
                    parts.append(self._both(meaning, lower[card], -self._uncovered(place, stage, t)))
            self._hidden[card, stage, t] = self._either(f"card {format_card(card)} lies hidden {self._when(stage, t)}", parts)
        return self._hidden[card, stage, t]

    def _when(self, stage: int, t: int) -> str:
        return f"before trick {self.pool.first + t}" + (f" and after exchange {stage}" if stage else "")

    def _gone(self, card: int, t: int) -> int:
        return self.pool.gone(card, t) if t else -self.true

    def _uncovered(self, place: int, stage: int, t: int) -> int:
        """The upper card of the column has been played before trick t."""
        if (place, stage, t) not in self._open:
            parts = [
                self._both(f"{format_card(card)} has lain in column {place + 1} {self._when(stage, t)}", literal, self._gone(card, t))
                for card, literal in self._columns[stage][place][0].items()
            ]
            self._open[place, stage, t] = self._either(f"column {place + 1} has no two cards {self._when(stage, t)}", parts)
        return self._open[place, stage, t]

    # --- exchanges ---

    def _pass(self, number: int, t: int, exchange: Exchange) -> None:
        """Every seat passes one card that may go before trick t; what the hands and columns are then."""
        pool, held, signal = self.pool, self._held[number], exchange.after == 0
        everything = list(cards_of(sum(self.hands)))
        hidden = {card: self.hidden(card, t, number) for card in everything}
        barred = [
            card
            for card in everything
            if (exchange.order and card not in exchange.order) or (signal and (suit_of(card) == TRUMP or hidden[card] == self.true))
        ]
        goes = {card: -self.true if card in barred else pool.passed(card, number) for card in everything}
        for card in everything:
            if card in barred:
                self._add(-pool.passed(card, number))
                continue
            self._add(-goes[card], -self._gone(card, t))
        passes: list[dict[int, int]] = []
        then = f"in exchange {number + 1}"
        for seat, cards in enumerate(held):
            passes.append({card: self._both(f"seat {seat} passes {format_card(card)} {then}", goes[card], cards[card]) for card in cards})
            self._add(*passes[-1].values())
            for one, other in combinations(passes[-1].values(), 2):
                self._add(-one, -other)
            if seat == self._third and not signal:
                for card, other in product(cards, repeat=2):  # a hidden card goes first
                    self._add(-passes[-1][card], hidden[card], -hidden[other])
            for place, card in enumerate(exchange.order):
                for earlier in exchange.order[:place]:  # it would go, unless it is gone or does not count
                    if card in cards and earlier in cards:
                        here = (-passes[-1][card], -cards[earlier], self._gone(earlier, t))
                        if seat != self._third:
                            self._add(*here)
                        elif signal:
                            self._add(*here, hidden[earlier])
                        else:
                            self._add(*here, hidden[card])
                            self._add(*here, -hidden[earlier])
        comes = [passes[(seat - exchange.to) % self.players] for seat in range(self.players)]
        self._held.append([self._after(cards, goes, comes[seat], f"seat {seat} holds", number) for seat, cards in enumerate(held)])
        self._columns.append([])
        for place, (upper, lower) in enumerate(self._columns[number]):
            name = f"column {place + 1}"
            pair = []
            for which, cards in (("upper", upper), ("lower", lower)):
                parts = [self._both(f"{which} card {format_card(card)} leaves {name} {then}", cards[card], goes[card]) for card in cards]
                gap = self._either(f"the {which} card leaves {name} {then}", parts)
                fills = {
                    card: self._both(f"{format_card(card)} comes into {name} as its {which} card {then}", gap, coming)
                    for card, coming in comes[self._third].items()
                }
                pair.append(self._after(cards, goes, fills, f"{name} has as its {which} card", number))
            self._columns[-1].append((pair[0], pair[1]))

    def _after(self, had: Mapping[int, int], goes: Mapping[int, int], comes: Mapping[int, int], name: str, number: int) -> dict[int, int]:
        """What is had after an exchange: the cards had before that did not go, and those that came."""
        has: dict[int, int] = {}
        for card in sorted(had.keys() | comes.keys()):
            named = f"{name} {format_card(card)}"
            before = self._both(f"{named} before and after exchange {number + 1}", had.get(card, -self.true), -goes[card])
            literal = self._either(f"{named} after exchange {number + 1}", [before, comes.get(card, -self.true)])
            if literal != -self.true:
                has[card] = literal
        return has

    # --- the rules of play ---

    def _follow(self, seat: int, card: int, t: int) -> None:
        """Who has the card of the suit led, open, plays the suit."""
        led, plays = self.pool.led(suit_of(card), t), self.pool.plays(seat, suit_of(card), t)
        self._add(-led, plays, -self._held[self._stage(t)][seat][card], self._gone(card, t), self.hidden(card, t))

    def _follow_with_open_cards(self) -> None:
        for t in range(self.pool.tricks):
            for card in cards_of(self.hands[self._third]):
                self._follow(self._third, card, t)

    def _wins(self, card: int, above: int | None, trump: int | None) -> None:
        """When the card wins: ``above`` is the next higher card of its suit in play, ``trump`` the lowest trump."""
        pool, suit = self.pool, suit_of(card)
        for t in range(pool.tricks):
            here, wins, high = pool.card(card, t), pool.wins(card, t), pool.high(card, t)
            higher = -self.true if above is None else pool.high(above, t)
            led = self.true if suit == TRUMP else pool.led(suit, t)
            trumped = -self.true if suit == TRUMP or trump is None else pool.high(trump, t)
            self._add(-here, high)
            self._add(-higher, high)
            self._add(-high, here, higher)
            self._add(-here, wins, -led, higher, trumped)
            for needed in (here, led, -higher, -trumped):
                self._add(-wins, needed)

    def rules(self, leader: int) -> None:
        """Write the rules of play for hands that change."""
        pool = self.pool
        everything = sum(self.hands)
        in_play = [list(cards_of(everything & mask)) for mask in SUIT_MASKS]
        above = {low: high for cards in in_play for low, high in pairwise(cards)}
        trump = in_play[TRUMP][0] if in_play[TRUMP] else None
        for card in cards_of(everything):
            self.clauses += _card_clauses(pool.tricks, card, None)
            self._wins(card, above.get(card), trump)
            if everything.bit_count() == pool.tricks * self.players:  # no card stays over
                self._add(pool.gone(card, pool.tricks))
        for seat, t in product(range(self.players), range(pool.tricks)):
            hand, wins = self.may_hold(seat, t), pool.seat(seat, t)
            leads = pool.seat(seat, t - 1) if t else self.true if seat == leader else -self.true
            held = self._held[self._stage(t)][seat]
            suits = [suit for suit, mask in enumerate(SUIT_MASKS) if hand & mask]
            for suit in suits:
                cards = list(cards_of(hand & SUIT_MASKS[suit]))
                here = [self.plays(seat, card, t) for card in cards]
                plays, led = pool.plays(seat, suit, t), pool.led(suit, t)
                self._add(-plays, *here)
                for played in here:
                    self._add(-played, plays)
                self.clauses += _at_most_one(here)
                self._add(-leads, -plays, led)
                self._add(-leads, plays, -led)
                for card in cards:
                    self._follow(seat, card, t)
                    self._add(-pool.wins(card, t), -held[card], wins)
                if suit != TRUMP:  # who wins, by suits alone, as in _rules
                    self._add(-wins, -plays, led)
            plays_any = [pool.plays(seat, suit, t) for suit in suits]
            self._add(*plays_any)
            self.clauses += _at_most_one(plays_any)
            self._add(-wins, *(pool.wins(card, t) for card in cards_of(hand)))
            if trump is not None:
                trumps = [pool.plays(seat, TRUMP, t)] if TRUMP in suits else []
                self._add(-wins, -pool.high(trump, t), *trumps)
                for plays in trumps:
                    self._add(-plays, pool.high(trump, t))
        self.clauses += _one_of_each(pool, self.hands)


def exchanges_to_come(referee: Referee) -> list[tuple[int, Exchange]]:
    """The exchanges still to come, each with the trick of the formula that it comes before; none when the attempt is over."""
    past = len(referee.history)
    return [(exchange.after - past, exchange) for exchange in referee.exchanges if exchange.after < past + referee.tricks_left]


def _may_end_early(referee: Referee) -> bool:
    """Whether the trick after which goals are judged is open. A task with a goal is completed after the last trick only."""
    position = referee.position
    by_card = all(task.target >= 0 for task in position.tasks)
    return position.ends_with_tasks and by_card and bool(position.duties) and referee.tricks_left > 0


def _goes_on(pool: Pool, t: int) -> int:
    """The attempt is not over before this trick, which is 1 .. ``tricks`` - 1: the first one left is always played."""
    return pool.new(f"the attempt goes on to trick {pool.first + t}")


def _end(referee: Referee, pool: Pool) -> Clauses:
    """The attempt is over after some trick, no open task later than that."""
    clauses: Clauses = [[-_goes_on(pool, t), _goes_on(pool, t - 1)] for t in range(2, pool.tricks)]
    for task, done in zip(referee.position.tasks, referee.completed, strict=True):
        if done is None:
            clauses += ([-pool.card(task.target, t), _goes_on(pool, t)] for t in range(1, pool.tricks))
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


class Goals(_Writer):
    """Writes the duties of a position as ``clauses``.

    Tricks are counted from 0 at the start of the formula; what happened before is counted by hand, as a number. A seat
    may be TOGETHER, for all seats as if they were one.
    """

    def __init__(self, referee: Referee, pool: Pool, hands: Sequence[int], changes: Changes | None = None, demanded: bool = True) -> None:
        super().__init__(pool)
        self.referee, self.hands, self.changes = referee, hands, changes
        self.players = len(hands)
        self.past = len(referee.history)
        self.may_end_early = _may_end_early(referee)
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
            fulfils = {seat: owner_variable(self.pool, duty.task, seat) for seat in seats}
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
        so = [_goes_on(self.pool, t - 1)] if t > 1 else []
        so += [-_goes_on(self.pool, t)] if 0 < t < self.pool.tricks and not always else []
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


def encode(referee: Referee, one_moves: bool = False) -> Encoding:
    """The formula "from where this referee stands all tasks can be completed and all goals be fulfilled". Contradictory
    for a lost mission. ``one_moves``: when one task may move from the owner given."""
    pool = Pool(referee.tricks_left, len(referee.history) + 1)
    if referee.failure is not None:
        failed = pool.new("the mission is lost")
        return Encoding(pool, [[failed], [-failed]])
    hands = _hands(referee)
    changes, clauses = _play(referee, pool, hands)
    clauses += _tasks(referee, pool, one_moves)
    clauses += _order(referee, pool)
    if _may_end_early(referee):
        clauses += _end(referee, pool)
    if referee.position.duties:
        clauses += Goals(referee, pool, hands, changes).clauses
    if changes is not None:
        clauses += changes.clauses  # last, for the goals make it write more
    return Encoding(pool, clauses)


def _play(referee: Referee, pool: Pool, hands: Sequence[int]) -> tuple[Changes | None, Clauses]:
    """The rules of play from where the referee stands, and what hands do not tell: its clauses come last."""
    changes = Changes(referee, pool, hands) if referee.hidden or exchanges_to_come(referee) else None
    clauses = [[pool.card(card, 0)] for card in referee.trick]
    if changes is not None and changes.exchanges:
        changes.rules(referee.leader)
    else:
        clauses += _rules(pool, hands, referee.leader, changes)
    return changes, clauses


class Demands(_Writer):
    """What a position demands beside the rules of play, one by one: each method gives a literal from which its demand
    follows. So a solver that has ``clauses`` can be asked, with assumptions, what can be had together.

    ``clauses`` grow with what is asked for; ``fresh`` gives those not given before, at first with the rules of play. A
    demand of an order is about when the cards of tasks are played. Raises ValueError for a lost mission.
    """

    def __init__(self, referee: Referee) -> None:
        if referee.failure is not None:
            raise ValueError(f"the mission is lost: {referee.failure}")
        super().__init__(Pool(referee.tricks_left, len(referee.history) + 1))
        self.referee, self.position = referee, referee.position
        hands = _hands(referee)
        self._changes, rules = _play(referee, self.pool, hands)
        self._goals = Goals(referee, self.pool, hands, self._changes, demanded=False)
        self._given = [0, 0, 0]
        self.clauses += rules
        if _may_end_early(referee):
            self.clauses += ([-_goes_on(self.pool, t), _goes_on(self.pool, t - 1)] for t in range(2, self.pool.tricks))
        for index, (task, done) in enumerate(zip(self.position.tasks, referee.completed, strict=True)):
            owns = [owner_variable(self.pool, index, seat) for seat in range(self.position.players)]
            self.clauses += _at_most_one(owns)
            if done is not None:
                self._add(owns[referee.owners[index] or 0])
            elif task.target >= 0:
                for seat in range(self.position.players):
                    self._owner_wins(index, seat)

    def fresh(self) -> Clauses:
        """The clauses not given before."""
        parts = [self.clauses, self._goals.clauses, *([] if self._changes is None else [self._changes.clauses])]
        clauses = [clause for part, given in zip(parts, self._given, strict=False) for clause in part[given:]]
        self._given = [len(part) for part in parts]
        return clauses

    def _owner_wins(self, task: int, seat: int) -> None:
        card, own = self.position.tasks[task].target, owner_variable(self.pool, task, seat)
        self._add(-own, self.pool.gone(card, self.pool.tricks))
        for t in range(self.pool.tricks):
            self._add(-own, -self.pool.card(card, t), self.pool.seat(seat, t))
            if t and _may_end_early(self.referee):
                self._add(-own, -self.pool.card(card, t), _goes_on(self.pool, t))

    def owned(self, task: int, seat: int) -> int:
        """The task is fulfilled, by this seat."""
        duty = next((duty for duty in self.position.duties if duty.task == task), None)
        own, fresh = self._new(f"task {task} belongs to seat {seat}", True)
        if duty is not None and fresh:
            self._goals.ask(own, seat, duty.goal, f"task {task}")
        return own

    def fulfilled(self, task: int, anyone: bool = False) -> int:
        """The task is fulfilled, by its owner, or by one that it may have; with ``anyone``, by any seat."""
        this, fresh = self._new(f"task {task} is fulfilled{' by anyone' if anyone else ''}", True)
        if fresh:
            seats = range(self.position.players) if anyone else cards_of(self.position.seats[task])
            self._add(-this, *(self.owned(task, seat) for seat in seats))
        return this

    def moved(self) -> int:
        """Of the tasks that anyone fulfils, at most one is not fulfilled by the owner given."""
        this, fresh = self._new("one task may have moved", True)
        if fresh:
            for one, other in combinations(range(len(self.position.tasks)), 2):
                strays = [(-self.fulfilled(task, True), self.owned(task, self.position.tasks[task].owner or 0)) for task in (one, other)]
                self._add(-this, *strays[0], *strays[1])
        return this

    def handed_out(self) -> int:
        """The tasks without owner go to seats as the distribution allows."""
        this, fresh = self._new("the tasks are handed out as the distribution allows", True)
        free = [index for index, owner in enumerate(self.position.owners) if owner is None]
        if fresh and free:
            rows = self.position.counts
            self._add(-this, *(self.pool.new(f"task counts {counts}") for counts in rows))
            for seat in range(self.position.players):
                owns = [owner_variable(self.pool, index, seat) for index in free]
                reached = _counter(self.pool, self.clauses, owns, f"free tasks belong to seat {seat}")
                for counts in rows:
                    choice = self.pool.new(f"task counts {counts}")
                    self.clauses += ([-choice, -more] for more in reached[counts[seat] :])
        return this

    def hardest(self) -> int:
        """The captain owns one of the hardest tasks, where the distribution says so."""
        this, fresh = self._new("the captain owns one of the hardest tasks", True)
        if fresh:
            self._add(-this, *(owner_variable(self.pool, index, self.position.captain) for index in self.position.hardest))
        return this

    def before(self, first: int, second: int) -> int:
        """The first task is not completed in a later trick than the second."""
        this, fresh = self._new(f"task {first} is not completed after task {second}", True)
        if fresh:
            cards = [self.position.tasks[task].target for task in (first, second)]
            for t in range(1, self.pool.tricks + 1):
                self._add(-this, -self.pool.gone(cards[1], t), self.pool.gone(cards[0], t))
        return this

    def well_before(self, first: int, second: int) -> int:
        """The first task is completed in an earlier trick than the second."""
        this, fresh = self._new(f"task {first} is completed before task {second}", True)
        if fresh:
            cards = [self.position.tasks[task].target for task in (first, second)]
            self._add(-this, -self.pool.card(cards[1], 0))
            for t in range(1, self.pool.tricks):
                self._add(-this, -self.pool.card(cards[1], t), self.pool.gone(cards[0], t))
        return this

    def together(self, one: int, other: int) -> int:
        """The two tasks are completed in the same trick."""
        this, fresh = self._new(f"tasks {one} and {other} are completed in one trick", True)
        if fresh:
            cards = [self.position.tasks[task].target for task in (one, other)]
            for t in range(self.pool.tricks):
                self._add(-this, -self.pool.card(cards[0], t), self.pool.card(cards[1], t))
                self._add(-this, self.pool.card(cards[0], t), -self.pool.card(cards[1], t))
        return this

    def ranked(self, task: int, number: int) -> int:
        """The task is completed as the open task of this number."""
        this, fresh = self._new(f"task {task} is completed as number {number}", True)
        if fresh:
            for t in range(1, self.pool.tricks + 1):
                reached = _completed_before(self.referee, self.pool, self.clauses, t)
                done = self.pool.gone(self.position.tasks[task].target, t)
                self._add(-this, -done, reached[number - 1])
                self._add(-this, done, -reached[number - 1])
        return this

    def crew_goal(self, number: int) -> int:
        """The goal of the crew holds, given as the place of its duty among the position's."""
        this, fresh = self._new(f"goal {number} holds", True)
        if fresh:
            self._goals.duty(number, self.position.duties[number], this)
        return this

    def wins_with(self, card: int, task: int) -> int:
        """The trick with the card of the task is won by this card."""
        this, fresh = self._new(f"card {format_card(card)} wins the card of task {task}", True)
        if fresh:
            target = self.position.tasks[task].target
            self._add(-this, self.pool.gone(target, self.pool.tricks))
            for t in range(self.pool.tricks):
                self._add(-this, -self.pool.card(target, t), self._goals.wins(card, t))
        return this


def ways_to_encode(position: Position) -> list[tuple[Position, bool]]:
    """The positions that differ in what the crew decides beforehand, each with ``one_moves``: of many moves one formula decides
    as fast as of none. The position can be won when one of the formulas can be met."""
    together = position.one_may_move and all(task.target >= 0 for task in position.tasks)
    return [(way, together) for way in position.alternatives(moves=not together)]


def _hands(referee: Referee) -> list[int]:
    """The cards of each seat for all tricks left, those of a trick already begun included."""
    hands = list(referee.hands)
    for turn, card in enumerate(referee.trick):
        hands[(referee.leader + turn) % len(hands)] |= 1 << card
    return hands


def shares(referee: Referee, pool: Pool) -> Clauses:
    """Implied, for clauses count badly: each card played is won by one seat, and a seat that wins n tricks wins n cards
    of every hand. Nothing where hands change, or where goals count to another trick than the last."""
    clauses: Clauses = []
    if not pool.tricks or exchanges_to_come(referee) or _may_end_early(referee):
        return clauses
    hands, seats, tricks = _hands(referee), range(referee.position.players), range(pool.tricks)
    won = [{card: pool.new(f"seat {seat} wins card {format_card(card)}") for card in cards_of(sum(hands))} for seat in seats]
    for card in cards_of(sum(hands)):
        gone, winners = pool.gone(card, pool.tricks), [won[seat][card] for seat in seats]
        clauses.append([-gone, *winners])
        clauses += _at_most_one(winners)
        for seat, this in enumerate(winners):
            clauses.append([-this, gone])
            for t in tricks:
                here, wins = pool.card(card, t), pool.seat(seat, t)
                clauses += [-this, -here, wins], [this, -here, -wins]
    for seat in seats:
        taken = _counter(pool, clauses, [pool.seat(seat, t) for t in tricks], f"tricks left are won by seat {seat}")
        for holder, hand in enumerate(hands):
            cards = [won[seat][card] for card in cards_of(hand)]
            share = _counter(pool, clauses, cards, f"cards of seat {holder} are won by seat {seat}")
            clauses += ([-more] for more in share[len(taken) :])
            for tricks_won, cards_won in zip(taken, share, strict=False):
                clauses += [-tricks_won, cards_won], [tricks_won, -cards_won]
    return clauses
