"""What the engine counts, made of the parts of a scan: scores with flags, with groups, or the rows of one group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mated.engine import Scoring, Source
from mated.engine.groups import GroupedFlags, GroupName
from mated.errors import MatedError
from mated.scores.group_names import value_texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from mated.io.scanning import Scan, ScanPart

__all__ = ["GroupPart", "scoring_of", "source_of"]

_CODE = "\0code"


def scoring_of(scan: Scan) -> Scoring:
    """Return how the scores of a scan are written."""
    return Scoring(scan.dissimilarity, scan.unit, scan.nan)


def source_of(part: ScanPart, columns: tuple[str, ...] = ()) -> Source:
    """Return scores and flags of a part; with columns, grouped by them."""
    chunks = partial(_grouped_chunks, part, columns) if columns else partial(_chunks, part)
    reads = f"{part.reads}; groups: {columns}" if columns else part.reads
    return Source(part.name, chunks, part.rows, part.path, reads)


def _all_batches(part: ScanPart, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
    """Give the batches of a part, and see that they hold as many rows as it has.

    A query that is interrupted from outside ends early and says nothing, where the process ignores interrupts.
    """
    rows = 0
    for frame in part.batches(columns):
        rows += frame.height
        yield frame
    if part.rows is not None and rows != part.rows:
        raise MatedError(
            f"{part.name}: {rows} rows were read and it has {part.rows}; it changed, or reading was interrupted: run "
            "again"
        )


def _chunks(part: ScanPart) -> Iterator[tuple[Any, Any]]:
    for frame in _all_batches(part, ("score", "mated")):
        yield _numbers(frame["score"]), frame["mated"].to_numpy()


def _grouped_chunks(part: ScanPart, columns: tuple[str, ...]) -> Iterator[tuple[Any, Any]]:
    import polars as pl

    met: pl.DataFrame | None = None  # the values met so far, each with its number
    names: list[GroupName] = []
    for frame in _all_batches(part, ("score", "mated", *columns)):
        values = frame.select(columns)
        code = None if met is None else _code(values, met)
        if code is None or code.null_count():
            new = values.unique(maintain_order=True) if met is None else pl.concat([met.drop(_CODE), values]).unique()
            met, names = new.with_row_index(_CODE), new.select(value_texts(new[c]) for c in columns).rows()
            code = _code(values, met)
        yield _numbers(frame["score"]), GroupedFlags(frame["mated"].to_numpy(), code.to_numpy(), names)


def _code(values: pl.DataFrame, met: pl.DataFrame) -> pl.Series:
    """Return the number of each row's values, null where they were not met before."""
    return values.join(met, on=values.columns, how="left", nulls_equal=True, maintain_order="left")[_CODE]


@dataclass(frozen=True)
class GroupPart:
    """The comparisons of one group in a part of a scan; a part itself."""

    whole: ScanPart
    columns: tuple[str, ...]
    group: GroupName

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.whole.name

    @property
    def rows(self) -> int | None:
        """None: how many rows are of the group is not known."""
        return None

    @property
    def path(self) -> Path | None:
        """The file that is read."""
        return self.whole.path

    @property
    def reads(self) -> str:
        """What decides its rows besides the file."""
        return f"{self.whole.reads}; {dict(zip(self.columns, self.group, strict=True))}"

    def batches(self, wanted: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        """Give the columns named, of the rows of the group."""
        extra = tuple(c for c in self.columns if c not in wanted)
        for frame in self.whole.batches((*wanted, *extra)):
            here = None
            for column, value in zip(self.columns, self.group, strict=True):
                texts = value_texts(frame[column])
                same = texts.is_null() if value is None else (texts == value).fill_null(value=False)
                here = same if here is None else here & same
            assert here is not None
            yield frame.filter(here).select(wanted)


def _numbers(series: pl.Series) -> NDArray[Any]:
    """Return scores as an array, missing ones as NaN."""
    import polars as pl

    if series.null_count() and not series.dtype.is_float():
        series = series.cast(pl.Float64)
    return series.to_numpy()
