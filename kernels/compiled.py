"""How functions are compiled that only compiled code calls."""

from __future__ import annotations

from numba import njit

inner = njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""For functions that only compiled code calls: without the two entry points that numba adds to each, one for Python and one for
C, which take as long to compile as a small function does. To be called from Python a function has to be ``njit``."""
