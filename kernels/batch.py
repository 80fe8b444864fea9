"""Deals by the thousand: deal, draw tasks, search in short dives, and write the line down, without leaving the kernel."""

from __future__ import annotations

import numpy as np
from numba import njit

from . import layout as at
from .layout import Memory
from .rules import takes, wrap
from .sampling import deal_hands, draw_owners, draw_tasks
from .search import WON, dive
from .table import forget

CAPTAIN_CARD = 39


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
def decide_deals(
    seed: int,
    first: int,
    players: int,
    deck: int,
    before: np.ndarray,
    rank: np.ndarray,
    counted: int,
    allowed: np.ndarray,
    random_owners: bool,
    dives: int,
    nodes_each: int,
    noise: int,
    budget: int,
    memory: Memory,
    status: np.ndarray,
    nodes: np.ndarray,
    hands: np.ndarray,
    tasks: np.ndarray,
    owners: np.ndarray,
    lines: np.ndarray,
) -> None:
    """Make deals ``first``, ``first + 1``, ... of ``seed`` and search each; the arrays to fill have a row per deal.

    ``before`` (a set of task numbers) and ``rank`` (absolute token, 0 none) say what the tokens ask of each task, in the
    order drawn; ``counted`` as in layout. ``allowed``[captain, row, seat]: the task counts that a distribution allows.
    With ``random_owners`` the owners are drawn, else every task is free.
    Filled: ``status`` and ``nodes`` as ``search`` returns them, ``hands``[5] card sets, ``tasks`` cards and ``owners`` (-1 where not
    known), ``lines`` every card of a whole attempt where the status is WON.
    """
    count = len(before)
    rows = allowed.shape[1]
    problem = np.zeros(at.ALLOWED + (1 if random_owners else rows), np.int64)
    played_out = np.zeros(at.MAX_SEATS, np.int64)
    won_by = np.zeros(at.MAX_CARDS, np.int64)
    for index in range(len(status)):
        deal_hands(seed, first + index, players, deck, hands[index])
        draw_tasks(seed, first + index, deck, count, tasks[index])
        captain = 0
        while not hands[index, captain] >> CAPTAIN_CARD & 1:
            captain += 1
        problem[: at.ALLOWED] = 0
        problem[at.PLAYERS] = players
        problem[at.LEADER] = captain
        problem[at.TRICKS] = lines.shape[1] // players
        problem[at.COUNTED] = counted
        for seat in range(players):
            problem[at.HANDS + seat] = hands[index, seat]
        for task in range(count):
            problem[at.OPEN_TASKS] |= 1 << tasks[index, task]
        if random_owners:
            draw_owners(seed, first + index, count, allowed[captain], owners[index])
        else:
            owners[index] = -1
            problem[at.FREE_TASKS] = problem[at.OPEN_TASKS]
            seats = 0
            for row in range(rows):
                packed = 0
                for seat in range(players):
                    packed |= allowed[captain, row, seat] << at.COUNT_BITS * seat
                    if allowed[captain, row, seat]:
                        seats |= 1 << seat
                problem[at.ALLOWED + row] = packed
        for task in range(count):
            card = tasks[index, task]
            problem[at.OWNERS + card] = 1 << owners[index, task] if random_owners else seats
            problem[at.RANK + card] = rank[task]
            for other in range(count):
                if before[task] >> other & 1:
                    problem[at.BEFORE + card] |= 1 << tasks[index, other]
        forget(memory)
        status[index], nodes[index] = dive(problem, memory, dives, nodes_each, noise, budget, 1)
        if status[index] == WON:
            known = memory.work[at.LINE_LENGTH]
            for place in range(known):
                lines[index, place] = memory.work[at.LINE + place]
            played_out[:] = hands[index]
            finish_line(played_out, players, captain, lines[index], known, won_by)
            for task in range(count):
                owners[index, task] = won_by[tasks[index, task]]
