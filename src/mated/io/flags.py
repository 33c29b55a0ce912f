"""Read the column that says which comparisons are mated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl
    from numpy.typing import NDArray

__all__ = ["MATED_WORDS", "NONMATED_WORDS", "could_be_flags", "read_flags"]

MATED_WORDS = ("1", "1.0", "+1", "true", "t", "yes", "y", "mated", "genuine", "target")
NONMATED_WORDS = (
    *("0", "0.0", "-1", "-1.0", "false", "f", "no", "n", "nonmated", "non-mated", "non_mated"),
    *("impostor", "imposter", "nontarget", "non-target", "non_target"),
)
_MINUS, _ZERO = ("-1", "-1.0"), ("0", "0.0")
_FEW_WORDS = 100


def could_be_flags(series: pl.Series) -> bool:
    """Say whether a column of numbers holds only 0 and 1, or only −1 and 1."""
    values = set(series.unique().to_list())
    return values <= {0.0, 1.0} or values <= {-1.0, 1.0}


def read_flags(
    series: pl.Series, *, column: str, place: Callable[[int], str], earlier: dict[str, str] | None = None
) -> NDArray[np.bool_]:
    """Turn a column into true for mated and false for non-mated.

    Booleans, 1 and 0, 1 and −1, and the words of `MATED_WORDS` and `NONMATED_WORDS` in any case are understood.
    `place` says where a row stands, for messages. Where a column comes piece by piece, `earlier` is one dictionary for
    all pieces, in which the places of the first −1 and the first 0 are kept.
    """
    import polars as pl

    if series.dtype == pl.Boolean and not series.null_count():
        return series.to_numpy().astype(np.bool_)
    # What is understood at once: a flag has few ways to be written, or is a number.
    quick = _by_distinct_words(series) if series.dtype == pl.String else _by_numbers(series)
    if quick is not None:
        flags, minus, zero = quick
        _refuse_two_ways(minus, zero, column, place, earlier)
        return flags.to_numpy().astype(np.bool_)
    if series.dtype == pl.Boolean:
        words = series.cast(pl.Int8).cast(pl.String)
    elif series.dtype.is_numeric():
        words = _number_words(series)
    else:
        words = series.cast(pl.String).str.strip_chars().str.to_lowercase()
    meaning = dict.fromkeys(MATED_WORDS, True) | dict.fromkeys(NONMATED_WORDS, False)
    flags = words.replace_strict(meaning, default=None, return_dtype=pl.Boolean)
    if flags.null_count():
        row = int(flags.is_null().arg_true()[0])
        if series[row] is None or words[row] == "":
            raise MatedError(f"{place(row)}, column {column!r}: the mated flag is missing; every comparison needs one")
        raise MatedError(
            f"{place(row)}, column {column!r}: this does not say whether the comparison is mated; "
            "write 1 or 0, true or false, or name the right column (--mated-column)"
        )
    _refuse_two_ways(words.is_in(_MINUS), words.is_in(_ZERO), column, place, earlier)
    return flags.to_numpy().astype(np.bool_)


def _by_distinct_words(series: pl.Series) -> tuple[pl.Series, pl.Series, pl.Series] | None:
    """Return where a text says mated, −1 and 0; None where some text is missing or not understood."""
    written = series.unique()
    words = written.str.strip_chars().str.to_lowercase()
    if len(written) > _FEW_WORDS or not words.is_in([*MATED_WORDS, *NONMATED_WORDS]).all(ignore_nulls=False):
        return None
    one, minus, zero = (series.is_in(written.filter(words.is_in(meant))) for meant in (MATED_WORDS, _MINUS, _ZERO))
    return one, minus, zero


def _by_numbers(series: pl.Series) -> tuple[pl.Series, pl.Series, pl.Series] | None:
    """Return where a number is 1, −1 and 0; None where it may be something else."""
    if not series.dtype.is_numeric():
        return None
    one, minus, zero = (series == value for value in (1, -1, 0))
    return (one, minus, zero) if (one | minus | zero).all(ignore_nulls=False) else None


def _refuse_two_ways(
    minus: pl.Series, zero: pl.Series, column: str, place: Callable[[int], str], earlier: dict[str, str] | None
) -> None:
    """Refuse a column that writes non-mated as −1 and as 0."""
    seen = {} if earlier is None else earlier
    for name, rows in (("-1", minus), ("0", zero)):
        if name not in seen and rows.any():
            seen[name] = place(int(rows.arg_true()[0]))
    if len(seen) > 1:
        raise MatedError(
            f"{seen['-1']}, column {column!r}: the mated flag is -1 and elsewhere it is 0; "
            "write non-mated in one way only"
        )


def _number_words(series: pl.Series) -> pl.Series:
    import polars as pl

    exact = series.cast(pl.Float64)
    return exact.cast(pl.Int64, strict=False).cast(pl.String).zip_with(exact == exact.round(0), exact.cast(pl.String))
