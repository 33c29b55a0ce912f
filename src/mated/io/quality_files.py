"""Qualities of samples from files and data frames.

A table has a column of samples and either one column an algorithm (wide), or a column of algorithms and one of
qualities (long). An empty field, or null, stands for no quality. What a column without any number is for nobody knows,
so it is left out and said; a column with numbers and texts is a mistake.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.io.bytes_in import InputFile, read_text
from mated.io.columns import quoted
from mated.io.comparison_table import Table
from mated.io.dasec_json import dasec_qualities, is_json
from mated.io.delimited import Delimited
from mated.io.frame import columns_of
from mated.io.frte_logs import frte_kind, read_quality_log
from mated.io.labels import as_labels
from mated.io.parquet_files import is_columnar, load_columnar
from mated.io.quoting import in_short
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["QualityColumns", "ReadQualities", "is_quality_file", "read_qualities"]

_SAMPLE = (
    *("sample", "sampleid", "samplename", "image", "imageid", "imagename", "imagepath", "filename", "file", "filepath"),
    *("path", "id", "name", "template", "templateid"),
)
_SUBJECT = ("subject", "subjectid", "person", "personid", "identity", "identityid")
_ALGORITHM = ("algorithm", "algorithmname", "qaalgorithm", "qualityalgorithm", "qualitymeasure", "measure", "method")
_QUALITY = ("quality", "qualityscore", "qualityvalue", "score", "value", "qs")


@dataclass(frozen=True)
class QualityColumns:
    """Which columns of a table of qualities to read; those left out are found by their names.

    Attributes
    ----------
    sample, subject
        The sample that is judged, and the subject it is of: needed only where samples are numbered within subjects.
    algorithm
        Of a long table: the column that names the algorithm.
    quality
        The columns of qualities, one an algorithm; of a long table the one column.
    """

    sample: str | None = None
    subject: str | None = None
    algorithm: str | None = None
    quality: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class ReadQualities:
    """The quality of each sample by each algorithm of one source.

    Attributes
    ----------
    name
        Of the source, for messages.
    samples
        Names of the samples; each once, or once a subject.
    values
        For each algorithm one quality a sample, NaN where it gave none.
    subjects
        The subject of each sample, where the source says it.
    notes
        What was decided about the source, in words.
    otherwise
        The same by other names of the samples, where the source has two names for each.
    """

    name: str
    samples: tuple[str, ...]
    values: Mapping[str, Floats]
    subjects: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    otherwise: ReadQualities | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType({k: read_only(v) for k, v in self.values.items()}))

    def __repr__(self) -> str:
        return f"ReadQualities({self.name}: {len(self.samples)} samples, {len(self.values)} algorithms)"


def is_quality_file(source: object) -> bool:
    """Say whether a source of comparisons is JSON, which holds qualities beside the scores."""
    return isinstance(source, str | os.PathLike) and Path(source).is_file() and is_json(InputFile(Path(source)))


def read_qualities(source: Any, columns: QualityColumns | None = None) -> ReadQualities:
    """Read qualities from a file, a data frame, or a mapping from algorithm to a mapping from sample to quality.

    Text (CSV, TSV, blanks; gzip too), Parquet, Arrow, FRTE logs of qualities and the dasec JSON are read, told by
    ending and contents. Text without a header has the sample first and then one column an algorithm. NaN is refused,
    except in a pandas frame, where it is the way to say that there is no quality.
    """
    asked = columns or QualityColumns()
    if isinstance(source, str | os.PathLike):
        return _from_file(InputFile(Path(source)), asked)
    if isinstance(source, Mapping) and all(isinstance(part, Mapping) for part in source.values()):
        _refuse_columns(asked, "a mapping")
        return _from_mappings("the mapping of qualities", source)
    found = columns_of(source)
    if found is None:
        raise MatedError(
            f"a {type(source).__name__} holds no qualities that can be read; give a path, a data frame with a column "
            "of samples, or a mapping from algorithm to a mapping from sample to quality"
        )
    if _marks_missing_by_nan(source):
        found = {name: column.fill_nan(None) if column.dtype.is_float() else column for name, column in found.items()}
    return _from_table(Table("the data frame of qualities", found), asked)


def _marks_missing_by_nan(frame: Any) -> bool:
    """Say whether NaN is how the data frame says that there is no value, as pandas does."""
    import narwhals as nw

    return bool(nw.from_native(frame).implementation.is_pandas_like())


def _from_file(file: InputFile, asked: QualityColumns) -> ReadQualities:
    if is_columnar(file):
        return _from_table(Table(file.name, load_columnar(file)), asked)
    if is_json(file):
        _refuse_columns(asked, "JSON")
        return _from_mappings(file.name, dasec_qualities(file))
    if frte_kind(file) == "quality":
        return _from_frte_log(file, asked)
    lines = Delimited.sniff(read_text(file))
    names, notes = lines.first_fields, tuple[str, ...]()
    if lines.first_has_a_number:
        if len(names) < 2:
            raise MatedError(f"{file.name} has one column; a table of qualities has samples and at least one algorithm")
        names = ["sample", *(f"column {number}" for number in range(2, len(names) + 1))]
        if len(names) == 2:
            names[1] = _bare_name(file)
        note = f"{file.name} has no header: its first column is taken as the sample, every other as an algorithm"
        body, notes = lines, (note,)
    else:
        body = lines.without_header()
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise MatedError(
            f"{file.name} has more than one column {in_short(repeated[0])}; give every column its own name"
        )
    frame = body.parse(names, numeric=(), what="quality")
    table = Table(file.name, dict(zip(names, frame.get_columns(), strict=True)), body.text)
    return _from_table(table, asked, notes=notes)


def _from_frte_log(file: InputFile, asked: QualityColumns) -> ReadQualities:
    """Read an FRTE log; its samples have an id and an image, and go by the one that is asked for or compared."""
    import polars as pl

    if asked.subject is not None or asked.algorithm is not None or asked.quality not in ((), ("quality",)):
        raise MatedError(
            f"{file.name} is an FRTE log of qualities by one algorithm: its column of qualities is 'quality', and it "
            "has none of subjects or algorithms; leave such options out"
        )
    log = read_quality_log(file)
    quality = pl.Series("quality", log.quality, nan_to_null=True)
    columns = {"id": pl.Series(log.ids), "image": pl.Series(log.images), "quality": quality}
    table = Table(file.name, columns, log.text)
    notes: tuple[str, ...] = (f"{file.name} is read as an FRTE log of qualities",)
    if failed := quality.null_count():
        notes = (*notes, f"{file.name}: samples with a return code other than 0, and so without a quality: {failed}")

    def by(name: str) -> ReadQualities:
        return _from_table(table, QualityColumns(sample=name, quality=("quality",)), notes=notes)

    return by(asked.sample) if asked.sample is not None else replace(by("image"), otherwise=by("id"))


def _refuse_columns(asked: QualityColumns, what: str) -> None:
    if asked != QualityColumns():
        raise MatedError(f"the qualities are read from {what}, which has no columns to name; leave that option out")


def _from_mappings(name: str, values: Mapping[Any, Mapping[Any, Any]]) -> ReadQualities:
    samples = list(dict.fromkeys(str(sample) for of_samples in values.values() for sample in of_samples))
    place = {sample: row for row, sample in enumerate(samples)}
    found = {}
    for algorithm, of_samples in values.items():
        column = np.full(len(samples), np.nan)
        for number_of, (sample, quality) in enumerate(of_samples.items(), start=1):
            if quality is None:
                continue
            try:
                column[place[str(sample)]] = number = float(quality)
            except (TypeError, ValueError):
                number = np.nan
            if np.isnan(number):
                raise MatedError(
                    f"{name}: quality number {number_of} of algorithm {algorithm!r} is {quality!r} and not a number; "
                    "leave it out, or correct it"
                )
        found[str(algorithm)] = column
    if not found:
        raise MatedError(f"{name} names no quality algorithm")
    return ReadQualities(name, tuple(samples), found)


def _from_table(table: Table, asked: QualityColumns, *, notes: tuple[str, ...] = ()) -> ReadQualities:
    sample = _role(table, asked.sample, "sample", _SAMPLE, "--sample-column")
    if sample is None:
        raise MatedError(
            f"{table.name} has no column of samples that is recognised; the columns are {quoted(table.names)}; "
            "name it with --sample-column"
        )
    labels = {"sample": _labels(table, sample, "sample")}
    subject = _role(table, asked.subject, "subject", _SUBJECT, "--subject-column", taken=(sample,))
    if subject is not None and (asked.subject is not None or not _has_gaps(table, subject)):
        labels["subject"] = _labels(table, subject, "subject")
    taken = [name for name in (sample, subject) if name is not None]
    algorithm = _role(table, asked.algorithm, "algorithm", _ALGORITHM, "--algorithm-column", taken=taken)
    # A column of numbers is no column of names, whatever it is called.
    if algorithm is not None and (asked.algorithm is not None or not _has_number(table, algorithm)):
        return _long(table, labels, algorithm, _value_column(table, asked, (*taken, algorithm)), notes)
    named = {name: _numbers(table, name, asked=True) for name in _found(table, asked.quality)}
    left_out: list[str] = []
    if not named:
        named, left_out = _quality_columns(table, taken)
    if left_out:
        notes = (*notes, f"{table.name}: columns without a number are left out: {quoted(left_out)}")
    return _gathered(table, labels, named, notes)


def _quality_columns(table: Table, taken: Sequence[str]) -> tuple[dict[str, pl.Series], list[str]]:
    """Find the columns of qualities: all that hold a number and whose name is not that of a sample or subject."""
    columns, left_out = {}, []
    for name in table.names:
        if name in taken:
            continue
        if _bare(name) in (*_SAMPLE, *_SUBJECT) or not _has_number(table, name):
            left_out.append(name)
        else:
            columns[name] = _numbers(table, name)
    if not columns:
        raise MatedError(
            f"{table.name} has no column of qualities: beside {quoted(taken)} none holds a number; "
            f"the columns are {quoted(table.names)}"
        )
    return columns, left_out


def _value_column(table: Table, asked: QualityColumns, taken: Sequence[str]) -> str:
    """Find the one column of qualities of a long table."""
    if len(asked.quality) > 1:
        raise MatedError(
            f"{table.name} names the algorithm in a column, so there is one column of qualities, not "
            f"{len(asked.quality)}"
        )
    if asked.quality:
        return _found(table, asked.quality)[0]
    rest = [name for name in table.names if name not in taken]
    known = [name for name in rest if _bare(name) in _QUALITY]
    numbers = known if len(known) == 1 else [name for name in rest if _has_number(table, name)]
    if len(numbers) != 1:
        raise MatedError(
            f"{table.name} names the algorithm in a column, and {len(numbers)} columns could be its qualities; "
            f"the columns are {quoted(table.names)}; name it with --quality-column"
        )
    return numbers[0]


def _long(
    table: Table, labels: Mapping[str, pl.Series], algorithm: str, quality: str, notes: tuple[str, ...]
) -> ReadQualities:
    import polars as pl

    of_algorithm = _labels(table, algorithm, "algorithm")
    values = _numbers(table, quality, asked=True)
    names = of_algorithm.unique(maintain_order=True).to_list()
    columns = {name: pl.select(pl.when(of_algorithm == name).then(values)).to_series() for name in names}
    return _gathered(table, labels, columns, notes, value_column=quality)


def _gathered(
    table: Table,
    labels: Mapping[str, pl.Series],
    columns: Mapping[str, pl.Series],
    notes: tuple[str, ...],
    *,
    value_column: str | None = None,
) -> ReadQualities:
    """Bring the lines of each sample together, and refuse two different qualities by one algorithm."""
    import polars as pl

    keys = list(labels)
    frame = pl.DataFrame({**labels, **{f"q{k}": column for k, column in enumerate(columns.values())}})
    several = frame.select(pl.struct(keys).is_duplicated()).to_series()
    if several.any():
        values = pl.exclude(keys)
        counts = frame.group_by(keys, maintain_order=True).agg(values.drop_nulls().n_unique())
        for number, name in enumerate(columns):
            if (counts[f"q{number}"] > 1).any():
                _refuse_two_qualities(table, frame, keys, f"q{number}", name, value_column)
        if value_column is None:
            extra = frame.height - counts.height
            notes = (*notes, f"{table.name}: lines that repeat a sample and agree with its other lines: {extra}")
        frame = frame.group_by(keys, maintain_order=True).agg(values.drop_nulls().first())
    found = {name: frame[f"q{k}"].to_numpy().astype(np.float64) for k, name in enumerate(columns)}
    subjects = tuple(frame["subject"].to_list()) if "subject" in labels else None
    return ReadQualities(table.name, tuple(frame["sample"].to_list()), found, subjects, notes)


def _refuse_two_qualities(
    table: Table, frame: pl.DataFrame, keys: Sequence[str], column: str, name: str, value_column: str | None
) -> None:
    import polars as pl

    rows = frame.with_row_index("\0row").filter(pl.col(column).is_not_null())
    odd = rows.filter(pl.col(column).n_unique().over(keys) > 1)
    first = odd.filter(pl.all_horizontal(pl.col(key) == odd[key][0] for key in keys))
    other = first.filter(pl.col(column) != first[column][0])
    where = f"column {name!r}" if value_column is None else f"algorithm {name!r}"
    raise MatedError(
        f"{table.place(int(first[chr(0) + 'row'][0]))}, and {table.place(int(other[chr(0) + 'row'][0]))}, {where}: one "
        f"sample has two qualities, {first[column][0]:g} and {other[column][0]:g}; keep one of them"
    )


def _labels(table: Table, name: str, noun: str) -> pl.Series:
    import polars as pl

    return as_labels(table.columns[name], name, table, noun=noun).cast(pl.String)


def _has_gaps(table: Table, name: str) -> bool:
    try:
        as_labels(table.columns[name], name, table, noun="subject")
    except MatedError:
        return True
    return False


def _numbers(table: Table, name: str, *, asked: bool = False) -> pl.Series:
    """Return a column as numbers, null where there is none; refuse texts and NaN with their place."""
    import polars as pl

    bare = _as_text_or_number(table.columns[name])
    if not (bare.dtype.is_numeric() or bare.dtype == pl.String or bare.dtype == pl.Null):
        raise MatedError(f"{table.name}: column {name!r} holds {bare.dtype} values, and qualities are numbers")
    values = bare.cast(pl.Float64, strict=False)
    wrong = (values.is_null() & bare.is_not_null()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        other = "name the columns of qualities (--quality-column)" if not asked else "name the right column"
        raise MatedError(
            f"{table.place(row)}, column {name!r}: the quality {in_short(bare[row])} is not a number; correct it, or "
            f"{other}"
        )
    unusable = values.is_nan().fill_null(value=False).arg_true()
    if len(unusable):
        raise MatedError(
            f"{table.place(int(unusable[0]))}, column {name!r}: the quality is NaN; leave it empty where there is "
            "none, or correct it"
        )
    return values


def _has_number(table: Table, name: str) -> bool:
    import polars as pl

    bare = _as_text_or_number(table.columns[name])
    if bare.dtype != pl.String:
        return bool(bare.dtype.is_numeric())
    return bool(bare.cast(pl.Float64, strict=False).is_not_null().any())


def _as_text_or_number(series: pl.Series) -> pl.Series:
    import polars as pl

    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    return series.str.strip_chars().replace("", None) if series.dtype == pl.String else series


def _role(
    table: Table, wanted: str | None, role: str, known: Sequence[str], option: str, *, taken: Iterable[str] = ()
) -> str | None:
    """Find a column by the name given, or by the first known name that occurs."""
    if wanted is not None:
        return _found(table, (wanted,))[0]
    for name in known:
        alike = [column for column in table.names if _bare(column) == name and column not in taken]
        if len(alike) > 1:
            raise MatedError(f"{table.name}: columns {quoted(alike)} could each be the {role}; say which with {option}")
        if alike:
            return alike[0]
    return None


def _found(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in table.columns:
            near = get_close_matches(name, table.names, n=1)
            meant = f"did you mean {near[0]!r}? " if near else ""
            raise MatedError(f"{table.name} has no column {name!r}; {meant}the columns are {quoted(table.names)}")
    return tuple(names)


def _bare(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def _bare_name(file: InputFile) -> str:
    return Path(file.path.stem).stem if file.path.suffix == ".gz" else file.path.stem
