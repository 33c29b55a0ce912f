"""How often each pair of subjects was compared, counted chunk by chunk in whichever form is smaller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.engine.chunk_labels import IntegerCoder
from mated.scores.subject_pairs import PairTotals

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PairCounter", "PairCounts"]

_SMALL = 1 << 26  # counters of a triangle that is held whatever it holds: 256 MiB, 11,585 subjects
_LITTLE = 1 << 18  # counters that are sent elsewhere as they are
_WORTH = 10  # counters that take as much memory as one pair of the sparse form
_NARROW = 2**32 - 1  # the most that a counter of 32 bits may hold


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Counts of the unordered pairs of some subjects, by code.

    Attributes
    ----------
    n_subjects
        Codes are below this.
    triangle
        A counter for each pair i < j, at j·(j − 1)/2 + i; None where pairs are listed.
    keys, counts
        The pairs that occur, i · 2³² + j with i < j, in no order, and how often; empty where there is a triangle.
    total
        Comparisons counted.
    """

    n_subjects: int
    triangle: NDArray[Any] | None
    keys: NDArray[np.int64]
    counts: NDArray[np.int64]
    total: int

    def recoded(self, codes: NDArray[np.int64], n_subjects: int) -> PairCounts:
        """Give subject k the code `codes[k]` among `n_subjects`; −1 is for a subject without a pair."""
        counter = PairCounter()
        counter.take_in(self, codes, n_subjects)
        return counter.result(n_subjects)

    def totals(self) -> PairTotals:
        """Return them as the statistic that is read later."""
        if self.triangle is not None:
            return PairTotals.of_triangle(self.n_subjects, self.triangle)
        order = np.argsort(self.keys)
        keys = self.keys[order]
        return PairTotals.of_entries(self.n_subjects, keys >> 32, keys & _NARROW, self.counts[order])


class PairCounter:
    """Counts pairs chunk after chunk.

    Up to 11,585 subjects, and where more than a tenth of the possible pairs occur, every pair has a counter of 4 bytes
    (8 from 2³² comparisons on). Otherwise the pairs that occur are held, at about 40 bytes each.
    """

    def __init__(self) -> None:
        self._triangle: NDArray[Any] | None = np.zeros(0, dtype=np.uint32)
        self._coder = IntegerCoder()
        self._counts = np.zeros(0, dtype=np.int64)
        self._total = 0

    def add(self, first: NDArray[np.int64], second: NDArray[np.int64], n_subjects: int) -> None:
        """Count pairs of different codes below `n_subjects`."""
        from mated.engine.chunk_kernels import count_pairs

        self._make_room(n_subjects, len(first))
        if self._triangle is not None:
            count_pairs(first, second, self._triangle)
            return
        self._add_keys((np.minimum(first, second) << 32) | np.maximum(first, second), None)
        cells = n_subjects * (n_subjects - 1) // 2
        if cells <= _WORTH // 2 * len(self._coder):
            self._fill_triangle(cells)

    def take_in(self, other: PairCounts, codes: NDArray[np.int64], n_subjects: int) -> None:
        """Add the counts of a part, whose subject k has the code `codes[k]` here."""
        from mated.engine.chunk_kernels import recode_triangle

        self._make_room(n_subjects, other.total, occurring=other)
        if other.triangle is not None and self._triangle is not None:
            recode_triangle(other.triangle, other.n_subjects, codes, self._triangle)
            return
        keys, counts = _pairs_of(other)
        first, second = codes[keys >> 32], codes[keys & _NARROW]
        first, second = np.minimum(first, second), np.maximum(first, second)
        if self._triangle is not None:
            self._triangle[second * (second - 1) // 2 + first] += counts.astype(self._triangle.dtype)
        else:
            self._add_keys((first << 32) | second, counts)

    def result(self, n_subjects: int) -> PairCounts:
        """Return what was counted so far."""
        if self._triangle is None:
            return PairCounts(n_subjects, None, self._coder.known.copy(), self._counts, self._total)
        triangle = self._triangle[: n_subjects * (n_subjects - 1) // 2]
        if len(triangle) > _LITTLE and 4 * int(np.count_nonzero(triangle)) < len(triangle):
            listed = _pairs_of(PairCounts(n_subjects, triangle, self._counts, self._counts, 0))
            return PairCounts(n_subjects, None, *listed, self._total)
        return PairCounts(n_subjects, triangle, np.zeros(0, np.int64), np.zeros(0, np.int64), self._total)

    def _add_keys(self, keys: NDArray[np.int64], counts: NDArray[np.int64] | None) -> None:
        codes = self._coder.codes(keys)
        more = np.zeros(len(self._coder), dtype=np.int64)
        more[: len(self._counts)] = self._counts
        if counts is None:
            more += np.bincount(codes, minlength=len(more))
        else:
            np.add.at(more, codes, counts)  # whole numbers, which the weights of bincount would round
        self._counts = more

    def _make_room(self, n_subjects: int, more: int, occurring: PairCounts | None = None) -> None:
        """See to it that so many subjects can be counted, and so many comparisons more."""
        self._total += more
        if self._triangle is None:
            return
        cells = n_subjects * (n_subjects - 1) // 2
        if cells > len(self._triangle):
            known = int(np.count_nonzero(self._triangle)) + (0 if occurring is None else _n_pairs(occurring))
            if cells > _SMALL and cells > _WORTH * known:
                pairs = _pairs_of(PairCounts(0, self._triangle, self._counts, self._counts, 0))
                self._triangle = None
                self._add_keys(*pairs)
                return
            # Twice as many at once, so that they are not copied for each new subject; untouched memory costs nothing.
            wider = np.zeros(max(cells, 2 * len(self._triangle)), dtype=self._triangle.dtype)
            wider[: len(self._triangle)] = self._triangle
            self._triangle = wider
        if self._total > _NARROW and self._triangle.dtype == np.uint32:
            self._triangle = self._triangle.astype(np.int64)

    def _fill_triangle(self, cells: int) -> None:
        keys = self._coder.known
        first, second = keys >> 32, keys & _NARROW
        self._triangle = np.zeros(cells, dtype=np.int64 if self._total > _NARROW else np.uint32)
        self._triangle[second * (second - 1) // 2 + first] = self._counts
        self._coder, self._counts = IntegerCoder(), np.zeros(0, dtype=np.int64)


def _n_pairs(counts: PairCounts) -> int:
    return len(counts.keys) if counts.triangle is None else int(np.count_nonzero(counts.triangle))


def _pairs_of(counts: PairCounts) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs that occur, as keys, and how often."""
    if counts.triangle is None:
        return counts.keys, counts.counts
    at = np.flatnonzero(counts.triangle)
    # The column of counter k is the largest j with j·(j − 1)/2 ≤ k; the root may be off by one.
    second = ((1 + np.sqrt(1 + 8 * at.astype(np.float64))) / 2).astype(np.int64)
    second -= second * (second - 1) // 2 > at
    second += (second + 1) * second // 2 <= at
    first = at - second * (second - 1) // 2
    return (first << 32) | second, counts.triangle[at].astype(np.int64)
