"""The CMC: identification rate against rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.plots.bands import shade
from mated.plots.count_axis import set_count_limits, set_rate_limits
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.marks import as_points, draw_marks
from mated.plots.plain_curves import as_curves, as_intervals, as_ranks, band_entry
from mated.plots.style import axes_or_new, dress, line_style
from mated.plots.text import display_names, outside_math
from mated.plots.thinning import visible_points
from mated.plots.upright_bars import draw_upright_bars

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mated.plots.marks import Points
    from mated.plots.plain_curves import Curve, Interval

__all__ = ["draw_cmc"]

_MOST_BARS = 12
_MOST_DOTS = 12
_BAR_STEP = 5.0  # points between the bars of neighbouring curves


def draw_cmc(
    curves: Mapping[str, Curve],
    *,
    ax: Axes | None = None,
    log: bool = True,
    intervals: Mapping[str, Interval] | None = None,
    marks: Mapping[str, Points] | None = None,
    level: float = 0.95,
) -> Axes:
    """Draw the CMC of one or several systems, or a measured one and its prediction (Bolle et al. 2005, Figure 6).

    Ranks are whole numbers, so between neighbouring ranks the curve is a step. Where ranks are left out it is not known
    and the points on both sides, dots if they are few, are joined by a straight line. The vertical axis begins
    at a round number below the curves.

    Parameters
    ----------
    curves
        (ranks, rates) by the name of the system or group.
    log
        Whether ranks are on a logarithmic axis.
    intervals
        For some of the names, (ranks, low, high): error bars at up to twelve ranks, side by side where those of
        several systems overlap; a band at more.
    marks
        For some of the names, a point (rank, rate) or several to set a dot at.
    level
        The level of the intervals, for the legend.
    """
    if not curves:
        raise MatedError("there is no CMC to draw; give at least one")
    drawn = as_curves(curves, as_ranks)
    ends = as_intervals(intervals, curves, as_ranks)
    ax, made = axes_or_new(ax)
    marked = [as_points(points) for points in (marks or {}).values()]
    lowest = [float(rates.min()) for _, rates in drawn.values()] + [float(points[:, 1].min()) for points in marked]
    places = [ranks for ranks, *_ in (*drawn.values(), *ends.values())]
    set_rate_limits(ax, min(*lowest, 1.0, *(float(low.min()) for _, low, _ in ends.values())))
    set_count_limits(ax, *_span(places), log=log)
    dress(ax, x_label="Rank", y_label="Identification rate")
    names = display_names(curves)
    lines = []
    for index, (name, (ranks, rates)) in enumerate(zip(names, drawn.values(), strict=True)):
        dotted = len(ranks) == 1 or (len(ranks) <= _MOST_DOTS and bool(np.any(np.diff(ranks) > 1)))
        lines += ax.plot(
            *visible_points(ax, *_steps(ranks, rates)),
            **line_style(index),
            label=outside_math(name),
            marker="o" if dotted else "none",
            markersize=4,
            clip_on=False,
        )
    line_of = dict(zip(curves, lines, strict=True))
    avoid: list[Artist | None] = []
    bars = all(len(ranks) <= _MOST_BARS for ranks, _, _ in ends.values())
    places_of_bars = _side_by_side(ends) if bars else {}
    for name, (ranks, low, high) in ends.items():
        color = line_of[name].get_color()
        if bars:
            given = zip(ranks, low, high, strict=True)
            avoid += draw_upright_bars(ax, given, color, shift=_BAR_STEP * places_of_bars[name])
        else:
            avoid.append(shade(ax, _steps(ranks, low), _steps(ranks, high), color))
    if marks:
        draw_marks(ax, marks, line_of)
    handles: list[Artist] = [*lines]
    if ends:
        handle, words = band_entry([line_of[name].get_color() for name in ends], level, bars=bars)
        handles, names = [*handles, handle], [*names, words]
    legend_in_corner_or_beside(ax, handles, names, "lower right", widen=made, avoid=avoid)
    return ax


def _span(places: list[NDArray[np.float64]]) -> tuple[float, float]:
    return min(float(ranks[0]) for ranks in places), max(float(ranks[-1]) for ranks in places)


def _side_by_side(
    ends: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]],
) -> dict[str, int]:
    """Give each curve the first place to the right where its bars overlap no other; a step holds to the right, too."""
    taken: list[list[tuple[float, float, float]]] = []
    result = {}
    for name, columns in ends.items():
        bars = [(float(rank), float(low), float(high)) for rank, low, high in zip(*columns, strict=True)]
        free = (
            place
            for place, others in enumerate(taken)
            if not any(r == s and low <= top and bottom <= high for r, low, high in bars for s, bottom, top in others)
        )
        result[name] = next(free, len(taken))
        if result[name] == len(taken):
            taken.append([])
        taken[result[name]] += bars
    return result


def _steps(ranks: NDArray[np.float64], rates: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Add the corners of the steps between neighbouring ranks; a rate holds until the next rank."""
    before = np.flatnonzero((np.diff(ranks) == 1) & (np.diff(rates) != 0))
    return np.insert(ranks, before + 1, ranks[before + 1]), np.insert(rates, before + 1, rates[before])
