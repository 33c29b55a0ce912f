"""CMCs and ROCs on one axis: a fractional rank r/n stands where the false match rate of the same value does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from mated.errors import MatedError
from mated.plots.count_axis import set_rate_limits
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.marker_spacing import spaced
from mated.plots.plain_curves import as_curves
from mated.plots.roc import log_fmr_start, on_log_axis, set_log_limits
from mated.plots.style import FRAME_COLOR, PALETTE, axes_or_new, decade_at_or_below, dress, line_style
from mated.plots.text import display_names, outside_math
from mated.plots.thinning import visible_points
from mated.plots.ticks import plain_axis

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mated.plots.plain_curves import Curve

    Lines = Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]

__all__ = ["PREDICTED_MARKER", "draw_fractional", "interesting_end"]

PREDICTED_MARKER: dict[str, Any] = {"marker": "o", "markersize": 5.5, "markerfacecolor": "none", "markeredgewidth": 1.1}
_EMPIRICAL_MARKER: dict[str, Any] = {"marker": "+", "markersize": 6.5, "markeredgewidth": 1.2}
_SPACING = 7.0  # points between markers
_ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_NEARLY_ONE = 0.995


def draw_fractional(
    rocs: Mapping[str, Curve],
    *,
    predicted: Mapping[str, Curve] | None = None,
    empirical: Mapping[str, Curve] | None = None,
    ax: Axes | None = None,
    log: bool = False,
    named: bool = True,
) -> Axes:
    """Draw ROCs as lines, predicted CMCs as rings and empirical ones as crosses (Veldhuis & Raja 2023, Figures 3 to 8).

    A CMC has the colour of the ROC with the same name. The horizontal axis ends where all curves have come near 1,
    the vertical one begins at a round number below the CMCs. Of many ranks an even choice along the curve is shown,
    rank 1 always.

    Parameters
    ----------
    rocs
        (FMR, TMR) by name, such as "global ROC" and "average ROC" (panel b), or one for each of a few subjects
        (panel a).
    predicted, empirical
        (r/n, identification rate) by name. That of a ROC means the CMC predicted from it, or measured on the same
        subject; any other is what the legend calls the CMC.
    log
        Whether the horizontal axis is logarithmic; it then begins a power of ten below the smallest fractional rank.
    named
        False for subjects: the names then only say what belongs together, and nobody is named.
    """
    if not rocs:
        raise MatedError("there is no ROC to draw; give at least one")
    lines, rings, crosses = as_curves(rocs), as_curves(predicted or {}), as_curves(empirical or {})
    ax, made = axes_or_new(ax, 5.4, 4.4)
    _set_axes(ax, lines, [*rings.values(), *crosses.values()], log=log)
    colors: dict[str, Any] = {}
    drawn = []
    for index, (name, (fmr, tmr)) in enumerate(lines.items()):
        x, y = (fmr, tmr) if not log else _on_log_axis(fmr, tmr, ax.get_xlim()[0])
        style = line_style(index) if named else {**line_style(index), "linestyle": "solid"}
        drawn += ax.plot(*visible_points(ax, x, y), **style, label=outside_math(name) if named else "_roc")
        colors[name] = drawn[-1].get_color()
    more = iter(PALETTE[len(lines) % len(PALETTE) :] + PALETTE)
    for name in rings:
        colors.setdefault(name, next(more))
    shown = _choice(ax, rings, crosses)
    markers = [
        *_draw_markers(ax, rings, shown[0], colors, PREDICTED_MARKER, "_predicted"),
        *_draw_markers(ax, crosses, shown[1], colors, _EMPIRICAL_MARKER, "_empirical"),
    ]
    if named:
        handles = [*drawn, *markers]
        short = dict(zip(rocs, display_names(rocs), strict=True))
        entries = [*short.values(), *_entries(rings, short, "CMC from"), *_entries(crosses, short, "empirical CMC,")]
    else:
        handles, entries = _nameless(len(lines), len(rings), len(crosses))
    legend_in_corner_or_beside(ax, handles, entries, "lower right", widen=made, avoid=[*drawn, *markers])
    return ax


def interesting_end(curves: Iterable[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> float:
    """Return a round number from which on all curves are near 1, or 1."""
    below = [float(x[y < _NEARLY_ONE].max(initial=0.0)) for x, y in curves]
    return next((end for end in _ENDS if end >= max(below)), 1.0)


def _set_axes(ax: Axes, rocs: Lines, cmcs: list[tuple[NDArray[np.float64], NDArray[np.float64]]], *, log: bool) -> None:
    lowest = min((float(rates.min()) for _, rates in cmcs), default=0.0)
    labels = {"x_label": "Fractional rank, or false match rate", "y_label": "Identification rate, or true match rate"}
    if log:
        start = log_fmr_start(fmr for fmr, _ in rocs.values())
        ranks = [float(x[x > 0].min(initial=1.0)) for x, _ in cmcs]
        start = max(start, min(decade_at_or_below(min(ranks)) / 10, 0.1)) if ranks else start
        set_log_limits(ax, start, min(lowest, *(float(np.interp(start, *roc)) for roc in rocs.values())))
        dress(ax, **labels)
        return
    set_rate_limits(ax, lowest)
    ax.set_xscale("linear")
    # Some ranks are always in view, also of curves that begin near 1.
    some = max((4 * float(x[x > 0].min(initial=1.0)) for x, _ in cmcs), default=0.0)
    ax.set_xlim(0.0, min(1.0, max(interesting_end([*rocs.values(), *cmcs]), some)))
    dress(ax, **labels)
    plain_axis(ax.xaxis, labels["x_label"])


def _on_log_axis(
    fmr: NDArray[np.float64], tmr: NDArray[np.float64], start: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return on_log_axis(fmr, tmr, lambda rates: np.interp(rates, fmr, tmr), start)


def _choice(ax: Axes, rings: Lines, crosses: Lines) -> tuple[list[NDArray[np.intp]], list[NDArray[np.intp]]]:
    """Choose the ranks to show, the same ones of an empirical CMC and its prediction."""
    of_rings = {name: spaced(ax, *ring, _SPACING) for name, ring in rings.items()}
    of_crosses = []
    for name, cross in crosses.items():
        partner = name if name in rings else next(iter(rings), None)
        same = partner is not None and np.array_equal(rings[partner][0], cross[0])
        of_crosses.append(of_rings[partner] if same and partner is not None else spaced(ax, *cross, _SPACING))
    return list(of_rings.values()), of_crosses


def _draw_markers(
    ax: Axes,
    cmcs: Lines,
    shown: list[NDArray[np.intp]],
    colors: Mapping[str, Any],
    look: Mapping[str, Any],
    label: str,
) -> list[Line2D]:
    drawn: list[Line2D] = []
    for (name, (fractions, rates)), kept in zip(cmcs.items(), shown, strict=True):
        color = colors.get(name, "black")
        style = {**look, "color": color, "linestyle": "none", "clip_on": False, "zorder": 3.5}
        drawn += ax.plot(fractions[kept], rates[kept], **style, label=label)
    return drawn


def _entries(cmcs: Mapping[str, Any], short: Mapping[str, str], relation: str) -> list[str]:
    """Return what the legend calls CMCs: by their ROC, given its name there, or by a name of their own."""
    own = display_names(cmcs)
    return [f"{relation} {short[name]}" if name in short else other for name, other in zip(cmcs, own, strict=True)]


def _nameless(rocs: int, rings: int, crosses: int) -> tuple[list[Line2D], list[str]]:
    """Return grey entries that say what is drawn without saying whose."""
    grey: dict[str, Any] = {"color": FRAME_COLOR}
    entries = [
        (rocs, {**grey, "linewidth": 1.6}, f"ROC{'s' if rocs > 1 else ''} of {rocs} subject{'s' if rocs > 1 else ''}"),
        (rings, {**grey, **PREDICTED_MARKER, "linestyle": "none"}, "predicted CMC"),
        (crosses, {**grey, **_EMPIRICAL_MARKER, "linestyle": "none"}, "empirical CMC"),
    ]
    used = [(Line2D([], [], **look), words) for count, look, words in entries if count]
    return [handle for handle, _ in used], [words for _, words in used]
