"""How far a ranking of quality algorithms depends on the starting error and on the discard limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from matplotlib.patches import Patch

from mated.errors import MatedError
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.sequential import PALE_TO_DARK, add_color_scale, add_steps_key, sequential_colors
from mated.plots.style import FRAME_COLOR, LINE_WIDTH, axes_or_new, dress, line_style
from mated.plots.text import display_names, draw_literally, outside_math, shorten
from mated.plots.ticks import plain_axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from mated.quality.stability import RankingGrid

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["draw_placements", "draw_ranking_divergence", "draw_ranking_map"]

_LIMIT = "Discard limit of the area"
_STARTING = "Starting error"
_MOST_MARKED = 40
_OPACITY = 0.13


def draw_ranking_divergence(
    grid: RankingGrid, *, expected: ArrayLike | None = None, ax: Axes | None = None, top: float | None = None
) -> Axes:
    """Draw how far rankings are from the mean ranking, or from an expected one, over the discard limit.

    One curve a starting error, dark for the lowest (Schlett et al. 2023, Figures 10, 11 and 13).

    Parameters
    ----------
    grid
        Rankings over starting errors and limits.
    expected
        The expected ranking, one number an algorithm, lower being better; None for the mean ranking.
    top
        The upper end of the vertical axis, to compare figures.
    """
    apart = grid.divergence(expected)
    ax, _ = axes_or_new(ax)
    limits = _limits(grid)
    ax.set_xscale("linear")
    ax.set_yscale("linear")
    ax.set(xlim=_around(limits), ylim=(0.0, top or 1.06 * max(float(apart.max()), 1e-3)))
    dress(ax, x_label="", y_label="")
    plain_axis(ax.xaxis, _LIMIT)
    plain_axis(ax.yaxis, _divergence_words(expected))
    colors = sequential_colors(len(apart))
    marker = "o" if len(limits) <= _MOST_MARKED else "none"
    for row, color, start in zip(apart, colors, grid.starting, strict=True):
        look: dict[str, Any] = {"color": color, "linewidth": 1.3, "marker": marker, "markersize": 3}
        ax.plot(limits, row, **look, label=f"{start.value:.3g}", zorder=3)
    add_steps_key(ax, colors, [f"{start.value:.3g}" for start in grid.starting], _STARTING)
    return ax


def draw_ranking_map(
    grid: RankingGrid,
    *,
    algorithm: str | None = None,
    expected: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw every configuration as a cell: starting errors upwards, discard limits to the right.

    Parameters
    ----------
    algorithm
        Whose placement, from 1 (best) to the number of algorithms, is shown; None for the divergence of the ranking.
    expected
        The expected ranking that the divergence is from; None for the mean ranking.
    """
    if algorithm is None:
        values, words, span = grid.divergence(expected), _divergence_words(expected), None
    elif algorithm in grid.algorithms:
        count = len(grid.algorithms)
        values = 1 + (count - 1) * grid.relative[grid.algorithms.index(algorithm)]
        words, span = f"Placement of {shorten(algorithm, 30)} (1: best)", (1.0, float(count))
    else:
        known = ", ".join(map(repr, grid.algorithms))
        raise MatedError(f"there is no algorithm {algorithm!r} in the ranking; the algorithms are: {known}")
    ax, _ = axes_or_new(ax, 6.4, 3.6)
    limits, rows = _limits(grid), np.arange(len(grid.starting))
    ax.set_xscale("linear")
    ax.set_yscale("linear")
    low, high = span or (0.0, max(float(values.max()), 1e-3))
    cells = ax.pcolormesh(_edges(limits), _edges(rows), values, cmap=PALE_TO_DARK, vmin=low, vmax=high, zorder=1)
    dress(ax, x_label="", y_label=_STARTING)
    plain_axis(ax.xaxis, _LIMIT)
    ax.grid(visible=False)
    ax.set_yticks(rows, [f"{start.value:.3g}" for start in grid.starting])
    scale = add_color_scale(ax, cells, words)
    draw_literally(scale.ax.yaxis.label)
    return ax


def draw_placements(grid: RankingGrid, *, ax: Axes | None = None) -> Axes:
    """Draw the placement of each algorithm over the discard limit: mean and range over the starting errors.

    Placements go from 1, the best, at the top, to the number of algorithms, and are as far apart as the areas are.
    """
    count = len(grid.algorithms)
    placed = 1 + (count - 1) * grid.relative
    limits = _limits(grid)
    ax, made = axes_or_new(ax)
    margin = 0.04 * (count - 1)
    ax.set_xscale("linear")
    ax.set_yscale("linear")
    ax.set(xlim=_around(limits), ylim=(count + margin, 1.0 - margin))
    dress(ax, x_label="", y_label="")
    plain_axis(ax.xaxis, _LIMIT)
    plain_axis(ax.yaxis, "Placement (1: best)")
    names = display_names(grid.algorithms)
    handles: list[Artist] = []
    for index, (name, rows) in enumerate(zip(names, placed, strict=True)):
        style = line_style(index) | {"linewidth": LINE_WIDTH + 0.2}
        handles += ax.plot(limits, rows.mean(axis=0), **style, label=outside_math(name))
        if len(rows) > 1 and len(limits) > 1:
            # Paler than confidence bands: at low limits all of them overlap.
            look: dict[str, Any] = {"color": style["color"], "alpha": _OPACITY, "linewidth": 0.0, "label": "_range"}
            ax.fill_between(limits, rows.min(axis=0), rows.max(axis=0), **look, zorder=2.0 + 0.01 * index)
    if len(grid.starting) > 1:
        handles.append(Patch(facecolor=(FRAME_COLOR, 0.18), edgecolor="none"))
        names = [*names, f"range over {len(grid.starting)} starting errors"]
    legend_in_corner_or_beside(ax, handles, names, widen=made)
    return ax


def _divergence_words(expected: ArrayLike | None) -> str:
    return f"Divergence from the {'mean' if expected is None else 'expected'} ranking"


def _limits(grid: RankingGrid) -> Floats:
    if np.any(np.diff(grid.limits) <= 0):
        raise MatedError("a figure over discard limits needs them in ascending order, each once")
    return grid.limits


def _around(limits: Floats) -> tuple[float, float]:
    """Return an axis that begins at 0 and leaves a margin on the right."""
    return 0.0, float(limits[-1]) * 1.03


def _edges(centres: Floats | NDArray[np.int64]) -> Floats:
    """Return the edges of cells around ascending places."""
    places = np.asarray(centres, dtype=np.float64)
    if len(places) == 1:
        half = 0.5 * (places[0] or 1.0)
        return np.array([places[0] - half, places[0] + half])
    middle = (places[1:] + places[:-1]) / 2
    return np.concatenate([[2 * places[0] - middle[0]], middle, [2 * places[-1] - middle[-1]]])
