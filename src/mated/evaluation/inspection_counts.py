"""Counts of what comparisons hold, a chunk at a time; a `Comparisons`, a `ScoreMatrix` or a scan gives the chunks.

Counts are exact. What would need memory without bound (distinct scores, pairs of samples, values of a covariate) is
counted up to a bound, and left out beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.scores import Comparisons, PairIds, ScoreMatrix, Tally
from mated.scores.counting import count_distinct
from mated.scores.validation import as_similarity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import polars as pl
    from numpy.typing import NDArray

    from mated.io.scanning import Scan
    from mated.scores.unit import UnitChoice

__all__ = ["Chunk", "CovariateCount", "PairCount", "ScoreCount", "chunks_of"]

MOST_SCORES = 1 << 22
MOST_PAIRS = 1 << 23
MOST_NAMES = 1 << 22
MOST_VALUES = 1000
_MATRIX_ENTRIES = 1 << 22
_ROWS_TO_MERGE = 1 << 22
_SIDES = ("probe", "reference")


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some comparisons: scores in the user's orientation with NaN for failures, flags, codes by side, covariates.

    Codes are None where they are not known; a sample has one code for all that is said of it.
    """

    score: NDArray[Any]
    mated: NDArray[np.bool_]
    subjects: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    samples: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    covariates: Mapping[str, pl.Series]


def chunks_of(
    source: Comparisons | ScoreMatrix | Scan, progress: Callable[[int, int], None] | None = None
) -> Iterator[Chunk]:
    """Go through the comparisons of a layout or a scan."""
    if isinstance(source, Comparisons):
        yield _of_comparisons(source)
    elif isinstance(source, ScoreMatrix):
        yield from _of_matrix(source)
    else:
        yield from _of_scan(source, progress)


def _of_comparisons(layout: Comparisons) -> Chunk:
    user = -layout.score if layout.dissimilarity else layout.score
    score = np.concatenate([user.astype(np.float64), np.full(len(layout.failed_mated), np.nan)])
    covariates = {
        name: _series(values, layout.failed_covariates.get(name)) for name, values in layout.covariates.items()
    }
    if layout.score.dtype == np.float32:
        score = score.astype(np.float32)
    return Chunk(
        score,
        np.concatenate([layout.mated, layout.failed_mated]),
        _codes(layout.subjects, layout.failed_subjects),
        _codes(layout.samples, layout.failed_samples),
        covariates,
    )


def _series(values: NDArray[Any], failed: NDArray[Any] | None) -> pl.Series:
    import polars as pl

    whole = values if failed is None or not len(failed) else np.concatenate([values, failed])
    return pl.Series(whole.tolist() if whole.dtype.kind == "O" else np.ascontiguousarray(whole), strict=False)


def _codes(ids: PairIds | None, failed: PairIds | None) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    if ids is None:
        return None
    parts = [ids] if failed is None else [ids, failed]
    probe, reference = (np.concatenate([getattr(part, side) for part in parts]) for side in _SIDES)
    return probe, reference


def _of_matrix(matrix: ScoreMatrix) -> Iterator[Chunk]:
    rows, columns = matrix.scores.shape
    samples = matrix.samples
    if samples is None:  # every row is a probe and every column a reference, if only by its place
        names = tuple(str(number) for number in range(rows + columns))
        samples = PairIds(np.arange(rows), rows + np.arange(columns), names)
    step = max(1, _MATRIX_ENTRIES // max(1, columns))
    for start in range(0, rows, step):
        block = slice(start, start + step)
        part = replace(
            matrix,
            scores=matrix.scores[block],
            subjects=replace(matrix.subjects, probe=matrix.subjects.probe[block]),
            samples=replace(samples, probe=samples.probe[block]),
            used=None if matrix.used is None else matrix.used[block],
        )
        yield _of_comparisons(part.comparisons())


class _Book:
    """Codes for labels, in the order in which they are first seen."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._codes)

    def code(self, labels: pl.Series) -> NDArray[np.int64]:
        import polars as pl

        texts = labels.cast(pl.String)
        distinct = texts.unique()
        codes = [self._codes.setdefault(label, len(self._codes)) for label in distinct.to_list()]
        return texts.replace_strict(distinct, codes, return_dtype=pl.Int64).to_numpy()


def _of_scan(scan: Scan, progress: Callable[[int, int], None] | None) -> Iterator[Chunk]:
    names = [f"{side}_{what}" for what in ("subject", "sample") for side in _SIDES if f"{side}_{what}" in scan.knows]
    asked = ("score", "mated", *names, *scan.covariates)
    people, things = _Book(), _Book()
    done, total = 0, scan.rows
    for part in scan.parts:
        for batch in part.batches(asked):
            subjects = samples = None
            if "probe_subject" in names:
                subjects = (people.code(batch["probe_subject"]), people.code(batch["reference_subject"]))
            if "probe_sample" in names:
                samples = _samples(batch, subjects, things)
            score = batch["score"]
            yield Chunk(
                (score.fill_null(np.nan) if score.dtype.is_float() else score).to_numpy(),
                batch["mated"].to_numpy(),
                subjects,
                samples,
                {name: batch[name] for name in scan.covariates},
            )
            done += batch.height
            if progress is not None and total:
                progress(done, total)


def _samples(
    batch: pl.DataFrame, subjects: tuple[NDArray[np.int64], NDArray[np.int64]] | None, book: _Book
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Code samples: a name under two subjects is two of them, and where probes alone are named each subject has one."""
    probe = book.code(batch["probe_sample"]) + 1
    has_reference = "reference_sample" in batch.columns
    reference = book.code(batch["reference_sample"]) + 1 if has_reference else np.zeros_like(probe)
    if subjects is None:
        return probe, reference
    return (subjects[0] << 32) | probe, (subjects[1] << 32) | reference


# -- scores ------------------------------------------------------------------------------------------


class ScoreCount:
    """Counts, ranges and distinct scores of both classes; the order of the classes is non-mated, mated."""

    def __init__(self, *, dissimilarity: bool, unit: UnitChoice, large: bool) -> None:
        from mated.scores.keyed_tally import KeyedCounter

        self.tally: Tally | None = None
        self.counts, self.failures = [0, 0], [0, 0]
        self.infinite = [[0, 0], [0, 0]]  # of each class: −inf, +inf
        self.ranges: list[tuple[float, float] | None] = [None, None]
        self.precision = "float64"
        self._dissimilarity, self._unit = dissimilarity, unit
        self._within = True
        self._waiting: list[tuple[NDArray[Any], NDArray[Any]]] = []
        self._n_waiting = 0
        self.keyed = KeyedCounter(dissimilarity=dissimilarity, unit=unit, nan="failure") if large else None

    def add(self, chunk: Chunk) -> None:
        """Count one chunk."""
        score = chunk.score if chunk.score.dtype.kind == "f" else chunk.score.astype(np.float64)
        self.precision = chunk.score.dtype.name if chunk.score.dtype.kind != "O" else "float64"
        failed = np.isnan(score)
        parts = []
        for number, flag in enumerate((False, True)):
            of_class = chunk.mated == flag
            self.failures[number] += int(np.count_nonzero(of_class & failed))
            values = score[of_class & ~failed]
            parts.append(as_similarity(values, self._dissimilarity))
            self.counts[number] += len(values)
            for sign, where in ((0, -np.inf), (1, np.inf)):
                self.infinite[number][sign] += int(np.count_nonzero(values == where))
            finite = values[np.isfinite(values)]
            if len(finite):
                low, high = float(finite.min()), float(finite.max())
                before = self.ranges[number] or (low, high)
                self.ranges[number] = (min(low, before[0]), max(high, before[1]))
        if self.keyed is not None:
            self.keyed.add(score, chunk.mated)
        if self._within:
            self._waiting.append((parts[1], parts[0]))
            self._n_waiting += len(parts[0]) + len(parts[1])
            if self._n_waiting > _ROWS_TO_MERGE:
                self.settle()

    def settle(self) -> None:
        """Bring the distinct scores up to date: many chunks at once, since each time all of them are gone through."""
        if not self._waiting:
            return
        mated, nonmated = (np.concatenate([part[k] for part in self._waiting]) for k in range(2))
        new = Tally(*count_distinct(mated, nonmated), self._dissimilarity, self._unit)
        self.tally = new if self.tally is None else self.tally + new
        self._waiting, self._n_waiting = [], 0
        if self.keyed is not None and len(self.tally.scores) > MOST_SCORES:
            self.tally, self._within = None, False


# -- who was compared --------------------------------------------------------------------------------


class PairCount:
    """Who was compared with whom: people, samples, and pairs of samples as far as they can be held."""

    def __init__(self) -> None:
        self._subjects: list[set[int]] = [set(), set()]
        self._samples: list[set[int]] = [set(), set()]
        self._owner: dict[int, int] = {}
        self._held: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]] = []
        self.rows = 0
        self.knows_subjects = self.knows_samples = False
        self.too_many_pairs = self.too_many_names = False

    def add(self, chunk: Chunk) -> None:
        """Count one chunk."""
        import polars as pl

        self.rows += len(chunk.score)
        self.knows_subjects, self.knows_samples = chunk.subjects is not None, chunk.samples is not None
        if self.too_many_names:
            return
        for number in range(2):
            if chunk.subjects is not None:
                self._subjects[number].update(pl.Series(chunk.subjects[number]).unique().to_list())
            if chunk.samples is not None:
                self._samples[number].update(pl.Series(chunk.samples[number]).unique().to_list())
            if chunk.samples is not None and chunk.subjects is not None:
                pairs = pl.DataFrame({"sample": chunk.samples[number], "subject": chunk.subjects[number]})
                self._owner.update(pairs.unique(subset="sample").iter_rows())
        if max(map(len, (*self._subjects, *self._samples))) > MOST_NAMES:
            self.too_many_names, self._subjects, self._samples, self._owner = True, [set(), set()], [set(), set()], {}
        if chunk.samples is None or self.too_many_pairs:
            return
        if self.rows > MOST_PAIRS or self.too_many_names:
            self.too_many_pairs, self._held = True, []
        else:
            self._held.append((*chunk.samples, chunk.score))

    def subjects(self) -> tuple[int, int, int] | None:
        """Number of subjects, of those with a probe and of those with a reference."""
        if not self.knows_subjects or self.too_many_names:
            return None
        return len(self._subjects[0] | self._subjects[1]), len(self._subjects[0]), len(self._subjects[1])

    def samples(self) -> tuple[int, int, int] | None:
        """Number of samples, of probes and of references."""
        if not self.knows_samples or self.too_many_names:
            return None
        return len(self._samples[0] | self._samples[1]), len(self._samples[0]), len(self._samples[1])

    def samples_per_subject(self) -> tuple[int, float, int] | None:
        """Fewest, median and most samples of a subject."""
        if not self._owner:
            return None
        counts = np.unique(np.fromiter(self._owner.values(), dtype=np.int64), return_counts=True)[1]
        return int(counts.min()), float(np.median(counts)), int(counts.max())

    def pairs(self) -> pl.DataFrame | None:
        """Return the pairs of samples, each once in each order: how often, and whether with different scores."""
        import polars as pl

        if not self.knows_samples or self.too_many_pairs:
            return None
        frames = [pl.DataFrame({"probe": p, "reference": r, "score": s}) for p, r, s in self._held]
        listed = pl.concat(frames, how="vertical_relaxed")
        score = pl.col("score")
        several = (score.min() != score.max()) | (score.null_count() > 0) & (score.count() > 0)
        return (
            listed.with_columns(score.fill_nan(None) if listed.schema["score"].is_float() else score)
            .group_by("probe", "reference")
            .agg(pl.len().alias("times"), several.fill_null(value=False).alias("disagree"), score.first())
        )


# -- covariates --------------------------------------------------------------------------------------


class CovariateCount:
    """How often each value of the covariates occurs, as far as they are few."""

    def __init__(self, names: Iterable[str]) -> None:
        self.values: dict[str, dict[str, int] | None] = {name: {} for name in names}
        self.missing: dict[str, int] = dict.fromkeys(self.values, 0)
        self.types: dict[str, str] = {}

    def add(self, chunk: Chunk) -> None:
        """Count one chunk."""
        import polars as pl

        for name, series in chunk.covariates.items():
            self.types[name] = str(series.dtype).lower()
            given = series.fill_nan(None) if series.dtype.is_float() else series
            self.missing[name] += given.null_count()
            seen = self.values[name]
            if seen is None or given.dtype.is_nested():
                self.values[name] = None
                continue
            counts = given.drop_nulls().cast(pl.String).alias("value").value_counts(name="count")
            for value, count in counts.iter_rows():
                seen[value] = seen.get(value, 0) + count
            if len(seen) > MOST_VALUES:
                self.values[name] = None
