"""What numbers alone decide. That they are right wherever they say something is in test_sat.py, beside the clauses that count."""

from __future__ import annotations

import pytest
from deepcrew.solver.cards import FULL_DECK, parse_hand
from deepcrew.solver.counting import open_counts, too_few_tricks
from deepcrew.solver.loads import Load
from deepcrew.solver.positions import Position, Task
from deepcrew.solver.rates import rate
from deepcrew.solver.referee import Referee
from deepcrew.solver.verdicts import solve
from naive import winnable


def _position(hands: str, tasks: list[Task], plays: str = "") -> Position:
    tricks = tuple(tuple(parse_hand(card).bit_length() - 1 for card in trick.split()) for trick in plays.split("/") if trick)
    seats = tuple(parse_hand(hand) for hand in hands.split("/"))
    return Position(seats, tuple(tasks), tricks, deck=sum(seats))


def test_a_seat_needs_a_trick_for_each_table_of_tasks() -> None:
    hands = "P12 R4 / P34 B1 / B23 P5"
    tasks = [Task(card, 0) for card in (0, 1, 2, 3, 9)]
    assert too_few_tricks(Referee(_position(hands, tasks))) is None  # two tricks for five cards
    tasks += [Task(10, 1), Task(4, 2)]
    assert too_few_tricks(Referee(_position(hands, tasks))) == "the open tasks need at least 4 tricks, and 3 are left"
    won = _position(hands, tasks, "R4 P3 P5")  # P3 is won by seat 0, P5 too: lost by the rules, which is not for numbers to say
    assert Referee(won).failure is not None
    assert too_few_tricks(Referee(won)) is None


def test_a_card_over_may_not_be_the_card_of_a_task() -> None:
    hands = "P1234 / P567 / P8 R34"
    tasks = [Task(card) for card in range(4)]
    lost = Referee(_position(hands, tasks))
    assert too_few_tricks(lost) == "seat 0 holds the cards of 4 tasks and can play only 3 of them"
    assert not winnable(lost.position)
    begun = Referee(_position(hands, tasks[1:], "R3 P1"))  # seat 0 has played P1 to the trick that is on
    assert too_few_tricks(begun) == "seat 0 holds the cards of 3 tasks and can play only 2 of them"
    assert too_few_tricks(Referee(_position(hands, tasks[2:], "R3 P1"))) is None


def test_open_counts_follow_the_distribution() -> None:
    hands = "P12 R4 / P34 B1 / B23 P5"
    free = _position(hands, [Task(0), Task(2), Task(9), Task(10), Task(1, 1)])
    assert open_counts(Referee(free)) == {(2, 1, 1): (2, 2, 1)}
    later = _position(hands, [Task(0), Task(2), Task(9), Task(10), Task(1, 1)], "R4 P3 P5")  # seat 0 takes P3
    assert open_counts(Referee(later)) == {(2, 1, 1): (1, 2, 1)}
    assert open_counts(Referee(_position(hands, [Task(0, 2)]))) == {(0, 0, 0): (0, 0, 1)}


@pytest.mark.parametrize(("players", "tasks"), [(4, 35), (4, 36), (5, 29), (5, 36)])
def test_too_many_tasks_for_the_tricks(players: int, tasks: int) -> None:
    result = rate(Load(tasks), players, 20, workers=1)
    assert (result.unwinnable, result.by_search) == (20, 20)


@pytest.mark.parametrize(("players", "tasks"), [(3, 35), (3, 36), (4, 34), (2, 36)])
def test_nearly_all_cards_are_tasks(players: int, tasks: int) -> None:
    """The deals that numbers alone do not decide: those of SAT took minutes without the clauses that count."""
    result = rate(Load(tasks), players, 12, workers=1)
    assert result.undecided == 0
    assert min(result.winnable, result.unwinnable, result.by_sat) > 0


def test_the_reason_is_said() -> None:
    hands = ("P1357 B1357 R12", "P2468 B2468 R34", "G12345 Y12345", "P9 B9 G6789 Y6789")
    position = Position(tuple(parse_hand(hand) for hand in hands), tuple(Task(card) for card in range(36)))
    assert sum(position.hands) == FULL_DECK
    verdict = solve(position)
    assert (verdict.verdict, verdict.reason) == ("unwinnable", "the open tasks need at least 12 tricks, and 10 are left")
    assert solve(position, engine="sat").verdict == "unwinnable"
