"""The bootstrap as it is done without `mated`: scipy.stats.bootstrap, multinomial counts, a loop over replicates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import bootstrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from mated.scores.subject_pairs import SubjectPairs

__all__ = ["ROWS", "Intervals", "NaiveSubjects", "TwoSamples"]

ROWS = 20
"""Resamples that SciPy makes at once; with more of them the arrays leave the cache, and it is slower."""
CELLS = 2**20


class Intervals(NamedTuple):
    """TMR and threshold at the FMR, EER and its threshold: standard errors and percentile intervals."""

    se: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True, eq=False)
class TwoSamples:
    """Wu's four statistics of two samples of scores, TMR interpolated and EER as in `mated`.

    Whole-number scores are legitimate at every step between the lowest and the highest. Among continuous ones, which
    must be distinct, the errors are compared in the gap below each.
    """

    mated: np.ndarray
    nonmated: np.ndarray
    fmr: float

    @cached_property
    def whole(self) -> bool:
        """Whether scores are integers."""
        return self.mated.dtype.kind == "i"

    @cached_property
    def grid(self) -> np.ndarray:
        """Scores at which errors are compared, ascending."""
        together = np.concatenate([self.mated, self.nonmated])
        return np.arange(together.min(), together.max() + 1) if self.whole else np.unique(together)

    @cached_property
    def counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Mated and non-mated comparisons at each score of the grid."""
        return tuple(
            np.bincount(np.searchsorted(self.grid, scores), minlength=len(self.grid))
            for scores in (self.mated, self.nonmated)
        )

    @property
    def rank(self) -> int:
        """Place from the top of the non-mated score that is the threshold."""
        return ceil(round(self.fmr * len(self.nonmated), 6))

    # -- the statistics of one or more resamples ------------------------------------------------------

    def tmr_by_partition(self, mated: np.ndarray, nonmated: np.ndarray, axis: int = -1) -> np.ndarray:
        """Return TMR and threshold of resamples along the last axis; `np.partition` finds the threshold."""
        k, n = self.rank, len(self.nonmated)
        threshold = np.partition(nonmated, n - k, axis=axis)[..., n - k]
        beside = threshold[..., None]
        above, reached = (nonmated > beside).sum(axis), (nonmated >= beside).sum(axis)
        mated_above, mated_reached = (mated > beside).sum(axis), (mated >= beside).sum(axis)
        return np.stack([self._tmr(above, reached, mated_above, mated_reached), threshold])

    def eer_by_sorting(self, mated: np.ndarray, nonmated: np.ndarray, axis: int = -1) -> np.ndarray:
        """Return EER and threshold of resamples along the last axis."""
        rows = zip(*(np.sort(np.atleast_2d(part), axis=axis) for part in (mated, nonmated)), strict=True)
        found = np.array([self._eer_of_sorted(*row) for row in rows]).T
        return found if mated.ndim > 1 else found[:, 0]

    def all_by_sorting(self, mated: np.ndarray, nonmated: np.ndarray, axis: int = -1) -> np.ndarray:
        """Return all four statistics of resamples along the last axis from one sort of each class."""
        rows = zip(*(np.sort(np.atleast_2d(part), axis=axis) for part in (mated, nonmated)), strict=True)
        found = np.array([(*self._tmr_of_sorted(*row), *self._eer_of_sorted(*row)) for row in rows]).T
        return found if mated.ndim > 1 else found[:, 0]

    def all_by_counting(self, mated: np.ndarray, nonmated: np.ndarray, axis: int = -1) -> np.ndarray:
        """Return all four statistics of resamples of whole numbers along the last axis; `np.bincount` counts them."""
        del axis
        counts = (
            np.array([np.bincount(row - self.grid[0], minlength=len(self.grid)) for row in np.atleast_2d(part)])
            for part in (mated, nonmated)
        )
        found = self.of_counts(*counts)
        return found if mated.ndim > 1 else found[:, 0]

    def of_counts(self, mated: np.ndarray, nonmated: np.ndarray) -> np.ndarray:
        """Return all four statistics from counts at the scores of the grid, a row for each resample."""
        size, row = len(self.grid), np.arange(len(mated))
        mated_from, nonmated_from = (
            np.pad(np.cumsum(part[:, ::-1], axis=1)[:, ::-1], ((0, 0), (0, 1))) for part in (mated, nonmated)
        )
        at = np.count_nonzero(nonmated_from >= self.rank, axis=1) - 1
        tmr = self._tmr(*(part[row, at + step] for part in (nonmated_from, mated_from) for step in (1, 0)))
        missed = len(self.mated) - (mated_from[:, 1:] if self.whole else mated_from[:, :-1])
        matched = nonmated_from[:, :-1]
        apart = np.abs(missed * len(self.nonmated) - matched * len(self.mated))
        ends = np.argmin(apart, axis=1), size - 1 - np.argmin(apart[:, ::-1], axis=1)
        eer = self._eer(*(part[row, end] for end in ends for part in (missed, matched)))
        return np.stack([tmr, self.grid[at], eer, self._middle(*ends)])

    def _tmr_of_sorted(self, mated: np.ndarray, nonmated: np.ndarray) -> tuple[float, float]:
        threshold = nonmated[len(nonmated) - self.rank]
        counts = [
            len(part) - np.searchsorted(part, threshold, side)
            for part in (nonmated, mated)
            for side in ("right", "left")
        ]
        return self._tmr(*counts), threshold

    def _eer_of_sorted(self, mated: np.ndarray, nonmated: np.ndarray) -> tuple[float, float]:
        missed = np.searchsorted(mated, self.grid, "right" if self.whole else "left")
        matched = len(nonmated) - np.searchsorted(nonmated, self.grid)
        apart = np.abs(missed * len(nonmated) - matched * len(mated))
        first, last = np.argmin(apart), len(apart) - 1 - np.argmin(apart[::-1])
        return self._eer(missed[first], matched[first], missed[last], matched[last]), self._middle(first, last)

    def _tmr(self, above, reached, mated_above, mated_reached):
        share = (self.fmr * len(self.nonmated) - above) / (reached - above)
        return (mated_above + (mated_reached - mated_above) * share) / len(self.mated)

    def _eer(self, missed, matched, missed_too, matched_too):
        return (missed + missed_too) / (4 * len(self.mated)) + (matched + matched_too) / (4 * len(self.nonmated))

    def _middle(self, first, last):
        if self.whole:
            return (self.grid[first] + self.grid[last]) // 2
        return (self.grid[np.maximum(first - 1, 0)] + self.grid[last]) / 2

    # -- the ways to resample -------------------------------------------------------------------------

    def scipy(self, *statistics: Callable[..., np.ndarray], replicates: int, seed: int) -> Intervals:
        """Call scipy.stats.bootstrap for each statistic and join what it gives."""
        done = [
            bootstrap(
                (self.mated, self.nonmated),
                statistic,
                n_resamples=replicates,
                batch=ROWS,
                vectorized=True,
                paired=False,
                method="percentile",
                rng=np.random.default_rng(seed),
            )
            for statistic in statistics
        ]
        se = np.concatenate([result.standard_error for result in done])
        ends = [np.concatenate(part) for part in zip(*(result.confidence_interval for result in done), strict=True)]
        return Intervals(se, *ends)

    def multinomial(self, *, replicates: int, seed: int) -> Intervals:
        """Draw the counts at all scores with `Generator.multinomial`, and read the statistics off cumulated counts."""
        rng = np.random.default_rng(seed)
        rows = max(1, CELLS // len(self.grid))
        parts = [
            self.of_counts(
                *(rng.multinomial(c.sum(), c / c.sum(), size=min(rows, replicates - done)) for c in self.counts)
            )
            for done in range(0, replicates, rows)
        ]
        values = np.concatenate(parts, axis=1)
        ends = np.quantile(values, (0.025, 0.975), axis=1, method="averaged_inverted_cdf")
        return Intervals(values.std(axis=1, ddof=1), *ends)


class NaiveSubjects:
    """The subject bootstrap as a loop: in each replicate all comparisons are weighed and cumulated.

    Scores are sorted once, before; they must be distinct.
    """

    def __init__(self, pairs: SubjectPairs) -> None:
        self.pairs = pairs
        mated, nonmated = pairs.mated_score[::-1], pairs.score[::-1]
        places = np.sort(np.concatenate([mated, nonmated]))[::-1]  # a threshold at each score
        self.mated_to = len(mated) - np.searchsorted(mated, places)
        self.nonmated_to = len(nonmated) - np.searchsorted(nonmated, places)

    def replicate(self, weight: np.ndarray, threshold: float, fmrs: tuple[float, ...]) -> list[float]:
        """Return FMR and FNMR at a threshold, FNMR at each FMR, and EER."""
        pairs = self.pairs
        mated = np.cumsum(weight[pairs.mated_subject])
        nonmated = np.cumsum(weight[pairs.first] * weight[pairs.second])
        m, n = mated[-1], nonmated[-1]
        results = [
            nonmated[pairs.nonmated_from(threshold) - 1] / n,
            1 - mated[pairs.mated_from(threshold) - 1] / m,
        ]
        for fmr in fmrs:
            at = np.searchsorted(nonmated, ceil(round(fmr * n, 6)))
            share = (fmr * n - nonmated[at - 1]) / (nonmated[at] - nonmated[at - 1])
            levels = np.nextafter(pairs.score[at], np.inf), pairs.score[at]  # just above the threshold, and at it
            above, reached = (mated[pairs.mated_from(level) - 1] for level in levels)
            results.append(1 - (above + (reached - above) * share) / m)
        return [*results, self._eer(mated, nonmated)]

    def _eer(self, mated: np.ndarray, nonmated: np.ndarray) -> float:
        m, n = mated[-1], nonmated[-1]

        def errors(place: int) -> tuple[int, int]:
            to, past = self.mated_to[place], self.nonmated_to[place]
            return int(m - (mated[to - 1] if to else 0)), int(nonmated[past - 1] if past else 0)

        low, high = 0, len(self.mated_to) - 1
        while low < high:  # to the first place, from the top, with FMR at or above FNMR
            middle = (low + high) // 2
            missed, matched = errors(middle)
            low, high = (low, middle) if matched * int(m) >= missed * int(n) else (middle + 1, high)
        beside = [errors(place) for place in (low, max(low - 1, 0))]
        apart = [abs(matched * int(m) - missed * int(n)) for missed, matched in beside]
        nearest = [pair for pair, gap in zip(beside, apart, strict=True) if gap == min(apart)]
        return float(np.mean([missed / m + matched / n for missed, matched in nearest])) / 2
