"""Which cells must be known score by score, so that what is read off is what all comparisons in memory would give.

At the edges between cells the counts are exact already. A number needs more only where its threshold lies: at a rank of
a class (rates at an FMR or a TMR), at a threshold, where the error rates cross, or at a corner of the ROC's hull. The
bootstrap of Wu (2008) moves these places; how far is known before anything is drawn:

- the k-th highest of N resampled scores is the original score at a share Beta(k, N − k + 1) from the top, which
  stays between two quantiles but for one draw in 10^15 (each side);
- the score where the errors of a resample cross stays within a range that follows from the variance of their
  difference by Bernstein's inequality, but for one draw in 10^13 (each side). Replicates of the equal error rate are
  drawn by halving the distinct scores of a range made in the same way for one draw in 10^12
  (`mated.uncertainty.independent_eer`), so all of this one must be known.

What a draw reads beyond that is found when it is looked at (`mated.engine.refine.Streamed.covers`).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from mated.engine.hull import below_crossing_edge
from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mated.engine.cells import Cells

    Mask = NDArray[np.bool_]

__all__ = [
    "EER_INTERVALS",
    "INTERVALS",
    "OPERATING_POINTS",
    "ROCCH",
    "Points",
    "Reach",
    "around_crossing",
    "cells_of_rate",
    "difference_above",
    "reached",
    "variance_at_crossing",
]

OPERATING_POINTS = "operating points"
INTERVALS = "intervals"
ROCCH = "eer by rocch"
EER_INTERVALS = "eer intervals"

_RISK_OF_RANK = 1e-15
_RISK_OF_CROSSING = 1e-13
# Comparisons beyond the crossing's range of which at least one is resampled, but for one draw in e^64.
_BEYOND = 64
# Cells on either side of the crossing at which a plateau of equal difference ends.
_PLATEAU = 3
_FVC = (100, 1000)


@dataclass(frozen=True)
class Points:
    """What is to be read off exactly.

    Attributes
    ----------
    fmr, tmr
        False match rates and true match rates, read as the decimals they are written as.
    threshold
        Thresholds of the user's scoring system.
    eer
        Whether the equal error rate is asked for, by its five definitions.
    replicates
        Whether replicates of the two-sample bootstrap will be drawn at all of these.
    """

    fmr: tuple[float, ...] = ()
    tmr: tuple[float, ...] = ()
    threshold: tuple[float, ...] = ()
    eer: bool = True
    replicates: bool = True

    def __post_init__(self) -> None:
        for rate in self.fmr:
            if _exact(rate) == 1:
                raise MatedError(f"a rate must lie between 0 and 1, and {rate!r} does not")
        for rate in self.tmr:
            _exact(rate)
        if np.isnan(np.array(self.threshold, dtype=np.float64)).any():
            raise MatedError("a threshold must be a number, and NaN is none")


@dataclass(frozen=True, eq=False)
class Reach:
    """The cells that must be known score by score, and what is given up because it would reach too many."""

    cells: Mask
    given_up: tuple[str, ...] = ()


def reached(cells: Cells, points: Points, *, most: int, split: int) -> Reach:
    """Find the cells that the points and their replicates can reach; single scores are not among them.

    Parameters
    ----------
    most
        The number of distinct scores that may be collected.
    split
        The number of cells that may be divided in a pass instead.
    """
    wanted = np.zeros(len(cells), dtype=bool)
    if not (cells.n_mated and cells.n_nonmated):
        return Reach(wanted)
    given_up = []
    for target in points.fmr:
        of_nonmated = cells.nonmated, cells.nonmated_at_or_above, cells.nonmated_failures
        wanted |= _at_rate(cells, *of_nonmated, _exact(target), points.replicates)
    for target in points.tmr:
        of_mated = cells.mated, cells.mated_at_or_above, cells.mated_failures
        wanted |= _at_rate(cells, *of_mated, _exact(target), points.replicates)
    wanted |= _at_thresholds(cells, points.threshold)
    lowest_fnmr = [cells.n_nonmated // divisor + 1 for divisor in _FVC]
    wanted[_of_rank(cells.nonmated_at_or_above, np.array([1, *lowest_fnmr]))] = True
    if points.eer:
        wanted[around_crossing(cells)] = True
        hull = below_crossing_edge(cells)
        if np.count_nonzero(hull) > split and int(cells.room[hull].sum()) > most:
            given_up.append(ROCCH)
        else:
            wanted |= hull
    if points.eer and points.replicates:
        crossings = _of_resampled_crossings(cells)
        # The cells at both ends are in the range with a part only.
        if int(cells.room[np.flatnonzero(crossings)[1:-1]].sum()) <= most:
            wanted |= crossings
        else:
            given_up.append(EER_INTERVALS)
    return Reach(wanted & ~cells.exact, tuple(given_up))


def _exact(rate: float) -> Fraction:
    try:
        value = Fraction(str(rate))
    except ValueError:
        value = Fraction(-1)
    if not 0 < value <= 1:
        raise MatedError(f"a rate must lie between 0 and 1, and {rate!r} does not")
    return value


def _of_rank(at_or_above: NDArray[np.int64], rank: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the cells of comparisons of a class by their rank, 1 the highest."""
    return len(at_or_above) - 1 - np.searchsorted(at_or_above[::-1], rank)


# -- rates and thresholds --------------------------------------------------------------------------


def cells_of_rate(at_or_above: NDArray[np.int64], target: Fraction) -> tuple[int, int, int]:
    """Return the cells that rates at a target are read from, by the counts of the class that has the target.

    They are the one that holds the threshold, the one with the last score that exceeds the target, and the next.
    """
    total = int(at_or_above[0])
    rank, first_exceeding = ceil(target * total), min(floor(target * total) + 1, total)
    at, exceeding = (int(_of_rank(at_or_above, np.array(r))) for r in (rank, first_exceeding))
    return at, exceeding, min(exceeding + 1, len(at_or_above) - 1)


def _at_rate(
    cells: Cells,
    given: NDArray[np.int64],
    at_or_above: NDArray[np.int64],
    failures: int,
    target: Fraction,
    replicates: bool,
) -> Mask:
    """Return the cells that hold the threshold at which a class reaches a rate.

    The conservative threshold is the next distinct score of either class above the last that exceeds the target.
    Where comparisons failed, replicates are drawn with and without them: as if they had scored below all others.
    """
    total = int(at_or_above[0])
    wanted = np.zeros(len(cells), dtype=bool)
    wanted[list(cells_of_rate(at_or_above, target))] = True
    if replicates:
        for all_of_them in {total, total + failures}:
            ranks = np.minimum(_resampled_ranks(ceil(target * total), all_of_them), total)
            highest, lowest = _of_rank(at_or_above, ranks)
            # Only comparisons of this class can be the one of the rank.
            wanted[lowest : highest + 1] |= given[lowest : highest + 1] > 0
    return wanted


def _resampled_ranks(rank: int, total: int) -> tuple[int, int]:
    """Return original ranks between which the score of a rank of a resample lies."""
    from scipy.special import betaincinv

    least = float(betaincinv(rank, total - rank + 1, _RISK_OF_RANK))
    most = 1 - float(betaincinv(total - rank + 1, rank, _RISK_OF_RANK))
    return max(floor(least * total), 1), min(ceil(most * total) + 1, total)


def _at_thresholds(cells: Cells, thresholds: tuple[float, ...]) -> Mask:
    """Return the cells that given thresholds divide, and both ends where a threshold lies beyond them."""
    wanted = np.zeros(len(cells), dtype=bool)
    if not thresholds:
        return wanted
    inner = np.array([-t if cells.dissimilarity else t for t in thresholds], dtype=np.float64)
    keys = np.array([cells.order.key(t) for t in inner], dtype=np.uint64)
    index, inside = cells.holding(keys)
    divided = inside & (keys > cells.low[np.maximum(index, 0)])
    wanted[index[divided]] = True
    if np.any((keys <= cells.low[0]) | (keys > cells.high[-1])):
        wanted[[0, -1]] = True  # messages name the lowest and the highest score
    return wanted


# -- where the errors cross ------------------------------------------------------------------------


def difference_above(cells: Cells) -> Callable[[int], int]:
    """Return cell ↦ (FNMR − FMR)·N_G·N_I at a threshold just above it, which ascends."""
    m, n = cells.n_mated, cells.n_nonmated

    def difference(index: int) -> int:
        return n * (m - cells.mated_from(index + 1)) - m * cells.nonmated_from(index + 1)

    return difference


def around_crossing(cells: Cells) -> slice:
    """Return the cells that the equal error rate and its threshold are read from."""
    crossing = bisect_left(range(len(cells)), 0, key=difference_above(cells))
    return slice(max(crossing - _PLATEAU, 0), crossing + _PLATEAU + 1)


def _of_resampled_crossings(cells: Cells) -> Mask:
    """Return the cells at which the errors of resamples can cross, and those that a plateau there can reach."""
    difference = difference_above(cells)
    places = range(len(cells))
    variance, step = variance_at_crossing(cells)
    # Bernstein: a sum of steps of at most b and variance v exceeds t with probability exp(−t²/2/(v + bt/3)) at most.
    # Where the difference is t, the variance exceeds that at the crossing by bt at most.
    exponent = -log(_RISK_OF_CROSSING)
    drift = exponent * step * 4 / 3
    reach = drift + sqrt(drift**2 + 2 * exponent * variance)
    low, high = (bisect_left(places, bound, key=difference) for bound in (-reach, reach))
    wanted = np.zeros(len(cells), dtype=bool)
    together = cells.mated_at_or_above + cells.nonmated_at_or_above
    from_low = int(together[low]) + _BEYOND
    above_high = int(together[high + 1]) - _BEYOND if high + 1 < len(cells) else 0
    descending = together[::-1]
    low = min(len(cells) - int(np.searchsorted(descending, from_low)) - 1, low - 2)
    high = max(len(cells) - int(np.searchsorted(descending, above_high, side="right")), high + 2)
    wanted[max(low, 0) : high + 1] = True
    return wanted


def variance_at_crossing(cells: Cells) -> tuple[float, int]:
    """Return the variance of a resample's (FNMR − FMR)·N_G·N_I at the crossing, at most, and its largest step."""
    m, n = cells.n_mated, cells.n_nonmated
    crossing = bisect_left(range(len(cells)), 0, key=difference_above(cells))
    true = _largest_variance(cells.mated_from(crossing + 1), cells.mated_from(crossing), m)
    false = _largest_variance(cells.nonmated_from(crossing + 1), cells.nonmated_from(crossing), n)
    return n * n * true + m * m * false, max(m, n)


def _largest_variance(low: int, high: int, total: int) -> float:
    """Return the largest c·(N − c)/N of counts c in a range."""
    count = min(max(low, total / 2), high)
    return count * (total - count) / total
