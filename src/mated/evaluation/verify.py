"""The verb `verify`: anything that holds comparisons in, a `Verification` out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from weakref import finalize

import numpy as np

from mated.errors import MatedError
from mated.evaluation.streaming_choice import in_chunks, refuse_held
from mated.evaluation.verification import Costs, OperatingPoints, Verification
from mated.io import Columns, read
from mated.scores import Comparisons, ScoreMatrix, Tally
from mated.verification.failures import FailureRates
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from mated.engine.stream import Progress
    from mated.io.request import Header, Histogram
    from mated.io.scanning import Scan
    from mated.scores.validation import NanPolicy

__all__ = ["bare_name", "layout_of", "several", "verify"]


def verify(
    scores: Any,
    nonmated: Any = None,
    *,
    fmr: float | Iterable[float] | None = None,
    tmr: float | Iterable[float] | None = None,
    threshold: float | Iterable[float] | None = None,
    prior: float | None = None,
    cost_miss: float = 1.0,
    cost_false: float = 1.0,
    transferred_threshold: float | None = None,
    symmetric: Literal["auto", "yes", "no"] = "auto",
    individual: bool = False,
    fte: float | str | None = None,
    fta: float | str | None = None,
    columns: Columns | None = None,
    dissimilarity: bool | None = None,
    unit: object = "auto",
    nan: NanPolicy = "refuse",
    format: str = "auto",  # noqa: A002 - as in `read`
    header: Header = "auto",
    where: str | None = None,
    key: str | Path | None = None,
    mask: str | Path | None = None,
    histogram: Histogram | None = None,
    failure_score: float | None = None,
    stream: bool | None = None,
    checkpoint: str | Path | None = None,
    engine: Literal["local", "dask"] = "local",
    scheduler: Any = None,
    progress: Progress | None = None,
    name: str | None = None,
) -> Verification:
    """Measure how well one system verifies.

    Parameters
    ----------
    scores, nonmated
        Two arrays (mated, non-mated), two paths of score lists, or one of: a layout (`Comparisons`,
        `ScoreMatrix`, `Tally`), a path, any data frame.
    fmr, tmr, threshold
        Where to read off; `fmr` defaults to the powers of ten that the data support.
    prior, cost_miss, cost_false
        With a prior of mated comparisons, detection costs are reported too.
    transferred_threshold
        A threshold set on other data, at which the half total error rate is reported.
    symmetric
        Whether a table lists each pair once, so that a comparison counts for both its subjects.
    individual
        Whether the dictionary holds the average of individual ROCs too.
    fte, fta
        Failures that the comparisons do not show, as a rate or as counts such as "3/300": of people to enrol, and of
        attempts that are not listed to acquire. With them, or with comparisons without a score, FRR and FAR are
        reported too, and with an FTE also GFRR and GFAR (`mated.verification.failures`).
    columns, dissimilarity, unit, nan, format, header, where, key, mask, histogram, failure_score
        How to read the input; see `mated.read`. A layout already knows.
    stream
        Whether comparisons are read in chunks, as often as needed, and never held. None: lazy frames, and tables too
        large to hold (`mated.io.scanning.is_large`). Operating points asked for here, and their intervals, are the same
        to the last bit; what depends on all scores at once is known within bounds, which `remarks` and
        `to_dict()["streaming"]` say.
    checkpoint
        Read in chunks, and keep in this folder what was counted of each file: an interrupted run goes on there.
    engine, scheduler
        Read in chunks here ("local") or on a Dask cluster ("dask"): its address or client, without one a cluster of
        processes on this machine.
    progress
        Called with the number of the pass, the comparisons done, and how many there are where that is known.
    name
        What to call the system; by default the file's name.

    Examples
    --------
    >>> import mated
    >>> v = mated.verify([3, 4, 5, 6], [0, 1, 2, 3, 3])
    >>> v.eer().value, v.auc()
    (0.325, 0.95)
    """
    points = OperatingPoints(
        None if fmr is None else _checked(fmr, "a false match rate"),
        () if tmr is None else _checked(tmr, "a true match rate", one_allowed=True),
        several(threshold),
    )
    failures = FailureRates.of(fte=fte, fta=fta)
    if prior is not None:
        exact_rate(prior, "a prior")
    reading = {
        "columns": columns or Columns(),
        "dissimilarity": dissimilarity,
        "unit": unit,
        "nan": nan,
        "format": format,
        "header": header,
        "where": where,
        "key": key,
        "mask": mask,
        "histogram": histogram,
        "failure_score": failure_score,
    }
    settings: dict[str, Any] = {
        "name": name or (bare_name(scores) if isinstance(scores, str | Path) else "scores"),
        "points": points,
        "costs": None if prior is None else Costs(prior, cost_miss, cost_false),
        "transferred_threshold": transferred_threshold,
        "symmetric": symmetric,
        "individual": individual,
        "failures": failures,
    }
    scan = None
    stream = in_chunks(stream, engine=engine, scheduler=scheduler, checkpoint=checkpoint)
    if isinstance(scores, Tally | Comparisons | ScoreMatrix) or (
        nonmated is not None and not _are_paths(scores, nonmated)
    ):
        refuse_held(stream)
    else:
        scan = _scan(scores, nonmated, stream=stream, divided=checkpoint is not None or engine != "local", **reading)
    if scan is not None:
        from mated.evaluation.streaming import StreamOptions, verify_scan
        from mated.evaluation.streaming_choice import checkpoint_in, runner_of

        runner = runner_of(engine, scheduler)
        how = StreamOptions(checkpoint=checkpoint_in(checkpoint), runner=runner, progress=progress)
        if runner is not None:
            finalize(how, runner.close)  # a bootstrap by subject may still need it
        return verify_scan(scan, options=how, **settings)
    layout: Comparisons | ScoreMatrix | None = None
    if isinstance(scores, Tally):
        _refuse_options("tally", scores.dissimilarity, dissimilarity, unit, nan)
        tally = scores
    elif nonmated is not None and not _are_paths(scores, nonmated):
        tally = Tally.from_scores(scores, nonmated, dissimilarity=bool(dissimilarity), unit=unit, nan=nan)
    else:
        layout = layout_of(scores, nonmated, **reading)
        tally = layout.tally()
    return Verification(tally, layout=layout, **settings)


def _are_paths(*sources: Any) -> bool:
    """Whether any of two sources is a path; two that are none are arrays."""
    return any(isinstance(source, str | Path) for source in sources)


def _scan(scores: Any, nonmated: Any, **options: Any) -> Scan | None:
    from mated.evaluation.streaming_choice import scan_to_stream

    if nonmated is None:
        return scan_to_stream(scores, **options)
    if not (isinstance(scores, str | Path) and isinstance(nonmated, str | Path)):
        return None  # refused when it is read
    return scan_to_stream(mated=scores, nonmated=nonmated, **options)


def bare_name(path: str | Path) -> str:
    """Name a file without its folder and its endings, of which there are two in .csv.gz; a pattern by its folder."""
    file = Path(path)
    if any(sign in file.name for sign in "*?["):
        return file.parent.name or "scores"
    return Path(file.stem).stem if file.suffix == ".gz" else file.stem


def layout_of(scores: Any, nonmated: Any, **options: Any) -> Comparisons | ScoreMatrix:
    """Take a layout as it is, or read one from a path, a data frame or two score lists."""
    if isinstance(scores, Comparisons | ScoreMatrix):
        _refuse_options("layout", scores.dissimilarity, options["dissimilarity"], options["unit"], options["nan"])
        return scores
    if nonmated is not None:
        if not (isinstance(scores, str | Path) and isinstance(nonmated, str | Path)):
            raise MatedError("give two arrays, or two paths of score lists, not one of each")
        return read(mated=scores, nonmated=nonmated, **options)
    return read(scores, **options)


def _refuse_options(what: str, turned: bool, dissimilarity: bool | None, unit: object, nan: str) -> None:
    if (dissimilarity is not None and dissimilarity != turned) or unit != "auto" or nan != "refuse":
        raise MatedError(
            f"the {what} already says whether its scores are dissimilarities, their unit and what NaN means; "
            "set it there"
        )


def several(values: float | Iterable[float] | None) -> tuple[float, ...]:
    """Take one number or several, each once, in their order."""
    if values is None:
        return ()
    given = list(values) if isinstance(values, Iterable) else [values]
    for value in given:
        if not isinstance(value, int | float | np.number):
            raise MatedError(f"operating points are numbers, and {value!r} is none")
    return tuple(dict.fromkeys(given))


def _checked(values: float | Iterable[float], what: str, *, one_allowed: bool = False) -> tuple[float, ...]:
    given = several(values)
    for value in given:
        exact_rate(value, what, one_allowed=one_allowed)
    return given
