"""Two curves of each quality algorithm on one figure: stepwise and linear, or of raw and of normalised qualities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from mated.errors import MatedError
from mated.plots.discard_curves import LONG_NAMES, check_curves, draw_lines, mark_area, right_end, set_discard_axes
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.marks import as_points
from mated.plots.style import FRAME_COLOR, LINE_WIDTH, PALETTE, axes_or_new
from mated.plots.text import display_names
from mated.plots.ticks import span_with_margin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from mated.plots.marks import Points
    from mated.quality.curve import DiscardCurve

__all__ = ["draw_curve_pairs"]

_LOOKS: tuple[dict[str, Any], dict[str, Any]] = (
    {"linestyle": "solid", "linewidth": LINE_WIDTH},
    {"linestyle": (0, (4, 1.6)), "linewidth": 1.1},
)
_MARKERS = ("o", "s")


def draw_curve_pairs(
    first: Mapping[str, DiscardCurve],
    second: Mapping[str, DiscardCurve],
    *,
    words: tuple[str, str],
    ax: Axes | None = None,
    limit: float | None = None,
    area: tuple[float, float] | None = None,
    marks: tuple[Points, Points] | None = None,
) -> Axes:
    """Draw two curves of each algorithm: one colour an algorithm, solid for the first and dashed for the second.

    Schlett et al. (2023), Figures 5 (stepwise and linear) and 9 (raw and normalised qualities).

    Parameters
    ----------
    first, second
        Curves by the name of their algorithm, the same names in both.
    words
        What the first and the second are, for the legend.
    limit
        The discard fraction at which the picture ends; None for all that is known.
    area
        The discard fractions between which areas are taken, marked by upright lines.
    marks
        Points of the first and of the second to set a ring and a square at, such as where curves cross.
    """
    if set(first) != set(second):
        raise MatedError(
            f"every algorithm needs both curves: the first are of {', '.join(map(repr, first)) or 'none'} "
            f"and the second of {', '.join(map(repr, second)) or 'none'}"
        )
    every = {(name, place): some[name] for place, some in enumerate((first, second)) for name in first}
    kind = check_curves({f"{name}, {words[place]}": curve for (name, place), curve in every.items()})
    ax, made = axes_or_new(ax)
    right = right_end(first, limit)
    shown = [curve.corners(right)[1] for curve in every.values()]
    low, high = min(float(y.min()) for y in shown), max(float(y.max()) for y in shown)
    rate = kind.quantity.startswith(tuple(LONG_NAMES))
    set_discard_axes(ax, kind, right, (0.0, max(1.06 * high, 1e-12)) if rate else span_with_margin(low, high))
    for index, name in enumerate(first):
        color = PALETTE[index % len(PALETTE)]
        for place, (curve, look) in enumerate(zip((first[name], second[name]), _LOOKS, strict=True)):
            draw_lines(ax, {name: curve}, right, color=color, zorder=3.0 + 0.1 * place, **look)
    handles: list[Artist] = [Line2D([], [], color=PALETTE[k % len(PALETTE)], linewidth=4) for k in range(len(first))]
    handles += [Line2D([], [], color=FRAME_COLOR, **look) for look in _LOOKS]
    names = [*display_names(first), *words]
    if area is not None:
        handles.append(mark_area(ax, area))
        names.append(f"area from {area[0]:g} to {area[1]:g}")
    if marks is not None:
        for points, marker, word in zip(marks, _MARKERS, words, strict=True):
            xy = as_points(points)
            if not len(xy):
                continue
            look = {"linestyle": "none", "marker": marker, "markersize": 6.5, "markerfacecolor": "white"}
            look |= {"markeredgecolor": "black", "markeredgewidth": 1.1}
            ax.plot(xy[:, 0], xy[:, 1], **look, label="_mark", zorder=4)
            handles.append(Line2D([], [], **look))
            names.append(f"crossing, {word}")
    avoid = ax.get_lines()
    legend_in_corner_or_beside(ax, handles, names, "upper right", "lower left", widen=made, avoid=avoid)
    return ax
