"""Write a table of comparisons with the canonical column names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mated.scores import Comparisons, PairIds

__all__ = ["write_comparisons"]


def write_comparisons(comparisons: Comparisons, path: Path, *, covariates: Mapping[str, Any] | None = None) -> None:
    """Write comparisons as CSV or Parquet, by the file's ending, scores as the user's system has them.

    Subjects stand for the mated flag where they are known. `covariates` adds columns to those there are.
    """
    import polars as pl

    columns: dict[str, Any] = {}
    for ids, what in ((comparisons.samples, "sample"), (comparisons.subjects, "subject")):
        if ids is not None:
            columns[f"probe_{what}"] = _names(ids, ids.probe)
            columns[f"reference_{what}"] = _names(ids, ids.reference)
    if comparisons.subjects is None:
        columns["mated"] = comparisons.mated.astype(np.int8)
    columns |= dict(comparisons.covariates) | dict(covariates or {})
    score = -comparisons.score if comparisons.dissimilarity else comparisons.score
    whole = comparisons.tally().unit == 1 and np.isfinite(score).all()
    columns["dissimilarity" if comparisons.dissimilarity else "score"] = score.astype(np.int64) if whole else score
    frame = pl.DataFrame(columns)
    with replacing(path) as temporary:
        if path.suffix == ".csv":
            frame.write_csv(temporary)
        elif path.suffix == ".parquet":
            frame.write_parquet(temporary)
        else:
            raise MatedError(f"{path}: comparisons are written as .csv or .parquet")


def _names(ids: PairIds, codes: Any) -> Any:
    return np.array(ids.names)[codes]
