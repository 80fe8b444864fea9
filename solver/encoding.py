"""The SAT formula of a position: satisfiable exactly when the position can be won.

Independent of the search kernels; knows the rules only as clauses: those of play are in ``play_clauses``, goals in
``goal_clauses``, tasks that show a card and their tokens here. All tricks that are left are encoded, those
after the win too: whoever has won can always play on legally, so that changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from .cards import cards_of, format_card, mask_of
from .counting import open_counts
from .goal_clauses import Goals, end_of_attempt, may_end_early
from .play_clauses import exchanges_to_come, hands_left, play
from .pool import Clauses, Pool, at_most_one, counter
from .positions import Position
from .referee import Referee
from .tokens import ABSOLUTE, ARROWS, OMEGA


@dataclass(frozen=True)
class Encoding:
    """A formula in conjunctive normal form and its variables. Treat the clauses as read-only: they are shared."""

    pool: Pool
    clauses: Clauses

    @property
    def variables(self) -> int:
        """The highest variable number."""
        return self.pool.top


def encode(referee: Referee, one_moves: bool = False) -> Encoding:
    """The formula "from where this referee stands all tasks can be completed and all goals be fulfilled". Contradictory
    for a lost mission. ``one_moves``: when one task may move from the owner given."""
    pool = Pool(referee.tricks_left, len(referee.history) + 1)
    if referee.failure is not None:
        failed = pool.new("the mission is lost")
        return Encoding(pool, [[failed], [-failed]])
    hands = hands_left(referee)
    changes, clauses = play(referee, pool, hands)
    clauses += _tasks(referee, pool, one_moves)
    clauses += _order(referee, pool)
    if may_end_early(referee):
        clauses += end_of_attempt(referee, pool)
    if referee.position.duties:
        clauses += Goals(referee, pool, hands, changes).clauses
    if changes is not None:
        clauses += changes.clauses  # last, for the goals make it write more
    return Encoding(pool, clauses)


def _tasks(referee: Referee, pool: Pool, one_moves: bool) -> Clauses:
    """Open tasks that show a card are won by their owners; owners who are not given take what the distribution allows.

    When ``one_moves``, which is for positions with all owners given, one task may have another owner."""
    position = referee.position
    clauses: Clauses = []
    if one_moves:
        stays = []
        for index, task in enumerate(position.tasks):
            owns = [pool.owner(index, seat) for seat in range(position.players)]
            stays.append(owns[task.owner or 0])
            clauses += [[pool.gone(task.target, pool.tricks)], owns, *at_most_one(owns)]
            clauses += ([-own, -pool.card(task.target, t), pool.seat(seat, t)] for t in range(pool.tricks) for seat, own in enumerate(owns))
        return clauses + [[one, other] for one, other in combinations(stays, 2)]
    free = [index for index, task in enumerate(position.tasks) if task.owner is None]
    for index, task in enumerate(position.tasks):
        by_card, owner = task.target >= 0, referee.owners[index]
        still_open = by_card and referee.completed[index] is None
        if still_open:
            clauses.append([pool.gone(task.target, pool.tricks)])
        if still_open and owner is not None:
            clauses += ([-pool.card(task.target, t), pool.seat(owner, t)] for t in range(pool.tricks))
        if task.owner is not None:
            continue
        owns = [pool.owner(index, seat) for seat in range(position.players)]
        if by_card and owner is not None:
            clauses += ([own if seat == owner else -own] for seat, own in enumerate(owns))
            continue
        for t in range(pool.tricks if by_card else 0):
            for seat, own in enumerate(owns):
                wins = pool.seat(seat, t)
                clauses += [-own, -pool.card(task.target, t), wins], [own, -pool.card(task.target, t), -wins]
        clauses += ([-own] for seat, own in enumerate(owns) if not position.seats[index] >> seat & 1)
        clauses.append(owns)
        clauses += at_most_one(owns)
    if position.hardest and free:  # owners that are all given are not held against the distribution
        captain = position.captain
        if all(position.tasks[index].owner != captain for index in position.hardest):
            clauses.append([pool.owner(index, captain) for index in position.hardest if index in free])
    if free:
        clauses += _counts(pool, free, position.counts)
    return clauses


def _counts(pool: Pool, free: Sequence[int], rows: Sequence[Sequence[int]]) -> Clauses:
    """The seats take as many of these tasks as some row says: at most that many, which is exactly when it sums up to all."""
    clauses: Clauses = []
    chosen = [pool.new(f"task counts {counts}") for counts in rows]
    clauses.append(chosen)
    for seat in range(len(rows[0])):
        if all(counts[seat] >= len(free) for counts in rows):
            continue
        reached = counter(pool, clauses, [pool.owner(index, seat) for index in free], f"free tasks belong to seat {seat}")
        for choice, counts in zip(chosen, rows, strict=True):
            exact = sum(counts) == len(free)
            clauses += ([-choice, -more] for more in reached[counts[seat] :])
            clauses += ([-choice, more] for more in reached[: counts[seat] if exact else 0])
    return clauses


def token_order(referee: Referee) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """What the tokens of the open tasks ask for: pairs of tasks, the first not completed in a later trick than the second, and
    (task, number), the task completed as the open task of that number.

    Absolute token k: before any trick the task is completed exactly if k tasks are. When the tokens 1 .. m all lie on
    tasks, that is the chain 1, 2, .., m, all others; only a gap needs counting. One trick may complete several links.
    """
    tasks = referee.position.tasks
    still_open = [index for index, done in enumerate(referee.completed) if done is None]
    place = {tasks[index].token: index for index in still_open if tasks[index].token is not None}
    absolute = [token for token in ABSOLUTE if token in place]
    numbers = [int(token) - (len(tasks) - len(still_open)) for token in absolute]
    gap = numbers != list(range(1, len(numbers) + 1))
    chains = [pairwise(absolute), pairwise(token for token in ARROWS if token in place)]
    pairs = [(place[first], place[second]) for chain in chains for first, second in chain]
    if OMEGA in place:
        pairs += [(index, place[OMEGA]) for index in still_open if tasks[index].token != OMEGA]
    if absolute and not gap:
        pairs += [(place[absolute[-1]], index) for index in still_open if tasks[index].token not in ABSOLUTE]
    return pairs, [(place[token], number) for token, number in zip(absolute, numbers, strict=True)] if gap else []


def _order(referee: Referee, pool: Pool) -> Clauses:
    """The tokens of the open tasks, said with "gone": all tasks get completed, so a task is completed with its card."""
    pairs, ranks = token_order(referee)
    target = [task.target for task in referee.position.tasks]
    clauses: Clauses = []
    for t in range(1, pool.tricks + 1):
        clauses += ([-pool.gone(target[second], t), pool.gone(target[first], t)] for first, second in pairs)
        if ranks:
            reached = completed_before(referee, pool, clauses, t)
            for index, number in ranks:
                done = pool.gone(target[index], t)
                clauses += [-done, reached[number - 1]], [done, -reached[number - 1]]
    return clauses


def completed_before(referee: Referee, pool: Pool, clauses: Clauses, t: int) -> list[int]:
    """Variables for "at least 1, 2, ... of the open tasks are completed before this trick"."""
    tasks = zip(referee.position.tasks, referee.completed, strict=True)
    cards = [pool.gone(task.target, t) for task, done in tasks if done is None]
    return counter(pool, clauses, cards, f"open tasks are completed before trick {pool.first + t}")


def ways_to_encode(position: Position) -> list[tuple[Position, bool]]:
    """The positions that differ in what the crew decides beforehand, each with ``one_moves``: of many moves one formula decides
    as fast as of none. The position can be won when one of the formulas can be met."""
    together = position.one_may_move and all(task.target >= 0 for task in position.tasks)
    return [(way, together) for way in position.alternatives(moves=not together)]


def shares(referee: Referee, pool: Pool) -> Clauses:
    """Implied, for clauses count badly: each card played is won by one seat, and a seat that wins n tricks wins n cards
    of every hand. Nothing where hands change, or where goals count to another trick than the last."""
    clauses: Clauses = []
    if not pool.tricks or exchanges_to_come(referee) or may_end_early(referee):
        return clauses
    hands, seats, tricks = hands_left(referee), range(referee.position.players), range(pool.tricks)
    won = [_won(pool, clauses, seat, sum(hands)) for seat in seats]
    for card in cards_of(sum(hands)):
        winners = [won[seat][card] for seat in seats]
        clauses.append([-pool.gone(card, pool.tricks), *winners])
        clauses += at_most_one(winners)
    for seat in seats:
        taken = counter(pool, clauses, [pool.seat(seat, t) for t in tricks], f"tricks left are won by seat {seat}")
        for holder, hand in enumerate(hands):
            cards = [won[seat][card] for card in cards_of(hand)]
            share = counter(pool, clauses, cards, f"cards of seat {holder} are won by seat {seat}")
            clauses += ([-more] for more in share[len(taken) :])
            for tricks_won, cards_won in zip(taken, share, strict=False):
                clauses += [-tricks_won, cards_won], [tricks_won, -cards_won]
    return clauses


def _won(pool: Pool, clauses: Clauses, seat: int, cards: int) -> dict[int, int]:
    """Variables for "the seat wins this card", equivalent to it, by card."""
    won = {card: pool.new(f"seat {seat} wins card {format_card(card)}") for card in cards_of(cards)}
    for card, this in won.items():
        clauses.append([-this, pool.gone(card, pool.tricks)])
        for t in range(pool.tricks):
            here, wins = pool.card(card, t), pool.seat(seat, t)
            clauses += [-this, -here, wins], [this, -here, -wins]
    return won


def others(referee: Referee, pool: Pool) -> Clauses:
    """Implied, where only cards are asked for and owners are open: of the cards that belong to no open task a seat wins as many as
    its tricks hold beyond its tasks. With so many tasks that few other cards are left this decides what takes minutes without."""
    clauses: Clauses = []
    rows, players = open_counts(referee), referee.position.players
    if rows is None or None not in referee.position.owners or referee.position.duties or exchanges_to_come(referee):
        return clauses
    targets = mask_of(task.target for task, done in zip(referee.position.tasks, referee.completed, strict=True) if done is None)
    for seat in range(players):
        won = list(_won(pool, clauses, seat, sum(hands_left(referee)) & ~targets).values())
        taken = counter(pool, clauses, [pool.seat(seat, t) for t in range(pool.tricks)], f"tricks left are won by seat {seat}")
        reached = counter(pool, clauses, won, f"other cards are won by seat {seat}")
        for (counts, row), number in product(rows.items(), range(pool.tricks + 1)):
            beyond = number * players - row[seat]
            if_so = [-pool.new(f"task counts {counts}"), *(-more for more in taken[:number][-1:]), *taken[number : number + 1]]
            if not 0 <= beyond <= len(won):
                clauses.append(if_so)
                continue
            clauses += ([*if_so, more] for more in reached[:beyond][-1:])
            clauses += ([*if_so, -more] for more in reached[beyond : beyond + 1])
    return clauses
