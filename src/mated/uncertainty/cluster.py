"""Intervals at a fixed threshold that know of subjects, in closed form.

FNMR: the subjects are clusters of mated comparisons. e_i errors in n_i comparisons of subject i, S subjects, p = Σe/Σn,
n̄ = Σn/S, a_i = (e_i − p·n_i)/n̄, variance v = Σa²/(S(S−1)); then the interval of Korn and Graubard (1998).

FMR: a comparison belongs to two subjects. M_ij false matches in N_ij comparisons, U = ΣM/ΣN, N̄ the mean of N_ij over
all pairs, K_ij = (M_ij − U·N_ij)/N̄, r_i = Σ_j K_ij, Q = ΣK² over ordered pairs (ΣK = 0). Three variances:

    V_u   = (4(Σr² − Q) + 2Q) / (S(S−1)(S−2)(S−3))    of the U-statistic, unbiased in balanced designs
    V_row = 4Σr² / (S(S−1)³)                          of the subjects' means; takes what pairs add by themselves twice
    V_mid = (V_u + V_row)/2

none taken below U(1−U)/N, the variance of independent comparisons; then logit(U) ± q·√V/(U(1−U)) with q the t quantile
of S−1 degrees. With two or three subjects no variance can be estimated: Clopper–Pearson on ⌊S/2⌋.

Few errors (below 10): Clopper–Pearson with N/DEFF comparisons, the design effect DEFF taken from where there are more.

Few false matches in effect: errors come in bunches, from few pairs of people, so that fifty of them may say no more
than two or three independent ones; the variance is then estimated too low whenever the bunches happen to be few. Where
the design effect at the hundredth highest non-mated score leaves fewer than 4 errors, the interval is that of Jeffreys
with N/DEFF comparisons and that design effect. It does not follow the errors in use, which is what keeps the coverage.

An upper bound never falls when an error is added, to whatever subject or pair. The formulas alone do not keep that law
(an error that makes subjects more alike shrinks the variance), so the bound is a running maximum: the greatest of the
bounds of k errors, k from 0 to those observed, each with the largest variance that k of them could show, or a little
more. At k = all errors this is the formula itself (`formula_high`). With 100 subjects it is nearly always the greatest;
with 30 the law can make an interval of FMR half as wide again, mostly because fewer errors in fewer hands would indeed
have had a higher bound.

Limits: fewer than about 50 subjects, or few subjects behind the errors, make coverage fall to about 90 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.uncertainty.binomial import FEW, check_level, clopper_pearson, jeffreys
from mated.uncertainty.pair_sums import PairSums, Variance
from mated.uncertainty.running_maximum import greatest_rate
from mated.uncertainty.subject_sums import SubjectSums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mated.scores.subject_pairs import SubjectPairs

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "ClusterInterval",
    "DesignEffects",
    "fmr_cluster",
    "fnmr_cluster",
    "logit_t_interval",
    "rates_at_threshold",
    "rates_at_thresholds",
    "tail_design_effects",
]

KnownEffect: TypeAlias = float | Literal["worst"] | None
"""A design effect for few errors: known, not known (one comparison a subject, or half a subject), not given."""

_ENOUGH = 30  # errors from which a design effect is estimated
_BUNCHED = 100  # false matches whose bunches show the design effect of fewer
_FEW_IN_EFFECT = 4
_SINGLY = 2  # thresholds that are not worth a pass over all comparisons


@dataclass(frozen=True)
class ClusterInterval:
    """A rate at a fixed threshold with an interval that allows for shared subjects.

    Attributes
    ----------
    value, se, low, high
        The rate, its standard error and the two-sided interval; low ≤ value ≤ high, low < high.
    method
        Which rule gave the interval.
    subjects, errors, comparisons
        What it rests on; subjects without a comparison of the class are not counted.
    design_effect
        Comparisons that say as much as one independent comparison: estimated, or as given for few errors.
    formula_high
        The upper bound by the formula alone, before the running maximum.
    behind
        How many subjects stand behind the errors in effect, (Σe)²/Σe² over the subjects' errors; None without errors.
    worst_case
        With few errors: Clopper–Pearson as if each subject (FNMR) or two subjects (FMR) had but one comparison.
    """

    value: float
    se: float
    low: float
    high: float
    method: str
    subjects: int
    errors: int
    comparisons: int
    design_effect: float
    formula_high: float
    behind: float | None
    worst_case: tuple[float, float] | None = None


class DesignEffects(NamedTuple):
    """The design effects of both rates where errors are few but enough: at 30 errors, and of FMR also at 100.

    None where there are never so many errors.
    """

    fmr: float | None
    fnmr: float | None
    fmr_bunched: float | None = None


def fnmr_cluster(
    errors: Any, comparisons: Any, level: float = 0.95, *, design_effect: KnownEffect = None
) -> ClusterInterval:
    """Return the Korn–Graubard interval of FNMR from the errors and comparisons of each subject.

    n* = min(p(1−p)/v, N)·(z/q)², z and q the normal and t (S−1 degrees) quantiles; Clopper–Pearson with the real number
    p·n* of errors in n*. Where every subject has the same rate (v = 0), n* = S. Below 10 errors n* = N/DEFF with the
    `design_effect` given, "worst" for n* = S.

    Reference: Korn and Graubard (1998).
    """
    e, n = (np.asarray(values, dtype=np.int64) for values in (errors, comparisons))
    if e.shape != n.shape or e.ndim != 1 or (e < 0).any() or (e > n).any():
        raise MatedError(
            "give for each subject its errors and its comparisons, whole numbers with errors ≤ comparisons"
        )
    e, n = e[n > 0], n[n > 0]
    subjects, total, count = len(n), int(n.sum()), int(e.sum())
    check_level(level)
    _refuse_one(subjects, "mated")
    if count < FEW:
        return _few_errors(count, total, subjects, subjects, level, design_effect, _behind(e))
    p, (z, q) = count / total, _quantiles(level, subjects)
    sums = SubjectSums.of(e, n)
    proportional = np.array_equal(e * total, count * n)
    variance = 0.0 if proportional else sums.variance()

    def trials(spread: Floats, variance: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            independent = spread / variance
        effective: Floats = np.fmin(independent, total) * (z / q) ** 2
        return effective

    def bound(k: Floats) -> Floats:
        rate = k / total
        size = trials(rate * (1 - rate), sums.largest_variance(k))
        return clopper_pearson(rate * size, size, level)[1]

    def limit(least: Floats, most: Floats) -> Floats:
        # The bound rises with the rate and falls with the trials.
        rates = (least / total, most / total)
        size = trials(np.minimum(*(r * (1 - r) for r in rates)), sums.variance_limit(least, most))
        return clopper_pearson(rates[1] * size, size, level)[1]

    size = float(subjects)
    if not proportional:
        size = float(trials(np.array([p * (1 - p)]), np.array([variance]))[0])
    low, high = clopper_pearson(p * size, size, level)
    low, high = min(low, p), max(high, p)
    alone, high = high, greatest_rate(FEW, count - 1, bound, limit, high)
    same_rate = float((e / n).min())
    if same_rate * total >= FEW:  # equal rates among these errors would have shown no variance
        high = max(high, clopper_pearson(same_rate * subjects, subjects, level)[1])
    high = max(high, _bound_below_few(total, subjects, level, design_effect))
    effect = total * variance / (p * (1 - p)) if 0 < p < 1 and variance else total / subjects
    se = sqrt(variance)
    return ClusterInterval(p, se, low, high, "Korn–Graubard", subjects, count, total, effect, alone, _behind(e))


def fmr_cluster(
    false_matches: Any,
    totals: Any,
    level: float = 0.95,
    *,
    variance: Variance = "mid",
    design_effect: KnownEffect = None,
    bunched_effect: float | None = None,
) -> ClusterInterval:
    """Return the logit-t interval of FMR from M and N, symmetric with zero diagonal, dense or sparse.

    Below 10 errors Clopper–Pearson with N/DEFF comparisons and the `design_effect` given, "worst" for ⌊S/2⌋. From 10
    errors on, but below 4 in effect by the `bunched_effect`, Jeffreys with that one.
    """
    sums = PairSums.of_matrices(false_matches, totals)
    return _fmr_interval(sums, level, variance, design_effect, bunched_effect)


def rates_at_threshold(
    pairs: SubjectPairs, threshold: float, level: float = 0.95, *, variance: Variance = "mid"
) -> tuple[ClusterInterval, ClusterInterval]:
    """Return FMR and FNMR at a threshold (an inner similarity), design effects for few errors taken from the tails."""
    return rates_at_thresholds(pairs, [threshold], level, variance=variance)[0]


def rates_at_thresholds(
    pairs: SubjectPairs, thresholds: Sequence[float], level: float = 0.95, *, variance: Variance = "mid"
) -> list[tuple[ClusterInterval, ClusterInterval]]:
    """Return FMR and FNMR at each of several thresholds, the same as one by one.

    Comparisons are counted once, from the highest threshold down (`mated.uncertainty.pair_sweep`).
    """
    effects = tail_design_effects(pairs, variance=variance)
    falling = sorted(range(len(thresholds)), key=lambda place: -thresholds[place])
    if len(thresholds) > _SINGLY:
        from mated.uncertainty.pair_sweep import pair_sums_going_down

        swept = pair_sums_going_down(pairs, [thresholds[place] for place in falling])
    else:
        swept = (PairSums.at(pairs, thresholds[place]) for place in falling)
    results: dict[int, tuple[ClusterInterval, ClusterInterval]] = {}
    missed, missed_from = np.zeros(pairs.n_subjects, dtype=np.int64), 0
    for place, sums in zip(falling, swept, strict=True):
        reached = pairs.mated_from(thresholds[place])
        if not results:
            missed = pairs.false_nonmatches(thresholds[place])
        else:
            missed = missed - np.bincount(pairs.mated_subject[missed_from:reached], minlength=pairs.n_subjects)
        missed_from = reached
        results[place] = (
            _fmr_interval(sums.compact(), level, variance, effects.fmr or "worst", effects.fmr_bunched),
            fnmr_cluster(missed, pairs.mated_per_subject, level, design_effect=effects.fnmr or "worst"),
        )
    return [results[place] for place in range(len(thresholds))]


def tail_design_effects(pairs: SubjectPairs, *, variance: Variance = "mid") -> DesignEffects:
    """Estimate both design effects at the thresholds that leave the fewest errors, but at least 30 (FMR: also 100).

    For FMR the highest such threshold, for FNMR the lowest. Each is the variance divided by that of independent
    comparisons, and at least 1. They depend on the data alone, not on a threshold in use.
    """
    fmr, bunched = (_tail_effect(pairs, errors, variance) for errors in (_ENOUGH, _BUNCHED))
    fnmr = None
    if pairs.n_mated >= _ENOUGH:
        beyond = float(np.nextafter(pairs.mated_score[-_ENOUGH], np.inf))
        n = pairs.mated_per_subject
        e, n = pairs.false_nonmatches(beyond)[n > 0], n[n > 0]
        rate = float(e.sum() / n.sum())
        if rate < 1 and len(n) > 1:
            fnmr = max(1.0, SubjectSums.of(e, n).variance() * int(n.sum()) / (rate * (1 - rate)))
    return DesignEffects(fmr, fnmr, bunched)


def _tail_effect(pairs: SubjectPairs, errors: int, variance: Variance) -> float | None:
    """Return the design effect of FMR at the highest threshold with so many errors."""
    if len(pairs.score) < errors:
        return None
    sums = PairSums.at(pairs, float(pairs.score[errors - 1])).compact()
    if sums.subjects < 4 or sums.count == sums.total:
        return None
    rate = sums.count / sums.total
    return max(1.0, sums.variance(variance) * sums.total / (rate * (1 - rate)))


def logit_t_interval(value: float, se: float, subjects: int, level: float = 0.95) -> tuple[float, float]:
    """Return logit(θ) ± q·se/(θ(1−θ)) turned back into rates, q the t quantile with `subjects` − 1 degrees.

    Stays within [0, 1] and is skewed as rates are. A rate of 0 or 1 has no logit: the interval is then (0, 1).
    """
    check_level(level)
    _refuse_one(subjects, "any")
    if not 0 < value < 1:
        return 0.0, 1.0
    from scipy.special import expit, logit

    half = _quantiles(level, subjects)[1] * se / (value * (1 - value))
    return min(float(expit(logit(value) - half)), value), max(float(expit(logit(value) + half)), value)


def _fmr_interval(
    sums: PairSums, level: float, variance: Variance, design_effect: KnownEffect, bunched_effect: float | None = None
) -> ClusterInterval:
    check_level(level)
    subjects, count, total = sums.subjects, sums.count, sums.total
    _refuse_one(subjects, "non-mated")
    halves, behind = subjects // 2, _behind(sums.matches)
    if subjects < 4:
        design_effect = "worst"
    if count < FEW or subjects < 4:
        return _few_errors(count, total, subjects, halves, level, design_effect, behind)
    u = count / total
    least = _bound_below_few(total, halves, level, design_effect)
    bunched = max(1.0, bunched_effect or 1.0)
    if count < _FEW_IN_EFFECT * bunched:
        low, high = jeffreys(count / bunched, total / bunched, level)
        ends = (min(low, u), max(high, u, least))
        se, method = sqrt(u * (1 - u) * bunched / total), "Jeffreys (N/DEFF)"
        return ClusterInterval(u, se, *ends, method, subjects, count, total, bunched, max(high, u), behind)
    v = sums.variance(variance)
    if count == total:
        low, high = clopper_pearson(halves, halves, level)
    else:
        low, high = logit_t_interval(u, sqrt(v), subjects, level)
    alone, high = high, max(high, least)
    first = max(FEW, ceil(_FEW_IN_EFFECT * bunched))
    if first > FEW:
        high = max(high, jeffreys((first - 1) / bunched, total / bunched, level)[1])
    q = _quantiles(level, subjects)[1]

    def bound(k: Floats) -> Floats:
        return _logit_upper(k / total, k / total, np.sqrt(sums.largest_variance(k, variance)), q)

    def limit(least: Floats, most: Floats) -> Floats:
        return _logit_upper(least / total, most / total, np.sqrt(sums.variance_limit(least, most, variance)), q)

    high = greatest_rate(first, count - 1, bound, limit, high)
    effect = total * v / (u * (1 - u)) if count < total else total / halves
    method = f"logit-t (V_{variance})"
    return ClusterInterval(u, sqrt(v), low, high, method, subjects, count, total, effect, alone, behind)


def _behind(errors: NDArray[np.int64]) -> float | None:
    """Return how many subjects with equal shares would be as uneven as these."""
    shares = errors.astype(np.float64)
    return float(shares.sum() ** 2 / (shares @ shares)) if shares.any() else None


def _few_errors(
    count: int,
    total: int,
    subjects: int,
    fewest: int,
    level: float,
    design_effect: KnownEffect,
    behind: float | None,
) -> ClusterInterval:
    effect = _as_effect(design_effect, total, fewest, count)
    low, high = clopper_pearson(count / effect, total / effect, level)
    p = count / total
    worst = clopper_pearson(p * fewest, fewest, level)
    method = "Clopper–Pearson (subjects)" if design_effect == "worst" else "Clopper–Pearson (N/DEFF)"
    low, high, se = min(low, p), max(high, p), sqrt(p * (1 - p) * effect / total)
    return ClusterInterval(p, se, low, high, method, subjects, count, total, effect, high, behind, worst)


def _bound_below_few(total: int, fewest: int, level: float, design_effect: KnownEffect) -> float:
    """Return the upper bound of the most errors that count as few: no bound of more errors may lie below it."""
    if design_effect is None:
        return 0.0
    effect = _as_effect(design_effect, total, fewest, FEW)
    return clopper_pearson((FEW - 1) / effect, total / effect, level)[1]


def _as_effect(design_effect: KnownEffect, total: int, fewest: int, count: int) -> float:
    if design_effect is None:
        raise MatedError(
            f"{count} errors are too few to show how dependent the comparisons are: give a design effect from where "
            "there are more, or 'worst'"
        )
    if design_effect == "worst":
        return total / fewest
    if not design_effect > 0:
        raise MatedError(f"a design effect is positive, and {design_effect} is not")
    return max(1.0, float(design_effect))


def _refuse_one(subjects: int, kind: str) -> None:
    if subjects < 2:
        have = "one subject only has" if subjects == 1 else "no subject has"
        raise MatedError(f"{have} {kind} comparisons; an interval over subjects needs at least two subjects")


def _quantiles(level: float, subjects: int) -> tuple[float, float]:
    from scipy.special import ndtri, stdtrit

    return float(ndtri((1 + level) / 2)), float(stdtrit(subjects - 1, (1 + level) / 2))


def _logit_upper(low: Floats, high: Floats, se: Floats, q: float) -> Floats:
    """Return the upper bound of a rate, or the highest there can be for rates between two."""
    from scipy.special import expit, logit

    with np.errstate(divide="ignore", invalid="ignore"):
        upper: Floats = expit(logit(high) + q * se / np.minimum(low * (1 - low), high * (1 - high)))
    return np.where(high < 1, upper, 1.0)
