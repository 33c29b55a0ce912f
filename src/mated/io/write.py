"""`write`: comparisons into a file of any format that can be written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from mated.errors import MatedError
from mated.io.writers.output import ByteOrder, Output, Written
from mated.io.writers.registry import choose_writer
from mated.io.writers.tables import write_table

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping

    from mated.scores import Comparisons, ScoreMatrix

__all__ = ["write", "write_comparisons"]


def write(
    layout: Comparisons | ScoreMatrix,
    path: str | os.PathLike[str],
    *,
    to: str | None = None,
    lossy: bool = False,
    byte_order: ByteOrder = "little",
    force: bool = False,
) -> Written:
    """Write comparisons, whole or not at all.

    Parameters
    ----------
    layout
        Comparisons or a score matrix. Dissimilarities are written as they were.
    path
        The file; formats of several files name the others after it (scores.npy and scores_ids.csv).
    to
        The format (`mated.io.writers.WRITERS`); by default the ending says it.
    lossy
        Write also what would change numbers: scores rounded to 32 bits in a BEE matrix, references that a list of four
        columns does not tell apart. It is refused otherwise.
    byte_order
        Of a BEE matrix: "little" or "big".
    force
        Replace files that exist.

    Returns
    -------
    Written
        The files, with notes on what the format does not hold and the options with which it is read back.
    """
    target = Path(path)
    output = Output(target, check_byte_order(byte_order), lossy, refusing(force=force))
    return choose_writer(target, to).write(layout, output)


def check_byte_order(order: str) -> ByteOrder:
    """Take one of the two byte orders."""
    if order not in get_args(ByteOrder):
        raise MatedError(f"byte_order is 'little' or 'big', not {order!r}")
    return cast("ByteOrder", order)


def refusing(*, force: bool, inputs: Collection[Path] = ()) -> Any:
    """Return a function that refuses to write over an input, and over any file unless that is wanted."""
    held = {path.resolve() for path in inputs if path.exists()}

    def check(path: Path) -> None:
        if path.resolve() in held:
            raise MatedError(f"{path} is read and cannot be written over; choose another name")
        if path.is_dir():
            raise MatedError(f"{path} is a directory; name a file")
        if path.exists() and not force:
            raise MatedError(f"{path} exists; choose another name, or replace it with force=True (--force)")

    return check


def write_comparisons(comparisons: Comparisons, path: Path, *, covariates: Mapping[str, Any] | None = None) -> None:
    """Write comparisons as a table, by the file's ending; `covariates` adds columns to those there are."""
    writer = choose_writer(path, None)
    if writer.table is None:
        raise MatedError(f"{path}: a table of comparisons is written as .csv, .tsv, .parquet or .arrow")
    write_table(comparisons, Output(path), writer.table, more=covariates)
