"""Confidence bands behind ROC and DET curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon

from mated.errors import MatedError
from mated.plots.style import FRAME_COLOR
from mated.plots.text import one_line
from mated.plots.thinning import visible_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["ConfidenceBand", "Edge", "check_bands", "shade", "with_bands"]

Edge: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64]]"
"""The coordinates of one end of a band, from left to right."""

_OPACITY = 0.2


class ConfidenceBand(Protocol):
    """What a band must have: the ends of TMR over a grid of FMRs, which ascends, and what they mean."""

    @property
    def fmr(self) -> NDArray[np.float64]:
        """The grid."""

    @property
    def tmr(self) -> NDArray[np.float64]:
        """The estimates."""

    @property
    def low(self) -> NDArray[np.float64]:
        """The lower end at each point of the grid."""

    @property
    def high(self) -> NDArray[np.float64]:
        """The upper end at each point of the grid."""

    @property
    def level(self) -> float:
        """The probability that the band is meant to hold with."""

    @property
    def kind(self) -> str:
        """Whether that is at each point or at all at once."""


def check_bands(bands: Mapping[str, ConfidenceBand], curves: Iterable[str]) -> None:
    """Refuse a band without its curve and one that cannot be drawn."""
    names = list(curves)
    for name, band in bands.items():
        if name not in names:
            raise MatedError(f"there is a band for {name!r}, but the curves are {', '.join(map(repr, names))}")
        ends = (band.fmr, band.low, band.high)
        if len({len(end) for end in ends}) > 1 or not len(band.fmr):
            raise MatedError(f"the band of {name!r} needs a low and a high end for each of its false match rates")
        if not all(np.isfinite(end).all() for end in ends) or np.any(np.diff(band.fmr) < 0):
            raise MatedError(f"the band of {name!r} needs ascending false match rates and ends that are numbers")


def shade(ax: Axes, lower: Edge, upper: Edge, color: Any) -> Artist | None:
    """Fill what lies between two ends, which are joined by straight lines on paper; of a single point draw a bar."""
    if not len(lower[0]):
        return None
    if len(lower[0]) == 1:
        x, ends = lower[0][0], (lower[1][0], upper[1][0])
        look: dict[str, Any] = {"marker": "_", "markersize": 8, "markeredgewidth": 1.4, "linewidth": 1.4}
        return ax.plot([x, x], ends, color=color, label="_band", zorder=3.5, **look)[0]
    outline = [np.column_stack(visible_points(ax, *edge)) for edge in (lower, upper)]
    area = Polygon(
        np.concatenate([outline[0], outline[1][::-1]]),
        facecolor=(color, _OPACITY),
        edgecolor=(color, 2 * _OPACITY),
        linewidth=0.5,
        label="_band",
        zorder=2.5,
    )
    # Not as data of the axes: their limits are set, and a band may reach beyond them.
    ax.add_artist(area)
    return area


def with_bands(
    lines: list[Line2D], names: list[str], bands: Mapping[str, ConfidenceBand]
) -> tuple[list[Artist], list[str]]:
    """Add one legend entry for all bands to those of the curves, grey where there are several colours."""
    if not bands:
        return [*lines], names
    color: Any = lines[0].get_color() if len(lines) == 1 else FRAME_COLOR
    handle: Artist
    if all(len(band.fmr) == 1 for band in bands.values()):
        handle = Line2D([], [], color=color, linestyle="none", marker="|", markersize=9, markeredgewidth=1.4)
    else:
        handle = Patch(facecolor=(color, _OPACITY), edgecolor=(color, 2 * _OPACITY), linewidth=0.5)
    return [*lines, handle], [*names, ", ".join(dict.fromkeys(_words(band) for band in bands.values()))]


def _words(band: ConfidenceBand) -> str:
    percentage = f"{100 * band.level:.6g} %"
    return f"{percentage} interval" if len(band.fmr) == 1 else f"{percentage} band ({one_line(band.kind)})"
