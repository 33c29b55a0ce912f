"""Counts at the places of an order that are taken away one by one: Fenwick trees, compiled by Numba.

A tree holds counts from index 1 on; index 0 is empty. Taking away, adding up and finding each cost log₂ of its size.
Import this only where it is used.

Reference: Fenwick (1994).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from mated.scores.compiled import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Counts: TypeAlias = NDArray[np.int64]
    Number: TypeAlias = Any

__all__ = ["find", "highest_bit", "plant", "take_away", "up_to"]


@compiled
def plant(tree: Counts) -> None:
    """Turn counts into a tree in place."""
    size = len(tree)
    for i in range(1, size):
        parent = i + (i & -i)
        if parent < size:
            tree[parent] += tree[i]


@compiled
def take_away(tree: Counts, i: Number, times: int) -> None:
    """Take so many away at an index."""
    while i < len(tree):
        tree[i] -= times
        i += i & -i


@compiled
def up_to(tree: Counts, i: int) -> int:
    """Count at indices 1 to i."""
    total = 0
    while i > 0:
        total += tree[i]
        i -= i & -i
    return total


@compiled
def highest_bit(tree: Counts) -> int:
    """Return the largest power of two that is an index, where `find` begins; 1 for a tree of one place."""
    bit = 1
    while bit * 2 < len(tree):
        bit *= 2
    return bit


@compiled
def find(tree: Counts, k: int, bit: int) -> tuple[int, int]:
    """Return the index at which the count from the start reaches k, and the count before it."""
    place, before = 0, 0
    while bit:
        after = place + bit
        if after < len(tree) and before + tree[after] < k:
            place = after
            before += tree[after]
        bit >>= 1
    return place + 1, before
