"""Many near-identical questions about one position: which of its demands can be met together, and in which ways.

One formula, built once, is asked with assumptions (Eén and Sörensson 2003): what the solver learns from one question serves the
next. Where the crew may decide something beforehand, such as how the tokens lie, there is a formula for each way it can.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, NamedTuple

from pysat.examples.hitman import Hitman  # type: ignore[import-untyped]
from pysat.solvers import Solver  # type: ignore[import-untyped]

from .demands import Demands
from .encoding import token_order, ways_to_encode
from .positions import Position
from .referee import Referee, beats
from .sat import SLICE, SOLVER, played_in, solve_slice

CONFLICTS = 20_000
"""Of one question; on random deals few need more than a tenth. Counted like this, answers are the same on every machine."""
FEW_CONFLICTS = 3000
"""Of one question for a single fact, of which there are hundreds: with three players some would take seconds each."""
ROUNDS = 150
"""Questions of a search for a conflict smaller than one that is minimal."""


class Demand(NamedTuple):
    """One demand that a question makes beside the rules of play. Tasks are given by index, tricks by number from 1.

    Demands of positions: ``task`` (``task`` is fulfilled), ``order`` (``task`` is not completed in a later trick than ``other``),
    ``rank`` (``task`` is the open task completed as number ``number``), ``tokens`` (whatever the tokens ask for, where the crew may
    lay them differently), ``goal`` (of the crew, its duty by ``number``), ``distribution`` (of tasks without owner), ``hardest`` (the
    captain owns one of the hardest tasks).

    What else can be asked: ``owner`` (``task`` is fulfilled by seat ``number``), ``trick`` (its card is played in trick
    ``number``), ``with`` (card ``number`` wins the trick with its card), ``before`` (it is completed in an earlier trick than
    ``other``), ``together`` (in the same trick), ``play`` (card ``number`` is played in trick ``other``).
    """

    kind: str
    task: int = -1
    other: int = -1
    number: int = 0


class Trick(NamedTuple):
    """A finished trick: who led, the cards in play order, who won and with which card."""

    leader: int
    cards: tuple[int, ...]
    winner: int
    best: int


@dataclass(frozen=True)
class Attempt:
    """An attempt that meets what was asked: ``position`` is the way that the crew decided, with the plays so far; ``line`` every
    card of every trick, and the same as ``tricks``; ``passes`` the card of each seat in each exchange still to come."""

    position: Position
    line: tuple[int, ...]
    tricks: tuple[Trick, ...]
    passes: tuple[tuple[int, ...], ...]

    def trick_of(self, card: int) -> int:
        """The number of the trick, from 1, in which the card is played; 0 for a card left over."""
        return next((number for number, trick in enumerate(self.tricks, start=1) if card in trick.cards), 0)


def demands_of(position: Position, referee: Referee) -> list[Demand]:
    """The demands of a position that are still open."""
    open_tasks = [index for index, done in enumerate(referee.completed) if done is None]
    demands = [Demand("task", index) for index in open_tasks]
    if position.setup and None in position.owners and not position.plays:
        demands += [Demand("tokens")] if any(task.token for task in position.tasks) else []
    else:
        demands += order_demands(referee)
    demands += [Demand("goal", number=number) for number, duty in enumerate(position.duties) if duty.task < 0]
    if None in position.owners:
        demands.append(Demand("distribution"))
        if position.hardest and all(position.tasks[index].owner != position.captain for index in position.hardest):
            demands.append(Demand("hardest"))
    return demands


def order_demands(referee: Referee) -> list[Demand]:
    """What the tokens of the open tasks ask for."""
    pairs, ranks = token_order(referee)
    orders = [Demand("order", first, second) for first, second in pairs]
    return orders + [Demand("rank", task, number=number) for task, number in ranks]


class _Way:
    """One way in which the crew may decide beforehand, with its formula in a solver."""

    def __init__(self, referee: Referee, one_moves: bool) -> None:
        self.referee, self._one_moves = referee, one_moves
        self.demands = Demands(referee)
        self._solver = Solver(SOLVER, bootstrap_with=self.demands.fresh())

    def close(self) -> None:
        self._solver.delete()

    def literals(self, demand: Demand) -> list[int]:
        demands, tasks, past = self.demands, self.referee.position.tasks, len(self.referee.history)
        kind, task, other, number = demand
        match kind:
            case "task" if self._one_moves:
                return [demands.fulfilled(task, anyone=True), demands.moved()]
            case "task":
                owner = tasks[task].owner
                return [demands.fulfilled(task) if owner is None else demands.owned(task, owner)]
            case "tokens":
                return [literal for order in order_demands(self.referee) for literal in self.literals(order)]
            case "order":
                return [demands.before(task, other)]
            case "rank":
                return [demands.ranked(task, number)]
            case "goal":
                return [demands.crew_goal(number)]
            case "distribution":
                return [demands.handed_out()]
            case "hardest":
                return [demands.hardest()]
            case "owner":
                return [demands.owned(task, number)]
            case "trick":
                return [demands.pool.card(tasks[task].target, number - 1 - past)]
            case "with":
                return [demands.wins_with(number, task)]
            case "before":
                return [demands.well_before(task, other)]
            case "together":
                return [demands.together(task, other)]
            case "play":
                return [demands.pool.card(number, other - 1 - past)]
        raise ValueError(f"unknown demand {kind!r}")

    def ask(self, literals: Sequence[int], conflicts: int) -> bool | None:
        self._solver.append_formula(self.demands.fresh())
        solved: bool | None = None
        for _ in range(0, conflicts, SLICE):
            solved = solve_slice(self._solver, literals)
            if solved is not None:
                break
        return solved

    def core(self) -> set[int]:
        return set(self._solver.get_core() or ())

    def attempt(self) -> Attempt:
        line, passes = played_in(self.referee, self.demands.pool, self._solver.get_model())
        position = self.referee.position
        before = [Trick(leader, cards, winner, _best(cards)) for leader, cards, winner, _ in self.referee.history]
        after = tricks_in(line[len(before) * position.players :], position.players, self.referee.leader)
        return Attempt(position, line, (*before, *after), passes)


def _best(cards: Sequence[int]) -> int:
    best = cards[0]
    for card in cards[1:]:
        best = card if beats(card, best) else best
    return best


def tricks_in(line: Sequence[int], players: int, leader: int) -> Iterator[Trick]:
    """The tricks of a line, every card in play order, from a trick that ``leader`` leads on."""
    for start in range(0, len(line), players):
        cards = tuple(line[start : start + players])
        best = _best(cards)
        winner = (leader + cards.index(best)) % players
        yield Trick(leader, cards, winner, best)
        leader = winner


class Questions:
    """Questions about one position, from where its plays end. Close it, or use it in a ``with``.

    ``demands`` are those of the position that are open, ``unanswered`` the number of questions for which the conflicts did not
    suffice. Raises InputError for illegal plays; asked anything after the plays have lost the mission, ValueError.
    """

    def __init__(self, position: Position) -> None:
        self.position = position
        self.referee = Referee(position)
        self.demands = [] if self.referee.won else demands_of(position, self.referee)
        self.unanswered = 0
        self._alternatives = ways_to_encode(position)
        self._ways: list[_Way] = []
        self._attempts: list[tuple[frozenset[Demand], Attempt]] = []

    def __enter__(self) -> Questions:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for way in self._ways:
            way.close()

    @property
    def decided_beforehand(self) -> bool:
        """Whether the crew has something to decide before the play, so that there are several formulas, or one for many moves."""
        return len(self._alternatives) > 1 or self._alternatives[0][1]

    def _each(self) -> Iterator[_Way]:
        for number, (position, together) in enumerate(self._alternatives):
            if number == len(self._ways):
                self._ways.append(_Way(Referee(position), together))
            yield self._ways[number]

    def ask(self, demands: Iterable[Demand], conflicts: int = CONFLICTS) -> Attempt | Literal[False] | None:
        """An attempt that meets these demands; False when there is none, None when so many conflicts were not enough."""
        answer: Literal[False] | None = False
        for way in self._each():
            solved = way.ask([literal for demand in demands for literal in way.literals(demand)], conflicts)
            if solved:
                return way.attempt()
            if solved is None:
                answer = None
        self.unanswered += answer is None
        return answer

    def can(self, demands: Iterable[Demand], more: Demand) -> bool:
        """Whether these demands can be met and one more, which an attempt found before may show. A question that is not
        answered counts as yes."""
        wanted = frozenset(demands)
        if any(wanted <= met and self._met(more, attempt) for met, attempt in self._attempts):
            return True
        found = self.ask([*wanted, more], FEW_CONFLICTS)
        if isinstance(found, Attempt):
            self._attempts.append((wanted, found))
        return found is not False

    def core(self, demands: Sequence[Demand]) -> list[Demand]:
        """Of demands that cannot all be met, as was just answered, those that the refutations needed."""
        needed: set[Demand] = set()
        for way in self._each():
            core = way.core()
            needed |= {demand for demand in demands if core & set(way.literals(demand))}
        return [demand for demand in demands if demand in needed]

    def conflict(self, demands: Sequence[Demand], given: Sequence[Demand] = ()) -> Conflict | None:
        """A smallest set of these demands that cannot be met together, while those ``given`` are; None when all can be, or
        when that is not known.

        First one that is minimal, by leaving out one after the other; then every smaller candidate has to hit
        all sets of demands of which an attempt is known to miss one (implicit hitting sets, Ignatiev et al. 2015).
        """
        if self.ask([*demands, *given], 10 * CONFLICTS) is not False:  # with fewer demands it is seldom as hard
            return None
        kept, proved, missed = self.core(demands), True, []
        for demand in list(kept):
            if demand not in kept:
                continue
            rest = [other for other in kept if other is not demand]
            found = self.ask([*rest, *given])
            if found is False:
                kept = self.core(rest)
            elif isinstance(found, Attempt):
                missed.append([other for other in demands if other not in rest and not self._met(other, found)])
            else:
                proved = False
        if len(kept) < 2 or not proved:
            return Conflict(tuple(kept), proved, proved and len(kept) < 2)
        with Hitman(bootstrap_with=missed, htype="sorted") as candidates:
            for _ in range(ROUNDS):
                candidate = sorted(candidates.get() or (), key=demands.index)
                if len(candidate) >= len(kept):
                    return Conflict(tuple(kept), True, True)
                found = self.ask([*candidate, *given])
                if found is False:
                    return Conflict(tuple(candidate), True, True)
                if found is None:
                    break
                candidates.hit(self._missed(demands, candidate, given, found))
        return Conflict(tuple(kept), True, False)

    def _missed(self, demands: Sequence[Demand], met: Sequence[Demand], given: Sequence[Demand], found: Attempt) -> list[Demand]:
        """The demands that are left when to those that an attempt meets as many as can be are added, each tried once."""
        together = [demand for demand in demands if demand in met or self._met(demand, found)]
        missed = []
        for demand in demands:
            if demand not in together:
                more = self.ask([*together, demand, *given], conflicts=SLICE)
                if isinstance(more, Attempt):
                    together += [demand, *(other for other in demands if other not in (*together, demand) and self._met(other, more))]
                else:
                    missed.append(demand)
        return [demand for demand in missed if demand not in together]

    def _met(self, demand: Demand, attempt: Attempt) -> bool:
        """Whether the attempt plainly meets the demand: a matter of cards, tricks and winners, not of goals."""
        kind, task, other, number = demand
        if kind == "play":
            return attempt.trick_of(number) == other
        tasks = attempt.position.tasks
        target = tasks[task].target if task >= 0 else -1
        when = attempt.trick_of(target) if target >= 0 else 0
        if not when:
            return False
        trick = attempt.tricks[when - 1]
        return {
            "task": trick.winner == tasks[task].owner,
            "owner": trick.winner == number,
            "order": when <= attempt.trick_of(tasks[other].target),
            "before": when < attempt.trick_of(tasks[other].target),
            "together": when == attempt.trick_of(tasks[other].target),
            "trick": when == number,
            "with": trick.best == number,
        }.get(kind, False)


@dataclass(frozen=True)
class Conflict:
    """Demands that cannot be met together. ``minimal``: proved that any of them left out, the others can be met; ``smallest``:
    proved that no smaller set of demands conflicts."""

    demands: tuple[Demand, ...]
    minimal: bool
    smallest: bool
