"""Curves without a threshold: the mean comparison score and d′ against the discard fraction.

CS-DC and d′-DC of Schlett et al. (2023), section VII. They read scores directly and know no errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.quality.curve import DiscardCurve, Interpolation, end_held

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.scores.discard_order import Axis, DiscardOrder

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["DPrime", "d_prime_curve", "mean_score_curve"]

DPrime: TypeAlias = Literal["schlett2023", "usual"]
"""Over √(σ²_n + σ²_m) as in Eq. 3, or over √((σ²_n + σ²_m)/2), which is √2 times as large."""


def mean_score_curve(
    order: DiscardOrder,
    *,
    mated: bool = True,
    dissimilarity: bool = False,
    interpolation: Interpolation = "step",
    axis: Axis = "comparisons",
) -> DiscardCurve:
    """Return the mean comparison score of the kept comparisons of one class (CS-DC).

    In the user's own scores: with `dissimilarity` they are turned back. For mated comparisons more similar is better,
    for non-mated ones less. Where no comparison is left the last mean is repeated.
    """
    if order.all_mated is not None:
        raise MatedError(
            "a mean comparison score needs an order of mated comparisons alone, or of non-mated ones alone"
        )
    scores = _finite(order)
    centre = float(scores.mean())
    left, total = _left(order, scores - centre, np.ones(len(scores), dtype=bool))
    kept = order.total - order.discarded
    mean = centre + total / np.maximum(left, 1)
    discard, value = end_held(order, -mean if dissimilarity else mean, kept > 0, axis)
    name = f"mean {'mated' if mated else 'non-mated'} {'dissimilarity' if dissimilarity else 'similarity'}"
    return DiscardCurve(
        discard, value, name, higher_is_better=mated != dissimilarity, interpolation=interpolation, axis=axis
    )


def d_prime_curve(
    order: DiscardOrder,
    *,
    convention: DPrime = "schlett2023",
    interpolation: Interpolation = "step",
    axis: Axis = "comparisons",
) -> DiscardCurve:
    """Return d′ of the kept comparisons of both classes (d′-DC, Eq. 3; Henniger et al. 2022).

        d′ = (μ_m − μ_n) / √(σ²_m + σ²_n)

    of similarities, which is the paper's (μ_n − μ_m) of dissimilarities; variances are those of the population. The
    usual d′ has half the sum under the root; both are offered by name. The curve ends where a class is empty or
    no score of either class varies.
    """
    if convention not in ("schlett2023", "usual"):
        raise MatedError(f"there is no d′ {convention!r}; give 'schlett2023' (Eq. 3) or 'usual'")
    if order.all_mated is None:
        raise MatedError("d′ needs an order of mated and non-mated comparisons together")
    scores = _finite(order)
    centred = scores - float(scores.mean())
    means, variances, present = [], [], np.ones(order.steps + 1, dtype=bool)
    for of_class in (order.all_mated, ~order.all_mated):
        left, mean, variance = _moments_left(order, centred, of_class)
        means.append(mean)
        variances.append(variance)
        present &= left > 0
    spread = np.sqrt(sum(variances) / (1 if convention == "schlett2023" else 2))
    defined = present & (spread > 0)
    value = np.divide(means[0] - means[1], spread, out=np.zeros_like(spread), where=defined)
    discard, value = end_held(order, value, defined, axis)
    name = "d′ (Schlett et al. 2023, Eq. 3)" if convention == "schlett2023" else "d′"
    return DiscardCurve(discard, value, name, higher_is_better=True, interpolation=interpolation, axis=axis)


def _finite(order: DiscardOrder) -> Floats:
    scores = order.all_scores.astype(np.float64)
    if infinite := int(np.count_nonzero(~np.isfinite(scores))):
        raise MatedError(f"means need finite scores, and {infinite} of {len(scores)} are infinite")
    return scores


def _left(order: DiscardOrder, values: Floats, flags: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Floats]:
    """Return how many flagged comparisons are left at the start and after each step, and the sum of their values.

    Sums are taken from the end: the few that are left last are not the small difference of two large sums.
    """
    counted = flags[order.position]
    gone = order.cumulated(counted)
    left = np.count_nonzero(flags) - gone
    return left, _sums_left(order, np.where(counted, values[order.position], 0.0), _rest(order, values, flags).sum())


def _sums_left(order: DiscardOrder, ordered: Floats, rest: float) -> Floats:
    """Return rest + what stays of values in discard order, at the start and after each step."""
    from_end = rest + np.cumsum(ordered[::-1])[::-1]
    return np.append(from_end, rest)[order.discarded]


def _rest(order: DiscardOrder, values: Any, flags: NDArray[np.bool_]) -> NDArray[Any]:
    """Return the values of flagged comparisons that are beyond the part in order."""
    if order.complete:
        return np.zeros(0)
    beyond = flags.copy()
    beyond[order.position] = False
    kept: NDArray[Any] = values[beyond]
    return kept


def _moments_left(
    order: DiscardOrder, values: Floats, flags: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return count, mean and population variance of the flagged comparisons left at the start and after each step.

    The squares grow from the end by Welford's rule, one comparison at a time: (x − mean of those after)² · n/(n + 1).
    """
    rest = _rest(order, values, flags)
    mine = np.flatnonzero(flags[order.position])[::-1]  # places in the order, from the end
    x = values[order.position[mine]]
    count = len(rest) + np.arange(len(x) + 1)
    sums = np.cumsum(np.concatenate([[rest.sum()], x]))
    mean = sums / np.maximum(count, 1)
    centre = float(rest.mean()) if len(rest) else 0.0
    start = float(((rest - centre) ** 2).sum())
    grown = (x - mean[:-1]) ** 2 * (count[:-1] / np.maximum(count[1:], 1))
    squares = np.cumsum(np.concatenate([[start], grown]))
    # Equal scores have no variance, whatever rounding left of it.
    ends = [rest.min(), rest.max()] if len(rest) else [np.inf, -np.inf]
    lowest = np.minimum.accumulate(np.concatenate([ends[:1], x]))
    highest = np.maximum.accumulate(np.concatenate([ends[1:], x]))
    squares[lowest == highest] = 0.0
    left = np.count_nonzero(flags) - order.cumulated(flags[order.position])
    place = left - len(rest)
    return left, mean[place], squares[place] / np.maximum(left, 1)
