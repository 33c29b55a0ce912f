"""Curves of random qualities: a bundle, its mean, and the starting error that the mean stays at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from mated.errors import MatedError
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.style import FRAME_COLOR, PALETTE, axes_or_new, dress
from mated.plots.ticks import plain_axis, span_with_margin

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["draw_random_bundle"]

_BUNDLE_COLOR = "#9FB6CD"


def draw_random_bundle(
    discard: ArrayLike,
    bundle: ArrayLike,
    *,
    starting_error: float,
    spread: ArrayLike | None = None,
    ax: Axes | None = None,
    quantity: str = "False non-match rate",
) -> Axes:
    """Draw error curves of random qualities and their mean (Schlett et al. 2023, Figure 4).

    Parameters
    ----------
    discard
        Discard fractions, ascending.
    bundle
        One row a curve: its error rate at each discard fraction, drawn with straight lines between them.
    starting_error
        The error with nothing discarded, drawn as a dotted line.
    spread
        The standard deviation at each discard fraction where single comparisons are discarded at random
        (`random_pair_spread`); twice it to both sides is drawn as dashed lines.
    """
    x, rows = np.asarray(discard, dtype=np.float64), np.atleast_2d(np.asarray(bundle, dtype=np.float64))
    if rows.shape[1:] != x.shape or len(rows) < 2:
        raise MatedError(f"give two curves or more with a rate at each of the {x.size} discard fractions")
    if not (np.isfinite(rows).all() and np.isfinite(x).all() and np.all(np.diff(x) > 0)):
        raise MatedError("random curves need ascending discard fractions and rates that are numbers")
    ax, made = axes_or_new(ax)
    ends = None if spread is None else 2 * np.asarray(spread, dtype=np.float64)
    if ends is not None and ends.shape != x.shape:
        raise MatedError(f"a spread needs a number for each of the {x.size} discard fractions, and has {ends.size}")
    ax.set_xscale("linear")
    ax.set_yscale("linear")
    ax.set(xlim=(x[0], x[-1]), ylim=span_with_margin(float(rows.min()), float(rows.max())))
    dress(ax, x_label="", y_label="")
    plain_axis(ax.xaxis, "Fraction of comparisons discarded")
    plain_axis(ax.yaxis, quantity)
    lines = LineCollection(
        [np.column_stack([x, row]) for row in rows],
        colors=_BUNDLE_COLOR,
        linewidths=0.6,
        alpha=0.55,
        label="_random",
        zorder=2.0,
    )
    ax.add_collection(lines, autolim=False)
    constant: dict[str, Any] = {"color": "black", "linewidth": 1.2, "linestyle": (0, (1.2, 1.6))}
    ax.axhline(starting_error, **constant, label="_constant", zorder=3.2)
    (mean,) = ax.plot(x, rows.mean(axis=0), color=PALETTE[1], linewidth=1.8, label="_mean", zorder=3.0)
    handles = [Line2D([], [], color=_BUNDLE_COLOR, linewidth=1.2), mean, Line2D([], [], **constant)]
    names = [f"{len(rows)} curves of random qualities", "their mean", f"starting error {starting_error:.4g}"]
    if ends is not None:
        look: dict[str, Any] = {"color": FRAME_COLOR, "linewidth": 0.9, "linestyle": (0, (5, 2.2))}
        for end in (starting_error - ends, starting_error + ends):
            ax.plot(x, end, **look, label="_spread", zorder=2.8)
        handles.append(Line2D([], [], **look))
        names.append("± 2 SD, pairs discarded singly")
    legend_in_corner_or_beside(ax, handles, names, "upper left", "lower left", widen=made, avoid=ax.get_lines())
    return ax
