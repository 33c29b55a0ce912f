"""Identification: ranks measured, open-set searches, and forecasts for other galleries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.report.figures.cmc import cmc_figure
from mated.report.figures.forecast import forecast_figure
from mated.report.figures.open_set import open_set_figure
from mated.report.numbers_in_words import between, count, level_words, number, percent
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
from mated.report.plain_cautions import of_a_forecast, said_once

if TYPE_CHECKING:
    from mated.evaluation import Identification, Prediction
    from mated.report.figures import FigureSpec
    from mated.report.findings import Findings

    Measured = dict[str, tuple[int, Identification]]
    Predicted = dict[str, tuple[int, Prediction]]

__all__ = ["identification_section"]

_TIES = {
    "expected": "the mean of the places they share counts",
    "pessimistic": "that person is put last among them",
    "optimistic": "that person is put first among them",
}
_RESTS_ON = {
    "hypergeometric": "counting",
    "step": "each person's own scores",
    "empirical": "each person's own scores",
    "tail": "a model",
}
_FORECAST = (
    "A forecast is for a gallery with one reference of each person, the one searched for among them. Searches measured "
    " with several references of a person find more people in a gallery of the same size, as the best reference "
    "counts."
)


def identification_section(findings: Findings) -> Section | None:
    """Say how often people are found among those enrolled, here and in other galleries."""
    placed = list(enumerate(findings.systems.items()))
    measured = {name: (k, s.identification) for k, (name, s) in placed if s.identification is not None}
    predicted = {name: (k, s.prediction) for k, (name, s) in placed if s.prediction is not None}
    if not measured and not predicted:
        return None
    parts: list[Part] = []
    if measured:
        parts += _measured(measured)
    if predicted:
        drawn = {"forecast": forecast_figure(predicted, measured)}
        tables = _forecast_tables(_asked(findings, predicted))
        parts += [Subheading("Forecast for other galleries"), Paragraph(_FORECAST), Figures(drawn), *tables]
    remarks = said_once(((name, remark) for name, (_, m) in measured.items() for remark in m.remarks), len(measured))
    if remarks:
        parts.append(Notes(remarks, "remark", "About the searches"))
    return Section("identification", "Identification", parts)


def _measured(measured: Measured) -> list[Part]:
    first = next(iter(measured.values()))[1]
    searched = {name: (k, m) for name, (k, m) in measured.items() if m.fpir_targets}
    figures: dict[str, FigureSpec] = {"cmc": cmc_figure(measured)}
    if searched:
        figures["open-set"] = open_set_figure(searched)
    tables = [_cmc_table(measured)]
    if any(m.fpir_targets or m.points.threshold for _, m in measured.values()):
        tables.append(_open_set_table(measured))
    return [
        Paragraph(
            "A search compares a probe with everybody in the gallery and lists the best candidates. Intervals are over "
            "the people who searched; the gallery is held as it is. Where others score the same as the right person, "
            f"{_TIES.get(first.ties, first.ties)}."
        ),
        Figures(figures),
        *tables,
    ]


def _cmc_table(measured: Measured) -> Table:
    rows, cautions = [], []
    for name, (k, m) in measured.items():
        for rank in m.ranks_asked:
            e = m.at_rank(rank)
            rows.append(
                (
                    Cell(name, "name", k),
                    Cell(count(m.ranks.gallery_size)),
                    Cell(count(m.ranks.n_mated)),
                    Cell(count(rank)),
                    Cell(percent(e.value)),
                    Cell(between(e.low, e.high)),
                    Cell(f"{e.errors:.6g}"),
                )
            )
            cautions.append(e.caution)
    level = next(iter(measured.values()))[1].level
    head = ("System", "Gallery", "Searches", "Rank", "Found", f"{level_words(level)} interval", "Not found")
    return Table("Found at that rank or better", head, rows, cautions)


def _open_set_table(measured: Measured) -> Table:
    rows: list[tuple[Cell, ...]] = []
    cautions = []
    for name, (k, m) in measured.items():
        for fpir in m.fpir_targets:
            e = m.at_fpir(fpir)
            rows.append(
                (
                    Cell(name, "name", k),
                    Cell(f"≤ {100 * fpir:g}\u00a0%"),
                    Cell("–"),
                    Cell(percent(e.point.fnir)),
                    Cell(between(e.low, e.high)),
                    Cell(number(e.point.threshold)),
                    Cell(f"{count(e.point.errors_open)} of {count(e.point.n_open)}"),
                    Cell(f"{e.point.errors_mated:.6g} of {count(e.point.n_mated)}"),
                )
            )
            cautions.append(e.caution)
        for threshold in m.points.threshold:
            p, false, missed = m.at_threshold(threshold)
            rows.append(
                (
                    Cell(name, "name", k),
                    Cell(percent(p.fpir)),
                    Cell(between(false.low, false.high)),
                    Cell(percent(p.fnir)),
                    Cell(between(missed.low, missed.high)),
                    Cell(number(p.threshold)),
                    Cell(f"{count(p.errors_open)} of {count(p.n_open)}"),
                    Cell(f"{p.errors_mated:.6g} of {count(p.n_mated)}"),
                )
            )
            cautions.append(false.caution or missed.caution)
    level = next(iter(measured.values()))[1].level
    words = f"{level_words(level)} interval"
    head: tuple[str, ...] = ("System", "FPIR", "its interval", "FNIR", words, "Threshold", "Wrongly found", "Missed")
    if not any(m.points.threshold for _, m in measured.values()):  # at a given FPIR only FNIR has an interval
        head, rows = head[:2] + head[3:], [row[:2] + row[3:] for row in rows]
    return Table("Searches of people who may not be enrolled", head, rows, cautions)


def _asked(findings: Findings, predicted: Predicted) -> Predicted:
    """Keep the galleries that the author asked for; others only bend the curve."""
    return {
        name: (k, p.only(asked) if (asked := findings.systems[name].galleries) else p)
        for name, (k, p) in predicted.items()
    }


def _forecast_tables(predicted: Predicted) -> list[Table]:
    rows, cautions = [], []
    open_rows, open_cautions = [], []
    for name, (k, p) in predicted.items():
        for g in p.galleries:
            cells = [Cell(name, "name", k), Cell(count(g.gallery_size))]
            for place in range(len(g.ranks)):
                ends = (None, None) if g.low is None or g.high is None else (g.low[place], g.high[place])
                cells += [Cell(percent(g.rate[place])), Cell(between(*ends))]
            rows.append((*cells, Cell(_RESTS_ON.get(g.method, g.method), "text")))
            cautions.append(of_a_forecast(g.caution))
            for o in g.open_set:
                asked = percent(o.fpir) if o.fpir_target is None else f"≤ {100 * o.fpir_target:g}\u00a0%"
                open_rows.append(
                    (
                        Cell(name, "name", k),
                        Cell(count(g.gallery_size)),
                        Cell(asked),
                        Cell(between(o.fpir_low, o.fpir_high)),
                        Cell(percent(o.fnir)),
                        Cell(between(o.fnir_low, o.fnir_high)),
                        Cell(number(o.threshold, 6)),
                        Cell(_RESTS_ON.get(o.method, o.method), "text"),
                    )
                )
                open_cautions.append(of_a_forecast(o.caution))
    first = next(iter(predicted.values()))[1]
    words = f"{level_words(first.level)} interval"
    ranks = first.galleries[0].ranks
    head = ("System", "Gallery", *(text for rank in ranks for text in (f"Rank {rank}", words)), "Rests on")
    tables = [Table("Predicted to be found at that rank or better", head, rows, cautions)]
    if open_rows:
        open_head = ("System", "Gallery", "FPIR", "its interval", "FNIR", words, "Threshold", "Rests on")
        tables.append(
            Table("Predicted searches of people who may not be enrolled",
                  open_head, open_rows, open_cautions)
        )  # fmt: skip
    return tables
