"""What an open-set search of a gallery of N would do, forecast from the false match rates of single probes.

With threshold T and candidate lists of length R, and individual false match rates FMR(T|ω) and FMR(s|ω):

    FPIR(N, T)    = mean over probes of 1 − (1 − FMR(T|ω))^N
    FNIR(N, T, R) = mean over mated scores s of 1 − [s ≥ T]·P(Binomial(N − 1, FMR(s|ω)) ≤ R − 1)

each subject with the same weight. N counts the identities enrolled, for FNIR the mate among them. The rate of one
threshold for all, 1 − (1 − FMR(T))^N with the global FMR, is too high where people differ: the few who are easily taken
for others raise the mean of FMR more than the mean of FPIR.

The rates of probes come from their own scores (`EmpiricalRates`), where N times them is resolved, or from the tail
model (`TailModel`) beyond. Thresholds go in and come out as similarities; `Tally.from_user` and `Tally.to_user`
translate.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, inf, isfinite
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.identification.cmc import as_ranks
from mated.identification.rank_law import as_gallery_size
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mated.identification.individual_rates import IndividualRates

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["OpenSetForecast", "forecast_at_fpir", "forecast_at_threshold", "forecast_curve", "threshold_at_fpir"]

_STEPS = 400


@dataclass(frozen=True)
class OpenSetForecast:
    """Both error rates of a search, forecast for one threshold.

    Attributes
    ----------
    threshold
        A similarity.
    rank
        Length of the candidate list, None for no limit.
    fpir, fnir
        The rates forecast.
    target
        The FPIR asked for, where the threshold was chosen by one.
    caution
        What the data cannot support, in words.
    """

    gallery_size: int
    threshold: float
    rank: int | None
    fpir: float
    fnir: float
    target: float | None = None
    caution: str | None = None


def forecast_at_threshold(
    rates: IndividualRates, gallery_size: float, threshold: float, rank: int | None = 1, *, factor: float = 1.0
) -> OpenSetForecast:
    """Forecast both rates at a threshold; `factor` multiplies the false match rates, to show an error in them."""
    size, at = as_gallery_size(gallery_size), _threshold(threshold)
    return OpenSetForecast(
        size, at, rank, _fpir(rates, size, at, factor), float(_fnir(rates, size, [at], rank, factor)[0])
    )


def forecast_at_fpir(
    rates: IndividualRates, gallery_size: float, fpir: float, rank: int | None = 1, *, factor: float = 1.0
) -> OpenSetForecast:
    """Forecast both rates at the smallest threshold whose forecast FPIR does not exceed a target."""
    size = as_gallery_size(gallery_size)
    at = threshold_at_fpir(rates, size, fpir, factor=factor)
    reached = _fpir(rates, size, at, factor)
    caution = None
    if reached == 0:
        caution = (
            f"no threshold that a non-mated score reaches has an FPIR of {fpir:g} or less: the scores do not resolve it"
        )
    missed = float(_fnir(rates, size, [at], rank, factor)[0])
    return OpenSetForecast(size, at, rank, reached, missed, float(fpir), caution)


def forecast_curve(
    rates: IndividualRates, gallery_size: float, rank: int | None = 1, *, points: int = 100
) -> tuple[Floats, Floats, Floats]:
    """Return thresholds, ascending, with FPIR and FNIR at each: the forecast of the FPIR–FNIR curve.

    Thresholds are quantiles of the mated scores, so that FNIR falls in even steps, and the lowest and the highest one.
    """
    if points < 2:
        raise MatedError(f"a curve has two points or more, not {points}")
    size = as_gallery_size(gallery_size)
    scores = np.sort(rates.mated_score[np.isfinite(rates.mated_score)])
    if not len(scores):
        raise MatedError("no mated score is finite, so there is no threshold to draw a curve at")
    at = np.unique(scores[np.linspace(0, len(scores) - 1, points).astype(np.int64)])
    fpir = np.array([_fpir(rates, size, threshold, 1.0) for threshold in at.tolist()])
    return at, fpir, _fnir(rates, size, at.tolist(), rank, 1.0)


def threshold_at_fpir(rates: IndividualRates, gallery_size: float, fpir: float, *, factor: float = 1.0) -> float:
    """Return the smallest threshold whose forecast FPIR does not exceed a target, to about twelve digits.

    FPIR falls as the threshold rises, so the threshold is found by bisection; in a scoring system of whole steps it is
    the next step up. From single scores FPIR is a staircase, and the threshold lies just above the highest score that
    lets in too many.
    """
    target = float(exact_rate(fpir, "an FPIR"))
    size = as_gallery_size(gallery_size)
    finite = rates.mated_score[np.isfinite(rates.mated_score)]
    low = high = float(np.median(finite)) if len(finite) else 0.0
    step = max(float(np.ptp(finite)) if len(finite) else 0.0, abs(low) * 1e-6, 1e-6)
    while _fpir(rates, size, high, factor) > target:
        low, high, step = high, high + step, step * 2
        if not isfinite(high):
            raise MatedError(f"no finite threshold has a forecast FPIR of {fpir} in a gallery of {size}")
    while low == high or _fpir(rates, size, low, factor) <= target:
        low, step = low - step, step * 2
        if not isfinite(low):
            return -inf
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if not low < middle < high or high - low <= 1e-13 * max(abs(low), abs(high)):
            break
        if _fpir(rates, size, middle, factor) > target:
            low = middle
        else:
            high = middle
    unit = rates.score_unit
    if unit is None:
        return high
    steps = floor(Fraction(high) / unit)
    while _fpir(rates, size, float(steps * unit), factor) > target:
        steps += 1
    return float(steps * unit)


def _fpir(rates: IndividualRates, size: int, threshold: float, factor: float) -> float:
    rate = np.minimum(rates.fmr_at(threshold) * factor, 1.0)
    with np.errstate(divide="ignore"):
        return float(rates.probe_weight @ -np.expm1(size * np.log1p(-rate)))


def _fnir(rates: IndividualRates, size: int, thresholds: Sequence[float], rank: int | None, factor: float) -> Floats:
    """Return FNIR at each threshold: sums over the mated scores from the highest down."""
    found = rates.mated_weight.copy()
    if rank is not None:
        limit = int(as_ranks(rank, size))
        if limit < size:
            from scipy.special import betaincc

            found *= betaincc(limit, size - limit, np.minimum(rates.mated_fmr * factor, 1.0))
    order = np.argsort(rates.mated_score)
    from_top = np.append(np.cumsum(found[order][::-1])[::-1], 0.0)
    place = np.searchsorted(rates.mated_score[order], thresholds)
    missed: Floats = np.clip(1 - from_top[place], 0.0, 1.0)
    return missed


def _threshold(threshold: float) -> float:
    try:
        value = float(threshold)
    except (TypeError, ValueError):
        value = float("nan")
    if np.isnan(value):
        raise MatedError(f"a threshold must be a number, and {threshold!r} is none")
    return value
