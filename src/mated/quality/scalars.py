"""Single numbers that rate a quality algorithm without discarding anything (Schlett et al. 2023, section VII)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores.discard_order import ErrorKind, is_error
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mated.scores import Comparisons

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "SampleUtility",
    "error_correlation",
    "pearson",
    "root_mean_square_error",
    "sample_utility",
    "spearman",
]


@dataclass(frozen=True, eq=False, repr=False)
class SampleUtility:
    """How far a sample's mated scores lie above its non-mated ones.

    Attributes
    ----------
    code
        Codes of the samples that have both kinds of comparisons and scores that vary.
    value
        Utility of each.
    left_out
        Samples that were compared and have no utility.
    """

    code: NDArray[np.int64]
    value: Floats
    left_out: int

    def __post_init__(self) -> None:
        for name in ("code", "value"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def beside(self, quality: NDArray[Any]) -> tuple[Floats, Floats]:
        """Return utility and quality of the samples that have both, given one quality a sample code (NaN: none)."""
        of_samples = np.asarray(quality, dtype=np.float64)[self.code]
        both = ~np.isnan(of_samples)
        return self.value[both], of_samples[both]

    def __len__(self) -> int:
        return len(self.code)

    def __repr__(self) -> str:
        return f"SampleUtility({len(self)} samples, {self.left_out} left out)"


def sample_utility(comparisons: Comparisons) -> SampleUtility:
    """Return the utility of each sample, after Henniger et al. (2022): d′ of the sample's own comparisons.

        u = (μ_m − μ_n) / √(σ²_m + σ²_n)

    over the similarities of the mated and of the non-mated comparisons that the sample takes part in, on either side;
    variances are those of the population. A comparison of a sample with itself says nothing and is left out. Samples
    without comparisons of one class, or whose scores do not vary at all, have no utility.
    """
    pairs = comparisons.samples
    if pairs is None:
        raise MatedError("a utility of samples needs to know which samples were compared")
    score = comparisons.score.astype(np.float64)
    if not np.isfinite(score).all():
        raise MatedError("a utility of samples needs finite scores, and some are infinite")
    size = len(pairs.names)
    proper = ~pairs.same
    occurs = np.bincount(pairs.probe, minlength=size) + np.bincount(pairs.reference, minlength=size) > 0
    means, variances, usable = [], [], occurs
    for of_class in (comparisons.mated, ~comparisons.mated):
        rows = of_class & proper
        who = np.concatenate([pairs.probe[rows], pairs.reference[rows]])
        values = np.tile(score[rows], 2)
        mean, variance, some = _moments_of_each(who, values, size)
        usable = usable & some
        means.append(mean)
        variances.append(variance)
    spread = np.sqrt(variances[0] + variances[1])
    usable = usable & (spread > 0)
    code = np.flatnonzero(usable)
    value = (means[0][code] - means[1][code]) / spread[code]
    return SampleUtility(code, value, int(np.count_nonzero(occurs)) - len(code))


def _moments_of_each(who: NDArray[Any], values: Floats, size: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return mean and variance of the values of each code, exactly zero variance where they are equal."""
    count = np.bincount(who, minlength=size)
    mean = np.bincount(who, weights=values, minlength=size) / np.maximum(count, 1)
    squares = np.bincount(who, weights=(values - mean[who]) ** 2, minlength=size)
    lowest, highest = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(lowest, who, values)
    np.maximum.at(highest, who, values)
    squares[lowest == highest] = 0.0
    return mean, squares / np.maximum(count, 1), count > 0


def pearson(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return Pearson's correlation; None where one of the two does not vary.

    Of comparison scores and pair qualities: positive is good for mated comparisons. Of sample utilities and qualities:
    the paper's proposal, which needs no common range.
    """
    a, b = _beside(x, y)
    if a.min() == a.max() or b.min() == b.max():
        return None
    a, b = (_unit(values) for values in (a, b))
    return float(np.clip(np.dot(a, b), -1.0, 1.0))


def spearman(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return Spearman's correlation: Pearson's of the ranks, equal values sharing their mean rank."""
    from scipy.stats import rankdata

    a, b = _beside(x, y)
    return pearson(rankdata(a), rankdata(b))


def root_mean_square_error(x: ArrayLike, y: ArrayLike) -> float:
    """Return the root mean square difference, of utilities and qualities; it means something only in one range."""
    a, b = _beside(x, y)
    return float(np.sqrt(np.mean((a - b) ** 2)))


def error_correlation(quality: ArrayLike, score: NDArray[Any], threshold: float, kind: ErrorKind) -> float | None:
    """Return Pearson's correlation of pair qualities and errors (1) or correct decisions (0); negative is good."""
    return pearson(quality, is_error(np.asarray(score), threshold, kind).astype(np.float64))


def _unit(values: Floats) -> Floats:
    centred = values - values.mean()
    centred /= np.abs(centred).max()  # squares of very small or large numbers would leave the range
    unit: Floats = centred / np.linalg.norm(centred)
    return unit


def _beside(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    a, b = (np.asarray(values, dtype=np.float64) for values in (x, y))
    if a.shape != b.shape or a.ndim != 1:
        raise MatedError(f"values to be compared must be as many, and there are {a.shape} and {b.shape}")
    if not len(a):
        raise MatedError("there is no value to be compared")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise MatedError("values to be compared must be finite numbers")
    return a, b
