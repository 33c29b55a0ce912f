"""The loops over chunks of comparisons with subjects, compiled by Numba; import this module only where it is used.

Bits of pairs lie row by row: the bit of row i and column j is bit j mod 8 of byte j // 8 of row i. States of pairs take
two bits each, four a byte: `NOT_MET`, `BELOW`, `LEVEL` or `ABOVE`, of which the highest that was seen stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.scores.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes: TypeAlias = NDArray[np.int64]
    Slots: TypeAlias = NDArray[np.int32]
    Bits: TypeAlias = NDArray[np.uint8]
    Counts: TypeAlias = NDArray[Any]
    Floats: TypeAlias = NDArray[Any]
    Number: TypeAlias = Any  # a scalar of an array: NumPy's types and Python's do not mix in annotations

__all__ = [
    "add_bits",
    "code_keys",
    "count_pairs",
    "count_sides",
    "count_states",
    "mark_pairs",
    "met_twice",
    "raise_states",
    "recode_triangle",
    "reversed_pair",
    "search_chunk",
]

NOT_MET, BELOW, LEVEL, ABOVE = 0, 1, 2, 3
_TILE = 256
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio: neighbouring keys land far apart


# -- codes -----------------------------------------------------------------------------------------


@compiled
def code_keys(keys: Codes, codes: Codes, begin: int, slots: Slots, known: Codes, n: int) -> tuple[int, int]:
    """Write the code of each key from `begin` on, a new one for a key not seen before.

    `slots` is a table with open addressing, −1 where it is empty, of a size that is a power of two; `known` are the
    keys by code. Returns where it stopped, which is before the end where the table is half full, and how many keys are
    known.
    """
    shift = np.uint64(64)
    size = slots.size
    while size > 1:
        shift -= np.uint64(1)
        size >>= 1
    mask = slots.size - 1
    last_key, last_code = np.int64(0), np.int64(-1)
    for i in range(begin, keys.size):
        key = keys[i]
        if key != last_key or last_code < 0:
            at = np.int64((np.uint64(key) * _SPREAD) >> shift) & mask
            while slots[at] >= 0 and known[slots[at]] != key:
                at = (at + 1) & mask
            if slots[at] < 0:
                if 2 * (n + 1) > slots.size:
                    return i, n
                slots[at], known[n] = n, key
                n += 1
            last_key, last_code = key, np.int64(slots[at])
        codes[i] = last_code
    return keys.size, n


# -- pairs of subjects -----------------------------------------------------------------------------


@compiled
def count_pairs(first: Codes, second: Codes, triangle: Counts) -> None:
    """Count unordered pairs of different codes; the pair i < j has its counter at j·(j − 1)/2 + i."""
    one = triangle.dtype.type(1)
    for k in range(first.size):
        low, high = min(first[k], second[k]), max(first[k], second[k])
        triangle[high * (high - 1) // 2 + low] += one


@compiled
def recode_triangle(triangle: Counts, n: int, code: Codes, into: Counts) -> None:
    """Add the counters of `n` codes to those of a triangle in which code k is `code[k]`."""
    at = 0
    for j in range(n):
        for i in range(j):
            if triangle[at]:
                low, high = min(code[i], code[j]), max(code[i], code[j])
                into[high * (high - 1) // 2 + low] += triangle[at]
            at += 1


@compiled
def count_sides(subject: Codes, score: Floats, start: Codes, levels: Floats, reached: Codes, exceeded: Codes) -> None:
    """Find the place of each score among its subject's levels, and count the places.

    The levels of subject s, ascending, are those from `start[s]` to `start[s + 1]`; it has one place more than levels.
    Place k of `reached` holds the scores that reach k of the levels, that of `exceeded` those that exceed k.
    """
    for r in range(subject.size):
        s, value = subject[r], score[r]
        begin, end = start[s], start[s + 1]
        low, high = begin, end
        while low < high:  # how many levels are below the score
            middle = (low + high) // 2
            if levels[middle] < value:
                low = middle + 1
            else:
                high = middle
        exceeded[low + s] += 1
        reached[low + s + (low < end and levels[low] == value)] += 1


# -- which pairs were met --------------------------------------------------------------------------


@compiled
def mark_pairs(row: Codes, column: Codes, bits: Bits, n_columns: int, again: int) -> int:
    """Set the bits of pairs, but for those with a negative row or column.

    Returns the lowest row · n_columns + column of a pair that was met before, or `again` where that is lower or no pair
    was; −1 stands for none.
    """
    for k in range(row.size):
        i, j = row[k], column[k]
        if i < 0 or j < 0:
            continue
        bit = np.uint8(1 << (j & 7))
        if bits[i, j >> 3] & bit:
            key = i * n_columns + j
            again = key if again < 0 or key < again else again
        bits[i, j >> 3] |= bit
    return again


@compiled
def add_bits(bits: Bits, other: Bits, first_row: int, n_columns: int, again: int) -> int:
    """Set the bits of another table of the same shape too; `again` as in `mark_pairs`, of rows from `first_row` on."""
    for i in range(bits.shape[0]):
        for b in range(bits.shape[1]):
            both = bits[i, b] & other[i, b]
            if both:
                j = 8 * b
                while not (both >> (j & 7)) & 1:
                    j += 1
                key = (first_row + i) * n_columns + j
                again = key if again < 0 or key < again else again
            bits[i, b] |= other[i, b]
    return again


@compiled
def reversed_pair(bits: Bits, row: Codes, column: Codes, owner: Codes) -> tuple[bool, bool]:
    """Say whether a pair of things occurs in both orders: one of two owners, and any at all.

    `row` and `column` are those of each thing. Looked at tile by tile, so that both orders of a tile lie in the cache.
    """
    of_two_owners, of_any = False, False
    n = row.size
    for top in range(0, n, _TILE):
        for left in range(top, n, _TILE):
            for a in range(top, min(top + _TILE, n)):
                for b in range(max(left, a + 1), min(left + _TILE, n)):
                    there = (bits[row[a], column[b] >> 3] >> (column[b] & 7)) & 1
                    if there and (bits[row[b], column[a] >> 3] >> (column[a] & 7)) & 1:
                        of_any = True
                        of_two_owners |= owner[a] != owner[b]
            if of_two_owners:
                return True, True
    return of_two_owners, of_any


@compiled
def met_twice(bits: Bits, row: Codes, column: Codes, name: Codes, forward: bool, backward: bool) -> bool:
    """Say whether two things of one name met the same thing: as rows (forward), as columns (backward), or either way.

    `row` and `column` are those of each thing, −1 where it has none, and `name` its name, −1 for things to leave out.
    """
    n = row.size
    last = np.full(n, -1, dtype=np.int64)
    for x in range(n):
        for e in range(n):
            if name[e] < 0:
                continue
            met = False
            if forward and row[e] >= 0 and column[x] >= 0:
                met |= ((bits[row[e], column[x] >> 3] >> (column[x] & 7)) & 1) != 0
            if backward and row[x] >= 0 and column[e] >= 0:
                met |= ((bits[row[x], column[e] >> 3] >> (column[e] & 7)) & 1) != 0
            if met:
                if last[name[e]] == x:
                    return True
                last[name[e]] = x
    return False


# -- searches --------------------------------------------------------------------------------------


@compiled
def search_chunk(
    probe: Codes, place: Codes, own: Codes, score: Floats, level: Floats, states: Bits, best: Floats
) -> None:
    """Take in comparisons of probes with identities; negative probes are passed over, and NaN is a failure.

    `place` is that of the reference's identity and `own` that of each probe's, whose comparisons are passed over.
    `level` is the score of each probe's mate, NaN where it has none.
    """
    for r in range(probe.size):
        p, who, value = probe[r], place[r], score[r]
        if p < 0 or who == own[p] or value != value:
            continue
        state = BELOW
        if value > level[p]:
            state = ABOVE
        elif value == level[p]:
            state = LEVEL
        shift = 2 * (who & 3)
        before = states[p, who >> 2]
        if state > (before >> shift) & 3:
            states[p, who >> 2] = (before & ~(3 << shift)) | (state << shift)
        best[p] = max(best[p], value)


@compiled
def raise_states(states: Bits, other: Bits) -> None:
    """Keep the higher state of each pair in two tables of the same shape."""
    for i in range(states.shape[0]):
        for b in range(states.shape[1]):
            one, two = states[i, b], other[i, b]
            if one == two or two == 0:
                continue
            both = 0
            for shift in (0, 2, 4, 6):
                both |= max((one >> shift) & 3, (two >> shift) & 3) << shift
            states[i, b] = both


@compiled
def count_states(states: Bits) -> tuple[Codes, Codes, Codes]:
    """Count, for each row, the pairs above the level, those at it, and all that have a state."""
    n = states.shape[0]
    above, tied, scored = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    for i in range(n):
        for b in range(states.shape[1]):
            if not states[i, b]:
                continue
            for shift in (0, 2, 4, 6):
                state = (states[i, b] >> shift) & 3
                above[i] += state == ABOVE
                tied[i] += state == LEVEL
                scored[i] += state != NOT_MET
    return above, tied, scored
