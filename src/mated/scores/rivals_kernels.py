"""Counting what every rival scored against every mated score, compiled by Numba; import only where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numba

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Starts: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["count_rivals"]


def _count_rivals(
    mated_start: Starts,
    mated_score: Floats,
    rival_start: Starts,
    rival: NDArray[np.int32],
    rival_score: Floats,
    above: NDArray[Any],
    tied: NDArray[Any],
) -> None:
    """Count into `above` and `tied` (mated comparisons × subjects, zeros) the non-mated scores of each rival.

    Mated scores ascend within a search. A non-mated score is put beside the highest mated score it exceeds, and a sum
    from the highest mated score down makes counts of it: no score is compared with more than a few mated ones.
    """
    for g in range(len(mated_start) - 1):
        first, last = mated_start[g], mated_start[g + 1]
        for c in range(rival_start[g], rival_start[g + 1]):
            score, other = rival_score[c], rival[c]
            low, high = first, last
            while low < high:  # to the first mated score that is not below this one
                middle = (low + high) // 2
                if mated_score[middle] < score:
                    low = middle + 1
                else:
                    high = middle
            if low > first:
                above[low - 1, other] += 1
            while low < last and mated_score[low] == score:
                tied[low, other] += 1
                low += 1
        for m in range(last - 2, first - 1, -1):
            for other in range(above.shape[1]):
                above[m, other] += above[m + 1, other]


count_rivals: Any = numba.njit(cache=True, nogil=True)(_count_rivals)
