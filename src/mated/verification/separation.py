"""How far apart the two classes lie: the area under the ROC and d′."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = ["area_under_roc", "d_prime"]


def area_under_roc(tally: Tally) -> float:
    """Return the exact Mann–Whitney statistic: P(mated > non-mated) + ½ P(equal), over all pairs of scores.

    Equal to the area under the trapezoidal ROC; counted in integers and divided once.
    """
    pairs = tally.n_mated * tally.n_nonmated
    mated, reached = tally.mated, tally.nonmated_at_or_above
    if pairs >= 2**63:
        mated, reached = (array.astype(object) for array in (mated, reached))
    # Pairs that the mated score does not win: non-mated at or above it; and those that it loses: above it.
    not_won, lost = int(np.dot(mated, reached)), int(np.dot(mated[:-1], reached[1:]))
    return (2 * pairs - not_won - lost) / (2 * pairs)


def d_prime(tally: Tally) -> float | None:
    """Return (μ_mated − μ_nonmated) / √((σ²_mated + σ²_nonmated)/2), with population variances.

    Positive when mated scores are the more similar, whichever way the user's scores run. None where the
    variances are zero or a score is infinite.
    """
    if not (np.isfinite(tally.scores[0]) and np.isfinite(tally.scores[-1])):
        return None
    scores = tally.scores.astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        return _separation(tally, scores)


def _separation(tally: Tally, scores: NDArray[np.float64]) -> float | None:
    means, variances = [], []
    weights, squares = np.empty_like(scores), np.empty_like(scores)
    for counts, total in ((tally.mated, tally.n_mated), (tally.nonmated, tally.n_nonmated)):
        np.copyto(weights, counts)
        means.append(float(np.dot(weights, scores)) / total)
        np.subtract(scores, means[-1], out=squares)
        squares *= squares
        variances.append(float(np.dot(weights, squares)) / total)
    spread = math.sqrt(sum(variances) / 2)
    value = (means[0] - means[1]) / spread if spread > 0 else math.nan
    return value if math.isfinite(value) else None
