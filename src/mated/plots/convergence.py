"""How the CMC, as a function of fractional rank, comes to coincide with the ROC as the gallery grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.plots.count_axis import set_count_limits, set_rate_limits
from mated.plots.fractional_rank import interesting_end
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.marker_spacing import spaced
from mated.plots.plain_curves import as_curve, as_rates, as_sizes, check_names
from mated.plots.style import FRAME_COLOR, LINE_WIDTH, PALETTE, axes_or_new, dress, log_rate_axis
from mated.plots.text import display_names, outside_math
from mated.plots.thinning import visible_points
from mated.plots.ticks import plain_axis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from mated.plots.plain_curves import Curve

__all__ = ["draw_convergence", "draw_convergence_rate"]

_MARKERS = ("o", "s", "^", "D", "v")
_SPACING = 7.0  # points between markers


def draw_convergence(roc: Curve, cmcs: Mapping[int, ArrayLike], *, ax: Axes | None = None) -> Axes:
    """Draw a ROC as a line and CMCs of growing galleries as markers at r/n (Veldhuis & Raja 2023, Figure 2).

    The axis ends where all curves have come near 1.

    Parameters
    ----------
    roc
        (FMR, TMR).
    cmcs
        By gallery size n, the identification rates at ranks 1 to n.
    """
    if not cmcs:
        raise MatedError("there is no CMC to draw; give at least one gallery size")
    fmr, tmr = as_curve(roc, "the ROC")
    curves = {}
    for size, rates in cmcs.items():
        values = as_rates(rates, f"the CMC of {size} identities")
        if len(values) != size:
            raise MatedError(f"a CMC of {size} identities has {size} ranks, and this one has {len(values)}")
        curves[size] = np.arange(1, size + 1) / size, values
    ax, made = axes_or_new(ax, 5.4, 4.4)
    # At an FMR of half the smallest fractional rank the ROC is well below the CMC's first point.
    lowest = min(
        float(np.interp(min(x[0] for x, _ in curves.values()) / 2, fmr, tmr)), *(y[0] for _, y in curves.values())
    )
    set_rate_limits(ax, lowest)
    ax.set_xscale("linear")
    ax.set_xlim(0.0, interesting_end([(fmr, tmr), *curves.values()]))
    dress(ax, x_label="", y_label="Identification rate, or true match rate")
    plain_axis(ax.xaxis, "Fractional rank r/n, or false match rate")
    handles = ax.plot(*visible_points(ax, fmr, tmr), color=FRAME_COLOR, linewidth=LINE_WIDTH, label="ROC", zorder=2.5)
    for index, (size, (fractions, rates)) in enumerate(curves.items()):
        kept = spaced(ax, fractions, rates, _SPACING)
        look = _marker(index)
        handles += ax.plot(fractions[kept], rates[kept], **look, label=f"CMC, n = {size:,}", clip_on=False, zorder=3)
    legend_in_corner_or_beside(ax, handles, [str(h.get_label()) for h in handles], "lower right", widen=made)
    return ax


def draw_convergence_rate(
    sizes: ArrayLike,
    gaps: Mapping[str, ArrayLike],
    *,
    bounds: Mapping[str, ArrayLike] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how far the CMC is from the ROC against the size of the gallery, both on logarithmic axes.

    The line through the markers is c·n^s with log c and s by least squares of log gap on log n; the legend gives the
    slope s. By Theorem 2 of Veldhuis & Raja (2023) it comes to −1 or lower as n grows, where the ROC has a bounded
    second derivative. Gaps of 0 are left out.

    Parameters
    ----------
    sizes
        Gallery sizes.
    gaps
        By name, |cmc(r; n) − ρ(r/n)| at each size, such as the largest over ranks or that at one fractional rank.
    bounds
        For some of the names, the bound of Eq. 43 at each size, drawn dashed.
    """
    if not gaps:
        raise MatedError("there is no gap to draw; give at least one")
    across = as_sizes(sizes)
    check_names("a bound", bounds or (), gaps)
    given = {name: _as_gaps(values, across, f"the gap of {name!r}") for name, values in gaps.items()}
    limits = {name: _as_gaps(values, across, f"the bound of {name!r}") for name, values in (bounds or {}).items()}
    shown = np.concatenate([*given.values(), *limits.values()])
    shown = shown[shown > 0]
    if not len(shown):
        raise MatedError("all gaps are 0, which a logarithmic axis cannot show")
    ax, made = axes_or_new(ax, 5.6, 4.4)
    set_count_limits(ax, float(across.min()), float(across.max()), log=True)
    ax.set_yscale("log")
    log_rate_axis(ax.yaxis)
    ax.set_ylim(float(shown.min()) / 2, float(shown.max()) * 2)
    dress(ax, x_label="Gallery size n", y_label="|cmc(r; n) − ρ(r/n)|")
    handles: list[Artist] = []
    entries: list[str] = []
    for index, (name, short) in enumerate(zip(gaps, display_names(gaps), strict=True)):
        positive = given[name] > 0
        x, y = across[positive], given[name][positive]
        handles += ax.plot(x, y, **_marker(index), label=outside_math(short), clip_on=False, zorder=3)
        entries.append(short)
        color = PALETTE[index % len(PALETTE)]
        if len(np.unique(x)) > 1:
            slope, constant = np.polyfit(np.log(x), np.log(y), 1)
            ends = np.array([x.min(), x.max()])
            handles += ax.plot(
                ends, np.exp(constant) * ends**slope, color=color, linewidth=1.2, label="_fit", zorder=2.5
            )
            entries.append(f"fit, slope {slope:.2f}".replace("-", "−"))
        if name in limits:
            look: dict[str, Any] = {"color": color, "linewidth": 1.2, "linestyle": (0, (5, 1.8))}
            handles += ax.plot(across, limits[name], **look, label="_bound", zorder=2.5)
            entries.append("bound")
    legend_in_corner_or_beside(ax, handles, entries, "upper right", "lower left", widen=made)
    return ax


def _marker(index: int) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "marker": _MARKERS[index % len(_MARKERS)],
        "markersize": 5.0,
        "markerfacecolor": "none",
        "markeredgewidth": 1.1,
        "color": PALETTE[index % len(PALETTE)],
    }


def _as_gaps(values: ArrayLike, across: NDArray[np.float64], of: str) -> NDArray[np.float64]:
    gaps = np.asarray(values, dtype=np.float64)
    if gaps.shape != across.shape:
        raise MatedError(f"{of} has {gaps.size} values for {len(across)} gallery sizes")
    if not np.isfinite(gaps).all() or np.any(gaps < 0):
        raise MatedError(f"{of} has a value that is negative or not a number; give absolute differences")
    return gaps
