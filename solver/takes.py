"""What a deal is worth when cards are taken unseen during play: how often the best plan made without knowing them wins.

A plan is what the crew does before the cards are taken: who owns which task, how the tokens lie, and the cards of the
tricks before. Afterwards everything is known again. Plans come from lines that win for some cards taken; each is tried
on the same random orders, and the best is judged on others, so what it is said to be worth is not too high. A plan that
was not found may still be better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from random import Random

from .cards import FULL_DECK, cards_of
from .errors import InputError
from .intervals import wilson
from .positions import Exchange, Position, Task
from .referee import Referee
from .verdicts import WINNABLE, Verdict, solve

SAMPLES = 100
"""Orders on which a plan is judged; a plan with no more outcomes than that is judged on all of them."""
_TRIALS = 24
"""Orders from which plans come and on which they are compared."""
_PLANS = 6


@dataclass(frozen=True)
class Chance:
    """How often the best plan found wins: of all outcomes when ``exact``, else of a sample, with its 95% interval."""

    share: float
    low: float
    high: float
    exact: bool
    outcomes: int


def chance(position: Position, *, samples: int = SAMPLES, seed: int = 1) -> Chance:
    """How often the position can be won by a plan that does not know the cards taken.

    ``samples`` random orders judge the plan; ``seed`` draws them. Raises InputError when no cards are to be taken any more.
    """
    referee = Referee(unseen(position))
    if not any(exchange.after for exchange in referee.exchanges):
        raise InputError("no cards are to be taken any more in this position: there is nothing to expect")
    random = Random(seed)
    trials = [_order(random) for _ in range(_TRIALS)]
    plans: Counter[Position] = Counter()
    for order in trials:
        verdict = solve(_taken(position, order))
        if verdict.verdict == WINNABLE:
            plans[_plan(position, verdict)] += 1
    best = Counter({plan: sum(_wins(plan, order) for order in trials) for plan, _ in plans.most_common(_PLANS)}).most_common(1)
    if not best:
        return Chance(0.0, *wilson(0, samples), False, samples)
    plan = best[0][0]
    outcomes = _outcomes(plan)
    exact = len(outcomes) <= samples if outcomes is not None else False
    orders = outcomes if exact and outcomes is not None else [_order(random) for _ in range(samples)]
    won = sum(_wins(plan, order) for order in orders)
    low, high = (won / len(orders),) * 2 if exact else wilson(won, len(orders))
    return Chance(won / len(orders), low, high, exact, len(orders))


def unseen(position: Position) -> Position:
    """The position without knowledge of the cards that are taken during play."""
    return replace(position, exchanges=tuple(replace(each, order=()) if each.after else each for each in position.exchanges))


def _order(random: Random) -> tuple[int, ...]:
    return tuple(random.sample(list(cards_of(FULL_DECK)), FULL_DECK.bit_count()))


def _taken(position: Position, order: Sequence[int]) -> Position:
    """The position in which cards are taken in this order."""
    return replace(position, exchanges=tuple(replace(each, order=tuple(order)) if each.after else each for each in position.exchanges))


def _plan(position: Position, verdict: Verdict) -> Position:
    """The position after all that the line of a verdict does before the cards are taken."""
    assert verdict.line is not None
    after = next(exchange.after for exchange in position.exchanges if exchange.after)
    owners = verdict.owners or position.owners
    tokens = verdict.tokens or tuple(task.token for task in position.tasks)
    tasks = tuple(Task(task.card, owner, token) for task, owner, token in zip(position.tasks, owners, tokens, strict=True))
    passed = tuple(Exchange(before, to, cards) for before, to, cards in verdict.passes if before == 0)
    taken = tuple(replace(exchange, order=()) for exchange in position.exchanges if exchange.after)
    moved = None if verdict.moved is None else verdict.moved[:2]
    return replace(position, tasks=tasks, plays=verdict.line[:after], exchanges=(*passed, *taken), moved=moved, setup="")


def _wins(plan: Position, order: Sequence[int]) -> bool:
    return solve(_taken(plan, order)).verdict == WINNABLE


def _outcomes(plan: Position) -> list[tuple[int, ...]] | None:
    """All ways to take a card from each hand, as orders; None when there are too many to list."""
    referee = Referee(plan)
    exchange = referee.exchanges[0]
    choices = [list(cards_of(exchange.choices(hand, referee.hidden))) for hand in referee.hands]
    return list(product(*choices)) if prod(map(len, choices)) <= 100_000 else None
