"""Intervals of what is measured on a gallery, over the people who searched it.

Probes of one subject are alike, so the subjects are the clusters. e_i misses among the n_i probes of subject i give the
Korn–Graubard interval of `mated.uncertainty.cluster`; with one probe a subject it is Wilson's, or Clopper–Pearson's
below 10 misses. Below 10 misses of several probes a subject, N/DEFF probes count, the design effect DEFF taken from the
30 hardest probes. Under expected ties misses are fractions; the same formulas then take real numbers, and only the law
that an upper bound never falls when a miss is added is not kept to the last digit.

The gallery is held fixed. These intervals say what other probes of such people would give in this gallery. They do not
say what another gallery of the same size would give: all probes meet the same enrolled people, and one who resembles
many of them moves every rank at once. For small galleries that part is not small.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.cmc import Shares, Ties, as_ranks, cmc, shares_within
from mated.identification.open_set import (
    UnmatedProbes,
    score_tally,
    unmated_searches,
)
from mated.uncertainty.binomial import FEW, check_level, clopper_pearson, independent, wilson
from mated.uncertainty.cautions import joined, on_dependence
from mated.uncertainty.cluster import fnmr_cluster, logit_t_interval
from mated.verification.cautions import FEW_ERRORS
from mated.verification.rates import inner_threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mated.scores.ranks import Ranks

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]

__all__ = [
    "RateInterval",
    "area_interval",
    "cluster_variance",
    "clusters_of",
    "cmc_intervals",
    "fnir_interval",
    "fpir_interval",
    "mean_rank_interval",
    "sum_by_subject",
]

_HARDEST = 30  # probes from which a design effect is estimated


@dataclass(frozen=True)
class RateInterval:
    """A rate or mean over probes with an interval that allows for several probes of a subject.

    Attributes
    ----------
    value, se, low, high
        The rate, its standard error and the two-sided interval; low ≤ value ≤ high, low < high.
    method, level
        Which rule gave the interval, and what share of such intervals is meant to hold the truth.
    subjects, probes, errors
        What it rests on; errors are fractions where ties are shared out.
    design_effect
        Probes that say as much as one independent probe.
    caution
        When the interval is not to be leaned on, in words.
    """

    value: float
    se: float
    low: float
    high: float
    method: str
    level: float
    subjects: int
    probes: int
    errors: float
    design_effect: float
    caution: str | None = None

    def complement(self) -> RateInterval:
        """Return 1 − this: the interval is the mirror image; the errors stay what they are."""
        return replace(self, value=1 - self.value, low=1 - self.high, high=1 - self.low)


def cmc_intervals(
    ranks: Ranks, at: Sequence[int] = (1,), *, ties: Ties = "expected", level: float = 0.95
) -> tuple[RateInterval, ...]:
    """Return CMC(r) with its interval at each rank.

    The design effect for few misses is that of the 30 hardest probes: those whose mate has most identities above it,
    then those whose mate leads the best other identity by the least.
    """
    with np.errstate(invalid="ignore"):
        lead = ranks.mate_score - ranks.best_other
    hard = _hardest(-ranks.above, np.where(np.isnan(lead), -np.inf, lead))
    return tuple(
        _miss_interval(shares_within(ranks, int(as_ranks(rank, ranks.gallery_size)), ties), ranks.subject, hard, level)
        .complement()
        for rank in at
    )  # fmt: skip


def fnir_interval(
    ranks: Ranks, threshold: float, rank: int | None = 1, *, ties: Ties = "expected", level: float = 0.95
) -> RateInterval:
    """Return FNIR(T, R) with its interval at a threshold of the user's scoring system.

    The design effect for few misses is that of the 30 probes that a rising threshold would miss first.
    """
    inner = inner_threshold(score_tally(ranks, ranks.open_best), threshold)
    found = shares_within(ranks, rank, ties)
    hard = _hardest(found.values, ranks.mate_score)
    return _miss_interval(_accepted(found, ranks.mate_score >= inner), ranks.subject, hard, level)


def fpir_interval(
    ranks: Ranks, threshold: float, *, probes: UnmatedProbes = "open", level: float = 0.95
) -> RateInterval:
    """Return FPIR(T) with its interval at a threshold of the user's scoring system, over those who searched unmated.

    The design effect for few errors is that of the 30 probes with the highest best score.
    """
    best, subject = unmated_searches(ranks, probes)
    inner = inner_threshold(score_tally(ranks, best), threshold)
    return _miss_interval(
        Shares((best < inner).astype(np.float64), 1), subject, _hardest(np.zeros(len(best)), -best), level
    )


def area_interval(ranks: Ranks, *, ties: Ties = "expected", level: float = 0.95) -> RateInterval:
    """Return the area under the CMC, 1 − mean (rank − 1)/n, with its standard error over subjects and logit-t interval.

    With fewer than 10 mates beyond rank 1, or none that differ, the standard error says little: then Clopper–Pearson on
    as many trials as there are subjects, wide since a loss between 0 and 1 varies less than one that is 0 or 1.
    """
    check_level(level)
    curve = cmc(ranks, ties)
    behind = {"expected": 0.5, "optimistic": 0.0, "pessimistic": 1.0}[ties]
    loss = (ranks.above + behind * ranks.tied) / ranks.gallery_size
    owner, n = clusters_of(ranks.subject)
    subjects, beyond = len(n), float(np.count_nonzero(loss))
    if subjects < 2:
        raise MatedError("the probes are those of one subject, and an interval over subjects needs at least two")
    variance = cluster_variance(sum_by_subject(owner, loss), n)
    if beyond < FEW or variance == 0:
        low, high = (1 - bound for bound in clopper_pearson(float(loss.mean()) * subjects, subjects, level)[::-1])
        low, high, method = min(low, curve.area), max(high, curve.area), "Clopper–Pearson (subjects)"
    else:
        (low, high), method = logit_t_interval(curve.area, sqrt(variance), subjects, level), "logit-t (subjects)"
    alone = float(loss.var(ddof=1)) / len(loss)
    return RateInterval(
        curve.area, sqrt(variance), low, high, method, level, subjects, len(loss), beyond,
        variance / alone if alone else 1.0,
        joined(_few(beyond, "mate beyond rank 1", "mates beyond rank 1"), on_dependence(subjects, resampled=True)),
    )  # fmt: skip


def mean_rank_interval(ranks: Ranks, *, ties: Ties = "expected", level: float = 0.95) -> RateInterval:
    """Return the mean rank with its interval: n + 1 − n times the area and its bounds."""
    area, size = area_interval(ranks, ties=ties, level=level), ranks.gallery_size
    low, high = (min(max(1.0, size + 1 - size * bound), float(size)) for bound in (area.high, area.low))
    mean = cmc(ranks, ties).mean_rank
    return replace(area, value=mean, se=area.se * size, low=min(low, mean), high=max(high, mean))


def _miss_interval(found: Shares, subject: Counts, hard: NDArray[np.bool_], level: float) -> RateInterval:
    """Return the interval of the share of probes that were not found."""
    check_level(level)
    owner, n = clusters_of(subject)
    unit, total, subjects = found.unit or 1, len(subject), len(n)
    errors = float(total * unit - found.parts.sum()) / unit
    p, whole = errors / total, bool(np.isin(found.parts, (0, unit)).all())
    cautions = joined(_few(errors, "error", "errors"), on_dependence(subjects, resampled=True))
    if n.max() == 1:
        few = min(errors, total - errors) < FEW
        bounds = independent if whole else clopper_pearson if few else wilson
        low, high = bounds(errors, total, level)
        method = "Clopper–Pearson" if few else "Wilson"
        se, effect = sqrt(p * (1 - p) / total), 1.0
        return RateInterval(
            p, se, low, high, method, level, subjects, total, errors, effect, _few(errors, "error", "errors")
        )
    if subjects < 2:
        raise MatedError("the probes are those of one subject, and an interval over subjects needs at least two")
    known = _tail_effect(sum_by_subject(owner, hard), n)
    e = sum_by_subject(owner, 1 - found.values)
    if whole:
        result = fnmr_cluster(np.rint(e), n, level, design_effect=known or "worst")
        low, high, method, se, effect = result.low, result.high, result.method, result.se, result.design_effect
    else:
        low, high, method, se, effect = _real_errors(e, n, errors, level, known)
    return RateInterval(p, se, low, high, method, level, subjects, total, errors, effect, cautions)


def _real_errors(
    e: Floats, n: Counts, errors: float, level: float, known: float | None
) -> tuple[float, float, str, float, float]:
    """Do what `fnmr_cluster` does for errors that are fractions, without its running maximum."""
    from scipy.special import ndtri, stdtrit

    total, subjects = int(n.sum()), len(n)
    p = errors / total
    assumed = total / subjects if known is None else known
    if errors < FEW:
        low, high = clopper_pearson(errors / assumed, total / assumed, level)
        method = "Clopper–Pearson (subjects)" if known is None else "Clopper–Pearson (N/DEFF)"
        return min(low, p), max(high, p), method, sqrt(p * (1 - p) * assumed / total), assumed
    variance = cluster_variance(e, n)
    tails = (1 + level) / 2
    trials = float(subjects)
    if variance > 1e-12 * p * (1 - p) / total:
        trials = min(p * (1 - p) / variance, total) * float(ndtri(tails) / stdtrit(subjects - 1, tails)) ** 2
    low, high = clopper_pearson(p * trials, trials, level)
    high = max(high, p, clopper_pearson(FEW / assumed, total / assumed, level)[1])
    effect = total * variance / (p * (1 - p)) if 0 < p < 1 and variance else total / subjects
    return min(low, p), high, "Korn–Graubard", sqrt(variance), effect


def clusters_of(subject: Counts) -> tuple[Counts, Counts]:
    """Return for each probe the number of its subject, from 0 up, and the probes of each."""
    _, owner, sizes = np.unique(subject, return_inverse=True, return_counts=True)
    return owner, sizes


def sum_by_subject(owner: Counts, values: NDArray[Any]) -> Floats:
    """Return the sum of the probes' values of each subject."""
    return np.asarray(np.bincount(owner, weights=values), dtype=np.float64)


def cluster_variance(e: Floats, n: Counts) -> float:
    """Return Σ((e − p·n)/n̄)²/(S(S − 1)), the variance of the mean p = Σe/Σn over subjects."""
    subjects, total = len(n), float(n.sum())
    a = (e - e.sum() / total * n) / (total / subjects)
    return float(a @ a) / (subjects * (subjects - 1))


def _hardest(first: NDArray[Any], then: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the 30 probes with the least `first`, then the least `then`, and all that equal the last of them."""
    if len(first) < _HARDEST:
        return np.zeros(len(first), dtype=bool)
    last = np.lexsort((then, first))[_HARDEST - 1]
    marked: NDArray[np.bool_] = (first < first[last]) | ((first == first[last]) & (then <= then[last]))
    return marked


def _tail_effect(e: Floats, n: Counts) -> float | None:
    """Return the design effect of errors that are enough to show one, at least 1; None where they are not."""
    count, total = float(e.sum()), int(n.sum())
    if not _HARDEST <= count < total:
        return None
    p = count / total
    return max(1.0, cluster_variance(e, n) * total / (p * (1 - p)))


def _accepted(found: Shares, accepted: NDArray[np.bool_]) -> Shares:
    return Shares(np.where(accepted, found.parts, 0.0), found.unit)


def _few(errors: float, one: str, many: str) -> str | None:
    if errors >= FEW_ERRORS:
        return None
    return f"only {errors:.3g} {one if errors == 1 else many}" if errors else f"no {many}"
