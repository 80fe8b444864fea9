"""Checks that every data file goes through: keys, types, known words, card sets.

Each raises DataError, one sentence that begins with ``where``: the file and the block. Knows no particular file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from .cards import parse_hand
from .errors import DataError, InputError

_TYPE_NAMES = {str: "a string", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}


def nearest(word: str, words: Collection[str]) -> str:
    """How a message about an unknown word goes on: the one it is close to, or all that are known."""
    close = get_close_matches(word, words, 1)
    return f", did you mean {close[0]!r}?" if close else f": known are {', '.join(words) or 'none'}"


def check_table(value: Any, keys: Mapping[str, Any], required: Collection[str], where: str) -> dict[str, Any]:
    """The table itself, once its keys and their types are right.

    ``keys`` gives each key its type; ``[str]`` is a list of strings, ``object`` is anything, checked elsewhere.
    """
    if type(value) is not dict:
        raise DataError(f"{where} must be a table, not {value!r}")
    for key, item in value.items():
        if key not in keys:
            raise DataError(f"{where}: unknown key {key!r}{nearest(key, keys)}")
        kind = keys[key]
        outer = list if isinstance(kind, list) else kind
        if outer is not object and type(item) is not outer:
            raise DataError(f"{where}: {key} must be {_TYPE_NAMES[outer]}, not {item!r}")
        for part in item if isinstance(kind, list) else []:
            if type(part) is not kind[0]:
                raise DataError(f"{where}: {key} must hold {_TYPE_NAMES[kind[0]]} in each place, not {part!r}")
    for key in sorted(required):
        if key not in value:
            raise DataError(f"{where}: key {key!r} is missing")
    return value


def check_choice(table: Mapping[str, Any], key: str, words: Collection[str], where: str) -> None:
    """The value of this key, if there is one, is one of the words."""
    if key in table and table[key] not in words:
        raise DataError(f"{where}: unknown {key} {table[key]!r}{nearest(table[key], words)}")


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
