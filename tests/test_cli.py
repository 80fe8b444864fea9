"""The command line: what it prints where, its exit codes, and one sentence for every wrong input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from deepcrew import __version__
from deepcrew.cli import cli
from deepcrew.solver import rates, show, verdicts
from deepcrew.solver.cards import parse_card, parse_hand
from deepcrew.solver.cases import case_from_position, parse_plays, position_from_case
from deepcrew.solver.deals import deal
from deepcrew.solver.drafts import DISTRIBUTIONS, DRAFTS
from deepcrew.solver.errors import InputError
from deepcrew.solver.goals import goal_form
from deepcrew.solver.missions import find_missions
from deepcrew.solver.positions import Position, Task
from deepcrew.solver.rates import Load, Progress, Rate
from deepcrew.solver.referee import Referee
from deepcrew.solver.taskcards import find_task_card, load_task_cards
from deepcrew.solver.verdicts import ENGINES, Verdict

HANDS = ["P159 B28 G3 Y47 R14", "P28 B19 G147 Y258", "P36 B347 G29 Y19 R2", "P47 B56 G568 Y36 R3"]
BY_HAND = ["solve", "--hands", " / ".join(HANDS)]
CASE = {"hands": HANDS, "tasks": [{"task": "B6", "owner": 1, "token": "1"}, {"task": "G3", "token": "2"}]}
# In trick 2 seat 3 wins G3, the task of seat 0.
DEEP_SEA = ["solve", "--hands", " / ".join(HANDS).replace("R", "S")]
LOST = {"hands": HANDS, "tasks": [{"task": "B9", "owner": 1}, {"task": "G3", "owner": 0}], "plays": ["B2 B9 B3 B6", "G1 G2 G5 G3"]}
COMMANDS = sorted(cli.commands)


def run(*arguments: str, text: str | bytes | None = None) -> Result:
    """Run a command; a fault of ours is raised here rather than turned into an exit code."""
    result = CliRunner().invoke(cli, arguments, input=text, env={"DEEPCREW_DEBUG": "1"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def answers(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def refused(*arguments: str, text: str | bytes | None = None) -> str:
    """The one sentence with which a run without any result ends in exit code 2."""
    result = run(*arguments, text=text)
    assert result.exit_code == 2
    assert result.stdout == ""
    errors = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 1
    assert result.stderr.splitlines()[-1] == errors[0]
    assert "Traceback" not in result.stderr
    return errors[0].removeprefix("Error: ")


def process(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """The real program in a process of its own."""
    code = "import sys; from deepcrew.cli import main; sys.argv[0] = 'deepcrew'; main()"
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": Path(__file__).parent, **options}
    return subprocess.Popen([sys.executable, "-c", code, *arguments], **options)


# Help.


def test_version() -> None:
    result = run("--version")
    assert result.stdout == f"deepcrew, version {__version__}\n"


def test_the_commands() -> None:
    assert {"deal", "missions", "rate", "solve", "tasks"} <= set(COMMANDS)


@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_has_help_with_an_example(command: str, option: str) -> None:
    result = run(*command.split(), option)
    assert result.exit_code == 0
    assert f"Examples:\n    deepcrew {command}" in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained(command: str) -> None:
    options = [option for option in cli.commands[command].params if isinstance(option, click.Option)]
    assert options
    assert all(option.help for option in options)


def test_choices_are_those_of_the_solver() -> None:
    options = {option.name: option for option in cli.commands["rate"].params}
    assert tuple(options["engine"].type.choices) == ENGINES  # type: ignore[attr-defined]
    assert tuple(options["distribution"].type.choices) == DISTRIBUTIONS  # type: ignore[attr-defined]


def test_examples_in_the_help_are_played() -> None:
    """Every example parses: the commands in it exist, with these options."""
    for command in COMMANDS:
        text = (cli.commands[command].help or "").partition("Examples:\n")[2]
        for example in text.replace("/\n", "/ ").strip().splitlines():
            for part in example.split("|"):
                words = part.replace('"', "").split()
                assert words[:1] == ["deepcrew"]
                known = {name for option in cli.commands[words[1]].params for name in option.opts}
                assert {word for word in words if word.startswith("--")} <= known


def test_help_does_not_load_the_kernels() -> None:
    code = (
        "import sys; from deepcrew.cli import cli; cli(['rate', '--help'], standalone_mode=False)\n"
        "cli(['tasks', 'no_P'], standalone_mode=False); cli(['missions', 'deep-sea'], standalone_mode=False)\n"
        "assert not {'numba', 'numpy', 'polars', 'pysat'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, cwd=Path(__file__).parent)


# solve.


def test_solve_by_hand_prints_the_line_trick_by_trick() -> None:
    result = run(*BY_HAND, "--task", "B6@1:1", "--task", "G3")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout.startswith("winnable: all tasks are completed after trick ")
    assert "trick  seat 0  seat 1  seat 2  seat 3  won by  completes" in result.stdout
    assert "\x1b" not in result.stdout


def test_hands_may_be_given_once_per_seat() -> None:
    per_seat = [word for hand in HANDS for word in ("--hands", hand)]
    one, other = (answers(run("solve", *hands, "--task", "G3@0", "--json"))[0] for hands in (BY_HAND[1:], per_seat))
    assert one["verdict"] == other["verdict"] == "winnable"
    assert one["line"] == other["line"]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_line_in_json_is_legal_and_wins(engine: str) -> None:
    [answer] = answers(run("solve", "-", "--json", "--engine", engine, text=json.dumps(CASE)))
    assert answer["verdict"] == "winnable"
    line = parse_plays([" ".join(trick) for trick in answer["line"]])
    position = position_from_case({**CASE, "plays": [" ".join(trick) for trick in answer["line"]]})
    assert position.plays == line
    assert Referee(position).won
    assert answer["owners"][0] == 1


def test_plays_are_kept() -> None:
    [answer] = answers(run(*BY_HAND, "--task", "B6@1", "--plays", "P1 P8 P3 P4 / B1 B3", "--json"))
    assert answer["line"][0] == ["P1", "P8", "P3", "P4"]
    assert answer["line"][1][:2] == ["B1", "B3"]


def test_lost_cases_say_why() -> None:
    result = run("solve", "-", text=json.dumps(LOST))
    assert result.exit_code == 0
    assert result.stdout.startswith("unwinnable: ")
    assert "\nReason: " in result.stdout
    assert "won by" not in result.stdout


def test_a_mission_by_hand() -> None:
    position = deal(1, 0, 4, load=Load.of(find_missions("planet-nine/10")[0]))
    case = case_from_position(position)
    tasks = [word for task in case["tasks"] for word in ("--task", task["task"])]
    [answer] = answers(run("solve", "--hands", "/".join(case["hands"]), *tasks, "--mission", "planet-nine/10", "--json"))
    assert answer["verdict"] == "winnable"
    assert "has four tasks" in refused(*BY_HAND, "--task", "B6", "--mission", "planet-nine/10")


def test_the_five_player_rule_can_be_left_out() -> None:
    deals = [deal(26, index, 5, load=Load.of(find_missions("planet-nine/32")[0]), draft="random") for index in range(25)]
    text = "\n".join(json.dumps(case_from_position(position)) for position in deals)
    with_rule, without = (answers(run("solve", "-", "--json", *option, text=text)) for option in ([], ["--without-five-player-rule"]))
    moved = [answer["moved"] for answer in with_rule if "moved" in answer]
    assert len(moved) >= sum(a["verdict"] != b["verdict"] for a, b in zip(with_rule, without, strict=True)) > 0
    assert all(set(move) == {"task", "from", "to"} and move["from"] != move["to"] for move in moved)
    place = next(index for index, answer in enumerate(with_rule) if "moved" in answer)
    shown = run("solve", "-", text=text.splitlines()[place]).stdout
    task = deals[place].tasks[moved[0]["task"]]
    assert f"Task {task.name('planet-nine')} moves from seat {moved[0]['from']} to seat {moved[0]['to']}" in shown


@pytest.mark.parametrize("form", ["list", "lines"])
def test_many_cases_are_answered_in_order_and_bad_ones_named(form: str) -> None:
    cases: list[Any] = [CASE, {"hands": HANDS[:3]}, LOST, 7, {**CASE, "tasks": []}]
    text = json.dumps(cases, indent=1) if form == "list" else "\n".join(json.dumps(case) for case in cases) + "\n\nnot json\n"
    result = run("solve", "-", "--json", text=text)
    assert result.exit_code == 2
    objects = [json.loads(line) for line in result.stdout.splitlines()]
    where = "case" if form == "list" else "line"
    assert [answer.get("verdict") for answer in objects[:5]] == ["winnable", None, "unwinnable", None, "winnable"]
    assert objects[1]["error"].startswith(f"{where} 2: missing cards ")
    assert objects[3]["error"].startswith(f"{where} 4: ")
    assert result.stderr.splitlines() == [f"Error: {answer['error']}" for answer in objects if "error" in answer]
    if form == "lines":
        assert objects[5]["error"].startswith("malformed JSON at line 7 ")


def test_many_cases_as_text_end_with_a_summary() -> None:
    result = run("solve", "-", text="\n".join([json.dumps(CASE), json.dumps(LOST), "{}"]))
    assert result.exit_code == 2
    assert result.stdout.startswith("line 1\nwinnable: ")
    assert "\n\nline 2\nunwinnable: " in result.stdout
    assert result.stdout.endswith("\n3 cases: 1 winnable, 1 unwinnable, 1 bad\n")
    assert result.stderr == 'Error: line 3: a case needs "hands": a list of hands, seat 0 first\n'


def test_a_key_that_means_nothing_is_named_once() -> None:
    remarks = {"id": 7, "verdict": "winnable", "line": [], "seed": 1}
    result = run("solve", "-", text="\n".join(json.dumps({**CASE, **more}) for more in (remarks, {"goals": []}, {"goals": [], "x": 1})))
    assert result.exit_code == 0
    assert result.stderr == "".join(
        f"Note: line {line}: the key {key!r} means nothing in a case and is ignored\n" for line, key in ((2, "goals"), (3, "x"))
    )


def test_of_a_list_with_a_key_given_twice_the_rest_is_answered() -> None:
    twice = json.dumps(CASE)[:-1] + ', "tasks": []}'
    result = run("solve", "-", text=f"[{twice},{json.dumps(CASE)}]")
    assert result.exit_code == 2
    assert "\nwinnable" in result.stdout
    assert result.stderr == "Error: case 1: the key 'tasks' stands twice in a case\n"


def test_a_slash_may_end_the_hands() -> None:
    for end in ("/", " /", " / "):
        assert run("solve", "--hands", " / ".join(HANDS) + end, "--task", "B6@1").stdout.startswith("winnable"), end


def test_cases_come_from_a_file_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        (tmp_path / "cases.jsonl").write_bytes(mark + json.dumps(CASE).encode() + b"\r\n" + json.dumps(LOST).encode() + b"\r\n")
        assert [answer["verdict"] for answer in answers(run("solve", str(tmp_path / "cases.jsonl"), "--json"))] == [
            "winnable",
            "unwinnable",
        ]


def test_limits_leave_undecided() -> None:
    [answer] = answers(run("solve", "-", "--json", "--engine", "search", "--limit-nodes", "1", text=json.dumps(CASE)))
    assert (answer["verdict"], answer["line"]) == ("undecided", None)
    result = run("solve", "-", "--engine", "search", "--limit-nodes", "1", text=json.dumps(CASE))
    assert result.stdout.startswith("undecided (the limit was reached first, ")


def test_deals_can_be_piped_into_solve() -> None:
    deals = run("deal", "--count", "3", "--mission", "planet-nine/10", "--draft", "random").stdout
    assert [answer["verdict"] in ("winnable", "unwinnable") for answer in answers(run("solve", "-", "--json", text=deals))] == [True] * 3


# solve, Deep Sea.


def test_goals_by_hand_say_from_which_trick_on_they_held() -> None:
    result = run(*DEEP_SEA, "--task", "zero_tricks", "--task", "win_B1_B2_B3@2")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("winnable: every goal holds for good from trick ")
    assert "   2  P36 B347 G29 Y19 S2  win_B1_B2_B3" in lines
    assert "win_B1_B2_B3  Take the blue 1, the blue 2 and the blue 3." in lines
    assert "trick  seat 0  seat 1  seat 2  seat 3  won by  holds from here on" in lines
    assert lines[-2].startswith("   10 ")  # all tricks, for the last one may still spoil a goal
    assert lines[-1] == "> leads, * wins the trick"
    held = [line for line in lines if line.startswith("   ") and line.endswith(("zero_tricks", "win_B1_B2_B3")) and "*" in line]
    [number] = re.findall(r"from trick ([0-9]+) of 10 on", lines[0])
    assert held[-1].split()[0] == number


def test_the_game_follows_from_tasks_and_mission_or_is_given() -> None:
    by_option = answers(run(*DEEP_SEA, "--game", "deep-sea", "--mission", "12", "--json"))
    [by_name] = answers(run(*DEEP_SEA, "--mission", "deep-sea/12", "--json"))
    assert [answer["verdict"] for answer in by_option] == [by_name["verdict"]] == ["unwinnable"]
    text = run(*DEEP_SEA, "--mission", "deep-sea/12").stdout
    assert text.startswith("unwinnable: no legal play reaches the goal of the crew (")
    assert "\nthe crew  Nobody may open a trick with a pink card or a submarine, not even the first.\n" in text
    assert "belongs to deep-sea, but the game of the case is planet-nine" in refused(
        *DEEP_SEA, "--game", "planet-nine", "--mission", "deep-sea/12"
    )
    assert "unknown game 'chess'" in refused(*DEEP_SEA, "--game", "chess")


def test_a_crew_goal_alone_shows_the_whole_line() -> None:
    result = run(*DEEP_SEA, "--mission", "deep-sea/8")
    assert result.stdout.startswith("winnable: the goal of the crew holds when the last trick is over (")
    assert len([line for line in result.stdout.splitlines() if "*" in line and ">" in line]) == 10 + 1


def test_predictions_are_announced() -> None:
    tasks = ["--task", "predict_open@1", "--task", "predict_secret@2", "--task", "last_trick@3"]
    [answer] = answers(run(*DEEP_SEA, *tasks, "--json"))
    position = position_from_case(
        {"game": "deep-sea", "hands": HANDS, "plays": [" ".join(trick) for trick in answer["line"]], "tasks": [{"task": "no_S"}]}
    )
    winners = [winner for _, _, winner, _ in Referee(position).history]
    assert answer["announced"] == {"predict_open": winners.count(1), "predict_secret": winners.count(2)}
    assert f" Here: {show.plural(winners.count(1), 'trick')}." in run(*DEEP_SEA, *tasks).stdout
    assert answers(run(*DEEP_SEA, "--task", "last_trick", "--json"))[0]["announced"] is None
    assert answers(run(*BY_HAND, "--task", "G3", "--json"))[0]["announced"] is None


def test_a_task_card_at_two_seats_is_noted() -> None:
    result = run(*DEEP_SEA, "--task", "predict_open@1", "--task", "predict_open@2", "--json")
    assert result.exit_code == 0
    assert result.stderr == "Note: task predict_open is given to seats 1 and 2, but the box has it once\n"
    assert set(json.loads(result.stdout)["announced"]) == {"predict_open@1", "predict_open@2"}


def test_deals_of_deep_sea_can_be_piped_into_solve() -> None:
    deals = run("deal", "--count", "3", "--difficulty", "6", "--draft", "random").stdout
    result = run("solve", "-", text=deals)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith("3 cases: ")


# solve, more than a plain table.

COLUMNS = ["P59 B124 G23 Y26 R1234", "P346 B6789 G5678 Y49", "B5/B3 Y8/P8 Y3/G4 Y7/G9 Y5/P2 P1/P7 G1/Y1"]
TWELVE = ["--mission", "planet-nine/12", "--task", "P1:omega", "--task", "B6", "--task", "G3", "--task", "Y9"]


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_two_players_by_hand(seat: int) -> None:
    hands = [*COLUMNS[:2]]
    hands.insert(seat, COLUMNS[2])
    per_seat = [word for hand in hands for word in ("--hands", hand)]
    for given in (["--hands", " / ".join(hands)], ["--hands", "  /  ".join(hands)], per_seat):
        result = run("solve", *given, "--task", "Y2", "--task", "B5")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.startswith("winnable: all tasks are completed after trick ")
        assert f"\n   {seat}  {COLUMNS[2]}  " in result.stdout
    [answer] = answers(run("solve", *per_seat, "--task", "Y2", "--json"))
    line = [" ".join(trick) for trick in answer["line"]]
    assert len(line) == 13
    assert Referee(position_from_case({"hands": hands, "tasks": [{"task": "Y2"}], "plays": line})).won
    assert "still lies hidden under another card of seat" in refused("solve", *per_seat, "--plays", " ".join(_first_trick(hands)))


def _first_trick(hands: list[str]) -> list[str]:
    """A first trick, led with trump 4, to which the third hand plays a card that is not open yet."""
    cards = ["R4", "Y9"]
    order = [hands.index(COLUMNS[0]), (hands.index(COLUMNS[0]) + 1) % 3, (hands.index(COLUMNS[0]) + 2) % 3]
    cards.insert(order.index(hands.index(COLUMNS[2])), "Y1")
    return cards[: cards.index("Y1") + 1]


def test_a_distress_signal_by_hand() -> None:
    result = run(*BY_HAND, "--task", "B6@0", "--distress", "left", "--passes", "P1,P8,B3,G5")
    assert result.exit_code == 0
    assert "\nDistress signal, passed to the left: seat 0 P1, seat 1 P8, seat 2 B3, seat 3 G5\n" in result.stdout
    [answer] = answers(run(*BY_HAND, "--task", "B6@0", "--distress", "right", "--json"))
    [passed] = answer["passes"]
    assert (passed["after"], passed["to"], len(passed["cards"])) == (0, "right", 4)
    case = {**CASE, "tasks": [{"task": "B6", "owner": 0}], "distress": "right", "passes": passed["cards"]}
    assert Referee(position_from_case({**case, "plays": [" ".join(trick) for trick in answer["line"]]})).won
    assert "passes need a distress signal" in refused(*BY_HAND, "--passes", "P1 P8 B3 G5")
    for passes, words in (
        ("R1 P8 B3 G5", "R1 cannot be passed"),
        ("P1 P8 B3", "3 cards are passed"),
        ("P8 P1 B3 G5", "seat 0 passes P8, which it does not hold"),
        ("P1 P8 B3 Q5", "unknown card 'Q5'"),
    ):
        assert words in refused(*BY_HAND, "--distress", "any", "--passes", passes)


@pytest.mark.parametrize("engine", ["auto", "sat"])
def test_a_distress_signal_for_every_case_read(engine: str) -> None:
    load = Load.of(find_missions("planet-nine/46")[0])
    text = "\n".join(json.dumps(case_from_position(deal(26, index, 5, load=load))) for index in range(10))
    before, after = (answers(run("solve", "-", "--json", "--engine", engine, *more, text=text)) for more in ([], ["--distress", "any"]))
    assert sum(answer["verdict"] == "winnable" for answer in after) >= sum(answer["verdict"] == "winnable" for answer in before)
    assert all(answer["passes"][0]["after"] == 0 for answer in after if answer["verdict"] == "winnable")


def test_a_signal_changes_nothing_without_tasks() -> None:
    result = run(*BY_HAND, "--distress", "left")
    assert result.exit_code == 0
    assert result.stdout.startswith("winnable: there are no tasks (")


def test_roles_by_hand() -> None:
    result = run(*BY_HAND, "--mission", "planet-nine/5", "--role", "ill member=2")
    assert "\nThe ill member is seat 2\n" in result.stdout
    [answer] = answers(run(*BY_HAND, "--mission", "planet-nine/50", "--role", "closer=3", "--json"))
    assert answer["verdict"] == "winnable"
    assert set(answer["roles"]) == {"opener", "closer"}
    assert answer["roles"]["closer"] == 3 != answer["roles"]["opener"]
    for role, words in (
        ("ill member=0", "the captain, seat 0, cannot be the ill member"),
        ("ill member=4", "seat 4 of the ill member is out of range"),
        ("ill member=-1", "malformed role"),
        ("ill member", "malformed role 'ill member': write NAME=SEAT"),
        ("=2", "malformed role '=2'"),
        ("sick=2", "no role 'sick'"),
    ):
        assert words in refused(*BY_HAND, "--mission", "planet-nine/5", "--role", role)
    assert answers(run(*BY_HAND, "--mission", "5", "--role", "ill member=0", "--reading", "captain-eligible", "--json"))


@pytest.mark.parametrize("engine", ["auto", "sat"])
def test_cards_taken_by_hand(engine: str) -> None:
    """In trick 1 nobody has to play one of the four cards named, so from each hand that one is taken."""
    taken = ["P5", "P8", "B3", "G5"]
    result = run(*BY_HAND, *TWELVE, "--takes", ",".join(taken), "--json", "--engine", engine)
    assert result.exit_code == 0, result.stderr
    [answer] = [json.loads(line) for line in result.stdout.splitlines()]
    assert answer["verdict"] == "winnable"
    assert answer["passes"] == [{"after": 1, "to": "left", "cards": taken}]
    assert not set(answer["line"][0]) & set(taken)


def test_three_ways_to_take_cards() -> None:
    case = json.dumps(case_from_position(deal(1, 0, 4, load=Load.of(find_missions("planet-nine/12")[0]))))
    notes = {}
    for way in ("seeded", "best", "expected"):
        result = run("solve", "-", "--json", "--random-take", way, text=case)
        answer = json.loads(result.stdout)
        assert answer["verdict"] == "winnable"
        assert ("expected" in answer) == (way == "expected")
        notes[way] = result.stderr
    assert len(set(notes.values())) == 3
    assert all("random take: " in note for note in notes.values())
    assert "upper bound" in notes["seeded"]


def test_the_challenge_by_hand() -> None:
    hands = "P158 B345 Y34 R34 / P467 B189 Y1278 / P239 B267 Y569 R2"
    for option in ([], ["--challenge"]):
        assert answers(run("solve", "--hands", hands, "--task", "P7", *option, "--json"))[0]["verdict"] == "winnable"
    assert "task G1 names a card that is not in this deck" in refused("solve", "--hands", hands, "--task", "G1")
    assert "the challenge deck is for three hands" in refused(*BY_HAND, "--challenge")


def test_another_reading_by_hand() -> None:
    """Seat 0 has to lead pink or a submarine once all it holds is of that kind."""
    result = run(*DEEP_SEA, "--mission", "deep-sea/12", "--reading", "forced-lead-allowed")
    assert result.exit_code == 0
    assert "forced-lead-alowed', did you mean 'forced-lead-allowed'?" in refused(
        *DEEP_SEA, "--mission", "deep-sea/12", "--reading", "forced-lead-alowed"
    )


MY_MISSION = """[[mission]]
number = 1
tasks = 1
distribution = "round-robin"
end = "tasks"

[[mission]]
number = 2
tasks = 0
end = "full-hand"
text = "Nobody wins a trick with a 9."
crew_goals = [{ who = "everyone", goal = { count = "tricks", won_with = "9s", exactly = 0 } }]
"""


def test_missions_of_my_own_are_missions_everywhere(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text('game = "planet-nine"\n\n' + MY_MISSION)
    file = ["--mission-file", str(tmp_path / "my.toml")]
    assert [mission["name"] for mission in answers(run("missions", *file, "--json"))] == ["my/1", "my/2"]
    [case] = answers(run("deal", *file, "--mission", "my/1", "--players", "5"))
    assert (case["mission"], len(case["tasks"])) == ("my/1", 1)
    [answer] = answers(run("solve", "-", *file, "--json", text=json.dumps(case)))
    assert answer["verdict"] == "winnable"
    assert "those of a file of your own need --mission-file FILE" in refused("solve", "-", text=json.dumps(case))
    result = run(*BY_HAND, *file, "--mission", "my/2")
    assert "\nthe crew  Nobody wins a trick with a 9.\n" in result.stdout
    rates = answers(run("rate", *file, "my/1-2", "--deals", "10", "--workers", "1", "--json", "--players", "2,4"))
    assert [(rate["mission"], rate["players"]) for rate in rates] == [("my/1", 2), ("my/1", 4), ("my/2", 2), ("my/2", 4)]
    assert len(answers(run("rate", *file, "--deals", "5", "--workers", "1", "--json"))) == 2


# What solve prints, on a game of four cards.

SMALL = Position(
    (parse_hand("P1 R4"), parse_hand("P23")), (Task(parse_card("P1"), 1, "1"), Task(parse_card("P3"))), deck=parse_hand("P123 R4")
)


def verdict(name: str = "winnable", decided_by: str = "search", **rest: Any) -> Verdict:
    return Verdict(name, decided_by, nodes=1234, seconds=0.00157, **rest)


def test_text_of_a_winnable_verdict() -> None:
    line = parse_plays(["P1 P2", "P3 R4"])
    assert show.verdict_text(SMALL, verdict(line=line, owners=(1, 0), won_after=2)).splitlines() == [
        "winnable: all tasks are completed after trick 2 of 2 (by search, 1,234 cards tried, 1.57 ms)",
        "",
        "seat  hand   tasks",
        "   0  P1 R4  P3     captain",
        "   1  P23    P1:1",
        "",
        "trick  seat 0  seat 1  won by  completes",
        "    1  >P1      P2*    seat 1  P1:1",
        "    2   R4*    >P3     seat 0  P3",
        "> leads, * wins the trick",
    ]


def test_tricks_after_the_win_are_left_to_the_players() -> None:
    position = Position(SMALL.hands, SMALL.tasks[:1], deck=SMALL.deck)
    text = show.verdict_text(position, verdict(line=parse_plays(["P1 P2", "P3 R4"]), owners=(1,), won_after=1))
    assert text.endswith("    1  >P1      P2*    seat 1  P1:1\n> leads, * wins the trick; trick 2: any legal cards")


def test_text_of_an_unwinnable_verdict() -> None:
    assert show.verdict_text(SMALL, verdict("unwinnable", "sat", reason="pink alone makes it impossible")).splitlines() == [
        "unwinnable: no legal play completes every task, whoever takes the tasks (by SAT, 1,234 cards tried, 1.57 ms)",
        "Reason: pink alone makes it impossible.",
        "",
        "seat  hand   tasks",
        "   0  P1 R4  -      captain",
        "   1  P23    P1:1",
        "Tasks up to the draft (round-robin): P3",
    ]


def test_without_tasks_every_play_wins() -> None:
    position = Position(SMALL.hands, (), deck=SMALL.deck)
    text = show.verdict_text(position, verdict(line=parse_plays(["P1 P2", "P3 R4"]), owners=(), won_after=0))
    assert text.startswith("winnable: there are no tasks (")
    assert "won by" not in text


# rate.


def a_rate(load: Load, players: int, deals: int, **options: Any) -> Rate:
    """A rate as if 90% of the deals were winnable."""
    given = options.get("progress")
    for done in (0, deals // 2, deals) if given else ():
        given(Progress(done, deals, done * 9 // 10, 0, 0, done // 100, 0.5))
    case = case_from_position(deal(options["seed"], 0, players, tasks=load.tasks))
    return Rate(
        load, players, options["draft"], options["seed"], options["first"], deals, deals * 9 // 10, deals - deals * 9 // 10, 0,
        0.9, 0.88, 0.92, deals - 3, 3, 0.5, slowest=[(players / 10 + step / 100, case) for step in range(options["slowest"])],
    )  # fmt: skip


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int, dict[str, Any]]]:
    """The calls of ``rates.rate``, which is faked."""
    seen: list[tuple[str, int, int, dict[str, Any]]] = []

    def fake(load: Load, players: int, deals: int, **options: Any) -> Rate:
        seen.append((show.load_name(load), players, deals, options))
        return a_rate(load, players, deals, **options)

    monkeypatch.setattr(rates, "rate", fake)
    return seen


def test_a_real_rate_as_a_table() -> None:
    result = run("rate", "planet-nine/10", "--players", "4,5", "--deals", "60", "--workers", "1")
    assert result.exit_code == 0
    assert result.stderr == ""
    header, *rows = (line.split() for line in result.stdout.splitlines())
    assert header[:3] == ["load", "players", "draft"]
    assert [row[:5] for row in rows] == [["planet-nine/10", "4", "best", "4", "60"], ["planet-nine/10", "5", "best", "4", "60"]]


def test_a_real_rate_in_json_is_repeatable() -> None:
    arguments = ["rate", "--tasks", "6", "--draft", "random", "--deals", "60", "--seed", "5", "--json"]
    one, other = (answers(run(*arguments, "--workers", workers))[0] for workers in ("1", "2"))
    assert one["mission"] is None
    assert one["deals"] == one["winnable"] + one["unwinnable"] == 60
    assert one["winnable"] == other["winnable"]


def test_a_deal_of_a_rate_is_the_one_that_deal_prints() -> None:
    load = ["--tasks", "6", "--players", "4", "--draft", "random", "--seed", "3"]
    [rate] = answers(run("rate", *load, "--deals", "30", "--json", "--workers", "1", "--slowest", "2"))
    assert len(rate["slowest"]) == 2
    for case in rate["slowest"]:
        assert case.pop("seconds") > 0
        assert answers(run("deal", *load, "--first", str(case["index"]))) == [case]


def test_defaults_of_a_rate(calls: list[Any]) -> None:
    assert run("rate", "planet-nine/22").exit_code == 0
    [(load, players, deals, options)] = calls
    assert (load, players, deals) == ("planet-nine/22", 4, 10_000)
    del options["progress"]
    assert options == {
        "seed": 1, "first": 0, "draft": "best", "engine": "auto", "workers": None, "limit_nodes": None, "limit_seconds": None,
        "slowest": 0, "five_player_rule": True, "distress": None, "until": None,
    }  # fmt: skip


def test_options_of_a_rate_are_passed_on(calls: list[Any]) -> None:
    text = "--seed 9 --first 50 --deals 7 --draft random --engine sat --workers 3 --limit-nodes 5 --limit-seconds 0.5 --slowest 2"
    text += " --distress left"
    assert run("rate", "planet-nine/25", "--players", "5", "--without-five-player-rule", *text.split()).exit_code == 0
    [(_, players, deals, options)] = calls
    assert (players, deals) == (5, 7)
    del options["progress"]
    assert options == {
        "seed": 9, "first": 50, "draft": "random", "engine": "sat", "workers": 3, "limit_nodes": 5, "limit_seconds": 0.5,
        "slowest": 2, "five_player_rule": False, "distress": "left", "until": None,
    }  # fmt: skip


def test_cells_are_every_load_with_every_number_of_players_and_draft(calls: list[Any]) -> None:
    result = run("rate", "planet-nine/1-2", "planet-nine/2,4", "--players", "3,4", "--players", "5", "--draft", "best,random")
    assert result.exit_code == 0
    cells = [(load, players, options["draft"]) for load, players, _, options in calls]
    assert cells == [(f"planet-nine/{n}", players, draft) for n in (1, 2, 4) for players in (3, 4, 5) for draft in DRAFTS]
    assert len(result.stdout.splitlines()) == 1 + len(cells)


def test_loads_without_a_mission(calls: list[Any]) -> None:
    assert run("rate", "--tasks", "3-5,10", "--tokens", "1,o", "--distribution", "captain-decision").exit_code == 0
    assert [load for load, *_ in calls] == [f"{n} tasks 1 omega captain-decision" for n in (3, 4, 5, 10)]


def test_every_mission_of_planet_nine_is_a_cell(calls: list[Any]) -> None:
    rates = answers(run("rate", "planet-nine/1-50", "--players", "2,3,4,5", "--json"))
    cells = [(f"planet-nine/{n}", players) for n in range(1, 51) for players in (2, 3, 4, 5)]
    assert [(rate["mission"], rate["players"]) for rate in rates] == cells
    assert len(calls) == 200


def test_a_range_plays_what_it_can_and_names_the_rest(calls: list[Any]) -> None:
    result = run("rate", "planet-nine/4-6,25", "--players", "2,3,4,5", "--challenge", "--json")
    assert result.exit_code == 0
    assert [(load, players) for load, players, *_ in calls] == [(f"planet-nine/{n}", p) for n in (4, 5, 6, 25) for p in (2, 3)]
    assert all(json.loads(line)["challenge"] for line in result.stdout.splitlines())
    assert [line for line in result.stderr.splitlines() if "left out" in line] == [
        f"planet-nine/{n} with {p} players is left out: the challenge deck is for 3 players or 2, not for {p}"
        for n in (4, 5, 6, 25)
        for p in (4, 5)
    ]


def test_numbers_of_tasks_that_do_not_fit_are_left_out(calls: list[Any]) -> None:
    result = run("rate", "--tasks", "1-3", "--tokens", "1,2")
    assert result.exit_code == 0
    assert [load for load, *_ in calls] == ["2 tasks 1 2", "3 tasks 1 2"]
    assert result.stderr.startswith("--tasks 1 is left out: the tokens 1 2 need a task each")


@pytest.mark.usefixtures("calls")
def test_the_table_of_rates() -> None:
    result = run("rate", "--tasks", "8", "--deals", "20000")
    assert [" ".join(line.split()) for line in result.stdout.splitlines()] == [
        "load players draft tasks deals winnable 95% interval unwinnable undecided by search by SAT deals/s",
        "8 tasks 4 best 8 20,000 90.00% 88.00%-92.00% 2,000 0 19,997 3 40,000",
    ]
    header, row = result.stdout.splitlines()
    assert len(header) == len(row)


@pytest.mark.usefixtures("calls")
def test_the_slowest_deals_follow_the_table_as_cases() -> None:
    result = run("rate", "--tasks", "2", "--players", "3,4", "--deals", "10", "--slowest", "3")
    lines = result.stdout.splitlines()
    assert lines[3] == ""
    slowest = [json.loads(line) for line in lines[4:]]
    assert [case["seconds"] for case in slowest] == [0.42, 0.41, 0.4]
    assert {case["players"] for case in slowest} == {4}
    [three, four] = answers(run("rate", "--tasks", "2", "--players", "3,4", "--deals", "10", "--slowest", "3", "--json"))
    assert [case["seconds"] for case in three["slowest"]] == [0.32, 0.31, 0.3]
    assert four["slowest"] == slowest


def test_a_rate_without_a_decided_deal_has_no_share() -> None:
    rate = Rate(Load(3), 4, "best", 1, 0, 10, 0, 0, 10, None, 0.0, 1.0, 0, 0, 0.0)
    assert show.rate_row(rate, 7).split()[6:10] == ["-", "0%-100%", "0", "10"]


def test_shares_are_all_or_nothing_only_when_they_are() -> None:
    assert [show.percent(share) for share in (0.0, 1e-9, 0.5, 0.71234, 1 - 1e-9, 1.0)] == [
        "0%",
        "0.01%",
        "50.00%",
        "71.23%",
        "99.99%",
        "100%",
    ]


def test_progress_lines() -> None:
    assert show.progress_text("1 of 2: 8 tasks", Progress(0, 1000, 0, 0, 0, 0, 0.0)) == "1 of 2: 8 tasks [------------] 0/1,000"
    text = show.progress_text("1 of 1: 8 tasks", Progress(500, 1000, 396, 99, 5, 10, 2.0))
    assert text == "1 of 1: 8 tasks [######------] 500/1,000  winnable 80.00%  2s left  250 deals/s  SAT 2.00%  undecided 5"
    assert [show.duration(seconds) for seconds in (0.4, 59.4, 59.6, 125, 11400)] == ["0s", "59s", "1m 00s", "2m 05s", "3h 10m"]


# rate and deal, more than a plain table.


def test_a_rate_with_a_distress_signal_shows_what_it_gains() -> None:
    result = run("rate", "planet-nine/46", "--distress", "any", "--deals", "40", "--workers", "1")
    header, row = (line.split() for line in result.stdout.splitlines())
    assert header[-1] == "gained"
    [rate] = answers(run("rate", "planet-nine/46", "--distress", "any", "--deals", "40", "--workers", "1", "--json"))
    assert (rate["distress"], str(rate["gained"])) == ("any", row[-1])
    [without] = answers(run("rate", "planet-nine/46", "--deals", "40", "--workers", "1", "--json"))
    assert rate["winnable"] == without["winnable"] + rate["gained"]
    assert (without["distress"], without["gained"]) == (None, None)


@pytest.mark.parametrize("way", ["seeded", "best", "expected"])
def test_a_rate_names_how_cards_are_taken(way: str) -> None:
    options = ["rate", "planet-nine/12", "--deals", "4", "--random-take", way, "--workers", "1"]
    result = run(*options)
    assert result.exit_code == 0
    assert f"random take: {way}" in result.stderr
    assert ("expected" in result.stdout.splitlines()[0]) == (way == "expected")
    [rate] = answers(run(*options, "--json"))
    assert rate["takes"] == way
    assert (rate["expected"] is None) == (way != "expected")


def test_a_rate_names_another_reading() -> None:
    result = run("rate", "planet-nine/17", "--reading", "full-hand", "--deals", "10", "--workers", "1")
    assert "Here: yes, to the end of the hand." in result.stderr
    [rate] = answers(run("rate", "planet-nine/17", "--reading", "full-hand", "--deals", "10", "--workers", "1", "--json"))
    assert rate["readings"] == ["Does the ban on 9s go on after the last task? Here: yes, to the end of the hand."]


@pytest.mark.parametrize(
    "words",
    [
        "planet-nine/12 --players 2 --third-seat 0",
        "planet-nine/46 --players 2",
        "planet-nine/46 --players 3 --reading leftover-harmless",
        "planet-nine/50 --players 3 --challenge",
        "planet-nine/10 --players 2 --challenge --third-seat 1",
        "planet-nine/42 --players 5",
        "deep-sea/19 --players 4 --reading leftmost",
        "deep-sea/9 --players 2",
    ],
)
def test_deals_of_every_table_are_those_of_the_rate(words: str) -> None:
    mission, *options = words.split()
    rest = ["--draft", "random", "--seed", "4"]
    [rate] = answers(run("rate", mission, *options, *rest, "--deals", "12", "--json", "--workers", "1", "--slowest", "3"))
    assert (rate["deals"], rate["undecided"]) == (12, 0)
    for case in rate["slowest"]:
        assert case.pop("seconds") > 0
        assert answers(run("deal", "--mission", mission, *options, *rest, "--first", str(case["index"]))) == [case]
    deals = run("deal", "--mission", mission, *options, *rest, "--count", "12").stdout
    verdicts = [answer["verdict"] for answer in answers(run("solve", "-", "--json", text=deals))]
    assert verdicts.count("winnable") == rate["winnable"]


def test_constraints_hold_for_two_players_and_for_the_challenge() -> None:
    for options in (["--players", "2"], ["--players", "3", "--challenge"]):
        cases = answers(run("deal", *options, "--count", "5", "--holds", "0:R4", "--apart", "P9,P8"))
        everything = {case["index"]: case for case in answers(run("deal", *options, "--count", str(cases[-1]["index"] + 1)))}
        assert all(everything[case["index"]] == case for case in cases)
        for case in cases:
            hands = position_from_case(case).hands
            assert hands[0] >> parse_card("R4") & 1
            assert not any(hand & parse_hand("P89") == parse_hand("P89") for hand in hands)


# rate, Deep Sea.


def test_a_real_rate_of_deep_sea_as_a_table_and_in_json() -> None:
    result = run("rate", "--difficulty", "3", "--players", "3", "--deals", "60", "--workers", "1")
    header, row = (line.split() for line in result.stdout.splitlines())
    assert header[-2:] == ["redealt", "replaced"]
    assert row[:6] == ["difficulty", "3", "3", "best", "-", "60"]
    [rate] = answers(run("rate", "--difficulty", "3", "--players", "3", "--deals", "60", "--workers", "1", "--json"))
    assert (rate["mission"], rate["variant"], rate["tasks"], rate["difficulty"]) == (None, None, None, 3)
    assert row[-2:] == [str(rate["redealt"]), str(rate["replaced"])]


def test_a_deal_of_a_deep_sea_rate_is_the_one_that_deal_prints() -> None:
    for load in ("--difficulty 6 --distribution free", "--task win_B4 --task zero_tricks", "deep-sea/26 --untimed --edition german-first"):
        words = load.split()
        [rate] = answers(
            run("rate", *words, "--draft", "random", "--deals", "20", "--seed", "3", "--json", "--workers", "1", "--slowest", "1")
        )
        words = ["--mission", *words] if words[0].startswith("deep") else words
        [case] = rate["slowest"]
        assert case.pop("seconds") > 0
        assert answers(run("deal", *words, "--draft", "random", "--seed", "3", "--first", str(case["index"]))) == [case]
        assert position_from_case(case).game == "deep-sea"


def test_loads_of_deep_sea(calls: list[Any]) -> None:
    assert run("rate", "--difficulty", "1-3,9", "--distribution", "free", "--edition", "german-first").exit_code == 0
    assert [load for load, *_ in calls] == [f"difficulty {n} free german-first" for n in (1, 2, 3, 9)]
    calls.clear()
    assert run("rate", "--task", "win_all_9s", "--task", "zero_tricks", "--task", "no_P", "--players", "3,4").exit_code == 0
    assert [(load, players) for load, players, *_ in calls] == [
        ("win_all_9s + zero_tricks + 1 more", 3),
        ("win_all_9s + zero_tricks + 1 more", 4),
    ]
    calls.clear()
    assert run("rate", "deep-sea/25-27", "--untimed").exit_code == 0
    assert run("rate", "deep-sea/26", "planet-nine/10", "--edition", "german-first").exit_code == 0
    assert [load for load, *_ in calls] == [
        "deep-sea/25", "deep-sea/26 untimed", "deep-sea/27", "deep-sea/26 german-first", "planet-nine/10",
    ]  # fmt: skip


def test_every_mission_of_deep_sea_is_a_cell(calls: list[Any]) -> None:
    rates = answers(run("rate", "deep-sea/1-32", "--players", "3,4,5", "--json"))
    cells = [(f"deep-sea/{n}", players) for n in range(1, 33) for players in (3, 4, 5)]
    assert [(rate["mission"], rate["players"]) for rate in rates] == cells
    assert {rate["mission"] for rate in rates if rate["variant"] == "timed"} == {f"deep-sea/{n}" for n in (14, 15, 16, 26)}
    assert len(calls) == 96


@pytest.mark.usefixtures("calls")
def test_readings_of_open_questions_are_named() -> None:
    twelve = (
        "What about a leader who holds nothing but pink cards and submarines? "
        "Here: whatever is led breaks the rule, the attempt has failed."
    )
    result = run("rate", "deep-sea/12", "--players", "3,4")
    assert result.stderr == f"The rules leave a point open, for deep-sea/12: {twelve}\n"
    assert "redealt" not in result.stdout
    [rate] = answers(run("rate", "deep-sea/12", "--json"))
    assert rate["readings"] == [twelve]
    result = run("rate", "--difficulty", "1-10")
    assert result.stderr.startswith(
        "The rules leave a point open, for difficulty 5, difficulty 6, difficulty 7, 3 more: What if nothing but "
    )
    for load in ("--difficulty 4", "--difficulty 9 --distribution free", "deep-sea/32", "--task same_as_captain", "--task no_P"):
        assert run("rate", *load.split()).stderr == "", load


def test_loads_without_owners_are_refused_or_left_out(calls: list[Any]) -> None:
    load = ["--task", "more_than_captain", "--distribution", "captain-hardest-first", "--draft"]
    assert "can be drawn that the rules allow" in refused("rate", *load, "random")
    assert calls == []
    assert "can be drawn that the rules allow" in refused("rate", *load, "best")
    result = run("rate", "--difficulty", "1-2", "--distribution", "two-volunteers")
    assert (result.exit_code, len(calls)) == (0, 1)
    assert result.stderr.startswith("difficulty 1 two-volunteers with 4 players, draft best, is left out: deal 0 of seed 1: ")


def test_a_cell_that_breaks_off_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fake(load: Load, players: int, deals: int, **options: Any) -> Rate:
        if players == 4 or deals == 7:
            raise InputError("deal 5 of seed 1: no tasks can be drawn")
        return a_rate(load, players, deals, **options)

    monkeypatch.setattr(rates, "rate", fake)
    result = run("rate", "deep-sea/7", "--players", "3,4,5", "--deals", "10")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 3
    assert "deep-sea/7 with 4 players, draft best, is left out: deal 5 of seed 1: no tasks can be drawn\n" in result.stderr
    result = run("rate", "deep-sea/7", "--players", "3,4,5", "--deals", "7")
    assert result.exit_code == 2
    assert result.stderr.endswith("Error: none of these loads can be played\n")


# missions.


def test_missions_are_listed_with_their_rules() -> None:
    result = run("missions")
    assert result.exit_code == 0
    starts = [line.split()[0] for line in result.stdout.splitlines() if line.startswith("planet-nine/")]
    assert starts == [mission.name for mission in find_missions("planet-nine")]
    assert max(map(len, result.stdout.splitlines())) <= 110


def test_missions_are_filtered_and_open_points_are_named() -> None:
    text = " ".join(run("missions", "planet-nine/10,17,25").stdout.split())
    assert text.startswith("planet-nine/10 Four tasks.")
    assert text.count("planet-nine/") == 3
    assert "with five players one task may move" in text
    assert "Open: Does the ban on 9s go on after the last task? Here: " in text
    assert "Other readings: full-hand: yes, to the end of the hand." in text
    assert "not built" not in run("missions").stdout


def test_missions_in_json() -> None:
    five, twelve, thirty_one = answers(run("missions", "planet-nine/5,12", "planet-nine/31", "--json"))
    assert [other["name"] for question in five["readings"] for other in question["alternatives"]] == ["captain-eligible"]
    assert set(five["readings"][0]) == {"question", "default", "alternatives"}
    assert set(five["readings"][0]["alternatives"][0]) == {"name", "text"}
    assert five["roles"] == [{"name": "ill member", "by": "captain", "among": "others", "answers": ["good", "bad"]}]
    assert five["crew_goals"] == [{"who": "ill member", "goal": {"count": "tricks", "exactly": 0}}]
    assert twelve["events"] == [{"kind": "random-take", "after_trick": 1, "from": "right"}]
    assert (thirty_one["name"], thirty_one["tokens"], thirty_one["readings"]) == ("planet-nine/31", ["1", "2", "3"], [])


def test_missions_of_deep_sea() -> None:
    names = [line.split()[0] for line in run("missions").stdout.splitlines() if line.startswith("deep-sea/")]
    assert names == [mission.name for mission in find_missions("deep-sea")]
    eight, twenty_six, thirty_two = answers(run("missions", "deep-sea/8,26,32", "--json"))
    goal = {"count": "cards", "cards": "9s", "against": "each-other", "at_most": 1, "always": True}
    assert eight["crew_goals"] == [{"who": "everyone", "goal": goal}]
    assert set(eight["by_players"]) == {"3"}
    assert (twenty_six["tasks"], twenty_six["difficulty"]) == (None, 10)
    assert [(way["name"], way["difficulty"], way["seconds"]) for way in twenty_six["variants"]] == [
        ("timed", 10, 300),
        ("untimed", 12, None),
    ]
    assert (thirty_two["tasks"], len(thirty_two["task_cards"]), thirty_two["crew_goals"]) == (4, 4, [])


# tasks.


def test_all_task_cards_are_listed() -> None:
    result = run("tasks")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["task", "3/4/5", "group", "asks", "for"]
    assert [line.split()[0] for line in lines[1:] if not line.startswith(" ")] == [card.slug for card in load_task_cards()]
    assert max(map(len, lines)) <= 110
    assert " ".join(result.stdout.split()).count("Not for the captain.") == 3


@pytest.mark.parametrize(
    ("arguments", "slugs"),
    [
        ("--group predict", ["predict_open", "predict_secret"]),
        ("WIN_ALL", ["win_all_3s", "win_all_9s"]),
        ("colour 9", ["win_all_9s"]),
        ("--difficulty 6", ["win_all_9s", "trick_all_even"]),
        ("--difficulty 5 --players 3", []),
        ("--difficulty 4-5 --players 3 win trick", ["only_first_trick", "only_last_trick", "zero_tricks", "predict_secret"]),
        ("unheard", []),
    ],
)
def test_task_cards_are_filtered(arguments: str, slugs: list[str]) -> None:
    result = run("tasks", *arguments.split(), "--json")
    found = [card["task"] for card in answers(result)]
    assert found == slugs
    assert result.stderr == ("" if found else "no task card fits\n")


def test_a_task_card_in_json() -> None:
    [card] = answers(run("tasks", "win_P7_with_S", "--json"))
    assert card == {
        "task": "win_P7_with_S",
        "group": "winning-card",
        "difficulty": [3, 3, 3],
        "text": "Take the pink 7 with a submarine as the winning card.",
        "goal": {"count": "tricks", "won_with": "S", "captures": "P7", "at_least": 1},
        "redeal": ["P7 S1234"],
        "not_for_captain": False,
        "prints": {},
        "note": None,
    }
    cards = {card["task"]: card for card in answers(run("tasks", "--json"))}
    assert cards["win_P9_Y8"]["prints"] == {"german-first": [2, 2, 3]}
    assert cards["trick_sum_below"]["goal"]["sum_at_most"] == {"3": 7, "4": 11, "5": 15}
    assert len(cards["all_of_one_color"]["goal"]["any_of"]) == 4
    assert all(goal_form(card["goal"], "goal") == find_task_card(slug).form for slug, card in cards.items())


# deal.


def test_deals_are_cases_with_seed_and_index() -> None:
    cases = answers(run("deal", "--count", "3", "--seed", "7", "--first", "2", "--players", "5", "--tasks", "4", "--tokens", ">,>>"))
    assert [(case["seed"], case["index"]) for case in cases] == [(7, 2), (7, 3), (7, 4)]
    assert [position_from_case(case) for case in cases] == [deal(7, index, 5, tasks=4, tokens=[">", ">>"]) for index in (2, 3, 4)]


def test_deals_of_a_mission() -> None:
    [case] = answers(run("deal", "--mission", "planet-nine/20", "--draft", "random"))
    [mission] = find_missions("planet-nine/20")
    position = position_from_case(case)
    assert position == deal(1, 0, 4, load=Load.of(mission), draft="random")
    assert (len(position.tasks), position.mission) == (2, 20)


def test_constrained_deals_keep_their_index() -> None:
    cases = answers(run("deal", "--count", "3", "--holds", "0:R4", "--together", "P9,P8", "--apart", "R1,R2,R3"))
    for case in cases:
        assert answers(run("deal", "--first", str(case["index"]))) == [case]
        hands = [parse_hand(hand) for hand in case["hands"]]
        assert hands[0] & parse_hand("R4")
        assert any(hand & parse_hand("P98") == parse_hand("P98") for hand in hands)
        assert max((hand & parse_hand("R123")).bit_count() for hand in hands) == 1


def test_deals_of_deep_sea() -> None:
    [case] = answers(run("deal", "--mission", "deep-sea/26", "--untimed", "--players", "3"))
    position = position_from_case(case)
    assert position.distribution == "two-volunteers"
    assert sum(find_task_card(task["task"]).difficulty_for(3) for task in case["tasks"]) == 12
    [case] = answers(run("deal", "--task", "win_all_9s", "--task", "zero_tricks", "--draft", "random", "--players", "5"))
    assert [task["task"] for task in case["tasks"]] == ["win_all_9s", "zero_tricks"]
    assert all("owner" in task for task in case["tasks"])
    [case] = answers(run("deal", "--difficulty", "9", "--distribution", "free", "--edition", "german-first"))
    assert (case["game"], case["distribution"], case["edition"]) == ("deep-sea", "free", "german-first")
    assert sum(find_task_card(task["task"]).difficulty_for(4, "german-first") for task in case["tasks"]) == 9


def test_constraints_hold_for_deals_that_were_dealt_anew() -> None:
    load = ["--task", "exactly_one_S", "--task", "win_S1_only_sub", "--players", "3"]
    cases = answers(run("deal", *load, "--count", "30", "--holds", "0:S1", "--apart", "S1,S2"))
    hands = [[parse_hand(hand) for hand in case["hands"]] for case in cases]
    assert all(seats[0] & parse_hand("S1") and not seats[0] & parse_hand("S2") for seats in hands)
    everything = {case["index"]: case for case in answers(run("deal", *load, "--count", str(cases[-1]["index"] + 1)))}
    assert all(everything[case["index"]] == case for case in cases)


# Wrong input.

TASKS = [{"task": "B6"}, {"task": "G3"}]


def bad(**changes: Any) -> str:
    return json.dumps({"hands": HANDS, "tasks": TASKS, **changes})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (bad(hands=["X159 B28 G3 Y47 R14", *HANDS[1:]]), ["line 1: unknown card 'X1'"]),
        (bad(tasks=["Q7"]), ["unknown card 'Q7'"]),
        (bad(hands=["P1159 B28 G3 Y47 R14", *HANDS[1:]]), ["duplicate card P1"]),
        (bad(hands=["P159 B28 G3 Y47 R24", *HANDS[1:]]), ["duplicate card R2"]),
        (bad(hands=["P159 B28 G3 Y47 R4", *HANDS[1:]]), ["missing card R1"]),
        (bad(hands=["P1592 B28 G3 Y47 R14", "P8 B19 G147 Y258", *HANDS[2:]]), ["wrong hand sizes 11/9/10/10", "10 cards each"]),
        (bad(hands=["P123456789 R1234"]), ["the number of hands is 1: "]),
        (bad(hands=[*HANDS[:2]]), ["the number of hands is 2: "]),
        (bad(hands=[*HANDS, "", ""]), ["the number of hands is 6: "]),
        (bad(players=3), ["players is 3, but 4 hands are given"]),
        (bad(tasks=[{"task": "B6", "token": "6"}]), ["unknown token '6'"]),
        (bad(tasks=[{"task": "B6", "token": "1"}, {"task": "G3", "token": "1"}]), ["two tasks carry the token 1"]),
        (bad(tasks=[{"task": "B6", "token": ">>"}]), ["token >> has no predecessor"]),
        (bad(tasks=[{"task": "B6", "token": "3"}]), ["token 3 needs at least 3 tasks"]),
        (bad(tasks=[{"task": "B6", "owner": 4}]), ["owner 4 of task B6 is out of range"]),
        (bad(tasks=[{"task": "B6", "owner": -1}]), ["owner -1 of task B6 is out of range"]),
        (bad(plays=["P1 P8 P3 B5"]), ["illegal play B5 in trick 1: seat 3 must follow suit, P1 was led"]),
        (bad(plays=["P1 P8 P3 P4", "G1 B2"]), ["illegal play B2 in trick 2: it is the turn of seat 2, which does not hold it"]),
        (bad(plays=["P1 P8", "G1 G2"]), ["trick 1 has 2 cards"]),
        (bad(mission=99), ["unknown mission planet-nine/99"]),
        (bad(mission=12), ["planet-nine/12 has four tasks with token omega, but the case has two tasks"]),
        (bad(players=2), ["two players have a third hand in columns"]),
        (bad(game="chess"), ["unknown game 'chess': what can be played is planet-nine, deep-sea"]),
        (bad(hands=[*HANDS[:3], "P47/ B56"]), ["malformed column 'P47/': write an open card, a slash and the hidden one"]),
        (bad()[:-1] + ', "tasks": []}', ["line 1: the key 'tasks' stands twice in a case"]),
        (bad(Game="chess"), ["unknown key 'Game' in a case: did you mean 'game'?"]),
        (bad(tasks=[]).replace('"tasks": []', '"tasks": [{"task": "B6", "task": "G3"}]'), ["the key 'task' stands twice in a task"]),
        (bad(players=1)[:-2] + "1" * 5000 + "}", ["malformed JSON at line 1: Exceeds the limit"]),
        (bad(distress="up"), ['unknown distress "up": it is left, right or any']),
        (bad(distress=["left"]), ["unknown distress"]),
        (bad(distress="left", passes="R1 P2 P3 P4"), ["R1 cannot be passed with the distress signal"]),
        (bad(takes="P1 P2 P3 P4"), ["takes belong to a mission"]),
        (bad(tasks=[], mission=5, roles={"ill member": 0}), ["the captain, seat 0, cannot be the ill member"]),
        (bad(tasks=[], mission=5, readings=["captain-eligble"]), ["did you mean 'captain-eligible'?"]),
        (bad(challenge=True), ["the challenge deck is for three hands, but 4 are given"]),
        (bad(distribution="auction"), ["unknown distribution 'auction'"]),
        (bad(game="chess"), ["unknown game 'chess'"]),
        ('{"hands": [}', ["malformed JSON at line 1 column 12"]),
        ("[1, 2", ["malformed JSON at line 1"]),
        ("{\n}\n}\n", ["malformed JSON at line 3"]),
        ("", ["no cases in stdin"]),
        (" \n\n", ["no cases in stdin"]),
        ("[]", ["no cases in stdin"]),
        (b"\x7fELF\x00\xff\xfe", ["stdin is not text"]),
        (b"\x00\x01\x02", ["stdin is not text"]),
        (b"\xff\xfe", ["malformed JSON at line 1", "not text in UTF-8"]),
    ],
)
def test_a_wrong_case_gives_one_sentence(text: str | bytes, words: list[str]) -> None:
    message = refused("solve", "-", text=text)
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("solve", "give either a FILE"),
        ("solve - --hands P1", "give either a FILE"),
        ("solve --task P1", "needs --hands"),
        ("solve no/such/file.json", "cannot read 'no/such/file.json': No such file or directory"),
        ("solve .", "cannot read '.'"),
        ("solve - --engine magic", "'magic' is not one of 'auto', 'search', 'sat'"),
        ("solve - --limit-nodes 0", "'--limit-nodes'"),
        ("solve - --limit-seconds 0", "'--limit-seconds'"),
        ("solve - --nonsense", "No such option"),
        ("rate", "give either missions"),
        ("rate planet-nine/1 --tasks 3", "give either missions"),
        ("rate planet-nine/1 --tokens 1", "a mission has its own"),
        ("rate planet-nine/51", "unknown mission planet-nine/51"),
        ("rate planet-ten/5", "no missions are known for the game 'planet-ten'"),
        ("rate planet-nine/9-2", "malformed range '9-2'"),
        ("rate planet-nine/10 --deals -5", "'--deals'"),
        ("rate planet-nine/10 --deals 0", "'--deals'"),
        ("rate planet-nine/10 --seed -1", "'--seed'"),
        ("rate planet-nine/10 --engine magic", "'magic' is not one of 'auto', 'search', 'sat'"),
        ("rate planet-nine/10 --draft worst", "unknown draft 'worst': it is one of best, random"),
        ("rate planet-nine/10 --draft ,", "unknown draft ''"),
        ("rate planet-nine/10 --players 3 --third-seat 1", "--third-seat is for two players"),
        ("rate planet-nine/10 --players 2 --third-seat 3", "'--third-seat'"),
        ("rate planet-nine/10 --challenge", "the challenge deck is for 3 players or 2, not for 4"),
        ("rate planet-nine/10,12 --challenge --players 4,5", "none of these loads can be played"),
        ("rate deep-sea/10 --challenge --players 3", "the challenge deck belongs to planet-nine, not to deep-sea"),
        ("rate planet-nine/10 --distress up", "'up' is not one of 'left', 'right', 'any'"),
        ("rate planet-nine/10 --distress any --engine search --deals 5", "the search alone cannot show"),
        ("rate planet-nine/12 --random-take lucky", "'lucky' is not one of 'seeded', 'best', 'expected'"),
        ("rate planet-nine/17 --reading fullhand", "unknown reading 'fullhand', did you mean 'full-hand'?"),
        ("rate planet-nine/17 --reading leftover-harmless", "unknown reading 'leftover-harmless'"),
        ("rate --tasks 3 --reading full-hand", "unknown reading 'full-hand'"),
        ("rate --mission-file no/such.toml my/1", "no/such.toml"),
        ("rate planet-nine/10 --players 1", "the number of players must be 2, 3, 4 or 5, not 1"),
        ("rate planet-nine/10 --players 3-6", "the number of players must be 2, 3, 4 or 5, not 6"),
        ("rate planet-nine/10 --players four", "malformed --players 'four'"),
        ("rate --tasks 37", "37 tasks cannot be drawn"),
        ("rate --tasks x", "malformed --tasks 'x'"),
        ("rate --tasks 5-2", "malformed --tasks '5-2'"),
        ("rate --tasks 3 --tokens 7", "unknown token '7'"),
        ("rate --tasks 3 --tokens 1,1", "two tasks carry the token 1"),
        ("rate --tasks 3 --tokens >>", "token >> has no predecessor"),
        ("rate --tasks 2 --tokens 1,2,3", "the tokens 1 2 3 need a task each: the number of tasks is 2"),
        ("rate --difficulty 0", "no draw can reach difficulty 0"),
        ("rate --difficulty 500", "no draw can reach difficulty 500"),
        ("rate --difficulty 1-26", "difficulty 26 is out of range"),
        ("rate --difficulty five", "malformed --difficulty 'five'"),
        ("rate --difficulty 4 --tasks 3", "give either missions"),
        ("rate --difficulty 4 --task no_P", "give either missions"),
        ("rate deep-sea/4 --difficulty 4", "give either missions"),
        ("rate deep-sea/4 --tokens 1", "a mission has its own"),
        ("rate deep-sea/33", "unknown mission deep-sea/33"),
        ("rate --difficulty 4 --tokens 1", "Deep Sea has no order tokens"),
        ("rate --task no_P --tokens 1", "Deep Sea has no order tokens"),
        ("rate --task no_P --task no_P", "duplicate task no_P: every task card exists once"),
        ("rate --task win_all_8s", "unknown task card 'win_all_8s', did you mean 'win_all_"),
        ("rate --task B6", "unknown task card 'B6'"),
        ("rate --difficulty 4 --distribution round-robin", "unknown distribution 'round-robin' of deep-sea"),
        ("rate --tasks 4 --distribution free", "unknown distribution 'free' of planet-nine"),
        ("rate deep-sea/4 --edition french", "unknown edition 'french'"),
        ("rate --difficulty 4 --edition french", "unknown edition 'french'"),
        ("rate planet-nine/4 --edition german-first", "edition 'german-first' does not go with planet-nine"),
        ("rate --tasks 4 --edition german-first", "--edition goes with Deep Sea"),
        ("rate deep-sea/7 planet-nine/10 --untimed", "--untimed is for missions with a clock"),
        ("rate --difficulty 4 --untimed", "--untimed goes with missions"),
        ("tasks --group compar", "unknown group 'compar', did you mean 'compare'?"),
        ("tasks --group xyz", "unknown group 'xyz': known are cards, counts, "),
        ("tasks --players 6 --difficulty 3", "'6' is not one of '3', '4', '5'"),
        ("tasks --players 4", "--players goes with --difficulty"),
        ("tasks --difficulty hard", "malformed --difficulty 'hard'"),
        ("deal --difficulty 0", "no draw can reach difficulty 0"),
        ("deal --difficulty 500", "no draw can reach difficulty 500"),
        ("deal --difficulty 3 --tasks 2", "give one of --tasks, --difficulty and --task"),
        ("deal --task no_P --task no_P", "duplicate task no_P"),
        ("deal --mission deep-sea/7 --difficulty 3", "brings its own tasks"),
        ("deal --mission deep-sea/7 --untimed", "--untimed is for missions with a clock"),
        ("deal --mission planet-nine/10 --edition german-first", "does not go with planet-nine"),
        ("deal --difficulty 4 --untimed", "--untimed goes with a mission"),
        ("deal --tasks 3 --edition german-first", "--edition goes with Deep Sea"),
        ("deal --task more_than_captain --distribution captain-hardest-first --draft random", "can be drawn that the rules allow"),
        ("solve - --game deep-sea", "give either a FILE"),
        ("missions planet-nine/0", "unknown mission planet-nine/0"),
        ("missions uno", "no missions are known for the game 'uno'"),
        ("deal --third-seat 1", "--third-seat is for two players"),
        ("deal --challenge", "the challenge deck is for 3 players or 2, not for 4"),
        ("deal --difficulty 4 --challenge --players 3", "the challenge deck belongs to planet-nine"),
        ("deal --mission planet-nine/17 --reading fullhand", "did you mean 'full-hand'?"),
        ("deal --players 6", "the number of players must be 2, 3, 4 or 5, not 6"),
        ("rate --tasks 5-3", "malformed --tasks '5-3': in a range such as 5-3 the lower number comes first"),
        ("rate --tasks 3 --deals 0", "Invalid value for '--deals': 0 is not in the range"),
        ("rate --tasks 3 --frob", "rate --help shows what can be given)"),
        ("deal --count 0", "'--count'"),
        ("deal --tasks 37", "37 tasks cannot be drawn"),
        ("deal --tasks -1", "'--tasks'"),
        ("deal --tasks 2 --tokens 1,2,3", "the tokens 1 2 3 need a task each"),
        ("deal --draft worst --tasks 2", "unknown draft 'worst'"),
        ("deal --mission planet-nine/1-3", "names 3 missions"),
        ("deal --mission planet-nine/1 --tasks 3", "brings its own tasks"),
        ("deal --holds R4", "malformed 'R4'"),
        ("deal --holds 0:R4 --holds 1:R4", "card R4 cannot be in the hands of seats 0 and 1"),
        ("deal --together P9,P8 --apart P9,P8", "P8 and P9 cannot be together and apart"),
        ("deal --together P9", "name at least two cards"),
        ("fly", "No such command 'fly'"),
        ("--fly", "No such option '--fly'"),
    ],
)
def test_a_wrong_command_line_gives_one_sentence(arguments: str, words: str) -> None:
    assert words in refused(*arguments.split())


@pytest.mark.parametrize("task", ["", "B6@", "B6@x", "@1", "B6:", "B6@1@2"])
def test_malformed_tasks_by_hand(task: str) -> None:
    assert f"malformed task {task!r}" in refused(*BY_HAND, "--task", task)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--task win_all_8s", "unknown task card 'win_all_8s', did you mean 'win_all_"),
        ("--task zerotricks@1", "unknown task card 'zerotricks', did you mean 'zero_tricks'?"),
        ("--task B6 --task no_P", "unknown task card 'B6'"),
        ("--task no_P --task no_P", "duplicate task no_P: every task card exists once"),
        ("--task no_P@1 --task no_P@1", "duplicate task no_P: every task card exists once"),
        ("--task more_than_captain@0", "so the captain, seat 0, cannot own it"),
        ("--task no_P@1:2", "task no_P has token '2', but Deep Sea has no order tokens"),
        ("--task no_P@4", "owner 4 of task no_P is out of range"),
        (
            "--task no_P@0 --task no_Y@1 --task no_S --distribution crew-picks-one",
            "the owners given do not fit the crew-picks-one distribution",
        ),
        ("--task no_P@0 --distribution round-robin", "unknown distribution 'round-robin' of deep-sea"),
        ("--task no_P --edition french", 'unknown edition "french"'),
        ("--task B6 --edition german-first", "does not go with planet-nine"),
        ("--task no_P --mission deep-sea/32", "deep-sea/32 has the tasks "),
        ("--task no_P --mission deep-sea/7", "deep-sea/7 has difficulty 6, but the tasks of the case sum to 2"),
    ],
)
def test_wrong_deals_of_deep_sea_by_hand_give_one_sentence(options: str, words: str) -> None:
    assert words in refused(*DEEP_SEA, *options.split())


# Faults, interrupts and pipes.


def test_a_fault_of_ours_is_one_sentence_and_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Verdict:
        raise RuntimeError("the referee refuses\nthe line")

    monkeypatch.setattr(verdicts, "solve", broken)
    result = CliRunner().invoke(cli, [*BY_HAND, "--task", "G3"], env={"DEEPCREW_DEBUG": None})
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "Error: a fault of deepcrew, not of the input (RuntimeError: the referee refuses the line); DEEPCREW_DEBUG=1 shows where\n"
    )
    with pytest.raises(RuntimeError, match="the referee refuses"):
        run(*BY_HAND, "--task", "G3")


def test_ctrl_c_gives_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Verdict:
        raise KeyboardInterrupt

    monkeypatch.setattr(verdicts, "solve", interrupted)
    result = run(*BY_HAND, "--task", "G3")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")
def test_ctrl_c_ends_a_running_rate_without_a_traceback() -> None:
    with process("rate", "--tasks", "3", "--deals", "100000000", "--workers", "2") as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith(b"load")
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=20) == 130
        assert running.stderr.read() == b"Interrupted.\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes of a shell")
def test_a_reader_that_goes_away_is_no_error() -> None:
    with process("deal", "--count", "1000000") as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert json.loads(running.stdout.readline())["index"] == 0
        running.stdout.close()
        assert running.wait(timeout=20) == 141
        assert running.stderr.read() == b""


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
def test_progress_is_shown_on_a_terminal_and_only_there() -> None:
    import pty

    terminal, end = pty.openpty()
    with process("rate", "--tasks", "3", "--deals", "2000", "--workers", "1", stderr=end) as running:
        os.close(end)
        shown = b""
        while True:
            try:
                part = os.read(terminal, 4096)
            except OSError:  # Linux says so when the other end is closed
                break
            shown += part
            if not part:
                break
        assert running.stdout is not None
        rows = running.stdout.read().decode().splitlines()
    os.close(terminal)
    assert running.returncode == 0
    assert b"\r\x1b[K1 of 1: 3 tasks [" in shown
    assert shown.endswith(b"\r\x1b[K")
    assert len(rows) == 2
    assert "\x1b" not in "".join(rows)
