"""Bootstrap replicates of both rates at a fixed threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from mated.errors import MatedError
from mated.plots.legend import legend_above
from mated.plots.style import FRAME_COLOR, LINE_WIDTH, PALETTE, axes_or_new, dress
from mated.plots.text import shorten
from mated.plots.thinning import visible_points
from mated.plots.ticks import plain_axis, span_with_margin

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from mated.verification import RocCurve

__all__ = ["Box", "draw_replicates"]

Box: TypeAlias = "tuple[tuple[float, float], tuple[float, float]]"
"""An interval of FMR and one of TMR."""

_MOST_VECTOR_DOTS = 5000
_DOT_AREA = 7.0  # of a replicate that stands alone, in square points
_LARGEST_DOT_AREA = 130.0
_SMALLEST_DOT_AREA = 0.8
_NARROWEST_CLOUD = 40.0  # points
_MOST_OVERLAP = 3.0  # dots on top of each other, on average
_CLOUD_COLOR, _POINT_COLOR = PALETTE[0], PALETTE[1]


def draw_replicates(
    fmr: ArrayLike,
    tmr: ArrayLike,
    *,
    point: tuple[float, float],
    rectangle: Box,
    joint: Box | None = None,
    curve: RocCurve | None = None,
    ax: Axes | None = None,
    label: str | None = None,
    level: float = 0.95,
) -> Axes:
    """Draw replicates of (FMR, TMR) at a fixed threshold with the intervals they give (Wu 2008, Figures 3 and 4).

    Replicates are counts over the number of comparisons, so many coincide: the area of a dot is in proportion to
    how many it stands for, as far as that can be drawn. The legend gives the share of the replicates
    that lies in each box or on its boundary. The box of two intervals of 95 % holds fewer than 95 % of the pairs,
    as the rates vary independently; the two intervals of 97.5 % hold about 95 % (Wu 2008, section 4.2).

    Parameters
    ----------
    fmr, tmr
        The replicates, one of each for each resample.
    point
        The estimate (FMR, TMR).
    rectangle
        The intervals of FMR and of TMR, drawn as a solid box.
    joint
        The wider intervals that hold together, drawn as a dashed box.
    curve
        The ROC through the point.
    label
        What the point is in the legend, such as "threshold 455".
    level
        The level of the intervals of `rectangle`; that of `joint` is (1 + level) / 2.
    """
    cloud = _pairs(fmr, tmr)
    boxes: list[tuple[Literal["solid", "dashed"], Box, float]] = [("solid", rectangle, level)]
    if joint is not None:
        boxes.append(("dashed", joint, (1 + level) / 2))
    for _, box, _ in boxes:
        _check(box)
    ax, _ = axes_or_new(ax, 5.6, 5.2)
    dress(ax, x_label="False match rate", y_label="True match rate")
    corners = np.array([point, *(pair for _, box, _ in boxes for pair in zip(*box, strict=True))])
    _set_limits(ax, np.concatenate([cloud, corners]))
    handles: list[Artist] = [_draw_cloud(ax, cloud)]
    names = [_words(cloud)]
    handles += ax.plot(
        *point,
        linestyle="none",
        marker="o",
        markersize=7,
        markerfacecolor=_POINT_COLOR,
        markeredgecolor="white",
        markeredgewidth=0.9,
        label="_point",
        zorder=4,
    )
    names.append("estimate" if label is None else shorten(label, 34))
    if curve is not None:
        x, y = visible_points(ax, curve.fmr, curve.tmr)
        handles += ax.plot(x, y, color=FRAME_COLOR, linewidth=LINE_WIDTH, label="_roc", zorder=3)
        names.append("ROC")
    for pattern, box, probability in boxes:
        (left, right), (bottom, top) = box
        size = right - left, top - bottom
        outline = Rectangle(
            (left, bottom), *size, fill=False, edgecolor="black", linewidth=1.2, linestyle=pattern, zorder=3.5
        )
        ax.add_artist(outline)
        handles.append(Line2D([], [], color="black", linewidth=1.2, linestyle=pattern))
        inside = np.all((cloud >= (left, bottom)) & (cloud <= (right, top)), axis=1).mean()
        names.append(f"two {100 * probability:.6g} % intervals ({100 * inside:.1f} % inside)")
    # Column by column: the dots and the curve, then the boxes with their longer words.
    legend_above(ax, handles, names, columns=2)
    return ax


def _pairs(fmr: ArrayLike, tmr: ArrayLike) -> NDArray[np.float64]:
    x, y = (np.asarray(rates, dtype=np.float64).ravel() for rates in (fmr, tmr))
    if len(x) != len(y) or not len(x):
        raise MatedError(f"replicates come in pairs, and there are {len(x)} of FMR and {len(y)} of TMR")
    pairs = np.column_stack([x, y])
    if not np.isfinite(pairs).all():
        raise MatedError("a replicate of FMR or TMR is not a number; leave that resample out")
    return pairs


def _words(cloud: NDArray[np.float64]) -> str:
    """Say how many replicates there are and, where some coincide, at how many places."""
    size, places = len(cloud), len(np.unique(cloud, axis=0))
    at = "" if places == size else " at one place" if places == 1 else f" at {places:,} places"
    return f"{size:,} replicate{'s' if size > 1 else ''}{at}"


def _check(box: Box) -> None:
    if not all(low <= high and np.isfinite([low, high]).all() for low, high in box):
        raise MatedError(f"an interval goes from a low to a high rate, and in {box!r} one does not")


def _set_limits(ax: Axes, shown: NDArray[np.float64]) -> None:
    """Show all points; rates below 0 and above 1 only as a margin."""
    limits = []
    for low, high in zip(shown.min(axis=0), shown.max(axis=0), strict=True):
        left, right = span_with_margin(float(low), float(high))
        slack = 0.04 * (right - left)
        limits.append((max(left, -slack), min(right, 1 + slack)))
    ax.set(xlim=limits[0], ylim=limits[1])
    plain_axis(ax.xaxis, "False match rate")
    plain_axis(ax.yaxis, "True match rate", ticks=8)


def _draw_cloud(ax: Axes, cloud: NDArray[np.float64]) -> Line2D:
    """Draw each distinct pair once, larger where it occurs often; return the handle for the legend."""
    places, counts = np.unique(cloud, axis=0, return_counts=True)
    extent = np.array(ax.get_window_extent().size) * 72 / ax.figure.dpi
    spread = np.ptp((ax.transScale + ax.transLimits).transform(cloud), axis=0) * extent
    room = float(np.prod(np.maximum(spread, _NARROWEST_CLOUD))) / 3
    # Smaller and more translucent the more dots overlap, so that the middle of a dense cloud stays apart from its rim.
    area = min(_DOT_AREA, _MOST_OVERLAP * room / len(cloud), _LARGEST_DOT_AREA / counts.max())
    areas = np.maximum(area * counts, _SMALLEST_DOT_AREA)
    alpha = float(np.clip(0.7 * room / areas.sum(), 0.1, 0.5))
    ax.scatter(
        places[:, 0],
        places[:, 1],
        s=areas,
        color=_CLOUD_COLOR,
        alpha=alpha,
        linewidths=0,
        rasterized=len(places) > _MOST_VECTOR_DOTS,
        label="_replicates",
        zorder=2,
    )
    return Line2D([], [], linestyle="none", marker="o", markersize=4, color=_CLOUD_COLOR, alpha=max(alpha, 0.4))
