"""Curves against the discard fraction: the axes, lines and bands that all of them share, and the plain figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from matplotlib.lines import Line2D

from mated.errors import MatedError
from mated.plots.bands import shade
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.plain_curves import band_entry, check_names
from mated.plots.style import axes_or_new, dress, line_style
from mated.plots.text import display_names, outside_math
from mated.plots.thinning import visible_points
from mated.plots.ticks import plain_axis, span_with_margin
from mated.quality.curve import check_range
from mated.scores.discard_order import check_limit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mated.plots.plain_curves import Interval
    from mated.quality.curve import DiscardCurve

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "LONG_NAMES",
    "add_bands",
    "as_bands",
    "check_curves",
    "draw_discard_curves",
    "draw_lines",
    "mark_area",
    "right_end",
    "set_discard_axes",
]

LONG_NAMES = {"FNMR": "False non-match rate", "FMR": "False match rate"}
"""Rates in full, as the axes of other figures have them."""

_AREA_COLOR = "#8A8A8A"


def draw_discard_curves(
    curves: Mapping[str, DiscardCurve],
    *,
    ax: Axes | None = None,
    limit: float | None = None,
    area: tuple[float, float] | None = None,
    bands: Mapping[str, Interval] | None = None,
    level: float = 0.95,
) -> Axes:
    """Draw a quantity against the discard fraction: CS-DC, d′-DC or FC-EDC (Schlett et al. 2023, Figures 14 to 16).

    Steps are drawn as steps and straight lines as lines, as each curve was computed.

    Parameters
    ----------
    curves
        Curves of one quantity by the name of their quality algorithm.
    limit
        The discard fraction at which the picture ends; None for all that is known.
    area
        The discard fractions between which areas are taken, marked by upright lines.
    bands
        For some of the names (discard fractions, low, high), shaded behind the curve; between the fractions the ends
        are straight.
    level
        The level of the bands, for the legend.
    """
    first = check_curves(curves)
    ends = as_bands(bands, curves)
    ax, made = axes_or_new(ax)
    right = right_end(curves, limit)
    low, high = _visible_span(curves, ends, right)
    rate = first.quantity.startswith(tuple(LONG_NAMES))
    set_discard_axes(ax, first, right, (0.0, max(1.06 * high, 1e-12)) if rate else span_with_margin(low, high))
    lines = draw_lines(ax, curves, right)
    avoid = add_bands(ax, ends, lines)
    handles: list[Artist] = [*lines.values()]
    names = display_names(curves)
    if ends:
        handle, words = band_entry([lines[name].get_color() for name in ends], level, bars=False)
        handles, names = [*handles, handle], [*names, words]
    if area is not None:
        handles.append(mark_area(ax, area))
        names.append(f"area from {area[0]:g} to {area[1]:g}")
    legend_in_corner_or_beside(
        ax, handles, names, "upper right", "lower right", "upper left", "lower left", widen=made, avoid=avoid
    )
    return ax


def check_curves(curves: Mapping[str, DiscardCurve]) -> DiscardCurve:
    """Refuse curves that do not belong on the same axes; return the first."""
    if not curves:
        raise MatedError("there is no curve to draw; give at least one")
    first = next(iter(curves.values()))
    for name, curve in curves.items():
        if (curve.quantity, curve.axis) != (first.quantity, first.axis):
            raise MatedError(
                f"one figure holds curves of one quantity: the first shows {first.quantity} over {first.axis} "
                f"discarded, and that of {name!r} {curve.quantity} over {curve.axis}"
            )
    return first


def right_end(curves: Mapping[str, DiscardCurve], limit: float | None) -> float:
    """Return the discard fraction at which the picture ends."""
    known = max(curve.end for curve in curves.values())
    if limit is None:
        return known
    check_limit(limit)
    return min(limit, known)


def set_discard_axes(ax: Axes, curve: DiscardCurve, right: float, limits: tuple[float, float]) -> None:
    """Set limits, ticks and labels for curves of this quantity."""
    ax.set_xscale("linear")
    ax.set_yscale("linear")
    ax.set(xlim=(0.0, right), ylim=limits)
    dress(ax, x_label="", y_label="")
    plain_axis(ax.xaxis, f"Fraction of {curve.axis} discarded")
    name = LONG_NAMES.get(curve.quantity, curve.quantity)
    plain_axis(ax.yaxis, name[:1].upper() + name[1:] if name[1:2].isalpha() else name)  # d′ is no word


def draw_lines(ax: Axes, curves: Mapping[str, DiscardCurve], right: float, **look: Any) -> dict[str, Line2D]:
    """Draw each curve corner by corner up to the end of the axis; return the lines by name."""
    lines = {}
    names = display_names(curves)
    for index, (key, curve) in enumerate(curves.items()):
        x, y = visible_points(ax, *curve.corners(right))
        label = outside_math(names[index])
        (lines[key],) = ax.plot(x, y, **({**line_style(index), "solid_capstyle": "butt", "label": label} | look))
    return lines


def as_bands(bands: Mapping[str, Interval] | None, curves: Iterable[str]) -> dict[str, tuple[Floats, Floats, Floats]]:
    """Return discard fractions, low and high ends as arrays, or refuse what cannot be drawn."""
    check_names("a band", bands or (), curves)
    result = {}
    for name, ends in (bands or {}).items():
        try:
            discard, low, high = (np.asarray(part, dtype=np.float64) for part in ends)
        except (TypeError, ValueError):
            raise MatedError(f"the band of {name!r} needs discard fractions, low ends and high ends") from None
        if not (discard.ndim == 1 and discard.shape == low.shape == high.shape and len(discard) > 1):
            raise MatedError(f"the band of {name!r} needs a low and a high end for each of its discard fractions")
        if not all(np.isfinite(part).all() for part in (discard, low, high)) or np.any(np.diff(discard) < 0):
            raise MatedError(f"the band of {name!r} needs ascending discard fractions and ends that are numbers")
        if np.any(low > high):
            raise MatedError(f"the band of {name!r} has a low end above its high end; give the low ends first")
        result[name] = discard, low, high
    return result


def add_bands(
    ax: Axes, ends: Mapping[str, tuple[Floats, Floats, Floats]], lines: Mapping[str, Line2D]
) -> list[Artist | None]:
    """Shade each band in the colour of its curve."""
    return [shade(ax, (x, low), (x, high), lines[name].get_color()) for name, (x, low, high) in ends.items()]


def mark_area(ax: Axes, area: tuple[float, float]) -> Line2D:
    """Draw an upright line at each end of the range of an area that is inside the picture; return a legend handle."""
    check_range(*area)
    look: dict[str, Any] = {"color": _AREA_COLOR, "linewidth": 1.0, "linestyle": "solid"}
    for end in area:
        if 0 < end < ax.get_xlim()[1]:
            ax.axvline(end, **look, label="_area", zorder=2.2)
    return Line2D([], [], **look)


def _visible_span(
    curves: Mapping[str, DiscardCurve], ends: Mapping[str, tuple[Floats, Floats, Floats]], right: float
) -> tuple[float, float]:
    shown: list[Floats] = [curve.corners(right)[1] for curve in curves.values()]
    for discard, low, high in ends.values():
        inside = discard <= right
        shown += [low[inside], high[inside]]
    return _extreme(shown, np.min), _extreme(shown, np.max)


def _extreme(rows: Collection[Floats], of: Any) -> float:
    return float(of([of(row) for row in rows if len(row)]))
