"""Both error rates against the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.plots.legend import legend_above
from mated.plots.score_axis import axis_label, mark_thresholds, set_score_limits, user_scores
from mated.plots.style import (
    LINE_PATTERNS,
    LINE_WIDTH,
    MATED_COLOR,
    NONMATED_COLOR,
    add_note,
    axes_or_new,
    decade_at_or_below,
    dress,
    log_rate_axis,
)
from mated.plots.thinning import visible_points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = ["draw_rates"]


def draw_rates(
    tally: Tally,
    *,
    ax: Axes | None = None,
    thresholds: Mapping[str, float] | None = None,
    log: bool = True,
) -> Axes:
    """Draw the false match rate and the false non-match rate as step functions of the threshold.

    On a logarithmic axis a line that falls straight to the lower edge has become zero there.

    Parameters
    ----------
    thresholds
        Thresholds to mark, by label, in the user's scoring system.
    log
        Whether rates are on a logarithmic axis, down to the power of ten below the smallest positive rate.
    """
    ax, _ = axes_or_new(ax)
    thresholds = thresholds or {}
    dress(ax, x_label=axis_label(tally, "Threshold"), y_label="Error rate")
    scores = user_scores(tally)
    notes = set_score_limits(ax, scores, *scores.view(), thresholds)
    curves = []
    if tally.n_nonmated:
        x, matching = _steps(tally, tally.nonmated_at_or_above, ax.get_xlim())
        curves.append(("False match rate", x, matching / tally.n_nonmated, NONMATED_COLOR, LINE_PATTERNS[1]))
    if tally.n_mated:
        x, matching = _steps(tally, tally.mated_at_or_above, ax.get_xlim())
        missed = (tally.n_mated - matching) / tally.n_mated
        curves.append(("False non-match rate", x, missed, MATED_COLOR, LINE_PATTERNS[0]))
    if log:
        smallest = min((float(y[y > 0].min(initial=1.0)) for _, _, y, _, _ in curves), default=1.0)
        ax.set_yscale("log", nonpositive="clip")
        log_rate_axis(ax.yaxis)
        ax.set_ylim(decade_at_or_below(smallest * 0.999), 1.5)
    else:
        ax.set_ylim(-0.02, 1.02)
    lines = []
    for name, x, y, color, pattern in curves:
        lines += ax.plot(
            *visible_points(ax, x, y), color=color, linestyle=pattern, linewidth=LINE_WIDTH, label=name, zorder=3
        )
    mark_thresholds(ax, thresholds)
    if lines:
        legend_above(ax, lines, [str(line.get_label()) for line in lines])
    add_note(ax, notes)
    return ax


def _steps(
    tally: Tally, at_or_above: NDArray[np.int64], limits: tuple[float, float]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the corners of the number of matches as a function of the user's threshold, over the whole axis.

    A score still matches at a threshold equal to it, so the count falls just beyond each score.
    """
    finite = np.flatnonzero(np.isfinite(tally.scores))
    scores = tally.scores[finite].astype(np.float64)
    counts = np.append(at_or_above, 0)
    first = int(finite[0]) if len(finite) else int(np.searchsorted(tally.scores, 0.0))
    levels = counts[first : first + len(finite) + 1]
    if tally.dissimilarity:
        scores, levels = 0.0 - scores[::-1], levels[::-1]
    left, right = min([limits[0], *scores[:1]]), max([limits[1], *scores[-1:]])
    return np.concatenate([[left], np.repeat(scores, 2), [right]]), np.repeat(levels, 2)
