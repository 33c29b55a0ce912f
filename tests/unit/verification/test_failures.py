"""Failures in the error rates: the formulas of ISO/IEC 19795-1 by hand, and what is no rate."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mated.errors import MatedError
from mated.scores import Comparisons, Tally
from mated.verification import at_fmr, at_threshold
from mated.verification.failures import (
    FailureRate,
    FailureRates,
    attempted_comparisons,
    attempted_tally,
    unscored_shares,
    with_failures,
)

NAN = float("nan")


def test_the_formulas_of_iso_19795_by_hand():
    """FTE 2 %, FTA 5 %, FNMR 2 %, FMR 0.1 %.

    FRR = 0.05 + 0.95·0.02 = 0.069, FAR = 0.95·0.001 = 0.00095,
    GFRR = 0.02 + 0.98·0.05 + 0.98·0.95·0.02 = 0.02 + 0.049 + 0.01862 = 0.08762, GFAR = 0.98·0.00095 = 0.000931.
    """
    tally = Tally.from_scores([1.0], [0.0])
    given = FailureRates.of(fte="4/200", fta=0.05)
    rates = with_failures(tally, fmr=Fraction(1, 1000), fnmr=Fraction(2, 100), given=given)
    assert (rates.frr, rates.far, rates.gfrr, rates.gfar) == (0.069, 0.00095, 0.08762, 0.000931)


def test_comparisons_without_a_score_by_hand():
    """Of 10 mated attempts 2 fail and 1 scores below 3: FRR 3/10. Of 20 non-mated 4 fail and 2 reach 3: FAR 2/20."""
    mated = [NAN, NAN, 1, 3, 4, 4, 5, 5, 6, 7]
    nonmated = [NAN] * 4 + [0] * 14 + [3, 5]
    tally = Tally.from_scores(mated, nonmated, nan="failure")
    assert unscored_shares(tally) == (Fraction(2, 10), Fraction(4, 20))
    point = at_threshold(tally, 3)
    assert (point.fnmr, point.fmr) == (1 / 8, 2 / 16)
    rates = with_failures(tally, fmr=point.fmr, fnmr=point.fnmr)
    assert (rates.frr, rates.far, rates.gfrr, rates.gfar) == (0.3, 0.1, None, None)
    # One in five more attempts never got into the file: 1 − 0.8·0.7 and 0.8·0.1.
    more = with_failures(tally, fmr=point.fmr, fnmr=point.fnmr, given=FailureRates.of(fta=0.2))
    assert (more.frr, more.far) == (0.44, 0.08)


def test_without_failures_the_rates_are_those_of_the_comparisons():
    tally = Tally.from_scores([1, 3, 4], [0, 0, 3, 5])
    point = at_threshold(tally, 3)
    rates = with_failures(tally, fmr=point.fmr, fnmr=point.fnmr)
    assert (rates.frr, rates.far) == (point.fnmr, point.fmr)


def test_where_nobody_can_be_enrolled_everybody_is_rejected():
    rates = with_failures(Tally.from_scores([1.0], [0.0]), fmr=0.5, fnmr=0.5, given=FailureRates.of(fte="3/3"))
    assert (rates.gfrr, rates.gfar) == (1.0, 0.0)


@pytest.mark.parametrize("dissimilarity", [False, True])
def test_attempts_as_a_tally_have_the_rates_with_failures(dissimilarity):
    rng = np.random.default_rng(5)
    mated, nonmated = rng.integers(0, 9, 40).astype(float), rng.integers(-4, 5, 70).astype(float)
    mated[:3], nonmated[:7] = NAN, NAN
    sign = -1 if dissimilarity else 1
    tally = Tally.from_scores(sign * mated, sign * nonmated, nan="failure", dissimilarity=dissimilarity)
    attempts = attempted_tally(tally)
    assert (attempts.n_mated, attempts.n_nonmated, attempts.mated_failures) == (40, 70, 0)
    for threshold in range(-5, 10):
        point, whole = at_threshold(tally, sign * threshold), at_threshold(attempts, sign * threshold)
        rates = with_failures(
            tally,
            fmr=Fraction(point.errors_nonmated, tally.n_nonmated),
            fnmr=Fraction(point.errors_mated, tally.n_mated),
        )
        assert (rates.frr, rates.far) == (whole.fnmr, whole.fmr)


def test_an_fmr_of_scored_comparisons_is_a_far_of_attempts():
    """f·(1 − φ_n) of all attempts are as many false matches as f of those with a score: the FRR is the same."""
    tally = Tally.from_scores([NAN, 1, 2, 3, 3, 5], [NAN, NAN, 0, 0, 1, 2, 2, 3, 3, 3], nan="failure")
    for f in (Fraction(1, 8), Fraction(1, 3), Fraction(3, 8), Fraction(9, 10)):
        point = at_fmr(tally, f)
        rates = with_failures(tally, fmr=f, fnmr=point.fnmr)
        assert rates.frr == pytest.approx(at_fmr(attempted_tally(tally), f * Fraction(8, 10)).fnmr, abs=1e-15)


def test_attempts_as_a_table_keep_their_subjects():
    table = Comparisons.from_arrays(
        [5, NAN, 1, NAN],
        probe_subject=["a", "b", "a", "c"],
        reference_subject=["a", "b", "b", "a"],
        nan="failure",
    )
    attempts = attempted_comparisons(table)
    names = attempts.subjects.names
    rows = zip(attempts.score, attempts.mated, attempts.subjects.probe, attempts.subjects.reference, strict=True)
    found = {(float(s), bool(m), names[p], names[r]) for s, m, p, r in rows}
    low = float("-inf")
    assert found == {(5, True, "a", "a"), (1, False, "a", "b"), (low, True, "b", "b"), (low, False, "c", "a")}
    assert not len(attempts.failed_mated)


@pytest.mark.parametrize(
    ("given", "rate", "failures", "trials"),
    [
        (0.01, Fraction(1, 100), None, None),
        ("0.01", Fraction(1, 100), None, None),
        ("0", Fraction(0), None, None),
        ("3/300", Fraction(1, 100), 3, 300),
        (" 0 / 50 ", Fraction(0), 0, 50),
    ],
)
def test_a_rate_is_a_number_or_counts(given, rate, failures, trials):
    assert FailureRate.of(given, "a rate") == FailureRate(rate, failures, trials)


@pytest.mark.parametrize("given", [1.2, "1.2", -0.1, "7/3", "x", "", "1/0", "0/0", "-1/4", "1/2/3", "1.5/3", NAN, None])
def test_what_is_no_rate_is_refused_in_one_sentence(given):
    with pytest.raises(MatedError, match="a failure-to-enrol rate must") as error:
        FailureRate.of(given, "a failure-to-enrol rate")
    assert "\n" not in str(error.value)
