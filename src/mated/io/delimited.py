"""Text in columns: which sign separates them, whether there is a header, and the parsing itself.

Fields are separated by tabs, semicolons, commas, vertical bars or runs of blanks, and may stand in double
quotes. A quoted field must end on the line on which it begins: so a record is a line, and a forgotten quotation
mark cannot swallow the comparisons after it. Decimals are written with a point.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from mated.errors import MatedError
from mated.io.exact_numbers import first_not_kept, has_huge, not_kept_because
from mated.io.quoting import in_short, shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import polars as pl

    from mated.io.bytes_in import Text

__all__ = ["LINES_TO_SNIFF", "Delimited", "decimal_advice", "is_number", "sniff_separator", "split_line"]

_SEPARATORS = ("\t", ";", ",", "|")
_SIGNS = {"\t": "tabs", " ": "blanks"}
LINES_TO_SNIFF = 20
_MOST_FIELDS = 1 << 18
_BLANKS_OR_QUOTED = re.compile(rb'("[^"\n]*")|[ \t]+')


def is_number(field: str) -> bool:
    """Say whether a field is written as a number; NaN and infinities are."""
    if "_" in field or not field.isascii():
        return False
    try:
        float(field)
    except ValueError:
        return False
    return True


def decimal_advice(field: str) -> str:
    """Return what to add to a message where a field is a number with a decimal comma."""
    return "; write decimals with a point" if re.fullmatch(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?", field) else ""


def split_line(line: str, separator: str) -> list[str]:
    """Split one line into fields without the blanks around them."""
    if '"' in line:
        fields = _split_quoted(line.strip() if separator == " " else line, separator)
    elif separator == " ":
        fields = line.split()
    else:
        fields = line.split(separator)
    # A line of blanks that only Unicode knows, such as U+00A0, is one empty field.
    return [field.strip() for field in fields] or [""]


def _split_quoted(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:  # a field of more than 131072 signs, which no table has: that it is none is said later
        return line.split(separator)


def _width(line: str, separator: str) -> int:
    """Count the fields of a line, without a list of them where that can be: it may be one line of megabytes."""
    return len(split_line(line, separator)) if '"' in line or separator == " " else line.count(separator) + 1


def sniff_separator(lines: Sequence[str]) -> str:
    """Find the separator from the first lines; " " stands for runs of blanks.

    It is the sign that gives every line the same number of fields, at least two; of several the one with most
    fields, then the first of tab, semicolon, comma, bar. Where rows are ragged, the sign most frequent in the
    first line is taken, unless only blanks divide all lines alike.
    """
    widths = {sign: [_width(line, sign) for line in lines] for sign in (*_SEPARATORS, " ")}
    even = [sign for sign in _SEPARATORS if widths[sign][0] > 1 and len(set(widths[sign])) == 1]
    if even:
        return max(even, key=lambda sign: widths[sign][0])
    common = [sign for sign in _SEPARATORS if min(widths[sign]) > 1]
    if not common and widths[" "][0] > 1 and len(set(widths[" "])) == 1:
        return " "
    most = max(_SEPARATORS, key=lambda sign: widths[sign][0])
    return most if widths[most][0] > 1 else " "


@dataclass(frozen=True)
class Delimited:
    """Text with its separator; a record is a line."""

    text: Text
    separator: str

    @classmethod
    def sniff(cls, text: Text) -> Delimited:
        """Find the separator, unless the text says it, and, for runs of blanks, reduce each run to one."""
        lines = text.first_lines(LINES_TO_SNIFF)
        separator = text.separator or sniff_separator(lines)
        if (width := _width(lines[0], separator)) > _MOST_FIELDS:
            raise MatedError(
                f"{text.place(0)} has {width} fields, and at most {_MOST_FIELDS} are read; write one comparison a "
                "line, or a matrix as .npy"
            )
        return cls.of(text, separator)

    @classmethod
    def of(cls, text: Text, separator: str) -> Delimited:
        """Take text with a separator that is known; for blanks, reduce each run to one."""
        return cls(_single_blanks(text) if separator == " " else text, separator)

    @cached_property
    def first_fields(self) -> list[str]:
        """The fields of the first line."""
        return split_line(self.text.first_lines(1)[0], self.separator)

    @property
    def first_has_a_number(self) -> bool:
        """Whether the first line looks like data: a row of data has a score, a header has no number."""
        return any(is_number(field) for field in self.first_fields)

    def without_header(self) -> Delimited:
        """Return the records after the first."""
        body = self.text.without_first()
        if not body.data:
            raise MatedError(f"{self.text.name} has a header and no data; it holds no scores")
        return replace(self, text=body)

    def place(self, record: int) -> str:
        """Say where a record stands: file and line."""
        return self.text.place(record)

    def parse(
        self, names: Sequence[str] | None, *, numeric: Collection[int], width: int = 0, what: str = "score"
    ) -> pl.DataFrame:
        """Parse all records; the columns at positions `numeric` become Float64 and all others String.

        `what` says in messages what the numbers are. An empty field is null; a record with more or fewer fields than
        `names` is refused, as is a number that floating point does not keep. Without `names` there are `width`
        columns, called by their numbers, and what is no number is not shown: it may be somebody's name. The columns
        of the frame are named by their positions: "0", "1", ...
        """
        import polars as pl

        width = len(names) if names is not None else width
        schema = {str(i): pl.Float64() if i in numeric else pl.String() for i in range(width)}
        self._refuse_lone_quote()
        try:
            frame = self._parse(schema)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            frame = self._parse_leniently(names, numeric, width, what)
        if frame.height != self.text.n_lines:
            self._refuse_quotes()
        if frame.to_series(-1).null_count():
            self._refuse_ragged(width)
        self._refuse_not_kept(frame, [i for i in numeric if has_huge(frame[str(i)])], names, what)
        return frame

    def _parse(self, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
        import polars as pl

        return pl.read_csv(self.text.data, has_header=False, separator=self.separator, schema=schema)

    def _parse_leniently(
        self, names: Sequence[str] | None, numeric: Collection[int], width: int, what: str
    ) -> pl.DataFrame:
        """Parse numbers that have blanks around them, and say which record is wrong where one is."""
        import polars as pl

        self._refuse_ragged(width)
        try:
            frame = self._parse({str(i): pl.String() for i in range(width)})
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            self._refuse_quotes()
        if frame.height != self.text.n_lines:
            self._refuse_quotes()
        bare = frame.with_columns(pl.col(str(i)).str.strip_chars().replace("", None) for i in numeric)
        cast = bare.with_columns(pl.col(str(i)).cast(pl.Float64, strict=False) for i in numeric)
        wrong = [(cast[str(i)].is_null() & bare[str(i)].is_not_null()).arg_true() for i in numeric]
        found = [(int(rows[0]), i) for rows, i in zip(wrong, numeric, strict=True) if len(rows)]
        if found:
            record, column = min(found)
            value = bare[str(column)][record]
            place = f"{self.place(record)}, {_column(names, column)}"
            if names is None:
                raise MatedError(
                    f"{place}: the {what} is not a number; correct it, or, if the file is a table of comparisons, name "
                    f"its columns (--score-column){decimal_advice(value)}"
                )
            raise MatedError(
                f"{place}: the {what} {in_short(value)} is not a number; correct it, or name the right column"
                f"{decimal_advice(value)}"
            )
        return cast

    def _refuse_not_kept(
        self, frame: pl.DataFrame, huge: Sequence[int], names: Sequence[str] | None, what: str
    ) -> None:
        """Refuse numbers that floating point does not keep; their texts are parsed again only here."""
        import polars as pl

        if not huge:
            return
        texts = self._parse({str(i): pl.String() for i in range(frame.width)})
        rows = {i: first_not_kept(frame[str(i)], texts[str(i)]) for i in huge}
        found = [(row, i) for i, row in rows.items() if row is not None]
        if found:
            record, column = min(found)
            text, value = texts[str(column)][record].strip(), frame[str(column)][record]
            place = f"{self.place(record)}, {_column(names, column)}"
            raise MatedError(f"{place}: the {what} {shortened(text)} {not_kept_because(value)}")

    def _refuse_ragged(self, width: int) -> None:
        for record, line in enumerate(self.text.data.split(b"\n")):
            if b'"' in line:
                fields = len(split_line(line.decode(), self.separator))
                if fields != width and line.count(b'"') % 2:
                    self._refuse_open_quote()
            else:
                fields = line.count(self.separator.encode()) + 1
            if fields != width:
                advice = "complete or remove the line"
                for sign in (*_SEPARATORS, " "):
                    if sign != self.separator and len(split_line(line.decode(), sign)) == width:
                        here, there = (_SIGNS.get(mark, repr(mark)) for mark in (sign, self.separator))
                        advice = f"it has {here} between the fields and the first lines have {there}, so write one sign"
                raise MatedError(f"{self.place(record)} has {_fields(fields)} instead of {width}; {advice}")

    def _refuse_lone_quote(self) -> None:
        """Refuse a field that is one quotation mark, on which Polars 2.1 panics."""
        sign = re.escape(self.separator.encode())
        if b'"' in self.text.data and re.search(rb'(?m)(?:^|%b)"\s*(?:%b|$)' % (sign, sign), self.text.data):
            self._refuse_open_quote()

    def _refuse_open_quote(self) -> None:
        for record, line in enumerate(self.text.data.split(b"\n")):
            if line.count(b'"') % 2:
                raise MatedError(
                    f"{self.place(record)}: a quotation mark is not closed on its line; close it or remove it"
                )

    def _refuse_quotes(self) -> NoReturn:
        self._refuse_open_quote()
        raise MatedError(f"{self.text.name} has misplaced quotation marks; put them around whole fields only")


def _column(names: Sequence[str] | None, column: int) -> str:
    return f"column {column + 1}" if names is None else f"column {in_short(names[column])}"


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"


def _single_blanks(text: Text) -> Text:
    """Reduce every run of blanks to one and remove those at the ends of lines."""
    data = text.data
    if b'"' in data:
        data = _BLANKS_OR_QUOTED.sub(lambda match: match[1] or b" ", data)
    else:
        data = data.replace(b"\t", b" ")
        while b"  " in data:
            data = data.replace(b"  ", b" ")
    data = data.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")
    return replace(text, data=data)
