"""Replicates of rates and thresholds at operating points, and of the area under the ROC."""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.uncertainty.independent_counts import Counts, count_from, draw_nested, draw_part, index_of_rank
from mated.uncertainty.streams import draw_in_blocks
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = ["AUC_SCORES", "draw_at_fmr", "draw_at_threshold", "draw_at_tmr", "draw_auc"]

AUC_SCORES = 4096
"""The most distinct scores for which `draw_auc` draws."""

_CELLS = 2**20


def draw_at_fmr(
    tally: Tally, fmrs: Sequence[float], *, replicates: int, seed: int, threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw replicates of TMR and threshold at false match rates (Wu 2008, Eqs. 5 and 6).

    In a resample of the N non-mated comparisons the threshold t is the k-th largest, k = ⌈f·N⌉ in exact
    arithmetic. With S(t) the share of the original comparisons at or above t and S(t+) that above it:

    - x ~ Beta(k, N − k + 1), and t is the highest score with S(t) ≥ x;
    - Binomial(k − 1, S(t+)/x) resampled comparisons lie above t;
    - of the other k − 1 − that, all are at t, as is the k-th, and Binomial(N − k, (S(t) − x)/(1 − x)) more;
    - the mated comparisons above and at t are then binomial.

    This is the law of resampling, ties included, at a cost that does not depend on the number of comparisons.
    The targets are drawn jointly: a row is one resample, read at every target (uniform order statistics in
    sequence, then the counts between them), so that rows ascend with the target. Asking for other targets draws
    other numbers from the same seed.

    Comparisons are taken as independent. Where subjects recur, the spread is far too small.

    Parameters
    ----------
    fmrs
        Targets f with 0 < f < 1, in any order, read as the decimals they are written as.

    Returns
    -------
    tmr, threshold
        Arrays of `replicates` rows and one column for each target; thresholds as inner similarities.
    """
    targets = [exact_rate(fmr, "a false match rate") for fmr in fmrs]
    return _draw_at_rates(
        tally, tally.nonmated_at_or_above, tally.mated_at_or_above, targets, "at_fmr", replicates, seed, threads
    )


def draw_at_tmr(
    tally: Tally, tmrs: Sequence[float], *, replicates: int, seed: int, threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw replicates of FMR and threshold at true match rates: `draw_at_fmr` with the classes exchanged.

    Targets may be 1. Returns (fmr, threshold), each with one row a replicate and one column a target.
    """
    targets = [exact_rate(tmr, "a true match rate", one_allowed=True) for tmr in tmrs]
    return _draw_at_rates(
        tally, tally.mated_at_or_above, tally.nonmated_at_or_above, targets, "at_tmr", replicates, seed, threads
    )


def draw_at_threshold(
    tally: Tally, thresholds: Sequence[float], *, replicates: int, seed: int, threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw replicates of both rates at fixed thresholds (Wu 2008, Eq. 7).

    At one threshold both counts are binomial and independent; at several thresholds those of a class are cumulated
    multinomial counts, so a row is one resample.

    Parameters
    ----------
    thresholds
        In the user's scoring system, observed or not, in any order.

    Returns
    -------
    fmr, tmr
        Arrays of `replicates` rows and one column for each threshold.
    """
    inner = np.array([tally.from_user(threshold) for threshold in thresholds], dtype=tally.scores.dtype)
    if np.isnan(inner).any():
        raise MatedError("a threshold must be a number, and NaN is none")
    index = np.searchsorted(tally.scores, inner)
    from_the_top = np.argsort(-index, kind="stable")
    column = np.argsort(from_the_top)
    classes = [
        (count_from(counts, index)[from_the_top], int(counts[0]))
        for counts in (tally.nonmated_at_or_above, tally.mated_at_or_above)
    ]

    def draw(rng: np.random.Generator, size: int) -> tuple[NDArray[np.float64], ...]:
        return tuple(
            np.stack(draw_nested(rng, bounds, total, size), axis=1)[:, column] / total for bounds, total in classes
        )

    fmr, tmr = draw_in_blocks(draw, replicates=replicates, seed=seed, name="at_threshold", threads=threads)
    return fmr, tmr


def draw_auc(tally: Tally, *, replicates: int, seed: int, threads: int = 1) -> NDArray[np.float64]:
    """Draw replicates of the area under the ROC: the Mann–Whitney statistic of a resample.

    Every score's count matters to the area, so a replicate draws multinomial counts at all K distinct scores, at a
    cost that grows with K. Above `AUC_SCORES` distinct scores this is refused; DeLong's standard error serves there.
    """
    if len(tally.scores) > AUC_SCORES:
        raise MatedError(
            f"the area under the ROC is resampled up to {AUC_SCORES} distinct scores, and there are "
            f"{len(tally.scores)}; use DeLong's standard error"
        )
    rows = max(1, _CELLS // len(tally.scores))

    def draw(rng: np.random.Generator, size: int) -> tuple[NDArray[np.float64]]:
        parts = [_areas(tally, rng, min(rows, size - done)) for done in range(0, size, rows)]
        return (np.concatenate(parts),)

    return draw_in_blocks(draw, replicates=replicates, seed=seed, name="auc", threads=threads)[0]


def _areas(tally: Tally, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    mated, nonmated = (_all_counts(rng, counts, size) for counts in (tally.mated, tally.nonmated))
    twice_below = 2 * np.cumsum(nonmated, axis=1) - nonmated
    pairs = tally.n_mated * tally.n_nonmated
    exact = np.int64 if 2 * pairs < 2**63 else np.float64
    area: NDArray[np.float64] = np.einsum("rk,rk->r", mated.astype(exact), twice_below.astype(exact)) / (2 * pairs)
    return area


def _all_counts(rng: np.random.Generator, counts: Counts, size: int) -> Counts:
    """Draw resampled counts at every distinct score."""
    present = np.flatnonzero(counts)
    total = int(counts.sum())
    drawn = np.zeros((size, len(counts)), dtype=np.int64)
    drawn[:, present] = rng.multinomial(total, counts[present] / total, size=size)
    return drawn


def _draw_at_rates(
    tally: Tally,
    given: Counts,
    asked: Counts,
    targets: list[Fraction],
    name: str,
    replicates: int,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw the rate of the class `asked` and the threshold where the class `given` reaches the targets."""
    total, asked_total = int(given[0]), int(asked[0])
    ranks, which = np.unique([ceil(target * total) for target in targets], return_inverse=True)
    reaching = np.array([float(target * total) for target in targets])

    def draw(rng: np.random.Generator, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        index, above, reached = _order_statistics(rng, given, ranks, size)
        asked_above, asked_reached = _counts_around(rng, asked, index)
        above, reached = above[which], reached[which]
        share = (reaching[:, None] - above) / (reached - above)
        count = asked_above[which] + (asked_reached - asked_above)[which] * share
        return (count / asked_total).T, tally.scores[index[which]].astype(np.float64).T

    rate, threshold = draw_in_blocks(draw, replicates=replicates, seed=seed, name=name, threads=threads)
    return rate, threshold


def _order_statistics(
    rng: np.random.Generator, at_or_above: Counts, ranks: Counts, size: int
) -> tuple[Counts, Counts, Counts]:
    """Draw the scores of the given ranks (ascending, from the top) in a resample, and the counts around them.

    Returns three arrays of one row for each rank: the index of the score, the resampled comparisons above it, and
    those at or above it. A resampled comparison is a uniform place among the N original ones in descending order;
    place, above and reached below are in this measure.
    """
    total = int(at_or_above[0])
    shape = (len(ranks), size)
    index, above, reached = (np.empty(shape, dtype=np.int64) for _ in range(3))
    place, end = np.zeros(size), np.zeros(size, dtype=np.int64)
    before = 0
    for i, rank in enumerate(ranks.tolist()):
        previous = place
        place = previous + (total - previous) * rng.beta(rank - before, total - rank + 1, size)
        index[i] = index_of_rank(at_or_above, np.clip(np.ceil(place), 1, total).astype(np.int64))
        between = rank - before - 1
        # The places between two ranks: tied with the score before, between the scores, tied with this one.
        tied_before = draw_part(rng, between, end - previous, place - previous)
        begin = count_from(at_or_above, index[i] + 1)
        above[i] = before + tied_before + draw_part(rng, between - tied_before, begin - end, place - end)
        if i:
            reached[i - 1] = before + tied_before
            above[i] = np.where(index[i] == index[i - 1], above[i - 1], above[i])
        end = at_or_above[index[i]]
        before = rank
    reached[-1] = before + draw_part(rng, total - before, end - place, total - place)
    for i in range(len(ranks) - 2, -1, -1):
        reached[i] = np.where(index[i] == index[i + 1], reached[i + 1], reached[i])
    return index, above, reached


def _counts_around(rng: np.random.Generator, at_or_above: Counts, index: Counts) -> tuple[Counts, Counts]:
    """Draw the resampled comparisons above, and at or above, the scores `index` (rows descending)."""
    total = int(at_or_above[0])
    bounds = [bound for row in index for bound in (count_from(at_or_above, row + 1), at_or_above[row])]
    # Two ranks may share a score; the sets must still be nested, and the count above it is taken over.
    drawn = draw_nested(rng, np.maximum.accumulate(bounds), total, index.shape[1])
    above, reached = np.array(drawn[::2]), np.array(drawn[1::2])
    for i, (row, following) in enumerate(pairwise(index), start=1):
        above[i] = np.where(row == following, above[i - 1], above[i])
    return above, reached
