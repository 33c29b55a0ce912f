"""Score matrices with their ids: as .npy, as text, and as a BEE matrix with its mask."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.bee_files import IGNORED, MATED, NONMATED
from mated.io.writers.columns import are_whole, unit_note, widened
from mated.io.writers.lines import write_ids
from mated.io.writers.names import LINES, MATRIX, check_names
from mated.io.writers.output import Written, beside, options
from mated.io.writers.rectangle import Rectangle, rectangle_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mated.io.writers.output import Output
    from mated.scores import Comparisons, ScoreMatrix

__all__ = ["write_bee", "write_npy", "write_text_matrix"]

_FAILURE = np.finfo(np.float32).max
_MAGIC = 0x12345678


def write_npy(layout: Comparisons | ScoreMatrix, output: Output) -> Written:
    """Write scores.npy with the ids of its rows and columns; NaN is a failure."""
    part = rectangle_of(layout, str(output.path))
    _need_subjects(part, output)
    if lacking := int(np.count_nonzero(~part.compared & ~part.own)):
        raise MatedError(
            f"{output.path}: {lacking} of the {part.scores.size} pairs of probe and reference were not compared, and a "
            ".npy matrix has a score for each; write a text matrix (--to matrix) or a table"
        )
    part.check_counted(part.scores, np.ones_like(part.held), str(output.path))
    ids = _Ids.of(part, output)
    with output.files(output.path, *ids.paths) as (temporary, *tables), temporary.open("wb") as stream:
        np.save(stream, part.scores, allow_pickle=False)
        ids.write(tables)
    return _written(part, layout, output, (output.path, *ids.paths), ids.reading, "a matrix")


def write_text_matrix(layout: Comparisons | ScoreMatrix, output: Output) -> Written:
    """Write a CSV matrix with ids in its header and first column; an empty cell is no comparison, NaN a failure."""
    import polars as pl

    part = rectangle_of(layout, str(output.path))
    _need_subjects(part, output)
    sides = (part.probes, part.references)
    noun = "subject" if part.probes.samples is None else "sample"
    names = [(side.subjects if noun == "subject" else side.samples) or [] for side in sides]
    for side in names:
        check_names(side, str(output.path), without=MATRIX, noun=noun)
    if noun == "subject" and names[0] == names[1] and len(set(names[0])) < len(names[0]):
        raise MatedError(
            f"{output.path}: rows and columns are named by the same subjects, and a text matrix would take them for "
            "the same samples; write .npy"
        )
    failed, whole = (
        part.held & np.isnan(part.scores),
        are_whole(pl.Series(np.where(part.held, part.scores, np.nan).ravel())),
    )
    scores = widened(np.where(part.held, part.scores, np.nan)) if part.scores.dtype == np.float32 else part.scores
    part.check_counted(np.where(part.held, part.scores, np.nan), part.held, str(output.path))
    header, body = io.StringIO(), {"": pl.Series(names[0], dtype=pl.String)}
    csv.writer(header, lineterminator="\n").writerow(["", *names[1]])
    for number in range(part.scores.shape[1]):
        cells = pl.Series(np.ascontiguousarray(scores[:, number]))
        cells = cells.fill_nan(None) if cells.dtype.is_float() else cells
        texts = cells.cast(pl.Int64 if whole else cells.dtype, strict=False).cast(pl.String)
        texts = texts.set(pl.Series(~part.held[:, number]), None).set(pl.Series(failed[:, number]), "nan")
        body[str(number)] = texts
    paths, reading = [output.path], "--format matrix"
    if noun == "sample":
        paths.append(beside(output.path, "ids", ".csv"))
        reading += " " + options(("--ids", paths[1:]))
    with output.files(*paths) as (temporary, *tables):
        with temporary.open("w", encoding="utf-8", newline="") as stream:
            stream.write(header.getvalue())
            pl.DataFrame(body).write_csv(stream, include_header=False)
        if tables:
            owner = {name: who for k in range(2) for name, who in zip(names[k], sides[k].subjects or [], strict=True)}
            write_ids(tables[0], list(owner), list(owner.values()))
    return _written(part, layout, output, tuple(paths), reading, "a matrix")


def write_bee(layout: Comparisons | ScoreMatrix, output: Output) -> Written:
    """Write a BEE matrix of 32-bit scores with its mask, and the ids of rows and columns where subjects are known."""
    part = rectangle_of(layout, str(output.path))
    notes: tuple[str, ...] = ()
    counted = part.compared & ~part.failed
    given = part.scores[counted]
    with np.errstate(over="ignore"):
        numbers = part.scores.astype(np.float32)
    changed = numbers[counted].astype(np.float64) != given.astype(np.float64)
    if changed.any():
        notes = output.refuse_or_note(
            f"{np.count_nonzero(changed)} of {len(given)} scores are no 32-bit numbers, which a BEE matrix holds, and "
            "would be rounded",
            "write another format",
            f"{np.count_nonzero(changed)} scores are rounded to 32 bits",
        )
    if (np.abs(numbers[counted]) == _FAILURE).any() or (np.isinf(numbers[counted]) & ~np.isinf(given)).any():
        raise MatedError(f"{output.path}: a score is as large as ±FLT_MAX, which means a failure in a BEE matrix")
    numbers[np.isnan(numbers) | (np.abs(numbers) == _FAILURE)] = 0
    part.check_counted(np.where(part.failed, np.nan, numbers), part.compared, str(output.path))
    numbers[part.failed] = -_FAILURE
    mask = np.full(part.scores.shape, IGNORED, dtype=np.uint8)
    mask[part.compared] = np.where(part.mated[part.compared], MATED, NONMATED)
    path = output.path
    mask_path = path.with_suffix(".mask")
    ids = _Ids.of(part, output) if part.probes.subjects is not None else _Ids((), "", part)
    with output.files(path, mask_path, *ids.paths) as (temporary, temporary_mask, *tables):
        for file, kind, content in ((temporary, b"MF", numbers), (temporary_mask, b"MB", mask)):
            with file.open("wb") as stream:
                stream.write(_bee_header(part, path, kind, output))
                content.astype(content.dtype.newbyteorder("<" if output.byte_order == "little" else ">")).tofile(stream)
        ids.write(tables)
    reading = " ".join(words for words in (options(("--mask", [mask_path])), ids.reading) if words)
    return _written(part, layout, output, (path, mask_path, *ids.paths), reading, "a BEE matrix", notes)


def _bee_header(part: Rectangle, path: Path, kind: bytes, output: Output) -> bytes:
    # One name for both sigsets says that rows and columns are the same samples.
    query, target = (path.stem, path.stem) if part.same_samples else (f"{path.stem} probes", f"{path.stem} references")
    rows, columns = part.scores.shape
    lines = f"{'D2' if part.dissimilarity else 'S2'}\n{target}\n{query}\n{kind.decode()} {rows} {columns} "
    return lines.encode() + _MAGIC.to_bytes(4, output.byte_order) + b"\n"


class _Ids:
    """The tables of ids beside a matrix: one where rows and columns are the same samples, else one for each side."""

    def __init__(self, paths: tuple[Path, ...], reading: str, part: Rectangle) -> None:
        self.paths, self.reading, self._part = paths, reading, part

    @classmethod
    def of(cls, part: Rectangle, output: Output) -> _Ids:
        for side in (part.probes, part.references):
            for names, noun in ((side.samples, "sample"), (side.subjects, "subject")):
                check_names(names or (), str(output.path), without=LINES, noun=noun)
        if part.same_samples:
            path = beside(output.path, "ids", ".csv")
            return cls((path,), options(("--ids", [path])), part)
        paths = tuple(beside(output.path, f"{side}_ids", ".csv") for side in ("probe", "reference"))
        return cls(paths, options(("--probe-ids", paths[:1]), ("--reference-ids", paths[1:])), part)

    def write(self, temporary: Sequence[Path]) -> None:
        for path, side in zip(temporary, (self._part.probes, self._part.references), strict=False):
            write_ids(path, side.samples, side.subjects or [])


def _need_subjects(part: Rectangle, output: Output) -> None:
    if part.probes.subjects is None:
        raise MatedError(
            f"{output.path}: a matrix is read with the subjects of its rows and columns, and they are not known; write "
            "a BEE matrix (--to bee), whose mask says which comparisons are mated, or a table"
        )


def _written(
    part: Rectangle,
    layout: Comparisons | ScoreMatrix,
    output: Output,
    paths: tuple[Path, ...],
    reading: str,
    what: str,
    notes: tuple[str, ...] = (),
) -> Written:
    covariates: Any = getattr(layout, "covariates", {})
    if covariates:
        names = ", ".join(repr(name) for name in covariates)
        notes = (*notes, f"{what} does not hold further columns ({names})")
    bee = what == "a BEE matrix"
    if part.dissimilarity and not bee:
        notes = (*notes, f"{what} does not say that a lower score means more alike; read it with --dissimilarity")
        reading += " --dissimilarity"
    if part.failed.any() and not bee:
        reading += " --nan failure"
    return Written(paths, part.comparisons, (*notes, *unit_note(layout.unit)), reading)
