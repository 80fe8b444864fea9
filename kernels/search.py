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
from .compiled import inner
from .goals import DEAD, OPEN, SAFE, assess, card_kinds, count_trick, goals_hold_now, goals_key
from .layout import (
    ALL_TASKS,
    BEFORE,
    BENEATH,
    BEST,
    C_TALLY,
    COMPLETED,
    CONDITION,
    CONDITION_ROW,
    CONDITIONS,
    COUNT,
    COUNT_BITS,
    COUNTED,
    ENDS,
    FILLED,
    FREE_TASKS,
    GOAL_ROWS,
    GOALS,
    HANDS,
    HASHED,
    HELD_BY,
    HIDDEN,
    HOLDER,
    LATER,
    LEADER,
    LINE,
    LINE_LENGTH,
    MAX_CARDS,
    MOVES,
    MUST,
    NEXT,
    OPEN_TASKS,
    OWNERS,
    PASS_AFTER,
    PASS_DRAWN,
    PASS_NOW,
    PLAYED,
    PLAYERS,
    PLY,
    PLY_ROW,
    RANDOM,
    RANK,
    T_APART,
    T_BROKEN,
    T_COMPLETED,
    T_HELD,
    T_HIDDEN,
    T_LEADER,
    T_MASK,
    T_MAY,
    T_SAFE,
    T_TAKEN,
    T_TALLIES,
    T_TALLY,
    T_TASKS,
    T_WINNERS,
    T_WON,
    TAKEN_BEFORE,
    TALLY,
    TRICK,
    TRICK_GOAL_ROW,
    TRICK_ROW,
    TRICK_ROWS,
    TRICKS,
    UNDER,
    WEIGHTS,
    WINNER,
    WON_BEFORE,
    Memory,
)
from .moves import list_moves, plan_trick
from .owners import FOUND, NONE, blame, counts_fit, draw, guess_fits, undo
from .passes import draw_passes, opened, pass_later, take_back, undo_passes, with_hidden
from .rules import takes, wrap
from .table import EXACT, boundary_key, find, forget, is_exact, remember
from .wants import BLAME, DRAW_NOISE, GROWTH, take_aim

WON, LOST, OUT_OF_NODES = 1, 0, -1


@inner
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


@inner
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


@inner
def _apart(problem: np.ndarray, work: np.ndarray, hidden: int, number: int) -> int:
    """The cards that equal no neighbour before trick ``number``: those under which one lies, and all while hands may change."""
    if number < problem[PASS_AFTER]:
        return -1
    cards = 0
    for card in range(MAX_CARDS if hidden else 0):
        if work[UNDER + card] >= 0:
            cards |= 1 << card
    return cards


@inner
def lay_out(problem: np.ndarray, work: np.ndarray, tasks: int) -> int:
    """Lay out hands, holders, the current trick and what was won before; returns how the goals stand (see ``assess``)."""
    players = problem[PLAYERS]
    held = np.int64(0)
    hidden = problem[HIDDEN]
    for seat in range(players):
        cards = problem[HANDS + seat]
        work[HELD_BY + seat] = cards & ~hidden
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
        work[HELD_BY + seat] |= 1 << card
    work[LATER] = -1
    for card in range(MAX_CARDS if problem[HASHED] else 0):
        work[UNDER + card] = problem[BENEATH + card]
    work[TRICK_ROWS + T_HIDDEN] = hidden
    work[TRICK_ROWS + T_APART] = _apart(problem, work, hidden, np.int64(0))
    work[TRICK_ROWS + T_LEADER] = problem[LEADER]
    work[TRICK_ROWS + T_TASKS] = tasks
    work[TRICK_ROWS + T_TALLY] = problem[TALLY]
    work[TRICK_ROWS + T_COMPLETED] = problem[COMPLETED]
    work[TRICK_ROWS + T_HELD] = held
    state = SAFE
    if problem[GOALS]:
        for seat in range(players):
            work[GOAL_ROWS + T_WON + seat] = problem[WON_BEFORE + seat]
            work[GOAL_ROWS + T_TAKEN + seat] = problem[TAKEN_BEFORE + seat]
        for index in range(problem[CONDITIONS]):
            work[GOAL_ROWS + T_TALLIES + index] = problem[CONDITION + CONDITION_ROW * index + C_TALLY]
        work[GOAL_ROWS + T_SAFE] = 0
        work[GOAL_ROWS + T_BROKEN] = 0
        trick = np.int64(0)  # not a literal, for which numba would compile everything below once more
        with_hidden(problem, work, hidden)
        state = assess(problem, work, trick, problem[TRICKS], held, players)
        with_hidden(problem, work, hidden)
        must &= work[GOAL_ROWS + T_MAY]
    for turn in range(problem[PLAYED]):
        card = problem[TRICK + turn]
        work[HELD_BY + wrap(problem[LEADER] + turn, players)] ^= 1 << card
        if problem[GOALS]:
            must &= work[GOAL_ROWS + T_MASK + card]
    ply = PLY + PLY_ROW * problem[PLAYED]
    work[ply + BEST] = best
    work[ply + WINNER] = winner
    work[ply + MUST] = must
    return state


@inner
def _step_on(problem: np.ndarray, work: np.ndarray, number: int, left: int, lying: int, held: int, players: int) -> int:
    """From the end of a trick, whose cards are ``lying``, to the start of trick ``number``: columns open, cards are passed, and
    the goals are assessed; returns how they stand. ``_step_back`` undoes it, but for the assessment."""
    row = TRICK_ROWS + TRICK_ROW * number
    hidden = work[row - TRICK_ROW + T_HIDDEN]  # 0 unless the problem is hashed, see lay_out
    if problem[HASHED]:
        if hidden:
            cards = opened(work, lying, hidden)
            hidden ^= cards
            with_hidden(problem, work, cards)
        if number == problem[PASS_AFTER]:
            passed = pass_later(problem, work, hidden, players)
            if passed < 0:
                work[row + T_HIDDEN] = hidden
                return DEAD
            hidden = passed
        work[row + T_APART] = _apart(problem, work, hidden, number)
    work[row + T_HIDDEN] = hidden
    if not problem[GOALS]:
        return OPEN if work[row + T_TASKS] else SAFE
    with_hidden(problem, work, hidden)
    state = assess(problem, work, number, left, held, players)
    with_hidden(problem, work, hidden)
    return state


@inner
def _step_back(problem: np.ndarray, work: np.ndarray, number: int, players: int) -> None:
    """From the start of trick ``number`` back to the end of the one before: take back what was passed, close what opened."""
    if not problem[HASHED]:
        return
    row = TRICK_ROWS + TRICK_ROW * number
    hidden = work[row + T_HIDDEN]
    if number == problem[PASS_AFTER] and work[LATER] >= 0:
        hidden = take_back(problem, work, hidden, players)
    with_hidden(problem, work, work[row - TRICK_ROW + T_HIDDEN] ^ hidden)


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
    if problem[HASHED] and level != EXACT:
        return OUT_OF_NODES, 0  # blank suits know no columns and no passes
    with_goals = problem[GOALS] != 0
    hashed = with_goals or problem[HASHED] != 0
    if not tasks and not with_goals:
        work[LINE_LENGTH] = 0
        return WON, 0
    free = problem[FREE_TASKS] & tasks
    counted = problem[COUNTED] != 0 and level == EXACT
    state = lay_out(problem, work, tasks)
    if state == DEAD:
        return LOST, 0
    if state == SAFE and not tasks:
        work[LINE_LENGTH] = played
        return WON, 0
    if with_goals:
        card_kinds(problem, work)
        take_aim(problem, work, players, noise)
    number = np.int64(0)
    plan_trick(problem, work, number, players, noise)
    row = TRICK_ROWS
    turn = played
    depth = played
    ply = PLY + PLY_ROW * depth
    list_moves(problem, work, level, depth, number, turn, players)
    nodes = 0
    while True:
        if work[ply + NEXT] == work[ply + COUNT]:
            # Every card here loses: back up, first to another winner of the trick before (blank suits only).
            if turn == 0:
                if hashed:
                    key = goals_key(problem, work, number, work[row + T_HELD], work[row + T_LEADER], work[row + T_TALLY], players)
                else:
                    key = boundary_key(work, work[row + T_HELD], level, work[row + T_LEADER], work[row + T_TALLY], players, free)
                remember(work, table, used, key)
                if number == 0:
                    return LOST, nodes
                if hashed:
                    _step_back(problem, work, number, players)
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
            if with_goals:
                must &= work[GOAL_ROWS + TRICK_GOAL_ROW * number + T_MASK + card]
            elif work[row + T_TASKS] >> card & 1:
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
        lying = np.int64(0)
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
                if not counts_fit(problem, tally):
                    continue
            following = row + TRICK_ROW
            work[following + T_APART] = 0
            work[following + T_LEADER] = winner
            work[following + T_TASKS] = left
            work[following + T_HELD] = held
            state = SAFE
            if with_goals:
                count_trick(problem, work, number, depth, winner, lying, players)
                if problem[ENDS] and not left and goals_hold_now(problem, work, number + 1, players):
                    work[LINE_LENGTH] = depth
                    return WON, nodes
            if hashed:
                state = _step_on(problem, work, number + 1, tricks - number - 1, lying, held, players)
            if state != DEAD and not left and state == SAFE:
                work[LINE_LENGTH] = depth
                return WON, nodes
            lost = state == DEAD or number + 1 == tricks
            if not lost and number + 1 >= problem[PASS_AFTER]:  # before, the holders may change
                lost = _needs_more_tricks(problem, work, left, tricks - number - 1, players)
            if not lost and work[FILLED]:
                if hashed:
                    key = goals_key(problem, work, number + 1, held, winner, tally, players)
                else:
                    key = boundary_key(work, held, level, winner, tally, players, free)
                lost = table[find(table, key)] == key
            if lost:
                if hashed:
                    _step_back(problem, work, number + 1, players)
                continue
            number += 1
            row = following
            work[row + T_TALLY] = tally
            work[row + T_COMPLETED] = completed + popcount(now)
            work[ply + BEST] = -1
            work[ply + WINNER] = -1
            work[ply + MUST] = work[GOAL_ROWS + TRICK_GOAL_ROW * number + T_MAY] if with_goals else everyone
            turn = np.int64(0)
            plan_trick(problem, work, number, players, noise)
            list_moves(problem, work, level, depth, number, turn, players)
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

    The attempts share the table of lost boundaries and double in length after every fourth, with goals after more. Goals
    without an owner get other owners for each attempt, and cards that are up to the crew are passed anew, both written into the
    problem. Returns as ``search`` does, with the nodes of all
    attempts, at most ``budget``.
    """
    work = memory.work
    spent = 0
    status = OUT_OF_NODES
    undo_passes(problem)
    free = undo(problem)
    drawn_passes = problem[PASS_NOW] != 0 or problem[PASS_DRAWN] != 0
    if problem[GOALS]:
        work[RANDOM] = seed
        lay_out(problem, work, problem[OPEN_TASKS])
        if free:
            guess_fits(problem, work)
    for attempt in range(dives):
        nodes = min(nodes_each << attempt // (work[WEIGHTS + GROWTH] if problem[GOALS] else 4), budget - spent)
        if nodes <= 0:
            break
        if drawn_passes:
            work[RANDOM] = seed + 1009 * attempt
            forget(memory)
            draw_passes(problem, work)
            free = undo(problem) or free
            if problem[GOALS]:
                lay_out(problem, work, problem[OPEN_TASKS])
                if free:
                    guess_fits(problem, work)
        if problem[GOALS]:
            if free and attempt:
                work[RANDOM] = seed + 977 * attempt
                lay_out(problem, work, problem[OPEN_TASKS])
            drawn = draw(problem, work, work[WEIGHTS + DRAW_NOISE] if attempt else 0)
            if drawn != FOUND:
                if drawn_passes:
                    spent += 1
                    continue
                undo(problem)
                return LOST if drawn == NONE else OUT_OF_NODES, spent
        status, used = search(problem, memory, np.int64(EXACT), nodes, noise if attempt else noise - noise, seed + attempt)
        spent += max(used, 1)
        if status == WON or (status == LOST and not free and not drawn_passes):
            return status, spent
        status = OUT_OF_NODES
        blame(problem, work, work[WEIGHTS + BLAME])
    undo(problem)
    undo_passes(problem)
    return status, spent
