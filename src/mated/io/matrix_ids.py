"""Who stands in the rows and columns of a score matrix: the tables beside it.

Ids come as a file, a data frame or a sequence. A table has a column `subject` and may have a column `sample`;
a sequence, or a file of one column, lists the subjects in the order of the matrix. Messages give lines, rows and
columns: identifiers of people are not shown.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.arrays import is_npy, load_npy
from mated.io.bytes_in import InputFile, read_text
from mated.io.columns import quoted
from mated.io.comparison_table import Table
from mated.io.delimited import Delimited
from mated.io.frame import columns_of
from mated.io.labels import as_labels, names_nobody
from mated.io.parquet_files import is_columnar, load_columnar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from mated.io.request import Request

__all__ = ["Side", "by_position", "by_sample", "load_ids", "sides_of"]

_SUBJECT_NAMES = ("subject", "subject_id", "person", "identity")
_SAMPLE_NAMES = ("sample", "sample_id", "image", "file")


@dataclass(frozen=True)
class IdTable:
    """Subjects, and samples where they are named, in the order of the table; `place` says where one stands."""

    name: str
    subjects: list[str]
    samples: list[str] | None
    place: Callable[[int], str]


@dataclass(frozen=True)
class Side:
    """Subjects and samples of the rows, or of the columns, of a matrix; samples may be mere positions."""

    subjects: list[str]
    samples: list[str] | list[int] | None = None


def sides_of(request: Request) -> tuple[IdTable | None, IdTable | None]:
    """Load the ids of the probes and of the references; None where none are given."""
    if request.ids is not None:
        if request.probe_ids is not None or request.reference_ids is not None:
            raise MatedError("ids is for both sides of a matrix; give either ids, or probe_ids and reference_ids")
        both = load_ids(request.ids, "ids")
        return both, both
    given = (("probe_ids", request.probe_ids), ("reference_ids", request.reference_ids))
    probe, reference = (None if source is None else load_ids(source, option) for option, source in given)
    return probe, reference


def by_position(table: IdTable, size: int, *, matrix: str, side: str) -> Side:
    """Take the ids in order, as many as the matrix has rows or columns."""
    if len(table.subjects) != size:
        raise MatedError(
            f"{matrix} has {size} {side} and {table.name} has {len(table.subjects)} ids; they must be as many"
        )
    return Side(table.subjects, table.samples)


def by_sample(table: IdTable, samples: Sequence[str], *, matrix: str, side: str, place: Callable[[int], str]) -> Side:
    """Look up the subject of each sample the matrix names; `place` says where in the matrix a sample stands.

    A table without samples is taken in order, and names that repeat are then no names of samples.
    """
    if table.samples is None:
        distinct = len(set(samples)) == len(samples)
        return Side(
            by_position(table, len(samples), matrix=matrix, side=side).subjects, list(samples) if distinct else None
        )
    subject_of: dict[str, tuple[str, int]] = {}
    for row, (sample, subject) in enumerate(zip(table.samples, table.subjects, strict=True)):
        known, first = subject_of.setdefault(sample, (subject, row))
        if known != subject:
            raise MatedError(
                f"{table.place(row)}: the sample is given to another subject than in {_short(table, first)}; "
                "give every sample a name of its own"
            )
    missing = [position for position, sample in enumerate(samples) if sample not in subject_of]
    if missing:
        others = "" if len(missing) == 1 else f" ({len(missing)} {side} have no sample there)"
        raise MatedError(f"{table.name} has no sample for {place(missing[0])} of {matrix}{others}; add it")
    return Side([subject_of[sample][0] for sample in samples], list(samples))


def _short(table: IdTable, row: int) -> str:
    return table.place(row).removeprefix(f"{table.name}, ")


def load_ids(source: Any, option: str) -> IdTable:
    """Load ids from a path, a data frame or a sequence; `option` names them in messages."""
    if isinstance(source, (str, os.PathLike)):
        return _load_file(InputFile(Path(source)))
    columns = columns_of(source)
    if columns is not None:
        return _from_columns(Table(option, columns))
    values = np.asarray(source)
    if values.ndim != 1 or values.dtype.kind not in "OUSiu":
        raise MatedError(f"{option} must be a path, a data frame or a sequence of subject ids")
    return _from_sequence(values.tolist(), option)


def _load_file(file: InputFile) -> IdTable:
    if is_npy(file):
        values = load_npy(file)
        if values.ndim != 1 or values.dtype.kind not in "Uiu":
            raise MatedError(f"{file.name} must hold a one-dimensional array of texts or integers to name subjects")
        return _from_sequence(values.tolist(), file.name)
    if is_columnar(file):
        return _from_columns(Table(file.name, load_columnar(file)))
    lines = Delimited.sniff(read_text(file))
    names = lines.first_fields
    if _pick(names, _SUBJECT_NAMES) is None:
        if len(names) != 1:
            raise _no_subjects(file.name, names)
        names = ["subject"]
    else:
        lines = lines.without_header()
    frame = lines.parse(names, numeric=[])
    return _from_columns(Table(file.name, dict(zip(names, frame.get_columns(), strict=True)), lines.text))


def _from_sequence(values: list[Any], name: str) -> IdTable:
    for position, value in enumerate(values, start=1):
        if value is None or value != value or names_nobody(str(value)):
            raise MatedError(f"{name}: id number {position} is missing; every row and column needs one")
    return IdTable(name, [str(value) for value in values], None, lambda row: f"{name}, id number {row + 1}")


def _from_columns(table: Table) -> IdTable:
    subject = _pick(table.names, _SUBJECT_NAMES)
    if subject is None:
        raise _no_subjects(table.name, table.names)
    sample = _pick(table.names, _SAMPLE_NAMES)
    return IdTable(
        table.name,
        _texts(as_labels(table.columns[subject], subject, table, noun="subject")),
        None if sample is None else _texts(as_labels(table.columns[sample], sample, table, noun="sample")),
        table.place,
    )


def _no_subjects(name: str, names: Sequence[str]) -> MatedError:
    # Without any known name the first line may be data, with names of people in it.
    known = _pick(names, _SAMPLE_NAMES) is not None
    there = f"; the columns are {quoted(names)}" if known else ", nor any other name it knows"
    return MatedError(f"{name} has no column 'subject'{there}; put names of columns into its first line")


def _texts(labels: pl.Series) -> list[str]:
    return [str(label) for label in labels.to_list()]


def _pick(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """Return the column whose name comes first among those wanted."""
    lowered = {name.strip().lower(): name for name in reversed(names)}
    return next((lowered[name] for name in wanted if name in lowered), None)
