"""How the systems of a study are read: where they are read off, whole or in chunks, and what can be searched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mated.evaluation import Verification, verify
from mated.evaluation.verification import OperatingPoints
from mated.io import read
from mated.report.evaluate_claims import claims_about
from mated.scores import Comparisons, ScoreMatrix, Tally

if TYPE_CHECKING:
    from mated.io.quality_files import ReadQualities
    from mated.report.claims_grammar import Claim
    from mated.report.study import Study, SystemSpec

__all__ = ["points_of", "read_system", "renamed", "samples_known", "searches_of"]

_POINT_KEYS = ("fmr", "tmr", "threshold")


def points_of(study: Study, system: str) -> OperatingPoints:
    """Return where a system is read off: where the study says, and where claims about it do.

    Scores that are read in chunks are counted exactly at these points. Without false match rates in the study the data
    choose them, and those of claims are not among them.
    """
    asked = study.points
    claimed = {key: [c.at[key] for c in claims_about(study, system) if _is_point(c, key)] for key in _POINT_KEYS}
    fmr = None if asked.fmr is None else tuple(dict.fromkeys((*asked.fmr, *claimed["fmr"])))
    tmr, threshold = (tuple(dict.fromkeys((*getattr(asked, k), *claimed[k]))) for k in ("tmr", "threshold"))
    return OperatingPoints(fmr, tmr, threshold)


def _is_point(claim: Claim, key: str) -> bool:
    return key in claim.at and claim.measure in ("fmr", "fnmr", "tmr")


def read_system(spec: SystemSpec, points: OperatingPoints) -> Verification:
    """Read and count one system, in chunks where it is too large to be held."""
    source = spec.file
    if isinstance(source, Verification):
        return replace(source, name=spec.name, points=points)
    asked: dict[str, Any] = {
        "fmr": points.fmr,
        "tmr": points.tmr,
        "threshold": points.threshold,
        "symmetric": spec.symmetric,
        "fte": spec.fte,
        "fta": spec.fta,
        "name": spec.name,
    }
    if isinstance(source, Tally | Comparisons | ScoreMatrix):
        return verify(source, **asked)
    if isinstance(source, tuple) and len(source) == 2 and not isinstance(source[0], str | Path):
        return verify(*source, dissimilarity=spec.dissimilarity, unit=spec.unit, nan=spec.nan, **asked)
    reading = spec.reading()
    if any(name in reading for name in ("ids", "probe_ids", "reference_ids")):
        return verify(read(source, **reading), **asked)
    mated, nonmated = reading.pop("mated", source), reading.pop("nonmated", None)
    return verify(mated, nonmated, stream=spec.stream, **reading, **asked)


def samples_known(v: Verification) -> bool:
    """Say whether every probe and reference is named, so that there are searches."""
    if v.streaming is not None:
        return {"probe_subject", "reference_subject", "probe_sample", "reference_sample"} <= v.streaming.scan.knows
    if isinstance(v.layout, Comparisons):
        return v.layout.samples is not None and v.layout.subjects is not None
    return v.layout is not None


def searches_of(v: Verification) -> Any:
    """Return what is searched: the comparisons, or their ranks where they are read in chunks."""
    if v.streaming is None:
        return v.layout
    from mated.evaluation.identify import rank_scan

    return rank_scan(v.streaming.scan, symmetric=v.symmetric)


def renamed(name: str, made: ReadQualities) -> ReadQualities:
    """Call the algorithm of a named file by that name, and several by it and their own."""
    values = {(name if len(made.values) == 1 else f"{name}: {own}"): v for own, v in made.values.items()}
    return replace(made, values=values)
