"""Small cases worked by hand from the equations of Wu (2008)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mated.errors import MatedError
from mated.scores import Tally
from mated.verification import (
    at_fmr,
    at_threshold,
    at_tmr,
    default_fmrs,
    det_curve,
    detection_cost,
    equal_error_rate,
    roc_curve,
)

# Mated 3 5 5 7 9, non-mated 0 1 2 2 3 3 4 5 5 6:
# C_I(5) = 3/10, C_I(6) = 1/10, P_I(5) = 2/10, P_G(5) = 2/5, C_G(6) = 2/5.
TALLY = Tally.from_scores([3, 5, 5, 7, 9], [0, 1, 2, 2, 3, 3, 4, 5, 5, 6])


def test_ties_at_the_threshold_are_shared_out_in_proportion():
    p = at_fmr(TALLY, 0.2)  # C_I(6) = .1 < .2 ≤ C_I(5) = .3, so t = 5 and half of the ties count
    assert p.threshold == 5
    assert isinstance(p.threshold, int)
    assert p.tmr == pytest.approx(2 / 5 + 2 / 5 * (0.2 - 0.1) / 0.2)
    assert (p.errors_nonmated, p.errors_mated) == (3, 1)


def test_the_conservative_threshold_is_one_unit_above_the_last_that_exceeds_the_target():
    p = at_fmr(TALLY, 0.2)
    assert (p.threshold_conservative, p.fmr_conservative, p.fnmr_conservative) == (6, 0.1, 0.6)


def test_a_target_met_exactly_takes_the_whole_tie():
    p = at_fmr(TALLY, 0.3)
    assert (p.threshold, p.tmr) == (5, 0.8)
    assert p.threshold_conservative == 5


@pytest.mark.parametrize(("threshold", "fmr", "tmr"), [(5, 0.3, 0.8), (4.5, 0.3, 0.8), (5.01, 0.1, 0.4), (10, 0, 0)])
def test_a_threshold_that_is_no_score_acts_as_its_ceiling(threshold, fmr, tmr):
    p = at_threshold(TALLY, threshold)
    assert (p.fmr, p.tmr) == (fmr, tmr)


def test_the_fmr_at_a_tmr_is_interpolated_the_same_way():
    p = at_tmr(TALLY, 0.6)  # C_G(6) = .4 < .6 ≤ C_G(5) = .8: half of the ties
    assert (p.threshold, p.fmr) == (5, pytest.approx(0.1 + 0.2 / 2))


def test_the_eer_counts_the_scores_at_the_threshold_in_both_errors():
    # ER_I(s) = 1/5 at s = 3, 4 and 3/5 at 5; ER_II = 6/10, 4/10, 3/10 at s = 3, 4, 5:
    # |difference| = .4, .2, .3, so the least is at s = 4 alone: EER = (.2 + .4)/2.
    eer = equal_error_rate(TALLY)
    assert (eer.value, eer.threshold, eer.score_range) == (pytest.approx(0.3), 4, (4, 4))
    assert eer.relative_error == pytest.approx(0.1 / 0.3)


def test_a_plateau_of_legitimate_scores_has_its_floored_middle_as_threshold():
    eer = equal_error_rate(Tally.from_scores([10, 11], [0, 1]))
    assert (eer.value, eer.score_range, eer.threshold) == (0.0, (2, 9), 5)
    assert isinstance(eer.threshold, int)


def test_of_decimals_the_middle_is_floored_in_their_unit():
    eer = equal_error_rate(Tally.from_scores([0.10, 0.11], [0.00, 0.01]))
    assert (eer.score_range, eer.threshold) == ((0.02, 0.09), 0.05)


def test_of_continuous_scores_the_middle_of_the_gap_is_the_threshold():
    eer = equal_error_rate(Tally.from_scores([10, 11], [0, 1], unit="continuous"))
    assert (eer.score_range, eer.threshold) == ((1, 10), 5.5)


def test_dissimilarities_keep_their_own_orientation():
    tally = Tally.from_scores([0.2, 0.3], [0.6, 0.9], dissimilarity=True)
    p = at_threshold(tally, 0.3)
    assert (p.tmr, p.fmr) == (1.0, 0.0)
    assert at_fmr(tally, 0.5).threshold == 0.6
    assert at_fmr(tally, 0.4).threshold_conservative == 0.5


def test_the_det_has_a_point_for_every_score_and_every_gap_that_holds_one():
    det = det_curve(Tally.from_scores([1, 4], [0, 1]))
    # From the top: score 4 (0, 1), the gap 2..3 (0, 1/2), score 1 (1/2, 1/2); no gap to 0; score 0 (1, 0).
    assert det.fmr.tolist() == [0, 0, 0.5, 1]
    assert det.fnmr.tolist() == [1, 0.5, 0.5, 0]
    assert det.threshold.tolist() == [4, 4, 1, 0]


def test_the_roc_begins_at_the_origin_and_ends_at_one():
    roc = roc_curve(TALLY)
    assert (roc.fmr[0], roc.tmr[0], roc.threshold[0]) == (0, 0, math.inf)
    assert (roc.fmr[-1], roc.tmr[-1]) == (1, 1)
    assert roc(0) == 0.4  # 7 and 9 lie above every non-mated score
    np.testing.assert_allclose(roc([0.2, 0.3]), [0.6, 0.8])


def test_float32_scores_read_a_threshold_in_their_own_precision():
    tally = Tally.from_scores(np.float32([0.7, 0.9]), np.float32([0.1, 0.7]))
    assert at_threshold(tally, 0.7).tmr == 1.0
    assert at_fmr(tally, 0.5).threshold == 0.7


@pytest.mark.parametrize("rate", [0, 1, 2, -0.1, "x", math.nan, math.inf])
def test_a_false_match_rate_outside_zero_and_one_is_refused(rate):
    with pytest.raises(MatedError, match="between 0 and 1"):
        at_fmr(TALLY, rate)


def test_a_target_is_the_decimal_it_is_written_as():
    # 7 of 100: 0.07·100 is 7.000000000000001 in floating point, which would ask for an eighth.
    tally = Tally.from_scores([0], list(range(100)))
    assert at_fmr(tally, 0.07).errors_nonmated == 7


@pytest.mark.parametrize(
    ("nonmated", "expected"), [(5, (0.1,)), (999, (0.1,)), (1000, (0.01,)), (78_000, (0.01, 0.001))]
)
def test_default_targets_follow_what_the_data_support(nonmated, expected):
    assert default_fmrs(Tally.from_scores([1], np.zeros(nonmated))) == expected


class TestCautions:
    many = Tally.from_scores(np.arange(1000), np.arange(-500, 500))

    def test_nothing_is_said_where_there_are_enough_errors(self):
        assert at_threshold(self.many, 100).caution is None
        assert at_fmr(self.many, 0.1).caution is None

    def test_few_errors_are_counted(self):
        assert at_threshold(self.many, 499).caution == "only 1 false match"
        assert at_threshold(self.many, 600).caution == "no false matches"

    def test_a_target_below_the_resolution_names_the_resolution(self):
        assert "below 1/N: 1000 non-mated comparisons" in at_fmr(self.many, 1e-4).caution

    def test_a_threshold_outside_the_scores_names_their_range(self):
        assert "which run from -500 to 999" in at_threshold(self.many, 2000).caution

    def test_an_eer_on_few_errors_says_so(self):
        assert equal_error_rate(TALLY).caution == "only 4 false matches; only 1 false non-match"


def test_accepting_or_rejecting_everybody_costs_one():
    cost = detection_cost(Tally.from_scores([0], [0]), prior=0.01)
    assert cost.minimum == 1.0


@pytest.mark.parametrize(("prior", "miss"), [(0, 1), (1, 1), (0.5, 0), (0.5, -1)])
def test_impossible_costs_are_refused(prior, miss):
    with pytest.raises(MatedError):
        detection_cost(TALLY, prior=prior, cost_miss=miss)


def test_dissimilarities_are_no_log_likelihood_ratios():
    cost = detection_cost(Tally.from_scores([0, 1], [2, 3], dissimilarity=True), prior=0.5)
    assert cost.actual is None
    assert cost.minimum == 0
