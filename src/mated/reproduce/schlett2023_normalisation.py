"""Section IV of Schlett et al. (2023) on synthetic data: what integers from 0 to 100 do to curves.

Two data sets of different quality stand in for LFW and TinyFace, whose qualities are not public.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from mated.quality.edc import error_curve
from mated.quality.normalisation import Calibration, CalibrationMethod, calibrate, curve_divergence
from mated.reproduce.processes import mapped
from mated.reproduce.schlett2023_curves import lower_of
from mated.reproduce.schlett2023_published import STARTING_ERROR
from mated.reproduce.schlett2023_stability import starting_errors_of
from mated.scores.discard_order import DiscardOrder
from mated.synthetic.quality import VARIANT_1, SyntheticQualities, draw_qualities
from mated.uncertainty.streams import block_generator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mated.quality.curve import DiscardCurve
    from mated.quality.starting_error import StartingError

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "CALIBRATION_DATA",
    "DATA_SETS",
    "FUNCTIONS",
    "RANGES",
    "NormalisationTask",
    "calibration_for",
    "data_sets",
    "divergences",
    "normalisation",
    "raw_and_normalised",
]

CalibrationData: TypeAlias = Literal["same", "other", "combined"]

DATA_SETS = {"high": (5.0, 2.0), "low": (2.0, 5.0)}
"""Beta shapes of the utilities: one data set is the mirror image of the other."""

RANGES = (0.2, 0.3)
CALIBRATION_DATA: tuple[CalibrationData, ...] = ("same", "other", "combined")
FUNCTIONS: tuple[CalibrationMethod, ...] = ("minmax", "proportional")


class NormalisationTask(NamedTuple):
    """One draw of both data sets."""

    seed: int
    draw: int
    subjects: int


def data_sets(task: NormalisationTask) -> dict[str, SyntheticQualities]:
    """Draw both data sets."""
    return {
        name: draw_qualities(
            VARIANT_1,
            subjects=task.subjects,
            shape=shape,
            rng=block_generator(task.seed, f"schlett2023 normalisation {name}", task.draw),
        )
        for name, shape in DATA_SETS.items()
    }


def calibration_for(
    data: dict[str, SyntheticQualities],
    name: str,
    algorithm: str,
    calibration: CalibrationData,
    function: CalibrationMethod,
) -> Calibration:
    """Find the boundaries for the qualities of an algorithm on a data set, from that one, the other or both."""
    same = data[name].quality[algorithm]
    other = next(d for key, d in data.items() if key != name).quality[algorithm]
    sets = {"same": (same,), "other": (other,), "combined": (same, other)}[calibration]
    return calibrate(*sets, method=function)


def raw_and_normalised(
    data: dict[str, SyntheticQualities], name: str, calibration: CalibrationData, function: CalibrationMethod
) -> tuple[dict[str, DiscardCurve], dict[str, DiscardCurve]]:
    """Return the curves of raw and of normalised qualities on a data set, by algorithm."""
    scored = _Scored.of(data[name])
    raw, normalised = {}, {}
    for algorithm in data[name].quality:
        raw[algorithm] = scored.raw(algorithm)
        boundaries = calibration_for(data, name, algorithm, calibration, function)
        normalised[algorithm] = scored.normalised(algorithm, boundaries)
    return raw, normalised


def divergences(task: NormalisationTask) -> Floats:
    """Return the divergence in percent: range × calibration data × function × data set × algorithm."""
    data = data_sets(task)
    shape = (len(RANGES), len(CALIBRATION_DATA), len(FUNCTIONS), len(data), len(VARIANT_1))
    table = np.empty(shape)
    for d, (name, drawn) in enumerate(data.items()):
        scored = _Scored.of(drawn)
        for a, algorithm in enumerate(drawn.quality):
            raw = scored.raw(algorithm)
            for c, calibration in enumerate(CALIBRATION_DATA):
                for f, function in enumerate(FUNCTIONS):
                    boundaries = calibration_for(data, name, algorithm, calibration, function)
                    curve = scored.normalised(algorithm, boundaries)
                    for r, high in enumerate(RANGES):
                        table[r, c, f, d, a] = 100 * curve_divergence(raw, curve, high)
    return table


def normalisation(seed: int, *, draws: int, subjects: int, jobs: int) -> Iterator[Floats]:
    """Yield the divergences of each draw."""
    yield from mapped(divergences, [NormalisationTask(seed, draw, subjects) for draw in range(draws)], jobs)


class _Scored(NamedTuple):
    """A data set with its scores and its starting error, found once."""

    drawn: SyntheticQualities
    score: Floats
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]]
    start: StartingError

    @classmethod
    def of(cls, drawn: SyntheticQualities) -> _Scored:
        score = drawn.mated_score
        return cls(drawn, score, drawn.mated_pairs, starting_errors_of(score).nearest(STARTING_ERROR))

    def raw(self, algorithm: str) -> DiscardCurve:
        return self._curve(self.drawn.quality[algorithm])

    def normalised(self, algorithm: str, calibration: Calibration) -> DiscardCurve:
        return self._curve(calibration(self.drawn.quality[algorithm]))

    def _curve(self, quality: NDArray[np.float64] | NDArray[np.int64]) -> DiscardCurve:
        order = DiscardOrder.of(self.score, lower_of(quality, self.pairs), limit=max(RANGES))
        return error_curve(order, self.start)
