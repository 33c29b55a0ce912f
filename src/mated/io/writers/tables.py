"""Tables with the canonical columns: Parquet, Arrow and text, written batch by batch."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError
from mated.io.delimited import is_number
from mated.io.writers.columns import are_whole, free_names, score_name, table_of, unit_note, widened
from mated.io.writers.names import LINES, check_names
from mated.io.writers.output import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    import polars as pl

    from mated.io.scanning import Scan
    from mated.io.writers.output import Output
    from mated.scores import Comparisons

__all__ = ["TableKind", "write_scan", "write_table"]

TableKind = Literal["parquet", "arrow", "csv", "tsv"]

_PRECISION = "scores of 32 bits are read back from text as 64 bits"
_IDENTIFIERS = ("probe_sample", "reference_sample", "probe_subject", "reference_subject")


def write_table(
    comparisons: Comparisons, output: Output, kind: TableKind, *, more: Mapping[str, Any] | None = None
) -> Written:
    """Write comparisons that are in memory; failures are rows without a score and come last."""
    import polars as pl

    for ids, noun in ((comparisons.subjects, "subject"), (comparisons.samples, "sample")):
        if ids is not None:
            check_names(ids.given or ids.names, str(output.path), noun=noun)
    frame, notes = table_of(comparisons, more)
    score = frame.to_series(-1)
    if kind in ("csv", "tsv") and score.dtype == pl.Float32:
        notes = (*notes, _PRECISION)
        frame = frame.with_columns(pl.Series(score.name, widened(score.to_numpy())).fill_nan(None))
    count = _sink([frame], output, kind)
    return Written((output.path,), count.rows, notes, _reading(frame.columns, kind, count))


def write_scan(scan: Scan, output: Output, kind: TableKind, *, progress: Any = None) -> Written:
    """Write what a scan gives, a batch at a time: rows keep their order, and memory does not grow with the table."""
    plan = _Plan.of(scan, kind)
    total = sum(part.rows or 0 for part in scan.parts) if all(part.rows for part in scan.parts) else 0

    def batches() -> Iterator[pl.DataFrame]:
        done = 0
        for batch in plan.batches(scan):
            yield batch
            done += batch.height
            if progress is not None and total:
                progress(done, total)

    stream = batches()
    first = next(stream, None)
    if first is None:
        raise MatedError(f"{scan.name} has no rows; it holds no scores")
    count = _sink(chain([first], stream), output, kind)
    notes = (*plan.notes, *unit_note(scan.unit))
    return Written((output.path,), count.rows, notes, _reading(first.columns, kind, count))


@dataclass(frozen=True)
class _Plan:
    """Which columns of a scan are read, and under which names and type of scores (None: theirs) they are written.

    Flags are always read, since they must agree with the subjects, and written where there are no subjects.
    """

    asked: tuple[str, ...]
    names: Mapping[str, str]
    one_reference_each: bool
    score_type: Any
    notes: tuple[str, ...]

    @classmethod
    def of(cls, scan: Scan, kind: TableKind) -> _Plan:
        known = scan.knows
        subjects = {"probe_subject", "reference_subject"} <= known
        asked = [*(name for name in _IDENTIFIERS if name in known), "mated"]
        # As when it is read whole: with probes alone named, each subject has one reference.
        alone = subjects and "probe_sample" in known and "reference_sample" not in known
        score = score_name(scan.dissimilarity)
        kept = [name for name in asked if not (subjects and name == "mated")]
        renamed, notes = free_names(scan.covariates, [*kept, *(["reference_sample"] if alone else []), score])
        names = {**{name: name for name in kept}, **renamed, "score": score}
        score_type = _score_type(scan, kind)
        if score_type is not None and score_type.is_float():
            notes = (*notes, _PRECISION)
        return cls((*asked, *scan.covariates, "score"), names, alone, score_type, notes)

    def batches(self, scan: Scan) -> Iterator[pl.DataFrame]:
        import polars as pl

        for part in scan.parts:
            for batch in part.batches(self.asked):
                score = pl.col("score")
                if batch.schema["score"].is_float():
                    score = score.fill_nan(None)
                batch = batch.select(list(self.names)).with_columns(
                    score if self.score_type is None else score.cast(self.score_type)
                )
                if self.one_reference_each:
                    reference = pl.concat_str(pl.lit("reference of "), pl.col("reference_subject").cast(pl.String))
                    batch.insert_column(1, batch.select(reference.alias("reference_sample")).to_series())
                yield batch.rename(self.names)


def _score_type(scan: Scan, kind: TableKind) -> Any:
    """Look through the scores: Int64 where all are whole; as text Float64 for continuous ones of 32 bits; else None.

    The first score that settles it ends the search.
    """
    import polars as pl

    whole, decimals, narrow = True, True, False
    for part in scan.parts:
        for batch in part.batches(("score",)):
            scores = batch["score"]
            whole = whole and are_whole(scores)
            narrow = kind in ("csv", "tsv") and scores.dtype == pl.Float32
            decimals = not narrow or (decimals and widened(scores.to_numpy()).dtype == np.float32)
            if not whole and not (narrow and decimals):
                return pl.Float64() if narrow else None
    if whole:
        return pl.Int64()
    return pl.Float32() if narrow else None


@dataclass
class _Count:
    """Rows written, and those of them without a score."""

    rows: int = 0
    failures: int = 0


def _sink(frames: Iterable[pl.DataFrame], output: Output, kind: TableKind) -> _Count:
    """Write frames one after another into one file and count their rows; the score is the last column."""
    from polars.io.plugins import register_io_source

    stream = iter(frames)
    first = _prepared(next(stream), kind, output.path)
    count = _Count()

    def source(*_: Any) -> Iterator[pl.DataFrame]:
        for number, frame in enumerate(chain([first], stream)):
            prepared = frame if number == 0 else _prepared(frame, kind, output.path)
            count.rows += prepared.height
            count.failures += prepared.to_series(-1).null_count()
            yield prepared if number == 0 else _as_before(prepared, first.schema, output.path)

    lazy = register_io_source(source, schema=dict(first.schema))
    with output.files(output.path) as (temporary,):
        if kind == "parquet":
            lazy.sink_parquet(temporary)
        elif kind == "arrow":
            lazy.sink_ipc(temporary, compression="lz4")
        else:
            packed = output.path.suffix.lower() == ".gz"
            lazy.sink_csv(
                temporary,
                separator="\t" if kind == "tsv" else ",",
                compression="gzip" if packed else "uncompressed",
                check_extension=False,
            )
    return count


def _prepared(frame: pl.DataFrame, kind: TableKind, path: Path) -> pl.DataFrame:
    """Turn a frame into what the format holds: text has no line breaks within a field, and flags are 1 and 0."""
    import polars as pl

    if kind in ("parquet", "arrow"):
        return frame
    texts = [name for name, dtype in frame.schema.items() if dtype in (pl.String, pl.Categorical, pl.Enum)]
    for name in texts:
        if frame[name].cast(pl.String).str.contains_any(list(LINES)).any():
            raise MatedError(
                f"{path}: column {name!r} has a text with a line break, which CSV cannot hold; write Parquet"
            )
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    if nested:
        raise MatedError(
            f"{path}: column {nested[0]!r} holds lists or structures, which CSV cannot hold; write Parquet"
        )
    return frame.with_columns(pl.col("mated").cast(pl.Int8)) if "mated" in frame.columns else frame


def _as_before(frame: pl.DataFrame, schema: pl.Schema, path: Path) -> pl.DataFrame:
    import polars as pl

    if frame.schema == schema:
        return frame
    try:
        return frame.cast(dict(schema))  # type: ignore[arg-type]
    except pl.exceptions.PolarsError:
        changed = next(name for name in schema if frame.schema[name] != schema[name])
        raise MatedError(
            f"{path}: column {changed!r} holds {schema[changed]} values at first and {frame.schema[changed]} later; "
            "write them alike"
        ) from None


def _reading(names: list[str], kind: TableKind, count: _Count) -> str:
    """Return the options a reader needs; a name such as 2024 would make the first line of a text one of data."""
    headed = "--header" if kind in ("csv", "tsv") and any(is_number(name) for name in names) else ""
    return f"{headed} --nan failure".strip() if count.failures else headed
