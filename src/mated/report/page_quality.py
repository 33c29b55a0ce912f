"""Quality: which algorithm best tells which comparisons will go wrong, and how sure that order is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.report.figures.edc import edc_figure
from mated.report.numbers_in_words import count, level_words, number, percent, plural, share
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

if TYPE_CHECKING:
    from mated.evaluation import QualityEvaluation
    from mated.report.findings import Findings

__all__ = ["quality_section"]

_MOST_IN_A_MATRIX = 10


def quality_section(findings: Findings) -> Section | None:
    """Rank the quality algorithms by the errors of each system."""
    if not findings.quality:
        return None
    parts: list[Part] = [
        Paragraph(
            "A quality algorithm rates samples. Discarding the comparisons it rates poorest should remove errors: the "
            "smaller the area between its curve and the best possible one, the better it is."
        )
    ]
    for place, (name, e) in enumerate(findings.quality.items()):
        if len(findings.quality) > 1:
            parts.append(Subheading(f"Errors of {name}"))
        if e.settings.type == "det":
            parts.append(_det_table(e))
            continue
        parts += _one(e, f"edc-{place}")
    return Section("quality", "Quality", parts)


def _one(e: QualityEvaluation, anchor: str) -> list[Part]:
    parts: list[Part] = []
    if e.settings.of_errors:
        start = e.starting
        rate, kind = ("FNMR", "mated") if start.kind == "fnm" else ("FMR", "non-mated")
        parts.append(
            Paragraph(
                f"With nothing discarded the {rate} is {percent(start.value)}: "
                f"{plural(start.errors, 'error', 'errors')} in {count(start.comparisons)} {kind} comparisons at "
                f"threshold {number(start.threshold)}."
            )
        )
    cautions = [e.caution] if e.caution else []
    doubtful = [r.algorithm for r in e.results if r.against_random in ("not told apart", "worse")]
    if doubtful:
        cautions.append(f"no better than discarding at random, as far as these data tell: {', '.join(doubtful)}")
    if cautions:
        parts.append(Notes(tuple(cautions), "caution"))
    parts += [Figures({anchor: edc_figure(e)}), _ranking(e)]
    if e.replicates and 1 < len(e.algorithms) <= _MOST_IN_A_MATRIX:
        parts.append(_above(e))
    return parts


def _ranking(e: QualityEvaluation) -> Table:
    errors, sure, several = e.settings.of_errors, bool(e.replicates), len(e.algorithms) > 1
    words = f"{level_words(e.level)} interval"
    head = ["Algorithm", "Rank", *(["Area (pAUC)"] if errors else [])]
    head += ["Area above best" if errors else "Area", *([words] if sure else [])]
    head += ["Against random", *([words] if sure else [])] if errors else []
    head += ["Best of all"] if sure and several else []
    rows = []
    for r in e.results:
        if errors:
            area, low, high = r.pauc_above_best, r.above_best_low, r.above_best_high
        else:
            area, low, high = r.pauc, r.low, r.high
        cells = [Cell(r.algorithm, "name", list(e.curves).index(r.algorithm)), Cell(str(r.rank))]
        cells += [Cell(_digits(r.pauc), small=_span(r.low, r.high) if sure else "")] if errors else []
        cells.append(Cell(_digits(area)))
        cells += [Cell(_span(low, high))] if sure else []
        if errors:
            cells.append(Cell("–" if r.pauc_relative is None else f"{r.pauc_relative:.3f}"))
            cells += [Cell(_span(r.relative_low, r.relative_high))] if sure else []
        cells += [Cell(share(r.probability_best))] if sure and several else []
        rows.append(tuple(cells))
    note = ""
    if errors:
        note = (
            "Area (pAUC): under the curve up to there, of which some is the best possible curve's own. "
            "Against random: 0 is the best possible, 1 is discarding at random."
        )
    if sure and several:
        note += " Best of all: share of replicates in which no other algorithm does better."
    caption = f"Quality algorithms, best first, up to {100 * e.settings.limit:g}\u00a0% discarded"
    return Table(caption, tuple(head), rows, note=note.strip())


def _above(e: QualityEvaluation) -> Table:
    rows = []
    for one in e.ranking:
        cells = [Cell(one, "name", list(e.curves).index(one))]
        for other in e.ranking:
            value = None if one == other else e.draws.probability_above(one, other)
            cells.append(Cell(share(value), share=value))
        rows.append(tuple(cells))
    note = f"Share of {e.replicates} replicates in which the row does better than the column."
    return Table("How sure the order is", ("Row better than column", *e.ranking), rows, note=note, compact=True)


def _det_table(e: QualityEvaluation) -> Table:
    rows = [
        (
            Cell(name, "name", place),
            Cell(percent(part["discard"])),
            Cell(percent(part["eer"])),
            Cell(percent(part["fnmr"])),
        )
        for place, (name, entry) in enumerate(e.to_dict()["algorithms"].items())
        for part in entry["parts"]
    ]
    return Table("Error rates of what is kept", ("Algorithm", "Discarded", "EER", "FNMR at FMR 0.01"), tuple(rows))


def _digits(value: float | None) -> str:
    return "–" if value is None else f"{value:#.4g}"


def _span(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{low:#.3g}\u00a0to\u00a0{high:#.3g}"
