"""`mated.predict`: which method answers, against the functions it stands on, and what it refuses."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mated
from mated.errors import MatedError
from mated.identification import (
    cmc_of_roc,
    cmc_of_rocs,
    global_roc,
    hypergeometric_cmc,
    narrow_cmc,
    step_cmc,
    theoretical_cmc,
)
from mated.synthetic import GaussianIdentities


@pytest.fixture(scope="module")
def v():
    return mated.verify(GaussianIdentities((0.7,) * 6).draw(60, 4, rng=3).matrix(), name="people")


def points(v, size, ranks):
    """What each method says, from the functions themselves."""
    return {
        "average": cmc_of_roc(v.average_roc, size, ranks),
        "individual": cmc_of_roc(v.average_roc, size, ranks),
        "step": step_cmc(v.subject_tallies, size, ranks),
        "global": cmc_of_roc(global_roc(v.tally), size, ranks),
        "bolle": theoretical_cmc(v.tally, size, ranks),
        "narrow": narrow_cmc(v.tally, size, ranks),
        "hypergeometric": hypergeometric_cmc(v.subject_tallies, size, ranks),
    }


class TestTheMethods:
    @pytest.mark.parametrize("method", ["average", "individual", "step", "global", "bolle", "narrow", "hypergeometric"])
    def test_give_what_their_functions_give(self, v, method):
        made = mated.predict(v, gallery=40, ranks=[1, 7], method=method, replicates=20).galleries[0]
        expected = points(v, 40, [1, 7])
        assert made.rate == pytest.approx(tuple(expected[method]), abs=1e-12)
        assert made.method == method
        for name, rates in made.beside.items():
            if name != "tail":
                assert rates == pytest.approx(tuple(expected[name]), abs=1e-12)
        assert method not in made.beside
        for low, rate, high in zip(made.low, made.rate, made.high, strict=True):
            assert 0 <= low <= rate <= high <= 1
            assert low < high

    def test_suit_the_size_of_the_gallery(self, v):
        made = mated.predict(v, gallery=[10, 60, 200, 10**6], ranks=1, replicates=0)
        # By hand: 59 rivals, 59 · 16 scores a subject; √(59 · 944) = 236.
        assert (made.resolution.rivals, made.resolution.scores, made.resolution.largest_gallery) == (59, 944, 236)
        assert [g.method for g in made.galleries] == ["hypergeometric", "hypergeometric", "step", "tail"]
        assert made[10**6].caution is not None
        assert made[10].caution is None
        assert made[10**6].rate[0] < made[10**6].beside["average"][0]

    def test_fall_with_the_gallery_and_rise_with_the_rank(self, v):
        made = mated.predict(v, gallery=[20, 60, 100, 200, 10**4, 10**9], replicates=0, method="average").galleries
        assert all(a.rate[0] >= b.rate[0] for a, b in itertools.pairwise(made))
        assert all(np.all(np.diff(g.rate) >= 0) for g in made)

    def test_individual_says_how_people_differ_and_names_nobody(self, v):
        made = mated.predict(v, gallery=40, ranks=1, method="individual", replicates=0)
        rates = cmc_of_rocs(v.individual_rocs, 40, [1])[:, 0]
        assert made.galleries[0].individual["50 %"][0] == pytest.approx(np.median(rates))
        assert "p01" not in str(made.to_dict())


class TestOpenSet:
    def test_is_predicted_at_rates_and_thresholds_in_the_users_scoring_system(self):
        people = GaussianIdentities((0.7,) * 6).draw(60, 4, rng=3)
        made = mated.predict(
            people.comparisons("llr", scale=10, decimals=0),
            gallery=[50, 10**5],
            ranks=1,
            fpir=0.1,
            threshold=[30, 60],
            replicates=20,
        )
        small, large = made.galleries
        at_rate, at_threshold, high = small.open_set
        assert at_rate.fpir <= 0.1
        assert isinstance(at_rate.threshold, int)
        assert at_threshold.threshold == 30
        assert (high.fpir, high.fpir_low) == (0, 0)  # no false match there, and yet an upper bound
        assert 0 < high.fpir_high < 0.5
        assert at_threshold.fpir_low <= at_threshold.fpir <= at_threshold.fpir_high
        assert at_rate.fnir_low <= at_rate.fnir <= at_rate.fnir_high
        assert (at_rate.method, large.open_set[0].method) == ("empirical", "tail")
        assert large.open_set[0].threshold > at_rate.threshold
        assert large.open_set[1].fpir > at_threshold.fpir

    def test_of_a_small_gallery_is_that_of_independent_rivals(self):
        # By hand: FPIR = mean over probes of 1 − (1 − FMR_i(t))^N, FMR_i the share of the probe's non-mated scores ≥ t.
        people = GaussianIdentities((0.7,) * 6).draw(20, 3, rng=5)
        matrix = people.matrix()
        made = mated.predict(matrix, gallery=15, ranks=1, threshold=2.0, replicates=0).galleries[0].open_set[0]
        others = people.subject[:, None] != people.subject[None, :]
        rate = np.array([np.mean(row[other] >= 2.0) for row, other in zip(matrix.scores, others, strict=True)])
        assert made.fpir == pytest.approx(np.mean(1 - (1 - rate) ** 15), rel=1e-9)


class TestUncertainty:
    def test_a_seed_gives_the_same_numbers(self, v):
        one, same, other = (mated.predict(v, gallery=100, ranks=1, replicates=25, rng=s).to_dict() for s in (2, 2, 3))
        assert one == same
        assert one["cmc"][0]["low"] != other["cmc"][0]["low"]

    def test_galleries_predicted_together_have_the_intervals_of_each_alone(self, v):
        # Methods of three kinds, two of which share their replicates, and open-set errors beside them.
        options = {"ranks": [1, 3], "replicates": 10, "threshold": 1.5, "rng": 4}
        together = mated.predict(v, gallery=[10, 60, 200, 10**6], **options)
        assert [g.method for g in together.galleries] == ["hypergeometric", "hypergeometric", "step", "tail"]
        for g in together.galleries:
            alone = mated.predict(v, gallery=g.gallery_size, **options).galleries[0]
            assert (alone.method, alone.rate, alone.open_set) == (g.method, g.rate, g.open_set)
            for end in ("low", "high", "se"):
                assert getattr(alone, end) == pytest.approx(getattr(g, end), rel=1e-12)

    def test_a_table_read_both_ways_is_recognised_whatever_says_so(self):
        people = GaussianIdentities((0.7,) * 6).draw(30, 3, rng=3).comparisons()
        options = {"gallery": [20, 1000], "ranks": 1, "replicates": 5, "threshold": 1.0}
        found, told = (mated.predict(people, symmetric=how, **options) for how in ("auto", "yes"))
        assert found.galleries == told.galleries
        assert found.galleries != mated.predict(people, symmetric="no", **options).galleries

    def test_without_replicates_there_is_no_interval(self, v):
        entry = mated.predict(v, gallery=[100, 10**6], ranks=1, replicates=0).to_dict()["galleries"]
        assert [(g["cmc"][0]["low"], g["cmc"][0]["se"]) for g in entry] == [(None, None)] * 2

    def test_no_interval_is_of_zero_width_where_nobody_is_missed(self):
        people = GaussianIdentities((0.999,) * 12).draw(20, 3, rng=1)
        made = mated.predict(people.matrix(), gallery=15, ranks=[1, 10], replicates=20).galleries[0]
        assert made.rate[1] == 1
        assert made.low[1] < 0.98  # one of 60 mated comparisons more would be 1.7 %


class TestWithoutSubjects:
    scores = (np.linspace(0, 3, 50), np.linspace(-2, 1, 200))

    def test_people_are_taken_as_alike_and_that_is_said(self):
        made = mated.predict(*self.scores, gallery=10).galleries[0]
        assert (made.method, made.low) == ("global", None)
        assert "subjects are not known" in made.caution

    def test_the_average_roc_is_refused(self):
        with pytest.raises(MatedError, match="who was compared"):
            mated.predict(*self.scores, gallery=10, method="average")


class TestItShowsItself:
    def test_one_gallery_stands_at_the_top_of_the_dictionary(self, v):
        result = mated.predict(v, gallery=30, replicates=0).to_dict()
        assert (result["gallery_size"], result["method"]) == (30, "hypergeometric")
        assert result["cmc"] == result["galleries"][0]["cmc"]
        assert "cmc" not in mated.predict(v, gallery=[30, 40], replicates=0).to_dict()

    def test_as_a_frame_a_sentence_and_a_picture(self, v):
        made = mated.predict(v, gallery=[30, 10**4], ranks=[1, 5], replicates=10)
        assert made.to_frame().height == 4
        assert "10,000 (tail)" in repr(made)
        assert "<table>" in made._repr_html_()
        assert made.plot().get_xlabel() == "Gallery size"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gallery": 1}, "from 2 to"),
        ({"gallery": 2.5}, "whole number"),
        ({"gallery": []}, "at least one gallery"),
        ({"gallery": 10, "ranks": 11}, "from 1 to the smallest gallery, 10"),
        ({"gallery": 10, "ranks": 0}, "from 1 to"),
        ({"gallery": 10, "method": "magic"}, "there is no method"),
        ({"gallery": 10, "replicates": 1}, "two replicates"),
        ({"gallery": 10, "level": 0}, "level"),
        ({"gallery": 10, "fpir": 1.5}, "false positive identification rate"),
        ({"gallery": 10, "length": 11}, "candidate list"),
        ({"gallery": 1000, "method": "hypergeometric"}, "cannot be drawn"),
    ],
)
def test_bad_questions_are_one_sentence(v, options, words):
    with pytest.raises(MatedError, match=words):
        mated.predict(v, **options)


def test_a_handful_of_people_can_be_predicted_as_far_as_they_go():
    few = GaussianIdentities().draw(3, 2, rng=1).matrix()
    made = mated.predict(few, gallery=3, ranks=1, replicates=10).galleries[0]
    assert made.method == "hypergeometric"
    assert "tail" not in made.beside
    with pytest.raises(MatedError, match="tail can be described"):
        mated.predict(few, gallery=1000, ranks=1)
