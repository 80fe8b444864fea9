"""The search: depth-first over cards, from any point of an attempt, for one legal way to complete all tasks.

One kernel serves three ends. With a small budget and some noise in the card order it *finds* lines (run times
are heavy-tailed, so several short dives beat one long one). Without a budget it *refutes*: every trick boundary
shown to be lost is kept in a table. And at a smaller level it plays a relaxed game, in which the cards of the blank
suits are all alike, any seat that followed a blank suit may win, and tasks in blank suits are dropped; that game has
far fewer situations, and when it is lost, so is the real one.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .bits import lowest, popcount
from .layout import (
    ALL_TASKS,
    ALLOWED,
    BEFORE,
    BEST,
    COMPLETED,
    COUNT,
    COUNT_BITS,
    COUNTED,
    FILLED,
    FREE_TASKS,
    HANDS,
    HELD_BY,
    HOLDER,
    LEADER,
    LINE,
    LINE_LENGTH,
    MAX_SEATS,
    MOVES,
    MUST,
    NEXT,
    OPEN_TASKS,
    OWNERS,
    PLAYED,
    PLAYERS,
    PLY,
    PLY_ROW,
    RANDOM,
    RANK,
    T_COMPLETED,
    T_HELD,
    T_LEADER,
    T_TALLY,
    T_TASKS,
    T_WINNERS,
    TALLY,
    TRICK,
    TRICK_ROW,
    TRICK_ROWS,
    TRICKS,
    WINNER,
    Memory,
)
from .moves import list_moves, plan_trick, takes, wrap
from .table import EXACT, boundary_key, find, is_exact, remember

WON, LOST, OUT_OF_NODES = 1, 0, -1
GUARDS = sum(1 << (COUNT_BITS * seat + COUNT_BITS - 1) for seat in range(MAX_SEATS))
"""The top bit of each packed count: counts stay below 128, so these bits are free for comparisons."""


@njit(cache=True)
def _counts_fit(problem: np.ndarray, tally: int) -> bool:
    """Whether some allowed distribution gives every seat at least ``tally``.

    ``(counts | GUARDS) - tally`` keeps a seat's guard bit exactly when the tally of that seat does not exceed it.
    """
    for place in range(ALLOWED, len(problem)):  # noqa: SIM110
        if ((problem[place] | GUARDS) - tally) & GUARDS == GUARDS:
            return True
    return False


@njit(cache=True)
def _breaks_order(problem: np.ndarray, now: int, left: int, completed: int, counted: bool) -> bool:
    """Whether completing ``now`` in one trick, with ``left`` still open, breaks the order of the tokens."""
    check = now
    while check:
        if problem[BEFORE + lowest(check)] & left:
            return True
        check &= check - 1
    if counted:
        reached = completed + popcount(now)
        check = now | left
        while check:
            rank = problem[RANK + lowest(check)]
            if rank and (completed < rank <= reached) != (now >> lowest(check) & 1 != 0):
                return True
            check &= check - 1
    return False


@njit(cache=True)
def _needs_more_tricks(problem: np.ndarray, work: np.ndarray, tasks: int, tricks: int, players: int) -> bool:
    """Whether the open tasks need more tricks than are left.

    Tasks of one owner whose cards one seat holds need a trick each, and no trick has two winners.
    """
    if popcount(tasks) <= tricks:
        return False
    needed = 0
    for owner in range(players):
        most = 0
        for seat in range(players):
            mine = work[HELD_BY + seat] & tasks
            number = 0
            while mine:
                number += problem[OWNERS + lowest(mine)] == 1 << owner
                mine &= mine - 1
            most = max(most, number)
        needed += most
    return needed > tricks


@njit(cache=True)
def _set_up(problem: np.ndarray, work: np.ndarray, tasks: int, noise: int) -> None:
    """Lay out hands, holders and the current trick, and plan the first ply."""
    players = problem[PLAYERS]
    held = 0
    for seat in range(players):
        cards = problem[HANDS + seat]
        work[HELD_BY + seat] = cards
        held |= cards
        while cards:
            work[HOLDER + lowest(cards)] = seat
            cards &= cards - 1
    best = -1
    winner = -1
    must = (1 << players) - 1
    for turn in range(problem[PLAYED]):
        card = problem[TRICK + turn]
        seat = wrap(problem[LEADER] + turn, players)
        work[LINE + turn] = card
        work[HOLDER + card] = seat
        held |= 1 << card
        if takes(card, best):
            best = card
            winner = seat
        if tasks >> card & 1:
            must &= problem[OWNERS + card]
    work[TRICK_ROWS + T_LEADER] = problem[LEADER]
    work[TRICK_ROWS + T_TASKS] = tasks
    work[TRICK_ROWS + T_TALLY] = problem[TALLY]
    work[TRICK_ROWS + T_COMPLETED] = problem[COMPLETED]
    work[TRICK_ROWS + T_HELD] = held
    ply = PLY + PLY_ROW * problem[PLAYED]
    work[ply + BEST] = best
    work[ply + WINNER] = winner
    work[ply + MUST] = must
    plan_trick(problem, work, 0, players, noise)


@njit(cache=True)
def search(problem: np.ndarray, memory: Memory, level: int, budget: int, noise: int, seed: int) -> tuple[int, int]:
    """Look for plays that complete all open tasks of ``problem`` (see layout).

    ``level``: EXACT, or the set of colours to tell apart; below EXACT a WON is no proof, a LOST still is.
    ``budget``: most cards to place. ``noise``: span of the random part of the card order, drawn from ``seed`` > 0.
    Returns (WON, LOST or OUT_OF_NODES, cards placed). After WON at EXACT, ``memory.work[LINE:]`` holds the
    LINE_LENGTH cards from the start of the current trick to the end of the winning one.
    The table is kept for the next call: see ``forget``.
    """
    work, table, used = memory.work, memory.table, memory.used
    players = problem[PLAYERS]
    played = problem[PLAYED]
    tricks = problem[TRICKS]
    everyone = (1 << players) - 1
    tasks = problem[OPEN_TASKS]
    work[RANDOM] = seed
    work[ALL_TASKS] = tasks
    for suit in range(4):
        if not is_exact(level, suit):
            tasks &= ~(511 << 9 * suit)
    if not tasks:
        work[LINE_LENGTH] = 0
        return WON, 0
    free = problem[FREE_TASKS] & tasks
    counted = problem[COUNTED] != 0 and level == EXACT
    _set_up(problem, work, tasks, noise)
    number = 0
    row = TRICK_ROWS
    turn = played
    depth = played
    ply = PLY + PLY_ROW * depth
    list_moves(problem, work, level, depth, 0, turn, players)
    nodes = 0
    while True:
        if work[ply + NEXT] == work[ply + COUNT]:
            # Every card here loses: back up, first to another winner of the trick before (blank suits only).
            if turn == 0:
                key = boundary_key(work, work[row + T_HELD], level, work[row + T_LEADER], work[row + T_TALLY], players, free)
                remember(work, table, used, key)
                if number == 0:
                    return LOST, nodes
                number -= 1
                row -= TRICK_ROW
                turn = players
            elif number == 0 and turn == played:
                return LOST, nodes
            if turn < players or not work[row + T_WINNERS]:
                turn -= 1
                depth -= 1
                ply -= PLY_ROW
                work[HELD_BY + wrap(work[row + T_LEADER] + turn, players)] |= 1 << work[LINE + depth]
                continue
        else:
            if nodes == budget:
                return OUT_OF_NODES, nodes
            nodes += 1
            card = work[ply + MOVES + work[ply + NEXT]]
            work[ply + NEXT] += 1
            seat = wrap(work[row + T_LEADER] + turn, players)
            work[HELD_BY + seat] ^= 1 << card
            work[LINE + depth] = card
            best = work[ply + BEST]
            winner = work[ply + WINNER]
            must = work[ply + MUST]
            if takes(card, best):
                best = card
                winner = seat
            if work[row + T_TASKS] >> card & 1:
                must &= problem[OWNERS + card]
            turn += 1
            depth += 1
            ply += PLY_ROW
            if turn < players:
                work[ply + BEST] = best
                work[ply + WINNER] = winner
                work[ply + MUST] = must
                list_moves(problem, work, level, depth, number, turn, players)
                continue
            lead = work[LINE + depth - players]
            work[row + T_WINNERS] = 1 << winner & must
            if best < 36 and not is_exact(level, lead // 9):
                followed = 0
                for place in range(players):
                    if work[LINE + depth - players + place] // 9 == lead // 9:
                        followed |= 1 << wrap(work[row + T_LEADER] + place, players)
                work[row + T_WINNERS] = followed & must
        # A full trick lies below ``depth``: take its next possible winner and open the next trick.
        lying = 0
        for place in range(depth - players, depth):
            lying |= 1 << work[LINE + place]
        now = lying & work[row + T_TASKS]
        left = work[row + T_TASKS] & ~now
        held = work[row + T_HELD] & ~lying
        completed = work[row + T_COMPLETED]
        descended = False
        if now and _breaks_order(problem, now, left, completed, counted):
            work[row + T_WINNERS] = 0
        while work[row + T_WINNERS]:
            winner = lowest(work[row + T_WINNERS])
            work[row + T_WINNERS] &= work[row + T_WINNERS] - 1
            tally = work[row + T_TALLY]
            if now & free:
                tally += popcount(now & free) << COUNT_BITS * winner
                if not _counts_fit(problem, tally):
                    continue
            if not left:
                work[LINE_LENGTH] = depth
                return WON, nodes
            if number + 1 == tricks or _needs_more_tricks(problem, work, left, tricks - number - 1, players):
                continue
            if work[FILLED]:
                key = boundary_key(work, held, level, winner, tally, players, free)
                if table[find(table, key)] == key:
                    continue
            number += 1
            row += TRICK_ROW
            work[row + T_LEADER] = winner
            work[row + T_TASKS] = left
            work[row + T_TALLY] = tally
            work[row + T_COMPLETED] = completed + popcount(now)
            work[row + T_HELD] = held
            work[ply + BEST] = -1
            work[ply + WINNER] = -1
            work[ply + MUST] = everyone
            turn = 0
            plan_trick(problem, work, number, players, noise)
            list_moves(problem, work, level, depth, number, 0, players)
            descended = True
            break
        if not descended:
            turn = players - 1
            depth -= 1
            ply -= PLY_ROW
            work[HELD_BY + wrap(work[row + T_LEADER] + turn, players)] |= 1 << work[LINE + depth]


@njit(cache=True)
def dive(problem: np.ndarray, memory: Memory, dives: int, nodes_each: int, noise: int, budget: int, seed: int) -> tuple[int, int]:
    """Search the real game in short attempts, each with other noise, the first with none.

    The attempts share the table of lost boundaries and double in length after every fourth. Returns as ``search``
    does, with the nodes of all attempts, at most ``budget``.
    """
    spent = 0
    status = OUT_OF_NODES
    for attempt in range(dives):
        nodes = min(nodes_each << attempt // 4, budget - spent)
        if nodes <= 0:
            break
        status, used = search(problem, memory, EXACT, nodes, noise if attempt else 0, seed + attempt)
        spent += used
        if status != OUT_OF_NODES:
            break
    return status, spent
