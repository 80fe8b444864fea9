"""Answers that can be checked by someone who does not trust them: a formula with a refutation of it, or a line of play.

A proof is a directory:

    case.json       the case
    formula-1.cnf   the formula of the case in DIMACS, with what its variables say as comments
    proof-1.drat    for an unwinnable case: CaDiCaL's refutation of it as DRAT (Wetzler, Heule and Hunt 2014)
    line.json       for a winnable case: the line of play
    proof.json      what there is: verdict, sizes, digests, and what made it

Where the crew decides something beforehand, such as to which side a distress signal goes, an unwinnable case has a formula for
each way it can. The check shares no code with what found the answer: the refutation is replayed by dratify, the line by the referee,
and the formula is made anew and compared.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter
from typing import Any

from pysat.solvers import Solver  # type: ignore[import-untyped]

from .cards import FULL_DECK, parse_card
from .cases import case_from_position, position_from_case
from .encoding import Encoding, encode, ways_to_encode
from .errors import InputError
from .missions import Mission
from .positions import CHALLENGE_DECK, Exchange, Position
from .referee import Referee
from .sat import solve_slice
from .verdicts import UNWINNABLE, WINNABLE, Limits, Verdict, decide, winning_verdict

FORMAT = 1
SOLVER = "cadical195"
SLICE = 2000
"""Conflicts between two reports of progress, up to half a second."""


@dataclass(frozen=True)
class Proof:
    """What was written, or found to be right: the ``verdict``, sizes, and seconds. ``formulas`` are (variables, clauses) of each
    formula, ``steps`` the number of lines of each refutation, ``size`` the bytes of all files, ``checker`` what replayed the
    refutations, empty while nothing is checked."""

    path: Path
    verdict: str
    formulas: tuple[tuple[int, int], ...]
    steps: tuple[int, ...]
    size: int
    seconds: float
    checker: str = ""

    def to_json(self) -> dict[str, Any]:
        """Ready for ``json.dumps``; times in seconds, sizes in bytes."""
        return {
            "path": str(self.path),
            "verdict": self.verdict,
            "formulas": [{"variables": variables, "clauses": clauses} for variables, clauses in self.formulas],
            "proof_lines": list(self.steps),
            "bytes": self.size,
            "seconds": round(self.seconds, 3),
            "checked_by": self.checker or None,
        }


Progress = Callable[[str], None]
"""Called now and then with what is being done."""


@dataclass(frozen=True)
class _Way:
    """One way in which the crew may decide beforehand, as a formula."""

    position: Position
    one_moves: bool

    def referee(self) -> Referee:
        return Referee(self.position)

    def encoding(self) -> Encoding:
        return encode(self.referee(), self.one_moves)


def _ways(position: Position) -> list[_Way]:
    return [_Way(way, one_moves) for way, one_moves in ways_to_encode(position)]


# Writing.


def prove(position: Position, out: str | Path, *, five_player_rule: bool = True, progress: Progress = lambda text: None) -> Proof:
    """Decide a position and write the proof of the answer to the directory ``out``, which must not exist or be empty.

    It appears when it is complete, or not at all. ``five_player_rule``: what the case was read with, see ``position_from_case``.
    Raises InputError for illegal plays, and when the directory cannot be written or is there already.
    """
    start = perf_counter()
    out = Path(out).resolve()
    check_new(out)
    part = _new_directory(out)
    try:
        progress("deciding")
        verdict = decide(position, "auto", Limits(None, None))
        case = _case(position)
        steps: list[int] = []
        _write(part / "case.json", json.dumps(case) + "\n")
        if verdict.verdict == WINNABLE:
            number, way, found = _winning_way(position, verdict)
            formulas = [_write_formula(part, number, way)]
            _write(part / "line.json", json.dumps(_line_json(found, position.game)) + "\n")
        else:
            formulas = []
            ways = _ways(position)
            for number, way in enumerate(ways, start=1):
                formulas.append(_write_formula(part, number, way))
                steps.append(_write_refutation(part, number, way, f"refuting formula {number} of {len(ways)}", progress))
        files = sorted(path.name for path in part.iterdir())
        manifest = {
            "format": FORMAT,
            "deepcrew": _version(),
            "verdict": verdict.verdict,
            "solver": SOLVER if verdict.verdict == UNWINNABLE else None,
            "five_player_rule": five_player_rule,
            "formulas": [{"variables": variables, "clauses": clauses} for variables, clauses in formulas],
            "proof_lines": steps,
            "sha256": {name: _digest(part / name) for name in files},
        }
        _write(part / "proof.json", json.dumps(manifest, indent=1) + "\n")
        size = sum(path.stat().st_size for path in part.iterdir())
        os.replace(part, out)
    except OSError as error:
        raise _cannot_write(out, error) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return Proof(out, verdict.verdict, tuple(formulas), tuple(steps), size, perf_counter() - start)


def _case(position: Position) -> dict[str, Any]:
    """The case of the position. Raises InputError when it does not tell all, as with goals of the crew of no mission: then nobody
    could check the proof."""
    case = case_from_position(position)
    if position.deck not in (FULL_DECK, CHALLENGE_DECK):
        raise InputError("a proof is about a case, and a case has a whole deck")
    if position.mission is None and (position.crew or any(exchange.after for exchange in position.exchanges)):
        raise InputError("a proof is about a case, which tells of goals of the crew and of cards passed during play only by a mission")
    return case


def _version() -> str:
    from .. import __version__

    return __version__


def _cannot_write(path: Path, error: OSError) -> InputError:
    return InputError(f"cannot write {str(path)!r}: {error.strerror or error}")


def check_new(out: Path) -> None:
    """Raise InputError unless a proof can be written there: nothing, or an empty directory."""
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise InputError(f"{str(out)!r} exists already: name a directory that does not, or an empty one")
    except OSError as error:
        raise _cannot_write(out, error) from None


def _new_directory(out: Path) -> Path:
    """A directory beside it, to become it by renaming."""
    try:
        part = Path(mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        part.chmod(0o755)
        return part
    except OSError as error:
        raise _cannot_write(out, error) from None


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def dimacs(encoding: Encoding) -> str:
    """The formula in DIMACS, after a comment for each variable that it uses: ``c 17 seat 2 wins trick 3``."""
    used = sorted({abs(literal) for clause in encoding.clauses for literal in clause})
    lines = [f"c {variable} {encoding.pool.meaning(variable)}" for variable in used]
    lines.append(f"p cnf {encoding.variables} {len(encoding.clauses)}")
    lines += (" ".join(map(str, clause)) + " 0" for clause in encoding.clauses)
    return "\n".join(lines) + "\n"


def _write_formula(directory: Path, number: int, way: _Way) -> tuple[int, int]:
    encoding = way.encoding()
    _write(directory / f"formula-{number}.cnf", dimacs(encoding))
    return encoding.variables, len(encoding.clauses)


def _write_refutation(directory: Path, number: int, way: _Way, doing: str, progress: Progress) -> int:
    """Let CaDiCaL refute the formula and write down how; the number of lines."""
    start = perf_counter()
    encoding = way.encoding()
    with _prover(encoding) as solver:
        solved, conflicts = None, 0
        while solved is None:
            progress(f"{doing}: {conflicts:,} conflicts, {perf_counter() - start:.0f} s")
            solved = solve_slice(solver, conflicts=SLICE)
            conflicts += SLICE
        if solved:
            raise RuntimeError("SAT finds a line in a position that was decided to be unwinnable")
        lines = solver.get_proof() or []
    lines = lines[: lines.index("0")] if "0" in lines else [] if _contradicts_itself(encoding) else None
    if lines is None:
        raise OSError(None, "the proof was cut off; is the directory for temporary files full?")
    lines.append("0")
    _write(directory / f"proof-{number}.drat", "\n".join(lines) + "\n")
    return len(lines)


def _contradicts_itself(encoding: Encoding) -> bool:
    """Whether unit propagation alone refutes the formula; then CaDiCaL may not write down that it does."""
    with Solver(name="minisat22", bootstrap_with=encoding.clauses) as solver:
        return not solver.propagate()[0]


def _prover(encoding: Encoding) -> Any:
    try:
        return Solver(name=SOLVER, bootstrap_with=encoding.clauses, with_proof=True)
    except NotImplementedError:
        raise InputError(f"this build of PySAT has no {SOLVER}: install a newer package python-sat") from None


def _winning_way(position: Position, verdict: Verdict) -> tuple[int, _Way, Verdict]:
    """The number of the first way that is won, from 1, with its line."""
    for number, way in enumerate(_ways(position), start=1):
        found = verdict if way.position == position else decide(way.position, "auto", Limits(None, None))
        if found.verdict == WINNABLE:
            return number, way, found
    raise RuntimeError("no way to decide beforehand is won, but the position was decided to be winnable")


def _line_json(verdict: Verdict, game: str) -> dict[str, Any]:
    answer = verdict.to_json(game)
    keys = ("line", "owners", "moved", "passes")
    return {key: answer[key] for key in keys if answer.get(key)}


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


# Checking.


def check(directory: str | Path, *, catalogue: Sequence[Mission] = (), progress: Progress = lambda text: None) -> Proof:
    """Verify a proof that ``prove`` wrote. ``catalogue`` are missions known beside those of the games.

    Raises InputError, which names the file and what is wrong with it, unless everything is right, and when dratify is missing.
    """
    start = perf_counter()
    path = Path(directory)
    manifest = _manifest(path)
    verdict = manifest["verdict"]
    case = _json(path, "case.json")
    try:
        position = position_from_case(case, five_player_rule=manifest["five_player_rule"], takes="seeded", catalogue=catalogue)
        ways = _ways(position)
        for way in ways:
            way.referee()
    except InputError as error:
        raise InputError(f"{path / 'case.json'}: {error}") from None
    numbers = sorted(_number_of(name) for name in manifest["sha256"] if name.startswith("formula-"))
    expected = [f"formula-{number}.cnf" for number in numbers]
    if verdict == UNWINNABLE:
        if numbers != list(range(1, len(ways) + 1)):
            raise InputError(f"{path}: the crew can decide in {len(ways)} ways beforehand, but the proof has {len(numbers)} formulas")
        expected += [f"proof-{number}.drat" for number in numbers]
    else:
        if len(numbers) != 1 or numbers[0] > len(ways):
            raise InputError(f"{path}: a line belongs to one formula, but the proof names {', '.join(expected) or 'none'}")
        expected.append("line.json")
    for name in sorted({*expected, *manifest["sha256"]}):
        if not (path / name).is_file():
            raise InputError(f"{path}: the proof is incomplete, {name} is missing")
    formulas = [_check_formula(path, number, ways[number - 1]) for number in numbers]
    steps: list[int] = []
    checker = "the referee"
    if verdict == UNWINNABLE:
        for number in numbers:
            lines, checker = _check_refutation(path, number, progress)
            steps.append(lines)
    else:
        _check_line(path, ways[numbers[0] - 1])
    for name, digest in manifest["sha256"].items():
        if _digest(path / name) != digest:
            raise InputError(f"{path / name}: the file was changed after it was written")
    sizes = [{"variables": variables, "clauses": clauses} for variables, clauses in formulas]
    if (manifest.get("formulas"), manifest.get("proof_lines")) != (sizes, steps):
        raise InputError(f"{path / 'proof.json'}: the sizes in it are not those of the files")
    size = sum((path / name).stat().st_size for name in [*manifest["sha256"], "proof.json"])
    return Proof(path, verdict, tuple(formulas), tuple(steps), size, perf_counter() - start, checker)


def _text(path: Path, name: str) -> str:
    try:
        return (path / name).read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        if not path.is_dir():
            raise InputError(f"{str(path)!r} is no directory with a proof: write one with deepcrew prove CASE --out DIR") from None
        raise InputError(f"{path}: the proof is incomplete, {name} is missing") from None
    except UnicodeDecodeError:
        raise InputError(f"{path / name}: the file is damaged, it is not text in UTF-8") from None
    except OSError as error:
        raise InputError(f"cannot read {str(path / name)!r}: {error.strerror or error}") from None


def _json(path: Path, name: str) -> Any:
    text = _text(path, name)
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"{path / name}: malformed JSON: {error}") from None


def _manifest(path: Path) -> dict[str, Any]:
    manifest = _json(path, "proof.json")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError(f"{path / 'proof.json'}: not a proof of format {FORMAT}, which this version reads")
    digests = manifest.get("sha256")
    if manifest.get("verdict") not in (WINNABLE, UNWINNABLE) or not isinstance(manifest.get("five_player_rule"), bool):
        raise InputError(f'{path / "proof.json"}: "verdict" must be winnable or unwinnable, and "five_player_rule" true or false')
    if not isinstance(digests, dict) or not all(isinstance(name, str) and os.path.basename(name) == name for name in digests):
        raise InputError(f'{path / "proof.json"}: "sha256" must give the digest of each file by its name')
    return manifest


def _number_of(name: str) -> int:
    digits = name.removeprefix("formula-").removesuffix(".cnf")
    return int(digits) if digits.isdecimal() and digits.isascii() else 0


def _check_formula(path: Path, number: int, way: _Way) -> tuple[int, int]:
    name = f"formula-{number}.cnf"
    encoding = way.encoding()
    found, right = _text(path, name), dimacs(encoding)
    if found != right:
        lines = zip_longest(found.split("\n"), right.split("\n"))
        place = next(place for place, (one, other) in enumerate(lines, start=1) if one != other)
        raise InputError(f"{path / name}: not the formula of the case as deepcrew {_version()} writes it, line {place} differs")
    return encoding.variables, len(encoding.clauses)


def _check_refutation(path: Path, number: int, progress: Progress) -> tuple[int, str]:
    try:
        import dratify
    except ImportError:
        raise InputError("checking a refutation needs the package dratify: pip install dratify") from None
    with suppress(ImportError):  # its compiled checker, some fifteen times as fast, announces itself
        import cdclkit  # noqa: F401
    name = f"proof-{number}.drat"
    proof = _text(path, name)
    lines = proof.count("\n")
    progress(f"checking {name}, {lines:,} lines")
    try:
        result = dratify.check_proof(dratify.parse_dimacs(_text(path, f"formula-{number}.cnf")), proof)
    except ValueError as error:
        raise InputError(f"{path / name}: not a DRAT proof: {error}") from None
    if not result.ok:
        where = f"step {result.failed_step}: " if result.failed_step > 0 else ""
        raise InputError(f"{path / name}: the proof does not hold: {where}{result.reason}")
    engine = "compiled" if dratify.native_available() else "Python"
    return lines, f"dratify {dratify.__version__} ({engine})"


def _check_line(path: Path, way: _Way) -> None:
    """The referee accepts the line, and so does the formula: it can be met with these cards in these tricks."""
    answer = _json(path, "line.json")
    try:
        line = [[parse_card(card) for card in trick] for trick in answer["line"]]
        owners = [int(owner) for owner in answer.get("owners", [])]
        moved = answer.get("moved")
        passes = [(int(one["after"]), one["to"], tuple(parse_card(card) for card in one["cards"])) for one in answer.get("passes", [])]
        position = _as_decided(way, moved, passes)
        winning_verdict(position, [card for trick in line for card in trick], "the proof", owners=owners or None)
    except (InputError, RuntimeError) as error:
        raise InputError(f"{path / 'line.json'}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{path / 'line.json'}: malformed: it needs a line, lists of cards, and owners, seats") from None
    referee = way.referee()
    encoding = way.encoding()
    past = len(referee.history)
    with Solver(name=SOLVER, bootstrap_with=encoding.clauses) as solver:
        for t, trick in enumerate(line[past:]):
            for card in trick:
                solver.add_clause([encoding.pool.card(card, t)])
        if past < len(line) and not solver.solve():
            raise InputError(f"{path / 'line.json'}: the line is not a solution of the formula")


def _as_decided(way: _Way, moved: Any, passes: Sequence[tuple[int, str, tuple[int, ...]]]) -> Position:
    """The position with what the crew decided besides: a task that moved, cards passed."""
    position = way.position
    if moved is not None:
        if not way.one_moves:
            raise InputError("no task can move here")
        index, giver, taker = (int(moved[key]) for key in ("task", "from", "to"))
        if not 0 <= index < len(position.tasks) or position.tasks[index].owner != giver:
            raise InputError(f"task {index} does not belong to seat {giver}")
        tasks = (*position.tasks[:index], replace(position.tasks[index], owner=taker), *position.tasks[index + 1 :])
        position = replace(position, tasks=tasks, moved=(index, giver))
    exchanges: list[Exchange] = []
    said = {after: (to, cards) for after, to, cards in passes}
    for exchange in position.exchanges:
        if not exchange.order:
            if exchange.after not in said:
                raise InputError(f"it does not say which cards are passed after {exchange.after} tricks")
            exchange = replace(exchange, order=said[exchange.after][1])
        exchanges.append(exchange)
    return replace(position, exchanges=tuple(exchanges))
