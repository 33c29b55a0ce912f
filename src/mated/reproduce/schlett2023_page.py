"""The page of the experiment schlett2023: what the paper says beside what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mated.quality.stability import LIMITS, STARTING_ERRORS
from mated.reproduce.pages import paragraph
from mated.reproduce.schlett2023_curves import (
    AREA,
    DET_FRACTIONS,
    FIXED_FMR,
    SHAPE,
    SHOWN_LEVELS,
    TWO_SCALES,
    crossings,
)
from mated.reproduce.schlett2023_figures import BEST_CASES
from mated.reproduce.schlett2023_normalisation import DATA_SETS, FUNCTIONS
from mated.reproduce.schlett2023_published import SAMPLES, impossible_deviations
from mated.reproduce.schlett2023_stability import SURE, VARIANTS
from mated.reproduce.schlett2023_statements import (
    by_calibration,
    divergence_by_start,
    held,
    largest_gap,
    random_distance,
    statements_table,
)
from mated.reproduce.schlett2023_tables import (
    FUNCTION_NAMES,
    curve_type_table,
    deviation_table,
    divergence_table,
    extremes_table,
    interpolation_table,
    middle_table,
    normalisation_table,
)

if TYPE_CHECKING:
    from mated.reproduce.schlett2023_curves import CurveTypes, InterpolationStudy, RandomBundle
    from mated.reproduce.schlett2023_statements import Results
    from mated.reproduce.schlett2023_tables import Draws

__all__ = ["page"]


def page(results: Results) -> str:
    """Return the page as Markdown."""
    count = len(results.draws[1, False])
    pairs = results.subjects * SAMPLES * (SAMPLES - 1) // 2
    parts = [
        "# Schlett et al. (2023) on synthetic data",
        paragraph(
            "**Everything here is synthetic.** The paper's own synthetic data (section VI) are drawn again. Its face",
            "and fingerprint data are not public: Tables I and III and Figures 1 to 3, 10 and 11 cannot be reproduced,",
            "and where it uses them for Figures 4, 5, 7 to 9 and 14 to 16 and Table II, synthetic data stand in, so",
            "that its statements can be compared there and its numbers cannot.",
        ),
        paragraph(
            f"{results.subjects:,} subjects × {SAMPLES} samples, {pairs:,} mated pairs, five algorithms, both",
            f"variants, {count} draws; seed {results.seed}. Starting errors 0.01 to 0.10 by discard limits 0.01 to",
            "0.20: 200 configurations. Curves are stepwise, errors are counted among the comparisons that stay, and",
            "a pair has the lower quality of its two samples.",
        ),
        "## What the paper says, and what was measured",
        statements_table(results),
        *_table_4(results.draws, count),
        *_deviations(results.draws),
        *_figure_13(results.draws),
        *_figure_4(results.bundle),
        *_figure_5(results.interpolation),
        *_figure_6(),
        *_curve_types(results.types),
        *_normalisation(results),
    ]
    return "\n\n".join(parts) + "\n"


def _table_4(draws: Draws, count: int) -> list[str]:
    inside, total = held(draws, ("median", "mean"))
    own, of = held(draws, ("median", "mean"), (1,))
    shared, _ = held(draws, ("median", "mean"), (1,), shared=True)
    return [
        "## Table IV: placements over 200 configurations",
        paragraph(
            "A placement is 1 + 4p, with p the min-max normalised area. Ours is the mean over draws, with the range. A",
            f"star marks a published number outside the interval that holds a further draw with {100 * SURE:.0f} %",
            f"probability (Student's t with the spread over {count} draws, and half a unit for the rounding).",
        ),
        "Variant 1:",
        middle_table(draws, 1),
        "Variant 2:",
        middle_table(draws, 2),
        paragraph(
            f"{inside} of the {total} published medians and means lie inside. The paper does not say whether its",
            "algorithms draw offsets of their own, as here, or scale a shared one, under which rankings vary less from",
            f"draw to draw. Of the {of} numbers of variant 1, own offsets explain {own} and shared ones {shared}.",
        ),
        paragraph("Best and worst come from single configurations and differ widely between draws:"),
        extremes_table(draws, 1),
        extremes_table(draws, 2),
    ]


def _deviations(draws: Draws) -> list[str]:
    shown = [
        f"- {where}: {row.deviation:.2f}; numbers from {row.best:.2f} to {row.worst:.2f} with mean {row.mean:.2f} "
        f"deviate by {most:.2f} at most"
        for where, row, most in impossible_deviations()
    ]
    four, five = (held(draws, (name,))[0] for name in ("deviation", "deviation_times_count"))
    return [
        "## The scale of the published standard deviations",
        paragraph(
            "Placements 1 + 4p have four times the standard deviation of p. The paper states a range of [0, 5/2] for",
            f"its column, which is that of five times. Of the 10 published numbers 5·sd(p) explains {five}, and the",
            f"deviation of the placements, 4·sd(p), explains {four}:",
        ),
        deviation_table(draws),
        paragraph(
            "The paper alone shows that the column is not the deviation of the placements beside it: numbers between a",
            "and b with mean m deviate by √((b − m)(m − a)) at most (Bhatia & Davis 2000). Beyond that, wherever in",
            "their rounding the printed numbers lie, are:",
        ),
        "\n".join(shown),
    ]


def _figure_13(draws: Draws) -> list[str]:
    best = []
    for variant in VARIANTS:
        starts = [STARTING_ERRORS[int(np.argmin(divergence_by_start(draws, variant, limit)))] for limit in LIMITS[:5]]
        best.append(", ".join(f"{start:g}" for start in starts))
    return [
        "## Figures 12 and 13: curves, and distance from the expected ranking",
        *_pictures("figure12_variant", "FNM-EDC at starting error 0.05, variant {}"),
        *_pictures("figure13_variant", "Divergence from the expected ranking, first draw, variant {}"),
        paragraph(
            "Divergence (Eq. 2) over all starting errors and draws, its range over starting errors (mean over draws),",
            "and how often all five areas are in the expected order:",
        ),
        divergence_table(draws),
        paragraph(
            "The paper finds no one starting error with the least divergence at low limits. Here the least is, at",
            f"limits 0.01 to 0.05, at starting errors {best[0]} in variant 1 and {best[1]} in variant 2. Areas do not",
            "grow in equal steps as offsets do, so a ranking in the expected order still diverges a little.",
        ),
        *_pictures("placements_variant", "Placement of each algorithm over the limit, variant {}"),
    ]


def _pictures(name: str, words: str) -> list[str]:
    return [f"![{words.format(variant)}]({name}{variant}.svg)" for variant in VARIANTS]


def _figure_4(bundle: RandomBundle) -> list[str]:
    off, errors = random_distance(bundle)
    wider = bundle.rates.std(axis=0, ddof=1)[1:] / bundle.pair_spread[1:]
    return [
        "## Figure 4: random qualities",
        "![Curves of random qualities and their mean](figure4.svg)",
        paragraph(
            f"{len(bundle.rates)} random sample qualities for {bundle.comparisons:,} pairs. Up to a discard fraction",
            f"of {bundle.discard[-1]:g} their mean is off the starting error {bundle.starting_error:.4f} by",
            f"{off:.5f} at most, {errors:.1f} standard errors. A discarded sample takes all its pairs with it, so",
            f"curves scatter {wider.min():.1f} to {wider.max():.1f} times as much as if single pairs were discarded.",
        ),
    ]


def _figure_5(study: InterpolationStudy) -> list[str]:
    one, other = study.stepwise
    crossed = [crossings(curves[one], curves[other], AREA) for curves in (study.stepwise, study.linear)]
    places = [f"at {', '.join(f'{x:.3f}' for x, _ in found)}" if found else "nowhere" for found in crossed]
    winners = [min(curves, key=lambda name: curves[name].area(AREA)) for curves in (study.stepwise, study.linear)]
    return [
        "## Figure 5: stepwise and linear",
        "![Two algorithms, stepwise and linear](figure5.svg)",
        paragraph(
            f"Two algorithms (offsets {TWO_SCALES[0]:g} and {TWO_SCALES[1]:g}), {study.subjects} subjects, qualities",
            f"in few levels, area up to {AREA:g}, {study.draws} draws:",
        ),
        interpolation_table(study),
        paragraph(
            f"The figure shows draw {study.shown_draw + 1} with {SHOWN_LEVELS} levels, the first in which the order",
            f"depends on it if there is one. Stepwise curves cross {places[0]}, and the area of {winners[0]} is",
            f"smaller; linear ones cross {places[1]}, and that of {winners[1]} is.",
        ),
    ]


def _figure_6() -> list[str]:
    cases = ", ".join(f"{letter}) {e} errors of {n:,}" for letter, (e, n) in BEST_CASES.items())
    gaps = ", ".join(f"{largest_gap(*case):.5f}" for case in BEST_CASES.values())
    limits = [float((1 - np.sqrt(1 - start)) ** 2) for start in (0.5, 0.05)]
    return [
        "## Figure 6: the best possible curve",
        "![Best possible curves and the theoretical best](figure6.svg)",
        paragraph(
            f"{cases} (the paper does not give its numbers). Largest distance of the curve without discarded",
            f"comparisons from max(0, e₀ − d), at its steps: {gaps}. In the limit of many steps it is",
            f"(1 − √(1 − e₀))²: {limits[0]:.5f} for e₀ = 0.5 and {limits[1]:.5f} for 0.05.",
        ),
    ]


def _curve_types(types: CurveTypes) -> list[str]:
    fractions = ", ".join(f"{100 * fraction:g} %" for fraction in DET_FRACTIONS)
    return [
        "## Figures 14 to 16: other curves",
        paragraph(
            f"Variant 1 with utilities of shape Beta({SHAPE[0]:g}, {SHAPE[1]:g}) and as many non-mated pairs as mated",
            "ones; the paper's synthetic data have none, so their scores are our own. Relative ranks by the area up",
            f"to {AREA:g}, 0 the best:",
        ),
        curve_type_table(types),
        "![CS-DC: mean mated similarity](figure14.svg)",
        "![d′-DC](figure15.svg)",
        f"![FC-EDC: FNMR at FMR {FIXED_FMR:g}](figure16.svg)",
        f"![DET of {types.det_algorithm} with {fractions} discarded](det_by_discard.svg)",
    ]


def _normalisation(results: Results) -> list[str]:
    same, other, _ = by_calibration(results.divergences)
    shapes = ", ".join(f'"{name}" Beta({a:g}, {b:g})' for name, (a, b) in DATA_SETS.items())
    compared = []
    for d, name in enumerate(DATA_SETS):
        pairs = [
            f"{other[f, d]:.1f} % against {same[f, d]:.1f} % by {FUNCTION_NAMES[function]}"
            for f, function in enumerate(FUNCTIONS)
        ]
        compared.append(f"{' and '.join(pairs)} on the {name} data set")
    return [
        "## Table II and Figures 7 to 9: qualities as integers from 0 to 100",
        paragraph(
            "**Stand-ins:** the paper uses LFW and TinyFace. Here are two synthetic data sets with utilities",
            f"distributed as {shapes}, {results.normalisation_subjects:,} subjects each, {len(results.divergences)}",
            "draws. Divergence is the area between the curves of raw and of normalised qualities over the raw area,",
            "mean over five algorithms. Synthetic curves fall to 0 soon: their areas are small and their divergences",
            "large. Compare the order of rows, not the numbers.",
        ),
        normalisation_table(results.divergences),
        paragraph(
            f"Other data against the same, up to 0.2: {'; '.join(compared)}. Boundaries found on high qualities leave",
            "many of the low data set in level 0, where nothing can be told apart. Boundaries found on low qualities",
            "lie where the errors of the high data set are, and may serve it better than its own: with those,",
            "Proportional spends its detail on high qualities, which are not discarded (the paper's fifth conclusion).",
        ),
        "![MinMax boundaries](figure7_minmax.svg)",
        "![Proportional boundaries](figure7_proportional.svg)",
        "![High data set, MinMax boundaries of the low one](figure8_high.svg)",
        "![Low data set, MinMax boundaries of the high one](figure8_low.svg)",
        "![Low data set, raw and normalised by MinMax of the same data](figure9_same.svg)",
        "![Low data set, raw and normalised by MinMax of the other data](figure9_other.svg)",
    ]
