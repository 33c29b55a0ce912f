"""The numbers of Schlett et al. (2023), Tables II (means), III and IV, as printed, and what their rounding allows.

Placements are 1 for the best of five algorithms and 5 for the worst. All numbers have two decimals.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "HALF_UNIT",
    "SAMPLES",
    "STARTING_ERROR",
    "SUBJECTS",
    "TABLE_2_MEANS",
    "TABLE_3",
    "TABLE_4",
    "Placements",
    "impossible_deviations",
    "largest_deviation",
]

SUBJECTS, SAMPLES = 50_000, 5
"""Section VI-A."""

STARTING_ERROR = 0.05
"""Of the example curves (Figures 1, 4 and 12)."""

HALF_UNIT = 0.005
"""How far a printed number may be from the computed one."""


class Placements(NamedTuple):
    """A row of Table III or IV."""

    span: float
    best: float
    worst: float
    median: float
    mean: float
    deviation: float


TABLE_4 = {
    1: {
        "SQA1 (0.05)": Placements(1.57, 1.00, 2.57, 1.00, 1.01, 0.14),
        "SQA2 (0.10)": Placements(4.00, 1.00, 5.00, 2.30, 2.31, 0.61),
        "SQA3 (0.15)": Placements(3.99, 1.00, 4.99, 3.55, 3.47, 0.71),
        "SQA4 (0.20)": Placements(3.84, 1.00, 4.84, 4.38, 4.29, 0.64),
        "SQA5 (0.25)": Placements(2.40, 2.60, 5.00, 5.00, 4.99, 0.21),
    },
    2: {
        "SQA1 (0.01)": Placements(4.00, 1.00, 5.00, 1.00, 1.24, 1.11),
        "SQA2 (0.02)": Placements(4.00, 1.00, 5.00, 1.54, 1.63, 0.67),
        "SQA3 (0.03)": Placements(4.00, 1.00, 5.00, 2.49, 2.57, 1.01),
        "SQA4 (0.04)": Placements(3.69, 1.00, 4.69, 3.58, 3.41, 1.02),
        "SQA5 (0.05)": Placements(3.59, 1.41, 5.00, 5.00, 4.85, 0.71),
    },
}
"""Synthetic data, by variant."""

TABLE_3 = {
    "LFW": {
        "CR-FIQA(L)": Placements(0.73, 1.00, 1.73, 1.32, 1.35, 0.21),
        "CR-FIQA(S)": Placements(2.38, 2.06, 4.44, 3.86, 3.82, 0.59),
        "MagFace": Placements(0.01, 1.00, 1.01, 1.00, 1.00, 0.00),
        "PCNet": Placements(2.19, 2.81, 5.00, 3.27, 3.65, 1.00),
        "SER-FIQ": Placements(2.81, 2.19, 5.00, 5.00, 4.72, 0.87),
    },
    "TinyFace": {
        "CR-FIQA(L)": Placements(1.40, 1.00, 2.40, 1.10, 1.23, 0.33),
        "CR-FIQA(S)": Placements(0.44, 4.56, 5.00, 4.92, 4.89, 0.15),
        "MagFace": Placements(3.74, 1.26, 5.00, 2.59, 2.52, 0.57),
        "PCNet": Placements(4.00, 1.00, 5.00, 5.00, 4.56, 1.28),
        "SER-FIQ": Placements(2.25, 1.00, 3.25, 1.00, 1.08, 0.42),
    },
}
"""Real face images, by data set."""

TABLE_2_MEANS = {
    (0.2, "same", "minmax"): (2.78, 0.79),
    (0.2, "same", "proportional"): (2.13, 2.75),
    (0.2, "other", "minmax"): (3.74, 11.06),
    (0.2, "other", "proportional"): (24.56, 25.09),
    (0.2, "combined", "minmax"): (4.17, 0.98),
    (0.2, "combined", "proportional"): (2.49, 7.94),
    (0.3, "same", "minmax"): (3.29, 1.27),
    (0.3, "same", "proportional"): (1.98, 2.44),
    (0.3, "other", "minmax"): (8.27, 10.04),
    (0.3, "other", "proportional"): (40.22, 34.57),
    (0.3, "combined", "minmax"): (4.56, 1.75),
    (0.3, "combined", "proportional"): (2.47, 6.93),
}
"""Mean divergence of five algorithms in percent, on LFW and on TinyFace, by limit, calibration data and function."""


def largest_deviation(row: Placements) -> float:
    """Return the largest standard deviation that numbers between best and worst with this mean can have.

    √((worst − mean)(mean − best)), the inequality of Bhatia and Davis (2000), with every printed number
    moved by half a unit to where it allows the most.
    """
    low, high = row.best - HALF_UNIT, row.worst + HALF_UNIT
    mean = min(max((low + high) / 2, row.mean - HALF_UNIT), row.mean + HALF_UNIT)
    return math.sqrt(max((high - mean) * (mean - low), 0.0))


def impossible_deviations() -> Iterator[tuple[str, Placements, float]]:
    """Yield the rows of Tables III and IV whose deviation cannot be that of the placements, and the largest possible.

    They show that the column is scaled otherwise than the others.
    """
    tables = {**{f"Table IV, variant {n}": rows for n, rows in TABLE_4.items()}}
    tables |= {f"Table III, {data}": rows for data, rows in TABLE_3.items()}
    for where, rows in tables.items():
        for name, row in rows.items():
            if row.deviation - HALF_UNIT > (most := largest_deviation(row)):
                yield f"{where}, {name}", row, most
