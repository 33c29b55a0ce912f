"""Section VI of Schlett et al. (2023) drawn again: rankings over starting errors and limits, and how draws differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from mated.quality.edc import error_curve
from mated.quality.stability import LIMITS, STARTING_ERRORS, RankingGrid, ranking_grid
from mated.quality.starting_error import StartingErrors, starting_errors
from mated.reproduce.processes import mapped
from mated.reproduce.schlett2023_published import HALF_UNIT, STARTING_ERROR
from mated.scores import Tally
from mated.scores.discard_order import DiscardOrder
from mated.synthetic.quality import VARIANT_1, VARIANT_2, SyntheticQualities, draw_qualities
from mated.uncertainty.streams import block_generator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from mated.quality.curve import DiscardCurve

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "STATISTICS",
    "VARIANTS",
    "OneDraw",
    "Spread",
    "Task",
    "draw_variant",
    "example_curves",
    "grid_of",
    "one_draw",
    "spread_of",
    "stability",
    "starting_errors_of",
]

VARIANTS = {1: VARIANT_1, 2: VARIANT_2}
"""Offset scales of the five algorithms, the best first."""

STATISTICS = ("span", "best", "worst", "median", "mean", "deviation", "deviation_times_count")
"""Columns of Table IV; the deviation of placements, and n times that of relative ranks."""

SURE = 0.99
"""The probability that a range over draws is meant to hold another one with."""


class Task(NamedTuple):
    """One draw of one variant; with `shared` all algorithms scale one and the same offset."""

    seed: int
    variant: int
    draw: int
    subjects: int
    shared: bool = False


@dataclass(frozen=True)
class OneDraw:
    """What is kept of one draw.

    Attributes
    ----------
    statistics
        Algorithm × statistic.
    divergence
        From the expected ranking (Eq. 2): starting error × limit.
    in_order
        Whether all five areas rise in the expected order, for each starting error and limit.
    """

    variant: int
    shared: bool
    statistics: Floats
    divergence: Floats
    in_order: NDArray[np.bool_]


class Spread(NamedTuple):
    """A number over draws."""

    draws: int
    mean: float
    deviation: float
    low: float
    high: float

    def distance(self, published: float) -> float:
        """Return how many standard deviations another draw's number lies off, given that it was rounded.

        The deviation is that of a difference between one draw and the mean of the others, σ√(1 + 1/n).
        """
        apart = max(abs(published - self.mean) - HALF_UNIT, 0.0)
        scale = self.deviation * math.sqrt(1 + 1 / self.draws)
        return apart / scale if scale > 0 else (0.0 if apart == 0 else math.inf)

    def holds(self, published: float) -> bool:
        """Tell whether the published number is one that another draw could well have given (Student's t, 99 %)."""
        from scipy.special import stdtrit

        return self.distance(published) <= float(stdtrit(self.draws - 1, (1 + SURE) / 2))


def draw_variant(task: Task) -> SyntheticQualities:
    """Draw the samples of a variant; the same for a task wherever it runs."""
    name = f"schlett2023 variant {task.variant}"
    return draw_qualities(
        VARIANTS[task.variant],
        subjects=task.subjects,
        shared_offset=task.shared,
        rng=block_generator(task.seed, name, task.draw),
    )


def starting_errors_of(score: Floats) -> StartingErrors:
    """List the starting errors of mated scores."""
    return starting_errors(Tally.from_scores(score, np.zeros(0), unit="continuous"))


def grid_of(drawn: SyntheticQualities) -> RankingGrid:
    """Rank the algorithms over the 200 configurations of section V-A."""
    score = drawn.mated_score
    orders = {name: DiscardOrder.of(score, drawn.pair_quality(name), limit=max(LIMITS)) for name in drawn.quality}
    return ranking_grid(orders, starting_errors_of(score).nearest_each(STARTING_ERRORS), LIMITS)


def example_curves(drawn: SyntheticQualities, limit: float) -> dict[str, DiscardCurve]:
    """Return the FNM-EDC of each algorithm at the starting error of the examples (Figure 12)."""
    score = drawn.mated_score
    start = starting_errors_of(score).nearest(STARTING_ERROR)
    return {
        name: error_curve(DiscardOrder.of(score, drawn.pair_quality(name), limit=limit), start)
        for name in drawn.quality
    }


def one_draw(task: Task) -> OneDraw:
    """Draw once and keep the statistics."""
    grid = grid_of(draw_variant(task))
    rows = [[getattr(row, name) for name in STATISTICS] for row in grid.statistics()]
    in_order = np.all(np.diff(grid.area, axis=0) > 0, axis=0)
    return OneDraw(task.variant, task.shared, np.array(rows), grid.divergence(VARIANTS[task.variant]), in_order)


def stability(seed: int, *, draws: int, subjects: int, jobs: int) -> Iterator[OneDraw]:
    """Draw both variants so many times, and variant 1 with a shared offset; as many results as 3 × draws."""
    tasks = [
        Task(seed, variant, draw, subjects, shared)
        for variant, shared in ((1, False), (2, False), (1, True))
        for draw in range(draws)
    ]
    yield from mapped(one_draw, tasks, jobs)


def spread_of(draws: Sequence[OneDraw], statistic: str) -> list[Spread]:
    """Return the spread of a statistic over draws, for each algorithm."""
    values = np.array([draw.statistics[:, STATISTICS.index(statistic)] for draw in draws])
    deviation = values.std(axis=0, ddof=1)
    return [
        Spread(len(values), float(column.mean()), float(sd), float(column.min()), float(column.max()))
        for column, sd in zip(values.T, deviation, strict=True)
    ]
