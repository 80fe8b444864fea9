"""Random deals, by number and under constraints.

Deal ``index`` of ``seed`` is always the same, here and in a rate, so any deal of a published rate can be rebuilt
alone. A constraint only leaves deals out: the deals that remain keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..kernels.sampling import deal_hands
from .cards import CAPTAIN_CARD, FULL_DECK, cards_of, format_card, format_hand, mask_of, parse_hand
from .drafts import check_draft
from .errors import InputError
from .loads import Load, deal_load
from .positions import PLAYERS, Position

GIVE_UP = 10_000_000
"""Deals tried in a row without one that fits, before constraints count as too rare."""
_NUMBERS = 1 << 62
"""Seeds and indexes are below this: the random streams take them as signed 64-bit numbers."""


def check_players(players: int) -> None:
    """Raise InputError unless the game is played by this many players."""
    if players not in PLAYERS:
        raise InputError(f"the number of players must be 2, 3, 4 or 5, not {players!r}")


def deal(
    seed: int,
    index: int,
    players: int,
    *,
    tasks: int = 0,
    tokens: Sequence[str] = (),
    distribution: str = "",
    draft: str = "best",
    load: Load | None = None,
) -> Position:
    """Deal number ``index`` of ``seed``: random hands, ``tasks`` random task cards and, with draft ``random``, their owners.

    ``tokens`` lie on the first tasks drawn, in order. ``load`` says instead of them what is drawn, in any game.

    Raises InputError for an impossible number of players or tasks, tokens that do not fit, an unknown draft or
    distribution, and a seed or index that is negative or beyond 62 bits.
    """
    check_players(players)
    check_draft(draft)
    check_number("seed", seed)
    check_number("index", index)
    return deal_load(load or Load(tasks, tuple(tokens), distribution), players, seed, index, draft)


@dataclass(frozen=True)
class Constraints:
    """What a deal must look like.

    ``holds`` are (seat, card set) pairs: the seat was dealt all of them. Each card set in ``together`` lies in one
    hand, and of each card set in ``apart`` no two cards lie in one hand. ``deck`` is what is dealt, ``third`` the seat of the
    third hand when two play, which never holds trump 4.
    """

    holds: tuple[tuple[int, int], ...] = ()
    together: tuple[int, ...] = ()
    apart: tuple[int, ...] = ()
    deck: int = FULL_DECK
    third: int | None = None

    def __bool__(self) -> bool:
        """Whether anything is asked for."""
        return bool(self.holds or self.together or self.apart)

    def met(self, hands: Sequence[int]) -> bool:
        """Whether these hands, seat 0 first, are such a deal."""
        for seat, cards in self.holds:
            if cards & ~hands[seat]:
                return False
        for cards in self.together:
            if not any(cards & ~hand == 0 for hand in hands):
                return False
        return all((cards & hand).bit_count() <= 1 for cards in self.apart for hand in hands)

    def check(self, players: int) -> None:
        """Raise InputError, naming the cards, when no deal for this many players can be such a deal."""
        small, extra = divmod(self.deck.bit_count(), players)
        for cards in (*(cards for _, cards in self.holds), *self.together, *self.apart):
            for card in cards_of(cards & ~self.deck):
                raise InputError(f"card {format_card(card)} is not in this deck")
        largest = small + (extra > 0)
        seat_of: dict[int, int] = {}
        for seat, cards in self.holds:
            if not 0 <= seat < players:
                raise InputError(f"seat {seat} is out of range: with {players} players seats are 0 to {players - 1}")
            for card in cards_of(cards):
                if seat_of.setdefault(card, seat) != seat:
                    seats = f"{seat_of[card]} and {seat}"
                    raise InputError(f"card {format_card(card)} cannot be in the hands of seats {seats}: every card exists once")
        groups = _joined(self.together)
        for group in groups:
            holders = sorted({seat_of[card] for card in cards_of(group) if card in seat_of})
            if len(holders) > 1:
                raise InputError(f"{format_hand(group)} cannot be together and in the hands of seats {holders[0]} and {holders[1]}")
            seat_of |= {card: seat for seat in holders for card in cards_of(group)}
        if self.third is not None and seat_of.get(CAPTAIN_CARD) == self.third:
            raise InputError(f"{format_card(CAPTAIN_CARD)} cannot be in the hand of seat {self.third}: the third hand never holds it")
        for cards in self.apart:
            if cards.bit_count() > players:
                raise InputError(f"{cards.bit_count()} cards ({format_hand(cards)}) cannot be apart: there are {players} hands")
            for one, other in combinations(cards_of(cards), 2):
                pair = f"{format_card(one)} and {format_card(other)}"
                if any(group >> one & group >> other & 1 for group in groups):
                    raise InputError(f"{pair} cannot be together and apart")
                if one in seat_of and seat_of[one] == seat_of.get(other):
                    raise InputError(f"{pair} cannot be apart and both in the hand of seat {seat_of[one]}")
        by_seat = [(f"seat {seat} cannot hold", mask_of(card for card, at in seat_of.items() if at == seat)) for seat in range(players)]
        for what, cards in [*by_seat, *(("one hand cannot hold", group) for group in groups)]:
            if cards.bit_count() > largest:
                raise InputError(f"{what} {cards.bit_count()} cards ({format_hand(cards)}): with {players} players a hand has {largest}")
        if not self._fits([mask for _, mask in by_seat], groups, small, extra):
            raise InputError(f"no deal for {players} players can meet all of these constraints")

    def _fits(self, hands: list[int], groups: Sequence[int], small: int, extra: int) -> bool:
        """Whether all constrained cards can be put into hands of ``small`` cards, ``extra`` of them with one more."""
        held = mask_of(card for hand in hands for card in cards_of(hand))
        singles = [1 << card for card in cards_of(mask_of(card for mask in self.apart for card in cards_of(mask)))]
        free = [group for group in groups if not group & held]
        free += [single for single in singles if not any(single & taken for taken in (held, *groups))]
        free.sort(key=int.bit_count, reverse=True)

        def place(at: int) -> bool:
            if sum(hand.bit_count() > small for hand in hands) > extra or any(hand.bit_count() > small + 1 for hand in hands):
                return False
            if at == len(free):
                return True
            for seat in range(len(hands)):
                if hands[seat] in hands[:seat] or any((cards & (hands[seat] | free[at])).bit_count() > 1 for cards in self.apart):
                    continue  # equal hands, empty ones, need one try only
                hands[seat] |= free[at]
                if place(at + 1):
                    return True
                hands[seat] ^= free[at]
            return False

        return place(0)


def parse_holds(text: str) -> tuple[int, int]:
    """Read which seat holds which cards: ``0:R4`` or ``2:P159,R3``. Raises InputError."""
    seat, colon, cards = text.partition(":")
    if not colon or not seat.strip().isdecimal() or not cards.strip():
        raise InputError(f"malformed {text!r}: write a seat, a colon and cards, such as 0:R4 or 2:P159,R3")
    return int(seat), parse_hand(cards)


def parse_group(text: str) -> int:
    """Read two or more cards that are to be together or apart: ``P9,P8`` or ``P98``. Raises InputError."""
    cards = parse_hand(text)
    if cards.bit_count() < 2:
        raise InputError(f"malformed {text!r}: name at least two cards, such as P9,P8")
    return cards


def deal_numbers(seed: int, players: int, constraints: Constraints, *, first: int = 0, give_up: int = GIVE_UP) -> Iterator[int]:
    """The numbers, from ``first``, of the deals of ``seed`` that meet the constraints; without end.

    Raises InputError for constraints that contradict each other, and after ``give_up`` deals in a row that do not fit.
    """
    check_players(players)
    constraints.check(players)
    check_number("seed", seed)
    check_number("index", first)
    hands = np.zeros(players, np.int64)
    index, missed = first, 0
    while missed < give_up:
        deal_hands(seed, index, players, FULL_DECK, hands)
        if constraints.met(hands.tolist()):
            missed = 0
            yield index
        else:
            missed += 1
        index += 1
    raise InputError(f"gave up after {missed:,} deals in a row of seed {seed} that do not meet the constraints: they are very rare")


def check_number(what: str, number: int) -> None:
    """Raise InputError, saying ``what`` it is, for a seed or index that the random streams do not take."""
    if not 0 <= number < _NUMBERS:
        raise InputError(f"{what} {number} is out of range: it is a whole number from 0 and below 2**62")


def _joined(groups: Sequence[int]) -> list[int]:
    """Card sets, with those that share a card joined into one."""
    joined: list[int] = []
    for group in groups:
        for other in [other for other in joined if other & group]:
            joined.remove(other)
            group |= other
        joined.append(group)
    return joined
