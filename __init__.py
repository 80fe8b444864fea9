"""deepcrew: can this deal of a cooperative trick-taking game be won, with every card face up?

The names below are the library; each is imported on first use, so that ``import deepcrew`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .solver.cases import parse_case, position_from_case
    from .solver.errors import InputError
    from .solver.loads import Load
    from .solver.missions import load_missions
    from .solver.orders import order
    from .solver.positions import Position, Task
    from .solver.proofs import check, prove
    from .solver.rates import Rate, rate
    from .solver.reasons import explain
    from .solver.verdicts import Verdict, solve

__version__ = "0.1.0"

_HOME = {
    "InputError": "errors",
    "Load": "loads",
    "Position": "positions",
    "Rate": "rates",
    "Task": "positions",
    "Verdict": "verdicts",
    "check": "proofs",
    "explain": "reasons",
    "load_missions": "missions",
    "order": "orders",
    "parse_case": "cases",
    "position_from_case": "cases",
    "prove": "proofs",
    "rate": "rates",
    "solve": "verdicts",
}
__all__ = [
    "InputError",
    "Load",
    "Position",
    "Rate",
    "Task",
    "Verdict",
    "check",
    "explain",
    "load_missions",
    "order",
    "parse_case",
    "position_from_case",
    "prove",
    "rate",
    "solve",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f".solver.{_HOME[name]}", __name__), name)
    raise AttributeError(f"module 'deepcrew' has no attribute {name!r}")
