"""Intervals as plain numbers and texts, for JSON; the keys are documented in docs/reference/json.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mated.evaluation.attempts import attempt_entries
from mated.uncertainty.cautions import joined

if TYPE_CHECKING:
    from mated.evaluation.bootstrap import Bootstrap

__all__ = ["bootstrap_dictionary"]


def bootstrap_dictionary(bootstrap: Bootstrap) -> dict[str, Any]:
    """Return the dictionary of the verification with every interval filled in."""
    v = bootstrap.verification
    result = v.to_dict()
    eer = bootstrap.eer()
    result["eer"] |= {
        "se": eer.eer.se,
        "low": eer.eer.low,
        "high": eer.eer.high,
        "normal": None if eer.eer.normal is None else list(eer.eer.normal),
        "method": eer.eer.method,
        "threshold_low": eer.threshold_low,
        "threshold_high": eer.threshold_high,
        "coefficient_of_variation": eer.coefficient_of_variation,
        "systematic_to_statistical": eer.systematic_to_statistical,
        "caution": joined(result["eer"]["caution"], eer.eer.caution),
    }
    for entry, at in zip(result["at_fmr"], bootstrap.at_fmrs(v.fmr_targets), strict=True):
        entry |= at.tmr.entries("tmr") | {"fnmr_low": at.fnmr.low, "fnmr_high": at.fnmr.high}
        entry |= {"threshold_low": at.threshold_low, "threshold_high": at.threshold_high}
        entry["caution"] = joined(entry["caution"], at.fnmr.caution)
    for entry, rate in zip(result["at_tmr"], map(bootstrap.at_tmr, v.points.tmr), strict=True):
        entry |= rate.fmr.entries("fmr")
        entry |= {"threshold_low": rate.threshold_low, "threshold_high": rate.threshold_high}
        entry["caution"] = joined(entry["caution"], rate.fmr.caution)
    for entry, both in zip(result["at_threshold"], bootstrap.at_thresholds(v.points.threshold), strict=True):
        entry |= both.fmr.entries("fmr") | both.tmr.entries("tmr")
        entry |= {"fnmr_low": both.fnmr.low, "fnmr_high": both.fnmr.high}
        entry["caution"] = joined(entry["caution"], both.fmr.caution, both.fnmr.caution)
    area = bootstrap.auc()
    result["with_failures"] = attempt_entries(v, bootstrap.attempts)
    result["auc"] |= {"se": area.se, "low": area.low, "high": area.high, "method": area.method}
    if v.streaming is not None:
        result["streaming"] = v.streaming.to_dict(by_subject=bootstrap.by_subject)
    result["uncertainty"] = {
        "method": "subject-level" if bootstrap.by_subject else "independent comparisons",
        "intervals": bootstrap.intervals,
        "replicates": bootstrap.resampling.replicates,
        "level": bootstrap.level,
        "seed": bootstrap.resampling.seed,
        "caution": bootstrap.presumption,
    }
    return result
