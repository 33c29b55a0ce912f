"""The data: how many comparisons of how many people, what failed, and how the scores are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.report.figures.scores import scores_figure
from mated.report.numbers_in_words import count
from mated.report.page_parts import Cell, Figures, Notes, Paragraph, Part, Section, Table
from mated.report.plain_cautions import said_once
from mated.scores.unit import unit_name

if TYPE_CHECKING:
    from mated.report.findings import Findings

__all__ = ["data_section"]


def data_section(findings: Findings) -> Section:
    """Say what was compared."""
    rows = []
    for place, s in enumerate(findings.systems.values()):
        tally = s.verification.tally
        orientation = "lower is more alike" if tally.dissimilarity else "higher is more alike"
        rows.append(
            (
                Cell(s.name, "name", place),
                Cell(count(tally.n_mated)),
                Cell(count(tally.n_nonmated)),
                Cell(count(s.verification.n_subjects)),
                Cell(count(tally.mated_failures)),
                Cell(count(tally.nonmated_failures)),
                Cell(f"{unit_name(tally.unit)}; {orientation}", "text"),
            )
        )
    head = ("System", "Mated", "Non-mated", "People", "Failed, mated", "Failed, non-mated", "Scores")
    parts: list[Part] = [
        Paragraph(
            "A mated comparison is one of two samples of the same person, a non-mated comparison one of samples of two "
            "different people. A comparison that failed gave no score and is in no rate."
        ),
        Table("What was compared", head, tuple(rows)),
    ]
    figures = {
        f"scores-{place}": scores_figure(s.verification, s.name) for place, s in enumerate(findings.systems.values())
    }
    parts.append(Figures(figures))
    remarks = said_once(
        (
            (s.name, remark)
            for s in findings.systems.values()
            for remark in (*s.verification.remarks, *s.notes)
        ),
        len(findings.systems),
    )  # fmt: skip
    if remarks:
        parts.append(Notes(remarks, "remark", "About the input"))
    return Section("data", "Data", parts)
