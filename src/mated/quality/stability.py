"""How far a ranking of quality algorithms depends on the starting error and the discard limit.

Schlett et al. (2023), sections V and VI: rankings over a grid of both, their distance from the mean ranking or from an
expected one, and statistics of each algorithm's placements.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.quality.area_grid import area_grid
from mated.quality.areas import relative_ranking
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from mated.quality.curve import Interpolation
    from mated.quality.edc import Among
    from mated.quality.starting_error import StartingError
    from mated.scores.discard_order import Axis, DiscardOrder

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["LIMITS", "STARTING_ERRORS", "PlacementStatistics", "RankingGrid", "ranking_grid"]

STARTING_ERRORS = tuple(round(0.01 * k, 2) for k in range(1, 11))
"""The starting errors of section V-A."""

LIMITS = tuple(round(0.01 * k, 2) for k in range(1, 21))
"""The discard limits of section V-A."""


@dataclass(frozen=True)
class PlacementStatistics:
    """One algorithm's placements over all configurations, from 1 (best) to the number of algorithms (Tables III, IV).

    A relative rank p in [0, 1] is the placement 1 + (n − 1)p.

    Attributes
    ----------
    span
        Worst less best.
    deviation
        Standard deviation of the placements, at most (n − 1)/2.
    deviation_times_count
        n times the standard deviation of p, at most n/2: the range that the paper states for its column.
    """

    algorithm: str
    span: float
    best: float
    worst: float
    median: float
    mean: float
    deviation: float
    deviation_times_count: float


@dataclass(frozen=True, eq=False, repr=False)
class RankingGrid:
    """Areas of several algorithms at all pairs of starting error and discard limit.

    Attributes
    ----------
    area
        The partial area from 0 to the limit: algorithm × starting error × limit.
    """

    algorithms: tuple[str, ...]
    starting: tuple[StartingError, ...]
    limits: Floats
    area: Floats

    def __post_init__(self) -> None:
        for name in ("limits", "area"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @cached_property
    def relative(self) -> Floats:
        """Relative ranks p (0 best, 1 worst) of the algorithms in each configuration, shaped as `area`."""
        return read_only(relative_ranking(self.area))

    @cached_property
    def mean_ranking(self) -> Floats:
        """Mean relative rank of each algorithm over all configurations."""
        return read_only(self.relative.mean(axis=(1, 2)))

    def divergence(self, expected: ArrayLike | None = None) -> Floats:
        """Return Σ|p − p̄| (Eq. 1) for each starting error and limit, or Σ|p − e| (Eq. 2) from an expected ranking.

        `expected` is one number an algorithm, in any scale (such as 1 to 5), lower being better; it is min-max
        normalised. Rankings near the middle of the grid are nearer to the mean ranking by themselves.
        """
        centre = self.mean_ranking if expected is None else self._expected(expected)
        apart: Floats = np.abs(self.relative - centre[:, None, None]).sum(axis=0)
        return apart

    def statistics(self) -> tuple[PlacementStatistics, ...]:
        """Return the placement statistics of each algorithm."""
        count = len(self.algorithms)
        rows = []
        for name, p in zip(self.algorithms, self.relative.reshape(count, -1), strict=True):
            placement = 1 + (count - 1) * p
            best, worst = float(placement.min()), float(placement.max())
            rows.append(
                PlacementStatistics(
                    name,
                    span=worst - best,
                    best=best,
                    worst=worst,
                    median=float(np.median(placement)),
                    mean=float(placement.mean()),
                    deviation=float(placement.std()),
                    deviation_times_count=float(count * p.std()),
                )
            )
        return tuple(rows)

    def _expected(self, expected: ArrayLike) -> Floats:
        values = np.asarray(expected, dtype=np.float64)
        if values.shape != (len(self.algorithms),):
            raise MatedError(
                f"an expected ranking needs one number for each of the {len(self.algorithms)} algorithms, "
                f"and {values.size} are given"
            )
        return relative_ranking(values)

    def __repr__(self) -> str:
        algorithms, errors, limits = self.area.shape
        return f"RankingGrid({algorithms} algorithms, {errors} starting errors × {limits} limits)"


def ranking_grid(
    orders: Mapping[str, DiscardOrder],
    starting: Sequence[StartingError],
    limits: ArrayLike = LIMITS,
    *,
    among: Among = "kept",
    interpolation: Interpolation = "step",
    axis: Axis = "comparisons",
) -> RankingGrid:
    """Rank algorithms at every pair of starting error and discard limit, from one order an algorithm.

    The orders need to reach the largest limit only.
    """
    if len(orders) < 2:
        raise MatedError(f"a ranking needs two algorithms or more, and there are {len(orders)}")
    highs = np.atleast_1d(np.asarray(limits, dtype=np.float64))
    areas = [
        area_grid(order, starting, highs, among=among, interpolation=interpolation, axis=axis)
        for order in orders.values()
    ]
    return RankingGrid(tuple(orders), tuple(starting), highs, np.stack(areas))
