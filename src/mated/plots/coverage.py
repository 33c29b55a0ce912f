"""How often intervals of several methods hold the truth, over the cells of an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from mated.errors import MatedError
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.style import FRAME_COLOR, PALETTE, axes_or_new, dress
from mated.plots.text import display_names, outside_math
from mated.plots.ticks import name_ticks, plain_axis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

__all__ = ["draw_coverage"]

_MARKERS = ("o", "s", "^", "D", "v")
_MOST_CHARACTERS = 34
_STEP = 0.07  # between methods, in distances of cells, so that equal coverages stay apart
_WIDEST = 0.5


def draw_coverage(rows: Mapping[str, Mapping[str, float]], *, ax: Axes | None = None, nominal: float = 0.95) -> Axes:
    """Draw the coverage of interval methods over the cells of an experiment.

    The methods stand side by side at each cell. A cell that a method lacks is left out and its line broken.

    Parameters
    ----------
    rows
        For each method, the coverage between 0 and 1 by the name of the cell. Cells stand in the order in which
        they first occur.
    nominal
        The coverage aimed at, drawn as a line.
    """
    cells = list(dict.fromkeys(cell for coverages in rows.values() for cell in coverages))
    if not cells:
        raise MatedError("there is no coverage to draw; give at least one method with one cell")
    values = np.array([[coverages.get(cell, np.nan) for cell in cells] for coverages in rows.values()], dtype=float)
    if np.any((values < 0) | (values > 1)) or not 0 <= nominal <= 1:
        raise MatedError("a coverage lies between 0 and 1, and one of these does not")
    places = display_names(cells, _MOST_CHARACTERS)
    ax, made = axes_or_new(ax, max(6.0, min(1.5 + 0.55 * len(cells), 30.0)), 3.8 + 0.05 * max(map(len, places)))
    dress(ax, x_label="", y_label="")
    lowest = min(float(np.nanmin(values, initial=1.0)), nominal)
    span = max(1.0 - lowest, 0.02)
    ax.set(xlim=(-0.6, len(cells) - 0.4), ylim=(max(lowest - 0.06 * span, -0.02), 1.0 + 0.04 * span))
    plain_axis(ax.yaxis, "Coverage", percent=True, ticks=8)
    name_ticks(ax, "x", places)
    ax.grid(visible=False, axis="x")
    ax.axhline(nominal, color=FRAME_COLOR, linewidth=1.1, linestyle=(0, (5, 2.5)), label="_nominal", zorder=2.5)
    names = display_names(rows)
    step = min(_STEP, _WIDEST / max(len(names) - 1, 1))
    lines: list[Line2D] = []
    for index, (name, coverages) in enumerate(zip(names, values, strict=True)):
        lines += ax.plot(
            np.arange(len(cells)) + (index - (len(names) - 1) / 2) * step,
            coverages,
            color=PALETTE[index % len(PALETTE)],
            marker=_MARKERS[index % len(_MARKERS)],
            markersize=5.5,
            markeredgecolor="white",
            markeredgewidth=0.6,
            linestyle="solid",
            linewidth=0.8,
            label=outside_math(name),
            zorder=3,
        )
    aim = Line2D([], [], color=FRAME_COLOR, linewidth=1.1, linestyle=(0, (5, 2.5)))
    entries = [*names, f"nominal {100 * nominal:.6g} %"]
    legend_in_corner_or_beside(ax, [*lines, aim], entries, "lower right", widen=made)
    return ax
