"""The horizontal axis of scores, in the user's own scoring system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from mated.plots.style import FRAME_COLOR, SMALL_SIZE
from mated.plots.text import draw_literally, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = ["UserScores", "axis_label", "mark_thresholds", "set_score_limits", "user_scores"]

_TAIL = 0.001
_LABEL_LINE_POINTS = 12.0
_CHARACTER_WIDTH = 0.6


@dataclass(frozen=True)
class UserScores:
    """The finite distinct scores as the user wrote them, ascending, with the counts of both classes."""

    value: NDArray[np.float64]
    mated: NDArray[np.int64]
    nonmated: NDArray[np.int64]
    step: float | None
    infinite_mated: int
    infinite_nonmated: int

    def quantile(self, counts: NDArray[np.int64], share: float) -> float:
        """Return the smallest score at or below which at least this share of a class lies."""
        cumulated = np.cumsum(counts)
        place = int(np.searchsorted(cumulated, share * cumulated[-1]))
        return float(self.value[min(place, len(self.value) - 1)])

    def classes(self) -> list[NDArray[np.int64]]:
        """Return the counts of the classes that have any comparison."""
        return [counts for counts in (self.mated, self.nonmated) if counts.any()]

    def view(self) -> tuple[float, float]:
        """Return the range to show: all scores, unless a few outliers would squeeze the others together."""
        if not len(self.value):
            return 0.0, 1.0
        low, high = float(self.value[0]), float(self.value[-1])
        # At least one comparison of a class, as one is enough to be an outlier.
        tails = [(counts, min(max(_TAIL, 1.5 / int(counts.sum())), 0.1)) for counts in self.classes()]
        inner_low = min(self.quantile(counts, tail) for counts, tail in tails)
        inner_high = max(self.quantile(counts, 1 - tail) for counts, tail in tails)
        reach = 2 * (inner_high - inner_low)
        if reach > 0:
            near = self.value[(self.value >= inner_low - reach) & (self.value <= inner_high + reach)]
            low, high = float(near[0]), float(near[-1])
        return low, high

    def note_outside(self, low: float, high: float) -> list[str]:
        """Say how many scores lie outside a range, if any do."""
        outside = (self.value < low) | (self.value > high)
        if not outside.any():
            return []
        mated, nonmated = int(self.mated[outside].sum()), int(self.nonmated[outside].sum())
        ends = f"from {self.value[0]:g} to {self.value[-1]:g}"
        return [f"outside the axis: {mated:,} mated and {nonmated:,} non-mated of the scores {ends}"]


def user_scores(tally: Tally) -> UserScores:
    """Return the scores of a tally in the user's orientation."""
    finite = np.isfinite(tally.scores)
    value = tally.scores[finite].astype(np.float64)
    mated, nonmated = tally.mated[finite], tally.nonmated[finite]
    if tally.dissimilarity:
        value, mated, nonmated = 0.0 - value[::-1], mated[::-1], nonmated[::-1]
    return UserScores(
        value,
        mated,
        nonmated,
        None if tally.unit is None else float(tally.unit),
        tally.n_mated - int(mated.sum()),
        tally.n_nonmated - int(nonmated.sum()),
    )


def axis_label(tally: Tally, word: str) -> str:
    """Name the axis, and say so where low scores mean likeness."""
    return f"{word} (dissimilarity)" if tally.dissimilarity else word


def set_score_limits(
    ax: Axes, scores: UserScores, low: float, high: float, thresholds: Mapping[str, float]
) -> list[str]:
    """Show a range of scores and the thresholds that are not too far from it; return notes on the others."""
    width = high - low or 10 * (scores.step or 0.1 * max(abs(low), 1.0))
    shown = [t for t in thresholds.values() if low - width <= t <= high + width]
    left, right = min([low, *shown]), max([high, *shown])
    margin = 0.03 * (right - left) or 0.1 * width
    ax.set_xlim(left - margin, right + margin)
    ax.xaxis.set_major_locator(
        MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10], integer=scores.step is not None and scores.step >= 1)
    )
    return scores.note_outside(low, high) + [
        f"{shorten(label, 30)}: threshold {threshold:g} lies outside the axis"
        for label, threshold in thresholds.items()
        if not low - width <= threshold <= high + width
    ]


def mark_thresholds(ax: Axes, thresholds: Mapping[str, float]) -> None:
    """Draw a dashed line for each threshold in view, with its label beside it and clear of the other labels."""
    low, high = ax.get_xlim()
    extent = ax.get_window_extent()
    points = 72 / ax.figure.dpi
    across = _LABEL_LINE_POINTS / (extent.width * points)
    placed: list[tuple[float, float, float, float]] = []
    in_view = [(float(t), shorten(label, 34)) for label, t in thresholds.items() if low <= t <= high]
    for threshold, label in sorted(in_view, key=lambda item: item[0]):
        ax.axvline(threshold, color=FRAME_COLOR, linewidth=1.0, linestyle=(0, (4, 2.5)), label="_threshold", zorder=3.5)
        along = (len(label) * _CHARACTER_WIDTH * (SMALL_SIZE - 0.5) + 6) / (extent.height * points)
        here = (threshold - low) / (high - low)
        others = [(other - low) / (high - low) for other, _ in in_view if other != threshold]
        left, top = _free_place(here, across, along, placed, others)
        on_right = left >= here
        text = ax.annotate(
            label,
            xy=(threshold, top),
            xycoords=ax.get_xaxis_transform(),
            xytext=(3.0 if on_right else -3.0, 0.0),
            textcoords="offset points",
            rotation=90,
            horizontalalignment="left" if on_right else "right",
            verticalalignment="top",
            fontsize=SMALL_SIZE - 0.5,
            color="black",
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "alpha": 0.9, "linewidth": 0},
            zorder=5,
        )
        draw_literally(text)
        placed.append((left, left + across, top - along, top))


def _free_place(
    x: float, across: float, along: float, placed: list[tuple[float, float, float, float]], lines: list[float]
) -> tuple[float, float]:
    """Return left and top of a label in shares of the axes.

    It stands beside `x`, clear of the labels placed before and, where one side of `x` allows it, of other lines.
    """
    tops = [0.98, *sorted((bottom for _, _, bottom, _ in placed), reverse=True)]
    sides = [left for left in (x, x - across) if left >= 0 and left + across <= 1] or [x]
    sides.sort(key=lambda left: sum(left <= line <= left + across for line in lines))
    for top in tops:
        for left in sides:
            clear = all(
                left + across <= west or east <= left or top <= south or north <= top - along
                for west, east, south, north in placed
            )
            if clear and top - along >= 0:
                return left, top
    return sides[0], 0.98
