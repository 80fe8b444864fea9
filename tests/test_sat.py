"""The SAT opinion against complete enumeration on small decks, and against known verdicts on full deals."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from deepcrew.solver.cards import CAPTAIN_CARD, RANKS, cards_of, mask_of, parse_hand
from deepcrew.solver.drafts import DISTRIBUTIONS, allowed_counts
from deepcrew.solver.positions import Position, Task
from deepcrew.solver.referee import Referee
from deepcrew.solver.sat import decide, encode
from deepcrew.solver.tokens import check_tokens
from pysat.solvers import Solver

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
    tally = _compare(deck, players, range(250))
    assert min(tally.values()) > 25


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("deck", DECKS)
def test_sat_agrees_with_enumeration_on_many(deck: str, players: int) -> None:
    _compare(deck, players, range(1000, 6000))


def test_the_formula_has_exactly_the_legal_lines_as_models() -> None:
    """Without tasks and without symmetry breaking to hide lines, models projected to the cards are the legal lines."""


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
