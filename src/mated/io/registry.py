"""The formats that can be read. A new one is a module with a `read` function and one entry in `READERS`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mated.errors import MatedError
from mated.io.ambiguity import OtherReading, other_readings, refuse_ambiguous
from mated.io.arrays import is_npy
from mated.io.bee_files import is_bee
from mated.io.bee_matrices import read_bee
from mated.io.bob_lists import is_bob_csv, read_bob
from mated.io.bytes_in import text_start
from mated.io.dasec_json import is_json, read_dasec
from mated.io.delimited import Delimited
from mated.io.file_sets import FileSet
from mated.io.frame import read_frame
from mated.io.frte_logs import frte_kind, read_frte
from mated.io.histograms import read_histograms
from mated.io.keys import is_true_pairs
from mated.io.matrix_files import is_text_matrix, read_npy_matrix, read_text_matrix
from mated.io.parquet_files import is_columnar, read_parquet
from mated.io.score_lists import read_score_lists
from mated.io.text_table import read_text_table
from mated.io.trials import read_pairs, read_trials

if TYPE_CHECKING:
    from collections.abc import Callable

    from mated.io.request import Request, SourceKind
    from mated.scores import Comparisons, ScoreMatrix

__all__ = ["READERS", "Reader", "Recognition", "candidates", "choose"]


@dataclass(frozen=True)
class Reader:
    """One format: its name, what it is in words, what it is read from, how it is recognised and read.

    `recognise` is asked only about requests of the kind in `takes`, and looks at endings and first bytes alone.
    `beside` names the further files or options the format has, and `in_parts` says whether several files may be one
    table. `filters` says whether rows can be left out by the values of columns.
    """

    name: str
    description: str
    takes: SourceKind
    recognise: Callable[[Request], bool]
    read: Callable[[Request], Comparisons | ScoreMatrix]
    beside: tuple[str, ...] = ()
    in_parts: bool = False
    filters: bool = False


READERS = (
    Reader(
        "lists",
        "two score lists, mated and non-mated",
        "lists",
        lambda request: request.histogram is None,
        read_score_lists,
    ),
    Reader("frame", "a data frame, one comparison a row", "frame", lambda _: True, read_frame, filters=True),
    Reader("npy", "a score matrix as .npy, with ids", "file", lambda request: is_npy(request.file), read_npy_matrix),
    Reader(
        "parquet",
        "a Parquet or Arrow file, one comparison a row",
        "file",
        lambda request: is_columnar(request.file),
        read_parquet,
        in_parts=True,
        filters=True,
    ),
    Reader(
        "histogram",
        "two score lists, one or both as a histogram",
        "lists",
        lambda request: request.histogram is not None,
        read_histograms,
        beside=("histogram",),
    ),
    Reader(
        "bee",
        "a BEE matrix with its mask",
        "file",
        lambda request: is_bee(request.file),
        read_bee,
        beside=("mask",),
    ),
    Reader("dasec", "the JSON of the dasec scripts", "file", lambda request: is_json(request.file), read_dasec),
    Reader(
        "frte",
        "a log of NIST's FRTE, 1:1 or 1:N, with a key",
        "file",
        lambda request: frte_kind(request.file) is not None,
        read_frte,
        beside=("key",),
        in_parts=True,
    ),
    Reader(
        "pairs",
        "scores of pairs, with a list of the true pairs (pyeer)",
        "file",
        is_true_pairs,
        read_pairs,
        beside=("key",),
        in_parts=True,
    ),
    Reader(
        "trials",
        "trials with a key (Kaldi, BOSARIS, VoxCeleb)",
        "file",
        lambda request: request.key is not None,
        read_trials,
        beside=("key",),
        in_parts=True,
    ),
    Reader("bob", "a score list of bob, or its CSV", "file", is_bob_csv, read_bob, in_parts=True, filters=True),
    Reader(
        "matrix",
        "a score matrix as text, ids in header and first column",
        "file",
        lambda request: not request.columns.given and is_text_matrix(request.file),
        read_text_matrix,
    ),
    Reader(
        "table",
        "a text table, one comparison a line",
        "file",
        lambda _: True,
        read_text_table,
        in_parts=True,
        filters=True,
    ),
)
"""Every reader, in the order in which format="auto" asks them."""

_SOURCES = {"file": "a file", "frame": "a data frame", "lists": "two files, mated= and nonmated="}
_BESIDE = ("key", "mask", "histogram")


def choose(format_name: str, request: Request) -> Reader:
    """Return the reader of a format, or for "auto" the first that recognises what is to be read."""
    if format_name == "auto":
        found = _recognised(request)
        if found.name == "table":
            refuse_ambiguous(request)
    else:
        found = _named(format_name, request)
    for option in _BESIDE:
        if getattr(request, option) is not None and option not in found.beside:
            takers = ", ".join(reader.name for reader in READERS if option in reader.beside)
            raise MatedError(
                f"{request.name} is read as {found.name} ({found.description}), and {option}= (--{option}) belongs to "
                f"{takers}; leave it out, or name the format (--format)"
            )
    if isinstance(request.source, FileSet) and not found.in_parts:
        raise MatedError(
            f"{request.name} stands for {len(request.source.parts)} files, and {found.name} ({found.description}) is "
            "read from one; give one file"
        )
    if request.where is not None and not found.filters:
        raise MatedError(
            f"{request.name} is read as {found.name} ({found.description}), which has no columns to filter by; leave "
            "where= (--where) out, or give a table"
        )
    return found


@dataclass(frozen=True)
class Recognition:
    """The reader of a source, what told it, the reason in words, and what else the source could be."""

    reader: Reader
    told_by: Literal["option", "ending", "content", "kind"]
    because: str
    others: tuple[OtherReading, ...] = ()


def candidates(request: Request, format_name: str = "auto") -> Recognition:
    """Say which reader a source would get and why, and as what else it could be read; what `choose` refuses is not."""
    found = choose(format_name, request)
    if format_name != "auto":
        return Recognition(found, "option", f"--format {format_name}")
    told_by, because = _told(found, request)
    return Recognition(found, told_by, because, other_readings(request) if found.name in ("table", "lists") else ())


def _recognised(request: Request) -> Reader:
    return next(reader for reader in READERS if reader.takes == request.kind and reader.recognise(request))


def _told(found: Reader, request: Request) -> tuple[Literal["option", "ending", "content", "kind"], str]:
    if request.kind != "file":
        what = {"lists": "two files being given", "histogram": "--histogram", "frame": "its type"}
        return ("option" if found.name == "histogram" else "kind"), what[found.name]
    file = request.file
    if found.name in ("npy", "parquet", "bee", "dasec"):
        signature = {
            "npy": file.head.startswith(b"\x93NUMPY"),
            "parquet": file.head.startswith((b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")),
            "bee": file.head[:3] in (b"S2\n", b"D2\n", b"S2\r", b"D2\r"),
            "dasec": file.head.lstrip().startswith(b"{"),
        }[found.name]
        return ("content", "its first bytes") if signature else ("ending", f"its ending {file.ending}")
    if found.name in ("trials", "pairs"):
        return "option", "--key, of two columns" if found.name == "pairs" else "--key"
    if found.name == "table":
        return _told_table(request)
    reasons = {
        "matrix": "its empty first cell",
        "bob": "its header, which is bob's",
        "frte": "its header, which is FRTE's",
    }
    return "content", reasons[found.name]


def _told_table(request: Request) -> tuple[Literal["option", "content"], str]:
    """Any text is a table in the end; say what its columns are known by."""
    if request.columns.given:
        return "option", "the columns given"
    start = text_start(request.file)
    headed = request.header is True or (start is not None and not Delimited.sniff(start).first_has_a_number)
    return "content", "the names in its first line" if headed else "its lines of text without a header"


def _named(format_name: str, request: Request) -> Reader:
    found = next((reader for reader in READERS if reader.name == format_name), None)
    if found is None:
        names = ", ".join(reader.name for reader in READERS)
        raise MatedError(f"there is no format {format_name!r}; the formats are auto, {names}")
    if found.takes != request.kind:
        expected, given = _SOURCES[found.takes], _SOURCES[request.kind]
        raise MatedError(f"format {format_name!r} is read from {expected}, and this is {given}; use format='auto'")
    return found
