"""Both error rates of one system against its threshold, with a line that follows the explorer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.plots.score_axis import user_scores
from mated.plots.style import decade_at_or_below
from mated.plots.ticks import span_with_margin
from mated.report.figures.style import (
    MATED,
    NONMATED,
    FigureSpec,
    Key,
    axis,
    figure,
    follower,
    line,
    percent_ticks,
    unit_share,
)
from mated.report.numbers_in_words import number, percent
from mated.report.thinning import Thinned, thin_steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.evaluation import Verification

    Floats = NDArray[np.float64]

__all__ = ["RatesAxes", "rates_figure"]


class RatesAxes:
    """Thresholds across, rates in percent up; a rate of zero stands at the lower edge."""

    def __init__(self, v: Verification) -> None:
        tally = v.tally
        self.view = span_with_margin(*user_scores(tally).view(), 0.02)
        smallest = 1 / max(tally.n_mated, tally.n_nonmated)
        self.bottom = decade_at_or_below(0.999 * smallest)

    def place(self, rate: float) -> float:
        """Return where a rate is marked."""
        return 100 * max(rate, self.bottom)


def rates_figure(v: Verification, name: str, index: int, axes: RatesAxes) -> FigureSpec:
    """Draw FMR and FNMR as the step functions of the threshold that they are."""
    data: list[dict[str, Any]] = []
    error = 0.0
    hover = "threshold %{x}<br>rate %{y:.3~r} %"
    for place, (word, color) in enumerate((("False match rate", NONMATED), ("False non-match rate", MATED))):
        drawn = _steps(v, axes, false_matches=place == 0)
        error = max(error, drawn.error)
        dash = "dash" if place == 0 else "solid"
        look: dict[str, Any] = {"color": color, "width": 2, "dash": dash}
        data.append(line(drawn.x, 100 * drawn.y, 0, word, hover, line=look))
    for rate, color in enumerate((NONMATED, MATED)):
        data.append(follower(color, "", follows=index, figure="rates", rate=rate))
    eer = v.eer()
    title = "Threshold (lower is stricter)" if v.tally.dissimilarity else "Threshold (higher is stricter)"
    x = axis(title, range=list(axes.view))
    y = axis("Error rate", **percent_ticks(100 * axes.bottom, 100))
    return FigureSpec(
        data,
        figure(data, x, y),
        f"Error rates of {name} by threshold",
        f"False match rate and false non-match rate of {name} against the threshold; they meet near threshold "
        f"{number(eer.threshold)}, where both are about {percent(eer.value)}.",
        "A stricter threshold gives fewer false matches and more false non-matches. A line that falls to the lower "
        "edge has become zero.",
        (Key("false match rate", NONMATED, dash="dash"), Key("false non-match rate", MATED)),
        error,
    )


def _steps(v: Verification, axes: RatesAxes, *, false_matches: bool) -> Thinned:
    """Return a rate over the thresholds of the user's scoring system, from edge to edge of the figure.

    A score still matches at a threshold equal to it, so with similarities the count falls just beyond each score, and
    with dissimilarities it rises at each.
    """
    tally = v.tally
    finite = np.flatnonzero(np.isfinite(tally.scores))
    scores = tally.scores[finite].astype(np.float64)
    matching, total = (
        (tally.nonmated_at_or_above, tally.n_nonmated) if false_matches else (tally.mated_at_or_above, tally.n_mated)
    )
    first = int(finite[0]) if len(finite) else len(tally.scores)
    last = int(finite[-1]) + 1 if len(finite) else first
    beyond = int(matching[last]) if last < len(matching) else 0
    below = int(matching[first]) if first < len(matching) else 0
    if tally.dissimilarity:
        x = np.concatenate([[axes.view[0]], -scores[::-1], [axes.view[1]]])
        counts = np.concatenate([[beyond], matching[finite][::-1], [below]])
    else:
        x = np.concatenate([[axes.view[0]], scores, [axes.view[1]]])
        counts = np.concatenate([[below], matching[finite], [beyond]])
    x = np.maximum.accumulate(np.clip(x, *axes.view))
    rate = (counts if false_matches else total - counts) / total
    drawn = np.maximum(rate, axes.bottom)
    placed = unit_share(x, *axes.view), unit_share(np.log10(drawn), np.log10(axes.bottom), 0.0)
    return thin_steps(x, drawn, placed, first_up=not tally.dissimilarity)
