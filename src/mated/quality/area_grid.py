"""Partial areas for many starting errors and many discard limits at once, from one order of the comparisons.

The area up to a limit is a sum over the discarded errors alone. With E errors at the start, C of them discarded by
point j, and W the cumulated weight of a point's stretch over its denominator,

    Σ_{k<j} (E − C_k) w_k = (E − C_j) W_j + Σ W_{g(i)}   over the errors i discarded at points g(i) ≤ j,

so one histogram of the errors, by threshold and by limit, serves the whole grid. All terms are positive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.quality.curve import Interpolation, check_interpolation
from mated.quality.edc import Among, check_among, check_class
from mated.scores.discard_order import check_limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from mated.quality.starting_error import StartingError
    from mated.scores.discard_order import Axis, DiscardOrder

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["area_grid"]


def area_grid(
    order: DiscardOrder,
    starting: Sequence[StartingError],
    limits: ArrayLike,
    *,
    among: Among = "kept",
    interpolation: Interpolation = "step",
    axis: Axis = "comparisons",
) -> Floats:
    """Return the area under the error curve from 0 to each limit, a row for each starting error.

    Equal to `error_curve(order, starting).area(limit)` but for rounding.
    """
    check_among(among)
    check_interpolation(interpolation)
    highs = np.atleast_1d(np.asarray(limits, dtype=np.float64))
    for high in highs.tolist():
        check_limit(high)
    if len({start.kind for start in starting}) != 1:
        raise MatedError("a grid needs starting errors of one kind, at least one")
    for start in starting:
        check_class(order, start)
    points = _points(order, axis, among, interpolation)
    if highs.max() > points.fraction[-1]:
        raise MatedError(
            f"the order is known up to discard fraction {points.fraction[-1]:.6g}, and a limit of {highs.max():g} "
            "goes beyond it"
        )
    at = np.searchsorted(points.fraction, highs, side="right") - 1
    after = np.minimum(at + 1, len(points.fraction) - 1)
    edges = np.unique(np.concatenate([at, after]))
    gone, weight = _discarded_errors(order, starting, points, edges)
    place, place_after = np.searchsorted(edges, at), np.searchsorted(edges, after)
    errors = np.array([start.errors for start in starting])[:, None]
    left = errors - gone[:, place]
    whole = left * points.cumulated[at] + weight[:, place]
    beyond = highs - points.fraction[at]
    value = left / points.divisor[at]
    part = value * beyond
    if interpolation == "linear":
        width = points.fraction[after] - points.fraction[at]
        rise = (errors - gone[:, place_after]) / points.divisor[after] - value
        rise[:, points.held[after]] = 0.0
        part += rise * np.divide(beyond**2, 2 * width, out=np.zeros_like(width), where=width > 0)
    return np.asarray(whole + part)


class _Points(NamedTuple):
    """The points of a curve without their errors.

    Attributes
    ----------
    cumulated
        Weight of one error that is never discarded, from 0 to each point.
    before
        Weight of one error that is discarded at each point.
    held
        Whether the point repeats the value before it.
    """

    discarded: NDArray[np.int64]
    fraction: Floats
    divisor: NDArray[np.int64]
    held: NDArray[np.bool_]
    cumulated: Floats
    before: Floats


def _points(order: DiscardOrder, axis: Axis, among: Among, interpolation: Interpolation) -> _Points:
    discarded, fraction = order.discarded, order.fractions(axis)
    kept = order.total - discarded
    divisor = np.full_like(kept, order.total) if among == "all" else np.maximum(kept, 1)
    held = np.zeros(len(kept), dtype=bool) if among == "all" else kept == 0
    width = np.diff(fraction)
    if interpolation == "step":
        cumulated = np.concatenate([[0.0], np.cumsum(width / divisor[:-1])])
        return _Points(discarded, fraction, divisor, held, cumulated, cumulated)
    # Half the stretch belongs to the point at its left, half to that at its right, or all to the left one.
    to_right = np.where(held[1:], 0.0, width / 2)
    to_left = width - to_right
    own = np.concatenate([[0.0], to_right / divisor[1:]])
    cumulated = np.cumsum(own) + np.concatenate([[0.0], np.cumsum(to_left / divisor[:-1])])
    return _Points(discarded, fraction, divisor, held, cumulated, cumulated - own)


def _discarded_errors(
    order: DiscardOrder, starting: Sequence[StartingError], points: _Points, edges: NDArray[np.intp]
) -> tuple[NDArray[np.int64], Floats]:
    """Return how many errors are discarded up to each edge, and the sum of their weights, a row a starting error."""
    thresholds = np.array([start.inner for start in starting])
    ranked = np.argsort(thresholds, kind="stable")
    sizes = np.diff(points.discarded)[: int(edges[-1])]
    upto = int(points.discarded[edges[-1]])
    score = order.score[:upto]
    of_matches = starting[0].kind == "fm"
    wrong = np.flatnonzero(score >= thresholds.min() if of_matches else score < thresholds.max())
    # Thresholds that the comparison reaches: it is a false match at the first `cell`, a false non-match at the others.
    cell = np.searchsorted(thresholds[ranked], score[wrong], side="right")
    step = wrong if len(sizes) == upto else np.repeat(np.arange(len(sizes)), sizes)[wrong]
    stretch = np.searchsorted(edges, step + 1)
    bins = len(edges)
    index = cell * bins + stretch
    shape = (len(thresholds) + 1, bins)
    count = np.bincount(index, minlength=shape[0] * bins).reshape(shape)
    weight = np.bincount(index, weights=points.before[step + 1], minlength=shape[0] * bins).reshape(shape)
    results: list[NDArray[Any]] = []
    for table in (count, weight):
        by_edge = np.cumsum(table, axis=1)
        from_last, from_first = np.cumsum(by_edge[::-1], axis=0)[::-1][1:], np.cumsum(by_edge, axis=0)[:-1]
        results.append((from_last if of_matches else from_first)[np.argsort(ranked)])
    return results[0], results[1]
