"""The referee: the rules in plain Python, one card at a time. Slow, obviously right, and knows no search.

The rules, in eighteen lines:
 1. The captain, who holds trump 4, leads the first trick; afterwards the winner of a trick leads the next.
 2. Clockwise each seat plays one card of its hand. Who holds the led suit must follow it; trump is a suit too.
 3. The highest trump wins the trick; without trump the highest card of the led suit.
 4. There are as many tricks as the smallest hand has cards; a card left over is won by nobody.
 5. A task is completed when its owner wins the trick with the task card; any other winner fails the mission.
 6. A task without an owner goes to whoever wins its card, as far as the distribution leaves that seat a task.
 7. Absolute token k: the task is the k-th of all tasks to be completed. Omega: the last of all.
 8. Arrows: not before any lower arrow. Tasks completed in one trick may be put in whatever order fits.
 9. All tasks completed and no goals: the mission is won, and what follows no longer matters.
10. A violation in the winning trick still fails; a task open after the last trick fails.
11. A goal (of a task, or of the crew) is judged over the whole attempt, when the last trick is over; only what has to
    hold after every trick fails at once. A card left over is won by nobody, so it counts for nobody.
12. A task with a goal is completed when the goal holds for its owner. Without owner it goes to any seat for which it
    holds, so that all tasks together are handed out as the distribution allows.
13. A goal of the crew has to hold for somebody, for everyone, or for the crew as if it were one seat. Where roles are
    chosen, different roles go to different seats.
14. With goals the mission is won after the last trick: when every task is completed and every goal holds. Where the
    attempt ends with the last task, it is won after the first trick when that is so, and what follows no longer matters.
15. Of a hand of columns only open cards can be played, and only they oblige to follow. When a trick is over, the card
    under the one played opens.
16. Where cards change hands, each seat passes one, all at once, to the neighbour on the same side. With the distress
    signal, before trick 1, these are colour cards, of columns open ones, and what comes lies open in the gap.
17. Later, of columns a hidden card goes, if there is one, and what comes lies in the gap, when the columns have opened.
18. The captain stays captain whoever holds trump 4; a role left of the holder of a card is fixed when trick 1 starts.

``register_jitable`` leaves a function what it is, plain Python; it only allows batches to run the very same
source compiled, so that every line of a million deals is refereed too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from numba.extending import register_jitable

from .cards import cards_of, format_card
from .drafts import remaining_counts
from .errors import InputError
from .goals import CARDS, EACH_OTHER, NOBODY, OPENINGS, OTHERS_TOGETHER, RUN, TOGETHER, TRICKS, UNBOUNDED, Condition, Duty
from .positions import Exchange, Position

TOKEN_CODES: dict[str | None, int] = {
    None: 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "omega": 6, ">": 11, ">>": 12, ">>>": 13, ">>>>": 14,
}  # fmt: skip
"""Tokens as numbers: 0 none, 1-5 absolute, 6 omega, above 10 arrows."""

# The places of the fields in a condition, which compiled code sees as a row of ints.
COUNT = Condition._fields.index("count")
COUNTED = Condition._fields.index("cards")
MINUS = Condition._fields.index("minus")
NUMBERS = Condition._fields.index("numbers")
WON_WITH = Condition._fields.index("won_with")
CAPTURES = Condition._fields.index("captures")
HOLDS = Condition._fields.index("holds")
ONLY = Condition._fields.index("only")
SUM_LOW = Condition._fields.index("sum_low")
SUM_HIGH = Condition._fields.index("sum_high")
EQUAL = Condition._fields.index("equal")
EQUAL_TO = Condition._fields.index("equal_to")
CLOSED_WITH = Condition._fields.index("closed_with")
AGAINST = Condition._fields.index("against")
LOW = Condition._fields.index("low")
HIGH = Condition._fields.index("high")
ALWAYS = Condition._fields.index("always")
AFTER = Condition._fields.index("after")
BY_CHOICE = Condition._fields.index("by_choice")


@register_jitable
def must_follow(hand: int, led: int, card: int) -> bool:
    """Whether playing ``card`` from the set ``hand`` on the led card breaks the duty to follow suit."""
    led_suit_held = (hand >> led // 9 * 9) & 0x1FF
    return card // 9 != led // 9 and led_suit_held != 0


@register_jitable
def beats(card: int, best: int) -> bool:
    """Whether ``card`` takes the trick from ``best``, the winning card so far."""
    if card // 9 == best // 9:
        return card > best
    return card // 9 == 4


@register_jitable
def breaks_order(before: Any, now: Any, tokens: Any) -> bool:
    """Whether completing the tasks of one trick breaks the order the tokens ask for.

    ``before`` and ``now`` say of each task whether it was completed in earlier tricks and in this one;
    ``tokens`` holds TOKEN_CODES. Source: rulebook on task tokens; several tasks in one trick count as
    completed in whatever order fits all tokens.
    """
    total = len(tokens)
    earlier = 0
    reached = 0
    for task in range(total):
        earlier += before[task]
        reached += before[task] or now[task]
    for task in range(total):
        token = tokens[task]
        if 1 <= token <= 5 and not before[task] and now[task] != (earlier < token <= reached):
            return True
        if now[task] and token == 6 and reached < total:
            return True
        if now[task] and token > 10:
            for lower in range(total):
                if 10 < tokens[lower] < token and not before[lower] and not now[lower]:
                    return True
    return False


@register_jitable
def contains(cards: int, card: int) -> bool:
    """Whether the set holds the card."""
    return (cards >> card) & 1 != 0


@register_jitable
def trick_counts(condition: Any, number: int, trick: Any, best: int) -> bool:
    """Whether a trick that was won counts for a condition on tricks.

    ``number`` is 0 for the first trick; ``trick`` its cards in play order; ``best`` the place of the winning card in it.
    """
    captured = False
    held = False
    total = 0
    equal = 0
    equal_to = 0
    only = True
    for place in range(len(trick)):
        card = trick[place]
        captured = captured or (place != best and contains(condition[CAPTURES], card))
        held = held or contains(condition[HOLDS], card)
        total += card % 9 + 1
        equal += contains(condition[EQUAL], card)
        equal_to += contains(condition[EQUAL_TO], card)
        only = only and contains(condition[ONLY], card)
    if not contains(condition[NUMBERS], number):
        return False
    if not contains(condition[WON_WITH], trick[best]):
        return False
    if condition[CAPTURES] != 0 and not captured:
        return False
    if condition[HOLDS] != 0 and not held:
        return False
    if not only:
        return False
    if total < condition[SUM_LOW] or total > condition[SUM_HIGH]:
        return False
    if condition[EQUAL] != 0 and (equal != equal_to or equal == 0):
        return False
    return contains(condition[CLOSED_WITH], trick[len(trick) - 1])


@register_jitable
def hidden_cards(columns: Any) -> int:
    """The cards that lie under another one, of columns given as pairs of an open and a hidden card, -1 for none."""
    hidden = 0
    for column in columns:
        if column[1] >= 0:
            hidden |= 1 << int(column[1])
    return hidden


@register_jitable
def open_columns(columns: Any, played: int) -> None:
    """A trick is over: the card that lay under the card ``played`` opens."""
    for column in columns:
        if column[0] == played:
            column[0] = column[1]
            column[1] = -1


@register_jitable
def pass_cards(hands: Any, columns: Any, signal: bool, to: int, order: Any, passed: Any) -> bool:
    """Every seat passes a card ``to`` seats to the left: the first of ``order`` that may go, noted in ``passed``.

    With the ``signal`` colour cards that are open may go, else any card, of columns a hidden one first. ``hands`` and ``columns``
    change. False when of some hand no card of the order may go.
    """
    players = len(hands)
    hidden = hidden_cards(columns)
    for seat in range(players):
        choices = hands[seat] & hidden
        if signal:
            choices = hands[seat] & ~hidden & 0xFFFFFFFFF
        elif choices == 0:
            choices = hands[seat]
        passed[seat] = -1
        for card in order:
            if passed[seat] < 0 and (choices >> card) & 1:
                passed[seat] = card
        if passed[seat] < 0:
            return False
    for seat in range(players):
        hands[seat] ^= 1 << int(passed[seat])
    for seat in range(players):
        hands[(seat + to) % players] |= 1 << int(passed[seat])
    for column in columns:
        for place in range(2):
            gone = -1
            for seat in range(players):
                if column[place] == passed[seat]:
                    gone = seat
            if gone >= 0:
                column[place] = passed[(gone - to) % players]
    return True


@register_jitable
def all_seen_before(condition: Any, line: Any, played: int) -> bool:
    """Whether all cards that have to be gone before a trick counts are among the first cards played."""
    missing = condition[AFTER]
    for place in range(played):
        missing &= ~(1 << int(line[place]))
    return bool(missing == 0)


@register_jitable
def number_of(condition: Any, seat: int, leaders: Any, winners: Any, led_from: Any, line: Any, players: int, tricks_played: int) -> int:
    """What a condition counts, counted for a seat over the tricks played."""
    number = 0
    row = 0
    for trick in range(tricks_played):
        cards = line[trick * players : (trick + 1) * players]
        won = winners[trick] == seat
        row = row + 1 if won else 0
        if condition[COUNT] == CARDS and won:
            for card in cards:
                number += contains(condition[COUNTED], card)
                number -= contains(condition[MINUS], card)
        if condition[COUNT] == TRICKS and won and trick_counts(condition, trick, cards, (seat - leaders[trick]) % players):
            number += condition[AFTER] == 0 or all_seen_before(condition, line, trick * players)
        if condition[COUNT] == OPENINGS and leaders[trick] == seat and contains(condition[COUNTED], cards[0]):
            number += condition[BY_CHOICE] == 0 or led_from[trick] & ~condition[COUNTED] != 0
        if condition[COUNT] == RUN and row > number:
            number = row
    return number


@register_jitable
def within_bounds(
    condition: Any, seat: int, leaders: Any, winners: Any, led_from: Any, line: Any, players: int, tricks_played: int
) -> bool:
    """Whether what is counted lies between the bounds after so many tricks."""
    mine = number_of(condition, seat, leaders, winners, led_from, line, players, tricks_played)
    if condition[AGAINST] >= 0:
        mine -= number_of(condition, condition[AGAINST], leaders, winners, led_from, line, players, tricks_played)
    for other in range(players):
        if other == seat:
            continue
        theirs = number_of(condition, other, leaders, winners, led_from, line, players, tricks_played)
        if condition[AGAINST] == OTHERS_TOGETHER:
            mine -= theirs
        if condition[AGAINST] == TOGETHER:
            mine += theirs
        if condition[AGAINST] == EACH_OTHER and not condition[LOW] <= mine - theirs <= condition[HIGH]:
            return False
    return bool(condition[AGAINST] == EACH_OTHER or condition[LOW] <= mine <= condition[HIGH])


@register_jitable
def condition_holds(
    condition: Any, seat: int, leaders: Any, winners: Any, led_from: Any, line: Any, players: int, tricks_played: int
) -> bool:
    """Whether a condition holds for a seat, if the attempt is over after so many tricks."""
    if condition[ALWAYS] != 0:
        for earlier in range(1, tricks_played):
            if not within_bounds(condition, seat, leaders, winners, led_from, line, players, earlier):
                return False
    return within_bounds(condition, seat, leaders, winners, led_from, line, players, tricks_played)


@register_jitable
def goal_holds(
    conditions: Any, any_of: Any, seat: int, leaders: Any, winners: Any, led_from: Any, line: Any, players: int, tricks_played: int
) -> bool:
    """Whether a goal holds for a seat, if the attempt is over after so many tricks.

    ``conditions`` are rows of ints, the fields of Condition in their order; ``leaders`` and ``winners`` the seats that
    led and won each trick, ``led_from`` the cards of which each leader could choose; ``line`` every card in play order.
    Source: goals.py.
    """
    for condition in conditions:
        holds = condition_holds(condition, seat, leaders, winners, led_from, line, players, tricks_played)
        if holds and any_of:
            return True
        if not holds and not any_of:
            return False
    return not any_of


@register_jitable
def play_out(
    hands: Any, columns: Any, after: int, to: int, order: Any, leader: int, line: Any, leaders: Any, winners: Any, led_from: Any
) -> bool:
    """Whether a whole attempt keeps the rules of play. Notes who led and won each trick, and the cards that could be led.

    ``hands`` are the card sets dealt and ``columns`` the (open, hidden) cards of a hand of columns, both used up here;
    ``line`` is every card in play order. After so many tricks (``after``, below 1 for never) every seat passes a card, see
    ``pass_cards``.
    """
    players = len(hands)
    passed = [0 for _ in hands]
    for trick in range(len(line) // players):
        led = best = int(line[trick * players])
        winner = leader
        leaders[trick] = leader
        hidden = hidden_cards(columns)
        led_from[trick] = hands[leader] & ~hidden
        for turn in range(players):
            seat = (leader + turn) % players
            card = int(line[trick * players + turn])
            hand = hands[seat] & ~hidden
            if not (hand >> card) & 1 or must_follow(hand, led, card):
                return False
            hands[seat] ^= 1 << card
            if turn > 0 and beats(card, best):
                best = card
                winner = seat
        winners[trick] = leader = winner
        for place in range(trick * players, (trick + 1) * players):
            open_columns(columns, line[place])
        if trick + 1 == after and not pass_cards(hands, columns, False, to, order, passed):
            return False
    return True


@register_jitable
def tricks_to_win(players: int, winners: Any, line: Any, cards: Any, owners: Any, tokens: Any) -> int:
    """Judge the tasks that show cards over a whole attempt with all owners known.

    ``winners`` are the seats that won the tricks of ``line``; ``cards``, ``owners`` and ``tokens`` (TOKEN_CODES) describe the
    tasks; a task with a goal has card -1 and is left to ``fulfilling``. Returns after how many tricks all other tasks
    are completed (0 without tasks), or -1 when one is won by the wrong seat or out of order, or stays open.
    """
    total = len(cards)
    before = [card < 0 for card in cards]
    completed = sum(before)
    won_after = 0
    for trick in range(len(line) // players):
        if completed == total:
            break
        now = [False for _ in cards]
        for task in range(total):
            for turn in range(players):
                if line[trick * players + turn] == cards[task]:
                    if winners[trick] != owners[task]:
                        return -1
                    now[task] = True
        if breaks_order(before, now, tokens):
            return -1
        for task in range(total):
            before[task] = before[task] or now[task]
        completed = sum(before)
        won_after = trick + 1
    return won_after if completed == total else -1


@register_jitable
def fulfilling(
    conditions: Any, any_of: Any, seats: int, leaders: Any, winners: Any, led_from: Any, line: Any, players: int, tricks_played: int
) -> int:
    """The seats of a set for which a goal holds, if the attempt is over after so many tricks, as a set."""
    fulfil = 0
    for seat in range(players):
        if (seats >> seat) & 1 and goal_holds(conditions, any_of, seat, leaders, winners, led_from, line, players, tricks_played):
            fulfil |= 1 << seat
    return fulfil


@register_jitable
def seats_fit(seats: Any) -> bool:
    """Whether different seats can be chosen from these seat sets, one from each: every way is tried."""
    number = len(seats)
    ways = 8**number
    for way in range(ways):
        taken = 0
        fits = True
        for place in range(number):
            seat = (way >> 3 * place) & 7
            fits = fits and (seats[place] >> seat) & 1 != 0 and (taken >> seat) & 1 == 0
            taken |= 1 << seat
        if fits:
            return True
    return False


@register_jitable
def counts_allowed(owners: Any, allowed: Any) -> bool:
    """Whether the owners take at most as many tasks each as one row of ``allowed`` (task counts per seat) says."""
    for row in range(len(allowed)):
        fits = True
        for seat in range(len(allowed[row])):
            taken = 0
            for owner in owners:
                taken += owner == seat
            fits = fits and taken <= allowed[row][seat]
        if fits:
            return True
    return False


class Referee:
    """Plays a position forward card by card and judges every finished trick.

    Starts after the plays the position gives. ``hands`` are the cards still held, ``leader`` the seat that led
    or leads the current trick, ``trick`` its cards so far, ``history`` the finished tricks as
    (leader, cards, winner, completed tasks), ``owners`` the owners known so far, ``completed`` the number of the
    trick in which each task was completed (None while open), ``failure`` a sentence once the mission is lost.

    A task with a goal is completed, and finds its owner, when the last trick is over: in the trick from which on, along
    these tricks, its goal held to the end.

    ``hidden`` are the cards that lie under others, ``columns`` the (open, hidden) pairs they are in. ``exchanges`` are those
    still to come; ``waiting`` says that one is due, but not which cards are passed. ``passes`` are those made, as (tricks
    before, direction, card of each seat). ``roles`` says who has which role, once the mission is won; ``led_from`` are the
    cards that the leader of each trick could lead.

    Raises InputError for an illegal play.
    """

    def __init__(self, position: Position) -> None:
        self.position = position
        self.hands = list(position.hands)
        self.columns = [list(column) for column in position.columns]
        self.exchanges: list[Exchange] = sorted(position.exchanges, key=lambda exchange: exchange.after)
        self.waiting = False
        self.passes: list[tuple[int, int, tuple[int, ...]]] = []
        self.led_from: list[int] = []
        self._ended = False
        self.roles: dict[str, int] = {}
        self.leader = position.captain
        self.trick: list[int] = []
        self.history: list[tuple[int, tuple[int, ...], int, tuple[int, ...]]] = []
        self.owners = list(position.owners)
        self.completed: list[int | None] = [None] * len(position.tasks)
        self.failure: str | None = None
        self._tokens = [TOKEN_CODES[task.token] for task in position.tasks]
        self._exchange()
        self._at_start = list(self.hands)
        for number, cards in enumerate(position.plays, start=1):
            last = number == len(position.plays)
            if len(cards) > position.players or not cards or (len(cards) < position.players and not last):
                raise InputError(f"plays: trick {number} has {len(cards)} cards, but {position.players} players play one each")
            for card in cards:
                self.play(card)

    @property
    def hidden(self) -> int:
        """The cards that lie under another one."""
        return hidden_cards(self.columns)

    @property
    def turn(self) -> int:
        """The seat that plays next."""
        return (self.leader + len(self.trick)) % self.position.players

    @property
    def tricks_left(self) -> int:
        """Tricks still to be finished, the current one included."""
        return self.position.tricks - len(self.history)

    @property
    def won(self) -> bool:
        """Whether every task was completed and no rule was broken up to then; with goals, not before the last trick is over,
        unless the attempt ends with the last task."""
        over = not self.position.duties or not self.tricks_left
        return self._ended or (over and self.failure is None and None not in self.completed)

    def legal_plays(self) -> list[int]:
        """The cards that the seat to play may play; none after the last trick."""
        if not self.tricks_left:
            return []
        hand = self.hands[self.turn] & ~self.hidden
        return [card for card in cards_of(hand) if not self.trick or not must_follow(hand, self.trick[0], card)]

    def play(self, card: int) -> None:
        """Play one card for the seat whose turn it is. Raises InputError when that is illegal."""
        seat, hand = self.turn, self.hands[self.turn] & ~self.hidden
        number = len(self.history) + 1
        name = format_card(card, self.position.game)
        if not self.tricks_left:
            raise InputError(f"illegal play {name} in trick {number}: the attempt has only {self.position.tricks} tricks")
        if self.waiting:
            raise InputError(f"illegal play {name} in trick {number}: it is not said which cards are passed before")
        if self.hands[seat] & self.hidden & 1 << card:
            raise InputError(f"illegal play {name} in trick {number}: it still lies hidden under another card of seat {seat}")
        if not hand >> card & 1:
            raise InputError(f"illegal play {name} in trick {number}: it is the turn of seat {seat}, which does not hold it")
        if self.trick and must_follow(hand, self.trick[0], card):
            led = format_card(self.trick[0], self.position.game)
            raise InputError(f"illegal play {name} in trick {number}: seat {seat} must follow suit, {led} was led")
        if not self.trick:
            self.led_from.append(hand)
        self.hands[seat] ^= 1 << card
        self.trick.append(card)
        if len(self.trick) == self.position.players:
            self._finish_trick()

    def _finish_trick(self) -> None:
        turn = 0
        for later in range(1, len(self.trick)):
            if beats(self.trick[later], self.trick[turn]):
                turn = later
        winner = (self.leader + turn) % self.position.players
        cards = tuple(self.trick)
        now = [task.target in cards and done is None for task, done in zip(self.position.tasks, self.completed, strict=True)]
        self._judge(winner, now)
        finished = tuple(index for index, yes in enumerate(now) if yes) if self.failure is None else ()
        for index in finished:
            self.completed[index] = len(self.history) + 1
        self.history.append((self.leader, cards, winner, finished))
        self.leader, self.trick = winner, []
        for card in cards:
            open_columns(self.columns, card)
        self._exchange()
        self._judge_lost_goals()
        if self.position.ends_with_tasks and self.failure is None and None not in self.completed:
            self._ended = self._ended or (all(map(self._fulfilling, self.position.duties)) and self._cast_roles())
        if not self.tricks_left:
            self._judge_the_end()

    def _exchange(self) -> None:
        """Make the exchanges that are due, as far as it is said which cards are passed."""
        while self.exchanges and self.tricks_left and self.exchanges[0].after == len(self.history):
            exchange = self.exchanges[0]
            passed = [-1] * self.position.players
            self.waiting = not exchange.order
            if self.waiting:
                return
            if not pass_cards(self.hands, self.columns, exchange.after == 0, exchange.to, exchange.order, passed):
                raise InputError(f"it is not said which card seat {passed.index(-1)} passes after trick {exchange.after}")
            self.passes.append((exchange.after, exchange.to, tuple(passed)))
            self.exchanges.pop(0)

    def _fail(self, reason: str) -> None:
        if self.failure is None and not self._ended:
            self.failure = reason

    def _judge(self, winner: int, now: Sequence[bool]) -> None:
        number = len(self.history) + 1
        for index, task in enumerate(self.position.tasks):
            if not now[index]:
                continue
            name = task.name(self.position.game)
            if self.owners[index] is None:
                self.owners[index] = winner
                if not remaining_counts(self.position.counts, self._newly(self.owners)):
                    self._fail(f"trick {number}: seat {winner} wins {name}, but the distribution leaves it no such task")
            elif self.owners[index] != winner:
                self._fail(f"trick {number}: seat {winner} wins {name}, the task of seat {self.owners[index]}")
        if breaks_order([done is not None for done in self.completed], now, self._tokens):
            self._fail(f"trick {number}: the tasks completed break the order of the tokens")

    def _holds(self, conditions: Sequence[Condition], any_of: bool, seat: int, tricks: int) -> bool:
        """Whether a goal holds for a seat, if the attempt ends after so many tricks."""
        leaders = [leader for leader, _, _, _ in self.history]
        winners = [winner for _, _, winner, _ in self.history]
        line = [card for _, cards, _, _ in self.history for card in cards]
        return goal_holds(conditions, any_of, seat, leaders, winners, self.led_from, line, self.position.players, tricks)

    def _fulfilled(self, duty: Duty, seat: int) -> bool:
        return self._holds(duty.goal.conditions, duty.goal.any_of, seat, self.position.tricks)

    def _fulfilling(self, duty: Duty) -> list[int]:
        """The seats that have to fulfil it and do, if the attempt ends now."""
        conditions, any_of = duty.goal.conditions, duty.goal.any_of
        return [seat for seat in self.seats_of(duty) if self._holds(conditions, any_of, seat, len(self.history))]

    def _cast_roles(self) -> bool:
        """Whether different seats that fulfil their goals now can have the roles; notes who has which."""
        duties = [duty for duty in self.position.duties if duty.role]
        for way in product(*map(self._fulfilling, duties)):
            if len(set(way)) == len(way):
                self.roles = {duty.role: seat for duty, seat in zip(duties, way, strict=True)}
                return True
        return False

    def seats_of(self, duty: Duty) -> list[int]:
        """The seats of which one has to fulfil it: of a task, its owner if it has one."""
        if duty.holder_of >= 0:
            holder = next(seat for seat, hand in enumerate(self._at_start) if hand >> duty.holder_of & 1)
            return [(holder + duty.steps) % self.position.players]
        owner = self.owners[duty.task] if duty.task >= 0 else None
        return list(cards_of(duty.seats)) if owner is None else [owner]

    def _none_of(self, duty: Duty, does: str, does_not: str) -> str:
        seats = self.seats_of(duty)
        if any(condition.against == TOGETHER for condition in duty.goal.conditions):
            return f"the crew {does_not}"
        return f"seat {seats[0]} {does_not}" if len(seats) == 1 else f"none of the seats {', '.join(map(str, seats))} {does}"

    def _name_of(self, duty: Duty) -> str:
        if duty.role:
            return f"the goal of the {duty.role}"
        return self.position.tasks[duty.task].name(self.position.game) if duty.task >= 0 else "the goal of the crew"

    def _judge_lost_goals(self) -> None:
        """Fail when something that has to hold after every trick does not, for every seat that could fulfil the goal."""
        number = len(self.history)
        for duty in self.position.duties:
            must_hold = [condition for condition in duty.goal.conditions if condition.always]
            if not must_hold or (duty.goal.any_of and len(must_hold) < len(duty.goal.conditions)):
                continue
            seats = self.seats_of(duty)
            if not any(self._holds(must_hold, duty.goal.any_of, seat, number) for seat in seats):
                self._fail(f"trick {number}: {self._none_of(duty, 'can still fulfil', 'can no longer fulfil')} {self._name_of(duty)}")

    def _judge_the_end(self) -> None:
        """Hand out the tasks with goals that have no owner yet, judge all goals, and fail when a task is still open."""
        if any(done is None and task.target >= 0 for task, done in zip(self.position.tasks, self.completed, strict=True)):
            self._fail("the last trick is over and a task is still open")
        for duty in self.position.duties:
            if not self._fulfilling(duty):
                self._fail(f"the last trick is over and {self._none_of(duty, 'has fulfilled', 'has not fulfilled')} {self._name_of(duty)}")
        if self._ended:
            return
        if self.failure is None and not self._cast_roles():
            self._fail("the last trick is over and two roles would have to go to one seat")
        if self.failure is not None:
            return
        # owners that are all given are not held against the distribution
        owners = self._handed_out(self.owners) if None in self.position.owners else self.owners
        if owners is None:
            self._fail(f"the goals of the tasks hold, but not for seats to which the {self.position.distribution} distribution gives them")
            return
        self.owners = owners
        for duty in self.position.duties:
            if duty.task >= 0:
                (owner,) = self.seats_of(duty)
                self.completed[duty.task] = self._held_from(duty, owner)
        for index, (leader, cards, winner, _) in enumerate(self.history):
            finished = tuple(task for task, number in enumerate(self.completed) if number == index + 1)
            self.history[index] = (leader, cards, winner, finished)

    def _handed_out(self, owners: list[int | None]) -> list[int | None] | None:
        """The first way to complete the list of owners in which every task is fulfilled and allowed, or None."""
        position = self.position
        if not remaining_counts(position.counts, self._newly(owners)):
            return None
        if None not in owners:
            return owners if position.may_own([owner for owner in owners if owner is not None]) else None
        index = owners.index(None)
        duty = next(duty for duty in position.duties if duty.task == index)
        for seat in cards_of(duty.seats):
            if self._fulfilled(duty, seat):
                found = self._handed_out([*owners[:index], seat, *owners[index + 1 :]])
                if found is not None:
                    return found
        return None

    def _newly(self, owners: Sequence[int | None]) -> list[int | None]:
        """These owners without those that the position gives."""
        return [None if task.owner is not None else owner for task, owner in zip(self.position.tasks, owners, strict=True)]

    def _held_from(self, duty: Duty, owner: int) -> int:
        """The first trick from which on the goal held for its owner, up to the last, as if the attempt ended with each.

        A goal that any number of tricks fulfils is a prediction: it holds once the owner has won as many as in the end.
        """
        number = self.position.tricks
        conditions = duty.goal.conditions
        if all(one.count == TRICKS and one.low <= 0 and one.high >= UNBOUNDED and one.against == NOBODY for one in conditions):
            winners = [winner for _, _, winner, _ in self.history]
            while number > 1 and winners[number - 1] != owner:
                number -= 1
            return number
        while number > 1 and self._holds(conditions, duty.goal.any_of, owner, number - 1):
            number -= 1
        return number
