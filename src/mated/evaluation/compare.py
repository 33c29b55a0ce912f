"""The verb `compare`: whether systems really differ, or only by chance.

Two intervals that overlap say little: on the same comparisons both systems meet the same easy and hard pairs. So the
difference itself is resampled, with the same draw for both systems wherever they were tested on the same people.

==================================  ============================================================================
what the two tests share            how the difference is resampled
==================================  ============================================================================
the same subjects                   the same subjects are drawn for both (paired pigeonhole bootstrap)
the same comparisons, no subjects   the same comparisons are drawn for both (paired bootstrap)
nothing                             each for itself
==================================  ============================================================================

The rank-1 rate is tested by itself: the gallery is held fixed and the probes are paired, subjects being the clusters.

The p-value is two-sided: twice the smaller share of replicates on either side of zero. The interval is that of the same
replicates, so the two agree.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError
from mated.evaluation.alignment import aligned_rows, check_same_subjects
from mated.evaluation.compare_ranks import rank_one_difference
from mated.evaluation.html import table_html
from mated.evaluation.resampling import AlignedResampling, IndependentResampling, SubjectResampling
from mated.evaluation.verification import Verification
from mated.evaluation.verify import several, verify
from mated.uncertainty.cautions import joined, on_dependence
from mated.uncertainty.multiplicity import Ranking, holm, ranking
from mated.uncertainty.replicates import Replicates
from mated.uncertainty.streams import seed_of
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    AnyResampling = IndependentResampling | SubjectResampling | AlignedResampling

__all__ = ["Comparison", "Difference", "compare"]

Pairing = Literal["auto", "yes", "no"]

_METHODS = {
    "subjects": "paired pigeonhole bootstrap",
    "comparisons": "paired bootstrap of comparisons",
    "nothing": "independent bootstraps",
}


@dataclass(frozen=True)
class Difference:
    """One statistic of two systems, a − b, with its interval and test.

    Attributes
    ----------
    statistic
        What is compared, for instance "fnmr at fmr 0.001".
    system_a, system_b, a, b, difference
        The systems, their values, and a − b.
    se, low, high, p_value
        Standard error, interval and two-sided p-value of the difference; None where the data cannot give them.
    p_adjusted
        The p-value after Holm's correction over all pairs of systems for this statistic.
    """

    statistic: str
    system_a: str
    system_b: str
    a: float
    b: float
    difference: float
    se: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_adjusted: float | None
    method: str
    caution: str | None

    @property
    def significant(self) -> bool:
        """Whether chance is an unlikely explanation, at 5 % after the correction."""
        return self.p_adjusted is not None and self.p_adjusted < 0.05


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """All differences between two or more systems, and for each statistic who is really better."""

    systems: tuple[str, ...]
    differences: tuple[Difference, ...]
    rankings: Mapping[str, Ranking]
    level: float
    replicates: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and texts; two systems give one entry for each statistic."""
        return {
            "systems": list(self.systems),
            "differences": [asdict(d) for d in self.differences],
            "rankings": {name: r.to_dict() for name, r in self.rankings.items()},
            "uncertainty": {"level": self.level, "replicates": self.replicates, "seed": self.seed},
        }

    def to_frame(self) -> pl.DataFrame:
        """One row for each difference, as a Polars frame."""
        import polars as pl

        return pl.DataFrame([asdict(d) for d in self.differences])

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the differences with their intervals around zero."""
        from mated.plots.intervals import draw_differences

        rows = [
            (f"{d.statistic}: {d.system_a} − {d.system_b}", d.difference, d.low, d.high, d.significant)
            for d in self.differences
            if d.low is not None and d.high is not None
        ]
        return draw_differences(rows, ax=ax)

    def __repr__(self) -> str:
        real = sum(d.significant for d in self.differences)
        return f"Comparison({' and '.join(self.systems)}: {len(self.differences)} differences, {real} significant)"

    def _repr_html_(self) -> str:
        return table_html(self.to_frame(), caption=repr(self))


def compare(
    *systems: Any,
    names: Sequence[str] | None = None,
    fmr: float | Sequence[float] | None = None,
    threshold: float | Sequence[float] | None = None,
    paired: Pairing = "auto",
    replicates: int = 2000,
    rng: int | np.random.Generator | None = None,
    level: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Test whether systems differ in EER, AUC, FNMR at false match rates, rates at thresholds and rank-1 rate.

    The rank-1 rate is compared where both tests name the same probes (see `mated.identify`).

    Parameters
    ----------
    systems
        Two or more verifications, or whatever `mated.verify` takes.
    fmr, threshold
        Where to compare; `fmr` defaults to the targets that all systems support.
    paired
        "auto" pairs by subject, or by comparison where samples are known; "yes" insists, "no" takes the tests as
        independent of each other.
    """
    exact_rate(level, "a confidence level")
    if len(systems) < 2:
        raise MatedError("compare needs two systems or more")
    if paired not in ("auto", "yes", "no"):
        raise MatedError(f"paired must be 'auto', 'yes' or 'no', not {paired!r}")
    results = [s if isinstance(s, Verification) else verify(s) for s in systems]
    labels = tuple(names) if names is not None else tuple(r.name for r in results)
    if len(set(labels)) < len(labels) or len(labels) != len(results):
        labels = tuple(f"system {k + 1}" for k in range(len(results)))
    shared = [f for f in results[0].fmr_targets if all(f in r.fmr_targets for r in results)]
    fmrs = shared if fmr is None else several(fmr)
    at = several(threshold)
    seed = seed_of(rng)
    pairs = list(combinations(range(len(results)), 2))
    by_statistic: dict[str, list[Difference]] = {}
    for done, (i, j) in enumerate(pairs):
        if progress is not None:
            progress(done, len(pairs))
        two = (results[i], results[j])
        for d in _differences(two, (labels[i], labels[j]), fmrs, at, paired, replicates, seed, level):
            by_statistic.setdefault(d.statistic, []).append(d)
    found = [d for group in by_statistic.values() for d in _corrected(group)]
    rankings = {
        name: _ranking(labels, [d for d in found if d.statistic == name])
        for name in by_statistic
        if len([d for d in found if d.statistic == name and d.p_value is not None]) == len(pairs)
    }
    return Comparison(labels, tuple(found), rankings, level, replicates, seed)


def _differences(
    two: tuple[Verification, Verification],
    names: tuple[str, str],
    fmrs: Sequence[float],
    thresholds: Sequence[float],
    paired: Pairing,
    replicates: int,
    seed: int,
    level: float,
) -> list[Difference]:
    share, draws = _resamplings(two, names, paired, replicates, seed)
    caution = None
    if share != "subjects":
        caution = on_dependence(two[0].n_subjects, resampled=False)
    found = []

    def add(
        statistic: str, values: tuple[float, float], drawn: Sequence[NDArray[np.float64]], note: str | None
    ) -> None:
        found.append(_difference(statistic, names, values, drawn, _METHODS[share], level, joined(note, caution)))

    add("eer", (two[0].eer().value, two[1].eer().value), [d.eer()[0] for d in draws], None)
    areas = [d.auc() for d in draws]
    if all(a is not None for a in areas):
        add("auc", (two[0].auc(), two[1].auc()), [a for a in areas if a is not None], None)
    else:
        found.append(_delong(two, names, level, caution))
    if fmrs:
        tmrs = [d.at_fmr(list(fmrs))[0] for d in draws]
        for k, f in enumerate(fmrs):
            points = [v.at_fmr(f) for v in two]
            few = min(exact_rate(f, "a false match rate") * v.tally.n_nonmated for v in two) < 1
            note = "the target is below 1/N for one of the tests" if few else None
            add(f"fnmr at fmr {f:g}", (points[0].fnmr, points[1].fnmr), [1 - t[:, k] for t in tmrs], note)
    if thresholds:
        both = [d.at_threshold(list(thresholds)) for d in draws]
        for k, t in enumerate(thresholds):
            at = [v.at_threshold(t) for v in two]
            add(f"fmr at threshold {t:g}", (at[0].fmr, at[1].fmr), [b[0][:, k] for b in both], None)
            add(f"fnmr at threshold {t:g}", (at[0].fnmr, at[1].fnmr), [1 - b[1][:, k] for b in both], None)
    if paired != "no" and (ranked := rank_one_difference(*two, level)) is not None:
        found.append(
            Difference(
                "rank 1", *names, ranked.a, ranked.b, ranked.difference, ranked.se, ranked.low, ranked.high,
                ranked.p_value, None, ranked.method, ranked.caution,
            )
        )  # fmt: skip
    return found


def _resamplings(
    two: tuple[Verification, Verification], names: tuple[str, str], paired: Pairing, replicates: int, seed: int
) -> tuple[str, list[AnyResampling]]:
    """Choose what to resample for two systems, and whether together."""
    known = all(v.n_subjects is not None for v in two)
    if paired != "no" and known:
        subjects = [v.subject_pairs for v in two]
        if check_same_subjects(subjects[0].subjects, subjects[1].subjects, names):
            return "subjects", [
                SubjectResampling(v.tally, s, replicates, seed) for v, s in zip(two, subjects, strict=True)
            ]
    if paired != "no":
        tables = [v.comparisons() if v.layout is not None else None for v in two]
        if all(t is not None and t.samples is not None for t in tables):
            a, b = (t for t in tables if t is not None)
            rows = aligned_rows(a, b, names)
            flags = a.mated
            return "comparisons", [
                AlignedResampling(v.tally, score, flags, replicates, seed)
                for v, score in zip(two, (a.score, b.score[rows]), strict=True)
            ]
        if paired == "yes":
            raise MatedError(
                f"{names[0]} and {names[1]} cannot be paired: give the subjects or the samples of every comparison"
            )
    draws: list[AnyResampling] = []
    for k, v in enumerate(two):
        own = int(np.random.SeedSequence([seed, k]).generate_state(1, np.uint64)[0] >> 1)
        if known:
            draws.append(SubjectResampling(v.tally, v.subject_pairs, replicates, own))
        else:
            draws.append(IndependentResampling(v.tally, replicates, own))
    return "nothing", draws


def _difference(
    statistic: str,
    names: tuple[str, str],
    values: tuple[float, float],
    drawn: Sequence[NDArray[np.float64]],
    method: str,
    level: float,
    caution: str | None,
) -> Difference:
    difference = values[0] - values[1]
    replicated = drawn[0] - drawn[1]
    replicated = replicated[~np.isnan(replicated)]
    replicates = Replicates(replicated, difference)
    low, high = replicates.percentile_interval(level)
    bare = Difference(statistic, *names, *values, difference, None, None, None, None, None, method, caution)
    if low == high:
        return replace(
            bare, caution=joined("the replicates do not differ: too few errors to judge the difference", caution)
        )
    tail = min(np.count_nonzero(replicated <= 0), np.count_nonzero(replicated >= 0))
    p_value = min(1.0, 2 * (int(tail) + 1) / (len(replicated) + 1))
    return replace(bare, se=replicates.standard_error, low=low, high=high, p_value=p_value)


def _delong(
    two: tuple[Verification, Verification], names: tuple[str, str], level: float, caution: str | None
) -> Difference:
    """Return the Z test of two areas from independent tests with too many distinct scores to resample them all."""
    from scipy.special import ndtr, ndtri

    from mated.uncertainty.delong import auc_standard_error

    values = two[0].auc(), two[1].auc()
    errors = [auc_standard_error(v.tally) for v in two]
    difference = values[0] - values[1]
    bare = Difference("auc", *names, *values, difference, None, None, None, None, None, "DeLong, Z test", caution)
    if any(e is None for e in errors) or not (se := float(np.hypot(errors[0] or 0.0, errors[1] or 0.0))):
        return replace(bare, caution=joined("the areas have no standard error", caution))
    reach = float(ndtri((1 + level) / 2)) * se
    p_value = 2 * float(ndtr(-abs(difference) / se))
    return replace(bare, se=se, low=difference - reach, high=difference + reach, p_value=p_value)


def _corrected(group: list[Difference]) -> list[Difference]:
    """Adjust the p-values of one statistic over all pairs of systems (Holm 1979)."""
    tested = [d for d in group if d.p_value is not None]
    if not tested:
        return group
    adjusted = iter(holm([d.p_value for d in tested if d.p_value is not None]).tolist())
    return [d if d.p_value is None else replace(d, p_adjusted=next(adjusted)) for d in group]


def _ranking(labels: tuple[str, ...], group: list[Difference]) -> Ranking:
    values: dict[str, float] = {}
    matrix = np.ones((len(labels), len(labels)))
    place = {label: k for k, label in enumerate(labels)}
    for d in group:
        values |= {d.system_a: d.a, d.system_b: d.b}
        i, j = place[d.system_a], place[d.system_b]
        matrix[i, j] = matrix[j, i] = 1.0 if d.p_adjusted is None else d.p_adjusted
    better: Literal["low", "high"] = "high" if group[0].statistic in ("auc", "rank 1") else "low"
    return ranking(labels, [values[label] for label in labels], matrix, better=better)
