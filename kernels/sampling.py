"""Random deals, task draws and owners as pure functions of (seed, index): no state, same on every machine.

Randomness is SplitMix64 (Steele, Lea and Flood 2014) started from a hash of what is asked for, so deal i needs
none of the deals before it and chunks, order and workers cannot matter. Streams keep deal, tasks and owners
independent of each other: the same deals serve every mission.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .compiled import inner

DEAL_STREAM = 1
TASK_STREAM = 2
OWNER_STREAM = 3
PASS_STREAM = 4
CAPTAIN_CARD = 39

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@inner
def _mix(word: np.uint64) -> np.uint64:
    word = (word ^ (word >> _S30)) * _MIX1
    word = (word ^ (word >> _S27)) * _MIX2
    return word ^ (word >> _S31)


@njit(cache=True)
def stream_start(stream: int, seed: int, index: int, salt: int) -> np.uint64:
    """The start state of the random stream for ``index`` of ``seed``; ``salt`` separates deck and players."""
    word = _mix(np.uint64(seed) + _GOLDEN)
    word = _mix(word ^ np.uint64(stream))
    word = _mix(word ^ np.uint64(salt))
    return _mix(word ^ np.uint64(index))


@njit(cache=True)
def next_below(state: np.uint64, bound: int) -> tuple[np.uint64, int]:
    """The next state and a uniform number in 0..bound-1, for a bound below 2**32.

    The top 32 bits are scaled (Lemire 2019) and the few values that would make it uneven are drawn again.
    """
    wide = np.uint64(bound)
    uneven = (np.uint64(1) << _S32) % wide
    while True:
        state = state + _GOLDEN
        product = (_mix(state) >> _S32) * wide
        if product & np.uint64(0xFFFFFFFF) >= uneven:
            return state, np.int64(product >> _S32)


@inner
def shuffle_prefix(items: np.ndarray, size: int, prefix: int, state: np.uint64) -> np.uint64:
    """Shuffle so that ``items[:prefix]`` is a uniform draw, in order, from ``items[:size]``; returns the state.

    A longer prefix from the same state starts with the shorter one's items.
    """
    for place in range(min(prefix, size - 1)):
        state, step = next_below(state, size - place)
        other = place + step
        items[place], items[other] = items[other], items[place]
    return state


@njit(cache=True)
def deal_hands(seed: int, index: int, players: int, deck: int, hands: np.ndarray, again: int = 0) -> None:
    """Deal number ``index`` of ``seed`` into ``hands`` (int64 card sets, one per seat).

    ``deck`` is the card set dealt; ``again`` counts how often this deal was thrown in before. Cards that do not divide
    evenly go to seats drawn by the seed, one each.
    """
    cards = np.empty(40, np.int64)
    size = 0
    for card in range(40):
        if deck >> card & 1:
            cards[size] = card
            size += 1
    state = stream_start(DEAL_STREAM, seed, index, deck * 8 + players + (again << 50))
    state = shuffle_prefix(cards, size, size, state)
    seats = np.arange(players)
    shuffle_prefix(seats, players, size % players, state)
    place = 0
    for seat in range(players):
        hands[seat] = 0
        for _ in range(size // players):
            hands[seat] |= 1 << cards[place]
            place += 1
    for extra in range(size % players):
        hands[seats[extra]] |= 1 << cards[place]
        place += 1


@njit(cache=True)
def deal_columns(seed: int, index: int, deck: int, third: int, hands: np.ndarray, columns: np.ndarray, again: int = 0) -> None:
    """Deal number ``index`` of ``seed`` for two players, whose third hand, at seat ``third``, is columns.

    ``hands`` gets the card sets of the three seats, ``columns`` the open cards of the third and then the hidden ones
    under them. Trump 4 goes to one of the two; a card more than the others is the third hand's.
    """
    cards = np.empty(40, np.int64)
    size = 0
    for card in range(40):
        if deck >> card & 1 and card != CAPTAIN_CARD:
            cards[size] = card
            size += 1
    state = stream_start(DEAL_STREAM, seed, index, deck * 8 + 2 + (again << 50))
    state = shuffle_prefix(cards, size, size, state)
    wide = (size + 3) // 6
    columns[:] = -1
    hands[third] = 0
    for place in range(wide):
        columns[place] = cards[place]
        columns[len(columns) // 2 + place] = cards[wide + place]
        hands[third] |= 1 << cards[place] | 1 << cards[wide + place]
    cards[2 * wide - 1] = CAPTAIN_CARD
    rest = cards[2 * wide - 1 : size]
    state = shuffle_prefix(rest, len(rest), len(rest), state)
    place = 0
    for seat in range(3):
        if seat != third:
            hands[seat] = 0
            for _ in range(len(rest) // 2):
                hands[seat] |= 1 << rest[place]
                place += 1


@njit(cache=True)
def draw_order(seed: int, index: int, order: np.ndarray) -> None:
    """A uniformly random order of all cards for deal ``index``: from each hand its first one in it is taken."""
    for card in range(40):
        order[card] = card
    shuffle_prefix(order, 40, 40, stream_start(PASS_STREAM, seed, index, 0))


@njit(cache=True)
def draw_tasks(seed: int, index: int, deck: int, count: int, tasks: np.ndarray) -> None:
    """The first ``count`` task cards (colour cards of the deck) drawn for deal ``index``, into ``tasks``.

    A mission with more tasks draws the same ones first.
    """
    cards = np.empty(36, np.int64)
    size = 0
    for card in range(36):
        if deck >> card & 1:
            cards[size] = card
            size += 1
    shuffle_prefix(cards, size, count, stream_start(TASK_STREAM, seed, index, deck))
    for place in range(count):  # numba compiles far more for an array assigned to a slice
        tasks[place] = cards[place]


@njit(cache=True)
def draw_owners(seed: int, index: int, count: int, allowed: np.ndarray, owners: np.ndarray, again: int = 0) -> bool:
    """A uniformly random distribution of ``count`` tasks, into ``owners`` (a seat per task).

    ``allowed`` is int64[vectors, seats]: the most tasks of each seat, every vector reached by equally many
    assignments (see solver.drafts.allowed_counts). ``again`` counts how often a draw was thrown in before. Returns
    whether the vector holds the draw: one of many tasks to few seats is drawn task by task, and may go beyond.
    """
    state = stream_start(OWNER_STREAM, seed, index, count + (again << 10))
    state, row = next_below(state, len(allowed))
    total = 0
    seats = 0
    for seat in range(allowed.shape[1]):
        total += allowed[row, seat]
        seats += allowed[row, seat] > 0
    if total == count:
        place = 0
        for seat in range(allowed.shape[1]):
            for _ in range(allowed[row, seat]):
                owners[place] = seat
                place += 1
        shuffle_prefix(owners, count, count, state)
        return True
    taken = np.zeros(allowed.shape[1], np.int64)
    for task in range(count):
        state, step = next_below(state, seats)
        seat = 0
        while step > 0 or allowed[row, seat] == 0:
            step -= allowed[row, seat] > 0
            seat += 1
        owners[task] = seat
        taken[seat] += 1
        if taken[seat] > allowed[row, seat]:
            return False
    return True


@njit(cache=True)
def draw_to_sum(seed: int, index: int, values: np.ndarray, total: int, stack: np.ndarray, drawn: np.ndarray, again: int) -> int:
    """Draw cards for deal ``index`` until their ``values`` (int64, one per card of the stack) sum to ``total``; one that
    would go beyond is skipped. Writes the cards into ``drawn`` and returns their number, or -1 when the stack ends first.

    ``stack`` is left as it was shuffled; ``again`` counts how often this draw was thrown in before.
    """
    size = len(values)
    cards = stack
    for card in range(size):
        cards[card] = card
    shuffle_prefix(cards, size, size, stream_start(TASK_STREAM, seed, index, size + (again << 10)))
    count = 0
    left = total
    for card in cards:
        if left == 0:
            break
        if values[card] <= left:
            left -= values[card]
            drawn[count] = card
            count += 1
    return count if left == 0 else -1
