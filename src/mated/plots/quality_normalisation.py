"""Where the boundaries of a normalisation lie among the qualities that are to be normalised."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mated.errors import MatedError
from mated.plots.legend import legend_above
from mated.plots.style import PALETTE, add_note, axes_or_new, dress
from mated.plots.text import shorten
from mated.plots.ticks import plain_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from mated.quality.normalisation import Calibration

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["draw_calibration"]

_BINS = 80
_METHODS = {"minmax": "MinMax", "proportional": "Proportional"}
_COLOR, _BOUNDARY_COLOR = PALETTE[0], PALETTE[1]


def draw_calibration(
    quality: ArrayLike,
    calibration: Calibration,
    *,
    ax: Axes | None = None,
    name: str = "qualities",
    calibrated_on: str | None = None,
) -> Axes:
    """Draw the histogram of raw qualities and the boundaries that turn them into integers.

    Schlett et al. (2023), Figures 7 and 8. The axis reaches over all qualities and all boundaries. A note says how many
    of the levels hold a sample, and which share of the samples the fullest one holds.

    Parameters
    ----------
    quality
        Raw qualities of the samples.
    calibration
        The boundaries, calibrated on these qualities or on others.
    name, calibrated_on
        What the qualities are and what the boundaries were found from, for the legend.
    """
    values = np.asarray(quality, dtype=np.float64).ravel()
    if not len(values) or not np.isfinite(values).all():
        raise MatedError("a histogram of qualities needs at least one, and finite ones")
    boundaries = calibration.boundaries
    low, high = (float(f([f(values), f(boundaries)])) for f in (np.min, np.max))
    if low == high:
        low, high = low - 0.5, high + 0.5
    counts, edges = np.histogram(values, _BINS, range=(low, high))
    share = counts / len(values)
    ax, _ = axes_or_new(ax, 6.0, 3.4)
    ax.set_xscale("linear")
    ax.set_yscale("linear")
    margin = 0.01 * (high - low)
    ax.set(xlim=(low - margin, high + margin), ylim=(0.0, 1.08 * float(share.max())))
    dress(ax, x_label="", y_label="")
    ax.grid(visible=False, axis="x")
    plain_axis(ax.xaxis, "Raw quality")
    plain_axis(ax.yaxis, "Share of samples", percent=True)
    ax.stairs(share, edges, fill=True, color=_COLOR, alpha=0.45, linewidth=0, zorder=2)
    ax.stairs(share, edges, color=_COLOR, linewidth=1.0, zorder=3)
    ax.vlines(
        boundaries, 0.0, 1.0, transform=ax.get_xaxis_transform(), colors=_BOUNDARY_COLOR, linewidths=0.5, alpha=0.7,
        label="_boundaries", zorder=2.5,
    )  # fmt: skip
    handles = [Patch(facecolor=(_COLOR, 0.45), edgecolor=_COLOR), Line2D([], [], color=_BOUNDARY_COLOR, linewidth=1.0)]
    words = f"{len(boundaries)} boundaries, {_METHODS[calibration.method]}"
    if calibrated_on is not None:
        words = f"{words} of {shorten(calibrated_on, 30)}"
    legend_above(ax, handles, [shorten(name, 30), words])
    add_note(ax, [_used(calibration(values), len(boundaries) + 1, len(values))])
    return ax


def _used(level: NDArray[np.int64], levels: int, total: int) -> str:
    held = np.bincount(level, minlength=levels)
    fullest = 100 * held.max() / total
    return f"{np.count_nonzero(held)} of {levels} levels hold a sample; the fullest holds {fullest:.3g} % of {total:,}"
