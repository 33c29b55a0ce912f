"""A value against the discard fraction: what every curve of this room is, to be read, integrated and drawn alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores.discard_order import Axis, check_limit
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mated.scores.discard_order import DiscardOrder

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["DiscardCurve", "Interpolation", "area_between", "check_interpolation", "check_range", "end_held"]

Interpolation: TypeAlias = Literal["step", "linear"]
"""Whether the value stays until the next discard step (Schlett et al. 2023, section III) or runs straight to it."""


@dataclass(frozen=True, eq=False, repr=False)
class DiscardCurve:
    """A function of the discard fraction, from 0 to the last point.

    Stepwise, a value holds from its discard fraction up to the next, not included: at a fraction that a step reaches
    exactly the step has been made. Linearly, points are joined by straight lines. Reading, area and drawing all follow
    the one interpolation. Where the last point is that at which nothing is left to measure, it repeats the value
    before it.

    Attributes
    ----------
    discard
        Discard fractions, strictly ascending, the first one 0.
    value
        The value at each.
    quantity
        What the value is, in words.
    higher_is_better
        Which direction is good.
    interpolation, axis
        How points are joined, and of what the discard fraction is one.
    """

    discard: Floats
    value: Floats
    quantity: str
    higher_is_better: bool = False
    interpolation: Interpolation = "step"
    axis: Axis = "comparisons"

    def __post_init__(self) -> None:
        check_interpolation(self.interpolation)
        for name in ("discard", "value"):
            object.__setattr__(self, name, read_only(np.asarray(getattr(self, name), dtype=np.float64)))

    @property
    def start(self) -> float:
        """The value with nothing discarded."""
        return float(self.value[0])

    @property
    def end(self) -> float:
        """The discard fraction up to which the curve is known."""
        return float(self.discard[-1])

    def __call__(self, discard: ArrayLike) -> Any:
        """Read the curve at discard fractions."""
        asked = np.asarray(discard, dtype=np.float64)
        if not np.all((asked >= 0) & (asked <= self.end)):
            raise MatedError(
                f"the curve is known for discard fractions from 0 to {self.end:.6g}, and {discard!r} is outside"
            )
        if self.interpolation == "linear":
            result = np.interp(asked, self.discard, self.value)
        else:
            result = self.value[np.searchsorted(self.discard, asked, side="right") - 1]
        return result if np.ndim(result) else float(result)

    def area(self, high: float, low: float = 0.0) -> float:
        """Return the area under the curve between two discard fractions (pAUC), under its own interpolation."""
        check_range(low, high)
        self._reaches(high)
        inside = slice(*np.searchsorted(self.discard, (low, high), side="right").tolist())
        between = self.discard[inside]
        if len(between) and between[-1] == high:
            between = between[:-1]
        edges = np.concatenate([[low], between, [high]])
        values = np.asarray(self(edges))
        if self.interpolation == "linear":
            return float(np.trapezoid(values, edges))
        return float(np.dot(values[:-1], np.diff(edges)))

    def corners(self, high: float | None = None) -> tuple[Floats, Floats]:
        """Return the line to draw, corner by corner, up to a discard fraction (None: the end)."""
        limit = self.end if high is None else min(high, self.end)
        inside = self.discard < limit
        x = np.append(self.discard[inside], limit)
        y = np.append(self.value[inside], self(limit))
        if self.interpolation == "linear":
            return x, y
        return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]

    def _reaches(self, high: float) -> None:
        if high > self.end:
            raise MatedError(
                f"the curve of {self.quantity} ends at discard fraction {self.end:.6g}, and a limit of {high:g} "
                "goes beyond it"
            )

    def __len__(self) -> int:
        return len(self.discard)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.quantity}, {len(self)} points, from {self.start:.4g})"


def end_held(order: DiscardOrder, value: Floats, defined: NDArray[np.bool_], axis: Axis) -> tuple[Floats, Floats]:
    """Return fractions and values up to the first point that is not defined, which repeats the value before it."""
    fractions = order.fractions(axis)
    if defined.all():
        return fractions, value
    stop = int(np.argmin(defined))
    if not stop:
        raise MatedError("with every comparison kept the curve has no value, so there is no curve")
    return fractions[: stop + 1], np.append(value[:stop], value[stop - 1])


def area_between(one: DiscardCurve, other: DiscardCurve, high: float, low: float = 0.0) -> float:
    """Return the area enclosed by two curves of one interpolation, ∫|f − g|, exactly."""
    if one.interpolation != other.interpolation or one.axis != other.axis:
        raise MatedError("an area between curves needs two of one interpolation and one axis")
    check_range(low, high)
    one._reaches(high)
    other._reaches(high)
    edges = np.union1d(one.discard, other.discard)
    edges = np.concatenate([[low], edges[(edges > low) & (edges < high)], [high]])
    apart = np.asarray(one(edges)) - np.asarray(other(edges))
    width = np.diff(edges)
    if one.interpolation == "step":
        return float(np.dot(np.abs(apart[:-1]), width))
    left, right = np.abs(apart[:-1]), np.abs(apart[1:])
    # Where the lines cross there are two triangles in place of a trapezium.
    crossed = apart[:-1] * apart[1:] < 0
    total = left + right
    squares = left**2 + right**2
    heights = np.where(crossed, np.divide(squares, total, out=np.zeros_like(total), where=total > 0), total)
    return float(np.dot(heights, width)) / 2


def check_interpolation(interpolation: str) -> None:
    """Refuse what is no interpolation."""
    if interpolation not in ("step", "linear"):
        raise MatedError(f"there is no interpolation {interpolation!r}; give 'step' or 'linear'")


def check_range(low: float, high: float) -> None:
    """Refuse discard fractions between which there is no area."""
    check_limit(high)
    if not 0 <= low < high:
        raise MatedError(
            f"an area runs from a discard fraction of at least 0 to a higher one, not from {low} to {high}"
        )
