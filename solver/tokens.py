"""Order tokens: their notation and what makes a set of them sound. Who may finish when is the referee's."""

from __future__ import annotations

from collections.abc import Sequence

from .errors import InputError

ABSOLUTE = ("1", "2", "3", "4", "5")
OMEGA = "omega"
ARROWS = (">", ">>", ">>>", ">>>>")
TOKENS = (*ABSOLUTE, OMEGA, *ARROWS)


def parse_token(text: str) -> str:
    """Read a token: ``1``..``5``, ``omega`` or ``>``..``>>>>``. Raises InputError for anything else."""
    token = {"o": OMEGA, "w": OMEGA, "Ω": OMEGA, "ω": OMEGA}.get(text.strip(), text.strip().lower())
    if token not in TOKENS:
        raise InputError(f"unknown token {text!r}: tokens are 1-5, omega and > to >>>>")
    return token


def check_tokens(tokens: Sequence[str | None]) -> None:
    """Check the tokens of all tasks of one position (None: a task without a token).

    Raises InputError for an unknown token, two tasks with one token, an arrow without its predecessor, an absolute token beyond
    the number of tasks, and an absolute token that claims the last place next to omega.
    """
    used = [token for token in tokens if token is not None]
    for token in used:
        if token not in TOKENS:
            raise InputError(f"unknown token {token!r}: tokens are 1-5, omega and > to >>>>")
        if used.count(token) > 1:
            raise InputError(f"two tasks carry the token {token}: each token exists once")
        if token in ARROWS[1:] and token[:-1] not in used:
            raise InputError(f"token {token} has no predecessor: {token[:-1]} must lie on another task")
        if token in ABSOLUTE and int(token) > len(tokens):
            raise InputError(f"token {token} needs at least {token} tasks: the number of tasks is {len(tokens)}")
        if token == str(len(tokens)) and OMEGA in used:
            raise InputError(f"token {token} contradicts omega: both claim the last of {len(tokens)} tasks")
