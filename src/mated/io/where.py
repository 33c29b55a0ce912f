"""Row filters in SQL: `sensor = 'A' and age > 60` keeps the rows for which it is true.

The expression is read by Polars and never evaluated as code. It may use columns, numbers, texts in single quotes,
comparisons, arithmetic, AND, OR, NOT, IN, BETWEEN, LIKE, IS NULL, CASE and functions of one row; what looks at several
rows at once (averages, windows, subqueries) is refused, since it would depend on how the table is divided.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.io.columns import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

__all__ = ["Where", "parse_where"]

_QUOTES = (
    "names of columns stand bare or in double quotes and texts in single quotes, as in \"sensor = 'A' and age > 60\""
)
_PARTS = {
    "Column": (),
    "Literal": (),
    "BinaryExpr": ("left", "right"),
    "Cast": ("expr",),
    "Ternary": ("predicate", "truthy", "falsy"),
}
"""Which kinds of node depend on one row alone, and where their operands stand."""
_ROW_FUNCTIONS = (
    *("Boolean", "StringExpr", "TemporalExpr", "Trigonometry", "Pow", "Abs", "Negate", "Sign", "Coalesce", "Round"),
    *("RoundSF", "Floor", "Ceil", "Log", "Log1p", "Exp", "Clip", "FillNull", "MaxHorizontal", "MinHorizontal", "Sql"),
)
_OF_SEVERAL_ROWS = (*("Any", "All", "IsUnique", "IsDuplicated", "IsFirstDistinct", "IsLastDistinct", "ConcatVertical"),)
"""Functions in the families above that are not of one row."""


@dataclass(frozen=True)
class Where:
    """A filter that has been understood: its text, and the columns it names in order of their appearance."""

    text: str
    columns: tuple[str, ...]

    @property
    def expression(self) -> pl.Expr:
        """The filter as a Polars expression, true for rows to keep."""
        import polars as pl

        return pl.sql_expr(self.text)

    def check(self, schema: Mapping[str, Any], source: str) -> None:
        """Refuse columns that are not there and types that do not fit; `schema` says the type of each column."""
        import polars as pl

        for name in self.columns:
            if name not in schema:
                raise self._no_column(name, list(schema), source)
        nothing = pl.DataFrame(schema={name: schema[name] for name in self.columns})
        try:
            kept = nothing.select(self.expression.alias("\0kept")).to_series()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            types = ", ".join(f"{name!r} holds {_in_words(schema[name])}" for name in self.columns)
            raise MatedError(
                f"{source}: the filter {self.text!r} does not fit the columns ({_first_line(error)}): {types}; compare "
                "numbers with numbers and texts with texts in single quotes"
            ) from None
        if kept.dtype != pl.Boolean:
            raise MatedError(
                f"the filter {self.text!r} gives {_in_words(kept.dtype)} and not true or false; compare with "
                'something, as in "age > 60"'
            )

    def kept(self, frame: pl.DataFrame, source: str) -> pl.Series:
        """Return which rows of a frame are kept; one for which the filter is unknown, as of a missing value, is not."""
        import polars as pl

        try:
            mask = frame.select(self.expression.alias("kept")).to_series()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise self.failed(error, source) from None
        return mask.fill_null(value=False)

    def failed(self, error: BaseException, source: str) -> MatedError:
        """Return the error for a filter that some value of the table does not allow."""
        return MatedError(f"{source}: the filter {self.text!r} cannot be applied ({_first_line(error)}); correct it")

    def leaves_nothing(self, source: str) -> MatedError:
        """Return the error for a filter that no row passes."""
        return MatedError(
            f"{source}: no row passes the filter {self.text!r}, so there are no scores; check its values, capitals and "
            "blanks count"
        )

    def _no_column(self, name: str, names: list[str], source: str) -> MatedError:
        alike = [known for known in names if known.casefold() == name.casefold()]
        near = alike or get_close_matches(name, names, n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        return MatedError(
            f"{source} has no column {name!r} for the filter {self.text!r}; {meant}the columns are {quoted(names)}, "
            "and a text stands in single quotes"
        )


def parse_where(text: str) -> Where:
    """Understand a filter, or say why it is none."""
    import polars as pl

    if not isinstance(text, str):
        raise MatedError(f"where must be a text such as \"sensor = 'A'\", not a {type(text).__name__}")
    try:
        expression = pl.sql_expr(text)
        tree = json.loads(expression.meta.serialize(format="json"))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError) as error:
        raise MatedError(f"the filter {text!r} is not understood ({_first_line(error)}); {_QUOTES}") from None
    columns = tuple(dict.fromkeys(_columns_in(tree, text)))
    if not columns:
        raise MatedError(f"the filter {text!r} names no column, so it is the same for every row; {_QUOTES}")
    return Where(text, columns)


def _columns_in(node: Any, text: str) -> Iterator[str]:
    """Yield the columns of an expression, and refuse whatever looks at more than one row."""
    kind: str
    inside: Any
    kind, inside = next(iter(node.items())) if isinstance(node, dict) else (node, None)
    if kind == "Column":
        yield inside
    elif kind == "Alias":
        yield from _columns_in(inside[0], text)
    elif kind in _PARTS:
        for part in _PARTS[kind]:
            yield from _columns_in(inside[part], text)
    elif kind == "Function" and _is_of_one_row(inside["function"]):
        for part in inside["input"]:
            yield from _columns_in(part, text)
    else:
        raise MatedError(
            f"the filter {text!r} looks at more than one row or column at a time; say of each row by itself whether it "
            "is kept, without sums, averages, windows, subqueries and patterns of names"
        )


def _is_of_one_row(function: Any) -> bool:
    name, which = next(iter(function.items())) if isinstance(function, dict) else (function, None)
    which = next(iter(which), None) if isinstance(which, dict) else which
    return name in _ROW_FUNCTIONS and which not in _OF_SEVERAL_ROWS


def _in_words(dtype: Any) -> str:
    import polars as pl

    if dtype == pl.String or dtype in (pl.Categorical, pl.Enum):
        return "texts"
    return "numbers" if dtype.is_numeric() else f"{dtype} values"


def _first_line(error: BaseException) -> str:
    said = str(error).strip().splitlines()
    return said[0].rstrip(".:") if said else type(error).__name__
