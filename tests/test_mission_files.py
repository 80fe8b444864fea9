"""Missions of one's own: names, what may be left out, faults with their lines, contradictions, and the command that checks."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from deepcrew.cli import cli
from deepcrew.solver import loads, mission_files
from deepcrew.solver.contradictions import SETTINGS, contradictions, possible_somewhere, settings_of
from deepcrew.solver.errors import InputError
from deepcrew.solver.exclusions import random_play
from deepcrew.solver.goals import CrewGoal, GoalForm, goal_form
from deepcrew.solver.mission_files import check_mission_file, read_mission_file, read_mission_files
from deepcrew.solver.missions import Mission, find_missions, load_missions
from deepcrew.solver.positions import Position
from deepcrew.solver.referee import Referee
from deepcrew.solver.toml_lines import lines_of

DATA = Path(__file__).parent.parent / "data"
ONE = 'game = "planet-nine"\n[[mission]]\nnumber = 1\n'


@pytest.fixture
def own(tmp_path: Path):
    """Write a mission file and give its path."""

    def write(text: str | bytes, name: str = "my.toml") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def refused(path: str | Path) -> str:
    with pytest.raises(InputError) as caught:
        read_mission_file(path)
    message = str(caught.value)
    assert "\n" not in message
    return message


# Names.


def test_missions_are_named_by_their_file(own) -> None:
    path = own(ONE + "tasks = 3\n[[mission]]\nnumber = 2\ntasks = 1\n[[mission]]\nnumber = 5\ntasks = 2\n")
    missions = read_mission_file(path)
    assert [mission.name for mission in missions] == ["my/1", "my/2", "my/5"]
    assert {mission.game for mission in missions} == {"planet-nine"}
    assert find_missions("my", missions) == list(missions)
    assert find_missions("my/5,1-2", missions) == [missions[2], missions[0], missions[1]]
    assert find_missions("planet-nine/3", missions) == [load_missions()[2]]
    with pytest.raises(InputError, match="unknown mission my/3: my has missions 1, 2 and 5"):
        find_missions("my/3", missions)
    with pytest.raises(InputError, match="the game 'mine': known are planet-nine, deep-sea, my"):
        find_missions("mine/1", missions)


@pytest.mark.parametrize("name", ["my.toml", "größer_2.toml", "a-b.c.toml", "_x", "m"])
def test_names_that_can_be_typed(own, name: str) -> None:
    (mission,) = read_mission_file(own(ONE + "tasks = 1", name))
    assert find_missions(mission.name, [mission]) == [mission]


@pytest.mark.parametrize("name", ["my missions.toml", "a,b.toml", "-x.toml", "3.toml", "é!.toml", ".toml", "a:b.toml"])
def test_names_that_cannot_be_typed(own, name: str) -> None:
    assert "its name must begin with a letter" in refused(own(ONE + "tasks = 1", name))


@pytest.mark.parametrize("name", ["planet-nine.toml", "deep-sea.toml"])
def test_names_of_games_are_taken(own, name: str) -> None:
    assert "that is the name of a game" in refused(own(ONE + "tasks = 1", name))


def test_two_files(own, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    paths = own(ONE + "tasks = 1"), own(ONE + "tasks = 2", "your.toml"), own(ONE + "tasks = 2", "more/my.toml")
    assert [mission.name for mission in read_mission_files(paths[:2])] == ["my/1", "your/1"]
    with pytest.raises(InputError, match="two mission files are called 'my'"):
        read_mission_files([paths[0], paths[2]])


# What may be left out.


def test_what_is_left_out_is_as_usual(own) -> None:
    (mission,) = read_mission_file(own(ONE + "tasks = 3"))
    assert (mission.distribution, mission.end, mission.text, mission.communication.mode) == ("round-robin", "tasks", "", "normal")
    (mission,) = read_mission_file(own(ONE + 'crew_goals = [{ who = "captain", goal = { count = "tricks", at_least = 1 } }]'))
    assert (mission.tasks, mission.distribution, mission.end) == (0, None, "full-hand")
    (mission,) = read_mission_file(own('game = "deep-sea"\n[[mission]]\nnumber = 1\ndifficulty = 3'))
    assert (mission.distribution, mission.end) == ("round-robin-with-passing", "tasks")


@pytest.mark.parametrize(("game", "file"), [("planet-nine", "planet_nine"), ("deep-sea", "deep_sea")])
def test_the_missions_of_the_games_are_sound_as_ones_own(own, game: str, file: str) -> None:
    table = tomllib.loads((DATA / f"{file}.toml").read_text("utf-8"))
    lines = (DATA / f"{file}.toml").read_text("utf-8").split("\n[[")
    blocks = [block for block in lines if block.startswith(("mission]]", "mission.open]]"))]
    missions = read_mission_file(own(f'game = "{game}"\n[[' + "\n[[".join(blocks)))
    assert len(missions) == len(table["mission"])
    for mission, known in zip(missions, load_missions(game), strict=True):
        assert (mission.name, mission.crew_goals, mission.roles) == (f"my/{known.number}", known.crew_goals, known.roles)
        assert (mission.tokens, mission.end, mission.distribution) == (known.tokens, known.end, known.distribution)


def test_readings_and_variants_of_ones_own(own) -> None:
    text = 'game = "deep-sea"\n[[mission]]\nnumber = 1\ndifficulty = 3\nseconds = 60\nuntimed = { difficulty = 4 }\n'
    text += '[[mission.open]]\nquestion = "Really?"\ndefault = "yes"\nalternatives = [{ name = "no", text = "no", change = {'
    (mission,) = read_mission_file(own(text + ' distribution = "free" } }]'))
    assert mission.variant("untimed").read_as("no").difficulty == 4
    assert (mission.read_as("no").distribution, mission.read_as("no").name) == ("free", "my/1")
    assert "line 7: mission 1: open: reading 'no': unknown distribution 'fre'" in refused(own(text + ' distribution = "fre" } }]'))


# Files that cannot be read.


def test_files_that_cannot_be_read(own, tmp_path: Path) -> None:
    assert refused(tmp_path / "none.toml").endswith("none.toml': No such file or directory")
    (tmp_path / "folder.toml").mkdir()
    assert "is a directory: a mission file is a file in TOML" in refused(tmp_path / "folder.toml")
    assert refused("a\0.toml").startswith("a mission file cannot be called")
    assert refused(own(b"game = 1\n\n# \xff\n")).endswith("my.toml, line 3: this is not text in UTF-8, as TOML must be")
    assert "the file is empty" in refused(own(""))
    assert "the file is empty" in refused(own(b"\xef\xbb\xbf \r\n\r\n"))
    assert "there is no [[mission]] in this file" in refused(own('game = "planet-nine"\n'))
    assert "line 2: mission must be a list" in refused(own('game = "planet-nine"\nmission = 3\n'))
    assert len(read_mission_file(own(b"\xef\xbb\xbf" + ONE.replace("\n", "\r\n").encode() + b"tasks = 1\r\n"))) == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [("game = \n", 1), ('game = "planet-nine"\n\n[[mission]\n', 3), (ONE + "tasks = [1,\n", 4), (ONE + "tasks = 1\ntasks = 2\n", 5)],
)
def test_what_is_not_toml_has_a_line(own, text: str, line: int) -> None:
    assert f"my.toml, line {line}: this is not TOML: " in refused(own(text))


# Faults and their lines.

FAULTY = '''game = "planet-nine"
[[mission]]
number = 1
tasks = 3
tokens = ["1", "1"]
crew_goals = [
    { who = "evrybody", goal = { count = "tricks", at_least = 1 } },
    { who = "everyone", goal = [
        { count = "tricks", at_least = 1 },
        { count = "trickz", at_least = 1 },
        { count = "cards", at_least = 1 },
    ] },
    { who = "anyone", goal = { any_of = [
        { count = "tricks", at_least = 1 },
        { count = "tricks", at_least = 1, captures = "Z9" },
    ] } },
]
[[mission]]
number = 2
taks = 3
end = "never"
communication = { mode = "noise" }
[[mission.open]]
question = """
Two
lines?"""
default = "yes"
[[mission]]
number = 2
tasks = 1
[[mission]]
number = 2
tasks = "3"
events = [{ kind = "random-take", after_trick = 1, from = "above" }]
[[mission]]
tasks = 3
difficulty = 3
five_player_rule = true
distribution = "free"
[[mission]]
number = 3
[[mission]]
number = 4
tasks = 3
roles = [
    { name = "a", by = "captain" },
    { name = "a", by = "captain", among = "all" },
]
'''
FAULTS = [
    "line 5: mission 1: tokens: two tasks carry the token 1: each token exists once",
    "line 7: mission 1: crew_goals[0]: unknown who 'evrybody', did you mean 'everyone'?",
    "line 10: mission 1: crew_goals[1]: goal, condition 2: count must be one of cards, tricks, openings, run, not 'trickz'",
    "line 11: mission 1: crew_goals[1]: goal, condition 3: count 'cards' needs cards",
    "line 15: mission 1: crew_goals[2]: goal, condition 2: captures: unknown card 'Z9'",
    "line 20: mission 2: unknown key 'taks', did you mean 'tasks'?",
    "line 21: mission 2: unknown end 'never': known are tasks, goal, full-hand, last-trick",
    "line 22: mission 2: communication: unknown mode 'noise', did you mean 'none'?",
    "line 23: mission 2: open[0]: key 'alternatives' is missing",
    "line 33: mission 2: tasks must be a whole number, not '3'",
    "line 34: mission 2: events[0]: unknown from 'above': known are left, right",
    "line 37: mission block 5: difficulty belongs to deep-sea, and the game of this file is planet-nine",
    "line 39: mission block 5: unknown distribution 'free': known are round-robin, captain-decision, captain-distribution",
    "line 35: mission block 5: key 'number' is missing",
    "line 40: mission 3: key 'tasks' is missing, or 'difficulty' or 'task_cards' instead of it",
    "line 46: mission 4: roles[0]: a role has by and among, or left_of instead",
    "line 45: mission 4: roles must have different names, none of them 'everyone' or 'anyone' or 'together' or 'captain'",
]


def test_every_fault_is_named_with_its_line(own) -> None:
    path = own(FAULTY)
    report = check_mission_file(path)
    found = [error.removeprefix(f"{path}, ") for error in report.errors]
    assert [error.partition(": unknown card 'Z9'")[0] for error in found] == [fault.partition(": unknown card 'Z9'")[0] for fault in FAULTS]
    assert refused(path) == report.errors[0]
    assert [mission.name for mission in report.missions] == ["my/2"]


def test_a_number_is_taken_once(own) -> None:
    twice = ONE + "tasks = 1\n[[mission]]\nnumber = 1\ntasks = 1"
    assert "line 6: mission 1: number 1 is taken by an earlier mission" in refused(own(twice))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ('gam = "x"', "line 1: unknown key 'gam', did you mean 'game'?"),
        ("[[mission]]\nnumber = 1", "line 1: key 'game' is missing"),
        ('game = "planet-nin"\n[[mission]]', "line 1: unknown game 'planet-nin', did you mean 'planet-nine'?"),
        ("game = 3\n[[mission]]", "line 1: game must be a string, not 3"),
        (ONE + "[[task]]\nslug = 'x'", "line 4: unknown key 'task'"),
        ('game = "deep-sea"\n[[mission]]\nnumber = 1\ntasks = 3', "line 4: mission 1: tasks must be 0 in deep-sea"),
        ('game = "deep-sea"\n[[mission]]\nnumber = 1\ndifficulty = 26', "line 4: mission 1: difficulty must be at most 25, not 26"),
        ('game = "deep-sea"\n[[mission]]\nnumber = 1\ntask_cards = ["win_P"]', "unknown task_cards 'win_P', did you mean 'win_P3'?"),
        ('game = "deep-sea"\n[[mission]]\nnumber = 1\ndifficulty = 2\ntokens = ["1"]', "line 5: mission 1: tokens belongs to planet-nine"),
    ],
)
def test_more_faults(own, text: str, message: str) -> None:
    assert message in refused(own(text))


def test_the_highest_difficulty_is_that_of_a_load() -> None:
    assert mission_files.HARDEST == loads.HARDEST


# The line of every part of a document.


def parts(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths to all parts of a document as tomllib reads it."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from parts(item, (*path, key))


@pytest.mark.parametrize("path", sorted(DATA.glob("*.toml")), ids=lambda path: path.name)
def test_every_part_of_a_document_has_a_line(path: Path) -> None:
    text = path.read_text("utf-8")
    lines = lines_of(text)
    assert set(lines) == set(parts(tomllib.loads(text)))
    keys = [(place, line) for place, line in lines.items() if isinstance(place[-1], str)]
    assert all(str(place[-1]) in text.split("\n")[line - 1] for place, line in keys)


def test_lines_of_what_toml_allows() -> None:
    text = "\n".join([
        'a = "# no = comment" # a = 3',  # 1
        "'b c'.d = [ # [",
        "  1979-05-27 07:32:00, '''",
        "x = [ ''''', [",
        "    { y = 1, z.w = \"\\\"]\" },",  # 5
        "  ],",
        "]",
        "[t]",
        'e = """',
        '\\""" f = 1 """"',  # 10
        "[[t.u]]",
        "g = { }",
        "[[t.u]]",
        "g = 1_000.5e-3",
        "[t.u.h]",  # 15
        "i = true",
    ])  # fmt: skip
    lines = lines_of(text)
    assert set(parts(tomllib.loads(text))) <= set(lines)
    assert {".".join(map(str, path)): line for path, line in lines.items()} == {
        "a": 1, "b c": 2, "b c.d": 2, "b c.d.0": 3, "b c.d.1": 3, "b c.d.2": 4, "b c.d.2.0": 5, "b c.d.2.0.y": 5, "b c.d.2.0.z": 5,
        "b c.d.2.0.z.w": 5, "t": 8, "t.e": 9, "t.u": 11, "t.u.0": 11, "t.u.0.g": 12, "t.u.1": 13, "t.u.1.g": 14, "t.u.1.h": 15,
        "t.u.1.h.i": 16,
    }  # fmt: skip


# Contradictions.


def mission_of(own, rest: str, game: str = "planet-nine") -> Mission:
    """A mission that may be contradictory, which ``read_mission_file`` would refuse."""
    report = check_mission_file(own(f'game = "{game}"\n[[mission]]\nnumber = 1\n{rest}'))
    (mission,) = report.missions
    return mission


def goals(*whos_and_goals: str) -> str:
    pairs = zip(whos_and_goals[::2], whos_and_goals[1::2], strict=True)
    return "crew_goals = [" + ", ".join(f'{{ who = "{who}", goal = {goal} }}' for who, goal in pairs) + "]"


FIRST = '{ count = "tricks", numbers = [1], exactly = 1 }'
ROLES = 'roles = [{ name = "a", by = "crew", among = "all" }, { name = "b", by = "crew", among = "all" }]\n'


FIVE_OR_THREE = '[{ count = "tricks", at_least = 6 }, { count = "run", at_least = 1 }, { count = "tricks", at_most = 4 }]'
NO_NINE, SOME_NINE = ('{ count = "tricks", won_with = "9s", ' + bound + " = 1 }" for bound in ("at_most", "at_least"))
PROVED = {
    goals("anyone", '{ count = "tricks", at_least = 5, at_most = 3 }'): "crew_goals[0]: at_least 5 is more than at_most 3",
    goals("captain", '{ count = "tricks", exactly = 14 }'): (
        "crew_goals[0]: exactly asks for 14 tricks, but there can be only 13 with 2 or 3 players, and other numbers do not help"
    ),
    goals("captain", '{ count = "cards", cards = "9s", at_least = 5 }'): (
        "crew_goals[0]: at_least asks for 5 cards, but there can be only 4 with 2 or 3 players"
    ),
    goals(
        "captain", '{ count = "tricks", won_with = "R", at_least = 5 }'
    ): "crew_goals[0]: at_least asks for 5 tricks, but there can be only 4",
    goals("captain", FIVE_OR_THREE): "crew_goals[0]: conditions 1 and 3 contradict each other",
    goals("everyone", '{ count = "tricks", at_least = 5 }'): (
        "crew_goals[0]: 5 tricks for each of 3 seats are 15 in all, but there can be only 13"
    ),
    goals("everyone", '{ count = "tricks", against = "each-other", at_least = 1 }'): "crew_goals[0]: this can never hold",
    goals("together", NO_NINE.replace("1 }", "0 }"), "together", SOME_NINE): "crew_goals[0] and crew_goals[1] contradict each other",
    ROLES + goals("a", '{ count = "tricks", exactly = 7 }', "b", '{ count = "tricks", at_least = 7 }'): (
        "crew_goals[0] and crew_goals[1] contradict each other"
    ),
    ROLES + goals("a", FIRST, "b", FIRST): "crew_goals[0] and crew_goals[1] contradict each other",
    goals("captain", '{ count = "tricks", won_with = "P1", captures = "P9", at_least = 1 }'): "crew_goals[0]: this can never hold",
    goals(
        "captain", '{ any_of = [{ count = "tricks", exactly = 14 }, { count = "run", at_least = 14 }] }'
    ): "crew_goals[0]: this can never",
    goals("together", '{ count = "tricks", sum_at_least = 45, at_least = 1 }'): "crew_goals[0]: this can never hold",
    goals("anyone", '{ count = "run", at_least = 2, always = true }'): "crew_goals[0]: this can never hold",
    # with as many cards as places in the tricks every trump is played, and a trump wins its trick
    goals("together", '{ count = "tricks", won_with = "R", exactly = 0 }'): "crew_goals[0]: this can never hold",
}


@pytest.mark.parametrize(("rest", "reason"), PROVED.items())
def test_contradictions_are_proved(own, rest: str, reason: str) -> None:
    path = own(ONE + rest)
    (error,) = check_mission_file(path).errors
    line = 4 + rest.count("\n")
    assert error.startswith(f"{path}, line {line}: mission 1: {reason}")
    assert error.endswith(", so nobody can ever win it")
    assert refused(path) == error


def test_task_cards_and_goals_can_contradict_each_other(own) -> None:
    rest = 'task_cards = ["zero_tricks", "win_all_9s"]\n' + goals("together", '{ count = "cards", cards = "P9", exactly = 0 }')
    mission = mission_of(own, rest, "deep-sea")
    assert set(contradictions(mission).values()) == {"crew_goals[0] and task_cards: win_all_9s contradict each other"}


@pytest.mark.parametrize(
    ("rest", "reasons"),
    [
        (goals("everyone", '{ count = "tricks", at_least = 3 }'), {"4 players": "12 in all", "5 players": "15 in all"}),
        (goals("anyone", '{ count = "tricks", numbers = [9], exactly = 1 }'), {"5 players": "but there can be only 0"}),
        (goals("together", '{ count = "cards", cards = "G", at_least = 9 }'), {"2 or 3 players in the challenge": "only 0"}),
    ],
)
def test_contradictions_with_some_numbers_of_players(own, rest: str, reasons: dict[str, str]) -> None:
    mission = mission_of(own, rest)
    found = {setting.name: reason for setting, reason in contradictions(mission).items()}
    assert found.keys() == reasons.keys()
    assert all(reasons[name] in found[name] for name in found)
    assert possible_somewhere(mission) == (len(found) < len(settings_of(mission)))


def test_an_event_that_never_comes_is_a_note(own) -> None:
    path = own(ONE + 'tasks = 1\nevents = [{ kind = "random-take", after_trick = 8, from = "left" }]')
    report = check_mission_file(path)
    note = f"{path}, line 5: mission 1: events[0]: after_trick 8 is never over before the end with 5 players"
    assert (report.errors, report.notes) == ((), (note,))


def test_what_only_some_players_cannot_win_is_a_note(own) -> None:
    path = own(ONE + goals("everyone", '{ count = "tricks", at_least = 3 }'))
    report = check_mission_file(path)
    assert report.errors == ()
    assert report.notes == (
        f"{path}, line 4: mission 1: crew_goals[0]: 3 tricks for each of 4 seats are 12 in all, but there can be only 10, "
        "so nobody can win it with 4 players",
        f"{path}, line 4: mission 1: crew_goals[0]: 3 tricks for each of 5 seats are 15 in all, but there can be only 8, "
        "so nobody can win it with 5 players",
    )
    assert len(read_mission_file(path)) == 1


@pytest.mark.parametrize("game", ["planet-nine", "deep-sea"])
def test_no_mission_of_the_games_is_contradictory(game: str) -> None:
    assert [mission.name for mission in load_missions(game) if contradictions(mission)] == []


@pytest.mark.long
def test_no_reading_is_contradictory() -> None:
    for mission in (*load_missions(), *load_missions("deep-sea")):
        for name in (reading.name for question in mission.open_questions for reading in question.alternatives):
            assert contradictions(mission.read_as(name)) == {}, (mission.name, name)


_SETS = ["P", "R", "9s", "1s", "colours", "B12 G9", "P5", "R4"]


def _condition(random: Random) -> dict[str, Any]:
    """A condition without bounds."""
    condition: dict[str, Any] = {"count": random.choice(["cards", "tricks", "tricks", "tricks", "openings", "run"])}
    if condition["count"] in ("cards", "openings"):
        condition["cards"] = random.choice(_SETS)
    if condition["count"] == "cards" and random.random() < 0.3:
        condition["minus"] = random.choice(_SETS)
    if condition["count"] == "openings" and random.random() < 0.3:
        condition["by_choice"] = True
    if condition["count"] == "tricks":
        for key in ("won_with", "captures", "holds", "only", "closed_with", "after"):
            condition |= {key: random.choice(_SETS)} if random.random() < 0.15 else {}
        condition |= {"numbers": random.choice([[1], ["last"], [1, 2, 3], [2, 4, "last"]])} if random.random() < 0.15 else {}
        condition |= {"equal": ["P", "B"]} if random.random() < 0.1 else {}
        condition |= {"sum_at_least": 15} if random.random() < 0.1 else {}
    if random.random() < 0.3:
        condition["against"] = random.choice(["captain", "each-other", "others-together"])
    if random.random() < 0.3:
        condition["always"] = True
    return condition


def _tightest(table: Referee, who: str, condition: dict[str, Any]) -> GoalForm | None:
    """The goal with the tightest bounds that the line of a referee keeps; None when the vocabulary cannot say it.

    For ``anyone`` only the lower bound: the upper one may be kept by somebody else.
    """
    if who == "together" and ("against" in condition or condition["count"] == "run"):
        return None
    position, bounds = table.position, {}
    for key, values in (("at_least", range(-40, 41)), ("at_most", range(40, -41, -1)))[: 1 if who == "anyone" else 2]:
        low, high = 0, len(values) - 1  # the first value is kept, and so is every one before one that is
        while low < high:
            middle = (low + high + 1) // 2
            form = goal_form({**condition, key: values[middle]}, "")
            resolved = form.resolve(position.players, position.tricks, position.captain)
            duties = CrewGoal(who, form).duties(resolved, position.players, position.captain, (), {})
            low, high = (middle, high) if all(map(table._fulfilling, duties)) else (low, middle - 1)
        bounds[key] = values[low]
    return goal_form(condition | bounds, "")


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(6, 60))])
def test_what_a_line_of_play_reaches_is_never_called_contradictory(own, seed: int) -> None:
    random = Random(seed)
    setting = SETTINGS[seed % 3]
    hands, cards = random_play(random, setting.seats)
    line = tuple(cards[t * setting.seats : (t + 1) * setting.seats] for t in range(setting.tricks))
    table = Referee(Position(hands, (), line))
    reached: list[CrewGoal] = []
    while len(reached) < 3:
        who, condition = random.choice(["everyone", "anyone", "together", "captain"]), _condition(random)
        form = _tightest(table, who, condition)
        reached += [] if form is None else [CrewGoal(who, form)]
    mission = mission_of(own, goals("captain", '{ count = "tricks", at_least = 0 }'))
    object.__setattr__(mission, "crew_goals", tuple(reached))
    assert setting not in contradictions(mission), reached


# The command.


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["missions", *arguments], env={"DEEPCREW_DEBUG": "1"})


def test_check_names_all_faults(own) -> None:
    path = own(FAULTY)
    result = run("--check", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [f"Error: {error}" for error in check_mission_file(path).errors]
    result = run("--check", str(path), "--json")
    assert [json.loads(line)["error"] for line in result.stdout.splitlines()] == list(check_mission_file(path).errors)


def test_check_says_that_a_file_is_fine(own) -> None:
    path = own(ONE + goals("everyone", '{ count = "tricks", at_least = 3 }'))
    result = run("--check", str(path))
    assert (result.exit_code, len(result.stderr.splitlines())) == (0, 2)
    assert all(line.startswith("Note: ") for line in result.stderr.splitlines())
    assert result.stdout.splitlines() == [f"{path} is fine: 1 mission", "my/1            No task cards. Decided over the full hand."]
    (mission,) = map(json.loads, run("--check", str(path), "--json").stdout.splitlines())
    assert (mission["name"], mission["game"]) == ("my/1", "planet-nine")
    assert mission["crew_goals"] == [{"who": "everyone", "goal": {"count": "tricks", "at_least": 3}}]


def test_missions_of_ones_own_are_listed(own) -> None:
    path = str(own(ONE + "tasks = 3\n[[mission]]\nnumber = 2\ntasks = 1"))
    assert [line.split()[0] for line in run("--mission-file", path).stdout.splitlines()] == ["my/1", "my/2"]
    assert run("--mission-file", path, "my/2", "planet-nine/1").stdout.count("One task.") == 2
    assert run("--mission-file", path, "my/3").exit_code == 2
    result = run("my/2")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "--mission-file FILE" in result.stderr


def test_check_goes_alone(own) -> None:
    path = str(own(ONE + "tasks = 3"))
    assert run("--check", path, "planet-nine").exit_code == run("--check", path, "--mission-file", path).exit_code == 2


def test_readings_are_listed() -> None:
    text = " ".join(run("planet-nine/17").stdout.split())
    assert "Open: Does the ban on 9s go on after the last task? Here: no" in text
    assert "Other readings: full-hand: yes, to the end of the hand." in text
    (mission,) = map(json.loads, run("planet-nine/17", "--json").stdout.splitlines())
    (question,) = mission["readings"]
    assert set(question) == {"question", "default", "alternatives"}
    assert question["alternatives"] == [{"name": "full-hand", "text": "yes, to the end of the hand"}]
