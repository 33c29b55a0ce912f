"""Text read a block of lines at a time: the lines and numbers that `read_text` gives, never all of them at once."""

from __future__ import annotations

import codecs
from dataclasses import replace
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.bytes_in import (
    BYTE_ORDER_MARK,
    WIDE_MARKS,
    Text,
    as_lines,
    check_is_text,
    check_line_length,
    check_wide_mark,
    damaged_wide_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mated.io.bytes_in import InputFile

__all__ = ["BLOCK", "first_lines", "text_blocks"]

BLOCK = 1 << 23
"""Bytes of a block of lines: large enough for several threads, small enough to cost no memory."""


def text_blocks(file: InputFile, size: int | None = None) -> Iterator[Text]:
    """Yield the lines of a text file in blocks of about `size` bytes.

    A first line "sep=x" is left out, and every block knows the separator it says. A file without lines is refused, and
    so is a line that is too long, before it fills the memory.
    """
    before, separator, found, at_start = 0, None, False, True
    for data in _ended_lines(file, size or BLOCK):
        check_is_text(file.name, data, before=before)
        block = as_lines(file.name, data, before=before, says_separator=at_start)
        before += data.count(b"\n")
        separator = block.separator or separator
        at_start = at_start and not block.data and separator is None
        if block.data:
            found = True
            yield replace(block, separator=separator)
    if not found:
        raise MatedError(f"{file.name} is empty; write it again, or give another file")


def first_lines(file: InputFile, count: int) -> Text:
    """Return the beginning of a text: at least `count` lines, or all of them where there are fewer."""
    data: list[bytes] = []
    numbers: list[int] = []
    separator = None
    for block in text_blocks(file, 1):
        data.append(block.data)
        numbers += [block.line_number(index) for index in range(block.n_lines)]
        separator = block.separator
        if len(numbers) >= count:
            break
    return Text(file.name, b"\n".join(data), numbers, separator)


def _ended_lines(file: InputFile, size: int) -> Iterator[bytes]:
    """Yield whole lines of a text file in pieces of at least `size` bytes, the last one perhaps without its end."""
    ready: list[bytes] = []
    rest: list[bytes] = []
    n_ready = n_rest = 0
    line = 1
    for piece in _plain_pieces(file):
        first, last = piece.find(b"\n"), piece.rfind(b"\n")
        check_line_length(n_rest + (len(piece) if first < 0 else first), file.name, line)
        if last < 0:
            rest.append(piece)
            n_rest += len(piece)
            continue
        ready += [*rest, piece[: last + 1]]
        n_ready += n_rest + last + 1
        rest, n_rest = [piece[last + 1 :]], len(piece) - last - 1
        line += piece.count(b"\n")
        if n_ready >= size:
            yield b"".join(ready)
            ready, n_ready = [], 0
    if n_ready + n_rest:
        yield b"".join([*ready, *rest])


def _plain_pieces(file: InputFile) -> Iterator[bytes]:
    """Yield a file as UTF-8 without its mark, a line feed at the end of every line."""
    held = b""
    for piece in _utf8_pieces(file):
        whole = held + piece
        # What follows a final carriage return may be its line feed.
        held = b"\r" if whole.endswith(b"\r") else b""
        whole = whole.removesuffix(b"\r")
        yield whole.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in whole else whole
    if held:
        yield b"\n"


def _utf8_pieces(file: InputFile) -> Iterator[bytes]:
    encoding = next((name for mark, name in WIDE_MARKS.items() if file.head.startswith(mark)), None)
    if encoding is None:
        mark = len(BYTE_ORDER_MARK) if file.head.startswith(BYTE_ORDER_MARK) else 0
        for piece in file.pieces():
            yield piece[mark:]
            mark = max(0, mark - len(piece))
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    at_start = True
    try:
        for piece in file.pieces():
            text = decoder.decode(piece)
            if at_start:
                check_wide_mark(file.name, encoding, text)
            at_start = at_start and not text
            yield text.encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError:
        raise damaged_wide_text(file.name, encoding) from None
