"""Which cards to try at a ply, and in which order.

What is left out loses the trick at once or equals a card that is tried; the order is a guess: tasks that can be
fulfilled now come first, then cards that stand in the way or are of no use to any open task.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .bits import highest, lowest, popcount
from .compiled import inner
from .layout import (
    BEFORE,
    BEST,
    COUNT,
    GOAL_ROWS,
    GOALS,
    HELD_BY,
    HOLDER,
    KIND,
    LINE,
    MAX_CARDS,
    MOVES,
    MUST,
    NEXT,
    OWNERS,
    PLAN_VALUE,
    PLY,
    PLY_ROW,
    SCORES,
    SUIT_LEADERS,
    T_APART,
    T_BANNED,
    T_HELD,
    T_KEEP,
    T_LEADER,
    T_MASK,
    T_PLAN,
    T_READY,
    T_TASKS,
    TRICK_GOAL_ROW,
    TRICK_ROW,
    TRICK_ROWS,
    WINNER,
)
from .rules import COLOUR_CARDS, can_avoid, random_below, takes, wrap
from .table import is_exact
from .wants import want_score, want_trick

# What cards are worth and what moves score, in points. The numbers come from a hill climb on the mean
# logarithm of nodes over 1,600 random positions of nine kinds; only their proportions matter.
_KEEP_TRUMP, _KEEP_TASK = 20, 40
_KEEP_TOP_WINNER, _DROP_LOWER_WINNER = 5, 10
_KEEP_TRUMP_FOR_OWNER, _KEEP_TRUMP_AS_LAST_RESORT = 400, 85
_DROP_TO_VOID_OWNER, _DROP_TO_VOID_HOLDER, _KEEP_WINNER_FOR_DISCARD = 15, 2, 75
_DROP_ABOVE_OWN_TASK, _DROP_ABOVE_WINNER, _KEEP_SPARE_LOW, _DROP_LAST_LOW = 360, 15, 10, 10
_DROP_FREE_WINNER, _KEEP_FREE_TOP = 7, 10
_PLAN_FIXED, _PLAN_WITHOUT_TRUMP, _PLAN_IN_SUIT, _PLAN_NOISE = 88, 238, 15, 64
_LEAD_PLAN, _PLAY_PLAN, _FEED_PLAN, _SPOIL_PLAN = 675, 1520, 1215, 645
_PLAY_TASK, _LEAD_TASK, _WIN_READY, _WIN_UNREADY = 100, 1060, 20, 50


@njit(inline="always")
def _top(hand: int, led: int, best: int) -> int:
    """The card with which ``hand`` would best take the trick from ``best``, or -1 when it cannot."""
    follow = hand & led
    if follow:
        return highest(follow) if led >> best & 1 and highest(follow) > best else -1
    return highest(hand) if hand >> 36 and highest(hand) > best else -1


@inner
def _can_win(work: np.ndarray, must: int, played: int, leader: int, led: int, best: int, winner: int, players: int, blank: bool) -> bool:
    """Whether some seat of the seat set ``must`` may still win the trick of which ``played`` cards lie.

    Necessary, not sufficient: the cards of later seats are looked at one seat at a time.
    """
    loose = blank and best < 36
    for seat in range(players):
        if not must >> seat & 1:
            continue
        turn = wrap(seat - leader, players)
        if loose:
            if turn < played or work[HELD_BY + seat] & (led | ~COLOUR_CARDS):
                return True
            continue
        top = best
        if turn >= played:
            top = _top(work[HELD_BY + seat], led, best)
            if top < 0:
                continue
        elif seat != winner:
            continue
        possible = True
        for later in range(played, players):
            other = wrap(leader + later, players)
            if other != seat and not can_avoid(work[HELD_BY + other], led, top):
                possible = False
                break
        if possible:
            return True
    return False


@njit(inline="always")
def _shift(work: np.ndarray, keep: int, cards: int, points: int) -> None:
    while cards:
        work[keep + lowest(cards)] += points
        cards &= cards - 1


@inner
def _weigh_task(work: np.ndarray, keep: int, card: int, holder: int, owner: int, players: int) -> None:
    """What the other cards are worth to a task whose owner is known: winners, obstacles, ways to a void."""
    mine = 511 << card // 9 * 9
    own = work[HELD_BY + owner]
    top = card
    if owner != holder:
        winners = own & mine & -(2 << card)
        if winners:
            top = highest(winners)
            work[keep + top] += _KEEP_TOP_WINNER
            _shift(work, keep, winners & ~(1 << top), -_DROP_LOWER_WINNER)
            _shift(work, keep, own & ~COLOUR_CARDS, _KEEP_TRUMP_FOR_OWNER)
        else:
            top = -1
            _shift(work, keep, own & ~COLOUR_CARDS, _KEEP_TRUMP_AS_LAST_RESORT)
            _shift(work, keep, own & mine, -_DROP_TO_VOID_OWNER)
            short = 99
            void = 0
            for suit in range(5):
                led = 511 << 9 * suit
                length = popcount(work[HELD_BY + holder] & led)
                if led != mine and own & led and length < short:
                    short = length
                    void = led
            if void:
                _shift(work, keep, work[HELD_BY + holder] & void, -_DROP_TO_VOID_HOLDER)
                work[keep + highest(own & void)] += _KEEP_WINNER_FOR_DISCARD
    if top < 0:
        return
    for seat in range(players):
        above = work[HELD_BY + seat] & mine & -(2 << top)
        if seat == owner or not above:
            continue
        _shift(work, keep, above, -_DROP_ABOVE_OWN_TASK if owner == holder else -_DROP_ABOVE_WINNER)
        below = work[HELD_BY + seat] & mine & ((1 << top) - 1)
        if below and seat != holder:
            work[keep + lowest(below)] += _KEEP_SPARE_LOW if below & (below - 1) else -_DROP_LAST_LOW


@inner
def _plan_task(problem: np.ndarray, work: np.ndarray, row: int, card: int, holder: int, players: int) -> None:
    """Note in which led suits the task could be fulfilled in the coming trick, if nobody minds.

    A plan is an owner, the card it wins with, and the task card, one per led suit; T_READY are the seats that
    could lead to a plan.
    """
    leader = work[row + T_LEADER]
    owners = problem[OWNERS + card]
    fixed = owners & (owners - 1) == 0
    for suit in range(5):
        led = 511 << 9 * suit
        natural = card // 9 == suit
        leaders = work[SUIT_LEADERS + suit]
        if not leaders or (not natural and (not fixed or leaders >> holder & 1)):
            continue
        for owner in range(players):
            if not owners >> owner & 1 or (owner == holder and not natural):
                continue
            own = work[HELD_BY + owner]
            top = card
            if owner != holder:
                if own & led:
                    top = highest(own & led)
                    if natural and top < card:
                        continue
                elif owner != leader and own >> 36:
                    top = highest(own)
                else:
                    continue
            possible = True
            for seat in range(players):
                if seat != owner and seat != holder and not can_avoid(work[HELD_BY + seat], led, top):
                    possible = False
                    break
            if not possible:
                continue
            work[row + T_READY] |= leaders
            if leaders >> leader & 1:
                value = random_below(work, _PLAN_NOISE) + fixed * _PLAN_FIXED + (top < 36) * _PLAN_WITHOUT_TRUMP + natural * _PLAN_IN_SUIT
                if value > work[PLAN_VALUE + suit]:
                    work[PLAN_VALUE + suit] = value
                    work[row + T_PLAN + 3 * suit] = owner
                    work[row + T_PLAN + 3 * suit + 1] = top
                    work[row + T_PLAN + 3 * suit + 2] = card


@inner
def plan_trick(problem: np.ndarray, work: np.ndarray, number: int, players: int, noise: int) -> None:
    """Before trick ``number``: what each card is worth keeping, and which led suit could fulfil which task at once.

    Order only: it decides what is tried first, never what is possible.
    """
    if problem[GOALS]:
        want_trick(problem, work, number, players, noise)
        return
    row = TRICK_ROWS + TRICK_ROW * number
    keep = row + T_KEEP
    tasks = work[row + T_TASKS]
    for card in range(MAX_CARDS):
        work[keep + card] = random_below(work, noise) if noise else 0
    for card in range(36, MAX_CARDS):
        work[keep + card] += _KEEP_TRUMP
    for suit in range(5):
        leaders = 0
        for seat in range(players):
            if work[HELD_BY + seat] >> 9 * suit & 511:
                leaders |= 1 << seat
        work[SUIT_LEADERS + suit] = leaders
        work[PLAN_VALUE + suit] = -1
        work[row + T_PLAN + 3 * suit] = -1
    work[row + T_READY] = 0
    left = tasks
    while left:
        card = lowest(left)
        left &= left - 1
        holder = work[HOLDER + card]
        owners = problem[OWNERS + card]
        work[keep + card] += _KEEP_TASK
        if owners & (owners - 1) == 0:
            _weigh_task(work, keep, card, holder, lowest(owners), players)
        else:
            above = work[row + T_HELD] & 511 << card // 9 * 9 & -(2 << card)
            if above:
                work[keep + highest(above)] -= _DROP_FREE_WINNER
            else:
                work[keep + card] += _KEEP_FREE_TOP
        if not problem[BEFORE + card] & tasks:
            _plan_task(problem, work, row, card, holder, players)


@inner
def _too_late(work: np.ndarray, missing: int, first: int, depth: int, leader: int, turn: int, players: int) -> bool:
    """Whether some task of ``missing`` can no longer join the trick whose cards lie at plies ``first`` to ``depth``."""
    for ply in range(first, depth):
        missing &= ~(1 << work[LINE + ply])
    if popcount(missing) > players - 1 - turn:
        return True
    while missing:
        if wrap(work[HOLDER + lowest(missing)] - leader, players) <= turn:
            return True
        missing &= missing - 1
    return False


@inner
def list_moves(problem: np.ndarray, work: np.ndarray, level: int, depth: int, number: int, turn: int, players: int) -> None:
    """Fill the ply row ``depth`` with the cards worth trying, best first.

    One of each run of equal cards, none that loses the trick. Two cards of one hand are equal when no card
    that another seat held before this trick is between them and neither is an open task or T_APART, or in a blank suit.
    """
    row = TRICK_ROWS + TRICK_ROW * number
    ply = PLY + PLY_ROW * depth
    leader = work[row + T_LEADER]
    tasks = work[row + T_TASKS]
    seat = wrap(leader + turn, players)
    hand = work[HELD_BY + seat]
    others = work[row + T_HELD] & ~hand
    best = work[ply + BEST]
    must = work[ply + MUST]
    everyone = (1 << players) - 1
    with_goals = problem[GOALS] != 0
    goals = GOAL_ROWS + TRICK_GOAL_ROW * number
    choices = hand
    lead_suit = -1
    if with_goals and turn == 0:
        choices &= ~work[goals + T_BANNED]
    if turn:
        lead_suit = work[LINE + depth - turn] // 9
        if hand >> 9 * lead_suit & 511:
            choices = hand & 511 << 9 * lead_suit
    count = 0
    previous = -1
    distinct = tasks | work[row + T_APART]
    while choices:
        card = lowest(choices)
        choices &= choices - 1
        suit = card // 9
        task = tasks >> card & 1
        if not distinct >> card & 1:
            if (
                previous >= 0
                and previous // 9 == suit
                and (not is_exact(level, suit) or others & ((1 << card) - (2 << previous)) == 0)
                and (not with_goals or work[KIND + card] == work[KIND + previous])
            ):
                continue
            previous = card
        if turn == 0:
            lead_suit = suit
        wins = takes(card, best)
        now_best = card if wins else best
        allowed = must
        if with_goals:
            allowed &= work[goals + T_MASK + card]
        if task:
            allowed &= problem[OWNERS + card]
            missing = problem[BEFORE + card] & tasks
            if missing and _too_late(work, missing, depth - turn, depth, leader, turn, players):
                continue
        now_winner = seat if wins else work[ply + WINNER]
        if allowed != everyone:
            blank = is_exact(level, lead_suit) == 0
            if not _can_win(work, allowed, turn + 1, leader, 511 << 9 * lead_suit, now_best, now_winner, players, blank):
                continue
        score = -work[row + T_KEEP + card]
        plan = row + T_PLAN + 3 * lead_suit
        if with_goals:
            score = want_score(problem, work, number, turn, depth, seat, card, lead_suit, now_best, now_winner, players)
        elif work[plan] >= 0:
            top = work[plan + 1]
            if turn == 0:
                score += _LEAD_PLAN
            if card == top or card == work[plan + 2]:
                score += _PLAY_PLAN
            elif seat != work[plan]:
                if task:
                    if allowed >> work[plan] & 1:
                        score += _FEED_PLAN
                elif takes(now_best, top):
                    score -= _SPOIL_PLAN
        else:
            if task:
                score += _PLAY_TASK if turn else -_LEAD_TASK
            if wins:
                score += _WIN_READY if work[row + T_READY] >> seat & 1 else _WIN_UNREADY
        place = count
        count += 1
        while place and work[SCORES + place - 1] < score:
            work[SCORES + place] = work[SCORES + place - 1]
            work[ply + MOVES + place] = work[ply + MOVES + place - 1]
            place -= 1
        work[SCORES + place] = score
        work[ply + MOVES + place] = card
    work[ply + COUNT] = count
    work[ply + NEXT] = 0
