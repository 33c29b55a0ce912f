"""Figures of verification and identification and their uncertainty, drawn with matplotlib and without its global state.

Every `draw_` function takes `ax=None`, draws on those axes or on new ones, and returns them; it changes neither
the data nor matplotlib's settings. `save` writes a figure to files.
"""

from __future__ import annotations

from mated.plots.cmc import draw_cmc
from mated.plots.convergence import draw_convergence, draw_convergence_rate
from mated.plots.coverage import draw_coverage
from mated.plots.det import draw_det
from mated.plots.fractional_rank import draw_fractional
from mated.plots.gallery_growth import draw_gallery_growth
from mated.plots.individual import draw_individual_rocs
from mated.plots.intervals import draw_differences, draw_error_bars
from mated.plots.open_set import draw_fpir_fnir
from mated.plots.predicted import draw_empirical_against_predicted
from mated.plots.rank_kernels import draw_rank_kernels
from mated.plots.rates import draw_rates
from mated.plots.replicates import draw_replicates
from mated.plots.roc import draw_roc
from mated.plots.save import save
from mated.plots.scores import draw_scores
from mated.plots.style import new_figure

__all__ = [
    "draw_cmc",
    "draw_convergence",
    "draw_convergence_rate",
    "draw_coverage",
    "draw_det",
    "draw_differences",
    "draw_empirical_against_predicted",
    "draw_error_bars",
    "draw_fpir_fnir",
    "draw_fractional",
    "draw_gallery_growth",
    "draw_individual_rocs",
    "draw_rank_kernels",
    "draw_rates",
    "draw_replicates",
    "draw_roc",
    "draw_scores",
    "new_figure",
    "save",
]
