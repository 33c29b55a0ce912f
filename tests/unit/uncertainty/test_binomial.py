"""Intervals for a rate against published values, exact tails and full enumeration."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from mated.errors import MatedError
from mated.uncertainty.binomial import (
    clopper_pearson,
    independent,
    jeffreys,
    normal,
    rule_of_thirty,
    rule_of_three,
    wilson,
)

METHODS = [wilson, clopper_pearson, jeffreys, normal, independent]


# Newcombe (1998), Two-sided confidence intervals for the single proportion, Table I: 95 % limits.
@pytest.mark.parametrize(
    ("errors", "trials", "score", "exact"),
    [
        (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
        (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
        (0, 20, (0.0000, 0.1611), (0.0000, 0.1684)),
        (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
    ],
)
def test_wilson_and_clopper_pearson_give_the_published_limits(errors, trials, score, exact):
    assert wilson(errors, trials) == pytest.approx(score, abs=5e-5)
    assert clopper_pearson(errors, trials) == pytest.approx(exact, abs=5e-5)


def test_the_normal_interval_gives_the_published_limits():
    assert normal(81, 263) == pytest.approx((0.2522, 0.3638), abs=5e-5)
    assert normal(0, 20) == (0, 0)


# Brown, Cai and DasGupta (2001), Table 5: 95 % limits of the Jeffreys prior interval.
@pytest.mark.parametrize(
    ("errors", "trials", "limits"), [(0, 7, (0, 0.292)), (1, 7, (0.016, 0.501)), (2, 10, (0.044, 0.503))]
)
def test_jeffreys_gives_the_published_limits(errors, trials, limits):
    assert jeffreys(errors, trials) == pytest.approx(limits, abs=5e-4)


@pytest.mark.parametrize(("errors", "trials"), [(0, 5), (1, 12), (6, 12), (37, 400), (12, 12), (3, 10**6)])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_wilson_and_clopper_pearson_agree_with_scipy(errors, trials, level):
    test = stats.binomtest(errors, trials)
    for method, name in ((wilson, "wilson"), (clopper_pearson, "exact")):
        expected = test.proportion_ci(level, method=name)
        # Its exact limits come from a root finder that stops at 2e-12.
        assert method(errors, trials, level) == pytest.approx(tuple(expected), rel=1e-9, abs=4e-12)


def test_at_the_limits_of_clopper_pearson_each_exact_tail_holds_half_of_the_rest():
    low, high = (Fraction(bound) for bound in clopper_pearson(3, 17, 0.9))

    def at_least(count, rate):
        return sum(math.comb(17, k) * rate**k * (1 - rate) ** (17 - k) for k in range(count, 18))

    assert float(at_least(3, low)) == pytest.approx(0.05, rel=1e-12)
    assert float(1 - at_least(4, high)) == pytest.approx(0.05, rel=1e-12)


def test_clopper_pearson_takes_real_counts():
    # Korn and Graubard (1998): Beta(x, n*-x+1) and Beta(x+1, n*-x) at a real effective size.
    x, n = 2.7, 83.4
    expected = stats.beta.ppf(0.025, x, n - x + 1), stats.beta.ppf(0.975, x + 1, n - x)
    assert clopper_pearson(x, n) == pytest.approx(expected, rel=1e-9)


def coverage(method, trials, rate, level=0.95):
    """Exact probability that the interval holds the rate, by enumeration of every number of errors."""
    errors = np.arange(trials + 1)
    low, high = method(errors, trials, level)
    return float(stats.binom.pmf(errors, trials, rate)[(low <= rate) & (rate <= high)].sum())


@pytest.mark.parametrize("trials", [1, 7, 50, 400])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_clopper_pearson_covers_every_rate_with_at_least_its_level(trials, level):
    rates = [*np.linspace(0.001, 0.999, 150), 1e-6, 1e-4, 0.5 / trials, 1 / trials * 0.999, 2.5 / trials % 1]
    assert min(coverage(clopper_pearson, trials, rate, level) for rate in rates) >= level - 1e-12


@pytest.mark.parametrize(("method", "slack"), [(wilson, 0.005), (jeffreys, 0.005)])
def test_wilson_and_jeffreys_cover_on_average_what_they_promise(method, slack):
    mean = np.mean([coverage(method, 100, rate) for rate in np.linspace(0.005, 0.995, 300)])
    assert mean == pytest.approx(0.95, abs=slack)


def test_the_default_never_covers_a_small_rate_less_than_it_promises():
    rates = np.geomspace(1e-5, 3e-3, 80)  # below 10 errors of 1000 nearly always
    assert min(coverage(independent, 1000, rate) for rate in rates) >= 0.95
    assert min(coverage(wilson, 1000, rate) for rate in rates) < 0.91
    assert min(coverage(normal, 1000, rate) for rate in rates) < 0.02


class TestTheDefaultOfIndependentComparisons:
    def test_few_errors_or_few_non_errors_are_clopper_pearsons(self):
        for errors in (0, 9, 91, 100):
            assert independent(errors, 100) == clopper_pearson(errors, 100)

    def test_many_of_both_are_wilsons(self):
        for errors in (10, 50, 90):
            assert independent(errors, 100) == wilson(errors, 100)

    def test_no_bound_falls_where_the_methods_meet_though_they_alone_would(self):
        level = 0.999
        assert wilson(10, 20, level)[1] < clopper_pearson(9, 20, level)[1]
        low, high = independent(np.arange(21), 20, level)
        assert high[10] == high[9] == clopper_pearson(9, 20, level)[1]
        assert low[10] == low[11] == clopper_pearson(11, 20, level)[0]

    def test_counts_that_are_not_whole_are_refused(self):
        with pytest.raises(MatedError, match="whole numbers"):
            independent(2.5, 10)


class TestRuleOfThree:
    def test_without_errors_in_300_trials_the_rate_lies_below_one_percent(self):
        bound = rule_of_three(300)
        assert bound.shorthand == 0.01
        assert bound.exact == pytest.approx(1 - 0.05 ** (1 / 300), rel=1e-12)
        assert bound.exact < 0.01

    def test_it_is_the_one_sided_clopper_pearson_bound(self):
        assert rule_of_three(40, 0.9).exact == pytest.approx(clopper_pearson(0, 40, 0.8)[1], rel=1e-12)

    def test_the_shorthand_is_for_95_percent_only(self):
        assert rule_of_three(300, 0.9).shorthand is None

    def test_the_shorthand_never_exceeds_one(self):
        assert rule_of_three(2).shorthand == 1

    def test_it_keeps_its_precision_for_very_many_trials(self):
        assert rule_of_three(1e12).exact == pytest.approx(2.995732273554e-12, rel=1e-11)


class TestRuleOfThirty:
    def test_thirty_errors_put_the_rate_within_30_percent_at_90_percent(self):
        assert rule_of_thirty(30) == pytest.approx(0.30, abs=0.001)

    def test_it_is_the_half_width_of_the_normal_interval_for_small_rates(self):
        low, high = normal(30, 10**9, 0.9)
        assert rule_of_thirty(30) == pytest.approx((high - low) / 2 / 30e-9, rel=1e-6)

    def test_271_errors_put_it_within_10_percent(self):
        # 1.6449² / 0.1² = 270.6
        assert rule_of_thirty(271) < 0.1 < rule_of_thirty(270)

    def test_without_errors_nothing_bounds_it(self):
        assert rule_of_thirty(0) == math.inf


class TestShapes:
    def test_numbers_give_floats(self):
        for method in METHODS:
            assert all(type(bound) is float for bound in method(3, 100))

    def test_arrays_broadcast(self):
        low, high = wilson([[1], [2]], [10, 20, 30])
        assert low.shape == high.shape == (2, 3)
        assert (low[1, 2], high[1, 2]) == wilson(2, 30)


class TestBadInput:
    @pytest.mark.parametrize("level", [0, 1, -0.1, 95, math.nan, "x", None])
    @pytest.mark.parametrize("method", METHODS)
    def test_a_level_outside_zero_and_one_is_refused(self, method, level):
        with pytest.raises(MatedError, match="confidence level"):
            method(1, 10, level)

    @pytest.mark.parametrize(
        ("errors", "trials", "says"),
        [
            (-1, 10, "number of errors is finite and not negative, and -1"),
            (math.nan, 10, "number of errors"),
            (1, math.inf, "number of trials"),
            (0, 0, "at least one trial"),
            ([1, 12], [10, 11], "12 errors cannot come from 11 trials"),
            ("a", 3, "must be numbers"),
            ([1, 2], [3, 4, 5], "of one shape"),
        ],
    )
    @pytest.mark.parametrize("method", METHODS)
    def test_impossible_counts_are_named(self, method, errors, trials, says):
        with pytest.raises(MatedError, match=says):
            method(errors, trials)

    def test_the_rules_check_their_counts(self):
        with pytest.raises(MatedError, match="at least one trial"):
            rule_of_three(0)
        with pytest.raises(MatedError, match="number of errors"):
            rule_of_thirty(-1)
