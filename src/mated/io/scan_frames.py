"""Data frames read batch by batch; those that are lazy are never brought into memory as a whole.

Polars' LazyFrames run in streaming mode, and the filter and the choice of columns become part of their query. DuckDB
relations give Arrow batches, Dask frames one partition after the other, PySpark frames their rows; of these the columns
are chosen where the data lies, and the filter is applied to each batch, so that it means the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from mated.errors import MatedError
from mated.io.columns import resolve
from mated.io.comparison_table import Table, kept_rows
from mated.io.frame import columns_of, no_frame
from mated.io.scan_columnar import batches_of, plain_types
from mated.io.scan_parts import Checks, ScanPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from mated.io.request import Request
    from mated.io.scan_parts import Scan

__all__ = ["scan_frame"]

BATCH = 1 << 18
"""Rows of a batch."""
_ROW = "\0row"


class Pieces(Protocol):
    """Rows in pieces of bounded size, the same each time."""

    def __call__(self, names: Sequence[str]) -> Iterator[Mapping[str, pl.Series]]:
        """Yield these columns, piece by piece."""


def scan_frame(request: Request, _rows_per_part: int | None) -> Scan | None:
    """Scan a data frame of any make; None for lazy frames of a make that can only be collected."""
    import narwhals as nw

    request.refuse_ids("a table")
    try:
        known = nw.from_native(request.source)
    except TypeError:
        raise no_frame(request.source) from None
    except nw.exceptions.DuplicateError:
        known = None
    if not isinstance(known, nw.LazyFrame):
        return _scan_eager(request)
    make = known.implementation
    if make.is_polars():
        return _scan_polars(known.to_native(), request)
    types = plain_types(known.collect_schema().to_polars())
    if make.is_duckdb():
        found: list[tuple[str, Pieces]] = [(request.name, DuckPieces(known.to_native()))]
        types = plain_types(DuckPieces(known.to_native()).types())
    elif make.is_dask():
        frame = known.to_native()
        numbers = range(frame.npartitions)
        found = [(f"{request.name}, partition {k + 1}", DaskPieces(frame.partitions[k])) for k in numbers]
    elif make.is_pyspark() or make.is_pyspark_connect():
        found = [(request.name, SparkPieces(known.to_native()))]
    else:
        return None
    checks = _checks(types, request)
    casts = tuple(types.items())
    parts = [ScanPart(name, PieceBatches(name, pieces, casts, checks), reads=checks.reads()) for name, pieces in found]
    return checks.scan(request, parts, lazy=True)


def _checks(types: Mapping[str, Any], request: Request) -> Checks:
    names = tuple(types)
    if request.where is not None:
        request.where.check(types, request.name)
    roles = resolve(names, request.columns, source=request.name)
    return Checks(request.name, names, roles, request.nan, request.where)


def _scan_eager(request: Request) -> Scan:
    columns = columns_of(request.source)
    if columns is None:
        raise no_frame(request.source)
    types = plain_types({name: series.dtype for name, series in columns.items()})
    checks = _checks(types, request)
    rows = len(Table(request.name, columns))
    if not rows:
        raise MatedError(f"{request.name} has no rows; it holds no scores")
    batches = PieceBatches(request.name, HeldPieces(columns), tuple(types.items()), checks)
    return checks.scan(
        request, [ScanPart(request.name, batches, None if request.where else rows, reads=checks.reads())]
    )


def _scan_polars(frame: pl.LazyFrame, request: Request) -> Scan:
    import polars as pl

    try:
        schema = dict(frame.collect_schema())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise _cannot_run(request.name, error) from None
    types = plain_types(schema)
    checks = _checks(types, request)
    casts = tuple((name, dtype) for name, dtype in types.items() if dtype != schema[name])
    part = ScanPart(request.name, PolarsBatches(request.name, frame, casts, checks), reads=checks.reads())
    return checks.scan(request, [part], lazy=True)


def _cannot_run(name: str, error: BaseException) -> MatedError:
    said = str(error).strip().splitlines()
    return MatedError(f"{name} cannot be read: {said[0] if said else type(error).__name__}; correct the query")


@dataclass(frozen=True)
class PolarsBatches:
    """The rows of a LazyFrame."""

    name: str
    frame: pl.LazyFrame
    types: tuple[tuple[str, Any], ...]
    checks: Checks

    def __call__(self, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        """Yield the batches."""
        import polars as pl

        lazy = self.frame.with_columns(pl.col(name).cast(dtype) for name, dtype in self.types)
        try:
            yield from batches_of(lazy, self.checks, columns, name=self.name, row=None)
        except MatedError:
            if self.checks.where is None:
                raise
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise _cannot_run(self.name, error) from None
        else:
            return
        # Numbered rows would keep the filter from going down to the files, so they are numbered for a message only.
        for _ in batches_of(lazy.with_row_index(_ROW), self.checks, columns, name=self.name, row=_ROW):
            pass


@dataclass(frozen=True)
class PieceBatches:
    """The rows of a frame that comes in pieces; `types` says what the columns of all pieces hold."""

    name: str
    pieces: Pieces
    types: tuple[tuple[str, Any], ...]
    checks: Checks

    def __call__(self, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        """Yield the batches."""
        import polars as pl

        where, types = self.checks.where, dict(self.types)
        needed = self.checks.needed(columns)
        names = list(dict.fromkeys([*needed, *(() if where is None else where.columns)]))
        earlier: dict[str, str] = {}
        first_row = 0
        for piece in self.pieces(names):
            found = {name: _of_type(piece[name], types[name]) for name in names}
            whole = Table(self.name, found, first_row=first_row)
            first_row += len(whole)
            table = replace(whole, columns={name: found[name] for name in needed})
            if where is not None:
                mask = where.kept(pl.DataFrame({name: found[name] for name in where.columns}), self.checks.source)
                table = kept_rows(table, mask)
            if len(table):
                yield self.checks.batch(table, columns, earlier)


def _of_type(series: pl.Series, dtype: Any) -> pl.Series:
    import polars as pl

    if series.dtype == dtype or dtype in (pl.Object, pl.Unknown):
        return series
    return series.cast(dtype, strict=False) if dtype == pl.String or series.dtype == pl.Null else series


@dataclass(frozen=True)
class HeldPieces:
    """Columns in memory."""

    columns: Mapping[str, pl.Series]

    def __call__(self, names: Sequence[str]) -> Iterator[Mapping[str, pl.Series]]:
        """Yield slices."""
        height = len(Table("", self.columns))
        for start in range(0, height, BATCH):
            yield {name: self.columns[name].slice(start, BATCH) for name in names}


@dataclass(frozen=True)
class DuckPieces:
    """A DuckDB relation, which is run anew each time."""

    relation: Any

    def types(self) -> dict[str, Any]:
        """Return the types of the columns as Polars has them."""
        import polars as pl

        return dict(pl.DataFrame(self.relation.limit(0)).schema)

    def __call__(self, names: Sequence[str]) -> Iterator[Mapping[str, pl.Series]]:
        """Yield its Arrow batches."""
        import polars as pl

        quoted = ", ".join('"{}"'.format(name.replace('"', '""')) for name in names)
        chosen = self.relation.project(quoted)
        try:
            reader = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_arrow_reader
            for batch in reader(BATCH):
                frame = pl.DataFrame(batch)
                yield {name: frame[name] for name in names}
        except ImportError:
            raise MatedError(
                "DuckDB gives batches through PyArrow, which is not installed; install pyarrow, or write the relation "
                "to a Parquet file"
            ) from None

    def __getstate__(self) -> object:
        raise MatedError(
            "a DuckDB relation cannot be sent to another process; write it to Parquet files and give those"
        )


@dataclass(frozen=True)
class DaskPieces:
    """One partition of a Dask frame."""

    partition: Any

    def __call__(self, names: Sequence[str]) -> Iterator[Mapping[str, pl.Series]]:
        """Compute the partition, and yield it in slices."""
        held = _computed(self.partition[list(names)])
        columns = columns_of(held)
        if columns is None:
            raise no_frame(held)
        yield from HeldPieces(columns)(names)


def _computed(frame: Any) -> Any:
    """Compute a Dask frame, also from within a task, whose worker must not wait for itself."""
    try:
        from distributed import get_worker, worker_client

        get_worker()
    except (ImportError, ValueError):
        return frame.compute()
    with worker_client() as client:
        return client.compute(frame).result()


@dataclass(frozen=True)
class SparkPieces:
    """A PySpark frame, which is run anew each time; its rows come partition by partition."""

    frame: Any

    def __call__(self, names: Sequence[str]) -> Iterator[Mapping[str, pl.Series]]:
        """Yield rows, so many at a time."""
        from itertools import islice

        import polars as pl

        rows = self.frame.select(*(f"`{name.replace('`', '``')}`" for name in names)).toLocalIterator()
        while some := [tuple(row) for row in islice(rows, BATCH)]:
            frame = pl.DataFrame(some, schema=list(names), orient="row", strict=False, infer_schema_length=None)
            yield {name: frame[name] for name in names}

    def __getstate__(self) -> object:
        raise MatedError("a PySpark frame cannot be sent to another process; write it to Parquet files and give those")
