"""What is found of one quality algorithm and of two: areas, ranks, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mated.quality.areas import partial_area, rank_curves
from mated.quality.edc import ErrorCurve
from mated.quality.scalars import error_correlation, pearson, root_mean_square_error, sample_utility, spearman

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mated.quality.curve import DiscardCurve
    from mated.quality.pairing import PairQualities
    from mated.quality.starting_error import StartingError
    from mated.uncertainty.quality import CurveDraws

__all__ = ["AgainstRandom", "AlgorithmResult", "PairResult", "algorithm_results", "pair_results", "scalar_measures"]

AgainstRandom: TypeAlias = Literal["better", "worse", "not told apart"]
"""Where the interval of the relative area lies: below 1, above 1, or around it."""


@dataclass(frozen=True)
class AlgorithmResult:
    """One algorithm's area up to the discard limit, its rank, and intervals; None where there is none.

    Attributes
    ----------
    pauc, low, high
        The area and its interval.
    pauc_above_best, above_best_low, above_best_high
        Of an error curve: the area less that under the theoretical best.
    pauc_relative, relative_low, relative_high
        Of an error curve: where it lies between the theoretical best (0) and the constant starting error (1).
    share_of_constant
        The area over that under the starting value; None where that is not positive.
    rank, relative_rank
        1 is best; 0 best to 1 worst.
    probability_best
        Share of replicates in which no other algorithm does better, ties shared.
    probability_below_random
        Of an error curve: share of replicates in which the area is below that of the constant starting error.
    against_random
        What the interval of the relative area says.
    samples_without_quality
        Samples that were compared and have no quality; None where only pairs have one.
    constant
        Whether all comparisons have one pair quality.
    """

    algorithm: str
    pauc: float
    low: float | None
    high: float | None
    pauc_above_best: float | None
    above_best_low: float | None
    above_best_high: float | None
    pauc_relative: float | None
    relative_low: float | None
    relative_high: float | None
    share_of_constant: float | None
    rank: int
    relative_rank: float
    probability_best: float | None
    probability_below_random: float | None
    against_random: AgainstRandom | None
    samples_without_quality: int | None
    constant: bool


@dataclass(frozen=True)
class PairResult:
    """Two algorithms, the one ranked higher first.

    Attributes
    ----------
    probability
        Share of replicates in which `above` does better than `below`, ties counted half.
    difference, low, high
        The area of `above` less that of `below`, with its interval from paired draws.
    """

    above: str
    below: str
    probability: float
    difference: float
    low: float
    high: float


def algorithm_results(
    pairs: PairQualities,
    curves: Mapping[str, DiscardCurve],
    limit: float,
    draws: CurveDraws | None,
    level: float,
) -> tuple[AlgorithmResult, ...]:
    """Rank the algorithms by their areas, the best first, and give each area its interval."""
    best = draws.probability_best() if draws is not None else {}
    found = []
    for placed in rank_curves(curves, limit):
        name, curve = placed.algorithm, curves[placed.algorithm]
        under_start = curve.start * limit
        low, high = _interval(draws, name, "areas", placed.area, level)
        above = relative = share = None
        ends: list[float | None] = [None] * 4
        if isinstance(curve, ErrorCurve):
            area = partial_area(curve, limit)
            above, relative = area.above_best, area.relative
            ends = [
                *_interval(draws, name, "above_best", above, level),
                *_interval(draws, name, "relative", relative, level),
            ]
            ends = [None if end is None else max(end, 0.0) for end in ends]  # nothing is below the theoretical best
            low = None if low is None else max(low, area.best)
            if draws is not None:
                share = float((draws.relative(name) < 1).mean())
        elif curve.quantity.startswith(("FNMR", "FMR")):
            low = None if low is None else max(low, 0.0)
        found.append(
            AlgorithmResult(
                name,
                placed.area,
                low,
                high,
                above,
                ends[0],
                ends[1],
                relative,
                ends[2],
                ends[3],
                placed.area / under_start if under_start > 0 else None,
                placed.rank,
                placed.relative,
                best.get(name),
                share,
                _against_random(ends[2], ends[3]),
                None if pairs.samples_without_quality is None else pairs.samples_without_quality[name],
                name in pairs.constant,
            )
        )
    return tuple(found)


def pair_results(
    pairs: Iterable[tuple[str, str]], areas: Mapping[str, float], draws: CurveDraws, level: float
) -> tuple[PairResult, ...]:
    """Compare two algorithms each from the same draws."""
    found = []
    for one, other in pairs:
        apart = areas[one] - areas[other]
        low, high = draws.interval(draws.areas(one) - draws.areas(other), apart, level)
        found.append(PairResult(one, other, draws.probability_above(one, other), apart, low, high))
    return tuple(found)


def scalar_measures(pairs: PairQualities, starting: StartingError | None) -> dict[str, dict[str, float | None]]:
    """Return correlations of pair qualities with scores and errors, and of sample qualities with utility."""
    c, found = pairs.comparisons, {}
    both = c.mated.any() and not c.mated.all()
    utility = sample_utility(c) if both and c.samples is not None and pairs.samples is not None else None
    for algorithm, quality in pairs.values.items():
        entry: dict[str, float | None] = {}
        for key, rows in (("pearson_mated", c.mated), ("pearson_nonmated", ~c.mated)):
            entry[key] = pearson(c.score[rows], quality[rows]) if rows.any() else None
        entry["pearson_errors"] = None
        if starting is not None:
            rows = c.mated if starting.kind == "fnm" else ~c.mated
            entry["pearson_errors"] = error_correlation(quality[rows], c.score[rows], starting.inner, starting.kind)
        for key, measure in (
            ("utility_pearson", pearson),
            ("utility_spearman", spearman),
            ("utility_rmse", root_mean_square_error),
        ):
            entry[key] = None
            if utility is not None and len(utility) and pairs.samples is not None:
                entry[key] = measure(*utility.beside(pairs.samples[algorithm]))
        found[algorithm] = entry
    return found


def _interval(
    draws: CurveDraws | None,
    name: str,
    what: Literal["areas", "above_best", "relative"],
    value: float,
    level: float,
) -> tuple[float | None, float | None]:
    return (None, None) if draws is None else draws.interval(getattr(draws, what)(name), value, level)


def _against_random(low: float | None, high: float | None) -> AgainstRandom | None:
    if low is None or high is None:
        return None
    return "better" if high < 1 else "worse" if low > 1 else "not told apart"
