"""`QualitySettings`: which curve of which comparisons is drawn, and how it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mated.errors import MatedError
from mated.quality.curve import check_interpolation
from mated.quality.edc import check_among
from mated.scores.discard_order import check_axis, check_limit
from mated.uncertainty.quality_units import RESAMPLED
from mated.verification.rates import exact_rate

if TYPE_CHECKING:
    from mated.quality.curve import Interpolation
    from mated.quality.det_by_discard import Division
    from mated.quality.edc import Among
    from mated.quality.fixed_counterpart import Fixed
    from mated.quality.other_curves import DPrime
    from mated.scores.discard_order import Axis
    from mated.uncertainty.quality_units import Resample

__all__ = ["CURVES", "CurveType", "QualitySettings"]

CurveType: TypeAlias = Literal["fnm", "fm", "cs", "dprime", "fc", "det"]
"""What is drawn against the discard fraction."""

CURVES: dict[CurveType, str] = {
    "fnm": "FNM-EDC: false non-match rate of mated comparisons",
    "fm": "FM-EDC: false match rate of non-mated comparisons",
    "cs": "CS-DC: mean comparison score",
    "dprime": "d′-DC: d′ of both classes",
    "fc": "FC-EDC: one error rate with the other held",
    "det": "DET curves at several discard fractions",
}
"""The curves by name (Schlett et al. 2023, sections I-A and VII)."""


@dataclass(frozen=True)
class QualitySettings:
    """How qualities are evaluated; the defaults are those of the paper.

    Attributes
    ----------
    type
        Which curve; see `CURVES`.
    starting_error, threshold
        Of an EDC: the error rate it begins at, or the threshold that decides it.
    limit
        The discard fraction up to which areas go.
    among
        Of an EDC: errors among the comparisons kept, or over all of them.
    interpolation, axis
        How points are joined, and what the discard fraction is a fraction of.
    of
        Of a CS-DC: which class is averaged.
    fixed, rate
        Of an FC-EDC: which rate is held, and at what value.
    d_prime
        By the paper's Eq. 3, or the usual one, which is √2 times as large.
    fractions, division
        Of DET curves: the discard fractions, and whether each curve is of all that is kept or of disjoint bins.
    refind
        Whether replicates find the threshold of the starting error anew; with a threshold given it is always held.
    resample
        What is drawn in a replicate.
    curves, stability, scalars
        Whether the dictionary holds the curves, the ranking over a grid of settings, and scalar measures too.
    """

    type: CurveType = "fnm"
    starting_error: float = 0.05
    threshold: float | None = None
    limit: float = 0.2
    among: Among = "kept"
    interpolation: Interpolation = "step"
    axis: Axis = "comparisons"
    of: Literal["mated", "nonmated"] = "mated"
    fixed: Fixed = "fmr"
    rate: float = 0.01
    d_prime: DPrime = "schlett2023"
    fractions: tuple[float, ...] = (0.0, 0.05, 0.1, 0.2)
    division: Division = "discard"
    refind: bool = True
    resample: Resample = "auto"
    curves: bool = False
    stability: bool = False
    scalars: bool = False

    def __post_init__(self) -> None:
        if self.type not in CURVES:
            raise MatedError(f"there is no curve {self.type!r}; the curves are: {', '.join(CURVES)}")
        exact_rate(self.starting_error, "a starting error")
        check_limit(self.limit)
        check_among(self.among)
        check_interpolation(self.interpolation)
        check_axis(self.axis)
        if self.of not in ("mated", "nonmated"):
            raise MatedError(f"a mean score is one of 'mated' or of 'nonmated' comparisons, not of {self.of!r}")
        if self.fixed not in ("fmr", "fnmr"):
            raise MatedError(f"there is no rate {self.fixed!r} to hold; give 'fmr' or 'fnmr'")
        exact_rate(self.rate, f"a fixed {self.fixed.upper()}")
        if self.resample not in RESAMPLED:
            raise MatedError(f"there is no resampling of {self.resample!r}; choose one of {', '.join(RESAMPLED)}")
        if self.stability and not self.of_errors:
            raise MatedError("ranking stability is that of error curves; choose the curve 'fnm' or 'fm'")

    @property
    def of_errors(self) -> bool:
        """Whether the curve is an EDC with a starting error."""
        return self.type in ("fnm", "fm")

    @property
    def mated(self) -> bool | None:
        """Which comparisons are discarded: mated (True), non-mated (False), or both together (None)."""
        if self.type == "cs":
            return self.of == "mated"
        return {"fnm": True, "fm": False}.get(self.type)
