"""Verification: the operating points, the explorer with ROC, DET and rates, and the EER by each definition."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mated.report.explorer import explorer_stops
from mated.report.figures.det import DetAxes, det_figure
from mated.report.figures.rates import RatesAxes, rates_figure
from mated.report.figures.roc import RocAxes, roc_figure
from mated.report.numbers_in_words import between, count, level_words, number, one_in_short, percent, target
from mated.report.page_parts import (
    Cell,
    Explorer,
    Notes,
    Paragraph,
    Part,
    Section,
    Subheading,
    Table,
)
from mated.report.plain_cautions import said_once

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mated.report.figures import FigureSpec
    from mated.report.findings import Findings

__all__ = ["verification_section"]

_DEFINITIONS = {
    "wu2008": "Wu 2008",
    "nearest": "nearest",
    "interpolated": "interpolated",
    "rocch": "ROC hull",
    "fvc2000": "FVC 2000",
}


_MEANINGS = (
    "Wu 2008: half the sum of both rates where they are nearest, comparisons at that very score counted as errors of "
    "both kinds. Nearest: the mean of both rates at the threshold where they are nearest. Interpolated: where the ROC, "
    "drawn with straight lines, has equal rates. ROC hull: where its convex hull has. FVC 2000: the mean of both rates "
    "at the better of the two thresholds around the crossing. AUC is the chance that a mated score beats a non-mated "
    "one, a tie counting half: 1 is perfect, 0.5 is guessing. d′ is how far apart the means of both classes are, in "
    "standard deviations."
)


def verification_section(findings: Findings, results: Mapping[str, dict[str, Any]]) -> Section:
    """Give the error rates of every system; `results` are their dictionaries."""
    parts: list[Part] = [
        Paragraph(
            "A system accepts a comparison whose score is at or above the threshold, or at or below it where lower "
            "scores mean more alike. A false match takes two people for one; a false non-match fails to recognise a "
            "person. FMR and FNMR are the shares of non-mated and of mated comparisons that go wrong so."
        ),
        _at_fmr(findings, results),
    ]
    others = (_at_tmr(findings, results), _at_threshold(findings, results), _with_failures(findings, results))
    parts += [table for table in others if table is not None]
    parts += _explorer(findings)
    parts += [Subheading("Equal error rate"), *_equal_error_rates(findings, results)]
    presumed = said_once(
        (
            (name, b.presumption)
            for name, s in findings.systems.items()
            if (b := s.bootstrap) is not None and b.presumption
        ),
        len(findings.systems),
    )
    if presumed:
        parts.append(Notes(presumed, "caution", "About the intervals"))
    return Section("verification", "Verification", parts)


def _interval_words(findings: Findings) -> str:
    return f"{level_words(findings.level)} interval"


def _at_fmr(findings: Findings, results: Mapping[str, dict[str, Any]]) -> Table:
    rows, cautions = [], []
    targets = sorted({e["fmr"] for r in results.values() for e in r["at_fmr"]}, reverse=True)
    for f in targets:
        for place, (name, r) in enumerate(results.items()):
            for e in (e for e in r["at_fmr"] if e["fmr"] == f):
                rows.append(
                    (
                        Cell(name, "name", place),
                        Cell(target(f), small=one_in_short(f)),
                        Cell(percent(e["fnmr"])),
                        Cell(between(e.get("fnmr_low"), e.get("fnmr_high"))),
                        Cell(number(e["threshold"])),
                        Cell(_range(e["threshold_low"], e["threshold_high"])),
                        Cell(count(e["errors_nonmated"])),
                        Cell(count(e["errors_mated"])),
                        Cell(percent(e["fnmr_conservative"])),
                    )
                )
                cautions.append(e["caution"])
    head = (
        "System", "FMR", "FNMR", _interval_words(findings), "Threshold", "its interval", "False matches",
        "False non-matches", "FNMR if FMR ≤ target",
    )  # fmt: skip
    note = (
        "The threshold is where the false match rate reaches that of the row; its own chance is in the interval of the "
        "FNMR. Last column: the FNMR at the next threshold that keeps the false match rate at or below it."
    )
    return Table("Error rates at a false match rate", head, rows, cautions, note)


def _at_tmr(findings: Findings, results: Mapping[str, dict[str, Any]]) -> Table | None:
    rows, cautions = [], []
    for place, (name, r) in enumerate(results.items()):
        for e in r["at_tmr"]:
            rows.append(
                (
                    Cell(name, "name", place),
                    Cell(f"{e['tmr']:.10g}"),
                    Cell(percent(e["fmr"])),
                    Cell(between(e["fmr_low"], e["fmr_high"])),
                    Cell(number(e["threshold"])),
                    Cell(_range(e["threshold_low"], e["threshold_high"])),
                    Cell(count(e["errors_nonmated"])),
                    Cell(count(e["errors_mated"])),
                )
            )
            cautions.append(e["caution"])
    if not rows:
        return None
    head = (
        "System", "TMR", "FMR", _interval_words(findings), "Threshold", "its interval", "False matches",
        "False non-matches",
    )  # fmt: skip
    return Table("Error rates at a true match rate", head, rows, cautions)


def _at_threshold(findings: Findings, results: Mapping[str, dict[str, Any]]) -> Table | None:
    rows, cautions = [], []
    for place, (name, r) in enumerate(results.items()):
        for e in r["at_threshold"]:
            rows.append(
                (
                    Cell(name, "name", place),
                    Cell(number(e["threshold"])),
                    Cell(percent(e["fmr"])),
                    Cell(between(e["fmr_low"], e["fmr_high"])),
                    Cell(percent(e["fnmr"])),
                    Cell(between(e.get("fnmr_low"), e.get("fnmr_high"))),
                    Cell(count(e["errors_nonmated"])),
                    Cell(count(e["errors_mated"])),
                )
            )
            cautions.append(e["caution"])
    if not rows:
        return None
    words = _interval_words(findings)
    head = ("System", "Threshold", "FMR", words, "FNMR", words, "False matches", "False non-matches")
    return Table("Error rates at a threshold", head, rows, cautions)


def _with_failures(findings: Findings, results: Mapping[str, dict[str, Any]]) -> Table | None:
    """Return the rates of whole attempts, failures counted, where something failed."""
    failed = {name: r["with_failures"] for name, r in results.items() if r.get("with_failures")}
    if not failed:
        return None
    generalised = any(r["fte"] is not None for r in failed.values())
    rates = ("frr", "far", "gfrr", "gfar") if generalised else ("frr", "far")
    rows, cautions = [], []
    for name, r in failed.items():
        for kind, word in (("at_fmr", "FMR"), ("at_tmr", "TMR"), ("at_threshold", "threshold")):
            for e in r[kind]:
                at = e[word.lower()]
                where = f"{word} {target(at) if word == 'FMR' else number(at)}"
                cells = [Cell(name, "name", list(results).index(name)), Cell(where)]
                for rate in rates:
                    cells += [Cell(percent(e[rate])), Cell(between(e[f"{rate}_low"], e[f"{rate}_high"]))]
                rows.append(tuple(cells))
                cautions.append(e["caution"])
    words = _interval_words(findings)
    head = ("System", "At", *(text for rate in rates for text in (rate.upper(), words)))
    note = "FRR and FAR are of whole attempts: one that gives no score is a false rejection and no false acceptance."
    if generalised:
        note += " GFRR and GFAR also count people who could not be enrolled."
    return Table("Error rates with failures counted", head, rows, cautions, note)


def _explorer(findings: Findings) -> list[Part]:
    systems = {name: s.verification for name, s in findings.systems.items()}
    bootstraps = {name: s.bootstrap for name, s in findings.systems.items() if s.bootstrap is not None}
    roc, det = RocAxes(systems), DetAxes(systems)
    figures: dict[str, FigureSpec] = {
        "roc": roc_figure(systems, bootstraps, roc),
        "det": det_figure(systems, bootstraps, det),
    }
    stops = []
    for place, (name, v) in enumerate(systems.items()):
        axes = RatesAxes(v)
        figures[f"rates-{place}"] = rates_figure(v, name, place, axes)
        stops.append(replace(explorer_stops(v, bootstraps.get(name), roc, det, axes), name=name))
    jumps = list(dict.fromkeys(name for s in stops for name in s.named))
    return [
        Subheading("Explore a threshold"),
        Explorer(
            tuple(stops),
            _interval_words(findings),
            figures,
            tuple(v.tally.dissimilarity for v in systems.values()),
            tuple(sorted(jumps, key=lambda name: (name != "equal error rate", len(name)))),
        ),
    ]


def _equal_error_rates(findings: Findings, results: Mapping[str, dict[str, Any]]) -> list[Part]:
    rows, cautions = [], []
    for place, (name, r) in enumerate(results.items()):
        e = r["eer"]
        rows.append(
            (
                Cell(name, "name", place),
                Cell(percent(e["value"])),
                Cell(between(e["low"], e["high"])),
                Cell(number(e["threshold"])),
                *(Cell(percent(e["by_definition"][key])) for key in _DEFINITIONS if key != "wu2008"),
                Cell(f"{r['auc']['value']:.6f}"),
                Cell("–" if r["d_prime"] is None else f"{r['d_prime']:.3f}"),
            )
        )
        cautions.append(e["caution"])
    others = tuple(f"EER, {word}" for key, word in _DEFINITIONS.items() if key != "wu2008")
    head = ("System", "EER (Wu 2008)", _interval_words(findings), "Threshold", *others, "AUC", "d′")
    return [
        Paragraph(
            "The equal error rate is where both rates are the same. On real scores they seldom are exactly, and "
            "definitions differ in what to report then; they are given side by side."
        ),
        Table("Equal error rate by definition, and other measures of separation", head, rows, cautions, _MEANINGS),
    ]


def _range(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{number(low)}\u00a0to\u00a0{number(high)}"
