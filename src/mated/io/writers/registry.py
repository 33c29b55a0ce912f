"""The formats that can be written. A new one is a function and one entry in `WRITERS`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.io.writers.bob_lists import write_bob
from mated.io.writers.dasec_json import write_dasec
from mated.io.writers.matrices import write_bee, write_npy, write_text_matrix
from mated.io.writers.score_lists import write_lists
from mated.io.writers.tables import write_table
from mated.io.writers.trial_lists import write_trials
from mated.scores import PairIds, ScoreMatrix

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mated.io.writers.output import Output, Written
    from mated.io.writers.tables import TableKind
    from mated.scores import Comparisons

__all__ = ["WRITERS", "Writer", "choose_writer"]


@dataclass(frozen=True)
class Writer:
    """One format: its name, what it is in words, the endings that mean it, and how it is written.

    `table` names the kind of table where it is one, which can be written batch by batch.
    """

    name: str
    description: str
    endings: tuple[str, ...]
    write: Callable[[Comparisons | ScoreMatrix, Output], Written]
    table: TableKind | None = None


def _of_comparisons(
    write: Callable[[Comparisons, Output], Written],
) -> Callable[[Comparisons | ScoreMatrix, Output], Written]:
    def of_layout(layout: Comparisons | ScoreMatrix, output: Output) -> Written:
        if not isinstance(layout, ScoreMatrix):
            return write(layout, output)
        if layout.samples is not None:
            return write(layout.comparisons(), output)
        written = write(_by_place(layout).comparisons(), output)
        return replace(written, notes=(_NAMED_BY_PLACE, *written.notes))

    return of_layout


_NAMED_BY_PLACE = "samples are not named in the matrix, and are called row1, column1 and so on"


def _by_place(matrix: ScoreMatrix) -> ScoreMatrix:
    """Name samples by row and column, which tell them apart in a matrix and would be lost in a table."""
    rows, columns = matrix.scores.shape
    names = [f"{side}{number + 1}" for side, count in (("row", rows), ("column", columns)) for number in range(count)]
    return replace(matrix, samples=PairIds(np.arange(rows), rows + np.arange(columns), tuple(names)))


def _table(kind: TableKind, description: str, *endings: str) -> Writer:
    return Writer(kind, description, endings, _of_comparisons(partial(write_table, kind=kind)), kind)


WRITERS = (
    _table("parquet", "a Parquet table, one comparison a row (recommended)", ".parquet", ".pq"),
    _table("csv", "a CSV table", ".csv"),
    _table("tsv", "a table with tabs", ".tsv"),
    _table("arrow", "an Arrow table (Feather)", ".arrow", ".feather", ".ipc"),
    Writer("bob2", "bob's list: class and score", (), _of_comparisons(partial(write_bob, width=2))),
    Writer("bob4", "bob's list: claimed id, real id, probe, score", (), _of_comparisons(partial(write_bob, width=4))),
    Writer(
        "bob5", "bob's list: claimed id, model, real id, probe, score", (), _of_comparisons(partial(write_bob, width=5))
    ),
    Writer("lists", "two score lists, mated and non-mated (pyeer)", (), _of_comparisons(write_lists)),
    Writer("npy", "a NumPy matrix, with ids beside it", (".npy",), write_npy),
    Writer("matrix", "a score matrix as text, with ids", (), write_text_matrix),
    Writer("bee", "a BEE matrix with its mask", (".mtx",), write_bee),
    Writer("trials", "trials with a key (Kaldi, BOSARIS)", (), _of_comparisons(partial(write_trials, kind="trials"))),
    Writer(
        "voxceleb",
        "scores line by line, with a key (VoxCeleb)",
        (),
        _of_comparisons(partial(write_trials, kind="voxceleb")),
    ),
    Writer("dasec", "the JSON of the dasec scripts", (".json",), _of_comparisons(write_dasec)),
)
"""Every writer; the first that has an ending is meant by it."""


def choose_writer(path: Path, to: str | None) -> Writer:
    """Return the writer named, or the one that the ending of the file means."""
    names = ", ".join(writer.name for writer in WRITERS)
    if to is not None:
        found = next((writer for writer in WRITERS if writer.name == to), None)
        if found is None and to == "feather":
            return choose_writer(path, "arrow")
        if found is None:
            raise MatedError(f"there is no format {to!r} to write; the formats are {names}")
        return found
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    ending = (suffixes[:-1] if packed else suffixes)[-1:]
    found = next((writer for writer in WRITERS if ending and ending[0] in writer.endings), None)
    if found is None or (packed and found.table not in ("csv", "tsv")):
        known = ", ".join(ending for writer in WRITERS for ending in writer.endings)
        raise MatedError(
            f"{path}: the ending does not say which format to write; use one of {known}, or name the format with to= "
            f"(--to): {names}"
        )
    return found
