"""Curves of millions of points drawn with the few that the eye can tell apart, and how far that moves them.

Douglas–Peucker in drawn coordinates: a point stays where leaving it out would move the line by more than a tolerance.
The distance from a straight piece is a convex function, so along a curve of straight pieces it is largest at one of the
points left out: the error that is given back holds for the whole curve, not only for its points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mated.plots.thinning import TOLERANCE
from mated.plots.thinning import thin as thin_by_stretches

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["TOLERANCE", "Thinned", "distance_to_chords", "thin_line", "thin_steps"]

_ALL = slice(None)
_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class Thinned:
    """Which points are drawn, and the largest distance of the curve from what is drawn.

    Attributes
    ----------
    x, y
        The corners to draw, each a point of the curve.
    error
        In shares of the length of an axis.
    """

    x: Floats
    y: Floats
    error: float


def thin_line(
    x: Floats, y: Floats, placed: tuple[Floats, Floats], keep: Iterable[int] = (), tolerance: float = TOLERANCE
) -> Thinned:
    """Thin a curve of straight pieces.

    Parameters
    ----------
    x, y
        The curve.
    placed
        The same points as shares of the two axes, after their scales; what lies outside the frame may be cut off.
    keep
        Points that are marked in the figure and stay.
    """
    kept = _thin(*placed, keep, tolerance)
    return Thinned(x[kept], y[kept], _largest_distance(*placed, kept))


def thin_steps(
    x: Floats,
    y: Floats,
    placed: tuple[Floats, Floats],
    keep: Iterable[int] = (),
    tolerance: float = TOLERANCE,
    *,
    first_up: bool,
) -> Thinned:
    """Thin a staircase through points, which goes upright first and then across, or the other way round.

    The points are thinned before corners are put between them, so that memory does not grow with their number twice.
    Within a stretch of path no longer than half the tolerance both staircases lie in one box of that size.
    """
    kept = np.union1d(thin_by_stretches(*placed, tolerance / 4), _places(keep))
    across, up = _corners(x[kept], y[kept], first_up)
    marked = 2 * np.searchsorted(kept, _places(keep))
    on_paper = _corners(placed[0][kept], placed[1][kept], first_up)
    rest = _thin(*on_paper, marked, tolerance / 2)
    error = _largest_distance(*on_paper, rest)
    missing = len(kept) < len(x)
    return Thinned(across[rest], up[rest], error + (np.sqrt(2) * tolerance / 4 if missing else 0.0))


def distance_to_chords(x: Floats, y: Floats, kept: NDArray[np.intp], points: slice = _ALL) -> Floats:
    """Return the distance of every point (or of some) from the straight piece between the two points kept around it."""
    if len(kept) < 2:
        return np.zeros(len(x))[points]
    asked = np.arange(*points.indices(len(x)))
    piece = np.clip(np.searchsorted(kept, asked, side="right") - 1, 0, len(kept) - 2)
    start, end = kept[piece], kept[piece + 1]
    x0, y0 = x[start], y[start]
    across, up = x[end] - x0, y[end] - y0
    beside, above = x[points] - x0, y[points] - y0
    length = across**2 + up**2
    along = beside * across + above * up
    part = np.clip(np.divide(along, length, out=np.zeros_like(along), where=length > 0), 0.0, 1.0)
    distance: Floats = np.hypot(beside - part * across, above - part * up)
    return distance


def _largest_distance(x: Floats, y: Floats, kept: NDArray[np.intp]) -> float:
    """Return the largest distance from the chords, in blocks, so that memory does not grow with the curve."""
    blocks = (slice(first, first + _BLOCK) for first in range(0, len(x), _BLOCK))
    return max((float(distance_to_chords(x, y, kept, block).max()) for block in blocks), default=0.0)


def _thin(x: Floats, y: Floats, keep: Iterable[int], tolerance: float) -> NDArray[np.intp]:
    """Return the points that stay, ascending: candidates by stretches of path first, then Douglas–Peucker."""
    if len(x) < 3:
        return np.arange(len(x))
    candidates = np.union1d(thin_by_stretches(x, y, tolerance / 4), _places(keep))
    across, up = x[candidates], y[candidates]
    stays = np.zeros(len(candidates), dtype=bool)
    stays[[0, -1]] = True
    stays[np.searchsorted(candidates, _places(keep))] = True
    while True:
        kept = np.flatnonzero(stays)
        distance = distance_to_chords(across, up, kept)
        worst = np.maximum.reduceat(distance, kept[:-1])
        piece = np.clip(np.cumsum(stays) - 1, 0, len(kept) - 2)
        split = np.flatnonzero((distance == worst[piece]) & (distance > tolerance / 2))
        if not len(split):
            return candidates[kept]
        stays[split[np.unique(piece[split], return_index=True)[1]]] = True


def _places(keep: Iterable[int]) -> NDArray[np.intp]:
    return np.unique(np.fromiter(keep, dtype=np.intp))


def _corners(x: Floats, y: Floats, first_up: bool) -> tuple[Floats, Floats]:
    """Put a corner between each two points of a staircase; point k becomes corner 2k."""
    across, up = np.repeat(x, 2), np.repeat(y, 2)
    return (across[:-1], up[1:]) if first_up else (across[1:], up[:-1])
