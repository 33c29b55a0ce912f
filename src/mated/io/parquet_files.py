"""Parquet and Arrow files with one comparison a row, one or several: Arrow IPC (Feather) as a file or as a stream."""

from __future__ import annotations

import os
from io import BytesIO
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.columns import quoted, resolve
from mated.io.comparison_table import Table, comparisons_from
from mated.io.file_sets import FileSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from mated.io.bytes_in import InputFile
    from mated.io.request import Request
    from mated.scores import Comparisons

__all__ = [
    *("ARROW_MAGIC", "OLD_FEATHER", "STREAM_MAGIC", "is_columnar", "load_columnar", "merged_type", "not_whole"),
    *("read_parquet", "refuse_other_columns", "refuse_other_kind"),
]

_ENDINGS = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
_PARQUET_MAGIC, ARROW_MAGIC, STREAM_MAGIC, OLD_FEATHER = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"
_STREAM_END = STREAM_MAGIC + bytes(4)
_LONGEST_DESCRIPTION = 1 << 27


def is_columnar(file: InputFile) -> bool:
    """Say whether a file is Parquet or Arrow, by its first bytes or its ending."""
    return file.head.startswith((_PARQUET_MAGIC, ARROW_MAGIC, STREAM_MAGIC)) or file.ending in _ENDINGS


def read_parquet(request: Request) -> Comparisons:
    """Read Parquet or Arrow; columns are named as in a text table."""
    request.refuse_ids("a table")
    if isinstance(request.source, FileSet):
        table = _of_parts(request.source)
    else:
        table = Table(request.name, load_columnar(request.file))
    roles = resolve(table.names, request.columns, source=request.name)
    return comparisons_from(table, roles, request)


def load_columnar(file: InputFile) -> dict[str, pl.Series]:
    """Return the columns of a Parquet or Arrow file."""
    import polars as pl

    if not file.head:
        raise MatedError(f"{file.name} is empty; it holds no scores")
    if file.head.startswith(OLD_FEATHER):
        raise MatedError(f"{file.name} is Feather of version 1, which is not read; write it as version 2 or Parquet")
    _check_description(file)
    streamed = file.head.startswith(STREAM_MAGIC)
    arrow = streamed or file.head.startswith(ARROW_MAGIC)
    # Polars would take a sign such as [ in the name for a pattern.
    held = file.packed or not file.path.is_file() or any(sign in file.name for sign in "*?[")
    source = BytesIO(file.contents) if held else file.path
    if streamed and not _has_stream_end(file):
        raise MatedError(f"{file.name} is an Arrow stream without its end; it is cut short, so write it again")
    try:
        if streamed:
            frame = pl.read_ipc_stream(source)
        else:
            frame = pl.read_ipc(source) if arrow else pl.read_parquet(source, hive_partitioning=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise not_whole(file) from None
    return dict(zip(frame.columns, frame.get_columns(), strict=True))


def _has_stream_end(file: InputFile) -> bool:
    """Say whether a stream is ended: one that breaks off between two batches would be read without its last rows."""
    return _last_bytes(file, len(_STREAM_END)) == _STREAM_END


def _check_description(file: InputFile) -> None:
    """Refuse a file whose description of itself is of gigabytes: Polars would read it before it looks at it."""
    if file.head.startswith(STREAM_MAGIC):
        length = file.head[4:8]
    else:
        mark = ARROW_MAGIC if file.head.startswith(ARROW_MAGIC) else _PARQUET_MAGIC
        last = _last_bytes(file, 4 + len(mark))
        length = last[:4] if last.endswith(mark) else b""
    if int.from_bytes(length, "little") > _LONGEST_DESCRIPTION:
        raise not_whole(file)


def _last_bytes(file: InputFile, count: int) -> bytes:
    if file.packed or not file.path.is_file():
        return file.contents[-count:]
    with file.path.open("rb") as stream:
        stream.seek(-min(count, file.path.stat().st_size), os.SEEK_END)
        return stream.read()


def not_whole(file: InputFile) -> MatedError:
    """Return the error for a file that breaks off or is something else."""
    arrow = file.head.startswith((ARROW_MAGIC, STREAM_MAGIC)) or file.ending in (".arrow", ".feather", ".ipc")
    kind = "Arrow" if arrow and not file.head.startswith(_PARQUET_MAGIC) else "Parquet"
    if file.head.startswith((_PARQUET_MAGIC, ARROW_MAGIC, STREAM_MAGIC)) or b"\0" in file.head:
        return MatedError(
            f"{file.name} is not a whole {kind} file; it is cut short, damaged or of another format, so write it again"
        )
    return MatedError(
        f"{file.name} is not a whole {kind} file but begins as text; name its format, such as format='table' "
        "(--format table), or give it the ending of its format"
    )


def refuse_other_kind(file: InputFile, first: InputFile) -> None:
    """Refuse a part of a data set that is no Parquet or Arrow where the first one is, or does not end as it begins."""
    if not is_columnar(file):
        raise MatedError(f"{file.name} is neither Parquet nor Arrow as {first.name} is; give files of a kind")
    _check_description(file)


def _of_parts(files: FileSet) -> Table:
    """Put the rows of several files one after another; their columns may stand in any order."""
    import polars as pl

    parts: list[dict[str, pl.Series]] = []
    starts, height = [], 0
    for file, values in zip(files.parts, files.folders, strict=True):
        refuse_other_kind(file, files.parts[0])
        columns = load_columnar(file)
        rows = len(next(iter(columns.values()), ()))
        columns |= {name: pl.repeat(value, rows, eager=True) for name, value in values.items() if name not in columns}
        if parts and columns.keys() != parts[0].keys():
            refuse_other_columns(file, list(columns), files.parts[0], list(parts[0]))
        starts.append((height, file.name))
        parts.append(columns)
        height += rows
    merged = {name: _merged([part[name] for part in parts], name, files) for name in parts[0]}
    return Table(files.name, merged, parts=tuple(starts))


def _merged(pieces: list[pl.Series], name: str, files: FileSet) -> pl.Series:
    import polars as pl

    dtype = merged_type([piece.dtype for piece in pieces], [len(piece) for piece in pieces], name, files.parts)
    given = [piece.cast(dtype).alias(name) for piece in pieces if len(piece)] or [pieces[0].alias(name)]
    return pl.concat(given)


def merged_type(
    dtypes: Sequence[pl.DataType], heights: Sequence[int], name: str, files: Sequence[InputFile]
) -> pl.DataType:
    """Settle the type of a column over all files: categories are texts, and numbers of two types the wider one."""
    import polars as pl

    dtypes = [pl.String() if dtype in (pl.Categorical, pl.Enum) else dtype for dtype in dtypes]
    known = [(dtype, file) for dtype, file in zip(dtypes, files, strict=True) if dtype != pl.Null]
    for dtype, file in known:
        first, first_file = known[0]
        if dtype != first and not (dtype.is_numeric() and first.is_numeric()):
            raise MatedError(
                f"{file.name}: column {name!r} holds {dtype} values, and in {first_file.name} it holds {first}; "
                "write all parts alike"
            )
    # A missing value of each type that has rows, so that Polars finds the type that holds them all.
    given = [pl.DataFrame({name: pl.Series([None], dtype=d)}) for d, n in zip(dtypes, heights, strict=True) if n]
    return pl.concat(given, how="vertical_relaxed").to_series().dtype if given else dtypes[0]


def refuse_other_columns(file: InputFile, names: Sequence[str], first: InputFile, expected: Sequence[str]) -> None:
    """Refuse a part of a data set that has other columns than the first."""
    lacking, extra = ([name for name in a if name not in b] for a, b in ((expected, names), (names, expected)))
    what = f"lacks {quoted(lacking)}" if lacking else f"has {quoted(extra)} besides"
    raise MatedError(f"{file.name} {what}, unlike {first.name}; all parts need the same columns")
