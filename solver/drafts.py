"""Who may own which task: the ways a mission hands out its task cards, as task counts per seat.

A *distribution* is a mission's rule for handing tasks out. Which tasks a seat takes is free but for two rules that the
position knows (the captain takes no comparison with the captain, or has to begin with the hardest task); so a
distribution is the list of count vectors it allows. A *draft* says what a verdict does with the freedom that is left:
``best`` uses any allowed distribution, ``random`` draws one uniformly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

from .errors import InputError

PLANET_NINE = ("round-robin", "captain-decision", "captain-distribution")
DEEP_SEA = (
    "round-robin-with-passing",
    "free",
    "crew-picks-one",
    "captain-all-or-pass-all",
    "one-volunteer",
    "two-volunteers",
    "captain-hardest-first",
    "captain-hardest-leftmost",
    "captain-hardest-only",
    "captain-excluded",
)
DISTRIBUTIONS = (*PLANET_NINE, *DEEP_SEA)
DRAFTS = ("best", "random")

Counts = tuple[int, ...]
"""Number of tasks of each seat, seat 0 first."""


def default_distribution(game: str) -> str:
    """The usual distribution of a game."""
    return DEEP_SEA[0] if game == "deep-sea" else PLANET_NINE[0]


def hardest_first(distribution: str) -> bool:
    """Whether the captain has to begin with the hardest task."""
    return distribution.startswith("captain-hardest-")


def check_draft(draft: str) -> None:
    """Raise InputError unless this is a draft."""
    if draft not in DRAFTS:
        raise InputError(f"unknown draft {draft!r}: it is one of {', '.join(DRAFTS)}")


def check_distribution(distribution: str, game: str | None = None) -> None:
    """Raise InputError unless this is a distribution, of this game if one is named."""
    known = {None: DISTRIBUTIONS, "planet-nine": PLANET_NINE, "deep-sea": DEEP_SEA}.get(game, DISTRIBUTIONS)
    if distribution not in known:
        raise InputError(f"unknown distribution {distribution!r}{f' of {game}' if game else ''}: it is one of {', '.join(known)}")


def allowed_counts(distribution: str, tasks: int, players: int, captain: int) -> list[Counts]:
    """All task counts per seat that a distribution allows, without repetition: a seat takes at most so many, and
    together they take all tasks.

    ``round-robin``: from the captain clockwise, one card each, no passing. ``captain-decision``: every task
    goes to one seat that is not the captain. ``captain-distribution``: any seats, counts differ by at most one.
    ``round-robin-with-passing``: round robin, but with fewer tasks than seats anybody may pass, and takes one at most;
    ``captain-hardest-first``: the same, but the captain does not pass and takes one of the hardest that it may take;
    ``captain-hardest-leftmost``: of these the one drawn first; ``captain-hardest-only``: one of the hardest of all, which
    may be none that it may take. ``captain-excluded``: the same among the others,
    from the captain's left. ``free``: anything. ``crew-picks-one``, ``captain-all-or-pass-all``, ``one-volunteer``: every
    task goes to one seat. ``two-volunteers``: to two seats, each at least one.

    Every vector of one distribution can be reached by equally many assignments of distinct tasks, so a
    uniformly random distribution is a uniformly random vector followed by a uniformly random assignment.

    Raises InputError for an unknown distribution.
    """
    check_distribution(distribution)
    everyone = range(players)
    others = [seat for seat in everyone if seat != captain]

    def turns(choosers: Sequence[int]) -> Counts:
        base, extra = divmod(tasks, len(choosers))
        return tuple(base + (choosers.index(seat) < extra) if seat in choosers else 0 for seat in everyone)

    clockwise = [(captain + place) % players for place in everyone]
    if tasks == 0:
        return [(0,) * players]
    if distribution == "round-robin":
        return [turns(clockwise)]
    if distribution == "captain-distribution":
        base, extra = divmod(tasks, players)
        return [tuple(base + (seat in more) for seat in everyone) for more in combinations(everyone, extra)]
    if distribution in ("round-robin-with-passing", "captain-excluded") or hardest_first(distribution):
        choosers = clockwise[1:] if distribution == "captain-excluded" else clockwise
        if tasks >= len(choosers):
            return [turns(choosers)]
        takers = combinations(sorted(choosers), tasks)
        return [tuple(int(seat in some) for seat in everyone) for some in takers if captain in some or not hardest_first(distribution)]
    if distribution == "free":
        return [(tasks,) * players]
    if distribution == "two-volunteers":
        return [tuple((tasks - 1) * (seat in pair) for seat in everyone) for pair in combinations(everyone, 2)] if tasks > 1 else []
    return [tuple(tasks * (seat == owner) for seat in everyone) for owner in (others if distribution == "captain-decision" else everyone)]


def with_one_move(allowed: Sequence[Counts]) -> list[Counts]:
    """The task counts reached from these when one task may then move to another seat; each once, those without a move first.

    Whoever takes a task from a seat that owns as many as the counts say can give it back, so every assignment with the
    new counts comes from one with the old counts by one move. Source: five-player rule of Planet Nine.
    """
    reached = dict.fromkeys(allowed)
    for counts in allowed:
        for giver, taker in permutations(range(len(counts)), 2):
            if counts[giver]:
                reached[tuple(count - (seat == giver) + (seat == taker) for seat, count in enumerate(counts))] = None
    return list(reached)


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
