"""The theoretical CMC of Bolle et al. (2005): ranks predicted from the distributions of all scores.

The mate's score x is a threshold on the scores of its m − 1 rivals, each of which exceeds it with probability FAR(x).
So the rank is 1 + Binomial(m − 1, FAR(x)), and the CMC is the mean of that law over the mated scores (their Eqs. 14
and 16). With the distributions of all comparisons, as here, this is the prediction from the global ROC: of the
staircase of the scores, where `cmc_of_roc(global_roc(…))` takes the line through its corners. It assumes that every
subject has the same distributions.

What a mated score does that equals non-mated ones is a named choice. FAR is P(Y > x) when it comes first (optimistic,
the X ≥ Y of the paper's rank 1), P(Y ≥ x) when it comes last (pessimistic), and P(Y > x) + u·P(Y = x), u uniform,
when rivals that score the same are put in random order (expected); the mean over u is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.rank_law import (
    as_gallery_size,
    beating_range,
    mean_rank_cdf,
    mean_rank_probability,
    ranks_asked,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mated.identification.cmc import Ties
    from mated.scores import Tally

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["narrow_cmc", "narrow_rank_probabilities", "theoretical_cmc", "theoretical_rank_probabilities"]


def theoretical_cmc(
    tally: Tally, gallery_size: float, ranks: ArrayLike | None = None, *, ties: Ties = "expected"
) -> Floats:
    """Return CMC(K), the probability that the mate is among K candidates (Bolle et al. 2005, Eq. 16).

    Formula: the mean over mated scores x of Σ_{k ≤ K} C(m−1, k−1) FAR(x)^(k−1) (1 − FAR(x))^(m−k) = 1 − I_FAR(x)(K, m
    − K).

    For galleries from 2 to 10^9, absolute error below 1e-12. For m = 2 and expected ties, CMC(1) is the area under
    the ROC (their Eq. 10). A mated score above every non-mated one has FAR 0 and rank 1 in any gallery, so the
    prediction is too good where m exceeds the number of non-mated scores.
    """
    size = as_gallery_size(gallery_size)
    return mean_rank_cdf(*_false_accepts(tally, ties), size, ranks_asked(ranks, size)).ravel()


def theoretical_rank_probabilities(
    tally: Tally, gallery_size: float, ranks: ArrayLike | None = None, *, ties: Ties = "expected"
) -> Floats:
    """Return P(k), the probability that the mate ranks k (Bolle et al. 2005, Eq. 14).

    Computed for itself in log space, not as a difference of the CMC, so that small probabilities keep their digits.
    Cost: ranks × distinct mated scores; for every rank of a large gallery the CMC's differences are much faster.
    """
    size = as_gallery_size(gallery_size)
    return mean_rank_probability(*_false_accepts(tally, ties), size, ranks_asked(ranks, size))


def narrow_cmc(tally: Tally, gallery_size: float, ranks: ArrayLike | None = None, *, ties: Ties = "expected") -> Floats:
    """Return the CMC as if every mated score were the mean one (Bolle et al. 2005, Eq. 17).

    Formula: Σ_{k ≤ K} C(m−1, k−1) FAR(x̂)^(k−1) (1 − FAR(x̂))^(m−k), x̂ the mean mated score. An approximation for mated
    scores that are close together beside the non-mated ones; it knows nothing of the mates that score low. Where no
    non-mated score reaches x̂ it predicts rank 1 for everybody in any gallery.
    """
    size = as_gallery_size(gallery_size)
    return mean_rank_cdf(*_typical_false_accept(tally, ties), size, ranks_asked(ranks, size)).ravel()


def narrow_rank_probabilities(
    tally: Tally, gallery_size: float, ranks: ArrayLike | None = None, *, ties: Ties = "expected"
) -> Floats:
    """Return P(k) as if every mated score were the mean one (Bolle et al. 2005, Eq. 15)."""
    size = as_gallery_size(gallery_size)
    return mean_rank_probability(*_typical_false_accept(tally, ties), size, ranks_asked(ranks, size))


def _false_accepts(tally: Tally, ties: Ties) -> tuple[Floats, Floats, Floats]:
    """Return the range of FAR at each distinct mated score, and the share of mated scores there."""
    _check(tally)
    at = np.flatnonzero(tally.mated)
    low, high = beating_range(
        np.append(tally.nonmated_at_or_above[1:], 0)[at] / tally.n_nonmated,
        tally.nonmated_at_or_above[at] / tally.n_nonmated,
        ties,
    )
    return low, high, tally.mated[at] / tally.n_mated


def _typical_false_accept(tally: Tally, ties: Ties) -> tuple[Floats, Floats, Floats]:
    """Return the range of FAR at the mean mated score, with weight 1."""
    _check(tally)
    at = np.flatnonzero(tally.mated)
    scores = tally.scores[at].astype(np.float64)
    if not np.isfinite(scores[[0, -1]]).all():
        raise MatedError("the narrow approximation takes the mean mated score, and a mated score is infinite")
    # A mean of equal scores is that score, whatever rounding says.
    mean = np.clip(np.dot(scores, tally.mated[at] / tally.n_mated), scores[0], scores[-1])
    counts = np.append(tally.nonmated_at_or_above, 0)
    reached = counts[np.searchsorted(tally.scores, mean, side="left")]
    exceeded = counts[np.searchsorted(tally.scores, mean, side="right")]
    low, high = beating_range(np.array([exceeded / tally.n_nonmated]), np.array([reached / tally.n_nonmated]), ties)
    return low, high, np.ones(1)


def _check(tally: Tally) -> None:
    if not tally.n_mated or not tally.n_nonmated:
        raise MatedError(
            "a prediction of ranks needs mated and non-mated scores, and there are "
            f"{tally.n_mated} and {tally.n_nonmated} of them"
        )
