"""Subject-level intervals at a fixed threshold: formulas, small counts, and the law of the upper bound."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from scipy.special import betainc, logit, stdtrit

from mated.errors import MatedError
from mated.scores.subject_pairs import SubjectPairs
from mated.synthetic import GaussianIdentities
from mated.uncertainty.binomial import clopper_pearson
from mated.uncertainty.cluster import (
    fmr_cluster,
    fnmr_cluster,
    logit_t_interval,
    rates_at_threshold,
    tail_design_effects,
)
from mated.uncertainty.pair_sums import PairSums, pair_variance
from subject_brute_force import korn_graubard_variance, pair_variances, residuals, table


def symmetric(entries, size):
    """A symmetric matrix with zero diagonal from the entries above it."""
    matrix = np.zeros((size, size), dtype=np.int64)
    matrix[np.triu_indices(size, 1)] = entries[: size * (size - 1) // 2]
    return matrix + matrix.T


@st.composite
def clusters(draw, most=25):
    """Errors and comparisons of 2 to 6 subjects, of equal size or not."""
    subjects = draw(st.integers(2, 6))
    if draw(st.booleans()):
        n = [draw(st.integers(1, most))] * subjects
    else:
        n = draw(st.lists(st.integers(1, most), min_size=subjects, max_size=subjects))
    return np.array([draw(st.integers(0, size)) for size in n]), np.array(n)


@st.composite
def matrices(draw, fewest=2):
    """False matches and comparisons of all pairs of some subjects, complete or not."""
    size = draw(st.integers(fewest, 6))
    pairs = size * (size - 1) // 2
    if draw(st.booleans()):
        n = [draw(st.integers(1, 8))] * pairs
    else:
        n = draw(st.lists(st.integers(0, 8), min_size=pairs, max_size=pairs).filter(any))
    m = [draw(st.integers(0, count)) for count in n]
    return symmetric(m, size), symmetric(n, size)


effects = st.sampled_from([1.0, 2.5, 7.0, "worst"])
levels = st.sampled_from([0.95, 0.5, 0.99])


class TestKornGraubard:
    def test_interval_worked_by_hand(self):
        # Ten subjects with ten comparisons, 20 errors: p = 0.2, deviations e − 2 = 3, −2, 1, −2, 0, 0, −1, 2, −2, 1,
        # v = 28/100/90 = 0.00311…, p(1 − p)/v = 51.43, n* = 51.43·(1.959964/2.262157)² = 38.607, x = 7.7214.
        result = fnmr_cluster([5, 0, 3, 0, 2, 2, 1, 4, 0, 3], [10] * 10)
        assert result.value == 0.2
        assert result.se == pytest.approx(math.sqrt(0.28 / 90))
        assert result.design_effect == pytest.approx(0.28 / 90 * 100 / 0.16)
        n, x = 38.607, 7.7214
        assert betainc(x, n - x + 1, result.low) == pytest.approx(0.025, abs=1e-5)
        assert betainc(x + 1, n - x, result.formula_high) == pytest.approx(0.975, abs=1e-5)
        assert (result.subjects, result.errors, result.comparisons) == (10, 20, 100)

    def test_takes_no_more_trials_than_there_are_comparisons(self):
        # p(1 − p)/v = 0.24/(10·0.01/90) = 216 exceeds the 100 comparisons.
        result = fnmr_cluster([5, 3] * 5, [10] * 10)
        n = 100 * (1.959963984540054 / stdtrit(9, 0.975)) ** 2
        assert (result.low, result.formula_high) == pytest.approx(clopper_pearson(0.4 * n, n), rel=1e-9)

    def test_counts_subjects_where_all_have_the_same_rate(self):
        result = fnmr_cluster([3] * 8, [10] * 8)
        assert (result.low, result.high) == pytest.approx(clopper_pearson(0.3 * 8, 8), rel=1e-12)
        assert fnmr_cluster([10] * 8, [10] * 8).high == 1.0
        assert fnmr_cluster([10] * 8, [10] * 8).low == pytest.approx(0.025 ** (1 / 8))

    @given(clusters())
    def test_standard_error_is_that_of_a_loop(self, data):
        e, n = data
        if sum(e) >= 10:
            expected = math.sqrt(korn_graubard_variance(e.tolist(), n.tolist()))
            assert fnmr_cluster(e, n).se == pytest.approx(expected, abs=1e-7)

    def test_subjects_without_comparisons_do_not_count(self):
        e, n = np.array([5, 0, 9, 2]), np.array([10, 0, 12, 10])
        assert fnmr_cluster(e, n) == fnmr_cluster(e[n > 0], n[n > 0])

    @pytest.mark.parametrize(("errors", "comparisons"), [([3], [2]), ([-1, 2], [3, 3]), ([1, 2], [3])])
    def test_counts_that_cannot_be_are_refused(self, errors, comparisons):
        with pytest.raises(MatedError, match="errors ≤ comparisons"):
            fnmr_cluster(errors, comparisons)


class TestFmrVariance:
    @given(matrices(fewest=4), st.sampled_from(["mid", "row", "u"]))
    def test_is_that_of_the_double_loops(self, data, kind):
        m, n = data
        used = n.sum(axis=0) > 0
        if used.sum() < 4 or not 0 < m.sum() < n.sum():
            return
        sums = PairSums.of_matrices(m, n)
        expected = pair_variances(residuals(m[used][:, used], n[used][:, used]))
        rows, entries = float(sums.residual_rows @ sums.residual_rows), sums.residual_squares
        plain = pair_variance(rows, entries, sums.subjects, kind, floor=-np.inf)
        assert plain == pytest.approx(expected[kind], abs=1e-9)
        rate = m.sum() / n.sum()
        floor = rate * (1 - rate) / (n.sum() / 2)
        parts = {name: max(value, floor) for name, value in expected.items()}
        parts["mid"] = (parts["u"] + parts["row"]) / 2
        assert sums.variance(kind) == pytest.approx(parts[kind], rel=1e-9)

    def test_of_the_u_statistic_is_unbiased(self):
        # 4000 studies of 8 subjects; a pair matches when two traits and a noise of its own sum to more than 1.
        rng = np.random.default_rng(20)
        studies, size = 4000, 8
        upper = np.triu_indices(size, 1)
        trait = rng.standard_normal((studies, size))
        matches = trait[:, upper[0]] + trait[:, upper[1]] + rng.standard_normal((studies, 28)) > 1
        rates = matches.mean(axis=1)
        k = np.zeros((studies, size, size))
        k[:, upper[0], upper[1]] = matches - rates[:, None]
        k += k.transpose(0, 2, 1)
        rows, entries = (k.sum(axis=2) ** 2).sum(axis=1), (k**2).sum(axis=(1, 2))
        estimates = pair_variance(rows, entries, size, "u", floor=-np.inf)
        truth = rates.var(ddof=1)
        error = math.sqrt(((rates - rates.mean()) ** 2).var() / studies + estimates.var() / studies)
        assert estimates.mean() == pytest.approx(truth, abs=4 * error)
        assert 4 * error < 0.15 * truth

    def test_needs_a_name_that_exists(self):
        n = symmetric([8] * 6, 4)
        with pytest.raises(MatedError, match="'mid', 'row' and 'u'"):
            fmr_cluster(n // 2, n, variance="best")


class TestFmrInterval:
    def test_is_symmetric_about_the_logit(self):
        rng = np.random.default_rng(1)
        n = symmetric([20] * 190, 20)
        m = symmetric(rng.binomial(20, 0.1, 190), 20)
        result = fmr_cluster(m, n)
        half = stdtrit(19, 0.975) * result.se / (result.value * (1 - result.value))
        assert logit(result.formula_high) == pytest.approx(logit(result.value) + half)
        assert logit(result.low) == pytest.approx(logit(result.value) - half)
        assert result.design_effect == pytest.approx(result.se**2 * 3800 / (result.value * (1 - result.value)))

    @pytest.mark.parametrize("form", [csr_matrix, csr_array])
    def test_is_the_same_from_sparse_matrices(self, form):
        rng = np.random.default_rng(2)
        n = symmetric(rng.integers(0, 6, 45), 10)
        m = rng.binomial(n, 0.4)
        m = np.triu(m, 1) + np.triu(m, 1).T
        assert fmr_cluster(form(m), form(n)) == fmr_cluster(m, n)

    @pytest.mark.parametrize(
        ("m", "n", "words"),
        [
            (symmetric([1, 2, 1], 3), np.triu(symmetric([3, 3, 3], 3)), "symmetric"),
            (symmetric([4, 2, 1], 3), symmetric([3, 3, 3], 3), "more false matches than"),
            (symmetric([1, 2, 1], 3), symmetric([3] * 6, 4), "size"),
        ],
    )
    def test_refuses_counts_that_cannot_be(self, m, n, words):
        with pytest.raises(MatedError, match=words):
            fmr_cluster(m, n, design_effect="worst")

    def test_of_two_or_three_subjects_is_that_of_one_trial(self):
        n = symmetric([30, 30, 30], 3)
        result = fmr_cluster(symmetric([9, 9, 9], 3), n)
        assert (result.low, result.high) == clopper_pearson(0.3, 1)

    def test_of_matches_only_reaches_one_and_has_a_width(self):
        n = symmetric([5] * 15, 6)
        result = fmr_cluster(n, n)
        assert (result.value, result.high) == (1.0, 1.0)
        assert result.low == pytest.approx(0.025 ** (1 / 3))


class TestFewErrors:
    def test_divide_the_comparisons_by_the_design_effect(self):
        result = fnmr_cluster([0] * 20, [10] * 20, design_effect=4.0)
        assert (result.low, result.high) == pytest.approx((0.0, 1 - 0.025 ** (1 / 50)))
        assert result.worst_case == pytest.approx((0.0, 1 - 0.025 ** (1 / 20)))
        assert result.method == "Clopper–Pearson (N/DEFF)"

    def test_count_half_the_subjects_where_nothing_is_known_of_fmr(self):
        n = symmetric([10] * 21, 7)
        result = fmr_cluster(0 * n, n, design_effect="worst")
        assert (result.low, result.high) == result.worst_case == pytest.approx((0.0, 1 - 0.025 ** (1 / 3)))

    def test_without_a_design_effect_are_refused(self):
        with pytest.raises(MatedError, match="too few to show"):
            fnmr_cluster([1, 0, 2], [5, 5, 5])

    def test_have_no_more_trials_than_comparisons(self):
        one, less = (fnmr_cluster([1, 0, 2], [5, 5, 5], design_effect=d) for d in (1.0, 0.2))
        assert one == less
        with pytest.raises(MatedError, match="positive"):
            fnmr_cluster([1, 0, 2], [5, 5, 5], design_effect=-1.0)


class TestTheLawOfTheUpperBound:
    """An upper bound never falls when an error is added, wherever; intervals hold the value and have a width."""

    @given(clusters(), effects, levels, st.data())
    @settings(max_examples=300)
    def test_fnmr(self, data, effect, level, more):
        e, n = data
        before = fnmr_cluster(e, n, level, design_effect=effect)
        assert 0 <= before.low <= before.value <= before.high <= 1
        assert before.low < before.high
        free = np.flatnonzero(e < n)
        if len(free):
            e[more.draw(st.sampled_from(free.tolist()))] += 1
            assert fnmr_cluster(e, n, level, design_effect=effect).high >= before.high - 1e-12

    @given(
        matrices(),
        effects,
        st.sampled_from([None, 1.0, 3.3, 9.0]),
        levels,
        st.sampled_from(["mid", "row", "u"]),
        st.data(),
    )
    @settings(max_examples=400)
    def test_fmr(self, data, effect, bunched, level, variance, more):
        m, n = data
        options = {"variance": variance, "design_effect": effect, "bunched_effect": bunched}
        before = fmr_cluster(m, n, level, **options)
        assert 0 <= before.low <= before.value <= before.high <= 1
        assert before.low < before.high
        free = np.argwhere(np.triu(n - m)).tolist()
        if free:
            i, j = more.draw(st.sampled_from(free))
            m[i, j] += 1
            m[j, i] += 1
            assert fmr_cluster(m, n, level, **options).high >= before.high - 1e-12

    def test_along_every_threshold_of_a_study(self):
        pairs = SubjectPairs.of(GaussianIdentities().draw(25, 3, rng=9).comparisons())
        own = np.sort(pairs.mated_score)
        bounds = [rates_at_threshold(pairs, t)[1].high for t in own]
        assert (np.diff(bounds) >= -1e-12).all()
        bounds = [rates_at_threshold(pairs, t)[0].high for t in pairs.score[:200]]
        assert (np.diff(bounds) >= -1e-12).all()

    def test_costs_little_with_a_hundred_subjects(self):
        pairs = SubjectPairs.of(GaussianIdentities().draw(100, 3, rng=4).comparisons())
        for interval in rates_at_threshold(pairs, 1.0):
            assert interval.high - interval.formula_high <= 0.03 * (interval.high - interval.low)

    def test_holds_where_errors_in_new_places_make_subjects_more_alike(self):
        n = np.full(6, 12)
        uneven, even = (fnmr_cluster(e, n) for e in ([12, 0, 0, 0, 0, 0], [12, 2, 2, 2, 2, 2]))
        assert even.formula_high < uneven.formula_high
        assert even.high >= uneven.high


class TestRatesAtAThreshold:
    def test_are_those_of_the_counts(self):
        data = GaussianIdentities().draw(40, 4, rng=2).comparisons()
        pairs = SubjectPairs.of(data)
        fmr, fnmr = rates_at_threshold(pairs, 1.0)
        size = pairs.n_subjects
        m = np.zeros((size, size), dtype=int)
        side = data.subjects
        reached = ~data.mated & (data.score >= 1.0)
        np.add.at(m, (side.probe[reached], side.reference[reached]), 1)
        n = 16 * (1 - np.eye(size, dtype=int))
        effects = tail_design_effects(pairs)
        direct = fmr_cluster(m + m.T, n, design_effect=effects.fmr, bunched_effect=effects.fmr_bunched)
        assert (fmr.low, fmr.high, fmr.se) == pytest.approx((direct.low, direct.high, direct.se), rel=1e-9)
        missed = np.bincount(side.probe[data.mated & (data.score < 1.0)], minlength=size)
        assert fnmr == fnmr_cluster(missed, np.full(size, 6), design_effect=tail_design_effects(pairs).fnmr)

    def test_of_false_matches_in_few_bunches_are_jeffreys_with_the_effect_of_a_hundred(self):
        pairs = SubjectPairs.of(GaussianIdentities().draw(60, 8, rng=5).comparisons())
        effect = tail_design_effects(pairs).fmr_bunched
        at_hundred = PairSums.at(pairs, pairs.score[99])
        rate = at_hundred.count / at_hundred.total
        assert at_hundred.count == 100
        assert effect == pytest.approx(at_hundred.variance("mid") * at_hundred.total / (rate * (1 - rate)))
        errors = 20
        assert errors / effect < 4
        found = rates_at_threshold(pairs, pairs.score[errors - 1])[0]
        assert (found.errors, found.method, found.design_effect) == (errors, "Jeffreys (N/DEFF)", effect)
        shape = errors / effect + 0.5, (found.comparisons - errors) / effect + 0.5
        assert betainc(*shape, [found.low, found.high]) == pytest.approx([0.025, 0.975])

    def test_say_how_many_subjects_stand_behind_the_errors(self):
        # By hand: false matches of subjects 0 to 3 are 6, 3, 3 and 0, so 12²/(36 + 9 + 9) = 2.67.
        m = symmetric([3, 3, 0, 0, 0, 0], 4)
        found = fmr_cluster(m, symmetric([9] * 6, 4), design_effect="worst")
        assert found.behind == pytest.approx(144 / 54)
        assert fnmr_cluster([2, 1, 0], [5, 5, 5], design_effect="worst").behind == pytest.approx(9 / 5)
        assert fnmr_cluster([0, 0, 0], [5, 5, 5], design_effect="worst").behind is None

    def test_take_the_design_effect_from_where_thirty_errors_are(self):
        pairs = SubjectPairs.of(GaussianIdentities().draw(40, 4, rng=2).comparisons())
        found = tail_design_effects(pairs)
        fmr = PairSums.at(pairs, pairs.score[29])
        rate = fmr.count / fmr.total
        assert fmr.count == 30
        assert found.fmr == pytest.approx(fmr.variance("mid") * fmr.total / (rate * (1 - rate)))
        missed = pairs.false_nonmatches(np.nextafter(pairs.mated_score[-30], np.inf))
        assert missed.sum() == 30
        v = korn_graubard_variance(missed.tolist(), pairs.mated_per_subject.tolist())
        p = 30 / pairs.n_mated
        assert found.fnmr == pytest.approx(v * pairs.n_mated / (p * (1 - p)))
        above_all = rates_at_threshold(pairs, pairs.score[0] + 1)[0]
        assert above_all.design_effect == found.fmr
        assert above_all.worst_case == pytest.approx((0.0, 1 - 0.025 ** (1 / 20)))

    def test_of_a_study_with_few_comparisons_count_subjects(self):
        pairs = SubjectPairs.of(table([("a", "a", 2.0), ("b", "b", 3.0), ("a", "b", 1.0)]))
        assert tail_design_effects(pairs) == (None, None, None)
        fmr, fnmr = rates_at_threshold(pairs, 1.5)
        assert (fmr.high, fnmr.high) == pytest.approx((0.975, 1 - math.sqrt(0.025)))

    def test_of_one_subject_are_refused(self):
        with pytest.raises(MatedError, match="no subject has non-mated"):
            rates_at_threshold(SubjectPairs.of(table([("a", "a", 2.0)])), 1.0)
        with pytest.raises(MatedError, match="one subject only"):
            rates_at_threshold(SubjectPairs.of(table([("a", "a", 2.0), ("a", "b", 1.0)])), 1.0)

    @pytest.mark.parametrize("level", [0.0, 1.0, -0.5, math.nan])
    def test_at_a_level_that_is_none_are_refused(self, level):
        with pytest.raises(MatedError, match="confidence level"):
            fnmr_cluster([5, 6], [10, 10], level)


class TestLogitT:
    def test_is_worked_by_hand(self):
        # logit 0.1 = −2.197225, half width 2.262157·0.02/0.09 = 0.502702.
        low, high = logit_t_interval(0.1, 0.02, 10)
        assert (low, high) == pytest.approx((1 / (1 + math.exp(2.699927)), 1 / (1 + math.exp(1.694523))), abs=1e-6)

    def test_of_a_rate_without_a_logit_is_everything(self):
        assert logit_t_interval(0.0, 0.0, 10) == logit_t_interval(1.0, 0.0, 10) == (0.0, 1.0)

    def test_needs_two_subjects(self):
        with pytest.raises(MatedError, match="one subject only"):
            logit_t_interval(0.1, 0.02, 1)
