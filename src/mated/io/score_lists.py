"""Two score lists: one file of mated scores, one of non-mated ones.

A list has one comparison a line, and its score is the last field of the line, fields being separated by blanks.
A first line that is a name of a score column (such as "score") is a header. A list may also be gzip of that,
or a one-dimensional .npy array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.arrays import is_npy, load_npy
from mated.io.bytes_in import read_text
from mated.io.columns import is_name_of, means_dissimilarity
from mated.io.comparison_table import unusable_scores
from mated.io.delimited import decimal_advice
from mated.scores import Comparisons

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from mated.io.bytes_in import InputFile, Text
    from mated.io.request import Request

__all__ = ["read_score_lists"]

# A control sign that no text has, so that Polars takes each line as one field.
_NO_SEPARATOR = "\x1f"


def read_score_lists(request: Request) -> Comparisons:
    """Read the two lists of one system."""
    request.refuse_columns("score lists")
    request.refuse_ids("score lists")
    if request.mated is None or request.nonmated is None:
        raise MatedError("score lists come in twos; give both mated= and nonmated= (--mated and --nonmated)")
    (mated, mated_name), (nonmated, nonmated_name) = (
        _read_list(file, request) for file in (request.mated, request.nonmated)
    )
    dissimilarity = request.dissimilarity
    notes: tuple[str, ...] = ()
    if dissimilarity is None:
        named = [name for name in (mated_name, nonmated_name) if means_dissimilarity(name)]
        dissimilarity = bool(named)
        if named:
            notes = (f"the header {named[0]!r} is taken to mean a dissimilarity: a lower score means more alike",)
    return Comparisons.from_arrays(
        np.concatenate([mated, nonmated]),
        np.repeat([True, False], [len(mated), len(nonmated)]),
        dissimilarity=dissimilarity,
        unit=request.unit,
        nan=request.nan,
        notes=notes,
    )


def _read_list(file: InputFile, request: Request) -> tuple[NDArray[Any], str]:
    """Return the scores of one list and the header above them ("" for none)."""
    if is_npy(file):
        return _array_list(file, request), ""
    text = read_text(file)
    first = text.first_lines(1)[0].strip()
    headed = is_name_of(first, "score") if request.header == "auto" else request.header
    if headed:
        text = text.without_first()
        if not text.data:
            raise MatedError(f"{file.name} has a header and no data; it holds no scores")
    scores = _last_fields(text)
    if request.nan == "refuse" and (unusable := np.isnan(scores)).any():
        raise unusable_scores(f"{file.name}, line {text.line_number(int(unusable.argmax()))}", unusable, "NaN")
    return scores, first if headed else ""


def _array_list(file: InputFile, request: Request) -> NDArray[Any]:
    scores = np.asarray(load_npy(file))
    if scores.ndim != 1:
        raise MatedError(f"{file.name} holds an array of shape {scores.shape}; a score list has one dimension")
    if scores.dtype.kind not in "fiu":
        raise MatedError(f"{file.name} holds values of type {scores.dtype}; scores are numbers, so save numbers")
    if not len(scores):
        raise MatedError(f"{file.name} is empty; it holds no scores")
    if request.nan == "refuse" and scores.dtype.kind == "f" and (unusable := np.isnan(scores)).any():
        raise unusable_scores(f"{file.name}, value {int(unusable.argmax()) + 1}", unusable, "NaN")
    return scores


def _last_fields(text: Text) -> NDArray[Any]:
    import polars as pl

    try:
        return _one_column(text, pl.Float64()).to_numpy()
    except pl.exceptions.PolarsError:
        fields = _one_column(text, pl.String()).str.extract(r"(\S+)\s*$", 1)
    scores = fields.cast(pl.Float64, strict=False)
    if scores.null_count():
        wrong = int(scores.is_null().arg_true()[0])
        raise MatedError(
            f"{text.name}, line {text.line_number(wrong)}: the score {fields[wrong]!r} is not a number; a score list "
            f"has the score as the last field of each line{decimal_advice(str(fields[wrong]))}"
        )
    return scores.to_numpy()


def _one_column(text: Text, dtype: pl.DataType) -> pl.Series:
    import polars as pl

    options = {"has_header": False, "separator": _NO_SEPARATOR, "quote_char": None}
    return pl.read_csv(text.data, schema={"field": dtype}, **options).to_series()  # type: ignore[arg-type]
