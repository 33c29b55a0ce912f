"""Colours for things in an order, such as starting errors: from dark to light, with a key beside the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap, Normalize, to_hex

from mated.plots.style import FRAME_COLOR, LABEL_SIZE, SMALL_SIZE
from mated.plots.ticks import PlainFormatter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar

__all__ = ["PALE_TO_DARK", "add_color_scale", "add_steps_key", "sequential_colors"]

PALE_TO_DARK = ListedColormap(colormaps["BuPu"](np.linspace(0.03, 1.0, 256)))
"""For maps in which low is good: what goes wrong stands out, also in grey print."""

_LIGHTEST = 0.92  # of the map, whose yellow end is too light for a line on white


def sequential_colors(count: int) -> list[str]:
    """Return so many colours from dark purple to yellow (viridis, which also rises evenly in grey print)."""
    places = np.linspace(0.0, _LIGHTEST, count) if count > 1 else np.array([0.35])
    return [to_hex(color) for color in colormaps["viridis"](places)]


def add_steps_key(ax: Axes, colors: Sequence[str], labels: Sequence[str], title: str) -> Colorbar:
    """Put a column of colours with a label each to the right of the axes, the first one lowest."""
    edges = np.arange(len(colors) + 1)
    key = ScalarMappable(BoundaryNorm(edges, len(colors)), ListedColormap(list(colors)))
    bar = _bar(ax, key, title, spacing="uniform", drawedges=False)
    every = -(-len(colors) // 20)
    bar.set_ticks(list(edges[:-1:every] + 0.5), labels=list(labels[::every]))
    bar.minorticks_off()
    bar.ax.tick_params(length=0)
    return bar


def add_color_scale(ax: Axes, mappable: Any, title: str) -> Colorbar:
    """Put the scale of a map of colours to the right of the axes."""
    return _bar(ax, mappable, title, format=PlainFormatter())


def _bar(ax: Axes, mappable: Any, title: str, **options: Any) -> Colorbar:
    assert isinstance(mappable.norm, Normalize)
    figure = ax.get_figure()
    assert figure is not None
    bar = figure.colorbar(mappable, ax=ax, fraction=0.06, pad=0.02, aspect=26, **options)
    bar.set_label(title, fontsize=LABEL_SIZE, color="black")
    bar.ax.tick_params(labelsize=SMALL_SIZE, color=FRAME_COLOR, labelcolor="black", length=2.5, width=0.6)
    bar.outline.set(edgecolor=FRAME_COLOR, linewidth=0.6)
    return bar
