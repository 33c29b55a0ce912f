"""`read`: the one door through which comparisons come in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.io.bytes_in import InputFile
from mated.io.columns import Columns
from mated.io.failure_scores import count_as_failures, failure_value
from mated.io.file_sets import locate
from mated.io.registry import choose
from mated.io.request import Header, Histogram, Request
from mated.io.where import parse_where
from mated.scores.unit import parse_unit

if TYPE_CHECKING:
    import os

    from mated.scores import Comparisons, ScoreMatrix
    from mated.scores.validation import NanPolicy

__all__ = ["read", "request_for"]

_FIND_ALL = Columns()


def read(
    source: Any = None,
    *,
    mated: str | os.PathLike[str] | None = None,
    nonmated: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    mask: str | os.PathLike[str] | None = None,
    histogram: Histogram | None = None,
    format: str = "auto",  # noqa: A002 - the word a user looks for
    columns: Columns = _FIND_ALL,
    header: Header = "auto",
    ids: Any = None,
    probe_ids: Any = None,
    reference_ids: Any = None,
    dissimilarity: bool | None = None,
    unit: object = "auto",
    nan: NanPolicy = "refuse",
    where: str | None = None,
    failure_score: float | None = None,
) -> Comparisons | ScoreMatrix:
    """Read comparisons from a file, a data frame or two score lists.

    Parameters
    ----------
    source
        A path, or any data frame with one comparison a row. Text may be gzip. A folder, a pattern such as
        ``parts/*.parquet`` or a sequence of paths stands for one table in several files.
    mated, nonmated
        In place of `source`: two files that list the mated and the non-mated scores.
    key
        Beside trials, scores of pairs and FRTE logs: the file that says which pairs are mated.
    mask
        Beside a BEE matrix: its mask; by default the file of the same name that ends in .mask.
    histogram
        Which of two score lists counts the scores: "mated", "nonmated" or "both".
    format
        "table", "parquet", "npy", "matrix", "lists", "histogram", "frame", "bob", "bee", "frte", "pairs", "trials",
        "dasec"; "auto" tells them by ending and contents where that is safe (`mated.io.READERS`).
    columns
        Which columns of a table to read; those left out are found by name (`mated.io.columns.SYNONYMS`).
        Columns without a role become covariates.
    header
        Whether a text has a header. "auto": it has one when no field of its first line is a number.
    ids, probe_ids, reference_ids
        Subjects, and samples where known, of a matrix: for both sides of a square one, or for rows and columns apart.
        `ids` with columns `subject` and `sample` also tells whose samples trials and FRTE 1:1 logs compare.
        A path, a data frame with columns `subject` and `sample`, or a sequence of subjects; such a sequence as `ids`
        says that rows and columns are the same samples, in its order.
    dissimilarity
        True when a lower score means more alike. None: as the name of the score column says, else False.
    unit
        The step between two legitimate scores: "auto", "continuous" or a number.
    nan
        "refuse", or "failure" to count NaN and missing scores as failures to acquire.
    where
        Which rows of a table to read, in SQL over its columns: "sensor = 'A' and age > 60".
    failure_score
        A score that stands for a failure, such as -1 or -3.4028235e38 (−FLT_MAX, by six digits), as the file writes
        it: such comparisons are failures, whatever the format.

    Returns
    -------
    Comparisons or ScoreMatrix
        With `notes` on what was decided about the input.

    Raises
    ------
    MatedError
        The input cannot be used; the sentence says where and what to do.
    """
    request = request_for(
        source,
        mated=mated,
        nonmated=nonmated,
        key=key,
        mask=mask,
        histogram=histogram,
        columns=columns,
        header=header,
        ids=ids,
        probe_ids=probe_ids,
        reference_ids=reference_ids,
        dissimilarity=dissimilarity,
        unit=unit,
        nan=nan,
        where=where,
    )
    value = None if failure_score is None else failure_value(failure_score)
    layout = choose(format, request).read(request)
    return layout if value is None else count_as_failures(layout, value)


def request_for(
    source: Any = None,
    *,
    mated: str | os.PathLike[str] | None = None,
    nonmated: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    mask: str | os.PathLike[str] | None = None,
    histogram: Histogram | None = None,
    columns: Columns = _FIND_ALL,
    header: Header = "auto",
    ids: Any = None,
    probe_ids: Any = None,
    reference_ids: Any = None,
    dissimilarity: bool | None = None,
    unit: object = "auto",
    nan: NanPolicy = "refuse",
    where: str | None = None,
) -> Request:
    """Check the arguments of `read` as far as no contents are needed, and put them together."""
    if header not in ("auto", True, False):
        raise MatedError(f"header must be 'auto', True or False, not {header!r}")
    if nan not in ("refuse", "failure"):
        raise MatedError(f"nan must be 'refuse' or 'failure', not {nan!r}")
    if source is None and (mated is None or nonmated is None):
        raise MatedError("give a file or a data frame, or two score lists: mated= and nonmated= (--mated, --nonmated)")
    if source is not None and not (mated is None and nonmated is None):
        raise MatedError("give either one source or two score lists with mated= and nonmated=, not both")
    if histogram not in (None, "mated", "nonmated", "both"):
        raise MatedError(f"histogram must be 'mated', 'nonmated' or 'both', not {histogram!r}")
    return Request(
        locate(source),
        mated=None if mated is None else InputFile(Path(mated)),
        nonmated=None if nonmated is None else InputFile(Path(nonmated)),
        key=None if key is None else InputFile(Path(key)),
        mask=None if mask is None else InputFile(Path(mask)),
        histogram=histogram,
        columns=columns,
        header=header,
        ids=ids,
        probe_ids=probe_ids,
        reference_ids=reference_ids,
        dissimilarity=dissimilarity,
        unit=parse_unit(unit),
        nan=nan,
        where=None if where is None else parse_where(where),
    )
