"""Standard errors and intervals from bootstrap replicates, whatever was resampled."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, inf, isfinite, isnan
from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.scores.unit import snap
from mated.scores.validation import read_only
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores import Tally

__all__ = ["Replicates", "exact_level", "threshold_interval"]


@dataclass(frozen=True, eq=False, repr=False)
class Replicates:
    """Bootstrap replicates of one statistic, and its estimate from the data themselves.

    Intervals are two-sided at a confidence level such as 0.95, read as the decimal it is written as. Values may be
    infinite, as thresholds can be; no method makes NaN of them.

    Attributes
    ----------
    values
        The replicates, two or more, in the order in which they were drawn.
    estimate
        The statistic of the original data.
    """

    values: NDArray[np.float64]
    estimate: float

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim != 1 or len(values) < 2 or np.isnan(values).any():
            raise MatedError("replicates must be two numbers or more, none of them NaN")
        object.__setattr__(self, "values", read_only(values))

    @cached_property
    def standard_error(self) -> float:
        """Standard deviation of the replicates with divisor B − 1; infinite where some are infinite and others not."""
        if np.isfinite(self.values).all():
            return float(np.std(self.values, ddof=1))
        return 0.0 if self._ordered[0] == self._ordered[-1] else inf

    @property
    def coefficient_of_variation(self) -> float | None:
        """Standard error divided by the estimate's size; None where that is zero or infinite."""
        return self.standard_error / abs(self.estimate) if self.estimate and isfinite(self.estimate) else None

    def quantile(self, p: float | Fraction) -> float:
        """Return a quantile by definition 2 of Hyndman & Fan (1996), as in Wu (2008).

        The empirical distribution is inverted, and at a step the mean of the two neighbouring values is given.
        """
        # np.quantile(method="averaged_inverted_cdf") multiplies B·p in floats, which misses steps (0.07·100 is
        # above 7), and makes NaN of infinities.
        place = exact_rate(p, "a probability", one_allowed=True, zero_allowed=True) * len(self._ordered)
        last = len(self._ordered) - 1
        above = float(self._ordered[min(floor(place), last)])
        below = float(self._ordered[max(ceil(place) - 1, 0)])
        if above == below:
            return above
        mean = below / 2 + above / 2
        if isnan(mean):  # the two infinities
            return below if 2 * place < len(self._ordered) else above
        return mean

    def percentile_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the quantiles at α/2 and 1 − α/2, the interval of Wu (2008). Too short for few errors."""
        tail = (1 - exact_level(level)) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    def normal_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the estimate ± z standard errors. It may leave the range of the statistic and ignores skewness."""
        if self.standard_error == inf:
            return -inf, inf
        reach = _normal_quantile((1 + exact_level(level)) / 2) * self.standard_error
        return self.estimate - reach, self.estimate + reach

    def bca_interval(self, level: float = 0.95, *, acceleration: float) -> tuple[float, float]:
        """Return the bias-corrected and accelerated interval (Efron 1987).

        The quantiles at Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))), z the normal quantiles of α/2 and 1 − α/2, a the
        acceleration (from a jackknife) and z₀ the normal quantile of the share of replicates below the estimate, those
        equal to it counted half. Where all lie on one side, half a replicate is taken to lie on the other.
        """
        size = len(self._ordered)
        twice_below = int(np.searchsorted(self._ordered, self.estimate, "left"))
        twice_below += int(np.searchsorted(self._ordered, self.estimate, "right"))
        bias = _normal_quantile(Fraction(min(max(twice_below, 1), 2 * size - 1), 2 * size))
        tail = (1 - exact_level(level)) / 2
        low, high = (self.quantile(_bca_probability(bias, acceleration, _normal_quantile(p))) for p in (tail, 1 - tail))
        return low, high

    @cached_property
    def _ordered(self) -> NDArray[np.float64]:
        return np.sort(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Replicates({len(self)} around {self.estimate:g}, standard error {self.standard_error:.3g})"


def exact_level(level: float) -> Fraction:
    """Read a confidence level as the decimal it is written as, and refuse what is not between 0 and 1."""
    return exact_rate(level, "a confidence level")


def threshold_interval(interval: tuple[float, float], tally: Tally) -> tuple[int | float, int | float]:
    """Give an interval of inner thresholds back in the user's scoring system, ends rounded outwards to the unit.

    The low end is floored and the high end raised to a legitimate score (Wu 2008, section 3.4), so that the interval
    never becomes shorter; continuous scores are not rounded. Dissimilarities exchange the ends. Infinite ends stay.
    """
    low, high = interval
    ends = (tally.to_user(_to_unit(low, tally, up=False)), tally.to_user(_to_unit(high, tally, up=True)))
    return (ends[1], ends[0]) if tally.dissimilarity else ends


def _to_unit(value: float, tally: Tally, *, up: bool) -> float:
    if tally.unit is None or not isfinite(value):
        return value
    nearest = snap(value, tally.unit)
    # A decimal in floats is only nearly a multiple of the unit; a mean of two such lies a few spacings off.
    if abs(value - nearest) <= 4 * float(np.spacing(tally.scores.dtype.type(abs(value)))):
        return nearest
    units = Fraction(value) / tally.unit
    return float((ceil(units) if up else floor(units)) * tally.unit)


def _normal_quantile(p: Fraction) -> float:
    from scipy.special import ndtri

    return float(ndtri(float(p)))


def _bca_probability(bias: float, acceleration: float, z: float) -> float:
    from scipy.special import ndtr

    shifted = bias + z
    scale = 1 - acceleration * shifted
    if scale <= 0:  # past the pole every replicate lies on one side
        return 1.0 if shifted > 0 else 0.0
    return float(ndtr(bias + shifted / scale))
