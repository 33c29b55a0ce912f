"""Intervals at many thresholds in one sweep: the same, to the last bit, as one by one, and as the slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster_brute_force import PairsAt, fmr_upper_bound, fnmr_upper_bound, least_filled, most_squares
from mated.errors import ScoresNotKeptError
from mated.scores import Comparisons
from mated.scores.subject_pairs import SubjectPairs
from mated.synthetic import GaussianIdentities
from mated.uncertainty import pair_sweep
from mated.uncertainty.cluster import rates_at_threshold, rates_at_thresholds, tail_design_effects
from mated.uncertainty.fillings import Fill, Squares, amounts_by_value
from mated.uncertainty.pair_sums import PairSums
from mated.uncertainty.pair_sweep import pair_sums_going_down
from mated.uncertainty.running_maximum import greatest_rate
from mated.uncertainty.subject_sums import SubjectSums


@st.composite
def designs(draw, most=60):
    """Pairs of 4 to 8 subjects: complete or not, some pairs compared often, few or many distinct scores."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    subjects, rows = draw(st.integers(4, 8)), draw(st.integers(30, most))
    probe, reference = rng.integers(0, subjects, (2, rows))
    if draw(st.booleans()):  # every pair equally often
        probe, reference = (np.tile(side, 3) for side in np.triu_indices(subjects))
    traits = rng.standard_normal(subjects)
    score = traits[probe] * traits[reference] + 2 * (probe == reference) + rng.standard_normal(len(probe))
    coarse = draw(st.sampled_from([1, 4, 1000]))
    own = np.arange(subjects)  # each subject has mated comparisons, so that there is an interval of FNMR
    probe, reference = (np.concatenate([side, own, own]) for side in (probe, reference))
    score = np.round(np.concatenate([score, rng.standard_normal(2 * subjects) + 1]) * coarse) / coarse
    return SubjectPairs.of(Comparisons.from_arrays(score, probe_subject=probe, reference_subject=reference))


thresholds = st.lists(st.sampled_from(np.arange(-4, 4.25, 0.25).tolist()), min_size=3, max_size=12)


def same_sums(one: PairSums, other: PairSums) -> None:
    for name in ("count", "total", "squares", "match_trials"):
        assert getattr(one, name) == getattr(other, name)
    np.testing.assert_array_equal(one.matches, other.matches)
    for name in ("of_pairs", "near_matches", "near_trials", "side_trials"):
        for part, expected in vars(getattr(other, name)).items():
            np.testing.assert_array_equal(getattr(getattr(one, name), part), expected, err_msg=f"{name}.{part}")


class TestSweep:
    @given(designs(), thresholds)
    def test_sums_are_those_of_each_threshold_alone(self, pairs, at):
        falling = sorted(at, reverse=True)
        for threshold, swept in zip(falling, pair_sums_going_down(pairs, falling), strict=True):
            same_sums(swept, PairSums.at(pairs, threshold))

    @pytest.mark.parametrize("spare", [0, 1 << 20])
    def test_sums_are_the_same_where_counters_for_all_values_would_be_too_many(self, monkeypatch, spare):
        # Few comparisons of many subjects, and one pair that was compared very often.
        rng = np.random.default_rng(1)
        probe, reference = rng.integers(0, 300, (2, 400))
        probe, reference = np.append(probe, [0] * 3000), np.append(reference, [1] * 3000)
        scores = rng.standard_normal(3400)
        pairs = SubjectPairs.of(Comparisons.from_arrays(scores, probe_subject=probe, reference_subject=reference))
        monkeypatch.setattr(pair_sweep, "_SPARE", spare)
        at = [2.0, 1.0, 0.0, -1.0, -5.0]
        for threshold, swept in zip(at, pair_sums_going_down(pairs, at), strict=True):
            same_sums(swept, PairSums.at(pairs, threshold))

    @given(designs(), thresholds, st.sampled_from([0.95, 0.5]))
    @settings(max_examples=50)
    def test_intervals_are_those_of_each_threshold_alone_in_the_order_asked(self, pairs, at, level):
        swept = rates_at_thresholds(pairs, at, level)
        assert swept == [rates_at_threshold(pairs, threshold, level) for threshold in at]

    def test_intervals_of_people_are_those_of_each_threshold_alone(self):
        pairs = SubjectPairs.of(GaussianIdentities().draw(40, 4, rng=3).comparisons())
        at = np.quantile(pairs.score, [0.999, 0.99, 0.9, 0.5, 0.1, 0.0]).tolist()
        assert rates_at_thresholds(pairs, at) == [rates_at_threshold(pairs, threshold) for threshold in at]

    def test_no_threshold_gives_no_interval_and_scores_that_were_not_kept_are_said_to_be_missing(self):
        people = GaussianIdentities().draw(20, 3, rng=1).comparisons()
        assert rates_at_thresholds(SubjectPairs.of(people), []) == []
        with pytest.raises(ScoresNotKeptError, match="keep more of the tail"):
            rates_at_thresholds(SubjectPairs.of(people, tail_above=0.0), [2.0, 1.0, 0.5, -1.0])


class TestAgainstTheTwins:
    @given(designs(), thresholds, st.sampled_from([0.95, 0.5, 0.99]))
    @settings(max_examples=30, deadline=None)
    def test_upper_bounds_are_the_greatest_of_all_numbers_of_errors(self, pairs, at, level):
        effects = tail_design_effects(pairs)
        for threshold, (fmr, fnmr) in zip(at, rates_at_thresholds(pairs, at, level), strict=True):
            if fmr.errors >= 10 and fmr.subjects >= 4:
                assert fmr.high == fmr_upper_bound(pairs, threshold, level, effects, fmr.formula_high)
            if fnmr.errors >= 10:
                missed = pairs.false_nonmatches(threshold)
                alone, own = fnmr.formula_high, pairs.mated_per_subject
                assert fnmr.high == fnmr_upper_bound(missed, own, level, effects.fnmr, alone)

    def test_upper_bounds_of_a_few_hundred_errors_are_too(self):
        people = GaussianIdentities((0.5, 0.6)).draw(12, 5, rng=5).comparisons()
        keep = np.random.default_rng(2).random(len(people.score)) < 0.7
        pairs = SubjectPairs.of(people.take(keep))
        at = np.quantile(pairs.score, [0.98, 0.9, 0.7, 0.4]).tolist()
        effects = tail_design_effects(pairs)
        compared = 0
        for threshold, (fmr, fnmr) in zip(at, rates_at_thresholds(pairs, at), strict=True):
            assert fmr.high == fmr_upper_bound(pairs, threshold, 0.95, effects, fmr.formula_high)
            missed, own = pairs.false_nonmatches(threshold), pairs.mated_per_subject
            if fnmr.errors >= 10:
                assert fnmr.high == fnmr_upper_bound(missed, own, 0.95, effects.fnmr, fnmr.formula_high)
            compared += fmr.high > fmr.formula_high
        assert compared  # or the running maximum was never needed

    @given(designs(), st.sampled_from([-1.0, 0.0, 0.5]), st.data())
    def test_no_variance_of_a_range_exceeds_its_limit(self, pairs, threshold, data):
        sums = PairSums.at(pairs, threshold).compact()
        missed, own = pairs.false_nonmatches(threshold), pairs.mated_per_subject
        for s, options in ((sums, ("mid",)), (sums, ("row",)), (sums, ("u",)), (SubjectSums.of(missed, own), ())):
            if s.count:
                least = data.draw(st.integers(0, s.count))
                most = data.draw(st.integers(least, s.count))
                limit = s.variance_limit(np.array([float(least)]), np.array([float(most)]), *options)[0]
                within = s.largest_variance(np.arange(least, most + 1.0), *options)
                assert within.max() <= limit * (1 + 1e-12)

    @given(designs(), st.sampled_from([-1.0, 0.0, 0.5]))
    def test_largest_variances_are_those_of_sums_over_all_pairs(self, pairs, threshold):
        sums, at = PairSums.at(pairs, threshold).compact(), PairsAt(pairs, threshold)
        if sums.count:
            k = np.arange(sums.count + 1.0)
            np.testing.assert_array_equal(sums.largest_variance(k, "mid"), at.largest_variance(k))


class TestFillings:
    @given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 50)), min_size=1, max_size=12), st.data())
    def test_are_those_of_places_filled_one_by_one(self, places, data):
        sizes, costs = (np.array(values, dtype=np.int64) for values in zip(*places, strict=True))
        amount = np.array([float(data.draw(st.integers(0, int(sizes.sum()))))])
        assert Squares.of(sizes)(amount) == most_squares(sizes, amount)
        grouped = amounts_by_value(costs, sizes)
        assert Fill.cheapest_first(*grouped)(amount) == least_filled(sizes, costs, amount)
        assert Fill.dearest_first(*grouped)(amount) == -least_filled(sizes, -costs, amount)

    def test_values_too_large_for_counters_are_grouped_by_sorting(self):
        values, amounts = np.array([10**12, 7, 10**12, 3]), np.array([1, 2, 3, 0])
        assert [part.tolist() for part in amounts_by_value(values, amounts)] == [[7, 10**12], [2, 4]]


class TestRunningMaximum:
    @given(
        st.integers(1, 50),
        st.lists(st.floats(0, 1), min_size=1, max_size=400),
        st.sampled_from([0.0, 0.1, 1.0]),
        st.floats(0, 1),
    )
    def test_is_the_greatest_of_all_whatever_the_limits(self, first, rates, slack, known):
        values = np.array(rates)

        def limit(least, most):
            ranges = zip(least.astype(int) - first, most.astype(int) - first, strict=True)
            return np.array([values[a : b + 1].max() + slack for a, b in ranges])

        found = greatest_rate(first, first + len(rates) - 1, lambda k: values[k.astype(int) - first], limit, known)
        assert found == max(known, *rates)

    def test_of_no_number_is_what_is_known(self):
        assert greatest_rate(10, 9, lambda k: k, lambda a, b: b, 0.25) == 0.25

    def test_looks_at_few_of_ten_million_numbers(self):
        last, asked = 10**7, []

        def rate(k):
            asked.append(len(k))
            return 0.9 - (k / last - 0.7) ** 2  # greatest inside, as after an error that made subjects more alike

        def limit(least, most):
            off = np.where((least <= 0.7 * last) & (most >= 0.7 * last), 0.0, 1.0)
            nearest = np.minimum(np.abs(least / last - 0.7), np.abs(most / last - 0.7))
            return 0.9 - off * nearest**2

        assert greatest_rate(10, last, rate, limit, 0.1) == 0.9
        assert sum(asked) < 20_000
