"""Scores that stand for a failure, such as −1 or −FLT_MAX: comparisons without a score that were given one.

They become failures after a file was read, whatever its format, so that no rate counts them as scores.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores import Comparisons, ScoreMatrix
from mated.scores.ids import PairIds
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["count_as_failures", "failure_value", "is_failure_score"]

_FLT_MAX = float(np.finfo(np.float32).max)
# 3.4028234663852886e38 is often written with six digits, 3.40282e+38.
_NEARLY_FLT_MAX = 3.40281e38
_BLOCK_ENTRIES = 1 << 24


def failure_value(given: object) -> float:
    """Return the score that stands for a failure as a number, or say that it is none."""
    try:
        value = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        value = np.nan
    if np.isnan(value):
        raise MatedError(
            f"failure_score (--failure-score) is the number that stands for a failure, such as -1, and {given!r} is "
            "none; for NaN use nan='failure' (--nan failure)"
        )
    return value


def is_failure_score(scores: NDArray[Any], value: float) -> NDArray[np.bool_]:
    """Say which scores are the one that stands for a failure, compared in their own precision.

    ±FLT_MAX is recognised by six digits, as texts round it differently.
    """
    if abs(value) <= _FLT_MAX * (1 + 1e-6) and abs(value) > _NEARLY_FLT_MAX:
        sized = scores.astype(np.float64) if value > 0 else -scores.astype(np.float64)
        return np.asarray((sized > _NEARLY_FLT_MAX) & (sized <= _FLT_MAX * (1 + 1e-6)))
    with np.errstate(over="ignore"):
        wanted = scores.dtype.type(value) if scores.dtype.kind == "f" else value
    return np.asarray(scores == wanted)


def count_as_failures(layout: Comparisons | ScoreMatrix, value: float) -> Comparisons | ScoreMatrix:
    """Turn comparisons with this score, as the user writes it, into failures, beside those already known."""
    return _in_matrix(layout, value) if isinstance(layout, ScoreMatrix) else _in_table(layout, value)


def _said(count: int, value: float) -> str:
    how_many = f"{count} comparisons have" if count != 1 else "1 comparison has"
    return f"{how_many if count else 'no comparison has'} the score {value:g} of a failure" + (
        f" and count{'s' if count == 1 else ''} as {'failures' if count != 1 else 'a failure'}" if count else ""
    )


def _in_table(table: Comparisons, value: float) -> Comparisons:
    failed = is_failure_score(table.score, -value if table.dissimilarity else value)
    count = int(np.count_nonzero(failed))
    notes = (*table.notes, _said(count, value))
    if not count:
        return replace(table, notes=notes)
    before = len(table.failed_mated)
    return replace(
        table.take(~failed),
        failed_mated=np.concatenate([table.failed_mated, table.mated[failed]]),
        failed_covariates={
            name: np.concatenate([table.failed_covariates[name], values[failed]]) if before else values[failed]
            for name, values in table.covariates.items()
        },
        failed_subjects=_joined(table.failed_subjects, table.subjects, failed, before),
        failed_samples=_joined(table.failed_samples, table.samples, failed, before),
        notes=notes,
    )


def _joined(known: PairIds | None, ids: PairIds | None, failed: NDArray[np.bool_], before: int) -> PairIds | None:
    """Put those who failed before and now together; None where it is not known who failed."""
    if ids is None or (known is None and before):
        return None
    now = ids.take(failed)
    if known is None:
        return now
    probe = np.concatenate([known.probe, now.probe])
    return PairIds(probe, np.concatenate([known.reference, now.reference]), ids.names, ids.given)


def _in_matrix(matrix: ScoreMatrix, value: float) -> ScoreMatrix:
    rows, columns = matrix.scores.shape
    step = max(1, _BLOCK_ENTRIES // columns)
    scores: NDArray[Any] | None = None
    count = 0
    for start in range(0, rows, step):
        block = slice(start, start + step)
        failed = is_failure_score(np.asarray(matrix.scores[block]), value)
        if not failed.any():
            continue
        if scores is None:  # most matrices have no such score, and may be mapped from a file
            number = matrix.scores.dtype if matrix.scores.dtype.kind == "f" else np.dtype(np.float64)
            scores = np.array(matrix.scores, dtype=number)
        scores[block][failed] = np.nan
        count += int(np.count_nonzero(failed if matrix.used is None else failed & matrix.used[block]))
    if scores is None:
        return replace(matrix, notes=(*matrix.notes, _said(0, value)))
    if matrix.nan == "refuse":
        _refuse_other_nan(matrix, step)
    said = f"{count} entries have the score {value:g} of a failure and count as failures"
    return replace(matrix, scores=read_only(scores), nan="failure", notes=(*matrix.notes, said))


def _refuse_other_nan(matrix: ScoreMatrix, step: int) -> None:
    """Refuse NaN that was not said to be a failure: from here on it could not be told apart."""
    for start in range(0, matrix.scores.shape[0], step):
        block = slice(start, start + step)
        wrong = np.isnan(np.asarray(matrix.scores[block]))
        if matrix.used is not None:
            wrong &= matrix.used[block]
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise MatedError(
                f"the matrix has NaN at row {start + row + 1}, column {column + 1}; mask such entries, or count them "
                "as failures to acquire too with nan='failure' (--nan failure)"
            )
