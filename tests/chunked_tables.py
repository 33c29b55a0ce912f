"""Tables cut into parts and batches in every way, and a runner that merges in any order."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from hypothesis import strategies as st

from mated.scores import Comparisons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COLUMNS = ("probe_subject", "reference_subject", "probe_sample", "reference_sample")


@dataclass(frozen=True)
class FramePart:
    """Rows of a frame, in batches that end at the places given."""

    frame: pl.DataFrame
    cuts: tuple[int, ...] = ()
    name: str = "part"
    path: None = None
    reads: str = ""

    @property
    def rows(self) -> int:
        return self.frame.height

    def batches(self, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        edges = [0, *sorted(min(cut, self.rows) for cut in self.cuts), self.rows]
        for begin, end in itertools.pairwise(edges):
            yield self.frame[begin:end].select(columns)


@dataclass
class ChangingPart:
    """A part that gives another frame each time it is read."""

    frames: list[pl.DataFrame]
    name: str = "part"
    rows: None = None

    def batches(self, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        yield self.frames.pop(0).select(columns)


def frame_of(rows, *, dtype=pl.Float64) -> pl.DataFrame:
    """A frame of (score, probe subject, reference subject[, probe sample, reference sample]); None for a failure."""
    columns = list(zip(*rows, strict=True))
    names = ("score", *COLUMNS)[: len(columns)]
    frame = pl.DataFrame({name: list(values) for name, values in zip(names, columns, strict=True)}, strict=False)
    frame = frame.with_columns(score=pl.Series("score", list(columns[0]), dtype=dtype, strict=False))
    return frame.with_columns(
        mated=pl.col("probe_subject").cast(pl.String) == pl.col("reference_subject").cast(pl.String)
    )


def comparisons_of(frame: pl.DataFrame, **options) -> Comparisons:
    """The same in memory."""
    named = {column: frame[column] for column in COLUMNS if column in frame.columns}
    score = frame["score"]
    if score.null_count() and not score.dtype.is_float():
        score = score.cast(pl.Float64)
    return Comparisons.from_arrays(score.to_numpy(), frame["mated"].to_numpy(), **named, **options)


@dataclass(frozen=True)
class AnyOrder:
    """A runner that counts parts in any order and merges any two results; it never changes what it was given."""

    seed: int

    def map_reduce(self, parts, count: Callable, *, merge: Callable, name_of: Callable, done=None, brief=None):
        chance = random.Random(self.seed)
        results = [count(part) for part in chance.sample(list(parts), len(parts))]
        for found in results:
            if done is not None:
                done(found if brief is None else brief(found))
        while len(results) > 1:
            one, other = (results.pop(chance.randrange(len(results))) for _ in range(2))
            results.append(merge(one, other))
        return results[0]


cuttings = st.tuples(
    st.integers(1, 4), st.lists(st.integers(0, 40), max_size=4).map(tuple), st.integers(0, 2**20), st.booleans()
)


def cut(frame: pl.DataFrame, cutting) -> dict:
    """Give the rows out to parts at random; returns `parts` and `runner` (None for the plain loop)."""
    n_parts, cuts, seed, here = cutting
    part = np.random.default_rng(seed).integers(n_parts, size=frame.height)
    parts = [FramePart(frame.filter(pl.Series(part == k)), cuts, f"part {k}") for k in range(n_parts)]
    return {"parts": parts, "runner": None if here else AnyOrder(seed)}
