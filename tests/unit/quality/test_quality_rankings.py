"""Areas, rankings, their stability, normalisation and scalar measures by hand and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mated.errors import MatedError
from mated.quality import (
    DiscardCurve,
    PartialArea,
    RankingGrid,
    area_grid,
    calibrate,
    curve_divergence,
    discrete_ranking,
    error_correlation,
    error_curve,
    partial_area,
    pearson,
    rank_curves,
    ranking_grid,
    relative_ranking,
    root_mean_square_error,
    sample_utility,
    spearman,
    starting_errors,
)
from mated.quality.stability import LIMITS, STARTING_ERRORS
from mated.scores import Comparisons, Tally
from mated.scores.discard_order import DiscardOrder

TABLE_1 = {
    # Schlett et al. (2023), Table I: areas, discrete and relative ranking
    "LFW": ([0.00362, 0.00383, 0.00506, 0.00572, 0.00672], [0.00, 0.07, 0.46, 0.68, 1.00]),
    "TinyFace": ([0.00588, 0.00589, 0.00666, 0.00787, 0.00793], [0.00, 0.00, 0.38, 0.97, 1.00]),
}


def flat(height: float, *, good: bool = False) -> DiscardCurve:
    return DiscardCurve(np.array([0.0, 1.0]), np.full(2, height), "height", higher_is_better=good)


class TestRankings:
    @pytest.mark.parametrize("name", TABLE_1)
    def test_are_those_of_table_1(self, name):
        areas, relative = TABLE_1[name]
        assert discrete_ranking(areas).tolist() == [1, 2, 3, 4, 5]
        # The areas are rounded to five digits: a step of 1e-5 over a span of .002.
        np.testing.assert_allclose(relative_ranking(areas), relative, atol=0.011)

    def test_equal_areas_share_a_rank(self):
        assert discrete_ranking([3, 1, 1, 2]).tolist() == [4, 1, 1, 3]
        assert relative_ranking([2, 2, 2]).tolist() == [0, 0, 0]

    def test_differences_of_rounding_are_none(self):
        areas = np.array([0.01, 0.01 * (1 + 1e-15), 0.01 * (1 - 3e-15)])
        assert discrete_ranking(areas).tolist() == [1, 1, 1]
        assert relative_ranking(areas).tolist() == [0, 0, 0]
        assert discrete_ranking([0.01, 0.01 * (1 + 1e-11)]).tolist() == [1, 2]

    def test_follow_the_good_direction(self):
        assert discrete_ranking([1, 2, 3], higher_is_better=True).tolist() == [3, 2, 1]
        assert relative_ranking([1, 2, 3], higher_is_better=True).tolist() == [1, 0.5, 0]
        placed = rank_curves({"low": flat(1, good=True), "high": flat(2, good=True)}, 0.5)
        assert [(p.algorithm, p.area, p.rank, p.relative) for p in placed] == [("high", 1, 1, 0), ("low", 0.5, 2, 1)]

    def test_of_no_curve_or_of_different_curves_are_refused(self):
        with pytest.raises(MatedError, match="no curve to rank"):
            rank_curves({}, 0.2)
        other = DiscardCurve(np.array([0.0, 1.0]), np.zeros(2), "depth")
        with pytest.raises(MatedError, match="that of 'b' is of another kind"):
            rank_curves({"a": flat(1), "b": other}, 0.2)
        with pytest.raises(MatedError, match="NaN cannot be ranked"):
            relative_ranking([1, np.nan])


def test_a_partial_area_lies_between_its_two_bounds():
    """Starting error .3 to .2: best .3²/2 − .1²/2 = .04, constant .06; a raw area of .05 is half way."""
    area = PartialArea(0, 0.2, raw=0.05, best=0.04, constant=0.06)
    assert area.above_best == pytest.approx(0.01)
    assert area.relative == pytest.approx(0.5)
    assert area.share_of_constant == pytest.approx(5 / 6)


class TestStability:
    def grid(self, relative) -> RankingGrid:
        areas = np.asarray(relative, dtype=float)
        return RankingGrid(tuple("abc"), (), np.array([0.1, 0.2]), areas)

    def test_the_grid_of_the_paper(self):
        assert STARTING_ERRORS == (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1)
        assert (len(LIMITS), LIMITS[0], LIMITS[-1]) == (20, 0.01, 0.2)

    def test_divergence_and_placements_by_hand(self):
        """Two configurations: p = (0, .5, 1) and (0, 1, .5); placements are 1 + 2p."""
        grid = self.grid([[[1.0, 5.0]], [[1.5, 7.0]], [[2.0, 6.0]]])
        assert grid.relative.tolist() == [[[0, 0]], [[0.5, 1]], [[1, 0.5]]]
        assert grid.mean_ranking.tolist() == [0, 0.75, 0.75]
        assert grid.divergence().tolist() == [[0.5, 0.5]]
        assert grid.divergence([1, 2, 3]).tolist() == [[0, 1]]
        second = grid.statistics()[1]
        assert (second.best, second.worst, second.span, second.median, second.mean) == (2, 3, 1, 2.5, 2.5)
        assert (second.deviation, second.deviation_times_count) == (0.5, 0.75)
        with pytest.raises(MatedError, match="each of the 3 algorithms, and 2 are given"):
            grid.divergence([1, 2])

    def test_is_refused_for_one_algorithm_mixed_errors_and_limits_beyond_the_order(self):
        score, quality = np.arange(10.0), np.arange(10.0)
        tally = Tally.from_scores(score, score)
        order = DiscardOrder.of(score, quality, limit=0.2)
        mated, nonmated = (starting_errors(tally, kind).nearest(0.3) for kind in ("fnm", "fm"))
        with pytest.raises(MatedError, match="two algorithms or more"):
            ranking_grid({"a": order}, [mated])
        with pytest.raises(MatedError, match="starting errors of one kind"):
            area_grid(order, [mated, nonmated], [0.1])
        with pytest.raises(MatedError, match="at least one"):
            area_grid(order, [], [0.1])
        with pytest.raises(MatedError, match=r"known up to discard fraction 0\.3, and a limit of 0\.9"):
            area_grid(order, [mated], [0.9])
        with pytest.raises(MatedError, match="a discard limit lies above 0"):
            area_grid(order, [mated], [0.0])

    def test_a_large_grid_is_that_of_the_single_curves(self):
        rng = np.random.default_rng(8)
        score, quality = np.round(rng.random(5000), 3), np.round(rng.random(5000), 2)
        starts = starting_errors(Tally.from_scores(score, [])).nearest_each(STARTING_ERRORS)
        for interpolation in ("step", "linear"):
            order = DiscardOrder.of(score, quality, limit=0.2)
            grid = area_grid(order, starts, LIMITS, interpolation=interpolation)
            for start, row in zip(starts, grid, strict=True):
                curve = error_curve(order, start, interpolation=interpolation)
                np.testing.assert_allclose(row, [partial_area(curve, limit).raw for limit in LIMITS], rtol=1e-12)


@pytest.mark.parametrize("kind", ["fnm", "fm"])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_scores_of_any_type_are_compared_in_their_own_precision(dtype, kind):
    """Thirds have no exact float32; widened to float64 the same scores must give the same errors."""
    score = (np.random.default_rng(3).integers(0, 40, 500) / (3 if dtype is np.float32 else 1)).astype(dtype)
    quality = np.random.default_rng(4).integers(0, 30, 500)
    areas = []
    for values in (score, score.astype(np.float64)):
        start = starting_errors(Tally.from_scores(values, values), kind).nearest_each([0.1, 0.3])
        order = DiscardOrder.of(values, quality)
        curve = error_curve(order, start[0])
        grid = area_grid(order, start, [0.2, 0.5])
        assert grid[0] == pytest.approx([curve.area(0.2), curve.area(0.5)], rel=1e-13)
        areas.append(grid.tolist())
    assert areas[0] == areas[1]


class TestNormalisation:
    def test_minmax_divides_the_range_equally(self):
        """101 levels of width 1 from 0 to 101."""
        calibration = calibrate([0.0, 101.0, 17.0])
        np.testing.assert_allclose(calibration.boundaries, np.arange(1, 101))
        assert calibration([0, 0.99, 1, 100, 101]).tolist() == [0, 0, 1, 100, 100]
        assert calibration([-50, 500]).tolist() == [0, 100]
        assert calibration(50.5) == 50

    @pytest.mark.parametrize("size", [101, 102, 999, 5000])
    def test_proportional_levels_hold_equally_many_but_for_one(self, size):
        quality = np.random.default_rng(size).lognormal(size=size)
        counts = np.bincount(calibrate(quality, method="proportional")(quality), minlength=101)
        assert len(counts) == 101
        assert set(counts.tolist()) <= {size // 101, -(-size // 101)}

    def test_a_constant_quality_is_one_level(self):
        for method in ("minmax", "proportional"):
            assert len(set(calibrate([3.0, 3.0], method=method)([3.0, 3.0]).tolist())) == 1

    def test_sets_are_combined_and_order_is_kept(self):
        rng = np.random.default_rng(4)
        one, other = rng.normal(size=300), rng.normal(3, 1, size=200)
        together = calibrate(one, other, method="proportional")
        same = calibrate(np.concatenate([one, other]), method="proportional")
        assert np.array_equal(together.boundaries, same.boundaries)
        assert np.all(np.diff(together(np.sort(one))) >= 0)

    def test_divergence_is_the_area_between_curves_over_that_under_the_raw_one(self):
        assert curve_divergence(flat(0.2), flat(0.25), 0.4) == pytest.approx(0.25)
        assert curve_divergence(flat(0.2), flat(0.2), 0.4) == 0
        with pytest.raises(MatedError, match="is 0"):
            curve_divergence(flat(0.0), flat(0.2), 0.4)

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: calibrate([1, 2], method="median"), "no calibration 'median'"),
            (lambda: calibrate([]), "no quality to calibrate with"),
            (lambda: calibrate(), "no quality to calibrate with"),
            (lambda: calibrate([1, np.nan]), "finite"),
            (lambda: calibrate([1, 2], levels=1), "two levels or more"),
            (lambda: calibrate([1, 2])([np.nan]), "NaN"),
        ],
    )
    def test_what_cannot_be_done_is_refused(self, call, message):
        with pytest.raises(MatedError, match=message):
            call()


class TestScalars:
    x = np.round(np.random.default_rng(1).normal(size=200), 1)
    y = np.round(x + np.random.default_rng(2).normal(size=200), 1)

    def test_correlations_are_those_of_scipy(self):
        assert pearson(self.x, self.y) == pytest.approx(stats.pearsonr(self.x, self.y).statistic, abs=1e-14)
        assert spearman(self.x, self.y) == pytest.approx(stats.spearmanr(self.x, self.y).statistic, abs=1e-14)

    def test_a_line_is_correlated_fully_in_any_range(self):
        for scale in (1e-200, 1.0, 1e200):
            assert pearson(self.x * scale, -self.x) == pytest.approx(-1, abs=1e-12)

    def test_what_does_not_vary_has_no_correlation(self):
        assert pearson([1, 1], [1, 2]) is None
        assert spearman([1, 2], [3, 3]) is None

    def test_root_mean_square_error_by_hand(self):
        assert root_mean_square_error([1, 2, 3], [1, 4, 7]) == pytest.approx(np.sqrt(20 / 3))

    def test_errors_are_correlated_as_zero_and_one(self):
        """Qualities 1, 2, 3, 4 with errors 1, 1, 0, 0: r = −2/√5."""
        value = error_correlation([1, 2, 3, 4], np.array([0.1, 0.2, 0.8, 0.9]), 0.5, "fnm")
        assert value == pytest.approx(-2 / np.sqrt(5))
        assert error_correlation([1, 2, 3, 4], np.array([0.1, 0.2, 0.8, 0.9]), 0.5, "fm") == pytest.approx(-value)

    def test_utility_by_hand_and_beside_quality(self):
        """Sample a: mated .9 and .7, non-mated .2 and .0: (.8 − .1)/√(.01 + .01)."""
        data = Comparisons.from_arrays(
            [0.9, 0.7, 0.2, 0.0, 1.0],
            [True, True, False, False, True],
            probe_sample=list("aaaaa"),
            reference_sample=list("bcdea"),
        )
        found = sample_utility(data)
        assert found.code.tolist() == [0]
        assert found.value == pytest.approx([0.7 / np.sqrt(0.02)])
        assert found.left_out == 4  # the others have comparisons of one class only
        utility, quality = found.beside(np.array([5.0, np.nan, 1, 1, 1]))
        assert (len(utility), quality.tolist()) == (1, [5])

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: pearson([1, 2], [1, 2, 3]), "must be as many"),
            (lambda: pearson([], []), "no value"),
            (lambda: pearson([1, np.inf], [1, 2]), "finite"),
            (lambda: sample_utility(Comparisons.from_arrays([1.0], [True])), "which samples"),
        ],
    )
    def test_what_cannot_be_done_is_refused(self, call, message):
        with pytest.raises(MatedError, match=message):
            call()

    def test_utilities_need_finite_scores(self):
        data = Comparisons.from_arrays([np.inf], [True], probe_sample=["a"], reference_sample=["b"])
        with pytest.raises(MatedError, match="finite scores"):
            sample_utility(data)
