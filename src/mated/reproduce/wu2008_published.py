"""The numbers of Wu (2008), Tables 1 to 6, as printed, and the form in which ours are set beside them.

Six fingerprint algorithms were measured at FMR 0.001 and at their EER. Each table is keyed by the number of the
algorithm. Rates have six decimals; a threshold is a score of the algorithm's own system, whose decimals and upper end
are in `SYSTEMS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mated.reproduce.pages import Beside, Quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mated.evaluation.estimate import Estimate
    from mated.reproduce.stand_ins import StandIn

__all__ = [
    "ALGORITHMS",
    "FMR",
    "NORMALITY_P_VALUE",
    "NORMAL_INTERVALS",
    "N_MATED",
    "N_NONMATED",
    "REPLICATES",
    "SYSTEMS",
    "TABLE_1",
    "TABLE_2",
    "TABLE_3",
    "TABLE_4",
    "TABLE_5",
    "TABLE_6",
    "AtThresholdRow",
    "RelativeErrorRow",
    "System",
    "label_names",
    "quoted",
    "table_4_beside",
    "tables_beside",
]

ALGORITHMS = (1, 2, 3, 4, 5, 6)
FMR = 0.001
REPLICATES = 2000
N_MATED, N_NONMATED = 60_000, 120_000
"""The paper says of both that there were a little more (section 1)."""


class System(NamedTuple):
    """A scoring system: with how many decimals scores are written, and what they stay below."""

    decimals: int
    below: float | None


class AtThresholdRow(NamedTuple):
    """A row of Table 3."""

    threshold: float
    tmr: Quoted
    fmr: Quoted


class RelativeErrorRow(NamedTuple):
    """A row of Table 4; the relative error is a percentage."""

    score_range: tuple[float, float]
    least_difference: float
    eer: float
    relative_error: float


SYSTEMS = {
    1: System(0, None),
    2: System(0, None),
    3: System(0, None),
    4: System(4, 100),
    5: System(4, 1),
    6: System(6, 1),
}
"""Section 4, and the decimals of the printed thresholds."""

TABLE_1 = {
    1: Quoted(0.993255, 0.000325, 0.992622, 0.993922),
    2: Quoted(0.994322, 0.000324, 0.993662, 0.994918),
    3: Quoted(0.989263, 0.000470, 0.988307, 0.990159),
    4: Quoted(0.972307, 0.000913, 0.970592, 0.974176),
    5: Quoted(0.929970, 0.001522, 0.926869, 0.932899),
    6: Quoted(0.796753, 0.003503, 0.789545, 0.803961),
}
"""TMR at FMR 0.001."""

TABLE_2 = {
    1: Quoted(455, None, 442, 463),
    2: Quoted(34, None, 30, 39),
    3: Quoted(4534, None, 4450, 4616),
    4: Quoted(40.8472, None, 40.2195, 41.3513),
    5: Quoted(0.1053, None, 0.1011, 0.1096),
    6: Quoted(0.634030, None, 0.626579, 0.640724),
}
"""Threshold at FMR 0.001."""

TABLE_3 = {
    1: AtThresholdRow(
        455, Quoted(0.993255, 0.000337, 0.992605, 0.993905), Quoted(0.001008, 0.000091, 0.000820, 0.001184)
    ),
    2: AtThresholdRow(
        34, Quoted(0.994393, 0.000300, 0.993792, 0.994994), Quoted(0.001057, 0.000093, 0.000877, 0.001246)
    ),
    3: AtThresholdRow(
        4534, Quoted(0.989274, 0.000408, 0.988486, 0.990094), Quoted(0.001016, 0.000093, 0.000836, 0.001213)
    ),
    4: AtThresholdRow(
        40.8472, Quoted(0.972307, 0.000676, 0.970966, 0.973672), Quoted(0.001000, 0.000091, 0.000828, 0.001180)
    ),
    5: AtThresholdRow(
        0.1053, Quoted(0.929970, 0.001030, 0.927971, 0.931994), Quoted(0.001000, 0.000089, 0.000836, 0.001180)
    ),
    6: AtThresholdRow(
        0.634030, Quoted(0.796753, 0.001590, 0.793641, 0.799792), Quoted(0.001000, 0.000092, 0.000836, 0.001189)
    ),
}
"""TMR and FMR at the threshold of Table 2."""

TABLE_4 = {
    1: RelativeErrorRow((346, 346), 0.000061, 0.006064, 0.51),
    2: RelativeErrorRow((12, 12), 0.000013, 0.004346, 0.15),
    3: RelativeErrorRow((3754, 3754), 0.000013, 0.007076, 0.09),
    4: RelativeErrorRow((31.3983, 31.3983), 0.000002, 0.012903, 0.01),
    5: RelativeErrorRow((0.0343, 0.0343), 0.000089, 0.036400, 0.12),
    6: RelativeErrorRow((0.510836, 0.510837), 0.000003, 0.068650, 0.00),
}
"""What discreteness leaves between the two errors at the EER."""

TABLE_5 = {
    1: Quoted(0.006064, 0.000301, 0.005511, 0.006703),
    2: Quoted(0.004346, 0.000202, 0.003905, 0.004713),
    3: Quoted(0.007076, 0.000295, 0.006496, 0.007655),
    4: Quoted(0.012903, 0.000360, 0.012205, 0.013609),
    5: Quoted(0.036400, 0.000650, 0.035096, 0.037624),
    6: Quoted(0.068650, 0.000743, 0.067174, 0.070162),
}
"""EER."""

TABLE_6 = {
    1: Quoted(346, None, 339, 352),
    2: Quoted(12, None, 11, 14),
    3: Quoted(3754, None, 3721, 3794),
    4: Quoted(31.3983, None, 31.1410, 31.6542),
    5: Quoted(0.0343, None, 0.0337, 0.0350),
    6: Quoted(0.510836, None, 0.509881, 0.511747),
}
"""Threshold of the EER."""

NORMAL_INTERVALS = {
    "TMR at FMR 0.001": (0.992618, 0.993892),
    "FMR at the threshold": (0.000830, 0.001186),
    "EER": (0.005474, 0.006654),
}
"""The intervals of algorithm 1 that assume normal replicates (sections 4.1 to 4.3)."""

NORMALITY_P_VALUE = 0.1041
"""Of the multivariate Shapiro–Wilk test on the replicates of algorithm 1 in Figure 4 (section 5)."""


def quoted(estimate: Estimate) -> Quoted:
    """Return an estimate in the form of the tables."""
    assert estimate.low is not None
    assert estimate.high is not None
    return Quoted(estimate.value, estimate.se, estimate.low, estimate.high)


def _threshold(value: float, low: float | None, high: float | None) -> Quoted:
    assert low is not None
    assert high is not None
    return Quoted(value, None, low, high)


def tables_beside(ours: Mapping[int, StandIn]) -> dict[str, list[Beside]]:
    """Return ours beside the published by the name of the table: all but the fourth, which has no intervals."""
    tables: dict[str, list[Beside]] = {name: [] for name in ("table1", "table2", "table3", "table5", "table6")}
    for k, stand_in in ours.items():
        at_fmr, at_threshold, eer = stand_in.at_fmr, stand_in.at_threshold, stand_in.eer
        label, decimals = (str(k),), SYSTEMS[k].decimals
        tables["table1"].append(Beside(label, TABLE_1[k], quoted(at_fmr.tmr)))
        threshold = _threshold(at_fmr.point.threshold, at_fmr.threshold_low, at_fmr.threshold_high)
        tables["table2"].append(Beside(label, TABLE_2[k], threshold, decimals))
        theirs = TABLE_3[k]
        where = f"{theirs.threshold:.{decimals}f}", f"{threshold.value:.{decimals}f}"
        tables["table3"].append(Beside((*label, *where, "TMR"), theirs.tmr, quoted(at_threshold.tmr)))
        tables["table3"].append(Beside((*label, *where, "FMR"), theirs.fmr, quoted(at_threshold.fmr)))
        tables["table5"].append(Beside(label, TABLE_5[k], quoted(eer.eer)))
        threshold = _threshold(eer.point.threshold, eer.threshold_low, eer.threshold_high)
        tables["table6"].append(Beside(label, TABLE_6[k], threshold, decimals))
    return tables


def label_names(rows: Sequence[Beside]) -> list[str]:
    """Return the names of the label columns of a table."""
    more = ["published_threshold", "our_threshold", "rate"] if len(rows[0].labels) > 1 else []
    return ["algorithm", *more]


def table_4_beside(ours: Mapping[int, StandIn]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of Table 4, the published before ours."""
    parts = ("score_range", "least_difference", "eer", "relative_error_percent")
    rows = []
    for k, stand_in in ours.items():
        at = stand_in.eer.point
        mine = RelativeErrorRow(at.score_range, at.least_difference, at.value, 100 * at.relative_error)
        cells = [str(k)]
        for (low, high), difference, eer, percent in (TABLE_4[k], mine):
            ends = [f"{end:.{SYSTEMS[k].decimals}f}" for end in (low, high)]
            cells += [ends[0] if low == high else f"[{ends[0]}, {ends[1]}]"]
            cells += [f"{difference:.6f}", f"{eer:.6f}", f"{percent:.2f}"]
        rows.append(cells)
    return ["algorithm", *(f"{whose}_{part}" for whose in ("published", "ours") for part in parts)], rows
