"""The examples of docs/goals.md load, use every word there is, and mean what is said about them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from deepcrew.solver import goals, missions
from deepcrew.solver.cards import parse_card, parse_hand
from deepcrew.solver.goals import CrewGoal, goal_form
from deepcrew.solver.mission_files import check_mission_file, read_mission_file
from deepcrew.solver.missions import load_missions
from deepcrew.solver.positions import Position
from deepcrew.solver.referee import Referee

DOCS = Path(__file__).parent.parent / "docs"
GOALS = (DOCS / "goals.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```toml\n(.*?)^```", GOALS, re.MULTILINE | re.DOTALL)
MISSIONS = [example for example in EXAMPLES if example.startswith("game =")]
SINGLE_GOALS = [example for example in EXAMPLES if example.startswith("goal =")]


def test_every_example_is_a_goal_or_a_file_of_missions() -> None:
    assert len(MISSIONS) + len(SINGLE_GOALS) == len(EXAMPLES) > 25
    assert len(set(EXAMPLES)) == len(EXAMPLES)


@pytest.mark.parametrize("example", SINGLE_GOALS)
def test_goals_load(example: str) -> None:
    (goal,) = tomllib.loads(example).values()
    for players, tricks in ((3, 13), (4, 10), (5, 8)):
        assert goal_form(goal, "goals.md").resolve(players, tricks, 0).conditions


@pytest.mark.parametrize("example", MISSIONS)
def test_missions_load_and_are_possible_for_everybody(example: str, tmp_path: Path) -> None:
    path = tmp_path / "example.toml"
    path.write_text(example, "utf-8")
    report = check_mission_file(path)
    assert (report.errors, report.notes) == ((), ())
    for mission in report.missions:
        for question in mission.open_questions:
            assert all(mission.read_as(reading.name) != mission for reading in question.alternatives)


def test_the_complete_example_is_fine() -> None:
    report = check_mission_file(DOCS / "my-missions.toml")
    assert (report.errors, report.notes) == ((), ())
    assert [mission.name for mission in read_mission_file(DOCS / "my-missions.toml")] == [f"my-missions/{n}" for n in range(1, 5)]
    assert all(mission.text for mission in report.missions[1:])


def keys(value: Any) -> Iterator[str]:
    """All keys in a document."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys(item)
    yield from value if isinstance(value, dict) else ()


def words(value: Any) -> Iterator[str]:
    """All strings in a document."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from words(item)
    yield from [value] if isinstance(value, str) else ()


SCHEMAS = [
    missions._MISSION, missions._COMMUNICATION, missions._ROLE, missions._EVENT, missions._CREW_GOAL, missions._UNTIMED, missions._OPEN,
    missions._READING, goals._KEYS, {"any_of": list, "game": str, "mission": [dict]},
]  # fmt: skip


def test_every_key_has_an_example() -> None:
    used = {key for example in EXAMPLES for key in keys(tomllib.loads(example))}
    assert {key for schema in SCHEMAS for key in schema} - used == set()


def test_every_word_is_explained() -> None:
    used = {word for example in EXAMPLES for word in words(tomllib.loads(example))}
    assert {*goals.COUNTS, *goals._AGAINST, *missions._WHO, "all", "last"} <= used
    lists = (missions.COMMUNICATION_MODES, missions.ENDS, missions.DISTRIBUTIONS, missions.SETUPS, goals._AGAINST, missions._WHO)
    assert [word for known in lists for word in known if word not in GOALS] == []


def test_the_table_names_the_special_missions_of_planet_nine() -> None:
    rows = re.findall(r"^\| ([\d, ]+) \| (.*?) ?\| (.*?) \|$", GOALS, re.MULTILINE)
    numbers = [int(number) for row in rows for number in row[0].split(", ")]
    special = [mission for mission in load_missions() if mission.crew_goals or mission.setup or mission.events]
    assert numbers == [mission.number for mission in special]
    assert len(numbers) == 17
    for cells, who, text in rows:
        mission = load_missions()[int(cells.partition(",")[0]) - 1]
        named = {key for goal in mission.crew_goals for entry in goal.form.entries for key, _ in entry}
        assert named & goals._TRICK_KEYS <= set(re.findall(r"`(\w+)`", text)), cells
        assert all(goal.role is not None or goal.who in who for goal in mission.crew_goals), cells


# What some of the examples mean, on a line of four tricks: seat 0 wins with trump 4 and P9, then seat 1 with B9 and Y9.

HANDS = ("P9 B2 G2 R4", "P1 B9 G9 Y9", "P2 B3 G4 Y1", "P3 B4 G5 Y2")
LINE = ("R4 G9 P2 P3", "P9 P1 B3 B4", "B2 B9 G4 G5", "Y9 Y1 Y2 G2")


def meant(goal: str) -> list[int]:
    """The seats that fulfil a goal after LINE: seats 0, 0, 1 and 1 win its tricks."""
    masks = tuple(parse_hand(hand) for hand in HANDS)
    plays = tuple(tuple(parse_card(card) for card in trick.split()) for trick in LINE)
    crew = CrewGoal("anyone", goal_form(tomllib.loads(goal)["goal"], "goal"))
    table = Referee(Position(masks, (), plays, deck=sum(masks), crew=(crew,)))
    (duty,) = table.position.duties
    assert [winner for _, _, winner, _ in table.history] == [0, 0, 1, 1]
    return table._fulfilling(duty)


def example(begin: str) -> str:
    """The example after the words that end with ``begin``."""
    return next(example for example in SINGLE_GOALS if f"{begin}:\n\n```toml\n{example}" in GOALS)


@pytest.mark.parametrize(
    ("begin", "seats"),
    [
        ("More pink cards than green ones", [0]),
        ("No more than one", [2, 3]),
        ("Never to lead trump unless there is no other card", [1, 2, 3]),
        ("A 9 caught by trump", [0]),
        ("which the mission must have", [0]),
        ("A trick of low cards without trump", []),
        ("As many pink as blue ones", [0]),
        ("Nobody two tricks ahead of another, at any time", [2, 3]),
        ("The first and the last trick", []),
    ],
)
def test_examples_mean_what_is_said(begin: str, seats: list[int]) -> None:
    assert meant(example(begin)) == seats


@pytest.mark.parametrize(
    ("goal", "seats"),
    [
        ('goal = { count = "run", exactly = 2 }', [0, 1]),
        ('goal = { count = "tricks", won_with = "Y9", after = "R4", at_least = 1 }', [1]),
        ('goal = { count = "tricks", won_with = "R4", after = "Y9", at_least = 1 }', []),
        ('goal = { count = "tricks", won_with = "R", captures = "9s", at_least = 1 }', [0]),
        ('goal = { count = "tricks", holds = "9s", exactly = 2 }', [0, 1]),
        ('goal = { count = "tricks", only = "B G", at_least = 1 }', [1]),
        ('goal = { count = "tricks", closed_with = "G", at_least = 2 }', [1]),
        ('goal = { count = "tricks", sum_at_most = 14, at_least = 1 }', [1]),
        ('goal = { count = "tricks", numbers = ["last"], at_least = 1 }', [1]),
        ('goal = { count = "cards", cards = "P", exactly = "all" }', [0]),
        ('goal = { any_of = [{ count = "tricks", exactly = 0 }, { count = "cards", cards = "B9", exactly = 1 }] }', [1, 2, 3]),
        ('goal = [{ count = "tricks", exactly = 2 }, { count = "cards", cards = "R4", exactly = 0 }]', [1]),
        ('goal = { count = "openings", cards = "B", exactly = 1 }', [0]),
        ('goal = { count = "tricks", against = "others-together", exactly = 0 }', [0, 1]),
        ('goal = { count = "tricks", against = "captain", at_most = -1 }', [2, 3]),
    ],
)
def test_the_words_mean_what_the_page_says(goal: str, seats: list[int]) -> None:
    assert meant(goal) == seats
