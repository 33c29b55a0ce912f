"""Estimates with their intervals, one line each: error bars of systems or groups, and differences of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from mated.errors import MatedError
from mated.plots.legend import legend_above
from mated.plots.style import FRAME_COLOR, PALETTE, SMALL_SIZE, axes_or_new, dress, log_rate_axis
from mated.plots.text import display_names, draw_literally
from mated.plots.ticks import name_ticks, plain_axis, span_with_margin
from mated.plots.written_numbers import write_estimate, write_percentage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["draw_differences", "draw_error_bars"]

_LOG_FROM = 30.0  # times the smallest value
_MOST_CHARACTERS = 34
_CHARACTER_INCHES = 0.065
_ROOM_FOR_VALUES = 0.14  # of the axis, above the highest interval that stands
_COLOR = PALETTE[0]


def draw_error_bars(
    estimates: Mapping[str, tuple[float, float, float]],
    *,
    ax: Axes | None = None,
    label: str = "Equal error rate",
    percent: bool = True,
    horizontal: bool = True,
) -> Axes:
    """Draw a value with its interval for each system or group (Wu 2008, Figure 5).

    The axis is logarithmic where the values differ by more than a factor of 30 and every interval lies above zero.
    An interval whose ends are not both finite is left out, and the value stands alone.

    Parameters
    ----------
    estimates
        (value, low, high) by name, drawn in this order: downwards, or to the right where not `horizontal`.
    label
        What the values are.
    percent
        Whether rates are written as percentages.
    horizontal
        Whether the intervals lie, with names at the left and numbers at the right; else they stand, with the value
        above each.
    """
    if not estimates:
        raise MatedError("there is no estimate to draw; give at least one")
    values = _triples(list(estimates), list(estimates.values()))
    names = display_names(estimates, _MOST_CHARACTERS)
    words = [write_estimate(*row, percent=percent, interval=horizontal) for row in values]
    size = _lying_size(names, words) if horizontal else _standing_size(names)
    ax, _ = axes_or_new(ax, *size)
    which: Literal["x", "y"] = "x" if horizontal else "y"
    _set_axis(ax, which, values, label, percent)
    _draw_bars(ax, which, values, np.ones(len(values), dtype=bool))
    _place_names(ax, which, names)
    for place, (row, text) in enumerate(zip(values, words, strict=True)):
        if horizontal:
            _write_beside(ax, place, text)
        else:
            _write_above(ax, place, float(np.nanmax(row)), text)
    return ax


def draw_differences(
    rows: Sequence[tuple[str, float, float, float, bool]], *, ax: Axes | None = None, label: str = "Difference"
) -> Axes:
    """Draw differences between pairs of systems with their intervals, and a line at zero.

    Parameters
    ----------
    rows
        (label, difference, low, high, significant), drawn downwards. Whether a difference is significant is for
        the test to say, with its correction for many pairs: the marker is filled where it is, hollow where not,
        also where the interval would say otherwise.
    label
        What the differences are, such as "Difference of equal error rates".
    """
    if not rows:
        raise MatedError("there is no difference to draw; give at least one")
    labels = [row[0] for row in rows]
    values = _triples(labels, [row[1:4] for row in rows])
    significant = np.array([bool(row[4]) for row in rows])
    names, words = display_names(labels, _MOST_CHARACTERS), [write_estimate(*row, signed=True) for row in values]
    ax, _ = axes_or_new(ax, *_lying_size(names, words, above=0.3))
    dress(ax, x_label=label, y_label="")
    shown = np.append(values[np.isfinite(values)], 0.0)
    ax.set_xlim(*span_with_margin(float(shown.min()), float(shown.max())))
    plain_axis(ax.xaxis, label)
    ax.axvline(0.0, color=FRAME_COLOR, linewidth=1.0, label="_zero", zorder=2.5)
    _draw_bars(ax, "x", values, significant)
    _place_names(ax, "x", names)
    for place, text in enumerate(words):
        _write_beside(ax, place, text)
    entries = [(True, "significant"), (False, "not significant")]
    used = [(_marker(filled), word) for filled, word in entries if (significant == filled).any()]
    legend_above(ax, [handle for handle, _ in used], [word for _, word in used])
    return ax


def _triples(names: Sequence[str], rows: Sequence[tuple[float, float, float]]) -> NDArray[np.float64]:
    """Return value, low and high as rows; an interval without two finite ends becomes NaN."""
    values = np.array(rows, dtype=np.float64).reshape(len(names), 3)
    for name, (value, low, high) in zip(names, values, strict=True):
        if not np.isfinite(value):
            raise MatedError(f"the value of {name!r} is {value:g}, which cannot be drawn; leave it out")
        if low > high:
            raise MatedError(f"the interval of {name!r} goes from {low:g} down to {high:g}; give the low end first")
    values[~np.isfinite(values).all(axis=1), 1:] = np.nan
    return values


def _lying_size(names: Sequence[str], words: Sequence[str], above: float = 0.0) -> tuple[float, float]:
    """Return the size in inches of a figure with names at its left and words at its right."""
    characters = max(map(len, names)) + max(map(len, words))
    return 3.6 + characters * _CHARACTER_INCHES, min(1.1 + above + 0.3 * len(names), 60.0)


def _standing_size(names: Sequence[str]) -> tuple[float, float]:
    """Return the size in inches of a figure with names below it, slanted where they are long."""
    return float(np.clip(1.6 + 0.6 * len(names), 3, 60)), 3.6 + 0.8 * _CHARACTER_INCHES * max(map(len, names))


def _set_axis(ax: Axes, which: Literal["x", "y"], values: NDArray[np.float64], label: str, percent: bool) -> None:
    dress(ax, x_label="", y_label="")
    axis = ax.xaxis if which == "x" else ax.yaxis
    set_limits = ax.set_xlim if which == "x" else ax.set_ylim
    shown = values[np.isfinite(values)]
    low, high = float(shown.min()), float(shown.max())
    room = _ROOM_FOR_VALUES if which == "y" else 0.0
    if low > 0 and values[:, 0].max() > _LOG_FROM * values[:, 0].min():
        (ax.set_xscale if which == "x" else ax.set_yscale)("log")
        bottom, top = span_with_margin(np.log10(low), np.log10(high))
        set_limits(10.0**bottom, 10.0 ** (top + room * (top - bottom)))
        log_rate_axis(axis)
        if percent:
            axis.set_major_formatter(FuncFormatter(lambda rate, _: write_percentage(rate)))
        axis.label.set_text(label)
        draw_literally(axis.label)
        return
    bottom, top = span_with_margin(low, high)
    if 0 <= low < 0.3 * high:
        bottom = -0.02 * top  # zero is near: show it
    set_limits(bottom, top + room * (top - bottom))
    plain_axis(axis, label, percent=percent)


def _draw_bars(ax: Axes, which: Literal["x", "y"], values: NDArray[np.float64], filled: NDArray[np.bool_]) -> None:
    for place, ((value, *ends), full) in enumerate(zip(values, filled, strict=True)):
        bar = Line2D(
            *((ends, [place, place]) if which == "x" else ([place, place], ends)),
            color=_COLOR,
            linewidth=1.5,
            marker="|" if which == "x" else "_",
            markersize=9,
            markeredgewidth=1.3,
            label="_interval",
            zorder=3,
        )
        ax.add_line(bar)
        dot = _marker(bool(full))
        dot.set_data(*(([value], [place]) if which == "x" else ([place], [value])))
        ax.add_line(dot)


def _marker(filled: bool) -> Line2D:
    return Line2D(
        [],
        [],
        linestyle="none",
        marker="o",
        markersize=5.5,
        markerfacecolor=_COLOR if filled else "white",
        markeredgecolor=_COLOR,
        markeredgewidth=1.3,
        label="_estimate",
        zorder=4,
    )


def _place_names(ax: Axes, values_on: Literal["x", "y"], names: Sequence[str]) -> None:
    """Put the names on the other axis, from the top down or from left to right."""
    ends = -0.6, len(names) - 0.4
    if values_on == "x":
        ax.set_ylim(*reversed(ends))
        name_ticks(ax, "y", names)
        ax.grid(visible=False, axis="y")
    else:
        ax.set_xlim(*ends)
        name_ticks(ax, "x", names)
        ax.grid(visible=False, axis="x")


def _write_beside(ax: Axes, place: int, words: str) -> None:
    text = ax.annotate(
        words,
        xy=(1.0, place),
        xycoords=ax.get_yaxis_transform(),
        xytext=(6.0, 0.0),
        textcoords="offset points",
        verticalalignment="center",
        fontsize=SMALL_SIZE,
        color="black",
        annotation_clip=False,
    )
    draw_literally(text)


def _write_above(ax: Axes, place: int, top: float, words: str) -> None:
    text = ax.annotate(
        words,
        xy=(place, top),
        xytext=(0.0, 6.0),
        textcoords="offset points",
        horizontalalignment="center",
        verticalalignment="bottom",
        fontsize=SMALL_SIZE,
        color="black",
        annotation_clip=False,
    )
    draw_literally(text)
