"""When the data cannot support a number, and how that is said.

Each function returns one sentence, or None where there is nothing to say. The limits are the rule of 30
(Doddington et al. 2000: 30 errors give a rate to about ±30 % with 90 % confidence, if comparisons are
independent) and the resolution 1/N of a class with N comparisons.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

    from mated.scores import Tally

__all__ = ["FEW_ERRORS", "caution_at_eer", "caution_at_fmr", "caution_at_threshold", "caution_at_tmr"]

FEW_ERRORS = 30


def caution_at_threshold(tally: Tally, inner: float, false_matches: int, false_nonmatches: int) -> str | None:
    """Warn of a threshold outside the observed scores and of rates that rest on few errors."""
    parts = []
    if inner > tally.scores[-1] or inner <= tally.scores[0]:
        low, high = sorted((tally.to_user(float(tally.scores[0])), tally.to_user(float(tally.scores[-1]))))
        parts.append(f"the threshold separates no observed scores, which run from {low} to {high}")
    parts += _few(false_matches, "false match", "false matches")
    parts += _few(false_nonmatches, "false non-match", "false non-matches")
    return _sentence(parts)


def caution_at_fmr(tally: Tally, target: Fraction, false_nonmatches: int) -> str | None:
    """Warn of a target that the number of non-mated comparisons cannot resolve, and of few errors."""
    expected = target * tally.n_nonmated
    if expected < 1:
        parts = [
            (
                f"the target is below 1/N: {tally.n_nonmated} non-mated comparisons can speak of "
                f"false match rates down to {1 / tally.n_nonmated:.2g}"
            )
        ]
    else:
        parts = _few(ceil(expected), "false match", "false matches")
    return _sentence(parts + _few(false_nonmatches, "false non-match", "false non-matches"))


def caution_at_tmr(tally: Tally, target: Fraction, false_matches: int) -> str | None:
    """Warn of a target that the number of mated comparisons cannot resolve, and of few errors."""
    expected = (1 - target) * tally.n_mated
    if 0 < expected < 1:
        parts = [
            (
                f"the target leaves less than one error: {tally.n_mated} mated comparisons can speak of "
                f"true match rates up to {1 - 1 / tally.n_mated:.6g}"
            )
        ]
    else:
        parts = _few(ceil(expected), "false non-match", "false non-matches")
    return _sentence(parts + _few(false_matches, "false match", "false matches"))


def caution_at_eer(false_matches: int, false_nonmatches: int, value: float, nearest: float) -> str | None:
    """Warn of an equal error rate that rests on few errors of either kind, or on ties at its threshold."""
    return _sentence(
        _few(false_matches, "false match", "false matches")
        + _few(false_nonmatches, "false non-match", "false non-matches")
        + (["many scores tie at the threshold, and the definitions differ widely"] if value > 1.5 * nearest else [])
    )


def _few(errors: int, one: str, many: str) -> list[str]:
    if errors >= FEW_ERRORS:
        return []
    return [f"only {errors} {one if errors == 1 else many}" if errors else f"no {many}"]


def _sentence(parts: list[str]) -> str | None:
    return "; ".join(parts) if parts else None
