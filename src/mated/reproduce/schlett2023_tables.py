"""The tables of the experiment schlett2023, as CSV and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mated.quality.areas import rank_curves
from mated.quality.stability import LIMITS, STARTING_ERRORS
from mated.reproduce.pages import csv_text, markdown_table
from mated.reproduce.schlett2023_curves import AREA, LEVELS
from mated.reproduce.schlett2023_normalisation import CALIBRATION_DATA, DATA_SETS, FUNCTIONS, RANGES
from mated.reproduce.schlett2023_published import TABLE_2_MEANS, TABLE_4
from mated.reproduce.schlett2023_stability import STATISTICS, VARIANTS, spread_of
from mated.synthetic.quality import VARIANT_1

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mated.reproduce.schlett2023_curves import CurveTypes, InterpolationStudy, RandomBundle
    from mated.reproduce.schlett2023_stability import OneDraw, Spread

    Floats: TypeAlias = NDArray[np.float64]
    Draws: TypeAlias = Mapping[tuple[int, bool], Sequence[OneDraw]]
    """By variant, and whether the algorithms share their offset."""

__all__ = [
    "FUNCTION_NAMES",
    "csv_files",
    "curve_type_table",
    "deviation_table",
    "divergence_table",
    "extremes_table",
    "interpolation_table",
    "middle_table",
    "normalisation_table",
    "table_4_entries",
]

FUNCTION_NAMES = {"minmax": "MinMax", "proportional": "Proportional"}
SHOWN_LIMITS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2)


def table_4_entries(
    draws: Draws, statistics: Sequence[str], variants: Sequence[int] = (1, 2), *, shared: bool = False
) -> Iterator[tuple[int, str, str, float, Spread]]:
    """Yield variant, algorithm, statistic, the published number and ours over draws."""
    for variant in variants:
        for statistic in statistics:
            # The paper has one column of deviations, which ours are set beside in both scales.
            printed = "deviation" if statistic.startswith("deviation") else statistic
            spreads = spread_of(draws[variant, shared], statistic)
            for (name, row), spread in zip(TABLE_4[variant].items(), spreads, strict=True):
                yield variant, name, statistic, getattr(row, printed), spread


# -- CSV -------------------------------------------------------------------------------------------------


def csv_files(
    draws: Draws, bundle: RandomBundle, interpolation: InterpolationStudy, types: CurveTypes, divergences: Floats
) -> dict[str, str]:
    """Return the contents of each CSV file by its name."""
    return {
        "table4.csv": _table_4(draws),
        "figure4.csv": _figure_4(bundle),
        "figure5.csv": _figure_5(interpolation),
        "figure13.csv": _figure_13(draws),
        "curve_types.csv": _curve_types(types),
        "normalisation.csv": _normalisation(divergences),
    }


def _table_4(draws: Draws) -> str:
    header = ["offsets", "variant", "algorithm", "statistic", "published", "draws", "ours_mean", "ours_sd"]
    rows = []
    for shared, variants in ((False, (1, 2)), (True, (1,))):
        for variant, name, statistic, published, spread in table_4_entries(draws, STATISTICS, variants, shared=shared):
            numbers = (spread.mean, spread.deviation, spread.low, spread.high, spread.distance(published))
            rows.append(
                ["shared" if shared else "own", str(variant), name, statistic, f"{published:.2f}", str(spread.draws),
                 *(f"{number:.6f}" for number in numbers)]
            )  # fmt: skip
    return csv_text([*header, "ours_low", "ours_high", "distance_in_sd"], rows)


def _figure_4(bundle: RandomBundle) -> str:
    columns = (bundle.discard, bundle.mean, bundle.standard_error, bundle.rates.std(axis=0, ddof=1), bundle.pair_spread)
    rows = [[f"{number:.9g}" for number in row] for row in zip(*(c.tolist() for c in columns), strict=True)]
    return csv_text(["discard", "mean", "se_of_mean", "sd", "sd_of_single_pairs"], rows)


def _figure_5(study: InterpolationStudy) -> str:
    rows = [[str(n), str(study.draws), f"{study.share[n]:.6f}", f"{study.ratio[n]:.6f}"] for n in LEVELS]
    return csv_text(["levels", "draws", "share_decided_by_interpolation", "step_area_over_linear"], rows)


def _figure_13(draws: Draws) -> str:
    rows = []
    for variant in VARIANTS:
        some = draws[variant, False]
        apart = np.array([draw.divergence for draw in some])
        order = np.mean([draw.in_order for draw in some], axis=0)
        parts = (apart[0], apart.mean(axis=0), apart.min(axis=0), apart.max(axis=0), order)
        for i, start in enumerate(STARTING_ERRORS):
            for k, limit in enumerate(LIMITS):
                numbers = [f"{float(part[i, k]):.6f}" for part in parts]
                rows.append([str(variant), f"{start:g}", f"{limit:g}", *numbers])
    names = ["first_draw", "mean", "low", "high", "share_in_expected_order"]
    return csv_text(["variant", "starting_error", "limit", *names], rows)


def _curve_types(types: CurveTypes) -> str:
    rows = [
        [kind, place.algorithm, f"{place.area:.9g}", str(place.rank), f"{place.relative:.6f}"]
        for kind, curves in types.curves.items()
        for place in rank_curves(curves, AREA)
    ]
    return csv_text(["curve", "algorithm", "area", "rank", "relative_rank"], rows)


def _normalisation(divergences: Floats) -> str:
    rows = []
    for r, high in enumerate(RANGES):
        for c, calibration in enumerate(CALIBRATION_DATA):
            for f, function in enumerate(FUNCTIONS):
                for d, data in enumerate(DATA_SETS):
                    of_draws = divergences[:, r, c, f, d]
                    mean = of_draws.mean(axis=1)
                    numbers = [mean.mean(), mean.min(), mean.max(), *of_draws.mean(axis=0)]
                    rows.append([f"{high:g}", calibration, function, data, *(f"{number:.4f}" for number in numbers)])
    names = [f"sqa{k + 1}" for k in range(len(VARIANT_1))]
    return csv_text(["limit", "calibration_data", "function", "data", "mean", "low", "high", *names], rows)


# -- Markdown --------------------------------------------------------------------------------------------


def middle_table(draws: Draws, variant: int) -> str:
    """Write medians and means of placements, published beside ours with their range over draws."""
    return _beside(draws, variant, ("median", "mean"))


def extremes_table(draws: Draws, variant: int) -> str:
    """Write span, best and worst placement."""
    return _beside(draws, variant, ("span", "best", "worst"))


def deviation_table(draws: Draws) -> str:
    """Write the published deviations beside ours of placements (×4) and of five times the relative rank (×5)."""
    pairs = zip(table_4_entries(draws, ["deviation"]), table_4_entries(draws, ["deviation_times_count"]), strict=True)
    rows = [
        [f"{variant}, {name}", f"{published:.2f}", *_cells(four, published), *_cells(five, published)]
        for (variant, name, _, published, four), (*_, five) in pairs
    ]
    return markdown_table(["variant, algorithm", "published", "ours × 4", "range", "ours × 5", "range"], rows)


def _beside(draws: Draws, variant: int, statistics: Sequence[str]) -> str:
    rows: dict[str, list[str]] = {}
    for _, name, _, published, spread in table_4_entries(draws, statistics, [variant]):
        rows.setdefault(name, [name]).extend([f"{published:.2f}", *_cells(spread, published)])
    header = [cell for statistic in statistics for cell in (f"{statistic}: published", "ours", "range")]
    return markdown_table(["algorithm", *header], list(rows.values()))


def _cells(spread: Spread, published: float) -> list[str]:
    """Return the mean over draws and the range, with a star where the published number is beyond what draws explain."""
    star = "" if spread.holds(published) else " *"
    return [f"{spread.mean:.2f}", f"{spread.low:.2f} to {spread.high:.2f}{star}"]


def divergence_table(draws: Draws) -> str:
    """Write the divergence from the expected ranking by discard limit, over starting errors and draws."""
    rows = []
    for limit in SHOWN_LIMITS:
        cells = [f"{limit:g}"]
        for variant in VARIANTS:
            some = draws[variant, False]
            k = LIMITS.index(limit)
            apart = np.array([draw.divergence[:, k] for draw in some])
            in_order = np.mean([draw.in_order[:, k] for draw in some])
            of_start = apart.mean(axis=0)
            cells += [f"{apart.mean():.2f}", f"{of_start.min():.2f} to {of_start.max():.2f}", f"{100 * in_order:.0f} %"]
        rows.append(cells)
    names = [f"variant {v}: {w}" for v in VARIANTS for w in ("mean", "by starting error", "in order")]
    return markdown_table(["limit", *names], rows)


def interpolation_table(study: InterpolationStudy) -> str:
    """Write how often the interpolation decides between two algorithms, by the number of quality levels."""
    rows = [[str(n), f"{100 * study.share[n]:.1f} %", f"{study.ratio[n]:.2f}"] for n in LEVELS]
    return markdown_table(["levels", "order depends on it", "stepwise area over linear"], rows)


def curve_type_table(types: CurveTypes) -> str:
    """Write the relative rank of each algorithm by every type of curve."""
    rows = []
    for kind, curves in types.curves.items():
        placed = {place.algorithm: place for place in rank_curves(curves, AREA)}
        first = next(iter(curves.values()))
        rows.append([f"{kind} ({first.quantity})", *(f"{placed[name].relative:.2f}" for name in curves)])
    return markdown_table(["curve", *next(iter(types.curves.values()))], rows)


def normalisation_table(divergences: Floats) -> str:
    """Write the mean divergence of five algorithms, published beside our stand-ins with their range over draws."""
    rows = []
    for (high, calibration, function), (lfw, tinyface) in TABLE_2_MEANS.items():
        place = RANGES.index(high), CALIBRATION_DATA.index(calibration), FUNCTIONS.index(function)
        cells = [f"0 to {high:g}, {calibration}, {FUNCTION_NAMES[function]}", f"{lfw:.2f} %", f"{tinyface:.2f} %"]
        for d in range(len(DATA_SETS)):
            of_draws = divergences[:, *place, d].mean(axis=1)
            cells.append(f"{of_draws.mean():.1f} % ({of_draws.min():.1f} to {of_draws.max():.1f})")
        rows.append(cells)
    names = [f"stand-in {name}" for name in DATA_SETS]
    return markdown_table(["range, calibrated on, function", "LFW", "TinyFace", *names], rows)
