"""Results as text for people and as JSON for programs. Knows no terminal: returns strings, prints nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Any

from .cards import format_card, format_hand
from .missions import Mission, describe, unbuilt_rules
from .positions import Position, Task

if TYPE_CHECKING:  # these import numba, which takes longer than listing missions
    from .loads import Load
    from .rates import Progress, Rate
    from .verdicts import Verdict

_DECIDED = {
    "search": "by search",
    "sat": "by SAT",
    "plays": "by the cards played",
    "limit": "the limit was reached first",
}
_BAR = 12


def plural(number: int, noun: str) -> str:
    """A number with its noun: ``1 deal``, ``2,000 deals``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def table(rows: Sequence[Sequence[str]], left: Iterable[int]) -> list[str]:
    """Rows as lines with aligned columns, two spaces between them; the columns ``left`` are aligned to the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lefts = set(left)
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if at in lefts else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines


# Verdicts.


def verdict_text(position: Position, verdict: Verdict) -> str:
    """A verdict with its hands, its tasks and, where it is winnable, the line trick by trick."""
    lines = [_headline(position, verdict), ""]
    if verdict.reason:
        lines[1:1] = [f"Reason: {verdict.reason}."]
    owners = verdict.owners or position.owners
    lines += _hands_lines(position, owners)
    loose = [_task_text(task, position.game) for task, owner in zip(position.tasks, owners, strict=True) if owner is None]
    if loose:
        lines.append(f"Tasks up to the draft ({position.distribution}): {', '.join(loose)}")
    if verdict.line is not None and verdict.won_after:
        lines += ["", *_line_lines(position, verdict.line, verdict.won_after)]
    return "\n".join(lines)


def _headline(position: Position, verdict: Verdict) -> str:
    how = _DECIDED.get(verdict.decided_by, verdict.decided_by)
    effort = f"({how}, {plural(verdict.nodes, 'card')} tried, {verdict.seconds * 1000:.2f} ms)"
    if verdict.verdict == "winnable":
        won = f"all tasks are completed after trick {verdict.won_after} of {position.tricks}" if position.tasks else "there are no tasks"
        return f"winnable: {won} {effort}"
    if verdict.verdict == "unwinnable":
        free = ", whoever takes the tasks" if None in position.owners else ""
        return f"unwinnable: no legal play completes every task{free} {effort}"
    return f"{verdict.verdict} {effort}"


def _task_text(task: Task, game: str) -> str:
    return task.name(game) + (f":{task.token}" if task.token else "")


def _hands_lines(position: Position, owners: Sequence[int | None]) -> list[str]:
    rows = [("seat", "hand", "tasks", "")]
    for seat, hand in enumerate(position.hands):
        own = [_task_text(task, position.game) for task, owner in zip(position.tasks, owners, strict=True) if owner == seat]
        rows.append((str(seat), format_hand(hand, position.game), ", ".join(own) or "-", "captain" * (seat == position.captain)))
    return table(rows, left=(1, 2, 3))


def _line_lines(position: Position, line: tuple[tuple[int, ...], ...], won_after: int) -> list[str]:
    """The tricks up to the win, a column for each seat; ``>`` marks the card led and ``*`` the card that wins."""
    from .referee import Referee

    game, players = position.game, position.players
    referee = Referee(replace(position, plays=line))
    rows = [("trick", *(f"seat {seat}" for seat in range(players)), "won by", "completes")]
    for number, (leader, cards, winner, completed) in enumerate(referee.history[:won_after], start=1):
        row = [""] * players
        for turn, card in enumerate(cards):
            seat = (leader + turn) % players
            row[seat] = f"{'>' if turn == 0 else ' '}{format_card(card, game)}{'*' if seat == winner else ' '}"
        done = ", ".join(_task_text(position.tasks[index], game) for index in completed)
        rows.append((str(number), *row, f"seat {winner}", done))
    legend = "> leads, * wins the trick"
    rest = position.tricks - won_after
    if rest:
        span = f"trick {position.tricks}" if rest == 1 else f"tricks {won_after + 1} to {position.tricks}"
        legend += f"; {span}: any legal cards"
    return [*table(rows, left=range(1, players + 3)), legend]


def verdicts_summary(counts: dict[str, int]) -> str:
    """One line for many cases: how many of them were winnable, unwinnable, ..., in the order of ``counts``."""
    return f"{plural(sum(counts.values()), 'case')}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)


# Rates.


def load_name(load: Load) -> str:
    """What a cell of a table plays: a mission's name, or the tasks with their tokens and distribution."""
    if load.mission is not None:
        return load.mission.name
    words = [plural(load.tasks, "task"), *load.tokens]
    return " ".join(words) + (f" {load.distribution}" if load.distribution != "round-robin" else "")


_RATE_COLUMNS = (
    ("players", 7), ("draft", 6), ("tasks", 5), ("deals", 11), ("winnable", 8), ("95% interval", 16), ("unwinnable", 10),
    ("undecided", 9), ("by search", 11), ("by SAT", 9), ("deals/s", 9),
)  # fmt: skip


def rate_header(width: int) -> str:
    """The first line of a table of rates whose longest load name has ``width`` letters."""
    return "  ".join([f"{'load':{width}}", *(f"{name:>{wide}}" for name, wide in _RATE_COLUMNS)])


def rate_row(rate: Rate, width: int) -> str:
    """One line of a table of rates, under ``rate_header(width)``."""
    cells = (
        str(rate.players), rate.draft, str(rate.load.tasks), f"{rate.deals:,}", "-" if rate.rate is None else percent(rate.rate),
        f"{percent(rate.low)}-{percent(rate.high)}", f"{rate.unwinnable:,}", f"{rate.undecided:,}",
        f"{rate.by_search:,}", f"{rate.by_sat:,}", f"{rate.deals_per_second:,.0f}",
    )  # fmt: skip
    padded = [f"{cell:>{wide}}" for cell, (_, wide) in zip(cells, _RATE_COLUMNS, strict=True)]
    return "  ".join([f"{load_name(rate.load):{width}}", *padded])


def percent(share: float) -> str:
    """A share in percent with two decimals; only exactly all and nothing are shown as 100% and 0%."""
    if 0 < share < 1:
        return f"{min(max(100 * share, 0.01), 99.99):.2f}%"
    return f"{100 * share:.0f}%"


def slowest_cases(rates: Iterable[Rate], number: int) -> list[dict[str, Any]]:
    """The slowest deals of all these rates as cases, slowest first, each with its ``seconds``."""
    deals = sorted((deal for rate in rates for deal in rate.slowest), key=lambda deal: deal[0], reverse=True)
    return [{**case, "seconds": round(seconds, 6)} for seconds, case in deals[:number]]


def progress_text(what: str, progress: Progress) -> str:
    """A progress line: a bar, the estimate so far, the time left, deals per second, the share decided by SAT."""
    done, deals, seconds = progress.done, progress.deals, progress.seconds
    text = f"{what} {_bar(done, deals)} {done:,}/{deals:,}"
    if done == 0:
        return text
    speed = done / seconds if seconds > 0 else 0.0
    left = f"  {duration((deals - done) / speed)} left" if speed > 0 else ""
    decided = done - progress.undecided
    winnable = percent(progress.winnable / decided) if decided else "-"
    undecided = f"  undecided {progress.undecided:,}" if progress.undecided else ""
    return f"{text}  winnable {winnable}{left}  {speed:,.0f} deals/s  SAT {percent(progress.by_sat / done)}{undecided}"


def _bar(done: int, total: int) -> str:
    full = _BAR * done // max(total, 1)
    return "[" + "#" * full + "-" * (_BAR - full) + "]"


def count_text(what: str, done: int, total: int) -> str:
    """A progress line for ``total`` things of one kind."""
    return f"{what} {_bar(done, total)} {done:,}/{total:,}"


def duration(seconds: float) -> str:
    """A time as people say it: ``8s``, ``2m 05s``, ``3h 10m``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}m {rest:02}s" if minutes < 60 else f"{minutes // 60}h {minutes % 60:02}m"


# Missions.


def mission_text(mission: Mission, width: int) -> str:
    """A mission's name and its rules, those that are not built yet named at the end, wrapped to ``width``."""
    always, with_five = _unbuilt(mission)
    text = describe(mission)
    if always:
        text += f" [not built yet: {', '.join(always)}]"
    if with_five:
        text += f" [not built yet with five players: {', '.join(with_five)}]"
    return fill(text, width, initial_indent=f"{mission.name:<16}", subsequent_indent=" " * 16)


def mission_json(mission: Mission) -> dict[str, Any]:
    """A mission as an object: its facts, its rules in words, and what of them is not built yet."""
    always, with_five = _unbuilt(mission)
    return {
        "name": mission.name,
        "game": mission.game,
        "number": mission.number,
        "tasks": mission.tasks,
        "tokens": list(mission.tokens),
        "distribution": mission.distribution,
        "five_player_rule": mission.five_player_rule,
        "rules": describe(mission),
        "not_built": always,
        "not_built_with_five_players": with_five,
    }


def left_out(mission: Mission, players: Sequence[int], rules: Sequence[str]) -> str:
    """Why a mission is not played with these numbers of players, in one sentence."""
    numbers = " or ".join(map(str, players))
    return f"{mission.name} with {numbers} players is left out, rules not built yet: {', '.join(rules)}"


def _unbuilt(mission: Mission) -> tuple[list[str], list[str]]:
    always = unbuilt_rules(mission, 4)
    return always, [rule for rule in unbuilt_rules(mission, 5) if rule not in always]
