"""Replicates of the equal error rate and its threshold (Wu 2008, Eqs. 8 to 10).

A replicate is a walk down to the score where the error rates cross. At every step the current range of scores is cut
in two and the resampled counts of the parts are drawn (both classes), which tells the part that holds the crossing.
The ranges left behind keep their counts. After the walk the two neighbouring scores are drawn as well, and last
the nearest resampled scores beyond them, at which a plateau of equal difference ends.

Every draw is conditional on the counts drawn before and every choice depends on these alone, so the outcome has
the law of resampling all comparisons, in steps that grow with the logarithm of the number of distinct scores.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import gcd, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.uncertainty.independent_counts import Counts, count_from, draw_part, index_of_rank
from mated.uncertainty.streams import draw_in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = ["draw_eer"]

# Share of the replicates, at most, that have their crossing below, or above, the range in which the walk looks first.
# Any is right. With this one no draw ever depends on scores far away, which data read in chunks hold in ranges only.
_BEYOND_LIKELY = 1e-12
# Beyond this, products are left to Python's integers: slower, still exact.
_LARGEST = 2**62


def draw_eer(
    tally: Tally, *, replicates: int, seed: int, threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw replicates of the equal error rate and its threshold by the definition of Wu (2008).

    ER_I(s) = 1 − C_G(s + 1) and ER_II(s) = C_I(s) of a resample are compared at every legitimate score of the
    original scoring system, from its lowest to its highest observed score: the unit's steps, or for continuous
    scores every observed score and every gap. An original score that a resample does not hit stays legitimate. The
    rate is half the sum of the errors where their difference is least, and the mean over both sides
    where the least difference occurs with either sign; the threshold is the middle of the range where it
    occurs, floored to the unit.

    Differences are compared in integers, so that ties are ties. Comparisons are taken as independent: where subjects
    recur, the spread is far too small.

    Returns
    -------
    eer, threshold
        One value a replicate; thresholds as inner similarities.
    """
    difference = _difference_of_errors(tally.n_mated, tally.n_nonmated)
    likely = _likely_range(tally)

    def draw(rng: np.random.Generator, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        walk = _walk_to_crossing(tally, difference, likely, rng, size)
        return _read_off(tally, difference, walk, rng)

    eer, threshold = draw_in_blocks(draw, replicates=replicates, seed=seed, name="eer", threads=threads)
    return eer, threshold


@dataclass(frozen=True)
class _Ranges:
    """Ranges of scores [start, stop) on one side of the crossing with their counts, nearer ones in later rows."""

    start: Counts
    stop: Counts
    mated: Counts
    nonmated: Counts


@dataclass(frozen=True)
class _Walk:
    """Where a walk ended: the first score with ER_I ≥ ER_II in the gap above it, and what is known around it."""

    index: Counts
    mated: Counts
    nonmated: Counts
    mated_below: Counts
    nonmated_below: Counts
    lower: _Ranges
    upper: _Ranges


@dataclass(frozen=True)
class _Neighbours:
    """What a replicate holds next to the crossing in one direction, by class.

    `first` is the class whose comparisons change the difference when a score is entered from the crossing's side
    (mated upwards, non-mated downwards), `second` that which changes it when the score is left. The beyond are
    indices of the nearest resampled scores past the neighbouring score.
    """

    first: Counts
    second: Counts
    first_beyond: Counts
    second_beyond: Counts


def _difference_of_errors(n_mated: int, n_nonmated: int) -> Callable[[Any, Any], Any]:
    """Return (mated at or below, non-mated at or above) ↦ ER_I − ER_II times the least common multiple of the sizes."""
    common = gcd(n_mated, n_nonmated)
    of_mated, of_nonmated = n_nonmated // common, n_mated // common
    exact: Any = np.int64 if n_mated * of_mated < _LARGEST else object

    def difference(missed: Any, matched: Any) -> Any:
        return of_mated * np.asarray(missed, dtype=exact) - of_nonmated * np.asarray(matched, dtype=exact)

    return difference


def _likely_range(tally: Tally) -> tuple[int, int]:
    """Return the distinct scores between which all replicates but `_BEYOND_LIKELY` on each side have their crossing.

    In units of 1/(N_G·N_I) the difference of the errors of a resample is a sum of independent terms of at most
    b = max(N_G, N_I). By Bernstein's inequality it exceeds its mean by t with a probability of at most
    exp(−t²/2/(v + b·t/3)). Where the mean is ∓t, the variance v exceeds that at the crossing by b·t at most: a
    comparison that moves the mean by its step s adds at most s² ≤ b·s. Solving for t at the probability e^(−x) gives
    d + √(d² + 2xv) with d = 4/3·x·b.
    """
    m, n = tally.n_mated, tally.n_nonmated

    def difference(index: int) -> int:
        return n * (m - tally.mated_from(index + 1)) - m * tally.nonmated_from(index + 1)

    def variance(index: int) -> float:
        true_matches, false_matches = tally.mated_from(index), tally.nonmated_from(index)
        return n * n * true_matches * (m - true_matches) / m + m * m * false_matches * (n - false_matches) / n

    indices = range(len(tally.scores))
    crossing = bisect_left(indices, 0, key=difference)
    exponent = -log(_BEYOND_LIKELY)
    drift = exponent * max(m, n) * 4 / 3
    # Just below the crossing and just above it: the first bounds what lies lower, the second what lies higher.
    reach = drift + sqrt(drift**2 + 2 * exponent * max(variance(crossing), variance(crossing + 1)))
    low, high = (bisect_left(indices, bound, key=difference) for bound in (-reach, reach))
    return low, high + 1


def _walk_to_crossing(
    tally: Tally,
    difference: Callable[[Any, Any], Any],
    likely: tuple[int, int],
    rng: np.random.Generator,
    size: int,
) -> _Walk:
    """Narrow [low, high), at whose ends ER_I − ER_II < 0 ≤ ER_I − ER_II, down to one score."""

    def everywhere(value: int) -> Counts:
        return np.full(size, value, dtype=np.int64)

    low, high = everywhere(0), everywhere(len(tally.scores))
    mated, nonmated = everywhere(tally.n_mated), everywhere(tally.n_nonmated)
    mated_below, nonmated_below = everywhere(0), everywhere(0)
    # Original comparisons at or above the two ends.
    mated_low, nonmated_low, mated_high, nonmated_high = mated, nonmated, everywhere(0), everywhere(0)
    lower: list[tuple[Counts, ...]] = []
    upper: list[tuple[Counts, ...]] = []
    pivots = [likely[1], likely[0]]
    while pivots or (high - low).max() > 1:
        # A range of one score, or one without the pivot, is "cut" at its end, which changes nothing.
        if pivots:
            pivot = pivots.pop(0)
            cut = np.where((low < pivot) & (pivot < high), pivot, high)
        else:
            cut = (low + high + 1) // 2
        mated_cut = count_from(tally.mated_at_or_above, cut)
        nonmated_cut = count_from(tally.nonmated_at_or_above, cut)
        mated_left = draw_part(rng, mated, mated_low - mated_cut, mated_low - mated_high)
        nonmated_left = draw_part(rng, nonmated, nonmated_low - nonmated_cut, nonmated_low - nonmated_high)
        mated_right, nonmated_right = mated - mated_left, nonmated - nonmated_left
        missed = mated_below + mated_left
        left = difference(missed, tally.n_nonmated - nonmated_below - nonmated_left) >= 0
        # The range left behind lies above where the walk goes left, and below where it goes right.
        upper.append((cut, np.where(left, high, cut), mated_right * left, nonmated_right * left))
        lower.append((np.where(left, cut, low), cut, mated_left * ~left, nonmated_left * ~left))
        mated_below, nonmated_below = mated_below + lower[-1][2], nonmated_below + lower[-1][3]
        mated, nonmated = np.where(left, mated_left, mated_right), np.where(left, nonmated_left, nonmated_right)
        low, high = np.where(left, low, cut), np.where(left, cut, high)
        mated_low, mated_high = np.where(left, mated_low, mated_cut), np.where(left, mated_cut, mated_high)
        nonmated_low = np.where(left, nonmated_low, nonmated_cut)
        nonmated_high = np.where(left, nonmated_cut, nonmated_high)
    return _Walk(
        low,
        mated,
        nonmated,
        mated_below,
        nonmated_below,
        _Ranges(*(np.array(rows) for rows in zip(*lower, strict=True))),
        _Ranges(*(np.array(rows) for rows in zip(*upper, strict=True))),
    )


def _read_off(
    tally: Tally, difference: Callable[[Any, Any], Any], walk: _Walk, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evaluate Eqs. 8 to 10 at the crossing.

    The difference of the errors grows by the mated comparisons at a score on entering it from below, and by the
    non-mated ones on leaving it. `reached` tells where it is no longer negative at the score itself; elsewhere it
    becomes so just above.
    """
    above = _neighbours(tally, walk.upper, rng, upwards=True)
    below = _neighbours(tally, walk.lower, rng, upwards=False)
    last = len(tally.scores) - 1
    index = walk.index
    # Where the gap to the neighbouring score holds no legitimate score, that score is the next place to look at.
    above_next = _is_next(tally, index, np.minimum(index + 1, last))
    below_next = _is_next(tally, np.maximum(index - 1, 0), index)
    missed, matched = walk.mated_below + walk.mated, tally.n_nonmated - walk.nonmated_below
    reached = difference(missed, matched) >= 0

    up_missed = missed + np.where(reached, 0, above.first * above_next)
    up_matched = matched - np.where(reached, 0, walk.nonmated)
    down_missed = missed - np.where(reached, walk.mated, 0)
    down_matched = matched + np.where(reached, below.first * below_next, 0)
    up, down = difference(up_missed, up_matched), -difference(down_missed, down_matched)
    lowest = reached & (index == 0)
    use_up, use_down = lowest | (up <= down), ~lowest & (down <= up)

    sums = [
        missed / tally.n_mated + matched / tally.n_nonmated
        for missed, matched in ((up_missed, up_matched), (down_missed, down_matched))
    ]
    eer = (sums[0] * use_up + sums[1] * use_down) / (2 * (use_up.astype(np.int64) + use_down))

    step = 0.0 if tally.unit is None else float(tally.unit)
    here = tally.scores[index].astype(np.float64)
    high_end = _far_end(tally, index, reached, walk.nonmated, above_next, above, upwards=True)
    low_end = _far_end(tally, index, ~reached, walk.mated, below_next, below, upwards=False)
    high = np.where(use_up, high_end, here - step * reached)
    low = np.where(use_down, low_end, here + step * ~reached)
    return eer, _middles(tally, low, high)


def _is_next(tally: Tally, lower: Counts, upper: Counts) -> NDArray[np.bool_]:
    """Tell whether no legitimate score lies between two neighbouring distinct scores."""
    if tally.unit is None:
        return np.zeros(len(lower), dtype=bool)
    below, above = tally.scores[lower].astype(np.float64), tally.scores[upper].astype(np.float64)
    close: NDArray[np.bool_] = (lower < upper) & (above <= below + 1.5 * float(tally.unit))
    return close


def _neighbours(tally: Tally, ranges: _Ranges, rng: np.random.Generator, *, upwards: bool) -> _Neighbours:
    """Draw the counts at the score next to the crossing, and the nearest resampled scores beyond it."""
    filled = ranges.stop > ranges.start
    row, column = _last_true(filled), np.arange(filled.shape[1])
    exists = filled[row, column]
    start, stop = ranges.start[row, column], ranges.stop[row, column]
    score = start if upwards else stop - 1
    start_rest, stop_rest = ranges.start.copy(), ranges.stop.copy()
    (start_rest if upwards else stop_rest)[row, column] += np.where(exists, 1 if upwards else -1, 0)

    def of_class(at_or_above: Counts, counts: Counts) -> tuple[Counts, Counts]:
        at_score = count_from(at_or_above, score) - count_from(at_or_above, score + 1)
        in_range = count_from(at_or_above, start) - count_from(at_or_above, stop)
        here = draw_part(rng, counts[row, column], at_score, in_range)
        rest = counts.copy()
        rest[row, column] -= here
        return here, _nearest(at_or_above, start_rest, stop_rest, rest, rng, upwards=upwards)

    mated = of_class(tally.mated_at_or_above, ranges.mated)
    nonmated = of_class(tally.nonmated_at_or_above, ranges.nonmated)
    first, second = (mated, nonmated) if upwards else (nonmated, mated)
    return _Neighbours(first[0], second[0], first[1], second[1])


def _nearest(
    at_or_above: Counts, start: Counts, stop: Counts, counts: Counts, rng: np.random.Generator, *, upwards: bool
) -> Counts:
    """Draw the index of the resampled comparison nearest to the crossing; one past the scores where there is none.

    It lies in the nearest range that holds any. The least of c uniform places is 1 − (1 − U)^(1/c).
    """
    present = counts > 0
    row, column = _last_true(present), np.arange(counts.shape[1])
    count = counts[row, column]
    top = count_from(at_or_above, stop[row, column])
    whole = count_from(at_or_above, start[row, column]) - top
    least = -np.expm1(np.log1p(-rng.random(len(count))) / np.maximum(count, 1))
    place = np.minimum((least * whole).astype(np.int64), np.maximum(whole - 1, 0))
    rank = top + (whole - place if upwards else 1 + place)
    found = index_of_rank(at_or_above, np.clip(rank, 1, at_or_above[0]))
    return np.where(count > 0, found, len(at_or_above) if upwards else -1)


def _last_true(table: NDArray[np.bool_]) -> Counts:
    """Return for each column its last true row (the last row where none is)."""
    row: Counts = len(table) - 1 - np.argmax(table[::-1], axis=0)
    return row


def _far_end(
    tally: Tally,
    index: Counts,
    entered: NDArray[np.bool_],
    second: Counts,
    is_next: NDArray[np.bool_],
    neighbours: _Neighbours,
    *,
    upwards: bool,
) -> NDArray[np.float64]:
    """Return the last legitimate score with the same difference, going away from the crossing.

    `entered` tells where the run begins at the crossing's own score, which has `second` comparisons of the class that
    change the difference on leaving it; elsewhere it begins just past that score.
    """
    away = 1 if upwards else -1
    scores = tally.scores
    step = 0.0 if tally.unit is None else float(tally.unit)
    first_beyond, second_beyond = neighbours.first_beyond, neighbours.second_beyond
    nearest_beyond = away * np.minimum(away * first_beyond, away * second_beyond)
    barred_beyond = nearest_beyond == first_beyond
    seen = (neighbours.first > 0) | (neighbours.second > 0)
    neighbour = np.clip(index + away, 0, len(scores) - 1)

    # A run ends at a resampled score, or one step before it where the first class is there.
    enters_neighbour = ~entered & is_next & (neighbours.first > 0)
    skips = enters_neighbour | ~seen
    stop_at = np.where(skips, nearest_beyond, neighbour)
    barred = np.where(skips, barred_beyond, neighbours.first > 0)
    none_left = (stop_at < 0) | (stop_at >= len(scores))
    end = scores[np.clip(stop_at, 0, len(scores) - 1)].astype(np.float64) - away * step * (barred & ~none_left)

    at_once = (entered & (second > 0)) | (enters_neighbour & (neighbours.second > 0))
    begin = scores[np.where(enters_neighbour, neighbour, index)].astype(np.float64)
    return np.where(at_once, begin, end)


def _middles(tally: Tally, low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the thresholds of Eq. 10; the upper end where one is infinite, as in the estimate."""
    finite = np.isfinite(low) & np.isfinite(high)
    bottom, top = np.where(finite, low, 0.0), np.where(finite, high, 0.0)
    if tally.unit is None:
        middle = bottom / 2 + top / 2
    else:
        # Whole numbers of units are exact in floats, and so is one division.
        unit = float(tally.unit)
        units = np.floor((np.rint(bottom / unit) + np.rint(top / unit)) / 2)
        middle = units * tally.unit.numerator / tally.unit.denominator
    middle = np.where(low == high, low, np.where(finite, middle, high))
    return middle.astype(tally.scores.dtype).astype(np.float64)
