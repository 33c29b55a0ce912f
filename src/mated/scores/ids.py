"""Identifiers of the two sides of comparisons, held as integer codes into one list of names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.validation import read_only

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["PairIds", "encode_pairs", "in_name_order", "name_order", "one_reference_each", "within"]


@dataclass(frozen=True, eq=False)
class PairIds:
    """For each comparison, who stands on the probe side and who on the reference side.

    Both sides index the same `names`, so two equal codes mean the same subject (or sample). Where samples of several
    subjects had one name and were told apart, `given` holds the names as they were.
    """

    probe: NDArray[np.int64]
    reference: NDArray[np.int64]
    names: tuple[str, ...]
    given: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "probe", read_only(self.probe))
        object.__setattr__(self, "reference", read_only(self.reference))

    @property
    def same(self) -> NDArray[np.bool_]:
        """Whether both sides are the same."""
        same: NDArray[np.bool_] = self.probe == self.reference
        return same

    def take(self, rows: NDArray[Any] | slice) -> PairIds:
        """Keep only some comparisons (a mask, positions or a slice); names keep their codes."""
        return PairIds(self.probe[rows], self.reference[rows], self.names, self.given)

    def __repr__(self) -> str:
        return f"PairIds({len(self.names)} names, {len(self.probe)} comparisons)"


def name_order(labels: pl.Series) -> NDArray[np.intp]:
    """Return the order of distinct labels by their names; integers stand as the texts they are written as.

    Text files hold texts only, and draws go by the order of subjects: so the same people give the same draws in any
    format.
    """
    import polars as pl

    order: NDArray[np.intp] = labels.cast(pl.String).arg_sort().to_numpy()
    return order


def in_name_order(labels: pl.Series) -> pl.Series:
    """Return distinct labels in the order of their names."""
    return labels.gather(name_order(labels))


def encode_pairs(probe: Any, reference: Any, what: str) -> PairIds:
    """Code two columns of labels (texts or integers) by one sorted list of their distinct values.

    `what` names the columns in messages, for instance "subject".
    """
    import polars as pl

    sides = [_as_labels(values, f"{side}_{what}") for values, side in ((probe, "probe"), (reference, "reference"))]
    if sides[0].dtype != sides[1].dtype:
        sides = [side.cast(pl.String) for side in sides]
    both = pl.concat(sides)
    distinct = in_name_order(both.unique())
    codes = both.replace_strict(distinct, np.arange(len(distinct)), return_dtype=pl.Int64).to_numpy()
    split = len(sides[0])
    return PairIds(codes[:split], codes[split:], tuple(str(name) for name in distinct.to_list()))


def _as_labels(values: Any, column: str) -> Any:
    import polars as pl

    series = values if isinstance(values, pl.Series) else pl.Series(np.asarray(values).tolist(), strict=False)
    if series.dtype.is_float():
        series = series.fill_nan(None)
        if (series.drop_nulls() % 1 == 0).all():
            series = series.cast(pl.Int64)  # a column of whole numbers that a missing value made into floats
    if not (series.dtype.is_integer() or series.dtype == pl.String):
        series = series.cast(pl.String)
    series = series.alias("label")
    if series.null_count():
        where = int(series.is_null().arg_true()[0]) + 1
        raise MatedError(f"column {column!r} has no value in row {where} of the data; every comparison needs one")
    if series.dtype == pl.UInt64 and (series >= 2**63).any():  # hashes
        return series.cast(pl.String)
    return series.cast(pl.Int64) if series.dtype.is_integer() else series


def within(subjects: PairIds, samples: PairIds) -> PairIds:
    """Tell samples apart by subject where sample names repeat: the first sample of one person is not another's.

    Where every sample name belongs to one subject, the samples are returned as they are. The two sides need not be as
    long as each other.
    """
    size = len(samples.names)
    owner = np.full(size, -1, dtype=np.int64)
    sides = ((samples.probe, subjects.probe), (samples.reference, subjects.reference))
    for sample, subject in sides:
        owner[sample] = subject
    if all((owner[sample] == subject).all() for sample, subject in sides):
        return samples
    codes = np.concatenate([subjects.probe, subjects.reference]) * size
    codes += np.concatenate([samples.probe, samples.reference])
    distinct, inverse = np.unique(codes, return_inverse=True)
    given = tuple(samples.names[code % size] for code in distinct.tolist())
    names = tuple(f"{subjects.names[code // size]}/{name}" for code, name in zip(distinct.tolist(), given, strict=True))
    probe, reference = np.split(inverse.astype(np.int64), [len(samples.probe)])
    return PairIds(probe, reference, names, given)


def one_reference_each(subjects: PairIds, probe_sample: Any) -> PairIds:
    """Name the probes' samples alone; the reference of each subject is one sample of its own."""
    probes = encode_pairs(probe_sample, probe_sample, "sample")
    names = tuple(f"reference of {name}" for name in subjects.names)
    return PairIds(probes.probe, len(probes.names) + subjects.reference, probes.names + names)
