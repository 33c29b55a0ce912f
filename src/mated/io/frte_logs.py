"""Logs of NIST's FRTE (once FRVT) test harness: blanks between the fields and a header that tells which log it is.

    enrollTempl verifTempl simScore returnCode                                          1:1
    searchId candidateRank searchRetCode isAssigned templateId score [decision]         1:N
    id image returnCode quality                                                         quality

A return code other than 0 is a failure, whatever score stands beside it, and of 1:1 comparisons so is −FLT_MAX. A log
does not say who is who: which pairs are mated comes from a key, or, for 1:1, from a table of sample and subject.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from mated.errors import MatedError
from mated.io.bytes_in import read_text, text_start
from mated.io.comparison_table import Table, unusable_scores
from mated.io.delimited import Delimited
from mated.io.failure_scores import is_failure_score
from mated.io.frte_candidates import read_candidates
from mated.io.keys import FIRST, SECOND, refuse_disagreeing
from mated.io.labels import as_labels
from mated.io.pair_truth import tell_mated
from mated.io.trials import SCORE, comparisons_of_pairs
from mated.scores.validation import read_only

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from mated.io.bytes_in import InputFile, Text
    from mated.io.request import Request
    from mated.scores import Comparisons

__all__ = ["QualityLog", "frte_kind", "read_frte", "read_quality_log"]

Kind = Literal["1:1", "1:N", "quality"]

_ONE_TO_ONE = ("enrollTempl", "verifTempl", "simScore", "returnCode")
_CANDIDATES = ("searchId", "candidateRank", "searchRetCode", "isAssigned", "templateId", "score")
_QUALITY = ("id", "image", "returnCode", "quality")
_HEADERS: tuple[tuple[tuple[str, ...], Kind], ...] = (
    (_ONE_TO_ONE, "1:1"),
    (_CANDIDATES, "1:N"),
    ((*_CANDIDATES, "decision"), "1:N"),
    (_QUALITY, "quality"),
)
# A place of a candidate list that was not filled has no id in the logs of some years: two blanks stand together.
_NO_ID = re.compile(rb"(?m)^(\S+ \S+ \S+ 0)  (?=\S)")


@dataclass(frozen=True, eq=False)
class QualityLog:
    """Qualities as an FRTE log has them, NaN where the return code tells a failure; `text` says where each stands."""

    ids: tuple[str, ...]
    images: tuple[str, ...]
    quality: NDArray[np.float64]
    text: Text | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "quality", read_only(self.quality))


def frte_kind(file: InputFile) -> Kind | None:
    """Say which log a file is by its header, None where it is none."""
    text = text_start(file)
    if text is None:
        return None
    names = tuple(name.lower() for name in text.first_lines(1)[0].split())
    return next((kind for header, kind in _HEADERS if names == tuple(map(str.lower, header))), None)


def read_frte(request: Request) -> Comparisons:
    """Read a log of 1:1 comparisons or of 1:N candidates."""
    request.refuse_columns("an FRTE log")
    kind = frte_kind(request.file)
    if kind is None:
        known = "; ".join(" ".join(header) for header, _ in _HEADERS[:-1])
        raise MatedError(f"{request.name} has no header of an FRTE log in its first line; those are: {known}")
    if kind == "quality":
        raise MatedError(
            f"{request.name} is an FRTE log of qualities and holds no comparisons; give it as the qualities of a "
            "quality evaluation"
        )
    if kind == "1:N":
        request.refuse_ids("candidate lists, which need the true pairs with key= (--key)")
        return read_candidates(_columns(request.text(), _CANDIDATES), request)
    return _read_one_to_one(request)


def read_quality_log(file: InputFile) -> QualityLog:
    """Read an FRTE log of qualities; a return code other than 0 means that there is no quality."""
    if frte_kind(file) != "quality":
        raise MatedError(f"{file.name} has no header of an FRTE log of qualities; that is: {' '.join(_QUALITY)}")
    table = _columns(read_text(file), _QUALITY)
    names = {
        name: tuple(as_labels(table.columns[name], name, table, noun="sample").to_list()) for name in ("id", "image")
    }
    quality, codes = table.columns["quality"], table.columns["returnCode"]
    good = (codes == 0).to_numpy()
    values = quality.to_numpy().astype(np.float64)
    missing = good & np.isnan(values)
    if missing.any():
        raise MatedError(
            f"{table.place(int(missing.argmax()))}, column 'quality': the return code is 0 and there is no quality; "
            "correct one of them"
        )
    return QualityLog(names["id"], names["image"], np.where(good, values, np.nan), table.text)


def _columns(text: Text, names: tuple[str, ...]) -> Table:
    """Parse a log; scores, qualities, ranks and codes become numbers."""
    data = _NO_ID.sub(rb"\1 NA ", text.data) if b"  " in text.data else text.data
    lines = Delimited.sniff(replace(text, data=data))
    width = len(lines.first_fields)
    body = lines.without_header()
    labels = ("enrollTempl", "verifTempl", "searchId", "templateId", "id", "image", "decision")
    all_names = (*names, "decision") if width > len(names) else names
    frame = body.parse(all_names, numeric=[i for i, name in enumerate(all_names) if name not in labels], what="value")
    table = Table(text.name, dict(zip(all_names, frame.get_columns(), strict=True)), body.text)
    for name in ("returnCode", "searchRetCode", "isAssigned", "candidateRank"):
        if name in table.columns:
            _check_whole(table, name)
    return table


def _check_whole(table: Table, name: str) -> None:
    values = table.columns[name]
    wrong = (values.is_null() | (values != values.round(0)).fill_null(value=True)).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise MatedError(f"{table.place(row)}, column {name!r}: {values[row]} is not a whole number; correct it")
    if name == "isAssigned" and (odd := (~values.is_in([0.0, 1.0])).arg_true()).len():
        row = int(odd[0])
        raise MatedError(f"{table.place(row)}, column {name!r}: {values[row]:g} is neither 0 nor 1; correct it")


def _read_one_to_one(request: Request) -> Comparisons:
    import polars as pl

    table = _columns(request.text(), _ONE_TO_ONE)
    labels = {
        name: as_labels(table.columns[column], column, table, noun="sample").cast(pl.String)
        for name, column in ((FIRST, "enrollTempl"), (SECOND, "verifTempl"))
    }
    scores = table.columns["simScore"]
    coded = table.columns["returnCode"] != 0
    lowest = pl.Series(is_failure_score(scores.to_numpy(), -float(np.finfo(np.float32).max))) & ~coded
    failed = coded | lowest
    unusable = (scores.is_null() | scores.is_nan().fill_null(value=False)) & ~failed
    if request.nan == "refuse" and unusable.any():
        row = int(unusable.arg_true()[0])
        raise unusable_scores(f"{table.place(row)}, column 'simScore'", unusable.to_numpy(), "NaN or missing")
    scored: pl.Series = scores.set(failed, np.nan).fill_null(np.nan)
    pairs = pl.DataFrame({**labels, SCORE: scored})
    notes = ["read as an FRTE log of 1:1 comparisons"]
    if n_coded := int(coded.sum()):
        notes.append(f"{n_coded} comparisons have a return code other than 0 and count as failures")
    if n_lowest := int(lowest.sum()):
        notes.append(f"{n_lowest} comparisons have the score of a failure, −FLT_MAX, and count as failures")
    if repeated := refuse_disagreeing(pairs, table, "has another score there", "keep one of the scores"):
        notes.append(f"{repeated} lines repeat a pair with the same score, and each counts")
    truth = tell_mated(pairs, request, table.place)
    return comparisons_of_pairs(pairs, truth, request, table.place, first_is_probe=False, notes=(*notes, *truth.notes))
