"""What a page is put together from: sections of paragraphs, tables and figures, without any HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mated.report.explorer import SystemStops
    from mated.report.figures import FigureSpec
    from mated.report.findings import ClaimAnswer

__all__ = [
    "Cards",
    "Cell",
    "Claims",
    "Explorer",
    "Figures",
    "KeyNumber",
    "Notes",
    "Paragraph",
    "Part",
    "Section",
    "Subheading",
    "Table",
]


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    text
        As it stands.
    kind
        Numbers are set to the right in even numerals; a user's text is kept apart from the direction of its
        surroundings.
    system
        The place of a system whose colour goes with it.
    share
        From 0 to 1: how strongly the cell is coloured.
    small
        A second line below.
    """

    text: str
    kind: Literal["number", "text", "name"] = "number"
    system: int | None = None
    share: float | None = None
    small: str = ""


@dataclass(frozen=True)
class Table:
    """A table with a caption; the first cell of each row is its heading, and a caution stands right below its row.

    Sentences of the cautions are parted by "; ". One that is said of every row stands once, below the last.
    """

    part: ClassVar[str] = "table"
    caption: str
    head: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    cautions: Sequence[str | None] = ()
    note: str = ""
    compact: bool = False

    def caution(self, row: int) -> str | None:
        """Return what is said below a row, None where nothing is; the same of several rows is said below the last."""
        own = self._own(row)
        if not own or (row + 1 < len(self.rows) and self._alike(row, row + 1)):
            return None
        first = row
        while first and self._alike(first - 1, row):
            first -= 1
        return own if first == row else f"these {row - first + 1} rows: {own}"

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The sentences that are said of every one of several rows."""
        if len(self.cautions) < 2 or not all(self.cautions):
            return ()
        first, *others = (caution.split("; ") for caution in self.cautions if caution)
        return tuple(sentence for sentence in first if all(sentence in other for other in others))

    def _own(self, row: int) -> str:
        said = (self.cautions[row] or "").split("; ") if self.cautions else []
        return "; ".join(sentence for sentence in said if sentence not in self.shared)

    def _alike(self, one: int, other: int) -> bool:
        return self._own(one) == self._own(other) and self.rows[one][0] == self.rows[other][0]


@dataclass(frozen=True)
class Paragraph:
    """Plain text; `lead` sets it larger."""

    part: ClassVar[str] = "paragraph"
    text: str
    lead: bool = False


@dataclass(frozen=True)
class Subheading:
    """A heading within a section."""

    part: ClassVar[str] = "subheading"
    text: str


@dataclass(frozen=True)
class Notes:
    """Sentences in a list; cautions stand out, by a sign and a word as well as by colour."""

    part: ClassVar[str] = "notes"
    items: tuple[str, ...]
    kind: Literal["caution", "remark", "sentence"] = "remark"
    title: str = ""


@dataclass(frozen=True)
class Figures:
    """Figures beside each other where there is room."""

    part: ClassVar[str] = "figures"
    figures: Mapping[str, FigureSpec]


@dataclass(frozen=True)
class KeyNumber:
    """A number large enough to be seen from afar, with its interval and what it means."""

    value: str
    interval: str | None
    meaning: str
    caution: str | None = None


@dataclass(frozen=True)
class Cards:
    """For each system its main numbers."""

    part: ClassVar[str] = "cards"
    cards: tuple[tuple[str, int, tuple[KeyNumber, ...]], ...]


@dataclass(frozen=True)
class Claims:
    """Claims and their verdicts."""

    part: ClassVar[str] = "claims"
    answers: tuple[ClaimAnswer, ...]


@dataclass(frozen=True)
class Explorer:
    """The sliders, their table, and the figures whose markers they move."""

    part: ClassVar[str] = "explorer"
    systems: tuple[SystemStops, ...]
    level: str
    figures: Mapping[str, FigureSpec]
    dissimilarity: tuple[bool, ...]
    jumps: tuple[str, ...]


Part = Table | Paragraph | Subheading | Notes | Figures | Cards | Claims | Explorer


@dataclass(frozen=True)
class Section:
    """A section with its anchor."""

    anchor: str
    title: str
    parts: Sequence[Part] = field(default=())
