"""The figures of the experiment schlett2023."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mated.reproduce.schlett2023_curves import AREA, best_possible, crossings
from mated.reproduce.schlett2023_normalisation import (
    RANGES,
    NormalisationTask,
    calibration_for,
    data_sets,
    raw_and_normalised,
)
from mated.reproduce.schlett2023_stability import VARIANTS, Task, draw_variant, example_curves, grid_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mated.reproduce.schlett2023_curves import CurveTypes, InterpolationStudy, RandomBundle

__all__ = ["BEST_CASES", "save_figures"]

BEST_CASES = {"a": (5, 10), "b": (500, 1000), "c": (50, 1000)}
"""Errors and comparisons of the panels of Figure 6; the paper does not give its own."""


def save_figures(
    directory: Path,
    *,
    seed: int,
    subjects: int,
    normalisation_subjects: int,
    bundle: RandomBundle,
    interpolation: InterpolationStudy,
    types: CurveTypes,
    formats: Sequence[str],
) -> list[Path]:
    """Draw and write every figure; return the files."""
    from mated.plots.save import save, save_axes

    files = []
    drawn: list[Iterator[tuple[str, Axes]]] = [
        _random_and_interpolation(bundle, interpolation),
        _stability(seed, subjects),
        _normalisation(NormalisationTask(seed, 0, normalisation_subjects)),
        _types(types),
    ]
    for figures in drawn:
        for name, ax in figures:
            files += save_axes(ax, directory, name, formats)
    return files + save(_best_cases(), directory, "figure6", formats)


def _random_and_interpolation(bundle: RandomBundle, interpolation: InterpolationStudy) -> Iterator[tuple[str, Axes]]:
    from mated.plots import draw_curve_pairs, draw_random_bundle

    yield (
        "figure4",
        draw_random_bundle(
            bundle.discard, bundle.rates, starting_error=bundle.starting_error, spread=bundle.pair_spread
        ),
    )
    stepwise, linear = interpolation.stepwise, interpolation.linear
    one, other = stepwise
    where = (crossings(stepwise[one], stepwise[other], AREA), crossings(linear[one], linear[other], AREA))
    yield "figure5", draw_curve_pairs(stepwise, linear, words=("stepwise", "linear"), limit=AREA, marks=where)


def _stability(seed: int, subjects: int) -> Iterator[tuple[str, Axes]]:
    from mated.plots import draw_edc, draw_placements, draw_ranking_divergence

    for variant, scales in VARIANTS.items():
        data = draw_variant(Task(seed, variant, 0, subjects))
        grid = grid_of(data)
        yield f"figure12_variant{variant}", draw_edc(example_curves(data, AREA), area=(0.0, AREA))
        yield f"figure13_variant{variant}", draw_ranking_divergence(grid, expected=scales)
        yield f"placements_variant{variant}", draw_placements(grid)


def _normalisation(task: NormalisationTask) -> Iterator[tuple[str, Axes]]:
    from mated.plots import draw_calibration, draw_curve_pairs

    data = data_sets(task)
    algorithm = next(iter(data["high"].quality))
    for function in ("minmax", "proportional"):
        calibration = calibration_for(data, "high", algorithm, "same", function)
        quality = data["high"].quality[algorithm]
        yield f"figure7_{function}", draw_calibration(quality, calibration, name=f"{algorithm}, high data set")
    for name, other in (("high", "low"), ("low", "high")):
        calibration = calibration_for(data, name, algorithm, "other", "minmax")
        quality, what = data[name].quality[algorithm], f"{algorithm}, {name} data set"
        yield f"figure8_{name}", draw_calibration(quality, calibration, name=what, calibrated_on=f"the {other} one")
    for source in ("same", "other"):
        curves = raw_and_normalised(data, "low", source, "minmax")
        words = ("raw qualities", f"0 to 100, MinMax, {source} data")
        yield f"figure9_{source}", draw_curve_pairs(*curves, words=words, limit=max(RANGES))


def _types(types: CurveTypes) -> Iterator[tuple[str, Axes]]:
    from mated.plots import draw_det_by_discard, draw_discard_curves

    for name, kind in (("figure14", "CS-DC"), ("figure15", "d′-DC"), ("figure16", "FC-EDC")):
        yield name, draw_discard_curves(types.curves[kind], limit=AREA)
    yield "det_by_discard", draw_det_by_discard(types.det)


def _best_cases() -> Figure:
    """Draw the three panels of Figure 6 with one legend above them."""
    from mated.plots import draw_edc, new_figure
    from mated.plots.style import LABEL_SIZE

    figure, whole = new_figure(9.6, 3.6)
    whole.remove()
    panels: Any = figure.subplots(1, len(BEST_CASES))
    handles, names = [], []
    for ax, (letter, (errors, comparisons)) in zip(panels, BEST_CASES.items(), strict=True):
        start = errors / comparisons
        draw_edc(best_possible(errors, comparisons), ax=ax, limit=min(1.4 * start, 1.0))
        ax.set_title(f"{letter}) {comparisons:,} comparisons", fontsize=LABEL_SIZE, loc="left")
        legend = ax.get_legend()
        handles, names = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
        legend.remove()
    names[-1] = "starting error"
    figure.legend(handles, names, loc="outside upper center", ncols=4, frameon=False, fontsize=LABEL_SIZE)
    return figure
