"""The CMC that a ROC predicts, in closed form (Veldhuis & Raja 2023, Theorem 1).

cmc(r; n) = ∫₀¹ ρ(α) β(α; r, n − r) dα for 1 ≤ r < n, and 1 for r = n (their Eqs. 16 and 17). On a piece ρ(α) = a + bα
the integral is a·ΔI_α(r, n − r) + b·(r/n)·ΔI_α(r + 1, n − r), I the regularised incomplete beta function. By parts it
is

    cmc(r; n) = ρ(0) + Σ over pieces (rise of ρ) · mean over the piece of P(rank ≤ r | α),

a sum of terms that are not negative: steep pieces and large galleries lose no digits, and nothing is integrated
numerically.

The relation holds for the ROC of one subject, and for the average of the subjects' ROCs at constant FMR; the global
ROC predicts the CMC only where all subjects share their false match rates (their Eq. 12).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.identification.rank_law import as_gallery_size, mean_rank_cdf, ranks_asked
from mated.verification.individual import RocFunction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mated.scores import Tally
    from mated.verification.individual import IndividualRocs

__all__ = ["cmc_of_roc", "cmc_of_rocs", "global_roc"]

_ROUNDING = 1e-9


def cmc_of_roc(roc: RocFunction, gallery_size: float, ranks: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return the CMC that a piecewise linear ROC predicts, at the ranks given (every rank of galleries up to 10,000).

    With the ROC of one subject this is the subject's own CMC, with `average_roc` that of the population (Veldhuis &
    Raja 2023, Eqs. 16 and 17); with `global_roc` it is what is usually predicted, and is biased where subjects
    differ. The value at FMR 0, a jump of the ROC, counts as rank 1.

    The gallery holds one reference of each of n identities, the mate counted. Absolute error below 1e-12 for
    galleries from 2 to 10^9; the prediction itself is optimistic where n times the smallest FMR that the data can
    show exceeds 1.

    Cost: one pass over the corners, each with the ranks around n·FMR; 10^6 corners and a handful of ranks take well
    under a second.
    """
    size = as_gallery_size(gallery_size)
    asked = ranks_asked(ranks, size)
    _check(roc.fmr, roc.tmr, np.array([0, len(roc.fmr)]))
    low, high = np.append(0.0, roc.fmr[:-1]), roc.fmr
    return mean_rank_cdf(low, high, np.diff(roc.tmr, prepend=0.0), size, asked).ravel()


def cmc_of_rocs(rocs: IndividualRocs, gallery_size: float, ranks: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return the CMC of every subject from its own ROC: subjects × ranks (Veldhuis & Raja 2023, Eq. 16).

    The mean over subjects is `cmc_of_roc(average_roc(rocs), …)`, since the relation is linear in the ROC (their Eq.
    17).
    """
    size = as_gallery_size(gallery_size)
    asked = ranks_asked(ranks, size)
    _check(rocs.fmr, rocs.tmr, rocs.starts)
    first = rocs.starts[:-1]
    low, rise = np.append(0.0, rocs.fmr[:-1]), np.diff(rocs.tmr, prepend=0.0)
    low[first], rise[first] = 0.0, rocs.tmr[first]
    owner = np.repeat(np.arange(len(rocs)), np.diff(rocs.starts))
    return mean_rank_cdf(low, rocs.fmr, rise, size, asked, owner, len(rocs))


def global_roc(tally: Tally) -> RocFunction:
    """Return the ROC of all comparisons under one threshold (Veldhuis & Raja 2023, Eqs. 28 and 29).

    Corners are (share of non-mated scores ≥ t, share of mated scores ≥ t) at the mated scores t; of corners at equal
    FMR the one with the largest TMR stays; (0, 0), unless a mated score lies above every non-mated one, and (1, 1)
    are joined on. So it is made as the individual ROCs are, and a difference of their predictions is none of the
    rule. `roc_curve` has a corner at every score instead.
    """
    if not tally.n_mated or not tally.n_nonmated:
        raise MatedError(
            f"a ROC needs mated and non-mated scores, and there are {tally.n_mated} and {tally.n_nonmated} of them"
        )
    at = np.flatnonzero(tally.mated > 0)[::-1]  # from the highest score down: both rates ascend
    reached = tally.nonmated_at_or_above[at]
    last = np.append(reached[1:] != reached[:-1], True)
    fmr = reached[last] / tally.n_nonmated
    tmr = tally.mated_at_or_above[at][last] / tally.n_mated
    if fmr[0] > 0:
        fmr, tmr = np.append(0.0, fmr), np.append(0.0, tmr)
    if fmr[-1] < 1:
        fmr, tmr = np.append(fmr, 1.0), np.append(tmr, 1.0)
    return RocFunction(fmr, tmr)


def _check(fmr: NDArray[np.float64], tmr: NDArray[np.float64], starts: NDArray[np.int64]) -> None:
    """Refuse what is no ROC: it runs from FMR 0 to (1, 1) and never falls."""
    first, last = starts[:-1], starts[1:] - 1
    steps = np.ones(max(len(fmr) - 1, 0), dtype=bool)
    steps[last[:-1]] = False
    if not (
        len(fmr) == len(tmr)
        and np.all(last > first)
        and np.all(fmr[first] == 0)
        and np.all(fmr[last] == 1)
        and np.all(np.abs(tmr[last] - 1) <= _ROUNDING)
        and np.all(tmr[first] >= 0)
        and np.all(np.diff(fmr)[steps] >= 0)
        and np.all(np.diff(tmr)[steps] >= -_ROUNDING)
    ):
        raise MatedError(
            "a ROC runs from FMR 0 to (FMR, TMR) = (1, 1), and neither rate falls on the way; this one does not"
        )
