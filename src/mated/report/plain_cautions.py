"""Cautions as the page says them: of a forecast in fewer words, and of all systems at once where they are the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["of_a_forecast", "said_once"]

# What `mated.identification.resolution.forecast_caution` says; another text stays as it is.
_UNRESOLVED = re.compile(
    r"a gallery of [\d,]+ is larger than the scores of one subject resolve \(about (?P<limit>[\d,]+)\): "
    r"the forecast pools the tails of all probes, and the average ROC is an upper bound"
    r"(?P<beyond>; it lies beyond all (?P<scores>[\d,]+) non-mated scores and rests on how the tail goes on)?"
)


def of_a_forecast(caution: str | None) -> str | None:
    """Say in fewer words that a forecast rests on a model; the same for all galleries that do so alike."""
    return None if caution is None else _UNRESOLVED.sub(_in_plain_words, caution)


def _in_plain_words(found: re.Match[str]) -> str:
    limit, scores = (_grouped(found[name]) for name in ("limit", "scores"))
    said = f"it rests on a model of the rarest scores, as the data by themselves speak of galleries up to about {limit}"
    return said if not found["beyond"] else f"{said}; the gallery outnumbers all {scores} non-mated scores"


def _grouped(number: str | None) -> str:
    return "" if number is None else number.replace(",", "\u202f")


def said_once(remarks: Iterable[tuple[str, str]], systems: int) -> tuple[str, ...]:
    """Put the remarks about several systems together: what is true of all is said once, without a name."""
    about: dict[str, list[str]] = {}
    for name, remark in remarks:
        about.setdefault(remark, [])
        if name not in about[remark]:
            about[remark].append(name)
    return tuple(
        remark if len(names) == systems else f"{', '.join(names)}: {remark}" for remark, names in about.items()
    )
