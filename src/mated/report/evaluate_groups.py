"""Groups of people in a study: error rates within each group, and false matches across groups.

Groups come from columns of the scores, one value a comparison; from two columns, one for each side; or from a table of
subjects that is joined to both sides. With a group for each side, a group's own rates are those of comparisons with
both sides in it, and the false matches of every probe group against every reference group are counted at the thresholds
of the whole system.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.io.bytes_in import InputFile, read_text
from mated.io.comparison_table import Table
from mated.io.delimited import Delimited
from mated.io.labels import as_labels
from mated.io.parquet_files import is_columnar, load_columnar
from mated.report.findings import GroupFindings
from mated.report.study import nearest
from mated.scores import Comparisons

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from mated.evaluation import Bootstrap, Verification, Verifications
    from mated.scores import PairIds

    Codes: TypeAlias = NDArray[np.uint32]

__all__ = [
    "SubjectGroups",
    "cross_counts",
    "further_columns",
    "grouped",
    "grouped_by_sides",
    "grouped_by_subjects",
    "read_subject_groups",
]

_MOST_GROUPS = 100
_MISSING = "(missing)"
_SUBJECT_NAMES = ("subject", "subject_id", "person", "person_id", "identity", "identity_id", "id")


@dataclass(frozen=True)
class SubjectGroups:
    """A table of subjects: for each of its columns, the group of each subject."""

    name: str
    groups: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Resampling:
    """How the intervals of groups are made."""

    replicates: int
    seed: int
    level: float
    intervals: Any


def grouped(v: Verification, columns: Sequence[str], sure: Resampling) -> GroupFindings:
    """Evaluate each value of one or more columns of the scores apart."""
    for column in columns:
        _refuse_unknown(v, column)
    return _findings(tuple(columns), _few(v.by(*columns), columns), sure)


def grouped_by_sides(v: Verification, probe: str, reference: str, sure: Resampling) -> GroupFindings:
    """Evaluate groups that two columns give, one for each side of a comparison."""
    for column in (probe, reference):
        _refuse_unknown(v, column)
    table = v.comparisons()
    sides = [table.covariates[probe], table.covariates[reference]]
    failed = [table.failed_covariates[name] for name in (probe, reference)] if len(table.failed_mated) else []
    names, codes = _coded([*sides, *failed])
    return _two_sided(v, (probe, reference), names, codes, sure)


def grouped_by_subjects(v: Verification, people: SubjectGroups, column: str, sure: Resampling) -> GroupFindings:
    """Evaluate groups that a table of subjects gives."""
    table = v.comparisons()
    if table.subjects is None:
        raise MatedError(f"{v.name}: the subjects are not known, so the groups of {people.name} cannot be joined")
    label = people.groups[column]
    lacking = sum(name not in label for name in table.subjects.names)
    if lacking == len(table.subjects.names):
        raise MatedError(f"{people.name} names none of the {lacking} subjects of {v.name}; do both name them alike?")
    of_subject = [label.get(name, _MISSING) for name in table.subjects.names]
    names = sorted(set(of_subject))
    place = {name: k for k, name in enumerate(names)}
    code = np.array([place[group] for group in of_subject], dtype=np.uint32)
    codes = _sides(table.subjects, code)
    if len(table.failed_mated) and table.failed_subjects is not None:
        codes += _sides(table.failed_subjects, code)
    made = _two_sided(v, (column,), names, codes, sure)
    if not lacking:
        return made
    note = f"{lacking} of {len(of_subject)} subjects are not in {people.name}; their group is {_MISSING}"
    return replace(made, members=replace(made.members, notes=(*made.members.notes, note)))


def cross_counts(
    score: NDArray[Any], mated: NDArray[np.bool_], codes: Sequence[Codes], groups: int, threshold: float
) -> NDArray[np.int64]:
    """Count false matches and non-mated comparisons by group of both sides: an array (2, probes, references).

    A comparison matches iff its score is at or above the threshold, both as similarities.
    """
    cell = codes[0].astype(np.int64) * groups + codes[1]
    totals = np.bincount(cell[~mated], minlength=groups * groups)
    errors = np.bincount(cell[~mated & (score >= threshold)], minlength=groups * groups)
    return np.stack([errors, totals]).reshape(2, groups, groups)


def read_subject_groups(path: Path, columns: Sequence[str] = ()) -> SubjectGroups:
    """Read a table with a column of subjects, each once, and columns that say what group they are in."""
    table = _read_table(InputFile(path))
    known = {name.casefold().replace(" ", "_"): name for name in reversed(table.names)}
    subject = next((known[name] for name in _SUBJECT_NAMES if name in known), None)
    if subject is None:
        raise MatedError(f"{path} has no column 'subject'; its columns are {', '.join(map(repr, table.names))}")
    others = [name for name in table.names if name != subject]
    for column in columns:
        if column not in others:
            raise MatedError(f"{path} has no column {column!r} of groups; {nearest(column, others)}")
    if not others:
        raise MatedError(f"{path} names subjects and no group; add a column such as 'sex'")
    names = [str(name) for name in as_labels(table.columns[subject], subject, table, noun="subject").to_list()]
    if len(set(names)) < len(names):
        raise MatedError(f"{path} names some subject twice; give each one row")
    groups = {
        column: dict(zip(names, _texts(table.columns[column]).to_list(), strict=True)) for column in columns or others
    }
    return SubjectGroups(path.name, groups)


def _read_table(file: InputFile) -> Table:
    if is_columnar(file):
        return Table(file.name, load_columnar(file))
    lines = Delimited.sniff(read_text(file))
    names, body = lines.first_fields, lines.without_header()
    if len(set(names)) < len(names):
        raise MatedError(f"{file.name} has two columns of one name; give every column its own name")
    frame = body.parse(names, numeric=(), what="group")
    return Table(file.name, dict(zip(names, frame.get_columns(), strict=True)), body.text)


def further_columns(v: Verification) -> tuple[str, ...]:
    """Return the columns by which a system can be divided."""
    if v.streaming is not None:
        return tuple(v.streaming.scan.covariates)
    return tuple(v.layout.covariates) if isinstance(v.layout, Comparisons) else ()


def _refuse_unknown(v: Verification, column: str) -> None:
    known = further_columns(v)
    if column not in known:
        raise MatedError(f"{v.name} has no column {column!r} to group by; {nearest(column, known)}")


def _sides(subjects: PairIds, code: Codes) -> list[Codes]:
    return [code[subjects.probe], code[subjects.reference]]


def _coded(columns: Sequence[Any]) -> tuple[list[str], list[Codes]]:
    """Number the values of several columns by one sorted list of their texts."""
    import polars as pl

    texts = [_texts(column) for column in columns]
    names = pl.concat(texts).unique().sort().to_list()
    if len(names) > _MOST_GROUPS:
        raise MatedError(f"there are {len(names)} groups, more than the {_MOST_GROUPS} a report can show")
    return names, [text.cast(pl.Enum(names)).to_physical().cast(pl.UInt32).to_numpy() for text in texts]


def _texts(values: Any) -> Any:
    """Return a column as texts, a missing value as one of its own."""
    import polars as pl

    plain = isinstance(values, pl.Series) or values.dtype.kind in "iufb"
    series = pl.Series(values if plain else values.tolist(), strict=False)
    series = series.fill_nan(None) if series.dtype.is_float() else series
    return series.cast(pl.String).fill_null(_MISSING)


def _two_sided(
    v: Verification, columns: tuple[str, ...], names: list[str], codes: list[Codes], sure: Resampling
) -> GroupFindings:
    """Evaluate comparisons with both sides in a group, and count false matches across groups."""
    if len(names) > _MOST_GROUPS:
        raise MatedError(f"{v.name}: {' and '.join(columns)} make {len(names)} groups, more than {_MOST_GROUPS}")
    table, label = v.comparisons(), " / ".join(columns)
    same = codes[0] == codes[1]
    if not same.any():
        raise MatedError(f"{v.name}: no comparison has both sides in one group of {label}")
    kept = _within(table, label, np.array(names, dtype=object), codes, same)
    members = _few(replace(v, layout=kept).by(label), columns)
    made = _findings(columns, members, sure)
    across: dict[float, dict[str, dict[str, tuple[int, int]]]] = {}
    for target in v.fmr_targets:
        inner = v.tally.from_user(v.at_fmr(target).threshold)
        errors, totals = cross_counts(table.score, table.mated, codes[:2], len(names), inner).tolist()
        across[target] = {
            probe: {reference: (errors[i][j], totals[i][j]) for j, reference in enumerate(names)}
            for i, probe in enumerate(names)
        }
    return replace(made, across=across)


def _within(table: Comparisons, label: str, names: Any, codes: list[Codes], same: NDArray[np.bool_]) -> Comparisons:
    """Keep the comparisons within groups, failures too, with the group as their only further column."""
    bare = replace(table, covariates={}, failed_covariates={})
    kept = replace(bare.take(same), covariates={label: names[codes[0][same]]})
    if not len(table.failed_mated):
        return kept
    if len(codes) < 4:
        nothing = np.zeros(0, dtype=bool)
        return replace(
            kept, failed_mated=nothing, failed_subjects=None, failed_samples=None,
            failed_covariates={label: names[:0]},
        )  # fmt: skip
    failed = codes[2] == codes[3]
    return replace(
        kept,
        failed_mated=table.failed_mated[failed],
        failed_subjects=None if table.failed_subjects is None else table.failed_subjects.take(failed),
        failed_samples=None if table.failed_samples is None else table.failed_samples.take(failed),
        failed_covariates={label: names[codes[2][failed]]},
    )


def _few(members: Verifications, columns: Sequence[str]) -> Verifications:
    if len(members) > _MOST_GROUPS:
        raise MatedError(
            f"{' and '.join(columns)} make {len(members)} groups, more than the {_MOST_GROUPS} a report can show; "
            "choose a column with fewer values"
        )
    return members


def _findings(columns: tuple[str, ...], members: Verifications, sure: Resampling) -> GroupFindings:
    """Give every group its intervals; a group whose data cannot have them is said."""
    bootstraps: dict[str, Bootstrap] = {}
    notes = []
    for name, member in members.items() if sure.replicates else ():
        try:
            made = member.bootstrap(sure.replicates, rng=sure.seed, level=sure.level, intervals=sure.intervals)
            made.eer()
        except MatedError as error:
            notes.append(f"{name!r} has no intervals: {error}")
            continue
        bootstraps[name] = made
    return GroupFindings(columns, replace(members, notes=(*members.notes, *notes)), bootstraps)
