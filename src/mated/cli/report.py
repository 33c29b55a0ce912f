"""`mated report`: everything about one or more systems on one page, with tables and figures for a paper."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mated.cli.console import errors, output, print_json, say_written, stages, working
from mated.cli.options import Json, figure_formats, numbers, whole_numbers, words
from mated.cli.reading import Reading, with_reading_options
from mated.errors import MatedError

if TYPE_CHECKING:
    from typing import Any

    from rich.console import Console

    from mated.report.findings import Findings
    from mated.report.study import Study

__all__ = ["report"]

_WHAT, _SURE, _OUTPUT = "What to report", "How sure it is", "What to leave behind"


@with_reading_options
def report(
    reading: Reading,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="A study file (.toml), or score files; several are several systems."),
    ] = None,
    mated: Annotated[str | None, typer.Option(metavar="FILE", help="Score list of the mated comparisons.")] = None,
    nonmated: Annotated[
        str | None, typer.Option(metavar="FILE", help="Score list of the non-mated comparisons.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the report.", rich_help_panel=_WHAT)] = None,
    fmr: Annotated[
        str | None, typer.Option(metavar="F,...", help="False match rates, e.g. 1e-2,1e-3.", rich_help_panel=_WHAT)
    ] = None,
    tmr: Annotated[str | None, typer.Option(metavar="R,...", help="True match rates.", rich_help_panel=_WHAT)] = None,
    threshold: Annotated[
        str | None, typer.Option(metavar="T,...", help="Thresholds, as scores are written.", rich_help_panel=_WHAT)
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN,...",
            help="Groups by this column, or by several crossed; may be repeated.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    quality: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Qualities of the samples; may be repeated.", rich_help_panel=_WHAT),
    ] = None,
    gallery: Annotated[
        str | None, typer.Option(metavar="N,...", help="Galleries to forecast, e.g. 1e6.", rich_help_panel=_WHAT)
    ] = None,
    claim: Annotated[
        list[str] | None,
        typer.Option(metavar="CLAIM", help='Such as "eer <= 0.02"; may be repeated.', rich_help_panel=_WHAT),
    ] = None,
    bootstrap: Annotated[
        int | None,
        typer.Option(metavar="B", help="Bootstrap replicates, 2000; 0 for no intervals.", rich_help_panel=_SURE),
    ] = None,
    level: Annotated[
        float | None, typer.Option(help="Confidence level of the intervals, 0.95.", rich_help_panel=_SURE)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random draws, 1.", rich_help_panel=_SURE)] = None,
    json: Json = False,
    page: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="The page that is written.", rich_help_panel=_OUTPUT),
    ] = "report.html",
    figures: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Write figures for a paper into this folder.", rich_help_panel=_OUTPUT),
    ] = None,
    figure_format: Annotated[
        str, typer.Option(metavar="svg,pdf,png", help="Formats of the figures.", rich_help_panel=_OUTPUT)
    ] = "svg,pdf",
    tables: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Write tables as CSV and LaTeX into this folder.", rich_help_panel=_OUTPUT),
    ] = None,
    show_ids: Annotated[
        bool,
        typer.Option("--show-ids", help="Let the page show names of subjects and samples.", rich_help_panel=_OUTPUT),
    ] = False,
) -> None:
    """Write a report: one page with every result, its interval and what it rests on.

    FILE is a study file, which `mated init` writes, or holds comparisons as for `mated verify`. What is given here
    goes before what a study says, and claims are added to its claims.
    """
    from mated.report.evaluate import evaluate
    from mated.report.report import Report, study_for

    formats = figure_formats(figures, figure_format)
    source, how = _source(files or [], mated, nonmated, reading)
    study = study_for(
        source,
        reading=how,
        title=title,
        fmr=None if fmr is None else numbers(fmr, "--fmr"),
        tmr=None if tmr is None else numbers(tmr, "--tmr"),
        threshold=None if threshold is None else numbers(threshold, "--threshold"),
        by=[words(one) for one in by or []],
        quality=quality or (),
        gallery=() if gallery is None else whole_numbers(gallery, "--gallery"),
        claims=claim or (),
        level=level,
        replicates=bootstrap,
        seed=seed,
        show_ids=show_ids or None,
    )
    target = Path(page)
    _check_target(target, study)
    with stages("Reading") as progress:
        made = Report(evaluate(study, progress=progress, command=_command()))
    with working("Writing the page ..."):
        text = made.html()  # before anything is written, so that a failure leaves nothing behind
        result = made.to_dict() if json else {}
    if tables is not None:
        written = made.save_tables(tables)
        errors().print(f"{len(written)} tables in {tables}", markup=False, soft_wrap=True)
    if figures is not None:
        with working("Drawing ..."):
            drawn = made.save_figures(figures, formats)
        say_written(drawn, figures)
    from mated.io.atomic import write_text

    write_text(target, text)
    if json:
        print_json(result)
    else:
        _print_answers(output(), made.findings)
    where = errors() if json else output()
    where.print(f"Report    {target} ({_size(len(text.encode()))})", markup=False, soft_wrap=True)


def _source(
    files: list[str], mated: str | None, nonmated: str | None, reading: Reading
) -> tuple[Any, dict[str, Any] | None]:
    """Return what to report on, and how it is read where that is not in it already."""
    if (mated is None) != (nonmated is None):
        raise typer.BadParameter("--mated and --nonmated go together: two score lists of one system")
    if mated is not None and nonmated is not None:
        if files:
            raise typer.BadParameter("give either FILEs or --mated and --nonmated, not both")
        from mated.report.study import lists_of_one_system

        return lists_of_one_system(mated, nonmated, reading.options), None
    if not files:
        raise typer.BadParameter("give a study file or score files; mated init makes a study of a folder")
    return files, reading.options


def _check_target(target: Path, study: Study) -> None:
    """Refuse a page that cannot be, or that would take the place of what it is made from, before any work."""
    if target.is_dir():
        raise MatedError(f"{target} is a directory; name the page, for instance -o {target / 'report.html'}")
    inputs = [study.path, study.groups.subjects, *(path for system in study.systems for path in system.paths)]
    if any(path is not None and path.exists() and target.exists() and path.samefile(target) for path in inputs):
        raise MatedError(f"{target} is an input of the report; write the page elsewhere (-o report.html)")


def _command() -> str:
    """Return what was typed, without the folders of absolute paths: they are nobody's business."""
    typed = [Path(word).name if Path(word).is_absolute() else word for word in sys.argv[1:]]
    return shlex.join(["mated", *typed])


def _print_answers(console: Console, findings: Findings) -> None:
    """Print the answers to the claims, and what was left out."""
    several = len(findings.systems) > 1
    for answer in findings.claims:
        prefix = f"{answer.system}: " if several else ""
        console.print(f"{answer.claim}\n  {prefix}{answer.sentence}", markup=False, soft_wrap=True)
        if answer.caution:
            console.print(f"  ! {answer.caution}", markup=False, soft_wrap=True)
    for system in findings.systems.values():
        for remark in system.verification.remarks:
            console.print(f"  {system.name}: {remark}", markup=False, soft_wrap=True)
    for section, reason in findings.left_out:
        console.print(f"Left out  {section}: {reason}", markup=False, soft_wrap=True)


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(count / 1e3, 0.1):.1f} kB"
