"""Loads of Deep Sea: draws to a difficulty, redeals, replaced tasks and owners, each thought anew in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from deepcrew.kernels.batch import decide_deals, make_deal
from deepcrew.kernels.layout import new_memory
from deepcrew.kernels.sampling import DEAL_STREAM, TASK_STREAM, draw_to_sum
from deepcrew.solver.cards import FULL_DECK, cards_of, format_hand, mask_of
from deepcrew.solver.deals import deal
from deepcrew.solver.drafts import DEEP_SEA, DRAFTS
from deepcrew.solver.errors import InputError
from deepcrew.solver.exclusions import load_exclusions
from deepcrew.solver.loads import HARDEST, Load, load_table, new_deals
from deepcrew.solver.missions import load_missions
from deepcrew.solver.positions import Position, Task
from deepcrew.solver.taskcards import find_task_card, load_task_cards
from naive import captain_may, compares_with_captain, drafts
from test_kernels import LAST_NUMBER, Stream, _chi_square, _far

SLUGS = [card.slug for card in load_task_cards()]
MISSIONS = load_missions("deep-sea")
HARDEST_FIRST = ("captain-hardest-first", "captain-hardest-leftmost", "captain-hardest-only")
AT_DIFFERENT_OWNERS = ("round-robin-with-passing", *HARDEST_FIRST, "captain-excluded")


def sea(difficulty: int | None = None, distribution: str = "", cards: Sequence[str] = (), edition: str | None = None) -> Load:
    return Load(game="deep-sea", difficulty=difficulty, distribution=distribution, task_cards=tuple(cards), edition=edition)


def difficulties(slugs: Sequence[str], players: int, edition: str | None = None) -> list[int]:
    return [find_task_card(slug).difficulty_for(players, edition) for slug in slugs]


# The draws once more.


class Drawn(NamedTuple):
    """What a deal of a load has to be."""

    tasks: tuple[str, ...]
    replaced: int
    hands: tuple[int, ...]
    redealt: int


def redraw(load: Load, players: int, seed: int, index: int) -> Drawn:
    """A deal of a load with a difficulty, from the random stream and the rules alone."""
    again = 0
    while True:
        order = [SLUGS[card] for card in Stream(TASK_STREAM, seed, index, len(SLUGS) + (again << 10)).draw(range(len(SLUGS)), len(SLUGS))]
        found = drawn_from(order, load, players)
        if found is not None:
            break
        again += 1
    return Drawn(*found, *redealt_hands(found[0], players, seed, index))


def drawn_from(order: Sequence[str], load: Load, players: int) -> tuple[tuple[str, ...], int] | None:
    """The tasks drawn from a shuffled stack and how many were replaced; None when it has no such tasks."""
    assert load.difficulty is not None
    tasks: list[str] = []
    for slug in order:
        if sum(difficulties([*tasks, slug], players, load.edition)) <= load.difficulty:
            tasks.append(slug)
    if sum(difficulties(tasks, players, load.edition)) < load.difficulty or (load.distribution == "two-volunteers" and len(tasks) < 2):
        return None
    if load.distribution == "captain-hardest-only" and hardest_for_captain(tasks, players, load) is None:
        return None
    seats = players - (load.distribution == "captain-excluded")
    if load.distribution not in AT_DIFFERENT_OWNERS or len(tasks) > seats:
        return tuple(tasks), 0
    captain_takes_one = load.distribution in HARDEST_FIRST or (load.distribution == AT_DIFFERENT_OWNERS[0] and len(tasks) == seats)
    replaced = 0
    for slug in order:
        wrong = place_of_wrong(tasks, players, captain_takes_one)
        if wrong is None:
            break
        if slug not in tasks and difficulties([slug], players, load.edition) == difficulties([tasks[wrong]], players, load.edition):
            tasks[wrong] = slug
            replaced += 1
    if place_of_wrong(tasks, players, captain_takes_one) is not None:
        return None
    if load.distribution == "captain-hardest-only" and hardest_for_captain(tasks, players, load) is None:
        return None
    return tuple(tasks), replaced


def hardest_for_captain(tasks: Sequence[str], players: int, load: Load) -> str | None:
    """The first of the hardest tasks that the captain may own, None when it may own none of them."""
    numbers = difficulties(tasks, players, load.edition)
    hardest = [slug for slug, number in zip(tasks, numbers, strict=True) if number == max(numbers)]
    return next((slug for slug in hardest if not compares_with_captain(find_task_card(slug))), None)


def place_of_wrong(tasks: Sequence[str], players: int, captain_takes_one: bool) -> int | None:
    """The first task that excludes one before it, or the last when the captain can take none."""
    excluded = load_exclusions(players, same_owner=False)
    for later, slug in enumerate(tasks):
        if any(frozenset((slug, earlier)) in excluded for earlier in tasks[:later]):
            return later
    return len(tasks) - 1 if captain_takes_one and all(compares_with_captain(find_task_card(slug)) for slug in tasks) else None


def redealt_hands(tasks: Sequence[str], players: int, seed: int, index: int) -> tuple[tuple[int, ...], int]:
    """The hands that are played, and how many deals before them were thrown in."""
    thrown_in = [cards for slug in tasks for cards in find_task_card(slug).redeal]
    again = 0
    while True:
        hands = hands_of(seed, index, players, again)
        if not any(hand & cards == cards for hand in hands for cards in thrown_in):
            return hands, again
        again += 1


def hands_of(seed: int, index: int, players: int, again: int) -> tuple[int, ...]:
    stream = Stream(DEAL_STREAM, seed, index, FULL_DECK * 8 + players + (again << 50))
    cards = stream.draw(list(cards_of(FULL_DECK)), 40)
    size, extra = divmod(len(cards), players)
    hands = [mask_of(cards[size * seat : size * (seat + 1)]) for seat in range(players)]
    for seat, card in zip(stream.draw(range(players), extra)[:extra], cards[size * players :], strict=True):
        hands[seat] |= 1 << card
    return tuple(hands)


def made(load: Load, players: int, seed: int, index: int, random_owners: bool = False) -> tuple[Drawn, tuple[int, ...]]:
    """The same from the kernel, and the owners."""
    deals = new_deals(1, players)
    assert make_deal(seed, index, players, FULL_DECK, load_table(load, players), random_owners, deals, 0)
    count = int(deals.count[0])
    tasks = tuple(SLUGS[card] for card in deals.tasks[0, :count].tolist())
    hands = tuple(deals.hands[0, :players].tolist())
    return Drawn(tasks, int(deals.replaced[0]), hands, int(deals.redealt[0])), tuple(deals.owners[0, :count].tolist())


def compare_draws(players: int, indexes: range) -> Counter[str]:
    seen: Counter[str] = Counter()
    for difficulty in range(1, HARDEST + 1):
        for distribution in DEEP_SEA:
            load = sea(difficulty, distribution, edition="german-first" if difficulty % 3 == 0 else None)
            if difficulty == 1 and distribution == "two-volunteers":
                continue  # one task, which two cannot share
            for index in indexes:
                right = redraw(load, players, difficulty, index)
                assert made(load, players, difficulty, index)[0] == right, (load, index)
                assert sum(difficulties(right.tasks, players, load.edition)) == difficulty
                assert len(set(right.tasks)) == len(right.tasks)
                seen.update(deals=1, redealt=right.redealt, replaced=right.replaced)
    return seen


@pytest.mark.parametrize("players", [3, 4, 5])
def test_draws_are_those_that_the_rules_make_of_the_shuffled_stack(players: int) -> None:
    compare_draws(players, range(2))


@pytest.mark.parametrize(("difficulty", "index"), [(6, 1332), (7, 1332), (8, 791)])
def test_what_comes_for_a_replaced_task_leaves_the_captain_a_hardest_one(difficulty: int, index: int) -> None:
    load = sea(difficulty, "captain-hardest-only")
    assert made(load, 3, 5, index)[0] == redraw(load, 3, 5, index)


@pytest.mark.long
@pytest.mark.parametrize("players", [3, 4, 5])
def test_many_draws_are_those_that_the_rules_make_of_the_shuffled_stack(players: int) -> None:
    seen = compare_draws(players, range(100, 250))
    assert min(seen["redealt"], seen["replaced"]) > 20


def test_a_card_that_goes_beyond_is_skipped_and_the_last_one_fits_exactly() -> None:
    values = np.array([5, 1, 4, 2, 2, 3], np.int64)
    skipped = 0
    for index in range(300):
        stack, drawn = np.full(6, -1, np.int64), np.full(6, -1, np.int64)
        count = draw_to_sum(3, index, values, 6, stack, drawn, 0)
        assert sorted(stack) == list(range(6))
        taken, left, seen = [], 6, 0
        for card in stack.tolist():
            seen += left > 0
            if values[card] <= left and left > 0:
                taken.append(card)
                left -= int(values[card])
        if left:
            assert count == -1
            continue
        assert drawn[:count].tolist() == taken
        skipped += seen > len(taken)
    assert skipped > 50


def test_a_stack_that_ends_first_is_shuffled_anew() -> None:
    values, stack, drawn = np.array([2, 3], np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    counts = Counter(draw_to_sum(1, 0, values, 3, stack, drawn, again) for again in range(100))
    assert set(counts) == {-1, 1}
    assert {draw_to_sum(1, 0, values, 4, stack, drawn, again) for again in range(20)} == {-1}


GOLDEN_DRAWS = {
    (4, 1, 0, 3): "win_Y1@1 more_than_each_other@0 no_9s@2 | P89 B5 G48 Y123456 R12",
    (9, 1, 0, 4): "win_Y1@0 more_than_each_other@1 win_S2_only_sub@3 no_9s@3 two_in_a_row@2 | P469 B7 G14567 Y2",
    (9, 1, 0, 5): "win_Y1@0 more_than_each_other@1 win_S2_only_sub@4 no_9s@3 two_in_a_row@2 | P1346 B9 Y3 R13",
    (
        17,
        1,
        999_999,
        4,
    ): "win_Y9_B7@2 exactly_one_P@1 win_P1_G7@3 no_open_P_Y_B@2 exactly_3_tricks_in_a_row@0 no_P@1 more_Y_than_B@3 | P1 B168 G26 Y145 R3",
    (6, 42, 7, 5): "all_of_one_color@4 more_Y_than_B@2 | P6 B237 Y19 R12",
    (
        12,
        LAST_NUMBER,
        LAST_NUMBER,
        3,
    ): "exactly_three_S@2 exactly_three_6s@0 no_5s@1 win_using_5@1 last_trick@0 more_Y_than_B@2 | P138 B1456 G27 Y68 R24",
}
"""(difficulty, seed, index, players): the tasks, and the first hand. Published numbers rest on these: they never change."""


@pytest.mark.parametrize("key", GOLDEN_DRAWS)
def test_golden_draws(key: tuple[int, int, int, int]) -> None:
    difficulty, seed, index, players = key
    position = deal(seed, index, players, load=sea(difficulty), draft="random")
    tasks = " ".join(f"{task.card}@{task.owner}" for task in position.tasks)
    assert f"{tasks} | {format_hand(position.hands[0])}" == GOLDEN_DRAWS[key]


# Task cards that are always there.


def test_fixed_task_cards_are_there_in_their_order() -> None:
    cards = ("zero_tricks", "last_trick", "no_S")
    for index in range(20):
        position = deal(1, index, 4, load=sea(cards=cards))
        assert [task.card for task in position.tasks] == list(cards)
        assert position.owners == (None,) * 3
        assert position.hands == hands_of(1, index, 4, 0)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_no_hand_that_a_task_calls_a_redeal_is_played(players: int) -> None:
    counts = Counter[int]()
    with_redeal = [card for card in load_task_cards() if card.redeal]
    assert len(with_redeal) == 7
    for card in with_redeal:
        load = sea(cards=(card.slug,))
        for index in range(400):
            drawn, _ = made(load, players, 8, index)
            assert not any(hand & cards == cards for hand in drawn.hands for cards in card.redeal)
            assert (drawn.hands, drawn.redealt) == redealt_hands((card.slug,), players, 8, index)
            counts[drawn.redealt] += 1
    assert counts[1] > 20
    assert sum(counts[number] for number in counts if number > 1) > 0


# Replaced tasks.


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("distribution", AT_DIFFERENT_OWNERS)
def test_tasks_at_different_owners_do_not_exclude_each_other(distribution: str, players: int) -> None:
    excluded = load_exclusions(players, same_owner=False)
    seats = players - (distribution == "captain-excluded")
    few, replaced = 0, 0
    for index in range(1500):
        drawn, _ = made(sea(seats + 1 + index % 3, distribution), players, 4, index)
        if len(drawn.tasks) > seats:
            assert drawn.replaced == 0
            continue
        few += 1
        replaced += drawn.replaced
        assert not any(frozenset((one, other)) in excluded for one in drawn.tasks for other in drawn.tasks)
    assert few > 100
    assert replaced > 0


@pytest.mark.parametrize("distribution", [d for d in DEEP_SEA if d not in AT_DIFFERENT_OWNERS])
def test_where_one_owner_may_take_several_nothing_is_replaced(distribution: str) -> None:
    assert not any(made(sea(8, distribution), 4, 4, index)[0].replaced for index in range(300))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_captain_who_has_to_take_a_task_finds_one(players: int) -> None:
    """A single comparison with the captain is replaced when the captain cannot pass."""
    replaced = 0
    for index in range(300):
        drawn, owners = made(sea(3, "captain-hardest-first"), players, 2, index, random_owners=True)
        replaced += drawn.replaced
        assert captain_of(drawn.hands) in owners
    assert replaced > 0


# Owners.


def captain_of(hands: Sequence[int]) -> int:
    return next(seat for seat, hand in enumerate(hands) if hand >> 39 & 1)


def legal_owners(position: Position) -> set[tuple[int, ...]]:
    """All owners that the rules allow, by going through the motions."""
    captain, tasks = captain_of(position.hands), position.tasks
    return {
        owners
        for owners in drafts(position.distribution, len(tasks), position.players, captain)
        if captain_may(position, [task for task, owner in zip(tasks, owners, strict=True) if owner == captain])
    }


@pytest.mark.parametrize(
    ("distribution", "cards", "players"),
    [
        ("round-robin-with-passing", ("first_trick", "no_S", "same_as_captain"), 4),
        ("round-robin-with-passing", ("first_trick", "no_S", "same_as_captain", "last_trick"), 3),
        ("free", ("first_trick", "no_S", "same_as_captain"), 4),
        ("two-volunteers", ("first_trick", "no_S", "last_trick"), 4),
        ("two-volunteers", ("first_trick", "no_S", "last_trick", "same_as_captain"), 3),
        ("captain-hardest-first", ("first_three_tricks", "last_trick", "two_in_a_row"), 4),
        ("captain-hardest-first", ("same_as_captain", "last_trick", "two_in_a_row", "first_trick"), 3),
        ("captain-hardest-leftmost", ("first_three_tricks", "last_trick", "two_in_a_row"), 4),
        ("captain-hardest-only", ("first_trick", "last_trick", "two_in_a_row"), 4),
        ("captain-excluded", ("first_trick", "no_S"), 4),
        ("one-volunteer", ("first_trick", "no_S", "more_than_captain"), 5),
    ],
)
def test_random_owners_are_uniform_over_what_is_legal(distribution: str, cards: tuple[str, ...], players: int) -> None:
    load = sea(distribution=distribution, cards=cards)
    base = deal(1, 0, players, load=load)
    legal = {tuple((owner - base.captain) % players for owner in owners) for owners in legal_owners(base)}
    seen: Counter[object] = Counter()
    for index in range(max(3000, 60 * len(legal))):
        drawn, owners = made(load, players, 6, index, random_owners=True)
        seen[tuple((owner - captain_of(drawn.hands)) % players for owner in owners)] += 1
    assert set(seen) == legal
    assert _chi_square(seen, len(legal)) < _far(len(legal))


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("distribution", DEEP_SEA)
def test_random_owners_are_legal(distribution: str, players: int) -> None:
    for index in range(60):
        load = sea(7 + index % 4, distribution)
        position = deal(3, index, players, load=load, draft="random")
        owners = [owner for owner in position.owners if owner is not None]
        assert len(owners) == len(position.tasks)
        assert position.may_own(owners)
        if len(owners) <= 5:
            assert tuple(owners) in legal_owners(position)


# Missions.


def check_owners(position: Position) -> None:
    """The rules of the distribution, in words of their own."""
    owners = list(position.owners)
    captain = position.captain
    mine = [task for task in position.tasks if task.owner == captain]
    assert not any(compares_with_captain(find_task_card(str(task.card))) for task in mine)
    counts = [owners.count(seat) for seat in range(position.players)]
    if position.distribution == "captain-excluded":
        assert not mine
        assert max(counts) - min(counts[:captain] + counts[captain + 1 :]) <= 1
    elif position.distribution in ("round-robin-with-passing", *HARDEST_FIRST):
        assert max(counts) - min(counts) <= 1
    elif position.distribution == "two-volunteers":
        assert sum(count > 0 for count in counts) == 2
    elif position.distribution != "free":
        assert sum(count > 0 for count in counts) == 1
    if position.distribution == "captain-hardest-first":
        possible = [str(task.card) for task in position.tasks if not compares_with_captain(find_task_card(str(task.card)))]
        hardest = max(difficulties(possible, position.players))
        assert hardest in difficulties([str(task.card) for task in mine], position.players)


def check_mission(position: Position, number: int, draft: str) -> None:
    mission = MISSIONS[number - 1]
    assert (position.mission, position.distribution) == (number, mission.distribution or "round-robin-with-passing")
    assert position.crew == mission.crew_goals
    slugs = [str(task.card) for task in position.tasks]
    if mission.difficulty is not None:
        assert sum(difficulties(slugs, position.players)) == mission.difficulty
    else:
        assert slugs == list(mission.task_cards)
    if draft == "best":
        assert set(position.owners) <= {None}
        assert position.counts
    else:
        assert None not in position.owners
        assert position.may_own([owner for owner in position.owners if owner is not None])
        if slugs:
            check_owners(position)


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("players", [3, 4, 5])
def test_every_mission_deals_what_its_rules_say(players: int, draft: str) -> None:
    assert len(MISSIONS) == 32
    for mission in MISSIONS:
        for index in range(8):
            check_mission(deal(5, index, players, load=Load.of(mission), draft=draft), mission.number, draft)


@pytest.mark.long
@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("players", [3, 4, 5])
def test_every_mission_deals_what_its_rules_say_in_many_deals(players: int, draft: str) -> None:
    for mission in MISSIONS:
        for index in range(400):
            check_mission(deal(6, index, players, load=Load.of(mission), draft=draft), mission.number, draft)


# Alone and in batches.


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_batch_plays_the_deals_that_are_dealt_alone(players: int, draft: str) -> None:
    memory = new_memory(10)
    loads = [sea(7, "two-volunteers"), sea(5, "captain-hardest-first"), sea(9, "free"), *map(Load.of, MISSIONS[::5])]
    for load in loads:
        batch = new_deals(25, players)
        table = load_table(load, players)
        assert decide_deals(9, 40, players, FULL_DECK, table, draft == "random", 1, 1, 0, 1, memory, batch) == -1
        for row in range(25):
            position = deal(9, 40 + row, players, load=load, draft=draft)
            count = int(batch.count[row])
            assert tuple(batch.hands[row, :players].tolist()) == position.hands
            assert tuple(SLUGS[card] for card in batch.tasks[row, :count].tolist()) == tuple(task.card for task in position.tasks)
            if draft == "random":
                assert tuple(batch.owners[row, :count].tolist()) == position.owners


def test_the_draft_does_not_change_hands_or_tasks() -> None:
    for index in range(30):
        best, drawn = (deal(2, index, 4, load=sea(10, "free"), draft=draft) for draft in DRAFTS)
        assert best.hands == drawn.hands
        assert [task.card for task in best.tasks] == [task.card for task in drawn.tasks]


def test_large_numbers() -> None:
    assert made(sea(12), 5, LAST_NUMBER, LAST_NUMBER)[0] == redraw(sea(12), 5, LAST_NUMBER, LAST_NUMBER)


# What is refused.


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"difficulty": 0}, "no draw can reach difficulty 0"),
        ({"difficulty": HARDEST + 1}, "out of range"),
        ({"difficulty": 1000}, "no draw can reach difficulty 1000"),
        ({"difficulty": 4, "task_cards": ("no_S",)}, "either a difficulty or task cards"),
        ({"task_cards": ("no_S", "no_S")}, "duplicate task no_S"),
        ({"task_cards": ("no_X",)}, "unknown task card"),
        ({"difficulty": 4, "tokens": ("1",)}, "no order tokens"),
        ({"difficulty": 4, "edition": "second"}, "unknown edition"),
        ({"difficulty": 4, "distribution": "round-robin"}, "unknown distribution"),
    ],
)
def test_wrong_loads_are_refused(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Load(game="deep-sea", **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "load", [sea(distribution="two-volunteers", cards=("no_S",)), sea(distribution="captain-hardest-first", cards=("same_as_captain",))]
)
def test_tasks_that_nobody_may_own_cannot_be_dealt(load: Load) -> None:
    with pytest.raises(InputError):
        deal(1, 0, 4, load=load, draft="random")


def test_an_edition_may_change_the_draw() -> None:
    card = next(card for card in load_task_cards() if card.prints)
    usual, german = ({made(sea(6, edition=edition), 4, 1, index)[0].tasks for index in range(300)} for edition in (None, "german-first"))
    assert usual != german
    assert Position(hands_of(1, 0, 4, 0), (Task(card.slug),), game="deep-sea", edition="german-first").edition == "german-first"
