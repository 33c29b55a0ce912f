"""The figures of a verification: which curves, points and thresholds go into each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.plots.det import draw_det
from mated.plots.individual import draw_individual_rocs
from mated.plots.rates import draw_rates
from mated.plots.roc import draw_roc
from mated.plots.save import save_axes
from mated.plots.scores import draw_scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from mated.evaluation import Bootstrap, Comparison, Verification, Verifications
    from mated.uncertainty.bands import Band

__all__ = ["FIGURES", "draw", "file_endings", "save_comparison", "save_figures"]

FIGURES = ("roc", "roc-log", "det", "scores", "rates", "individual")
_SHARED = ("roc", "roc-log", "det")
_MOST_SINGLE = 20


def draw(
    members: Verifications, figure: str, *, ax: Axes | None = None, bootstraps: Mapping[str, Bootstrap] | None = None
) -> Axes:
    """Draw one figure; the ROC and DET hold all members, the others show a single one.

    With bootstraps the ROC and DET have pointwise bands.
    """
    if figure not in FIGURES:
        raise MatedError(f"there is no figure {figure!r}; the figures are: {', '.join(FIGURES)}")
    if figure == "det":
        equal = {name: [(v.eer().value, v.eer().value)] for name, v in members.items()}
        curves = {name: v.det for name, v in members.items()}
        return draw_det(curves, ax=ax, marks=equal, bands=_bands(bootstraps))
    if figure in _SHARED:
        marks = {name: [(f, v.at_fmr(f).tmr) for f in v.fmr_targets] for name, v in members.items()}
        rocs = {name: v.roc for name, v in members.items()}
        log = figure == "roc-log"
        return draw_roc(rocs, ax=ax, log=log, marks=marks if log else None, bands=_bands(bootstraps))
    v = members.only()
    if figure == "scores":
        return draw_scores(v.tally, ax=ax, thresholds=_thresholds(v), title=v.name)
    if figure == "rates":
        return draw_rates(v.tally, ax=ax, thresholds=_thresholds(v))
    return draw_individual_rocs(v.individual_rocs, v.average_roc, v.roc, ax=ax)


def save_figures(
    members: Verifications,
    directory: Path,
    formats: Sequence[str] = ("svg",),
    *,
    individual: bool = False,
    bootstraps: Mapping[str, Bootstrap] | None = None,
) -> list[Path]:
    """Write every figure of every member into a folder and return the files.

    Of more than twenty members only the shared figures are drawn.
    """
    written: list[Path] = []
    for figure in _SHARED:
        written += _save(members, figure, directory, figure.replace("-", "_"), formats, bootstraps)
    if len(members) > _MOST_SINGLE:
        return written
    suffixes = [""] if len(members) == 1 else file_endings(list(members))
    for (name, v), suffix in zip(members.items(), suffixes, strict=True):
        alone = type(members)({name: v})
        for figure in ("scores", "rates", *(["individual"] if individual else [])):
            written += _save(alone, figure, directory, figure + suffix, formats)
    return written


def save_comparison(comparison: Comparison, directory: Path, formats: Sequence[str] = ("svg",)) -> list[Path]:
    """Write the figure of differences between systems."""
    return save_axes(comparison.plot(), directory, "differences", formats)


def _save(
    members: Verifications,
    figure: str,
    directory: Path,
    name: str,
    formats: Sequence[str],
    bootstraps: Mapping[str, Bootstrap] | None = None,
) -> list[Path]:
    # Each figure is its own, as it may widen for a legend at the side.
    return save_axes(draw(members, figure, bootstraps=bootstraps), directory, name, formats)


def _bands(bootstraps: Mapping[str, Bootstrap] | None) -> dict[str, Band] | None:
    return {name: b.band() for name, b in bootstraps.items()} if bootstraps else None


def _thresholds(v: Verification) -> dict[str, float]:
    """Return the thresholds to mark: those asked for, else the EER's."""
    if v.points.threshold:
        return {f"threshold {t:g}": t for t in v.points.threshold}
    return {"EER": v.eer().threshold}


def file_endings(names: list[str]) -> list[str]:
    """Make a file name's ending of each name, numbered where two would be the same."""
    plain = [re.sub(r"[^\w.-]+", "_", name).strip("._").casefold() or "system" for name in names]
    return [f"_{p}" if plain.count(p) == 1 else f"_{p}_{plain[:k].count(p) + 1}" for k, p in enumerate(plain)]
