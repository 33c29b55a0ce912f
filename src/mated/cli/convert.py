"""`mated convert`: comparisons from one format into another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mated.cli.console import errors, output, progress_bar
from mated.cli.reading import Reading, check_choice, with_reading_options

if TYPE_CHECKING:
    from mated.io.writers.conversion import Conversion

__all__ = ["byte_size", "convert"]

_WRITING = "How to write"


@with_reading_options
def convert(
    reading: Reading,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[IN] OUT", help="What to read and what to write; OUT alone with --mated and --nonmated."
        ),
    ],
    mated: Annotated[str | None, typer.Option(metavar="FILE", help="Score list of the mated comparisons.")] = None,
    nonmated: Annotated[
        str | None, typer.Option(metavar="FILE", help="Score list of the non-mated comparisons.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="parquet|csv|tsv|arrow|bob2|bob4|bob5|lists|npy|matrix|bee|trials|voxceleb|dasec",
            help="Format to write; by default the ending of OUT says it.",
            rich_help_panel=_WRITING,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.", rich_help_panel=_WRITING)] = False,
    lossy: Annotated[
        bool,
        typer.Option(
            "--lossy", help="Write also what the format can only hold with changed numbers.", rich_help_panel=_WRITING
        ),
    ] = False,
    byte_order: Annotated[
        str, typer.Option(metavar="little|big", help="Byte order of a BEE matrix.", rich_help_panel=_WRITING)
    ] = "little",
) -> None:
    """Convert comparisons between formats; Parquet is the recommended one.

    Scores stay as they are, and what a format cannot hold is said. Tables are converted a batch at a time, so they may
    be larger than memory. Formats of several files name the others after OUT: scores.npy and scores_ids.csv.
    """
    from mated.io.writers.conversion import convert as convert_files

    check_choice(byte_order, "--byte-order", ("little", "big"))
    source, target = _source_and_target(files, mated, nonmated)
    with progress_bar("Converting") as progress:
        done = convert_files(
            source,
            target,
            mated=mated,
            nonmated=nonmated,
            to=to,
            force=force,
            lossy=lossy,
            byte_order=byte_order,
            progress=progress,
            **reading.options,
        )
    _say(done)


def _source_and_target(files: list[str], mated: str | None, nonmated: str | None) -> tuple[str | None, str]:
    lists = mated is not None or nonmated is not None
    if lists and (mated is None or nonmated is None):
        raise typer.BadParameter("--mated and --nonmated go together: two score lists of one system")
    if len(files) != (1 if lists else 2):
        what = (
            "one file to write beside --mated and --nonmated" if lists else "two files: what to read and what to write"
        )
        raise typer.BadParameter(f"give {what}")
    return (None, files[0]) if lists else (files[0], files[1])


def _say(done: Conversion) -> None:
    """Print one line on what was done; what was decided and what is not held goes to standard error."""
    from mated.report.numbers_in_words import count

    recognition, written = done.recognition, done.written
    names = ", ".join(str(path) for path in written.files)
    comparisons = f"{count(written.comparisons)} comparison{'' if written.comparisons == 1 else 's'}"
    output().print(
        f"{done.source}: {comparisons} read as {recognition.reader.name} (told by {recognition.because}), written as "
        f"{done.writer.name} to {names} ({byte_size(written.size)})",
        markup=False,
        soft_wrap=True,
    )
    console = errors()
    for note in (*done.notes, *written.notes):
        console.print(f"  {note}", markup=False, soft_wrap=True)
    if written.reading:
        console.print(f"  read it with {written.reading}", markup=False, soft_wrap=True)


def byte_size(size: int) -> str:
    """Write a number of bytes as people say it."""
    value, unit = float(size), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 999.5:
            break
        value, unit = value / 1000, larger
    return f"{value:.3g} {unit}"
