"""Goals: the meaning of every task card by example, and the referee against the enumeration on random attempts."""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import replace
from itertools import product
from pathlib import Path

import naive
import numba
import numpy as np
import pytest
import walking
from deepcrew.solver.cards import FULL_DECK, mask_of, parse_card
from deepcrew.solver.errors import DataError
from deepcrew.solver.goals import TOGETHER, Condition, CrewGoal, Duty, Goal, goal_form
from deepcrew.solver.positions import Position, Task
from deepcrew.solver.referee import TOKEN_CODES, Referee, counts_allowed, fulfilling, goal_holds, play_out, seats_fit, tricks_to_win
from deepcrew.solver.taskcards import find_task_card, load_task_cards

EXAMPLES = tomllib.loads((Path(__file__).parent / "task_card_examples.toml").read_text(encoding="utf-8"))
NEVER_FAIL = {"predict_open", "predict_secret"}
"""With open hands any announced number can be the right one."""


# --- attempts written down ----------------------------------------------------------------------------------------


def attempt_of(text: str) -> tuple[Position, list[list[int]]]:
    """The position and the tricks of an attempt, as the examples write it."""
    text = EXAMPLES["attempts"].get(text, text)
    if text.startswith("won by"):
        text = " | ".join(won_by([int(seat) for seat in text.split()[2:]]))
    text, *kept = text.split(", ")
    tricks = [[parse_card(card) for card in trick.split()] for trick in text.split(" | ")]
    hands: list[list[int]] = [[] for _ in tricks[0]]
    for trick in naive.tricks_of(0, tricks):
        for turn, card in enumerate(trick.cards):
            hands[(trick.leader + turn) % len(hands)].append(card)
    for seat, card in (words.split(" keeps ") for words in kept):
        hands[int(seat)].append(parse_card(card))
    if not any(parse_card("S4") in hand for hand in hands):
        hands[0].append(parse_card("S4"))
    masks = tuple(mask_of(hand) for hand in hands)
    return Position(masks, (), game="deep-sea", deck=sum(masks)), tricks


def won_by(winners: list[int]) -> list[str]:
    """Tricks of three players, all of one colour each, that these seats win; seat 0 leads the first."""
    tricks, leader = [], 0
    for number, winner in enumerate(winners):
        suit, lowest = "PBGY"[number % 4], number // 4 * 3 + 1
        losers = iter((lowest, lowest + 1))
        ranks = [lowest + 2 if (leader + turn) % 3 == winner else next(losers) for turn in range(3)]
        tricks.append(" ".join(f"{suit}{rank}" for rank in ranks))
        leader = winner
    return tricks


def examples() -> list[tuple[str, str, int, str, str]]:
    """(slug, yes or no, seat, attempt, why it is an edge) of every example."""
    found = []
    for slug, lines in EXAMPLES["examples"].items():
        for line in lines:
            match = re.fullmatch(r"(yes|no) (\d): ([^#]+?)(?: # (.+))?", line)
            assert match, line
            found.append((slug, match[1], int(match[2]), match[3], match[4] or ""))
    return found


def played(position: Position, tricks: list[list[int]]) -> Referee:
    table = Referee(position)
    for card in (card for trick in tricks for card in trick):
        table.play(card)
    return table


# --- every task card ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", [card.slug for card in load_task_cards()])
def test_every_task_card_has_a_plain_yes_a_plain_no_and_an_edge(slug):
    kinds = {(answer, bool(edge)) for known, answer, _, _, edge in examples() if known == slug}
    assert ("yes", False) in kinds
    assert ("no", False) in kinds or slug in NEVER_FAIL
    assert kinds & {("yes", True), ("no", True)}


def test_every_example_is_of_a_task_card():
    assert set(EXAMPLES["examples"]) == {card.slug for card in load_task_cards()}
    assert len(EXAMPLES["examples"]) == 96


@pytest.mark.parametrize(("slug", "answer", "seat", "attempt", "edge"), examples())
def test_the_example(slug, answer, seat, attempt, edge):
    position, tricks = attempt_of(attempt)
    owned = Position(position.hands, (Task(slug, seat),), game="deep-sea", deck=position.deck)
    table = played(owned, tricks)
    assert table.tricks_left == 0
    assert table.won == (answer == "yes")
    if answer == "no":
        assert table.completed == [None]
        assert re.fullmatch(f"(the last trick is over and|trick \\d+:) seat {seat} .+ {slug}", table.failure)
    goal = find_task_card(slug).form.resolve(owned.players, owned.tricks, owned.captain)
    assert naive.fulfilled(goal, seat, naive.tricks_of(0, tricks), owned.players) == (answer == "yes")


@pytest.mark.parametrize("name", EXAMPLES["attempts"])
def test_the_attempts_with_the_whole_deck_are_complete(name):
    position, tricks = attempt_of(name)
    assert position.deck == FULL_DECK
    assert len(tricks) == position.tricks == {3: 13, 4: 10, 5: 8}[position.players]
    winners = {"full3": "2211002100201", "full4": "1332110000", "full5": "04304302"}[name]
    assert "".join(str(entry[2]) for entry in played(position, tricks).history) == winners


# --- the referee --------------------------------------------------------------------------------------------------


def crew(who: str, **table) -> CrewGoal:
    return CrewGoal(who, goal_form(table, "test"))


def told(text: str, *tasks: tuple, **rest) -> Referee:
    """The referee after a written attempt with these tasks (slug, owner)."""
    position, tricks = attempt_of(text)
    drawn = tuple(Task(*task) for task in tasks)
    return played(Position(position.hands, drawn, game="deep-sea", deck=position.deck, **rest), tricks)


def test_a_goal_is_judged_when_the_last_trick_is_over():
    position, tricks = attempt_of("won by 0 0 1")
    table = Referee(Position(position.hands, (Task("two_in_a_row", 0),), game="deep-sea", deck=position.deck))
    for number, trick in enumerate(tricks, start=1):
        assert (table.won, table.completed, table.failure) == (False, [None], None)
        for card in trick:
            table.play(card)
        assert table.won == (number == 3)
    assert table.completed == [2]
    assert [entry[3] for entry in table.history] == [(), (0,), ()]


@pytest.mark.parametrize(
    ("slug", "winners", "trick"),
    [
        ("first_trick", "0 1 1", 1),
        ("last_trick", "0 1 0", 3),
        ("exactly_2_tricks", "0 0 1 1", 2),
        ("exactly_2_tricks", "0 1 1 0", 4),
        ("zero_tricks", "1 1 1", 1),
        ("more_than_each_other", "0 1 0 0", 3),
        ("more_than_each_other", "0 1 1 0 0", 5),
    ],
)
def test_a_task_is_completed_in_the_trick_from_which_on_its_goal_held_to_the_end(slug, winners, trick):
    assert told(f"won by {winners}", (slug, 0)).completed == [trick]


def test_a_task_without_owner_goes_to_a_seat_that_fulfilled_it():
    assert told("won by 0 1 1", ("last_trick",)).owners == [1]
    table = told("won by 0 1 1", ("last_trick",), ("first_trick",), ("zero_tricks",))
    assert table.won
    assert table.owners == [1, 0, 2]


def test_tasks_go_to_seats_as_the_distribution_allows():
    tasks = [("last_trick",), ("first_trick",)]
    table = told("won by 0 1 0", *tasks)
    assert not table.won
    assert "round-robin-with-passing" in table.failure
    assert told("won by 0 1 0", *tasks, distribution="free").owners == [0, 0]
    assert told("won by 0 1 0", *tasks, distribution="one-volunteer").owners == [0, 0]
    assert not told("won by 0 1 1", *tasks, distribution="one-volunteer").won
    assert told("won by 0 1 1", *tasks, distribution="two-volunteers").owners == [1, 0]
    assert not told("won by 0 1 1", *tasks, distribution="captain-excluded").won


def test_the_first_seat_that_fits_is_not_kept_when_another_task_needs_it():
    # seats 0 and 1 won one trick each, but only seat 0 the first
    assert told("won by 0 1", ("exactly_1_trick",), ("first_trick",)).owners == [1, 0]


def test_the_captain_is_not_given_a_comparison_with_the_captain():
    assert told("won by 0 0 1", ("same_as_captain",)).failure == (
        "the last trick is over and none of the seats 1, 2 has fulfilled same_as_captain"
    )


def test_hardest_tasks_of_equal_difficulty_may_be_chosen_from():
    tasks = [("first_three_tricks",), ("last_trick",)]  # 2 and 2 with three players
    assert [find_task_card(slug).difficulty_for(3) for (slug,) in tasks] == [2, 2]
    assert told("won by 0 0 0 1", *tasks, distribution="captain-hardest-first").owners == [0, 1]
    assert told("won by 1 1 1 0", *tasks, distribution="captain-hardest-first").owners == [1, 0]
    easier = [("first_three_tricks",), ("two_in_a_row",)]
    assert not told("won by 1 1 1 0 0", *easier, distribution="captain-hardest-first").won


def test_a_goal_of_the_crew_for_anyone_and_for_everyone():
    anyone, everyone = (crew(who, count="tricks", exactly=1) for who in ("anyone", "everyone"))
    assert told("won by 0 1 2", crew=(anyone, everyone)).won
    assert told("won by 0 1 1", crew=(anyone,)).won
    lost = told("won by 0 1 1", crew=(everyone,))
    assert lost.failure == "the last trick is over and seat 1 has not fulfilled the goal of the crew"
    lost = told("won by 1 1 1", crew=(anyone,))
    assert lost.failure == "the last trick is over and none of the seats 0, 1, 2 has fulfilled the goal of the crew"


def test_with_goals_of_the_crew_only_nothing_is_won_before_the_end():
    position, _ = attempt_of("won by 0 1 2")
    goal = crew("anyone", count="tricks", exactly=1)
    assert not Referee(Position(position.hands, (), game="deep-sea", deck=position.deck, crew=(goal,))).won


def test_what_has_to_hold_after_every_trick_fails_at_once():
    goal = crew("everyone", count="tricks", against="each-other", at_most=1, always=True)
    lost = told("won by 0 0 1 1", crew=(goal,))
    assert lost.failure == "trick 2: seat 0 can no longer fulfil the goal of the crew"
    assert told("won by 0 1 0 1", crew=(goal,)).failure == "trick 3: seat 0 can no longer fulfil the goal of the crew"
    assert told("won by 0 1 2 1 0", crew=(goal,)).won
    anyone = crew("anyone", count="tricks", at_most=0, always=True)
    assert told("won by 0 1 2", crew=(anyone,)).failure == "trick 3: none of the seats 0, 1, 2 can still fulfil the goal of the crew"


def test_with_a_choice_of_conditions_only_the_last_one_lost_fails_at_once():
    lost = {"count": "tricks", "at_most": 0, "always": True}
    late = {"count": "tricks", "numbers": ["last"], "at_least": 1}
    either = CrewGoal("anyone", goal_form({"any_of": [lost, late]}, "test"))
    assert told("won by 0 1 2", crew=(either,)).won
    both = CrewGoal("everyone", goal_form({"any_of": [lost, lost | {"at_most": 1}]}, "test"))
    assert told("won by 0 0 2", crew=(both,)).failure.startswith("trick 2: seat 0")


def test_colour_tasks_with_tokens_and_goals_of_the_crew():
    position, tricks = attempt_of("P9 P1 P2 | G9 G1 G2 | B9 B1 B2")
    goal = crew("anyone", count="tricks", numbers=["last"], at_least=1)
    tasks = (Task(parse_card("P1"), 0, "1"), Task(parse_card("G1"), None, "2"))
    mixed = Position(position.hands, tasks, distribution="captain-distribution", deck=position.deck, crew=(goal,))
    table = played(mixed, tricks)
    assert "leaves it no" in table.failure
    table = played(Position(position.hands, (tasks[0], Task(parse_card("G1"), 0, "2")), deck=position.deck, crew=(goal,)), tricks)
    assert table.won
    assert table.completed == [1, 2]
    nobody = crew("anyone", count="tricks", exactly=1)
    table = played(Position(position.hands, tasks[:1], deck=position.deck, crew=(nobody,)), tricks)
    assert table.completed == [1]
    assert not table.won
    assert "goal of the crew" in table.failure
    swapped = (Task(parse_card("P1"), 0, "2"), Task(parse_card("G1"), 0, "1"))
    table = played(Position(position.hands, swapped, deck=position.deck, crew=(goal,)), tricks)
    assert "order" in table.failure


def test_a_failure_names_the_task_and_its_owner():
    assert told("won by 0 1 1", ("last_trick", 0)).failure == "the last trick is over and seat 0 has not fulfilled last_trick"


# --- referee and enumeration --------------------------------------------------------------------------------------


def random_goals(rng: random.Random, count: int):
    """Random goals and random task cards with a random attempt for them: (goal, tricks, players)."""
    for _ in range(count):
        deck, players = (naive.SMALL_DECK, rng.choice((2, 3, 4, 5))) if rng.random() < 0.7 else (FULL_DECK, rng.choice((3, 4, 5)))
        hands = naive.random_deal(rng, deck, players)
        tricks, _ = naive.random_attempt(rng, Position(hands, (), deck=deck))
        form = naive.random_form(rng, deck, players) if rng.random() < 0.7 else rng.choice(naive.cards_in(deck)).form
        goal = form.resolve(players, len(tricks), naive.table_of(hands).leader, deck)
        if rng.random() < 0.2:
            goal = Goal(tuple(condition._replace(against=TOGETHER) for condition in goal.conditions), goal.any_of)
        yield goal, tricks, players


def record(tricks: list[naive.Trick], arrays: bool) -> tuple:
    """What the judges know of an attempt: who led, who won, what could be led, and every card in play order."""
    leaders, winners = [trick.leader for trick in tricks], [trick.winner for trick in tricks]
    led_from, line = [mask_of(trick.choice) for trick in tricks], [card for trick in tricks for card in trick.cards]
    if not arrays:
        return leaders, winners, led_from, line
    leaders, winners, line = (np.array(values, dtype=np.int8) for values in (leaders, winners, line))
    return leaders, winners, np.array(led_from, dtype=np.int64), line


def compare_goals(judges, seed: int, count: int, arrays: bool) -> None:
    """``goal_holds`` after some tricks and ``fulfilling`` after them, plain or compiled, against the enumeration."""
    holds, fulfil = judges
    rng, seen = random.Random(seed), [0, 0]
    for goal, tricks, players in random_goals(rng, count):
        rows = np.array(goal.conditions, dtype=np.int64) if arrays else goal.conditions
        for number in (1, len(tricks) // 2, len(tricks)):
            right = [naive.fulfilled(goal, seat, tricks[:number], players) for seat in range(players)]
            known = record(tricks, arrays)
            for seat in range(players):
                assert holds(rows, goal.any_of, seat, *known, players, number) == right[seat], (goal, seat, tricks[:number])
                seen[right[seat]] += 1
            asked = rng.randrange(1 << players)
            wanted = mask_of(seat for seat in range(players) if right[seat] and asked >> seat & 1)
            assert fulfil(rows, goal.any_of, asked, *known, players, number) == wanted
    assert min(seen) > count // 3


PLAIN = goal_holds, fulfilling
COMPILED = numba.njit(goal_holds), numba.njit(fulfilling)


def test_the_referee_and_the_enumeration_agree_on_who_has_fulfilled_a_goal():
    compare_goals(PLAIN, 1, 1200, arrays=False)


def test_the_compiled_judge_agrees_too():
    compare_goals(COMPILED, 2, 1200, arrays=True)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(300, 310))
def test_both_judges_agree_with_the_enumeration_on_many_goals(seed):
    compare_goals(PLAIN, seed, 5000, arrays=False)
    compare_goals(COMPILED, seed, 5000, arrays=True)


def completed_in(position: Position, tricks: list[naive.Trick], index: int, owner: int) -> int:
    """The trick in which a task was completed in an attempt that was won."""
    task = position.tasks[index]
    if isinstance(task.card, int):
        return next(number for number, trick in enumerate(tricks, start=1) if task.card in trick.cards)
    if task.card.startswith("predict_"):  # done when as many tricks are won as in the end
        return max((number for number, trick in enumerate(tricks, start=1) if trick.winner == owner), default=1)
    goal = naive.form_for(find_task_card(task.card).form, position)
    numbers = range(1, len(tricks) + 1)
    held = [naive.fulfilled(goal, owner, tricks[:number], position.players) for number in numbers]
    return next(number for number in numbers if all(held[number - 1 :]))


def random_walk(rng: random.Random, table: Referee):
    """The referee between the tricks of a random legal attempt, up to the end of the last one."""
    while True:
        if table.waiting:
            table = rng.choice(list(walking.told(table)))
        if not table.trick:
            yield table
        options = table.legal_plays()
        if not options:
            return
        table.play(rng.choice(options))


def compare_referee(seed: int, count: int, draw) -> None:
    """Whole attempts, and after every trick whether they are won already."""
    rng, seen = random.Random(seed), [0, 0]
    for _ in range(count):
        position = rng.choice(draw(rng).alternatives())
        for table in random_walk(rng, Referee(position)):
            played = tuple(entry[1] for entry in table.history)
            over = not table.tricks_left
            if not table.position.ends_with_tasks and not over:
                assert not table.won or not table.position.duties
                continue
            if not played:
                continue
            position = replace(table.position, plays=played)
            tricks = naive.replayed(position, [card for trick in played for card in trick])
            right = naive.winners_of(position, tricks)
            assert table.won == bool(right), position
        assert (table.failure is None) == table.won, position
        seen[table.won] += 1
        if table.won:
            assert tuple(table.owners) in right, position
            assert table.completed == [completed_in(position, tricks, i, owner) for i, owner in enumerate(table.owners)]
            said = {(index, number) for number, entry in enumerate(table.history, start=1) for index in entry[3]}
            assert said == set(enumerate(table.completed))
    assert min(seen) > count // 8


def random_goal_attempt(rng: random.Random) -> Position:
    return naive.random_goal_position(rng, planted=0.8)


def random_table_attempt(rng: random.Random) -> Position:
    return naive.random_table_position(rng, planted=0.8, midgame=0.8)


def test_the_referee_and_the_enumeration_agree_on_whole_attempts():
    compare_referee(3, 300, random_goal_attempt)
    compare_referee(3, 300, random_table_attempt)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(400, 410))
def test_the_referee_and_the_enumeration_agree_on_many_attempts(seed):
    compare_referee(seed, 3000, random_goal_attempt)
    compare_referee(seed, 3000, random_table_attempt)


def compare_verdicts(seed: int, count: int, draw) -> None:
    rng, seen = random.Random(seed), [0, 0]
    for _ in range(count):
        position = draw(rng)
        right = naive.winnable(position)
        assert walking.winnable(position) == right, position
        seen[right] += 1
    assert min(seen) > count // 5


def random_game(rng: random.Random) -> Position:
    return naive.random_goal_position(rng, players=(3, 4, 5), midgame=0.8)


def random_table(rng: random.Random) -> Position:
    return naive.random_table_position(rng, crew=(1, 2), planted=0.4)


def test_the_referee_and_the_enumeration_agree_on_which_goals_can_be_reached():
    compare_verdicts(4, 100, random_game)
    compare_verdicts(4, 100, random_table)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(500, 510))
def test_the_referee_and_the_enumeration_agree_on_many_goals(seed):
    compare_verdicts(seed, 500, random_game)
    compare_verdicts(seed, 1000, random_table)


def test_a_position_with_owners_is_winnable_exactly_when_it_is_with_those_owners():
    rng = random.Random(5)
    for _ in range(60):
        position = naive.random_goal_position(rng, players=(3, 4, 5), tasks=(1, 2), owners=("free",), midgame=0.8)
        allowed = naive.owners_allowed(position)
        assert naive.winnable(position) == any(naive.winnable_with(position, owners) for owners in allowed)
        every = set(product(range(position.players), repeat=len(position.tasks)))
        assert {owners for owners in every if position.may_own(owners)} == allowed


# --- the compiled form of a whole attempt --------------------------------------------------------------------------


def seats_asked(position: Position, duty: Duty, owners: list[int], start: naive.Hands) -> int:
    """The seats of which one has to fulfil a goal, with the hands at the start of trick 1."""
    if duty.holder_of >= 0:
        holder = next(seat for seat, hand in enumerate(start) if duty.holder_of in hand)
        return 1 << (holder + duty.steps) % position.players
    return 1 << owners[duty.task] if duty.task >= 0 else duty.seats


def batch(judges, position: Position, line: list[int], arrays: bool) -> bool | None:
    """Whether an attempt is won, by the batch forms, plain or compiled; None when it is illegal."""
    play, to_win, fulfil, fit = judges
    later = [exchange for exchange in position.exchanges if exchange.after]
    start = naive.hands_at_start(position)
    (table,) = naive.passed(position, naive.table_of(position.hands, position.columns))
    hands, columns = [mask_of(hand) for hand in start], [list(column) for column in table.columns]
    tricks = len(line) // position.players
    leaders, winners, led_from = [0] * tricks, [0] * tricks, [0] * tricks
    owners = list(position.owners)
    tasks = [task.target for task in position.tasks], owners, [TOKEN_CODES[task.token] for task in position.tasks]
    after, to, order = (later[0].after, later[0].to, later[0].order) if later else (0, 1, (0,))
    rows = [duty.goal.conditions for duty in position.duties]
    given = line
    if arrays:
        hands, led_from = np.array(hands, dtype=np.int64), np.array(led_from, dtype=np.int64)
        columns = np.array(columns, dtype=np.int64).reshape(-1, 2)
        leaders, winners, given, order = (np.array(values, dtype=np.int8) for values in (leaders, winners, line, order))
        tasks = tuple(np.array(values, dtype=np.int8) for values in tasks)
        rows = [np.array(conditions, dtype=np.int64) for conditions in rows]
    if not play(hands, columns, after, to, order, position.captain, given, leaders, winners, led_from):
        return None
    done = to_win(position.players, winners, given, *tasks)
    if done < 0:
        return False
    asked = [seats_asked(position, duty, owners, start) for duty in position.duties]
    for end in range(max(done, 1) if position.ends_with_tasks else tricks, tricks + 1):
        known = leaders, winners, led_from, given, position.players, end
        happy = [
            fulfil(conditions, duty.goal.any_of, seats, *known)
            for conditions, duty, seats in zip(rows, position.duties, asked, strict=True)
        ]
        roles = [seats for seats, duty in zip(happy, position.duties, strict=True) if duty.role]
        if all(happy) and (not roles or fit(np.array(roles, dtype=np.int64) if arrays else roles)):
            return True
    return False


def compare_attempts(judges, seed: int, count: int, arrays: bool) -> None:
    rng, seen = random.Random(seed), [0, 0]
    for _ in range(count):
        if rng.random() < 0.4:
            position = naive.random_goal_position(rng, owners=("fixed",), tasks=(1, 2), planted=0.8, midgame=0.8)
        else:
            kinds = {"players": (2, 3, 4, 5), "orders": ("all",), "columns": 0.5, "exchange": 0.6}
            position = naive.random_table_position(rng, owners=("fixed",), planted=0.8, midgame=0.8, **kinds)
        position = replace(position.alternatives()[0], five_player_rule=False)
        line = [card for trick in position.plays for card in trick]
        table = Referee(position)
        while options := table.legal_plays():
            line.append(rng.choice(options))
            table.play(line[-1])
        right = bool(naive.winners_of(position, naive.replayed(position, line)))
        assert batch(judges, position, line, arrays) == table.won == right, position
        seen[right] += 1
    assert min(seen) > count // 8


def test_the_batch_form_agrees_with_the_referee():
    compare_attempts((play_out, tricks_to_win, fulfilling, seats_fit), 6, 400, arrays=False)


def test_the_compiled_batch_form_agrees_with_the_referee():
    compare_attempts([numba.njit(judge) for judge in (play_out, tricks_to_win, fulfilling, seats_fit)], 7, 600, arrays=True)


def test_counts_are_allowed_up_to_a_row():
    assert counts_allowed([0, 0, 1], [(3, 3, 3)])
    assert counts_allowed([0, 0, 1], [(0, 3, 0), (2, 1, 0)])
    assert not counts_allowed([0, 0, 1], [(1, 2, 3)])
    assert not counts_allowed([0], [])


# --- forms --------------------------------------------------------------------------------------------------------


def test_a_form_is_resolved_for_the_table():
    form = goal_form({"count": "tricks", "numbers": [1, "last"], "sum_at_least": {"3": 1, "4": 2, "5": 3}, "exactly": 1}, "test")
    assert form.resolve(4, 10, 2) == Goal((Condition(1, numbers=1 | 1 << 9, sum_low=2, low=1, high=1),))
    assert form.resolve(5, 8, 2) == Goal((Condition(1, numbers=1 | 1 << 7, sum_low=3, low=1, high=1),))
    captain = goal_form({"count": "run", "against": "captain", "at_least": 1}, "test")
    assert captain.against_captain
    assert captain.resolve(4, 10, 2).conditions[0].against == 2


@pytest.mark.parametrize(
    "form", [[], {"any_of": []}, {"count": "tricks"}, {"count": "runs", "exactly": 1}, {"count": "run", "cards": "P", "exactly": 1}, 1]
)
def test_a_goal_that_makes_no_sense_is_refused(form):
    with pytest.raises(DataError, match=r"^test"):
        goal_form(form, "test")
