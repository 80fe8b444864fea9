"""Walks the referee through every way to play on, so that the enumeration has something to be compared with."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from deepcrew.solver.cards import cards_of
from deepcrew.solver.positions import Exchange, Position
from deepcrew.solver.referee import Referee


def after(table: Referee, card: int) -> Referee:
    """A copy of the referee, one card later."""
    later = copy.copy(table)
    for name, value in vars(table).items():
        if isinstance(value, list):
            setattr(later, name, [list(item) if isinstance(item, list) else item for item in value])
    later.play(card)
    return later


def told(table: Referee) -> Iterator[Referee]:
    """The referees for every choice of cards to pass, where the referee waits to hear which."""
    due = table.exchanges[0]
    if due.after:
        plays = tuple(cards for _, cards, _, _ in table.history)
        dealt = replace(table.position, plays=plays)
    else:
        dealt = table.position
    for order in product(*(cards_of(due.choices(hand, table.hidden)) for hand in table.hands)):
        said = tuple(Exchange(due.after, due.to, order) if each == due else each for each in dealt.exchanges)
        yield Referee(replace(dealt, exchanges=said))


def reachable(table: Referee) -> bool:
    """Whether some legal continuation wins, by walking the referee."""
    if table.won or table.failure is not None:
        return table.won
    if table.waiting:
        return any(reachable(later) for later in told(table))
    return any(reachable(after(table, card)) for card in table.legal_plays())


def winnable(position: Position) -> bool:
    """Whether the referee finds a way to win, whatever the crew may decide before trick 1."""
    return any(reachable(Referee(way)) for way in position.alternatives())
