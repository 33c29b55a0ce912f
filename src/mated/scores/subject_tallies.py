"""`SubjectTallies`: what each subject's own comparisons say, at the thresholds its mated scores set.

Individual error rates need, for every subject, the mated scores and how many of the subject's non-mated
scores reach each of them. That is all that is kept: memory grows with the mated comparisons, not with the
non-mated ones. Counting goes in two steps so that chunks can be merged: `MatedGrid` collects the mated
scores of all chunks, then each chunk is counted on that grid and the counts are added.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores.comparisons import Comparisons
    from mated.scores.ids import PairIds

__all__ = ["MatedGrid", "SubjectTallies", "Symmetry", "counts_from_places", "in_both_orders", "lists_pairs_once"]

Symmetry = Literal["auto", "yes", "no"]
"""Whether a non-mated comparison counts for both its subjects (each pair listed once) or the probe's alone."""


@dataclass(frozen=True, eq=False, repr=False)
class MatedGrid:
    """The distinct mated scores of each subject, ascending, with their counts; a monoid under `+`.

    Attributes
    ----------
    subject, score
        One entry for each distinct mated score of a subject, ordered by subject, then score.
    count
        How many mated comparisons of the subject have exactly this score.
    """

    subject: NDArray[np.int64]
    score: NDArray[np.floating[Any]]
    count: NDArray[np.int64]

    @classmethod
    def of(cls, comparisons: Comparisons) -> MatedGrid:
        """Collect the mated scores of a table whose subjects are known."""
        subjects = _subjects(comparisons)
        return cls.grouped(subjects.probe[comparisons.mated], comparisons.score[comparisons.mated].astype(np.float64))

    @classmethod
    def grouped(
        cls, subject: NDArray[np.int64], score: NDArray[np.floating[Any]], count: NDArray[np.int64] | None = None
    ) -> MatedGrid:
        """Put mated scores in order of subject and score, equal ones together; each counts `count` times, or once."""
        order = np.lexsort((score, subject))
        subject, score = subject[order], score[order] + 0.0  # −0 and 0 are one score
        count = np.ones(len(score), dtype=np.int64) if count is None else count[order]
        first = np.ones(len(score), dtype=bool)
        first[1:] = (subject[1:] != subject[:-1]) | (score[1:] != score[:-1])
        starts = np.flatnonzero(first)
        return cls(subject[starts], score[starts], np.add.reduceat(count, starts) if len(starts) else count)

    def __add__(self, other: object) -> MatedGrid:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, MatedGrid):
            return NotImplemented
        return MatedGrid.grouped(
            np.concatenate([self.subject, other.subject]),
            np.concatenate([self.score, other.score]),
            np.concatenate([self.count, other.count]),
        )

    __radd__ = __add__

    def recoded(self, codes: NDArray[np.int64]) -> MatedGrid:
        """Give subject k the code `codes[k]`."""
        return MatedGrid.grouped(codes[self.subject], self.score, self.count)


@dataclass(frozen=True, eq=False, repr=False)
class SubjectTallies:
    """Exact counts of every subject's non-mated comparisons at its own mated scores.

    Attributes
    ----------
    grid
        The mated scores of each subject.
    nonmated_at_or_above, nonmated_above
        For each entry of the grid, how many non-mated scores of that subject reach it, and exceed it.
    nonmated_total
        Number of non-mated comparisons of each subject (by subject code).
    symmetric
        Whether each non-mated comparison counts for both its subjects.
    """

    grid: MatedGrid
    nonmated_at_or_above: NDArray[np.int64]
    nonmated_above: NDArray[np.int64]
    nonmated_total: NDArray[np.int64]
    symmetric: bool

    def __post_init__(self) -> None:
        for name in ("nonmated_at_or_above", "nonmated_above", "nonmated_total"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def of(cls, comparisons: Comparisons, symmetric: Symmetry = "auto") -> SubjectTallies:
        """Count a whole table at once."""
        once = lists_pairs_once(comparisons) if symmetric == "auto" else symmetric == "yes"
        return cls.on_grid(MatedGrid.of(comparisons), comparisons, symmetric=once)

    @classmethod
    def on_grid(cls, grid: MatedGrid, comparisons: Comparisons, *, symmetric: bool) -> SubjectTallies:
        """Count the non-mated comparisons of one chunk on a grid made from all chunks."""
        ids = _subjects(comparisons)
        rows = ~comparisons.mated
        scores = comparisons.score[rows].astype(np.float64)
        sides = [ids.probe[rows], ids.reference[rows]] if symmetric else [ids.probe[rows]]
        subject = np.concatenate(sides)
        # One key orders by subject first and score second: the score's place among all mated scores.
        levels = np.unique(grid.score)
        width = len(levels) + 1
        entry = grid.subject * width + np.searchsorted(levels, grid.score)

        def counts(side: Literal["left", "right"]) -> NDArray[np.int64]:
            place = np.searchsorted(levels, scores, side=side)
            position = _places_in(entry, subject * width + np.tile(place, len(sides)), len(ids.names) * width)
            return _reached_counts(position, subject, grid, len(ids.names))

        return cls(
            grid,
            counts("right"),
            counts("left"),
            np.bincount(subject, minlength=len(ids.names)),
            symmetric,
        )

    @property
    def subjects(self) -> NDArray[np.int64]:
        """Codes of the subjects that have both mated and non-mated comparisons, and so a ROC of their own."""
        with_mated = np.unique(self.grid.subject)
        return with_mated[self.nonmated_total[with_mated] > 0]

    def __add__(self, other: object) -> SubjectTallies:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, SubjectTallies):
            return NotImplemented
        same_grid = self.grid is other.grid or (
            np.array_equal(self.grid.subject, other.grid.subject) and np.array_equal(self.grid.score, other.grid.score)
        )
        if not same_grid or self.symmetric != other.symmetric:
            raise MatedError("subject tallies can be added only when counted on the same grid of mated scores")
        return replace(
            self,
            nonmated_at_or_above=self.nonmated_at_or_above + other.nonmated_at_or_above,
            nonmated_above=self.nonmated_above + other.nonmated_above,
            nonmated_total=self.nonmated_total + other.nonmated_total,
        )

    __radd__ = __add__

    def __repr__(self) -> str:
        return f"SubjectTallies({len(self.subjects)} subjects, {int(self.grid.count.sum())} mated comparisons)"


def lists_pairs_once(comparisons: Comparisons) -> bool:
    """Tell whether a table lists each unordered pair once, so that a comparison speaks of both its subjects.

    By samples where they are known: some sample stands on both sides, and no pair of samples occurs in both
    orders. Otherwise by subjects, in the same way, over the non-mated comparisons.
    """
    ids = comparisons.samples if comparisons.samples is not None else _subjects(comparisons)
    rows = ~comparisons.mated
    probe, reference = ids.probe[rows], ids.reference[rows]
    on_probe_side = np.zeros(len(ids.names), dtype=bool)
    on_probe_side[ids.probe] = True
    return bool(on_probe_side[ids.reference].any()) and not in_both_orders(probe, reference, len(ids.names))


def in_both_orders(probe: NDArray[np.int64], reference: NDArray[np.int64], size: int) -> bool:
    """Tell whether some pair of codes below `size` occurs in both orders, by a flag for every pair or by one sort.

    The key of a pair is the same in both orders but for its last bit, which tells the order.
    """
    if size**2 <= 8 * len(probe):  # flags that take no more memory than the keys would
        seen = np.zeros(size**2, dtype=bool)
        seen[probe * size + reference] = True
        return bool((seen[reference * size + probe] & (probe != reference)).any())
    key = np.minimum(probe, reference) * size
    key += np.maximum(probe, reference)
    key = np.sort(2 * key + (probe < reference))
    return bool(((key[1:] ^ key[:-1]) == 1).any())


def _places_in(entries: NDArray[np.int64], keys: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return `np.searchsorted(entries, keys)` for keys up to `size`, by a look-up where keys are many."""
    if size > len(keys):
        return np.searchsorted(entries, keys)
    before = np.append(0, np.cumsum(np.bincount(entries, minlength=size)))
    found: NDArray[np.int64] = before[keys]
    return found


def _reached_counts(
    position: NDArray[np.intp], subject: NDArray[np.int64], grid: MatedGrid, n_subjects: int
) -> NDArray[np.int64]:
    """Count, for each grid entry, the scores of the entry's subject that lie beyond it.

    `position` is how many grid entries come before a score in the order of subject and score. Each subject
    gets one bin more than it has entries, so that "above all of mine" is not "below all of the next one's".
    """
    return counts_from_places(np.bincount(position + subject, minlength=len(grid.score) + n_subjects), grid)


def counts_from_places(bins: NDArray[np.int64], grid: MatedGrid) -> NDArray[np.int64]:
    """Count, for each grid entry, the scores of the entry's subject in the bins beyond it.

    Subject s with the entries from a to b has the bins from a + s to b + s: the first for scores below all entries.
    """
    from_here_on = np.append(np.cumsum(bins[::-1])[::-1], 0)
    entry_bin = np.arange(len(grid.score)) + grid.subject
    past_subject = np.searchsorted(grid.subject, grid.subject, side="right") + grid.subject + 1
    reached: NDArray[np.int64] = from_here_on[entry_bin + 1] - from_here_on[past_subject]
    return reached


def _subjects(comparisons: Comparisons) -> PairIds:
    if comparisons.subjects is None:
        raise MatedError("this needs to know who was compared: give probe_subject and reference_subject")
    return comparisons.subjects
