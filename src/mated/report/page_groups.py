"""Groups of people or conditions: their rates at the system's one threshold, and false matches across groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.report.explorer import default_target
from mated.report.figures.intervals import GroupRate, groups_figure
from mated.report.figures.style import MATED, NONMATED
from mated.report.numbers_in_words import between, count, level_words, number, one_in, percent, target
from mated.report.page_parts import (
    Cell,
    Figures,
    Notes,
    Paragraph,
    Part,
    Section,
    Subheading,
    Table,
)
from mated.uncertainty.cautions import joined

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mated.report.findings import Findings, GroupFindings, SystemFindings

__all__ = ["groups_section"]


def groups_section(findings: Findings) -> Section | None:
    """Say how the error rates differ between groups when all use one threshold."""
    grouped = [(s, g) for s in findings.systems.values() for g in s.groups]
    if not grouped:
        return None
    parts: list[Part] = [
        Paragraph(
            "All groups are judged at the same threshold, that of the whole system, as they would be in use. Where "
            "intervals overlap widely, the groups may not differ at all."
        )
    ]
    first_crossed = next((place for place, (_, g) in enumerate(grouped) if any(g.across.values())), None)
    for place, (s, g) in enumerate(grouped):
        parts += _one(findings, s, g, place, explained=place == first_crossed)
    return Section("groups", "Groups", parts)


def _one(findings: Findings, s: SystemFindings, g: GroupFindings, place: int, *, explained: bool) -> list[Part]:
    columns = ", ".join(g.columns)
    title = f"{s.name} by {columns}" if len(findings.systems) > 1 else f"By {columns}"
    f = default_target(s.verification)
    whole = s.verification.at_threshold(s.verification.at_fmr(f).threshold)
    level = findings.level
    rates: dict[str, list[GroupRate]] = {"FMR": [], "FNMR": []}
    for name, member in g.members.items():
        b = g.bootstraps.get(name)
        if b is None:
            point = member.at_threshold(whole.threshold)
            rates["FMR"].append(GroupRate(name, point.fmr, None, None))
            rates["FNMR"].append(GroupRate(name, point.fnmr, None, None))
        else:
            e = b.at_threshold(whole.threshold)
            rates["FMR"].append(GroupRate(name, e.fmr.value, e.fmr.low, e.fmr.high))
            rates["FNMR"].append(GroupRate(name, e.fnmr.value, e.fnmr.low, e.fnmr.high))
    drawn = {
        f"groups-{place}-fnmr": groups_figure(rates["FNMR"], "False non-match rate", s.name, whole.fnmr, MATED, level),
        f"groups-{place}-fmr": groups_figure(rates["FMR"], "False match rate", s.name, whole.fmr, NONMATED, level),
    }
    parts: list[Part] = [
        Subheading(title),
        Paragraph(f"Threshold {number(whole.threshold)}, which gives {one_in(f)} over all groups together."),
        Figures(drawn),
        _table(s, g, level),
    ]
    crossed = [(rate, table) for rate, table in g.across.items() if table]
    parts += [_across(*one, explained=explained and k == 0) for k, one in enumerate(crossed)]
    if g.members.notes:
        parts.append(Notes(tuple(g.members.notes), "remark"))
    return parts


def _table(s: SystemFindings, g: GroupFindings, level: float) -> Table:
    rows, cautions = [], []
    targets = sorted(s.verification.fmr_targets, reverse=True)
    thresholds = [s.verification.at_fmr(f).threshold for f in targets]
    estimates = {name: b.at_thresholds(thresholds) for name, b in g.bootstraps.items()}
    for k, (f, threshold) in enumerate(zip(targets, thresholds, strict=True)):
        for name, member in g.members.items():
            point = member.at_threshold(threshold)
            e = estimates[name][k] if name in estimates else None
            rows.append(
                (
                    Cell(name, "name"),
                    Cell(count(member.n_subjects)),
                    Cell(number(threshold), small=f"FMR {target(f)}"),
                    Cell(percent(point.fmr), small=_of(point.errors_nonmated, member.tally.n_nonmated)),
                    Cell("–" if e is None else between(e.fmr.low, e.fmr.high)),
                    Cell(percent(point.fnmr), small=_of(point.errors_mated, member.tally.n_mated)),
                    Cell("–" if e is None else between(e.fnmr.low, e.fnmr.high)),
                )
            )
            own = () if e is None else (e.fmr.caution, e.fnmr.caution)
            cautions.append(joined(point.caution, *own))
    words = f"{level_words(level)} interval"
    head = ("Group", "People", "Threshold", "FMR", words, "FNMR", words)
    return Table(f"{s.name}: error rates by group at the system's thresholds", head, rows, cautions)


def _across(rate: float, table: Mapping[str, Mapping[str, tuple[int, int]]], *, explained: bool) -> Table:
    references = list(dict.fromkeys(name for row in table.values() for name in row))
    rates = [errors / n for row in table.values() for errors, n in row.values() if n]
    highest = max(rates, default=0.0) or 1.0
    rows = []
    for probe, row in table.items():
        cells = [Cell(probe, "name")]
        for reference in references:
            errors, n = row.get(reference, (0, 0))
            if not n:
                cells.append(Cell("–"))
                continue
            cells.append(Cell(percent(errors / n), share=errors / n / highest, small=_of(errors, n)))
        rows.append(tuple(cells))
    note = "False matches and non-mated comparisons below each rate; the darker, the higher the rate."
    note = note if explained else ""  # once a page is enough
    head = ("Probe group ↓ reference group →", *references)
    return Table(
        f"False match rate within and across groups, at the threshold of {one_in(rate)}", head, rows, note=note,
        compact=True,
    )  # fmt: skip


def _of(errors: int, comparisons: int) -> str:
    return f"{count(errors)} of {count(comparisons)}"
