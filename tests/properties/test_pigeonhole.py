"""Every replicate of the subject bootstrap against the comparisons repeated by their weights."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mated.errors import MatedError
from mated.scores.subject_pairs import SubjectPairs
from mated.synthetic import GaussianIdentities
from mated.uncertainty import pigeonhole
from mated.uncertainty.linearised import linearised_eer, linearised_fnmr_at_fmr
from mated.uncertainty.pigeonhole import (
    at_fmr,
    at_threshold,
    at_tmr,
    auc,
    defined,
    draw_weights,
    eer,
)
from mated.verification import area_under_roc, equal_error_rate
from mated.verification import at_fmr as point_at_fmr
from mated.verification import at_threshold as point_at_threshold
from mated.verification import at_tmr as point_at_tmr
from strategies import continuous, decimals, integers, targets, with_infinities
from subject_brute_force import pair_variances, replicate, residuals, table


@st.composite
def designs(draw):
    """Rows of a table of 2 to 6 subjects, complete or not, and the weights of a few replicates."""
    subjects = draw(st.integers(2, 6))
    scores = draw(st.sampled_from([integers, decimals, continuous, with_infinities, st.sampled_from([0.0, 1.0])]))
    if draw(st.booleans()):
        owner = [s for s in range(subjects) for _ in range(draw(st.integers(1, 2)))]
        who = [(a, b) for k, a in enumerate(owner) for b in owner[:k]]
    else:
        code = st.integers(0, subjects - 1)
        who = draw(st.lists(st.tuples(code, code), min_size=1, max_size=40))
        # Half of the comparisons mated, or few replicates have both classes.
        who = [(a, a if k % 2 else b) for k, (a, b) in enumerate(who)]
    rows = [(a, b, draw(scores)) for a, b in who]
    weights = draw(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=4))
    return rows, weights


def replicates(design):
    """The statistic, the weights of its subjects, the unit and the tally of each replicate."""
    rows, weights = design
    data = table(rows)
    pairs, unit = SubjectPairs.of(data), data.tally().unit
    codes = [int(name) for name in pairs.subjects]
    w = np.array(weights, dtype=np.uint8)[:, codes]
    tallies = [replicate(rows, dict(zip(codes, row, strict=True)), unit) for row in w.tolist()]
    return pairs, w, unit, tallies


@given(designs(), st.lists(integers, min_size=1, max_size=3))
def test_rates_at_thresholds_are_those_of_the_repeated_comparisons(design, thresholds):
    pairs, w, _, tallies = replicates(design)
    fmr, fnmr = at_threshold(pairs, w, thresholds)
    for b, tally in enumerate(tallies):
        for column, threshold in enumerate(thresholds):
            if tally is None:
                assert np.isnan([fmr[b, column], fnmr[b, column]]).all()
                continue
            expected = point_at_threshold(tally, threshold)
            assert (fmr[b, column], fnmr[b, column]) == (expected.fmr, expected.fnmr)


@given(designs(), st.lists(targets, min_size=1, max_size=3))
def test_tmr_at_fmr_is_that_of_the_repeated_comparisons(design, fmrs):
    pairs, w, _, tallies = replicates(design)
    result = at_fmr(pairs, w, fmrs)
    for b, tally in enumerate(tallies):
        for column, fmr in enumerate(fmrs):
            if tally is None:
                assert np.isnan(result.rate[b, column])
                continue
            expected = point_at_fmr(tally, fmr)
            assert result.rate[b, column] == pytest.approx(expected.tmr, abs=1e-12)
            assert tally.to_user(result.threshold[b, column]) == expected.threshold


@given(designs(), st.lists(targets | st.just(1.0), min_size=1, max_size=3))
def test_fmr_at_tmr_is_that_of_the_repeated_comparisons(design, tmrs):
    pairs, w, _, tallies = replicates(design)
    result = at_tmr(pairs, w, tmrs)
    for b, tally in enumerate(tallies):
        for column, tmr in enumerate(tmrs):
            if tally is None:
                assert np.isnan(result.rate[b, column])
                continue
            expected = point_at_tmr(tally, tmr)
            assert result.rate[b, column] == pytest.approx(expected.fmr, abs=1e-12)
            assert tally.to_user(result.threshold[b, column]) == expected.threshold


@given(designs())
def test_the_eer_is_that_of_the_repeated_comparisons(design):
    pairs, w, unit, tallies = replicates(design)
    result = eer(pairs, w, unit)
    for b, tally in enumerate(tallies):
        if tally is None:
            assert np.isnan([result.rate[b], result.threshold[b]]).all()
            continue
        expected = equal_error_rate(tally)
        assert result.rate[b] == pytest.approx(expected.value, abs=1e-12)
        assert tally.to_user(result.threshold[b]) == expected.threshold


@given(designs())
def test_the_auc_is_that_of_the_repeated_comparisons(design):
    pairs, w, _, tallies = replicates(design)
    for value, tally in zip(auc(pairs, w), tallies, strict=True):
        assert np.isnan(value) if tally is None else value == pytest.approx(area_under_roc(tally), abs=1e-12)


@pytest.mark.parametrize("decimals", [None, 0, 1])
@pytest.mark.parametrize("subjects", [24, 90])
def test_many_comparisons_walked_in_many_pieces_give_the_same(subjects, decimals):
    # 24 subjects: counts start from a matrix product; 90: everything below an FMR of about 0.1 is walked.
    data = GaussianIdentities().draw(subjects, 5 if subjects == 24 else 2, rng=3).comparisons(decimals=decimals)
    pairs, unit = SubjectPairs.of(data), data.tally().unit
    w = draw_weights(subjects, 6, 11)
    side = data.subjects
    rows = list(zip(side.probe.tolist(), side.reference.tolist(), data.score.tolist(), strict=True))
    fmrs, tmrs, thresholds = [0.003, 0.05, 0.6], [0.4, 0.97], [0.0, 2.0]
    results = at_fmr(pairs, w, fmrs), at_tmr(pairs, w, tmrs), at_threshold(pairs, w, thresholds)
    errors, areas = eer(pairs, w, unit), auc(pairs, w)
    for b, row in enumerate(w.tolist()):
        tally = replicate(rows, dict(enumerate(row)), unit)
        for column, fmr in enumerate(fmrs):
            expected = point_at_fmr(tally, fmr)
            assert results[0].rate[b, column] == pytest.approx(expected.tmr, abs=1e-12)
            assert tally.to_user(results[0].threshold[b, column]) == expected.threshold
        for column, tmr in enumerate(tmrs):
            expected = point_at_tmr(tally, tmr)
            assert results[1].rate[b, column] == pytest.approx(expected.fmr, abs=1e-12)
            assert tally.to_user(results[1].threshold[b, column]) == expected.threshold
        for column, threshold in enumerate(thresholds):
            expected = point_at_threshold(tally, threshold)
            assert (results[2].fmr[b, column], results[2].fnmr[b, column]) == (expected.fmr, expected.fnmr)
        expected = equal_error_rate(tally)
        assert errors.rate[b] == pytest.approx(expected.value, abs=1e-12)
        assert tally.to_user(errors.threshold[b]) == expected.threshold
        assert areas[b] == pytest.approx(area_under_roc(tally), abs=1e-12)


@pytest.fixture(scope="module")
def study():
    """Sixty people with four samples each: 14,160 non-mated comparisons."""
    data = GaussianIdentities().draw(60, 4, rng=5).comparisons()
    return data, SubjectPairs.of(data)


class TestWeights:
    def test_sum_to_the_number_of_subjects(self):
        w = draw_weights(37, 50, 1)
        assert (w.sum(axis=1) == 37).all()
        assert w.dtype == np.uint8

    def test_do_not_depend_on_threads_nor_on_how_many_are_drawn(self):
        long = draw_weights(9, 2500, 4, threads=2)
        assert np.array_equal(long, draw_weights(9, 2500, 4))
        assert np.array_equal(long[:1300], draw_weights(9, 1300, 4))
        assert not np.array_equal(long, draw_weights(9, 2500, 5))

    def test_have_the_moments_of_the_multinomial_law(self):
        # Var w_i = 1 − 1/S = 0.8, Cov(w_i, w_j) = −1/S = −0.2; the Monte-Carlo error of 50,000 draws is about 0.005.
        covariance = np.cov(draw_weights(5, 50_000, 2).astype(float).T)
        assert np.diag(covariance) == pytest.approx([0.8] * 5, abs=0.03)
        assert covariance[np.triu_indices(5, 1)] == pytest.approx([-0.2] * 10, abs=0.02)

    def test_need_two_subjects(self):
        with pytest.raises(MatedError, match="two or more"):
            draw_weights(1, 100, 1)

    @pytest.mark.parametrize("weights", [np.ones((2, 59), dtype=int), np.ones((2, 60)), np.full((2, 60), 256)])
    def test_that_do_not_fit_are_refused(self, study, weights):
        with pytest.raises(MatedError, match="weights"):
            at_fmr(study[1], weights, [0.1])


def test_weights_of_one_give_the_point_estimates(study):
    data, pairs = study
    tally, once = data.tally(), np.ones((1, 60), dtype=np.uint8)
    assert at_fmr(pairs, once, [0.01]).rate[0, 0] == pytest.approx(point_at_fmr(tally, 0.01).tmr, abs=1e-12)
    assert eer(pairs, once, None).rate[0] == pytest.approx(equal_error_rate(tally).value, abs=1e-12)


def test_threads_change_nothing(study):
    _, pairs = study
    w = draw_weights(60, 500, 8)
    for statistic in (
        lambda n: at_fmr(pairs, w, [0.01, 0.3], threads=n),
        lambda n: at_tmr(pairs, w, [0.9], threads=n),
        lambda n: at_threshold(pairs, w, [1.0], threads=n),
        lambda n: eer(pairs, w, None, threads=n),
        lambda n: (auc(pairs, w, threads=n),),
    ):
        for alone, together in zip(statistic(1), statistic(3), strict=True):
            assert np.array_equal(alone, together)


def test_replicates_without_a_class_are_nan_and_are_counted():
    pairs = SubjectPairs.of(table([("a", "a", 1.0), ("a", "b", 0.0), ("b", "b", 2.0)]))
    w = np.array([[1, 1], [2, 0], [0, 2]])
    values, dropped = defined(eer(pairs, w, Fraction(1)).rate)
    assert (len(values), dropped) == (1, 2)
    values, dropped = defined(at_fmr(pairs, w, [0.5, 0.1]).rate)
    assert (values.shape, dropped) == ((1, 2), 2)
    assert np.isnan(auc(pairs, w)).tolist() == [False, True, True]


class TestACutTail:
    def test_changes_nothing_where_it_reaches_far_enough(self, study):
        data, pairs = study
        w = draw_weights(60, 300, 9)
        cut = SubjectPairs.of(data, tail_above=float(pairs.score[6000]))
        assert len(cut.score) < len(pairs.score)
        for whole, part in (
            (at_fmr(pairs, w, [0.01, 0.1]), at_fmr(cut, w, [0.01, 0.1])),
            (eer(pairs, w, None), eer(cut, w, None)),
            (at_tmr(pairs, w, [0.5]), at_tmr(cut, w, [0.5])),
        ):
            assert all(np.array_equal(a, b) for a, b in zip(whole, part, strict=True))
        assert auc(cut, w) is None

    def test_that_is_too_short_is_an_error(self, study):
        data, pairs = study
        w = draw_weights(60, 300, 9)
        cut = SubjectPairs.of(data, tail_above=float(pairs.score[200]))
        for statistic in (
            lambda: at_fmr(cut, w, [0.02]),
            lambda: eer(cut, w, None),
            lambda: at_tmr(cut, w, [0.9]),
        ):
            with pytest.raises(MatedError, match="keep more of the tail"):
                statistic()
        with pytest.raises(MatedError, match="were not kept"):
            at_threshold(cut, w, [-5.0])

    def test_without_any_score_is_an_error(self, study):
        data, pairs = study
        w, nothing = draw_weights(60, 10, 9), SubjectPairs.of(data, tail_above=float(pairs.score[0]) + 1)
        for statistic in (lambda: at_fmr(nothing, w, [0.5]), lambda: eer(nothing, w, None)):
            with pytest.raises(MatedError, match="keep more of the tail"):
                statistic()


class TestLinearisedErrors:
    def test_need_four_subjects(self):
        pairs = SubjectPairs.of(table([(a, b, float(a + b)) for a in range(3) for b in range(a + 1)]))
        with pytest.raises(MatedError, match="four subjects"):
            linearised_eer(pairs, Fraction(1))

    def test_are_those_of_the_double_sum(self, study):
        _, pairs = study
        result = linearised_fnmr_at_fmr(pairs, 0.05, variance="u")
        size = pairs.n_subjects
        m = np.zeros((size, size))
        first, second, counts = pairs.false_matches(result.threshold)
        m[first, second] = m[second, first] = counts
        missed = pairs.false_nonmatches(result.threshold)
        a = missed / 6 - missed.sum() / (6 * size)
        k = (a[:, None] + a[None, :]) / 2 + result.slope * residuals(m, 16 * (1 - np.eye(size)))
        np.fill_diagonal(k, 0)
        assert result.se == pytest.approx(np.sqrt(pair_variances(k)["u"]), rel=1e-9)

    def test_come_near_the_bootstrap(self, study):
        # 1000 replicates give a standard error to about 2.5 %; the bootstrap itself is some 10 % wide at 60 subjects.
        data, pairs = study
        w = draw_weights(60, 1000, 10)
        assert linearised_fnmr_at_fmr(pairs, 0.05).se == pytest.approx(np.std(at_fmr(pairs, w, [0.05]).rate), rel=0.25)
        linear = linearised_eer(pairs, None)
        assert linear.value == pytest.approx(equal_error_rate(data.tally()).value, abs=1e-12)
        assert linear.se == pytest.approx(np.std(eer(pairs, w, None).rate), rel=0.25)


def test_the_compiler_is_not_loaded_before_it_is_needed():
    code = f"import sys, {pigeonhole.__name__}; sys.exit('numba' in sys.modules or 'scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
