"""What the page says: a run turned into charts, tables and sentences, and those into HTML."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from .. import __version__
from ..solver.audit import OUTLIERS, CardAudit, correlation, correlation_text, expected_shares
from ..solver.cards import CAPTAIN_CARD, format_card
from ..solver.cases import hand_text
from ..solver.drafts import DISTRIBUTIONS
from ..solver.errors import InputError
from ..solver.intervals import wilson
from ..solver.loads import Load
from ..solver.positions import DIRECTIONS, Exchange, Position, Task
from ..solver.rates import Rate
from ..solver.referee import Referee
from ..solver.show import choice_lines, draws_task_cards, load_name, percent, plural, reading_notes, settled, takes_note
from ..solver.taskcards import find_task_card
from ..solver.verdicts import UNDECIDED, UNWINNABLE, WINNABLE, Verdict, solve
from .charts import Dot, Point, Row, Scale, dot_chart, legend_mark, pages, scatter

if TYPE_CHECKING:
    from ..solver.runs import Run

_FEW = 12
"""Rows of a chart that are all drawn, even those that say 100%."""
NOTHING, TO = "\N{EN DASH}", " \N{EN DASH} "
HARDEST = 5
"""Deals shown of each verdict."""
_CANDIDATES = 400
"""Deals among which those shown are chosen: the hardest of all, from as many loads as there are."""
_SECONDS = 120.0
"""How long the line of a deal may take to be found again."""
_DIGEST = re.compile("[0-9a-f]{64}")
_SUITS = {"P": "pink", "B": "blue", "G": "green", "Y": "yellow", "R": "rocket", "S": "submarine"}
_SIGNAL = {"left": "to the left", "right": "to the right", "any": "to either side"}


# Tables.


@dataclass(frozen=True)
class Field:
    """A field of a table: what it shows, and what it is sorted by and copied as (the same where ``value`` is None)."""

    text: str
    value: float | str | None = None


@dataclass(frozen=True)
class Table:
    """A table that can be sorted and copied; ``numbers`` are the columns aligned to the right."""

    id: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Field, ...], ...]
    numbers: frozenset[int]
    filter: bool = False


def _number(value: float | int | None, text: str | None = None) -> Field:
    if value is None:
        return Field(NOTHING, "")
    return Field(f"{value:,}" if text is None else text, value)


def _share(share: float | None) -> Field:
    return Field(NOTHING, "") if share is None else Field(percent(share), round(share, 8))


def _table(id: str, caption: str, columns: Sequence[tuple[str, Sequence[Field], bool]], filter: bool = False) -> Table:
    """A table of columns: a name, its fields, whether they are numbers."""
    rows = tuple(zip(*(column for _, column, _ in columns), strict=True))
    numbers = frozenset(at for at, (_, _, number) in enumerate(columns) if number)
    return Table(id, caption, tuple(name for name, _, _ in columns), rows, numbers, filter)


# Rates.


@dataclass(frozen=True)
class Figure:
    """Charts that belong together, each with its heading and what to say about it, under one legend."""

    title: str
    text: str
    legend: tuple[tuple[Markup, str], ...]
    charts: tuple[tuple[str, str, Markup], ...]


def _interval(low: float, high: float) -> str:
    return f"{percent(low)} to {percent(high)}"


def _dot(rate: Rate, series: int) -> Dot:
    share = rate.rate or 0.0
    tip = (
        f"{load_name(rate.load)}, {rate.players} players, draft {rate.draft}: {percent(share)} winnable, "
        f"95% interval {_interval(rate.low, rate.high)}, {rate.deals:,} deals"
    )
    return Dot(series, share, rate.low, rate.high, tip, percent(share))


def _kind(load: Load) -> str:
    """What a load is one of: the missions of a book, the difficulties, the numbers of tasks, sets of task cards."""
    if load.mission is not None:
        return load.mission.name.partition("/")[0]
    return "difficulty" if load.difficulty is not None else "cards" if load.task_cards else "tasks"


_TITLES = {"difficulty": "By difficulty of the task cards drawn", "tasks": "By number of task cards", "cards": "By task cards"}
_GAMES = {"planet-nine": "The Quest for Planet Nine", "deep-sea": "Mission Deep Sea"}


def _short_name(load: Load) -> str:
    """The name of a load below the title of its kind."""
    name = load_name(load)
    return "mission " + name.partition("/")[2] if load.mission is not None else name


def _common_ending(names: Collection[str]) -> str:
    """The words, such as a distribution, in which all these names end, beyond their first two."""
    words, ending = [name.split(" ") for name in names], ""
    while len(words) > 1 and all(len(some) > 2 for some in words) and len({some[-1] for some in words}) == 1 and words[0][-1].islower():
        ending = f" {words[0][-1]}{ending}"
        words = [some[:-1] for some in words]
    return ending


def _draft_text(draft: str) -> str:
    return {"best": "tasks go to whoever suits best (draft best)", "random": "tasks go to drawn owners (draft random)"}.get(draft, draft)


def _range_text(rows: Sequence[Row]) -> str:
    first, last = rows[0].label, rows[-1].label
    same = first.rpartition(" ")[0] == last.rpartition(" ")[0]
    return first if len(rows) == 1 else f"{first} to {last.rpartition(' ')[2] if same else last}"


def _never_lost(rows: Sequence[Row]) -> str:
    """A sentence instead of rows that are all at 100%."""
    words, numbers = dict.fromkeys(row.label.rpartition(" ")[0] for row in rows), [row.label.rpartition(" ")[2] for row in rows]
    if len(words) == 1 and all(number.isdigit() for number in numbers):
        runs: list[list[int]] = []
        for number in map(int, numbers):
            if runs and number == runs[-1][-1] + 1:
                runs[-1].append(number)
            else:
                runs.append([number])
        said = [str(some[0]) if len(some) == 1 else f"{some[0]}{', ' if len(some) == 2 else ' to '}{some[-1]}" for some in runs]
        names = f"{next(iter(words))} {', '.join(said)}"
    else:
        names = ", ".join(row.label for row in rows)
    return (
        f"Not one deal lost, so not drawn (their intervals begin at {percent(min(dot.low for row in rows for dot in row.dots))}): {names}."
    )


def _figure(title: str, text: str, rows_of: dict[str, list[Row]], series: Sequence[str]) -> Figure:
    """Panels, by their names, of rows with dots of these series. All have the same scale, and none is longer than a page."""
    shown, notes = {}, {}
    for name, rows in rows_of.items():
        won = [row for row in rows if all(dot.share == 1 for dot in row.dots)]
        if len(rows) > _FEW and len(won) > 3:
            notes[name] = _never_lost(won)
            rows = [row for row in rows if row not in won]
        shown[name] = rows
    dots = [dot for rows in shown.values() for row in rows for dot in row.dots]
    if not dots:
        return Figure(title, text, (), tuple((name, note, Markup()) for name, note in notes.items()))
    scale = Scale.around(min(dot.low for dot in dots), max(dot.high for dot in dots))
    most = max(len(row.dots) for rows in shown.values() for row in rows)
    charts = []
    for name, rows in shown.items():
        parts = list(pages(rows))
        if not parts:
            charts.append((name, notes[name], Markup()))
        for number, part in enumerate(parts):
            heading = " · ".join(filter(None, [name, _range_text(part) if len(parts) > 1 else ""]))
            chart = dot_chart(part, scale, f"{title}: {heading}" if heading else title, most=most)
            charts.append((heading, "" if number else notes.get(name, ""), chart))
    used = sorted({dot.series for dot in dots})
    legend = tuple((legend_mark(number), series[number]) for number in used)
    return Figure(title, " ".join(filter(None, [text, scale.note])), legend, tuple(charts))


def _rate_figures(rates: Sequence[Rate]) -> list[Figure]:
    """Every load with its rates, a figure for each kind and a panel for each draft."""
    players = sorted({rate.players for rate in rates})
    drafts = list(dict.fromkeys(rate.draft for rate in rates))
    figures = []
    for kind in dict.fromkeys(_kind(rate.load) for rate in rates):
        own = [rate for rate in rates if _kind(rate.load) == kind]
        ending = "" if kind == "cards" else _common_ending({_short_name(rate.load) for rate in own})
        panels: dict[str, list[Row]] = {}
        for draft in drafts:
            by_load: dict[str, list[Rate]] = {}
            for rate in own:
                if rate.draft == draft:
                    by_load.setdefault(_short_name(rate.load).removesuffix(ending), []).append(rate)
            rows = [
                Row(name, tuple(_dot(rate, players.index(rate.players)) for rate in sorted(some, key=lambda rate: rate.players)))
                for name, some in by_load.items()
            ]
            if rows:
                panels[f"{_draft_text(draft)}" if len(drafts) > 1 else ""] = rows
        title = _TITLES.get(kind) or f"By mission: {_GAMES.get(kind, kind)}"
        rule = ending.strip()
        text = (
            f"The tasks find their owners by the distribution {rule}." if rule in DISTRIBUTIONS else f"All of them: {rule}." if rule else ""
        )
        figures.append(_figure(title, text, panels, [f"{number} players" for number in players]))
    return figures


def _means(groups: dict[Any, list[Rate]]) -> dict[Any, tuple[float, float, float, int]]:
    """For each group the mean of its rates, and of the ends of their intervals, and how many they are.

    The mean of the ends is at least as wide as an interval of the mean, however the rates depend on each other: they do,
    because the same deals are played in all loads.
    """
    means = {}
    for key, some in groups.items():
        shares = [rate.rate or 0.0 for rate in some]
        number = len(some)
        means[key] = sum(shares) / number, sum(rate.low for rate in some) / number, sum(rate.high for rate in some) / number, number
    return means


def _printed(load: Load) -> tuple[str, int] | None:
    """How hard a mission says it is: by its difficulty or by its number of task cards."""
    if load.mission is None:
        return None
    return ("difficulty", load.difficulty) if load.difficulty is not None else ("tasks", load.tasks) if load.tasks else None


def _difficulty_figures(rates: Sequence[Rate]) -> list[Figure]:
    """The missions of a game by what they say of themselves, where they say different things."""
    figures = []
    players = sorted({rate.players for rate in rates})
    for game, measure in dict.fromkeys((rate.load.game, found[0]) for rate in rates if (found := _printed(rate.load))):
        groups: dict[Any, list[Rate]] = {}
        for rate in rates:
            found = _printed(rate.load)
            if found is not None and found[0] == measure and rate.load.game == game:
                groups.setdefault((rate.draft, found[1], rate.players), []).append(rate)
        if len({number for _, number, _ in groups}) < 3 or len({rate.load for some in groups.values() for rate in some}) < 5:
            continue
        means, panels = _means(groups), {}
        drafts = list(dict.fromkeys(draft for draft, _, _ in groups))
        for draft in drafts:
            rows = []
            for number in sorted({number for how, number, _ in groups if how == draft}):
                dots = []
                for place, count in enumerate(players):
                    if (draft, number, count) in means:
                        mean, low, high, loads = means[draft, number, count]
                        tip = f"{measure} {number}, {count} players, {plural(loads, 'mission')}: {percent(mean)} ({_interval(low, high)})"
                        dots.append(Dot(place, mean, low, high, tip, percent(mean)))
                rows.append(Row(f"difficulty {number}" if measure == "difficulty" else plural(number, "task"), tuple(dots)))
            panels[_draft_text(draft) if len(drafts) > 1 else ""] = rows
        what = "difficulty" if measure == "difficulty" else "number of task cards"
        text = (
            f"The mean over all missions with the same {what}. Missions differ in more than that, so a step between two rows is no proof. "
            "The interval is the mean of their intervals, which is cautious."
        )
        title = f"Missions of {_GAMES.get(game, game)} by {what}"
        figures.append(_figure(title, text, panels, [f"{number} players" for number in players]))
    return figures


def _common(rates: Sequence[Rate]) -> dict[tuple[int, str], list[Rate]]:
    """The rates by players and draft, of those loads only that were played with all of them."""
    groups: dict[tuple[int, str], list[Rate]] = {}
    for rate in rates:
        groups.setdefault((rate.players, rate.draft), []).append(rate)
    everywhere = set.intersection(*({rate.load for rate in some} for some in groups.values()))
    return {key: [rate for rate in some if rate.load in everywhere] for key, some in sorted(groups.items())}


def _players_figure(rates: Sequence[Rate]) -> tuple[Figure | None, Table | None, str]:
    """The mean over all loads by players and draft; or a sentence about why there is none."""
    groups = _common(rates)
    if len(groups) < 2:
        (players, draft), _ = next(iter(groups.items()))
        return None, None, f"Only one was run: {players} players, {_draft_text(draft)}."
    if not all(groups.values()):
        return None, None, "No load was run with all of these numbers of players and drafts, so there is nothing to compare."
    means = _means(groups)
    drafts = list(dict.fromkeys(draft for _, draft in groups))
    rows = []
    for players in dict.fromkeys(players for players, _ in groups):
        dots = []
        for series, draft in enumerate(drafts):
            if (players, draft) in means:
                mean, low, high, _ = means[players, draft]
                dots.append(Dot(series, mean, low, high, f"{players} players, draft {draft}: {percent(mean)} ({_interval(low, high)})",
                                percent(mean)))  # fmt: skip
        rows.append(Row(f"{players} players", tuple(dots)))
    loads = next(iter(means.values()))[3]
    text = (
        f"The mean over {'the load' if loads == 1 else f'the {loads} loads'} played with all of these, so like is compared with like. "
        "The interval is the mean of their intervals, which is cautious: the same deals are played in all loads."
    )
    figure = _figure("Mean over the loads", text, {"": rows}, [_draft_text(draft) for draft in drafts])
    keys = list(means)
    table = _table(
        "by-players",
        "Mean rate by players and draft",
        [
            ("players", [_number(players) for players, _ in keys], True),
            ("draft", [Field(draft) for _, draft in keys], False),
            ("loads", [_number(means[key][3]) for key in keys], True),
            ("winnable", [_share(means[key][0]) for key in keys], True),
            ("low", [_share(means[key][1]) for key in keys], True),
            ("high", [_share(means[key][2]) for key in keys], True),
        ],
    )
    return figure, table, ""


def _cells_table(rates: Sequence[Rate]) -> Table:
    signal, drawn = any(rate.distress for rate in rates), any(draws_task_cards(rate.load) for rate in rates)
    columns: list[tuple[str, Sequence[Field], bool]] = [
        ("load", [Field(load_name(rate.load)) for rate in rates], False),
        ("players", [_number(rate.players) for rate in rates], True),
        ("draft", [Field(rate.draft) for rate in rates], False),
    ]
    if signal:
        columns.append(("distress", [Field(rate.distress or NOTHING, rate.distress or "") for rate in rates], False))
    columns += [
        ("winnable", [_share(rate.rate) for rate in rates], True),
        ("low", [_share(rate.low) for rate in rates], True),
        ("high", [_share(rate.high) for rate in rates], True),
        ("deals", [_number(rate.deals) for rate in rates], True),
        ("won", [_number(rate.winnable) for rate in rates], True),
        ("lost", [_number(rate.unwinnable) for rate in rates], True),
        ("undecided", [_number(rate.undecided) for rate in rates], True),
    ]
    if any(rate.expected for rate in rates):
        for at, name in enumerate(("expected", "expected low", "expected high")):
            columns.append((name, [_share(None if rate.expected is None else rate.expected[at]) for rate in rates], True))
    if drawn:
        columns += [
            ("redealt", [_number(rate.redealt) for rate in rates], True),
            ("replaced", [_number(rate.replaced) for rate in rates], True),
        ]
    columns.append(("by SAT", [_share(rate.by_sat / rate.deals if rate.deals else None) for rate in rates], True))
    return _table("cells", "All cells", columns, filter=len(rates) > 12)


def _signal(rates: Sequence[Rate]) -> tuple[Figure, Table] | None:
    """What a distress signal gained, where it was played: the rate without it and the rate with it."""
    played = [rate for rate in rates if rate.distress is not None and rate.winnable + rate.unwinnable]
    if not played:
        return None
    many = len({rate.draft for rate in played}) > 1
    seats = len({rate.players for rate in played}) > 1
    rows, without, saved, shares = [], [], [], []
    for rate in played:
        decided = rate.winnable + rate.unwinnable
        before = (rate.winnable - rate.gained) / decided
        low, high = wilson(rate.winnable - rate.gained, rate.deals, rate.undecided)
        lost = rate.unwinnable + rate.gained
        without.append((before, low, high))
        shares.append(_share(rate.gained / lost if lost else None))
        saved.append((lost, *(wilson(rate.gained, lost) if lost else (None, None))))
        label = load_name(rate.load) + (f", {rate.players} players" if seats else "") + (f", draft {rate.draft}" if many else "")
        tip = f"{label}, without a signal: {percent(before)} ({_interval(low, high)})"
        rows.append(Row(label, (Dot(0, before, low, high, tip, ""), _dot(rate, 1))))
    dots = [dot for row in rows for dot in row.dots]
    scale = Scale.around(min(dot.low for dot in dots), max(dot.high for dot in dots))
    title = "Without and with a distress signal"
    charts = tuple(
        (_range_text(part) if len(rows) > len(part) else "", "", dot_chart(part, scale, title, arrows=True)) for part in pages(rows)
    )
    sides = " or ".join(dict.fromkeys(_SIGNAL[rate.distress or "any"] for rate in played))
    text = (
        f"Deals that are lost as they lie are tried again with a signal, by which everybody passes a colour card {sides}. "
        f"The number beside a row is the rate with it. {scale.note}"
    )
    legend = ((legend_mark(0), "as dealt"), (legend_mark(1), "with a signal where it is needed"))
    table = _table(
        "signal",
        "Gain of a distress signal",
        [
            ("load", [Field(load_name(rate.load)) for rate in played], False),
            ("players", [_number(rate.players) for rate in played], True),
            ("draft", [Field(rate.draft) for rate in played], False),
            ("side", [Field(rate.distress or "") for rate in played], False),
            ("without", [_share(share) for share, _, _ in without], True),
            ("with", [_share(rate.rate) for rate in played], True),
            ("lost without", [_number(lost) for lost, _, _ in saved], True),
            ("gained", [_number(rate.gained) for rate in played], True),
            ("share gained", shares, True),
            ("low", [_share(low) for _, low, _ in saved], True),
            ("high", [_share(high) for _, _, high in saved], True),
        ],
    )
    return Figure(title, text, legend, charts), table


# The audit.


def read_audit(path: Path) -> list[CardAudit]:
    """The cards of a file written by ``deepcrew audit --parquet``. Raises InputError when it is none."""
    import polars

    try:
        frame = polars.read_parquet(path)
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except polars.exceptions.PolarsError:
        raise InputError(f"{str(path)!r} is no Parquet file: write one with deepcrew audit --parquet FILE") from None
    names = [field.name for field in fields(CardAudit)]
    if missing := [name for name in names if name not in frame.columns]:
        raise InputError(f"{str(path)!r} is no audit of task cards, it has no column {missing[0]!r}")
    if frame.is_empty():
        raise InputError(f"{str(path)!r} is an audit without task cards")
    return [CardAudit(**row) for row in frame.select(names).iter_rows(named=True)]


@dataclass(frozen=True)
class AuditPart:
    """The audit on the page: a chart and its outliers for each number of players, and all cards."""

    text: str
    charts: tuple[tuple[str, Markup, str, Table], ...]
    table: Table


def _audit(rows: Sequence[CardAudit]) -> AuditPart:
    by = rows[0].by
    name = by.replace("_", " ")
    charts = []
    for players in sorted({row.players for row in rows}):
        own = [row for row in rows if row.players == players and getattr(row, row.by) is not None]
        if not own:
            continue
        outliers = sorted((row for row in own if row.off is not None), key=lambda row: -abs(row.off or 0.0))[:OUTLIERS]
        numbers = {row.card: number for number, row in enumerate(outliers, start=1)}
        tips = [f"{row.card}: printed {row.printed}, measured {percent(getattr(row, by))}" for row in own]
        points = [Point(row.printed, getattr(row, by), tip, numbers.get(row.card)) for row, tip in zip(own, tips, strict=True)]
        fit = sorted(expected_shares([row.printed for row in own], [getattr(row, by) for row in own]).items())
        label = f"Task cards with {players} players: printed difficulty across, share of deals winnable ({name}) upwards"
        rho = correlation(own, players, by)
        text = "" if rho.rho is None else f"Rank correlation {correlation_text(rho)}."
        table = _table(
            f"outliers-{players}",
            f"Furthest from their printed number with {players} players",
            [
                ("", [_number(number) for number in range(1, len(outliers) + 1)], True),
                ("card", [Field(row.card) for row in outliers], False),
                ("printed", [_number(row.printed) for row in outliers], True),
                ("measured", [_share(getattr(row, by)) for row in outliers], True),
                ("expected", [_share(row.expected) for row in outliers], True),
                ("is", [Field("easier" if (row.off or 0) > 0 else "harder") for row in outliers], False),
                ("like a", [_number(row.like) for row in outliers], True),
            ],
        )
        charts.append((f"{players} players", scatter(points, fit, label, "printed difficulty"), text, table))
    deals = rows[0].deals
    text = (
        f"Every task card alone, in {deals:,} deals: how often can it be won, beside the difficulty printed on it? Measured with "
        f"{'an owner drawn at random' if by == 'random' else name}. A card that is easier than its number lies above the line, "
        "a harder one below."
    )
    table = _table(
        "audit",
        "All task cards",
        [
            ("card", [Field(row.card) for row in rows], False),
            ("asks for", [Field(find_task_card(row.card).text) for row in rows], False),
            ("players", [_number(row.players) for row in rows], True),
            ("printed", [_number(row.printed) for row in rows], True),
            ("random", [_share(row.random) for row in rows], True),
            ("low", [_share(row.random_low) for row in rows], True),
            ("high", [_share(row.random_high) for row in rows], True),
            ("best", [_share(row.best) for row in rows], True),
            ("captain", [_share(row.captain) for row in rows], True),
            ("every", [_share(row.every) for row in rows], True),
            ("by chance", [_share(row.by_chance) for row in rows], True),
            ("expected", [_share(row.expected) for row in rows], True),
            ("off", [_number(row.off if row.off is None else round(row.off, 6), f"{100 * (row.off or 0):+.1f}") for row in rows], True),
            ("like a", [_number(row.like) for row in rows], True),
        ],
        filter=len(rows) > 12,
    )
    return AuditPart(text, tuple(charts), table)


# The hardest deals.


@dataclass(frozen=True)
class CardText:
    """A card: its notation and, for the colour, its suit; ``led`` and ``wins`` in a trick."""

    text: str
    suit: str
    led: bool = False
    wins: bool = False


@dataclass(frozen=True)
class HardDeal:
    """A deal on the page, with a line when it is winnable: (trick, cards by seat, winner, tasks completed)."""

    title: str
    where: str
    verdict: str
    how: str
    hands: tuple[tuple[str, tuple[CardText, ...], str, bool], ...]
    goals: tuple[tuple[str, str], ...]
    choices: tuple[str, ...]
    tricks: tuple[tuple[int, tuple[CardText, ...], str, str], ...]
    after: str
    case: str


def _card(text: str, led: bool = False, wins: bool = False) -> CardText:
    return CardText(text, _SUITS.get(text[:1], ""), led, wins)


def _task(task: Task, game: str) -> str:
    return task.name(game) + (f" (token {task.token})" if task.token else "")


def choose(rows: Iterable[dict[str, Any]], kinds: Callable[[dict[str, Any]], Any], number: int) -> list[dict[str, Any]]:
    """The first rows of each kind, then the second, until there are enough: hardest first, from as many kinds as there are."""
    seen: dict[Any, int] = {}
    ranked = []
    for place, row in enumerate(rows):
        kind = kinds(row)
        ranked.append((seen.get(kind, 0), place, row))
        seen[kind] = seen.get(kind, 0) + 1
    chosen = sorted(ranked, key=lambda entry: entry[:2])[:number]
    return [row for _, _, row in sorted(chosen, key=lambda entry: entry[1])]


def _hardest(run: Run, verdict: str, number: int) -> list[dict[str, Any]]:
    import polars

    whole = [path for _, _, path in run.parts() if path.name not in run.damaged]
    frame = (
        (polars.scan_parquet(whole) if whole else run.frame())
        .filter(polars.col("verdict") == verdict)
        .sort(["nodes", "cell", "index"], descending=[True, False, False])
        .head(_CANDIDATES)
        .collect(engine="streaming")
    )
    return choose(frame.iter_rows(named=True), lambda row: load_name(run.cell(row["cell"]).load), number)


def _hard_deal(run: Run, row: dict[str, Any]) -> HardDeal:
    cell, index, gained = run.cell(row["cell"]), int(row["index"]), bool(row["gained"])
    position = run.position(cell.number, index)
    verdict: Verdict | None = None
    if row["verdict"] == WINNABLE:
        if gained and cell.distress is not None:
            position = replace(position, exchanges=(Exchange(0, DIRECTIONS[cell.distress]), *position.exchanges))
        verdict = solve(position, limit_seconds=_SECONDS)
    by = {"sat": "SAT", "plays": "a look at the cards"}.get(row["decided_by"], row["decided_by"])
    how = f"{plural(int(row['nodes']), 'card')} tried by the search, decided by {by}"
    return hard_deal(position, verdict, row["verdict"], load_name(cell.load),
                     f"{cell.players} players, draft {cell.draft}, deal {index:,} of seed {row['seed']}",
                     how, run.case(cell.number, index, gained))  # fmt: skip


def hard_deal(position: Position, verdict: Verdict | None, name: str, title: str, where: str, how: str, case: dict[str, Any]) -> HardDeal:
    """A deal on the page: ``verdict`` has its line, where it is winnable; ``name`` is the verdict in a word."""
    game = position.game
    owners = (verdict.owners if verdict else None) or position.owners
    hands = []
    for seat, hand in enumerate(position.hands):
        own = ", ".join(_task(task, game) for task, owner in zip(position.tasks, owners, strict=True) if owner == seat)
        words = hand_text(position, hand).split()
        cards = tuple(_card(word) for word in words)
        hands.append((f"seat {seat}", cards, own, bool(hand >> CAPTAIN_CARD & 1)))
    loose = [_task(task, game) for task, owner in zip(position.tasks, owners, strict=True) if owner is None]
    slugs = dict.fromkeys(task.card for task in position.tasks if isinstance(task.card, str))
    goals = [(slug, find_task_card(slug).text) for slug in slugs]
    if position.crew and position.text:
        goals.append(("the crew", position.text))
    choices, after = [], ""
    tricks: list[tuple[int, tuple[CardText, ...], str, str]] = []
    if loose:
        helps = " No way to share them out helps." if name == UNWINNABLE else ""
        choices.append(f"Tasks without an owner yet: {', '.join(loose)}.{helps}")
    if verdict is not None and verdict.line is not None:
        choices += [f"{line}." for line in choice_lines(position, verdict)]
        tricks, after = _tricks(position, verdict)
    elif verdict is not None and verdict.verdict == UNDECIDED:
        after = f"The line was not found again within {_SECONDS:.0f} seconds; deepcrew solve finds it without a limit."
    return HardDeal(title, where, name, how, tuple(hands), tuple(goals), tuple(choices), tuple(tricks), after, json.dumps(case))


def _tricks(position: Position, verdict: Verdict) -> tuple[list[tuple[int, tuple[CardText, ...], str, str]], str]:
    """The tricks that matter, cards by seat, and what to say about the rest."""
    played = settled(position, verdict)
    at_end = position.duties and not position.ends_with_tasks
    shown = position.tricks if at_end else verdict.won_after or 0
    history = Referee(replace(played, plays=verdict.line or ())).history
    tricks = []
    for number, (leader, cards, winner, completed) in enumerate(history[:shown], start=1):
        seats = [CardText("", "")] * position.players
        for turn, card in enumerate(cards):
            seat = (leader + turn) % position.players
            seats[seat] = _card(format_card(card, position.game), turn == 0, seat == winner)
        tricks.append((number, tuple(seats), f"seat {winner}", ", ".join(_task(played.tasks[task], position.game) for task in completed)))
    rest = position.tricks - shown
    return tricks, f"After that, tricks {shown + 1} to {position.tricks} may be played in any legal way." if rest and tricks else ""


# The page.


def _summary(rates: Sequence[Rate]) -> list[str]:
    """What to know first, in sentences."""
    deals, undecided = sum(rate.deals for rate in rates), sum(rate.undecided for rate in rates)
    said = []
    decided = [rate for rate in rates if rate.rate is not None]
    if undecided:
        said.append(f"{undecided:,} deals were given up undecided (a limit was set); they widen the intervals at both ends.")
    else:
        said.append("Every deal was decided: won or lost for certain, with nothing estimated but the share itself.")
    if not decided:
        return said
    all_won = sum(rate.unwinnable == rate.undecided == 0 for rate in decided)
    if all_won == len(decided):
        said.append("Not one deal was lost.")
        return said
    if all_won:
        said.append(f"In {all_won:,} of {plural(len(rates), 'cell')} not one deal was lost.")
    lowest = min(decided, key=lambda rate: (rate.rate or 0.0, rate.players))
    if len(decided) > 1:
        highest = max(decided, key=lambda rate: (rate.rate or 0.0, -rate.players))
        for word, rate in (("Hardest", lowest), ("Easiest", highest)):
            if word == "Easiest" and all_won:
                continue
            said.append(
                f"{word}: {load_name(rate.load)} with {rate.players} players, draft {rate.draft}, {percent(rate.rate or 0.0)} winnable "
                f"({_interval(rate.low, rate.high)})."
            )
    gained = sum(rate.gained for rate in rates if rate.distress)
    lost = gained + sum(rate.unwinnable for rate in rates if rate.distress)
    if lost:
        said.append(f"A distress signal saves {gained:,} of {lost:,} lost deals ({percent(gained / lost)}).")
    share = sum(rate.by_sat for rate in rates) / deals
    said.append(f"{percent(share)} of the deals were too hard for the search and went to SAT, a proof by logic.")
    return said


def _flat(value: Any, name: str) -> list[tuple[str, str]]:
    """Nested objects as names and values; digests are shortened as usual."""
    if isinstance(value, dict):
        return [pair for key, item in value.items() for pair in _flat(item, f"{name} {key}")]
    text = ", ".join(map(str, value)) if isinstance(value, list) else NOTHING if value is None else str(value)
    return [(name, f"SHA-256 {text[:12]}…" if _DIGEST.fullmatch(text) else text)]


def _made(run: Run, rates: Sequence[Rate]) -> dict[str, Any]:
    manifest = run.manifest
    command = manifest.get("command") or None
    notes = [note.removeprefix("The rules leave a point open, for ") for note in reading_notes((rate.load, rate.players) for rate in rates)]
    notes += [takes_note(takes) for takes in dict.fromkeys(rate.load.takes for rate in rates if rate.load.pass_after)]
    seeds = dict.fromkeys((cell.seed, cell.first) for cell in run.cells)
    facts = [
        ("cells", f"{len(run.cells):,}"),
        ("deals", f"{sum(rate.deals for rate in rates):,}"),
        ("seed and first deal", "; ".join(f"seed {seed} from deal {first:,} on" for seed, first in seeds)),
        ("engine", ", ".join(dict.fromkeys(cell.engine for cell in run.cells))),
        ("run made by", f"deepcrew {manifest.get('deepcrew')}"),
        ("page made by", f"deepcrew {__version__}"),
    ]
    if any(not cell.five_player_rule for cell in run.cells):
        facts.append(("five-player rule", "left out"))
    if limits := {cell.limit_nodes for cell in run.cells if cell.limit_nodes is not None}:
        facts.append(("limit of cards tried in a deal", ", ".join(f"{limit:,}" for limit in sorted(limits))))
    for what, value in (manifest.get("made_with") or {}).items():
        facts += _flat(value, {"libraries": "library"}.get(what, what))
    if widths := {cell.until for cell in run.cells if cell.until is not None}:
        facts.append(("went on until the interval was as wide as", ", ".join(percent(width) for width in sorted(widths))))
    return {"command": command, "facts": facts, "readings": notes, "until": bool(widths)}


@lru_cache(maxsize=1)
def _environment() -> Environment:
    def text(name: str) -> str:
        return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")

    environment = Environment(loader=FunctionLoader(text), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals["included"] = lambda name: Markup(text(name))
    return environment


def report_html(run: Run, name: str, audit: Sequence[CardAudit] | None = None) -> str:
    """The page about a run of this name, with the audit where one is given."""
    rates = [rate for rate in run.rates() if rate.deals]
    progress = run.progress
    missing = sum(max(0, done.deals - done.done) for done in progress)
    context: dict[str, Any] = {"name": name, "deals": sum(rate.deals for rate in rates), "cells": len(rates), "summary": (), "facts": ()}
    context |= {"figures": (), "players_figure": None, "players_table": None, "players_note": "", "table": None, "signal": None}
    context |= {"hardest": (), "audit": None if not audit else _audit(audit), "made": _made(run, rates)}
    context |= {"unfinished": _unfinished(missing, run) if rates else []}
    if rates:
        decided = [rate for rate in rates if rate.rate is not None]
        figure, table, note = _players_figure(decided) if decided else (None, None, "No deal was decided.")
        winnable, lost = _hardest(run, WINNABLE, HARDEST), _hardest(run, UNWINNABLE, HARDEST)
        context |= {
            "summary": _summary(rates),
            "facts": _what(rates),
            "figures": [*_rate_figures(decided), *_difficulty_figures(decided)],
            "players_figure": figure,
            "players_table": table,
            "players_note": note,
            "table": _cells_table(rates),
            "signal": _signal(rates),
            "hardest": (
                ("Winnable, but hard to win", [_hard_deal(run, row) for row in winnable], "No deal was winnable."),
                ("Lost from the start, but hard to prove lost", [_hard_deal(run, row) for row in lost], "No deal was lost."),
            ),
        }
    page = _environment().get_template("page.html").render(context)
    return "\n".join(line.rstrip() for line in page.splitlines() if line.strip()) + "\n"


def _unfinished(missing: int, run: Run) -> list[str]:
    """What is not there yet, or no longer."""
    said = []
    if missing:
        said.append(f"This run is not finished: {missing:,} deals are still to be decided.")
    if run.damaged:
        said.append(f"{plural(len(run.damaged), 'part')} of it cannot be read and is left out: {', '.join(sorted(run.damaged)[:5])}.")
    return said


def _what(rates: Sequence[Rate]) -> list[tuple[str, str]]:
    """What was run, in a few numbers."""
    loads = list(dict.fromkeys(load_name(rate.load) for rate in rates))
    shares = [rate.rate for rate in rates if rate.rate is not None]
    lowest, highest = min(shares, default=0.0), max(shares, default=1.0)
    return [
        ("deals", f"{sum(rate.deals for rate in rates):,}"),
        ("loads", f"{len(loads):,}"),
        ("players", ", ".join(map(str, sorted({rate.players for rate in rates})))),
        ("draft", ", ".join(dict.fromkeys(rate.draft for rate in rates))),
        ("winnable, lowest to highest cell", percent(lowest) if lowest == highest else percent(lowest) + TO + percent(highest)),
    ]


def write_page(page: str, path: Path) -> None:
    """Write the page; the file appears when it is complete or not at all. Raises InputError where it cannot be written."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(page, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)
