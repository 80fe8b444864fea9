"""The audit of the printed difficulty numbers: what open hands say about each task card, beside what is printed on it.

For every card, alone in a deal, every seat that may own it is decided exactly: short dives in the kernel find most lines, and
what resists goes to SAT. All measures of a card follow from these verdicts. All cards see the same deals, but for hands
that a card calls a redeal, so cards differ by less chance than two independent samples would.

The formula of a deal is built once and serves all cards and seats: what a card asks of a seat hangs on a literal that is
assumed when it is asked about (Eén and Sörensson 2003), and so do the plays of a line, for the tightness. What the solver learns
about the deal for one card it knows for the next.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from itertools import combinations
from math import atanh, sqrt, tanh
from pathlib import Path
from random import Random
from statistics import fmean, median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from pysat.solvers import Solver  # type: ignore[import-untyped]

from ..kernels import layout as at
from ..kernels.batch import LoadTable, captain_of, make_deal, search_deal, write_problem
from ..kernels.layout import Memory, new_memory
from ..kernels.search import OUT_OF_NODES
from . import sat
from .cards import CAPTAIN_CARD, FULL_DECK, cards_of
from .deals import check_number, check_players
from .encoding import encode
from .errors import InputError
from .exclusions import load_exclusions
from .goal_clauses import Goals
from .goals import Goal
from .intervals import Z95, wilson
from .loads import Load, cannot_deal, load_table, new_deals, tricks_of
from .positions import Position, Task
from .rates import count_deals, refuse_lines
from .referee import Referee, beats, goal_holds, must_follow
from .show import bar, duration, table
from .taskcards import EDITIONS, TaskCard, find_task_card, load_task_cards
from .verdicts import DIVE_NOISE, GOAL_DIVE_NODES, GOAL_DIVES, Limits, decide, winning_verdict
from .warmup import announced
from .workers import spread

DEALS = 200
TIGHTNESS_DEALS = 40
"""Deals of a run where nothing is said. Half as many take 35 s on two cores that are nearly idle."""
NODES = 3000
"""Nodes for the dives of one seat, before SAT is asked. By measurement: what resists them is nearly always unwinnable, which
no dive shows, and a formula that is already built answers sooner than many more dives."""
CONFLICTS = 100_000
"""Conflicts of one question to SAT, before the deal is decided by search and SAT in turns as in ``solve``."""
CHUNK = 5
"""Deals that a worker decides for all cards before it reports."""
OUTLIERS = 10
SHARES = ("random", "best", "captain", "every", "survived", "by_chance")
BY = "random"
"""The shares by which a card can be compared with the others, and the usual one: see ``compared``."""
MEASURES = ("random", "best", "captain", "every", "effort", "survived", "by_chance")
"""The measures that are held against the printed numbers: names of fields of CardAudit."""
BARRED = -9
"""Status of a seat that may not own the card; the others as ``search`` returns them."""


@dataclass(frozen=True)
class CardAudit:
    """What was measured of one card with one number of players; all shares are of the deals, 0 to 1.

    ``printed`` is the difficulty on the card. ``random``: how often it is winnable with an owner drawn uniformly from the
    seats that may own it, the mean over these seats rather than one draw. ``best``: for at least one of them. ``captain``:
    for the captain, None where the captain may not own it. ``every``: for each of them. ``_low`` and ``_high`` are 95% Wilson
    intervals over the deals; for ``random`` it holds for one draw per deal, so for the mean it is a little too wide.

    ``effort`` is the median number of cards that the search placed for one seat, found or given up after NODES.

    ``survived`` is the tightness: from a winnable deal with a random owner among those who can do it, everybody plays uniformly
    random legal cards; after how many tricks, as a mean share of all tricks, it could still be won; ``tricks_survived`` is
    the same as a number of tricks, ``by_chance`` the share of these lines that ended up won, ``tightness_deals`` how many
    there were: the deals that somebody can do at all. None without such deals.

    ``expected`` is the share that the other cards say goes with this printed number, ``off`` what this card has more (easier
    than printed) or less (harder), ``like`` the printed number whose cards have the share nearest to its own; ``by``
    says of which share. See ``compared``.
    """

    card: str
    group: str
    players: int
    printed: int
    deals: int
    random: float
    random_low: float
    random_high: float
    best: float
    best_low: float
    best_high: float
    captain: float | None
    captain_low: float | None
    captain_high: float | None
    every: float
    every_low: float
    every_high: float
    effort: float
    survived: float | None
    tricks_survived: float | None
    by_chance: float | None
    by_chance_low: float | None
    by_chance_high: float | None
    tightness_deals: int
    redealt: int
    by: str
    expected: float | None = None
    off: float | None = None
    like: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The row of the table, ready for ``json.dumps``."""
        return asdict(self)


@dataclass(frozen=True)
class Correlation:
    """Spearman's rank correlation of a measure with the printed numbers over the cards that have it; see ``spearman``."""

    players: int
    measure: str
    cards: int
    rho: float | None
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        """The correlation, ready for ``json.dumps``."""
        return asdict(self)


@dataclass(frozen=True)
class Audit:
    """An audit: one row per card and number of players, the cards furthest from their number first.

    ``verdicts`` counts the seats decided, and ``by_sat`` those of them that SAT decided, in ``seconds`` of wall clock.
    """

    seed: int
    deals: int
    rows: tuple[CardAudit, ...]
    correlations: tuple[Correlation, ...]
    verdicts: int
    by_sat: int
    seconds: float

    def outliers(self, players: int, number: int = OUTLIERS) -> list[CardAudit]:
        """The cards that sit furthest from their printed number, furthest first."""
        return [row for row in self.rows if row.players == players][:number]


@dataclass(frozen=True)
class AuditProgress:
    """How far it is: parts done, of how many; ``seconds`` since the start."""

    done: int
    parts: int
    seconds: float


def warm_up(announce: Callable[[str], None]) -> None:
    """Load the compiled kernel from the cache, or compile it; ``announce`` is called once if that is not quick."""
    with announced(announce):
        decide_seats(("zero_tricks",), 4, 0, 0, 1)


# Verdicts of every seat.


@lru_cache(maxsize=1)
def _memory() -> Memory:
    """This process's memory for batches: small enough to stay in the processor's cache."""
    return new_memory(15)


@njit(cache=True)
def _try_seats(seed, first, players, deck, table, dives, nodes_each, noise, budget, memory, deals) -> int:  # type: ignore[no-untyped-def]
    """Make deals ``first``, ``first + 1``, ... with the one card of a load, and dive for each seat as its owner.

    Row ``players * place + seat`` of ``deals`` is deal ``first + place`` with that owner; its status is BARRED where the seat
    may not own the card. Returns -1, or the place of a deal that cannot be made.
    """
    tricks = deals.lines.shape[1] // players
    problem = np.zeros(at.ALLOWED + 1, np.int64)
    won_by = np.zeros(at.MAX_CARDS, np.int64)
    for place in range(len(deals.status) // players):
        start = place * players
        if not make_deal(seed, first + place, players, deck, table, False, deals, start):
            return place
        captain = captain_of(deals.hands[start])
        for seat in range(players):
            row = start + seat
            deals.hands[row] = deals.hands[start]
            deals.count[row] = 1
            deals.tasks[row, 0] = deals.tasks[start, 0]
            deals.owners[row, 0] = seat
            deals.redealt[row] = deals.redealt[start]
            if seat == captain and table.barred[deals.tasks[row, 0]]:
                deals.status[row] = BARRED
                continue
            write_problem(problem, players, tricks, table, True, deals, row)
            search_deal(problem, players, dives, nodes_each, noise, budget, memory, table, deals, row, won_by)
    return -1


class DealFormula:
    """The rules of one deal as a formula, and what cards ask of seats, each under a literal of its own."""

    def __init__(self, hands: Sequence[int]) -> None:
        self.hands = tuple(hands)
        self.captain = next(seat for seat, hand in enumerate(hands) if hand >> CAPTAIN_CARD & 1)
        self._referee = Referee(Position(self.hands, (), game="deep-sea"))
        encoding = encode(self._referee)
        self._pool = encoding.pool
        self._goals = Goals(self._referee, encoding.pool, list(hands))
        self._solver = Solver(sat.SOLVER, bootstrap_with=encoding.clauses)
        self._literals: dict[tuple[str, int], int] = {}

    def __enter__(self) -> DealFormula:
        return self

    def __exit__(self, *_: object) -> None:
        self._solver.delete()

    def _literal(self, card: TaskCard, seat: int) -> int:
        """The literal that implies that the seat fulfils the card."""
        if (card.slug, seat) not in self._literals:
            when = self._literals[card.slug, seat] = self._pool.new(f"seat {seat} fulfils {card.slug}")
            written = len(self._goals.clauses)
            self._goals.ask(when, seat, self._goal(card), card.slug)
            self._solver.append_formula(self._goals.clauses[written:])
        return self._literals[card.slug, seat]

    def _goal(self, card: TaskCard) -> Goal:
        return card.form.resolve(len(self.hands), tricks_of(len(self.hands)), self.captain)

    def solve(self, card: TaskCard, seat: int, plays: Sequence[int] = ()) -> tuple[int, ...] | None:
        """A whole line that begins with ``plays`` and fulfils the card for the seat, accepted by the referee, or None when
        there is none."""
        players = len(self.hands)
        assumed = [self._literal(card, seat), *(self._pool.card(play, place // players) for place, play in enumerate(plays))]
        position = Position(self.hands, (Task(card.slug, seat),), game="deep-sea")
        solved, conflicts = None, 0
        while solved is None and conflicts < CONFLICTS:
            solved = sat.solve_slice(self._solver, assumed)
            conflicts += sat.SLICE
        if solved is None:
            tricks = tuple(tuple(plays[start : start + players]) for start in range(0, len(plays), players))
            verdict = decide(replace(position, plays=tricks), "auto", Limits(None, None), dives=0)
            return tuple(play for trick in verdict.line for play in trick) if verdict.line is not None else None
        if not solved:
            return None
        line = sat.winning(self._referee, self._pool, self._solver.get_model()).line
        winning_verdict(position, line, "sat")
        return line

    def survived(self, card: TaskCard, seat: int, line: Sequence[int]) -> int:
        """After how many tricks of a whole line the card could still be won for the seat, which can do it at the start.

        What is lost stays lost, so the trick is found by bisection.
        """
        players = len(self.hands)
        low, high = 0, len(line) // players
        if fulfils(self._goal(card), seat, self.captain, line, players):
            return high
        while high - low > 1:
            middle = (low + high) // 2
            if self.solve(card, seat, line[: middle * players]) is None:
                high = middle
            else:
                low = middle
        return low


def fulfils(goal: Goal, seat: int, captain: int, line: Sequence[int], players: int) -> bool:
    """Whether the goal holds for the seat after a whole attempt, every card in play order, by the referee's rules."""
    leaders, winners = [], []
    leader = captain
    for start in range(0, len(line), players):
        best = 0
        for turn in range(1, players):
            if beats(line[start + turn], line[start + best]):
                best = turn
        leaders.append(leader)
        leader = (leader + best) % players
        winners.append(leader)
    return bool(goal_holds(goal.conditions, goal.any_of, seat, leaders, winners, (), line, players, len(winners)))


def random_line(hands: Sequence[int], random: Random) -> tuple[int, ...]:
    """A whole attempt in which everybody plays uniformly random legal cards, every card in play order."""
    left, players = list(hands), len(hands)
    leader = next(seat for seat, hand in enumerate(hands) if hand >> CAPTAIN_CARD & 1)
    line: list[int] = []
    for start in range(0, tricks_of(players) * players, players):
        best = start
        for turn in range(players):
            seat = (leader + turn) % players
            card = random.choice([card for card in cards_of(left[seat]) if not turn or not must_follow(left[seat], line[start], card)])
            left[seat] ^= 1 << card
            line.append(card)
            if turn and beats(card, line[best]):
                best = start + turn
        leader = (leader + best - start) % players
    return tuple(line)


class Verdicts(NamedTuple):
    """All cards (first axis) with some deals (second axis) of one number of players.

    ``can``[card, deal, seat]: 1 and 0, or -1 where the seat may not own the card; ``nodes`` likewise, cards placed;
    ``captain``[card, deal]; ``redealt``[card, deal]; ``survived``[card, deal]: tricks, -1 where not measured;
    ``by_sat``: how many of the seats SAT decided.
    """

    can: np.ndarray
    nodes: np.ndarray
    captain: np.ndarray
    redealt: np.ndarray
    survived: np.ndarray
    by_sat: int


def _table(slug: str, players: int) -> LoadTable:
    """The load of one card. Loads of different cards differ in nothing but the card, so one table is built and serves all."""
    stack = [card.slug for card in load_task_cards()]
    load = load_table(Load(game="deep-sea", task_cards=(stack[0],), distribution="free"), players)
    return load._replace(fixed=np.array([stack.index(slug)], np.int64))


class _Part(NamedTuple):
    """A worker's part: deals ``first`` to ``first + deals - 1`` of all cards; of the first ``measured`` of all deals the tightness."""

    cards: tuple[str, ...]
    players: int
    seed: int
    first: int
    deals: int
    measured: int


def decide_seats(cards: Sequence[str], players: int, seed: int, first: int, deals: int, measured: int = 0) -> Verdicts:
    """Decide each card in deals ``first`` to ``first + deals - 1`` of ``seed`` for every seat that may own it, in this process.

    In the deals with a number below ``measured`` the tightness is measured too. Every line is refereed.
    """
    shape = len(cards), deals, players
    can, nodes = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    captain, redealt = np.zeros(shape[:2], np.int64), np.zeros(shape[:2], np.int64)
    survived = np.full(shape[:2], -1, np.int64)
    dealt: dict[tuple[int, tuple[int, ...]], list[int]] = {}  # the cards by deal, for a redeal gives other hands
    for index, slug in enumerate(cards):
        load, made = _table(slug, players), new_deals(deals * players, players)
        budget = NODES, _memory(), made
        bad = _try_seats(seed, first, players, FULL_DECK, load, GOAL_DIVES, GOAL_DIVE_NODES, DIVE_NOISE, *budget)
        if bad >= 0:
            raise cannot_deal(seed, first + bad)
        refused = refuse_lines(made, players, np.zeros(1, np.int64), load)
        if refused >= 0:
            raise RuntimeError(f"the referee refuses the line found for {slug} in deal {first + refused // players} of seed {seed}")
        can[index], nodes[index] = made.status.reshape(deals, players), made.nodes.reshape(deals, players)
        redealt[index] = made.redealt[::players]
        for deal in range(deals):
            hands = tuple(int(hand) for hand in made.hands[deal * players, :players])
            captain[index, deal] = next(seat for seat, hand in enumerate(hands) if hand >> CAPTAIN_CARD & 1)
            dealt.setdefault((deal, hands), []).append(index)
    open_seats = can == OUT_OF_NODES
    can[can == BARRED] = -1
    for (deal, hands), indexes in dealt.items():
        tight = first + deal < measured
        if not tight and not any(open_seats[index, deal].any() for index in indexes):
            continue
        with DealFormula(hands) as formula:
            random = Random(f"{seed} {players} {first + deal} {redealt[indexes[0], deal]}")
            order, line = random.sample(range(players), players), random_line(hands, random)
            for index in indexes:
                card = find_task_card(cards[index])
                for seat in np.flatnonzero(open_seats[index, deal]):
                    can[index, deal, seat] = formula.solve(card, int(seat)) is not None
                owner = next((seat for seat in order if can[index, deal, seat] == 1), None)
                if tight and owner is not None:
                    survived[index, deal] = formula.survived(card, owner, line)
    return Verdicts(can, nodes, captain, redealt, survived, int(open_seats.sum()))


def _joined(parts: Sequence[Verdicts]) -> Verdicts:
    """The verdicts of parts that follow each other."""

    def join(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts], axis=1)

    arrays = join("can"), join("nodes"), join("captain"), join("redealt"), join("survived")
    return Verdicts(*arrays, sum(part.by_sat for part in parts))


def _work(part: _Part) -> tuple[_Part, Verdicts]:
    return part, decide_seats(*part)


# The audit.


def audit(
    players: Sequence[int] = (3, 4, 5),
    deals: int = DEALS,
    seed: int = 1,
    *,
    task_cards: Sequence[str] = (),
    tightness_deals: int | None = None,
    edition: str | None = None,
    by: str = BY,
    workers: int | None = None,
    progress: Callable[[AuditProgress], None] | None = None,
) -> Audit:
    """Measure how difficult task cards are, all or those with the slugs ``task_cards``, beside what is printed on them.

    Deals 0 to ``deals - 1`` of ``seed`` are decided, the first ``tightness_deals`` of them (default: TIGHTNESS_DEALS, or all when
    there are fewer) for the tightness too. ``edition``: the print whose numbers count. ``by``: the share, one of SHARES, by
    which cards are compared. ``workers``: processes, all cores by default. What is measured of a card depends on seed, deals
    and the card alone; what it is compared with, and the correlations, also on which other cards are audited.
    ``progress`` is called after every part.

    Raises InputError for unknown cards and values out of range.
    """
    slugs = check_audit(players, deals, seed, task_cards, edition, workers)
    if tightness_deals is not None and not 0 <= tightness_deals <= deals:
        raise InputError(f"the tightness of {tightness_deals} deals cannot be measured: it can be 0 to {deals}, the number of deals")
    if by not in SHARES:
        raise InputError(f"cards cannot be compared by {by!r}: it is one of {', '.join(SHARES)}")
    measured = min(TIGHTNESS_DEALS, deals) if tightness_deals is None else tightness_deals
    start = perf_counter()
    warm_up(lambda message: None)  # before workers are forked
    # The deals with tightness take longest, so they come first; three players before five for the same reason.
    parts = [
        _Part(slugs, seats, seed, first, min(CHUNK, deals - first), measured)
        for first in range(0, deals, CHUNK)
        for seats in sorted(set(players))
    ]
    found: dict[tuple[int, int], Verdicts] = {}
    for part, verdicts in spread(_work, parts, workers or os.cpu_count() or 1):
        found[part.players, part.first] = verdicts
        if progress is not None:
            progress(AuditProgress(len(found), len(parts), perf_counter() - start))
    rows: list[CardAudit] = []
    by_sat = total = 0
    for seats in sorted(set(players)):
        whole = _joined([found[seats, first] for first in range(0, deals, CHUNK)])
        by_sat += whole.by_sat
        total += int((whole.can >= 0).sum())
        measures = [_measured(find_task_card(slug), seats, edition, by, index, whole) for index, slug in enumerate(slugs)]
        rows += compared(measures)
    rows.sort(key=lambda row: (-abs(row.off or 0.0), row.players, row.card))
    correlations = [correlation(rows, seats, measure) for seats in sorted(set(players)) for measure in MEASURES]
    return Audit(seed, deals, tuple(rows), tuple(correlations), total, by_sat, perf_counter() - start)


def check_audit(
    players: Sequence[int], deals: int, seed: int, task_cards: Sequence[str], edition: str | None, workers: int | None
) -> tuple[str, ...]:
    """The slugs of the cards, in the order of the file. Raises InputError for values out of range and unknown cards."""
    if not players:
        raise InputError("no number of players given: it can be 3, 4 or 5")
    for seats in players:
        check_players(seats)
        if seats == 2:
            raise InputError("2 players play by the numbers for 3, with a hand of columns: audit them with 3, 4 or 5 players")
    if deals < 1:
        raise InputError(f"{deals} deals cannot be counted: deals must be 1 or more")
    check_number("seed", seed)
    check_number("index", deals - 1)
    if edition is not None and edition not in EDITIONS:
        raise InputError(f"unknown edition {edition!r}: it is {' or '.join(EDITIONS)}, or none for the usual print")
    if workers is not None and workers < 1:
        raise InputError(f"{workers} workers cannot work: workers must be 1 or more")
    wanted = {find_task_card(slug).slug for slug in task_cards}
    return tuple(card.slug for card in load_task_cards() if card.slug in wanted or not wanted)


def _measured(card: TaskCard, players: int, edition: str | None, by: str, index: int, verdicts: Verdicts) -> CardAudit:
    """The row of a card, not yet compared with others."""
    can, survived = verdicts.can[index], verdicts.survived[index]
    deals, may = len(can), can >= 0
    shares = (can * may).sum(axis=1) / may.sum(axis=1)
    captains = None if card.not_for_captain else can[np.arange(deals), verdicts.captain[index]]
    lines, tricks = survived[survived >= 0], tricks_of(players)
    random, best, every = (_share(float(number), deals) for number in (shares.sum(), (shares > 0).sum(), (shares == 1).sum()))
    captain = _share(float(captains.sum()), deals) if captains is not None else None
    by_chance = _share(float((lines == tricks).sum()), len(lines)) if len(lines) else None
    return CardAudit(
        card=card.slug,
        group=card.group,
        players=players,
        printed=card.difficulty_for(players, edition),
        deals=deals,
        random=random.share,
        random_low=random.low,
        random_high=random.high,
        best=best.share,
        best_low=best.low,
        best_high=best.high,
        captain=captain.share if captain else None,
        captain_low=captain.low if captain else None,
        captain_high=captain.high if captain else None,
        every=every.share,
        every_low=every.low,
        every_high=every.high,
        effort=float(median(verdicts.nodes[index][may].tolist())),
        survived=float(lines.mean()) / tricks if len(lines) else None,
        tricks_survived=float(lines.mean()) if len(lines) else None,
        by_chance=by_chance.share if by_chance else None,
        by_chance_low=by_chance.low if by_chance else None,
        by_chance_high=by_chance.high if by_chance else None,
        tightness_deals=len(lines),
        redealt=int(verdicts.redealt[index].sum()),
        by=by,
    )


class _Share(NamedTuple):
    share: float
    low: float
    high: float


def _share(number: float, trials: int) -> _Share:
    """A share with its 95% Wilson interval; the number may be a sum of shares, for which the formula holds as well."""
    number = round(number, 9)  # a sum of thirds that should be whole
    return _Share(number / trials, *wilson(number, trials))  # type: ignore[arg-type]


# Comparison with the printed numbers.


def expected_shares(printed: Sequence[int], shares: Sequence[float]) -> dict[int, float]:
    """The share that goes with each printed number: the fit by least squares that never rises with the number.

    Isotonic regression by pooling adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman 1955).
    """
    blocks: list[tuple[float, int, list[int]]] = []  # mean, weight, numbers
    for number in sorted(set(printed)):
        own = [share for other, share in zip(printed, shares, strict=True) if other == number]
        blocks.append((fmean(own), len(own), [number]))
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            (mean, weight, numbers), (later, more, others) = blocks[-2:]
            blocks[-2:] = [((mean * weight + later * more) / (weight + more), weight + more, numbers + others)]
    return {number: mean for mean, _, numbers in blocks for number in numbers}


def compared(rows: Sequence[CardAudit]) -> list[CardAudit]:
    """The rows of one number of players, each compared with the others.

    How far a card is off is the difference between its share and the share that the other cards say goes with its printed
    number. The share is by default that with a random owner: it speaks about all seats and is neither all ones, as the
    best owner's nearly is, nor mostly noughts. A share and not a rank, because many cards are all but always winnable, and
    ranks would make much of differences that are chance. The fit over all numbers and not the mean of each, because some
    numbers are on few cards and a higher one should never go with a higher share. The other cards, because one that is
    the only one with its number would fit itself; a number that no other card has is interpolated.

    To be read with its correlation beside it: where a share hardly follows the printed numbers, the fit is nearly flat, and
    what is off is little more than what has a low share. By measurement the random owner's follows them weakly and the share
    won by chance best of all; but to choose the one that agrees with them most would be to take the numbers' word for it.
    """
    shares: dict[str, float] = {row.card: getattr(row, row.by) for row in rows if getattr(row, row.by) is not None}
    compared: list[CardAudit] = []
    for row in rows:
        others = [other for other in rows if other is not row and other.card in shares]
        if not others or row.card not in shares:
            compared.append(row)
            continue
        own = shares[row.card]
        fit = expected_shares([other.printed for other in others], [shares[other.card] for other in others])
        expected = float(np.interp(row.printed, list(fit), list(fit.values())))
        like = min(fit, key=lambda number: (abs(fit[number] - own), abs(number - row.printed), number))
        compared.append(replace(row, expected=expected, off=own - expected, like=like))
    return compared


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(np.array(values, float), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return [float(rank) for rank in ((last - counts + 1 + last) / 2)[inverse]]


def spearman(one: Sequence[float], other: Sequence[float]) -> tuple[float | None, float, float]:
    """Spearman's rank correlation with ties averaged, and its 95% interval; None when one of them is constant.

    The interval is Fisher's z with the standard error of Bonett and Wright (2000), sqrt((1 + rho**2 / 2) / (n - 3)).
    """
    if len(one) < 2 or len(set(one)) == 1 or len(set(other)) == 1:
        return None, -1.0, 1.0
    rho = float(np.corrcoef(ranks(one), ranks(other))[0, 1])
    rho = max(-1.0, min(1.0, round(rho, 12)))
    if len(one) < 4:
        return rho, -1.0, 1.0
    if abs(rho) == 1:
        return rho, rho, rho
    error = Z95 * sqrt((1 + rho * rho / 2) / (len(one) - 3))
    return rho, tanh(atanh(rho) - error), tanh(atanh(rho) + error)


def correlation(rows: Sequence[CardAudit], players: int, measure: str) -> Correlation:
    """The rank correlation of a measure with the printed numbers, over the cards of this number of players that have it."""
    pairs = [(row.printed, getattr(row, measure)) for row in rows if row.players == players and getattr(row, measure) is not None]
    rho, low, high = spearman([float(printed) for printed, _ in pairs], [float(value) for _, value in pairs])
    return Correlation(players, measure, len(pairs), rho, low, high)


# Pairs.


@dataclass(frozen=True)
class PairAudit:
    """Two cards with one number of players. ``excluded_different`` and ``excluded_one``: proved that they cannot both come true,
    whatever the deal, at two different owners or at one (see exclusions.py).

    ``different`` and ``one``: the share of random deals in which they can both come true, at different owners with the best
    choice of them, and at the best single owner; with 95% Wilson intervals. Nought where that is proved; None where nothing was sampled.
    """

    card: str
    other: str
    players: int
    excluded_different: bool
    excluded_one: bool
    deals: int
    different: float | None = None
    different_low: float | None = None
    different_high: float | None = None
    one: float | None = None
    one_low: float | None = None
    one_high: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The row of the table, ready for ``json.dumps``."""
        return asdict(self)


class _Pairs(NamedTuple):
    """A worker's part of the pairs."""

    rows: tuple[PairAudit, ...]
    deals: int
    seed: int


def audit_pairs(
    players: Sequence[int] = (3, 4, 5),
    deals: int = 0,
    seed: int = 1,
    *,
    task_cards: Sequence[str] = (),
    workers: int | None = None,
    progress: Callable[[AuditProgress], None] | None = None,
) -> list[PairAudit]:
    """All pairs of task cards, for each number of players: which exclude each other, and with ``deals`` how often the others can
    both come true in deals 0 to ``deals - 1`` of ``seed``. With one of ``task_cards`` only the pairs it is in, with several only
    those among them.

    Raises InputError for unknown cards and values out of range.
    """
    if deals < 0:
        raise InputError(f"{deals} deals cannot be counted: deals must be 0 or more")
    wanted = check_audit(players, max(1, deals), seed, task_cards, None, workers)
    slugs = [card.slug for card in load_task_cards()] if len(wanted) == 1 else wanted
    rows = []
    for seats in sorted(set(players)):
        apart, together = (load_exclusions(seats, same_owner=same_owner) for same_owner in (False, True))
        for pair in combinations(slugs, 2):
            if len(wanted) > 1 or wanted[0] in pair:
                rows.append(PairAudit(*pair, seats, frozenset(pair) in apart, frozenset(pair) in together, deals))
    if not deals:
        return rows
    size = max(1, min(20, len(rows) // 50))
    jobs = [_Pairs(tuple(rows[start : start + size]), deals, seed) for start in range(0, len(rows), size)]
    sampled: dict[tuple[str, str, int], PairAudit] = {}
    count_deals(Load(game="deep-sea", task_cards=tuple(slugs[:2])), players[0], 0, 1)  # compiles, before workers are forked
    start = perf_counter()
    for number, part in enumerate(spread(_sample_pairs, jobs, workers or os.cpu_count() or 1), start=1):
        sampled |= {(row.card, row.other, row.players): row for row in part}
        if progress is not None:
            progress(AuditProgress(number, len(jobs), perf_counter() - start))
    return [sampled[row.card, row.other, row.players] for row in rows]


def _sample_pairs(job: _Pairs) -> list[PairAudit]:
    found = []
    for row in job.rows:
        shares: list[_Share] = []
        for excluded, distribution in ((row.excluded_different, "round-robin-with-passing"), (row.excluded_one, "crew-picks-one")):
            load = Load(game="deep-sea", task_cards=(row.card, row.other), distribution=distribution)
            won = 0 if excluded else count_deals(load, row.players, 0, job.deals, seed=job.seed).winnable
            shares.append(_Share(0.0, 0.0, 0.0) if excluded else _share(won, job.deals))
        found.append(
            PairAudit(row.card, row.other, row.players, row.excluded_different, row.excluded_one, job.deals, *shares[0], *shares[1])
        )
    return found


# Text and tables.


def audit_text(audit: Audit) -> str:
    """The audit for people: one table, the cards furthest from their printed number first, the correlations, the outliers."""
    head = (
        "card",
        "players",
        "printed",
        "random",
        "best",
        "captain",
        "every",
        "effort",
        "survived",
        "by chance",
        "expected",
        "off",
        "like",
    )
    rows: list[Sequence[str]] = [head]
    for row in audit.rows:
        shares = (row.random, row.best, row.captain, row.every), (row.survived, row.by_chance, row.expected)
        off = "-" if row.off is None else f"{100 * row.off:+.1f}"
        rows.append(
            (row.card, str(row.players), str(row.printed), *map(percent, shares[0]), f"{row.effort:.0f}", *map(percent, shares[1]), off,
             "-" if row.like is None else str(row.like))
        )  # fmt: skip
    lines = [*table(rows, left=[0]), "", "Rank correlation with the printed number, with its 95% interval:"]
    names = ("players", *(measure.replace("_", " ") for measure in MEASURES))
    players = sorted({row.players for row in audit.rows})
    by_key = {(one.players, one.measure): correlation_text(one) for one in audit.correlations}
    lines += table([names, *((str(seats), *(by_key[seats, measure] for measure in MEASURES)) for seats in players)], left=[])
    for seats in players:
        outliers = [row for row in audit.outliers(seats) if row.off is not None]
        if outliers:
            lines += ["", f"Furthest from the printed number with {seats} players, by {outliers[0].by.replace('_', ' ')}:"]
            lines += table([outlier_cells(row) for row in outliers], left=range(5))
    lines += ["", _how_long(audit)]
    return "\n".join(lines)


def _how_long(audit: Audit) -> str:
    speed = audit.verdicts / audit.seconds if audit.seconds > 0 else 0.0
    return (
        f"{audit.deals:,} deals of seed {audit.seed}, {audit.verdicts:,} seats decided, {audit.by_sat:,} of them by SAT, "
        f"in {audit.seconds:.0f} s ({speed:,.0f}/s, the tightness included)"
    )


def percent(share: float | None) -> str:
    """A share with one decimal; - for none."""
    return "-" if share is None else f"{share:.1%}"


def correlation_text(one: Correlation) -> str:
    """A correlation with its interval."""
    return "-" if one.rho is None else f"{one.rho:+.2f} [{one.low:+.2f}, {one.high:+.2f}]"


def outlier_cells(row: CardAudit) -> tuple[str, ...]:
    """What to say about a card that is off, in cells of a table."""
    off = row.off or 0.0
    says = "easier" if off > 0 else "harder"
    like = "" if row.like in (None, row.printed) else f", like a {row.like}"
    return (
        row.card,
        f"printed {row.printed}",
        f"{row.by.replace('_', ' ')} {percent(getattr(row, row.by))}",
        f"expected {percent(row.expected)}",
        f"{says}{like}",
    )


def pairs_text(rows: Sequence[PairAudit], limit: int = 20) -> str:
    """Pairs for people: how many exclude each other, which, and where it was sampled, those that come true least often."""
    lines: list[str] = []
    counts: list[Sequence[str]] = [("players", "pairs", "exclude each other at different owners", "at one owner", "at both")]
    for seats in sorted({row.players for row in rows}):
        own = [row for row in rows if row.players == seats]
        both = sum(row.excluded_different and row.excluded_one for row in own)
        numbers = (len(own), sum(row.excluded_different for row in own), sum(row.excluded_one for row in own), both)
        counts.append((str(seats), *(f"{number:,}" for number in numbers)))
    lines += table(counts, left=[])
    players_of: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for row in rows:
        for place, excluded in enumerate((row.excluded_different, row.excluded_one)):
            if excluded:
                players_of.setdefault((row.card, row.other), ([], []))[place].append(str(row.players))
    listed: list[Sequence[str]] = [("exclude each other", "", "at different owners", "at one owner")]
    for pair, both_ways in players_of.items():
        listed.append((*pair, *(",".join(numbers) or "-" for numbers in both_ways)))
    if len(listed) > 1:
        lines += ["", *table(listed, left=range(4))]
    apart = [(row.different, row) for row in rows if row.different is not None and not row.excluded_different]
    together = [(row.one, row) for row in rows if row.one is not None and not row.excluded_one]
    for name, sampled in (("different owners", apart), ("one owner", together)):
        if sampled:
            sampled.sort(key=lambda entry: (entry[0], entry[1].card, entry[1].other))
            shown = f"the {limit} rarest of {len(sampled):,}" if len(sampled) > limit else "all"
            lines += ["", f"Winnable together at {name}, best choice, {shown}:"]
            lines += table(
                [(row.card, row.other, f"{row.players} players", percent(share)) for share, row in sampled[:limit]], left=range(3)
            )
    return "\n".join(lines)


def progress_text(progress: AuditProgress) -> str:
    """A progress line: parts done, the time left."""
    done, parts, seconds = progress.done, progress.parts, progress.seconds
    left = f"  {duration(seconds / done * (parts - done))} left" if done else ""
    return f"audit {bar(done, parts)} {done:,}/{parts:,}{left}"


def check_file(path: Path) -> None:
    """Raise InputError unless a file can be written there; leaves nothing behind."""
    if path.exists() and not path.is_file():
        raise InputError(f"cannot write {str(path)!r}: it is no file")
    part = _part_of(path)
    try:
        part.touch()
        part.unlink()
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def _part_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def write_table(rows: Sequence[CardAudit] | Sequence[PairAudit], path: Path, kind: str) -> None:
    """Write the rows as ``kind`` csv or parquet, one column for each field. The file appears when it is complete or not at all.

    Raises InputError where it cannot be written.
    """
    import polars

    types = {int: polars.Int64, float: polars.Float64, bool: polars.Boolean, str: polars.String}
    names = {kind.__name__: column for kind, column in types.items()}
    schema = {field.name: names[str(field.type).removesuffix(" | None")] for field in fields(rows[0])}
    part = _part_of(path)
    try:
        frame = polars.DataFrame([row.to_json() for row in rows], schema=schema)
        if kind == "csv":
            frame.write_csv(part)
        else:
            frame.write_parquet(part)
        part.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)
