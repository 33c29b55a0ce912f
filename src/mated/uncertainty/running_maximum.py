"""The greatest value over all whole numbers k of a range, without looking at every k.

An upper bound that never falls with another error is the greatest of the bounds of k errors, for all k below those
observed: millions of them. Ranges of k that cannot hold the greatest are ruled out together, by a number that none of
their values exceeds; the others are divided. What is left is computed, so the result is that of looking at all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]

__all__ = ["greatest_rate"]

_RATIO = 1.25  # of the ends of the first ranges
_PARTS, _SINGLY = 8, 16
_ROUNDING = 1e-9
_BATCH = 1 << 16


def greatest_rate(
    first: int, last: int, rate: Callable[[Floats], Floats], limit: Callable[[Floats, Floats], Floats], known: float
) -> float:
    """Return the greatest of `rate(k)` for k = first, …, last, or `known` where that is greater.

    Parameters
    ----------
    rate
        Rates between 0 and 1 for several k at once.
    limit
        For ranges from a to b, given as two arrays, numbers that no rate within exceeds by more than rounding.
    """
    high = known
    begin, end = _first_ranges(first, last)
    while len(begin) and high < 1:
        # A limit that cannot be computed (nan) rules nothing out.
        alive = ~(limit(begin.astype(np.float64), end.astype(np.float64)) * (1 + _ROUNDING) <= high)
        begin, end = begin[alive], end[alive]
        few = end - begin < _SINGLY
        for k in _batches(_within(begin[few], end[few])):
            high = max(high, float(rate(k).max()))
        begin, end = begin[~few], end[~few]
        # The ends are rates too: a high one found early spares looking at others.
        for k in _batches(np.concatenate([begin, end])):
            high = max(high, float(rate(k).max()))
        begin, end = _divided(begin, end)
    return high


def _first_ranges(first: int, last: int) -> tuple[Counts, Counts]:
    """Cut first, …, last into ranges whose ends have about one ratio."""
    if last < first:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    steps = int(np.log(max(last, 1) / max(first, 1)) / np.log(_RATIO)) + 1
    begin = np.unique(np.floor(max(first, 1) * _RATIO ** np.arange(steps)).astype(np.int64))
    begin[0] = first
    begin = begin[begin <= last]
    return begin, np.append(begin[1:] - 1, last)


def _divided(begin: Counts, end: Counts) -> tuple[Counts, Counts]:
    size = end - begin + 1
    cuts = begin[:, None] + size[:, None] * np.arange(_PARTS + 1) // _PARTS
    return cuts[:, :-1].ravel(), cuts[:, 1:].ravel() - 1


def _within(begin: Counts, end: Counts) -> Counts:
    """Return all numbers of some ranges."""
    size = end - begin + 1
    before = np.cumsum(size) - size
    return np.repeat(begin - before, size) + np.arange(int(size.sum()))


def _batches(k: Counts) -> list[Floats]:
    return [k[start : start + _BATCH].astype(np.float64) for start in range(0, len(k), _BATCH)]
