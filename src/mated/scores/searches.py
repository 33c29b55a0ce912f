"""`Searches`: the comparisons of each probe, probe after probe, the non-mated ones ordered by the other identity.

Identification looks at comparisons from the probe's side: its mated scores, and against each of them what every other
identity scored. A table that lists each pair of samples once, and a matrix that is its own transpose, hold the searches
of both samples of a comparison: each comparison is then read in both directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError
from mated.scores.comparisons import Comparisons
from mated.scores.matrix import ScoreMatrix
from mated.scores.subject_tallies import Symmetry, lists_pairs_once
from mated.scores.validation import as_similarity, read_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mated.scores.ids import PairIds

__all__ = ["Layout", "Scope", "Searches", "read_rows", "search_blocks"]

Layout = Comparisons | ScoreMatrix

Scope = Literal["probe", "subject"]
"""Whether a search is that of one probe sample, or of all probe samples of a subject pooled."""

_BLOCK_ENTRIES = 1 << 21


@dataclass(frozen=True, eq=False, repr=False)
class Searches:
    """The comparisons of some probes (or subjects); only those with mated and non-mated comparisons are here.

    Scores are similarities. Search g has the mated scores `mated_start[g]` to `mated_start[g + 1]`, ascending, and the
    non-mated comparisons `rival_start[g]` to `rival_start[g + 1]`, with scope "probe" ordered by the other identity.

    Attributes
    ----------
    subject
        Of each search, the code of the probe's subject.
    number
        Of each search, the probe's row in a matrix or its sample's code in a table; with scope "subject" the subject's
        code.
    rival
        Of each non-mated comparison, the code of the other identity.
    names
        The subjects behind the codes.
    """

    subject: NDArray[np.int64]
    number: NDArray[np.int64]
    mated_start: NDArray[np.int64]
    mated_score: NDArray[np.float64]
    rival_start: NDArray[np.int64]
    rival: NDArray[np.int32]
    rival_score: NDArray[np.float64]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in ("subject", "number", "mated_start", "mated_score", "rival_start", "rival", "rival_score"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def n_mated(self) -> NDArray[np.int64]:
        """Number of mated comparisons of each search."""
        return np.diff(self.mated_start)

    def __len__(self) -> int:
        return len(self.subject)

    def __repr__(self) -> str:
        return f"Searches({len(self)} searches, {len(self.mated_score)} mated, {len(self.rival)} non-mated)"


def search_blocks(layout: Layout, *, scope: Scope = "probe", symmetric: Symmetry = "auto") -> Iterator[Searches]:
    """Go through the searches of a layout, subject after subject, some millions of comparisons at a time.

    `symmetric` says of a table whether each comparison is read in both directions (`SubjectTallies.of`); a matrix knows
    of itself. With scope "probe" a table must name its samples.
    """
    if scope not in ("probe", "subject"):
        raise MatedError(f"scope must be 'probe' or 'subject', not {scope!r}")
    if isinstance(layout, ScoreMatrix):
        return _of_matrix(layout, scope)
    return _of_table(layout, scope, symmetric)


def _of_matrix(matrix: ScoreMatrix, scope: Scope) -> Iterator[Searches]:
    rows = np.argsort(matrix.subjects.probe, kind="stable")
    columns = np.argsort(matrix.subjects.reference, kind="stable")
    owner = matrix.subjects.probe[rows]
    may_end = np.flatnonzero(np.diff(owner)) + 1 if scope == "subject" else np.arange(1, len(rows))
    for start, end in _pieces(may_end * len(columns), matrix.scores.size):
        block = rows[start // len(columns) : end // len(columns)]
        scores, usable = read_rows(matrix, block, columns)
        probe = matrix.subjects.probe[block]
        same = probe[:, None] == matrix.subjects.reference[columns][None, :]
        mated_row, mated_column = np.nonzero(usable & same)
        rival_row, rival_column = np.nonzero(usable & ~same)
        group, subject, number = np.arange(len(block)), probe, block
        if scope == "subject":
            subject, group = np.unique(probe, return_inverse=True)
            number = subject
        yield _searches(
            subject,
            number,
            (group[mated_row], scores[mated_row, mated_column]),
            (group[rival_row], scores[rival_row, rival_column]),
            matrix.subjects.reference[columns][rival_column],
            matrix.subjects.names,
        )


def read_rows(
    matrix: ScoreMatrix, rows: NDArray[np.intp], columns: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return some rows of a matrix as similarities, columns reordered, and which entries are comparisons.

    Of a matrix that is its own transpose both entries of a pair are comparisons: one in each direction.
    """
    scores = np.asarray(matrix.scores[rows])[:, columns]
    usable = np.ones(scores.shape, dtype=bool) if matrix.used is None else matrix.used[rows][:, columns]
    if matrix.samples is not None:
        probe, reference = matrix.samples.probe[rows, None], matrix.samples.reference[columns][None, :]
        usable &= probe != reference
        if matrix.symmetric:
            # Of the two entries of a pair the same one is read everywhere: they may differ by rounding.
            scores = np.where(probe < reference, scores, np.asarray(matrix.scores[:, rows]).T[:, columns])
    missing = usable & np.isnan(scores)
    if missing.any():
        if matrix.nan == "refuse":
            row, column = np.argwhere(missing)[0]
            raise MatedError(
                f"the matrix has NaN at row {rows[row] + 1}, column {columns[column] + 1}; mask such entries, "
                "or count them as failures to acquire with nan='failure' (--nan failure)"
            )
        usable &= ~missing
    return as_similarity(scores, matrix.dissimilarity).astype(np.float64), usable


def _of_table(table: Comparisons, scope: Scope, symmetric: Symmetry) -> Iterator[Searches]:
    subjects, samples = table.subjects, table.samples
    if subjects is None:
        raise MatedError("searches need to know who was compared: give probe_subject and reference_subject")
    if scope == "probe" and samples is None:
        raise MatedError(
            "this table does not say which comparisons are of one probe; give probe_sample and reference_sample, or "
            "pool the samples of each subject with scope='subject'"
        )
    once = lists_pairs_once(table) if symmetric == "auto" else symmetric == "yes"
    again = np.zeros(0, dtype=np.int64)
    if once:  # a sample compared with itself has one direction only
        again = np.arange(len(table)) if samples is None else np.flatnonzero(~samples.same)
    named = samples if scope == "probe" else None
    order = _order(subjects, named, again)
    probe = _side(subjects, order, again)
    number = probe if named is None else _side(named, order, again)
    new = (probe[1:] != probe[:-1]) | (number[1:] != number[:-1])
    for start, end in _pieces(np.flatnonzero(new) + 1, len(order)):
        here = order[start:end]
        group = np.append(0, np.cumsum(new[start : end - 1]))
        first = np.append(start, start + 1 + np.flatnonzero(new[start : end - 1]))
        rows = here.astype(np.int64)
        turned = rows >= len(table)
        rows[turned] = again[rows[turned] - len(table)]
        score, mated = table.score[rows].astype(np.float64), table.mated[rows]
        yield _searches(
            probe[first].astype(np.int64),
            number[first].astype(np.int64),
            (group[mated], score[mated]),
            (group[~mated], score[~mated]),
            _side(subjects, here[~mated], again, other=True),
            subjects.names,
        )


def _order(subjects: PairIds, samples: PairIds | None, again: NDArray[np.int64]) -> NDArray[Any]:
    """Sort the places of comparisons by probe: its subject, and where given its sample and the other subject.

    Places from the number of rows on are those of `again`, read in the other direction.
    """
    from mated.scores.searches_kernels import ordered_by

    entries = len(subjects.probe) + len(again)
    order = np.arange(entries, dtype=np.int32 if entries < 2**31 else np.int64)
    sides = [(subjects.probe, subjects.reference, len(subjects.names))]
    if samples is not None:
        sides = [
            (subjects.reference, subjects.probe, len(subjects.names)),
            (samples.probe, samples.reference, len(samples.names)),
            *sides,
        ]
    for codes, turned, size in sides:  # the last key first: each sort keeps the order of the one before
        order = ordered_by(order, codes, turned, again, size)
    return order


def _side(ids: PairIds, places: NDArray[Any], again: NDArray[np.int64], *, other: bool = False) -> NDArray[np.int32]:
    """Return the codes on the probe side of places, or on the other side."""
    codes, turned = (ids.reference, ids.probe) if other else (ids.probe, ids.reference)
    result = np.empty(len(places), dtype=np.int32)
    forward = places < len(codes)
    result[forward] = codes[places[forward]]
    result[~forward] = turned[again[places[~forward] - len(codes)]]
    return result


def _pieces(may_end: NDArray[Any], size: int) -> Iterator[tuple[int, int]]:
    """Cut a range of entries where it may be cut, into pieces of about `_BLOCK_ENTRIES`."""
    start = 0
    while start < size:
        place = int(np.searchsorted(may_end, start + _BLOCK_ENTRIES, side="right"))
        if place and may_end[place - 1] > start and start + _BLOCK_ENTRIES < size:
            end = int(may_end[place - 1])
        else:  # what cannot be cut comes whole
            end = int(may_end[place]) if place < len(may_end) and start + _BLOCK_ENTRIES < size else size
        yield start, end
        start = end


def _searches(
    subject: NDArray[np.int64],
    number: NDArray[np.int64],
    mated: tuple[NDArray[np.intp], NDArray[np.float64]],
    others: tuple[NDArray[np.intp], NDArray[np.float64]],
    rival: NDArray[Any],
    names: tuple[str, ...],
) -> Searches:
    """Put the comparisons of groups together, each ordered by group, without the groups that lack one class."""
    order = np.lexsort((mated[1], mated[0]))
    counts = [np.bincount(group, minlength=len(subject)) for group in (mated[0], others[0])]
    kept = (counts[0] > 0) & (counts[1] > 0)
    starts = [np.append(0, np.cumsum(count[kept])) for count in counts]
    mated_kept, others_kept = kept[mated[0][order]], kept[others[0]]
    return Searches(
        subject[kept],
        number[kept],
        starts[0],
        mated[1][order][mated_kept] + 0.0,
        starts[1],
        rival[others_kept].astype(np.int32),
        others[1][others_kept] + 0.0,
        names,
    )
