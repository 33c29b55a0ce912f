"""Searching random galleries, compiled by Numba; import only where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numba
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["search_galleries"]

EXPECTED, PESSIMISTIC, OPTIMISTIC = range(3)


def _search_galleries(
    mated_score: Floats,
    rival_start: Places,
    rival_score: Floats,
    wanted: int,
    uniform: Floats,
    ties: int,
    found: Floats,
    found_squared: Floats,
) -> None:
    """Draw one gallery from each row of `uniform` and add up how many mated comparisons are found by rank.

    Everything is of one probe. Its mated scores ascend; the scores of rival v are `rival_score[rival_start[v]]` up to
    `rival_start[v + 1]`. A row of `uniform` has a number for the sample of each rival, one for the place of each mated
    score among equals, and `wanted` for which rivals are in the gallery (none where all are). `found[r]` grows by the
    number of mated comparisons with rank ≤ r + 1, `found_squared[r]` by its square.
    """
    rivals, n_mated, ranks = len(rival_start) - 1, len(mated_score), len(found)
    higher, same = np.empty(n_mated + 1, np.int64), np.empty(n_mated, np.int64)
    at_rank = np.empty(ranks + 1, np.int64)
    order = np.arange(rivals)
    for g in range(uniform.shape[0]):
        higher[:] = 0
        same[:] = 0
        for place in range(wanted):
            if wanted < rivals:  # the next of a random order
                other = place + int(uniform[g, rivals + n_mated + place] * (rivals - place))
                order[place], order[other] = order[other], order[place]
            v = order[place]
            first, last = rival_start[v], rival_start[v + 1]
            score = rival_score[first + int(uniform[g, v] * (last - first))]
            m = np.searchsorted(mated_score, score)
            higher[m] += 1  # exceeds the mated scores before m
            while m < n_mated and mated_score[m] == score:
                same[m] += 1
                m += 1
        at_rank[:] = 0
        beating = 0
        for m in range(n_mated - 1, -1, -1):
            beating += higher[m + 1]
            rank = beating
            if ties == PESSIMISTIC:
                rank += same[m]
            elif ties == EXPECTED:
                rank += int(uniform[g, rivals + m] * (same[m] + 1))
            at_rank[min(rank, ranks)] += 1
        total = 0
        for r in range(ranks):
            total += at_rank[r]
            found[r] += total
            found_squared[r] += total * total


search_galleries: Any = numba.njit(cache=True, nogil=True)(_search_galleries)
