"""The distributions of mated and non-mated scores of one system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.plots.score_axis import UserScores, user_scores
from mated.report.figures.style import MATED, NONMATED, FigureSpec, Key, axis, figure, rounded
from mated.report.numbers_in_words import count, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.evaluation import Verification

    Floats = NDArray[np.float64]

__all__ = ["scores_figure"]

_MOST_BINS = 80


def scores_figure(v: Verification, name: str) -> FigureSpec:
    """Draw the share of each class's comparisons in each of some bins, which hold whole units of the scores."""
    scores = user_scores(v.tally)
    low, high = scores.view()
    edges = _edges(scores, low, high)
    places = np.searchsorted(scores.value, edges)
    classes = (
        ("non-mated", scores.nonmated, v.tally.n_nonmated, NONMATED),
        ("mated", scores.mated, v.tally.n_mated, MATED),
    )
    data: list[dict[str, Any]] = []
    middle = (edges[1:] + edges[:-1]) / 2
    for word, counts, total, color in classes:
        inside = np.diff(np.concatenate([[0], np.cumsum(counts)])[places])
        data.append(
            {
                "type": "bar",
                "x": rounded(middle),
                "y": rounded(100 * inside / total),
                "width": rounded(np.diff(edges)),
                "customdata": [
                    [number(float(a), 6), number(float(b), 6), count(int(n))]
                    for a, b, n in zip(edges[:-1], edges[1:], inside, strict=True)
                ],
                "name": word,
                "marker": {"color": f"{color}/45", "line": {"color": color, "width": 0.6}},
                "hovertemplate": "<b>%{fullData.name}</b><br>scores %{customdata[0]} to %{customdata[1]}<br>"
                "%{y:.3~r} % of the class (%{customdata[2]})<extra></extra>",
            }
        )
    eer = v.eer().threshold
    inside_view = edges[0] <= eer <= edges[-1]
    title = "Comparison score (lower is more alike)" if v.tally.dissimilarity else "Comparison score"
    x = axis(title, range=[float(edges[0]), float(edges[-1])], showgrid=False)
    y = axis("Share of the class", ticksuffix="\u00a0%", rangemode="tozero", nticks=6)
    shapes = [
        {"type": "line", "xref": "x", "yref": "paper", "x0": eer, "x1": eer, "y0": 0, "y1": 1,
         "line": {"color": "~ink", "width": 1, "dash": "dot"}}
    ] if inside_view else []  # fmt: skip
    keys = [
        Key(f"mated ({count(v.tally.n_mated)})", MATED, "area"),
        Key(f"non-mated ({count(v.tally.n_nonmated)})", NONMATED, "area"),
    ]
    if inside_view:
        keys.append(Key(f"threshold of the equal error rate, {number(eer)}", "~ink", dash="dot"))
    return FigureSpec(
        data,
        figure(data, x, y, height=300, barmode="overlay", bargap=0, shapes=shapes),
        f"Scores of {name}",
        f"Distribution of the comparison scores of {name}: {count(v.tally.n_mated)} mated and "
        f"{count(v.tally.n_nonmated)} non-mated comparisons; the error rates are equal at threshold {number(eer)}.",
        "The less the two overlap, the better the system tells people apart.",
        tuple(keys),
        notes=tuple(scores.note_outside(float(edges[0]), float(edges[-1]))),
        height=300,
    )


def _edges(scores: UserScores, low: float, high: float) -> Floats:
    """Return bin edges over a range of scores; half a unit off, so that no score lies on an edge."""
    if high <= low:
        half = (scores.step or max(abs(low), 1.0) / 10) / 2
        return np.array([low - half, high + half])
    if scores.step is None:
        edges = np.linspace(low, high, _MOST_BINS + 1)
        edges[-1] = np.nextafter(high, np.inf)
        return edges
    units = max(int(np.ceil((high - low) / scores.step / _MOST_BINS)), 1)
    first, last = round(low / scores.step) // units, round(high / scores.step) // units
    return np.asarray((np.arange(first, last + 2) * units - 0.5) * scores.step, dtype=np.float64)
