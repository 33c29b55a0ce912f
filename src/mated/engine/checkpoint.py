"""Tallies of files kept on disk, so that an interrupted run goes on where it stopped.

A tally is kept under the name of its file, with what was asked of the file and a fingerprint: its size, the time it was
last written, and a hash of its first and last 64 KiB. Where any of these differs, the file is counted again. A change
that leaves all of them as they were (bytes in the middle overwritten and the time set back) goes unnoticed: a hash of
the whole would cost as much as counting.

Files are .npz without pickles, so that nothing in them is ever run. One that cannot be read is made anew.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from zipfile import BadZipFile

import numpy as np

from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from mated.engine.stream import Source

__all__ = ["Checkpoint", "fingerprint_of"]

_ENDS = 1 << 16
_T = TypeVar("_T")


def fingerprint_of(path: Path) -> str:
    """Return size, time of the last change, and a hash of both ends of a file."""
    try:
        status = path.stat()
        digest = hashlib.sha256()
        with path.open("rb") as file:
            digest.update(file.read(_ENDS))
            file.seek(max(status.st_size - _ENDS, 0))
            digest.update(file.read(_ENDS))
    except OSError as error:
        raise MatedError(f"{path} cannot be read: {error.strerror}; give its right name, or leave it out") from None
    return f"{status.st_size} {status.st_mtime_ns} {digest.hexdigest()}"


@dataclass(frozen=True)
class Checkpoint:
    """A folder of tallies, one a file and stage.

    Attributes
    ----------
    folder
        Where they are kept; made when the first is written.
    replacing
        Gives a temporary path and puts it in place when all went well: `mated.io.atomic.replacing`.
    """

    folder: Path
    replacing: Callable[[Path], AbstractContextManager[Path]]

    def fingerprint(self, source: Source) -> str | None:
        """Return the fingerprint of a source's file, None for a source without one."""
        return None if source.path is None else fingerprint_of(source.path)

    def load(self, source: Source, stage: str, make: Callable[[Mapping[str, NDArray[Any]]], _T]) -> _T | None:
        """Return what was kept of a stage of a file that has not changed since, None where there is nothing."""
        if source.path is None:
            return None
        place = self._place(source, stage)
        try:
            with place.open("rb") as file, np.load(file, allow_pickle=False) as kept:
                arrays = dict(kept)
            if str(arrays.pop("fingerprint")) != fingerprint_of(source.path):
                return None
            return make(arrays)
        except (OSError, ValueError, TypeError, KeyError, EOFError, BadZipFile, MatedError):
            if not source.path.is_file():
                raise MatedError(f"{source.path} is not there; give its right name, or leave it out") from None
            return None

    def save(self, source: Source, stage: str, arrays: Mapping[str, NDArray[Any]], fingerprint: str | None) -> None:
        """Keep what was made of a file whose fingerprint was taken before; a file that changed meanwhile is refused."""
        if source.path is None or fingerprint is None:
            return
        if fingerprint_of(source.path) != fingerprint:
            raise MatedError(f"{source.path} changed while it was counted; start again when it is no longer written to")
        with self.replacing(self._place(source, stage)) as temporary, temporary.open("wb") as file:
            np.savez(file, allow_pickle=False, fingerprint=np.array(fingerprint), **arrays)

    def _place(self, source: Source, stage: str) -> Path:
        assert source.path is not None
        asked = "\n".join((str(source.path.resolve()), source.reads, stage))
        name = hashlib.sha256(asked.encode()).hexdigest()[:32]
        return Path(self.folder) / f"{source.path.stem[:40]}-{name}.npz"
