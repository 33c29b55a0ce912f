"""Figures of verification results and their uncertainty, drawn with matplotlib and without its global state.

Every `draw_` function takes `ax=None`, draws on those axes or on new ones, and returns them; it changes neither
the data nor matplotlib's settings. `save` writes a figure to files.
"""

from __future__ import annotations

from mated.plots.coverage import draw_coverage
from mated.plots.det import draw_det
from mated.plots.individual import draw_individual_rocs
from mated.plots.intervals import draw_differences, draw_error_bars
from mated.plots.rates import draw_rates
from mated.plots.replicates import draw_replicates
from mated.plots.roc import draw_roc
from mated.plots.save import save
from mated.plots.scores import draw_scores
from mated.plots.style import new_figure

__all__ = [
    "draw_coverage",
    "draw_det",
    "draw_differences",
    "draw_error_bars",
    "draw_individual_rocs",
    "draw_rates",
    "draw_replicates",
    "draw_roc",
    "draw_scores",
    "new_figure",
    "save",
]
