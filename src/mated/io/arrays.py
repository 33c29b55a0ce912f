"""NumPy's .npy files. Pickled objects are never loaded."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.io.bytes_in import InputFile

__all__ = ["is_npy", "load_npy"]

_MAGIC = b"\x93NUMPY"


def is_npy(file: InputFile) -> bool:
    """Say whether a file is a .npy array, by its first bytes or its ending."""
    return file.head.startswith(_MAGIC) or file.ending == ".npy"


def load_npy(file: InputFile) -> NDArray[Any]:
    """Map an array into memory, or load it where it is packed."""
    if not file.head:
        raise MatedError(f"{file.name} is empty; it holds no array")
    if not file.head.startswith(_MAGIC):
        raise MatedError(f"{file.name} is not a .npy array; write it with numpy.save")
    try:
        if file.packed or not file.path.is_file():
            array = np.load(BytesIO(file.contents), allow_pickle=False)
        else:
            array = np.load(file.path, allow_pickle=False, mmap_mode="r")
    except (ValueError, EOFError, OSError, SyntaxError) as error:
        if "allow_pickle" in str(error) or "Python objects" in str(error):
            raise MatedError(
                f"{file.name} holds pickled Python objects, which are never loaded; save an array of numbers"
            ) from None
        raise MatedError(f"{file.name} is not a whole .npy array; it is cut short or damaged; write it again") from None
    result: NDArray[Any] = array
    return result
