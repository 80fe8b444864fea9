"""Which task cards exclude each other: by hand, by proof anew, and against what really happens in play."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest
from deepcrew.solver.cards import cards_of
from deepcrew.solver.errors import DataError, InputError
from deepcrew.solver.exclusions import (
    Pair,
    example,
    excludes,
    fulfilled,
    load_exclusions,
    random_play,
    read_exclusions,
    write_exclusions,
)
from deepcrew.solver.goals import CARDS, NOBODY, OPENINGS, TRICKS
from deepcrew.solver.positions import Position, Task
from deepcrew.solver.referee import Referee, fulfilling, play_out
from deepcrew.solver.taskcards import find_task_card, load_task_cards
from numba import njit

PLAYERS = (3, 4, 5)
CARDS_OF_THE_GAME = load_task_cards()
PAIRS = list(combinations([card.slug for card in CARDS_OF_THE_GAME], 2))

# Pairs that exclude each other with every number of players, by whether they do at two owners and at one.
BY_HAND = {
    (True, False): [
        ("first_trick", "first_two_tricks"),
        ("first_trick", "only_first_trick"),
        ("last_trick", "win_G2_last_trick"),
        ("win_P3", "win_all_3s"),
        ("win_all_9s", "atleast_three_9s"),
        ("win_all_9s", "win_G9_with_S"),
        ("more_than_each_other", "more_than_all_others_together"),
        ("exactly_three_6s", "win_6_with_6"),
    ],
    (True, True): [
        ("win_all_9s", "exactly_two_9s"),
        ("exactly_two_S", "exactly_three_S"),
        ("first_and_last_trick", "only_last_trick"),
    ],
    (False, True): [
        ("zero_tricks", "first_trick"),
        ("zero_tricks", "one_of_each_color"),
        ("win_P3", "no_P"),
        ("win_B1_B2_B3", "no_1s_2s_3s"),
        ("exactly_1_trick", "exactly_2_tricks"),
        ("never_two_in_a_row", "two_in_a_row"),
        ("more_than_captain", "same_as_captain"),
        ("only_first_trick", "only_last_trick"),
        ("first_trick", "none_of_first_three"),
    ],
    (False, False): [
        ("predict_open", "predict_secret"),
        ("win_P3", "win_Y1"),
        ("no_P", "no_Y"),
        ("trick_all_even", "trick_all_odd"),
        ("atleast_seven_Y", "win_Y1"),
    ],
}
LISTS = [(players, same_owner) for players in PLAYERS for same_owner in (False, True)]


@pytest.mark.parametrize(("players", "same_owner"), LISTS)
def test_pairs_by_hand(players: int, same_owner: bool) -> None:
    for (at_two, at_one), pairs in BY_HAND.items():
        for one, other in pairs:
            expected = at_one if same_owner else at_two
            assert ({one, other} in load_exclusions(players, same_owner)) == expected, (one, other)
            assert excludes(other, one, players, same_owner) == expected, (one, other)


def test_what_depends_on_the_number_of_players() -> None:
    # five of eight tricks and four others are too many, of ten they are not
    assert [excludes("exactly_4_tricks", "more_than_each_other", players, False) for players in PLAYERS] == [False, False, True]
    # nine cards fill more than one trick of five, two of four, three of three
    assert [excludes("exactly_2_tricks", "all_of_one_color", players, True) for players in PLAYERS] == [True, True, False]
    # the holder of submarine 4 wins it, unless it is the card left over
    assert [excludes("zero_tricks", "same_as_captain", players, True) for players in PLAYERS] == [False, True, True]


def test_two_play_as_three() -> None:
    assert load_exclusions(2, True) is load_exclusions(3, True)
    assert excludes("win_P3", "no_P", 2, True)


def test_errors() -> None:
    with pytest.raises(InputError, match="the number of players must be 2, 3, 4 or 5, not 6"):
        load_exclusions(6, True)
    with pytest.raises(InputError, match="unknown task card 'win_P4', did you mean"):
        excludes("win_P4", "win_P3", 3, True)


def test_the_formula_knows_all_that_the_cards_ask_for() -> None:
    # what it leaves out would only miss exclusions; then the data file could not say that it is exact
    for card in CARDS_OF_THE_GAME:
        for condition in card.form.resolve(4, 10, 0).conditions:
            assert not condition.always
            assert condition.closed_with == (1 << 40) - 1
            assert condition.against == NOBODY or condition.count == TRICKS
            assert condition.count != OPENINGS or condition.high == 0
            assert condition.count == CARDS or not condition.minus


@pytest.mark.parametrize(("players", "same_owner"), LISTS)
def test_a_slice_of_the_file_anew(players: int, same_owner: bool) -> None:
    listed = load_exclusions(players, same_owner)
    random = Random(10 * players + same_owner)
    for one, other in random.sample([pair for pair in PAIRS if Pair(pair) in listed], 6):
        assert excludes(one, other, players, same_owner)
    for one, other in random.sample([pair for pair in PAIRS if Pair(pair) not in listed], 6):
        check_example(one, other, players, same_owner)


def check_example(one: str, other: str, players: int, same_owner: bool) -> None:
    """The example of a pair is a deal with a legal play, which the referee finds won."""
    shown = example(one, other, players, same_owner)
    assert shown is not None
    assert (shown.owners[0] == shown.owners[1]) == same_owner
    tasks = tuple(Task(slug, owner) for slug, owner in zip((one, other), shown.owners, strict=True))
    tricks = tuple(shown.line[at : at + players] for at in range(0, len(shown.line), players))
    assert Referee(Position(shown.hands, tasks, tricks, "free", game="deep-sea")).won, (one, other, shown)


judge, play = njit(fulfilling), njit(play_out)


def goals(players: int) -> dict[str, tuple[np.ndarray, bool, int]]:
    """For each task card what the judge asks for, and the seats that may own it, the captain being seat 0."""
    found: dict[str, tuple[np.ndarray, bool, int]] = {}
    for card in CARDS_OF_THE_GAME:
        goal = card.form.resolve(players, 40 // players, 0)
        found[card.slug] = np.array(goal.conditions, np.int64), goal.any_of, (1 << players) - (2 if card.not_for_captain else 1)
    return found


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("lines", [700, pytest.param(10_000, marks=pytest.mark.long)])
def test_no_play_fulfils_what_is_excluded(players: int, lines: int) -> None:
    asked, tricks = goals(players), 40 // players
    at_two, at_one = ([tuple(pair) for pair in load_exclusions(players, same_owner)] for same_owner in (False, True))
    random = Random(players)
    nobody = np.zeros((0, 2), np.int64)
    for _ in range(lines):
        hands, cards = random_play(random, players)
        line, *marks = np.array(cards), *(np.zeros(tricks, np.int64) for _ in range(3))
        assert play(np.array(hands), nobody, 0, 0, line[:0], 0, line, *marks)
        leaders, winners, led_from = marks
        seats = {slug: set(cards_of(judge(*what, leaders, winners, led_from, line, players, tricks))) for slug, what in asked.items()}
        for one, other in at_two:
            assert len(seats[one] | seats[other]) < 2 or not seats[one] or not seats[other], (one, other, cards)
        for one, other in at_one:
            assert not seats[one] & seats[other], (one, other, cards)


def test_fulfilled() -> None:
    hands, line = random_play(Random(1), 4)
    assert hands[0] >> 39 & 1
    seats = fulfilled(CARDS_OF_THE_GAME, 4, line)
    tricks = tuple(line[at : at + 4] for at in range(0, 40, 4))
    for slug, seat in [("first_trick", seat) for seat in range(4)] + [("more_than_captain", seat) for seat in range(1, 4)]:
        assert Referee(Position(hands, (Task(slug, seat),), tricks, "free", game="deep-sea")).won == (seat in seats[slug])
    assert 0 not in seats["same_as_captain"]
    assert find_task_card("same_as_captain").not_for_captain


BLOCK = """[[exclusions]]
players = {}
different_owners = []
one_owner = [["win_P3", "no_P"], ["no_P", "win_B4"]]
"""
VALID = "".join(BLOCK.format(players) for players in PLAYERS)


def test_schema() -> None:
    assert read_exclusions(VALID, "x.toml")[4, True] == {Pair(("no_P", "win_P3")), Pair(("no_P", "win_B4"))}
    assert read_exclusions(VALID, "x.toml")[3, False] == frozenset()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("players = 3", "players = 3 3", "x.toml is not TOML"),
        ("players = 3", "players = 6", "x.toml: there must be a block for each of 3, 4 and 5 players"),
        ("players = 3", "players = 4", "x.toml, 4 players: .* names something twice"),
        ("players = 3", "", r"x.toml, \? players: key 'players' is missing"),
        ("different_owners", "diferent_owners", "unknown key 'diferent_owners', did you mean 'different_owners'"),
        ('"win_B4"', '"win_B9"', "3 players: one_owner must hold pairs of two different task cards"),
        ('"win_B4"', '"no_P"', "3 players: one_owner must hold pairs of two different task cards"),
        ('"win_B4"', '"no_P", "win_B4"', "3 players: one_owner must hold pairs of two different task cards"),
        ('"win_B4"', '"win_P3"', "3 players: one_owner names something twice"),
        ('["no_P", "win_B4"]', '"no_P"', "3 players: one_owner must hold a list in each place"),
    ],
)
def test_schema_errors(old: str, new: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_exclusions(VALID.replace(old, new, 1), "x.toml")


@pytest.mark.long
def test_the_file_is_what_the_command_writes() -> None:
    written = read_exclusions("\n".join(write_exclusions()), "written")
    assert written == {(players, same_owner): load_exclusions(players, same_owner) for players, same_owner in LISTS}
