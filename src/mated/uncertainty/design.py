"""The design of a test: which samples are compared, and how much less comparisons say that share subjects."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

from mated.errors import MatedError

__all__ = [
    "Design",
    "DesignEffect",
    "Rate",
    "check_design",
    "cluster_design_effect",
    "comparisons_of",
    "effect_at",
    "fewest_subjects",
    "pairwise_design_effect",
]

Rate: TypeAlias = Literal["fmr", "fnmr"]

Design: TypeAlias = Literal["all-pairs", "one-pair"]
"""Which samples are compared: every sample with every other, or one pair for each subject and pair of subjects."""

DesignEffect: TypeAlias = float | Callable[[int], float]
"""Comparisons that weigh as much as one independent comparison: a number, or a function of the number of subjects."""


def cluster_design_effect(comparisons_per_subject: float, correlation: float) -> float:
    """Return 1 + (k − 1)ρ: the design effect of k comparisons of each subject whose errors have correlation ρ.

    For mated comparisons: k = m(m − 1)/2 with m samples, all compared. Between 1 (ρ = 0) and k (ρ = 1, a subject's
    comparisons all say the same).

    Reference: Kish (1965).
    """
    _check_correlation(correlation)
    if not (math.isfinite(comparisons_per_subject) and comparisons_per_subject >= 1):
        raise MatedError(f"a subject has at least 1 comparison here, not {comparisons_per_subject}")
    return 1 + (comparisons_per_subject - 1) * correlation


def pairwise_design_effect(
    samples: int, *, shared: float, same: float = 0.0, design: Design = "all-pairs"
) -> Callable[[int], float]:
    """Return the design effect of non-mated comparisons as a function of the number of subjects.

    Formula: 1 + 2(S − 2)·k·ρ_shared + (k − 1)·ρ_same, where each pair of subjects has k comparisons (m² of m samples,
    or one), ρ_shared is the correlation of the errors of two comparisons with one subject in common and ρ_same that
    of two comparisons of the same two subjects. It grows with S without end: for large S the comparisons weigh no
    more than about S/(4·ρ_shared) independent ones, whatever m is.

    ρ_shared from a pilot of S₀ subjects with design effect D₀ is about (D₀ − 1 − (k − 1)·ρ_same)/(2(S₀ − 2)·k).
    """
    check_design(design, samples)
    for correlation in (shared, same):
        _check_correlation(correlation)
    each = samples**2 if design == "all-pairs" else 1
    return lambda subjects: 1 + 2 * max(subjects - 2, 0) * each * shared + (each - 1) * same


def comparisons_of(rate: Rate, subjects: int, samples: int, design: Design) -> int:
    """Return how many comparisons bear on a rate: mated ones for the FNMR, non-mated ones for the FMR."""
    if rate == "fnmr":
        return subjects * (samples * (samples - 1) // 2 if design == "all-pairs" else min(samples - 1, 1))
    return subjects * (subjects - 1) // 2 * (samples**2 if design == "all-pairs" else 1)


def fewest_subjects(rate: Rate, needed: int, samples: int, design: Design, effect: DesignEffect) -> int:
    """Return the fewest subjects whose comparisons weigh as much as `needed` independent ones."""

    def weight(subjects: int) -> float:
        return comparisons_of(rate, subjects, samples, design) / effect_at(effect, subjects)

    low, high = 1, 2
    while weight(high) < needed:
        low, high = high, 2 * high
        if high > 2**62:
            raise MatedError("with this design effect no number of subjects is enough")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if weight(middle) >= needed else (middle, high)
    return high


def effect_at(effect: DesignEffect, subjects: int) -> float:
    """Return the design effect for a number of subjects, or say that it is none."""
    value = effect(subjects) if callable(effect) else effect
    if not (math.isfinite(value) and value > 0):
        raise MatedError(f"a design effect is a positive number, 1 for independent comparisons, and {value} is none")
    return float(value)


def check_design(design: object, samples: object, subjects: object = 2) -> None:
    """Refuse designs that do not exist, and numbers of samples or subjects that make no test."""
    if design not in ("all-pairs", "one-pair"):
        raise MatedError(f"a design is 'all-pairs' or 'one-pair', not {design!r}")
    for value, least, what in ((subjects, 2, "subjects"), (samples, 1, "sample of each subject")):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise MatedError(f"a test needs at least {least} {what}, a whole number, and not {value!r}")


def _check_correlation(correlation: float) -> None:
    if not 0 <= correlation <= 1:
        raise MatedError(f"a correlation of errors lies between 0 and 1 here, and {correlation} does not")
