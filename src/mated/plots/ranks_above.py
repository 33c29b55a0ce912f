"""How sure it is that one quality algorithm ranks above another: a small matrix of probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from mated.errors import MatedError
from mated.plots.style import LABEL_SIZE, PALETTE, SMALL_SIZE, axes_or_new, dress
from mated.plots.text import display_names
from mated.plots.ticks import name_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["draw_ranks_above"]

_MOST_CHARACTERS = 24
_CELL = 0.62  # inches
_CHARACTER_INCHES = 0.065
_SHADES = LinearSegmentedColormap.from_list("above", [PALETTE[1], "#FFFFFF", PALETTE[0]])
_STRENGTH = 0.85  # of the full colours, so that numbers stay readable on them


def draw_ranks_above(names: Sequence[str], probability: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw for each pair of algorithms the probability that the one in the row ranks above that in the column.

    Blue where the row is above, vermilion where it is below, white where it is open.

    Parameters
    ----------
    names
        The algorithms, best first if they are ranked.
    probability
        A square table; row i, column k is the probability that i ranks above k. The diagonal is not read.
    """
    table = np.asarray(probability, dtype=np.float64)
    count = len(names)
    if count < 2 or table.shape != (count, count):
        raise MatedError(
            f"give two names or more and a square table for them, not {count} names and the shape {table.shape}"
        )
    off = ~np.eye(count, dtype=bool)
    if not np.all((table[off] >= 0) & (table[off] <= 1)):
        raise MatedError("a probability lies between 0 and 1, and one of these does not")
    short = display_names(names, _MOST_CHARACTERS)
    room = _CHARACTER_INCHES * max(map(len, short))
    ax, _ = axes_or_new(ax, 1.1 + room + _CELL * count, 0.9 + 0.7 * room + _CELL * count)
    shown = np.where(off, 0.5 + _STRENGTH * (table - 0.5), 0.5)
    ax.set_xscale("linear")
    ax.set_yscale("linear")
    ax.imshow(shown, cmap=_SHADES, vmin=0.0, vmax=1.0, aspect="equal", interpolation="nearest", zorder=1)
    ax.set(xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5))
    dress(ax, x_label="… ranks above", y_label="Probability that …")
    ax.grid(visible=False)
    name_ticks(ax, "x", short)
    name_ticks(ax, "y", short)
    ax.tick_params(length=0)
    for edge in np.arange(count + 1) - 0.5:
        ax.axhline(edge, color="white", linewidth=1.5, label="_edge", zorder=2)
        ax.axvline(edge, color="white", linewidth=1.5, label="_edge", zorder=2)
    for row in range(count):
        for column in range(count):
            text = _written(float(table[row, column])) if row != column else "–"
            size = LABEL_SIZE if row != column else SMALL_SIZE
            ax.text(column, row, text, ha="center", va="center", fontsize=size, color="black", zorder=3)
    return ax


def _written(share: float) -> str:
    """Write a probability with two decimals, but never one that is not certain as 0 or 1."""
    if 0 < share < 0.005:
        return "<.01"
    if 0.995 <= share < 1:
        return ">.99"
    return f"{share:.2f}"
