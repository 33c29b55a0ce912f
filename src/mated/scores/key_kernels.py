"""The loops over keys, compiled by Numba; import this module only where it is used.

Bits are those of scores, read as unsigned integers. The keys are those of `mated.scores.keys`, whose `KeyConstants`
say what makes them. The place of a comparison is twice the bin of its score, and one more if it is mated.

Places are found for a block of scores first, without branches, so that the processor handles many at a time; what
depends on them follows. NaN has no place: a block that holds any is gone through with more care.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.scores.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores.keys import KeyConstants

    Bits: TypeAlias = NDArray[Any]
    Flags: TypeAlias = NDArray[np.bool_]
    Places: TypeAlias = NDArray[np.uint32]

__all__ = ["count_and_pick", "count_bins", "pick"]

_BLOCK = 2048


@compiled
def _find_places(bits: Bits, mated: Flags, order: KeyConstants, places: Places) -> bool:
    """Write the place of each comparison; return whether any score is NaN, whose place means nothing."""
    kind = bits.dtype.type
    magnitude = kind(order.sign - kind(1))
    unusable = kind(0)
    for i in range(bits.size):
        b = kind(bits[i] ^ order.turn)
        negative = kind(kind(0) - kind(b >> order.top))  # all bits, or none
        key = kind(kind(b ^ kind(negative | order.sign)) + kind(b == order.sign))
        places[i] = np.uint32(np.uint32(kind(key >> order.shift)) << np.uint32(1)) | np.uint32(mated[i])
        unusable = kind(unusable | kind(kind(b & magnitude) > order.infinity))
    return bool(unusable != 0)


@compiled
def _is_nan(bits: Any, order: KeyConstants) -> bool:
    magnitude = np.uint64(bits) & (np.uint64(order.sign) - np.uint64(1))
    return bool(magnitude > np.uint64(order.infinity))


@compiled
def _count_around_nan(bits: Bits, mated: Flags, order: KeyConstants, places: Places, counts: Places) -> tuple[int, int]:
    """Count a block in which some scores are NaN; return how many, non-mated and mated."""
    failed = np.zeros(2, dtype=np.int64)
    for i in range(bits.size):
        if _is_nan(bits[i], order):
            failed[np.uint64(mated[i])] += 1
        else:
            counts[places[i]] += np.uint32(1)
    return failed[0], failed[1]


@compiled
def count_bins(bits: Bits, mated: Flags, order: KeyConstants, counts: Places) -> tuple[int, int]:
    """Add one at the place of each comparison; return how many scores are NaN, non-mated and mated."""
    places = np.empty(_BLOCK, dtype=np.uint32)
    of_nonmated, of_mated = 0, 0
    for begin in range(0, bits.size, _BLOCK):
        block, flags = bits[begin : begin + _BLOCK], mated[begin : begin + _BLOCK]
        if _find_places(block, flags, order, places):
            failed = _count_around_nan(block, flags, order, places, counts)
            of_nonmated, of_mated = of_nonmated + failed[0], of_mated + failed[1]
        else:
            for i in range(block.size):
                counts[places[i]] += np.uint32(1)
    return of_nonmated, of_mated


@compiled
def pick(bits: Bits, mated: Flags, order: KeyConstants, wanted: NDArray[np.uint8], rows: NDArray[np.int64]) -> int:
    """Write the rows of scores whose bin is wanted, NaN left out; return how many."""
    places = np.empty(_BLOCK, dtype=np.uint32)
    found = 0
    for begin in range(0, bits.size, _BLOCK):
        block = bits[begin : begin + _BLOCK]
        unusable = _find_places(block, mated[begin : begin + _BLOCK], order, places)
        for i in range(block.size):
            if wanted[places[i] >> np.uint32(1)] and not (unusable and _is_nan(block[i], order)):
                rows[found] = begin + i
                found += 1
    return found


@compiled
def count_and_pick(
    bits: Bits,
    mated: Flags,
    order: KeyConstants,
    counts: Places,
    wanted: NDArray[np.uint8],
    rows: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Do what `count_bins` and `pick` do, finding places once; return what both of them return."""
    places = np.empty(_BLOCK, dtype=np.uint32)
    of_nonmated, of_mated, found = 0, 0, 0
    for begin in range(0, bits.size, _BLOCK):
        block, flags = bits[begin : begin + _BLOCK], mated[begin : begin + _BLOCK]
        unusable = _find_places(block, flags, order, places)
        if unusable:
            failed = _count_around_nan(block, flags, order, places, counts)
            of_nonmated, of_mated = of_nonmated + failed[0], of_mated + failed[1]
        else:
            for i in range(block.size):
                counts[places[i]] += np.uint32(1)
        for i in range(block.size):
            if wanted[places[i] >> np.uint32(1)] and not (unusable and _is_nan(block[i], order)):
                rows[found] = begin + i
                found += 1
    return of_nonmated, of_mated, found
