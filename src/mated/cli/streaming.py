"""Options and messages of commands that read comparisons in chunks."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from mated.cli.console import pass_bar
from mated.cli.reading import check_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from mated.cli.reading import Reading
    from mated.engine import Runner
    from mated.evaluation.streaming import StreamOptions
    from mated.evaluation.streaming_choice import WatchedCheckpoint
    from mated.io.scanning import Scan

__all__ = ["CheckpointFolder", "Engine", "Scheduler", "Stream", "Streaming"]

_PANEL = "Files larger than memory"
_INTERRUPTED = 130

Stream = Annotated[
    bool | None,
    typer.Option(
        "--stream/--no-stream",
        help="Read in chunks, never holding the file; default: when it is large.",
        rich_help_panel=_PANEL,
    ),
]
CheckpointFolder = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Keep what was counted here, and go on from it after a stop.", rich_help_panel=_PANEL
    ),
]
Engine = Annotated[
    str,
    typer.Option(metavar="local|dask", help="Count in this process, or on a Dask cluster.", rich_help_panel=_PANEL),
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Dask scheduler; default: a cluster on this machine.", rich_help_panel=_PANEL),
]


@dataclass
class Streaming:
    """How a command reads in chunks; used as a context it closes what it opened, and says where it was stopped."""

    stream: bool | None
    folder: str | None
    engine: str
    scheduler: str | None
    _checkpoint: WatchedCheckpoint | None = None
    _runner: Runner | None = None
    _parts: int = 0
    _files: bool = True
    _move: Callable[[int, int, int | None], None] | None = None
    _opened: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        from mated.evaluation.streaming_choice import ENGINES

        check_choice(self.engine, "--engine", ENGINES)
        if self.scheduler is not None and self.engine != "dask":
            raise typer.BadParameter("a scheduler goes with --engine dask", param_hint="--scheduler")
        if self.folder is not None or self.engine != "local":
            if self.stream is False:
                raise typer.BadParameter("--checkpoint and --engine dask read in chunks", param_hint="--no-stream")
            self.stream = True

    def scan(self, reading: Reading, source: dict[str, Any]) -> Scan | None:
        """Return a scan of comparisons that are to be read in chunks, None of those that are to be held."""
        from mated.evaluation.streaming_choice import scan_to_stream

        divided = self.folder is not None or self.engine != "local"
        return scan_to_stream(**source, stream=self.stream, divided=divided, **reading.options)

    def options(self, scan: Scan, *, bootstrap: bool, by_subject: bool, individual: bool) -> StreamOptions:
        """Return how a scan is passed over for what will be asked of it."""
        from mated.evaluation.streaming import StreamOptions
        from mated.evaluation.streaming_choice import checkpoint_in, runner_of

        if self._checkpoint is None:
            self._checkpoint = checkpoint_in(self.folder)
        if self._runner is None and self.engine != "local":
            self._runner = self._opened.enter_context(runner_of(self.engine, self.scheduler))  # type: ignore[arg-type]
        if self._checkpoint is not None:
            self._checkpoint.kept.clear()
        self._parts = len(scan.parts)
        self._files = len({part.path for part in scan.parts}) == self._parts
        subjects = by_subject and {"probe_subject", "reference_subject"} <= scan.knows
        return StreamOptions(
            replicates=bootstrap and not subjects,
            subjects=subjects or individual,
            checkpoint=self._checkpoint,
            runner=self._runner,
            progress=self._tell,
        )

    @contextmanager
    def showing(self, what: str) -> Iterator[None]:
        """Show passes on a terminal while they are made."""
        with pass_bar(what) as self._move:
            try:
                yield
            finally:
                self._move = None

    def _tell(self, number: int, done: int, total: int | None) -> None:
        if self._move is not None:  # a later pass, while something else is shown
            self._move(number, done, total)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            kept = ""
            if self._checkpoint is not None:
                what = "files" if self._files else "parts"
                count = self._checkpoint.parts_kept
                some = f"{count} of {self._parts} {what} {'is' if count == 1 else 'are'} kept"
                kept = f"; {some} in {self.folder}, run the same command to go on"
            typer.echo(f"mated: stopped{kept}", err=True)
            raise typer.Exit(_INTERRUPTED) from None
