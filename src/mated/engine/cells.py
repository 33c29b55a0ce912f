"""`Cells`: ranges of keys with exact counts, some of them down to single scores.

Between the bins of a `KeyedTally` and the distinct scores of a `Tally` lies a mixture: ranges that nobody needs to know
more of, and single scores where thresholds may lie. Every cell stands in the tally for all its scores at its lowest
legitimate score. The counts at or above that score are then true as they stand, so that every point of a curve made of
cells is a point of the curve made of scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.scores import Tally
from mated.scores.keys import KeyOrder, key_order
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from mated.scores.keyed_tally import KeyedTally

__all__ = ["Cells"]


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Disjoint ranges of keys, ascending, that hold all comparisons; none is empty.

    Attributes
    ----------
    low, high
        The lowest and the highest key of each cell that a score in it can have.
    mated, nonmated
        Number of comparisons of each class in each cell.
    dtype, dissimilarity, unit
        How the scores are held and written.
    mated_failures, nonmated_failures
        Comparisons that gave no score.
    """

    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    mated: NDArray[np.int64]
    nonmated: NDArray[np.int64]
    dtype: str
    dissimilarity: bool
    unit: Fraction | None
    mated_failures: int = 0
    nonmated_failures: int = 0

    def __post_init__(self) -> None:
        for name in ("low", "high", "mated", "nonmated"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def of(cls, keyed: KeyedTally) -> Cells:
        """Take the bins of a keyed tally, each narrowed to the legitimate scores in it."""
        order = keyed.order
        bins = keyed.bins.astype(np.uint64)
        shift = np.uint64(order.shift)
        low, high = bins << shift, (bins << shift) | np.uint64((1 << order.shift) - 1)
        # The keys beyond the infinities are those of NaN.
        low, high = np.maximum(low, np.uint64(order.lowest)), np.minimum(high, np.uint64(order.highest))
        return cls(
            low,
            high,
            keyed.mated,
            keyed.nonmated,
            keyed.dtype,
            keyed.dissimilarity,
            keyed.unit,
            keyed.mated_failures,
            keyed.nonmated_failures,
        ).narrowed()

    def __len__(self) -> int:
        return len(self.low)

    def __repr__(self) -> str:
        return f"Cells({len(self)}, {np.count_nonzero(self.exact)} of them single scores)"

    # -- counts ------------------------------------------------------------------------------------

    @cached_property
    def mated_at_or_above(self) -> NDArray[np.int64]:
        """Mated comparisons in each cell and those above it."""
        return read_only(np.cumsum(self.mated[::-1])[::-1])

    @cached_property
    def nonmated_at_or_above(self) -> NDArray[np.int64]:
        """Non-mated comparisons in each cell and those above it."""
        return read_only(np.cumsum(self.nonmated[::-1])[::-1])

    @property
    def n_mated(self) -> int:
        """Number of mated comparisons with a score."""
        return int(self.mated_at_or_above[0]) if len(self) else 0

    @property
    def n_nonmated(self) -> int:
        """Number of non-mated comparisons with a score."""
        return int(self.nonmated_at_or_above[0]) if len(self) else 0

    def mated_from(self, index: int) -> int:
        """Number of mated comparisons from cell `index` up (0 past the last)."""
        return int(self.mated_at_or_above[index]) if index < len(self) else 0

    def nonmated_from(self, index: int) -> int:
        """Number of non-mated comparisons from cell `index` up (0 past the last)."""
        return int(self.nonmated_at_or_above[index]) if index < len(self) else 0

    # -- scores ------------------------------------------------------------------------------------

    @property
    def order(self) -> KeyOrder:
        """The keys of its type of scores."""
        return key_order(self.dtype)

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Which cells are single scores."""
        single: NDArray[np.bool_] = self.low == self.high
        return single

    @cached_property
    def room(self) -> NDArray[np.int64]:
        """The most distinct scores that each cell can hold."""
        comparisons = self.mated + self.nonmated
        width = np.minimum(self.high - self.low, np.uint64(2**62)).astype(np.int64) + 1
        if self.unit is not None:
            low, high = (self.order.scores(ends).astype(np.float64) for ends in (self.low, self.high))
            with np.errstate(invalid="ignore", over="ignore"):
                steps = np.minimum(np.rint((high - low) / float(self.unit)), 2.0**62)
            width = np.minimum(width, np.where(low == high, 0, steps).astype(np.int64) + 1)
        return read_only(np.minimum(comparisons, width))

    def holding(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return for each key the cell at or below it, and whether the key is in that cell."""
        index = np.searchsorted(self.low, keys, side="right") - 1
        inside: NDArray[np.bool_] = (index >= 0) & (keys <= self.high[np.maximum(index, 0)])
        return index, inside

    def tally(self) -> Tally:
        """Return the tally with each cell at its lowest legitimate score."""
        return Tally(
            self.order.scores(self.low),
            self.mated_at_or_above,
            self.nonmated_at_or_above,
            self.dissimilarity,
            "continuous" if self.unit is None else self.unit,
            self.mated_failures,
            self.nonmated_failures,
        )

    def narrowed(self) -> Cells:
        """Return the same cells without the keys at their ends that are no multiples of the unit."""
        open_cells = np.flatnonzero(~self.exact)
        if self.unit is None or not len(open_cells):
            return self
        lowest, highest = (self.order.scores(ends[open_cells]) for ends in (self.low, self.high))
        first, last = _multiples_within(lowest, highest, self.unit)
        low, high = self.low.copy(), self.high.copy()
        low[open_cells], high[open_cells] = self.order.keys(first), self.order.keys(last)
        return replace(self, low=low, high=high)

    def replaced(
        self,
        gone: NDArray[np.bool_],
        low: Sequence[NDArray[np.uint64]],
        high: Sequence[NDArray[np.uint64]],
        mated: Sequence[NDArray[np.int64]],
        nonmated: Sequence[NDArray[np.int64]],
    ) -> Cells:
        """Return the cells with some of them replaced by narrower ones, given in pieces in any order."""
        stays = ~gone
        lows = np.concatenate([self.low[stays], *low])
        order = np.argsort(lows, kind="stable")

        def joined(old: NDArray[Any], pieces: Sequence[NDArray[Any]]) -> NDArray[Any]:
            return np.concatenate([old[stays], *pieces])[order]

        return replace(
            self,
            low=lows[order],
            high=joined(self.high, high),
            mated=joined(self.mated, mated),
            nonmated=joined(self.nonmated, nonmated),
        ).narrowed()


def _multiples_within(
    low: NDArray[np.floating[Any]], high: NDArray[np.floating[Any]], unit: Fraction
) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    """Return the lowest and the highest multiple of a unit in each range that holds at least one.

    A multiple is the float nearest to it, so that the quotient may be one off either way.
    """
    dtype, step = low.dtype, float(unit)

    def nearest(whole: NDArray[np.float64]) -> NDArray[np.floating[Any]]:
        return (whole * unit.numerator / unit.denominator).astype(dtype)

    with np.errstate(over="ignore"):
        lowest = np.ceil(low.astype(np.float64) / step) + 1
        highest = np.floor(high.astype(np.float64) / step) - 1
        for _ in range(2):
            lowest = np.where(nearest(lowest - 1) >= low, lowest - 1, lowest)
            highest = np.where(nearest(highest + 1) <= high, highest + 1, highest)
        first, last = nearest(lowest), nearest(highest)
    # Where rounding hides the multiples, the range stays as it is.
    found = (low <= first) & (first <= last) & (last <= high)
    return np.where(found, first, low), np.where(found, last, high)
