"""The SAT opinion against complete enumeration on small decks, and against known verdicts on full deals."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice, product
from time import monotonic
from typing import Any

import pytest
from deepcrew.solver.cards import CAPTAIN_CARD, FULL_DECK, RANKS, SUIT_MASKS, TRUMP, cards_of, mask_of, parse_hand
from deepcrew.solver.counting import too_few_tricks
from deepcrew.solver.drafts import PLANET_NINE, allowed_counts
from deepcrew.solver.encoding import Encoding, encode
from deepcrew.solver.errors import InputError
from deepcrew.solver.goals import (
    CARDS,
    EACH_OTHER,
    NO_CARD,
    NOBODY,
    OPENINGS,
    OTHERS_TOGETHER,
    RUN,
    TOGETHER,
    TRICKS,
    UNBOUNDED,
    Condition,
    CrewGoal,
    Duty,
    Goal,
    goal_form,
)
from deepcrew.solver.positions import LEFT, RIGHT, Exchange, Position, Task
from deepcrew.solver.referee import Referee
from deepcrew.solver.sat import SatAnswer, decide, winning
from deepcrew.solver.tokens import check_tokens
from naive import Trick, attempts, fulfilled, random_goal_position, tricks_of, winnable, winners_of, written_position
from pysat.solvers import Solver  # type: ignore[import-untyped]

DECKS = {
    "2x4": mask_of([suit * RANKS + rank for suit in range(2) for rank in range(4)]) | parse_hand("R34"),
    "3x3": mask_of([suit * RANKS + rank for suit in range(3) for rank in range(3)]) | parse_hand("R34"),
    "3x3 without R3": mask_of([suit * RANKS + rank for suit in range(3) for rank in range(3)]) | 1 << CAPTAIN_CARD,
}
TOKENS = ("1", "2", "3", "4", "5", "omega", ">", ">>", ">>>", ">>>>")


def _copy(referee: Referee) -> Referee:
    twin = object.__new__(Referee)
    for name, value in vars(referee).items():
        setattr(twin, name, list(value) if isinstance(value, list) else value)
    return twin


def _lines(referee: Referee) -> Iterator[Referee]:
    """All ways to play on until the mission is won or lost."""
    if referee.won or referee.failure is not None:
        yield referee
        return
    for card in referee.legal_plays():
        twin = _copy(referee)
        twin.play(card)
        yield from _lines(twin)


def _enumerate(referee: Referee, known: dict[object, bool]) -> bool:
    """Whether any legal way to play wins, by trying all of them; equal positions are tried once."""
    if referee.won or referee.failure is not None:
        return referee.won
    done = tuple(number is not None for number in referee.completed)
    key = (tuple(referee.hands), referee.leader, tuple(referee.trick), done, tuple(referee.owners))
    if key not in known:
        known[key] = False
        for card in referee.legal_plays():
            twin = _copy(referee)
            twin.play(card)
            if _enumerate(twin, known):
                known[key] = True
                break
    return known[key]


def _random_tokens(rng: random.Random, tasks: int) -> list[str | None]:
    absolute = [token for token in TOKENS[:5] if int(token) <= tasks]
    used = rng.sample(absolute, rng.randint(0, len(absolute))) if rng.random() < 0.5 else []
    used += list(TOKENS[6 : 6 + rng.randint(0, 4)]) if rng.random() < 0.4 else []
    used += ["omega"] if rng.random() < 0.3 else []
    if "omega" in used and str(tasks) in used:  # both would claim the last place
        used.remove("omega")
    rng.shuffle(used)
    while len(used) > tasks:
        used.pop()
    used = [token for token in used if token[:1] != ">" or all(">" * n in used for n in range(1, len(token)))]
    tokens = [*used, *[None] * (tasks - len(used))]
    rng.shuffle(tokens)
    check_tokens(tokens)
    return tokens


def _random_position(rng: random.Random, deck: int, players: int, many: bool = False) -> Position:
    """Any mix of given and free owners, distributions and tokens, at the start or anywhere inside an attempt.

    ``many``: up to all colour cards are tasks, most owners are free, and there are no tokens."""
    cards = list(cards_of(deck))
    rng.shuffle(cards)
    hands = tuple(mask_of(cards[seat::players]) for seat in range(players))
    colours = [card for card in cards if card < 36]
    tasks = rng.randint(2, len(colours)) if many else rng.randint(1, min(6, len(colours)))
    distribution = rng.choice(PLANET_NINE)
    captain = next(seat for seat in range(players) if hands[seat] >> CAPTAIN_CARD & 1)
    if rng.random() < 0.5 and not many:
        owners: list[int | None] = [rng.randrange(players) for _ in range(tasks)]
    else:
        counts = rng.choice(allowed_counts(distribution, tasks, players, captain))
        owners = [seat for seat in range(players) for _ in range(counts[seat])]
        rng.shuffle(owners)
        given = rng.choice([0.0, 0.0, 0.1] if many else [0.0, 0.3, 0.6])
        owners = [owner if rng.random() < given else None for owner in owners]
    targets = rng.sample(colours, tasks)
    tokens = [None] * tasks if many else _random_tokens(rng, tasks)
    marks = zip(targets, owners, tokens, strict=True)
    position = Position(hands, tuple(Task(*mark) for mark in marks), (), distribution, deck=deck)
    if rng.random() < 0.5:
        return position
    referee = Referee(position)
    for _ in range(rng.randint(1, position.tricks * players - 1)):
        safe = []  # most mid-game positions should still be open
        for card in referee.legal_plays():
            twin = _copy(referee)
            twin.play(card)
            safe += [card] * (twin.failure is None or rng.random() < 0.1)
        if not safe:
            break
        referee.play(rng.choice(safe))
    plays = [cards for _, cards, _, _ in referee.history] + ([tuple(referee.trick)] if referee.trick else [])
    return Position(hands, position.tasks, tuple(plays), distribution, deck=deck)


def _check_line(position: Position, line: tuple[int, ...], owners: tuple[int, ...]) -> None:
    replay = Referee(replace(position, plays=()))
    for card in line:
        replay.play(card)
    assert replay.won
    assert replay.tricks_left == 0
    assert tuple(replay.owners) == owners
    begun = [card for trick in position.plays for card in trick]
    assert list(line[: len(begun)]) == begun


def _compare(deck: str, players: int, seeds: range, many: bool = False) -> dict[str, int]:
    tally = {"winnable": 0, "unwinnable": 0, "by numbers": 0}
    for seed in seeds:
        position = _random_position(random.Random(f"{deck}/{players}/{seed}"), DECKS[deck], players, many)
        answer = decide(Referee(position))
        assert answer.status == ("winnable" if _enumerate(Referee(position), {}) else "unwinnable"), position
        tally[answer.status] += 1
        if too_few_tricks(Referee(position)):
            assert answer.status == "unwinnable", position
            tally["by numbers"] += 1
        if answer.status == "winnable":
            _check_line(position, answer.line, answer.owners)
        else:
            assert answer.line == answer.owners == ()
    return tally


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_sat_agrees_with_enumeration(deck: str, players: int) -> None:
    tally = _compare(deck, players, range(600))
    assert min(tally["winnable"], tally["unwinnable"]) > 60


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_sat_agrees_with_enumeration_on_many(deck: str, players: int) -> None:
    _compare(deck, players, range(1000, 6000))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_the_clauses_for_many_tasks_change_no_answer(deck: str, players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deepcrew.solver.sat.EASY", 0)
    tally = _compare(deck, players, range(400), many=True)
    assert min(tally["winnable"], tally["unwinnable"]) > 15
    assert tally["by numbers"] > 0


def _all_lines(referee: Referee) -> Iterator[tuple[int, ...]]:
    if not referee.tricks_left:
        yield tuple(card for _, cards, _, _ in referee.history for card in cards)
    for card in referee.legal_plays():
        twin = _copy(referee)
        twin.play(card)
        yield from _all_lines(twin)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_without_tasks_the_models_are_the_legal_lines(deck: str, players: int) -> None:
    """Each way to put the cards into tricks is a model once if it is legal, and no model otherwise."""
    for seed in range(3):
        rng = random.Random(seed)
        cards = list(cards_of(DECKS[deck]))
        rng.shuffle(cards)
        referee = Referee(Position(tuple(mask_of(cards[seat::players]) for seat in range(players)), (), deck=DECKS[deck]))
        while referee.tricks_left > 3 or (referee.tricks_left == 3 and len(referee.trick) < seed):
            referee.play(rng.choice(referee.legal_plays()))
        lines = sorted(_all_lines(referee))
        encoding = encode(referee)
        cards = [*cards_of(sum(referee.hands)), *referee.trick]  # the others are in no clause
        models = 0
        with Solver(name="minisat22", bootstrap_with=encoding.clauses) as solver:
            while solver.solve():
                models += 1
                model = solver.get_model()
                solver.add_clause([-model[encoding.pool.card(card, t) - 1] for card in cards for t in range(encoding.pool.tricks)])
        assert models == len(lines) == len(set(lines))


@pytest.mark.parametrize("seed", range(6))
def test_a_failed_and_a_won_start(seed: int) -> None:
    rng = random.Random(seed)
    position = _random_position(rng, DECKS["2x4"], 3)
    for end in _lines(Referee(Position(position.hands, position.tasks[:1], deck=position.deck))):
        plays = [cards for _, cards, _, _ in end.history]
        start = Position(position.hands, position.tasks[:1], tuple(plays), deck=position.deck)
        answer = decide(Referee(start))
        assert answer.status == ("winnable" if end.won else "unwinnable")
        if end.won:
            _check_line(start, answer.line, answer.owners)


def test_variables_have_a_meaning() -> None:
    rng = random.Random(7)
    cards = list(cards_of(DECKS["2x4"]))
    rng.shuffle(cards)
    hands = tuple(mask_of(cards[seat::3]) for seat in range(3))
    position = Position(hands, (Task(0), Task(9, None, "2"), Task(10), Task(11)), deck=DECKS["2x4"])
    encoding = encode(Referee(position))
    words = [encoding.pool.meaning(variable) for variable in range(1, encoding.variables + 1)]
    assert len(set(words)) == len(words)
    assert max(abs(literal) for clause in encoding.clauses for literal in clause) <= encoding.variables
    pool = encoding.pool
    assert pool.meaning(pool.card(10, 2)) == "card B2 in trick 3"
    assert pool.meaning(pool.gone(10, 2)) == "card B2 in trick 2 or before"
    assert pool.meaning(pool.wins(39, 0)) == "card R4 wins trick 1"
    assert pool.meaning(pool.seat(2, 1)) == "seat 2 wins trick 2"
    assert pool.meaning(pool.plays(1, 4, 0)) == "seat 1 plays trump to trick 1"
    assert pool.meaning(pool.led(1, 0)) == "blue is led to trick 1"
    assert pool.meaning(pool.new("task 1 belongs to seat 2")) == "task 1 belongs to seat 2"
    for outside in (0, encoding.variables + 1):
        with pytest.raises(ValueError, match="no variable"):
            pool.meaning(outside)


# --- goals --------------------------------------------------------------------------------------------------------


def _compare_goals(deck: str, players: int, seeds: range) -> dict[str, int]:
    tally = {"winnable": 0, "unwinnable": 0}
    for seed in seeds:
        position = random_goal_position(random.Random(f"{deck}/{players}/{seed}"), deck=DECKS[deck], players=[players])
        answer = decide(Referee(position))
        assert answer.status == ("winnable" if winnable(position) else "unwinnable"), position
        tally[answer.status] += 1
        if answer.status == "winnable":
            _check_line(position.with_owners(answer.owners), answer.line, answer.owners)
            lines = [answer.line[start : start + players] for start in range(0, len(answer.line), players)]
            assert answer.owners in winners_of(position, tricks_of(position.captain, lines))
    return tally


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_goals_agree_with_enumeration(deck: str, players: int) -> None:
    """Tasks of Deep Sea with and without owners, all distributions, goals of the crew, from any point of an attempt."""
    tally = _compare_goals(deck, players, range(60 if players > 2 else 25))
    assert min(tally.values()) > 5


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_goals_agree_with_enumeration_on_many(deck: str, players: int) -> None:
    _compare_goals(deck, players, range(1000, 2000))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_the_clauses_for_hard_positions_change_no_answer(deck: str, players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deepcrew.solver.sat.EASY", 0)
    tally = _compare_goals(deck, players, range(100, 160 if players > 2 else 125))
    assert min(tally.values()) > 5


def _some(rng: random.Random, deck: int, most: int = 6) -> int:
    return mask_of(rng.sample(list(cards_of(deck)), rng.randint(1, most)))


def _condition(kind: str, rng: random.Random, deck: int, players: int) -> Condition:
    """A condition of this kind, the bounds still open."""
    fields: dict[str, Callable[[], dict[str, int]]] = {
        "cards": lambda: {"cards": _some(rng, deck)},
        "minus": lambda: {"cards": _some(rng, deck), "minus": _some(rng, deck)},
        "tricks": dict,
        "numbers": lambda: {"numbers": rng.randrange(1, 1 << deck.bit_count() // players)},
        "won_with": lambda: {"won_with": _some(rng, deck)},
        "captures": lambda: {"captures": _some(rng, deck)},
        "won_with and captures": lambda: {"won_with": _some(rng, deck), "captures": _some(rng, deck)},
        "holds": lambda: {"holds": _some(rng, deck)},
        "only": lambda: {"only": _some(rng, deck, deck.bit_count())},
        "sum_low": lambda: {"sum_low": rng.randint(players, 3 * players)},
        "sum_high": lambda: {"sum_high": rng.randint(players, 3 * players)},
        "sum between": lambda: {
            "sum_low": 2 * players,
            "sum_high": 2 * players + rng.randint(0, 2),
            "only": FULL_DECK & ~SUIT_MASKS[TRUMP],
        },
        "equal": lambda: {"equal": _some(rng, deck), "equal_to": _some(rng, deck)},
        "closed_with": lambda: {"closed_with": _some(rng, deck)},
        "openings": lambda: {"cards": _some(rng, deck)},
        "run": dict,
    }
    count = {"cards": CARDS, "minus": CARDS, "openings": OPENINGS, "run": RUN}.get(kind, TRICKS)
    return Condition(count, **fields[kind]())


KINDS = (
    "cards", "minus", "tricks", "numbers", "won_with", "captures", "won_with and captures", "holds", "only", "sum_low",
    "sum_high", "sum between", "equal", "closed_with", "openings", "run",
)  # fmt: skip


def _bounded(rng: random.Random, condition: Condition, players: int) -> Condition:
    against = rng.choice([NOBODY, NOBODY, EACH_OTHER, OTHERS_TOGETHER, *range(players)])
    number = rng.choice([0, 1, 1, 2, 3]) if against == NOBODY else rng.randint(-2, 2)
    low, high = rng.choice([(number, number), (number, UNBOUNDED), (-UNBOUNDED, number), (number, number + 1)])
    return condition._replace(against=against, low=low, high=high, always=int(rng.random() < 0.25))


def _with_duties(position: Position, duties: tuple[Duty, ...]) -> Position:
    """The position with goals that no task card has."""
    changed = replace(position)
    vars(changed)["duties"] = duties
    return changed


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_condition(kind: str) -> None:
    """One or two conditions of a kind, of all bounds and comparisons, for one seat or for any of some seats."""
    tally = {"winnable": 0, "unwinnable": 0}
    for seed in range(40):
        rng = random.Random(f"{kind}/{seed}")
        deck, players = DECKS[rng.choice(list(DECKS))], rng.choice([2, 3, 4, 5])
        start = Referee(Position(_dealt(rng, deck, players), (), deck=deck))
        for _ in range(rng.randint(deck.bit_count() // 3, deck.bit_count() // 2 + 1)):  # few enough lines are left
            start.play(rng.choice(start.legal_plays()))
        plays = [cards for _, cards, _, _ in start.history] + ([tuple(start.trick)] if start.trick else [])
        position = replace(start.position, plays=tuple(plays))
        lines = list(attempts(position))
        for _ in range(6):
            conditions = [_bounded(rng, _condition(kind, rng, deck, players), players) for _ in range(rng.choice([1, 1, 2]))]
            duty = Duty(Goal(tuple(conditions), rng.random() < 0.5), rng.randrange(1, 1 << players), -1)
            answer = decide(Referee(_with_duties(position, (duty,))))
            good = [line for line in lines if any(fulfilled(duty.goal, seat, line, players) for seat in cards_of(duty.seats))]
            assert answer.status == ("winnable" if good else "unwinnable"), (position, duty)
            tally[answer.status] += 1
            assert not good or answer.line in [_flat(line) for line in good]
    assert min(tally.values()) > 20


def _dealt(rng: random.Random, deck: int, players: int) -> tuple[int, ...]:
    cards = list(cards_of(deck))
    rng.shuffle(cards)
    return tuple(mask_of(cards[seat::players]) for seat in range(players))


def _flat(line: list[Trick]) -> tuple[int, ...]:
    return tuple(card for trick in line for card in trick.cards)


def test_a_goal_is_judged_at_the_end_and_an_always_after_every_trick() -> None:
    hands = (parse_hand("P3 B3 R4"), parse_hand("P2 B2 P4"), parse_hand("P1 B1 B4"))
    deck = sum(hands)

    def status(*plays: str, always: int = 0, high: int = 1) -> str:
        tricks = tuple(tuple(mask_card for word in trick.split() for mask_card in cards_of(parse_hand(word))) for trick in plays)
        duty = Duty(Goal((Condition(TRICKS, against=EACH_OTHER, low=-UNBOUNDED, high=high, always=always),)), 0b001, -1)
        return decide(Referee(_with_duties(Position(hands, (), tricks, deck=deck), (duty,)))).status

    assert status() == status(always=1) == "winnable"
    assert status("R4 P2 P1") == status("R4 P2 P1", always=1) == "winnable"
    assert status("R4 P2 P1", "P3 P4 B1", always=1, high=0) == "unwinnable"  # led by one after the first trick
    assert status("R4 P2 P1", "P3 P4 B1", high=0) == "winnable"
    assert status("R4 P2 P1", "P3 P4 B1", "B2 B4 B3") == "winnable"
    assert status("R4 P2 P1", "P3 P4 B1", "B2 B4 B3", high=-1) == "unwinnable"


def test_owners_that_are_all_given_are_not_held_against_the_distribution() -> None:
    hands = (parse_hand("P3 B3 R4"), parse_hand("P2 B2 P4"), parse_hand("P1 B1 B4"))
    tasks = (Task("more_than_each_other", 1), Task("no_S", 2))
    position = Position(hands, tasks, game="deep-sea", deck=sum(hands), distribution="captain-hardest-first")
    assert position.hardest
    answer = decide(Referee(position))
    assert answer.status == ("winnable" if _can_be_won(Referee(position), [100000]) else "unwinnable") == "winnable"
    _check_line(position, answer.line, answer.owners)


FULL_GOALS = [
    ("P12389 B1346 G47 Y36 R2 | P45 B279 G1235 Y1459 | P67 B58 G689 Y278 R134", "zero_tricks:2", "unwinnable"),  # it holds trump 4
    ("P12389 B1346 G47 Y36 R2 | P45 B279 G1235 Y1459 | P67 B58 G689 Y278 R134", "trick_sum_22_or_23 exactly_two_9s", "winnable"),
    ("P489 B6 G38 Y578 R2 | P25 B257 G127 Y6 R4 | P37 B349 G9 Y239 R1 | P16 B18 G456 Y14 R3", "same_as_captain equal_P_Y", "winnable"),
    ("P1 B6 G689 Y13 R1 | P37 B23 Y68 R34 | P2 B1458 G3 Y49 | P689 B7 G57 Y2 R2 | P45 B9 G124 Y57", "first_trick:3", "winnable"),
    ("P1 B6 G689 Y13 R1 | P37 B23 Y68 R34 | P2 B1458 G3 Y49 | P689 B7 G57 Y2 R2 | P45 B9 G124 Y57", "first_trick:0", "unwinnable"),
    ("P1 B6 G689 Y13 R1 | P37 B23 Y68 R34 | P2 B1458 G3 Y49 | P689 B7 G57 Y2 R2 | P45 B9 G124 Y57", "no_S:1", "unwinnable"),
]


@pytest.mark.parametrize(("hands", "tasks", "status"), FULL_GOALS)
def test_full_deals_of_deep_sea(hands: str, tasks: str, status: str) -> None:
    marks = [text.partition(":") for text in tasks.split()]
    drawn = tuple(Task(slug, int(owner) if owner else None) for slug, _, owner in marks)
    position = Position(tuple(parse_hand(hand) for hand in hands.split(" | ")), drawn, game="deep-sea")
    answer = decide(Referee(position))
    assert answer.status == status
    if status == "winnable":
        _check_line(position.with_owners(answer.owners), answer.line, answer.owners)


def _encoding_with_goals() -> Encoding:
    tables = [
        {"count": "tricks", "sum_at_least": 5, "sum_at_most": 7, "only": "colours", "at_least": 1, "at_most": 2},
        {"count": "tricks", "equal": ["P", "B"], "at_most": 1},
        {"count": "tricks", "won_with": "P", "captures": "B", "closed_with": "P12", "against": "each-other", "exactly": 0},
        {"count": "tricks", "numbers": [1, "last"], "holds": "P1 B1", "against": "captain", "at_least": -1},
        {"count": "cards", "cards": "P", "minus": "B", "against": "others-together", "at_most": 2, "always": True},
        {"count": "openings", "cards": "P1 B", "at_most": 1, "always": True},
        {"count": "run", "at_most": 2},
        {"count": "run", "against": "each-other", "at_least": 0},
    ]
    crew = (CrewGoal("anyone", goal_form(tables, "all")), CrewGoal("everyone", goal_form({"any_of": tables}, "any")))
    hands = _dealt(random.Random(3), DECKS["2x4"], 3)
    return encode(Referee(Position(hands, (Task("no_P"), Task("first_trick")), game="deep-sea", deck=DECKS["2x4"], crew=crew)))


def test_variables_of_goals_have_a_meaning() -> None:
    encoding = _encoding_with_goals()
    words = [encoding.pool.meaning(variable) for variable in range(1, encoding.variables + 1)]
    assert len(set(words)) == len(words)
    assert not any("  " in text or text != text.strip() for text in words)
    assert max(abs(literal) for clause in encoding.clauses for literal in clause) <= encoding.variables
    for example in (
        "task 0 belongs to seat 2",
        "seat 1 fulfils goal 2",
        "seat 1 fulfils condition 3 of goal 4",
        "seat 2 wins card P1",
        "seat 2 wins card P1 up to trick 2",
        "seat 0 wins 2 tricks in a row from trick 1 on",
        "seat 1 opens trick 2 with one of P1 B123456789",
        "trick 3 captures one of B123456789",
        "trick 2 is closed with one of P12",
        "2 or more of the first 3 of the tricks opened by seat 1 with P1 B123456789",
    ):
        assert example in words, example


# --- hands of columns, exchanges, goals that end with the tasks ----------------------------------------------------


FEATURES = ("columns", "signal", "later", "ends")
Line = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]


def _with(position: Position, **fields: Any) -> Position:
    """The position with other fields, its goals the same."""
    changed = replace(position, **fields)
    vars(changed)["duties"] = position.duties
    return changed


def _ways_on(referee: Referee) -> Iterator[Referee]:
    """The referees after each legal way to play one card, or to pass the cards that are due."""
    position = referee.position
    if not referee.waiting:
        for card in referee.legal_plays():
            twin = _copy(referee)
            twin.columns = [list(column) for column in referee.columns]
            twin.play(card)
            yield twin
        return
    due = referee.exchanges[0]
    plays = tuple(cards for _, cards, _, _ in referee.history)
    for order in product(*(cards_of(due.choices(hand, referee.hidden)) for hand in referee.hands)):
        exchanges = tuple(replace(one, order=order) if one.after == due.after else one for one in position.exchanges)
        yield Referee(_with(position, exchanges=exchanges, plays=plays))


def _can_be_won(referee: Referee, limit: list[int]) -> bool:
    """Whether any way to play and pass wins, by trying them all. Raises TimeoutError beyond a number of ways."""
    limit[0] -= 1
    if limit[0] < 0:
        raise TimeoutError
    if referee.won or referee.failure is not None or not referee.tricks_left:
        return referee.won
    return any(_can_be_won(twin, limit) for twin in _ways_on(referee))


def _small_deal(rng: random.Random, columns: bool) -> tuple[int, tuple[int, ...], tuple[tuple[int, int], ...]]:
    """A deck, its hands, and one of them in columns if wanted."""
    players = rng.choice([2, 3, 3, 3, 4])
    size = players * rng.choice([3, 3, 4] if players < 4 else [2, 3]) + (0 if players == 2 else rng.choice([0, 0, 1]))
    trumps = [CAPTAIN_CARD, *rng.sample([36, 37, 38], rng.choice([0, 1, 1, 2]))]
    suits = rng.choice([2, 2, 3])
    colours = sorted((suit * RANKS + rank for suit in range(suits) for rank in range(9)), key=lambda card: card % RANKS)
    cards = [*trumps, *colours[: size - len(trumps)]]
    rng.shuffle(cards)
    hands = tuple(mask_of(cards[seat::players]) for seat in range(players))
    if not columns:
        return mask_of(cards), hands, ()
    hands = tuple(sorted(hands, key=lambda hand: hand.bit_count())) if size % players else hands
    third = list(cards_of(hands[-1]))
    rng.shuffle(third)
    pairs = rng.choice([1, len(third) // 2, len(third) // 2])
    lying = [*zip(third[:pairs], third[pairs : 2 * pairs], strict=True), *((card, -1) for card in third[2 * pairs :])]
    turn = rng.randrange(players)
    return mask_of(cards), hands[turn:] + hands[:turn], tuple(lying)


def _special_duty(rng: random.Random, deck: int, players: int, hands: tuple[int, ...], way: str) -> Duty:
    kind = rng.choice(["after", "after", "by_choice", "by_choice", "no card"] if rng.random() < 0.4 else KINDS)
    if kind == "after":
        condition = Condition(TRICKS, after=_some(rng, deck, 2), won_with=rng.choice([FULL_DECK, _some(rng, deck)]))
    elif kind == "by_choice":
        condition = Condition(OPENINGS, cards=deck & ~_some(rng, deck, 3), by_choice=1)
    elif kind == "no card":
        condition = Condition(TRICKS, holds=NO_CARD | rng.choice([0, _some(rng, deck)]))
    else:
        condition = _condition(kind, rng, deck, players)
    condition = _bounded(rng, condition, players)
    conditions = [condition]
    if way == "together":
        conditions = [condition._replace(against=TOGETHER)]
    elif rng.random() < 0.4:
        conditions.append(_bounded(rng, _condition(rng.choice(KINDS), rng, deck, players), players))
    goal = Goal(tuple(conditions), rng.random() < 0.5)
    if way == "together":
        return Duty(goal, 1, -1)
    if way == "role":
        return Duty(goal, rng.randrange(1, 1 << players), -1, rng.choice("abc"))
    if way == "holder":
        card, steps = rng.choice(list(cards_of(deck))), rng.randint(0, players)
        holder = next(seat for seat, hand in enumerate(hands) if hand >> card & 1)
        return Duty(goal, 1 << (holder + steps) % players, -1, "", card, steps)
    return Duty(goal, rng.randrange(1, 1 << players), -1)


def _special_position(rng: random.Random, features: set[str], goals: bool = True) -> Position:
    """A position with any of FEATURES, at the start or anywhere inside an attempt; with random goals and tasks."""
    while True:
        deck, hands, columns = _small_deal(rng, "columns" in features)
        players = len(hands)
        everything = list(cards_of(deck))

        def ordered(everything: list[int] = everything) -> tuple[int, ...]:
            return tuple(rng.sample(everything, len(everything))) if rng.random() < 0.4 else ()

        exchanges = [Exchange(0, rng.choice([LEFT, RIGHT]))] if "signal" in features else []
        after = rng.choice([1, 1, 2]) if deck.bit_count() // players > 2 else 1
        exchanges += [Exchange(after, rng.choice([LEFT, RIGHT]), ordered())] if "later" in features else []
        try:
            position = Position(hands, (), deck=deck, columns=columns, exchanges=tuple(exchanges))
            break
        except InputError:
            continue
    duties = []
    way = rng.choice(["plain", "together", "role", "holder", ""])
    while goals and (not duties or rng.random() < (0.6 if way == "role" else 0.4)):
        duties.append(_special_duty(rng, deck, players, hands, way or rng.choice(["plain", "together", "role", "holder"])))
    colours = [card for card in everything if card < 36]
    tasks = rng.choice([0, 1, 1, 2] if "ends" in features else [0, 0, 1]) if goals else 0
    tokens = _random_tokens(rng, tasks) if tasks else []
    owners = [rng.choice([None, rng.randrange(players)]) for _ in range(tasks)]
    given = tuple(Task(*mark) for mark in zip(rng.sample(colours, tasks), owners, tokens, strict=True))
    try:
        position = replace(position, tasks=given, ends_with_tasks="ends" in features)
    except InputError:  # owners that no distribution allows
        position = replace(position, ends_with_tasks="ends" in features)
    referee = Referee(_with_duties(position, tuple(duties)))
    for _ in range(rng.choice([0, rng.randint(1, 2 * players), rng.randint(players, deck.bit_count() - 2)])):
        ways = [twin for twin in _ways_on(referee) if not twin.won and (twin.failure is None or rng.random() < 0.1)]
        if not ways:
            break
        referee = rng.choice(ways)
    plays = [cards for _, cards, _, _ in referee.history] + ([tuple(referee.trick)] if referee.trick else [])
    return _with(referee.position, plays=tuple(plays))


def _replayed(position: Position, answer: SatAnswer) -> Referee:
    """The referee after the line and the passes of an answer."""
    pending = Referee(position).exchanges
    passes = dict(zip([exchange.after for exchange in pending], answer.passes, strict=True))
    exchanges = tuple(replace(one, order=one.order or passes.get(one.after, ())) for one in position.exchanges)
    replay = Referee(_with(position, exchanges=exchanges, plays=()))
    for card in answer.line:
        replay.play(card)
    assert [passed for after, _, passed in replay.passes if after in passes] == list(answer.passes)
    assert list(answer.line).index(answer.line[-1]) == len(answer.line) - 1
    begun = [card for trick in position.plays for card in trick]
    assert list(answer.line[: len(begun)]) == begun
    return replay


def _compare_special(features: str, seeds: range, limit: int = 20000) -> dict[str, int]:
    tally = {"winnable": 0, "unwinnable": 0, "skipped": 0}
    for seed in seeds:
        rng = random.Random(f"{features}/{seed}")
        wanted = set(features.split("+")) if features != "any" else {one for one in FEATURES if rng.random() < 0.5}
        position = _special_position(rng, wanted)
        referee = Referee(position)
        if referee.won:
            continue
        try:
            truth = "winnable" if _can_be_won(referee, [limit]) else "unwinnable"
        except TimeoutError:
            tally["skipped"] += 1
            continue
        answer = decide(referee)
        assert answer.status == truth, (features, seed, position, position.duties)
        tally[truth] += 1
        if truth == "winnable":
            replay = _replayed(position, answer)
            assert replay.won
            assert tuple(replay.owners) == answer.owners
        else:
            assert answer.passes == ()
    return tally


PASSING = ("columns", "signal", "later", "signal+later", "columns+signal", "columns+later", "columns+signal+later")
COMBINATIONS = ("none", "ends", *PASSING, "any")


@pytest.mark.parametrize("features", COMBINATIONS)
def test_special_rules_agree_with_enumeration(features: str) -> None:
    """Goals of every kind for every choice of seats, with hands that lie in columns or change, from any point of an attempt."""
    tally = _compare_special(features, range(25), 1000)
    assert tally["winnable"] > 3
    assert tally["unwinnable"] > 3


@pytest.mark.long
@pytest.mark.parametrize("features", COMBINATIONS)
def test_special_rules_agree_with_enumeration_on_many(features: str) -> None:
    _compare_special(features, range(1000, 3000), 5000)


def _all_ways(referee: Referee) -> Iterator[Line]:
    """The passes and the line of each way to play on to the end."""
    if not referee.tricks_left:
        yield tuple(passed for _, _, passed in referee.passes), tuple(card for _, cards, _, _ in referee.history for card in cards)
    else:
        for twin in _ways_on(referee):
            yield from _all_ways(twin)


def _compare_models(features: str, seeds: range, limit: int) -> int:
    compared = 0
    for seed in seeds:
        position = _special_position(random.Random(f"models/{features}/{seed}"), set(features.split("+")), goals=False)
        referee = Referee(position)
        ways = sorted(islice(_all_ways(referee), limit))
        if len(ways) == limit or not referee.tricks_left:
            continue
        encoding = encode(referee)
        pool, cards = encoding.pool, [*cards_of(sum(referee.hands)), *referee.trick]
        seen = [pool.card(card, t) for card in cards for t in range(pool.tricks)]
        seen += [pool.passed(card, number) for number in range(len(referee.exchanges)) for card in cards]
        seen = [variable for variable in seen if variable <= encoding.variables]
        done = len(referee.passes)
        models = []
        with Solver(name="minisat22", bootstrap_with=encoding.clauses) as solver:
            while solver.solve():
                model = solver.get_model()
                answer = winning(referee, pool, model)
                models.append((tuple(passed for _, _, passed in referee.passes[:done]) + answer.passes, answer.line))
                solver.add_clause([-model[variable - 1] for variable in seen])
        assert sorted(models) == ways, position
        words = [pool.meaning(variable) for variable in range(1, encoding.variables + 1)]
        assert len(set(words)) == len(words)
        compared += 1
    return compared


@pytest.mark.parametrize("features", PASSING)
def test_the_models_are_the_legal_ways_to_play_and_pass(features: str) -> None:
    """Each legal way is a model once, as far as the cards played and passed tell."""
    assert _compare_models(features, range(16), 300) > 1


@pytest.mark.long
@pytest.mark.parametrize("features", PASSING)
def test_the_models_are_the_legal_ways_to_play_and_pass_on_many(features: str) -> None:
    assert _compare_models(features, range(1000, 1200), 2000) > 50


FULL_DEALS = [
    (
        "P479 B5 G89 Y8 R234 | B13467 G56 Y157 | P123 B2 G37 Y369 R1 | P568 B89 G124 Y24",
        "Y7:0/1 Y5:1/2 P1:2/3 P6:3 Y3:0 G1:1 Y1:2 Y4:3 G2:0 B3:1",
        "unwinnable",
    ),
    (
        "P29 B1678 G579 Y1578 R1 | P45678 B59 G234 Y2 R34 | P13 B234 G168 Y3469 R2",
        "G4:1/> Y1:2/>> B4:0/>>> G2:1/>>>> B3:2",
        "winnable",
    ),
    (
        "P278 B358 G2567 Y256 R1 | P135 B126 G389 Y348 R3 | P469 B479 G14 Y179 R24",
        "P1:2/1 Y1:0/2 G1:1/3 B3:2 P9:0 G9:1 G7:2 G5:0 B1:1 P6:2",
        "unwinnable",
    ),
    (
        "P5 B129 G1 Y458 R23 | P467 B4678 G3 Y19 | P8 B5 G46789 Y26 R1 | P1239 B3 G25 Y37 R4",
        "G5:3/> G6:0/>> G4:1/>>> B9:2/>>>> G3:3",
        "unwinnable",
    ),
    (
        "P4 B59 G14 Y59 R3 | P569 B8 G38 Y38 | P1 B4 G269 Y24 R4 | P7 B137 G7 Y7 R12 | P238 B26 G5 Y16",
        "P4:2/omega G4:3 P9:4 G5:0 P1:1 B6:2",
        "unwinnable",
    ),
    (
        "P148 B137 G789 Y2459 R4 | P36 B2568 G56 Y678 R12 | P2579 B49 G1234 Y13 R3",
        "B8:0/1 B7:1/2 G7:2/3 P6:0 B6:1 Y3:2 Y1:0",
        "unwinnable",
    ),
    (
        "P4 B36 G9 Y135678 | P579 B8 G567 Y9 R12 | P268 B259 G48 Y4 R3 | P13 B147 G123 Y2 R4",
        "B7/1 B6/2 B4/3 P4/4 P6/5 Y9 Y6 G7",
        "winnable",
    ),
    (
        "P9 G3469 Y45 R3 | P237 B56 Y3 R14 | P458 B28 G2 Y28 | P1 B1479 G8 Y19 | P6 B3 G157 Y67 R2",
        "G1/1 Y8/2 P7/3 B8/4 P2/5 G6 P9 P5",
        "winnable",
    ),
    (
        "P268 B1489 G568 Y2379 | P47 B3 G1349 Y14568 R3 | P1359 B2567 G27 R124",
        "P9:2/1 Y1:0/2 Y7:1/3 B5:2 P8:0 G4:1 B3:2 B6:0 G5:1 B7:2",
        "winnable",
    ),
    (
        "B145 G47 Y14 R4 | P347 B8 G2 Y58 R1 | P69 B269 Y79 R2 | P15 B7 G35 Y26 R3 | P28 B3 G1689 Y3",
        "P2:0/1 B4:1/2 Y6:2/3 P4:3/4 B1:4/5 P3:0 B3:1 G9:2",
        "unwinnable",
    ),
]
HARD = (
    "P26 B269 G1234 Y128 R13 | P157 B4578 G6 Y3479 R2 | P3489 B13 G5789 Y56 R4",
    "B1:2 B6:0 P1:1",
)
"""Unwinnable, and among the hardest to refute: a second or more."""


@pytest.mark.parametrize(("hands", "tasks", "status"), FULL_DEALS)
def test_full_deals(hands: str, tasks: str, status: str) -> None:
    position = written_position(hands, tasks)
    answer = decide(Referee(position))
    assert answer.status == status
    assert decide(Referee(position), seconds=60) == answer
    if status == "winnable":
        _check_line(position, answer.line, answer.owners)


def test_time_limit() -> None:
    position = written_position(*FULL_DEALS[0][:2])
    assert decide(Referee(position), seconds=0).status == "undecided"
    start = monotonic()
    assert decide(Referee(written_position(*HARD)), seconds=0.1).status == "undecided"
    assert monotonic() - start < 3
    assert decide(Referee(written_position(*HARD)), seconds=300).status == "unwinnable"
