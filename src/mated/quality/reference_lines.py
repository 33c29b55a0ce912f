"""Lines to compare an error curve with: the theoretical best, the attainable best, no discarding, random qualities.

Schlett et al. (2023): section I-B for the first, Figure 6 for the second, Figure 4 for the last two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.quality.curve import DiscardCurve, Interpolation, check_range
from mated.quality.edc import QUANTITIES, Among, check_among, error_curve
from mated.quality.pairing import PAIR_FUNCTIONS
from mated.scores.discard_order import DiscardOrder, check_limit
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mated.quality.starting_error import StartingError
    from mated.scores import PairIds
    from mated.scores.discard_order import Axis

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "RandomCurves",
    "area_under_theoretical_best",
    "attainable_best",
    "constant_line",
    "random_pair_spread",
    "random_sample_curves",
    "theoretical_best",
]


def theoretical_best(starting_error: float, discard: ArrayLike) -> Any:
    """Return max(0, e₀ − d): every discarded comparison was an error, and errors are counted over all.

    A hard lower bound, not reached among kept comparisons; `attainable_best` is.
    """
    best = np.maximum(0.0, starting_error - np.asarray(discard, dtype=np.float64))
    return best if best.ndim else float(best)


def area_under_theoretical_best(starting_error: float, high: float, low: float = 0.0) -> float:
    """Return the area under max(0, e₀ − d) between two discard fractions; e₀²/2 where they enclose 0 to e₀."""
    check_range(low, high)
    left = max(0.0, starting_error - low)
    right = max(0.0, starting_error - high)
    return (left * left - right * right) / 2


def constant_line(
    starting: StartingError, *, interpolation: Interpolation = "step", axis: Axis = "comparisons"
) -> DiscardCurve:
    """Return the starting error at every discard fraction: a soft upper bound, and the mean for random qualities."""
    values = np.full(2, starting.value)
    return DiscardCurve(np.array([0.0, 1.0]), values, QUANTITIES[starting.kind], interpolation=interpolation, axis=axis)


def attainable_best(
    starting: StartingError, *, step: int = 1, among: Among = "kept", interpolation: Interpolation = "step"
) -> DiscardCurve:
    """Return the lowest curve that a quality algorithm could reach, in real steps.

    All E errors are discarded first, `step` comparisons at a time: (E − k)/(N − k) among kept comparisons after k,
    which is (e₀ − d)/(1 − d), and (E − k)/N over all, which is e₀ − d. An algorithm that judges samples may be unable
    to reach it: a sample takes its correct comparisons with it.
    """
    check_among(among)
    if step < 1:
        raise MatedError(f"a step discards one comparison or more, not {step}")
    total, errors = starting.comparisons, starting.errors
    gone = np.arange(0, errors + step, step)
    gone = np.append(gone[gone < total], total)
    left = np.maximum(errors - gone, 0)
    value = left / (total if among == "all" else np.maximum(total - gone, 1))
    if among == "kept":
        value[-1] = value[-2]  # nothing is left
    return DiscardCurve(gone / total, value, QUANTITIES[starting.kind], interpolation=interpolation)


def random_pair_spread(starting: StartingError, discard: ArrayLike) -> tuple[Any, Any]:
    """Return mean and standard deviation of the error rate where comparisons are discarded at random, exactly.

    Of N comparisons with E errors m = N − ⌊dN⌋ stay; their errors are hypergeometric, so the mean is e₀ = E/N for
    every d (Figure 4), and the variance e₀(1 − e₀)/m · (N − m)/(N − 1).
    """
    asked = np.asarray(discard, dtype=np.float64)
    total, rate = starting.comparisons, starting.value
    if not np.all((asked >= 0) & (asked < 1)):
        raise MatedError(f"a discard fraction of random comparisons lies from 0 to below 1, and {discard!r} does not")
    # A fraction k/N that was rounded on the way must still count k comparisons.
    kept = total - np.floor(asked * total * (1 + 4 * np.finfo(np.float64).eps)).astype(np.int64)
    variance = rate * (1 - rate) / np.maximum(kept, 1) * (total - kept) / max(total - 1, 1)
    mean, deviation = np.full(asked.shape, rate), np.sqrt(variance)
    return (mean, deviation) if asked.ndim else (float(rate), float(deviation))


@dataclass(frozen=True, eq=False, repr=False)
class RandomCurves:
    """Mean and standard deviation of error curves of random sample qualities, at some discard fractions."""

    discard: Floats
    mean: Floats
    deviation: Floats
    curves: int

    def __post_init__(self) -> None:
        for name in ("discard", "mean", "deviation"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def standard_error(self) -> Floats:
        """Standard error of the mean."""
        return self.deviation / math.sqrt(self.curves)

    def __repr__(self) -> str:
        return f"RandomCurves({self.curves} curves at {len(self.discard)} discard fractions)"


def random_sample_curves(
    score: NDArray[Any],
    samples: PairIds,
    starting: StartingError,
    discard: ArrayLike,
    *,
    curves: int = 100,
    interpolation: Interpolation = "step",
    rng: np.random.Generator | int | None = None,
) -> RandomCurves:
    """Draw curves of random sample qualities under the minimum rule, as in Figure 4.

    Samples, not comparisons, are discarded at random, and a sample takes all its comparisons with it: the mean is the
    starting error only nearly (a quotient of two random numbers), and curves scatter more than `random_pair_spread`
    says.
    """
    asked = np.atleast_1d(np.asarray(discard, dtype=np.float64))
    if curves < 2:
        raise MatedError(f"at least 2 random curves are needed for a spread, not {curves}")
    limit = float(asked.max())
    check_limit(limit)
    generator = np.random.default_rng(rng)
    drawn = np.empty((curves, len(asked)))
    for row in drawn:
        quality = generator.random(len(samples.names))
        pairs = PAIR_FUNCTIONS["minimum"](quality[samples.probe], quality[samples.reference])
        order = DiscardOrder.of(score, pairs, limit=limit)
        row[:] = error_curve(order, starting, interpolation=interpolation)(asked)
    return RandomCurves(asked, drawn.mean(axis=0), drawn.std(axis=0, ddof=1), curves)
