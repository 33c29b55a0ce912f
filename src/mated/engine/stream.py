"""Sources of comparisons that are read chunk by chunk, as often as needed, and the first pass over them.

A source is a name and a function that gives its chunks anew each time: pairs of arrays, the scores and whether each
comparison is mated. Files are read by Polars in streaming mode. `mated.engine.passes` goes over them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.engine.passes import run_pass
from mated.engine.runner import nothing_to_count
from mated.errors import MatedError
from mated.scores.keyed_tally import KeyedCounter, KeyedTally

if TYPE_CHECKING:
    import os
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from mated.engine.checkpoint import Checkpoint
    from mated.engine.runner import Runner
    from mated.scores.validation import NanPolicy

__all__ = [
    "CHUNK",
    "Progress",
    "Scoring",
    "Source",
    "as_sources",
    "count",
    "count_chunk",
    "from_arrays",
    "from_lazy_frame",
    "from_lists",
    "from_parquet",
    "rows_of",
    "run_pass",
    "split_parquet",
]

CHUNK = 1 << 18
"""Comparisons in a chunk: large enough to cost nothing, small enough for the processor's cache to help."""

Chunk: TypeAlias = tuple[Any, Any]
Progress: TypeAlias = Callable[[int, int, int | None], None]
"""Called with the number of the pass, the comparisons done in it, and how many there are where that is known."""


@dataclass(frozen=True)
class Source:
    """Comparisons that can be read again and again, in chunks of any size and always the same.

    Attributes
    ----------
    name
        What messages call it.
    chunks
        Gives the chunks anew each time: scores in the user's orientation, and flags.
    rows
        Number of comparisons, where it is known.
    path
        The file that is read, where there is one: a change of it is noticed.
    reads
        What is read from the file and how, in words; tallies of one file read in two ways are kept apart.
    first_row
        The number of its first row, for messages.
    """

    name: str
    chunks: Callable[[], Iterable[Chunk]]
    rows: int | None = None
    path: Path | None = None
    reads: str = ""
    first_row: int = 1


@dataclass(frozen=True)
class Scoring:
    """How scores are written: their orientation, their unit and what NaN means, as for `Tally.from_scores`."""

    dissimilarity: bool = False
    unit: object = "auto"
    nan: NanPolicy = "refuse"

    def counter(self) -> KeyedCounter:
        """Return a counter that has seen nothing."""
        return KeyedCounter(dissimilarity=self.dissimilarity, unit=self.unit, nan=self.nan)


# -- where comparisons come from -------------------------------------------------------------------


def from_arrays(score: NDArray[Any], mated: NDArray[Any], *, name: str = "scores", chunk: int = CHUNK) -> Source:
    """Take one array of scores and one of flags; memory maps are read piece by piece."""
    if len(score) != len(mated):
        raise MatedError(f"{name}: there are {len(mated)} flags of mated comparisons for {len(score)} scores")

    def chunks() -> Iterator[Chunk]:
        for begin in range(0, len(score), chunk):
            yield score[begin : begin + chunk], mated[begin : begin + chunk]

    return Source(name, chunks, len(score))


def from_lists(mated: NDArray[Any], nonmated: NDArray[Any], *, name: str = "scores", chunk: int = CHUNK) -> Source:
    """Take the mated and the non-mated scores, each as an array or a memory map."""

    def chunks() -> Iterator[Chunk]:
        for scores, flag in ((mated, True), (nonmated, False)):
            for begin in range(0, len(scores), chunk):
                piece = scores[begin : begin + chunk]
                yield piece, np.full(len(piece), flag)

    return Source(name, chunks, len(mated) + len(nonmated))


def from_parquet(
    path: str | os.PathLike[str],
    *,
    score: str | pl.Expr = "score",
    mated: str | pl.Expr = "mated",
) -> Source:
    """Read two columns of a Parquet file; see `from_lazy_frame`."""
    import polars as pl

    file, rows = _parquet(path)
    frame = pl.scan_parquet(file.absolute())  # workers of a cluster may run in another folder
    return from_lazy_frame(frame, score=score, mated=mated, name=str(file), rows=rows, path=file)


def split_parquet(
    path: str | os.PathLike[str],
    rows: int,
    *,
    score: str | pl.Expr = "score",
    mated: str | pl.Expr = "mated",
) -> tuple[Source, ...]:
    """Read a Parquet file as several sources of so many rows, which workers of a cluster share among them.

    Only the row groups of a source are read for it; a few million rows are enough to make up for what a source costs.
    """
    import polars as pl

    if rows < 1:
        raise MatedError(f"a source has at least one row, and rows={rows} leaves none")
    file, total = _parquet(path)
    sources = []
    for begin in range(0, max(total, 1), rows):
        size = min(rows, total - begin)
        frame = pl.scan_parquet(file.absolute()).slice(begin, size)
        source = from_lazy_frame(frame, score=score, mated=mated, name=str(file), rows=size, path=file)
        within = f"{source.reads}; rows {begin + 1} to {begin + size}"
        sources.append(replace(source, reads=within, first_row=begin + 1))
    return tuple(sources)


def _parquet(path: str | os.PathLike[str]) -> tuple[Path, int]:
    """Return a Parquet file and its number of rows."""
    from pathlib import Path

    import polars as pl

    file = Path(path)
    try:
        return file, int(pl.scan_parquet(file).select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(str(file), error) from None


def from_lazy_frame(
    frame: pl.LazyFrame,
    *,
    score: str | pl.Expr = "score",
    mated: str | pl.Expr = "mated",
    name: str = "frame",
    rows: int | None = None,
    path: Path | None = None,
) -> Source:
    """Read any lazy Polars frame (`scan_parquet`, `scan_csv`, `scan_ipc`, a query) without holding it.

    Parameters
    ----------
    score, mated
        Columns, or expressions such as `pl.col("probe_subject") == pl.col("reference_subject")`. Missing scores count
        as NaN; a flag must not be missing.
    rows, path
        As in `Source`.
    """
    import polars as pl

    columns = [pl.col(c) if isinstance(c, str) else c for c in (score, mated)]
    query = frame.select(columns[0].alias("score"), columns[1].alias("mated"))

    def chunks() -> Iterator[Chunk]:
        try:
            for batch in query.collect_batches(engine="streaming"):
                scores, flags = batch.get_columns()
                yield _scores(scores, name), _flags(flags, name)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise _unreadable(name, error) from None

    return Source(name, chunks, rows, path, f"score: {columns[0]}; mated: {columns[1]}")


def _scores(series: pl.Series, name: str) -> NDArray[Any]:
    import polars as pl

    if not series.dtype.is_numeric() or series.dtype.is_decimal():
        raise MatedError(f"{name}: scores are numbers, and this column holds {series.dtype}; name the right one")
    if series.null_count() and not series.dtype.is_float():
        series = series.cast(pl.Float64)
    return series.to_numpy()


def _flags(series: pl.Series, name: str) -> NDArray[Any]:
    if series.null_count():
        raise MatedError(f"{name}: {series.null_count()} comparisons do not say whether they are mated; complete them")
    return series.to_numpy()


def _unreadable(name: str, error: Exception) -> MatedError:
    said = str(error).strip().splitlines()
    reason = said[0] if said else type(error).__name__
    return MatedError(f"{name} cannot be read to its end: {reason}; write it again, or leave it out")


# -- passes ------------------------------------------------------------------------------------------


def as_sources(sources: Source | Sequence[Source]) -> tuple[Source, ...]:
    """Take one source or several."""
    several = (sources,) if isinstance(sources, Source) else tuple(sources)
    if not several:
        raise nothing_to_count()
    return several


def rows_of(sources: Iterable[Source]) -> int | None:
    """Return the number of comparisons in all sources, None where one does not say."""
    known = [source.rows for source in sources]
    return None if None in known else sum(rows or 0 for rows in known)


def count_chunk(scores: Any, mated: Any, scoring: Scoring) -> KeyedTally:
    """Count one chunk by itself: the first pass is `sum(count_chunk(...) for all chunks)`."""
    counter = scoring.counter()
    counter.add(scores, mated)
    return counter.result()


def count(
    sources: Source | Sequence[Source],
    *,
    scoring: Scoring | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
    runner: Runner | None = None,
) -> KeyedTally:
    """Count all comparisons by the leading bits of their keys, in one pass.

    Memory does not grow with the comparisons. With a checkpoint the tally of every file is kept; with a runner sources
    are counted where it says; see `run_pass`.
    """
    several, how = as_sources(sources), scoring or Scoring()
    return run_pass(
        several,
        how.counter,
        1,
        stage=lambda: f"count {how}",
        restore=KeyedTally.from_arrays,
        rows=rows_of(several),
        progress=progress,
        checkpoint=checkpoint,
        runner=runner,
    )
