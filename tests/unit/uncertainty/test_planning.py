"""Plans for a test against published tables, brute force over the number of trials, and enumerated designs."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from scipy import stats

from mated.errors import MatedError
from mated.uncertainty.acceptance import acceptance_at, acceptance_tests
from mated.uncertainty.binomial import clopper_pearson, rule_of_three
from mated.uncertainty.design import cluster_design_effect, comparisons_of, pairwise_design_effect
from mated.uncertainty.planning import plan, what_can_be_shown


def by_brute_force(claim, expected, confidence, power, most):
    """The first number of trials with the power, and the first from which on all have it, every number tried."""
    enough = []
    for trials in range(1, most + 1):
        errors = np.arange(trials)
        shows = stats.beta.ppf(confidence, errors + 1, trials - errors) <= claim
        enough.append(shows.any() and stats.binom.cdf(errors[shows][-1], trials, expected) >= power)
    short = np.flatnonzero(~np.array(enough))
    return 1 + int(np.argmax(enough)), int(short[-1]) + 2 if len(short) else 1


class TestExactPower:
    @pytest.mark.parametrize(
        ("claim", "expected", "confidence", "power"),
        [
            (0.1, 0.05, 0.95, 0.8),
            (0.1, 0.01, 0.95, 0.9),
            (0.05, 0.001, 0.95, 0.5),
            (0.3, 0.2, 0.95, 0.8),
            (0.5, 0.4, 0.9, 0.9),
            (0.9, 0.8, 0.95, 0.8),
            (0.2, 0.1, 0.99, 0.95),
            (0.6, 0.5, 0.5, 0.5),
            (0.4, 0.3, 0.6, 0.3),
            (0.95, 0.9, 0.9, 0.15),
            (0.5, 0.01, 0.95, 0.99),
        ],
    )
    def test_both_numbers_are_those_of_a_search_through_all(self, claim, expected, confidence, power):
        smallest, stable = acceptance_tests(claim, expected, confidence, power)
        found = by_brute_force(claim, expected, confidence, power, max(60, 2 * stable.trials))
        assert (smallest.trials, stable.trials) == found

    @pytest.mark.parametrize(
        ("trials", "allowed"), [(58, None), (59, 0), (92, 0), (93, 1), (124, 2), (153, 3), (181, 4)]
    )
    def test_the_allowed_errors_are_those_of_wilks(self, trials, allowed):
        # Wilks (1941): 59, 93, 124, 153, 181 trials for the 95 % bound at 95 % confidence with 0, 1, 2, 3, 4 beyond it.
        assert acceptance_at(trials, 0.05, 0.01, 0.95).errors_allowed == allowed

    def test_the_upper_bound_meets_the_claim_with_the_allowed_errors_and_not_with_one_more(self):
        test, _ = acceptance_tests(1e-3, 4e-4, 0.95, 0.8)
        assert clopper_pearson(test.errors_allowed, test.trials, 0.9)[1] <= 1e-3
        assert clopper_pearson(test.errors_allowed + 1, test.trials, 0.9)[1] > 1e-3
        assert test.power == pytest.approx(stats.binom.cdf(test.errors_allowed, test.trials, 4e-4), rel=1e-9)

    def test_just_beyond_the_smallest_test_power_falls_short_again(self):
        smallest, stable = acceptance_tests(1e-4, 5e-5, 0.95, 0.8)
        later = [acceptance_at(n, 1e-4, 5e-5, 0.95).power for n in range(smallest.trials, stable.trials, 100)]
        assert min(later) < 0.8
        later = [acceptance_at(n, 1e-4, 5e-5, 0.95).power for n in range(stable.trials, 3 * stable.trials, 1000)]
        assert min(later) >= 0.8

    def test_an_expected_rate_close_to_the_claim_is_found_too(self):
        smallest, stable = acceptance_tests(1e-3, 0.99e-3, 0.95, 0.8)
        # Normal approximation: p(z_α + z_β)²/(claim − expected)² = 0.99e-3 · 2.4865² / 1e-10 = 6.12e7.
        assert smallest.trials == pytest.approx(6.15e7, rel=0.01)
        assert smallest.trials < stable.trials < 1.01 * smallest.trials

    def test_too_few_trials_show_nothing(self):
        assert acceptance_at(10, 0.05, 0.01, 0.95).power == 0


class TestPlans:
    def test_the_rule_of_three_asks_for_three_over_the_claim(self):
        needed = plan(fmr=1e-4).fmr.zero_errors
        assert needed.comparisons == 29956  # ln 0.05 / ln(1 − 1e-4) = 29955.8
        assert rule_of_three(needed.comparisons).exact <= 1e-4 < rule_of_three(needed.comparisons - 1).exact
        assert needed.power == pytest.approx((1 - 5e-5) ** 29956, rel=1e-9)

    def test_the_rule_of_thirty_asks_for_thirty_expected_errors(self):
        needed = plan(fmr=1e-4, expected_fmr=3e-5).fmr.thirty_errors
        assert needed.comparisons == 1_000_000

    def test_expected_rates_are_half_the_claim_where_not_given(self):
        both = plan(fmr=1e-3, fnmr=0.02)
        assert (both.fmr.expected, both.fnmr.expected) == (5e-4, 0.01)

    def test_a_rate_without_claim_is_not_planned(self):
        assert plan(fnmr=0.01).fmr is None
        assert plan(fmr=0.01).fnmr is None

    @pytest.mark.parametrize("design", ["all-pairs", "one-pair"])
    @pytest.mark.parametrize("samples", [2, 3, 5])
    def test_the_subjects_are_the_fewest_with_enough_comparisons(self, design, samples):
        result = plan(fmr=1e-3, fnmr=0.05, samples=samples, design=design, design_effect_mated=1.5)
        for rate, part, effect in (("fmr", result.fmr, 1), ("fnmr", result.fnmr, 1.5)):
            for needed in (part.zero_errors, part.thirty_errors, part.exact, part.exact_stable):
                around = [comparisons_of(rate, s, samples, design) for s in (needed.subjects - 1, needed.subjects)]
                assert around[0] < needed.comparisons * effect <= around[1]
                assert needed.comparisons_dependent == math.ceil(needed.comparisons * effect)
        assert result.subjects == max(result.fmr.exact_stable.subjects, result.fnmr.exact_stable.subjects)
        assert result.mated_comparisons == comparisons_of("fnmr", result.subjects, samples, design)

    def test_a_design_effect_that_grows_with_the_subjects_is_that_of_the_subjects_found(self):
        effect = pairwise_design_effect(2, shared=0.001, same=0.05)
        needed = plan(fmr=1e-3, design_effect_nonmated=effect).fmr.exact
        assert needed.design_effect == effect(needed.subjects)
        enough = [2 * s * (s - 1) / effect(s) >= needed.comparisons for s in (needed.subjects - 1, needed.subjects)]
        assert enough == [False, True]

    def test_dependence_never_lowers_the_number_of_subjects(self):
        free, bound = plan(fmr=1e-3), plan(fmr=1e-3, design_effect_nonmated=10)
        assert bound.subjects > free.subjects
        assert bound.fmr.exact.comparisons == free.fmr.exact.comparisons

    def test_a_plan_that_takes_dependent_comparisons_for_independent_says_so(self):
        assert "share subjects" in plan(fmr=1e-3).fmr.caution
        assert "share subjects" in plan(fnmr=0.05, samples=4).fnmr.caution
        assert "grows with the subjects" in plan(fmr=1e-3, design_effect_nonmated=5).fmr.caution
        assert plan(fnmr=0.05, samples=2).fnmr.caution is None
        assert plan(fmr=1e-3, design_effect_nonmated=pairwise_design_effect(2, shared=0.01)).fmr.caution is None

    def test_the_dictionary_is_plain_json(self):
        text = json.dumps(plan(fmr=1e-4, confidence=0.95).to_dict())
        assert json.loads(text)["fmr"]["exact"]["errors_allowed"] == 12

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({}, "needs a claim"),
            ({"fmr": 0}, "the FMR to be shown must lie between 0 and 1"),
            ({"fnmr": 1.5}, "the FNMR to be shown must lie between 0 and 1"),
            ({"fmr": 1e-3, "expected_fmr": -1}, "the expected FMR must lie between 0 and 1"),
            ({"fmr": 1e-3, "expected_fmr": 1e-3}, "must lie below the FMR to be shown, and 0.001 is not below 0.001"),
            ({"fmr": 1e-3, "confidence": 95}, "the confidence must lie between 0 and 1"),
            ({"fmr": 1e-3, "power": 1}, "the power must lie between 0 and 1"),
            ({"fmr": 1e-3, "samples": 0}, "at least 1 sample"),
            ({"fnmr": 1e-3, "samples": 1}, "at least 2 samples a subject"),
            ({"fmr": 1e-3, "design": "some"}, "'all-pairs' or 'one-pair', not 'some'"),
            ({"fmr": 1e-3, "design_effect_nonmated": 0}, "design effect is a positive number"),
            ({"fmr": 1e-3, "design_effect_nonmated": lambda s: s**2}, "no number of subjects is enough"),
        ],
    )
    def test_input_that_makes_no_plan_is_named(self, options, says):
        with pytest.raises(MatedError, match=says):
            plan(**options)


class TestWhatCanBeShown:
    def test_without_errors_it_is_the_rule_of_three(self):
        shown = what_can_be_shown(300, 10)
        assert (shown.fmr.comparisons, shown.fnmr.comparisons) == (4_485_000, 13_500)
        assert shown.fmr.zero_errors == pytest.approx(3 / 4_485_000, rel=0.002)
        assert shown.fnmr.zero_errors == rule_of_three(13_500).exact

    def test_thirty_errors_support_their_upper_bound(self):
        shown = what_can_be_shown(300, 10, confidence=0.9)
        assert shown.fnmr.thirty_errors == pytest.approx(clopper_pearson(30, 13_500, 0.8)[1], rel=1e-9)
        assert shown.fnmr.thirty_errors_rate == 30 / 13_500

    def test_dependence_leaves_fewer_effective_comparisons(self):
        shown = what_can_be_shown(300, 10, design_effect_mated=9)
        assert shown.fnmr.effective == 1500
        assert shown.fnmr.zero_errors == rule_of_three(1500).exact
        assert shown.fnmr.thirty_errors == pytest.approx(clopper_pearson(30 / 9, 1500, 0.9)[1], rel=1e-9)

    def test_at_worst_each_subject_or_pair_of_them_is_one_trial(self):
        shown = what_can_be_shown(301, 10)
        assert shown.fnmr.zero_errors_worst_case == rule_of_three(301).exact
        assert shown.fmr.zero_errors_worst_case == rule_of_three(150).exact

    def test_it_is_the_plan_the_other_way_round(self):
        claim = what_can_be_shown(80, 3, design="one-pair").fmr.zero_errors
        assert plan(fmr=claim * 1.0001, samples=3, design="one-pair").fmr.zero_errors.subjects == 80

    def test_one_sample_a_subject_shows_nothing_about_false_non_matches(self):
        assert what_can_be_shown(5, 1).fnmr is None

    def test_thirty_comparisons_cannot_hold_more_than_thirty_errors(self):
        assert what_can_be_shown(4, 2).fmr.thirty_errors is None
        json.dumps(what_can_be_shown(4, 2).to_dict())

    @pytest.mark.parametrize(("subjects", "samples"), [(1, 2), (0, 2), (2.5, 2), (True, 2)])
    def test_fewer_than_two_subjects_are_refused(self, subjects, samples):
        with pytest.raises(MatedError, match="at least 2 subjects"):
            what_can_be_shown(subjects, samples)


class TestDesigns:
    @pytest.mark.parametrize(("subjects", "samples"), [(2, 1), (3, 2), (4, 3)])
    def test_all_pairs_are_those_of_an_enumeration(self, subjects, samples):
        every = itertools.combinations(itertools.product(range(subjects), range(samples)), 2)
        kinds = [a[0] == b[0] for a, b in every]
        assert comparisons_of("fnmr", subjects, samples, "all-pairs") == sum(kinds)
        assert comparisons_of("fmr", subjects, samples, "all-pairs") == len(kinds) - sum(kinds)

    def test_one_pair_is_one_for_each_subject_and_each_two(self):
        assert comparisons_of("fnmr", 7, 5, "one-pair") == 7
        assert comparisons_of("fmr", 7, 5, "one-pair") == 21

    @pytest.mark.parametrize("design", ["all-pairs", "one-pair"])
    def test_the_pairwise_design_effect_is_the_mean_sum_of_correlations(self, design):
        subjects, samples, shared, same = 5, 2, 0.03, 0.4
        each = samples**2 if design == "all-pairs" else 1
        comparisons = [(pair, k) for pair in itertools.combinations(range(subjects), 2) for k in range(each)]

        def correlation(a, b):
            common = len(set(a[0]) & set(b[0]))
            return 1 if a == b else (0, shared, same)[common]

        total = sum(correlation(a, b) for a in comparisons for b in comparisons)
        effect = pairwise_design_effect(samples, shared=shared, same=same, design=design)
        assert effect(subjects) == pytest.approx(total / len(comparisons))

    def test_the_cluster_design_effect_runs_from_one_to_the_size_of_the_cluster(self):
        assert cluster_design_effect(10, 0) == 1
        assert cluster_design_effect(10, 0.5) == 5.5
        assert cluster_design_effect(10, 1) == 10

    def test_impossible_correlations_and_clusters_are_refused(self):
        with pytest.raises(MatedError, match="correlation"):
            cluster_design_effect(10, 1.1)
        with pytest.raises(MatedError, match="at least 1 comparison"):
            cluster_design_effect(0, 0.1)
        with pytest.raises(MatedError, match="correlation"):
            pairwise_design_effect(2, shared=-0.1)
