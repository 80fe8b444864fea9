"""The referee: the rules in plain Python, one card at a time. Slow, obviously right, and knows no search.

The rules, in ten lines:
 1. The captain, who holds trump 4, leads the first trick; afterwards the winner of a trick leads the next.
 2. Clockwise each seat plays one card of its hand. Who holds the led suit must follow it; trump is a suit too.
 3. The highest trump wins the trick; without trump the highest card of the led suit.
 4. There are as many tricks as the smallest hand has cards; a card left over is won by nobody.
 5. A task is completed when its owner wins the trick with the task card; any other winner fails the mission.
 6. A task without an owner goes to whoever wins its card, as far as the distribution leaves that seat a task.
 7. Absolute token k: the task is the k-th of all tasks to be completed. Omega: the last of all.
 8. Arrows: not before any lower arrow. Tasks completed in one trick may be put in whatever order fits.
 9. All tasks completed: the mission is won, and what follows no longer matters.
10. A violation in the winning trick still fails; a task open after the last trick fails.

``register_jitable`` leaves a function what it is, plain Python; it only allows batches to run the very same
source compiled, so that every line of a million deals is refereed too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.extending import register_jitable

from .cards import cards_of, format_card
from .drafts import remaining_counts
from .errors import InputError
from .positions import Position

TOKEN_CODES: dict[str | None, int] = {
    None: 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "omega": 6, ">": 11, ">>": 12, ">>>": 13, ">>>>": 14,
}  # fmt: skip
"""Tokens as numbers: 0 none, 1-5 absolute, 6 omega, above 10 arrows."""


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
def tricks_to_win(hands: Any, leader: int, line: Any, cards: Any, owners: Any, tokens: Any) -> int:
    """Referee a whole attempt with all owners known.

    ``hands`` are the card sets dealt, a list or array that is used up here; ``line`` is every card in play order;
    ``cards``, ``owners`` and ``tokens`` (TOKEN_CODES) describe the tasks. Returns after how many tricks all
    tasks are completed (0 without tasks), or -1 when a rule is broken or a task stays open.
    """
    players = len(hands)
    total = len(cards)
    before = [False for _ in cards]
    completed = 0
    won_after = 0
    trick = 0
    while (trick + 1) * players <= len(line):
        led = best = int(line[trick * players])
        winner = leader
        for turn in range(players):
            seat = (leader + turn) % players
            card = int(line[trick * players + turn])
            if not (hands[seat] >> card) & 1 or must_follow(hands[seat], led, card):
                return -1
            hands[seat] ^= 1 << card
            if turn > 0 and beats(card, best):
                best = card
                winner = seat
        trick += 1
        if completed < total:
            now = [False for _ in cards]
            for task in range(total):
                for turn in range(players):
                    if line[(trick - 1) * players + turn] == cards[task]:
                        if winner != owners[task]:
                            return -1
                        now[task] = True
            if breaks_order(before, now, tokens):
                return -1
            for task in range(total):
                before[task] = before[task] or now[task]
            completed = sum(before)
            won_after = trick
        leader = winner
    return won_after if completed == total else -1


@register_jitable
def counts_allowed(owners: Any, allowed: Any) -> bool:
    """Whether the owners take as many tasks each as one row of ``allowed`` (task counts per seat) says."""
    for row in range(len(allowed)):
        fits = True
        for seat in range(len(allowed[row])):
            taken = 0
            for owner in owners:
                taken += owner == seat
            fits = fits and taken == allowed[row][seat]
        if fits:
            return True
    return False


class Referee:
    """Plays a position forward card by card and judges every finished trick.

    Starts after the plays the position gives. ``hands`` are the cards still held, ``leader`` the seat that led
    or leads the current trick, ``trick`` its cards so far, ``history`` the finished tricks as
    (leader, cards, winner, completed tasks), ``owners`` the owners known so far, ``completed`` the number of the
    trick in which each task was completed (None while open), ``failure`` a sentence once the mission is lost.

    Raises InputError for an illegal play.
    """

    def __init__(self, position: Position) -> None:
        self.position = position
        self.hands = list(position.hands)
        self.leader = position.captain
        self.trick: list[int] = []
        self.history: list[tuple[int, tuple[int, ...], int, tuple[int, ...]]] = []
        self.owners = list(position.owners)
        self.completed: list[int | None] = [None] * len(position.tasks)
        self.failure: str | None = None
        self._tokens = [TOKEN_CODES[task.token] for task in position.tasks]
        for number, cards in enumerate(position.plays, start=1):
            last = number == len(position.plays)
            if len(cards) > position.players or not cards or (len(cards) < position.players and not last):
                raise InputError(f"plays: trick {number} has {len(cards)} cards, but {position.players} players play one each")
            for card in cards:
                self.play(card)

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
        """Whether every task was completed and no rule was broken up to then."""
        return self.failure is None and None not in self.completed

    def legal_plays(self) -> list[int]:
        """The cards that the seat to play may play; none after the last trick."""
        if not self.tricks_left:
            return []
        hand = self.hands[self.turn]
        return [card for card in cards_of(hand) if not self.trick or not must_follow(hand, self.trick[0], card)]

    def play(self, card: int) -> None:
        """Play one card for the seat whose turn it is. Raises InputError when that is illegal."""
        seat, hand = self.turn, self.hands[self.turn]
        number = len(self.history) + 1
        name = format_card(card, self.position.game)
        if not self.tricks_left:
            raise InputError(f"illegal play {name} in trick {number}: the attempt has only {self.position.tricks} tricks")
        if not hand >> card & 1:
            raise InputError(f"illegal play {name} in trick {number}: it is the turn of seat {seat}, which does not hold it")
        if self.trick and must_follow(hand, self.trick[0], card):
            led = format_card(self.trick[0], self.position.game)
            raise InputError(f"illegal play {name} in trick {number}: seat {seat} must follow suit, {led} was led")
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
        now = [task.card in cards and done is None for task, done in zip(self.position.tasks, self.completed, strict=True)]
        self._judge(winner, now)
        finished = tuple(index for index, yes in enumerate(now) if yes) if self.failure is None else ()
        for index in finished:
            self.completed[index] = len(self.history) + 1
        self.history.append((self.leader, cards, winner, finished))
        self.leader, self.trick = winner, []
        if not self.tricks_left and None in self.completed:
            self._fail("the last trick is over and a task is still open")

    def _fail(self, reason: str) -> None:
        if self.failure is None and None in self.completed:
            self.failure = reason

    def _judge(self, winner: int, now: Sequence[bool]) -> None:
        number = len(self.history) + 1
        for index, task in enumerate(self.position.tasks):
            if not now[index]:
                continue
            name = format_card(task.card, self.position.game)
            if self.owners[index] is None:
                self.owners[index] = winner
                free = [None if task.owner is not None else owner for task, owner in zip(self.position.tasks, self.owners, strict=True)]
                if not remaining_counts(self.position.counts, free):
                    self._fail(f"trick {number}: seat {winner} wins {name}, but the distribution leaves it no such task")
            elif self.owners[index] != winner:
                self._fail(f"trick {number}: seat {winner} wins {name}, the task of seat {self.owners[index]}")
        if breaks_order([done is not None for done in self.completed], now, self._tokens):
            self._fail(f"trick {number}: the tasks completed break the order of the tokens")
