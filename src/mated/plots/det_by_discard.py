"""DET curves of the comparisons that quality leaves: the more is discarded, the lighter the curve."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from mated.errors import MatedError
from mated.plots.det import draw_det
from mated.plots.sequential import sequential_colors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from mated.quality.det_by_discard import QualityPart

__all__ = ["draw_det_by_discard"]

_NEAR = 0.02  # relative


def draw_det_by_discard(parts: Sequence[QualityPart], *, ax: Axes | None = None) -> Axes:
    """Draw the DET at several discard fractions, or of disjoint bins of quality (Schlett et al. 2023, section VII).

    Parameters
    ----------
    parts
        What `tallies_by_discard` gives, in the order of their discard fractions. The axes are those of `draw_det`.
    """
    if not parts:
        raise MatedError("there is no DET to draw; give at least one part")
    bins = any(part.high < 1 for part in parts)
    names = _names(parts, bins=bins)
    if len(set(names)) < len(names):
        raise MatedError("two parts discard the same comparisons; give discard fractions that the data tell apart")
    before = 0 if ax is None else len(ax.get_lines())
    drawn = draw_det({name: part.det for name, part in zip(names, parts, strict=True)}, ax=ax)
    new = [line for line in drawn.get_lines()[before:] if not str(line.get_label()).startswith("_")]
    legend = drawn.get_legend()
    assert legend is not None
    keys = [handle for handle in legend.legend_handles if isinstance(handle, Line2D)]
    for lines in (new, keys):
        for line, color in zip(lines, sequential_colors(len(parts)), strict=True):
            line.set(color=color, linestyle="solid")
    return drawn


def _names(parts: Sequence[QualityPart], *, bins: bool) -> list[str]:
    """Name each part by its discard fraction: the one asked for where the steps of the data come near it."""
    reached = [part.asked if abs(part.low - part.asked) <= _NEAR * part.asked else part.low for part in parts]
    shares = [f"{100 * fraction:.3g}" for fraction in reached]
    if not bins:
        return [f"{share} % discarded" if share != "0" else "nothing discarded" for share in shares]
    names = [f"{low} to {high} %" for low, high in pairwise(shares)]
    if shares[0] == "0":
        names[0] = f"lowest {shares[1]} % by quality"
    return [*names, f"highest {100 * (1 - reached[-1]):.3g} % by quality"]
