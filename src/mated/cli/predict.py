"""`mated predict`: how well people would be found in a gallery of another size."""

from __future__ import annotations

from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mated.cli.console import output, print_json, progress_bar, say_written, working
from mated.cli.options import Json, Level, PlotFolder, PlotFormats, Seed, figure_formats, numbers, whole_numbers
from mated.cli.reading import Reading, check_choice, named_files, with_reading_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from rich.console import Console
    from rich.table import Table

    from mated.evaluation import Prediction, Verification
    from mated.identification import ExpectedCmc

__all__ = ["predict", "print_predictions"]

_ASKED, _OUTPUT = "What is asked", "What to leave behind"
_SURE = "How sure it is"
_METHODS = ("auto", "average", "global", "individual", "bolle", "narrow", "step", "hypergeometric", "tail")
_POINTS_PER_DECADE = 3


@with_reading_options
def predict(
    reading: Reading,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Score files with subjects; several are several systems.")
    ],
    gallery: Annotated[
        str,
        typer.Option(metavar="N,...", help="Identities enrolled, e.g. 1e3,1e6,1e9.", rich_help_panel=_ASKED),
    ],
    ranks: Annotated[
        str | None, typer.Option(metavar="R,...", help="Ranks; default: 1,5,10,20.", rich_help_panel=_ASKED)
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="auto|average|global|individual|bolle|narrow|step|hypergeometric|tail",
            help="auto: what suits the size of the gallery.",
            rich_help_panel=_ASKED,
        ),
    ] = "auto",
    fpir: Annotated[
        str | None,
        typer.Option(
            metavar="F,...", help="Predict FNIR at false positive identification rates.", rich_help_panel=_ASKED
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(metavar="T,...", help="Predict FPIR and FNIR at thresholds.", rich_help_panel=_ASKED),
    ] = None,
    length: Annotated[
        int, typer.Option(metavar="K", help="Candidates looked at for FNIR; 0 for all.", rich_help_panel=_ASKED)
    ] = 1,
    bootstrap: Annotated[
        int, typer.Option(metavar="B", help="Draws of subjects for the intervals; 0 for none.", rich_help_panel=_SURE)
    ] = 200,
    level: Level = 0.95,
    seed: Seed = 1,
    json: Json = False,
    plot: PlotFolder = None,
    plot_format: PlotFormats = "svg",
) -> None:
    """Predict identification from verification: how often the right person would be found among N.

    FILE holds comparisons with both subjects. Galleries up to the size of the data are predicted from the data
    themselves, larger ones by a model of how the scores of other people fall off; what a number rests on is said.
    """
    from mated.evaluation import verify
    from mated.evaluation.predict import predict as forecast

    check_choice(method, "--method", _METHODS)
    formats = figure_formats(plot, plot_format)
    sizes = whole_numbers(gallery, "--gallery")
    asked: dict[str, Any] = {
        "ranks": None if ranks is None else whole_numbers(ranks, "--ranks"),
        "method": method,
        "length": length or None,
        "replicates": bootstrap,
        "rng": seed,
        "level": level,
    }
    at: dict[str, Any] = {"fpir": numbers(fpir, "--fpir"), "threshold": numbers(threshold, "--threshold")}
    made: dict[str, Prediction] = {}
    drawn: dict[str, Prediction] = {}
    systems: dict[str, Verification] = {}
    for name, file in named_files(files).items():
        with working(f"Counting {name} ..."):
            systems[name] = verify(reading.read(file), name=name)
        with progress_bar(f"Predicting {name}") as progress:
            made[name] = forecast(systems[name], gallery=sizes, **asked, **at, progress=progress)
            if plot is not None:
                curve = {**asked, "ranks": made[name].galleries[0].ranks[:1]}
                drawn[name] = forecast(systems[name], gallery=_grid(sizes), **curve, progress=progress)
    written: list[Path] = []
    if plot is not None:
        with working("Drawing ..."):
            written = _draw(systems, drawn, Path(plot), formats)
    if json:
        results = {name: p.to_dict() for name, p in made.items()}
        print_json(next(iter(results.values())) if len(results) == 1 else {"systems": results})
    else:
        print_predictions(output(), made)
    say_written(written, plot)


def _grid(sizes: tuple[int, ...]) -> list[int]:
    """Return galleries from 10 to the largest one asked for, some in every power of ten, those asked for among them."""
    from math import ceil, log10

    largest = max(*sizes, 100)
    steps = range(_POINTS_PER_DECADE, ceil(_POINTS_PER_DECADE * log10(largest)) + 1)
    between = (round(10 ** (k / _POINTS_PER_DECADE)) for k in steps)
    return sorted({*sizes, *(n for n in between if n <= largest)})


def _draw(
    systems: Mapping[str, Verification], predictions: Mapping[str, Prediction], folder: Path, formats: tuple[str, ...]
) -> list[Path]:
    from mated.plots.save import save_axes
    from mated.plots.verification import file_endings

    endings = [""] if len(predictions) == 1 else file_endings(list(predictions))
    written: list[Path] = []
    for (name, prediction), ending in zip(predictions.items(), endings, strict=True):
        v = systems[name]
        own = _own_gallery(v)
        rank = prediction.galleries[0].ranks[0]
        measured = [] if own is None else [(own.gallery_size, float(own.rate[rank - 1]), nan, nan)]
        figures = {"gallery": prediction.plot(measured=measured)}
        if own is not None:
            figures |= _against_roc(v, own)
        for figure, axes in figures.items():
            written += save_axes(axes, folder, figure + ending, formats)
    return written


def _own_gallery(v: Verification) -> ExpectedCmc | None:
    """Return what galleries of one reference an identity, drawn from the data, give on average."""
    from mated.errors import MatedError
    from mated.identification import expected_cmc

    if v.n_subjects is None or v.layout is None:
        return None
    try:
        return expected_cmc(v.layout)
    except MatedError:  # probes cannot be told apart, or there are too many
        return None


def _against_roc(v: Verification, own: ExpectedCmc) -> dict[str, Axes]:
    """Draw the CMC of the data's own gallery beside the ROCs, and against what these predict."""
    import numpy as np

    from mated.identification import cmc_of_roc, global_roc
    from mated.plots import draw_empirical_against_predicted, draw_fractional

    n = own.gallery_size
    rocs = {"average ROC": v.average_roc, "global ROC": global_roc(v.tally)}
    predicted = {name: cmc_of_roc(roc, n, own.ranks) for name, roc in rocs.items()}
    fraction = np.asarray(own.ranks) / n
    return {
        "fractional_rank": draw_fractional(
            {name: (roc.fmr, roc.tmr) for name, roc in rocs.items()},
            predicted={"average ROC": (fraction, predicted["average ROC"])},
            empirical={"empirical CMC": (fraction, own.rate)},
        ),
        "predicted": draw_empirical_against_predicted(predicted, own.rate),
    }


def print_predictions(console: Console, predictions: Mapping[str, Prediction]) -> None:
    """Print the predicted rates, what other methods say, the open-set errors, and what they rest on."""
    from mated.cli.tables import print_tables

    tables = [_rates(predictions), _beside(predictions), _individual(predictions), _open_set(predictions)]
    print_tables(console, tables, _remarks(predictions))


def _rates(predictions: Mapping[str, Prediction]) -> Table:
    from mated.cli.tables import mark, new_table, row
    from mated.report.numbers_in_words import between, count, percent

    level = next(iter(predictions.values())).level
    columns = ["Gallery", "Rank", "Found", f"{100 * level:g} %\ninterval", "Method"]
    table = new_table("Predicted to be found at that rank or better", "System", *columns)
    for name, prediction in predictions.items():
        for g in prediction.galleries:
            for k, rank in enumerate(g.ranks):
                ends = (None, None) if g.low is None or g.high is None else (g.low[k], g.high[k])
                row(
                    table, name, count(g.gallery_size), str(rank), percent(g.rate[k]) + mark(g.caution), between(*ends),
                    g.method,
                )  # fmt: skip
            table.add_section()
    return table


def _beside(predictions: Mapping[str, Prediction]) -> Table:
    from mated.cli.tables import new_table, row
    from mated.report.numbers_in_words import count, percent

    first = next(iter(predictions.values())).galleries[0].ranks[0]
    names = list(dict.fromkeys(name for p in predictions.values() for g in p.galleries for name in g.beside))
    table = new_table(f"The same by other methods, rank {first}", "System", "Gallery", *names)
    for name, prediction in predictions.items():
        for g in prediction.galleries:
            cells = [percent(g.beside[other][0]) if other in g.beside else "–" for other in names]
            row(table, name, count(g.gallery_size), *cells)
    return table


def _individual(predictions: Mapping[str, Prediction]) -> Table:
    from mated.cli.tables import new_table, row
    from mated.report.numbers_in_words import count, percent

    spread = {name: [g for g in p.galleries if g.individual] for name, p in predictions.items()}
    shown = next((g.individual for made in spread.values() for g in made if g.individual), {})
    table = new_table("How people differ: quantiles of their own rates", "System", "Gallery", "Rank", *shown)
    for name, made in spread.items():
        for g in made:
            for k, rank in enumerate(g.ranks):
                values = [percent(rates[k]) for rates in (g.individual or {}).values()]
                row(table, name, count(g.gallery_size), str(rank), *values)
    return table


def _open_set(predictions: Mapping[str, Prediction]) -> Table:
    from mated.cli.tables import mark, new_table, row
    from mated.report.numbers_in_words import between, count, number, percent

    table = new_table(
        "People who are not enrolled, predicted", "System", "Gallery", "FPIR", "its interval", "FNIR", "its interval",
        "Threshold", "Method",
    )  # fmt: skip
    for name, prediction in predictions.items():
        for g in prediction.galleries:
            for p in g.open_set:
                asked = percent(p.fpir) if p.fpir_target is None else f"≤ {p.fpir_target:g}"
                row(
                    table, name, count(g.gallery_size), asked, between(p.fpir_low, p.fpir_high),
                    percent(p.fnir) + mark(p.caution), between(p.fnir_low, p.fnir_high), number(p.threshold, 6),
                    p.method,
                )  # fmt: skip
    return table


def _remarks(predictions: Mapping[str, Prediction]) -> list[str]:
    from mated.report.numbers_in_words import count

    lines: list[str] = []
    decided: list[str] = []
    for name, prediction in predictions.items():
        prefix = f"{name}: " if len(predictions) > 1 else ""
        lines += [
            f"! {prefix}gallery of {count(g.gallery_size)}: {g.caution}" for g in prediction.galleries if g.caution
        ]
        resolved = prediction.resolution
        if resolved is not None:
            decided.append(
                f"  {prefix}{count(prediction.subjects)} subjects; the scores of one resolve galleries up to about "
                f"{count(resolved.largest_gallery)}"
            )
        decided += [f"  {prefix}{remark}" for remark in prediction.remarks]
    lines += decided
    p = next(iter(predictions.values()))
    if p.replicates and any(g.low is not None for g in p.galleries):
        lines.append(f"  intervals: {100 * p.level:g} %, {p.replicates} draws of subjects, seed {p.seed}")
    lines.append("  one reference an identity; the person searched for is enrolled")
    if any(line.startswith("!") for line in lines):
        lines.insert(0, "A number marked ! is to be taken with care; why:")
    return lines
