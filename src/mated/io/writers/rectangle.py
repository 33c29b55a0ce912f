"""Comparisons as a rectangle of probes and references, for the formats that are one.

A table is laid out by its samples. Where it lists each pair of samples once and some sample stands on both sides, the
rectangle is square over all samples and its own transpose, as a matrix that counts each pair once is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.comparison_table import unusable_scores
from mated.io.writers.columns import flags_of, scores_of
from mated.io.writers.names import samples_of, subjects_of
from mated.scores import ScoreMatrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores import Comparisons, PairIds

__all__ = ["Rectangle", "Side", "rectangle_of"]

_MOST_CELLS = 1 << 31


@dataclass(frozen=True)
class Side:
    """Who stands in the rows, or in the columns: samples and subjects, each None where they are not known."""

    samples: list[str] | None
    subjects: list[str] | None


@dataclass(frozen=True, eq=False)
class Rectangle:
    """Scores in the user's orientation with who is compared.

    Attributes
    ----------
    scores
        NaN where a comparison failed; meaningless where nothing is held.
    held
        Which entries there are. Those of a sample with itself are no comparisons, but stay.
    compared, mated
        Which entries are comparisons, and which of them are mated.
    comparisons
        How many comparisons the entries stand for: of a matrix that is its own transpose half of them.
    same_samples, symmetric
        Whether rows and columns are the same samples in the same order, and whether each pair then counts once.
    """

    scores: NDArray[Any]
    held: NDArray[np.bool_]
    compared: NDArray[np.bool_]
    mated: NDArray[np.bool_]
    probes: Side
    references: Side
    comparisons: int
    same_samples: bool
    symmetric: bool
    dissimilarity: bool

    def check_counted(self, scores: NDArray[Any], used: NDArray[np.bool_], where: str) -> None:
        """Refuse what would be read with another number of comparisons: each pair once, or not, as it was not before.

        Whether a matrix counts each pair once is told from its being its own transpose, up to rounding.
        """
        if not self.same_samples:
            return
        at = np.arange(len(scores))
        found = ScoreMatrix.from_arrays(scores, at, at, probe_sample=at, reference_sample=at, mask=used).symmetric
        if found and not self.symmetric:
            raise MatedError(
                f"{where}: each pair of samples is listed in both orders with equal scores, and a matrix that is its "
                "own transpose counts each pair once; write a table"
            )
        if self.symmetric and not found:
            raise MatedError(
                f"{where}: the two scores of a pair differ by what was rounding beside scores that this format leaves "
                "out, and each would be counted; write a table"
            )

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which comparisons have no score."""
        failed: NDArray[np.bool_] = self.compared & np.isnan(self.scores)
        return failed

    @property
    def own(self) -> NDArray[np.bool_]:
        """Which entries compare a sample with itself, and so are no comparisons of a matrix that names samples."""
        if self.probes.samples is None or self.references.samples is None:
            return np.zeros(self.scores.shape, dtype=bool)
        rows, columns = (np.array(side.samples, dtype=np.str_) for side in (self.probes, self.references))
        same: NDArray[np.bool_] = rows[:, None] == columns[None, :]
        return same


def rectangle_of(layout: Comparisons | ScoreMatrix, where: str) -> Rectangle:
    """Lay comparisons out as a rectangle; `where` names the file to be written, for messages."""
    found = _of_matrix(layout) if isinstance(layout, ScoreMatrix) else _of_table(layout, where)
    if not found.compared.any():
        raise MatedError(f"{where}: no entry of the matrix is a comparison, so there is nothing to write")
    return found


def _of_matrix(matrix: ScoreMatrix) -> Rectangle:
    subjects, samples = matrix.subjects, matrix.samples
    held = np.ones(matrix.scores.shape, dtype=bool) if matrix.used is None else np.asarray(matrix.used)
    compared = held
    if samples is not None:
        compared = held & (samples.probe[:, None] != samples.reference[None, :])
    if matrix.nan == "refuse" and (failed := compared & np.isnan(matrix.scores)).any():
        row, column = (int(place) + 1 for place in np.argwhere(failed)[0])
        raise unusable_scores(f"the matrix, row {row}, column {column}", failed, "NaN")
    probes, references = (
        Side(
            None if samples is None else [samples.names[code] for code in getattr(samples, side).tolist()],
            [subjects.names[code] for code in getattr(subjects, side).tolist()],
        )
        for side in ("probe", "reference")
    )
    count = int(np.count_nonzero(compared))
    return Rectangle(
        np.asarray(matrix.scores),
        held,
        compared,
        compared & (subjects.probe[:, None] == subjects.reference[None, :]),
        probes,
        references,
        comparisons=count // 2 if matrix.symmetric else count,
        same_samples=samples is not None and probes.samples == references.samples,
        symmetric=matrix.symmetric,
        dissimilarity=matrix.dissimilarity,
    )


def _of_table(table: Comparisons, where: str) -> Rectangle:
    samples, subjects = samples_of(table), subjects_of(table)
    if samples is None:
        raise MatedError(f"{where}: a matrix has a row for each probe sample, and samples are not named; write a table")
    size = len(samples.names)
    if own := int(np.count_nonzero(samples.same)):
        raise MatedError(
            f"{where}: {own} comparisons have the same sample on both sides, and a matrix leaves such entries out; "
            "write a table"
        )
    pairs = samples.probe * size + samples.reference
    if repeated := len(pairs) - len(np.unique(pairs)):
        raise MatedError(
            f"{where}: {repeated} comparisons repeat a pair of samples, which has one entry in a matrix; write a table"
        )
    rows, columns = np.unique(samples.probe), np.unique(samples.reference)
    once = bool(np.isin(rows, columns).any()) and not np.isin(samples.reference * size + samples.probe, pairs).any()
    if once:
        rows = columns = np.union1d(rows, columns)
    if len(rows) * len(columns) > _MOST_CELLS:
        raise MatedError(f"{where}: {len(rows)} probes and {len(columns)} references are too many for one matrix here")
    scores, mated = scores_of(table), flags_of(table)
    matrix = np.full((len(rows), len(columns)), np.nan, dtype=scores.dtype if scores.dtype.kind == "f" else np.float64)
    compared, flags = np.zeros(matrix.shape, dtype=bool), np.zeros(matrix.shape, dtype=bool)
    row, column = np.searchsorted(rows, samples.probe), np.searchsorted(columns, samples.reference)
    for first, second in ((row, column), (column, row))[: 2 if once else 1]:
        matrix[first, second], compared[first, second], flags[first, second] = scores, True, mated
    same = len(rows) == len(columns) and bool((rows == columns).all())
    owner = None if subjects is None else _owners(samples, subjects)
    return Rectangle(
        matrix,
        compared,
        compared,
        flags,
        _side(rows, samples, owner),
        _side(columns, samples, owner),
        comparisons=len(scores),
        same_samples=same,
        symmetric=once,
        dissimilarity=table.dissimilarity,
    )


def _owners(samples: PairIds, subjects: PairIds) -> NDArray[np.object_]:
    owner = np.zeros(len(samples.names), dtype=np.int64)
    for side in ("probe", "reference"):
        owner[getattr(samples, side)] = getattr(subjects, side)
    return np.array(subjects.names, dtype=object)[owner]


def _side(codes: NDArray[np.int64], samples: PairIds, owner: NDArray[np.object_] | None) -> Side:
    names = [samples.names[code] for code in codes.tolist()]
    return Side(names, None if owner is None else owner[codes].tolist())
