"""The rules, one test each, and the batch form of the referee against the one that plays card by card."""

from __future__ import annotations

import random
import tomllib
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import naive
import numba
import numpy as np
import pytest
import walking
from deepcrew.solver.cards import FULL_DECK, cards_of, mask_of, parse_card, parse_hand
from deepcrew.solver.errors import InputError
from deepcrew.solver.positions import LEFT, RIGHT, Exchange, Position, Task
from deepcrew.solver.referee import TOKEN_CODES, Referee, breaks_order, pass_cards, play_out, seats_fit, tricks_to_win
from deepcrew.solver.tokens import ARROWS, OMEGA, TOKENS, check_tokens

SWEEP = ["P9 B9 R4", "P1 B1 G1", "P2 B2 G2", "P3 B3 G3"]
"""Seat 0 wins every trick of SWEEP_TRICKS: the small pinks, then the blues, then the greens."""
SWEEP_TRICKS = ["R4 P1 P2 P3", "B9 B1 B2 B3", "P9 G1 G2 G3"]

PERFT = tomllib.loads((Path(__file__).parent / "data" / "perft.toml").read_text(encoding="utf-8"))["deal"]


def make(hands: list[str], tasks: list[tuple] | tuple = (), plays: list[str] | tuple = (), **rest) -> Position:
    """A position of exactly the cards dealt; a task is (card, owner, token)."""
    masks = tuple(parse_hand(hand) for hand in hands)
    return Position(
        masks,
        tuple(Task(parse_card(card), *more) for card, *more in tasks),
        tuple(tuple(parse_card(card) for card in trick.split()) for trick in plays),
        deck=sum(masks),
        **rest,
    )


def judged(hands: list[str], tasks: list[tuple], plays: list[str], **rest) -> Referee:
    return Referee(make(hands, tasks, plays, **rest))


def legal(table: Referee) -> set[int]:
    return set(table.legal_plays())


# --- tricks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("captain", range(4))
def test_the_holder_of_trump_4_leads_the_first_trick(captain):
    hands = ["P1 B1", "P2 B2", "P3 B3"]
    hands.insert(captain, "P4 R4")
    table = Referee(make(hands))
    assert table.position.captain == table.leader == table.turn == captain


def test_play_goes_clockwise_from_the_leader_and_on_to_seat_0():
    table = Referee(make(["P1 B1", "P2 B2", "P3 R4", "P4 B4"]))
    turns = []
    for card in ("P3", "P4", "P1", "P2"):
        turns.append(table.turn)
        table.play(parse_card(card))
    assert turns == [2, 3, 0, 1]


def test_the_winner_of_a_trick_leads_the_next():
    assert judged(["P1 R4", "P2 B2", "P5 B3"], [], ["P1 P2 P5"]).leader == 2


def test_who_holds_the_led_suit_must_follow_it():
    assert legal(judged(["P1 R4 B9", "P2 P7 R1", "P3 B3 R2"], [], ["P1"])) == {parse_card("P2"), parse_card("P7")}


def test_who_does_not_hold_the_led_suit_may_play_anything_trump_or_not():
    assert legal(judged(["P1 R4", "B2 R1", "P3 B3"], [], ["P1"])) == {parse_card("B2"), parse_card("R1")}


def test_trump_is_a_suit_that_must_be_followed_when_led():
    assert legal(judged(["P1 R4", "P2 R1", "P3 B3"], [], ["R4"])) == {parse_card("R1")}


def test_a_leader_may_lead_anything():
    assert legal(Referee(make(["P1 B5 R4", "P2 R1 B1", "P3 B3 Y3"]))) == {parse_card("P1"), parse_card("B5"), parse_card("R4")}


def test_the_highest_card_of_the_led_suit_wins():
    assert judged(["P1 R4", "P9 B2", "P3 B3"], [], ["P1 P9 P3"]).leader == 1


def test_a_higher_card_of_another_colour_does_not_win():
    assert judged(["P1 R4", "B9 B2", "Y9 B3"], [], ["P1 B9 Y9"]).leader == 0


@pytest.mark.parametrize("led", range(1, 10))
@pytest.mark.parametrize("trump", range(1, 4))
def test_any_trump_beats_any_colour_card_of_equal_or_higher_rank_too(trump, led):
    assert judged([f"P{led} R4", f"B1 R{trump}", "G8 G9"], [], [f"P{led} R{trump} G9"]).leader == 1


def test_the_highest_of_several_trumps_wins_wherever_it_lies():
    assert judged(["P1 R4", "B1 R3", "B2 R2"], [], ["P1 R3 R2"]).leader == 1
    assert judged(["P1 R4", "B1 R2", "B2 R3"], [], ["P1 R2 R3"]).leader == 2


def test_there_are_as_many_tricks_as_the_smallest_hand_has_cards():
    full = {3: 13, 4: 10, 5: 8}
    for players, tricks in full.items():
        position = naive.random_position(random.Random(players), players=(players,), midgame=0)
        assert Referee(position).tricks_left == position.tricks == tricks


@pytest.mark.parametrize("seed", range(5))
def test_with_three_players_one_card_is_left_over_and_never_played(seed):
    rng = random.Random(seed)
    table = Referee(naive.random_position(rng, players=(3,), tasks=(0,), midgame=0))
    for _ in range(39):
        table.play(rng.choice(table.legal_plays()))
    assert table.tricks_left == 0
    assert table.legal_plays() == []
    assert sorted(hand.bit_count() for hand in table.hands) == [0, 0, 1]
    with pytest.raises(InputError, match="only 13 tricks"):
        table.play(next(cards_of(sum(table.hands))))


LEFT_OVER = ["R4 P3 P5", "P2 P4 P6"]
"""Two tricks after which seat 0 of 3 still holds P1."""


@pytest.mark.parametrize("owner", [0, 1, 2, None])
def test_a_task_card_left_over_fails(owner):
    hands = ["P1 P2 R4", "P3 P4", "P5 P6"]
    table = judged(hands, [("P1", owner)], LEFT_OVER)
    assert table.failure is not None
    assert "still open" in table.failure
    assert not table.won
    assert not naive.winnable(make(hands, [("P1", owner)], LEFT_OVER))


def test_a_card_left_over_that_is_no_task_is_harmless():
    assert judged(["P1 P2 R4", "P3 P4", "P5 P6"], [("P6", 2)], LEFT_OVER).won


# --- tasks --------------------------------------------------------------------------------------------------------


def test_a_task_is_completed_when_its_owner_wins_the_trick_whoever_played_the_card():
    for card in ("P1", "P2", "P3", "B1", "B9"):
        table = judged(SWEEP, [(card, 0)], SWEEP_TRICKS[:2])
        assert table.won
        assert table.completed == [1 if card[0] == "P" else 2]


def test_another_winner_fails():
    table = judged(SWEEP, [("P1", 1)], SWEEP_TRICKS[:1])
    assert not table.won
    assert table.completed == [None]
    assert "seat 0 wins P1, the task of seat 1" in table.failure


def test_a_failure_is_final():
    table = judged(SWEEP, [("P1", 1), ("B1", 0)], SWEEP_TRICKS)
    assert "trick 1" in table.failure
    assert not table.won


def test_a_task_is_not_judged_while_its_trick_is_unfinished():
    hands = ["P9 R4", "P1 P2", "B1 R1"]
    table = judged(hands, [("P1", 2)], ["P9 P1"])
    assert table.failure is None
    assert table.completed == [None]
    table.play(parse_card("R1"))
    assert table.won


def test_everything_follows_from_the_plays():
    table = judged(SWEEP, [("P1", 0), ("B1", 0), ("G1", 0)], [*SWEEP_TRICKS[:2], "P9 G1"])
    assert [entry[3] for entry in table.history] == [(0,), (1,)]
    assert table.completed == [1, 2, None]
    assert (table.turn, table.tricks_left, table.hands[2]) == (2, 1, parse_hand("G2"))
    lost = judged(SWEEP, [("P1", 1), ("B1", 0)], SWEEP_TRICKS[:2])
    assert lost.failure is not None


def test_several_tasks_of_one_owner_may_be_completed_in_one_trick():
    assert judged(SWEEP, [("P1", 0), ("P2", 0), ("P3", 0)], SWEEP_TRICKS[:1]).completed == [1, 1, 1]


def test_a_position_without_tasks_is_won_at_once_and_stays_won():
    assert judged(SWEEP, [], []).won
    assert judged(SWEEP, [], SWEEP_TRICKS).won


def test_a_violation_beats_success_in_the_same_trick():
    assert not judged(SWEEP, [("P1", 0), ("P2", 1)], SWEEP_TRICKS[:1]).won
    assert not judged(SWEEP, [("P1", 0), ("B1", 0), ("B2", 1)], SWEEP_TRICKS).won


def test_once_all_tasks_are_completed_later_plays_no_longer_matter():
    table = judged(SWEEP, [("P1", 0), ("P2", 0)], SWEEP_TRICKS)
    assert table.won
    assert table.failure is None
    assert table.completed == [1, 1]


def test_an_illegal_play_after_the_win_is_still_illegal():
    with pytest.raises(InputError, match="trick 2"):
        judged(SWEEP, [("P1", 0)], [SWEEP_TRICKS[0], "B9 G1"])


# --- free owners --------------------------------------------------------------------------------------------------


def test_a_task_without_owner_goes_to_the_winner_of_its_card():
    table = judged(SWEEP, [("P1", None)], SWEEP_TRICKS[:1])
    assert table.won
    assert table.owners == [0]


def test_a_winner_the_round_robin_leaves_no_task_fails():
    table = judged(SWEEP, [("P1", None), ("P2", None)], SWEEP_TRICKS[:1])
    assert not table.won
    assert "P2" in table.failure
    assert "leaves it no" in table.failure


def test_given_owners_count_towards_the_distribution():
    assert judged(SWEEP, [("G1", 0), ("P1", None)], SWEEP_TRICKS[:1]).failure is not None
    assert judged(SWEEP, [("G1", 1), ("P1", None)], SWEEP_TRICKS[:1]).failure is None


def test_by_captain_decision_the_captain_takes_nothing_and_one_other_seat_everything():
    hands, plays = ["P1 B1 R4", "P9 B9 Y1", "P2 B2 Y2"], ["P1 P9 P2", "B9 B2 B1"]
    tasks = [("P1", None), ("P2", None), ("B1", None)]
    assert judged(hands, tasks, plays, distribution="captain-decision").owners == [1, 1, 1]
    assert judged(hands, tasks, plays, distribution="captain-decision").won
    assert "leaves it no" in judged(SWEEP, [("P1", None)], SWEEP_TRICKS[:1], distribution="captain-decision").failure
    split = ["P1 B9 R4", "P9 B1 Y1", "P2 B2 Y9"]
    assert "trick 2" in judged(split, [("P1", None), ("Y1", None)], ["P1 P9 P2", "Y1 Y9 R4"], distribution="captain-decision").failure


def test_by_captain_distribution_counts_differ_by_at_most_one():
    tasks = [("P1", None), ("P2", None), ("P3", None), ("B1", None), ("B2", None)]
    table = judged(SWEEP, tasks, SWEEP_TRICKS[:1], distribution="captain-distribution")
    assert "P3" in table.failure
    tasks[2] = ("G3", None)
    assert judged(SWEEP, tasks, SWEEP_TRICKS[:1], distribution="captain-distribution").owners == [0, 0, None, None, None]
    assert judged(SWEEP, tasks, SWEEP_TRICKS[:1], distribution="captain-distribution").failure is None


# --- order tokens -------------------------------------------------------------------------------------------------


def order_kept(tokens: dict[str, str | None], tricks: int = 3) -> bool:
    """Whether the sweep keeps the order: P cards in trick 1, B in trick 2, G in trick 3."""
    table = judged(SWEEP, [(card, 0, token) for card, token in tokens.items()], SWEEP_TRICKS[:tricks])
    return table.failure is None


IN_ORDER = {
    "1 then 2": {"P1": "1", "B1": "2"},
    "1 and 2 in one trick": {"P1": "1", "P2": "2"},
    "2 and 1 in one trick, the 2 played first": {"P1": "2", "P2": "1"},
    "1, 2 and 3 in one trick": {"P1": "3", "P2": "1", "P3": "2"},
    "2 and 3 in one trick after 1": {"P1": "1", "B1": "3", "B2": "2"},
    "2 in a trick after a trick with 1 and then an untokened one": {"P1": "1", "B1": "2", "G1": None},
    "1 with an untokened task while no 2 is pending": {"P1": "1", "P2": None, "B1": None},
    "1 with an untokened task while only 3 is pending": {"P1": "1", "P2": None, "B1": "3"},
    "2 alone, an untokened task before it": {"P1": None, "B1": "2"},
    "2 with an untokened task that takes the first place": {"P1": None, "P2": "2"},
    "3 with two untokened tasks": {"P1": None, "P2": "3", "P3": None},
    "1 and 3 with an untokened task between them": {"P1": "1", "P2": None, "P3": "3"},
    "omega last": {"P1": None, "B1": None, "G1": "omega"},
    "omega with all remaining tasks": {"P1": None, "B1": "omega", "B2": None},
    "omega with 1": {"P1": "1", "P2": "omega"},
    "omega as the only task": {"P1": "omega"},
    "arrows in order": {"P1": ">", "B1": ">>", "G1": ">>>"},
    "arrows in one trick": {"P1": ">>>", "P2": ">", "P3": ">>"},
    "untokened tasks before, between and after arrows": {"P1": None, "P2": ">", "B1": None, "G1": ">>", "G2": None},
    "an arrow alone at any time": {"P1": None, "G1": ">"},
    "arrows around a number": {"P1": "1", "P2": ">", "B1": ">>"},
}
OUT_OF_ORDER = {
    "2 before 1": {"P1": "2", "B1": "1"},
    "1 and 3 in one trick while 2 is open": {"P1": "1", "P2": "3", "B1": "2"},
    "1 and an untokened task in one trick while 2 is open": {"P1": "1", "P2": None, "B1": "2"},
    "an untokened task before 1": {"P1": None, "B1": "1"},
    "an arrow before 1": {"P1": ">", "B1": "1"},
    "two untokened tasks before 2": {"P1": None, "P2": None, "B1": "2"},
    "2 as the first task, without a task in its trick": {"P1": "2", "B1": None},
    "3 after one task": {"P1": None, "B1": "3", "G1": None},
    "omega first": {"P1": "omega", "B1": None},
    "omega with another task open": {"P1": "omega", "P2": None, "B1": None},
    ">> before >": {"P1": ">>", "B1": ">"},
    ">>> with > while >> is open": {"P1": ">", "P2": ">>>", "B1": ">>"},
}


@pytest.mark.parametrize("tokens", IN_ORDER.values(), ids=IN_ORDER)
def test_in_order(tokens):
    assert order_kept(tokens)


@pytest.mark.parametrize("tokens", OUT_OF_ORDER.values(), ids=OUT_OF_ORDER)
def test_out_of_order(tokens):
    assert not order_kept(tokens)


def test_a_place_lost_to_another_task_fails_at_once():
    assert not order_kept({"P1": None, "G1": "1"}, tricks=1)
    assert not order_kept({"P1": "1", "P2": None, "G1": "2"}, tricks=1)
    assert order_kept({"P1": "1", "P2": "2", "G1": "3"}, tricks=1)


def test_every_token_has_a_code_and_keeps_its_kind():
    assert set(TOKEN_CODES) == {None, *TOKENS}
    assert len(set(TOKEN_CODES.values())) == len(TOKEN_CODES)


def groupings(tasks: tuple[int, ...]):
    """Every way to complete tasks in tricks: sequences of non-empty sets."""
    if not tasks:
        yield ()
    for pick in product((False, True), repeat=len(tasks)):
        now = tuple(task for task, yes in zip(tasks, pick, strict=True) if yes)
        if now:
            for later in groupings(tuple(task for task in tasks if task not in now)):
                yield (now, *later)


def token_sets(total: int):
    """Every sound set of tokens for ``total`` tasks."""
    for numbers in product((False, True), repeat=min(total, 5)):
        for omega, arrows in product((False, True), range(5)):
            tokens = [str(n) for n, yes in enumerate(numbers, start=1) if yes] + [OMEGA] * omega + list(ARROWS[:arrows])
            tokens += [None] * (total - len(tokens))
            try:
                check_tokens(tokens)
            except InputError:
                continue
            if len(tokens) == total:
                yield tokens


@pytest.mark.parametrize("total", [1, 2, 3, 4, pytest.param(5, marks=pytest.mark.long)])
def test_the_order_is_kept_exactly_when_some_order_of_all_tasks_satisfies_every_token(total):
    rng, kept, broken = random.Random(total), 0, 0
    for tokens in token_sets(total):
        rng.shuffle(tokens)
        codes = [TOKEN_CODES[token] for token in tokens]
        for tricks in groupings(tuple(range(total))):
            orders = product(*(permutations(now) for now in tricks))
            right = any(naive.in_order([task for part in order for task in part], 0, tokens) for order in orders)
            before, breaks = [False] * total, False
            for now in tricks:
                breaks = breaks or breaks_order(before, [task in now for task in range(total)], codes)
                before = [was or task in now for task, was in enumerate(before)]
            assert breaks != right, (tokens, tricks)
            kept, broken = kept + right, broken + (not right)
    assert kept > 0
    assert broken > 0 or total == 1


# --- illegal plays ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plays", "words"),
    [
        (["P1"], ["P1", "trick 1", "seat 0", "does not hold"]),
        (["R4 G1 P2 P3", "B9 G1"], ["G1", "trick 2", "seat 1", "does not hold"]),
        (["P9 G1"], ["G1", "trick 1", "seat 1 must follow suit", "P9 was led"]),
        (["R4 P1 P2 P3", "B9 B1 G2"], ["G2", "trick 2", "seat 2 must follow suit", "B9 was led"]),
        ([*SWEEP_TRICKS, "P1"], ["P1", "trick 4", "only 3 tricks"]),
        (["R4 P1 P2", "B9 B1 B2 B3"], ["trick 1 has 3 cards", "4 players"]),
        (["R4 P1 P2 P3 B9"], ["trick 1 has 5 cards", "4 players"]),
        (["R4 P1 P2 P3", "", "B9"], ["trick 2 has 0 cards"]),
        (["R4 P1 P2 P3", ""], ["trick 2 has 0 cards"]),
    ],
)
def test_an_illegal_play_names_the_trick_and_the_rule(plays, words):
    with pytest.raises(InputError) as error:
        judged(SWEEP, [], plays)
    for word in words:
        assert word in str(error.value)


def test_a_refused_play_changes_nothing():
    table = judged(SWEEP, [], ["P9"])
    with pytest.raises(InputError):
        table.play(parse_card("G1"))
    assert table.trick == [parse_card("P9")]
    assert table.hands == [parse_hand("B9 R4"), *(parse_hand(hand) for hand in SWEEP[1:])]
    table.play(parse_card("P1"))


def test_the_position_keeps_its_hands_while_the_referee_plays():
    position = make(SWEEP)
    Referee(position).play(parse_card("R4"))
    assert position.hands[0] == parse_hand(SWEEP[0])


# --- the batch form -----------------------------------------------------------------------------------------------


def attempt(rng: random.Random) -> tuple[Position, list[int]]:
    """A position with fixed owners and a full attempt that is legal, or has been corrupted somewhere."""
    if rng.random() < 0.5:
        deck, players = (naive.SMALL_DECK, (2, 3, 4, 5)) if rng.random() < 0.7 else (FULL_DECK, (3, 4, 5))
        position = naive.random_position(rng, deck=deck, players=players, tasks=(0, 1, 2, 3, 5), owners=("fixed",), midgame=1)
    else:
        position = naive.random_table_position(
            rng,
            players=(2, 3, 4, 5),
            owners=("fixed",),
            crew=(0,),
            columns=0.5,
            signal=0,
            exchange=0.7,
            orders=("all",),
            midgame=1,
            planted=0.7,
        )
    table = Referee(position)
    line = [card for trick in position.plays for card in trick]
    while options := table.legal_plays():
        line.append(rng.choice(options))
        table.play(line[-1])
    damage = rng.choice(("none", "none", "swap", "replace", "repeat", "cut", "order"))
    spot, other = rng.randrange(len(line)), rng.randrange(len(line))
    if damage == "swap":
        line[spot], line[other] = line[other], line[spot]
    elif damage == "replace":
        line[spot] = rng.randrange(40)
    elif damage == "repeat":
        line[spot] = line[other]
    elif damage == "cut":
        line = line[: spot // position.players * position.players]
    exchanges = position.exchanges
    if damage == "order" and exchanges:
        exchanges = (replace(exchanges[0], order=exchanges[0].order[: rng.randint(1, len(exchanges[0].order))]),)
    return replace(position, plays=(), exchanges=exchanges, five_player_rule=False, setup=""), line


def naively(position: Position, line: list[int]) -> tuple[list[naive.Trick], int] | None:
    """The tricks and what ``tricks_to_win`` should say, by the enumeration; None when the line is illegal."""
    try:
        tricks = naive.replayed(position, line)
    except ValueError:
        return None
    done: set[int] = set()
    tokens = [task.token for task in position.tasks]
    for number, trick in enumerate(tricks):
        if len(done) == len(tokens):
            return tricks, number
        now = [index for index, task in enumerate(position.tasks) if task.card in trick.cards]
        if any(position.tasks[index].owner != trick.winner for index in now) or not naive.some_order_fits(done, now, tokens):
            return tricks, -1
        done |= set(now)
    return tricks, len(tricks) if len(done) == len(tokens) else -1


def card_by_card(position: Position, line: list[int]) -> int | None:
    """What ``tricks_to_win`` should say, from the referee that plays card by card; None when it refuses a card."""
    table = Referee(position)
    try:
        for card in line:
            table.play(card)
    except InputError:
        return None
    return max((trick or 0 for trick in table.completed), default=0) if table.won else -1


def batch(judges, position: Position, line: list[int], arrays: bool) -> tuple[list[naive.Trick], int] | None:
    """The same from the batch form: ``play_out`` and ``tricks_to_win``, plain or compiled."""
    play, judge = judges
    exchange = position.exchanges[0] if position.exchanges else Exchange(0, LEFT, (0,))
    hands, columns, order = list(position.hands), [list(column) for column in position.columns], list(exchange.order)
    cards, owners = [task.card for task in position.tasks], list(position.owners)
    tokens = [TOKEN_CODES[task.token] for task in position.tasks]
    tricks = len(line) // position.players
    leaders, winners, led_from = [0] * tricks, [0] * tricks, [0] * tricks
    given = list(line)
    if arrays:
        hands, led_from, columns = np.array(hands), np.array(led_from, dtype=np.int64), np.array(columns, dtype=np.int64).reshape(-1, 2)
        small = (given, cards, owners, tokens, order, leaders, winners)
        given, cards, owners, tokens, order, leaders, winners = (np.array(values, dtype=np.int8) for values in small)
    if not play(hands, columns, exchange.after, exchange.to, order, position.captain, given, leaders, winners, led_from):
        return None
    parts = zip(leaders, line_tricks(line, position.players), winners, led_from, strict=True)
    seen = [naive.Trick(int(leader), cut, int(winner), naive.members(int(choice))) for leader, cut, winner, choice in parts]
    return seen, judge(position.players, winners, given, cards, owners, tokens)


def line_tricks(line: list[int], players: int) -> list[tuple[int, ...]]:
    return [tuple(line[start : start + players]) for start in range(0, len(line), players)]


def compare_attempts(judges, seed: int, count: int, arrays: bool) -> None:
    rng, seen = random.Random(seed), {"won": 0, "lost": 0, "illegal": 0}
    for _ in range(count):
        position, line = attempt(rng)
        right = naively(position, line)
        assert batch(judges, position, line, arrays) == right, (position, line)
        assert card_by_card(position, line) == (right and right[1]), (position, line)
        seen["illegal" if right is None else "lost" if right[1] < 0 else "won"] += 1
    assert min(seen.values()) > count // 10


PLAIN = play_out, tricks_to_win
COMPILED = numba.njit(play_out), numba.njit(tricks_to_win)


def test_the_batch_form_agrees_with_the_referee_and_the_enumeration_on_random_and_corrupted_attempts():
    compare_attempts(PLAIN, 1, 1500, arrays=False)


def test_the_compiled_batch_form_agrees_with_the_referee_and_the_enumeration():
    compare_attempts(COMPILED, 2, 1500, arrays=True)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 110))
def test_both_batch_forms_agree_with_the_referee_on_many_attempts(seed):
    compare_attempts(PLAIN, seed, 5000, arrays=False)
    compare_attempts(COMPILED, seed, 5000, arrays=True)


def test_the_batch_form_says_after_how_many_tricks_the_attempt_is_won():
    line = [parse_card(card) for trick in SWEEP_TRICKS for card in trick.split()]
    for tasks, right in ([], 0), ([("P1", 0)], 1), ([("P1", 0), ("B3", 0)], 2), ([("G2", 0)], 3), ([("G2", 1)], -1), ([("P9", 0)], 3):
        assert batch(PLAIN, make(SWEEP, tasks), line, False)[1] == right


def test_the_batch_form_rejects_a_line_that_goes_wrong_after_the_win():
    line = [parse_card(card) for trick in SWEEP_TRICKS for card in trick.split()]
    line[5], line[9] = line[9], line[5]
    assert batch(PLAIN, make(SWEEP, [("P1", 0)]), line, False) is None


def compare_passes(judge, seed: int, count: int, arrays: bool) -> None:
    """Cards passed: hands, columns and the cards that go, against the enumeration."""
    rng, seen = random.Random(seed), [0, 0]
    for _ in range(count):
        signal = rng.random() < 0.5
        position = naive.random_table_position(rng, columns=0.6, signal=0, exchange=0, midgame=0, crew=(0,), tasks=(0,))
        order = rng.sample(list(cards_of(position.deck)), rng.randint(3, position.deck.bit_count()))
        exchange = Exchange(0 if signal else 1, rng.choice((LEFT, RIGHT)), tuple(order))
        hands, columns, passed = list(position.hands), [list(column) for column in position.columns], [0] * position.players
        if arrays:
            hands, columns = np.array(hands), np.array(columns, dtype=np.int64).reshape(-1, 2)
            order, passed = np.array(order, dtype=np.int8), np.array(passed, dtype=np.int8)
        done = judge(hands, columns, signal, exchange.to, order, passed)
        try:
            ((_, gone, table),) = naive.passing(naive.table_of(position.hands, position.columns), exchange)
        except ValueError:
            assert not done
        else:
            assert done
            assert tuple(passed) == gone
            assert [frozenset(cards_of(int(hand))) for hand in hands] == list(table.hands)
            assert tuple((int(top), int(under)) for top, under in columns) == table.columns, (position, exchange)
        seen[done] += 1
    assert min(seen) > count // 10


def test_cards_are_passed_as_in_the_enumeration():
    compare_passes(pass_cards, 5, 800, arrays=False)
    compare_passes(numba.njit(pass_cards), 6, 800, arrays=True)


def test_seats_fit_when_different_seats_can_be_chosen():
    rng, judge = random.Random(7), numba.njit(seats_fit)
    for _ in range(300):
        seats = [rng.randrange(32) & rng.randrange(32) for _ in range(rng.randint(1, 4))]
        right = any(len(set(way)) == len(way) for way in product(*map(cards_of, seats)))
        assert seats_fit(seats) == judge(np.array(seats)) == right, seats
    assert seats_fit([])


# --- the two ways to see it: enumeration and referee ---------------------------------------------------------------


def compare_verdicts(seed: int, count: int) -> None:
    rng, seen = random.Random(seed), [0, 0]
    for _ in range(count):
        position = naive.random_position(rng, deck=naive.SMALL_DECK, players=(2, 3, 4, 5), tasks=(1, 2, 3, 4), planted=0.2)
        right = naive.winnable(position)
        assert walking.winnable(position) == right, position
        seen[right] += 1
    assert min(seen) > count // 5


def test_the_referee_and_the_enumeration_agree_on_which_positions_can_be_won():
    compare_verdicts(3, 250)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(200, 210))
def test_the_referee_and_the_enumeration_agree_on_many_positions(seed):
    compare_verdicts(seed, 1500)


def compare_tables(seed: int, count: int, **features) -> None:
    """Whether a position with columns, cards passed, tokens that change places, tasks that move can be won."""
    rng, seen = random.Random(seed), [0, 0]
    for _ in range(count):
        position = naive.random_table_position(rng, crew=(0,), tasks=(1, 2, 3), planted=0.3, **features)
        right = naive.winnable(position)
        assert walking.winnable(position) == right, position
        seen[right] += 1
    assert min(seen) > count // 6


@pytest.mark.parametrize(
    "features",
    [
        {"players": (3,), "columns": 1, "signal": 0, "exchange": 0},
        {"signal": 1, "exchange": 0},
        {"signal": 0, "exchange": 1},
        {"setup": 1, "owners": ("free", "mixed"), "midgame": 0.1, "signal": 0, "exchange": 0},
        {"players": (5,), "five_player_rule": 1, "columns": 0, "signal": 0, "exchange": 0},
        {},
    ],
    ids=["columns", "signal", "exchange", "setup", "five-player rule", "all"],
)
def test_the_referee_and_the_enumeration_agree_on_whole_tables(features):
    compare_tables(8, 60, **features)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(250, 260))
def test_the_referee_and_the_enumeration_agree_on_many_tables(seed):
    compare_tables(seed, 1500)


def test_a_planted_position_is_winnable():
    rng = random.Random(4)
    for _ in range(200):
        assert naive.winnable(naive.random_position(rng, deck=naive.SMALL_DECK, players=(2, 3, 4, 5), planted=1))


# --- exact counts of legal lines ----------------------------------------------------------------------------------


def walk(table: Referee, depth: int) -> int:
    """The number of legal sequences of ``depth`` plays, by walking the referee."""
    return 1 if depth == 0 else sum(walk(walking.after(table, card), depth - 1) for card in table.legal_plays())


def perft_cases():
    for deal in PERFT:
        for depth, lines in deal["lines"].items():
            marks = [pytest.mark.long] if lines > 20_000 else []
            yield pytest.param(deal["hands"], int(depth), lines, id=f"{deal['name']}-{depth}", marks=marks)


@pytest.mark.parametrize(("hands", "depth", "lines"), list(perft_cases()))
def test_the_number_of_legal_lines_is_exact(hands, depth, lines):
    position = make(hands)
    assert naive.count_lines(position.hands, depth=depth) == lines
    assert walk(Referee(position), depth) == lines


def test_perft_deals_run_to_the_end_where_they_say_so():
    for deal in PERFT:
        position = make(deal["hands"])
        end = position.tricks * position.players
        assert all(int(depth) <= end for depth in deal["lines"])
        assert deal["complete"] == (str(end) in deal["lines"])
        if deal["complete"] and deal["lines"][str(end)] < 2000:
            assert naive.count_lines(position.hands) == deal["lines"][str(end)]


def test_a_leader_other_than_the_captain_can_be_counted_from():
    hands = [mask_of([0, 1]), mask_of([2, 9])]
    assert naive.count_lines(hands, leader=0) == 2
    assert naive.count_lines(hands, leader=1) == 4
