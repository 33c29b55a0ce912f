"""The summary: the main numbers in plain sentences, and the claims with their verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mated.report.explorer import default_target
from mated.report.numbers_in_words import (
    count,
    level_words,
    measured,
    one_in,
    p_value,
    plural,
    points_apart,
    statistic,
)
from mated.report.page_parts import Cards, Claims, KeyNumber, Notes, Paragraph, Part, Section, Subheading
from mated.uncertainty.cautions import joined

if TYPE_CHECKING:
    from mated.evaluation import Comparison
    from mated.evaluation.compare import Difference
    from mated.report.findings import ClaimAnswer, Findings, SystemFindings

__all__ = ["difference_in_words", "summary_section"]


def summary_section(findings: Findings) -> Section:
    """Say what was found, for somebody who reads nothing else."""
    parts: list[Part] = [
        Cards(tuple((s.name, place, _key_numbers(s)) for place, s in enumerate(findings.systems.values())))
    ]
    said = [_sentence(s) for s in findings.systems.values()]
    if findings.comparison is not None and len(findings.comparison.systems) == 2:
        said += _who_is_better(findings.comparison)
    said += [sentence for s in findings.systems.values() for sentence in _search_sentences(s)]
    parts.append(Notes(tuple(said), "sentence"))
    if findings.claims:
        parts += [Subheading("Claims"), Claims(tuple(map(_beside_its_verdict, findings.claims)))]
    parts += [Paragraph(text.strip()) for text in findings.notes.split("\n\n") if text.strip()]
    return Section("summary", "Summary", parts)


def _beside_its_verdict(answer: ClaimAnswer) -> ClaimAnswer:
    """Leave the verdict out of the sentence, as it stands beside it."""
    words = answer.sentence.removeprefix(f"{answer.verdict.capitalize()}: ")
    return replace(answer, sentence=words[:1].upper() + words[1:])


def _key_numbers(s: SystemFindings) -> tuple[KeyNumber, ...]:
    v, b = s.verification, s.bootstrap
    f = default_target(v)
    point, eer = v.at_fmr(f), v.eer()
    level = "" if b is None else f"{level_words(b.level)} interval "
    shown = []
    at = None if b is None else b.at_fmr(f).fnmr
    value, ends = measured(point.fnmr, None if at is None else at.low, None if at is None else at.high)
    meaning = f"of mated comparisons rejected (FNMR) at {one_in(f)}"
    shown.append(
        KeyNumber(value, ends and level + ends, meaning, joined(point.caution, None if at is None else at.caution))
    )
    equal = None if b is None else b.eer().eer
    value, ends = measured(eer.value, None if equal is None else equal.low, None if equal is None else equal.high)
    caution = joined(eer.caution, None if equal is None else equal.caution)
    shown.append(KeyNumber(value, ends and level + ends, "equal error rate (EER)", caution))
    if s.identification is not None:
        first = s.identification.at_rank(1)
        value, ends = measured(first.value, first.low, first.high)
        within = f"found at rank 1 in a gallery of {count(s.identification.ranks.gallery_size)}"
        interval = ends and f"{level_words(s.identification.level)} interval {ends}"
        shown.append(KeyNumber(value, interval, within, first.caution))
    return tuple(shown)


def _sentence(s: SystemFindings) -> str:
    v, b = s.verification, s.bootstrap
    f = default_target(v)
    point = v.at_fmr(f)
    at = None if b is None else b.at_fmr(f).fnmr
    value, ends = measured(point.fnmr, None if at is None else at.low, None if at is None else at.high)
    interval = f" ({level_words(b.level)} interval {ends})" if b is not None and ends else ""
    people = "" if v.n_subjects is None else f" of {plural(v.n_subjects, 'person', 'people')}"
    return (
        f"At {one_in(f)} comparisons of different people, {s.name} wrongly rejects {value} of comparisons of the same "
        f"person{interval}: {plural(point.errors_mated, 'error', 'errors')} in {count(v.tally.n_mated)} mated "
        f"comparisons{people}."
    )


def _search_sentences(s: SystemFindings) -> list[str]:
    said = []
    if (m := s.identification) is not None:
        first = m.at_rank(1)
        value, ends = measured(first.value, first.low, first.high)
        interval = f" ({level_words(m.level)} interval {ends})" if ends else ""
        said.append(
            f"Searching {plural(m.ranks.gallery_size, 'enrolled person', 'enrolled people')}, {s.name} puts the right "
            f"one first in {value} of searches{interval}."
        )
    if (p := s.prediction) is not None and p.galleries and p.galleries[-1].ranks[0] == 1:
        g = p.galleries[-1] if not s.galleries else p[max(s.galleries)]
        value, ends = measured(g.rate[0], None if g.low is None else g.low[0], None if g.high is None else g.high[0])
        interval = f" ({level_words(p.level)} interval {ends})" if ends else ""
        said.append(
            f"With {count(g.gallery_size)} people enrolled, {s.name} is predicted to put the right one first in "
            f"{value} of searches{interval}." + (f" Caution: {g.caution}." if g.caution else "")
        )
    return said


def _who_is_better(comparison: Comparison) -> list[str]:
    """Say of the EER, and of the lowest false match rate compared, whether the systems differ."""
    at_fmr = [d for d in comparison.differences if d.statistic.startswith("fnmr at fmr")]
    chosen = [d for d in comparison.differences if d.statistic == "eer"][:1]
    if at_fmr:
        chosen = [next((d for d in at_fmr if d.statistic == "fnmr at fmr 0.001"), at_fmr[-1])]
    return [difference_in_words(d, comparison.level) for d in chosen]


def difference_in_words(d: Difference, level: float) -> str:
    """Say in a sentence whether two systems differ, by how much, and how sure that is."""
    what = statistic(d.statistic)
    what = what if what.startswith(("FNMR", "FMR")) else what[:1].lower() + what[1:]
    if d.low is None or d.high is None or d.p_value is None:
        return f"In {what}, {d.system_a} and {d.system_b} cannot be compared: {d.caution or 'too few errors'}."
    apart = points_apart(d.difference).lstrip("+−")
    ends = f"{points_apart(d.low)} to {points_apart(d.high)}"
    corrected = d.p_value if d.p_adjusted is None else d.p_adjusted
    if not d.significant:
        return (
            f"In {what}, no difference between {d.system_a} and {d.system_b} is shown: {points_apart(d.difference)} "
            f"percentage points ({level_words(level)} interval {ends}; p = {p_value(corrected)}) may be chance."
        )
    word = "lower" if d.difference < 0 else "higher"
    return (
        f"{d.system_a} has a {word} {what} than {d.system_b}, by {apart} percentage points ({level_words(level)} "
        f"interval of the difference {ends}); chance alone hardly explains that (p = {p_value(corrected)})."
    )
