"""What all figures of the page share: how a figure is handed over, its colours, axes, lines, bands and labels.

A colour is a name ("~c0", "~ink", "~c0/15" for 15 % of it) that the page's script looks up in its style sheet, so that
one figure serves light, dark and paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.plots.style import PALETTE
from mated.plots.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "DASHES",
    "MATED",
    "NONMATED",
    "FigureSpec",
    "Key",
    "axis",
    "band",
    "color_of",
    "dash_of",
    "figure",
    "follower",
    "label",
    "line",
    "markers",
    "percent_ticks",
    "rounded",
    "several_labels",
    "unit_share",
]

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
MATED, NONMATED = "~c0", "~c1"
_LONGEST_LABEL = 32


@dataclass(frozen=True)
class Key:
    """One entry of a figure's legend, which is written below the picture as text."""

    text: str
    color: str
    kind: Literal["line", "band", "dot", "ring", "area", "square"] = "line"
    dash: str = "solid"


@dataclass(frozen=True)
class FigureSpec:
    """A figure as Plotly takes it, with what is said about it.

    Attributes
    ----------
    data, layout
        Traces and layout; colours are names that the page resolves.
    title
        What it shows, in a few words.
    summary
        The same for those who cannot see it: the main values in a sentence.
    caption
        How to read it.
    keys
        Its legend.
    error
        How far thinning moved its curves, in shares of an axis.
    height
        In pixels.
    """

    data: list[dict[str, Any]]
    layout: dict[str, Any]
    title: str
    summary: str
    caption: str = ""
    keys: tuple[Key, ...] = ()
    error: float = 0.0
    height: int = 360
    notes: tuple[str, ...] = ()


def color_of(index: int) -> str:
    """Return the colour of a system by its place."""
    return f"~c{index % len(PALETTE)}"


def dash_of(index: int) -> str:
    """Return the line pattern of a system by its place; neighbours differ in grey print too."""
    return DASHES[index % len(DASHES)]


def label(text: str, most: int = _LONGEST_LABEL) -> str:
    """Return what Plotly draws as `text`, on one line; Plotly would read tags and entities in it."""
    return escape(shorten(text, most), quote=False)


def several_labels(names: Iterable[str], most: int = _LONGEST_LABEL) -> list[str]:
    """Return labels that differ where the names do."""
    from mated.plots.text import display_names

    return [escape(name, quote=False) for name in display_names(names, most)]


def rounded(values: ArrayLike, digits: int = 7) -> list[float | None]:
    """Return numbers for JSON with some significant digits; what is not finite becomes a gap."""
    numbers = np.asarray(values, dtype=np.float64).tolist()
    return [float(f"{value:.{digits}g}") if np.isfinite(value) else None for value in numbers]


def unit_share(values: ArrayLike, low: float, high: float) -> NDArray[np.float64]:
    """Return places along an axis as shares of its length, cut off a little outside it."""
    placed: NDArray[np.float64] = (np.asarray(values, dtype=np.float64) - low) / (high - low)
    return np.clip(placed, -0.1, 1.1)


def line(
    x: ArrayLike, y: ArrayLike, index: int, name: str, hover: str, *, custom: Sequence[ArrayLike] = (), **more: Any
) -> dict[str, Any]:
    """Return a curve in the look of system number `index`; `hover` says what its values are."""
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines",
        "x": rounded(x),
        "y": rounded(y),
        "name": name,
        "line": {"color": color_of(index), "width": 2, "dash": dash_of(index)},
        "hovertemplate": f"<b>%{{fullData.name}}</b><br>{hover}<extra></extra>",
    }
    if custom:
        trace["customdata"] = [list(row) for row in zip(*(rounded(c, 4) for c in custom), strict=True)]
    return trace | more


def band(x: ArrayLike, low: ArrayLike, high: ArrayLike, color: str) -> dict[str, Any]:
    """Return a shaded area between two lines over the same places."""
    across = rounded(x)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": across + across[::-1],
        "y": rounded(low) + rounded(high)[::-1],
        "fill": "toself",
        "fillcolor": f"{color}/16",
        "line": {"color": f"{color}/16", "width": 0},
        "hoverinfo": "skip",
    }


def markers(
    x: ArrayLike, y: ArrayLike, color: str, hover: str | None = None, *, name: str = "", **more: Any
) -> dict[str, Any]:
    """Return dots with a thin rim in the colour of the paper, so that they stand out from their curve."""
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "x": rounded(x, 12),
        "y": rounded(y, 12),
        "name": name,
        "cliponaxis": False,
        "marker": {"color": color, "size": 8, "line": {"color": "~surface", "width": 1.5}},
    }
    if hover is None:
        trace["hoverinfo"] = "skip"
    else:
        trace["hovertemplate"] = f"<b>%{{fullData.name}}</b><br>{hover}<extra></extra>"
    return trace | more


def follower(color: str, name: str, **meta: Any) -> dict[str, Any]:
    """Return the diamond that the explorer moves; `meta` tells the page's script where to."""
    trace = markers([np.nan], [np.nan], color, name=name)
    rim = {"color": "~ink", "width": 1.5}
    return trace | {"marker": {"color": color, "size": 13, "symbol": "diamond", "line": rim}, "meta": meta}


def axis(title: str, **more: Any) -> dict[str, Any]:
    """Return an axis in the house style."""
    return {
        "title": {"text": title, "standoff": 8},
        "showgrid": True,
        "gridcolor": "~grid",
        "zeroline": False,
        "linecolor": "~axis",
        "showline": True,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": "~axis",
        "exponentformat": "none",
        "separatethousands": True,
        "automargin": True,
        **more,
    }


def figure(
    data: list[dict[str, Any]], x: dict[str, Any], y: dict[str, Any], *, height: int = 360, **more: Any
) -> dict[str, Any]:
    """Return the layout of a figure with one pair of axes."""
    return {
        "xaxis": x,
        "yaxis": y,
        "height": height,
        "margin": {"l": 56, "r": 24, "t": 12, "b": 44},
        "showlegend": False,
        "hovermode": "closest",
        "separators": ".\u202f",
        "paper_bgcolor": "~none",
        "plot_bgcolor": "~none",
        "font": {"color": "~ink", "size": 12},
        "hoverlabel": {"bgcolor": "~surface", "bordercolor": "~axis", "font": {"color": "~ink", "size": 12}},
        **more,
    }


def percent_ticks(low: float, high: float) -> dict[str, Any]:
    """Return ticks at powers of ten of an axis of rates in percent, and finer ones where it spans few of them."""
    decades = np.log10(high / low)
    steps = (1,) if decades > 2.5 else (1, 2, 5)
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    rates = [float(f"{step}e{power}") for power in powers for step in steps]
    shown = [rate for rate in rates if 0.999 * low <= rate <= 1.001 * high]
    every = 1 + (len(shown) - 1) // 8
    shown = shown[::-1][::every][::-1]
    return {
        "type": "log",
        "tickmode": "array",
        "tickvals": shown,
        "ticktext": [_tick(rate) for rate in shown],
        "range": [float(np.log10(low)), float(np.log10(high))],
    }


def _tick(percentage: float) -> str:
    """Write a tick in full as far as it can be read, below that as a power of ten."""
    from mated.plots.written_numbers import write_percentage

    words = f"{percentage:.8f}".rstrip("0").rstrip(".") if percentage >= 1e-5 else write_percentage(percentage / 100)
    return f"{words.removesuffix('%').strip()}\u00a0%"
