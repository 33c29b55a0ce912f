"""How far apart the two classes lie: the area under the ROC and d′."""

from __future__ import annotations

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
    # Twice the non-mated scores below each score, plus those at it.
    twice_below = 2 * tally.n_nonmated - tally.nonmated_at_or_above - np.append(tally.nonmated_at_or_above[1:], 0)
    if 2 * pairs < 2**63:
        twice = int(np.dot(tally.mated, twice_below))
    else:
        present = tally.mated > 0
        twice = int(np.dot(tally.mated[present].astype(object), twice_below[present].astype(object)))
    return twice / (2 * pairs)


def d_prime(tally: Tally) -> float | None:
    """Return (μ_mated − μ_nonmated) / √((σ²_mated + σ²_nonmated)/2), with population variances.

    Positive when mated scores are the more similar, whichever way the user's scores run. None where the
    variances are zero or a score is infinite.
    """
    if not (np.isfinite(tally.scores[0]) and np.isfinite(tally.scores[-1])):
        return None
    means, variances = zip(*(_moments(tally, counts) for counts in (tally.mated, tally.nonmated)), strict=True)
    spread = float(np.sqrt((variances[0] + variances[1]) / 2))
    return float(means[0] - means[1]) / spread if spread > 0 else None


def _moments(tally: Tally, counts: NDArray[np.int64]) -> tuple[float, float]:
    scores = tally.scores.astype(np.float64, copy=False)
    weights = counts.astype(np.float64)
    total = int(counts.sum())
    mean = float(np.dot(weights, scores)) / total
    deviations = scores - mean
    deviations *= deviations
    return mean, float(np.dot(weights, deviations)) / total
