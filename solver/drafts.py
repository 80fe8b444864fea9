"""Who may own which task: the ways a mission hands out its task cards, as task counts per seat.

A *distribution* is a mission's rule for handing tasks out. For card tasks only the number of tasks per seat
matters, so a rule is the list of count vectors it allows. A *draft* says what a verdict does with the freedom
that is left: ``best`` uses any allowed distribution, ``random`` draws one uniformly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from .errors import InputError

DISTRIBUTIONS = ("round-robin", "captain-decision", "captain-distribution")
DRAFTS = ("best", "random")

Counts = tuple[int, ...]
"""Number of tasks of each seat, seat 0 first."""


def check_draft(draft: str) -> None:
    """Raise InputError unless this is a draft."""
    if draft not in DRAFTS:
        raise InputError(f"unknown draft {draft!r}: it is one of {', '.join(DRAFTS)}")


def check_distribution(distribution: str) -> None:
    """Raise InputError unless this is a distribution."""
    if distribution not in DISTRIBUTIONS:
        raise InputError(f"unknown distribution {distribution!r}: it is one of {', '.join(DISTRIBUTIONS)}")


def allowed_counts(distribution: str, tasks: int, players: int, captain: int) -> list[Counts]:
    """All task counts per seat that a distribution allows, without repetition.

    ``round-robin``: from the captain clockwise, one card each, no passing. ``captain-decision``: every task
    goes to one seat that is not the captain. ``captain-distribution``: any seats, counts differ by at most one.

    Every vector of one distribution can be reached by equally many assignments of distinct tasks, so a
    uniformly random distribution is a uniformly random vector followed by a uniformly random assignment.

    Raises InputError for an unknown distribution.
    """
    check_distribution(distribution)
    base, extra = divmod(tasks, players)
    if distribution == "round-robin":
        return [tuple(base + ((seat - captain) % players < extra) for seat in range(players))]
    if distribution == "captain-decision":
        if tasks == 0:
            return [(0,) * players]
        others = [seat for seat in range(players) if seat != captain]
        return [tuple(tasks * (seat == owner) for seat in range(players)) for owner in others]
    return [tuple(base + (seat in more) for seat in range(players)) for more in combinations(range(players), extra)]


def remaining_counts(allowed: Sequence[Counts], owners: Sequence[int | None]) -> list[Counts]:
    """What is left of the allowed counts for the tasks without an owner (None in ``owners``).

    An empty list means that no allowed distribution gives these tasks to these owners.
    """
    left = []
    for counts in allowed:
        rest = list(counts)
        for owner in owners:
            if owner is not None:
                rest[owner] -= 1
        if min(rest) >= 0:
            left.append(tuple(rest))
    return left
