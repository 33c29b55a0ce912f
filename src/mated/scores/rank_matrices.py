"""Ranks from a matrix of scores, a block of rows at a time: rows are probes, columns are the references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mated.errors import MatedError
from mated.scores.ids import PairIds, within
from mated.scores.ranks import Ranks, SearchResults
from mated.scores.sample_names import check_one_subject_each
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mated.scores.matrix import ScoreMatrix
    from mated.scores.rank_kernels import Gallery
    from mated.scores.subject_tallies import Symmetry

__all__ = ["rank_rows"]

_BLOCK_ENTRIES = 1 << 20
_SUPERSEDED = "each pair of samples is counted once"  # the note of a matrix; in a search both entries are read


class _Block(NamedTuple):
    """Some rows of a matrix in a form the kernels take: `rows` counted from the first row ranked.

    `used` has no columns where every entry is used.
    """

    rows: slice
    first: int
    scores: NDArray[Any]
    used: NDArray[np.bool_]


def rank_rows(matrix: ScoreMatrix, start: int, stop: int, *, symmetric: Symmetry = "auto") -> Ranks:
    """Rank the mates of the probes in the rows from `start` to before `stop`; the ranks of parts add up.

    The gallery is that of all columns. Unlike `rank` it does not insist on a mated probe.
    """
    if symmetric not in ("auto", "yes", "no"):
        raise MatedError(f"symmetric must be 'auto', 'yes' or 'no', not {symmetric!r}")
    n_rows = len(matrix.scores)
    if not 0 <= start <= stop <= n_rows:
        raise MatedError(f"rows {start} to {stop} are not within the {n_rows} rows of the matrix")
    notes = [note for note in matrix.notes if not note.endswith(_SUPERSEDED)]
    samples = None if matrix.samples is None else within(matrix.subjects, matrix.samples)
    if samples is not None and samples.given is not None:
        notes += check_one_subject_each(*_all_pairs(samples, matrix.subjects))
    mirrored = _is_to_be_mirrored(matrix, samples, symmetric)
    if mirrored or matrix.symmetric:
        notes.append("each comparison counts in both directions: every sample is searched against all others")
    references = np.bincount(matrix.subjects.reference, minlength=len(matrix.subjects.names))
    gallery, place = _gallery(matrix.subjects.reference, references, samples)
    subject = matrix.subjects.probe[start:stop]
    sample = np.full(stop - start, -2) if samples is None else samples.probe[start:stop]
    parts = [
        _search(matrix, block, gallery, place[subject[block.rows]], read_only(sample[block.rows]))
        for block in _blocks(matrix, start, stop, mirrored)
    ]
    searched = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    itself = np.zeros(stop - start, dtype=np.int64)
    if samples is not None:
        itself = np.bincount(samples.reference, minlength=len(samples.names))[sample]
    return Ranks.of_searches(
        SearchResults(subject, references[subject] - itself, *searched),
        references > 0,
        matrix.subjects.names,
        dissimilarity=matrix.dissimilarity,
        unit=matrix.unit,
        notes=tuple(notes),
    )


def _all_pairs(samples: PairIds, subjects: PairIds) -> tuple[PairIds, NDArray[np.int64]]:
    """Return pairs in which each row meets some column and each column some row, and the subject of each sample."""
    owner = np.zeros(len(samples.names), dtype=np.int64)
    owner[samples.probe], owner[samples.reference] = subjects.probe, subjects.reference
    n_rows, n_columns = len(samples.probe), len(samples.reference)
    probe = np.concatenate([samples.probe, np.full(n_columns, samples.probe[0])])
    reference = np.concatenate([np.full(n_rows, samples.reference[0]), samples.reference])
    return PairIds(probe, reference, samples.names, samples.given), owner


def _gallery(
    subject: NDArray[np.int64], references: NDArray[np.int64], samples: PairIds | None
) -> tuple[Gallery, NDArray[np.int64]]:
    """Arrange the columns by identity; returns also the place of each subject, −1 for one without references."""
    from mated.scores.rank_kernels import Gallery

    by_size = np.argsort(-references, kind="stable")
    n_places = int(np.count_nonzero(references))
    place = np.full(len(references), -1, dtype=np.int64)
    place[by_size[:n_places]] = np.arange(n_places)
    first = np.concatenate([[0], np.cumsum(references[by_size[:n_places]])])
    column = np.argsort(place[subject], kind="stable")
    number = np.arange(len(subject)) - first[place[subject[column]]]
    slots = np.concatenate([[0], np.cumsum(np.bincount(number))])
    sample = np.full(len(subject), -1) if samples is None else np.asarray(samples.reference)
    nth = column[np.argsort(number, kind="stable")]
    return Gallery(*map(read_only, (place[subject], sample, first, column, slots, nth))), place


# -- blocks of rows --------------------------------------------------------------------------------


def _is_to_be_mirrored(matrix: ScoreMatrix, samples: PairIds | None, symmetric: Symmetry) -> bool:
    """Tell whether an entry stands for both directions: where asked for, or where a triangle is all there is."""
    if matrix.symmetric or symmetric == "no":
        return False
    same = samples is not None and np.array_equal(samples.probe, samples.reference)
    if symmetric == "yes" and not same:
        raise MatedError(
            "symmetric='yes' needs a matrix with the same named samples in the same order on both sides; leave it out, "
            "and every row is a probe"
        )
    return symmetric == "yes" or (same and matrix.used is not None and _is_a_triangle(matrix.used))


def _is_a_triangle(used: NDArray[np.bool_]) -> bool:
    """Tell whether no pair of samples is used in both orders, and some pair is."""
    step = max(1, _BLOCK_ENTRIES // len(used))
    some = False
    for first in range(0, len(used), step):
        rows = slice(first, first + step)
        here = used[rows].copy()
        np.einsum("ii->i", here[:, rows])[:] = False
        if (here & used[:, rows].T).any():
            return False
        some = some or bool(here.any())
    return some


def _blocks(matrix: ScoreMatrix, start: int, stop: int, mirrored: bool) -> Iterator[_Block]:
    """Yield the rows, all at once where the matrix can be read as it is, a few at a time where it must be copied."""
    scores = np.asarray(matrix.scores)
    number = np.dtype(np.float32 if scores.dtype == np.float32 else np.float64)
    in_order = scores.flags.c_contiguous and (matrix.used is None or matrix.used.flags.c_contiguous)
    as_it_is = in_order and scores.dtype == number and not mirrored
    step = stop - start if as_it_is else _BLOCK_ENTRIES // scores.shape[1]
    for first in range(start, max(stop, start + 1), max(1, step)):
        rows = slice(first, min(first + max(1, step), stop))
        here = scores[rows]
        used = np.zeros((len(here), 0), dtype=bool) if matrix.used is None else matrix.used[rows]
        if mirrored:
            here, used = _mirrored(matrix, rows)
        yield _Block(
            slice(rows.start - start, rows.stop - start),
            first,
            read_only(np.ascontiguousarray(here, dtype=number)),
            read_only(np.ascontiguousarray(used)),
        )


def _mirrored(matrix: ScoreMatrix, rows: slice) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Read some rows together with the same columns: the better of two entries of a pair."""
    across, down = np.asarray(matrix.scores[rows]), np.asarray(matrix.scores[:, rows]).T
    if matrix.used is None:
        used_across = used_down = np.ones(across.shape, dtype=bool)
    else:
        used_across, used_down = matrix.used[rows], matrix.used[:, rows].T
    if matrix.nan == "refuse":  # NaN stays, to be found
        better = (np.minimum if matrix.dissimilarity else np.maximum)(across, down)
    else:
        better = (np.fmin if matrix.dissimilarity else np.fmax)(across, down)
    either = np.where(used_across, across, down)
    return np.where(used_across & used_down, better, either), used_across | used_down


# -- the search ------------------------------------------------------------------------------------


def _search(
    matrix: ScoreMatrix, block: _Block, gallery: Gallery, own: NDArray[np.int64], sample: NDArray[np.int64]
) -> tuple[NDArray[Any], ...]:
    """Search with the probes of a block; returns the last seven columns of `SearchResults`."""
    from mated.scores.rank_kernels import find_mates, search_rows

    scores, used = block.scores, block.used
    number = scores.dtype.type
    sign = number(-1 if matrix.dissimilarity else 1)
    bits = scores.view(f"i{scores.itemsize}")
    limits = tuple(bits.dtype.type(key) for key in _integers_of_infinities(scores.dtype))
    refuse = matrix.nan == "refuse"
    state, mate, itself, unusable = find_mates(scores, used, sign, gallery, own, sample)
    if refuse and unusable.any():
        raise _nan_in_row(matrix, block, int(unusable.argmax()), sample)
    row, above, tied, scored, best_other = search_rows(
        scores, bits, used, sign, limits, gallery, own, sample, state, mate, refuse
    )
    if row >= 0:
        raise _nan_in_row(matrix, block, row, sample)
    tried = used.sum(axis=1) if used.shape[1] else scores.shape[1]
    return tried > itself, state, mate, above, tied, scored, best_other


def _integers_of_infinities(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return what −∞ and ∞ are among integers in the order of the floats: of a negative float all bits but one turn."""
    low, high = np.array([-np.inf, np.inf], dtype=dtype).view(f"i{dtype.itemsize}")
    return int(low ^ np.iinfo(low.dtype).max), int(high)


def _nan_in_row(matrix: ScoreMatrix, block: _Block, row: int, sample: NDArray[np.int64]) -> MatedError:
    """Return the error for the first NaN of a row of a block, by its place in the matrix."""
    wrong = np.isnan(block.scores[row])
    if block.used.shape[1]:
        wrong &= block.used[row]
    if matrix.samples is not None:
        same = matrix.samples.probe[block.first + row] == matrix.samples.reference
        wrong &= ~(same & (matrix.subjects.probe[block.first + row] == matrix.subjects.reference))
    line, column = block.first + row, int(wrong.argmax())
    if not np.isnan(matrix.scores[line, column]):  # the other triangle was read
        line, column = column, line
    return MatedError(
        f"the matrix has NaN at row {line + 1}, column {column + 1}; mask such entries, "
        "or count them as failures to acquire with nan='failure' (--nan failure)"
    )
