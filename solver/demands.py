"""What a position demands, each demand under a literal of its own, so that a solver can be asked what can be had together."""

from __future__ import annotations

from itertools import combinations

from .cards import cards_of, format_card
from .encoding import completed_before
from .goal_clauses import Goals, goes_on, may_end_early
from .play_clauses import hands_left, play
from .pool import Clauses, Pool, Writer, at_most_one, counter
from .referee import Referee


class Demands(Writer):
    """What a position demands beside the rules of play, one by one: each method gives a literal from which its demand
    follows. So a solver that has ``clauses`` can be asked, with assumptions, what can be had together.

    ``clauses`` grow with what is asked for; ``fresh`` gives those not given before, at first with the rules of play. A
    demand of an order is about when the cards of tasks are played. Raises ValueError for a lost mission.
    """

    def __init__(self, referee: Referee) -> None:
        if referee.failure is not None:
            raise ValueError(f"the mission is lost: {referee.failure}")
        super().__init__(Pool(referee.tricks_left, len(referee.history) + 1))
        self.referee, self.position = referee, referee.position
        hands = hands_left(referee)
        self._changes, rules = play(referee, self.pool, hands)
        self._goals = Goals(referee, self.pool, hands, self._changes, demanded=False)
        self._given = [0, 0, 0]
        self.clauses += rules
        if may_end_early(referee):
            self.clauses += ([-goes_on(self.pool, t), goes_on(self.pool, t - 1)] for t in range(2, self.pool.tricks))
        for index, (task, done) in enumerate(zip(self.position.tasks, referee.completed, strict=True)):
            owns = [self.pool.owner(index, seat) for seat in range(self.position.players)]
            self.clauses += at_most_one(owns)
            if done is not None:
                self._add(owns[referee.owners[index] or 0])
            elif task.target >= 0:
                for seat in range(self.position.players):
                    self._owner_wins(index, seat)

    def fresh(self) -> Clauses:
        """The clauses not given before."""
        parts = [self.clauses, self._goals.clauses, *([] if self._changes is None else [self._changes.clauses])]
        clauses = [clause for part, given in zip(parts, self._given, strict=False) for clause in part[given:]]
        self._given = [len(part) for part in parts]
        return clauses

    def _owner_wins(self, task: int, seat: int) -> None:
        card, own = self.position.tasks[task].target, self.pool.owner(task, seat)
        self._add(-own, self.pool.gone(card, self.pool.tricks))
        for t in range(self.pool.tricks):
            self._add(-own, -self.pool.card(card, t), self.pool.seat(seat, t))
            if t and may_end_early(self.referee):
                self._add(-own, -self.pool.card(card, t), goes_on(self.pool, t))

    def owned(self, task: int, seat: int) -> int:
        """The task is fulfilled, by this seat."""
        duty = next((duty for duty in self.position.duties if duty.task == task), None)
        own, fresh = self._new(f"task {task} belongs to seat {seat}", True)
        if duty is not None and fresh:
            self._goals.ask(own, seat, duty.goal, f"task {task}")
        return own

    def fulfilled(self, task: int, anyone: bool = False) -> int:
        """The task is fulfilled, by its owner, or by one that it may have; with ``anyone``, by any seat."""
        this, fresh = self._new(f"task {task} is fulfilled{' by anyone' if anyone else ''}", True)
        if fresh:
            seats = range(self.position.players) if anyone else cards_of(self.position.seats[task])
            self._add(-this, *(self.owned(task, seat) for seat in seats))
        return this

    def moved(self) -> int:
        """Of the tasks that anyone fulfils, at most one is not fulfilled by the owner given."""
        this, fresh = self._new("one task may have moved", True)
        if fresh:
            for one, other in combinations(range(len(self.position.tasks)), 2):
                strays = [(-self.fulfilled(task, True), self.owned(task, self.position.tasks[task].owner or 0)) for task in (one, other)]
                self._add(-this, *strays[0], *strays[1])
        return this

    def handed_out(self) -> int:
        """The tasks without owner go to seats as the distribution allows."""
        this, fresh = self._new("the tasks are handed out as the distribution allows", True)
        free = [index for index, owner in enumerate(self.position.owners) if owner is None]
        if fresh and free:
            rows = self.position.counts
            self._add(-this, *(self.pool.new(f"task counts {counts}") for counts in rows))
            for seat in range(self.position.players):
                owns = [self.pool.owner(index, seat) for index in free]
                reached = counter(self.pool, self.clauses, owns, f"free tasks belong to seat {seat}")
                for counts in rows:
                    choice = self.pool.new(f"task counts {counts}")
                    self.clauses += ([-choice, -more] for more in reached[counts[seat] :])
        return this

    def hardest(self) -> int:
        """The captain owns one of the hardest tasks, where the distribution says so."""
        this, fresh = self._new("the captain owns one of the hardest tasks", True)
        if fresh:
            self._add(-this, *(self.pool.owner(index, self.position.captain) for index in self.position.hardest))
        return this

    def before(self, first: int, second: int) -> int:
        """The first task is not completed in a later trick than the second."""
        this, fresh = self._new(f"task {first} is not completed after task {second}", True)
        if fresh:
            cards = [self.position.tasks[task].target for task in (first, second)]
            for t in range(1, self.pool.tricks + 1):
                self._add(-this, -self.pool.gone(cards[1], t), self.pool.gone(cards[0], t))
        return this

    def well_before(self, first: int, second: int) -> int:
        """The first task is completed in an earlier trick than the second."""
        this, fresh = self._new(f"task {first} is completed before task {second}", True)
        if fresh:
            cards = [self.position.tasks[task].target for task in (first, second)]
            self._add(-this, -self.pool.card(cards[1], 0))
            for t in range(1, self.pool.tricks):
                self._add(-this, -self.pool.card(cards[1], t), self.pool.gone(cards[0], t))
        return this

    def together(self, one: int, other: int) -> int:
        """The two tasks are completed in the same trick."""
        this, fresh = self._new(f"tasks {one} and {other} are completed in one trick", True)
        if fresh:
            cards = [self.position.tasks[task].target for task in (one, other)]
            for t in range(self.pool.tricks):
                self._add(-this, -self.pool.card(cards[0], t), self.pool.card(cards[1], t))
                self._add(-this, self.pool.card(cards[0], t), -self.pool.card(cards[1], t))
        return this

    def ranked(self, task: int, number: int) -> int:
        """The task is completed as the open task of this number."""
        this, fresh = self._new(f"task {task} is completed as number {number}", True)
        if fresh:
            for t in range(1, self.pool.tricks + 1):
                reached = completed_before(self.referee, self.pool, self.clauses, t)
                done = self.pool.gone(self.position.tasks[task].target, t)
                self._add(-this, -done, reached[number - 1])
                self._add(-this, done, -reached[number - 1])
        return this

    def crew_goal(self, number: int) -> int:
        """The goal of the crew holds, given as the place of its duty among the position's."""
        this, fresh = self._new(f"goal {number} holds", True)
        if fresh:
            self._goals.duty(number, self.position.duties[number], this)
        return this

    def wins_with(self, card: int, task: int) -> int:
        """The trick with the card of the task is won by this card."""
        this, fresh = self._new(f"card {format_card(card)} wins the card of task {task}", True)
        if fresh:
            target = self.position.tasks[task].target
            self._add(-this, self.pool.gone(target, self.pool.tricks))
            for t in range(self.pool.tricks):
                self._add(-this, -self.pool.card(target, t), self._goals.wins(card, t))
        return this
