"""Every fast estimator against its slow twin."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import brute_force
from mated.scores import Tally
from mated.verification import (
    area_under_roc,
    at_fmr,
    at_threshold,
    at_tmr,
    cllr,
    d_prime,
    detection_cost,
    equal_error_rate,
    fvc_rates,
    half_total_error_rate,
    min_cllr,
    roc_curve,
)
from strategies import any_pair, continuous, decimals, integers, targets, two_lists


@given(any_pair, targets)
def test_tmr_and_threshold_at_an_fmr_are_those_of_the_equations(pair, target):
    mated, nonmated = pair
    tmr, threshold = brute_force.tmr_and_threshold_at_fmr(mated, nonmated, Fraction(str(target)))
    result = at_fmr(Tally.from_scores(mated, nonmated), target)
    assert result.tmr == float(tmr)
    assert result.fnmr == float(1 - tmr)
    assert result.threshold == threshold
    assert result.errors_nonmated == sum(s >= threshold for s in nonmated)
    assert result.errors_mated == sum(s < threshold for s in mated)


@given(any_pair, targets)
def test_the_conservative_rate_is_the_lowest_that_any_threshold_within_the_target_gives(pair, target):
    mated, nonmated = pair
    tally = Tally.from_scores(mated, nonmated)
    result = at_fmr(tally, target)
    assert result.fnmr_conservative == float(brute_force.conservative(mated, nonmated, Fraction(str(target))))
    assert result.fmr_conservative <= target
    if math.isfinite(result.threshold_conservative):
        again = at_threshold(tally, result.threshold_conservative)
        assert (again.fmr, again.fnmr) == (result.fmr_conservative, result.fnmr_conservative)


@given(two_lists(integers), targets)
def test_one_unit_below_the_conservative_threshold_the_target_is_exceeded(pair, target):
    tally = Tally.from_scores(*pair)
    assert at_threshold(tally, at_fmr(tally, target).threshold_conservative - 1).fmr > Fraction(str(target))


@given(any_pair, targets)
def test_fmr_at_a_tmr_exchanges_the_classes(pair, target):
    mated, nonmated = pair
    fmr, threshold = brute_force.tmr_and_threshold_at_fmr(nonmated, mated, Fraction(str(target)))
    result = at_tmr(Tally.from_scores(mated, nonmated), target)
    assert (result.fmr, result.threshold) == (float(fmr), threshold)


@given(any_pair, decimals)
def test_rates_at_a_threshold_count_scores_at_or_above_it(pair, threshold):
    mated, nonmated = pair
    result = at_threshold(Tally.from_scores(mated, nonmated), threshold)
    assert result.tmr == float(brute_force.rate_at_or_above(mated, threshold))
    assert result.fmr == float(brute_force.rate_at_or_above(nonmated, threshold))
    assert result.fnmr == sum(s < threshold for s in mated) / len(mated)
    assert half_total_error_rate(Tally.from_scores(mated, nonmated), threshold) == (result.fmr + result.fnmr) / 2


@given(two_lists(integers))
def test_the_eer_of_integers_runs_over_every_integer_in_range(pair):
    mated, nonmated = pair
    every = [float(s) for s in range(int(min(mated + nonmated)), int(max(mated + nonmated)) + 1)]
    value, least, s1, s2 = brute_force.eer_wu2008(mated, nonmated, every)
    result = equal_error_rate(Tally.from_scores(mated, nonmated, unit=1))
    assert result.value == float(value)
    assert result.least_difference == float(least)
    assert result.score_range == (s1, s2)
    assert result.threshold == math.floor((s1 + s2) / 2)
    assert result.relative_error == (float(least / 2 / value) if value else 0.0)


@given(two_lists(decimals))
def test_the_eer_of_decimals_is_that_of_the_integers_behind_them(pair):
    tenfold = [[round(10 * s) for s in scores] for scores in pair]
    whole = equal_error_rate(Tally.from_scores(*tenfold, unit=1))
    tenth = equal_error_rate(Tally.from_scores(*pair, unit=0.1))
    assert tenth.value == whole.value
    assert tenth.threshold == whole.threshold / 10
    assert tenth.score_range == tuple(s / 10 for s in whole.score_range)


@given(two_lists(continuous))
def test_the_eer_of_continuous_scores_looks_into_every_gap(pair):
    mated, nonmated = pair
    seen = sorted(set(mated + nonmated))
    gaps = {(a, b): Fraction(a) / 2 + Fraction(b) / 2 for a, b in itertools.pairwise(seen)}
    value, least, s1, s2 = brute_force.eer_wu2008(mated, nonmated, [*map(Fraction, seen), *gaps.values()])
    result = equal_error_rate(Tally.from_scores(mated, nonmated, unit="continuous"))
    assert result.value == float(value)
    assert result.least_difference == float(least)
    low = next((a for (a, _), middle in gaps.items() if middle == s1), s1)
    high = next((b for (_, b), middle in gaps.items() if middle == s2), s2)
    assert result.score_range == (float(low), float(high))
    assert result.threshold == float((Fraction(low) + Fraction(high)) / 2)


@given(any_pair)
def test_the_other_definitions_of_the_eer(pair):
    by_definition = equal_error_rate(Tally.from_scores(*pair)).by_definition
    assert by_definition["nearest"] == float(brute_force.eer_nearest(*pair))
    assert by_definition["fvc2000"] == float(brute_force.eer_fvc2000(*pair))
    assert by_definition["interpolated"] == float(brute_force.eer_interpolated(*pair))
    assert by_definition["rocch"] == pytest.approx(float(brute_force.eer_rocch(*pair)), abs=1e-15)


@given(any_pair)
def test_the_hull_never_lies_above_the_interpolated_eer(pair):
    by_definition = equal_error_rate(Tally.from_scores(*pair)).by_definition
    assert by_definition["rocch"] <= by_definition["interpolated"] + 1e-15


@given(any_pair)
def test_auc_counts_every_pair_of_scores(pair):
    tally = Tally.from_scores(*pair)
    assert area_under_roc(tally) == float(brute_force.auc(*pair))
    assert roc_curve(tally).area == pytest.approx(area_under_roc(tally), abs=1e-14)


@given(any_pair)
def test_d_prime_is_the_difference_of_means_in_pooled_deviations(pair):
    value = d_prime(Tally.from_scores(*pair))
    if not np.isfinite(pair[0] + pair[1]).all():
        assert value is None
        return
    spread = math.sqrt((np.var(pair[0]) + np.var(pair[1])) / 2)
    if spread > 1e-9:
        assert value == pytest.approx((np.mean(pair[0]) - np.mean(pair[1])) / spread, abs=1e-9)


@given(any_pair, targets)
def test_the_minimum_detection_cost_tries_every_threshold(pair, prior):
    miss, false = Fraction(str(prior)) * 10, 1 - Fraction(str(prior))
    cost = detection_cost(Tally.from_scores(*pair), prior=prior, cost_miss=10)
    assert cost.minimum == pytest.approx(float(brute_force.min_detection_cost(*pair, miss, false)), rel=1e-12)
    assert cost.minimum <= 1


@given(two_lists(continuous))
def test_actual_cost_and_cllr_read_scores_as_log_likelihood_ratios(pair):
    mated, nonmated = pair
    tally = Tally.from_scores(mated, nonmated)
    assert cllr(tally) == pytest.approx(brute_force.cllr(mated, nonmated), rel=1e-12)
    cost = detection_cost(tally, prior=0.5)
    assert cost.actual_threshold == 0.0
    assert cost.actual == pytest.approx(
        sum(s < 0 for s in mated) / len(mated) + sum(s >= 0 for s in nonmated) / len(nonmated)
    )


@given(any_pair)
def test_the_minimum_of_cllr_comes_from_the_hull(pair):
    assert min_cllr(Tally.from_scores(*pair)) == pytest.approx(brute_force.min_cllr(*pair), abs=1e-12)


@given(any_pair)
def test_the_rates_of_fvc_never_exceed_their_false_match_rate(pair):
    mated, nonmated = pair
    rates = fvc_rates(Tally.from_scores(mated, nonmated))
    assert rates["fmr100"] == float(brute_force.conservative(mated, nonmated, Fraction(1, 100)))
    assert rates["fmr1000"] == float(brute_force.conservative(mated, nonmated, Fraction(1, 1000)))
    assert rates["zero_fmr"] == sum(s <= max(nonmated) for s in mated) / len(mated)


@given(any_pair, targets)
def test_the_roc_called_with_an_fmr_is_equation_six(pair, target):
    tally = Tally.from_scores(*pair)
    assert roc_curve(tally)(target) == pytest.approx(at_fmr(tally, target).tmr, abs=1e-12)
