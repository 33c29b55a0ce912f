"""`mated compare`: are the differences between systems real."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mated.cli.console import errors, output, print_json, progress_bar, working
from mated.cli.options import numbers, words
from mated.cli.reading import Reading, named_files, with_reading_options

if TYPE_CHECKING:
    from rich.console import Console

    from mated.evaluation import Comparison

__all__ = ["compare", "print_comparison"]


@with_reading_options
def compare(
    reading: Reading,
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Score files of two systems or more.")],
    fmr: Annotated[
        str | None, typer.Option(metavar="F,...", help="False match rates; default: what all tests support.")
    ] = None,
    threshold: Annotated[
        str | None, typer.Option(metavar="T,...", help="Thresholds, where the systems share a scoring system.")
    ] = None,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="The tests share neither subjects nor comparisons.")
    ] = False,
    bootstrap: Annotated[int, typer.Option(metavar="B", help="Bootstrap replicates.")] = 2000,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the replicates.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    plot: Annotated[str | None, typer.Option(metavar="DIR", help="Write a figure into this folder.")] = None,
    plot_format: Annotated[str, typer.Option(metavar="svg,pdf,png", help="Formats of the figure.")] = "svg",
) -> None:
    """Test whether systems differ, on the same comparisons or on different ones.

    Systems tested on the same subjects are compared with the same subjects drawn for both. With more than two
    systems the p-values are corrected for their number (Holm).
    """
    from mated.evaluation import compare as compare_systems
    from mated.evaluation import verify
    from mated.plots.save import check_formats
    from mated.plots.verification import save_comparison

    if len(files) < 2:
        raise typer.BadParameter("give the score files of two systems or more")
    if plot is not None:
        check_formats(words(plot_format))
    sources = named_files(files)
    systems = []
    for name, file in sources.items():
        with working(f"Counting {name} ..."):
            systems.append(verify(reading.read(file), name=name))
    paired: Literal["auto", "no"] = "no" if unpaired else "auto"
    with progress_bar("Comparing") as progress:
        result = compare_systems(
            *systems,
            names=list(sources),
            fmr=None if fmr is None else numbers(fmr, "--fmr"),
            threshold=None if threshold is None else numbers(threshold, "--threshold"),
            paired=paired,
            replicates=bootstrap,
            rng=seed,
            level=level,
            progress=progress,
        )
    if plot is not None:
        save_comparison(result, Path(plot), words(plot_format))
    if json:
        print_json(result.to_dict())
    else:
        print_comparison(output(), result)
    if plot is not None:
        errors().print(f"differences in {plot}", markup=False, soft_wrap=True)


def print_comparison(console: Console, result: Comparison) -> None:
    """Print the differences, who is really better, and what that rests on."""
    from mated.cli.tables import new_table, row
    from mated.report.numbers_in_words import number

    several = len(result.systems) > 2
    columns = ["a", "b", "a − b", f"{100 * result.level:g} % interval", "p", *(["p, corrected"] if several else [])]
    table = new_table("Differences", "Statistic", "System a", "System b", *columns, "real?")
    for d in result.differences:
        span = "–" if d.low is None or d.high is None else f"{number(d.low, 4)}\u00a0to\u00a0{number(d.high, 4)}"
        row(
            table,
            d.statistic,
            d.system_a,
            d.system_b,
            number(d.a, 4),
            number(d.b, 4),
            number(d.difference, 4),
            span,
            _p(d.p_value),
            *([_p(d.p_adjusted)] if several else []),
            "–" if d.p_value is None else "yes" if d.significant else "not shown",
        )
    console.print(table)
    for statistic, ranking in result.rankings.items():
        if several:
            order = ", ".join(
                f"{name} ({letters})" for name, letters in zip(ranking.names, ranking.letters, strict=True)
            )
            console.print(f"  {statistic}, best first: {order}", markup=False, soft_wrap=True)
    if several:
        console.print("  systems that share a letter cannot be told apart at 5 %", markup=False)
    for line in dict.fromkeys([d.method for d in result.differences]):
        drawn = f", {result.replicates} replicates, seed {result.seed}" if "bootstrap" in line else ""
        console.print(f"  {line}{drawn}", markup=False)
    for line in dict.fromkeys(f"! {d.statistic}: {d.caution}" for d in result.differences if d.caution):
        console.print(line, markup=False, soft_wrap=True)


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"
