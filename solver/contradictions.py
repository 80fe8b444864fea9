"""Goals that nobody can reach, whatever the deal: proved, or nothing is said.

The proof looks at a game with fewer rules, in which more is possible: who wins each trick, which cards lie in it and which of them
wins; no hands, and so no duty to follow suit. If even there the goals of a mission cannot all hold, they contradict each other.
SAT decides, and names a smallest set of conditions that do. What a goal asks beyond that is left out: then a contradiction may be
missed, but none is claimed. Refuses to know how likely anything is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations, pairwise
from typing import NamedTuple

from pysat.solvers import Solver  # type: ignore[import-untyped]

from .cards import FULL_DECK, TRUMP, cards_of, rank_of, suit_of
from .drafts import allowed_counts
from .goals import (
    CARDS,
    COUNTS,
    EACH_OTHER,
    NOBODY,
    OPENINGS,
    OTHERS_TOGETHER,
    RUN,
    TOGETHER,
    TOKEN_BIT,
    TRICKS,
    UNBOUNDED,
    Condition,
    CrewGoal,
)
from .missions import Mission
from .positions import CHALLENGE_DECK
from .taskcards import find_task_card

_SOLVER = "glucose4"
_CONFLICTS = 4_000
"""How long SAT may try; without an answer nothing is proved."""
_FEWER = 500
"""How long it may try to do with one condition less."""
_MANY = 9
"""A set of more cards is not followed from trick to trick, only to the end."""
_CAPTAIN = 0


class Setting(NamedTuple):
    """A number of seats with its tricks and its deck, and what people call it."""

    name: str
    seats: int
    tricks: int
    deck: int = FULL_DECK


SETTINGS = (Setting("2 or 3 players", 3, 13), Setting("4 players", 4, 10), Setting("5 players", 5, 8))
CHALLENGE = Setting("2 or 3 players in the challenge", 3, 10, CHALLENGE_DECK)


def settings_of(mission: Mission) -> tuple[Setting, ...]:
    """The numbers of players and decks with which a mission can be played."""
    return (*SETTINGS, CHALLENGE) if mission.game == "planet-nine" else SETTINGS


def contradictions(mission: Mission) -> dict[Setting, str]:
    """The settings in which the mission cannot be won whatever the deal, each with the reason in words; only what is proved."""
    found = {setting: _impossible(mission, setting) for setting in settings_of(mission)}
    return {setting: reason for setting, reason in found.items() if reason}


def possible_somewhere(mission: Mission) -> bool:
    """Whether with some number of players nothing is proved against the mission; quicker than all contradictions."""
    return not all(_impossible(mission, setting) for setting in settings_of(mission))


def _impossible(mission: Mission, setting: Setting) -> str:
    """Why the mission cannot be won in this setting, or nothing."""
    if mission.distribution and mission.tasks and not allowed_counts(mission.distribution, mission.tasks, setting.seats, _CAPTAIN):
        return f"distribution {mission.distribution!r} cannot hand out {mission.tasks} task{'s' * (mission.tasks > 1)}"
    goals = {f"crew_goals[{i}]": goal for i, goal in enumerate(mission.crew_goals)}
    goals |= {f"task_cards: {slug}": CrewGoal("anyone", find_task_card(slug).form) for slug in mission.task_cards}
    if not goals:
        return ""
    formula = _Formula(setting, early=mission.ends_with_tasks)
    for name, goal in goals.items():
        formula.add(name, goal, mission.tokens)
    core = formula.core()
    if core is None:
        return ""
    if len(core) == 1:
        (name, index) = core[0]
        return _one(name, index, goals[name], setting, mission.tokens)
    if len({name for name, _ in core}) == 1:
        return f"{core[0][0]}: conditions {_listed(str(index + 1) for _, index in core)} contradict each other"
    return f"{_listed(dict.fromkeys(_named(name, index, goals[name]) for name, index in core))} contradict each other"


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _named(name: str, index: int, goal: CrewGoal) -> str:
    return f"{name} (condition {index + 1})" if len(goal.form.entries) > 1 and index >= 0 else name


def _one(name: str, index: int, goal: CrewGoal, setting: Setting, tokens: Sequence[str]) -> str:
    """What is wrong with a goal, or with one condition of it, that cannot hold."""
    where = name if index < 0 or len(goal.form.entries) == 1 else f"{name}: goal, condition {index + 1}"
    entry = dict(goal.form.entries[max(index, 0)])
    condition = _resolved(goal, setting, tokens)[max(index, 0)]
    least, most = condition.low, condition.high
    if goal.form.any_of or condition.against != NOBODY or condition.minus:
        return f"{where}: this can never hold"
    if least > most:
        return f"{where}: at_least {least} is more than at_most {most}"
    what = COUNTS[condition.count] if condition.count != RUN else "tricks in a row"
    there = _most(condition, setting)
    if goal.who == "everyone" and condition.count != RUN and there >= least > 0:
        total = least * setting.seats
        return f"{where}: {least} {what} for each of {setting.seats} seats are {total} in all, but there can be only {there}"
    if least > there:
        bound = "exactly" if "exactly" in entry else "at_least"
        return f"{where}: {bound} asks for {least} {what}, but there can be only {there}"
    return f"{where}: this can never hold"


def _resolved(goal: CrewGoal, setting: Setting, tokens: Sequence[str]) -> tuple[Condition, ...]:
    """The conditions of a goal; the card of the n-th token, which is not known, is bit TOKEN_BIT + n."""
    cards = {token: 1 << TOKEN_BIT + n for n, token in enumerate(tokens)}
    return goal.form.resolve(setting.seats, setting.tricks, _CAPTAIN, setting.deck, cards).conditions


def _most(condition: Condition, setting: Setting) -> int:
    """The most that all seats together can count."""
    tricks = condition.numbers.bit_count() if condition.count == TRICKS else setting.tricks
    if condition.count == CARDS:
        return (condition.cards & setting.deck).bit_count()
    if condition.count == OPENINGS:
        return min(tricks, (condition.cards & setting.deck).bit_count())
    if condition.count == TRICKS:  # each card lies in one trick
        for cards in (condition.won_with, condition.closed_with):
            tricks = min(tricks, (cards & setting.deck).bit_count())
        for cards in (condition.captures, condition.holds):
            tricks = min(tricks, (cards & (setting.deck | -1 << TOKEN_BIT)).bit_count()) if cards else tricks
    return tricks


_Unary = list[int]
"""A number as literals: that it is at least 1, at least 2, and so on."""


class _Formula:
    """A formula that is satisfiable when, in the game with fewer rules, all goals added can hold; the captain is seat 0.

    ``early``: the attempt may be over, for the goals, after any trick. Literals are defined in both directions, so they may
    be asked for and forbidden.
    """

    def __init__(self, setting: Setting, early: bool) -> None:
        self.setting = setting
        self.seats, self.tricks = range(setting.seats), range(setting.tricks)
        self.top = self.true = 1
        self.clauses: list[list[int]] = [[1]]
        self.gates: dict[tuple[int, ...], int] = {}
        self.free: dict[tuple[str, int, Condition], int] = {}
        self.numbers: dict[tuple[Condition, int], list[_Unary]] = {}
        self.totals: dict[tuple[tuple[int, ...], ...], _Unary] = {}
        self.asked: dict[int, tuple[str, int]] = {}
        self.roles: dict[str, list[int]] = {}
        self.chosen: dict[str, list[int]] = {}
        self.active = [self.true, *(self._new() if early else self.true for _ in self.tricks[1:])]
        for before, after in pairwise(self.active):
            self.clauses.append([-after, before])
        self.won = [[self._new() for _ in self.seats] for _ in self.tricks]
        for winners, active in zip(self.won, self.active, strict=True):
            self.clauses += [[-active, *winners], *([-one, active] for one in winners)]
            self._at_most_one(winners)
        if not early:
            every = Condition(TRICKS, numbers=(1 << setting.tricks) - 1)
            self.clauses.append([self._total(every, 0)[-1][-1]])

    # Literals.

    def _new(self) -> int:
        self.top += 1
        return self.top

    def _or(self, literals: Iterable[int]) -> int:
        """A literal that holds when one of these does."""
        some = sorted(set(literals) - {-self.true})
        if self.true in some or any(-one in some for one in some):
            return self.true
        if len(some) < 2:
            return some[0] if some else -self.true
        key = tuple(some)
        if key not in self.gates:
            self.gates[key] = gate = self._new()
            self.clauses += [[-gate, *some], *([gate, -one] for one in some)]
        return self.gates[key]

    def _and(self, literals: Iterable[int]) -> int:
        return -self._or(-literal for literal in literals)

    def _at_most_one(self, literals: Iterable[int]) -> None:
        self.clauses += ([-one, -other] for one, other in combinations(literals, 2))

    # Numbers.

    def _counted(self, literals: Sequence[int], most: int) -> list[_Unary]:
        """How many of the literals hold, after each of them; what is above ``most`` is not told apart."""
        rows: list[_Unary] = [[]]
        for literal in literals:
            old = rows[-1]
            at_least = [self.true, *old, -self.true]
            rows.append([self._or([at_least[k], self._and([literal, at_least[k - 1]])]) for k in range(1, min(len(old) + 1, most) + 1)])
        return rows[1:]

    def _sum(self, numbers: Sequence[_Unary], most: int) -> _Unary:
        """The sum, which cannot be more than ``most``."""
        total: _Unary = []
        for number in numbers:
            ways: dict[int, list[int]] = {}
            for i, j in ((i, j) for i in range(len(total) + 1) for j in range(len(number) + 1)):
                ways.setdefault(i + j, []).append(self._and([*total[i - 1 : i][: i > 0], *number[j - 1 : j][: j > 0]]))
            for k, some in ways.items():
                if k > most:
                    self.clauses += ([-one] for one in some)
            total = [self._or(ways[k]) for k in range(1, min(len(total) + len(number), most) + 1)]
        return total

    def _between(self, plus: _Unary, minus: _Unary, low: int, high: int) -> int:
        """A literal: the difference of two numbers is between the bounds."""

        def at_least(number: _Unary, least: int) -> int:
            return self.true if least <= 0 else number[least - 1] if least <= len(number) else -self.true

        parts = [self._or([-at_least(minus, k), at_least(plus, k + low)]) for k in range(len(minus) + 1) if low > -UNBOUNDED]
        parts += [self._or([-at_least(plus, k), at_least(minus, k - high)]) for k in range(len(plus) + 1) if high < UNBOUNDED]
        return self._and(parts)

    # Cards.

    @cached_property
    def inside(self) -> dict[int, list[int]]:
        """For each card and each token whether it lies in a trick. They are played to the end, whenever the attempt is over."""
        cards = list(cards_of(self.setting.deck))
        seats = self.setting.seats
        inside = {card: [self._new() for _ in self.tricks] for card in (*cards, *range(TOKEN_BIT, TOKEN_BIT + 10))}
        for places in inside.values():
            self._at_most_one(places)
        left = len(cards) - seats * self.setting.tricks
        played = [self._or(inside[card]) for card in cards]
        self.clauses.append([-one for one in self._counted([-card for card in played], left + 1)[-1][left:]])
        for t in self.tricks:
            number = self._counted([inside[card][t] for card in cards], seats + 1)[-1]
            self.clauses += [[number[seats - 1]], [-number[seats]]]
        return inside

    @cached_property
    def best(self) -> dict[int, list[int]]:
        """For each card whether it wins a trick: no trump lies in it then, or no higher one, and no higher card of the suit."""
        cards = list(cards_of(self.setting.deck))
        best = {card: [self._new() for _ in self.tricks] for card in cards}
        for t in self.tricks:
            self.clauses.append([best[card][t] for card in cards])
            self._at_most_one(best[card][t] for card in cards)
            for card in cards:
                above = [c for c in cards if c > card and suit_of(c) in (suit_of(card), TRUMP)]
                self.clauses.append([-best[card][t], self.inside[card][t]])
                self.clauses += ([-best[card][t], -self.inside[other][t]] for other in above)
                if suit_of(card) == TRUMP:
                    self.clauses.append([-self.inside[card][t], best[card][t], *(best[other][t] for other in above)])
        return best

    def _some(self, places: dict[int, list[int]], cards: int, t: int) -> int:
        return self._or(places[card][t] for card in cards_of(cards) if card in places)

    def _trick_counts(self, condition: Condition, t: int) -> int:
        """A literal: the trick, whoever wins it, counts for a condition on tricks. What is left out is a literal of its own."""
        deck, parts = self.setting.deck, []
        if not condition.numbers >> t & 1:
            return -self.true
        if condition.won_with & deck != deck:
            parts.append(self._some(self.best, condition.won_with, t))
        if condition.captures:
            cards = [card for card in cards_of(condition.captures) if card in self.best]
            parts.append(self._or(self._and([self.inside[card][t], -self.best[card][t]]) for card in cards))
        if condition.holds:
            parts.append(self._some(self.inside, condition.holds, t))
        if condition.only & deck != deck:
            parts.append(-self._some(self.inside, deck & ~condition.only, t))
        if condition.closed_with & deck != deck:
            parts += [self._some(self.inside, condition.closed_with, t), self._free(condition, "closed_with", t)]
        if condition.equal:
            parts += [self._some(self.inside, cards, t) for cards in (condition.equal, condition.equal_to)]
            parts.append(self._free(condition, "equal", t))
        if condition.sum_low > 0 or condition.sum_high < UNBOUNDED:
            ranks = sorted(rank_of(card) for card in cards_of(deck))
            least, most = sum(ranks[: len(self.seats)]), sum(ranks[-len(self.seats) :])
            possible = max(least, condition.sum_low) <= min(most, condition.sum_high)
            parts.append(self._free(condition, "sum", t) if possible else -self.true)
        for card in cards_of(condition.after & deck):
            parts.append(self._or(self.inside[card][:t]))
        return self._and(parts)

    def _free(self, condition: Condition, what: str, t: int) -> int:
        """A literal about which nothing is known, the same one for conditions that ask the same."""
        key = (what, t, condition._replace(low=0, high=0, against=0, always=0, numbers=0))
        if key not in self.free:
            self.free[key] = self._new()
        return self.free[key]

    # Goals.

    def _number(self, condition: Condition, seat: int, cards: int) -> list[_Unary]:
        """What is counted for a seat, after each trick; ``cards`` are those counted. Where only the end is known, just that."""
        always = condition.always and cards.bit_count() <= _MANY
        condition = condition._replace(low=0, high=0, against=0, always=int(always), cards=cards, minus=0)
        key = (condition, seat)
        if key not in self.numbers:
            self.numbers[key] = self._count(condition, seat)
        return self.numbers[key]

    def _count(self, condition: Condition, seat: int) -> list[_Unary]:
        most, cards = _most(condition, self.setting), condition.cards & self.setting.deck
        mine = [winners[seat] for winners in self.won]
        if condition.count == TRICKS:
            return self._counted([self._and([mine[t], self._trick_counts(condition, t)]) for t in self.tricks], most)
        if condition.count == OPENINGS:
            leads = [self.true if seat == _CAPTAIN else -self.true, *(self._and(pair) for pair in zip(mine, self.active[1:], strict=False))]
            opened = []
            for t in self.tricks:
                other = self.setting.deck & ~cards
                free = self._free(condition, "opening", t)
                self.clauses += [[-free, self._some(self.inside, cards, t)]]
                if not condition.by_choice:
                    self.clauses += [[free, self._some(self.inside, other, t)]]
                opened.append(self._and([leads[t], free]))
            return self._counted(opened, most)
        takes = [[self._and([mine[t], self.inside[card][t]]) for t in self.tricks] for card in cards_of(cards)]
        if not takes:
            return [[]]
        prefixes = self.tricks if condition.always else self.tricks[-1:]
        return [self._counted([self._or(one[: t + 1]) for one in takes], most)[-1] for t in prefixes]

    def _total(self, condition: Condition, cards: int, without: int = -1) -> list[_Unary]:
        """The sum over all seats but one, after each trick that ``_number`` knows of. Known to be at most what there is."""
        rows = [self._number(condition, seat, cards) for seat in self.seats if seat != without]
        most = min(_most(condition._replace(cards=cards), self.setting), UNBOUNDED)
        sums = []
        for numbers in zip(*rows, strict=True):
            key = tuple(tuple(number) for number in numbers)
            if key not in self.totals:
                self.totals[key] = self._sum(numbers, most)
            sums.append(self.totals[key])
        return sums

    def _condition(self, condition: Condition, seat: int) -> int:
        """A literal: the condition holds for a seat."""
        if condition.count == RUN:
            return self._run(condition, seat)
        sets = condition.cards & ~condition.minus, condition.minus & ~condition.cards
        self._total(condition, sets[0])  # clauses count badly: it helps them to know what all seats together can have

        def mine(who: int) -> tuple[list[_Unary], list[_Unary]]:
            plus = self._number(condition, who, sets[0])
            return plus, (self._number(condition, who, sets[1]) if sets[1] else [[] for _ in plus])

        def others(of: int) -> tuple[list[_Unary], list[_Unary]]:
            plus = self._total(condition, sets[0], without=of)
            return plus, (self._total(condition, sets[1], without=of) if sets[1] else [[] for _ in plus])

        rivals: list[tuple[list[_Unary], list[_Unary]]] = []
        me = mine(seat)
        if condition.against == TOGETHER:
            me = others(-1)
        elif condition.against == OTHERS_TOGETHER:
            rivals = [others(seat)]
        elif condition.against == EACH_OTHER:
            rivals = [mine(other) for other in self.seats if other != seat]
        elif condition.against >= 0:
            rivals = [mine(condition.against)]
        parts = []
        for plus, minus in rivals or [([[]], [[]])]:
            plus, minus = (one * len(me[0]) if len(one) == 1 else one for one in (plus, minus))
            rows = list(zip(*me, plus, minus, strict=True)) if len(me[0]) == len(me[1]) else []
            for a, b, c, d in rows if condition.always else rows[-1:]:
                most = len(a) + len(d), len(b) + len(c)
                parts.append(self._between(self._sum([a, d], most[0]), self._sum([b, c], most[1]), condition.low, condition.high))
        return self._and(parts)

    def _run(self, condition: Condition, seat: int) -> int:
        if condition.against != NOBODY:
            return self.true  # left out
        mine = [winners[seat] for winners in self.won]
        parts = []
        for end in range(1 if condition.always else len(self.tricks), len(self.tricks) + 1):
            if condition.low > 0:
                starts = range(end - condition.low + 1)
                parts.append(self._or(self._and(mine[start : start + condition.low]) for start in starts))
            if condition.high < 0:
                parts.append(-self.true)
            starts = range(end - condition.high) if 0 <= condition.high < end else range(0)
            parts += [-self._and(mine[start : start + condition.high + 1]) for start in starts]
        return self._and(parts)

    def add(self, name: str, goal: CrewGoal, tokens: Sequence[str]) -> None:
        """Ask for a goal, condition by condition."""
        conditions = _resolved(goal, self.setting, tokens)
        if goal.who == "together":
            conditions = tuple(condition._replace(against=TOGETHER) for condition in conditions)
        unless: dict[int, list[int]] = {_CAPTAIN: []}
        if goal.who not in ("together", "captain"):
            unless = {seat: [] for seat in self.seats} if goal.who == "everyone" else self._who(goal)
        groups = [(-1, conditions)] if goal.form.any_of else [(i, (condition,)) for i, condition in enumerate(conditions)]
        for index, some in groups:
            ask = self._new()
            self.asked[ask] = (name, index)
            for seat, literals in unless.items():
                self.clauses.append([-ask, *literals, self._or(self._condition(condition, seat) for condition in some)])

    def _who(self, goal: CrewGoal) -> dict[int, list[int]]:
        """The seats that the goal may be about, each with literals of which one holds when it is not."""
        others = goal.form.against_captain or (goal.role is not None and goal.role.among == "others")
        key = f"role {goal.role.name}" if goal.role is not None else f"goal {len(self.asked)}"
        if key not in self.roles:
            self.roles[key] = places = [self._new() for _ in self.seats]
            self.clauses.append(places[1:] if others else list(places))
            self._at_most_one(places)
            if goal.role is not None and goal.role.left_of is None:
                for taken in self.chosen.values():
                    self.clauses += ([-one, -other] for one, other in zip(places, taken, strict=True))
                self.chosen[key] = places
        places = self.roles[key]
        if goal.who.startswith("not "):
            return {seat: [places[seat]] for seat in self.seats}
        return {seat: [-places[seat]] for seat in self.seats if not (others and seat == _CAPTAIN)}

    def core(self) -> list[tuple[str, int]] | None:
        """A smallest set of conditions that cannot all hold, each the name of a goal and its place in it (-1: the whole goal),
        or None when nothing is proved."""
        with Solver(_SOLVER, bootstrap_with=self.clauses) as solver:

            def clash(asked: list[int], conflicts: int) -> list[int] | None:
                solver.conf_budget(conflicts)
                if solver.solve_limited(assumptions=asked) is not False:
                    return None
                return list(solver.get_core() or [])

            core = clash(list(self.asked), _CONFLICTS)
            if core is None:
                return None
            for one in sorted(core):
                smaller = clash([other for other in core if other != one], _FEWER) if one in core else None
                core = core if smaller is None else smaller
            return [self.asked[one] for one in sorted(core)]
