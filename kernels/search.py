"""The search: depth-first over cards, from any point of an attempt, for one legal way to complete all tasks.

One kernel serves three ends. With a small budget and some noise in the card order it *finds* lines (run times
are heavy-tailed, so several short dives beat one long one). Without a budget it *refutes*: every trick boundary
shown to be lost is kept in a table. And with a set of ``blank`` suits it plays a relaxed game in which the
cards of those suits are all alike, which is far smaller: when the relaxed game is lost, so is the real one.

The holder of every card is known from the deal, so the set of cards still held says everything about the hands.
All sets (cards, tasks) are int64 with bit ``card`` set, ``card = 9 * suit + rank - 1``, trump from 36.
Seat sets are ints with bit ``seat`` set. Task counts of all seats are packed in one int, 8 bits a seat.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from .bits import highest, lowest, popcount

WON, LOST, OUT_OF_NODES = 1, 0, -1
MAX_SEATS = 5
MAX_TRICKS = 20
MAX_CARDS = 40
COUNT_BITS = 8
GUARDS = sum(1 << (COUNT_BITS * seat + COUNT_BITS - 1) for seat in range(MAX_SEATS))
"""The top bit of each packed count: counts stay below 128, so these bits are free for comparisons."""
COLOUR_CARDS = (1 << 36) - 1


class Problem(NamedTuple):
    """What is to be won, from where. All arrays are int64.

    ``shape``: [players, leader of the current trick, cards played in it, tricks left with it, absolute-rank
    check needed, tasks in all, tasks completed, packed counts of completed free tasks]. ``hands``[5]: card sets held.
    ``trick``[5]: the cards played in the current trick. ``open_tasks``[2]: the set of open task cards, and those
    of them that any seat with a count left may own. ``owners``[40]: seat set per task card. ``before``[40]: per task
    card the tasks that must be completed in the same trick or earlier. ``rank``[40]: absolute token per task card, 0 none.
    ``allowed``[n]: packed counts of free tasks per seat; any one of them must be met in the end.
    """

    shape: np.ndarray
    hands: np.ndarray
    trick: np.ndarray
    open_tasks: np.ndarray
    owners: np.ndarray
    before: np.ndarray
    rank: np.ndarray
    allowed: np.ndarray


class Scratch(NamedTuple):
    """Working memory of a search, reused from deal to deal; see ``new_scratch``. Most of it is kept per level."""

    moves: np.ndarray
    scores: np.ndarray
    ply: np.ndarray
    trick: np.ndarray
    line: np.ndarray
    hands: np.ndarray
    keep: np.ndarray
    value: np.ndarray
    holder: np.ndarray
    canon: np.ndarray
    codes: np.ndarray
    keys: np.ndarray
    tags: np.ndarray
    used: np.ndarray
    state: np.ndarray


EXACT = 15
"""The level of the real game: a level is the set of suits (bit per colour) whose cards are told apart."""
_LEVELS = 16
_BEST, _WINNER, _MUST, _COUNT, _NEXT = range(5)
_LEADER, _TASKS, _TALLY, _WINNERS, _DONE, _HELD, _PLAN = range(7)
_FILLED, _RANDOM, _CANON_READY, _NODES, _BUDGET, _NOISE = range(6)
_WON_TAG = 16


def new_scratch(table_bits: int = 18) -> Scratch:
    """Working memory with a table of ``2**table_bits`` trick boundaries, 13 bytes each."""
    plies = MAX_CARDS + 12
    return Scratch(
        moves=np.zeros((_LEVELS, plies, 20), np.int64),
        scores=np.zeros((_LEVELS, plies, 20), np.int64),
        ply=np.zeros((_LEVELS, plies, 5), np.int64),
        trick=np.zeros((_LEVELS, MAX_TRICKS + 2, _PLAN + 15), np.int64),
        line=np.zeros((_LEVELS, plies), np.int64),
        hands=np.zeros((_LEVELS, MAX_SEATS), np.int64),
        keep=np.zeros((_LEVELS, MAX_TRICKS + 2, MAX_CARDS), np.int64),
        value=np.zeros(5, np.int64),
        holder=np.zeros(MAX_CARDS, np.int64),
        canon=np.zeros((2, 5, 512), np.int64),
        codes=np.zeros((1024, 2), np.int64),
        keys=np.zeros(1 << table_bits, np.int64),
        tags=np.zeros(1 << table_bits, np.uint8),
        used=np.zeros(3 << (table_bits - 2), np.int32),
        state=np.zeros(6, np.int64),
    )


@njit(cache=True)
def forget(scratch: Scratch) -> None:
    """Empty the table of judged boundaries: to be called before another problem."""
    filled = scratch.state[_FILLED]
    if filled * 8 > len(scratch.tags):
        scratch.tags[:] = 0
    else:
        for place in range(filled):
            scratch.tags[scratch.used[place]] = 0
    scratch.state[_FILLED] = 0
    scratch.state[_CANON_READY] = 0


@njit(cache=True)
def _slot(scratch: Scratch, key: int, level: int) -> int:
    """Where a boundary is or may go; linear probing. Keys are exact, so no two states are ever confused."""
    spread = (np.uint64(key) ^ np.uint64(level) << np.uint64(57)) * np.uint64(0x9E3779B97F4A7C15)
    last = len(scratch.tags) - 1
    place = np.int64(spread >> np.uint64(24)) & last
    while scratch.tags[place] != 0 and (scratch.keys[place] != key or scratch.tags[place] & 15 != level):
        place = (place + 1) & last
    return place


@njit(cache=True)
def _remember(scratch: Scratch, key: int, level: int, won: bool) -> None:
    """Keep the verdict on a boundary, as long as the table has room."""
    if scratch.state[_FILLED] < len(scratch.used):
        place = _slot(scratch, key, level)
        if scratch.tags[place] == 0:
            scratch.keys[place] = key
            scratch.tags[place] = level + (_WON_TAG if won else 0)
            scratch.used[scratch.state[_FILLED]] = place
            scratch.state[_FILLED] += 1


@njit(cache=True)
def _fill_canon(scratch: Scratch, tasks: int) -> None:
    """For each suit and each set of its cards still held: the set that stands for all sets as good as this one.

    In an exact suit only the order of holders matters to the rest of the play, and which cards are open tasks;
    ranks do not. In a blank suit only the number of cards of each holder matters.
    """
    for suit in range(5):
        size = 9 if suit < 4 else 4
        for blank in range(2):
            scratch.codes[:, 0] = -1
            for cards in range(1 << size):
                code = 1
                for rank in range(size):
                    if cards >> rank & 1:
                        card = suit * 9 + rank
                        if blank:
                            code += 16 << 4 * scratch.holder[card]
                        else:
                            code = code * 16 + (5 + rank if tasks >> card & 1 else scratch.holder[card])
                place = (code * 0x9E3779B1 >> 12) & 1023
                while scratch.codes[place, 0] != -1 and scratch.codes[place, 0] != code:
                    place = (place + 1) & 1023
                if scratch.codes[place, 0] == -1:
                    scratch.codes[place, 0] = code
                    scratch.codes[place, 1] = cards
                scratch.canon[blank, suit, cards] = scratch.codes[place, 1]


@njit(cache=True)
def _key(scratch: Scratch, held: int, level: int, leader: int, tally: int, players: int, free: bool) -> int:
    """An exact, never zero key of a trick boundary: 40 bits of canonical cards, 3 of leader, 20 of task counts.

    How many tasks are completed follows from the cards, so the counts of all seats but the last suffice.
    """
    canon = scratch.canon
    key = (leader + 1) << 40
    for suit in range(4):
        key |= canon[1 - (level >> suit & 1), suit, held >> 9 * suit & 511] << 9 * suit
    key |= canon[0, 4, held >> 36] << 36
    if free:
        width = 20 // (players - 1)
        for seat in range(players - 1):
            key |= (tally >> COUNT_BITS * seat & ((1 << width) - 1)) << (43 + width * seat)
    return key


@njit(cache=True)
def counts_fit(allowed: np.ndarray, tally: int) -> bool:
    """Whether some allowed vector is at least ``tally`` in every seat.

    ``(vector | GUARDS) - tally`` keeps a seat's guard bit exactly when that seat's count does not exceed it.
    """
    for row in range(len(allowed)):  # noqa: SIM110
        if ((allowed[row] | GUARDS) - tally) & GUARDS == GUARDS:
            return True
    return False


@njit(inline="always")
def _suit(card: int) -> int:
    return 511 << card // 9 * 9


@njit(cache=True)
def _can_avoid(hand: int, led: int, best: int) -> bool:
    """Whether a seat with ``hand`` can stay below ``best`` in a trick whose led suit is the set ``led``."""
    follow = hand & led
    if follow:
        return not (led >> best & 1) or lowest(follow) < best
    return hand & COLOUR_CARDS != 0 or (best >= 36 and lowest(hand) < best)


@njit(cache=True)
def _top(hand: int, led: int, best: int) -> int:
    """The card with which ``hand`` would best take the trick from ``best``, or -1 when it cannot."""
    follow = hand & led
    if follow:
        card = highest(follow)
        return card if led >> best & 1 and card > best else -1
    if hand >> 36:
        card = highest(hand)
        return card if card > best else -1
    return -1


@njit(cache=True)
def _can_win(must: int, played: int, leader: int, led: int, best: int, winner: int, hands: np.ndarray, players: int, blank: bool) -> bool:
    """Whether some seat of the seat set ``must`` may still win the trick of which ``played`` cards lie.

    Necessary, not sufficient: the cards of later seats are looked at one seat at a time.
    """
    loose = blank and best < 36
    for seat in range(players):
        if not must >> seat & 1:
            continue
        turn = (seat - leader) % players
        if loose:
            if turn < played or hands[seat] & (led | ~COLOUR_CARDS):
                return True
            continue
        top = best
        if turn >= played:
            top = _top(hands[seat], led, best)
            if top < 0:
                continue
        elif seat != winner:
            continue
        ok = True
        for later in range(played, players):
            other = (leader + later) % players
            if other != seat and not _can_avoid(hands[other], led, top):
                ok = False
                break
        if ok:
            return True
    return False


@njit(cache=True)
def _noise(scratch: Scratch, span: int) -> int:
    """A number in 0..span-1 from a xorshift generator (Marsaglia 2003); 0 when span is 0."""
    if span == 0:
        return 0
    word = scratch.state[_RANDOM]
    word ^= word << 13
    word ^= (word >> 7) & 0x01FFFFFFFFFFFFFF
    word ^= word << 17
    scratch.state[_RANDOM] = word
    return ((word >> 20) & 0xFFFFF) % span


@njit(cache=True)
def _plan_trick(problem: Problem, scratch: Scratch, level: int, number: int, players: int) -> None:
    """What each card is worth keeping before trick ``number``, and which task each led suit could fulfil at once.

    Order only: it decides what is tried first, never what is possible.
    """
    hands = scratch.hands[level]
    plan = scratch.trick[level, number]
    leader = plan[_LEADER]
    tasks = plan[_TASKS]
    keep = scratch.keep[level, number]
    noise = scratch.state[_NOISE]
    for card in range(40):
        keep[card] = 4 * (card % 9)
    for card in range(36, 40):
        keep[card] += 20
    if noise:
        for card in range(40):
            keep[card] += _noise(scratch, noise)
    for suit in range(5):
        plan[_PLAN + 3 * suit] = -1
        scratch.value[suit] = -1
    left = tasks
    while left:
        card = lowest(left)
        left &= left - 1
        holder = scratch.holder[card]
        mine = _suit(card)
        higher = mine & -(2 << card)
        keep[card] += 60
        owners = problem.owners[card]
        fixed = owners & (owners - 1) == 0
        if fixed:
            owner = lowest(owners)
            own = hands[owner]
            top = card
            weight = 40
            if owner != holder:
                winners = own & higher
                top = -1
                if winners:
                    top = highest(winners)
                    keep[top] += 40
                trumps = own & ~COLOUR_CARDS
                while trumps:
                    keep[lowest(trumps)] += 15
                    trumps &= trumps - 1
                weight = 30
            if top >= 0:
                obstacles = plan[_HELD] & mine & -(2 << top) & ~own
                while obstacles:
                    keep[lowest(obstacles)] -= weight
                    obstacles &= obstacles - 1
        if problem.before[card] & tasks & ~(1 << card):
            continue
        for suit in range(5):
            led = 511 << 9 * suit
            natural = led == mine
            if not hands[leader] & led or not natural and (not fixed or holder == leader or hands[holder] & led):
                continue
            for owner in range(players):
                if not owners >> owner & 1:
                    continue
                own = hands[owner]
                following = own & led
                if owner == holder:
                    if not natural:
                        continue
                    top = card
                elif following:
                    top = highest(following)
                    if natural and top < card:
                        continue
                elif owner != leader and own >> 36:
                    top = highest(own)
                else:
                    continue
                possible = True
                for seat in range(players):
                    if seat != owner and seat != holder and not _can_avoid(hands[seat], led, top):
                        possible = False
                        break
                if possible:
                    value = _noise(scratch, 64) + (64 if fixed else 0) + (32 if top < 36 else 0)
                    if value > scratch.value[suit]:
                        scratch.value[suit] = value
                        plan[_PLAN + 3 * suit] = owner
                        plan[_PLAN + 3 * suit + 1] = top
                        plan[_PLAN + 3 * suit + 2] = card


@njit(cache=True)
def _list_moves(problem: Problem, scratch: Scratch, level: int, depth: int, number: int, turn: int, players: int) -> None:
    """The cards worth trying at this ply, best first: one of each run of equal cards, none that loses the trick.

    Two cards of one hand are equal when no card that another seat held before this trick is between them
    and neither is an open task.
    """
    trick = scratch.trick[level, number]
    ply = scratch.ply[level, depth]
    scores = scratch.scores[level, depth]
    moves = scratch.moves[level, depth]
    line = scratch.line[level]
    hands = scratch.hands[level]
    leader = trick[_LEADER]
    tasks = trick[_TASKS]
    blank = EXACT ^ level
    keep = scratch.keep[level, number]
    seat = leader + turn
    if seat >= players:
        seat -= players
    hand = hands[seat]
    choices = hand
    best = ply[_BEST]
    must = ply[_MUST]
    everyone = (1 << players) - 1
    lead_suit = -1
    if turn:
        lead_suit = line[depth - turn] // 9
        if hand >> 9 * lead_suit & 511:
            choices = hand & 511 << 9 * lead_suit
    others = trick[_HELD] & ~hand
    count = 0
    previous = -1
    while choices:
        card = lowest(choices)
        choices &= choices - 1
        suit = card // 9
        task = tasks >> card & 1
        if previous >= 0 and previous // 9 == suit and not task:
            if blank >> suit & 1 or others & ((1 << card) - (2 << previous)) == 0:
                continue
        if not task:
            previous = card
        if turn == 0:
            lead_suit = suit
        now_best = best
        now_winner = ply[_WINNER]
        if turn == 0 or (card > best if suit == best // 9 else suit == 4):
            now_best = card
            now_winner = seat
        allowed = must
        if task:
            allowed &= problem.owners[card]
            if not allowed:
                continue
            missing = problem.before[card] & tasks & ~(1 << card)
            if missing:
                for place in range(depth - turn, depth):
                    missing &= ~(1 << line[place])
                late = popcount(missing) > players - 1 - turn
                while missing:
                    late |= (scratch.holder[lowest(missing)] - leader) % players <= turn
                    missing &= missing - 1
                if late:
                    continue
        if allowed != everyone:
            possible = _can_win(
                allowed, turn + 1, leader, 511 << 9 * lead_suit, now_best, now_winner, hands, players, blank >> lead_suit & 1 != 0
            )
            if not possible:
                continue
        score = -keep[card]
        target = trick[_PLAN + 3 * lead_suit]
        if target >= 0:
            top = trick[_PLAN + 3 * lead_suit + 1]
            if turn == 0:
                score += 600
            if card == top or card == trick[_PLAN + 3 * lead_suit + 2]:
                score += 1000
            elif seat != target:
                if task:
                    if allowed >> target & 1:
                        score += 800
                elif now_best > top if now_best // 9 == top // 9 else now_best >= 36:
                    score -= 300
        elif task:
            score += 400 if turn else -200
        place = count
        count += 1
        while place and scores[place - 1] < score:
            scores[place] = scores[place - 1]
            moves[place] = moves[place - 1]
            place -= 1
        scores[place] = score
        moves[place] = card
    ply[_COUNT] = count
    ply[_NEXT] = 0


@njit(cache=True)
def _is_lost(problem: Problem, scratch: Scratch, hands: np.ndarray, tasks: int, tricks_left: int, players: int) -> bool:
    """Whether the open tasks ask for more tricks than are left.

    Tasks of one owner whose cards one seat holds need a trick each, and no trick has two winners.
    """
    needed = 0
    for owner in range(players):
        most = 0
        for seat in range(players):
            mine = hands[seat] & tasks
            number = 0
            while mine:
                number += problem.owners[lowest(mine)] == 1 << owner
                mine &= mine - 1
            most = max(most, number)
        needed += most
    return needed > tricks_left


@njit(cache=True)
def _explore(problem: Problem, scratch: Scratch, level: int, number: int, tricks: int, played: int, prune: int) -> int:
    """Search level ``level`` from trick ``number``, of which ``played`` cards lie, and return the verdict.

    The start is what ``scratch.trick[level, number]``, ``scratch.hands[level]`` and the line hold; ``tricks`` is the
    number of tricks in all. ``prune`` is the size of the largest smaller level asked for help.
    """
    start = number
    players = problem.shape[0]
    everyone = (1 << players) - 1
    hands = scratch.hands[level]
    line = scratch.line[level]
    ply = scratch.ply[level]
    trick = scratch.trick[level]
    state = scratch.state
    free_tasks = problem.open_tasks[1] & trick[number, _TASKS]
    ranked = problem.shape[4] != 0 and level == EXACT
    depth = number * players + played
    turn = played
    _plan_trick(problem, scratch, level, number, players)
    _list_moves(problem, scratch, level, depth, number, turn, players)
    while True:
        if ply[depth, _NEXT] == ply[depth, _COUNT]:
            # Every card here loses: back up, first to another winner of the trick before (blank suits only).
            if turn == 0:
                if not state[_CANON_READY]:
                    _fill_canon(scratch, problem.open_tasks[0])
                    state[_CANON_READY] = 1
                key = _key(scratch, trick[number, _HELD], level, trick[number, _LEADER], trick[number, _TALLY], players, free_tasks != 0)
                _remember(scratch, key, level, False)
                if number == start:
                    return LOST
                number -= 1
                turn = players
            elif number == start and turn == played:
                return LOST
            if turn < players or not trick[number, _WINNERS]:
                turn -= 1
                depth -= 1
                hands[(trick[number, _LEADER] + turn) % players] |= 1 << line[depth]
                continue
        else:
            card = scratch.moves[level, depth, ply[depth, _NEXT]]
            ply[depth, _NEXT] += 1
            if state[_NODES] == state[_BUDGET]:
                return OUT_OF_NODES
            state[_NODES] += 1
            seat = (trick[number, _LEADER] + turn) % players
            hands[seat] ^= 1 << card
            line[depth] = card
            best = ply[depth, _BEST]
            winner = ply[depth, _WINNER]
            must = ply[depth, _MUST]
            if turn == 0 or (card > best if card // 9 == best // 9 else card >= 36):
                best = card
                winner = seat
            if trick[number, _TASKS] >> card & 1:
                must &= problem.owners[card]
            turn += 1
            depth += 1
            if turn < players:
                ply[depth, _BEST] = best
                ply[depth, _WINNER] = winner
                ply[depth, _MUST] = must
                _list_moves(problem, scratch, level, depth, number, turn, players)
                continue
            lead = line[depth - players]
            if best < 36 and not level >> lead // 9 & 1:
                followed = 0
                for place in range(players):
                    if line[depth - players + place] // 9 == lead // 9:
                        followed |= 1 << (trick[number, _LEADER] + place) % players
                trick[number, _WINNERS] = followed & must
            else:
                trick[number, _WINNERS] = 1 << winner & must
        # A full trick lies below ``depth``: take its next possible winner and open the next trick.
        descended = False
        while trick[number, _WINNERS]:
            winner = lowest(trick[number, _WINNERS])
            trick[number, _WINNERS] &= trick[number, _WINNERS] - 1
            lying = 0
            for place in range(depth - players, depth):
                lying |= 1 << line[place]
            now = lying & trick[number, _TASKS]
            left = trick[number, _TASKS] & ~now
            done = trick[number, _DONE]
            tally = trick[number, _TALLY]
            if now:
                broken = False
                check = now
                while check:
                    broken |= problem.before[lowest(check)] & left != 0
                    check &= check - 1
                reached = done + popcount(now)
                if ranked:
                    check = trick[number, _TASKS]
                    while check:
                        rank = problem.rank[lowest(check)]
                        broken |= rank != 0 and (done < rank and rank <= reached) != (now >> lowest(check) & 1 != 0)
                        check &= check - 1
                if now & free_tasks:
                    tally += popcount(now & free_tasks) << COUNT_BITS * winner
                    broken |= not counts_fit(problem.allowed, tally)
                if broken:
                    continue
                done = reached
                if not left:
                    if level != EXACT and state[_CANON_READY]:
                        for passed in range(start + (played > 0), number + 1):
                            key = _key(scratch, trick[passed, _HELD], level, trick[passed, _LEADER], trick[passed, _TALLY], players, free_tasks != 0)
                            _remember(scratch, key, level, True)
                    return WON
            if number + 1 == tricks:
                continue
            if popcount(left) > tricks - number - 1 and _is_lost(problem, scratch, hands, left, tricks - number - 1, players):
                continue
            held = trick[number, _HELD] & ~lying
            if state[_FILLED]:
                tag = scratch.tags[_slot(scratch, _key(scratch, held, level, winner, tally, players, free_tasks != 0), level)]
                if tag:
                    if tag & _WON_TAG:
                        for passed in range(start + (played > 0), number + 1):
                            key = _key(scratch, trick[passed, _HELD], level, trick[passed, _LEADER], trick[passed, _TALLY], players, free_tasks != 0)
                            _remember(scratch, key, level, True)
                        return WON
                    continue
            if prune:
                verdict = WON
                for size in range(1, prune + 1):
                    for smaller in range(1, EXACT):
                        if popcount(smaller) != size or smaller & ~level or smaller == level:
                            continue
                        verdict = _judge(problem, scratch, smaller, hands, winner, left, tally, done, held, number + 1, tricks, size - 1)
                        if verdict != WON:
                            break
                    if verdict != WON:
                        break
                if verdict == OUT_OF_NODES:
                    return OUT_OF_NODES
                if verdict == LOST:
                    continue
            number += 1
            trick[number, _LEADER] = winner
            trick[number, _TASKS] = left
            trick[number, _TALLY] = tally
            trick[number, _DONE] = done
            trick[number, _HELD] = held
            ply[depth, _BEST] = -1
            ply[depth, _WINNER] = -1
            ply[depth, _MUST] = everyone
            turn = 0
            _plan_trick(problem, scratch, level, number, players)
            _list_moves(problem, scratch, level, depth, number, 0, players)
            descended = True
            break
        if not descended:
            turn = players - 1
            depth -= 1
            hands[(trick[number, _LEADER] + turn) % players] |= 1 << line[depth]


@njit(cache=True)
def _judge(
    problem: Problem, scratch: Scratch, level: int, hands: np.ndarray, leader: int, tasks: int, tally: int, done: int,
    held: int, number: int, tricks: int, prune: int,
) -> int:  # fmt: skip
    """The verdict of a smaller level on a trick boundary, from the table or by searching it."""
    for suit in range(4):
        if not level >> suit & 1:
            tasks &= ~(511 << 9 * suit)
        elif not tasks >> 9 * suit & 511:
            return WON
    players = problem.shape[0]
    if not scratch.state[_CANON_READY]:
        _fill_canon(scratch, problem.open_tasks[0])
        scratch.state[_CANON_READY] = 1
    key = _key(scratch, held, level, leader, tally, players, problem.open_tasks[1] & tasks != 0)
    tag = scratch.tags[_slot(scratch, key, level)]
    if tag:
        return WON if tag & _WON_TAG else LOST
    trick = scratch.trick[level, number]
    trick[_LEADER] = leader
    trick[_TASKS] = tasks
    trick[_TALLY] = tally
    trick[_DONE] = done
    trick[_HELD] = held
    for seat in range(players):
        scratch.hands[level, seat] = hands[seat]
    depth = number * players
    scratch.ply[level, depth, _BEST] = -1
    scratch.ply[level, depth, _WINNER] = -1
    scratch.ply[level, depth, _MUST] = (1 << players) - 1
    return _explore(problem, scratch, level, number, tricks, 0, prune)


@njit(cache=True)
def search(problem: Problem, scratch: Scratch, level: int, prune: int, budget: int, noise: int, seed: int) -> tuple[int, int]:
    """Look for plays that complete all open tasks.

    ``level``: EXACT, or the set of suits to tell apart; below EXACT a WON is no proof, a LOST still is.
    ``prune``: size of the largest smaller levels asked for help. ``budget``: most cards to place.
    ``noise``: span of the random part of the card order, drawn from ``seed`` > 0.
    Returns (WON, LOST or OUT_OF_NODES, cards placed). After WON at EXACT, ``scratch.line[EXACT]`` holds the cards played from
    the start of the current trick to the end of the winning one. The table is kept for further calls: see ``forget``.
    """
    shape = problem.shape
    players = shape[0]
    scratch.state[_RANDOM] = seed
    scratch.state[_NOISE] = noise
    scratch.state[_NODES] = 0
    scratch.state[_BUDGET] = budget
    tasks = problem.open_tasks[0]
    for suit in range(4):
        if not level >> suit & 1:
            tasks &= ~(511 << 9 * suit)
    if not tasks:
        return WON, 0
    held = 0
    for seat in range(players):
        scratch.hands[level, seat] = problem.hands[seat]
        held |= problem.hands[seat]
        cards = problem.hands[seat]
        while cards:
            scratch.holder[lowest(cards)] = seat
            cards &= cards - 1
    must = (1 << players) - 1
    best = -1
    winner = -1
    played = shape[2]
    for turn in range(played):
        card = problem.trick[turn]
        seat = (shape[1] + turn) % players
        scratch.line[level, turn] = card
        scratch.holder[card] = seat
        held |= 1 << card
        if turn == 0 or (card > best if card // 9 == best // 9 else card >= 36):
            best = card
            winner = seat
        if tasks >> card & 1:
            must &= problem.owners[card]
    trick = scratch.trick[level, 0]
    trick[_LEADER] = shape[1]
    trick[_TASKS] = tasks
    trick[_TALLY] = shape[7]
    trick[_DONE] = shape[6]
    trick[_HELD] = held
    scratch.ply[level, played, _BEST] = best
    scratch.ply[level, played, _WINNER] = winner
    scratch.ply[level, played, _MUST] = must
    verdict = _explore(problem, scratch, level, 0, shape[3], played, prune)
    return verdict, scratch.state[_NODES]
