"""Discard curves of one rate where the other is held, in replicates; compiled by Numba, so import it where it is used.

Two Fenwick trees count the kept comparisons of both classes at each distinct score, from the highest down. The
conventions are those of `quality_kernels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.quality.fenwick_kernels import find, highest_bit, plant, take_away, up_to
from mated.scores.compiled import compiled
from mated.uncertainty.quality_kernels import empty_results, read_off, samples_after, samples_of, times_drawn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.uncertainty.quality_kernels import Order, Reading

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int32]
    Counts: TypeAlias = NDArray[np.int64]
    Weights: TypeAlias = NDArray[np.uint8]
    Number: TypeAlias = Any

__all__ = ["fixed_counterpart_curves"]


@compiled
def _other_rate(given: Counts, asked: Counts, n_given: Number, n_asked: Number, p: int, q: int, bit: int) -> float:
    """Return the share of the class asked that matches where a share p/q of the class given does, ties interpolated."""
    place, before = find(given, -(-n_given * p // q), bit)
    reached = up_to(given, place)
    above, at_or_above = up_to(asked, place - 1), up_to(asked, place)
    part = min(max((p / q * n_given - before) / max(reached - before, 1), 0.0), 1.0)
    return (above + (at_or_above - above) * part) / n_asked  # type: ignore[no-any-return]


@compiled
def fixed_counterpart_curves(
    weight: Weights,
    order: Order,
    rank: Codes,
    is_given: NDArray[np.bool_],
    all_first: Codes,
    all_second: Codes,
    all_rank: Codes,
    all_given: NDArray[np.bool_],
    scores: int,
    p: int,
    q: int,
    of_misses: bool,
    reading: Reading,
) -> tuple[Floats, Floats, Floats]:
    """Return areas and values of the rate asked where a share p/q of the class given matches.

    Ranks count the distinct scores from the highest, which is 1. `all_…` are those of every comparison, in any order.
    """
    area, values, reached = empty_results(weight, reading)
    x, y = np.zeros(len(order.ends) + 1), np.zeros(len(order.ends) + 1)
    by_samples = len(order.sample) > 0
    for b in range(len(weight)):
        row = weight[b]
        given, asked = np.zeros(scores + 1, np.int64), np.zeros(scores + 1, np.int64)
        n_given, n_asked = 0, 0
        for c in range(len(all_first)):
            w = times_drawn(row, all_first[c], all_second[c])
            if all_given[c]:
                given[all_rank[c]] += w
                n_given += w
            else:
                asked[all_rank[c]] += w
                n_asked += w
        if n_given == 0 or n_asked == 0:
            continue
        plant(given)
        plant(asked)
        bit = highest_bit(given)
        n, gone, start, samples, samples_gone = n_given + n_asked, 0, 0, 0, 0
        all_samples = samples_of(row, order) if by_samples else 1
        y[0] = _other_rate(given, asked, n_given, n_asked, p, q, bit)
        points = 1
        for k in range(len(order.ends)):
            times = 0
            for c in range(start, order.ends[k]):
                w = times_drawn(row, order.first[c], order.second[c])
                if w == 0:
                    continue
                times += w
                if is_given[c]:
                    take_away(given, rank[c], w)
                    n_given -= w
                else:
                    take_away(asked, rank[c], w)
                    n_asked -= w
            start = order.ends[k]
            if times == 0:
                continue
            gone += times
            if by_samples:
                samples_gone = samples_after(row, order, k, samples, samples_gone)
                samples = order.sample_ends[k]
                x[points] = samples_gone / all_samples
            else:
                x[points] = gone / n
            points += 1
            if n_given == 0 or n_asked == 0:
                y[points - 1] = y[points - 2]
                break
            y[points - 1] = _other_rate(given, asked, n_given, n_asked, p, q, bit)
            if x[points - 1] >= reading.limit:
                break
        for i in range(points):
            if of_misses:
                y[i] = 1 - y[i]
        area[b] = read_off(x, y, points, reading, values[b])
        reached[b] = x[points - 1]
    return area, values, reached
