"""Columns in memory, wherever they came from, and the reader of data frames.

Any frame that Narwhals knows is read: pandas, Polars, PyArrow, Modin and others; lazy ones are collected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.io.columns import resolve
from mated.io.comparison_table import Table, comparisons_from

if TYPE_CHECKING:
    import polars as pl

    from mated.io.request import Request
    from mated.scores import Comparisons

__all__ = ["columns_of", "no_frame", "read_frame"]


def read_frame(request: Request) -> Comparisons:
    """Read a data frame that has one comparison a row."""
    request.refuse_ids("a table")
    columns = columns_of(request.source)
    if columns is None:
        raise no_frame(request.source)
    table = Table(request.name, columns)
    return comparisons_from(table, resolve(table.names, request.columns, source=table.name), request)


def no_frame(source: Any) -> MatedError:
    """Return the error for something that is no data frame."""
    return MatedError(
        f"a {type(source).__name__} is neither a path nor a data frame; for arrays use "
        "Comparisons.from_arrays or ScoreMatrix.from_arrays"
    )


def columns_of(frame: Any) -> dict[str, pl.Series] | None:
    """Return the columns of any data frame as Polars series, None where `frame` is no data frame."""
    import narwhals as nw

    try:
        known = nw.from_native(frame)
    except TypeError:
        return None
    except nw.exceptions.DuplicateError:
        raise MatedError("the data frame has two columns of one name; give every column its own name") from None
    eager = known.collect() if isinstance(known, nw.LazyFrame) else known
    columns = {str(series.name): _to_polars(series) for series in eager.iter_columns()}
    if len(columns) != len(eager.columns):
        raise MatedError("the data frame has two columns of one name; give every column its own name")
    return columns


def _to_polars(series: Any) -> pl.Series:
    import polars as pl

    if series.implementation.is_polars() or series.implementation.is_pyarrow():
        converted: pl.Series = series.to_polars()
        return converted
    # Through NumPy, since Polars reads pandas' texts only where PyArrow is installed.
    values = series.to_numpy()
    if values.dtype.kind != "O":
        return pl.Series(values)
    missing = series.is_null().to_numpy()
    values = values.copy()
    values[missing] = None
    return pl.Series(values.tolist(), strict=False)
