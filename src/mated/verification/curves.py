"""The ROC and DET curves of a tally."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mated.scores import Tally

__all__ = ["DetCurve", "RocCurve", "det_curve", "false_match_rates", "roc_curve"]


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve:
    """True match rate against false match rate, joined by straight lines (the trapezoidal rule).

    The points are the origin and (FMR, TMR) = (C_I(s), C_G(s)) at every observed score s, from the highest
    down (Wu 2008, section 2). `roc(f)` reads the curve at any false match rate.

    Attributes
    ----------
    fmr, tmr
        Coordinates, both ascending, from (0, 0) to (1, 1).
    scores
        The observed scores, from the highest down, one for each point after the origin.
    dissimilarity
        Whether the user's scores are those negated.
    """

    fmr: NDArray[np.float64]
    tmr: NDArray[np.float64]
    scores: NDArray[np.floating[Any]]
    dissimilarity: bool = False

    def __post_init__(self) -> None:
        for name in ("fmr", "tmr", "scores"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @cached_property
    def threshold(self) -> NDArray[np.floating[Any]]:
        """The threshold of each point in the user's scoring system; at the origin one that nothing reaches."""
        inner = np.concatenate([[self.scores.dtype.type(np.inf)], self.scores])
        return read_only(-inner if self.dissimilarity else inner)

    def __call__(self, fmr: ArrayLike) -> Any:
        """TMR at the given false match rates by Wu (2008), Eq. 6.

        Where the curve is vertical the lower end is given, as in the paper, except at FMR 0, where it is the
        rate of mated scores above every non-mated score.
        """
        asked = false_match_rates(fmr)
        above = np.clip(np.searchsorted(self.fmr, asked, side="left"), 1, len(self.fmr) - 1)
        width = self.fmr[above] - self.fmr[above - 1]
        share = np.divide(asked - self.fmr[above - 1], width, out=np.zeros_like(asked), where=width > 0)
        value = self.tmr[above - 1] + share * (self.tmr[above] - self.tmr[above - 1])
        at_zero = self.tmr[np.searchsorted(self.fmr, 0.0, side="right") - 1]
        result = np.where(asked == 0, at_zero, value)
        return result if result.ndim else float(result)

    @property
    def area(self) -> float:
        """Area under the curve by the trapezoidal rule; `auc` computes the same from integers."""
        return float(np.trapezoid(self.tmr, self.fmr))

    def __len__(self) -> int:
        return len(self.fmr)

    def __repr__(self) -> str:
        return f"RocCurve({len(self)} points)"


@dataclass(frozen=True, eq=False, repr=False)
class DetCurve:
    """The two error rates against each other, with the type I error of Wu (2008), Eq. 8.

    At a legitimate score s the false match rate is C_I(s) and the type I error is 1 − C_G(s + 1): both
    count the comparisons that score exactly s. A gap between observed scores that holds a legitimate score adds a
    point of its own, which is the usual (FMR, FNMR) pair of the thresholds in that gap.

    Attributes
    ----------
    fmr
        Type II error, ascending.
    fnmr
        Type I error, descending.
    scores
        The observed scores, from the highest down.
    has_gap
        Whether a point for the gap below each score follows the score's own.
    dissimilarity
        Whether the user's scores are those negated.
    """

    fmr: NDArray[np.float64]
    fnmr: NDArray[np.float64]
    scores: NDArray[np.floating[Any]]
    has_gap: NDArray[np.bool_]
    dissimilarity: bool = False

    def __post_init__(self) -> None:
        for name in ("fmr", "fnmr", "scores", "has_gap"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @cached_property
    def threshold(self) -> NDArray[np.floating[Any]]:
        """The score of each point, or the upper end of its gap, in the user's scoring system."""
        inner = np.repeat(self.scores, 1 + self.has_gap)
        return read_only(-inner if self.dissimilarity else inner)

    def __len__(self) -> int:
        return len(self.fmr)

    def __repr__(self) -> str:
        return f"DetCurve({len(self)} points)"


def false_match_rates(fmr: ArrayLike) -> NDArray[np.float64]:
    """Return what a curve is read at, and refuse what is no rate; 0 and 1 are."""
    asked = np.asarray(fmr, dtype=np.float64)
    if np.any((asked < 0) | (asked > 1) | np.isnan(asked)):
        raise MatedError(f"a false match rate lies between 0 and 1, and {fmr!r} does not")
    return asked


def roc_curve(tally: Tally) -> RocCurve:
    """Return the ROC of a tally with both classes."""
    size = len(tally.scores) + 1
    fmr, tmr = np.empty(size), np.empty(size)
    fmr[0] = tmr[0] = 0.0
    np.divide(tally.nonmated_at_or_above[::-1], tally.n_nonmated, out=fmr[1:])
    np.divide(tally.mated_at_or_above[::-1], tally.n_mated, out=tmr[1:])
    return RocCurve(fmr, tmr, tally.scores[::-1], tally.dissimilarity)


def det_curve(tally: Tally) -> DetCurve:
    """Return the DET of a tally with both classes."""
    # From the top: a score, then the gap below it; the errors of the gap are those of a threshold at the score.
    size = 2 * len(tally.scores) - 1
    fmr, fnmr = np.empty(size), np.empty(size)
    np.divide(tally.nonmated_at_or_above[::-1], tally.n_nonmated, out=fmr[::2])
    fmr[1::2] = fmr[:-1:2]
    fnmr[0] = 1.0
    np.divide(tally.n_mated - tally.mated_at_or_above[:0:-1], tally.n_mated, out=fnmr[1::2])
    fnmr[2::2] = fnmr[1::2]
    has_gap = np.ones(len(tally.scores), dtype=bool)
    has_gap[-1] = False  # below the lowest score
    if tally.unit is not None:
        has_gap[:-1] = np.diff(tally.scores.astype(np.float64))[::-1] > 1.5 * float(tally.unit)
        kept = np.ones(size, dtype=bool)
        kept[1::2] = has_gap[:-1]
        fmr, fnmr = fmr[kept], fnmr[kept]
    return DetCurve(fmr, fnmr, tally.scores[::-1], has_gap, tally.dissimilarity)
