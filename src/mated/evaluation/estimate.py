"""`Estimate`: a number with its interval and everything it is based on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

__all__ = ["Estimate"]


@dataclass(frozen=True)
class Estimate:
    """A rate or area with its uncertainty.

    Attributes
    ----------
    value, se, low, high
        The estimate, its standard error and its interval; None where the data cannot give them.
    method, level
        How the interval was made, and what share of such intervals is meant to hold the truth.
    normal
        The interval value ± z·se beside it, as Wu (2008) compares them; None where there are no replicates.
    comparisons, errors, subjects
        What stands behind the number; `subjects` is None where they are not known.
    caution
        What the interval presumes or cannot do, in words.
    """

    value: float
    se: float | None
    low: float | None
    high: float | None
    method: str
    level: float
    normal: tuple[float, float] | None = None
    comparisons: int | None = None
    errors: int | None = None
    subjects: int | None = None
    caution: str | None = None

    def complement(self) -> Estimate:
        """Return 1 − this: the interval is the mirror image (Wu 2008, section 5)."""
        return replace(
            self,
            value=1 - self.value,
            low=None if self.high is None else 1 - self.high,
            high=None if self.low is None else 1 - self.low,
            normal=None if self.normal is None else (1 - self.normal[1], 1 - self.normal[0]),
        )

    def entries(self, name: str) -> dict[str, Any]:
        """Return the entries of a result dictionary: `name_se`, `name_low`, `name_high`, `name_method`."""
        normal = None if self.normal is None else list(self.normal)
        return {
            f"{name}_se": self.se,
            f"{name}_low": self.low,
            f"{name}_high": self.high,
            f"{name}_normal": normal,
            f"{name}_method": self.method,
        }

    def __contains__(self, value: float) -> bool:
        return self.low is not None and self.high is not None and self.low <= value <= self.high

    def __repr__(self) -> str:
        if self.low is None or self.high is None:
            return f"Estimate({self.value:.6g}, no interval: {self.caution})"
        return f"Estimate({self.value:.6g}, {100 * self.level:g} % interval {self.low:.6g} to {self.high:.6g})"
