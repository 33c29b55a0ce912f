"""`Tally`: the distinct scores of a system with exact counts of mated and non-mated comparisons.

This is the sufficient statistic of verification. It is a monoid: `a + b` and `sum(parts)` count as if all
comparisons had been seen at once, so a tally of chunks equals the tally of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.scores.counting import Cumulated, count_distinct, merge_counts
from mated.scores.unit import UnitChoice, detect_unit, parse_unit, snap
from mated.scores.validation import NanPolicy, as_scores, as_similarity, drop_failures, read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Tally"]


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """Exact counts of both classes at the distinct scores (P_G, P_I, C_G, C_I of Wu 2008, as integers).

    Scores inside are similarities: dissimilarities were negated at the door, and `to_user` / `from_user`
    translate thresholds. A comparison matches if and only if its score is at or above the threshold.

    Attributes
    ----------
    scores
        The distinct scores, ascending; infinities allowed, NaN not.
    mated_at_or_above, nonmated_at_or_above
        For each distinct score the number of comparisons of that class with this score or a higher one.
    dissimilarity
        Whether the user's scores grow with difference.
    unit_choice
        What was said about the scoring system's unit; `unit` is what holds.
    mated_failures, nonmated_failures
        Comparisons that gave no score; they are in no count above.
    """

    scores: NDArray[np.floating[Any]]
    mated_at_or_above: NDArray[np.int64]
    nonmated_at_or_above: NDArray[np.int64]
    dissimilarity: bool = False
    unit_choice: UnitChoice = "auto"
    mated_failures: int = 0
    nonmated_failures: int = 0

    def __post_init__(self) -> None:
        for name in ("scores", "mated_at_or_above", "nonmated_at_or_above"):
            object.__setattr__(self, name, read_only(getattr(self, name)))
        if isinstance(self.unit_choice, Fraction):
            _check_multiples(self.scores, self.unit_choice, self.dissimilarity)

    @classmethod
    def from_scores(
        cls,
        mated: Any,
        nonmated: Any,
        *,
        dissimilarity: bool = False,
        unit: object = "auto",
        nan: NanPolicy = "refuse",
    ) -> Tally:
        """Count two arrays of scores in the user's own orientation."""
        arrays, failures = [], []
        for values, what in ((mated, "mated scores"), (nonmated, "non-mated scores")):
            array = as_scores(values, what)
            usable, failed = drop_failures(array, nan, what)
            arrays.append(as_similarity(array if usable is None else array[usable], dissimilarity))
            failures.append(failed)
        return cls(
            *count_distinct(*arrays),
            dissimilarity=dissimilarity,
            unit_choice=parse_unit(unit),
            mated_failures=failures[0],
            nonmated_failures=failures[1],
        )

    @classmethod
    def from_counts(
        cls,
        scores: Any,
        mated: Any,
        nonmated: Any,
        *,
        dissimilarity: bool = False,
        unit: object = "auto",
    ) -> Tally:
        """Take counts at distinct scores, such as a histogram, in the user's own orientation and any order."""
        values = as_similarity(as_scores(scores, "scores"), dissimilarity).astype(np.float64)
        counts = [np.asarray(c) for c in (mated, nonmated)]
        if any(c.shape != values.shape or c.dtype.kind not in "iu" or (c < 0).any() for c in counts):
            raise MatedError("counts must be non-negative integers, one for each score")
        if np.isnan(values).any():
            raise MatedError("NaN is no score; leave its counts out")
        if len(np.unique(values)) != len(values):
            raise MatedError("each score must stand once where counts are given")
        order = np.argsort(values)
        seen = order[(counts[0] + counts[1])[order] > 0]
        cumulated = [np.cumsum(c[seen][::-1].astype(np.int64))[::-1] for c in counts]
        return cls(values[seen], cumulated[0], cumulated[1], dissimilarity=dissimilarity, unit_choice=parse_unit(unit))

    # -- what it holds -------------------------------------------------------------------------

    @property
    def n_mated(self) -> int:
        """Number of mated comparisons with a score."""
        return int(self.mated_at_or_above[0]) if len(self.scores) else 0

    @property
    def n_nonmated(self) -> int:
        """Number of non-mated comparisons with a score."""
        return int(self.nonmated_at_or_above[0]) if len(self.scores) else 0

    @cached_property
    def mated(self) -> NDArray[np.int64]:
        """Number of mated comparisons at each distinct score."""
        return read_only(_at_each(self.mated_at_or_above))

    @cached_property
    def nonmated(self) -> NDArray[np.int64]:
        """Number of non-mated comparisons at each distinct score."""
        return read_only(_at_each(self.nonmated_at_or_above))

    @cached_property
    def unit(self) -> Fraction | None:
        """The step of the scoring system, None for continuous scores."""
        if self.unit_choice == "continuous":
            return None
        if isinstance(self.unit_choice, Fraction):
            return self.unit_choice
        return detect_unit(self.scores)

    def mated_from(self, index: int) -> int:
        """Number of mated comparisons at or above the distinct score number `index` (0 past the last)."""
        return int(self.mated_at_or_above[index]) if index < len(self.scores) else 0

    def nonmated_from(self, index: int) -> int:
        """Number of non-mated comparisons at or above the distinct score number `index` (0 past the last)."""
        return int(self.nonmated_at_or_above[index]) if index < len(self.scores) else 0

    # -- thresholds in the user's scoring system ------------------------------------------------

    def to_user(self, threshold: float) -> int | float:
        """Give an inner threshold back as the user writes scores: integers as integers, decimals as decimals."""
        value = float(threshold)
        if self.unit is not None:
            value = snap(value, self.unit)
        elif self.scores.dtype == np.float32:
            value = float(str(np.float32(value)))  # the shortest decimal that reads back as this score
        if self.dissimilarity:
            value = -value
        if self.unit is not None and self.unit.denominator == 1 and np.isfinite(value):
            return int(value)
        return value + 0.0

    def from_user(self, threshold: float) -> float:
        """Translate a user's threshold inward; float32 scores are compared in their own precision."""
        with np.errstate(over="ignore"):
            value = self.scores.dtype.type(threshold)
        return float(-value if self.dissimilarity else value)

    # -- the monoid -----------------------------------------------------------------------------

    def __add__(self, other: object) -> Tally:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Tally):
            return NotImplemented
        if self.dissimilarity != other.dissimilarity:
            raise MatedError("a tally of similarities and one of dissimilarities cannot be added")
        merged = merge_counts(
            Cumulated(self.scores, self.mated_at_or_above, self.nonmated_at_or_above),
            Cumulated(other.scores, other.mated_at_or_above, other.nonmated_at_or_above),
        )
        return Tally(
            *merged,
            dissimilarity=self.dissimilarity,
            unit_choice=_merge_choices(self.unit_choice, other.unit_choice),
            mated_failures=self.mated_failures + other.mated_failures,
            nonmated_failures=self.nonmated_failures + other.nonmated_failures,
        )

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        arrays = ("scores", "mated_at_or_above", "nonmated_at_or_above")
        plain = ("dissimilarity", "unit_choice", "mated_failures", "nonmated_failures")
        return all(np.array_equal(getattr(self, a), getattr(other, a)) for a in arrays) and all(
            getattr(self, a) == getattr(other, a) for a in plain
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Tally({self.n_mated} mated, {self.n_nonmated} non-mated at {len(self.scores)} distinct scores)"


def _at_each(at_or_above: NDArray[np.int64]) -> NDArray[np.int64]:
    counts = at_or_above.copy()
    counts[:-1] -= at_or_above[1:]
    return counts


def _merge_choices(a: UnitChoice, b: UnitChoice) -> UnitChoice:
    if a == b or b == "auto":
        return a
    if a == "auto":
        return b
    raise MatedError(f"tallies with units {a} and {b} cannot be added")


def _check_multiples(scores: NDArray[np.floating[Any]], unit: Fraction, dissimilarity: bool) -> None:
    finite = scores[np.isfinite(scores)].astype(np.float64)
    nearest = np.rint(finite / float(unit)) * unit.numerator / unit.denominator
    wrong = np.flatnonzero(nearest.astype(scores.dtype) != finite.astype(scores.dtype))
    if len(wrong):
        shown = -finite[wrong[0]] if dissimilarity else finite[wrong[0]]
        raise MatedError(
            f"score {shown:g} is not a multiple of the unit {float(unit):g}; "
            "give the right --unit, or --unit continuous"
        )
