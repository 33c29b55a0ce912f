"""The true error rates of the models behind the coverage study, known without sampling.

Gaussian identities: the log-likelihood ratio of two samples is a constant plus a weighted sum of squares of independent
standard normals. With v the between-person variance of a feature, the sum and the difference of two samples are
independent, and each feature adds

    mated       v/2 · X² − v/2 · Y²
    non-mated   v/(2(1 + v)) · X² − v/(2(1 − v)) · Y²

so that the characteristic function is a product of square roots and P(score ≥ t) one integral (Gil-Pelaez 1951; Imhof
1961). A sum gives it to about 1e-12, where 2·10⁸ simulated pairs give 1e-5.

Binormal: non-mated scores N(0, 1), mated scores N(d, 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from mated.synthetic.identities import GaussianIdentities

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = [
    "BINORMAL_DISTANCE",
    "TRUTH",
    "Truth",
    "binormal_eer",
    "binormal_tmr",
    "compute_truth",
    "false_match_rate",
    "false_nonmatch_rate",
]

BINORMAL_DISTANCE = 3.0
"""How far apart the two classes of binormal scores lie, in standard deviations."""


_STEP, _TERMS = 0.02, 50_000


@dataclass(frozen=True)
class Truth:
    """Operating points of the Gaussian identity model with log-likelihood-ratio scores.

    Attributes
    ----------
    threshold, fnmr
        Where FMR is 1e-2, and FNMR there.
    eer
        The equal error rate.
    high_threshold, low_threshold
        Where FMR is 1e-4, and where FNMR is 1e-2: points with few errors.
    """

    threshold: float
    fnmr: float
    eer: float
    high_threshold: float
    low_threshold: float


TRUTH = Truth(
    threshold=2.7194043056,
    fnmr=0.6804795716,
    eer=0.1244977443,
    high_threshold=5.1003265418,
    low_threshold=-1.9473646305,
)
"""What `compute_truth()` gives, to ten decimals."""


def compute_truth(model: GaussianIdentities | None = None) -> Truth:
    """Compute the operating points anew; error below 1e-9."""
    model = model or GaussianIdentities()
    threshold = _root(lambda t: false_match_rate(model, t) - 1e-2)
    return Truth(
        threshold=threshold,
        fnmr=false_nonmatch_rate(model, threshold),
        eer=false_match_rate(model, _root(lambda t: false_match_rate(model, t) - false_nonmatch_rate(model, t))),
        high_threshold=_root(lambda t: false_match_rate(model, t) - 1e-4),
        low_threshold=_root(lambda t: 1e-2 - false_nonmatch_rate(model, t)),
    )


def false_match_rate(model: GaussianIdentities, threshold: float) -> float:
    """Return the probability that two samples of two people score at or above a threshold."""
    v = np.array(model.between)
    return _upper_tail(np.concatenate([v / (1 + v), -v / (1 - v)]) / 2, threshold - _constant(v))


def false_nonmatch_rate(model: GaussianIdentities, threshold: float) -> float:
    """Return the probability that two samples of one person score below a threshold."""
    v = np.array(model.between)
    return 1 - _upper_tail(np.concatenate([v, -v]) / 2, threshold - _constant(v))


def binormal_tmr(fmr: float, distance: float = BINORMAL_DISTANCE) -> float:
    """Return the true match rate of binormal scores at a false match rate: Φ(d + Φ⁻¹(f))."""
    from scipy.special import ndtr, ndtri

    return float(ndtr(distance + ndtri(fmr)))


def binormal_eer(distance: float = BINORMAL_DISTANCE) -> float:
    """Return the equal error rate of binormal scores: Φ(−d/2)."""
    from scipy.special import ndtr

    return float(ndtr(-distance / 2))


def _constant(between: NDArray[np.float64]) -> float:
    return float(-0.5 * np.log(1 - between**2).sum())


def _upper_tail(weights: NDArray[np.float64], level: float) -> float:
    """Return P(Σ weights·X² ≥ level), X independent standard normals: ½ + 1/π ∫ Im(e^(−iul) φ(u))/u du.

    The midpoint rule errs by no more than the probability beyond 2π/step from `level`, which is below 1e-14 here. What
    is cut off falls like u⁻⁴, to below 1e-12.
    """
    u = (np.arange(_TERMS) + 0.5) * _STEP
    transform = np.ones(_TERMS, dtype=np.complex128)
    for weight in weights:
        transform /= np.sqrt(1 - 2j * weight * u)
    return 0.5 + float(((transform * np.exp(-1j * u * level)).imag / u).sum()) * _STEP / pi


def _root(function: Callable[[float], float]) -> float:
    from scipy.optimize import brentq

    return float(brentq(function, -30.0, 20.0, xtol=1e-12, rtol=1e-12))
