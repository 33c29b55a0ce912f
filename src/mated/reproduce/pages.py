"""Pages of experiments: Markdown for people, CSV for programs, and published numbers beside ours."""

from __future__ import annotations

import csv
import io
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Beside", "Quoted", "beside_csv", "beside_markdown", "csv_text", "markdown_table", "paragraph"]

_WIDTH = 110


@dataclass(frozen=True)
class Quoted:
    """An estimate with its interval, and with its standard error where one is given."""

    value: float
    se: float | None
    low: float
    high: float

    @property
    def width(self) -> float:
        """The length of the interval."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Beside:
    """A published number and ours, each with its interval.

    Attributes
    ----------
    labels
        What the number belongs to: the first cells of its row.
    decimals
        With how many decimals it is written on a page; files get ours with more.
    """

    labels: tuple[str, ...]
    published: Quoted
    ours: Quoted
    decimals: int = 6

    @property
    def ratio(self) -> float:
        """Our standard error over the published one; of the intervals' widths where there is none."""
        if self.published.se is None or self.ours.se is None:
            return self.ours.width / self.published.width
        return self.ours.se / self.published.se

    def cells(self) -> list[str]:
        """Return the row of a page: published, then ours, then the ratio."""
        return [*self.labels, *self._write(self.published), *self._write(self.ours), f"{self.ratio:.2f}"]

    def _write(self, quoted: Quoted) -> list[str]:
        value, low, high = (f"{number:.{self.decimals}f}" for number in (quoted.value, quoted.low, quoted.high))
        se = [] if self.published.se is None or quoted.se is None else [f"{quoted.se:.{self.decimals}f}"]
        return [value, *se, f"({low}, {high})"]


def beside_markdown(first: Sequence[str], rows: Sequence[Beside]) -> str:
    """Write published numbers beside ours as a Markdown table; `first` are the names of the labels."""
    with_se = rows[0].published.se is not None
    header = [
        cell for whose in ("published", "ours") for cell in (whose, *(["SE"] if with_se else []), "95 % interval")
    ]
    return markdown_table([*first, *header, "SE ratio" if with_se else "width ratio"], [row.cells() for row in rows])


def beside_csv(first: Sequence[str], rows: Sequence[Beside]) -> str:
    """Write published numbers beside ours as CSV, ours with nine significant digits."""
    parts = ("value", "se", "low", "high") if rows[0].published.se is not None else ("value", "low", "high")
    header = [f"{whose}_{part}" for whose in ("published", "ours") for part in parts]
    lines = []
    for row in rows:
        theirs = [f"{getattr(row.published, part):.{row.decimals}f}" for part in parts]
        ours = [f"{getattr(row.ours, part):.9g}" for part in parts]
        lines.append([*row.labels, *theirs, *ours, f"{row.ratio:.9g}"])
    return csv_text([*first, *header, "se_ratio" if "se" in parts else "width_ratio"], lines)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return CSV with a header line."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table that also reads well as plain text: the first column left, the others right."""
    widths = [max(3, *(len(row[place]) for row in (header, *rows))) for place in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        return f"| {' | '.join([cells[0].ljust(widths[0]), *padded])} |"

    rule = f"|{'|'.join(['-' * (widths[0] + 2), *('-' * (width + 1) + ':' for width in widths[1:])])}|"
    return "\n".join([line(header), rule, *map(line, rows)])


def paragraph(*sentences: str) -> str:
    """Join sentences and break them into lines of a page."""
    return textwrap.fill(" ".join(sentences), _WIDTH, break_long_words=False, break_on_hyphens=False)
