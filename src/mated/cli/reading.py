"""How files are read: the same options on every command that takes score files."""

from __future__ import annotations

import inspect
from collections import Counter
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from mated.errors import MatedError
from mated.evaluation.verify import bare_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mated.scores import Comparisons, ScoreMatrix

__all__ = ["Reading", "check_choice", "named_files", "with_reading_options"]

_PANEL = "How to read the files"


@dataclass(frozen=True)
class Reading:
    """What the options say of the files; `read` opens one."""

    options: dict[str, Any]

    def read(
        self, source: str | None = None, *, mated: str | None = None, nonmated: str | None = None
    ) -> Comparisons | ScoreMatrix:
        """Read one file, or two score lists."""
        from mated.io import read

        return read(source, mated=mated, nonmated=nonmated, **self.options)


def with_reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Put the reading options on a command, which gets them together as its argument `reading`."""
    own = inspect.signature(command, eval_str=True)
    shared = inspect.signature(_gather, eval_str=True)
    parameters = [p for p in own.parameters.values() if p.name != "reading"]
    # Options that say what to leave behind stay last, from --json on.
    before = next((k for k, p in enumerate(parameters) if p.name == "json"), len(parameters))
    parameters[before:before] = shared.parameters.values()

    @wraps(command)
    def with_reading(**given: Any) -> None:
        reading = _gather(**{name: given.pop(name) for name in shared.parameters})
        command(**given, reading=reading)

    keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    with_reading.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    hints = {**get_type_hints(command, include_extras=True), **get_type_hints(_gather, include_extras=True)}
    with_reading.__annotations__ = {p.name: hints[p.name] for p in keyword}
    del with_reading.__wrapped__  # its own annotations are texts of another module
    return with_reading


def named_files(files: Sequence[str]) -> dict[str, str]:
    """Name each file by its bare name, or as it was given where names repeat."""
    repeated = Counter(map(bare_name, files))
    names = [file if repeated[bare_name(file)] > 1 else bare_name(file) for file in files]
    if len(set(names)) < len(names):
        raise MatedError("the same file is given twice")
    return dict(zip(names, files, strict=True))


def check_choice(value: str, option: str, allowed: Sequence[str]) -> None:
    """Refuse a word that is not among those allowed, as wrong usage."""
    if value not in allowed:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(allowed)}", param_hint=option)


def _gather(
    dissimilarity: Annotated[
        bool | None,
        typer.Option(
            "--dissimilarity/--similarity",
            help="Lower scores mean more alike; default: by the column's name.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    unit: Annotated[
        str,
        typer.Option(
            metavar="U|auto|continuous", help="Step between legitimate scores, e.g. 1.", rich_help_panel=_PANEL
        ),
    ] = "auto",
    nan: Annotated[
        str, typer.Option(metavar="refuse|failure", help="What a NaN score means.", rich_help_panel=_PANEL)
    ] = "refuse",
    failure_score: Annotated[
        float | None,
        typer.Option(
            metavar="S", help="Score that stands for a failure, e.g. -1 or -3.4028235e38.", rich_help_panel=_PANEL
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="SQL",
            help='Read only rows of a table for which this holds, e.g. "age > 60".',
            rich_help_panel=_PANEL,
        ),
    ] = None,
    format: Annotated[  # noqa: A002
        str,
        typer.Option(
            metavar="table|parquet|matrix|npy|bob|bee|trials|pairs|frte|dasec",
            help="File format; detected if not given.",
            rich_help_panel=_PANEL,
        ),
    ] = "auto",
    key: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Which trials are mated, for lists of trials.", rich_help_panel=_PANEL),
    ] = None,
    mask: Annotated[
        str | None, typer.Option(metavar="FILE", help="Mask of a BEE matrix.", rich_help_panel=_PANEL)
    ] = None,
    histogram: Annotated[
        str | None,
        typer.Option(
            metavar="mated|nonmated|both", help="Which of two lists holds counts by score.", rich_help_panel=_PANEL
        ),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether line 1 names columns.", rich_help_panel=_PANEL),
    ] = None,
    score_column: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the score.", rich_help_panel=_PANEL)
    ] = None,
    mated_column: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the mated flag.", rich_help_panel=_PANEL)
    ] = None,
    probe_subject: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the probe's subject.", rich_help_panel=_PANEL)
    ] = None,
    reference_subject: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the reference's subject.", rich_help_panel=_PANEL)
    ] = None,
    probe_sample: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the probe sample.", rich_help_panel=_PANEL)
    ] = None,
    reference_sample: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the reference sample.", rich_help_panel=_PANEL)
    ] = None,
    ids: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Table of sample and subject for a matrix.", rich_help_panel=_PANEL),
    ] = None,
    probe_ids: Annotated[
        str | None, typer.Option(metavar="FILE", help="The same for its rows alone.", rich_help_panel=_PANEL)
    ] = None,
    reference_ids: Annotated[
        str | None, typer.Option(metavar="FILE", help="The same for its columns alone.", rich_help_panel=_PANEL)
    ] = None,
) -> Reading:
    from mated.io import Columns

    check_choice(nan, "--nan", ("refuse", "failure"))
    if histogram is not None:
        check_choice(histogram, "--histogram", ("mated", "nonmated", "both"))
    columns = Columns(
        score=score_column,
        mated=mated_column,
        probe_subject=probe_subject,
        reference_subject=reference_subject,
        probe_sample=probe_sample,
        reference_sample=reference_sample,
    )
    return Reading(
        {
            "format": format,
            "key": key,
            "mask": mask,
            "histogram": histogram,
            "columns": columns,
            "header": "auto" if header is None else header,
            "ids": ids,
            "probe_ids": probe_ids,
            "reference_ids": reference_ids,
            "dissimilarity": dissimilarity,
            "unit": unit,
            "nan": nan,
            "failure_score": failure_score,
            "where": where,
        }
    )
