"""What the goals want of the coming trick: an order for the cards, never a judgement.

Before each trick every seat gets a *want* for every card (what it is worth to the crew that this seat wins it now) and
every card a *keep* value for its holder. For each led suit the best plan is looked for: a seat that should win, the
card it wins with, and a trick property to aim at; the others feed it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .bits import highest, lowest, popcount
from .compiled import inner
from .goals import last_run, longest_run
from .layout import (
    AGAINST_NOBODY,
    AIM,
    C_AGAINST,
    C_CAPTURES,
    C_CARDS,
    C_COUNT,
    C_EQUAL,
    C_EQUAL_TO,
    C_HIGH,
    C_HOLDS,
    C_LOW,
    C_MINUS,
    C_NUMBERS,
    C_ONLY,
    C_SPECIAL,
    C_SUM_HIGH,
    C_SUM_LOW,
    C_WON_WITH,
    CONDITION,
    CONDITION_ROW,
    COUNT_BITS,
    COUNT_CARDS,
    COUNT_OPENINGS,
    COUNT_RUN,
    G_ANY,
    G_FIRST,
    G_NUMBER,
    G_OWNER,
    GOAL,
    GOAL_ROW,
    GOAL_ROWS,
    GOALS,
    HELD_BY,
    HOLDER,
    LEAST,
    LINE,
    MAX_CARDS,
    MOST,
    OWNERS,
    PLAN_VALUE,
    T_BANNED,
    T_HELD,
    T_KEEP,
    T_LEADER,
    T_MASK,
    T_MAY,
    T_PLAN,
    T_SAFE,
    T_TAKEN,
    T_TALLIES,
    T_TASKS,
    T_WANT,
    T_WON,
    TAKEN_COUNT,
    TRICK_GOAL_ROW,
    TRICK_ROW,
    TRICK_ROWS,
    TRICKS,
    TRICKS_BEFORE,
    WEIGHTS,
)
from .rules import COLOUR_CARDS, random_below, takes, wrap

(
    W_NEED_TRICK, W_SHUN_TRICK, W_NEED_CARD, W_LOSE_CARD, W_SHUN_CARD, W_GIVE_CARD, W_KEEP_STRENGTH, W_KEEP_TRUMP,
    W_KEEP_WINNER, W_KEEP_WANTED, W_DUMP, W_OBSTACLE, W_SPECIAL, W_KEEP_WITH, W_KEEP_CAPTURE, W_ONLY, W_CAPTURE, W_SUM,
    W_EQUAL, W_PLAN_LEAD, W_PLAN_TOP, W_SPOIL, W_LAST, W_RUN, W_PLAN_NOISE, W_OBSTACLE_WITH, W_OWN_AIM, W_REACH_AIM, W_RID,
    W_UNOPENED, GROWTH, DRAW_NOISE, BLAME,
) = range(33)  # fmt: skip
"""What the weights stand for; the last three steer the attempts: after how many they double in length, how much chance
decides about owners, and what a failed attempt takes from them."""


@njit(inline="always")
def _add(work: np.ndarray, start: int, cards: int, points: int) -> None:
    while cards:
        work[start + lowest(cards)] += points
        cards &= cards - 1


@inner
def _want_cards(work: np.ndarray, goals: int, row: int, owner: int, cards: int, missing: int, room: int, players: int) -> None:
    """``owner`` wants at least ``missing`` and at most ``room`` more of the card set ``cards``, all of them still held."""
    number = popcount(cards)
    if number == 0:
        return
    want = goals + T_WANT
    keep = row + T_KEEP
    if missing > 0:
        gain = work[WEIGHTS + W_NEED_CARD] * (number + missing) // (2 * number)
        loss = work[WEIGHTS + W_LOSE_CARD] * missing // number
        for seat in range(players):
            _add(work, want + MAX_CARDS * seat, cards, gain if seat == owner else -loss)
        own = work[HELD_BY + owner]
        left = cards
        while left:
            card = lowest(left)
            left &= left - 1
            suit = 511 << card // 9 * 9
            holder = work[HOLDER + card]
            work[keep + card] += work[WEIGHTS + W_KEEP_WANTED]
            winners = own & suit & -(2 << card)
            top = card
            if holder != owner:
                if winners:
                    top = highest(winners)
                    work[keep + top] += work[WEIGHTS + W_KEEP_WINNER] * missing // number
                _add(work, keep, own & ~COLOUR_CARDS, work[WEIGHTS + W_KEEP_WINNER] * missing // (2 * number))
            for seat in range(players):
                above = work[HELD_BY + seat] & suit & -(2 << top)
                if seat != owner and above:
                    _add(work, keep, above, -work[WEIGHTS + W_OBSTACLE] * missing // number)
    if room < number:
        shun = work[WEIGHTS + W_SHUN_CARD] * (number - room) // number
        give = work[WEIGHTS + W_GIVE_CARD] * (number - room) // number
        for seat in range(players):
            _add(work, want + MAX_CARDS * seat, cards, -shun if seat == owner else give)
        _add(work, keep, cards & work[HELD_BY + owner], -work[WEIGHTS + W_DUMP] * (number - room) // number)
        _add(work, keep, cards & ~work[HELD_BY + owner], -work[WEIGHTS + W_RID] * (number - room) // number)


@inner
def take_aim(problem: np.ndarray, work: np.ndarray, players: int, noise: int) -> None:
    """For an attempt that begins: which cards to go for where some of a few are enough, likely ones first.

    An aim only steers; the goal is fulfilled by any other cards as well.
    """
    for goal in range(problem[GOALS]):
        place = GOAL + GOAL_ROW * goal
        owner = problem[place + G_OWNER]
        for index in range(problem[place + G_FIRST], problem[place + G_FIRST] + problem[place + G_NUMBER]):
            condition = CONDITION + CONDITION_ROW * index
            work[AIM + index] = 0
            if owner < 0 or problem[condition + C_AGAINST] != AGAINST_NOBODY:
                continue
            cards = np.int64(0)
            number = np.int64(0)
            hand = work[HELD_BY + owner]
            if problem[condition + C_COUNT] == COUNT_CARDS and not problem[condition + C_MINUS]:
                cards = problem[condition + C_CARDS]
                number = problem[condition + C_LOW]
                if popcount(cards) > 4:
                    continue
            elif problem[condition + C_SPECIAL] and problem[condition + C_WON_WITH] != (1 << 40) - 1:
                cards = problem[condition + C_WON_WITH] & hand
                number = np.int64(1)
            if number <= 0 or number >= popcount(cards):
                continue
            aim = np.int64(0)
            for _ in range(number):
                best = -1 << 30
                chosen = 0
                left = cards & ~aim
                while left:
                    card = lowest(left)
                    left &= left - 1
                    value = random_below(work, 24) if noise else 0
                    if hand >> card & 1:
                        value += work[WEIGHTS + W_OWN_AIM]
                    if hand & 511 << card // 9 * 9 & -(2 << card):
                        value += work[WEIGHTS + W_REACH_AIM]
                    if value > best:
                        best = value
                        chosen = card
                aim |= 1 << chosen
            work[AIM + index] = aim


@inner
def want_trick(problem: np.ndarray, work: np.ndarray, trick: int, players: int, noise: int) -> None:
    """Before trick ``trick``: wants, keep values and a plan for each led suit. Needs what ``assess`` left behind."""
    none, one, any_number = np.int64(0), np.int64(1), np.int64(99)  # no literals, see lay_out
    goals = GOAL_ROWS + TRICK_GOAL_ROW * trick
    row = TRICK_ROWS + TRICK_ROW * trick
    keep = row + T_KEEP
    want = goals + T_WANT
    number = problem[TRICKS_BEFORE] + trick
    left = problem[TRICKS] - trick
    held = work[row + T_HELD]
    for card in range(MAX_CARDS):
        work[keep + card] = random_below(work, noise) if noise else 0
    for place in range(MAX_CARDS * players):
        work[want + place] = 0
    for seat in range(players):
        needed = work[LEAST + seat] - work[TAKEN_COUNT + seat]
        room = min(work[MOST + seat] - work[TAKEN_COUNT + seat], left)
        wish = work[WEIGHTS + W_NEED_TRICK] * needed // left - work[WEIGHTS + W_SHUN_TRICK] * (left - room) // left
        hand = work[HELD_BY + seat]
        # A trick is wanted through each of its cards, so a share of the wish lies on every card.
        _add(work, want + MAX_CARDS * seat, held, wish // players)
        strength = work[WEIGHTS + W_KEEP_STRENGTH] * wish // 128
        while hand:
            card = lowest(hand)
            hand &= hand - 1
            if card >= 36:
                work[keep + card] += strength + work[WEIGHTS + W_KEEP_TRUMP]
            else:
                work[keep + card] += strength * (card % 9 - 4) >> 3
    tasks = work[row + T_TASKS]
    while tasks:
        card = lowest(tasks)
        tasks &= tasks - 1
        owners = problem[OWNERS + card]
        if owners & (owners - 1) == 0:
            _want_cards(work, goals, row, lowest(owners), 1 << card, one, one, players)
    for goal in range(problem[GOALS]):
        if work[goals + T_SAFE] >> goal & 1:
            continue
        place = GOAL + GOAL_ROW * goal
        owner = problem[place + G_OWNER]
        first = problem[place + G_FIRST]
        any_of = problem[place + G_ANY]
        best_missing = 99
        best_index = first
        if any_of:
            # Aim at the condition that lacks least.
            for index in range(first, first + problem[place + G_NUMBER]):
                condition = CONDITION + CONDITION_ROW * index
                lost = 0
                for seat in range(players):
                    if seat != owner:
                        lost += popcount(work[goals + T_WON + seat] & problem[condition + C_CARDS])
                missing = problem[condition + C_LOW] - popcount(work[goals + T_WON + owner] & problem[condition + C_CARDS])
                missing += 20 * lost - popcount(work[HELD_BY + owner] & problem[condition + C_CARDS])
                if missing < best_missing:
                    best_missing = missing
                    best_index = index
        for index in range(first, first + problem[place + G_NUMBER]):
            if any_of and index != best_index:
                continue
            condition = CONDITION + CONDITION_ROW * index
            low = problem[condition + C_LOW]
            high = problem[condition + C_HIGH]
            count = problem[condition + C_COUNT]
            mine = work[HELD_BY + owner]
            if count == COUNT_CARDS:
                plus = problem[condition + C_CARDS] & held
                minus = problem[condition + C_MINUS] & held
                won = popcount(work[goals + T_WON + owner] & problem[condition + C_CARDS])
                won -= popcount(work[goals + T_WON + owner] & problem[condition + C_MINUS])
                if problem[condition + C_AGAINST] != AGAINST_NOBODY:
                    for other in range(players):
                        theirs = popcount(work[goals + T_WON + other] & problem[condition + C_CARDS])
                        if theirs < won:
                            _want_cards(work, goals, row, owner, plus, none, none, players)
                            break
                elif minus or problem[condition + C_MINUS]:
                    if won < low:
                        _want_cards(work, goals, row, owner, plus, min(low - won, popcount(plus)), any_number, players)
                        _want_cards(work, goals, row, owner, minus, none, none, players)
                    elif won > high:
                        _want_cards(work, goals, row, owner, minus, min(won - high, popcount(minus)), any_number, players)
                        _want_cards(work, goals, row, owner, plus, none, none, players)
                    elif high < 99:
                        _want_cards(work, goals, row, owner, plus, none, popcount(plus) // 2, players)
                        _want_cards(work, goals, row, owner, minus, none, popcount(minus) // 2, players)
                    else:
                        _want_cards(work, goals, row, owner, minus, none, popcount(minus) // 2, players)
                else:
                    aim = work[AIM + index]
                    if aim and won + popcount(aim & held) >= low:
                        _want_cards(work, goals, row, owner, aim & held, popcount(aim & held), any_number, players)
                        if high < 99:
                            _want_cards(work, goals, row, owner, plus & ~aim, none, none, players)
                    else:
                        _want_cards(work, goals, row, owner, plus, low - won, high - won, players)
            elif count == COUNT_RUN:
                if longest_run(work[goals + T_TAKEN + owner]) < low and last_run(work[goals + T_TAKEN + owner], number):
                    _add(work, want + MAX_CARDS * owner, held, work[WEIGHTS + W_RUN] // players)
            elif count == COUNT_OPENINGS:
                # Whoever may not open with a card does well to lead seldom, and to get rid of it.
                _add(work, keep, mine & problem[condition + C_CARDS], -work[WEIGHTS + W_UNOPENED])
            elif problem[condition + C_SPECIAL]:
                if work[goals + T_TALLIES + index] >> COUNT_BITS * owner & 127 < low:
                    if problem[condition + C_WON_WITH] != (1 << 40) - 1:
                        tools = mine & problem[condition + C_WON_WITH]
                        if tools & work[AIM + index]:
                            tools &= work[AIM + index]
                        _add(work, keep, tools, work[WEIGHTS + W_KEEP_WITH])
                        if tools & (tools - 1) == 0 and tools:
                            above = held & ~mine & 511 << lowest(tools) // 9 * 9 & -(2 << lowest(tools))
                            _add(work, keep, above, -work[WEIGHTS + W_OBSTACLE_WITH])
                    caught = problem[condition + C_CAPTURES] | problem[condition + C_HOLDS]
                    _add(work, keep, held & caught, work[WEIGHTS + W_KEEP_CAPTURE])
            elif problem[condition + C_AGAINST] == AGAINST_NOBODY:
                numbers = problem[condition + C_NUMBERS]
                coming = numbers >> number
                if coming and not coming & 1 and low > popcount(work[goals + T_TAKEN + owner] & numbers):
                    # A trick that comes later is to be won: save what wins.
                    saved = mine
                    while saved:
                        card = lowest(saved)
                        saved &= saved - 1
                        if card >= 36:
                            work[keep + card] += work[WEIGHTS + W_LAST] * 2
                        else:
                            work[keep + card] += work[WEIGHTS + W_LAST] * (card % 9 - 4) >> 2
    _plan(problem, work, trick, players, noise)


@njit(inline="always")
def _fit(problem: np.ndarray, work: np.ndarray, condition: int, card: int) -> int:
    """How well a card suits a trick that is to have the properties of ``condition``, in points."""
    points = 0
    if not problem[condition + C_ONLY] >> card & 1:
        points -= work[WEIGHTS + W_ONLY]
    if (problem[condition + C_CAPTURES] | problem[condition + C_HOLDS]) >> card & 1:
        points += work[WEIGHTS + W_CAPTURE]
    # Between two bounds the sum so far decides, see want_score.
    low = problem[condition + C_SUM_LOW] > 0
    if low != (problem[condition + C_SUM_HIGH] < 99):
        points += work[WEIGHTS + W_SUM] * (card % 9 - 4) * (1 if low else -1)
    if (problem[condition + C_EQUAL] | problem[condition + C_EQUAL_TO]) >> card & 1:
        points += work[WEIGHTS + W_EQUAL]
    return points


@inner
def _plan(problem: np.ndarray, work: np.ndarray, trick: int, players: int, noise: int) -> None:
    """For each suit that could be led the best seat to win, the card to win with, and the condition to serve (or -1)."""
    goals = GOAL_ROWS + TRICK_GOAL_ROW * trick
    row = TRICK_ROWS + TRICK_ROW * trick
    keep = row + T_KEEP
    leader = work[row + T_LEADER]
    may = work[goals + T_MAY]
    number = problem[TRICKS_BEFORE] + trick
    leads = work[HELD_BY + leader] & ~work[goals + T_BANNED]
    for suit in range(5):
        led = 511 << 9 * suit
        work[PLAN_VALUE + suit] = -1 << 30
        work[row + T_PLAN + 3 * suit] = -1
        if not leads & led:
            continue
        for winner in range(players):
            if not may >> winner & 1:
                continue
            own = work[HELD_BY + winner]
            tops = leads & led if winner == leader else own & led
            if not tops:
                tops = own & ~COLOUR_CARDS
            while tops:
                top = highest(tops)
                tops ^= 1 << top
                if not work[goals + T_MASK + top] >> winner & 1:
                    continue
                condition = _served(problem, work, goals, winner, top, number, led, leader, players)
                value = work[goals + T_WANT + MAX_CARDS * winner + top] - work[keep + top]
                if condition >= 0:
                    value += work[WEIGHTS + W_SPECIAL]
                possible = True
                for seat in range(players):
                    if seat == winner:
                        continue
                    hand = work[HELD_BY + seat]
                    choices = hand & led
                    if seat == leader:
                        choices &= leads
                    if choices:
                        if top // 9 == suit:
                            choices &= (1 << top) - 1
                    else:
                        choices = hand & ((1 << 36) - 1 if top < 36 else (1 << top) - 1)
                    best = -1 << 30
                    while choices:
                        card = lowest(choices)
                        choices &= choices - 1
                        if not work[goals + T_MASK + card] >> winner & 1:
                            continue
                        points = work[goals + T_WANT + MAX_CARDS * winner + card] - work[keep + card]
                        if condition >= 0:
                            points += _fit(problem, work, condition, card)
                        best = max(best, points)
                    if best == -1 << 30:
                        possible = False
                        break
                    value += best
                if not possible:
                    continue
                if noise:
                    value += random_below(work, work[WEIGHTS + W_PLAN_NOISE])
                if value > work[PLAN_VALUE + suit]:
                    work[PLAN_VALUE + suit] = value
                    work[row + T_PLAN + 3 * suit] = winner
                    work[row + T_PLAN + 3 * suit + 1] = top
                    work[row + T_PLAN + 3 * suit + 2] = condition


@inner
def _served(
    problem: np.ndarray, work: np.ndarray, goals: int, winner: int, top: int, number: int, led: int, leader: int, players: int
) -> int:
    """The condition row of a goal of ``winner`` that the coming trick, won with ``top``, could serve; -1 for none."""
    for goal in range(problem[GOALS]):
        if work[goals + T_SAFE] >> goal & 1:
            continue
        place = GOAL + GOAL_ROW * goal
        if problem[place + G_OWNER] != winner:
            continue
        for index in range(problem[place + G_FIRST], problem[place + G_FIRST] + problem[place + G_NUMBER]):
            row = CONDITION + CONDITION_ROW * index
            if not problem[row + C_SPECIAL] or problem[row + C_COUNT] == COUNT_OPENINGS or not problem[row + C_NUMBERS] >> number & 1:
                continue
            if work[goals + T_TALLIES + index] >> COUNT_BITS * winner & 127 >= problem[row + C_LOW]:
                continue
            only = problem[row + C_ONLY]
            if not problem[row + C_WON_WITH] & only & 1 << top:
                continue
            caught = problem[row + C_CAPTURES]
            held = problem[row + C_HOLDS]
            catch = caught == 0
            hold = held == 0 or held >> top & 1 != 0
            equal = problem[row + C_EQUAL]
            equal_to = problem[row + C_EQUAL_TO]
            one = equal == 0 or equal >> top & 1 != 0
            other = equal == 0 or equal_to >> top & 1 != 0
            most = top % 9 + 1
            least = top % 9 + 1
            possible = True
            for seat in range(players):
                if seat == winner:
                    continue
                hand = work[HELD_BY + seat]
                choices = hand & led
                if choices:
                    if top // 9 == lowest(led) // 9:
                        choices &= (1 << top) - 1
                else:
                    choices = hand & (COLOUR_CARDS if top < 36 else (1 << top) - 1)
                choices &= only
                if not choices:
                    possible = False
                    break
                catch = catch or choices & caught != 0
                hold = hold or choices & held != 0
                one = one or choices & equal != 0
                other = other or choices & equal_to != 0
                if problem[row + C_SUM_LOW] > 0 or problem[row + C_SUM_HIGH] < 99:
                    low = 9
                    high = 0
                    while choices:
                        rank = lowest(choices) % 9 + 1
                        low = min(low, rank)
                        high = max(high, rank)
                        choices &= choices - 1
                    most += high
                    least += low
            if possible and catch and hold and one and other:
                if problem[row + C_SUM_LOW] > 0 and most < problem[row + C_SUM_LOW]:
                    continue
                if problem[row + C_SUM_HIGH] < 99 and least > problem[row + C_SUM_HIGH]:
                    continue
                return row
    return -1


@inner
def want_score(
    problem: np.ndarray,
    work: np.ndarray,
    trick: int,
    turn: int,
    depth: int,
    seat: int,
    card: int,
    lead_suit: int,
    best: int,
    winner: int,
    players: int,
) -> int:
    """What speaks for ``seat`` playing ``card`` now; ``best`` and ``winner`` as they are after it."""
    goals = GOAL_ROWS + TRICK_GOAL_ROW * trick
    row = TRICK_ROWS + TRICK_ROW * trick
    plan = row + T_PLAN + 3 * lead_suit
    target = work[plan]
    top = work[plan + 1]
    condition = work[plan + 2]
    score = -work[row + T_KEEP + card]
    if turn == 0:
        score += work[WEIGHTS + W_PLAN_LEAD] * work[PLAN_VALUE + lead_suit] >> 8
        if target < 0:
            score -= 5000
    if target < 0:
        target = winner
        condition = -1
    elif seat == target:
        if card == top:
            score += work[WEIGHTS + W_PLAN_TOP]
    elif best != top and (takes(best, top) or (turn and wrap(target - work[row + T_LEADER], players) < turn and winner != target)):
        # The plan is spoilt, by this card or before.
        score -= work[WEIGHTS + W_SPOIL]
        target = winner
        condition = -1
    score += work[goals + T_WANT + MAX_CARDS * target + card]
    if condition >= 0:
        if problem[condition + C_SUM_LOW] > 0 and problem[condition + C_SUM_HIGH] < 99:
            # Keep the mean of what is still to come in reach.
            total = card % 9 + 1
            for place in range(depth - turn, depth):
                total += work[LINE + place] % 9 + 1
            aim = problem[condition + C_SUM_HIGH] * (turn + 1) // players
            score -= work[WEIGHTS + W_SUM] * abs(total - aim)
        score += _fit(problem, work, condition, card)
    return score
