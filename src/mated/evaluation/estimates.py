"""What a bootstrapped verification gives back for each kind of operating point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mated.evaluation.estimate import Estimate
    from mated.verification import AtFmr, AtThreshold, AtTmr, EqualErrorRate

__all__ = ["EerEstimate", "FmrEstimate", "ThresholdEstimate", "TmrEstimate"]

Box = tuple[tuple[float | None, float | None], tuple[float | None, float | None]]


@dataclass(frozen=True)
class FmrEstimate:
    """FNMR, TMR and threshold at a false match rate, with intervals."""

    point: AtFmr
    fnmr: Estimate
    threshold_low: int | float | None
    threshold_high: int | float | None

    @property
    def tmr(self) -> Estimate:
        """The mirror image of the FNMR (Wu 2008, section 5)."""
        return self.fnmr.complement()


@dataclass(frozen=True)
class TmrEstimate:
    """FMR and threshold at a true match rate, with intervals."""

    point: AtTmr
    fmr: Estimate
    threshold_low: int | float | None
    threshold_high: int | float | None


@dataclass(frozen=True)
class ThresholdEstimate:
    """Both error rates at a threshold, with intervals."""

    point: AtThreshold
    fmr: Estimate
    fnmr: Estimate

    @property
    def tmr(self) -> Estimate:
        """The mirror image of the FNMR."""
        return self.fnmr.complement()

    @property
    def rectangle(self) -> Box:
        """The two intervals as a box around (FMR, TMR); it is no joint confidence region (Wu 2008, Figure 3)."""
        return (self.fmr.low, self.fmr.high), (self.tmr.low, self.tmr.high)


@dataclass(frozen=True)
class EerEstimate:
    """The equal error rate with its interval and both its errors (Wu 2008, section 5).

    Attributes
    ----------
    coefficient_of_variation
        Standard error over estimate: the statistical error.
    systematic_to_statistical
        The relative error that discreteness leaves (Table 4) over the coefficient of variation.
    """

    point: EqualErrorRate
    eer: Estimate
    threshold_low: int | float | None
    threshold_high: int | float | None
    coefficient_of_variation: float | None
    systematic_to_statistical: float | None
