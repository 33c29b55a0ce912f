"""Slow twins of the subject-level intervals at a threshold: pairs counted anew, every k of the maximum looked at."""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit, ndtri, stdtrit

from mated.uncertainty.binomial import FEW, clopper_pearson, jeffreys

if TYPE_CHECKING:
    from mated.scores.subject_pairs import SubjectPairs
    from mated.uncertainty.cluster import DesignEffects


def most_squares(sizes, amount) -> np.ndarray:
    """The greatest Σx² of 0 ≤ x ≤ sizes with the sum given: sizes sorted, the largest filled first."""
    ordered = np.sort(sizes)[::-1].astype(float)
    filled, squares = (np.append(0.0, np.cumsum(values)) for values in (ordered, ordered**2))
    full = np.searchsorted(filled, amount, side="right") - 1
    return squares[full] + (amount - filled[full]) ** 2


def least_filled(sizes, costs, amount) -> np.ndarray:
    """The least Σx·cost of such numbers: costs sorted, the lowest filled first."""
    order = np.argsort(costs, kind="stable")
    size = np.asarray(sizes)[order].astype(float)
    return np.interp(
        amount, np.append(0.0, np.cumsum(size)), np.append(0.0, np.cumsum(size * np.asarray(costs)[order]))
    )


class PairsAt:
    """M and N of every pair of subjects as matrices, at one threshold."""

    def __init__(self, pairs: SubjectPairs, threshold: float) -> None:
        size = pairs.n_subjects
        m, n = np.zeros((size, size), dtype=np.int64), np.zeros((size, size), dtype=np.int64)
        for first, second, score in zip(pairs.first, pairs.second, pairs.score, strict=True):
            m[first, second] += score >= threshold
        n[pairs.totals.entries[0], pairs.totals.entries[1]] = pairs.totals.entries[2]
        used = (n + n.T).sum(axis=0) > 0
        self.m, self.n = m[used][:, used], n[used][:, used]
        self.matches, self.trials = ((x + x.T).sum(axis=0) for x in (self.m, self.n))
        self.subjects, self.count, self.total = int(used.sum()), int(self.m.sum()), int(self.n.sum())
        first, second = np.nonzero(self.m)
        self.pair_m, self.pair_n = self.m[first, second], self.n[first, second]
        self.near_m = self.matches[first] + self.matches[second] - self.pair_m
        self.near_n = self.trials[first] + self.trials[second] - self.pair_n

    def largest_variance(self, k) -> np.ndarray:
        """The formula of the module with every sum over all pairs, for each number k of errors."""
        rate, s = k / self.total, float(self.subjects)
        shared = np.minimum(k**2, -least_filled(self.pair_m, -self.near_m, k))
        rows = np.minimum(most_squares(self.matches, 2 * k), shared + most_squares(self.pair_m, k))
        rows = rows - 2 * rate * least_filled(self.pair_m, self.near_n + self.pair_n, k)
        shared = shared - 2 * rate * least_filled(self.pair_m, self.near_n, k)
        of_subjects, of_pairs = (float((x.astype(float) ** 2).sum()) for x in (self.trials, self.n))
        rows, shared = rows + rate**2 * of_subjects, shared + rate**2 * (of_subjects - of_pairs)
        mean = self.total / (s * (s - 1) / 2)
        floor = rate * (1 - rate) / self.total
        rows, entries = np.maximum(rows, 0.0) / mean**2, 2 * (rows - shared) / mean**2
        of_rows = np.maximum(4 * rows / (s * (s - 1) ** 3), floor)
        return (np.maximum((4 * rows - 2 * entries) / (s * (s - 1) * (s - 2) * (s - 3)), floor) + of_rows) / 2


def fmr_upper_bound(pairs: SubjectPairs, threshold: float, level: float, effects: DesignEffects, alone: float) -> float:
    """The upper bound of FMR from ten errors and four subjects on; `alone` is that of the formula."""
    at = PairsAt(pairs, threshold)
    few = (FEW - 1, at.total)
    effect = effects.fmr or at.total / (at.subjects // 2)
    bunched = max(1.0, effects.fmr_bunched or 1.0)
    high = max(alone, clopper_pearson(few[0] / effect, few[1] / effect, level)[1])
    first = max(FEW, ceil(4 * bunched))
    if at.count < 4 * bunched:
        return high
    if first > FEW:
        high = max(high, jeffreys((first - 1) / bunched, at.total / bunched, level)[1])
    q = stdtrit(at.subjects - 1, (1 + level) / 2)
    for k in range(first, at.count):
        rate = k / at.total
        se = sqrt(at.largest_variance(np.array([float(k)]))[0])
        high = max(high, float(expit(logit(rate) + q * se / (rate * (1 - rate)))))
    return high


def fnmr_upper_bound(errors, comparisons, level: float, effect: float | None, alone: float) -> float:
    """The upper bound of FNMR from ten errors on; `alone` is that of the formula."""
    e, n = (np.asarray(values)[np.asarray(comparisons) > 0] for values in (errors, comparisons))
    subjects, total, count = len(n), int(n.sum()), int(e.sum())
    ratio = (ndtri((1 + level) / 2) / stdtrit(subjects - 1, (1 + level) / 2)) ** 2
    high = alone
    for k in range(FEW, count):
        at, rate = np.array([float(k)]), k / total
        squares = (
            most_squares(e, at) - 2 * rate * least_filled(e, n, at) + rate**2 * float((n.astype(float) ** 2).sum())
        )
        variance = max(float(squares[0]), 0.0) / (total / subjects) ** 2 / (subjects * (subjects - 1))
        trials = min(rate * (1 - rate) / variance if variance else total, total) * ratio
        high = max(high, clopper_pearson(rate * trials, trials, level)[1])
    same = float((e / n).min())
    if same * total >= FEW:
        high = max(high, clopper_pearson(same * subjects, subjects, level)[1])
    known = effect or total / subjects
    return max(high, clopper_pearson((FEW - 1) / known, total / known, level)[1])
