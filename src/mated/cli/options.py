"""Options that commands share, and how those with several values and numbers are read from text."""

from __future__ import annotations

from typing import Annotated

import typer

from mated.errors import MatedError

__all__ = ["Json", "Level", "PlotFolder", "PlotFormats", "Seed", "figure_formats", "numbers", "whole_numbers", "words"]

_OUTPUT, _SURE = "What to leave behind", "How sure it is"

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.", rich_help_panel=_OUTPUT)]
PlotFolder = Annotated[
    str | None, typer.Option(metavar="DIR", help="Write figures into this folder.", rich_help_panel=_OUTPUT)
]
PlotFormats = Annotated[
    str, typer.Option(metavar="svg,pdf,png", help="Formats of the figures.", rich_help_panel=_OUTPUT)
]
Level = Annotated[float, typer.Option(help="Confidence level of the intervals.", rich_help_panel=_SURE)]
Seed = Annotated[int, typer.Option(help="Seed of the random draws.", rich_help_panel=_SURE)]


def words(text: str | None) -> tuple[str, ...]:
    """Split at commas: `a,b` is two words."""
    return () if text is None else tuple(word.strip() for word in text.split(",") if word.strip())


def figure_formats(folder: str | None, text: str) -> tuple[str, ...]:
    """Split the formats of the figures, and refuse unknown ones before any work where figures are to be written."""
    formats = words(text)
    if folder is not None:
        from mated.plots.save import check_formats

        check_formats(formats)
    return formats


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    """Read whole numbers separated by commas; 1e6 is one."""
    values = numbers(text, option)
    for value in values:
        if value != int(value):
            raise MatedError(f"{option} takes whole numbers, and {value:g} is none")
    return tuple(int(value) for value in values)


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
