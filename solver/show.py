"""Results as text for people and as JSON for programs. Knows no terminal: returns strings, prints nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any

from .cards import format_card, format_hand
from .cases import hand_text
from .drafts import default_distribution
from .errors import InputError
from .goals import GoalForm, Role
from .missions import Mission, OpenQuestion, describe, load_open_questions
from .positions import LEFT, Exchange, Position, Task
from .schema import nearest
from .taskcards import GROUPS, TaskCard, find_task_card, load_task_cards

if TYPE_CHECKING:  # these import numba, which takes longer than listing missions
    from .loads import Load
    from .rates import Progress, Rate
    from .runs import Cell, Comparison
    from .takes import Chance
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
    if choices := choice_lines(position, verdict):
        lines += ["", *choices]
    if goals := _goal_lines(position, verdict):
        lines += ["", *goals]
    if verdict.line is not None and (verdict.won_after or position.duties):
        played = settled(position, verdict)
        lines += ["", *_line_lines(played, verdict.line, _shown_tricks(position, verdict))]
    return "\n".join(lines)


def settled(position: Position, verdict: Verdict) -> Position:
    """The position of a winnable verdict with all that the crew decided: owners, tokens, cards passed."""
    owners = verdict.owners or position.owners
    tokens = verdict.tokens or tuple(task.token for task in position.tasks)
    tasks = tuple(Task(task.card, owner, token) for task, owner, token in zip(position.tasks, owners, tokens, strict=True))
    passes = tuple(Exchange(after, to, cards) for after, to, cards in verdict.passes)
    moved = None if verdict.moved is None else (verdict.moved[0], verdict.moved[1])
    return replace(position, tasks=tasks, setup="", exchanges=passes or position.exchanges, moved=moved)


def verdict_json(position: Position, verdict: Verdict) -> dict[str, Any]:
    """The answer object, with the number of tricks ``announced`` for each task to predict them, None without such tasks, and the
    ``readings`` used where the rules leave a point open."""
    answer = {**verdict.to_json(position.game), "announced": announced(position, verdict)}
    takes = [takes_note("seeded" if exchange.order else "best") for exchange in position.exchanges if exchange.after]
    return answer | ({"readings": [*position.open_points, *takes]} if position.open_points or takes else {})


def announced(position: Position, verdict: Verdict) -> dict[str, int] | None:
    """How many tricks the owner of each task to predict them wins in the line, by task; None without such tasks or a line.

    A task is named by its slug, or as ``SLUG@OWNER`` in a case that has it at two seats.
    """
    if verdict.line is None or verdict.owners is None:
        return None
    from .referee import Referee

    winners = [winner for _, _, winner, _ in Referee(replace(settled(position, verdict), plays=verdict.line)).history]
    slugs = [task.card for task in position.tasks]
    numbers = {
        (task.card if slugs.count(task.card) == 1 else f"{task.card}@{owner}"): winners.count(owner)
        for task, owner in zip(position.tasks, verdict.owners, strict=True)
        if isinstance(task.card, str) and find_task_card(task.card).group == "predict"
    }
    return numbers or None


def cards_given_twice(position: Position) -> list[str]:
    """A sentence for each task card that the case gives to several seats, though the box has it once."""
    seats: dict[str, list[str]] = {}
    for task in position.tasks:
        if isinstance(task.card, str):
            seats.setdefault(task.card, []).append(str(task.owner))
    return [f"task {slug} is given to seats {' and '.join(many)}, but the box has it once" for slug, many in seats.items() if len(many) > 1]


def verdict_notes(position: Position, takes: str = "seeded") -> list[str]:
    """What a reader of the verdict should know: readings used where the rules leave a point open, and slips; ``takes`` is
    how cards taken during play are to be read."""
    notes = cards_given_twice(position)
    notes += [f"the rules leave a point open: {point}" for point in position.open_points]
    unsaid = "expected" if takes == "expected" else "best"
    notes += [takes_note("seeded" if exchange.order else unsaid) for exchange in position.exchanges if exchange.after]
    return notes


def takes_note(takes: str) -> str:
    """What it means that cards are taken during play, by this reading."""
    return {
        "seeded": "random take: seeded, the cards taken belong to the deal and are known beforehand, so rates are an upper bound",
        "best": "random take: best, the crew has the cards taken that it wants",
        "expected": "random take: expected, beside what can be won at best how often the best plan found wins, not knowing the cards taken",
    }[takes]


def chance_text(chance: Chance) -> str:
    """How often the best plan found wins, in a sentence."""
    of = "all" if chance.exact else "random"
    interval = "" if chance.exact else f" (95% interval {percent(chance.low)} to {percent(chance.high)})"
    wins = f"wins with {percent(chance.share)} of {chance.outcomes} {of} ways to take them{interval}"
    return f"The best plan found, made without knowing the cards taken, {wins}."


def chance_json(chance: Chance) -> dict[str, Any]:
    """The same as an object."""
    return {"mean": chance.share, "low": chance.low, "high": chance.high, "exact": chance.exact, "outcomes": chance.outcomes}


def _headline(position: Position, verdict: Verdict) -> str:
    how = _DECIDED.get(verdict.decided_by, verdict.decided_by)
    effort = f"({how}, {plural(verdict.nodes, 'card')} tried, {verdict.seconds * 1000:.2f} ms)"
    if verdict.verdict == "winnable":
        won = f"all tasks are completed after trick {verdict.won_after} of {position.tricks}" if position.tasks else "there are no tasks"
        if position.crew and not position.ends_with_tasks:
            won = f"{'all goals hold' if position.tasks else 'the goal of the crew holds'} when the last trick is over"
        elif position.duties and not position.ends_with_tasks:
            won = f"every goal holds for good from trick {verdict.won_after} of {position.tricks} on"
        return f"winnable: {won} {effort}"
    if verdict.verdict == "unwinnable":
        free = ", whoever takes the tasks" if None in position.owners else ""
        missed = "reaches the goal of the crew" if position.crew and not position.tasks else f"completes every task{free}"
        return f"unwinnable: no legal play {missed} {effort}"
    return f"{verdict.verdict} {effort}"


def _task_text(task: Task, game: str) -> str:
    return task.name(game) + (f":{task.token}" if task.token else "")


def _hands_lines(position: Position, owners: Sequence[int | None]) -> list[str]:
    rows = [("seat", "hand", "tasks", "")]
    for seat, hand in enumerate(position.hands):
        own = [_task_text(task, position.game) for task, owner in zip(position.tasks, owners, strict=True) if owner == seat]
        rows.append((str(seat), hand_text(position, hand), ", ".join(own) or "-", "captain" * (seat == position.captain)))
    return table(rows, left=(1, 2, 3))


def _shown_tricks(position: Position, verdict: Verdict) -> int:
    """How much of the line matters: up to the win, or with goals that are judged at the end all of it."""
    return position.tricks if position.duties and not position.ends_with_tasks else verdict.won_after or 0


def choice_lines(position: Position, verdict: Verdict) -> list[str]:
    """What the crew decided besides the play: tokens, a task that moved, cards passed, roles."""
    lines = []
    if verdict.tokens is not None:
        laid = [f"{task.name(position.game)}:{token}" for task, token in zip(position.tasks, verdict.tokens, strict=True) if token]
        lines.append(f"Tokens, as the crew lays them: {', '.join(laid)}")
    if verdict.moved is not None:
        task, giver, taker = verdict.moved
        lines.append(f"Task {position.tasks[task].name(position.game)} moves from seat {giver} to seat {taker}")
    for after, to, cards in verdict.passes:
        when = f"After trick {after}" if after else "Distress signal"
        passed = ", ".join(f"seat {seat} {format_card(card, position.game)}" for seat, card in enumerate(cards))
        lines.append(f"{when}, passed to the {'left' if to == LEFT else 'right'}: {passed}")
    lines += [f"The {name} is seat {seat}" for name, seat in verdict.roles]
    return lines


def _goal_lines(position: Position, verdict: Verdict) -> list[str]:
    """What the goals ask for, in plain words: those of the tasks, each once, and those of the crew."""
    numbers = announced(position, verdict) or {}
    rows = []
    for slug in dict.fromkeys(task.card for task in position.tasks if isinstance(task.card, str)):
        here = " and ".join(plural(number, "trick") for key, number in numbers.items() if key.partition("@")[0] == slug)
        rows.append((slug, find_task_card(slug).text + (f" Here: {here}." if here else "")))
    if position.crew and position.text:
        rows.append(("the crew", position.text))
    return table(rows, left=(0, 1)) if rows else []


def _line_lines(position: Position, line: tuple[tuple[int, ...], ...], won_after: int) -> list[str]:
    """The tricks up to the win, a column for each seat; ``>`` marks the card led and ``*`` the card that wins."""
    from .referee import Referee

    game, players = position.game, position.players
    referee = Referee(replace(position, plays=line))
    judged_at_end = position.duties and not position.ends_with_tasks
    tasks = "holds from here on" if judged_at_end and position.tasks else "completes" if position.tasks else ""
    rows = [("trick", *(f"seat {seat}" for seat in range(players)), "won by", tasks)]
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
    print_of = f" {load.edition}" if load.edition else ""
    if load.mission is not None:
        return mission_name(load.mission) + print_of
    if load.difficulty is not None:
        words = [f"difficulty {load.difficulty}"]
    elif load.task_cards:
        shown, more = load.task_cards[:2], len(load.task_cards) - 2
        words = [" + ".join(shown) + (f" + {more} more" if more > 0 else "")]
    else:
        words = [plural(load.tasks, "task"), *load.tokens]
    usual = load.distribution == default_distribution(load.game)
    return " ".join(words) + ("" if usual else f" {load.distribution}") + print_of


def draws_task_cards(load: Load) -> bool:
    """Whether task cards of Deep Sea belong to the load: then deals can be redealt, and tasks replaced."""
    return load.difficulty is not None or bool(load.task_cards)


def cell_left_out(load: Load, players: int, draft: str, error: InputError) -> str:
    """Why a cell of a table is missing, in one sentence."""
    return f"{load_name(load)} with {players} players, draft {draft}, is left out: {error}"


def readings(load: Load, players: int) -> list[str]:
    """The points which the rules leave open and which matter for this load, each with the reading used here."""
    questions = list(load.mission.open_questions) if load.mission is not None else []
    if load.game == "deep-sea" and _captain_may_lack_a_task(load, players):
        questions += [question for question in load_open_questions(load.game) if "captain" in question.question]
    return [_reading(question) for question in questions]


def _reading(question: OpenQuestion) -> str:
    return f"{question.question} Here: {question.reading}."


def _captain_may_lack_a_task(load: Load, players: int) -> bool:
    """Whether it can happen that the captain has to take a task and nothing is left but what the captain cannot own."""
    barred = [card for card in load_task_cards() if card.not_for_captain and (load.difficulty is not None or card.slug in load.task_cards)]
    most = len(load.task_cards) if barred else 0
    if load.difficulty is not None:  # one of them, the others of difficulty 1
        most = load.difficulty - min(card.difficulty_for(players, load.edition) for card in barred) + 1
    fewest = {"round-robin-with-passing": players, "captain-hardest-first": 1}.get(load.distribution, 99)
    return most >= fewest


def reading_notes(cells: Iterable[tuple[Load, int]]) -> list[str]:
    """A sentence for each reading that the cells of a table use, with the loads that use it."""
    users: dict[str, dict[str, None]] = {}
    for load, players in cells:
        for reading in readings(load, players):
            users.setdefault(reading, {})[load_name(load)] = None
    notes = []
    for reading, names in users.items():
        some = list(names)
        where = ", ".join(some if len(some) < 5 else [*some[:3], f"{len(some) - 3} more"])
        notes.append(f"The rules leave a point open, for {where}: {reading}")
    return notes


def rate_json(rate: Rate, slowest: int = 0) -> dict[str, Any]:
    """The rate object, with the variant of its mission and the readings it uses, and on demand its slowest deals."""
    mission = rate.load.mission
    variant = None if mission is None or not mission.variants else "untimed" if mission.seconds is None else "timed"
    rest = {"slowest": slowest_cases([rate], slowest)} if slowest else {}
    return {**rate.to_json(), "variant": variant, "readings": readings(rate.load, rate.players), **rest}


_RATE_COLUMNS = (
    ("players", 7), ("draft", 6), ("tasks", 5), ("deals", 11), ("winnable", 8), ("95% interval", 16), ("unwinnable", 10),
    ("undecided", 9), ("by search", 11), ("by SAT", 9), ("deals/s", 9),
)  # fmt: skip


_DRAWN_COLUMNS = (("redealt", 9), ("replaced", 9))


_SIGNAL_COLUMNS = (("gained", 8),)
_EXPECTED_COLUMNS = (("expected", 8), ("95% interval", 16))


def rate_header(width: int, drawn: bool = False, signal: bool = False, expected: bool = False) -> str:
    """The first line of a table of rates whose longest load name has ``width`` letters; ``drawn`` says whether it shows
    what was redealt and replaced, ``signal`` what a distress signal gained, ``expected`` how often the best plan wins."""
    more = ((drawn, _DRAWN_COLUMNS), (signal, _SIGNAL_COLUMNS), (expected, _EXPECTED_COLUMNS))
    columns = [*_RATE_COLUMNS, *(column for shown, some in more if shown for column in some)]
    return "  ".join([f"{'load':{width}}", *(f"{name:>{wide}}" for name, wide in columns)])


def rate_row(rate: Rate, width: int, drawn: bool = False, signal: bool = False, expected: bool = False) -> str:
    """One line of a table of rates, under ``rate_header(width, drawn, signal, expected)``."""
    tasks = "-" if rate.load.difficulty is not None else str(rate.load.tasks)
    cells: tuple[str, ...] = (
        str(rate.players), rate.draft, tasks, f"{rate.deals:,}", "-" if rate.rate is None else percent(rate.rate),
        f"{percent(rate.low)}-{percent(rate.high)}", f"{rate.unwinnable:,}", f"{rate.undecided:,}",
        f"{rate.by_search:,}", f"{rate.by_sat:,}", f"{rate.deals_per_second:,.0f}" if rate.seconds else "-",
    )  # fmt: skip
    columns: tuple[tuple[str, int], ...] = _RATE_COLUMNS
    if drawn:
        cells, columns = (*cells, f"{rate.redealt:,}", f"{rate.replaced:,}"), (*columns, *_DRAWN_COLUMNS)
    if signal:
        cells, columns = (*cells, f"{rate.gained:,}"), (*columns, *_SIGNAL_COLUMNS)
    if expected:
        mean, low, high = rate.expected or (0.0, 0.0, 0.0)
        shown = ("-", "-") if rate.expected is None else (percent(mean), f"{percent(low)}-{percent(high)}")
        cells, columns = (*cells, *shown), (*columns, *_EXPECTED_COLUMNS)
    padded = [f"{cell:>{wide}}" for cell, (_, wide) in zip(cells, columns, strict=True)]
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
    text = f"{what} {bar(done, deals)} {done:,}/{deals:,}"
    if done == 0:
        return text
    speed = done / seconds if seconds > 0 else 0.0
    left = f"  {duration((deals - done) / speed)} left" if speed > 0 else ""
    decided = done - progress.undecided
    winnable = percent(progress.winnable / decided) if decided else "-"
    undecided = f"  undecided {progress.undecided:,}" if progress.undecided else ""
    return f"{text}  winnable {winnable}{left}  {speed:,.0f} deals/s  SAT {percent(progress.by_sat / done)}{undecided}"


def bar(done: int, total: int) -> str:
    """A progress bar."""
    full = _BAR * done // max(total, 1)
    return "[" + "#" * full + "-" * (_BAR - full) + "]"


def count_text(what: str, done: int, total: int) -> str:
    """A progress line for ``total`` things of one kind."""
    return f"{what} {bar(done, total)} {done:,}/{total:,}"


def duration(seconds: float) -> str:
    """A time as people say it: ``8s``, ``2m 05s``, ``3h 10m``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}m {rest:02}s" if minutes < 60 else f"{minutes // 60}h {minutes % 60:02}m"


def speed_text(deals: int, seconds: float) -> str:
    """How fast so many deals were decided."""
    return f"{deals:,} deals decided in {seconds:,.1f} s, {deals / seconds:,.0f} deals/s"


def cell_progress_text(what: str, progress: Progress) -> str:
    """As ``progress_text``, with the interval as it is; where a width is to be reached, with that of the interval so far."""
    done, deals, seconds = progress.done, progress.deals, progress.seconds
    text = f"{what} {bar(done, deals)} {done:,}/{deals:,}"
    if done == 0:
        return text
    speed = (done - progress.before) / seconds if seconds > 0 else 0.0
    decided = done - progress.undecided
    text += f"  {duration((deals - done) / speed)} left" if speed > 0 else ""
    text += f"  winnable {percent(progress.winnable / decided) if decided else '-'}"
    if progress.low is not None and progress.high is not None:
        text += f" {percent(progress.low)}-{percent(progress.high)}"
        text += "" if progress.until is None else f" ({100 * (progress.high - progress.low):.2g}% wide, until {100 * progress.until:.2g}%)"
    undecided = f"  undecided {progress.undecided:,}" if progress.undecided else ""
    return f"{text}  {speed:,.0f} deals/s  SAT {percent(progress.by_sat / done)}{undecided}"


def looks_note(until: float, rates: Sequence[Rate]) -> str:
    """How the intervals came about where a width was asked for, and how many have not reached it."""
    wide = sum(rate.high - rate.low > until for rate in rates)
    missed = f"; {plural(wide, 'cell')} stopped wider than that, at the most deals allowed" if wide else ""
    return f"Intervals: Clopper-Pearson at the last of several looks, 95% over all looks together, until {100 * until:.4g}% wide{missed}."


_PAIR_COLUMNS = (
    ("deals", 11), ("in both", 8), ("first only", 10), ("second only", 11), ("difference", 10), ("95% interval", 19), ("undecided", 9),
)  # fmt: skip


def cell_name(cell: Cell) -> str:
    """A cell in a table of comparisons: its number, load, players and draft."""
    return f"{cell.number}: {load_name(cell.load)}, {cell.players} players, {cell.draft}"


def comparison_names(comparison: Comparison) -> tuple[str, str]:
    """What is compared with what."""
    one, other = cell_name(comparison.one), comparison.other
    if other is None:
        return f"{one}, distress {comparison.one.distress}", f"{comparison.one.number} without the signal"
    signals = [f", distress {cell.distress}" if cell.distress else "" for cell in (comparison.one, other)]
    return one + signals[0], cell_name(other) + signals[1]


def comparisons_text(comparisons: Sequence[Comparison]) -> str:
    """A table of comparisons: the shares of the deals winnable in both cells or in one, and the difference with its interval."""
    rows = [["first", "second", *(name for name, _ in _PAIR_COLUMNS)]]
    for each in comparisons:
        shares = [percent(count / each.deals) for count in (each.both, each.one_only, each.other_only)]
        interval = f"{100 * each.low:+.2f}% {100 * each.high:+.2f}%"
        rows.append(
            [*comparison_names(each), f"{each.deals:,}", *shares, f"{100 * each.difference:+.2f}%", interval, f"{each.undecided:,}"]
        )
    lines = table(rows, (0, 1))
    method = "The same deals in both: intervals of the difference by Tango (1998) for pairs."
    return "\n".join([*lines, method])


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """A comparison, with the names of what is compared."""
    one, other = comparison_names(comparison)
    return {**comparison.to_json(), "names": [one, other], "method": "tango-1998-paired-score"}


# Missions.


def mission_text(mission: Mission, width: int) -> str:
    """A mission's name and its rules, and below them each point the rules leave open, wrapped to ``width``."""
    indent = " " * 16
    paragraphs = [fill(describe(mission), width, initial_indent=f"{mission.name:<15} ", subsequent_indent=indent)]
    for question in mission.open_questions:
        others = "; ".join(f"{reading.name}: {reading.text}" for reading in question.alternatives)
        text = f"Open: {_reading(question)} Other readings: {others}."
        paragraphs.append(fill(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False))
    return "\n".join(paragraphs)


def mission_name(mission: Mission) -> str:
    """The name of a mission, with ``untimed`` when it is played without the clock it has."""
    return f"{mission.name} untimed" if mission.variants and mission.seconds is None else mission.name


def mission_json(mission: Mission) -> dict[str, Any]:
    """A mission as an object: its facts, its rules in words, and the points that the rules leave open.

    ``tasks`` is None where task cards are drawn to a difficulty; ``crew_goals`` are written as in a mission file. A reading
    has the name that chooses it.
    """
    return {
        "name": mission.name,
        "game": mission.game,
        "number": mission.number,
        "tasks": None if mission.difficulty is not None else mission.tasks,
        "difficulty": mission.difficulty,
        "task_cards": list(mission.task_cards),
        "crew_goals": [{"who": goal.who, "goal": _goal_json(goal.form)} for goal in mission.crew_goals],
        "roles": [_role_json(role) for role in mission.roles],
        "setup": mission.setup or None,
        "events": [{"kind": event.kind, "after_trick": event.after_trick, "from": event.source} for event in mission.events],
        "end": mission.end,
        "by_players": {str(players): text for players, text in mission.by_players},
        "variants": [
            {
                "name": variant.name,
                "difficulty": variant.difficulty,
                "seconds": variant.seconds,
                "communication": variant.communication.mode,
            }
            for variant in mission.variants
        ],
        "readings": [_question_json(question) for question in mission.open_questions],
        "tokens": list(mission.tokens),
        "distribution": mission.distribution,
        "five_player_rule": mission.five_player_rule,
        "rules": describe(mission),
        "text": mission.text or None,
        "note": mission.note or None,
    }


def _role_json(role: Role) -> dict[str, Any]:
    fields = {"name": role.name, "by": role.by, "among": role.among, "answers": list(role.answers), "left_of": role.left_of}
    return {key: value for key, value in fields.items() if value} | ({"as_dealt": True} if role.as_dealt else {})


def _question_json(question: OpenQuestion) -> dict[str, Any]:
    others = [{"name": reading.name, "text": reading.text} for reading in question.alternatives]
    return {"question": question.question, "default": question.default, "alternatives": others}


def mission_file_text(path: str, missions: Sequence[Mission], width: int) -> str:
    """What a check says about a file without errors: that it is fine, and its missions in words."""
    return "\n".join([f"{path} is fine: {plural(len(missions), 'mission')}", *(mission_text(mission, width) for mission in missions)])


# Task cards.


def select_task_cards(
    words: Sequence[str] = (), group: str | None = None, difficulty: Collection[int] | None = None, players: int | None = None
) -> list[TaskCard]:
    """The task cards with all ``words`` in slug or text, of this group and, with so many players or any number, one of
    these difficulties. Raises InputError for an unknown group."""
    if group is not None and group not in GROUPS:
        raise InputError(f"unknown group {group!r}{nearest(group, GROUPS)}")
    return [
        card
        for card in load_task_cards()
        if group in (None, card.group)
        and all(word.casefold() in f"{card.slug} {card.text}".casefold() for word in words)
        and (difficulty is None or set(difficulty) & set(card.difficulty if players is None else [card.difficulty_for(players)]))
    ]


def task_cards_text(cards: Sequence[TaskCard], width: int) -> str:
    """Task cards as a table whose texts are wrapped to ``width``."""
    heads = [("task", "3/4/5", "group", "")]
    heads += [(card.slug, "/".join(map(str, card.difficulty)), card.group, "") for card in cards]
    texts = ["asks for", *(card.text + (" Not for the captain." if card.not_for_captain else "") for card in cards)]
    start = sum(max(len(row[column]) for row in heads) + 2 for column in range(3))
    lines = []
    for head, text in zip(table(heads, left=range(4)), texts, strict=True):
        first, *rest = wrap(text, max(width - start, 30))
        lines += [f"{head:{start}}{first}", *(" " * start + more for more in rest)]
    return "\n".join(lines)


def task_card_json(card: TaskCard) -> dict[str, Any]:
    """A task card as an object, its goal written as in the data file; ``redeal`` are hands."""
    return {
        "task": card.slug,
        "group": card.group,
        "difficulty": list(card.difficulty),
        "text": card.text,
        "goal": _goal_json(card.form),
        "redeal": [format_hand(cards, "deep-sea") for cards in card.redeal],
        "not_for_captain": card.not_for_captain,
        "prints": {edition: list(difficulty) for edition, difficulty in card.prints},
        "note": card.note or None,
    }


def _goal_json(form: GoalForm) -> Any:
    conditions = [{key: _thawed(item) for key, item in entry} for entry in form.entries]
    if form.any_of:
        return {"any_of": conditions}
    return conditions if len(conditions) > 1 else conditions[0]


def _thawed(item: Any) -> Any:
    if not isinstance(item, tuple):
        return item
    return dict(item) if item and isinstance(item[0], tuple) else list(item)
