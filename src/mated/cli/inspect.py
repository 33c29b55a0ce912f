"""`mated inspect`: what score files hold, and what can be computed from them."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from mated.cli.console import errors, output, print_json, progress_bar
from mated.cli.options import Json  # noqa: TC001 - Typer reads the annotation
from mated.cli.reading import Reading, named_files, with_reading_options

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from mated.evaluation.inspection import Inspection
    from mated.evaluation.inspection_facts import ClassScores

__all__ = ["inspect", "print_inspection"]


@with_reading_options
def inspect(
    reading: Reading,
    files: Annotated[list[str] | None, typer.Argument(metavar="FILE", help="Score files.")] = None,
    mated: Annotated[str | None, typer.Option(metavar="FILE", help="Score list of the mated comparisons.")] = None,
    nonmated: Annotated[
        str | None, typer.Option(metavar="FILE", help="Score list of the non-mated comparisons.")
    ] = None,
    json: Json = False,
) -> None:
    """Look at score files before anything is computed from them.

    Says the format and how it was told, the columns, counts of comparisons, people and samples, repeated pairs, the
    range and granularity of the scores, and what can be computed. NaN scores are counted and never refused. Values of
    columns that may name people are not shown.
    """
    from mated.evaluation.inspection import inspect as look_at

    sources = _sources(files or [], mated, nonmated)
    found: dict[str, Inspection] = {}
    for name, (source, lists) in sources.items():
        with progress_bar("Reading") if errors().is_terminal else nullcontext() as progress:
            found[name] = look_at(source, **lists, progress=progress, **reading.options)
    if json:
        alone = next(iter(found.values()))
        print_json(alone.to_dict() if len(found) == 1 else {"files": {n: i.to_dict() for n, i in found.items()}})
        return
    console = output()
    for inspection in found.values():
        print_inspection(console, inspection)


def _sources(
    files: list[str], mated: str | None, nonmated: str | None
) -> dict[str, tuple[str | None, dict[str, str | None]]]:
    if (mated is None) != (nonmated is None):
        raise typer.BadParameter("--mated and --nonmated go together: two score lists of one system")
    if mated is not None:
        if files:
            raise typer.BadParameter("give either FILEs or --mated and --nonmated, not both")
        return {"lists": (None, {"mated": mated, "nonmated": nonmated})}
    if not files:
        raise typer.BadParameter("give a score file, or --mated FILE and --nonmated FILE")
    return {name: (file, {}) for name, file in named_files(files).items()}


def print_inspection(console: Console, found: Inspection) -> None:
    """Print what one source holds: a headline, tables, and sentences on what they leave open."""
    from mated.cli.tables import print_tables

    told = found.recognition
    headline = f"{found.name}: {told.reader.description} (format {told.reader.name}, told by {told.because})"
    console.print(headline, style="bold", markup=False, soft_wrap=True)
    tables = [_scores(found), _reach(found), _people(found), _columns(found), _abilities(found)]
    print_tables(console, tables, _sentences(found))


def _scores(found: Inspection) -> Table:
    from mated.cli.tables import new_table, row
    from mated.report.numbers_in_words import count

    parts = {"mated": found.scores.mated, "non-mated": found.scores.nonmated}
    failures = any(part.failures for part in parts.values())
    infinite = any(part.negative_infinite + part.positive_infinite for part in parts.values())
    columns = ["With a score", *(["Failures"] * failures), "Lowest", "Highest", *(["−∞", "∞"] * infinite)]
    table = new_table("Comparisons", "Class", *columns)
    for name, part in parts.items():
        cells = [count(part.comparisons), *([count(part.failures)] * failures), *_range(part)]
        cells += [count(part.negative_infinite), count(part.positive_infinite)] * infinite
        row(table, name, *cells)
    return table


def _range(part: ClassScores) -> list[str]:
    from mated.report.numbers_in_words import number

    return ["–" if end is None else number(int(end) if end.is_integer() else end) for end in (part.low, part.high)]


def _reach(found: Inspection) -> Table:
    from mated.cli.tables import new_table, row
    from mated.report.numbers_in_words import count

    columns = ("Comparisons", "One error", "30 errors", "No error: at most")
    table = new_table("How small a rate they can speak of, if they are independent", "Rate", *columns)
    for reach in found.reach:
        rates = (reach.least, reach.thirty_errors, reach.no_error)
        row(table, reach.rate, count(reach.comparisons), *("–" if rate is None else f"{rate:.2g}" for rate in rates))
    return table


def _people(found: Inspection) -> Table:
    from mated.cli.tables import new_table, row
    from mated.report.numbers_in_words import count

    people = found.people
    table = new_table("Who was compared", "Side", "Subjects", "Samples")
    if people.subjects is None and people.samples is None:
        return table
    for side, subjects, samples in (
        ("probes", people.probe_subjects, people.probe_samples),
        ("references", people.reference_subjects, people.reference_samples),
        ("both", people.subjects, people.samples),
    ):
        row(table, side, count(subjects), count(samples))
    return table


def _columns(found: Inspection) -> Table:
    from mated.cli.tables import row
    from mated.report.numbers_in_words import count

    further = any(column.role is None for column in found.columns)
    more = ["Values", "Missing", "Comparisons by value"] if further else []
    table = _left("Columns", "Column", "Taken for", "Type", *more)
    if all(column.name == column.role and column.type is None for column in found.columns):
        return table  # a format without columns that have names
    for column in found.columns:
        cells = [column.role or "further column", _in_words(column.type)]
        if further and column.role is None:
            values = "more than 1000" if column.values is None else count(column.values)
            groups = ", ".join(f"{value} ({count(n)})" for value, n in column.groups or ())
            cells += [values, count(column.missing or 0), groups]
        row(table, column.name, *cells, *([""] * (2 + len(more) - len(cells))))
    return table


def _in_words(kind: str | None) -> str:
    words = {"str": "text", "cat": "text", "enum": "text", "bool": "true or false", "null": "nothing"}
    words |= {"int": "whole numbers", "uint": "whole numbers", "float": "numbers", "decimal": "numbers"}
    found = next((word for start, word in words.items() if (kind or "").startswith(start)), kind or "")
    return f"{found} of 32 bits" if kind == "float32" else found


def _abilities(found: Inspection) -> Table:
    from mated.cli.tables import row

    table = _left("What can be computed", "Task", "", "How, or why not")
    for ability in found.abilities:
        said = ability.how or ability.why_not or ""
        said = said if ability.task == "groups" else _in_groups(said)  # names of columns stay as they are
        row(table, ability.task, "yes" if ability.possible else "no", said)
    return table


def _in_groups(text: str) -> str:
    """Write the whole numbers of a sentence as the tables do."""
    from mated.report.numbers_in_words import count

    return re.sub(r"(?<![\w.])\d{4,}(?![\w.])", lambda found: count(int(found[0])), text)


def _left(title: str, first: str, *columns: str) -> Table:
    """Return a table of texts: columns begin at the left."""
    from mated.cli.tables import new_table

    table = new_table(title, first)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _sentences(found: Inspection) -> list[str]:
    from mated.report.numbers_in_words import count, number
    from mated.scores.unit import unit_name

    scores, people, pairs = found.scores, found.people, found.pairs
    lines = [f"! {_in_groups(warning)}" for warning in found.warnings]
    turned = "lower" if scores.dissimilarity else "higher"
    said = f"scores are {unit_name(scores.unit)}, and {turned} means more alike"
    if scores.distinct is not None and scores.largest_tie_share is not None:
        some = found.scores.mated.comparisons + found.scores.nonmated.comparisons
        said += "; all of them differ" if scores.distinct == some > 1 else f"; {count(scores.distinct)} different ones"
        if 1 < scores.distinct < some:
            said += f", of which {number(scores.largest_tie)} is the most frequent"
            said += f" ({100 * scores.largest_tie_share:.3g} %)"
    lines.append(f"  {said}")
    if scores.auc_low is not None and scores.auc_high is not None:
        low, high = f"{scores.auc_low:.6f}", f"{scores.auc_high:.6f}"
        lines.append(f"  AUC {low}" if low == high else f"  AUC between {low} and {high}")
    if people.samples_per_subject_least is not None:
        least, median, most = (
            people.samples_per_subject_least,
            people.samples_per_subject_median,
            people.samples_per_subject_most,
        )
        many = count(least) if least == most else f"{count(least)} to {count(most)}, median {number(median)}"
        lines.append(f"  samples of a subject: {many}")
    if pairs is not None:
        lines.append(f"  design: {_in_groups(pairs.design)}; {_repeats(found)}")
    lines += [f"  {note}" for note in found.notes]
    lines += [f"  could also be {other.meaning}: {other.option}" for other in found.recognition.others]
    return lines


def _repeats(found: Inspection) -> str:
    from mated.report.numbers_in_words import count

    pairs = found.pairs
    if pairs is None:
        return ""
    said = "no pair is listed twice"
    if pairs.repeated:
        said = (
            f"{count(pairs.repeated)} comparisons repeat a pair, {count(pairs.disagreeing)} pairs with different scores"
        )
    if pairs.both_orders:
        differing = pairs.both_orders_disagreeing
        said += f"; {count(pairs.both_orders)} pairs stand in both orders, {count(differing)} with different scores"
    return said
