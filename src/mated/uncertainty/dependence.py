"""How alike the errors of comparisons are that share subjects, as correlations that carry over to other tests.

Correlations, unlike design effects, do not depend on the size of a test. With e_i errors in n_i mated comparisons of
subject i, or M_ij false matches in N_ij non-mated comparisons of subjects i and j, T comparisons in all, and
residuals e − p·n or M − U·N:

- mated: a subject's errors have the variance s·(n + ρ·n(n−1)); what Σ(e − p·n)² and p(1−p) are then expected to be
  gives two linear equations for s and s·ρ. The design effect is D = 1 + (k − 1)ρ with k = Σn²/T, the comparisons a
  subject has (Kish 1965);
- non-mated: q the squared residuals of pairs, a the products of residuals of two pairs with one subject in common,
  W = Σ(ΣN)² − 2ΣN², V = (q + a)/(T² − ΣN² − W), the unbiased V_u of `uncertainty.cluster`; with s = U(1−U) + V
  ρ_same = ((q + V·ΣN²)/s − T)/(ΣN² − T) and ρ_shared = (a + V·W)/(s·W), which solves
  D = 1 + 2(S − 2)·k·ρ_shared + (k − 1)·ρ_same of `uncertainty.design` in complete designs with equal k.

The wider variance V_mid would be wrong here: what it adds for safety would be scaled up with the subjects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mated.uncertainty.pair_sums import PairSums

__all__ = ["mated_dependence", "nonmated_dependence"]


def mated_dependence(errors: Any, comparisons: Any) -> tuple[float, float | None]:
    """Return the design effect of mated comparisons and the correlation within subjects, from counts of each subject.

    The correlation is None where no subject has two comparisons, and may come out below 0 by chance. See the head of
    the module.
    """
    e, n = (np.asarray(values, dtype=np.float64) for values in (errors, comparisons))
    total, squares, cubes = float(n.sum()), float(n @ n), float(n @ n**2)
    p = float(e.sum()) / total
    if squares == total:
        return 1.0, None
    # The expected Σ(e − p·n)² is Σv − 2Σn·v/T + Σn²·Σv/T² for variances v, here n and n(n−1).
    for_s = total - squares / total
    for_rho = (squares - total) * (1 + squares / total**2) - 2 * (cubes - squares) / total
    known = np.array([float(((e - p * n) ** 2).sum()), p * (1 - p)])
    spread, covariance = np.linalg.solve([[for_s, for_rho], [1 - 1 / total, (total - squares) / total**2]], known)
    rho = float(covariance / spread)
    return 1 + (squares / total - 1) * rho, rho


def nonmated_dependence(sums: PairSums) -> tuple[float, float, float | None]:
    """Return the design effect of non-mated comparisons, ρ_shared and ρ_same, from sums over pairs of subjects.

    ρ_same is None where no pair of subjects has two comparisons. All may come out too low by chance, below 1 and 0.
    There must be two comparisons of four different subjects. See the head of the module.
    """
    total, squares, u = float(sums.total), sums.squares, sums.count / sums.total
    trials, size = sums.trials.astype(np.float64), sums.subjects * (sums.subjects - 1) / 2
    q = sums.residual_squares / 2 * (total / size) ** 2
    rows = sums.matches - u * trials
    a = float(rows @ rows) - 2 * q
    sharing = float(trials @ trials) - 2 * squares
    variance = (q + a) / (total**2 - squares - sharing)
    spread = u * (1 - u) + max(variance, 0.0)
    same = ((q + variance * squares) / spread - total) / (squares - total) if squares > total else None
    shared = (a + variance * sharing) / spread / sharing if sharing else 0.0
    return variance * total / spread, shared, same
