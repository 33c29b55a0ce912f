"""Open-set forecasts against loops over scores, drawn galleries, and a truth that is computed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from mated.errors import MatedError
from mated.identification.individual_rates import EmpiricalRates
from mated.identification.open_forecast import (
    forecast_at_fpir,
    forecast_at_threshold,
    forecast_curve,
    threshold_at_fpir,
)
from mated.identification.tail import fit_tail_model
from mated.scores import Comparisons
from mated.scores.probe_scores import ProbeScores
from mated.synthetic import GaussianIdentities
from mated.synthetic.identification_truth import quadratic_form_cdf

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(-4, 4).map(float)), min_size=1, max_size=40)


def table(rows) -> Comparisons:
    probe, reference, score = zip(*rows, strict=True)
    return Comparisons.from_arrays(score, probe_subject=probe, reference_subject=reference)


def own(rows):
    """Mated scores, and (rival, score) of the non-mated ones, of each subject that has both; pairs listed once."""
    people = {}
    for subject in range(4):
        mated = [s for p, r, s in rows if p == r == subject]
        others = [(r if p == subject else p, s) for p, r, s in rows if p != r and subject in (p, r)]
        if mated and others:
            people[subject] = (mated, others)
    return people


@given(rows, st.lists(st.integers(0, 3), min_size=4, max_size=4), st.integers(-5, 5).map(float))
@settings(deadline=None)
def test_empirical_rates_are_weighted_shares(rows, weights, threshold):
    people = own(rows)
    data = table(rows)
    if not people:
        with pytest.raises(MatedError, match="no individual rates"):
            EmpiricalRates.of(data, scope="subject", symmetric="yes")
        return
    plain = EmpiricalRates.of(data, scope="subject", symmetric="yes")
    codes = {name: code for code, name in enumerate(plain.names)}
    weight = np.array([weights[int(name)] for name in plain.names], dtype=float)
    for rates, w in ((plain, dict.fromkeys(range(4), 1)), (plain.resampled(weight), dict(enumerate(weights)))):
        at = rates.fmr_at(threshold)
        for number, (subject, (mated, others)) in enumerate(people.items()):
            assert rates.subject[number] == codes[str(subject)]
            total = sum(w[r] for r, _ in others)
            reached = sum(w[r] for r, s in others if s >= threshold)
            assert at[number] == pytest.approx(reached / total if total else 0)
            for score in mated:
                half = sum(w[r] * ((s > score) + (s == score) / 2) for r, s in others)
                assert rates.fmr(number, score) == pytest.approx(half / total if total else 0)


@given(rows, st.integers(-5, 5).map(float), st.sampled_from([2, 5, 300]), st.sampled_from([1, 2, None]))
@settings(deadline=None)
def test_both_rates_are_the_means_of_their_formulas(rows, threshold, size, rank):
    people = own(rows)
    if not people:
        return
    rates = EmpiricalRates.of(table(rows), scope="subject", symmetric="yes")
    fpir, fnir = [], []
    for mated, others in people.values():
        scores = np.array([s for _, s in others])
        fpir.append(1 - (1 - np.mean(scores >= threshold)) ** size)
        found = []
        for s in mated:
            beaten = np.mean(scores > s) + np.mean(scores == s) / 2
            found.append((s >= threshold) * (1 if rank is None else binom.cdf(rank - 1, size - 1, beaten)))
        fnir.append(1 - np.mean(found))
    point = forecast_at_threshold(rates, size, threshold, rank)
    assert point.fpir == pytest.approx(np.mean(fpir), abs=1e-12)
    assert point.fnir == pytest.approx(np.mean(fnir), abs=1e-9)


@given(rows, st.sampled_from([0.01, 0.1, 0.5]), st.sampled_from([2, 30]))
@settings(deadline=None)
def test_the_threshold_of_an_fpir_is_the_smallest_whole_step_that_keeps_it(rows, fpir, size):
    if not own(rows):
        return
    rates = EmpiricalRates.of(table(rows), scope="subject", symmetric="yes")
    steps = np.arange(-6.0, 7.0)
    allowed = [t for t in steps if forecast_at_threshold(rates, size, t).fpir <= fpir]
    if rates.score_unit != 1:
        return
    assert threshold_at_fpir(rates, size, fpir) == min(allowed)


@pytest.fixture(scope="module")
def matrix():
    return GaussianIdentities((0.6, 0.7, 0.8, 0.85, 0.9, 0.95)).draw(150, 3, rng=1).matrix()


@pytest.mark.parametrize("kind", ["empirical", "tail"])
def test_at_an_fpir_the_forecast_keeps_it_and_a_lower_threshold_would_not(matrix, kind):
    rates = EmpiricalRates.of(matrix) if kind == "empirical" else fit_tail_model(ProbeScores.of(matrix))
    for size, fpir in ((50, 0.3), (1000, 0.05)):
        point = forecast_at_fpir(rates, size, fpir, 5)
        assert point.fpir <= fpir
        assert point.target == fpir
        lower = forecast_at_threshold(rates, size, point.threshold - 1e-9, 5)
        assert lower.fpir > fpir - 1e-9
        assert lower.fnir <= point.fnir


def test_a_rate_that_no_score_can_show_is_said_so(matrix):
    point = forecast_at_fpir(EmpiricalRates.of(matrix), 10**6, 1e-4)
    assert point.fpir == 0
    assert "do not resolve" in point.caution
    assert forecast_at_fpir(fit_tail_model(ProbeScores.of(matrix)), 10**6, 1e-4).fpir == pytest.approx(1e-4)


def test_searches_in_drawn_galleries_do_as_forecast():
    """People of the population searched for in galleries of 40 others: 200 people's scores forecast what 4,000 do."""
    between = (0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
    model = GaussianIdentities(between)
    rates = EmpiricalRates.of(model.draw(300, 3, rng=3).matrix())
    v = np.array(between)
    x = model.draw(4000, 1, rng=4).features
    for threshold in (3.0, 5.0):
        # s(x, y) ≥ T iff Q(y) ≤ what is left of the score's highest value.
        q = v**2 / (2 * (1 - v**2))
        constant = -0.5 * np.log(1 - v**2).sum() + (x**2) @ (q / v**2 - q)
        fmr = quadratic_form_cdf(q, x / v, constant - threshold)
        truth = np.mean(1 - (1 - fmr) ** 40)
        # 300 subjects leave a standard error of about a tenth.
        assert forecast_at_threshold(rates, 40, threshold).fpir == pytest.approx(truth, rel=0.3)


def test_the_tail_model_and_the_scores_themselves_agree_where_both_can_speak(matrix):
    empirical, tail = EmpiricalRates.of(matrix), fit_tail_model(ProbeScores.of(matrix))
    for threshold in (2.0, 4.0, 6.0):
        one, other = (forecast_at_threshold(rates, 30, threshold, 1) for rates in (empirical, tail))
        assert other.fpir == pytest.approx(one.fpir, rel=0.05)
        assert other.fnir == pytest.approx(one.fnir, abs=0.03)


def test_the_curve_trades_one_rate_for_the_other(matrix):
    threshold, fpir, fnir = forecast_curve(fit_tail_model(ProbeScores.of(matrix)), 10**5, 10, points=20)
    assert np.all(np.diff(threshold) > 0)
    assert np.all(np.diff(fpir) <= 0)
    assert np.all(np.diff(fnir) >= 0)


def test_a_list_without_limit_misses_only_what_the_threshold_turns_away(matrix):
    rates = EmpiricalRates.of(matrix)
    point = forecast_at_threshold(rates, 10**6, 4.0, None)
    assert point.fnir == pytest.approx(float(rates.mated_weight @ (rates.mated_score < 4.0)))
    assert forecast_at_threshold(rates, 10**6, -np.inf, 10**6).fnir == pytest.approx(0, abs=1e-12)


def test_a_larger_gallery_costs_both_rates(matrix):
    rates = fit_tail_model(ProbeScores.of(matrix))
    points = [forecast_at_threshold(rates, size, 5.0, 1) for size in (10, 10**3, 10**6)]
    assert points[0].fpir < points[1].fpir < points[2].fpir
    assert points[0].fnir < points[1].fnir < points[2].fnir


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((1, 1.0, 1), "gallery size"), ((10, np.nan, 1), "threshold must be"), ((10, 1.0, 11), "rank")],
)
def test_bad_questions_get_one_sentence(matrix, arguments, words):
    rates = EmpiricalRates.of(matrix)
    size, threshold, rank = arguments
    with pytest.raises(MatedError, match=words):
        forecast_at_threshold(rates, size, threshold, rank)
    with pytest.raises(MatedError, match="FPIR"):
        threshold_at_fpir(rates, 10, 2.0)
    with pytest.raises(MatedError, match="two points"):
        forecast_curve(rates, 10, points=1)
