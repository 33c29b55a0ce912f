"""How the rank-1 rate falls as the gallery grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.plots.bands import shade
from mated.plots.count_axis import set_count_limits, set_rate_limits
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.plain_curves import as_intervals, as_rates, as_sizes, band_entry, check_names
from mated.plots.style import (
    FRAME_COLOR,
    GRID_COLOR,
    LINE_PATTERNS,
    SMALL_SIZE,
    axes_or_new,
    dress,
    line_style,
)
from mated.plots.text import display_names, outside_math
from mated.plots.thinning import visible_points
from mated.plots.upright_bars import draw_upright_bars

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike, NDArray

__all__ = ["draw_gallery_growth"]

_BEYOND = "beyond what the data resolve: tail model"


def draw_gallery_growth(
    sizes: ArrayLike,
    curves: Mapping[str, ArrayLike],
    bands: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    *,
    ax: Axes | None = None,
    measured: Sequence[tuple[float, float, float, float]] = (),
    resolved_up_to: float | None = None,
    upper_bounds: Collection[str] = (),
    rank: int = 1,
    level: float = 0.95,
) -> Axes:
    """Draw the identification rate at one rank against the size of the gallery, on a logarithmic axis.

    Parameters
    ----------
    sizes
        Gallery sizes, ascending.
    curves
        For each method or system, the rate at each size.
    bands
        For some of the names, the low and the high end at each size.
    measured
        (size, rate, low, high) of searches that were made, drawn as black dots with bars; no bar where an end is NaN.
    resolved_up_to
        The gallery size up to which the data show the false match rates that matter. What lies beyond is shaded and
        said to rest on a model of the tail.
    upper_bounds
        Names of curves that only bound the rate from above there, such as "average ROC": drawn thin and dashed, and
        called so.
    rank
        The rank, for the label.
    level
        The level of the bands and bars, for the legend.
    """
    if not curves:
        raise MatedError("there is no curve to draw; give at least one")
    across = as_sizes(sizes)
    rates = {name: as_rates(values, f"the curve of {name!r}") for name, values in curves.items()}
    for name, values in rates.items():
        if len(values) != len(across):
            raise MatedError(f"the curve of {name!r} has {len(values)} rates for {len(across)} gallery sizes")
    ends = as_intervals({name: (across, *pair) for name, pair in (bands or {}).items()}, curves, lambda _, __: across)
    check_names("an upper bound", upper_bounds, curves)
    points = _as_measured(measured)
    ax, made = axes_or_new(ax, 6.4, 4.2)
    shown = [*rates.values(), *(low for _, low, _ in ends.values()), points[:, 1:3].ravel()]
    set_rate_limits(ax, min(float(np.nanmin(some)) for some in shown if len(some)))
    everywhere = np.concatenate([across, points[:, 0]])
    set_count_limits(ax, float(everywhere.min()), float(everywhere.max()), log=True)
    dress(ax, x_label="Gallery size", y_label=f"Rank-{rank} identification rate")
    names = [
        f"{shown_name} (upper bound)" if name in upper_bounds else shown_name
        for name, shown_name in zip(curves, display_names(curves), strict=True)
    ]
    lines: list[Line2D] = []
    for index, (name, values) in enumerate(rates.items()):
        style = line_style(index)
        if name in upper_bounds:
            style |= {"linewidth": 1.0, "linestyle": LINE_PATTERNS[1]}
        marker: dict[str, Any] = {"marker": "o" if len(across) == 1 else "none", "markersize": 5}
        x, y = visible_points(ax, across, values)
        lines += ax.plot(x, y, **style, **marker, label=outside_math(names[index]), clip_on=False)
    line_of = dict(zip(curves, lines, strict=True))
    avoid: list[Artist | None] = []
    for name, (_, low, high) in ends.items():
        avoid.append(shade(ax, (across, low), (across, high), line_of[name].get_color()))
    handles: list[Artist] = [*lines]
    if ends:
        handle, words = band_entry([line_of[name].get_color() for name in ends], level, bars=len(across) == 1)
        handles, names = [*handles, handle], [*names, words]
    if len(points):
        dots, bars = _draw_measured(ax, points)
        handles, avoid = [*handles, dots], [*avoid, *bars]
        names = [*names, f"measured, with {100 * level:.6g} % interval" if bars else "measured"]
    _shade_beyond(ax, resolved_up_to)
    legend_in_corner_or_beside(ax, handles, names, "upper right", widen=made, avoid=avoid)
    return ax


def _as_measured(measured: Sequence[tuple[float, float, float, float]]) -> NDArray[np.float64]:
    """Return the measured points as rows of size, rate, low and high."""
    if any(len(point) != 4 for point in measured):
        raise MatedError("a measured point is (size, rate, low, high), and one of these has another length")
    points = np.array(measured, dtype=np.float64).reshape(-1, 4)
    if not (np.all(points[:, 0] >= 1) and np.isfinite(points[:, 0]).all()):
        raise MatedError("the gallery of a measured point has a size of 1 or more, and one of these has not")
    if len(points):
        as_rates(points[:, 1], "a measured point")
        as_rates(np.nan_to_num(points[:, 2:].ravel()), "the interval of a measured point")
    return points


def _draw_measured(ax: Axes, points: NDArray[np.float64]) -> tuple[Line2D, list[Line2D]]:
    known = points[np.isfinite(points).all(axis=1)]
    bars = draw_upright_bars(ax, ((size, low, high) for size, _, low, high in known), "black")
    look: dict[str, Any] = {"color": "black", "linestyle": "none", "marker": "o", "markersize": 5}
    (dots,) = ax.plot(points[:, 0], points[:, 1], **look, label="_measured", clip_on=False, zorder=4)
    return dots, bars


def _shade_beyond(ax: Axes, resolved_up_to: float | None) -> None:
    """Shade the galleries that are too large for the data, and say so above the frame, where no curve is."""
    left, right = ax.get_xlim()
    if resolved_up_to is None or resolved_up_to >= right:
        return
    start = max(resolved_up_to, left)
    ax.axvspan(start, right, facecolor=GRID_COLOR, alpha=0.45, linewidth=0, label="_beyond", zorder=0.5)
    ax.axvline(start, color=FRAME_COLOR, linewidth=0.8, linestyle=(0, (2, 2)), label="_resolved", zorder=2)
    ax.annotate(
        _BEYOND,
        xy=(1.0, 1.0),
        xycoords="axes fraction",
        xytext=(0.0, 4.0),
        textcoords="offset points",
        horizontalalignment="right",
        verticalalignment="bottom",
        fontsize=SMALL_SIZE,
        color=FRAME_COLOR,
        annotation_clip=False,
    )
