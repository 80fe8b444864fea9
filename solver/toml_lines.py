"""Where the parts of a TOML document are: the line of every table, key and element, for messages about them.

Knows no schema. Only reads what ``tomllib`` has read before it, so it need not tell right from wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Path = tuple[str | int, ...]
"""The keys and places that lead to a part: ``("mission", 2, "crew_goals", 0, "who")``."""

_TOKEN = re.compile(
    r'''[ \t\r]+ | \#[^\n]*
    | (?P<text> """(?:\\[\s\S]|[^\\])*?"{3,5} | \'\'\'[\s\S]*?\'{3,5} | "(?:\\.|[^"\\\n])*" | '[^'\n]*')
    | (?P<sign> \n | [\[\]{}=,])
    | (?P<bare> [^\s\[\]{}=,\#"']+)''',
    re.VERBOSE,
)


def lines_of(text: str) -> dict[Path, int]:
    """The line, from 1, of every part of the document. Elements of arrays, tables too, are counted from 0."""
    return _Reader(text).lines


def find_line(lines: Mapping[Path, int], start: Path, message: str) -> int:
    """The line that a message is about: of the part it names, as deep below ``start`` as its words lead.

    The message is ``key: key[2]: a sentence``, as messages of this project are; in the sentence the first word that is a key
    there counts. ``goal, condition 2`` is the second element of ``goal``, or ``goal`` itself when that is no list.
    """
    *names, sentence = message.split(": ")
    path = start
    for name in names:
        match = re.fullmatch(r"(\w+)(?:\[(\d+)\])?(?:, condition (\d+))?", name)
        if not match or (*path, match[1]) not in lines:
            sentence = f"{name} {sentence}"
            break
        path = (*path, match[1])
        for place in (match[2], str(int(match[3]) - 1) if match[3] else None):
            for deeper in ((*path, "any_of", int(place)), (*path, int(place))) if place else ():
                path = deeper if deeper in lines else path
    for word, place in re.findall(r"(\w+)(?:\[(\d+)\])?", sentence):
        if (*path, word) in lines:
            path = (*path, word, *([int(place)] if place else []))
            break
    while path not in lines and path:
        path = path[:-1]
    return lines.get(path, 1)


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self.tokens: list[tuple[str, str, int]] = []
        line = 1
        for match in _TOKEN.finditer(text):
            if match.lastgroup:
                self.tokens.append((match.lastgroup, match[0], line))
            line += match[0].count("\n")
        self.at = 0
        self.elements: dict[Path, int] = {}
        table: Path = ()
        while self.at < len(self.tokens):
            if self._skip("["):
                table = self._header(array=self._skip("["))
            elif not self._skip("\n"):
                self._entry(table)

    def _peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _skip(self, *signs: str) -> bool:
        """Step over one of these signs, if it comes next."""
        found = self._peek() in signs
        self.at += found
        return found

    def _key(self) -> list[str]:
        """A key and its parts, up to the sign that ends it."""
        parts: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at][0] != "sign":
            kind, word, _ = self.tokens[self.at]
            parts += [word[1:-1]] if kind == "text" else [part for part in word.split(".") if part]
            self.at += 1
        return parts

    def _header(self, array: bool) -> Path:
        line = self.tokens[self.at][2]
        path: Path = ()
        *outer, last = self._key()
        for part in outer:
            path = (*path, part)
            path = (*path, self.elements[path] - 1) if path in self.elements else path
        path = (*path, last)
        self.lines.setdefault(path, line)
        if array:
            self.elements[path] = self.elements.get(path, 0) + 1
            path = (*path, self.elements[path] - 1)
            self.lines[path] = line
        while self._skip("]"):
            pass
        return path

    def _entry(self, table: Path) -> None:
        line = self.tokens[self.at][2]
        path = table
        for part in self._key():
            path = (*path, part)
            self.lines.setdefault(path, line)
        self.at += 1  # the sign =
        self._value(path)

    def _value(self, path: Path) -> None:
        if self._skip("["):
            place = 0
            while not self._skip("]"):
                if not self._skip("\n", ","):
                    self.lines[(*path, place)] = self.tokens[self.at][2]
                    self._value((*path, place))
                    place += 1
        elif self._skip("{"):
            while not self._skip("}"):
                if not self._skip("\n", ","):
                    self._entry(path)
        else:
            self.at += 1
            while self.at < len(self.tokens) and self.tokens[self.at][0] == "bare":  # a date and its time
                self.at += 1
