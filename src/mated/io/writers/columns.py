"""Scores, flags and names of comparisons as columns, those without a score last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.columns import Columns, resolve
from mated.io.writers.names import named, samples_of, subjects_of
from mated.scores.unit import detect_unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from mated.scores import Comparisons

__all__ = [
    "are_whole",
    "flags_of",
    "free_names",
    "score_name",
    "score_texts",
    "scores_of",
    "table_of",
    "unit_note",
    "widened",
]

_EXACT_INTEGER = 2**53


def scores_of(comparisons: Comparisons) -> NDArray[Any]:
    """Return scores in the user's orientation, of the type they have; failures are NaN and come last."""
    scores = -comparisons.score if comparisons.dissimilarity else comparisons.score
    failures = len(comparisons.failed_mated)
    if not failures:
        return scores
    scores = scores if scores.dtype.kind == "f" else scores.astype(np.float64)
    return np.concatenate([scores, np.full(failures, np.nan, dtype=scores.dtype)])


def flags_of(comparisons: Comparisons) -> NDArray[np.bool_]:
    """Return which comparisons are mated, those without a score last."""
    flags: NDArray[np.bool_] = np.concatenate([comparisons.mated, comparisons.failed_mated])
    return flags


def are_whole(scores: pl.Series) -> bool:
    """Say whether every score there is is a whole number, so that it is written as one."""
    if scores.dtype.is_integer():
        return True
    given = scores.drop_nulls().drop_nans().to_numpy()
    return bool((np.isfinite(given) & (np.rint(given) == given) & (np.abs(given) < _EXACT_INTEGER)).all())


def widened(scores: NDArray[Any]) -> NDArray[Any]:
    """Return scores for a text, which is read as 64 bits: those of 32 bits by the digits they mean.

    Decimals stay what they are: 0.1 is written as 0.1, and the unit is found again. Of continuous scores the number
    held is written, with all its digits: the fewest that tell it apart would look like decimals.
    """
    if scores.dtype != np.float32 or detect_unit(scores[~np.isnan(scores)]) is not None:
        return scores
    return scores.astype(np.float64)


def score_texts(scores: NDArray[Any]) -> pl.Series:
    """Return scores as texts that read back as the same numbers, whole numbers without a point; a failure is "nan"."""
    import polars as pl

    series = pl.Series("score", np.ascontiguousarray(widened(scores)))
    if not series.dtype.is_float():
        return series.cast(pl.String)
    # Polars writes the fewest digits that tell a number of its precision apart.
    texts = series.fill_nan(None).cast(pl.Int64 if are_whole(series) else series.dtype).cast(pl.String)
    return texts.fill_null("nan")


def score_name(dissimilarity: bool) -> str:
    """Return the canonical name of the score column."""
    return "dissimilarity" if dissimilarity else "score"


def unit_note(unit: object) -> tuple[str, ...]:
    """Say where the user set the unit of the scores, which no file holds."""
    if unit == "auto":
        return ()
    return (f"the unit of the scores is not held; read it with --unit {unit}",)


def table_of(comparisons: Comparisons, more: Mapping[str, Any] | None = None) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the table of canonical columns, and notes; subjects stand for the mated flag where they are known.

    A failure is a row without a score. `more` adds covariates to those there are, one value a comparison with a score.
    """
    import polars as pl

    columns: dict[str, Any] = {}
    for ids, what in ((samples_of(comparisons), "sample"), (subjects_of(comparisons), "subject")):
        if ids is not None:
            for side in ("probe", "reference"):
                # Names as they were, where the subjects beside them tell samples of one name apart.
                names = named(ids, getattr(ids, side), given=comparisons.subjects is not None)
                columns[f"{side}_{what}"] = pl.Series(names.tolist(), dtype=pl.String)
    if comparisons.subjects is None:
        columns["mated"] = pl.Series(flags_of(comparisons))
    score = score_name(comparisons.dissimilarity)
    renamed, notes = free_names([*comparisons.covariates, *(more or {})], [*columns, score])
    for name, values in (dict(comparisons.covariates) | dict(more or {})).items():
        columns[renamed[name]] = _covariate(comparisons, name, np.asarray(values))
    scores = pl.Series(np.ascontiguousarray(scores_of(comparisons)))
    if scores.dtype.is_float():
        scores = scores.fill_nan(None)
        scores = scores.cast(pl.Int64) if are_whole(scores) else scores
    columns[score] = scores
    return pl.DataFrame(columns), (*notes, *unit_note(comparisons.unit))


def _covariate(comparisons: Comparisons, name: str, values: NDArray[Any]) -> pl.Series:
    import polars as pl

    parts = [values]
    if len(comparisons.failed_mated):
        failed = comparisons.failed_covariates.get(name)
        if failed is None:
            raise MatedError(f"there are comparisons without a score, and {name!r} has no values for them")
        parts.append(failed)
    if all(part.dtype.kind in "fiub" and part.dtype == values.dtype for part in parts):
        return pl.Series(np.ascontiguousarray(np.concatenate(parts)))
    series = pl.Series([value for part in parts for value in part.tolist()], strict=False)
    return series.cast(pl.String) if series.dtype == pl.Null else series


def free_names(covariates: Sequence[str], canonical: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Name covariates so that none is taken for a score, a flag or an identifier when the table is read."""
    expected = resolve(canonical, Columns(), source="the table")
    renamed: dict[str, str] = {}
    for name in covariates:
        new = " ".join(name.split()) or "column"
        while not _stays_covariate(new, canonical, expected) or new in renamed.values():
            new = f"covariate_{new}"
        renamed[name] = new
    changed = [f"{name!r} as {new!r}" for name, new in renamed.items() if name != new]
    if not changed:
        return renamed, ()
    return renamed, (f"columns whose names mean something else in a table are renamed: {', '.join(changed)}",)


def _stays_covariate(name: str, canonical: Sequence[str], expected: object) -> bool:
    try:
        return resolve([*canonical, name], Columns(), source="the table") == expected
    except MatedError:
        return False
