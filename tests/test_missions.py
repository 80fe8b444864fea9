"""Missions: those of Planet Nine and Deep Sea as counted facts, the schema of mission files, readings, names and words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from deepcrew.solver import drafts
from deepcrew.solver.cards import FULL_DECK, SUIT_MASKS, mask_of, parse_card, parse_hand
from deepcrew.solver.errors import DataError, InputError
from deepcrew.solver.goals import CARDS, EACH_OTHER, OPENINGS, TRICKS, UNBOUNDED, Condition, Role, parse_card_set
from deepcrew.solver.missions import (
    Event,
    Mission,
    describe,
    find_missions,
    load_decks,
    load_missions,
    load_open_questions,
    mission_for_case,
    read_missions,
)
from deepcrew.solver.positions import Task
from deepcrew.solver.schema import ManyFaults
from deepcrew.solver.taskcards import find_task_card

MISSIONS = {mission.number: mission for mission in load_missions()}
DEEP_SEA = {mission.number: mission for mission in load_missions("deep-sea")}
SPECIAL = [5, 9, 11, 12, 13, 16, 17, 23, 26, 29, 33, 34, 40, 41, 44, 46, 48, 50]
FIVE_PLAYER = [25, 27, 28, 30, 31, 32, 35, 36, 37, 38, 39, 40, 42, 43, 45, 47, 48, 49]
TASKS = [
    *(1, 2, 2, 3, 0, 3, 3, 3, 0, 4),
    *(4, 4, 0, 4, 4, 0, 2, 5, 5, 2),
    *(5, 5, 5, 6, 6, 0, 3, 6, 0, 6),
    *(6, 7, 0, 0, 7, 7, 4, 8, 8, 8),
    *(0, 9, 9, 0, 9, 0, 10, 3, 10, 0),
]  # fmt: skip
TOKENS = {
    3: "1 2", 6: "> >>", 7: "omega", 8: "1 2 3", 11: "1", 12: "omega", 14: "> >> >>>", 15: "1 2 3 4", 19: "1", 21: "1 2",
    22: "> >> >>> >>>>", 23: "1 2 3 4 5", 25: "> >>", 28: "1 omega", 30: "> >> >>>", 31: "1 2 3", 35: "> >> >>>", 36: "1 2",
    39: "> >> >>>", 40: "1 2 3", 45: "> >> >>>", 48: "omega", 49: "> >> >>>",
}  # fmt: skip


def numbers(**facts: object) -> list[int]:
    """The missions whose fields have these values."""
    return [n for n, mission in MISSIONS.items() if all(getattr(mission, key) == value for key, value in facts.items())]


# The fifty missions.


def test_there_are_fifty_missions_in_order() -> None:
    assert [mission.number for mission in load_missions()] == list(range(1, 51))
    assert MISSIONS[12].name == "planet-nine/12"


def test_task_counts() -> None:
    assert [mission.tasks for mission in load_missions()] == TASKS
    assert sum(mission.tasks for mission in load_missions()) == 198


def test_tokens() -> None:
    assert {n: " ".join(mission.tokens) for n, mission in MISSIONS.items() if mission.tokens} == TOKENS


def test_communication() -> None:
    by_mode = {mode: [n for n, mission in MISSIONS.items() if mission.communication.mode == mode] for mode in ("dead-zone", "disruption")}
    assert by_mode == {"dead-zone": [6, 14, 21, 25, 29, 39], "disruption": [18, 19, 28, 30, 38]}
    assert {n: MISSIONS[n].communication.from_trick for n in by_mode["disruption"]} == {18: 2, 19: 3, 28: 3, 30: 2, 38: 3}
    assert [n for n, mission in MISSIONS.items() if mission.communication.muted] == [11]


def test_distributions() -> None:
    assert numbers(distribution="captain-decision") == [20, 27, 37]
    assert numbers(distribution="captain-distribution") == [24, 32, 36, 43]
    assert numbers(distribution=None) == numbers(tasks=0) == [5, 9, 13, 16, 26, 29, 33, 34, 41, 44, 46, 50]


def test_ends() -> None:
    assert numbers(end="goal") == [9, 13, 26, 44, 46]
    assert numbers(end="full-hand") == [5, 16, 29, 33, 34, 41, 50]
    assert numbers(end="last-trick") == [48]
    assert len(numbers(end="tasks")) == 37


def test_the_five_player_rule_marks_every_task_mission_from_25() -> None:
    assert numbers(five_player_rule=True) == FIVE_PLAYER == [n for n in range(25, 51) if MISSIONS[n].tasks]


# The special ones.

NINES, ONES, TRUMP, PINK = (parse_card_set(text) for text in ("9s", "1s", "R", "P"))
EVERY, FIRST_AND_LAST, LAST = (1 << 10) - 1, 1 | 1 << 9, 1 << 9


def tricks(low: int = -UNBOUNDED, high: int = UNBOUNDED, **rest: int) -> Condition:
    return Condition(TRICKS, **{"numbers": EVERY, **rest}, low=low, high=high)


GOALS = {
    5: [("ill member", [tricks(0, 0)])],
    9: [("together", [tricks(1, won_with=ONES)])],
    13: [("together", [tricks(4, won_with=TRUMP)])],
    16: [("together", [tricks(0, 0, won_with=NINES)])],
    17: [("together", [tricks(0, 0, won_with=NINES)])],
    26: [("together", [tricks(2, won_with=ONES)])],
    29: [("everyone", [tricks(high=1, against=EACH_OTHER, always=1)])],
    33: [("chosen member", [tricks(1, 1), tricks(0, 0, won_with=TRUMP)])],
    34: [("everyone", [tricks(high=1, against=EACH_OTHER, always=1)]), ("captain", [tricks(2, 2, numbers=FIRST_AND_LAST)])],
    41: [("chosen member", [tricks(2, 2), tricks(2, 2, numbers=FIRST_AND_LAST), tricks(0, 0, won_with=TRUMP)])],
    44: [
        ("together", [
            tricks(1, won_with=parse_hand("R1")),
            tricks(1, won_with=parse_hand("R2"), after=parse_hand("R1")),
            tricks(1, won_with=parse_hand("R3"), after=parse_hand("R2")),
            tricks(1, won_with=parse_hand("R4"), after=parse_hand("R3")),
        ]),
    ],
    46: [("collector", [Condition(CARDS, PINK, numbers=EVERY, low=9)])],
    48: [("together", [tricks(1, 1, numbers=LAST, holds=1 << parse_card("G5"))])],
    50: [
        ("opener", [tricks(4, 4), tricks(4, 4, numbers=0b1111)]),
        ("closer", [tricks(1, 1), tricks(1, 1, numbers=LAST)]),
    ],
}  # fmt: skip
"""Who has to do what, with four players; the omega task of mission 48 is G5."""


def resolved(mission: Mission, deck: int = FULL_DECK) -> list[tuple[str, list[Condition]]]:
    """The goals of a mission with four players, seat 0 the captain; no goal of a mission of Planet Nine is any_of."""
    goals = [(goal.who, goal.form.resolve(4, 10, 0, deck, {"omega": 1 << parse_card("G5")})) for goal in mission.crew_goals]
    assert not any(goal.any_of for _, goal in goals)
    return [(who, list(goal.conditions)) for who, goal in goals]


def test_special_missions() -> None:
    assert [n for n, mission in MISSIONS.items() if mission.special] == SPECIAL
    assert all(MISSIONS[n].text for n in SPECIAL)


def test_the_goals_of_the_special_missions() -> None:
    assert {n: resolved(mission) for n, mission in MISSIONS.items() if mission.crew_goals} == GOALS


def test_all_of_a_set_is_what_the_deck_of_the_challenge_has() -> None:
    (challenge,) = (FULL_DECK ^ deck.without for deck in load_decks() if deck.variant == "challenge")
    assert resolved(MISSIONS[13], challenge)[0][1][0].low == 3
    assert [(one.low, one.after & challenge) for one in resolved(MISSIONS[44], challenge)[0][1]] == [
        (0, 0),
        (1, 0),
        (1, parse_hand("R2")),
        (1, parse_hand("R3")),
    ]


def test_roles_setups_and_events() -> None:
    assert {n: mission.roles for n, mission in MISSIONS.items() if mission.roles} == {
        5: (Role("ill member", "captain", "others", ("good", "bad")),),
        11: (Role("muted member", "captain", "others"),),
        33: (Role("chosen member", "captain", "others", ("yes", "no")),),
        41: (Role("chosen member", "captain", "others", ("yes", "no")),),
        46: (Role("collector", left_of="P9"),),
        50: (Role("opener", "crew", "all"), Role("closer", "crew", "all")),
    }
    assert {n: mission.setup for n, mission in MISSIONS.items() if mission.setup} == {23: "swap-two-tokens", 40: "move-token"}
    assert {n: mission.events for n, mission in MISSIONS.items() if mission.events} == {12: (Event("random-take", 1, "right"),)}


def test_which_missions_end_with_the_last_task_and_their_goals_too() -> None:
    assert [n for n, mission in MISSIONS.items() if mission.ends_with_tasks] == [17]
    assert not MISSIONS[17].read_as("full-hand").ends_with_tasks


# Readings.


def readings(missions: Iterable[Mission]) -> list[tuple[str, str]]:
    return [(m.name, reading.name) for m in missions for question in m.open_questions for reading in question.alternatives]


def test_every_reading_can_be_chosen_and_is_told() -> None:
    found = readings([*load_missions(), *load_missions("deep-sea")])
    assert len(found) == 12
    for mission, name in found:
        (asked,) = find_missions(mission)
        changed = asked.read_as(name)
        assert hash(changed) != hash(asked) or changed != asked
        assert [question.read_as for question in changed.open_questions].count(name) == 1
        (chosen,) = (question for question in changed.open_questions if question.read_as)
        assert chosen.reading == next(reading.text for reading in chosen.alternatives if reading.name == name) != chosen.default
        assert all(question.reading == question.default for question in asked.open_questions)


@pytest.mark.parametrize(
    ("mission", "name", "field", "value"),
    [
        (MISSIONS[5], "captain-eligible", "roles", (Role("ill member", "captain", "all"),)),
        (MISSIONS[17], "full-hand", "end", "full-hand"),
        (MISSIONS[33], "captain-eligible", "roles", (Role("chosen member", "captain", "all"),)),
        (MISSIONS[41], "captain-eligible", "roles", (Role("chosen member", "captain", "all"),)),
        (MISSIONS[46], "holder-as-dealt", "roles", (Role("collector", left_of="P9", as_dealt=True),)),
        (DEEP_SEA[19], "leftmost", "distribution", "captain-hardest-leftmost"),
        (DEEP_SEA[19], "set-up-anew", "distribution", "captain-hardest-only"),
    ],
)
def test_a_reading_changes_what_it_should(mission: Mission, name: str, field: str, value: object) -> None:
    changed = mission.read_as(name)
    assert getattr(changed, field) == value != getattr(mission, field)
    roles = [goal.role for goal in changed.crew_goals if goal.role is not None]
    assert roles == (list(changed.roles) if roles else [])
    same = {"crew_goals": mission.crew_goals} if field == "roles" else {}
    assert replace(changed, **{field: getattr(mission, field), "open_questions": mission.open_questions}, **same) == mission


def test_readings_change_goals_and_go_together() -> None:
    harmless = MISSIONS[46].read_as("leftover-harmless")
    assert resolved(harmless) == [("not collector", [Condition(CARDS, PINK, numbers=EVERY, low=0, high=0)])]
    both = harmless.read_as("holder-as-dealt")
    assert both.crew_goals[0].who == "not collector"
    assert both.crew_goals[0].role == Role("collector", left_of="P9", as_dealt=True)
    assert [question.read_as for question in both.open_questions] == ["leftover-harmless", "holder-as-dealt"]
    (condition,) = DEEP_SEA[12].read_as("forced-lead-allowed").crew_goals[0].form.resolve(4, 10, 0).conditions
    assert condition == Condition(OPENINGS, PINK | TRUMP, numbers=EVERY, high=0, by_choice=1)


def test_a_reading_without_change_is_the_same_mission_in_other_words() -> None:
    for mission, name in ((MISSIONS[11], "captain-eligible"), (MISSIONS[12], "shown-card-drawn"), (DEEP_SEA[25], "captain-counted")):
        assert replace(mission.read_as(name), open_questions=mission.open_questions) == mission


def test_a_reading_has_a_name_the_mission_knows() -> None:
    with pytest.raises(InputError, match="planet-nine/17 has no reading 'ful-hand', did you mean 'full-hand'"):
        MISSIONS[17].read_as("ful-hand")
    with pytest.raises(InputError, match="planet-nine/1 has no reading 'x': none is known"):
        MISSIONS[1].read_as("x")


def test_disputed_points_carry_our_reading() -> None:
    assert {n: len(mission.open_questions) for n, mission in MISSIONS.items() if mission.open_questions} == {
        5: 1, 11: 1, 12: 1, 17: 1, 33: 1, 41: 1, 46: 2,
    }  # fmt: skip
    assert MISSIONS[17].end == "tasks"
    assert "last task" in MISSIONS[17].open_questions[0].default


def test_variants_change_what_they_must() -> None:
    assert [n for n, mission in MISSIONS.items() if mission.challenge] == [9, 13, 16, 17, 26, 44, 50]
    assert [n for n, mission in MISSIONS.items() if mission.jarvis] == [5, 11, 12, 46, 50]


def test_decks() -> None:
    base = {deck.players: (deck.hands, deck.tricks, deck.unplayed) for deck in load_decks() if deck.variant is None}
    assert base == {3: ((14, 13, 13), 13, 1), 4: ((10,) * 4, 10, 0), 5: ((8,) * 5, 8, 0)}
    challenge, jarvis = (deck for deck in load_decks() if deck.variant)
    assert (challenge.variant, challenge.players, challenge.hands) == ("challenge", 3, (10, 10, 10))
    assert FULL_DECK ^ challenge.without == parse_hand("P123456789 B123456789 Y123456789 R234")
    assert (jarvis.variant, jarvis.players, jarvis.hands, jarvis.tricks, jarvis.unplayed) == ("jarvis", 2, (14, 13, 13), 13, 1)


# The 32 missions of Deep Sea.


def deep(**facts: object) -> list[int]:
    """The missions of Deep Sea whose fields have these values."""
    return [n for n, mission in DEEP_SEA.items() if all(getattr(mission, key) == value for key, value in facts.items())]


def test_deep_sea_has_32_missions_in_order() -> None:
    assert list(DEEP_SEA) == list(range(1, 33))
    assert DEEP_SEA[32].name == "deep-sea/32"


def test_deep_sea_difficulties() -> None:
    assert [mission.difficulty for mission in DEEP_SEA.values()] == [
        *(1, 2, 3, 4, 5, 5, 6, None, 7, 4, 8, None, 5, 6, 6, 6),
        *(9, 9, 9, 10, None, 11, None, 12, 12, 10, None, 14, 15, 16, 17, None),
    ]  # fmt: skip


def test_deep_sea_distributions() -> None:
    special = {
        "free": [17, 28, 29, 30, 31],
        "crew-picks-one": [6],
        "captain-all-or-pass-all": [10, 13],
        "one-volunteer": [14, 15, 16],
        "two-volunteers": [26],
        "captain-hardest-first": [19],
        "captain-excluded": [25],
    }
    assert {distribution: deep(distribution=distribution) for distribution in special} == special
    assert deep(distribution=None) == deep(difficulty=None, task_cards=()) == [8, 12, 21, 23, 27]
    assert deep(distribution="round-robin-with-passing") == [1, 2, 3, 4, 5, 7, 9, 11, 18, 20, 22, 24, 32]
    of_readings = {"captain-hardest-leftmost", "captain-hardest-only"}
    assert {*special, *of_readings, "round-robin-with-passing"} == set(drafts.DEEP_SEA)


def test_deep_sea_communication() -> None:
    modes = {n: mission.communication.mode for n, mission in DEEP_SEA.items() if mission.communication.mode != "normal"}
    assert modes == {9: "currents", 11: "rapture"} | dict.fromkeys(range(20, 28), "unknown-terrain")
    assert {n: m.communication.from_trick for n, m in DEEP_SEA.items() if m.communication.from_trick > 1} == {23: 2}
    assert [n for n, mission in DEEP_SEA.items() if mission.communication.passed_on] == [10, 13]


def test_deep_sea_clocks_have_an_untimed_variant() -> None:
    assert {n: mission.seconds for n, mission in DEEP_SEA.items() if mission.variants} == {14: 210, 15: 180, 16: 150, 26: 300}
    untimed = {n: mission.variant("untimed") for n, mission in DEEP_SEA.items() if mission.variants}
    assert [(m.difficulty, m.seconds, m.communication.mode) for m in untimed.values()] == [
        (6, None, "currents"),
        (6, None, "rapture"),
        (6, None, "none"),
        (12, None, "unknown-terrain"),
    ]
    assert all(DEEP_SEA[n].variant("timed") == DEEP_SEA[n] != mission for n, mission in untimed.items())
    assert untimed[26].variant("timed") == DEEP_SEA[26]


def test_a_variant_has_a_name_the_mission_knows() -> None:
    with pytest.raises(InputError, match="deep-sea/26 has no variant 'untime', did you mean 'untimed'"):
        DEEP_SEA[26].variant("untime")
    with pytest.raises(InputError, match="deep-sea/1 has no variant 'timed': none is known"):
        DEEP_SEA[1].variant("timed")


def test_deep_sea_crew_goals() -> None:
    assert [n for n, mission in DEEP_SEA.items() if mission.crew_goals] == [8, 12, 21, 23, 27]
    goals = {
        n: [(goal.who, *goal.form.resolve(4, 10, 0)) for goal in mission.crew_goals]
        for n, mission in DEEP_SEA.items()
        if mission.crew_goals
    }
    nines, ones = (mask_of(parse_card(f"{suit}{rank}") for suit in "PBGY") for rank in (9, 1))
    everything, first, last = (1 << 10) - 1, 1, 1 << 9
    pink_and_trump = SUIT_MASKS[0] | SUIT_MASKS[4]
    lead = Condition(TRICKS, numbers=everything, against=EACH_OTHER, low=1, always=1)
    assert goals == {
        8: [("everyone", (Condition(CARDS, nines, numbers=everything, against=EACH_OTHER, high=1, always=1),), False)],
        12: [("everyone", (Condition(OPENINGS, pink_and_trump, numbers=everything, high=0),), False)],
        21: [("everyone", (Condition(CARDS, ones, numbers=everything, against=EACH_OTHER, high=1, always=1),), False)],
        23: [("anyone", (Condition(TRICKS, numbers=first, low=1), lead), False)],
        27: [("anyone", (Condition(TRICKS, numbers=last, closed_with=1 << parse_card("Y5"), low=1),), False)],
    }
    assert [DEEP_SEA[n].end for n in goals] == ["full-hand"] * 4 + ["last-trick"]


def test_deep_sea_fixed_task_cards() -> None:
    assert [n for n, mission in DEEP_SEA.items() if mission.task_cards] == [32]
    slugs = DEEP_SEA[32].task_cards
    assert slugs == ("zero_tricks", "exactly_3_tricks_in_a_row", "two_in_a_row", "first_and_last_trick")
    assert [sum(find_task_card(slug).difficulty_for(players) for slug in slugs) for players in (3, 4, 5)] == [11, 11, 12]
    assert DEEP_SEA[32].tasks == 4


def test_deep_sea_open_points_and_player_counts() -> None:
    assert [n for n, mission in DEEP_SEA.items() if mission.open_questions] == [12, 19, 25]
    assert ["captain" in question.question for question in load_open_questions("deep-sea")] == [True, False]
    assert load_open_questions("planet-nine") == ()
    assert {n: [players for players, _ in m.by_players] for n, m in DEEP_SEA.items() if m.by_players} == {
        8: [3],
        21: [3],
        27: [3],
        32: [3, 4, 5],
    }


def test_deep_sea_decks() -> None:
    decks = {(deck.players, deck.variant): (deck.hands, deck.tricks, deck.unplayed) for deck in load_decks("deep-sea")}
    base = {(deck.players, None): (deck.hands, deck.tricks, deck.unplayed) for deck in load_decks() if deck.variant is None}
    assert decks == base | {(2, "tonoja"): ((14, 13, 13), 13, 1)}


# Names.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("planet-nine/23", [23]),
        ("planet-nine/1-50", list(range(1, 51))),
        ("planet-nine", list(range(1, 51))),
        ("planet-nine/1-5,8", [1, 2, 3, 4, 5, 8]),
        ("planet-nine/8, 1-3,2", [8, 1, 2, 3]),
        ("planet-nine/7-7", [7]),
        ("deep-sea/1-32", list(range(1, 33))),
        ("deep-sea", list(range(1, 33))),
        ("deep-sea/26,8", [26, 8]),
    ],
)
def test_find_missions(text: str, expected: list[int]) -> None:
    assert [mission.number for mission in find_missions(text)] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("planet-nin/3", "the game 'planet-nin', did you mean 'planet-nine'"),
        ("journey", "the game 'journey': known are planet-nine, deep-sea"),
        ("deep-sea/33", "unknown mission deep-sea/33: deep-sea has missions 1 to 32"),
        ("23", "the game '23'"),
        ("planet-nine/51", "unknown mission planet-nine/51: planet-nine has missions 1 to 50"),
        ("planet-nine/0", "unknown mission planet-nine/0"),
        ("planet-nine/45-999999", "unknown mission planet-nine/999999"),
        ("planet-nine/", "malformed mission '' in 'planet-nine/'"),
        ("planet-nine/1,,2", "malformed mission ''"),
        ("planet-nine/1-", "malformed mission '1-'"),
        ("planet-nine/-3", "malformed mission '-3'"),
        ("planet-nine/x", "malformed mission 'x'"),
        ("planet-nine/1-2-3", "malformed mission '1-2-3'"),
        ("planet-nine/5-1", "malformed range '5-1' in 'planet-nine/5-1': the lower number comes first, 1-5"),
    ],
)
def test_find_missions_refuses(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        find_missions(text)
    assert message in str(caught.value)


def test_load_missions_knows_no_other_game() -> None:
    with pytest.raises(InputError, match="no missions are known for the game 'journey'"):
        load_missions("journey")


# Cases.


def tasks(*tokens: str | None) -> tuple[Task, ...]:
    return tuple(Task(card, token=token) for card, token in enumerate(tokens))


def test_mission_for_case_takes_number_and_name() -> None:
    assert mission_for_case("planet-nine", 7, 4, tasks(None, "omega", None)) is MISSIONS[7]
    assert mission_for_case("planet-nine", "planet-nine/3", 4, tasks("2", "1")) is MISSIONS[3]


@pytest.mark.parametrize("mission", [True, 3.0, ["planet-nine/3"], {}])
def test_mission_for_case_refuses_other_types(mission: object) -> None:
    with pytest.raises(InputError, match="mission must be a number or a name such as 'planet-nine/12', not "):
        mission_for_case("planet-nine", mission, 4, tasks("1", "2"))


@pytest.mark.parametrize(
    ("game", "mission", "given", "message"),
    [
        ("planet-nine", 51, tasks(None), "unknown mission planet-nine/51"),
        ("planet-nine", -1, tasks(None), "malformed mission '-1'"),
        ("planet-nine", "planet-nine/1-2", tasks(None), "names 2 missions: a case has one"),
        ("journey", 3, tasks(None), "no missions are known for the game 'journey'"),
        ("deep-sea", "planet-nine/1", tasks(None), "belongs to planet-nine, but the game of the case is deep-sea"),
        ("planet-nine", 4, tasks(None, None), "planet-nine/4 has three tasks without tokens, but the case has two tasks without tokens"),
        ("planet-nine", 3, tasks("1", None), "has two tasks with tokens 1 and 2, but the case has two tasks with token 1"),
        ("planet-nine", 6, tasks("1", "2", None), "has three tasks with tokens > and >>, but the case has three tasks with tokens 1 and 2"),
        ("planet-nine", 1, (), "has one task without tokens, but the case has no tasks"),
    ],
)
def test_mission_for_case_refuses(game: str, mission: object, given: tuple[Task, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        mission_for_case(game, mission, 4, given)
    assert message in str(caught.value)


def cards(*slugs: str) -> tuple[Task, ...]:
    return tuple(Task(slug) for slug in slugs)


def test_mission_for_case_sums_difficulties() -> None:
    assert mission_for_case("deep-sea", 3, 4, cards("win_P9_Y8")) is DEEP_SEA[3]
    assert mission_for_case("deep-sea", 2, 4, cards("win_P9_Y8"), edition="german-first") is DEEP_SEA[2]
    assert mission_for_case("deep-sea", 2, 3, cards("win_P9_Y8")) is DEEP_SEA[2]
    assert mission_for_case("deep-sea", 32, 4, cards(*reversed(DEEP_SEA[32].task_cards))) is DEEP_SEA[32]
    assert mission_for_case("deep-sea", "deep-sea/8", 4, ()) is DEEP_SEA[8]


def test_mission_for_case_takes_the_variant_that_the_tasks_fit() -> None:
    ten = ("win_all_9s", "win_all_3s", "first_trick")
    assert mission_for_case("deep-sea", 26, 4, cards(*ten)) is DEEP_SEA[26]
    twelve = mission_for_case("deep-sea", 26, 4, cards(*ten, "win_P3", "win_Y1"))
    assert twelve == DEEP_SEA[26].variant("untimed")


@pytest.mark.parametrize(
    ("mission", "given", "message"),
    [
        (3, cards("win_P3"), "deep-sea/3 has difficulty 3, but the tasks of the case sum to 1 with 4 players"),
        (3, (), "deep-sea/3 has difficulty 3, but the tasks of the case sum to 0 with 4 players"),
        (26, cards("win_P3"), "deep-sea/26 has difficulty 10 or 12, but the tasks of the case sum to 1"),
        (3, cards("win_P"), "unknown task card 'win_P', did you mean 'win_P3'?"),
        (8, cards("win_P3"), "deep-sea/8 has no tasks, but the case has one task without tokens"),
        (
            32,
            cards("zero_tricks"),
            "deep-sea/32 has the tasks zero_tricks, exactly_3_tricks_in_a_row, two_in_a_row and first_and_last_trick",
        ),
        (32, (), "but the case has none"),
    ],
)
def test_mission_for_case_refuses_other_task_cards(mission: int, given: tuple[Task, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        mission_for_case("deep-sea", mission, 4, given)
    assert message in str(caught.value)


def test_mission_for_case_finds_missions_of_ones_own() -> None:
    own = replace(MISSIONS[3], book="my")
    assert own.name == "my/3"
    assert mission_for_case("planet-nine", "my/3", 4, tasks("1", "2"), extra=[own]) is own
    with pytest.raises(InputError, match="the game 'my': known are planet-nine, deep-sea; those of a file of your own need --mission-file"):
        mission_for_case("planet-nine", "my/3", 4, tasks("1", "2"))


# Words.


@pytest.mark.parametrize("mission", [*load_missions(), *load_missions("deep-sea")], ids=lambda mission: mission.name)
def test_describe_gives_one_to_three_sentences(mission: Mission) -> None:
    words = describe(mission)
    assert 1 <= words.count(". ") + 1 <= 3
    assert words.endswith(".")
    assert mission.text in words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "One task. Dealt out one by one from the captain."),
        (3, "Two tasks with tokens 1 and 2. Dealt out one by one from the captain."),
        (11, "Four tasks, the first carries token 1. Dealt out one by one from the captain. " + MISSIONS[11].text),
        (20, "Two tasks. All for one member of the captain's choice, unseen."),
        (21, "Five tasks, the first two carry tokens 1 and 2. Dealt out one by one from the captain, dead zone."),
        (
            28,
            "Six tasks, the first two carry tokens 1 and omega. Dealt out one by one from the captain, "
            "no communication before the third trick, with five players one task may move.",
        ),
        (32, "Seven tasks. Given out evenly by the captain, as they turn up, with five players one task may move."),
        (29, "No task cards. Dead zone, decided over the full hand. " + MISSIONS[29].text),
    ],
)
def test_describe(number: int, words: str) -> None:
    assert describe(MISSIONS[number]) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (5, "Tasks of difficulty 5 in all. Chosen one by one from the captain, passing only with fewer tasks than members."),
        (8, "No task cards. Decided over the full hand. " + DEEP_SEA[8].text),
        (
            10,
            "Tasks of difficulty 4 in all. All for the captain, or all for one willing member, "
            "communication only before the first trick when the tasks are passed on.",
        ),
        (
            16,
            "Tasks of difficulty 6 in all. All for the first who volunteers, "
            "within 2:30 minutes or, without a clock, with no communication.",
        ),
        (
            23,
            "No task cards. Unknown terrain, no communication before the second trick, decided over the full hand. " + DEEP_SEA[23].text,
        ),
        (
            26,
            "Tasks of difficulty 10 in all. Split by the first two who volunteer, at least one each, unknown terrain, "
            "within 5:00 minutes or, without a clock, with difficulty 12.",
        ),
        (
            32,
            "Always the four tasks zero_tricks, exactly_3_tricks_in_a_row, two_in_a_row and first_and_last_trick. "
            "Chosen one by one from the captain, passing only with fewer tasks than members.",
        ),
    ],
)
def test_describe_deep_sea(number: int, words: str) -> None:
    assert describe(DEEP_SEA[number]) == words


# The schema.

GOOD = """
game = "home"
[[deck]]
players = 4
hands = [10, 10, 10, 10]
tricks = 10
unplayed = 0
[[mission]]
number = 3
tasks = 2
tokens = ["1", "omega"]
distribution = "round-robin"
end = "tasks"
communication = { mode = "disruption", from_trick = 4 }
text = "A rule."
setup = "swap-two-tokens"
roles = [{ name = "helper", by = "captain", among = "others" }, { name = "neighbour", left_of = "P9" }]
crew_goals = [{ who = "helper", goal = { count = "tricks", holds = "token omega", at_most = 3 } }]
events = [{ kind = "random-take", after_trick = 2, from = "left" }]
[[mission.open]]
question = "Really?"
default = "yes"
alternatives = [{ name = "other", text = "no", change = { end = "full-hand" } }]
"""


def test_a_mission_file_of_ones_own() -> None:
    _, (mission,) = read_missions(GOOD, "home.toml")
    assert mission.name == "home/3"
    assert describe(mission) == (
        "Two tasks with tokens 1 and omega. Dealt out one by one from the captain, no communication before the 4th trick. A rule."
    )
    assert (mission.setup, mission.events, len(mission.roles)) == ("swap-two-tokens", (Event("random-take", 2, "left"),), 2)
    assert mission.read_as("other").end == "full-hand"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('game = "home"', 'game = "home', "is not TOML"),
        ('game = "home"', "", "key 'game' is missing"),
        ('game = "home"', 'game = "home"\nsize = 3', "unknown key 'size': known are game, task, open, deck, mission"),
        ("hands = [10, 10, 10, 10]", 'hands = [10, 10, "10", 10]', "deck block 1: hands must hold a whole number in each place, not '10'"),
        ("hands = [10, 10, 10, 10]", "hands = [10, 10, 10, 9]", "deck block 1: hands and without must add up to the 40 cards"),
        ("unplayed = 0", "unplayed = 1", "deck block 1: unplayed must be the cards that are left after 10 tricks of 4 cards"),
        ("unplayed = 0", 'unplayed = 0\nwithout = "Z1"', "deck block 1: without: unknown card 'Z1'"),
        ("unplayed = 0", 'unplayed = 0\nvariant = "solo"', "deck block 1: unknown variant 'solo': known are challenge, jarvis"),
        ("tasks = 2", "task = 2", "mission 3: unknown key 'task', did you mean 'tasks'?"),
        ("tasks = 2", "", "mission 3: key 'tasks' is missing"),
        ("tasks = 2", 'tasks = "2"', "mission 3: tasks must be a whole number, not '2'"),
        ("tasks = 2", "tasks = true", "mission 3: tasks must be a whole number, not True"),
        ("tasks = 2", "tasks = 37", "mission 3: tasks must be 0 to 36, not 37"),
        ("tasks = 2", "tasks = -1", "mission 3: tasks must be 0 to 36, not -1"),
        ("tasks = 2", "tasks = 1", "mission 3: tokens: there are 2, but only 1 tasks"),
        ("number = 3", 'number = "3"', "mission block 1: number must be a whole number"),
        ("number = 3", "number = 0", "mission 0: number must be at least 1, not 0"),
        ('["1", "omega"]', '["1", "6"]', "mission 3: tokens: unknown token '6'"),
        ('["1", "omega"]', '["1", "1"]', "mission 3: tokens: two tasks carry the token 1"),
        ('["1", "omega"]', '[">>"]', "mission 3: tokens: token >> has no predecessor"),
        ('["1", "omega"]', "[1]", "mission 3: tokens must hold a string in each place, not 1"),
        ('["1", "omega"]', '"1"', "mission 3: tokens must be a list, not '1'"),
        ('distribution = "round-robin"', "", "mission 3: distribution belongs to missions with tasks, and those need it"),
        ('"round-robin"', '"round-robbing"', "mission 3: unknown distribution 'round-robbing', did you mean 'round-robin'?"),
        ('end = "tasks"', 'end = "never"', "mission 3: unknown end 'never': known are tasks, goal, full-hand, last-trick"),
        ('end = "tasks"', 'end = "tasks"\nfive_player_rule = 1', "mission 3: five_player_rule must be true or false, not 1"),
        ('text = "A rule."', "", "mission 3: text must say the special rule in plain words"),
        ('mode = "disruption"', 'mode = "noise"', "mission 3: communication: unknown mode 'noise'"),
        (", from_trick = 4", "", "mission 3: communication: from_trick belongs to mode 'disruption'"),
        ("from_trick = 4", "from_trick = 1", "mission 3: communication: from_trick must be at least 2, not 1"),
        ("from_trick = 4", 'from_trick = 4, muted = "all"', "mission 3: communication: unknown muted 'all': known are helper, neighbour"),
        ('{ mode = "disruption", from_trick = 4 }', '"normal"', "mission 3: communication must be a table, not 'normal'"),
        ('"swap-two-tokens"', '"swap-tokens"', "mission 3: unknown setup 'swap-tokens', did you mean 'swap-two-tokens'?"),
        ('by = "captain"', 'by = "commander"', "mission 3: roles[0]: unknown by 'commander'"),
        ('among = "others"', 'among = "none"', "mission 3: roles[0]: unknown among 'none': known are others, all"),
        (', among = "others"', "", "mission 3: roles[0]: a role has by and among, or left_of instead"),
        ('left_of = "P9"', 'left_of = "P89"', "mission 3: roles[1]: left_of must be one card, not 'P89'"),
        ('left_of = "P9"', 'left_of = ""', "mission 3: roles[1]: left_of must name at least one card"),
        ('name = "neighbour"', 'name = "helper"', "mission 3: roles must have different names"),
        (
            'name = "neighbour"',
            'name = "captain"',
            "different names, none of them 'everyone' or 'anyone' or 'together' or 'captain'",
        ),
        ('left_of = "P9"', 'left_of = "P9", among = "all"', "mission 3: roles[1]: a role has by and among, or left_of instead"),
        ('among = "others"', 'among = "others", as_dealt = true', "mission 3: roles[0]: a role has by and among, or left_of instead"),
        ('left_of = "P9"', 'left_of = "P9", as_dealt = 1', "mission 3: roles[1]: as_dealt must be true or false, not 1"),
        ('name = "helper", ', "", "mission 3: roles[0]: key 'name' is missing"),
        ('who = "helper"', 'who = "nobody"', "mission 3: crew_goals[0]: unknown who 'nobody': known are everyone"),
        ('who = "helper"', 'who = "not helper"', "mission 3: crew_goals[0]: unknown who 'not helper', did you mean 'helper'?"),
        ('who = "helper"', 'who = "helpr"', "mission 3: crew_goals[0]: unknown who 'helpr', did you mean 'helper'?"),
        (', goal = { count = "tricks", holds = "token omega", at_most = 3 }', "", "mission 3: crew_goals[0]: key 'goal' is missing"),
        ("at_most = 3", 'at_most = "3"', "mission 3: crew_goals[0]: goal, condition 1: at_most has the wrong type: '3'"),
        (", at_most = 3", "", "mission 3: crew_goals[0]: goal, condition 1: a condition has at_least, at_most or both, or exactly"),
        ('"token omega"', '"token 2"', "mission 3: crew_goals[0]: goal: holds 'token 2', but no task of the mission carries that token"),
        ('"token omega"', '"token 6"', "mission 3: crew_goals[0]: goal, condition 1: holds: unknown token in 'token 6'"),
        ('"token omega"', '"P0"', "mission 3: crew_goals[0]: goal, condition 1: holds: unknown card 'P0'"),
        (
            'crew_goals = [{ who = "helper"',
            'crew_goals = [{ who = "helper", goal = { count = "run", at_most = 3 } }, { who = "helper"',
            "mission 3: crew_goals: the helper has 2 goals: write them as one, a list of conditions",
        ),
        (
            'who = "helper", goal = { count = "tricks", holds = "token omega"',
            'who = "together", goal = { count = "tricks", against = "captain"',
            "mission 3: crew_goals[0]: goal: the crew together has nobody to compare with and no runs",
        ),
        ('tokens = ["1", "omega"]', "", "mission 3: setup 'swap-two-tokens' needs two tokens, but there are 0"),
        ('"swap-two-tokens"', '"move-token"', "mission 3: setup 'move-token' needs a task with a token and one without, but 2 of 2 tasks"),
        ('setup = "swap-two-tokens"', 'setup = ["swap-two-tokens"]', "mission 3: setup must be a string, not ['swap-two-tokens']"),
        (
            "events = [{",
            'events = [{ kind = "random-take", after_trick = 1, from = "left" }, {',
            "mission 3: events: there are 2, but one is the most that can be played",
        ),
        ('from = "left"', 'from = "above"', "mission 3: events[0]: unknown from 'above'"),
        ('"random-take"', '"take"', "mission 3: events[0]: unknown kind 'take'"),
        ("after_trick = 2", "after_trick = 0", "mission 3: events[0]: after_trick must be at least 1, not 0"),
        ("after_trick = 2", "after_trick = 13", "mission 3: events[0]: after_trick must be at most 12, not 13"),
        (', from = "left"', "", "mission 3: events[0]: key 'from' is missing"),
        ('text = "no", ', "", "mission 3: open[0]: alternatives[0]: key 'text' is missing"),
        (
            "alternatives = [",
            'alternatives = [{ name = "other", text = "perhaps" }, ',
            "mission 3: open: two readings have the name 'other'",
        ),
        ('default = "yes"', "", "mission 3: open[0]: key 'default' is missing"),
        (
            "[[mission.open]]",
            '[[mission]]\nnumber = 3\ntasks = 1\ndistribution = "round-robin"\nend = "tasks"\n[[mission.open]]',
            "mission 3: number 3 is taken by an earlier mission",
        ),
    ],
)
def test_a_schema_fault_names_file_mission_and_key(old: str, new: str, message: str) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(DataError) as caught:
        read_missions(GOOD.replace(old, new), "home.toml")
    assert str(caught.value).startswith("home.toml")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ('end = "goal"', "mission 1: crew_goals must not be empty without tasks"),
        (
            'end = "tasks"\ntext = "x"\ncrew_goals = [{ who = "captain", goal = { count = "run", at_least = 1 } }]',
            "end 'tasks' needs tasks",
        ),
        (
            'end = "goal"\ncrew_goals = [{ who = "captain", goal = { count = "tricks", numbers = [0], at_least = 1 } }]',
            "mission 1: crew_goals[0]: goal, condition 1: numbers must hold trick numbers from 1 or 'last', not 0",
        ),
        (
            'end = "goal"\ncrew_goals = [{ who = "captain", goal = { count = "tricks", holds = "token omega", at_least = 1 } }]',
            "mission 1: crew_goals[0]: goal: holds 'token omega', but no task of the mission carries that token",
        ),
    ],
)
def test_a_schema_fault_of_a_mission_without_tasks(rest: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_missions(f'game = "home"\n[[mission]]\nnumber = 1\ntasks = 0\n{rest}', "home.toml")
    assert message in str(caught.value)


def test_a_mission_must_have_the_goals_its_end_waits_for() -> None:
    with pytest.raises(DataError, match="mission 3: end 'goal' needs crew_goals"):
        read_missions(GOOD.replace('end = "tasks"', 'end = "goal"').replace("crew_goals = [", "# crew_goals = ["), "home.toml")


def test_all_faults_of_a_mission_are_gathered() -> None:
    bad = GOOD.replace('from = "left"', 'from = "above"').replace('among = "others"', 'among = "none"').replace('"P9"', '"P89"')
    with pytest.raises(ManyFaults) as caught:
        read_missions(bad, "home.toml")
    assert [str(error).removeprefix("home.toml, mission 3: ") for error in caught.value.errors] == [
        "roles[0]: unknown among 'none': known are others, all",
        "roles[1]: left_of must be one card, not 'P89'",
        "events[0]: unknown from 'above': known are left, right",
    ]
    assert str(caught.value) == str(caught.value.errors[0])


GOOD_DEEP = """
game = "home"
[[open]]
question = "Really?"
default = "yes"
alternatives = [{ name = "other", text = "no" }]
[[mission]]
number = 3
difficulty = 4
distribution = "free"
end = "tasks"
text = "A rule."
communication = { mode = "unknown-terrain", from_trick = 2, passed_on = "before-trick-1" }
seconds = 60
untimed = { difficulty = 5, communication = { mode = "none" } }
crew_goals = [{ who = "anyone", goal = { count = "tricks", at_least = 3 } }]
by_players = { 5 = "more", 3 = "less" }
[[mission]]
number = 4
task_cards = ["win_P3"]
distribution = "free"
end = "tasks"
[[task]]
slug = "win_P3"
"""


def test_a_deep_sea_file_of_ones_own() -> None:
    _, (mission, fixed) = read_missions(GOOD_DEEP, "home.toml")
    assert describe(mission) == (
        "Tasks of difficulty 4 in all. Given out as the crew agrees, in any split, unknown terrain, no communication before the second "
        "trick, communication only before the first trick when the tasks are passed on, within 1:00 minutes or, without a clock, "
        "with difficulty 5 and no communication. A rule."
    )
    assert mission.by_players == ((3, "less"), (5, "more"))
    assert (fixed.tasks, fixed.difficulty) == (1, None)
    assert describe(fixed) == "Always the one task win_P3. Given out as the crew agrees, in any split."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("difficulty = 4", "", "mission 3: key 'tasks' is missing, or 'difficulty' or 'task_cards' instead of it"),
        ("difficulty = 4", "difficulty = 0", "mission 3: difficulty must be at least 1, not 0"),
        ("difficulty = 4", "difficulty = 4\ntasks = 2", "mission 3: difficulty does not go with tasks"),
        ("difficulty = 4", "tasks = 0", "mission 3: distribution belongs to missions with tasks"),
        ('["win_P3"]', '["win_P4"]', "mission 4: unknown task_cards 'win_P4', did you mean 'win_P3'?"),
        ('["win_P3"]', '["win_P3", "win_P3"]', "mission 4: task_cards must name different task cards, at least one"),
        ('["win_P3"]', "[]", "mission 4: task_cards must name different task cards, at least one"),
        ("seconds = 60", "", "mission 3: seconds and untimed go together"),
        ("seconds = 60", "seconds = 0", "mission 3: seconds must be at least 1, not 0"),
        ("difficulty = 5", "difficulty = 0", "mission 3: untimed: difficulty must be at least 1"),
        ('mode = "none"', 'mode = "all"', "mission 3: untimed: communication: unknown mode 'all'"),
        ('mode = "unknown-terrain"', 'mode = "rapture"', "mission 3: communication: from_trick belongs to mode 'disruption'"),
        (
            "before-trick-1",
            "before-trick-2",
            "mission 3: communication: unknown passed_on 'before-trick-2', did you mean 'before-trick-1'?",
        ),
        ('who = "anyone"', 'who = "someone"', "mission 3: crew_goals[0]: unknown who 'someone': known are everyone, anyone"),
        ('who = "anyone", ', "", "mission 3: crew_goals[0]: key 'who' is missing"),
        ('count = "tricks"', 'count = "hats"', "mission 3: crew_goals[0]: goal, condition 1: count must be one of"),
        ('text = "A rule."', "", "mission 3: text must say the special rule in plain words"),
        ("5 = ", "6 = ", "mission 3: by_players: unknown key '6'"),
        ('default = "yes"', "", "home.toml: open[0]: key 'default' is missing"),
    ],
)
def test_a_schema_fault_of_deep_sea_names_file_mission_and_key(old: str, new: str, message: str) -> None:
    assert GOOD_DEEP.count(old) == 1
    with pytest.raises(DataError) as caught:
        read_missions(GOOD_DEEP.replace(old, new), "home.toml")
    assert str(caught.value).startswith("home.toml")
    assert message in str(caught.value)
