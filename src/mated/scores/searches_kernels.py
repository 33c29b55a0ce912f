"""Ordering comparisons by small codes without comparing them, compiled by Numba; import only where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.scores.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places: TypeAlias = NDArray[Any]

__all__ = ["ordered_by"]


@compiled
def ordered_by(order: Places, codes: Places, turned: Places, rows: Places, size: int) -> Places:
    """Return places sorted by their codes, those with equal codes in the order they have now: a counting sort.

    Place p below the number of `codes` has the code `codes[p]`, one beyond it `turned` of the row that `rows` names:
    the same comparisons read in the other direction.
    """
    single = len(codes)
    next_place = np.zeros(size + 1, dtype=np.int64)
    for place in order:
        code = codes[place] if place < single else turned[rows[place - single]]
        next_place[code + 1] += 1
    for code in range(size):
        next_place[code + 1] += next_place[code]
    result = np.empty_like(order)
    for place in order:
        code = codes[place] if place < single else turned[rows[place - single]]
        result[next_place[code]] = place
        next_place[code] += 1
    return result
