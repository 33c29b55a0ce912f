"""Results as tables for the eye."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rich import box
from rich.table import Table
from rich.text import Text

from mated.report.numbers_in_words import between, count, number, percent, target
from mated.scores.unit import unit_name
from mated.verification.cautions import FEW_ERRORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console

    from mated.evaluation import Bootstrap, Verification, Verifications
    from mated.verification import AtFmr, AtThreshold, AtTmr

__all__ = ["mark", "new_table", "print_tables", "print_verifications", "row", "span"]


class HasInterval(Protocol):
    """Anything with the two ends of an interval, or None where there is none."""

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


def print_verifications(
    console: Console,
    members: Verifications,
    *,
    bootstraps: Mapping[str, Bootstrap] | None = None,
    individual: bool = False,
) -> None:
    """Print an overview, then one table for each kind of operating point that was asked for.

    With bootstraps every rate stands with its interval.
    """
    first = "System" if members.kind == "systems" else "Group"
    sure = dict(bootstraps or {})
    tables = [_overview(members, first, sure), _at_fmr(members, first, sure)]
    tables += [_at_tmr(members, first, sure), _at_threshold(members, first, sure)]
    tables += [_with_failures(members, first, sure), _definitions(members, first), _other_measures(members, first)]
    if individual:
        tables.append(_individual(members, first))
    print_tables(console, tables, _cautions(members, sure))


def print_tables(console: Console, tables: Iterable[Table], lines: Iterable[str]) -> None:
    """Print tables that have rows, then sentences; both were made before, so an error leaves no half of a result."""
    for table in tables:
        if table.row_count:
            console.print(table)
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def new_table(title: str, first: str, *columns: str) -> Table:
    """Return an empty table in the house style: a title, a first column of names, then numbers."""
    table = Table(
        title=title, title_justify="left", title_style="bold", header_style="", box=box.SIMPLE_HEAD, padding=(0, 1)
    )
    table.add_column(first, overflow="fold", min_width=8)
    for column in columns:
        table.add_column(column, justify="right", overflow="fold")
    return table


def row(table: Table, name: str, *cells: str) -> None:
    """Add a row; what a user wrote is shown literally."""
    table.add_row(Text(name), *(Text(cell) for cell in cells))


def mark(caution: str | None) -> str:
    """Return the sign that follows a number with a caution."""
    return "\u00a0!" if caution else ""  # kept on one line with its number


def _overview(members: Verifications, first: str, sure: Mapping[str, Bootstrap]) -> Table:
    columns = ["Mated", "Non-mated", "Subjects", "EER", *_interval_header(sure), "at threshold", "AUC", "d′"]
    failures = any(v.tally.mated_failures + v.tally.nonmated_failures for v in members.values())
    table = new_table("Verification", first, *columns, *(["Failures"] if failures else []))
    for name, v in members.items():
        eer = v.eer()
        failed = count(v.tally.mated_failures + v.tally.nonmated_failures)
        d = v.d_prime()
        row(
            table,
            name,
            count(v.tally.n_mated),
            count(v.tally.n_nonmated),
            count(v.n_subjects),
            percent(eer.value) + mark(eer.caution),
            *([span(sure[name].eer().eer)] if sure else []),
            number(eer.threshold),
            f"{v.auc():.6f}",
            "–" if d is None else f"{d:.3f}",
            *([failed] if failures else []),
        )
    return table


def _at_fmr(members: Verifications, first: str, sure: Mapping[str, Bootstrap]) -> Table:
    columns = ["FMR", "FNMR", *_interval_header(sure), *([] if sure else ["TMR"]), "Threshold", *_range_header(sure)]
    table = new_table(
        "At a false match rate (FMR)", first, *columns, "False\nmatches", "False non-\nmatches", "FNMR if\nFMR ≤ target"
    )
    targets = sorted({f for v in members.values() for f in v.fmr_targets}, reverse=True)
    estimates = {
        name: dict(zip(members[name].fmr_targets, b.at_fmrs(members[name].fmr_targets), strict=True))
        for name, b in sure.items()
    }
    for fmr in targets:
        for name, v in members.items():
            if fmr not in v.fmr_targets:
                continue
            p = v.at_fmr(fmr)
            e = estimates[name][fmr] if sure else None
            row(
                table,
                name,
                target(fmr),
                percent(p.fnmr) + mark(p.caution),
                percent(p.tmr) if e is None else span(e.fnmr),
                number(p.threshold),
                *([] if e is None else [_range(e.threshold_low, e.threshold_high)]),
                count(p.errors_nonmated),
                count(p.errors_mated),
                percent(p.fnmr_conservative),
            )
        table.add_section()
    return table


def _at_tmr(members: Verifications, first: str, sure: Mapping[str, Bootstrap]) -> Table:
    columns = ["TMR", "FMR", *_interval_header(sure), "Threshold", *_range_header(sure)]
    table = new_table("At a true match rate (TMR)", first, *columns, "False\nmatches", "False non-\nmatches")
    for name, v in members.items():
        for tmr in v.points.tmr:
            p = v.at_tmr(tmr)
            e = sure[name].at_tmr(tmr) if sure else None
            row(
                table,
                name,
                f"{tmr:.10g}",
                percent(p.fmr) + mark(p.caution),
                *([] if e is None else [span(e.fmr)]),
                number(p.threshold),
                *([] if e is None else [_range(e.threshold_low, e.threshold_high)]),
                count(p.errors_nonmated),
                count(p.errors_mated),
            )
    return table


def _at_threshold(members: Verifications, first: str, sure: Mapping[str, Bootstrap]) -> Table:
    between = _interval_header(sure)
    columns = ["Threshold", "FMR", *between, "FNMR", *between, "False\nmatches", "False non-\nmatches"]
    table = new_table("At a threshold", first, *columns)
    for name, v in members.items():
        for threshold in v.points.threshold:
            p = v.at_threshold(threshold)
            e = sure[name].at_threshold(threshold) if sure else None
            few = (p.errors_nonmated < FEW_ERRORS, p.errors_mated < FEW_ERRORS)
            row(
                table,
                name,
                number(p.threshold),
                percent(p.fmr) + mark(p.caution if few[0] or not any(few) else None),
                *([] if e is None else [span(e.fmr)]),
                percent(p.fnmr) + mark(p.caution if few[1] else None),
                *([] if e is None else [span(e.fnmr)]),
                count(p.errors_nonmated),
                count(p.errors_mated),
            )
    return table


def _with_failures(members: Verifications, first: str, sure: Mapping[str, Bootstrap]) -> Table:
    """Return the rates of attempts at every operating point, an empty table where nothing failed."""
    between = _interval_header(sure)
    generalised = any(v.failures.fte is not None for v in members.values())
    columns = ["At", "FRR", *between, "FAR", *between, *(["GFRR", *between, "GFAR", *between] if generalised else [])]
    table = new_table("With failures to acquire or enrol", first, *columns)
    for name, v in members.items():
        if not v.has_failures:
            continue
        points: dict[str, AtFmr | AtTmr | AtThreshold] = {f"FMR {target(f)}": v.at_fmr(f) for f in v.fmr_targets}
        points |= {f"TMR {r:.10g}": v.at_tmr(r) for r in v.points.tmr}
        points |= {f"threshold {number(t)}": v.at_threshold(t) for t in v.points.threshold}
        estimates = sure[name].attempts.at(list(points.values())) if sure else [None] * len(points)
        for (where, point), e in zip(points.items(), estimates, strict=True):
            rates, cells = v.with_failures(point), []
            for rate in ("frr", "far", *(("gfrr", "gfar") if generalised else ())):
                cells.append(percent(getattr(rates, rate)))
                of_rate = getattr(e, rate, None)
                cells += ["–" if of_rate is None else span(of_rate)] if sure else []
            row(table, name, where, *cells)
    return table


def _interval_header(sure: Mapping[str, Bootstrap]) -> list[str]:
    return [f"{100 * b.level:g} %\ninterval" for b in list(sure.values())[:1]]


def _range_header(sure: Mapping[str, Bootstrap]) -> list[str]:
    return ["its interval"] if sure else []


def span(estimate: HasInterval) -> str:
    """Write the interval of an estimated rate as percentages."""
    return between(estimate.low, estimate.high)


def _range(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{number(low)}\u00a0to\u00a0{number(high)}"


def _definitions(members: Verifications, first: str) -> Table:
    names = ["wu2008", "nearest", "interpolated", "rocch", "fvc2000"]
    table = new_table("Equal error rate by definition", first, *names, "score range", "relative error")
    for name, v in members.items():
        eer = v.eer()
        low, high = (number(end) for end in eer.score_range)
        row(
            table,
            name,
            *(percent(eer.by_definition[n]) for n in names),
            low if low == high else f"{low} to {high}",
            percent(eer.relative_error),
        )
    return table


def _other_measures(members: Verifications, first: str) -> Table:
    results = {name: v.to_dict() for name, v in members.items()}
    columns = ["FMR100", "FMR1000", "ZeroFMR"]
    costs = any("detection_cost" in r for r in results.values())
    transferred = any("hter" in r for r in results.values())
    columns += ["min DCF", "actual DCF", "Cllr", "min Cllr"] * costs + ["HTER", "at threshold"] * transferred
    table = new_table("Other measures", first, *columns)
    for name, r in results.items():
        cells = [percent(r["fvc"][key]) for key in ("fmr100", "fmr1000", "zero_fmr")]
        if costs:
            dcf = r["detection_cost"]
            cells += [_cost(value) for value in (dcf["minimum"], dcf["actual"], r["cllr"], r["min_cllr"])]
        if transferred:
            cells += [percent(r["hter"]["value"]), number(r["hter"]["threshold"])]
        row(table, name, *cells)
    return table


def _cost(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _individual(members: Verifications, first: str) -> Table:
    table = new_table(
        "One threshold for all against one false match rate for each subject",
        first,
        "FMR",
        "TMR, global ROC",
        "TMR, average ROC",
        "Subjects with a ROC",
        "Each pair listed once",
    )
    for name, v in members.items():
        for fmr in v.fmr_targets:
            row(
                table,
                name,
                target(fmr),
                percent(v.at_fmr(fmr).tmr),
                percent(v.average_roc(fmr)),
                count(len(v.individual_rocs)),
                "yes" if v.subject_tallies.symmetric else "no",
            )
    return table


def _of_failures(v: Verification) -> str:
    """Say what FRR and FAR count that FNMR and FMR do not."""
    tally, given = v.tally, v.failures
    counted = [
        f"{count(failed)} of {count(failed + scored)} {kind} attempts"
        for failed, scored, kind in (
            (tally.mated_failures, tally.n_mated, "mated"),
            (tally.nonmated_failures, tally.n_nonmated, "non-mated"),
        )
        if failed
    ]
    said = [f"{' and '.join(counted)} gave no score"] if counted else []
    said += [f"FTA {percent(float(given.fta.rate))} is given"] if given.fta is not None else []
    said += [f"FTE {percent(float(given.fte.rate))} is given"] if given.fte is not None else []
    of_enrolment = "" if given.fte is None else ", GFRR and GFAR also those to enrol"
    return f"{', '.join(said)}: FRR and FAR count failures to acquire{of_enrolment}, FNMR and FMR none"


def _cautions(members: Verifications, sure: Mapping[str, Bootstrap]) -> list[str]:
    lines: list[str] = []
    for name, v in members.items():
        prefix = f"{name}: " if len(members) > 1 else ""
        eer = v.eer()
        said: list[tuple[str, str | None]] = [("EER", eer.caution)]
        said += [(f"FMR {target(f)}", v.at_fmr(f).caution) for f in v.fmr_targets]
        said += [(f"TMR {r:g}", v.at_tmr(r).caution) for r in v.points.tmr]
        said += [(f"threshold {t:g}", v.at_threshold(t).caution) for t in v.points.threshold]
        lines += [f"! {prefix}{where}: {caution}" for where, caution in said if caution]
        if name in sure and (presumed := sure[name].presumption):
            lines.append(f"! {prefix}{presumed}")
        turned = "; lower means more alike" if v.tally.dissimilarity else ""
        lines.append(f"  {prefix}scores are {unit_name(v.tally.unit)}{turned}")
        lines += [f"  {prefix}{remark}" for remark in v.remarks]
        if v.has_failures:
            lines.append(f"  {prefix}{_of_failures(v)}")
    if sure:
        b = next(iter(sure.values()))
        kinds = sorted({"subjects" if s.by_subject else "comparisons" for s in sure.values()})
        lines.append(
            f"  intervals: {100 * b.level:g} %, {b.resampling.replicates} replicates of {' or '.join(kinds)}, "
            f"seed {b.resampling.seed}"
        )
    lines += [f"  {note}" for note in members.notes]
    if any(line.startswith("!") for line in lines):
        lines.insert(0, "A number marked ! rests on little; why:")
    return lines
