"""What some of the errors could add up to: errors filled into places, the largest or the dearest places first.

Bounds on a variance ask how large a sum of squares or of products could be if only k of the errors had happened. The
answer fills places (subjects, pairs of subjects) one after another. Places that are alike are held together, so that a
filling has as many entries as there are distinct sizes, and is made once for all k.

All sums are of whole numbers and exact in floats up to 2^53.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["Fill", "Squares", "amounts_by_value"]

_SPARE = 1 << 20  # counters that may be more than the data


@dataclass(frozen=True, eq=False)
class Squares:
    """The greatest Σx² of numbers 0 ≤ x ≤ size that sum to an amount: the largest places are filled first.

    Attributes
    ----------
    size
        Distinct sizes, descending, and 1 at the end for what nothing is left to fill.
    filled, squares
        What the places larger than each size hold together, and the sum of their squares.
    """

    size: Floats
    filled: Floats
    squares: Floats

    @classmethod
    def of(cls, sizes: NDArray[Any]) -> Squares:
        """Take the size of every place."""
        return cls.of_numbers(*np.unique(sizes[sizes > 0], return_counts=True))

    @classmethod
    def of_numbers(cls, sizes: NDArray[Any], numbers: NDArray[Any]) -> Squares:
        """Take distinct sizes, ascending and positive, and how many places have each."""
        size, number = (values[::-1].astype(np.float64) for values in (sizes, numbers))
        sums = (np.append(0.0, np.cumsum(size**power * number)) for power in (1, 2))
        return cls(read_only(np.append(size, 1.0)), *map(read_only, sums))

    @property
    def total(self) -> float:
        """Σ size² of all places."""
        return float(self.squares[-1])

    def __call__(self, amount: Floats) -> Floats:
        """Return the sum for each amount, whole numbers up to what all places hold."""
        place = np.searchsorted(self.filled, amount, side="right") - 1
        size, rest = self.size[place], amount - self.filled[place]
        full = np.floor_divide(rest, size)
        most: Floats = self.squares[place] + full * size**2 + (rest - full * size) ** 2
        return most


@dataclass(frozen=True, eq=False)
class Fill:
    """The least, or the most, Σ x·cost of numbers that sum to an amount: a line between corners."""

    filled: Floats
    cost: Floats

    @classmethod
    def cheapest_first(cls, costs: NDArray[Any], sizes: NDArray[Any]) -> Fill:
        """Fill the lowest costs first; costs ascend, each with what its places hold together (more than 0)."""
        size = sizes.astype(np.float64)
        return cls(*(read_only(np.append(0.0, np.cumsum(part))) for part in (size, size * costs)))

    @classmethod
    def dearest_first(cls, costs: NDArray[Any], sizes: NDArray[Any]) -> Fill:
        """Fill the highest costs first; costs ascend."""
        return cls.cheapest_first(costs[::-1], sizes[::-1])

    def __call__(self, amount: Floats) -> Floats:
        """Return the sum for each amount."""
        sums: Floats = np.interp(amount, self.filled, self.cost)
        return sums


def amounts_by_value(values: NDArray[np.int64], amounts: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct values, ascending, whose amounts sum to more than 0, and these sums; none is negative."""
    if len(values) and int(values.max()) <= 4 * len(values) + _SPARE:
        sums = np.bincount(values, weights=amounts)
        seen = np.flatnonzero(sums)
        return seen, sums[seen].astype(np.int64)
    distinct, place = np.unique(values, return_inverse=True)
    sums = np.bincount(place, weights=amounts, minlength=len(distinct))
    return distinct[sums > 0], sums[sums > 0].astype(np.int64)
