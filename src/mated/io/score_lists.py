"""Two score lists: one file of mated scores, one of non-mated ones.

A list has one comparison a line, and its score is the last field of the line, fields being separated by blanks.
A first line whose last word is a name of a score column (such as "score") is a header. A list may also be gzip of
that, or a one-dimensional .npy array.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.ambiguity import lists_of_counts
from mated.io.arrays import is_npy, load_npy
from mated.io.bytes_in import read_text
from mated.io.columns import is_name_of, means_dissimilarity
from mated.io.comparison_table import unusable_scores
from mated.io.delimited import decimal_advice, split_line
from mated.io.exact_numbers import first_not_kept, has_huge, not_kept_because
from mated.io.quoting import in_short, shortened
from mated.scores import Comparisons

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from mated.io.bytes_in import InputFile, Text
    from mated.io.request import Request

__all__ = [
    *("ScoreList", "array_list", "decided_on_lists", "header_of_list", "one_column", "read_list", "read_score_lists"),
    *("refuse_nan_value", "scores_of_lines"),
]

# A control sign that no text has, so that Polars takes each line as one field.
_NO_SEPARATOR = "\x1f"


@dataclass(frozen=True)
class ScoreList:
    """The scores of one class, the name above them ("" for none) and the number of fields of its longest line."""

    scores: NDArray[Any]
    header: str = ""
    n_fields: int = 1


def read_score_lists(request: Request) -> Comparisons:
    """Read the two lists of one system."""
    request.refuse_columns("score lists")
    request.refuse_ids("score lists")
    if request.mated is None or request.nonmated is None:
        raise MatedError("score lists come in twos; give both mated= and nonmated= (--mated and --nonmated)")
    mated, nonmated = (read_list(file, request) for file in (request.mated, request.nonmated))
    dissimilarity, notes = decided_on_lists(mated, nonmated, request)
    return Comparisons.from_arrays(
        np.concatenate([mated.scores, nonmated.scores]),
        np.repeat([True, False], [len(mated.scores), len(nonmated.scores)]),
        dissimilarity=dissimilarity,
        unit=request.unit,
        nan=request.nan,
        notes=notes,
    )


def decided_on_lists(mated: ScoreList, nonmated: ScoreList, request: Request) -> tuple[bool, tuple[str, ...]]:
    """Settle the orientation, where the user does not say it by the headers, and note what was decided."""
    notes = _notes_on_fields(mated, nonmated)
    if len(lists_of_counts(request)) == 2:
        said = "each line is read as one score; lists that count comparisons by score are read with --histogram both"
        notes = (*notes, said)
    if request.dissimilarity is not None:
        return request.dissimilarity, notes
    named = [name for name in (mated.header, nonmated.header) if means_dissimilarity(name)]
    if named:
        notes = (*notes, f"the header {named[0]!r} is taken to mean a dissimilarity: a lower score means more alike")
    return bool(named), notes


def _notes_on_fields(mated: ScoreList, nonmated: ScoreList) -> tuple[str, ...]:
    if mated.n_fields == nonmated.n_fields > 1:
        return (f"the score is the last of {mated.n_fields} fields",)
    return tuple(
        f"in the {name} list the score is the last of {part.n_fields} fields"
        for name, part in (("mated", mated), ("non-mated", nonmated))
        if part.n_fields > 1
    )


def read_list(file: InputFile, request: Request) -> ScoreList:
    """Read the scores of one class; NaN is refused with its line unless it is to be counted."""
    if is_npy(file):
        scores = array_list(file)
        if request.nan == "refuse":
            refuse_nan_value(scores, file)
        return ScoreList(scores)
    text = read_text(file)
    header = header_of_list(text, request)
    if header:
        text = text.without_first()
        if not text.data:
            raise MatedError(f"{file.name} has a header and no data; it holds no scores")
    return replace(scores_of_lines(text, request), header=header)


def header_of_list(text: Text, request: Request) -> str:
    """Return the word above the scores, "" where there is no header."""
    first = split_line(text.first_lines(1)[0], " ")[-1]
    headed = is_name_of(first, "score") if request.header == "auto" else request.header
    return first if headed else ""


def scores_of_lines(text: Text, request: Request, *, so_far: str = "") -> ScoreList:
    """Read the scores of lines, without a header; `so_far` ends counts in messages."""
    scores, n_fields = _last_fields(text)
    if request.nan == "refuse" and (unusable := np.isnan(scores)).any():
        place = f"{text.name}, line {text.line_number(int(unusable.argmax()))}"
        raise unusable_scores(place, unusable, "NaN", so_far=so_far)
    return ScoreList(scores, n_fields=n_fields)


def array_list(file: InputFile) -> NDArray[Any]:
    """Map the scores of one class from a .npy array."""
    scores = np.asarray(load_npy(file))
    if scores.ndim != 1:
        raise MatedError(f"{file.name} holds an array of shape {scores.shape}; a score list has one dimension")
    if scores.dtype.kind not in "fiu":
        raise MatedError(f"{file.name} holds values of type {scores.dtype}; scores are numbers, so save numbers")
    if not len(scores):
        raise MatedError(f"{file.name} is empty; it holds no scores")
    return scores


def refuse_nan_value(scores: NDArray[Any], file: InputFile, *, before: int = 0, so_far: str = "") -> None:
    """Refuse NaN among values of an array that `before` others precede."""
    if scores.dtype.kind == "f" and (unusable := np.isnan(scores)).any():
        place = f"{file.name}, value {before + int(unusable.argmax()) + 1}"
        raise unusable_scores(place, unusable, "NaN", so_far=so_far)


def _last_fields(text: Text) -> tuple[NDArray[Any], int]:
    """Return the score of each line and how many fields the longest line has."""
    import polars as pl

    try:
        scores, n_fields = one_column(text, pl.Float64()), 1
    except pl.exceptions.PolarsError:
        lines = one_column(text, pl.String())
        scores = _last_of(lines).cast(pl.Float64, strict=False)
        counts = lines.str.count_matches(r"\S+")
        n_fields = int(counts.to_numpy().max())
        if scores.null_count():
            wrong = int(scores.is_null().arg_true()[0])
            raise _no_number(text, wrong, lines[wrong].split() or [""]) from None
    if has_huge(scores):
        texts = _last_of(one_column(text, pl.String()))
        if (found := first_not_kept(scores, texts)) is not None:
            place = f"{text.name}, line {text.line_number(found)}"
            raise MatedError(f"{place}: the score {shortened(texts[found])} {not_kept_because(scores[found])}")
    return scores.to_numpy(), n_fields


def _last_of(lines: pl.Series) -> pl.Series:
    return lines.str.extract(r"(\S+)\s*$", 1)


def _no_number(text: Text, line: int, fields: list[str]) -> MatedError:
    place = f"{text.name}, line {text.line_number(line)}"
    advice = decimal_advice(fields[-1])
    # Where it may be somebody's name, the field is not shown.
    if advice or (len(fields) == 1 and not any(sign in fields[0] for sign in ",;|")):
        what = f"the score {in_short(fields[-1])} is not a number"
    else:
        what = f"the last of its {len(fields)} fields is not a number" if len(fields) > 1 else "it is not a number"
        if any(sign in fields[-1] for sign in ",;|"):
            advice = "; fields are separated by blanks, so write only the score, or a table with a mated column"
    return MatedError(f"{place}: {what}; a score list has the score as the last field of each line{advice}")


def one_column(text: Text, dtype: pl.DataType) -> pl.Series:
    """Take each line as one field, and a list of numbers or texts of that."""
    import polars as pl

    if _NO_SEPARATOR.encode() in text.data:  # a damaged file, after all
        return pl.Series("field", text.data.decode().split("\n")).cast(dtype)
    options = {"has_header": False, "separator": _NO_SEPARATOR, "quote_char": None}
    return pl.read_csv(text.data, schema={"field": dtype}, **options).to_series()  # type: ignore[arg-type]
