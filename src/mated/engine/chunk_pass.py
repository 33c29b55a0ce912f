"""A pass over parts of a table that name who was compared, and how the columns of a chunk are read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from mated.engine.runner import nothing_to_count
from mated.errors import MatedError
from mated.scores.validation import as_scores, as_similarity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from mated.engine.runner import Runner
    from mated.engine.stream import Progress, Scoring

__all__ = [
    "ALL_COLUMNS",
    "ChunkWorker",
    "Found",
    "TablePart",
    "check_columns",
    "check_mated",
    "go_over",
    "similarities",
]

ALL_COLUMNS = frozenset({"score", "mated", "probe_subject", "reference_subject", "probe_sample", "reference_sample"})
"""The columns of a table that says all there is to know of a comparison."""


class TablePart(Protocol):
    """Some rows of a table, a file for instance; read again and again, always the same rows."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def rows(self) -> int | None:
        """Number of comparisons, None where it is not known."""

    @property
    def batches(self) -> Callable[[tuple[str, ...]], Iterator[pl.DataFrame]]:
        """Give the columns named, some rows at a time; scores as they were written, null where one is missing."""


class Found(Protocol):
    """What was found in some of the rows."""

    @property
    def rows(self) -> int:
        """Number of comparisons seen."""


_Found = TypeVar("_Found", bound=Found)
_Made = TypeVar("_Made", bound=Found, covariant=True)


class ChunkWorker(Protocol[_Made]):
    """Takes in chunks and gives what they add up to."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads."""

    def add(self, batch: pl.DataFrame, *, name: str, first_row: int) -> None:
        """Take in a chunk."""

    def result(self) -> _Made:
        """Return what was taken in so far."""


def go_over(
    parts: Sequence[TablePart],
    worker: Callable[[], ChunkWorker[_Found]],
    number: int,
    *,
    merge: Callable[[_Found, _Found], _Found],
    runner: Runner | None = None,
    progress: Progress | None = None,
) -> _Found:
    """Give all chunks of all parts to workers and merge what they found.

    Without a runner one worker takes them all in, here. `number` is that of the pass, for `progress`.
    """
    if not parts:
        raise nothing_to_count()
    known = [part.rows for part in parts]
    rows = None if None in known else sum(size or 0 for size in known)
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        if progress is not None:
            progress(number, done, rows)

    if runner is not None:
        return runner.map_reduce(
            parts,
            partial(_taken_in, worker),
            merge=merge,
            name_of=_name_of,
            done=None if progress is None else tell,
            brief=_rows_of,
        )
    here = worker()
    for part in parts:
        _take_in(here, part, tell)
    return here.result()


def _take_in(worker: ChunkWorker[Any], part: TablePart, tell: Callable[[int], None] | None = None) -> None:
    row = 1
    batches = iter(part.batches(worker.columns))
    try:
        for batch in batches:
            if batch.height:
                worker.add(batch, name=part.name, first_row=row)
                row += batch.height
            if tell is not None:
                tell(batch.height)
    finally:
        close = getattr(batches, "close", None)
        if close is not None:
            close()


# Functions of a module, which can be sent elsewhere by their names.


def _taken_in(worker: Callable[[], ChunkWorker[_Found]], part: TablePart) -> _Found:
    own = worker()
    _take_in(own, part)
    return own.result()


def _rows_of(found: Found) -> int:
    return found.rows


def _name_of(part: TablePart) -> str:
    return part.name


# -- columns ---------------------------------------------------------------------------------------


def check_columns(knows: Collection[str], *, samples: bool = False) -> None:
    """Refuse a table that does not name subjects, or names the samples of references alone."""
    for column, other in (("probe_subject", "reference_subject"), ("reference_subject", "probe_subject")):
        if column not in knows and other in knows:
            raise MatedError(f"{other} is given without {column}; give both or neither")
    if "probe_subject" not in knows:
        raise MatedError(
            "comparisons are read in chunks here, and who was compared must then be named: give probe_subject and "
            "reference_subject"
            + (", or read the table whole to tell identities by mated comparisons" if samples else "")
        )
    if "reference_sample" in knows and "probe_sample" not in knows:
        raise MatedError("reference_sample is given without probe_sample; give both or neither")


def similarities(series: pl.Series, scoring: Scoring, name: str, first_row: int) -> NDArray[Any]:
    """Return the scores of a chunk as similarities, NaN for a failure: float32 where they are, else float64."""
    import polars as pl

    if not series.dtype.is_numeric() and series.dtype != pl.Null:
        raise MatedError(f"{name}: scores are numbers, and this column holds {series.dtype}; name the right one")
    if series.dtype.is_decimal() or series.dtype == pl.Null or (series.null_count() and not series.dtype.is_float()):
        series = series.cast(pl.Float64)
    score = as_similarity(as_scores(series.to_numpy(), name), scoring.dissimilarity) + 0.0  # −0 becomes 0
    if scoring.nan not in ("refuse", "failure"):
        raise MatedError(f"nan must be 'refuse' or 'failure', not {scoring.nan!r}")
    if scoring.nan == "refuse":
        unusable = np.isnan(score)
        if unusable.any():
            raise MatedError(
                f"{name}, row {first_row + int(unusable.argmax())}: the score is missing or NaN; remove such "
                "comparisons, or count them as failures to acquire with nan='failure' (--nan failure)"
            )
    return score


def check_mated(series: pl.Series, same: NDArray[np.bool_], name: str, first_row: int) -> None:
    """Refuse flags that the subjects contradict."""
    flags = series.to_numpy()
    if series.null_count() or flags.dtype != np.bool_:
        raise MatedError(f"{name}: whether a comparison is mated must be true or false in every row; complete them")
    wrong = flags != same
    if wrong.any():
        row = int(wrong.argmax())
        says = "mated, but its subjects differ" if flags[row] else "non-mated, but its subjects are the same"
        raise MatedError(
            f"{name}, row {first_row + row}: the comparison is marked {says}; correct the flags or the subjects, or "
            "leave one of them out"
        )
