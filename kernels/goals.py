"""What goals allow: at a trick boundary, which of them are safe, which are lost, and who may win which cards.

Every goal has one owner here. A condition is a number that counts something for its owner; from the cards and tricks
that are left follow bounds for it, and where the bounds leave no choice, masks: seats that may not win the coming
trick, or not with a certain card in it. All of it is necessary, never a guess: what is called lost is lost.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .bits import highest, lowest, popcount
from .compiled import inner
from .layout import (
    AGAINST_EACH,
    AGAINST_NOBODY,
    AGAINST_TOGETHER,
    C_AFTER,
    C_AGAINST,
    C_ALWAYS,
    C_BROKEN,
    C_BY_CHOICE,
    C_CAPTURES,
    C_CARDS,
    C_CLOSED_WITH,
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
    C_TALLY,
    C_WON_WITH,
    CONDITION,
    CONDITION_ROW,
    CONDITIONS,
    COUNT_BITS,
    COUNT_CARDS,
    COUNT_OPENINGS,
    COUNT_RUN,
    COUNT_TRICKS,
    ENDS,
    FORCED,
    G_ANY,
    G_FIRST,
    G_NUMBER,
    G_OWNER,
    GOAL,
    GOAL_ROW,
    GOAL_ROWS,
    GOALS,
    HASHED,
    HELD_BY,
    HOLDER,
    KIND,
    LATER,
    LEAST,
    LINE,
    MAX_CARDS,
    MOST,
    OWNERS,
    PASS_AFTER,
    REACH,
    T_BANNED,
    T_BROKEN,
    T_HELD,
    T_HIDDEN,
    T_LEADER,
    T_MASK,
    T_MAY,
    T_SAFE,
    T_TAKEN,
    T_TALLIES,
    T_TASKS,
    T_WON,
    TAKEN_BEFORE,
    TAKEN_COUNT,
    TOGETHER,
    TRICK_GOAL_ROW,
    TRICK_ROW,
    TRICK_ROWS,
    TRICKS_BEFORE,
    WON_BEFORE,
)

COLOURS = (1 << 36) - 1
DEAD, OPEN, SAFE = 0, 1, 2


@inner
def longest_run(taken: int) -> int:
    """The length of the longest run of ones: each shift-and shortens every run by one."""
    length = 0
    while taken:
        taken &= taken << 1
        length += 1
    return length


@inner
def last_run(taken: int, number: int) -> int:
    """How many of the tricks just before trick ``number`` (from 0) are in the set ``taken`` without a gap."""
    length = 0
    while length < number and taken >> (number - 1 - length) & 1:
        length += 1
    return length


@inner
def _possible_special(problem: np.ndarray, work: np.ndarray, row: int, held: int, owner: int, players: int) -> bool:
    """Whether the cards held could still make a trick of the kind that condition ``row`` counts, for its owner."""
    if problem[row + C_CAPTURES] and not held & problem[row + C_CAPTURES]:
        return False
    if problem[row + C_HOLDS] and not held & problem[row + C_HOLDS]:
        return False
    if problem[row + C_EQUAL] and (not held & problem[row + C_EQUAL] or not held & problem[row + C_EQUAL_TO]):
        return False
    only = problem[row + C_ONLY]
    if not work[HELD_BY + owner] & problem[row + C_WON_WITH] & only or not held & problem[row + C_CLOSED_WITH]:
        return False
    low = problem[row + C_SUM_LOW]
    high = problem[row + C_SUM_HIGH]
    most = 0
    least = 0
    for seat in range(players):
        cards = work[HELD_BY + seat] & only
        if not cards:
            return False
        if low > 0 or high < 99:
            most_here = 0
            least_here = 9
            for suit in range(5):
                part = cards >> 9 * suit & 511
                if part:
                    most_here = max(most_here, highest(part) + 1)
                    least_here = min(least_here, lowest(part) + 1)
            most += most_here
            least += least_here
    return not ((low > 0 and most < low) or (high < 99 and least > high))


@inner
def _narrow(work: np.ndarray, seat: int, low: int, high: int) -> None:
    work[LEAST + seat] = max(work[LEAST + seat], low)
    work[MOST + seat] = min(work[MOST + seat], high)


@inner
def _reach(work: np.ndarray, left: int, held: int, to_the_end: bool, players: int) -> None:
    """Which trumps each seat could win, and which it must: a trump loses only to a higher one.

    A hand with more cards than there are tricks keeps one of them, so nothing in it must be won; nor must anything when
    the attempt may end before all is played.
    """
    for seat in range(players):
        work[REACH + seat] = held
        work[FORCED + seat] = 0
    trumps = held >> 36 << 36
    while trumps:
        card = lowest(trumps)
        trumps &= trumps - 1
        above = held & -(2 << card)
        others = 0
        for seat in range(players):
            hand = work[HELD_BY + seat]
            if not hand & (1 << card | above):
                work[REACH + seat] &= ~(1 << card)
            others += (hand & above) != 0 and not hand >> card & 1
        holder = work[HOLDER + card]
        if to_the_end and others == 0 and popcount(work[HELD_BY + holder]) <= left:
            work[FORCED + holder] |= 1 << card


@inner
def _trump_tricks(work: np.ndarray, seat: int, left: int, held: int) -> int:
    """The least number of tricks that the trumps of a seat will win: each of its top trumps loses only to another
    higher one."""
    if popcount(work[HELD_BY + seat]) > left:
        return 0
    own = work[HELD_BY + seat] >> 36
    others = held >> 36 & ~own
    most = 0
    number = 0
    while own:
        card = highest(own)
        own ^= 1 << card
        number += 1
        most = max(most, number - popcount(others >> card))
    return most


@njit(inline="always")
def _binds(problem: np.ndarray, work: np.ndarray, goals: int, goal: int) -> bool:
    """Whether every condition of the goal still asks something of an owner that is known."""
    place = GOAL + GOAL_ROW * goal
    one_is_enough = problem[place + G_ANY] != 0 and problem[place + G_NUMBER] > 1
    return problem[place + G_OWNER] >= 0 and not work[goals + T_SAFE] >> goal & 1 and not one_is_enough


@inner
def _narrow_seats(problem: np.ndarray, work: np.ndarray, goals: int, number: int, left: int, held: int, players: int) -> bool:
    """Bounds for the number of tricks each seat wins in all; False when they contradict each other."""
    total = number + left
    for seat in range(players):
        taken = popcount(work[goals + T_TAKEN + seat])
        work[TAKEN_COUNT + seat] = taken
        work[LEAST + seat] = taken
        work[MOST + seat] = taken + left
    to_the_end = problem[ENDS] == 0
    _reach(work, left, held, to_the_end, players)
    for seat in range(players if to_the_end else 0):
        _narrow(work, seat, work[TAKEN_COUNT + seat] + _trump_tricks(work, seat, left, held), 99)
    related = False
    for goal in range(problem[GOALS]):
        place = GOAL + GOAL_ROW * goal
        owner = problem[place + G_OWNER]
        if not _binds(problem, work, goals, goal):
            continue
        for index in range(problem[place + G_FIRST], problem[place + G_FIRST] + problem[place + G_NUMBER]):
            row = CONDITION + CONDITION_ROW * index
            low = problem[row + C_LOW]
            high = problem[row + C_HIGH]
            taken = work[TAKEN_COUNT + owner]
            if problem[row + C_AGAINST] == TOGETHER:
                continue
            if problem[row + C_AGAINST] != AGAINST_NOBODY:
                related = related or problem[row + C_COUNT] == COUNT_TRICKS
            elif problem[row + C_COUNT] == COUNT_CARDS:
                won = work[goals + T_WON + owner]
                missing = low - popcount(won & problem[row + C_CARDS]) + popcount(won & problem[row + C_MINUS])
                if missing > 0:
                    _narrow(work, owner, taken + (missing + players - 1) // players, 99)
            elif problem[row + C_COUNT] == COUNT_TRICKS:
                if problem[row + C_SPECIAL]:
                    missing = low - (work[goals + T_TALLIES + index] >> COUNT_BITS * owner & 127)
                    _narrow(work, owner, taken + missing, 99)
                else:
                    here = popcount(work[goals + T_TAKEN + owner] & problem[row + C_NUMBERS])
                    outside = max(0, left - popcount(problem[row + C_NUMBERS] >> number))
                    _narrow(work, owner, taken + low - here, taken + high - here + outside)
            elif problem[row + C_COUNT] == COUNT_RUN:
                run = last_run(work[goals + T_TAKEN + owner], number)
                if longest_run(work[goals + T_TAKEN + owner]) < low:
                    _narrow(work, owner, taken + low - run, 99)
                if 0 <= high < left:
                    # at most ``high`` of any high + 1 tricks in a row
                    first = max(0, high - run)
                    rest = left - first - 1
                    most = left if rest < 0 else first + rest // (high + 1) * high + min(rest % (high + 1), high)
                    _narrow(work, owner, 0, taken + most)
    if not to_the_end:  # the sums below are over all tricks
        for seat in range(players):  # noqa: SIM110  a generator cannot be compiled
            if work[LEAST + seat] > work[MOST + seat]:
                return False
        return True
    for _ in range(3 if related else 1):
        if related:
            for goal in range(problem[GOALS]):
                place = GOAL + GOAL_ROW * goal
                owner = problem[place + G_OWNER]
                if not _binds(problem, work, goals, goal):
                    continue
                for index in range(problem[place + G_FIRST], problem[place + G_FIRST] + problem[place + G_NUMBER]):
                    row = CONDITION + CONDITION_ROW * index
                    against = problem[row + C_AGAINST]
                    if problem[row + C_COUNT] != COUNT_TRICKS or problem[row + C_SPECIAL] or against in (AGAINST_NOBODY, TOGETHER):
                        continue
                    low = problem[row + C_LOW]
                    high = problem[row + C_HIGH]
                    if against == AGAINST_TOGETHER:
                        # own - (total - own) lies between low and high
                        _narrow(work, owner, (total + low + 1) >> 1, (total + high) >> 1)
                        continue
                    for other in range(players):
                        if other == owner or (against >= 0 and other != against):
                            continue
                        _narrow(work, owner, work[LEAST + other] + low, work[MOST + other] + high)
                        _narrow(work, other, work[LEAST + owner] - high, work[MOST + owner] - low)
        least = 0
        most = 0
        for seat in range(players):
            least += work[LEAST + seat]
            most += work[MOST + seat]
        if least > total or most < total:
            return False
        for seat in range(players):
            if work[LEAST + seat] > work[MOST + seat]:
                return False
            low = total - most + work[MOST + seat]
            high = total - least + work[LEAST + seat]
            most -= work[MOST + seat]
            least -= work[LEAST + seat]
            _narrow(work, seat, low, high)
            most += work[MOST + seat]
            least += work[LEAST + seat]
    return True


@inner
def _together(problem: np.ndarray, work: np.ndarray, goals: int, row: int, number: int, left: int, held: int, players: int) -> int:
    """DEAD, OPEN or SAFE: how a condition stands that counts for all seats together, by the cards and tricks that are left."""
    low = problem[row + C_LOW]
    high = problem[row + C_HIGH]
    count = problem[row + C_COUNT]
    now = 0
    more = 0
    less = 0
    if count == COUNT_CARDS:
        for seat in range(players):
            won = work[goals + T_WON + seat]
            now += popcount(won & problem[row + C_CARDS]) - popcount(won & problem[row + C_MINUS])
        if left:
            more = popcount(held & problem[row + C_CARDS])
            less = popcount(held & problem[row + C_MINUS])
    elif problem[row + C_SPECIAL]:
        index = (row - CONDITION) // CONDITION_ROW
        for seat in range(players):
            now += work[goals + T_TALLIES + index] >> COUNT_BITS * seat & 127
        if count == COUNT_OPENINGS:
            more = left
        elif left:
            # each trick that counts takes one of the winning cards
            room = min(popcount(problem[row + C_NUMBERS] >> number), popcount(held & problem[row + C_WON_WITH]))
            for owner in range(players if room else 0):
                if _possible_special(problem, work, row, held, owner, players):
                    more = room
    else:
        for seat in range(players):
            now += popcount(work[goals + T_TAKEN + seat] & problem[row + C_NUMBERS])
        more = popcount(problem[row + C_NUMBERS] >> number) if left else 0
    if problem[row + C_ALWAYS] and number and not low <= now <= high:
        return DEAD
    if now + more < low or now - less > high:
        return DEAD
    return SAFE if now - less >= low and now + more <= high else OPEN


@inner
def _condition(
    problem: np.ndarray, work: np.ndarray, goals: int, leader: int, index: int, owner: int, number: int, left: int, held: int, players: int
) -> int:
    """DEAD, OPEN or SAFE: how one condition stands, by the bounds of the number it counts."""
    row = CONDITION + CONDITION_ROW * index
    low = problem[row + C_LOW]
    high = problem[row + C_HIGH]
    count = problem[row + C_COUNT]
    against = problem[row + C_AGAINST]
    taken = work[goals + T_TAKEN + owner]
    more = work[MOST + owner] - work[TAKEN_COUNT + owner]
    least = 0
    most = 0
    if against == owner:
        return SAFE if low <= 0 <= high else DEAD
    if against == TOGETHER:
        return _together(problem, work, goals, row, number, left, held, players)
    if count == COUNT_CARDS:
        won = work[goals + T_WON + owner]
        least = popcount(won & problem[row + C_CARDS]) - popcount(won & problem[row + C_MINUS])
        most = least
        if left:
            reach = work[REACH + owner]
            forced = work[FORCED + owner]
            plus = problem[row + C_CARDS]
            minus = problem[row + C_MINUS]
            most += min(popcount(reach & plus), more * players) - popcount(forced & minus)
            least += popcount(forced & plus) - min(popcount(reach & minus), more * players)
        if against != AGAINST_NOBODY:
            # held against each other seat that counts
            own_least = least
            own_most = most
            now = popcount(won & problem[row + C_CARDS]) - popcount(won & problem[row + C_MINUS])
            state = OPEN if left else SAFE
            together = 0
            together_gain = 0
            together_loss = 0
            for other in range(players):
                if other == owner or (against >= 0 and other != against):
                    continue
                theirs = work[goals + T_WON + other]
                value = popcount(theirs & problem[row + C_CARDS]) - popcount(theirs & problem[row + C_MINUS])
                gain = 0
                loss = 0
                if left:
                    room = (work[MOST + other] - work[TAKEN_COUNT + other]) * players
                    gain = min(popcount(held & problem[row + C_CARDS]), room)
                    loss = min(popcount(held & problem[row + C_MINUS]), room)
                if against == AGAINST_TOGETHER:
                    together += value
                    together_gain += gain
                    together_loss += loss
                    continue
                if problem[row + C_ALWAYS] and number and not low <= now - value <= high:
                    return DEAD
                if own_most - value + loss < low or own_least - value - gain > high:
                    return DEAD
                if own_least - value - gain < low or own_most - value + loss > high:
                    state = OPEN
            if against == AGAINST_TOGETHER:
                if problem[row + C_ALWAYS] and number and not low <= now - together <= high:
                    return DEAD
                if own_most - together + together_loss < low or own_least - together - together_gain > high:
                    return DEAD
                if own_least - together - together_gain < low or own_most - together + together_loss > high:
                    state = OPEN
            return state
        if problem[row + C_ALWAYS] and number:
            now = popcount(won & problem[row + C_CARDS]) - popcount(won & problem[row + C_MINUS])
            if not low <= now <= high:
                return DEAD
    elif count == COUNT_RUN:
        now = longest_run(taken)
        least = now
        most = max(now, last_run(taken, number) + more if more == left else max(last_run(taken, number) + more, more))
        for other in range(players):
            if other == owner or against == AGAINST_NOBODY or (against >= 0 and other != against):
                continue
            theirs = work[goals + T_TAKEN + other]
            longest = longest_run(theirs)
            longest_yet = max(longest, last_run(theirs, number) + left)
            if against != AGAINST_EACH:
                now -= longest
                least -= longest_yet
                most -= longest
                continue
            if problem[row + C_ALWAYS] and number and not low <= now - longest <= high:
                return DEAD
            if most - longest < low or least - longest_yet > high:
                return DEAD
        if against == AGAINST_EACH:
            return OPEN if left else SAFE
        if problem[row + C_ALWAYS] and number and not low <= now <= high:
            return DEAD
    elif problem[row + C_SPECIAL]:
        tally = work[goals + T_TALLIES + index]
        least = tally >> COUNT_BITS * owner & 127
        most = least
        if count == COUNT_OPENINGS:
            if left and work[HELD_BY + owner] & problem[row + C_CARDS]:
                most += min(left, more + 1)
            forced = left and owner == leader and not work[HELD_BY + owner] & ~problem[row + C_CARDS]
            if forced and not problem[row + C_BY_CHOICE]:
                least += 1
        elif left:
            room = min(popcount(problem[row + C_NUMBERS] >> number), more)
            if room and _possible_special(problem, work, row, held, owner, players):
                most += room
        alone = against == AGAINST_NOBODY
        if alone and problem[row + C_ALWAYS] and number and not low <= (tally >> COUNT_BITS * owner & 127) <= high:
            return DEAD
        if not alone:
            # Rare: told apart only at the end, and by what is counted so far when it must always hold.
            state = SAFE if not left else OPEN
            together = 0
            for other in range(players):
                if other == owner or (against >= 0 and other != against):
                    continue
                value = tally >> COUNT_BITS * other & 127
                together += value
                wrong = not low <= (tally >> COUNT_BITS * owner & 127) - value <= high
                if against != AGAINST_TOGETHER and wrong and (not left or (problem[row + C_ALWAYS] and number)):
                    return DEAD
            wrong = not low <= (tally >> COUNT_BITS * owner & 127) - together <= high
            if against == AGAINST_TOGETHER and wrong and (not left or (problem[row + C_ALWAYS] and number)):
                return DEAD
            return state
    elif against == AGAINST_NOBODY:
        numbers = problem[row + C_NUMBERS]
        coming = popcount(numbers >> number)
        least = popcount(taken & numbers)
        if problem[row + C_ALWAYS] and number and not low <= least <= high:
            return DEAD
        most = least + min(coming, more)
        if coming == left:
            least += work[LEAST + owner] - work[TAKEN_COUNT + owner]
    else:
        total = number + left
        state = SAFE
        for other in range(players):
            if other == owner or (against >= 0 and other != against):
                continue
            now = work[TAKEN_COUNT + owner] - work[TAKEN_COUNT + other]
            least = work[LEAST + owner] - work[MOST + other]
            most = work[MOST + owner] - work[LEAST + other]
            if against == AGAINST_TOGETHER:
                now = 2 * work[TAKEN_COUNT + owner] - number
                least = 2 * work[LEAST + owner] - total
                most = 2 * work[MOST + owner] - total
                if problem[ENDS]:
                    least = now - left
                    most = now + left
            if problem[row + C_ALWAYS] and number and not low <= now <= high:
                return DEAD
            if most < low or least > high:
                return DEAD
            if least < low or most > high:
                state = OPEN
        # Bounds that the conditions themselves have narrowed prove nothing: only what was taken counts as safe.
        if state == SAFE and left:
            for other in range(players):
                if other == owner or (against >= 0 and other != against):
                    continue
                now = work[TAKEN_COUNT + owner] - work[TAKEN_COUNT + other]
                if against == AGAINST_TOGETHER:
                    now = 2 * work[TAKEN_COUNT + owner] - number
                if now - left < low or now + left > high:
                    return OPEN
        return state
    if most < low or least > high:
        return DEAD
    return OPEN if least < low or most > high or left else SAFE


@inner
def _truly_safe(
    problem: np.ndarray, work: np.ndarray, goals: int, index: int, owner: int, number: int, left: int, held: int, players: int
) -> bool:
    """Whether a condition can no longer fail whatever is played: by cards and tricks left alone, not by narrowed bounds."""
    row = CONDITION + CONDITION_ROW * index
    low = problem[row + C_LOW]
    high = problem[row + C_HIGH]
    if problem[row + C_AGAINST] != AGAINST_NOBODY:
        return False
    count = problem[row + C_COUNT]
    won = work[goals + T_WON + owner]
    taken = work[goals + T_TAKEN + owner]
    if count == COUNT_CARDS:
        now = popcount(won & problem[row + C_CARDS]) - popcount(won & problem[row + C_MINUS])
        return now - popcount(held & problem[row + C_MINUS]) >= low and now + popcount(held & problem[row + C_CARDS]) <= high
    if count == COUNT_RUN:
        return longest_run(taken) >= low and max(longest_run(taken), last_run(taken, number) + left) <= high
    if problem[row + C_SPECIAL]:
        now = work[goals + T_TALLIES + index] >> COUNT_BITS * owner & 127
        coming = popcount(problem[row + C_NUMBERS] >> number)
        if count == COUNT_OPENINGS:
            coming = left if work[HELD_BY + owner] & problem[row + C_CARDS] else 0
        return now >= low and now + coming <= high
    now = popcount(taken & problem[row + C_NUMBERS])
    return now >= low and now + popcount(problem[row + C_NUMBERS] >> number) <= high


@inner
def _assess_played(problem: np.ndarray, work: np.ndarray, goals: int, leader: int, number: int, left: int, players: int) -> int:
    """DEAD when something that has to hold after every trick does not now, for every way to fulfil a goal; else OPEN."""
    none = np.int64(0)  # no literal, see lay_out
    for seat in range(players):
        work[TAKEN_COUNT + seat] = popcount(work[goals + T_TAKEN + seat])
        work[LEAST + seat] = work[TAKEN_COUNT + seat]
        work[MOST + seat] = work[TAKEN_COUNT + seat]
    for goal in range(problem[GOALS] if number else 0):
        place = GOAL + GOAL_ROW * goal
        owner = problem[place + G_OWNER]
        alive = 0
        for index in range(problem[place + G_FIRST], problem[place + G_FIRST] + problem[place + G_NUMBER]):
            row = CONDITION + CONDITION_ROW * index
            broken = owner >= 0 and problem[row + C_BROKEN] >> owner & 1 != 0
            if owner >= 0 and problem[row + C_ALWAYS] and not broken:
                broken = _condition(problem, work, goals, leader, index, owner, number, none, none, players) == DEAD
            if broken:
                work[goals + T_BROKEN] |= 1 << index
            alive += not work[goals + T_BROKEN] >> index & 1
        if alive < (1 if problem[place + G_ANY] else problem[place + G_NUMBER]):
            return DEAD
    for seat in range(players):
        work[MOST + seat] += left
    return OPEN


@inner
def assess(problem: np.ndarray, work: np.ndarray, trick: int, left: int, held: int, players: int) -> int:
    """How the goals stand before trick ``trick`` of the search, with ``left`` tricks to come and the card set ``held``.

    DEAD when one of them can no longer come true, SAFE when none can fail any more, else OPEN. Reads won cards,
    tricks and tallies of the trick's goal row; writes its safe goals, masks, and the seats that may win. The
    bounds of each seat's tricks are left in the work array.
    """
    goals = GOAL_ROWS + TRICK_GOAL_ROW * trick
    row = TRICK_ROWS + TRICK_ROW * trick
    number = problem[TRICKS_BEFORE] + trick
    leader = work[row + T_LEADER]
    everyone = (1 << players) - 1
    may = everyone
    banned = 0
    later = 0
    safe = work[goals + T_SAFE]
    broken = work[goals + T_BROKEN]
    work[goals + T_MAY] = everyone
    work[goals + T_BANNED] = 0
    for card in range(MAX_CARDS):
        work[goals + T_MASK + card] = everyone
    tasks = work[row + T_TASKS]
    while tasks:
        work[goals + T_MASK + lowest(tasks)] = problem[OWNERS + lowest(tasks)]
        tasks &= tasks - 1
    if trick < problem[PASS_AFTER]:  # nothing is known of hands that are to change
        return _assess_played(problem, work, goals, leader, number, left, players)
    if not _narrow_seats(problem, work, goals, number, left, held, players):
        return DEAD
    all_safe = True
    for goal in range(problem[GOALS]):
        if safe >> goal & 1:
            continue
        place = GOAL + GOAL_ROW * goal
        owner = problem[place + G_OWNER]
        if owner < 0:
            all_safe = False
            continue
        first = problem[place + G_FIRST]
        conditions = problem[place + G_NUMBER]
        any_of = problem[place + G_ANY] and conditions > 1
        alive = 0
        the_one = -1
        sure = 0
        for index in range(first, first + conditions):
            state = DEAD
            if not broken >> index & 1 and not problem[CONDITION + CONDITION_ROW * index + C_BROKEN] >> owner & 1:
                state = _condition(problem, work, goals, leader, index, owner, number, left, held, players)
            if state == DEAD:
                broken |= 1 << index
                if not any_of:
                    return DEAD
                continue
            alive += 1
            the_one = index
            if state == SAFE or _truly_safe(problem, work, goals, index, owner, number, left, held, players):
                sure += 1
        if alive == 0:
            return DEAD
        if (sure == conditions) or (any_of and sure):
            safe |= 1 << goal
            continue
        all_safe = False
        if not left:
            return DEAD
        if any_of and alive > 1:
            continue
        if any_of:
            first = the_one
            conditions = 1
        mine = 1 << owner
        for index in range(first, first + conditions):
            condition = CONDITION + CONDITION_ROW * index
            low = problem[condition + C_LOW]
            high = problem[condition + C_HIGH]
            count = problem[condition + C_COUNT]
            if problem[condition + C_AGAINST] == TOGETHER:
                if count == COUNT_TRICKS and problem[condition + C_SPECIAL] and not problem[condition + C_NUMBERS] >> number & 1:
                    cards = held & problem[condition + C_HOLDS]
                    if low > 0 and cards and not cards & (cards - 1):
                        tally = 0
                        for seat in range(players):
                            tally += work[goals + T_TALLIES + index] >> COUNT_BITS * seat & 127
                        later |= cards if tally < low else 0
            elif count == COUNT_OPENINGS:
                tally = work[goals + T_TALLIES + index] >> COUNT_BITS * owner & 127
                if owner == leader and problem[condition + C_AGAINST] == AGAINST_NOBODY and tally == high:
                    others = work[HELD_BY + owner] & ~work[row + T_HIDDEN] & ~problem[condition + C_CARDS]
                    if not problem[condition + C_BY_CHOICE] or others:
                        banned |= problem[condition + C_CARDS]
            elif problem[condition + C_AGAINST] != AGAINST_NOBODY:
                continue
            elif count == COUNT_CARDS:
                if problem[condition + C_MINUS]:
                    continue
                won = popcount(work[goals + T_WON + owner] & problem[condition + C_CARDS])
                cards = held & problem[condition + C_CARDS]
                if won == high:
                    allowed = everyone ^ mine
                elif won + popcount(cards & work[REACH + owner]) == low:
                    cards &= work[REACH + owner]
                    allowed = mine
                else:
                    continue
                while cards:
                    work[goals + T_MASK + lowest(cards)] &= allowed
                    cards &= cards - 1
            elif count == COUNT_RUN:
                run = last_run(work[goals + T_TAKEN + owner], number)
                if run == high:
                    may &= ~mine
                if longest_run(work[goals + T_TAKEN + owner]) < low and min(left - 1, work[MOST + owner] - work[TAKEN_COUNT + owner]) < low:
                    may &= mine
            elif problem[condition + C_SPECIAL]:
                here = problem[condition + C_NUMBERS] >> number & 1
                missing = low - (work[goals + T_TALLIES + index] >> COUNT_BITS * owner & 127)
                if missing > 0:
                    if here and popcount(problem[condition + C_NUMBERS] >> number) == missing:
                        may &= mine
                    cards = held & problem[condition + C_HOLDS]
                    if not here and cards and not cards & (cards - 1):
                        later |= cards
            elif problem[condition + C_NUMBERS] >> number & 1:
                taken = popcount(work[goals + T_TAKEN + owner] & problem[condition + C_NUMBERS])
                if taken == high:
                    may &= ~mine
                elif taken + popcount(problem[condition + C_NUMBERS] >> number) == low:
                    may &= mine
    work[goals + T_SAFE] = safe
    work[goals + T_BROKEN] = broken
    if all_safe:
        return SAFE
    needed = 0
    needing = 0
    for seat in range(players):
        missing = work[LEAST + seat] - work[TAKEN_COUNT + seat]
        if missing > 0:
            needed += missing
            needing |= 1 << seat
        if work[MOST + seat] == work[TAKEN_COUNT + seat]:
            may &= ~(1 << seat)
    if needed == left:
        may &= needing
    # A trump is won by its holder, or by who holds a higher one and may win that too.
    trumps = held >> 36 << 36
    while trumps:
        card = highest(trumps)
        trumps ^= 1 << card
        winners = 1 << work[HOLDER + card]
        above = held & -(2 << card)
        while above:
            higher = lowest(above)
            above &= above - 1
            winners |= 1 << work[HOLDER + higher] & work[goals + T_MASK + higher]
        work[goals + T_MASK + card] &= winners
    for seat in range(0 if problem[ENDS] else players):
        if popcount(work[HELD_BY + seat]) <= left:
            hand = work[HELD_BY + seat]
            while hand:
                if not work[goals + T_MASK + lowest(hand)]:
                    return DEAD
                hand &= hand - 1
    while later:
        work[goals + T_MASK + lowest(later)] = 0
        later &= later - 1
    work[goals + T_MAY] = may
    work[goals + T_BANNED] = banned
    return OPEN if may and (work[HELD_BY + leader] & ~banned or not left) else DEAD


@inner
def goals_hold_now(problem: np.ndarray, work: np.ndarray, trick: int, players: int) -> bool:
    """Whether every goal holds if the attempt ends before trick ``trick``: with no trick and no card left."""
    goals = GOAL_ROWS + TRICK_GOAL_ROW * trick
    safe = work[goals + T_SAFE]
    broken = work[goals + T_BROKEN]
    later = problem[PASS_AFTER]
    problem[PASS_AFTER] = 0
    none = np.int64(0)  # no literal, see lay_out
    state = assess(problem, work, trick, none, none, players)
    problem[PASS_AFTER] = later
    work[goals + T_SAFE] = safe
    work[goals + T_BROKEN] = broken
    return state == SAFE


@inner
def count_trick(problem: np.ndarray, work: np.ndarray, trick: int, depth: int, winner: int, lying: int, players: int) -> None:
    """Fill the goal row after trick ``trick`` of the search, whose cards, the set ``lying``, lie at the plies before ``depth``."""
    before = GOAL_ROWS + TRICK_GOAL_ROW * trick
    after = before + TRICK_GOAL_ROW
    number = problem[TRICKS_BEFORE] + trick
    leader = work[TRICK_ROWS + TRICK_ROW * trick + T_LEADER]
    for seat in range(players):
        work[after + T_WON + seat] = work[before + T_WON + seat]
        work[after + T_TAKEN + seat] = work[before + T_TAKEN + seat]
    work[after + T_WON + winner] |= lying
    work[after + T_TAKEN + winner] |= 1 << number
    work[after + T_SAFE] = work[before + T_SAFE]
    work[after + T_BROKEN] = work[before + T_BROKEN]
    turn = winner - leader
    if turn < 0:
        turn += players
    top = 1 << work[LINE + depth - players + turn]
    held = work[TRICK_ROWS + TRICK_ROW * trick + T_HELD]
    for goal in range(problem[GOALS]):
        if work[before + T_SAFE] >> goal & 1:
            continue
        first = problem[GOAL + GOAL_ROW * goal + G_FIRST]
        for index in range(first, first + problem[GOAL + GOAL_ROW * goal + G_NUMBER]):
            row = CONDITION + CONDITION_ROW * index
            if not problem[row + C_SPECIAL]:
                continue
            tally = work[before + T_TALLIES + index]
            if problem[row + C_COUNT] == COUNT_OPENINGS:
                # what the leader holds now are the other cards it could have led
                choice = problem[row + C_BY_CHOICE] == 0 or work[HELD_BY + leader] & ~problem[row + C_CARDS] != 0
                if choice and problem[row + C_CARDS] >> work[LINE + depth - players] & 1:
                    tally += 1 << COUNT_BITS * leader
            elif problem[row + C_NUMBERS] >> number & 1 and _counts(problem, work, row, depth, lying, top, held, players):
                tally += 1 << COUNT_BITS * winner
            work[after + T_TALLIES + index] = tally


@inner
def _counts(problem: np.ndarray, work: np.ndarray, row: int, depth: int, lying: int, top: int, held: int, players: int) -> bool:
    """Whether the trick just finished has the properties that condition ``row`` asks for; ``top`` is its winning card's set,
    ``held`` are the cards that were not played before it."""
    if held & problem[row + C_AFTER]:
        return False
    if lying & ~problem[row + C_ONLY] or not top & problem[row + C_WON_WITH]:
        return False
    if problem[row + C_CAPTURES] and not lying & ~top & problem[row + C_CAPTURES]:
        return False
    if problem[row + C_HOLDS] and not lying & problem[row + C_HOLDS]:
        return False
    if not problem[row + C_CLOSED_WITH] >> work[LINE + depth - 1] & 1:
        return False
    if problem[row + C_EQUAL]:
        number = popcount(lying & problem[row + C_EQUAL])
        if number == 0 or number != popcount(lying & problem[row + C_EQUAL_TO]):
            return False
    if problem[row + C_SUM_LOW] > 0 or problem[row + C_SUM_HIGH] < 99:
        total = players
        for place in range(depth - players, depth):
            total += work[LINE + place] % 9
        if not problem[row + C_SUM_LOW] <= total <= problem[row + C_SUM_HIGH]:
            return False
    return True


@inner
def goals_key(problem: np.ndarray, work: np.ndarray, trick: int, held: int, leader: int, tally: int, players: int) -> int:
    """A key of the boundary before trick ``trick``, never zero: cards held, leader, free tasks completed, and all that the goals remember.

    A hash of 63 bits, unlike the exact keys of card tasks: two of a million situations meet once in ten million searches.
    """
    goals = GOAL_ROWS + TRICK_GOAL_ROW * trick
    number = problem[TRICKS_BEFORE] + trick
    tricks_matter = False
    hashed = _mix(_mix(np.uint64(held | (leader + 1) << 40)) ^ np.uint64(tally))
    if problem[HASHED] and work[LATER] >= 0:
        for seat in range(players):
            hashed = _mix(hashed ^ np.uint64(work[LATER + seat] + 1))
    if problem[GOALS] and work[goals + T_BROKEN]:
        hashed = _mix(hashed ^ np.uint64(work[goals + T_BROKEN]))
    for goal in range(problem[GOALS]):
        if work[goals + T_SAFE] >> goal & 1:
            continue
        place = GOAL + GOAL_ROW * goal
        owner = problem[place + G_OWNER]
        first = problem[place + G_FIRST]
        for index in range(first, first + problem[place + G_NUMBER]):
            row = CONDITION + CONDITION_ROW * index
            count = problem[row + C_COUNT]
            value = 0
            if problem[row + C_SPECIAL]:
                value = work[goals + T_TALLIES + index]
                if problem[row + C_AGAINST] == AGAINST_NOBODY:
                    value = value >> COUNT_BITS * owner & 127
            elif count == COUNT_RUN:
                for seat in range(players):
                    if seat == owner or problem[row + C_AGAINST] != AGAINST_NOBODY:
                        taken = work[goals + T_TAKEN + seat]
                        value = value << 8 | longest_run(taken) << 4 | last_run(taken, number)
            elif count == COUNT_CARDS:
                for seat in range(players):
                    if seat == owner or problem[row + C_AGAINST] != AGAINST_NOBODY:
                        won = work[goals + T_WON + seat]
                        value = value << 8 | (64 + popcount(won & problem[row + C_CARDS]) - popcount(won & problem[row + C_MINUS]))
            elif problem[row + C_AGAINST] != AGAINST_NOBODY:
                tricks_matter = True
            else:
                value = popcount(work[goals + T_TAKEN + owner] & problem[row + C_NUMBERS])
            hashed = _mix(hashed ^ np.uint64(value << 12 | index << 4 | (owner + 1)))
    if tricks_matter:
        value = 0
        for seat in range(players):
            value = value << 5 | popcount(work[goals + T_TAKEN + seat])
        hashed = _mix(hashed ^ np.uint64(value))
    return np.int64(_mix(hashed) >> np.uint64(1)) | 1


@njit(inline="always")
def _mix(word: np.uint64) -> np.uint64:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014), a bijection."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inner
def card_kinds(problem: np.ndarray, work: np.ndarray) -> None:
    """Give cards the same number exactly when no open goal of the first trick tells them apart."""
    for card in range(MAX_CARDS):
        kind = np.uint64(0)
        for goal in range(problem[GOALS]):
            if work[GOAL_ROWS + T_SAFE] >> goal & 1:
                continue
            first = problem[GOAL + GOAL_ROW * goal + G_FIRST]
            for index in range(first, first + problem[GOAL + GOAL_ROW * goal + G_NUMBER]):
                row = CONDITION + CONDITION_ROW * index
                sets = (
                    problem[row + C_CARDS] >> card & 1
                    | (problem[row + C_MINUS] >> card & 1) << 1
                    | (problem[row + C_WON_WITH] >> card & 1) << 2
                    | (problem[row + C_CAPTURES] >> card & 1) << 3
                    | (problem[row + C_HOLDS] >> card & 1) << 4
                    | (problem[row + C_ONLY] >> card & 1) << 5
                    | (problem[row + C_EQUAL] >> card & 1) << 6
                    | (problem[row + C_EQUAL_TO] >> card & 1) << 7
                    | (problem[row + C_CLOSED_WITH] >> card & 1) << 8
                    | (problem[row + C_AFTER] >> card & 1) << 9
                )
                if problem[row + C_SUM_LOW] > 0 or problem[row + C_SUM_HIGH] < 99:
                    sets |= (card % 9 + 1) << 10
                kind = _mix(kind ^ np.uint64(sets << 8 | index))
        work[KIND + card] = np.int64(kind >> np.uint64(1))


@njit(cache=True)
def count_past(
    problem: np.ndarray, work: np.ndarray, cards: np.ndarray, leaders: np.ndarray, winners: np.ndarray, led_from: np.ndarray
) -> None:
    """Write into the problem what the tricks before the search gave: won cards, tricks, tallies.

    ``cards``[trick, turn] as played, ``leaders`` and ``winners`` are seats, ``led_from`` the cards that could be led, all
    int64. The goals must be there already.
    """
    players = cards.shape[1]
    held = (1 << 40) - 1
    for number in range(len(cards)):
        lying = 0
        for turn in range(players):
            work[LINE + turn] = cards[number, turn]
            lying |= 1 << cards[number, turn]
        winner = winners[number]
        problem[WON_BEFORE + winner] |= lying
        problem[TAKEN_BEFORE + winner] |= 1 << number
        turn = winner - leaders[number]
        top = 1 << cards[number, turn if turn >= 0 else turn + players]
        for index in range(problem[CONDITIONS]):
            row = CONDITION + CONDITION_ROW * index
            if not problem[row + C_SPECIAL]:
                continue
            if problem[row + C_COUNT] == COUNT_OPENINGS:
                choice = problem[row + C_BY_CHOICE] == 0 or led_from[number] & ~problem[row + C_CARDS] != 0
                if choice and problem[row + C_CARDS] >> cards[number, 0] & 1:
                    problem[row + C_TALLY] += 1 << COUNT_BITS * leaders[number]
            elif problem[row + C_NUMBERS] >> number & 1 and _counts(problem, work, row, players, lying, top, held, players):
                problem[row + C_TALLY] += 1 << COUNT_BITS * winner
        held &= ~lying
