"""The figures of a quality evaluation: which curves, bands and tables go into each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.plots.det_by_discard import draw_det_by_discard
from mated.plots.discard_curves import draw_discard_curves
from mated.plots.edc import draw_edc
from mated.plots.quality_stability import draw_placements, draw_ranking_divergence
from mated.plots.ranks_above import draw_ranks_above
from mated.plots.save import save_axes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from mated.evaluation.quality_evaluation import QualityEvaluation
    from mated.plots.plain_curves import Interval

__all__ = ["FIGURES", "draw", "save_figures"]

FIGURES = ("curves", "full", "ranks above", "stability", "placements", "det")

_MOST_BANDS = 4
"""Algorithms up to which each curve has its band; with more only the best, since bands hide each other."""


def draw(
    evaluation: QualityEvaluation, figure: str | None = None, *, algorithm: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw one figure; None for the curves, or for the DET curves where these were asked for.

    `algorithm` says whose DET curves are drawn, None for the first.
    """
    e, limit = evaluation, evaluation.settings.limit
    asked = figure or ("det" if e.settings.type == "det" else "curves")
    if asked == "det":
        return draw_det_by_discard(e.parts[algorithm or e.algorithms[0]], ax=ax)
    if asked in ("curves", "full"):
        curves = e.curves if asked == "curves" else e.full_curves
        curves = {name: curves[name] for name in e.ranking}
        bands = _bands(e)
        right = limit if asked == "curves" else None
        if not e.settings.of_errors:
            return draw_discard_curves(curves, ax=ax, limit=right, area=(0.0, limit), bands=bands, level=e.level)
        return draw_edc(curves, ax=ax, limit=right, area=(0.0, limit), bands=bands, level=e.level)
    if asked == "ranks above":
        draws = e.draws
        table = [[draws.probability_above(one, other) for other in e.ranking] for one in e.ranking]
        return draw_ranks_above(e.ranking, np.array(table), ax=ax)
    if asked == "stability":
        return draw_ranking_divergence(e.stability(), ax=ax)
    if asked == "placements":
        return draw_placements(e.stability(), ax=ax)
    raise MatedError(f"there is no figure {asked!r}; the figures are: {', '.join(FIGURES)}")


def save_figures(evaluation: QualityEvaluation, directory: Path, formats: Sequence[str] = ("svg",)) -> list[Path]:
    """Write the figures that the evaluation has numbers for into a folder."""
    e, several = evaluation, len(evaluation.algorithms) > 1
    written: list[Path] = []
    if e.settings.type == "det":
        for number, name in enumerate(e.algorithms, start=1):
            written += save_axes(draw(e, "det", algorithm=name), directory, f"quality_det_{number}", formats)
        return written
    written += save_axes(draw(e, "curves"), directory, "quality_curves", formats)
    written += save_axes(draw(e, "full"), directory, "quality_curves_full", formats)
    if several and e.replicates:
        written += save_axes(draw(e, "ranks above"), directory, "quality_ranks_above", formats)
    if several and e.settings.stability:
        written += save_axes(draw(e, "stability"), directory, "quality_stability", formats)
        written += save_axes(draw(e, "placements"), directory, "quality_placements", formats)
    return written


def _bands(evaluation: QualityEvaluation) -> dict[str, Interval] | None:
    if not evaluation.replicates:
        return None
    ranked = evaluation.ranking
    shown = ranked if len(ranked) <= _MOST_BANDS else ranked[:1]
    found = {name: evaluation.band(name) for name in shown}
    return {name: (band.discard, band.low, band.high) for name, band in found.items()}
