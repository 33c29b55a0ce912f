"""The nonparametric two-sample bootstrap of Wu (2008), section 3.4, without resampling comparisons.

The method draws N_G mated and N_I non-mated scores with replacement, independently, B times, and reads the statistic
off each resample. Here the statistic's replicates are drawn from their exact law, straight from the tally: about
log K steps for each, K the number of distinct scores, whatever the number of comparisons.

Each function draws B replicates for itself, from streams that depend on the seed and the statistic; replicates of two
functions do not belong to the same resamples.
"""

from __future__ import annotations

from mated.uncertainty.independent_eer import draw_eer
from mated.uncertainty.independent_rates import AUC_SCORES, draw_at_fmr, draw_at_threshold, draw_at_tmr, draw_auc

__all__ = [
    "AUC_SCORES",
    "draw_at_fmr",
    "draw_at_threshold",
    "draw_at_tmr",
    "draw_auc",
    "draw_eer",
]
