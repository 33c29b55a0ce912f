"""How groups are named by the values of columns: one rule, for comparisons in memory and for those read in chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

__all__ = ["group_labels", "value_texts"]


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
