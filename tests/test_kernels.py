"""The kernels against plain Python: bits, random streams, deals; and a signature of the search."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from deepcrew.kernels import bits
from deepcrew.kernels.batch import COLUMNS, finish_line
from deepcrew.kernels.sampling import (
    DEAL_STREAM,
    OWNER_STREAM,
    PASS_STREAM,
    TASK_STREAM,
    deal_columns,
    deal_hands,
    draw_order,
    draw_owners,
    draw_tasks,
    next_below,
    stream_start,
)
from deepcrew.solver.cards import CAPTAIN_CARD, FULL_DECK, SUIT_MASKS, cards_of, format_card, format_hand, mask_of
from deepcrew.solver.drafts import DISTRIBUTIONS, allowed_counts, remaining_counts
from deepcrew.solver.loads import load_table
from deepcrew.solver.positions import CHALLENGE_DECK, LEFT, RIGHT, Exchange, Position
from deepcrew.solver.rates import Load, count_deals
from deepcrew.solver.referee import Referee
from naive import SMALL_DECK, random_deal
from numba import njit

SIGNATURE_NODES = 54_267
"""Cards placed in the first 300 deals of five free tasks for four players. A functional change of the search changes
this number, and the commit that changes it must say so; a refactoring or a speed-up leaves it alone."""

WORD = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15
LAST_NUMBER = (1 << 62) - 1
SEEDS = (0, 1, 2, 77, LAST_NUMBER)


# Bits.


@njit
def _popcount(mask: int) -> int:
    return bits.popcount(mask)


@njit
def _lowest(mask: int) -> int:
    return bits.lowest(mask)


@njit
def _highest(mask: int) -> int:
    return bits.highest(mask)


def test_bits_agree_with_python() -> None:
    rng = random.Random(5)
    masks = [1 << bit for bit in range(63)] + [rng.getrandbits(rng.randint(1, 63)) | 1 << rng.randrange(63) for _ in range(3000)]
    for mask in masks:
        places = [bit for bit in range(63) if mask >> bit & 1]
        assert (_popcount(mask), _lowest(mask), _highest(mask)) == (len(places), places[0], places[-1])
    assert _popcount(0) == 0


# Twins of the random streams, in Python's unbounded integers.


def _mix(word: int) -> int:
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    return word ^ word >> 31


def _start(stream: int, seed: int, index: int, salt: int) -> int:
    word = _mix(seed + GOLDEN & WORD)
    for part in (stream, salt, index):
        word = _mix(word ^ part)
    return word


class Stream:
    """The numbers drawn from one start state."""

    def __init__(self, *start: int) -> None:
        self.state = _start(*start)

    def below(self, bound: int) -> int:
        while True:
            self.state = self.state + GOLDEN & WORD
            high, low = divmod((_mix(self.state) >> 32) * bound, 1 << 32)
            if low >= (1 << 32) % bound:
                return high

    def draw(self, items: Sequence[int], count: int) -> list[int]:
        """The items with ``count`` of them drawn to the front; the last of all needs no draw."""
        rest = list(items)
        for place in range(min(count, len(rest) - 1)):
            other = place + self.below(len(rest) - place)
            rest[place], rest[other] = rest[other], rest[place]
        return rest


def _deal(seed: int, index: int, players: int, deck: int) -> list[int]:
    stream = Stream(DEAL_STREAM, seed, index, deck * 8 + players)
    cards = stream.draw(list(cards_of(deck)), 40)
    size, extra = divmod(len(cards), players)
    hands = [mask_of(cards[size * seat : size * (seat + 1)]) for seat in range(players)]
    seats = stream.draw(range(players), extra)[:extra]
    for seat, card in zip(seats, cards[size * players :], strict=True):
        hands[seat] |= 1 << card
    return hands


def _tasks(seed: int, index: int, deck: int, count: int) -> list[int]:
    return Stream(TASK_STREAM, seed, index, deck).draw([card for card in cards_of(deck) if card < 36], count)[:count]


def _owners(seed: int, index: int, count: int, allowed: Sequence[Sequence[int]], again: int = 0) -> list[int] | None:
    """None for a draw that has to be thrown in."""
    stream = Stream(OWNER_STREAM, seed, index, count + (again << 10))
    counts = allowed[stream.below(len(allowed))]
    if sum(counts) == count:
        return stream.draw([seat for seat, number in enumerate(counts) for _ in range(number)], count)
    takers = [seat for seat, number in enumerate(counts) if number]
    owners: list[int] = []
    while len(owners) < count:
        owners.append(takers[stream.below(len(takers))])
        if owners.count(owners[-1]) > counts[owners[-1]]:
            return None
    return owners


def _kernel_deal(seed: int, index: int, players: int, deck: int = FULL_DECK) -> list[int]:
    hands = np.full(players, -1, np.int64)
    deal_hands(seed, index, players, deck, hands)
    return hands.tolist()


def _kernel_tasks(seed: int, index: int, count: int, deck: int = FULL_DECK) -> list[int]:
    tasks = np.full(36, -1, np.int64)
    draw_tasks(seed, index, deck, count, tasks)
    assert (tasks[count:] == -1).all()
    return tasks[:count].tolist()


def _kernel_owners(seed: int, index: int, count: int, allowed: Sequence[Sequence[int]], again: int = 0) -> list[int] | None:
    owners = np.full(count, -1, np.int64)
    return owners.tolist() if draw_owners(seed, index, count, np.array(allowed, np.int64), owners, again) else None


def test_stream_starts() -> None:
    rng = random.Random(1)
    starts = set()
    for _ in range(500):
        stream, seed, index, salt = rng.randint(1, 3), rng.getrandbits(62), rng.getrandbits(62), rng.getrandbits(43)
        start = int(stream_start(stream, seed, index, salt))
        assert start == _start(stream, seed, index, salt)
        starts.add(start)
    assert len(starts) == 500


def test_next_below() -> None:
    rng = random.Random(2)
    for _ in range(500):
        seed, bound = rng.getrandbits(62), rng.choice([1, 2, 3, 5, 36, 40, 1000, (1 << 31) + 1, (1 << 32) - 1])
        stream = Stream(1, seed, 0, 0)
        state = stream_start(1, seed, 0, 0)
        for _ in range(10):
            state, number = next_below(np.uint64(state), bound)
            assert number == stream.below(bound)
            assert int(state) == stream.state
            assert 0 <= number < bound


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", [FULL_DECK, SMALL_DECK, FULL_DECK ^ 0xF])
def test_deals_agree_with_their_twin(players: int, deck: int) -> None:
    for seed in SEEDS:
        for index in (*range(20), 123_456_789, LAST_NUMBER):
            assert _kernel_deal(seed, index, players, deck) == _deal(seed, index, players, deck)


def _columns(seed: int, index: int, deck: int, third: int, again: int = 0) -> tuple[list[int], list[tuple[int, int]]]:
    """The hands of three seats and the columns: open cards, hidden ones, then trump 4 and the rest for the two players."""
    stream = Stream(DEAL_STREAM, seed, index, deck * 8 + 2 + (again << 50))
    cards = stream.draw([card for card in cards_of(deck) if card != CAPTAIN_CARD], 40)
    wide = 7 if deck == FULL_DECK else 5
    rest = stream.draw([CAPTAIN_CARD, *cards[2 * wide :]], 40)
    half = len(rest) // 2
    hands = [mask_of(rest[:half]), mask_of(rest[half:])]
    hands.insert(third, mask_of(cards[: 2 * wide]))
    return hands, list(zip(cards[:wide], cards[wide : 2 * wide], strict=True))


def _kernel_columns(seed: int, index: int, deck: int, third: int, again: int = 0) -> tuple[list[int], list[tuple[int, int]]]:
    hands, columns = np.full(3, -1, np.int64), np.full(COLUMNS, -7, np.int64)
    deal_columns(seed, index, deck, third, hands, columns, again)
    pairs = zip(columns[: COLUMNS // 2].tolist(), columns[COLUMNS // 2 :].tolist(), strict=True)
    return hands.tolist(), [pair for pair in pairs if pair != (-1, -1)]


@pytest.mark.parametrize("deck", [FULL_DECK, CHALLENGE_DECK])
def test_deals_for_two_agree_with_their_twin(deck: int) -> None:
    for third in range(3):
        for seed in SEEDS:
            for index in (*range(10), 123_456_789, LAST_NUMBER):
                for again in (0, 1, 500):
                    assert _kernel_columns(seed, index, deck, third, again) == _columns(seed, index, deck, third, again)


def test_orders_of_cards_agree_with_their_twin() -> None:
    for seed in SEEDS:
        for index in (*range(10), LAST_NUMBER):
            order = np.full(40, -1, np.int64)
            draw_order(seed, index, order)
            assert order.tolist() == Stream(PASS_STREAM, seed, index, 0).draw(range(40), 40)


@pytest.mark.parametrize("deck", [FULL_DECK, SMALL_DECK])
def test_task_draws_agree_with_their_twin(deck: int) -> None:
    colours = (deck & ~SUIT_MASKS[4]).bit_count()
    for seed in SEEDS:
        for index in (*range(20), LAST_NUMBER):
            for count in {0, 1, 5, colours - 1, colours}:
                assert _kernel_tasks(seed, index, count, deck) == _tasks(seed, index, deck, count)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_owner_draws_agree_with_their_twin(players: int, distribution: str) -> None:
    for count in (1, 2, 3, 5, 10):
        for captain in range(players):
            allowed = allowed_counts(distribution, count, players, captain)
            if not allowed:
                assert (distribution, count) == ("two-volunteers", 1)
                continue
            for seed in SEEDS:
                for index in (0, 1, 2, 3, LAST_NUMBER):
                    for again in (0, 1, 1000):
                        owners = _kernel_owners(seed, index, count, allowed, again)
                        assert owners == _owners(seed, index, count, allowed, again)
                        assert owners is None or remaining_counts(allowed, owners)


GOLDEN_DEALS = {
    (1, 0, 3): (
        "P89 B5 G48 Y123456 R12 | P1246 B2468 G235 Y89 R3 | P357 B1379 G1679 Y7 R4",
        "Y2 Y4 B5 G4 P7",
    ),
    (1, 0, 4): (
        "P469 B7 G14567 Y2 | P378 B1 G29 Y1345 | P5 B249 G38 Y789 R2 | P12 B3568 Y6 R134",
        "Y2 Y4 B5 G4 P7",
    ),
    (1, 0, 5): (
        "P1346 B9 Y3 R13 | P27 B78 G479 Y5 | P59 B5 G5 Y679 R2 | B46 G28 Y1248 | P8 B123 G136 R4",
        "Y2 Y4 B5 G4 P7",
    ),
    (1, 999_999, 3): (
        "P179 B25 G34789 Y14 R23 | P46 B3689 G15 Y2679 R4 | P2358 B147 G26 Y358 R1",
        "B2 B8 P9 G7 P4",
    ),
    (42, 7, 4): (
        "P6 B126 G79 Y45 R23 | P138 B359 G58 Y13 | P57 B78 G236 Y69 R4 | P249 B4 G14 Y278 R1",
        "B5 P6 P5 B9 G5",
    ),
    (LAST_NUMBER, LAST_NUMBER, 5): (
        "B378 G67 Y469 | P123 G19 Y25 R1 | B129 G5 Y13 R23 | P489 B456 G8 R4 | P567 G234 Y78",
        "Y5 B3 B8 G9 B9",
    ),
}
"""(seed, index, players): the hands and the first five tasks. Published numbers rest on these: they never change."""


@pytest.mark.parametrize("key", GOLDEN_DEALS)
def test_golden_deals(key: tuple[int, int, int]) -> None:
    seed, index, players = key
    hands = " | ".join(format_hand(hand) for hand in _kernel_deal(seed, index, players))
    tasks = " ".join(format_card(card) for card in _kernel_tasks(seed, index, 5))
    assert (hands, tasks) == GOLDEN_DEALS[key]


GOLDEN_ORDERS = {(1, 0): "P1 P3 B2 G4 R3 P8 Y7 G5", (42, 7): "G8 P7 B3 R2 G2 B7 P6 G3"}
"""(seed, index): the first cards of the order in which cards are taken during play."""


@pytest.mark.parametrize("key", GOLDEN_ORDERS)
def test_golden_orders(key: tuple[int, int]) -> None:
    order = np.full(40, -1, np.int64)
    draw_order(*key, order)
    assert " ".join(format_card(card) for card in order[:8].tolist()) == GOLDEN_ORDERS[key]


GOLDEN_OWNERS = [[3, 1, 2, 3, 0, 1], [2, 2, 0, 1, 3, 0], [2, 3, 0, 3, 1, 2]]


def test_golden_owners() -> None:
    drawn = [_kernel_owners(1, index, 6, allowed_counts("captain-distribution", 6, 4, 0)) for index in range(3)]
    assert drawn == GOLDEN_OWNERS


# What the draws are like.


def _chi_square(counts: Counter[object], cells: int) -> float:
    expected = counts.total() / cells
    return sum((count - expected) ** 2 for count in counts.values()) / expected + expected * (cells - len(counts))


def _far(cells: int) -> float:
    """A bound that a uniform draw misses about once in a million tries: five deviations of chi-square and a bit."""
    return cells - 1 + 6 * (2 * (cells - 1)) ** 0.5 + 6


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_deal_is_the_whole_deck_and_every_card_goes_everywhere(players: int) -> None:
    size, extra = divmod(40, players)
    where: list[Counter[object]] = [Counter() for _ in range(40)]
    long_hand: Counter[object] = Counter()
    for index in range(3000):
        hands = _kernel_deal(9, index, players)
        assert sum(hands) == FULL_DECK
        sizes = [hand.bit_count() for hand in hands]
        assert sorted(sizes) == [size] * (players - extra) + [size + 1] * extra
        if extra:
            long_hand[sizes.index(size + 1)] += 1
        for seat, hand in enumerate(hands):
            for card in cards_of(hand):
                where[card][seat] += 1
    assert all(_chi_square(counts, players) < _far(players) for counts in where)
    if extra:
        assert set(long_hand) == set(range(players))
        assert _chi_square(long_hand, players) < _far(players)


@pytest.mark.parametrize("deck", [FULL_DECK, CHALLENGE_DECK])
def test_with_two_players_every_card_but_trump_4_goes_everywhere(deck: int) -> None:
    """In columns of two, as many open as hidden ones; trump 4 to either player."""
    wide, each = (7, 13) if deck == FULL_DECK else (5, 10)
    where: dict[int, Counter[object]] = {card: Counter() for card in cards_of(deck)}
    captain: Counter[object] = Counter()
    for index in range(3000):
        third = index % 3
        hands, columns = _kernel_columns(9, index, deck, third)
        assert sum(hands) == deck
        assert [hand.bit_count() for seat, hand in enumerate(hands) if seat != third] == [each, each]
        assert [mask_of(column).bit_count() for column in columns] == [2] * wide
        assert mask_of(card for column in columns for card in column) == hands[third]
        others = [seat for seat in range(3) if seat != third]
        captain[next(place for place, seat in enumerate(others) if hands[seat] >> CAPTAIN_CARD & 1)] += 1
        for card in cards_of(sum(hands[seat] for seat in others)):
            where[card]["hand"] += 1
        for shown, hidden in columns:
            where[shown]["open"] += 1
            where[hidden]["hidden"] += 1
    assert _chi_square(captain, 2) < _far(2)
    assert where.pop(CAPTAIN_CARD) == Counter(hand=3000)
    for counts in where.values():
        expected = {
            place: 3000 * number / (deck.bit_count() - 1) for place, number in (("hand", 2 * each - 1), ("open", wide), ("hidden", wide))
        }
        assert sum((counts[place] - right) ** 2 / right for place, right in expected.items()) < _far(3)


def test_every_card_comes_first_in_an_order_sometimes() -> None:
    first: Counter[object] = Counter()
    for index in range(4000):
        order = np.full(40, -1, np.int64)
        draw_order(3, index, order)
        assert sorted(order) == list(range(40))
        first.update([int(order[0])])
    assert _chi_square(first, 40) < _far(40)


def test_task_draws_are_uniform_and_start_with_the_shorter_ones() -> None:
    first: Counter[object] = Counter()
    for index in range(4000):
        tasks = _kernel_tasks(4, index, 36)
        assert sorted(tasks) == list(range(36))
        count = index % 37
        assert _kernel_tasks(4, index, count) == tasks[:count]
        first.update([tasks[0]])
    assert _chi_square(first, 36) < _far(36)


@pytest.mark.parametrize(("distribution", "cells"), [("round-robin", 6), ("captain-decision", 2), ("captain-distribution", 36)])
def test_owners_are_uniform_over_what_is_allowed(distribution: str, cells: int) -> None:
    """Three tasks, or four where one seat gets two of them: any seat, and 12 ways round."""
    count = 4 if distribution == "captain-distribution" else 3
    allowed = allowed_counts(distribution, count, 3, 1)
    seen: Counter[object] = Counter(tuple(_kernel_owners(3, index, count, allowed) or ()) for index in range(6000))
    assert len(seen) == cells
    assert _chi_square(seen, cells) < _far(cells)


def test_the_streams_do_not_hang_together() -> None:
    """Owner and holder of the first task agree as often as chance has it."""
    allowed = allowed_counts("round-robin", 4, 4, 0)
    same = 0
    for index in range(4000):
        card = _kernel_tasks(1, index, 4)[0]
        owners = _kernel_owners(1, index, 4, allowed)
        assert owners is not None
        same += _kernel_deal(1, index, 4)[owners[0]] >> card & 1
    assert 820 < same < 1180


# Batches.


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_finished_line_is_a_legal_attempt(players: int) -> None:
    rng = random.Random(players)
    for deck in [SMALL_DECK] * 100 + [FULL_DECK] * (100 if players > 2 else 0):
        hands = random_deal(rng, deck, players)
        referee = Referee(Position(hands, (), deck=deck))
        tricks = referee.position.tricks
        known = rng.randint(0, tricks) * players
        begun = []
        for _ in range(known):
            begun.append(rng.choice(referee.legal_plays()))
            referee.play(begun[-1])
        line = np.zeros(tricks * players, np.int8)
        line[:known] = begun
        won_by = np.zeros(40, np.int64)
        captain = next(seat for seat, hand in enumerate(hands) if hand >> CAPTAIN_CARD & 1)
        nothing = np.full(COLUMNS, -1, np.int64), np.zeros(40, np.int64)
        finish_line(np.array(hands, np.int64), players, captain, line, known, won_by, load_table(Load(), 3), *nothing)
        assert line[:known].tolist() == begun
        for card in line[known:].tolist():
            referee.play(card)
        assert referee.tricks_left == 0
        winners = {card: winner for _, cards, winner, _ in referee.history for card in cards}
        assert won_by.tolist() == [winners.get(card, -1) for card in range(40)]


@pytest.mark.parametrize("third", [None, 0, 1, 2])
def test_a_finished_line_opens_columns_and_passes_cards(third: int | None) -> None:
    rng = random.Random(f"columns/{third}")
    for round_ in range(150):
        deck = FULL_DECK if third is None else rng.choice((FULL_DECK, CHALLENGE_DECK))
        if third is None:
            hands, columns = random_deal(rng, deck, rng.choice((3, 4, 5))), []
        else:
            dealt, columns = _columns(rng.getrandbits(60), round_, deck, third)
            hands = tuple(dealt)
        after, to, order = rng.randint(0, 5), rng.choice((LEFT, RIGHT)), rng.sample(range(40), 40)
        players = len(hands)
        exchanges = (Exchange(after, to, tuple(order)),) if after else ()
        referee = Referee(Position(hands, (), deck=deck, columns=tuple(columns), exchanges=exchanges))
        known = rng.randint(0, referee.position.tricks) * players
        begun = []
        for _ in range(known):
            begun.append(rng.choice(referee.legal_plays()))
            referee.play(begun[-1])
        line, won_by = np.zeros(referee.position.tricks * players, np.int8), np.zeros(40, np.int64)
        line[:known] = begun
        flat = np.full(COLUMNS, -1, np.int64)
        for place, column in enumerate(columns):
            flat[place], flat[COLUMNS // 2 + place] = column
        table = load_table(Load(), 3)._replace(third=-1 if third is None else third, pass_after=after, pass_to=to)
        arguments = np.array(hands, np.int64), players, referee.position.captain, line, known, won_by
        finish_line(*arguments, table, flat, np.array(order, np.int64))
        assert line[:known].tolist() == begun
        for card in line[known:].tolist():
            referee.play(card)
        assert referee.tricks_left == 0
        winners = {card: winner for _, cards, winner, _ in referee.history for card in cards}
        assert won_by.tolist() == [winners.get(card, -1) for card in range(40)]


def test_signature_of_the_search() -> None:
    assert count_deals(Load(5), 4, 0, 300).nodes == SIGNATURE_NODES
