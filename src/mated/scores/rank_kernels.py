"""The hot loops of a search, compiled by Numba; import this module only where it is used.

Identities of the gallery are numbered by place. A probe's own place is −1 where its identity is not enrolled. For each
probe the kernels find the mate's score, and among the other identities how many score higher, how many the same, how
many have a score at all, and the highest.

A row of a matrix is read side by side in memory and without branches, so that the processor handles many scores at a
time. The highest and the lowest are found among integers whose order is that of the floats: that needs no assumption
about NaN, which shows as an integer beyond those of ±∞. Only where the highest reaches the mate's score is the row
counted; only where it has NaN, or an identity's references would be counted apart, is it folded to one score an
identity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from mated.scores.compiled import compiled
from mated.scores.ranks import FAILED, SCORED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[Any]
    Bits: TypeAlias = NDArray[Any]
    Codes: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]
    States: TypeAlias = NDArray[np.int8]
    Count: TypeAlias = Any
    Similarities: TypeAlias = NDArray[np.float64]
    Number: TypeAlias = Any  # a scalar of an array: NumPy's types and Python's do not mix in annotations

__all__ = ["Gallery", "find_mates", "group", "search_rows", "search_table"]

_PIECE = 2048
_STEP = 64
_MANY = 16  # with more than one in so many scores at the mate's or above it, it is faster to fold the row


class Gallery(NamedTuple):
    """The columns of a matrix by identity; identities with more references have lower places.

    Attributes
    ----------
    place, sample
        Of each column, the place of its identity, and its sample, −1 where samples are not named.
    first, column
        The columns of place q, ascending, are those from `first[q]` to `first[q + 1]` in `column`.
    slots, nth
        The t-th references of the places 0, 1, 2 … that have so many are those from `slots[t]` to `slots[t + 1]` in
        `nth`.
    """

    place: Codes
    sample: Codes
    first: Codes
    column: Codes
    slots: Codes
    nth: Codes


# -- rows of a matrix ------------------------------------------------------------------------------


@compiled
def _own_columns(gallery: Gallery, own: int) -> Codes:
    """Return the columns of an identity, none for one that is not enrolled."""
    return gallery.column[gallery.first[own] : gallery.first[own + 1]] if own >= 0 else gallery.column[:0]


@compiled
def find_mates(
    scores: Floats, used: Flags, sign: Number, gallery: Gallery, own: Codes, sample: Codes
) -> tuple[States, Similarities, Codes, Flags]:
    """Find each row's best score with its own identity, −∞ where there is none.

    `used` has no columns where everything is used; `sample` is that of each row, −2 where samples are not named.
    Returns what is known of the mate, its score, how many used entries are the row with itself, and whether one of the
    others is NaN.
    """
    n_rows = scores.shape[0]
    state, itself = np.zeros(n_rows, dtype=np.int8), np.zeros(n_rows, dtype=np.int64)
    mate, unusable = np.full(n_rows, -np.inf), np.zeros(n_rows, dtype=np.bool_)
    for i in range(n_rows):
        for c in _own_columns(gallery, own[i]):
            if used.size and not used[i, c]:
                continue
            score = scores[i, c] * sign
            if gallery.sample[c] == sample[i]:
                itself[i] += 1
            elif score != score:
                unusable[i] = True
                state[i] = max(state[i], FAILED)
            else:
                state[i], mate[i] = SCORED, max(mate[i], score)
    return state, mate, itself, unusable


@compiled
def _extremes(bits: Bits, lowest: Number, highest: Number) -> tuple[Number, Number]:
    """Widen a lowest and a highest integer by those of some scores."""
    key = bits.dtype.type
    magnitude = key(~(key(-1) << key(8 * bits.itemsize - 1)))
    for j in range(bits.size):
        k = key(bits[j] ^ magnitude) if bits[j] < 0 else bits[j]  # the more negative, the larger its magnitude
        lowest, highest = key(min(lowest, k)), key(max(highest, k))
    return lowest, highest


@compiled
def _as_score(extreme: Number, bits: Bits, scores: Floats) -> Number:
    """Turn the integer of a score back into the score; `bits` and `scores` are one memory."""
    key = bits.dtype.type
    magnitude = key(~(key(-1) << key(8 * bits.itemsize - 1)))
    bits[0] = extreme ^ magnitude if extreme < 0 else extreme
    return scores[0]


@compiled
def _count(row: Floats, level: Number, sign: Number) -> tuple[Count, Count]:
    """Count the scores above a level, and those at or above it."""
    above, reached = np.int32(0), np.int32(0)
    for j in range(row.size):
        score = row[j] * sign
        above = np.int32(above + (score > level))
        reached = np.int32(reached + (score >= level))
    return above, reached


@compiled
def _mark(row: Floats, place: Codes, level: Number, sign: Number, seen: Codes, base: int) -> tuple[int, int]:
    """Count the identities of a piece of a row that newly rise above the level, and the change of those at it.

    `seen` holds, above `base`, 1 for an identity at the level and 2 for one above it.
    """
    above, tied = 0, 0
    for start in range(0, row.size, _STEP):
        step = row[start : start + _STEP]
        if _count(step, level, sign)[1] == 0:
            continue
        for j in range(step.size):
            score = step[j] * sign
            if score >= level:
                who = place[start + j]
                before = max(seen[who] - base, 0)
                now = 2 if score > level else 1
                if now > before:
                    above += now == 2
                    tied += (now == 1) - (before == 1)
                    seen[who] = base + now
    return above, tied


@compiled
def _similarities(row: Floats, used: Flags, sign: Number, scores: Floats) -> None:
    """Write the scores of a row as similarities, NaN where an entry is not used."""
    if used.size:
        for j in range(row.size):
            scores[j] = row[j] * sign if used[j] else np.nan
    else:
        for j in range(row.size):
            scores[j] = row[j] * sign


@compiled
def _fold(scores: Floats, gallery: Gallery, folded: Floats) -> None:
    """Put the best score of each identity at its place, NaN where it has none."""
    folded[:] = np.nan
    for t in range(gallery.slots.size - 1):
        columns = gallery.nth[gallery.slots[t] : gallery.slots[t + 1]]
        for q in range(columns.size):
            score, before = scores[columns[q]], folded[q]
            folded[q] = score if (score > before) | (before != before) else before


@compiled
def _count_scored(scores: Floats, level: Number) -> tuple[Count, Count, Count, Number]:
    """Count the scores above a level, those equal to it and all that are not NaN, and find the highest, −∞ if none."""
    above, reached = _count(scores, level, scores.dtype.type(1))
    scored = np.int32(0)
    for score in scores:
        scored = np.int32(scored + (score == score))
    best = scores.dtype.type(-np.inf)
    for score in scores:
        if score > best:
            best = score
    return above, reached - above, scored, best


@compiled
def _has_unusable(row: Floats, used: Flags, sample: Codes, own_sample: int) -> bool:
    """Say whether a used entry, other than that of the row with itself, is NaN."""
    unusable = np.int32(0)
    for j in range(row.size):
        unusable = np.int32(unusable + (used[j] & (row[j] != row[j])))
    if unusable:
        for j in range(row.size):
            if used[j] and row[j] != row[j] and sample[j] != own_sample:
                return True
    return False


@compiled
def _scan(
    row: Floats,
    bits: Bits,
    own: int,
    level: Number,
    sign: Number,
    limits: tuple[Number, Number],
    gallery: Gallery,
    seen: Codes,
    base: int,
    cell: tuple[Bits, Floats],
) -> tuple[int, int, int, Number]:
    """Compare the mate with the columns of other identities, in the pieces between the probe's own columns.

    The first value is 0 for done; 1 where the row has to be folded, because several references of an identity would be
    counted apart, or one by one too slowly; 2 where a score is NaN. Then come the identities above and at the level,
    and the highest score.
    """
    several = row.size > gallery.slots[1]
    above, tied, reached, best = 0, 0, 0, row.dtype.type(-np.inf)
    own_columns = _own_columns(gallery, own)
    start = 0
    for k in range(own_columns.size + 1):
        end = own_columns[k] if k < own_columns.size else row.size
        while start < end:
            stop = min(start + _PIECE, end)
            lowest, highest = _extremes(bits[start:stop], limits[1], limits[0])
            if lowest < limits[0] or highest > limits[1]:
                return 2, above, tied, best
            here = _as_score(highest if sign > 0 else lowest, cell[0], cell[1]) * sign
            best = max(best, here)
            if here >= level:
                a, r = _count(row[start:stop], level, sign)
                t = r - a
                if several:
                    reached += r
                    if reached * _MANY > stop:
                        return 1, above, tied, best
                    a, t = _mark(row[start:stop], gallery.place[start:stop], level, sign, seen, base)
                above, tied = above + a, tied + t
            start = stop
        start = end + 1
    return 0, above, tied, best


@compiled
def search_rows(
    scores: Floats,
    bits: Bits,
    used: Flags,
    sign: Number,
    limits: tuple[Number, Number],
    gallery: Gallery,
    own: Codes,
    sample: Codes,
    state: States,
    mate: Similarities,
    refuse: bool,
) -> tuple[int, Codes, Codes, Codes, Similarities]:
    """Compare each row's mate with the other identities: those above it, those at it, all with a score, the highest.

    `bits` is the memory of the scores as integers, `limits` are the integers of −∞ and ∞. The first value is −1; with
    `refuse`, the first row in which a used entry of another identity is NaN, where the search then ends.
    """
    n_rows = scores.shape[0]
    above, tied, scored = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64)
    best_other = np.full(n_rows, -np.inf)
    number = scores.dtype.type
    n_places = gallery.slots[1]
    several = scores.shape[1] > n_places
    similarity, folded = np.empty(scores.shape[1], dtype=scores.dtype), np.empty(n_places, dtype=scores.dtype)
    seen = np.zeros(n_places, dtype=np.int64)
    key = np.empty(1, dtype=bits.dtype)
    cell = key, key.view(scores.dtype)
    for i in range(n_rows):
        level = number(mate[i]) if state[i] == SCORED else number(np.nan)  # nothing is above NaN
        if used.size:
            todo = 1
            if refuse and _has_unusable(scores[i], used[i], gallery.sample, sample[i]):
                return i, above, tied, scored, best_other
        else:
            todo, above[i], tied[i], best_other[i] = _scan(
                scores[i], bits[i], own[i], level, sign, limits, gallery, seen, 3 * i + 1, cell
            )
            scored[i] = n_places - (own[i] >= 0)
        if todo == 2 and refuse:
            return i, above, tied, scored, best_other
        if todo:
            _similarities(scores[i], used[i], sign, similarity)
            for c in _own_columns(gallery, own[i]):
                similarity[c] = np.nan
            if several:
                _fold(similarity, gallery, folded)
            above[i], tied[i], scored[i], best_other[i] = _count_scored(folded if several else similarity, level)
    return -1, above, tied, scored, best_other


# -- tables ----------------------------------------------------------------------------------------


@compiled
def group(
    probe: Codes, place: Codes, reference: Codes, score: Floats, n_probes: int
) -> tuple[Codes, Codes, Codes, Floats]:
    """Bring the comparisons of each probe together: where each probe's start, and the three columns in that order."""
    start = np.zeros(n_probes + 1, dtype=np.int64)
    for p in probe:
        start[p + 1] += 1
    for p in range(n_probes):
        start[p + 1] += start[p]
    upto = start[:-1].copy()
    grouped = np.empty(probe.size, dtype=np.int64), np.empty(probe.size, dtype=np.int64), np.empty(probe.size)
    for r in range(probe.size):
        at = upto[probe[r]]
        upto[probe[r]] += 1
        grouped[0][at], grouped[1][at], grouped[2][at] = place[r], reference[r], score[r]
    return start, grouped[0], grouped[1], grouped[2]


@compiled
def search_table(
    start: Codes, place: Codes, reference: Codes, score: Floats, own: Codes, n_places: int, n_references: int
) -> tuple[bool, tuple[States, Similarities, Codes, Codes, Codes, Similarities]]:
    """Search every probe of a grouped table, NaN for a failure; the first value tells whether a pair is repeated.

    Then come, of each probe, what is known of its mate, the mate's score, the identities above it, those tied with it,
    those that have a score, and the highest of these.
    """
    n_probes = own.size
    state = np.zeros(n_probes, dtype=np.int8)
    mate, best_other = np.full(n_probes, -np.inf), np.full(n_probes, -np.inf)
    above, tied, scored = np.zeros(n_probes, np.int64), np.zeros(n_probes, np.int64), np.zeros(n_probes, np.int64)
    best = np.empty(n_places)
    seen, met = np.full(n_places, -1, dtype=np.int64), np.full(n_references, -1, dtype=np.int64)
    touched = np.empty(n_places, dtype=np.int64)
    repeated = False
    for p in range(n_probes):
        for r in range(start[p], start[p + 1]):
            repeated |= met[reference[r]] == p
            met[reference[r]] = p
            who, value = place[r], score[r]
            if who == own[p]:
                if value == value:
                    state[p], mate[p] = SCORED, max(mate[p], value)
                else:
                    state[p] = max(state[p], FAILED)
            elif value == value:
                if seen[who] != p:
                    seen[who] = p
                    best[who] = value
                    touched[scored[p]] = who
                    scored[p] += 1
                else:
                    best[who] = max(best[who], value)
        for k in range(scored[p]):
            value = best[touched[k]]
            best_other[p] = max(best_other[p], value)
            if state[p] == SCORED:
                above[p] += value > mate[p]
                tied[p] += value == mate[p]
    return repeated, (state, mate, above, tied, scored, best_other)
