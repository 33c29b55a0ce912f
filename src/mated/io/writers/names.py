"""Names of subjects and samples as a format can hold them. Messages never show a name: it may be somebody's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mated.errors import MatedError
from mated.io.labels import names_nobody

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from mated.scores import Comparisons, PairIds

__all__ = ["BLANKS", "LINES", "MATRIX", "check_names", "named", "samples_of", "subjects_of"]

LINES, BLANKS, MATRIX = "\n\r\0", '\n\r\0\t ,;|"', '\n\r\0\t;|"'
"""Signs that a name cannot have in a text table, in a list with blanks between its fields, in a text matrix."""

_SHOWN = {"\n": "a line break", "\r": "a line break", "\0": "a null byte", "\t": "a tab", " ": "a blank"}


def check_names(names: Iterable[str], where: str, *, without: str = "", noun: str = "name") -> None:
    """Refuse names that would not be read back as they are: with blanks around them, words for nobody, given signs."""
    for name in names:
        if names_nobody(name):
            raise MatedError(f"{where}: a {noun} is empty or a word for a missing value and names nobody; rename it")
        if name.strip() != name:
            raise MatedError(f"{where}: a {noun} begins or ends with a blank, which is no part of it; rename it")
        found = next((sign for sign in without if sign in name), None)
        if found is None and " " in without and len(name.split()) > 1:
            found = " "
        if found is not None:
            raise MatedError(
                f"{where}: a {noun} has {_SHOWN.get(found, found)} in it, which this format cannot hold; rename it, or "
                "write Parquet"
            )


def named(ids: PairIds, codes: NDArray[np.int64], *, given: bool = False) -> NDArray[np.object_]:
    """Return the name of each code; `given` for names as they were before samples were told apart by subject."""
    names = ids.given if given and ids.given is not None else ids.names
    return np.array(names, dtype=object)[codes]


def subjects_of(comparisons: Comparisons) -> PairIds | None:
    """Return the subjects of all comparisons, those without a score last."""
    return _joined(comparisons.subjects, comparisons.failed_subjects)


def samples_of(comparisons: Comparisons) -> PairIds | None:
    """Return the samples of all comparisons, those without a score last."""
    return _joined(comparisons.samples, comparisons.failed_samples)


def _joined(scored: PairIds | None, failed: PairIds | None) -> PairIds | None:
    if scored is None or failed is None:
        return scored
    probe, reference = (
        np.concatenate([getattr(ids, side) for ids in (scored, failed)]) for side in ("probe", "reference")
    )
    return replace(scored, probe=probe, reference=reference)
