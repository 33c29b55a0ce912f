"""Score lists in which one file, or both, is a histogram: line i, counted from 0, holds how many comparisons scored i.

pyeer writes the many non-mated scores so and lists the mated ones; which file is which cannot be told from contents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mated.errors import MatedError
from mated.io.bytes_in import read_text
from mated.io.quoting import in_short
from mated.io.score_lists import one_column, read_list
from mated.scores import Comparisons

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.io.bytes_in import InputFile
    from mated.io.request import Request

__all__ = ["read_histograms"]

_MOST = 1 << 31


def read_histograms(request: Request) -> Comparisons:
    """Read two score lists of which one or both are histograms, as `request.histogram` says."""
    request.refuse_columns("histograms")
    request.refuse_ids("histograms")
    if request.histogram not in ("mated", "nonmated", "both"):
        raise MatedError(
            "which of the two files counts scores is not known; say it with histogram='nonmated', 'mated' or 'both' "
            "(--histogram)"
        )
    if request.mated is None or request.nonmated is None:
        raise MatedError("score lists come in twos; give both mated= and nonmated= (--mated and --nonmated)")
    scores = [
        _expanded(file) if request.histogram in (side, "both") else read_list(file, request).scores
        for side, file in (("mated", request.mated), ("nonmated", request.nonmated))
    ]
    which = {"both": "both files are", "mated": "the mated file is", "nonmated": "the non-mated file is"}
    return Comparisons.from_arrays(
        np.concatenate(scores),
        np.repeat([True, False], [len(part) for part in scores]),
        dissimilarity=bool(request.dissimilarity),
        unit=request.unit,
        nan=request.nan,
        notes=(f"{which[request.histogram]} read as a histogram: line i, from 0, counts the comparisons of score i",),
    )


def _expanded(file: InputFile) -> NDArray[Any]:
    """Return every score as often as it was counted."""
    import polars as pl

    text = read_text(file)
    if text.line_number(text.n_lines - 1) != text.n_lines:
        blank = next(i for i in range(text.n_lines) if text.line_number(i) != i + 1) + 1
        raise MatedError(
            f"{file.name}, line {blank} is blank, and in a histogram the number of a line is the score; write 0 where "
            "no comparison has the score"
        )
    texts = one_column(text, pl.String()).str.strip_chars()
    counts = texts.cast(pl.Int64, strict=False)
    wrong = (counts.is_null() | (counts < 0)).arg_true()
    if len(wrong):
        line = int(wrong[0])
        raise MatedError(
            f"{text.place(line)}: {in_short(texts[line])} is not a count; a histogram has on line i, counted from 0, "
            "how many comparisons scored i, so leave histogram= out if this is a list of scores"
        )
    total = sum(counts.to_list()) if len(counts) else 0
    if not total:
        raise MatedError(f"{file.name} counts no comparison; it holds no scores")
    if total > _MOST:
        raise MatedError(
            f"{file.name} counts {total} comparisons, and at most {_MOST} are listed from a histogram; build a Tally "
            "with Tally.from_counts in Python"
        )
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts.to_numpy())
