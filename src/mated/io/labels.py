"""Identifiers of subjects and samples: labels, never quantities.

Texts are compared without the blanks around them, and "007" stays "007". A word for a missing value names nobody: taken
for a label, it would make one person of all those who are not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.errors import MatedError

if TYPE_CHECKING:
    import polars as pl

    from mated.io.comparison_table import Table

__all__ = ["as_labels", "names_nobody"]

_NOBODY = ("", "nan", "na", "n/a", "#n/a", "<na>", "null", "none")
_LONGEST_NOBODY = max(map(len, _NOBODY))
_EXACT_INTEGER = 2**53


def names_nobody(label: str) -> bool:
    """Say whether a text stands for a missing identifier."""
    return label.strip().lower() in _NOBODY


def as_labels(series: pl.Series, name: str, table: Table, *, noun: str) -> pl.Series:
    """Return identifiers as texts or integers, every one present; `noun` says what they name."""
    import polars as pl

    if series.dtype.is_float():
        labels = _whole_numbers(series, name, table)
    elif not series.dtype.is_integer():
        labels = _without_nobody(series.cast(pl.String).str.strip_chars())
    elif series.dtype in (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32):
        labels = series
    else:
        labels = series.cast(pl.String)  # hashes, which need not fit into 64 bits with a sign
    if labels.null_count():
        row = int(labels.is_null().arg_true()[0])
        written = str(series[row] or "").strip()
        # Only a word for a missing value gets here, so that showing it shows nobody.
        what = f"{written!r} names no {noun}" if written and not series.dtype.is_float() else "there is no value"
        raise MatedError(f"{table.place(row)}, column {name!r}: {what}; name the {noun}, or leave the row out")
    return labels


def _without_nobody(labels: pl.Series) -> pl.Series:
    """Make words for a missing value missing; only texts as short as these are looked at."""
    short = labels.str.len_bytes() <= _LONGEST_NOBODY
    words = labels.filter(short)
    if words.is_empty() or not words.unique().str.to_lowercase().is_in(_NOBODY).any():
        return labels
    return labels.set(labels.str.to_lowercase().is_in(_NOBODY), None)


def _whole_numbers(series: pl.Series, name: str, table: Table) -> pl.Series:
    """Turn identifiers that a missing value made into floats back into integers."""
    import polars as pl

    series = series.fill_nan(None)
    given = series.drop_nulls()
    if not (given == given.round(0)).all():
        raise MatedError(
            f"{table.name}: column {name!r} holds numbers with decimals and cannot name subjects or samples; "
            "name the right column"
        )
    if (given.abs() > _EXACT_INTEGER).any():
        raise MatedError(
            f"{table.name}: column {name!r} holds identifiers beyond 2^53 as floating point, which has rounded them; "
            "write them as texts or integers"
        )
    return series.cast(pl.Int64)
