"""The sums over subjects that the variance of FNMR is made of; the formula stands in `cluster`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mated.uncertainty.fillings import Fill, Squares, amounts_by_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["SubjectSums"]


@dataclass(frozen=True, eq=False)
class SubjectSums:
    """The errors and comparisons of subjects that have comparisons.

    Attributes
    ----------
    subjects, count, total
        Number of subjects, of errors and of comparisons.
    squares
        Σe², or the greatest that k of the errors could have.
    products
        Σe·n, or the least.
    trial_squares
        Σn².
    """

    subjects: int
    count: int
    total: int
    squares: Squares
    products: Fill
    trial_squares: float

    @classmethod
    def of(cls, errors: NDArray[np.int64], comparisons: NDArray[np.int64]) -> SubjectSums:
        """Sum e and n of each subject, n > 0."""
        return cls(
            len(comparisons),
            int(errors.sum()),
            int(comparisons.sum()),
            Squares.of(errors),
            Fill.cheapest_first(*amounts_by_value(comparisons, errors)),
            float((comparisons.astype(np.float64) ** 2).sum()),
        )

    def variance(self) -> float:
        """Return v."""
        return float(self.largest_variance(np.array([float(self.count)]))[0])

    def largest_variance(self, k: Floats) -> Floats:
        """Return, for each number k of errors, the largest v that so many of them could show."""
        return self._variance(k, k)

    def variance_limit(self, least: Floats, most: Floats) -> Floats:
        """Return what `largest_variance` exceeds for no k from `least` to `most`: each term where it is greatest."""
        return self._variance(least, most)

    def _variance(self, least: Floats, most: Floats) -> Floats:
        low, high = least / self.total, most / self.total
        squares = self.squares(most) - 2 * low * self.products(least) + high**2 * self.trial_squares
        return np.maximum(squares, 0.0) / (self.total / self.subjects) ** 2 / (self.subjects * (self.subjects - 1))
