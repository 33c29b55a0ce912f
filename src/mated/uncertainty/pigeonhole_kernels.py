"""The hot loops of the subject bootstrap, compiled by Numba; import this module only where it is used.

Every kernel works on one block of replicates. `weight` has one row for each subject, one column for each replicate, and
a last row of ones: a mated comparison of subject i is then the pair (i, ones), and both classes run through one loop.
The innermost loop runs over replicates, side by side in memory, so that the processor adds many at once; where single
replicates part ways, only the few hundred comparisons around the place sought are walked one by one.

Comparisons are sorted by score, highest first, and walked in pieces that never split equal scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from mated.scores.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int32]
    Counts: TypeAlias = NDArray[np.int64]
    Weights: TypeAlias = NDArray[np.uint8]
    Number: TypeAlias = Any  # a scalar of an array: NumPy's types and Python's do not mix in annotations

__all__ = ["Sorted", "area", "crossing", "prefix", "reach", "segment"]

PIECE = 512
"""Comparisons in a piece, more only where that many scores are equal."""


class Sorted(NamedTuple):
    """Both classes, highest score first, and the weights of a block of replicates."""

    score: Floats
    first: Codes
    second: Codes
    mated_score: Floats
    mated_subject: Codes
    weight: Weights


@compiled
def _piece_end(score: Floats, start: int, size: int) -> int:
    """Return where the piece that starts at `start` ends: before the equal scores that would be split, or after."""
    end = start + size
    if end >= len(score):
        return len(score)
    tied = score[end]
    first = end
    while first > start and score[first - 1] == tied:
        first -= 1
    if first > start:
        return first
    while end < len(score) and score[end] == tied:
        end += 1
    return end


@compiled
def _add(first: Codes, second: Codes, weight: Weights, start: int, end: int, total: Counts) -> None:
    """Add to each replicate's total the weights of the comparisons from `start` to `end`."""
    replicates = len(total)
    partial = np.empty(replicates, dtype=np.int32)
    for low in range(start, end, 16384):  # 255² · 16384 fits 32 bits
        high = min(low + 16384, end)
        partial[:] = 0
        for c in range(low, high):
            i, j = first[c], second[c]
            for b in range(replicates):
                partial[b] += np.int32(weight[i, b]) * np.int32(weight[j, b])
        for b in range(replicates):
            total[b] += partial[b]


@compiled
def _sum_one(first: Codes, second: Codes, weight: Weights, start: int, end: int, b: int) -> Number:
    """Return the weight of the comparisons from `start` to `end` in one replicate."""
    total = np.int64(0)
    for c in range(start, end):
        total += np.int64(weight[first[c], b]) * np.int64(weight[second[c], b])
    return total


@compiled
def segment(first: Codes, second: Codes, weight: Weights, start: int, end: int) -> Counts:
    """Return each replicate's weight of the comparisons from `start` to `end`."""
    total = np.zeros(weight.shape[1], dtype=np.int64)
    _add(first, second, weight, start, end, total)
    return total


@compiled
def reach(
    score: Floats, first: Codes, second: Codes, weight: Weights, start: int, base: Counts, target: Counts
) -> tuple[Floats, Counts, Counts]:
    """Find, for each replicate, the highest score at or above which its weight is at least `target`.

    `base` is the weight before `start`, where a new score begins and no replicate has reached its target. Returns the
    score, the weight above it and the weight at or above it; NaN and −1 where the comparisons do not suffice.
    """
    replicates = weight.shape[1]
    level = np.full(replicates, np.nan)
    above = np.full(replicates, -1, dtype=np.int64)
    reached = np.full(replicates, -1, dtype=np.int64)
    total = base.copy()
    pending = replicates
    position = start
    while pending > 0 and position < len(score):
        end = _piece_end(score, position, PIECE)
        before = total.copy()
        _add(first, second, weight, position, end, total)
        one_score = score[position] == score[end - 1]
        for b in range(replicates):
            if reached[b] >= 0 or total[b] < target[b]:
                continue
            pending -= 1
            if one_score:
                level[b], above[b], reached[b] = score[position], before[b], total[b]
                continue
            running, c = before[b], position
            while reached[b] < 0:
                value, higher = score[c], running
                while c < end and score[c] == value:
                    running += np.int64(weight[first[c], b]) * np.int64(weight[second[c], b])
                    c += 1
                if running >= target[b]:
                    level[b], above[b], reached[b] = value, higher, running
        position = end
    return level, above, reached


@compiled
def prefix(first: Codes, second: Codes, weight: Weights, start: int, base: Counts, position: Counts) -> Counts:
    """Return, for each replicate and each of its positions (not before `start`), the weight of what comes before.

    `base` is the weight before `start`.
    """
    replicates, places = position.shape
    result = np.empty((replicates, places), dtype=np.int64)
    last = position.max() if position.size else start
    total = base.copy()
    low = start
    while True:
        high = min(low + PIECE, last + 1)
        for b in range(replicates):
            for k in range(places):
                if low <= position[b, k] < high:
                    result[b, k] = total[b] + _sum_one(first, second, weight, low, position[b, k], b)
        if high > last:
            return result
        _add(first, second, weight, low, high, total)
        low = high


@compiled
def area(data: Sorted, nonmated: Counts) -> Counts:
    """Return twice the weighted number of pairs (mated, non-mated) in which the mated score is higher, ties half."""
    score, mated_score, weight = data.score, data.mated_score, data.weight
    replicates = weight.shape[1]
    twice = np.zeros(replicates, dtype=np.int64)
    total = np.zeros(replicates, dtype=np.int64)
    position, g = 0, 0
    while g < len(mated_score):
        value = mated_score[g]
        start = position
        while position < len(score) and score[position] > value:
            position += 1
        _add(data.first, data.second, weight, start, position, total)
        not_below = total.copy()
        start = position
        while position < len(score) and score[position] == value:
            position += 1
        _add(data.first, data.second, weight, start, position, total)
        not_below += total
        while g < len(mated_score) and mated_score[g] == value:
            i = data.mated_subject[g]
            for b in range(replicates):
                twice[b] += np.int64(weight[i, b]) * (2 * nonmated[b] - not_below[b])
            g += 1
    return twice


@compiled
def _next_score(data: Sorted, i: int, g: int) -> Number:
    """Return the highest score not yet passed, NaN where all are."""
    if i == len(data.score) and g == len(data.mated_score):
        return np.nan
    if i == len(data.score):
        return data.mated_score[g]
    if g == len(data.mated_score):
        return data.score[i]
    return max(data.score[i], data.mated_score[g])


@compiled
def _last_score(data: Sorted, i: int, g: int) -> Number:
    """Return the lowest score already passed, NaN where none is."""
    if i == 0 and g == 0:
        return np.nan
    if i == 0:
        return data.mated_score[g - 1]
    if g == 0:
        return data.score[i - 1]
    return min(data.score[i - 1], data.mated_score[g - 1])


@compiled
def crossing(
    data: Sorted,
    nonmated: Counts,
    mated: Counts,
    start: int,
    base: Counts,
    mated_start: int,
    mated_base: Counts,
    step: float,
    cut: float,
) -> tuple[NDArray[np.bool_], Floats, Counts]:
    """Find, for each replicate, the legitimate scores at which the two errors of Wu (2008), Eq. 8, are nearest.

    Places are scores and the gaps between them; a gap is legitimate if a multiple of `step` lies in it, or if `step` is
    0 (continuous). Let d = N·errors_I − M·errors_II with the replicate's weights N, M; it never rises on the way down.
    `start` and `mated_start` are where the walk begins in the two lists: just below a score, with d ≥ 0, the weights
    `base` and `mated_base` lying above. Scores below `cut` are not known.

    Returns whether a place was found above the cut; (low, high, low is a gap, high is a gap), a low gap given by the
    score below it and a high gap by the score above; and the errors (I, II) at low and at high.
    """
    score, mated_score, weight = data.score, data.mated_score, data.weight
    replicates = weight.shape[1]
    found = np.zeros(replicates, dtype=np.bool_)
    ends = np.full((replicates, 4), np.nan)
    errors = np.zeros((replicates, 4), dtype=np.int64)
    # What is known of each replicate's piece: where it starts, ends, where the next ends, and the weights there.
    edge = np.zeros((replicates, 3), dtype=np.int64)
    at_edge = np.zeros((replicates, 3), dtype=np.int64)
    mated_edge = np.zeros(replicates, dtype=np.int64)
    mated_at_edge = np.zeros(replicates, dtype=np.int64)
    stage = np.zeros(replicates, dtype=np.int64)
    total, mated_total = base.copy(), mated_base.copy()
    position, g, pending = start, mated_start, replicates
    while pending > 0:
        end = _piece_end(score, position, PIECE)
        before, mated_before, g_before = total.copy(), mated_total.copy(), g
        _add(data.first, data.second, weight, position, end, total)
        while end > position and g < len(mated_score) and mated_score[g] >= score[end - 1]:
            i = data.mated_subject[g]
            for b in range(replicates):
                mated_total[b] += weight[i, b]
            g += 1
        for b in range(replicates):
            if stage[b] == 1:
                edge[b, 2], at_edge[b, 2] = end, total[b]
                stage[b] = 2
                pending -= 1
            elif stage[b] == 0:
                below = nonmated[b] * (mated[b] - mated_total[b]) < mated[b] * total[b]
                if below or end == len(score):
                    edge[b, 0], edge[b, 1], edge[b, 2] = position, end, end
                    at_edge[b, 0], at_edge[b, 1], at_edge[b, 2] = before[b], total[b], total[b]
                    mated_edge[b], mated_at_edge[b] = g_before, mated_before[b]
                    stage[b] = 1
                    if end == len(score):
                        stage[b] = 2
                        pending -= 1
        position = end
    for b in range(replicates):
        if nonmated[b] > 0 and mated[b] > 0:
            start_of = (mated_edge[b], mated_at_edge[b])
            found[b] = _settle(
                data, b, nonmated[b], mated[b], edge[b], at_edge[b], start_of, (step, cut), ends[b], errors[b]
            )
    return found, ends, errors


@compiled
def _settle(
    data: Sorted,
    b: int,
    nonmated: int,
    mated: int,
    edge: Counts,
    at_edge: Counts,
    mated_edge: tuple[Number, Number],
    step_and_cut: tuple[float, float],
    ends: Floats,
    errors: Counts,
) -> bool:
    """Walk one replicate down from its piece's start to the last place with d ≥ 0 and the first with d < 0."""
    score, mated_score, weight = data.score, data.mated_score, data.weight
    step, cut = step_and_cut
    i, above = edge[0], at_edge[0]
    g, above_mated = mated_edge
    last = _last_score(data, i, g)
    # A place: d, errors I, errors II, i and g below it, and its score twice or the two scores around the gap.
    nothing = (np.int64(0), np.int64(0), np.int64(0), i, g, np.nan, np.nan, False)
    higher, lower = nothing, nothing
    if not np.isnan(last):
        up = above_mated
        k = g
        while k > 0 and mated_score[k - 1] == last:
            k -= 1
            up -= np.int64(weight[data.mated_subject[k], b])
        higher = (nonmated * (mated - up) - mated * above, mated - up, above, i, g, last, last, False)
    while True:
        value = _next_score(data, i, g)
        if np.isnan(value) and cut == -np.inf:
            break
        if not value >= cut:
            return False
        if not np.isnan(last) and (step == 0 or last - value > 1.5 * step):
            gap = (
                nonmated * (mated - above_mated) - mated * above,
                mated - above_mated,
                above,
                i,
                g,
                value,
                last,
                True,
            )
            if gap[0] < 0:
                lower = gap
                break
            higher = gap
        past, reached = i, above
        # The weight of a whole piece of one score is known already.
        if i == edge[0] and edge[1] > i and score[i] == value and score[edge[1] - 1] == value:
            past, reached = edge[1], at_edge[1]
        elif i == edge[1] and edge[2] > i and score[i] == value and score[edge[2] - 1] == value:
            past, reached = edge[2], at_edge[2]
        while past < len(score) and score[past] == value:
            reached += np.int64(weight[data.first[past], b]) * np.int64(weight[data.second[past], b])
            past += 1
        g_past, mated_reached = g, above_mated
        while g_past < len(mated_score) and mated_score[g_past] == value:
            mated_reached += np.int64(weight[data.mated_subject[g_past], b])
            g_past += 1
        missed = mated - above_mated
        here = (nonmated * missed - mated * reached, missed, reached, past, g_past, value, value, False)
        if here[0] < 0:
            lower = here
            break
        higher = here
        i, above, g, above_mated, last = past, reached, g_past, mated_reached, value
    # A difference of 1 means that the classes do not overlap; beyond the outermost scores there is nothing to find.
    if lower[0] < 0 and -lower[0] <= higher[0]:
        errors[0], errors[1], ends[0], ends[2] = lower[1], lower[2], lower[5], lower[7]
        if -lower[0] < nonmated * mated:
            known, ends[0], ends[2] = _down(data, b, lower[3], lower[4], lower[5], lower[7], step, cut)
            if not known:
                return False
    else:
        errors[0], errors[1], ends[0], ends[2] = higher[1], higher[2], higher[5], higher[7]
    if lower[0] < 0 and -lower[0] < higher[0]:
        errors[2], errors[3], ends[1], ends[3] = lower[1], lower[2], lower[6], lower[7]
    else:
        errors[2], errors[3], ends[1], ends[3] = higher[1], higher[2], higher[6], higher[7]
        if higher[0] < nonmated * mated:
            ends[1], ends[3] = _up(data, b, higher[3], higher[4], higher[6], higher[7], step)
    return True


@compiled
def _up(data: Sorted, b: int, i: int, g: int, bound: float, gap: bool, step: float) -> tuple[Number, bool]:
    """Go up from a place as long as what is passed weighs nothing; return the score, or the score above the gap."""
    best, best_gap, in_gap = bound, gap, gap
    while True:
        value = _last_score(data, i, g)
        if in_gap:
            k = g
            while k > 0 and data.mated_score[k - 1] == value:
                if data.weight[data.mated_subject[k - 1], b] > 0:
                    return best, best_gap
                k -= 1
            best, best_gap, in_gap = value, False, False
            continue
        while i > 0 and data.score[i - 1] == value:
            if data.weight[data.first[i - 1], b] > 0 and data.weight[data.second[i - 1], b] > 0:
                return best, best_gap
            i -= 1
        while g > 0 and data.mated_score[g - 1] == value:
            g -= 1
        above = _last_score(data, i, g)
        if np.isnan(above):
            return best, best_gap
        if step == 0 or above - value > 1.5 * step:
            best, best_gap = above, True
        in_gap = True


@compiled
def _down(
    data: Sorted, b: int, i: int, g: int, bound: float, gap: bool, step: float, cut: float
) -> tuple[bool, Number, bool]:
    """Go down from a place likewise; return whether the end is above the cut, and the score, or that below the gap."""
    best, best_gap, in_gap = bound, gap, gap
    while True:
        if in_gap:
            value = _next_score(data, i, g)
            while i < len(data.score) and data.score[i] == value:
                if data.weight[data.first[i], b] > 0 and data.weight[data.second[i], b] > 0:
                    return True, best, best_gap
                i += 1
            while g < len(data.mated_score) and data.mated_score[g] == value:
                g += 1
            best, best_gap, in_gap = value, False, False
            continue
        value = _last_score(data, i, g)
        k = g
        while k > 0 and data.mated_score[k - 1] == value:
            if data.weight[data.mated_subject[k - 1], b] > 0:
                return True, best, best_gap
            k -= 1
        below = _next_score(data, i, g)
        if np.isnan(below) and cut == -np.inf:
            return True, best, best_gap
        if not below >= cut:
            return False, best, best_gap
        if step == 0 or value - below > 1.5 * step:
            best, best_gap = below, True
        in_gap = True
