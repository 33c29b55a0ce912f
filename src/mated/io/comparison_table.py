"""From columns with roles to `Comparisons`, whatever the columns were read from.

Messages give lines, columns and counts: identifiers of people are not shown.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.columns import means_dissimilarity
from mated.io.exact_numbers import first_not_kept, has_huge, not_kept_because
from mated.io.flags import read_flags
from mated.io.labels import as_labels
from mated.scores import Comparisons

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from mated.io.bytes_in import Text
    from mated.io.columns import Roles
    from mated.io.request import Request
    from mated.io.where import Where
    from mated.scores.validation import NanPolicy

__all__ = [
    *("IDENTIFIERS", "SUBJECTS", "Table", "check_flags_agree", "comparisons_from", "filtered", "identifiers"),
    *("kept_rows", "numbers_where_all_are", "orientation", "same_subjects", "score_series", "trimmed"),
    "unusable_scores",
]

SUBJECTS = ("probe_subject", "reference_subject")
IDENTIFIERS = (*SUBJECTS, "probe_sample", "reference_sample")


@dataclass(frozen=True)
class Table:
    """Columns by name; `text` is the text they were parsed from, a line a row, None for other sources.

    Where rows come from several files, `parts` holds for each the position of its first row and its name. Where rows
    were left out, `rows` holds the positions of those that stay. Of a piece of a longer table, `first_row` is the
    position of its first row, and `so_far` ends counts in messages.
    """

    name: str
    columns: Mapping[str, pl.Series]
    text: Text | None = None
    parts: tuple[tuple[int, str], ...] = ()
    rows: NDArray[Any] | None = None
    first_row: int = 0
    so_far: str = ""

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self.columns)

    def __len__(self) -> int:
        return next((len(series) for series in self.columns.values()), 0)

    def place(self, row: int) -> str:
        """Say where a row stands: the line of a text file, else the row counted from 1."""
        row = self.first_row + (row if self.rows is None else int(self.rows[row]))
        if self.text is not None:
            return self.text.place(row)
        start, name = self.parts[bisect_right(self.parts, row, key=lambda part: part[0]) - 1] if self.parts else (0, "")
        return f"{name or self.name}, row {row - start + 1}"


def comparisons_from(table: Table, roles: Roles, request: Request, *, notes: tuple[str, ...] = ()) -> Comparisons:
    """Check every column and put the comparisons together; columns without a role become covariates."""
    import polars as pl

    dissimilarity, said = orientation(roles, request.dissimilarity)
    table = _with_numbers(table, roles)
    if request.where is not None and len(table):
        table = filtered(table, roles, request.where)
    scores = score_series(table, roles.score, request.nan)
    if scores.null_count() and not scores.dtype.is_float():
        scores = scores.cast(pl.Float64)
    flags = None
    if roles.mated is not None:
        flags = read_flags(table.columns[roles.mated], column=roles.mated, place=table.place)
    labels = identifiers(table, roles, IDENTIFIERS)
    if flags is not None and all(role in labels for role in SUBJECTS):
        check_flags_agree(flags, labels, table)
    taken = roles.names()
    try:
        return Comparisons.from_arrays(
            scores.to_numpy(),
            flags,
            **labels,
            covariates={name: series.to_numpy() for name, series in table.columns.items() if name not in taken},
            dissimilarity=dissimilarity,
            unit=request.unit,
            nan=request.nan,
            notes=(*notes, *roles.notes, *said),
        )
    except MatedError as error:
        raise MatedError(f"{table.name}: {error}") from None


def orientation(roles: Roles, dissimilarity: bool | None) -> tuple[bool, tuple[str, ...]]:
    """Settle whether scores are dissimilarities: as the user says, else as their column is named, which is noted."""
    if dissimilarity is not None or not means_dissimilarity(roles.score):
        return bool(dissimilarity), ()
    return True, (f"column {roles.score!r} is taken as a dissimilarity: a lower score means more alike",)


def score_series(table: Table, name: str, nan: NanPolicy) -> pl.Series:
    """Return the scores as numbers in the user's orientation, those that are missing as null."""
    import polars as pl

    series = table.columns[name]
    if not len(series):
        raise MatedError(f"{table.name} has no rows; it holds no scores")
    if series.dtype == pl.String or series.dtype.is_decimal():
        bare = trimmed(series) if series.dtype == pl.String else series
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
    if series.dtype == pl.Null:
        series = series.cast(pl.Float64)
    if not series.dtype.is_numeric():
        raise MatedError(
            f"{table.name}: column {name!r} holds {series.dtype} values and scores are numbers; "
            "name the right column (--score-column)"
        )
    if nan == "refuse":
        unusable = series.is_null()
        if series.dtype.is_float():
            unusable = unusable | series.is_nan().fill_null(value=True)
        if unusable.any():
            row = int(unusable.arg_true()[0])
            what = "missing" if series[row] is None else "NaN"
            place = f"{table.place(row)}, column {name!r}"
            raise unusable_scores(place, unusable.to_numpy(), what, so_far=table.so_far)
    return series


def unusable_scores(place: str, unusable: NDArray[np.bool_], what: str, *, so_far: str = "") -> MatedError:
    """Return the error for scores that are NaN or missing; `place` is that of the first."""
    count = int(np.count_nonzero(unusable))
    others = "" if count == 1 else f" ({count} such scores{so_far})"
    return MatedError(
        f"{place}: the score is {what}{others}; remove such comparisons, or count them as failures to acquire with "
        "nan='failure' (--nan failure)"
    )


def identifiers(table: Table, roles: Roles, wanted: Sequence[str]) -> dict[str, pl.Series]:
    """Return the labels of those roles that have a column, every one present."""
    named = {role: name for role in wanted if (name := getattr(roles, role)) is not None}
    return {
        role: as_labels(table.columns[name], name, table, noun=role.partition("_")[2]) for role, name in named.items()
    }


def check_flags_agree(flags: NDArray[np.bool_], labels: Mapping[str, pl.Series], table: Table) -> None:
    """Refuse flags that the subjects contradict."""
    wrong = np.flatnonzero(same_subjects(labels) != flags)
    if len(wrong):
        row = int(wrong[0])
        says = "mated, but its subjects differ" if flags[row] else "non-mated, but its subjects are the same"
        raise MatedError(
            f"{table.place(row)}: the comparison is marked {says} ({len(wrong)} such comparisons{table.so_far}); "
            "correct the flags or the subjects, or leave one of them out"
        )


def same_subjects(labels: Mapping[str, pl.Series]) -> NDArray[np.bool_]:
    """Say for each comparison whether its two subjects are the same; a number and its text are."""
    import polars as pl

    probe, reference = (labels[role] for role in SUBJECTS)
    if probe.dtype != reference.dtype:
        probe, reference = probe.cast(pl.String), reference.cast(pl.String)
    return (probe == reference).to_numpy()


# -- types and filters -------------------------------------------------------------------------------


def trimmed(texts: pl.Series) -> pl.Series:
    """Return texts without the blanks around them; what is blank is missing."""
    return texts.str.strip_chars().replace("", None)


def numbers_where_all_are(texts: pl.Series) -> pl.Series:
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


def _with_numbers(table: Table, roles: Roles) -> Table:
    """Turn the covariates of a text into numbers where all their values are."""
    import polars as pl

    if table.text is None:
        return table
    taken = roles.names()
    columns = {
        name: numbers_where_all_are(trimmed(series)) if series.dtype == pl.String and name not in taken else series
        for name, series in table.columns.items()
    }
    return replace(table, columns=columns)


def filtered(table: Table, roles: Roles, where: Where) -> Table:
    """Keep only the rows that pass a filter; they keep their places.

    Of a text the filter sees identifiers as texts, and every other column as numbers where all its values are.
    """
    import polars as pl

    seen = dict(table.columns)
    for name in where.columns:
        series = seen.get(name)
        if series is None:
            continue
        if table.text is not None and series.dtype == pl.String:
            series = trimmed(series)
            seen[name] = numbers_where_all_are(series) if name == roles.mated else series
        elif series.dtype in (pl.Categorical, pl.Enum):
            seen[name] = series.cast(pl.String)
    where.check({name: series.dtype for name, series in seen.items()}, table.name)
    mask = where.kept(pl.DataFrame({name: seen[name] for name in where.columns}), table.name)
    if not mask.any():
        raise where.leaves_nothing(table.name)
    return kept_rows(table, mask)


def kept_rows(table: Table, mask: pl.Series) -> Table:
    """Keep the rows of a mask, with their places."""
    rows = mask.arg_true().to_numpy()
    columns = {name: series.filter(mask) for name, series in table.columns.items()}
    return replace(table, columns=columns, rows=rows if table.rows is None else table.rows[rows])
