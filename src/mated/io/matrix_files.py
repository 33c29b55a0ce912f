"""Score matrices: probes in rows, references in columns.

A text matrix has the reference ids in its header, whose first cell is empty, and the probe ids in its first column;
tabs, semicolons, commas or bars separate the cells. Without a table of ids these are subject ids; with one they are
sample ids, looked up in it. An empty cell is no comparison; NaN is a comparison without a score.
A .npy matrix names nobody, so its ids are always given, in the order of its rows and columns.
Messages give lines, rows and columns, columns as the file has them: identifiers of people are not shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.io.arrays import load_npy
from mated.io.bytes_in import read_text, text_start
from mated.io.comparison_table import unusable_scores
from mated.io.delimited import Delimited, sniff_separator, split_line
from mated.io.labels import names_nobody
from mated.io.matrix_ids import Side, by_position, by_sample, sides_of
from mated.io.self_comparisons import apart_by_subject, settle_samples
from mated.io.text_table import has_table_names
from mated.scores import ScoreMatrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.io.bytes_in import InputFile
    from mated.io.request import Request

__all__ = ["is_text_matrix", "read_npy_matrix", "read_text_matrix"]


def is_text_matrix(file: InputFile) -> bool:
    """Say whether a text file is a matrix: its first cell is empty, and its header is not that of a table."""
    text = text_start(file)
    if text is None:
        return False
    first = text.first_lines(1)[0]
    fields = split_line(first, text.separator or sniff_separator([first]))
    return len(fields) > 1 and fields[0] == "" and not has_table_names(fields)


def read_text_matrix(request: Request) -> ScoreMatrix:
    """Read a matrix from text with ids in its header and first column."""
    import polars as pl

    request.refuse_columns("a matrix")
    lines = Delimited.sniff(read_text(request.file))
    header = lines.first_fields
    references = header[1:]
    if not references:
        raise MatedError(f"{request.name} has one column only; a matrix has a column of ids and one for each reference")
    body = lines.without_header()
    frame = body.parse(None, width=len(header), numeric=range(1, len(header)))
    probes = [str(probe or "").strip() for probe in frame.to_series(0).to_list()]
    _check_named(probes, references, body, request.name)
    cells = frame.select(frame.columns[1:])
    empty = cells.select(pl.all().is_null()).to_numpy()
    probe_table, reference_table = sides_of(request)
    rows, columns = (
        Side(ids) if table is None else by_sample(table, ids, matrix=request.name, side=side, place=place)
        for table, ids, side, place in (
            (probe_table, probes, "rows", lambda row: f"line {body.text.line_number(row)}"),
            (reference_table, references, "columns", lambda column: f"column {column + 2}"),
        )
    )
    if request.ids is not None and probe_table and probe_table.samples is None and not set(probes) & set(references):
        # Names such as 1, 2, 3 beside V1, V2, V3 tell no samples apart: the ids are for both sides, in order.
        rows, columns = Side(rows.subjects), Side(columns.subjects)
    matrix = _matrix(cells.to_numpy(), rows, columns, request, used=~empty if empty.any() else None)
    if request.nan == "refuse":
        _refuse_nan(matrix, body)
    return matrix


def read_npy_matrix(request: Request) -> ScoreMatrix:
    """Read a two-dimensional .npy array, mapped into memory, with the ids of its rows and columns."""
    request.refuse_columns("a matrix")
    scores = load_npy(request.file)
    if scores.ndim == 1:
        raise MatedError(
            f"{request.name} holds a one-dimensional array; if it lists the scores of one class, give both lists with "
            "mated= and nonmated= (--mated and --nonmated)"
        )
    if scores.ndim != 2 or scores.dtype.kind not in "fiu":
        raise MatedError(
            f"{request.name} holds an array of shape {scores.shape} and type {scores.dtype}; "
            "a score matrix has two dimensions and holds numbers"
        )
    if not scores.size:
        raise MatedError(f"{request.name} is empty, of shape {scores.shape}; it holds no scores")
    probe_table, reference_table = sides_of(request)
    if probe_table is None or reference_table is None:
        raise MatedError(
            f"{request.name} does not say whom its rows and columns are; give ids= (--ids) for a square matrix, "
            "or both probe_ids= and reference_ids= (--probe-ids and --reference-ids)"
        )
    if request.ids is not None and scores.shape[0] != scores.shape[1]:
        raise MatedError(
            f"{request.name} has {scores.shape[0]} rows and {scores.shape[1]} columns; ids= is for a square matrix, "
            "so give probe_ids= and reference_ids="
        )
    probes = by_position(probe_table, scores.shape[0], matrix=request.name, side="rows")
    references = by_position(reference_table, scores.shape[1], matrix=request.name, side="columns")
    return _matrix(scores, *apart_by_subject(probes, references), request)


def _matrix(
    scores: NDArray[np.generic],
    probes: Side,
    references: Side,
    request: Request,
    *,
    used: NDArray[np.bool_] | None = None,
) -> ScoreMatrix:
    probes, references, notes = settle_samples(scores, used, probes, references, request)
    # Samples known on one side only cannot tell a sample compared with itself.
    named = probes.samples is not None and references.samples is not None
    try:
        return ScoreMatrix.from_arrays(
            scores,
            probes.subjects,
            references.subjects,
            probe_sample=probes.samples if named else None,
            reference_sample=references.samples if named else None,
            mask=used,
            dissimilarity=bool(request.dissimilarity),
            unit=request.unit,
            nan=request.nan,
            notes=notes,
        )
    except MatedError as error:
        raise MatedError(f"{request.name}: {error}") from None


def _check_named(probes: list[str], references: list[str], body: Delimited, name: str) -> None:
    for row, probe in enumerate(probes):
        if names_nobody(probe):
            raise MatedError(f"{body.place(row)}: the row has no id in its first cell; every row needs one")
    for column, reference in enumerate(references, start=2):
        if names_nobody(reference):
            raise MatedError(f"{name}: column {column} has no id in the header; every column needs one")


def _refuse_nan(matrix: ScoreMatrix, body: Delimited) -> None:
    """Refuse comparisons without a score by line and column; a cell that is no comparison may hold anything."""
    unusable = np.isnan(matrix.scores)
    if matrix.used is not None:
        unusable &= matrix.used
    if matrix.samples is not None:
        unusable &= matrix.samples.probe[:, None] != matrix.samples.reference[None, :]
    if unusable.any():
        row, column = (int(place) for place in np.argwhere(unusable)[0])
        raise unusable_scores(f"{body.place(row)}, column {column + 2}", unusable, "NaN")
