"""Error curves and reference lines by hand, and how a curve is read, cut and drawn."""

from __future__ import annotations

import numpy as np
import pytest

from mated.errors import MatedError
from mated.quality import (
    DiscardCurve,
    StartingError,
    area_between,
    area_under_theoretical_best,
    attainable_best,
    constant_line,
    d_prime_curve,
    error_curve,
    fixed_counterpart_curve,
    mean_score_curve,
    random_pair_spread,
    random_sample_curves,
    starting_errors,
    tallies_by_discard,
    theoretical_best,
)
from mated.scores import Comparisons, Tally
from mated.scores.discard_order import DiscardOrder
from mated.synthetic.quality import draw_qualities
from mated.verification import at_fmr, d_prime

SCORE = np.array([0.1, 0.9, 0.2, 0.8, 0.7, 0.3, 0.6, 0.5, 0.95, 0.85])
QUALITY = np.array([1.0, 1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 6.0, 6.0, 7.0])
START = starting_errors(Tally.from_scores(SCORE, [])).nearest(0.3)
ORDER = DiscardOrder.of(SCORE, QUALITY)


def test_an_error_curve_by_hand():
    """Errors at .5 are .1 (quality 1), .2 (2) and .3 (4): of 10 three, of 8 two, of 7 one, of 5 one, of 4 none."""
    curve = error_curve(ORDER, START)
    assert START.inner == 0.5
    assert curve.discard.tolist() == [0, 0.2, 0.3, 0.5, 0.6, 0.7, 0.9, 1]
    assert curve.value.tolist() == [3 / 10, 2 / 8, 1 / 7, 1 / 5, 0, 0, 0, 0]
    assert curve.errors.tolist() == [3, 2, 1, 1, 0, 0, 0, 0]
    assert curve.kept.tolist() == [10, 8, 7, 5, 4, 3, 1, 0]
    assert curve.start == 0.3


def test_over_all_comparisons_the_rate_cannot_rise():
    curve = error_curve(ORDER, START, among="all")
    assert curve.value.tolist() == [0.3, 0.2, 0.1, 0.1, 0, 0, 0, 0]


def test_where_nothing_is_kept_the_last_rate_is_repeated():
    score, quality = np.array([0.1, 0.9, 0.2]), np.array([2.0, 1.0, 3.0])
    start = starting_errors(Tally.from_scores(score, [])).nearest(2 / 3)
    curve = error_curve(DiscardOrder.of(score, quality), start)
    assert curve.value.tolist() == [2 / 3, 1, 1, 1]
    assert error_curve(DiscardOrder.of(score, quality), start, among="all").value.tolist() == [2 / 3, 2 / 3, 1 / 3, 0]


class TestReading:
    step = error_curve(ORDER, START)
    line = error_curve(ORDER, START, interpolation="linear")

    def test_a_step_is_made_at_its_fraction(self):
        assert self.step([0, 0.19, 0.2, 0.29, 0.3]).tolist() == [0.3, 0.3, 0.25, 0.25, 1 / 7]

    def test_a_line_runs_from_point_to_point(self):
        assert self.line(0.1) == pytest.approx((0.3 + 0.25) / 2)

    def test_areas_by_hand(self):
        """.3·.2 + .25·.1 + (1/7)·.1, and the trapezia of the same."""
        assert self.step.area(0.4) == pytest.approx(0.06 + 0.025 + 0.1 / 7)
        at_4 = (1 / 7 + 1 / 5) / 2
        assert self.line.area(0.4) == pytest.approx(0.55 * 0.1 + (0.25 + 1 / 7) * 0.05 + (1 / 7 + at_4) * 0.05)
        assert self.step.area(0.4, 0.1) == pytest.approx(0.03 + 0.025 + 0.1 / 7)

    def test_the_line_to_draw_has_the_area(self):
        for curve in (self.step, self.line):
            for limit in (0.2, 0.25, 1.0):
                x, y = curve.corners(limit)
                assert x[-1] == limit
                assert np.trapezoid(y, x) == pytest.approx(curve.area(limit), abs=1e-15)
        assert self.step.corners(0.25)[0].tolist() == [0, 0.2, 0.2, 0.25, 0.25]
        assert self.step.corners(0.25)[1].tolist() == [0.3, 0.3, 0.25, 0.25, 0.25]

    def test_outside_the_curve_is_refused(self):
        with pytest.raises(MatedError, match=r"from 0 to 1, and 1\.5 is outside"):
            self.step(1.5)
        with pytest.raises(MatedError, match="a discard limit lies above 0"):
            self.step.area(0)
        with pytest.raises(MatedError, match=r"not from 0\.3 to 0\.2"):
            self.step.area(0.2, 0.3)
        part = error_curve(DiscardOrder.of(SCORE, QUALITY, limit=0.2), START)
        with pytest.raises(MatedError, match=r"of FNMR ends at discard fraction 0\.3, and a limit of 0\.9 goes beyond"):
            part.area(0.9)

    def test_curves_of_different_kinds_enclose_no_area(self):
        with pytest.raises(MatedError, match="one interpolation"):
            area_between(self.step, self.line, 0.2)
        assert area_between(self.step, self.step, 0.5) == 0

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"interpolation": "spline"}, "no interpolation 'spline'"),
            ({"among": "some"}, "not among 'some'"),
            ({"axis": "samples"}, "needs the qualities of the samples"),
        ],
    )
    def test_options_that_do_not_exist_are_refused(self, options, message):
        with pytest.raises(MatedError, match=message):
            error_curve(ORDER, START, **options)

    def test_a_starting_error_of_other_comparisons_is_refused(self):
        other = starting_errors(Tally.from_scores([0.1, 0.2], [])).nearest(0.5)
        with pytest.raises(MatedError, match="of 2 comparisons and the order has 10"):
            error_curve(ORDER, other)
        joint = DiscardOrder.of(SCORE, QUALITY, mated=np.ones(10, dtype=bool))
        with pytest.raises(MatedError, match="mated comparisons alone"):
            error_curve(joint, START)


class TestReferenceLines:
    def test_the_theoretical_best_falls_by_the_discard_fraction(self):
        np.testing.assert_allclose(theoretical_best(0.3, [0, 0.1, 0.3, 0.9]), [0.3, 0.2, 0, 0], atol=1e-15)
        assert theoretical_best(0.25, 0.125) == 0.125

    def test_its_area_is_half_the_square_of_the_starting_error(self):
        """Table I of Schlett et al. (2023): (0.05²)/2."""
        assert area_under_theoretical_best(0.05, 0.2) == pytest.approx(0.05**2 / 2)
        assert area_under_theoretical_best(0.3, 0.1) == pytest.approx(0.1 * (0.3 + 0.2) / 2)
        assert area_under_theoretical_best(0.3, 0.2, 0.1) == pytest.approx(0.1 * (0.2 + 0.1) / 2)
        assert area_under_theoretical_best(0.1, 0.9, 0.5) == 0

    def test_the_attainable_best_discards_errors_only(self):
        """(E − k)/(N − k): 3/10, 2/9, 1/8, 0."""
        best = attainable_best(START)
        assert best.discard.tolist() == [0, 0.1, 0.2, 0.3, 1]
        assert best.value.tolist() == [3 / 10, 2 / 9, 1 / 8, 0, 0]
        assert attainable_best(START, among="all").value.tolist() == [0.3, 0.2, 0.1, 0, 0]

    def test_a_perfect_algorithm_reaches_the_attainable_best_and_not_the_theoretical(self):
        perfect = error_curve(DiscardOrder.of(SCORE, SCORE), START)
        best = attainable_best(START)
        assert perfect(best.discard).tolist() == best.value.tolist()
        assert perfect.area(0.3) == pytest.approx(best.area(0.3), abs=1e-15)
        assert perfect.area(0.3) > area_under_theoretical_best(0.3, 0.3)

    def test_larger_steps_as_in_figure_6_stay_above_smaller_ones(self):
        """Ten equal steps of a hundred comparisons, half of them errors."""
        start = StartingError("fnm", 0.5, 50, 100, 0.5, 0.5)
        coarse, fine = attainable_best(start, step=10), attainable_best(start)
        assert coarse.discard.tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 1])
        assert coarse.value.tolist() == [0.5, 40 / 90, 30 / 80, 20 / 70, 10 / 60, 0, 0]
        assert coarse.area(0.5) > fine.area(0.5) > area_under_theoretical_best(0.5, 0.5)
        with pytest.raises(MatedError, match="one comparison or more, not 0"):
            attainable_best(start, step=0)

    def test_the_constant_line_is_the_starting_error(self):
        line = constant_line(START)
        assert (line(0.77), line.area(0.2)) == (0.3, pytest.approx(0.06))


class TestRandomQualities:
    def test_discarding_comparisons_at_random_keeps_the_error_with_the_hypergeometric_spread(self):
        """Twenty thousand shuffles; the standard error of a mean is σ/141, that of a deviation about σ/200."""
        rng = np.random.default_rng(3)
        wrong = rng.permuted(np.tile(np.arange(10) < 3, (20_000, 1)), axis=1)
        for gone in (0, 3, 7):
            rates = wrong[:, gone:].mean(axis=1)
            mean, deviation = random_pair_spread(START, gone / 10)
            assert mean == 0.3
            assert rates.mean() == pytest.approx(0.3, abs=4 * deviation / 141 + 1e-12)
            assert rates.std() == pytest.approx(deviation, rel=0.04, abs=1e-12)
        with pytest.raises(MatedError, match="from 0 to below 1"):
            random_pair_spread(START, 1.0)

    def test_a_rounded_fraction_counts_its_comparisons(self):
        start = StartingError("fnm", 0.5, 500, 1000, 0.5, 0.5)
        fractions = np.arange(1000) / 1000
        _, deviation = random_pair_spread(start, fractions)
        kept = np.arange(1000, 0, -1)
        np.testing.assert_allclose(deviation, np.sqrt(0.25 / kept * (1000 - kept) / 999), rtol=1e-12)

    def test_random_samples_approximate_the_starting_error_as_in_figure_4(self):
        data = draw_qualities((0.1,), subjects=300, rng=1).comparisons()
        start = starting_errors(data.tally()).nearest(0.05)
        discard = np.array([0.1, 0.5])
        drawn = random_sample_curves(data.score, data.samples, start, discard, curves=60, rng=2)
        assert drawn.curves == 60
        # A quotient of two sums over samples: biased by less than one deviation of a single curve over the count.
        np.testing.assert_allclose(drawn.mean, start.value, atol=4 * drawn.standard_error.max())
        # A sample takes four comparisons with it, so curves scatter more than those of random comparisons.
        assert np.all(drawn.deviation > random_pair_spread(start, discard)[1])
        again = random_sample_curves(data.score, data.samples, start, discard, curves=60, rng=2)
        assert np.array_equal(again.mean, drawn.mean)
        with pytest.raises(MatedError, match="at least 2 random curves"):
            random_sample_curves(data.score, data.samples, start, discard, curves=1)


def joint(n=400, rng=5):
    generator = np.random.default_rng(rng)
    mated = generator.random(n) < 0.4
    score = generator.normal(mated * 2.0, 1.0)
    quality = np.round(generator.random(n) + 0.2 * score, 1)
    return score, quality, mated


class TestOtherCurves:
    def test_begin_at_what_verification_estimates(self):
        score, quality, mated = joint()
        tally = Tally.from_scores(score[mated], score[~mated])
        order = DiscardOrder.of(score, quality, mated=mated)
        assert d_prime_curve(order, convention="usual").start == pytest.approx(d_prime(tally), rel=1e-12)
        assert fixed_counterpart_curve(order, 0.05).start == pytest.approx(at_fmr(tally, 0.05).fnmr, abs=1e-12)
        strict = fixed_counterpart_curve(order, 0.05, rule="conservative")
        assert strict.start == pytest.approx(at_fmr(tally, 0.05).fnmr_conservative, abs=1e-12)
        assert (d_prime_curve(order).higher_is_better, strict.higher_is_better) == (True, False)

    def test_parts_by_quality_can_be_drawn_as_det_curves(self):
        score, quality, mated = joint()
        data = Comparisons.from_arrays(score, mated)
        order = DiscardOrder.of(score, quality, mated=mated)
        parts = tallies_by_discard(order, data.tally(), [0, 0.2, 0.5])
        assert [part.tally.n_mated + part.tally.n_nonmated for part in parts] == [
            order.total - order.discarded[order.step_at(f)] for f in (0, 0.2, 0.5)
        ]
        bins = tallies_by_discard(order, data.tally(), [0, 0.2, 0.5], division="bins")
        assert sum(part.tally.n_mated for part in bins) == mated.sum()
        assert (bins[0].high, bins[1].low) == (parts[1].low, parts[1].low)
        assert parts[1].det.fmr[-1] == 1

    def test_the_direction_that_is_good_follows_class_and_scores(self):
        order = DiscardOrder.of(SCORE, QUALITY)
        assert mean_score_curve(order).higher_is_better
        assert not mean_score_curve(order, mated=False).higher_is_better
        turned = mean_score_curve(order, dissimilarity=True)
        assert not turned.higher_is_better
        assert turned.start == pytest.approx(-SCORE.mean())

    def test_equal_scores_have_no_d_prime(self):
        """After the first step all mated scores are .3 and all non-mated ones .1, which floats cannot add exactly."""
        score = np.array([0.9, 0.2, *[0.3] * 7, *[0.1] * 7])
        quality = np.array([1.0, 1.0, *[2.0] * 14])
        mated = np.array([True, False, *[True] * 7, *[False] * 7])
        curve = d_prime_curve(DiscardOrder.of(score, quality, mated=mated))
        assert len(curve) == 2
        assert curve.value[0] == curve.value[1]

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda o: d_prime_curve(o), "mated and non-mated comparisons together"),
            (lambda o: fixed_counterpart_curve(o, 0.1), "mated and non-mated comparisons together"),
            (lambda o: tallies_by_discard(o, None, [0]), "mated and non-mated comparisons together"),
        ],
    )
    def test_both_classes_are_needed(self, call, message):
        with pytest.raises(MatedError, match=message):
            call(ORDER)

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda o: mean_score_curve(o), "alone"),
            (lambda o: d_prime_curve(o, convention="half"), "no d′ 'half'"),
            (lambda o: fixed_counterpart_curve(o, 1.5), "a fixed FMR must lie between 0 and 1"),
            (lambda o: fixed_counterpart_curve(o, 0.1, fixed="tmr"), "no rate 'tmr'"),
            (lambda o: fixed_counterpart_curve(o, 0.1, rule="nearest"), "no rule 'nearest'"),
            (lambda o: tallies_by_discard(o, None, [0.5, 0.2]), "must ascend"),
            (lambda o: tallies_by_discard(o, None, [0], division="thirds"), "'discard' or into 'bins'"),
        ],
    )
    def test_what_does_not_exist_is_refused(self, call, message):
        score, quality, mated = joint(50)
        with pytest.raises(MatedError, match=message):
            call(DiscardOrder.of(score, quality, mated=mated))

    def test_infinite_scores_have_no_mean(self):
        with pytest.raises(MatedError, match="1 of 2 are infinite"):
            mean_score_curve(DiscardOrder.of(np.array([1, np.inf]), np.array([1.0, 2.0])))


def test_a_curve_says_what_it_is():
    assert repr(error_curve(ORDER, START)) == "ErrorCurve(FNMR, 8 points, from 0.3)"
    curve = DiscardCurve(np.array([0.0, 1.0]), np.array([1.0, 2.0]), "height")
    assert repr(curve) == "DiscardCurve(height, 2 points, from 1)"
    with pytest.raises(ValueError, match="read-only"):
        curve.value[0] = 0
