"""How fast the CMC comes to the ROC as the gallery grows (Veldhuis & Raja 2023, Theorem 2, and Corollary 2).

Over fractional rank r/n the CMC is the ROC seen through the kernel β(α; r, n − r), whose mean is r/n and whose
variance is (r/n)(1 − r/n)/(n + 1). So |cmc(r; n) − ρ(r/n)| ≤ max|ρ″|/2 · (r/n)(1 − r/n)/(n + 1): their Eq. 43, of
order 1/n. It takes a ROC with a second derivative. A piecewise linear ROC has none at its corners, and there the
difference is of order 1/√n: a corner at which the slope changes by Δb adds |Δb|·√((r/n)(1 − r/n)/(2πn)).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.rank_law import as_gallery_size, deviance, ranks_asked
from mated.identification.roc_to_cmc import cmc_of_roc
from mated.scores.validation import read_only
from mated.verification.curves import false_match_rates
from mated.verification.individual import RocFunction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]

__all__ = ["AreaRelation", "Convergence", "ExponentialRoc", "area_relation", "cmc_of_function", "convergence"]

Roc: TypeAlias = "RocFunction | ExponentialRoc | Callable[[Floats], Any]"
"""A piecewise linear ROC, the analytic one, or any smooth function of the FMR that takes arrays."""

LARGEST = 100_000
"""The largest gallery of which every rank is compared."""

_ACCURACY = 1e-12
_FEWEST_NODES, _MOST_NODES = 32, 512
_BLOCK = 1 << 20
_GRID = 4096


@dataclass(frozen=True)
class ExponentialRoc:
    """ρ(α) = (1 − e^−λα)/(1 − e^−λ): smooth, concave, with every derivative known.

    With λ = 50 it is the ROC of Veldhuis & Raja (2023), Figure 2.
    """

    rate: float = 50.0

    def __post_init__(self) -> None:
        if not (isfinite(self.rate) and 0 < self.rate <= 10_000):
            raise MatedError(f"the rate of an exponential ROC lies above 0 and up to 10,000, and {self.rate} does not")

    def __call__(self, fmr: ArrayLike) -> Any:
        """TMR at the given false match rates."""
        value = np.expm1(-self.rate * false_match_rates(fmr)) / expm1(-self.rate)
        return value if np.ndim(value) else float(value)

    def second_derivative(self, fmr: ArrayLike) -> Any:
        """ρ″(α) = −λ² e^−λα/(1 − e^−λ); largest in size at α = 0."""
        value = self.rate**2 * np.exp(-self.rate * false_match_rates(fmr)) / expm1(-self.rate)
        return value if np.ndim(value) else float(value)

    @property
    def area(self) -> float:
        """Area under the ROC, 1/(1 − e^−λ) − 1/λ."""
        if self.rate < 0.01:
            return 0.5 + self.rate / 12 - self.rate**3 / 720  # the difference would cancel
        return -1 / expm1(-self.rate) - 1 / self.rate

    def cmc(self, gallery_size: float, ranks: ArrayLike | None = None) -> Floats:
        """Return the CMC by Veldhuis & Raja (2023), Eq. 16, in closed form.

        ∫ e^−λα β(α; r, n − r) dα = ₁F₁(r; n; −λ) = Σ_j Poisson(j; λ) · E(1 − α)^j, a series of terms that are not
        negative.
        """
        from scipy.special import gammaln

        size = as_gallery_size(gallery_size)
        asked = ranks_asked(ranks, size)
        steps = np.arange(int(self.rate + 12 * np.sqrt(self.rate) + 40))
        poisson = np.exp(steps * np.log(self.rate) - self.rate - gammaln(steps + 1.0))
        poisson /= poisson.sum()
        remaining = (size - asked).astype(np.float64)
        moment, total = np.ones(len(asked)), np.zeros(len(asked))
        for j, share in enumerate(poisson.tolist()):
            total += share * moment
            moment *= (remaining + j) / (size + j)
        value = (1 - total) / -expm1(-self.rate)
        return np.where(asked == size, 1.0, value)


class AreaRelation(NamedTuple):
    """Both sides of Veldhuis & Raja (2023), Eq. 24: the area under the CMC, and what the ROC's area says of it."""

    cmc: float
    roc: float


@dataclass(frozen=True, eq=False, repr=False)
class Convergence:
    """The distance between the CMC and the ROC at galleries of several sizes.

    Attributes
    ----------
    gallery_sizes
        The sizes n, as given.
    largest, at_rank
        max over 1 ≤ r < n of |cmc(r; n) − ρ(r/n)|, and the rank where it is.
    fractions, at_fraction
        Fractional ranks f, and |cmc(r; n) − ρ(r/n)| at the rank r nearest to f·n: sizes × fractions.
    bound
        The largest value of Eq. 43's bound at each size; None where no second derivative is known.
    curvature
        max|ρ″|, None likewise.
    within_bound
        Whether the bound holds at every rank of every size; None likewise.
    """

    gallery_sizes: Counts
    largest: Floats
    at_rank: Counts
    fractions: Floats
    at_fraction: Floats
    bound: Floats | None
    curvature: float | None
    within_bound: bool | None

    def __post_init__(self) -> None:
        for name in ("gallery_sizes", "largest", "at_rank", "fractions", "at_fraction", "bound"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def rate(self) -> float:
        """The power p in largest ~ n^p by least squares on logarithms; Theorem 2 says −1 in the end."""
        return _power(self.gallery_sizes, self.largest)

    @property
    def rate_at_fraction(self) -> Floats:
        """The power of n at each fractional rank."""
        return np.array([_power(self.gallery_sizes, column) for column in self.at_fraction.T])

    def __repr__(self) -> str:
        return f"Convergence(n from {self.gallery_sizes.min()} to {self.gallery_sizes.max()}, rate n^{self.rate:.3f})"


def convergence(
    roc: Roc,
    gallery_sizes: Sequence[int],
    *,
    fractions: Sequence[float] = (0.1, 0.25, 0.5),
    second_derivative: Callable[[Floats], Any] | None = None,
) -> Convergence:
    """Measure |cmc(r; n) − ρ(r/n)| and its rate in n, beside the bound of Veldhuis & Raja (2023), Eq. 43.

    The bound needs `second_derivative`, a function of the FMR on [0, 1], unless the ROC knows its own; its largest
    size is sought on a grid and then refined. Every rank is compared, in galleries of up to 100,000.
    """
    sizes = np.array([as_gallery_size(size) for size in gallery_sizes], dtype=np.int64)
    if not len(sizes) or sizes.max() > LARGEST:
        raise MatedError(f"convergence is measured at galleries of 2 to {LARGEST}, and {list(gallery_sizes)} are not")
    asked = np.asarray(fractions, dtype=np.float64)
    if np.any((asked <= 0) | (asked >= 1) | np.isnan(asked)):
        raise MatedError(f"a fractional rank lies between 0 and 1, and {list(fractions)} do not")
    second = second_derivative if second_derivative is not None else getattr(roc, "second_derivative", None)
    curvature = None if second is None else _largest_size(second)
    largest, at_rank, at_fraction, bounds, within = [], [], [], [], True
    for size in sizes.tolist():
        ranks = np.arange(1, size)
        apart = np.abs(_cmc(roc, size, ranks) - np.asarray(roc(ranks / size)))
        worst = int(np.argmax(apart))
        largest.append(apart[worst])
        at_rank.append(ranks[worst])
        at_fraction.append(apart[np.clip(np.rint(asked * size).astype(np.int64), 1, size - 1) - 1])
        if curvature is not None:
            bound = curvature / 2 / (size + 1) * (ranks / size) * (1 - ranks / size)
            bounds.append(bound.max())
            within &= bool(np.all(apart <= bound + _ACCURACY))
    return Convergence(
        sizes,
        np.array(largest),
        np.array(at_rank),
        asked,
        np.array(at_fraction),
        None if curvature is None else np.array(bounds),
        curvature,
        None if curvature is None else within,
    )


def area_relation(roc: Roc, gallery_size: int) -> AreaRelation:
    """Return the two sides of (1/n) Σ_r cmc(r; n) = (1 − 1/n) ∫ρ + 1/n (Veldhuis & Raja 2023, Corollary 2).

    Piecewise linear and exponential ROCs; the left side sums every rank of a gallery of up to 100,000.
    """
    size = as_gallery_size(gallery_size)
    if size > LARGEST:
        raise MatedError(f"the area under a CMC is summed over every rank of galleries of up to {LARGEST}, not {size}")
    if not isinstance(roc, RocFunction | ExponentialRoc):
        raise MatedError("the area relation is for piecewise linear and exponential ROCs, whose area is exact")
    area = _cmc(roc, size, np.arange(1, size + 1)).mean()
    return AreaRelation(float(area), (1 - 1 / size) * roc.area + 1 / size)


def cmc_of_function(roc: Callable[[Floats], Any], gallery_size: float, ranks: ArrayLike | None = None) -> Floats:
    """Return the CMC that a smooth ROC predicts (Veldhuis & Raja 2023, Eq. 16), to about 1e-11.

    Quadrature over the range of the kernel β(α; r, n − r), with twice as many nodes until the value stands still.
    `roc` takes an array of false match rates. One whose slope is infinite at FMR 0, or that has corners, needs more
    nodes than are tried and is refused; give it as a `RocFunction`.
    """
    size = as_gallery_size(gallery_size)
    asked = ranks_asked(ranks, size)
    result = np.ones(len(asked))
    open_ranks = np.flatnonzero(asked < size)
    nodes = _FEWEST_NODES
    result[open_ranks] = _against_kernel(roc, size, asked[open_ranks], nodes)
    while len(open_ranks):
        nodes *= 2
        if nodes > _MOST_NODES:
            raise MatedError(
                f"the ROC is not smooth enough to be integrated at rank {asked[open_ranks[0]]} of {size} "
                f"(no agreement at {_MOST_NODES} nodes); give it as a piecewise linear RocFunction"
            )
        finer = _against_kernel(roc, size, asked[open_ranks], nodes)
        moved = np.abs(finer - result[open_ranks]) > _ACCURACY
        result[open_ranks] = finer
        open_ranks = open_ranks[moved]
    return result


def _cmc(roc: Roc, size: int, ranks: Counts) -> Floats:
    if isinstance(roc, RocFunction):
        return cmc_of_roc(roc, size, ranks)
    if isinstance(roc, ExponentialRoc):
        return roc.cmc(size, ranks)
    return cmc_of_function(roc, size, ranks)


def _against_kernel(roc: Callable[[Floats], Any], size: int, ranks: Counts, nodes: int) -> Floats:
    """Return ∫ ρ(α) β(α; r, n − r) dα by Gauss–Legendre quadrature where the kernel is above 1e-18 of its peak."""
    from scipy.special import roots_legendre

    where, weight = roots_legendre(nodes)
    result = np.empty(len(ranks))
    step = max(1, _BLOCK // nodes)
    for start in range(0, len(ranks), step):
        rank = ranks[start : start + step, None]
        share = rank / size
        reach = 9.5 * np.sqrt(share * (1 - share) / (size + 1)) + 45 / size
        low, high = np.maximum(share - reach, 0.0), np.minimum(share + reach, 1.0)
        alpha = low + (high - low) * (1 + where) / 2
        kernel = weight * np.exp(-_below_peak(alpha, size, rank))  # the division removes its constant
        value = np.asarray(roc(alpha), dtype=np.float64)
        result[start : start + step] = (kernel * value).sum(axis=1) / kernel.sum(axis=1)
    return result


def _below_peak(alpha: Floats, size: int, rank: Counts) -> Floats:
    """Return how far log β(α; r, n − r) lies below its peak."""
    powers = size - 2.0
    if not powers:
        return np.zeros_like(alpha)
    below: Floats = deviance(rank - 1.0, powers * alpha) + deviance(size - rank - 1.0, powers * (1 - alpha))
    return below


def _largest_size(second: Callable[[Floats], Any]) -> float:
    """Return max|ρ″| on [0, 1]."""
    from scipy.optimize import minimize_scalar

    grid = np.linspace(0.0, 1.0, _GRID + 1)
    values = np.abs(np.broadcast_to(np.asarray(second(grid), dtype=np.float64), grid.shape))
    if not np.isfinite(values).all():
        raise MatedError("the second derivative is not finite everywhere on [0, 1], so the bound says nothing")
    best = int(np.argmax(values))
    ends = (grid[max(best - 1, 0)], grid[min(best + 1, _GRID)])
    refined = minimize_scalar(
        lambda x: -abs(float(np.asarray(second(np.array(x))))), bounds=ends, method="bounded", options={"xatol": 1e-9}
    )
    return float(max(values[best], -refined.fun))


def _power(sizes: Counts, values: Floats) -> float:
    """Return the slope of log values on log sizes, NaN where fewer than two sizes or a value of 0 leave none."""
    if len(np.unique(sizes)) < 2 or np.any(values <= 0):
        return float("nan")
    x, y = np.log(sizes), np.log(values)
    x = x - x.mean()
    return float(np.dot(x, y) / np.dot(x, x))
