"""Random deals: the same for ever, the ones a rate plays, and what constraints leave of them."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest
from deepcrew.solver.cards import FULL_DECK, format_hand, parse_card, parse_hand
from deepcrew.solver.cases import case_from_position, position_from_case
from deepcrew.solver.deals import Constraints, deal, deal_numbers, parse_group, parse_holds
from deepcrew.solver.drafts import DRAFTS, allowed_counts
from deepcrew.solver.errors import InputError
from deepcrew.solver.loads import Load
from deepcrew.solver.missions import find_missions


def first_numbers(players: int, count: int, constraints: Constraints, seed: int = 1) -> list[int]:
    return list(islice(deal_numbers(seed, players, constraints), count))


# Deals.


def test_golden_deal_is_the_same_on_every_machine() -> None:
    position = deal(1, 16, 4, tasks=3, tokens=["1"])
    assert [format_hand(hand) for hand in position.hands] == [
        "P47 B9 G24 Y2478 R4",
        "P23 B14 G1679 Y3 R1",
        "P689 B357 G358 R2",
        "P15 B268 Y1569 R3",
    ]
    assert [(task.card, task.token, task.owner) for task in position.tasks] == [
        (parse_card("G3"), "1", None),
        (parse_card("G7"), None, None),
        (parse_card("Y4"), None, None),
    ]


GOLDEN_TABLES = {
    (1, 0, 2, 2): "P59 B124 G23 Y26 R1234 | P346 B6789 G5678 Y49 | B5/B3 Y8/P8 Y3/G4 Y7/G9 Y5/P2 P1/P7 G1/Y1 : Y2 Y4 B5",
    (1, 0, 2, 0): "B5/B3 Y8/P8 Y3/G4 Y7/G9 Y5/P2 P1/P7 G1/Y1 | P59 B124 G23 Y26 R1234 | P346 B6789 G5678 Y49 : Y2 Y4 B5",
    (42, 7, 2, 1): "P13579 B68 G489 Y29 R4 | G5/P8 G3/Y1 P2/Y3 R3/G1 B2/P6 Y4/B9 B3/B1 | P4 B457 G267 Y5678 R12 : B5 P6 P5",
    (1, 0, 3, None): "P158 B345 Y34 R34 | P467 B189 Y1278 | P239 B267 Y569 R2 : P7 B9 B1",
    (42, 7, 3, None): "P12379 B24 Y3 R23 | P46 B189 Y25678 | P58 B3567 Y149 R4 : Y4 Y3 Y2",
}
"""(seed, index, players, seat of the third hand, or None with the challenge deck): hands and tasks. They never change."""


@pytest.mark.parametrize("key", GOLDEN_TABLES)
def test_golden_deals_for_two_and_of_the_challenge(key: tuple[int, int, int, int | None]) -> None:
    seed, index, players, third = key
    load = Load(3, challenge=True) if third is None else Load(3, third_seat=third)
    case = case_from_position(deal(seed, index, players, load=load))
    assert " | ".join(case["hands"]) + " : " + " ".join(task["task"] for task in case["tasks"]) == GOLDEN_TABLES[key]


@pytest.mark.parametrize("challenge", [False, True])
def test_a_table_for_two_is_the_whole_deck_without_trump_4_in_the_columns(challenge: bool) -> None:
    for index in range(60):
        position = deal(7, index, 2, load=Load(3, challenge=challenge, third_seat=index % 3))
        assert sum(position.hands) == position.deck
        assert len(position.columns) == (5 if challenge else 7)
        assert position.captain != index % 3
        assert position_from_case(case_from_position(position)) == position


@pytest.mark.parametrize("players", [3, 4, 5])
def test_every_deal_is_the_whole_deck_in_hands_of_the_right_size(players: int) -> None:
    for index in range(100):
        hands = deal(7, index, players).hands
        assert sum(hands) == FULL_DECK
        assert sorted(hand.bit_count() for hand in hands) == [40 // players] * (players - 40 % players) + [40 // players + 1] * (
            40 % players
        )


def test_with_three_players_every_seat_gets_the_long_hand_sometimes() -> None:
    long_hands = Counter(max(range(3), key=lambda seat: hands[seat].bit_count()) for hands in (deal(1, i, 3).hands for i in range(300)))
    assert min(long_hands[seat] for seat in range(3)) > 60


def test_more_tasks_start_with_the_same_ones_and_the_hands_stay() -> None:
    few, many = deal(3, 5, 4, tasks=4), deal(3, 5, 4, tasks=9)
    assert many.tasks[:4] == few.tasks
    assert many.hands == few.hands


def test_different_seeds_and_numbers_give_different_deals() -> None:
    assert len({deal(seed, index, 4).hands for seed in range(10) for index in range(10)}) == 100


@pytest.mark.parametrize("distribution", ["round-robin", "captain-decision", "captain-distribution"])
def test_random_owners_follow_the_distribution_and_reach_all_of_it(distribution: str) -> None:
    seen = set()
    for index in range(200):
        position = deal(1, index, 4, tasks=6, distribution=distribution, draft="random")
        counts = tuple(position.owners.count(seat) for seat in range(4))
        assert counts in allowed_counts(distribution, 6, 4, position.captain)
        seen.add(tuple(counts[(position.captain + step) % 4] for step in range(4)))
    assert seen == set(allowed_counts(distribution, 6, 4, 0))


def test_the_draft_does_not_change_hands_or_tasks() -> None:
    best, drawn = (deal(1, 8, 5, tasks=7, draft=draft) for draft in DRAFTS)
    assert best.owners == (None,) * 7
    assert best.hands == drawn.hands
    assert [task.card for task in best.tasks] == [task.card for task in drawn.tasks]


def test_a_deal_survives_its_case() -> None:
    for index in range(20):
        position = deal(2, index, 5, tasks=4, tokens=["omega"], draft="random", distribution="captain-distribution")
        assert position_from_case(case_from_position(position)) == position


def test_the_mission_is_written_into_the_position() -> None:
    for name in ("planet-nine/10", "deep-sea/10"):
        load = Load.of(find_missions(name)[0])
        position = deal(1, 0, 4, load=load)
        assert (position.mission, position.game, position.distribution) == (10, load.game, load.distribution)
        assert position_from_case(case_from_position(position)) == position


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"players": 1}, "players must be 2, 3, 4 or 5, not 1"),
        ({"players": 6}, "players must be 2, 3, 4 or 5, not 6"),
        ({"tasks": 37}, "36 task cards"),
        ({"tasks": -1}, "36 task cards"),
        ({"tasks": 1, "tokens": ["1", "omega"]}, "the tokens 1 omega need a task each"),
        ({"tasks": 2, "tokens": [">>"]}, "predecessor"),
        ({"draft": "worst"}, "unknown draft 'worst'"),
        ({"tasks": 2, "draft": "random", "distribution": "auction"}, "unknown distribution 'auction'"),
        ({"seed": -1}, "seed -1"),
        ({"index": 1 << 62}, "index 4611686018427387904"),
    ],
)
def test_impossible_deals_are_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        deal(**{"seed": 1, "index": 0, "players": 4, **arguments})  # type: ignore[arg-type]


# Constraints.


def test_without_constraints_all_deals_come_in_order() -> None:
    assert first_numbers(4, 5, Constraints()) == [0, 1, 2, 3, 4]
    assert list(islice(deal_numbers(1, 4, Constraints(), first=17), 2)) == [17, 18]


@pytest.mark.parametrize("players", [3, 4, 5])
def test_constraints_leave_out_the_deals_that_do_not_meet_them_and_no_other(players: int) -> None:
    four, nine, eight, pair = parse_card("R4"), parse_card("P9"), parse_card("P8"), parse_hand("B1 G1")
    constraints = Constraints(((0, 1 << four),), (1 << nine | 1 << eight,), (pair,))

    def fits(index: int) -> bool:
        seat = {card: at for at, hand in enumerate(deal(1, index, players).hands) for card in range(40) if hand >> card & 1}
        return seat[four] == 0 and seat[nine] == seat[eight] and seat[parse_card("B1")] != seat[parse_card("G1")]

    found = first_numbers(players, 10, constraints)
    assert found == [index for index in range(found[-1] + 1) if fits(index)]


def test_constraints_are_read_from_text() -> None:
    assert parse_holds("0:R4") == (0, parse_hand("R4"))
    assert parse_holds("2:P159,R3") == (2, parse_hand("P159 R3"))
    assert parse_group("P9,P8") == parse_group("P98") == parse_hand("P89")


@pytest.mark.parametrize("text", ["R4", "x:R4", "0:", ":R4", "-1:R4", "0:X1", "0:P99"])
def test_malformed_holds_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_holds(text)


@pytest.mark.parametrize("text", ["", "P9", "P9,X1", "P9,P9"])
def test_malformed_groups_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_group(text)


def some(holds: list[str] | None = None, together: list[str] | None = None, apart: list[str] | None = None) -> Constraints:
    return Constraints(
        tuple(parse_holds(text) for text in holds or []),
        tuple(parse_group(text) for text in together or []),
        tuple(parse_group(text) for text in apart or []),
    )


@pytest.mark.parametrize(
    ("constraints", "players", "words"),
    [
        (some(["4:R4"]), 4, "seat 4 is out of range"),
        (some(["0:R4", "1:R4"]), 4, "card R4 cannot be in the hands of seats 0 and 1"),
        (some(["0:P123456789", "0:B12"]), 4, "seat 0 cannot hold 11 cards"),
        (some(["0:P123456789"]), 5, "seat 0 cannot hold 9 cards"),
        (some([], ["P123456789", "P9,B1,B2"]), 4, "one hand cannot hold 11 cards"),
        (some(["0:P9", "1:P8"], ["P98"]), 4, "P89 cannot be together and in the hands of seats 0 and 1"),
        (some([], ["P98"], ["P98"]), 4, "P8 and P9 cannot be together and apart"),
        (some([], ["P98", "P87"], ["P97"]), 4, "P7 and P9 cannot be together and apart"),
        (some(["0:P98"], [], ["P98"]), 4, "P8 and P9 cannot be apart and both in the hand of seat 0"),
        (some([], [], ["P12345"]), 4, "5 cards .* cannot be apart: there are 4 hands"),
        (some(["0:P1", "1:P2", "2:P3"], [], ["P1,B1", "P2,B1", "P3,B1"]), 3, "no deal for 3 players"),
        (some(["0:P123456789 B12345"], ["G123456789 Y12345"]), 3, "no deal for 3 players"),
    ],
)
def test_contradictory_constraints_are_refused_at_once(constraints: Constraints, players: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        next(deal_numbers(1, players, constraints))


@pytest.mark.parametrize(
    ("constraints", "players"),
    [
        (some(["0:P123456789 B1"]), 4),
        (some(["0:P123456789 B12345"], ["G123456789 Y1234"]), 3),
        (some(["0:P1", "1:P2"], [], ["P1,B1", "P2,B1"]), 3),
        (some([], ["P12345678", "B12345678", "G12345678", "Y12345678"], ["P1,B1,G1,Y1"]), 5),
    ],
)
def test_tight_constraints_are_not_contradictory(constraints: Constraints, players: int) -> None:
    constraints.check(players)


def test_very_rare_constraints_are_given_up_with_a_sentence() -> None:
    with pytest.raises(InputError, match=r"gave up after 1,000 deals in a row"):
        next(deal_numbers(1, 4, some(["0:P123456789 B1"]), give_up=1000))
