"""The verb `verify`: anything that holds comparisons in, a `Verification` out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mated.errors import MatedError
from mated.evaluation.verification import Costs, OperatingPoints, Verification
from mated.io import Columns, read
from mated.scores import Comparisons, ScoreMatrix, Tally
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from mated.scores.validation import NanPolicy

__all__ = ["verify"]


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
        _several(threshold),
    )
    layout: Comparisons | ScoreMatrix | None = None
    if isinstance(scores, Tally):
        tally = scores
    elif nonmated is not None and not isinstance(scores, str | Path):
        tally = Tally.from_scores(scores, nonmated, dissimilarity=bool(dissimilarity), unit=unit, nan=nan)
    else:
        layout = _layout(
            scores, nonmated, columns=columns or Columns(), dissimilarity=dissimilarity, unit=unit, nan=nan
        )
        tally = layout.tally()
    return Verification(
        tally,
        name=name or (Path(scores).name if isinstance(scores, str | Path) else "scores"),
        layout=layout,
        points=points,
        costs=None if prior is None else Costs(prior, cost_miss, cost_false),
        transferred_threshold=transferred_threshold,
        symmetric=symmetric,
    )


def _layout(scores: Any, nonmated: Any, **options: Any) -> Comparisons | ScoreMatrix:
    if isinstance(scores, Comparisons | ScoreMatrix):
        if options["dissimilarity"] is not None and options["dissimilarity"] != scores.dissimilarity:
            raise MatedError("the layout already says whether its scores are dissimilarities; set it there")
        return scores
    if nonmated is not None:
        return read(mated=scores, nonmated=nonmated, **options)
    return read(scores, **options)


def _several(values: float | Iterable[float] | None) -> tuple[float, ...]:
    if values is None:
        return ()
    return tuple(values) if isinstance(values, Iterable) else (values,)


def _checked(values: float | Iterable[float], what: str, *, one_allowed: bool = False) -> tuple[float, ...]:
    several = _several(values)
    for value in several:
        exact_rate(value, what, one_allowed=one_allowed)
    return several
