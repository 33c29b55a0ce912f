"""FNIR at a given FPIR with its interval: a bootstrap over the people who searched, in a gallery held fixed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.cmc import Shares, Ties, shares_within
from mated.identification.open_set import (
    OpenSetPoint,
    UnmatedProbes,
    open_set_at_fpir,
    open_set_tally,
    unmated_searches,
)
from mated.uncertainty.binomial import FEW, check_level
from mated.uncertainty.cautions import joined, on_dependence
from mated.uncertainty.identification import clusters_of, fnir_interval
from mated.uncertainty.replicates import Replicates, threshold_interval
from mated.uncertainty.streams import draw_in_blocks, seed_of
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from mated.scores.ranks import Ranks
    from mated.scores.tally import Tally

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]

__all__ = ["FnirAtFpir", "fnir_at_fpir"]

_CELLS = 1 << 21  # replicates × probes held at once
_HARDLY_DETERMINED = 20  # expected false positives below which a threshold jumps about


@dataclass(frozen=True)
class FnirAtFpir:
    """FNIR and threshold at a given FPIR, with percentile intervals of a bootstrap over subjects.

    Attributes
    ----------
    point
        The estimate.
    se, low, high, threshold_low, threshold_high
        Of FNIR and of the threshold, the latter in the user's scoring system; None where the open-set probes are too
        few for the target.
    replicates, seed
        How many were drawn, and from what.
    subjects_mated, subjects_open
        The people behind both rates.
    """

    point: OpenSetPoint
    se: float | None
    low: float | None
    high: float | None
    threshold_low: int | float | None
    threshold_high: int | float | None
    method: str
    level: float
    replicates: int
    seed: int
    subjects_mated: int
    subjects_open: int
    caution: str | None


def fnir_at_fpir(
    ranks: Ranks,
    fpir: float,
    rank: int | None = 1,
    *,
    ties: Ties = "expected",
    probes: UnmatedProbes = "open",
    replicates: int = 2000,
    rng: int | np.random.Generator | None = None,
    level: float = 0.95,
) -> FnirAtFpir:
    """Return FNIR at the smallest threshold whose FPIR does not exceed a target, with a bootstrap over subjects.

    In each replicate S subjects with mated probes and S′ with open-set probes are drawn with replacement, each class by
    itself (with probes="mate removed" they are the same people, drawn once). The threshold of the replicate follows
    from its open-set probes as in `open_set_at_fpir`, FNIR from its mated probes there. Intervals are percentiles. With
    fewer than 10 misses the replicates hardly vary, and the interval is widened to that of a fixed threshold.

    Where the target allows less than one of the open-set probes, or no replicate is asked for, there is no interval.
    The gallery is held fixed.
    """
    check_level(level)
    seed, target = seed_of(rng), exact_rate(fpir, "an FPIR")
    point = open_set_at_fpir(ranks, fpir, rank, ties=ties, probes=probes)
    subjects = [len(np.unique(codes)) for codes in (ranks.subject, unmated_searches(ranks, probes)[1])]
    if replicates and min(subjects) < 2:
        raise MatedError("subjects can be resampled only where each kind of probe comes from two of them or more")
    bare = FnirAtFpir(
        point=point,
        se=None,
        low=None,
        high=None,
        threshold_low=None,
        threshold_high=None,
        method="bootstrap of subjects, percentile" if replicates else "none",
        level=level,
        replicates=replicates,
        seed=seed,
        subjects_mated=subjects[0],
        subjects_open=subjects[1],
        caution=point.caution,
    )
    expected = target * point.n_open
    if expected < 1 or not replicates:
        return bare
    tally = open_set_tally(ranks, probes)
    drawn = _Search.of(ranks, shares_within(ranks, rank, ties), probes, target).replicates(replicates, seed)
    rates = Replicates(drawn[0], point.fnir)
    low, high = rates.percentile_interval(level)
    low, high = min(low, point.fnir), max(high, point.fnir)
    if point.errors_mated < FEW:
        fixed = fnir_interval(ranks, point.threshold, rank, ties=ties, level=level)
        low, high = min(low, fixed.low), max(high, fixed.high)
    thresholds = Replicates(_just_above(drawn[1], tally), tally.from_user(point.threshold))
    ends = threshold_interval(thresholds.percentile_interval(level), tally)
    few = (
        f"with {float(expected):.3g} false positives expected the threshold is hardly determined"
        if expected < _HARDLY_DETERMINED
        else None
    )
    return replace(
        bare,
        se=rates.standard_error,
        low=low,
        high=high,
        threshold_low=ends[0],
        threshold_high=ends[1],
        caution=joined(point.caution, few, on_dependence(min(subjects), resampled=True)),
    )


@dataclass(frozen=True, eq=False)
class _Search:
    """Both kinds of probes with the score, the subject and the share found of each, scores descending."""

    mate: Floats
    mate_owner: Counts
    found: Floats
    best: Floats
    best_owner: Counts
    target: Fraction
    same_people: bool

    @classmethod
    def of(cls, ranks: Ranks, found: Shares, probes: UnmatedProbes, target: Fraction) -> _Search:
        best, subject = unmated_searches(ranks, probes)
        down, order = np.argsort(-ranks.mate_score, kind="stable"), np.argsort(-best, kind="stable")
        owners = clusters_of(ranks.subject)[0][down], clusters_of(subject)[0][order]
        same = probes == "mate removed"
        return cls(ranks.mate_score[down], owners[0], found.values[down], best[order], owners[1], target, same)

    def replicates(self, replicates: int, seed: int) -> tuple[NDArray[Any], ...]:
        """Draw FNIR and, instead of the threshold, the highest score that has to stay below it."""
        step = max(1, _CELLS // max(len(self.mate), len(self.best)))
        sizes = np.bincount(self.mate_owner), np.bincount(self.best_owner)

        def draw(generator: np.random.Generator, size: int) -> tuple[Floats, Floats]:
            mated, unmated = generator.spawn(2)
            fnir, kept_out = np.empty(size), np.empty(size)
            for start in range(0, size, step):
                rows = slice(start, min(start + step, size))
                weight = _multiplicities(mated, rows.stop - start, len(sizes[0]))
                other = weight if self.same_people else _multiplicities(unmated, rows.stop - start, len(sizes[1]))
                kept_out[rows] = self._kept_out(other, other @ sizes[1].astype(np.float64))
                total = weight @ sizes[0].astype(np.float64)
                fnir[rows] = np.maximum(total - self._found_above(weight, kept_out[rows]), 0.0) / total
            return fnir, kept_out

        return draw_in_blocks(draw, replicates=replicates, seed=seed, name="open-set subjects")

    def _kept_out(self, weight: Floats, total: Floats) -> Floats:
        """Return in each replicate the highest score at or above which more than ⌊f·N⌋ open-set probes lie."""
        allowed = np.array([int(self.target * int(t) // 1) for t in total], dtype=np.float64)
        expected = float(self.target) * len(self.best)
        take = min(len(self.best), int(1.2 * expected + 6 * sqrt(expected)) + 8)
        while True:
            reached = np.cumsum(weight[:, self.best_owner[:take]], axis=1)
            if take == len(self.best) or (reached[:, -1] > allowed).all():
                kept_out: Floats = self.best[np.argmax(reached > allowed[:, None], axis=1)]
                return kept_out
            take = min(len(self.best), 2 * take)

    def _found_above(self, weight: Floats, kept_out: Floats) -> Floats:
        """Return in each replicate how many mates are found that score above the given score."""
        ascending = -self.mate
        always = int(np.searchsorted(ascending, -kept_out.max()))
        ever = int(np.searchsorted(ascending, -kept_out.min()))
        sums = np.bincount(self.mate_owner[:always], weights=self.found[:always], minlength=weight.shape[1])
        between = weight[:, self.mate_owner[always:ever]] * self.found[always:ever]
        reached = np.cumsum(np.concatenate([(weight @ sums)[:, None], between], axis=1), axis=1)
        place = np.searchsorted(ascending[always:ever], -kept_out)
        found: Floats = reached[np.arange(len(reached)), place]
        return found


def _multiplicities(generator: np.random.Generator, rows: int, subjects: int) -> Floats:
    """Draw w ~ Multinomial(S, 1/S) for each row, as floats for the matrix products."""
    drawn = generator.integers(subjects, size=(rows, subjects)) + np.arange(rows)[:, None] * subjects
    return np.bincount(drawn.ravel(), minlength=rows * subjects).reshape(rows, subjects).astype(np.float64)


def _just_above(score: Floats, tally: Tally) -> Floats:
    """Return the smallest threshold that keeps each score out: one unit higher, or the next score there is."""
    place = np.searchsorted(tally.scores, score, side="right")
    beyond = np.nextafter(tally.scores[-1], tally.scores.dtype.type(np.inf))
    following: Floats = np.append(tally.scores, beyond)[place].astype(np.float64)
    if tally.unit is None:
        return following
    return np.where(np.isfinite(score), score + float(tally.unit), following)
