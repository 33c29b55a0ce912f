"""A quality evaluation as tables for the eye."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.cli.tables import mark, new_table, print_tables, row
from mated.report.numbers_in_words import count, number, percent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from mated.evaluation import QualityEvaluation
    from mated.evaluation.quality_results import AlgorithmResult

__all__ = ["print_quality"]

_MOST_IN_A_MATRIX = 10
_TITLES = {
    "fnm": "False non-match rate against the fraction discarded (FNM-EDC)",
    "fm": "False match rate against the fraction discarded (FM-EDC)",
    "cs": "Mean score against the fraction discarded (CS-DC)",
    "dprime": "d′ against the fraction discarded (d′-DC)",
    "fc": "One error rate with the other held, against the fraction discarded (FC-EDC)",
    "det": "Error rates of the comparisons that are kept",
}


def print_quality(console: Console, evaluation: QualityEvaluation) -> None:
    """Print the ranking with its intervals, how sure the order is, and what it rests on."""
    e = evaluation
    if e.settings.type == "det":
        tables = [_det(e)]
    else:
        tables = [_ranking(e)]
        if e.replicates and 1 < len(e.algorithms) <= _MOST_IN_A_MATRIX:
            tables.append(_ranks_above(e))
        if e.settings.stability:
            tables.append(_placements(e))
        if e.settings.scalars:
            tables.append(_scalars(e))
    print_tables(console, tables, _lines(e))


def _ranking(e: QualityEvaluation) -> Table:
    errors, sure, several = e.settings.of_errors, bool(e.replicates), len(e.algorithms) > 1
    between = f"{100 * e.level:g} %\ninterval"
    columns = ["Algorithm", "pAUC above\nbest" if errors else "pAUC", *([between] * sure)]
    columns += [*(["Against\nrandom", *([between] * sure)] * errors), *(["Relative\nrank"] * several)]
    columns += ["Best", "Above\nnext"] * (sure and several)
    table = new_table(f"{_TITLES[e.settings.type]}, up to {percent(e.settings.limit)}", "Rank", *columns)
    table.columns[0].min_width = None
    table.columns[1].justify = "left"
    nearly = {(pair.above, pair.below): pair.probability for pair in e.pair_results}
    for place, r in enumerate(e.results):
        after = e.results[place + 1].algorithm if place + 1 < len(e.results) else None
        following = nearly.get((r.algorithm, after)) if after is not None else None
        row(
            table,
            str(r.rank),
            r.algorithm,
            *_area(r, errors=errors, sure=sure),
            *([f"{r.relative_rank:.2f}"] if several else []),
            *([_share(r.probability_best), _share(following)] if sure and several else []),
        )
    return table


def _area(r: AlgorithmResult, *, errors: bool, sure: bool) -> list[str]:
    if not errors:
        return [_digits(r.pauc), *([_span(r.low, r.high)] if sure else [])]
    cells = [_digits(r.pauc_above_best), *([_span(r.above_best_low, r.above_best_high)] if sure else [])]
    doubt = "told from random by nothing" if r.against_random in ("not told apart", "worse") else None
    cells.append(("–" if r.pauc_relative is None else f"{r.pauc_relative:.3f}") + mark(doubt))
    if sure and r.relative_low is not None and r.relative_high is not None:
        cells.append(f"{r.relative_low:.3f}\u00a0to\u00a0{r.relative_high:.3f}")
    return cells


def _ranks_above(e: QualityEvaluation) -> Table:
    table = new_table("Row better than column, share of replicates", "", *e.ranking)
    for one in e.ranking:
        cells = ["–" if one == other else _share(e.draws.probability_above(one, other)) for other in e.ranking]
        row(table, one, *cells)
    return table


def _placements(e: QualityEvaluation) -> Table:
    grid = e.stability()
    title = (
        f"Placements over {len(grid.starting)} starting errors × {len(grid.limits)} discard limits "
        f"(1 best, {len(e.algorithms)} worst)"
    )
    table = new_table(title, "Algorithm", "Span", "Best", "Worst", "Median", "Mean", "Standard\ndeviation")
    for s in grid.statistics():
        cells = (s.span, s.best, s.worst, s.median, s.mean, s.deviation)
        row(table, s.algorithm, *(f"{value:.2f}" for value in cells))
    return table


def _scalars(e: QualityEvaluation) -> Table:
    table = new_table(
        "Measures that discard nothing", "Algorithm", "Pearson with\nmated scores", "non-mated\nscores", "errors",
        "Pearson with\nutility", "Spearman with\nutility", "RMSE with\nutility",
    )  # fmt: skip
    for name, values in e.scalars().items():
        row(table, name, *("–" if value is None else f"{value:.3f}" for value in values.values()))
    return table


def _det(e: QualityEvaluation) -> Table:
    fmr = next(iter(e.to_dict()["algorithms"].values()))["parts"][0]["fmr"]
    table = new_table(
        _TITLES["det"], "Algorithm", "Discarded", "from", "to", "Mated", "Non-mated", "EER", f"FNMR at\nFMR {fmr:g}"
    )
    for name, entry in e.to_dict()["algorithms"].items():
        for part in entry["parts"]:
            row(
                table, name, percent(part["discard"]), percent(part["low"]), percent(part["high"]),
                count(part["mated"]), count(part["nonmated"]), percent(part["eer"]), percent(part["fnmr"]),
            )  # fmt: skip
        table.add_section()
    return table


def _lines(e: QualityEvaluation) -> list[str]:
    lines = []
    if e.settings.of_errors:
        start = e.starting
        rate, kind = ("FNMR", "mated") if start.kind == "fnm" else ("FMR", "non-mated")
        asked = "" if start.asked is None else f" (asked for: {percent(start.asked)})"
        lines.append(
            f"  with nothing discarded: {rate} {percent(start.value)}{asked}, {start.errors} errors in "
            f"{count(start.comparisons)} {kind} comparisons, at threshold {number(start.threshold)}"
        )
        lines.append("  against random: 0 is the theoretical best, 1 the constant starting error (random qualities)")
    if e.replicates:
        if len(e.algorithms) > 1:
            lines.append("  best, above next: share of replicates in which that is so")
        held = ""
        if e.settings.of_errors:
            refound = e.settings.refind and e.settings.threshold is None
            held = ", threshold found anew in each" if refound else ", threshold held"
        lines.append(
            f"  intervals: {100 * e.level:g} %, {e.replicates} replicates of {count(e.units.count)} {e.units.kind}"
            f"{held}, seed {e.seed}"
        )
    if e.settings.type != "det" and e.caution:
        lines.insert(0, f"! {e.caution}")
    doubtful = (
        [r.algorithm for r in e.results if r.against_random in ("not told apart", "worse")] if e.replicates else []
    )
    if doubtful:
        lines.insert(0, f"! no better than discarding at random, as far as these data tell: {', '.join(doubtful)}")
    said = ("not told apart from", "worse than discarding")
    return lines + [f"  {remark}" for remark in e.remarks if not remark.startswith(said)]


def _digits(value: float | None) -> str:
    return "–" if value is None else f"{value:#.4g}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}\u00a0%"


def _span(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{low:#.3g}\u00a0to\u00a0{high:#.3g}"
