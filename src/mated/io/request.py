"""`Request`: what `read` was asked for, handed to a reader in one piece."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mated.errors import MatedError
from mated.io.bytes_in import InputFile, Text, read_text
from mated.io.columns import Columns
from mated.io.file_sets import FileSet, join_texts

if TYPE_CHECKING:
    from mated.io.where import Where
    from mated.scores.unit import UnitChoice
    from mated.scores.validation import NanPolicy

__all__ = ["Header", "Histogram", "Request", "SourceKind"]

Header = Literal["auto"] | bool
SourceKind = Literal["file", "frame", "lists"]
Histogram = Literal["mated", "nonmated", "both"]


@dataclass(frozen=True)
class Request:
    """Where to read and how, checked as far as no contents are needed."""

    source: Any = None
    mated: InputFile | None = None
    nonmated: InputFile | None = None
    key: InputFile | None = None
    mask: InputFile | None = None
    histogram: Histogram | None = None
    columns: Columns = field(default_factory=Columns)
    header: Header = "auto"
    ids: Any = None
    probe_ids: Any = None
    reference_ids: Any = None
    dissimilarity: bool | None = None
    unit: UnitChoice = "auto"
    nan: NanPolicy = "refuse"
    where: Where | None = None

    @property
    def kind(self) -> SourceKind:
        """What the scores come in."""
        if self.source is None:
            return "lists"
        return "file" if isinstance(self.source, InputFile | FileSet) else "frame"

    @property
    def file(self) -> InputFile:
        """The one file to read; of a data set the first, which tells the format."""
        if isinstance(self.source, FileSet):
            return self.source.parts[0]
        if not isinstance(self.source, InputFile):
            raise MatedError("this format is read from a file; give its path")
        return self.source

    def text(self) -> Text:
        """Read the text to be read, that of a data set as one."""
        return join_texts(self.source, self.header) if isinstance(self.source, FileSet) else read_text(self.file)

    @property
    def name(self) -> str:
        """What to call the source in messages."""
        if isinstance(self.source, InputFile | FileSet):
            return self.source.name
        return "the data frame" if self.source is not None else "the pair of score lists"

    def refuse_columns(self, format_name: str) -> None:
        """Refuse named columns for a format that has none."""
        if self.columns.given:
            role = next(iter(self.columns.given))
            raise MatedError(
                f"{self.name} is read as {format_name}, without a column for {role}; leave that option out"
            )

    def refuse_ids(self, format_name: str) -> None:
        """Refuse ids for a format other than a matrix."""
        for option in ("ids", "probe_ids", "reference_ids"):
            if getattr(self, option) is not None:
                raise MatedError(
                    f"{self.name} is read as {format_name}, and {option} belongs to score matrices, trials and 1:1 "
                    "logs; leave it out, or say what the file is with format= (--format)"
                )
