"""What a pilot test shows of dependence: correlations at the threshold a plan is about, with their standard errors.

Standard errors are those of the jackknife over 50 groups of subjects, or over the subjects where there are fewer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mated.errors import MatedError
from mated.evaluation.verification import Verification
from mated.evaluation.verify import verify
from mated.scores import ScoreMatrix
from mated.uncertainty.cautions import FEW_SUBJECTS, joined
from mated.uncertainty.dependence import mated_dependence, nonmated_dependence
from mated.uncertainty.pair_sums import PairSums
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from mated.scores.subject_pairs import PairTotals, SubjectPairs

__all__ = ["ENOUGH", "Pilot", "count", "pilot_of", "pilot_verification", "plain"]

ENOUGH = 30  # errors from which a correlation is estimated
_GROUPS = 50  # of subjects, each left out in turn


@dataclass(frozen=True)
class Pilot:
    """How alike the errors of comparisons were that share subjects.

    Attributes
    ----------
    samples
        Mean number of samples of a subject, None where samples are not named.
    correlation_mated
        Of the errors of two mated comparisons of one subject; None where no subject has two, or errors are too few.
    correlation_nonmated
        Of the errors of two non-mated comparisons that have one subject in common.
    correlation_mated_se, correlation_nonmated_se
        Their standard errors.
    correlation_same_pair
        Of the errors of two non-mated comparisons of the same two subjects; None where no pair has two.
    design_effect_mated, design_effect_nonmated
        At the pilot's own size.
    fmr, fnmr, errors_nonmated, errors_mated
        The rates of the pilot at the thresholds where this was seen, and the errors behind them.
    caution
        What makes the correlations doubtful.
    """

    name: str
    subjects: int
    samples: float | None
    correlation_mated: float | None
    correlation_nonmated: float | None
    correlation_mated_se: float | None
    correlation_nonmated_se: float | None
    correlation_same_pair: float | None
    design_effect_mated: float | None
    design_effect_nonmated: float | None
    fmr: float
    fnmr: float
    errors_nonmated: int
    errors_mated: int
    caution: str | None


class _Dependence(NamedTuple):
    """A design effect and the correlations behind it; `same` is for non-mated comparisons alone."""

    errors: int
    rate: float
    design_effect: float | None = None
    correlation: float | None = None
    same: float | None = None
    se: float | None = None


def pilot_verification(pilot: Any) -> Verification:
    """Take or make the verification of a pilot; it must know its subjects."""
    v = pilot if isinstance(pilot, Verification) else verify(pilot)
    if v.n_subjects is None:
        raise MatedError(
            f"{v.name}: a pilot shows dependence only where it says who was compared; it needs subject ids "
            "(probe_subject and reference_subject)"
        )
    return v


def pilot_of(v: Verification, fmr: float | None, fnmr: float | None) -> Pilot:
    """Estimate the dependence at the threshold that the claims are about, as far as the pilot can tell."""
    pairs = v.subject_pairs
    wanted = 0 if fmr is None else ceil(exact_rate(fmr, "a false match rate") * pairs.n_nonmated)
    threshold = _nearest(pairs.score, wanted, towards=np.inf)
    nonmated = _nonmated_at(pairs, threshold)
    mated = _mated_at(*_missed(pairs, threshold if wanted >= ENOUGH else None, fnmr))
    caution = []
    if nonmated.correlation is not None and 0 < wanted < ENOUGH and fmr is not None:
        caution.append(
            f"{count(pairs.n_nonmated)} non-mated comparisons are too few to see FMR {plain(fmr)}; "
            f"their dependence is taken at FMR {nonmated.rate:.3g}"
        )
    if nonmated.correlation == 0:
        caution.append(f"no correlation of false matches that share a subject was seen among {nonmated.errors}")
    if pairs.n_subjects < FEW_SUBJECTS:
        caution.append(f"with only {pairs.n_subjects} subjects the correlations are rough")
    return Pilot(
        name=v.name,
        subjects=pairs.n_subjects,
        samples=_samples(v, pairs.n_subjects),
        correlation_mated=mated.correlation,
        correlation_nonmated=nonmated.correlation,
        correlation_mated_se=mated.se,
        correlation_nonmated_se=nonmated.se,
        correlation_same_pair=nonmated.same,
        design_effect_mated=mated.design_effect,
        design_effect_nonmated=nonmated.design_effect,
        fmr=nonmated.rate,
        fnmr=mated.rate,
        errors_nonmated=nonmated.errors,
        errors_mated=mated.errors,
        caution=joined(*caution),
    )


def _nonmated_at(pairs: SubjectPairs, threshold: float) -> _Dependence:
    first, second, counts = pairs.false_matches(threshold)
    subjects = pairs.n_subjects

    def sums(kept: np.ndarray[Any, Any]) -> PairSums:
        inside = kept[first] & kept[second]
        totals = _totals_among(pairs.totals, kept)
        return PairSums.of_counts(first[inside], second[inside], counts[inside], totals).compact()

    whole = sums(np.ones(subjects, dtype=bool))
    about = (whole.count, whole.count / whole.total)
    if not (ENOUGH <= whole.count < whole.total and _estimable(whole)):
        return _Dependence(*about)
    effect, shared, same = nonmated_dependence(whole)
    parts = [sums(kept) for kept in _without_a_group(subjects)]
    left_out = [nonmated_dependence(part)[1] for part in parts if 0 < part.count < part.total and _estimable(part)]
    return _Dependence(*about, max(effect, 1.0), _between(shared), _between(same), _jackknife(left_out))


def _mated_at(errors: np.ndarray[Any, Any], comparisons: np.ndarray[Any, Any]) -> _Dependence:
    count, total = int(errors.sum()), int(comparisons.sum())
    if not (ENOUGH <= count < total and len(comparisons) > 1):
        return _Dependence(count, count / total)
    effect, correlation = mated_dependence(errors, comparisons)
    if correlation is None:
        return _Dependence(count, count / total, max(effect, 1.0))
    parts = [(errors[kept], comparisons[kept]) for kept in _without_a_group(len(comparisons))]
    left_out = [mated_dependence(e, n)[1] for e, n in parts if len(n) > 1 and 0 < e.sum() < n.sum()]
    se = _jackknife([rho for rho in left_out if rho is not None])
    return _Dependence(count, count / total, max(effect, 1.0), _between(correlation), se=se)


def _between(correlation: float | None) -> float | None:
    return None if correlation is None else min(max(correlation, 0.0), 1.0)


def _without_a_group(subjects: int) -> list[np.ndarray[Any, Any]]:
    groups = min(subjects, _GROUPS)
    return [np.arange(subjects) % groups != group for group in range(groups)]


def _jackknife(values: list[float]) -> float | None:
    """Return the standard error from estimates that each leave out one group."""
    return sqrt((len(values) - 1) * float(np.var(values))) if len(values) > 1 else None


def _totals_among(totals: PairTotals, kept: np.ndarray[Any, Any]) -> PairTotals:
    """Count only the comparisons among some subjects."""
    if totals.samples is not None:
        return replace(totals, samples=totals.samples * kept)
    from scipy.sparse import diags_array

    among = diags_array(kept.astype(np.int64))
    return replace(totals, matrix=(among @ totals.matrix @ among).tocsr())


def _nearest(ordered: np.ndarray[Any, Any], wanted: int, *, towards: float) -> float:
    """Return the threshold whose errors are nearest in number to `wanted`, 30 at least and not all where there is one.

    The scores are ordered from where errors begin. An error is a score at the threshold or before it.
    """
    aim, total = min(max(wanted, ENOUGH), len(ordered)), len(ordered)
    tied = np.flatnonzero(ordered == ordered[aim - 1])
    fewer, more = int(tied[0]), int(tied[-1]) + 1
    beyond = float(np.nextafter(ordered[aim - 1], towards))
    return beyond if fewer >= ENOUGH and (more == total or aim / fewer < more / aim) else float(ordered[aim - 1])


def _missed(
    pairs: SubjectPairs, threshold: float | None, fnmr: float | None
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Count each subject's false non-matches at the threshold, or at the FNMR where there is none; at 30 if too few."""
    n = pairs.mated_per_subject
    used = n > 0
    wanted = 0 if fnmr is None else ceil(exact_rate(fnmr, "an FNMR") * pairs.n_mated)
    if threshold is not None:
        e = pairs.false_nonmatches(threshold)
        wanted = int(e.sum())
        if ENOUGH <= wanted < pairs.n_mated:
            return e[used], n[used]
    last = _nearest(pairs.mated_score[::-1], wanted, towards=-np.inf)
    return pairs.false_nonmatches(float(np.nextafter(last, np.inf)))[used], n[used]


def _estimable(sums: PairSums) -> bool:
    """Tell whether there are two comparisons of four different subjects, without which there is no variance."""
    trials = sums.trials.astype(np.float64)
    return float(sums.total) ** 2 + sums.squares - float(trials @ trials) > 0


def _samples(v: Verification, subjects: int) -> float | None:
    layout = v.layout.comparisons() if isinstance(v.layout, ScoreMatrix) else v.layout
    if layout is None or layout.samples is None:
        return None
    distinct = len(np.union1d(layout.samples.probe, layout.samples.reference))
    return distinct // subjects if distinct % subjects == 0 else distinct / subjects


def plain(rate: float) -> str:
    """Write a rate without exponent: 0.00005."""
    return format(Decimal(str(rate)), "f")


def count(value: int) -> str:
    """Write a whole number with thin spaces between thousands."""
    return f"{value:,}".replace(",", "\u202f")
