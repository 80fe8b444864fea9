"""The rules of play as clauses: who plays which card to which trick, and who wins it.

The base is planning as satisfiability (Kautz and Selman 1992), "card c in trick t", with an order encoding
beside it, "card c before trick t" (Tamura et al. 2009). What makes it fast is a second, coarser layer that
knows only suits and numbers: how many cards of a suit a seat has played, who plays, leads and wins in which suit.
Conflicts that do not depend on ranks are learnt there once instead of once for every choice of cards.

Who wins is said of seats: one wins each trick, and none that is beaten, which is a clause for each pair of cards of a suit. That
"card c wins" is written only where a goal asks for it: with a variable for that, and one more for "c or a higher one", for each
card and trick, solving took 1.3 to 1.5 times as long.

What lies hidden in columns and what is passed in exchanges still to come is one more layer, "seat s holds card c from
then on": see ``Changes``. The coarser layer takes hands for granted, so with such exchanges it is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise, product

from .cards import SUIT_MASKS, TRUMP, cards_of, format_card, mask_of, suit_of
from .pool import Clauses, Pool, Writer, at_most_one
from .positions import Exchange
from .referee import Referee


def hands_left(referee: Referee) -> list[int]:
    """The cards of each seat for all tricks left, those of a trick already begun included."""
    hands = list(referee.hands)
    for turn, card in enumerate(referee.trick):
        hands[(referee.leader + turn) % len(hands)] |= 1 << card
    return hands


def play(referee: Referee, pool: Pool, hands: Sequence[int]) -> tuple[Changes | None, Clauses]:
    """The rules of play from where the referee stands, and what hands do not tell: its clauses come last."""
    changes = Changes(referee, pool, hands) if referee.hidden or exchanges_to_come(referee) else None
    clauses = [[pool.card(card, 0)] for card in referee.trick]
    if changes is not None and changes.exchanges:
        changes.rules(referee.leader)
    else:
        clauses += rules_of_play(pool, hands, referee.leader, changes)
    return changes, clauses


def rules_of_play(pool: Pool, hands: Sequence[int], leader: int, changes: Changes | None) -> Clauses:
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
                clauses += at_most_one(here)
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
            clauses += at_most_one(plays_any)
            # who wins plays trump if anyone does, else the suit led; some seat wins, so that is enough
            wins = pool.seat(seat, t)
            clauses += ([-wins, -pool.plays(seat, suit, t), pool.led(suit, t)] for suit, _ in held if suit != TRUMP)
            trumped = [pool.plays(seat, TRUMP, t)] if seat in trumps else []
            clauses += ([-wins, -pool.plays(other, TRUMP, t), *trumped] for other in trumps if other != seat)
    return clauses + _one_of_each(pool, hands)


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


def _one_of_each(pool: Pool, hands: Sequence[int]) -> Clauses:
    """One seat wins each trick, one suit is led to it."""
    clauses: Clauses = []
    suits = [suit for suit, mask in enumerate(SUIT_MASKS) if sum(hands) & mask]
    for t in range(pool.tricks):
        for group in ([pool.seat(seat, t) for seat in range(len(hands))], [pool.led(suit, t) for suit in suits]):
            clauses.append(group)
            clauses += at_most_one(group)
    return clauses


def exchanges_to_come(referee: Referee) -> list[tuple[int, Exchange]]:
    """The exchanges still to come, each with the trick of the formula that it comes before; none when the attempt is over."""
    past = len(referee.history)
    return [(exchange.after - past, exchange) for exchange in referee.exchanges if exchange.after < past + referee.tricks_left]


class Changes(Writer):
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
                self.clauses += at_most_one(here)
                self._add(-leads, -plays, led)
                self._add(-leads, plays, -led)
                for card in cards:
                    self._follow(seat, card, t)
                    self._add(-pool.wins(card, t), -held[card], wins)
                if suit != TRUMP:  # who wins, by suits alone, as in rules_of_play
                    self._add(-wins, -plays, led)
            plays_any = [pool.plays(seat, suit, t) for suit in suits]
            self._add(*plays_any)
            self.clauses += at_most_one(plays_any)
            self._add(-wins, *(pool.wins(card, t) for card in cards_of(hand)))
            if trump is not None:
                trumps = [pool.plays(seat, TRUMP, t)] if TRUMP in suits else []
                self._add(-wins, -pool.high(trump, t), *trumps)
                for plays in trumps:
                    self._add(-plays, pool.high(trump, t))
        self.clauses += _one_of_each(pool, self.hands)
