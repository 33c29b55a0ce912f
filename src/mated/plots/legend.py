"""Legends that show names as written and do not lie on the curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.transforms import Bbox

from mated.plots.style import GRID_COLOR, SMALL_SIZE
from mated.plots.text import draw_literally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Corner", "legend_above", "legend_in_corner_or_beside"]

Corner = Literal["lower right", "upper right", "upper left", "lower left"]

MOST_INSIDE = 10
_MOST_IN_COLUMN = 24
_CHARACTER_WIDTH = 0.58  # of the font size, on average
_ROW_HEIGHT = 1.55
_HANDLE_POINTS = 44.0
_LARGEST_SHARE = 0.8


def legend_in_corner_or_beside(
    ax: Axes,
    handles: Sequence[Artist],
    names: Sequence[str],
    *corners: Corner,
    widen: Figure | None,
    avoid: Sequence[Artist | None] = (),
) -> None:
    """Put the legend into the first of the corners that no curve and no area to avoid enters, else beside the axes.

    A figure given as `widen` grows by the width of a legend beside the axes, so that the axes keep their shape.
    """
    columns = -(-len(names) // _MOST_IN_COLUMN)
    points = columns * (_HANDLE_POINTS + _CHARACTER_WIDTH * SMALL_SIZE * max(len(name) for name in names))
    free = (corner for corner in corners if _corner_is_free(ax, handles, avoid, points, corner))
    if len(names) <= MOST_INSIDE and (corner := next(free, None)) is not None:
        _legend(ax, handles, names, loc=corner, frameon=True)
        return
    if widen is not None:
        widen.set_size_inches(widen.get_figwidth() + points / 72, widen.get_figheight())
    # At the very edge: a distance in shares of the axes would keep the layout from settling in one go.
    _legend(ax, handles, names, loc="upper left", anchor=(1.0, 1.0), columns=columns)


def legend_above(ax: Axes, handles: Sequence[Artist], names: Sequence[str], *, columns: int | None = None) -> None:
    """Put the legend on top of the axes, in one row or so many columns, or in fewer where they would not fit."""
    room = ax.get_window_extent().width * 72 / ax.figure.dpi
    columns = columns or len(names)
    while columns > 1 and _width(names, columns) > room:
        columns -= 1
    _legend(ax, handles, names, loc="lower left", anchor=(0.0, 1.0), columns=columns)


def _width(names: Sequence[str], columns: int) -> float:
    """Return the width in points of names that fill one column after the other."""
    longest = [max(len(name) for name in part) for part in np.array_split(np.array(names, dtype=object), columns)]
    return sum(_HANDLE_POINTS + _CHARACTER_WIDTH * SMALL_SIZE * characters for characters in longest)


def _legend(
    ax: Axes,
    handles: Sequence[Artist],
    names: Sequence[str],
    *,
    loc: Corner,
    anchor: tuple[float, float] | None = None,
    columns: int = 1,
    frameon: bool = False,
) -> None:
    # Named afterwards: matplotlib leaves out or refuses a label that begins with an underscore.
    legend = ax.legend(
        list(handles),
        [str(place) for place in range(len(handles))],
        loc=loc,
        bbox_to_anchor=anchor,
        ncols=columns,
        fontsize=SMALL_SIZE,
        labelcolor="black",
        frameon=frameon,
        framealpha=0.9,
        facecolor="white",
        edgecolor=GRID_COLOR,
        handlelength=2.6,
        borderaxespad=0.6 if anchor is None else 0.2,
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(name)
        draw_literally(text)


def _corner_is_free(
    ax: Axes, handles: Sequence[Artist], avoid: Sequence[Artist | None], points: float, corner: Corner
) -> bool:
    extent = ax.get_window_extent()
    per_point = ax.figure.dpi / 72
    width = (points + 14) * per_point / extent.width
    height = (len(handles) * _ROW_HEIGHT * SMALL_SIZE + 16) * per_point / extent.height
    if width > _LARGEST_SHARE or height > _LARGEST_SHARE:
        return False
    left, bottom = (1 - width) * corner.endswith("right"), (1 - height) * corner.startswith("upper")
    box = Bbox.from_bounds(left, bottom, width, height)
    to_axes = ax.transScale + ax.transLimits
    curves = [(line.get_path(), False) for line in (*handles, *avoid) if isinstance(line, Line2D)]
    areas = [(area.get_path(), True) for area in avoid if isinstance(area, Polygon)]
    return not any(to_axes.transform_path(p).intersects_bbox(box, filled=f) for p, f in (*curves, *areas))
