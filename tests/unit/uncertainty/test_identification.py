"""Intervals of rates measured on a gallery: formulas, few errors, coverage; the bootstrap of FNIR at an FPIR."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import betainc, logit, ndtr, ndtri, stdtrit

from mated.errors import MatedError
from mated.identification.cmc import cmc, shares_within
from mated.identification.open_set import open_set_at_fpir, open_set_at_threshold
from mated.uncertainty.binomial import clopper_pearson, independent, wilson
from mated.uncertainty.cluster import fnmr_cluster
from mated.uncertainty.identification import (
    area_interval,
    cmc_intervals,
    fnir_interval,
    fpir_interval,
    mean_rank_interval,
)
from mated.uncertainty.open_set_bootstrap import _multiplicities, _Search, fnir_at_fpir
from search_brute_force import counted, ranks_of
from subject_brute_force import korn_graubard_variance


def study(rng, subjects, each, *, scale=1.0, open_subjects=0, open_each=1, shift=3.0, unit="continuous"):
    """People whose probes are alike: half the variance of every score is the person's own.

    Mates score N(shift, 1), the best other N(0, ½), the best of people not enrolled N(0, ½); a mate below the best
    other ranks second.
    """
    who, stranger = np.repeat(np.arange(subjects), each), np.repeat(np.arange(open_subjects), open_each)
    mate = shift + math.sqrt(0.5) * (rng.standard_normal(subjects)[who] + rng.standard_normal(len(who)))
    other = 0.5 * (rng.standard_normal(subjects)[who] + rng.standard_normal(len(who)))
    best = 0.5 * (rng.standard_normal(open_subjects)[stranger] + rng.standard_normal(len(stranger)))
    if unit != "continuous":
        mate, other, best = (np.rint(scale * x) for x in (mate, other, best))
    return counted(
        other > mate,
        other == mate,
        gallery_size=100,
        subjects=who,
        mate_score=mate,
        best_other=other,
        open_subject=stranger + subjects,
        open_others=np.full(len(stranger), 100),
        open_best=best,
        names=tuple(str(k) for k in range(subjects + open_subjects)),
        unit=unit,
    )


def missed_at_random(rng, subjects, each, rate, *, tied=0.0):
    """Probes that miss with a probability of their subject's, Beta with mean `rate` and intraclass correlation ¼."""
    who = np.repeat(np.arange(subjects), each)
    own = rng.beta(3 * rate, 3 * (1 - rate), subjects)[who]
    u = rng.random(len(who))
    ties = np.where(rng.random(len(who)) < tied, 2, 0)
    return counted(
        np.where(u < own, 5, 0), ties, gallery_size=100, subjects=who, mate_score=u - own, best_other=np.zeros(len(who))
    )


class TestOneProbeASubject:
    @pytest.mark.parametrize(("misses", "method"), [(30, "Wilson"), (4, "Clopper–Pearson"), (0, "Clopper–Pearson")])
    def test_is_the_interval_of_independent_trials(self, misses, method):
        ranks = counted([1] * misses + [0] * (200 - misses), [0] * 200, gallery_size=10)
        (found,) = cmc_intervals(ranks)
        low, high = independent(misses, 200)
        assert (found.value, found.low, found.high) == (1 - misses / 200, 1 - high, 1 - low)
        assert (found.method, found.errors, found.subjects, found.probes) == (method, misses, 200, 200)

    def test_takes_real_numbers_of_misses(self):
        # Forty probes tie with one other: each is missed half the time.
        ranks = counted([0] * 200, [1] * 40 + [0] * 160, gallery_size=10)
        (found,) = cmc_intervals(ranks)
        assert (1 - found.high, 1 - found.low) == pytest.approx(wilson(20.0, 200))
        (few,) = cmc_intervals(counted([0] * 200, [1] * 5 + [0] * 195, gallery_size=10))
        assert (1 - few.high, 1 - few.low) == pytest.approx(clopper_pearson(2.5, 200))


class TestSeveralProbesASubject:
    def test_is_the_cluster_interval_of_the_misses_of_each_subject(self):
        # Those of the hand example of fnmr_cluster: ten subjects of ten probes.
        misses = [5, 0, 3, 0, 2, 2, 1, 4, 0, 3]
        above = np.concatenate([[1] * e + [0] * (10 - e) for e in misses])
        ranks = counted(above, 0 * above, gallery_size=5, subjects=np.repeat(np.arange(10), 10))
        found = cmc_intervals(ranks, [1, 2])
        # All that were found lead by as much, so nothing tells the thirty hardest apart and the worst is taken.
        expected = fnmr_cluster(misses, [10] * 10, design_effect="worst")
        assert (found[0].low, found[0].high) == pytest.approx((1 - expected.high, 1 - expected.low))
        assert found[0].se == pytest.approx(expected.se)
        assert found[0].method == "Korn–Graubard"
        assert found[1].value == 1.0
        assert found[1].low < 1.0

    def test_few_misses_borrow_the_design_effect_of_the_thirty_hardest(self):
        rng = np.random.default_rng(5)
        ranks = missed_at_random(rng, 60, 5, 0.02)
        (found,) = cmc_intervals(ranks)
        assert 0 < found.errors < 10
        order = sorted(range(300), key=lambda k: (-ranks.above[k], ranks.mate_score[k] - ranks.best_other[k]))
        hard = np.bincount(ranks.subject[order[:30]], minlength=60)
        effect = korn_graubard_variance(hard.tolist(), [5] * 60) * 300 / (0.1 * 0.9)
        missed = np.bincount(ranks.subject[ranks.above > 0], minlength=60)
        expected = fnmr_cluster(missed, [5] * 60, design_effect=effect)
        assert effect > 1.2
        assert found.design_effect == pytest.approx(effect)
        assert (found.low, found.high) == pytest.approx((1 - expected.high, 1 - expected.low))
        assert found.method == "Clopper–Pearson (N/DEFF)"

    def test_too_few_probes_for_that_count_subjects(self):
        ranks = counted([0] * 20, [0] * 20, gallery_size=5, subjects=np.repeat(np.arange(5), 4))
        (found,) = cmc_intervals(ranks)
        assert (found.low, found.high) == pytest.approx((0.025 ** (1 / 5), 1.0))

    def test_fractions_of_a_miss_follow_the_same_formula(self):
        rng = np.random.default_rng(8)
        ranks = missed_at_random(rng, 40, 6, 0.2, tied=0.3)
        (found,) = cmc_intervals(ranks)
        missed = 1 - shares_within(ranks, 1).values
        e = [float(missed[ranks.subject == k].sum()) for k in range(40)]
        v, p = korn_graubard_variance(e, [6] * 40), sum(e) / 240
        n = min(p * (1 - p) / v, 240) * (1.959963984540054 / stdtrit(39, 0.975)) ** 2
        assert found.se == pytest.approx(math.sqrt(v))
        assert betainc(p * n, n - p * n + 1, 1 - found.high) == pytest.approx(0.025)
        assert betainc(p * n + 1, n - p * n, 1 - found.low) == pytest.approx(0.975)

    def test_few_fractions_borrow_the_design_effect_too(self):
        above, tied = np.zeros(200, dtype=int), np.zeros(200, dtype=int)
        tied[[3, 50, 90]] = 1
        ranks = counted(
            above, tied, gallery_size=5, subjects=np.repeat(np.arange(40), 5), mate_score=np.repeat(np.arange(40.0), 5)
        )
        (found,) = cmc_intervals(ranks)
        # The leads repeat in fives, so the thirty hardest are those of the three ties and of six whole subjects.
        assert found.errors == 1.5
        assert found.design_effect > 2
        assert (1 - found.high, 1 - found.low) == pytest.approx(
            clopper_pearson(1.5 / found.design_effect, 200 / found.design_effect)
        )

    def test_one_subject_is_refused(self):
        ranks = counted([0] * 5, [0] * 5, gallery_size=5, subjects=[0] * 5)
        for interval in (cmc_intervals, area_interval):
            with pytest.raises(MatedError, match="needs at least two"):
                interval(ranks)

    def test_searches_without_mated_probes_are_refused(self):
        ranks = ranks_of([], [[1.0, 2.0], [0.0, 1.0]])
        with pytest.raises(MatedError, match="no mate to remove"):
            fpir_interval(ranks, 1, probes="mate removed")
        for interval in (cmc_intervals, area_interval, lambda r: fnir_interval(r, 1)):
            with pytest.raises(MatedError, match="so there is no rank"):
                interval(ranks)
        assert fpir_interval(ranks, 2).value == 0.5

    def test_few_subjects_are_named(self):
        ranks = missed_at_random(np.random.default_rng(1), 20, 5, 0.3)
        assert "only 20 subjects" in cmc_intervals(ranks)[0].caution


class TestOpenSetRatesAtAThreshold:
    def test_have_the_values_of_the_point(self):
        ranks = study(np.random.default_rng(2), 80, 4, open_subjects=70, open_each=3)
        point = open_set_at_threshold(ranks, 1.0)
        missed, let_in = fnir_interval(ranks, 1.0), fpir_interval(ranks, 1.0)
        assert (missed.value, missed.errors, missed.subjects) == (point.fnir, point.errors_mated, 80)
        assert (let_in.value, let_in.errors, let_in.subjects) == (point.fpir, point.errors_open, 70)
        assert missed.low < missed.value < missed.high
        reached = np.bincount(ranks.open_subject[ranks.open_best >= 1.0] - 80, minlength=70)
        expected = fnmr_cluster(reached, [3] * 70, design_effect="worst")
        assert let_in.low == pytest.approx(expected.low)

    def test_few_errors_borrow_from_where_the_threshold_would_make_more(self):
        ranks = study(np.random.default_rng(3), 80, 4, open_subjects=70, open_each=3, shift=4.0)
        found = fpir_interval(ranks, 2.0)
        assert found.errors < 10
        top = np.argsort(-ranks.open_best)[:30]
        effect = korn_graubard_variance(np.bincount(ranks.open_subject[top] - 80, minlength=70).tolist(), [3] * 70)
        assert found.design_effect == pytest.approx(max(1.0, effect * 210 / (30 / 210 * 180 / 210)))
        missed = fnir_interval(ranks, 1.5, None)
        assert missed.errors < 10
        low = np.argsort(ranks.mate_score)[:30]
        effect = korn_graubard_variance(np.bincount(ranks.subject[low], minlength=80).tolist(), [4] * 80)
        assert missed.design_effect == pytest.approx(max(1.0, effect * 320 / (30 / 320 * 290 / 320)))

    def test_of_mates_removed_are_over_the_mated_subjects(self):
        ranks = study(np.random.default_rng(4), 60, 3)
        found = fpir_interval(ranks, 0.0, probes="mate removed")
        assert found.value == np.mean(ranks.best_other >= 0)
        assert found.subjects == 60

    def test_thresholds_of_dissimilarities_are_the_user_s(self):
        ranks = ranks_of([(-3.0, [-5.0]), (-2.0, [-1.0])], [[-4.0, -6.0]] * 3, dissimilarity=True)
        assert fnir_interval(ranks, 2.5).value == open_set_at_threshold(ranks, 2.5).fnir == 1.0
        assert fpir_interval(ranks, 4).value == 1.0


class TestAreaAndMeanRank:
    def test_standard_error_is_that_of_the_subjects(self):
        rng = np.random.default_rng(6)
        who = np.repeat(np.arange(30), 4)
        above = rng.poisson(rng.gamma(0.5, 8, 30)[who])
        ranks = counted(above, above % 3, gallery_size=400, subjects=who)
        area, mean = area_interval(ranks), mean_rank_interval(ranks)
        loss = (above + (above % 3) / 2) / 400
        v = korn_graubard_variance([float(loss[who == k].sum()) for k in range(30)], [4] * 30)
        half = stdtrit(29, 0.975) * math.sqrt(v) / (area.value * (1 - area.value))
        assert area.value == cmc(ranks).area
        assert area.se == pytest.approx(math.sqrt(v))
        assert logit(area.high) == pytest.approx(logit(area.value) + half)
        assert (mean.value, mean.se) == (cmc(ranks).mean_rank, pytest.approx(400 * area.se))
        assert (mean.low, mean.high) == pytest.approx((401 - 400 * area.high, 401 - 400 * area.low))

    def test_a_perfect_search_still_has_a_width(self):
        ranks = counted([0] * 80, [0] * 80, gallery_size=50, subjects=np.repeat(np.arange(20), 4))
        area = area_interval(ranks)
        assert (area.value, area.low, area.high) == (1.0, pytest.approx(0.025 ** (1 / 20)), 1.0)
        assert mean_rank_interval(ranks).low == 1.0

    def test_a_mean_rank_stays_within_the_gallery(self):
        ranks = counted([4] * 6, [0] * 6, gallery_size=5, subjects=np.repeat(np.arange(3), 2))
        mean = mean_rank_interval(ranks)
        assert (mean.value, mean.high) == (5.0, 5.0)
        assert mean.low < 5.0

    def test_few_mates_beyond_rank_one_count_subjects(self):
        # One mate of 80 ranks 11th of 50: the loss is (10/50)/80 = 0.0025 of a trial for each of twenty subjects.
        ranks = counted([10] + [0] * 79, [0] * 80, gallery_size=50, subjects=np.repeat(np.arange(20), 4))
        area = area_interval(ranks)
        assert (area.value, area.errors) == (pytest.approx(0.9975), 1)
        assert (1 - area.high, 1 - area.low) == pytest.approx(clopper_pearson(0.0025 * 20, 20))
        assert area.caution.startswith("only 1 mate beyond rank 1; only 20 subjects")

    @pytest.mark.parametrize("ties", ["expected", "optimistic", "pessimistic"])
    def test_values_are_those_of_the_curve_under_every_rule(self, ties):
        ranks = counted([0, 3, 1, 0] * 10, [1, 0, 2, 0] * 10, gallery_size=9, subjects=np.repeat(np.arange(20), 2))
        assert area_interval(ranks, ties=ties).value == cmc(ranks, ties).area
        mean = mean_rank_interval(ranks, ties=ties)
        assert mean.low <= mean.value == cmc(ranks, ties).mean_rank <= mean.high


class TestCoverage:
    """400 studies each; a 95 % interval covers in 95 % ± 4.4 % (four standard errors), or more for few subjects."""

    @pytest.mark.parametrize(("subjects", "each", "rate"), [(60, 4, 0.2), (100, 3, 0.02)])
    def test_of_the_rank_one_rate(self, subjects, each, rate):
        rng = np.random.default_rng(11)
        held, naive = 0, 0
        for _ in range(400):
            ranks = missed_at_random(rng, subjects, each, rate)
            (found,) = cmc_intervals(ranks)
            held += found.low <= 1 - rate <= found.high
            low, high = wilson(found.errors, found.probes)
            naive += low <= rate <= high
        assert held >= 0.906 * 400
        assert naive < held  # taking probes as independent covers less

    def test_of_the_area(self):
        rng = np.random.default_rng(12)
        held = 0
        for _ in range(400):
            # Missed mates rank 6 of 100, so the area is 1 − 0.05·(miss rate).
            area = area_interval(missed_at_random(rng, 60, 4, 0.2))
            held += area.low <= 1 - 0.05 * 0.2 <= area.high
        assert held >= 0.906 * 400

    def test_of_fnir_at_fpir_and_of_its_threshold(self):
        # 120 studies. The threshold is the upper 10 % point of N(0, ½); with no limit of rank FNIR is Φ(t − shift).
        rng = np.random.default_rng(13)
        threshold = -ndtri(0.1) * math.sqrt(0.5)
        truth = ndtr(threshold - 2.0)
        held = [0, 0]
        for seed in range(120):
            ranks = study(rng, 60, 3, open_subjects=60, open_each=4, shift=2.0)
            found = fnir_at_fpir(ranks, 0.1, None, rng=seed)
            held[0] += found.low <= truth <= found.high
            held[1] += found.threshold_low <= threshold <= found.threshold_high
        # Four standard errors are 8 %.
        assert min(held) >= 0.87 * 120


class TestTheBootstrapOfFnirAtFpir:
    def test_has_the_spread_of_studies_drawn_anew(self):
        # The standard error of one study against the standard deviation of the estimate over 300 studies; a study's own
        # standard error varies by some 15 %, so the mean of five is compared, within 20 %.
        rng = np.random.default_rng(21)
        estimates = [
            open_set_at_fpir(study(rng, 80, 3, open_subjects=80, open_each=3, shift=2.0), 0.1).fnir for _ in range(300)
        ]
        errors = [
            fnir_at_fpir(study(rng, 80, 3, open_subjects=80, open_each=3, shift=2.0), 0.1, rng=k).se for k in range(5)
        ]
        assert np.mean(errors) == pytest.approx(np.std(estimates), rel=0.2)

    def test_replicates_agree_in_law_with_resampling_by_hand(self):
        rng = np.random.default_rng(22)
        ranks = study(rng, 25, 3, open_subjects=20, open_each=3, shift=2.0)
        search = _Search.of(ranks, shares_within(ranks, 1), "open", Fraction("0.1"))
        fast = search.replicates(2000, 5)[0]
        slow = []
        for _ in range(600):
            mated = np.concatenate([np.flatnonzero(ranks.subject == k) for k in rng.integers(25, size=25)])
            strangers = np.concatenate(
                [np.flatnonzero(ranks.open_subject == 25 + k) for k in rng.integers(20, size=20)]
            )
            best = np.sort(ranks.open_best[strangers])[::-1]
            kept_out = best[math.floor(Fraction("0.1") * len(best))]
            found = (ranks.mate_score[mated] > kept_out) & (ranks.above[mated] == 0)
            slow.append(1 - found.mean())
        error = math.hypot(np.std(fast) / math.sqrt(2000), np.std(slow) / math.sqrt(600))
        assert np.mean(fast) == pytest.approx(np.mean(slow), abs=4 * error)
        assert np.std(fast) == pytest.approx(np.std(slow), rel=4 * math.sqrt(0.5 / 600 + 0.5 / 2000))

    def test_weights_are_multinomial(self):
        weights = _multiplicities(np.random.default_rng(1), 4000, 10)
        assert (weights.sum(axis=1) == 10).all()
        # Each is Binomial(10, 1/10), and two have the covariance −1/10.
        assert weights.mean(axis=0) == pytest.approx(np.ones(10), abs=4 * math.sqrt(0.9 / 4000))
        spread = np.cov(weights.T)
        assert np.diag(spread) == pytest.approx(np.full(10, 0.9), abs=0.12)
        assert spread[0, 1:] == pytest.approx(np.full(9, -0.1), abs=0.06)

    def test_the_same_seed_gives_the_same_and_more_replicates_keep_the_first(self):
        ranks = study(np.random.default_rng(23), 30, 2, open_subjects=30, open_each=2)
        search = _Search.of(ranks, shares_within(ranks, 1), "open", Fraction("0.1"))
        few, many = search.replicates(100, 9), search.replicates(2500, 9)
        assert all(np.array_equal(a, b[:100]) for a, b in zip(few, many, strict=True))
        assert fnir_at_fpir(ranks, 0.1, rng=9) == fnir_at_fpir(ranks, 0.1, rng=9)
        assert fnir_at_fpir(ranks, 0.1, rng=9).se != fnir_at_fpir(ranks, 0.1, rng=10).se

    def test_thresholds_come_back_in_the_scoring_system(self):
        ranks = study(np.random.default_rng(24), 60, 3, open_subjects=60, open_each=3, unit=Fraction(1), scale=20.0)
        found = fnir_at_fpir(ranks, 0.1, rng=1)
        assert all(isinstance(t, int) for t in (found.threshold_low, found.point.threshold, found.threshold_high))
        assert found.threshold_low <= found.point.threshold <= found.threshold_high
        turned = counted(
            ranks.above, ranks.tied, gallery_size=100, subjects=ranks.subject, mate_score=ranks.mate_score,
            best_other=ranks.best_other, open_subject=ranks.open_subject, open_others=ranks.open_others,
            open_best=ranks.open_best, names=ranks.names, unit=Fraction(1), dissimilarity=True,
        )  # fmt: skip
        other = fnir_at_fpir(turned, 0.1, rng=1)
        assert (other.threshold_low, other.threshold_high) == (-found.threshold_high, -found.threshold_low)
        assert (other.low, other.high) == (found.low, found.high)

    def test_people_whose_mates_are_removed_are_drawn_once(self):
        # Everybody's mate scores as much above the best other: a replicate that draws high scorers raises both.
        who = np.repeat(np.arange(40), 3)
        level = np.random.default_rng(25).permutation(40).astype(float)[who]
        ranks = counted(
            np.zeros(120), np.zeros(120), gallery_size=9, subjects=who, mate_score=level + 5, best_other=level
        )
        found = fnir_at_fpir(ranks, 0.25, rng=1, probes="mate removed")
        assert found.subjects_mated == found.subjects_open == 40
        # The threshold is one above the level that a quarter exceed; whoever is drawn, about 3/4 − 4/40 score below it.
        assert found.se < 0.06
        apart = _Search.of(ranks, shares_within(ranks, 1), "mate removed", Fraction("0.25"))
        object.__setattr__(apart, "same_people", False)
        assert np.std(apart.replicates(2000, 1)[0]) > 1.3 * found.se

    def test_a_target_below_what_the_probes_resolve_has_no_interval(self):
        ranks = study(np.random.default_rng(26), 30, 2, open_subjects=30, open_each=2)
        found = fnir_at_fpir(ranks, 0.01, rng=1)
        assert (found.low, found.high, found.threshold_low, found.se) == (None, None, None, None)
        assert "below 1/N" in found.caution

    def test_no_misses_still_have_a_width(self):
        ranks = study(np.random.default_rng(27), 60, 1, open_subjects=60, open_each=1, shift=20.0)
        found = fnir_at_fpir(ranks, 0.1, rng=1)
        assert (found.point.fnir, found.low) == (0.0, 0.0)
        assert found.high == pytest.approx(1 - 0.025 ** (1 / 60))

    def test_few_expected_false_positives_are_named(self):
        ranks = study(np.random.default_rng(28), 60, 2, open_subjects=60, open_each=2)
        assert (
            "with 12 false positives expected the threshold is hardly determined"
            in fnir_at_fpir(ranks, 0.1, rng=1).caution
        )

    def test_one_subject_cannot_be_resampled(self):
        ranks = study(np.random.default_rng(29), 10, 2, open_subjects=1, open_each=30)
        with pytest.raises(MatedError, match="two of them or more"):
            fnir_at_fpir(ranks, 0.1)
