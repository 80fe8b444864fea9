"""The few rules of card play that the kernels need at every step, and their dice."""

from __future__ import annotations

import numpy as np
from numba import njit

from .bits import lowest
from .layout import RANDOM

COLOUR_CARDS = (1 << 36) - 1


@njit(inline="always")
def wrap(number: int, players: int) -> int:
    """``number`` modulo ``players`` for -players <= number < 2 * players, without a division."""
    if number >= players:
        return number - players
    return number + players if number < 0 else number


@njit(inline="always")
def takes(card: int, best: int) -> bool:
    """Whether ``card`` takes the trick from ``best`` (-1: the trick is empty)."""
    return best < 0 or (card > best if card // 9 == best // 9 else card >= 36)


@njit(inline="always")
def can_avoid(hand: int, led: int, best: int) -> bool:
    """Whether a seat with ``hand`` can stay below ``best`` in a trick whose led suit is the set ``led``."""
    follow = hand & led
    if follow:
        return not led >> best & 1 or lowest(follow) < best
    return hand & COLOUR_CARDS != 0 or (best >= 36 and lowest(hand) < best)


@njit(inline="always")
def random_below(work: np.ndarray, span: int) -> int:
    """A number in 0..span-1 from a xorshift generator (Marsaglia 2003)."""
    word = work[RANDOM]
    word ^= word << 13
    word ^= (word >> 7) & 0x01FFFFFFFFFFFFFF
    word ^= word << 17
    work[RANDOM] = word
    return ((word >> 20) & 0xFFFFF) * span >> 20
