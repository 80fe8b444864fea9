"""The referee's rules, compiled, on the lines of a whole batch: no line counts that they refuse."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..kernels.batch import AGAINST_CAPTAIN, CAPTAIN, COLUMNS, HOLDER_OF, OTHERS, PASS, TOKEN_BIT
from ..kernels.compiled import inner
from ..kernels.search import WON
from .referee import AGAINST, HOLDS, counts_allowed, fulfilling, play_out, seats_fit, tricks_to_win


@njit(cache=True)
def refuse_lines(deals, players, tokens, table) -> int:  # type: ignore[no-untyped-def]
    """The first deal whose line the referee's rules refuse, or -1: the referee's own functions, compiled."""
    for row in range(len(deals.status)):
        if deals.status[row] == WON and not _accepts(deals, row, players, tokens, table):
            return row
    return -1


@inner
def _accepts(deals, row, players, tokens, table) -> bool:  # type: ignore[no-untyped-def]
    with_cards = len(table.values) == 0  # tasks that show the card to be won
    hands = deals.hands[row, :players].copy()
    captain = 0
    while not hands[captain] >> 39 & 1:
        captain += 1
    count = deals.count[row]
    tasks = deals.tasks[row, :count]
    owners = deals.owners[row, :count]
    line = deals.lines[row]
    total = len(line) // players
    notes = np.zeros((3, total), np.int64)
    leaders, winners, led_from = notes[0], notes[1], notes[2]
    columns = deals.columns[row].reshape(2, COLUMNS // 2).T[: COLUMNS // 2 if table.third >= 0 else 0].copy()
    if not play_out(hands, columns, table.pass_after, table.pass_to, deals.orders[row], captain, line, leaders, winners, led_from):
        return False
    won_after = tricks_to_win(players, winners, line, tasks if with_cards else np.full(count, -1), owners, tokens)
    if won_after < 0 or not _owners_allowed(deals, row, captain, table):
        return False
    if with_cards and len(table.crew) == 0:
        return True
    conditions = table.conditions.copy()
    for place in range(len(conditions)):
        if conditions[place, AGAINST] == AGAINST_CAPTAIN:
            conditions[place, AGAINST] = captain
        for task in range(count):
            if conditions[place, HOLDS] == 1 << (TOKEN_BIT + task):
                conditions[place, HOLDS] = 1 << tasks[task]
    for task in range(0 if with_cards else count):
        card = tasks[task]
        rows = conditions[table.start[card] : table.start[card + 1]]
        if not fulfilling(rows, table.any_of[card], 1 << owners[task], leaders, winners, led_from, line, players, total):
            return False
    for end in range(won_after if table.ends else total, total + 1):
        if _crew_content(deals.hands[row], captain, table, conditions, leaders, winners, led_from, line, players, end):
            return True
    return False


@inner
def _owners_allowed(deals, row, captain, table) -> bool:  # type: ignore[no-untyped-def]
    """Whether the distribution gives the tasks to their owners, and the captain what it may and must take."""
    count = deals.count[row]
    tasks = deals.tasks[row, :count]
    owners = deals.owners[row, :count]
    barred = 0
    for task in range(count if len(table.values) else 0):
        if table.barred[tasks[task]]:
            barred += 1
            if owners[task] == captain:
                return False
    passes = table.stuck == PASS and count > 0 and barred == count and count >= table.captain_from
    allowed = (table.passed if passes else table.allowed)[count - table.fewest, captain]
    rows = 0
    while rows < len(allowed) and allowed[rows, 0] >= 0:
        rows += 1
    if count and not counts_allowed(owners, allowed[:rows]):
        return False
    if not table.hardest or barred == count:
        return True
    best = -1
    for task in range(count):
        if table.hardest == 3 or not table.barred[tasks[task]]:
            best = max(best, table.values[tasks[task]])
    for task in range(count):
        if table.values[tasks[task]] == best and not table.barred[tasks[task]]:
            if owners[task] == captain:
                return True
            if table.hardest == 2:  # only the first of them will do
                return False
    return False


@inner
def _crew_content(hands, captain, table, conditions, leaders, winners, led_from, line, players, end) -> bool:  # type: ignore[no-untyped-def]
    """Whether the goals of the crew hold, if the attempt ends after so many tricks, the roles at different seats."""
    roles = np.zeros(len(table.crew), np.int64)
    number = 0
    for goal in range(len(table.crew)):
        card = len(table.start) - 1 - len(table.crew) + goal
        who = table.crew[goal, 0]
        seats = table.crew[goal, 1]
        if who == CAPTAIN:
            seats = 1 << captain
        elif who == OTHERS:
            seats = ((1 << players) - 1) ^ 1 << captain
        elif who == HOLDER_OF:
            for seat in range(players):
                if hands[seat] >> table.crew[goal, 1] & 1:
                    seats = 1 << (seat + table.crew[goal, 2]) % players
        rows = conditions[table.start[card] : table.start[card + 1]]
        fulfil = fulfilling(rows, table.any_of[card], seats, leaders, winners, led_from, line, players, end)
        if not fulfil:
            return False
        if table.crew[goal, 3]:
            roles[number] = fulfil
            number += 1
    return seats_fit(roles[:number])
