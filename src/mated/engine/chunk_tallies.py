"""The second pass of `SubjectTallies` in chunks: what reaches the mated scores of each subject, side by side.

Both sides of comparisons are counted apart. Whether a comparison counts for both its subjects is settled when all of
them have been seen, and needs no further pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mated.engine.chunk_bits import BitMarker, PairBits
from mated.engine.chunk_labels import Roster, RosterCoder
from mated.engine.chunk_pass import similarities
from mated.scores.subject_tallies import MatedGrid, SubjectTallies, counts_from_places

if TYPE_CHECKING:
    from collections.abc import Collection

    import polars as pl
    from numpy.typing import NDArray

    from mated.engine.stream import Scoring

    Codes = NDArray[np.int64]

__all__ = ["TallyPart", "TallyPlan", "TallyWorker"]


@dataclass(frozen=True, eq=False)
class TallyPlan:
    """What the second pass counts: `shared` are the samples on both sides, None where their pairs need not be known."""

    scoring: Scoring
    roster: Roster
    grid: MatedGrid
    shared: Codes | None


@dataclass(frozen=True, eq=False)
class TallyPart:
    """Where the scores of each side's subjects lie among the subject's mated scores, and which samples met."""

    rows: int
    reached: tuple[Codes, Codes]
    exceeded: tuple[Codes, Codes]
    total: tuple[Codes, Codes]
    met: PairBits | None

    def __add__(self, other: TallyPart) -> TallyPart:
        def both(name: str) -> tuple[Codes, Codes]:
            one, two = getattr(self, name), getattr(other, name)
            return one[0] + two[0], one[1] + two[1]

        met = None if self.met is None or other.met is None else self.met + other.met
        return TallyPart(self.rows + other.rows, both("reached"), both("exceeded"), both("total"), met)

    def statistic(self, grid: MatedGrid, once: bool) -> SubjectTallies:
        """Return the tallies; with `once` each comparison counts for both its subjects."""
        reached, exceeded, total = (
            side[0] + side[1] if once else side[0] for side in (self.reached, self.exceeded, self.total)
        )
        return SubjectTallies(
            grid, counts_from_places(reached, grid), counts_from_places(exceeded, grid), total, symmetric=once
        )


class TallyWorker:
    """Counts chunk after chunk."""

    def __init__(self, plan: TallyPlan, knows: Collection[str]) -> None:
        self._plan = plan
        self._coder = RosterCoder(knows, plan.roster)
        self.columns = ("score", *self._coder.columns)
        self._rows = 0
        n_subjects = len(plan.roster.subjects)
        places = len(plan.grid.score) + n_subjects
        self._counts = [[np.zeros(places, dtype=np.int64) for _ in range(2)] for _ in range(2)]
        self._total = [np.zeros(n_subjects, dtype=np.int64) for _ in range(2)]
        self._start = np.searchsorted(plan.grid.subject, np.arange(n_subjects + 1))
        self._marker: BitMarker | None = None
        if plan.shared is not None:
            self._place = np.full(len(plan.roster.keys), -1, dtype=np.int64)
            self._place[plan.shared] = np.arange(len(plan.shared))
            self._marker = BitMarker(len(plan.shared), len(plan.shared))

    def add(self, batch: pl.DataFrame, *, name: str, first_row: int) -> None:
        """Take in a chunk."""
        from mated.engine.chunk_kernels import count_sides

        score = similarities(batch["score"], self._plan.scoring, name, first_row)
        subjects, samples = self._coder.sides(batch, name)
        self._rows += len(score)
        counted = np.flatnonzero((subjects[0] != subjects[1]) & ~np.isnan(score))
        values = score[counted].astype(np.float64)
        for k, side in enumerate(subjects):
            subject = side[counted]
            count_sides(subject, values, self._start, self._plan.grid.score, *self._counts[k])
            self._total[k] += np.bincount(subject, minlength=len(self._total[k]))
        if self._marker is not None:
            self._marker.mark(self._place[samples[0][counted]], self._place[samples[1][counted]])

    def result(self) -> TallyPart:
        """Return what was counted so far."""
        reached, exceeded = zip(*self._counts, strict=True)
        met = None if self._marker is None else self._marker.result()
        return TallyPart(self._rows, reached, exceeded, (self._total[0], self._total[1]), met)
