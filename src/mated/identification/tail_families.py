"""Two laws for what lies above a high threshold, and their fit to weighted exceedances.

Let t = −log P(Y ≥ y), with t₀ at the threshold u. How the score grows with t is what a tail is about:

- generalised Pareto: dy/dt = σ·e^(ξ(t − t₀)). Its curvature ξ stays the same however far one goes. It is the limit of
  excesses over a threshold that rises while the number of data above it stays (Pickands 1975).
- generalised Weibull: dy/dt = (a/t)·(t/t₀)^θ, that is t = t₀·(1 + θ(y − u)/a)^(1/θ). Its curvature (θ − 1)/t fades, as
  that of normal, gamma and Weibull variables does (θ = 1/2 for the normal law). It is a limit for probabilities that
  fall like a power of the sample size (de Valk 2016), as forecasts ask for.

Above an exponential tail (ξ > 0) the Pareto law is the heavier one, below (ξ < 0) the Weibull law is: a Pareto law with
ξ < 0 ends at u − σ/ξ, soon after the data. `fit_tail` takes the heavier of the two, since what a forecast must not do
is to find false matches impossible because none was seen. For the same reason θ, which is hard to tell from scores that
share subjects, is held near what smooth laws have: the likelihood counts as one of as many independent exceedances as
there are subjects, and is multiplied by a normal density with mean 0.4 and standard deviation 0.5. With few subjects a
finite end (θ < 0) then needs strong evidence.

References: J. Pickands, Statistical inference using extreme order statistics, Annals of Statistics 3 (1975); S.
Grimshaw, Computing maximum likelihood estimates for the generalized Pareto distribution, Technometrics 35 (1993); C. de
Valk, Approximation of high quantiles from intermediate quantiles, Extremes 19 (2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["Family", "TailLaw", "fit_pareto", "fit_tail", "fit_weibull"]

Family = Literal["pareto", "weibull"]

_BINS = 512
_LIGHTEST, _HEAVIEST = -0.5, 1.0
_GRID, _ROUNDS = 33, 6
_USUAL, _SPREAD = 0.4, 0.5
_TINY = 1e-9


@dataclass(frozen=True)
class TailLaw:
    """A fitted tail above a threshold.

    Attributes
    ----------
    threshold
        The level u above which it holds.
    depth
        t₀ = −log P(Y ≥ u), with which the Weibull law was fitted.
    shape
        ξ of the Pareto law, θ of the Weibull law.
    scale
        σ of the Pareto law, a of the Weibull law.
    """

    family: Family
    threshold: float
    depth: float
    shape: float
    scale: float

    @property
    def end(self) -> float:
        """The level that no score exceeds: infinite unless the shape is negative."""
        return self.threshold - self.scale / self.shape if self.shape < 0 else np.inf

    def log_share(self, level: Floats) -> Floats:
        """Return log P(Y ≥ level | Y ≥ u) of levels from u on; −∞ beyond the end."""
        excess = np.maximum(level - self.threshold, 0.0) / self.scale
        with np.errstate(divide="ignore", invalid="ignore"):
            near_exponential = abs(self.shape) < _TINY
            grown = excess if near_exponential else np.log1p(np.maximum(self.shape * excess, -1.0)) / self.shape
            share: Floats = -grown if self.family == "pareto" else -self.depth * np.expm1(grown)
        share[np.isposinf(excess)] = -np.inf
        return share


def fit_tail(excess: Floats, weight: Floats, threshold: float, depth: float, independent: float) -> TailLaw:
    """Fit the Pareto law, and where it comes out lighter than an exponential tail the Weibull law instead.

    `excess` are the amounts above the threshold, in ascending order, with their weights; `independent` is how many
    independent ones they are worth.
    """
    values, shares = _binned(excess, weight)
    largest = float(excess[-1])
    shape, scale = fit_pareto(values, shares, largest)
    if shape >= 0:
        return TailLaw("pareto", threshold, depth, shape, scale)
    start = 1 + shape * depth, scale * depth
    shape, scale = fit_weibull(values, shares, largest, depth, independent, start=start)
    return TailLaw("weibull", threshold, depth, shape, scale)


def fit_pareto(excess: Floats, share: Floats, largest: float) -> tuple[float, float]:
    """Return ξ and σ of greatest likelihood, ξ kept between −½ and 1.

    With τ = ξ/σ the likelihood is greatest at ξ(τ) = Σ share·log(1 + τ·excess), and what remains is a search in one
    dimension (Grimshaw 1993), here on grids that close in. Below ξ = −½ the estimate has no regular law, and below −1
    the likelihood has no maximum.
    """
    mean = float(share @ excess)
    if largest <= 0 or mean <= 0:
        return 0.0, max(mean, np.finfo(float).tiny)
    low, high = -(1 - _TINY) / largest, 10.0 / mean
    tau = np.concatenate([np.linspace(low, 0, _GRID)[:-1], np.geomspace(1e-4, 1, _GRID) * high])
    for _ in range(_ROUNDS):
        shape = np.log1p(tau[:, None] * excess) @ share
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(np.abs(tau) < _TINY / mean, mean, shape / tau)
            loss = np.log(scale) + shape
        loss[(shape < _LIGHTEST) | (shape > _HEAVIEST)] = np.inf
        best = int(np.argmin(loss))
        ends = tau[max(best - 1, 0)], tau[min(best + 1, len(tau) - 1)]
        found = float(shape[best]), float(scale[best])
        tau = np.linspace(*ends, _GRID)
    return found


def fit_weibull(
    excess: Floats, share: Floats, largest: float, depth: float, independent: float, *, start: tuple[float, float]
) -> tuple[float, float]:
    """Return θ and a of greatest likelihood times the prior density of θ, by Nelder–Mead from a start near it.

    The density is t₀/a·h^(1/θ − 1)·exp(−t₀(h^(1/θ) − 1)) with h = 1 + θ·excess/a.
    """
    from scipy.optimize import minimize

    def loss(point: Floats) -> float:
        shape, scale = float(point[0]), float(np.exp(point[1]))
        if shape * largest / scale <= -1 + _TINY:
            return float("inf")
        grown = excess / scale if abs(shape) < _TINY else np.log1p(shape * excess / scale) / shape
        with np.errstate(over="ignore"):
            log_density = (1 - shape) * grown - depth * np.expm1(grown)
        unusual = ((shape - _USUAL) / _SPREAD) ** 2 / (2 * independent)
        return float(np.log(scale / depth) - share @ log_density + unusual)

    shape, scale = start
    if shape * largest / scale <= -0.99:  # where the start ends before the data, begin with a wider one
        scale = -shape * largest * 1.05
    first = np.array([shape, np.log(scale)])
    simplex = first + np.array([[0.0, 0.0], [0.2, 0.0], [0.0, 0.1]])
    options = {"xatol": 1e-5, "fatol": 1e-10, "maxiter": 400, "initial_simplex": simplex}
    found = minimize(loss, first, method="Nelder-Mead", options=options).x
    return float(found[0]), float(np.exp(found[1]))


def _binned(excess: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Replace many exceedances by the means of at most 512 neighbouring ones; the likelihoods are smooth."""
    shares = weight / weight.sum()
    if len(excess) <= _BINS:
        return excess, shares
    starts = np.linspace(0, len(excess), _BINS, endpoint=False).astype(np.int64)
    mass = np.add.reduceat(shares, starts)
    return np.add.reduceat(shares * excess, starts) / mass, mass
