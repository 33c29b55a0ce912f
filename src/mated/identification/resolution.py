"""How large a gallery the data can speak of, and which prediction is the headline for a given one.

A subject's non-mated scores show false match rates down to one over their number. A mate above all of them is taken as
never beaten, which is harmless while a gallery is so small that rarer rivals hardly occur in it, and far too good once
n times that rate exceeds 1. But of what number? A subject compared with 399 rivals, 5 × 5 samples each, has 9,975
scores; those with one rival are alike, so they are worth more than 399 and fewer than 9,975 independent ones. Taken
here is the geometric mean of the two, 1,995. In fourteen experiments on seven models with known truth (100 × 10 and
400 × 5 subjects × samples) that is about where the tail model becomes better than the step estimator; the average ROC
falls behind the tail model earlier, at one to two times the number of rivals.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from mated.identification.rank_law import as_gallery_size

if TYPE_CHECKING:
    from mated.scores.probe_scores import ProbeScores

__all__ = ["Headline", "Resolution", "forecast_caution", "headline", "resolution"]

Headline = Literal["hypergeometric", "step", "tail"]
"""Unbiased from galleries drawn from the data; from each subject's own false match rates; from the tail model."""


@dataclass(frozen=True)
class Resolution:
    """What the scores of a typical subject can show.

    Attributes
    ----------
    rivals
        With how many other subjects it was compared (median over subjects).
    fewest_rivals
        The smallest such number: galleries up to one more can be drawn from the data.
    scores
        How many non-mated scores it has (median over subjects).
    """

    rivals: int
    fewest_rivals: int
    scores: int

    @property
    def largest_gallery(self) -> int:
        """The largest gallery whose false match rates are resolved: √(rivals · scores)."""
        return int(sqrt(self.rivals * self.scores))

    @property
    def smallest_fmr(self) -> float:
        """The smallest false match rate of a subject that its scores can show: 1/`largest_gallery`."""
        return 1 / self.largest_gallery

    def resolves(self, gallery_size: float) -> bool:
        """Tell whether n times the smallest false match rate is at most 1."""
        return as_gallery_size(gallery_size) <= self.largest_gallery


def resolution(probes: ProbeScores) -> Resolution:
    """Return what the scores behind a forecast resolve."""
    subjects, place = np.unique(probes.subject, return_inverse=True)
    scores = np.bincount(place, weights=probes.total.sum(axis=1))
    rivals = np.zeros(len(subjects), dtype=np.int64)
    np.maximum.at(rivals, place, probes.rivals)
    return Resolution(int(np.median(rivals)), int(rivals.min()), max(int(np.median(scores)), 1))


def headline(gallery_size: float, resolved: Resolution) -> Headline:
    """Return which prediction to lead with for a gallery of n.

    Up to one more than the fewest rivals of a subject "hypergeometric" (`hypergeometric_cmc`), unbiased; up to what is
    resolved "step" (`step_cmc`); beyond it "tail" (`tail_cmc`), where the average ROC is an upper bound.
    """
    size = as_gallery_size(gallery_size)
    if size <= resolved.fewest_rivals + 1:
        return "hypergeometric"
    return "step" if resolved.resolves(size) else "tail"


def forecast_caution(
    gallery_size: float, resolved: Resolution, *, pooled: int | None = None, beyond: float = 0.0
) -> str | None:
    """Say what a prediction for a gallery of n rests on, None where the data resolve it.

    For the tail model `pooled` is the number of non-mated scores of all probes, and `beyond` the share of mated scores
    that lie beyond the end of the fitted tail; without them the prediction is from each subject's own scores.
    """
    size = as_gallery_size(gallery_size)
    parts = []
    if not resolved.resolves(size):
        what = f"a gallery of {size:,} is larger than the scores of one subject resolve"
        limit = f"(about {resolved.largest_gallery:,})"
        if pooled is None:
            return f"{what} {limit}: this is an upper bound, and its interval is one of an upper bound"
        parts.append(
            f"{what} {limit}: the forecast pools the tails of all probes, and the average ROC is an upper bound"
        )
        if size > pooled:
            parts.append(f"it lies beyond all {pooled:,} non-mated scores and rests on how the tail goes on")
    if beyond > 0.001:
        parts.append(f"{beyond:.1%} of the mated scores lie beyond the end of the tail and count as never beaten")
    return "; ".join(parts) or None
