"""Dots with their intervals, one row each: groups beside each other, and differences between systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.report.figures.style import FigureSpec, Key, axis, figure, markers, several_labels
from mated.report.numbers_in_words import level_words, percent, points_apart, statistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mated.evaluation import Comparison

__all__ = ["GroupRate", "differences_figure", "groups_figure"]

_ROW = 34


@dataclass(frozen=True)
class GroupRate:
    """The rate of one group with its interval."""

    group: str
    value: float
    low: float | None
    high: float | None


def groups_figure(
    rates: Sequence[GroupRate], word: str, system: str, whole: float, color: str, level: float
) -> FigureSpec:
    """Draw one error rate of every group at the system's own threshold; the line is the rate of all together."""
    names = several_labels([r.group for r in rates], 28)
    data = [_dots(names, rates, color, f"{word} %{{x:.4~r}} %", scale=100)]
    height = 90 + _ROW * len(rates)
    x = axis(word, ticksuffix="\u00a0%", rangemode="tozero", nticks=6)
    shape = {
        "type": "line", "xref": "x", "yref": "paper", "x0": 100 * whole, "x1": 100 * whole, "y0": 0, "y1": 1,
        "line": {"color": "~muted", "width": 1.2, "dash": "dot"},
    }  # fmt: skip
    said = "; ".join(f"{r.group}: {percent(r.value)}" for r in rates)
    return FigureSpec(
        data,
        figure(data, x, _names_axis(names), height=height, shapes=[shape]),
        f"{system}: {word[:1].lower()}{word[1:]} by group",
        f"{word} of {system} by group: {said}; all together: {percent(whole)}.",
        "",
        (
            Key(f"rate and {level_words(level)} interval", color, "dot"),
            Key(f"all together, {percent(whole)}", "~muted", dash="dot"),
        ),
        height=height,
    )


def differences_figure(comparison: Comparison) -> FigureSpec | None:
    """Draw the differences between systems that have an interval, in percentage points around zero."""
    shown = [d for d in comparison.differences if d.low is not None and d.high is not None]
    if not shown:
        return None
    several = len(comparison.systems) > 2
    rows = [
        GroupRate(
            f"{statistic(d.statistic)}: {d.system_a} − {d.system_b}" if several else statistic(d.statistic),
            d.difference,
            d.low,
            d.high,
        )
        for d in shown
    ]
    names = several_labels([r.group for r in rows], 44)
    real = [d.significant for d in shown]
    data = [_dots(names, rows, "~c0", "difference %{x:+.3~r} percentage points", scale=100)]
    data[0]["marker"]["color"] = ["~c0" if yes else "~surface" for yes in real]
    data[0]["marker"]["line"] = {"color": "~c0", "width": 2}
    height = 96 + _ROW * len(rows)
    zero = {
        "type": "line", "xref": "x", "yref": "paper", "x0": 0, "x1": 0, "y0": 0, "y1": 1,
        "line": {"color": "~ink", "width": 1.2},
    }  # fmt: skip
    whose = "" if several else f"{comparison.systems[0]} minus {comparison.systems[1]}. "
    x = axis("Percentage points", nticks=7)
    said = "; ".join(f"{r.group}: {points_apart(r.value)} percentage points" for r in rows)
    return FigureSpec(
        data,
        figure(data, x, _names_axis(names), height=height, shapes=[zero]),
        "Differences and their intervals",
        f"Differences between the systems. {said}.",
        f"{whose}Zero is no difference. Filled: chance hardly explains it, with p below 0.05"
        + (" after the correction." if several else "."),
        (
            Key("difference shown", "~c0", "dot"),
            Key("difference not shown", "~c0", "ring"),
            Key(f"{level_words(comparison.level)} interval", "~c0"),
        ),
        height=height,
    )


def _dots(names: list[str], rows: Sequence[GroupRate], color: str, hover: str, *, scale: float) -> dict[str, Any]:
    value = np.array([r.value for r in rows])
    low = np.array([r.value if r.low is None else r.low for r in rows])
    high = np.array([r.value if r.high is None else r.high for r in rows])
    y = list(range(len(rows)))[::-1]
    dots = markers(scale * value, y, color, hover)
    dots |= {
        "text": names,
        "hovertemplate": f"<b>%{{text}}</b><br>{hover}<extra></extra>",
        "error_x": {
            "type": "data", "symmetric": False, "array": (scale * np.maximum(high - value, 0)).tolist(),
            "arrayminus": (scale * np.maximum(value - low, 0)).tolist(), "color": color, "thickness": 2, "width": 5,
        },
    }  # fmt: skip
    dots["marker"] |= {"size": 10}
    return dots


def _names_axis(names: list[str]) -> dict[str, Any]:
    places = list(range(len(names)))[::-1]
    return axis(
        "", tickmode="array", tickvals=places, ticktext=names, range=[-0.6, len(names) - 0.4], ticks="", showline=False
    )
