"""Stand-ins for the scores of Wu (2008), which are not public: drawn so that a few published numbers come out.

Two published points of an ROC fix a binormal one, in closed form. Its scores are then written in the scoring system of
the original by a monotone map through two published thresholds. The map changes no rate except by rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from mated.errors import MatedError
from mated.evaluation import Bootstrap, verify
from mated.reproduce.processes import mapped
from mated.reproduce.wu2008_published import (
    ALGORITHMS,
    FMR,
    N_MATED,
    N_NONMATED,
    REPLICATES,
    SYSTEMS,
    TABLE_1,
    TABLE_2,
    TABLE_5,
    TABLE_6,
    tables_beside,
)
from mated.uncertainty.normality import NormalityTest, multivariate_normality

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mated.evaluation.estimates import EerEstimate, FmrEstimate, ThresholdEstimate

__all__ = [
    "Binormal",
    "Draw",
    "Expected",
    "ScoreMap",
    "StandIn",
    "draw_again",
    "implied_slope_at_eer",
    "implied_slope_at_fmr",
]


@dataclass(frozen=True)
class Binormal:
    """The ROC TMR = Φ(a + b·Φ⁻¹(FMR)): non-mated scores N(0, 1), mated ones N(a/b, 1/b²).

    Two parameters cannot follow a real ROC: between and beyond the points it was fitted to, its shape is a guess.
    """

    a: float
    b: float

    @classmethod
    def through(cls, *, fmr: float, tmr: float, eer: float) -> Binormal:
        """Return the one with this TMR at the FMR and with this equal error rate.

        With z = Φ⁻¹(FMR) and e = Φ⁻¹(EER), Φ⁻¹(TMR) = a + b·z and −e = a + b·e.
        """
        z, e = float(ndtri(fmr)), float(ndtri(eer))
        slope = (float(ndtri(tmr)) + e) / (z - e) if z != e else 0.0
        if slope <= 0:
            raise MatedError(f"no binormal ROC rises from TMR {tmr} at FMR {fmr} to {1 - eer} at FMR {eer}")
        return cls(-e * (1 + slope), slope)

    def tmr(self, fmr: float) -> float:
        """Return the true match rate at a false match rate."""
        return float(ndtr(self.a + self.b * ndtri(fmr)))

    @property
    def eer(self) -> float:
        """The equal error rate: Φ(−a/(1 + b))."""
        return float(ndtr(-self.a / (1 + self.b)))

    def slope(self, fmr: float) -> float:
        """Return dTMR/dFMR: the ratio of the mated to the non-mated density at the threshold."""
        z = float(ndtri(fmr))
        return self.b * _density(self.a + self.b * z) / _density(z)

    def tmr_standard_error(self, fmr: float, n_mated: int, n_nonmated: int) -> float:
        """Return the large-sample standard error of TMR at an FMR f: √(TMR(1 − TMR)/n_mated + m²·f(1 − f)/n_nonmated).

        m is the slope there; the second term is what not knowing the threshold adds.
        """
        tmr = self.tmr(fmr)
        return sqrt(tmr * (1 - tmr) / n_mated + self.slope(fmr) ** 2 * fmr * (1 - fmr) / n_nonmated)

    def eer_standard_error(self, n_mated: int, n_nonmated: int) -> float:
        """Return the large-sample standard error of the EER e: √(e(1 − e)·((1 − w)²/n_mated + w²/n_nonmated)).

        w = m/(1 + m), m the slope at the EER.
        """
        e = self.eer
        w = self.slope(e) / (1 + self.slope(e))
        return sqrt(e * (1 - e) * ((1 - w) ** 2 / n_mated + w**2 / n_nonmated))

    def draw(
        self, rng: np.random.Generator, n_mated: int, n_nonmated: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Draw independent mated and non-mated scores."""
        return (self.a + rng.standard_normal(n_mated)) / self.b, rng.standard_normal(n_nonmated)


@dataclass(frozen=True)
class ScoreMap:
    """A smooth increasing map from any real numbers into a scoring system: scores from 0 up, rounded to its decimals.

    Straight through two anchors (x, score) and between them; below the lower one it decays towards 0, and above the
    upper one towards the system's upper end or, without one, goes on straight.

    Attributes
    ----------
    low, high
        The anchors.
    decimals
        With how many decimals scores are written; 0 gives integers.
    below
        What every score stays below, None where there is no such end.
    """

    low: tuple[float, float]
    high: tuple[float, float]
    decimals: int = 0
    below: float | None = None

    @property
    def unit_in_x(self) -> float:
        """How far apart two x are whose scores lie one unit apart, between the anchors."""
        return 10.0**-self.decimals / self._slope

    @property
    def _slope(self) -> float:
        return (self.high[1] - self.low[1]) / (self.high[0] - self.low[0])

    def __call__(self, x: NDArray[np.float64]) -> NDArray[Any]:
        """Return the scores of x."""
        bottom, top = self.low[1], self.high[1]
        line = bottom + self._slope * (x - self.low[0])
        beneath, beyond = np.minimum(line - bottom, 0), np.maximum(line - top, 0)
        scores = np.clip(line, bottom, top) + bottom * np.expm1(beneath / bottom)
        if self.below is None:
            scores += beyond
        else:
            room = self.below - top
            scores = np.minimum(scores - room * np.expm1(-beyond / room), self.below - 10.0**-self.decimals)
        rounded = np.round(scores, self.decimals)
        return rounded.astype(np.int64) if self.decimals == 0 else rounded


class Expected(NamedTuple):
    """The large-sample standard error of a fit over the published one, and the slopes of the ROC behind the two.

    `implied` is the slope with which the large-sample formula would give the published standard error, None where no
    slope does.
    """

    ratio: float
    slope: float
    implied: float | None


@dataclass(frozen=True, eq=False)
class StandIn:
    """One draw of scores in the place of an algorithm of Wu (2008), evaluated by the method of the paper.

    Attributes
    ----------
    algorithm
        Its number, 1 to 6.
    seed, draw
        The same two give the same scores and replicates; other draws of a seed are independent of them.
    """

    algorithm: int
    seed: int
    draw: int = 0

    @property
    def fit(self) -> Binormal:
        """The ROC through the published TMR at FMR 0.001 and the published EER."""
        return Binormal.through(fmr=FMR, tmr=TABLE_1[self.algorithm].value, eer=TABLE_5[self.algorithm].value)

    @property
    def scale(self) -> ScoreMap:
        """The map into the algorithm's scoring system, through its two published thresholds."""
        low = -float(ndtri(TABLE_5[self.algorithm].value)), TABLE_6[self.algorithm].value
        high = -float(ndtri(FMR)), TABLE_2[self.algorithm].value
        return ScoreMap(low, high, *SYSTEMS[self.algorithm])

    @cached_property
    def bootstrap(self) -> Bootstrap:
        """The evaluation of the scores, with percentile intervals throughout."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(self.draw, self.algorithm)))
        mated, nonmated = map(self.scale, self.fit.draw(rng, N_MATED, N_NONMATED))
        unit = Fraction(1, 10 ** SYSTEMS[self.algorithm].decimals)
        verification = verify(mated, nonmated, unit=unit, name=f"algorithm {self.algorithm} (stand-in)")
        return verification.bootstrap(REPLICATES, rng=rng, intervals="bootstrap")

    @cached_property
    def at_fmr(self) -> FmrEstimate:
        """TMR and threshold at FMR 0.001."""
        return self.bootstrap.at_fmr(FMR)

    @cached_property
    def at_threshold(self) -> ThresholdEstimate:
        """Both rates at that threshold."""
        return self.bootstrap.at_threshold(self.at_fmr.point.threshold)

    @cached_property
    def eer(self) -> EerEstimate:
        """The equal error rate."""
        return self.bootstrap.eer()

    @cached_property
    def normality(self) -> NormalityTest:
        """The test of the paper on the replicates of (FMR, TMR) at the threshold."""
        return multivariate_normality(np.column_stack(self.bootstrap.scatter(self.at_fmr.point.threshold)))

    @property
    def expected_tmr(self) -> Expected:
        """What the fit expects of the standard error of TMR at FMR 0.001."""
        printed, counts = TABLE_1[self.algorithm], {"n_mated": N_MATED, "n_nonmated": N_NONMATED}
        ratio = _over(self.fit.tmr_standard_error(FMR, **counts), printed.se)
        implied = implied_slope_at_fmr(printed.se or 0, fmr=FMR, tmr=printed.value, **counts)
        return Expected(ratio, self.fit.slope(FMR), implied)

    @property
    def expected_eer(self) -> Expected:
        """What the fit expects of the standard error of the EER."""
        printed, counts = TABLE_5[self.algorithm], {"n_mated": N_MATED, "n_nonmated": N_NONMATED}
        ratio = _over(self.fit.eer_standard_error(**counts), printed.se)
        implied = implied_slope_at_eer(printed.se or 0, eer=printed.value, **counts)
        return Expected(ratio, self.fit.slope(self.fit.eer), implied)

    @property
    def shares_at_eer_score(self) -> tuple[float, float]:
        """The shares of the mated and of the non-mated comparisons that the fit expects at one score at the EER."""
        nonmated = _density(float(ndtri(self.fit.eer))) * self.scale.unit_in_x
        return self.fit.slope(self.fit.eer) * nonmated, nonmated

    @property
    def eer_lift(self) -> float:
        """By how much the EER of Wu (2008), Eq. 9, is expected to lie above that of the fit.

        Both errors count the comparisons at the score, shares p and q. Where the errors of the fit cross between two
        scores is taken as uniform; the mean lift is then pq/(p + q).
        """
        p, q = self.shares_at_eer_score
        return p * q / (p + q)


class Draw(NamedTuple):
    """What one draw of all six gave: ratios of standard errors to the published, and the p-value of algorithm 1."""

    tmr: tuple[float, ...]
    eer: tuple[float, ...]
    p_value: float


def draw_again(seed: int, draws: int, jobs: int = 1) -> Iterator[Draw]:
    """Draw stand-ins for all six so many times; the result does not depend on the number of processes."""
    return mapped(partial(_one_draw, seed), range(draws), jobs)


def _one_draw(seed: int, draw: int) -> Draw:
    drawn = {k: StandIn(k, seed, draw) for k in ALGORITHMS}
    tables = tables_beside(drawn)
    tmr, eer = (tuple(row.ratio for row in tables[name]) for name in ("table1", "table5"))
    return Draw(tmr, eer, drawn[1].normality.p_value)


def _over(ours: float, theirs: float | None) -> float:
    assert theirs is not None
    return ours / theirs


def implied_slope_at_fmr(se: float, *, fmr: float, tmr: float, n_mated: int, n_nonmated: int) -> float | None:
    """Return the slope of the ROC with which `Binormal.tmr_standard_error` would be `se`; None if none is so flat."""
    rest = se**2 - tmr * (1 - tmr) / n_mated
    return sqrt(rest * n_nonmated / (fmr * (1 - fmr))) if rest >= 0 else None


def implied_slope_at_eer(se: float, *, eer: float, n_mated: int, n_nonmated: int) -> float | None:
    """Return the least slope of the ROC with which `Binormal.eer_standard_error` would be `se`; None if none fits."""
    target = se**2 / (eer * (1 - eer))
    # (1 − w)²/n_mated + w²/n_nonmated = target, a quadratic equation in w.
    square, linear, constant = 1 / n_mated + 1 / n_nonmated, -2 / n_mated, 1 / n_mated - target
    under_root = linear**2 - 4 * square * constant
    if under_root < 0:
        return None
    w = (-linear - sqrt(under_root)) / (2 * square)
    return w / (1 - w) if 0 <= w < 1 else None


def _density(z: float) -> float:
    return float(np.exp(-z * z / 2) / np.sqrt(2 * np.pi))
