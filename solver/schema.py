"""Checks that every data file goes through: keys, types, known words, card sets.

Each raises DataError, one sentence that begins with ``where``: the file and the block; Faults gathers several of them.
Knows no particular file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from types import TracebackType
from typing import Any

from .cards import parse_hand
from .errors import DataError, InputError

_TYPE_NAMES = {str: "a string", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}


class ManyFaults(DataError):
    """Several faults of one block; its own sentence is the first of them."""

    def __init__(self, errors: Sequence[DataError]) -> None:
        super().__init__(str(errors[0]))
        self.errors = tuple(errors)


class Faults:
    """Gathers the DataErrors of ``with`` blocks, so that whoever wrote the file learns of all of them at once."""

    def __init__(self) -> None:
        self.errors: list[DataError] = []

    def __enter__(self) -> Faults:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        if isinstance(error, DataError):
            self.errors += error.errors if isinstance(error, ManyFaults) else [error]
        return isinstance(error, DataError)

    def check(self) -> None:
        """Raise what has been gathered, if anything: one DataError, or ManyFaults."""
        if self.errors:
            raise self.errors[0] if len(self.errors) == 1 else ManyFaults(self.errors)


def nearest(word: str, words: Collection[str]) -> str:
    """How a message about an unknown word goes on: the one it is close to, or all that are known."""
    close = get_close_matches(word, words, 1)
    return f", did you mean {close[0]!r}?" if close else f": {'known are ' + ', '.join(words) if words else 'none is known'}"


def check_table(value: Any, keys: Mapping[str, Any], required: Collection[str], where: str) -> dict[str, Any]:
    """The table itself, once its keys and their types are right.

    ``keys`` gives each key its type; ``[str]`` is a list of strings, ``object`` is anything, checked elsewhere.
    """
    if type(value) is not dict:
        raise DataError(f"{where} must be a table, not {value!r}")
    faults = Faults()
    for key, item in value.items():
        with faults:
            _check_key(key, item, keys, where)
    for key in sorted(required):
        with faults:
            if key not in value:
                raise DataError(f"{where}: key {key!r} is missing")
    faults.check()
    return value


def sound_part(value: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a table that have a known key and the right type: what more can be checked when others have not."""
    sound = {}
    for key, item in value.items():
        faults = Faults()
        with faults:
            _check_key(key, item, keys, "")
        if not faults.errors:
            sound[key] = item
    return sound


def _check_key(key: str, item: Any, keys: Mapping[str, Any], where: str) -> None:
    if key not in keys:
        raise DataError(f"{where}: unknown key {key!r}{nearest(key, keys)}")
    kind = keys[key]
    outer = list if isinstance(kind, list) else kind
    if outer is not object and type(item) is not outer:
        raise DataError(f"{where}: {key} must be {_TYPE_NAMES[outer]}, not {item!r}")
    for part in item if isinstance(kind, list) else []:
        if type(part) is not kind[0]:
            raise DataError(f"{where}: {key} must hold {_TYPE_NAMES[kind[0]]} in each place, not {part!r}")


def check_choice(table: Mapping[str, Any], key: str, words: Collection[str], where: str) -> None:
    """The value of this key, if there is one, is one of the words."""
    if key in table and table[key] not in words:
        raise DataError(f"{where}: unknown {key} {table[key]!r}{nearest(table[key], words)}")


def check_at_most(table: Mapping[str, Any], key: str, most: int, where: str) -> None:
    """The value of this key, if there is one, is not above ``most``."""
    if key in table and table[key] > most:
        raise DataError(f"{where}: {key} must be at most {most}, not {table[key]}")


def check_at_least(table: Mapping[str, Any], key: str, least: int, where: str) -> None:
    """The value of this key, if there is one, is not below ``least``."""
    if key in table and table[key] < least:
        raise DataError(f"{where}: {key} must be at least {least}, not {table[key]}")


def card_set(table: Mapping[str, Any], key: str, where: str) -> int:
    """The card set that this key gives in hand notation; 0 without the key."""
    try:
        cards = parse_hand(table.get(key, ""))
    except InputError as error:
        raise DataError(f"{where}: {key}: {error}") from None
    if key in table and not cards:
        raise DataError(f"{where}: {key} must name at least one card")
    return cards
