"""Cards and hands: numbers, notation, and what is not a card."""

from __future__ import annotations

import pytest
from deepcrew.solver.cards import (
    CAPTAIN_CARD,
    FULL_DECK,
    SUIT_MASKS,
    TRUMP,
    TRUMP_LETTERS,
    cards_of,
    format_card,
    format_hand,
    mask_of,
    parse_card,
    parse_hand,
    rank_of,
    suit_of,
)
from deepcrew.solver.errors import InputError
from hypothesis import given
from hypothesis import strategies as st

hands = st.integers(0, FULL_DECK)
games = st.sampled_from(sorted(TRUMP_LETTERS))


def test_the_deck_has_nine_cards_of_each_colour_and_four_trumps():
    assert [mask.bit_count() for mask in SUIT_MASKS] == [9, 9, 9, 9, 4]
    assert sum(SUIT_MASKS) == FULL_DECK


def test_the_numbers_of_the_cards():
    names = [f"{suit}{rank}" for suit in "PBGY" for rank in range(1, 10)] + ["R1", "R2", "R3", "R4"]
    assert [format_card(card) for card in range(40)] == names
    assert [parse_card(name) for name in names] == list(range(40))
    assert parse_card("R4") == CAPTAIN_CARD


@pytest.mark.parametrize("card", range(40))
def test_suit_rank_and_mask_agree(card):
    assert SUIT_MASKS[suit_of(card)] >> card & 1
    assert format_card(card)[1:] == str(rank_of(card))
    assert (suit_of(card) == TRUMP) == (card >= 36)


@given(st.integers(0, 39), games)
def test_a_card_survives_its_notation(card, game):
    assert parse_card(format_card(card, game)) == parse_card(format_card(card, game).lower()) == card


@given(hands, games)
def test_a_hand_survives_its_notation(hand, game):
    assert parse_hand(format_hand(hand, game)) == hand


@given(hands)
def test_a_hand_is_the_set_of_its_cards(hand):
    cards = list(cards_of(hand))
    assert cards == sorted(set(cards))
    assert len(cards) == hand.bit_count()
    assert mask_of(reversed(cards)) == hand


@given(hands, st.randoms(use_true_random=False))
def test_the_order_of_the_cards_does_not_matter(hand, rng):
    cards = [format_card(card) for card in cards_of(hand)]
    rng.shuffle(cards)
    assert parse_hand(" ".join(cards)) == parse_hand(", ".join(cards)) == hand


@given(st.text())
def test_any_text_is_a_card_or_an_input_error(text):
    try:
        card = parse_card(text)
    except InputError:
        return
    assert len(text) == 2
    assert format_card(card)[1] == text[1]


@given(st.one_of(st.text(), st.text(alphabet="PBGYRSHpr0123456789 ,")))
def test_any_text_is_a_hand_or_an_input_error(text):
    try:
        hand = parse_hand(text)
    except InputError:
        return
    assert parse_hand(format_hand(hand)) == hand


def test_the_letter_of_trump_is_that_of_the_game():
    assert [format_card(36, game) for game in ("planet-nine", "deep-sea", "journey")] == ["R1", "S1", "H1"]
    assert parse_card("R2") == parse_card("S2") == parse_card("H2")


def test_ranks_are_grouped_behind_their_suit():
    assert format_hand(parse_hand("R4 Y7 P9 B8 P1 G3 B2 P5 Y4")) == "P159 B28 G3 Y47 R4"
    assert parse_hand("P159 B28 G3 Y47 R4") == parse_hand("P951,B82 , G3 R4 Y4 Y7")


def test_no_cards_are_an_empty_hand():
    assert parse_hand("") == parse_hand(" , ") == 0
    assert format_hand(0) == ""


NO_CARDS = ["P0", "P10", "R5", "S9", "H0", "X1", "1P", "P", "", " ", "P1 ", " P1", "P²", "P\uff11", "Ⓟ1", "PP", "R-1", "P1\n"]


@pytest.mark.parametrize("text", NO_CARDS)
def test_an_unknown_card_is_named(text):
    with pytest.raises(InputError) as error:
        parse_card(text)
    assert repr(text) in str(error.value)
    assert "P1-P9" in str(error.value)


@pytest.mark.parametrize(("text", "card"), [("P1 X3", "X3"), ("P120", "P0"), ("R15", "R5"), ("P1 59", "59"), ("P1 B", "B"), ("P1-9", "P-")])
def test_an_unknown_card_of_a_hand_is_named(text, card):
    with pytest.raises(InputError) as error:
        parse_hand(text)
    assert repr(card) in str(error.value)


@pytest.mark.parametrize(("text", "card"), [("P11", "P1"), ("P159 B2 P5", "P5"), ("R1 S1", "S1"), ("b2 B2", "B2")])
def test_a_card_named_twice_in_a_hand_is_refused(text, card):
    with pytest.raises(InputError, match=f"duplicate card {card} "):
        parse_hand(text)
