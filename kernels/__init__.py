"""The compiled kernels: flat arrays in, numbers out. Imports nothing from solver: kernels know no games."""

import os
from hashlib import sha256
from pathlib import Path

import numba


def _cache_directory() -> Path | None:
    """Where compiled code belongs: a directory named after the sources of all compiled functions, so that a change in one
    file, such as where things lie in the arrays, also recompiles the others. None where nothing can be written here."""
    here = Path(__file__).parent
    sources = sorted([*here.glob("*.py"), here.parent / "solver" / "referee.py", here.parent / "solver" / "judge.py"])
    digest = sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    directory = here / "__pycache__" / f"compiled-{digest}"
    return directory if os.access(here, os.W_OK) else None


if "NUMBA_CACHE_DIR" not in os.environ and (_directory := _cache_directory()) is not None:
    numba.config.CACHE_DIR = str(_directory)
