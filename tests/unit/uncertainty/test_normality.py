"""Tests of multivariate normality against published values and slow twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mated.errors import MatedError
from mated.uncertainty.normality import multivariate_normality

# Iris setosa, Fisher (1936): sepal length and width, petal length and width of 50 flowers, in millimetres.
SETOSA = np.fromstring(
    """
    51 35 14 2  49 30 14 2  47 32 13 2  46 31 15 2  50 36 14 2  54 39 17 4  46 34 14 3  50 34 15 2  44 29 14 2
    49 31 15 1  54 37 15 2  48 34 16 2  48 30 14 1  43 30 11 1  58 40 12 2  57 44 15 4  54 39 13 4  51 35 14 3
    57 38 17 3  51 38 15 3  54 34 17 2  51 37 15 4  46 36 10 2  51 33 17 5  48 34 19 2  50 30 16 2  50 34 16 4
    52 35 15 2  52 34 14 2  47 32 16 2  48 31 16 2  54 34 15 4  52 41 15 1  55 42 14 2  49 31 15 2  50 32 12 2
    55 35 13 2  49 36 14 1  44 30 13 2  51 34 15 2  50 35 13 3  45 23 13 3  44 32 13 2  50 35 16 6  51 38 19 4
    48 30 14 3  51 38 16 2  46 32 14 2  53 37 15 2  50 33 14 2
    """,
    sep=" ",
).reshape(-1, 4)


def test_shapiro_wilk_of_setosa_is_that_of_mvnormtest():
    # mvnormtest::mshapiro.test(t(iris[1:50, 1:4])): W = 0.95878, p-value = 0.07906.
    result = multivariate_normality(SETOSA)
    assert result.statistic == pytest.approx(0.95878, abs=5e-6)
    assert result.p_value == pytest.approx(0.07906, abs=5e-6)
    assert result.method == "shapiro-wilk"


def test_henze_zirkler_of_setosa_is_that_of_the_r_package_mvn():
    # The vignette of MVN: HZ = 0.9488453, p value 0.04995356.
    result = multivariate_normality(SETOSA, "henze-zirkler")
    assert result.statistic == pytest.approx(0.9488453, abs=5e-8)
    assert result.p_value == pytest.approx(0.04995356, abs=5e-9)
    assert result.method == "henze-zirkler"


def test_shapiro_wilk_projects_on_the_direction_of_the_farthest_point():
    points = np.random.default_rng(3).gamma(2, size=(60, 3))
    centred = points - points.mean(axis=0)
    inverse = np.linalg.inv(centred.T @ centred)
    farthest = max(centred, key=lambda r: r @ inverse @ r)
    expected = stats.shapiro([r @ inverse @ farthest for r in centred])
    result = multivariate_normality(points)
    assert result[:2] == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


def test_henze_zirkler_is_the_sum_over_all_pairs():
    points = np.random.default_rng(4).gamma(3, size=(600, 2))  # more than one block of rows
    n, d = points.shape
    inverse = np.linalg.inv(np.cov(points.T, bias=True))
    b = (n * (2 * d + 1) / 4) ** (1 / (d + 4)) / math.sqrt(2)
    centre = points.mean(axis=0)
    pairs = sum(math.exp(-(b**2) / 2 * ((x - y) @ inverse @ (x - y))) for x in points[:300] for y in points[:300])
    pairs += sum(math.exp(-(b**2) / 2 * ((x - y) @ inverse @ (x - y))) for x in points[300:] for y in points[300:])
    pairs += 2 * sum(math.exp(-(b**2) / 2 * ((x - y) @ inverse @ (x - y))) for x in points[:300] for y in points[300:])
    own = sum(math.exp(-(b**2) / (2 * (1 + b**2)) * ((x - centre) @ inverse @ (x - centre))) for x in points)
    expected = pairs / n - 2 * (1 + b**2) ** (-d / 2) * own + n * (1 + 2 * b**2) ** (-d / 2)
    assert multivariate_normality(points, "henze-zirkler").statistic == pytest.approx(expected, rel=1e-9)


def test_in_one_dimension_it_is_the_test_of_shapiro_and_wilk():
    values = np.random.default_rng(1).exponential(size=40)
    expected = stats.shapiro(values)
    assert multivariate_normality(values)[:2] == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize("method", ["shapiro-wilk", "henze-zirkler"])
class TestBothTests:
    def test_a_linear_map_changes_nothing(self, method):
        mapped = SETOSA @ np.array([[2, 0, 0, 1e-6], [0, 1, 3, 0], [0, 0, 1e5, 0], [7, 0, 0, 1]]) + [5, 0, -1e3, 1]
        assert multivariate_normality(mapped, method)[:2] == pytest.approx(
            multivariate_normality(SETOSA, method)[:2], rel=1e-6
        )

    def test_far_tails_are_found(self, method):
        points = np.random.default_rng(2).standard_t(3, size=(500, 2))
        assert multivariate_normality(points, method).p_value < 1e-6

    def test_normal_points_pass_most_of_the_time(self, method):
        rng = np.random.default_rng(6)
        covariance = [[1, 0.8], [0.8, 2]]
        p = [
            multivariate_normality(rng.multivariate_normal([0, 1], covariance, 300), method).p_value for _ in range(200)
        ]
        assert np.mean(np.array(p) > 0.05) > 0.8

    def test_five_thousand_points_are_accepted(self, method):
        points = np.random.default_rng(7).normal(size=(5000, 2))
        assert 0 <= multivariate_normality(points, method).p_value <= 1

    def test_a_coordinate_that_does_not_vary_is_named(self, method):
        with pytest.raises(MatedError, match="coordinate 2 of the points does not vary"):
            multivariate_normality(np.column_stack([np.arange(9.0), np.full(9, 0.1)]), method)

    def test_coordinates_that_depend_on_each_other_are_named(self, method):
        x = np.random.default_rng(8).normal(size=(50, 2))
        with pytest.raises(MatedError, match="depend linearly"):
            multivariate_normality(np.column_stack([x, x @ [1, -2]]), method)


@pytest.mark.parametrize(
    ("points", "says"),
    [
        (np.zeros((2, 2, 2)), "rows of a two-dimensional array"),
        ([[1, 2], [3, math.nan], [4, 5], [6, 8]], "finite"),
        (["x"], "must be numbers"),
        (np.zeros((3, 3)), "in 3 dimensions takes 4 to 5000 points, and there are 3"),
        (np.zeros(2), "in 1 dimension takes 3 to 5000 points, and there are 2"),
        (np.zeros((5001, 2)), "there are 5001"),
    ],
)
def test_points_that_cannot_be_tested_are_named(points, says):
    with pytest.raises(MatedError, match=says):
        multivariate_normality(points)


def test_an_unknown_test_is_named():
    with pytest.raises(MatedError, match="not 'mardia'"):
        multivariate_normality(SETOSA, "mardia")
