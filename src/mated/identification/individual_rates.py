"""The false match rate of each probe at any score: what open-set forecasts read, and its empirical form.

`IndividualRates` is what they ask for; `mated.identification.tail.TailModel` answers it from the tails of all probes
together, `EmpiricalRates` from the probe's own scores. The latter shows no rate between 0 and one over the number of
its scores: far below that, take the former.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores.searches import Scope, search_blocks
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import ArrayLike, NDArray

    from mated.scores.searches import Layout
    from mated.scores.subject_tallies import Symmetry

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["EmpiricalRates", "IndividualRates"]


class IndividualRates(Protocol):
    """False match rates probe by probe, and the mated scores of the same probes. Scores are similarities."""

    @property
    def mated_score(self) -> Floats:
        """The mated scores."""

    @property
    def mated_fmr(self) -> Floats:
        """The false match rate of the probe of each mated score, at that score, equal scores counted half."""

    @property
    def mated_weight(self) -> Floats:
        """What each mated score counts; they sum to 1."""

    @property
    def probe_weight(self) -> Floats:
        """What each probe counts; they sum to 1."""

    @property
    def score_unit(self) -> Fraction | None:
        """The step between two legitimate scores, None for continuous scores."""

    def fmr(self, probe: ArrayLike, score: ArrayLike) -> Floats:
        """Return the false match rates of probes at scores, equal scores counted half."""

    def fmr_at(self, threshold: float) -> Floats:
        """Return the false match rate of every probe at one threshold: the share of scores ≥ it."""


@dataclass(frozen=True, eq=False, repr=False)
class EmpiricalRates:
    """False match rates counted in each probe's own non-mated scores; build it with `of`.

    Memory: twelve bytes and, once resampled, eight more for each non-mated comparison and side it is read from.

    Attributes
    ----------
    subject
        Of each probe, the code of its subject in `names`.
    start
        The non-mated scores of probe k are `score[start[k]:start[k + 1]]`, ascending.
    rival
        Of each non-mated score, the code of the other subject.
    mated_probe, mated_score
        Probe and score of each mated comparison.
    weight
        How often each subject counts, None for once.
    """

    names: tuple[str, ...]
    subject: NDArray[np.int64]
    start: NDArray[np.int64]
    score: Floats
    rival: NDArray[np.int32]
    mated_probe: NDArray[np.int64]
    mated_score: Floats
    score_unit: Fraction | None = None
    weight: Floats | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, read_only(value))

    @classmethod
    def of(cls, layout: Layout, *, scope: Scope = "probe", symmetric: Symmetry = "auto") -> EmpiricalRates:
        """Sort the scores of each probe (or subject, by `scope`) that has mated and non-mated comparisons."""
        subject, counts, score, rival, mated_probe, mated_score = [], [], [], [], [], []
        names: tuple[str, ...] = ()
        probes = 0
        for part in search_blocks(layout, scope=scope, symmetric=symmetric):
            size = np.diff(part.rival_start)
            order = np.lexsort((part.rival_score, np.repeat(np.arange(len(part)), size)))
            subject.append(part.subject)
            counts.append(size)
            score.append(part.rival_score[order])
            rival.append(part.rival[order])
            mated_probe.append(np.repeat(np.arange(len(part)), part.n_mated) + probes)
            mated_score.append(part.mated_score)
            probes += len(part)
            names = part.names
        if not probes:
            raise MatedError("no probe has both mated and non-mated comparisons, so there are no individual rates")
        unit = layout.tally().unit
        return cls(
            names,
            np.concatenate(subject),
            np.append(0, np.cumsum(np.concatenate(counts))),
            np.concatenate(score),
            np.concatenate(rival),
            np.concatenate(mated_probe),
            np.concatenate(mated_score),
            unit,
        )

    def resampled(self, weight: ArrayLike) -> EmpiricalRates:
        """Return the rates of a replicate: a score with ν weighs w_ν, the probes and mated scores of ω weigh w_ω.

        A probe none of whose rivals has a weight has false match rate 0.
        """
        return replace(self, weight=np.asarray(weight, dtype=np.float64))

    @property
    def n_probes(self) -> int:
        """Number of probes."""
        return len(self.subject)

    def fmr(self, probe: ArrayLike, score: ArrayLike) -> Floats:
        """Return the false match rates of probes (their numbers) at scores, equal scores counted half."""
        number, at = np.broadcast_arrays(np.asarray(probe, dtype=np.int64), np.asarray(score, dtype=np.float64))
        return (self._reached(number, at, equal=True) + self._reached(number, at, equal=False)) / 2

    def fmr_at(self, threshold: float) -> Floats:
        """Return the false match rate of every probe at one threshold: the share of its scores ≥ it."""
        return self._reached(np.arange(self.n_probes), np.full(self.n_probes, float(threshold)), equal=True)

    @cached_property
    def mated_fmr(self) -> Floats:
        """The false match rate of the probe of each mated score, at that score, equal scores counted half."""
        return read_only(self.fmr(self.mated_probe, self.mated_score))

    @cached_property
    def mated_weight(self) -> Floats:
        """What each mated score counts: subjects by their weight, the mated scores of a subject alike."""
        return self._shared(self.subject[self.mated_probe])

    @cached_property
    def probe_weight(self) -> Floats:
        """What each probe counts: subjects by their weight, the probes of a subject alike."""
        return self._shared(self.subject)

    def _shared(self, subject: NDArray[np.int64]) -> Floats:
        each = 1 / np.bincount(subject)[subject]
        weight = each if self.weight is None else each * self.weight[subject]
        return read_only(weight / weight.sum())

    @cached_property
    def _from_top(self) -> Floats | None:
        """The weight of all scores from each place to the end of the array, None where each counts once."""
        if self.weight is None:
            return None
        return np.append(np.cumsum(self.weight[self.rival[::-1]])[::-1], 0.0)

    def _reached(self, probe: NDArray[np.int64], score: Floats, *, equal: bool) -> Floats:
        """Return the share of a probe's scores above a score, or at or above it."""
        first, end = self.start[probe], self.start[probe + 1]
        low, high = first.copy(), end.copy()
        while (open_ := low < high).any():  # a binary search in every probe's scores at once
            middle = np.where(open_, (low + high) // 2, first)
            at = self.score[middle]
            right = open_ & ((at < score) if equal else (at <= score))
            low = np.where(right, middle + 1, low)
            high = np.where(open_ & ~right, middle, high)
        if self._from_top is None:
            return np.asarray((end - low) / (end - first))
        total = self._from_top[first] - self._from_top[end]
        return (self._from_top[low] - self._from_top[end]) / np.where(total > 0, total, 1.0)

    def __repr__(self) -> str:
        return f"EmpiricalRates({self.n_probes} probes, {len(self.score)} non-mated scores)"
