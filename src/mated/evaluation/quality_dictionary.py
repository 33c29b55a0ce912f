"""A quality evaluation as plain numbers and texts, for JSON; the keys are documented in docs/reference/json.md."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.evaluation.quality_settings import CURVES
from mated.quality.reference_lines import area_under_theoretical_best
from mated.verification import at_fmr, equal_error_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mated.evaluation.quality_evaluation import QualityEvaluation
    from mated.quality.det_by_discard import QualityPart

__all__ = ["dictionary", "part_entries"]

_MOST_POINTS = 2000
_READ_AT = 1001


def dictionary(evaluation: QualityEvaluation) -> dict[str, Any]:
    """Return the dictionary of an evaluation."""
    e, s, c = evaluation, evaluation.settings, evaluation.comparisons
    start = e.starting if s.of_errors else None
    n_mated = int(np.count_nonzero(c.mated))
    result: dict[str, Any] = {
        "name": e.name,
        "type": s.type,
        "description": CURVES[s.type],
        "counts": {
            "mated": n_mated,
            "nonmated": len(c) - n_mated,
            "subjects": c.n_subjects,
            "comparisons_left_out": e.pairs.comparisons_left_out,
            "qualities_without_sample": e.pairs.qualities_without_sample,
        },
        "starting_error": None if start is None else start.value,
        "starting_error_asked": None if start is None else start.asked,
        "threshold": None if start is None else start.threshold,
        "errors": None if start is None else start.errors,
        "discard_limit": s.limit,
        "pair": e.pairs.function,
        "among": s.among if s.of_errors else None,
        "interpolation": s.interpolation,
        "axis": s.axis,
        "pauc_best": None if start is None else area_under_theoretical_best(start.value, s.limit),
        "pauc_constant": None if start is None else start.value * s.limit,
    }
    if s.type == "det":
        result["algorithms"] = {a: {"parts": part_entries(parts)} for a, parts in e.parts.items()}
        result |= {"pairs": [], "uncertainty": None, "notes": list(e.remarks)}
        return result
    result["algorithms"] = {r.algorithm: _without_name(asdict(r)) for r in e.results}
    result["pairs"] = [asdict(pair) for pair in e.pair_results]
    if s.type == "fc":
        result |= {"fixed": s.fixed, "rate": s.rate}
    result["uncertainty"] = _uncertainty(e)
    if s.curves:
        result["curves"] = {name: _curve(e, name) for name in e.ranking}
    if s.stability:
        result["stability"] = _stability(e)
    if s.scalars:
        result["scalars"] = e.scalars()
    result["notes"] = list(e.remarks)
    return result


def part_entries(parts: Sequence[QualityPart], fmr: float = 0.01) -> list[dict[str, Any]]:
    """Return the counts and error rates of the comparisons kept at several discard fractions."""
    return [
        {
            "discard": part.asked,
            "low": part.low,
            "high": part.high,
            "mated": part.tally.n_mated,
            "nonmated": part.tally.n_nonmated,
            "eer": equal_error_rate(part.tally).value,
            "fmr": fmr,
            "fnmr": at_fmr(part.tally, fmr).fnmr,
        }
        for part in parts
    ]


def _without_name(entry: dict[str, Any]) -> dict[str, Any]:
    entry.pop("algorithm")
    return entry


def _uncertainty(e: QualityEvaluation) -> dict[str, Any] | None:
    if not e.replicates:
        return None
    refound = e.settings.refind and e.settings.threshold is None
    return {
        "method": "percentile bootstrap, widened to hold t·se",
        "resampled": e.units.kind,
        "units": e.units.count,
        "threshold": None if not e.settings.of_errors else "found anew" if refound else "held",
        "replicates": e.replicates,
        "lost": e.draws.lost,
        "level": e.level,
        "seed": e.seed,
        "caution": e.caution,
    }


def _curve(e: QualityEvaluation, name: str) -> dict[str, Any]:
    """Return every step of a curve up to the limit, or its value at 1001 fractions where there are too many steps."""
    curve, limit = e.curves[name], e.settings.limit
    at = np.append(curve.discard[curve.discard < limit], limit)
    if len(at) > _MOST_POINTS:
        at = np.linspace(0.0, limit, _READ_AT)
    entry: dict[str, Any] = {"discard": at.tolist(), "value": np.asarray(curve(at)).tolist()}
    if e.replicates:
        band = e.band(name)
        entry["band"] = {"discard": band.discard.tolist(), "low": band.low.tolist(), "high": band.high.tolist()}
    return entry


def _stability(e: QualityEvaluation) -> dict[str, Any]:
    if len(e.algorithms) < 2:
        raise MatedError("ranking stability needs two quality algorithms or more, and there is one")
    grid = e.stability()
    return {
        "starting_errors": [start.value for start in grid.starting],
        "limits": grid.limits.tolist(),
        "divergence": grid.divergence().tolist(),
        "placements": {row.algorithm: _without_name(asdict(row)) for row in grid.statistics()},
    }
