"""Cases: a position survives its JSON form, and every wrong input gives one clear sentence."""

from __future__ import annotations

import json
import random
from typing import Any

import naive
import pytest
from deepcrew.solver.cards import FULL_DECK, mask_of, parse_hand
from deepcrew.solver.cases import case_from_position, parse_case, parse_plays, position_from_case, read_cases
from deepcrew.solver.deals import deal
from deepcrew.solver.drafts import DRAFTS
from deepcrew.solver.errors import InputError
from deepcrew.solver.loads import Load
from deepcrew.solver.missions import GAMES, load_missions
from deepcrew.solver.positions import CHALLENGE_DECK, EITHER, LEFT, RIGHT, Exchange, Position, Task
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


def deep_sea(*tasks: Any, **rest: Any) -> dict[str, Any]:
    return {"game": "deep-sea", "players": 4, "hands": [hand.replace("R", "S") for hand in HANDS], "tasks": list(tasks), **rest}


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


# --- two players, the challenge, cards that change hands, roles, readings ----------------------------------------------

COLUMNS = ["P59 B124 G23 Y26 R1234", "P346 B6789 G5678 Y49", "B5/B3 Y8/P8 Y3/G4 Y7/G9 Y5/P2 P1/P7 G1/Y1"]
TWO: dict[str, Any] = {"game": "planet-nine", "players": 2, "hands": COLUMNS, "tasks": [{"task": "Y2"}, {"task": "B5", "owner": 0}]}
THREE_COLOURS = ["P158 B345 Y34 R34", "P467 B189 Y1278", "P239 B267 Y569 R2"]
CHALLENGE: dict[str, Any] = {"game": "planet-nine", "players": 3, "hands": THREE_COLOURS, "tasks": [{"task": "P7"}], "challenge": True}
TWELVE: dict[str, Any] = {
    "game": "planet-nine",
    "players": 4,
    "hands": HANDS,
    "tasks": [{"task": "P1", "token": "omega"}, {"task": "B6"}, {"task": "G3"}, {"task": "Y9"}],
    "mission": 12,
}


def columned(*hands: str, **rest: Any) -> dict[str, Any]:
    return {**TWO, "hands": list(hands), **rest}


def survives(case: dict[str, Any]) -> Position:
    """The position of a case that comes back as it was written."""
    position = position_from_case(case)
    written = case_from_position(position)
    assert written == case
    assert parse_case(json.dumps(written)) == position
    return position


def test_two_players_have_a_third_hand_in_columns():
    position = survives(TWO)
    assert position.players == 3
    assert position.columns[0] == (13, 11)
    assert len(position.columns) == 7
    assert position.hands[2] == mask_of(card for column in position.columns for card in column)
    assert position.captain == 0
    assert survives(columned(COLUMNS[2], COLUMNS[0], COLUMNS[1], tasks=[])).captain == 1
    for unsaid in ("players", "game"):
        assert position_from_case({key: value for key, value in TWO.items() if key != unsaid}) == position
    spaced = COLUMNS[2].replace(" ", ",  ").lower()
    assert position_from_case(columned(COLUMNS[0], COLUMNS[1], spaced)) == position


def test_columns_of_deep_sea():
    case = {
        "game": "deep-sea",
        "players": 2,
        "hands": [hand.replace("R", "S") for hand in COLUMNS],
        "tasks": [{"task": "no_P"}, {"task": "zero_tricks", "owner": 2}],
    }
    assert survives(case).columns == position_from_case(TWO).columns


def test_the_challenge_deck_is_known_by_its_cards():
    position = survives(CHALLENGE)
    assert position.deck == CHALLENGE_DECK
    assert position.tricks == 10
    assert position_from_case({key: value for key, value in CHALLENGE.items() if key != "challenge"}) == position
    two = {**CHALLENGE, "players": 2, "hands": ["P158 B34 Y34 R234", "P2467 B18 Y1278", "B9/P3 P9/B2 B6/B7 Y5/Y6 Y9/B5"]}
    assert survives(two).deck == CHALLENGE_DECK


def test_a_distress_signal_and_the_cards_passed():
    for side, to in (("left", LEFT), ("right", RIGHT), ("any", EITHER)):
        assert survives(signalled(side)).exchanges == (Exchange(0, to),)
    position = survives(signalled("left", passes="P1 P8 B3 G5"))
    assert position.exchanges == (Exchange(0, LEFT, (0, 7, 11, 22)),)
    for other in ("P1,P8,B3,G5", ["P1", "P8", "B3", "G5"], "p1 p8  b3 g5"):
        assert position_from_case(signalled("left", passes=other)) == position
    assert Referee(position).hands[1] == parse_hand("P1 P2 B19 G147 Y258")
    survives(signalled("right", passes="P1 P8 B3 G5", plays=["P5"]))


def signalled(side: Any, **rest: Any) -> dict[str, Any]:
    return {**{key: value for key, value in CASE.items() if key != "plays"}, "distress": side, **rest}


def test_cards_taken_during_play():
    assert position_from_case(TWELVE).exchanges == (Exchange(1, LEFT),)
    assert case_from_position(position_from_case(TWELVE)) == TWELVE
    position = survives({**TWELVE, "takes": "P1 P8 B3 G5 R1"})
    assert position.exchanges == (Exchange(1, LEFT, (0, 7, 11, 22, 36)),)
    assert position_from_case({**TWELVE, "takes": "P1 P8 B3 G5 R1"}, takes="best").exchanges == (Exchange(1, LEFT),)
    both = survives({**TWELVE, "distress": "any", "takes": "P1 P8 B3 G5"})
    assert both.exchanges == (Exchange(0, EITHER), Exchange(1, LEFT, (0, 7, 11, 22)))


def test_roles_that_are_known():
    case = {"game": "planet-nine", "players": 4, "hands": HANDS, "tasks": [], "mission": 5, "roles": {"ill member": 2}}
    assert survives(case).roles == (("ill member", 2),)
    fifty = {**case, "mission": 50, "roles": {"closer": 0, "opener": 3}}
    assert dict(survives(fifty).roles) == {"closer": 0, "opener": 3}
    eligible = {**case, "readings": ["captain-eligible"], "roles": {"ill member": 0}}
    assert survives(eligible).readings == ("captain-eligible",)


def test_readings_of_a_mission():
    seventeen = {"game": "planet-nine", "players": 4, "hands": HANDS, "tasks": [{"task": "B6"}, {"task": "G3"}], "mission": 17}
    assert position_from_case(seventeen).ends_with_tasks
    other = survives({**seventeen, "readings": ["full-hand"]})
    assert (other.ends_with_tasks, other.readings) == (False, ("full-hand",))
    assert position_from_case(seventeen, readings=["full-hand"]) == other
    assert position_from_case(other_case := {**seventeen, "readings": ["full-hand"]}, readings=["full-hand"]) == other
    assert other_case["readings"] == ["full-hand"]
    twelve = position_from_case(deep_sea(mission=12, readings=["forced-lead-allowed"]))
    assert twelve.crew != position_from_case(deep_sea(mission=12)).crew
    tasks = [{"task": slug} for slug in ("win_P3", "win_all_9s", "no_P", "win_Y1")]
    nineteen = deep_sea(*tasks, mission=19, readings=["leftmost"])
    assert survives(nineteen).distribution == "captain-hardest-leftmost"


def test_the_five_player_rule_comes_with_a_mission_and_can_be_left_out():
    hands = ["P1346 B9 Y3 R13", "P27 B78 G479 Y5", "P59 B5 G5 Y679 R2", "B46 G28 Y1248", "P8 B123 G136 R4"]
    tasks = [{"task": card, "token": token} for card, token in (("Y2", ">"), ("Y4", ">>"))]
    case = {"game": "planet-nine", "players": 5, "hands": hands, "tasks": [*tasks, *({"task": card} for card in ("B5", "G4", "P7", "P6"))]}
    assert survives({**case, "mission": 25}).five_player_rule
    assert not position_from_case({**case, "mission": 25}, five_player_rule=False).five_player_rule
    assert not position_from_case(case).five_player_rule


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_deals_of_every_mission_survive_their_case(players):
    for game in GAMES:
        for mission in load_missions(game):
            for draft in DRAFTS:
                position = deal(31, mission.number, players, load=Load.of(mission), draft=draft)
                assert position_from_case(case_from_position(position), readings=position.readings) == position, mission.name
            for reading in (other.name for question in mission.open_questions for other in question.alternatives):
                load = Load.of(mission.read_as(reading))
                position = deal(31, mission.number, players, load=load)
                assert parse_case(json.dumps(case_from_position(position))) == position, (mission.name, reading)


NOT_ILL = {"game": "planet-nine", "players": 4, "hands": HANDS, "tasks": [], "mission": 5}
WRONG_TABLES = {
    "a hand too long in columns": (
        columned(COLUMNS[0], COLUMNS[1].replace("P346", "P46"), COLUMNS[2] + " P3"),
        ["a column of the third hand has one card", "P1/B2"],
    ),
    "a single card": (
        columned(COLUMNS[0] + " Y1", COLUMNS[1], COLUMNS[2].replace("G1/Y1", "G1")),
        ["a column of the third hand has one card"],
    ),
    "too many columns": (columned(COLUMNS[0].replace("B124", "B4"), COLUMNS[1], COLUMNS[2] + " B1/B2"), ["wrong hand sizes 11/13/16"]),
    "the longer hand is not in columns": (
        columned(COLUMNS[0] + " G1 Y1", COLUMNS[1], COLUMNS[2].removesuffix(" G1/Y1")),
        ["wrong hand sizes"],
    ),
    "three cards in a column": (
        columned(COLUMNS[0], COLUMNS[1], COLUMNS[2].replace("Y3/G4 Y7/G9", "Y3/G4/Y7 G9")),
        ["unknown card 'G4/Y7'"],
    ),
    "an open card missing": (columned(COLUMNS[0], COLUMNS[1], COLUMNS[2].replace("B5/B3", "/B3")), ["malformed column '/B3'"]),
    "a hidden card missing": (columned(COLUMNS[0], COLUMNS[1], COLUMNS[2].replace("B5/B3", "B5/")), ["malformed column 'B5/'"]),
    "trump 4 in the columns": (
        columned(COLUMNS[0].replace("R1234", "R123 B5"), COLUMNS[1], COLUMNS[2].replace("B5/B3", "R4/B3")),
        ["R4 cannot lie in the third hand", "captain"],
    ),
    "trump 4 under a card": (
        columned(COLUMNS[0].replace("R1234", "R123 B3"), COLUMNS[1], COLUMNS[2].replace("B5/B3", "B5/R4")),
        ["R4 cannot lie in the third hand"],
    ),
    "a card twice in the columns": (columned(COLUMNS[0], COLUMNS[1], COLUMNS[2].replace("B5/B3", "B5/B5")), ["duplicate card B5"]),
    "a card in the columns and in a hand": (columned(COLUMNS[0], COLUMNS[1], COLUMNS[2].replace("B5/B3", "P5/B3")), ["duplicate card P5"]),
    "two hands in columns": (columned(COLUMNS[0], COLUMNS[2], COLUMNS[2]), ["two hands are written in columns"]),
    "two players without columns": (
        columned(*COLUMNS[:2], COLUMNS[2].replace("/", " ")),
        ["two players have a third hand in columns", "P1/B2"],
    ),
    "two players with two hands": ({**TWO, "hands": COLUMNS[:2]}, ["number of hands is 2", "two players write a third hand in columns"]),
    "three players with columns": ({**TWO, "players": 3}, ["players is 3, but 3 hands are given, one of them in columns"]),
    "four hands, one in columns": (
        {**CASE, "hands": [*HANDS[:3], "P4/P7 B5/B6 G5/G6 G8/Y3 Y6/R3"], "players": 3},
        ["the number of hands is 4, one of them in columns"],
    ),
    "challenge with four hands": ({**CASE, "challenge": True}, ["the challenge deck is for three hands, but 4 are given"]),
    "challenge in Deep Sea": (deep_sea("no_P", challenge=True), ["challenge deck belongs to planet-nine"]),
    "challenge as text": ({**CASE, "challenge": "yes"}, ['challenge must be true or false, not "yes"']),
    "challenge with the whole deck": ({**TWO, "challenge": True}, ["card G1 is not in this deck"]),
    "no challenge with its deck": ({**CHALLENGE, "challenge": False}, ["missing cards G1 "]),
    "a green task in the challenge": ({**CHALLENGE, "tasks": ["G1"]}, ["task G1 names a card that is not in this deck"]),
    "distress with a trump": (signalled("left", passes="R1 P8 B3 G5"), ["R1 cannot be passed with the distress signal", "colour cards"]),
    "a card passed by another seat": (signalled("left", passes="P8 P1 B3 G5"), ["seat 0 passes P8, which it does not hold"]),
    "too few cards passed": (signalled("left", passes="P1 P8 B3"), ["3 cards are passed: every one of 4 seats passes one"]),
    "too many cards passed": (signalled("left", passes="P1 P8 B3 G5 P5"), ["5 cards are passed"]),
    "nothing passed": (signalled("left", passes=""), ["0 cards are passed"]),
    "a card passed twice": (signalled("left", passes="P1 P1 B3 G5"), ["duplicate card P1 in passes"]),
    "unknown card passed": (signalled("left", passes="P1 P8 B3 X5"), ["unknown card 'X5'"]),
    "passes as a number": (signalled("left", passes=7), ["passes must be a list, not 7"]),
    "passes without a signal": ({**CASE, "passes": "P1 P8 B3 G5"}, ["passes need a distress signal"]),
    "unknown direction": (signalled("up"), ['unknown distress "up"', "left, right or any"]),
    "distress as a number": (signalled(1), ["unknown distress 1"]),
    "distress as a list": (signalled(["left"]), ['unknown distress ["left"]']),
    "distress true": (signalled(True), ["unknown distress true"]),
    "any direction once cards are played": (signalled("any", plays=["P1"]), ["direction of a distress signal must be given"]),
    "unsaid passes once cards are played": (signalled("left", plays=["P1 P8 P3 P4", "B1"]), ["say which cards were passed"]),
    "a hidden card passed": (
        {**TWO, "distress": "left", "passes": "P5 P3 B3"},
        ["none of the cards passed is a card that seat 2 can pass"],
    ),
    "a hand without colours": (
        {
            "hands": ["R1234 P1234", "P56789 B123", "B456789 G12", "G3456789 Y1", "Y23456789"],
            "tasks": [],
            "distress": "left",
            "passes": "P1 P5 B4 G3 R1",
        },
        ["seat 4 passes R1, which it does not hold"],
    ),
    "takes without an event": (
        {**CASE, "takes": "P1"},
        ["takes belong to a mission in which cards are taken during play", "planet-nine/12"],
    ),
    "takes of a mission without an event": (
        {**TWELVE, "mission": 7, "tasks": TWELVE["tasks"][:3], "takes": "P1"},
        ["takes belong to a mission"],
    ),
    "a card taken twice": ({**TWELVE, "takes": "P1 P1"}, ["duplicate card P1 in takes"]),
    "the captain as ill member": ({**NOT_ILL, "roles": {"ill member": 0}}, ["the captain, seat 0, cannot be the ill member"]),
    "unknown role": ({**NOT_ILL, "roles": {"healthy member": 1}}, ["no role 'healthy member'", "did you mean 'ill member'"]),
    "a role without a mission": ({**CASE, "roles": {"ill member": 1}}, ["no role 'ill member'"]),
    "a role that is dealt": ({**NOT_ILL, "mission": 46, "roles": {"collector": 1}}, ["no role 'collector'"]),
    "seat of a role out of range": ({**NOT_ILL, "roles": {"ill member": 4}}, ["seat 4 of the ill member is out of range", "0 to 3"]),
    "seat of a role negative": ({**NOT_ILL, "roles": {"ill member": -1}}, ["seat -1 of the ill member is out of range"]),
    "seat of a role as text": ({**NOT_ILL, "roles": {"ill member": "2"}}, ['the seat of the ill member must be a whole number, not "2"']),
    "roles as a list": ({**NOT_ILL, "roles": ["ill member"]}, ["roles must be an object"]),
    "two roles at one seat": ({**NOT_ILL, "mission": 50, "roles": {"opener": 1, "closer": 1}}, ["two roles are given to one seat"]),
    "unknown reading": (
        {**NOT_ILL, "readings": ["captain-eligable"]},
        ["unknown reading 'captain-eligable'", "did you mean 'captain-eligible'"],
    ),
    "reading of another mission": ({**NOT_ILL, "readings": ["full-hand"]}, ["unknown reading 'full-hand'"]),
    "readings as text": ({**NOT_ILL, "readings": "captain-eligible"}, ["readings must be a list"]),
    "a reading as a number": ({**NOT_ILL, "readings": [1]}, ["a reading must be a string, not 1"]),
    "slip in takes": ({**TWELVE, "take": "P1"}, ["unknown key 'take'", "'takes'"]),
    "slip in distress": ({**CASE, "distres": "left"}, ["unknown key 'distres'", "'distress'"]),
    "slip in readings": ({**CASE, "reading": []}, ["unknown key 'reading'", "'readings'"]),
}


@pytest.mark.parametrize(("case", "words"), WRONG_TABLES.values(), ids=WRONG_TABLES)
def test_a_wrong_table_is_named(case, words):
    refused(case, *words)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ({**TWO, "plays": ["R4 Y9 Y1"]}, ["illegal play Y1 in trick 1", "still lies hidden under another card of seat 2"]),
        ({**TWO, "plays": ["Y2 Y9 B5"]}, ["illegal play B5 in trick 1: seat 2 must follow suit, Y2 was led"]),
        ({**TWELVE, "plays": ["P1 P8 P3 P4", "B1"]}, ["cards are passed after 1 tricks, and more are played"]),
        ({**TWELVE, "takes": "P5 B1 B3 B5", "plays": ["P1 P8 P3 P4", "B1 B3"]}, ["illegal play"]),
        (signalled("left", passes="P1 P8 B3 G5", plays=["P1"]), ["illegal play P1 in trick 1", "seat 0, which does not hold it"]),
    ],
)
def test_an_illegal_card_at_such_a_table_is_named(case, words):
    with pytest.raises(InputError) as error:
        Referee(position_from_case(case))
    assert all(word in str(error.value) for word in words), str(error.value)


# --- wrong cases --------------------------------------------------------------------------------------------------


def dealt(seat: int, hand: str) -> dict[str, Any]:
    """The case with another hand at this seat."""
    return {**CASE, "hands": [hand if index == seat else old for index, old in enumerate(HANDS)]}


def tasked(*tasks: Any) -> dict[str, Any]:
    return {**CASE, "tasks": list(tasks)}


WRONG = {
    "unknown card in a hand": (dealt(0, "P159 B28 G3 Y47 R15"), ["'R5'"]),
    "duplicate card in a hand": (dealt(0, "P1159 B28 G3 Y47 R14"), ["duplicate card P1"]),
    "duplicate card across hands": (dealt(0, "P259 B28 G3 Y47 R14"), ["duplicate card P2", "seat 1"]),
    "missing card": (dealt(0, "P59 B28 G3 Y47 R14"), ["missing card P1"]),
    "empty hand": (dealt(3, ""), ["missing cards P4 P7"]),
    "wrong hand sizes": ({**CASE, "hands": [HANDS[0] + " P8", HANDS[1].replace("P28", "P2"), *HANDS[2:]]}, ["11/9/10/10"]),
    "no hands": ({"tasks": []}, ['"hands"']),
    "empty list of hands": ({**CASE, "hands": [], "players": 0}, ["the number of hands is 0"]),
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
    keys = ("game", "players", "hands", "tasks", "mission", "plays", "distribution", "edition")
    for key in (*keys, "challenge", "roles", "takes", "distress", "passes", "readings"):
        for case in (CASE, deep_sea("no_P"), TWO, {**TWELVE, "distress": "left"}):
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
