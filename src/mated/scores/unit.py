"""The unit of a scoring system: the step between two legitimate scores.

Wu (2008) turns every scoring system into integers: integers stay, reals with k decimals are multiplied by
10^k. A score that nobody observed is still a legitimate score, so the unit decides which thresholds exist.
Continuous scores have no unit.

A unit is a `Fraction`, so that 0.01 is exactly one hundredth and a score converted to units and back is the
same floating-point number.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["UnitChoice", "detect_unit", "floor_to_unit", "parse_unit", "snap", "unit_name"]

UnitChoice = Fraction | Literal["auto", "continuous"]
"""What a user may say about the unit: find it out, there is none, or this one."""

MAX_DECIMALS = 9
_SAMPLE = 4096
# A decimal step must stand well clear of the float's own step, or every float looks like a decimal.
_CLEARANCE = 64
_CLEARANCE_OF_INTEGERS = 2


def parse_unit(unit: object) -> UnitChoice:
    """Read a unit as a user writes it: "auto", "continuous" (or "none"), or a positive number."""
    if isinstance(unit, str):
        word = unit.strip().lower()
        if word == "auto":
            return "auto"
        if word in ("continuous", "none"):
            return "continuous"
    if unit is None:
        return "continuous"
    try:
        value = Fraction(str(unit).strip())
        sensible = 1e-200 < float(value) < 1e200
    except (ValueError, ZeroDivisionError, OverflowError):
        sensible = False
    if not sensible:
        raise MatedError(
            f"unit {unit!r} is not a unit: give a positive number such as 1 or 0.01, 'continuous', or 'auto'"
        )
    return value


def detect_unit(scores: NDArray[np.floating[Any]]) -> Fraction | None:
    """Return the smallest 10^-k (k = 0..9) of which every finite score is a multiple, None if there is none.

    A score is a multiple of 10^-k when it is the floating-point number nearest to a decimal with k places.
    A step finer than 64 spacings of the largest score (2 for integers) is never taken for a unit: at that fineness
    every float would qualify. No finite score at all counts as integers.
    """
    finite = scores[np.isfinite(scores)]
    if not len(finite):
        return Fraction(1)
    spacing = float(np.spacing(np.abs(finite).max()))
    step = max(1, len(finite) // _SAMPLE)
    sample = finite[::step][:_SAMPLE]
    for decimals in range(MAX_DECIMALS + 1):
        if 10.0**-decimals < (_CLEARANCE if decimals else _CLEARANCE_OF_INTEGERS) * spacing:
            return None
        if _are_decimals(sample, decimals) and _are_decimals(finite, decimals):
            return Fraction(1, 10**decimals)
    return None


def _are_decimals(scores: NDArray[np.floating[Any]], decimals: int) -> bool:
    rounded = np.round(scores.astype(np.float64, copy=False), decimals)
    return bool(np.array_equal(rounded.astype(scores.dtype, copy=False), scores))


def snap(value: float, unit: Fraction) -> float:
    """Return the float nearest to the multiple of `unit` that is nearest to `value`."""
    if not np.isfinite(value):
        return value
    return float(round(Fraction(value) / unit) * unit)


def floor_to_unit(value: Fraction, unit: Fraction) -> float:
    """Return the largest multiple of `unit` that is not above `value` (the floor of Wu 2008, Eq. 10)."""
    return float((value / unit).__floor__() * unit)


def unit_name(unit: Fraction | None) -> str:
    """Say the unit in words for tables: "integers", "in steps of 0.01", "continuous"."""
    if unit is None:
        return "continuous"
    if unit == 1:
        return "integers"
    text = f"{float(unit):.{MAX_DECIMALS}f}".rstrip("0").rstrip(".")
    return f"in steps of {text if Fraction(text) == unit else unit}"
