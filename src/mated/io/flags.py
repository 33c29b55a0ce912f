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


def could_be_flags(series: pl.Series) -> bool:
    """Say whether a column of numbers holds only 0 and 1, or only −1 and 1."""
    values = set(series.unique().to_list())
    return values <= {0.0, 1.0} or values <= {-1.0, 1.0}


def read_flags(series: pl.Series, *, column: str, place: Callable[[int], str]) -> NDArray[np.bool_]:
    """Turn a column into true for mated and false for non-mated.

    Booleans, 1 and 0, 1 and −1, and the words of `MATED_WORDS` and `NONMATED_WORDS` in any case are understood.
    `place` says where a row stands, for messages.
    """
    import polars as pl

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
    minus = words.is_in(["-1", "-1.0"])
    if minus.any() and words.is_in(["0", "0.0"]).any():
        raise MatedError(
            f"{place(int(minus.arg_true()[0]))}, column {column!r}: the mated flag is -1 and elsewhere it is 0; "
            "write non-mated in one way only"
        )
    return flags.to_numpy().astype(np.bool_)


def _number_words(series: pl.Series) -> pl.Series:
    import polars as pl

    exact = series.cast(pl.Float64)
    return exact.cast(pl.Int64, strict=False).cast(pl.String).zip_with(exact == exact.round(0), exact.cast(pl.String))
