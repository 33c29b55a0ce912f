"""From columns with roles to `Comparisons`, whatever the columns were read from.

Messages give lines, columns and counts: identifiers of people are not shown.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.columns import means_dissimilarity
from mated.io.exact_numbers import first_not_kept, has_huge, not_kept_because
from mated.io.flags import read_flags
from mated.io.labels import as_labels
from mated.scores import Comparisons

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from numpy.typing import NDArray

    from mated.io.bytes_in import Text
    from mated.io.columns import Roles
    from mated.io.request import Request

__all__ = ["Table", "comparisons_from", "unusable_scores"]

_SUBJECTS = ("probe_subject", "reference_subject")
_IDENTIFIERS = (*_SUBJECTS, "probe_sample", "reference_sample")


@dataclass(frozen=True)
class Table:
    """Columns by name; `text` is the text they were parsed from, a line a row, None for other sources.

    Where rows come from several files, `parts` holds for each the position of its first row and its name.
    """

    name: str
    columns: Mapping[str, pl.Series]
    text: Text | None = None
    parts: tuple[tuple[int, str], ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self.columns)

    def place(self, row: int) -> str:
        """Say where a row stands: the line of a text file, else the row counted from 1."""
        if self.text is not None:
            return self.text.place(row)
        start, name = self.parts[bisect_right(self.parts, row, key=lambda part: part[0]) - 1] if self.parts else (0, "")
        return f"{name or self.name}, row {row - start + 1}"


def comparisons_from(table: Table, roles: Roles, request: Request, *, notes: tuple[str, ...] = ()) -> Comparisons:
    """Check every column and put the comparisons together; columns without a role become covariates."""
    notes = (*notes, *roles.notes)
    dissimilarity = request.dissimilarity
    if dissimilarity is None:
        dissimilarity = means_dissimilarity(roles.score)
        if dissimilarity:
            notes = (*notes, f"column {roles.score!r} is taken as a dissimilarity: a lower score means more alike")
    scores = _scores(table, roles.score, request)
    flags = None
    if roles.mated is not None:
        flags = read_flags(table.columns[roles.mated], column=roles.mated, place=table.place)
    named = {role: name for role in _IDENTIFIERS if (name := getattr(roles, role)) is not None}
    labels = {
        role: as_labels(table.columns[name], name, table, noun=role.partition("_")[2]) for role, name in named.items()
    }
    if flags is not None and all(role in labels for role in _SUBJECTS):
        _check_flags_agree(flags, labels, table)
    taken = roles.names()
    try:
        return Comparisons.from_arrays(
            scores,
            flags,
            **labels,
            covariates={name: _covariate(table, name) for name in table.columns if name not in taken},
            dissimilarity=dissimilarity,
            unit=request.unit,
            nan=request.nan,
            notes=notes,
        )
    except MatedError as error:
        raise MatedError(f"{table.name}: {error}") from None


def _scores(table: Table, name: str, request: Request) -> NDArray[Any]:
    import polars as pl

    series = table.columns[name]
    if not len(series):
        raise MatedError(f"{table.name} has no rows; it holds no scores")
    if series.dtype == pl.String or series.dtype.is_decimal():
        bare = series.str.strip_chars().replace("", None) if series.dtype == pl.String else series
        series = bare.cast(pl.Float64, strict=False)
        wrong = (series.is_null() & bare.is_not_null()).arg_true()
        if len(wrong):
            row = int(wrong[0])
            raise MatedError(
                f"{table.place(row)}, column {name!r}: the score {bare[row]!r} is not a number; correct it, "
                "or name the right column (--score-column)"
            )
        texts = bare.cast(pl.String)
        if has_huge(series) and (found := first_not_kept(series, texts)) is not None:
            place = f"{table.place(found)}, column {name!r}"
            raise MatedError(f"{place}: the score {texts[found]} {not_kept_because(series[found])}")
    if not series.dtype.is_numeric() and series.dtype != pl.Null:
        raise MatedError(
            f"{table.name}: column {name!r} holds {series.dtype} values and scores are numbers; "
            "name the right column (--score-column)"
        )
    if series.null_count() and not series.dtype.is_float():
        series = series.cast(pl.Float64)
    values = series.to_numpy()
    if request.nan == "refuse" and values.dtype.kind == "f" and (unusable := np.isnan(values)).any():
        row = int(unusable.argmax())
        what = "missing" if series[row] is None else "NaN"
        raise unusable_scores(f"{table.place(row)}, column {name!r}", unusable, what)
    return values


def unusable_scores(place: str, unusable: NDArray[np.bool_], what: str) -> MatedError:
    """Return the error for scores that are NaN or missing; `place` is that of the first."""
    count = int(np.count_nonzero(unusable))
    others = "" if count == 1 else f" ({count} such scores)"
    return MatedError(
        f"{place}: the score is {what}{others}; remove such comparisons, or count them as failures to acquire with "
        "nan='failure' (--nan failure)"
    )


def _check_flags_agree(flags: NDArray[np.bool_], labels: Mapping[str, pl.Series], table: Table) -> None:
    import polars as pl

    probe, reference = (labels[role] for role in _SUBJECTS)
    if probe.dtype != reference.dtype:
        probe, reference = probe.cast(pl.String), reference.cast(pl.String)
    wrong = np.flatnonzero((probe == reference).to_numpy() != flags)
    if len(wrong):
        row = int(wrong[0])
        says = "mated, but its subjects differ" if flags[row] else "non-mated, but its subjects are the same"
        raise MatedError(
            f"{table.place(row)}: the comparison is marked {says} ({len(wrong)} such comparisons); correct the flags "
            "or the subjects, or leave one of them out"
        )


def _covariate(table: Table, name: str) -> NDArray[Any]:
    import polars as pl

    series = table.columns[name]
    if table.text is not None and series.dtype == pl.String:
        series = _numbers_where_all_are(series.str.strip_chars().replace("", None))
    return series.to_numpy()


def _numbers_where_all_are(texts: pl.Series) -> pl.Series:
    """Turn texts that are all numbers into numbers; a leading zero means a label."""
    import polars as pl

    given = texts.drop_nulls()
    if given.is_empty() or given.head(1).cast(pl.Float64, strict=False).null_count():
        return texts
    if given.str.contains(r"^[+-]?0\d").any():
        return texts
    for dtype in (pl.Int64, pl.Float64):
        numbers = texts.cast(dtype, strict=False)
        if numbers.null_count() == texts.null_count():
            return numbers
    return texts
