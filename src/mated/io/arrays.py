"""NumPy's .npy files. Pickled objects are never loaded."""

from __future__ import annotations

import warnings
from io import BytesIO
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.io.bytes_in import InputFile

__all__ = ["is_npy", "load_npy"]

_MAGIC = b"\x93NUMPY"
_LONGEST_HEADER = 1 << 16
# A header is a Python literal, and a damaged one fails in as many ways as that can.
_DAMAGED = (ValueError, EOFError, OSError, SyntaxError, TypeError, OverflowError, MemoryError, TokenError)


def is_npy(file: InputFile) -> bool:
    """Say whether a file is a .npy array, by its first bytes or its ending."""
    return file.head.startswith(_MAGIC) or file.ending == ".npy"


def load_npy(file: InputFile) -> NDArray[Any]:
    """Map an array into memory, or load it where it is packed."""
    if not file.head:
        raise MatedError(f"{file.name} is empty; it holds no array")
    if not file.head.startswith(_MAGIC):
        raise MatedError(f"{file.name} is not a .npy array; write it with numpy.save")
    _check_header_length(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a header written by Python 2, which is read as well
            array, rest = _load(file)
    except _DAMAGED as error:
        if "Object arrays" in str(error) or "Python objects" in str(error):
            raise MatedError(
                f"{file.name} holds pickled Python objects, which are never loaded; save an array of numbers"
            ) from None
        raise _not_whole(file) from None
    if rest:
        raise MatedError(
            f"{file.name} has {rest} bytes after its array of shape {array.shape}; it is damaged or holds several "
            "arrays, so write one array alone"
        )
    result: NDArray[Any] = array
    return result


def _load(file: InputFile) -> tuple[NDArray[Any], int]:
    """Return the array, and how many bytes come after it."""
    if file.packed or not file.path.is_file():
        stream = BytesIO(file.contents)
        return np.load(stream, allow_pickle=False), len(stream.read())
    mapped = np.load(file.path, allow_pickle=False, mmap_mode="r")
    return mapped, file.path.stat().st_size - mapped.offset - mapped.nbytes


def _check_header_length(file: InputFile) -> None:
    """Refuse a header of megabytes, which NumPy would read before it looks at it."""
    size = 2 if file.head[6:7] <= b"\1" else 4
    if int.from_bytes(file.head[8 : 8 + size], "little") > _LONGEST_HEADER:
        raise _not_whole(file)


def _not_whole(file: InputFile) -> MatedError:
    return MatedError(f"{file.name} is not a whole .npy array; it is cut short or damaged; write it again")
