"""The README's Python examples run, and the commands it shows exist."""

import doctest
import re
from pathlib import Path

from click.testing import CliRunner
from deepcrew.cli import cli

README = Path(__file__).parent.parent / "README.md"


def test_python_examples_in_the_readme_run() -> None:
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted >= 3
    assert results.failed == 0


def test_every_command_in_the_readme_exists() -> None:
    commands = set(re.findall(r"^(?:deepcrew|\./go) ([a-z]+)", README.read_text(encoding="utf-8"), re.MULTILINE)) - {"test"}
    assert {"solve", "deal", "rate", "missions"} <= commands
    for command in commands:
        assert CliRunner().invoke(cli, [command, "--help"]).exit_code == 0, command


def test_the_solve_example_of_the_readme_answers() -> None:
    text = README.read_text(encoding="utf-8")
    hands = re.search(r'--hands "([^"]+)"', text)
    assert hands is not None
    tasks = [word for task in re.findall(r"--task (\S+)", text) for word in ("--task", task)]
    result = CliRunner().invoke(cli, ["solve", "--hands", hands[1], *tasks])
    assert result.exit_code == 0
    assert "winnable" in result.output


def test_the_explanation_in_the_readme_is_what_explain_prints() -> None:
    text = README.read_text(encoding="utf-8")
    deal = re.search(r"^deepcrew (deal .*) > case\.json$", text, re.MULTILINE)
    why = re.search(r"^```\n(Why: .*?)^```", text, re.MULTILINE | re.DOTALL)
    assert deal is not None
    assert why is not None
    case = CliRunner().invoke(cli, deal[1].split()).output
    assert why[1] in CliRunner().invoke(cli, ["explain", "-"], input=case).output


def test_python_examples_in_the_docs_run() -> None:
    results = doctest.testfile(str(README.parent / "docs" / "proofs.md"), module_relative=False)
    assert results.attempted >= 4
    assert results.failed == 0
