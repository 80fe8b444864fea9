"""Why a position is lost by numbers alone.

It happens to loads of nearly all cards. Search and SAT find such a thing by trying, which takes longer than anyone waits: in
clauses it is a pigeonhole problem (Haken 1985).
"""

from __future__ import annotations

from .cards import mask_of
from .drafts import Counts
from .referee import Referee


def too_few_tricks(referee: Referee) -> str | None:
    """In words, why the tricks left where the referee stands cannot hold all open tasks that show a card; None where they may.

    A trick holds one card of each seat. So a seat plays no more cards of tasks than tricks are left, and needs a trick for
    each ``players`` tasks or part of them. Owners who are not given are taken as the distribution allows.
    """
    position, left, players = referee.position, referee.tricks_left, referee.position.players
    still_open = [index for index, done in enumerate(referee.completed) if done is None and position.tasks[index].target >= 0]
    if not still_open or referee.failure is not None:
        return None
    targets = mask_of(position.tasks[index].target for index in still_open)
    for seat, hand in enumerate(() if referee.exchanges else referee.hands):
        on_table = sum((referee.leader + turn) % players == seat for turn in range(len(referee.trick)))
        if (held := (hand & targets).bit_count()) > left - on_table:
            return f"seat {seat} holds the cards of {held} tasks and can play only {left - on_table} of them"
    counts = open_counts(referee)
    needed = min((sum(-(-number // players) for number in row) for row in counts.values()), default=0) if counts else 0
    return f"the open tasks need at least {needed} tricks, and {left} are left" if needed > left else None


def open_counts(referee: Referee) -> dict[Counts, Counts] | None:
    """The open tasks that show a card by owner, one entry for each count vector that the distribution allows the tasks without
    owner; None where these do not say it: goals are among them, or seats may take fewer."""
    position, seats = referee.position, range(referee.position.players)
    free = [index for index, owner in enumerate(position.owners) if owner is None]
    rows = position.counts if free else [(0,) * len(seats)]
    if any(position.tasks[index].target < 0 for index in free) or any(sum(counts) != len(free) for counts in rows):
        return None
    by_card = [index for index, task in enumerate(position.tasks) if task.target >= 0]
    given = [sum(position.owners[index] == seat for index in by_card) for seat in seats]
    done = [sum(referee.completed[index] is not None and referee.owners[index] == seat for index in by_card) for seat in seats]
    left = {counts: tuple(given[seat] + counts[seat] - done[seat] for seat in seats) for counts in rows}
    return {counts: row for counts, row in left.items() if min(row) >= 0}
