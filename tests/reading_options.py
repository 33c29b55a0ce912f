"""Options of a command line as keyword arguments of `mated.read`, for what says how it is read back."""

from __future__ import annotations

import shlex


def options_of(reading: str) -> dict[str, object]:
    """Turn `--format bob --dissimilarity` into {"format": "bob", "dissimilarity": True}."""
    given: dict[str, object] = {}
    words = iter(shlex.split(reading))
    for word in words:
        name = word.removeprefix("--").replace("-", "_")
        given[name] = True if name in ("dissimilarity", "header") else next(words)
    return given
