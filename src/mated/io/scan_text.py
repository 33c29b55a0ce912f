"""Text tables read a block of lines at a time, with the columns, numbers and refusals of `read`.

Which further columns are numbers is decided as `read` decides it, from all their values: where such a column is wanted
and its first values are numbers, the text is gone through once more, and no more of it is held than a block.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mated.io.bob_lists import LabelsMet, settle_bob
from mated.io.comparison_table import IDENTIFIERS, kept_rows, trimmed
from mated.io.delimited import LINES_TO_SNIFF, Delimited
from mated.io.file_sets import FileSet, join
from mated.io.flags import could_be_flags
from mated.io.scan_parts import Checks, ScanPart
from mated.io.text_blocks import first_lines, text_blocks
from mated.io.text_table import NEVER_MEETS, flag_and_score, meets_itself, names_by_number, settle_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from mated.io.bytes_in import InputFile
    from mated.io.comparison_table import Table
    from mated.io.request import Request
    from mated.io.scan_parts import Scan
    from mated.io.text_table import TextColumns

__all__ = ["TextBatches", "TextFiles", "scan_bob", "scan_text"]


def scan_text(request: Request, _rows_per_part: int | None) -> Scan | None:
    """Scan text tables; each file is one part. None for pipes, which can be read once only."""
    request.refuse_ids("a table")
    files = _files(request)
    if files is None:
        return None
    lines = _first_lines(files, request)
    columns = settle_columns(lines, request) or _flag_and_score(files, lines, request)
    text = TextFiles(request.name, files, lines.separator, columns)
    if columns.guessed and not any(meets_itself(table) for table in text.all_tables()):
        text = replace(text, columns=replace(columns, notes=(*columns.notes, NEVER_MEETS)))
    return _scan(text, request)


def scan_bob(request: Request, _rows_per_part: int | None) -> Scan | None:
    """Scan lists of bob, and its CSV."""
    files = _files(request)
    if files is None:
        return None
    lines = _first_lines(files, request)
    text = TextFiles(request.name, files, lines.separator, settle_bob(lines, request))
    labels = LabelsMet(text.columns)
    for table in text.all_tables():
        if not labels.add(table):
            break
    return _scan(replace(text, columns=labels.without_placeholders()), request)


def _files(request: Request) -> tuple[InputFile, ...] | None:
    files = request.source.parts if isinstance(request.source, FileSet) else (request.file,)
    return files if all(file.path.is_file() for file in files) else None


def _scan(text: TextFiles, request: Request) -> Scan:
    columns = text.columns
    checks = Checks(request.name, columns.kept, columns.roles, request.nan, request.where)
    if request.where is not None:
        there = [name for name in request.where.columns if name in columns.kept]
        request.where.check(dict.fromkeys(columns.kept) | text.filter_types(there), request.name)
    reads = checks.reads(f"separator {text.separator!r}", f"columns {', '.join(columns.kept)}")
    parts = [ScanPart(file.name, TextBatches(file, text, checks), path=file.path, reads=reads) for file in text.files]
    return checks.scan(request, parts, notes=columns.notes, size=sum(file.path.stat().st_size for file in text.files))


@dataclass(frozen=True)
class TextFiles:
    """One or several files of lines with the same columns, and of which types the further columns are."""

    name: str
    files: tuple[InputFile, ...]
    separator: str
    columns: TextColumns
    settled: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def tables(self, file: InputFile) -> Iterator[Table]:
        """Yield the lines of one file in blocks, as tables of texts and, for the score, numbers."""
        headed = self.columns.headed
        for block in text_blocks(file):
            if headed:
                block, headed = block.without_first(), False
            if block.data:
                yield self.columns.table(Delimited.of(block, self.separator), self.name)

    def all_tables(self) -> Iterator[Table]:
        """Yield the lines of all files in blocks."""
        for file in self.files:
            yield from self.tables(file)

    def types(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the type of each of these columns: a number where all values in all files are."""
        unknown = [name for name in names if name not in self.settled]
        if unknown:
            self.settled.update(self._settle(unknown))
        return {name: self.settled[name] for name in names}

    def filter_types(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the types in which a filter sees columns: identifiers are texts."""
        import polars as pl

        roles = self.columns.roles
        numbers = self.columns.numeric or (self.columns.names.index(roles.score),)
        types = dict.fromkeys((self.columns.names[position] for position in numbers), pl.Float64())
        texts = dict.fromkeys((name for role in IDENTIFIERS if (name := getattr(roles, role)) is not None), pl.String())
        known: dict[str, Any] = {**types, **texts}
        return {name: known[name] if name in known else self.types([name])[name] for name in names}

    def _settle(self, names: Sequence[str]) -> dict[str, Any]:
        open_ = {name: _Numbers() for name in names}
        texts: dict[str, Any] = {}
        for table in self.all_tables():
            for name, seen in list(open_.items()):
                if not seen.add(trimmed(table.columns[name])):
                    texts[name] = open_.pop(name).dtype
            if not open_:
                break
        return texts | {name: seen.dtype for name, seen in open_.items()}

    def __getstate__(self) -> dict[str, Any]:
        # Settled once here, and not again by everyone that this is sent to.
        self.types([name for name in self.columns.kept if name not in self.columns.roles.names()])
        return self.__dict__


class _Numbers:
    """What the values of a column have been so far; `numbers_where_all_are`, piece by piece."""

    def __init__(self) -> None:
        self.given = False
        self.integers = self.numbers = True

    def add(self, texts: pl.Series) -> bool:
        """Take in values, and say whether they may still all be numbers."""
        import polars as pl

        texts = texts.drop_nulls()
        if texts.is_empty():
            return True
        self.given = True
        if texts.str.contains(r"^[+-]?0\d").any() or texts.cast(pl.Float64, strict=False).null_count():
            self.numbers = self.integers = False
        elif self.integers:
            self.integers = not texts.cast(pl.Int64, strict=False).null_count()
        return self.numbers

    @property
    def dtype(self) -> Any:
        import polars as pl

        if not self.given or not self.numbers:
            return pl.String()
        return pl.Int64() if self.integers else pl.Float64()


@dataclass(frozen=True)
class TextBatches:
    """The lines of one file."""

    file: InputFile
    text: TextFiles
    checks: Checks

    def __call__(self, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        """Yield the batches."""
        import polars as pl

        where = self.checks.where
        needed = self.checks.needed(columns)
        types = self.text.types([name for name in needed if name in self.checks.covariates])
        seen = {} if where is None else self.text.filter_types(where.columns)
        earlier: dict[str, str] = {}
        for whole in self.text.tables(self.file):
            table = replace(whole, columns={name: whole.columns[name] for name in needed})
            if where is not None:
                mask = where.kept(pl.DataFrame(_typed(whole, seen)), self.checks.source)
                if not mask.any():
                    continue
                table = kept_rows(table, mask)
            typed = {**table.columns, **_typed(table, types)}
            yield self.checks.batch(replace(table, columns=typed), columns, earlier)


def _typed(table: Table, types: Mapping[str, Any]) -> dict[str, pl.Series]:
    """Return columns of the types that were settled for them."""
    columns = {name: table.columns[name] for name in types}
    return {
        name: series if series.dtype.is_numeric() else trimmed(series).cast(types[name])
        for name, series in columns.items()
    }


def _first_lines(files: Sequence[InputFile], request: Request) -> Delimited:
    """Return so many lines from the beginning that they tell columns and separator as the whole does."""
    starts = [first_lines(file, LINES_TO_SNIFF + 1) for file in files]
    if not isinstance(request.source, FileSet):
        return Delimited.sniff(starts[0])
    return Delimited.sniff(join(starts, request.name, request.header))


def _flag_and_score(files: Sequence[InputFile], lines: Delimited, request: Request) -> TextColumns:
    """Find which of two columns is the flag: go through the text until one of them can be none."""
    import polars as pl

    names = names_by_number(lines)
    values: list[pl.Series] = [pl.Series(dtype=pl.Float64), pl.Series(dtype=pl.Float64)]
    could_be = [True, True]
    for file in files:
        for block in text_blocks(file):
            frame = Delimited.of(block, lines.separator).parse(names, numeric=[0, 1], what="value")
            values = [pl.concat([known, new.alias("")]).unique() for known, new in zip(values, frame, strict=True)]
            could_be = [could_be_flags(known) for known in values]
            if could_be != [True, True]:
                return flag_and_score(could_be, lines, request)
    return flag_and_score(could_be, lines, request)
