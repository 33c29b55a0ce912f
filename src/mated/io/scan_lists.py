"""Two score lists read piece by piece: text a block of lines at a time, arrays mapped from their files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.io.arrays import is_npy
from mated.io.scan_parts import SO_FAR, Scan, ScanPart
from mated.io.score_lists import (
    ScoreList,
    array_list,
    decided_on_lists,
    header_of_list,
    refuse_nan_value,
    scores_of_lines,
)
from mated.io.text_blocks import first_lines, text_blocks
from mated.scores.validation import check_exact

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl
    from numpy.typing import NDArray

    from mated.io.bytes_in import InputFile
    from mated.io.request import Request

__all__ = ["ListBatches", "scan_lists"]

VALUES = 1 << 18
"""Values of a batch of an array."""


def scan_lists(request: Request, _rows_per_part: int | None) -> Scan | None:
    """Scan two lists, each one part; None for pipes and packed arrays.

    How many fields a line has is noted as the first lines have it.
    """
    request.refuse_columns("score lists")
    request.refuse_ids("score lists")
    if request.mated is None or request.nonmated is None:
        raise MatedError("score lists come in twos; give both mated= and nonmated= (--mated and --nonmated)")
    files = (request.mated, request.nonmated)
    if any(not file.path.is_file() or (file.packed and is_npy(file)) for file in files):
        return None
    starts = [_start(file, request) for file in files]
    dissimilarity, notes = decided_on_lists(starts[0], starts[1], request)
    parts = [
        ScanPart(
            file.name,
            ListBatches(file, request, bool(start.header), is_mated),
            len(start.scores) if is_npy(file) else None,
            file.path,
            f"{'mated' if is_mated else 'non-mated'} scores; nan={request.nan}; header {start.header!r}",
        )
        for file, start, is_mated in zip(files, starts, (True, False), strict=True)
    ]
    size = sum(file.path.stat().st_size for file in files)
    known = frozenset({"score", "mated"})
    return Scan(request.name, tuple(parts), known, (), dissimilarity, request.unit, request.nan, notes, size=size)


def _start(file: InputFile, request: Request) -> ScoreList:
    """Read the first scores of a list, all of an array."""
    if is_npy(file):
        return ScoreList(array_list(file))
    text = first_lines(file, 2)
    header = header_of_list(text, request)
    if header:
        text = text.without_first()
        if not text.data:
            raise MatedError(f"{file.name} has a header and no data; it holds no scores")
    return replace(scores_of_lines(text, request), header=header)


@dataclass(frozen=True)
class ListBatches:
    """The scores of one class."""

    file: InputFile
    request: Request
    headed: bool
    mated: bool

    def __call__(self, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        """Yield the batches."""
        import polars as pl

        unknown = [name for name in columns if name not in ("score", "mated")]
        if unknown:
            raise MatedError(f"{self.file.name} is a score list, without a column {unknown[0]!r}")
        for scores in self._pieces():
            check_exact(scores, "scores")
            found: dict[str, Any] = {"score": scores, "mated": pl.repeat(self.mated, len(scores), eager=True)}
            yield pl.DataFrame({name: found[name] for name in columns})

    def _pieces(self) -> Iterator[NDArray[Any]]:
        if is_npy(self.file):
            values = array_list(self.file)
            for start in range(0, len(values), VALUES):
                piece = values[start : start + VALUES]
                if self.request.nan == "refuse":
                    refuse_nan_value(piece, self.file, before=start, so_far=SO_FAR)
                yield piece
            return
        headed = self.headed
        for block in text_blocks(self.file):
            text = block.without_first() if headed else block
            headed = False
            if text.data:
                yield scores_of_lines(text, self.request, so_far=SO_FAR).scores
