"""The convex hull of the ROC, by pooling adjacent violators.

The slopes of the hull are likelihood ratios: the best monotone calibration of the scores. The hull's equal
error rate, the minimum detection cost and the minimum of the log-likelihood-ratio cost all come from its corners.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = ["Hull", "roc_hull"]


@dataclass(frozen=True, eq=False)
class Hull:
    """Blocks of neighbouring scores that share one likelihood ratio, which rises from block to block.

    Attributes
    ----------
    first
        Position of each block's lowest score among the distinct scores, ascending.
    mated, nonmated
        Number of comparisons of each class in each block.
    """

    first: NDArray[np.int64]
    mated: NDArray[np.int64]
    nonmated: NDArray[np.int64]


def roc_hull(tally: Tally) -> Hull:
    """Return the hull of a tally's ROC.

    Runs of scores of one class alone are one block from the start, which leaves little to pool.
    """
    from scipy.optimize import isotonic_regression

    only_nonmated, only_mated = tally.mated == 0, tally.nonmated == 0
    starts = np.ones(len(tally.scores), dtype=bool)
    starts[1:] = ~((only_nonmated[1:] & only_nonmated[:-1]) | (only_mated[1:] & only_mated[:-1]))
    runs = np.flatnonzero(starts)
    mated, nonmated = _sums_from(tally.mated_at_or_above, runs), _sums_from(tally.nonmated_at_or_above, runs)
    together = mated + nonmated
    blocks = isotonic_regression(mated / together, weights=together).blocks[:-1]
    return Hull(runs[blocks], np.add.reduceat(mated, blocks), np.add.reduceat(nonmated, blocks))


def _sums_from(at_or_above: NDArray[np.int64], starts: NDArray[np.intp]) -> NDArray[np.int64]:
    return -np.diff(at_or_above[starts], append=0)
