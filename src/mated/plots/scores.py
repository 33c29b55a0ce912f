"""The distributions of mated and non-mated scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from mated.plots.legend import legend_above
from mated.plots.score_axis import UserScores, axis_label, mark_thresholds, set_score_limits, user_scores
from mated.plots.style import LABEL_SIZE, MATED_COLOR, NONMATED_COLOR, add_note, axes_or_new, dress
from mated.plots.text import draw_literally, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = ["draw_scores"]

_FEWEST_BINS, _MOST_BINS = 12, 100
_MOST_BARS = 25
_TOWERS = 6.0  # times the next highest bin
_REST_WORTH_SHOWING = 0.02


@dataclass(frozen=True)
class _Histogram:
    """Bin edges and the share of each class's comparisons in each bin; bars stand apart, bins touch."""

    edges: NDArray[np.float64]
    mated: NDArray[np.float64]
    nonmated: NDArray[np.float64]
    bars: bool = False


def draw_scores(
    tally: Tally,
    *,
    ax: Axes | None = None,
    thresholds: Mapping[str, float] | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the share of each class's comparisons over the scores.

    Both classes have the same bins and each adds up to 1. Bins hold whole units of the scoring system where it
    has one; a few distinct scores get a bar each. One bin that towers over all others is cut off at
    the top, marked with a triangle, and its share is written below the axes, as is what lies outside them.

    Parameters
    ----------
    thresholds
        Thresholds to mark, by label, in the user's scoring system.
    """
    ax, _ = axes_or_new(ax)
    thresholds = thresholds or {}
    scores = user_scores(tally)
    histogram = _bars(scores) if _is_discrete(scores) else _bins(scores)
    dress(ax, x_label=axis_label(tally, "Comparison score"), y_label="Share of comparisons in the class")
    ax.grid(visible=False, axis="x")
    notes = set_score_limits(ax, scores, float(histogram.edges[0]), float(histogram.edges[-1]), thresholds)
    _fill(ax, histogram)
    notes = [*_cut_towers(ax, scores, histogram), *_infinite(scores), *notes]
    mark_thresholds(ax, thresholds)
    handles = [_handle(MATED_COLOR, 0.5), _handle(NONMATED_COLOR, 0.25)]
    legend_above(ax, handles, [f"mated ({tally.n_mated:,})", f"non-mated ({tally.n_nonmated:,})"])
    if title is not None:
        draw_literally(ax.set_title(shorten(title, 70), fontsize=LABEL_SIZE + 1, pad=24, color="black"))
    add_note(ax, notes)
    return ax


def _is_discrete(scores: UserScores) -> bool:
    distinct = len(scores.value)
    return distinct <= _MOST_BARS and int(scores.mated.sum() + scores.nonmated.sum()) >= 3 * distinct


def _shares(counts: NDArray[np.int64], total: int) -> NDArray[np.float64]:
    return counts / max(total, 1)


def _bars(scores: UserScores) -> _Histogram:
    """Make room for a bar around each distinct score: edges come in pairs."""
    if not len(scores.value):
        return _Histogram(np.array([0.0, 1.0]), np.zeros(1), np.zeros(1))
    value = scores.value
    span = float(value[-1] - value[0])
    gap = float(np.diff(value).min()) if len(value) > 1 else (scores.step or max(abs(float(value[0])), 1.0) / 10)
    half = 0.4 * max(gap, span / 80)
    return _Histogram(
        np.stack([value - half, value + half], axis=1).ravel(),
        _shares(scores.mated, int(scores.mated.sum()) + scores.infinite_mated),
        _shares(scores.nonmated, int(scores.nonmated.sum()) + scores.infinite_nonmated),
        bars=True,
    )


def _bins(scores: UserScores) -> _Histogram:
    low, high = scores.view()
    width = _bin_width(scores, low, high)
    if scores.step is None:
        count = max(round((high - low) / width), 1)
        edges = low + (high - low) * np.arange(count + 1) / count
        edges[-1] = np.nextafter(high, np.inf)  # the highest score lies in the last bin
    else:
        units = max(round(width / scores.step), 1)
        first, last = round(low / scores.step) // units, round(high / scores.step) // units
        # Half a unit off, so that no score lies on an edge.
        edges = np.asarray((np.arange(first, last + 2) * units - 0.5) * scores.step, dtype=np.float64)
    places = np.searchsorted(scores.value, edges)
    mated, nonmated = (
        np.diff(np.concatenate([[0], np.cumsum(counts)])[places]) for counts in (scores.mated, scores.nonmated)
    )
    return _Histogram(
        edges,
        _shares(mated, int(scores.mated.sum()) + scores.infinite_mated),
        _shares(nonmated, int(scores.nonmated.sum()) + scores.infinite_nonmated),
    )


def _bin_width(scores: UserScores, low: float, high: float) -> float:
    """Return the width of Freedman and Diaconis for the class that needs the narrower bins, within bounds."""
    widths = [
        2 * (scores.quantile(counts, 0.75) - scores.quantile(counts, 0.25)) / float(counts.sum()) ** (1 / 3)
        for counts in scores.classes()
    ]
    wanted = min((width for width in widths if width > 0), default=0.0)
    return float(np.clip(wanted, (high - low) / _MOST_BINS, (high - low) / _FEWEST_BINS))


def _fill(ax: Axes, histogram: _Histogram) -> None:
    classes = ((histogram.nonmated, NONMATED_COLOR, 0.25), (histogram.mated, MATED_COLOR, 0.5))
    if histogram.bars:
        left, right = histogram.edges[::2], histogram.edges[1::2]
        width = (right - left) / 2
        for offset, (heights, color, alpha) in zip((width, 0 * width), classes, strict=True):
            ax.bar(left + offset, heights, width, align="edge", color=color, alpha=alpha, linewidth=0, zorder=2)
            ax.bar(left + offset, heights, width, align="edge", fill=False, edgecolor=color, linewidth=1.0, zorder=3)
    else:
        for heights, color, alpha in classes:
            ax.stairs(heights, histogram.edges, fill=True, color=color, alpha=alpha, linewidth=0, zorder=2)
            ax.stairs(heights, histogram.edges, color=color, linewidth=1.1, zorder=3)


def _cut_towers(ax: Axes, scores: UserScores, histogram: _Histogram) -> list[str]:
    """Set the upper end of the axis; name the bins that rise beyond it."""
    heights = np.sort(np.concatenate([histogram.mated, histogram.nonmated]))[::-1]
    heights = heights[heights > 0]
    top = float(heights[0]) if len(heights) else 1.0
    for towers in range(1, min(4, len(heights) - 1) + 1):
        if heights[towers - 1] > _TOWERS * heights[towers] and heights[towers:].sum() >= _REST_WORTH_SHOWING:
            top = float(heights[towers])
    ax.set_ylim(0.0, 1.08 * top)
    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{float(f'{100 * share:.10g}'):g} %"))
    notes = []
    for word, shares, counts, color in (
        ("mated", histogram.mated, scores.mated, MATED_COLOR),
        ("non-mated", histogram.nonmated, scores.nonmated, NONMATED_COLOR),
    ):
        for place in np.flatnonzero(shares > 1.08 * top):
            left, right = (
                histogram.edges[2 * place : 2 * place + 2] if histogram.bars else histogram.edges[place : place + 2]
            )
            inside = slice(*np.searchsorted(scores.value, [left, right]))
            heaviest = float(scores.value[inside][np.argmax(counts[inside])])
            notes.append(
                f"{100 * shares[place]:.3g} % of the {word} scores lie at or next to {heaviest:g}: bar cut off"
            )
            quarter = (right - left) / 4 if histogram.bars else 0.0
            x = (left + right) / 2 + (quarter if word == "non-mated" else -quarter)
            ax.plot([x], [1.08 * top], marker="^", color=color, markersize=6, label="_cut", clip_on=False, zorder=4)
    return notes


def _infinite(scores: UserScores) -> list[str]:
    mated, nonmated = scores.infinite_mated, scores.infinite_nonmated
    if not (mated or nonmated):
        return []
    return [f"not drawn: {mated:,} mated and {nonmated:,} non-mated scores that are infinite"]


def _handle(color: str, alpha: float) -> Patch:
    return Patch(facecolor=(color, alpha), edgecolor=color, linewidth=1.1)
