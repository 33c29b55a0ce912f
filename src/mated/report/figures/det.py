"""The DET: both error rates against each other on normal-deviate axes, with a marker that follows the explorer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.plots.normal_deviate import (
    NormalDeviateLocator,
    NormalDeviateScale,
    deviate,
    rate_at,
)
from mated.plots.roc import log_fmr_start, on_log_axis
from mated.plots.written_numbers import write_percentage
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
    several_labels,
    unit_share,
)
from mated.report.numbers_in_words import level_words, percent
from mated.report.thinning import thin_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from mated.evaluation import Bootstrap, Verification

    Floats = NDArray[np.float64]

__all__ = ["DetAxes", "det_figure"]

_STRIP = 0.075  # of the axis, for rates of zero, which the scale cannot hold
_BEYOND = 1 - 1e-6  # curves run on beyond the frame
_HOVER = "FMR %{customdata[0]:.3~r} %<br>FNMR %{customdata[1]:.3~r} %"


class _RateAxis:
    """One normal-deviate axis: from below the smallest positive rate up, and a strip for zero where there is one."""

    def __init__(self, smallest: float, highest: float, zero: bool) -> None:
        self.low, self.high, self.zero = min(0.8 * smallest, highest / 20), highest, zero
        bottom, top = float(deviate(self.low)), float(deviate(highest))
        strip = _STRIP * (top - bottom) if zero else 0.0
        self.range = (bottom - strip, top)
        self.strip = (bottom - strip, bottom)
        self._zero_at = float(rate_at(bottom - strip / 2)) if zero else self.low
        self._scale = NormalDeviateScale(self._zero_at if zero else None, ticks_from=self.low)

    def place(self, rates: ArrayLike, highest: float | None = None) -> Floats:
        """Return where rates stand; those beyond the axis at its end, or up to another rate."""
        given = np.asarray(rates, dtype=np.float64)
        shown = np.where(given > 0, np.clip(given, self.low, highest or self.high), self._zero_at)
        return deviate(shown)

    def layout(self, title: str) -> dict[str, Any]:
        """Return the axis with its ticks at round rates."""
        transform = self._scale.get_transform()
        locator = NormalDeviateLocator(transform, shows_zero=self.zero, ticks_from=self.low)
        ticks = list(locator.tick_values(float(rate_at(self.range[0])), self.high))
        return axis(
            title,
            tickmode="array",
            tickvals=[float(f"{v:.8g}") for v in self.place(ticks)],
            ticktext=[write_percentage(tick).replace(" ", "\u00a0") if tick else "0" for tick in ticks],
            range=list(self.range),
        )


class DetAxes:
    """Where both error rates stand in the figure."""

    def __init__(self, systems: Mapping[str, Verification]) -> None:
        rocs = [v.roc for v in systems.values()]
        crossing = max(float(np.maximum(r.fmr, 1 - r.tmr).min()) for r in rocs)
        cap = 0.5 if crossing < 0.35 else 0.9 if crossing < 0.8 else 0.99
        self.start = log_fmr_start(r.fmr for r in rocs)
        fnmrs = [1 - r.tmr for r in rocs]
        self.x = _RateAxis(_smallest([r.fmr for r in rocs]), cap, zero=True)
        self.y = _RateAxis(_smallest(fnmrs), cap, zero=any(bool((m <= 0).any()) for m in fnmrs))

    def place(self, fmr: float, fnmr: float) -> tuple[float, float]:
        """Return where an operating point is marked."""
        return float(self.x.place(fmr)), float(self.y.place(fnmr))


def det_figure(systems: Mapping[str, Verification], bootstraps: Mapping[str, Bootstrap], axes: DetAxes) -> FigureSpec:
    """Draw the DET of every system: FNMR = 1 − TMR of its ROC, joined as the ROC is."""
    names = dict(zip(systems, several_labels(systems), strict=True))
    data: list[dict[str, Any]] = []
    keys: list[Key] = []
    error = 0.0
    for index, b in enumerate(bootstraps.get(name) for name in systems):
        if b is not None:
            ends = b.band()
            inside = ends.fmr >= axes.x.low
            low, high = (
                axes.y.place(np.maximum(1 - end[inside], axes.y.low), _BEYOND) for end in (ends.high, ends.low)
            )
            data.append(band(axes.x.place(ends.fmr[inside], _BEYOND), low, high, color_of(index)))
    for index, (name, v) in enumerate(systems.items()):
        fmr, fnmr, marked = _curve(v, axes)
        x, y = axes.x.place(fmr, _BEYOND), axes.y.place(fnmr, _BEYOND)
        placed = unit_share(x, *axes.x.range), unit_share(y, *axes.y.range)
        drawn = thin_line(np.arange(len(fmr), dtype=np.float64), y, placed, keep=marked)
        error = max(error, drawn.error)
        kept = drawn.x.astype(np.intp)
        data.append(line(x[kept], y[kept], index, names[name], _HOVER, custom=(100 * fmr[kept], 100 * fnmr[kept])))
        keys.append(Key(name, color_of(index), dash=dash_of(index)))
    if bootstraps:
        keys.append(Key(f"{level_words(next(iter(bootstraps.values())).level)} interval", "~c0", "band"))
    data.append(_diagonal(axes))
    for index, (name, v) in enumerate(systems.items()):
        rates = [(f, v.at_fmr(f).fnmr) for f in v.fmr_targets]
        points = np.array([axes.place(*pair) for pair in rates])
        dots = markers(points[:, 0], points[:, 1], color_of(index), _HOVER, name=names[name])
        dots["customdata"] = [[float(f"{100 * rate:.4g}") for rate in pair] for pair in rates]
        dots["marker"]["size"] = 7
        data.append(dots)
    data += [follower(color_of(k), names[n], follows=k, figure="det") for k, n in enumerate(systems)]
    layout = figure(
        data,
        axes.x.layout("False match rate (FMR)"),
        axes.y.layout("False non-match rate (FNMR)"),
        shapes=_strips(axes),
    )
    said = "; ".join(f"{name}: equal error rate {percent(v.eer().value)}" for name, v in systems.items())
    return FigureSpec(
        data,
        layout,
        "DET: the two error rates against each other",
        f"DET curves on normal-deviate axes. {said}.",
        "Lower left is better. Both axes are stretched so that small rates can be read; the grey strips hold rates of "
        "zero, and both rates are equal on the thin diagonal.",
        tuple(keys),
        error,
    )


def _smallest(rates: list[Floats]) -> float:
    return min(float(some[some > 0].min(initial=1.0)) for some in rates)


def _curve(v: Verification, axes: DetAxes) -> tuple[Floats, Floats, list[int]]:
    """Return FMR and FNMR from the origin on, with points where straight lines bend, corners at zero, and the marks."""
    zeros = int(np.searchsorted(v.roc.fmr, 0.0, side="right"))
    fmr, tmr = on_log_axis(v.roc.fmr, v.roc.tmr, v.roc, axes.start)
    targets = np.array([f for f in v.fmr_targets if f >= axes.start])
    at = np.searchsorted(fmr, targets)
    fmr, tmr = np.insert(fmr, at, targets), np.insert(tmr, at, [v.at_fmr(f).tmr for f in targets.tolist()])
    first = int(np.searchsorted(fmr, v.roc.fmr[zeros])) if zeros < len(v.roc.fmr) else 0
    # FMR leaves zero at the FNMR reached before; no rate between zero and the smallest one was observed.
    level = float(v.roc.tmr[zeros - 1])
    fmr = np.concatenate([[0.0, 0.0, fmr[first]], fmr[first:]])
    fnmr = 1 - np.concatenate([[0.0, level, level], tmr[first:]])
    falls = np.flatnonzero((fnmr[:-1] > 0) & (fnmr[1:] <= 0))[:1]
    fmr, fnmr = np.insert(fmr, falls + 1, fmr[falls + 1]), np.insert(fnmr, falls + 1, fnmr[falls])
    marked = np.searchsorted(fmr, targets[targets >= fmr[2]])
    return fmr, fnmr, [int(place) for place in marked]


def _diagonal(axes: DetAxes) -> dict[str, Any]:
    rates = np.geomspace(max(axes.x.low, axes.y.low), min(axes.x.high, axes.y.high), 40)
    trace = line(axes.x.place(rates), axes.y.place(rates), 0, "", "")
    trace.pop("hovertemplate")
    return trace | {"hoverinfo": "skip", "line": {"color": "~axis", "width": 1, "dash": "solid"}}


def _strips(axes: DetAxes) -> list[dict[str, Any]]:
    look = {"type": "rect", "fillcolor": "~grid", "opacity": 0.55, "line": {"width": 0}, "layer": "below"}
    strips = [look | {"xref": "x", "yref": "paper", "x0": axes.x.strip[0], "x1": axes.x.strip[1], "y0": 0, "y1": 1}]
    if axes.y.zero:
        strips.append(
            look | {"xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": axes.y.strip[0], "y1": axes.y.strip[1]}
        )
    return strips
