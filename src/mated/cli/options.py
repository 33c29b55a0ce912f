"""How options with several values and numbers are read from text."""

from __future__ import annotations

from mated.errors import MatedError

__all__ = ["numbers", "words"]


def words(text: str | None) -> tuple[str, ...]:
    """Split at commas: `a,b` is two words."""
    return () if text is None else tuple(word.strip() for word in text.split(",") if word.strip())


def numbers(text: str | None, option: str) -> tuple[float, ...]:
    """Split at commas and read numbers; whole numbers stay whole, so thresholds print as they were written."""
    values: list[float] = []
    if text is not None and not words(text):
        raise MatedError(f"{option} takes numbers separated by commas, and none is given")
    for word in words(text):
        try:
            values.append(int(word) if word.lstrip("+-").isdigit() else float(word))
        except ValueError:
            raise MatedError(f"{option} takes numbers separated by commas, and {word!r} is none") from None
    return tuple(dict.fromkeys(values))
