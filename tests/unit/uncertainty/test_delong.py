"""DeLong's variance against published analyses and against structural components counted in a double loop."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.errors import MatedError
from mated.scores import Tally
from mated.uncertainty.binomial import clopper_pearson
from mated.uncertainty.delong import auc_interval, auc_standard_error, delong_test
from mated.verification import area_under_roc
from strategies import any_pair, integers

# Ratings 1 to 5 of 51 abnormal and 58 normal images, Hanley and McNeil (1982), Table I.
RATINGS = Tally.from_counts([1, 2, 3, 4, 5], [3, 2, 2, 11, 33], [33, 6, 6, 11, 2])

# Albumin, total protein, K-G score and outcome of the patients of DeLong et al. (1988) without missing values, as
# in the SAS/STAT User's Guide, example "Comparing Receiver Operating Characteristic Curves".
PATIENTS = np.fromstring(
    """
    3.0 5.8 10 0   3.2 6.3  5 1   3.9 6.8  3 1   2.8 4.8  6 0   3.2 5.8  3 1   0.9 4.0  5 0   2.5 5.7  8 0
    1.6 5.6  5 1   3.8 5.7  5 1   3.7 6.7  6 1   3.2 5.4  4 1   3.8 6.6  6 1   4.1 6.6  5 1   3.6 5.7  5 1
    4.3 7.0  4 1   3.6 6.7  4 0   2.3 4.4  6 1   4.2 7.6  4 0   4.0 6.6  6 0   3.5 5.8  6 1   3.8 6.8  7 1
    3.0 4.7  8 0   4.5 7.4  5 1   3.7 7.4  5 1   3.1 6.6  6 1   4.1 8.2  6 1   4.3 7.0  5 1   4.3 6.5  4 1
    3.2 5.1  5 1   2.6 4.7  6 1   3.3 6.8  6 0   1.7 4.0  7 0   3.7 6.1  5 1   3.3 6.3  7 1   4.2 7.7  6 1
    3.5 6.2  5 1   2.9 5.7  9 0   2.1 4.8  7 1   2.8 6.2  8 0   4.0 7.0  7 1   3.3 5.7  6 1   3.7 6.9  5 1
    3.6 6.6  5 1
    """,
    sep=" ",
).reshape(-1, 4)
HELPED = PATIENTS[:, 3] == 1
ALBUMIN, PROTEIN, SCORE = PATIENTS[:, 0], PATIENTS[:, 1], 10 - PATIENTS[:, 2]


def split(scores):
    return scores[HELPED], scores[~HELPED]


def components(mated, nonmated):
    """Structural components of DeLong et al. (1988), every pair of scores looked at."""

    def wins(x, y):
        return Fraction(int(x > y)) + Fraction(int(x == y), 2)

    v10 = [sum(wins(x, y) for y in nonmated) / len(nonmated) for x in mated]
    v01 = [sum(wins(x, y) for x in mated) / len(mated) for y in nonmated]
    return v10, v01


def covariance(u, v):
    mean_u, mean_v = sum(u) / len(u), sum(v) / len(v)
    return sum((a - mean_u) * (b - mean_v) for a, b in zip(u, v, strict=True)) / (len(u) - 1)


class TestPublishedAnalyses:
    def test_the_ratings_of_hanley_and_mcneil(self):
        # Stata Base Reference Manual, roctab: area 0.8932, standard error 0.0307.
        assert area_under_roc(RATINGS) == pytest.approx(0.8932, abs=5e-5)
        assert auc_standard_error(RATINGS) == pytest.approx(0.0307, abs=5e-5)

    @pytest.mark.parametrize(
        ("scores", "area", "se"), [(ALBUMIN, 0.7366, 0.0927), (SCORE, 0.7258, 0.1028), (PROTEIN, 0.6478, 0.1000)]
    )
    def test_the_areas_of_delongs_patients(self, scores, area, se):
        tally = Tally.from_scores(*split(scores))
        assert area_under_roc(tally) == pytest.approx(area, abs=5e-5)
        assert auc_standard_error(tally) == pytest.approx(se, abs=6e-5)

    @pytest.mark.parametrize(
        ("scores", "difference", "se", "chi_square", "p_value"),
        [(ALBUMIN, 0.0108, 0.0953, 0.0127, 0.9102), (PROTEIN, -0.0780, 0.1046, 0.5554, 0.4561)],
    )
    def test_the_contrasts_of_delongs_patients(self, scores, difference, se, chi_square, p_value):
        result = delong_test(*split(scores), *split(SCORE), paired=True)
        assert result.difference == pytest.approx(difference, abs=5e-5)
        assert result.se == pytest.approx(se, abs=5e-5)
        assert result.z**2 == pytest.approx(chi_square, abs=6e-5)
        assert result.p_value == pytest.approx(p_value, abs=5e-5)


class TestAgainstTheDoubleLoop:
    @given(any_pair)
    def test_the_standard_error_of_a_tally(self, pair):
        mated, nonmated = pair
        se = auc_standard_error(Tally.from_scores(mated, nonmated))
        if min(len(mated), len(nonmated)) < 2:
            assert se is None
            return
        v10, v01 = components(mated, nonmated)
        variance = covariance(v10, v10) / len(mated) + covariance(v01, v01) / len(nonmated)
        assert se == pytest.approx(math.sqrt(variance), rel=1e-9, abs=1e-14)

    @given(
        st.lists(st.tuples(integers, integers), min_size=2, max_size=10),
        st.lists(st.tuples(integers, integers), min_size=2, max_size=10),
        st.booleans(),
    )
    def test_the_test_of_two_systems(self, mated, nonmated, paired):
        (mated_a, mated_b), (nonmated_a, nonmated_b) = zip(*mated, strict=True), zip(*nonmated, strict=True)
        a10, a01 = components(mated_a, nonmated_a)
        b10, b01 = components(mated_b, nonmated_b)
        variance = sum(covariance(v, v) / len(v) for v in (a10, a01, b10, b01))
        if paired:
            variance -= 2 * (covariance(a10, b10) / len(a10) + covariance(a01, b01) / len(a01))
        difference = sum(a10) / len(a10) - sum(b10) / len(b10)
        result = delong_test(mated_a, nonmated_a, mated_b, nonmated_b, paired=paired)
        assert result.difference == pytest.approx(float(difference), abs=1e-14)
        assert result.se == pytest.approx(math.sqrt(variance), rel=1e-9, abs=1e-12)
        if variance:
            z = float(difference) / math.sqrt(variance)
            assert result.z == pytest.approx(z, rel=1e-9, abs=1e-9)
            assert result.p_value == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), rel=1e-6)

    @given(any_pair)
    def test_the_interval_holds_the_area_and_is_never_of_zero_width(self, pair):
        tally = Tally.from_scores(*pair)
        low, high = auc_interval(tally)
        assert 0 <= low <= area_under_roc(tally) + 1e-12
        assert area_under_roc(tally) - 1e-12 <= high <= 1
        assert low < high


class TestIntervals:
    def test_it_is_symmetric_on_the_logit_scale(self):
        area, se = area_under_roc(RATINGS), auc_standard_error(RATINGS)
        low, high = auc_interval(RATINGS, 0.9)
        half = 1.6448536269514722 * se / (area * (1 - area))
        centre = math.log(area / (1 - area))
        assert math.log(low / (1 - low)) == pytest.approx(centre - half)
        assert math.log(high / (1 - high)) == pytest.approx(centre + half)

    def test_exchanging_the_classes_mirrors_it(self):
        turned = Tally.from_counts([1, 2, 3, 4, 5], [33, 6, 6, 11, 2], [3, 2, 2, 11, 33])
        low, high = auc_interval(RATINGS)
        assert auc_interval(turned) == pytest.approx((1 - high, 1 - low))

    def test_classes_apart_are_as_many_trials_without_error_as_the_smaller_has_comparisons(self):
        tally = Tally.from_scores(np.arange(100, 120), np.arange(50))
        assert auc_standard_error(tally) == 0
        assert auc_interval(tally) == pytest.approx((0.025 ** (1 / 20), 1.0))

    def test_classes_apart_the_wrong_way_round_are_mirrored(self):
        assert auc_interval(Tally.from_scores([0, 1], [2, 3, 4])) == pytest.approx((0, 1 - 0.025 ** (1 / 2)))

    def test_ties_alone_say_little(self):
        tally = Tally.from_scores([3, 3, 3, 3], [3, 3, 3, 3, 3])
        assert auc_interval(tally) == pytest.approx(clopper_pearson(2, 4))

    def test_near_one_the_small_losses_keep_their_precision(self):
        # One mated score of 100,000 lies below half of 20,000 non-mated ones: loss 5e-6, its error nearly as large.
        tally = Tally.from_counts([0, 1, 2, 3], [0, 1, 0, 99_999], [10_000, 0, 10_000, 0])
        v10 = np.append(np.ones(99_999), 0.5)
        expected = v10.var(ddof=1) / 100_000 + (0.5 / 100_000) ** 2 * (20_000 / 19_999) / 20_000
        assert auc_standard_error(tally) == pytest.approx(math.sqrt(expected), rel=1e-9)
        low, high = auc_interval(tally)
        assert 1 - 4e-5 < low < 1 - 5e-6 < high < 1

    def test_a_class_without_comparisons_is_named(self):
        with pytest.raises(MatedError, match="needs mated comparisons"):
            auc_interval(Tally.from_counts([1, 2], [0, 0], [3, 4]))


class TestTwoSystems:
    def test_a_system_does_not_differ_from_itself(self):
        result = delong_test(*split(ALBUMIN), *split(ALBUMIN), paired=True)
        assert (result.difference, result.se, result.z, result.p_value) == (0, 0, 0, 1)

    def test_independent_systems_have_the_sum_of_their_variances(self):
        result = delong_test(*split(ALBUMIN), *split(SCORE), paired=False)
        each = [auc_standard_error(Tally.from_scores(*split(s))) for s in (ALBUMIN, SCORE)]
        assert result.se == pytest.approx(math.hypot(*each))

    def test_unpaired_systems_may_differ_in_size(self):
        mated, nonmated = split(ALBUMIN)
        assert delong_test(mated, nonmated, mated[:5], nonmated[:7], paired=False).auc_a == pytest.approx(
            0.7366, abs=5e-5
        )

    def test_a_difference_without_variance_is_as_sure_as_a_sign_test_of_the_smaller_class(self):
        result = delong_test([2, 3, 4], [0, 1, 0, 1], [5, 5, 5], [5, 5, 5, 5], paired=True)
        assert (result.difference, result.z, result.p_value) == (0.5, math.inf, 0.25)

    def test_the_result_is_a_plain_dictionary(self):
        result = delong_test(*split(ALBUMIN), *split(SCORE), paired=True).to_dict()
        assert list(result) == ["auc_a", "auc_b", "difference", "se", "z", "p_value", "paired"]

    def test_a_hundred_thousand_scores_are_sorted_not_paired(self):
        rng = np.random.default_rng(5)
        a = rng.normal(size=100_000) + 1, rng.normal(size=100_000)
        b = a[0] + rng.normal(size=100_000), a[1] + rng.normal(size=100_000)
        # Equal variances: AUC = Φ(μ/√(2·variance)), 0.760 and 0.691.
        result = delong_test(*a, *b, paired=True)
        assert result.auc_a == pytest.approx(0.7602, abs=0.004)
        assert result.auc_b == pytest.approx(0.6915, abs=0.004)
        assert result.p_value < 1e-100

    @pytest.mark.parametrize(
        ("arrays", "says"),
        [
            (([1, 2], [0, 1], [1, 2, 3], [0, 1]), "paired systems score the same comparisons"),
            (([1, math.nan], [0, 1], [1, 2], [0, 1]), "mated scores of system a must not hold NaN"),
            (([1, 2], [0, 1], [1, 2], [0]), "at least two non-mated scores, and system b has 1"),
            (([1, 2], ["x", 1], [1, 2], [0, 1]), "'x' is none"),
        ],
    )
    def test_scores_that_cannot_be_tested_are_named(self, arrays, says):
        with pytest.raises(MatedError, match=says):
            delong_test(*arrays, paired=True)
