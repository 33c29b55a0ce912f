"""Open a file and bring its bytes in: plain or gzip, and, for text, as clean UTF-8 lines.

Whatever is wrong with the file itself (it is missing, a directory, empty, cut short, not text) is said here,
so that a reader of a format sees only whole and clean contents.
"""

from __future__ import annotations

import gzip
import re
import zlib
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.io.foreign_files import refuse_foreign
from mated.io.quoting import in_short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = [
    *("BYTE_ORDER_MARK", "WIDE_MARKS", "InputFile", "Text", "as_lines", "check_is_text"),
    *("check_line_length", "check_wide_mark", "damaged_wide_text", "joined", "read_text", "text_start"),
]

_HEAD = 1 << 16
_PIECE = 1 << 20
_LONGEST_LINE = 1 << 26
_GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
WIDE_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_SAID_SEPARATOR = re.compile(r'"?sep=([\t;,|:~^ ])"?\s*', re.IGNORECASE)
_FEED, _BLANKS = ord("\n"), tuple(b"\n \t")
_BLANK_LINE = re.compile(rb"\A[ \t]*\n|\n[ \t]*(?:\n|\Z)")


@dataclass(frozen=True)
class InputFile:
    """A file a user named. Its contents are unpacked when the name ends in .gz or the bytes say gzip."""

    path: Path

    def __post_init__(self) -> None:
        try:
            is_folder, is_there = self.path.is_dir(), self.path.exists()
        except OSError as error:  # the folder may not be looked into, or the name is longer than any
            why = error.strerror or error
            raise MatedError(f"{self._shown} cannot be read: {why}; give the path of a file") from None
        if is_folder:
            raise MatedError(f"{self.name} is a directory; give a file")
        if not is_there:
            raise MatedError(f"there is no file {self._shown}; check the path")

    @property
    def _shown(self) -> str:
        """The path in one line: it may be the contents of a file, given in its place."""
        return self.name if "\n" not in self.name and len(self.name) < 500 else in_short(self.name)

    @property
    def name(self) -> str:
        """The path as the user wrote it, for messages."""
        return str(self.path)

    @property
    def ending(self) -> str:
        """The ending of the name in lower case, without a final .gz."""
        suffixes = [suffix.lower() for suffix in self.path.suffixes]
        if suffixes and suffixes[-1] == ".gz":
            suffixes.pop()
        return suffixes[-1] if suffixes else ""

    @property
    def packed(self) -> bool:
        """Whether the contents have to be unpacked."""
        return self.path.suffix.lower() == ".gz" or self._raw_start.startswith(_GZIP_MAGIC)

    @cached_property
    def contents(self) -> bytes:
        """All bytes of the file, unpacked."""
        return b"".join(self.pieces()) if self.packed else self._raw

    def contents_up_to(self, limit: int, advice: str) -> bytes:
        """Return all bytes of a file that has at most `limit`, and refuse a larger one before it fills the memory."""
        too_large = MatedError(f"{self.name} has more than {limit >> 20} MiB; {advice}")
        if not self.packed and self.path.is_file() and self.path.stat().st_size > limit:
            raise too_large
        held, size = [], 0
        for piece in self.pieces():
            size += len(piece)
            if size > limit:
                raise too_large
            held.append(piece)
        return b"".join(held)

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the file, unpacked, a piece at a time."""
        if not self.path.is_file() and not self.packed:
            yield self._raw
            return
        try:
            # A pipe can be read once only, so it is held whole.
            source = self.path if self.path.is_file() else BytesIO(self._raw)
            with gzip.open(source) if self.packed else self.path.open("rb") as stream:
                while piece := stream.read(_PIECE):
                    yield piece
        except gzip.BadGzipFile:
            raise MatedError(f"{self.name} is not gzip data; unpack it, or drop the ending .gz") from None
        except (EOFError, zlib.error):
            raise MatedError(f"{self.name} is cut short or damaged gzip data; copy or write it again") from None
        except OSError as error:
            raise MatedError(f"{self.name} cannot be read: {error.strerror or error}") from None

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the file, unpacked; empty where they cannot be. Files of other programs are refused."""
        head = self._unpacked_start if self.packed else self._raw_start
        refuse_foreign(self.name, head)
        return head

    @property
    def _unpacked_start(self) -> bytes:
        try:
            return zlib.decompressobj(wbits=31).decompress(self._raw_start, _HEAD)
        except zlib.error:
            return b""

    @cached_property
    def _raw(self) -> bytes:
        try:
            return self.path.read_bytes() if self.path.is_file() else self._piped()
        except OSError as error:
            raise MatedError(f"{self.name} cannot be read: {error.strerror or error}") from None

    def _piped(self) -> bytes:
        """Read a pipe or device whole, unless it never ends a line: any contents of that size have line feeds."""
        held, ended = BytesIO(), False
        with self.path.open("rb") as stream:
            while piece := stream.read(_PIECE):
                held.write(piece)
                ended = ended or _first_end(piece) >= 0
                if not ended:
                    check_line_length(held.tell(), self.name, 1)
        return held.getvalue()

    @cached_property
    def _raw_start(self) -> bytes:
        # A pipe can be read once only, so it is read whole.
        if not self.path.is_file():
            return self._raw[:_HEAD]
        try:
            with self.path.open("rb") as stream:
                return stream.read(_HEAD)
        except OSError as error:
            raise MatedError(f"{self.name} cannot be read: {error.strerror or error}") from None


@dataclass(frozen=True)
class Text:
    """Lines of text as UTF-8 bytes: ended by line feeds, none of them blank, the last one not ended.

    `numbers` holds the line number in the file of each line, None where no line was dropped. `separator` is that
    of a first line such as "sep=;", which Excel writes and which is dropped, None where there is none. Where several
    files are joined, `parts` holds for each the position of its first line and its own text, without the data.
    """

    name: str
    data: bytes
    numbers: Sequence[int] | None = None
    separator: str | None = None
    parts: tuple[tuple[int, Text], ...] = ()

    def line_number(self, index: int) -> int:
        """Return the 1-based line number in its file of the line at `index`."""
        if self.parts:
            start, part = self._part(index)
            return part.line_number(index - start)
        return index + 1 if self.numbers is None else self.numbers[index]

    def place(self, index: int) -> str:
        """Say where the line at `index` stands: file and line."""
        name = self._part(index)[1].name if self.parts else self.name
        return f"{name}, line {self.line_number(index)}"

    def _part(self, index: int) -> tuple[int, Text]:
        return self.parts[bisect_right(self.parts, index, key=lambda part: part[0]) - 1]

    def first_lines(self, count: int) -> list[str]:
        """Return up to `count` lines from the beginning."""
        end = -1
        for _ in range(count):
            end = self.data.find(b"\n", end + 1)
            if end < 0:
                return self.data.decode().split("\n")
        return self.data[:end].decode().split("\n")

    def without_first(self) -> Text:
        """Return the text after its first line, which is empty when there is no other."""
        _, _, rest = self.data.partition(b"\n")
        if self.parts:
            return replace(self, data=rest, parts=tuple((start - 1, part) for start, part in self.parts))
        numbers = range(2, self.n_lines + 1) if self.numbers is None else self.numbers[1:]
        return replace(self, data=rest, numbers=numbers)

    @cached_property
    def n_lines(self) -> int:
        """Number of lines."""
        return self.data.count(b"\n") + 1 if self.data else 0


def read_text(file: InputFile) -> Text:
    """Read a text file: UTF-8, or UTF-16 with its mark; any line ends; blank lines and a line "sep=x" dropped."""
    refuse_foreign(file.name, file.head)
    text = as_lines(file.name, _as_utf8(file.name, _with_bounded_lines(file)))
    if not text.data:
        raise MatedError(f"{file.name} is empty; write it again, or give another file")
    return text


def joined(name: str, texts: Sequence[Text]) -> Text:
    """Put the lines of several files one after another; every line still knows its file and number."""
    parts, start = [], 0
    for text in texts:
        parts.append((start, replace(text, data=b"")))
        start += text.n_lines
    data = b"\n".join(text.data for text in texts if text.data)
    return Text(name, data, separator=texts[0].separator, parts=tuple(parts))


def text_start(file: InputFile) -> Text | None:
    """Return the lines at the beginning of a file as `read_text` would, None where they are no text."""
    head = file.head
    for mark, encoding in WIDE_MARKS.items():
        if head.startswith(mark):
            head = head.decode(encoding, errors="replace").encode()
            break
    # The end of the head may be the middle of a sign.
    head = head.removeprefix(BYTE_ORDER_MARK).decode(errors="replace").encode()
    if b"\0" in head:
        return None
    text = as_lines(file.name, head)
    return text if text.data else None


def _with_bounded_lines(file: InputFile) -> bytes:
    """Return the contents of a text file; a line without end is refused before it fills the memory."""
    held, longest, line = BytesIO(), 0, 1
    for piece in file.pieces():
        first, last = (find(piece) for find in (_first_end, _last_end))
        longest += len(piece) if first < 0 else first
        check_line_length(longest, file.name, line)
        if last >= 0:
            line += piece.count(b"\n")
            longest = len(piece) - last - 1
        held.write(piece)
    return held.getvalue()


def check_line_length(length: int, name: str, line: int) -> None:
    """Refuse a line that is longer than a line of any table."""
    if length > _LONGEST_LINE:
        raise MatedError(
            f"{name}, line {line}: the line is longer than {_LONGEST_LINE >> 20} MiB; a line holds one "
            "comparison, so the file is damaged, or of a format that has to be named with format= (--format)"
        )


def _first_end(piece: bytes) -> int:
    ends = [place for place in (piece.find(b"\n"), piece.find(b"\r")) if place >= 0]
    return min(ends, default=-1)


def _last_end(piece: bytes) -> int:
    return max(piece.rfind(b"\n"), piece.rfind(b"\r"))


def as_lines(name: str, data: bytes, *, before: int = 0, says_separator: bool = True) -> Text:
    """Take clean bytes as lines; `before` lines precede them, and the first one may be "sep=x"."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = data.rstrip(b"\n")
    if not data.strip():
        return Text(name, b"")
    text = _without_blank_lines(name, data)
    if before:
        kept = text.numbers
        numbers = range(before + 1, before + 1 + text.n_lines) if kept is None else [before + number for number in kept]
        text = replace(text, numbers=numbers)
    said = _SAID_SEPARATOR.fullmatch(text.first_lines(1)[0]) if says_separator else None
    return replace(text.without_first(), separator=said[1]) if said else text


def _as_utf8(name: str, data: bytes) -> bytes:
    for mark, encoding in WIDE_MARKS.items():
        if data.startswith(mark):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                raise damaged_wide_text(name, encoding) from None
            check_wide_mark(name, encoding, text)
            data = text.encode()
            break
    data = data.removeprefix(BYTE_ORDER_MARK)
    check_is_text(name, data)
    return data


def damaged_wide_text(name: str, encoding: str) -> MatedError:
    """Return the error for text of wide signs that does not end as it begins."""
    return MatedError(f"{name} begins as {encoding} text and is cut short or damaged; save the file as UTF-8")


def check_wide_mark(name: str, encoding: str, start: str) -> None:
    """Refuse text that is not what its mark says: read so, it has not one digit or separator."""
    if start and not any(sign.isascii() for sign in start[:_HEAD]):
        raise MatedError(
            f"{name} begins with the byte order mark of {encoding} and its text is of another byte order or encoding; "
            "save the file as UTF-8"
        )


def check_is_text(name: str, data: bytes, *, before: int = 0) -> None:
    """Refuse bytes that are no UTF-8 text; `before` lines precede them."""
    if b"\0" in data:
        line = before + data.count(b"\n", 0, data.index(b"\0")) + 1
        raise MatedError(
            f"{name} is not text: line {line} has a byte 0; if its format is a known one, name it with format= "
            "(--format), and if it is UTF-16 text, save it as UTF-8"
        )
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = before + data.count(b"\n", 0, error.start) + 1
        raise MatedError(
            f"{name}, line {line}: the byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
        ) from None


def _line_begins_blank(data: bytes) -> bool:
    signs = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(signs), _PIECE):
        firsts = signs[start + 1 : start + 1 + _PIECE][signs[start : start + _PIECE][: len(signs) - start - 1] == _FEED]
        if np.isin(firsts, _BLANKS).any():
            return True
    return False


def _without_blank_lines(name: str, data: bytes) -> Text:
    # A look at the sign after each line end is far quicker than the expression, and settles nearly every file.
    if not ((data[:1].isspace() or _line_begins_blank(data)) and _BLANK_LINE.search(data)):
        return Text(name, data)
    lines = data.split(b"\n")
    kept = [number for number, line in enumerate(lines, start=1) if line.strip()]
    return Text(name, b"\n".join(lines[number - 1] for number in kept), kept)
