"""Open-set errors of predicted galleries: at false positive identification rates, and at thresholds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.evaluation.prediction import OpenSetPrediction
from mated.uncertainty.binomial import FEW
from mated.uncertainty.cautions import joined

if TYPE_CHECKING:
    from mated.evaluation.predict import Predicting
    from mated.evaluation.prediction import GalleryPrediction
    from mated.uncertainty.open_set_forecast import OpenSetForecasts

__all__ = ["with_open_set", "within"]


def with_open_set(
    making: Predicting,
    galleries: tuple[GalleryPrediction, ...],
    fpirs: tuple[float, ...],
    thresholds: tuple[float, ...],
) -> tuple[GalleryPrediction, ...]:
    """Add the open-set errors to predicted galleries; replicates are drawn once for all that are made alike."""
    from mated.uncertainty.open_set_forecast import OpenSetPoint, forecast_open_sets, forecast_open_sets_empirically

    tally = making.v.tally
    asked: list[tuple[float | None, float | None]] = [(fpir, None) for fpir in fpirs]
    asked += [(None, threshold) for threshold in thresholds]
    drawing: dict[str, Any] = {
        "replicates": making.replicates or 2,
        "rng": making.seed,
        "progress": making.progress if making.replicates else None,
    }
    results: dict[int, tuple[OpenSetPrediction, ...]] = {}
    for resolved in (True, False):
        sizes = [g.gallery_size for g in galleries if making.resolution.resolves(g.gallery_size) is resolved]
        points = [
            OpenSetPoint(size, None if t is None else tally.from_user(t), fpir, making.length)
            for size in sizes
            for fpir, t in asked
        ]
        if not points:
            continue
        if resolved:
            found = iter(forecast_open_sets_empirically(making.own_rates, points, **drawing))
        else:
            found = iter(forecast_open_sets(making.probes, points, **drawing))
        for size in sizes:
            results[size] = tuple(
                _prediction(making, size, fpir, t, next(found), "empirical" if resolved else "tail")
                for fpir, t in asked
            )
    return tuple(replace(g, open_set=results[g.gallery_size]) for g in galleries)


def _prediction(
    making: Predicting,
    size: int,
    fpir: float | None,
    threshold: float | None,
    found: OpenSetForecasts,
    method: Literal["empirical", "tail"],
) -> OpenSetPrediction:
    point, tally = found.point, making.v.tally
    ends: dict[str, tuple[float | None, float | None]] = {}
    for key, replicates, value in (("fpir", found.fpir, point.fpir), ("fnir", found.fnir, point.fnir)):
        low, high = replicates.percentile_interval(making.level) if making.replicates else (None, None)
        ends[key] = (
            None if low is None else within(low, value),
            None if high is None else within(high, value, upper=True),
        )
    given = fpir is not None
    if method == "empirical" and not given and making.replicates:
        ends["fpir"] = (ends["fpir"][0], max(ends["fpir"][1] or 0.0, _fpir_bound(making, size, point.threshold)))
    highest_mated = float(tally.scores[tally.mated_at_or_above > 0][-1])
    return OpenSetPrediction(
        threshold=tally.to_user(point.threshold) if threshold is None else threshold,
        length=making.length,
        fpir=point.fpir,
        fnir=point.fnir,
        fpir_target=fpir,
        fpir_low=None if given else ends["fpir"][0],
        fpir_high=None if given else ends["fpir"][1],
        fnir_low=ends["fnir"][0],
        fnir_high=ends["fnir"][1],
        method=method,
        caution=joined(
            found.caution,
            "no mated score reaches the threshold" if point.threshold > highest_mated else None,
        ),
    )


def _fpir_bound(making: Predicting, size: int, inner: float) -> float:
    """Return an upper bound of FPIR where false matches at the threshold are too few for replicates to vary.

    That of everybody having the upper bound of the global FMR; 0 where there are enough.
    """
    from mated.uncertainty.cluster import rates_at_threshold

    fmr = rates_at_threshold(making.v.subject_pairs, inner, making.level)[0]
    return float(-np.expm1(size * np.log1p(-min(fmr.high, 1 - 1e-16)))) if fmr.errors < FEW else 0.0


def within(end: float, value: float, *, upper: bool = False) -> float:
    """Keep an interval's end between 0 and 1, and the value within the interval."""
    return float(min(1.0, max(end, value)) if upper else max(0.0, min(end, value)))
