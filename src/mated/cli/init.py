"""`mated init`: a commented study file from what a folder holds."""

from __future__ import annotations

from typing import Annotated

import typer

from mated.cli.console import output, working

__all__ = ["init"]


def init(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Folder with score files.")] = ".",
    target: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Study file; default: FOLDER/study.toml.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a study file that is there.")] = False,
) -> None:
    """Write a study file for `mated report` from the score and quality files of a folder."""
    from mated.report.init import write_study

    with working(f"Looking through {folder} ..."):
        path, found = write_study(folder, target, force=force)
    console = output()
    for name, keys in found.systems.items():
        console.print(f"System    {name}: {', '.join(map(str, keys.values()))}", markup=False, soft_wrap=True)
    for what, names in (("Quality", found.quality), ("Groups", (*found.by, *(found.sides or ())))):
        if names:
            console.print(f"{what:<10}{', '.join(names)}", markup=False, soft_wrap=True)
    if found.subjects is not None:
        console.print(f"Subjects  {found.subjects}", markup=False, soft_wrap=True)
    for note in found.notes:
        console.print(f"Note      {note}", markup=False, soft_wrap=True)
    console.print(f"Study     {path}; look through it, then: mated report {path}", markup=False, soft_wrap=True)
