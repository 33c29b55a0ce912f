"""A table that is read batch by batch: its parts, and how a batch is checked.

A batch is checked as `read` checks the whole table, with the same sentences. Where `read` counts all values of a kind
("3 such scores"), a scan counts as far as it has come. One thing is compared within a part only: whether non-mated is
written as −1 here and as 0 there, which does not change a number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.io.columns import quoted
from mated.io.comparison_table import (
    IDENTIFIERS,
    SUBJECTS,
    check_flags_agree,
    identifiers,
    orientation,
    same_subjects,
    score_series,
)
from mated.io.flags import read_flags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import polars as pl

    from mated.io.columns import Roles
    from mated.io.comparison_table import Table
    from mated.io.request import Request
    from mated.io.where import Where
    from mated.scores.unit import UnitChoice
    from mated.scores.validation import NanPolicy

__all__ = ["SO_FAR", "Checks", "Scan", "ScanPart"]

SO_FAR = " so far"
"""What ends a count that is not yet that of the whole table."""
_EXACT_INTEGER = 2**53


@dataclass(frozen=True)
class ScanPart:
    """One file, row range of a file, or partition: read again and again, always the same rows in the same order.

    Attributes
    ----------
    name
        What messages call it.
    batches
        Given canonical columns and names of covariates, yields Polars frames of just these, in this order, without the
        rows a filter leaves out. "score" is numeric in the user's orientation, a missing one null; "mated" is Boolean
        and never null; subjects and samples are texts or integers; covariates are as they are. Bad values raise a
        `MatedError` that says where they stand.
    rows
        Number of rows; None where it is not known, as with a filter.
    path
        The file, where there is one.
    reads
        What decides rows and values beside the file: columns, filter, row range.
    """

    name: str
    batches: Callable[[tuple[str, ...]], Iterator[pl.DataFrame]]
    rows: int | None = None
    path: Path | None = None
    reads: str = ""


@dataclass(frozen=True)
class Scan:
    """A table of comparisons that is not in memory: its parts, and what holds for all of them.

    Attributes
    ----------
    name
        What messages call it.
    parts
        The table, divided.
    knows
        Which of score, mated, probe_subject, reference_subject, probe_sample and reference_sample there are.
    covariates
        Names of the further columns.
    dissimilarity, unit, nan
        How scores are written, as for `read`.
    notes
        What was decided about the input, as `read` says it.
    size
        Bytes on disk, where known.
    lazy
        Whether the user gave a lazy frame, which is never brought into memory.
    """

    name: str
    parts: tuple[ScanPart, ...]
    knows: frozenset[str]
    covariates: tuple[str, ...]
    dissimilarity: bool
    unit: UnitChoice
    nan: NanPolicy
    notes: tuple[str, ...] = ()
    size: int | None = None
    lazy: bool = False

    @property
    def rows(self) -> int | None:
        """Number of rows, None where some part does not say."""
        known = [part.rows for part in self.parts]
        return None if None in known else sum(rows or 0 for rows in known)


@dataclass(frozen=True)
class Checks:
    """Turns rows of a table into a batch: picks, checks and names columns."""

    source: str
    names: tuple[str, ...]
    roles: Roles
    nan: NanPolicy
    where: Where | None = None

    @property
    def covariates(self) -> tuple[str, ...]:
        """The columns without a role."""
        taken = self.roles.names()
        return tuple(name for name in self.names if name not in taken)

    def needed(self, columns: Sequence[str]) -> list[str]:
        """Return which columns of the table are read for a batch of these."""
        wanted: list[str | None] = []
        for column in columns:
            if column == "mated":
                # Where flags and subjects are both there they must agree.
                wanted += [self.roles.mated, *(getattr(self.roles, role) for role in SUBJECTS)]
            elif column == "score" or column in IDENTIFIERS:
                wanted.append(getattr(self.roles, column))
                if wanted[-1] is None:
                    raise MatedError(f"{self.source} has no column for {column}")
            elif column in self.covariates:
                wanted.append(column)
            else:
                known = quoted(self.covariates) or "none"
                raise MatedError(f"{self.source} has no further column {column!r}; the further columns are: {known}")
        return list(dict.fromkeys(name for name in wanted if name is not None))

    def batch(self, table: Table, columns: Sequence[str], earlier: dict[str, str]) -> pl.DataFrame:
        """Check rows and return the columns of a batch; `earlier` is one dictionary for all batches of a part."""
        import polars as pl

        piece = replace(table, so_far=SO_FAR)
        wanted = [role for role in IDENTIFIERS if role in columns or ("mated" in columns and role in SUBJECTS)]
        scores = score_series(piece, self.roles.score, self.nan) if "score" in columns else None
        flags = None
        if "mated" in columns and self.roles.mated is not None:
            column = piece.columns[self.roles.mated]
            flags = read_flags(column, column=self.roles.mated, place=piece.place, earlier=earlier)
        labels = identifiers(piece, self.roles, wanted)
        if "mated" in columns and all(role in labels for role in SUBJECTS):
            if flags is None:
                flags = same_subjects(labels)
            else:
                check_flags_agree(flags, labels, piece)
        if scores is not None:
            self._refuse_inexact(scores)
        found: dict[str, Any] = {"score": scores, "mated": flags, **labels}
        return pl.DataFrame({name: table.columns[name] if found.get(name) is None else found[name] for name in columns})

    def _refuse_inexact(self, scores: pl.Series) -> None:
        if not scores.dtype.is_integer():
            return
        ends: list[Any] = [scores.min(), scores.max()]
        if max(abs(end or 0) for end in ends) > _EXACT_INTEGER:
            raise MatedError(
                f"{self.source}: scores: integers beyond 2^53 cannot be counted exactly; divide them first"
            )

    def scan(self, request: Request, parts: Sequence[ScanPart], *, notes: tuple[str, ...] = (), **about: Any) -> Scan:
        """Put the scan of a table together; `about` holds its size and whether it is lazy."""
        known = {role for role in IDENTIFIERS if getattr(self.roles, role) is not None}
        for what in ("subject", "sample"):
            self._refuse_one_side(known, what)
        if self.where is not None and not any(batch.height for part in parts for batch in part.batches(("mated",))):
            raise self.where.leaves_nothing(self.source)
        dissimilarity, said = orientation(self.roles, request.dissimilarity)
        notes = (*notes, *self.roles.notes, *said)
        if {*SUBJECTS, "probe_sample"} <= known and "reference_sample" not in known:
            notes = (*notes, "reference samples are not named: each subject is taken to have one reference")
        return Scan(
            request.name,
            tuple(parts),
            frozenset({"score", "mated", *known}),
            self.covariates,
            dissimilarity,
            request.unit,
            request.nan,
            notes,
            **about,
        )

    def _refuse_one_side(self, known: set[str], what: str) -> None:
        sides = [side for side in ("probe", "reference") if f"{side}_{what}" in known]
        if len(sides) != 1 or (what == "sample" and sides == ["probe"] and set(SUBJECTS) <= known):
            return
        other = "probe" if sides == ["reference"] else "reference"
        raise MatedError(f"{self.source}: {sides[0]}_{what} is given without {other}_{what}; give both or neither")

    def reads(self, *more: str) -> str:
        """Say what decides rows and values beside the file."""
        roles = ", ".join(f"{role}={getattr(self.roles, role)!r}" for role in ("score", "mated", *IDENTIFIERS))
        filtered = () if self.where is None else (f"where {self.where.text}",)
        return "; ".join((roles, f"nan={self.nan}", *filtered, *more))
