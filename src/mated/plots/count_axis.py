"""Axes of ranks and gallery sizes: whole numbers, often over many powers of ten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import Formatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from mated.plots.roc import round_start
from mated.plots.style import SMALL_SIZE, decade_at_or_below, rate_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CountFormatter", "set_count_limits", "set_rate_limits"]

_MARGIN = 0.025  # of the axis, so that nothing of rank 1 lies on the frame
_CHARACTER_WIDTH = 0.58  # of the font size, on average
_GAP = 6.0  # points between labels
_LARGEST_PLAIN = 1_000_000


class CountFormatter(Formatter):
    """Whole numbers as 1,000, or those above 10 as powers of ten."""

    def __init__(self, *, powers: bool = False) -> None:
        self._powers = powers

    def __call__(self, x: float, pos: Any = None) -> str:
        """Return the label of one tick."""
        count = round(x)
        if not self._powers or count <= 10:
            return f"{count:,}"
        power = decade_at_or_below(count)
        return rate_label(power) if count == power else f"{count / power:.6g}×{rate_label(power)}"


class _WholeLogLocator(LogLocator):
    def tick_values(self, vmin: float, vmax: float) -> Any:
        ticks = np.asarray(super().tick_values(vmin, vmax))
        return ticks[ticks >= 1]


class _WholeLocator(MaxNLocator):
    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Put the first tick at 1, as there is no rank 0."""
        return np.unique(np.maximum(np.asarray(super().tick_values(vmin, vmax)), 1))


def set_count_limits(ax: Axes, smallest: float, largest: float, *, log: bool) -> None:
    """Set a horizontal axis of whole numbers with a margin on both sides, and ticks whose labels do not touch."""
    largest = max(largest, smallest + 1)
    ax.set_xscale("log" if log else "linear")
    if not log:
        margin = _MARGIN * (largest - smallest)
        ax.set_xlim(smallest - margin, largest + margin)
        ax.xaxis.set_major_locator(_WholeLocator(nbins=8, steps=[1, 2, 5, 10], integer=True))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(CountFormatter())
        return
    decades = float(np.log10(largest / smallest))
    margin = 10.0 ** (_MARGIN * decades)
    ax.set_xlim(smallest / margin, largest * margin)
    room = ax.get_window_extent().width * 72 / ax.figure.dpi / (decades * (1 + 2 * _MARGIN))
    powers = largest > _LARGEST_PLAIN or room < _width(f"{largest:,.0f}")
    # The ticks 1, 2 and 5 are a factor of 2 apart where they are closest.
    fits = room * np.log10(2) >= _width("2×10⁶" if powers else f"{largest:,.0f}")
    locator = _WholeLogLocator(base=10, subs=(1, 2, 5) if fits else (1,), numticks=12)
    # Within a power of ten these may be none.
    ax.xaxis.set_major_locator(locator if decades > 1 else _WholeLocator(nbins=5, steps=[1, 2, 5, 10], integer=True))
    ax.xaxis.set_minor_locator(_WholeLogLocator(base=10, subs=tuple(range(2, 10)), numticks=100))
    ax.xaxis.set_major_formatter(CountFormatter(powers=powers))
    ax.xaxis.set_minor_formatter(NullFormatter())


def set_rate_limits(ax: Axes, lowest: float) -> None:
    """Let a vertical axis of rates begin at a round number below the lowest, as that of a logarithmic ROC does."""
    ax.set_ylim(round_start(lowest), 1.0)
    ax.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))


def _width(label: str) -> float:
    return _CHARACTER_WIDTH * SMALL_SIZE * len(label) + _GAP
