"""The commands explain, order, prove and check: what they print, and one sentence for every wrong input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import answers, refused, run

HANDS = ["P469 B7 G14567 Y2", "P378 B1 G29 Y1345", "P5 B249 G38 Y789 R2", "P12 B3568 Y6 R134"]
BY_HAND = ["--hands", " / ".join(HANDS)]
LOST = [*BY_HAND, "--task", "Y2@0", "--task", "Y9@2"]
WON = [*BY_HAND, "--task", "Y2@1", "--task", "Y9@2"]


def case(**more: object) -> str:
    return json.dumps({"hands": HANDS, "tasks": [{"task": "Y2", "owner": 0}, {"task": "Y9", "owner": 2}], **more})


# explain


def test_explain_says_why_a_deal_is_lost() -> None:
    text = run("explain", *LOST).stdout
    assert text.startswith("unwinnable: ")
    assert "Why: seat 0 cannot win Y2 if seat 2 wins Y9" in text
    assert "Each of these alone would make it winnable:" in text
    assert "Y2 belongs to seat 1 instead of seat 0" in text


def test_explain_says_what_is_forced() -> None:
    text = run("explain", *WON).stdout
    assert text.startswith("winnable: ")
    assert "What winning attempts have in common:" in text
    assert "In the next trick, if the deal is to be won:" in text
    assert "Tightness: of 20 attempts" in text


def test_explain_finds_the_losing_play() -> None:
    tasks = [{"task": "Y2", "owner": 1}, {"task": "Y9", "owner": 2}]
    won = answers(run("solve", "-", "--json", text=case(tasks=tasks)))[0]
    plays = [" ".join(trick) for trick in won["line"][: won["won_after"]]]
    (kept,) = answers(run("explain", "-", "--json", text=case(tasks=tasks, plays=plays[:1])))
    assert kept["verdict"] == "winnable"
    losing = next((plays["seat"], plays["lose"]) for plays in kept["first_plays"] if plays["lose"])
    assert losing[1]
    (start,) = answers(run("explain", "-", "--json", text=case(tasks=tasks)))
    leader = start["first_plays"][0]
    for card in leader["lose"]:
        (lost,) = answers(run("explain", "-", "--json", text=case(tasks=tasks, plays=[card])))
        assert lost["verdict"] == "unwinnable"
        assert lost["lost_by"]["card"] == card
        assert sorted(lost["lost_by"]["instead"]) == sorted(leader["keep"])
        assert {change["kind"] for change in lost["changes"] if change["verdict"] == "winnable"} >= {"play"}


def test_explain_answers_every_case_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join([case(), case(tasks=[]), case(tasks=["Z9"])]))
    result = run("explain", str(file))
    assert result.exit_code == 2
    assert result.stdout.count("\nunwinnable: ") + result.stdout.count("\nwinnable: ") == 2
    assert result.stderr.startswith("Error: line 3: unknown card 'Z9'")
    rows = [json.loads(line) for line in run("explain", str(file), "--json").stdout.splitlines()]
    assert [row.get("verdict") for row in rows] == ["unwinnable", "winnable", None]


def test_changes_can_be_solved(tmp_path: Path) -> None:
    (answer,) = answers(run("explain", *LOST, "--json"))
    cases = [change for change in answer["changes"] if change["case"]]
    assert len(cases) > 8
    verdicts = answers(run("solve", "-", "--json", text="\n".join(json.dumps(change["case"]) for change in cases)))
    assert [verdict["verdict"] for verdict in verdicts] == [change["verdict"] for change in cases]


def test_a_limit_can_leave_the_reasons_open() -> None:
    result = run("explain", *LOST, "--limit-seconds", "1e-9")
    assert result.exit_code == 0
    assert result.stdout.startswith("undecided")


def test_notes_of_solve_are_given_too() -> None:
    deal = run("deal", "--mission", "planet-nine/12", "--players", "4").stdout
    for command in ("solve", "explain", "order"):
        assert "random take: seeded" in run(command, "-", text=deal).stderr


# order


def test_order_names_forced_pairs_and_tokens() -> None:
    tasks = [{"task": "Y2", "owner": 1, "token": "2"}, {"task": "Y9", "owner": 2, "token": "1"}, {"task": "Y8", "owner": 0}]
    result = run("order", "-", text=case(tasks=tasks))
    assert result.exit_code == 0
    assert "first in trick" in result.stdout
    assert "orders are possible" in result.stdout
    assert "The tokens can" in result.stdout


def test_order_of_an_impossible_position_points_to_explain() -> None:
    assert "deepcrew explain says why" in run("order", *LOST).stdout


def test_order_refuses_goals() -> None:
    hands = " / ".join(HANDS).replace("R", "S")
    assert "no task that shows a card" in refused("order", "--hands", hands, "--task", "zero_tricks")


# prove and check


@pytest.mark.parametrize(("deal", "verdict"), [(LOST, "unwinnable"), (WON, "winnable")])
def test_prove_and_check(deal: list[str], verdict: str, tmp_path: Path) -> None:
    out = str(tmp_path / "proof")
    text = run("prove", *deal, "--out", out).stdout
    assert text.startswith(f"{out}: {verdict}\n")
    assert "bytes in" in text
    assert run("check", out).stdout.startswith(f"{out}: {verdict}, verified by")
    (answer,) = answers(run("check", out, "--json"))
    assert answer["verdict"] == verdict
    assert answer["checked_by"]


def test_check_goes_on_after_a_proof_that_is_wrong(tmp_path: Path) -> None:
    for name, deal in (("a", LOST), ("b", WON)):
        run("prove", *deal, "--out", str(tmp_path / name))
    (tmp_path / "a" / "proof-1.drat").write_text("0\n")
    result = run("check", str(tmp_path / "a"), str(tmp_path / "b"))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "proof-1.drat: the proof does not hold" in result.stderr
    assert "winnable, verified by the referee" in result.stdout


def test_a_mission_of_ones_own_is_checked_with_its_file(tmp_path: Path) -> None:
    own = ["--mission-file", str(Path(__file__).parent.parent / "docs" / "my-missions.toml")]
    deal = run("deal", "--mission", "my-missions/1", *own, "--players", "4").stdout
    out = str(tmp_path / "proof")
    assert run("prove", "-", *own, "--out", out, text=deal).exit_code == 0
    assert run("check", out, *own).exit_code == 0
    assert "need --mission-file FILE" in refused("check", out)


def test_prove_takes_one_case(tmp_path: Path) -> None:
    out = str(tmp_path / "proof")
    assert "2 cases are given: prove takes one" in refused("prove", "-", "--out", out, text=f"{case()}\n{case()}")
    assert "unknown card" in refused("prove", "-", "--out", out, text=case(tasks=["Z9"]))
    assert not (tmp_path / "proof").exists()


def test_prove_says_where_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "exists already" in refused("prove", *LOST, "--out", str(tmp_path / "file"))
    assert "exists already" in refused("prove", *LOST, "--out", str(tmp_path))


@pytest.mark.parametrize("command", ["explain", "order", "prove"])
def test_a_deal_is_needed(command: str, tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "proof")] if command == "prove" else []
    assert "give either a FILE" in refused(command, *out)
    assert "cannot read" in refused(command, str(tmp_path / "nothing.json"), *out)
    assert "illegal play" in refused(command, "-", *out, text=case(plays=["P1 P1"]))


def test_check_of_nothing() -> None:
    assert "is no directory with a proof" in refused("check", "nowhere")
