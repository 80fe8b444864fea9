"""Proofs: accepted when they are right, refused by name of the file when anything in them was changed."""

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from deepcrew.solver import proofs
from deepcrew.solver.cards import FULL_DECK, format_card
from deepcrew.solver.cases import case_from_position, parse_case
from deepcrew.solver.encoding import encode
from deepcrew.solver.errors import InputError
from deepcrew.solver.loads import Load, deal_load
from deepcrew.solver.missions import find_missions
from deepcrew.solver.positions import EITHER, Exchange, Position, Task
from deepcrew.solver.proofs import Proof, check, dimacs, prove
from deepcrew.solver.referee import Referee
from deepcrew.solver.verdicts import solve
from naive import random_goal_position, random_position, random_table_position

HANDS = '["P469 B7 G14567 Y2", "P378 B1 G29 Y1345", "P5 B249 G38 Y789 R2", "P12 B3568 Y6 R134"]'
LOST = f'{{"hands": {HANDS}, "tasks": [{{"task": "Y2", "owner": 0}}, {{"task": "Y9", "owner": 2}}]}}'
WON = f'{{"hands": {HANDS}, "tasks": [{{"task": "Y2", "owner": 1}}, {{"task": "Y9", "owner": 2}}]}}'


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    prove(parse_case(LOST), tmp_path / "lost")
    return tmp_path / "lost"


@pytest.fixture
def won(tmp_path: Path) -> Path:
    prove(parse_case(WON), tmp_path / "won")
    return tmp_path / "won"


def _edit(path: Path, change: Callable[[str], str]) -> None:
    before = path.read_text()
    after = change(before)
    assert after != before
    path.write_text(after)


def _proved(position: Position, path: Path) -> Proof:
    """Prove and check a position, which must come to the same."""
    shutil.rmtree(path, ignore_errors=True)
    written, found = prove(position, path), check(path)
    assert (written.verdict, written.formulas, written.steps, written.size) == (found.verdict, found.formulas, found.steps, found.size)
    assert written.verdict == solve(position).verdict
    return found


# Right proofs.


def test_a_refutation_is_accepted(lost: Path) -> None:
    found = check(lost)
    assert found.verdict == "unwinnable"
    assert found.checker.startswith("dratify")
    assert {path.name for path in lost.iterdir()} == {"case.json", "formula-1.cnf", "proof-1.drat", "proof.json"}
    assert found.size == sum(path.stat().st_size for path in lost.iterdir())


def test_a_line_is_accepted(won: Path) -> None:
    assert check(won).checker == "the referee"
    assert {path.name for path in won.iterdir()} == {"case.json", "formula-1.cnf", "line.json", "proof.json"}


def test_python_and_compiled_checker_agree(lost: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dratify

    text = (lost / "formula-1.cnf").read_text(), (lost / "proof-1.drat").read_text()
    assert dratify.check_proof(dratify.parse_dimacs(text[0]), text[1], engine="python").ok
    monkeypatch.setitem(sys.modules, "cdclkit", None)
    assert check(lost).verdict == "unwinnable"


def test_the_formula_says_what_its_variables_mean(lost: Path) -> None:
    lines = (lost / "formula-1.cnf").read_text().splitlines()
    assert "c 1 card P1 in trick 1" in lines
    assert any(line.endswith("seat 2 wins trick 3") for line in lines)
    header = next(line for line in lines if line.startswith("p cnf"))
    encoding = encode(Referee(parse_case(LOST)))
    assert header == f"p cnf {encoding.variables} {len(encoding.clauses)}"
    said = {int(line.split()[1]) for line in lines if line.startswith("c ")}
    assert said == {abs(literal) for clause in encoding.clauses for literal in clause}


@pytest.mark.parametrize("game", ["planet-nine", "deep-sea"])
def test_random_positions(game: str, tmp_path: Path) -> None:
    rng, verdicts = Random(8), set()
    for _ in range(12):
        if game == "planet-nine":
            position = random_position(rng)
        else:
            position = random_goal_position(rng, deck=FULL_DECK, players=(3, 4, 5), games=("deep-sea",), tasks=(1, 2, 3), crew=(0,))
        verdicts.add(_proved(position, tmp_path / "proof").verdict)
    assert verdicts == {"winnable", "unwinnable"}


def test_what_no_case_tells_has_no_proof(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a case has a whole deck"):
        prove(random_table_position(Random(1)), tmp_path / "proof")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("load", "players"),
    [(Load(10), 4), (Load(5, ("1", "2", "omega")), 3), (Load(8, (">", ">>")), 5), (Load(game="deep-sea", difficulty=12), 4)],
)
def test_unwinnable_deals_have_proofs(load: Load, players: int, tmp_path: Path) -> None:
    refuted = 0
    for index in range(40):
        position = deal_load(load, players, 5, index, "random")
        if refuted < 4 and solve(position).verdict == "unwinnable":
            assert _proved(position, tmp_path / "proof").steps
            refuted += 1
    assert refuted == 4


@pytest.mark.parametrize("name", ["planet-nine/12", "planet-nine/23", "planet-nine/34", "planet-nine/46", "deep-sea/12"])
@pytest.mark.parametrize("players", [2, 5])
def test_missions_have_proofs(name: str, players: int, tmp_path: Path) -> None:
    position = deal_load(Load.of(find_missions(name)[0]), players, 2, 0, "random")
    assert _proved(position, tmp_path / "proof").formulas


def test_every_way_to_decide_beforehand_is_refuted(tmp_path: Path) -> None:
    position = parse_case(LOST)
    everything = tuple(Task(card, 0) for card in range(36))  # but seat 0 has no trump, and trumps cannot be passed
    changed = replace(position, tasks=everything, exchanges=(Exchange(0, EITHER),))
    assert solve(changed).verdict == "unwinnable"
    assert len(_proved(changed, tmp_path / "proof").formulas) == 2


def test_a_case_without_the_five_player_rule(tmp_path: Path) -> None:
    load = replace(Load.of(find_missions("planet-nine/31")[0]), five_player_rule=False)
    position = deal_load(load, 5, 1, 0, "random")
    prove(position, tmp_path / "proof", five_player_rule=False)
    check(tmp_path / "proof")


def test_the_plays_can_have_lost_already(tmp_path: Path) -> None:
    position = parse_case(LOST)
    referee = Referee(position)
    while referee.failure is None:
        referee.play(referee.legal_plays()[0])
    plays = tuple(cards for _, cards, _, _ in referee.history)
    found = _proved(replace(position, plays=plays), tmp_path / "proof")
    assert [clauses for _, clauses in found.formulas] == [2]


# Tampering.


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_literal_of_a_formula_is_refused(lost: Path, won: Path, seed: int) -> None:
    rng = Random(seed)
    for path in (lost, won):
        name = path / "formula-1.cnf"
        _edit(name, lambda text: _flipped(rng, text))
        with pytest.raises(InputError, match=r"formula-1\.cnf: not the formula of the case .* line \d+ differs"):
            check(path)


def _flipped(rng: Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    place = rng.choice([place for place, line in enumerate(lines) if not line.startswith(("c", "p"))])
    literals = lines[place].split()
    which = rng.randrange(len(literals) - 1)
    literals[which] = str(-int(literals[which]))
    lines[place] = " ".join(literals) + "\n"
    return "".join(lines)


@pytest.mark.parametrize("seed", range(12))
def test_a_changed_refutation_is_refused(lost: Path, seed: int) -> None:
    rng = Random(seed)

    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        place = rng.randrange(len(lines))
        if seed % 2:
            return "".join(lines[:place] + lines[place + 1 :])
        literals = lines[place].split()
        which = rng.randrange(len(literals))
        literals[which] = "77" if literals[which] in ("d", "0") else str(-int(literals[which]))
        return "".join([*lines[:place], " ".join(literals) + "\n", *lines[place + 1 :]])

    _edit(lost / "proof-1.drat", change)
    with pytest.raises(InputError, match=r"proof-1\.drat: (the proof does not hold|not a DRAT proof|the file was changed)"):
        check(lost)


def test_a_refutation_of_nothing_is_refused_whatever_the_digests_say(lost: Path) -> None:
    (lost / "proof-1.drat").write_text("1 2 0\n0\n")
    _sign(lost)
    with pytest.raises(InputError, match=r"proof-1\.drat: the proof does not hold: step 1"):
        check(lost)
    (lost / "proof-1.drat").write_text("")
    _sign(lost)
    with pytest.raises(InputError, match=r"proof-1\.drat: the proof does not hold: .*never derives the empty clause"):
        check(lost)


def _sign(path: Path) -> None:
    """Make the digests fit the files."""
    manifest = json.loads((path / "proof.json").read_text())
    manifest["sha256"] = {name: proofs._digest(path / name) for name in manifest["sha256"]}
    (path / "proof.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line: [line[1], line[0], *line[2:]], r"line\.json: .*refuses the line"),
        (lambda line: line[:3], r"line\.json: (the referee|.*does not accept)|the file was changed"),
        (lambda line: [line[0][::-1], *line[1:]], r"line\.json: .*refuses the line"),
        (lambda line: [["X9", *line[0][1:]], *line[1:]], r"line\.json: .*X9"),
        (lambda line: "nothing", r"line\.json: "),
    ],
)
def test_a_changed_line_is_refused(won: Path, change: Callable[[list[list[str]]], object], message: str) -> None:
    answer = json.loads((won / "line.json").read_text())
    answer["line"] = change(answer["line"])
    (won / "line.json").write_text(json.dumps(answer))
    with pytest.raises(InputError, match=message):
        check(won)


def test_a_line_that_loses_is_refused_whatever_the_digests_say(won: Path) -> None:
    position = parse_case(WON)
    referee = Referee(position)
    while plays := referee.legal_plays():
        referee.play(plays[-1])
    assert not referee.won
    answer = json.loads((won / "line.json").read_text())
    answer["line"] = [[format_card(card) for card in cards] for _, cards, _, _ in referee.history]
    (won / "line.json").write_text(json.dumps(answer))
    _sign(won)
    with pytest.raises(InputError, match=r"line\.json: the referee does not accept the line found by the proof"):
        check(won)


def test_an_edited_case_is_refused(lost: Path, won: Path) -> None:
    _edit(lost / "case.json", lambda text: text.replace('"owner": 0', '"owner": 1'))
    with pytest.raises(InputError, match="not the formula of the case"):
        check(lost)
    _edit(won / "case.json", lambda text: text.replace("P469", "P468"))
    with pytest.raises(InputError, match=r"case\.json: duplicate card P8"):
        check(won)


def test_a_changed_verdict_is_refused(lost: Path, won: Path) -> None:
    _edit(lost / "proof.json", lambda text: text.replace("unwinnable", "winnable"))
    with pytest.raises(InputError, match=r"line\.json is missing"):
        check(lost)
    _edit(won / "proof.json", lambda text: text.replace('"winnable"', '"unwinnable"'))
    with pytest.raises(InputError, match=r"proof-1\.drat is missing"):
        check(won)


def test_files_of_another_case_are_refused(lost: Path, won: Path) -> None:
    shutil.copy(won / "case.json", lost / "case.json")
    with pytest.raises(InputError, match="not the formula of the case"):
        check(lost)
    shutil.copy(lost / "formula-1.cnf", won / "formula-1.cnf")
    with pytest.raises(InputError, match="not the formula of the case"):
        check(won)


@pytest.mark.parametrize("name", ["case.json", "formula-1.cnf", "proof-1.drat", "proof.json"])
def test_an_incomplete_proof_is_refused(lost: Path, name: str) -> None:
    (lost / name).unlink()
    with pytest.raises(InputError, match=f"the proof is incomplete, {name} is missing"):
        check(lost)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "malformed JSON"),
        ("[]", "not a proof of format 1"),
        ('{"format": 2}', "not a proof of format 1"),
        ('{"format": 1, "verdict": "perhaps", "five_player_rule": true, "sha256": {}}', "must be winnable or unwinnable"),
        ('{"format": 1, "verdict": "winnable", "five_player_rule": true, "sha256": {"../x": ""}}', "the digest of each file"),
        ('{"format": 1, "verdict": "unwinnable", "five_player_rule": true, "sha256": {}}', "has 0 formulas"),
    ],
)
def test_a_damaged_manifest_is_named(lost: Path, text: str, message: str) -> None:
    (lost / "proof.json").write_text(text)
    with pytest.raises(InputError, match=message):
        check(lost)


def test_what_is_no_proof_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no directory with a proof"):
        check(tmp_path / "nothing")
    (tmp_path / "proof.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not text in UTF-8"):
        check(tmp_path)


# Where writing fails.


def test_a_directory_in_use_is_left_alone(lost: Path) -> None:
    before = {path.name: path.read_bytes() for path in lost.iterdir()}
    with pytest.raises(InputError, match="exists already"):
        prove(parse_case(WON), lost)
    assert {path.name: path.read_bytes() for path in lost.iterdir()} == before


def test_an_empty_directory_may_be_there(tmp_path: Path) -> None:
    (tmp_path / "proof").mkdir()
    prove(parse_case(WON), tmp_path / "proof")
    assert check(tmp_path / "proof").verdict == "winnable"


@pytest.mark.parametrize("name", ["case.json", "formula-1.cnf", "proof-1.drat", "proof.json"])
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write = proofs._write

    def full(path: Path, text: str) -> None:
        write(path, text[: len(text) // 2] if path.name == name else text)
        if path.name == name:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(proofs, "_write", full)
    with pytest.raises(InputError, match=r"cannot write '.*proof': No space left on device"):
        prove(parse_case(LOST), tmp_path / "proof")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_proof_leaves_nothing_behind(tmp_path: Path) -> None:
    def stop(text: str) -> None:
        if text.startswith("refuting"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prove(parse_case(LOST), tmp_path / "proof", progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_a_proof_cut_off_by_the_solver_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Cut(proofs.Solver):  # type: ignore[misc]
        def get_proof(self) -> list[str]:
            return super().get_proof()[:3]

    monkeypatch.setattr(proofs, "Solver", Cut)
    monkeypatch.setattr(proofs, "_contradicts_itself", lambda encoding: False)
    with pytest.raises(InputError, match="the proof was cut off"):
        prove(parse_case(LOST), tmp_path / "proof")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        prove(parse_case(LOST), tmp_path / "file" / "proof")
    with pytest.raises(InputError, match="exists already"):
        prove(parse_case(LOST), tmp_path / "file")


# Missing tools.


def test_a_missing_checker_is_named(lost: Path, won: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dratify", None)
    with pytest.raises(InputError, match="needs the package dratify: pip install dratify"):
        check(lost)
    assert check(won).verdict == "winnable"


def test_a_missing_solver_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(**_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(proofs, "Solver", none)
    with pytest.raises(InputError, match="has no cadical195: install a newer package python-sat"):
        proofs._prover(encode(Referee(parse_case(LOST))))


def test_dimacs_of_a_contradiction() -> None:
    position = parse_case(LOST)
    referee = Referee(position)
    while referee.failure is None:
        referee.play(referee.legal_plays()[0])
    text = dimacs(encode(referee))
    assert "the mission is lost" in text
    assert text.count(" 0\n") == 2
    assert case_from_position(position)["tasks"]
