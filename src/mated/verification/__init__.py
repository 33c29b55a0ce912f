"""Point estimates and curves of one-to-one comparison, computed from tallies alone."""

from __future__ import annotations

from mated.verification.costs import (
    DetectionCost,
    cllr,
    detection_cost,
    fvc_rates,
    half_total_error_rate,
    min_cllr,
)
from mated.verification.curves import DetCurve, RocCurve, det_curve, roc_curve
from mated.verification.eer import EqualErrorRate, equal_error_rate
from mated.verification.individual import IndividualRocs, RocFunction, average_roc, individual_rocs
from mated.verification.rates import AtFmr, AtThreshold, AtTmr, at_fmr, at_threshold, at_tmr, default_fmrs
from mated.verification.separation import area_under_roc, d_prime

__all__ = [
    "AtFmr",
    "AtThreshold",
    "AtTmr",
    "DetCurve",
    "DetectionCost",
    "EqualErrorRate",
    "IndividualRocs",
    "RocCurve",
    "RocFunction",
    "area_under_roc",
    "at_fmr",
    "at_threshold",
    "at_tmr",
    "average_roc",
    "cllr",
    "d_prime",
    "default_fmrs",
    "det_curve",
    "detection_cost",
    "equal_error_rate",
    "fvc_rates",
    "half_total_error_rate",
    "individual_rocs",
    "min_cllr",
    "roc_curve",
]
