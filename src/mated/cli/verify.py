"""`mated verify`: error rates of one or more systems from their score files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from mated.cli.console import output, print_json, say_written, working
from mated.cli.options import Json, Level, PlotFolder, PlotFormats, Seed, figure_formats, numbers, words
from mated.cli.reading import Reading, check_choice, named_files, with_reading_options
from mated.cli.streaming import CheckpointFolder, Engine, Scheduler, Stream, Streaming
from mated.errors import MatedError
from mated.evaluation.verify import bare_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mated.evaluation import Bootstrap, Verifications

__all__ = ["verify"]

_WHERE, _OUTPUT = "Where to read off", "What to leave behind"
_SURE = "How sure it is"


@with_reading_options
def verify(
    reading: Reading,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="Score files; several are several systems.")
    ] = None,
    mated: Annotated[str | None, typer.Option(metavar="FILE", help="Score list of the mated comparisons.")] = None,
    nonmated: Annotated[
        str | None, typer.Option(metavar="FILE", help="Score list of the non-mated comparisons.")
    ] = None,
    fmr: Annotated[
        str | None,
        typer.Option(
            metavar="F,...",
            help="False match rates, e.g. 1e-2,1e-3; default: what the data support.",
            rich_help_panel=_WHERE,
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(metavar="T,...", help="Thresholds, as the scores are written.", rich_help_panel=_WHERE),
    ] = None,
    tmr: Annotated[str | None, typer.Option(metavar="R,...", help="True match rates.", rich_help_panel=_WHERE)] = None,
    threshold_from: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Set the threshold on this file and report the half total error rate.",
            rich_help_panel=_WHERE,
        ),
    ] = None,
    threshold_at: Annotated[
        str,
        typer.Option(metavar="eer|F", help="... at its EER, or at this false match rate.", rich_help_panel=_WHERE),
    ] = "eer",
    prior: Annotated[
        float | None,
        typer.Option(help="Prior of mated comparisons, for detection costs.", rich_help_panel=_WHERE),
    ] = None,
    cost_miss: Annotated[float, typer.Option(help="Cost of a false non-match.", rich_help_panel=_WHERE)] = 1.0,
    cost_false: Annotated[float, typer.Option(help="Cost of a false match.", rich_help_panel=_WHERE)] = 1.0,
    fte: Annotated[
        str | None,
        typer.Option(
            metavar="R|K/N", help="Failure-to-enrol rate, e.g. 0.01 or 3/300: adds GFRR, GFAR.", rich_help_panel=_WHERE
        ),
    ] = None,
    fta: Annotated[
        str | None,
        typer.Option(
            metavar="R|K/N", help="Failure-to-acquire rate of attempts not in the files.", rich_help_panel=_WHERE
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="COLUMN,...", help="One result for each value of these columns.", rich_help_panel=_WHERE),
    ] = None,
    individual: Annotated[
        bool,
        typer.Option("--individual", help="Add the ROCs of single subjects and their average.", rich_help_panel=_WHERE),
    ] = False,
    symmetric: Annotated[
        str,
        typer.Option(
            metavar="auto|yes|no", help="Whether each pair is listed once, for --individual.", rich_help_panel=_WHERE
        ),
    ] = "auto",
    bootstrap: Annotated[
        int, typer.Option(metavar="B", help="Bootstrap replicates for intervals; 0 for none.", rich_help_panel=_SURE)
    ] = 2000,
    level: Level = 0.95,
    intervals: Annotated[
        str,
        typer.Option(
            metavar="auto|subject|iid|bootstrap|wilson|clopper-pearson|jeffreys",
            help="auto: by subject where subjects are known, else as if independent.",
            rich_help_panel=_SURE,
        ),
    ] = "auto",
    seed: Seed = 1,
    stream: Stream = None,
    checkpoint: CheckpointFolder = None,
    engine: Engine = "local",
    scheduler: Scheduler = None,
    json: Json = False,
    plot: PlotFolder = None,
    plot_format: PlotFormats = "svg",
) -> None:
    """Measure how often a system errs when it compares two samples.

    FILE holds comparisons: a CSV, TSV or Parquet table with a score and either a mated flag or two subject
    columns, a matrix with ids, lists of bob (--format bob), BEE matrices, trials or FRTE logs with a --key. A folder or
    a pattern in quotation marks is one table. Two plain score lists are given by --mated and --nonmated. A file too
    large to hold is read in chunks; operating points and their intervals are the same.
    """
    from mated.evaluation import Verification, Verifications
    from mated.evaluation.verification import Costs, OperatingPoints
    from mated.verification.failures import FailureRates
    from mated.verification.rates import exact_rate

    check_choice(symmetric, "--symmetric", ("auto", "yes", "no"))
    sources = _sources(files or [], mated, nonmated)
    formats = figure_formats(plot, plot_format)
    points = OperatingPoints(
        None if fmr is None else numbers(fmr, "--fmr"), numbers(tmr, "--tmr"), numbers(threshold, "--threshold")
    )
    failures = FailureRates.of(fte=fte, fta=fta)
    for rate in points.fmr or ():
        exact_rate(rate, "--fmr: a false match rate")
    for rate in points.tmr:
        exact_rate(rate, "--tmr: a true match rate", one_allowed=True)

    settings: dict[str, Any] = {
        "costs": None if prior is None else Costs(prior, cost_miss, cost_false),
        "symmetric": _literal(symmetric),
        "individual": individual,
        "failures": failures,
    }
    groups = None if by is None else words(by)
    by_subject = bool(bootstrap) and intervals in ("auto", "subject")

    with Streaming(stream, checkpoint, engine, scheduler) as chunks:

        def evaluate(
            name: str, source: dict[str, Any], at: OperatingPoints, groups: Sequence[str] | None, **more: Any
        ) -> Verifications:
            """Evaluate one system, or its groups."""
            scan = chunks.scan(reading, source)
            if scan is None:
                with working(f"Counting {name} ..."):
                    layout = reading.read(**source)
                    v = Verification(layout.tally(), name=name, layout=layout, points=at, **settings, **more)
                return Verifications({name: v}) if groups is None else v.by(*groups)
            from mated.evaluation.streaming import stream_by, verify_scan

            how = chunks.options(scan, bootstrap=bool(bootstrap), by_subject=by_subject, individual=individual)
            given = {"points": at, "options": how, "name": name, **settings, **more}
            with chunks.showing(f"Counting {name}"):
                found = (
                    Verifications({name: verify_scan(scan, **given)})
                    if groups is None
                    else stream_by(scan, groups, **given)
                )
                for v in found.values():
                    _ = v.n_subjects  # subjects take a pass of their own, shown like the others
                    if individual:
                        _ = v.average_roc
            return found

        transferred = None
        if threshold_from is not None:
            where = _threshold_at(threshold_at)
            points_from = points if where is None else OperatingPoints((where,))
            development = evaluate(threshold_from, {"source": threshold_from}, points_from, None).only()
            transferred = development.eer().threshold if where is None else development.at_fmr(where).threshold
        results = {
            name: evaluate(name, source, points, groups, transferred_threshold=transferred)
            for name, source in sources.items()
        }
        for name, found in results.items():
            for v in found.values():
                if threshold_from is not None and v.tally.dissimilarity != development.tally.dissimilarity:
                    raise MatedError(
                        f"{threshold_from} and {name} do not agree whether scores are dissimilarities, so a threshold "
                        "of one means nothing in the other; say --dissimilarity or --similarity"
                    )
                if individual:
                    _ = v.average_roc  # say what is missing before anything is printed
                if prior is not None:
                    v.detection_cost(prior=prior, miss=cost_miss, false=cost_false)
                for at in points.threshold:
                    v.at_threshold(at)
        members = _together(results, grouped=groups is not None)
        sure = {}
        if bootstrap:
            with working("Resampling ..."):
                sure = members.bootstrap(bootstrap, rng=seed, level=level, intervals=intervals)
                for b in sure.values():
                    b.eer()
        written = []
        if plot is not None:
            from mated.plots.verification import save_figures

            with working("Drawing ..."):
                written = save_figures(members, Path(plot), formats, individual=individual, bootstraps=sure)
        if json:
            print_json(_dictionary(members, sure, alone=by is None and len(members) == 1))
        else:
            from mated.cli.tables import print_verifications

            print_verifications(output(), members, bootstraps=sure, individual=individual)
        say_written(written, plot)


def _together(results: Mapping[str, Verifications], *, grouped: bool) -> Verifications:
    """Put the results of all systems side by side; groups of several systems are named by both."""
    from mated.evaluation import Verifications

    short = not grouped or len(results) == 1
    return Verifications(
        {(label if short else f"{name}: {label}"): v for name, found in results.items() for label, v in found.items()},
        kind="groups" if grouped else "systems",
        notes=tuple(note for found in results.values() for note in found.notes),
    )


def _dictionary(members: Verifications, sure: Mapping[str, Bootstrap], *, alone: bool) -> dict[str, Any]:
    """Return what `--json` prints: `to_dict()` of the one result, or of all of them under their names."""
    if alone:
        name, v = next(iter(members.items()))
        return (sure[name] if sure else v).to_dict()
    result = {name: (sure[name] if sure else v).to_dict() for name, v in members.items()}
    return {members.kind: result, "notes": list(members.notes)}


def _literal(symmetric: str) -> Literal["auto", "yes", "no"]:
    return symmetric  # type: ignore[return-value]


def _sources(files: list[str], mated: str | None, nonmated: str | None) -> dict[str, dict[str, Any]]:
    """Name what is to be evaluated: each file by its bare name, as it was given where names repeat."""
    if (mated is None) != (nonmated is None):
        raise typer.BadParameter("--mated and --nonmated go together: two score lists of one system")
    if mated is not None and nonmated is not None:
        if files:
            raise typer.BadParameter("give either FILEs or --mated and --nonmated, not both")
        return {f"{bare_name(mated)} + {bare_name(nonmated)}": {"mated": mated, "nonmated": nonmated}}
    if not files:
        raise typer.BadParameter("give a score file, or --mated FILE and --nonmated FILE")
    return {name: {"source": file} for name, file in named_files(files).items()}


def _threshold_at(where: str) -> float | None:
    """Return the false match rate at which a threshold is set, None for the equal error rate."""
    if where == "eer":
        return None
    rates = numbers(where, "--threshold-at")
    if len(rates) != 1:
        raise MatedError(f"--threshold-at takes 'eer' or one false match rate, not {where!r}")
    return rates[0]
