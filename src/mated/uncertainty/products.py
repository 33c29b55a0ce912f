"""The interval of a product of rates that were counted apart, such as enrolled × acquired × matched."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Factor", "product_interval"]


@dataclass(frozen=True)
class Factor:
    """A rate with its standard error and interval; one that is known has no spread: `Factor(value)`."""

    value: float
    se: float = 0.0
    low: float | None = None
    high: float | None = None

    @property
    def below(self) -> float:
        """How far the interval reaches below the value."""
        return 0.0 if self.low is None else self.value - self.low

    @property
    def above(self) -> float:
        """How far the interval reaches above the value."""
        return 0.0 if self.high is None else self.high - self.value

    def complement(self) -> Factor:
        """Return 1 − this."""
        low, high = (None if end is None else 1 - end for end in (self.high, self.low))
        return Factor(1 - self.value, self.se, low, high)


def product_interval(factors: Sequence[Factor]) -> Factor:
    """Return the product of rates estimated from different people or attempts, with its interval.

    Formula: with P = Πp_i and P_i = P without p_i, low = P − √Σ(P_i·(p_i − low_i))² and
    high = P + √Σ(P_i·(high_i − p_i))², cut off at 0 and 1: the distances to the limits add as standard errors do. One
    uncertain factor among known ones gives its own interval, scaled.

    Invalid where the estimates depend on each other. Terms of second order are left out, so factors should be known to
    about a third of their value.

    Reference: Zou and Donner (2008), the method of variance estimates recovery.
    """
    value = prod(f.value for f in factors)
    others = [prod(f.value for k, f in enumerate(factors) if k != i) for i in range(len(factors))]
    se, below, above = (
        sqrt(sum((rest * getattr(f, spread)) ** 2 for rest, f in zip(others, factors, strict=True)))
        for spread in ("se", "below", "above")
    )
    return Factor(value, se, max(value - below, 0.0), min(value + above, 1.0))
