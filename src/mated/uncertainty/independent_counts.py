"""Counts of a bootstrap resample, drawn from a tally without resampling comparisons.

Resampling N comparisons of a class with replacement gives every set of original comparisons a binomial count, and
disjoint sets a multinomial one. Once the count of a range of scores is known, the counts of its parts follow the
same law within it, whatever is known of the other ranges. So a replicate is revealed only where it is looked at,
and every function here draws one more piece of it, conditionally on the pieces drawn before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Counts", "count_from", "draw_nested", "draw_part", "index_of_rank"]

Counts = np.ndarray[Any, np.dtype[np.int64]]
"""Numbers of comparisons, or indices of distinct scores; one for each replicate."""


def count_from(at_or_above: Counts, index: Counts) -> Counts:
    """Return the number of original comparisons at or above the distinct scores `index` (0 past the last)."""
    last = len(at_or_above) - 1
    return np.where(index <= last, at_or_above[np.minimum(index, last)], 0)


def index_of_rank(at_or_above: Counts, rank: Counts) -> Counts:
    """Return the index of the distinct score of the comparison that is number `rank` from the top, 1 the highest."""
    # In order, neighbouring look-ups find their memory already in the cache.
    order = np.argsort(rank)
    found = np.empty_like(order)
    found[order] = np.searchsorted(at_or_above[::-1], rank[order])
    return len(at_or_above) - 1 - found


def draw_part(rng: np.random.Generator, count: NDArray[np.int64] | int, part: ArrayLike, whole: ArrayLike) -> Counts:
    """Draw how many of `count` resampled comparisons fall on `part`, all being uniform over `whole`.

    This is Binomial(count, part/whole), with the quotient kept within 0 and 1, and 0 where nothing is there.
    """
    part, whole = np.asarray(part), np.asarray(whole)
    share = np.zeros(np.broadcast_shapes(part.shape, whole.shape))
    np.divide(part, whole, out=share, where=whole > 0)
    drawn: Counts = rng.binomial(count, np.clip(share, 0.0, 1.0))
    return drawn


def draw_nested(
    rng: np.random.Generator, bounds: Iterable[NDArray[Any] | int], total: int, size: int
) -> list[NDArray[np.int64]]:
    """Draw the resampled counts of nested sets that hold `bounds` (ascending) of the `total` original comparisons."""
    drawn: list[NDArray[np.int64]] = []
    inside: NDArray[Any] | int = 0
    count = np.zeros(size, dtype=np.int64)
    for bound in bounds:
        count = count + draw_part(rng, total - count, bound - inside, total - inside)
        inside = bound
        drawn.append(count)
    return drawn
