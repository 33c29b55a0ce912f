"""Findings as plain numbers and texts, for `mated report --json`; the keys are documented in docs/how-to/report.md."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mated.report.findings import Findings, GroupFindings, SystemFindings

__all__ = ["findings_dictionary"]


def findings_dictionary(findings: Findings) -> dict[str, Any]:
    """Return everything in a report; within systems stand the dictionaries of the results."""
    f = findings
    return {
        "title": f.title,
        "notes": f.notes,
        "level": f.level,
        "claims": [asdict(claim) for claim in f.claims],
        "systems": {name: _system(system) for name, system in f.systems.items()},
        "comparison": None if f.comparison is None else f.comparison.to_dict(),
        "quality": {name: made.to_dict() for name, made in f.quality.items()},
        "left_out": [{"section": section, "reason": reason} for section, reason in f.left_out],
        "inputs": [asdict(entry) for entry in f.inputs],
        "provenance": {**asdict(f.provenance), "packages": dict(f.provenance.packages)},
    }


def _system(system: SystemFindings) -> dict[str, Any]:
    s = system
    return {
        "verification": (s.verification if s.bootstrap is None else s.bootstrap).to_dict(),
        "groups": [_groups(grouping) for grouping in s.groups],
        "identification": None if s.identification is None else s.identification.to_dict(),
        "prediction": None if s.prediction is None else s.prediction.to_dict(),
        "galleries_asked": list(s.galleries),
        "inputs": [asdict(entry) for entry in s.inputs],
        "notes": list(s.notes),
    }


def _groups(grouping: GroupFindings) -> dict[str, Any]:
    across = [
        {"fmr": target, "probe": probe, "reference": reference, "errors": errors, "nonmated": n}
        for target, probes in grouping.across.items()
        for probe, references in probes.items()
        for reference, (errors, n) in references.items()
    ]
    return {
        "columns": list(grouping.columns),
        "members": {name: grouping.bootstraps.get(name, member).to_dict() for name, member in grouping.members.items()},
        "across": across,
        "notes": list(grouping.members.notes),
    }
