"""The verb `plan`: by hand, against published numbers, and a pilot's correlations against models that have them."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

import mated
from mated.errors import MatedError
from mated.evaluation.plan import GivenTest, NeededTest
from mated.scores import Comparisons
from mated.uncertainty.dependence import mated_dependence, nonmated_dependence
from mated.uncertainty.design import cluster_design_effect, pairwise_design_effect
from mated.uncertainty.pair_sums import PairSums
from mated.uncertainty.planning import plan as plan_test

RATE, TAU = 0.1, 0.5
# Errors between subjects i and j have the probability RATE·a_i·a_j, a = 1 ± TAU with equal chances, so that
# Cov = RATE²·TAU² for two comparisons with one subject in common and RATE²·((1 + TAU²)² − 1) for the same two subjects.
SHARED = RATE * TAU**2 / (1 - RATE)
SAME = RATE * ((1 + TAU**2) ** 2 - 1) / (1 - RATE)
WITHIN = 0.25  # errors of a subject's mated comparisons have a Beta(a, b) probability: correlation 1/(a + b + 1)


def draw_pairs(rng, totals):
    """Draw false matches M for the totals N of each pair of subjects."""
    a = 1 + TAU * rng.choice([-1, 1], size=len(totals))
    upper = np.triu(rng.binomial(totals, RATE * np.outer(a, a)), 1)
    return upper + upper.T


def draw_mated(rng, comparisons):
    """Draw errors of each subject with correlation WITHIN."""
    size = 1 / WITHIN - 1
    p = rng.beta(RATE * size, (1 - RATE) * size, size=len(comparisons))
    return rng.binomial(comparisons, p)


def assert_recovered(estimates, truth, bias=0.0):
    """The mean lies within four Monte-Carlo standard errors of the truth, and a relative bias of the ratio."""
    error = np.std(estimates, ddof=1) / math.sqrt(len(estimates))
    assert abs(np.mean(estimates) - truth) < 4 * error + bias * truth


def pilot(rng, subjects=60, samples=5):
    """A table with the correlations above: at threshold 2, mated scores are 0 or 3 and non-mated ones 1 or 2."""
    subject = np.repeat(np.arange(subjects), samples)
    first, second = np.triu_indices(len(subject), 1)
    own = subject[first] == subject[second]
    a = 1 + TAU * rng.choice([-1, 1], size=subjects)
    size = 1 / WITHIN - 1
    p = rng.beta(RATE * size, (1 - RATE) * size, size=subjects)
    chance = np.where(own, p[subject[first]], RATE * a[subject[first]] * a[subject[second]])
    wrong = rng.random(len(first)) < chance
    score = np.where(own, np.where(wrong, 0, 3), np.where(wrong, 2, 1))
    names = np.array([f"s{k:03d}" for k in range(subjects)])
    shot = np.tile(np.arange(samples), subjects).astype(str)
    return Comparisons.from_arrays(
        score,
        probe_subject=names[subject[first]],
        reference_subject=names[subject[second]],
        probe_sample=shot[first],
        reference_sample=shot[second],
    )


class TestCorrelationsOfAPilot:
    @pytest.mark.parametrize("comparisons", [[6] * 200, [1, 3, 6, 10] * 100])
    def test_the_correlation_of_a_subjects_comparisons_is_recovered(self, comparisons):
        rng = np.random.default_rng(1)
        found = [mated_dependence(draw_mated(rng, comparisons), comparisons)[1] for _ in range(1000)]
        assert_recovered(found, WITHIN, bias=0.02)

    @pytest.mark.parametrize("samples", [[2] * 30, [1, 2, 3] * 10])
    def test_the_correlations_of_pairs_of_subjects_are_recovered(self, samples):
        rng = np.random.default_rng(2)
        totals = np.outer(samples, samples)
        np.fill_diagonal(totals, 0)
        found = [nonmated_dependence(PairSums.of_matrices(draw_pairs(rng, totals), totals)) for _ in range(1000)]
        assert_recovered([shared for _, shared, _ in found], SHARED, bias=0.02)
        assert_recovered([same for _, _, same in found], SAME, bias=0.02)

    def test_missing_pairs_of_subjects_do_no_harm(self):
        rng = np.random.default_rng(3)
        kept = np.triu(rng.random((30, 30)) < 0.4, 1)
        totals = 3 * (kept + kept.T)
        found = [nonmated_dependence(PairSums.of_matrices(draw_pairs(rng, totals), totals)) for _ in range(1000)]
        assert_recovered([shared for _, shared, _ in found], SHARED, bias=0.02)
        assert_recovered([same for _, _, same in found], SAME, bias=0.02)

    def test_independent_comparisons_show_none_on_average(self):
        rng = np.random.default_rng(4)
        totals = 4 * (1 - np.eye(20, dtype=int))
        found = []
        for _ in range(1000):
            upper = np.triu(rng.binomial(totals, RATE), 1)
            found.append(nonmated_dependence(PairSums.of_matrices(upper + upper.T, totals)))
        assert_recovered([shared for _, shared, _ in found], 0.0)
        assert_recovered([effect for effect, _, _ in found], 1.0)
        # V_mid would have said 1.5, and that times S/20 for S subjects.

    def test_the_sums_are_those_over_all_pairs_of_comparisons(self):
        rng = np.random.default_rng(5)
        k, subjects = 4, 7
        totals = k * (1 - np.eye(subjects, dtype=int))
        false = draw_pairs(rng, totals)
        pairs = list(itertools.combinations(range(subjects), 2))
        x = {pair: false[pair] - false.sum() / totals.sum() * k for pair in pairs}
        squares = sum(x[a] ** 2 for a in pairs)
        sharing = sum(x[a] * x[b] for a, b in itertools.permutations(pairs, 2) if len({*a, *b}) == 3)
        disjoint = sum(k * k for a, b in itertools.permutations(pairs, 2) if len({*a, *b}) == 4)
        variance = (squares + sharing) / disjoint
        u = false.sum() / totals.sum()
        effect = variance * totals.sum() / 2 / (u * (1 - u) + variance)
        assert nonmated_dependence(PairSums.of_matrices(false, totals))[0] == pytest.approx(effect, rel=1e-12)

    def test_in_complete_designs_the_correlations_give_the_design_effect_back(self):
        rng = np.random.default_rng(6)
        for samples, subjects in ((1, 10), (2, 10), (4, 25)):
            totals = samples**2 * (1 - np.eye(subjects, dtype=int))
            effect, shared, same = nonmated_dependence(PairSums.of_matrices(draw_pairs(rng, totals), totals))
            back = 1 + 2 * (subjects - 2) * samples**2 * shared + (samples**2 - 1) * (same or 0.0)
            assert back == pytest.approx(effect, rel=1e-10)
            if shared >= 0 and (same or 0) >= 0:
                assert pairwise_design_effect(samples, shared=shared, same=same or 0.0)(subjects) == pytest.approx(back)
        e = draw_mated(rng, [6] * 50)
        effect, rho = mated_dependence(e, [6] * 50)
        assert cluster_design_effect(6, rho) == pytest.approx(effect)

    def test_many_ties_leave_the_nearest_threshold_that_has_errors_and_others(self):
        seen = [
            mated.plan(fmr=claim, fnmr=claim, pilot=pilot(np.random.default_rng(13))).pilot
            for claim in (1e-3, 0.05, 0.1, 0.5)
        ]
        assert len({(p.errors_nonmated, p.errors_mated) for p in seen}) == 1
        assert 0.05 < seen[0].fmr < 0.2
        assert 0.05 < seen[0].fnmr < 0.2

    def test_one_comparison_a_subject_shows_no_correlation(self):
        effect, rho = mated_dependence([1, 0, 0, 1, 0], [1] * 5)
        assert (effect, rho) == (pytest.approx(1.0), None)

    def test_the_standard_errors_are_about_the_spread_over_pilots(self):
        seen = [mated.plan(fmr=0.1, fnmr=0.1, pilot=pilot(np.random.default_rng(seed))).pilot for seed in range(60)]
        for name, truth in (("mated", WITHIN), ("nonmated", SHARED)):
            spread = np.std([getattr(p, f"correlation_{name}") for p in seen])
            claimed = np.mean([getattr(p, f"correlation_{name}_se") for p in seen])
            assert 0.75 < claimed / spread < 1.75  # the jackknife errs on the wide side for pairs
            assert_recovered([getattr(p, f"correlation_{name}") for p in seen], truth, bias=0.03)


@pytest.fixture(scope="module")
def table():
    return pilot(np.random.default_rng(7))


class TestPlansWithAPilot:
    def test_it_scales_to_other_numbers_of_subjects_and_samples(self, table):
        result = mated.plan(fmr=0.05, fnmr=0.05, samples=4, pilot=table)
        p = result.pilot
        effect = pairwise_design_effect(4, shared=p.correlation_nonmated, same=p.correlation_same_pair)
        need = result.plan.fmr.exact
        assert need.design_effect == pytest.approx(effect(need.subjects))
        assert result.plan.fnmr.exact.design_effect == pytest.approx(1 + 5 * p.correlation_mated)  # 6 comparisons
        assert result.independent == mated.plan(fmr=0.05, fnmr=0.05, samples=4).plan
        assert result.independent.subjects < result.plan.subjects < result.cautious.subjects

    def test_the_correlations_are_taken_where_the_claim_is(self):
        # Rates of 10 % non-mated errors with distinct scores: a claim of 2 % lies higher up, one of 1e-4 is not seen.
        base = pilot(np.random.default_rng(8))
        rng = np.random.default_rng(9)
        data = Comparisons.from_arrays(
            base.score + rng.random(len(base)) / 2,
            probe_subject=np.array(base.subjects.names)[base.subjects.probe],
            reference_subject=np.array(base.subjects.names)[base.subjects.reference],
        )
        n = int((~data.mated).sum())
        assert mated.plan(fmr=0.02, pilot=data).pilot.errors_nonmated == math.ceil(0.02 * n)
        tail = mated.plan(fmr=1e-4, pilot=data).pilot
        assert tail.errors_nonmated == 30
        assert f"their dependence is taken at FMR {30 / n:.3g}" in tail.caution
        # An FNMR alone is looked at where the pilot has it; with an FMR, at the threshold of the FMR.
        assert mated.plan(fnmr=0.2, pilot=data).pilot.fnmr == pytest.approx(0.2, abs=0.01)
        at = mated.verify(data).at_fmr(0.03)
        assert mated.plan(fmr=0.03, fnmr=0.9, pilot=data).pilot.errors_mated == at.errors_mated

    def test_a_path_a_table_and_a_verification_say_the_same(self, table, tmp_path):
        names = np.array(table.subjects.names)
        frame = pl.DataFrame(
            {
                "probe_subject": names[table.subjects.probe],
                "reference_subject": names[table.subjects.reference],
                "score": table.score,
            }
        )
        frame.write_csv(tmp_path / "pilot.csv")
        results = [
            mated.plan(fmr=0.05, fnmr=0.05, pilot=given)
            for given in (table, mated.verify(table), tmp_path / "pilot.csv", frame)
        ]
        assert len({r.plan for r in results}) == 1
        assert results[2].pilot.name == "pilot"
        assert (results[0].pilot.samples, results[2].pilot.samples) == (5, None)

    def test_with_two_samples_mated_comparisons_need_no_correlation(self):
        two = pilot(np.random.default_rng(10), subjects=400, samples=2)
        result = mated.plan(fnmr=0.1, samples=2, pilot=two)
        assert result.pilot.correlation_mated is None
        assert result.plan.fnmr.exact == result.independent.fnmr.exact
        with pytest.raises(MatedError, match="cannot show how dependent a subject's mated comparisons are"):
            mated.plan(fnmr=0.1, samples=3, pilot=two)

    def test_the_planned_power_and_confidence_hold_for_dependent_comparisons(self):
        # With the true correlation known, 20,000 tests of the planned size; the effective size is an approximation.
        effect = cluster_design_effect(6, WITHIN)
        need = plan_test(fnmr=0.1, samples=4, design_effect_mated=effect).fnmr.exact_stable
        allowed = int(need.errors_allowed * effect)
        rng, size = np.random.default_rng(11), 1 / WITHIN - 1
        passed = {}
        for rate in (0.1, 0.05):
            p = rng.beta(rate * size, (1 - rate) * size, size=(20_000, need.subjects))
            passed[rate] = np.mean(rng.binomial(6, p).sum(axis=1) <= allowed)
        assert passed[0.1] < 0.06
        assert passed[0.05] > 0.8

    def test_they_hold_for_comparisons_of_pairs_of_subjects_too(self):
        # The model above at the claim of 0.02, 2,000 tests of the planned size: allowed 0.05 + 4·√(0.05·0.95/2000).
        shared, same = 0.02 * TAU**2 / 0.98, 0.02 * ((1 + TAU**2) ** 2 - 1) / 0.98
        effect = pairwise_design_effect(2, shared=shared, same=same)
        need = plan_test(fmr=0.02, samples=2, design_effect_nonmated=effect).fmr.exact_stable
        allowed = int(need.errors_allowed * need.design_effect)
        first, second = np.triu_indices(need.subjects, 1)
        rng, passed = np.random.default_rng(14), {}
        for rate in (0.02, 0.01):
            a = 1 + TAU * rng.choice([-1, 1], size=(2000, need.subjects))
            passed[rate] = np.mean(rng.binomial(4, rate * a[:, first] * a[:, second]).sum(axis=1) <= allowed)
        assert passed[0.02] < 0.07
        assert passed[0.01] > 0.8


class TestWithoutAPilot:
    def test_rule_of_three_by_hand(self):
        # 1 − 0.05^(1/n): 30 subjects have 30 mated and 435 non-mated pairs.
        shown = mated.plan(subjects=30, samples=2, design="one-pair").shown
        assert shown.fnmr.zero_errors == pytest.approx(1 - 0.05 ** (1 / 30), rel=1e-12)
        assert shown.fmr.zero_errors == pytest.approx(1 - 0.05 ** (1 / 435), rel=1e-12)

    def test_published_numbers(self):
        # Wilks (1941): 59 trials without error show 5 % at 95 %; rule of 30: 30 errors at half of 1e-4 are 600,000.
        assert mated.plan(fnmr=0.05).plan.fnmr.zero_errors.comparisons == 59
        assert mated.plan(fmr=1e-4).plan.fmr.thirty_errors.comparisons == 600_000

    def test_the_power_of_a_given_test_is_that_of_the_binomial_distribution(self):
        result = mated.plan(subjects=300, fmr=1e-4, expected_fmr=3e-5)
        n = 300 * 299 // 2 * 4
        allowed = max(c for c in range(40) if stats.binom.cdf(c, n, 1e-4) <= 0.05)
        claim = result.claims["fmr"]
        assert claim.errors_allowed == allowed
        assert claim.power == pytest.approx(stats.binom.cdf(allowed, n, 3e-5), rel=1e-9)

    def test_a_test_that_is_too_small_says_so(self):
        result = mated.plan(subjects=10, fmr=1e-6)
        assert result.claims["fmr"].errors_allowed is None
        assert "could not be shown, not even by a test without errors" in result.sentence

    def test_one_sample_leaves_no_mated_comparison(self):
        assert mated.plan(subjects=10, samples=1).shown.fnmr is None


class TestResults:
    def test_dictionaries_go_through_json(self):
        table = pilot(np.random.default_rng(12))
        for result in (mated.plan(fmr=0.05, pilot=table), mated.plan(subjects=50, fmr=0.05, pilot=table)):
            again = json.loads(json.dumps(result.to_dict()))
            assert {
                "subjects", "samples", "correlation_mated", "correlation_nonmated", "design_effect_mated",
                "design_effect_nonmated",
            } <= again["pilot"].keys()  # fmt: skip
            assert again["independent"]["subjects"] > 1

    def test_the_planning_keys_are_at_the_top(self):
        result = mated.plan(fmr=1e-3, fnmr=0.02).to_dict()
        assert {"fmr", "fnmr", "subjects", "samples", "design", "confidence", "power"} <= result.keys()
        assert (result["pilot"], result["independent"]) == (None, None)

    def test_each_says_in_one_line_what_it_found(self):
        needed, given = mated.plan(fmr=1e-4), mated.plan(subjects=300)
        assert isinstance(needed, NeededTest)
        assert isinstance(given, GivenTest)
        assert needed.sentence.replace("\u00a0", " ").replace("\u202f", " ") == (
            "To show FMR ≤ 0.0001 with 95 % confidence and 80 % power if it is 0.00005: 332 subjects with 2 samples "
            "each (219 784 non-mated comparisons, taken as independent)."
        )
        for result in (needed, given, mated.plan(fmr=1e-3, fnmr=0.1)):
            assert "\n" not in repr(result)
            assert len(result.to_frame()) > 0
            assert "<table>" in result._repr_html_()
        assert "1 error;" in mated.plan(subjects=100, fnmr=0.05, expected_fnmr=0.01).sentence


BAD = {
    "nothing asked": ({}, "nothing is asked"),
    "a rate above one": ({"fmr": 2}, "between 0 and 1"),
    "a rate of zero": ({"fnmr": 0}, "between 0 and 1"),
    "an expected rate above the claim": ({"fmr": 0.1, "expected_fmr": 0.2}, "must lie below"),
    "an expected rate alone": ({"fnmr": 0.1, "expected_fmr": 0.2}, "an expected FMR plans nothing by itself"),
    "one sample for an FNMR": ({"fnmr": 0.1, "samples": 1}, "at least 2 samples"),
    "one subject": ({"subjects": 1}, "at least 2 subjects"),
    "half a sample": ({"fmr": 0.1, "samples": 1.5}, "a whole number"),
    "an unknown design": ({"fmr": 0.1, "design": "some"}, "'all-pairs' or 'one-pair'"),
    "a confidence of one": ({"fmr": 0.1, "confidence": 1}, "the confidence"),
    "a power of 80": ({"fmr": 0.1, "power": 80}, "the power"),
    "a pilot without subjects": (
        {"fmr": 0.1, "pilot": mated.verify([1, 2], [0, 1])},
        "only where it says who was compared",
    ),
    "a pilot of two subjects": (
        {
            "fmr": 0.1,
            "pilot": Comparisons.from_arrays(
                [3, 3, *range(40)], probe_subject=list("aa") + ["a"] * 40, reference_subject=list("aa") + ["b"] * 40
            ),
        },
        "too small to show how dependent non-mated comparisons are",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence(case):
    options, words = BAD[case]
    with pytest.raises(MatedError, match=words) as caught:
        mated.plan(**options)
    assert "\n" not in str(caught.value)
