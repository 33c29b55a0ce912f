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
from mated.report.plain_cautions import of_a_forecast
from mated.uncertainty.cautions import joined

if TYPE_CHECKING:
    from mated.evaluation import Comparison
    from mated.evaluation.compare import Difference
    from mated.report.findings import ClaimAnswer, Findings, SystemFindings

__all__ = ["difference_in_words", "in_a_sentence", "summary_section"]


def summary_section(findings: Findings) -> Section:
    """Say what was found, for somebody who reads nothing else."""
    parts: list[Part] = [Paragraph(text.strip()) for text in findings.notes.split("\n\n") if text.strip()]
    reversed_scores = tuple(_wrong_way_round(s) for s in findings.systems.values() if s.verification.auc() < 0.5)
    if reversed_scores:
        parts.append(Notes(reversed_scores, "caution"))
    parts.append(Cards(tuple((s.name, place, _key_numbers(s)) for place, s in enumerate(findings.systems.values()))))
    said = [_sentence(s) for s in findings.systems.values()]
    said += [_failures(s) for s in findings.systems.values() if s.verification.has_failures]
    if findings.comparison is not None:
        said += _who_is_better(findings.comparison)
    said += [sentence for s in findings.systems.values() for sentence in _search_sentences(s)]
    parts.append(Notes(tuple(said), "sentence"))
    if findings.claims:
        parts += [Subheading("Claims"), Claims(tuple(map(_beside_its_verdict, findings.claims)))]
    return Section("summary", "Summary", parts)


def _beside_its_verdict(answer: ClaimAnswer) -> ClaimAnswer:
    """Leave the verdict out of the sentence, as it stands beside it."""
    words = answer.sentence.removeprefix(f"{answer.verdict.capitalize()}: ").replace(" %", "\u00a0%")
    return replace(answer, sentence=words[:1].upper() + words[1:], caution=of_a_forecast(answer.caution))


def _wrong_way_round(s: SystemFindings) -> str:
    """Say that the scores look turned round: the one mistake that makes every number below wrong."""
    option, key = ("--similarity", "false") if s.verification.tally.dissimilarity else ("--dissimilarity", "true")
    more = "higher" if s.verification.tally.dissimilarity else "lower"
    return (
        f"The scores of {s.name} look turned round: two samples of different people are mostly taken for more alike "
        f"than two of the same person (area under the ROC {s.verification.auc():.3f}, below one half). If {more} "
        f"scores mean more alike, make this page again with {option} (in a study: dissimilarity = {key}); otherwise "
        "see whether the mated flags are inverted. Until then no rate on this page is that of the system."
    )


def _failures(s: SystemFindings) -> str:
    """Say what was not counted."""
    v, b = s.verification, s.bootstrap
    point, lost = v.at_fmr(default_target(v)), v.tally.mated_failures
    if lost:
        gave = f"{count(lost)} of {count(v.tally.n_mated + lost)} mated comparisons of {s.name} gave no score"
    else:
        gave = f"Not every attempt at {s.name} gave a score"
    if b is None:
        value, ends = measured(v.with_failures(point).frr, None, None)
    else:
        e = b.with_failures(point).frr
        value, ends = measured(e.value, e.low, e.high)
    interval = f" ({level_words(b.level)} interval {ends})" if b is not None and ends else ""
    return f"{gave}; with such failures counted as rejections, {value} of attempts are rejected (FRR){interval}."


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
            f"{value} of searches{interval}." + (f" Caution: {of_a_forecast(g.caution)}." if g.caution else "")
        )
    return said


def _who_is_better(comparison: Comparison) -> list[str]:
    """Say of one statistic, the FNMR at the usual or the lowest FMR or else the EER, which systems differ."""
    known = list(dict.fromkeys(d.statistic for d in comparison.differences))
    at_fmr = [name for name in known if name.startswith("fnmr at fmr")]
    usual = "fnmr at fmr 0.001"
    chosen = usual if usual in at_fmr else at_fmr[-1] if at_fmr else "eer"
    pairs = [d for d in comparison.differences if d.statistic == chosen]
    if len(comparison.systems) == 2:
        return [difference_in_words(d, comparison.level) for d in pairs]
    what = in_a_sentence(chosen)
    shown = [
        f"{d.system_a} {'lower' if d.difference < 0 else 'higher'} than {d.system_b}" for d in pairs if d.significant
    ]
    if not shown:
        return [f"In {what}, no two of the {len(comparison.systems)} systems are shown to differ."]
    rest = "; what was seen of the others may be chance" if len(shown) < len(pairs) else ""
    return [f"In {what}, {', '.join(shown)}: chance alone hardly explains that{rest}."]


def in_a_sentence(name: str) -> str:
    """Write the name of what systems are compared by within a sentence."""
    what = statistic(name)
    return what if what.startswith(("FNMR", "FMR")) else what[:1].lower() + what[1:]


def difference_in_words(d: Difference, level: float) -> str:
    """Say in a sentence whether two systems differ, by how much, and how sure that is."""
    what = in_a_sentence(d.statistic)
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
