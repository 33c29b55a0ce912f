"""Error rates at a threshold, at a false match rate and at a true match rate (Wu 2008, sections 3.1 and 3.2).

Targets are taken as the decimals a user writes: `fmr=0.07` means exactly 7/100, so that 7 of 100
non-mated comparisons meet it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.verification.cautions import caution_at_fmr, caution_at_threshold, caution_at_tmr

if TYPE_CHECKING:
    from mated.scores import Tally

__all__ = [
    "AtFmr",
    "AtThreshold",
    "AtTmr",
    "at_fmr",
    "at_threshold",
    "at_tmr",
    "default_fmrs",
    "exact_rate",
    "inner_threshold",
    "supported_fmrs",
]


@dataclass(frozen=True)
class AtThreshold:
    """Both rates at a fixed threshold (Eq. 7): a comparison matches iff its score is at or above it."""

    threshold: int | float
    fmr: float
    tmr: float
    fnmr: float
    errors_nonmated: int
    errors_mated: int
    caution: str | None


@dataclass(frozen=True)
class AtFmr:
    """The true match rate and the threshold at a given false match rate (Eqs. 5 and 6).

    Attributes
    ----------
    fmr
        The target f.
    tmr, fnmr
        Tie-interpolated estimate of Eq. 6 and its complement.
    threshold
        The score t of Eq. 5: C_I(t + 1) < f ≤ C_I(t).
    errors_nonmated, errors_mated
        Non-mated comparisons at or above `threshold`, mated ones below it.
    fnmr_conservative, fmr_conservative, threshold_conservative
        At the smallest threshold whose false match rate does not exceed the target.
    """

    fmr: float
    tmr: float
    fnmr: float
    threshold: int | float
    errors_nonmated: int
    errors_mated: int
    fnmr_conservative: float
    fmr_conservative: float
    threshold_conservative: int | float
    caution: str | None


@dataclass(frozen=True)
class AtTmr:
    """The false match rate and the threshold at a given true match rate, by the same rule as `AtFmr`."""

    tmr: float
    fmr: float
    threshold: int | float
    errors_nonmated: int
    errors_mated: int
    caution: str | None


def exact_rate(rate: object, name: str, *, one_allowed: bool = False, zero_allowed: bool = False) -> Fraction:
    """Read a rate as the decimal it is written as, and refuse what is not between 0 and 1."""
    try:
        value = Fraction(str(rate))
    except (ValueError, ZeroDivisionError):
        raise MatedError(f"{name} must be a number between 0 and 1, and {rate!r} is none") from None
    if not (0 < value < 1 or (one_allowed and value == 1) or (zero_allowed and value == 0)):
        raise MatedError(f"{name} must lie between 0 and 1 (0.1 % is 0.001), and {rate} does not")
    return value


def inner_threshold(tally: Tally, threshold: float) -> float:
    """Translate a user's threshold inward, and refuse what is no number."""
    try:
        inner = tally.from_user(float(threshold))
    except (TypeError, ValueError, OverflowError):
        inner = np.nan
    if np.isnan(inner):
        raise MatedError(f"a threshold must be a number, and {threshold!r} is none")
    return inner


def at_threshold(tally: Tally, threshold: float) -> AtThreshold:
    """Count both classes at a threshold of the user's scoring system, observed or not (Eq. 7)."""
    inner = inner_threshold(tally, threshold)
    index = int(np.searchsorted(tally.scores, inner))
    false_matches, true_matches = tally.nonmated_from(index), tally.mated_from(index)
    false_nonmatches = tally.n_mated - true_matches
    return AtThreshold(
        threshold=threshold,
        fmr=false_matches / tally.n_nonmated,
        tmr=true_matches / tally.n_mated,
        fnmr=false_nonmatches / tally.n_mated,
        errors_nonmated=false_matches,
        errors_mated=false_nonmatches,
        caution=caution_at_threshold(tally, inner, false_matches, false_nonmatches),
    )


def at_fmr(tally: Tally, fmr: float) -> AtFmr:
    """Estimate TMR and threshold at a false match rate, ties interpolated (Eqs. 5 and 6).

    With k = ⌈f·N⌉ in exact arithmetic the threshold t is the k-th largest non-mated score, and

        TMR(f) = C_G(t + 1) + P_G(t) · (f − C_I(t + 1)) / P_I(t).
    """
    target = exact_rate(fmr, "a false match rate")
    index = _index_reaching(tally.nonmated_at_or_above, -(-target * tally.n_nonmated // 1))
    tmr = _interpolated(
        target,
        (tally.nonmated_from(index + 1), tally.nonmated_from(index), tally.n_nonmated),
        (tally.mated_from(index + 1), tally.mated_from(index), tally.n_mated),
    )
    strict_index, strict_threshold = _smallest_threshold_meeting(tally, target)
    false_nonmatches = tally.n_mated - tally.mated_from(index)
    return AtFmr(
        fmr=float(fmr),
        tmr=float(tmr),
        fnmr=float(1 - tmr),
        threshold=tally.to_user(float(tally.scores[index])),
        errors_nonmated=tally.nonmated_from(index),
        errors_mated=false_nonmatches,
        fnmr_conservative=(tally.n_mated - tally.mated_from(strict_index)) / tally.n_mated,
        fmr_conservative=tally.nonmated_from(strict_index) / tally.n_nonmated,
        threshold_conservative=strict_threshold,
        caution=caution_at_fmr(tally, target, false_nonmatches),
    )


def at_tmr(tally: Tally, tmr: float) -> AtTmr:
    """Estimate FMR and threshold at a true match rate: Eqs. 5 and 6 with the classes exchanged."""
    target = exact_rate(tmr, "a true match rate", one_allowed=True)
    index = _index_reaching(tally.mated_at_or_above, -(-target * tally.n_mated // 1))
    fmr = _interpolated(
        target,
        (tally.mated_from(index + 1), tally.mated_from(index), tally.n_mated),
        (tally.nonmated_from(index + 1), tally.nonmated_from(index), tally.n_nonmated),
    )
    return AtTmr(
        tmr=float(tmr),
        fmr=float(fmr),
        threshold=tally.to_user(float(tally.scores[index])),
        errors_nonmated=tally.nonmated_from(index),
        errors_mated=tally.n_mated - tally.mated_from(index),
        caution=caution_at_tmr(tally, target, tally.nonmated_from(index)),
    )


def default_fmrs(tally: Tally) -> tuple[float, ...]:
    """Return the powers of ten from 1e-2 down at which at least ten false matches are expected.

    Below that the threshold is hardly determined. A test with fewer than 1000 non-mated comparisons gets 0.1 alone.
    """
    return supported_fmrs(tally.n_nonmated)


def supported_fmrs(n_nonmated: int) -> tuple[float, ...]:
    """Return what `default_fmrs` gives for a tally with so many non-mated comparisons, before there is one."""
    supported = [10.0**-k for k in range(2, 13) if n_nonmated >= 10 * 10**k]
    return tuple(float(f"{f:.0e}") for f in supported) or (0.1,)


def _index_reaching(at_or_above: np.ndarray[tuple[int], np.dtype[np.int64]], count: int) -> int:
    """Return the highest distinct score at or above which at least `count` (1 or more) comparisons lie."""
    return int(len(at_or_above) - np.searchsorted(at_or_above[::-1], count, side="left")) - 1


def _interpolated(target: Fraction, given: tuple[int, int, int], asked: tuple[int, int, int]) -> Fraction:
    """Return the other class's rate where the first reaches `target`, on the line between two ROC points.

    Each triple is (count above the score, count at or above it, total).
    """
    above, reached, total = given
    share = (target * total - above) / (reached - above)
    return (asked[0] + (asked[1] - asked[0]) * share) / asked[2]


def _smallest_threshold_meeting(tally: Tally, target: Fraction) -> tuple[int, int | float]:
    """Return the first distinct score at which FMR ≤ target, and the smallest threshold with that effect.

    The threshold is one unit above the highest score that still exceeds the target; for continuous scores it is
    the next observed score, or the next number where there is none.
    """
    allowed = target * tally.n_nonmated // 1
    index = int(len(tally.scores) - np.searchsorted(tally.nonmated_at_or_above[::-1], allowed, side="right"))
    last_exceeding = float(tally.scores[index - 1])
    if tally.unit is not None and np.isfinite(last_exceeding):
        return index, tally.to_user(last_exceeding + float(tally.unit))
    if index < len(tally.scores):
        return index, tally.to_user(float(tally.scores[index]))
    beyond = np.nextafter(tally.scores[-1], tally.scores.dtype.type(np.inf))
    return index, tally.to_user(float(beyond))
