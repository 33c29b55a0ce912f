"""Upright error bars at single points of a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

__all__ = ["draw_upright_bars"]


def draw_upright_bars(
    ax: Axes, bars: Iterable[tuple[float, float, float]], color: Any, *, shift: float = 0.0
) -> list[Line2D]:
    """Draw (place, low, high) as bars, moved sideways by `shift` points so that those of several curves stay apart."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    moved = ax.transData + ScaledTranslation(shift / 72, 0, figure.dpi_scale_trans)
    drawn = []
    for place, low, high in bars:
        bar = Line2D(
            [place, place],
            [low, high],
            color=color,
            linewidth=1.3,
            marker="_",
            markersize=6,
            markeredgewidth=1.3,
            label="_interval",
            clip_on=False,
            zorder=3.5,
        )
        # Not as data of the axes, whose limits are set.
        bar.set_transform(moved)
        ax.add_artist(bar)
        drawn.append(bar)
    return drawn
