"""Order statistics of scores that are taken away one by one, compiled by Numba; import this only where it is used.

Two Fenwick trees count the kept comparisons of both classes at each distinct score, from the highest down: taking one
away, finding the k-th highest and counting those above each cost log₂ of the number of distinct scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.quality.fenwick_kernels import find, highest_bit, plant, take_away, up_to
from mated.scores.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts: TypeAlias = NDArray[np.int64]

__all__ = ["counts_at_ranks"]


@compiled
def counts_at_ranks(
    given: Counts, asked: Counts, rank: NDArray[Any], is_given: NDArray[np.bool_], ends: Counts, wanted: Counts
) -> Counts:
    """Return, before the first step and after each, four counts at the k-th highest score of the class given.

    Parameters
    ----------
    given, asked
        Comparisons of both classes at each distinct score, the highest at index 1; index 0 is empty. Overwritten.
    rank, is_given
        Index of the score and class of each comparison, in discard order.
    ends
        Comparisons discarded after each step.
    wanted
        k before the first step and after each, or 0 where nothing is asked for.

    Returns
    -------
    Rows of (given above the score, given at or above it, asked above it, asked at or above it).
    """
    plant(given)
    plant(asked)
    bit = highest_bit(given)
    result = np.zeros((len(wanted), 4), np.int64)
    done = 0
    for step in range(len(wanted)):
        if step:
            for i in range(done, ends[step - 1]):
                if is_given[i]:
                    take_away(given, rank[i], 1)
                else:
                    take_away(asked, rank[i], 1)
            done = ends[step - 1]
        if wanted[step] > 0:
            place, before = find(given, wanted[step], bit)
            result[step, 0] = before
            result[step, 1] = up_to(given, place)
            result[step, 2] = up_to(asked, place - 1)
            result[step, 3] = up_to(asked, place)
    return result
