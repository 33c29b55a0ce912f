"""The figures of a verification: which curves, points and thresholds go into each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.plots.det import draw_det
from mated.plots.individual import draw_individual_rocs
from mated.plots.rates import draw_rates
from mated.plots.roc import draw_roc
from mated.plots.save import save
from mated.plots.scores import draw_scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from mated.evaluation import Bootstrap, Verification, Verifications
    from mated.uncertainty.bands import Band

__all__ = ["FIGURES", "draw", "save_figures"]

FIGURES = ("roc", "roc-log", "det", "scores", "rates", "individual")
_SHARED = ("roc", "roc-log", "det")


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
    """Write every figure of every member into a folder and return the files."""
    written: list[Path] = []
    for figure in _SHARED:
        written += _save(members, figure, directory, figure.replace("-", "_"), formats, bootstraps)
    for name, v in members.items():
        alone = type(members)({name: v})
        suffix = "" if len(members) == 1 else f"_{_file_name(name)}"
        for figure in ("scores", "rates", *(["individual"] if individual else [])):
            written += _save(alone, figure, directory, figure + suffix, formats)
    return written


def _save(
    members: Verifications,
    figure: str,
    directory: Path,
    name: str,
    formats: Sequence[str],
    bootstraps: Mapping[str, Bootstrap] | None = None,
) -> list[Path]:
    axes = draw(members, figure, bootstraps=bootstraps)  # its own figure, which may widen for a legend at the side
    canvas = axes.get_figure(root=True)
    assert canvas is not None
    return save(canvas, directory, name, formats=formats)


def _bands(bootstraps: Mapping[str, Bootstrap] | None) -> dict[str, Band] | None:
    return {name: b.band() for name, b in bootstraps.items()} if bootstraps else None


def _thresholds(v: Verification) -> dict[str, float]:
    """Return the thresholds to mark: those asked for, else the EER's."""
    if v.points.threshold:
        return {f"threshold {t:g}": t for t in v.points.threshold}
    return {"EER": v.eer().threshold}


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name).strip("._") or "system"
