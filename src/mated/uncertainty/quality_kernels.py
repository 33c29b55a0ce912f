"""Discard curves of replicates, compiled by Numba; import this module only where it is used.

Every kernel works on a block of replicates. `weight` has a row for each replicate: how often each unit (subject) was
drawn, and a last entry of one. Comparison p of units first[p] and second[p] is in a replicate as often as the product
of the two; a mated comparison is the pair of its unit and the last entry. Comparisons stand in discard order, `ends`
after each step, and a step that nobody of the replicate has part in does not exist there.

A kernel lays down the points of one replicate's curve and reads its area and its values on a grid off them, exactly as
`DiscardCurve` does. Kernels of curves return areas, values and how far the points went: in a replicate the order may
end before the limit, and then it has to be continued.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from mated.scores.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int32]
    Counts: TypeAlias = NDArray[np.int64]
    Weights: TypeAlias = NDArray[np.uint8]
    Number: TypeAlias = Any  # a scalar of an array: NumPy's types and Python's do not mix in annotations

__all__ = [
    "Order",
    "Reading",
    "d_prime_curves",
    "empty_results",
    "error_curves",
    "errors_up_to",
    "mean_curves",
    "nearest_cuts",
    "read_off",
    "samples_after",
    "samples_of",
    "times_drawn",
    "times_each",
    "weighted_sums",
]


class Order(NamedTuple):
    """Comparisons in discard order; with samples where the fraction is one of them.

    Attributes
    ----------
    sample
        Unit of each sample, lowest quality first; empty where the fraction is one of comparisons.
    sample_ends
        Samples discarded after each step.
    """

    first: Codes
    second: Codes
    ends: Counts
    sample: Codes
    sample_ends: Counts


class Reading(NamedTuple):
    """How a curve is read: up to which fraction, joined how, and at which fractions (ascending)."""

    limit: float
    linear: bool
    grid: Floats


@compiled
def times_drawn(row: Weights, first: Number, second: Number) -> int:
    """Return how often a comparison is in the replicate; small unsigned numbers would turn into floats."""
    return np.int64(row[first]) * np.int64(row[second])  # type: ignore[return-value]


@compiled
def times_each(drawn: NDArray[np.uint32], units: int) -> Weights:
    """Count how often each unit was drawn in each row; a last column of ones.

    More than 255 draws of one unit have a probability below 1/256!, and none with fewer units: they count as 255.
    """
    weight = np.zeros((len(drawn), units + 1), np.uint8)
    for b in range(len(drawn)):
        row = weight[b]
        row[units] = 1
        for unit in drawn[b]:
            if row[unit] < 255:
                row[unit] += 1
    return weight


@compiled
def weighted_sums(weight: Weights, first: Codes, second: Codes, amount: Floats) -> Floats:
    """Return Σ w·amount over pairs of units for each replicate (row) and each column of `amount`."""
    columns = amount.shape[1]
    result = np.zeros((len(weight), columns))
    for b in range(len(weight)):
        row = weight[b]
        for p in range(len(first)):
            times = times_drawn(row, first[p], second[p])
            if times:
                for c in range(columns):
                    result[b, c] += times * amount[p, c]
    return result


@compiled
def errors_up_to(weight: Weights, first: Codes, second: Codes, stop: int) -> Counts:
    """Return for each replicate how many of the first `stop` comparisons it holds."""
    result = np.zeros(len(weight), np.int64)
    for b in range(len(weight)):
        row = weight[b]
        reached = 0
        for p in range(stop):
            reached += times_drawn(row, first[p], second[p])
        result[b] = reached
    return result


@compiled
def nearest_cuts(
    weight: Weights, first: Codes, second: Codes, ends: Counts, total: Counts, part: int, whole: int
) -> tuple[Counts, Counts]:
    """Return for each replicate how many groups of equal scores are errors, and how many comparisons that makes.

    Groups stand in the order in which a moving threshold makes errors of them. The share of errors is the one nearest
    to part/whole, the lower of two; it is neither none nor all, and where only that is left both results are 0.
    """
    cuts, errors = np.zeros(len(weight), np.int64), np.zeros(len(weight), np.int64)
    for b in range(len(weight)):
        row = weight[b]
        goal = part * total[b]
        start, reached = 0, 0
        cut, below = 0, 0  # the last one below the goal
        for k in range(len(ends)):
            for p in range(start, ends[k]):
                reached += times_drawn(row, first[p], second[p])
            start = ends[k]
            if reached * whole < goal:
                cut, below = k + 1, reached
                continue
            if reached < total[b] and not (below > 0 and goal - below * whole <= reached * whole - goal):
                cut, below = k + 1, reached
            break
        cuts[b], errors[b] = cut if below else 0, below
    return cuts, errors


@compiled
def empty_results(weight: Weights, reading: Reading) -> tuple[Floats, Floats, Floats]:
    """Return room for areas, values on the grid and the fraction of the last point; NaN where there is no curve."""
    size = len(weight)
    return np.full(size, np.nan), np.full((size, len(reading.grid)), np.nan), np.full(size, np.inf)


@compiled
def read_off(x: Floats, y: Floats, points: int, reading: Reading, values: Floats) -> float:
    """Return the area from 0 to the limit, and put the values on the grid; beyond the last point its value holds."""
    area, last = 0.0, points - 1
    for i in range(points):
        if x[i] >= reading.limit:
            break
        end = reading.limit if i == last else min(x[i + 1], reading.limit)
        width = end - x[i]
        area += y[i] * width
        if reading.linear and i < last:
            area += (y[i + 1] - y[i]) * width * width / (2 * (x[i + 1] - x[i]))
    i = 0
    for g in range(len(reading.grid)):
        at = reading.grid[g]
        while i < last and x[i + 1] <= at:
            i += 1
        values[g] = y[i]
        if reading.linear and i < last and at > x[i]:
            values[g] += (y[i + 1] - y[i]) * (at - x[i]) / (x[i + 1] - x[i])
    return area


@compiled
def samples_after(row: Weights, order: Order, step: int, passed: int, gone: int) -> int:
    """Return how many samples are discarded after a step, given those after an earlier one."""
    for s in range(passed, order.sample_ends[step]):
        gone += np.int64(row[order.sample[s]])  # type: ignore[assignment]
    return gone


@compiled
def samples_of(row: Weights, order: Order) -> int:
    """Return how many samples the replicate holds."""
    total = 0
    for s in range(len(order.sample)):
        total += np.int64(row[order.sample[s]])  # type: ignore[assignment]
    return total


@compiled
def error_curves(
    weight: Weights,
    order: Order,
    rank: Codes,
    cut: Counts,
    errors: Counts,
    total: Counts,
    over_all: bool,
    reading: Reading,
) -> tuple[Floats, Floats, Floats]:
    """Return areas and values of the error rate; comparison p is an error where rank[p] is below the cut."""
    area, values, reached = empty_results(weight, reading)
    x, y = np.zeros(len(order.ends) + 1), np.zeros(len(order.ends) + 1)
    by_samples = len(order.sample) > 0
    for b in range(len(weight)):
        if errors[b] <= 0:
            continue
        row, n, left, gone = weight[b], total[b], errors[b], 0
        start, samples, samples_gone = 0, 0, 0
        all_samples = samples_of(row, order) if by_samples else 1
        y[0] = left / n
        points = 1
        for k in range(len(order.ends)):
            times, wrong = 0, 0
            for p in range(start, order.ends[k]):
                w = times_drawn(row, order.first[p], order.second[p])
                times += w
                if rank[p] < cut[b]:
                    wrong += w
            start = order.ends[k]
            if times == 0:
                continue
            gone += times
            left -= wrong
            if by_samples:
                samples_gone = samples_after(row, order, k, samples, samples_gone)
                samples = order.sample_ends[k]
                x[points] = samples_gone / all_samples
            else:
                x[points] = gone / n
            if over_all:
                y[points] = left / n
            else:
                y[points] = left / (n - gone) if gone < n else y[points - 1]
            points += 1
            if x[points - 1] >= reading.limit:
                break
        area[b] = read_off(x, y, points, reading, values[b])
        reached[b] = x[points - 1]
    return area, values, reached


@compiled
def mean_curves(
    weight: Weights, order: Order, amount: Floats, sums: Floats, centre: float, reading: Reading
) -> tuple[Floats, Floats, Floats]:
    """Return areas and values of the mean of centre + amount; `sums` holds count and Σ w·amount of each replicate."""
    area, values, reached = empty_results(weight, reading)
    x, y = np.zeros(len(order.ends) + 1), np.zeros(len(order.ends) + 1)
    by_samples = len(order.sample) > 0
    for b in range(len(weight)):
        n, left = sums[b, 0], sums[b, 1]
        if n <= 0:
            continue
        row, gone = weight[b], 0
        start, samples, samples_gone = 0, 0, 0
        all_samples = samples_of(row, order) if by_samples else 1
        y[0] = centre + left / n
        points = 1
        for k in range(len(order.ends)):
            times = 0
            for p in range(start, order.ends[k]):
                w = times_drawn(row, order.first[p], order.second[p])
                times += w
                left -= w * amount[p]
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
            y[points] = centre + left / (n - gone) if gone < n else y[points - 1]
            points += 1
            if x[points - 1] >= reading.limit:
                break
        area[b] = read_off(x, y, points, reading, values[b])
        reached[b] = x[points - 1]
    return area, values, reached


@compiled
def _d_prime(sums: Floats, apart: float, share: float) -> float:
    """Return d′ from count, sum and squares of both classes about their means; NaN where there is none."""
    if sums[0] <= 0 or sums[3] <= 0:
        return np.nan
    mated, other = sums[1] / sums[0], sums[4] / sums[3]
    squares = sums[2] / sums[0] + sums[5] / sums[3]
    variance = squares - mated * mated - other * other
    if variance <= 1e-13 * squares:  # what rounding leaves of none
        return np.nan
    return (apart + mated - other) / np.sqrt(share * variance)  # type: ignore[no-any-return]


@compiled
def d_prime_curves(
    weight: Weights,
    order: Order,
    mated: NDArray[np.bool_],
    amount: Floats,
    sums: Floats,
    apart: float,
    share: float,
    reading: Reading,
) -> tuple[Floats, Floats, Floats]:
    """Return areas and values of d′.

    `amount` is each score less the mean of its class, `sums` count, sum and squares of both classes, mated first,
    `apart` the difference of the two means, `share` what the sum of variances is multiplied by.
    """
    area, values, reached = empty_results(weight, reading)
    x, y = np.zeros(len(order.ends) + 1), np.zeros(len(order.ends) + 1)
    by_samples = len(order.sample) > 0
    left = np.empty(6)
    for b in range(len(weight)):
        left[:] = sums[b]
        y[0] = _d_prime(left, apart, share)
        if np.isnan(y[0]):
            continue
        row, n, gone = weight[b], left[0] + left[3], 0
        start, samples, samples_gone = 0, 0, 0
        all_samples = samples_of(row, order) if by_samples else 1
        points = 1
        for k in range(len(order.ends)):
            times = 0
            for p in range(start, order.ends[k]):
                w = times_drawn(row, order.first[p], order.second[p])
                if w:
                    times += w
                    c = 0 if mated[p] else 3
                    left[c] -= w
                    left[c + 1] -= w * amount[p]
                    left[c + 2] -= w * amount[p] * amount[p]
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
            y[points] = _d_prime(left, apart, share)
            points += 1
            if np.isnan(y[points - 1]):
                y[points - 1] = y[points - 2]
                break
            if x[points - 1] >= reading.limit:
                break
        area[b] = read_off(x, y, points, reading, values[b])
        reached[b] = x[points - 1]
    return area, values, reached
