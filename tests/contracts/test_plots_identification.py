"""What the figures of identification promise, and what each draws."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from mated.errors import MatedError
from mated.plots import (
    draw_cmc,
    draw_convergence,
    draw_convergence_rate,
    draw_empirical_against_predicted,
    draw_fpir_fnir,
    draw_fractional,
    draw_gallery_growth,
    draw_rank_kernels,
    new_figure,
    save,
)
from mated.plots.count_axis import CountFormatter
from mated.plots.text import shorten

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

    Curve = tuple[NDArray[np.float64], NDArray[np.float64]]

NASTY = r"$\frac{a}$ <b>&amp; 5$ _x^2 \$"
LONG = "laboratory/face-recogniser-release-candidate-with-a-very-long-name-v1.2.3-final"


def _roc(steepness: float = 30.0) -> Curve:
    """Return ρ(α) = (1 − e^(−kα))/(1 − e^(−k)), the ROC of Veldhuis & Raja (2023), Figure 2, for k = 50."""
    fmr = np.linspace(0, 1, 501)
    return fmr, -np.expm1(-steepness * fmr) / -np.expm1(-steepness)


def _cmc(size: int = 60, steepness: float = 30.0) -> Curve:
    ranks = np.arange(1, size + 1, dtype=float)
    return ranks, np.interp(0.8 * ranks / size, *_roc(steepness))


def _fractional(size: int = 60, steepness: float = 30.0) -> Curve:
    ranks, rates = _cmc(size, steepness)
    return ranks / size, rates


def _open(scale: float = 1.0) -> Curve:
    fpir = np.concatenate([[0.0, 0.0], np.arange(1, 501) / 500])
    return fpir, np.concatenate([[1.0], 0.3 * scale * (1 + 200 * fpir[1:]) ** -0.5])


def _interval(curve: Curve, at: Any, width: float = 0.04) -> tuple[Any, Any, Any]:
    x = np.asarray(at, dtype=float)
    y = np.interp(x, *curve)
    return x, np.maximum(y - width, 0), np.minimum(y + width, 1)


SIZES = np.geomspace(10, 1e9, 33)
RATES = 1 / (1 + (SIZES / 1e5) ** 0.4)
GROWTH_BAND = (0.8 * RATES, np.minimum(1.2 * RATES, 1))


@dataclass(frozen=True)
class Drawing:
    """One way to call one drawing function: its data with a name from a user in it, and the call."""

    make: Callable[[str], tuple[Any, ...]]
    draw: Callable[..., Axes]
    x_label: str
    y_label: str
    named: bool = True


def _growth(sizes: Any, rates: Any, band: Any, name: str, **k: Any) -> Axes:
    measured = [(60, 0.9, 0.87, 0.95), (300, 0.8, np.nan, np.nan)]
    curves = {name: rates, "average ROC": np.minimum(rates + 0.1, 1)}
    return draw_gallery_growth(
        sizes, curves, {name: band}, measured=measured, resolved_up_to=1e4, upper_bounds=["average ROC"], **k
    )


RANK, RATE = "Rank", "Identification rate"
BOTH, EITHER = "Fractional rank, or false match rate", "Identification rate, or true match rate"
DRAWINGS = {
    "cmc with bars": Drawing(
        lambda name: ({name: _cmc(), "other": _cmc(60, 10)}, {name: _interval(_cmc(), [1, 5, 10])}),
        lambda c, i, **k: draw_cmc(c, intervals=i, marks={next(iter(c)): (1, 0.5)}, **k),
        RANK,
        RATE,
    ),
    "linear cmc with a band": Drawing(
        lambda name: ({name: _cmc()}, {name: _interval(_cmc(), np.arange(1, 41))}),
        lambda c, i, **k: draw_cmc(c, intervals=i, log=False, **k),
        RANK,
        RATE,
    ),
    "fractional": Drawing(
        lambda name: ({name: _roc(), "other": _roc(10)}, {"other": _fractional()}, {"empirical": _fractional()}),
        lambda r, p, e, **k: draw_fractional(r, predicted=p, empirical=e, **k),
        BOTH,
        EITHER,
    ),
    "log fractional of subjects": Drawing(
        lambda name: ({name: _roc(), "other": _roc(10)}, {name: _fractional()}, {name: _fractional()}),
        lambda r, p, e, **k: draw_fractional(r, predicted=p, empirical=e, named=False, log=True, **k),
        BOTH,
        EITHER,
        named=False,
    ),
    "predicted": Drawing(
        lambda name: ({name: _cmc()[1], "other": _cmc(60, 20)[1]}, _cmc(60, 25)[1]),
        draw_empirical_against_predicted,
        "Empirical identification rate",
        "Predicted identification rate",
    ),
    "gallery growth": Drawing(
        lambda name: (SIZES, RATES, GROWTH_BAND, name), _growth, "Gallery size", "Rank-1 identification rate"
    ),
    "open set": Drawing(
        lambda name: ({name: _open(), "other": _open(2)}, {name: _interval(_open(), np.geomspace(0.002, 1, 30))}),
        lambda c, b, **k: draw_fpir_fnir(c, bands=b, marks={next(iter(c)): [(0.0, 0.2), (0.1, 0.0)]}, **k),
        "False-positive identification rate",
        "False-negative identification rate",
    ),
    "rank kernels": Drawing(
        lambda _: (), draw_rank_kernels, "False match rate α", "Density β(α; r, n − r)", named=False
    ),
    "convergence": Drawing(
        lambda _: (_roc(50), {n: _cmc(n, 50)[1] for n in (30, 60, 120)}),
        draw_convergence,
        "Fractional rank r/n, or false match rate",
        EITHER,
        named=False,
    ),
    "convergence rate": Drawing(
        lambda name: (np.array([30.0, 60, 120]), {name: np.array([0.1, 0.05, 0.025])}, np.array([1, 0.5, 0.25])),
        lambda s, g, b, **k: draw_convergence_rate(s, g, bounds=dict.fromkeys(g, b), **k),
        "Gallery size n",
        "|cmc(r; n) − ρ(r/n)|",
    ),
}
every_drawing = pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)


def _legend(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def _labelled(ax: Axes, label: str) -> list[Line2D]:
    return [line for line in ax.get_lines() if line.get_label() == label]


def _areas(ax: Axes) -> list[Polygon]:
    return [patch for patch in ax.patches if isinstance(patch, Polygon) and patch.get_label() == "_band"]


def _ticks(ax: Axes) -> list[str]:
    """Return the labels in view on the horizontal axis."""
    ax.figure.draw_without_rendering()
    left, right = ax.get_xlim()
    return [t.label1.get_text() for t in ax.xaxis.get_major_ticks() if left <= t.get_loc() <= right]


def _arrays(value: Any) -> list[NDArray[Any]]:
    if isinstance(value, np.ndarray):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else ()
    return [array for item in items for array in _arrays(item)]


# -- the contract ------------------------------------------------------------------------------


@every_drawing
def test_axes_given_are_drawn_on_and_returned(drawing: Drawing) -> None:
    _, ax = new_figure()
    assert drawing.draw(*drawing.make("a"), ax=ax) is ax
    assert ax.get_lines()


@every_drawing
def test_axes_are_made_and_labelled_and_data_and_settings_stay_as_they_were(drawing: Drawing) -> None:
    data = drawing.make("a")
    settings = dict(mpl.rcParams)
    arrays = _arrays(data)
    copies = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    ax = drawing.draw(*data)
    assert isinstance(ax.figure, Figure)
    ax.figure.draw_without_rendering()
    assert (ax.get_xlabel(), ax.get_ylabel()) == (drawing.x_label, drawing.y_label)
    for array in arrays:
        array.flags.writeable = True
    assert all(np.array_equal(a, b) for a, b in zip(arrays, copies, strict=True))
    assert dict(mpl.rcParams) == settings


named_drawings = pytest.mark.parametrize(
    "drawing",
    [pytest.param(drawing, id=name) for name, drawing in DRAWINGS.items() if drawing.named],
)


@named_drawings
@pytest.mark.parametrize("name", [NASTY, "_hidden\nline\x00 \ud800", LONG], ids=ascii)
def test_text_of_a_user_is_drawn_as_it_is_written(drawing: Drawing, name: str, tmp_path: Path) -> None:
    ax = drawing.draw(*drawing.make(name))
    svg = save(ax.figure, tmp_path, "figure")[0].read_text(encoding="utf-8")
    shown = shorten(name)
    assert shown in _legend(ax)
    assert shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in svg


@every_drawing
def test_the_same_data_give_the_same_svg(drawing: Drawing, tmp_path: Path) -> None:
    files = [save(drawing.draw(*drawing.make("a")).figure, tmp_path, name)[0] for name in ("one", "two")]
    assert files[0].read_bytes() == files[1].read_bytes()


@every_drawing
def test_legend_and_words_lie_inside_the_figure_and_labels_of_ticks_do_not_touch(drawing: Drawing) -> None:
    ax = drawing.draw(*drawing.make("W" * 34))
    ax.figure.draw_without_rendering()
    for artist in (*ax.texts, ax.get_legend()):
        assert artist is not None
        box = artist.get_window_extent()
        assert box.x0 >= -1
        assert box.x1 <= ax.figure.bbox.x1 + 1
        assert box.y1 <= ax.figure.bbox.y1 + 1
    boxes = sorted((t.label1.get_window_extent() for t in ax.xaxis.get_major_ticks()), key=lambda box: box.x0)
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes) if left.width and right.width)


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: draw_cmc({}), "no CMC to draw; give at least one"),
        (lambda: draw_fractional({}), "no ROC to draw; give at least one"),
        (lambda: draw_empirical_against_predicted({}, [0.5]), "no prediction to draw; give at least one"),
        (lambda: draw_gallery_growth([10], {}), "no curve to draw; give at least one"),
        (lambda: draw_fpir_fnir({}), "no curve of FPIR and FNIR to draw; give at least one"),
        (lambda: draw_rank_kernels(()), "no kernel to draw; give at least one"),
        (lambda: draw_convergence(_roc(), {}), "no CMC to draw; give at least one"),
        (lambda: draw_convergence_rate([10], {}), "no gap to draw; give at least one"),
        (lambda: draw_cmc({"a": ([], [])}), r"curve of 'a' needs a row of numbers, and its shape is \(0,\)"),
        (lambda: draw_cmc({"a": ([1, 2], [0.5])}), "curve of 'a' has 2 places and 1 rates"),
        (lambda: draw_cmc({"a": ([1, 2], [0.5, np.nan])}), "curve of 'a' has a value that is not a finite number"),
        (lambda: draw_cmc({"a": ([1, 2], ["x", 1])}), "curve of 'a' has something that is not a number"),
        (lambda: draw_cmc({"a": ([0, 1], [0.5, 1])}), "a rank is a whole number from 1 up, and the curve of 'a' has 0"),
        (lambda: draw_cmc({"a": ([1, 2.5], [0.5, 1])}), "has 2.5"),
        (lambda: draw_cmc({"a": ([2, 1], [0.5, 1])}), "ascending order"),
        (lambda: draw_cmc({"a": ([1, 2], [50, 100])}), "between 0 and 1, and the curve of 'a' has 50"),
        (lambda: draw_cmc({"a": _cmc()}, intervals={"b": ([1], [0.1], [0.2])}), "interval for 'b', but the curves are"),
        (lambda: draw_cmc({"a": _cmc()}, intervals={"a": ([1], [0.3], [0.2])}), "low end above its high end"),
        (lambda: draw_cmc({"a": _cmc()}, marks={"b": (1, 0.5)}), "mark for 'b', but the curves are 'a'"),
        (lambda: draw_fpir_fnir({"a": _open()}, marks={"b": (1, 0.5)}), "mark for 'b', but the curves are 'a'"),
        (lambda: draw_empirical_against_predicted({"a": [0.5]}, [0.5, 1]), "has 1 ranks and the empirical CMC 2"),
        (lambda: draw_gallery_growth([10, 5], {"a": [1, 1]}), "numbers from 1 up in ascending order"),
        (lambda: draw_gallery_growth([10, 20], {"a": [1]}), "'a' has 1 rates for 2 gallery sizes"),
        (lambda: draw_gallery_growth([10], {"a": [1]}, upper_bounds=["b"]), "an upper bound for 'b'"),
        (lambda: draw_gallery_growth([10], {"a": [1]}, measured=[(1, 2, 3)]), "has another length"),
        (lambda: draw_gallery_growth([10], {"a": [1]}, measured=[(0, 1, 1, 1)]), "a size of 1 or more"),
        (lambda: draw_rank_kernels([(4, 4)]), r"1 ≤ r < n, and \(r, n\) = \(4, 4\)"),
        (lambda: draw_convergence(_roc(), {3: [0.5, 1]}), "3 identities has 3 ranks, and this one has 2"),
        (lambda: draw_convergence_rate([10], {"a": [-1]}), "negative or not a number"),
        (lambda: draw_convergence_rate([10], {"a": [0.0]}), "all gaps are 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence(draw: Callable[[], Axes], words: str) -> None:
    with pytest.raises(MatedError, match=words):
        draw()


# -- CMC ---------------------------------------------------------------------------------------


def test_between_neighbouring_ranks_a_cmc_is_a_step_and_across_a_gap_a_straight_line() -> None:
    ax = draw_cmc({"a": ([1, 2, 3, 6], [0.5, 0.5, 0.7, 0.9])})
    (line,) = _labelled(ax, "a")
    assert line.get_xydata().tolist() == [[1, 0.5], [2, 0.5], [3, 0.5], [3, 0.7], [6, 0.9]]


def test_points_of_a_cmc_are_dots_only_where_few_ranks_are_given() -> None:
    few, whole = draw_cmc({"a": ([1, 5, 10], [0.5, 0.6, 0.7])}), draw_cmc({"a": ([1, 2, 3], [0.5, 0.6, 0.7])})
    assert [ax.get_lines()[0].get_marker() for ax in (few, whole)] == ["o", "none"]


def test_a_cmc_of_a_million_ranks_is_drawn_with_few_points_and_stays_where_it_was() -> None:
    ranks = np.arange(1, 10**6 + 1)
    rates = 1 - 0.6 * ranks**-0.3
    (line,) = _labelled(draw_cmc({"a": (ranks, rates)}), "a")
    x, y = line.get_data()
    assert len(x) < 10_000
    assert (x[0], y[0], x[-1], y[-1]) == (1, rates[0], 10**6, rates[-1])
    np.testing.assert_allclose(np.interp(np.log(ranks[100:]), np.log(x), y), rates[100:], atol=2e-3)


def test_ranks_are_labelled_with_whole_numbers() -> None:
    assert _ticks(draw_cmc({"a": _cmc(340)})) == ["1", "2", "5", "10", "20", "50", "100", "200"]
    assert _ticks(draw_cmc({"a": _cmc(340)}, log=False)) == ["1", "50", "100", "150", "200", "250", "300"]
    assert _ticks(draw_cmc({"a": ([1, 10**6], [0.5, 1])})) == [f"{10**k:,}" for k in range(7)]
    assert _ticks(draw_cmc({"a": ([1, 10**7], [0.5, 1])}))[:4] == ["1", "10", "10²", "10³"]
    assert _ticks(draw_cmc({"a": ([1], [0.5])})) == ["1", "2"]


def test_a_narrow_range_of_gallery_sizes_has_ticks_too() -> None:
    assert len(_ticks(draw_gallery_growth([120, 180], {"a": [0.9, 0.8]}))) >= 3
    assert _ticks(draw_gallery_growth([2e6, 5e6], {"a": [0.9, 0.8]})) == ["2×10⁶", "3×10⁶", "4×10⁶", "5×10⁶"]


def test_labels_of_counts() -> None:
    assert [CountFormatter()(n) for n in (1, 10, 1000, 10**6)] == ["1", "10", "1,000", "1,000,000"]
    assert [CountFormatter(powers=True)(n) for n in (1, 10, 1000, 2.5e7)] == ["1", "10", "10³", "2.5×10⁷"]


def test_the_rates_of_a_cmc_begin_at_a_round_number_below_curves_and_intervals() -> None:
    curve = ([1, 2, 3], [0.97, 0.98, 0.99])
    assert draw_cmc({"a": curve}).get_ylim() == (0.965, 1)
    assert draw_cmc({"a": curve}, intervals={"a": ([1], [0.72], [0.99])}).get_ylim() == (0.65, 1)


def test_bars_stand_at_their_ranks_and_side_by_side_only_where_they_overlap() -> None:
    curves = {name: _cmc() for name in "abc"}
    bars = {"a": ([1, 5], [0.4, 0.8], [0.5, 0.9]), "b": ([1, 5], [0.6, 0.85], [0.7, 1]), "c": ([1], [0.1], [0.2])}
    ax = draw_cmc(curves, intervals=bars)
    drawn = [artist for artist in ax.get_children() if artist.get_label() == "_interval"]
    assert [bar.get_xydata().tolist() for bar in drawn[:2]] == [[[1, 0.4], [1, 0.5]], [[5, 0.8], [5, 0.9]]]
    ax.figure.draw_without_rendering()
    at_rank_1 = [bar.get_transform().transform(bar.get_xydata())[0, 0] for bar in (drawn[0], drawn[2], drawn[4])]
    assert at_rank_1[0] == pytest.approx(at_rank_1[2])  # c lies below both, beside a
    assert at_rank_1[1] - at_rank_1[0] == pytest.approx(5 * ax.figure.dpi / 72)
    assert _legend(ax)[-1] == "95 % interval"


def test_intervals_at_many_ranks_are_a_band_of_steps() -> None:
    ranks, low, high = _interval(_cmc(), np.arange(1, 21))
    ax = draw_cmc({"a": _cmc()}, intervals={"a": (ranks, low, high)}, level=0.9)
    (area,) = _areas(ax)
    assert [2.0, low[0]] in area.get_xy().tolist()
    assert [2.0, low[1]] in area.get_xy().tolist()
    assert area.get_facecolor()[:3] == to_rgb(_labelled(ax, "a")[0].get_color())
    assert _legend(ax) == ["a", "90 % band (pointwise)"]


# -- CMC and ROC on one axis ---------------------------------------------------------------------


def test_rings_and_crosses_have_the_colour_of_their_roc_and_stand_at_the_same_ranks() -> None:
    rocs = {name: _roc(k) for name, k in (("x", 5), ("y", 20), ("z", 50))}
    predicted = {name: _fractional(300, k) for name, k in (("x", 5), ("y", 20), ("z", 50))}
    empirical = {name: (x, np.minimum(y + 0.01, 1)) for name, (x, y) in predicted.items()}
    ax = draw_fractional(rocs, predicted=predicted, empirical=empirical, named=False)
    lines, rings, crosses = (_labelled(ax, label) for label in ("_roc", "_predicted", "_empirical"))
    for line, ring, cross, name in zip(lines, rings, crosses, rocs, strict=True):
        assert line.get_color() == ring.get_color() == cross.get_color()
        assert ring.get_xdata().tolist() == cross.get_xdata().tolist()
        assert ring.get_xydata()[0].tolist() == [1 / 300, predicted[name][1][0]]
        assert set(ring.get_ydata()) <= set(predicted[name][1])
        assert len(ring.get_xdata()) < 150
    assert {ring.get_marker() for ring in rings} == {"o"}
    assert {cross.get_marker() for cross in crosses} == {"+"}


def test_subjects_are_not_named() -> None:
    rocs = {"person 7": _roc(5), "person 8": _roc(20)}
    ax = draw_fractional(rocs, predicted={"person 7": _fractional()}, named=False)
    assert _legend(ax) == ["ROCs of 2 subjects", "predicted CMC"]
    assert not [artist for artist in ax.get_children() if "person" in str(artist.get_label())]


def test_the_legend_says_from_which_roc_a_cmc_is_predicted() -> None:
    rocs = {"global ROC": _roc(20), "average ROC": _roc(15)}
    cmcs = {"predicted": {"average ROC": _fractional()}, "empirical": {"empirical CMC": _fractional()}}
    ax = draw_fractional(rocs, **cmcs)
    assert _legend(ax) == ["global ROC", "average ROC", "CMC from average ROC", "empirical CMC"]


def test_few_ranks_are_all_shown() -> None:
    ax = draw_fractional({"a": _roc(5)}, empirical={"a": _fractional(10, 5)})
    (cross,) = _labelled(ax, "_empirical")
    assert cross.get_xdata().tolist() == (np.arange(1, 11) / 10).tolist()


def test_the_fractional_axis_ends_where_all_has_come_near_one() -> None:
    assert draw_fractional({"a": _roc(60)}).get_xlim() == (0, 0.1)
    assert draw_fractional({"a": _roc(60), "b": _roc(5)}).get_xlim() == (0, 1)
    assert draw_convergence(_roc(50), {30: _cmc(30, 50)[1]}).get_xlim() == (0, 0.2)


def test_a_logarithmic_fractional_axis_begins_a_power_of_ten_below_rank_one() -> None:
    fmr = np.concatenate([[0.0], np.geomspace(1e-7, 1, 200)])
    ax = draw_fractional({"a": (fmr, fmr**0.2)}, empirical={"a": _fractional(100)}, log=True)
    assert ax.get_xlim() == (1e-3, 1)
    (line,) = _labelled(ax, "a")
    np.testing.assert_allclose(line.get_ydata(), np.interp(line.get_xdata(), fmr, fmr**0.2), atol=1e-12)


def test_predicted_rates_stand_over_the_empirical_ones_on_equal_axes() -> None:
    empirical, predicted = [0.6, 0.8, 0.95, 1.0], [0.65, 0.8, 0.94, 1.0]
    ax = draw_empirical_against_predicted({"average ROC": predicted}, empirical)
    (dots,) = _labelled(ax, "average ROC")
    assert dots.get_xydata().tolist() == [list(pair) for pair in zip(empirical, predicted, strict=True)]
    assert ax.get_xlim() == ax.get_ylim()
    (diagonal,) = _labelled(ax, "_equal")
    assert diagonal.get_xdata().tolist() == diagonal.get_ydata().tolist() == list(ax.get_xlim())


def test_every_method_of_prediction_is_shown_at_the_same_ranks() -> None:
    rates = {str(k): _cmc(2000, k)[1] for k in (10, 12, 15)}
    ax = draw_empirical_against_predicted(rates, rates["12"])
    shown = [_labelled(ax, name)[0].get_xdata().tolist() for name in rates]
    assert shown[0] == shown[1] == shown[2]
    assert shown[0][0] == rates["12"][0]
    assert 10 < len(shown[0]) < 100


# -- gallery growth ------------------------------------------------------------------------------


def test_what_the_data_do_not_resolve_is_shaded_and_said() -> None:
    ax = _growth(SIZES, RATES, GROWTH_BAND, "tail model")
    (span,) = [patch for patch in ax.patches if patch.get_label() == "_beyond"]
    extent = span.get_window_extent().transformed(ax.transData.inverted())
    assert (extent.x0, extent.x1) == (pytest.approx(1e4), pytest.approx(ax.get_xlim()[1]))
    assert [text.get_text() for text in ax.texts] == ["beyond what the data resolve: tail model"]
    for unshaded in ({}, {"resolved_up_to": 1e12}):
        other = draw_gallery_growth(SIZES, {"a": RATES}, **unshaded)
        assert not other.texts
        assert not other.patches


def test_an_upper_bound_is_thin_and_dashed_and_called_so() -> None:
    ax = _growth(SIZES, RATES, GROWTH_BAND, "tail model")
    (bound,), (model,) = _labelled(ax, "average ROC (upper bound)"), _labelled(ax, "tail model")
    assert bound.get_linewidth() < model.get_linewidth()
    assert bound.is_dashed()
    assert not model.is_dashed()
    names = ["tail model", "average ROC (upper bound)", "95 % band (pointwise)", "measured, with 95 % interval"]
    assert _legend(ax) == names


def test_measured_points_are_dots_with_bars_where_they_have_an_interval() -> None:
    ax = _growth(SIZES, RATES, GROWTH_BAND, "tail model")
    (dots,) = _labelled(ax, "_measured")
    assert dots.get_xydata().tolist() == [[60, 0.9], [300, 0.8]]
    bars = [artist for artist in ax.get_children() if artist.get_label() == "_interval"]
    assert [bar.get_xydata().tolist() for bar in bars] == [[[60, 0.87], [60, 0.95]]]


def test_gallery_sizes_are_powers_of_ten() -> None:
    ax = draw_gallery_growth(SIZES, {"a": RATES})
    assert _ticks(ax) == ["10", "10²", "10³", "10⁴", "10⁵", "10⁶", "10⁷", "10⁸", "10⁹"]
    (line,) = _labelled(ax, "a")
    assert set(line.get_xdata()) <= set(SIZES)
    assert _ticks(draw_gallery_growth([1e3, 1e6], {"a": [0.9, 0.7]})) == ["1,000", "10,000", "100,000", "1,000,000"]


# -- open set ------------------------------------------------------------------------------------


def test_without_a_false_positive_fnir_is_level_up_to_the_first_one() -> None:
    ax = draw_fpir_fnir({"a": ([0, 0, 0.01, 0.5, 1], [1, 0.2, 0.1, 0.05, 0.05])})
    (line,) = _labelled(ax, "a")
    assert ax.get_xlim() == (1e-3, 1)
    expected = [[1e-3, 0.2], [0.01, 0.2], [0.01, 0.1], [0.5, 0.05], [1, 0.05]]
    assert line.get_xydata().tolist() == expected


def test_a_curve_that_begins_above_zero_is_not_extended() -> None:
    ax = draw_fpir_fnir({"predicted": ([0.01, 0.1, 1], [0.3, 0.2, 0.1])})
    (line,) = _labelled(ax, "predicted")
    assert line.get_xydata().tolist() == [[0.01, 0.3], [0.1, 0.2], [1, 0.1]]
    assert ax.get_xlim() == (0.01, 1)


def test_an_fnir_of_zero_is_reached_straight_down_and_lies_below_the_frame() -> None:
    ax = draw_fpir_fnir({"a": ([0.01, 0.1, 1], [0.3, 0.2, 0])})
    (line,) = _labelled(ax, "a")
    assert line.get_xydata()[:3].tolist() == [[0.01, 0.3], [0.1, 0.2], [1, 0.2]]
    assert 0 < line.get_ydata()[-1] < ax.get_ylim()[0]


def test_marks_beyond_the_axes_are_triangles_at_their_edges() -> None:
    ax = draw_fpir_fnir({"a": _open()}, marks={"a": [(0.0, 0.2), (0.1, 0.1), (0.1, 0.0)]})
    marks = {line.get_marker(): line.get_xydata().tolist() for line in _labelled(ax, "_mark")}
    start, bottom = ax.get_xlim()[0], ax.get_ylim()[0]
    assert marks == {"o": [[0.1, 0.1]], "<": [[start, 0.2]], "v": [[0.1, bottom]]}


@pytest.mark.parametrize(
    "curve",
    [
        ([0.0], [1.0]),
        ([0.0, 1.0], [0.0, 0.0]),
        ([0.0, 1.0], [1.0, 1.0]),
        ([0.0, 0.5, 1.0], [0.99, 0.9, 0.85]),
        ([0.0, 1e-9, 1.0], [1.0, 1e-7, 0.0]),
    ],
    ids=["one point", "perfect", "useless", "weak", "very good"],
)
def test_any_curve_of_fpir_and_fnir_is_drawn_inside_sensible_limits(curve: tuple[list[float], list[float]]) -> None:
    ax = draw_fpir_fnir({"a": curve}, bands={"a": ([0.5, 1.0], [0.0, 0.0], [0.1, 0.1])})
    ax.figure.draw_without_rendering()
    assert 0 < ax.get_xlim()[0] < 1 == ax.get_xlim()[1]
    assert 0 < ax.get_ylim()[0] < min([f for f in curve[1] if f > 0], default=1.0)


# -- theory --------------------------------------------------------------------------------------


def test_kernels_are_beta_densities() -> None:
    # β(α; r, n − r) = Γ(n)/(Γ(r)Γ(n − r)) α^(r−1) (1 − α)^(n−r−1) integrates to 1 and has mean r/n (Eqs. 15 and 18).
    lines = [line for line in draw_rank_kernels().get_lines() if line.get_label() != "_mean"]
    assert [line.get_label() for line in lines] == [
        "r = 4, n = 40",
        "r = 10, n = 40",
        "r = 40, n = 400",
        "r = 100, n = 400",
    ]
    for line, mean in zip(lines, (0.1, 0.25, 0.1, 0.25), strict=True):
        alpha, density = line.get_data()
        assert np.trapezoid(density, alpha) == pytest.approx(1, abs=1e-4)
        assert np.trapezoid(alpha * density, alpha) == pytest.approx(mean, abs=1e-4)
    assert lines[0].get_color() == lines[2].get_color() != lines[1].get_color()


def test_the_kernel_of_two_identities_is_flat() -> None:
    (line,) = [line for line in draw_rank_kernels([(1, 2)]).get_lines() if line.get_label() != "_mean"]
    assert set(line.get_ydata()) == {1.0}


def test_convergence_has_the_roc_and_each_cmc_at_its_fractional_ranks() -> None:
    ax = draw_convergence(_roc(50), {n: _cmc(n, 50)[1] for n in (30, 60, 120)})
    assert _legend(ax) == ["ROC", "CMC, n = 30", "CMC, n = 60", "CMC, n = 120"]
    (dots,) = _labelled(ax, "CMC, n = 30")
    assert dots.get_xdata().tolist() == [r / 30 for r in range(1, 7)]  # the axis ends at 0.2


def test_the_rate_of_convergence_is_the_slope_of_the_gaps() -> None:
    sizes = np.array([10.0, 100, 1000])
    ax = draw_convergence_rate(sizes, {"gap": 3 * sizes**-1.5}, bounds={"gap": 5 / sizes})
    assert _legend(ax) == ["gap", "fit, slope −1.50", "bound"]
    (fit,), (bound,) = _labelled(ax, "_fit"), _labelled(ax, "_bound")
    np.testing.assert_allclose(fit.get_ydata(), 3 * fit.get_xdata() ** -1.5)
    np.testing.assert_allclose(bound.get_ydata(), 5 / sizes)


def test_gaps_of_zero_are_left_out_of_the_fit() -> None:
    ax = draw_convergence_rate([10, 100, 1000], {"gap": [0.1, 0.01, 0.0]})
    assert _legend(ax) == ["gap", "fit, slope −1.00"]
    assert _legend(draw_convergence_rate([10, 100], {"gap": [0.1, 0.0]})) == ["gap"]


def test_some_ranks_are_in_view_where_every_curve_begins_near_one():
    ranks = np.arange(1, 41) / 40
    rates = np.clip(0.998 + ranks / 100, 0, 1)
    ax = draw_fractional({"a": (np.array([0.0, 1.0]), np.array([0.998, 1.0]))}, predicted={"a": (ranks, rates)})
    assert ax.get_xlim()[1] >= 4 / 40
