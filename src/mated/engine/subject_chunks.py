"""`SubjectPairs` and `SubjectTallies` of tables larger than memory, equal to those of the table in memory.

Every part collects names as it meets them; names are sorted in the end, as for a table in memory, so that codes, and
what is drawn by code, are the same on any division into parts and chunks, in any order of merging and on any number of
workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.engine.chunk_bits import MOST_BITS, too_many_samples
from mated.engine.chunk_labels import CHANGED, Roster, RosterCoder
from mated.engine.chunk_pairs import PairCounter, PairCounts
from mated.engine.chunk_pass import ALL_COLUMNS, check_columns, check_mated, go_over, similarities
from mated.engine.chunk_tallies import TallyPart, TallyPlan, TallyWorker
from mated.errors import MatedError
from mated.scores.subject_pairs import SubjectPairs, highest_first
from mated.scores.subject_tallies import MatedGrid

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from mated.engine.chunk_pass import TablePart
    from mated.engine.runner import Runner
    from mated.engine.stream import Progress, Scoring
    from mated.scores.subject_tallies import SubjectTallies, Symmetry

    Codes = NDArray[np.int64]
    Floats = NDArray[np.float64]

__all__ = ["stream_subject_pairs", "stream_subject_tallies"]

_SUBJECTS_ONLY = ("probe_subject", "reference_subject")
_PENDING = 1 << 20


def _joined(pieces: list[Any], dtype: Any) -> NDArray[Any]:
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=dtype)


def flags_at(flags: NDArray[np.bool_], size: int, codes: Codes) -> NDArray[np.bool_]:
    """Set flags by code, after there is one for each of `size` codes."""
    if size > len(flags):
        flags = np.concatenate([flags, np.zeros(max(size, 2 * len(flags)) - len(flags), dtype=bool)])
    flags[codes] = True
    return flags


def merged_flags(one: NDArray[np.bool_], other: NDArray[np.bool_], codes: Codes, size: int) -> NDArray[np.bool_]:
    """Unite flags by code; `codes` are the new codes of the second's."""
    both = np.zeros(size, dtype=bool)
    both[: len(one)] = one
    both[codes] |= other
    return both


# -- pairs of subjects -----------------------------------------------------------------------------


def stream_subject_pairs(
    parts: Sequence[TablePart],
    *,
    scoring: Scoring,
    tail_above: float | None = None,
    knows: Collection[str] = ALL_COLUMNS,
    runner: Runner | None = None,
    progress: Progress | None = None,
) -> SubjectPairs:
    """Collect `SubjectPairs` in one pass over parts of a table.

    Parameters
    ----------
    parts
        Where the comparisons are; they name the subjects of both sides.
    scoring
        How scores are written.
    tail_above
        As for `SubjectPairs.of`: the lowest non-mated similarity that is kept. Without it all are, and memory grows
        with the comparisons.
    knows
        The columns that there are.
    runner, progress
        Who executes the pass, and whom to tell how far it is.

    Returns
    -------
    SubjectPairs
        As `SubjectPairs.of` gives it for the whole table. The order of comparisons with one score means nothing, there
        and here.

    Notes
    -----
    Memory: 12 bytes for each mated comparison and 16 for each non-mated one in the tail. For the pairs of subjects 4
    bytes a possible pair, 200 MB for 10,000 subjects; from 11,585 subjects on 40 bytes a pair that occurs, if that is
    less. Twice as much is held for a moment in the end. A complete design, N_ij = c·m_i·m_j, is then held by one number
    a subject; the pairs of any other are a sparse matrix with 12 bytes a pair.
    """
    check_columns(knows)
    if tail_above is not None and np.isnan(tail_above):
        raise MatedError("tail_above must be a number, and nan is none")
    worker = partial(_PairsWorker, scoring, tail_above)
    found: _PairsPart = go_over(parts, worker, 1, merge=add, runner=runner, progress=progress)
    return found.statistic(tail_above)


@dataclass(frozen=True, eq=False)
class _PairsPart:
    """What `SubjectPairs` needs of some comparisons, subjects by the codes of the roster."""

    rows: int
    roster: Roster
    seen: NDArray[np.bool_]
    mated_subject: Codes
    mated_score: Floats
    first: Codes
    second: Codes
    score: Floats
    counts: PairCounts

    def __add__(self, other: _PairsPart) -> _PairsPart:
        roster, codes, _ = self.roster.united(other.roster)
        size = len(roster.subjects)
        counter = PairCounter()
        counter.take_in(self.counts, np.arange(self.counts.n_subjects), size)
        counter.take_in(other.counts, codes, size)
        return _PairsPart(
            self.rows + other.rows,
            roster,
            merged_flags(self.seen, other.seen, codes, size),
            np.concatenate([self.mated_subject, codes[other.mated_subject].astype(np.int32)]),
            np.concatenate([self.mated_score, other.mated_score]),
            np.concatenate([self.first, codes[other.first].astype(np.int32)]),
            np.concatenate([self.second, codes[other.second].astype(np.int32)]),
            np.concatenate([self.score, other.score]),
            counter.result(size),
        )

    def statistic(self, tail_above: float | None) -> SubjectPairs:
        roster, codes, _ = self.roster.in_order()
        seen = np.zeros(len(codes), dtype=bool)
        seen[codes] = self.seen
        code = (np.cumsum(seen) - 1).astype(np.int32)[codes]
        n_present = int(np.count_nonzero(seen))
        own = highest_first(self.mated_score, code[self.mated_subject])
        first, second = code[self.first], code[self.second]
        pairs = highest_first(self.score, np.minimum(first, second), np.maximum(first, second))
        totals = self.counts.recoded(code.astype(np.int64), n_present).totals()
        return SubjectPairs(
            roster.subject_names,
            np.flatnonzero(seen),
            own[1],
            own[0],
            pairs[1],
            pairs[2],
            pairs[0],
            totals,
            tail_above,
        )


class _PairsWorker:
    def __init__(self, scoring: Scoring, tail_above: float | None) -> None:
        self._scoring, self._tail_above = scoring, tail_above
        self._coder = RosterCoder(_SUBJECTS_ONLY)
        self.columns = ("score", "mated", *self._coder.columns)
        self._rows = 0
        self._seen = np.zeros(0, dtype=bool)
        self._mated: list[tuple[Any, Any]] = []
        self._tail: list[tuple[Any, Any, Any]] = []
        self._counter = PairCounter()

    def add(self, batch: pl.DataFrame, *, name: str, first_row: int) -> None:
        score = similarities(batch["score"], self._scoring, name, first_row)
        (probe, reference), _ = self._coder.sides(batch, name)
        mated = probe == reference
        check_mated(batch["mated"], mated, name, first_row)
        self._rows += len(score)
        size = self._coder.n_subjects
        usable = ~np.isnan(score)
        if not usable.all():
            score, probe, reference, mated = (column[usable] for column in (score, probe, reference, mated))
        self._seen = flags_at(flags_at(self._seen, size, probe), size, reference)
        if mated.any():
            self._mated.append((probe[mated].astype(np.int32), score[mated].astype(np.float64)))
            others = ~mated
            score, probe, reference = (column[others] for column in (score, probe, reference))
        self._counter.add(probe, reference, size)
        kept: Any = slice(None)
        if self._tail_above is not None:
            kept = np.flatnonzero(score.astype(np.float64) >= self._tail_above)
        tail = tuple(column[kept] for column in (probe, reference, score))
        if len(tail[0]):
            self._tail.append((tail[0].astype(np.int32), tail[1].astype(np.int32), tail[2].astype(np.float64)))

    def result(self) -> _PairsPart:
        size = self._coder.n_subjects
        return _PairsPart(
            self._rows,
            self._coder.roster(),
            flags_at(self._seen, size, np.zeros(0, dtype=np.int64))[:size],
            _joined([subject for subject, _ in self._mated], np.int32),
            _joined([score for _, score in self._mated], np.float64),
            _joined([first for first, _, _ in self._tail], np.int32),
            _joined([second for _, second, _ in self._tail], np.int32),
            _joined([score for _, _, score in self._tail], np.float64),
            self._counter.result(size),
        )


# -- tallies of subjects ---------------------------------------------------------------------------


def stream_subject_tallies(
    parts: Sequence[TablePart],
    *,
    scoring: Scoring,
    symmetric: Symmetry = "auto",
    knows: Collection[str] = ALL_COLUMNS,
    runner: Runner | None = None,
    progress: Progress | None = None,
) -> SubjectTallies:
    """Count `SubjectTallies` in two passes over parts of a table: the mated scores of all, then what reaches them.

    Parameters
    ----------
    parts, scoring, runner, progress
        As for `stream_subject_pairs`.
    symmetric
        As for `SubjectTallies.of`. With "auto" samples are read too where they are named.
    knows
        The columns that there are.

    Returns
    -------
    SubjectTallies
        Those of the whole table.

    Notes
    -----
    Memory grows with the subjects and the distinct mated scores of each. To find out with "auto" whether each pair is
    listed once, as `lists_pairs_once` does, takes a bit for every pair of the samples that stand on both sides; more
    than 65,536 of those are refused.
    """
    check_columns(knows)
    if symmetric not in ("auto", "yes", "no"):
        raise MatedError(f"symmetric must be 'auto', 'yes' or 'no', not {symmetric!r}")
    columns = knows if symmetric == "auto" else _SUBJECTS_ONLY
    first = partial(_GridWorker, scoring, columns)
    found: _GridPart = go_over(parts, first, 1, merge=add, runner=runner, progress=progress)
    census = found.in_order()
    shared = np.flatnonzero(census.on_probe & census.on_reference)
    find_out = symmetric == "auto" and len(shared) > 0
    if find_out and len(shared) ** 2 > MOST_BITS:
        raise too_many_samples(len(shared))
    plan = TallyPlan(scoring, census.roster, census.grid, shared if find_out else None)
    second = partial(TallyWorker, plan, columns)
    counted: TallyPart = go_over(parts, second, 2, merge=add, runner=runner, progress=progress)
    if counted.rows != census.rows:
        raise MatedError(CHANGED)
    once = symmetric == "yes"
    if find_out and counted.met is not None:
        from mated.engine.chunk_kernels import reversed_pair

        places = np.arange(len(shared))
        once = not reversed_pair(counted.met.whole(len(shared)), places, places, places)[1]
    return counted.statistic(census.grid, once)


@dataclass(frozen=True, eq=False)
class _GridPart:
    """The mated scores of each subject, and which samples stand on which side of a comparison with a score."""

    rows: int
    roster: Roster
    grid: MatedGrid
    on_probe: NDArray[np.bool_]
    on_reference: NDArray[np.bool_]

    def __add__(self, other: _GridPart) -> _GridPart:
        roster, subjects, samples = self.roster.united(other.roster)
        size = len(roster.keys)
        return _GridPart(
            self.rows + other.rows,
            roster,
            self.grid + other.grid.recoded(subjects),
            merged_flags(self.on_probe, other.on_probe, samples, size),
            merged_flags(self.on_reference, other.on_reference, samples, size),
        )

    def in_order(self) -> _GridPart:
        roster, subjects, samples = self.roster.in_order()
        flags = [np.zeros(len(samples), dtype=bool) for _ in range(2)]
        flags[0][samples], flags[1][samples] = self.on_probe, self.on_reference
        return _GridPart(self.rows, roster, self.grid.recoded(subjects), *flags)


class _GridWorker:
    def __init__(self, scoring: Scoring, knows: Collection[str]) -> None:
        self._scoring = scoring
        self._coder = RosterCoder(knows)
        self.columns = ("score", "mated", *self._coder.columns)
        self._rows = 0
        self._sides = [np.zeros(0, dtype=bool) for _ in range(2)]
        self._grid: list[MatedGrid] = []
        self._pending = 0

    def add(self, batch: pl.DataFrame, *, name: str, first_row: int) -> None:
        score = similarities(batch["score"], self._scoring, name, first_row)
        (probe, reference), samples = self._coder.sides(batch, name)
        mated = probe == reference
        check_mated(batch["mated"], mated, name, first_row)
        self._rows += len(score)
        usable = ~np.isnan(score)
        for k, side in enumerate(samples):
            self._sides[k] = flags_at(self._sides[k], self._coder.n_samples, side[usable])
        mated &= usable
        self._grid.append(MatedGrid.grouped(probe[mated], score[mated].astype(np.float64)))
        self._pending += len(self._grid[-1].score)
        if self._pending > _PENDING:
            self._grid, self._pending = [reduce(add, self._grid)], 0

    def result(self) -> _GridPart:
        size = self._coder.n_samples
        sides = [flags_at(side, size, np.zeros(0, dtype=np.int64))[:size] for side in self._sides]
        nothing = MatedGrid.grouped(np.zeros(0, dtype=np.int64), np.zeros(0))
        return _GridPart(self._rows, self._coder.roster(), sum(self._grid, start=nothing), *sides)
