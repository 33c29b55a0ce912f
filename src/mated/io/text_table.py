"""Text tables: one comparison a line, with or without a header.

The first line is a header when none of its fields is a number: a row of data has a score. Without a header, two columns
are a flag and a score, in either order, and three columns are probe subject, reference subject and score; anything
else needs column numbers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mated.errors import MatedError
from mated.io.columns import Roles, has_known_name, is_name_of, resolve
from mated.io.comparison_table import Table, comparisons_from
from mated.io.delimited import Delimited, is_number, split_line
from mated.io.flags import MATED_WORDS, NONMATED_WORDS, could_be_flags

if TYPE_CHECKING:
    import polars as pl

    from mated.io.request import Request
    from mated.scores import Comparisons

__all__ = ["has_table_names", "read_text_table"]

_GIVE_NUMBERS = "--score-column and --mated-column, or --probe-subject and --reference-subject"
_FIELDS_TO_NAME = 6
_DECIMAL_COMMA = re.compile(r"(?:^|[\s;|])[+-]?\d+,\d+(?:$|[\s;|])")


def read_text_table(request: Request) -> Comparisons:
    """Read a table from text: tabs, semicolons, commas, bars or blanks between the columns, or gzip of that."""
    request.refuse_ids("a table")
    lines = Delimited.sniff(request.text())
    header = not lines.first_has_a_number if request.header == "auto" else request.header
    return _read_headed(lines, request) if header else _read_headless(lines, request)


def has_table_names(fields: list[str]) -> bool:
    """Say whether a header has a score column and something that tells mated from non-mated."""
    found = {role for role in ("score", "mated", "probe_subject") for field in fields if is_name_of(field, role)}
    return "score" in found and len(found) > 1


def _read_headed(lines: Delimited, request: Request) -> Comparisons:
    names = lines.first_fields
    body = lines.without_header()
    known = names
    notes: tuple[str, ...] = ()
    if names[0] == "" and len(names) > 1:
        known = ["(row names)", *names[1:]]
        notes = ("the first column has no name and is left out",)
    advice = "; if the first line is data, say so with header=False (--no-header)" if request.header == "auto" else ""
    roles = resolve(
        known,
        request.columns,
        source=request.name,
        advice=advice + _advice(lines),
        # A first line without any known name may be a line of data, with names of people in it.
        shown=request.header is True or has_known_name(names),
    )
    frame = body.parse(known, numeric=[known.index(roles.score)])
    columns = dict(zip(known, frame.get_columns(), strict=True))
    if notes and known[0] not in roles.names():
        del columns[known[0]]
    return comparisons_from(Table(request.name, columns, body.text), roles, request, notes=notes)


def _read_headless(lines: Delimited, request: Request) -> Comparisons:
    width = len(lines.first_fields)
    names = [f"column {number}" for number in range(1, width + 1)]
    if request.columns.given:
        roles = _roles_by_number(lines, names, request)
    elif width == 2:
        return _read_flag_and_score(lines, names, request)
    elif width == 3 and is_number(lines.first_fields[2]):
        note = "without a header, the columns are taken as probe subject, reference subject and score"
        roles = Roles(names[2], probe_subject=names[0], reference_subject=names[1], notes=(note,))
    elif width == 1:
        raise MatedError(
            f"{request.name} has one column; if it lists the scores of one class, give both lists with "
            "mated= and nonmated= (--mated and --nonmated)"
        )
    else:
        raise _unclear(lines, request)
    frame = lines.parse(names, numeric=[names.index(roles.score)])
    columns = dict(zip(names, frame.get_columns(), strict=True))
    notes = () if request.columns.given else _note_on_subjects(columns[names[0]], columns[names[1]])
    return comparisons_from(Table(request.name, columns, lines.text), roles, request, notes=notes)


def _note_on_subjects(probe: pl.Series, reference: pl.Series) -> tuple[str, ...]:
    """Point out where two columns taken as subjects never meet: they may be samples, of which a key tells more."""
    if (probe.str.strip_chars() == reference.str.strip_chars()).any():
        return ()
    return ("no line names one subject twice; if the columns name samples, give the key of their pairs with --key",)


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


def _read_flag_and_score(lines: Delimited, names: list[str], request: Request) -> Comparisons:
    if not all(is_number(field) for field in lines.first_fields):
        raise _unclear(lines, request)
    frame = lines.parse(names, numeric=[0, 1], what="value")
    flags = [could_be_flags(series) for series in frame.get_columns()]
    if flags == [True, True]:
        raise MatedError(
            f"{request.name} has no header, and either of its columns could be the mated flag; give "
            "column numbers with --score-column and --mated-column"
        )
    if flags == [False, False]:
        raise _unclear(lines, request)
    flag, score = (0, 1) if flags[0] else (1, 0)
    note = f"without a header, column {flag + 1} is taken as the mated flag and column {score + 1} as the score"
    roles = Roles(names[score], names[flag], notes=(note,))
    columns = dict(zip(names, frame.get_columns(), strict=True))
    return comparisons_from(Table(request.name, columns, lines.text), roles, request)


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
