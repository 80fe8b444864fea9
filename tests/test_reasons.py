"""Reasons held against complete enumeration on small decks: conflicts, changes, forced tricks and cards, lost plays, orders."""

import json
import random
from dataclasses import replace
from itertools import combinations, permutations

import pytest
from deepcrew.solver import show_reasons
from deepcrew.solver.cases import parse_case
from deepcrew.solver.errors import InputError
from deepcrew.solver.loads import Load, deal_load
from deepcrew.solver.missions import find_missions
from deepcrew.solver.orders import order
from deepcrew.solver.positions import Position, Task
from deepcrew.solver.questions import Demand, Questions, demands_of
from deepcrew.solver.reasons import Explanation, explain, without
from deepcrew.solver.referee import Referee
from naive import SMALL_DECK, Trick, attempts, random_goal_position, random_position, random_table_position, winnable, winning_place

LONG_LOST = (
    '{"players": 4, "hands": ["P469 B7 G14567 Y2", "P378 B1 G29 Y1345", "P5 B249 G38 Y789 R2", "P12 B3568 Y6 R134"],'
    ' "tasks": [{"task": "Y2", "owner": 0}, {"task": "Y9", "owner": 2}, {"task": "B5", "owner": 3}]}'
)


def _small(rng: random.Random, **kinds: object) -> Position:
    return random_position(rng, deck=SMALL_DECK, players=(2, 3, 4, 5), **kinds)  # type: ignore[arg-type]


def _when(tricks: list[Trick], card: int) -> int:
    """The number of the trick with the card; a large one when it is left over."""
    return next((number for number, trick in enumerate(tricks, start=1) if card in trick.cards), 99)


def _meets(position: Position, demand: Demand, tricks: list[Trick]) -> bool:
    task = position.tasks[demand.task]
    when = _when(tricks, task.target)
    if demand.kind == "task":
        return when < 99 and tricks[when - 1].winner == task.owner
    if demand.kind == "order":
        return when <= _when(tricks, position.tasks[demand.other].target)
    open_tasks = [other for other, done in zip(position.tasks, Referee(position).completed, strict=True) if done is None]
    earlier, now = (sum(_when(tricks, other.target) < limit for other in open_tasks) for limit in (when, when + 1))
    return earlier < demand.number <= now


def _wins(position: Position) -> list[list[Trick]]:
    """All attempts that win, by the referee."""
    won = []
    for tricks in attempts(position):
        if Referee(replace(position, plays=tuple(tuple(trick.cards) for trick in tricks))).won:
            won.append(tricks)
    return won


# Demands, one by one and together.


@pytest.mark.parametrize(("kind", "count"), [("plain", 250), ("table", 150), ("goals", 100)])
def test_all_demands_together_are_the_position(kind: str, count: int) -> None:
    rng = random.Random(7)
    seen = set()
    for _ in range(count):
        draw = {"plain": _small, "table": random_table_position, "goals": random_goal_position}[kind]
        position = draw(rng)
        if Referee(position).failure is not None:
            continue
        with Questions(position) as questions:
            found = questions.ask(questions.demands)
        assert (found is not False) == winnable(position), position
        seen.add(found is not False)
    assert seen == {True, False}


def test_conflicts_are_real_minimal_and_smallest() -> None:
    rng = random.Random(11)
    sizes = set()
    for _ in range(250):
        position = _small(rng, owners=("fixed",), tasks=(3, 4, 5), planted=0.0, midgame=0.2)
        referee = Referee(position)
        if referee.failure is not None:
            continue
        with Questions(position) as questions:
            conflict = questions.conflict(questions.demands)
        met = {frozenset(demand for demand in questions.demands if _meets(position, demand, tricks)) for tricks in attempts(position)}
        if conflict is None:
            assert frozenset(questions.demands) in met
            continue
        demands = conflict.demands
        assert conflict.minimal
        assert conflict.smallest
        assert not any(set(demands) <= some for some in met)
        for fewer in combinations(questions.demands, len(demands) - 1):
            assert any(set(fewer) <= some for some in met)
        sizes.add(len(demands))
    assert sizes >= {1, 2, 3}


def test_a_lost_position_has_no_questions() -> None:
    position = parse_case(LONG_LOST)
    referee = Referee(position)
    line: list[int] = []
    while referee.failure is None:
        line.append(referee.legal_plays()[0])
        referee.play(line[-1])
    with Questions(_after(position, line)) as questions, pytest.raises(ValueError, match="the mission is lost: trick "):
        questions.ask(questions.demands)
    with pytest.raises(InputError, match="illegal play"):
        Questions(_after(position, line[:1] * 2))


# Explanations.


def _explained(position: Position) -> Explanation:
    explanation = explain(position)
    json.dumps(show_reasons.explanation_json(explanation))
    assert show_reasons.explanation_text(explanation).startswith(explanation.verdict.verdict)
    return explanation


@pytest.mark.parametrize(("kind", "count"), [("plain", 60), ("goals", 12), ("table", 20)])
def test_changes_and_lost_plays_are_true(kind: str, count: int) -> None:
    rng = random.Random(3)
    kinds, losing = set(), 0
    for _ in range(count):
        draw = {"plain": _small, "table": random_table_position, "goals": random_goal_position}[kind]
        position = draw(rng)
        explanation = _explained(position)
        assert (explanation.verdict.verdict == "winnable") == winnable(position)
        if explanation.verdict.verdict == "winnable":
            continue
        for change in explanation.changes:
            kinds.add((change.kind, change.verdict))
            slow = kind == "goals" and change.kind == "distress"  # to enumerate
            if change.position is not None and not slow:
                assert (change.verdict == "winnable") == winnable(change.position), change
            assert (change.line is not None) == (change.verdict == "winnable")
        if explanation.losing is not None:
            losing += 1
            plays = [card for trick in position.plays for card in trick]
            before = _after(position, plays[: explanation.losing.number])
            assert winnable(before)
            assert not winnable(explanation.subject)
            others = [
                card for card in Referee(before).legal_plays() if winnable(_after(before, [*plays[: explanation.losing.number], card]))
            ]
            assert sorted(explanation.losing.instead) == sorted(others)
        elif position.plays:
            assert not winnable(replace(position, plays=()))
    assert {"drop", "lead"} <= {change for change, _ in kinds}
    assert {"winnable", "unwinnable"} <= {verdict for _, verdict in kinds}
    assert losing or kind == "goals"


def _after(position: Position, cards: list[int]) -> Position:
    players = position.players
    return replace(position, plays=tuple(tuple(cards[start : start + players]) for start in range(0, len(cards), players)))


def test_what_is_forced_is_what_all_winning_attempts_have_in_common() -> None:
    rng = random.Random(5)
    checked = 0
    for _ in range(60):
        position = _small(rng, owners=("fixed",), tasks=(1, 2, 3), planted=1.0)
        explanation = _explained(position)
        if not explanation.forced:
            continue
        wins = _wins(position)
        for forced in explanation.forced:
            card = position.tasks[forced.task].target
            tricks = [tricks[_when(tricks, card) - 1] for tricks in wins]
            assert forced.tricks == tuple(sorted({_when(tricks, card) for tricks in wins}))
            assert sorted(forced.cards) == sorted({trick.cards[winning_place(trick.cards)] for trick in tricks})
            assert forced.seats == (position.tasks[forced.task].owner,)
        now = len(Referee(position).history)
        keep = {card for tricks in wins for card in tricks[now].cards}
        for plays in explanation.first_plays:
            assert set(plays.keep) <= keep
            assert not set(plays.lose) & keep
        tight = explanation.tightness
        assert tight is not None
        assert 0 <= tight.survived <= tight.tricks
        checked += 1
    assert checked > 30


def test_a_line_that_wins_by_chance_survives_whole() -> None:
    hands = (0b0011 | 1 << 38, 0b1100 | 1 << 39)
    tight = _explained(Position(hands, (Task(3, 1),), deck=0b1111 | 0b11 << 38)).tightness
    assert tight is not None
    assert tight.won == 20
    assert tight.survived == tight.tricks == 3


def test_the_words_of_a_conflict() -> None:
    explanation = _explained(parse_case(LONG_LOST))
    text = show_reasons.explanation_text(explanation)
    assert "Why: seat 0 cannot win Y2 if seat 2 wins Y9 (no smaller conflict exists)." in text
    assert "seat 0 holds Y2 and no trump; by itself that can be done only with Y2" in text
    assert "Y2 is left out" in text
    answer = show_reasons.explanation_json(explanation)
    assert answer["conflict"]["smallest"] is True
    assert {demand["task"] for demand in answer["conflict"]["demands"]} == {"Y2", "Y9"}
    helps = [change for change in answer["changes"] if change["verdict"] == "winnable"]
    assert all(change["line"] and change["case"] for change in helps if change["kind"] != "lead")


def test_a_lost_rule_is_named() -> None:
    position = parse_case(LONG_LOST)
    referee = Referee(position)
    line: list[int] = []
    while referee.failure is None:
        line.append(referee.legal_plays()[0])
        referee.play(line[-1])
    explanation = _explained(_after(position, line))
    assert explanation.verdict.reason == referee.failure


def test_a_position_that_is_won_has_its_order() -> None:
    hands = (0b0011 | 1 << 38, 0b1100 | 1 << 39)
    position = Position(hands, (Task(3, 1, "1"), Task(0, 1)), deck=0b1111 | 0b11 << 38)
    line = next(tricks for tricks in attempts(position) if Referee(_after(position, [card for one in tricks for card in one.cards])).won)
    found = order(_after(position, [card for trick in line for card in trick.cards]))
    assert found.possible
    assert found.kept
    assert all(timing.done for timing in found.timings)
    assert show_reasons.order_text(found).endswith("The tokens can be kept.")


def test_a_crew_goal_that_cannot_be_reached_is_named_once_for_each_seat() -> None:
    position = deal_load(Load.of(find_missions("planet-nine/34")[0]), 5, 1, 0, "random")
    texts = [show_reasons.demand_text(position, demand) for demand in demands_of(position, Referee(position))]
    assert max(map(texts.count, texts)) <= len(position.crew)
    assert len(set(texts)) == 5


@pytest.mark.parametrize(
    ("tokens", "index", "left"),
    [
        (["1", "2", "3"], 1, ["1", "2"]),
        ([">", ">>", None], 0, [">", None]),
        ([None, "2"], 0, ["1"]),
        (["4", None, "3", None], 1, ["3", "2", None]),
        (["omega", "1"], 1, ["omega"]),
    ],
)
def test_tokens_move_up_when_a_task_is_left_out(tokens: list[str | None], index: int, left: list[str | None]) -> None:
    tasks = [Task(card, 0, token) for card, token in enumerate(tokens)]
    assert [task.token for task in without(tasks, index)] == left


# Orders.


def test_orders_are_those_of_all_winning_attempts() -> None:
    rng = random.Random(2)
    kept = set()
    for _ in range(120):
        position = _small(rng, owners=("fixed",), tasks=(2, 3, 4))
        if Referee(position).failure is not None:
            assert order(position).lost == Referee(position).failure
            assert show_reasons.order_text(order(position)).startswith("The cards played have lost the mission: trick ")
            continue
        found = order(position)
        assert show_reasons.order_text(found)
        json.dumps(show_reasons.order_json(found))
        wins = _wins(replace(position, tasks=tuple(replace(task, token=None) for task in position.tasks)))
        assert found.possible == bool(wins)
        if not wins:
            continue
        when = [[_when(tricks, task.target) for task in position.tasks] for tricks in wins]
        for pair in found.pairs:
            signs = {(row[pair.task] > row[pair.other]) - (row[pair.task] < row[pair.other]) for row in when}
            assert (pair.earlier, pair.same, pair.later) == (-1 in signs, 0 in signs, 1 in signs)
        for timing in found.timings:
            numbers = [row[timing.task] for row in when]
            assert (timing.earliest, timing.latest) == (min(numbers), max(numbers))
        still_open = [timing.task for timing in found.timings if not timing.done]
        fits = {way for way in permutations(still_open) for row in when if [row[task] for task in way] == sorted(row[task] for task in way)}
        assert set(found.orders or ()) == fits
        if any(demands.kind in ("order", "rank") for demands in demands_of(position, Referee(position))):
            assert found.kept == winnable(position)
            kept.add(found.kept)
        if found.kept is False:
            assert found.conflict is not None
            for index in still_open:
                changed = _without_token(position, index)
                if position.tasks[index].token and changed is not None:
                    assert (index in found.breaking) == winnable(changed)
    assert kept == {True, False}


def _without_token(position: Position, index: int) -> Position | None:
    tasks = [replace(task, token=None) if place == index else task for place, task in enumerate(position.tasks)]
    try:
        return replace(position, tasks=tuple(tasks))
    except InputError:
        return None


def test_a_chain_leaves_out_what_follows() -> None:
    position = parse_case(
        '{"players": 4, "hands": ["P69 B45 G15 Y379 R4", "P158 B38 G278 Y18", "P24 B269 G349 Y25", "P37 B17 G6 Y46 R123"], "tasks": ['
        '{"task": "B3", "owner": 0}, {"task": "B1", "owner": 0}, {"task": "Y1", "owner": 3}, {"task": "Y2", "owner": 2}, '
        '{"task": "G4", "owner": 3}]}'
    )
    found = order(position)
    forced = {pair.forced for pair in found.pairs if pair.forced}
    for first, second in found.chain:
        assert (first, second) in forced
    reached = set(found.chain)
    while more := {(a, d) for a, b in reached for c, d in reached if b == c} - reached:
        reached |= more
    assert forced <= reached | set(found.chain)


def test_tasks_with_goals_have_no_order() -> None:
    hands = '["P469 B7 G14567 Y2", "P378 B1 G29 Y1345", "P5 B249 G38 Y789 S2", "P12 B3568 Y6 S134"]'
    case = f'{{"game": "deep-sea", "hands": {hands}, "tasks": ["zero_tricks"]}}'
    with pytest.raises(InputError, match="no task that shows a card"):
        order(parse_case(case))
