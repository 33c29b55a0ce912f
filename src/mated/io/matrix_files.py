"""Score matrices: probes in rows, references in columns.

A text matrix has the reference ids in its header, whose first cell is empty, and the probe ids in its first column;
tabs, semicolons, commas or bars separate the cells. Without a table of ids these are subject ids; with one they are
sample ids, looked up in it. An empty cell is no comparison; NaN is a comparison without a score.
A .npy matrix names nobody, so its ids are always given, in the order of its rows and columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.arrays import load_npy
from mated.io.bytes_in import read_text
from mated.io.delimited import Delimited, sniff_separator, split_line
from mated.io.matrix_ids import Side, by_position, by_sample, sides_of
from mated.io.text_table import has_table_names
from mated.scores import ScoreMatrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mated.io.bytes_in import InputFile
    from mated.io.request import Request

__all__ = ["is_text_matrix", "read_npy_matrix", "read_text_matrix"]


def is_text_matrix(file: InputFile) -> bool:
    """Say whether a text file is a matrix: its first cell is empty, and its header is not that of a table."""
    try:
        first = file.head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").splitlines()[0].decode()
    except (IndexError, UnicodeDecodeError):
        return False
    fields = split_line(first, sniff_separator([first]))
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
    frame = body.parse(["id", *references], numeric=range(1, len(header)))
    probes = [str(probe or "").strip() for probe in frame.to_series(0).to_list()]
    _check_named(probes, references, body, request.name)
    cells = frame.select(frame.columns[1:])
    empty = cells.select(pl.all().is_null()).to_numpy()
    probe_table, reference_table = sides_of(request)
    sides = [
        Side(ids) if table is None else by_sample(table, ids, matrix=request.name, side=side)
        for table, ids, side in ((probe_table, probes, "rows"), (reference_table, references, "columns"))
    ]
    notes: tuple[str, ...] = ()
    if probe_table is reference_table is None and probes == references and len(set(probes)) == len(probes):
        notes = ("rows and columns have the same subjects, each once: the diagonal is taken as the mated comparisons",)
    return _matrix(cells.to_numpy(), sides[0], sides[1], request, used=~empty if empty.any() else None, notes=notes)


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
    return _matrix(scores, probes, references, request)


def _matrix(
    scores: NDArray[np.generic],
    probes: Side,
    references: Side,
    request: Request,
    *,
    used: NDArray[np.bool_] | None = None,
    notes: tuple[str, ...] = (),
) -> ScoreMatrix:
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
    if "" in probes:
        raise MatedError(f"{body.place(probes.index(''))}: the row has no id in its first cell; every row needs one")
    if "" in references:
        raise MatedError(f"{name}: column {references.index('') + 2} has no id in the header; every column needs one")
