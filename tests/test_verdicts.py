"""Verdicts: every engine against complete enumeration on small decks, and against each other on full deals."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from deepcrew.kernels.layout import Memory, new_memory
from deepcrew.kernels.search import LOST, OUT_OF_NODES, WON, search
from deepcrew.kernels.table import EXACT, forget
from deepcrew.solver.cards import FULL_DECK, mask_of, parse_card, parse_hand
from deepcrew.solver.deals import deal
from deepcrew.solver.errors import InputError
from deepcrew.solver.loads import Load, deal_load
from deepcrew.solver.positions import EITHER, Position, Task
from deepcrew.solver.referee import Referee
from deepcrew.solver.tables import problem_from
from deepcrew.solver.taskcards import find_task_card, load_task_cards
from deepcrew.solver.verdicts import ENGINES, UNDECIDED, UNWINNABLE, WINNABLE, Verdict, solve
from naive import (
    DEEP_SEA_DISTRIBUTIONS,
    SMALL_DECK,
    captain_may,
    compares_with_captain,
    drafts,
    fulfilled,
    random_deal,
    random_goal_position,
    random_line,
    random_position,
    random_table_position,
    replayed,
    table_of,
    token_ways,
    tricks_of,
    winnable,
    winners_of,
    written_position,
)

WIDE_DECK = mask_of([0, 1, 2, 9, 10, 11, 18, 19, 20, 38, 39])
"""P1-3 B1-3 G1-3 R3 R4: eleven cards in three colours."""
DECKS = {"2x4": SMALL_DECK, "3x3": WIDE_DECK}

HARD = {
    "H3": ("P78 B36 G457 Y156789 R2 | P1346 B1257 G23 Y2 R13 | P259 B489 G1689 Y34 R4", "Y1:2 G5:0 Y2:1"),
    "H8": ("P26 B269 G1234 Y128 R13 | P157 B4578 G6 Y3479 R2 | P3489 B13 G5789 Y56 R4", "B1:2 B6:0 P1:1"),
    "H9": ("P345 B12358 G2369 Y9 R4 | P128 B46 G578 Y1456 R2 | P679 B79 G14 Y2378 R13", "B7:0 B6:1 G4:2"),
    "H11": ("P579 B23489 G467 Y78 R2 | P346 B57 G123 Y126 R13 | P128 B16 G589 Y3459 R4", "B1:2 Y6:2 G2:0 G3:0 G5:1"),
    "H16": ("P457 B347 G5679 Y237 R1 | P139 B12 G234 Y189 R34 | P268 B5689 G18 Y456 R2", "B2:1 G5:1 G1:2 P7:2 P9:0"),
    "H22": ("P3456789 B1 G124 Y27 R2 | P1 B239 G3569 Y358 R34 | P2 B45678 G78 Y1469 R1", "G9:1 P4:1 Y3:2 P2:2 G4:0"),
    "H24": ("P4678 B457 G127 Y238 R2 | P9 B3689 G356 Y1679 R1 | P1235 B12 G489 Y45 R34", "P1:2 B1:2 P9:0 B7:0 G6:1"),
}
"""Unwinnable deals for three players that are hard to refute."""
L1 = (
    "P3458 B9 G359 Y9 R3 | P19 B2357 G6 Y478 | P27 B8 G248 Y235 R2 | P6 B146 G17 Y16 R14",
    "B8:0 Y9:0 P4:1 G4:1 P5:2 Y5:2 P7:3 G6:3",
)
L4 = (
    "P6 B146 G17 Y16 R14 | P3458 B9 G359 Y9 R3 | P19 B2357 G6 Y478 | P27 B8 G248 Y235 R2",
    "P7:0 G6:0 Y1:0 B8:1 G5:1 P4:2 G4:2 P5:3 Y5:3",
)


def _check(position: Position, verdict: Verdict) -> None:
    """What a verdict says must be complete; a line must win before a fresh referee."""
    if verdict.verdict != WINNABLE:
        assert verdict.verdict == UNWINNABLE
        assert verdict.line is verdict.owners is verdict.won_after is None
        return
    assert verdict.line is not None
    assert len(verdict.line) == position.tricks
    referee = Referee(replace(position, plays=()))
    won_after = None
    for number, trick in enumerate([(), *verdict.line]):
        assert len(trick) == position.players * (number > 0)
        for card in trick:
            referee.play(card)
        if referee.won and won_after is None:
            won_after = number
    assert referee.won
    if position.duties:  # the owners that the verdict names must do; others may as well
        assert verdict.owners is not None
        owned = Referee(replace(position.with_owners(verdict.owners), plays=verdict.line))
        assert owned.won
        assert verdict.won_after == max((number for number in owned.completed if number is not None), default=0)
        assert None not in position.owners or position.may_own(verdict.owners)
    else:
        assert verdict.won_after == won_after
        assert verdict.owners == tuple(referee.owners)
    given = [card for trick in position.plays for card in trick]
    assert [card for trick in verdict.line for card in trick][: len(given)] == given
    for task, owner in zip(position.tasks, verdict.owners, strict=True):
        assert task.owner in (None, owner)


def _small(deck: str, players: int, seed: int) -> Position:
    rng = random.Random(f"verdict/{deck}/{players}/{seed}")
    return random_position(rng, deck=DECKS[deck], players=[players], tasks=[1, 2, 3, 4, 5])


def _compare_small(deck: str, players: int, seeds: range) -> Counter[str]:
    tally: Counter[str] = Counter()
    for seed in seeds:
        position = _small(deck, players, seed)
        truth = WINNABLE if winnable(position) else UNWINNABLE
        for verdict in (solve(position), solve(position, engine="search"), solve(position, engine="sat")):
            assert verdict.verdict == truth, position
            _check(position, verdict)
        tally[truth] += 1
    return tally


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_engines_agree_with_enumeration(deck: str, players: int) -> None:
    tally = _compare_small(deck, players, range(190))
    assert min(tally[WINNABLE], tally[UNWINNABLE]) > 30


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_engines_agree_with_enumeration_on_many(deck: str, players: int) -> None:
    _compare_small(deck, players, range(1000, 4750))


def _full(players: int, seed: int, tasks: Sequence[int], planted: float = 0.3) -> Position:
    return random_position(random.Random(f"full/{players}/{seed}"), players=[players], tasks=tasks, planted=planted)


def _compare_full(players: int, seeds: range) -> Counter[str]:
    tally: Counter[str] = Counter()
    tasks = range(1, 6) if players == 3 else range(1, 9)
    for seed in seeds:
        position = _full(players, seed, tasks)
        mine, other = solve(position), solve(position, engine="sat")
        assert mine.verdict == other.verdict, position
        _check(position, mine)
        _check(position, other)
        tally[mine.verdict] += 1
    return tally


@pytest.mark.parametrize("players", [3, 4, 5])
def test_auto_and_sat_agree_on_full_deals(players: int) -> None:
    tally = _compare_full(players, range(84))
    assert min(tally[WINNABLE], tally[UNWINNABLE]) > 10


@pytest.mark.long
@pytest.mark.parametrize("players", [3, 4, 5])
def test_auto_and_sat_agree_on_many_full_deals(players: int) -> None:
    _compare_full(players, range(1000, 2667))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_full_deals_with_a_planted_line_are_winnable(players: int) -> None:
    for seed in range(67):
        position = _full(players, seed + 10_000, range(1, 10), planted=1)
        verdict = solve(position)
        assert verdict.verdict == WINNABLE, position
        _check(position, verdict)


# Goals.


def _small_goals(deck: str, players: int, seed: int) -> Position:
    return random_goal_position(random.Random(f"goals/{deck}/{players}/{seed}"), deck=DECKS[deck], players=[players])


def _compare_goals(deck: str, players: int, seeds: range) -> Counter[str]:
    """Task cards and random goals of the crew, at any point of an attempt, before the whole jury."""
    tally: Counter[str] = Counter()
    for seed in seeds:
        position = _small_goals(deck, players, seed)
        truth = WINNABLE if winnable(position) else UNWINNABLE
        for engine in ("auto", "search", "sat"):
            verdict = solve(position, engine=engine)
            assert verdict.verdict == truth, (engine, seed, position)
            _check(position, verdict)
            if verdict.line is not None:
                assert verdict.owners in winners_of(position, tricks_of(position.captain, verdict.line))
        tally[truth] += 1
        tally["card tasks with goals"] += bool(position.crew) and any(task.target >= 0 for task in position.tasks)
        tally["within a trick"] += bool(position.plays) and len(position.plays[-1]) < players
        tally[position.distribution] += 1
    return tally


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_engines_agree_with_enumeration_on_goals(deck: str, players: int) -> None:
    tally = _compare_goals(deck, players, range(20 if players == 2 else 60))
    assert min(tally[WINNABLE], tally[UNWINNABLE]) > 3
    assert min(tally["card tasks with goals"], tally["within a trick"]) > 1


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_engines_agree_with_enumeration_on_many_goals(deck: str, players: int) -> None:
    tally = _compare_goals(deck, players, range(1000, 1200 if players == 2 else 1800))
    assert min(tally[distribution] for distribution in DEEP_SEA_DISTRIBUTIONS) > 5


def _deep_sea(
    rng: random.Random, players: int, count: int, *, slugs: Sequence[str] = (), left: int | None = None, midgame: float = 0.4
) -> Position:
    """A full deal of Deep Sea with these task cards, or with so many: half of the time they come true in a line of play.

    ``left`` is the number of cards still to be played; else cards were played with this chance, up to any point.
    """
    while True:
        hands = random_deal(rng, FULL_DECK, players)
        captain = table_of(hands).leader
        line = random_line(rng, hands)
        tricks = tricks_of(captain, [cards for _, cards in line])
        distribution = rng.choice(DEEP_SEA_DISTRIBUTIONS)
        if distribution == "free":
            seats = tuple(rng.randrange(players) for _ in range(count))
        else:
            ways = list(drafts(distribution, count, players, captain)) if count < 6 else []
            seats = rng.choice(ways) if ways else ()
        planted, tasks = rng.random() < 0.5, list[Task]()
        for place, seat in enumerate(seats):
            cards = [find_task_card(slug) for slug in slugs[place : place + 1]] or list(load_task_cards())
            possible = [
                card.slug
                for card in cards
                if card.slug not in [task.card for task in tasks]
                and not (seat == captain and compares_with_captain(card))
                and (not planted or fulfilled(card.form.resolve(players, len(tricks), captain), seat, tricks, players))
            ]
            if not possible:
                break
            tasks.append(Task(rng.choice(possible), seat))
        played = [card for trick in tricks for card in trick.cards]
        number = len(played) - left if left is not None else rng.randint(1, len(played)) if rng.random() < midgame else 0
        plays = tuple(tuple(played[start : start + players][: number - start]) for start in range(0, number, players))
        whole = Position(hands, (), plays, distribution, None, "deep-sea")
        if len(tasks) < count or not captain_may(replace(whole, tasks=tuple(tasks)), [task for task in tasks if task.owner == captain]):
            continue
        hide = rng.choice((0.0, 0.5, 1.0))
        return replace(whole, tasks=tuple(Task(task.card, None if rng.random() < hide else task.owner) for task in tasks))


def _compare_deep_sea(players: int, counts: Sequence[int], seeds: range, slugs: Sequence[str] = ()) -> Counter[str]:
    tally: Counter[str] = Counter()
    for seed in seeds:
        rng = random.Random(f"deep sea/{players}/{slugs}/{seed}")
        position = _deep_sea(rng, players, rng.choice(counts), slugs=slugs)
        mine, other = solve(position), solve(position, engine="sat", limit_seconds=60)
        _check(position, mine)
        if other.verdict != UNDECIDED:
            assert mine.verdict == other.verdict, position
            _check(position, other)
        tally.update([mine.verdict, f"sat {other.verdict}"])
    return tally


@pytest.mark.parametrize("players", [3, 4, 5])
def test_auto_and_sat_agree_on_full_deals_of_deep_sea(players: int) -> None:
    tally = _compare_deep_sea(players, (1, 2, 2, 3), range(36))
    assert min(tally[WINNABLE], tally[UNWINNABLE]) > 3


@pytest.mark.long
@pytest.mark.parametrize("players", [3, 4, 5])
def test_auto_and_sat_agree_on_many_full_deals_of_deep_sea(players: int) -> None:
    tally = _compare_deep_sea(players, range(2, 9), range(1000, 1100))
    assert tally[f"sat {UNDECIDED}"] < 5


@pytest.mark.parametrize("players", [3, 4, 5])
def test_auto_and_sat_agree_on_a_third_of_the_task_cards(players: int) -> None:
    for card in load_task_cards()[players - 3 :: 3]:
        _compare_deep_sea(players, (1,), range(1), (card.slug,))


@pytest.mark.long
@pytest.mark.parametrize("slug", [card.slug for card in load_task_cards()])
def test_auto_and_sat_agree_on_each_task_card(slug: str) -> None:
    for players in (3, 4, 5):
        _compare_deep_sea(players, (1,), range(50, 54), (slug,))


def _compare_endings(players: int, seeds: range) -> Counter[str]:
    """The last tricks of full deals: the whole jury again, with all the cards of a real deal behind them."""
    tally: Counter[str] = Counter()
    for seed in seeds:
        rng = random.Random(f"ending/{players}/{seed}")
        position = _deep_sea(rng, players, rng.randint(1, 4), left=rng.randint(1, 12 if players == 3 else 10))
        truth = WINNABLE if winnable(position) else UNWINNABLE
        for engine in ("auto", "search", "sat"):
            verdict = solve(position, engine=engine)
            assert verdict.verdict == truth, (engine, seed, position)
            _check(position, verdict)
        tally[truth] += 1
    return tally


@pytest.mark.parametrize("players", [3, 4, 5])
def test_engines_agree_with_enumeration_on_the_last_tricks(players: int) -> None:
    tally = _compare_endings(players, range(60))
    assert min(tally[WINNABLE], tally[UNWINNABLE]) > 10


@pytest.mark.long
@pytest.mark.parametrize("players", [3, 4, 5])
def test_engines_agree_with_enumeration_on_the_last_tricks_of_many(players: int) -> None:
    _compare_endings(players, range(1000, 2000))


@pytest.mark.parametrize("engine", ["auto", "search", "sat"])
def test_a_trick_within_which_the_leader_has_no_card_left(engine: str) -> None:
    """The last trick, with its leader's last card on the table: somebody wins none, whoever that is."""
    hands = tuple(mask_of(parse_card(card) for card in hand.split()) for hand in ("P3 B4", "P1 B2", "R3 R4", "B1 P2", "P4 B3"))
    plays = (("R4", "B1", "P4", "P3", "P1"), ("R3",))
    position = Position(
        hands, (Task("zero_tricks"),), tuple(tuple(map(parse_card, trick)) for trick in plays), "free", game="deep-sea", deck=SMALL_DECK
    )
    assert winnable(position)
    verdict = solve(position, engine=engine)
    assert verdict.verdict == WINNABLE
    _check(position, verdict)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_attempts_played_to_their_end_are_decided_by_the_plays(players: int) -> None:
    tally: Counter[str] = Counter()
    for seed in range(40):
        position = _deep_sea(random.Random(f"over/{players}/{seed}"), players, 2, left=0)
        truth = WINNABLE if winnable(position) else UNWINNABLE
        for engine in ("auto", "search", "sat"):
            verdict = solve(position, engine=engine)
            assert (verdict.verdict, verdict.decided_by, verdict.nodes) == (truth, "plays", 0)
            assert (verdict.reason is None) == (truth == WINNABLE)
            _check(position, verdict)
        tally[truth] += 1
    assert min(tally[WINNABLE], tally[UNWINNABLE]) > 5


@pytest.mark.parametrize("engine", ["auto", "search", "sat"])
@pytest.mark.parametrize(
    ("slug", "owner", "expected"),
    [
        ("zero_tricks", 3, UNWINNABLE),
        ("first_trick", 3, WINNABLE),
        ("first_trick", 0, UNWINNABLE),
        ("no_P", 3, UNWINNABLE),
        ("none_of_first_three", 3, UNWINNABLE),
    ],
)
def test_plays_that_break_or_keep_a_task_give_a_verdict(slug: str, owner: int, expected: str, engine: str) -> None:
    """Seat 3 leads P6 and takes the first trick."""
    base = written_position(*L1)
    plays = (tuple(parse_card(card) for card in ("P6", "P3", "P1", "P2")),)
    position = Position(base.hands, (Task(slug, owner),), plays, game="deep-sea")
    verdict = solve(position, engine=engine)
    assert verdict.verdict == expected
    _check(position, verdict)


# Tables: columns, cards that change hands, roles, tokens and tasks that move.

NOTHING: dict[str, Any] = {
    "columns": 0, "signal": 0, "exchange": 0, "ends_with_tasks": 0, "roles": 0, "setup": 0, "five_player_rule": 0,
}  # fmt: skip
FEATURES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "columns": {"columns": 1},
    "signal": {"signal": 1},
    "exchange": {"exchange": 1},
    "ends_with_tasks": {"ends_with_tasks": 1, "tasks": (1, 2, 3), "crew": (1, 2)},
    "roles": {"roles": 0.7, "crew": (1, 2)},
    "setup": {"setup": 1, "tasks": (2, 3), "owners": ("free", "mixed")},
    "five_player_rule": {"five_player_rule": 1, "players": (5,), "tasks": (1, 2, 3)},
}
SEARCH_NODES = 3_000
"""Enough for the search to find what can be won on a small deck, where it alone cannot show that nothing can."""


def _table(feature: str, seed: int, **rest: Any) -> Position:
    rng = random.Random(f"table/{feature}/{seed}")
    chosen = {} if feature == "everything" else {**NOTHING, **FEATURES[feature]}
    return random_table_position(rng, **{**chosen, **rest})


def _check_choices(position: Position, verdict: Verdict) -> None:
    """A winnable verdict must say all that the crew decided, and with that the line must win before the enumeration."""
    assert verdict.line is not None
    assert verdict.owners is not None
    line = [card for trick in verdict.line for card in trick]
    given = [card for trick in position.plays for card in trick]
    assert line[: len(given)] == given
    ways = [way for way in token_ways(position) if verdict.tokens in (None, tuple(task.token for task in way.tasks))]
    way = ways[0]
    if verdict.moved is not None:
        task, giver, taker = verdict.moved
        assert position.five_player_rule
        assert (position.players, position.plays, position.tasks[task].owner) == (5, (), giver)
        assert giver != taker
        tasks = (*way.tasks[:task], replace(way.tasks[task], owner=taker), *way.tasks[task + 1 :])
        way = replace(way, tasks=tasks, moved=(task, giver))
    passes = {after: (to, cards) for after, to, cards in verdict.passes}
    assert set(passes) == {exchange.after for exchange in position.exchanges}
    exchanges = []
    for exchange in position.exchanges:
        to, cards = passes[exchange.after]
        assert exchange.to in (EITHER, to)
        assert len(cards) == position.players
        exchanges.append(replace(exchange, to=to, order=exchange.order or cards))
    chosen = {goal.role.name for goal in position.crew if goal.role is not None and goal.role.left_of is None}
    roles = {name: seat for name, seat in verdict.roles if name in chosen}
    assert set(dict(position.roles).items()) <= set(roles.items())
    way = replace(way, exchanges=tuple(exchanges), roles=tuple(roles.items()))
    assert verdict.owners in winners_of(way, replayed(way, line)), (position, verdict)


def _compare_tables(feature: str, seeds: Iterable[int], **rest: Any) -> Counter[str]:
    tally: Counter[str] = Counter()
    for seed in seeds:
        position = _table(feature, seed, **rest)
        truth = WINNABLE if winnable(position) else UNWINNABLE
        unsaid = any(not exchange.order for exchange in position.exchanges)
        for engine in ("auto", "search", "sat"):
            verdict = solve(position, engine=engine, limit_nodes=SEARCH_NODES if unsaid and engine == "search" else None)
            if verdict.verdict == UNDECIDED and unsaid and engine == "search":
                tally[f"{UNDECIDED} {truth}"] += 1
                continue
            assert verdict.verdict == truth, (engine, feature, seed, position)
            if verdict.verdict == WINNABLE:
                _check_choices(position, verdict)
        tally[truth] += 1
        tally["midgame"] += bool(position.plays)
        tally["unsaid"] += unsaid
    return tally


@pytest.mark.parametrize("feature", [*FEATURES, "everything"])
def test_engines_agree_with_enumeration_on_tables(feature: str) -> None:
    tally = _compare_tables(feature, range(25))
    assert min(tally[WINNABLE], tally[UNWINNABLE], tally["midgame"]) > 2


@pytest.mark.long
@pytest.mark.parametrize("feature", [*FEATURES, "everything"])
def test_engines_agree_with_enumeration_on_many_tables(feature: str) -> None:
    tally = _compare_tables(feature, range(1000, 1700))
    assert min(tally[WINNABLE], tally[UNWINNABLE], tally["midgame"]) > 50
    assert tally[f"{UNDECIDED} {WINNABLE}"] < 10


@pytest.mark.long
@pytest.mark.parametrize("feature", [*FEATURES, "everything"])
def test_tables_with_a_planted_attempt_are_winnable(feature: str) -> None:
    tally = _compare_tables(feature, range(2000, 2200), planted=1)
    assert tally[UNWINNABLE] == 0


@pytest.fixture(scope="module")
def memory() -> Memory:
    return new_memory(16)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_a_relaxed_game_is_never_lost_where_the_real_one_can_be_won(deck: str, players: int, memory: Memory) -> None:
    lost: Counter[int] = Counter()
    for seed in range(20_000, 20_060):
        position = _small(deck, players, seed)
        referee = Referee(position)
        if referee.won or referee.failure is not None:
            continue
        truth, problem = winnable(position), problem_from(referee)
        for level in range(1, EXACT + 1):
            forget(memory)
            status, nodes = search(problem, memory, level, 10**7, 0, 1)
            assert status != OUT_OF_NODES
            assert 0 <= nodes < 10**7
            assert not (truth and status == LOST), (level, position)
            if level == EXACT:
                assert (status == WON) == truth, position
            lost[level] += status == LOST
    assert 0 < max(lost[1], lost[2]) <= lost[EXACT]


# Limits.


def test_one_node_is_not_enough() -> None:
    verdict = solve(written_position(*L1), engine="search", limit_nodes=1)
    assert (verdict.verdict, verdict.decided_by, verdict.nodes) == (UNDECIDED, "limit", 1)
    assert verdict.line is verdict.owners is verdict.won_after is None
    assert solve(written_position(*L1), engine="search").verdict == WINNABLE


@pytest.mark.parametrize("nodes", [1, 10, 1000, 5000, 150_000])
def test_the_limit_of_nodes_is_kept(nodes: int) -> None:
    verdict = solve(written_position(*HARD["H8"]), engine="search", limit_nodes=nodes)
    assert verdict.verdict in (UNDECIDED, UNWINNABLE)
    assert verdict.nodes <= nodes
    if verdict.verdict == UNDECIDED:
        assert verdict.nodes == nodes


@pytest.mark.parametrize("engine", ["auto", "search", "sat"])
@pytest.mark.parametrize("seconds", [1e-9, 0.001, 0.05])
def test_a_short_time_is_kept(engine: str, seconds: float) -> None:
    verdict = solve(written_position(*HARD["H8"]), engine=engine, limit_seconds=seconds)
    assert verdict.verdict in (UNDECIDED, UNWINNABLE)
    assert verdict.seconds < seconds + 2
    if seconds == 1e-9:
        assert (verdict.verdict, verdict.decided_by) == (UNDECIDED, "limit")


def test_under_limits_a_verdict_is_the_right_one_or_none() -> None:
    for seed in range(40):
        position = _full(4, seed, range(1, 9))
        truth = solve(position).verdict
        for nodes in (1, 30, 100, 1000):
            assert solve(position, engine="search", limit_nodes=nodes).verdict in (truth, UNDECIDED)


@pytest.mark.parametrize(
    "wrong", [{"engine": "guess"}, {"limit_nodes": 0}, {"limit_nodes": -1}, {"limit_seconds": 0.0}, {"limit_seconds": -0.5}]
)
def test_wrong_arguments_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        solve(written_position(*L1), **wrong)  # type: ignore[arg-type]


def test_illegal_plays_are_refused() -> None:
    position = replace(written_position(*L1), plays=((parse_card("R3"),),))
    with pytest.raises(InputError, match="illegal play"):
        solve(position)


# Decided by the plays.


@pytest.mark.parametrize("engine", ["auto", "search", "sat"])
def test_plays_that_decide(engine: str) -> None:
    """Seat 3 leads P6 and takes the trick with P1 in it: its own task or that of another seat."""
    base = written_position(*L1)
    plays = (tuple(parse_card(card) for card in ("P6", "P3", "P1", "P2")),)
    for owner, expected in ((3, WINNABLE), (0, UNWINNABLE)):
        position = replace(base, tasks=(Task(parse_card("P1"), owner),), plays=plays)
        verdict = solve(position, engine=engine)
        assert (verdict.verdict, verdict.decided_by, verdict.nodes) == (expected, "plays", 0)
        assert (verdict.reason is None) == (expected == WINNABLE)
        _check(position, verdict)
        assert verdict.won_after == (1 if expected == WINNABLE else None)


@pytest.mark.parametrize("engine", ["auto", "search", "sat"])
def test_no_tasks_are_won_at_once(engine: str) -> None:
    verdict = solve(deal(1, 1, 3), engine=engine)
    assert (verdict.verdict, verdict.decided_by, verdict.won_after, verdict.owners) == (WINNABLE, "plays", 0, ())


# Literal cases.


@pytest.mark.parametrize("name", HARD)
def test_hard_deals_are_unwinnable(name: str) -> None:
    assert solve(written_position(*HARD[name])).verdict == UNWINNABLE


@pytest.mark.parametrize("index", [1811, 2015, 4804, 6648, 8335, 8934])
def test_a_single_task_of_three_players_is_refuted_by_its_suit(index: int) -> None:
    """All the lost deals of mission 1 among 10,000, each of which keeps SAT busy for a second or more."""
    position = deal_load(Load(1), 3, 1, index)
    verdict = solve(position)
    assert (verdict.verdict, verdict.decided_by) == (UNWINNABLE, "search")
    assert "tasks alone make it impossible" in str(verdict.reason)
    assert verdict.nodes < 800_000


def test_four_players() -> None:
    won = solve(written_position(*L1))
    assert won.verdict == WINNABLE
    _check(written_position(*L1), won)
    assert solve(written_position(*L4)).verdict == UNWINNABLE


def test_to_json() -> None:
    answer = solve(written_position(*L1)).to_json()
    assert list(answer) == ["verdict", "line", "owners", "won_after", "decided_by", "nodes", "ms", "reason"]
    assert sorted(card for trick in answer["line"] for card in trick) == sorted(
        f"{suit}{rank}" for suit, ranks in (("P", 9), ("B", 9), ("G", 9), ("Y", 9), ("R", 4)) for rank in range(1, ranks + 1)
    )
    assert answer["owners"] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert solve(written_position(*L4)).to_json()["line"] is None


@pytest.mark.parametrize("engine", ENGINES)
def test_a_task_that_has_moved_already_does_not_move_again(engine: str) -> None:
    hands = [parse_hand(hand) for hand in ("P4 R4", "P2 R3", "B1 B2", "P3 B4", "P1 B3")]
    position = Position(tuple(hands), (Task(parse_card("B3"), 4),), deck=sum(hands), five_player_rule=True)
    assert not position.one_may_move, "the draft gives the only task to the captain"
    assert solve(position, engine=engine).verdict == "unwinnable"
    drafted = position.with_owners([0])
    assert drafted.one_may_move
    assert solve(drafted, engine=engine).verdict == "winnable"
