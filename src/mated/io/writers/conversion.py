"""`convert`: comparisons from a file of one format into one of another, a batch at a time where both are tables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mated.io.bytes_in import InputFile
from mated.io.columns import ROLES
from mated.io.file_sets import FileSet
from mated.io.reading import read, request_for
from mated.io.registry import Recognition, candidates
from mated.io.write import check_byte_order, refusing
from mated.io.writers.output import Output, Written
from mated.io.writers.registry import Writer, choose_writer
from mated.io.writers.tables import write_scan

if TYPE_CHECKING:
    from collections.abc import Callable

    from mated.io.request import Request
    from mated.io.scanning import Scan

__all__ = ["Conversion", "convert"]

# What a scan does not take: with these a source is read whole.
_WHOLE_ONLY = ("key", "mask", "histogram", "ids", "probe_ids", "reference_ids", "failure_score")


@dataclass(frozen=True)
class Conversion:
    """What was read and what was written.

    Attributes
    ----------
    source
        What was read, as the user named it.
    recognition
        As which format, and how that was told.
    writer
        The format written.
    written
        The files, with notes on what they do not hold.
    notes
        What was decided about the input.
    streamed
        Whether it went batch by batch, so that memory did not grow with the table.
    """

    source: str
    recognition: Recognition
    writer: Writer
    written: Written
    notes: tuple[str, ...]
    streamed: bool


def convert(
    source: Any,
    path: str | os.PathLike[str],
    *,
    to: str | None = None,
    lossy: bool = False,
    byte_order: str = "little",
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **reading: Any,
) -> Conversion:
    """Read comparisons and write them in another format, whole or not at all.

    Parameters
    ----------
    source
        What `mated.read` takes, or None with `mated=` and `nonmated=` among the reading options.
    path, to, lossy, byte_order, force
        Where and how to write; see `mated.io.write.write`. An input is never written over.
    progress
        Called with the comparisons done and their number, where that is known.
    reading
        How to read the source; see `mated.read`.
    """
    target = Path(path)
    writer = choose_writer(target, to)
    format_name = reading.pop("format", "auto")
    request = request_for(source, **{name: value for name, value in reading.items() if name != "failure_score"})
    recognition = candidates(request, format_name)
    started = refusing(force=force, inputs=_inputs(request))
    output = Output(target, check_byte_order(byte_order), lossy, started)
    if writer.name != "lists":
        started(target)  # before any work
    scan = _scan(source, format_name, reading) if writer.table is not None else None
    if scan is not None and writer.table is not None:
        written, notes = write_scan(scan, output, writer.table, progress=progress), scan.notes
    else:
        layout = read(source, format=format_name, **reading)
        written, notes = writer.write(layout, output), layout.notes
    return Conversion(request.name, recognition, writer, written, notes, streamed=scan is not None)


def _scan(source: Any, format_name: str, reading: dict[str, Any]) -> Scan | None:
    """Return the source as a lazy table, None where it can only be read whole."""
    from mated.io.scanning import scan

    if any(reading.get(name) is not None for name in _WHOLE_ONLY):
        return None
    found = scan(source, format=format_name, **{k: v for k, v in reading.items() if k not in _WHOLE_ONLY})
    # A further column of a canonical name cannot be asked for.
    return None if found is None or set(found.covariates) & set(ROLES) else found


def _inputs(request: Request) -> list[Path]:
    """Return every file that is read."""
    files = [request.mated, request.nonmated, request.key, request.mask]
    if isinstance(request.source, FileSet):
        files += request.source.parts
    elif isinstance(request.source, InputFile):
        files.append(request.source)
        mask = request.source.path.with_suffix(".mask")
        files += [InputFile(mask)] if mask.is_file() else []
    paths = [file.path for file in files if file is not None]
    ids = (request.ids, request.probe_ids, request.reference_ids)
    return paths + [Path(source) for source in ids if isinstance(source, str | os.PathLike)]
