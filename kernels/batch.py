"""Deals by the thousand: deal, draw tasks, search in short dives, and write the line down, without leaving the kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from . import layout as at
from .layout import Memory
from .rules import takes, wrap
from .sampling import deal_hands, draw_owners, draw_tasks, draw_to_sum
from .search import WON, dive
from .table import forget

CAPTAIN_CARD = 39
AGAINST_CAPTAIN = -4
"""In the conditions of a table: against whoever turns out to be the captain."""
TRIES = 10_000
"""Draws of tasks or owners before a deal counts as impossible."""


class LoadTable(NamedTuple):
    """What is dealt for every deal, as arrays of int64.

    Either ``count`` task cards that show cards, with ``before`` (a set of task numbers) and ``rank`` (absolute token, 0
    none) for the tokens on each in the order drawn, and ``counted`` as in layout; or cards of a stack with goals: drawn
    until their ``values`` sum to ``total``, or with a total of -1 the cards ``fixed``.

    ``allowed``[tasks - fewest, captain, row, seat]: the task counts a distribution allows, rows of -1 to be ignored.
    Card c of the stack has the conditions ``start``[c] to ``start``[c + 1] of ``conditions`` (see layout, the field after
    the last is whether it is special), ``any_of``, and ``barred``: the captain cannot own it. ``redeal`` are pairs of a
    card of the stack and a card set: with it in one hand the deal is thrown in. ``exclusive``[c, d] and
    ``contrary``[c, d]: these cannot both come true at different owners, or at one. Where tasks are so few that they have
    to be at different owners, at most ``apart`` of them, the later one of two that exclude each other is replaced.
    From ``captain_from`` tasks on the captain has to own one. ``hardest``: the captain has to own one of the tasks with
    the highest value.

    The last ``crew`` goals of start, conditions and any_of are the crew's; ``everyone`` says of each whether every seat has
    to fulfil it.
    """

    count: int
    before: np.ndarray
    rank: np.ndarray
    counted: int
    allowed: np.ndarray
    fewest: int
    values: np.ndarray
    total: int
    fixed: np.ndarray
    start: np.ndarray
    conditions: np.ndarray
    any_of: np.ndarray
    barred: np.ndarray
    redeal: np.ndarray
    exclusive: np.ndarray
    contrary: np.ndarray
    apart: int
    captain_from: int
    hardest: int
    crew: int
    everyone: np.ndarray


class Deals(NamedTuple):
    """What becomes of each deal, a row each: ``status`` and ``nodes`` as ``search`` returns them; ``hands``[5] card sets;
    ``count`` of ``tasks`` (cards, or places in the stack) with their ``owners`` (-1 where not known); ``lines``, every
    card of a whole attempt where the status is WON; ``redealt`` and ``replaced``, how often cards were dealt anew and a
    task was replaced."""

    status: np.ndarray
    nodes: np.ndarray
    hands: np.ndarray
    count: np.ndarray
    tasks: np.ndarray
    owners: np.ndarray
    lines: np.ndarray
    redealt: np.ndarray
    replaced: np.ndarray


@njit(cache=True)
def finish_line(hands: np.ndarray, players: int, leader: int, line: np.ndarray, known: int, won_by: np.ndarray) -> None:
    """Play ``line`` (``known`` cards) from the start and fill it with any legal cards up to its length.

    ``hands`` are card sets and are used up; ``won_by`` gets, per card, the seat that won it (-1: nobody).
    """
    won_by[:] = -1
    for first in range(0, len(line), players):
        best = -1
        winner = leader
        for turn in range(players):
            seat = wrap(leader + turn, players)
            place = first + turn
            if place >= known:
                follow = hands[seat] & 511 << np.int64(line[first]) // 9 * 9 if turn else 0
                card = 0
                while not (follow or hands[seat]) >> card & 1:
                    card += 1
                line[place] = card
            card = np.int64(line[place])
            hands[seat] ^= 1 << card
            if takes(card, best):
                best = card
                winner = seat
        for place in range(first, first + players):
            won_by[line[place]] = winner
        leader = winner


@njit(cache=True)
def captain_of(hands: np.ndarray) -> int:
    """The seat that holds trump 4."""
    captain = 0
    while not hands[captain] >> CAPTAIN_CARD & 1:
        captain += 1
    return captain


@njit(cache=True)
def _legal(table: LoadTable, tasks: np.ndarray, count: int, owners: np.ndarray, captain: int) -> bool:
    """Whether the captain owns no task barred to it, and one of the hardest where that is the rule."""
    highest = -1
    for task in range(count):
        if table.barred[tasks[task]]:
            if owners[task] == captain:
                return False
        else:
            highest = max(highest, table.values[tasks[task]])
    if not table.hardest or highest < 0:
        return True
    for task in range(count):  # noqa: SIM110  a generator cannot be compiled
        if owners[task] == captain and table.values[tasks[task]] == highest:
            return True
    return False


@njit(cache=True)
def _clash(table: LoadTable, tasks: np.ndarray, count: int) -> int:
    """The first task drawn that excludes an earlier one, or the last when none is left for a captain who has to take one;
    -1 when all is well."""
    barred = 0
    for one in range(count):
        barred += table.barred[tasks[one]] != 0
        for other in range(one):
            if table.exclusive[tasks[one], tasks[other]]:
                return one
    return count - 1 if barred == count and count >= table.captain_from else -1


@njit(cache=True)
def draw_load(seed: int, index: int, deck: int, table: LoadTable, deals: Deals, row: int) -> bool:
    """Draw the tasks of deal ``index`` into row ``row``, and replace what cannot be: False when no draw succeeds.

    Source: rulebook on feasibility, tasks that exclude each other.
    """
    tasks = deals.tasks[row]
    size = len(table.values)
    if size == 0:
        draw_tasks(seed, index, deck, table.count, tasks)
        deals.count[row] = table.count
        return True
    if table.total < 0:
        deals.count[row] = len(table.fixed)
        tasks[: len(table.fixed)] = table.fixed
        return True
    stack = np.empty(size, np.int64)
    for again in range(TRIES):
        count = draw_to_sum(seed, index, table.values, table.total, stack, tasks, again)
        if count < 0 or count > at.MAX_GOALS - at.MAX_SEATS:
            continue
        deals.count[row] = count
        if table.allowed[count - table.fewest, 0, 0, 0] < 0:
            continue  # nobody may own that many
        # Tasks that have to be at different owners: of two that exclude each other the later one is put back, and
        # the next card of the shuffled stack with the same value takes its place.
        place = 0
        clash = _clash(table, tasks, count) if count <= table.apart else -1
        while clash >= 0 and place < size:
            card = stack[place]
            place += 1
            known = table.values[card] != table.values[tasks[clash]]
            for task in range(count):
                known = known or tasks[task] == card
            if not known:
                tasks[clash] = card
                deals.replaced[row] += 1
                clash = _clash(table, tasks, count)
        if clash >= 0:
            continue
        return True
    return False


@njit(cache=True)
def make_deal(seed: int, index: int, players: int, deck: int, table: LoadTable, random_owners: bool, deals: Deals, row: int) -> bool:
    """Deal number ``index`` of ``seed`` with its tasks and, when drawn, their owners, into row ``row`` of ``deals``.

    Hands that a task calls a redeal are dealt anew. False when tasks or owners cannot be drawn.
    """
    deals.redealt[row] = 0
    deals.replaced[row] = 0
    deals.owners[row] = -1
    if not draw_load(seed, index, deck, table, deals, row):
        return False
    count = deals.count[row]
    again = 0
    while True:
        deal_hands(seed, index, players, deck, deals.hands[row], again)
        thrown_in = False
        for place in range(len(table.redeal)):
            cards = table.redeal[place, 1]
            for task in range(count):
                if deals.tasks[row, task] == table.redeal[place, 0]:
                    for seat in range(players):
                        thrown_in = thrown_in or deals.hands[row, seat] & cards == cards
        if not thrown_in:
            break
        again += 1
    deals.redealt[row] = again
    if count == 0:
        return True
    captain = captain_of(deals.hands[row])
    allowed = table.allowed[count - table.fewest, captain]
    rows = 0
    others = 0
    while rows < len(allowed) and allowed[rows, 0] >= 0:
        for seat in range(players):
            others += seat != captain and allowed[rows, seat] > 0
        rows += 1
    if rows == 0:
        return False
    for task in range(count if len(table.values) else 0):
        if table.barred[deals.tasks[row, task]] and others == 0:
            return False
    if not random_owners:
        return True
    for again in range(TRIES):
        if draw_owners(seed, index, count, allowed[:rows], deals.owners[row], again) and (
            len(table.values) == 0 or _legal(table, deals.tasks[row], count, deals.owners[row], captain)
        ):
            return True
    return False


@njit(cache=True)
def _write_goal(problem: np.ndarray, table: LoadTable, card: int, seats: int, free: bool, captain: int) -> None:
    goal = problem[at.GOALS]
    place = at.GOAL + at.GOAL_ROW * goal
    first = problem[at.CONDITIONS]
    number = table.start[card + 1] - table.start[card]
    problem[place + at.G_FIRST] = first
    problem[place + at.G_NUMBER] = number
    problem[place + at.G_ANY] = table.any_of[card]
    problem[place + at.G_ALL_FIRST] = first
    problem[place + at.G_ALL_NUMBER] = number
    problem[place + at.G_SEATS] = seats
    problem[place + at.G_FREE] = free
    problem[place + at.G_OWNER] = -1
    if seats & (seats - 1) == 0:
        owner = 0
        while not seats >> owner & 1:
            owner += 1
        problem[place + at.G_OWNER] = owner
    for index in range(number):
        row = at.CONDITION + at.CONDITION_ROW * (first + index)
        fields = table.conditions.shape[1]
        for field in range(fields - 1):
            problem[row + field] = table.conditions[table.start[card] + index, field]
        problem[row + at.C_SPECIAL] = table.conditions[table.start[card] + index, fields - 1]
        if problem[row + at.C_AGAINST] == AGAINST_CAPTAIN:
            problem[row + at.C_AGAINST] = captain
    problem[at.GOALS] = goal + 1
    problem[at.CONDITIONS] = first + number


@njit(cache=True)
def write_problem(problem: np.ndarray, players: int, tricks: int, table: LoadTable, random_owners: bool, deals: Deals, row: int) -> None:
    """The problem of a deal from its first card; unused places for allowed distributions get the last one again."""
    captain = captain_of(deals.hands[row])
    count = deals.count[row]
    problem[:] = 0
    problem[at.PLAYERS] = players
    problem[at.LEADER] = captain
    problem[at.TRICKS] = tricks
    problem[at.COUNTED] = table.counted
    everyone = (1 << players) - 1
    for seat in range(players):
        problem[at.HANDS + seat] = deals.hands[row, seat]
    allowed = table.allowed[count - table.fewest, captain]
    seats = 0
    packed = 0
    for place in range(len(allowed)):
        if allowed[place, 0] >= 0:
            packed = 0
            for seat in range(players):
                packed |= allowed[place, seat] << at.COUNT_BITS * seat
                if allowed[place, seat]:
                    seats |= 1 << seat
        if not random_owners:
            problem[at.ALLOWED + place] = packed
    highest = -1
    for task in range(count):
        card = deals.tasks[row, task]
        owner = deals.owners[row, task]
        may = 1 << owner if random_owners else seats
        if len(table.values):
            if table.barred[card]:
                may &= ~(1 << captain)
            elif table.hardest:
                highest = max(highest, table.values[card])
            _write_goal(problem, table, card, may, not random_owners, captain)
            continue
        problem[at.OPEN_TASKS] |= 1 << card
        problem[at.OWNERS + card] = may
        problem[at.RANK + card] = table.rank[task]
        for other in range(count):
            if table.before[task] >> other & 1:
                problem[at.BEFORE + card] |= 1 << deals.tasks[row, other]
    if highest >= 0:
        problem[at.MUST_OWNER] = captain
        for task in range(count):
            if table.values[deals.tasks[row, task]] == highest and not table.barred[deals.tasks[row, task]]:
                problem[at.MUST_OWN] |= 1 << task
    for task in range(count if len(table.values) else 0):
        place = at.GOAL + at.GOAL_ROW * task
        for other in range(count):
            problem[place + at.G_NOT_APART] |= table.exclusive[deals.tasks[row, task], deals.tasks[row, other]] << other
            problem[place + at.G_NOT_TOGETHER] |= table.contrary[deals.tasks[row, task], deals.tasks[row, other]] << other
    for goal in range(table.crew):
        card = len(table.start) - 1 - table.crew + goal
        if table.everyone[goal]:
            for seat in range(players):
                _write_goal(problem, table, card, 1 << seat, False, captain)
        else:
            _write_goal(problem, table, card, everyone, False, captain)
    if not random_owners and not len(table.values):
        problem[at.FREE_TASKS] = problem[at.OPEN_TASKS]


@njit(cache=True)
def search_deal(
    problem: np.ndarray,
    players: int,
    dives: int,
    nodes_each: int,
    noise: int,
    budget: int,
    memory: Memory,
    deals: Deals,
    row: int,
    won_by: np.ndarray,
) -> int:
    """Dive for a deal and note what came of it in its row; returns the status. After WON its line is whole, and ``won_by``
    holds per card the seat that won it (-1: nobody)."""
    forget(memory)
    status, nodes = dive(problem, memory, dives, nodes_each, noise, budget, np.int64(1))  # no literal, see lay_out
    deals.status[row] = status
    deals.nodes[row] = nodes
    if status == WON:
        known = memory.work[at.LINE_LENGTH]
        for place in range(known):
            deals.lines[row, place] = memory.work[at.LINE + place]
        finish_line(deals.hands[row].copy(), players, captain_of(deals.hands[row]), deals.lines[row], known, won_by)
    return status


@njit(cache=True)
def decide_deals(
    seed: int,
    first: int,
    players: int,
    deck: int,
    table: LoadTable,
    random_owners: bool,
    dives: int,
    nodes_each: int,
    noise: int,
    budget: int,
    memory: Memory,
    deals: Deals,
) -> int:
    """Make deals ``first``, ``first + 1``, ... of ``seed`` and search each, filling ``deals``.

    With ``random_owners`` the owners are drawn, else every task is free. Returns -1, or the row of a deal that cannot be made.
    """
    tricks = deals.lines.shape[1] // players
    problem = np.zeros(at.ALLOWED + (1 if random_owners else table.allowed.shape[2]), np.int64)
    won_by = np.zeros(at.MAX_CARDS, np.int64)
    for row in range(len(deals.status)):
        if not make_deal(seed, first + row, players, deck, table, random_owners, deals, row):
            return row
        write_problem(problem, players, tricks, table, random_owners, deals, row)
        if search_deal(problem, players, dives, nodes_each, noise, budget, memory, deals, row, won_by) == WON:
            for task in range(deals.count[row]):
                if len(table.values):
                    deals.owners[row, task] = problem[at.GOAL + at.GOAL_ROW * task + at.G_OWNER]
                else:
                    deals.owners[row, task] = won_by[deals.tasks[row, task]]
    return -1
