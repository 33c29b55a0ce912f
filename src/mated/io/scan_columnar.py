"""Parquet and Arrow files read batch by batch; Polars reads only the columns, row groups and rows that are needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.io.columns import resolve
from mated.io.comparison_table import Table
from mated.io.file_sets import FileSet
from mated.io.parquet_files import (
    ARROW_MAGIC,
    OLD_FEATHER,
    STREAM_MAGIC,
    merged_type,
    not_whole,
    refuse_other_columns,
    refuse_other_kind,
)
from mated.io.scan_parts import Checks, ScanPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from mated.io.bytes_in import InputFile
    from mated.io.request import Request
    from mated.io.scan_parts import Scan

__all__ = ["ColumnarBatches", "batches_of", "plain_types", "scan_columnar"]

_ROW = "\0row"


@dataclass(frozen=True)
class ColumnarBatches:
    """The rows of one file from `start` on, up to `stop`; `added` holds what folders say, `types` what to cast."""

    file: InputFile
    checks: Checks
    start: int
    stop: int
    added: tuple[tuple[str, str], ...] = ()
    types: tuple[tuple[str, Any], ...] = ()

    def __call__(self, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        """Yield the batches."""
        import polars as pl

        lazy = _lazy(self.file, row_index=_ROW)
        if self.start or self.stop < _height(self.file):
            lazy = lazy.slice(self.start, self.stop - self.start)
        lazy = lazy.with_columns(pl.lit(value).alias(name) for name, value in self.added)
        lazy = lazy.with_columns(pl.col(name).cast(dtype) for name, dtype in self.types)
        try:
            yield from batches_of(lazy, self.checks, columns, name=self.file.name, row=_ROW)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
            raise not_whole(self.file) from None


def batches_of(
    lazy: pl.LazyFrame, checks: Checks, columns: tuple[str, ...], *, name: str, row: str | None
) -> Iterator[pl.DataFrame]:
    """Filter and select lazily, and yield checked batches.

    Column `row` holds the positions of rows, for messages; where there is none, the rows that come are counted.
    """
    if checks.where is not None:
        lazy = lazy.filter(checks.where.expression)
    needed = checks.needed(columns)
    earlier: dict[str, str] = {}
    first_row = 0
    for found in lazy.select(*needed, *(() if row is None else (row,))).collect_batches(engine="streaming"):
        if not found.height:
            continue
        rows = None if row is None else found[row].to_numpy()
        data = {column: found[column] for column in needed}
        yield checks.batch(Table(name, data, rows=rows, first_row=first_row), columns, earlier)
        first_row += found.height if row is None else 0


def scan_columnar(request: Request, rows_per_part: int | None) -> Scan | None:
    """Scan Parquet or Arrow files; None for what can only be read whole: streams, packed files and pipes."""
    import polars as pl

    if isinstance(request.source, FileSet):
        files, added = request.source.parts, request.source.folders
    else:
        files, added = (request.file,), ({},)
    for file in files:
        refuse_other_kind(file, files[0])
        if file.packed or not file.path.is_file() or file.head.startswith(STREAM_MAGIC):
            return None
    schemas = [
        {**_schema(file), **{name: pl.String() for name in values if name not in _schema(file)}}
        for file, values in zip(files, added, strict=True)
    ]
    for file, schema in zip(files, schemas, strict=True):
        if schema.keys() != schemas[0].keys():
            refuse_other_columns(file, list(schema), files[0], list(schemas[0]))
    heights = [_height(file) for file in files]
    types = _common_types(files, schemas, heights)
    if not sum(heights):
        raise MatedError(f"{request.name} has no rows; it holds no scores")
    names = tuple(schemas[0])
    checks = Checks(
        request.name, names, resolve(names, request.columns, source=request.name), request.nan, request.where
    )
    if request.where is not None:
        request.where.check(types, request.name)
    parts = []
    for file, schema, values, height in zip(files, schemas, added, heights, strict=True):
        own = _schema(file)
        more = tuple((name, value) for name, value in values.items() if name not in own)
        casts = tuple((name, types[name]) for name in names if schema[name] != types[name])
        for start, stop in _ranges(file, height, rows_per_part):
            batches = ColumnarBatches(file, checks, start, stop, more, casts)
            whole = (start, stop) == (0, height)
            where = f"{file.name}, rows {start + 1} to {stop}"
            parts.append(
                ScanPart(
                    file.name if whole else where,
                    batches,
                    None if request.where else stop - start,
                    file.path,
                    checks.reads(*(f"{name}={value}" for name, value in more), f"rows {start}:{stop}"),
                )
            )
    return checks.scan(request, parts, size=sum(file.path.stat().st_size for file in files))


def _lazy(file: InputFile, row_index: str | None = None) -> pl.LazyFrame:
    """Return a file as a lazy frame. Signs such as [ in its name are no pattern."""
    import polars as pl

    options: Any = {"glob": False, "hive_partitioning": False, "row_index_name": row_index}
    arrow = file.head.startswith(ARROW_MAGIC)
    return pl.scan_ipc(file.path, **options) if arrow else pl.scan_parquet(file.path, **options)


def _schema(file: InputFile) -> dict[str, Any]:
    import polars as pl

    if not file.head:
        raise MatedError(f"{file.name} is empty; it holds no scores")
    if file.head.startswith(OLD_FEATHER):
        raise MatedError(f"{file.name} is Feather of version 1, which is not read; write it as version 2 or Parquet")
    try:
        return dict(_lazy(file).collect_schema())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise not_whole(file) from None


def _height(file: InputFile) -> int:
    import polars as pl

    try:
        return int(_lazy(file).select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise not_whole(file) from None


def plain_types(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the types of columns with categories as the texts they stand for."""
    import polars as pl

    return {name: pl.String() if dtype in (pl.Categorical, pl.Enum) else dtype for name, dtype in schema.items()}


def _common_types(
    files: Sequence[InputFile], schemas: Sequence[Mapping[str, Any]], heights: Sequence[int]
) -> dict[str, Any]:
    """Settle one type for each column over all files, as `read` does when it puts them together."""
    return {name: merged_type([schema[name] for schema in schemas], heights, name, files) for name in schemas[0]}


def _ranges(file: InputFile, height: int, rows_per_part: int | None) -> Iterator[tuple[int, int]]:
    """Divide the rows of a file into ranges of at most `rows_per_part`, or one row group where that is larger."""
    if rows_per_part is None or height <= rows_per_part:
        yield 0, height
        return
    start = stop = 0
    for rows in _row_groups(file, height, rows_per_part):
        if stop > start and stop + rows - start > rows_per_part:
            yield start, stop
            start = stop
        stop += rows
    yield start, stop


def _row_groups(file: InputFile, height: int, rows_per_part: int) -> Sequence[int]:
    """Return the rows of each row group where PyArrow is there to tell, else equal portions."""
    portions = [rows_per_part] * (height // rows_per_part) + [height % rows_per_part][: height % rows_per_part]
    if file.head.startswith(ARROW_MAGIC):
        return portions
    try:
        import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return portions
    metadata = pq.read_metadata(file.path)
    return [metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)]
