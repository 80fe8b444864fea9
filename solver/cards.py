"""Cards, hands and their notation. Knows nothing of seats, tricks or tasks.

A card is an int: pink 1-9 are 0-8, blue 9-17, green 18-26, yellow 27-35, trump 1-4 are 36-39; so
``card // 9`` is its suit and a higher number inside a suit is a higher card. A set of cards (a hand, a
deck) is an int with bit ``card`` set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .errors import InputError

SUIT_LETTERS = "PBGY"
SUIT_NAMES = ("pink", "blue", "green", "yellow", "trump")
TRUMP_LETTERS = {"planet-nine": "R", "deep-sea": "S", "journey": "H"}
TRUMP = 4
RANKS = 9
TRUMPS = 4
CAPTAIN_CARD = 39
"""Trump 4: its holder is the captain."""
FULL_DECK = (1 << 40) - 1
SUIT_MASKS = (*(0x1FF << RANKS * suit for suit in range(4)), 0xF << 36)


def suit_of(card: int) -> int:
    """The suit of a card, 0-4; 4 is trump."""
    return card // RANKS


def rank_of(card: int) -> int:
    """The rank of a card: 1-9, or 1-4 for trump."""
    return card % RANKS + 1


def cards_of(mask: int) -> Iterator[int]:
    """The cards of a set, lowest number first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(cards: Iterable[int]) -> int:
    """The set holding these cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def _suit_from(letter: str) -> int | None:
    letter = letter.upper()
    if letter and letter in SUIT_LETTERS:
        return SUIT_LETTERS.index(letter)
    return TRUMP if letter in TRUMP_LETTERS.values() else None


def parse_card(text: str) -> int:
    """Read one card such as ``P9`` or ``R4`` (``S4`` and ``H4`` are the same card).

    Raises InputError when the text is not a card.
    """
    suit = _suit_from(text[:1])
    highest = TRUMPS if suit == TRUMP else RANKS
    if suit is None or len(text) != 2 or text[1] not in "123456789"[:highest]:
        raise InputError(f"unknown card {text!r}: cards are P1-P9, B1-B9, G1-G9, Y1-Y9 and trump R1-R4 (in Deep Sea S1-S4)")
    return suit * RANKS + int(text[1]) - 1


def format_card(card: int, game: str = "planet-nine") -> str:
    """A card in notation; trump is printed with the letter of the game."""
    letter = TRUMP_LETTERS[game] if suit_of(card) == TRUMP else SUIT_LETTERS[suit_of(card)]
    return f"{letter}{rank_of(card)}"


def parse_hand(text: str) -> int:
    """Read a hand such as ``P159 B28 G3 Y47 R4`` into a card set.

    Raises InputError for an unknown card and for a card named twice.
    """
    hand = 0
    for group in text.replace(",", " ").split():
        if len(group) < 2:
            raise InputError(f"unknown card {group!r} in hand {text!r}: write a suit letter and its ranks, such as P159")
        for rank in group[1:]:
            card = parse_card(group[0] + rank)
            if hand >> card & 1:
                raise InputError(f"duplicate card {group[0].upper()}{rank} in hand {text!r}: every card exists once")
            hand |= 1 << card
    return hand


def format_hand(hand: int, game: str = "planet-nine") -> str:
    """A card set in notation, ranks grouped behind their suit: ``P159 B28 R4``."""
    groups = []
    for suit, mask in enumerate(SUIT_MASKS):
        ranks = "".join(str(rank_of(card)) for card in cards_of(hand & mask))
        if ranks:
            groups.append((TRUMP_LETTERS[game] if suit == TRUMP else SUIT_LETTERS[suit]) + ranks)
    return " ".join(groups)
