"""The SAT opinion against complete enumeration on small decks, and against known verdicts on full deals."""

from __future__ import annotations

import random
from collections.abc import Iterator
from time import monotonic

import pytest
from deepcrew.solver.cards import CAPTAIN_CARD, RANKS, cards_of, mask_of, parse_hand
from deepcrew.solver.drafts import DISTRIBUTIONS, allowed_counts
from deepcrew.solver.positions import Position, Task
from deepcrew.solver.referee import Referee
from deepcrew.solver.sat import decide, encode
from deepcrew.solver.tokens import check_tokens
from naive import written_position
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


def _random_position(rng: random.Random, deck: int, players: int) -> Position:
    """Any mix of given and free owners, distributions and tokens, at the start or anywhere inside an attempt."""
    cards = list(cards_of(deck))
    rng.shuffle(cards)
    hands = tuple(mask_of(cards[seat::players]) for seat in range(players))
    colours = [card for card in cards if card < 36]
    tasks = rng.randint(1, min(6, len(colours)))
    distribution = rng.choice(DISTRIBUTIONS)
    captain = next(seat for seat in range(players) if hands[seat] >> CAPTAIN_CARD & 1)
    if rng.random() < 0.5:
        owners: list[int | None] = [rng.randrange(players) for _ in range(tasks)]
    else:
        counts = rng.choice(allowed_counts(distribution, tasks, players, captain))
        owners = [seat for seat in range(players) for _ in range(counts[seat])]
        rng.shuffle(owners)
        given = rng.choice([0.0, 0.3, 0.6])
        owners = [owner if rng.random() < given else None for owner in owners]
    marks = zip(rng.sample(colours, tasks), owners, _random_tokens(rng, tasks), strict=True)
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
    replay = Referee(Position(position.hands, position.tasks, (), position.distribution, deck=position.deck))
    for card in line:
        replay.play(card)
    assert replay.won
    assert replay.tricks_left == 0
    assert tuple(replay.owners) == owners
    begun = [card for trick in position.plays for card in trick]
    assert list(line[: len(begun)]) == begun


def _compare(deck: str, players: int, seeds: range) -> dict[str, int]:
    tally = {"winnable": 0, "unwinnable": 0}
    for seed in seeds:
        position = _random_position(random.Random(f"{deck}/{players}/{seed}"), DECKS[deck], players)
        answer = decide(Referee(position))
        assert answer.status == ("winnable" if _enumerate(Referee(position), {}) else "unwinnable"), position
        tally[answer.status] += 1
        if answer.status == "winnable":
            _check_line(position, answer.line, answer.owners)
        else:
            assert answer.line == answer.owners == ()
    return tally


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_sat_agrees_with_enumeration(deck: str, players: int) -> None:
    tally = _compare(deck, players, range(600))
    assert min(tally.values()) > 60


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_sat_agrees_with_enumeration_on_many(deck: str, players: int) -> None:
    _compare(deck, players, range(1000, 6000))


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
