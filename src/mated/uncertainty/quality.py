"""How sure discard curves, their areas and a ranking of quality algorithms are: replicates of all of them at once.

In each replicate units are drawn with replacement, subjects where they are known: a mated comparison of subject i
weighs w_i, a non-mated one of i and j weighs w_i·w_j (the pigeonhole bootstrap, Owen 2007). Every curve of a replicate
is that of the comparisons so repeated, exactly: with its own steps, discard fractions and number of comparisons. All
algorithms see the same draws, so that their differences are paired.

The threshold. An error curve is defined by the error it begins at, and the threshold is what the data say gives that
error. So it is found anew in each replicate: the starting error nearest to the one reported. The interval is then that
of the area at this starting error, and the band has next to no width where nothing is discarded. With the threshold
held, the replicates mostly tell how sure the starting error itself is; that is right only where the threshold was given
and not found.

The interval. Replicates of an area are skewed, and with few subjects they lie above it: areas of few errors are too
high on average, and areas of replicates once more. An interval is that of the percentiles, widened to hold value ±
t·(standard error) with one degree of freedom less than there are units. Nominal 95 % intervals then held the truth in
94 to 99 of 100 simulated tests of 40 to 300 subjects (percentiles alone: 85 to 99; comparisons taken as independent: 57
to 99).

Schlett et al. (2023) give no uncertainty; these intervals are this package's own.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.quality.areas import discrete_ranking
from mated.quality.reference_lines import area_under_theoretical_best
from mated.scores.validation import read_only
from mated.uncertainty.replicates import Replicates, exact_level
from mated.uncertainty.streams import block_generator

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mated.uncertainty.quality_models import CurveModel

    Floats: TypeAlias = NDArray[np.float64]
    Weights: TypeAlias = NDArray[np.uint8]

__all__ = ["CurveDraws", "DiscardBand", "draw_curves", "draw_units"]

_REPLICATES_AT_ONCE = 64
_CELLS = 1 << 22  # replicates × units drawn at once
_EQUAL = 1e-12
"""Relative difference below which two areas of a replicate are equal: rounding of a sum over its steps."""


@dataclass(frozen=True, eq=False, repr=False)
class DiscardBand:
    """Percentile intervals of a curve at some discard fractions, each holding by itself.

    Attributes
    ----------
    discard, value
        The fractions, ascending, and the curve itself there.
    low, high
        Ends of the intervals.
    """

    discard: Floats
    value: Floats
    low: Floats
    high: Floats
    level: float

    def __post_init__(self) -> None:
        for name in ("discard", "value", "low", "high"):
            object.__setattr__(self, name, read_only(np.asarray(getattr(self, name), dtype=np.float64)))

    def __repr__(self) -> str:
        return f"DiscardBand({self.level:g}, {len(self.discard)} discard fractions)"


@dataclass(frozen=True, eq=False, repr=False)
class CurveDraws:
    """Replicates of the curves of several algorithms, all from the same draws.

    Attributes
    ----------
    area
        Area from 0 to the limit: algorithm × replicate. Replicates without a curve are left out.
    value
        The curves on the grid: algorithm × replicate × grid.
    grid
        Discard fractions, ascending from 0.
    higher_is_better
        Which direction is good.
    units
        How many units were drawn each time.
    lost
        Replicates that had no curve: those without a comparison of the class, or with one score only.
    """

    algorithms: tuple[str, ...]
    area: Floats
    value: Floats
    grid: Floats
    limit: float
    higher_is_better: bool
    units: int
    seed: int
    lost: int = 0

    def __post_init__(self) -> None:
        for name in ("area", "value", "grid"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def replicates(self) -> int:
        """Number of replicates that have curves."""
        return int(self.area.shape[1])

    @property
    def start(self) -> Floats:
        """The value with nothing discarded in each replicate, the same for all algorithms."""
        start: Floats = self.value[0, :, 0]
        return start

    def areas(self, algorithm: str) -> Floats:
        """Return the areas of one algorithm."""
        areas: Floats = self.area[self._place(algorithm)]
        return areas

    def above_best(self, algorithm: str) -> Floats:
        """Return the areas of an error curve less that under the theoretical best at the replicate's own start."""
        return self.areas(algorithm) - self._best

    def relative(self, algorithm: str) -> Floats:
        """Return where they lie between theoretical best (0) and constant starting error (1) of the replicate."""
        return self.above_best(algorithm) / (self.start * self.limit - self._best)

    def probability_above(self, one: str, other: str) -> float:
        """Return the share of replicates in which one algorithm does better than the other, ties counted half."""
        return float(self._better(self._place(one), self._place(other)).mean())

    def probability_best(self) -> dict[str, float]:
        """Return the share of replicates in which each algorithm is the best, ties shared equally."""
        first = discrete_ranking(self.area, higher_is_better=self.higher_is_better) == 1
        return dict(zip(self.algorithms, (first / first.sum(axis=0)).mean(axis=1).tolist(), strict=True))

    def interval(self, drawn: Floats, value: float, level: float = 0.95) -> tuple[float, float]:
        """Return the percentile interval of replicates of a value, widened to hold value ± t·(standard error)."""
        from scipy.special import stdtrit

        replicates = Replicates(drawn, value)
        low, high = replicates.percentile_interval(level)
        reach = float(stdtrit(self.units - 1, float((1 + exact_level(level)) / 2))) * replicates.standard_error
        return min(low, value - reach), max(high, value + reach)

    def band(self, algorithm: str, value: Floats, level: float = 0.95) -> DiscardBand:
        """Return percentile intervals around a curve whose values on the grid are given."""
        drawn = self.value[self._place(algorithm)]
        ends = [Replicates(column, v).percentile_interval(level) for column, v in zip(drawn.T, value, strict=True)]
        low, high = np.array(ends).T
        return DiscardBand(self.grid, value, low, high, level)

    @cached_property
    def _best(self) -> Floats:
        return np.array([area_under_theoretical_best(start, self.limit) for start in self.start.tolist()])

    def _better(self, one: int, other: int) -> Floats:
        apart = self.area[other] - self.area[one]
        if self.higher_is_better:
            apart = -apart
        equal = np.abs(apart) <= _EQUAL * np.maximum(np.abs(self.area[one]), np.abs(self.area[other]))
        return np.where(equal, 0.5, apart > 0)

    def _place(self, algorithm: str) -> int:
        if algorithm not in self.algorithms:
            known = ", ".join(repr(name) for name in self.algorithms)
            raise MatedError(f"there is no quality algorithm {algorithm!r}; the algorithms are: {known}")
        return self.algorithms.index(algorithm)

    def __repr__(self) -> str:
        return f"CurveDraws({self.replicates} replicates of {len(self.algorithms)} algorithms)"


def draw_curves(
    model: CurveModel,
    *,
    replicates: int = 1000,
    seed: int = 1,
    higher_is_better: bool = False,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> CurveDraws:
    """Draw replicates of the curves of all algorithms.

    The first replicates stay when more are asked for, on any number of threads. Cost: for each replicate and algorithm
    one walk through the comparisons up to the limit; memory does not grow with replicates × comparisons.
    """
    if replicates < 2:
        raise MatedError(f"at least 2 bootstrap replicates are needed for a spread, not {replicates}")
    discarding = model.discarding
    units = discarding.units.count
    size = max(1, min(_REPLICATES_AT_ONCE, _CELLS // units))
    name = f"quality {discarding.units.kind}"

    def one(block: int) -> tuple[Floats, Floats]:
        rows = min(size, replicates - block * size)
        return model.block(draw_units(block_generator(seed, name, block), size, units)[:rows])

    blocks = range(-(-replicates // size))
    parts = []
    with ThreadPoolExecutor(max(1, threads)) as pool:
        for number, part in enumerate(pool.map(one, blocks), start=1):
            parts.append(part)
            if progress is not None:
                progress(min(number * size, replicates), replicates)
    area, value = (np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True))
    usable = ~np.isnan(area).any(axis=0)
    if np.count_nonzero(usable) < 2:
        raise MatedError(
            f"of {replicates} replicates {np.count_nonzero(usable)} have a curve, too few for an interval; there are "
            "too few subjects, or scores hardly differ (ask for no replicates: replicates=0, --bootstrap 0)"
        )
    lost = replicates - int(np.count_nonzero(usable))
    if lost:
        area, value = area[:, usable], value[:, usable]
    grid = np.array(discarding.grid, dtype=np.float64)
    return CurveDraws(discarding.algorithms, area, value, grid, discarding.limit, higher_is_better, units, seed, lost)


def draw_units(generator: np.random.Generator, rows: int, units: int) -> Weights:
    """Draw w ~ Multinomial(U, 1/U) for each row, as small integers, with a last column of ones."""
    from mated.uncertainty.quality_kernels import times_each

    return times_each(generator.integers(units, size=(rows, units), dtype=np.uint32), units)
