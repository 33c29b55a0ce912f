"""Who is drawn again when comparisons are resampled: subjects, people known only by their samples, or comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores.validation import read_only
from mated.uncertainty.cautions import joined, on_dependence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores import Comparisons, PairIds

    Codes: TypeAlias = NDArray[np.int32]

__all__ = ["RESAMPLED", "Resample", "Units", "resampling_units"]

Resample: TypeAlias = Literal["auto", "subjects", "joined samples", "comparisons"]
"""What is drawn with replacement; "auto" is the first of the three others that the data allow."""

RESAMPLED: tuple[Resample, ...] = ("auto", "subjects", "joined samples", "comparisons")


@dataclass(frozen=True, eq=False, repr=False)
class Units:
    """The units of some comparisons, coded from 0; the code `count` stands for a unit that is always drawn once.

    A comparison is in a replicate as often as both its units were drawn, multiplied: w_i for a mated comparison of
    subject i, w_i·w_j for a non-mated one of i and j (Owen 2007).

    Attributes
    ----------
    first, second
        Of each comparison.
    sample
        The unit of each sample code, `count` where it has none; None where samples are not known.
    """

    kind: Literal["subjects", "joined samples", "comparisons"]
    count: int
    first: Codes
    second: Codes
    sample: Codes | None = None

    def __post_init__(self) -> None:
        for name in ("first", "second", "sample"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read_only(getattr(self, name)))
        if self.count < 2:
            one = self.kind.removesuffix("s") if self.kind != "joined samples" else "group of joined samples"
            raise MatedError(
                f"the comparisons are of one {one}, and two or more are needed to resample; ask for no replicates "
                "(replicates=0, --bootstrap 0)"
            )

    @property
    def caution(self) -> str | None:
        """What resampling these units presumes, in words."""
        if self.kind == "subjects":
            return on_dependence(self.count, resampled=True)
        if self.kind == "comparisons":
            return on_dependence(None, resampled=False)
        return joined(
            "subjects are not named: samples joined by mated comparisons are taken as one person's, and a person whose "
            "samples were not all joined counts as several",
            on_dependence(self.count, resampled=True),
        )

    def __repr__(self) -> str:
        return f"Units({self.count} {self.kind}, {len(self.first)} comparisons)"


def resampling_units(
    comparisons: Comparisons, rows: NDArray[np.bool_] | None = None, *, resample: Resample = "auto"
) -> Units:
    """Find the units of the comparisons in `rows` (None: of all).

    Where subjects are not named but samples are, mated comparisons say which samples are of one person: samples that
    they join, directly or through others, are one unit. Where neither is known, comparisons are drawn as if they were
    independent of each other.
    """
    if resample not in RESAMPLED:
        raise MatedError(f"there is no resampling of {resample!r}; choose one of {', '.join(RESAMPLED)}")
    subjects, samples = comparisons.subjects, comparisons.samples
    if resample == "auto":
        resample = "subjects" if subjects is not None else "comparisons" if samples is None else "joined samples"
    mated = comparisons.mated if rows is None else comparisons.mated[rows]
    if resample == "comparisons":
        size = len(mated)
        every_sample = None if samples is None else np.full(len(samples.names), size, dtype=np.int32)
        return Units(
            "comparisons", size, np.arange(size, dtype=np.int32), np.full(size, size, dtype=np.int32), every_sample
        )
    if resample == "subjects":
        if subjects is None:
            raise MatedError(
                "subjects can be resampled only where they are named; give probe_subject and reference_subject"
            )
        return _by_codes("subjects", _sides(subjects, rows), mated, _sides(samples, rows), samples)
    if samples is None:
        raise MatedError("samples can be joined only where they are named; give probe_sample and reference_sample")
    person = _joined(samples, comparisons.mated)
    sides = _sides(samples, rows)
    assert sides is not None
    return _by_codes("joined samples", (person[sides[0]], person[sides[1]]), mated, sides, samples)


def _by_codes(
    kind: Literal["subjects", "joined samples"],
    sides: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    mated: NDArray[np.bool_],
    samples: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    names: PairIds | None,
) -> Units:
    """Number the units that occur, in the order of their codes."""
    assert sides is not None
    occurs = np.zeros(int(max(side.max(initial=0) for side in sides)) + 1, dtype=bool)
    for side in sides:
        occurs[side] = True
    number = np.cumsum(occurs, dtype=np.int32) - 1
    count = int(np.count_nonzero(occurs))
    first, second = (number[side].astype(np.int32) for side in sides)
    of_sample = None
    if samples is not None and names is not None:
        of_sample = np.full(len(names.names), count, dtype=np.int32)
        for codes, units in zip(samples, (first, second), strict=True):
            of_sample[codes] = units
    return Units(kind, count, first, np.where(mated, np.int32(count), second).astype(np.int32), of_sample)


def _sides(ids: PairIds | None, rows: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    if ids is None:
        return None
    return (ids.probe, ids.reference) if rows is None else (ids.probe[rows], ids.reference[rows])


def _joined(samples: PairIds, mated: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each sample code the number of its group: samples that mated comparisons join."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    size = len(samples.names)
    pairs = (samples.probe[mated], samples.reference[mated])
    links = coo_matrix((np.ones(len(pairs[0]), dtype=np.int8), pairs), shape=(size, size))
    _, group = connected_components(links, directed=False)
    return group.astype(np.int64)  # type: ignore[no-any-return]
