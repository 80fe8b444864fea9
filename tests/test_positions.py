"""Positions and tokens: what is derived from them, and every way in which they can be impossible."""

from __future__ import annotations

import random
from itertools import product

import naive
import pytest
from deepcrew.solver.cards import FULL_DECK, cards_of, mask_of, parse_card, parse_hand
from deepcrew.solver.errors import InputError
from deepcrew.solver.goals import TOGETHER, CrewGoal, Role, goal_form
from deepcrew.solver.positions import CHALLENGE_DECK, EITHER, LEFT, PLAYED, RIGHT, Exchange, Position, Task
from deepcrew.solver.tokens import TOKENS, check_tokens, parse_token

DEAL = ("P159 B28 G3 Y47 R14", "P28 B19 G147 Y258", "P36 B347 G29 Y19 R2", "P47 B56 G568 Y36 R3")
HANDS = tuple(parse_hand(hand) for hand in DEAL)


def tasks_of(*tasks: str | tuple) -> tuple[Task, ...]:
    """Tasks written as a card, or as (card, owner, token)."""
    return tuple(Task(parse_card(task)) if isinstance(task, str) else Task(parse_card(task[0]), *task[1:]) for task in tasks)


def refused(*words: str, hands=HANDS, tasks=(), **rest) -> str:
    """The sentence of the InputError, which must contain these words."""
    with pytest.raises(InputError) as error:
        Position(hands, tasks, **rest)
    for word in words:
        assert word in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


def swapped(old: str, new: str) -> tuple[int, ...]:
    """The deal with one word of its notation replaced."""
    assert old in " ".join(DEAL)
    return tuple(parse_hand(hand.replace(old, new)) for hand in DEAL)


# --- what follows from a position ---------------------------------------------------------------------------------


def test_captain_tricks_and_players_follow_from_the_deal():
    position = Position(HANDS, ())
    assert (position.captain, position.tricks, position.players) == (0, 10, 4)
    turned = Position(HANDS[2:] + HANDS[:2], ())
    assert turned.captain == 2


@pytest.mark.parametrize(("players", "sizes", "tricks"), [(3, [13, 13, 14], 13), (4, [10] * 4, 10), (5, [8] * 5, 8)])
def test_hand_sizes_and_tricks_of_the_full_deck(players, sizes, tricks):
    position = naive.random_position(random.Random(1), players=(players,), midgame=0)
    assert sorted(hand.bit_count() for hand in position.hands) == sizes
    assert position.tricks == tricks


def test_counts_are_what_the_owners_given_leave_of_the_distribution():
    assert Position(HANDS, tasks_of("P1", "P2", "P3", "P4", "P5")).counts == [(2, 1, 1, 1)]
    assert Position(HANDS, tasks_of(("P1", 0), ("P2", 2), "P3", "P4", "P5")).counts == [(1, 1, 0, 1)]
    decided = Position(HANDS, tasks_of(("P1", 2), "P2"), distribution="captain-decision")
    assert decided.counts == [(0, 0, 1, 0)]


def test_owners_may_be_filled_in():
    position = Position(HANDS, tasks_of(("P1", None, "1"), "P2"), plays=((0,),))
    filled = position.with_owners([1, 0])
    assert filled.owners == (1, 0)
    assert filled.tasks[0] == Task(0, 1, "1")
    assert filled.plays == position.plays
    assert position.owners == (None, None)


def test_given_owners_of_all_tasks_are_free_from_the_distribution():
    assert Position(HANDS, tasks_of(("P1", 3), ("P2", 3), ("P3", 3))).counts == []


def test_positions_are_values():
    first, second = Position(HANDS, tasks_of("P1")), Position(HANDS, tasks_of("P1"))
    assert first == second
    assert hash(first) == hash(second)
    assert first.captain == 0
    assert first == second
    assert first != Position(HANDS, tasks_of("P2"))


@pytest.mark.parametrize("seed", range(20))
def test_random_positions_are_what_was_asked_for(seed):
    rng = random.Random(seed)
    position = naive.random_position(rng, players=(4,), tasks=(3,), owners=("free",), tokens=False, midgame=1)
    assert position.players == 4
    assert position.owners == (None, None, None)
    assert {task.token for task in position.tasks} == {None}
    assert position.plays
    again = naive.random_position(random.Random(seed), players=(4,), tasks=(3,), owners=("free",), tokens=False, midgame=1)
    assert again == position


def test_random_positions_show_every_token_distribution_and_ownership():
    rng = random.Random(0)
    drawn = [naive.random_position(rng, tasks=range(11)) for _ in range(500)]
    assert {task.token for position in drawn for task in position.tasks} == {None, *TOKENS}
    assert {position.distribution for position in drawn} == {"round-robin", "captain-decision", "captain-distribution"}
    assert {position.players for position in drawn} == {3, 4, 5}
    assert {len(position.tasks) for position in drawn} == set(range(11))
    kinds = {frozenset(owner is None for owner in position.owners) for position in drawn}
    assert kinds == {frozenset(), frozenset({True}), frozenset({False}), frozenset({True, False})}
    assert {len(trick) for position in drawn for trick in position.plays} == {1, 2, 3, 4, 5}


# --- Deep Sea -----------------------------------------------------------------------------------------------------


def sea(*tasks: str | tuple, hands=HANDS, **rest) -> Position:
    """A Deep Sea position; a task is a slug, or (slug, owner)."""
    drawn = tuple(Task(task) if isinstance(task, str) else Task(*task) for task in tasks)
    return Position(hands, drawn, game="deep-sea", **rest)


def crew_goal(who: str, **table) -> CrewGoal:
    return CrewGoal(who, goal_form(table, "test"))


def test_the_usual_distribution_depends_on_the_game():
    assert Position(HANDS, ()).distribution == "round-robin"
    assert sea().distribution == "round-robin-with-passing"


def test_a_task_is_a_colour_card_or_a_slug():
    assert (Task(8).target, Task(8).name("planet-nine")) == (8, "P9")
    assert (Task("win_all_9s").target, Task("win_all_9s").name("deep-sea")) == (-1, "win_all_9s")


def test_counts_leave_room_for_passing():
    assert sorted(sea("no_P", "no_Y").counts) == sorted(tuple(map(int, row)) for row in ["1100", "1010", "1001", "0110", "0101", "0011"])
    assert sorted(sea(("no_P", 2), "no_Y").counts) == [(0, 0, 0, 1), (0, 1, 0, 0), (1, 0, 0, 0)]
    assert sea("no_P", ("no_Y", 3), distribution="free").counts == [(2, 2, 2, 1)]


def test_duties_are_one_for_each_goal():
    goal = crew_goal("anyone", count="tricks", exactly=0)
    everyone = crew_goal("everyone", count="run", at_most=3)
    position = sea("no_P", ("last_trick", 2), "same_as_captain", crew=(goal, everyone))
    assert [(duty.seats, duty.task) for duty in position.duties] == [
        (0b1111, 0), (0b0100, 1), (0b1110, 2), (0b1111, -1), (0b0001, -1), (0b0010, -1), (0b0100, -1), (0b1000, -1),
    ]  # fmt: skip
    assert position.duties[1].goal.conditions[0].numbers == 1 << 9
    assert position.duties[2].goal.conditions[0].against == position.captain == 0
    assert position.seats == (0b1111, 0b0100, 0b1110)
    assert Position(HANDS, tasks_of("P1")).duties == ()


OPENER, CLOSER, ILL = Role("opener", "crew", "all"), Role("closer", "crew", "all"), Role("ill member", "captain", "others")
NO_TRICK = goal_form({"count": "tricks", "exactly": 0}, "test")


def test_duties_of_the_crew_as_one_of_the_captain_and_of_roles():
    together = Position(HANDS, (), crew=(CrewGoal("together", NO_TRICK),)).duties
    assert [(duty.seats, duty.goal.conditions[0].against) for duty in together] == [(1, TOGETHER)]
    assert [duty.seats for duty in Position(HANDS[1:] + HANDS[:1], (), crew=(CrewGoal("captain", NO_TRICK),)).duties] == [0b1000]
    crew = (CrewGoal("opener", NO_TRICK, OPENER), CrewGoal("ill member", NO_TRICK, ILL))
    assert [(duty.seats, duty.role) for duty in Position(HANDS, (), crew=crew).duties] == [(0b1111, "opener"), (0b1110, "ill member")]
    given = Position(HANDS, (), crew=crew, roles=(("ill member", 2),)).duties
    assert [(duty.seats, duty.role) for duty in given] == [(0b1111, "opener"), (0b0100, "ill member")]


def test_duties_of_the_seat_left_of_the_holder_of_a_card_and_of_everyone_else():
    now, dealt = Role("collector", left_of="P8"), Role("collector", left_of="P8", as_dealt=True)  # seat 1 has P8
    (duty,) = Position(HANDS, (), crew=(CrewGoal("collector", NO_TRICK, now),)).duties
    assert (duty.seats, duty.holder_of, duty.steps) == (0b0100, parse_card("P8"), 1)
    (duty,) = Position(HANDS, (), crew=(CrewGoal("collector", NO_TRICK, dealt),)).duties
    assert (duty.seats, duty.holder_of) == (0b0100, -1)
    others = Position(HANDS, (), crew=(CrewGoal("not collector", NO_TRICK, now),)).duties
    assert [(duty.seats, duty.steps) for duty in others] == [(0b1000, 2), (0b0001, 3), (0b0010, 4)]


def test_the_captain_owns_no_comparison_with_the_captain():
    for slug in ("more_than_captain", "fewer_than_captain", "same_as_captain"):
        with pytest.raises(InputError, match=f"task {slug} compares its owner with the captain, so the captain, seat 0, cannot own it"):
            sea((slug, 0))
        position = sea(slug, distribution="one-volunteer")
        assert [position.may_own([seat]) for seat in range(4)] == [False, True, True, True]
    assert not sea("more_than_captain", "no_P", distribution="captain-excluded").may_own([0, 1])
    assert sea(("more_than_each_other", 0)).owners == (0,)


def test_the_hardest_task_for_the_captain():
    # with four players: win_all_9s 5, all_of_one_color 4, win_P3 1, same_as_captain 3
    hardest = {"distribution": "captain-hardest-first"}
    position = sea("win_P3", "win_all_9s", "all_of_one_color", **hardest)
    assert position.hardest == (1,)
    assert position.may_own([1, 0, 2])
    assert not position.may_own([0, 1, 2])
    assert not position.may_own([1, 2, 3]), "the captain does not pass"
    assert sea("win_P3", "same_as_captain", **hardest).hardest == (0,), "the captain may not take the harder one"
    assert sea("same_as_captain", **hardest).hardest == ()
    assert sea("win_P3", "win_Y1", **hardest).hardest == (0, 1), "either will do"
    assert sea("win_P3", "win_all_9s").hardest == (), "only where the distribution says so"


def test_the_hardest_task_depends_on_the_players_and_the_print():
    three = naive.random_position(random.Random(1), players=(3,), midgame=0).hands
    five = naive.random_position(random.Random(1), players=(5,), midgame=0).hands
    hardest = {"distribution": "captain-hardest-first"}
    # only_first_trick is 4, 3, 3 and first_three_tricks 2, 3, 4
    drawn = ("only_first_trick", "first_three_tricks")
    assert [sea(*drawn, hands=hands, **hardest).hardest for hands in (three, HANDS, five)] == [(0,), (0, 1), (1,)]
    # win_P9_Y8 is 3 with four players, 2 in the first German print; win_Y9_B7 is 3
    assert sea("win_P9_Y8", "win_Y9_B7", **hardest).hardest == (0, 1)
    assert sea("win_P9_Y8", "win_Y9_B7", edition="german-first", **hardest).hardest == (1,)


@pytest.mark.parametrize("seed", range(3))
def test_who_may_own_what_is_what_the_drafts_lead_to(seed):
    rng = random.Random(seed)
    for _ in range(30):
        position = naive.random_goal_position(rng, games=("deep-sea",), tasks=(1, 2, 3), owners=("free", "mixed"), crew=(0,), planted=0)
        if None not in position.owners:
            continue
        every = product(range(position.players), repeat=len(position.tasks))
        assert {owners for owners in every if position.may_own(owners)} == naive.owners_allowed(position), position


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        (["no_P", ("no_P", 1)], "duplicate task no_P"),
        (["win_all_9"], "unknown task card 'win_all_9', did you mean 'win_all_9s'?"),
        ([("no_P", 4)], "owner 4 of task no_P is out of range"),
        ([("no_P", 1, "1")], "Deep Sea has no order tokens"),
        ([(8, 1)], "task P9 is not a task card of deep-sea"),
    ],
)
def test_impossible_task_cards_are_named(tasks, words):
    with pytest.raises(InputError) as error:
        sea(*tasks)
    assert words in str(error.value)


def test_task_cards_are_not_of_planet_nine():
    refused("task no_P is not a task card of planet-nine", tasks=(Task("no_P"),))


# --- impossible deals ---------------------------------------------------------------------------------------------


def test_a_card_in_two_hands_is_named():
    refused("duplicate card P2", "seat 1", hands=swapped("P159", "P259"))


def test_missing_cards_are_named():
    refused("missing card P1:", hands=swapped("P159", "P59"))
    refused("missing cards P1 P9:", hands=swapped("P159", "P5"))
    refused("missing card R4", hands=swapped("R14", "R1"))


def test_wrong_hand_sizes_are_named():
    refused("wrong hand sizes 9/11/10/10", "10 cards each", hands=(HANDS[0] ^ 1, HANDS[1] | 1, *HANDS[2:]))
    three = (HANDS[0] | HANDS[3], HANDS[1], HANDS[2])
    refused("wrong hand sizes 20/10/10", "13 cards each and one more in 1", hands=three)
    refused("wrong hand sizes 40/0/0/0", hands=(FULL_DECK, 0, 0, 0))


def test_the_fourteenth_card_may_be_in_any_hand_but_only_in_one():
    deck = [1 << card for card in range(40)]
    for sizes in ((14, 13, 13), (13, 14, 13), (13, 13, 14)):
        hands = [sum(deck[sum(sizes[:seat]) : sum(sizes[: seat + 1])]) for seat in range(3)]
        assert Position(tuple(hands), ()).tricks == 13
    hands = [sum(deck[:14]), sum(deck[14:28]), sum(deck[28:])]
    refused("wrong hand sizes 14/14/12", hands=tuple(hands))


@pytest.mark.parametrize("players", [0, 1, 2, 6])
def test_a_wrong_number_of_hands_is_named(players):
    refused(f"the number of hands is {players}", "3, 4 or 5", hands=(FULL_DECK,) * min(players, 1) + (0,) * (players - 1))


def test_empty_hands_are_refused():
    refused("missing cards", hands=(0, 0, 0, 0))


def test_a_card_outside_the_deck_is_named():
    small = parse_hand("P1 P2 P3 R4")
    refused("card B1 is not in this deck", hands=(parse_hand("P1 R4"), parse_hand("P2 P3 B1")), deck=small)


def test_a_deck_without_a_captain_card_is_refused():
    refused("missing card R4", "captain", hands=(parse_hand("P1"), parse_hand("P2")), deck=parse_hand("P12"))
    refused("missing card R4", hands=(0, 0), deck=0)


def test_an_unknown_game_is_named():
    refused("unknown game 'chess'", *PLAYED, game="chess")


# --- impossible roles ---------------------------------------------------------------------------------------------

CREW = (CrewGoal("opener", NO_TRICK, OPENER), CrewGoal("closer", NO_TRICK, CLOSER), CrewGoal("ill member", NO_TRICK, ILL))


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ([("ill member", 0)], "the captain, seat 0, cannot be the ill member: the rules want another member"),
        ([("opener", 1), ("closer", 1)], "two roles are given to one seat: different roles go to different members"),
        ([("opener", 4)], "seat 4 of the opener is out of range: seats are 0 to 3"),
        ([("opener", -1)], "seat -1 of the opener is out of range"),
        ([("cook", 1)], "there is no role 'cook' to be given to a seat: known are opener, closer, ill member"),
    ],
)
def test_seats_that_cannot_have_a_role_are_refused(roles, words):
    refused(words, crew=CREW, roles=tuple(roles))


def test_the_captain_may_have_a_role_among_all():
    assert Position(HANDS, (), crew=CREW, roles=(("opener", 0), ("closer", 3), ("ill member", 1))).roles[0] == ("opener", 0)


def test_a_role_left_of_somebody_is_not_given():
    crew = (CrewGoal("collector", NO_TRICK, Role("collector", left_of="P9")),)
    refused("there is no role 'collector' to be given to a seat: none is known", crew=crew, roles=(("collector", 1),))


# --- impossible exchanges -----------------------------------------------------------------------------------------


def order_of(text: str) -> tuple[int, ...]:
    return tuple(parse_card(card) for card in text.split())


@pytest.mark.parametrize(
    ("exchange", "rest", "words"),
    [
        (Exchange(0, EITHER, order_of("P1 P2 P3 P4")), {"plays": (order_of("R4"),)}, "the direction of a distress signal must be given"),
        (Exchange(1, EITHER), {}, "the direction of a distress signal must be given"),
        (Exchange(0, LEFT), {"plays": (order_of("R4"),)}, "cards are passed after 0 tricks, and more are played: say which"),
        (Exchange(1, LEFT), {"plays": (order_of("P1 P2 P3 P4"), order_of("P7"))}, "cards are passed after 1 tricks, and more are played"),
        (Exchange(0, LEFT, order_of("P1 P2 P3 R3")), {}, "R3 cannot be passed with the distress signal: only colour cards can"),
        (Exchange(0, RIGHT, order_of("P1 P2 P3")), {}, "none of the cards passed is a card that seat 3 can pass"),
    ],
)
def test_impossible_exchanges_are_named(exchange, rest, words):
    refused(words, exchanges=(exchange,), **rest)


def test_a_hand_without_colour_cards_cannot_take_part_in_a_distress_signal():
    hands = (parse_hand("R34"), parse_hand("P1 B1"))
    refused("seat 0 has no colour card to pass with the distress signal", hands=hands, deck=sum(hands), exchanges=(Exchange(0, LEFT),))


def test_what_may_be_passed():
    hand, hidden = parse_hand("P1 B2 R3"), parse_hand("B2")
    assert Exchange(0, LEFT).choices(hand, hidden) == parse_hand("P1")
    assert Exchange(1, LEFT).choices(hand, hidden) == parse_hand("B2")
    assert Exchange(1, LEFT).choices(hand, 0) == hand


# --- impossible columns -------------------------------------------------------------------------------------------


def columned(pairs: str) -> tuple[tuple[int, int], ...]:
    """Columns written open/hidden, a lone card without the stroke."""
    words = [pair.split("/") for pair in pairs.split()]
    return tuple((parse_card(word[0]), parse_card(word[1]) if len(word) > 1 else -1) for word in words)


SMALL = tuple(parse_hand(hand) for hand in ("P12 R4", "P34 R3", "B1234"))


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ("B1/B2 B3/B3", "duplicate card B3 in the columns of the third hand"),
        ("B1/B2 B3/P1", "the columns are not the cards of one hand"),
        ("B1/B2 B3", "the columns are not the cards of one hand"),
        ("P1/P2 R4", "R4 cannot lie in the third hand: the captain is one of the two players"),
        ("P3/P4 R3", "the third hand has 3 cards, but it is the one with 4: 2 columns of two"),
    ],
)
def test_impossible_columns_are_named(pairs, words):
    refused(words, hands=SMALL, deck=sum(SMALL), columns=columned(pairs))


def test_with_the_whole_deck_the_third_hand_has_seven_columns_of_two():
    cards = sorted(cards_of(FULL_DECK ^ parse_hand("R4")))
    third = cards[:14]
    hands = (mask_of(third), mask_of(cards[14:27]), mask_of(cards[27:]) | parse_hand("R4"))
    position = Position(hands, (), columns=tuple(zip(third[:7], third[7:], strict=True)))
    assert (position.tricks, position.hidden) == (13, mask_of(third[7:]))
    lone = (*zip(third[:6], third[6:12], strict=True), (third[12], -1), (third[13], -1))
    refused("a column of the third hand has one card: every open card lies on a hidden one", hands=hands, columns=lone)
    refused("the number of hands is 4, one of them in columns", columns=columned("P1/P5 P9/B2"))


def test_the_challenge_deck_has_no_green_and_no_trump_1():
    assert CHALLENGE_DECK.bit_count() == 30
    assert list(cards_of(CHALLENGE_DECK)) == list(cards_of(parse_hand("P123456789 B123456789 Y123456789 R234")))


# --- what the crew decides beforehand -----------------------------------------------------------------------------


def compare_alternatives(seed: int, count: int) -> None:
    """Tokens, moves and owners of all alternatives together, against the enumeration."""
    rng = random.Random(seed)
    for _ in range(count):
        position = naive.random_table_position(
            rng, players=(3, 4, 5, 5, 5), tasks=(1, 2, 3), crew=(0,), signal=0.2, exchange=0, setup=0.6, five_player_rule=0.8, planted=0.3
        )
        ways = position.alternatives()
        found = {
            (tuple(task.token for task in way.tasks), owners)
            for way in ways
            for owners in product(range(position.players), repeat=len(position.tasks))
            if (way.may_own(owners) if None in way.owners else owners == way.owners)
        }
        right = {
            (tuple(task.token for task in way.tasks), owners) for way in naive.token_ways(position) for owners in naive.owners_allowed(way)
        }
        assert found == right, position
        sides = (
            {LEFT, RIGHT}
            if any(exchange.to == EITHER for exchange in position.exchanges)
            else {position.exchanges[0].to}
            if position.exchanges
            else set()
        )
        assert {exchange.to for way in ways for exchange in way.exchanges} == sides
        assert ways[0].tasks == position.tasks


def test_the_alternatives_are_what_the_crew_may_decide():
    compare_alternatives(1, 200)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(600, 605))
def test_the_alternatives_are_what_the_crew_may_decide_many_times(seed):
    compare_alternatives(seed, 3000)


def test_random_tables_show_every_feature_and_leave_out_what_is_switched_off():
    rng = random.Random(2)
    drawn = [naive.random_table_position(rng) for _ in range(300)]
    for feature in ("columns", "exchanges", "ends_with_tasks", "setup", "five_player_rule", "roles", "crew", "plays", "tasks"):
        assert 20 < sum(bool(getattr(position, feature)) for position in drawn) < 290, feature
    whos = {"everyone", "anyone", "together", "captain", "opener", "closer", "ill", "collector", "not collector"}
    assert {goal.who for position in drawn for goal in position.crew} == whos
    assert {exchange.to for position in drawn for exchange in position.exchanges} == {LEFT, RIGHT, EITHER}
    off = {"columns": 0, "signal": 0, "exchange": 0, "ends_with_tasks": 0, "roles": 0, "setup": 0, "five_player_rule": 0, "midgame": 0}
    for _ in range(50):
        plain = naive.random_table_position(rng, **off)
        present = [getattr(plain, name) for name in ("columns", "exchanges", "ends_with_tasks", "setup", "five_player_rule", "plays")]
        assert not any(present)
        assert all(goal.role is None for goal in plain.crew)
        named = naive.random_table_position(rng, signal=1, exchange=0.5, orders=("named",))
        assert all(exchange.order for exchange in named.exchanges)


def test_planted_tables_are_winnable():
    rng = random.Random(3)
    for _ in range(100):
        position = naive.random_table_position(rng, planted=1)
        assert naive.winnable(position), position


# --- impossible tasks ---------------------------------------------------------------------------------------------


def test_a_trump_is_no_task():
    refused("task R1 does not exist", tasks=tasks_of("R1"))


def test_a_task_card_outside_the_deck_is_named():
    hands = (parse_hand("P1 R4"), parse_hand("P2 P3"))
    refused("task B1", "not in this deck", hands=hands, tasks=tasks_of("B1"), deck=sum(hands))


def test_a_task_card_given_twice_is_named():
    refused("duplicate task B6", tasks=tasks_of("B6", "G1", "B6"))


@pytest.mark.parametrize("owner", [-1, 4, 10**30])
def test_an_owner_out_of_range_is_named(owner):
    refused(f"owner {owner} of task B6 is out of range", "0 to 3", tasks=tasks_of(("B6", owner)))


@pytest.mark.parametrize(
    ("tasks", "rest"),
    [
        (tasks_of(("P1", 1), "P2"), {"distribution": "captain-decision", "hands": HANDS[3:] + HANDS[:3]}),
        (tasks_of(("P1", 1), ("P2", 2), "P3"), {"distribution": "captain-decision"}),
        (tasks_of(("P1", 3), "P2"), {}),
        (tasks_of(("P1", 0), ("P2", 0), "P3"), {}),
        (tasks_of(("P1", 2), ("P2", 2), "P3"), {"distribution": "captain-distribution"}),
        (tasks_of(("P1", 3)), {"mission": 1}),
    ],
)
def test_owners_that_do_not_fit_the_distribution_are_refused(tasks, rest):
    distribution = rest.get("distribution", "round-robin")
    refused(f"do not fit the {distribution} distribution", "tasks per seat", tasks=tasks, **rest)


def test_owners_refused_by_the_distribution_hear_what_it_allows():
    refused("seat 0 as captain it allows [1, 1, 0, 0] tasks per seat", tasks=tasks_of(("P1", 3), "P2"))


def test_an_unknown_distribution_is_named():
    refused("unknown distribution 'lottery'", "round-robin", distribution="lottery")


# --- tokens -------------------------------------------------------------------------------------------------------


def test_two_tasks_with_one_token_are_refused():
    refused("two tasks carry the token >", tasks=tasks_of(("P1", 0, ">"), ("P2", 0, ">")))


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["1", "1"], "two tasks carry the token 1"),
        (["omega", None, "omega"], "two tasks carry the token omega"),
        ([">>"], "token >> has no predecessor: > "),
        ([">", ">>>", None], "token >>> has no predecessor: >> "),
        (["2"], "token 2 needs at least 2 tasks: the number of tasks is 1"),
        (["1", None, "5", None], "token 5 needs at least 5 tasks: the number of tasks is 4"),
        (["omega", "2"], "token 2 contradicts omega: both claim the last of 2 tasks"),
    ],
)
def test_tokens_that_contradict_each_other_are_named(tokens, words):
    with pytest.raises(InputError) as error:
        check_tokens(tokens)
    assert words in str(error.value)


SOUND = [[], [None], ["1", "2"], ["3", None, "1"], ["omega"], ["1", "omega"], [">", ">>", None], [">>>", ">", ">>>>", ">>"], ["2", ">"]]


@pytest.mark.parametrize("tokens", SOUND)
def test_sound_tokens_pass(tokens):
    check_tokens(tokens)


@pytest.mark.parametrize("token", TOKENS)
def test_every_token_is_read(token):
    assert parse_token(token) == parse_token(f" {token} ") == parse_token(token.upper()) == token


@pytest.mark.parametrize("text", ["Ω", "ω", "o", "w", "Omega"])
def test_other_spellings_of_omega(text):
    assert parse_token(text) == "omega"


@pytest.mark.parametrize("text", ["", "0", "6", "10", ">>>>>", "<", "> >", "1.0", "one", "²", "true", "None"])
def test_an_unknown_token_is_named(text):
    with pytest.raises(InputError) as error:
        parse_token(text)
    assert f"unknown token {text!r}" in str(error.value)
