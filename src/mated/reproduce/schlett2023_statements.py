"""What Schlett et al. (2023) state, and the numbers on synthetic data that it is set beside."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from mated.quality.areas import rank_curves
from mated.quality.reference_lines import theoretical_best
from mated.quality.stability import LIMITS
from mated.reproduce.pages import markdown_table
from mated.reproduce.schlett2023_curves import AREA, SHOWN_LEVELS, best_possible
from mated.reproduce.schlett2023_figures import BEST_CASES
from mated.reproduce.schlett2023_normalisation import CALIBRATION_DATA
from mated.reproduce.schlett2023_stability import VARIANTS
from mated.reproduce.schlett2023_tables import table_4_entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mated.reproduce.schlett2023_curves import CurveTypes, InterpolationStudy, RandomBundle
    from mated.reproduce.schlett2023_tables import Draws

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "Results",
    "by_calibration",
    "divergence_by_start",
    "held",
    "largest_gap",
    "random_distance",
    "statements_table",
]


class Results(NamedTuple):
    """Everything that was computed."""

    seed: int
    subjects: int
    draws: Draws
    bundle: RandomBundle
    interpolation: InterpolationStudy
    types: CurveTypes
    divergences: Floats
    normalisation_subjects: int


def statements_table(results: Results) -> str:
    """Write each statement of the paper beside what was measured, and whether it holds on these data."""
    inside, total = held(results.draws, ("median", "mean"))
    four, five = (held(results.draws, (name,))[0] for name in ("deviation", "deviation_times_count"))
    low, high = (_divergence_at(results.draws, limit) for limit in (LIMITS[0], LIMITS[-1]))
    widths = [_range_over_starts(results.draws, limit) for limit in (0.02, LIMITS[-1])]
    off, errors = random_distance(results.bundle)
    share = results.interpolation.share[SHOWN_LEVELS]
    gaps = [largest_gap(*BEST_CASES[letter]) for letter in BEST_CASES]
    agreeing = sum(_in_expected_order(results.types, kind) for kind in results.types.curves)
    same, other, combined = by_calibration(results.divergences)
    rows = [
        [
            "Table IV",
            "medians and means approximate 1 to 5",
            f"{inside} of {total} published ones are such as draws give",
            _yes(inside == total),
        ],
        [
            "Table IV",
            "deviations are of placements adjusted by five",
            f"{five} of 10 explained as 5·sd(p), {four} of 10 as sd(1 + 4p)",
            _yes(five > four),
        ],
        [
            "Figure 13",
            "low limits diverge strongly, high ones little",
            f"mean divergence {_two(low)} at limit 0.01, {_two(high)} at 0.2",
            _yes(all(a > b for a, b in zip(low, high, strict=True))),
        ],
        [
            "Figure 13",
            "at high limits the starting error hardly matters",
            f"range over starting errors {_two(widths[0])} at 0.02, {_two(widths[1])} at 0.2",
            _yes(all(a > b for a, b in zip(*widths, strict=True))),
        ],
        [
            "Figure 4",
            "random qualities: the mean stays at the starting error",
            f"off by {off:.5f} at most, {errors:.1f} standard errors",
            _yes(errors < 4),
        ],
        [
            "Figure 5",
            "interpolation moves crossings and can turn a ranking",
            f"turns it in {100 * share:.1f} % of draws with {SHOWN_LEVELS} levels",
            _yes(share > 0),
        ],
        [
            "Figure 6",
            "more steps leave the gap to the best line, a lower start closes it",
            f"{gaps[0]:.4f} and {gaps[1]:.4f} from 0.5, {gaps[2]:.4f} from 0.05",
            _yes(gaps[1] > 0.9 * gaps[0] and gaps[2] < 0.1 * gaps[0]),
        ],
        [
            "Figures 14 to 16",
            "other curves can be ranked by area, too",
            f"{agreeing} of {len(results.types.curves)} types give the expected order",
            _yes(agreeing == len(results.types.curves)),
        ],
        [
            "Table II",
            "other data calibrate worse than same or combined",
            f"in {int(np.sum(other > np.maximum(same, combined)))} of 4 cases",
            _share(other > np.maximum(same, combined)),
        ],
        [
            "Table II",
            "MinMax: combined is close to same",
            f"{_per_cent(combined[0])} against {_per_cent(same[0])}",
            _yes(bool(np.all(combined[0] < 1.5 * same[0]))),
        ],
        [
            "Table II",
            "Proportional has no clear advantage on same or combined data",
            f"same {_per_cent(same[1])} against {_per_cent(same[0])} of MinMax",
            _yes(bool(np.any(same[1] >= same[0]))),
        ],
        [
            "Table II",
            "Proportional is worse than MinMax on other data",
            f"{_per_cent(other[1])} against {_per_cent(other[0])}",
            _share(other[1] > other[0]),
        ],
    ]
    return markdown_table(["where", "published statement", "measured", "holds here"], rows)


def _yes(true: bool) -> str:
    return "yes" if true else "no"


def _share(true: NDArray[np.bool_]) -> str:
    return "yes" if true.all() else "in part" if true.any() else "no"


def _two(values: tuple[float, float]) -> str:
    return f"{values[0]:.2f} and {values[1]:.2f}"


def _per_cent(values: Floats) -> str:
    return f"{values[0]:.1f} and {values[1]:.1f} %"


def held(
    draws: Draws, statistics: Sequence[str], variants: Sequence[int] = (1, 2), *, shared: bool = False
) -> tuple[int, int]:
    """Count the published numbers that another draw could well have given (`Spread.holds`), and all of them."""
    entries = [spread.holds(p) for *_, p, spread in table_4_entries(draws, statistics, variants, shared=shared)]
    return sum(entries), len(entries)


def _divergence_at(draws: Draws, limit: float) -> tuple[float, float]:
    """Return the mean divergence of both variants at a limit."""
    one, two = (float(divergence_by_start(draws, variant, limit).mean()) for variant in VARIANTS)
    return one, two


def _range_over_starts(draws: Draws, limit: float) -> tuple[float, float]:
    one, two = (float(np.ptp(divergence_by_start(draws, variant, limit))) for variant in VARIANTS)
    return one, two


def divergence_by_start(draws: Draws, variant: int, limit: float) -> Floats:
    """Return the divergence at a limit for each starting error, mean over draws."""
    k = LIMITS.index(limit)
    return np.asarray(np.mean([draw.divergence[:, k] for draw in draws[variant, False]], axis=0))


def random_distance(bundle: RandomBundle) -> tuple[float, float]:
    """Return how far the mean curve is from the starting error at most, and in standard errors."""
    apart, errors = np.abs(bundle.mean - bundle.starting_error), bundle.standard_error
    known = bundle.discard > 0  # before anything is discarded all curves agree
    return float(apart.max()), float((apart[known] / errors[known]).max())


def largest_gap(errors: int, comparisons: int) -> float:
    """Return the largest distance of the best curve without discarded comparisons from the theoretical best."""
    curve = best_possible(errors, comparisons)["without discarded"]
    kept = curve.discard < 1
    return float(np.max(curve.value[kept] - theoretical_best(curve.start, curve.discard[kept])))


def _in_expected_order(types: CurveTypes, kind: str) -> bool:
    return [place.algorithm for place in rank_curves(types.curves[kind], AREA)] == list(types.curves[kind])


def by_calibration(divergences: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean divergence up to 0.2 for same, other and combined data: function × data set."""
    mean = divergences.mean(axis=(0, -1))[0]
    same, other, combined = (mean[CALIBRATION_DATA.index(name)] for name in ("same", "other", "combined"))
    return same, other, combined
