"""What a writer is given and what it leaves: paths and settings in, files and notes out, all of them or none."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from shlex import quote
from typing import TYPE_CHECKING, Literal

from mated.errors import MatedError
from mated.io.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

__all__ = ["ByteOrder", "Output", "Written", "beside", "options"]

ByteOrder = Literal["little", "big"]


def beside(path: Path, what: str, ending: str | None = None) -> Path:
    """Name a file that belongs to `path`: scores.npy with probe_ids.csv is scores_probe_ids.csv."""
    return path.with_name(f"{path.stem}_{what}{path.suffix if ending is None else ending}")


@dataclass(frozen=True)
class Output:
    """Where to write and how; `started` is told every file before it is opened, and may refuse it.

    Attributes
    ----------
    path
        The file named by the user; formats of several files derive the other names from it.
    byte_order
        Of a binary format that has a choice.
    lossy
        Whether numbers may change that the format cannot hold as they are.
    """

    path: Path
    byte_order: ByteOrder = "little"
    lossy: bool = False
    started: Callable[[Path], None] = field(default=lambda _: None)

    @contextmanager
    def files(self, *paths: Path) -> Iterator[list[Path]]:
        """Give a temporary file for each path, and put all in their places only if the block ends well."""
        for path in paths:
            self.started(path)
        with ExitStack() as stack:
            yield [stack.enter_context(replacing(path)) for path in paths]

    def refuse_or_note(self, problem: str, advice: str, note: str) -> tuple[str, ...]:
        """Refuse what would change numbers, unless that is allowed; return what is to be said then."""
        if not self.lossy:
            raise MatedError(f"{self.path}: {problem}; {advice}, or allow it with lossy=True (--lossy)")
        return (note,)


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes
    ----------
    files
        Every file, the one named by the user first where it is one of them.
    comparisons
        How many comparisons they hold, failures among them.
    notes
        What the format does not hold, in sentences.
    reading
        Options with which `mated` reads the files back, such as `--format bob`; "" where none are needed.
    """

    files: tuple[Path, ...]
    comparisons: int
    notes: tuple[str, ...] = ()
    reading: str = ""

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(path.stat().st_size for path in self.files)


def options(*pairs: tuple[str, Sequence[Path | str]]) -> str:
    """Write options for a command line: name and values."""
    return " ".join(" ".join([name, *(quote(str(value)) for value in values)]) for name, values in pairs)
