"""DET curves at several discard fractions (Schlett et al. 2023, section VII): what is kept, or disjoint bins.

Discarding is the "DET versus discard method" of ISO/IEC 29794-1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores.counting import count_distinct
from mated.verification.curves import DetCurve, det_curve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mated.scores import Tally
    from mated.scores.discard_order import Axis, DiscardOrder

__all__ = ["Division", "QualityPart", "tallies_by_discard"]

Division: TypeAlias = Literal["discard", "bins"]
"""Each part keeps all comparisons beyond its discard fraction, or only those up to the next one."""


@dataclass(frozen=True, eq=False, repr=False)
class QualityPart:
    """The comparisons between two discard fractions, counted.

    Attributes
    ----------
    asked
        The discard fraction asked for.
    low, high
        The fractions that the steps of the data give: comparisons from the one (exclusive) to the other.
    tally
        The counts; every estimate of verification can be made of it.
    """

    asked: float
    low: float
    high: float
    tally: Tally

    @cached_property
    def det(self) -> DetCurve:
        """The DET curve of the part."""
        return det_curve(self.tally)

    def __repr__(self) -> str:
        return f"QualityPart({self.low:.4g} to {self.high:.4g}, {self.tally!r})"


def tallies_by_discard(
    order: DiscardOrder,
    scoring: Tally,
    fractions: Sequence[float],
    *,
    division: Division = "discard",
    axis: Axis = "comparisons",
) -> tuple[QualityPart, ...]:
    """Count the comparisons of both classes that are kept at each discard fraction, or that lie between two of them.

    Parameters
    ----------
    order
        Of both classes together, complete.
    scoring
        The tally of all comparisons, for its scoring system.
    fractions
        Ascending, from 0 up to below 1. A fraction discards as the stepwise curve does: the last step that does not
        exceed it. As bins, 0, .1, .3 give the parts 0 to .1, .1 to .3 and .3 to 1.
    """
    if division not in ("discard", "bins"):
        raise MatedError(f"comparisons are divided by 'discard' or into 'bins', not by {division!r}")
    if order.all_mated is None or not order.complete:
        raise MatedError("DET curves by quality need a complete order of mated and non-mated comparisons together")
    if not fractions or any(not 0 <= f < 1 for f in fractions) or any(b <= a for a, b in pairwise(fractions)):
        raise MatedError(f"discard fractions must ascend from 0 to below 1, and {list(fractions)} do not")
    reached = order.fractions(axis)
    steps = [order.step_at(min(fraction, float(reached[-1])), axis) for fraction in fractions]
    last = [*steps[1:], order.steps] if division == "bins" else [order.steps] * len(steps)
    return tuple(
        QualityPart(float(fraction), float(reached[a]), float(reached[b]), _count(order, scoring, a, b))
        for fraction, a, b in zip(fractions, steps, last, strict=True)
    )


def _count(order: DiscardOrder, scoring: Tally, first: int, last: int) -> Tally:
    assert order.mated is not None
    rows = slice(int(order.discarded[first]), int(order.discarded[last]))
    score, mated = order.score[rows], order.mated[rows]
    if not (mated.any() and np.any(~mated)):
        raise MatedError(
            f"between discard fractions {order.discarded[first] / order.total:.4g} and "
            f"{order.discarded[last] / order.total:.4g} a class has no comparison; choose other fractions"
        )
    counted = count_distinct(score[mated], score[~mated])
    return replace(
        scoring,
        scores=counted.scores,
        mated_at_or_above=counted.mated_at_or_above,
        nonmated_at_or_above=counted.nonmated_at_or_above,
        unit_choice=scoring.unit if scoring.unit is not None else "continuous",
        mated_failures=0,
        nonmated_failures=0,
    )
