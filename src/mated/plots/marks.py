"""Dots on curves, such as operating points."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

__all__ = ["Points", "as_points", "draw_marks"]

Points: TypeAlias = "tuple[float, float] | Sequence[tuple[float, float]]"
"""One point or several."""


def as_points(points: Points) -> NDArray[np.float64]:
    """Return one point or several as rows."""
    return np.asarray(points, dtype=np.float64).reshape(-1, 2)


def draw_marks(
    ax: Axes,
    marks: Mapping[str, Points],
    lines: Mapping[str, Line2D],
    *,
    leftmost: float | None = None,
    clip: bool = False,
) -> None:
    """Set a dot in the colour of its curve at each point; left of `leftmost`, a triangle at the edge."""
    for name, points in marks.items():
        if name not in lines:
            raise MatedError(f"there is a mark for {name!r}, but the curves are {', '.join(map(repr, lines))}")
        xy = as_points(points)
        beyond = np.zeros(len(xy), dtype=bool) if leftmost is None else xy[:, 0] < leftmost
        for where, marker in ((~beyond, "o"), (beyond, "<")):
            if where.any():
                x = xy[where, 0] if leftmost is None else np.maximum(xy[where, 0], leftmost)
                ax.plot(
                    x,
                    xy[where, 1],
                    linestyle="none",
                    marker=marker,
                    markersize=6,
                    markerfacecolor=lines[name].get_color(),
                    markeredgecolor="white",
                    markeredgewidth=0.8,
                    label="_mark",
                    clip_on=clip,
                    zorder=4,
                )
