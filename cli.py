"""The command line: parse, call, print. Results go to stdout, progress and messages to stderr.

Exit codes: 0 done; 2 bad input, with one sentence; 1 a fault of ours; 130 after Ctrl-C. Everything that
imports numba is imported inside the commands, so that help stays quick.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import __version__
from .solver.drafts import DISTRIBUTIONS
from .solver.errors import InputError

if TYPE_CHECKING:
    from .solver.loads import Load
    from .solver.missions import Mission
    from .solver.positions import Position
    from .solver.rates import Progress, Rate
    from .solver.verdicts import Verdict

_Command = TypeVar("_Command", bound=Callable[..., Any])
_TASK = re.compile(r"([^@:]+)(?:@([0-9]{1,6}))?(?::(.+))?")
_RANGE = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")
_NUMBER = click.IntRange(0, 2**62 - 1)
_WIDTH = 110


class _BadInput(click.ClickException):
    exit_code = 2


class _Commands(click.Group):
    """A group that ends every failure with one sentence and the right exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except InputError as error:
            raise _BadInput(str(error)) from error
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(130)
        except BrokenPipeError:  # the reader, such as head, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(141)
        except OSError as error:
            if error.errno is None or os.environ.get("DEEPCREW_DEBUG") == "1":
                raise
            raise click.ClickException(f"the system refuses: {error.strerror}") from error
        except Exception as error:
            if os.environ.get("DEEPCREW_DEBUG") == "1":
                raise
            what = " ".join(f"{type(error).__name__}: {error}".split())
            raise click.ClickException(f"a fault of deepcrew, not of the input ({what}); DEEPCREW_DEBUG=1 shows where") from error


class _Status:
    """A line on stderr that is written over and over, only when stderr is a terminal."""

    def __init__(self) -> None:
        self.shown, self.last = sys.stderr.isatty(), 0.0

    def show(self, text: str) -> None:
        """Show this text instead of the last one, at most ten times a second."""
        if self.shown and monotonic() - self.last > 0.1:
            self.last = monotonic()
            click.echo("\r\x1b[K" + text[: get_terminal_size().columns - 1], nl=False, err=True)

    def clear(self) -> None:
        """Leave an empty line for whatever is printed next."""
        if self.shown and self.last:
            click.echo("\r\x1b[K", nl=False, err=True)
            self.last = 0.0


def _note(text: str) -> None:
    click.echo(text, err=True)


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value))


# Options that several commands share.


def _all_of(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_engine_options = _all_of(
    click.option("--engine", type=click.Choice(["auto", "search", "sat"]), default="auto", show_default=True, help="What decides."),
    click.option(
        "--limit-nodes",
        type=click.IntRange(min=1),
        help="Search at most this many cards of a deal, which may leave it undecided; SAT is not bound by it.",
    ),
    click.option(
        "--limit-seconds", type=click.FloatRange(min=0, min_open=True), help="Give up on a deal after this time, which leaves it undecided."
    ),
)
_five_option = click.option(
    "--without-five-player-rule", is_flag=True, help="Five players: play missions as if no task could move to another player."
)
_json_option = click.option("--json", "as_json", is_flag=True, help="JSON, one object per line.")
_seed_options = _all_of(
    click.option("--seed", type=_NUMBER, default=1, show_default=True, help="Names a series of random deals."),
    click.option("--first", type=_NUMBER, default=0, show_default=True, help="Number of the first deal in the series."),
)
_distribution_option = click.option(
    "--distribution",
    type=click.Choice(DISTRIBUTIONS),
    metavar="NAME",
    help="How tasks without an owner find one, such as round-robin or free.  [default: the usual one of the game]",
)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="deepcrew")
def cli() -> None:
    """Can this deal of a cooperative trick-taking game be won, with every card face up?
    Decides single deals and shows how they are won, and measures how often random deals can be won.

    \b
    Examples:
      deepcrew deal --mission planet-nine/10 --count 3 | deepcrew solve -
      deepcrew rate planet-nine/10 --players 3,4,5
      deepcrew missions planet-nine/1-10
    """


def main() -> None:
    """The program ``deepcrew``."""
    cli(prog_name="deepcrew")


# solve


@cli.command()
@click.argument("file", required=False, metavar="[FILE|-]")
@click.option("--hands", multiple=True, help="Hands from seat 0 on, separated by /, or once per seat.")
@click.option("--task", "tasks", multiple=True, metavar="CARD[@SEAT][:TOKEN]", help="A task; without a seat its owner is open.")
@click.option("--plays", help="Tricks played so far, each in play order, separated by /; the last may be partial.")
@click.option("--mission", help="The mission whose rules the tasks follow, such as planet-nine/10.")
@_distribution_option
@_five_option
@_engine_options
@_json_option
@click.pass_context
def solve(
    ctx: click.Context,
    file: str | None,
    hands: Sequence[str],
    tasks: Sequence[str],
    plays: str | None,
    mission: str | None,
    distribution: str | None,
    without_five_player_rule: bool,
    engine: str,
    limit_nodes: int | None,
    limit_seconds: float | None,
    as_json: bool,
) -> None:
    """Decide deals: winnable, with a line of play, or unwinnable.

    Reads cases, a JSON object, a list of them or one per line, from FILE or with - from stdin; or takes one deal
    by hand. A bad case is reported on stderr, the others are still answered, and the exit code is 2.

    Cards are a colour P, B, G, Y and a rank, or trump R1 to R4; seats count from 0. Tokens are 1 to 5, omega and
    ">" to ">>>>" (quoted, for the shell).

    \b
    Examples:
      deepcrew solve cases.jsonl --json
      deepcrew deal --tasks 5 --count 10 | deepcrew solve -
      deepcrew solve --hands "P159 B28 G3 Y47 R14 / P28 B19 G147 Y258 /
        P36 B347 G29 Y19 R2 / P47 B56 G568 Y36 R3" --task B6@1:1 --task G3
    """
    by_hand = bool(hands or tasks or plays or mission or distribution)
    if by_hand == (file is not None):
        raise click.UsageError("give either a FILE (- for stdin) or a deal by hand with --hands")
    cases = [("", _case_by_hand(hands, tasks, plays, mission, distribution))] if by_hand else _read_cases(file or "")
    from .solver import show

    entries = [(label, _position(case, without_five_player_rule)) for label, case in cases]
    if any(not isinstance(entry, InputError) for _, entry in entries):
        _warm_up()
    counts = {"winnable": 0, "unwinnable": 0, "undecided": 0, "bad": 0}
    status = _Status()
    for done, (label, entry) in enumerate(entries):
        if len(entries) > 1:
            status.show(show.count_text("cases", done, len(entries)))
        answer = _answer(entry, engine, limit_nodes, limit_seconds)
        status.clear()
        if isinstance(answer, InputError):
            counts["bad"] += 1
            _note(f"Error: {label}{answer}")
            if as_json:
                _print_json({"error": f"{label}{answer}"})
            continue
        position, verdict = answer
        counts[verdict.verdict] += 1
        if as_json:
            _print_json(verdict.to_json(position.game))
        elif len(entries) == 1:
            click.echo(show.verdict_text(position, verdict))
        else:
            click.echo(f"{label.rstrip(': ')}\n{show.verdict_text(position, verdict)}\n")
    if len(entries) > 1 and not as_json:
        click.echo(show.verdicts_summary(counts))
    ctx.exit(2 if counts["bad"] else 0)


def _position(case: Any, without_five: bool) -> Position | InputError:
    """The position of a case, or what is wrong with it."""
    from .solver.cases import position_from_case

    try:
        return case if isinstance(case, InputError) else position_from_case(case, five_player_rule=not without_five)
    except InputError as error:
        return error


def _answer(
    entry: Position | InputError, engine: str, limit_nodes: int | None, limit_seconds: float | None
) -> tuple[Position, Verdict] | InputError:
    """The verdict of one position; its plays may still turn out to be illegal."""
    from .solver import verdicts

    if isinstance(entry, InputError):
        return entry
    try:
        return entry, verdicts.solve(entry, engine=engine, limit_nodes=limit_nodes, limit_seconds=limit_seconds)
    except InputError as error:
        return error


def _case_by_hand(
    hands: Sequence[str], tasks: Sequence[str], plays: str | None, mission: str | None, distribution: str | None
) -> dict[str, Any]:
    if not hands:
        raise click.UsageError("a deal by hand needs --hands")
    case: dict[str, Any] = {"hands": [hand for text in hands for hand in text.split("/")], "tasks": [_task_by_hand(task) for task in tasks]}
    if plays:
        case["plays"] = plays.split("/")
    return case | ({"mission": mission} if mission else {}) | ({"distribution": distribution} if distribution else {})


def _task_by_hand(text: str) -> dict[str, Any]:
    match = _TASK.fullmatch(text.strip())
    if not match:
        raise InputError(f"malformed task {text!r}: write CARD[@SEAT][:TOKEN], such as B6, B6@2 or B6@2:1")
    card, owner, token = match.groups()
    return {"task": card} | ({} if owner is None else {"owner": int(owner)}) | ({} if token is None else {"token": token})


def _read_cases(file: str) -> list[tuple[str, Any]]:
    """The cases of a file, each with a label for messages; a malformed one is its InputError."""
    from .solver.cases import parse_case, read_cases

    name = "stdin" if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {file!r}: {error.strerror or error}") from None
    if b"\0" in data:
        raise InputError(f"{name} is not text: cases are JSON in UTF-8")
    text = data.decode("utf-8-sig", "surrogateescape")
    entries = list(read_cases(text))
    if not entries:
        raise InputError(f"no cases in {name}: write one JSON object per line")
    if len(entries) > 1 and all(isinstance(case, InputError) for _, case in entries) and not _is_lines(text):
        try:  # one document over several lines: say what is wrong with the whole
            parse_case(text)
        except InputError as error:
            return [("", error)]
    if len(entries) > 1 and {number for number, _ in entries} == {1}:  # a JSON list
        return [(f"case {number}: ", case) for number, (_, case) in enumerate(entries, start=1)]
    return [("" if isinstance(case, InputError) else f"line {number}: ", case) for number, case in entries]


def _is_lines(text: str) -> bool:
    """Whether this is meant as one object per line, by how the lines begin."""
    return all(line.lstrip().startswith("{") for line in text.split("\n") if line.strip())


def _warm_up() -> None:
    from .solver.warmup import warm_up

    warm_up(_note)


# rate


@cli.command()
@click.argument("missions", nargs=-1, metavar="[MISSIONS]...")
@click.option("--tasks", help="Instead of missions: a number of random tasks, or several, such as 1-20 or 5,10.")
@click.option("--tokens", help="With --tasks: tokens of the first tasks, separated by commas.")
@_distribution_option
@click.option("--players", multiple=True, default=["4"], show_default=True, help="3, 4 or 5; several with commas.")
@click.option("--deals", type=click.IntRange(min=1), default=10_000, show_default=True, help="Random deals in each cell.")
@_seed_options
@click.option(
    "--draft", multiple=True, default=["best"], show_default=True, help="best (any legal owners), random (drawn), or both: best,random."
)
@click.option("--workers", type=click.IntRange(min=1), help="Processes that share the work.  [default: one per core]")
@click.option("--slowest", type=click.IntRange(min=0), default=0, help="Also print this many of the slowest deals, as cases.")
@_five_option
@_engine_options
@_json_option
def rate(
    missions: Sequence[str],
    tasks: str | None,
    tokens: str | None,
    distribution: str | None,
    players: Sequence[str],
    deals: int,
    seed: int,
    first: int,
    draft: Sequence[str],
    workers: int | None,
    slowest: int,
    without_five_player_rule: bool,
    engine: str,
    limit_nodes: int | None,
    limit_seconds: float | None,
    as_json: bool,
) -> None:
    """Measure how often random deals of missions, or of any number of tasks, are winnable.

    One line for each cell: a load (a mission or a number of tasks), a number of players and a draft. Cells that
    cannot be played, such as missions whose rules are not built yet, are left out and named on stderr; the exit
    code is 2 only when no cell is left. Undecided deals exist only under a limit and widen the interval.

    \b
    Examples:
      deepcrew rate planet-nine/22 --players 4 --deals 100000 --seed 1
      deepcrew rate planet-nine/1-50 --players 3,4,5 --draft best,random --json
      deepcrew rate --tasks 1-20 --tokens 1 --deals 1000
    """
    from .solver import show

    if bool(missions) == (tasks is not None):
        raise click.UsageError("give either missions, such as planet-nine/1-50, or --tasks")
    if missions and (tokens or distribution):
        raise click.UsageError("--tokens and --distribution go with --tasks: a mission has its own")
    seats, drafts = _players(players), _drafts(draft)
    cells = (
        _mission_cells(missions, seats, without_five_player_rule)
        if tasks is None
        else _task_cells(tasks, _words(tokens or ""), distribution or "", seats)
    )
    from .solver import rates

    _warm_up()
    width = max(4, *(len(show.load_name(load)) for load, _ in cells))
    todo = [(load, count, how) for load, count in cells for how in drafts]
    if not as_json:
        click.echo(show.rate_header(width))
    done: list[Rate] = []
    for number, (load, count, how) in enumerate(todo, start=1):
        status = _Status()
        result = rates.rate(
            load,
            count,
            deals,
            seed=seed,
            first=first,
            draft=how,
            engine=engine,
            workers=workers,
            limit_nodes=limit_nodes,
            limit_seconds=limit_seconds,
            slowest=slowest,
            five_player_rule=not without_five_player_rule,
            progress=_progress(status, f"{number} of {len(todo)}", load),
        )
        status.clear()
        if as_json:
            _print_json(result.to_json() | ({"slowest": show.slowest_cases([result], slowest)} if slowest else {}))
        else:
            click.echo(show.rate_row(result, width))
        done.append(result)
    if slowest and not as_json:
        click.echo()
        for case in show.slowest_cases(done, slowest):
            _print_json(case)


def _progress(status: _Status, number: str, load: Load) -> Callable[[Progress], None]:
    from .solver.show import load_name, progress_text

    return lambda progress: status.show(progress_text(f"{number}: {load_name(load)}", progress))


def _mission_cells(names: Sequence[str], seats: Sequence[int], without_five: bool) -> list[tuple[Load, int]]:
    """Every mission named with every number of players, as far as its rules are built; the others are noted."""
    from .solver.loads import Load
    from .solver.missions import check_built, find_missions, unbuilt_rules
    from .solver.show import left_out

    missions = list({mission.name: mission for name in names for mission in find_missions(name)}.values())
    if len(missions) == len(seats) == 1:
        check_built(missions[0], seats[0], not without_five)
    cells = []
    for mission in missions:
        refused: dict[tuple[str, ...], list[int]] = {}
        for count in seats:
            rules = unbuilt_rules(mission, count, not without_five)
            if rules:
                refused.setdefault(tuple(rules), []).append(count)
            else:
                cells.append((Load.of(mission), count))
        for missing, counts in refused.items():
            _note(left_out(mission, counts, missing))
    if not cells:
        raise InputError("none of these missions can be played yet")
    return cells


def _task_cells(text: str, tokens: Sequence[str], distribution: str, seats: Sequence[int]) -> list[tuple[Load, int]]:
    """Every number of tasks with every number of players, as far as the tokens fit; the others are noted."""
    from .solver.loads import Load, check_load
    from .solver.tokens import parse_token

    signs = tuple(parse_token(token) for token in tokens)
    numbers, cells = list(_numbers(text, "--tasks")), []
    check_load(max(numbers), ())
    for number in numbers:
        try:
            load = Load(number, signs, distribution)
        except InputError as error:
            if len(numbers) == 1:
                raise
            _note(f"--tasks {number} is left out: {error}")
        else:
            cells += [(load, count) for count in seats]
    if not cells:
        raise InputError(f"none of --tasks {text} can be played")
    return cells


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _numbers(text: str, option: str) -> Iterator[int]:
    """Read ``5``, ``1-20`` or ``1-3,5``."""
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if not match or int(match[2] or match[1]) < int(match[1]):
            raise InputError(f"malformed {option} {text!r}: write a number or a range, such as 5, 1-20 or 1-3,5")
        yield from range(int(match[1]), int(match[2] or match[1]) + 1)


def _players(texts: Sequence[str]) -> list[int]:
    from .solver.deals import check_players

    seats = list(dict.fromkeys(number for text in texts for number in _numbers(text, "--players")))
    for number in seats:
        check_players(number)
    return seats


def _drafts(texts: Sequence[str]) -> list[str]:
    from .solver.drafts import check_draft

    drafts = list(dict.fromkeys(word for text in texts for word in _words(text)))
    for draft in drafts or [""]:
        check_draft(draft)
    return drafts


# missions


@cli.command()
@click.argument("names", nargs=-1, metavar="[GAME[/NUMBERS]]...")
@_json_option
def missions(names: Sequence[str], as_json: bool) -> None:
    """List missions with their rules in plain words, and which rules are not built yet.

    \b
    Examples:
      deepcrew missions
      deepcrew missions planet-nine/1-10,12
    """
    from .solver import show
    from .solver.missions import GAMES, find_missions

    width = min(get_terminal_size((_WIDTH, 24)).columns, _WIDTH)
    for name in names or GAMES:
        for mission in find_missions(name):
            if as_json:
                _print_json(show.mission_json(mission))
            else:
                click.echo(show.mission_text(mission, width))


# deal


@cli.command()
@click.option("--players", type=int, default=4, show_default=True, help="3, 4 or 5.")
@click.option("--count", type=click.IntRange(min=1), default=1, show_default=True, help="How many deals.")
@_seed_options
@click.option("--tasks", type=click.IntRange(min=0), help="Draw this many random tasks.")
@click.option("--tokens", help="With --tasks: tokens of the first tasks, separated by commas.")
@_distribution_option
@click.option("--mission", help="Draw the tasks of this mission, such as planet-nine/10.")
@click.option("--draft", default="best", show_default=True, help="best (owners stay open) or random (owners are drawn).")
@click.option("--holds", multiple=True, metavar="SEAT:CARDS", help="This seat holds these cards: 0:R4.")
@click.option("--together", multiple=True, metavar="CARDS", help="These cards lie in one hand: P9,P8.")
@click.option("--apart", multiple=True, metavar="CARDS", help="No two of these cards lie in one hand: P9,P8.")
@_five_option
def deal(
    players: int,
    count: int,
    seed: int,
    first: int,
    tasks: int | None,
    tokens: str | None,
    distribution: str | None,
    mission: str | None,
    draft: str,
    holds: Sequence[str],
    together: Sequence[str],
    apart: Sequence[str],
    without_five_player_rule: bool,
) -> None:
    """Print random deals as cases, one JSON object per line, ready for solve.

    Deal number i of a seed is always the same, and the same one that rate plays. Constraints only leave deals
    out, so each one printed keeps its number (its "index").

    \b
    Examples:
      deepcrew deal --players 4 --count 5 --seed 1 --mission planet-nine/10
      deepcrew deal --seed 1 --first 4711 --tasks 8 --draft random
      deepcrew deal --tasks 3 --holds 0:R4 --together P9,P8 --apart R1,R2,R3
    """
    from itertools import islice

    from .solver import deals
    from .solver.cases import case_from_position
    from .solver.loads import Load
    from .solver.tokens import parse_token

    if mission and (tasks is not None or tokens or distribution):
        raise click.UsageError("--mission brings its own tasks: leave out --tasks, --tokens and --distribution")
    rules = _built_mission(mission, players, without_five_player_rule) if mission else None
    constraints = deals.Constraints(
        tuple(deals.parse_holds(text) for text in holds),
        tuple(deals.parse_group(text) for text in together),
        tuple(deals.parse_group(text) for text in apart),
    )
    if rules:
        load = Load.of(rules)
    else:
        load = Load(tasks or 0, tuple(parse_token(token) for token in _words(tokens or "")), distribution or "")
    for index in islice(deals.deal_numbers(seed, players, constraints, first=first), count):
        position = deals.deal(seed, index, players, draft=draft, load=load)
        _print_json(case_from_position(position) | {"seed": seed, "index": index})


def _built_mission(name: str, players: int, without_five: bool) -> Mission:
    from .solver.missions import check_built, find_missions

    found = find_missions(name)
    if len(found) != 1:
        raise InputError(f"{name!r} names {len(found)} missions: a deal has one")
    check_built(found[0], players, not without_five)
    return found[0]


if __name__ == "__main__":
    main()
