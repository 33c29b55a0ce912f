"""How values of a file are shown in messages: short, whatever they are."""

from __future__ import annotations

__all__ = ["in_short", "shortened"]

_LONGEST = 80


def in_short(value: object) -> str:
    """Return a value as Python writes it, a long one shortened."""
    return f"{value[:_LONGEST]!r}…" if isinstance(value, str) and len(value) > _LONGEST else shortened(repr(value))


def shortened(text: str) -> str:
    """Return a text, or the beginning of a long one: a damaged line may be one value of megabytes."""
    return text if len(text) <= _LONGEST + 2 else f"{text[:_LONGEST]}…"
