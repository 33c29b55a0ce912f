"""Bounds of what depends on all scores at once, where cells of scores stand for them.

The most and the least favourable order of the scores within the cells bracket every statistic that only improves as
mated scores rise or non-mated scores fall: the area under the ROC, the log-likelihood-ratio costs, the least detection
cost and the equal error rate of the hull. `extremes` gives both as tallies, to be read like any other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.scores import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.engine.cells import Cells

__all__ = ["CurveSteps", "area_bounds", "curve_steps", "d_prime_bounds", "extremes"]


@dataclass(frozen=True)
class CurveSteps:
    """The longest stretch of a drawn curve, in either rate, along which only its two ends are known."""

    fmr: float
    tmr: float


def extremes(cells: Cells) -> tuple[Tally, Tally]:
    """Return the least and the most favourable tally that the cells allow.

    In the first, the mated scores of each cell stand at its lowest and the non-mated ones at its highest score; in
    the second the other way round.
    """
    return _at_ends(cells, cells.low, cells.high), _at_ends(cells, cells.high, cells.low)


def _at_ends(cells: Cells, of_mated: NDArray[np.uint64], of_nonmated: NDArray[np.uint64]) -> Tally:
    """Put each class at one end of each cell."""
    keys = np.unique(np.concatenate([of_mated, of_nonmated]))
    sums = np.zeros((2, len(keys)), dtype=np.int64)
    for row, ends, counts in ((sums[0], of_mated, cells.mated), (sums[1], of_nonmated, cells.nonmated)):
        row[np.searchsorted(keys, ends)] = counts  # the ends of two cells differ
    seen = sums.any(axis=0)
    cumulated = np.cumsum(sums[:, seen][:, ::-1], axis=1)[:, ::-1]
    return Tally(
        cells.order.scores(keys[seen]),
        cumulated[0],
        cumulated[1],
        cells.dissimilarity,
        "continuous" if cells.unit is None else cells.unit,
        cells.mated_failures,
        cells.nonmated_failures,
    )


def area_bounds(cells: Cells) -> tuple[float, float]:
    """Return between which values the area under the ROC lies: pairs within a cell may be won or lost.

    The tally of the cells counts such pairs as ties, which is the middle.
    """
    exact: Any = np.int64 if 2 * cells.n_mated * cells.n_nonmated < 2**63 else object
    mated, nonmated = cells.mated.astype(exact), cells.nonmated.astype(exact)
    won = int(np.dot(mated, cells.n_nonmated - cells.nonmated_at_or_above))
    within, single = mated * nonmated, cells.exact
    tied, open_pairs = int(within[single].sum()), int(within[~single].sum())
    pairs = cells.n_mated * cells.n_nonmated
    return (2 * won + tied) / (2 * pairs), (2 * (won + open_pairs) + tied) / (2 * pairs)


def curve_steps(cells: Cells) -> CurveSteps:
    """Return how far a point of the true curve can be from the drawn one.

    The points of the drawn curve are points of the true one, thresholds included. Between two of them the true curve
    stays within the rectangle that they span.
    """
    open_cells = ~cells.exact & (cells.mated > 0) & (cells.nonmated > 0)
    largest = [int(counts[open_cells].max(initial=0)) for counts in (cells.nonmated, cells.mated)]
    return CurveSteps(largest[0] / cells.n_nonmated, largest[1] / cells.n_mated)


def d_prime_bounds(cells: Cells) -> tuple[float, float] | None:
    """Return between which values d′ lies, None where a score is infinite or both classes may have no spread.

    Each score exceeds the lowest of its cell by at most the width w of the cell. So a class's mean exceeds that of the
    lowest scores by the mean of w at most, and its standard deviation differs by the root mean square of w at most.
    """
    low, high = (cells.order.scores(ends).astype(np.float64) for ends in (cells.low, cells.high))
    if not (np.isfinite(low[0]) and np.isfinite(high[-1])):
        return None
    means, spreads = [], []
    with np.errstate(over="ignore", invalid="ignore"):
        width = high - low
        for counts, total in ((cells.mated, cells.n_mated), (cells.nonmated, cells.n_nonmated)):
            mean = float(np.dot(counts, low)) / total
            deviation = math.sqrt(float(np.dot(counts, (low - mean) ** 2)) / total)
            by = math.sqrt(float(np.dot(counts, width**2)) / total)
            means.append((mean, mean + float(np.dot(counts, width)) / total))
            spreads.append((max(deviation - by, 0.0), deviation + by))
    apart = means[0][0] - means[1][1], means[0][1] - means[1][0]
    spread = [math.hypot(spreads[0][end], spreads[1][end]) / math.sqrt(2) for end in (0, 1)]
    if not (spread[0] > 0 and math.isfinite(spread[1]) and all(map(math.isfinite, apart))):
        return None
    return min(apart[0] / s for s in spread), max(apart[1] / s for s in spread)
