"""Markers along a curve that do not run into one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["spaced"]


def spaced(ax: Axes, x: NDArray[np.float64], y: NDArray[np.float64], points: float) -> NDArray[np.intp]:
    """Pick points of a curve that lie at least so many points of print apart along it, from the first on.

    The scales and limits of the axes are set; what lies outside them is left out.
    """
    placed = (ax.transScale + ax.transLimits).transform(np.column_stack([x, y]))
    inside = np.flatnonzero(np.all((placed > -1e-9) & (placed < 1 + 1e-9), axis=1))
    if len(inside) < 2:
        return inside
    on_paper = placed[inside] * np.array(ax.get_window_extent().size) * 72 / ax.figure.dpi
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(on_paper, axis=0).T))])
    kept = [0]
    while (following := int(np.searchsorted(length, length[kept[-1]] + points))) < len(length):
        kept.append(following)
    return inside[kept]
