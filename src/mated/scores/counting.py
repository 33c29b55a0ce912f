"""The one counting kernel: two arrays of scores in, distinct scores with two cumulated counts out.

Integers in a moderate range are counted without sorting; anything else is sorted once and merged.
Counts are cumulated from the highest score down, as in Wu (2008), Eq. 4: every operating point is then a
search, and no count is ever held for a comparison and a threshold together.
Nothing here knows of files, subjects or thresholds.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.floating[Any]]
    Counts: TypeAlias = NDArray[np.int64]

__all__ = ["Cumulated", "count_distinct", "merge_counts"]

_SAMPLE = 1024
_SMALL_RANGE = 1 << 16
_WORTH_A_THREAD = 1 << 20
_EXACT = 2.0**53  # beyond it floats are no longer told apart by whole numbers


class Cumulated(NamedTuple):
    """Distinct scores, ascending, and how many scores of each class lie at or above each of them."""

    scores: Floats
    mated_at_or_above: Counts
    nonmated_at_or_above: Counts


def count_distinct(mated: NDArray[Any], nonmated: NDArray[Any]) -> Cumulated:
    """Count both classes at every distinct score; float32 stays float32, all else becomes float64.

    The scores must not contain NaN; infinities are scores like any other.
    """
    bounds = _integer_bounds(mated, nonmated)
    if bounds is not None:
        return _count_integers(mated, nonmated, *bounds)
    return _count_sorted(mated, nonmated)


def merge_counts(a: Cumulated, b: Cumulated) -> Cumulated:
    """Add two counted sets: the distinct scores of both, the counts of equal scores summed."""
    both = np.concatenate([a.scores, b.scores])
    both.sort(kind="stable")
    scores = both[_run_starts(both)]
    totals = [
        _look_up(scores, a.scores, in_a) + _look_up(scores, b.scores, in_b)
        for in_a, in_b in zip(a[1:], b[1:], strict=True)
    ]
    return Cumulated(scores, totals[0], totals[1])


def _look_up(at: Floats, scores: Floats, at_or_above: Counts) -> Counts:
    padded = np.append(at_or_above, 0)
    return padded[np.searchsorted(scores, at)]


def _run_starts(ordered: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index at which each run of equal values begins (none for an empty array)."""
    first = np.empty(len(ordered), dtype=bool)
    first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return np.flatnonzero(first)


def _integer_bounds(mated: NDArray[Any], nonmated: NDArray[Any]) -> tuple[int, int] | None:
    """Return (lowest, highest) when both arrays hold integers in a range worth a counter each, else None."""
    low, high = np.inf, -np.inf
    for values in (mated, nonmated):
        if not len(values):
            continue
        if not _are_integers(values[:_SAMPLE]):
            return None
        low, high = min(low, float(values.min())), max(high, float(values.max()))
    size = len(mated) + len(nonmated)
    if max(abs(low), abs(high)) > _EXACT:
        return None
    if not 0 <= high - low < max(_SMALL_RANGE, 2 * size):  # also turns away infinities and no scores at all
        return None
    if not (_are_integers(mated) and _are_integers(nonmated)):
        return None
    return int(low), int(high)


def _are_integers(values: NDArray[Any]) -> bool:
    return values.dtype.kind != "f" or bool(np.array_equal(np.rint(values), values))


def _common_dtype(mated: NDArray[Any], nonmated: NDArray[Any]) -> type[np.floating[Any]]:
    return np.float32 if mated.dtype == nonmated.dtype == np.float32 else np.float64


def _count_integers(mated: NDArray[Any], nonmated: NDArray[Any], low: int, high: int) -> Cumulated:
    width = high - low + 1
    counted = [np.bincount(values.astype(np.int64) - low, minlength=width) for values in (mated, nonmated)]
    seen = np.flatnonzero(counted[0] + counted[1])
    scores = (seen + low).astype(_common_dtype(mated, nonmated))
    return Cumulated(scores, _from_the_top(counted[0][seen]), _from_the_top(counted[1][seen]))


def _from_the_top(counts: Counts) -> Counts:
    return np.cumsum(counts[::-1])[::-1]


def _count_sorted(mated: NDArray[Any], nonmated: NDArray[Any]) -> Cumulated:
    # Large arrays cost page faults more than arithmetic, hence the work in place.
    dtype = _common_dtype(mated, nonmated)
    fewer, more = sorted((mated, nonmated), key=len)
    merged = np.concatenate([fewer, more], dtype=dtype)
    merged += dtype(0.0)  # −0 is 0
    few = len(fewer)
    _sort_runs(merged, few)
    fewer = merged[:few].copy()
    merged.sort(kind="stable")  # sorted runs: merges only
    total_below = _run_starts(merged)
    distinct = merged[total_below]
    del merged
    fewer_below = np.bincount(np.searchsorted(distinct, fewer) + 1, minlength=len(distinct) + 1)[:-1]
    np.cumsum(fewer_below, out=fewer_below)
    more_at_or_above, fewer_at_or_above = total_below, fewer_below
    more_at_or_above -= fewer_below
    np.subtract(len(more), more_at_or_above, out=more_at_or_above)
    np.subtract(few, fewer_at_or_above, out=fewer_at_or_above)
    if len(mated) <= len(nonmated):
        return Cumulated(distinct, fewer_at_or_above, more_at_or_above)
    return Cumulated(distinct, more_at_or_above, fewer_at_or_above)


def _sort_runs(values: NDArray[Any], boundary: int) -> None:
    """Sort both sides of `boundary` in place, a large side as several runs on the machine's cores."""
    runs = []
    for low, high in ((0, boundary), (boundary, len(values))):
        parts = 1 if high - low < _WORTH_A_THREAD else (os.cpu_count() or 1)
        if low == 0:
            parts = 1  # the caller needs this side as one run
        edges = np.linspace(low, high, parts + 1).astype(int)
        runs += [values[a:b] for a, b in pairwise(edges)]
    if len(values) < _WORTH_A_THREAD:
        for run in runs:
            run.sort()
        return
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda run: run.sort(), runs))
