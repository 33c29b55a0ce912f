"""How groups are named by the values of columns: one rule, for comparisons in memory and for those read in chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

__all__ = ["check_group_columns", "group_labels", "value_texts"]


def check_group_columns(columns: Sequence[str], known: Iterable[str]) -> None:
    """Refuse to group by nothing, by one column twice, and by a column that is not there."""
    there = list(known)
    if not columns:
        raise MatedError("no column to group by is named; name one or more of the further columns")
    for place, column in enumerate(columns):
        if column in columns[:place]:
            raise MatedError(f"the column {column!r} to group by is named twice; name it once")
        if column not in there:
            names = ", ".join(repr(name) for name in there) or "none"
            raise MatedError(f"there is no column {column!r} to group by; the further columns are: {names}")


def value_texts(series: pl.Series) -> pl.Series:
    """Return a column as texts; NaN is missing, and a whole number is written without a point.

    A column of integers becomes one of floats where a value is missing, and its groups keep their names all the same.
    """
    import polars as pl

    if not series.dtype.is_float():
        return series.cast(pl.String)
    # A text of 32 bits would have fewer digits.
    return series.cast(pl.Float64).fill_nan(None).cast(pl.String).str.strip_suffix(".0")


def group_labels(groups: Sequence[tuple[str | None, ...]]) -> list[str]:
    """Name groups by their values, quoted where plain names would be the same."""
    plain = [" / ".join("(missing)" if value is None else value for value in group) for group in groups]
    if len(set(plain)) == len(plain):
        return plain
    return [" / ".join("(missing)" if value is None else repr(value) for value in group) for group in groups]
