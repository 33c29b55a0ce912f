"""The figures of a report for a paper: SVG and PDF from `mated.plots`, every file whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mated.evaluation import Verifications

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mated.report.findings import Findings, SystemFindings

__all__ = ["save_figures"]


def save_figures(findings: Findings, directory: str | Path, formats: Sequence[str] = ("svg", "pdf")) -> list[Path]:
    """Write every figure that the findings have numbers for, and return the files.

    Figures of all systems stand in the folder itself, those of groups and qualities in folders below it.
    """
    from mated.plots.identification import save_figures as save_searches
    from mated.plots.quality_evaluation import save_figures as save_qualities
    from mated.plots.save import check_formats, save_axes
    from mated.plots.verification import file_endings, save_comparison
    from mated.plots.verification import save_figures as save_verifications

    check_formats(formats)
    folder, systems = Path(directory), findings.systems
    endings = dict(zip(systems, file_endings(list(systems)), strict=True))
    sure = {name: s.bootstrap for name, s in systems.items() if s.bootstrap is not None}
    members = Verifications({name: s.verification for name, s in systems.items()})
    written = save_verifications(members, folder, formats, bootstraps=sure)
    for name, system in systems.items():
        folders = file_endings(["_".join(grouping.columns) for grouping in system.groups])
        for grouping, ending in zip(system.groups, folders, strict=True):
            below = folder / f"groups{ending}{endings[name] if len(systems) > 1 else ''}"
            sure_of_groups = grouping.bootstraps if len(grouping.bootstraps) == len(grouping.members) else None
            written += save_verifications(grouping.members, below, formats, bootstraps=sure_of_groups)
    if findings.comparison is not None and any(d.low is not None for d in findings.comparison.differences):
        written += save_comparison(findings.comparison, folder, formats)
    searched = {name: s.identification for name, s in systems.items() if s.identification is not None}
    if searched:
        written += save_searches(searched, folder, formats)
    for name, system in systems.items():
        if system.prediction is not None:
            drawn = system.prediction.plot(measured=_measured(system))
            written += save_axes(drawn, folder, "gallery" + (endings[name] if len(systems) > 1 else ""), formats)
    for name, made in findings.quality.items():
        below = folder / ("quality" + (endings[name] if len(findings.quality) > 1 else ""))
        written += save_qualities(made, below, formats)
    return written


def _measured(system: SystemFindings) -> list[tuple[float, float, float, float]]:
    """Return what the data's own gallery gave at the rank that the forecast shows."""
    found, made = system.identification, system.prediction
    if found is None or made is None or made.galleries[0].ranks[0] > found.ranks.gallery_size:
        return []
    e = found.at_rank(made.galleries[0].ranks[0])
    return [(found.ranks.gallery_size, e.value, e.low, e.high)]
