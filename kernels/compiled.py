"""How functions are compiled that only compiled code calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

inner: Callable[..., Any] = njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]  # not in its stubs
"""For functions that only compiled code calls: without the two entry points that numba adds to each, one for Python and one for
C, which take as long to compile as a small function does. Called from Python such a function ends
the process with a segmentation fault: what Python calls, tests included, has to be ``njit``."""
