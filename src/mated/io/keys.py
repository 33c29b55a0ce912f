"""Keys: files that say which pairs are mated, for score files that do not.

    model segment target|nontarget      Kaldi and BOSARIS
    0|1 model segment                   VoxCeleb
    query template                      pyeer: every pair listed is mated, every other is not

A flag is one of the words that a table's flag may have; a header is dropped. The same pair may be listed again, but not
as both mated and non-mated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.bytes_in import read_text, text_start
from mated.io.comparison_table import Table
from mated.io.delimited import Delimited
from mated.io.flags import MATED_WORDS, NONMATED_WORDS, read_flags
from mated.io.labels import as_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from mated.io.bytes_in import InputFile
    from mated.io.request import Request

__all__ = ["Key", "is_true_pairs", "names_pair", "read_key", "refuse_disagreeing"]

FIRST, SECOND, MATED, ROW = "first", "second", "mated", "\0row"
_FLAGS = (*MATED_WORDS, *NONMATED_WORDS)
_ID_NAMES = {
    *("model", "modelid", "segment", "segmentid", "enroll", "enrol", "enrollment", "test", "query", "queryid"),
    *(
        "template",
        "templateid",
        "probe",
        "probeid",
        "reference",
        "referenceid",
        "searchid",
        "enrolltempl",
        "veriftempl",
    ),
}
_NUMERIC_FLAGS = ("0", "1", "-1", "+1", "0.0", "1.0", "-1.0")


@dataclass(frozen=True, eq=False)
class Key:
    """Pairs in the order of the file, by the columns `first`, `second` and `mated`; `table` says where one stands.

    `true_pairs` tells that only mated pairs are listed.
    """

    pairs: pl.DataFrame
    table: Table
    true_pairs: bool

    @property
    def name(self) -> str:
        """The file, for messages."""
        return self.table.name


def is_true_pairs(request: Request) -> bool:
    """Say whether there is a key and it lists pairs without a flag."""
    start = None if request.key is None else text_start(request.key)
    return start is not None and len(Delimited.sniff(start).first_fields) == 2


def read_key(file: InputFile) -> Key:
    """Read a key of two columns (true pairs) or three (a flag last or first)."""
    import polars as pl

    lines = Delimited.sniff(read_text(file))
    width = len(lines.first_fields)
    if width not in (2, 3):
        raise MatedError(
            f"{file.name} has {width} columns, and a key has three, a pair and target or nontarget (or 0|1 first), or "
            "two, the true pairs"
        )
    if names_pair(lines.first_fields):
        lines = lines.without_header()
    frame = lines.parse([f"column {number}" for number in range(1, width + 1)], numeric=[])
    columns = [series.str.strip_chars() for series in frame.get_columns()]
    flag = None if width == 2 else columns.pop(_flag_column(columns, file))
    table = Table(file.name, {}, lines.text)
    labels = {
        name: as_labels(series, f"column {number}", table, noun="sample").cast(pl.String)
        for number, (name, series) in enumerate(zip((FIRST, SECOND), columns, strict=True), start=1)
    }
    if flag is None:
        mated = pl.repeat(value=True, n=frame.height, eager=True, dtype=pl.Boolean)
    else:
        mated = pl.Series(read_flags(flag, column="target or nontarget", place=table.place))
    pairs = pl.DataFrame({**labels, MATED: mated})
    refuse_disagreeing(pairs, table, "is target there and nontarget here", "correct the key")
    return Key(pairs, table, true_pairs=width == 2)


def refuse_disagreeing(pairs: pl.DataFrame, table: Table, what: str, advice: str) -> int:
    """Refuse pairs listed again with another value in the third column; return how many lines repeat a pair."""
    import polars as pl

    sides, value = pairs.columns[:2], pairs.columns[2]
    repeated = pairs.select(pl.struct(sides).is_duplicated()).to_series()
    if not repeated.any():
        return 0
    several = pairs.with_row_index(ROW).filter(repeated)
    odd = several.filter(pl.col(value).n_unique().over(sides) > 1)
    if odd.height:
        first = odd.row(0, named=True)
        same = odd.filter(pl.all_horizontal(pl.col(side) == first[side] for side in sides))
        other = same.filter(pl.col(value).ne_missing(first[value]))
        rows = int(first[ROW]), int(other[ROW][0])
        n_odd = odd.select(sides).unique().height
        others = "" if n_odd == 1 else f" ({n_odd} such pairs)"
        raise MatedError(
            f"{table.place(rows[1])}: the pair stands also in {table.place(rows[0])}, and {what}{others}; {advice}"
        )
    return several.height - several.select(sides).unique().height


def names_pair(fields: Sequence[str]) -> bool:
    """Say whether a line names columns: of a pair both names are known ones, and no sample is called so."""
    words = [field.lower().replace("_", "") for field in fields]
    return any(set(words[start : start + 2]) <= _ID_NAMES for start in range(len(words) - 1))


def _flag_column(columns: Sequence[pl.Series], file: InputFile) -> int:
    """Find the column of flags: the last, or the first."""
    first, last = (columns[i].str.to_lowercase() for i in (0, 2))
    could = [bool(side.is_in(_FLAGS).all()) for side in (first, last)]
    if all(could):
        words = [not side.is_in(_NUMERIC_FLAGS).any() for side in (first, last)]
        if words[0] == words[1]:
            raise MatedError(
                f"{file.name}: the first and the last column could each say which pairs are mated; write target and "
                "nontarget as the last"
            )
        return 2 if words[1] else 0
    if any(could):
        return 0 if could[0] else 2
    # Where neither is all flags, the one whose first line is says which was meant.
    return 0 if first[0] in _FLAGS and last[0] not in _FLAGS else 2
