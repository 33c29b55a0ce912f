"""Figures of verification, identification and quality, drawn with matplotlib and without its global state.

Every `draw_` function takes `ax=None`, draws on those axes or on new ones, and returns them; it changes neither
the data nor matplotlib's settings. `save` writes a figure to files.
"""

from __future__ import annotations

from mated.plots.cmc import draw_cmc
from mated.plots.convergence import draw_convergence, draw_convergence_rate
from mated.plots.coverage import draw_coverage
from mated.plots.curve_pairs import draw_curve_pairs
from mated.plots.det import draw_det
from mated.plots.det_by_discard import draw_det_by_discard
from mated.plots.discard_curves import draw_discard_curves
from mated.plots.edc import draw_edc
from mated.plots.fractional_rank import draw_fractional
from mated.plots.gallery_growth import draw_gallery_growth
from mated.plots.individual import draw_individual_rocs
from mated.plots.intervals import draw_differences, draw_error_bars
from mated.plots.open_set import draw_fpir_fnir
from mated.plots.predicted import draw_empirical_against_predicted
from mated.plots.quality_normalisation import draw_calibration
from mated.plots.quality_stability import draw_placements, draw_ranking_divergence, draw_ranking_map
from mated.plots.random_bundle import draw_random_bundle
from mated.plots.rank_kernels import draw_rank_kernels
from mated.plots.ranks_above import draw_ranks_above
from mated.plots.rates import draw_rates
from mated.plots.replicates import draw_replicates
from mated.plots.roc import draw_roc
from mated.plots.save import save
from mated.plots.scores import draw_scores
from mated.plots.style import new_figure

__all__ = [
    "draw_calibration",
    "draw_cmc",
    "draw_convergence",
    "draw_convergence_rate",
    "draw_coverage",
    "draw_curve_pairs",
    "draw_det",
    "draw_det_by_discard",
    "draw_differences",
    "draw_discard_curves",
    "draw_edc",
    "draw_empirical_against_predicted",
    "draw_error_bars",
    "draw_fpir_fnir",
    "draw_fractional",
    "draw_gallery_growth",
    "draw_individual_rocs",
    "draw_placements",
    "draw_random_bundle",
    "draw_rank_kernels",
    "draw_ranking_divergence",
    "draw_ranking_map",
    "draw_ranks_above",
    "draw_rates",
    "draw_replicates",
    "draw_roc",
    "draw_scores",
    "new_figure",
    "save",
]
