"""The densities that weigh the ROC when a CMC is predicted from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.plots.legend import legend_in_corner_or_beside
from mated.plots.style import FRAME_COLOR, LINE_PATTERNS, LINE_WIDTH, PALETTE, axes_or_new, dress
from mated.plots.ticks import plain_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

__all__ = ["draw_rank_kernels"]

_POINTS = 1001
_NEGLIGIBLE = 1e-3  # of the highest density


def draw_rank_kernels(
    pairs: Sequence[tuple[int, int]] = ((4, 40), (10, 40), (40, 400), (100, 400)), *, ax: Axes | None = None
) -> Axes:
    """Draw β(α; r, n − r), the weight of the ROC at FMR α in the CMC at rank r (Veldhuis & Raja 2023, Figure 1).

    Equal fractional ranks r/n have the same colour and a thin line at their mean r/n, equal gallery sizes the same
    pattern.

    Parameters
    ----------
    pairs
        (r, n) with 1 ≤ r < n.
    """
    if not pairs:
        raise MatedError("there is no kernel to draw; give at least one pair of rank and gallery size")
    for rank, size in pairs:
        if rank != int(rank) or size != int(size) or not 1 <= rank < size:
            raise MatedError(f"a kernel needs whole numbers 1 ≤ r < n, and (r, n) = ({rank:g}, {size:g}) is not that")
    grids = [_grid(rank, size) for rank, size in pairs]
    heights = [_density(grid, rank, size) for grid, (rank, size) in zip(grids, pairs, strict=True)]
    ax, made = axes_or_new(ax)
    in_view = [grid[height > _NEGLIGIBLE * height.max()].max() for grid, height in zip(grids, heights, strict=True)]
    ax.set_xlim(0.0, min(1.0, 1.03 * max(in_view)))
    ax.set_ylim(0.0, 1.06 * max(float(height.max()) for height in heights))
    dress(ax, x_label="", y_label="")
    plain_axis(ax.xaxis, "False match rate α")
    plain_axis(ax.yaxis, "Density β(α; r, n − r)")
    fractions = list(dict.fromkeys(rank / size for rank, size in pairs))
    sizes = list(dict.fromkeys(size for _, size in pairs))
    lines: list[Line2D] = []
    for (rank, size), grid, height in zip(pairs, grids, heights, strict=True):
        lines += ax.plot(
            grid,
            height,
            color=PALETTE[fractions.index(rank / size) % len(PALETTE)],
            # The largest gallery solid: it is the narrow peak that the others approach.
            linestyle=LINE_PATTERNS[(len(sizes) - 1 - sizes.index(size)) % len(LINE_PATTERNS)],
            linewidth=LINE_WIDTH,
            label=f"r = {rank}, n = {size}",
            zorder=3,
        )
    for fraction in fractions:
        ax.axvline(fraction, color=FRAME_COLOR, linewidth=0.6, linestyle=(0, (2, 2)), label="_mean", zorder=2)
    legend_in_corner_or_beside(ax, lines, [str(line.get_label()) for line in lines], "upper right", widen=made)
    return ax


def _grid(rank: int, size: int) -> NDArray[np.float64]:
    """Return places around the mean, eight standard deviations to either side."""
    mean = rank / size
    deviation = np.sqrt(mean * (1 - mean) / (size + 1))
    return np.linspace(max(mean - 8 * deviation, 0.0), min(mean + 8 * deviation, 1.0), _POINTS)


def _density(alpha: NDArray[np.float64], rank: int, size: int) -> NDArray[np.float64]:
    from scipy.special import betaln, xlog1py, xlogy

    logarithm = xlogy(rank - 1, alpha) + xlog1py(size - rank - 1, -alpha) - betaln(rank, size - rank)
    return np.asarray(np.exp(logarithm))
