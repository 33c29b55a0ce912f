"""Standard errors and intervals of replicates, against hand-made values, NumPy and SciPy."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

from mated.errors import MatedError
from mated.scores import Tally
from mated.uncertainty.replicates import Replicates, threshold_interval

INF = math.inf


def test_the_standard_error_has_divisor_b_minus_one():
    assert Replicates(np.array([1.0, 2.0, 3.0, 6.0]), 2.0).standard_error == pytest.approx(math.sqrt(14 / 3))


def test_the_coefficient_of_variation_of_table_5_algorithm_1():
    # Wu (2008), section 5: 0.000301 / 0.006064 = 4.96 %.
    spread = 0.000301 / math.sqrt(2)
    replicates = Replicates(np.array([0.006064 - spread, 0.006064 + spread]), 0.006064)
    assert replicates.coefficient_of_variation == pytest.approx(0.0496, abs=5e-5)
    assert Replicates(np.array([0.0, 0.1]), 0.0).coefficient_of_variation is None


def test_a_quantile_is_the_mean_of_two_values_exactly_at_a_step():
    replicates = Replicates(np.arange(1.0, 101.0)[::-1], 0.0)
    assert replicates.quantile(0.07) == 7.5
    assert replicates.quantile(0.075) == 8.0
    assert replicates.quantile(Fraction(1, 3)) == 34.0
    assert (replicates.quantile(0), replicates.quantile(1)) == (1.0, 100.0)


@pytest.mark.parametrize("p", [0.025, 0.1, 0.25, 0.5, 0.61, 0.975])
@pytest.mark.parametrize("size", [2, 3, 40, 999, 2000])
def test_quantiles_are_those_of_definition_2_in_numpy(size, p):
    values = np.random.default_rng(size).normal(size=size)
    expected = np.quantile(values, p, method="averaged_inverted_cdf")
    assert Replicates(values, 0.0).quantile(p) == pytest.approx(expected, abs=1e-15)


def test_the_percentile_interval_of_2000_replicates_averages_the_50th_and_the_51st():
    replicates = Replicates(np.arange(1.0, 2001.0), 1000.0)
    assert replicates.percentile_interval(0.95) == (50.5, 1950.5)
    assert replicates.percentile_interval(0.9) == (100.5, 1900.5)


def test_the_normal_interval_reaches_z_standard_errors_to_both_sides():
    replicates = Replicates(np.array([-1.0, 0.0, 1.0]), 5.0)
    low, high = replicates.normal_interval(0.95)
    assert (low, high) == pytest.approx((5 - 1.959963984540054, 5 + 1.959963984540054))


def test_the_bca_interval_is_that_of_scipy():
    data = np.random.default_rng(3).exponential(size=40)
    result = scipy.stats.bootstrap((data,), np.mean, n_resamples=1999, method="BCa", rng=5)
    left_out = (data.sum() - data) / 39
    deviation = left_out.mean() - left_out
    acceleration = (deviation**3).sum() / (6 * (deviation**2).sum() ** 1.5)
    replicates = Replicates(result.bootstrap_distribution, data.mean())
    ours = replicates.bca_interval(0.95, acceleration=acceleration)
    # SciPy interpolates between replicates, here a few thousandths of a standard error apart.
    assert ours == pytest.approx(tuple(result.confidence_interval), abs=0.02 * replicates.standard_error)


def test_bca_without_bias_and_acceleration_is_the_percentile_interval():
    replicates = Replicates(np.arange(-1000.0, 1001.0), 0.0)
    assert replicates.bca_interval(0.95, acceleration=0.0) == replicates.percentile_interval(0.95)


@pytest.mark.parametrize("acceleration", [-5.0, -0.1, 0.0, 0.1, 5.0])
@pytest.mark.parametrize("estimate", [-9.0, 0.0, 9.0])
def test_bca_stays_within_the_replicates_at_any_bias_and_acceleration(estimate, acceleration):
    replicates = Replicates(np.linspace(-1, 1, 101), estimate)
    low, high = replicates.bca_interval(0.95, acceleration=acceleration)
    assert -1 <= low <= high <= 1


@pytest.mark.parametrize(
    ("values", "estimate"),
    [
        ([INF, INF], INF),
        ([-INF, INF], 0.0),
        ([-INF, 1.0, 2.0, INF], INF),
        ([-INF] * 3 + [4.0], -INF),
        ([1.0, INF], 1.0),
    ],
)
def test_infinite_values_make_no_nan(values, estimate):
    replicates = Replicates(np.array(values), estimate)
    numbers = [
        replicates.standard_error,
        *replicates.percentile_interval(0.5),
        *replicates.percentile_interval(0.95),
        *replicates.normal_interval(0.95),
        *replicates.bca_interval(0.95, acceleration=0.01),
        *(replicates.quantile(p / 4) for p in range(5)),
    ]
    assert not np.isnan(numbers).any()
    assert replicates.quantile(0) == min(values)
    assert replicates.quantile(1) == max(values)


def test_equal_infinite_values_have_no_spread():
    replicates = Replicates(np.array([INF, INF]), INF)
    assert replicates.standard_error == 0
    assert replicates.normal_interval(0.95) == (INF, INF)


def test_replicates_are_read_only_and_say_what_they_are():
    replicates = Replicates(np.array([1.0, 2.0]), 1.5)
    with pytest.raises(ValueError, match="read-only"):
        replicates.values[0] = 0
    assert repr(replicates) == "Replicates(2 around 1.5, standard error 0.707)"


@pytest.mark.parametrize("values", [[1.0], [1.0, math.nan], [[1.0, 2.0]]])
def test_too_few_replicates_or_nan_are_refused(values):
    with pytest.raises(MatedError, match="two numbers or more"):
        Replicates(np.array(values), 0.0)


@pytest.mark.parametrize("level", [0, 1, 95, "high"])
def test_a_level_outside_0_and_1_is_refused(level):
    with pytest.raises(MatedError, match="a confidence level"):
        Replicates(np.array([1.0, 2.0]), 0.0).percentile_interval(level)


# -- intervals of thresholds in the user's scoring system ---------------------------------------------------

INTEGERS = Tally.from_scores([3, 5], [1, 4])
DECIMALS = Tally.from_scores([0.3, 0.7], [0.1, 0.2])
SINGLE = Tally.from_scores(np.float32([0.3, 0.7]), np.float32([0.1, 0.2]))
CONTINUOUS = Tally.from_scores([1 / 3, 2 / 3], [0.1, 0.2], unit="continuous")
DISTANCES = Tally.from_scores([3, 5], [10, 40], dissimilarity=True)


@pytest.mark.parametrize(
    ("tally", "inner", "expected"),
    [
        (INTEGERS, (2.5, 4.5), (2, 5)),
        (INTEGERS, (2.0, 4.0), (2, 4)),
        (INTEGERS, (-2.5, -0.5), (-3, 0)),
        (INTEGERS, (-INF, INF), (-INF, INF)),
        (DECIMALS, (0.3, 0.7), (0.3, 0.7)),
        (DECIMALS, (0.1 / 2 + 0.3 / 2, 0.65), (0.2, 0.7)),
        (DECIMALS, (0.25, 0.61), (0.2, 0.7)),
        (SINGLE, (float(np.float32(0.3)), float(np.float32(0.7))), (0.3, 0.7)),
        (CONTINUOUS, (0.123456, 0.7), (0.123456, 0.7)),
        (DISTANCES, (-20.5, -3.5), (3, 21)),
        (DISTANCES, (-INF, -3.0), (3, INF)),
    ],
)
def test_threshold_intervals_are_rounded_outwards_in_the_users_scoring_system(tally, inner, expected):
    assert threshold_interval(inner, tally) == expected


def test_integer_thresholds_stay_integers():
    assert all(isinstance(end, int) for end in threshold_interval((2.5, 4.5), INTEGERS))
