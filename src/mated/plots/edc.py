"""The error-versus-discard characteristic: an error rate against the fraction of comparisons discarded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from matplotlib.patches import Patch, Polygon

from mated.errors import MatedError
from mated.plots.bands import shade
from mated.plots.discard_curves import (
    LONG_NAMES,
    add_bands,
    as_bands,
    check_curves,
    draw_lines,
    mark_area,
    right_end,
    set_discard_axes,
)
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.plain_curves import band_entry
from mated.plots.style import FRAME_COLOR, axes_or_new
from mated.plots.text import display_names
from mated.plots.thinning import visible_points
from mated.quality.edc import ErrorCurve
from mated.quality.reference_lines import attainable_best, theoretical_best

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

    from mated.plots.plain_curves import Interval
    from mated.quality.curve import DiscardCurve
    from mated.quality.reference_lines import RandomCurves

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["Reference", "draw_edc"]

Reference: TypeAlias = Literal["theoretical best", "attainable best", "constant"]
"""max(0, e₀ − d), (e₀ − d)/(1 − d) in real steps, and e₀ itself."""

_AREA_COLOR = "#BBBBBB"
_LOOKS: dict[str, dict[str, Any]] = {
    "theoretical best": {"linestyle": (0, (5, 2.2)), "linewidth": 1.1, "color": FRAME_COLOR},
    "attainable best": {"linestyle": "solid", "linewidth": 0.9, "color": FRAME_COLOR},
    "constant": {"linestyle": (0, (1.2, 1.6)), "linewidth": 1.2, "color": FRAME_COLOR},
}
_RANDOM: dict[str, Any] = {"linestyle": (0, (6, 1.6, 1.2, 1.6)), "linewidth": 1.1, "color": "#7F7F7F"}


def draw_edc(
    curves: Mapping[str, DiscardCurve],
    *,
    ax: Axes | None = None,
    limit: float | None = None,
    area: tuple[float, float] | None = None,
    shaded: str | None = None,
    references: Collection[Reference] = ("theoretical best", "constant"),
    random: RandomCurves | None = None,
    bands: Mapping[str, Interval] | None = None,
    level: float = 0.95,
) -> Axes:
    """Draw FNM-EDCs or FM-EDCs of one starting error (Schlett et al. 2023, Figures 1 to 3, 6 and 12).

    Steps are drawn as steps and straight lines as lines, as each curve was computed.

    Parameters
    ----------
    curves
        Curves by the name of their quality algorithm.
    limit
        The discard fraction at which the picture ends; None for all that is known, where few comparisons are left and
        rates may soar.
    area
        Discard fractions (low, high) between which the area of one curve less that under the theoretical best is
        filled.
    shaded
        The algorithm whose area that is; None for the smallest.
    references
        Lines to compare with; "attainable best" needs an `ErrorCurve`.
    random
        Curves of random qualities: their mean, and twice their standard deviation to both sides as a grey band.
    bands
        For some of the names (discard fractions, low, high), shaded behind the curve.
    level
        The level of the bands, for the legend.
    """
    first = check_curves(curves)
    if first.quantity not in LONG_NAMES:
        raise MatedError(f"an error-versus-discard figure shows FNMR or FMR, and these curves show {first.quantity}")
    if references and any(not np.isclose(curve.start, first.start, rtol=1e-9) for curve in curves.values()):
        raise MatedError("the curves begin at different errors, so they have no reference lines in common")
    ends = as_bands(bands, curves)
    ax, made = axes_or_new(ax)
    right = right_end(curves, limit)
    set_discard_axes(ax, first, right, (0.0, 1.06 * _highest(curves, ends, right)))
    lines = draw_lines(ax, curves, right)
    handles: list[Artist] = [*lines.values()]
    names = display_names(curves)
    avoid = add_bands(ax, ends, lines)
    if ends:
        handle, words = band_entry([lines[name].get_color() for name in ends], level, bars=False)
        handles, names = [*handles, handle], [*names, words]
    if random is not None:
        handles += _draw_random(ax, random, right)
        names += [f"random qualities, mean of {random.curves}", "± 2 standard deviations"]
    for reference in references:
        line, words = _draw_reference(ax, reference, curves, right)
        handles, names = [*handles, line], [*names, words]
    if area is not None:
        mark_area(ax, area)
        name, patch = _fill_area(ax, curves, area, shaded, right)
        short = display_names(curves)[list(curves).index(name)]
        handles, names = [*handles, patch], [*names, f"area of {short} above the best"]
    legend_in_corner_or_beside(ax, handles, names, "upper right", widen=made, avoid=avoid)
    return ax


def _highest(
    curves: Mapping[str, DiscardCurve], ends: Mapping[str, tuple[Floats, Floats, Floats]], right: float
) -> float:
    shown = [float(curve.corners(right)[1].max()) for curve in curves.values()]
    shown += [float(high[x <= right].max(initial=0.0)) for x, _, high in ends.values()]
    return max(*shown, 1e-12)


def _draw_reference(
    ax: Axes, reference: Reference, curves: Mapping[str, DiscardCurve], right: float
) -> tuple[Line2D, str]:
    if reference not in _LOOKS:
        known = ", ".join(repr(name) for name in _LOOKS)
        raise MatedError(f"there is no reference line {reference!r}; the lines are {known}")
    first = next(iter(curves.values()))
    if reference == "theoretical best":
        x = np.array([0.0, min(first.start, right), right])
        y, words = theoretical_best(first.start, x), "theoretical best"
    elif reference == "constant":
        x = np.array([0.0, right])
        y, words = np.full(2, first.start), f"starting error {first.start:.4g}"
    else:
        counted = next((curve for curve in curves.values() if isinstance(curve, ErrorCurve)), None)
        if counted is None:
            raise MatedError("the attainable best needs the numbers of errors and comparisons: give an ErrorCurve")
        best = attainable_best(counted.starting, among=counted.among, interpolation=counted.interpolation)
        x, y = visible_points(ax, *best.corners(right))
        words = "attainable best"
    (line,) = ax.plot(x, y, **_LOOKS[reference], label=f"_{reference}", zorder=2.4)
    return line, words


def _draw_random(ax: Axes, random: RandomCurves, right: float) -> list[Artist]:
    inside = random.discard <= right
    x, mean, apart = random.discard[inside], random.mean[inside], 2 * random.deviation[inside]
    (line,) = ax.plot(*visible_points(ax, x, mean), **_RANDOM, label="_random", zorder=2.4)
    shade(ax, (x, mean - apart), (x, mean + apart), _RANDOM["color"])
    color = _RANDOM["color"]
    return [line, Patch(facecolor=(color, 0.2), edgecolor=(color, 0.4), linewidth=0.5)]


def _fill_area(
    ax: Axes, curves: Mapping[str, DiscardCurve], area: tuple[float, float], shaded: str | None, right: float
) -> tuple[str, Patch]:
    """Fill what lies between a curve and the theoretical best; return whose area it is, and a legend handle."""
    low, high = area
    if shaded is None:
        shaded = min(curves, key=lambda name: curves[name].area(high, low))
    elif shaded not in curves:
        raise MatedError(f"there is no curve {shaded!r} to shade; the curves are {', '.join(map(repr, curves))}")
    if low >= right:
        raise MatedError(f"the picture ends at discard fraction {right:g}, and the area begins at {low:g}; show more")
    curve, end = curves[shaded], min(high, right)
    x, y = curve.corners(end)
    inside = x > low
    x, y = np.concatenate([[low], x[inside]]), np.concatenate([[curve(low)], y[inside]])
    x, y = visible_points(ax, x, y)
    below = np.array([end, *([curve.start] if low < curve.start < end else []), low])
    outline = np.column_stack([np.concatenate([x, below]), np.concatenate([y, theoretical_best(curve.start, below)])])
    # Hatched, so that it is not taken for a confidence band.
    look: dict[str, Any] = {
        "facecolor": (_AREA_COLOR, 0.3),
        "edgecolor": _AREA_COLOR,
        "hatch": "////",
        "linewidth": 0.0,
    }
    ax.add_artist(Polygon(outline, **look, label="_pauc", zorder=1.5))
    return shaded, Patch(**look)
