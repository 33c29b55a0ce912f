"""What every drawing function promises, and what each draws."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

from mated.errors import MatedError
from mated.plots import draw_det, draw_individual_rocs, draw_rates, draw_roc, draw_scores, new_figure, save
from mated.plots.normal_deviate import NormalDeviateFormatter, NormalDeviateLocator, NormalDeviateScale
from mated.plots.style import decade_at_or_below, rate_label
from mated.plots.text import display_names, shorten
from mated.plots.thinning import TOLERANCE, thin
from mated.scores import Comparisons, SubjectTallies, Tally
from mated.verification import average_roc, det_curve, individual_rocs, roc_curve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.lines import Line2D

NASTY = r"$\frac{a}$ <b>&amp; 5$ _x^2 \$"
LONG = "laboratory/face-recogniser-release-candidate-with-a-very-long-name-v1.2.3-final"


def _tally(kind: str) -> Tally:
    rng = np.random.default_rng(7)
    mated, nonmated = rng.normal(2.5, 1, 300), rng.normal(0, 1, 900)
    match kind:
        case "continuous":
            return Tally.from_scores(mated, nonmated)
        case "dissimilarity":
            return Tally.from_scores(-mated, -nonmated, dissimilarity=True)
        case "integers":
            return Tally.from_scores((20 * mated + 60).round(), (20 * nonmated + 60).round())
        case "float32":
            return Tally.from_scores(mated.astype(np.float32), nonmated.astype(np.float32))
        case "heavy ties":
            return Tally.from_scores([1, 2, 2, 3, 3, 3], [1, 1, 1, 1, 2, 2, 3])
        case "separated":
            return Tally.from_scores(rng.normal(30, 1, 50), rng.normal(0, 1, 50))
        case "separated integers":
            return Tally.from_scores([4, 5, 6], [1, 2, 3])
        case "one score":
            return Tally.from_scores([5, 5], [5, 5, 5])
        case "one comparison each":
            return Tally.from_scores([0.7], [0.2])
        case "worse than chance":
            return Tally.from_scores(nonmated, mated)
        case "infinite":
            return Tally.from_scores([*mated, np.inf, np.inf], [*nonmated, -np.inf])
        case "only infinite":
            return Tally.from_scores([np.inf, np.inf], [-np.inf])
        case "atom":
            return Tally.from_scores(mated, np.concatenate([np.zeros(5000), nonmated]))
        case "outlier":
            return Tally.from_scores([*mated, 1e6], nonmated)
    raise AssertionError(kind)


KINDS = (
    "continuous",
    "dissimilarity",
    "integers",
    "float32",
    "heavy ties",
    "separated",
    "separated integers",
    "one score",
    "one comparison each",
    "worse than chance",
    "infinite",
    "only infinite",
    "atom",
    "outlier",
)


def _subjects(tally: Tally) -> tuple[Any, ...]:
    """Spread the comparisons of a tally over six subjects."""
    values = np.concatenate([np.repeat(tally.scores, tally.mated), np.repeat(tally.scores, tally.nonmated)])
    values = -values if tally.dissimilarity else values
    is_mated = np.arange(len(values)) < tally.n_mated
    probe = np.arange(len(values)) % 6
    reference = np.where(is_mated, probe, (probe + 1) % 6)
    comparisons = Comparisons.from_arrays(
        score=values, probe_subject=probe, reference_subject=reference, dissimilarity=tally.dissimilarity
    )
    rocs = individual_rocs(SubjectTallies.of(comparisons))
    return rocs, average_roc(rocs), roc_curve(tally)


@dataclass(frozen=True)
class Drawing:
    """One way to call one drawing function: what it takes from a tally, and how it is called."""

    make: Callable[[Tally, str], tuple[Any, ...]]
    draw: Callable[..., Axes]
    x_label: str
    y_label: str


DRAWINGS = {
    "roc": Drawing(lambda t, n: ({n: roc_curve(t)},), draw_roc, "False match rate", "True match rate"),
    "log roc": Drawing(
        lambda t, n: ({n: roc_curve(t)},),
        lambda c, **k: draw_roc(c, log=True, marks={name: [(0.0, 0.5), (0.1, 0.9)] for name in c}, **k),
        "False match rate",
        "True match rate",
    ),
    "det": Drawing(
        lambda t, n: ({n: det_curve(t)},),
        lambda c, **k: draw_det(c, marks=dict.fromkeys(c, (0.01, 0.0)), **k),
        "False match rate",
        "False non-match rate",
    ),
    "scores": Drawing(
        lambda t, n: (t, n),
        lambda t, n, **k: draw_scores(t, thresholds={n: 1.0, n + "2": 1.01, "far": 1e9}, title=n, **k),
        "Comparison score",
        "Share of comparisons in the class",
    ),
    "rates": Drawing(
        lambda t, n: (t, n), lambda t, n, **k: draw_rates(t, thresholds={n: 1.0}, **k), "Threshold", "Error rate"
    ),
    "linear rates": Drawing(lambda t, _: (t,), lambda t, **k: draw_rates(t, log=False, **k), "Threshold", "Error rate"),
    "individual": Drawing(lambda t, _: _subjects(t), draw_individual_rocs, "False match rate", "True match rate"),
    "linear individual": Drawing(
        lambda t, _: _subjects(t),
        lambda *a, **k: draw_individual_rocs(*a, log=False, most=3, **k),
        "False match rate",
        "True match rate",
    ),
}

every_drawing = pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)


# Of these comparisons no subject has both classes.
WITHOUT_SUBJECTS = ("one score", "one comparison each", "only infinite")
every_drawing_of_every_kind = pytest.mark.parametrize(
    ("drawing", "kind"),
    [
        pytest.param(drawing, kind, id=f"{name}-{kind}")
        for name, drawing in DRAWINGS.items()
        for kind in KINDS
        if "individual" not in name or kind not in WITHOUT_SUBJECTS
    ],
)


def _texts(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    return [t.get_text() for t in (*ax.texts, ax.title, *(legend.get_texts() if legend else ()))]


def _curves(ax: Axes) -> list[Line2D]:
    return [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")]


def _arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        return [array for item in value.values() for array in _arrays(item)]
    return [array for item in getattr(value, "__dict__", {}).values() for array in _arrays(item)]


# -- the contract ------------------------------------------------------------------------------


@every_drawing
def test_axes_given_are_drawn_on_and_returned(drawing: Drawing) -> None:
    _, ax = new_figure()
    assert drawing.draw(*drawing.make(_tally("continuous"), "a"), ax=ax) is ax
    assert ax.has_data()


@every_drawing
def test_axes_are_made_where_none_are_given(drawing: Drawing) -> None:
    ax = drawing.draw(*drawing.make(_tally("continuous"), "a"))
    assert isinstance(ax, Axes)
    assert isinstance(ax.figure, Figure)


@every_drawing
def test_data_and_settings_of_matplotlib_stay_as_they_were(drawing: Drawing) -> None:
    data = drawing.make(_tally("integers"), "a")
    settings = dict(mpl.rcParams)
    arrays = [array for item in data for array in _arrays(item)]
    copies = [array.copy() for array in arrays]
    drawing.draw(*data).figure.draw_without_rendering()
    assert all(np.array_equal(a, b) for a, b in zip(arrays, copies, strict=True))
    assert dict(mpl.rcParams) == settings


@every_drawing_of_every_kind
def test_any_tally_is_drawn_without_a_warning(drawing: Drawing, kind: str) -> None:
    ax = drawing.draw(*drawing.make(_tally(kind), "a"))
    ax.figure.draw_without_rendering()
    assert ax.get_xlabel().startswith(drawing.x_label)
    assert ax.get_ylabel() == drawing.y_label
    assert all(np.isfinite([*ax.get_xlim(), *ax.get_ylim()]))
    limits = ax.get_xlim()
    assert limits[0] < limits[1]


@every_drawing
@pytest.mark.parametrize("name", [NASTY, "_hidden", "$", "two\nlines\x00", "\ud800", LONG], ids=ascii)
def test_text_of_a_user_is_drawn_as_it_is_written(drawing: Drawing, name: str, tmp_path: Path) -> None:
    data = drawing.make(_tally("continuous"), name)
    ax = drawing.draw(*data)
    svg = save(ax.figure, tmp_path, "figure")[0].read_text(encoding="utf-8")
    if not any(isinstance(item, str) or (isinstance(item, dict) and name in item) for item in data):
        return
    shown = shorten(name, 34) if isinstance(data[0], Tally) else shorten(name)
    assert shown in _texts(ax)
    assert shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in svg


@every_drawing
def test_the_same_data_give_the_same_svg(drawing: Drawing, tmp_path: Path) -> None:
    files = []
    for name in ("a", "b"):
        figure = drawing.draw(*drawing.make(_tally("atom"), "system")).figure
        files += save(figure, tmp_path, name)
    assert files[0].read_bytes() == files[1].read_bytes()


# -- curves ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_linear_roc_has_the_points_of_the_curve(kind: str) -> None:
    curve = roc_curve(_tally(kind))
    ax = draw_roc({"a": curve})
    x, y = _curves(ax)[0].get_data()
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 1), (0, 1))
    assert set(zip(x, y, strict=True)) <= set(zip(curve.fmr, curve.tmr, strict=True))
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    # Along the anti-diagonals both coordinates are functions of their sum.
    drawn = np.interp(curve.fmr + curve.tmr, x + y, x)
    np.testing.assert_allclose(drawn, curve.fmr, atol=TOLERANCE)


@pytest.mark.parametrize("kind", KINDS)
def test_log_roc_lies_on_the_curve_and_begins_at_a_decade_below_the_data(kind: str) -> None:
    curve = roc_curve(_tally(kind))
    ax = draw_roc({"a": curve}, log=True)
    x, y = _curves(ax)[0].get_data()
    smallest = curve.fmr[curve.fmr > 0].min()
    start = ax.get_xlim()[0]
    assert start <= smallest
    assert start == min(decade_at_or_below(smallest), 0.1)
    assert (x[0], x[-1], y[-1]) == (start, 1, 1)
    # On a vertical piece any height between the ends is on the curve.
    low = np.interp(x, curve.fmr, curve.tmr)
    ends = [np.searchsorted(curve.fmr, x, side=side) for side in ("left", "right")]
    bottom, top = curve.tmr[np.minimum(ends[0], len(curve) - 1)], curve.tmr[ends[1] - 1]
    on_point = ends[0] < ends[1]
    assert np.all(np.where(on_point, (bottom - 1e-12 <= y) & (y <= top + 1e-12), np.abs(y - low) < 1e-12))


def test_log_roc_does_not_waste_the_picture() -> None:
    rng = np.random.default_rng(1)
    good = roc_curve(Tally.from_scores(rng.normal(8, 1, 1000), rng.normal(0, 1, 1000)))
    weak = roc_curve(_tally("worse than chance"))
    assert draw_roc({"good": good}, log=True).get_ylim()[0] >= 0.9
    assert draw_roc({"good": good, "weak": weak}, log=True).get_ylim() == (0, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_det_has_the_points_of_the_curve_and_reaches_the_smallest_rates(kind: str) -> None:
    curve = det_curve(_tally(kind))
    ax = draw_det({"a": curve})
    x, y = _curves(ax)[0].get_data()
    points = set(zip(curve.fmr, curve.fnmr, strict=True))
    corners = set(zip(x, y, strict=True)) - points
    # Corners at the entry to zero have one coordinate of each of two neighbouring points.
    assert all(a in curve.fmr and b in curve.fnmr for a, b in corners)
    assert len(corners) <= 2
    for rates, limits in ((curve.fmr, ax.get_xlim()), (curve.fnmr, ax.get_ylim())):
        positive = rates[(rates > 0) & (rates < 1)]
        assert limits[0] > 0
        assert not len(positive) or limits[0] < positive.min()


def test_zero_rates_of_a_det_stand_at_a_tick_of_their_own_inside_the_axes() -> None:
    ax = draw_det({"a": det_curve(_tally("separated"))})
    ax.figure.draw_without_rendering()
    placed = (ax.transScale + ax.transLimits).transform([(0.0, 0.0)])[0]
    assert np.all((placed > 0.01) & (placed < 0.07))
    for axis in (ax.xaxis, ax.yaxis):
        labels = {round(float(t.get_loc()), 12): t.label1.get_text() for t in axis.get_major_ticks()}
        assert labels[0.0] == "0"
    x, y = _curves(ax)[0].get_data()
    assert not np.any((x > 0) & (y > 0))


def test_det_reaches_far_below_a_thousandth() -> None:
    rates = np.array([0, 1e-6, 1e-3, 0.1, 1.0])
    tally = Tally.from_counts([3, 2, 1, 0], [500_000, 499_000, 999, 1], [1, 999, 99_000, 900_000])
    ax = draw_det({"a": det_curve(tally)})
    assert ax.get_xlim()[0] < rates[1]
    assert ax.get_ylim()[0] < rates[1]


@pytest.mark.parametrize("draw", [draw_roc, draw_det])
def test_a_figure_without_a_curve_and_a_mark_without_its_curve_are_refused(draw: Callable[..., Axes]) -> None:
    with pytest.raises(MatedError, match="at least one"):
        draw({})
    curve = (roc_curve if draw is draw_roc else det_curve)(_tally("continuous"))
    with pytest.raises(MatedError, match="mark for 'b'"):
        draw({"a": curve}, marks={"b": (0.1, 0.1)})


def test_marks_are_dots_in_the_colour_of_their_curve() -> None:
    curves = {name: roc_curve(_tally("continuous")) for name in ("a", "b")}
    ax = draw_roc(curves, marks={"b": [(0.1, 0.9), (0.2, 0.95)]})
    (dots,) = [line for line in ax.get_lines() if line.get_label() == "_mark"]
    assert dots.get_xydata().tolist() == [[0.1, 0.9], [0.2, 0.95]]
    assert dots.get_markerfacecolor() == _curves(ax)[1].get_color()


def test_a_mark_left_of_a_log_axis_is_a_triangle_at_its_edge() -> None:
    ax = draw_roc({"a": roc_curve(_tally("continuous"))}, log=True, marks={"a": (0.0, 0.5)})
    (mark,) = [line for line in ax.get_lines() if line.get_label() == "_mark"]
    assert mark.get_marker() == "<"
    assert mark.get_xdata()[0] == ax.get_xlim()[0]


@pytest.mark.parametrize("draw", [draw_roc, draw_det])
def test_many_curves_differ_and_their_legend_goes_beside_the_axes(draw: Callable[..., Axes]) -> None:
    curve = (roc_curve if draw is draw_roc else det_curve)(_tally("integers"))
    ax = draw({f"system {k}": curve for k in range(30)})
    ax.figure.draw_without_rendering()
    looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in _curves(ax)}  # type: ignore[attr-defined]
    legend = ax.get_legend()
    assert len(looks) == 30
    assert legend.get_window_extent().x0 >= ax.get_window_extent().x1
    assert legend.get_window_extent().x1 <= ax.figure.bbox.x1


# -- scores and rates --------------------------------------------------------------------------


def _filled(ax: Axes) -> list[tuple[np.ndarray, np.ndarray]]:
    """Heights and edges of the filled histograms: non-mated first, as it is drawn first."""
    steps = [p for p in ax.patches if isinstance(p, StepPatch) and p.get_fill()]
    return [(np.asarray(p.get_data().values), np.asarray(p.get_data().edges)) for p in steps]


@pytest.mark.parametrize("kind", ["continuous", "dissimilarity", "integers", "float32", "atom"])
def test_histograms_count_every_score_once_in_shared_bins(kind: str) -> None:
    tally = _tally(kind)
    values = (-tally.scores if tally.dissimilarity else tally.scores).astype(float)
    (nonmated, edges), (mated, same) = _filled(draw_scores(tally))
    assert np.array_equal(edges, same)
    for shares, counts, total in ((mated, tally.mated, tally.n_mated), (nonmated, tally.nonmated, tally.n_nonmated)):
        expected = np.histogram(values, bins=edges, weights=counts)[0] / total
        np.testing.assert_allclose(shares, expected, atol=1e-12)
        assert shares.sum() == pytest.approx(1)


def test_bins_of_integer_scores_hold_whole_units() -> None:
    edges = _filled(draw_scores(_tally("integers")))[0][1]
    assert np.all(edges % 1 == 0.5)
    assert len(set(np.diff(edges))) == 1


def test_few_distinct_scores_get_bars_centred_on_them() -> None:
    ax = draw_scores(_tally("heavy ties"))
    filled = [bar for bar in ax.patches if bar.get_fill()]
    heights = [round(bar.get_height(), 12) for bar in filled]
    assert heights == [round(v, 12) for v in (4 / 7, 2 / 7, 1 / 7, 1 / 6, 2 / 6, 3 / 6)]
    middles = [(filled[k + 3].get_x() + filled[k].get_x() + filled[k].get_width()) / 2 for k in range(3)]
    np.testing.assert_allclose(middles, [1, 2, 3])


def test_a_tower_is_cut_and_named_so_that_the_rest_stays_in_sight() -> None:
    rng = np.random.default_rng(2)
    nonmated_scores = np.concatenate([np.zeros(9000), rng.normal(0.2, 0.1, 3000)])
    ax = draw_scores(Tally.from_scores(rng.normal(0.7, 0.1, 5000), nonmated_scores))
    (nonmated, _), (mated, _) = _filled(ax)
    top = ax.get_ylim()[1]
    assert nonmated.max() > 5 * top
    assert mated.max() > 0.5 * top
    assert any("non-mated scores lie at or next to 0" in text for text in _texts(ax))


def test_infinite_scores_are_counted_below_the_axes_and_drawn_nowhere() -> None:
    ax = draw_scores(_tally("infinite"))
    assert any("2 mated and 1 non-mated scores that are infinite" in text for text in _texts(ax))
    assert sum(_filled(ax)[1][0]) == pytest.approx(300 / 302)


def test_one_outlier_does_not_squeeze_the_others_together() -> None:
    ax = draw_scores(_tally("outlier"))
    assert ax.get_xlim()[1] < 10
    assert any("outside the axis: 1 mated and 0 non-mated" in text for text in _texts(ax))


@pytest.mark.parametrize("draw", [draw_scores, draw_rates])
def test_scores_and_thresholds_stand_in_the_orientation_of_the_user(draw: Callable[..., Axes]) -> None:
    ax = draw(_tally("dissimilarity"), thresholds={"here": -1.25})
    (line,) = [line for line in ax.get_lines() if line.get_label() == "_threshold"]
    assert set(line.get_xdata()) == {-1.25}
    assert ax.get_xlabel().endswith("(dissimilarity)")
    assert ax.get_xlim()[0] < -4 < 2 < ax.get_xlim()[1]


@pytest.mark.parametrize("kind", ["continuous", "dissimilarity", "integers", "heavy ties", "infinite", "one score"])
def test_rates_are_those_at_each_threshold(kind: str) -> None:
    from mated.verification import at_threshold

    tally = _tally(kind)
    fmr, fnmr = (line.get_data() for line in _curves(draw_rates(tally, log=False)))
    finite = tally.scores[np.isfinite(tally.scores)]
    sign = -1 if tally.dissimilarity else 1
    between = sign * (finite[:-1] + finite[1:]) / 2 if len(finite) > 1 else np.array([finite[0] - 0.1])
    for threshold in between[:: max(1, len(between) // 50)]:
        expected = at_threshold(tally, threshold)
        for (x, y), rate in ((fmr, expected.fmr), (fnmr, expected.fnmr)):
            assert np.interp(threshold, x, y) == pytest.approx(rate, abs=2 * TOLERANCE)


def test_log_rates_go_down_to_the_decade_below_the_smallest() -> None:
    assert draw_rates(_tally("continuous")).get_ylim()[0] == 1e-3  # 1/900
    assert draw_rates(Tally.from_scores(range(100), range(100))).get_ylim()[0] == 1e-3  # 1/100 is not on the edge


def test_labels_of_close_thresholds_do_not_overlap() -> None:
    thresholds = {"equal error rate": 1.2, "FMR 1e-3": 1.22, "FMR 1e-4": 1.25, "far right": 5.2}
    ax = draw_scores(_tally("continuous"), thresholds=thresholds)
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text() in thresholds]
    assert len(boxes) == 4
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


# -- individual ROCs ---------------------------------------------------------------------------


def test_individual_rocs_are_at_most_as_many_as_asked_and_nobody_is_named() -> None:
    rocs, average, overall = _subjects(_tally("continuous"))
    ax = draw_individual_rocs(rocs, average, overall, most=4)
    (thin_lines,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert len(thin_lines.get_segments()) == 4
    assert _texts(ax)[-3:] == ["average of individual ROCs", "global ROC", "individual ROCs (4 of 6 subjects)"]


def test_individual_rocs_average_and_global_are_what_the_functions_say() -> None:
    rocs, average, overall = _subjects(_tally("continuous"))
    ax = draw_individual_rocs(rocs, average, overall)
    x, y = _curves(ax)[0].get_data()
    np.testing.assert_allclose(y, average(x), atol=1e-12)
    for segment, roc in zip(ax.collections[0].get_segments(), rocs, strict=True):
        np.testing.assert_allclose(segment[:, 1], roc(segment[:, 0]), atol=1e-12)


# -- the normal-deviate scale --------------------------------------------------------------------


def test_normal_deviates_of_known_rates_and_back() -> None:
    transform = NormalDeviateScale().get_transform()
    # Tables of the normal distribution.
    np.testing.assert_allclose(transform.transform([0.5, 0.975, 0.001]), [0, 1.959964, -3.090232], atol=1e-6)
    rates = np.array([1e-12, 1e-6, 1e-3, 0.3, 0.5, 0.9, 0.999])
    np.testing.assert_allclose(transform.inverted().transform(transform.transform(rates)), rates, rtol=1e-12)
    np.testing.assert_allclose(transform.inverted().inverted().transform([0.5]), [0], atol=1e-15)


def test_normal_deviates_are_finite_at_zero_and_one() -> None:
    assert np.all(np.isfinite(NormalDeviateScale().get_transform().transform([0.0, 1.0])))
    scale = NormalDeviateScale(zero_at=1e-4)
    assert scale.get_transform().transform([0.0]) == scale.get_transform().transform([1e-4])


@pytest.mark.parametrize("limits", [(1e-7, 0.5), (1e-3, 0.4), (0.02, 0.98), (1e-9, 1 - 1e-4), (0.3, 0.35)])
@pytest.mark.parametrize("minor", [False, True])
def test_ticks_lie_inside_the_limits(limits: tuple[float, float], minor: bool) -> None:
    ticks = NormalDeviateLocator(minor=minor).tick_values(*limits)
    assert all(limits[0] <= tick <= limits[1] for tick in ticks)
    assert list(ticks) == sorted(set(ticks))


@pytest.mark.parametrize(
    ("rate", "label"),
    [
        (0, "0"),
        (1e-6, "10⁻⁶"),
        (1e-4, "10⁻⁴"),
        (0.001, "0.1 %"),
        (0.05, "5 %"),
        (0.2, "20 %"),
        (0.4, "40 %"),
        (0.99, "99 %"),
        (0.9999, "99.99 %"),
    ],
)
def test_ticks_are_labelled_as_percentages_or_powers_of_ten(rate: float, label: str) -> None:
    assert NormalDeviateFormatter()(rate) == label


@pytest.mark.parametrize("limits", [(1e-9, 0.5), (1e-6, 0.99), (1e-3, 0.5), (1e-5, 0.05)])
@pytest.mark.parametrize("size", [2.5, 5.0, 9.0])
def test_tick_labels_do_not_overlap(limits: tuple[float, float], size: float) -> None:
    figure, ax = new_figure(size, size)
    for set_scale, set_limits in ((ax.set_xscale, ax.set_xlim), (ax.set_yscale, ax.set_ylim)):
        set_scale(NormalDeviateScale())
        set_limits(*limits)
    ax.tick_params(labelsize=8.5)
    figure.draw_without_rendering()
    for axis in (ax.xaxis, ax.yaxis):
        boxes = [t.get_window_extent() for t in axis.get_ticklabels() if t.get_text()]
        assert boxes
        assert not any(a.overlaps(b) for a, b in pairwise(boxes))


# -- thinning --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["smooth", "steps", "one jump", "still"])
def test_thinning_moves_no_point_of_the_curve_by_more_than_the_tolerance(shape: str) -> None:
    rng = np.random.default_rng(3)
    size = 1_000_000
    x = np.sort(rng.random(size))
    y = {
        "smooth": np.sqrt(x),
        "steps": np.cumsum(rng.random(size) < 1e-4) / (1e-4 * size),
        "one jump": (x > 0.5).astype(float),
        "still": np.zeros(size),
    }[shape]
    kept = thin(x, y)
    assert (kept[0], kept[-1]) == (0, size - 1)
    assert np.all(np.diff(kept) > 0)
    assert len(kept) <= 2 * ((x[-1] - x[0]) + (y[-1] - y[0])) / TOLERANCE + 2
    assert np.abs(np.interp(x, x[kept], y[kept]) - y).max() <= TOLERANCE * (1 + 1e-6)


def test_thinning_keeps_a_short_curve_whole() -> None:
    for size in range(4):
        points = np.arange(size, dtype=float)
        assert thin(points, points).tolist() == list(range(size))


def test_a_curve_of_a_million_points_is_drawn_with_few_and_keeps_its_ends() -> None:
    rng = np.random.default_rng(5)
    tally = Tally.from_scores(rng.normal(2, 1, 400_000), rng.normal(0, 1, 600_000))
    for ax, ends in (
        (draw_roc({"a": roc_curve(tally)}), ((0, 0), (1, 1))),
        (draw_det({"a": det_curve(tally)}), None),
        (draw_rates(tally), None),
    ):
        data = _curves(ax)[0].get_xydata()
        assert len(data) < 10_000
        if ends:
            assert (tuple(data[0]), tuple(data[-1])) == ends


# -- saving ----------------------------------------------------------------------------------------


@pytest.fixture
def figure() -> Figure:
    ax = draw_det({f"system {k}": det_curve(_tally("continuous")) for k in range(12)})
    assert isinstance(ax.figure, Figure)
    return ax.figure


def test_save_writes_the_formats_asked_for_and_leaves_nothing_else(figure: Figure, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    files = save(figure, folder, "det", ("svg", "pdf", "png"))
    assert files == [folder / "det.svg", folder / "det.pdf", folder / "det.png"]
    assert sorted(folder.iterdir()) == sorted(files)
    assert [file.read_bytes()[:4] for file in files] == [b"<?xm", b"%PDF", b"\x89PNG"]


def test_save_overwrites_with_the_same_bytes_in_any_order_of_formats(figure: Figure, tmp_path: Path) -> None:
    first = {file.name: file.read_bytes() for file in save(figure, tmp_path, "det", ("svg", "pdf", "png"))}
    (tmp_path / "det.svg").write_text("old")
    again = {file.name: file.read_bytes() for file in save(figure, tmp_path, "det", ("png", "svg", "pdf"))}
    assert first == again


def test_saved_svg_keeps_text_and_has_no_date(figure: Figure, tmp_path: Path) -> None:
    svg = save(figure, tmp_path, "det", "svg")[0].read_text(encoding="utf-8")
    assert ">False non-match rate</text>" in svg
    assert "dc:date" not in svg


def test_a_failed_save_leaves_the_old_file_and_no_other(
    figure: Figure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = save(figure, tmp_path, "det")
    before = file.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(MatedError, match="No space left on device"):
        save(figure, tmp_path, "det")
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == before


def test_save_refuses_what_it_cannot_do_in_one_sentence(figure: Figure, tmp_path: Path) -> None:
    with pytest.raises(MatedError, match="'gif'; the formats are svg, pdf, png"):
        save(figure, tmp_path, "det", ("svg", "gif"))
    with pytest.raises(MatedError, match="without folders"):
        save(figure, tmp_path, f"a{os.sep}b")
    (tmp_path / "file").touch()
    with pytest.raises(MatedError, match=r"det\.svg cannot be written: File exists; choose another folder"):
        save(figure, tmp_path / "file", "det")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# -- small things ------------------------------------------------------------------------------------


def test_long_names_lose_their_middle_and_stay_apart() -> None:
    assert shorten("abcdefghij", 7) == "abc…hij"
    assert shorten("abcdefg", 7) == "abcdefg"
    assert display_names(["a" * 50, "a" * 50 + "b" * 0, "c"], 9) == ["aaaa…aaaa (1)", "aaaa…aaaa (2)", "c"]


@pytest.mark.parametrize(("rate", "decade"), [(1e-3, 1e-3), (9.99e-4, 1e-4), (1.0, 1.0), (1e-9, 1e-9), (0.3, 0.1)])
def test_decades_at_or_below_a_rate(rate: float, decade: float) -> None:
    assert decade_at_or_below(rate) == decade


def test_powers_of_ten_are_written_with_superscripts() -> None:
    assert [rate_label(rate) for rate in (1.0, 0.1, 1e-12, 0.25)] == ["1", "10⁻¹", "10⁻¹²", "0.25"]


def test_plots_do_not_load_pyplot() -> None:
    code = "import sys, mated.plots; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
