"""`mated reproduce`: run an experiment again and leave its tables and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mated.cli.console import errors, output, progress_bar
from mated.reproduce import EXPERIMENTS, experiment

__all__ = ["reproduce"]

_NAMES = "; ".join(f"{name}: {what}" for name, what in EXPERIMENTS.items())


def reproduce(
    name: Annotated[str, typer.Argument(help=_NAMES)],
    directory: Annotated[str | None, typer.Argument(help="Folder for its files; default: reproduce/NAME.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of all random draws.")] = 1,
    size: Annotated[
        str, typer.Option(metavar="small|full", help="How much to compute; full is what the documentation shows.")
    ] = "small",
    jobs: Annotated[int, typer.Option(help="Processes to use where the experiment can.")] = 1,
) -> None:
    """Run a published experiment again, ours beside the published numbers."""
    if size not in ("small", "full"):
        raise typer.BadParameter(f"{size!r} is not one of small, full", param_hint="--size")
    run = experiment(name)
    folder = Path(directory) if directory is not None else Path("reproduce") / name
    with progress_bar(f"Running {name}") as progress:
        files = run(folder, seed=seed, size=size, jobs=jobs, progress=progress)
    page = next((file for file in files if file.suffix == ".md"), None)
    if page is not None:
        output().print(page.read_text(encoding="utf-8"), markup=False, soft_wrap=True)
    errors().print(f"{len(files)} files in {folder}", markup=False)
