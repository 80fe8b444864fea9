"""The SAT opinion on a position: the formula of ``encoding`` is handed to a solver, and its model read as a line of play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Literal

from pysat.solvers import Solver  # type: ignore[import-untyped]

from .cards import cards_of
from .encoding import encode, others, shares
from .play_clauses import exchanges_to_come
from .pool import Pool
from .referee import Referee

SOLVER = "glucose4"
"""By measurement on random deals with 6-10 tasks: MiniSat 2.2 is 10-20% faster on the easy ones, but takes up to twice as
long on the worst 3-player deals; CaDiCaL 1.9.5 is as good on those and 1.5 times slower on the others. On random draws of
Deep Sea task cards it is the same picture: MiniSat 10% faster in the median, CaDiCaL 1.4 times slower but best on the worst."""
SLICE = 500
"""Conflicts between two looks at the clock, some 10-60 ms. Budgets work with every solver of PySAT and
need no timer thread; interrupts exist in only some of them."""
EASY = 4
"""Slices before a formula gets implied clauses that count: those of ``shares`` with goals, else those of ``others``. Of 100
random deals 98 are decided by then, and lose nothing. Of nine slow deals of Deep Sea (0.6 to 12 s) eight get 1.2 to 6 times
faster and one stays as it was, together 23 s become 12 s; a tenth stays beyond 20 s. Without goals they are needed where nearly
all cards are tasks that anyone may own: 34 tasks for four, 35 for three take a quarter of a second instead of minutes."""


@dataclass(frozen=True)
class SatAnswer:
    """What SAT says. For ``winnable``: the ``line``, every card from trick 1 to the last trick, the owner of each task, and
    for each exchange still to come, in order of time, the card that each seat passes."""

    status: Literal["winnable", "unwinnable", "undecided"]
    line: tuple[int, ...] = ()
    owners: tuple[int, ...] = ()
    passes: tuple[tuple[int, ...], ...] = ()


def solve_slice(solver: Solver, assumptions: Sequence[int] = (), conflicts: int = SLICE) -> bool | None:
    """One slice of conflicts; None when it did not suffice. Ctrl-C reaches us as PySAT's own error."""
    solver.conf_budget(conflicts)
    try:
        return solver.solve_limited(assumptions=assumptions)  # type: ignore[no-any-return]
    except Exception as error:
        if "keyboard interrupt" in str(error):
            raise KeyboardInterrupt from None
        raise


def decide(referee: Referee, *, seconds: float | None = None, conflicts: int | None = None, one_moves: bool = False) -> SatAnswer:
    """Decide the position this referee stands in, which is left as it is; with ``one_moves``, where all owners are given, one
    task may belong to another seat.

    ``undecided`` only when ``seconds`` ran out, building the formula included, or so many ``conflicts`` were not enough,
    in whole slices; these are the same on every machine.
    """
    end = None if seconds is None else monotonic() + seconds
    if referee.failure is not None:
        return SatAnswer("unwinnable")
    encoding = encode(referee, one_moves)
    with Solver(name=SOLVER, bootstrap_with=encoding.clauses) as solver:
        solved: bool | None = None
        slices = 0
        while solved is None:
            if (end is not None and monotonic() >= end) or (conflicts is not None and slices * SLICE >= conflicts):
                return SatAnswer("undecided")
            if slices == EASY:
                solver.append_formula((shares if referee.position.duties else others)(referee, encoding.pool))
            solved = solve_slice(solver)
            slices += 1
        return winning(referee, encoding.pool, solver.get_model(), one_moves) if solved else SatAnswer("unwinnable")


def winning(referee: Referee, pool: Pool, model: Sequence[int], one_moves: bool = False) -> SatAnswer:
    """Read the line, the owners and the passes off a model, which lists the variables in order, negated where false."""
    seats = range(referee.position.players)
    line, passes = played_in(referee, pool, model)
    owners = (
        next(seat for seat in seats if model[pool.owner(index, seat) - 1] > 0) if owner is None or one_moves else owner
        for index, owner in enumerate(referee.owners)
    )
    return SatAnswer("winnable", line, tuple(owners), passes)


def played_in(referee: Referee, pool: Pool, model: Sequence[int]) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """The cards of all tricks in a model, those played before included, and for each exchange still to come the card that
    each seat passes."""
    seats = range(referee.position.players)
    line = [*(card for _, cards, _, _ in referee.history for card in cards), *referee.trick]
    hands, leader = list(referee.hands), referee.leader
    passes: list[tuple[int, ...]] = []
    for t in range(pool.tricks):
        for before, exchange in exchanges_to_come(referee):
            if before == t:
                number = len(passes)
                passes.append(tuple(next(card for card in cards_of(hand) if model[pool.passed(card, number) - 1] > 0) for hand in hands))
                for seat, card in enumerate(passes[-1]):
                    hands[seat] ^= 1 << card
                    hands[(seat + exchange.to) % len(seats)] ^= 1 << card
        for turn in range(len(referee.trick) if t == 0 else 0, len(seats)):
            seat = (leader + turn) % len(seats)
            line.append(next(card for card in cards_of(hands[seat]) if model[pool.card(card, t) - 1] > 0))
        leader = next(seat for seat in seats if model[pool.seat(seat, t) - 1] > 0)
    return tuple(line), tuple(passes)
