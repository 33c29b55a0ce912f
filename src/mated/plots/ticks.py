"""Ticks with plain numbers of equal decimals, and ticks that are names."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.ticker import Formatter, MaxNLocator, NullLocator

from mated.plots.style import SMALL_SIZE, rate_label
from mated.plots.text import draw_literally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

__all__ = ["PlainFormatter", "name_ticks", "plain_axis", "span_with_margin", "unit_of"]

_CHARACTER_WIDTH = 0.55  # of the font size, on average
_LONG_NAME = 16


class PlainFormatter(Formatter):
    """Numbers with as many decimals as the finest of them needs, in multiples of a unit, never with an offset."""

    def __init__(self, unit: float = 1.0, suffix: str = "") -> None:
        self._unit = unit
        self._suffix = suffix

    def __call__(self, x: float, pos: Any = None) -> str:
        """Return the label of one tick."""
        return self.format_ticks([x])[0]

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Return the labels of all ticks."""
        largest = max((abs(value) / self._unit for value in values), default=0.0)
        # Twelve digits of the largest number: what lies beyond them is noise of the tick's arithmetic.
        finest = 12 if largest == 0 else 11 - int(np.floor(np.log10(largest)))
        exact = [Decimal(repr(round(float(value / self._unit), finest))).normalize() for value in values]
        decimals = max((-int(number.as_tuple().exponent) for number in exact), default=0)
        return [_minus(f"{number + 0:.{max(decimals, 0)}f}") + self._suffix for number in exact]


def plain_axis(axis: Axis, label: str, *, percent: bool = False, ticks: int = 6) -> None:
    """Give an axis whose limits are set round ticks and its label, very small or large numbers in powers of ten."""
    largest = max(abs(limit) for limit in axis.get_view_interval())
    unit = unit_of(100 * largest if percent else largest)
    axis.set_major_locator(MaxNLocator(nbins=ticks, steps=[1, 2, 2.5, 5, 10]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(PlainFormatter(unit / 100 if percent else unit, " %" if percent and unit == 1 else ""))
    if unit != 1:
        label = f"{label} (×{rate_label(unit)}{' %' if percent else ''})"
    draw_literally(axis.label)
    axis.label.set_text(label)


def unit_of(largest: float) -> float:
    """Return 1, or the power of ten in which numbers up to `largest` are short to write."""
    exponent = int(np.floor(np.log10(largest) + 1e-9)) if largest > 0 else 0
    return 1.0 if -4 < exponent < 6 else float(f"1e{exponent}")


def span_with_margin(low: float, high: float, margin: float = 0.06) -> tuple[float, float]:
    """Return limits somewhat wider than a range, also where the range is a single number."""
    span = high - low
    if span <= 1e-9 * max(abs(low), abs(high)):
        span = 0.1 * max(abs(low), abs(high)) or 1e-3
        return low - span, high + span
    return low - margin * span, high + margin * span


def name_ticks(ax: Axes, which: Literal["x", "y"], names: Sequence[str]) -> None:
    """Put names at 0, 1, 2, … of an axis, as written; below the axes they are slanted where they would touch."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_ticks(range(len(names)), list(names))
    room = ax.get_window_extent().width * 72 / ax.figure.dpi / max(len(names), 1)
    longest = max(len(name) for name in names)
    slanted = which == "x" and longest * _CHARACTER_WIDTH * SMALL_SIZE > 0.9 * room
    angle = 35 if longest <= _LONG_NAME else 60
    for text in axis.get_ticklabels():
        draw_literally(text)
        if slanted:
            text.set(rotation=angle, rotation_mode="anchor", horizontalalignment="right", verticalalignment="center")


def _minus(text: str) -> str:
    return text.replace("-", "−")
