"""Each table of a report once: a name, a title, columns and rows of plain numbers and texts, made from `Findings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from mated.uncertainty.cautions import joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mated.report.findings import Findings, GroupFindings, SystemFindings

__all__ = ["Cell", "ReportTable", "tables_of"]

Cell: TypeAlias = str | int | float | None


@dataclass(frozen=True)
class ReportTable:
    """One table; `name` is that of its files. A cell without a value is None."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def tables_of(findings: Findings) -> tuple[ReportTable, ...]:
    """Return every table that has rows, in the order of the report."""
    f = findings
    made = (
        _table("claims", "Claims", _CLAIMS, _claims(f)),
        _table("verification", "Verification", _VERIFICATION, _verification(f)),
        _table("at_fmr", "At false match rates", _AT_FMR, _at_fmr(f)),
        _table("at_tmr", "At true match rates", _AT_TMR, _at_tmr(f)),
        _table("at_threshold", "At thresholds", _AT_THRESHOLD, _at_threshold(f)),
        _table("groups", "Groups", _GROUPS, _groups(f)),
        _table("groups_at_fmr", "Groups at the thresholds of the whole system", _GROUPS_AT, _groups_at(f)),
        _table("groups_across", "False matches across groups", _ACROSS, _across(f)),
        _table("differences", "Differences between systems", _DIFFERENCES, _differences(f)),
        _table("identification", "Identification", _CMC, _cmc(f)),
        _table("open_set", "People who are not enrolled", _OPEN_SET, _open_set(f)),
        _table("forecasts", "Forecasts for other galleries", _FORECASTS, _forecasts(f)),
        _table("quality", "Quality algorithms", _QUALITY, _quality(f)),
        _table("left_out", "Left out", ("Section", "Reason"), f.left_out),
        _table("inputs", "Inputs", ("System", "File", "Bytes", "SHA-256"), _inputs(f)),
    )
    return tuple(table for table in made if table.rows)


def _table(name: str, title: str, columns: tuple[str, ...], rows: Iterable[tuple[Cell, ...]]) -> ReportTable:
    return ReportTable(name, title, columns, tuple(tuple(row) for row in rows))


_CLAIMS = (
    "Claim", "System", "Answer", "Value", "Low", "High", "Level", "Errors", "Subjects", "Basis", "Sentence", "Caution",
)  # fmt: skip


def _claims(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for c in f.claims:
        yield (
            c.claim, c.system, c.verdict, c.value, c.low, c.high, c.level, c.errors, c.subjects, c.basis, c.sentence,
            c.caution,
        )  # fmt: skip


_VERIFICATION = (
    "System", "Mated", "Non-mated", "Subjects", "EER", "EER low", "EER high", "EER threshold", "AUC", "AUC low",
    "AUC high", "d'", "Failures", "Caution",
)  # fmt: skip


def _verification(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for name, system in f.systems.items():
        v, b = system.verification, system.bootstrap
        point, sure, area = v.eer(), None if b is None else b.eer().eer, None if b is None else b.auc()
        yield (
            name, v.tally.n_mated, v.tally.n_nonmated, v.n_subjects, point.value, *_ends(sure), point.threshold,
            v.auc(), *_ends(area), v.d_prime(), v.tally.mated_failures + v.tally.nonmated_failures,
            joined(point.caution, None if sure is None else sure.caution),
        )  # fmt: skip


_AT_FMR = (
    "System", "FMR", "FNMR", "FNMR low", "FNMR high", "TMR", "Threshold", "Threshold low", "Threshold high",
    "False matches", "False non-matches", "Caution",
)  # fmt: skip


def _at_fmr(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for name, system in f.systems.items():
        v, b = system.verification, system.bootstrap
        sure: list[Any] = [None] * len(v.fmr_targets) if b is None else list(b.at_fmrs(v.fmr_targets))
        for target, e in zip(v.fmr_targets, sure, strict=True):
            p = v.at_fmr(target)
            ends = (None, None) if e is None else (e.threshold_low, e.threshold_high)
            yield (
                name, target, p.fnmr, *_ends(None if e is None else e.fnmr), p.tmr, p.threshold, *ends,
                p.errors_nonmated, p.errors_mated, joined(p.caution, None if e is None else e.fnmr.caution),
            )  # fmt: skip


_AT_TMR = (
    "System", "TMR", "FMR", "FMR low", "FMR high", "Threshold", "False matches", "False non-matches", "Caution",
)  # fmt: skip


def _at_tmr(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for name, system in f.systems.items():
        v, b = system.verification, system.bootstrap
        for target in v.points.tmr:
            p, e = v.at_tmr(target), None if b is None else b.at_tmr(target).fmr
            yield (
                name, target, p.fmr, *_ends(e), p.threshold, p.errors_nonmated, p.errors_mated,
                joined(p.caution, None if e is None else e.caution),
            )  # fmt: skip


_AT_THRESHOLD = (
    "System", "Threshold", "FMR", "FMR low", "FMR high", "FNMR", "FNMR low", "FNMR high", "False matches",
    "False non-matches", "Caution",
)  # fmt: skip


def _at_threshold(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for name, system in f.systems.items():
        for threshold in system.verification.points.threshold:
            yield name, threshold, *_rates_at(system.verification, system.bootstrap, threshold)


def _rates_at(v: Any, b: Any, threshold: float) -> tuple[Cell, ...]:
    """Return both error rates at a threshold with their intervals, the errors and the caution."""
    p, e = v.at_threshold(threshold), None if b is None else b.at_threshold(threshold)
    fmr, fnmr = (None, None) if e is None else (e.fmr, e.fnmr)
    said = [p.caution, *([] if e is None else [e.fmr.caution, e.fnmr.caution])]
    return (p.fmr, *_ends(fmr), p.fnmr, *_ends(fnmr), p.errors_nonmated, p.errors_mated, joined(*said))


_GROUPS = (
    "System", "By", "Group", "Mated", "Non-mated", "Subjects", "EER", "EER low", "EER high", "AUC", "Caution",
)  # fmt: skip


def _groups(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for system, grouping, group in _each_group(f):
        v, b = grouping.members[group], grouping.bootstraps.get(group)
        e = None if b is None else b.eer().eer
        yield (
            system.name, " / ".join(grouping.columns), group, v.tally.n_mated, v.tally.n_nonmated, v.n_subjects,
            v.eer().value, *_ends(e), v.auc(), joined(v.eer().caution, None if e is None else e.caution),
        )  # fmt: skip


_GROUPS_AT = (
    "System", "By", "Group", "FMR of the system", "Threshold", "FMR", "FMR low", "FMR high", "FNMR", "FNMR low",
    "FNMR high", "False matches", "False non-matches", "Caution",
)  # fmt: skip


def _groups_at(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for system, grouping, group in _each_group(f):
        v, b = grouping.members[group], grouping.bootstraps.get(group)
        for target in system.verification.fmr_targets:
            threshold = system.verification.at_fmr(target).threshold
            by = " / ".join(grouping.columns)
            yield system.name, by, group, target, threshold, *_rates_at(v, b, threshold)


_ACROSS = (
    "System", "By", "FMR of the system", "Probe group", "Reference group", "False matches", "Non-mated", "FMR",
)  # fmt: skip


def _across(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for system in f.systems.values():
        for grouping in system.groups:
            for target, probes in grouping.across.items():
                for probe, references in probes.items():
                    for reference, (errors, n) in references.items():
                        by = " / ".join(grouping.columns)
                        yield system.name, by, target, probe, reference, errors, n, errors / n if n else None


def _each_group(f: Findings) -> Iterator[tuple[SystemFindings, GroupFindings, str]]:
    for system in f.systems.values():
        for grouping in system.groups:
            for group in grouping.members:
                yield system, grouping, group


_DIFFERENCES = (
    "Statistic", "System a", "System b", "a", "b", "a - b", "Low", "High", "p", "p corrected", "Method", "Caution",
)  # fmt: skip


def _differences(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for d in f.comparison.differences if f.comparison is not None else ():
        yield (
            d.statistic, d.system_a, d.system_b, d.a, d.b, d.difference, d.low, d.high, d.p_value, d.p_adjusted,
            d.method, d.caution,
        )  # fmt: skip


_CMC = ("System", "Gallery", "Probes", "Rank", "Rate", "Low", "High", "Not found", "Caution")


def _cmc(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for name, system in f.systems.items():
        m = system.identification
        for rank in m.ranks_asked if m is not None else ():
            assert m is not None
            e = m.at_rank(rank)
            yield name, m.ranks.gallery_size, m.ranks.n_mated, rank, e.value, e.low, e.high, e.errors, e.caution


_OPEN_SET = (
    "System", "FPIR target", "FPIR", "FNIR", "FNIR low", "FNIR high", "Threshold", "False positives", "Missed",
    "Caution",
)  # fmt: skip


def _open_set(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for name, system in f.systems.items():
        m = system.identification
        if m is None:
            continue
        for target in m.fpir_targets:
            at = m.at_fpir(target)
            p = at.point
            yield (
                name, target, p.fpir, p.fnir, at.low, at.high, p.threshold, p.errors_open, p.errors_mated, at.caution,
            )  # fmt: skip
        for threshold in m.points.threshold:
            p, _, fnir = m.at_threshold(threshold)
            yield (
                name, None, p.fpir, p.fnir, fnir.low, fnir.high, p.threshold, p.errors_open, p.errors_mated,
                joined(p.caution, fnir.caution),
            )  # fmt: skip


_FORECASTS = ("System", "Gallery", "Rank", "Rate", "Low", "High", "Method", "Caution")


def _forecasts(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for name, system in f.systems.items():
        made = system.prediction
        for g in made.galleries if made is not None else ():
            for k, rank in enumerate(g.ranks):
                ends = (None, None) if g.low is None or g.high is None else (g.low[k], g.high[k])
                yield name, g.gallery_size, rank, g.rate[k], *ends, g.method, g.caution


_QUALITY = (
    "System", "Algorithm", "Rank", "pAUC", "pAUC low", "pAUC high", "pAUC above best", "pAUC relative",
    "Probability best", "Against random", "Caution",
)  # fmt: skip


def _quality(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for name, made in f.quality.items():
        for r in made.results:
            yield (
                name, r.algorithm, r.rank, r.pauc, r.low, r.high, r.pauc_above_best, r.pauc_relative,
                r.probability_best, r.against_random, made.caution,
            )  # fmt: skip


def _inputs(f: Findings) -> Iterator[tuple[Cell, ...]]:
    for name, system in f.systems.items():
        for entry in system.inputs:
            yield name, entry.name, entry.bytes, entry.sha256
    for entry in f.inputs:
        yield None, entry.name, entry.bytes, entry.sha256


def _ends(estimate: Any) -> tuple[Cell, Cell]:
    return (None, None) if estimate is None else (estimate.low, estimate.high)
