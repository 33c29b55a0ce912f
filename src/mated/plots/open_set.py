"""Open-set identification: FNIR against FPIR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator

from mated.errors import MatedError
from mated.plots.bands import shade
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.marks import as_points, draw_marks
from mated.plots.plain_curves import as_curves, as_intervals, band_entry, check_names
from mated.plots.roc import log_fmr_start
from mated.plots.style import axes_or_new, decade_at_or_below, dress, line_style, log_rate_axis
from mated.plots.text import display_names, outside_math
from mated.plots.thinning import visible_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

    from mated.plots.marks import Points
    from mated.plots.plain_curves import Curve, Interval

__all__ = ["draw_fpir_fnir"]

_FEW_DECADES = 2.0
_ONE_DECADE = 0.1
_TENTHS_FROM = 0.6


def draw_fpir_fnir(
    curves: Mapping[str, Curve],
    *,
    ax: Axes | None = None,
    marks: Mapping[str, Points] | None = None,
    bands: Mapping[str, Interval] | None = None,
    level: float = 0.95,
) -> Axes:
    """Draw the false-negative against the false-positive identification rate of one or several systems.

    Both axes are logarithmic and points are joined by straight lines on paper. FPIR begins at the power of ten at or
    below the smallest positive rate; the FNIR reached without a false positive is drawn as a level line up to that
    rate. A curve that falls straight to the lower edge has reached FNIR 0.

    Parameters
    ----------
    curves
        (FPIR, FNIR) by the name of the system or group, FPIR ascending.
    marks
        For some of the names, a point (FPIR, FNIR) or several to set a dot at; a triangle at the edge stands for a
        rate beyond it, such as 0.
    bands
        For some of the names, (FPIR, low, high); at a single FPIR a bar.
    level
        The level of the bands, for the legend.
    """
    if not curves:
        raise MatedError("there is no curve of FPIR and FNIR to draw; give at least one")
    drawn = as_curves(curves)
    ends = as_intervals(bands, curves)
    check_names("a mark", marks or (), curves)
    marked = {name: as_points(points) for name, points in (marks or {}).items()}
    ax, made = axes_or_new(ax, 5.6, 4.4)
    start = log_fmr_start(_positive(fpir) for fpir, _ in drawn.values())
    bottom = _set_axes(ax, start, [*(y for _, y in drawn.values()), *(xy[:, 1] for xy in marked.values())], ends)
    names = display_names(curves)
    lines: list[Line2D] = []
    for index, (name, (fpir, fnir)) in enumerate(zip(names, drawn.values(), strict=True)):
        x, y = _on_paper(fpir, fnir, start, bottom)
        look: dict[str, Any] = {"marker": "o" if len(x) == 1 else "none", "markersize": 5}
        lines += ax.plot(
            *visible_points(ax, x, y), **line_style(index), **look, label=outside_math(name), clip_on=len(x) > 1
        )
    line_of = dict(zip(curves, lines, strict=True))
    shaded: list[Artist | None] = []
    for name, (fpir, low, high) in ends.items():
        lower, upper = (_on_paper(fpir, end, start, bottom) for end in (low, high))
        shaded.append(shade(ax, lower, upper, line_of[name].get_color()))
    for name, xy in marked.items():
        _draw_marks(ax, name, xy, line_of, start, bottom)
    handles: list[Artist] = [*lines]
    if ends:
        bars = all(len(fpir) == 1 for fpir, _, _ in ends.values())
        handle, words = band_entry([line_of[name].get_color() for name in ends], level, bars=bars)
        handles, names = [*handles, handle], [*names, words]
    legend_in_corner_or_beside(ax, handles, names, "upper right", "lower left", widen=made, avoid=shaded)
    return ax


def _positive(fpir: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positive rates; where there is a rate of 0, just below them, so that the axis has room for its level."""
    return fpir[fpir > 0] * (0.999 if fpir[0] <= 0 else 1.0)


def _set_axes(
    ax: Axes,
    start: float,
    fnirs: Iterable[NDArray[np.float64]],
    bands: Mapping[str, tuple[NDArray[np.float64], ...]],
) -> float:
    """Set both axes from the smallest FPIR in view and the rates of the other; return the lowest FNIR in view."""
    smallest = min(float(some[some > 0].min(initial=1.0)) for some in fnirs)
    # A band may go down to nearly 0, and is followed for a factor of ten.
    lower = [float(low.min()) for _, low, _ in bands.values()]
    bottom = _round_below(max(min([smallest, *lower]), smallest / 10))
    ax.set_xscale("log")
    ax.set_yscale("log")
    log_rate_axis(ax.xaxis)
    log_rate_axis(ax.yaxis)
    if np.log10(1 / bottom) < _FEW_DECADES:
        subs = tuple(range(1, 10)) if bottom >= _ONE_DECADE else (1, 2, 5)
        ax.yaxis.set_major_locator(LogLocator(base=10, subs=subs, numticks=12))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate:.3g}"))
    ax.set(xlim=(start, 1.0), ylim=(bottom, 1.0))
    dress(ax, x_label="False-positive identification rate", y_label="False-negative identification rate")
    return bottom


def _round_below(rate: float) -> float:
    """Return the largest of 1, 2 and 5 times a power of ten that is clearly below a rate; near 1, of tenths."""
    if rate >= _TENTHS_FROM:
        return float(np.floor(9.5 * rate)) / 10
    decade = decade_at_or_below(rate)
    return max(float(f"{part * decade:.3g}") for part in (0.5, 1, 2, 5) if part * decade <= 0.95 * rate)


def _on_paper(
    fpir: NDArray[np.float64], fnir: NDArray[np.float64], start: float, bottom: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Put rates of zero where the axes can show them.

    Without a false positive the FNIR is that of the last point with FPIR 0, from the left edge up to the first other
    FPIR. FNIR 0 is put below the frame, and reached at a right angle.
    """
    zeros = int(np.searchsorted(fpir, 0.0, side="right"))
    if zeros:
        level = fnir[zeros - 1]
        fpir, fnir = np.append(start, fpir[zeros:]), np.append(level, fnir[zeros:])
        if len(fpir) > 1:
            fpir, fnir = np.insert(fpir, 1, fpir[1]), np.insert(fnir, 1, level)
    falls = np.flatnonzero((fnir[:-1] > 0) & (fnir[1:] <= 0) & (fpir[:-1] < fpir[1:]))
    fpir, fnir = np.insert(fpir, falls + 1, fpir[falls + 1]), np.insert(fnir, falls + 1, fnir[falls])
    return fpir, np.where(fnir > 0, fnir, bottom / 10)


def _draw_marks(
    ax: Axes, name: str, xy: NDArray[np.float64], lines: Mapping[str, Line2D], start: float, bottom: float
) -> None:
    below = xy[:, 1] < bottom
    if not below.all():
        draw_marks(ax, {name: [(x, y) for x, y in xy[~below].tolist()]}, lines, leftmost=start)
    if below.any():
        ax.plot(
            np.maximum(xy[below, 0], start),
            np.full(int(below.sum()), bottom),
            linestyle="none",
            marker="v",
            markersize=6,
            markerfacecolor=lines[name].get_color(),
            markeredgecolor="white",
            markeredgewidth=0.8,
            label="_mark",
            clip_on=False,
            zorder=4,
        )
