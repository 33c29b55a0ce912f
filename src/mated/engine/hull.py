"""The convex hull of the ROC from cells: where it may still change, and where it is certain.

Edges between cells are points of the ROC, whatever lies within the cells. The hull of these points is the worst
that the true hull can be. Within a cell the ROC can at best go through its kind corner, all of the cell's mated
scores above all of its non-mated ones; the hull with these corners is the best that the true hull can be. A corner
that is not below a line of the worst hull leaves that line as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.engine.cells import Cells

    Points = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["below_crossing_edge"]

# Corners this near to the line, in rates, count as below it: hulls are fitted in floating point.
_SLACK = 1e-12


def below_crossing_edge(cells: Cells) -> NDArray[np.bool_]:
    """Return the cells within which a point may lie below the hull's edge that meets FMR = FNMR; none if it is certain.

    Where there are such cells, those are added that the edge may touch once these are known: it then passes the
    diagonal somewhere between the best and the worst hull, below all known points. So one more pass is enough.
    """
    open_cells: NDArray[np.bool_] = (cells.mated > 0) & (cells.nonmated > 0) & ~cells.exact
    if not open_cells.any():
        return open_cells
    kind_fmr = (cells.nonmated_at_or_above - cells.nonmated) / cells.n_nonmated
    kind_fnmr = 1 - cells.mated_at_or_above / cells.n_mated
    fmr, fnmr = _hull(cells.mated, cells.nonmated)
    edge, worst = _crossing(fmr, fnmr)
    x, y = fmr[edge], fnmr[edge]
    # Twice the area of a triangle, positive above the edge as thresholds ascend from right to left.
    above = (x[1] - x[0]) * (y[0] - kind_fnmr) - (y[1] - y[0]) * (x[0] - kind_fmr)
    below: NDArray[np.bool_] = open_cells & (above < _SLACK)
    if not below.any():
        return below
    _, best = _crossing(*_hull(*_kindest(cells, open_cells)))
    left, right = fmr < best, fmr > best
    # The steepest and the flattest line through the best crossing that all known points are above.
    steepest = np.min((fnmr[left] - best) / (best - fmr[left]), initial=np.inf)
    flattest = np.max((best - fnmr[right]) / (fmr[right] - best), initial=0.0)
    with np.errstate(invalid="ignore"):
        reach_left = kind_fnmr <= worst + steepest * (worst - kind_fmr)
        reach_right = kind_fnmr <= worst - flattest * (kind_fmr - worst)
    return below | (open_cells & np.where(kind_fmr <= worst, reach_left, reach_right))


def _hull(mated: NDArray[np.int64], nonmated: NDArray[np.int64]) -> Points:
    """Return FMR and FNMR at the corners of the hull, from the threshold below all scores to that above them all."""
    from scipy.optimize import isotonic_regression

    together = mated + nonmated
    first = isotonic_regression(mated / together, weights=together).blocks
    rates = []
    for counts in (nonmated, mated):
        below = np.concatenate([[0], np.cumsum(counts)])
        rates.append(below[first] / below[-1])
    return 1 - rates[0], rates[1]


def _crossing(fmr: NDArray[np.float64], fnmr: NDArray[np.float64]) -> tuple[slice, float]:
    """Return the edge of the hull that meets FMR = FNMR, and the rate there."""
    corner = int(np.argmax(fnmr >= fmr))  # the first is (1, 0), the last (0, 1)
    before, after = fmr[corner - 1] - fnmr[corner - 1], fmr[corner] - fnmr[corner]
    share = before / (before - after)
    return slice(corner - 1, corner + 1), float(fmr[corner - 1] + share * (fmr[corner] - fmr[corner - 1]))


def _kindest(cells: Cells, open_cells: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the counts with each open cell in two, its non-mated scores below its mated ones."""
    places = np.repeat(np.arange(len(cells)), 1 + open_cells)
    second = np.zeros(len(places), dtype=bool)
    second[1:] = places[1:] == places[:-1]
    first = np.zeros(len(places), dtype=bool)
    first[:-1] = second[1:]
    return np.where(first, 0, cells.mated[places]), np.where(second, 0, cells.nonmated[places])
