"""Text that comes from a user: drawn as it is written, on one line, and no longer than there is room for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.text import Text

__all__ = ["display_names", "draw_literally", "one_line", "outside_math", "shorten"]


def one_line(text: str) -> str:
    """Replace line breaks and characters that no font and no XML file can hold."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in str(text))


def shorten(text: str, most: int = 40) -> str:
    """Cut the middle out of a text of more than `most` characters; names often differ at their ends."""
    text = one_line(text)
    if len(text) <= most:
        return text
    head = most // 2
    return f"{text[:head]}…{text[len(text) - (most - head - 1) :]}"


def display_names(names: Iterable[str], most: int = 40) -> list[str]:
    """Shorten names, and number those that have become the same."""
    short = [shorten(name, most) for name in names]
    total, seen, result = Counter(short), Counter[str](), []
    for name in short:
        seen[name] += 1
        result.append(f"{name} ({seen[name]})" if total[name] > 1 else name)
    return result


def outside_math(text: str) -> str:
    """Return a label that matplotlib shows as `text`, dollar signs included, in whatever legend it ends up."""
    return text.replace("$", r"\$")


def draw_literally(text: Text) -> None:
    """Keep matplotlib from reading formulas into a text."""
    text.set_parse_math(False)
    text.set_usetex(False)
