"""Attempts by subject where comparisons are read in chunks: those without a score stand below every threshold."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from mated.evaluation.streaming_subjects import StreamedSubjectResampling

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from mated.engine import Points
    from mated.engine.chunk_pass import TablePart
    from mated.evaluation.streaming import StreamedComparisons
    from mated.scores import Tally

__all__ = ["AttemptPart", "attempted_resampling"]


def attempted_resampling(
    streaming: StreamedComparisons, tally: Tally, points: Points, replicates: int, seed: int, threads: int
) -> StreamedSubjectResampling:
    """Return the bootstrap of subjects who bring their failures; `tally` is that of all attempts."""
    parts = [AttemptPart(part, streaming.scan.dissimilarity) for part in streaming.parts]
    subjects = streaming.subjects_in(parts, tally, points)
    return StreamedSubjectResampling(tally, subjects.pairs, replicates, seed, threads, subjects)


@dataclass(frozen=True)
class AttemptPart:
    """A part of a table whose missing scores are the worst there are, −∞ or, of dissimilarities, +∞."""

    whole: TablePart
    dissimilarity: bool

    @property
    def name(self) -> str:
        """What the part is called."""
        return self.whole.name

    @property
    def rows(self) -> int | None:
        """How many rows it has."""
        return self.whole.rows

    def batches(self, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        """Read it, batch by batch."""
        import polars as pl

        for frame in self.whole.batches(columns):
            if "score" not in columns:
                yield frame
                continue
            score = frame["score"]
            number = score if score.dtype.is_float() else score.cast(pl.Float64)
            worst = inf if self.dissimilarity else -inf
            yield frame.with_columns(number.fill_nan(None).fill_null(worst).alias("score"))
