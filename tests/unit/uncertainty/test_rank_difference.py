"""The paired test of two systems on the same probes: hand examples, peers, calibration."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri, stdtrit
from scipy.stats import binomtest, ttest_rel

from mated.errors import MatedError
from mated.identification.cmc import cmc
from mated.uncertainty.rank_difference import _sign_flip_p, rank_difference
from search_brute_force import counted
from subject_brute_force import korn_graubard_variance


def system(missed, subjects=None, **options):
    """A system that misses the probes marked, in a gallery of 50."""
    missed = np.asarray(missed, dtype=np.int64)
    return counted(missed, 0 * missed, gallery_size=50, subjects=subjects, **options)


def two_alike(rng, subjects, each, rate, *, gap=0.0):
    """Two systems with a common difficulty of subjects and probes, the second missing `gap` more."""
    who = np.repeat(np.arange(subjects), each)
    common = 0.6 * rng.standard_normal(subjects)[who] + 0.5 * rng.standard_normal(len(who))
    names = tuple(str(k) for k in range(subjects))
    found = []
    for miss in (rate, rate + gap):
        own = 0.4 * rng.standard_normal(subjects)[who] + math.sqrt(0.23) * rng.standard_normal(len(who))
        found.append(system(common + own < ndtri(miss), who, names=names))
    return found


class TestOneProbeASubject:
    def test_few_differences_are_mcnemar_s_exact_test(self):
        # The first system alone finds six, the second one: p = 2·(1 + 7)/2^7 = 1/8.
        missed = np.zeros((2, 100), dtype=int)
        missed[1, :6], missed[0, 6], missed[:, 90:] = 1, 1, 1
        result = rank_difference(system(missed[0]), system(missed[1]))
        assert result.p_value == 0.125 == pytest.approx(binomtest(1, 7).pvalue)
        assert (result.a, result.b) == (0.89, 0.84)
        assert result.difference == pytest.approx(0.05)
        assert (result.discordant, result.probes, result.method[:13]) == (7, 100, "exact McNemar")

    def test_their_interval_is_that_of_bonett_and_price(self):
        # One added to each kind of discordant pair: (7 − 1)/(n + 2), variance (Σ − (n + 2)d²)/((n + 2)(n + 1)).
        missed = np.zeros((2, 100), dtype=int)
        missed[1, :6] = 1
        result = rank_difference(system(missed[0]), system(missed[1]))
        d = 6 / 102
        half = stdtrit(101, 0.975) * math.sqrt((8 - 102 * d**2) / (102 * 101))
        assert (result.low, result.high) == pytest.approx((d - half, d + half))
        assert result.p_value == 2 / 2**6

    def test_their_interval_holds_zero_where_the_test_does_not_reject(self):
        # 14 to 5 among 25: p = 0.064, while (15 − 6)/27 alone is 2.1 standard errors from 0.
        missed = np.zeros((2, 25), dtype=int)
        missed[1, :14], missed[0, 14:19] = 1, 1
        result = rank_difference(system(missed[0]), system(missed[1]))
        assert result.p_value == pytest.approx(binomtest(5, 19).pvalue)
        assert result.p_value > 0.05
        assert result.low == 0.0

    def test_many_differences_are_the_paired_t_test(self):
        a, b = two_alike(np.random.default_rng(1), 300, 1, 0.2, gap=0.06)
        result = rank_difference(a, b)
        peer = ttest_rel(-1.0 * a.above, -1.0 * b.above)  # a miss has one above it
        interval = peer.confidence_interval(0.95)
        assert result.method == "paired t over subjects"
        assert result.p_value == pytest.approx(peer.pvalue)
        assert (result.low, result.high) == pytest.approx((interval.low, interval.high))


class TestSeveralProbesASubject:
    def test_standard_error_is_that_of_the_subjects_differences(self):
        a, b = two_alike(np.random.default_rng(2), 80, 4, 0.2)
        result = rank_difference(a, b)
        d = (b.above > 0).astype(int) - (a.above > 0)
        sums = [int(d[a.subject == k].sum()) for k in range(80)]
        v = korn_graubard_variance(sums, [4] * 80)
        assert result.se == pytest.approx(math.sqrt(v))
        assert result.difference == pytest.approx(sum(sums) / 320)
        assert result.high == pytest.approx(result.difference + stdtrit(79, 0.975) * math.sqrt(v))
        assert result.discordant == sum(s != 0 for s in sums)

    @given(st.lists(st.integers(-4, 4).filter(bool), min_size=0, max_size=8))
    @settings(max_examples=60)
    def test_few_differing_subjects_take_every_sign(self, sums):
        signed = [
            abs(sum(s * d for s, d in zip(signs, sums, strict=True)))
            for signs in itertools.product((1, -1), repeat=len(sums))
        ]
        expected = Fraction(sum(s >= abs(sum(sums)) for s in signed), len(signed))
        assert _sign_flip_p(np.array(sums, dtype=float)) == float(expected)

    def test_ties_share_a_probe(self):
        # The second system ties with one other where the first leads: it finds the mate half the time.
        a, b = system([0] * 40), counted([0] * 40, [1] * 4 + [0] * 36, gallery_size=50)
        result = rank_difference(a, b)
        assert result.difference == pytest.approx(2 / 40)
        assert result.p_value == 2 / 2**4
        assert result.method.startswith("exact sign-flip")
        assert rank_difference(a, b, ties="optimistic").difference == 0.0

    def test_shares_that_cancel_are_no_difference(self):
        # Ten tenths of a mate against one mate: the floats sum to −1.1e-16.
        who = np.repeat([0, 1, 2], 10)
        a, b = counted([0] * 30, [9] * 30, gallery_size=50, subjects=who), system(([0] + [1] * 9) * 3, who)
        result = rank_difference(a, b)
        assert (result.discordant, result.difference, result.p_value) == (0, 0.0, 1.0)

    def test_values_are_those_of_the_curves_at_any_rank(self):
        rng = np.random.default_rng(4)
        a, b = (counted(rng.integers(0, 9, 60), rng.integers(0, 3, 60), gallery_size=20) for _ in range(2))
        result = rank_difference(a, b, 5)
        assert (result.a, result.b) == pytest.approx((cmc(a)(5), cmc(b)(5)))


class TestLaws:
    def test_the_same_system_does_not_differ_from_itself(self):
        a, _ = two_alike(np.random.default_rng(5), 50, 3, 0.2)
        result = rank_difference(a, a)
        assert (result.difference, result.p_value) == (0.0, 1.0)
        assert result.low < 0 < result.high

    @pytest.mark.parametrize(("subjects", "rate"), [(80, 0.2), (30, 0.03)])
    def test_exchanging_the_systems_turns_the_sign(self, subjects, rate):
        a, b = two_alike(np.random.default_rng(6), subjects, 3, rate)
        one, other = rank_difference(a, b), rank_difference(b, a)
        assert (one.difference, one.low, one.high) == pytest.approx((-other.difference, -other.high, -other.low))
        assert one.p_value == other.p_value

    def test_aligned_probes_may_stand_in_any_order_with_others_between(self):
        rng = np.random.default_rng(7)
        a, b = two_alike(rng, 60, 3, 0.2)
        order = rng.permutation(180)
        names = b.names[::-1]  # another list of people, with other codes for the same
        mixed = system(np.append(b.above[order], [1, 1]), np.append(59 - b.subject[order], [0, 0]), names=names)
        whole = rank_difference(a, b)
        found = rank_difference(a, mixed, aligned=(np.arange(180), np.argsort(order)))
        assert (found.difference, found.low, found.p_value) == (whole.difference, whole.low, whole.p_value)


class TestCalibration:
    """Two systems that miss equally often: rejected at 5 % in 5 % of studies, within four standard errors."""

    @pytest.mark.parametrize(("subjects", "each", "rate"), [(100, 4, 0.2), (300, 1, 0.15)])
    def test_the_paired_t_test_keeps_its_level(self, subjects, each, rate):
        rng = np.random.default_rng(31)
        results = [rank_difference(*two_alike(rng, subjects, each, rate)) for _ in range(1500)]
        assert all(r.method == "paired t over subjects" for r in results)
        rejected = np.mean([r.p_value <= 0.05 for r in results])
        assert rejected == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / 1500))
        assert np.mean([r.low <= 0 <= r.high for r in results]) == pytest.approx(1 - rejected)

    def test_the_exact_test_never_exceeds_its_level_and_its_interval_covers(self):
        rng = np.random.default_rng(32)
        results = [rank_difference(*two_alike(rng, 60, 3, 0.05)) for _ in range(1000)]
        assert np.mean([r.method.startswith("exact") for r in results]) > 0.95
        assert np.mean([r.p_value <= 0.05 for r in results]) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 1000)
        covered = np.mean(
            [
                r.low <= 0.05 <= r.high
                for r in (rank_difference(*two_alike(rng, 60, 3, 0.02, gap=0.05)) for _ in range(500))
            ]
        )
        assert covered >= 0.95 - 4 * math.sqrt(0.05 * 0.95 / 500)

    def test_a_real_difference_is_found(self):
        rng = np.random.default_rng(33)
        assert rank_difference(*two_alike(rng, 200, 3, 0.1, gap=0.1)).p_value < 1e-3


class TestWhatIsRefused:
    def test_different_numbers_of_probes(self):
        with pytest.raises(MatedError, match="list 3 and 4 mated probes"):
            rank_difference(system([0] * 3), system([0] * 4))

    def test_probes_of_different_people(self):
        with pytest.raises(MatedError, match="probe 2 is of subject '1' in one system and of '2' in the other"):
            rank_difference(system([0, 0, 0], [0, 1, 2]), system([0, 0, 0], [0, 2, 1]))

    @pytest.mark.parametrize(
        ("aligned", "words"),
        [
            (([0, 1], [0]), "2 probes of one system cannot be aligned with 1"),
            (([0, 9], [0, 1]), "places from 0 to 2"),
            (([0, 0], [0, 1]), "aligned twice"),
            (([0.5], [0]), "whole numbers"),
            (([], []), "share no mated probe"),
        ],
    )
    def test_alignments_that_cannot_be(self, aligned, words):
        with pytest.raises(MatedError, match=words):
            rank_difference(system([0, 0, 1]), system([0, 1, 1]), aligned=aligned)

    def test_one_subject(self):
        with pytest.raises(MatedError, match="needs at least two"):
            rank_difference(system([0, 1], [0, 0]), system([1, 1], [0, 0]))

    def test_galleries_of_different_size_are_named(self):
        other = counted([0] * 3, [0] * 3, gallery_size=60)
        assert "differ in size (50 and 60)" in rank_difference(system([0, 0, 1]), other).caution
