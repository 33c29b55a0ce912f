"""Intervals for an error rate at a fixed threshold when the comparisons are independent.

Every interval takes a number of errors x, a number of trials n and a two-sided level, alone or as arrays that
broadcast, and gives back (low, high) with 0 ≤ low ≤ x/n ≤ high ≤ 1. None of them knows that comparisons share
subjects; where they do, all are too narrow.
"""

from __future__ import annotations

import math
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, cast, overload

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = [
    "FEW",
    "ZeroErrorBound",
    "check_level",
    "clopper_pearson",
    "independent",
    "jeffreys",
    "normal",
    "rule_of_thirty",
    "rule_of_three",
    "wilson",
]

FEW = 10
"""Below this many errors, or this many non-errors, `independent` takes Clopper–Pearson."""

_Array: TypeAlias = "NDArray[np.float64]"
_Counts: TypeAlias = "Sequence[float] | NDArray[Any]"


class _Interval(Protocol):
    """Scalars in, two floats out; arrays in, two arrays out."""

    __name__: str

    @overload
    def __call__(self, errors: float, trials: float, level: float = ...) -> tuple[float, float]: ...
    @overload
    def __call__(self, errors: _Counts, trials: float | _Counts, level: float = ...) -> tuple[_Array, _Array]: ...
    @overload
    def __call__(self, errors: float, trials: _Counts, level: float = ...) -> tuple[_Array, _Array]: ...


def check_level(level: float) -> float:
    """Return the level as a float, or say that it is none."""
    try:
        value = float(level)
    except (TypeError, ValueError):
        value = math.nan
    if not 0 < value < 1:
        raise MatedError(f"a confidence level lies between 0 and 1 (95 % is 0.95), and {level!r} does not")
    return value


def _checked(kernel: Callable[[_Array, _Array, float], tuple[_Array, _Array]]) -> _Interval:
    """Check and broadcast the input of a kernel, and keep what it gives back around x/n and within [0, 1]."""

    @wraps(kernel)
    def interval(errors: Any, trials: Any, level: float = 0.95) -> tuple[Any, Any]:
        x, n = _as_counts(errors, trials)
        low, high = kernel(x, n, check_level(level))
        rate = x / n
        # Rounding, or a level near 0, may leave x/n just outside.
        low = np.clip(np.minimum(low, rate), 0, 1)
        high = np.clip(np.maximum(high, rate), 0, 1)
        return (low, high) if low.ndim else (float(low), float(high))

    return cast("_Interval", interval)


def _as_counts(errors: Any, trials: Any) -> tuple[_Array, _Array]:
    try:
        x, n = np.broadcast_arrays(np.asarray(errors, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    except (TypeError, ValueError):
        raise MatedError("errors and trials must be numbers, and arrays of them of one shape") from None
    for values, what in ((x, "errors"), (n, "trials")):
        wrong = ~np.isfinite(values) | (values < 0)
        if wrong.any():
            raise MatedError(f"a number of {what} is finite and not negative, and {values[wrong][0]:g} is not")
    if (n == 0).any():
        raise MatedError("an interval needs at least one trial, and here there are none")
    if (x > n).any():
        first = np.argmax(np.ravel(x > n))
        raise MatedError(f"{np.ravel(x)[first]:g} errors cannot come from {np.ravel(n)[first]:g} trials")
    return x, n


@_checked
def wilson(errors: _Array, trials: _Array, level: float) -> tuple[_Array, _Array]:
    """Return the score interval: all rates p with |x/n − p| ≤ z·√(p(1−p)/n).

    Formula: (2x + z² ± z·√(z² + 4x(1 − x/n))) / (2(n + z²)), with z the normal quantile of (1 + level)/2.

    Holds on average over p what it promises. Too short for a few errors in many trials: near one expected error
    the coverage of a 95 % interval falls to about 90 %.

    Reference: Wilson (1927); Brown, Cai and DasGupta (2001).
    """
    z = _quantile(level)
    high = (2 * errors + z**2 + z * np.sqrt(z**2 + 4 * errors * (1 - errors / trials))) / (2 * (trials + z**2))
    # The product of the two roots gives the lower one without a difference of nearly equal numbers.
    low = errors**2 / (trials * (trials + z**2) * high)
    return low, np.where(errors == trials, 1.0, high)


@_checked
def clopper_pearson(errors: _Array, trials: _Array, level: float) -> tuple[_Array, _Array]:
    """Return the exact interval: all rates that neither one-sided binomial test at (1 − level)/2 rejects.

    Formula: low is the α/2 quantile of Beta(x, n−x+1) and 0 for no errors, high the 1−α/2 quantile of Beta(x+1, n−x)
    and 1 for errors only, α = 1 − level. Errors and trials may be real numbers, such as counts divided by a
    design effect (Korn and Graubard 1998); the promise is then an approximation.

    Covers at least what it promises at every p, and more than that for few errors: wide, never too short.

    Reference: Clopper and Pearson (1934).
    """
    from scipy.special import betainccinv, betaincinv

    tail = (1 - level) / 2
    none, all_wrong = errors == 0, errors == trials
    low = betaincinv(np.where(none, 1.0, errors), trials - errors + 1, tail)
    high = betainccinv(errors + 1, np.where(all_wrong, 1.0, trials - errors), tail)
    return np.where(none, 0.0, low), np.where(all_wrong, 1.0, high)


@_checked
def jeffreys(errors: _Array, trials: _Array, level: float) -> tuple[_Array, _Array]:
    """Return the equal-tailed posterior interval under Jeffreys's prior Beta(½, ½).

    Formula: the α/2 and 1−α/2 quantiles of Beta(x+½, n−x+½); by convention low is 0 for no errors and high is 1 for
    errors only.

    Covers on average what it promises and is shorter than Clopper–Pearson; at single rates near 0 and 1 it can
    fall below.

    Reference: Brown, Cai and DasGupta (2001).
    """
    from scipy.special import betainccinv, betaincinv

    tail = (1 - level) / 2
    a, b = errors + 0.5, trials - errors + 0.5
    low = np.where(errors == 0, 0.0, betaincinv(a, b, tail))
    high = np.where(errors == trials, 1.0, betainccinv(a, b, tail))
    return low, high


@_checked
def normal(errors: _Array, trials: _Array, level: float) -> tuple[_Array, _Array]:
    """Return x/n ± z·√(x(n−x)/n³), cut off at 0 and 1: the textbook (Wald) interval.

    Here for comparison with published figures. Invalid with fewer than about 30 errors or non-errors: far too
    short, and of no width at all without errors.

    Reference: Laplace (1812); its failure: Brown, Cai and DasGupta (2001).
    """
    rate = errors / trials
    half = _quantile(level) * np.sqrt(rate * (1 - rate) / trials)
    return rate - half, rate + half


@_checked
def independent(errors: _Array, trials: _Array, level: float) -> tuple[_Array, _Array]:
    """Return the default interval of independent comparisons: Wilson, or Clopper–Pearson for few errors.

    Clopper–Pearson holds below `FEW` errors and, mirrored, below `FEW` non-errors; Wilson in between. Where the
    methods meet, the upper bound is the greatest of all bounds for as many errors or fewer, and the lower bound
    the least for as many or more, so that neither bound ever falls when one error is added: no claim can be met
    with one error and missed with none. Counts must be whole; for effective counts use `clopper_pearson`.

    Invalid where comparisons share subjects.
    """
    if (errors != np.floor(errors)).any() or (trials != np.floor(trials)).any():
        raise MatedError(
            "errors and trials of independent comparisons are whole numbers; use Clopper–Pearson for others"
        )
    few, few_right = errors < FEW, trials - errors < FEW
    low, high = (
        np.where(few | few_right, *bounds)
        for bounds in zip(clopper_pearson(errors, trials, level), wilson(errors, trials, level), strict=True)
    )
    # Each method's bounds grow with x by themselves, so a running extreme can only stem from where the methods meet.
    last, first = np.minimum(FEW - 1, trials), np.minimum(FEW, trials)
    exact_high, exact_low = clopper_pearson(last, trials, level)[1], clopper_pearson(trials - last, trials, level)[0]
    score_high, score_low = wilson(trials - first, trials, level)[1], wilson(first, trials, level)[0]
    meets = trials >= 2 * FEW
    high = np.where(meets & ~few, np.maximum(high, exact_high), high)
    high = np.where(meets & few_right, np.maximum(high, score_high), high)
    low = np.where(meets & ~few_right, np.minimum(low, exact_low), low)
    low = np.where(meets & few, np.minimum(low, score_low), low)
    return low, high


class ZeroErrorBound(NamedTuple):
    """What a test without errors shows: the rate lies below `exact`; `shorthand` is 3/N, given at 95 % only."""

    exact: float
    shorthand: float | None


def rule_of_three(trials: float, level: float = 0.95) -> ZeroErrorBound:
    """Return the highest rate at which `trials` independent trials without an error still have probability 1 − level.

    Formula: 1 − (1 − level)^(1/N), a one-sided bound; 3/N at 95 %, since −ln 0.05 = 2.996. The two-sided 95 %
    intervals above give 3.69/N, as they keep half of the 5 % for the other side.

    Invalid where comparisons share subjects: N is then not the number of comparisons.

    Reference: Hanley and Lippman-Hand (1983); ISO/IEC 19795-1.
    """
    value = check_level(level)
    n = float(_as_counts(0.0, trials)[1])
    return ZeroErrorBound(-math.expm1(math.log1p(-value) / n), min(3 / n, 1.0) if value == 0.95 else None)


def rule_of_thirty(errors: float, level: float = 0.90) -> float:
    """Return how far the true rate may lie from the observed one, relative to it, after so many errors.

    Formula: z/√x with z the normal quantile of (1 + level)/2. Thirty errors at 90 % give 0.30: the true rate lies
    within 30 % of the observed one. Infinite without errors.

    Holds for independent comparisons and small rates; a rate p shortens it by √(1−p). Fewer than about 10 errors
    make it a rough guide.

    Reference: Doddington, Przybocki, Martin and Reynolds (2000); ISO/IEC 19795-1.
    """
    z = _quantile(check_level(level))
    x = float(errors)
    if not (math.isfinite(x) and x >= 0):
        raise MatedError(f"a number of errors is finite and not negative, and {errors} is not")
    return z / math.sqrt(x) if x else math.inf


def _quantile(level: float) -> float:
    """Return the standard normal quantile of (1 + level)/2."""
    from scipy.special import ndtri

    return float(-ndtri((1 - level) / 2))
