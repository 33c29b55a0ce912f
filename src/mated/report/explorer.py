"""The operating-point explorer: some two hundred thresholds of each system with all numbers written out beforehand.

The page looks numbers up and computes none. Each stop is a threshold that can be typed at the command line, and its
texts are those that `mated verify --threshold` prints there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.plots.normal_deviate import deviate
from mated.plots.score_axis import user_scores
from mated.report.numbers_in_words import between, count, exact, number, one_in, percent
from mated.uncertainty.cautions import joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mated.evaluation import Bootstrap, Verification
    from mated.evaluation.estimates import ThresholdEstimate
    from mated.report.figures.det import DetAxes
    from mated.report.figures.rates import RatesAxes
    from mated.report.figures.roc import RocAxes

__all__ = ["Stop", "SystemStops", "default_target", "explorer_stops", "stop_thresholds"]

_ALONG_THE_CURVE, _ALONG_THE_SCORES = 140, 40
_ROUND_DIGITS = 5


@dataclass(frozen=True)
class Stop:
    """One threshold with its texts, and where its markers stand.

    Attributes
    ----------
    threshold, typed
        The threshold, and how to type it so that exactly it is read.
    fmr, fmr_interval, fnmr, fnmr_interval, false_matches, false_nonmatches
        As printed.
    names
        What is special about it: "equal error rate", "one false match in 100".
    caution
        What the data cannot support there.
    roc, det, rates
        Places of its markers.
    """

    threshold: float
    typed: str
    shown: str
    fmr: str
    fmr_interval: str
    fnmr: str
    fnmr_interval: str
    false_matches: str
    false_nonmatches: str
    names: tuple[str, ...]
    caution: str | None
    roc: tuple[float, float]
    det: tuple[float, float]
    rates: tuple[float, float]

    def to_json(self) -> dict[str, Any]:
        """Return short keys for the page's script."""
        return {
            "x": float(f"{self.threshold:.12g}"),
            "t": self.shown,
            "typed": self.typed,
            "fmr": self.fmr,
            "fmrI": self.fmr_interval,
            "fm": self.false_matches,
            "fnmr": self.fnmr,
            "fnmrI": self.fnmr_interval,
            "fnm": self.false_nonmatches,
            "names": list(self.names),
            "caution": self.caution,
            **{key: [float(f"{v:.7g}") for v in getattr(self, key)] for key in ("roc", "det", "rates")},
        }


@dataclass(frozen=True)
class SystemStops:
    """The stops of one system in ascending order of the threshold, and where its named ones are."""

    name: str
    stops: tuple[Stop, ...]
    named: Mapping[str, int]
    start: int


def default_target(v: Verification) -> float:
    """Return the false match rate that the page speaks of first: 1e-3, or the lowest that is read off."""
    return 0.001 if 0.001 in v.fmr_targets else min(v.fmr_targets)


def stop_thresholds(v: Verification) -> list[float]:
    """Return thresholds for the slider, ascending: all that are reported, and others where the rates change.

    The others are spread evenly along the curve of both error rates on normal-deviate axes, and evenly over the
    scores. For continuous scores they are round numbers.
    """
    tally = v.tally
    chosen: set[float] = set(_named(v).values())
    for f in v.fmr_targets:
        chosen.add(float(v.at_fmr(f).threshold_conservative))
    chosen |= {float(t) for t in v.points.threshold} | {float(v.at_tmr(r).threshold) for r in v.points.tmr}
    fmr, fnmr = tally.nonmated_at_or_above / tally.n_nonmated, 1 - tally.mated_at_or_above / tally.n_mated
    # Half a comparison stands for none, so that zero has a place on the curve.
    across = deviate(np.clip(fmr, 0.5 / tally.n_nonmated, 1 - 0.5 / tally.n_nonmated))
    up = deviate(np.clip(fnmr, 0.5 / tally.n_mated, 1 - 0.5 / tally.n_mated))
    length = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(across)) + np.abs(np.diff(up)))])
    picked = np.searchsorted(length, np.linspace(0, length[-1], _ALONG_THE_CURVE))
    scores = [tally.to_user(float(s)) for s in tally.scores[np.minimum(picked, len(tally.scores) - 1)]]
    low, high = user_scores(tally).view()
    step = None if tally.unit is None else float(tally.unit)
    finite = [score for score in scores if np.isfinite(score)]
    for value in (*finite, *np.linspace(low, high, _ALONG_THE_SCORES).tolist()):
        rounded = _round(float(value), high - low) if step is None else float(f"{round(value / step) * step:.12g}")
        if low <= rounded <= high:
            chosen.add(rounded)
    return sorted(t + 0.0 for t in chosen if np.isfinite(t))


def explorer_stops(
    v: Verification, bootstrap: Bootstrap | None, roc: RocAxes, det: DetAxes, rates: RatesAxes
) -> SystemStops:
    """Write out every stop of a system."""
    names: dict[float, list[str]] = {}
    for name, threshold in _named(v).items():
        names.setdefault(threshold, []).append(name)
    thresholds = stop_thresholds(v)
    written = [_written(v, t) for t in thresholds]
    estimates: Sequence[ThresholdEstimate | None] = [None] * len(thresholds)
    if bootstrap is not None:
        estimates = bootstrap.at_thresholds(written)
    stops = tuple(
        _stop(v, estimate, t, tuple(names.get(t, ())), (roc, det, rates))
        for t, estimate in zip(thresholds, estimates, strict=True)
    )
    named = {name: place for place, stop in enumerate(stops) for name in stop.names}
    return SystemStops(v.name, stops, named, named.get(one_in(default_target(v)), len(stops) // 2))


def _named(v: Verification) -> dict[str, float]:
    named = {"equal error rate": float(v.eer().threshold)}
    return named | {one_in(f): float(v.at_fmr(f).threshold) for f in v.fmr_targets}


def _round(value: float, span: float) -> float:
    """Return a short number near a threshold, fine enough for the range of scores."""
    if span <= 0:
        return value
    decimals = _ROUND_DIGITS - 1 - int(np.floor(np.log10(span)))
    return float(f"{round(value, decimals):.10g}")


def _written(v: Verification, threshold: float) -> float:
    """Return a threshold as it would be typed: whole where scores come in whole steps."""
    return int(threshold) if v.tally.unit is not None and threshold == int(threshold) else threshold


def _stop(
    v: Verification,
    estimate: ThresholdEstimate | None,
    threshold: float,
    names: tuple[str, ...],
    axes: tuple[RocAxes, DetAxes, RatesAxes],
) -> Stop:
    written = _written(v, threshold)
    if estimate is None:
        point, fmr, fnmr, caution = v.at_threshold(written), "–", "–", None
    else:
        point = estimate.point
        fmr, fnmr = (between(e.low, e.high) for e in (estimate.fmr, estimate.fnmr))
        caution = joined(estimate.fmr.caution, estimate.fnmr.caution)
    roc, det, rates = axes
    return Stop(
        threshold,
        exact(written),
        number(written),
        percent(point.fmr),
        fmr,
        percent(point.fnmr),
        fnmr,
        count(point.errors_nonmated),
        count(point.errors_mated),
        names,
        joined(point.caution, caution),
        roc.place(point.fmr, point.tmr),
        det.place(point.fmr, point.fnmr),
        (rates.place(point.fmr), rates.place(point.fnmr)),
    )
