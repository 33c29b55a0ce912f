"""Exact binomial plans: how many trials, and how many errors among them, show that a rate lies below a claim.

The claim is shown when the one-sided Clopper–Pearson upper bound at the number of errors seen is at most the claim,
which is to say P(errors ≤ c | claim) ≤ 1 − confidence. The power of a test is the probability of that at the true
rate. It is saw-toothed in the number of trials n: while the allowed number of errors c stays the same, more trials
mean more errors and less power; where c rises by one, power jumps up. All searches therefore run over c, on whose
teeth power is orderly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AcceptanceTest", "acceptance_at", "acceptance_tests"]


@dataclass(frozen=True)
class AcceptanceTest:
    """A number of trials, the errors it allows (None: not even zero would show the claim) and its power."""

    trials: int
    errors_allowed: int | None
    power: float


def acceptance_at(trials: int, claim: float, expected: float, confidence: float) -> AcceptanceTest:
    """Return how many errors may be seen in `trials` trials, and how likely no more are seen at the expected rate."""
    low, high = -1, trials  # low errors show the claim, high do not
    while high - low > 1:
        middle = (low + high) // 2
        if float(_at_most(middle, trials, claim)) <= 1 - confidence:
            low = middle
        else:
            high = middle
    if low < 0:
        return AcceptanceTest(trials, None, 0.0)
    return AcceptanceTest(trials, low, float(_at_most(low, trials, expected)))


def acceptance_tests(
    claim: float, expected: float, confidence: float, power: float
) -> tuple[AcceptanceTest, AcceptanceTest]:
    """Return the test of fewest trials that has the power, and that from which on every larger test has it."""
    errors = _teeth_near(claim, expected, confidence, power)
    trials = _fewest_trials(errors, claim, confidence)
    highest = _at_most(errors, trials, expected)
    # A tooth is at its lowest just before the next begins.
    lowest = _at_most(errors[:-1], trials[1:] - 1, expected)
    short = np.flatnonzero(lowest < power)
    first = int(np.argmax(highest >= power))
    from_on = int(short[-1]) + 1 if len(short) else 0
    return (
        AcceptanceTest(int(trials[first]), int(errors[first]), float(highest[first])),
        AcceptanceTest(int(trials[from_on]), int(errors[from_on]), float(highest[from_on])),
    )


def _at_most(errors: int | NDArray[np.int64], trials: int | NDArray[np.int64], rate: float) -> NDArray[np.float64]:
    """Return P(X ≤ errors) of a binomial X, for errors < trials."""
    from scipy.special import betaincc

    return np.asarray(betaincc(np.asarray(errors) + 1.0, np.asarray(trials) - np.asarray(errors), rate))


def _fewest_trials(errors: NDArray[np.int64], claim: float, confidence: float) -> NDArray[np.int64]:
    """Return for each allowed number of errors the fewest trials in which so many still show the claim."""
    from scipy.special import gammaincinv

    low = errors.copy()  # as many errors as trials never do
    high = np.ceil(gammaincinv(errors + 1.0, confidence) / claim).astype(np.int64) + errors + 1
    while (short := _at_most(errors, high, claim) > 1 - confidence).any():
        high[short] *= 2
    while (open_ := high - low > 1).any():
        middle = (low + high) // 2
        shows = (_at_most(errors, np.maximum(middle, errors + 1), claim) <= 1 - confidence) & (middle > errors)
        high = np.where(open_ & shows, middle, high)
        low = np.where(open_ & ~shows, middle, low)
    return np.asarray(high)


def _teeth_near(claim: float, expected: float, confidence: float, power: float) -> NDArray[np.int64]:
    """Return a run of allowed errors around those at which the power is reached.

    From tooth to tooth power rises by about (claim − expected)/(2·claim) of a binomial probability b. Within a tooth it
    falls by expected/claim of b, and as trials are whole a tooth may begin too late by expected·b. So the first
    tooth that reaches the power, the last that falls short of it and any out of order lie within
    2·expected·(1 + claim)/(claim − expected) of each other; the run is wider.
    """

    def lowest(errors: int) -> float:
        following = _fewest_trials(np.array([errors + 1]), claim, confidence)
        return float(_at_most(errors, int(following[0]) - 1, expected))

    enough = 1
    while lowest(enough) < power:
        enough *= 2
    short = enough // 2 if enough > 1 else -1
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if lowest(middle) >= power else (middle, enough)
    margin = math.ceil(6 * claim / (claim - expected)) + 8
    return np.arange(max(0, enough - margin), enough + margin + 1)
