"""What other communities read from the same counts: detection cost, Cllr, HTER, and FVC's operating points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.verification.hull import Hull, roc_hull
from mated.verification.rates import at_threshold, exact_rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = [
    "DetectionCost",
    "bayes_threshold",
    "cllr",
    "detection_cost",
    "fvc_rates",
    "half_total_error_rate",
    "min_cllr",
]


@dataclass(frozen=True)
class DetectionCost:
    """The expected cost of decisions, divided by the cost of the better of accepting or rejecting everyone.

    C(t) = c_miss · p · FNMR(t) + c_false · (1 − p) · FMR(t), over min(c_miss · p, c_false · (1 − p)).

    Attributes
    ----------
    minimum, threshold
        The least cost any threshold reaches, and the lowest such threshold in the user's scoring system.
    actual, actual_threshold
        The cost at the threshold in use: the one given, else the Bayes threshold
        log(c_false · (1 − p) / (c_miss · p)), which presumes that scores are natural log-likelihood ratios.
    """

    prior: float
    cost_miss: float
    cost_false: float
    minimum: float
    threshold: int | float
    actual: float | None
    actual_threshold: float | None


def bayes_threshold(prior: float, cost_miss: float = 1.0, cost_false: float = 1.0) -> float:
    """Return log(c_false · (1 − p) / (c_miss · p)): where a natural log-likelihood ratio pays to accept."""
    p = float(exact_rate(prior, "a prior"))
    if not (cost_miss > 0 and cost_false > 0 and np.isfinite(cost_miss) and np.isfinite(cost_false)):
        raise MatedError(f"costs must be positive numbers, and {cost_miss} and {cost_false} are not both")
    return float(np.log(cost_false * (1 - p)) - np.log(cost_miss * p))


def detection_cost(
    tally: Tally,
    *,
    prior: float,
    cost_miss: float = 1.0,
    cost_false: float = 1.0,
    threshold: float | None = None,
    hull: Hull | None = None,
) -> DetectionCost:
    """Compute minimum and actual normalised detection cost for a prior of mated comparisons and two costs."""
    bayes = bayes_threshold(prior, cost_miss, cost_false)
    p = float(exact_rate(prior, "a prior"))
    miss, false = cost_miss * p, cost_false * (1 - p)
    # Divided by the smaller of the two, one weight is exactly 1: accepting or rejecting everyone costs 1.
    miss, false = miss / min(miss, false), false / min(miss, false)
    # A linear cost is least at a corner of the hull. The last entry is the threshold above every score.
    corners = (hull or roc_hull(tally)).first
    missed = tally.n_mated - np.append(tally.mated_at_or_above[corners], 0)
    matched = np.append(tally.nonmated_at_or_above[corners], 0)
    costs = miss * (missed / tally.n_mated) + false * (matched / tally.n_nonmated)
    best = int(np.argmin(costs))
    at = tally.scores[corners[best]] if best < len(corners) else np.inf
    if threshold is None and not tally.dissimilarity:
        threshold = bayes
    actual = None
    if threshold is not None:
        point = at_threshold(tally, threshold)
        actual = miss * point.fnmr + false * point.fmr
    return DetectionCost(
        prior=p,
        cost_miss=float(cost_miss),
        cost_false=float(cost_false),
        minimum=float(costs[best]),
        threshold=tally.to_user(float(at)),
        actual=actual,
        actual_threshold=threshold,
    )


def cllr(tally: Tally) -> float | None:
    """Return the log-likelihood-ratio cost, in bits, of scores read as natural log-likelihood ratios.

    Cllr = ½ mean log2(1 + e^−s) over mated + ½ mean log2(1 + e^s) over non-mated (Brümmer & du Preez 2006).
    0 is perfect, 1 is as good as knowing nothing, more is misleading. None for dissimilarities.
    """
    if tally.dissimilarity:
        return None
    return _mean_bits(tally.scores.astype(np.float64), tally.mated, tally.nonmated)


def min_cllr(tally: Tally, hull: Hull | None = None) -> float:
    """Return Cllr after the best monotone recalibration of the scores, found by pooling adjacent violators."""
    hull = hull or roc_hull(tally)
    with np.errstate(divide="ignore"):
        ratios = np.log(hull.mated / tally.n_mated) - np.log(hull.nonmated / tally.n_nonmated)
    return _mean_bits(ratios, hull.mated, hull.nonmated)


def _mean_bits(ratios: NDArray[np.float64], mated: NDArray[np.int64], nonmated: NDArray[np.int64]) -> float:
    """Return ½ mean log2(1 + e^−r) over mated + ½ mean log2(1 + e^r) over non-mated; the ratios ascend.

    log(1 + e^x) = log(1 + e^−|x|) + max(x, 0) never overflows.
    """
    small = np.abs(ratios)
    for step in (np.negative, np.exp, np.log1p):
        step(small, out=small)
    zero = int(np.searchsorted(ratios, 0.0))
    costs, weights = [], np.empty_like(small)
    for counts, side in ((mated, slice(None, zero)), (nonmated, slice(zero, None))):
        np.copyto(weights, counts)
        wrong = ratios[side]
        if wrong.size and not np.isfinite(wrong[[0, -1]]).all():  # costs only those that have it
            wrong = np.where(counts[side] > 0, wrong, 0.0)
        costs.append((np.dot(weights, small) + np.abs(np.dot(weights[side], wrong))) / counts.sum())
    return float(costs[0] + costs[1]) / 2 / math.log(2)


def fvc_rates(tally: Tally) -> dict[str, float]:
    """Return FMR100, FMR1000 and ZeroFMR: the lowest FNMR with FMR ≤ 1 %, ≤ 0.1 % and 0 (Maio et al. 2002)."""
    rates = {}
    for name, divisor in (("fmr100", 100), ("fmr1000", 1000), ("zero_fmr", None)):
        allowed = tally.n_nonmated // divisor if divisor else 0
        index = len(tally.scores) - int(np.searchsorted(tally.nonmated_at_or_above[::-1], allowed, side="right"))
        rates[name] = (tally.n_mated - tally.mated_from(index)) / tally.n_mated
    return rates


def half_total_error_rate(tally: Tally, threshold: float) -> float:
    """Return (FMR + FNMR)/2 at a threshold that was set on other data."""
    point = at_threshold(tally, threshold)
    return (point.fmr + point.fnmr) / 2
