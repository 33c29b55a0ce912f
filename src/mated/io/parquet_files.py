"""Parquet and Arrow IPC (Feather) files with one comparison a row."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.columns import resolve
from mated.io.comparison_table import Table, comparisons_from

if TYPE_CHECKING:
    import polars as pl

    from mated.io.bytes_in import InputFile
    from mated.io.request import Request
    from mated.scores import Comparisons

__all__ = ["is_columnar", "load_columnar", "read_parquet"]

_ENDINGS = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
_PARQUET_MAGIC, _ARROW_MAGIC = b"PAR1", b"ARROW1"


def is_columnar(file: InputFile) -> bool:
    """Say whether a file is Parquet or Arrow, by its first bytes or its ending."""
    return file.head.startswith((_PARQUET_MAGIC, _ARROW_MAGIC)) or file.ending in _ENDINGS


def read_parquet(request: Request) -> Comparisons:
    """Read a Parquet or Arrow file; columns are named as in a text table."""
    request.refuse_ids("a table")
    columns = load_columnar(request.file)
    roles = resolve(list(columns), request.columns, source=request.name)
    return comparisons_from(Table(request.name, columns), roles, request)


def load_columnar(file: InputFile) -> dict[str, pl.Series]:
    """Return the columns of a Parquet or Arrow file."""
    import polars as pl

    if not file.head:
        raise MatedError(f"{file.name} is empty; it holds no scores")
    arrow = file.head.startswith(_ARROW_MAGIC)
    kind = "Arrow" if arrow else "Parquet"
    source = BytesIO(file.contents) if file.packed or not file.path.is_file() else file.path
    try:
        frame = pl.read_ipc(source) if arrow else pl.read_parquet(source)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise MatedError(
            f"{file.name} is not a whole {kind} file; it is cut short, damaged or of another format, so write it again"
        ) from None
    return dict(zip(frame.columns, frame.get_columns(), strict=True))
