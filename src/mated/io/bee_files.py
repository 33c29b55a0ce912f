"""The files of the Biometric Evaluation Environment (BEE), as OpenBR and bob write them: scores and masks.

    S2 | D2                     similarities or distances
    target sigset               the references
    query sigset                the probes
    MF rows columns 0x12345678  (MB for a mask); the four bytes of the integer tell the byte order
    rows × columns numbers      float32 (bytes for a mask), row after row; rows are the queries

A mask has 0xFF where a comparison is mated, 0x7F where it is not, 0x00 where it is to be ignored.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mated.io.bytes_in import InputFile

__all__ = ["IGNORED", "MATED", "NONMATED", "BeeFile", "blocks_of", "is_bee", "open_bee", "read_mask"]

MATED, NONMATED, IGNORED = 0xFF, 0x7F, 0x00

_ENDINGS = (".mtx", ".mask")
_START = re.compile(rb"[SD]2\r?\n")
_SIGSETS = re.compile(rb"(S2|D2)\r?\n([^\n]*)\n([^\n]*)\n")
_SIZE = re.compile(rb"M(.) (\d{1,18}) (\d{1,18}) (....)\r?\n", re.DOTALL)
_ORDERS = {b"\x78\x56\x34\x12": "little", b"\x12\x34\x56\x78": "big"}
_BLOCK_ENTRIES = 1 << 22


@dataclass(frozen=True, eq=False)
class BeeFile:
    """The header of one file, and its numbers as an array with a row a query; it may be mapped from the file.

    Writing into a mapped array changes nothing in the file.
    """

    name: str
    distances: bool
    target: str
    query: str
    numbers: NDArray[Any]


def is_bee(file: InputFile) -> bool:
    """Say whether a file is of BEE, by its first bytes or its ending."""
    return bool(_START.match(file.head)) or file.ending in _ENDINGS


def open_bee(file: InputFile, kind: Literal["MF", "MB"]) -> BeeFile:
    """Open a matrix of scores ("MF") or a mask ("MB"), and check every part of its header and its size."""
    head = file.head
    if not head:
        raise MatedError(f"{file.name} is empty; it holds no matrix")
    sigsets = _SIGSETS.match(head)
    if sigsets is None:
        raise MatedError(
            f"{file.name} is no BEE matrix: its first line is not S2 (similarities) or D2 (distances), with two lines "
            "after it that name the sigsets; if it is of another format, name that with format= (--format)"
        )
    size = _SIZE.match(head, sigsets.end())
    if size is None:
        raise MatedError(
            f"{file.name}, line 4: a BEE matrix has M{kind[1]}, its rows, its columns and four bytes that tell the "
            "byte order there; the file is cut short or damaged"
        )
    found = size[1].decode("latin-1")
    if found != kind[1]:
        others = {"F": "a matrix of scores", "B": "a mask"}
        given = others.get(found, f"M{found!r}, neither scores (MF) nor a mask (MB)")
        raise MatedError(f"{file.name}, line 4: this is {given}, and {others[kind[1]]} is needed; give that file")
    order = _ORDERS.get(size[4])
    if order is None:
        raise MatedError(
            f"{file.name}, line 4: the bytes 0x{size[4].hex()} do not tell the byte order, which 0x12345678 does in "
            "either order; the file is damaged"
        )
    rows, columns = int(size[2]), int(size[3])
    numbers = _numbers(file, size.end(), (rows, columns), np.dtype(np.float32 if kind == "MF" else np.uint8))
    if kind == "MF" and order != sys.byteorder:
        numbers = numbers.byteswap()
    target, query = (sigsets[i].decode(errors="replace").strip() for i in (2, 3))
    return BeeFile(file.name, sigsets[1] == b"D2", target, query, numbers)


def read_mask(file: InputFile, shape: tuple[int, ...]) -> BeeFile:
    """Open a mask of a given size and check every byte."""
    mask = open_bee(file, "MB")
    if mask.numbers.shape != shape:
        rows, columns = mask.numbers.shape
        raise MatedError(
            f"{file.name} has {rows} rows and {columns} columns and the matrix {shape[0]} and {shape[1]}; a mask has "
            "as many as its matrix"
        )
    for block in blocks_of(shape):
        part = mask.numbers[block]
        known = (part == MATED) | (part == NONMATED) | (part == IGNORED)
        if not known.all():
            row, column = (int(place) for place in np.argwhere(~known)[0])
            raise MatedError(
                f"{file.name}, row {block.start + row + 1}, column {column + 1}: the byte 0x{part[row, column]:02x} is "
                "none of a mask, which has 0xff for mated, 0x7f for non-mated and 0x00 for ignored"
            )
    return mask


def blocks_of(shape: tuple[int, ...]) -> Iterator[slice]:
    """Yield the rows of a matrix some millions of entries at a time."""
    step = max(1, _BLOCK_ENTRIES // max(1, shape[1]))
    for start in range(0, shape[0], step):
        yield slice(start, min(start + step, shape[0]))


def _numbers(file: InputFile, offset: int, shape: tuple[int, int], dtype: np.dtype[Any]) -> NDArray[Any]:
    held = file.packed or not file.path.is_file()
    length = len(file.contents) if held else file.path.stat().st_size
    expected = offset + shape[0] * shape[1] * dtype.itemsize
    if not shape[0] * shape[1]:
        raise MatedError(f"{file.name} has {shape[0]} rows and {shape[1]} columns; it holds no scores")
    if length != expected:
        what = "cut short" if length < expected else "too long"
        raise MatedError(
            f"{file.name} is {what}: {shape[0]} rows and {shape[1]} columns need {expected} bytes, and it has "
            f"{length}; write it again"
        )
    if held:
        return np.frombuffer(file.contents, dtype, offset=offset).reshape(shape)
    mapped: NDArray[Any] = np.memmap(file.path, dtype, mode="c", offset=offset, shape=shape)
    return mapped
