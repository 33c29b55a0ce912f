"""Whether comparisons are held or read in chunks, who counts them, and where what was counted is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mated.engine.checkpoint import Checkpoint
from mated.errors import MatedError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from mated.engine import DaskRunner, Source
    from mated.io.scanning import Scan

__all__ = ["ENGINES", "WatchedCheckpoint", "checkpoint_in", "in_chunks", "refuse_held", "runner_of", "scan_to_stream"]

ENGINES = ("local", "dask")
"""Who may count: this process, or the workers of a Dask cluster."""

# Rows of a part where files are divided, so that parts can be kept or shared out: a second or two of work.
_ROWS_PER_PART = 1 << 24
# A file below this is never too large to be held, whatever it holds: it need not be looked into.
_SMALL = 1 << 24
_READ_WHOLE = ("key", "mask", "histogram", "ids", "probe_ids", "reference_ids")

_T = TypeVar("_T")


def in_chunks(stream: bool | None, *, engine: str, scheduler: Any, checkpoint: Any = None) -> bool | None:
    """Return whether to stream, as `scan_to_stream` takes it: a cluster and a checkpoint count in chunks alone."""
    if engine == "local" and scheduler is None and checkpoint is None:
        return stream
    if stream is False:
        raise MatedError("a checkpoint or a cluster counts in chunks; leave out stream=False (--no-stream)")
    return True


def refuse_held(stream: bool | None) -> None:
    """Refuse to stream what is in memory."""
    if stream:
        raise MatedError("these scores are in memory already, and stream=True is for files and lazy frames")


def scan_to_stream(
    source: Any = None,
    *,
    mated: Any = None,
    nonmated: Any = None,
    stream: bool | None = None,
    divided: bool = False,
    **options: Any,
) -> Scan | None:
    """Return a scan of comparisons that are to be read in chunks, None of those that are to be held.

    Parameters
    ----------
    source, mated, nonmated
        As for `mated.read`.
    stream
        None streams lazy frames and what is too large to be held; True streams, and False does not.
    divided
        Whether large files are divided into parts.
    options
        Further arguments of `mated.read`. Some of them belong to formats that are read whole.
    """
    if stream is False or (stream is None and not _can_be_large(source, mated, nonmated)):
        return None
    from mated.io.scanning import is_large, scan

    needed = [name for name in _READ_WHOLE if options.pop(name, None) is not None]
    rows = _ROWS_PER_PART if divided else None
    found = None if needed else scan(source, mated=mated, nonmated=nonmated, rows_per_part=rows, **options)
    if found is None:
        if stream:
            why = f"with {needed[0]}=" if needed else "of this format"
            raise MatedError(
                f"a file {why} can only be read whole; leave out stream=True (--stream), checkpoint= and engine=, "
                "or write the comparisons as a table, Parquet for instance"
            )
        return None
    return found if stream or found.lazy or is_large(found) else None


def _can_be_large(*sources: Any) -> bool:
    """Whether comparisons may be anywhere else than in memory."""
    files = [Path(source) for source in sources if isinstance(source, str | Path)]
    if files:
        return any(not file.is_file() or file.stat().st_size >= _SMALL for file in files)
    if any(isinstance(source, list | tuple) for source in sources):
        return True
    # A lazy frame can be collected or computed; a relation of DuckDB has neither method.
    lazy = ("collect", "compute", "fetch_arrow_table")
    return any(hasattr(source, method) for source in sources for method in lazy)


def runner_of(engine: str, scheduler: Any = None) -> DaskRunner | None:
    """Return who counts; None for this process alone."""
    if engine not in ENGINES:
        raise MatedError(f"there is no engine {engine!r}; choose one of {', '.join(ENGINES)}")
    if engine == "local":
        if scheduler is not None:
            raise MatedError("a scheduler belongs to engine='dask' (--engine dask)")
        return None
    from mated.engine import DaskRunner

    return DaskRunner(scheduler)


def checkpoint_in(folder: str | os.PathLike[str] | None) -> WatchedCheckpoint | None:
    """Return a checkpoint in a folder."""
    if folder is None:
        return None
    from mated.io.atomic import replacing

    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise MatedError(f"{place} is a file, and a checkpoint is a folder; name another")
    return WatchedCheckpoint(place, replacing)


@dataclass(frozen=True)
class WatchedCheckpoint(Checkpoint):
    """A checkpoint that knows how many parts of the last pass it keeps."""

    kept: dict[str, int] = field(default_factory=dict, compare=False)

    def load(self, source: Source, stage: str, make: Callable[[Mapping[str, NDArray[Any]]], _T]) -> _T | None:
        """Return what was kept of a stage of a file that has not changed since, None where there is nothing."""
        found = super().load(source, stage, make)
        self.kept[stage] = self.kept.get(stage, 0) + (found is not None)
        return found

    def save(self, source: Source, stage: str, arrays: Mapping[str, NDArray[Any]], fingerprint: str | None) -> None:
        """Keep what was made of a file."""
        super().save(source, stage, arrays, fingerprint)
        self.kept[stage] = self.kept.get(stage, 0) + 1

    @property
    def parts_kept(self) -> int:
        """Parts of the last pass that are kept."""
        return next(reversed(self.kept.values()), 0)
