"""The method: definitions, formulas, what was left out, how to make the page again, and the items of a test report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mated.report.numbers_in_words import count, level_words

if TYPE_CHECKING:
    from mated.report.findings import Findings

__all__ = ["Method", "ReportingItem", "method_of"]


@dataclass(frozen=True)
class ReportingItem:
    """One thing that a test report states, and where this page states it."""

    item: str
    here: str
    anchor: str | None = None


@dataclass(frozen=True)
class Method:
    """What the last section shows."""

    intervals: tuple[str, ...]
    items: tuple[ReportingItem, ...]
    packages: tuple[tuple[str, str], ...]
    inputs: tuple[tuple[str, int | None, str, str, str], ...]
    thinning: str


def method_of(findings: Findings, anchors: frozenset[str], largest_error: float) -> Method:
    """Collect how the numbers were made; `anchors` are the sections of the page."""
    p = findings.provenance
    inputs = tuple(
        (name, place, record.name, count(record.bytes), record.sha256)
        for name, place, records in (
            *((s.name, place, s.inputs) for place, s in enumerate(findings.systems.values())),
            ("all", None, findings.inputs),
        )
        for record in records
    )
    packages = (("mated", p.mated), ("Python", p.python), *sorted(p.packages.items()))
    share = f"{100 * largest_error:.2g}" if largest_error else "0"
    thinning = (
        "Curves are drawn with the points that the eye can tell apart; that moves no curve by more than "
        f"{share}\u00a0% of the length of an axis, and no marked point at all."
    )
    return Method(_intervals(findings), _items(findings, anchors), packages, inputs, thinning)


def _intervals(findings: Findings) -> tuple[str, ...]:
    said = []
    several = len(findings.systems) > 1
    for name, s in findings.systems.items():
        if (b := s.bootstrap) is None:
            words = "no intervals were computed"
        else:
            whom = "people, each with all their comparisons" if b.by_subject else "comparisons as if independent"
            words = (
                f"{level_words(b.level)} intervals from {count(b.resampling.replicates)} replicates of {whom}, "
                f"seed {b.resampling.seed}"
            )
        said.append(f"{name}: {words}." if several else f"{words[:1].upper()}{words[1:]}.")
    return tuple(said)


def _items(findings: Findings, anchors: frozenset[str]) -> tuple[ReportingItem, ...]:
    by_author = "not in the scores: stated by the author of the test, if at all"
    failures = any(
        s.verification.tally.mated_failures + s.verification.tally.nonmated_failures for s in findings.systems.values()
    )
    known = all(s.verification.n_subjects is not None for s in findings.systems.values())

    def at(anchor: str, here: str) -> tuple[str, str | None]:
        return (here, anchor) if anchor in anchors else ("not part of this study", None)

    return (
        ReportingItem("Systems tested and their versions", "names only; further details: " + by_author),
        ReportingItem("Number of test subjects", "section Data" if known else "not known from the scores", "data"),
        ReportingItem("Number of mated and non-mated comparisons", "section Data", "data"),
        ReportingItem("How samples were captured, devices, environment", by_author),
        ReportingItem("Who the subjects are, their consent and training", by_author),
        ReportingItem("Failure to enrol and failure to acquire", by_author),
        ReportingItem(
            "Comparisons without a score", "section Data" + ("" if failures else " (there are none)"), "data"
        ),
        ReportingItem("Error rates and thresholds at the operating points", "section Verification", "verification"),
        ReportingItem("Trade-off of both error rates (ROC, DET)", "section Verification", "verification"),
        ReportingItem("Uncertainty of each rate and how it was found", "beside each rate, and below", "method"),
        ReportingItem("Dependence between comparisons of the same people", "below, under intervals", "method"),
        ReportingItem("Searches: gallery size, ranks, FNIR and FPIR", *at("identification", "section Identification")),
        ReportingItem("Differences between groups of people", *at("groups", "section Groups")),
        ReportingItem("Data, software and settings, so that it can be repeated", "below", "method"),
    )  # fmt: skip
