"""`mated identify`: how well people are found in a gallery."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mated.cli.console import output, print_json, say_written, working
from mated.cli.options import Json, Level, PlotFolder, PlotFormats, Seed, figure_formats, numbers, whole_numbers
from mated.cli.reading import Reading, check_choice, named_files, with_reading_options
from mated.cli.streaming import Engine, Scheduler, Stream, Streaming

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console
    from rich.table import Table

    from mated.evaluation import Identification

__all__ = ["identify", "print_identifications"]

_WHERE, _OUTPUT = "Where to read off", "What to leave behind"
_SURE = "How sure it is"


@with_reading_options
def identify(
    reading: Reading,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Score files with samples; several are several systems.")
    ],
    ranks: Annotated[
        str | None, typer.Option(metavar="R,...", help="Ranks; default: 1,5,10,20.", rich_help_panel=_WHERE)
    ] = None,
    fpir: Annotated[
        str | None,
        typer.Option(
            metavar="F,...",
            help="False positive identification rates; default: what the open-set probes support.",
            rich_help_panel=_WHERE,
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(metavar="T,...", help="Thresholds, as the scores are written.", rich_help_panel=_WHERE),
    ] = None,
    length: Annotated[
        int, typer.Option(metavar="K", help="Candidates looked at for FNIR; 0 for all.", rich_help_panel=_WHERE)
    ] = 1,
    ties: Annotated[
        str,
        typer.Option(
            metavar="expected|pessimistic|optimistic",
            help="Where a mate stands among identities of equal score.",
            rich_help_panel=_WHERE,
        ),
    ] = "expected",
    mate_removed: Annotated[
        bool,
        typer.Option(
            "--mate-removed",
            help="Without open-set probes: take false positives from mated probes, their mate left out.",
            rich_help_panel=_WHERE,
        ),
    ] = False,
    symmetric: Annotated[
        str,
        typer.Option(
            metavar="auto|yes|no", help="Whether each pair of samples is listed once.", rich_help_panel=_WHERE
        ),
    ] = "auto",
    bootstrap: Annotated[
        int,
        typer.Option(metavar="B", help="Bootstrap replicates for FNIR at FPIR; 0 for none.", rich_help_panel=_SURE),
    ] = 2000,
    level: Level = 0.95,
    seed: Seed = 1,
    stream: Stream = None,
    engine: Engine = "local",
    scheduler: Scheduler = None,
    json: Json = False,
    plot: PlotFolder = None,
    plot_format: PlotFormats = "svg",
) -> None:
    """Measure how often the right person is found among those enrolled.

    FILE holds comparisons with probe_sample, reference_sample and both subjects, or a matrix with ids. Every probe is
    searched for among the reference subjects; one with several references scores as its best. A probe whose subject is
    not enrolled is an open-set probe. A file too large to hold is read in chunks; all numbers are the same.
    """
    from mated.evaluation.identify import identify as search
    from mated.evaluation.identify import rank_scan, searches_to_stream

    check_choice(symmetric, "--symmetric", ("auto", "yes", "no"))
    check_choice(ties, "--ties", ("expected", "pessimistic", "optimistic"))
    formats = figure_formats(plot, plot_format)
    asked: dict[str, Any] = {
        "ranks": None if ranks is None else whole_numbers(ranks, "--ranks"),
        "fpir": None if fpir is None else numbers(fpir, "--fpir"),
        "threshold": numbers(threshold, "--threshold"),
        "length": length or None,
        "ties": ties,
        "probes": "mate removed" if mate_removed else "open",
        "symmetric": symmetric,
        "level": level,
        "replicates": bootstrap,
        "rng": seed,
    }
    members: dict[str, Identification] = {}
    with Streaming(stream, None, engine, scheduler) as chunks:
        for name, file in named_files(files).items():
            scan = searches_to_stream(file, stream=chunks.stream, divided=engine != "local", **reading.options)
            if scan is None:
                with working(f"Ranking {name} ..."):
                    members[name] = search(reading.read(file), name=name, **asked)
                continue
            how = chunks.options(scan, bootstrap=False, by_subject=False, individual=False)
            with chunks.showing(f"Ranking {name}"):
                ranks_found = rank_scan(scan, symmetric=asked["symmetric"], runner=how.runner, progress=how.progress)
            members[name] = search(ranks_found, name=name, **asked)
    with working("Resampling ..."):
        results = {name: member.to_dict() for name, member in members.items()} if json else {}
        for member in members.values():
            member.compute()
    written: list[Path] = []
    if plot is not None:
        from mated.plots.identification import save_figures

        with working("Drawing ..."):
            written = save_figures(members, Path(plot), formats)
    if json:
        print_json(next(iter(results.values())) if len(results) == 1 else {"systems": results})
    else:
        print_identifications(output(), members)
    say_written(written, plot)


def print_identifications(console: Console, members: Mapping[str, Identification]) -> None:
    """Print what was searched, the CMC, the open-set errors, and what they rest on."""
    from mated.cli.tables import print_tables

    print_tables(console, [_overview(members), _cmc(members), _open_set(members)], _remarks(members))


def _overview(members: Mapping[str, Identification]) -> Table:
    from mated.cli.tables import new_table, row, span
    from mated.report.numbers_in_words import count, percent

    level = next(iter(members.values())).level
    table = new_table(
        "Identification", "System", "Gallery", "Mated\nprobes", "Open-set\nprobes", "Subjects", "Rank 1",
        f"{100 * level:g} %\ninterval", "Mean rank", "Area under\nthe CMC",
    )  # fmt: skip
    for name, m in members.items():
        first = m.at_rank(1)
        row(
            table,
            name,
            count(m.ranks.gallery_size),
            count(m.ranks.n_mated),
            count(m.ranks.n_open),
            count(m.ranks.n_subjects),
            percent(first.value),
            span(first),
            f"{m.cmc.mean_rank:.4g}",
            f"{m.cmc.area:.6f}",
        )
    return table


def _cmc(members: Mapping[str, Identification]) -> Table:
    from mated.cli.tables import mark, new_table, row, span
    from mated.report.numbers_in_words import count, percent

    level = next(iter(members.values())).level
    ties = any(len(set(m.by_ties(rank).values())) > 1 for m in members.values() for rank in m.ranks_asked)
    columns = ["Rank", "Found", f"{100 * level:g} %\ninterval", "Not found", *(["If ties lose", "If ties win"] * ties)]
    table = new_table("Found at that rank or better (CMC)", "System", *columns)
    for name, m in members.items():
        for rank in m.ranks_asked:
            e = m.at_rank(rank)
            row(
                table,
                name,
                count(rank),
                percent(e.value) + mark(e.caution),
                span(e),
                f"{e.errors:.6g}",
                *([percent(m.by_ties(rank)[rule]) for rule in ("pessimistic", "optimistic")] if ties else []),
            )
        table.add_section()
    return table


def _open_set(members: Mapping[str, Identification]) -> Table:
    from mated.cli.tables import mark, new_table, row, span
    from mated.report.numbers_in_words import number, percent

    level = next(iter(members.values())).level
    between = f"{100 * level:g} %\ninterval"
    table = new_table(
        "People who are not enrolled", "System", "FPIR", "its interval", "FNIR", between, "Threshold", "Candidates",
        "False\npositives", "Missed",
    )  # fmt: skip
    for name, m in members.items():
        for fpir in m.fpir_targets:
            e, p = m.at_fpir(fpir), m.at_fpir(fpir).point
            row(
                table, name, f"≤ {fpir:g}", "–", percent(p.fnir) + mark(e.caution), span(e), number(p.threshold),
                "all" if p.rank is None else str(p.rank), str(p.errors_open), f"{p.errors_mated:.6g}",
            )  # fmt: skip
        for threshold in m.points.threshold:
            p, false, missed = m.at_threshold(threshold)
            row(
                table, name, percent(p.fpir) + mark(false.caution), span(false), percent(p.fnir) + mark(missed.caution),
                span(missed), number(p.threshold), "all" if p.rank is None else str(p.rank), str(p.errors_open),
                f"{p.errors_mated:.6g}",
            )  # fmt: skip
    return table


def _remarks(members: Mapping[str, Identification]) -> list[str]:
    lines: list[str] = []
    decided: list[str] = []
    for name, m in members.items():
        prefix = f"{name}: " if len(members) > 1 else ""
        said = [(f"rank {rank}", m.at_rank(rank).caution) for rank in m.ranks_asked]
        said += [(f"FPIR {fpir:g}", m.at_fpir(fpir).caution) for fpir in m.fpir_targets]
        for threshold in m.points.threshold:
            point, false, missed = m.at_threshold(threshold)
            said.append((f"threshold {threshold:g}", point.caution))
            said += [
                (f"{rate} at threshold {threshold:g}", e.caution) for rate, e in (("FPIR", false), ("FNIR", missed))
            ]
        lines += [f"! {prefix}{where}: {caution}" for where, caution in said if caution]
        decided += [f"  {prefix}{remark}" for remark in m.remarks]
    lines = list(dict.fromkeys(lines + decided))
    if any(line.startswith("!") for line in lines):
        lines.insert(0, "A number marked ! rests on little; why:")
    m = next(iter(members.values()))
    lines.append(
        f"  ties: {m.ties}; intervals: {100 * m.level:g} %, over the subjects who searched, gallery held fixed"
    )
    return lines
