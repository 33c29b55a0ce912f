"""Score lists of bob: two, four or five columns without a header, or CSV with bob's own names.

    -1|1 score                                          mated iff 1
    claimed_id real_id probe_label score                mated iff claimed_id = real_id
    claimed_id model_label real_id probe_label score    mated iff claimed_id = real_id

The claimed identity is the reference's subject, the real one the probe's. Four columns do not name models, so each
claimed identity has one. A label that stands for everybody ("x") names no sample. NaN is a failure to acquire.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.bytes_in import text_start
from mated.io.columns import Roles
from mated.io.comparison_table import comparisons_from
from mated.io.delimited import Delimited, is_number, sniff_separator, split_line
from mated.io.quoting import in_short
from mated.io.text_table import TextColumns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mated.io.comparison_table import Table
    from mated.io.request import Request
    from mated.scores import Comparisons

__all__ = ["LabelsMet", "is_bob_csv", "read_bob", "settle_bob"]

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
    lines = Delimited.sniff(request.text())
    settled = settle_bob(lines, request)
    table = settled.table(lines.without_header() if settled.headed else lines, request.name)
    labels = LabelsMet(settled)
    labels.add(table)
    settled = labels.without_placeholders()
    table = replace(table, columns={name: table.columns[name] for name in settled.kept})
    return comparisons_from(table, settled.roles, request, notes=settled.notes)


def settle_bob(lines: Delimited, request: Request) -> TextColumns:
    """Settle the columns from the first lines; whether labels name samples is for `LabelsMet` to say."""
    request.refuse_columns("bob's list")
    request.refuse_ids("bob's list")
    if {_CSV_REFERENCE, _CSV_PROBE, _SCORE} <= set(lines.first_fields):
        return _csv_columns(lines, request)
    headed = request.header is True
    if headed:
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
    notes = (f"read as bob's list: {', '.join(names[:-1])} and score",)
    return TextColumns(names, _roles_of_list(names), headed=headed, notes=notes)


def _roles_of_list(names: Sequence[str]) -> Roles:
    if _CLASS in names:
        return Roles(_SCORE, _CLASS)
    return Roles(
        _SCORE,
        probe_subject=_REAL,
        reference_subject=_CLAIMED,
        probe_sample=_PROBE if _PROBE in names else None,
        reference_sample=_MODEL if _MODEL in names and _PROBE in names else None,
    )


class LabelsMet:
    """Which labels of a list are one name for several subjects, which no sample has; lines come in any pieces."""

    def __init__(self, settled: TextColumns) -> None:
        self.settled = settled
        pairs = () if settled.names not in _LISTS.values() else ((_PROBE, _REAL), (_MODEL, _CLAIMED))
        self.pairs = [(label, subject) for label, subject in pairs if label in settled.names]
        self.met: dict[str, set[str]] = {name: set() for pair in self.pairs for name in pair}

    def add(self, table: Table) -> bool:
        """Take in lines, and say whether some label may still be a placeholder."""
        for name, met in self.met.items():
            met.update(table.columns[name].unique().head(2).to_list())
        return any(len(self.met[label]) < 2 for label, _ in self.pairs)

    def without_placeholders(self) -> TextColumns:
        """Return the columns without labels that name no sample."""
        labels = [label for label, subject in self.pairs if len(self.met[label]) == 1 < len(self.met[subject])]
        notes = self.settled.notes
        for label in labels:
            who = "probes" if label == _PROBE else "models"
            notes = (*notes, f"every {label} is the same, so {who} of one subject are not told apart")
        kept = [name for name in self.settled.names if name not in labels]
        roles = _roles_of_list(kept) if labels else self.settled.roles
        return replace(self.settled, roles=roles, notes=notes, left_out=tuple(labels))


def _csv_columns(lines: Delimited, request: Request) -> TextColumns:
    names = lines.first_fields
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise MatedError(
            f"{request.name} has more than one column {in_short(repeated[0])}; give every column its own name"
        )
    lines.without_header()  # which refuses a header alone
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
    return TextColumns(tuple(names), roles, headed=True, notes=notes)


def _first(wanted: Sequence[str], names: Sequence[str]) -> str | None:
    return next((name for name in wanted if name in names), None)
