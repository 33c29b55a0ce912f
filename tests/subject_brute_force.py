"""Slow, obvious twins of the subject-level statistics: comparisons repeated by weight, double loops over pairs."""

from __future__ import annotations

import math

import numpy as np

from mated.scores import Comparisons, Tally


def table(rows) -> Comparisons:
    """A table from (probe subject, reference subject, score)."""
    probe, reference, score = zip(*rows, strict=True)
    return Comparisons.from_arrays(score, probe_subject=probe, reference_subject=reference)


def expanded(rows, weight: dict[int, int]) -> tuple[list[float], list[float]]:
    """Repeat every mated score w_i times and every non-mated score w_i·w_j times."""
    mated, nonmated = [], []
    for probe, reference, score in rows:
        if probe == reference:
            mated += [score] * weight[probe]
        else:
            nonmated += [score] * (weight[probe] * weight[reference])
    return mated, nonmated


def replicate(rows, weight: dict[int, int], unit) -> Tally | None:
    """The tally of one replicate, None where a class is empty."""
    mated, nonmated = expanded(rows, weight)
    if not mated or not nonmated:
        return None
    return Tally.from_scores(mated, nonmated, unit="continuous" if unit is None else unit)


def korn_graubard_variance(errors, comparisons) -> float:
    """Σ((e − p·n)/n̄)² / (S(S − 1)), subject by subject."""
    subjects = len(errors)
    p = sum(errors) / sum(comparisons)
    mean = sum(comparisons) / subjects
    return sum(((e - p * n) / mean) ** 2 for e, n in zip(errors, comparisons, strict=True)) / (
        subjects * (subjects - 1)
    )


def residuals(false_matches, totals) -> np.ndarray:
    """The matrix K, pair by pair."""
    size = len(totals)
    pairs = [(i, j) for i in range(size) for j in range(i)]
    rate = sum(false_matches[i][j] for i, j in pairs) / sum(totals[i][j] for i, j in pairs)
    mean = sum(totals[i][j] for i, j in pairs) / len(pairs)
    k = np.zeros((size, size))
    for i, j in pairs:
        k[i, j] = k[j, i] = (false_matches[i][j] - rate * totals[i][j]) / mean
    return k


def pair_variances(k: np.ndarray) -> dict[str, float]:
    """V_u and V_row as they are written, without a floor, by loops."""
    s = len(k)
    rows = [sum(k[i][j] for j in range(s) if j != i) for i in range(s)]
    total = sum(rows)
    q = sum(k[i][j] ** 2 for i in range(s) for j in range(s))
    a = sum(r**2 for r in rows) - q
    mean = total / (s * (s - 1))
    v_u = mean**2 - (total**2 - 4 * a - 2 * q) / (s * (s - 1) * (s - 2) * (s - 3)) if s > 3 else math.nan
    v_row = 4 * sum((r / (s - 1) - mean) ** 2 for r in rows) / (s * (s - 1))
    return {"u": v_u, "row": v_row, "mid": (v_u + v_row) / 2}
