"""What the figures of uncertainty promise, and what each draws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle

from mated.errors import MatedError
from mated.plots import (
    draw_coverage,
    draw_det,
    draw_differences,
    draw_error_bars,
    draw_replicates,
    draw_roc,
    new_figure,
    save,
)
from mated.plots.text import shorten
from mated.plots.ticks import PlainFormatter
from mated.plots.written_numbers import write_estimate, write_percentage
from mated.scores import Tally
from mated.verification import det_curve, roc_curve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

NASTY = r"$\frac{a}$ <b>&amp; 5$ _x^2 \$"
LONG = "laboratory/face-recogniser-release-candidate-with-a-very-long-name-v1.2.3-final"


@dataclass(frozen=True)
class GivenBand:
    """Any object with these attributes is a band."""

    fmr: NDArray[np.float64]
    tmr: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    level: float = 0.95
    kind: str = "pointwise"


def _tally(kind: str = "ordinary") -> Tally:
    rng = np.random.default_rng(7)
    mated, nonmated = rng.normal(2.5, 1, 300), rng.normal(0, 1, 900)
    if kind == "separated":
        return Tally.from_scores(mated + 30, nonmated)
    return Tally.from_scores(mated, nonmated)


def _band(tally: Tally, grid: Any = None, width: float = 0.03, **more: Any) -> GivenBand:
    """Make a band of equal width that is clipped to rates."""
    fmr = np.geomspace(1e-3, 0.9, 40) if grid is None else np.asarray(grid, dtype=float)
    tmr = np.asarray(roc_curve(tally)(fmr))
    return GivenBand(fmr, tmr, np.maximum(tmr - width, 0), np.minimum(tmr + width, 1), **more)


def _replicates(size: int = 2000) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(3)
    return rng.binomial(900, 0.01, size) / 900, rng.binomial(300, 0.9, size) / 300


BOX = ((0.005, 0.016), (0.86, 0.93))
WIDER = ((0.004, 0.018), (0.85, 0.94))
ESTIMATES = {"first": (0.006, 0.0055, 0.0067), "second": (0.013, 0.0122, 0.0136), "third": (0.0364, 0.0351, 0.0376)}
ROWS = [("first − second", -0.007, -0.009, -0.005, True), ("first − third", 0.001, -0.002, 0.004, False)]
COVERAGE = {"pairs": {"few": 0.94, "many": 0.6}, "subjects": {"few": 0.95, "many": 0.93, "most": 0.92}}


@dataclass(frozen=True)
class Drawing:
    """One way to call one drawing function: its data with a name from a user in it, and the call."""

    make: Callable[[str], tuple[Any, ...]]
    draw: Callable[..., Axes]
    x_label: str
    y_label: str
    most: int = 34


def _curve_and_band(curve: Callable[[Tally], Any]) -> Callable[[str], tuple[Any, ...]]:
    return lambda name: ({name: curve(_tally())}, {name: _band(_tally())})


FMR, TMR = "False match rate", "True match rate"
DRAWINGS = {
    "roc": Drawing(_curve_and_band(roc_curve), lambda c, b, **k: draw_roc(c, bands=b, **k), FMR, TMR, 40),
    "log roc": Drawing(_curve_and_band(roc_curve), lambda c, b, **k: draw_roc(c, log=True, bands=b, **k), FMR, TMR, 40),
    "det": Drawing(
        _curve_and_band(det_curve), lambda c, b, **k: draw_det(c, bands=b, **k), FMR, "False non-match rate", 40
    ),
    "replicates": Drawing(
        lambda name: (*_replicates(), name, roc_curve(_tally())),
        lambda f, t, name, curve, **k: draw_replicates(
            f, t, point=(0.01, 0.9), rectangle=BOX, joint=WIDER, curve=curve, label=name, **k
        ),
        FMR,
        TMR,
    ),
    "error bars": Drawing(
        lambda name: ({name: (0.01, 0.008, 0.013), **ESTIMATES},), draw_error_bars, "Equal error rate", ""
    ),
    "standing error bars": Drawing(
        lambda name: ({name: (0.01, 0.008, 0.013), **ESTIMATES},),
        lambda e, **k: draw_error_bars(e, horizontal=False, **k),
        "",
        "Equal error rate",
    ),
    "differences": Drawing(lambda name: ([(name, 0.1, -0.1, 0.3, False), *ROWS],), draw_differences, "Difference", ""),
    "coverage of a method": Drawing(
        lambda name: ({name: {"few": 0.9}, **COVERAGE},), draw_coverage, "", "Coverage", 40
    ),
    "coverage in a cell": Drawing(lambda name: ({"pairs": {name: 0.9, "few": 0.7}},), draw_coverage, "", "Coverage"),
}
every_drawing = pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)


def _texts(ax: Axes) -> list[str]:
    ax.figure.draw_without_rendering()
    legend = ax.get_legend()
    labels = [*ax.get_xticklabels(), *ax.get_yticklabels(), *(legend.get_texts() if legend else ())]
    return [t.get_text() for t in (*ax.texts, *labels)]


def _legend(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def _labelled(ax: Axes, label: str) -> list[Line2D]:
    return [line for line in ax.get_lines() if line.get_label() == label]


def _areas(ax: Axes) -> list[Polygon]:
    return [patch for patch in ax.patches if isinstance(patch, Polygon) and patch.get_label() == "_band"]


def _edges(area: Polygon) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Split an outline into its lower end and its upper one, both from left to right."""
    corners = area.get_xy()[:-1]
    turn = 1 + int(np.argmax(np.diff(corners[:, 0]) < 0)) if np.any(np.diff(corners[:, 0]) < 0) else len(corners) // 2
    if corners[turn, 0] < corners[turn - 1, 0]:
        turn -= 1  # the corner on the right of the upper end has the same rate as that of the lower
    return corners[:turn], corners[turn:][::-1]


def _cloud(ax: Axes) -> PathCollection:
    (cloud,) = [c for c in ax.collections if c.get_label() == "_replicates"]
    return cloud  # type: ignore[return-value]


def _arrays(value: Any) -> list[NDArray[Any]]:
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        return [array for item in value.values() for array in _arrays(item)]
    return [array for item in getattr(value, "__dict__", {}).values() for array in _arrays(item)]


# -- the contract ------------------------------------------------------------------------------


@every_drawing
def test_axes_given_are_drawn_on_and_returned(drawing: Drawing) -> None:
    _, ax = new_figure()
    assert drawing.draw(*drawing.make("a"), ax=ax) is ax
    assert ax.get_lines()


@every_drawing
def test_axes_are_made_where_none_are_given_and_labelled(drawing: Drawing) -> None:
    ax = drawing.draw(*drawing.make("a"))
    assert isinstance(ax.figure, Figure)
    ax.figure.draw_without_rendering()
    assert (ax.get_xlabel(), ax.get_ylabel()) == (drawing.x_label, drawing.y_label)


@every_drawing
def test_data_and_settings_of_matplotlib_stay_as_they_were(drawing: Drawing) -> None:
    data = drawing.make("a")
    settings, before = dict(mpl.rcParams), repr(data)
    arrays = [array for item in data for array in _arrays(item)]
    copies = [array.copy() for array in arrays]
    drawing.draw(*data).figure.draw_without_rendering()
    assert all(np.array_equal(a, b) for a, b in zip(arrays, copies, strict=True))
    assert repr(data) == before
    assert dict(mpl.rcParams) == settings


@every_drawing
@pytest.mark.parametrize("name", [NASTY, "_hidden", "$", "two\nlines\x00", "\ud800", LONG], ids=ascii)
def test_text_of_a_user_is_drawn_as_it_is_written(drawing: Drawing, name: str, tmp_path: Path) -> None:
    ax = drawing.draw(*drawing.make(name))
    svg = save(ax.figure, tmp_path, "figure")[0].read_text(encoding="utf-8")
    shown = shorten(name, drawing.most)
    assert shown in _texts(ax)
    assert shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in svg


@pytest.mark.parametrize("draw", [draw_error_bars, draw_differences])
def test_a_label_of_a_user_is_drawn_as_it_is_written(draw: Callable[..., Axes], tmp_path: Path) -> None:
    data: Any = ESTIMATES if draw is draw_error_bars else ROWS
    svg = save(draw(data, label="5$ <or> 6$").figure, tmp_path, "figure")[0].read_text(encoding="utf-8")
    assert "5$ &lt;or&gt; 6$" in svg


@every_drawing
def test_the_same_data_give_the_same_svg(drawing: Drawing, tmp_path: Path) -> None:
    files = [save(drawing.draw(*drawing.make("a")).figure, tmp_path, name)[0] for name in ("one", "two")]
    assert files[0].read_bytes() == files[1].read_bytes()


@every_drawing
def test_legend_and_words_lie_inside_the_figure(drawing: Drawing) -> None:
    ax = drawing.draw(*drawing.make("W" * 34))
    ax.figure.draw_without_rendering()
    legend = ax.get_legend()
    for artist in (*ax.texts, *([legend] if legend else ())):
        box = artist.get_window_extent()
        assert box.x0 >= -1
        assert box.x1 <= ax.figure.bbox.x1 + 1
        assert box.y1 <= ax.figure.bbox.y1 + 1


# -- bands -------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", [False, True])
def test_a_band_of_a_roc_has_the_ends_given(log: bool) -> None:
    band = _band(_tally())
    (area,) = _areas(draw_roc({"a": roc_curve(_tally())}, log=log, bands={"a": band}))
    for edge, expected in zip(_edges(area), (band.low, band.high), strict=True):
        assert set(edge[:, 0]) <= set(band.fmr)
        np.testing.assert_allclose(np.interp(band.fmr, edge[:, 0], edge[:, 1]), expected, atol=1e-3)


def test_in_a_det_the_ends_of_a_band_change_places() -> None:
    band = _band(_tally(), np.geomspace(2e-3, 0.1, 30))
    assert band.high.max() < 1
    (area,) = _areas(draw_det({"a": det_curve(_tally())}, bands={"a": band}))
    lower, upper = _edges(area)
    for edge, expected in ((lower, 1 - band.high), (upper, 1 - band.low)):
        np.testing.assert_allclose(np.interp(band.fmr, edge[:, 0], edge[:, 1]), expected, atol=1e-3)


@pytest.mark.parametrize("draw", [draw_roc, draw_det])
def test_a_band_lies_behind_its_curve_in_its_colour_and_inside_the_frame(draw: Callable[..., Axes]) -> None:
    curve = (roc_curve if draw is draw_roc else det_curve)(_tally())
    ax = draw({"a": curve, "b": curve}, bands={"b": _band(_tally())})
    (area,) = _areas(ax)
    (second,) = _labelled(ax, "b")
    assert area.get_facecolor()[:3] == to_rgb(second.get_color())
    assert area.get_facecolor()[3] < 0.5
    assert area.get_zorder() < second.get_zorder()
    assert area.get_clip_on()


@pytest.mark.parametrize("draw", [draw_roc, draw_det])
def test_all_bands_share_one_entry_of_the_legend(draw: Callable[..., Axes]) -> None:
    curve = (roc_curve if draw is draw_roc else det_curve)(_tally())
    band = _band(_tally())
    assert _legend(draw({"a": curve, "b": curve}, bands={"a": band, "b": band})) == ["a", "b", "95 % band (pointwise)"]
    other = replace(band, level=0.975, kind="simultaneous")
    words = "95 % band (pointwise), 97.5 % band (simultaneous)"
    assert _legend(draw({"a": curve, "b": curve}, bands={"a": band, "b": other})) == ["a", "b", words]
    assert _legend(draw({"a": curve}, bands={})) == _legend(draw({"a": curve})) == ["a"]


def test_a_log_roc_makes_room_for_the_lower_end_of_a_band() -> None:
    curve = roc_curve(_tally())
    without = draw_roc({"a": curve}, log=True).get_ylim()[0]
    band = _band(_tally(), width=0.25)
    assert draw_roc({"a": curve}, log=True, bands={"a": band}).get_ylim()[0] < min(without, band.low.min())


def test_a_band_that_begins_left_of_a_log_axis_is_cut_at_its_edge() -> None:
    band = _band(_tally(), [0.0, 1e-5, 0.004, 0.1, 0.9])
    ax = draw_roc({"a": roc_curve(_tally())}, log=True, bands={"a": band})
    (area,) = _areas(ax)
    assert area.get_xy()[:, 0].min() == ax.get_xlim()[0] == 1e-3
    lower, _ = _edges(area)
    assert lower[0, 1] == pytest.approx(np.interp(1e-3, band.fmr, band.low))


def test_zero_rates_of_a_band_stand_in_the_strip_of_a_det() -> None:
    tally = _tally("separated")
    fmr = np.array([0.0, 0.002, 0.01, 0.1, 0.4])
    band = GivenBand(fmr, np.ones(5), np.array([0.98, 0.99, 0.99, 1, 1]), np.ones(5))
    ax = draw_det({"a": det_curve(tally)}, bands={"a": band})
    (area,) = _areas(ax)
    placed = (ax.transScale + ax.transLimits).transform(area.get_xy())
    at_zero = area.get_xy()[:, 1] == 0
    assert np.all((placed[at_zero, 1] > 0.01) & (placed[at_zero, 1] < 0.07))
    assert placed[0, 0] == pytest.approx(placed[at_zero, 1][0], abs=0.01)  # FMR 0 has its strip, too
    assert ax.get_ylim()[1] > 0.02  # of the upper end
    # As the curve does, the upper end falls to zero at a right angle.
    assert [0.1, 1 - 0.99] in area.get_xy().tolist()


def test_ends_below_the_smallest_rates_do_not_stretch_a_det() -> None:
    tally = _tally()
    curve = det_curve(tally)
    band = GivenBand(np.array([1e-9, 0.01, 0.1]), np.full(3, 0.9), np.full(3, 0.8), np.array([0.9, 0.95, 1 - 1e-12]))
    ax = draw_det({"a": curve}, bands={"a": band})
    assert ax.get_xlim()[0] == pytest.approx(draw_det({"a": curve}).get_xlim()[0])
    assert ax.get_ylim()[0] == pytest.approx(draw_det({"a": curve}).get_ylim()[0])
    (area,) = _areas(ax)
    assert area.get_xy()[:, 0].min() == 0.01
    assert 0 < area.get_xy()[:, 1].min() < 1 / 300


@pytest.mark.parametrize("draw", [draw_roc, draw_det])
def test_an_interval_at_a_single_rate_is_a_bar(draw: Callable[..., Axes]) -> None:
    curve = (roc_curve if draw is draw_roc else det_curve)(_tally())
    band = _band(_tally(), [0.01])
    ax = draw({"a": curve}, bands={"a": band})
    assert not _areas(ax)
    (bar,) = _labelled(ax, "_band")
    ends = [band.low[0], band.high[0]] if draw is draw_roc else [1 - band.high[0], 1 - band.low[0]]
    assert bar.get_xydata().tolist() == [[0.01, ends[0]], [0.01, ends[1]]]
    assert _legend(ax) == ["a", "95 % interval"]


@pytest.mark.parametrize("kind", ["ordinary", "separated"])
@pytest.mark.parametrize("band", ["no width", "all", "two points", "beyond the data", "at zero"])
@pytest.mark.parametrize("figure", ["roc", "log roc", "det"])
def test_any_band_is_drawn_without_a_warning(kind: str, band: str, figure: str) -> None:
    tally = _tally(kind)
    given = {
        "no width": _band(tally, width=0.0),
        "all": _band(tally, width=1.0),
        "two points": _band(tally, [0.01, 0.01]),
        "beyond the data": _band(tally, [1e-12]),
        "at zero": _band(tally, [0.0, 1.0]),
    }[band]
    curve = (det_curve if figure == "det" else roc_curve)(tally)
    options: Any = {"log": True} if figure == "log roc" else {}
    ax = (draw_det if figure == "det" else draw_roc)({"a": curve}, bands={"a": given}, **options)
    ax.figure.draw_without_rendering()
    assert all(np.isfinite([*ax.get_xlim(), *ax.get_ylim()]))


@pytest.mark.parametrize("draw", [draw_roc, draw_det])
def test_a_band_that_cannot_be_drawn_is_refused(draw: Callable[..., Axes]) -> None:
    curve = (roc_curve if draw is draw_roc else det_curve)(_tally())
    band = _band(_tally())
    for wrong, words in (
        ({"b": band}, "band for 'b', but the curves are 'a'"),
        ({"a": replace(band, low=band.low[1:])}, "a low and a high end for each"),
        ({"a": replace(band, low=np.full(40, np.nan))}, "ends that are numbers"),
        ({"a": replace(band, fmr=band.fmr[::-1])}, "ascending"),
    ):
        with pytest.raises(MatedError, match=words):
            draw({"a": curve}, bands=wrong)


def test_a_legend_does_not_lie_on_a_band() -> None:
    band = GivenBand(np.array([0.0, 1.0]), np.full(2, 0.5), np.zeros(2), np.ones(2))
    ax = draw_roc({"a": roc_curve(_tally())}, bands={"a": band})
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1


# -- replicates --------------------------------------------------------------------------------


def test_each_place_is_one_dot_whose_area_counts_its_replicates() -> None:
    fmr, tmr = _replicates()
    cloud = _cloud(draw_replicates(fmr, tmr, point=(0.01, 0.9), rectangle=BOX))
    places, counts = np.unique(np.column_stack([fmr, tmr]), axis=0, return_counts=True)
    assert np.array_equal(cloud.get_offsets(), places)
    assert counts.max() > 5
    np.testing.assert_allclose(cloud.get_sizes() / cloud.get_sizes().max(), counts / counts.max())


def test_point_boxes_and_curve_are_those_given() -> None:
    curve = roc_curve(_tally())
    ax = draw_replicates(*_replicates(), point=(0.01, 0.9), rectangle=BOX, joint=WIDER, curve=curve)
    (point,) = _labelled(ax, "_point")
    assert point.get_xydata().tolist() == [[0.01, 0.9]]
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    for box, ((left, right), (bottom, top)), style in zip(boxes, (BOX, WIDER), ("solid", "dashed"), strict=True):
        np.testing.assert_allclose(box.get_bbox().extents, [left, bottom, right, top])
        assert box.get_linestyle() in (style, {"solid": "-", "dashed": "--"}[style])
        assert not box.get_fill()
    (line,) = _labelled(ax, "_roc")
    assert set(map(tuple, line.get_xydata())) <= set(zip(curve.fmr, curve.tmr, strict=True))


def test_everything_lies_inside_the_axes() -> None:
    fmr, tmr = _replicates()
    ax = draw_replicates(fmr, tmr, point=(0.01, 0.9), rectangle=BOX, joint=((-0.0, 0.05), (0.8, 0.99)))
    assert ax.get_xlim()[0] < 0
    assert ax.get_xlim()[1] > 0.05
    assert ax.get_ylim()[0] < 0.8
    assert 0.99 < ax.get_ylim()[1] <= 1.01


def test_the_legend_says_how_many_replicates_lie_in_each_box() -> None:
    fmr, tmr = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.5, 0.6, 0.7, 0.8])
    ax = draw_replicates(
        fmr, tmr, point=(0.2, 0.6), rectangle=((0.1, 0.2), (0.5, 0.9)), joint=((0.1, 0.3), (0, 1)), level=0.9
    )
    words = ["4 replicates", "estimate", "two 90 % intervals (50.0 % inside)", "two 95 % intervals (75.0 % inside)"]
    assert _legend(ax) == words
    more = draw_replicates(*_replicates(), point=(0.2, 0.6), rectangle=BOX, label="threshold 455")
    places = len(np.unique(np.column_stack(_replicates()), axis=0))
    assert _legend(more)[:2] == [f"2,000 replicates at {places} places", "threshold 455"]


def test_only_a_cloud_of_very_many_dots_becomes_pixels(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for size, pixels in ((5000, False), (5001, True)):
        ax = draw_replicates(rng.random(size), rng.random(size), point=(0.5, 0.5), rectangle=((0, 1), (0, 1)))
        svg = save(ax.figure, tmp_path, "cloud")[0].read_text(encoding="utf-8")
        assert bool(_cloud(ax).get_rasterized()) is pixels
        assert ("<image" in svg) is pixels
        assert ">True match rate</text>" in svg


def test_columns_of_a_matrix_of_replicates_are_taken() -> None:
    fmr, tmr = _replicates(50)
    ax = draw_replicates(fmr[:, None], tmr[:, None], point=(0.01, 0.9), rectangle=BOX)
    assert len(_cloud(ax).get_offsets()) <= 50


@pytest.mark.parametrize("rates", [(0.0, 1.0), (0.0, 0.0), (1.0, 1.0), (1e-9, 1 - 1e-9), (0.25, 0.5)])
@pytest.mark.parametrize("size", [1, 2000])
def test_replicates_that_are_all_equal_are_drawn(rates: tuple[float, float], size: int) -> None:
    fmr, tmr = np.full(size, rates[0]), np.full(size, rates[1])
    ax = draw_replicates(fmr, tmr, point=rates, rectangle=((rates[0],) * 2, (rates[1],) * 2), curve=roc_curve(_tally()))
    ax.figure.draw_without_rendering()
    assert _legend(ax)[0] == ("1 replicate" if size == 1 else "2,000 replicates at one place")
    for limits, rate in ((ax.get_xlim(), rates[0]), (ax.get_ylim(), rates[1])):
        assert limits[0] < rate < limits[1]


def test_small_false_match_rates_have_short_labels() -> None:
    fmr = np.arange(1, 9) / 1e7
    ax = draw_replicates(fmr, np.linspace(0.9926, 0.9939, 8), point=(4e-7, 0.993), rectangle=((1e-7, 8e-7), (0.9, 1)))
    ax.figure.draw_without_rendering()
    assert ax.get_xlabel() == "False match rate (×10⁻⁷)"
    assert {"2", "4", "6", "8"} <= {t.get_text() for t in ax.get_xticklabels()}


def test_replicates_that_cannot_be_drawn_are_refused() -> None:
    for fmr, tmr, box, words in (
        ([], [], BOX, "come in pairs, and there are 0 of FMR"),
        ([0.1], [0.1, 0.2], BOX, "1 of FMR and 2 of TMR"),
        ([np.nan], [0.1], BOX, "not a number"),
        ([0.1], [0.1], ((0.2, 0.1), (0, 1)), "from a low to a high rate"),
    ):
        with pytest.raises(MatedError, match=words):
            draw_replicates(fmr, tmr, point=(0.1, 0.1), rectangle=box)


# -- error bars and differences ----------------------------------------------------------------


@pytest.mark.parametrize("horizontal", [True, False])
def test_values_and_intervals_stand_in_the_order_given(horizontal: bool) -> None:
    ax = draw_error_bars(ESTIMATES, horizontal=horizontal)
    ax.figure.draw_without_rendering()
    value = 0 if horizontal else 1
    for place, (dot, bar, (centre, low, high)) in enumerate(
        zip(_labelled(ax, "_estimate"), _labelled(ax, "_interval"), ESTIMATES.values(), strict=True)
    ):
        assert dot.get_xydata()[:, value].tolist() == [centre]
        assert bar.get_xydata()[:, value].tolist() == [low, high]
        assert set(bar.get_xydata()[:, 1 - value]) == set(dot.get_xydata()[:, 1 - value]) == {place}
    names = ax.get_yticklabels() if horizontal else ax.get_xticklabels()
    assert [name.get_text() for name in names] == list(ESTIMATES)
    if horizontal:
        assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first is at the top


def test_numbers_stand_beside_the_bars() -> None:
    # Wu (2008), Table 5, Algorithm 1.
    estimates = {"Algorithm 1": (0.006064, 0.005511, 0.006703)}
    (text,) = draw_error_bars(estimates).texts
    assert text.get_text() == "0.606 % (0.551, 0.670)"
    (text,) = draw_error_bars(estimates, percent=False).texts
    assert text.get_text() == "0.00606 (0.00551, 0.00670)"
    (text,) = draw_error_bars(estimates, horizontal=False).texts
    assert text.get_text() == "0.606 %"


@pytest.mark.parametrize("horizontal", [True, False])
def test_the_axis_is_logarithmic_only_where_it_has_to_and_can_be(horizontal: bool) -> None:
    near, far = {"a": (0.01, 0.001, 0.02), "b": (0.3, 0.2, 0.4)}, {"a": (0.01, 0.001, 0.02), "b": (0.31, 0.2, 0.4)}
    with_zero = {**far, "c": (0.01, 0.0, 0.02)}
    for estimates, scale in ((near, "linear"), (far, "log"), (with_zero, "linear")):
        ax = draw_error_bars(estimates, horizontal=horizontal)
        assert (ax.get_xscale() if horizontal else ax.get_yscale()) == scale


@pytest.mark.parametrize("percent", [True, False])
@pytest.mark.parametrize("horizontal", [True, False])
@pytest.mark.parametrize(
    "estimates",
    [
        {"one": (0.01, 0.008, 0.013)},
        {"no width": (0.01, 0.01, 0.01)},
        {"zero": (0.0, 0.0, 0.0)},
        {"zero": (0.0, 0.0, 3e-9), "small": (1e-9, 1e-10, 1e-8)},
        {"tiny": (1e-30, 1e-31, 1e-29), "huge": (1e30, 1e29, 1e31)},
        {"huge": (1.2e9, 1.1e9, 1.3e9)},
        {"negative": (-3.0, -4.0, -2.0), "positive": (1.0, 0.0, 2.0)},
        {"outside its interval": (0.5, 0.1, 0.2)},
        {"no interval": (0.01, np.nan, np.nan), "half an interval": (0.02, 0.01, np.inf)},
        {f"system {k}": (k + 1.0, k + 0.5, k + 2.0) for k in range(80)},
    ],
    ids=lambda estimates: next(iter(estimates)),
)
def test_any_estimates_are_drawn_without_a_warning(
    estimates: dict[str, tuple[float, float, float]], horizontal: bool, percent: bool
) -> None:
    ax = draw_error_bars(estimates, horizontal=horizontal, percent=percent)
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim() if horizontal else ax.get_ylim()
    shown = [number for row in estimates.values() for number in row if np.isfinite(number) and np.isfinite(row).all()]
    assert low < min(shown, default=0.01)
    assert high > max(shown, default=0.02)


def test_differences_are_filled_where_significant_and_hollow_where_not() -> None:
    ax = draw_differences(ROWS, label="Difference of equal error rates")
    dots, bars = _labelled(ax, "_estimate"), _labelled(ax, "_interval")
    for place, (dot, bar, (_, difference, low, high, significant)) in enumerate(zip(dots, bars, ROWS, strict=True)):
        assert dot.get_xydata().tolist() == [[difference, place]]
        assert bar.get_xydata().tolist() == [[low, place], [high, place]]
        assert (dot.get_markerfacecolor() != "white") is significant
    (zero,) = _labelled(ax, "_zero")
    assert set(zero.get_xdata()) == {0}
    assert ax.get_xlim()[0] < -0.009 < 0.004 < ax.get_xlim()[1]
    assert ax.get_xlabel() == "Difference of equal error rates"
    assert _legend(ax) == ["significant", "not significant"]
    assert _legend(draw_differences(ROWS[:1])) == ["significant"]


def test_differences_are_written_with_their_signs() -> None:
    texts = [text.get_text() for text in draw_differences(ROWS).texts]
    assert texts == ["−0.0070 (−0.0090, −0.0050)", "+0.0010 (−0.0020, +0.0040)"]


@pytest.mark.parametrize("scale", [0.0, 1e-12, 1e-3, 1.0, 1e12])
@pytest.mark.parametrize("count", [1, 100])
def test_any_differences_are_drawn_and_zero_is_in_sight(scale: float, count: int) -> None:
    ax = draw_differences([("pair", 2 * scale, scale, 3 * scale, False)] * count)
    ax.figure.draw_without_rendering()
    assert ax.get_xlim()[0] < 0 < ax.get_xlim()[1]
    assert ax.get_xlim()[1] > 3 * scale


def test_estimates_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(MatedError, match="no estimate to draw; give at least one"):
        draw_error_bars({})
    with pytest.raises(MatedError, match="no difference to draw; give at least one"):
        draw_differences([])
    with pytest.raises(MatedError, match="the value of 'a' is nan"):
        draw_error_bars({"a": (np.nan, 0, 1)})
    with pytest.raises(MatedError, match=r"interval of 'a' goes from 0\.2 down to 0\.1"):
        draw_differences([("a", 0.15, 0.2, 0.1, True)])


# -- coverage ----------------------------------------------------------------------------------


def test_coverages_stand_over_their_cells_and_a_missing_one_is_left_out() -> None:
    ax = draw_coverage(COVERAGE, nominal=0.9)
    ax.figure.draw_without_rendering()
    pairs, subjects = (_labelled(ax, name)[0] for name in COVERAGE)
    np.testing.assert_array_equal(pairs.get_ydata(), [0.94, 0.6, np.nan])
    np.testing.assert_array_equal(subjects.get_ydata(), [0.95, 0.93, 0.92])
    assert np.all(np.abs(subjects.get_xdata() - np.arange(3)) < 0.3)
    assert [name.get_text() for name in ax.get_xticklabels()] == ["few", "many", "most"]
    (nominal,) = _labelled(ax, "_nominal")
    assert set(nominal.get_ydata()) == {0.9}
    assert _legend(ax) == ["pairs", "subjects", "nominal 90 %"]


@pytest.mark.parametrize(
    "rows",
    [
        {"one": {"cell": 0.95}},
        {"none and all": {"a": 0.0, "b": 1.0}},
        {"all": {"a": 1.0}},
        {"nothing known": {"a": np.nan}},
        {f"method {k}": {f"cell {c}": 0.9 for c in range(40)} for k in range(20)},
    ],
    ids=lambda rows: next(iter(rows)),
)
def test_any_coverages_are_drawn_without_a_warning(rows: dict[str, dict[str, float]]) -> None:
    ax = draw_coverage(rows)
    ax.figure.draw_without_rendering()
    known = [value for cells in rows.values() for value in cells.values() if not np.isnan(value)]
    assert ax.get_ylim()[0] < min([0.95, *known])
    assert ax.get_ylim()[1] > 1


def test_coverages_that_cannot_be_drawn_are_refused() -> None:
    for rows, words in (({}, "at least one"), ({"a": {}}, "at least one"), ({"a": {"b": 95.0}}, "between 0 and 1")):
        with pytest.raises(MatedError, match=words):
            draw_coverage(rows)


# -- numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "options", "words"),
    [
        ((0.5, 0.4, 0.6), {}, "0.50 (0.40, 0.60)"),
        ((0.5, 0.5, 0.5), {}, "0.500 (0.500, 0.500)"),
        ((0.5, np.nan, np.nan), {}, "0.500"),
        ((0.0, 0.0, 0.0), {"percent": True}, "0 % (0, 0)"),
        ((0.0, -1.0, 1.0), {"signed": True}, "0.0 (−1.0, +1.0)"),
        ((-1e-5, -0.1, 0.1), {"signed": True}, "0.00 (−0.10, +0.10)"),
        ((12345.0, 12000.0, 12700.0), {}, "12,345 (12,000, 12,700)"),
        ((1.5e-9, 1e-9, 2e-9), {}, "1.50×10⁻⁹ (1.00×10⁻⁹, 2.00×10⁻⁹)"),
        ((-2e12, -3e12, 0.0), {"signed": True}, "−2.00×10¹² (−3.00×10¹², 0)"),
    ],
)
def test_estimates_have_the_decimals_that_their_interval_supports(
    numbers: tuple[float, float, float], options: dict[str, bool], words: str
) -> None:
    assert write_estimate(*numbers, **options) == words


def test_percentages_of_a_log_axis_are_plain_down_to_a_thousandth() -> None:
    assert [write_percentage(rate) for rate in (1.0, 0.01, 1e-5, 1e-7)] == ["100 %", "1 %", "0.001 %", "10⁻⁵ %"]


def test_ticks_of_an_axis_have_equally_many_decimals() -> None:
    assert PlainFormatter().format_ticks([0.99, 0.9925, 0.995]) == ["0.9900", "0.9925", "0.9950"]
    assert PlainFormatter(0.01, " %").format_ticks([-0.1, 3e-18, 0.1]) == ["−10 %", "0 %", "10 %"]
    assert PlainFormatter(1e-6)(2.5e-6) == "2.5"
    assert PlainFormatter().format_ticks([]) == []
