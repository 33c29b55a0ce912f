"""`mated variability`: how many bootstrap replicates are enough for a file of scores."""

from __future__ import annotations

import os
from contextlib import nullcontext
from math import floor, log10
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mated.cli.console import errors, output, print_json, progress_bar, working
from mated.cli.options import numbers
from mated.cli.reading import Reading, check_choice, with_reading_options

if TYPE_CHECKING:
    from rich.table import Table

    from mated.evaluation.variability import Repeated, Spread, Variability

__all__ = ["variability"]


@with_reading_options
def variability(
    reading: Reading,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Score file of one system.")],
    fmr: Annotated[
        float | None, typer.Option(metavar="F", help="False match rate; default: the lowest the data support.")
    ] = None,
    replicates: Annotated[
        str, typer.Option(metavar="B,...", help="Numbers of bootstrap replicates to try.")
    ] = "500,1000,2000,5000",
    runs: Annotated[int, typer.Option(metavar="R", help="How often each bootstrap is repeated.")] = 500,
    tolerance: Annotated[
        float, typer.Option(help="B is enough if interval ends spread by at most this share of the width.")
    ] = 0.02,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    intervals: Annotated[
        str, typer.Option(metavar="auto|subject|iid", help="auto: by subject where subjects are known.")
    ] = "auto",
    seconds: Annotated[
        float, typer.Option(help="About how long it may take; fewer runs are made where that is short, 0: no limit.")
    ] = 10.0,
    seed: Annotated[int, typer.Option(help="Seed of the replicates.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Repeat the bootstrap many times and say how many replicates are enough for these scores."""
    from mated.evaluation.variability import variability as repeat
    from mated.evaluation.verify import bare_name, verify

    check_choice(intervals, "--intervals", ("auto", "subject", "iid"))
    options: dict[str, Any] = {
        "fmr": fmr,
        "replicates": numbers(replicates, "--replicates"),
        "runs": runs,
        "rng": seed,
        "level": level,
        "tolerance": tolerance,
        "intervals": intervals,
        "seconds": seconds or None,
        "threads": min(os.cpu_count() or 1, 8),
    }
    with working("Counting ..."):
        v = verify(reading.read(file), name=bare_name(file))
    # A bar that nobody sees would still leave an empty line in a log.
    with progress_bar("Resampling") if errors().is_terminal else nullcontext() as progress:
        result = repeat(v, **options, progress=progress)
    if json:
        print_json(result.to_dict())
        return
    _print(result)


def _print(result: Variability) -> None:
    from rich.text import Text

    from mated.report.numbers_in_words import target

    console = output()
    console.print(Text(result.sentence, style="bold"))
    names = {"tmr": f"TMR at FMR {target(result.fmr)}", "eer": "EER"}
    for statistic, name in names.items():
        table = _table(f"{name} in %: mean ± standard deviation over runs, and below it the range of 95 % of them")
        for r in result.results:
            if r.statistic == statistic:
                table.add_row(*_cells(r, enough=r.ends_to_width <= result.tolerance))
        console.print(table)
    what = "subjects" if result.method == "subject-level" else "comparisons"
    lines = [f"! {note}" for note in result.notes]
    lines.append(f"  intervals: {100 * result.level:g} %, {what} resampled, seed {result.seed}")
    lines.append(
        f"  enough: the ends' standard deviation is at most {100 * result.tolerance:g} % of the interval's width"
    )
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def _table(title: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", header_style="", box=box.SIMPLE_HEAD)
    columns = ("B", "Runs", "Standard error", "varies by", "Low end", "High end", "Ends / width", "Enough")
    for column in columns:
        table.add_column(column, justify="right", overflow="fold")
    return table


def _cells(r: Repeated, *, enough: bool) -> list[str]:
    return [
        str(r.replicates),
        str(r.runs),
        _spread(r.se),
        "–" if r.se.relative is None else f"{100 * r.se.relative:.2g}\u00a0%",
        _spread(r.low),
        _spread(r.high),
        f"{100 * r.ends_to_width:.2g}\u00a0%",
        "yes" if enough else "no",
    ]


def _spread(over_runs: Spread) -> str:
    """Write percentages with the digits that the standard deviation leaves."""
    sd = 100 * over_runs.sd
    digits = min(max(1 - floor(log10(sd)), 0), 12) if sd > 0 else 4
    mean, low, high = (f"{100 * value:.{digits}f}" for value in (over_runs.mean, over_runs.low, over_runs.high))
    return f"{mean}\u00a0±\u00a0{sd:.{digits}f}\n{low}\u00a0to\u00a0{high}"
