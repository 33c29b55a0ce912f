"""Order statistics of scores that are taken away one by one, compiled by Numba; import this only where it is used.

Two Fenwick trees count the kept comparisons of both classes at each distinct score, from the highest down: taking one
away, finding the k-th highest and counting those above each cost log₂ of the number of distinct scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numba
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Counts: TypeAlias = NDArray[np.int64]

__all__ = ["counts_at_ranks"]

_Kernel = TypeVar("_Kernel", bound="Callable[..., Any]")


def _compiled(kernel: _Kernel) -> _Kernel:
    result: Any = numba.njit(cache=True, nogil=True)(kernel)
    return result  # type: ignore[no-any-return]


@_compiled
def _plant(tree: Counts) -> None:
    """Turn counts (from index 1) into a Fenwick tree in place."""
    size = len(tree)
    for i in range(1, size):
        parent = i + (i & -i)
        if parent < size:
            tree[parent] += tree[i]


@_compiled
def _take_away(tree: Counts, i: int) -> None:
    while i < len(tree):
        tree[i] -= 1
        i += i & -i


@_compiled
def _up_to(tree: Counts, i: int) -> int:
    """Count at indices 1 to i."""
    total = 0
    while i > 0:
        total += tree[i]
        i -= i & -i
    return total


@_compiled
def _find(tree: Counts, k: int, highest_bit: int) -> tuple[int, int]:
    """Return the index at which the count from the start reaches k, and the count before it."""
    place, before = 0, 0
    bit = highest_bit
    while bit:
        after = place + bit
        if after < len(tree) and before + tree[after] < k:
            place = after
            before += tree[after]
        bit >>= 1
    return place + 1, before


@_compiled
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
    _plant(given)
    _plant(asked)
    highest_bit = 1
    while highest_bit * 2 < len(given):
        highest_bit *= 2
    result = np.zeros((len(wanted), 4), np.int64)
    done = 0
    for step in range(len(wanted)):
        if step:
            for i in range(done, ends[step - 1]):
                if is_given[i]:
                    _take_away(given, rank[i])
                else:
                    _take_away(asked, rank[i])
            done = ends[step - 1]
        if wanted[step] > 0:
            place, before = _find(given, wanted[step], highest_bit)
            result[step, 0] = before
            result[step, 1] = _up_to(given, place)
            result[step, 2] = _up_to(asked, place - 1)
            result[step, 3] = _up_to(asked, place)
    return result
