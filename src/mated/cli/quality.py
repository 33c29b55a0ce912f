"""`mated quality`: which quality algorithm to trust, by how much, and how sure that is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mated.cli.console import errors, output, print_json, progress_bar, say_written, working
from mated.cli.options import Json, Level, PlotFolder, PlotFormats, Seed, figure_formats, numbers, words
from mated.cli.reading import Reading, check_choice, with_reading_options
from mated.evaluation.verify import bare_name

if TYPE_CHECKING:
    from mated.evaluation import QualityEvaluation

__all__ = ["quality"]

_CURVE, _SURE = "Which curve", "How sure it is"
_TABLES, _OUTPUT = "How to read the qualities", "What to leave behind"
_PAIRS = ("minimum", "maximum", "mean", "product", "geometric-mean")
_MOST_THREADS = 4


@with_reading_options
def quality(
    reading: Reading,
    file: Annotated[str, typer.Argument(metavar="SCORES", help="Score file with samples.")],
    qualities: Annotated[
        list[str] | None,
        typer.Option(
            "--quality",
            metavar="FILE",
            help="Qualities of the samples; several files are put together.",
            rich_help_panel=_TABLES,
        ),
    ] = None,
    pair_quality: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN,...", help="... or columns of SCORES that hold pair qualities.", rich_help_panel=_TABLES
        ),
    ] = None,
    sample_column: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the sample.", rich_help_panel=_TABLES)
    ] = None,
    quality_column: Annotated[
        str | None,
        typer.Option(metavar="COLUMN,...", help="Columns of the qualities; default: all.", rich_help_panel=_TABLES),
    ] = None,
    algorithm_column: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column that names the algorithm.", rich_help_panel=_TABLES),
    ] = None,
    subject_column: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the sample's subject.", rich_help_panel=_TABLES)
    ] = None,
    type: Annotated[  # noqa: A002
        str,
        typer.Option(
            metavar="fnm|fm|cs|dprime|fc|det",
            help="False non-matches, false matches, mean score, d′, one rate with the other held, DET curves.",
            rich_help_panel=_CURVE,
        ),
    ] = "fnm",
    starting_error: Annotated[
        float, typer.Option(metavar="E", help="Error rate with nothing discarded.", rich_help_panel=_CURVE)
    ] = 0.05,
    threshold: Annotated[
        float | None,
        typer.Option(metavar="T", help="... or the threshold, as scores are written.", rich_help_panel=_CURVE),
    ] = None,
    limit: Annotated[
        float, typer.Option(metavar="D", help="Discard fraction up to which areas go.", rich_help_panel=_CURVE)
    ] = 0.2,
    pair: Annotated[
        str,
        typer.Option(metavar="|".join(_PAIRS), help="How two sample qualities become one.", rich_help_panel=_CURVE),
    ] = "minimum",
    among: Annotated[
        str, typer.Option(metavar="kept|all", help="Errors among those kept, or over all.", rich_help_panel=_CURVE)
    ] = "kept",
    interpolation: Annotated[
        str, typer.Option(metavar="step|linear", help="How points are joined.", rich_help_panel=_CURVE)
    ] = "step",
    axis: Annotated[
        str,
        typer.Option(metavar="comparisons|samples", help="What a discard fraction is one of.", rich_help_panel=_CURVE),
    ] = "comparisons",
    of: Annotated[
        str, typer.Option(metavar="mated|nonmated", help="For cs: whose mean score.", rich_help_panel=_CURVE)
    ] = "mated",
    fixed_fmr: Annotated[
        float | None, typer.Option(metavar="F", help="For fc: FMR that is held [0.01].", rich_help_panel=_CURVE)
    ] = None,
    fixed_fnmr: Annotated[
        float | None, typer.Option(metavar="F", help="For fc: FNMR that is held.", rich_help_panel=_CURVE)
    ] = None,
    d_prime: Annotated[
        str,
        typer.Option(
            metavar="schlett2023|usual", help="For dprime: by Eq. 3, or √2 times that.", rich_help_panel=_CURVE
        ),
    ] = "schlett2023",
    fractions: Annotated[
        str, typer.Option(metavar="D,...", help="For det: discard fractions.", rich_help_panel=_CURVE)
    ] = "0,0.05,0.1,0.2",
    bins: Annotated[
        bool, typer.Option("--bins", help="For det: disjoint bins of quality.", rich_help_panel=_CURVE)
    ] = False,
    bootstrap: Annotated[
        int, typer.Option(metavar="B", help="Bootstrap replicates for intervals; 0 for none.", rich_help_panel=_SURE)
    ] = 1000,
    level: Level = 0.95,
    seed: Seed = 1,
    resample: Annotated[
        str,
        typer.Option(
            metavar="auto|subjects|joined-samples|comparisons",
            help="auto: subjects where known, else people known by their samples.",
            rich_help_panel=_SURE,
        ),
    ] = "auto",
    hold_threshold: Annotated[
        bool,
        typer.Option(
            "--hold-threshold", help="Keep the threshold in replicates, not the error.", rich_help_panel=_SURE
        ),
    ] = False,
    stability: Annotated[
        bool,
        typer.Option("--stability", help="Rank at 10 starting errors and 20 limits too.", rich_help_panel=_OUTPUT),
    ] = False,
    scalars: Annotated[
        bool, typer.Option("--scalars", help="Add measures that discard nothing.", rich_help_panel=_OUTPUT)
    ] = False,
    json: Json = False,
    curves: Annotated[
        bool, typer.Option("--curves", help="Put the curves into the JSON.", rich_help_panel=_OUTPUT)
    ] = False,
    plot: PlotFolder = None,
    plot_format: PlotFormats = "svg",
) -> None:
    """Measure which quality algorithm tells best which comparisons will go wrong.

    SCORES holds comparisons with probe_sample and reference_sample. A quality file is a CSV, TSV or Parquet table
    with a column sample and one column an algorithm, or with the columns sample, algorithm and quality; higher is
    better. The dasec JSON holds both. Comparisons are discarded, lowest quality first, and what is left is measured.
    """
    from mated.evaluation.quality import quality as evaluate
    from mated.io.quality_files import QualityColumns, is_quality_file

    check_choice(type, "--type", ("fnm", "fm", "cs", "dprime", "fc", "det"))
    check_choice(pair, "--pair", _PAIRS)
    check_choice(among, "--among", ("kept", "all"))
    check_choice(interpolation, "--interpolation", ("step", "linear"))
    check_choice(axis, "--axis", ("comparisons", "samples"))
    check_choice(of, "--of", ("mated", "nonmated"))
    check_choice(d_prime, "--d-prime", ("schlett2023", "usual"))
    check_choice(resample, "--resample", ("auto", "subjects", "joined-samples", "comparisons"))
    if fixed_fmr is not None and fixed_fnmr is not None:
        raise typer.BadParameter("one rate is held: give --fixed-fmr or --fixed-fnmr")
    formats = figure_formats(plot, plot_format)
    settings: dict[str, Any] = {
        "type": type,
        "starting_error": starting_error,
        "threshold": threshold,
        "limit": limit,
        "pair": pair.replace("-", " "),
        "among": among,
        "interpolation": interpolation,
        "axis": axis,
        "of": of,
        "fixed": "fnmr" if fixed_fnmr is not None else "fmr",
        "rate": next((rate for rate in (fixed_fmr, fixed_fnmr) if rate is not None), 0.01),
        "d_prime": d_prime,
        "fractions": numbers(fractions, "--fractions"),
        "division": "bins" if bins else "discard",
        "replicates": bootstrap,
        "rng": seed,
        "level": level,
        "refind": not hold_threshold,
        "resample": resample.replace("-", " "),
        "threads": _threads(),
        "curves": curves,
        "stability": stability,
        "scalars": scalars,
    }
    tables = QualityColumns(sample_column, subject_column, algorithm_column, words(quality_column))
    with working(f"Reading {file} ..."):
        sources = qualities or ([file] if pair_quality is None and is_quality_file(file) else None)
        evaluation = evaluate(
            reading.read(file),
            sources,
            pair_columns=words(pair_quality),
            quality_columns=tables,
            name=bare_name(file),
            **settings,
        )
    result, written = _computed(evaluation, None if plot is None else Path(plot), formats)
    if json:
        print_json(result)
    else:
        from mated.cli.quality_tables import print_quality

        print_quality(output(), evaluation)
    say_written(written, plot)


def _computed(
    evaluation: QualityEvaluation, folder: Path | None, formats: tuple[str, ...]
) -> tuple[dict[str, Any], list[Path]]:
    """Compute everything that will be printed, and draw: an error leaves no half of a result."""
    with working("Sorting ..."):
        _ = evaluation.parts if evaluation.settings.type == "det" else evaluation.curves
    if evaluation.replicates and errors().is_terminal:
        with progress_bar("Resampling") as move:
            evaluation.resample(move)
    with working("Counting ..."):
        result = evaluation.to_dict()
    if folder is None:
        return result, []
    from mated.plots.quality_evaluation import save_figures

    with working("Drawing ..."):
        return result, save_figures(evaluation, folder, formats)


def _threads() -> int:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, _MOST_THREADS)
