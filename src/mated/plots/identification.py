"""The figures of identification: which curves, intervals and points go into each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.plots.cmc import draw_cmc
from mated.plots.gallery_growth import draw_gallery_growth
from mated.plots.open_set import draw_fpir_fnir
from mated.plots.save import save_axes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from mated.evaluation import Identification
    from mated.evaluation.prediction import Prediction

__all__ = ["FIGURES", "draw", "draw_prediction", "save_figures"]

FIGURES = ("cmc", "open-set")


def draw(members: Mapping[str, Identification], figure: str, *, ax: Axes | None = None) -> Axes:
    """Draw one figure of all members: "cmc", or "open-set" for FNIR against FPIR."""
    if figure == "cmc":
        curves = {name: (np.arange(1, len(m.cmc) + 1), m.cmc.rate) for name, m in members.items()}
        ends = {name: _intervals(m) for name, m in members.items()}
        return draw_cmc(curves, ax=ax, intervals=ends, level=next(iter(members.values())).level)
    if figure == "open-set":
        marks = {
            name: [(m.at_fpir(f).point.fpir, m.at_fpir(f).point.fnir) for f in m.fpir_targets]
            for name, m in members.items()
        }
        return draw_fpir_fnir(
            {name: (m.open_set.fpir, m.open_set.fnir) for name, m in members.items()}, ax=ax, marks=marks
        )
    raise MatedError(f"there is no figure {figure!r}; the figures are: {', '.join(FIGURES)}")


def draw_prediction(
    prediction: Prediction,
    *,
    ax: Axes | None = None,
    measured: Sequence[tuple[float, float, float, float]] = (),
) -> Axes:
    """Draw the rate of the lowest rank predicted against the size of the gallery.

    The band is that of the prediction; the average ROC stands beside it where people are known.
    """
    made = prediction.galleries
    sizes = np.array([g.gallery_size for g in made], dtype=np.float64)
    curves = {"prediction": np.array([g.rate[0] for g in made])}
    bands = {}
    if all(g.low is not None for g in made):
        ends = [[(g.low or ())[0] for g in made], [(g.high or ())[0] for g in made]]
        bands["prediction"] = (np.array(ends[0]), np.array(ends[1]))
    upper = []
    if all("average" in g.beside or g.method == "average" for g in made):
        curves["average ROC"] = np.array([g.beside["average"][0] if "average" in g.beside else g.rate[0] for g in made])
        upper = ["average ROC"]
    resolved = None if prediction.resolution is None else float(prediction.resolution.largest_gallery)
    return draw_gallery_growth(
        sizes,
        curves,
        bands,
        ax=ax,
        measured=measured,
        resolved_up_to=resolved,
        upper_bounds=upper,
        rank=made[0].ranks[0],
        level=prediction.level,
    )


def save_figures(
    members: Mapping[str, Identification], directory: Path, formats: Sequence[str] = ("svg",)
) -> list[Path]:
    """Write the CMC, and FNIR against FPIR where there are open-set searches, into a folder."""
    written = save_axes(draw(members, "cmc"), directory, "cmc", formats)
    searched = {name: m for name, m in members.items() if m.fpir_targets}
    if searched:
        written += save_axes(draw(searched, "open-set"), directory, "open_set", formats)
    return written


def _intervals(member: Identification) -> tuple[list[int], list[float], list[float]]:
    estimates = [member.at_rank(rank) for rank in member.ranks_asked]
    return list(member.ranks_asked), [e.low for e in estimates], [e.high for e in estimates]
