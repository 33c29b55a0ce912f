"""Predicted identification rates against measured ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from mated.errors import MatedError
from mated.plots.count_axis import set_rate_limits
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.marker_spacing import spaced
from mated.plots.plain_curves import as_rates
from mated.plots.style import FRAME_COLOR, PALETTE, axes_or_new, dress
from mated.plots.text import display_names, outside_math
from mated.plots.ticks import plain_axis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["draw_empirical_against_predicted"]

_MARKERS = ("o", "s", "^", "D", "v")
_SPACING = 6.0  # points between markers


def draw_empirical_against_predicted(
    predicted: Mapping[str, ArrayLike], empirical: ArrayLike, *, ax: Axes | None = None
) -> Axes:
    """Draw predicted CMCs against the empirical one, rank by rank (Veldhuis & Raja 2023, Figures 3c to 8c).

    On the diagonal the two agree; below it the prediction is too low. Of many ranks an even choice along the curve is
    shown, rank 1 always: it is the lowest.

    Parameters
    ----------
    predicted
        The identification rates at ranks 1, 2, …, by the method of prediction.
    empirical
        The measured ones at the same ranks.
    """
    if not predicted:
        raise MatedError("there is no prediction to draw; give at least one")
    measured = as_rates(empirical, "the empirical CMC")
    rates = {name: as_rates(values, f"the prediction of {name!r}") for name, values in predicted.items()}
    for name, values in rates.items():
        if len(values) != len(measured):
            raise MatedError(
                f"the prediction of {name!r} has {len(values)} ranks and the empirical CMC {len(measured)}; give "
                "both at the same ranks"
            )
    ax, made = axes_or_new(ax, 4.8, 4.6)
    set_rate_limits(ax, min(float(values.min()) for values in (measured, *rates.values())))
    limits = ax.get_ylim()
    ax.set_xscale("linear")
    ax.set_xlim(*limits)
    dress(ax, x_label="Empirical identification rate", y_label="Predicted identification rate")
    plain_axis(ax.xaxis, ax.get_xlabel())
    plain_axis(ax.yaxis, ax.get_ylabel())
    ax.plot(limits, limits, color=FRAME_COLOR, linewidth=0.8, label="_equal", zorder=2)
    names = display_names(predicted)
    kept = spaced(ax, measured, measured, _SPACING)  # the same ranks of every method
    handles: list[Line2D] = []
    for index, (name, values) in enumerate(zip(names, rates.values(), strict=True)):
        handles += ax.plot(
            measured[kept],
            values[kept],
            linestyle="none",
            marker=_MARKERS[index % len(_MARKERS)],
            markersize=5.5,
            markerfacecolor="none",
            markeredgecolor=PALETTE[index % len(PALETTE)],
            markeredgewidth=1.1,
            color=PALETTE[index % len(PALETTE)],
            label=outside_math(name),
            clip_on=False,
            zorder=3,
        )
    handles.append(Line2D([], [], color=FRAME_COLOR, linewidth=0.8))
    legend_in_corner_or_beside(ax, handles, [*names, "equal"], "lower right", widen=made)
    return ax
