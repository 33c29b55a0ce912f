"""Slow, obvious twins of the discard curves: comparisons are discarded by hand and what is left is counted again.

Nothing here imports the package. Rates, fractions and areas are exact.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import NamedTuple

import brute_force


class Row(NamedTuple):
    """A comparison: its pair quality, its score, and whether it is mated."""

    quality: float
    score: float
    mated: bool = True


Points = list[tuple[Fraction, Fraction]]


def pair_quality(rule: str, a: float, b: float) -> float:
    return {
        "minimum": min(a, b),
        "maximum": max(a, b),
        "mean": (a + b) / 2,
        "product": a * b,
        "geometric mean": math.sqrt(a) * math.sqrt(b) if min(a, b) >= 0 else math.nan,
    }[rule]


def kept_by_step(rows: list[Row]) -> list[tuple[float | None, list[Row]]]:
    """(highest quality discarded, comparisons kept) with nothing discarded and after each distinct quality."""
    levels = sorted({row.quality for row in rows})
    return [(None, rows)] + [(level, [row for row in rows if row.quality > level]) for level in levels]


def kept_by_samples(pairs: list[tuple[int, int]], quality: dict[int, float], level: float) -> list[int]:
    """Positions of the comparisons that stay when every sample at or below a quality is thrown away."""
    thrown = {sample for sample, value in quality.items() if value <= level}
    return [i for i, (a, b) in enumerate(pairs) if a not in thrown and b not in thrown]


def is_error(score: float, threshold: float, kind: str) -> bool:
    return score < threshold if kind == "fnm" else score >= threshold


def starting_errors(scores: list[float], kind: str) -> dict[int, float]:
    """Number of errors → highest observed score that gives it, without none and all."""
    found = {}
    for threshold in sorted(set(scores)):
        errors = sum(is_error(s, threshold, kind) for s in scores)
        if 0 < errors < len(scores):
            found[errors] = threshold
    return found


def error_points(rows: list[Row], threshold: float, kind: str, among: str) -> Points:
    """Discard fraction and error rate at each step; where none is kept the last rate is repeated."""
    points: Points = []
    for _, kept in kept_by_step(rows):
        errors = sum(is_error(row.score, threshold, kind) for row in kept)
        left = len(rows) if among == "all" else len(kept)
        value = Fraction(errors, left) if left else points[-1][1]
        points.append((Fraction(len(rows) - len(kept), len(rows)), value))
    return points


def with_sample_axis(points: Points, rows: list[Row], samples: list[float]) -> Points:
    """The same values against the fraction of samples at or below the quality of the step."""
    levels = [level for level, _ in kept_by_step(rows)]
    return [
        (Fraction(0) if level is None else Fraction(sum(q <= level for q in samples), len(samples)), value)
        for level, (_, value) in zip(levels, points, strict=True)
    ]


def read(points: Points, x: Fraction, interpolation: str) -> Fraction:
    if interpolation == "step":
        return [value for discard, value in points if discard <= x][-1]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    raise AssertionError("outside the curve")


def area(points: Points, low: Fraction, high: Fraction, interpolation: str) -> Fraction:
    """Rectangles or trapezia between neighbouring points, cut at both ends."""
    total = Fraction(0)
    for (x0, y0), (x1, _) in itertools.pairwise(points):
        a, b = max(x0, low), min(x1, high)
        if a >= b:
            continue
        if interpolation == "step":
            total += y0 * (b - a)
        else:
            total += (read(points, a, "linear") + read(points, b, "linear")) / 2 * (b - a)
    return total


def area_between(one: Points, other: Points, low: Fraction, high: Fraction, interpolation: str) -> Fraction:
    """∫|f − g|: edges at all points of both, and where straight lines cross."""
    edges = sorted({low, high} | {x for x, _ in one + other if low < x < high})
    total = Fraction(0)
    for a, b in itertools.pairwise(edges):
        if interpolation == "step":
            total += abs(read(one, a, "step") - read(other, a, "step")) * (b - a)
            continue
        left, right = (read(one, x, "linear") - read(other, x, "linear") for x in (a, b))
        if left * right < 0:
            middle = a + (b - a) * left / (left - right)
            total += (abs(left) * (middle - a) + abs(right) * (b - middle)) / 2
        else:
            total += (abs(left) + abs(right)) / 2 * (b - a)
    return total


def theoretical_best_area(start: Fraction, low: Fraction, high: Fraction) -> Fraction:
    return area([(Fraction(0), start), (start, Fraction(0)), (Fraction(1), Fraction(0))], low, high, "linear")


def mean_points(rows: list[Row]) -> Points:
    """Discard fraction and mean score of those kept, while there are any."""
    points: Points = []
    for _, kept in kept_by_step(rows):
        value = sum(Fraction(row.score) for row in kept) / len(kept) if kept else points[-1][1]
        points.append((Fraction(len(rows) - len(kept), len(rows)), value))
    return points


def d_prime(rows: list[Row]) -> float | None:
    """Eq. 3 of Schlett et al. (2023) from similarities; None where a class is empty or nothing varies."""
    moments = []
    for of_class in (True, False):
        scores = [Fraction(row.score) for row in rows if row.mated is of_class]
        if not scores:
            return None
        mean = sum(scores) / len(scores)
        moments.append((mean, sum((s - mean) ** 2 for s in scores) / len(scores)))
    (mated, spread_m), (nonmated, spread_n) = moments
    return float(mated - nonmated) / math.sqrt(spread_m + spread_n) if spread_m + spread_n else None


def fixed_counterpart(rows: list[Row], rate: Fraction, fixed: str, rule: str) -> Fraction | None:
    """The other rate of the comparisons given, None where a class is empty."""
    mated, nonmated = ([row.score for row in rows if row.mated is c] for c in (True, False))
    if not mated or not nonmated:
        return None
    if rule == "interpolated":
        if fixed == "fmr":
            return 1 - brute_force.tmr_and_threshold_at_fmr(mated, nonmated, rate)[0]
        return brute_force.tmr_and_threshold_at_fmr(nonmated, mated, 1 - rate)[0]
    if fixed == "fmr":
        return brute_force.conservative(mated, nonmated, rate)
    thresholds = [*mated, *nonmated]
    return min(
        brute_force.rate_at_or_above(nonmated, t)
        for t in thresholds
        if 1 - brute_force.rate_at_or_above(mated, t) <= rate
    )


def relative_ranking(areas: list[Fraction]) -> list[Fraction]:
    low, high = min(areas), max(areas)
    return [(a - low) / (high - low) if high > low else Fraction(0) for a in areas]


def utility(rows: list[tuple[int, int, float, bool]], sample: int) -> float | None:
    """d′ of the comparisons that one sample takes part in, those with itself left out."""
    return d_prime([Row(0, score, mated) for a, b, score, mated in rows if sample in (a, b) and a != b])
