"""Text tables: one comparison a line, with or without a header.

The first line is a header when none of its fields is a number: a row of data has a score. Without a header, two columns
are a flag and a score, in either order, and three columns are probe subject, reference subject and score; anything
else needs column numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.columns import Roles, has_known_name, is_name_of, resolve
from mated.io.comparison_table import Table, comparisons_from
from mated.io.delimited import Delimited, is_number, split_line
from mated.io.flags import MATED_WORDS, NONMATED_WORDS, could_be_flags

if TYPE_CHECKING:
    from mated.io.request import Request
    from mated.scores import Comparisons

__all__ = [
    *("NEVER_MEETS", "TextColumns", "flag_and_score", "has_table_names", "meets_itself", "names_by_number"),
    *("read_text_table", "settle_columns"),
]

_GIVE_NUMBERS = "--score-column and --mated-column, or --probe-subject and --reference-subject"
_FIELDS_TO_NAME = 6
_DECIMAL_COMMA = re.compile(r"(?:^|[\s;|])[+-]?\d+,\d+(?:$|[\s;|])")


@dataclass(frozen=True)
class TextColumns:
    """What the columns of a text are, settled from its first lines; `table` parses lines accordingly.

    Attributes
    ----------
    names, roles
        The columns in their order, and which of them play a role.
    headed
        Whether the first line names them.
    notes
        What was decided, beside the notes of the roles.
    left_out
        Columns that are not in a table, since they say nothing.
    guessed
        Whether the first two columns of three are taken as subjects.
    numeric, what
        The positions of columns that must be numbers, and what messages call these.
    """

    names: tuple[str, ...]
    roles: Roles
    headed: bool
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    guessed: bool = False
    numeric: tuple[int, ...] = ()
    what: str = "score"

    def table(self, lines: Delimited, name: str) -> Table:
        """Parse lines, without the header."""
        numeric = self.numeric or (self.names.index(self.roles.score),)
        frame = lines.parse(self.names, numeric=numeric, what=self.what)
        columns = dict(zip(self.names, frame.get_columns(), strict=True))
        return Table(name, {column: columns[column] for column in self.kept}, lines.text)

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns of a table."""
        return tuple(name for name in self.names if name not in self.left_out)


def read_text_table(request: Request) -> Comparisons:
    """Read a table from text: tabs, semicolons, commas, bars or blanks between the columns, or gzip of that."""
    request.refuse_ids("a table")
    lines = Delimited.sniff(request.text())
    settled = settle_columns(lines, request)
    if settled is None:
        frame = lines.parse(names_by_number(lines), numeric=[0, 1], what="value")
        settled = flag_and_score([could_be_flags(series) for series in frame.get_columns()], lines, request)
    table = settled.table(lines.without_header() if settled.headed else lines, request.name)
    notes = settled.notes
    if settled.guessed and not meets_itself(table):
        notes = (*notes, NEVER_MEETS)
    return comparisons_from(table, settled.roles, request, notes=notes)


def settle_columns(lines: Delimited, request: Request) -> TextColumns | None:
    """Settle the columns from the first lines; None where only the values tell the flag from the score."""
    header = not lines.first_has_a_number if request.header == "auto" else request.header
    return _headed(lines, request) if header else _headless(lines, request)


def has_table_names(fields: list[str]) -> bool:
    """Say whether a header has a score column and something that tells mated from non-mated."""
    found = {role for role in ("score", "mated", "probe_subject") for field in fields if is_name_of(field, role)}
    return "score" in found and len(found) > 1


def _headed(lines: Delimited, request: Request) -> TextColumns:
    names = lines.first_fields
    lines.without_header()  # which refuses a header alone
    unnamed = names[0] == "" and len(names) > 1
    known = ["(row names)", *names[1:]] if unnamed else names
    advice = "; if the first line is data, say so with header=False (--no-header)" if request.header == "auto" else ""
    roles = resolve(
        known,
        request.columns,
        source=request.name,
        advice=advice + _advice(lines),
        # A first line without any known name may be a line of data, with names of people in it.
        shown=request.header is True or has_known_name(names),
    )
    notes = ("the first column has no name and is left out",) if unnamed else ()
    left_out = (known[0],) if unnamed and known[0] not in roles.names() else ()
    return TextColumns(tuple(known), roles, headed=True, notes=notes, left_out=left_out)


def names_by_number(lines: Delimited) -> list[str]:
    """Name columns without a header by their numbers."""
    return [f"column {number}" for number in range(1, len(lines.first_fields) + 1)]


def _headless(lines: Delimited, request: Request) -> TextColumns | None:
    names = names_by_number(lines)
    width = len(names)
    if request.columns.given:
        return TextColumns(tuple(names), _roles_by_number(lines, names, request), headed=False)
    if width == 2:
        if not all(is_number(field) for field in lines.first_fields):
            raise _unclear(lines, request)
        return None
    if width == 3 and is_number(lines.first_fields[2]):
        note = "without a header, the columns are taken as probe subject, reference subject and score"
        roles = Roles(names[2], probe_subject=names[0], reference_subject=names[1], notes=(note,))
        return TextColumns(tuple(names), roles, headed=False, guessed=True)
    if width == 1:
        raise MatedError(
            f"{request.name} has one column; if it lists the scores of one class, give both lists with "
            "mated= and nonmated= (--mated and --nonmated); if they are those of trials, give the trials with key= "
            "(--key)"
        )
    raise _unclear(lines, request)


NEVER_MEETS = "no line names one subject twice; if the columns name samples, give the key of their pairs with --key"
"""The note where two columns taken as subjects never meet: they may be samples, of which a key tells more."""


def meets_itself(table: Table) -> bool:
    """Say whether some line has the same in its first two columns."""
    first, second, *_ = (series.str.strip_chars() for series in list(table.columns.values())[:2])
    return bool((first == second).any())


def _roles_by_number(lines: Delimited, names: list[str], request: Request) -> Roles:
    for role, column in request.columns.given.items():
        if isinstance(column, str) and not column.isdigit() and column not in names:
            raise MatedError(
                f"{request.name} has no header, so {role} cannot be column {column!r}; give column numbers from 1 to "
                f"{len(names)}, or say that the first line is a header with header=True (--header)"
            )
    if request.columns.score is None:
        raise MatedError(
            f"{request.name} has no header and its score column is not given; {_numeric_fields(lines)}; give the "
            "number of the score column with --score-column"
        )
    return resolve(names, request.columns, source=request.name)


def flag_and_score(could_be: list[bool], lines: Delimited, request: Request) -> TextColumns:
    """Settle which of two columns without a header is the flag, where it is said which of them could be."""
    if could_be == [True, True]:
        raise MatedError(
            f"{request.name} has no header, and either of its columns could be the mated flag; give "
            "column numbers with --score-column and --mated-column"
        )
    if could_be == [False, False]:
        raise _unclear(lines, request)
    names = names_by_number(lines)
    flag, score = (0, 1) if could_be[0] else (1, 0)
    note = f"without a header, column {flag + 1} is taken as the mated flag and column {score + 1} as the score"
    roles = Roles(names[score], names[flag], notes=(note,))
    return TextColumns(tuple(names), roles, headed=False, numeric=(0, 1), what="value")


def _unclear(lines: Delimited, request: Request) -> MatedError:
    return MatedError(
        f"{request.name} has no header and its columns are not clear; {_numeric_fields(lines)}; give their numbers "
        f"with {_GIVE_NUMBERS}{_advice(lines)}"
    )


def _numeric_fields(lines: Delimited) -> str:
    """Describe the first line without showing it: it may name people."""
    fields = lines.first_fields
    numbers = [str(number) for number, field in enumerate(fields, start=1) if is_number(field)]
    if not numbers:
        which = "none of them a number"
    elif len(numbers) == 1:
        which = f"of which field {numbers[0]} is a number"
    elif len(numbers) <= _FIELDS_TO_NAME:
        which = f"of which fields {', '.join(numbers[:-1])} and {numbers[-1]} are numbers"
    else:
        which = f"of which {len(numbers)} are numbers"
    return f"the first line has {len(fields)} fields, {which}"


def _advice(lines: Delimited) -> str:
    """Return what to add to a message where the columns are not recognised."""
    first, *others = lines.text.first_lines(2)
    fields = split_line(others[0] if others else first, lines.separator)
    advice = _could_also_be(lines.first_fields, lines.separator)
    if len(fields) > 3 and all(is_number(field) for field in fields[1:]):
        advice += "; if it is a score matrix, read it with format='matrix' (--format matrix)"
    if advice:
        return advice
    if _DECIMAL_COMMA.search(first) or (others and _DECIMAL_COMMA.search(others[0])):
        return "; if a comma in it is a decimal comma, write a decimal point"
    return ""


def _could_also_be(fields: list[str], separator: str) -> str:
    """Name the formats without a header that a line of these fields could be of."""
    numbers = [is_number(field) for field in fields]
    if len(fields) in (4, 5) and numbers[-1] and separator in " \t":
        ids = "claimed id, real id, probe" if len(fields) == 4 else "claimed id, model, real id, probe"
        return f"; if it is bob's list of {ids} and score, read it with format='bob' (--format bob)"
    flags = (*MATED_WORDS, *NONMATED_WORDS)
    if len(fields) == 3 and (fields[0] in ("0", "1") or fields[2].lower() in flags) and not all(numbers[1:]):
        return "; if it is a key of trials, read the file of their scores and give this one with key= (--key)"
    return ""
