"""Where output goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import math
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

__all__ = ["errors", "output", "pass_bar", "print_json", "progress_bar", "say_written", "stages", "working"]

_WIDTH_OF_A_FILE = 120


def output() -> Console:
    """Return the console for results; a file or pipe gets lines of a fixed width and no colours."""
    terminal = sys.stdout.isatty()
    return Console(file=sys.stdout, width=None if terminal else _WIDTH_OF_A_FILE, highlight=False, soft_wrap=False)


def errors() -> Console:
    """Return the console for progress, notes and warnings."""
    return Console(stderr=True, highlight=False)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on a terminal that something is being done, until it is done."""
    console = errors()
    if not console.is_terminal:
        yield
        return
    with console.status(escape(what)):
        yield


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function progress(done, total) that moves a bar with the time left, shown on a terminal only."""
    from rich.progress import Progress, TimeRemainingColumn

    console = errors()
    columns = (*Progress.get_default_columns()[:3], TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)

        def move(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield move


@contextmanager
def pass_bar(what: str) -> Iterator[Callable[[int, int, int | None], None]]:
    """Give a function progress(pass, done, total) that shows comparisons, their rate and the time left on a terminal.

    The total may be unknown (None), and each pass begins anew.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = errors()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[counts]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(escape(what), total=None, counts="")
        current = 0

        def move(number: int, done: int, total: int | None) -> None:
            nonlocal current
            if number != current:
                current = number
                bar.reset(task, total=total, description=f"{escape(what)}, pass {number}")
            taken = bar.tasks[0].elapsed or 0.0
            rate = f", {_in_millions(done / taken)}/s" if taken > 0 and done else ""
            of = "" if total is None else f" of {_in_millions(total)}"
            bar.update(task, completed=done, total=total, counts=f"{_in_millions(done)}{of} comparisons{rate}")

        yield move


@contextmanager
def stages(first: str) -> Iterator[Callable[[str, int, int], None]]:
    """Give a function stages(doing, done, total) that shows on a terminal what is being done, and how far it is."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = errors()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(first, total=None)

        def move(doing: str, done: int, total: int) -> None:
            bar.update(task, description=doing, completed=done, total=total)

        yield move


def _in_millions(value: float) -> str:
    return f"{value / 1e6:.1f} M" if value >= 1e6 else f"{value:.0f}"


def say_written(files: Sequence[Path], folder: str | None) -> None:
    """Say on standard error how many figures were left where, if any were asked for."""
    if folder is not None:
        several = "" if len(files) == 1 else "s"
        errors().print(f"{len(files)} figure{several} in {folder}", markup=False, soft_wrap=True)


def print_json(result: dict[str, Any]) -> None:
    """Print a result as JSON; infinite thresholds, which JSON cannot hold, become the texts "inf" and "-inf"."""
    sys.stdout.write(json.dumps(_without_infinities(result), indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def _without_infinities(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_infinities(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_infinities(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value
