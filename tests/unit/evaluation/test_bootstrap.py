"""A verification with intervals: which interval where, what it presumes, and what it never does."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mated
from mated.errors import MatedError
from mated.synthetic import GaussianIdentities
from mated.uncertainty import binomial
from mated.uncertainty.cluster import rates_at_threshold
from mated.uncertainty.delong import auc_standard_error
from mated.uncertainty.independent import draw_at_fmr, draw_eer
from mated.uncertainty.replicates import Replicates


@pytest.fixture(scope="module")
def lists():
    rng = np.random.default_rng(1)
    mated_scores, nonmated = (np.round(100 * rng.normal(m, 1, n)) for m, n in ((2, 800), (0, 4000)))
    return mated.verify(mated_scores, nonmated, fmr=[1e-1, 1e-2], threshold=[120], tmr=0.9)


@pytest.fixture(scope="module")
def table():
    return mated.verify(GaussianIdentities().draw(60, 3, rng=2).comparisons("llr", decimals=2), fmr=[0.05], threshold=2)


def test_without_subjects_the_intervals_are_those_of_wu_2008_and_say_what_they_presume(lists):
    b = lists.bootstrap(500, rng=7)
    drawn, _ = draw_at_fmr(lists.tally, [1e-2], replicates=500, seed=7)
    expected = Replicates(drawn[:, 0], lists.at_fmr(1e-2).tmr)
    result = b.at_fmr(1e-2)
    assert (result.tmr.low, result.tmr.high) == pytest.approx(expected.percentile_interval(0.95), abs=1e-12)
    assert result.tmr.se == pytest.approx(expected.standard_error, abs=1e-12)
    assert result.tmr.normal == pytest.approx(expected.normal_interval(0.95), abs=1e-12)
    assert "subjects are not known" in result.tmr.caution
    eer = Replicates(draw_eer(lists.tally, replicates=500, seed=7)[0], lists.eer().value)
    assert (b.eer().eer.low, b.eer().eer.high) == eer.percentile_interval(0.95)
    assert b.eer().coefficient_of_variation == eer.standard_error / lists.eer().value
    assert b.auc().se == auc_standard_error(lists.tally)
    assert not b.by_subject


def test_fnmr_intervals_are_mirror_images_of_those_of_tmr(lists):
    at = lists.bootstrap(300, rng=1).at_fmr(0.1)
    assert (at.fnmr.low, at.fnmr.high) == (1 - at.tmr.high, 1 - at.tmr.low)
    assert at.fnmr.se == at.tmr.se


def test_thresholds_of_integers_are_integers_rounded_outwards(lists):
    at = lists.bootstrap(300, rng=1).at_fmr(0.01)
    assert isinstance(at.threshold_low, int)
    assert isinstance(at.threshold_high, int)
    assert at.threshold_low <= at.point.threshold <= at.threshold_high


@pytest.mark.parametrize(
    ("intervals", "kernel"),
    [
        ("iid", binomial.independent),
        ("wilson", binomial.wilson),
        ("clopper-pearson", binomial.clopper_pearson),
        ("jeffreys", binomial.jeffreys),
    ],
)
def test_rates_at_a_threshold_have_the_binomial_interval_asked_for(lists, intervals, kernel):
    at = lists.bootstrap(100, rng=1, intervals=intervals).at_threshold(120)
    assert (at.fmr.low, at.fmr.high) == kernel(at.point.errors_nonmated, 4000, 0.95)
    assert (at.fnmr.low, at.fnmr.high) == kernel(at.point.errors_mated, 800, 0.95)


def test_the_percentile_bootstrap_can_be_had_throughout(lists):
    b = lists.bootstrap(400, rng=3, intervals="bootstrap")
    fmr, tmr = b.scatter(120)
    at = b.at_threshold(120)
    assert (at.fmr.low, at.fmr.high) == Replicates(fmr, at.point.fmr).percentile_interval(0.95)
    assert at.tmr.se == pytest.approx(np.std(tmr, ddof=1))


def test_known_subjects_are_resampled_by_default(table):
    b = table.bootstrap(300, rng=1)
    assert b.by_subject
    fmr, fnmr = rates_at_threshold(table.subject_pairs, 2.0, 0.95)
    at = b.at_threshold(2)
    assert (at.fmr.low, at.fmr.high) == (fmr.low, fmr.high)
    assert (at.fnmr.low, at.fnmr.high) == (fnmr.low, fnmr.high)
    assert b.eer().eer.method == "pigeonhole standard error, logit-t"
    assert b.at_fmr(0.05).tmr.method.startswith("pigeonhole percentile")
    assert b.presumption is None


@pytest.mark.parametrize("intervals", ["subject", "iid", "wilson", "bootstrap"])
def test_several_thresholds_have_the_estimates_of_each_alone(table, intervals):
    b, asked = table.bootstrap(50, rng=1, intervals=intervals), [2, -1, 0, 2, 3.5]
    assert b.at_thresholds(asked) == [b.at_threshold(threshold) for threshold in asked]
    assert b.at_thresholds([]) == []


def test_independence_can_be_presumed_all_the_same_and_is_said_to_be_too_narrow(table):
    b, free = table.bootstrap(300, rng=1), table.bootstrap(300, rng=1, intervals="iid")
    assert "it is too narrow" in free.presumption
    assert free.eer().eer.se < b.eer().eer.se


def test_few_subjects_are_mentioned():
    v = mated.verify(GaussianIdentities().draw(10, 3, rng=2).comparisons())
    assert v.bootstrap(100, rng=1).presumption == "only 10 subjects: such intervals may cover as little as 90 %"


@pytest.mark.parametrize("intervals", ["auto", "iid"])
def test_no_interval_of_a_rate_has_zero_width_where_nothing_went_wrong(intervals):
    people = GaussianIdentities((0.999,) * 20).draw(20, 3, rng=3)
    v = mated.verify(people.comparisons("cosine"), fmr=[0.1], threshold=0.9)
    assert v.eer().value == 0
    b = v.bootstrap(100, rng=1, intervals=intervals)
    for e in (b.at_fmr(0.1).fnmr, b.at_threshold(0.9).fmr, b.at_threshold(0.9).fnmr, b.eer().eer, b.auc()):
        assert e.low <= e.value <= e.high
        assert e.low < e.high


def test_a_target_below_the_resolution_has_no_interval(lists):
    at = lists.bootstrap(100, rng=1).at_fmr(1e-4)
    assert (at.tmr.low, at.tmr.high, at.threshold_low) == (None, None, None)
    assert "below 1/N" in at.tmr.caution


def test_a_target_with_few_expected_false_matches_is_hardly_determined(lists):
    assert "hardly determined" in lists.bootstrap(100, rng=1).at_fmr(1e-3).tmr.caution


def test_the_joint_rectangle_holds_the_plain_one_and_its_share_of_replicates(lists):
    b = lists.bootstrap(2000, rng=5, intervals="bootstrap")
    plain, joint = b.at_threshold(120).rectangle, b.joint_rectangle(120)
    for (low, high), (lower, higher) in zip(plain, joint, strict=True):
        assert lower <= low
        assert high <= higher
    inside = [
        np.mean((x0 <= fmr) & (fmr <= x1) & (y0 <= tmr) & (tmr <= y1))
        for (x0, x1), (y0, y1) in (plain, joint)
        for fmr, tmr in (b.scatter(120),)
    ]
    assert inside[0] < 0.95 <= inside[1] + 0.01  # two 95 % intervals hold about 90 %, two 97.5 % about 95 %


def test_estimates_at_an_fmr_and_at_its_threshold_lie_in_each_others_interval(lists):
    assert lists.bootstrap(500, rng=1, intervals="bootstrap").consistent(0.01)


def test_bands_hold_the_curve_and_the_joint_one_is_wider(lists):
    b = lists.bootstrap(500, rng=1)
    band, joint = b.band([0.01, 0.05, 0.2]), b.band([0.01, 0.05, 0.2], joint=True)
    assert (joint.low <= band.low).all()
    assert (band.low <= band.tmr).all()
    assert (band.tmr <= band.high).all()
    assert (band.high <= joint.high).all()


@pytest.mark.parametrize("name", ["lists", "table"])
def test_the_same_seed_gives_the_same_numbers_on_any_number_of_threads(name, request):
    v = request.getfixturevalue(name)
    one, two = (v.bootstrap(1500, rng=11, threads=t).to_dict() for t in (1, 2))
    assert one == two
    assert one != v.bootstrap(1500, rng=12).to_dict()


@pytest.mark.parametrize("name", ["lists", "table"])
def test_more_replicates_keep_the_first_ones(name, request):
    b = request.getfixturevalue(name).bootstrap(300, rng=2)
    more = b.extend(1200)
    for few, many in zip(b.resampling.eer(), more.resampling.eer(), strict=True):
        assert np.array_equal(few, many[:300])


def test_the_dictionary_fills_every_interval_and_says_how(lists, table):
    for v in (lists, table):
        result = json.loads(json.dumps(v.bootstrap(200, rng=1).to_dict(), allow_nan=False))
        assert result["uncertainty"] | {"replicates": 200, "level": 0.95, "seed": 1} == result["uncertainty"]
        for entry in result["at_fmr"]:
            assert entry["tmr_low"] <= entry["tmr"] <= entry["tmr_high"]
            assert entry["threshold_low"] <= entry["threshold"] <= entry["threshold_high"]
        for entry in result["at_threshold"]:
            assert entry["fmr_low"] <= entry["fmr"] <= entry["fmr_high"]
        for entry in result["at_tmr"]:
            assert entry["fmr_low"] <= entry["fmr"] <= entry["fmr_high"]
        assert result["eer"]["low"] <= result["eer"]["value"] <= result["eer"]["high"]
        assert result["auc"]["low"] <= result["auc"]["value"] <= result["auc"]["high"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": 1}, "confidence level"),
        ({"level": 95}, "confidence level"),
        ({"replicates": 1}, "at least 2"),
        ({"intervals": "wald"}, "no intervals 'wald'"),
        ({"intervals": "subject"}, "who was compared"),
        ({"rng": -1}, "a seed is a whole number"),
    ],
)
def test_impossible_wishes_are_refused(lists, options, words):
    with pytest.raises(MatedError, match=words):
        lists.bootstrap(**options)
