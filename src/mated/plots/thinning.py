"""Drawing a curve of millions of points with the few thousand that can be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["TOLERANCE", "thin", "visible_points"]

TOLERANCE = 1 / 2000
"""Half a pixel of axes a thousand pixels long."""


def thin(x: NDArray[np.float64], y: NDArray[np.float64], tolerance: float = TOLERANCE) -> NDArray[np.intp]:
    """Pick the points of a curve that are enough to draw it, as ascending indices with the first and last.

    The path is cut into stretches of length `tolerance` (counted as |Δx| + |Δy|), and the first and last point
    of each stretch stay. Within a stretch the curve and the chord lie in one box no higher and no wider than
    `tolerance`, and between stretches nothing changes: that is the bound on the deviation in either direction.

    Parameters
    ----------
    x, y
        The finite coordinates as they appear on paper, after the scale of the axis.
    """
    if len(x) < 3:
        return np.arange(len(x))
    length = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
    stretch = np.floor(length / tolerance)
    begins = np.concatenate([[True], stretch[1:] != stretch[:-1]])
    ends = np.concatenate([begins[1:], [True]])
    return np.flatnonzero(begins | ends)


def visible_points(
    ax: Axes, x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Thin a curve for axes whose scales and limits are set."""
    to_axes = ax.transScale + ax.transLimits
    # What lies beyond the frame only has to stay beyond it.
    placed = np.clip(to_axes.transform(np.column_stack([x, y])), -0.1, 1.1)
    kept = thin(placed[:, 0], placed[:, 1])
    return x[kept], y[kept]
