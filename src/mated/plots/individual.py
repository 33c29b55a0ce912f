"""The ROCs of single subjects with their average and the global ROC."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.roc import log_fmr_start, on_log_axis, set_log_limits
from mated.plots.style import FRAME_COLOR, axes_or_new, dress, line_style
from mated.plots.thinning import visible_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mated.verification import IndividualRocs, RocCurve, RocFunction

__all__ = ["draw_individual_rocs"]


def draw_individual_rocs(
    rocs: IndividualRocs,
    average: RocFunction,
    overall: RocCurve,
    *,
    ax: Axes | None = None,
    log: bool = True,
    most: int = 200,
) -> Axes:
    """Draw subjects' own ROCs as thin lines, their average and the global ROC as strong ones; nobody is named.

    Parameters
    ----------
    log
        Whether the false match rate is on a logarithmic axis. It begins at the power of ten at or below the
        smallest positive rate that any subject's own comparisons can show.
    most
        The largest number of subjects to draw; of more, an even choice over their order is taken.
    """
    ax, made = axes_or_new(ax, *((6.0, 4.2) if log else (4.8, 4.6)))
    dress(ax, x_label="False match rate", y_label="True match rate")
    chosen = np.unique(np.linspace(0, len(rocs) - 1, min(max(most, 0), len(rocs))).round().astype(int))
    subjects = [rocs[int(position)] for position in chosen]
    start = log_fmr_start([average.fmr])
    if log:
        set_log_limits(ax, start, min(overall(start), *(roc(start) for roc in (average, *subjects))))
    else:
        ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    thin_lines = [
        np.column_stack(on_log_axis(roc.fmr, roc.tmr, roc, start) if log else (roc.fmr, roc.tmr)) for roc in subjects
    ]
    opacity = float(np.clip(12 / max(len(subjects), 1), 0.15, 0.5))
    ax.add_collection(
        LineCollection(
            [np.column_stack(visible_points(ax, line[:, 0], line[:, 1])) for line in thin_lines],
            colors=FRAME_COLOR,
            alpha=opacity,
            linewidths=0.7,
            label="_individual",
            zorder=2,
        ),
        autolim=False,
    )
    handles = []
    strong: dict[str, RocFunction | RocCurve] = {"average of individual ROCs": average, "global ROC": overall}
    for index, (name, curve) in enumerate(strong.items()):
        x, y = on_log_axis(curve.fmr, curve.tmr, curve, start) if log else (curve.fmr, curve.tmr)
        style = {**line_style(index), "linewidth": 2.2}
        handles += ax.plot(*visible_points(ax, x, y), **style, label=name, clip_on=False)
    names = [str(line.get_label()) for line in handles]
    if subjects:
        handles.append(Line2D([], [], color=FRAME_COLOR, alpha=max(opacity, 0.4), linewidth=0.9))
        of = f"{len(rocs):,}" if len(subjects) == len(rocs) else f"{len(subjects):,} of {len(rocs):,}"
        names.append(f"individual ROCs ({of} subjects)")
    legend_in_corner_or_beside(ax, handles, names, "lower right", widen=made)
    return ax
