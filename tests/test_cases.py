"""Cases: a position survives its JSON form, and every wrong input gives one clear sentence."""

from __future__ import annotations

import json
import random
from typing import Any

import naive
import pytest
from deepcrew.solver.cards import FULL_DECK
from deepcrew.solver.cases import case_from_position, parse_case, parse_plays, position_from_case, read_cases
from deepcrew.solver.errors import InputError
from deepcrew.solver.positions import Task
from deepcrew.solver.referee import Referee
from hypothesis import given, settings
from hypothesis import strategies as st

HANDS = ["P159 B28 G3 Y47 R14", "P28 B19 G147 Y258", "P36 B347 G29 Y19 R2", "P47 B56 G568 Y36 R3"]
CASE: dict[str, Any] = {
    "game": "planet-nine",
    "players": 4,
    "hands": HANDS,
    "tasks": [{"task": "B6", "owner": 1, "token": "1"}, {"task": "G3", "token": "2"}],
    "plays": ["P1 P8 P3 P4", "B1 B3"],
}
INF, NAN = float("inf"), float("nan")


def refused(case: Any, *words: str) -> None:
    """The case is refused, as a value and as text, with one sentence that contains these words."""
    with pytest.raises(InputError) as error:
        position_from_case(case)
    for word in words:
        assert word in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400
    with pytest.raises(InputError) as again:
        parse_case(json.dumps(case))
    assert str(again.value) == str(error.value)


# --- round trips --------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_position_survives_its_case(rng):
    position = naive.random_position(random.Random(rng.getrandbits(32)), tasks=range(11))
    case = case_from_position(position)
    assert position_from_case(case) == position
    assert parse_case(json.dumps(case, indent=2)) == position
    assert case_from_position(parse_case(json.dumps(case))) == case


def test_the_case_of_the_design_is_read():
    position = position_from_case(CASE)
    assert position.captain == 0
    assert position.tasks == (Task(14, 1, "1"), Task(20, None, "2"))
    assert position.plays == ((0, 7, 2, 3), (9, 11))
    assert (position.distribution, position.mission, position.game) == ("round-robin", None, "planet-nine")
    assert case_from_position(position) == CASE


def test_only_the_hands_are_required():
    position = position_from_case({"hands": HANDS})
    assert (position.players, position.tasks, position.plays) == (4, (), ())


def test_tasks_may_be_plain_cards_and_tokens_numbers():
    assert position_from_case({"hands": HANDS, "tasks": ["B6", {"task": "g3", "token": 1}]}).tasks == (Task(14), Task(20, None, "1"))


def test_other_keys_are_ignored_and_null_means_absent():
    case = {**CASE, "id": "x", "verdict": "winnable", "distribution": None, "mission": None}
    case["tasks"] = [{"task": "B6", "owner": None, "token": None}]
    assert position_from_case(case).tasks == (Task(14),)


def test_a_case_is_not_changed_by_reading_it():
    before = json.dumps(CASE)
    position_from_case(CASE)
    assert json.dumps(CASE) == before


def test_a_mission_brings_its_distribution():
    case = {"hands": HANDS, "mission": 20, "tasks": ["B6", "G3"]}
    position = position_from_case(case)
    assert (position.mission, position.distribution) == (20, "captain-decision")
    assert position_from_case(case_from_position(position)) == position
    assert position_from_case({**case, "distribution": "captain-decision"}) == position
    refused({**case, "distribution": "round-robin"}, "distribution 'round-robin'", "captain-decision")
    refused({**case, "tasks": ["B6", {"task": "G3", "owner": 0}]}, "do not fit", "captain-decision")


# --- Deep Sea -----------------------------------------------------------------------------------------------------


def test_a_deep_sea_case_is_read_and_written():
    case = deep_sea({"task": "win_all_9s", "owner": 2}, {"task": "no_P"}, distribution="free", plays=["P1 P8 P3 P4", "B1 B3"])
    position = position_from_case(case)
    assert position.tasks == (Task("win_all_9s", 2), Task("no_P"))
    assert (position.game, position.distribution, position.mission, position.edition) == ("deep-sea", "free", None, None)
    assert case_from_position(position) == case
    usual = position_from_case(deep_sea("win_all_9s"))
    assert usual.distribution == "round-robin-with-passing"
    assert "distribution" not in case_from_position(usual)


@settings(deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_deep_sea_position_survives_its_case(rng):
    position = naive.random_goal_position(
        random.Random(rng.getrandbits(32)), deck=FULL_DECK, players=(3, 4, 5), games=("deep-sea",), tasks=(1, 2, 3), crew=(0,), planted=0
    )
    case = case_from_position(position)
    assert position_from_case(case) == position
    assert parse_case(json.dumps(case)) == position


def test_a_mission_of_deep_sea_brings_its_distribution_and_its_goals():
    position = position_from_case(deep_sea("no_P", "win_P3", "win_Y1", mission=4))
    assert (position.mission, position.distribution, position.crew) == (4, "round-robin-with-passing", ())
    position = position_from_case(deep_sea("no_P", "no_Y", "no_G", mission=14))
    assert position.distribution == "one-volunteer"
    position = position_from_case(deep_sea(mission=8))
    assert [goal.who for goal in position.crew] == ["everyone"]
    assert len(position.duties) == 4
    assert position_from_case(case_from_position(position)) == position
    fixed = ["zero_tricks", "exactly_3_tricks_in_a_row", "two_in_a_row", "first_and_last_trick"]
    position = position_from_case(deep_sea(*reversed(fixed), mission=32))
    assert sorted(str(task.card) for task in position.tasks) == sorted(fixed)
    assert position_from_case(case_from_position(position)) == position


def test_either_difficulty_of_a_mission_with_two_will_do():
    ten = ["win_all_9s", "first_and_last_trick", "win_P3"]
    assert position_from_case(deep_sea(*ten, mission=26)).distribution == "two-volunteers"
    position = position_from_case(deep_sea(*ten, "no_P", mission=26))
    assert position_from_case(case_from_position(position)) == position
    refused(deep_sea(*ten, "win_Y1", mission=26), "deep-sea/26", "10", "12", "11")


def test_the_edition_decides_the_difficulty_of_a_card():
    tasks = ["win_P9_Y8", "win_P3"]  # 3 and 1 with four players, 2 and 1 in the first German print
    usual = position_from_case(deep_sea(*tasks, mission=4))
    assert usual.edition is None
    refused(deep_sea(*tasks, mission=4, edition="german-first"), "deep-sea/4")
    german = position_from_case(deep_sea(*tasks, mission=3, edition="german-first"))
    assert german.edition == "german-first"
    assert case_from_position(german)["edition"] == "german-first"
    assert position_from_case(case_from_position(german)) == german


# --- wrong cases --------------------------------------------------------------------------------------------------


def dealt(seat: int, hand: str) -> dict[str, Any]:
    """The case with another hand at this seat."""
    return {**CASE, "hands": [hand if index == seat else old for index, old in enumerate(HANDS)]}


def tasked(*tasks: Any) -> dict[str, Any]:
    return {**CASE, "tasks": list(tasks)}


def deep_sea(*tasks: Any, **rest: Any) -> dict[str, Any]:
    return {"game": "deep-sea", "players": 4, "hands": [hand.replace("R", "S") for hand in HANDS], "tasks": list(tasks), **rest}


WRONG = {
    "unknown card in a hand": (dealt(0, "P159 B28 G3 Y47 R15"), ["'R5'"]),
    "duplicate card in a hand": (dealt(0, "P1159 B28 G3 Y47 R14"), ["duplicate card P1"]),
    "duplicate card across hands": (dealt(0, "P259 B28 G3 Y47 R14"), ["duplicate card P2", "seat 1"]),
    "missing card": (dealt(0, "P59 B28 G3 Y47 R14"), ["missing card P1"]),
    "empty hand": (dealt(3, ""), ["missing cards P4 P7"]),
    "wrong hand sizes": ({**CASE, "hands": [HANDS[0] + " P8", HANDS[1].replace("P28", "P2"), *HANDS[2:]]}, ["11/9/10/10"]),
    "no hands": ({"tasks": []}, ['"hands"']),
    "empty list of hands": ({**CASE, "hands": [], "players": 0}, ["0 hands"]),
    "hands as text": ({**CASE, "hands": " ".join(HANDS)}, ["hands must be a list"]),
    "hands null": ({**CASE, "hands": None}, ["hands must be a list, not null"]),
    "a hand as a list": ({**CASE, "hands": [["P1"], *HANDS[1:]]}, ["a hand must be a string", '["P1"]']),
    "a hand as a number": ({**CASE, "hands": [1, *HANDS[1:]]}, ["a hand must be a string, not 1"]),
    "players against hands": ({**CASE, "players": 3}, ["players is 3", "4 hands"]),
    "players as text": ({**CASE, "players": "4"}, ["players", '"4"']),
    "players as a float": ({**CASE, "players": 4.0}, ["players", "4.0"]),
    "players true": ({**CASE, "players": True}, ["players", "true"]),
    "players huge": ({**CASE, "players": 10**60}, ["players", "100000"]),
    "unknown game": ({**CASE, "game": "chess"}, ["unknown game 'chess'"]),
    "slip in a key": ({**CASE, "taks": []}, ["unknown key 'taks'", "'tasks'"]),
    "game not built": ({**CASE, "game": "journey"}, ["game 'journey' is not built yet", "planet-nine", "deep-sea"]),
    "distribution of another game": ({**CASE, "distribution": "free"}, ["'free' of planet-nine", "round-robin"]),
    "edition of a game without": ({**CASE, "edition": "german-first"}, ["edition", "planet-nine"]),
    "colour card in Deep Sea": (deep_sea("B6"), ["unknown task card 'B6'"]),
    "slip in a slug": (deep_sea("win_all_9"), ["unknown task card 'win_all_9'", "did you mean 'win_all_9s'"]),
    "slug as a number": (deep_sea({"task": 16}), ["a task card must be a string, not 16"]),
    "slug in Planet Nine": (tasked("win_all_9s"), ["'win_all_9s'"]),
    "task card twice": (deep_sea("no_P", {"task": "no_P", "owner": 1}), ["duplicate task no_P"]),
    "token in Deep Sea": (deep_sea({"task": "no_P", "token": 1}), ["task no_P has token '1'", "no order tokens"]),
    "captain against the captain": (deep_sea({"task": "same_as_captain", "owner": 0}), ["same_as_captain", "captain, seat 0"]),
    "owner of a task card out of range": (deep_sea({"task": "no_P", "owner": 4}), ["owner 4 of task no_P"]),
    "distribution of Planet Nine": (deep_sea("no_P", distribution="round-robin"), ["'round-robin' of deep-sea", "free"]),
    "unknown edition": (deep_sea("no_P", edition="dutch"), ['unknown edition "dutch"', "german-first"]),
    "edition as a number": (deep_sea("no_P", edition=2), ["edition must be a string, not 2"]),
    "slip in edition": (deep_sea("no_P", editon="german-first"), ["unknown key 'editon'", "'edition'"]),
    "difficulties that miss the mission's": (deep_sea("win_P3", "no_P", mission=4), ["deep-sea/4", "difficulty 4", "3"]),
    "no tasks for a difficulty": (deep_sea(mission=4), ["deep-sea/4", "4", "0"]),
    "tasks that are not the fixed ones": (deep_sea("zero_tricks", mission=32), ["deep-sea/32", "two_in_a_row", "zero_tricks"]),
    "tasks for a mission without": (deep_sea("win_P3", mission=8), ["deep-sea/8", "no tasks"]),
    "mission 33 of Deep Sea": (deep_sea(mission=33), ["33"]),
    "owners that do not fit a mission": (
        deep_sea({"task": "win_P3", "owner": 1}, {"task": "win_Y1", "owner": 1}, mission=2),
        ["do not fit", "round-robin-with-passing"],
    ),
    "game as a number": ({**CASE, "game": 9}, ["game must be a string, not 9"]),
    "game null": ({**CASE, "game": None}, ["game", "null"]),
    "tasks as an object": ({**CASE, "tasks": {"task": "B6"}}, ["tasks must be a list"]),
    "tasks null": ({**CASE, "tasks": None}, ["tasks", "null"]),
    "a task as a number": (tasked(6), ["a task must be an object, not 6"]),
    "a task without card": (tasked({"owner": 1}), ["needs its card", '"owner": 1']),
    "unknown task card": (tasked({"task": "B10"}), ["'B10'"]),
    "empty task card": (tasked(""), ["unknown card ''"]),
    "a task card as a number": (tasked({"task": 6}), ["a task card", "6"]),
    "trump as a task": (tasked("R1"), ["task R1"]),
    "duplicate task": (tasked("B6", "B6"), ["duplicate task B6"]),
    "unknown key in a task": (tasked({"task": "B6", "seat": 1}), ["'seat'"]),
    "owner out of range": (tasked({"task": "B6", "owner": 4}), ["owner 4", "B6"]),
    "owner negative": (tasked({"task": "B6", "owner": -1}), ["owner -1"]),
    "owner as text": (tasked({"task": "B6", "owner": "1"}), ["owner", '"1"']),
    "owner as a float": (tasked({"task": "B6", "owner": 1.0}), ["owner", "1.0"]),
    "owner true": (tasked({"task": "B6", "owner": True}), ["owner", "true"]),
    "owner infinite": (tasked({"task": "B6", "owner": INF}), ["owner", "Infinity"]),
    "owner not a number": (tasked({"task": "B6", "owner": NAN}), ["owner", "NaN"]),
    "owner deep in lists": (tasked({"task": "B6", "owner": json.loads("[" * 100 + "]" * 100)}), ["owner", "[[["]),
    "owner very long": (tasked({"task": "B6", "owner": list(range(1000))}), ["owner", "[0, 1, 2"]),
    "owners that do not fit": (tasked({"task": "B6", "owner": 3}, "G3"), ["round-robin", "[1, 1, 0, 0]"]),
    "unknown token": (tasked({"task": "B6", "token": "6"}), ["'6'"]),
    "token zero": (tasked({"task": "B6", "token": 0}), ["'0'"]),
    "token empty": (tasked({"task": "B6", "token": ""}), ["unknown token ''"]),
    "token false": (tasked({"task": "B6", "token": False}), ["token", "false"]),
    "token as a float": (tasked({"task": "B6", "token": 1.0}), ["token", "1.0"]),
    "two tasks with a token": (tasked({"task": "B6", "token": "1"}, {"task": "G3", "token": 1}), ["two tasks", "1"]),
    "arrow without predecessor": (tasked({"task": "B6", "token": ">>"}), [">>", "predecessor"]),
    "token beyond the tasks": (tasked({"task": "B6", "token": "3"}, "G3"), ["token 3", "2"]),
    "unknown distribution": ({**CASE, "distribution": "lottery"}, ["'lottery'", "round-robin"]),
    "distribution empty": ({**CASE, "distribution": ""}, ["unknown distribution ''"]),
    "distribution as a list": ({**CASE, "distribution": ["round-robin"]}, ["distribution", "round-robin"]),
    "distribution as a number": ({**CASE, "distribution": 0}, ["distribution", "0"]),
    "plays as text": ({**CASE, "plays": "P1 P8"}, ["plays must be a list"]),
    "a trick as a list": ({**CASE, "plays": [["P1", "P8"]]}, ["a trick of plays", '"P1"']),
    "unknown card in plays": ({**CASE, "plays": ["P1 P8 X3"]}, ["'X3'"]),
    "cards of plays without a space": ({**CASE, "plays": ["P18"]}, ["'P18'"]),
    "mission true": ({**CASE, "mission": True}, ["mission", "True"]),
    "mission as a float": ({**CASE, "mission": 1.5}, ["mission", "1.5"]),
    "mission as a list": ({**CASE, "mission": [1]}, ["mission", "[1]"]),
    "mission that does not exist": ({**CASE, "mission": 51}, ["51"]),
    "mission zero": ({**CASE, "mission": 0}, ["0"]),
    "mission with other tasks": ({**CASE, "mission": 1}, ["2"]),
    "case as a list": ([], ["a case must be an object, not []"]),
    "case as a number": (4, ["a case must be an object, not 4"]),
    "case null": (None, ["not null"]),
    "case true": (True, ["not true"]),
    "case as text": ("P1", ['not "P1"']),
}


@pytest.mark.parametrize(("case", "words"), WRONG.values(), ids=WRONG)
def test_a_wrong_case_is_named(case, words):
    refused(case, *words)


@pytest.mark.parametrize("value", [{1, 2}, b"P1", object(), 1j])
def test_values_that_json_does_not_know_are_refused_too(value):
    with pytest.raises(InputError, match=f"players must be a whole number, not a {type(value).__name__}"):
        position_from_case({**CASE, "players": value})


@pytest.mark.parametrize(
    ("plays", "words"),
    [
        (["P1 P8 P3 P4", "B1 G2"], ["G2", "trick 2", "must follow"]),
        (["P2"], ["P2", "trick 1", "does not hold"]),
        (["P1 P8 P3", "B1"], ["trick 1 has 3 cards"]),
        (["P1 P8 P3 P4 P5"], ["trick 1 has 5 cards"]),
        ([""], ["trick 1 has 0 cards"]),
        (["P1 P8 P3 P4", "P8"], ["P8", "trick 2", "does not hold"]),
    ],
)
def test_an_illegal_card_in_plays_is_named(plays, words):
    with pytest.raises(InputError) as error:
        Referee(position_from_case({**CASE, "plays": plays}))
    assert all(word in str(error.value) for word in words)


def test_plays_longer_than_the_attempt_are_refused():
    rng = random.Random(5)
    position = naive.random_position(rng, players=(3,), tasks=(0,), midgame=0)
    line = [card for _, trick in naive.random_line(rng, position.hands) for card in trick]
    left = next(card for card in range(40) if card not in line)
    tricks = [*(tuple(line[start : start + 3]) for start in range(0, 39, 3)), (left,)]
    Referee(type(position)(position.hands, (), tuple(tricks[:13])))
    with pytest.raises(InputError, match="trick 14: the attempt has only 13 tricks"):
        Referee(type(position)(position.hands, (), tuple(tricks)))


def test_plays_are_read_in_play_order():
    assert parse_plays(["P1 P4 P9 P3", "B2  B8 "]) == ((0, 3, 8, 2), (10, 16))
    assert parse_plays([]) == ()


# --- JSON ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["line 1"]),
        ("{", ["line 1"]),
        ('{"hands": [,]}', ["line 1", "column 12"]),
        ('{\n "players": 4,\n "hands": nothing\n}', ["line 3", "column 11"]),
        ("{'hands': []}", ["line 1"]),
        ('{"hands": []} {"hands": []}', ["line 1", "column 15"]),
        ("\ufeff{}", ["line 1"]),
        ("[" * 100_000, ["nested too deeply"]),
        ('{"players": ' + "9" * 5000 + "}", ["malformed JSON", "line 1"]),
    ],
)
def test_malformed_json_is_refused_with_its_line(text, words):
    with pytest.raises(InputError) as error:
        parse_case(text)
    assert "malformed JSON" in str(error.value)
    assert all(word in str(error.value) for word in words)


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(InputError, match="malformed JSON"):
        parse_case(b'{"game": "\xff"}')


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
json_values = st.recursive(scalars, lambda values: st.lists(values) | st.dictionaries(st.text(), values), max_leaves=10)


@settings(deadline=None)
@given(json_values)
def test_any_json_value_in_any_place_is_a_case_or_an_input_error(value):
    for key in ("game", "players", "hands", "tasks", "mission", "plays", "distribution", "edition"):
        for case in (CASE, deep_sea("no_P")):
            for wrong in (value, [value]):
                try:
                    position_from_case({**case, key: wrong})
                except InputError:
                    continue
    for key in ("task", "owner", "token"):
        for case, card in ((CASE, "B6"), (deep_sea(), "no_P")):
            try:
                position_from_case({**case, "tasks": [{"task": card, key: value}]})
            except InputError:
                continue


def test_reading_one_document():
    assert list(read_cases(json.dumps(CASE, indent=1))) == [(1, CASE)]
    assert [case for _, case in read_cases(json.dumps([CASE, CASE], indent=1))] == [CASE, CASE]
    assert list(read_cases("[]")) == []
    assert list(read_cases("")) == list(read_cases("\n \n")) == []


def test_reading_lines_goes_on_after_a_bad_one():
    deep, huge = "[" * 100_000, "9" * 5000
    lines = [json.dumps(CASE), "", "{bad", json.dumps(CASE) + "\r", deep, huge, "7", json.dumps({"hands": []})]
    read = list(read_cases("\n".join(lines) + "\n"))
    assert [number for number, _ in read] == [1, 3, 4, 5, 6, 7, 8]
    assert [case for _, case in read if not isinstance(case, InputError)] == [CASE, CASE, 7, {"hands": []}]
    faults = {number: str(case) for number, case in read if isinstance(case, InputError)}
    assert list(faults) == [3, 5, 6]
    assert all(f"line {number}" in fault for number, fault in faults.items())
    assert "column 2" in faults[3]


def test_line_separators_inside_a_string_do_not_split_a_case():
    line = json.dumps({**CASE, "id": "a\u2028b\u0085c"}, ensure_ascii=False)
    assert [number for number, _ in read_cases(f"{line}\n{line}\n")] == [1, 2]
