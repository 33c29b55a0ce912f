"""Lists in text with blanks between the fields, and what is said of things they do not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.writers.names import BLANKS, check_names

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from mated.scores import Comparisons, PairIds

__all__ = ["labels_of", "losses", "orientation_option", "write_ids", "write_lines"]

_MADE = "reference of "


def write_lines(path: Path, columns: Sequence[Any]) -> None:
    """Write columns of texts with a blank between them, a line each row, without a header."""
    import polars as pl

    frame = pl.DataFrame({str(i): pl.Series(column, dtype=pl.String) for i, column in enumerate(columns)})
    frame.write_csv(path, include_header=False, separator=" ", quote_style="never")


def labels_of(ids: PairIds, where: str, noun: str) -> NDArray[np.object_]:
    """Return names for fields without blanks, each of one subject or sample only, by code."""
    names = [f"reference_of_{name.removeprefix(_MADE)}" if name.startswith(_MADE) else name for name in ids.names]
    if len(set(names)) < len(names):
        raise MatedError(f"{where}: two {noun}s have one name when blanks are written as _; rename one of them")
    check_names(names, where, without=BLANKS, noun=noun)
    return np.array(names, dtype=object)


def losses(comparisons: Comparisons, what: str, *, subjects: bool = False, samples: bool = False) -> tuple[str, ...]:
    """Say what a format without further columns, and perhaps without names, does not hold."""
    lost = []
    if subjects and comparisons.subjects is not None:
        lost.append("subjects (so intervals will take comparisons as independent)")
    if samples and comparisons.samples is not None:
        lost.append("samples")
    if comparisons.covariates:
        names = ", ".join(repr(name) for name in comparisons.covariates)
        lost.append(f"further columns ({names})")
    notes = [f"{what} does not hold {_listed(lost)}"] if lost else []
    if comparisons.dissimilarity:
        notes.append(f"{what} does not say that a lower score means more alike; read it with --dissimilarity")
    return tuple(notes)


def _listed(things: list[str]) -> str:
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])} or {things[-1]}"


def orientation_option(comparisons: Comparisons) -> str:
    """Return the options that a reader needs for the orientation and for failures."""
    turned = " --dissimilarity" if comparisons.dissimilarity else ""
    return turned + (" --nan failure" if len(comparisons.failed_mated) else "")


def write_ids(path: Path, samples: Sequence[str] | None, subjects: Sequence[str]) -> None:
    """Write a table of samples and their subjects, or of subjects alone, as `--ids` takes it."""
    import polars as pl

    columns = {"subject": pl.Series(subjects, dtype=pl.String)}
    if samples is not None:
        columns = {"sample": pl.Series(samples, dtype=pl.String), **columns}
    pl.DataFrame(columns).write_csv(path)
