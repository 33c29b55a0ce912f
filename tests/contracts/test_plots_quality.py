"""What the figures of quality promise, and what each draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.text import Text

from mated.errors import MatedError
from mated.plots import (
    draw_calibration,
    draw_curve_pairs,
    draw_det_by_discard,
    draw_discard_curves,
    draw_edc,
    draw_placements,
    draw_random_bundle,
    draw_ranking_divergence,
    draw_ranking_map,
    draw_ranks_above,
    new_figure,
    save,
)
from mated.plots.sequential import sequential_colors
from mated.plots.style import PALETTE
from mated.plots.text import shorten
from mated.quality import (
    DiscardCurve,
    RandomCurves,
    RankingGrid,
    area_under_theoretical_best,
    attainable_best,
    calibrate,
    error_curve,
    starting_errors,
    tallies_by_discard,
)
from mated.quality.starting_error import StartingError
from mated.scores import Tally
from mated.scores.discard_order import DiscardOrder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

NASTY = r"$\frac{a}$ <b>&amp; 5$ _x^2 \$"
LONG = "laboratory/quality-assessor-release-candidate-with-a-very-long-name-v1.2.3-final"
GRID = np.linspace(0.0, 0.3, 13)


def _curve(start: float = 0.05, slope: float = 0.2, points: int = 40, **options: Any) -> DiscardCurve:
    """Return a falling curve that ends at discard fraction 1."""
    discard = np.linspace(0.0, 1.0, points + 1)
    options = {"quantity": "FNMR"} | options
    return DiscardCurve(discard, start * np.maximum(1 - slope * discard * 10, 0.1), **options)


def _counted(noise: float = 0.3, pairs: int = 400, **options: Any) -> Any:
    rng = np.random.default_rng(5)
    score = rng.random(pairs)
    order = DiscardOrder.of(score, score + noise * rng.standard_normal(pairs))
    return error_curve(order, starting_errors(Tally.from_scores(score, np.zeros(0))).nearest(0.05), **options)


def _band(curve: DiscardCurve, width: float = 0.004) -> tuple[Any, Any, Any]:
    value = np.asarray(curve(GRID))
    return GRID.copy(), np.maximum(value - width, 0), value + width


def _grid(names: tuple[str, ...] = ("a", "b", "c"), errors: int = 4, limits: int = 6) -> RankingGrid:
    area = np.random.default_rng(1).random((len(names), errors, limits)) + np.arange(len(names))[:, None, None]
    starts = tuple(StartingError("fnm", None, k + 1, 100, 0.5, 0.5) for k in range(errors))
    return RankingGrid(names, starts, 0.05 * np.arange(1, limits + 1), area)


def _parts(division: Any = "discard", fractions: Any = (0, 0.1, 0.3)) -> Any:
    rng = np.random.default_rng(2)
    quality = rng.random(3000)
    mated = rng.random(3000) < 0.5
    score = rng.standard_normal(3000) + mated * 3 * quality
    order = DiscardOrder.of(score, quality, mated=mated)
    tally = Tally.from_scores(score[mated], score[~mated], unit="continuous")
    return tallies_by_discard(order, tally, fractions, division=division)


@dataclass(frozen=True)
class Drawing:
    """One way to call one drawing function: its data with a name from a user in it, and the call.

    `most` is the number of characters up to which the name is written in full, 0 where none is.
    """

    make: Callable[[str], tuple[Any, ...]]
    draw: Callable[..., Axes]
    x_label: str
    y_label: str
    most: int = 40


DISCARD = "Fraction of comparisons discarded"
FNMR = "False non-match rate"
LIMIT = "Discard limit of the area"
ALL_LINES = ("theoretical best", "attainable best", "constant")
DRAWINGS = {
    "edc with bands": Drawing(
        lambda name: ({name: _counted(), "other": _counted(0.5)}, {name: _band(_counted())}),
        lambda c, b, **k: draw_edc(c, limit=0.3, area=(0, 0.2), bands=b, references=ALL_LINES, **k),
        DISCARD,
        FNMR,
    ),
    "whole edc with random curves": Drawing(
        lambda name: ({name: _curve()}, RandomCurves(GRID, np.full(13, 0.05), 0.01 * GRID, 20)),
        lambda c, r, **k: draw_edc(c, random=r, **k),
        DISCARD,
        FNMR,
    ),
    "d′ over samples": Drawing(
        lambda name: ({name: _curve(2.0, quantity="d′", higher_is_better=True, axis="samples")},),
        lambda c, **k: draw_discard_curves(c, limit=0.5, area=(0.1, 0.3), bands={next(iter(c)): _band(_curve(2))}, **k),
        "Fraction of samples discarded",
        "d′",
    ),
    "curve pairs": Drawing(
        lambda name: (
            {name: _curve(), "other": _curve(slope=0.1)},
            {name: _curve(interpolation="linear"), "other": _curve(slope=0.1, interpolation="linear")},
        ),
        lambda a, b, **k: draw_curve_pairs(
            a, b, words=("stepwise", "linear"), limit=0.4, area=(0, 0.2), marks=((0.1, 0.04), [(0.2, 0.03)]), **k
        ),
        DISCARD,
        FNMR,
    ),
    "random bundle": Drawing(
        lambda _: (GRID, 0.05 + 0.01 * np.random.default_rng(3).standard_normal((30, 13)) * GRID, 0.01 * GRID),
        lambda x, rows, spread, **k: draw_random_bundle(x, rows, starting_error=0.05, spread=spread, **k),
        DISCARD,
        FNMR,
        most=0,
    ),
    "divergence from the mean": Drawing(
        lambda _: (_grid(),), draw_ranking_divergence, LIMIT, "Divergence from the mean ranking", most=0
    ),
    "divergence from an expected ranking": Drawing(
        lambda _: (_grid(),),
        lambda g, **k: draw_ranking_divergence(g, expected=[1, 2, 3], top=2.0, **k),
        LIMIT,
        "Divergence from the expected ranking",
        most=0,
    ),
    "map of divergence": Drawing(lambda _: (_grid(),), draw_ranking_map, LIMIT, "Starting error", most=0),
    "map of placements": Drawing(
        lambda name: (_grid((name, "b")), name),
        lambda g, a, **k: draw_ranking_map(g, algorithm=a, **k),
        LIMIT,
        "Starting error",
        most=30,
    ),
    "placements": Drawing(lambda name: (_grid((name, "b", "c")),), draw_placements, LIMIT, "Placement (1: best)"),
    "calibration": Drawing(
        lambda name: (np.random.default_rng(4).normal(size=500), name),
        lambda q, n, **k: draw_calibration(q, calibrate(q + 1, method="proportional"), name=n, **k),
        "Raw quality",
        "Share of samples",
        most=30,
    ),
    "ranks above": Drawing(
        lambda name: ([name, "b", "c"], np.array([[0, 0.7, 0.998], [0.3, 0, 0.5], [0.002, 0.5, 0]])),
        draw_ranks_above,
        "… ranks above",
        "Probability that …",
        most=24,
    ),
    "det by discard": Drawing(
        lambda _: (_parts(),), draw_det_by_discard, "False match rate", "False non-match rate", most=0
    ),
    "det of bins": Drawing(
        lambda _: (_parts("bins"),), draw_det_by_discard, "False match rate", "False non-match rate", most=0
    ),
}
every_drawing = pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)


def _legend(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def _labelled(ax: Axes, label: str) -> list[Line2D]:
    return [line for line in ax.get_lines() if line.get_label() == label]


def _polygons(ax: Axes, label: str) -> list[Polygon]:
    return [patch for patch in ax.patches if isinstance(patch, Polygon) and patch.get_label() == label]


def _area(corners: NDArray[np.float64]) -> float:
    """Return the area of a polygon by the formula of the surveyor."""
    x, y = corners.T
    return abs(float(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))) / 2


def _arrays(value: Any) -> list[NDArray[Any]]:
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict | tuple | list):
        items = value.values() if isinstance(value, dict) else value
    else:
        items = vars(value).values() if hasattr(value, "__dict__") else ()
    return [array for item in items for array in _arrays(item)]


# -- the contract ------------------------------------------------------------------------------


@every_drawing
def test_axes_given_are_drawn_on_and_returned(drawing: Drawing) -> None:
    _, ax = new_figure()
    assert drawing.draw(*drawing.make("a"), ax=ax) is ax
    assert ax.has_data()


@every_drawing
def test_axes_are_made_and_labelled_and_data_and_settings_stay_as_they_were(drawing: Drawing) -> None:
    data = drawing.make("a")
    settings = dict(mpl.rcParams)
    arrays = _arrays(data)
    assert arrays
    copies = [array.copy() for array in arrays]
    ax = drawing.draw(*data)
    assert isinstance(ax.figure, Figure)
    ax.figure.draw_without_rendering()
    assert (ax.get_xlabel(), ax.get_ylabel()) == (drawing.x_label, drawing.y_label)
    assert all(np.array_equal(a, b) for a, b in zip(arrays, copies, strict=True))
    assert dict(mpl.rcParams) == settings


@pytest.mark.parametrize("drawing", [pytest.param(d, id=name) for name, d in DRAWINGS.items() if d.most])
@pytest.mark.parametrize("name", [NASTY, "_hidden\nline\x00 \ud800", LONG], ids=ascii)
def test_text_of_a_user_is_drawn_as_it_is_written(drawing: Drawing, name: str, tmp_path: Path) -> None:
    ax = drawing.draw(*drawing.make(name))
    svg = save(ax.figure, tmp_path, "figure")[0].read_text(encoding="utf-8")
    shown = shorten(name, drawing.most)
    assert any(shown in text.get_text() for text in ax.figure.findobj(Text))
    assert shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in svg


@every_drawing
def test_the_same_data_give_the_same_svg(drawing: Drawing, tmp_path: Path) -> None:
    files = [save(drawing.draw(*drawing.make("a")).figure, tmp_path, name)[0] for name in ("one", "two")]
    assert files[0].read_bytes() == files[1].read_bytes()


@every_drawing
def test_everything_lies_inside_the_figure(drawing: Drawing) -> None:
    ax = drawing.draw(*drawing.make("W" * 24))
    ax.figure.draw_without_rendering()
    for artist in [ax.get_legend()] if ax.get_legend() else [text for text in ax.texts if text.get_text()]:
        box = artist.get_window_extent()
        assert box.x0 >= -1
        assert box.y0 >= -1
        assert box.x1 <= ax.figure.bbox.x1 + 1
        assert box.y1 <= ax.figure.bbox.y1 + 1


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: draw_edc({}), "no curve to draw; give at least one"),
        (lambda: draw_edc({"a": _curve(2, quantity="d′")}), "shows FNMR or FMR, and these curves show d′"),
        (lambda: draw_edc({"a": _curve(), "b": _curve(quantity="FMR")}), "that of 'b' FMR over comparisons"),
        (lambda: draw_edc({"a": _curve(), "b": _curve(0.06)}), "begin at different errors"),
        (lambda: draw_edc({"a": _curve()}, references=["best"]), "no reference line 'best'; the lines are"),
        (lambda: draw_edc({"a": _curve()}, references=["attainable best"]), "give an ErrorCurve"),
        (lambda: draw_edc({"a": _curve()}, limit=1.5), "a discard limit lies above 0 and goes up to 1"),
        (lambda: draw_edc({"a": _curve()}, area=(0, 0.2), shaded="b"), "no curve 'b' to shade; the curves are 'a'"),
        (lambda: draw_edc({"a": _curve()}, area=(0.3, 0.2)), "from a discard fraction of at least 0 to a higher one"),
        (lambda: draw_edc({"a": _curve()}, limit=0.1, area=(0.2, 0.3)), "ends at discard fraction 0.1"),
        (lambda: draw_edc({"a": _curve()}, bands={"b": _band(_curve())}), "band for 'b', but the curves are 'a'"),
        (lambda: draw_edc({"a": _curve()}, bands={"a": ([0], [0])}), "needs discard fractions, low ends and high ends"),
        (lambda: draw_edc({"a": _curve()}, bands={"a": ([0, 1], [0], [1])}), "a low and a high end for each"),
        (lambda: draw_edc({"a": _curve()}, bands={"a": ([1, 0], [0, 0], [1, 1])}), "ascending discard fractions"),
        (lambda: draw_edc({"a": _curve()}, bands={"a": ([0, 1], [1, 1], [0, 0])}), "low end above its high end"),
        (lambda: draw_discard_curves({}), "no curve to draw; give at least one"),
        (lambda: draw_curve_pairs({"a": _curve()}, {}, words=("x", "y")), "every algorithm needs both curves"),
        (lambda: draw_random_bundle([0, 1], [[1, 2]], starting_error=1), "give two curves or more"),
        (lambda: draw_random_bundle([1, 0], np.ones((2, 2)), starting_error=1), "ascending discard fractions"),
        (lambda: draw_random_bundle([0, 1], np.ones((2, 2)), starting_error=1, spread=[1]), "and has 1"),
        (lambda: draw_ranking_map(_grid(), algorithm="z"), "no algorithm 'z' in the ranking; the algorithms are: 'a'"),
        (lambda: draw_ranking_divergence(_grid(), expected=[1]), "one number for each of the 3 algorithms"),
        (lambda: draw_placements(RankingGrid(("a",), (), np.array([0.2, 0.1]), np.ones((1, 0, 2)))), "ascending order"),
        (lambda: draw_calibration([], calibrate([1, 2])), "needs at least one, and finite ones"),
        (lambda: draw_calibration([np.nan], calibrate([1, 2])), "needs at least one, and finite ones"),
        (lambda: draw_ranks_above(["a"], [[1]]), "two names or more and a square table"),
        (lambda: draw_ranks_above(["a", "b"], [[0, 1.5], [0, 0]]), "a probability lies between 0 and 1"),
        (lambda: draw_det_by_discard([]), "no DET to draw; give at least one part"),
        (lambda: draw_det_by_discard(_parts()[:1] * 2), "two parts discard the same comparisons"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence(draw: Callable[[], Axes], words: str) -> None:
    with pytest.raises(MatedError, match=words):
        draw()


# -- error-versus-discard curves -----------------------------------------------------------------


def test_steps_are_drawn_as_steps_and_lines_as_lines_up_to_the_limit() -> None:
    discard, value = np.array([0.0, 0.25, 0.5, 1.0]), np.array([0.2, 0.1, 0.05, 0.05])
    step, linear = (DiscardCurve(discard, value, "FNMR", interpolation=how) for how in ("step", "linear"))
    drawn = [draw_edc({"a": curve}, limit=0.4) for curve in (step, linear)]
    (steps,), (lines,) = (_labelled(ax, "a") for ax in drawn)
    corners = [[0, 0.2], [0.25, 0.2], [0.25, 0.1], [0.4, 0.1]]
    assert steps.get_xydata().tolist() == [*corners, corners[-1]]  # no step is made at the limit
    np.testing.assert_allclose(lines.get_xydata(), [[0, 0.2], [0.25, 0.1], [0.4, 0.07]])
    assert {ax.get_xlim() for ax in drawn} == {(0, 0.4)}


def test_without_a_limit_all_that_is_known_is_shown() -> None:
    ax = draw_edc({"a": _counted()})
    assert ax.get_xlim() == (0, 1)
    assert ax.get_ylim()[0] == 0 < _counted().value.max() < ax.get_ylim()[1]


def test_reference_lines_are_those_of_their_formulas() -> None:
    curve = _counted()
    e0, errors, total = curve.start, curve.starting.errors, curve.starting.comparisons
    ax = draw_edc({"a": curve}, limit=0.2, references=ALL_LINES)
    (best,), (attainable,), (constant,) = (_labelled(ax, f"_{name}") for name in ALL_LINES)
    np.testing.assert_allclose(best.get_xydata(), [[0, e0], [e0, 0], [0.2, 0]])
    assert constant.get_xydata().tolist() == [[0, e0], [0.2, e0]]
    gone = np.arange(errors + 1)  # the i-th corner to the right of a step is after i errors are gone
    np.testing.assert_allclose(attainable.get_xydata()[0 : 2 * errors + 1 : 2, 0], gone / total)
    np.testing.assert_allclose(attainable.get_xydata()[0 : 2 * errors + 1 : 2, 1], (errors - gone) / (total - gone))
    assert _legend(ax) == ["a", "theoretical best", "attainable best", f"starting error {e0:.4g}"]


def test_attainable_best_counts_as_the_curve_does() -> None:
    over_all = draw_edc({"a": _counted(among="all")}, references=["attainable best"])
    (line,) = _labelled(over_all, "_attainable best")
    assert line.get_ydata()[0] == _counted().start
    expected = attainable_best(_counted().starting, among="all").corners()[1]
    np.testing.assert_array_equal(line.get_ydata(), expected)


@pytest.mark.parametrize("area", [(0.0, 0.2), (0.02, 0.1), (0.1, 0.3)])
@pytest.mark.parametrize("how", ["step", "linear"])
def test_the_hatched_area_is_the_partial_area_above_the_best(area: tuple[float, float], how: Any) -> None:
    curve = _counted(interpolation=how)
    ax = draw_edc({"worse": _counted(5.0, interpolation=how), "a": curve}, limit=0.3, area=area)
    (filled,) = _polygons(ax, "_pauc")
    low, high = area
    expected = curve.area(high, low) - area_under_theoretical_best(curve.start, high, low)
    # Thinning for the page moves the outline by half a pixel of a thousand at most.
    assert _area(filled.get_xy()[:-1]) == pytest.approx(expected, abs=2e-5)
    assert _legend(ax)[-1] == "area of a above the best"
    assert _labelled(ax, "_area")[-1].get_xdata()[0] == high or high == 0.3


def test_the_area_of_a_named_algorithm_is_hatched() -> None:
    ax = draw_edc({"a": _counted(), "b": _counted(5.0)}, area=(0, 0.2), shaded="b")
    assert _legend(ax)[-1] == "area of b above the best"


def test_random_curves_are_a_mean_with_twice_its_deviation() -> None:
    ax = draw_edc({"a": _curve()}, limit=0.3, random=RandomCurves(GRID, 0.05 + GRID / 100, GRID / 10, 20))
    (mean,), (band,) = _labelled(ax, "_random"), _polygons(ax, "_band")
    np.testing.assert_allclose(mean.get_ydata(), 0.05 + mean.get_xdata() / 100)
    assert band.get_xy()[:, 1].max() == pytest.approx(0.053 + 2 * 0.03)
    assert "random qualities, mean of 20" in _legend(ax)


def test_bands_have_the_colour_of_their_curve_and_one_entry_in_the_legend() -> None:
    curves = {"a": _curve(), "b": _curve(slope=0.1)}
    ax = draw_edc(curves, limit=0.3, bands={name: _band(curve) for name, curve in curves.items()}, level=0.9)
    colors = [to_hex(band.get_facecolor()) for band in _polygons(ax, "_band")]
    assert colors == [to_hex(line.get_color()) for name in curves for line in _labelled(ax, name)]
    assert _legend(ax)[:3] == ["a", "b", "90 % band (pointwise)"]


def test_a_curve_of_half_a_million_steps_is_drawn_with_few_points() -> None:
    (line,) = _labelled(draw_edc({"a": _counted(pairs=500_000)}), "a")
    assert len(line.get_xdata()) < 10_000


# -- other curves ----------------------------------------------------------------------------------


def test_what_is_no_rate_is_shown_around_its_values() -> None:
    d_prime = draw_discard_curves({"a": _curve(2.0, 0.05, quantity="d′")})
    rate = draw_discard_curves({"a": _curve(0.3, quantity="FNMR at FMR 0.01")})
    assert 0.9 < d_prime.get_ylim()[0] < 1.0
    assert rate.get_ylim()[0] == 0
    assert draw_discard_curves({"a": _curve(quantity="mean mated similarity")}).get_ylabel() == "Mean mated similarity"


def test_the_two_curves_of_an_algorithm_share_a_colour_and_differ_in_pattern() -> None:
    first, second = {"a": _curve(), "b": _curve(slope=0.1)}, {"b": _curve(slope=0.15), "a": _curve(slope=0.3)}
    ax = draw_curve_pairs(first, second, words=("raw", "normalised"), marks=((0.1, 0.04), (0.2, 0.03)))
    for place, name in enumerate(first):
        one, other = _labelled(ax, name)
        assert one.get_color() == other.get_color() == PALETTE[place]
        assert (one.is_dashed(), other.is_dashed()) == (False, True)
        assert other.get_ydata().min() == second[name].value.min()
    assert _legend(ax) == ["a", "b", "raw", "normalised", "crossing, raw", "crossing, normalised"]
    assert [mark.get_xydata().tolist() for mark in _labelled(ax, "_mark")] == [[[0.1, 0.04]], [[0.2, 0.03]]]


def test_a_bundle_shows_every_curve_their_mean_and_the_starting_error() -> None:
    rows = 0.05 + np.random.default_rng(3).standard_normal((30, 13)) * GRID
    ax = draw_random_bundle(GRID, rows, starting_error=0.05)
    (bundle,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert np.array_equal([segment[:, 1] for segment in bundle.get_segments()], rows)
    np.testing.assert_allclose(_labelled(ax, "_mean")[0].get_ydata(), rows.mean(axis=0))
    assert set(_labelled(ax, "_constant")[0].get_ydata()) == {0.05}
    assert _legend(ax) == ["30 curves of random qualities", "their mean", "starting error 0.05"]


def test_parts_of_a_det_go_from_dark_to_light_in_axes_and_legend() -> None:
    ax = draw_det_by_discard(_parts())
    names = ["nothing discarded", "10 % discarded", "30 % discarded"]
    assert _legend(ax) == names
    colors = sequential_colors(3)
    assert [_labelled(ax, name)[0].get_color() for name in names] == colors
    assert [handle.get_color() for handle in ax.get_legend().legend_handles] == colors
    assert _legend(draw_det_by_discard(_parts("bins"))) == [
        "lowest 10 % by quality",
        "10 to 30 %",
        "highest 70 % by quality",
    ]


def test_bins_that_do_not_begin_at_the_lowest_quality_say_so() -> None:
    names = _legend(draw_det_by_discard(_parts("bins", (0.1, 0.3, 0.6))))
    assert names == ["10 to 30 %", "30 to 60 %", "highest 40 % by quality"]


def test_curves_that_do_not_cross_have_no_entry_for_crossings() -> None:
    curves = {"a": _curve()}
    ax = draw_curve_pairs(curves, curves, words=("raw", "normalised"), marks=([], [(0.2, 0.03)]))
    assert _legend(ax) == ["a", "raw", "normalised", "crossing, normalised"]


# -- rankings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("expected", [None, [1, 2, 3]])
def test_every_starting_error_has_its_divergence_and_its_colour(expected: Any) -> None:
    grid = _grid()
    ax = draw_ranking_divergence(grid, expected=expected)
    lines = [_labelled(ax, f"{start.value:.3g}")[0] for start in grid.starting]
    np.testing.assert_array_equal([line.get_ydata() for line in lines], grid.divergence(expected))
    assert [line.get_color() for line in lines] == sequential_colors(4)
    (key,) = [other for other in ax.figure.axes if other is not ax]
    assert [text.get_text() for text in key.get_yticklabels()] == ["0.01", "0.02", "0.03", "0.04"]
    assert key.get_ylabel() == "Starting error"


def test_a_map_has_a_cell_for_every_configuration_around_its_limit() -> None:
    grid = _grid()
    ax = draw_ranking_map(grid, algorithm="b")
    (cells,) = [c for c in ax.collections if isinstance(c, QuadMesh)]
    np.testing.assert_allclose(np.asarray(cells.get_array()).reshape(4, 6), 1 + 2 * grid.relative[1])
    corners = cells.get_coordinates()
    np.testing.assert_allclose((corners[0, :-1, 0] + corners[0, 1:, 0]) / 2, grid.limits)
    assert cells.get_clim() == (1, 3)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0.01", "0.02", "0.03", "0.04"]


def test_placements_have_the_best_on_top_and_the_range_over_starting_errors() -> None:
    grid = _grid()
    ax = draw_placements(grid)
    assert ax.yaxis_inverted()
    for place, name in enumerate(grid.algorithms):
        (line,) = _labelled(ax, name)
        np.testing.assert_allclose(line.get_ydata(), 1 + 2 * grid.relative[place].mean(axis=0))
    assert _legend(ax) == ["a", "b", "c", "range over 4 starting errors"]
    ranges = [c for c in ax.collections if c.get_label() == "_range"]
    assert ranges[1].get_paths()[0].vertices[:, 1].max() == pytest.approx(1 + 2 * grid.relative[1].max())


def test_probabilities_are_written_and_never_rounded_to_certainty() -> None:
    ax = draw_ranks_above(["a", "b", "c"], [[0, 0.7, 0.998], [0.3, 0, 1], [0.002, 0, 0]])
    written = {(text.get_position()[1], text.get_position()[0]): text.get_text() for text in ax.texts}
    assert [[written[row, column] for column in range(3)] for row in range(3)] == [
        ["–", "0.70", ">.99"],
        ["0.30", "–", "1.00"],
        ["<.01", "0.00", "–"],
    ]
    assert ax.yaxis_inverted()


# -- normalisation -----------------------------------------------------------------------------------


def test_boundaries_stand_at_their_qualities_and_bins_add_up_to_all_samples() -> None:
    quality = np.random.default_rng(6).normal(size=2000)
    calibration = calibrate(quality - 2)
    ax = draw_calibration(quality, calibration)
    (lines,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert [segment[0, 0] for segment in lines.get_segments()] == calibration.boundaries.tolist()
    stairs = [patch for patch in ax.patches if hasattr(patch, "get_data")]
    assert all(patch.get_data().values.sum() == pytest.approx(1) for patch in stairs)
    left, right = ax.get_xlim()
    assert left < calibration.boundaries[0] < quality.max() < right
    level = calibration(quality)
    fullest = 100 * np.bincount(level).max() / 2000
    assert ax.texts[-1].get_text() == (
        f"{len(np.unique(level))} of 101 levels hold a sample; the fullest holds {fullest:.3g} % of 2,000"
    )


def test_the_legend_says_what_boundaries_were_found_from() -> None:
    ax = draw_calibration([1.0, 2.0], calibrate([1.0, 3.0]), name="here", calibrated_on="others")
    assert _legend(ax) == ["here", "100 boundaries, MinMax of others"]


def test_one_quality_for_all_is_drawn_too() -> None:
    draw_calibration([3.0, 3.0], calibrate([3.0, 3.0])).figure.draw_without_rendering()
