"""What else a text without a header could be, and when that is too much to guess.

A header or a signature tells a format. Columns of bare numbers and names do not: three columns may be two subjects and
a score, or a flag, a score and something more. Where another reading would give other numbers, the text is refused
with both named. Only the beginning of a file is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.bytes_in import text_start
from mated.io.delimited import Delimited, is_number, split_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mated.io.bytes_in import InputFile
    from mated.io.request import Request

__all__ = ["OtherReading", "lists_of_counts", "other_readings", "refuse_ambiguous"]

_HEAD = 1 << 16
_AS_SUBJECTS = "two subjects and a score (--format table)"


@dataclass(frozen=True)
class OtherReading:
    """Another thing that a source could be.

    Attributes
    ----------
    format
        The name of the reader that would read it so.
    meaning
        What it would then be, in words.
    option
        What to give to have it read so.
    differs
        Whether numbers would come out otherwise, so that it must not be guessed.
    """

    format: str
    meaning: str
    option: str
    differs: bool = False


def refuse_ambiguous(request: Request) -> None:
    """Refuse a text that is read as a table if another reading would give other numbers."""
    found = [other for other in other_readings(request) if other.differs]
    if found:
        them = ", ".join(f"{other.meaning} ({other.option})" for other in found)
        first = "a table of " + _AS_SUBJECTS if _width(request) == 3 else "a table (--score-column and --mated-column)"
        raise MatedError(
            f"{request.name} has no header, and {_why(request)}: it could be {first}, or {them}; say which"
        )


def other_readings(request: Request) -> tuple[OtherReading, ...]:
    """Return what else a source could be that is read as a text table, or as two score lists."""
    if request.kind == "lists":
        return _of_lists(request)
    lines = _first_lines(request)
    if lines is None:
        return ()
    rows, width = lines, len(lines[0])
    columns = list(zip(*(row for row in rows if len(row) == width), strict=True))
    if width == 2:
        return _of_two(columns, whole=_is_whole(request.file))
    if width == 3 and is_number(rows[0][2]):
        return _of_three(columns)
    if width in (4, 5) and all(is_number(field) for field in columns[-1]):
        ids = "claimed id, real id, probe" if width == 4 else "claimed id, model, real id, probe"
        return (OtherReading("bob", f"bob's list of {ids} and score", "--format bob"),)
    return ()


def _of_two(columns: Sequence[Sequence[str]], *, whole: bool) -> tuple[OtherReading, ...]:
    first, second = (_could_be_flags(column) for column in columns)
    if not first:
        return ()
    # Of a longer file the rest may still tell which column is the flag.
    return (OtherReading("bob", "bob's list of class and score", "--format bob", differs=second and whole),)


def _of_three(columns: Sequence[Sequence[str]]) -> tuple[OtherReading, ...]:
    first, second, _ = columns
    others = []
    flags = _could_be_flags(first) and len(set(first)) == 2 and not _could_be_flags(second)
    decimals = any(_has_decimals(field) for column in (first, second) for field in column)
    numbers = all(is_number(field) for field in second)
    if flags and numbers:
        meaning = "a flag, a score and something more"
        others.append(OtherReading("table", meaning, "--mated-column 1 --score-column 2", differs=True))
    if flags and not decimals:
        others.append(OtherReading("trials", "the key of trials", "--key, beside the file of scores", differs=True))
    if flags and not numbers:
        meaning = "a flag, a name and a score"
        others.append(OtherReading("table", meaning, "--mated-column 1 --score-column 3", differs=True))
    if decimals and not flags:
        meaning = "a matrix with ids in its first line and column"
        others.append(OtherReading("matrix", meaning, "--format matrix", differs=True))
    if not others and not any(a == b for a, b in zip(first, second, strict=True)):
        others.append(OtherReading("trials", "trials, whose columns name samples", "--key FILE"))
    return tuple(others)


def _of_lists(request: Request) -> tuple[OtherReading, ...]:
    counts = lists_of_counts(request)
    if request.histogram is not None or not counts:
        return ()
    which = "both" if len(counts) == 2 else counts[0]
    meaning = "histograms, if line i counts the comparisons of score i"
    return (OtherReading("histogram", meaning, f"--histogram {which}"),)


def lists_of_counts(request: Request) -> list[str]:
    """Return which of two score lists could count comparisons by score: whole numbers from 0 up, one a line."""
    sides = (("mated", request.mated), ("nonmated", request.nonmated))
    return [name for name, file in sides if file is not None and _could_be_counts(file)]


def _why(request: Request) -> str:
    lines = _first_lines(request) or [[]]
    if len(lines[0]) == 2:
        return "either of its columns could be the mated flag"
    if any(_has_decimals(row[k]) for row in lines if len(row) == 3 for k in (0, 1)):
        return "there are decimals in its first two columns, which name nobody"
    return "its first column could be the mated flag"


def _width(request: Request) -> int:
    lines = _first_lines(request)
    return len(lines[0]) if lines else 0


def _first_lines(request: Request) -> list[list[str]] | None:
    """Return the fields of the lines at the beginning, None where a header, options or ids say what the columns are."""
    if request.kind != "file" or request.header is True or request.columns.given or request.key is not None:
        return None
    text = text_start(request.file)
    if text is None:
        return None
    lines = Delimited.sniff(text)
    if request.header == "auto" and not lines.first_has_a_number:
        return None
    rows = [split_line(line, lines.separator) for line in lines.text.data.decode().split("\n")]
    # The last line may be cut short.
    return rows if _is_whole(request.file) or len(rows) == 1 else rows[:-1]


def _is_whole(file: InputFile) -> bool:
    return len(file.head) < _HEAD


def _could_be_flags(column: Sequence[str]) -> bool:
    values = {float(field) for field in set(column) if is_number(field)}
    return (
        len(column) > 0 and all(is_number(field) for field in set(column)) and (values <= {0, 1} or values <= {-1, 1})
    )


def _has_decimals(field: str) -> bool:
    return is_number(field) and not float(field).is_integer()


def _could_be_counts(file: InputFile) -> bool:
    text = text_start(file)
    lines = [] if text is None else text.first_lines(1000)
    return bool(lines) and all(line.strip().isdecimal() for line in lines)
