"""Intervals of FRR and FAR, and what a verification says of failures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mated import verify
from mated.errors import MatedError
from mated.scores import Comparisons, Tally
from mated.synthetic import GaussianIdentities
from mated.uncertainty import binomial
from mated.uncertainty.cluster import fmr_cluster, fnmr_cluster
from mated.uncertainty.products import Factor, product_interval

NAN = float("nan")


def two_lists(mated_failures=12, nonmated_failures=30):
    rng = np.random.default_rng(4)
    mated, nonmated = rng.normal(2, 1, 300).round(1), rng.normal(0, 1, 2000).round(1)
    mated[:mated_failures] = nonmated[:nonmated_failures] = NAN
    return mated, nonmated


@pytest.fixture(scope="module")
def people():
    """Comparisons of 40 people, of which every eleventh failed; three people fail often."""
    data = GaussianIdentities().draw(40, 4, rng=8).comparisons("llr", decimals=1)
    names = np.array(data.subjects.names)
    probe, reference = names[data.subjects.probe], names[data.subjects.reference]
    failed = (np.arange(len(data)) % 11 == 0) | (np.isin(probe, names[:3]) & (np.arange(len(data)) % 2 == 0))
    return Comparisons.from_arrays(
        np.where(failed, NAN, data.score),
        probe_subject=probe,
        reference_subject=reference,
        covariates={"sensor": np.where(np.arange(len(data)) % 3 == 0, "old", "new")},
        nan="failure",
    )


# -- at a threshold ----------------------------------------------------------------------------------


def test_independent_attempts_get_the_binomial_interval_of_errors_and_failures_together():
    mated, nonmated = two_lists()
    v = verify(mated, nonmated, nan="failure")
    point = v.at_threshold(1.0)
    rates = v.bootstrap(50, rng=1).with_failures(point)
    assert (rates.frr.low, rates.frr.high) == pytest.approx(
        binomial.independent(point.errors_mated + 12, 300), abs=1e-14
    )
    assert (rates.far.low, rates.far.high) == pytest.approx(
        binomial.independent(point.errors_nonmated, 2000), abs=1e-14
    )
    assert (rates.frr.errors, rates.frr.comparisons) == (point.errors_mated + 12, 300)
    assert rates.gfrr is None


def test_attempts_of_subjects_get_the_interval_over_subjects_who_bring_their_failures(people):
    """Each subject's errors and failures, and each pair's attempts, counted in a loop."""
    v = verify(people)
    threshold = 1.0
    names = people.subjects.names
    errors, attempts = np.zeros(len(names), int), np.zeros(len(names), int)
    false, total = np.zeros((len(names), len(names)), int), np.zeros((len(names), len(names)), int)
    for ids, scores in ((people.subjects, people.score), (people.failed_subjects, None)):
        for k, (p, r) in enumerate(zip(ids.probe, ids.reference, strict=True)):
            if p == r:
                attempts[p] += 1
                errors[p] += scores is None or scores[k] < threshold
            else:
                for i, j in ((p, r), (r, p)):
                    total[i, j] += 1
                    false[i, j] += scores is not None and scores[k] >= threshold
    rates = v.bootstrap(50, rng=1).with_failures(v.at_threshold(threshold))
    frr, far = fnmr_cluster(errors, attempts), fmr_cluster(false, total)
    assert (rates.frr.value, rates.far.value) == pytest.approx((frr.value, far.value), abs=1e-15)
    assert (rates.frr.low, rates.frr.high) == pytest.approx((frr.low, frr.high), abs=1e-12)
    assert (rates.far.low, rates.far.high) == pytest.approx((far.low, far.high), abs=1e-12)
    assert rates.frr.se == pytest.approx(frr.se)


def test_subjects_who_fail_together_widen_the_interval(people):
    v = verify(people)
    point = v.at_threshold(1.0)
    by_subject, iid = (v.bootstrap(50, rng=1, intervals=kind).with_failures(point).frr for kind in ("subject", "iid"))
    assert by_subject.high - by_subject.low > iid.high - iid.low


# -- at an FMR or a TMR ------------------------------------------------------------------------------


def test_the_bootstrap_of_frr_is_that_of_fnmr_over_attempts_with_a_hopeless_score():
    """A failure scored below everything, −1000, is the same attempt: rates and replicates are equal."""
    mated, nonmated = two_lists()
    b = verify(mated, nonmated, nan="failure").bootstrap(300, rng=3)
    hopeless = verify(np.nan_to_num(mated, nan=-1000), np.nan_to_num(nonmated, nan=-1000)).bootstrap(300, rng=3)
    for fmr in (0.1, 0.02):
        rates = b.with_failures(b.verification.at_fmr(fmr))
        twin = hopeless.at_fmr(fmr * 1970 / 2000).fnmr
        assert (rates.frr.value, rates.frr.se) == pytest.approx((twin.value, twin.se))
        assert (rates.frr.low, rates.frr.high) == pytest.approx((twin.low, twin.high), abs=1e-9)
        assert (rates.far.value, rates.far.low) == (pytest.approx(fmr * 0.985), None)
    rates = b.with_failures(b.verification.at_tmr(0.9))
    twin = hopeless.at_tmr(0.9 * 288 / 300).fmr
    assert (rates.far.low, rates.far.value, rates.far.high) == pytest.approx((twin.low, twin.value, twin.high))
    assert (rates.frr.value, rates.frr.low) == (pytest.approx(1 - 0.9 * 0.96), None)


def test_an_fmr_below_one_comparison_gets_no_interval():
    b = verify(*two_lists(), nan="failure").bootstrap(50, rng=1)
    rates = b.with_failures(b.verification.at_fmr(1e-4))
    assert (rates.frr.low, rates.frr.high) == (None, None)
    assert rates.frr.value > b.verification.at_fmr(1e-4).fnmr


def test_where_it_is_not_known_whose_comparisons_failed_there_is_no_interval_by_subject(people):
    b = verify(replace(people, failed_subjects=None)).bootstrap(50, rng=1)
    rates = b.with_failures(b.verification.at_threshold(1.0))
    assert (rates.frr.low, rates.far.low) == (None, None)
    assert "not known" in rates.frr.caution
    known = verify(people)
    assert rates.frr.value == known.with_failures(known.at_threshold(1.0)).frr


# -- rates that are given ----------------------------------------------------------------------------


def test_a_rate_that_is_held_scales_the_interval():
    mated, nonmated = two_lists()
    plain, held = (verify(mated, nonmated, nan="failure", **o) for o in ({}, {"fta": 0.1, "fte": 0.2}))
    point = plain.at_threshold(1.0)
    without, rates = (v.bootstrap(50, rng=1).with_failures(point) for v in (plain, held))
    for end in ("low", "value", "high"):
        assert getattr(rates.frr, end) == pytest.approx(1 - 0.9 * (1 - getattr(without.frr, end)))
        assert getattr(rates.gfrr, end) == pytest.approx(1 - 0.72 * (1 - getattr(without.frr, end)))
        assert getattr(rates.gfar, end) == pytest.approx(0.72 * getattr(without.far, end))
    assert rates.gfrr.method.endswith("FTA held; FTE held")


def test_rates_alone_need_no_comparison_that_failed():
    v = verify(*two_lists(0, 0), fte="5/100")
    b = v.bootstrap(50, rng=1)
    point = v.at_threshold(1.0)
    rates = b.with_failures(point)
    assert (rates.frr.low, rates.frr.high) == pytest.approx(
        (b.at_threshold(1.0).fnmr.low, b.at_threshold(1.0).fnmr.high)
    )
    assert rates.gfrr.value == pytest.approx(0.05 + 0.95 * point.fnmr)
    assert rates.gfrr.high - rates.gfrr.value > 0.95 * (rates.frr.high - rates.frr.value)
    assert "FTE by its counts" in rates.gfrr.method


def test_a_product_of_rates_by_hand():
    """0.5 (0.4 to 0.7) times 0.8 (0.5 to 0.9): distances √(0.08² + 0.15²) = 0.17 and √(0.16² + 0.05²)."""
    product = product_interval([Factor(0.5, 0.1, 0.4, 0.7), Factor(0.8, 0.05, 0.5, 0.9)])
    assert product.value == pytest.approx(0.4)
    assert (product.low, product.high) == pytest.approx((0.4 - 0.17, 0.4 + np.sqrt(0.16**2 + 0.05**2)))
    assert product.se == pytest.approx(np.hypot(0.08, 0.025))
    assert product_interval([Factor(0.0, 0.0, 0.0, 0.01), Factor(0.9)]) == Factor(0.0, 0.0, 0.0, pytest.approx(0.009))
    assert Factor(0.3, 0.1, 0.2, 0.5).complement() == Factor(0.7, 0.1, 0.5, pytest.approx(0.8))


# -- what is reported --------------------------------------------------------------------------------


def test_without_failures_nothing_is_said_of_them():
    v = verify(*two_lists(0, 0))
    assert v.to_dict()["with_failures"] is None
    assert v.bootstrap(20, rng=1).to_dict()["with_failures"] is None


def test_the_dictionary_gives_rates_and_counts_of_attempts():
    v = verify(*two_lists(), nan="failure", fmr=(0.1, 0.01), tmr=0.9, threshold=1.0, fta="1/50")
    plain, filled = v.to_dict()["with_failures"], v.bootstrap(20, rng=1).to_dict()["with_failures"]
    assert (plain["mated_attempts"], plain["nonmated_attempts"]) == (300, 2000)
    assert (plain["fta_mated"], plain["fta_nonmated"], plain["fta"], plain["fte"]) == (0.04, 0.015, 0.02, None)
    assert [entry["fmr"] for entry in plain["at_fmr"]] == [0.1, 0.01]
    at = plain["at_threshold"][0]
    assert (at["frr"], at["frr_low"], at["gfrr"]) == (v.with_failures(v.at_threshold(1.0)).frr, None, None)
    assert filled["at_threshold"][0]["frr_low"] < at["frr"] < filled["at_threshold"][0]["frr_high"]
    assert filled["at_tmr"][0]["frr_low"] is None
    assert filled["at_tmr"][0]["far_high"] > plain["at_tmr"][0]["far"]


def test_groups_have_their_own_failures_and_the_rates_given(people):
    v = verify(people, fte=0.1)
    groups = v.by("sensor")
    assert all(group.failures == v.failures for group in groups.values())
    failed = [group.tally.mated_failures + group.tally.nonmated_failures for group in groups.values()]
    assert sum(failed) == len(people.failed_mated)
    assert min(failed) > 0


def test_a_tally_with_failures_is_enough():
    mated, nonmated = two_lists()
    tally = Tally.from_scores(mated, nonmated, nan="failure")
    parts = [Tally.from_scores(mated[k::2], nonmated[k::2], nan="failure") for k in (0, 1)]
    whole, added = (
        verify(t, threshold=1.0).bootstrap(40, rng=1).to_dict()["with_failures"] for t in (tally, sum(parts))
    )
    assert whole == added


@pytest.mark.parametrize("option", [{"fte": 1.2}, {"fte": "7/3"}, {"fta": "x"}])
def test_rates_that_are_none_are_refused(option):
    with pytest.raises(MatedError, match="between 0 and 1"):
        verify([1.0], [0.0], **option)
