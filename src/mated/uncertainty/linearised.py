"""Standard errors of FNMR at an FMR and of the EER without resampling, from the influence of pairs of subjects."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from mated.uncertainty.pair_sums import PairSums, Variance, pair_variance
from mated.uncertainty.pigeonhole import at_fmr, eer

if TYPE_CHECKING:
    from fractions import Fraction

    from mated.scores.subject_pairs import SubjectPairs

__all__ = ["Linearised", "linearised_eer", "linearised_fnmr_at_fmr"]


@dataclass(frozen=True)
class Linearised:
    """An estimate, its standard error without resampling, and λ = −ΔFNMR/ΔFMR around its threshold."""

    value: float
    se: float
    threshold: float
    slope: float


def linearised_fnmr_at_fmr(pairs: SubjectPairs, fmr: float, *, variance: Variance = "mid") -> Linearised:
    """Return FNMR at an FMR with its standard error from the influence of each pair of subjects.

    K_ij = (a_i + a_j)/2 + λ·K_ij(FMR) at the estimated threshold, with a_i and K_ij(FMR) of `mated.uncertainty.cluster`
    and λ = −ΔFNMR/ΔFMR, a secant one standard error of FMR to either side. Valid where the ROC is nearly straight over
    that distance; with f·N below about 20 it is not.
    """
    once = np.ones((1, pairs.n_subjects), dtype=np.uint8)
    tmr, threshold = (float(values[0, 0]) for values in at_fmr(pairs, once, [fmr]))
    slope = _secant(pairs, threshold, variance)
    return Linearised(1 - tmr, _linearised_se(pairs, threshold, 1.0, slope, variance), threshold, slope)


def linearised_eer(pairs: SubjectPairs, unit: Fraction | None, *, variance: Variance = "mid") -> Linearised:
    """Return the EER with its standard error likewise: c_a = 1/(1 + λ) for the mated part, λ/(1 + λ) for the other."""
    once = np.ones((1, pairs.n_subjects), dtype=np.uint8)
    value, threshold = (float(values[0]) for values in eer(pairs, once, unit))
    slope = _secant(pairs, threshold, variance)
    se = _linearised_se(pairs, threshold, 1 / (1 + slope), slope / (1 + slope), variance)
    return Linearised(value, se, threshold, slope)


def _secant(pairs: SubjectPairs, threshold: float, variance: Variance) -> float:
    reached, kept = pairs.nonmated_from(threshold), len(pairs.score)
    reach = sqrt(PairSums.at(pairs, threshold).variance(variance)) * pairs.n_nonmated
    steps = [max(reached - max(reach, 1.0), reached / 2), reached + max(reach, 1.0)]
    ends = pairs.score[[min(max(int(np.ceil(step)), 1), kept) - 1 for step in steps]]
    matched = [(pairs.mated_from(end), pairs.nonmated_from(end)) for end in ends.tolist()]
    more, others = matched[1][0] - matched[0][0], matched[1][1] - matched[0][1]
    return (more / pairs.n_mated) / (others / pairs.n_nonmated) if others else 0.0


def _linearised_se(pairs: SubjectPairs, threshold: float, mated: float, nonmated: float, variance: Variance) -> float:
    sums, s = PairSums.at(pairs, threshold), pairs.n_subjects
    missed, n = pairs.false_nonmatches(threshold), pairs.mated_per_subject
    a = (missed - missed.sum() / n.sum() * n) / (n.sum() / s)
    # Σa = 0 and ΣK = 0 make the sums over pairs sums over subjects.
    rows = mated * (s - 2) / 2 * a + nonmated * sums.residual_rows
    crossed = 2 * mated * nonmated * float(a @ sums.residual_rows)
    entries = mated**2 / 2 * (s - 2) * float(a @ a) + crossed + nonmated**2 * sums.residual_squares
    return sqrt(float(pair_variance(float(rows @ rows), entries, s, variance)))
