"""BEE matrices with their mask: probes in rows, references in columns.

A mask says which entries are mated, not who is who. Rows and columns that mated entries link are one identity. Where
every row has its best score first, it lists candidates: columns are places on the list and no references. There, and
where links contradict an entry marked non-mated, the entries are read as a mere table of mated and non-mated
comparisons. Where ids are given, they name the subjects,
and the mask must agree. −FLT_MAX is a failure, among distances also FLT_MAX.

Scores are mapped from the file. Held in memory are a byte an entry where the mask leaves entries out, and the scores
themselves where the file has the other byte order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.bee_files import IGNORED, MATED, NONMATED, blocks_of, open_bee, read_mask
from mated.io.bytes_in import InputFile
from mated.io.comparison_table import unusable_scores
from mated.io.matrix_ids import Side, by_position, sides_of
from mated.io.self_comparisons import apart_by_subject, settle_samples
from mated.scores import Comparisons, ScoreMatrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.io.bee_files import BeeFile
    from mated.io.request import Request

__all__ = ["read_bee"]

_FAILURE = np.finfo(np.float32).max
_NOT_BY_CHANCE = log(1e6)


@dataclass(frozen=True, eq=False)
class _Scores:
    """Scores with NaN for failures, which entries are used (None: all), and how the matrix is to be built."""

    name: str
    numbers: NDArray[np.float32]
    used: NDArray[np.bool_] | None
    notes: tuple[str, ...]
    settings: dict[str, Any]


def read_bee(request: Request) -> Comparisons | ScoreMatrix:
    """Read a matrix of scores with its mask: the one given, or the one of the same name beside it."""
    request.refuse_columns("a BEE matrix")
    file = open_bee(request.file, "MF")
    found = request.mask or _beside(request.file)
    mask = None if found is None else read_mask(found, file.numbers.shape)
    named = _named_sides(request, file.numbers.shape)
    if named is not None:
        scores = _prepared(file, mask, request)
        probes, references, said = settle_samples(scores.numbers, scores.used, *named, request)
        matrix = _matrix(scores, probes, references, said)
        if mask is not None:
            _check_agreement(mask, matrix)
        return matrix
    if mask is None:
        raise MatedError(
            f"{request.name} does not say which comparisons are mated; give its mask with mask= (--mask), or the ids "
            "of its rows and columns with probe_ids= and reference_ids= (--probe-ids and --reference-ids)"
        )
    scores = _prepared(file, mask, request)
    if _lists_candidates(scores):
        return _table(
            scores, mask.numbers, "every row has its best score first, so that columns are candidates' places"
        )
    same_set = file.target == file.query and file.numbers.shape[0] == file.numbers.shape[1]
    for same_samples in (True, False) if same_set else (False,):
        sides = _linked(mask.numbers, same_samples)
        if sides is not None:
            said = ("subjects are not named: rows and columns linked by mated entries are one identity",)
            if same_samples:
                said = (*said, "both sides are one sigset: a sample is not compared with itself")
            return _matrix(scores, *sides, said)
    return _table(scores, mask.numbers, "some entries link rows and columns that others mark non-mated")


def _beside(file: InputFile) -> InputFile | None:
    path = file.path.with_suffix(".mask")
    return InputFile(path) if path != file.path and path.is_file() else None


def _named_sides(request: Request, shape: tuple[int, ...]) -> tuple[Side, Side] | None:
    probe_table, reference_table = sides_of(request)
    if probe_table is None and reference_table is None:
        return None
    if probe_table is None or reference_table is None:
        raise MatedError(
            f"{request.name}: ids are given for one side alone; give both probe_ids= and reference_ids= (--probe-ids "
            "and --reference-ids), or ids= (--ids) for a square matrix"
        )
    probes = by_position(probe_table, shape[0], matrix=request.name, side="rows")
    references = by_position(reference_table, shape[1], matrix=request.name, side="columns")
    return apart_by_subject(probes, references)


# -- scores ----------------------------------------------------------------------------------------


def _prepared(file: BeeFile, mask: BeeFile | None, request: Request) -> _Scores:
    """Find out which entries are used, turn failures into NaN, and refuse NaN that means nothing."""
    rows, columns = file.numbers.shape
    notes = [f"read as a BEE matrix of {'distances' if file.distances else 'similarities'}, {rows} × {columns}"]
    used = None
    if mask is not None:
        notes.append(f"the mask is {mask.name}" + (", found beside the matrix" if request.mask is None else ""))
        used = _used(mask)
    numbers, failures = file.numbers, 0
    for block in blocks_of(numbers.shape):
        part = numbers[block]
        failed = part == -_FAILURE
        if file.distances:
            failed |= part == _FAILURE
        wrong = np.isnan(part)
        if used is not None:
            wrong &= used[block]
        if request.nan == "refuse" and wrong.any():
            row, column = (int(place) for place in np.argwhere(wrong)[0])
            raise unusable_scores(f"{file.name}, row {block.start + row + 1}, column {column + 1}", wrong, "NaN")
        if failed.any():
            if not numbers.flags.writeable:
                numbers = numbers.copy()
            numbers[block][failed] = np.nan  # of a mapped file a private copy of these pages alone
            failures += int(np.count_nonzero(failed if used is None else failed & used[block]))
    if failures:
        notes.append(f"{failures} comparisons have the score of a failure, −FLT_MAX, and count as failures")
    dissimilarity = file.distances if request.dissimilarity is None else request.dissimilarity
    settings = {
        "dissimilarity": dissimilarity,
        "unit": request.unit,
        "nan": "failure" if failures else request.nan,
    }
    return _Scores(file.name, numbers, used, tuple(notes), settings)


def _used(mask: BeeFile) -> NDArray[np.bool_] | None:
    """Return which entries are comparisons, None for all of them."""
    shape = mask.numbers.shape
    counts = sum(np.count_nonzero(mask.numbers[block]) for block in blocks_of(shape))
    if not counts:
        raise MatedError(f"{mask.name} ignores every comparison; it leaves no scores")
    if counts == mask.numbers.size:
        return None
    used = np.empty(shape, dtype=np.bool_)
    for block in blocks_of(shape):
        np.not_equal(mask.numbers[block], IGNORED, out=used[block])
    return used


def _matrix(scores: _Scores, probes: Side, references: Side, said: tuple[str, ...]) -> ScoreMatrix:
    named = probes.samples is not None and references.samples is not None
    try:
        return ScoreMatrix.from_arrays(
            scores.numbers,
            probes.subjects,
            references.subjects,
            probe_sample=probes.samples if named else None,
            reference_sample=references.samples if named else None,
            mask=scores.used,
            notes=(*scores.notes, *said),
            **scores.settings,
        )
    except MatedError as error:
        raise MatedError(f"{scores.name}: {error}") from None


def _lists_candidates(scores: _Scores) -> bool:
    """Say whether every row is sorted, best score first, and not by chance: one order in a million at most is."""
    orders = 0.0
    for block in blocks_of(scores.numbers.shape):
        part = np.asarray(scores.numbers[block])
        used = np.ones(part.shape, dtype=bool) if scores.used is None else scores.used[block]
        if (used[:, 1:] > used[:, :-1]).any():
            return False
        steps = part[:, 1:] - part[:, :-1]
        rises = (steps < 0) if scores.settings["dissimilarity"] else (steps > 0)
        if (rises & used[:, 1:]).any():
            return False
        # Equal scores have no order that could tell anything.
        falls = np.count_nonzero((steps != 0) & ~np.isnan(steps) & used[:, 1:], axis=1)
        orders += sum(lgamma(length + 2) for length in falls.tolist())
    return orders > _NOT_BY_CHANCE


def _table(scores: _Scores, mask: NDArray[np.uint8], reason: str) -> Comparisons:
    """List the entries where columns are no references: who is who is not known."""
    picked: list[NDArray[np.float32]] = []
    flags: list[NDArray[np.bool_]] = []
    for block in blocks_of(mask.shape):
        entries = mask[block] != IGNORED
        picked.append(np.asarray(scores.numbers[block])[entries])
        flags.append(mask[block][entries] == MATED)
    note = f"{reason}: a column is not one reference, and only mated and non-mated comparisons are told apart"
    try:
        return Comparisons.from_arrays(
            np.concatenate(picked), np.concatenate(flags), notes=(*scores.notes, note), **scores.settings
        )
    except MatedError as error:
        raise MatedError(f"{scores.name}: {error}") from None


# -- identities ------------------------------------------------------------------------------------


def _linked(mask: NDArray[np.uint8], same_samples: bool) -> tuple[Side, Side] | None:
    """Make one identity of rows and columns that mated entries link, None where an entry contradicts it.

    With `same_samples` a row and the column of its number are one sample.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_rows, n_columns = mask.shape
    links = [np.stack([np.arange(n_rows), np.arange(n_rows)])] if same_samples else []
    for block in blocks_of(mask.shape):
        row, column = np.nonzero(mask[block] == MATED)
        links.append(np.stack([row + block.start, column]))
    row, column = np.concatenate(links, axis=1)
    size = n_rows + n_columns
    graph = coo_array((np.ones(len(row), dtype=np.int8), (row, column + n_rows)), shape=(size, size))
    identity = connected_components(graph, directed=False)[1] + 1
    rows, columns = identity[:n_rows], identity[n_rows:]
    for block in blocks_of(mask.shape):
        if ((rows[block, None] == columns[None, :]) & (mask[block] == NONMATED)).any():
            return None
    positions = list(range(1, n_rows + 1)) if same_samples else None
    return Side(rows.astype(str).tolist(), positions), Side(columns.astype(str).tolist(), positions)


def _check_agreement(mask: BeeFile, matrix: ScoreMatrix) -> None:
    """Refuse ids that make mated what the mask marks non-mated, or the other way round."""
    subjects = matrix.subjects
    for block in blocks_of(mask.numbers.shape):
        same = subjects.probe[block, None] == subjects.reference[None, :]
        wrong = np.where(same, mask.numbers[block] == NONMATED, mask.numbers[block] == MATED)
        if wrong.any():
            row, column = (int(place) for place in np.argwhere(wrong)[0])
            marked = (
                "non-mated, but its subjects are the same" if same[row, column] else "mated, but its subjects differ"
            )
            raise MatedError(
                f"{mask.name}, row {block.start + row + 1}, column {column + 1}: the comparison is marked {marked} by "
                "the ids; check the order of the ids"
            )
