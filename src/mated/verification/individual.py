"""ROCs of single subjects, and their average over constant false match rate.

The global ROC applies one threshold to everybody; the average ROC gives every subject the threshold at which
its own false match rate is the one asked for. Identification is governed by the latter (Veldhuis & Raja 2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.validation import read_only
from mated.verification.curves import false_match_rates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from mated.scores import SubjectTallies

__all__ = ["IndividualRocs", "RocFunction", "average_roc", "individual_rocs"]


@dataclass(frozen=True, eq=False, repr=False)
class RocFunction:
    """TMR as a piecewise linear function of FMR, from FMR 0 to (1, 1).

    At FMR 0 the value may be above 0: the share of mated scores above every non-mated one.
    """

    fmr: NDArray[np.float64]
    tmr: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "fmr", read_only(self.fmr))
        object.__setattr__(self, "tmr", read_only(self.tmr))

    def __call__(self, fmr: ArrayLike) -> Any:
        """TMR at the given false match rates."""
        value = np.interp(false_match_rates(fmr), self.fmr, self.tmr)
        return value if np.ndim(value) else float(value)

    @property
    def area(self) -> float:
        """Area under the function."""
        return float(np.trapezoid(self.tmr, self.fmr))

    def __len__(self) -> int:
        return len(self.fmr)

    def __repr__(self) -> str:
        return f"RocFunction({len(self)} corners)"


@dataclass(frozen=True, eq=False, repr=False)
class IndividualRocs:
    """The ROC of every subject that has mated and non-mated comparisons, held as one ragged array.

    Attributes
    ----------
    subjects
        Subject codes, ascending; the ROC of `subjects[k]` has the corners `starts[k]` to `starts[k + 1]`.
    """

    subjects: NDArray[np.int64]
    starts: NDArray[np.int64]
    fmr: NDArray[np.float64]
    tmr: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.subjects)

    def __getitem__(self, position: int) -> RocFunction:
        if not -len(self) <= position < len(self):
            raise IndexError(position)
        position %= len(self)
        corners = slice(self.starts[position], self.starts[position + 1])
        return RocFunction(self.fmr[corners], self.tmr[corners])

    def __iter__(self) -> Iterator[RocFunction]:
        return (self[position] for position in range(len(self)))

    def __repr__(self) -> str:
        return f"IndividualRocs({len(self)} subjects)"


def individual_rocs(tallies: SubjectTallies) -> IndividualRocs:
    """Return each subject's ROC (Veldhuis & Raja 2023, Eqs. 28 and 29).

    Corners are (share of the subject's non-mated scores ≥ t, share of its mated scores ≥ t) at its mated
    scores t; of corners at equal FMR the one with the largest TMR stays; (0, 0) and (1, 1) are joined on.
    """
    subjects = tallies.subjects
    if not len(subjects):
        raise MatedError("no subject has both mated and non-mated comparisons, so there is no individual ROC")
    grid = tallies.grid
    rows = np.isin(grid.subject, subjects)
    owner = np.searchsorted(subjects, grid.subject[rows])
    counts = grid.count[rows]
    first = np.searchsorted(owner, np.arange(len(subjects)))
    per_subject = np.add.reduceat(counts, first)
    # Mated scores of the subject at or above each entry: the subject's total less what came before.
    before = np.cumsum(counts) - counts
    at_or_above = per_subject[owner] - (before - before[first][owner])
    fmr = tallies.nonmated_at_or_above[rows] / tallies.nonmated_total[subjects][owner]
    tmr = at_or_above / per_subject[owner]
    # Entries ascend in score, so FMR descends: of equal FMR the first entry has the largest TMR.
    keep = np.ones(len(owner), dtype=bool)
    keep[1:] = (owner[1:] != owner[:-1]) | (fmr[1:] != fmr[:-1])
    owner, fmr, tmr = (np.concatenate([a[keep][::-1]]) for a in (owner, fmr, tmr))
    everyone = np.arange(len(subjects))
    lacks_zero = np.setdiff1d(everyone, owner[fmr == 0])
    lacks_one = np.setdiff1d(everyone, owner[fmr == 1])
    owner = np.concatenate([owner, lacks_zero, lacks_one])
    fmr = np.concatenate([fmr, np.zeros(len(lacks_zero)), np.ones(len(lacks_one))])
    tmr = np.concatenate([tmr, np.zeros(len(lacks_zero)), np.ones(len(lacks_one))])
    order = np.lexsort((fmr, owner))
    starts = np.searchsorted(owner[order], np.arange(len(subjects) + 1))
    return IndividualRocs(subjects, starts, fmr[order], tmr[order])


def average_roc(rocs: IndividualRocs) -> RocFunction:
    """Return the mean of the individual ROCs at constant false match rate (Veldhuis & Raja 2023, Eq. 11).

    The mean of piecewise linear functions is one again, with a corner wherever one of them has one; it is
    built from the changes of slope in one sorted pass, without evaluating every function everywhere.
    """
    slope = np.diff(rocs.tmr) / np.where(np.diff(rocs.fmr) > 0, np.diff(rocs.fmr), np.inf)
    last = rocs.starts[1:] - 1
    outgoing = np.append(slope, 0.0)
    outgoing[last] = 0.0
    change = outgoing.copy()
    change[1:] -= outgoing[:-1]
    change[rocs.starts[:-1]] = outgoing[rocs.starts[:-1]]
    corners, where = np.unique(rocs.fmr, return_inverse=True)
    slopes = np.cumsum(np.bincount(where, weights=change, minlength=len(corners)))
    at_zero = rocs.tmr[rocs.starts[:-1]].sum()
    rises = np.diff(corners) * slopes[:-1]
    values = (at_zero + np.concatenate([[0.0], np.cumsum(rises)])) / len(rocs)
    return RocFunction(corners, np.minimum(values, 1.0))
