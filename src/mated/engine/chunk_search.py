"""A pass of a search: how each identity's best score so far stands to that of each probe's mate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.engine.chunk_bits import BitMarker, PairBits
from mated.engine.chunk_labels import Roster, RosterCoder
from mated.engine.chunk_pass import similarities

if TYPE_CHECKING:
    from collections.abc import Collection

    import polars as pl
    from numpy.typing import NDArray

    from mated.engine.stream import Scoring

    Codes = NDArray[np.int64]

__all__ = ["SearchPart", "SearchPlan", "SearchWorker"]


@dataclass(frozen=True, eq=False)
class SearchPlan:
    """What a pass finds out.

    Attributes
    ----------
    both
        Whether each comparison counts in both directions.
    row
        Of each sample, its number among the probes of this pass; −1 for others.
    place
        Of each subject, its number among the identities of the gallery; −1 for others.
    own, level
        Of each probe of this pass, the place of its subject, and the score of its mate, NaN where it has none.
    listed
        Of each sample the row and the column of its bits, where pairs are to be remembered.
    """

    scoring: Scoring
    roster: Roster
    both: bool
    row: Codes
    place: Codes
    own: Codes
    level: NDArray[np.float64]
    n_places: int
    listed: tuple[Codes, Codes] | None


@dataclass(frozen=True, eq=False)
class SearchPart:
    """States of the probes from `first` on with all identities, their best other scores, and which samples met."""

    rows: int
    first: int
    states: NDArray[np.uint8]
    best: NDArray[np.float64]
    met: PairBits | None

    def __add__(self, other: SearchPart) -> SearchPart:
        from mated.engine.chunk_kernels import raise_states

        if not len(other.best) or not len(self.best):
            more = self if len(self.best) else other
            met = None if self.met is None or other.met is None else self.met + other.met
            return replace(more, rows=self.rows + other.rows, met=met)
        low = min(self.first, other.first)
        high = max(part.first + len(part.best) for part in (self, other))
        mine = self._within(low, high)
        begin = other.first - low
        there = slice(begin, begin + len(other.best))
        raise_states(mine.states[there], other.states)
        mine.best[there] = np.maximum(mine.best[there], other.best)
        met = None if self.met is None or other.met is None else self.met + other.met
        return replace(mine, rows=self.rows + other.rows, met=met)

    def _within(self, low: int, high: int) -> SearchPart:
        states = np.zeros((high - low, self.states.shape[1]), dtype=np.uint8)
        best = np.full(high - low, -np.inf)
        here = slice(self.first - low, self.first - low + len(self.best))
        states[here], best[here] = self.states, self.best
        return replace(self, first=low, states=states, best=best)

    def whole(self, probes: int) -> SearchPart:
        """Return it with all probes."""
        return self if len(self.best) == probes else self._within(0, probes)


class SearchWorker:
    """Searches chunk after chunk."""

    def __init__(self, plan: SearchPlan, knows: Collection[str]) -> None:
        self._plan = plan
        self._coder = RosterCoder(knows, plan.roster)
        self.columns = ("score", *self._coder.columns)
        self._rows = 0
        self._states = np.zeros((len(plan.level), (plan.n_places + 3) // 4), dtype=np.uint8)
        self._best = np.full(len(plan.level), -np.inf)
        self._touched = (len(plan.level), 0)
        self._marker: BitMarker | None = None
        if plan.listed is not None:
            self._marker = BitMarker(*(int(side.max(initial=-1)) + 1 for side in plan.listed))

    def add(self, batch: pl.DataFrame, *, name: str, first_row: int) -> None:
        """Take in a chunk."""
        plan = self._plan
        score = similarities(batch["score"], plan.scoring, name, first_row)
        subjects, samples = self._coder.sides(batch, name)
        self._rows += len(score)
        self._search(plan.row[samples[0]], plan.place[subjects[1]], score)
        if plan.both:
            self._search(plan.row[samples[1]], plan.place[subjects[0]], score)
        if self._marker is not None and plan.listed is not None:
            row, column = (of[side] for of, side in zip(plan.listed, samples, strict=True))
            if plan.roster.samples is not None:
                row[samples[0] == samples[1]] = -1
            self._marker.mark(row, column)

    def _search(self, probe: Codes, place: Codes, score: NDArray[Any]) -> None:
        from mated.engine.chunk_kernels import search_chunk

        low, high = int(probe.min(initial=len(self._best))), int(probe.max(initial=-1)) + 1
        self._touched = min(self._touched[0], max(low, 0)), max(self._touched[1], high)
        search_chunk(probe, place, self._plan.own, score, self._plan.level, self._states, self._best)

    def result(self) -> SearchPart:
        """Return what was found so far; of a part whose probes are neighbours little."""
        low, high = min(self._touched), max(self._touched[1], min(self._touched))
        met = None if self._marker is None else self._marker.result()
        return SearchPart(self._rows, low, self._states[low:high], self._best[low:high], met)
