"""The ROC: true match rate against false match rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from mated.errors import MatedError
from mated.plots.bands import check_bands, shade, with_bands
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.marks import as_points, draw_marks
from mated.plots.style import FRAME_COLOR, axes_or_new, decade_at_or_below, dress, line_style, log_rate_axis
from mated.plots.text import display_names, outside_math
from mated.plots.thinning import visible_points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mated.plots.bands import ConfidenceBand
    from mated.plots.marks import Points
    from mated.verification import RocCurve

__all__ = ["draw_roc", "log_fmr_start", "on_log_axis", "round_start", "set_log_limits"]

_GRID_POINTS_PER_DECADE = 64


def draw_roc(
    curves: Mapping[str, RocCurve],
    *,
    ax: Axes | None = None,
    log: bool = False,
    marks: Mapping[str, Points] | None = None,
    bands: Mapping[str, ConfidenceBand] | None = None,
) -> Axes:
    """Draw the ROC of one or several systems.

    Parameters
    ----------
    curves
        Curves by the name of their system or group.
    log
        Whether the false match rate is on a logarithmic axis. It then begins at the power of ten at or below the
        smallest positive rate, and the true match rate at a round number below the curves.
    marks
        For some of the names, a point (FMR, TMR) or several to set a dot at. A dot for FMR 0 on a
        logarithmic axis is drawn as a triangle at its left end.
    bands
        For some of the names, a confidence band of TMR over a grid of FMRs, shaded behind the curve. Between the
        points of the grid its ends are straight on paper. A grid of one FMR gives a bar (Wu 2008, Figure 2).
    """
    if not curves:
        raise MatedError("there is no ROC to draw; give at least one")
    ax, made = axes_or_new(ax, *((6.0, 4.2) if log else (4.8, 4.6)))
    bands = bands or {}
    check_bands(bands, curves)
    dress(ax, x_label="False match rate", y_label="True match rate")
    start = log_fmr_start(curve.fmr for curve in curves.values())
    if log:
        lowest = [float(as_points(points)[:, 1].min()) for points in (marks or {}).values()]
        lowest += [float(_from_start(band.fmr, band.low, start)[1].min(initial=1.0)) for band in bands.values()]
        set_log_limits(ax, start, min(*(float(curve(start)) for curve in curves.values()), 1.0, *lowest))
    else:
        ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
        ax.plot([0, 1], [0, 1], color=FRAME_COLOR, linewidth=0.7, linestyle=(0, (4, 4)), label="_chance", zorder=2)
    names = display_names(curves)
    lines = []
    for index, (name, curve) in enumerate(zip(names, curves.values(), strict=True)):
        x, y = on_log_axis(curve.fmr, curve.tmr, curve, start) if log else (curve.fmr, curve.tmr)
        x, y = visible_points(ax, x, y)
        lines += ax.plot(x, y, **line_style(index), label=outside_math(name), clip_on=False)
    line_of = dict(zip(curves, lines, strict=True))
    if marks:
        draw_marks(ax, marks, line_of, leftmost=start if log else None)
    shaded = []
    for name, band in bands.items():
        lower, upper = (_from_start(band.fmr, end, start if log else 0.0) for end in (band.low, band.high))
        shaded.append(shade(ax, lower, upper, line_of[name].get_color()))
    handles, entries = with_bands(lines, names, bands)
    legend_in_corner_or_beside(ax, handles, entries, "lower right", widen=made, avoid=shaded)
    return ax


def log_fmr_start(rates: Iterable[NDArray[np.float64]]) -> float:
    """Return the power of ten at or below the smallest positive rate, 0.1 at most."""
    smallest = min((float(some[some > 0].min(initial=1.0)) for some in rates), default=1.0)
    return min(decade_at_or_below(smallest), 0.1)


def _from_start(
    fmr: NDArray[np.float64], tmr: NDArray[np.float64], start: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the part of a line from FMR `start` on; where it begins before, its value there."""
    first = int(np.searchsorted(fmr, start, side="left"))
    if first in (0, len(fmr)) or fmr[first] == start:
        return fmr[first:], tmr[first:]
    return np.insert(fmr[first:], 0, start), np.insert(tmr[first:], 0, np.interp(start, fmr, tmr))


def on_log_axis(
    fmr: NDArray[np.float64], tmr: NDArray[np.float64], read: Callable[[NDArray[np.float64]], Any], start: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a curve from FMR `start` on with enough points for straight lines to bend on a logarithmic axis.

    The curve is linear between its points in the rates themselves. `read` gives its value at any rate; the
    points it adds lie on the curve.
    """
    grid = np.geomspace(start, 1.0, round(-np.log10(start) * _GRID_POINTS_PER_DECADE) + 1)
    first = np.searchsorted(fmr, start, side="left")
    x, y = fmr[first:], tmr[first:]
    places = np.searchsorted(x, grid, side="left")
    return np.insert(x, places, grid), np.insert(y, places, read(grid))


def set_log_limits(ax: Axes, start: float, lowest: float) -> None:
    """Set a logarithmic FMR axis, and a TMR axis that does not waste the picture on what lies below the curves."""
    ax.set_xscale("log")
    log_rate_axis(ax.xaxis)
    ax.set(xlim=(start, 1.0), ylim=(round_start(lowest), 1.0))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))


def round_start(lowest: float) -> float:
    """Return a round rate somewhat below the lowest one in view; 0 where that is near."""
    span = max(1.1 * (1 - lowest), 0.02)
    if span > 0.75:
        return 0.0
    step = 10.0 ** np.floor(np.log10(span)) / 2
    return float(f"{np.floor((1 - span) / step + 1e-9) * step:.10g}")
