"""Systems compared: every difference with its interval and test, in numbers and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.report.figures.intervals import differences_figure
from mated.report.numbers_in_words import level_words, p_value, percent, points_apart, statistic
from mated.report.page_parts import Cell, Figures, Notes, Paragraph, Part, Section, Table
from mated.report.page_summary import difference_in_words, in_a_sentence

if TYPE_CHECKING:
    from mated.evaluation import Comparison
    from mated.report.findings import Findings

__all__ = ["comparison_section"]

_MOST_SENTENCES = 12
_PAIRED = ("paired",)


def comparison_section(findings: Findings) -> Section | None:
    """Say which differences are more than chance."""
    c = findings.comparison
    if c is None:
        return None
    parts: list[Part] = [Paragraph(_lead(c)), Notes(_in_words(c), "sentence")]
    parts.append(_table(c))
    drawn = differences_figure(c)
    if drawn is not None:
        parts.append(Figures({"differences": drawn}))
    if len(c.systems) > 2:
        parts.append(_rankings(c))
    methods = "; ".join(dict.fromkeys(d.method for d in c.differences))
    parts.append(Paragraph(f"Method: {methods}. {c.replicates} replicates, seed {c.seed}."))
    return Section("comparison", "Systems compared", parts)


def _lead(c: Comparison) -> str:
    several = len(c.systems) > 2
    if any(d.method.startswith(_PAIRED) for d in c.differences):
        how = (
            "Systems tested on the same people meet the same easy and hard cases, so the difference itself is "
            "resampled: its interval says what other people might have given."
        )
    else:
        how = "The systems were tested apart, so the intervals allow for the chance in both tests."
    correction = "; Holm's correction allows for testing several pairs" if several else ""
    tested = len(c.rankings)
    chance = (
        f" {tested} statistics are tested: where nothing differs, each has a chance of one in twenty to seem to."
        if tested > 1
        else ""
    )
    return f"{how} p is how often chance alone would show a difference so large{correction}.{chance}"


def _in_words(c: Comparison) -> tuple[str, ...]:
    """Say each difference that is shown, and in one sentence in what none is; the numbers are in the table."""
    shown = [d for d in c.differences if d.significant or d.p_value is None]
    if len(shown) > _MOST_SENTENCES:
        return (f"{sum(d.significant for d in shown)} of {len(c.differences)} differences are more than chance.",)
    said = [difference_in_words(d, c.level) for d in shown]
    if len(c.systems) == 2 and (others := [in_a_sentence(d.statistic) for d in c.differences if d not in shown]):
        listed = others[0] if len(others) == 1 else f"{', '.join(others[:-1])} or {others[-1]}"
        said.append(f"No difference is shown in {listed}: what was seen may be chance.")
    elif not shown:
        said.append("No difference between any two systems is shown.")
    return tuple(said)


def _table(c: Comparison) -> Table:
    rows, cautions = [], []
    several = len(c.systems) > 2
    for d in c.differences:
        span = "–" if d.low is None or d.high is None else f"{points_apart(d.low)}\u00a0to\u00a0{points_apart(d.high)}"
        rows.append(
            (
                Cell(statistic(d.statistic), "text"),
                *([Cell(d.system_a, "name", c.systems.index(d.system_a))] if several else []),
                Cell(percent(d.a)),
                *([Cell(d.system_b, "name", c.systems.index(d.system_b))] if several else []),
                Cell(percent(d.b)),
                Cell(points_apart(d.difference)),
                Cell(span),
                Cell(p_value(d.p_value)),
                *([Cell(p_value(d.p_adjusted))] if several else []),
                Cell("–" if d.p_value is None else "yes" if d.significant else "not shown", "text"),
            )
        )
        cautions.append(d.caution)
    names = ("System a", "a", "System b", "b") if several else c.systems
    words = f"{level_words(c.level)} interval"
    head = ("Statistic", *names, "Difference", words, "p", *(["p, Holm"] if several else []), "More than chance?")
    return Table("Differences in percentage points", head, rows, cautions)


def _rankings(c: Comparison) -> Table:
    rows = tuple(
        (
            Cell(statistic(name), "text"),
            Cell(", ".join(f"{n} ({letters})" for n, letters in zip(r.names, r.letters, strict=True)), "name"),
        )
        for name, r in c.rankings.items()
    )
    note = "Systems that share a letter cannot be told apart at 5 %."
    return Table("Who is better, best first", ("Statistic", "Systems"), rows, note=note)
