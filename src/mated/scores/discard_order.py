"""`DiscardOrder`: the comparisons in the order in which one quality algorithm discards them.

This is the sufficient statistic of error-versus-discard characteristics (Schlett et al. 2023): sorted once by pair
quality, every curve, starting error and discard limit afterwards is a cumulation or a look-up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Axis", "DiscardOrder", "ErrorKind", "check_axis", "check_limit", "is_error"]

Axis: TypeAlias = Literal["comparisons", "samples"]
"""What a discard fraction is a fraction of."""

ErrorKind: TypeAlias = Literal["fnm", "fm"]
"""False non-matches (of mated comparisons) or false matches (of non-mated ones)."""


@dataclass(frozen=True, eq=False, repr=False)
class DiscardOrder:
    """Comparisons of one class (or of both, with `mated`) by pair quality, lowest first; build it with `of`.

    A step discards exactly the comparisons of the next lowest distinct pair quality. Only as many steps as a discard
    limit needs are in order; the comparisons that stay whatever happens are never sorted.

    Attributes
    ----------
    all_scores
        Similarity of every comparison, in the order of the table.
    position
        Where the comparisons stand in the table, in the order in which they are discarded. Among equal pair
        qualities the order means nothing.
    quality
        The distinct pair qualities, ascending, one for each step.
    ends
        For each step the number of comparisons at or below its quality: those discarded after it.
    all_mated
        Whether each comparison is mated, in the order of the table, where both classes are discarded together.
    sample_quality
        The qualities of the samples that occur, ascending, where fractions of samples are wanted.
    """

    all_scores: NDArray[Any]
    position: NDArray[np.intp]
    quality: NDArray[np.float64]
    ends: NDArray[np.int64]
    all_mated: NDArray[np.bool_] | None = None
    sample_quality: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        for name in ("all_scores", "position", "quality", "ends", "all_mated", "sample_quality"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def of(
        cls,
        score: NDArray[Any],
        quality: NDArray[Any],
        *,
        mated: NDArray[np.bool_] | None = None,
        sample_quality: NDArray[Any] | None = None,
        limit: float = 1.0,
        axis: Axis = "comparisons",
    ) -> DiscardOrder:
        """Sort comparisons by pair quality, as far as discard fractions up to `limit` reach.

        Parameters
        ----------
        score, quality
            Similarity and pair quality of each comparison.
        mated
            Flags, where comparisons of both classes are discarded together.
        sample_quality
            The quality of each sample that occurs, in any order; needed where `axis` is "samples".
        limit, axis
            The largest discard fraction that will be asked for, and of what it is a fraction.
        """
        values = np.asarray(quality, dtype=np.float64)
        if len(values) != len(score):
            raise MatedError(f"there are {len(values)} pair qualities and {len(score)} scores; they must be as many")
        if not len(values):
            raise MatedError("there is no comparison to discard")
        if (bad := np.flatnonzero(np.isnan(values))).size:
            raise MatedError(f"the pair quality of comparison {bad[0] + 1} is NaN; every comparison needs one")
        samples = None if sample_quality is None else np.sort(np.asarray(sample_quality, dtype=np.float64))
        check_limit(limit)
        check_axis(axis)
        if axis == "samples" and samples is None:
            raise MatedError("a fraction of samples needs the qualities of the samples")
        level = _last_level(values, samples if axis == "samples" else None, limit)
        position = _lowest_in_order(values, level)
        ordered = values[position]
        last = np.empty(len(ordered), dtype=bool)
        np.not_equal(ordered[1:], ordered[:-1], out=last[:-1])
        last[-1] = True
        ends = np.flatnonzero(last)
        return cls(score, position, ordered[ends], ends + 1, mated, samples)

    @property
    def total(self) -> int:
        """Number of comparisons, discarded or not."""
        return len(self.all_scores)

    @property
    def steps(self) -> int:
        """Number of discard steps that are in order."""
        return len(self.ends)

    @property
    def complete(self) -> bool:
        """Whether the order goes on until no comparison is left."""
        return int(self.ends[-1]) == self.total

    @cached_property
    def score(self) -> NDArray[Any]:
        """Similarities of the comparisons that are in order, lowest pair quality first."""
        return read_only(self.all_scores[self.position])

    @cached_property
    def mated(self) -> NDArray[np.bool_] | None:
        """Flags of the comparisons that are in order, None where there is one class."""
        return None if self.all_mated is None else read_only(self.all_mated[self.position])

    @cached_property
    def discarded(self) -> NDArray[np.int64]:
        """Number of comparisons discarded at the start (0) and after each step."""
        return read_only(np.concatenate([[0], self.ends]))

    def fractions(self, axis: Axis = "comparisons") -> NDArray[np.float64]:
        """Return the discard fraction at the start (0) and after each step.

        A sample is discarded when its quality is at or below that of the step.
        """
        check_axis(axis)
        if axis == "comparisons":
            of_comparisons: NDArray[np.float64] = self.discarded / self.total
            return of_comparisons
        if self.sample_quality is None:
            raise MatedError("a fraction of samples needs the qualities of the samples; this order has none")
        below = np.searchsorted(self.sample_quality, self.quality, side="right")
        return np.concatenate([[0.0], below / len(self.sample_quality)])

    def errors_discarded(self, threshold: float, kind: ErrorKind) -> NDArray[np.int64]:
        """Return how many errors at a threshold (a similarity) are discarded at the start (0) and after each step."""
        return self.cumulated(is_error(self.score, threshold, kind))

    def errors(self, threshold: float, kind: ErrorKind) -> int:
        """Return how many of all comparisons are errors at a threshold (a similarity)."""
        return int(np.count_nonzero(is_error(self.all_scores, threshold, kind)))

    def cumulated(self, flags: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many of the flagged comparisons (in discard order) are gone at the start and after each step."""
        running = np.cumsum(flags, dtype=np.int64)
        return np.concatenate([[0], running[self.ends - 1]])

    def step_at(self, fraction: float, axis: Axis = "comparisons") -> int:
        """Return the number of the last step whose discard fraction does not exceed the one given (0: none)."""
        fractions = self.fractions(axis)
        if not 0 <= fraction <= fractions[-1]:
            raise MatedError(
                f"the order is known for discard fractions from 0 to {fractions[-1]:.6g}, and {fraction} is outside"
            )
        return int(np.searchsorted(fractions, fraction, side="right")) - 1

    def __len__(self) -> int:
        return self.steps

    def __repr__(self) -> str:
        part = "" if self.complete else f", the lowest {int(self.ends[-1])} in order"
        return f"DiscardOrder({self.total} comparisons{part}, {self.steps} steps)"


def is_error(score: NDArray[Any], threshold: float, kind: ErrorKind) -> NDArray[np.bool_]:
    """Return which comparisons are decided wrongly: mated below the threshold, or non-mated at or above it."""
    if kind == "fnm":
        below: NDArray[np.bool_] = score < threshold
        return below
    if kind == "fm":
        reached: NDArray[np.bool_] = score >= threshold
        return reached
    raise MatedError(f"there is no error {kind!r}; the errors are 'fnm' (false non-match) and 'fm' (false match)")


def check_limit(limit: float) -> None:
    """Refuse a discard limit that is not above 0 and at most 1."""
    if not (isinstance(limit, int | float | np.number) and 0 < limit <= 1):
        raise MatedError(f"a discard limit lies above 0 and goes up to 1 (20 % is 0.2), and {limit!r} does not")


def check_axis(axis: str) -> None:
    """Refuse what a discard fraction cannot be a fraction of."""
    if axis not in ("comparisons", "samples"):
        raise MatedError(f"a discard fraction is one of 'comparisons' or of 'samples', not of {axis!r}")


def _last_level(quality: NDArray[np.float64], samples: NDArray[np.float64] | None, limit: float) -> float:
    """Return the pair quality of the step at which the discard fraction reaches the limit (+∞: sort them all)."""
    if limit >= 1:
        return math.inf
    if samples is None:
        last = min(math.floor(limit * len(quality)), len(quality) - 1)  # one more than needed: limits are rounded
        return float(np.partition(quality, last)[last])
    beyond = quality[quality >= samples[min(math.floor(limit * len(samples)), len(samples) - 1)]]
    return float(beyond.min()) if len(beyond) else math.inf


def _lowest_in_order(quality: NDArray[np.float64], level: float) -> NDArray[np.intp]:
    """Return the positions of the qualities at or below a level, lowest first."""
    if level == math.inf:
        return np.argsort(quality)
    lowest = np.flatnonzero(quality <= level)
    return lowest[np.argsort(quality[lowest])]
