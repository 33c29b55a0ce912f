"""The verb `verify`: anything that holds comparisons in, a `Verification` out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mated.errors import MatedError
from mated.evaluation.verification import Costs, OperatingPoints, Verification
from mated.io import Columns, read
from mated.scores import Comparisons, ScoreMatrix, Tally
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
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
    columns: Columns | None = None,
    dissimilarity: bool | None = None,
    unit: object = "auto",
    nan: NanPolicy = "refuse",
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
    columns, dissimilarity, unit, nan
        How to read the input; see `mated.read`. A layout already knows.
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
    if prior is not None:
        exact_rate(prior, "a prior")
    layout: Comparisons | ScoreMatrix | None = None
    if isinstance(scores, Tally):
        _refuse_options("tally", scores.dissimilarity, dissimilarity, unit, nan)
        tally = scores
    elif nonmated is not None and not isinstance(scores, str | Path) and not isinstance(nonmated, str | Path):
        tally = Tally.from_scores(scores, nonmated, dissimilarity=bool(dissimilarity), unit=unit, nan=nan)
    else:
        layout = layout_of(
            scores, nonmated, columns=columns or Columns(), dissimilarity=dissimilarity, unit=unit, nan=nan
        )
        tally = layout.tally()
    return Verification(
        tally,
        name=name or (bare_name(scores) if isinstance(scores, str | Path) else "scores"),
        layout=layout,
        points=points,
        costs=None if prior is None else Costs(prior, cost_miss, cost_false),
        transferred_threshold=transferred_threshold,
        symmetric=symmetric,
        individual=individual,
    )


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
