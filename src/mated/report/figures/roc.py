"""The ROC on a logarithmic axis of the false match rate, with bands, and a marker that follows the explorer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.plots.roc import log_fmr_start, on_log_axis, round_start
from mated.report.figures.style import (
    FigureSpec,
    Key,
    axis,
    band,
    color_of,
    dash_of,
    figure,
    follower,
    line,
    markers,
    percent_ticks,
    several_labels,
    unit_share,
)
from mated.report.numbers_in_words import level_words, one_in, percent
from mated.report.thinning import thin_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mated.evaluation import Bootstrap, Verification

__all__ = ["RocAxes", "roc_figure"]

_HOVER = "FMR %{x:.3~r} %<br>TMR %{y:.4~r} %"


class RocAxes:
    """Where a rate stands in the figure: in percent, a false match rate of zero at the left edge."""

    def __init__(self, systems: Mapping[str, Verification]) -> None:
        self.start = log_fmr_start(v.roc.fmr for v in systems.values())
        lowest = min(float(v.roc(self.start)) for v in systems.values())
        self.bottom = round_start(min(lowest, 1.0))

    def place(self, fmr: float, tmr: float) -> tuple[float, float]:
        """Return where an operating point is marked: at the edge where the axes do not hold it."""
        return 100 * max(fmr, self.start), 100 * max(tmr, self.bottom)


def roc_figure(systems: Mapping[str, Verification], bootstraps: Mapping[str, Bootstrap], axes: RocAxes) -> FigureSpec:
    """Draw the ROC of every system; the marks are its operating points."""
    names = dict(zip(systems, several_labels(systems), strict=True))
    data: list[dict[str, Any]] = []
    keys: list[Key] = []
    error = 0.0
    for index, b in enumerate(bootstraps.get(name) for name in systems):
        if b is None:
            continue
        ends = b.band()
        inside = ends.fmr >= axes.start
        low, high = (np.maximum(end[inside], axes.bottom) for end in (ends.low, ends.high))
        data.append(band(100 * ends.fmr[inside], 100 * low, 100 * high, color_of(index)))
    for index, (name, v) in enumerate(systems.items()):
        fmr, tmr = on_log_axis(v.roc.fmr, v.roc.tmr, v.roc, axes.start)
        targets = np.array([f for f in v.fmr_targets if f >= axes.start])
        at = np.searchsorted(fmr, targets)
        fmr, tmr = np.insert(fmr, at, targets), np.insert(tmr, at, [v.at_fmr(f).tmr for f in targets.tolist()])
        marked = np.searchsorted(fmr, targets)
        placed = unit_share(np.log10(fmr), np.log10(axes.start), 0.0), unit_share(tmr, axes.bottom, 1.0)
        drawn = thin_line(fmr, tmr, placed, keep=marked.tolist())
        error = max(error, drawn.error)
        data.append(line(100 * drawn.x, 100 * drawn.y, index, names[name], _HOVER))
        keys.append(Key(name, color_of(index), dash=dash_of(index)))
    for index, (name, v) in enumerate(systems.items()):
        points = np.array([axes.place(f, v.at_fmr(f).tmr) for f in v.fmr_targets])
        data.append(markers(points[:, 0], points[:, 1], color_of(index), _HOVER, name=names[name]))
        data[-1]["marker"]["size"] = 7
    if bootstraps:
        level = next(iter(bootstraps.values())).level
        keys.append(Key(f"{level_words(level)} interval", "~c0", "band"))
    data += [follower(color_of(k), names[n], follows=k, figure="roc") for k, n in enumerate(systems)]
    x = axis("False match rate (FMR)", **percent_ticks(100 * axes.start, 100))
    y = axis("True match rate (TMR)", range=[100 * axes.bottom, 100.4], ticksuffix="\u00a0%", nticks=7)
    return FigureSpec(
        data,
        figure(data, x, y),
        "ROC: matches of the same person against matches of different people",
        _summary(systems),
        "Higher is better. Each curve runs through all thresholds; dots are the operating points of the table.",
        tuple(keys),
        error,
    )


def _summary(systems: Mapping[str, Verification]) -> str:
    said = []
    for name, v in systems.items():
        f = min(v.fmr_targets)
        said.append(f"{name}: true match rate {percent(v.at_fmr(f).tmr)} at {one_in(f)}")
    return "ROC curves. " + "; ".join(said) + "."
