"""Score lists of bob: two, four or five columns without a header, or CSV with bob's own names.

    -1|1 score                                          mated iff 1
    claimed_id real_id probe_label score                mated iff claimed_id = real_id
    claimed_id model_label real_id probe_label score    mated iff claimed_id = real_id

The claimed identity is the reference's subject, the real one the probe's. Four columns do not name models, so each
claimed identity has one. A label that stands for everybody ("x") names no sample. NaN is a failure to acquire.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.bytes_in import text_start
from mated.io.columns import Roles
from mated.io.comparison_table import Table, comparisons_from
from mated.io.delimited import Delimited, is_number, sniff_separator, split_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from mated.io.request import Request
    from mated.scores import Comparisons

__all__ = ["is_bob_csv", "read_bob"]

_CLASS, _CLAIMED, _MODEL, _REAL, _PROBE, _SCORE = (
    "class",
    "claimed id",
    "model label",
    "real id",
    "probe label",
    "score",
)
_LISTS: Mapping[int, tuple[str, ...]] = {
    2: (_CLASS, _SCORE),
    4: (_CLAIMED, _REAL, _PROBE, _SCORE),
    5: (_CLAIMED, _MODEL, _REAL, _PROBE, _SCORE),
}
_CSV_REFERENCE, _CSV_PROBE = "bio_ref_subject_id", "probe_subject_id"
# What bob has called the sample in its versions, the clearest first.
_CSV_PROBE_SAMPLES = ("probe_key", "key", "probe_template_id", "probe_reference_id")
_CSV_REFERENCE_SAMPLES = ("bio_ref_key", "bio_ref_template_id", "bio_ref_reference_id")


def is_bob_csv(request: Request) -> bool:
    """Say whether a text has the header of bob's CSV; its lists have none and are never told by their contents."""
    text = None if request.columns.given else text_start(request.file)
    if text is None:
        return False
    line = text.first_lines(1)[0]
    return {_CSV_REFERENCE, _CSV_PROBE, _SCORE} <= set(split_line(line, text.separator or sniff_separator([line])))


def read_bob(request: Request) -> Comparisons:
    """Read a list of bob, told by its number of columns, or bob's CSV, told by its header."""
    request.refuse_columns("bob's list")
    request.refuse_ids("bob's list")
    lines = Delimited.sniff(request.text())
    if {_CSV_REFERENCE, _CSV_PROBE, _SCORE} <= set(lines.first_fields):
        return _read_csv(lines, request)
    if request.header is True:
        lines = lines.without_header()
    first = lines.first_fields
    if len(first) not in _LISTS:
        raise MatedError(
            f"{lines.place(0)} has {len(first)} fields, and a list of bob has 2 (class, score), 4 (claimed id, real "
            "id, probe, score) or 5 (claimed id, model, real id, probe, score); read another table with format='table' "
            "(--format table)"
        )
    names = _LISTS[len(first)]
    if not is_number(first[-1]):
        raise MatedError(
            f"{lines.place(0)}: the last field is not a number, and a list of bob has the score there; if it is a "
            "header, say so with header=True (--header)"
        )
    frame = lines.parse(names, numeric=[len(names) - 1])
    columns = dict(zip(names, frame.get_columns(), strict=True))
    notes: tuple[str, ...] = (f"read as bob's list: {', '.join(names[:-1])} and score",)
    if len(names) == 2:
        return comparisons_from(Table(request.name, columns, lines.text), Roles(_SCORE, _CLASS), request, notes=notes)
    unnamed = _placeholders(columns)
    for label in unnamed:
        del columns[label]
        who = "probes" if label == _PROBE else "models"
        notes = (*notes, f"every {label} is the same, so {who} of one subject are not told apart")
    probe_sample = _PROBE if _PROBE in columns else None
    roles = Roles(
        _SCORE,
        probe_subject=_REAL,
        reference_subject=_CLAIMED,
        probe_sample=probe_sample,
        reference_sample=_MODEL if _MODEL in columns and probe_sample else None,
    )
    return comparisons_from(Table(request.name, columns, lines.text), roles, request, notes=notes)


def _placeholders(columns: Mapping[str, pl.Series]) -> list[str]:
    """Return the labels that are one name for several subjects, which no sample has."""
    pairs = ((_PROBE, _REAL), (_MODEL, _CLAIMED))
    return [
        label
        for label, subject in pairs
        if label in columns and columns[label].n_unique() == 1 and columns[subject].n_unique() > 1
    ]


def _read_csv(lines: Delimited, request: Request) -> Comparisons:
    names = lines.first_fields
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise MatedError(f"{request.name} has more than one column {repeated[0]!r}; give every column its own name")
    body = lines.without_header()
    frame = body.parse(names, numeric=[names.index(_SCORE)])
    columns = dict(zip(names, frame.get_columns(), strict=True))
    probe_sample, reference_sample = _first(_CSV_PROBE_SAMPLES, names), _first(_CSV_REFERENCE_SAMPLES, names)
    roles = Roles(
        _SCORE,
        probe_subject=_CSV_PROBE,
        reference_subject=_CSV_REFERENCE,
        probe_sample=probe_sample,
        reference_sample=reference_sample if probe_sample else None,
    )
    notes: tuple[str, ...] = ("read as bob's CSV",)
    if probe_sample:
        notes = (*notes, f"column {probe_sample!r} names the probes")
    return comparisons_from(Table(request.name, columns, body.text), roles, request, notes=notes)


def _first(wanted: Sequence[str], names: Sequence[str]) -> str | None:
    return next((name for name in wanted if name in names), None)
