"""Quality: how well a quality algorithm tells which comparisons will go wrong."""

from __future__ import annotations

from mated.quality.area_grid import area_grid
from mated.quality.areas import (
    PartialArea,
    Placement,
    discrete_ranking,
    partial_area,
    rank_curves,
    relative_ranking,
)
from mated.quality.curve import DiscardCurve, area_between
from mated.quality.det_by_discard import QualityPart, tallies_by_discard
from mated.quality.edc import ErrorCurve, error_curve
from mated.quality.fixed_counterpart import fixed_counterpart_curve
from mated.quality.normalisation import Calibration, calibrate, curve_divergence
from mated.quality.other_curves import d_prime_curve, mean_score_curve
from mated.quality.pairing import PairQualities, SampleQualities, pair_qualities
from mated.quality.reference_lines import (
    RandomCurves,
    area_under_theoretical_best,
    attainable_best,
    constant_line,
    random_pair_spread,
    random_sample_curves,
    theoretical_best,
)
from mated.quality.scalars import (
    SampleUtility,
    error_correlation,
    pearson,
    root_mean_square_error,
    sample_utility,
    spearman,
)
from mated.quality.stability import PlacementStatistics, RankingGrid, ranking_grid
from mated.quality.starting_error import StartingError, StartingErrors, starting_errors

__all__ = [
    "Calibration",
    "DiscardCurve",
    "ErrorCurve",
    "PairQualities",
    "PartialArea",
    "Placement",
    "PlacementStatistics",
    "QualityPart",
    "RandomCurves",
    "RankingGrid",
    "SampleQualities",
    "SampleUtility",
    "StartingError",
    "StartingErrors",
    "area_between",
    "area_grid",
    "area_under_theoretical_best",
    "attainable_best",
    "calibrate",
    "constant_line",
    "curve_divergence",
    "d_prime_curve",
    "discrete_ranking",
    "error_correlation",
    "error_curve",
    "fixed_counterpart_curve",
    "mean_score_curve",
    "pair_qualities",
    "partial_area",
    "pearson",
    "random_pair_spread",
    "random_sample_curves",
    "rank_curves",
    "ranking_grid",
    "relative_ranking",
    "root_mean_square_error",
    "sample_utility",
    "spearman",
    "starting_errors",
    "tallies_by_discard",
    "theoretical_best",
]
