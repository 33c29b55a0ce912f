"""`PairBits`: which pairs of samples were met, one bit each, chunk by chunk.

Whether some pair occurs twice, or in both orders, cannot be told from sums: each pair has to be remembered. A bit for
every possible pair is about a hundredth of the comparisons themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int64]

__all__ = ["MOST_BITS", "BitMarker", "PairBits", "too_many_samples"]

MOST_BITS = 1 << 32
"""Bits that may be held for one purpose: half a gibibyte, the pairs of 65,536 samples with as many."""


@dataclass(frozen=True, eq=False)
class PairBits:
    """Pairs of a row and a column that were met; merged with `+`.

    Attributes
    ----------
    bits
        Those of the rows from `first_row` on, eight columns a byte.
    n_columns
        Number of columns.
    again
        The lowest row · n_columns + column that was met more than once, −1 for none.
    """

    bits: NDArray[np.uint8]
    first_row: int
    n_columns: int
    again: int

    def __add__(self, other: PairBits) -> PairBits:
        from mated.engine.chunk_kernels import add_bits

        if not len(other.bits) or not len(self.bits):
            return self if len(self.bits) else other
        low = min(self.first_row, other.first_row)
        high = max(part.first_row + len(part.bits) for part in (self, other))
        bits = np.zeros((high - low, self.bits.shape[1]), dtype=np.uint8)
        bits[self.first_row - low :][: len(self.bits)] = self.bits
        begin = other.first_row - low
        again = -1 if self.again < 0 and other.again < 0 else min(a.again for a in (self, other) if a.again >= 0)
        again = add_bits(bits[begin : begin + len(other.bits)], other.bits, other.first_row, self.n_columns, again)
        return PairBits(bits, low, self.n_columns, again)

    def whole(self, n_rows: int) -> NDArray[np.uint8]:
        """Return the bits of all rows."""
        bits = np.zeros((n_rows, self.bits.shape[1]), dtype=np.uint8)
        bits[self.first_row :][: len(self.bits)] = self.bits
        return bits


class BitMarker:
    """Marks pairs chunk after chunk."""

    def __init__(self, n_rows: int, n_columns: int) -> None:
        self._bits = np.zeros((n_rows, (n_columns + 7) // 8), dtype=np.uint8)
        self._n_columns = n_columns
        self._again = -1
        self._rows = (n_rows, 0)

    def mark(self, row: Codes, column: Codes) -> None:
        """Mark pairs, but for those with a negative row or column."""
        from mated.engine.chunk_kernels import mark_pairs

        if not len(row):
            return
        self._rows = min(self._rows[0], max(int(row.min()), 0)), max(self._rows[1], int(row.max()) + 1)
        self._again = mark_pairs(row, column, self._bits, self._n_columns, self._again)

    def result(self) -> PairBits:
        """Return the pairs met so far; of a part whose probes are neighbours little."""
        low, high = min(self._rows), max(self._rows[1], min(self._rows))
        return PairBits(self._bits[low:high], low, self._n_columns, self._again)


def too_many_samples(samples: int) -> MatedError:
    """Return the error for a table too large to find out whether it lists each pair once."""
    return MatedError(
        f"{samples} samples stand on both sides, too many to find out whether each pair is listed once; say it with "
        "symmetric='yes' or 'no' (--symmetric)"
    )
