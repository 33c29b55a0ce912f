"""Tail laws: their formulas against SciPy, and the fit against laws it was given exact quantiles of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import genpareto

from mated.identification.tail_families import TailLaw, fit_pareto, fit_tail, fit_weibull

MIDDLES = (np.arange(4000) + 0.5) / 4000


def exact_quantiles(law: TailLaw) -> np.ndarray:
    """Excesses at evenly spread probabilities of a law: y with share P(Y ≥ y) = 1 − middle."""
    share = 1 - MIDDLES
    if law.family == "pareto":
        return law.scale * (share**-law.shape - 1) / law.shape
    grown = 1 - np.log(share) / law.depth
    return law.scale * (grown**law.shape - 1) / law.shape


@pytest.mark.parametrize("shape", [-0.4, -0.1, 0.0, 0.3])
def test_the_pareto_law_is_that_of_scipy(shape):
    law = TailLaw("pareto", 2.0, 7.0, shape, 0.5)
    level = np.linspace(2, 3.2, 20)
    np.testing.assert_allclose(np.exp(law.log_share(level)), genpareto.sf(level - 2, shape, scale=0.5), rtol=1e-10)


def test_the_weibull_law_with_shape_one_is_exponential_and_with_a_half_nearly_normal():
    level = np.linspace(1, 6, 20)
    exponential = TailLaw("weibull", 1.0, 7.0, 1.0, 7.0)
    np.testing.assert_allclose(exponential.log_share(level), -(level - 1))
    # P(N ≥ y) ≈ exp(−y²/2): t = t₀(1 + (y − u)/(2a))² with u² = 2t₀ and a = u/2 gives t = y²/2.
    u = np.sqrt(14.0)
    normal = TailLaw("weibull", u, 7.0, 0.5, u / 2)
    level = np.linspace(u, 8, 20)
    np.testing.assert_allclose(normal.log_share(level), 7 - level**2 / 2)


@pytest.mark.parametrize("family", ["pareto", "weibull"])
def test_nothing_lies_beyond_the_end_of_a_law_with_negative_shape(family):
    law = TailLaw(family, 1.0, 7.0, -0.5, 2.0)
    assert law.end == 5.0
    assert law.log_share(np.array([4.999, 5.0, 6.0, np.inf]))[1:].tolist() == [-np.inf] * 3
    assert TailLaw(family, 1.0, 7.0, 0.5, 2.0).end == np.inf
    assert TailLaw(family, 1.0, 7.0, 0.5, 2.0).log_share(np.array([np.inf])) == -np.inf


@pytest.mark.parametrize("shape", [-0.3, -0.1, 0.05, 0.4])
def test_the_pareto_fit_finds_the_law_of_exact_quantiles(shape):
    excess = exact_quantiles(TailLaw("pareto", 0.0, 7.0, shape, 2.5))
    found = fit_pareto(excess, np.full(4000, 1 / 4000), float(excess[-1]))
    # Middles of 4000 cells leave out the outermost eighth of a thousandth, which pulls the shape in a little.
    assert found == pytest.approx((shape, 2.5), abs=0.01)


@pytest.mark.parametrize("shape", [-0.4, 0.0001, 0.5, 0.9])
def test_the_weibull_fit_finds_the_law_of_exact_quantiles(shape):
    law = TailLaw("weibull", 0.0, 7.0, shape, 3.0)
    excess = exact_quantiles(law)
    found = fit_weibull(excess, np.full(4000, 1 / 4000), float(excess[-1]), 7.0, 1e9, start=(0.7, 2.0))
    assert found == pytest.approx((shape, 3.0), abs=0.03)


def test_with_few_independent_exceedances_the_shape_stays_near_what_is_usual():
    excess = exact_quantiles(TailLaw("weibull", 0.0, 7.0, -0.4, 3.0))
    share, largest = np.full(4000, 1 / 4000), float(excess[-1])
    shapes = [fit_weibull(excess, share, largest, 7.0, n, start=(0.7, 2.0))[0] for n in (1e9, 1e3, 1e2, 1)]
    assert np.all(np.diff(shapes) > 0)
    assert shapes[0] == pytest.approx(-0.4, abs=0.03)
    assert shapes[-1] == pytest.approx(0.4, abs=0.05)


def test_an_exponential_tail_has_shape_zero():
    excess = -2 * np.log(1 - MIDDLES)
    shape, scale = fit_pareto(excess, np.full(4000, 1 / 4000), float(excess[-1]))
    assert shape == pytest.approx(0, abs=0.005)
    assert scale == pytest.approx(2, abs=0.01)


def test_the_fitted_pareto_law_is_at_a_maximum_of_the_likelihood():
    excess = np.sort(genpareto.rvs(-0.15, scale=1.3, size=300, random_state=1))
    found = fit_pareto(excess, np.full(300, 1 / 300), float(excess[-1]))
    best = genpareto.logpdf(excess, found[0], scale=found[1]).sum()
    for step in ([0.02, 0], [-0.02, 0], [0, 0.03], [0, -0.03]):
        near = np.array(found) + step
        assert genpareto.logpdf(excess, near[0], scale=near[1]).sum() < best


@given(st.lists(st.integers(1, 4), min_size=30, max_size=60), st.integers(0, 10**6))
@settings(deadline=None, max_examples=25)
def test_weights_are_repetitions(weights, seed):
    excess = np.sort(np.random.default_rng(seed).exponential(size=len(weights)))
    weighted = fit_tail(excess, np.array(weights, dtype=float), 0.0, 7.0, 1e9)
    repeated = fit_tail(np.repeat(excess, weights), np.ones(sum(weights)), 0.0, 7.0, 1e9)
    assert weighted.family == repeated.family
    assert (weighted.shape, weighted.scale) == pytest.approx((repeated.shape, repeated.scale), rel=1e-3, abs=1e-3)


def test_a_light_tail_gets_the_weibull_law_and_a_heavy_one_the_pareto_law():
    light, heavy = (exact_quantiles(TailLaw("pareto", 0, 7.0, shape, 1.0)) for shape in (-0.1, 0.1))
    weight = np.ones(4000)
    assert fit_tail(light, weight, 0.0, 7.0, 1e9).family == "weibull"
    assert fit_tail(heavy, weight, 0.0, 7.0, 1e9).family == "pareto"


def test_the_weibull_law_goes_on_as_a_normal_tail_does_where_the_pareto_law_ends():
    """Fitted to the exceedances of 1e-3 of a normal variable, read at 1e-9."""
    tail = -ndtri(1e-3 * (1 - MIDDLES))
    u = -ndtri(1e-3)
    law = fit_tail(tail - u, np.ones(4000), u, -np.log(1e-3), 1e9)
    shape, scale = fit_pareto(tail - u, np.full(4000, 1 / 4000), float(tail[-1] - u))
    at = np.array([-ndtri(1e-9)])
    assert law.log_share(at)[0] == pytest.approx(np.log(1e-6), abs=0.5)
    assert TailLaw("pareto", u, 7.0, shape, scale).log_share(at)[0] < np.log(1e-6) - 1.5


def test_equal_exceedances_do_not_break_the_fit():
    law = fit_tail(np.full(50, 2.0), np.ones(50), 1.0, 5.0, 50)
    assert np.isfinite(law.log_share(np.array([1.0, 2.0, 2.9]))).all()
