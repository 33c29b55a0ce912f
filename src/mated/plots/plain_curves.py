"""Curves, intervals and bands that are given as plain arrays: checked once, before anything is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mated.errors import MatedError
from mated.plots.style import FRAME_COLOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from matplotlib.artist import Artist
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Places: TypeAlias = Callable[[ArrayLike, str], Floats]

__all__ = [
    "Curve",
    "Interval",
    "as_curve",
    "as_curves",
    "as_intervals",
    "as_ranks",
    "as_rates",
    "as_sizes",
    "band_entry",
    "check_names",
]

Curve: TypeAlias = "tuple[ArrayLike, ArrayLike]"
"""What lies on the horizontal axis, ascending, and the rate at each."""

Interval: TypeAlias = "tuple[ArrayLike, ArrayLike, ArrayLike]"
"""What lies on the horizontal axis, ascending, and the low and the high end at each."""

_ROUNDING = 1e-9
_OPACITY = 0.2


def as_rates(values: ArrayLike, of: str) -> Floats:
    """Return rates as a row of numbers between 0 and 1; what arithmetic put just outside is put back."""
    rates = _row(values, of)
    if np.any((rates < -_ROUNDING) | (rates > 1 + _ROUNDING)):
        wrong = rates[(rates < -_ROUNDING) | (rates > 1 + _ROUNDING)][0]
        raise MatedError(f"a rate lies between 0 and 1, and {of} has {wrong:g}")
    return np.clip(rates, 0.0, 1.0)


def as_ranks(values: ArrayLike, of: str) -> Floats:
    """Return ranks as a row of floats; they are whole numbers from 1."""
    ranks = _row(values, of)
    wrong = (ranks < 1) | (ranks != np.floor(ranks))
    if wrong.any():
        raise MatedError(f"a rank is a whole number from 1 up, and {of} has {ranks[wrong][0]:g}")
    return ranks


def as_sizes(values: ArrayLike) -> Floats:
    """Return gallery sizes as an ascending row of floats from 1."""
    sizes = _row(values, "the row of gallery sizes")
    if sizes[0] < 1 or np.any(np.diff(sizes) < 0):
        raise MatedError("gallery sizes are numbers from 1 up in ascending order, and these are not")
    return sizes


def as_curve(curve: Curve, of: str, places: Places = as_rates) -> tuple[Floats, Floats]:
    """Return both coordinates of a curve; `places` checks what lies on the horizontal axis."""
    across, rates = places(curve[0], of), as_rates(curve[1], of)
    _check_pairs(across, (rates,), of)
    return across, rates


def as_curves(curves: Mapping[str, Curve], places: Places = as_rates) -> dict[str, tuple[Floats, Floats]]:
    """Return the coordinates of each curve by its name."""
    return {name: as_curve(curve, f"the curve of {name!r}", places) for name, curve in curves.items()}


def as_intervals(
    intervals: Mapping[str, Interval] | None, curves: Iterable[str], places: Places = as_rates
) -> dict[str, tuple[Floats, Floats, Floats]]:
    """Return the places, the low and the high ends by the name of the curve they belong to."""
    check_names("an interval", intervals or (), curves)
    result = {}
    for name, (x, low, high) in (intervals or {}).items():
        of = f"the interval of {name!r}"
        across, ends = places(x, of), (as_rates(low, of), as_rates(high, of))
        _check_pairs(across, ends, of)
        if np.any(ends[0] > ends[1]):
            raise MatedError(f"{of} has a low end above its high end; give the low ends first")
        result[name] = (across, *ends)
    return result


def check_names(what: str, given: Iterable[str], curves: Iterable[str]) -> None:
    """Refuse what belongs to no curve."""
    names = list(curves)
    for name in given:
        if name not in names:
            raise MatedError(f"there is {what} for {name!r}, but the curves are {', '.join(map(repr, names))}")


def band_entry(colors: Iterable[Any], level: float, *, bars: bool) -> tuple[Artist, str]:
    """Return the one legend entry of all intervals, grey where there are several colours."""
    distinct = set(colors)
    color: Any = distinct.pop() if len(distinct) == 1 else FRAME_COLOR
    percentage = f"{100 * level:.6g} %"
    if bars:
        bar = Line2D([], [], color=color, linestyle="none", marker="|", markersize=9, markeredgewidth=1.4)
        return bar, f"{percentage} interval"
    patch = Patch(facecolor=(color, _OPACITY), edgecolor=(color, 2 * _OPACITY), linewidth=0.5)
    return patch, f"{percentage} band (pointwise)"


def _row(values: ArrayLike, of: str) -> Floats:
    try:
        row = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise MatedError(f"{of} has something that is not a number") from None
    if row.ndim != 1 or not len(row):
        raise MatedError(f"{of} needs a row of numbers, and its shape is {row.shape}")
    if not np.isfinite(row).all():
        raise MatedError(f"{of} has a value that is not a finite number; leave that point out")
    return row


def _check_pairs(across: Floats, others: tuple[Floats, ...], of: str) -> None:
    for other in others:
        if len(other) != len(across):
            raise MatedError(f"{of} has {len(across)} places and {len(other)} rates; give as many of each")
    if np.any(np.diff(across) < 0):
        raise MatedError(f"{of} needs its places in ascending order")
