"""Error-versus-discard characteristics: FNM-EDC of mated and FM-EDC of non-mated comparisons.

Comparisons are discarded in ascending order of their pair quality, and the error rate at one threshold is computed of
those that stay (Schlett et al. 2023, sections I-A and III; Grother & Tabassi 2007 as error versus reject curve).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.quality.curve import DiscardCurve, Interpolation, end_held
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mated.quality.starting_error import StartingError
    from mated.scores.discard_order import Axis, DiscardOrder, ErrorKind

__all__ = ["QUANTITIES", "Among", "ErrorCurve", "check_among", "check_class", "error_curve"]

Among: TypeAlias = Literal["kept", "all"]
"""Whether the error rate is among the comparisons that stay, or over all of them, discarded ones being no errors."""

QUANTITIES: dict[ErrorKind, str] = {"fnm": "FNMR", "fm": "FMR"}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ErrorCurve(DiscardCurve):
    """An error rate against the discard fraction.

    Attributes
    ----------
    errors, kept
        Errors and comparisons that are left at each point.
    starting
        The threshold, and the rate with nothing discarded.
    among
        What the errors are divided by.
    """

    errors: NDArray[np.int64]
    kept: NDArray[np.int64]
    starting: StartingError
    among: Among = "kept"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("errors", "kept"):
            object.__setattr__(self, name, read_only(getattr(self, name)))


def error_curve(
    order: DiscardOrder,
    starting: StartingError,
    *,
    among: Among = "kept",
    interpolation: Interpolation = "step",
    axis: Axis = "comparisons",
) -> ErrorCurve:
    """Return the error-versus-discard characteristic of one quality algorithm at one starting error.

    With N comparisons, E errors among them, and after a step d comparisons and C errors discarded, the value is

        (E − C) / (N − d)   among those kept (default: samples are discarded before they are compared),
        (E − C) / N         over all (it never rises, so it cannot show that good comparisons are discarded).

    Each step discards exactly the comparisons of the next lowest distinct pair quality. Where none is left the rate
    among those kept does not exist, and that last point repeats the one before it.
    """
    check_among(among)
    check_class(order, starting)
    errors = starting.errors - order.errors_discarded(starting.inner, starting.kind)
    kept = order.total - order.discarded
    defined = np.ones(len(kept), dtype=bool) if among == "all" else kept > 0
    rate = errors / (order.total if among == "all" else np.maximum(kept, 1))
    discard, value = end_held(order, rate, defined, axis)
    return ErrorCurve(
        discard,
        value,
        QUANTITIES[starting.kind],
        interpolation=interpolation,
        axis=axis,
        errors=errors,
        kept=kept,
        starting=starting,
        among=among,
    )


def check_among(among: str) -> None:
    """Refuse what an error rate cannot be among."""
    if among not in ("kept", "all"):
        raise MatedError(f"an error rate is one among the comparisons 'kept' or among 'all', not among {among!r}")


def check_class(order: DiscardOrder, starting: StartingError) -> None:
    """Refuse an order that is not of the comparisons whose errors are counted."""
    if order.all_mated is not None:
        raise MatedError("an error curve needs an order of mated comparisons alone, or of non-mated ones alone")
    if order.total != starting.comparisons:
        raise MatedError(
            f"the starting error is one of {starting.comparisons} comparisons and the order has {order.total}; "
            "both must be of the same comparisons"
        )
