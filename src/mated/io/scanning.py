"""`scan`: the door for tables that need not fit into memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mated.io.columns import Columns
from mated.io.failure_scores import failure_value, is_failure_score
from mated.io.reading import request_for
from mated.io.registry import choose
from mated.io.scan_columnar import scan_columnar
from mated.io.scan_frames import scan_frame
from mated.io.scan_lists import scan_lists
from mated.io.scan_parts import Scan, ScanPart
from mated.io.scan_text import scan_bob, scan_text

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    import polars as pl

    from mated.io.request import Header, Request
    from mated.scores.validation import NanPolicy

__all__ = ["LARGE_BYTES", "LARGE_ROWS", "Scan", "ScanPart", "is_large", "scan"]

LARGE_ROWS = 20_000_000
"""More comparisons than this are counted batch by batch."""
LARGE_BYTES = 1 << 28
"""So are files of more bytes than this, where their rows are not known."""

_PACKED = 4  # what gzip makes of scores in text, roughly
_FIND_ALL = Columns()
_SCANNERS: Mapping[str, Callable[[Request, int | None], Scan | None]] = {
    "parquet": scan_columnar,
    "table": scan_text,
    "bob": scan_bob,
    "frame": scan_frame,
    "lists": scan_lists,
}


def scan(
    source: Any = None,
    *,
    mated: str | os.PathLike[str] | None = None,
    nonmated: str | os.PathLike[str] | None = None,
    format: str = "auto",  # noqa: A002 - as in `read`
    columns: Columns = _FIND_ALL,
    header: Header = "auto",
    where: str | None = None,
    dissimilarity: bool | None = None,
    unit: object = "auto",
    nan: NanPolicy = "refuse",
    rows_per_part: int | None = None,
    failure_score: float | None = None,
) -> Scan | None:
    """Look at a table without reading it; its parts are then read batch by batch, as often as needed.

    The batches of all parts, put together, are the columns that `read` gives for the same arguments.

    Parameters
    ----------
    source, mated, nonmated, format, columns, header, where, dissimilarity, unit, nan
        As for `read`. Polars' LazyFrames, DuckDB relations, Dask and PySpark frames are not brought into memory.
    rows_per_part
        Divide Parquet files into parts of at most so many rows, along their row groups.
    failure_score
        As for `read`: in the batches this score is missing, and the scan says that missing scores are failures.

    Returns
    -------
    Scan or None
        None where this format, or this file, can only be read whole: use `read`.

    Raises
    ------
    MatedError
        The input cannot be used; the sentence says where and what to do.
    """
    request = request_for(
        source,
        mated=mated,
        nonmated=nonmated,
        columns=columns,
        header=header,
        dissimilarity=dissimilarity,
        unit=unit,
        nan=nan,
        where=where,
    )
    value = None if failure_score is None else failure_value(failure_score)
    scanner = _SCANNERS.get(choose(format, request).name)
    found = None if scanner is None else scanner(request, rows_per_part)
    return found if found is None or value is None else _with_failures(found, value)


def _with_failures(scanned: Scan, value: float) -> Scan:
    parts = tuple(
        replace(part, batches=BatchesWithFailures(part.batches, value), reads=f"{part.reads}; failure score {value!r}")
        for part in scanned.parts
    )
    note = f"comparisons with the score {value:g} count as failures"
    return replace(scanned, parts=parts, nan="failure", notes=(*scanned.notes, note))


@dataclass(frozen=True)
class BatchesWithFailures:
    """Batches in which one score stands for a failure and is made missing."""

    batches: Callable[[tuple[str, ...]], Iterator[pl.DataFrame]]
    value: float

    def __call__(self, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        """Yield the batches."""
        import polars as pl

        for batch in self.batches(columns):
            if "score" not in columns:
                yield batch
                continue
            failed = pl.Series(is_failure_score(batch["score"].to_numpy(), self.value))
            yield batch.with_columns(score=batch["score"].set(failed, None)).select(columns)


def is_large(scanned: Scan) -> bool:
    """Say whether a table is better counted batch by batch than held in memory; a lazy frame always is."""
    if scanned.lazy:
        return True
    if scanned.rows is not None:
        return scanned.rows > LARGE_ROWS
    packed = any(part.path is not None and part.path.suffix.lower() == ".gz" for part in scanned.parts)
    return (scanned.size or 0) * (_PACKED if packed else 1) > LARGE_BYTES
