"""Confidence bands of the ROC over a grid of false match rates, from replicates of whatever was resampled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from mated.scores.validation import read_only
from mated.uncertainty.binomial import clopper_pearson
from mated.uncertainty.replicates import Replicates, exact_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Band", "pointwise_band", "simultaneous_band"]


@dataclass(frozen=True, eq=False, repr=False)
class Band:
    """A band around TMR at the false match rates of a grid.

    Attributes
    ----------
    fmr, tmr
        The grid, ascending, and the estimate of Wu (2008), Eq. 6.
    low, high
        Ends of the band; both ascend with `fmr`.
    level
        Probability that the band is meant to hold with: at each point of the grid, or over all of it at once.
    kind
        Which of the two.
    """

    fmr: NDArray[np.float64]
    tmr: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    level: float
    kind: Literal["pointwise", "simultaneous"]

    def __post_init__(self) -> None:
        for name in ("fmr", "tmr", "low", "high"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __repr__(self) -> str:
        return f"Band({self.kind}, {self.level:g}, {len(self.fmr)} false match rates)"


def pointwise_band(
    grid: Sequence[float], tmr: NDArray[np.float64], drawn: NDArray[np.float64], level: float = 0.95
) -> Band:
    """Return percentile intervals of TMR at each false match rate of an ascending grid.

    `drawn` has one row a replicate and one column a false match rate. Each is the interval of Wu (2008) at that rate
    and holds by itself; the chance that all hold at once is lower. Not to be trusted where fewer than about ten false
    matches (f·N < 10) or missed matches stand behind a point: where nothing is missed, it has no width.
    """
    ends = [Replicates(column, value).percentile_interval(level) for column, value in zip(drawn.T, tmr, strict=True)]
    low, high = np.array(ends).T
    return Band(np.array(grid, dtype=np.float64), tmr, low, high, level, "pointwise")


def simultaneous_band(
    grid: Sequence[float], tmr: NDArray[np.float64], drawn: NDArray[np.float64], level: float = 0.95, *, trials: float
) -> Band:
    """Return a band that holds TMR at all false match rates of a grid at once: a rank envelope of the replicates.

    The k-th smallest and the k-th largest of the B replicates at each point bound the band, with the largest k for
    which at least a share `level` of whole replicate curves stays inside (Davison & Hinkley 1997, section 4.2.4). So
    the points share the risk equally, no symmetry is assumed and the band stays within 0 and 1.

    Where hardly any mated comparison is missed, replicates miss hardly any either, whatever the truth. The band is
    therefore nowhere narrower than the Clopper–Pearson interval of the estimate with the same risk, k/B a side, for
    `trials` independent mated comparisons.

    The band speaks of the grid only. A denser or wider grid widens it, and 1000 replicates or more are needed, as k
    is small. It is not to be trusted where fewer than about ten false matches are expected (f·N < 10).
    """
    replicates = len(drawn)
    ordered = np.sort(drawn, axis=0)
    inside = int(-(-exact_level(level) * replicates // 1))
    rank = int(np.sort(_depths(drawn, ordered))[replicates - inside])
    # Where all replicates agree, k says nothing; the risk of one point is never above that of the whole.
    risk = max(1 - 2 * rank / replicates, float(level))
    low, high = clopper_pearson(np.minimum(tmr * trials, trials), trials, risk)
    return Band(
        np.array(grid, dtype=np.float64),
        tmr,
        np.minimum(low, ordered[rank - 1]),
        np.maximum(high, ordered[replicates - rank]),
        level,
        "simultaneous",
    )


def _depths(drawn: NDArray[np.float64], ordered: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return for each replicate curve the largest k such that it stays within the k-th values from either end."""
    size = len(drawn)
    depth = np.full(size, size, dtype=np.int64)
    for column, values in zip(drawn.T, ordered.T, strict=True):
        np.minimum(depth, np.searchsorted(values, column, side="right"), out=depth)
        np.minimum(depth, size - np.searchsorted(values, column, side="left"), out=depth)
    return depth
