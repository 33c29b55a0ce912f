"""Quality scores as integers from 0 to 100, and what that does to curves (Schlett et al. 2023, section IV)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.quality.curve import area_between
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mated.quality.curve import DiscardCurve

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["Calibration", "CalibrationMethod", "calibrate", "curve_divergence"]

CalibrationMethod: TypeAlias = Literal["minmax", "proportional"]
"""Boundaries at equal distances, or with as many calibration qualities between each two."""


@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """Boundaries that turn raw qualities into integers from 0 to the number of boundaries (100).

    A quality becomes the number of boundaries at or below it; outside the calibrated range it is 0 or 100.
    """

    boundaries: Floats
    method: CalibrationMethod

    def __post_init__(self) -> None:
        object.__setattr__(self, "boundaries", read_only(self.boundaries))

    def __call__(self, quality: ArrayLike) -> Any:
        """Normalise raw qualities."""
        values = np.asarray(quality, dtype=np.float64)
        if np.isnan(values).any():
            raise MatedError("a quality that is NaN cannot be normalised")
        result = np.searchsorted(self.boundaries, values, side="right")
        return result if np.ndim(result) else int(result)

    def __repr__(self) -> str:
        return f"Calibration({self.method}, {len(self.boundaries)} boundaries)"


def calibrate(*qualities: ArrayLike, method: CalibrationMethod = "minmax", levels: int = 101) -> Calibration:
    """Find the boundaries from raw qualities: those to be normalised ("same"), others, or several sets combined.

    Parameters
    ----------
    qualities
        One array, or several that are merged.
    method
        "minmax" divides the range from the lowest to the highest quality into `levels` equal parts. "proportional"
        puts boundary k at the quality below which ⌊k·n/levels⌋ of the n qualities lie, so that the levels hold equally
        many but for one; where qualities are equal some levels stay empty.
    levels
        101 levels are the integers 0 to 100 of ISO/IEC 29794-1.
    """
    if levels < 2:
        raise MatedError(f"a normalisation needs two levels or more, not {levels}")
    values = np.concatenate([np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in qualities] or [np.zeros(0)])
    if not len(values):
        raise MatedError("there is no quality to calibrate with")
    if not np.isfinite(values).all():
        raise MatedError("a calibration needs finite qualities, and some are NaN or infinite")
    inner = np.arange(1, levels)
    if method == "minmax":
        low, high = float(values.min()), float(values.max())
        return Calibration(np.asarray(low + inner * ((high - low) / levels)), method)
    if method == "proportional":
        return Calibration(np.sort(values)[inner * len(values) // levels], method)
    raise MatedError(f"there is no calibration {method!r}; give 'minmax' or 'proportional'")


def curve_divergence(raw: DiscardCurve, normalised: DiscardCurve, high: float, low: float = 0.0) -> float:
    """Return the area between two curves over the area under the raw one: how far normalisation moved it (Table II).

    A share; the paper gives it in percent.
    """
    under = raw.area(high, low)
    if under <= 0:
        raise MatedError("the area under the raw curve is 0, so a divergence cannot be given as a share of it")
    return area_between(raw, normalised, high, low) / under
