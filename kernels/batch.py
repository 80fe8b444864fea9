"""Deals by the thousand: deal, draw tasks, search in short dives, and write the line down, without leaving the kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from . import layout as at
from .compiled import inner
from .layout import Memory
from .rules import takes, wrap
from .sampling import deal_columns, deal_hands, draw_order, draw_owners, draw_tasks, draw_to_sum
from .search import WON, dive
from .table import forget

CAPTAIN_CARD = 39
AGAINST_CAPTAIN = -4
"""In the conditions of a table: against whoever turns out to be the captain."""
TOKEN_BIT = 48
"""In the cards that a trick of a table has to hold: bit TOKEN_BIT + n for the card of the n-th task drawn."""
SEATS, CAPTAIN, OTHERS, HOLDER_OF = range(4)
"""Who has to fulfil a goal of the crew: a seat of a set, the captain, anyone else, or a seat left of the holder of a card."""
HARDEST, HARDEST_LEFTMOST, HARDEST_ONLY = 1, 2, 3
EXCHANGE, PASS, DRAW_AGAIN = range(3)
"""What becomes of a captain for whom nothing is left that it may take: the last task is exchanged, it passes, or all
tasks are drawn anew."""
SEEDED, FREE = 1, 2
"""Which cards are passed during play: by an order drawn for each deal, or as the crew wants."""
COLUMNS = 14
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
    From ``captain_from`` tasks on the captain has to own one; what becomes of one who cannot says ``stuck`` (EXCHANGE ...),
    and ``passed`` are the counts allowed when it passes. ``hardest``: the captain has to own one of the tasks with
    the highest value that it may own (HARDEST), the first of them, or one of the highest value of all.

    The last goals of start, conditions and any_of are the crew's, a row of ``crew`` each: who has to fulfil it (SEATS ...), the
    seat set or the card, how many seats to the left, and whether it is a role, which goes to a seat of its own.

    ``ends``: the attempt ends with the last task. ``third``: the seat whose hand is columns, or -1. After
    ``pass_after`` tricks (0: never) every seat passes a card ``pass_to`` seats to the left, by ``pass_by`` (SEEDED, FREE).
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
    stuck: int
    passed: np.ndarray
    hardest: int
    crew: np.ndarray
    ends: int
    third: int
    pass_after: int
    pass_to: int
    pass_by: int


class Deals(NamedTuple):
    """What becomes of each deal, a row each: ``status`` and ``nodes`` as ``search`` returns them; ``hands``[5] card sets;
    ``count`` of ``tasks`` (cards, or places in the stack) with their ``owners`` (-1 where not known); ``lines``, every
    card of a whole attempt where the status is WON; ``redealt`` and ``replaced``, how often cards were dealt anew and a
    task was replaced; ``columns`` of the third hand, the open cards and then the hidden ones (-1 where there are none);
    ``orders``, all cards in the order in which they are passed."""

    status: np.ndarray
    nodes: np.ndarray
    hands: np.ndarray
    count: np.ndarray
    tasks: np.ndarray
    owners: np.ndarray
    lines: np.ndarray
    redealt: np.ndarray
    replaced: np.ndarray
    columns: np.ndarray
    orders: np.ndarray


@inner
def _open(hands: np.ndarray, third: int, columns: np.ndarray, card: int) -> None:
    """Turn up the card under ``card``."""
    for place in range(COLUMNS // 2):
        if columns[place] == card:
            under = columns[COLUMNS // 2 + place]
            columns[place] = under
            columns[COLUMNS // 2 + place] = -1
            if under >= 0:
                hands[third] |= 1 << under


@inner
def _pass(hands: np.ndarray, players: int, table: LoadTable, columns: np.ndarray, order: np.ndarray) -> None:
    """Pass the first card of ``order`` from every hand; from columns a hidden one, and what comes lies in its place."""
    going = np.full(players, -1)
    for seat in range(players):
        choices = hands[seat]
        if seat == table.third:
            hidden = 0
            for place in range(COLUMNS // 2, COLUMNS):
                if columns[place] >= 0:
                    hidden |= 1 << columns[place]
            choices = hidden or choices
        for card in order:
            if going[seat] < 0 and choices >> card & 1:
                going[seat] = card
    for seat in range(players):
        card = going[seat]
        came = going[wrap(seat - table.pass_to, players)]
        place = 0
        while seat == table.third and place < COLUMNS and columns[place] != card:
            place += 1
        if seat == table.third and place < COLUMNS:
            columns[place] = came
            if place >= COLUMNS // 2:
                continue
        hands[seat] ^= 1 << card | 1 << came


@njit(cache=True)
def finish_line(
    hands: np.ndarray, players: int, leader: int, line: np.ndarray, known: int, won_by: np.ndarray, table: LoadTable, columns: np.ndarray,
    order: np.ndarray,
) -> None:  # fmt: skip
    """Play ``line`` (``known`` cards) from the start and fill it with any legal cards up to its length.

    ``hands`` are card sets, ``columns`` those of a third hand; both are used up. Cards are passed by ``order``. ``won_by`` gets,
    per card, the seat that won it (-1: nobody).
    """
    won_by[:] = -1
    if table.third >= 0:
        for place in range(COLUMNS // 2, COLUMNS):
            if columns[place] >= 0:
                hands[table.third] ^= 1 << columns[place]
    for first in range(0, len(line), players):
        if table.pass_after and first == table.pass_after * players:
            _pass(hands, players, table, columns, order)
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
            if table.third >= 0:
                _open(hands, table.third, columns, np.int64(line[place]))
        leader = winner


@inner
def captain_of(hands: np.ndarray) -> int:
    """The seat that holds trump 4."""
    captain = 0
    while not hands[captain] >> CAPTAIN_CARD & 1:
        captain += 1
    return captain


@inner
def _legal(table: LoadTable, tasks: np.ndarray, count: int, owners: np.ndarray, captain: int) -> bool:
    """Whether the captain owns no task barred to it, and one of the hardest where that is the rule."""
    for task in range(count):
        if table.barred[tasks[task]] and owners[task] == captain:
            return False
    must = hardest_tasks(table, tasks, count)
    for task in range(count):
        if must >> task & 1 and owners[task] == captain:
            return True
    return must == 0


@inner
def hardest_tasks(table: LoadTable, tasks: np.ndarray, count: int) -> int:
    """The tasks of which the captain has to own one, as a set; empty where there is no such rule."""
    highest = -1
    for task in range(count if table.hardest else 0):
        if table.hardest == HARDEST_ONLY or not table.barred[tasks[task]]:
            highest = max(highest, table.values[tasks[task]])
    must = 0
    for task in range(count if highest >= 0 else 0):
        hardest = table.values[tasks[task]] == highest and not table.barred[tasks[task]]
        if hardest and (not must or table.hardest != HARDEST_LEFTMOST):
            must |= 1 << task
    return must


@inner
def allowed_counts(table: LoadTable, tasks: np.ndarray, count: int, captain: int) -> np.ndarray:
    """The task counts allowed for these tasks, rows of -1 to be ignored."""
    barred = len(table.values) > 0 and table.stuck == PASS and count >= table.captain_from
    for task in range(count):
        barred = barred and table.barred[tasks[task]] != 0
    if barred:
        return table.passed[count - table.fewest, captain]
    return table.allowed[count - table.fewest, captain]


@inner
def _clash(table: LoadTable, tasks: np.ndarray, count: int) -> int:
    """The first task drawn that excludes an earlier one, or the last when none is left for a captain who has to take one;
    -1 when all is well."""
    barred = 0
    for one in range(count):
        barred += table.barred[tasks[one]] != 0
        for other in range(one):
            if table.exclusive[tasks[one], tasks[other]]:
                return one
    return count - 1 if barred == count and count >= table.captain_from and table.stuck == EXCHANGE else -1


@inner
def _cannot_hand_out(table: LoadTable, tasks: np.ndarray, count: int) -> bool:
    """Whether the rules have these tasks drawn anew: the captain may take none, or none of the hardest where that is asked."""
    barred = 0
    for task in range(count):
        barred += table.barred[tasks[task]] != 0
    if table.hardest == HARDEST_ONLY and hardest_tasks(table, tasks, count) == 0:
        return True
    return table.stuck == DRAW_AGAIN and barred == count and count >= table.captain_from


@inner
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
        for place in range(len(table.fixed)):
            tasks[place] = table.fixed[place]
        return True
    stack = np.empty(size, np.int64)
    for again in range(TRIES):
        deals.replaced[row] = 0
        count = draw_to_sum(seed, index, table.values, table.total, stack, tasks, again)
        if count < 0 or count > at.MAX_GOALS - at.MAX_SEATS:
            continue
        deals.count[row] = count
        if table.allowed[count - table.fewest, 0, 0, 0] < 0:
            continue  # nobody may own that many
        if _cannot_hand_out(table, tasks, count):
            continue
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
        if clash >= 0 or _cannot_hand_out(table, tasks, count):
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
    again = np.int64(0)  # no literal, see lay_out
    while True:
        if table.third >= 0:
            deal_columns(seed, index, deck, table.third, deals.hands[row], deals.columns[row], again)
        else:
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
    if table.pass_after:
        draw_order(seed, index, deals.orders[row])
    if count == 0:
        return True
    captain = captain_of(deals.hands[row])
    allowed = allowed_counts(table, deals.tasks[row], count, captain)
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


@inner
def token_card(cards: int, tasks: np.ndarray) -> int:
    """The card set that a table shows by the place of a task: the card of that task."""
    place = 0
    while not cards >> (TOKEN_BIT + place) & 1:
        place += 1
    return 1 << tasks[place]


@inner
def _write_goal(problem: np.ndarray, table: LoadTable, card: int, seats: int, free: bool, captain: int, tasks: np.ndarray) -> None:
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
        if problem[row + at.C_HOLDS] >> TOKEN_BIT:
            problem[row + at.C_HOLDS] = token_card(problem[row + at.C_HOLDS], tasks)
    problem[at.GOALS] = goal + 1
    problem[at.CONDITIONS] = first + number


@inner
def crew_seats(table: LoadTable, goal: int, players: int, captain: int, hands: np.ndarray) -> int:
    """The seats of which one has to fulfil a goal of the crew."""
    who = table.crew[goal, 0]
    everyone = (1 << players) - 1
    if who == SEATS:
        return everyone & table.crew[goal, 1]
    if who == CAPTAIN:
        return 1 << captain
    if who == OTHERS:
        return everyone ^ 1 << captain
    holder = 0
    while not hands[holder] >> table.crew[goal, 1] & 1:
        holder += 1
    return 1 << (holder + table.crew[goal, 2]) % players


@inner
def _write_hands(problem: np.ndarray, table: LoadTable, deals: Deals, row: int) -> None:
    """Write the columns of the third hand, and what is passed during play."""
    problem[at.HASHED] = 1
    for card in range(at.MAX_CARDS):
        problem[at.BENEATH + card] = -1
    if table.third >= 0:
        problem[at.THIRD] = table.third
        for place in range(COLUMNS // 2):
            hidden = deals.columns[row, COLUMNS // 2 + place]
            if hidden >= 0:
                problem[at.BENEATH + deals.columns[row, place]] = hidden
                problem[at.HIDDEN] |= 1 << hidden
    if table.pass_after:
        problem[at.PASS_AFTER] = table.pass_after
        problem[at.PASS_TO] = table.pass_to
        problem[at.PASS_DRAWN] = table.pass_by == FREE
        for place in range(at.MAX_CARDS):
            problem[at.PRIORITY + deals.orders[row, place]] = place


@inner
def write_problem(problem: np.ndarray, players: int, tricks: int, table: LoadTable, random_owners: bool, deals: Deals, row: int) -> None:
    """The problem of a deal from its first card; unused places for allowed distributions get the last one again."""
    captain = captain_of(deals.hands[row])
    count = deals.count[row]
    problem[:] = 0
    problem[at.PLAYERS] = players
    problem[at.LEADER] = captain
    problem[at.TRICKS] = tricks
    problem[at.COUNTED] = table.counted
    problem[at.ENDS] = table.ends
    for seat in range(players):
        problem[at.HANDS + seat] = deals.hands[row, seat]
    if table.third >= 0 or table.pass_after:
        _write_hands(problem, table, deals, row)
    allowed = allowed_counts(table, deals.tasks[row], count, captain)
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
    for task in range(count):
        card = deals.tasks[row, task]
        owner = deals.owners[row, task]
        may = 1 << owner if random_owners else seats
        if len(table.values):
            if table.barred[card]:
                may &= ~(1 << captain)
            _write_goal(problem, table, card, may, not random_owners, captain, deals.tasks[row])
            continue
        problem[at.OPEN_TASKS] |= 1 << card
        problem[at.OWNERS + card] = may
        problem[at.RANK + card] = table.rank[task]
        for other in range(count):
            if table.before[task] >> other & 1:
                problem[at.BEFORE + card] |= 1 << deals.tasks[row, other]
    if table.hardest:
        problem[at.MUST_OWNER] = captain
        problem[at.MUST_OWN] = hardest_tasks(table, deals.tasks[row], count)
    for task in range(count if len(table.values) else 0):
        place = at.GOAL + at.GOAL_ROW * task
        for other in range(count):
            problem[place + at.G_NOT_APART] |= table.exclusive[deals.tasks[row, task], deals.tasks[row, other]] << other
            problem[place + at.G_NOT_TOGETHER] |= table.contrary[deals.tasks[row, task], deals.tasks[row, other]] << other
    first = problem[at.GOALS]
    for goal in range(len(table.crew)):
        card = len(table.start) - 1 - len(table.crew) + goal
        seats = crew_seats(table, goal, players, captain, deals.hands[row])
        _write_goal(problem, table, card, seats, np.bool_(False), captain, deals.tasks[row])  # no literal, see lay_out
        for other in range(len(table.crew) if table.crew[goal, 3] else 0):
            if other != goal and table.crew[other, 3]:
                problem[at.GOAL + at.GOAL_ROW * (first + goal) + at.G_NOT_TOGETHER] |= 1 << first + other
    if not random_owners and not len(table.values):
        problem[at.FREE_TASKS] = problem[at.OPEN_TASKS]


@njit(inline="always")  # a level of its own would compile all below it once more
def search_deal(
    problem: np.ndarray,
    players: int,
    dives: int,
    nodes_each: int,
    noise: int,
    budget: int,
    memory: Memory,
    table: LoadTable,
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
        if table.pass_by == FREE:  # by what the dive has drawn
            for card in range(at.MAX_CARDS):
                place = 0
                for other in range(at.MAX_CARDS):
                    place += problem[at.PRIORITY + other] < problem[at.PRIORITY + card]
                deals.orders[row, place] = card
        hands = deals.hands[row].copy()
        columns = deals.columns[row].copy()
        finish_line(hands, players, captain_of(hands), deals.lines[row], known, won_by, table, columns, deals.orders[row])
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
        if search_deal(problem, players, dives, nodes_each, noise, budget, memory, table, deals, row, won_by) == WON:
            for task in range(deals.count[row]):
                if len(table.values):
                    deals.owners[row, task] = problem[at.GOAL + at.GOAL_ROW * task + at.G_OWNER]
                else:
                    deals.owners[row, task] = won_by[deals.tasks[row, task]]
    return -1
