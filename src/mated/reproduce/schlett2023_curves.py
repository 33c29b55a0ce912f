"""Curves of Schlett et al. (2023) on synthetic data: random qualities, interpolation, the best, and other types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from mated.quality.det_by_discard import QualityPart, tallies_by_discard
from mated.quality.edc import error_curve
from mated.quality.fixed_counterpart import fixed_counterpart_curve
from mated.quality.normalisation import calibrate
from mated.quality.other_curves import d_prime_curve, mean_score_curve
from mated.quality.reference_lines import attainable_best, random_pair_spread
from mated.quality.starting_error import StartingError
from mated.reproduce.schlett2023_published import STARTING_ERROR
from mated.reproduce.schlett2023_stability import Task, draw_variant, starting_errors_of
from mated.scores import Tally
from mated.scores.discard_order import DiscardOrder
from mated.synthetic.quality import SyntheticQualities, draw_qualities
from mated.uncertainty.streams import block_generator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from mated.quality.curve import DiscardCurve, Interpolation

    Floats: TypeAlias = NDArray[np.float64]
    Pairs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]

__all__ = [
    "AREA",
    "DET_FRACTIONS",
    "FIXED_FMR",
    "LEVELS",
    "SHAPE",
    "SHOWN_LEVELS",
    "TWO_SCALES",
    "CurveTypes",
    "InterpolationStudy",
    "RandomBundle",
    "best_possible",
    "crossings",
    "curve_types",
    "interpolation_study",
    "lower_of",
    "random_bundle",
]

AREA = 0.2
"""The discard limit of areas (section I-B)."""

LEVELS = (6, 11, 21, 101)
"""Into how many levels qualities are put where interpolations are compared."""

SHOWN_LEVELS = 21
TWO_SCALES = (0.20, 0.25)
FIXED_FMR = 0.001
SHAPE = (5.0, 2.0)
"""Beta shape of the utilities of the other curve types: with the paper's uniform ones half the comparisons fail."""

DET_FRACTIONS = (0.0, 0.02, 0.05, 0.1)
_ROUNDING = 1e-12
_INTERPOLATIONS: tuple[Interpolation, Interpolation] = ("step", "linear")


def lower_of(quality: NDArray[np.float64] | NDArray[np.int64], pairs: Pairs) -> Floats:
    """Return the pair quality: the lower of the two samples'."""
    return np.minimum(quality[pairs[0]], quality[pairs[1]]).astype(np.float64)


# -- random qualities (Figure 4) -----------------------------------------------------------------------


@dataclass(frozen=True)
class RandomBundle:
    """Curves of random sample qualities, read on a grid of discard fractions: curve × fraction."""

    comparisons: int
    starting_error: float
    discard: Floats
    rates: Floats
    pair_spread: Floats

    @property
    def mean(self) -> Floats:
        """The mean curve."""
        return np.asarray(self.rates.mean(axis=0))

    @property
    def standard_error(self) -> Floats:
        """Standard error of the mean curve."""
        return np.asarray(self.rates.std(axis=0, ddof=1) / np.sqrt(len(self.rates)))


def random_bundle(seed: int, *, subjects: int, curves: int, until: float = 0.9) -> RandomBundle:
    """Discard the data of variant 1 by random sample qualities, as often as Figure 4 (100 times) or otherwise."""
    drawn = draw_variant(Task(seed, 1, 0, subjects))
    score, pairs = drawn.mated_score, drawn.mated_pairs
    start = starting_errors_of(score).nearest(STARTING_ERROR)
    grid = np.linspace(0.0, until, round(100 * until) + 1)
    rates = np.empty((curves, len(grid)))
    for number, row in enumerate(rates):
        quality = block_generator(seed, "schlett2023 random", number).random(len(drawn.utility))
        order = DiscardOrder.of(score, lower_of(quality, pairs), limit=until)
        row[:] = error_curve(order, start)(grid)
    return RandomBundle(len(score), start.value, grid, rates, np.asarray(random_pair_spread(start, grid)[1]))


# -- stepwise and linear (Figure 5) ----------------------------------------------------------------------


@dataclass(frozen=True)
class InterpolationStudy:
    """What the interpolation decides between two algorithms.

    Attributes
    ----------
    share
        By number of quality levels, the share of draws in which the order of the two areas depends on it.
    ratio
        By number of levels, the stepwise area over the linear one, of both algorithms, mean over draws.
    stepwise, linear
        The curves of the draw that is shown: the first in which the order depends on it.
    """

    draws: int
    subjects: int
    share: Mapping[int, float]
    ratio: Mapping[int, float]
    shown_draw: int
    stepwise: Mapping[str, DiscardCurve]
    linear: Mapping[str, DiscardCurve]


def interpolation_study(seed: int, *, draws: int, subjects: int = 300) -> InterpolationStudy:
    """Rank two algorithms by stepwise and by linear areas, with qualities in few and in many levels."""
    share, ratio, shown = {}, {}, None
    for levels in LEVELS:
        decided, quotients = 0, []
        for draw in range(draws):
            curves = _in_levels(seed, draw, subjects, levels)
            areas = np.array([[curve.area(AREA) for curve in of.values()] for of in curves])
            quotients.append(areas[0].sum() / areas[1].sum())
            if (areas[0, 0] < areas[0, 1]) != (areas[1, 0] < areas[1, 1]):
                decided += 1
                if levels == SHOWN_LEVELS and shown is None:
                    shown = draw, curves
        share[levels], ratio[levels] = decided / draws, float(np.mean(quotients))
    if shown is None:  # of few draws it may be none
        shown = 0, _in_levels(seed, 0, subjects, SHOWN_LEVELS)
    return InterpolationStudy(draws, subjects, share, ratio, shown[0], shown[1][0], shown[1][1])


def _in_levels(seed: int, draw: int, subjects: int, levels: int) -> list[dict[str, DiscardCurve]]:
    """Return the stepwise curves by algorithm, and the linear ones."""
    generator = block_generator(seed, "schlett2023 interpolation", draw)
    drawn = draw_qualities(TWO_SCALES, subjects=subjects, rng=generator)
    score, pairs = drawn.mated_score, drawn.mated_pairs
    start = starting_errors_of(score).nearest(STARTING_ERROR)
    curves: list[dict[str, DiscardCurve]] = [{}, {}]
    for name, quality in drawn.quality.items():
        order = DiscardOrder.of(score, lower_of(calibrate(quality, levels=levels)(quality), pairs))
        for of, how in zip(curves, _INTERPOLATIONS, strict=True):
            of[name] = error_curve(order, start, interpolation=how)
    return curves


def crossings(one: DiscardCurve, other: DiscardCurve, high: float) -> list[tuple[float, float]]:
    """Return where two curves of one interpolation cross, up to a discard fraction.

    Steps cross at a discard fraction at which one of them falls past the other; the height is the middle of what both
    pass there. Where curves lie on each other for a while it is the beginning of that.
    """
    edges = np.union1d(one.discard, other.discard)
    edges = np.append(edges[edges < high], high)
    a, b = np.asarray(one(edges)), np.asarray(other(edges))
    apart = a - b
    known = np.flatnonzero(np.abs(apart) > _ROUNDING)
    found = []
    for i, k in zip(known[:-1].tolist(), known[1:].tolist(), strict=True):
        if apart[i] * apart[k] > 0:
            continue
        if k > i + 1:
            found.append((float(edges[i + 1]), float(a[i + 1])))
        elif one.interpolation == "step":
            passed = [np.sort(values[[i, k]]) for values in (a, b)]
            height = (max(passed[0][0], passed[1][0]) + min(passed[0][1], passed[1][1])) / 2
            found.append((float(edges[k]), float(height)))
        else:
            part = abs(apart[i]) / (abs(apart[i]) + abs(apart[k]))
            found.append((float(edges[i] + part * (edges[k] - edges[i])), float(a[i] + part * (a[k] - a[i]))))
    return found


# -- the best possible (Figure 6) --------------------------------------------------------------------------


def best_possible(errors: int, comparisons: int) -> dict[str, DiscardCurve]:
    """Return the lowest curves that can be reached, one comparison a step: with discarded comparisons and without."""
    start = StartingError("fnm", None, errors, comparisons, 0.0, 0.0)
    return {
        "with discarded": attainable_best(start, among="all"),
        "without discarded": attainable_best(start, among="kept"),
    }


# -- other types of curves (Figures 14 to 16) ------------------------------------------------------------


class CurveTypes(NamedTuple):
    """Curves of every type by the name of the type and of the algorithm, and DETs of one algorithm."""

    curves: Mapping[str, Mapping[str, DiscardCurve]]
    det_algorithm: str
    det: tuple[QualityPart, ...]


def curve_types(seed: int, *, subjects: int) -> CurveTypes:
    """Draw mated and as many non-mated comparisons, and follow FNMR, mean score, d′ and FNMR at a fixed FMR."""
    drawn = _both_classes(seed, subjects)
    pairs = tuple(np.concatenate(sides) for sides in zip(drawn.mated_pairs, drawn.nonmated_pairs, strict=True))
    score = np.concatenate([drawn.mated_score, drawn.nonmated_score])
    mated = np.arange(len(score)) < len(drawn.mated_score)
    start = starting_errors_of(drawn.mated_score).nearest(STARTING_ERROR)
    curves: dict[str, dict[str, DiscardCurve]] = {"FNM-EDC": {}, "CS-DC": {}, "d′-DC": {}, "FC-EDC": {}}
    for name, quality in drawn.quality.items():
        alone = DiscardOrder.of(drawn.mated_score, drawn.pair_quality(name), limit=AREA)
        both = DiscardOrder.of(score, lower_of(quality, (pairs[0], pairs[1])), mated=mated, limit=AREA)
        curves["FNM-EDC"][name] = error_curve(alone, start)
        curves["CS-DC"][name] = mean_score_curve(alone)
        curves["d′-DC"][name] = d_prime_curve(both)
        curves["FC-EDC"][name] = fixed_counterpart_curve(both, FIXED_FMR)
    last = list(drawn.quality)[-1]
    whole = DiscardOrder.of(score, lower_of(drawn.quality[last], (pairs[0], pairs[1])), mated=mated)
    tally = Tally.from_scores(score[mated], score[~mated], unit="continuous")
    return CurveTypes(curves, last, tallies_by_discard(whole, tally, DET_FRACTIONS))


def _both_classes(seed: int, subjects: int) -> SyntheticQualities:
    generator = block_generator(seed, "schlett2023 other curves", 0)
    return draw_qualities(subjects=subjects, nonmated=10 * subjects, shape=SHAPE, rng=generator)
