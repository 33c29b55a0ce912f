"""The error at which a curve begins, before anything is discarded (Schlett et al. 2023, sections I-A and V-A).

The data allow only the rates that a threshold at an observed score gives. A curve begins at one of them, and that one
is reported beside the one asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.scores.discard_order import ErrorKind, is_error
from mated.scores.validation import read_only
from mated.verification.rates import exact_rate, inner_threshold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = ["StartingError", "StartingErrors", "starting_errors"]

_SHOWN = 3


@dataclass(frozen=True)
class StartingError:
    """One threshold and the error rate it gives with every comparison kept.

    Attributes
    ----------
    kind
        "fnm": mated comparisons below the threshold; "fm": non-mated ones at or above it.
    asked
        The rate asked for, None where a threshold was.
    errors, comparisons
        Their quotient is `value`.
    threshold
        In the user's scoring system.
    inner
        The same as a similarity.
    """

    kind: ErrorKind
    asked: float | None
    errors: int
    comparisons: int
    threshold: int | float
    inner: float

    @property
    def value(self) -> float:
        """The error rate that the data give."""
        return self.errors / self.comparisons


@dataclass(frozen=True, eq=False, repr=False)
class StartingErrors:
    """All starting errors of a class: the rate at each observed score of it, without 0 and 1.

    Attributes
    ----------
    errors
        Numbers of errors, ascending, each once.
    inner
        The threshold of each, as a similarity: an observed score of the class. For false non-matches it is the lowest
        score that still matches, for false matches the lowest that falsely does.
    """

    kind: ErrorKind
    errors: NDArray[np.int64]
    inner: NDArray[np.float64]
    comparisons: int
    tally: Tally

    def __post_init__(self) -> None:
        for name in ("errors", "inner"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def value(self) -> NDArray[np.float64]:
        """The rates, ascending."""
        rates: NDArray[np.float64] = self.errors / self.comparisons
        return rates

    def nearest(self, asked: float) -> StartingError:
        """Return, of those between half the rate asked for and twice it, the nearest (the lower of two equally near).

        Where there is none the rate is refused, and the nearest are listed.
        """
        target = exact_rate(asked, "a starting error") * self.comparisons
        first = int(np.searchsorted(self.errors, math.ceil(target / 2)))
        last = int(np.searchsorted(self.errors, math.floor(2 * target), side="right"))
        if first >= last:
            raise MatedError(self._none_near(float(asked), first))
        above = int(np.searchsorted(self.errors, math.ceil(target)))  # the first at or above the target
        beside = [index for index in (above - 1, above) if first <= index < last]
        best = min(beside, key=lambda index: (abs(int(self.errors[index]) - target), index))
        return self._at(best, float(asked))

    def nearest_each(self, asked: Iterable[float]) -> tuple[StartingError, ...]:
        """Return the nearest starting error for each of several rates."""
        return tuple(self.nearest(rate) for rate in asked)

    def at_threshold(self, threshold: float) -> StartingError:
        """Return the starting error at a threshold of the user's scoring system."""
        inner = inner_threshold(self.tally, threshold)
        counts = self.tally.mated if self.kind == "fnm" else self.tally.nonmated
        errors = int(counts[is_error(self.tally.scores, inner, self.kind)].sum())
        if not 0 < errors < self.comparisons:
            raise MatedError(
                f"at threshold {threshold} {errors} of {self.comparisons} comparisons are errors; "
                "a curve needs a threshold with some errors and some correct decisions"
            )
        return StartingError(self.kind, None, errors, self.comparisons, threshold, inner)

    def _at(self, index: int, asked: float) -> StartingError:
        inner = float(self.inner[index])
        errors = int(self.errors[index])
        return StartingError(self.kind, asked, errors, self.comparisons, self.tally.to_user(inner), inner)

    def _none_near(self, asked: float, above: int) -> str:
        shown = self.value[max(above - _SHOWN, 0) : above + _SHOWN]
        listed = ", ".join(f"{value:.6g}" for value in shown)
        return (
            f"the {len(self)} starting errors that the data allow have none within a factor of two of "
            f"{asked:g}; the nearest are {listed}"
        )

    def __len__(self) -> int:
        return len(self.errors)

    def __repr__(self) -> str:
        rate = "FNMR" if self.kind == "fnm" else "FMR"
        value = self.value
        return f"StartingErrors({len(self)} from {rate} {value[0]:.4g} to {value[-1]:.4g})"


def starting_errors(tally: Tally, kind: ErrorKind = "fnm") -> StartingErrors:
    """List the starting errors that the scores of a class allow; a comparison matches iff score ≥ threshold."""
    if kind not in ("fnm", "fm"):
        raise MatedError(f"there is no error {kind!r}; the errors are 'fnm' (false non-match) and 'fm' (false match)")
    word, at_or_above, total = (
        ("mated", tally.mated_at_or_above, tally.n_mated)
        if kind == "fnm"
        else ("non-mated", tally.nonmated_at_or_above, tally.n_nonmated)
    )
    if not total:
        raise MatedError(f"there is no {word} comparison, so there is no starting error")
    errors = total - at_or_above if kind == "fnm" else at_or_above
    # Of thresholds with equal counts the highest is a score of the class itself.
    last = np.empty(len(errors), dtype=bool)
    np.not_equal(errors[1:], errors[:-1], out=last[:-1])
    last[-1] = True
    chosen = np.flatnonzero(last & (errors > 0) & (errors < total))
    if kind == "fm":
        chosen = chosen[::-1]
    if not len(chosen):
        raise MatedError(f"all {total} {word} comparisons have one score, so no threshold gives a starting error")
    inner = tally.scores[chosen].astype(np.float64)
    return StartingErrors(kind, errors[chosen], inner, total, tally)
