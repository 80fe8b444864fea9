"""The command line: parse, call, print. Results go to stdout, progress and messages to stderr.

Exit codes: 0 done; 2 bad input, with one sentence; 1 a fault of ours; 130 after Ctrl-C. Everything that
imports numba is imported inside the commands, so that help stays quick.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from pathlib import Path
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import __version__
from .solver.drafts import DISTRIBUTIONS
from .solver.errors import InputError

if TYPE_CHECKING:
    from .solver.audit import AuditProgress, CardAudit, Correlation, PairAudit
    from .solver.deals import Constraints
    from .solver.loads import Load
    from .solver.missions import Mission
    from .solver.positions import Position
    from .solver.rates import Progress, Rate
    from .solver.runs import Cell, Run, Where
    from .solver.takes import Chance
    from .solver.verdicts import Verdict

_Command = TypeVar("_Command", bound=Callable[..., Any])
_TASK = re.compile(r"([^@:]+)(?:@([0-9]{1,6}))?(?::(.+))?")
_RANGE = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")
_NUMBER = click.IntRange(0, 2**62 - 1)
_WIDTH = 110
_GIVE_UP = 500_000
"""Deals of Deep Sea, which are made one by one, that may miss the constraints of ``deal`` in a row."""


class _BadInput(click.ClickException):
    exit_code = 2


def _in_one_sentence(error: click.UsageError) -> _BadInput:
    """What click says about options, with where to look; our own sentences say what would be right."""
    text = error.format_message().rstrip(".")
    if type(error) is not click.UsageError and error.ctx is not None:
        text += f" ({error.ctx.command_path} --help shows what can be given)"
    return _BadInput(text)


class _Commands(click.Group):
    """A group that ends every failure with one sentence and the right exit code."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _in_one_sentence(error) from error

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except InputError as error:
            raise _BadInput(str(error)) from error
        except click.UsageError as error:
            raise _in_one_sentence(error) from error
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
    "--without-five-player-rule", is_flag=True, help="Five players: play Planet Nine as if no task could move to another player."
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


def _read_own_missions(ctx: click.Context, option: click.Parameter, paths: Sequence[str]) -> tuple[Mission, ...]:
    if not paths:
        return ()
    from .solver.mission_files import read_mission_files

    return read_mission_files(paths)


_mission_file_option = click.option(
    "--mission-file",
    "own_missions",
    multiple=True,
    metavar="FILE",
    callback=_read_own_missions,
    help="A file of missions of your own, my.toml for my/1, my/2 ...; docs/goals.md explains it. Several may be given.",
)
_reading_option = click.option(
    "--reading",
    "readings",
    multiple=True,
    metavar="NAME",
    help="Where the rules leave a point open: this other reading of it; deepcrew missions names them.",
)
_challenge_option = click.option("--challenge", is_flag=True, help="Planet Nine for three, or two: without green and without trump 1.")
_third_option = click.option(
    "--third-seat",
    type=click.IntRange(0, 2),
    help="Two players: the seat of the third hand, whose cards lie in columns; the captain is one of the others.  [default: 2]",
)
_take_option = click.option(
    "--random-take",
    type=click.Choice(["seeded", "best", "expected"]),
    default="seeded",
    show_default=True,
    help="Missions in which cards are taken unseen, such as planet-nine/12: the cards taken belong to the deal, are those the crew "
    "wants, or are not known before (a mean over many).",
)
_distress_option = click.option(
    "--distress", type=click.Choice(["left", "right", "any"]), help="With a distress signal: everybody passes a colour card to that side."
)
_tokens_option = click.option("--tokens", help="With --tasks: tokens of the first tasks, separated by commas.")
_cards_option = click.option(
    "--task", "task_cards", multiple=True, metavar="SLUG", help="Always this task card of Deep Sea, such as win_all_9s; once for each card."
)
_untimed_option = click.option("--untimed", is_flag=True, help="Missions with a clock: play them by their rules for those who have none.")
_workers_option = click.option("--workers", type=click.IntRange(min=1), help="Processes that share the work.  [default: one per core]")
_until_option = click.option(
    "--until",
    metavar="WIDTH",
    help="Decide deals until the interval is so narrow, such as 0.1%; --deals is then the most.",
)
_cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Let the workers of a Dask scheduler decide, such as tcp://host:8786, or of one started here: local. See docs/cluster.md.",
)
_edition_option = click.option(
    "--edition", metavar="PRINT", help="Deep Sea: the print of the task cards, german-first where the box is one.  [default: all others]"
)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="deepcrew")
def cli() -> None:
    """Can this deal of a cooperative trick-taking game be won, with every card face up?
    Decides single deals and shows how they are won, and measures how often random deals can be won.

    \b
    Examples:
      deepcrew deal --mission planet-nine/10 --count 3 | deepcrew solve -
      deepcrew explain case.json
      deepcrew rate planet-nine/10 deep-sea/7 --players 3,4,5
      deepcrew missions deep-sea
      deepcrew tasks submarine
    """


def main() -> None:
    """The program ``deepcrew``."""
    cli(prog_name="deepcrew")


# solve


_case_options = _all_of(
    click.argument("file", required=False, metavar="[FILE|-]"),
    click.option("--hands", multiple=True, help="Hands from seat 0 on, separated by /, or once per seat."),
    click.option(
        "--task",
        "tasks",
        multiple=True,
        metavar="TASK[@SEAT][:TOKEN]",
        help="A task, the card to be won or in Deep Sea a task card such as win_all_9s; without a seat its owner is open.",
    ),
    click.option("--plays", help="Tricks played so far, each in play order, separated by /; the last may be partial."),
    click.option("--mission", help="The mission whose rules the tasks follow, such as planet-nine/10 or deep-sea/12."),
    click.option("--game", metavar="GAME", help="planet-nine or deep-sea.  [default: as the tasks and the mission say]"),
    _distribution_option,
    _edition_option,
    _distress_option,
    click.option("--passes", metavar="CARDS", help="With --distress: the card that each seat passes, seat 0 first.  [default: any]"),
    click.option("--role", "roles", multiple=True, metavar="NAME=SEAT", help="Who has a role of the mission.  [default: whoever can]"),
    click.option("--takes", metavar="CARDS", help="The cards taken during play, such as P3,B1,Y9,R2: from each hand the first it holds."),
    _take_option,
    _challenge_option,
    _reading_option,
    _mission_file_option,
    _five_option,
)
"""Cases from a file or one by hand, and the rules that they are read with; ``_entries`` reads them."""


@cli.command()
@_case_options
@_engine_options
@_json_option
@click.pass_context
def solve(
    ctx: click.Context,
    /,
    engine: str,
    limit_nodes: int | None,
    limit_seconds: float | None,
    as_json: bool,
    random_take: str,
    **how: Any,
) -> None:
    """Decide deals: winnable, with a line of play, or unwinnable.

    Reads cases, a JSON object, a list of them or one per line, from FILE or with - from stdin; or takes one deal
    by hand. A bad case is reported on stderr, the others are still answered, and the exit code is 2.

    Cards are a colour P, B, G, Y and a rank, or trump R1 to R4, in Deep Sea S1 to S4; seats count from 0. Tokens are
    1 to 5, omega and ">" to ">>>>" (quoted, for the shell). `deepcrew tasks` lists the task cards of Deep Sea. Their
    goals are judged when the last trick is over, so a line shows from which trick on each one held.

    Two players write their third hand in columns, each open card with the hidden one under it: "P1/B2 P3/G4 ...". --distress asks
    whether a deal can be won with the signal, for every case read.

    \b
    Examples:
      deepcrew solve cases.jsonl --json
      deepcrew deal --mission planet-nine/34 --count 20 | deepcrew solve - --distress any
      deepcrew deal --tasks 5 --count 10 | deepcrew solve -
      deepcrew solve --hands "P159 B28 G3 Y47 R14 / P28 B19 G147 Y258 /
        P36 B347 G29 Y19 R2 / P47 B56 G568 Y36 R3" --task B6@1:1 --task G3
      deepcrew solve --hands "P159 B28 G3 Y47 S14 / P28 B19 G147 Y258 /
        P36 B347 G29 Y19 S2 / P47 B56 G568 Y36 S3" --task zero_tricks --task win_B1_B2_B3@2
    """
    from .solver import show

    entries = _entries(random_take=random_take, **how)
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
        for note in show.verdict_notes(position, random_take):
            _note(f"Note: {label}{note}")
        expected = _expected(position) if random_take == "expected" else None
        if as_json:
            _print_json(show.verdict_json(position, verdict) | ({"expected": show.chance_json(expected)} if expected else {}))
            continue
        text = show.verdict_text(position, verdict) + (f"\n\n{show.chance_text(expected)}" if expected else "")
        click.echo(text if len(entries) == 1 else f"{label.rstrip(': ')}\n{text}\n")
    if len(entries) > 1 and not as_json:
        click.echo(show.verdicts_summary(counts))
    ctx.exit(2 if counts["bad"] else 0)


def _entries(
    file: str | None,
    hands: Sequence[str],
    tasks: Sequence[str],
    plays: str | None,
    mission: str | None,
    game: str | None,
    distribution: str | None,
    edition: str | None,
    distress: str | None,
    passes: str | None,
    roles: Sequence[str],
    takes: str | None,
    random_take: str,
    challenge: bool,
    readings: Sequence[str],
    own_missions: tuple[Mission, ...],
    without_five_player_rule: bool,
) -> list[tuple[str, Position | InputError]]:
    """The positions that ``_case_options`` name, or what is wrong with them, each with a label for messages."""
    by_hand = bool(hands or tasks or plays or mission or game or distribution or edition or passes or roles or takes)
    if by_hand == (file is not None):
        raise click.UsageError("give either a FILE (- for stdin) or a deal by hand with --hands")
    given: dict[str, Any] = {"mission": mission, "game": game, "distribution": distribution, "edition": edition}
    given |= {"passes": passes, "takes": takes, "roles": _roles_by_hand(roles)}
    cases = [("", _case_by_hand(hands, tasks, plays, given))] if by_hand else _read_cases(file or "")
    added: dict[str, Any] = ({"distress": distress} if distress else {}) | ({"challenge": True} if challenge else {})
    rules = {"five_player_rule": not without_five_player_rule, "takes": random_take, "readings": readings, "catalogue": own_missions}
    entries = [(label, _position(case, added, rules)) for label, case in cases]
    _note_ignored(compress(cases, (not isinstance(position, InputError) for _, position in entries)))
    if distribution:
        _check_owners(entries[0][1])
    return entries


def _note_ignored(cases: Iterable[tuple[str, dict[str, Any]]]) -> None:
    """Say once of each key that means nothing where it stands first."""
    from .solver.cases import ignored_keys

    first: dict[str, str] = {}
    for label, case in cases:
        for key in ignored_keys(case):
            first.setdefault(key, label)
    for key, label in first.items():
        _note(f"Note: {label}the key {key!r} means nothing in a case and is ignored")


def _check_owners(position: Position | InputError) -> None:
    """Raise InputError when all owners are given and the distribution named does not give the tasks to them."""
    if isinstance(position, InputError):
        return
    owners = [owner for owner in position.owners if owner is not None]
    if len(owners) == len(position.tasks) and not position.may_own(owners):
        raise InputError(f"the {position.distribution} distribution does not give these tasks to the seats {', '.join(map(str, owners))}")


def _position(case: Any, added: dict[str, Any], rules: dict[str, Any]) -> Position | InputError:
    """The position of a case, with the keys that options add, or what is wrong with it; ``rules`` as in position_from_case."""
    from .solver.cases import position_from_case

    try:
        return case if isinstance(case, InputError) else position_from_case({**case, **added} if isinstance(case, dict) else case, **rules)
    except InputError as error:
        return error


def _expected(position: Position) -> Chance | None:
    """How often the position is won when the cards taken are not known; None when there are none to take."""
    from .solver.takes import chance

    return chance(position) if any(exchange.after for exchange in position.exchanges) else None


def _roles_by_hand(texts: Sequence[str]) -> dict[str, int]:
    roles = {}
    for text in texts:
        name, sign, seat = text.rpartition("=")
        if not sign or not name.strip() or not seat.strip().isdecimal():
            raise InputError(f"malformed role {text!r}: write NAME=SEAT, such as 'ill member=2'")
        roles[name.strip()] = int(seat)
    return roles


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


def _case_by_hand(hands: Sequence[str], tasks: Sequence[str], plays: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """The case that the options give; ``given`` are its other keys, as far as they have a value."""
    if not hands:
        raise click.UsageError("a deal by hand needs --hands")
    case: dict[str, Any] = {key: value for key, value in given.items() if value}
    case |= {"hands": [hand for text in hands for hand in _split_hands(text, len(hands))], "tasks": [_task_by_hand(task) for task in tasks]}
    if plays:
        case["plays"] = plays.strip().removesuffix("/").split("/")
    if "game" not in case and "/" not in case.get("mission", "") and any(len(task["task"]) > 3 for task in case["tasks"]):
        case["game"] = "deep-sea"  # a card has two letters, the name of a task card more
    if case.get("mission", "").isdecimal():
        case["mission"] = int(case["mission"])
    return case


def _split_hands(text: str, given: int) -> list[str]:
    """The hands of one --hands: between slashes, but a slash without spaces, in several of them or beside one with spaces,
    belongs to a column."""
    text = text.strip().removesuffix("/").strip()
    return re.split(r"\s+/\s*|\s*/\s+", text) if given > 1 or re.search(r"\s/|/\s", text) else text.split("/")


def _task_by_hand(text: str) -> dict[str, Any]:
    match = _TASK.fullmatch(text.strip())
    if not match:
        raise InputError(f"malformed task {text!r}: write TASK[@SEAT][:TOKEN], such as B6, B6@2, B6@2:1 or zero_tricks@2")
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


# explain, order, prove, check


@cli.command()
@_case_options
@click.option("--limit-seconds", type=click.FloatRange(min=0, min_open=True), help="Give up on the verdict of a deal after this time.")
@_json_option
@click.pass_context
def explain(ctx: click.Context, /, limit_seconds: float | None, as_json: bool, **how: Any) -> None:
    """Say why deals can or cannot be won.

    Of a lost deal: which play lost it, if cards have been played; a smallest set of tasks, tokens and rules that cannot be met
    together; and which single changes would make it winnable, each of them tried: another owner, other tokens, a task
    left out, a distress signal, another lead. Of a deal that can be won: in which tricks and with which cards each task must be
    won, which cards lose the next trick, and how tight it is.

    Takes deals as `deepcrew solve` does.

    \b
    Examples:
      deepcrew explain cases.jsonl
      deepcrew deal --players 4 --tasks 10 --draft random | deepcrew explain -
      deepcrew explain cases.jsonl --json
    """
    from .solver import reasons, show_reasons

    def answer(position: Position) -> tuple[str, Any]:
        found = reasons.explain(position, limit_seconds=limit_seconds)
        return show_reasons.explanation_text(found), show_reasons.explanation_json(found)

    _answer_each(ctx, how, answer, as_json)


@cli.command()
@_case_options
@_json_option
@click.pass_context
def order(ctx: click.Context, /, as_json: bool, **how: Any) -> None:
    """Show in which order the tasks of deals can be completed at all.

    For each task the first and the last trick in which it can be completed, the pairs whose order is forced, and with up to five
    tasks every possible order. With tokens: whether they can be kept, and which token breaks it.

    Takes deals as `deepcrew solve` does.

    \b
    Examples:
      deepcrew order cases.jsonl
      deepcrew deal --players 4 --tasks 5 --tokens 1,2 --draft random | deepcrew order -
    """
    from .solver import orders, show_reasons

    def answer(position: Position) -> tuple[str, Any]:
        found = orders.order(position)
        return show_reasons.order_text(found), show_reasons.order_json(found)

    _answer_each(ctx, how, answer, as_json)


def _answer_each(
    ctx: click.Context,
    how: dict[str, Any],
    answer: Callable[[Position], tuple[str, Any]],
    as_json: bool,
) -> None:
    """Print the answer to every position that ``how`` names, as text or as JSON; a bad one is reported, the others are still
    answered."""
    from .solver import show

    entries = _entries(**how)
    if any(not isinstance(entry, InputError) for _, entry in entries):
        _warm_up()
    bad = False
    status = _Status()
    for done, (label, entry) in enumerate(entries):
        status.show(show.count_text("cases", done, len(entries)) if len(entries) > 1 else "looking for reasons ...")
        try:
            if isinstance(entry, InputError):
                raise entry
            text, value = answer(entry)
        except InputError as error:
            status.clear()
            bad = True
            _note(f"Error: {label}{error}")
            if as_json:
                _print_json({"error": f"{label}{error}"})
            continue
        status.clear()
        for note in show.verdict_notes(entry, how["random_take"]):
            _note(f"Note: {label}{note}")
        if as_json:
            _print_json(value)
        else:
            click.echo(text if len(entries) == 1 else f"{label.rstrip(': ')}\n{text}\n")
    ctx.exit(2 if bad else 0)


@cli.command()
@_case_options
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The directory to write; it must not exist, or be empty.")
@_json_option
def prove(out: Path, as_json: bool, **how: Any) -> None:
    """Write a proof of the answer to a deal, for those who do not trust it.

    The directory gets the case; its formula in DIMACS, with what the variables mean; and CaDiCaL's refutation of it as DRAT
    if the deal is unwinnable, or a line of play if it is winnable. `deepcrew check` verifies it, and so does every DRAT checker.
    docs/proofs.md describes the files.

    Takes one deal, as `deepcrew solve` does.

    \b
    Examples:
      deepcrew prove case.json --out proof
      deepcrew deal --players 4 --tasks 10 --draft random | deepcrew prove - --out proof
    """
    from .solver import proofs, show_reasons

    entries = _entries(**how)
    if len(entries) > 1:
        raise InputError(f"{len(entries)} cases are given: prove takes one at a time")
    ((_, entry),) = entries
    if isinstance(entry, InputError):
        raise entry
    proofs.check_new(out)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is half written is cleared away
    _warm_up()
    status = _Status()
    proof = proofs.prove(entry, out, five_player_rule=not how["without_five_player_rule"], progress=status.show)
    status.clear()
    _print_json(proof.to_json()) if as_json else click.echo(show_reasons.proof_text(proof))


@cli.command()
@click.argument("directories", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@_mission_file_option
@_json_option
@click.pass_context
def check(ctx: click.Context, directories: Sequence[Path], own_missions: tuple[Mission, ...], as_json: bool) -> None:
    """Verify proofs that `deepcrew prove` wrote.

    The formula is made anew from the case and compared; a refutation is replayed step by step by dratify, a line by the
    referee. Anything that does not hold is named, and the exit code is 2.

    \b
    Examples:
      deepcrew check proof
      deepcrew check proofs/* --json
    """
    from .solver import proofs, show_reasons

    bad = False
    status = _Status()
    for directory in directories:
        try:
            proof = proofs.check(directory, catalogue=own_missions, progress=status.show)
        except InputError as error:
            status.clear()
            bad = True
            _note(f"Error: {error}")
            if as_json:
                _print_json({"path": str(directory), "error": str(error)})
            continue
        status.clear()
        _print_json(proof.to_json()) if as_json else click.echo(show_reasons.proof_text(proof))
    ctx.exit(2 if bad else 0)


# rate


@cli.command()
@click.argument("missions", nargs=-1, metavar="[MISSIONS]...")
@click.option("--tasks", help="Planet Nine instead of missions: a number of random tasks, or several, such as 1-20 or 5,10.")
@_tokens_option
@click.option(
    "--difficulty", help="Deep Sea instead of missions: task cards drawn to a difficulty, or to several, such as 1-18; at most 25."
)
@_cards_option
@_distribution_option
@_untimed_option
@_edition_option
@_reading_option
@_mission_file_option
@_distress_option
@_take_option
@_challenge_option
@_third_option
@click.option("--players", multiple=True, default=["4"], show_default=True, help="2 to 5; several with commas.")
@click.option("--deals", type=click.IntRange(1, 10**15), help="Random deals in each cell.  [default: 10000]")
@_seed_options
@click.option(
    "--draft", multiple=True, default=["best"], show_default=True, help="best (any legal owners), random (drawn), or both: best,random."
)
@_workers_option
@click.option("--slowest", type=click.IntRange(min=0), default=0, help="Also print this many of the slowest deals, as cases.")
@_until_option
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIRECTORY", help="Keep every deal there, as a run that can be resumed and extended."
)
@click.option("--chunk", type=click.IntRange(1, 1_000_000), help="With --out: deals in each part.  [default: as many as suit --deals]")
@_cluster_option
@_five_option
@_engine_options
@_json_option
@click.pass_context
def rate(
    ctx: click.Context,
    missions: Sequence[str],
    tasks: str | None,
    tokens: str | None,
    difficulty: str | None,
    task_cards: Sequence[str],
    distribution: str | None,
    untimed: bool,
    edition: str | None,
    readings: Sequence[str],
    own_missions: tuple[Mission, ...],
    distress: str | None,
    random_take: str,
    challenge: bool,
    third_seat: int | None,
    players: Sequence[str],
    deals: int | None,
    seed: int,
    first: int,
    draft: Sequence[str],
    workers: int | None,
    slowest: int,
    until: str | None,
    out: Path | None,
    chunk: int | None,
    cluster: str | None,
    without_five_player_rule: bool,
    engine: str,
    limit_nodes: int | None,
    limit_seconds: float | None,
    as_json: bool,
) -> None:
    """Measure how often random deals are winnable: of missions, or of random or given tasks.

    One line for each cell: a load (a mission, a number of tasks, a difficulty or a set of task cards), a number of
    players and a draft. Cells that cannot be played, such as the challenge deck with five players, are left out and
    named on stderr; the exit code is 2 only when no cell is left. Undecided deals exist only under a limit and widen
    the interval. Where the rules of the game leave a point open, the reading used is named on stderr. With --distress
    a deal that is lost as it lies may be won with the signal; "gained" counts these. In Deep Sea,
    "redealt" counts the deals thrown in because a task card calls them a redeal, "replaced" the task cards exchanged
    because they exclude another one.

    With --until the interval is looked at after 1000, 2000, 4000 ... deals, and the deals end when it is narrow enough. Look
    number k uses the exact interval of Clopper and Pearson at confidence 1 - 0.05/(k(k+1)): these errors add up to 5%, so the
    interval that is printed, that of the last look, covers the true rate with at least 95% probability although looks decide when
    to stop.

    With --out every deal is kept in a directory, a run: killed at any moment, it goes on with `deepcrew resume`; `deepcrew show`
    prints its rates and deals, `deepcrew compare` compares its cells on the deals they share.

    \b
    Examples:
      deepcrew rate planet-nine/22 --players 4 --deals 100000 --seed 1
      deepcrew rate planet-nine/1-50 --players 2,3,4,5 --draft best,random --json
      deepcrew rate planet-nine/22 --until 0.5%
      deepcrew rate planet-nine/1-50 --players 3,4,5 --deals 100000 --out runs/planet-nine
      deepcrew rate planet-nine/29,34,46 --players 5 --distress any --deals 1000
      deepcrew rate --tasks 1-20 --tokens 1 --deals 1000
      deepcrew rate deep-sea/1-32 --players 3,4,5 --deals 1000
      deepcrew rate --difficulty 1-18 --distribution free --draft random --deals 500
      deepcrew rate --task win_all_9s --task zero_tricks --deals 1000
    """
    from .solver import show

    if sum([bool(missions), tasks is not None, difficulty is not None, bool(task_cards)]) != (0 if own_missions and not missions else 1):
        raise click.UsageError("give either missions, such as planet-nine/1-50, or one of --tasks, --difficulty and --task")
    if missions and (tokens or distribution):
        raise click.UsageError("--tokens and --distribution go with --tasks, --difficulty or --task: a mission has its own")
    seats, drafts = _players(players), _drafts(draft)
    if missions or (own_missions and tasks is difficulty is None and not task_cards):
        names = missions or list(dict.fromkeys(mission.book for mission in own_missions))
        cells = _mission_cells(names, seats, untimed, edition, readings, own_missions)
    else:
        cells = _custom_cells(tasks, tokens, difficulty, task_cards, distribution, untimed, edition, seats)
        cells = _read_cells(cells, readings)
    if random_take != "seeded" and not any(load.pass_after for load, _ in cells):
        raise click.UsageError("--random-take is for missions in which cards are taken unseen, such as planet-nine/12")
    cells = _at_table(cells, challenge, third_seat, random_take)
    _check_out(out, chunk, cluster, slowest, limit_seconds)
    from .solver import rates, runs
    from .solver.sequential import parse_width

    width = None if until is None else parse_width(until)
    most = deals or (10_000 if width is None else runs.MOST)
    _warm_up()
    todo = _dealable([(load, count, how) for load, count in cells for how in drafts], seed, first)
    rest: dict[str, Any] = {"engine": engine, "limit_nodes": limit_nodes, "five_player_rule": not without_five_player_rule}
    rest |= {"seed": seed, "first": first, "distress": distress, "until": width}
    if len(todo) == 1:  # of several cells a bad one is only left out
        load, count, how = todo[0]
        rates.checked_job(load, count, deals=most, draft=how, limit_seconds=limit_seconds, **rest)
    if not as_json:
        for reading in show.reading_notes((load, count) for load, count, _ in todo):
            _note(reading)
        for takes in dict.fromkeys(load.takes for load, _, _ in todo if load.pass_after):
            _note(show.takes_note(takes))
    printer = _RatePrinter([load for load, _, _ in todo], bool(distress), as_json, slowest, width)
    if out is not None:
        planned = [runs.Cell(load, count, how, deals=most, **rest) for load, count, how in todo]
        run = runs.start_run(out, planned, chunk=chunk, command=_command_line())
        printer.start()
        _carry_out(ctx, run, printer, workers=workers, cluster=cluster)
        return
    printer.start()
    for number, (load, count, how) in enumerate(todo, start=1):
        status = _Status()
        try:
            result = rates.rate(
                load,
                count,
                most,
                draft=how,
                workers=workers,
                limit_seconds=limit_seconds,
                slowest=slowest,
                progress=_progress(status, f"{number} of {len(todo)}", load),
                **rest,
            )
        except InputError as error:  # one of the deals has no tasks or owners
            status.clear()
            if len(todo) == 1:
                raise
            _note(show.cell_left_out(load, count, how, error))
            continue
        status.clear()
        printer.show(result)
    printer.finish()


def _command_line() -> str:
    from shlex import join

    return join(["deepcrew", *sys.argv[1:]])


def _check_out(out: Path | None, chunk: int | None, cluster: str | None, slowest: int, limit_seconds: float | None) -> None:
    """Raise what is wrong with the options that speak of a run."""
    if out is None:
        if chunk is not None or cluster is not None:
            raise click.UsageError(f"--{'chunk' if chunk is not None else 'cluster'} goes with --out: only a run has parts to share")
        return
    if slowest:
        raise click.UsageError(
            "--slowest does not go with --out: a run keeps no times; deepcrew show --where 'nodes>100000' finds hard deals"
        )
    if limit_seconds is not None:
        raise click.UsageError("--limit-seconds does not go with --out: what a run finds must not depend on the clock; use --limit-nodes")
    from .solver.cluster import check_cluster
    from .solver.runs import check_new

    check_new(out)
    if cluster is not None:
        check_cluster()


class _RatePrinter:
    """Prints the rates of a table as they come, as text or JSON."""

    def __init__(self, loads: Sequence[Load], signal: bool, as_json: bool, slowest: int = 0, until: float | None = None) -> None:
        from .solver import show

        self._json, self._slowest, self._until = as_json, slowest, until
        self._width = max(4, *(len(show.load_name(load)) for load in loads))
        self._drawn = any(show.draws_task_cards(load) for load in loads)
        self._signal, self._expected = signal, any(load.pass_after and load.takes == "expected" for load in loads)
        self._done: list[Rate] = []

    def start(self) -> None:
        from .solver.show import rate_header

        if not self._json:
            click.echo(rate_header(self._width, self._drawn, self._signal, self._expected))

    def show(self, rate: Rate) -> None:
        from .solver import show

        if self._json:
            _print_json(show.rate_json(rate, self._slowest))
        else:
            click.echo(show.rate_row(rate, self._width, self._drawn, self._signal, self._expected))
        self._done.append(rate)

    def finish(self) -> None:
        """Raise InputError when there was nothing to print; else print what follows the table."""
        from .solver import show

        if not self._done:
            raise InputError("none of these loads can be played")
        if self._json:
            return
        if self._until is not None:
            _note(show.looks_note(self._until, self._done))
        if self._slowest:
            click.echo()
            for case in show.slowest_cases(self._done, self._slowest):
                _print_json(case)


def _carry_out(ctx: click.Context, run: Run, printer: _RatePrinter, **how: Any) -> None:
    """Decide what a run lacks, and print its rates as its cells are done."""
    from .solver import runs, show

    status = _Status()
    decided, start = dict.fromkeys(range(len(run.cells)), 0), monotonic()

    def progress(number: int, progress: Progress) -> None:
        decided[number] = progress.done - progress.before
        load = run.cells[number].load
        status.show(show.cell_progress_text(f"{number + 1} of {len(run.cells)}: {show.load_name(load)}", progress))

    def cell_done(cell: Cell, rate: Rate | str) -> None:
        status.clear()
        if not isinstance(rate, str):
            printer.show(rate)
        elif len(run.cells) == 1:
            raise InputError(rate)
        else:
            _note(show.cell_left_out(cell.load, cell.players, cell.draft, InputError(rate)))

    def note(sentence: str) -> None:
        status.clear()
        _note(f"Note: {sentence}")

    try:
        runs.carry_out(run, observer=runs.Observer(progress, cell_done, note), **how)
    except KeyboardInterrupt:
        status.clear()
        _note(f"Interrupted; what is finished is kept. Go on with: deepcrew resume {run.path}")
        ctx.exit(130)
    status.clear()
    printer.finish()
    if deals := sum(decided.values()):  # the rates themselves are the same whoever decides them, and when
        _note(show.speed_text(deals, monotonic() - start))


def _progress(status: _Status, number: str, load: Load) -> Callable[[Progress], None]:
    from .solver.show import cell_progress_text, load_name

    return lambda progress: status.show(cell_progress_text(f"{number}: {load_name(load)}", progress))


# resume, show, compare


_run_argument = click.argument("directory", type=click.Path(path_type=Path), metavar="RUN")


@cli.command()
@_run_argument
@click.option("--deals", type=click.IntRange(1, 10**15), help="Extend every cell to so many deals.")
@_until_option
@_workers_option
@_cluster_option
@click.option("--anyway", is_flag=True, help="Go on although other code or data decided what is there.")
@_json_option
@click.pass_context
def resume(
    ctx: click.Context,
    directory: Path,
    deals: int | None,
    until: str | None,
    workers: int | None,
    cluster: str | None,
    anyway: bool,
    as_json: bool,
) -> None:
    """Go on with a run that was interrupted, or extend it: more deals in every cell, or a narrower interval.

    Nothing that is finished is decided again. The results are the same, byte for byte, as those of a run that was never interrupted,
    for any number of workers. Parts that were damaged are named and decided again.

    \b
    Examples:
      deepcrew resume runs/planet-nine
      deepcrew resume runs/planet-nine --deals 1000000
      deepcrew resume runs/planet-nine --until 0.2%
    """
    from .solver import runs
    from .solver.sequential import parse_width

    run = runs.open_run(directory)
    width = None if until is None else parse_width(until)
    if deals is not None or width is not None:
        run = runs.extend(run, deals=deals, until=width, anyway=anyway)
    elif not anyway:
        run.check_made_with()
    _warm_up()
    printer = _printer_of(run, as_json)
    printer.start()
    _carry_out(ctx, run, printer, workers=workers, cluster=cluster, anyway=anyway)


def _printer_of(run: Run, as_json: bool) -> _RatePrinter:
    aims = [cell.until for cell in run.cells if cell.until is not None]
    signal = any(cell.distress for cell in run.cells)
    return _RatePrinter([cell.load for cell in run.cells], signal, as_json, until=max(aims, default=None))


@cli.command()
@_run_argument
@click.option(
    "--where",
    "wheres",
    multiple=True,
    metavar="CONDITION",
    help="Instead of rates, deals of which this holds, such as verdict=unwinnable or 'nodes>1000'; several must all hold.",
)
@click.option("--deals", "as_deals", is_flag=True, help="Instead of rates, all deals.")
@click.option("--cell", type=click.IntRange(min=0), help="Only this cell; cells are counted from 0 in the order of the table.")
@click.option("--limit", type=click.IntRange(min=1), help="Print at most so many deals.")
@_json_option
def show(directory: Path, wheres: Sequence[str], as_deals: bool, cell: int | None, limit: int | None, as_json: bool) -> None:
    """Print the rates of a run, or deals of it as cases, one JSON object per line, ready for solve.

    Columns of --where: cell, seed, index, verdict (winnable, unwinnable, undecided), decided_by (search, sat, plays, limit), nodes,
    redealt, replaced, gained (true: won only with the distress signal, which the case then has) and chance.

    \b
    Examples:
      deepcrew show runs/planet-nine
      deepcrew show runs/planet-nine --where verdict=unwinnable --limit 5
      deepcrew show runs/planet-nine --where 'nodes>100000' --cell 3 | deepcrew solve -
    """
    from .solver import runs

    run = runs.open_run(directory)
    if cell is not None:
        run.cell(cell)
    if wheres or as_deals:
        _show_deals(run, [runs.parse_where(text) for text in wheres], cell, limit)
        return
    if limit is not None:
        raise click.UsageError("--limit goes with --where or --deals")
    printer = _printer_of(run, as_json)
    printer.start()
    found = [run.rate(number) for number in ([cell] if cell is not None else range(len(run.cells)))]
    for rate in found:
        if rate is not None:
            printer.show(rate)
    _note_damaged(run)
    unfinished = 0 if cell is not None else sum(not done.complete for done in run.progress)
    if unfinished:
        _note(f"Note: {unfinished} of {len(run.cells)} cells are unfinished: deepcrew resume {directory} goes on with them")
    if any(rate is not None for rate in found):
        printer.finish()


def _show_deals(run: Run, wheres: Sequence[Where], cell: int | None, limit: int | None) -> None:
    from itertools import islice

    books = {of.load.mission.book for of in run.cells if of.load.mission is not None and of.load.mission.book}
    if books:
        _note(f"Note: solve needs --mission-file for the missions of {', '.join(sorted(books))}")
    for row in islice(run.rows(wheres, cell), limit):
        _print_json(run.case(row["cell"], row["index"], row["gained"]))
    _note_damaged(run)


def _note_damaged(run: Run) -> None:
    for name, reason in run.damaged.items():
        _note(f"Note: the part {name} is damaged and left out: {reason}; deepcrew resume {run.path} decides it again")


@cli.command()
@_run_argument
@click.argument("cells", nargs=-1, type=click.IntRange(min=0), metavar="[CELL CELL]")
@_json_option
def compare(directory: Path, cells: Sequence[int], as_json: bool) -> None:
    """Compare cells of a run on the deals they share: those of the same players, seed and first deal.

    Without cells, each is compared with the first that has its deals; a cell with a distress signal also with itself without. As the
    deals are the same, the difference of two cells is known much better than either rate: its interval is Tango's score interval
    (1998) for pairs, widened by what is undecided.

    \b
    Examples:
      deepcrew compare runs/planet-nine
      deepcrew compare runs/planet-nine 0 3 --json
    """
    from .solver import runs
    from .solver import show as shows

    if len(cells) not in (0, 2):
        raise click.UsageError("name two cells to compare, or none for all")
    run = runs.open_run(directory)
    pairs = [(cells[0], cells[1])] if cells else runs.pairs(run)
    if not pairs:
        raise InputError(f"no two cells of {str(directory)!r} share their deals: they need the same players, seed and first deal")
    found = [runs.compare(run, one, other) for one, other in pairs]
    _note_damaged(run)
    if not as_json:
        click.echo(shows.comparisons_text(found))
    for comparison in found if as_json else ():
        _print_json(shows.comparison_json(comparison))


_Cell = tuple["Load", int, str]
"""A load, a number of players and a draft."""


def _dealable(cells: Sequence[_Cell], seed: int, first: int) -> list[_Cell]:
    """The cells whose first deal can be made; the others are noted."""
    from .solver.deals import deal
    from .solver.show import cell_left_out, draws_task_cards

    good = []
    for load, players, draft in cells:
        try:
            if draws_task_cards(load):
                deal(seed, first, players, draft=draft, load=load)
        except InputError as error:
            if len(cells) == 1:
                raise
            _note(cell_left_out(load, players, draft, error))
        else:
            good.append((load, players, draft))
    if not good:
        raise InputError("none of these loads can be dealt")
    return good


def _mission_cells(
    names: Sequence[str], seats: Sequence[int], untimed: bool, edition: str | None, readings: Sequence[str], own: tuple[Mission, ...]
) -> list[tuple[Load, int]]:
    """Every mission named with every number of players."""
    from .solver.missions import find_missions

    missions = list({mission.name: mission for name in names for mission in find_missions(name, own)}.values())
    loads = [_load_of(mission, edition, readings) for mission in _as_asked(missions, untimed, edition, readings)]
    return [(load, count) for load in loads for count in seats]


def _load_of(mission: Mission, edition: str | None, readings: Sequence[str]) -> Load:
    from dataclasses import replace

    from .solver.loads import Load

    load = Load.of(mission, edition if mission.game == "deep-sea" else None)
    return replace(load, readings=tuple(dict.fromkeys([*load.readings, *readings])))


def _read_cells(cells: list[tuple[Load, int]], readings: Sequence[str]) -> list[tuple[Load, int]]:
    """Loads without a mission with readings of the game's open questions."""
    from dataclasses import replace

    from .solver.missions import check_readings

    check_readings(readings, cells[0][0].game, [])
    return [(replace(load, readings=tuple(readings)), count) for load, count in cells]


def _at_table(cells: Sequence[tuple[Load, int]], challenge: bool, third_seat: int | None, takes: str) -> list[tuple[Load, int]]:
    """The cells with the deck and the third seat asked for; those for which the deck is not made are noted."""
    from dataclasses import replace

    if third_seat is not None and not any(count == 2 for _, count in cells):
        raise click.UsageError("--third-seat is for two players: --players 2")
    seated = []
    for load, count in cells:
        try:
            load = replace(load, takes=takes) if load.pass_after else load
            load = load if third_seat is None else replace(load, third_seat=third_seat)
            if challenge:
                load = replace(load, challenge=True)
                load.check_players(count)
        except InputError as error:
            if len(cells) == 1:
                raise
            _note(f"{load.mission.name if load.mission else 'this load'} with {count} players is left out: {error}")
        else:
            seated.append((load, count))
    if not seated:
        raise InputError("none of these loads can be played")
    return seated


def _as_asked(missions: Sequence[Mission], untimed: bool, edition: str | None, readings: Sequence[str]) -> list[Mission]:
    """The missions in the variant and the readings asked for. Raises InputError for an option that concerns none of them."""
    from .solver.missions import check_readings, read_with

    check_readings(readings, missions[0].game, missions)
    if untimed and not any(mission.variants for mission in missions):
        raise InputError("--untimed is for missions with a clock, such as deep-sea/26")
    if edition is not None and not any(mission.game == "deep-sea" for mission in missions):
        raise InputError(f"edition {edition!r} does not go with {missions[0].game}: only prints of deep-sea differ")
    missions = [mission.variant("untimed") if untimed and mission.variants else mission for mission in missions]
    return [read_with(mission, readings) for mission in missions]


def _custom_cells(
    tasks: str | None,
    tokens: str | None,
    difficulty: str | None,
    task_cards: Sequence[str],
    distribution: str | None,
    untimed: bool,
    edition: str | None,
    seats: Sequence[int],
) -> list[tuple[Load, int]]:
    """Every load without a mission with every number of players, as far as it can be; the others are noted."""
    if untimed:
        raise click.UsageError("--untimed goes with missions that have a clock")
    text, option = (tasks, "--tasks") if tasks is not None else (difficulty, "--difficulty")
    if text is None:
        return [(_custom_load(None, tokens, None, task_cards, distribution, edition), count) for count in seats]

    def load_of(number: int, tokens: str | None) -> Load:
        if text is tasks:
            return _custom_load(number, tokens, None, (), distribution, edition)
        return _custom_load(None, tokens, number, (), distribution, edition)

    numbers, cells = list(_numbers(text, option)), []
    load_of(max(numbers), None)
    for number in numbers:
        try:
            load = load_of(number, tokens)
        except InputError as error:
            if len(numbers) == 1:
                raise
            _note(f"{option} {number} is left out: {error}")
        else:
            cells += [(load, count) for count in seats]
    if not cells:
        raise InputError(f"none of {option} {text} can be played")
    return cells


def _custom_load(
    tasks: int | None,
    tokens: str | None,
    difficulty: int | None,
    task_cards: Sequence[str],
    distribution: str | None,
    edition: str | None,
) -> Load:
    """A load that belongs to no mission: of Deep Sea with a difficulty or task cards, else of Planet Nine."""
    from .solver.loads import Load
    from .solver.tokens import parse_token

    signs = tuple(parse_token(token) for token in _words(tokens or ""))
    if difficulty is not None or task_cards:
        cards = tuple(card.strip() for card in task_cards)
        return Load(0, signs, distribution or "", game="deep-sea", difficulty=difficulty, task_cards=cards, edition=edition)
    if edition is not None:
        raise click.UsageError("--edition goes with Deep Sea: with its missions, --difficulty or --task")
    return Load(tasks or 0, signs, distribution or "")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _numbers(text: str, option: str) -> Iterator[int]:
    """Read ``5``, ``1-20`` or ``1-3,5``."""
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match and int(match[2] or match[1]) < int(match[1]):
            raise InputError(f"malformed {option} {text!r}: in a range such as {match[0]} the lower number comes first")
        if not match:
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
@_mission_file_option
@click.option("--check", "checked", metavar="FILE", help="Instead: look for everything that is wrong in a file of missions of your own.")
@_json_option
@click.pass_context
def missions(ctx: click.Context, names: Sequence[str], own_missions: tuple[Mission, ...], checked: str | None, as_json: bool) -> None:
    """List missions with their rules in plain words and the readings of what the rules leave open.

    With --check every fault of a mission file is named by its line on stderr, and the exit code is 2; goals that contradict
    each other are faults too. A mission that only some numbers of players can never win is a note.

    \b
    Examples:
      deepcrew missions
      deepcrew missions planet-nine/1-10,12
      deepcrew missions deep-sea --json
      deepcrew missions --check my.toml
      deepcrew missions --mission-file my.toml my/3
    """
    from .solver import show
    from .solver.missions import GAMES, find_missions

    width = min(get_terminal_size((_WIDTH, 24)).columns, _WIDTH)
    if checked is not None:
        if names or own_missions:
            raise click.UsageError("--check takes one file and goes with no other missions")
        _check_mission_file(ctx, checked, width, as_json)
        return
    found = [find_missions(name, own_missions) for name in names or dict.fromkeys(mission.book for mission in own_missions) or GAMES]
    for mission in (mission for some in found for mission in some):
        if as_json:
            _print_json(show.mission_json(mission))
        else:
            click.echo(show.mission_text(mission, width))


def _check_mission_file(ctx: click.Context, path: str, width: int, as_json: bool) -> None:
    from .solver import show
    from .solver.mission_files import check_mission_file

    report = check_mission_file(path)
    for note in report.notes:
        _note(f"Note: {note}")
    for error in report.errors:
        _note(f"Error: {error}")
        if as_json:
            _print_json({"error": error})
    if report.errors:
        ctx.exit(2)
    if not as_json:
        click.echo(show.mission_file_text(path, report.missions, width))
    for mission in report.missions if as_json else ():
        _print_json(show.mission_json(mission))


# tasks


@cli.command()
@click.argument("words", nargs=-1, metavar="[TEXT]...")
@click.option("--group", help="Only the cards of this group, such as compare or winning-card.")
@click.option("--difficulty", help="Only cards of this difficulty, or of several, such as 3 or 3-4.")
@click.option("--players", type=click.Choice(["3", "4", "5"]), help="With --difficulty: with this many players.  [default: any]")
@_json_option
def tasks(words: Sequence[str], group: str | None, difficulty: str | None, players: str | None, as_json: bool) -> None:
    """List the task cards of Deep Sea: name, difficulty with 3, 4 and 5 players, group, and what it asks for.

    Of the words given, every card listed has all in its name or its text.

    \b
    Examples:
      deepcrew tasks
      deepcrew tasks submarine
      deepcrew tasks --group compare
      deepcrew tasks --difficulty 5-6 --players 5 --json
    """
    from .solver import show

    if players and not difficulty:
        raise click.UsageError("--players goes with --difficulty")
    wanted = None if difficulty is None else set(_numbers(difficulty, "--difficulty"))
    cards = show.select_task_cards(words, group, wanted, int(players) if players else None)
    if not cards:
        _note("no task card fits")
    if as_json:
        for card in cards:
            _print_json(show.task_card_json(card))
    elif cards:
        click.echo(show.task_cards_text(cards, min(get_terminal_size((_WIDTH, 24)).columns, _WIDTH)))


# deal


@cli.command()
@click.option("--players", type=int, default=4, show_default=True, help="2 to 5.")
@click.option("--count", type=click.IntRange(1, 10**15), default=1, show_default=True, help="How many deals.")
@_seed_options
@click.option("--tasks", type=click.IntRange(min=0), help="Planet Nine: draw this many random tasks.")
@_tokens_option
@click.option("--difficulty", type=int, help="Deep Sea: draw task cards to this difficulty, at most 25.")
@_cards_option
@_distribution_option
@click.option("--mission", help="Draw the tasks of this mission, such as planet-nine/10 or deep-sea/7.")
@_untimed_option
@_edition_option
@_reading_option
@_mission_file_option
@_challenge_option
@_third_option
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
    difficulty: int | None,
    task_cards: Sequence[str],
    distribution: str | None,
    mission: str | None,
    untimed: bool,
    edition: str | None,
    readings: Sequence[str],
    own_missions: tuple[Mission, ...],
    challenge: bool,
    third_seat: int | None,
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
      deepcrew deal --players 3 --mission deep-sea/26 --untimed
      deepcrew deal --difficulty 9 --distribution free --draft random
      deepcrew deal --task win_all_9s --task zero_tricks --holds 0:S4
    """
    from dataclasses import replace
    from itertools import islice

    from .solver import deals
    from .solver.cases import case_from_position

    if mission and (tasks is not None or tokens or difficulty is not None or task_cards or distribution):
        raise click.UsageError("--mission brings its own tasks: leave out --tasks, --tokens, --difficulty, --task and --distribution")
    if sum([tasks is not None, difficulty is not None, bool(task_cards)]) > 1:
        raise click.UsageError("give one of --tasks, --difficulty and --task")
    if untimed and not mission:
        raise click.UsageError("--untimed goes with a mission that has a clock")
    if mission:
        rules = _as_asked([_one_mission(mission, own_missions)], untimed, edition, readings)[0]
        load = _load_of(rules, edition, readings)
    else:
        load = _custom_load(tasks, tokens, difficulty, task_cards, distribution, edition)
        load = _read_cells([(load, players)], readings)[0][0]
    if without_five_player_rule:
        load = replace(load, five_player_rule=False)
    load = _at_table([(load, players)], challenge, third_seat, "seeded")[0][0]
    third = load.third_seat if players == 2 else None
    constraints = deals.Constraints(
        tuple(deals.parse_holds(text) for text in holds),
        tuple(deals.parse_group(text) for text in together),
        tuple(deals.parse_group(text) for text in apart),
        load.deck,
        third,
    )
    for index, position in islice(_deals(load, players, seed, first, draft, constraints), count):
        _print_json(case_from_position(position) | {"seed": seed, "index": index})


def _deals(load: Load, players: int, seed: int, first: int, draft: str, constraints: Constraints) -> Iterator[tuple[int, Position]]:
    """The deals that meet the constraints, with their numbers; a deal that tasks call a redeal counts as it is dealt anew."""
    from .solver import deals
    from .solver.show import draws_task_cards

    usual = players > 2 and not load.challenge and not draws_task_cards(load)
    if usual or not constraints:
        for index in deals.deal_numbers(seed, players, constraints, first=first):
            yield index, deals.deal(seed, index, players, draft=draft, load=load)
        return
    deals.check_players(players)
    constraints.check(max(players, 3))
    index, missed = first, 0
    while missed < _GIVE_UP:
        position = deals.deal(seed, index, players, draft=draft, load=load)
        missed += 1
        if constraints.met(position.hands):
            missed = 0
            yield index, position
        index += 1
    raise InputError(f"gave up after {missed:,} deals in a row of seed {seed} that do not meet the constraints: they are very rare")


def _one_mission(name: str, own: tuple[Mission, ...]) -> Mission:
    from .solver.missions import find_missions

    found = find_missions(name, own)
    if len(found) != 1:
        raise InputError(f"{name!r} names {len(found)} missions: a deal has one")
    return found[0]


# audit


@cli.command()
@click.option("--players", multiple=True, default=["3,4,5"], show_default=True, help="3, 4 or 5; several with commas.")
@click.option("--task", "task_cards", multiple=True, metavar="SLUG", help="Only this task card; once for each.  [default: all]")
@click.option("--deals", type=int, help="Random deals of each card and number of players.  [default: 200]")
@click.option("--tightness-deals", type=int, help="So many of them for the tightness too, which takes longest.  [default: 40, or all]")
@click.option("--seed", type=_NUMBER, default=1, show_default=True, help="Names a series of random deals.")
@_edition_option
@click.option("--by", metavar="SHARE", help="Compare cards by random, best, captain, every, survived or by_chance.  [default: random]")
@click.option("--pairs", is_flag=True, help="Instead: which two task cards exclude each other, whatever the deal.")
@click.option("--pair-deals", type=int, help="With --pairs: also how often the other pairs can come true, in so many random deals.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes that share the work.  [default: one per core]")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the table as CSV too.")
@click.option("--parquet", "parquet_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the table as Parquet too.")
@_json_option
def audit(
    players: Sequence[str],
    task_cards: Sequence[str],
    deals: int | None,
    tightness_deals: int | None,
    seed: int,
    edition: str | None,
    by: str | None,
    pairs: bool,
    pair_deals: int | None,
    workers: int | None,
    csv_file: Path | None,
    parquet_file: Path | None,
    as_json: bool,
) -> None:
    """Check the printed difficulty of the task cards of Deep Sea: what open hands say about each, in random deals.

    For each card and number of players: the share of deals winnable with a random owner, the best owner, the captain,
    and whoever owns it; the search effort; and the tightness: how much of an attempt of random legal plays it
    survives, and how often such an attempt is won by chance. The cards furthest from their printed number come
    first; "expected" is what the other cards with that number have. JSON, CSV and Parquet hold the 95% intervals too;
    in JSON the rank correlations with the printed numbers follow the cards.

    \b
    Examples:
      deepcrew audit --csv audit.csv
      deepcrew audit --players 4 --task win_all_9s --task zero_tricks --deals 2000
      deepcrew audit --pairs --players 3,4,5
      deepcrew audit --pairs --task win_all_9s --pair-deals 100 --players 4
    """
    if pairs and any(value is not None for value in (deals, tightness_deals, edition, by)):
        raise click.UsageError("--deals, --tightness-deals, --edition and --by do not go with --pairs; --pair-deals does")
    if pair_deals is not None and not pairs:
        raise click.UsageError("--pair-deals goes with --pairs")
    from .solver import audit as audits

    seats = _players(players)
    audits.check_audit(seats, audits.DEALS if deals is None else deals, seed, task_cards, edition, workers)
    if pair_deals is not None and pair_deals < 1:
        raise InputError(f"{pair_deals} deals cannot be counted: deals must be 1 or more")
    files = [(path, kind) for path, kind in ((csv_file, "csv"), (parquet_file, "parquet")) if path is not None]
    if len({path.resolve() for path, _ in files}) < len(files):
        raise InputError(f"--csv and --parquet both name {str(csv_file)!r}: give each a file of its own")
    for path, _ in files:
        audits.check_file(path)
    status = _Status()

    def show_progress(progress: AuditProgress) -> None:
        status.show(audits.progress_text(progress))

    if not pairs:
        audits.warm_up(_note)
    elif pair_deals:
        _warm_up()
    rows: Sequence[CardAudit] | Sequence[PairAudit]
    correlations: Sequence[Correlation] = ()
    if pairs:
        rows = found = audits.audit_pairs(seats, pair_deals or 0, seed, task_cards=task_cards, workers=workers, progress=show_progress)
        text = "" if as_json else audits.pairs_text(found)
    else:
        result = audits.audit(
            seats,
            audits.DEALS if deals is None else deals,
            seed,
            task_cards=task_cards,
            tightness_deals=tightness_deals,
            edition=edition,
            by=by or audits.BY,
            workers=workers,
            progress=show_progress,
        )
        rows, correlations, text = result.rows, result.correlations, "" if as_json else audits.audit_text(result)
    status.clear()
    for path, kind in files:
        audits.write_table(rows, path, kind)
    if not as_json:
        click.echo(text)
    for row in (*rows, *correlations) if as_json else ():
        _print_json(row.to_json())


# report


@cli.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--html", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The page to write.")
@click.option(
    "--audit", "audit_file", type=click.Path(path_type=Path), metavar="FILE", help="Task cards too: a file of deepcrew audit --parquet."
)
def report(run: Path, html: Path, audit_file: Path | None) -> None:
    """Write a page about a run: rates with their intervals as charts and tables, the hardest deals and how they are won, how it
    was made. One file that needs no network.

    \b
    Examples:
      deepcrew report runs/all --html all.html
      deepcrew audit --parquet audit.parquet
      deepcrew report runs/sea --html sea.html --audit audit.parquet
    """
    from .report.page import read_audit, report_html, write_page
    from .solver.audit import check_file
    from .solver.runs import open_run

    opened = open_run(run)
    cards = None if audit_file is None else read_audit(audit_file)
    check_file(html)
    _warm_up()
    write_page(report_html(opened, opened.path.resolve().name, cards), html)


# bench


@cli.command()
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only kernels, verdicts, batch or sat; several may be given.")
@click.option("--rounds", type=int, metavar="N", help="Rounds of each process.  [default: 8, with --quick 6]")
@click.option("--processes", type=int, metavar="N", help="Processes, one after the other, each with its rounds.  [default: 8]")
@click.option("--quick", is_flag=True, help="A few seconds: one process; compared with anything, only changes above 10% count.")
@click.option("--compare", "old_file", type=click.Path(path_type=Path), metavar="FILE", help="Faster, slower or the same as this result?")
@click.option("--fail-if-slower", metavar="PERCENT", help="With --compare: exit code 1 if a suite is slower by this or more, such as 10%.")
@click.option("--out", "out_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the result, as JSON, here too.")
@_json_option
@click.pass_context
def bench(
    ctx: click.Context,
    suites: Sequence[str],
    rounds: int | None,
    processes: int | None,
    quick: bool,
    old_file: Path | None,
    fail_if_slower: str | None,
    out_file: Path | None,
    as_json: bool,
) -> None:
    """Measure how fast deepcrew is here: a score for each suite of fixed work, and whether it is faster or slower than before.

    The suites: kernels (search, compiled), verdicts (deals one by one, as in solve), batch (deals by the hundred, as in rate)
    and sat (formulas and their solving). 100 is as fast as a fixed reference that runs in between, which takes most of the
    noise out; higher is better. --compare tells a change only where it is above 3% and no accident, by a rank test over the
    processes. docs/bench.md has the details and a recipe for CI.

    \b
    Examples:
      deepcrew bench
      deepcrew bench --json > before.json
      deepcrew bench --compare before.json --fail-if-slower 10%
      deepcrew bench --quick --suite kernels --suite sat
    """
    if fail_if_slower is not None and old_file is None:
        raise click.UsageError("--fail-if-slower goes with --compare")
    if quick and processes is not None:
        raise click.UsageError("--quick is of one process: leave out --processes")
    from .solver import benchmark, comparison

    names = benchmark.check_suites(suites)
    processes = 1 if quick else benchmark.PROCESSES if processes is None else processes
    rounds = (benchmark.QUICK_ROUNDS if quick else benchmark.ROUNDS) if rounds is None else rounds
    benchmark.check_run(rounds, processes)
    limit = None if fail_if_slower is None else comparison.parse_limit(fail_if_slower)
    old = None if old_file is None else comparison.read_result(old_file)
    if old is not None:
        comparison.check_comparable(old, names, rounds, processes)
    if out_file is not None:
        from .solver.audit import check_file

        check_file(out_file)
    _warm_up()
    status = _Status()
    result = benchmark.run_benchmark(names, rounds, processes, lambda done, of: status.show(f"process {done + 1} of {of} ..."))
    status.clear()
    changes = [] if old is None else comparison.compare(old, result)
    whole = result.to_json() | ({"comparison": [change.to_json() for change in changes]} if changes else {})
    if out_file is not None:
        out_file.write_text(json.dumps(whole) + "\n", "utf-8")
    if as_json:
        _print_json(whole)
    else:
        click.echo(benchmark.result_text(result) + (f"\n\n{comparison.comparison_text(changes)}" if changes else ""))
    for note in [] if old is None else comparison.notes(old, result):
        _note(f"Note: {note}")
    slow = [] if limit is None else comparison.too_slow(changes, limit)
    if slow:
        _note(f"Slower by {fail_if_slower} or more: {', '.join(slow)}")
    ctx.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
