"""The formats that can be read. A new one is a module with a `read` function and one entry in `READERS`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.arrays import is_npy
from mated.io.frame import read_frame
from mated.io.matrix_files import is_text_matrix, read_npy_matrix, read_text_matrix
from mated.io.parquet_files import is_columnar, read_parquet
from mated.io.score_lists import read_score_lists
from mated.io.text_table import read_text_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from mated.io.request import Request, SourceKind
    from mated.scores import Comparisons, ScoreMatrix

__all__ = ["READERS", "Reader", "choose"]


@dataclass(frozen=True)
class Reader:
    """One format: its name, what it is in words, what it is read from, how it is recognised and read.

    `recognise` is asked only about requests of the kind in `takes`, and looks at endings and first bytes alone.
    """

    name: str
    description: str
    takes: SourceKind
    recognise: Callable[[Request], bool]
    read: Callable[[Request], Comparisons | ScoreMatrix]


READERS = (
    Reader("lists", "two score lists, mated and non-mated", "lists", lambda _: True, read_score_lists),
    Reader("frame", "a data frame, one comparison a row", "frame", lambda _: True, read_frame),
    Reader("npy", "a score matrix as .npy, with ids", "file", lambda request: is_npy(request.file), read_npy_matrix),
    Reader(
        "parquet",
        "a Parquet or Arrow file, one comparison a row",
        "file",
        lambda request: is_columnar(request.file),
        read_parquet,
    ),
    Reader(
        "matrix",
        "a score matrix as text, ids in header and first column",
        "file",
        lambda request: not request.columns.given and is_text_matrix(request.file),
        read_text_matrix,
    ),
    Reader("table", "a text table, one comparison a line", "file", lambda _: True, read_text_table),
)
"""Every reader, in the order in which format="auto" asks them."""

_SOURCES = {"file": "a file", "frame": "a data frame", "lists": "two files, mated= and nonmated="}


def choose(format_name: str, request: Request) -> Reader:
    """Return the reader of a format, or for "auto" the first that recognises what is to be read."""
    if format_name == "auto":
        return next(reader for reader in READERS if reader.takes == request.kind and reader.recognise(request))
    found = next((reader for reader in READERS if reader.name == format_name), None)
    if found is None:
        names = ", ".join(reader.name for reader in READERS)
        raise MatedError(f"there is no format {format_name!r}; the formats are auto, {names}")
    if found.takes != request.kind:
        expected, given = _SOURCES[found.takes], _SOURCES[request.kind]
        raise MatedError(f"format {format_name!r} is read from {expected}, and this is {given}; use format='auto'")
    return found
