"""What formulas are made of: their variables, clauses, and what is needed to write them.

See ``encoding`` for the formula of a position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations

from .cards import SUIT_NAMES, format_card

Clauses = list[list[int]]
CARDS, SEATS, SUITS = 40, 5, 5
_BLOCKS = (("card", CARDS), ("gone", CARDS), ("played", CARDS), ("seat", SEATS), ("led", SUITS), ("plays", SEATS * SUITS))
_START = {name: sum(rows for _, rows in _BLOCKS[:index]) for index, (name, _) in enumerate(_BLOCKS)}


class Pool:
    """The variables of a formula over ``tricks`` tricks, counted from 0; ``first`` is the number the first one
    has in the attempt (from 1).

    Common variables have fixed numbers, a row of ``tricks`` for each card, seat or suit, so that whole
    clauses are shared between formulas; a row no clause uses does no harm. All others are made by ``new``.
    """

    def __init__(self, tricks: int, first: int = 1) -> None:
        self.tricks, self.first = tricks, first
        self.top = self._fixed = sum(rows for _, rows in _BLOCKS) * tricks
        self._extra: dict[str, int] = {}
        self._meanings: list[str] = []

    def new(self, meaning: str) -> int:
        """The variable with a meaning of its own; made at its first use."""
        if meaning not in self._extra:
            self.top += 1
            self._extra[meaning] = self.top
            self._meanings.append(meaning)
        return self._extra[meaning]

    def card(self, card: int, trick: int) -> int:
        """The card is played in this trick."""
        return 1 + card * self.tricks + trick

    def gone(self, card: int, trick: int) -> int:
        """The card is played before this trick, which is 1 .. ``tricks``."""
        return (_START["gone"] + card) * self.tricks + trick

    def played(self, card: int, trick: int) -> int:
        """Before this trick (1 .. ``tricks``) the holder has played n cards of the suit, whichever, where the card
        is the n-th lowest it holds. For its highest card of the suit: it is void."""
        return (_START["played"] + card) * self.tricks + trick

    def seat(self, seat: int, trick: int) -> int:
        """The seat wins this trick, and so leads the next."""
        return 1 + (_START["seat"] + seat) * self.tricks + trick

    def led(self, suit: int, trick: int) -> int:
        """The suit is led to this trick."""
        return 1 + (_START["led"] + suit) * self.tricks + trick

    def plays(self, seat: int, suit: int, trick: int) -> int:
        """The seat plays a card of the suit to this trick."""
        return 1 + (_START["plays"] + seat * SUITS + suit) * self.tricks + trick

    def wins(self, card: int, trick: int) -> int:
        """The card wins this trick."""
        return self.new(f"card {format_card(card)} wins trick {self.first + trick}")

    def high(self, card: int, trick: int) -> int:
        """The card or a higher one of its suit is played in this trick."""
        return self.new(f"card {format_card(card)} or a higher one of its suit in trick {self.first + trick}")

    def owner(self, task: int, seat: int) -> int:
        """The task belongs to the seat."""
        return self.new(f"task {task} belongs to seat {seat}")

    def passed(self, card: int, number: int) -> int:
        """The card is passed in this exchange of those still to come, counted from 0."""
        return self.new(f"card {format_card(card)} is passed in exchange {number + 1}")

    def meaning(self, variable: int) -> str:
        """What a variable says, in words. Raises ValueError for a number outside the pool."""
        if not 1 <= variable <= self.top:
            raise ValueError(f"there is no variable {variable}: the pool has 1 to {self.top}")
        if variable > self._fixed:
            return self._meanings[variable - self._fixed - 1]
        row, trick = divmod(variable - 1, self.tricks)
        name = next(name for name, _ in reversed(_BLOCKS) if _START[name] <= row)
        row, trick = row - _START[name], trick + self.first
        card, suit = format_card(row) if row < CARDS else "", SUIT_NAMES[row % SUITS]
        return {
            "card": f"card {card} in trick {trick}",
            "gone": f"card {card} in trick {trick} or before",
            "played": f"up to trick {trick} as many of that suit from the holder of {card} as the place of {card} in its hand",
            "seat": f"seat {row} wins trick {trick}",
            "led": f"{suit} is led to trick {trick}",
            "plays": f"seat {row // SUITS} plays {suit} to trick {trick}",
        }[name]


def at_most_one(literals: Sequence[int]) -> Iterator[list[int]]:
    """Clauses for "at most one of the literals", one for each pair."""
    return ([-a, -b] for a, b in combinations(literals, 2))


def counter(pool: Pool, clauses: Clauses, literals: Sequence[int], name: str) -> list[int]:
    """Variables for "at least 1, 2, ... of the literals", equivalent to it (sequential counter, Sinz 2005)."""
    reached: list[int] = []
    for number, literal in enumerate(literals, start=1):
        now = [pool.new(f"{least} or more of the first {number} {name}") for least in range(1, number + 1)]
        for least, this in enumerate(now):
            same = reached[least : least + 1]  # empty: false
            fewer = reached[least - 1 : least] if least else []  # empty: true
            clauses += [this, -literal, *(-f for f in fewer)], [-this, literal, *same]
            clauses += ([this, -s] for s in same)
            clauses += ([-this, f, *same] for f in fewer)
        reached = now
    return reached


class Writer:
    """Writes ``clauses`` about variables that stand for facts.

    ``holds`` asks for the half of a definition that makes the fact follow from the variable, its negation for the half that
    makes the variable follow from the fact; each is written once, when first asked for. Constants are the literals ``true``
    and ``-true``, which are left out of the clauses again.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.clauses: Clauses = []
        self._written: set[tuple[int, bool]] = set()

    @cached_property
    def true(self) -> int:
        """A literal that is true."""
        true = self.pool.new("true")
        self.clauses.append([true])
        return true

    def _add(self, *literals: int) -> None:
        true = self.true
        if true not in literals:
            self.clauses.append([literal for literal in literals if literal != -true] or [-true])

    def _new(self, meaning: str, holds: bool) -> tuple[int, bool]:
        """The variable with this meaning, and whether this half of its definition has still to be written."""
        variable = self.pool.new(meaning)
        return variable, self._fresh(variable, holds)

    def _fresh(self, variable: int, holds: bool) -> bool:
        """This half of the definition of the variable has still to be written."""
        size = len(self._written)
        self._written.add((variable, holds))
        return len(self._written) > size

    def _any(self, meaning: str, literals: Sequence[int], holds: bool) -> int:
        this, fresh = self._new(meaning, holds)
        if fresh and holds:
            self._add(-this, *literals)
        elif fresh:
            for literal in literals:
                self._add(this, -literal)
        return this

    def _either(self, meaning: str, literals: Sequence[int]) -> int:
        """The literal "any of these", both halves; no variable where one of these literals or a constant says it."""
        some = [literal for literal in literals if literal != -self.true]
        if self.true in some or len(some) <= 1:
            return self.true if self.true in some else some[0] if some else -self.true
        self._any(meaning, some, True)
        return self._any(meaning, some, False)

    def _both(self, meaning: str, *literals: int) -> int:
        """The literal "all of these", likewise."""
        return -self._either(f"not: {meaning}", [-literal for literal in literals])
