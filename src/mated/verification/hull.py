"""The convex hull of the ROC, by pooling adjacent violators.

The slopes of the hull are likelihood ratios: the best monotone calibration of the scores. Both the
hull's equal error rate and the minimum of the log-likelihood-ratio cost come from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = ["hull_counts"]


def hull_counts(tally: Tally) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return mated and non-mated counts of the pooled blocks of scores, ascending in score.

    Within a block all scores share one likelihood ratio; from block to block it rises strictly.
    """
    from scipy.optimize import isotonic_regression

    together = tally.mated + tally.nonmated
    fitted = isotonic_regression(tally.mated / together, weights=together)
    starts = fitted.blocks[:-1]
    mated, nonmated = (np.add.reduceat(counts, starts) for counts in (tally.mated, tally.nonmated))
    return mated, nonmated
