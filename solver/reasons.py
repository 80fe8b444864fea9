"""Reasons: why a position cannot be won, and what would change that; of one that can be won, what is forced and how tight it is.

A conflict is found by SAT, question by question; every single change that is said to help comes with a line that the referee
has accepted, and every one that is said not to with a refutation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from statistics import fmean
from typing import Literal

from . import sat
from .cards import SUIT_MASKS, cards_of, mask_of, suit_of
from .errors import InputError
from .positions import LEFT, RIGHT, Exchange, Position, Task
from .questions import Attempt, Conflict, Demand, Questions, demands_of
from .referee import Referee
from .tokens import ABSOLUTE, ARROWS
from .verdicts import UNDECIDED, UNWINNABLE, WINNABLE, Limits, Verdict, decide, solve, winning_verdict, with_passes

PATIENCE = 5.0
"""Seconds for one change that needs the whole solver; what takes longer is left undecided, and said to be."""
LINES = 20
"""Attempts at random, for the tightness."""


@dataclass(frozen=True)
class Change:
    """A single change and whether the position can then be won.

    ``kind``: ``owner``, ``owners`` (two tasks change places), ``token`` (tokens laid differently), ``drop``, ``distress``, ``lead``, or
    ``play`` (another card instead of the one that lost it); ``task`` and ``other`` are tasks by index, ``seat`` who owns or leads,
    ``card`` what is played. ``verdict`` is winnable with a ``line`` that the referee accepted, unwinnable, or undecided after
    PATIENCE. ``allowed``: whether the distribution of the position allows it. ``position`` is the changed one, None for a lead.
    """

    kind: str
    verdict: str
    position: Position | None = None
    task: int = -1
    other: int = -1
    seat: int = -1
    card: int = -1
    to: int = 0
    allowed: bool = True
    line: tuple[tuple[int, ...], ...] | None = None
    passes: tuple[tuple[int, int, tuple[int, ...]], ...] = ()


@dataclass(frozen=True)
class LosingPlay:
    """Where the plays lost it: with the card of this ``number`` (from 0), in trick ``trick``, ``card`` of ``seat``; ``instead`` are the
    cards with which it could still be won."""

    number: int
    trick: int
    seat: int
    card: int
    instead: tuple[int, ...]


@dataclass(frozen=True)
class Forced:
    """What attempts that meet some demands have in common, of one open task that shows a card: the ``tricks`` (numbers) in which
    it can be completed, the ``cards`` that can win it, the ``seats`` that can."""

    task: int
    tricks: tuple[int, ...]
    cards: tuple[int, ...]
    seats: tuple[int, ...]


@dataclass(frozen=True)
class Part:
    """A demand of a conflict. Of a task that shows a card: in which ways it can be met ``alone``, and which ``winners`` its card
    can have when all else of the conflict is met. Of an order, for that case, the ``tricks`` (numbers) of the first task and
    those of the second, ``later``. Empty where nothing is known."""

    demand: Demand
    alone: Forced | None = None
    winners: tuple[int, ...] = ()
    tricks: tuple[int, ...] = ()
    later: tuple[int, ...] = ()


@dataclass(frozen=True)
class FirstPlays:
    """The cards of a seat for the trick to come, or the one begun: those that ``keep`` the position winnable in some attempt, and those
    that ``lose`` in each, unless a rule forbids them anyway."""

    seat: int
    keep: tuple[int, ...]
    lose: tuple[int, ...]


@dataclass(frozen=True)
class Tightness:
    """How much care a position needs: of ``lines`` attempts in which everybody plays random legal cards, ``won`` ended up won, and
    it could still be won for ``survived`` of ``tricks`` tricks in the mean."""

    lines: int
    won: int
    survived: float
    tricks: int


@dataclass(frozen=True)
class Explanation:
    """Why a position can or cannot be won.

    For ``unwinnable``: ``subject`` is the position that the reasons are about, the earliest lost one along the plays; ``losing`` where the
    plays lost it; ``conflict`` with its ``parts``, None where the plays broke a rule (``verdict.reason`` says so) or none was found; and
    the ``changes`` tried. For ``winnable``: ``forced``, ``first_plays`` and ``tightness``. ``unanswered`` questions took too long.
    """

    position: Position
    subject: Position
    verdict: Verdict
    losing: LosingPlay | None = None
    conflict: Conflict | None = None
    parts: tuple[Part, ...] = ()
    changes: tuple[Change, ...] = ()
    forced: tuple[Forced, ...] = ()
    first_plays: tuple[FirstPlays, ...] = ()
    tightness: Tightness | None = None
    unanswered: int = 0


def explain(position: Position, *, limit_seconds: float | None = None) -> Explanation:
    """Say why a position can or cannot be won.

    ``limit_seconds`` (wall clock) is for the verdict alone, which without it always comes. Raises InputError for illegal plays.
    """
    verdict = solve(position, limit_seconds=limit_seconds)
    if verdict.verdict == UNDECIDED:
        return Explanation(position, position, verdict)
    if verdict.verdict == WINNABLE:
        return _explain_winnable(position, verdict)
    subject, losing = _earliest_lost(position)
    changes = list(_other_plays(position, losing)) if losing is not None else []
    referee = Referee(subject)
    if referee.failure is not None:
        return Explanation(position, subject, verdict, losing, changes=(*changes, *_changes(subject, referee, None)))
    with Questions(subject) as questions:
        conflict = questions.conflict(questions.demands)
        parts = tuple(_part(questions, conflict, demand) for demand in conflict.demands) if conflict is not None else ()
        changes += _changes(subject, referee, questions)
        unanswered = questions.unanswered
    return Explanation(position, subject, verdict, losing, conflict, parts, tuple(changes), unanswered=unanswered)


# Where it was lost.


def _cut(position: Position, cards: int) -> Position:
    """The position after so many of its plays."""
    plays = [card for trick in position.plays for card in trick][:cards]
    players = position.players
    return replace(position, plays=tuple(tuple(plays[start : start + players]) for start in range(0, cards, players)))


def _can_be_won(position: Position) -> bool:
    return decide(position, "auto", Limits(None, None)).verdict == WINNABLE


def _earliest_lost(position: Position) -> tuple[Position, LosingPlay | None]:
    """The first position along the plays that cannot be won, and the play that led to it; none when the deal cannot be won at all.

    What is lost stays lost, so it is found by bisection.
    """
    low, high = 0, sum(map(len, position.plays))
    if not high or not _can_be_won(_cut(position, 0)):
        return _cut(position, 0), None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _can_be_won(_cut(position, middle)) else (low, middle)
    before, subject = _cut(position, low), _cut(position, high)
    referee = Referee(before)
    card = [card for trick in subject.plays for card in trick][-1]
    instead = [other for other in referee.legal_plays() if other != card and _can_be_won(_with_play(before, other))]
    return subject, LosingPlay(low, len(referee.history) + 1, referee.turn, card, tuple(instead))


def _with_play(position: Position, card: int) -> Position:
    """The position after one more card."""
    plays = position.plays
    if plays and len(plays[-1]) < position.players:
        return replace(position, plays=(*plays[:-1], (*plays[-1], card)))
    return replace(position, plays=(*plays, (card,)))


def _other_plays(position: Position, losing: LosingPlay) -> Iterator[Change]:
    for card in losing.instead:
        changed = _with_play(_cut(position, losing.number), card)
        verdict = decide(changed, "auto", Limits(None, None))
        yield Change("play", verdict.verdict, changed, seat=losing.seat, card=card, line=verdict.line, passes=verdict.passes)


# Why it cannot be won.


def _part(questions: Questions, conflict: Conflict, demand: Demand) -> Part:
    rest = [other for other in conflict.demands if other != demand]
    tasks = questions.position.tasks
    if demand.kind == "task" and tasks[demand.task].target >= 0:
        alone = _forced(questions, [demand], demand.task) if rest else None
        return Part(demand, alone, tuple(_winners(questions, rest, demand.task)))
    if demand.kind == "order":
        first, later = (tuple(_tricks(questions, rest, task)) for task in (demand.task, demand.other))
        return Part(demand, tricks=first, later=later)
    return Part(demand)


def _forced(questions: Questions, demands: Sequence[Demand], task: int) -> Forced:
    tricks, cards, seats = (tuple(find(questions, demands, task)) for find in (_tricks, _winning_cards, _winners))
    return Forced(task, tricks, cards, seats)


def _winners(questions: Questions, demands: Sequence[Demand], task: int) -> Iterator[int]:
    """The seats that can win the card of the task, while the demands are met."""
    return (seat for seat in range(questions.position.players) if questions.can(demands, Demand("owner", task, number=seat)))


def _tricks(questions: Questions, demands: Sequence[Demand], task: int) -> Iterator[int]:
    """The numbers of the tricks in which the card of the task can be played, while the demands are met."""
    numbers = range(len(questions.referee.history) + 1, questions.position.tricks + 1)
    return (number for number in numbers if questions.can(demands, Demand("trick", task, number=number)))


def _winning_cards(questions: Questions, demands: Sequence[Demand], task: int) -> Iterator[int]:
    """The cards that can win the trick with the card of the task, while the demands are met."""
    target = questions.position.tasks[task].target
    left = sum(questions.referee.hands) | mask_of(questions.referee.trick)
    lower = SUIT_MASKS[suit_of(target)] & ((1 << target) - 1)
    return (card for card in cards_of(left & ~lower) if questions.can(demands, Demand("with", task, number=card)))


# What would change it.


def _changes(position: Position, referee: Referee, questions: Questions | None) -> list[Change]:
    """All single changes of the position, each decided; with ``questions`` where they can be asked."""
    still_open = _open_tasks(referee)
    changes = [*_owner_changes(position, still_open, questions)]
    if not any(change.verdict == WINNABLE for change in changes):
        changes += _swaps(position, still_open, questions)
    changes += _token_changes(position, still_open, questions)
    changes += _drops(position, still_open, questions)
    if not position.plays:
        changes += _signals(position)
    if referee.failure is None and not referee.trick and referee.tricks_left and not referee.waiting:
        changes += _leads(position, referee)
    return changes


def _open_tasks(referee: Referee) -> list[int]:
    """The tasks not completed before the last finished trick, if it lost the mission, or else by now."""
    return [index for index, done in enumerate(referee.completed) if done is None]


def _loosened(position: Position, tasks: Sequence[Task]) -> Position | None:
    """The position with other tasks, not held against its mission's distribution; None when that cannot be."""
    try:
        return replace(position, tasks=tuple(tasks), mission=None)
    except InputError:
        return None


def _decided(questions: Questions | None, changed: Position, places: Sequence[int]) -> Verdict:
    """The verdict on a changed position. ``places`` are its tasks in the position asked about, by index.

    It is one more question to the formula that there is, where all that the change touches are demands.
    """
    if questions is not None and None not in changed.owners and not questions.decided_beforehand and not changed.one_may_move:
        demands = demands_of(changed, Referee(changed))
        if not (len(places) < len(questions.position.tasks) and any(demand.kind == "rank" for demand in demands)):
            found = _ask_changed(questions, changed, places, demands)
            if isinstance(found, Attempt):
                owners = [owner or 0 for owner in changed.owners] if changed.duties else None
                return winning_verdict(with_passes(changed, questions.referee, found.passes), found.line, "sat", owners=owners)
            if found is False:
                return Verdict(UNWINNABLE, "sat")
    return decide(changed, "auto", Limits(None, PATIENCE))


def _ask_changed(
    questions: Questions, changed: Position, places: Sequence[int], demands: Sequence[Demand]
) -> Attempt | Literal[False] | None:
    """Ask whether the demands of a changed position can be met, in terms of the position there is."""
    goals = [number for number, duty in enumerate(questions.position.duties) if duty.task < 0]
    changed_goals = [number for number, duty in enumerate(changed.duties) if duty.task < 0]
    if len(goals) != len(changed_goals):
        return None
    same = []
    for demand in demands:
        if demand.kind == "task":
            same.append(Demand("owner", places[demand.task], number=changed.tasks[demand.task].owner or 0))
        elif demand.kind == "goal":
            same.append(demand._replace(number=goals[changed_goals.index(demand.number)]))
        else:
            same.append(demand._replace(task=places[demand.task], other=places[demand.other] if demand.other >= 0 else -1))
    return questions.ask(same)


def _owner_changes(position: Position, still_open: Sequence[int], questions: Questions | None) -> Iterator[Change]:
    tasks = position.tasks
    for index in still_open:
        for seat in range(position.players):
            if tasks[index].owner not in (None, seat):
                changed = [*tasks[:index], replace(tasks[index], owner=seat), *tasks[index + 1 :]]
                yield from _tried("owner", position, changed, questions, index, seat=seat)


def _tried(
    kind: str, position: Position, tasks: Sequence[Task], questions: Questions | None, task: int, other: int = -1, seat: int = -1
) -> Iterator[Change]:
    """The change to these tasks, decided; none where there is no such position."""
    changed = _loosened(position, tasks)
    if changed is not None:
        places = [place for place in range(len(position.tasks)) if kind != "drop" or place != task]
        verdict = _decided(questions, changed, places)
        allowed = position.mission is None or kind not in ("owner", "owners") or _may_own(position, changed)
        yield Change(kind, verdict.verdict, changed, task, other, seat, allowed=allowed, line=verdict.line)


def _may_own(position: Position, changed: Position) -> bool:
    owners = [owner for owner in changed.owners if owner is not None]
    if len(owners) < len(changed.owners):
        return bool(changed.counts)
    return replace(position, mission=None, tasks=tuple(replace(task, owner=None) for task in position.tasks)).may_own(owners)


def _swaps(position: Position, still_open: Sequence[int], questions: Questions | None) -> Iterator[Change]:
    tasks = position.tasks
    for one, other in combinations(still_open, 2):
        if None not in (tasks[one].owner, tasks[other].owner) and tasks[one].owner != tasks[other].owner:
            new = list(tasks)
            new[one], new[other] = replace(tasks[one], owner=tasks[other].owner), replace(tasks[other], owner=tasks[one].owner)
            yield from _tried("owners", position, new, questions, one, other)


def _token_changes(position: Position, still_open: Sequence[int], questions: Questions | None) -> Iterator[Change]:
    """A token is left out, two tasks exchange their tokens, or a token moves to a task without one."""
    tasks = position.tasks
    for index in still_open:
        if tasks[index].token is not None:
            bare = [*tasks[:index], replace(tasks[index], token=None), *tasks[index + 1 :]]
            yield from _tried("token", position, bare, questions, index)
    for one, other in combinations(still_open, 2):
        if tasks[one].token != tasks[other].token:
            new = list(tasks)
            new[one], new[other] = replace(tasks[one], token=tasks[other].token), replace(tasks[other], token=tasks[one].token)
            yield from _tried("token", position, new, questions, one, other)


def _drops(position: Position, still_open: Sequence[int], questions: Questions | None) -> Iterator[Change]:
    if len(position.tasks) > 1:
        for index in still_open:
            yield from _tried("drop", position, without(position.tasks, index), questions, index)


def without(tasks: Sequence[Task], index: int) -> list[Task]:
    """The tasks without one; the tokens behind that of the one left out move up, and so do numbers too large for what is left."""
    left = [*tasks[:index], *tasks[index + 1 :]]
    gone = tasks[index].token
    for tokens in (ABSOLUTE, ARROWS):
        if gone in tokens:
            later = {token: tokens[place - 1] for place, token in enumerate(tokens) if place > tokens.index(gone)}
            left = [replace(task, token=later.get(task.token or "", task.token)) for task in left]
    most, fits = len(left) + 1, {}
    for number in reversed([number for number in ABSOLUTE if any(task.token == number for task in left)]):
        most = min(int(number), most - 1)
        fits[number] = str(most)
    return [replace(task, token=fits.get(task.token or "", task.token)) for task in left]


def _signals(position: Position) -> Iterator[Change]:
    """The distress signal, to either side."""
    if any(exchange.after == 0 for exchange in position.exchanges):
        return
    for to in (LEFT, RIGHT):
        try:
            changed = replace(position, exchanges=(Exchange(0, to), *position.exchanges))
        except InputError:
            continue
        verdict = decide(changed, "auto", Limits(None, PATIENCE))
        yield Change("distress", verdict.verdict, changed, to=to, line=verdict.line, passes=verdict.passes)


def _leads(position: Position, referee: Referee) -> Iterator[Change]:
    """Another seat leads the next trick."""
    for seat in range(position.players):
        if seat == referee.leader:
            continue
        verdict, line = UNWINNABLE, None
        for way in position.alternatives():
            otherwise = Referee(way)
            otherwise.leader = seat
            answer = sat.decide(otherwise, conflicts=sat.SLICE * 40)
            if answer.status == WINNABLE:
                verdict, line = WINNABLE, _played_from(way, seat, answer)
                break
            if answer.status == UNDECIDED:
                verdict = UNDECIDED
        yield Change("lead", verdict, seat=seat, line=line)


def _played_from(position: Position, leader: int, answer: sat.SatAnswer) -> tuple[tuple[int, ...], ...]:
    """The line of an answer for another leader, accepted by the referee. Raises RuntimeError when it is not: a fault of ours."""
    referee = Referee(with_passes(position.with_owners(answer.owners), Referee(position), answer.passes))
    referee.leader = leader
    try:
        for card in answer.line[sum(map(len, position.plays)) :]:
            referee.play(card)
    except InputError as error:
        raise RuntimeError(f"the referee refuses the line found for another lead: {error}") from error
    if not referee.won:
        raise RuntimeError(f"the referee does not accept the line found for another lead: {referee.failure}")
    return tuple(cards for _, cards, _, _ in referee.history)


# What is forced.


def _explain_winnable(position: Position, verdict: Verdict) -> Explanation:
    referee = Referee(position)
    if referee.won or not referee.tricks_left:
        return Explanation(position, position, verdict)
    with Questions(position) as questions:
        by_card = [task for task in _open_tasks(referee) if position.tasks[task].target >= 0]
        forced = tuple(_forced(questions, questions.demands, task) for task in by_card)
        passing = bool(questions.referee.exchanges)
        first_plays = () if passing else tuple(_first_plays(questions))
        tightness = None if passing else _tightness(questions)
        return Explanation(
            position, position, verdict, forced=forced, first_plays=first_plays, tightness=tightness, unanswered=questions.unanswered
        )


def _first_plays(questions: Questions) -> Iterator[FirstPlays]:
    """Of every seat that has yet to play to the trick: which cards it can play to it in an attempt that wins."""
    referee, players = questions.referee, questions.position.players
    number = len(referee.history) + 1
    for turn in range(len(referee.trick), players):
        seat = (referee.leader + turn) % players
        hand = referee.hands[seat] & ~referee.hidden
        if referee.trick and hand & SUIT_MASKS[suit_of(referee.trick[0])]:
            hand &= SUIT_MASKS[suit_of(referee.trick[0])]
        keep = [card for card in cards_of(hand) if questions.can(questions.demands, Demand("play", other=number, number=card))]
        yield FirstPlays(seat, tuple(keep), tuple(card for card in cards_of(hand) if card not in keep))


def _tightness(questions: Questions) -> Tightness:
    """Random attempts from here, of each by bisection after which trick it could still be won."""
    position, referee = questions.position, questions.referee
    past, tricks = len(referee.history), referee.tricks_left
    survived, won = [], 0
    for number in range(LINES):
        line = _random_line(position, Random(number))
        low, high = 0, tricks
        if Referee(replace(position, plays=line)).won:
            won, low = won + 1, tricks
        while high - low > 1:
            middle = (low + high) // 2
            plays = [Demand("play", other=t + 1, number=card) for t in range(past, past + middle) for card in line[t]]
            lost = questions.ask([*questions.demands, *plays]) is False
            low, high = (low, middle) if lost else (middle, high)
        survived.append(low)
    return Tightness(LINES, won, fmean(survived), tricks)


def _random_line(position: Position, random: Random) -> tuple[tuple[int, ...], ...]:
    """An attempt in which, from here on, everybody plays uniformly random legal cards, as tricks."""
    referee = Referee(position)
    while plays := referee.legal_plays():
        referee.play(random.choice(plays))
    return tuple(cards for _, cards, _, _ in referee.history)
