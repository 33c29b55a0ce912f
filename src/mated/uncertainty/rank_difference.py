"""Whether two systems that searched for the same probes differ in CMC(r), by chance or really.

d is what a probe adds to the difference: 1 where only the first system finds its mate within rank r, −1 where only the
second does, 0 where both or neither do, a fraction under expected ties. D_i sums it over the n_i probes of subject i,
and the difference is ΣD/Σn.

From 20 subjects with D ≠ 0 on: t = difference/√v with S − 1 degrees, v the variance over subjects; interval and p-value
agree. Below, that test rejects far too often (four subjects all in favour of one system would do), so the p-value is
exact: under the hypothesis that the systems are exchangeable every D_i has either sign with probability ½, and the
p-value is the share of the 2^m choices of signs whose |ΣD| is at least the observed one. With one probe a subject this
is the exact test of McNemar (1947). The interval beside it is that of Bonett and Price (2012), carried over to
subjects: one more subject is added for each system, whose |D| is the root mean square of those that differ (all its
probes, if none do), and t is taken from there. It holds 0 wherever the test does not reject; the reverse it need not
keep.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.cmc import Ties, shares_within
from mated.uncertainty.binomial import check_level
from mated.uncertainty.cautions import joined, on_dependence
from mated.uncertainty.identification import cluster_variance, clusters_of, sum_by_subject

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mated.scores.ranks import Ranks

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["RankDifference", "rank_difference"]

_EXACT = 20  # subjects that differ, below which every choice of signs is tried
_ROUNDING = 1e-9  # sums of fractions that are equal in truth


@dataclass(frozen=True)
class RankDifference:
    """CMC(r) of one system less that of another, on the same probes.

    Attributes
    ----------
    rank, a, b, difference
        The rank, both rates, and a − b.
    se, low, high, p_value
        Standard error over subjects, two-sided interval, and two-sided p-value of no difference.
    method, level
        Which test and interval, and the level of the latter.
    subjects, probes, discordant
        Subjects and probes that both systems searched for, and the subjects whose D is not 0.
    caution
        When the result is not to be leaned on, in words.
    """

    rank: int
    a: float
    b: float
    difference: float
    se: float
    low: float
    high: float
    p_value: float
    method: str
    level: float
    subjects: int
    probes: int
    discordant: int
    caution: str | None = None


def rank_difference(
    first: Ranks,
    second: Ranks,
    rank: int = 1,
    *,
    ties: Ties = "expected",
    level: float = 0.95,
    aligned: tuple[ArrayLike, ArrayLike] | None = None,
) -> RankDifference:
    """Test whether two systems differ in CMC(r), paired by probe and clustered by subject.

    Parameters
    ----------
    aligned
        Of each system the places of the mated probes to compare, in the same order of probes. Without it both must
        list the same probes in the same order, which only their subjects can show.

    Both galleries are held fixed; see `mated.uncertainty.identification`.

    Reference: McNemar (1947); Bonett and Price (2012).
    """
    check_level(level)
    here, there = _places(first, second, aligned)
    found = shares_within(first, rank, ties).values[here], shares_within(second, rank, ties).values[there]
    d = found[0] - found[1]
    owner, n = clusters_of(first.subject[here])
    subjects = len(n)
    if subjects < 2:
        raise MatedError("the probes are those of one subject, and a test over subjects needs at least two")
    total = sum_by_subject(owner, d)
    total[np.abs(total) < _ROUNDING] = 0.0
    differing = total[total != 0]
    difference, variance = float(total.sum() / n.sum()), cluster_variance(total, n)
    if len(differing) < _EXACT:
        p_value = _sign_flip_p(differing)
        low, high = _few_interval(total, n, level)
        if p_value > 1 - level:
            low, high = min(low, 0.0), max(high, 0.0)
        one_each = int(n.max()) == 1 and bool((np.abs(differing) == 1).all())
        method = f"{'exact McNemar' if one_each else 'exact sign-flip of subjects'}, Bonett–Price interval"
    else:
        reach = _t_quantile(subjects - 1, level) * sqrt(variance)
        low, high, p_value = difference - reach, difference + reach, _t_p(difference, variance, subjects - 1)
        method = "paired t over subjects"
    sizes = (
        f"the galleries differ in size ({first.gallery_size} and {second.gallery_size}), so ranks do not mean the same"
        if first.gallery_size != second.gallery_size
        else None
    )
    few = f"the systems differ on {len(differing)} subjects only" if len(differing) < _EXACT else None
    return RankDifference(
        rank=int(rank),
        a=float(found[0].mean()),
        b=float(found[1].mean()),
        difference=difference,
        se=sqrt(variance),
        low=max(low, -1.0),
        high=min(high, 1.0),
        p_value=p_value,
        method=method,
        level=level,
        subjects=subjects,
        probes=len(d),
        discordant=len(differing),
        caution=joined(sizes, few, on_dependence(subjects, resampled=True)),
    )


def _places(
    first: Ranks, second: Ranks, aligned: tuple[ArrayLike, ArrayLike] | None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    if aligned is None:
        if first.n_mated != second.n_mated:
            raise MatedError(
                f"the systems list {first.n_mated} and {second.n_mated} mated probes: a paired test needs the same "
                "probes, so say which belong together (aligned)"
            )
        here = there = np.arange(first.n_mated)
    else:
        here, there = _index(aligned[0], first.n_mated), _index(aligned[1], second.n_mated)
        if len(here) != len(there):
            raise MatedError(f"{len(here)} probes of one system cannot be aligned with {len(there)} of the other")
    if not len(here):
        raise MatedError("the systems share no mated probe, so they cannot be compared in pairs")
    codes = first.subject[here], second.subject[there]
    if first.names == second.names:
        differ = np.flatnonzero(codes[0] != codes[1])
    else:
        names = [np.asarray(r.names, dtype=object)[side] for r, side in zip((first, second), codes, strict=True)]
        differ = np.flatnonzero(names[0] != names[1])
    if len(differ):
        one, other = (r.names[side[differ[0]]] for r, side in zip((first, second), codes, strict=True))
        raise MatedError(
            f"probe {differ[0] + 1} is of subject {one!r} in one system and of {other!r} in the other: a paired test "
            "needs the same probes in the same order"
        )
    return here, there


def _index(places: ArrayLike, probes: int) -> NDArray[np.intp]:
    index = np.asarray(places)
    if index.ndim != 1 or (index.size and index.dtype.kind not in "iu"):
        raise MatedError("aligned probes are given by their places, whole numbers in one dimension")
    if index.size and not 0 <= index.min() <= index.max() < probes:
        raise MatedError(f"aligned probes are given by their places from 0 to {probes - 1}")
    if len(np.unique(index)) < len(index):
        raise MatedError("a probe is aligned twice")
    return index.astype(np.intp)


def _sign_flip_p(differing: Floats) -> float:
    """Return the share of all choices of signs whose sum lies at least as far from 0 as the observed one."""
    sums = np.zeros(1)
    for size in np.abs(differing):
        sums = np.concatenate([sums + size, sums - size])
    return float(np.mean(np.abs(sums) >= abs(differing.sum()) - _ROUNDING))


def _few_interval(total: Floats, n: NDArray[np.int64], level: float) -> tuple[float, float]:
    """Return the t interval with one more subject on either side."""
    differing, mean = total[total != 0], float(n.mean())
    size = sqrt(float(differing @ differing) / len(differing)) if len(differing) else mean
    more, sizes = np.concatenate([total, [size, -size]]), np.concatenate([n, [mean, mean]])
    centre = float(more.sum() / sizes.sum())
    reach = _t_quantile(len(more) - 1, level) * sqrt(cluster_variance(more, sizes))
    raw = float(total.sum() / n.sum())
    return min(centre - reach, raw), max(centre + reach, raw)


def _t_quantile(degrees: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))


def _t_p(difference: float, variance: float, degrees: int) -> float:
    from scipy.special import stdtr

    if variance == 0:
        return 1.0 if difference == 0 else 0.0
    return 2 * float(stdtr(degrees, -abs(difference) / sqrt(variance)))
