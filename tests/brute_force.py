"""Slow, obvious twins of the estimators: loops over comparisons and thresholds, in exact fractions.

Nothing here imports the package. Each function restates a definition in the plainest way.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

Scores = list[float]


def rate_at_or_above(scores: Scores, threshold: float) -> Fraction:
    return Fraction(sum(1 for s in scores if s >= threshold), len(scores))


def rate_above(scores: Scores, threshold: float) -> Fraction:
    return Fraction(sum(1 for s in scores if s > threshold), len(scores))


def rate_at(scores: Scores, threshold: float) -> Fraction:
    return Fraction(sum(1 for s in scores if s == threshold), len(scores))


def tmr_and_threshold_at_fmr(mated: Scores, nonmated: Scores, target: Fraction) -> tuple[Fraction, float]:
    """Wu (2008), Eqs. 5 and 6, trying every observed score from the top."""
    for t in sorted(set(mated + nonmated), reverse=True):
        if rate_above(nonmated, t) < target <= rate_at_or_above(nonmated, t):
            share = (target - rate_above(nonmated, t)) / rate_at(nonmated, t)
            return rate_above(mated, t) + rate_at(mated, t) * share, t
    raise AssertionError("every target in (0, 1] is reached by the lowest score")


def conservative(mated: Scores, nonmated: Scores, target: Fraction) -> Fraction:
    """Lowest FNMR of all thresholds (observed scores and one above them all) whose FMR is within the target."""
    thresholds = [*set(mated + nonmated), math.inf]
    candidates = [1 - rate_at_or_above(mated, t) for t in thresholds if rate_at_or_above(nonmated, t) <= target]
    if max(nonmated) == math.inf:  # a score of +inf matches at every threshold
        candidates.append(Fraction(1))
    return min(candidates)


def eer_wu2008(mated: Scores, nonmated: Scores, legitimate: list[float]) -> tuple[Fraction, Fraction, float, float]:
    """Wu (2008), Eqs. 8 and 9, at every legitimate score; returns EER, least difference, s1, s2."""
    errors = {s: (1 - rate_above(mated, s), rate_at_or_above(nonmated, s)) for s in legitimate}
    least = min(abs(e1 - e2) for e1, e2 in errors.values())
    at = sorted(s for s, (e1, e2) in errors.items() if abs(e1 - e2) == least)
    ends = [sum(errors[s]) / 2 for s in (at[0], at[-1])]
    return sum(ends) / 2, least, at[0], at[-1]


def _operating_points(mated: Scores, nonmated: Scores) -> list[tuple[Fraction, Fraction]]:
    """(FMR, FNMR) at every observed threshold, ascending, and at one that nothing reaches."""
    points = [(rate_at_or_above(nonmated, t), 1 - rate_at_or_above(mated, t)) for t in sorted(set(mated + nonmated))]
    return [*points, (Fraction(0), Fraction(1))]


def eer_nearest(mated: Scores, nonmated: Scores) -> Fraction:
    points = _operating_points(mated, nonmated)
    least = min(abs(a - b) for a, b in points)
    return [(a + b) / 2 for a, b in points if abs(a - b) == least][-1]


def eer_fvc2000(mated: Scores, nonmated: Scores) -> Fraction:
    points = _operating_points(mated, nonmated)
    t1 = [p for p in points if p[1] <= p[0]][-1]
    t2 = next(p for p in points if p[1] >= p[0])
    return min(sum(t1), sum(t2)) / 2


def _first_meeting_with_diagonal(points: list[tuple[Fraction, Fraction]]) -> Fraction:
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        d0, d1 = x0 - y0, x1 - y1
        if d0 >= 0 >= d1:
            return x0 if d0 == d1 else x0 + (x1 - x0) * d0 / (d0 - d1)
    raise AssertionError("the curve runs from (1, 0) to (0, 1)")


def eer_interpolated(mated: Scores, nonmated: Scores) -> Fraction:
    return _first_meeting_with_diagonal(_operating_points(mated, nonmated))


def lower_hull(points: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Lower convex hull by the monotone chain."""
    chain: list[tuple[Fraction, Fraction]] = []
    for p in sorted(set(points)):
        while len(chain) >= 2:
            (ax, ay), (bx, by) = chain[-2], chain[-1]
            if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0:
                break
            chain.pop()
        chain.append(p)
    return chain


def eer_rocch(mated: Scores, nonmated: Scores) -> Fraction:
    return _first_meeting_with_diagonal(lower_hull(_operating_points(mated, nonmated))[::-1])


def auc(mated: Scores, nonmated: Scores) -> Fraction:
    wins = sum((a > b) + Fraction(a == b) / 2 for a in mated for b in nonmated)
    return Fraction(wins) / (len(mated) * len(nonmated))


def min_detection_cost(mated: Scores, nonmated: Scores, miss: Fraction, false: Fraction) -> Fraction:
    costs = [miss * fnmr + false * fmr for fmr, fnmr in _operating_points(mated, nonmated)]
    return min(costs) / min(miss, false)


def cllr(mated: Scores, nonmated: Scores) -> float:
    misses = sum(math.log2(1 + math.exp(-s)) for s in mated) / len(mated)
    falses = sum(math.log2(1 + math.exp(s)) for s in nonmated) / len(nonmated)
    return (misses + falses) / 2


def min_cllr(mated: Scores, nonmated: Scores) -> float:
    """Cllr with every score replaced by the log of the slope of the hull's edge it lies on."""
    hull = lower_hull(_operating_points(mated, nonmated))
    total = 0.0
    for (x0, y0), (x1, y1) in itertools.pairwise(hull):
        nonmated_share, mated_share = x1 - x0, y0 - y1
        if mated_share and nonmated_share:
            ratio = float(mated_share / nonmated_share)
            total += float(mated_share) * math.log2(1 + 1 / ratio) + float(nonmated_share) * math.log2(1 + ratio)
    return total / 2


def individual_roc(mated: Scores, nonmated: Scores) -> list[tuple[Fraction, Fraction]]:
    """Veldhuis & Raja (2023), Eqs. 28 and 29, with the largest TMR kept at equal FMR."""
    best: dict[Fraction, Fraction] = {Fraction(0): Fraction(0), Fraction(1): Fraction(1)}
    for t in mated:
        x = rate_at_or_above(nonmated, t)
        best[x] = max(best.get(x, Fraction(0)), rate_at_or_above(mated, t))
    return sorted(best.items())
