"""The task cards of Mission Deep Sea as counted facts, and the schema of their blocks."""

from __future__ import annotations

from collections import Counter

import pytest
from deepcrew.solver.cards import FULL_DECK, SUIT_MASKS, TRUMP, cards_of, mask_of, parse_card, parse_hand, rank_of, suit_of
from deepcrew.solver.errors import DataError, InputError
from deepcrew.solver.goals import CARDS, EACH_OTHER, NOBODY, OPENINGS, OTHERS_TOGETHER, RUN, TRICKS, Condition
from deepcrew.solver.taskcards import EDITIONS, GROUPS, TaskCard, find_task_card, load_task_cards, read_task_cards

CARDS_BY_SLUG = {card.slug: card for card in load_task_cards()}
TRICKS_OF = {3: 13, 4: 10, 5: 8}
COLOURS = FULL_DECK & ~SUIT_MASKS[TRUMP]


def ranks(*wanted: int) -> int:
    """Every card of these ranks in the four colours."""
    return mask_of(card for card in cards_of(COLOURS) if rank_of(card) in wanted)


def conditions(slug: str, players: int = 4, captain: int = 0) -> tuple[Condition, ...]:
    return CARDS_BY_SLUG[slug].form.resolve(players, TRICKS_OF[players], captain).conditions


# The 96 cards.


def test_there_are_96_cards_in_14_groups() -> None:
    assert len(load_task_cards()) == len(CARDS_BY_SLUG) == 96
    sizes = Counter(card.group for card in load_task_cards())
    assert [sizes[group] for group in GROUPS] == [19, 14, 9, 11, 10, 9, 6, 5, 2, 3, 2, 2, 2, 2]
    assert list(sizes) == list(GROUPS)
    assert len({card.text for card in load_task_cards()}) == 96


def test_no_two_cards_ask_for_the_same_except_the_two_predictions() -> None:
    forms = Counter(card.form for card in load_task_cards())
    assert [form for form, count in forms.items() if count > 1] == [CARDS_BY_SLUG["predict_open"].form]


def test_difficulty_sums() -> None:
    assert [sum(card.difficulty_for(players) for card in load_task_cards()) for players in (2, 3, 4, 5)] == [229, 229, 264, 297]
    assert [sum(card.difficulty_for(players, "german-first") for card in load_task_cards()) for players in (3, 4, 5)] == [229, 263, 297]


def test_cards_of_each_difficulty() -> None:
    counted = [Counter(card.difficulty_for(players) for card in load_task_cards()) for players in (3, 4, 5)]
    assert counted == [
        {1: 16, 2: 36, 3: 35, 4: 9},
        {1: 13, 2: 21, 3: 41, 4: 19, 5: 2},
        {1: 12, 2: 16, 3: 34, 4: 21, 5: 11, 6: 2},
    ]


def test_backs() -> None:
    backs = Counter("".join(map(str, card.difficulty)) for card in load_task_cards())
    assert dict(backs) == {
        "111": 11, "112": 1, "122": 3, "123": 1, "211": 1, "222": 8, "223": 6, "233": 12, "234": 6, "235": 1, "245": 1,
        "256": 1, "322": 3, "332": 1, "333": 10, "334": 6, "344": 6, "345": 9, "433": 5, "444": 3, "456": 1,
    }  # fmt: skip


def test_one_card_differs_between_prints() -> None:
    assert EDITIONS == ("german-first",)
    assert [card.slug for card in load_task_cards() if card.prints] == ["win_P9_Y8"]
    card = find_task_card("win_P9_Y8")
    assert [card.difficulty_for(4), card.difficulty_for(4, "german-first"), card.difficulty_for(5, "german-first")] == [3, 2, 3]


def test_two_cards_vary_with_the_number_of_players() -> None:
    sums = {
        card.slug: [[(c.sum_low, c.sum_high) for c in conditions(card.slug, players)] for players in (3, 4, 5)]
        for card in load_task_cards()
        if any((c.sum_low, c.sum_high) != (0, 99) for c in conditions(card.slug))
    }
    assert sums == {
        "trick_sum_above": [[(24, 99)], [(29, 99)], [(32, 99)]],
        "trick_sum_below": [[(0, 7)], [(0, 11)], [(0, 15)]],
        "trick_sum_22_or_23": [[(22, 23)]] * 3,
    }


def test_redeals() -> None:
    assert {card.slug: card.redeal for card in load_task_cards() if card.redeal} == {
        "win_S1_only_sub": (parse_hand("S14"), parse_hand("S123")),
        "win_S2_only_sub": (parse_hand("S24"), parse_hand("S123")),
        "exactly_one_S": (parse_hand("S1234"),),
        "exactly_two_S": (parse_hand("S234"),),
        "exactly_three_S": (parse_hand("S1234"),),
        "win_P7_with_S": (parse_hand("P7 S1234"),),
        "win_G9_with_S": (parse_hand("G9 S1234"),),
    }


def test_three_cards_are_not_for_the_captain() -> None:
    slugs = [card.slug for card in load_task_cards() if card.not_for_captain]
    assert slugs == ["more_than_captain", "fewer_than_captain", "same_as_captain"]
    assert [[(c.against, c.low, c.high) for c in conditions(slug, captain=2)] for slug in slugs] == [
        [(2, 1, 99)],
        [(2, -99, -1)],
        [(2, 0, 0)],
    ]


@pytest.mark.parametrize("card", load_task_cards(), ids=lambda card: card.slug)
def test_every_goal_resolves_and_can_be_reached_by_its_bounds(card: TaskCard) -> None:
    for players, tricks in TRICKS_OF.items():
        goal = card.form.resolve(players, tricks, 1)
        assert goal.conditions
        for condition in goal.conditions:
            assert condition.low <= condition.high
            assert condition.count != CARDS or condition.low <= condition.cards.bit_count()
            assert condition.count != TRICKS or condition.low <= (condition.numbers & (1 << tricks) - 1).bit_count()
            assert condition.numbers < 1 << tricks
            assert condition.always == 0


# The meaning of those that are easily misread.


def test_a_rank_never_means_a_submarine() -> None:
    for card in load_task_cards():
        for c in conditions(card.slug):
            if c.count in (CARDS, OPENINGS) and c.cards & ~SUIT_MASKS[TRUMP]:
                assert not c.cards & SUIT_MASKS[TRUMP], card.slug
    assert [conditions(f"win_using_{rank}")[0].won_with for rank in (2, 3, 5, 6)] == [ranks(rank) for rank in (2, 3, 5, 6)]
    captures = [(c.won_with, c.captures) for slug in ("win_5_with_7", "win_8_with_4", "win_6_with_6") for c in conditions(slug)]
    assert captures == [(ranks(7), ranks(5)), (ranks(4), ranks(8)), (ranks(6), ranks(6))]


def test_tasks_about_all_ranks_of_a_trick_bar_submarines() -> None:
    only = {card.slug: conditions(card.slug)[0].only for card in load_task_cards() if card.group in ("trick-value", "parity")}
    assert only == {
        "trick_all_below_7": ranks(1, 2, 3, 4, 5, 6),
        "trick_all_above_5": ranks(6, 7, 8, 9),
        "trick_sum_above": COLOURS,
        "trick_sum_below": COLOURS,
        "trick_sum_22_or_23": COLOURS,
        "trick_all_even": ranks(2, 4, 6, 8),
        "trick_all_odd": ranks(1, 3, 5, 7, 9),
    }
    assert conditions("trick_equal_G_Y")[0].only == FULL_DECK


def test_the_green_2_may_be_the_winning_card_of_the_last_trick() -> None:
    for players, tricks in TRICKS_OF.items():
        (c,) = conditions("win_G2_last_trick", players)
        assert (c.count, c.numbers, c.holds, c.captures, c.low) == (TRICKS, 1 << tricks - 1, 1 << parse_card("G2"), 0, 1)


def test_in_a_row() -> None:
    assert conditions("two_in_a_row") == (Condition(RUN, numbers=(1 << 10) - 1, low=2),)
    assert conditions("never_two_in_a_row") == (Condition(RUN, numbers=(1 << 10) - 1, high=1),)
    assert [(c.count, c.low, c.high) for c in conditions("exactly_3_tricks_in_a_row")] == [(TRICKS, 3, 3), (RUN, 3, 99)]


def test_equal_needs_one_of_each_and_more_does_not() -> None:
    pink, yellow, blue = SUIT_MASKS[0], SUIT_MASKS[3], SUIT_MASKS[1]
    assert [(c.cards, c.minus, c.low, c.high) for c in conditions("equal_P_Y")] == [(pink, yellow, 0, 0), (pink, 0, 1, 99)]
    assert [(c.cards, c.minus, c.low, c.high) for c in conditions("more_Y_than_B")] == [(yellow, blue, 1, 99)]


def test_comparisons() -> None:
    against = {card.slug: conditions(card.slug, captain=3)[0].against for card in load_task_cards() if card.group == "compare"}
    assert list(against.values()) == [EACH_OTHER, OTHERS_TOGETHER, EACH_OTHER, 3, 3, 3]
    assert all(c.against == NOBODY for card in load_task_cards() if card.group != "compare" for c in conditions(card.slug))


def test_collecting_a_colour_takes_any_one() -> None:
    for slug, any_of, low in (("all_of_one_color", True, 9), ("one_of_each_color", False, 1)):
        goal = CARDS_BY_SLUG[slug].form.resolve(4, 10, 0)
        assert goal.any_of is any_of
        assert [(c.cards, c.low) for c in goal.conditions] == [(mask, low) for mask in SUIT_MASKS[:TRUMP]]


def test_only_submarine() -> None:
    (one, all_four) = conditions("win_S2_only_sub")
    assert (suit_of(parse_card("S2")), one.cards, one.low) == (TRUMP, 1 << parse_card("S2"), 1)
    assert (all_four.cards, all_four.high) == (SUIT_MASKS[TRUMP], 1)


# Names and numbers.


def test_find_task_card() -> None:
    assert find_task_card("win_P3") is load_task_cards()[0]
    with pytest.raises(InputError, match="unknown task card 'win_P3_', did you mean 'win_P3'"):
        find_task_card("win_P3_")
    with pytest.raises(InputError, match="unknown task card 'WIN_P4', did you mean 'win_P3'"):
        find_task_card("WIN_P4")
    with pytest.raises(InputError, match="unknown task card '': deepcrew tasks lists them all"):
        find_task_card("")


def test_difficulty_for_refuses_what_the_game_does_not_have() -> None:
    with pytest.raises(InputError, match="unknown edition 'german', did you mean 'german-first'"):
        find_task_card("win_P3").difficulty_for(4, "german")
    with pytest.raises(InputError, match="no difficulty for 6 players: 2 to 5 can play"):
        find_task_card("win_P3").difficulty_for(6)


# The schema.

GOOD = """
game = "home"
[[task]]
slug = "win_P3"
group = "cards"
text = "Take the pink 3."
goal = { count = "cards", cards = "P3", at_least = 1 }
difficulty = [1, 2, 3]
difficulty_prints = { german-first = [3, 2, 1] }
redeal = ["S14", "S123"]
note = "A note."
"""


def test_a_card_of_ones_own() -> None:
    (card,) = read_task_cards(GOOD, "home.toml")
    assert (card.slug, card.text, card.note, card.not_for_captain) == ("win_P3", "Take the pink 3.", "A note.", False)
    assert [card.difficulty_for(players) for players in (2, 3, 4, 5)] == [1, 1, 2, 3]
    assert card.difficulty_for(3, "german-first") == 3
    assert card.redeal == (parse_hand("S14"), parse_hand("S123"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('game = "home"', 'game = "home', "is not TOML"),
        ('game = "home"', "tasks = 3", "unknown key 'tasks', did you mean 'task'?"),
        ('slug = "win_P3"', "", "task block 1: key 'slug' is missing"),
        ('slug = "win_P3"', "slug = 3", "task block 1: slug must be a string, not 3"),
        ('slug = "win_P3"', 'slug = "win P3"', "task win P3: slug must be letters, digits and underscores"),
        ('group = "cards"', 'group = "card"', "task win_P3: unknown group 'card', did you mean 'cards'?"),
        ('group = "cards"', 'groop = "cards"', "task win_P3: unknown key 'groop', did you mean 'group'?"),
        ('text = "Take the pink 3."', 'text = ""', "task win_P3: text must say the condition"),
        ('count = "cards", cards', 'count = "cads", cards', "task win_P3: goal, condition 1: count must be one of"),
        ('cards = "P3"', 'cards = "P0"', "task win_P3: goal, condition 1: cards: unknown card 'P0'"),
        (", at_least = 1", "", "task win_P3: goal, condition 1: a condition has at_least, at_most or both"),
        ('cards = "P3", ', "", "task win_P3: goal, condition 1: count 'cards' needs cards"),
        ("goal = {", "goal = [] # {", "task win_P3: goal: a goal needs at least one condition"),
        ("at_least = 1", 'holds = "P3", at_least = 1', "task win_P3: goal, condition 1: key 'holds' does not go with count 'cards'"),
        ("difficulty = [1, 2, 3]", "", "task win_P3: key 'difficulty' is missing"),
        ("difficulty = [1, 2, 3]", "difficulty = [1, 2]", "task win_P3: difficulty must be three numbers from 1"),
        ("difficulty = [1, 2, 3]", "difficulty = [0, 2, 3]", "task win_P3: difficulty must be three numbers from 1"),
        ("difficulty = [1, 2, 3]", 'difficulty = [1, 2, "3"]', "task win_P3: difficulty must hold a whole number in each place"),
        ("german-first", "dutch", "task win_P3: difficulty_prints: unknown key 'dutch': known are german-first"),
        ("[3, 2, 1]", "[3, 2]", "task win_P3: difficulty_prints: german-first must be three numbers"),
        ('"S123"', '"S5"', "task win_P3: redeal: unknown card 'S5'"),
        ('"S123"', '""', "task win_P3: redeal must name at least one card"),
    ],
)
def test_a_schema_fault_names_file_card_and_key(old: str, new: str, message: str) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(DataError) as caught:
        read_task_cards(GOOD.replace(old, new), "home.toml")
    assert str(caught.value).startswith("home.toml")
    assert message in str(caught.value)


def test_a_slug_is_taken_once() -> None:
    block = GOOD[GOOD.index("[[task]]") :]
    with pytest.raises(DataError, match=r"home.toml, task win_P3: slug 'win_P3' is taken by an earlier card"):
        read_task_cards(GOOD + block, "home.toml")
