"""Reasons, orders and proofs as text for people and as JSON for programs. Returns strings, prints nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import factorial
from typing import Any

from .cards import SUIT_MASKS, SUIT_NAMES, TRUMP, cards_of, format_card, format_hand, mask_of, suit_of
from .cases import case_from_position
from .orders import Order
from .positions import LEFT, Position
from .proofs import Proof
from .questions import Demand
from .reasons import Change, Explanation, Forced, Part
from .show import plural, table, verdict_json, verdict_text
from .verdicts import UNDECIDED, UNWINNABLE, WINNABLE

_MOST_CARDS = 6
"""Cards named one by one; more are counted."""


# Words.


def _task(position: Position, index: int, token: bool = False) -> str:
    task = position.tasks[index]
    return task.name(position.game) + (f":{task.token}" if token and task.token else "")


def _or(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _seats(seats: Sequence[int]) -> str:
    return _or([f"seat {seat}" for seat in seats])


def numbers_text(numbers: Sequence[int]) -> str:
    """Numbers with runs drawn together: ``1-3, 5``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _tricks(numbers: Sequence[int]) -> str:
    return f"trick{'s' if len(numbers) > 1 else ''} {numbers_text(numbers)}"


def _cards(cards: Sequence[int], game: str) -> str:
    return _or([format_card(card, game) for card in cards]) if len(cards) <= _MOST_CARDS else f"any of {len(cards)} cards"


def _does(position: Position, index: int) -> str:
    """What fulfilling a task means, such as ``seat 2 wins P3``."""
    task = position.tasks[index]
    who = "somebody who may" if task.owner is None else f"seat {task.owner}"
    return f"{who} {'wins' if task.target >= 0 else 'fulfils'} {_task(position, index)}"


def demand_text(position: Position, demand: Demand) -> str:
    """A demand of a position in words."""
    kind, task, other, number = demand
    match kind:
        case "task":
            return _does(position, task)
        case "order":
            return f"{_task(position, task, True)} comes before {_task(position, other, True)}, or in the same trick"
        case "rank":
            open_before = f"as number {number} of the open tasks"
            return f"{_task(position, task, True)} is completed {open_before}"
        case "tokens":
            return "the order of the tokens is kept, as the crew lays them"
        case "distribution":
            return f"the tasks are handed out as {position.distribution} says"
        case "hardest":
            return f"the captain, seat {position.captain}, takes one of the hardest tasks"
    duty = position.duties[number]
    if duty.role:
        return f"the {duty.role} fulfils the goal of this role"
    seats = list(cards_of(duty.seats))  # a set of seats is read as a set of cards is
    whose = f", seat {seats[0]}'s part of it" if len(seats) == 1 and len(position.duties) > 1 else ""
    return f"the crew reaches the goal{whose}: {position.text.rstrip('.') or 'see the mission'}"


def _conflict_headline(position: Position, demands: Sequence[Demand]) -> str:
    """A short sentence for the smallest conflicts, an introduction for longer ones."""
    tasks = [demand.task for demand in demands if demand.kind == "task"]
    orders = [demand for demand in demands if demand.kind == "order"]
    given = all(position.tasks[task].owner is not None for task in tasks)
    if len(demands) == len(tasks) == 1:
        word = "win" if position.tasks[tasks[0]].target >= 0 else "fulfil"
        who = f"seat {position.tasks[tasks[0]].owner} cannot" if given else "nobody who may own it can"
        return f"{who} {word} {_task(position, tasks[0])}, whatever else happens"
    if given and len(demands) == len(tasks) == 2:
        one, other = tasks
        word = "win" if position.tasks[one].target >= 0 else "fulfil"
        return f"seat {position.tasks[one].owner} cannot {word} {_task(position, one)} if {_does(position, other)}"
    if given and len(demands) == 3 and len(tasks) == 2 and orders and {orders[0].task, orders[0].other} == set(tasks):
        first, second = orders[0].task, orders[0].other
        return f"seat {position.tasks[first].owner} cannot win {_task(position, first)} before {_does(position, second)}"
    if len(demands) == 1:
        return f"it cannot be that {demand_text(position, demands[0])}"
    return f"these {len(demands)} demands cannot be met together"


def _because(position: Position, part: Part, alone: bool = False) -> list[str]:
    """What makes it hard to meet a part of a conflict beside the others; ``alone`` when there are none."""
    task, other = part.demand.task, part.demand.other
    reasons = []
    if part.demand.kind == "task" and position.tasks[task].target >= 0:
        owner, winners = position.tasks[task].owner, part.winners
        if owner is not None:
            reasons.append(_holding(position, owner, position.tasks[task].target))
        if part.alone is not None:
            ways = [f"with {_cards(part.alone.cards, position.game)}"] if 0 < len(part.alone.cards) <= _MOST_CARDS else []
            ways += [f"in {_tricks(part.alone.tricks)}"] if 0 < len(part.alone.tricks) < position.tricks else []
            reasons += [f"by itself that can be done only {' and '.join(ways)}"] if ways else []
        if winners and (alone or owner is None or len(winners) < position.players - 1):
            reasons.append(f"{'' if alone else 'if the rest is met, '}{_task(position, task)} always goes to {_seats(winners)}")
    if part.demand.kind == "order" and part.tricks and part.later:
        first, second = _task(position, task), _task(position, other)
        tricks = f"{second} in {_tricks(part.later)}, {first} in {_tricks(part.tricks)}"
        reasons.append(f"{'' if alone else 'if the rest is met, '}{second} always comes first: {tricks}")
    return reasons


def _holding(position: Position, seat: int, card: int) -> str:
    """What a seat holds to win a card with, of its suit and of trumps."""
    suit, trumps = (position.hands[seat] & SUIT_MASKS[suit] for suit in (suit_of(card), TRUMP))
    in_suit = format_hand(suit, position.game) if suit else f"no {SUIT_NAMES[suit_of(card)]} card"
    return f"seat {seat} holds {in_suit} and {format_hand(trumps, position.game) if trumps else 'no trump'}"


def change_text(explanation: Explanation, change: Change) -> str:
    """A single change in words."""
    position, game = explanation.subject, explanation.subject.game
    name = _task(position, change.task) if change.task >= 0 else ""
    other = _task(position, change.other) if change.other >= 0 else ""
    against = "" if change.allowed else f" (though {position.distribution} does not allow it)"
    match change.kind:
        case "owner":
            return f"{name} belongs to seat {change.seat} instead of seat {position.tasks[change.task].owner}{against}"
        case "owners":
            one, two = position.tasks[change.task].owner, position.tasks[change.other].owner
            return f"{name} and {other} change owners: {name} to seat {two}, {other} to seat {one}{against}"
        case "token":
            changed = change.position.tasks if change.position is not None else position.tasks
            if change.other < 0:
                return f"{name} has no token"
            laid = [f"{task.name(game)}:{task.token or 'no token'}" for task in (changed[change.task], changed[change.other])]
            return f"the tokens lie differently: {' and '.join(laid)}"
        case "drop":
            return f"{name} is left out"
        case "distress":
            side = "left" if change.to == LEFT else "right"
            passed = [
                f"seat {seat} {format_card(card, game)}"
                for after, _, cards in change.passes
                if not after
                for seat, card in enumerate(cards)
            ]
            return f"a distress signal to the {side}" + (f", passing {', '.join(passed)}" if passed else "")
        case "lead":
            return f"seat {change.seat} leads the next trick"
    return f"seat {change.seat} plays {format_card(change.card, game)} instead"


_CHANGES = (
    ("play", "another card", "other cards"),
    ("owner", "another owner", "other owners"),
    ("owners", "exchange of two owners", "exchanges of two owners"),
    ("token", "other way to lay the tokens", "other ways to lay the tokens"),
    ("drop", "task left out", "tasks left out"),
    ("distress", "distress signal", "distress signals"),
    ("lead", "other lead", "other leads"),
)


def _counted(changes: Iterable[Change]) -> str:
    kinds = [change.kind for change in changes]
    return ", ".join(f"{kinds.count(kind)} {one if kinds.count(kind) == 1 else many}" for kind, one, many in _CHANGES if kind in kinds)


# Explanations.


def explanation_text(explanation: Explanation) -> str:
    """Why a position can or cannot be won."""
    lines = [verdict_text(explanation.position, explanation.verdict)]
    if explanation.verdict.verdict == UNWINNABLE:
        lines += _unwinnable_lines(explanation)
    elif explanation.verdict.verdict == WINNABLE:
        lines += _winnable_lines(explanation)
    else:
        lines += ["", "No reasons, since it was not decided within the limit."]
    if explanation.unanswered:
        what = "more may be forced" if explanation.verdict.verdict == WINNABLE else "a smaller conflict may exist"
        lines += ["", f"{plural(explanation.unanswered, 'question')} took too long and went unanswered, so {what} than is said."]
    return "\n".join(lines)


def _unwinnable_lines(explanation: Explanation) -> list[str]:
    subject, losing, conflict = explanation.subject, explanation.losing, explanation.conflict
    lines = []
    if losing is not None:
        lines.append("")
        card = format_card(losing.card, subject.game)
        lines.append(f"Lost in trick {losing.trick}, when seat {losing.seat} played {card}: until then the deal could be won.")
        instead = [format_card(card, subject.game) for card in losing.instead]
        lines.append(f"It still could have been with {_or(instead)} instead. What follows is about the position after that card.")
    elif explanation.position.plays:
        lines += ["", "The deal itself cannot be won, whatever is played. What follows is about the deal before the first card."]
    if conflict is not None:
        headline = _conflict_headline(subject, conflict.demands)
        size = "no smaller conflict exists" if conflict.smallest else "each is needed" if conflict.minimal else "some may not be needed"
        lines += ["", f"Why: {headline}{f' ({size})' if len(conflict.demands) > 1 else ''}."]
        if len(conflict.demands) > 1:
            for part in explanation.parts:
                lines.append("  " + "; ".join([demand_text(subject, part.demand), *_because(subject, part)]))
        elif because := _because(subject, explanation.parts[0], alone=True):
            lines.append(f"  Because {'; '.join(because)}.")
    elif explanation.unanswered:
        lines += ["", "Which of its demands conflict was not found in time."]
    if conflict is not None and _another_conflict(explanation, conflict.demands):
        lines += ["", "There are other conflicts besides: leaving out one of these tasks does not help."]
    helps = [change for change in explanation.changes if change.verdict == WINNABLE and change.kind != "play"]
    fails = [change for change in explanation.changes if change.verdict == UNWINNABLE]
    unknown = [change for change in explanation.changes if change.verdict == UNDECIDED]
    if helps:
        lines += ["", "Each of these alone would make it winnable:", *(f"  {change_text(explanation, change)}" for change in helps)]
    elif explanation.changes:
        lines += ["", "No single change that was tried makes it winnable."]
    if fails:
        lines.append(f"Tried without success: {_counted(fails)}.")
    if unknown:
        lines.append(f"Not decided in time: {_counted(unknown)}.")
    return lines


def _another_conflict(explanation: Explanation, demands: Sequence[Demand]) -> bool:
    """Whether none of the tasks in a conflict can be left out to win, so that others conflict too."""
    tasks = {demand.task for demand in demands if demand.kind == "task"}
    drops = [change.verdict for change in explanation.changes if change.kind == "drop" and change.task in tasks]
    return bool(drops) and all(verdict == UNWINNABLE for verdict in drops)


def _winnable_lines(explanation: Explanation) -> list[str]:
    position = explanation.position
    lines = []
    if len(position.alternatives()) > 1 or position.one_may_move:
        lines += ["", "What follows allows for whatever the crew may decide before the first card."]
    if explanation.forced:
        rows: list[Sequence[str]] = [("task", "owner", "in tricks", "won by", "")]
        for forced in explanation.forced:
            if len(forced.tricks) < position.tricks - 1 or len(forced.cards) <= _MOST_CARDS:
                owner, cards = _or(list(map(str, forced.seats))), _cards(forced.cards, position.game)
                rows.append((_task(position, forced.task, True), owner, numbers_text(forced.tricks), cards, _note(forced)))
        if len(rows) > 1:
            lines += ["", "What winning attempts have in common:", *table(rows, left=range(5))]
        if len(rows) <= len(explanation.forced):
            lines += ["", f"Of {'the other tasks' if len(rows) > 1 else 'the tasks'} hardly anything is forced."]
    if any(plays.lose for plays in explanation.first_plays):
        plays_rows = [("seat", "can play", "loses with")]
        for plays in explanation.first_plays:
            keep, lose = (format_hand(mask_of(cards), position.game) or "-" for cards in (plays.keep, plays.lose))
            plays_rows.append((str(plays.seat), keep, lose))
        lines += ["", "In the next trick, if the deal is to be won:", *table(plays_rows, left=range(3))]
    elif explanation.first_plays:
        lines += ["", "In the next trick no card loses for certain."]
    elif position.exchanges:
        lines += ["", "Which cards can be played next is not said while cards are still to be passed."]
    if (tight := explanation.tightness) is not None:
        lines += [
            "",
            f"Tightness: of {tight.lines} attempts with random cards {tight.won} were won; the position stayed winnable for "
            f"{tight.survived:.1f} of {plural(tight.tricks, 'trick')} on average.",
        ]
    return lines


def _note(forced: Forced) -> str:
    notes = [word for word, found in (("one trick", forced.tricks), ("one card", forced.cards)) if len(found) == 1]
    return f"forced: {' and '.join(notes)}" if notes else ""


def explanation_json(explanation: Explanation) -> dict[str, Any]:
    """The answer object with its reasons."""
    position, subject, game = explanation.position, explanation.subject, explanation.subject.game
    conflict, losing, tight = explanation.conflict, explanation.losing, explanation.tightness
    answer: dict[str, Any] = verdict_json(position, explanation.verdict)
    answer["explained"] = case_from_position(subject)
    answer["lost_by"] = None
    if losing is not None:
        answer["lost_by"] = {
            "trick": losing.trick,
            "seat": losing.seat,
            "card": format_card(losing.card, game),
            "instead": [format_card(card, game) for card in losing.instead],
        }
    answer["conflict"] = None
    if conflict is not None:
        answer["conflict"] = {
            "text": _conflict_headline(subject, conflict.demands),
            "minimal": conflict.minimal,
            "smallest": conflict.smallest,
            "demands": [_part_json(subject, part) for part in explanation.parts],
        }
    answer["changes"] = [_change_json(explanation, change) for change in explanation.changes]
    answer["forced"] = [
        {
            "task": _task(position, forced.task),
            "seats": list(forced.seats),
            "tricks": list(forced.tricks),
            "cards": [format_card(card, game) for card in forced.cards],
        }
        for forced in explanation.forced
    ]
    answer["first_plays"] = [
        {
            "seat": plays.seat,
            "keep": [format_card(card, game) for card in plays.keep],
            "lose": [format_card(card, game) for card in plays.lose],
        }
        for plays in explanation.first_plays
    ]
    answer["tightness"] = None
    if tight is not None:
        answer["tightness"] = {"lines": tight.lines, "won": tight.won, "survived": tight.survived, "tricks": tight.tricks}
    answer["unanswered"] = explanation.unanswered
    return answer


def _part_json(position: Position, part: Part) -> dict[str, Any]:
    demand = part.demand
    value: dict[str, Any] = {"kind": demand.kind, "text": demand_text(position, demand)}
    if demand.task >= 0:
        value |= {"task": _task(position, demand.task), "owner": position.tasks[demand.task].owner}
    if demand.other >= 0:
        value["other"] = _task(position, demand.other)
    if part.alone is not None:
        cards = [format_card(card, position.game) for card in part.alone.cards]
        value["alone"] = {"tricks": list(part.alone.tricks), "cards": cards}
    if part.winners or part.tricks:
        value["if_the_rest_is_met"] = {"winners": list(part.winners), "tricks": list(part.tricks), "later": list(part.later)}
    return value


def _change_json(explanation: Explanation, change: Change) -> dict[str, Any]:
    game = explanation.subject.game
    line = None if change.line is None else [[format_card(card, game) for card in trick] for trick in change.line]
    # goals of the crew are written as their mission, which a case with other tasks is not
    fits = change.position is not None and not (change.position.crew and change.position.mission is None)
    case = case_from_position(change.position) if change.position is not None and fits else None
    value = {"kind": change.kind, "text": change_text(explanation, change), "verdict": change.verdict, "allowed": change.allowed}
    return value | {"line": line, "case": case}


# Orders.


def order_text(order: Order) -> str:
    """In which order the tasks can be completed."""
    position = order.position
    if order.lost is not None:
        return f"The cards played have lost the mission: {order.lost}."
    if not order.possible:
        return "The tasks cannot all be completed, in whatever order; deepcrew explain says why."
    lines = ["Leaving the tokens aside:" if any(task.token for task in position.tasks) else "With no token on the tasks:", ""]
    rows = [("task", "owner", "first in trick", "last in trick", "")]
    for timing in order.timings:
        owner = position.tasks[timing.task].owner
        done = "completed" if timing.done else "forced" if timing.earliest == timing.latest else ""
        who = "-" if owner is None else str(owner)
        rows.append((_task(position, timing.task, True), who, str(timing.earliest), str(timing.latest), done))
    lines += table(rows, left=(0, 4))
    if any(not timing.done for timing in order.timings):
        lines.append("")
    forced = [pair for pair in order.pairs if pair.forced is not None]
    if order.chain:
        lines.append("Forced, the first never after the second:")
        for first, second in order.chain:
            pair = next(pair for pair in order.pairs if {pair.task, pair.other} == {first, second})
            lines.append(f"  {_task(position, first)} before {_task(position, second)}{', or in the same trick' if pair.same else ''}")
        if len(forced) > len(order.chain):
            lines.append(f"  and what follows from these: {plural(len(forced), 'pair')} in all")
    elif sum(not timing.done for timing in order.timings) > 1:
        lines.append("Of no two open tasks is the order forced.")
    if order.orders is not None and len(order.orders[0]) > 1:
        every = factorial(len(order.orders[0]))
        listed = len(order.orders) <= 12 and len(order.orders) < every
        said = f"All {every} orders are" if len(order.orders) == every else f"{len(order.orders)} of {every} orders are"
        lines.append(f"{said} possible{':' if listed else '.'}")
        if listed:
            lines += [f"  {', '.join(_task(position, index) for index in one)}" for one in order.orders]
    lines += _token_lines(order)
    if order.unanswered:
        lines += ["", f"{plural(order.unanswered, 'question')} took too long; what they asked about is taken to be possible."]
    return "\n".join(lines)


def _token_lines(order: Order) -> list[str]:
    position = order.position
    if not any(task.token for task in position.tasks):
        return []
    if order.kept is None:
        return ["", "Whether the tokens can be kept was not found in time."]
    if order.kept:
        return ["", "The tokens can be kept."]
    lines = ["", "The tokens cannot be kept."]
    if order.conflict is not None:
        lines += ["With all tasks completed, these cannot be met together:" if len(order.conflict.demands) > 1 else "What breaks them:"]
        lines += [f"  {demand_text(position, demand)}" for demand in order.conflict.demands]
    if order.breaking:
        names = [_task(position, index, True) for index in order.breaking]
        lines.append(
            f"Any one of these tokens left out would do: {', '.join(names)}."
            if len(names) > 1
            else f"It would do without the token of {names[0]}."
        )
    else:
        lines.append("Leaving out one token alone does not help.")
    return lines


def order_json(order: Order) -> dict[str, Any]:
    """The same as an object."""
    position = order.position
    return {
        "possible": order.possible,
        "lost": order.lost,
        "tasks": [
            {
                "task": _task(position, timing.task),
                "owner": position.tasks[timing.task].owner,
                "token": position.tasks[timing.task].token,
                "earliest": timing.earliest,
                "latest": timing.latest,
                "completed": timing.done,
            }
            for timing in order.timings
        ],
        "pairs": [
            {
                "tasks": [_task(position, pair.task), _task(position, pair.other)],
                "earlier": pair.earlier,
                "same": pair.same,
                "later": pair.later,
                "forced": None if pair.forced is None else [_task(position, index) for index in pair.forced],
            }
            for pair in order.pairs
        ],
        "orders": None if order.orders is None else [[_task(position, index) for index in one] for one in order.orders],
        "tokens_kept": order.kept,
        "conflict": None if order.conflict is None else [demand_text(position, demand) for demand in order.conflict.demands],
        "breaking": [_task(position, index) for index in order.breaking],
        "unanswered": order.unanswered,
    }


# Proofs.


def proof_text(proof: Proof) -> str:
    """What a proof has, or what was verified, in some lines."""
    lines = [f"{proof.path}: {proof.verdict}" + (f", verified by {proof.checker}" if proof.checker else "")]
    for number, (variables, clauses) in enumerate(proof.formulas):
        steps = f", refuted in {plural(proof.steps[number], 'line')}" if number < len(proof.steps) else ", with a line of play"
        lines.append(f"  formula of {plural(variables, 'variable')} and {plural(clauses, 'clause')}{steps}")
    lines.append(f"  {proof.size:,} bytes in {proof.seconds:.2f} s")
    return "\n".join(lines)
