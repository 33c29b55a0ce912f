"""What must hold of every interval for a rate, whatever the counts and the level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.uncertainty.binomial import clopper_pearson, independent, jeffreys, normal, rule_of_three, wilson

levels = st.one_of(st.floats(0.01, 0.99), st.sampled_from([0.9, 0.95, 0.99, 0.9999, 1 - 1e-9]))


@st.composite
def whole_counts(draw):
    trials = draw(st.one_of(st.integers(1, 60), st.integers(1, 10**12)))
    return draw(st.one_of(st.integers(0, min(trials, 12)), st.integers(0, trials))), trials


@pytest.mark.parametrize("method", [wilson, clopper_pearson, jeffreys, normal, independent])
@given(counts=whole_counts(), level=levels)
def test_the_observed_rate_lies_inside_and_all_within_zero_and_one(method, counts, level):
    errors, trials = counts
    low, high = method(errors, trials, level)
    assert 0 <= low <= errors / trials <= high <= 1


@pytest.mark.parametrize("method", [wilson, clopper_pearson, jeffreys, independent])
@given(counts=whole_counts(), level=levels)
def test_no_interval_but_the_normal_has_zero_width(method, counts, level):
    low, high = method(*counts, level)
    assert low < high


@pytest.mark.parametrize("method", [wilson, clopper_pearson, jeffreys, normal, independent])
@given(counts=whole_counts(), level=levels)
def test_exchanging_errors_and_non_errors_mirrors_the_interval(method, counts, level):
    errors, trials = counts
    low, high = method(errors, trials, level)
    mirrored = method(trials - errors, trials, level)
    assert mirrored == pytest.approx((1 - high, 1 - low), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("method", [wilson, clopper_pearson, jeffreys, normal, independent])
@given(counts=whole_counts(), levels=st.tuples(levels, levels).map(sorted))
def test_a_higher_level_is_never_narrower(method, counts, levels):
    inner, outer = (method(*counts, level) for level in levels)
    assert outer[0] <= inner[0] * (1 + 1e-12)
    assert inner[1] <= outer[1] * (1 + 1e-12)


@given(st.integers(1, 400), levels)
def test_neither_bound_of_the_default_ever_falls_when_an_error_is_added(trials, level):
    low, high = independent(np.arange(trials + 1), trials, level)
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()


@pytest.mark.parametrize("level", [0.05, 0.5, 0.9, 0.95, 0.99, 0.999, 1 - 1e-6])
def test_that_law_holds_for_every_small_number_of_trials(level):
    for trials in range(1, 121):
        low, high = independent(np.arange(trials + 1), trials, level)
        assert (np.diff(low) >= 0).all(), trials
        assert (np.diff(high) >= 0).all(), trials


@pytest.mark.parametrize("trials", [10**4, 10**6, 10**9])
def test_that_law_holds_around_the_switches_of_large_tests(trials):
    errors = np.concatenate([np.arange(100), trials - np.arange(100)[::-1]])
    low, high = independent(errors, trials)
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()


@given(st.floats(0.5, 1e6), st.lists(st.floats(0, 1), min_size=2, max_size=10), levels)
def test_clopper_pearson_grows_with_real_errors_too(trials, shares, level):
    low, high = clopper_pearson(np.sort(shares) * trials, trials, level)
    assert (np.diff(low) >= -1e-12).all()
    assert (np.diff(high) >= -1e-12).all()


@given(whole_counts(), levels)
def test_clopper_pearson_contains_jeffreys(counts, level):
    outer, inner = clopper_pearson(*counts, level), jeffreys(*counts, level)
    assert outer[0] <= inner[0] * (1 + 1e-9)
    assert inner[1] <= outer[1] * (1 + 1e-9)


@pytest.mark.parametrize("method", [wilson, clopper_pearson, jeffreys, normal, independent])
@given(pairs=st.lists(whole_counts(), min_size=1, max_size=8), level=levels)
def test_arrays_give_what_single_counts_give(method, pairs, level):
    errors, trials = np.array(pairs).T
    low, high = method(errors, trials, level)
    assert [(a, b) for a, b in zip(low, high, strict=True)] == [method(x, n, level) for x, n in pairs]


@given(st.integers(1, 10**9), st.floats(0.01, 0.99))
def test_at_the_rule_of_three_no_errors_have_the_remaining_probability(trials, level):
    bound = rule_of_three(trials, level).exact
    assert np.exp(trials * np.log1p(-bound)) == pytest.approx(1 - level, rel=1e-6)
