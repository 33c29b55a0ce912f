"""The DET: false non-match rate against false match rate on normal-deviate axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.plots.bands import check_bands, shade, with_bands
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.marks import as_points, draw_marks
from mated.plots.normal_deviate import NormalDeviateScale, deviate, rate_at
from mated.plots.style import FRAME_COLOR, GRID_COLOR, add_note, axes_or_new, dress, line_style
from mated.plots.text import display_names, outside_math
from mated.plots.thinning import visible_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mated.plots.bands import ConfidenceBand, Edge
    from mated.plots.marks import Points
    from mated.verification import DetCurve

__all__ = ["draw_det"]

_ROUND_RATES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9, 0.99)
_ZERO_STRIP = 0.075  # of the axis: wide enough for the label 0 beside that of the smallest rate


def draw_det(
    curves: Mapping[str, DetCurve],
    *,
    ax: Axes | None = None,
    marks: Mapping[str, Points] | None = None,
    bands: Mapping[str, ConfidenceBand] | None = None,
) -> Axes:
    """Draw the DET of one or several systems.

    Each axis reaches down to the smallest positive rate of the data. Rates of zero, which the scale cannot hold,
    are drawn in a grey strip beyond it with the tick 0; a curve enters the strip at a right angle, as no
    rate between zero and its smallest one was observed. The thin diagonal is where both rates are equal.

    Parameters
    ----------
    curves
        Curves by the name of their system or group.
    marks
        For some of the names, a point (FMR, FNMR) or several to set a dot at.
    bands
        For some of the names, a confidence band of TMR over a grid of FMRs; FNMR = 1 − TMR at given FMR is shaded
        behind the curve. Between the points of the grid its ends are straight on paper. Ends between zero and
        the smallest rates of the curves are drawn at the lower end of the axis.
    """
    if not curves:
        raise MatedError("there is no DET to draw; give at least one")
    bands = bands or {}
    check_bands(bands, curves)
    ax, made = axes_or_new(ax, 4.9, 4.6)
    cap = _largest_rate_worth_showing(curves.values())
    marked = [as_points(points) for points in (marks or {}).values()]
    fmrs = [*(c.fmr for c in curves.values()), *(points[:, 0] for points in marked)]
    fnmrs = [*(c.fnmr for c in curves.values()), *(points[:, 1] for points in marked)]
    edges = {name: [(band.fmr, 1 - end) for end in (band.high, band.low)] for name, band in bands.items()}
    seen = [(_not_below(f, _smallest(fmrs)), _not_below(m, _smallest(fnmrs))) for e in edges.values() for f, m in e]
    fmrs, fnmrs = [*fmrs, *(f for f, _ in seen)], [*fnmrs, *(m for _, m in seen)]
    low_fmr, low_fnmr = _set_axis(ax, "x", fmrs, fnmrs, cap), _set_axis(ax, "y", fnmrs, fmrs, cap)
    dress(ax, x_label="False match rate", y_label="False non-match rate")
    equal = [max(low_fmr, low_fnmr), 1 - 1e-9]
    ax.plot(equal, equal, color=FRAME_COLOR, linewidth=0.6, label="_equal error rate", zorder=2)
    names = display_names(curves)
    lines = []
    for index, (name, curve) in enumerate(zip(names, curves.values(), strict=True)):
        x, y = visible_points(ax, *_square_to_zero(curve.fmr, curve.fnmr))
        lines += ax.plot(
            x,
            y,
            **line_style(index),
            label=outside_math(name),
            marker="o" if len(x) == 1 else "none",
            markersize=5,
        )
    line_of = dict(zip(curves, lines, strict=True))
    if marks:
        draw_marks(ax, marks, line_of, clip=True)
    shaded = []
    for name, ends in edges.items():
        lower, upper = (_band_edge(*end, low_fmr, low_fnmr) for end in ends)
        shaded.append(shade(ax, lower, upper, line_of[name].get_color()))
    hidden = [name for name, c in zip(names, curves.values(), strict=True) if np.maximum(c.fmr, c.fnmr).min() >= 1]
    add_note(ax, [f"{name}: all its points lie at a rate of 1, outside the axes" for name in hidden])
    handles, entries = with_bands(lines, names, bands)
    legend_in_corner_or_beside(ax, handles, entries, "upper right", widen=made, avoid=shaded)
    return ax


def _largest_rate_worth_showing(curves: Iterable[DetCurve]) -> float:
    """Return 0.5, or more for a system whose equal error rate comes near that."""
    crossing = max(float(np.maximum(c.fmr, c.fnmr).min()) for c in curves)
    return 0.5 if crossing < 0.35 else 0.9 if crossing < 0.8 else 0.99


def _set_axis(
    ax: Axes, which: str, rates: list[NDArray[np.float64]], others: list[NDArray[np.float64]], cap: float
) -> float:
    """Set scale and limits of one axis from its rates and those that stand against them; return its lowest rate."""
    smallest = _smallest(rates)
    largest = max(_largest_beside_zero(some, other) for some, other in zip(rates, others, strict=True))
    high = min(cap, next((r for r in _ROUND_RATES if r >= 1.2 * largest > 0), cap))
    low = min(0.8 * smallest, high / 20)
    has_zero = any(bool((some <= 0).any()) for some in rates)
    bottom, top = float(deviate(low)), float(deviate(high))
    strip = _ZERO_STRIP * (top - bottom) if has_zero else 0.0
    scale = NormalDeviateScale(float(rate_at(bottom - strip / 2)) if has_zero else None, ticks_from=low)
    limits = float(rate_at(bottom - strip)), high
    if which == "x":
        ax.set_xscale(scale)
        ax.set_xlim(*limits)
    else:
        ax.set_yscale(scale)
        ax.set_ylim(*limits)
    if has_zero:
        shade = ax.axvspan if which == "x" else ax.axhspan
        shade(limits[0], low, facecolor=GRID_COLOR, alpha=0.55, linewidth=0, zorder=0.5)
    return low


def _smallest(rates: Iterable[NDArray[np.float64]]) -> float:
    """Return the smallest positive rate."""
    return min(float(some[some > 0].min(initial=1.0)) for some in rates)


def _not_below(rates: NDArray[np.float64], lowest: float) -> NDArray[np.float64]:
    """Raise positive rates to the lowest one in view; zero stays, as it has a place of its own."""
    return np.where(rates > 0, np.maximum(rates, lowest), 0.0)


def _band_edge(fmr: NDArray[np.float64], fnmr: NDArray[np.float64], low_fmr: float, low_fnmr: float) -> Edge:
    """Return one end of a band where the axes have a place for its FMR."""
    kept = (fmr <= 0) | (fmr >= low_fmr)
    return _square_to_zero(fmr[kept], _not_below(fnmr[kept], low_fnmr))


def _largest_beside_zero(rates: NDArray[np.float64], others: NDArray[np.float64]) -> float:
    """Return the largest rate that stands against a positive one, or the least that stands against zero."""
    beside, at_zero = rates[others > 0], rates[others <= 0]
    return max(float(beside.max(initial=0.0)), float(at_zero.min()) if len(at_zero) else 0.0)


def _square_to_zero(
    fmr: NDArray[np.float64], fnmr: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Add the corners that keep a curve from slanting into the strips of zero rates.

    Going down in threshold, FMR leaves zero at the FNMR reached before, and FNMR stays until it falls to zero.
    Where FNMR falls to zero as FMR leaves it, the classes are separated and both rates are zero between.
    """
    from_zero, to_zero = (fmr[:-1] <= 0) & (fmr[1:] > 0), (fnmr[:-1] > 0) & (fnmr[1:] <= 0)
    slants = (fmr[:-1] < fmr[1:]) & (fnmr[:-1] > fnmr[1:])
    before = np.flatnonzero(slants & (from_zero | to_zero))
    separated = (from_zero & to_zero)[before]
    corner_fmr = np.where(separated, fmr[before], fmr[before + 1])
    corner_fnmr = np.where(separated, fnmr[before + 1], fnmr[before])
    return np.insert(fmr, before + 1, corner_fmr), np.insert(fnmr, before + 1, corner_fnmr)
