"""The experiment schlett2023: the published numbers, the draws, and what a run leaves."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mated.errors import MatedError
from mated.quality import (
    DiscardCurve,
    SampleQualities,
    area_between,
    calibrate,
    error_curve,
    pair_qualities,
    starting_errors,
)
from mated.reproduce import experiment, schlett2023
from mated.reproduce import schlett2023_published as paper
from mated.reproduce.schlett2023_curves import best_possible, crossings, interpolation_study, random_bundle
from mated.reproduce.schlett2023_normalisation import NormalisationTask, data_sets, divergences
from mated.reproduce.schlett2023_stability import (
    STATISTICS,
    VARIANTS,
    OneDraw,
    Spread,
    Task,
    draw_variant,
    grid_of,
    one_draw,
    spread_of,
)

if TYPE_CHECKING:
    from pathlib import Path

SEED = 1  # the default of the command
TINY = schlett2023.Plan(3, 400, 200, 10, 6, 300, 2, 200, ("svg",))
EVERY_ROW = [
    pytest.param(row, id=f"{where} {name}")
    for where, rows in (*paper.TABLE_3.items(), *paper.TABLE_4.items())
    for name, row in rows.items()
]


def nothing(done: int, total: int) -> None:
    assert 0 < done <= total


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("schlett2023") / "made"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(schlett2023.PLANS, "small", TINY)
        files = schlett2023.run(directory, seed=SEED, size="small", jobs=1, progress=nothing)
    assert sorted(files) == sorted(directory.iterdir())
    return directory


@pytest.fixture(scope="module")
def draws() -> dict[int, list[OneDraw]]:
    """Six draws of both variants at the size of the paper."""
    return {variant: [one_draw(Task(SEED, variant, k, paper.SUBJECTS)) for k in range(6)] for variant in VARIANTS}


def rows(directory: Path, name: str) -> list[dict[str, str]]:
    with (directory / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# -- the published numbers -----------------------------------------------------------------------------


def test_published_numbers_are_those_of_the_paper():
    assert paper.TABLE_4[1]["SQA3 (0.15)"] == (3.99, 1.00, 4.99, 3.55, 3.47, 0.71)
    assert paper.TABLE_4[2]["SQA5 (0.05)"] == (3.59, 1.41, 5.00, 5.00, 4.85, 0.71)
    assert paper.TABLE_3["LFW"]["MagFace"] == (0.01, 1.00, 1.01, 1.00, 1.00, 0.00)
    assert paper.TABLE_3["TinyFace"]["PCNet"] == (4.00, 1.00, 5.00, 5.00, 4.56, 1.28)
    assert paper.TABLE_2_MEANS[0.2, "other", "minmax"] == (3.74, 11.06)
    assert paper.TABLE_2_MEANS[0.3, "combined", "proportional"] == (2.47, 6.93)


@pytest.mark.parametrize("row", EVERY_ROW)
def test_rows_of_placements_agree_with_themselves(row):
    assert row.span == pytest.approx(row.worst - row.best, abs=0.011)  # each is rounded by itself
    assert 1 <= row.best <= row.median <= row.worst <= 5
    assert row.best <= row.mean <= row.worst


def test_the_largest_deviation_is_that_of_two_extreme_values():
    """Of 0 and 4 with weights ¾ and ¼ the mean is 1 and the deviation √3; rounding can only add to it."""
    row = paper.Placements(4.0, 1.0, 5.0, 1.0, 2.0, 0.0)
    at_most = math.sqrt((5.005 - 2.005) * (2.005 - 0.995))
    assert math.sqrt(3) < paper.largest_deviation(row) == pytest.approx(at_most)


def test_three_published_deviations_cannot_be_those_of_the_placements_beside_them():
    found = {where: (row.deviation, round(most, 2)) for where, row, most in paper.impossible_deviations()}
    assert found == {
        "Table IV, variant 2, SQA1 (0.01)": (1.11, 0.97),
        "Table III, LFW, SER-FIQ": (0.87, 0.86),
        "Table III, TinyFace, PCNet": (1.28, 1.27),
    }


@pytest.mark.parametrize("row", EVERY_ROW)
def test_with_four_in_place_of_five_every_published_deviation_is_possible(row):
    assert 4 / 5 * (row.deviation - paper.HALF_UNIT) <= paper.largest_deviation(row)


# -- Table IV ------------------------------------------------------------------------------------------


def test_published_medians_and_means_are_within_the_spread_of_draws(draws):
    for variant, some in draws.items():
        for statistic in ("median", "mean"):
            for (name, row), spread in zip(paper.TABLE_4[variant].items(), spread_of(some, statistic), strict=True):
                assert spread.holds(getattr(row, statistic)), (variant, name, statistic, spread)


def test_published_deviations_are_explained_by_five_times_the_relative_rank_and_not_by_placements(draws):
    held = {}
    for scale in ("deviation", "deviation_times_count"):
        held[scale] = [
            spread.holds(row.deviation)
            for variant, some in draws.items()
            for row, spread in zip(paper.TABLE_4[variant].values(), spread_of(some, scale), strict=True)
        ]
    assert all(held["deviation_times_count"])
    # The middle algorithms of variant 1 have the steadiest deviations, and those tell the scales apart.
    assert not any(held["deviation"][1:3])


def test_rankings_are_in_the_expected_order_at_high_limits_and_often_not_at_low_ones(draws):
    for some in draws.values():
        in_order = np.array([draw.in_order for draw in some])
        assert in_order[:, :, 9:].all()
        assert not in_order[:, :, 0].all(axis=1).any()
        apart = np.mean([draw.divergence for draw in some], axis=0)
        assert apart[:, 0].max() > 1 > 0.5 > apart[:, -1].max()


def test_a_spread_tells_how_far_a_published_number_is_off():
    spread = Spread(4, 2.0, 0.5, 1.4, 2.6)
    assert spread.distance(3.005) == pytest.approx(1 / (0.5 * math.sqrt(1.25)))
    assert spread.distance(2.004) == 0
    # Student's t with 3 degrees of freedom: 99 % within 5.841.
    assert spread.holds(2.005 + 5.84 * 0.5 * math.sqrt(1.25))
    assert not spread.holds(2.005 + 5.85 * 0.5 * math.sqrt(1.25))
    constant = Spread(4, 1.0, 0.0, 1.0, 1.0)
    assert (constant.holds(1.0), constant.holds(1.01)) == (True, False)


def test_statistics_of_a_draw_are_those_of_its_ranking_grid():
    task = Task(SEED, 2, 0, 300)
    grid, draw = grid_of(draw_variant(task)), one_draw(task)
    assert draw.statistics[1].tolist() == [getattr(grid.statistics()[1], name) for name in STATISTICS]
    np.testing.assert_allclose(draw.divergence, grid.divergence([1, 2, 3, 4, 5]), atol=1e-12)
    assert not np.array_equal(draw.divergence, one_draw(Task(SEED, 2, 1, 300)).divergence)
    spread = spread_of([draw, one_draw(Task(SEED, 2, 1, 300))], "mean")[0]
    assert spread.draws == 2
    assert spread.low <= spread.mean <= spread.high


# -- curves --------------------------------------------------------------------------------------------


def _random_curve(rng: np.random.Generator, how: str) -> DiscardCurve:
    discard = np.concatenate([[0.0], np.unique(rng.integers(1, 20, 6)) / 20, [1.0]])
    return DiscardCurve(discard, rng.integers(0, 6, len(discard)) / 5, "FNMR", interpolation=how)  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["step", "linear"])
def test_curves_cross_where_the_sign_of_their_difference_changes(how):
    rng = np.random.default_rng(7)
    seen = 0
    for _ in range(200):
        one, other = _random_curve(rng, how), _random_curve(rng, how)
        found = crossings(one, other, 0.8)
        fine = np.linspace(0, 0.8, 8001)
        apart = np.round(one(fine) - other(fine), 12)
        signs = np.sign(apart[apart != 0])
        assert len(found) == np.count_nonzero(signs[1:] != signs[:-1])
        for x, y in found:
            near = [c([max(x - 1e-4, 0), x]) for c in (one, other)]
            assert max(np.min(values) for values in near) - 1e-2 <= y <= min(np.max(values) for values in near) + 1e-2
        seen += len(found)
    assert seen > 100


def test_the_best_curve_keeps_its_distance_from_the_line_whatever_the_number_of_steps():
    """(e₀ − d)/(1 − d) − (e₀ − d) = d(e₀ − d)/(1 − d) is largest at d = 1 − √(1 − e₀), where it is d²."""
    for errors, total in ((5000, 10_000), (500, 10_000)):
        curve = best_possible(errors, total)["without discarded"]
        left = curve.discard < 1
        apart = curve.value[left] - np.maximum(errors / total - curve.discard[left], 0)
        assert apart.max() == pytest.approx((1 - math.sqrt(1 - errors / total)) ** 2, rel=1e-3)
    over_all = best_possible(5, 10)["with discarded"]
    np.testing.assert_allclose(over_all.value[:6], [0.5, 0.4, 0.3, 0.2, 0.1, 0])


def test_random_curves_begin_at_the_starting_error_and_their_mean_stays_there():
    bundle = random_bundle(SEED, subjects=500, curves=40, until=0.5)
    assert bundle.rates.shape == (40, 51)
    assert set(bundle.rates[:, 0]) == {bundle.starting_error}
    assert np.all(np.abs(bundle.mean - bundle.starting_error)[1:] < 4 * bundle.standard_error[1:])
    # A sample takes all its pairs with it.
    assert np.all(bundle.rates.std(axis=0, ddof=1)[5:] > bundle.pair_spread[5:])


def test_the_draw_that_is_shown_is_ranked_one_way_by_steps_and_the_other_by_lines():
    study = interpolation_study(SEED, draws=25)
    assert study.share[21] > 0
    better = [min(curves, key=lambda name: curves[name].area(0.2)) for curves in (study.stepwise, study.linear)]
    assert better[0] != better[1]
    # The fewer the levels, the larger the steps.
    assert list(study.ratio.values()) == sorted(study.ratio.values(), reverse=True)
    assert min(study.ratio.values()) > 1


# -- normalisation -------------------------------------------------------------------------------------


def test_divergences_are_those_of_samples_normalised_one_by_one():
    task = NormalisationTask(SEED, 0, 100)
    table = divergences(task)
    assert table.shape == (2, 3, 2, 2, 5)
    data = data_sets(task)
    low, name = data["low"], "SQA2 (0.10)"
    boundaries = calibrate(data["high"].quality[name], low.quality[name], method="proportional").boundaries
    integers = [sum(bool(b <= q) for b in boundaries) for q in low.quality[name]]
    qualities = {"raw": low.quality[name], "normalised": integers}
    paired = pair_qualities(low.comparisons(), SampleQualities.from_arrays(low.sample_names, qualities))
    start = starting_errors(paired.comparisons.tally()).nearest(0.05)
    raw, normalised = (error_curve(paired.order(key), start) for key in qualities)
    for place, high in enumerate((0.2, 0.3)):
        expected = 100 * area_between(raw, normalised, high) / raw.area(high)
        assert table[place, 2, 1, 1, 1] == pytest.approx(expected, rel=1e-12)


# -- a run ---------------------------------------------------------------------------------------------


def test_run_writes_every_table_and_figure(results):
    tables = {f"{name}.csv" for name in ("table4", "figure4", "figure5", "figure13", "curve_types", "normalisation")}
    figures = {"figure4", "figure5", "figure6", "figure14", "figure15", "figure16", "det_by_discard"}
    figures |= {f"figure7_{function}" for function in ("minmax", "proportional")}
    figures |= {f"figure8_{data}" for data in ("high", "low")} | {f"figure9_{data}" for data in ("same", "other")}
    figures |= {f"{name}_variant{n}" for name in ("figure12", "figure13", "placements") for n in (1, 2)}
    expected = tables | {f"{name}.svg" for name in figures} | {"schlett2023.md"}
    assert {file.name for file in results.iterdir()} == expected


def test_page_says_what_is_synthetic_and_what_cannot_be_reproduced(results):
    page = " ".join((results / "schlett2023.md").read_text(encoding="utf-8").split())
    assert "**Everything here is synthetic.**" in page
    assert "Tables I and III and Figures 1 to 3, 10 and 11 cannot be reproduced" in page
    assert "**Stand-ins:** the paper uses LFW and TinyFace." in page
    for file in results.glob("*.svg"):
        assert f"({file.name})" in page


def test_page_has_every_published_number_of_table_4_beside_ours(results):
    lines = (results / "schlett2023.md").read_text(encoding="utf-8").splitlines()
    table = {
        (row["variant"], row["algorithm"], row["statistic"]): row
        for row in rows(results, "table4")
        if row["offsets"] == "own"
    }
    assert len(table) == 2 * 5 * len(STATISTICS)
    for variant, algorithms in paper.TABLE_4.items():
        for name, row in algorithms.items():
            for group in (("median", "mean"), ("span", "best", "worst")):
                cells = []
                for statistic in group:
                    ours = table[str(variant), name, statistic]
                    assert float(ours["published"]) == getattr(row, statistic)
                    cells.append(f"{getattr(row, statistic):.2f} | {float(ours['ours_mean']):.2f}")
                found = [line for line in lines if line.startswith(f"| {name} |") and _squeezed(line, cells)]
                assert found, (variant, name, group)


def _squeezed(line: str, cells: list[str]) -> bool:
    short = " ".join(line.split())
    return all(cell in short for cell in cells)


def test_page_states_what_the_paper_says_and_whether_it_holds(results):
    lines = (results / "schlett2023.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith(("| Table ", "| Figure"))]
    assert len(table) == 12
    assert all(line.rstrip(" |").endswith(("yes", "no", "in part")) for line in table)


def test_divergences_of_the_first_draw_are_in_the_file(results):
    table = rows(results, "figure13")
    assert len(table) == 2 * 200
    draw = one_draw(Task(SEED, 1, 0, TINY.subjects))
    cell = next(row for row in table if (row["starting_error"], row["limit"]) == ("0.03", "0.07"))
    assert float(cell["first_draw"]) == pytest.approx(draw.divergence[2, 6], abs=1e-6)
    assert float(cell["low"]) <= float(cell["mean"]) <= float(cell["high"])


def test_same_seed_gives_the_same_bytes_on_any_number_of_processes(results, tmp_path, monkeypatch):
    monkeypatch.setitem(schlett2023.PLANS, "small", TINY)
    steps: list[tuple[int, int]] = []
    files = experiment("schlett2023")(
        tmp_path, seed=SEED, size="small", jobs=2, progress=lambda *step: steps.append(step)
    )
    assert files[0].name == "schlett2023.md"
    assert steps[-1][0] == steps[-1][1]
    assert steps == sorted(steps)
    for file in files:
        assert file.read_bytes() == (results / file.name).read_bytes()


def test_both_sizes_draw_as_many_subjects_as_the_paper():
    """The means of Table IV depend on it, as rankings at low limits are chance."""
    assert {plan.subjects for plan in schlett2023.PLANS.values()} == {paper.SUBJECTS}
    assert schlett2023.PLANS["full"].draws == 20


@pytest.mark.parametrize(
    ("options", "said"), [({"size": "huge"}, "no size 'huge'"), ({"jobs": 0}, "one process"), ({"seed": -1}, "a seed")]
)
def test_bad_options_are_refused_in_a_sentence(tmp_path, options, said):
    with pytest.raises(MatedError, match=said):
        schlett2023.run(tmp_path, **{"seed": 1, "size": "small", "jobs": 1, "progress": nothing, **options})
    assert not list(tmp_path.iterdir())
