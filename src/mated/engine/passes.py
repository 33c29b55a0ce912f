"""One pass over sources of comparisons: every chunk is taken in, and what was found adds up.

What a pass finds in some of the comparisons forms a monoid, so that sources may be counted one after another here,
restored from what an earlier run kept, or counted by a runner (`mated.engine.runner`) wherever they lie.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mated.engine.checkpoint import Checkpoint
    from mated.engine.runner import Runner
    from mated.engine.stream import Progress, Source

__all__ = ["Part", "Worker", "run_pass"]


class Part(Protocol):
    """What a pass found in some of the comparisons: parts can be added, and written as arrays."""

    @property
    def rows(self) -> int:
        """Number of comparisons seen."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as plain arrays."""

    def __add__(self, other: object) -> Self: ...


_Part = TypeVar("_Part", bound=Part)
_Found = TypeVar("_Found", bound=Part, covariant=True)


class Worker(Protocol[_Found]):
    """Takes in chunks and gives what they add up to."""

    def add(self, scores: Any, mated: Any, *, name: str = ..., first_row: int = ...) -> object:
        """Take in a chunk."""

    def result(self) -> _Found:
        """Return the part that was taken in so far."""


def run_pass(
    sources: Sequence[Source],
    worker: Callable[[], Worker[_Part]],
    number: int,
    *,
    stage: Callable[[], str],
    restore: Callable[[Mapping[str, NDArray[Any]]], _Part],
    rows: int | None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
    runner: Runner | None = None,
) -> _Part:
    """Give all chunks of all sources to workers and add what they found.

    With a checkpoint the part of every file is kept as soon as it is made, and a file whose part was kept before and
    that has not changed is not read. An interruption passes through: files are closed, and parts that were kept stay.
    With a runner every source has a worker of its own, wherever the runner has it count; parts are kept here.
    """
    if runner is not None:
        return _run_elsewhere(runner, sources, worker, number, stage, restore, rows, progress, checkpoint)
    shared, sum_of_kept, done = worker(), None, 0

    def tell(rows_done: int) -> None:
        if progress is not None:
            progress(number, rows_done, rows)

    for source in sources:
        keeping = checkpoint is not None and source.path is not None
        part = checkpoint.load(source, stage(), restore) if checkpoint is not None and keeping else None
        if part is None:
            own = worker() if keeping else shared
            fingerprint = checkpoint.fingerprint(source) if checkpoint is not None and keeping else None
            for scores, flags, row in _numbered(source):
                own.add(scores, flags, name=source.name, first_row=row)
                done += len(scores)
                tell(done)
            if checkpoint is None or not keeping:
                continue
            part = own.result()
            checkpoint.save(source, stage(), part.arrays(), fingerprint)
        else:
            done += part.rows
            tell(done)
        sum_of_kept = part if sum_of_kept is None else sum_of_kept + part
    rest = shared.result()
    return rest if sum_of_kept is None else sum_of_kept + rest


def _numbered(source: Source) -> Iterator[tuple[Any, Any, int]]:
    """Yield the chunks of a source with the row each begins at, and close the source's generator whatever happens."""
    row = source.first_row
    chunks = iter(source.chunks())
    try:
        for scores, flags in chunks:
            yield scores, flags, row
            row += len(scores)
    finally:
        close = getattr(chunks, "close", None)
        if close is not None:
            close()


def _run_elsewhere(
    runner: Runner,
    sources: Sequence[Source],
    worker: Callable[[], Worker[_Part]],
    number: int,
    stage: Callable[[], str],
    restore: Callable[[Mapping[str, NDArray[Any]]], _Part],
    rows: int | None,
    progress: Progress | None,
    checkpoint: Checkpoint | None,
) -> _Part:
    """Have a runner count the sources of which no part was kept."""
    kept: list[_Part] = []
    left: list[tuple[int, Source]] = []
    fingerprints: dict[int, str | None] = {}
    for place, source in enumerate(sources):
        part = None if checkpoint is None else checkpoint.load(source, stage(), restore)
        if part is not None:
            kept.append(part)
            continue
        left.append((place, source))
        if checkpoint is not None:
            fingerprints[place] = checkpoint.fingerprint(source)
    rows_done = 0

    def tell(more: int) -> None:
        nonlocal rows_done
        rows_done += more
        if progress is not None:
            progress(number, rows_done, rows)

    def keep(found: tuple[int, _Part]) -> None:
        place, part = found
        if checkpoint is not None:
            checkpoint.save(sources[place], stage(), part.arrays(), fingerprints[place])
        tell(part.rows)

    for part in kept:
        tell(part.rows)
    if left:
        watched = checkpoint is not None or progress is not None
        _, part = runner.map_reduce(
            left,
            partial(_counted, worker),
            merge=_added,
            name_of=_name_of,
            # Without a checkpoint only the numbers of rows come here as sources are done.
            done=(tell if checkpoint is None else keep) if watched else None,
            brief=_rows_counted if checkpoint is None else None,
        )
        kept.append(part)
    return kept[0] if len(kept) == 1 else sum(kept[1:], start=kept[0])


# Functions of a module, which can be sent elsewhere by their names.


def _counted(worker: Callable[[], Worker[_Part]], asked: tuple[int, Source]) -> tuple[int, _Part]:
    place, source = asked
    own = worker()
    for scores, flags, row in _numbered(source):
        own.add(scores, flags, name=source.name, first_row=row)
    return place, own.result()


def _added(one: tuple[int, _Part], other: tuple[int, _Part]) -> tuple[int, _Part]:
    return one[0], one[1] + other[1]


def _rows_counted(found: tuple[int, _Part]) -> int:
    return found[1].rows


def _name_of(asked: tuple[int, Source]) -> str:
    return asked[1].name
