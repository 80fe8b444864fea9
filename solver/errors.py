"""The exceptions of the project: one for a user's mistake, one for a fault in a data file."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input: one clear sentence that names the offending value and says what would be right."""


class DataError(ValueError):
    """A data file breaks its schema: one sentence that names the file, the block and the key."""
