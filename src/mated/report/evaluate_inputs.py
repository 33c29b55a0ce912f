"""What a report is made from and by: checksums of its files, and versions of what computed it."""

from __future__ import annotations

import hashlib
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.bytes_in import InputFile
from mated.io.file_sets import FileSet, locate
from mated.report.findings import InputRecord, Provenance

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["input_records", "provenance", "record"]

_PACKAGES = ("numpy", "scipy", "numba", "polars", "narwhals", "matplotlib", "plotly", "jinja2")


def input_records(paths: Iterable[Path]) -> tuple[InputRecord, ...]:
    """Record every file that paths, folders and patterns stand for, each once; pipes cannot be read again."""
    files: dict[Path, None] = {}
    for path in paths:
        found = locate(path)
        parts = found.parts if isinstance(found, FileSet) else (found,)
        files |= dict.fromkeys(part.path for part in parts if isinstance(part, InputFile) and part.path.is_file())
    return tuple(record(path) for path in files)


def record(path: Path) -> InputRecord:
    """Record one file: its name without folders, its size and the SHA-256 of its bytes, read in pieces."""
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            return InputRecord(path.name, os.fstat(stream.fileno()).st_size, digest)
    except OSError as error:
        raise MatedError(f"{path} cannot be read: {error.strerror}") from None


def provenance(command: str, seed: int) -> Provenance:
    """Say what made the report; SOURCE_DATE_EPOCH sets its date, so that the same report can be made again."""
    from mated import __version__

    packages = {}
    for name in _PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    return Provenance(__version__, platform.python_version(), packages, command, seed, _date())


def _date() -> str:
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(given), UTC) if given.isdigit() else datetime.now(UTC)
    return moment.strftime("%Y-%m-%d %H:%M UTC")
