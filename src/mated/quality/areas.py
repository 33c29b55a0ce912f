"""Partial areas under curves (pAUC), and the rankings of quality algorithms made of them.

Schlett et al. (2023), section I-B and Table I.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.quality.reference_lines import area_under_theoretical_best

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from mated.quality.curve import DiscardCurve
    from mated.quality.edc import ErrorCurve

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["PartialArea", "Placement", "discrete_ranking", "partial_area", "rank_curves", "relative_ranking"]

_ROUNDING = 1e-13
"""Relative difference below which areas are equal; one error more or less changes an area of N comparisons by 1/N²."""


@dataclass(frozen=True)
class PartialArea:
    """The area under an error curve between two discard fractions, raw and made comparable.

    Attributes
    ----------
    raw
        The area (pAUC).
    best
        Area under the theoretical best, max(0, e₀ − d): no curve is below it.
    constant
        Area under the starting error, e₀ · (high − low): a useful algorithm stays below it.
    """

    low: float
    high: float
    raw: float
    best: float
    constant: float

    @property
    def above_best(self) -> float:
        """The raw area less that under the theoretical best; the order of algorithms stays the same."""
        return self.raw - self.best

    @property
    def relative(self) -> float:
        """Where the area lies between the theoretical best (0) and the constant starting error (1).

        Above 1 the algorithm does worse than discarding at random.
        """
        return self.above_best / (self.constant - self.best)

    @property
    def share_of_constant(self) -> float:
        """The raw area over that under the constant starting error."""
        return self.raw / self.constant


@dataclass(frozen=True)
class Placement:
    """Where one algorithm stands: its area, its discrete rank (1 is best), its relative rank (0 best, 1 worst)."""

    algorithm: str
    area: float
    rank: int
    relative: float


def partial_area(curve: ErrorCurve, high: float, low: float = 0.0) -> PartialArea:
    """Return the area under an error curve between two discard fractions."""
    start = curve.starting.value
    best = area_under_theoretical_best(start, high, low)
    return PartialArea(float(low), float(high), curve.area(high, low), best, start * (high - low))


def discrete_ranking(areas: ArrayLike, *, higher_is_better: bool = False) -> NDArray[np.int64]:
    """Return the rank of each area along the first axis: 1 and the number of better ones; equal areas share one.

    Areas that agree to thirteen digits are equal: what is left is rounding, not quality.
    """
    values = _towards_low(areas, higher_is_better)
    clearly_better = values[:, None] < values[None] - _ROUNDING * np.abs(values).max(axis=0)
    return np.asarray(1 + np.count_nonzero(clearly_better, axis=0), dtype=np.int64)


def relative_ranking(areas: ArrayLike, *, higher_is_better: bool = False) -> Floats:
    """Return each area min-max normalised along the first axis: 0 the best algorithm, 1 the worst.

    Where all are equal, all are 0. Areas that agree with the best to thirteen digits are equal to it: when every
    discarded comparison is an error under all algorithms, only rounding tells their areas apart.
    """
    values = _towards_low(areas, higher_is_better)
    above = values - values.min(axis=0)
    above[above <= _ROUNDING * np.abs(values).max(axis=0)] = 0.0
    span = above.max(axis=0)
    return np.asarray(np.divide(above, span, out=np.zeros_like(above), where=span > 0))


def rank_curves(curves: Mapping[str, DiscardCurve], high: float, low: float = 0.0) -> tuple[Placement, ...]:
    """Rank algorithms by the area under their curves, the best first, whichever direction is the good one."""
    if not curves:
        raise MatedError("there is no curve to rank")
    first = next(iter(curves.values()))
    for name, curve in curves.items():
        if (curve.quantity, curve.interpolation, curve.axis) != (first.quantity, first.interpolation, first.axis):
            raise MatedError(
                f"curves of one kind can be ranked, and that of {name!r} is of another kind than the first"
            )
    areas = np.array([curve.area(high, low) for curve in curves.values()])
    ranks = discrete_ranking(areas, higher_is_better=first.higher_is_better)
    relative = relative_ranking(areas, higher_is_better=first.higher_is_better)
    placed = _placements(curves, areas, ranks, relative)
    return tuple(sorted(placed, key=lambda placement: placement.rank))


def _placements(names: Iterable[str], *columns: NDArray[Any]) -> list[Placement]:
    rows = zip(names, *(column.tolist() for column in columns), strict=True)
    return [Placement(name, area, rank, relative) for name, area, rank, relative in rows]


def _towards_low(areas: ArrayLike, higher_is_better: bool) -> Floats:
    values = np.asarray(areas, dtype=np.float64)
    if np.isnan(values).any():
        raise MatedError("an area that is NaN cannot be ranked")
    return -values if higher_is_better else values
